/* SPDX-License-Identifier: MIT */
/*
 * Counting a mapped array with more buckets than a block has words for: at once, in counters that share a word, or by groups.
 *
 *  1. A block counts no more than its share: of 2^31 keys in 149,797 buckets, a 132nd of 14,336 keys each.
 *  2. A counter that overflows adds one to the next of its word, or to none. So the sum of all counters is what has been counted if
 *     none has overflowed, and less if any has.
 *  3. Keys that are nearly in order have one bucket for thousands that follow one another. Of rows that lie as far apart as there
 *     are blocks, a block counts about as many as any other.
 *  4. An atomic that adds more than 1 waits for each lane that has the same address (docs/notes/on-chip-sorting.md).
 *  Therefore blocks count by rows of what a warp reads at once; where a row begins and ends in one bucket, one lane adds for all
 *  that have it; and a share whose counters do not add up is counted again with more bits, some buckets at a time.
 */
#ifndef CDPSORT_DEVICE_RECURSION_MAPPED_PACKED_CUH
#define CDPSORT_DEVICE_RECURSION_MAPPED_PACKED_CUH

#include "recursion/mapped.cuh"

namespace cdp::CDP_RUNTIME {

/* The group of an entered key. */
template <typename Map>
struct GroupMap {
  static constexpr bool HAS_FREQUENT = false;

  Map map;
  uint32_t shift;

  template <typename Bits>
  __device__ __forceinline__ uint32_t operator()(Bits key) const {
    return map(key) >> shift;
  }
};

/* Counts a share of the keys by groups, by the map in storage. All threads take part; begins with a barrier having made it
   visible. */
template <typename Bits>
__device__ __forceinline__ void count_groups_share(const Sort<Bits> &sort, uint32_t share, uint32_t shares,
                                                   MappedStorage<Bits> &storage) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  uint32_t *counts = storage.divide.counting.counts;
  const uint32_t shift = wanted_coarse_shift(sort, storage.map);
  for (uint32_t group = threadIdx.x; group < MAX_GROUPS; group += THREADS)
    counts[group] = 0;
  __syncthreads();
  with_map(storage.map, storage.divide.line_words, [&](const auto &map) {
    count_tiles(sort, share, shares, GroupMap<std::decay_t<decltype(map)>>{map, shift}, storage);
  });
  __syncthreads();
  for (uint32_t group = threadIdx.x; group < MAX_GROUPS; group += THREADS)
    if (counts[group] != 0)
      atomicAdd(&sort.map_table.group_counts[group], counts[group]);
}

/* A block's rows of all keys: every so-manyth of what a warp reads at once. In a run each block has a tile's worth. */
template <typename Bits>
struct BlockRows {
  using Items = CountedItems<Bits>;

  CountedTiles<Bits> tiles;
  uint32_t first;      /* the position of this thread's first key */
  uint32_t step;       /* from one row to the warp's next one of the run */
  uint32_t run_items;  /* of a run */
  uint32_t runs;       /* in all */
  uint32_t whole_from; /* those of which no key is missing: from here */
  uint32_t whole_end;  /* to before here */

  __device__ __forceinline__ BlockRows(const Sort<Bits> &sort, uint32_t share, uint32_t shares)
      : tiles(sort.rules.side(Side::keys), 0, static_cast<uint32_t>(sort.count)) {
    const uint32_t row = threadIdx.x / WARP_LANES * shares + share;
    first = (row * WARP_LANES + threadIdx.x % WARP_LANES) * Items::VECTOR;
    step = Items::THREADS * Items::VECTOR * shares;
    run_items = CountedTiles<Bits>::TILE_ITEMS * shares;
    runs = tiles.last / run_items + 1;
    whole_from = tiles.ahead != 0 ? 1 : 0;
    whole_end = static_cast<uint32_t>((uint64_t{tiles.last} + 1) / run_items);
  }
};

