/* SPDX-License-Identifier: MIT */
/*
 * Splitters: many pivots at once, from a sorted sample of the range (sample sort: Frazer and McKellar 1970; on a GPU:
 * Leischner, Osipov and Sanders 2010; equality buckets: Sanders and Winkel 2004).
 *
 *  1. Draw some keys a bucket, one from each of as many equal slices of the range.
 *  2. Sort them in the block's registers (block_merge.cuh).
 *  3. The keys of evenly spaced ranks are the candidates.
 *  4. If two candidates are equal, a value is frequent: each value once, and equality buckets. Those take half of the buckets,
 *     so where there is no room for as many more, something must give (Crowded).
 *  5. The splitters are laid out as a search tree, level by level, so that the lanes of a warp read a level without conflict
 *     as long as it has no more nodes than shared memory has banks.
 */
#ifndef CDPSORT_DEVICE_BLOCK_SPLITTERS_CUH
#define CDPSORT_DEVICE_BLOCK_SPLITTERS_CUH

#include "block/block_merge.cuh"
#include "block/multiway_shape.cuh"
#include "block/partition.cuh"

namespace cdp::CDP_RUNTIME {

/* begins[i] = the sum of counts[0] to counts[i - 1], for i = 0 to items. All threads take part; begins with what was written
   before visible to all, ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ void scan_counts(MultiwayStorage<Bits> &storage, uint32_t items) {
  constexpr uint32_t EACH = (MAX_BUCKETS + MultiwayShape<Bits>::BLOCK_THREADS - 1) / MultiwayShape<Bits>::BLOCK_THREADS;
  const uint32_t first = threadIdx.x * EACH;
  uint32_t sum = 0;
#pragma unroll
  for (uint32_t item = 0; item < EACH; item++)
    sum += first + item < items ? storage.counts[first + item] : 0;
  uint32_t total;
  uint32_t begin = lower_threads_sum<MultiwayShape<Bits>::BLOCK_WARPS>(sum, storage.block.warp_totals, total);
#pragma unroll
  for (uint32_t item = 0; item < EACH; item++)
    if (first + item < items) {
      storage.begins[first + item] = begin;
      begin += storage.counts[first + item];
    }
  if (threadIdx.x == 0)
    storage.begins[items] = total;
  __syncthreads();
}

/* The position of sample `index` of `samples` (a power of two) in a range of `items`. */
__device__ __forceinline__ uint64_t sample_position(uint64_t hash, uint32_t index, uint32_t samples, uint64_t items) {
  return (index * items + below(splitmix64(hash + index), items)) >> (31 - __clz(static_cast<int>(samples)));
}

__device__ __forceinline__ uint64_t sample_hash(uint64_t seed, const Range &range) {
  return splitmix64(seed ^ splitmix64(range.begin ^ (range.end << 20)) ^ range.depth);
}

/* The same for group `group` of those of a sort, whose samples must not be one another's, and for the whole array: group 0. */
__device__ __forceinline__ uint64_t group_hash(uint64_t seed, uint64_t group) {
  return splitmix64(seed ^ splitmix64(group));
}

/* Draws a sample of EACH times `threads` keys and sorts it into storage.sample. All threads take
   part; ends with a barrier. */
template <typename Bits, uint32_t EACH>
__device__ __forceinline__ void sort_sample(const BlockRules<Bits> &rules, const Range &range, uint32_t threads,
                                            MultiwayStorage<Bits> &storage) {
  static_assert(EACH <= MultiwayShape<Bits>::MAX_SAMPLES_PER_THREAD, "there is room for it");
  const uint64_t hash = sample_hash(rules.seed, range);
  const Bits *source = rules.side(range.side) + range.begin;
  const uint32_t samples = threads * EACH;
  Bits drawn[EACH];
  if (threadIdx.x < threads)
#pragma unroll
    for (uint32_t item = 0; item < EACH; item++)
      drawn[item] = source[sample_position(hash, item * threads + threadIdx.x, samples, range.items())];
  rules.map.enter_all(drawn, range.is_raw());
  block_merge_sort(drawn, threads, storage.sample);
  if (threadIdx.x < threads)
#pragma unroll
    for (uint32_t item = 0; item < EACH; item++)
      storage.sample[threadIdx.x * EACH + item] = drawn[item];
  __syncthreads();
}

/* What to do where not every value can have an equality bucket beside its own. */
enum class Crowded : uint32_t {
  leave_out, /* some splitters: buckets become twice as long */
  keep_all   /* splitters, and have no equality buckets, unless more values are frequent than others would be kept */
};

/* Keeps each value of fan_out - 1 sorted candidates once, in storage.splitters, or as many as tree_items - 1 of them: those
   that were met twice, and of the others evenly spaced ones. The room that is left is filled up with the greatest value.
   Returns how many values there are; 0 if the candidates are better taken as they are. All threads take part; ends with a
   barrier. */
template <typename Bits>
__device__ __forceinline__ uint32_t keep_distinct(uint32_t fan_out, uint32_t tree_items, Crowded crowded,
                                                  MultiwayStorage<Bits> &storage) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  constexpr uint32_t FREQUENT = 1u << 16; // values are counted in the lower half, those met twice in the upper
  const uint32_t candidates = fan_out - 1;
  for (uint32_t index = threadIdx.x; index < candidates; index += THREADS) {
    const Bits value = storage.splitters[index];
    const bool is_first = index == 0 || value != storage.splitters[index - 1];
    const bool is_frequent = is_first && index + 1 < candidates && value == storage.splitters[index + 1];
    storage.tree[index] = value;
    storage.counts[index] = (is_first ? 1 : 0) + (is_frequent ? FREQUENT : 0);
  }
  __syncthreads();
  scan_counts(storage, candidates);
  const uint32_t frequent = storage.begins[candidates] / FREQUENT;
  const uint32_t rare = storage.begins[candidates] % FREQUENT - frequent;
  const uint32_t room = tree_items - 1 - frequent; // each of those took two candidates
  if (crowded == Crowded::keep_all && rare > room && frequent < room)
    return 0;
  for (uint32_t index = threadIdx.x; index < candidates; index += THREADS) {
    const uint32_t rank = storage.begins[index] % FREQUENT - storage.begins[index] / FREQUENT;
    const bool is_kept = storage.counts[index] > 1 || rare <= room || (rank + 1) * room / rare != rank * room / rare;
    storage.counts[index] = storage.counts[index] != 0 && is_kept;
  }
  __syncthreads();
  scan_counts(storage, candidates);
  const uint32_t kept = storage.begins[candidates];
  for (uint32_t index = threadIdx.x; index < candidates; index += THREADS)
    if (storage.counts[index] != 0)
      storage.splitters[storage.begins[index]] = storage.tree[index];
  for (uint32_t index = kept + threadIdx.x; index < tree_items - 1; index += THREADS)
    storage.splitters[index] = GREATEST<Bits>;
  __syncthreads();
  return kept;
}

