/* SPDX-License-Identifier: MIT */
/*
 * Which values of an array are frequent (block/frequent_values.cuh), and how many keys have them.
 *
 *     search_samples()   every block counts the samples that it draws, by their hash, and lists what came often
 *     learn_frequent()   one block files what was listed, in a table
 *     report_frequent()  every block that counts the keys adds its counts of what is in each slot
 *     order_values()     one block brings the values in order, while others move keys
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
template <LineForm FORM = LineForm::either, LineSpread SPREAD = LineSpread::either, typename Bits>
__device__ __forceinline__ FrequentMap<Bits, FORM, SPREAD> frequent_map(const MappedStorage<Bits> &storage) {
  return {storage.map, storage.divide.line_words, storage.divide.counting.slots};
}

/* The counter of a sample. */
template <typename Bits>
__device__ __forceinline__ uint32_t searched_counter(const Sort<Bits> &sort, Bits key) {
  return static_cast<uint32_t>(splitmix64(key)) &
         (searched_counters(min(sort.map_buckets, MapCounting<Bits, DEVICE_KIND>::MAX_BUCKETS)) - 1);
}

/* Samples of a value that make it frequent, of so many drawn ones, where there are so many buckets. */
__device__ __forceinline__ uint32_t frequent_samples(uint32_t drawn, uint32_t buckets) {
  return drawn / 16 * FREQUENT_SIXTEENTHS / buckets;
}

/* How often a counter has been enough, as levels: 0, or one more than the logarithm. */
__device__ __forceinline__ uint32_t frequent_level(uint32_t seen, uint32_t enough) {
  return 32 - static_cast<uint32_t>(__clz(static_cast<int>(seen / enough)));
}

/*
 * Counts a warp's samples, one of so many drawn ones to each lane, and lists those that are seen often enough to be frequent where
 * there are so many buckets; and again when twice as often, since the one that came just then need not be the one that came often.
 *
 * Atomics on one address come one after another, and one sample in ten may have the same value. Therefore one lane counts for all
 * whose samples have the same counter (H200, 2^17 samples of 2^24 keys, 9 % of which are one word: 10 us and not 13).
 */
template <typename Bits>
__device__ __forceinline__ void search_samples(const Sort<Bits> &sort, Bits key, uint32_t drawn, uint32_t buckets) {
  const uint32_t enough = frequent_samples(drawn, buckets);
  const uint32_t counter = searched_counter(sort, key);
  const uint32_t same = __match_any_sync(ALL_LANES, counter);
  if (threadIdx.x % WARP_LANES != static_cast<uint32_t>(__ffs(static_cast<int>(same))) - 1)
    return;
  const uint32_t lanes = static_cast<uint32_t>(__popc(same));
  const uint32_t before = atomicAdd(&sort.map_table.searched[counter], lanes);
  const uint32_t level = frequent_level(before, enough);
  const uint32_t new_level = frequent_level(before + lanes, enough);
  if (new_level == level)
    return;
  MapFacts<Bits> &facts = *sort.map_table.facts;
  for (uint32_t reached = level; reached < new_level; reached++)
    atomicAdd(&facts.values_at[min(reached, FREQUENT_LEVELS - 1)], 1u);
  const uint32_t place = atomicAdd(&facts.values_listed, 1u);
  if (place < FrequentShape<Bits>::MAX_LISTED)
    sort.map_table.frequent->listed[place] = key;
}

/* Loads COUNT items into shared memory, all of which are asked for before the first has come. So many threads, a block's, take
   part; no barrier. */
template <uint32_t COUNT, uint32_t THREADS, typename Item>
__device__ __forceinline__ void load_all(const Item *source, Item *destination) {
  constexpr uint32_t EACH = (COUNT + THREADS - 1) / THREADS;
  Item items[EACH];
#pragma unroll
  for (uint32_t each = 0; each < EACH; each++)
    items[each] = source[min(each * THREADS + threadIdx.x, COUNT - 1)];
#pragma unroll
  for (uint32_t each = 0; each < EACH; each++)
    if (each * THREADS + threadIdx.x < COUNT)
      destination[each * THREADS + threadIdx.x] = items[each];
}

