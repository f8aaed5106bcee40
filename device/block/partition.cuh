/* SPDX-License-Identifier: MIT */
/*
 * Three-way partition of a tile: the step that quicksort is made of, one read and one write of the data.
 *
 *  1. A thread holds its items in registers (16-byte loads) and counts those less and those greater than the pivot; both counts
 *     are summed as one number over the warp, and scanned over the block's warps.
 *  2. The block reserves room for its lesser items at the front of the destination and for its greater ones at the back: by
 *     one atomic each on the task's counters where many blocks share a range (Cederman and Tsigas 2009; Nguyen 2021,
 *     algorithm 4.3.2), in its own counters where one block has it to itself.
 *  3. Each warp writes its items row by row, straight from registers: a ballot ranks a row's lesser and greater items, so that
 *     they land side by side. The thesis stages the tile in shared memory for that; a warp's rows are coalesced well enough,
 *     and without the staging more blocks fit a multiprocessor (docs/lab/2026-11-24-older-measurements.md).
 *
 * Items equal to the pivot are not moved: they leave the recursion. How many there are is known when all others are placed, and
 * they are written from the pivot (fill_range(); they are identical to it, see key_map.cuh).
 *
 * Invariant: a position outside the range reads as the pivot, so that it counts as equal and is never written anywhere.
 */
#ifndef CDPSORT_DEVICE_BLOCK_PARTITION_CUH
#define CDPSORT_DEVICE_BLOCK_PARTITION_CUH

#include "block/pivot.cuh"

namespace cdp::CDP_RUNTIME {

/* 16 bytes of keys, loaded as one. */
template <typename Bits>
struct alignas(16) KeyVector {
  Bits keys[Shape<Bits>::VECTOR_ITEMS];
};

/* The tiles of a range on one side: they begin at a 16-byte boundary at or before the range's first key. */
template <typename Bits>
struct Tiles {
  const Bits *source;
  int64_t first; /* index of the first tile's first item; up to 3 before the range, even before the array */
  uint64_t count;