/* Calls `count` with a block's keys of whole runs, entered: those of one while the next ones come. What is the same for all runs is few
   registers, lest any be spilled: it would be waited for behind the next run's keys. All threads take part. */
template <typename Bits, typename Count>
__device__ __forceinline__ void count_whole_runs(const Sort<Bits> &sort, const BlockRows<Bits> &rows, Count count) {
  if (rows.whole_from >= rows.whole_end)
    return;
  const bool enters = sort.rules.map.changes != 0;
  const Bits *mine = rows.tiles.base + rows.first + uint64_t{rows.whole_from} * rows.run_items;
  const uint32_t step = rows.step;
  const uint32_t run_items = rows.run_items;
  uint32_t left = rows.whole_end - rows.whole_from;
  const auto count_one = [&](CountedItems<Bits> &items, CountedItems<Bits> &next) {
    if (enters)
      sort.rules.map.enter_all(items.keys, true);
    left--;
    mine += run_items;
    if (left != 0)
      next.load_rows(mine, step);
    count(items);
    return left != 0;
  };
  CountedItems<Bits> even;
  CountedItems<Bits> odd;
  even.load_rows(mine, step);
  while (count_one(even, odd) && count_one(odd, even))
    ;
}

/* And with those of the others, at either end of the array. */
template <typename Bits, typename Count>
__device__ __forceinline__ void count_other_runs(const Sort<Bits> &sort, const BlockRows<Bits> &rows, Count count) {
  uint32_t run = rows.whole_from != 0 ? 0 : rows.whole_end;
  while (run < rows.runs) {
    CountedItems<Bits> items;
    items.load_some_rows(rows.tiles, rows.first + uint64_t{run} * rows.run_items, rows.step);
    if (sort.rules.map.changes != 0)
      sort.rules.map.enter_all(items.keys, true);
    count(items);
    run = run == 0 && rows.whole_end > 1 ? rows.whole_end : run + 1;
  }
}

/* ---- Counters -------------------------------------------------------------------------------------------------------------- */

/* Counters of so many bits for buckets [first, first + count); or for all buckets, of which the first is 0. */
template <uint32_t BITS, bool ARE_ALL>
struct PackedCounters {
  static constexpr uint32_t EACH = 32 / BITS; /* in a word */

  uint32_t *words;
  uint32_t first;
  uint32_t count;

  /* Adds to a bucket's counter, if it has one. Returns whether it has. */
  __device__ __forceinline__ bool add(uint32_t bucket, uint32_t items) const {
    const uint32_t place = ARE_ALL ? bucket : bucket - first;
    const bool has_one = ARE_ALL || place < count;
    if (has_one)
      atomicAdd(&words[place / EACH], items << (place % EACH * BITS));
    return has_one;
  }
  __device__ __forceinline__ uint32_t read(uint32_t place) const {
    return words[place / EACH] >> (place % EACH * BITS) & static_cast<uint32_t>((uint64_t{1} << BITS) - 1);
  }
  __device__ __forceinline__ uint32_t word_count() const {
    return (count - 1) / EACH + 1;
  }
};

/* Counts a row of keys most of which have one bucket: one lane adds for all that have it. Returns how many of this thread's, or of its
   warp's for which it adds, have a counter. All lanes of the warp take part. */
template <uint32_t VECTOR, typename Counters>
__device__ __forceinline__ uint32_t count_alike(const uint32_t (&buckets)[VECTOR], const Counters &counters) {
  const uint32_t first = __shfl_sync(ALL_LANES, buckets[0], 0);
  uint32_t same = 0;
  uint32_t counted = 0;
#pragma unroll
  for (uint32_t key = 0; key < VECTOR; key++) {
    same += static_cast<uint32_t>(__popc(__ballot_sync(ALL_LANES, buckets[key] == first ? 1 : 0)));
    if (buckets[key] != first)
      counted += counters.add(buckets[key], 1) ? 1 : 0;
  }
  if (threadIdx.x % WARP_LANES == 0)
    counted += counters.add(first, same) ? same : 0;
  return counted;
}

