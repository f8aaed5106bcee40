/* SPDX-License-Identifier: MIT */
/*
 * Buckets that have frequent values (block/frequent_values.cuh): a team sorts what has been moved to the bucket, finds where
 * the frequent values belong in it, and writes both.
 *
 *  1. The keys of one value may be half of the array, and where they belong is known when their bucket is in order.
 *  2. The values of one bucket may all be frequent, and their keys many: a team that wrote them by itself had still 90 us to
 *     write when all others were done (H200, 2^24 keys of 32 bits, the least ones the most frequent).
 *  3. A team that has found no more flagged bucket to sort knows that all have been taken: by teams that run, and wait for
 *     nobody. Those that are too long for a team are all taken by blocks that run, too (sort_buckets.cuh).
 *  Therefore flagged buckets are sorted first, then all others; and then teams may wait until all flagged ones are in order,
 *  and share out what is to be written of their values, in pieces.
 */
#ifndef CDPSORT_DEVICE_RECURSION_SORT_FREQUENT_CUH
#define CDPSORT_DEVICE_RECURSION_SORT_FREQUENT_CUH

#include "block/on_chip_sort.cuh"
#include "recursion/mapped_places.cuh"

namespace cdp::CDP_RUNTIME {

/* Writes keys [first, first + items) of a frequent value. All threads of the team take part; no barrier. */
template <typename Bits>
__device__ __forceinline__ void write_run(const Sort<Bits> &sort, uint32_t value, uint32_t first, uint32_t items,
                                          const SortingTeam<Bits> &team) {
  const FrequentTable<Bits> &table = *sort.map_table.frequent;
  const Bits raw = sort.rules.map.leave(table.values[value], true);
  Bits *keys = sort.rules.side(Side::keys) + table.begins[value] + first;
  for (uint32_t item = team.thread; item < items; item += SortingTeam<Bits>::THREADS)
    keys[item] = raw;
}

/* Finds where the frequent values of a bucket that begins there belong among its `count` other keys in order, of which key_at
   tells each. All threads of the team take part; ends with a barrier. */
template <typename Bits, typename KeyAt, typename AnyTeam>
__device__ __forceinline__ void find_frequent_places(const Sort<Bits> &sort, const FrequentSpan &span, uint32_t begin,
                                                     uint32_t count, KeyAt key_at, const AnyTeam &team) {
  FrequentTable<Bits> &table = *sort.map_table.frequent;
  for (uint32_t value = span.first + team.thread; value < span.end; value += AnyTeam::THREADS) {
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
      const uint32_t middle = (low + high) / 2;
      if (key_at(middle) < table.values[value])
        low = middle + 1;
      else
        high = middle;
    }
    table.places[value] = low;
    table.begins[value] = begin + low + table.sums[value] - table.sums[span.first];
  }
  team.sync();
}