  __device__ __forceinline__ Tiles(const Bits *side, const Range &range) : source(side) {
    const uint64_t ahead = reinterpret_cast<uintptr_t>(side + range.begin) % 16 / sizeof(Bits);
    first = static_cast<int64_t>(range.begin) - static_cast<int64_t>(ahead);
    count = (range.items() + ahead + Shape<Bits>::TILE_ITEMS - 1) / Shape<Bits>::TILE_ITEMS;
  }
};

/* Blocks of the grid that partitions so many items: each has tiles_per_block tiles at least, and the whole card has max_blocks
   at most, so that large ranges loop over their tiles instead of paying for new blocks. */
template <typename Bits>
__host__ __device__ inline uint32_t partition_blocks(uint64_t items, uint32_t max_blocks) {
  const uint64_t block_items = uint64_t{Shape<Bits>::TILE_ITEMS} * Shape<Bits>::ROW.tiles_per_block;
  const uint64_t blocks = (items + block_items - 1) / block_items;
  return blocks < max_blocks ? static_cast<uint32_t>(blocks) : max_blocks;
}

/* Loads this thread's items of a tile, entered; positions outside the range become the pivot. */
template <typename Bits>
__device__ __forceinline__ void load_tile(Bits (&items)[Shape<Bits>::TILE_ITEMS_PER_THREAD], const Tiles<Bits> &tiles,
                                          uint64_t tile, const Range &range, Bits pivot, const KeyMap<Bits> &map) {
  using Block = Shape<Bits>;
  constexpr uint32_t VECTORS = Block::TILE_ITEMS_PER_THREAD / Block::VECTOR_ITEMS;
  const int64_t tile_begin = tiles.first + static_cast<int64_t>(tile * Block::TILE_ITEMS);
  const int64_t range_begin = static_cast<int64_t>(range.begin);
  const int64_t range_end = static_cast<int64_t>(range.end);
  const bool whole = tile_begin >= range_begin && tile_begin + int64_t{Block::TILE_ITEMS} <= range_end;
  if (whole) {
    const KeyVector<Bits> *vectors = reinterpret_cast<const KeyVector<Bits> *>(tiles.source + tile_begin);
#pragma unroll
    for (uint32_t vector = 0; vector < VECTORS; vector++) {
      const KeyVector<Bits> loaded = vectors[vector * Block::BLOCK_THREADS + threadIdx.x];
#pragma unroll
      for (uint32_t key = 0; key < Block::VECTOR_ITEMS; key++)
        items[vector * Block::VECTOR_ITEMS + key] = loaded.keys[key];
    }
    map.enter_all(items, range.is_raw());
    return;
  }
  const Bits raw_pivot = map.leave(pivot, range.is_raw());
#pragma unroll
  for (uint32_t item = 0; item < Block::TILE_ITEMS_PER_THREAD; item++) {
    const int64_t index = tile_begin + int64_t{item * Block::BLOCK_THREADS + threadIdx.x};
    items[item] = index >= range_begin && index < range_end ? tiles.source[index] : raw_pivot;
  }
  map.enter_all(items, range.is_raw());
}

/* How many of a lane's items are less than the pivot, in the lower half, and how many are greater, in the upper one. */
template <typename Bits, uint32_t ITEMS>
__device__ __forceinline__ uint32_t count_parts(const Bits (&items)[ITEMS], Bits pivot) {
  uint32_t counts = 0;
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    counts += (items[item] < pivot ? 1u : 0u) + (items[item] > pivot ? 0x10000u : 0u);
  return counts;
}

/* Writes a warp's items, row by row: lesser ones from less_begin on, greater ones from greater_begin on. All lanes take part.
 */
template <typename Bits, uint32_t ITEMS>
__device__ __forceinline__ void write_parts(const Bits (&items)[ITEMS], Bits pivot, Bits *destination, uint64_t less_begin,
                                            uint64_t greater_begin, const KeyMap<Bits> &map, bool is_last_place) {
  const uint32_t lower_lanes = (1u << (threadIdx.x % WARP_LANES)) - 1;
  Bits *less_row = destination + less_begin;
  Bits *greater_row = destination + greater_begin;
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++) {
    const uint32_t less = __ballot_sync(ALL_LANES, items[item] < pivot);
    const uint32_t greater = __ballot_sync(ALL_LANES, items[item] > pivot);
    if (items[item] < pivot)
      less_row[__popc(less & lower_lanes)] = map.leave(items[item], is_last_place);
    if (items[item] > pivot)
      greater_row[__popc(greater & lower_lanes)] = map.leave(items[item], is_last_place);
    less_row += __popc(less);
    greater_row += __popc(greater);
  }
}

/* The items that a partition has placed so far: lesser ones from the front of the destination, greater ones from the back. */
struct PartCounters {
  unsigned long long *less_items;
  unsigned long long *greater_items;
};

/*
 * Partitions tiles first_tile, first_tile + tile_step, ... of a range around an entered pivot, from its side to the other, as
 * one of many blocks that share the range.
 * - All threads of the block take part; what they pass must be the same in all of them. Two barriers a tile.
 * - The counters lie in global memory and were 0 before the range's first tile.
 * - No barrier behind the last write.
 */
