/* SPDX-License-Identifier: MIT */
/*
 * The buckets of a mapped array, when they have been counted: where they begin, and who is to sort them.
 *
 *  1. A bucket that fits a team is a range on the worklist, in the order of the buckets.
 *  2. A longer one that fits a block is a range behind all of those. One grid sorts both (sort_buckets.cuh).
 *  3. A longer one still becomes a task, when the keys are in their buckets.
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

/* Loads the buckets' counts into shared memory, and finds how many are too long for a team or for a block. All threads take
   part; ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ void load_bucket_counts(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
  const uint32_t buckets = sort.map_table.facts->lines.buckets;
  __syncthreads();
  if (threadIdx.x == 0) {
    storage.long_items = 0;
    storage.long_count = 0;
    storage.task_count = 0;
  }
  __syncthreads();
  for (uint32_t bucket = threadIdx.x; bucket < buckets; bucket += MultiwayShape<Bits>::BLOCK_THREADS) {
    const uint32_t items = sort.map_table.cursors[bucket];
    storage.divide.counts[bucket] = items;
    if (items <= OnChipShape<Bits>::MAX_ITEMS)
      continue;
    atomicAdd(&storage.long_items, items);
    atomicAdd(items <= sort.block_items ? &storage.long_count : &storage.task_count, 1u);
  }
  __syncthreads();
}

/* Places the buckets from the counts in shared memory: cursors, groups, and the worklist. All threads of the block take part;
   ends with a barrier, and with all of it visible to grids launched after it. */
template <typename Bits>
__device__ inline void place_map_buckets(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  const MapTable<Bits> &table = sort.map_table;
  const uint32_t buckets = table.facts->lines.buckets;
  const uint32_t coarse_shift = table.facts->coarse_shift;
  if (threadIdx.x == 0) {
    const uint32_t listed = buckets + storage.long_count;
    expect(sort.control->worklist_count == 0 && listed <= sort.worklist_capacity);
    sort.control->worklist_count = listed;
    table.facts->listed = listed;
    table.facts->long_count = storage.long_count;
    table.facts->task_count = storage.task_count;
    storage.long_count = buckets; // where the next one is listed
  }
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
  for (uint32_t bucket = threadIdx.x; bucket < buckets; bucket += THREADS) {
    const uint32_t bucket_begin = storage.divide.counts[bucket];
    const uint32_t bucket_end = bucket + 1 < buckets ? storage.divide.counts[bucket + 1] : total;
    table.cursors[bucket] = bucket_begin;
    Range child = bucketed_range(sort, bucket_begin, bucket_end);
    if (child.items() > OnChipShape<Bits>::MAX_ITEMS) {
      if (child.items() <= sort.block_items)
        sort.worklist[atomicAdd(&storage.long_count, 1u)] = child;
      child.end = child.begin;
    }
    sort.worklist[bucket] = child;
    if (coarse_shift != 0 && bucket % (1u << coarse_shift) == 0) {
      table.coarse_begins[bucket >> coarse_shift] = bucket_begin;
      table.coarse_cursors[bucket >> coarse_shift] = bucket_begin;
    }
  }
  if (coarse_shift != 0 && threadIdx.x == 0)
    table.coarse_begins[((buckets - 1) >> coarse_shift) + 1] = total;
  __threadfence();
  __syncthreads();
}

/* Whether a map has made sense of the keys: few of them are in long buckets. */
template <typename Bits>
__device__ __forceinline__ bool is_map_useful(const Sort<Bits> &sort, const MappedStorage<Bits> &storage) {
  return storage.long_items <= sort.count / MAX_LONG_SHARE;
}

} // namespace cdp::CDP_RUNTIME

#endif
