/* SPDX-License-Identifier: MIT */
/*
 * Segments that are too long for a block are divided by all blocks together, a level at a time, until none is left: a sample sort
 * (Frazer and McKellar 1970; on a GPU: Leischner, Osipov and Sanders 2010) of many arrays side by side. Between the steps all
 * blocks wait.
 *
 *     choose     a warp, or a block where there are many buckets, draws each segment's sample, and writes splitters to its
 *                table; and lists its tiles (choose_segments.cuh)
 *     count      each block has a stretch of the list of tiles, counts their buckets, and adds the counts up in the tables
 *     place      a warp goes through each segment's buckets: where they begin, and on which lists they are
 *     scatter    the same stretches once more: a tile at a time is ordered by bucket in shared memory, and written in runs
 *
 * Keys that are equal to a frequent value have a bucket of their own, which is listed in pieces that a team finds to be equal.
 *
 * The tables, and which keys are looked at, are the same for count and scatter, whatever segments there are: so that keys are
 * written within the bounds of their segment also where segments overlap.
 */
#ifndef CDPSORT_DEVICE_SEGMENTS_DIVIDE_SEGMENTS_CUH
#define CDPSORT_DEVICE_SEGMENTS_DIVIDE_SEGMENTS_CUH

#include "segments/choose_segments.cuh"