/* Lays tree_items - 1 sorted splitters out as a search tree. All threads take part; ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ void plant_tree(uint32_t tree_items, MultiwayStorage<Bits> &storage) {
  for (uint32_t node = threadIdx.x; node < tree_items; node += MultiwayShape<Bits>::BLOCK_THREADS) {
    if (node == 0)
      continue;
    const uint32_t level_nodes = 1u << (31 - __clz(static_cast<int>(node)));
    storage.tree[node] = storage.splitters[(2 * (node - level_nodes) + 1) * (tree_items / level_nodes / 2) - 1];
  }
  __syncthreads();
}

/* The threads that draw a sample for so many buckets, if they shall have `oversampling` keys each. */
template <typename Bits, uint32_t EACH>
__device__ __forceinline__ uint32_t sample_threads(uint32_t fan_out, uint32_t oversampling) {
  uint32_t threads = WARP_LANES;
  while (threads < MultiwayShape<Bits>::MAX_SAMPLE_THREADS && threads * EACH < fan_out * oversampling)
    threads *= 2;
  return threads;
}

/*
 * Chooses the splitters of a range and leaves them, their tree and the set in storage.
 * - fan_out: a power of two, MIN_FAN_OUT to MAX_FAN_OUT: as many buckets of unequal keys as there will be, at most.
 * - max_buckets: fan_out to MAX_BUCKETS, a power of two: as many as there may be with those of equal keys.
 * - crowded: what to do where that is too few.
 * - EACH: keys of the sample that a thread draws.
 * - All threads of the block take part; begins with a barrier having made the range visible, ends with one.
 */