/* Counts a thread's rows. Returns how many of its keys, or of those that it adds for, have a counter. All lanes of the warp take part. */
template <typename Bits, typename Map, typename Counters>
__device__ __forceinline__ uint32_t count_row_items(const CountedItems<Bits> &items, const Map &map, const Counters &counters) {
  constexpr uint32_t VECTOR = CountedItems<Bits>::VECTOR;
  uint32_t counted = 0;
  const uint32_t begin = __shfl_sync(ALL_LANES, map(items.keys[0]), 0);
  const uint32_t end = __shfl_sync(ALL_LANES, map(items.keys[VECTOR - 1]), WARP_LANES - 1);
  if (begin != end || __all_sync(ALL_LANES, items.is_whole() ? 1 : 0) == 0) {
    items.each([&](Bits key) { counted += counters.add(map(key), 1) ? 1 : 0; });
    return counted;
  }
#pragma unroll
  for (uint32_t vector = 0; vector < CountedItems<Bits>::ITEMS / VECTOR; vector++) {
    uint32_t buckets[VECTOR];
#pragma unroll
    for (uint32_t key = 0; key < VECTOR; key++)
      buckets[key] = map(items.keys[vector * VECTOR + key]);
    counted += count_alike(buckets, counters);
  }
  return counted;
}

/* Adds what has been counted to the counts of all blocks, and to those of groups, in storage.divide.begins. All threads take part;
   begins with a barrier. */
template <typename Bits, typename Counters>
__device__ __forceinline__ void report_buckets(const Sort<Bits> &sort, const Counters &counters, uint32_t shift,
                                               MappedStorage<Bits> &storage) {
  const uint32_t lane = threadIdx.x % WARP_LANES;
  for (uint32_t begin = threadIdx.x - lane; begin < counters.count; begin += MultiwayShape<Bits>::BLOCK_THREADS) {
    const uint32_t last = min(begin + WARP_LANES, counters.count) - 1;
    const uint32_t items = begin + lane <= last ? counters.read(begin + lane) : 0;
    const uint32_t bucket = counters.first + begin;
    if (items != 0)
      atomicAdd(&sort.map_table.counts[bucket + lane], items);
    if (bucket >> shift == (counters.first + last) >> shift) {
      const uint32_t sum = warp_sum(items);
      if (lane == 0)
        atomicAdd(&storage.divide.begins[bucket >> shift], sum);
    } else if (items != 0) {
      atomicAdd(&storage.divide.begins[(bucket + lane) >> shift], items);
    }
  }
}

/* ---- Shares ---------------------------------------------------------------------------------------------------------------- */

/* Counts a share of the keys, those that have counters, and reports. Returns whether no counter has overflowed; otherwise nothing has
   been reported. All threads take part; begins with a barrier having made the map visible. */
template <typename Bits, typename Map, typename Counters>
__device__ __forceinline__ bool count_packed(const Sort<Bits> &sort, uint32_t share, uint32_t shares, uint32_t shift,
                                             const Map &map, const Counters &counters, MappedStorage<Bits> &storage) {
  __syncthreads(); // what was counted before has been reported
  for (uint32_t word = threadIdx.x; word < counters.word_count(); word += MultiwayShape<Bits>::BLOCK_THREADS)
    counters.words[word] = 0;
  __syncthreads();
  const BlockRows<Bits> rows(sort, share, shares);
  uint32_t missing = 0; // what the counters lack: summed over all threads, and it may wrap around before
  uint32_t read = 0;
  const auto count = [&](const CountedItems<Bits> &items) {
    missing += count_row_items(items, map, counters);
    read += static_cast<uint32_t>(__popc(items.present));
  };
  count_whole_runs(sort, rows, count);
  count_other_runs(sort, rows, count);
  count_moved(sort.rules.counters, 0, read);
  __syncthreads();
  for (uint32_t word = threadIdx.x; word < counters.word_count(); word += MultiwayShape<Bits>::BLOCK_THREADS)
#pragma unroll
    for (uint32_t place = 0; place < Counters::EACH; place++)
      missing -= counters.read(word * Counters::EACH + place);
  uint32_t total;
  lower_threads_sum<MultiwayShape<Bits>::BLOCK_WARPS>(missing, storage.divide.warp_totals, total);
  if (total != 0)
    return false;
  report_buckets(sort, counters, shift, storage);
  return true;
}