namespace cdp::CDP_RUNTIME {

/* ---- Tiles ------------------------------------------------------------------------------------------------------------- */

/* On which side the segments of a level are, which have been divided as often; those of the first one are raw. */
__device__ __forceinline__ Side side_of(uint32_t level) {
  return static_cast<Side>(level % 2);
}

/* The counter of a bucket that is a lane's. */
__device__ __forceinline__ uint32_t counter_of(uint32_t bucket, uint32_t copy_bits) {
  return bucket << copy_bits | (threadIdx.x & ((1u << copy_bits) - 1));
}

template <typename Bits>
__device__ __forceinline__ SplitterSet set_at_hand(const DivideBlock<Bits> &block) {
  const SplitterSet &set = block.multiway.set;
  return {reread(set.splitters), reread(set.tree_items), reread(set.buckets), reread(set.equal)};
}

/* Loads a segment's splitters. All threads take part; begins and ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ void load_segment(const SegmentedSort<Bits> &sort, uint32_t level, uint32_t slot,
                                             DivideBlock<Bits> &block) {
  const LargeSegment &segment = sort.lists.larges[level % 2][slot];
  const SplitterSet set = segment.set;
  const uint64_t table = segment.table;
  __syncthreads();
  if (threadIdx.x == 0) {
    block.multiway.set = set;
    block.at = {table, slot, set.buckets << COUNTER_COPY_BITS <= MAX_BUCKETS ? COUNTER_COPY_BITS : 0};
  }
  for (uint32_t index = threadIdx.x; index + 1 < set.tree_items; index += MultiwayShape<Bits>::BLOCK_THREADS)
    block.multiway.splitters[index] = sort.splitters[table + index];
  __syncthreads();
  plant_tree(set.tree_items, block.multiway);
}

/* This block's stretch of the list of tiles: [begin, end). There are no 2^32 of them. */
struct TileStretch {
  uint32_t begin;
  uint32_t end;
};

template <typename Bits>
__device__ __forceinline__ TileStretch tile_stretch(const SegmentedSort<Bits> &sort, uint32_t level) {
  const uint64_t tiles = sort.lists.listed_tiles(level);
  return {static_cast<uint32_t>(tiles * blockIdx.x / gridDim.x), static_cast<uint32_t>(tiles * (blockIdx.x + 1) / gridDim.x)};
}

/* Loads a tile of a level's. */
template <typename Bits>
__device__ __forceinline__ void load_segment_tile(const SegmentedSort<Bits> &sort, uint32_t level, uint32_t index,
                                                  TileItems<Bits> &items) {
  const SegmentTile tile = sort.lists.tiles[index];
  const Range range = sort.lists.larges[level % 2][tile.segment].range;
  items.load(MultiwayTiles<Bits>(sort.rules.side(side_of(level)), range), tile.tile);
}

/* Adds what a block has counted of a segment up in its table. All threads take part; begins with a barrier. */
template <typename Bits>
__device__ __forceinline__ void add_counts(const SegmentedSort<Bits> &sort, const DivideBlock<Bits> &block) {
  __syncthreads();
  const SegmentAtHand at = block.at;
  for (uint32_t bucket = threadIdx.x; bucket < block.multiway.set.buckets; bucket += MultiwayShape<Bits>::BLOCK_THREADS) {
    uint32_t items = 0;
    for (uint32_t copy = 0; copy < 1u << at.copy_bits; copy++)
      items += block.multiway.counts[(bucket << at.copy_bits) + copy];
    if (items != 0)
      atomicAdd(&sort.cursors[at.table + bucket], static_cast<unsigned long long>(items));
  }
}

/* This block's share of counting. All threads take part. */
template <typename Bits>
__device__ __noinline__ void count_tiles(const SegmentedSort<Bits> &sort, uint32_t level) {
  auto &block = block_shared<DivideBlock<Bits>>();
  const TileStretch stretch = tile_stretch(sort, level);
  uint32_t at_hand = 0;
  for (uint32_t index = stretch.begin; index < stretch.end; index++) {
    const uint32_t slot = sort.lists.tiles[index].segment;
    if (index == stretch.begin || slot != at_hand) {
      if (index != stretch.begin)
        add_counts(sort, block);
      load_segment(sort, level, slot, block);
      clear_counts(block.multiway, block.multiway.set.buckets << block.at.copy_bits);
      __syncthreads();
      at_hand = slot;
    }
    TileItems<Bits> items;
    load_segment_tile(sort, level, index, items);
    items.enter(sort.rules.map, level == 0);
    uint32_t buckets[TileItems<Bits>::ITEMS];
    classify(items.keys, buckets, block.multiway, set_at_hand<Bits>(block));
    const uint32_t copy_bits = reread(block.at.copy_bits);
    const uint32_t present = fresh(items.present);
#pragma unroll
    for (uint32_t item = 0; item < TileItems<Bits>::ITEMS; item++)
      if ((present >> item & 1) != 0)
        atomicAdd(&block.multiway.counts[counter_of(buckets[item], copy_bits)], 1u);
  }
  if (stretch.begin < stretch.end)
    add_counts(sort, block);
}

/* ---- Place ------------------------------------------------------------------------------------------------------------- */

/* Lists a range by its class. For each thread by itself. */
template <typename Bits>
__device__ __forceinline__ void list_range(const SegmentedSort<Bits> &sort, const Range &range) {
  SegmentClass which = class_of<Bits>(range.items());
  if (which == SegmentClass::large && range.depth >= sort.max_levels)
    which = SegmentClass::block;
  sort.lists.put(which, atomicAdd(sort.lists.counter(which, range.depth), 1ull), range);
}

/* Lists a bucket, if it has any keys: one of equal keys in pieces. */
template <typename Bits>
__device__ __forceinline__ void list_bucket(const SegmentedSort<Bits> &sort, Range range, bool is_equal) {
  constexpr uint64_t PIECE = SEGMENT_LIMITS<Bits>.team;
  const uint64_t end = range.end;
  while (is_equal && end - range.begin > PIECE) {
    range.end = range.begin + PIECE;
    list_range(sort, range);
    range.begin = range.end;
  }
  range.end = end;
  if (range.begin != end)
    list_range(sort, range);
}

/* Turns the buckets' counts into where each begins, and lists them. All lanes of the warp take part. */
template <typename Bits>
__device__ __forceinline__ void place_segment(const SegmentedSort<Bits> &sort, const LargeSegment &segment) {
  const Range range = segment.range;
  const SplitterSet set = segment.set;
  unsigned long long *cursors = sort.cursors + segment.table;
  uint64_t begin = range.begin;
  for (uint32_t first = 0; first < set.buckets; first += WARP_LANES) {
    const uint32_t bucket = first + threadIdx.x % WARP_LANES;
    const unsigned long long items = bucket < set.buckets ? cursors[bucket] : 0;
    const unsigned long long sum = warp_inclusive_sum(items);
    const uint64_t own = begin + sum - items;
    if (bucket < set.buckets)
      cursors[bucket] = own;
    list_bucket(sort, Range{own, own + items, other(range.side), range.depth + 1}, set.equal != 0 && bucket % 2 != 0);
    begin += __shfl_sync(ALL_LANES, sum, WARP_LANES - 1);
  }
}

/* This block's share of placing. All threads take part. */
template <typename Bits>
__device__ __forceinline__ void place_segments(const SegmentedSort<Bits> &sort, uint32_t level) {
  constexpr uint32_t WARPS = MultiwayShape<Bits>::BLOCK_WARPS;
  const LargeSegment *segments = sort.lists.larges[level % 2];
  const uint32_t count = static_cast<uint32_t>(sort.lists.listed(SegmentClass::large, level));
  for (uint32_t slot = threadIdx.x / WARP_LANES * gridDim.x + blockIdx.x; slot < count; slot += WARPS * gridDim.x)
    if (segments[slot].range.items() != 0)
      place_segment(sort, segments[slot]);
}

/* ---- Scatter ----------------------------------------------------------------------------------------------------------- */

/* Orders a tile by bucket in shared memory, and reserves room for its buckets. All threads take part; begins with the last tile
   written, ends without a barrier. */
template <typename Bits>
__device__ __forceinline__ void stage_segment_tile(const SegmentedSort<Bits> &sort, uint32_t level, TileItems<Bits> &items,
                                                   DivideBlock<Bits> &block) {
  constexpr uint32_t ITEMS = TileItems<Bits>::ITEMS;
  auto &storage = block.multiway;
  clear_counts(storage, reread(storage.set.buckets) << reread(block.at.copy_bits));
  __syncthreads();
  items.enter(sort.rules.map, level == 0);
  uint32_t places[ITEMS];
  classify(items.keys, places, storage, set_at_hand<Bits>(block));
  const uint32_t copy_bits = reread(block.at.copy_bits);
  const uint32_t present = fresh(items.present);
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    if ((present >> item & 1) != 0) {
      const uint32_t counter = counter_of(places[item], copy_bits);
      places[item] = counter << 16 | atomicAdd(&storage.counts[counter], 1u);
    }
  __syncthreads();
  const uint32_t buckets = reread(storage.set.buckets);
  scan_counts(storage, buckets << copy_bits);
  for (uint32_t bucket = threadIdx.x; bucket < buckets; bucket += MultiwayShape<Bits>::BLOCK_THREADS) {
    const uint32_t begin = storage.begins[bucket << copy_bits];
    const uint32_t count = storage.begins[(bucket + 1) << copy_bits] - begin;
    if (count != 0)
      storage.work.scatter.bases[bucket] =
          atomicAdd(&sort.cursors[reread(block.at.table) + bucket], static_cast<unsigned long long>(count)) - begin;
  }
  const uint32_t staged = fresh(items.present);
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++) {
    if ((staged >> item & 1) == 0)
      continue;
    const uint32_t counter = places[item] >> 16;
    const uint32_t place = storage.begins[counter] + (places[item] & 0xFFFFu);
    storage.work.stage[place] = items.keys[item];
    storage.work.scatter.buckets[place] = static_cast<uint16_t>(counter >> copy_bits);
  }
}

