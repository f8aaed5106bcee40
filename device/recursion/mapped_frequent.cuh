/* SPDX-License-Identifier: MIT */
/*
 * Which values of an array are frequent (block/frequent_values.cuh), and how many keys have them.
 *
 *     search_sample()    every block counts the samples that it draws, by their hash, and lists what came often
 *     learn_frequent()   the last block files what was listed, in a table and in order
 *     report_frequent()  every block that counts the keys adds its counts of frequent values
 *
 * A value that is listed by mistake, since another one has the same hash, does no harm: all keys of the values in the table are
 * counted, however many those are. One that is missed makes a bucket too long, and the map is no use then.
 */
#ifndef CDPSORT_DEVICE_RECURSION_MAPPED_FREQUENT_CUH
#define CDPSORT_DEVICE_RECURSION_MAPPED_FREQUENT_CUH

#include "block/block_merge.cuh"
#include "block/mapped_shape.cuh"
#include "block/pivot.cuh"
#include "recursion/task.cuh"

namespace cdp::CDP_RUNTIME {

/* The map that is loaded, which has frequent values. */
template <LineSpread SPREAD = LineSpread::either, typename Bits>
__device__ __forceinline__ FrequentMap<Bits, SPREAD> frequent_map(const MappedStorage<Bits> &storage) {
  return {storage.map, storage.divide.line_begins, storage.divide.values.slots};
}

/* The counter of a sample. */
template <typename Bits>
__device__ __forceinline__ uint32_t searched_counter(const Sort<Bits> &sort, Bits key) {
  return static_cast<uint32_t>(splitmix64(key)) &
         (searched_counters(min(sort.map_buckets, MapValues<Bits, DEVICE_KIND>::MAX_BUCKETS)) - 1);
}

/* Samples of a value that make it frequent, of so many drawn ones, where there are so many buckets. */
__device__ __forceinline__ uint32_t frequent_samples(uint32_t drawn, uint32_t buckets) {
  return drawn / 16 * FREQUENT_SIXTEENTHS / buckets;
}

/* Counts one of so many drawn samples, and lists it when it is seen often enough to be frequent where there are so many
   buckets; and again when twice as often, since the one that came just then need not be the one that came often. */
template <typename Bits>
__device__ __forceinline__ void search_sample(const Sort<Bits> &sort, Bits key, uint32_t drawn, uint32_t buckets) {
  const uint32_t enough = frequent_samples(drawn, buckets);
  const uint32_t seen = atomicAdd(&sort.map_table.searched[searched_counter(sort, key)], 1u) + 1;
  const uint32_t times = seen / enough;
  if (times == 0 || seen != times * enough || (times & (times - 1)) != 0)
    return;
  MapFacts<Bits> &facts = *sort.map_table.facts;
  const uint32_t level = static_cast<uint32_t>(__ffs(static_cast<int>(times))) - 1;
  atomicAdd(&facts.values_at[min(level, FREQUENT_LEVELS - 1)], 1u);
  const uint32_t place = atomicAdd(&facts.values_listed, 1u);
  if (place < FrequentShape<Bits>::MAX_LISTED)
    sort.map_table.frequent->listed[place] = key;
}

/* Fills the table in shared memory with what was listed and seen so often: with `free` at least, which stands in all places
   that are free. All threads of one block take part; ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ void fill_slots(const Sort<Bits> &sort, uint32_t count, uint32_t enough, Bits free, Bits *slots) {
  const Bits *listed = sort.map_table.frequent->listed;
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  for (uint32_t slot = threadIdx.x; slot < FrequentShape<Bits>::SLOTS; slot += THREADS)
    slots[slot] = free;
  __syncthreads();
  for (uint32_t index = threadIdx.x; index < count; index += THREADS)
    if (sort.map_table.searched[searched_counter(sort, listed[index])] >= enough)
      put_in_slot(listed[index], free, slots);
  __syncthreads();
}

/* Takes the values out of the table, each once, those that are too many to be sorted excepted: they are struck out. Returns
   how many there are. All threads of the block take part; begins and ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ uint32_t list_slots(Bits *slots, MapLearn<Bits, DEVICE_KIND> &learn) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  constexpr uint32_t MAX_VALUES = FrequentShape<Bits>::MAX_VALUES;
  constexpr uint32_t EACH = (FrequentShape<Bits>::SLOTS + THREADS - 1) / THREADS;
  if (threadIdx.x == 0)
    learn.value_count = 0;
  __syncthreads();
  uint32_t struck = 0;
  for (uint32_t index = 0; index < EACH; index++) {
    const uint32_t slot = index * THREADS + threadIdx.x;
    if (slot >= FrequentShape<Bits>::SLOTS || find_slot(slots[slot], slots) != slot)
      continue;
    const uint32_t place = atomicAdd(&learn.value_count, 1u);
    if (place < MAX_VALUES)
      learn.values[place] = slots[slot];
    else
      struck |= 1u << index;
  }
  __syncthreads();
  for (uint32_t index = 0; index < EACH; index++) {
    const uint32_t slot = index * THREADS + threadIdx.x;
    if ((struck >> index & 1) == 0)
      continue;
    const Bits value = slots[slot];
    const SlotPair pair = slots_of(value);
    const uint32_t other = pair.first == slot ? pair.second : pair.first;
    if (slots[other] == value)
      slots[other] = learn.values[0];
    slots[slot] = learn.values[0];
  }
  __syncthreads();
  return min(learn.value_count, MAX_VALUES);
}

/* Sorts the values and writes them down. All threads of the block take part; ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ void write_values(uint32_t count, Bits *values, MapLearn<Bits, DEVICE_KIND> &learn) {
  constexpr uint32_t EACH = FrequentShape<Bits>::EACH;
  const uint32_t threads = (count + EACH * WARP_LANES - 1) / (EACH * WARP_LANES) * WARP_LANES;
  const uint32_t first = threadIdx.x * EACH;
  Bits items[EACH];
#pragma unroll
  for (uint32_t item = 0; item < EACH; item++)
    items[item] = first + item < count ? learn.values[first + item] : GREATEST<Bits>;
  block_merge_sort(items, threads, learn.stage);
#pragma unroll
  for (uint32_t item = 0; item < EACH; item++)
    if (first + item < count)
      values[first + item] = items[item];
  __syncthreads();
}

/* Learns which values are frequent, of so many drawn samples, and takes theirs out of the lines'. Returns how many there are.
   All threads of one block take part; begins with the lines' samples in learn.drawn, and ends with a barrier. */
template <typename Bits>
__device__ __noinline__ uint32_t learn_frequent(const Sort<Bits> &sort, const KeyLines<Bits> &lines, uint32_t samples,
                                                MappedStorage<Bits> &storage) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  FrequentTable<Bits> &table = *sort.map_table.frequent;
  auto &learn = storage.divide.values.learn;
  Bits *slots = storage.divide.values.slots;
  const uint32_t listed = min(sort.map_table.facts->values_listed, FrequentShape<Bits>::MAX_LISTED);
  if (listed == 0 && lines.by_octave == 0)
    return 0;
  uint32_t level = 0;
  while (level + 1 < FREQUENT_LEVELS && sort.map_table.facts->values_at[level] > FrequentShape<Bits>::MAX_FILED)
    level++;
  fill_slots(sort, listed, frequent_samples(samples, lines.buckets) << level,
             listed != 0 ? table.listed[listed - 1] : lines.least, slots);
  const uint32_t count = list_slots(slots, learn);
  for (uint32_t index = threadIdx.x; index < count; index += THREADS) {
    const Bits value = learn.values[index];
    const uint32_t seen = sort.map_table.searched[searched_counter(sort, value)];
    uint32_t &drawn = learn.drawn[spread_offset(lines, value) >> (32 - KEY_LINE_BITS)];
    // Several may be of the same line, and others may have been seen with one.
    const uint32_t before = atomicSub(&drawn, seen);
    if (before < seen || before > UINT32_MAX / 2)
      atomicExch(&drawn, 0u);
  }
  write_values(count, table.values, learn);
  for (uint32_t slot = threadIdx.x; slot < FrequentShape<Bits>::SLOTS; slot += THREADS)
    table.slots[slot] = slots[slot];
  __syncthreads();
  return count;
}

/* Adds this block's counts of frequent values. All threads take part. */
template <typename Bits>
__device__ __forceinline__ void report_frequent(const Sort<Bits> &sort, const MappedStorage<Bits> &storage) {
  FrequentTable<Bits> &table = *sort.map_table.frequent;
  for (uint32_t index = threadIdx.x; index < storage.map.frequent; index += MultiwayShape<Bits>::BLOCK_THREADS) {
    const uint32_t keys = storage.divide.values.frequent_counts()[find_slot(table.values[index], storage.divide.values.slots)];
    if (keys != 0)
      atomicAdd(&table.counts[index], keys);
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
