/* SPDX-License-Identifier: MIT */
/*
 * Mapped arrays with more buckets than a block has words for. Their buckets are counted in parts of words (mapped_packed.cuh); or,
 * where even those are too few, keys are counted twice: first by groups of buckets, to which they are then scattered, and then, group
 * by group, by bucket, which is one more read of all keys. What comes before and behind is as of shorter arrays.
 *
 * A map with frequent values counts those in shared memory, too, and is not to be had here: their keys are moved as all others
 * are, and a bucket too long for a block becomes a task, whose splitters leave them out.
 */
#ifndef CDPSORT_DEVICE_RECURSION_MAPPED_LONG_CUH
#define CDPSORT_DEVICE_RECURSION_MAPPED_LONG_CUH

#include "recursion/mapped_packed.cuh"
#include "recursion/mapped_places.cuh"
#include "recursion/mapped_scatter.cuh"

namespace cdp::CDP_RUNTIME {

/* Moves a share of the keys to more groups than teams have counters for: the whole block is one team, as if groups were buckets.
   All threads take part; begins with the groups' begins in storage, and a barrier. */
template <typename Bits>
__device__ __noinline__ void scatter_to_many_groups(const Sort<Bits> &sort, uint32_t share, uint32_t shares) {
  static_assert(MAX_GROUPS <= MAX_ONE_SCATTER, "there is a counter for each");
  auto &storage = block_shared<MappedStorage<Bits>>();
  const uint32_t shift = sort.map_table.facts->coarse_shift;
  with_map(storage.map, storage.divide.line_words, [&](const auto &map) {
    scatter_tiles<false>(sort, share, shares, GroupMap<std::decay_t<decltype(map)>>{map, shift}, storage);
  });
}

/*
 * Finds where the groups begin, in storage.divide.begins, and where the last one ends; and how many keys are in groups that have
 * more than buckets for blocks hold. writes: writes down where groups are. All threads of the block take part; ends with a
 * barrier.
 *
 * Counts are 32-bit numbers, in which 2^32 is 0: what one group has if it has all of 2^32 keys, and what long groups have
 * together if all are long. Therefore, where no group has some keys but not too many, the map is given up, whatever their sum.
 */
template <typename Bits>
__device__ __noinline__ void find_group_begins(const Sort<Bits> &sort, bool writes, MappedStorage<Bits> &storage) {
  constexpr uint32_t EACH = MAX_GROUPS / MultiwayShape<Bits>::BLOCK_THREADS + 1; // one entry more than groups
  const MapTable<Bits> &table = sort.map_table;
  const uint32_t groups = group_count(*table.facts);
  const uint64_t most = uint64_t{OnChipShape<Bits, OnChipBy::block>::MAX_ITEMS} << table.facts->coarse_shift;
  const uint32_t first = threadIdx.x * EACH;
  uint32_t items[EACH];
  uint32_t sum = 0;
  bool is_fit = false;
#pragma unroll
  for (uint32_t index = 0; index < EACH; index++) {
    items[index] = first + index < groups ? table.group_counts[first + index] : 0;
    sum += items[index];
    is_fit |= items[index] != 0 && items[index] <= most;
  }
  if (threadIdx.x == 0) {
    storage.long_items = 0;
    storage.task_count = 0;
    storage.unfit_count = 0;
  }
  uint32_t total;
  uint32_t begin = lower_threads_sum<MultiwayShape<Bits>::BLOCK_WARPS>(sum, storage.divide.warp_totals, total);
  expect(total == static_cast<uint32_t>(sort.count));
  const bool is_any_fit = __syncthreads_or(is_fit ? 1 : 0) != 0;
  if (!is_any_fit && threadIdx.x == 0)
    storage.long_items = UINT32_MAX;
#pragma unroll
  for (uint32_t index = 0; index < EACH; index++) {
    const uint32_t group = first + index;
    if (is_any_fit && items[index] > most)
      atomicAdd(&storage.long_items, items[index]);
    if (group <= groups)
      storage.divide.begins[group] = begin;
    if (writes && group < groups) {
      table.coarse_begins[group] = begin;
      table.coarse_ends[group] = begin + items[index];
    }
    begin += items[index];
  }
  __syncthreads();
}

/* Counts tiles `block`, `block` + `blocks`, ... of the groups by bucket. All threads take part; begins with the groups loaded,
   and a barrier.
 *
 * A tile is counted while the next one comes; and while the buckets of one are added up for all, the next is counted by other
 * counters: one barrier for each tile. */
template <typename Bits, typename Map>
__device__ __forceinline__ void count_group_tiles(const Sort<Bits> &sort, uint32_t block, uint32_t blocks, const Map &map,
                                                  MappedStorage<Bits> &storage) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  auto &groups = storage.divide.counting.groups;
  const uint32_t shift = groups.coarse_shift;
  const uint32_t count = groups.first_tiles[groups.count];
  const Bits *scratch = sort.rules.side(Side::scratch);
  unsigned int *totals = sort.map_table.counts;
  uint32_t *even_counts = groups.tiles[0].counts;
  uint32_t *odd_counts = groups.tiles[0].places;
  for (uint32_t bucket = threadIdx.x; bucket < 1u << shift; bucket += THREADS)
    even_counts[bucket] = odd_counts[bucket] = 0;
  __syncthreads();
  uint32_t tile = block;
  uint32_t group = 0;
  const auto load = [&](CountedItems<Bits> &items) {
    if (tile >= count)
      return;
    group = group_of(tile, storage);
    items.load(group_tiles<CountedTiles<Bits>>(scratch, group, storage), tile - groups.first_tiles[group], threadIdx.x);
  };
  const auto count_one = [&](CountedItems<Bits> &items, CountedItems<Bits> &next, uint32_t *counts) {
    const uint32_t first = group << shift;
    tile += blocks;
    load(next);
    items.each([&](Bits key) { atomicAdd(&counts[map(key) - first], 1u); });
    __syncthreads();
    for (uint32_t bucket = threadIdx.x; bucket < 1u << shift; bucket += THREADS) {
      const uint32_t items_of_bucket = counts[bucket];
      counts[bucket] = 0;
      if (items_of_bucket != 0)
        atomicAdd(&totals[first + bucket], items_of_bucket);
    }
    return tile < count;
  };
  if (tile >= count)
    return;
  CountedItems<Bits> even;
  CountedItems<Bits> odd;
  load(even);
  while (count_one(even, odd, even_counts) && count_one(odd, even, odd_counts))
    ;
}