template <typename Bits>
__device__ __forceinline__ void partition_tiles(const BlockRules<Bits> &rules, const Range &range, Bits pivot,
                                                const PartCounters &counters, uint64_t first_tile, uint64_t tile_step,
                                                BlockStorage &storage, bool is_last_place = false) {
  using Block = Shape<Bits>;
  const Tiles<Bits> tiles(rules.side(range.side), range);
  Bits *destination = rules.side(other(range.side));
  for (uint64_t tile = first_tile; tile < tiles.count; tile += tile_step) {
    Bits items[Block::TILE_ITEMS_PER_THREAD];
    load_tile<Bits>(items, tiles, tile, range, pivot, rules.map);

    // count
    uint32_t totals;
    const uint32_t lower_warps =
        lower_warps_sum<Block::BLOCK_WARPS>(warp_sum(count_parts(items, pivot)), storage.warp_totals, totals);

    // reserve: two threads of different warps, so that the two atomics are under way together
    if (threadIdx.x == 0)
      storage.part_bases[0] = range.begin + atomicAdd(counters.less_items, static_cast<unsigned long long>(totals & 0xFFFFu));
    if (threadIdx.x == WARP_LANES)
      storage.part_bases[1] =
          range.end - atomicAdd(counters.greater_items, static_cast<unsigned long long>(totals >> 16)) - (totals >> 16);
    __syncthreads();

    // write
    write_parts<Bits>(items, pivot, destination, storage.part_bases[0] + (lower_warps & 0xFFFFu),
                      storage.part_bases[1] + (lower_warps >> 16), rules.map, is_last_place);
  }
}

/* Loads a warp's rows of items of a range, the first row at `first`; items past the range become the pivot. */
template <typename Bits, uint32_t ROWS>
__device__ __forceinline__ void load_rows(Bits (&rows)[ROWS], const Bits *source, uint64_t items, uint64_t first, Bits pivot,
                                          const KeyMap<Bits> &map, bool is_raw) {
  const Bits raw_pivot = map.leave(pivot, is_raw);
#pragma unroll
  for (uint32_t row = 0; row < ROWS; row++) {
    const uint64_t index = first + row * WARP_LANES + threadIdx.x % WARP_LANES;
    rows[row] = index < items ? source[index] : raw_pivot;
  }
  map.enter_all(rows, is_raw);
}

/*
 * Partitions a range that this block has to itself: each warp takes rows of its own and reserves room for them, so that no warp
 * waits for another until the end.
 * - All threads of the block take part, with the same arguments; ends with a barrier.
 * - The counters lie in shared memory and are 0.
 */
template <typename Bits>
__device__ __forceinline__ void partition_rows(const BlockRules<Bits> &rules, const Range &range, Bits pivot,
                                               const PartCounters &counters) {
  using Block = Shape<Bits>;
  constexpr uint32_t WARP_ITEMS = WARP_LANES * Block::TILE_ITEMS_PER_THREAD;
  const uint64_t items = range.items();
  const uint64_t step = uint64_t{blockDim.x} / WARP_LANES * WARP_ITEMS;
  for (uint64_t first = threadIdx.x / WARP_LANES * WARP_ITEMS; first < items; first += step) {
    Bits rows[Block::TILE_ITEMS_PER_THREAD];
    load_rows<Bits>(rows, rules.side(range.side) + range.begin, items, first, pivot, rules.map, range.is_raw());
    const uint32_t totals = warp_sum(count_parts(rows, pivot));
    unsigned long long base = 0;
    if (threadIdx.x % WARP_LANES == 0)
      base = atomicAdd(counters.less_items, static_cast<unsigned long long>(totals & 0xFFFFu));
    if (threadIdx.x % WARP_LANES == 1)
      base = atomicAdd(counters.greater_items, static_cast<unsigned long long>(totals >> 16));
    const uint64_t less_before = __shfl_sync(ALL_LANES, base, 0);
    const uint64_t greater_before = __shfl_sync(ALL_LANES, base, 1);
    write_parts<Bits>(rows, pivot, rules.side(other(range.side)), range.begin + less_before,
                      range.end - greater_before - (totals >> 16), rules.map, false);
  }
  __syncthreads();
}

/* Writes an entered key, raw again, over items [begin, end) of the caller's array, by threads `thread`, `thread` + `threads`, ... */
template <typename Bits>
__device__ __forceinline__ void fill_range(const BlockRules<Bits> &rules, uint64_t begin, uint64_t end, Bits key,
                                           uint64_t thread, uint64_t threads) {
  Bits *keys = rules.side(Side::keys);
  const Bits raw = rules.map.leave(key, true);
  for (uint64_t index = begin + thread; index < end; index += threads)
    keys[index] = raw;
}

} // namespace cdp::CDP_RUNTIME

#endif
