/* SPDX-License-Identifier: MIT */
/*
 * The last stage of a mapped array: its buckets are sorted. Teams sort first those that have frequent values, and blocks, as many as
 * there are any, those that are too long for a team: on chip, if they fit a block. Then their teams take one bucket after the other,
 * and have the next one's keys on the way while they sort the one at hand.
 */
#ifndef CDPSORT_DEVICE_RECURSION_SORT_BUCKETS_CUH
#define CDPSORT_DEVICE_RECURSION_SORT_BUCKETS_CUH

#include "block/mapped_shape.cuh"
#include "block/multiway_sort.cuh"
#include "recursion/sort_frequent.cuh"
#include "recursion/trace.cuh"

namespace cdp::CDP_RUNTIME {

/* block_multiway_sort(), not inlined: for what is hardly ever there. It has something of its own where a mapped array's block keeps
   what it knows: which share of a stage it did, whether that was the last, and where buckets are. All threads take part; ends with
   a barrier. */
template <typename Bits>
__device__ __noinline__ void divide_long_bucket(const BlockRules<Bits> &rules, Range range) {
  auto &storage = block_shared<MappedStorage<Bits>>();
  const BlockTurn turn = storage.turn;
  const KeyLines<Bits> map = storage.map;
  const uint32_t side = storage.bucket_side;
  __syncthreads();
  block_multiway_sort(rules, range, block_shared<MultiwayStorage<Bits>>());
  __syncthreads();
  if (threadIdx.x == 0) {
    storage.turn = turn;
    storage.map = map;
    storage.bucket_side = side;
  }
  __syncthreads();
}

/* Sorts a bucket of equal keys: what many keys of few values make of a long array, each of them a bucket too long to be sorted on chip.
   Looks no further than it must, and returns whether they are equal. All threads of the block take part; ends with a barrier. */
template <typename Bits>
__device__ __noinline__ bool write_if_equal(const BlockRules<Bits> &rules, const Range &range) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  constexpr uint32_t EACH = LOOK_BYTES / sizeof(Bits);
  const Bits *keys = rules.side(range.side) + range.begin;
  const uint32_t items = static_cast<uint32_t>(range.items());
  const Bits first = keys[0];
  for (uint32_t begin = 0; begin < items; begin += EACH * THREADS) {
    bool differs = false;
#pragma unroll
    for (uint32_t index = 0; index < EACH; index++) {
      const uint32_t item = begin + index * THREADS + threadIdx.x;
      differs |= item < items && keys[item] != first;
    }
    if (__syncthreads_or(differs ? 1 : 0) != 0)
      return false;
  }
  write_equal(first, items, rules.side(Side::keys) + range.begin, rules.map, Team<Bits, 1>());
  if (threadIdx.x == 0)
    count_leaves(rules.counters, range.depth, 1, items);
  return true;
}

/* Asks for the keys of a bucket, of a line to each thread, as far as the L2 cache. */
template <typename Bits>
__device__ __forceinline__ void prefetch_bucket(const BlockRules<Bits> &rules, const Range &range, uint32_t thread) {
  constexpr uint32_t LINE_BYTES = 128;
  const uint64_t item = range.begin + thread * (LINE_BYTES / static_cast<uint32_t>(sizeof(Bits)));
  if (item < range.end)
    prefetch(rules.side(range.side) + item);
}

/* Sorts a bucket that is too long for a team. All threads of the block take part; ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ void sort_long_bucket(const Sort<Bits> &sort, const Range &range, bool has_frequent) {
  auto &room = block_shared<MappedStorage<Bits>>().bucket;
  const uint32_t bucket = has_frequent ? bucket_that_begins(sort, static_cast<uint32_t>(range.begin)) : 0;
  const bool is_flagged = has_frequent && (sort.map_table.items[bucket] & FLAGGED) != 0;
  if (range.items() > OnChipShape<Bits, OnChipBy::block>::MAX_ITEMS) {
    if (!write_if_equal(sort.rules, range))
      divide_long_bucket(sort.rules, range);
    if (is_flagged)
      insert_frequent(sort, range, bucket);
  } else if (is_flagged)
    sort_flagged_bucket<Bits, OnChipBy::block>(sort, bucket, &room);
  else
    block_on_chip_sort(sort.rules, sort.rules.side(range.side) + range.begin, range, room);
}

/* Takes a long bucket, in every thread. All threads of the block take part; begins and ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ uint32_t take_long_bucket(const Sort<Bits> &sort) {
  uint32_t &flag = block_shared<MappedStorage<Bits>>().block.flag;
  __syncthreads();
  if (threadIdx.x == 0)
    flag = atomicAdd(&sort.map_table.facts->long_taken, 1u);
  __syncthreads();
  return flag;
}

/*
 * Sorts buckets that are too long for a team, as long as there are any. All threads of the block take part; ends with a barrier.
 *
 * 1. Who waits for flagged buckets must know that all are taken by blocks that run, or will be (sort_frequent.cuh). Therefore they
 *    are taken by an atomic, as short ones are.
 * 2. A block that knows its next one has that one's keys on the way while it sorts the one at hand. But who takes two where there
 *    are hardly two for each block leaves others without any (H200: 2^24 sparse bits took 869 us in place of 730). Therefore a
 *    block takes one ahead only where there are many.
 */