/* This block's share of scattering. All threads take part. A tile's keys are on their way while the one before is written. */
template <typename Bits>
__device__ __noinline__ void scatter_tiles(const SegmentedSort<Bits> &sort, uint32_t level) {
  auto &block = block_shared<DivideBlock<Bits>>();
  auto &storage = block.multiway;
  const TileStretch stretch = tile_stretch(sort, level);
  TileItems<Bits> items;
  if (stretch.begin < stretch.end)
    load_segment_tile(sort, level, stretch.begin, items);
  for (uint32_t index = stretch.begin; index < stretch.end; index++) {
    const uint32_t slot = sort.lists.tiles[index].segment;
    if (index == stretch.begin || slot != reread(block.at.slot))
      load_segment(sort, level, slot, block);
    else
      __syncthreads(); // the last tile is written
    stage_segment_tile(sort, level, items, block);
    if (index + 1 < stretch.end)
      load_segment_tile(sort, level, index + 1, items);
    __syncthreads();
    Bits *destination = sort.rules.side(side_of(level + 1));
    const uint32_t tile_items = storage.begins[reread(storage.set.buckets) << reread(block.at.copy_bits)];
    for (uint32_t item = threadIdx.x; item < tile_items; item += MultiwayShape<Bits>::BLOCK_THREADS)
      destination[storage.work.scatter.bases[storage.work.scatter.buckets[item]] + item] = storage.work.stage[item];
  }
}

/* ---- All of it --------------------------------------------------------------------------------------------------------- */

/* Sets back what the next level, or the one behind it, counts. By the first block, where no block counts there: of the next level
   while this one is counted, of this one while it is scattered. */
__device__ __forceinline__ void clear_next_level(const SegmentLists &lists, uint32_t level) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    lists.control->tiles[(level + 1) % 2] = 0;
    lists.control->table_places[(level + 1) % 2] = 0;
  }
}
__device__ __forceinline__ void clear_this_level(const SegmentLists &lists, uint32_t level) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    lists.control->larges[level % 2] = 0;
}

/* For launch_together(). Of its steps those that hold many keys are functions of their own: inlined, they had values of one another
   spilled in their loops. */
template <typename Bits>
__global__ void __launch_bounds__(MultiwayShape<Bits>::BLOCK_THREADS, 1)
    // cppcheck-suppress passedByValue
    divide_segments_kernel(const __grid_constant__ SegmentedSort<Bits> sort) {
  for (uint32_t level = 0; level < sort.max_levels && sort.lists.listed(SegmentClass::large, level) != 0; level++) {
    choose_segments(sort, level);
    grid_barrier(&sort.lists.control->arrivals);
    clear_next_level(sort.lists, level);
    count_tiles(sort, level);
    grid_barrier(&sort.lists.control->arrivals);
    place_segments(sort, level);
    grid_barrier(&sort.lists.control->arrivals);
    clear_this_level(sort.lists, level);
    scatter_tiles(sort, level);
    grid_barrier(&sort.lists.control->arrivals);
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
