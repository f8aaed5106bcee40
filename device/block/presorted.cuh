/* SPDX-License-Identifier: MIT */
/*
 * Arrays that are in order already, or in the opposite order. A sample in the order of its positions says what may be; only
 * where it is in order itself are all items looked at, so that other arrays pay for the sample alone.
 */
#ifndef CDPSORT_DEVICE_BLOCK_PRESORTED_CUH
#define CDPSORT_DEVICE_BLOCK_PRESORTED_CUH

#include "block/multiway_tile.cuh"

namespace cdp::CDP_RUNTIME {

enum class Direction : uint32_t { none, ascending, descending };

/* Whether two neighbours are in the wrong order for a direction. */
template <typename Bits>
__device__ __forceinline__ bool is_disorder(Bits first, Bits second, Direction direction) {
  return direction == Direction::ascending ? second < first : first < second;
}

/* The direction that evenly spaced items of a range are in. All threads of the block take part; valid in every thread. */
template <typename Bits>
__device__ inline Direction sample_direction(const BlockRules<Bits> &rules, const Range &range) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  const Bits *source = rules.side(range.side) + range.begin;
  const uint64_t last = range.items() - 1;
  const Bits first = rules.map.enter(source[last * threadIdx.x / THREADS], range.is_raw());
  const Bits second = rules.map.enter(source[last * (threadIdx.x + 1) / THREADS], range.is_raw());
  if (__syncthreads_and(first <= second ? 1 : 0) != 0)
    return Direction::ascending;
  return __syncthreads_and(second <= first ? 1 : 0) != 0 ? Direction::descending : Direction::none;
}

/* Whether this thread finds two neighbours of a whole tile in the wrong order: its vectors, and the first item behind each. All
   lanes of the warp take part. */
template <typename Bits>
__device__ __forceinline__ bool is_tile_disordered(const TileItems<Bits> &items, const MultiwayTiles<Bits> &tiles,
                                                   uint64_t tile, Direction direction, const KeyMap<Bits> &map) {
  constexpr uint32_t VECTOR = MultiwayShape<Bits>::VECTOR_ITEMS;
  bool disorder = false;
#pragma unroll
  for (uint32_t vector = 0; vector < TileItems<Bits>::ITEMS / VECTOR; vector++) {
    const Bits *keys = items.keys + vector * VECTOR;
    const uint64_t behind = static_cast<uint64_t>(tiles.begin(tile)) +
                            (uint64_t{vector} * MultiwayShape<Bits>::BLOCK_THREADS + threadIdx.x + 1) * VECTOR;
    Bits next = __shfl_down_sync(ALL_LANES, keys[0], 1);
    if (threadIdx.x % WARP_LANES == WARP_LANES - 1)
      next = behind < tiles.range.end ? map.enter(tiles.source[behind], tiles.range.is_raw()) : keys[VECTOR - 1];
#pragma unroll
    for (uint32_t key = 0; key + 1 < VECTOR; key++)
      disorder = disorder || is_disorder(keys[key], keys[key + 1], direction);
    disorder = disorder || is_disorder(keys[VECTOR - 1], next, direction);
  }
  return disorder;
}

/* The same for a tile that is not wholly in the range, item by item. */
template <typename Bits>
__device__ __forceinline__ bool is_edge_disordered(const MultiwayTiles<Bits> &tiles, uint64_t tile, Direction direction,
                                                   const KeyMap<Bits> &map) {
  const uint64_t tile_end = static_cast<uint64_t>(tiles.begin(tile) + int64_t{MultiwayShape<Bits>::TILE_ITEMS});
  const uint64_t end = tile_end < tiles.range.end - 1 ? tile_end : tiles.range.end - 1;
  bool disorder = false;
  for (uint64_t item = tiles.first_item(tile) + threadIdx.x; item < end; item += MultiwayShape<Bits>::BLOCK_THREADS)
    disorder = disorder || is_disorder(map.enter(tiles.source[item], tiles.range.is_raw()),
                                       map.enter(tiles.source[item + 1], tiles.range.is_raw()), direction);
  return disorder;
}

/*
 * Looks for disorder in tiles block, block + blocks, ... of a range, and sets *disorder where there is some; stops where it is
 * set. All threads of the block take part; no barrier.
 */
template <typename Bits>
__device__ inline void look_for_disorder(const BlockRules<Bits> &rules, const Range &range, Direction direction, uint32_t block,
                                         uint32_t blocks, unsigned int *disorder) {
  const MultiwayTiles<Bits> tiles(rules.side(range.side), range);
  const volatile unsigned int *found = disorder;
  for (uint64_t tile = block; tile < tiles.count && __any_sync(ALL_LANES, *found != 0) == 0; tile += blocks) {
    bool disordered;
    if (tiles.is_whole(tile)) {
      TileItems<Bits> items;
      items.load(tiles, tile);
      items.enter(rules.map, range.is_raw());
      disordered = is_tile_disordered(items, tiles, tile, direction, rules.map);
    } else {
      disordered = is_edge_disordered<Bits>(tiles, tile, direction, rules.map);
    }
    if (disordered)
      atomicExch(disorder, 1u);
    if (threadIdx.x == 0)
      count_moved(rules.counters, range.depth, tiles.items(tile));
  }
}

/* Turns a range of the caller's array round. All threads of the grid take part. */
template <typename Bits>
__device__ inline void reverse_items(const BlockRules<Bits> &rules, const Range &range) {
  Bits *keys = rules.side(Side::keys);
  if (blockIdx.x == 0 && threadIdx.x == 0)
    count_moved(rules.counters, range.depth, 2 * range.items());
  const uint64_t threads = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t item = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; item < range.items() / 2; item += threads) {
    const Bits low = keys[range.begin + item];
    keys[range.begin + item] = keys[range.end - 1 - item];
    keys[range.end - 1 - item] = low;
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