template <typename Bits>
__device__ __noinline__ void sort_long_buckets(const Sort<Bits> &sort) {
  MapFacts<Bits> &facts = *sort.map_table.facts;
  uint32_t &flag = block_shared<MappedStorage<Bits>>().block.flag;
  const uint32_t count = facts.long_count;
  const bool has_frequent = facts.lines.frequent != 0;
  const bool takes_ahead = count / MANY_LONG_BUCKETS >= gridDim.x;
  uint32_t index = take_long_bucket(sort);
  uint32_t next = takes_ahead && index < count ? take_long_bucket(sort) : count;
  while (index < count) {
    uint32_t behind = next;
    if (threadIdx.x == 0 && next < count)
      behind = atomicAdd(&facts.long_taken, 1u);
    if (next < count)
      prefetch_bucket(sort.rules, sort.worklist[next], threadIdx.x);
    sort_long_bucket(sort, sort.worklist[index], has_frequent);
    __syncthreads();
    if (threadIdx.x == 0)
      flag = takes_ahead ? behind : atomicAdd(&facts.long_taken, 1u);
    __syncthreads();
    index = takes_ahead ? next : flag;
    next = takes_ahead ? flag : count;
  }
}

/*
 * Sorts `count` buckets on chip, but for those that are too long for a team, or flagged.
 *
 * 1. Buckets are taken by an atomic, since a block that had a long one begins late.
 * 2. Its result takes a microsecond to come. Therefore each team asks for a bucket while it sorts the one before.
 * 3. Its keys take as long. Registers for them are not to be had at the same time: they would be spilled, past a cache that
 *    shared memory leaves next to nothing of. Therefore they are brought as far as the L2 cache: a line for each thread.
 */
template <typename Bits>
__device__ __forceinline__ void sort_short_buckets(const Sort<Bits> &sort, uint32_t share) {
  constexpr uint32_t TEAMS = OnChipShape<Bits>::TEAMS;
  constexpr uint32_t LINE_BYTES = 128;
  static_assert(OnChipShape<Bits>::MAX_ITEMS * sizeof(Bits) <= OnChipShape<Bits>::THREADS * LINE_BYTES ||
                    DEVICE_KIND == DeviceKind::simulated,
                "a line for each thread");
  using SortTeam = SortingTeam<Bits>;
  auto &block = block_shared<MappedStorage<Bits>>();
  MapFacts<Bits> &facts = *sort.map_table.facts;
  const auto source = [&] { return sort.rules.side(static_cast<Side>(reread(block.bucket_side))); };
  uint32_t index = share * TEAMS + SortTeam().number;
  uint32_t begin = 0;
  uint32_t items = 0;
  const auto look_up = [&] {
    if (index >= reread(block.map.buckets))
      return;
    begin = sort.map_table.begins[index];
    items = sort.map_table.items[index];
    if (items > OnChipShape<Bits>::MAX_ITEMS)
      items = 0; // somebody else's, or flagged
  };
  look_up();
  while (index < reread(block.map.buckets)) {
    uint32_t next = 0;
    if (SortTeam::anew().thread == 0)
      next = gridDim.x * TEAMS + atomicAdd(&facts.buckets_taken, 1u);
    Bits least = 0;
    const bool are_equal =
        items == 0 || stage_by_cells<Bits, OnChipBy::team>(source() + begin, items, sort.rules.map, false, least, block.teams);
    const auto team = SortTeam::anew();
    auto &storage = room_of<Bits, OnChipBy::team>(block.teams);
    if (team.thread == 0) {
      storage.taken = next;
      if (items != 0)
        count_leaves(sort.rules.counters, 1, 1, items);
    }
    team.sync();
    index = storage.taken;
    Bits *destination = sort.rules.side(Side::keys) + begin;
    const uint32_t staged = items;
    look_up();
    const uint32_t line = team.thread * (LINE_BYTES / static_cast<uint32_t>(sizeof(Bits)));
    if (index < reread(block.map.buckets) && line < items)
      prefetch(source() + begin + line);
    if (are_equal)
      write_equal(least, staged, destination, sort.rules.map, SortTeam::anew());
    else
      sort_and_write<Bits, OnChipBy::team>(staged, destination, sort.rules.map, block.teams);
  }
}

/*
 * A share of all buckets, of as many as the grid has blocks. All threads take part. Those with frequent values come first
 * (sort_frequent.cuh).
 *
 * 1. Before a long bucket a block's teams wait for each other, and one has a flagged bucket to sort while the other has none: 5 us
 *    (H200, 2^24 keys by Zipf's law), where most blocks find that the few long ones are taken.
 * 2. Shares are taken one after the other by blocks that run. Who has the first one sorts long buckets until there are no more.
 * Therefore no more blocks ask for a long one than there are, and none of those waits for another's.
 */
template <typename Bits>
__device__ __forceinline__ void sort_buckets(const Sort<Bits> &sort, uint32_t share) {
  const MapFacts<Bits> &facts = *sort.map_table.facts;
  if (threadIdx.x == 0)
    block_shared<MappedStorage<Bits>>().bucket_side =
        static_cast<uint32_t>(facts.coarse_shift != 0 ? Side::keys : Side::scratch);
  __syncthreads();
  if (facts.flagged_count != 0)
    sort_flagged_buckets(sort);
  if (share < facts.long_count)
    sort_long_buckets(sort);
  sort_short_buckets(sort, share);
  if (facts.flagged_count + facts.flagged_long != 0)
    write_frequent_runs(sort);
}

} // namespace cdp::CDP_RUNTIME

#endif