/* Fills the table in shared memory with what was listed and seen so often: with `free` at least, which stands in all places
   that are free. All threads of one block take part; ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ void fill_slots(const Sort<Bits> &sort, uint32_t count, uint32_t enough, Bits free, Bits *slots) {
  const Bits *listed = sort.map_table.frequent->listed;
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  constexpr uint32_t EACH = 2; // most lists are no longer than what all threads ask for at once
  for (uint32_t first = 0; first == 0 || first < count; first += EACH * THREADS) {
    Bits values[EACH];
    uint32_t seen[EACH];
#pragma unroll
    for (uint32_t each = 0; each < EACH; each++) {
      const uint32_t index = first + each * THREADS + threadIdx.x;
      values[each] = index < count ? listed[index] : free;
    }
#pragma unroll
    for (uint32_t each = 0; each < EACH; each++)
      seen[each] = sort.map_table.searched[searched_counter(sort, values[each])];
    if (first == 0) {
      for (uint32_t slot = threadIdx.x; slot < FrequentShape<Bits>::SLOTS; slot += THREADS)
        slots[slot] = free;
      __syncthreads();
    }
    for (uint32_t each = 0; each < EACH; each++)
      if (seen[each] >= enough)
        put_in_slot(values[each], free, slots);
  }
  __syncthreads();
}

/* A place for each lane that wants one, by a counter that warps share. All lanes of the warp take part. */
__device__ __forceinline__ uint32_t place_of_lane(bool wants_one, uint32_t &counter) {
  const uint32_t lane = threadIdx.x % WARP_LANES;
  const uint32_t wanting = __ballot_sync(ALL_LANES, wants_one ? 1 : 0);
  uint32_t first = 0;
  if (lane == 0 && wanting != 0)
    first = atomicAdd(&counter, static_cast<uint32_t>(__popc(wanting)));
  return __shfl_sync(ALL_LANES, first, 0) + static_cast<uint32_t>(__popc(wanting & ((1u << lane) - 1)));
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
    const bool has_one = slot < FrequentShape<Bits>::SLOTS && find_slot(slots[slot], slots) == slot;
    const uint32_t place = place_of_lane(has_one, learn.value_count);
    if (has_one && place < MAX_VALUES)
      learn.values[place] = slots[slot];
    else if (has_one)
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

/* Takes what has been seen of the values, in learn.values, out of what lines have. All threads of the block take part; ends with
   a barrier. */
template <typename Bits>
__device__ __forceinline__ void take_out_values(const Sort<Bits> &sort, const KeyLines<Bits> &lines, uint32_t count,
                                                MapLearn<Bits, DEVICE_KIND> &learn) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  constexpr uint32_t EACH = FrequentShape<Bits>::EACH;
  uint32_t seen[EACH];
#pragma unroll
  for (uint32_t each = 0; each < EACH; each++) {
    const uint32_t index = each * THREADS + threadIdx.x;
    seen[each] = index < count ? sort.map_table.searched[searched_counter(sort, learn.values[index])] : 0;
  }
#pragma unroll
  for (uint32_t each = 0; each < EACH; each++) {
    const uint32_t index = each * THREADS + threadIdx.x;
    if (index >= count)
      continue;
    const Bits value = learn.values[index];
    sort.map_table.frequent->values[index] = value;
    uint32_t &drawn = learn.drawn[spread_offset(lines, value) >> (32 - KEY_LINE_BITS)];
    // Several may be of the same line, and others may have been seen with one.
    const uint32_t before = atomicSub(&drawn, seen[each]);
    if (before < seen[each] || before > UINT32_MAX / 2)
      atomicExch(&drawn, 0u);
  }
  __syncthreads();
}

/* The first level that has been reached by no more values than can be filed. */
template <typename Bits>
__device__ __forceinline__ uint32_t filed_level(const MapFacts<Bits> &facts) {
  uint32_t values[FREQUENT_LEVELS - 1];
#pragma unroll
  for (uint32_t level = 0; level < FREQUENT_LEVELS - 1; level++)
    values[level] = facts.values_at[level];
  uint32_t filed = FREQUENT_LEVELS - 1;
#pragma unroll
  for (uint32_t level = FREQUENT_LEVELS - 1; level-- != 0;)
    filed = values[level] <= FrequentShape<Bits>::MAX_FILED ? level : filed;
  return filed;
}

/* Learns which values are frequent, of so many listed ones and drawn samples, and takes theirs out of the lines'. level: values are
   filed that have reached it. Returns how many there are. All threads of one block take part; begins with the lines' samples in
   learn.drawn. */
template <typename Bits>
__device__ __forceinline__ uint32_t learn_frequent(const Sort<Bits> &sort, const KeyLines<Bits> &lines, uint32_t listed,
                                                   uint32_t level, uint32_t samples, MappedStorage<Bits> &storage) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  FrequentTable<Bits> &table = *sort.map_table.frequent;
  auto &learn = storage.divide.counting.learn;
  Bits *slots = storage.divide.counting.slots;
  if (listed == 0 && lines.by_octave == 0) {
    __syncthreads();
    return 0;
  }
  fill_slots(sort, listed, frequent_samples(samples, lines.buckets) << level,
             listed != 0 ? table.listed[listed - 1] : lines.least, slots);
  const uint32_t count = list_slots(slots, learn);
  take_out_values(sort, lines, count, learn);
  for (uint32_t slot = threadIdx.x; slot < FrequentShape<Bits>::SLOTS; slot += THREADS)
    table.slots[slot] = slots[slot];
  return count;
}

/* Adds this block's counts of what is in each slot. All threads take part. */
template <typename Bits>
__device__ __forceinline__ void report_frequent(const Sort<Bits> &sort, const MappedStorage<Bits> &storage) {
  for (uint32_t slot = threadIdx.x; slot < FrequentShape<Bits>::SLOTS; slot += MultiwayShape<Bits>::BLOCK_THREADS) {
    const uint32_t keys = storage.divide.counting.frequent_counts()[slot];
    if (keys != 0)
      atomicAdd(&sort.map_table.frequent->slot_counts[slot], keys);
  }
}

/* Brings the values in order, and each one's count with it. All threads of one block take part, which needs nothing more that lies
   where it learnt; begins and ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ void order_values(const Sort<Bits> &sort, uint32_t count, MapLearn<Bits, DEVICE_KIND> &learn) {
  constexpr uint32_t EACH = FrequentShape<Bits>::EACH;
  FrequentTable<Bits> &table = *sort.map_table.frequent;
  const uint32_t threads = (count + EACH * WARP_LANES - 1) / (EACH * WARP_LANES) * WARP_LANES;
  const uint32_t first = threadIdx.x * EACH;
  Bits items[EACH];
#pragma unroll
  for (uint32_t item = 0; item < EACH; item++)
    items[item] = first + item < count ? table.values[first + item] : GREATEST<Bits>;
  __syncthreads();
  block_merge_sort(items, threads, learn.stage);
#pragma unroll
  for (uint32_t item = 0; item < EACH; item++)
    if (first + item < count) {
      table.values[first + item] = items[item];
      table.counts[first + item] = table.slot_counts[find_slot(items[item], table.slots)];
    }
  __syncthreads();
}

} // namespace cdp::CDP_RUNTIME

#endif
