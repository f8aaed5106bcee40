/* SPDX-License-Identifier: MIT */
/*
 * The buckets of a mapped array, when they have been counted: where they begin, and who is to sort them.
 *
 *  1. A bucket that fits a team is sorted on chip (sort_buckets.cuh).
 *  2. A longer one that a block can sort is listed, and sorted by a block of the same grid: on chip, if it fits there.
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

/* The keys of bucket `bucket` that have been moved to it: in front of the room for those of frequent values. */
template <typename Bits>
__device__ __forceinline__ Range bucket_range(const Sort<Bits> &sort, uint32_t bucket) {
  const uint32_t begin = sort.map_table.begins[bucket];
  return bucketed_range(sort, begin, uint64_t{begin} + (sort.map_table.items[bucket] & ~FLAGGED));
}

/* Adds to the loaded counts of buckets those of their frequent values. All threads take part; ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ void add_frequent(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
  const FrequentTable<Bits> &table = *sort.map_table.frequent;
  const FrequentMap<Bits> map = frequent_map(storage); // for its lines: the slots are read where they stay as they are
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  constexpr uint32_t EACH = (FrequentShape<Bits>::SLOTS + THREADS - 1) / THREADS;
  uint32_t keys[EACH];
  Bits values[EACH];
#pragma unroll
  for (uint32_t each = 0; each < EACH; each++) {
    const uint32_t slot = each * THREADS + threadIdx.x;
    keys[each] = slot < FrequentShape<Bits>::SLOTS ? table.slot_counts[slot] : 0;
    values[each] = slot < FrequentShape<Bits>::SLOTS ? table.slots[slot] : 0;
  }
#pragma unroll
  for (uint32_t each = 0; each < EACH; each++)
    if (keys[each] != 0)
      atomicAdd(&storage.divide.counting.counts[map(values[each])], keys[each]);
  __syncthreads();
}

/* What a bucket's keys count for, of those that a map may not have too many of: all of them in a long bucket, which is more than one
   block's share of what all blocks have to do; and some in a bucket that is merely too long for a block to sort on chip. */
template <typename Bits>
__device__ __forceinline__ uint32_t long_items_of(const Sort<Bits> &sort, uint32_t items) {
  if (items <= OnChipShape<Bits, OnChipBy::block>::MAX_ITEMS && items <= sort.block_items)
    return 0;
  return items > static_cast<uint32_t>(sort.count / MIN_LONG_BUCKETS) / gridDim.x ? items : items / LONG_BUCKET_WEIGHT;
}

/* Loads the buckets' counts into shared memory, and finds which have more keys to be moved than a team can sort, or a block.
   writes: writes down how many are moved. All threads take part; ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ void load_bucket_counts(const Sort<Bits> &sort, bool writes, MappedStorage<Bits> &storage) {
  const uint32_t buckets = storage.map.buckets;
  uint32_t *counts = storage.divide.counting.counts;
  if (threadIdx.x == 0) {
    storage.long_items = 0;
    storage.long_count = 0;
    storage.task_count = 0;
    storage.unfit_count = 0;
  }
  __syncthreads();
  const auto take = [&](uint32_t bucket, uint32_t items) {
    counts[bucket] = items;
    if (writes)
      sort.map_table.items[bucket] = items;
    if (items <= OnChipShape<Bits>::MAX_ITEMS)
      return;
    const uint32_t long_items = long_items_of(sort, items);
    if (long_items != 0)
      atomicAdd(&storage.long_items, long_items);
    atomicAdd(items <= sort.block_items ? &storage.long_count : &storage.task_count, 1u);
  };
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  constexpr uint32_t EACH = 3; // asked for at once: all buckets of one scatter
  for (uint32_t first = threadIdx.x; first < buckets; first += EACH * THREADS) {
    uint32_t items[EACH];
#pragma unroll
    for (uint32_t each = 0; each < EACH; each++)
      items[each] = first + each * THREADS < buckets ? sort.map_table.counts[first + each * THREADS] : 0;
#pragma unroll
    for (uint32_t each = 0; each < EACH; each++)
      if (first + each * THREADS < buckets)
        take(first + each * THREADS, items[each]);
  }
  __syncthreads();
  if (storage.map.frequent == 0)
    return;
  add_frequent(sort, storage);
  if (storage.task_count != 0)
    for (uint32_t bucket = threadIdx.x; bucket < buckets; bucket += THREADS) {
      const uint32_t items = sort.map_table.counts[bucket];
      if (items > sort.block_items && items != counts[bucket])
        atomicAdd(&storage.unfit_count, 1u);
    }
  __syncthreads();
}

/*
 * Finds where the buckets begin: storage.divide.counting.counts become begins, and storage.divide.begins those of the groups or, where
 * there are none, of the buckets, and where the last one ends. writes: as above. All threads of the block take part; begins
 * with the map visible, ends with a barrier.
 */
template <typename Bits>
__device__ __noinline__ void find_bucket_begins(const Sort<Bits> &sort, bool writes, MappedStorage<Bits> &storage) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  const uint32_t buckets = storage.map.buckets;
  const uint32_t coarse_shift = sort.map_table.facts->coarse_shift;
  uint32_t *counts = storage.divide.counting.counts;
  load_bucket_counts(sort, writes, storage);
  const uint32_t each = (buckets + THREADS - 1) / THREADS;
  const uint32_t first = threadIdx.x * each;
  const uint32_t end = first + each < buckets ? first + each : buckets;
  uint32_t sum = 0;
  for (uint32_t bucket = first; bucket < end; bucket++)
    sum += counts[bucket];
  uint32_t total;
  uint32_t begin = lower_threads_sum<MultiwayShape<Bits>::BLOCK_WARPS>(sum, storage.divide.warp_totals, total);
  expect(total == static_cast<uint32_t>(sort.count));
  for (uint32_t bucket = first; bucket < end; bucket++) {
    const uint32_t items = counts[bucket];
    counts[bucket] = begin;
    begin += items;
  }
  __syncthreads();
  const uint32_t entries = ((buckets - 1) >> coarse_shift) + 1;
  for (uint32_t entry = threadIdx.x; entry <= entries; entry += THREADS)
    storage.divide.begins[entry] = entry < entries ? counts[entry << coarse_shift] : total;
  __syncthreads();
}