template <typename Bits, uint32_t EACH>
__device__ __forceinline__ void choose_splitters(const BlockRules<Bits> &rules, Range range, uint32_t fan_out,
                                                 uint32_t oversampling, uint32_t max_buckets, Crowded crowded) {
  auto &storage = block_shared<MultiwayStorage<Bits>>();
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  const uint32_t threads = sample_threads<Bits, EACH>(fan_out, oversampling);
  sort_sample<Bits, EACH>(rules, range, threads, storage);
  const uint32_t samples = threads * EACH;
  const uint32_t spacing = samples / fan_out;
  for (uint32_t index = threadIdx.x; index + 1 < fan_out; index += THREADS)
    storage.splitters[index] = storage.sample[(index + 1) * spacing - 1];
  if (threadIdx.x == 0)
    storage.flag = 0;
  __syncthreads();
  for (uint32_t index = threadIdx.x; index + 2 < fan_out; index += THREADS)
    if (storage.splitters[index] == storage.splitters[index + 1])
      storage.flag = 1;
  __syncthreads();
  SplitterSet set = {fan_out - 1, fan_out, fan_out, storage.flag};
  if (set.equal != 0) {
    const uint32_t tree_items = 2 * fan_out <= max_buckets ? fan_out : max_buckets / 2;
    const uint32_t kept = keep_distinct<Bits>(fan_out, tree_items, crowded, storage);
    set = kept != 0 ? SplitterSet{kept, tree_items, 2 * kept + 1, 1} : SplitterSet{fan_out - 1, fan_out, fan_out, 0};
  }
  if (threadIdx.x == 0)
    storage.set = set;
  plant_tree(set.tree_items, storage);
}

/* The buckets of a thread's items. */
template <typename Bits, uint32_t ITEMS>
__device__ __forceinline__ void classify(const Bits (&items)[ITEMS], uint32_t (&buckets)[ITEMS],
                                         const MultiwayStorage<Bits> &storage, const SplitterSet &set) {
  // Nodes are counted in bytes, and doubled apart from the step to the right: one integer instruction less on each level.
  constexpr uint32_t NODE = sizeof(Bits);
  const unsigned char *tree = reinterpret_cast<const unsigned char *>(storage.tree);
  // The two uppermost levels are in registers, since shared memory is what all wait for: 8 to 11 % of counting and of scattering
  // (docs/lab/2026-11-24-older-measurements.md).
  static_assert(MIN_FAN_OUT / 2 >= 4, "every tree has two levels");
  const Bits root = storage.tree[1];
  const Bits left = storage.tree[2];
  const Bits right = storage.tree[3];
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++) {
    const bool upper = root < items[item];
    buckets[item] = (upper ? 3 : 2) * 2 * NODE + ((upper ? right : left) < items[item] ? NODE : 0);
  }
  for (uint32_t level_nodes = 4; level_nodes < set.tree_items; level_nodes *= 2) {
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++) {
      const Bits splitter = *reinterpret_cast<const Bits *>(tree + buckets[item]);
      buckets[item] *= 2;
      if (splitter < items[item])
        buckets[item] += NODE;
    }
  }
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    buckets[item] = buckets[item] / NODE - set.tree_items;
  if (set.equal == 0)
    return;
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++) {
    const bool is_equal = buckets[item] < set.splitters && storage.splitters[buckets[item]] == items[item];
    buckets[item] = 2 * buckets[item] + (is_equal ? 1 : 0);
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