/* The same for buckets from `first` on, as many as have counters of so many bits. */
template <uint32_t BITS, typename Bits>
__device__ __noinline__ bool count_some_buckets(const Sort<Bits> &sort, uint32_t share, uint32_t shares, uint32_t shift,
                                                uint32_t first, uint32_t count) {
  auto &storage = block_shared<MappedStorage<Bits>>();
  const PackedCounters<BITS, false> counters = {storage.divide.counting.counts, first, count};
  bool is_done = false;
  with_map(storage.map, storage.divide.line_words,
           [&](const auto &map) { is_done = count_packed(sort, share, shares, shift, map, counters, storage); });
  return is_done;
}

/* Counts a share of which a counter has overflowed: with more bits, some buckets at a time, and in words, if it comes to that. All
   threads take part. */
template <typename Bits>
__device__ __noinline__ void count_in_turns(const Sort<Bits> &sort, uint32_t share, uint32_t shares, uint32_t shift) {
  constexpr uint32_t WORDS = MapCounting<Bits, DEVICE_KIND>::COUNTERS;
  const KeyLines<Bits> &map = block_shared<MappedStorage<Bits>>().map;
  const uint32_t buckets = map.buckets;
  bool overflows = map.counter_bits == 16;
  for (uint32_t first = 0; first < buckets;) {
    uint32_t count = min(buckets - first, 2 * WORDS);
    overflows = overflows || !count_some_buckets<16>(sort, share, shares, shift, first, count);
    if (overflows) {
      count = min(buckets - first, WORDS);
      count_some_buckets<32>(sort, share, shares, shift, first, count);
    }
    first += count;
  }
}

/* Counts a share of the keys, by the map in storage: by bucket and by group, or by group alone. All threads take part; begins with a
   barrier having made the map visible. */
template <typename Bits>
__device__ __noinline__ void count_many_buckets(const Sort<Bits> &sort, uint32_t share, uint32_t shares) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  auto &storage = block_shared<MappedStorage<Bits>>();
  if (counts_twice(storage.map)) {
    count_groups_share(sort, share, shares, storage);
    return;
  }
  uint32_t *words = storage.divide.counting.counts;
  const uint32_t buckets = storage.map.buckets;
  const uint32_t shift = wanted_coarse_shift(sort, storage.map);
  const uint32_t groups = ((buckets - 1) >> shift) + 1;
  for (uint32_t group = threadIdx.x; group < groups; group += THREADS)
    storage.divide.begins[group] = 0;
  with_map(storage.map, storage.divide.line_words, [&](const auto &map) {
    const PackedCounters<16, true> halves = {words, 0, buckets};
    const PackedCounters<8, true> quarters = {words, 0, buckets};
    const bool is_done = storage.map.counter_bits == 16 ? count_packed(sort, share, shares, shift, map, halves, storage)
                                                        : count_packed(sort, share, shares, shift, map, quarters, storage);
    if (!is_done)
      count_in_turns(sort, share, shares, shift);
  });
  __syncthreads();
  for (uint32_t group = threadIdx.x; group < groups; group += THREADS)
    if (storage.divide.begins[group] != 0)
      atomicAdd(&sort.map_table.group_counts[group], storage.divide.begins[group]);
}

} // namespace cdp::CDP_RUNTIME

#endif
