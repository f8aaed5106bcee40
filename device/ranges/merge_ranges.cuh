/* SPDX-License-Identifier: MIT */
/*
 * Merging two sorted ranges by merge path: Saher Odeh, Oded Green, Zahi Mwassi, Oz Shmueli and Yitzhak Birk, "Merge Path - Parallel
 * Merging Made Simple" (2012).
 *
 * 1. split   How many of the first t tiles' keys are the first range's is found by bisection, for each tile by itself.
 * 2. merge   A block stages its tile's keys of both ranges in shared memory; each thread finds its share of them in the same way,
 *            and merges it in registers; the tile is written from shared memory.
 *
 * What is found by bisection makes sense of ranges in order alone. In others two neighbouring beginnings may contradict each other,
 * so that keys would be lost, or written twice. Both steps look whether theirs do: then the ranges are copied one behind the other,
 * or the tile as it was staged. So whatever the input, the output is a permutation of it.
 */
#ifndef CDPSORT_DEVICE_RANGES_MERGE_RANGES_CUH
#define CDPSORT_DEVICE_RANGES_MERGE_RANGES_CUH

#include "ranges/walk.cuh"

namespace cdp::CDP_RUNTIME {

constexpr uint32_t MERGE_THREADS = RANGES_SHAPE.merge_threads;
template <typename Raw>
constexpr uint32_t MERGE_ITEMS = merge_items(RANGES_SHAPE, sizeof(Raw));
template <typename Raw>
constexpr uint32_t MERGE_TILE = merge_tile(RANGES_SHAPE, sizeof(Raw));

/* A merge, as its kernels are given it. */
template <typename Raw>
struct Merge {
  const Raw *first;
  const Raw *second;
  uint64_t first_count;
  uint64_t second_count;
  Entry<Raw> entry;
  uint32_t tiles;
  uint64_t *splits;           /* of the keys before each tile, and of all, how many are the first range's; of one tile NULL */
  uint32_t *is_contradictory; /* splits are: not 0. Likewise */

