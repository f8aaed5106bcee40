/* SPDX-License-Identifier: MIT */
/*
 * One block sorts a range of up to MAX_RANGE_ITEMS items by itself, and it moves them twice only.
 *
 *  1. Splitters from a sample (splitters.cuh).
 *  2. Tile by tile, the items are ordered by bucket within their tile, and the tile is written to the scratch array, to where
 *     it came from. Nothing has to be counted beforehand, no room reserved: a bucket is in as many runs as there are tiles,
 *     and a table in shared memory says where. A range of one tile stays in shared memory.
 *  3. The buckets' sizes are known now. Consecutive buckets that fit a leaf together make a group.
 *  4. Each warp takes a group, gathers its runs into registers, sorts them bitonically, and writes them to their final place.
 *  5. A bucket longer than a leaf: if it holds keys equal to a splitter, they are written from it. Otherwise one of up to
 *     long_items is a warp's too: leaf by leaf, and then the rest of the bitonic network. The runs of a longer one are
 *     gathered, and it is sorted the two-way way (sort.cuh). A sample makes all of that rare.
 */
#ifndef CDPSORT_DEVICE_BLOCK_MULTIWAY_SORT_CUH
#define CDPSORT_DEVICE_BLOCK_MULTIWAY_SORT_CUH

#include "block/multiway_tile.cuh"
#include "block/sort.cuh"

