/* SPDX-License-Identifier: MIT */
/*
 * The buckets of a mapped array, when they have been counted: where they begin, and who is to sort them.
 *
 *  1. A bucket that fits a team is sorted on chip (sort_buckets.cuh).
 *  2. A longer one that fits a block is listed, and sorted by a block of the same grid.
 *  3. A longer one still becomes a task, when the keys are in their buckets.
 *
 * Every block that scatters works out where the buckets begin by itself: the same counts, read from the L2 cache and summed,
 * take less time than one block would take to write down for all others what it has worked out. What is wanted later is
 * written down by the block that has no share of the scattering.
 */
#ifndef CDPSORT_DEVICE_RECURSION_MAPPED_PLACES_CUH
#define CDPSORT_DEVICE_RECURSION_MAPPED_PLACES_CUH

#include "recursion/mapped.cuh"

namespace cdp::CDP_RUNTIME {

/* Where a mapped array's keys are when they are in their buckets: keys [begin, end). */
template <typename Bits>
__device__ __forceinline__ Range bucketed_range(const Sort<Bits> &sort, uint64_t begin, uint64_t end) {
  return {begin, end, sort.map_table.facts->coarse_shift != 0 ? Side::keys : Side::scratch, 1};
}

/* Bucket `bucket`, when it has been placed. */
template <typename Bits>
__device__ __forceinline__ Range bucket_range(const Sort<Bits> &sort, uint32_t bucket) {
  const unsigned int *begins = sort.map_table.begins;
  return bucketed_range(sort, begins[bucket], begins[bucket + 1]);
}

/* Loads the buckets' counts into shared memory, and finds how many are too long for a team or for a block. All threads take
   part; ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ void load_bucket_counts(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
  const uint32_t buckets = storage.map.buckets;
  if (threadIdx.x == 0) {
    storage.long_items = 0;
    storage.long_count = 0;
    storage.task_count = 0;
  }
  __syncthreads();
  for (uint32_t bucket = threadIdx.x; bucket < buckets; bucket += MultiwayShape<Bits>::BLOCK_THREADS) {
    const uint32_t items = sort.map_table.counts[bucket];
    storage.divide.counts[bucket] = items;
    if (items <= OnChipShape<Bits>::MAX_ITEMS)
      continue;
    atomicAdd(&storage.long_items, items);
    atomicAdd(items <= sort.block_items ? &storage.long_count : &storage.task_count, 1u);
  }
  __syncthreads();
}

/*
 * Finds where the buckets begin: storage.divide.counts become begins, and storage.divide.begins those of the groups or, where
 * there are none, of the buckets, and where the last one ends. All threads of the block take part; begins with the map visible,
 * ends with a barrier.
 */
template <typename Bits>
__device__ __noinline__ void find_bucket_begins(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  const uint32_t buckets = storage.map.buckets;
  const uint32_t coarse_shift = sort.map_table.facts->coarse_shift;
  load_bucket_counts(sort, storage);
  const uint32_t each = (buckets + THREADS - 1) / THREADS;
  const uint32_t first = threadIdx.x * each;
  const uint32_t end = first + each < buckets ? first + each : buckets;
  uint32_t sum = 0;
  for (uint32_t bucket = first; bucket < end; bucket++)
    sum += storage.divide.counts[bucket];
  uint32_t total;
  uint32_t begin = lower_threads_sum<MultiwayShape<Bits>::BLOCK_WARPS>(sum, storage.warp_totals, total);
  expect(total == sort.count);
  for (uint32_t bucket = first; bucket < end; bucket++) {
    const uint32_t items = storage.divide.counts[bucket];
    storage.divide.counts[bucket] = begin;
    begin += items;
  }
  __syncthreads();
  const uint32_t entries = ((buckets - 1) >> coarse_shift) + 1;
  for (uint32_t entry = threadIdx.x; entry <= entries; entry += THREADS)
    storage.divide.begins[entry] = entry < entries ? storage.divide.counts[entry << coarse_shift] : total;
  __syncthreads();
}

/* Whether a map has made sense of the keys, whose buckets have been counted: few of them are in long buckets. */
template <typename Bits>
__device__ __forceinline__ bool is_map_useful(const Sort<Bits> &sort, const MappedStorage<Bits> &storage) {
  return storage.long_items <= sort.count / MAX_LONG_SHARE;
}

/* Writes down, for the grids behind this one, where the buckets begin and which are long. All threads of one block take part;
   begins with find_bucket_begins(). */
template <typename Bits>
__device__ __noinline__ void write_places(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  const MapTable<Bits> &table = sort.map_table;
  const uint32_t buckets = storage.map.buckets;
  const uint32_t coarse_shift = table.facts->coarse_shift;
  const uint32_t total = static_cast<uint32_t>(sort.count);
  __syncthreads(); // all have seen how many are long
  if (threadIdx.x == 0) {
    expect(sort.control->worklist_count == 0 && storage.long_count <= sort.worklist_capacity);
    sort.control->worklist_count = storage.long_count;
    table.facts->long_count = storage.long_count;
    storage.long_count = 0; // where the next one is listed
    table.begins[buckets] = total;
  }
  __syncthreads();
  for (uint32_t bucket = threadIdx.x; bucket < buckets; bucket += THREADS) {
    const uint32_t begin = storage.divide.counts[bucket];
    const uint32_t end = bucket + 1 < buckets ? storage.divide.counts[bucket + 1] : total;
    table.begins[bucket] = begin;
    if (coarse_shift != 0)
      table.cursors[bucket] = begin;
    if (end - begin > OnChipShape<Bits>::MAX_ITEMS && end - begin <= sort.block_items)
      sort.worklist[atomicAdd(&storage.long_count, 1u)] = bucketed_range(sort, begin, end);
  }
  if (coarse_shift != 0)
    for (uint32_t group = threadIdx.x; group <= (buckets - 1) >> coarse_shift; group += THREADS)
      table.coarse_begins[group] = storage.divide.begins[group];
  if (coarse_shift != 0 && threadIdx.x == 0)
    table.coarse_begins[((buckets - 1) >> coarse_shift) + 1] = total;
}

} // namespace cdp::CDP_RUNTIME

#endif