/* The frequent values of a bucket that belong before its item `item`: from the first one up to the one that is returned. */
template <typename Bits>
__device__ __forceinline__ uint32_t frequent_before(const FrequentTable<Bits> &table, const FrequentSpan &span, uint32_t item) {
  uint32_t low = span.first;
  uint32_t high = span.end;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (table.places[middle] <= item)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Writes a flagged bucket's `count` other keys, in order, of which key_at tells each, and finds where its frequent values belong.
   All threads of the team take part; ends with a barrier. */
template <typename Bits, typename KeyAt, typename AnyTeam>
__device__ __forceinline__ void write_flagged(const Sort<Bits> &sort, uint32_t bucket, uint32_t count, KeyAt key_at,
                                              const AnyTeam &team) {
  const FrequentTable<Bits> &table = *sort.map_table.frequent;
  const FrequentSpan span = sort.map_table.spans[bucket];
  find_frequent_places(sort, span, sort.map_table.begins[bucket], count, key_at, team);
  const uint32_t before = table.sums[span.first];
  if (team.thread == 0) {
    __threadfence();
    atomicAdd(&sort.map_table.facts->flagged_done, 1u);
  }
  Bits *keys = sort.rules.side(Side::keys) + sort.map_table.begins[bucket];
  for (uint32_t item = team.thread; item < count; item += AnyTeam::THREADS)
    keys[item + table.sums[frequent_before(table, span, item)] - before] = sort.rules.map.leave(key_at(item), true);
  if (team.thread == 0)
    count_equal(sort.rules.counters, 0, table.sums[span.end] - before);
  team.sync();
}

/* Sorts a flagged bucket, by a team or by the block. All threads of the team take part; ends with a barrier: its room is free. */
template <typename Bits, OnChipBy BY>
__device__ __noinline__ void sort_flagged_bucket(const Sort<Bits> &sort, uint32_t bucket, OnChipTeam<Bits, BY> *rooms) {
  const SortingTeam<Bits, BY> team;
  auto &storage = room_of(rooms);
  const Range range = bucket_range(sort, bucket);
  const uint32_t count = static_cast<uint32_t>(range.items());
  if (count != 0 && team.thread == 0)
    count_leaves(sort.rules.counters, 1, 1, count);
  const Bits *stage = storage.stage;
  Bits least = 0;
  if (count == 0 ||
      stage_by_cells<Bits, BY>(sort.rules.side(range.side) + range.begin, count, sort.rules.map, false, least, rooms))
    write_flagged(
        sort, bucket, count, [least](uint32_t) { return least; }, team);
  else if (sort_staged<Bits, BY>(count, nullptr, sort.rules.map, rooms))
    write_flagged(
        sort, bucket, count, [stage](uint32_t item) { return stage[on_chip_place<Bits>(item)]; }, team);
  else {
    merge_staged(count, team, storage);
    write_flagged(
        sort, bucket, count, [stage](uint32_t item) { return stage[padded(item)]; }, team);
  }
}

/* Takes the next of what all teams share, in every thread of the team. All its threads take part; begins and ends with a
   barrier. */
template <typename Bits>
__device__ __forceinline__ uint32_t take_next(unsigned int *taken, const SortingTeam<Bits> &team, OnChipTeam<Bits> &storage) {
  if (team.thread == 0)
    storage.taken = atomicAdd(taken, 1u);
  team.sync();
  const uint32_t next = storage.taken;
  team.sync(); // all have read it
  return next;
}

/* Sorts flagged buckets, as long as there are any. All threads of the team take part; ends with a barrier. */
template <typename Bits>
__device__ __noinline__ void sort_flagged_buckets(const Sort<Bits> &sort) {
  const SortingTeam<Bits> team;
  auto &storage = block_shared<MappedStorage<Bits>>().teams[team.number];
  MapFacts<Bits> &facts = *sort.map_table.facts;
  for (;;) {
    const uint32_t index = take_next(&facts.flagged_taken, team, storage);
    if (index >= facts.flagged_count)
      return;
    sort_flagged_bucket<Bits, OnChipBy::team>(sort, sort.map_table.frequent->flagged[index],
                                              block_shared<MappedStorage<Bits>>().teams);
  }
}

/* Waits until all flagged buckets have been put in order. For one thread, whose team has found no more of them to sort, nor its block
   any long one that it would have to take. */
template <typename Bits>
__device__ __forceinline__ void wait_for_flagged(const Sort<Bits> &sort) {
  MapFacts<Bits> &facts = *sort.map_table.facts;
  while (atomicAdd(&facts.flagged_done, 0u) != facts.flagged_count + facts.flagged_long)
    ;
  __threadfence();
}

/* The value whose piece it is: the last one that has so many pieces before it, or fewer. */
__device__ __forceinline__ uint32_t value_of_piece(uint32_t piece, const uint32_t *pieces, uint32_t values) {
  uint32_t low = 0;
  uint32_t high = values;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    if (pieces[middle] <= piece)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Writes pieces of frequent values, as long as there are any: asks for one while it writes the one before. All threads of the
   team take part; ends with a barrier. */
template <typename Bits>
__device__ __noinline__ void write_frequent_runs(const Sort<Bits> &sort) {
  const SortingTeam<Bits> team;
  auto &storage = block_shared<MappedStorage<Bits>>().teams[team.number];
  MapFacts<Bits> &facts = *sort.map_table.facts;
  const FrequentTable<Bits> &table = *sort.map_table.frequent;
  const uint32_t values = facts.lines.frequent;
  static_assert(FrequentShape<Bits>::MAX_VALUES * sizeof(uint32_t) <= sizeof storage.stage, "pieces are looked up on chip");
  uint32_t *pieces = reinterpret_cast<uint32_t *>(storage.stage);
  for (uint32_t value = team.thread; value < values; value += SortingTeam<Bits>::THREADS)
    pieces[value] = table.pieces[value];
  const uint32_t end = table.pieces[values];
  if (team.thread == 0)
    wait_for_flagged(sort);
  uint32_t piece = take_next(&facts.pieces_taken, team, storage);
  while (piece < end) {
    uint32_t next = 0;
    if (team.thread == 0)
      next = atomicAdd(&facts.pieces_taken, 1u);
    const uint32_t value = value_of_piece(piece, pieces, values);
    const uint32_t first = (piece - pieces[value]) * FREQUENT_PIECE_ITEMS;
    write_run(sort, value, first, min(table.counts[value] - first, FREQUENT_PIECE_ITEMS), team);
    if (team.thread == 0)
      storage.taken = next;
    team.sync();
    piece = storage.taken;
    team.sync(); // all have read it
  }
}

/* Moves a bucket's `count` other keys, in order from the bucket's beginning on, to where they belong between its frequent values,
   whose places are known. From the last ones on: none goes below where it is. All threads of the block take part; begins and ends
   with a barrier. */
template <typename Bits>
__device__ __forceinline__ void make_room(const FrequentTable<Bits> &table, const FrequentSpan &span, uint32_t count,
                                          Bits *keys) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  constexpr uint32_t EACH = 8;
  const uint32_t before = table.sums[span.first];
  for (uint32_t end = count; end != 0;) {
    const uint32_t begin = end > EACH * THREADS ? end - EACH * THREADS : 0;
    Bits held[EACH];
#pragma unroll
    for (uint32_t each = 0; each < EACH; each++)
      held[each] = begin + each * THREADS + threadIdx.x < end ? keys[begin + each * THREADS + threadIdx.x] : 0;
    __syncthreads(); // what is written over has been read
#pragma unroll
    for (uint32_t each = 0; each < EACH; each++) {
      const uint32_t item = begin + each * THREADS + threadIdx.x;
      if (item < end)
        keys[item + table.sums[frequent_before(table, span, item)] - before] = held[each];
    }
    __syncthreads();
    end = begin;
  }
}

/* The bucket that has keys at a place of the array, which it begins with. */
template <typename Bits>
__device__ __forceinline__ uint32_t bucket_that_begins(const Sort<Bits> &sort, uint32_t begin) {
  const unsigned int *begins = sort.map_table.begins;
  uint32_t low = 0;
  uint32_t high = sort.map_table.facts->lines.buckets;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    if (begins[middle] <= begin)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Makes room for the frequent values of a bucket that is too long to be sorted on chip, whose other keys this block has divided: in
   their last place but for those. All threads of the block take part; begins and ends with a barrier. */
template <typename Bits>
__device__ __noinline__ void insert_frequent(const Sort<Bits> &sort, const Range &range, uint32_t bucket) {
  const FrequentTable<Bits> &table = *sort.map_table.frequent;
  const FrequentSpan span = sort.map_table.spans[bucket];
  Bits *keys = sort.rules.side(Side::keys) + range.begin;
  const KeyMap<Bits> &map = sort.rules.map;
  const uint32_t count = static_cast<uint32_t>(range.items());
  find_frequent_places(
      sort, span, static_cast<uint32_t>(range.begin), count,
      [keys, &map](uint32_t item) { return map.enter(keys[item], true); }, Team<Bits, 1>());
  make_room(table, span, count, keys);
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&sort.map_table.facts->flagged_done, 1u);
    count_equal(sort.rules.counters, 0, table.sums[span.end] - table.sums[span.first]);
  }
  __syncthreads();
}

} // namespace cdp::CDP_RUNTIME

#endif