/* Whether a map has made sense of the keys, whose buckets have been counted: few of them are in long buckets, and none that becomes a
   task has frequent values, whose place nobody would know. */
template <typename Bits>
__device__ __forceinline__ bool is_map_useful(const Sort<Bits> &sort, const MappedStorage<Bits> &storage) {
  return storage.long_items <= sort.count / MAX_LONG_SHARE && storage.unfit_count == 0;
}

/* Writes down for each frequent value what those before it have together, and behind them what all have. All threads of one
   block take part; begins and ends with a barrier. */
template <typename Bits, typename ItemsOf>
__device__ __forceinline__ void write_sums(uint32_t count, MappedStorage<Bits> &storage, uint32_t *sums, ItemsOf items_of) {
  constexpr uint32_t EACH = FrequentShape<Bits>::EACH;
  const uint32_t first = threadIdx.x * EACH;
  uint32_t sum = 0;
  for (uint32_t index = first; index < first + EACH && index < count; index++)
    sum += items_of(index);
  uint32_t total;
  uint32_t lower = lower_threads_sum<MultiwayShape<Bits>::BLOCK_WARPS>(sum, storage.divide.warp_totals, total);
  for (uint32_t index = first; index < first + EACH && index < count; index++) {
    sums[index] = lower;
    lower += items_of(index);
  }
  if (threadIdx.x == 0)
    sums[count] = total;
  __syncthreads();
}

/* Writes down which frequent values each bucket has, and how many keys those before each value have; and lists the buckets for
   teams, since those that are a block's are listed already. All threads of one block take part; begins with a barrier. */
template <typename Bits>
__device__ __forceinline__ void write_frequent(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  const MapTable<Bits> &table = sort.map_table;
  FrequentTable<Bits> &frequent = *table.frequent;
  const FrequentMap<Bits> map = frequent_map(storage); // for its lines: begins may lie where the table was
  const uint32_t count = storage.map.frequent;
  const uint32_t coarse_shift = table.facts->coarse_shift;
  order_values(sort, count, storage.divide.counting.learn);
  write_sums(count, storage, frequent.sums, [&frequent](uint32_t index) { return frequent.counts[index]; });
  write_sums(count, storage, frequent.pieces, [&frequent](uint32_t index) {
    return (frequent.counts[index] + FREQUENT_PIECE_ITEMS - 1) / FREQUENT_PIECE_ITEMS;
  });
  for (uint32_t index = threadIdx.x; index < count; index += THREADS) {
    const uint32_t bucket = map(frequent.values[index]);
    if (index == 0 || map(frequent.values[index - 1]) != bucket) {
      table.spans[bucket].first = static_cast<uint16_t>(index);
      const uint32_t others = atomicOr(&table.items[bucket], FLAGGED);
      if (others <= OnChipShape<Bits>::MAX_ITEMS)
        frequent.flagged[atomicAdd(&storage.flagged_count, 1u)] = bucket;
      else
        atomicAdd(&table.facts->flagged_long, 1u);
    }
    if (index + 1 == count || map(frequent.values[index + 1]) != bucket)
      table.spans[bucket].end = static_cast<uint16_t>(index + 1);
    if (coarse_shift != 0)
      atomicSub(&table.coarse_ends[bucket >> coarse_shift], frequent.counts[index]);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    table.facts->flagged_count = storage.flagged_count;
}

/* Writes down, for the stages behind this one, where the buckets begin and which are long. All threads of one block take part;
   begins with find_bucket_begins(). */
template <typename Bits>
__device__ __noinline__ void write_places(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  const MapTable<Bits> &table = sort.map_table;
  const uint32_t buckets = storage.map.buckets;
  const uint32_t coarse_shift = table.facts->coarse_shift;
  __syncthreads(); // all have seen how many are long
  if (threadIdx.x == 0) {
    expect(sort.control->worklist_count == 0 && storage.long_count <= sort.worklist_capacity);
    sort.control->worklist_count = storage.long_count;
    table.facts->long_count = storage.long_count;
    storage.long_count = 0; // where the next one is listed
    storage.flagged_count = 0;
    table.begins[buckets] = static_cast<uint32_t>(sort.count);
  }
  __syncthreads();
  for (uint32_t bucket = threadIdx.x; bucket < buckets; bucket += THREADS) {
    const uint32_t begin = storage.divide.counting.counts[bucket];
    const uint32_t items = table.items[bucket]; // as this thread has written it
    table.begins[bucket] = begin;
    if (coarse_shift != 0)
      table.cursors[bucket] = begin;
    if (items > OnChipShape<Bits>::MAX_ITEMS && items <= sort.block_items)
      sort.worklist[atomicAdd(&storage.long_count, 1u)] = bucketed_range(sort, begin, uint64_t{begin} + items);
  }
  if (coarse_shift != 0)
    for (uint32_t group = threadIdx.x; group <= (buckets - 1) >> coarse_shift; group += THREADS) {
      table.coarse_begins[group] = storage.divide.begins[group];
      table.coarse_ends[group] = storage.divide.begins[group + 1];
    }
  __syncthreads();
  if (storage.map.frequent != 0)
    write_frequent(sort, storage);
}

} // namespace cdp::CDP_RUNTIME

#endif