/* A share of that, by the map in storage. All threads take part; begins with a barrier. */
template <typename Bits>
__device__ __noinline__ void count_buckets_of_groups(const Sort<Bits> &sort, uint32_t share, uint32_t shares) {
  auto &storage = block_shared<MappedStorage<Bits>>();
  load_groups<CountedTiles<Bits>>(sort, storage);
  with_map(storage.map, storage.divide.line_words,
           [&](const auto &map) { count_group_tiles(sort, share, shares, map, storage); });
}

/* Writes down where the buckets of groups `share`, `share` + `shares`, ... begin, and lists those that are a block's. All threads
   take part; begins with a barrier. */
template <typename Bits>
__device__ __noinline__ void place_buckets_of_groups(const Sort<Bits> &sort, uint32_t share, uint32_t shares) {
  static_assert(MAX_FINE <= MultiwayShape<Bits>::BLOCK_THREADS, "a thread for each bucket of a group");
  auto &storage = block_shared<MappedStorage<Bits>>();
  const MapTable<Bits> &table = sort.map_table;
  MapFacts<Bits> &facts = *table.facts;
  const uint32_t shift = facts.coarse_shift;
  const uint32_t groups = group_count(facts);
  for (uint32_t group = share; group < groups; group += shares) {
    const uint32_t bucket = (group << shift) + threadIdx.x;
    const bool is_bucket = threadIdx.x < 1u << shift && bucket < facts.lines.buckets;
    const uint32_t items = is_bucket ? table.counts[bucket] : 0;
    uint32_t total;
    const uint32_t begin = table.coarse_begins[group] +
                           lower_threads_sum<MultiwayShape<Bits>::BLOCK_WARPS>(items, storage.divide.warp_totals, total);
    expect(total == table.coarse_ends[group] - table.coarse_begins[group]);
    if (is_bucket) {
      table.begins[bucket] = begin;
      table.items[bucket] = items;
      table.cursors[bucket] = begin;
    }
    if (items > sort.block_items)
      atomicAdd(&facts.task_count, 1u);
    else if (items > OnChipShape<Bits>::MAX_ITEMS) {
      atomicAdd(&sort.control->worklist_count, 1u);
      const uint32_t place = atomicAdd(&facts.long_count, 1u);
      expect(place < sort.worklist_capacity);
      sort.worklist[place] = bucketed_range(sort, begin, uint64_t{begin} + items);
    }
    __syncthreads(); // the warps' totals have been read
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