  __device__ __forceinline__ uint64_t count() const {
    return first_count + second_count;
  }
  __device__ __forceinline__ Raw concatenated(uint64_t index) const {
    return index < first_count ? first[index] : second[index - first_count];
  }
};

/* ---- Split ------------------------------------------------------------------------------------------------------------- */

/* How many of the first `rank` keys, in order, are the first range's; equal ones come before those of the second. `comes_before(b, a)`:
   whether the second range's key b does before the first one's key a. */
template <typename Index, typename ComesBefore>
__device__ __forceinline__ Index find_split(Index rank, Index first_count, Index second_count, ComesBefore comes_before) {
  Index low = rank > second_count ? rank - second_count : 0;
  Index high = min(rank, first_count);
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (comes_before(rank - 1 - middle, middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* A warp has WARP_SPLITS tiles, and its last lane the beginning of the next warp's first. */
template <typename Raw>
__global__ void __launch_bounds__(MERGE_THREADS)
    // cppcheck-suppress passedByValue
    find_splits_kernel(const Merge<Raw> merge) {
  const uint32_t lane = threadIdx.x % WARP_LANES;
  const uint64_t warp = uint64_t{blockIdx.x} * (MERGE_THREADS / WARP_LANES) + threadIdx.x / WARP_LANES;
  const uint64_t tile = warp * WARP_SPLITS + lane;
  const uint64_t rank = min(tile * MERGE_TILE<Raw>, merge.count());
  const uint64_t split = find_split(rank, merge.first_count, merge.second_count, [&](uint64_t second, uint64_t first) {
    return merge.entry.enter(merge.second[second]) < merge.entry.enter(merge.first[first]);
  });
  const uint64_t next_split = __shfl_down_sync(ALL_LANES, split, 1);
  const uint64_t next_rank = min(rank + MERGE_TILE<Raw>, merge.count());
  if (tile <= merge.tiles && (lane < WARP_SPLITS || tile == merge.tiles))
    merge.splits[tile] = split;
  // Wrapped around, a step backwards is too long.
  if (lane < WARP_SPLITS && tile < merge.tiles && next_split - split > next_rank - rank)
    *merge.is_contradictory = 1;
}

/* ---- Merge ------------------------------------------------------------------------------------------------------------- */

/* What is staged: keys that were entered, or, where keys that differ may be equal, raw ones that enter when they are compared. */
template <typename Raw, bool JOINS>
struct StagedKeys {
  const Entry<Raw> &entry;

  __device__ __forceinline__ Raw stage(Raw raw) const {
    return JOINS ? raw : static_cast<Raw>(entry.enter(raw));
  }
  __device__ __forceinline__ Raw leave(Raw staged) const {
    return JOINS ? staged : entry.leave(staged);
  }
  __device__ __forceinline__ bool comes_before(Raw left, Raw right) const {
    return JOINS ? entry.enter(left) < entry.enter(right) : left < right;
  }
};

template <typename Raw>
struct MergeBlock {
  Raw stage[MERGE_TILE<Raw> + MERGE_ITEMS<Raw> + 1]; /* what is behind the tile is read, and never taken */
  uint16_t splits[MERGE_THREADS + 1];
};

/* A thread's share of a tile, whose first `first_items` keys are the first range's: from there and from the second to these ends. */
struct MergeShare {
  uint32_t first;
  uint32_t first_end;
  uint32_t second;
  uint32_t second_end;
};

/* All threads take part; two barriers. False, in all of them, if shares contradict each other. */
template <typename Raw, bool JOINS>
__device__ __forceinline__ bool find_share(const StagedKeys<Raw, JOINS> &rules, MergeBlock<Raw> &block, uint32_t items,
                                           uint32_t first_items, MergeShare &share) {
  const uint32_t rank = min(threadIdx.x * MERGE_ITEMS<Raw>, items);
  const uint32_t next_rank = min(rank + MERGE_ITEMS<Raw>, items);
  const Raw *second_keys = block.stage + first_items;
  const uint32_t split = find_split(rank, first_items, items - first_items, [&](uint32_t second, uint32_t first) {
    return rules.comes_before(second_keys[second], block.stage[first]);
  });
  block.splits[threadIdx.x] = static_cast<uint16_t>(split);
  if (threadIdx.x == 0)
    block.splits[MERGE_THREADS] = static_cast<uint16_t>(first_items);
  __syncthreads();
  const uint32_t next_split = block.splits[threadIdx.x + 1];
  share = {split, next_split, first_items + rank - split, first_items + next_rank - next_split};
  return __syncthreads_or(next_split - split > next_rank - rank) == 0;
}

/* Merges a thread's share into registers. Behind its end a thread takes what lies there, which is never written. One read for either
   range: with a read for each, by those lanes that took from it, 2^26 keys of 8 bytes take 5 % longer (H200). */
template <typename Raw, bool JOINS>
__device__ __forceinline__ void merge_share_of(const StagedKeys<Raw, JOINS> &rules, const Raw *stage, const MergeShare &share,
                                               Raw (&merged)[MERGE_ITEMS<Raw>]) {
  uint32_t first = share.first;
  uint32_t second = share.second;
  Raw first_key = stage[first];
  Raw second_key = stage[second];
#pragma unroll
  for (uint32_t item = 0; item < MERGE_ITEMS<Raw>; item++) {
    const bool takes_first =
        second >= share.second_end || (first < share.first_end && !rules.comes_before(second_key, first_key));
    merged[item] = takes_first ? first_key : second_key;
    const uint32_t next = (takes_first ? first : second) + 1;
    const Raw next_key = stage[next];
    first = takes_first ? next : first;
    second = takes_first ? second : next;
    first_key = takes_first ? next_key : first_key;
    second_key = takes_first ? second_key : next_key;
  }
}

/* Brings a staged tile into order, where its shares make sense. All threads take part; several barriers, the last at the end. */
template <typename Raw, bool JOINS>
__device__ __forceinline__ void merge_staged_tile(const StagedKeys<Raw, JOINS> &rules, MergeBlock<Raw> &block, uint32_t items,
                                                  uint32_t first_items) {
  MergeShare share;
  Raw merged[MERGE_ITEMS<Raw>];
  if (!find_share(rules, block, items, first_items, share))
    return;
  merge_share_of(rules, block.stage, share, merged);
  __syncthreads();
#pragma unroll
  for (uint32_t item = 0; item < MERGE_ITEMS<Raw>; item++) {
    const uint32_t place = threadIdx.x * MERGE_ITEMS<Raw> + item;
    if (place < items)
      block.stage[place] = merged[item];
  }
  __syncthreads();
}

/* Calls work(index) for each index of a tile of so many items that is the thread's. */
template <typename Raw, typename Work>
__device__ __forceinline__ void for_each_of_tile(uint32_t items, Work work) {
#pragma unroll
  for (uint32_t item = 0; item < MERGE_ITEMS<Raw>; item++) {
    const uint32_t index = item * MERGE_THREADS + threadIdx.x;
    if (index < items)
      work(index);
  }
}

/*
 * Stages a tile: items of the first range, and all others of the second. All reads are on their way before the first is used. An
 * item's address is one of two, and the same distance from either: reckoned for each item anew it is a dozen instructions.
 */
template <typename Raw, bool JOINS>
__device__ __forceinline__ void stage_tile(const Raw *first, const Raw *second, uint32_t items, uint32_t first_items,
                                           const StagedKeys<Raw, JOINS> &rules, MergeBlock<Raw> &block) {
  const uintptr_t from_first = reinterpret_cast<uintptr_t>(first) + threadIdx.x * sizeof(Raw);
  const uintptr_t from_second = reinterpret_cast<uintptr_t>(second) + threadIdx.x * sizeof(Raw) - first_items * sizeof(Raw);
  Raw keys[MERGE_ITEMS<Raw>];
#pragma unroll
  for (uint32_t item = 0; item < MERGE_ITEMS<Raw>; item++) {
    const uint32_t index = item * MERGE_THREADS + threadIdx.x;
    const uintptr_t key = (index < first_items ? from_first : from_second) + item * MERGE_THREADS * sizeof(Raw);
    keys[item] = index < items ? *reinterpret_cast<const Raw *>(key) : Raw{0};
  }
#pragma unroll
  for (uint32_t item = 0; item < MERGE_ITEMS<Raw>; item++)
    if (item * MERGE_THREADS + threadIdx.x < items)
      block.stage[item * MERGE_THREADS + threadIdx.x] = rules.stage(keys[item]);
}

/* A block for each tile. */
template <typename Raw, bool JOINS>
__global__ void __launch_bounds__(MERGE_THREADS)
    // cppcheck-suppress passedByValue
    merge_tiles_kernel(const __grid_constant__ Merge<Raw> merge, Raw *target) {
  auto &block = block_shared<MergeBlock<Raw>>();
  const StagedKeys<Raw, JOINS> rules = {merge.entry};
  const uint64_t begin = uint64_t{blockIdx.x} * MERGE_TILE<Raw>;
  const uint32_t items = static_cast<uint32_t>(min(uint64_t{MERGE_TILE<Raw>}, merge.count() - begin));
  Raw *tile = target + begin;
  if (merge.is_contradictory != nullptr && *merge.is_contradictory != 0) {
    for_each_of_tile<Raw>(items, [&](uint32_t index) { tile[index] = merge.concatenated(begin + index); });
    return;
  }
  const uint64_t split = merge.splits != nullptr ? merge.splits[blockIdx.x] : 0;
  const uint64_t next_split = merge.splits != nullptr ? merge.splits[blockIdx.x + 1] : merge.first_count;
  const uint32_t first_items = static_cast<uint32_t>(next_split - split);
  const Raw *first = merge.first + split;
  const Raw *second = merge.second + (begin - split);
  stage_tile(first, second, items, first_items, rules, block);
  __syncthreads();
  merge_staged_tile(rules, block, items, first_items);
  for_each_of_tile<Raw>(items, [&](uint32_t index) { tile[index] = rules.leave(block.stage[index]); });
}

} // namespace cdp::CDP_RUNTIME

#endif