namespace cdp::CDP_RUNTIME {

/* Buckets for a range that one block sorts: a group should hold BUCKETS_PER_LEAF of them, so that they fill it well. */
template <typename Bits>
__device__ __forceinline__ uint32_t block_fan_out(uint64_t items, uint32_t group_items) {
  uint32_t fan_out = MIN_FAN_OUT;
  while (fan_out < MultiwayShape<Bits>::MAX_FAN_OUT && uint64_t{fan_out} * group_items < items * BUCKETS_PER_LEAF)
    fan_out *= 2;
  return fan_out;
}

/* The items of a group: a leaf's, or fewer where not all warps would have a group otherwise. */
template <typename Bits>
__device__ __forceinline__ uint32_t group_items(const BlockRules<Bits> &rules, uint64_t items) {
  uint32_t most = rules.leaf_items;
  while (most >= WARP_LANES * Shape<Bits>::LEAF_ITEMS_PER_LANE / 2 &&
         items < uint64_t{most / 2} * MultiwayShape<Bits>::BLOCK_WARPS)
    most /= 2;
  return most;
}

/* Orders each tile by bucket; storage.work.sort.places and the buckets' whole sizes, in storage.counts, are left behind. All
   threads take part; begins and ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ void bucket_tiles(const BlockRules<Bits> &rules, Range range) {
  auto &storage = block_shared<MultiwayStorage<Bits>>();
  const MultiwayTiles<Bits> tiles(rules.side(range.side), range);
  const SplitterSet set = storage.set;
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  Bits *destination = rules.side(Side::scratch);
  TileItems<Bits> items;
  items.load(tiles, 0);
  for (uint32_t tile = 0; tile < tiles.count; tile++) {
    order_tile(items, set, storage.work.sort.places[tile], storage, rules.map, range.is_raw());
    if (tile + 1 < tiles.count)
      items.load(tiles, tile + 1);
    __syncthreads();
    if (tiles.count > 1)
      write_tile(destination + tiles.first_item(tile), set, storage);
  }
  // add up: what each bucket has in all tiles
  for (uint32_t bucket = threadIdx.x; bucket < set.buckets; bucket += THREADS) {
    uint32_t bucket_items = 0;
    for (uint32_t tile = 0; tile < tiles.count; tile++)
      bucket_items +=
          static_cast<uint16_t>(storage.work.sort.places[tile][bucket + 1] - storage.work.sort.places[tile][bucket]);
    storage.counts[bucket] = bucket_items;
  }
  __syncthreads();
}

/* Groups the buckets [first, end): the greedy way, as many to a group as fit it. For one thread. */
template <typename Bits>
__device__ __forceinline__ void group_buckets(const BlockRules<Bits> &rules, uint32_t first, uint32_t end, uint32_t group_items,
                                              MultiwayStorage<Bits> &storage) {
  auto &sort = storage.work.sort;
  const bool equal = storage.set.equal != 0;
  uint32_t group = first;
  uint32_t group_begin = storage.begins[first];
  uint32_t begin = group_begin;
#pragma unroll 8
  for (uint32_t bucket = first; bucket < end; bucket++) {
    const uint32_t next = storage.begins[bucket + 1];
    if (next - group_begin > group_items) {
      if (begin != group_begin)
        sort.groups[atomicAdd(&sort.group_count, 1u)] = {static_cast<uint16_t>(group), static_cast<uint16_t>(bucket)};
      group = bucket;
      group_begin = begin;
      if (next - begin > group_items) {
        if (next - begin <= rules.long_items && !(equal && bucket % 2 != 0))
          sort.groups[atomicAdd(&sort.group_count, 1u)] = {static_cast<uint16_t>(bucket), static_cast<uint16_t>(bucket + 1)};
        else
          sort.large[atomicAdd(&sort.large_count, 1u)] = static_cast<uint16_t>(bucket);
        group = bucket + 1;
        group_begin = next;
      }
    }
    begin = next;
  }
  if (begin != group_begin)
    sort.groups[atomicAdd(&sort.group_count, 1u)] = {static_cast<uint16_t>(group), static_cast<uint16_t>(end)};
}

/* Finds the groups, and the buckets too large for one. All threads take part; ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ void find_groups(const BlockRules<Bits> &rules, const SplitterSet &set, uint32_t group_items,
                                            MultiwayStorage<Bits> &storage) {
  if (threadIdx.x == 0) {
    storage.work.sort.group_count = 0;
    storage.work.sort.groups_taken = 0;
    storage.work.sort.large_count = 0;
  }
  scan_counts(storage, set.buckets);
  for (uint32_t first = threadIdx.x * BUCKETS_PER_SEARCH; first < set.buckets;
       first += MultiwayShape<Bits>::BLOCK_THREADS * BUCKETS_PER_SEARCH) {
    const uint32_t end = first + BUCKETS_PER_SEARCH;
    group_buckets(rules, first, end < set.buckets ? end : set.buckets, group_items, storage);
  }
  __syncthreads();
}

/* Looks up where the runs of buckets [begin, end) lie, counted from the range's first item. All lanes of the warp take part. */
template <typename Bits>
__device__ __forceinline__ void find_runs(const MultiwayTiles<Bits> &tiles, uint32_t begin, uint32_t end, Run *runs,
                                          const MultiwayStorage<Bits> &storage) {
  const uint32_t tile = threadIdx.x % WARP_LANES;
  uint32_t run_begin = 0;
  uint32_t items = 0;
  if (tile < tiles.count) {
    const uint16_t *places = storage.work.sort.places[tile];
    run_begin = static_cast<uint32_t>(tiles.first_item(tile) - tiles.range.begin) + places[begin];
    items = static_cast<uint16_t>(places[end] - places[begin]);
  }
  const uint32_t run_end = warp_inclusive_sum(items);
  runs[tile] = {run_end, run_begin - (run_end - items)};
  __syncwarp();
}

/* Gathers items [first, first + count) of a group's runs, sorts them, and writes them. All lanes of the warp take part. */
template <typename Bits, uint32_t ITEMS>
__device__ __forceinline__ void sort_runs(const Bits *source, const Run *runs, uint32_t first, uint32_t count,
                                          Bits *destination, const KeyMap<Bits> &map, bool is_last_place) {
  Bits items[ITEMS];
  uint32_t run = 0;
  Run at = runs[0];
  const uint32_t first_of_lane = fresh(first + threadIdx.x % WARP_LANES); // not worked out anew for each row
#pragma unroll
  for (uint32_t row = 0; row < ITEMS; row++) {
    const uint32_t index = first_of_lane + row * WARP_LANES;
    items[row] = GREATEST<Bits>;
    if (index < first + count) {
      while (index >= at.end)
        at = runs[++run];
      items[row] = source[at.begin + index];
    }
  }
  warp_bitonic_sort(items);
  turn_arrangement(items);
  store_striped(items, destination, count, map, is_last_place);
}

/*
 * Sorts a bucket that is longer than a leaf: leaf by leaf, in its place, and then by the rest of the bitonic network. It takes
 * no memory but the bucket's own, so that other warps may still be reading their runs. All lanes of the warp take part.
 */
template <typename Bits>
__device__ __noinline__ void sort_long_runs(const Bits *source, const Run *runs, const BlockRules<Bits> &rules, Range range) {
  constexpr uint32_t LEAF = Shape<Bits>::LEAF_ITEMS;
  Bits *keys = rules.side(Side::keys) + range.begin;
  const uint32_t items = static_cast<uint32_t>(range.items());
  for (uint32_t first = 0; first < items; first += LEAF) {
    const uint32_t count = items - first < LEAF ? items - first : LEAF;
    sort_runs<Bits, Shape<Bits>::LEAF_ITEMS_PER_LANE>(source, runs, first, count, keys + first, rules.map, false);
  }
  __syncwarp();
  for (NetworkStep step = next_network_step<Bits>(first_network_step<Bits>(), items); step.size != 0;
       step = next_network_step<Bits>(step, items)) {
    network_pieces_fallback(rules, range, step, 0, 1);
    __syncwarp();
    if (threadIdx.x % WARP_LANES == 0)
      count_moved(rules.counters, range.depth, 2 * uint64_t{items});
  }
}

/* Sorts groups until there are none left. All threads take part; ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ void sort_groups(const BlockRules<Bits> &rules, Range range) {
  auto &storage = block_shared<MultiwayStorage<Bits>>();
  const MultiwayTiles<Bits> tiles(rules.side(range.side), range);
  constexpr uint32_t MOST = Shape<Bits>::LEAF_ITEMS_PER_LANE;
  const Bits *source = tiles.count > 1 ? rules.side(Side::scratch) + tiles.range.begin : storage.work.stage;
  Run *runs = storage.work.sort.runs[threadIdx.x / WARP_LANES];
  for (;;) {
    uint32_t taken = 0;
    if (threadIdx.x % WARP_LANES == 0)
      taken = atomicAdd(&storage.work.sort.groups_taken, 1u);
    taken = __shfl_sync(ALL_LANES, taken, 0);
    if (taken >= storage.work.sort.group_count)
      break;
    const BucketGroup group = storage.work.sort.groups[taken];
    const uint32_t begin = storage.begins[group.begin];
    const uint32_t count = storage.begins[group.end] - begin;
    find_runs(tiles, group.begin, group.end, runs, storage);
    Bits *destination = rules.side(Side::keys) + tiles.range.begin + begin;
    if (count <= WARP_LANES * MOST / 4)
      sort_runs<Bits, MOST / 4>(source, runs, 0, count, destination, rules.map, true);
    else if (count <= WARP_LANES * MOST / 2)
      sort_runs<Bits, MOST / 2>(source, runs, 0, count, destination, rules.map, true);
    else if (count <= WARP_LANES * MOST)
      sort_runs<Bits, MOST>(source, runs, 0, count, destination, rules.map, true);
    else
      sort_long_runs<Bits>(source, runs, rules,
                           {tiles.range.begin + begin, tiles.range.begin + begin + count, Side::keys, tiles.range.depth + 1});
    // a long bucket is so many leaves in registers, and the rest of the network between them
    if (threadIdx.x % WARP_LANES == 0)
      count_leaves(rules.counters, tiles.range.depth + 1, (count + Shape<Bits>::LEAF_ITEMS - 1) / Shape<Bits>::LEAF_ITEMS,
                   count);
    __syncwarp();
  }
  __syncthreads();
}

/* Brings a large bucket to its final place, unsorted, or writes the equal keys it consists of. All threads take part. */
template <typename Bits>
__device__ __forceinline__ void place_large(const BlockRules<Bits> &rules, const MultiwayTiles<Bits> &tiles,
                                            const SplitterSet &set, uint32_t bucket, MultiwayStorage<Bits> &storage) {
  constexpr uint32_t WARPS = MultiwayShape<Bits>::BLOCK_WARPS;
  const uint64_t begin = tiles.range.begin + storage.begins[bucket];
  const uint64_t end = tiles.range.begin + storage.begins[bucket + 1];
  if (set.equal != 0 && bucket % 2 != 0) {
    fill_range<Bits>(rules, begin, end, storage.splitters[bucket / 2], threadIdx.x, MultiwayShape<Bits>::BLOCK_THREADS);
    if (threadIdx.x == 0) {
      count_equal(rules.counters, tiles.range.depth, end - begin);
      count_moved(rules.counters, tiles.range.depth, tiles.count > 1 ? 0 : end - begin);
    }
    return;
  }
  if (threadIdx.x == 0)
    count_moved(rules.counters, tiles.range.depth, 2 * (end - begin));
  const Bits *source = tiles.count > 1 ? rules.side(Side::scratch) + tiles.range.begin : storage.work.stage;
  Bits *keys = rules.side(Side::keys) + begin;
  Run *runs = storage.work.sort.runs[threadIdx.x / WARP_LANES];
  find_runs(tiles, bucket, bucket + 1, runs, storage);
  uint32_t run = 0;
  for (uint32_t item = threadIdx.x; item < end - begin; item += WARPS * WARP_LANES) {
    while (item >= runs[run].end)
      run++;
    keys[item] = source[runs[run].begin + item];
  }
  __syncwarp();
}

/* Sorts up to BLOCK_PIECE_ENTRIES large buckets from the list's place `first` on: those short enough a warp each, side by side,
   longer ones by the whole block. All threads take part; begins with a barrier. */
template <typename Bits>
__device__ __forceinline__ void sort_large_pieces(const BlockRules<Bits> &rules, const Range &whole, const SplitterSet &set,
                                                  uint32_t first, MultiwayStorage<Bits> &storage) {
  const uint32_t left = storage.work.sort.large_count - first;
  const uint32_t end = first + (left < BLOCK_PIECE_ENTRIES ? left : BLOCK_PIECE_ENTRIES);
  const auto range_of = [&](uint32_t index) {
    const uint32_t bucket = storage.work.sort.large[index];
    return Range{whole.begin + storage.begins[bucket], whole.begin + storage.begins[bucket + 1], Side::keys, whole.depth + 1};
  };
  const auto is_filled = [&](uint32_t index) { return set.equal != 0 && storage.work.sort.large[index] % 2 != 0; };
  __syncthreads();
  if (threadIdx.x == 0) {
    storage.block.piece_entries = 0;
    storage.block.pieces_taken = 0;
    for (uint32_t index = first; index < end; index++)
      if (!is_filled(index) && range_of(index).items() <= rules.piece_items)
        storage.block.pieces[storage.block.piece_entries++] = piece_of(range_of(index));
  }
  sort_gathered_pieces(rules, storage.block);
  for (uint32_t index = first; index < end; index++)
    if (!is_filled(index) && range_of(index).items() > rules.piece_items)
      block_sort_fallback<Bits>(rules, range_of(index), storage.block);
}

/* Deals with the buckets that no warp can sort. All threads take part; begins with a barrier behind the groups. */
template <typename Bits>
__device__ __forceinline__ void sort_large(const BlockRules<Bits> &rules, Range range) {
  auto &storage = block_shared<MultiwayStorage<Bits>>();
  const MultiwayTiles<Bits> tiles(rules.side(range.side), range);
  const SplitterSet set = storage.set;
  const uint32_t count = storage.work.sort.large_count;
  for (uint32_t index = 0; index < count; index++)
    place_large<Bits>(rules, tiles, set, storage.work.sort.large[index], storage);
  // All runs are read: only now may the scratch array be written again.
  for (uint32_t first = 0; first < count; first += BLOCK_PIECE_ENTRIES)
    sort_large_pieces<Bits>(rules, tiles.range, set, first, storage);
}

/*
 * Sorts a range of at most MAX_RANGE_ITEMS items into the caller's array.
 * - All threads of the block take part, with the same arguments; begins with a barrier.
 * - What the range holds must be visible to the block.
 * - rules.merge_items: MERGED_ITEMS_PER_THREAD to a thread at most.
 */
template <typename Bits>
__device__ __forceinline__ void block_multiway_sort(const BlockRules<Bits> &rules, const Range &range,
                                                    MultiwayStorage<Bits> &storage) {
  __syncthreads();
  if (range.items() <= rules.merge_items && range.depth < rules.depth_limit) {
    block_register_sort<Bits, MERGED_ITEMS_PER_THREAD>(rules, rules.side(range.side) + range.begin, range, storage.work.stage);
    return;
  }
  if (range.items() <= rules.leaf_items || range.depth >= rules.depth_limit) {
    block_sort_fallback<Bits>(rules, range, storage.block);
    return;
  }
  const uint32_t most = group_items(rules, range.items());
  using Block = MultiwayShape<Bits>;
  choose_splitters<Bits, Block::SAMPLES_PER_THREAD>(rules, range, block_fan_out<Bits>(range.items(), most), BLOCK_OVERSAMPLING,
                                                    MAX_BUCKETS, Crowded::leave_out);
  bucket_tiles<Bits>(rules, range);
  find_groups(rules, storage.set, most, storage);
  // A range of one tile stays in shared memory: its keys are read once, which is counted where they are written.
  if (threadIdx.x == 0)
    count_partition(rules.counters, range.depth, range.items(),
                    MultiwayTiles<Bits>(rules.side(range.side), range).count > 1 ? 2 * range.items() : 0);
  sort_groups<Bits>(rules, range);
  if (storage.work.sort.large_count != 0)
    sort_large<Bits>(rules, range);
}

} // namespace cdp::CDP_RUNTIME

#endif
