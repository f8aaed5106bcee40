/* SPDX-License-Identifier: MIT */
/*
 * One warp sorts a short range by itself: quicksort down to a leaf, and the leaf bitonically in registers.
 *
 * A whole block partitions a range of some thousand items no faster than one of its warps does, for it spends its time at
 * barriers; many warps, each with a range of its own, have none and hide each other's waiting. A warp needs no counting either:
 * it alone writes the range, lesser items upwards from its beginning and greater ones downwards from its end.
 */
#ifndef CDPSORT_DEVICE_BLOCK_WARP_SORT_CUH
#define CDPSORT_DEVICE_BLOCK_WARP_SORT_CUH

#include "block/count.cuh"
#include "block/partition.cuh"

namespace cdp::CDP_RUNTIME {

/* Sorts a range of at most LEAF_ITEMS into the caller's array, in the smallest of three networks that holds it. All lanes of
   one warp take part. */
template <typename Bits>
__device__ __forceinline__ void warp_sort_leaf(const BlockRules<Bits> &rules, const Range &range) {
  using Block = Shape<Bits>;
  constexpr uint32_t ITEMS = Block::LEAF_ITEMS_PER_LANE;
  const Bits *source = rules.side(range.side) + range.begin;
  Bits *keys = rules.side(Side::keys) + range.begin;
  const uint32_t count = static_cast<uint32_t>(range.items());
  if (count <= Block::LEAF_ITEMS / 4)
    warp_sort_keys<Bits, ITEMS / 4>(source, keys, count, rules.map, range.is_raw(), true);
  else if (count <= Block::LEAF_ITEMS / 2)
    warp_sort_keys<Bits, ITEMS / 2>(source, keys, count, rules.map, range.is_raw(), true);
  else
    warp_sort_keys<Bits, ITEMS>(source, keys, count, rules.map, range.is_raw(), true);
}

/* Sorts a range by the bitonic network, in this warp alone. All lanes take part. */
template <typename Bits>
__device__ inline void warp_sort_by_network(const BlockRules<Bits> &rules, const Range &range) {
  for (NetworkStep step = first_network_step<Bits>(); step.size != 0; step = next_network_step<Bits>(step, range.items())) {
    network_pieces_fallback(rules, range, step, 0, 1);
    __syncwarp();
  }
}

/* The numbers of items that a partition found less and greater than its pivot. */
struct PartItems {
  uint32_t less;
  uint32_t greater;
};

/* Partitions a piece from its side to the other, and writes its equal keys. All lanes take part, and see what was written. */
template <typename Bits>
__device__ __forceinline__ PartItems warp_partition(const BlockRules<Bits> &rules, const Piece &piece) {
  constexpr uint32_t ROWS = Shape<Bits>::TILE_ITEMS_PER_THREAD;
  const uint32_t lane = threadIdx.x % WARP_LANES;
  const uint32_t lower_lanes = (1u << lane) - 1;
  const Bits *source = rules.side(piece.side()) + piece.begin;
  Bits *destination = rules.side(other(piece.side())) + piece.begin;
  const Bits pivot = warp_choose_pivot<Bits, WARP_SAMPLES_PER_LANE>(rules, piece.range());
  uint32_t less_end = 0;
  uint32_t greater_begin = piece.items;
  for (uint32_t first = 0; first < piece.items; first += ROWS * WARP_LANES) {
    Bits rows[ROWS];
    load_rows<Bits>(rows, source, piece.items, first, pivot, rules.map, piece.range().is_raw());
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++) {
      const uint32_t less = __ballot_sync(ALL_LANES, rows[row] < pivot);
      const uint32_t greater = __ballot_sync(ALL_LANES, rows[row] > pivot);
      greater_begin -= __popc(greater);
      if (rows[row] != pivot)
        destination[rows[row] < pivot ? less_end + __popc(less & lower_lanes) : greater_begin + __popc(greater & lower_lanes)] =
            rows[row];
      less_end += __popc(less);
    }
  }
  fill_range<Bits>(rules, piece.begin + less_end, piece.begin + greater_begin, pivot, lane, WARP_LANES);
  __syncwarp();
  return {less_end, piece.items - greater_begin};
}

/* Counts a partition in two parts, and keys equal to the pivot, by a block or a warp. For one thread. */
__device__ inline void count_two_parts(cdp_study_depth *counters, uint32_t depth, uint64_t items, uint64_t equal_items) {
  count_partition(counters, depth, items, items + items - equal_items);
  count_equal(counters, depth, equal_items);
}

/*
 * The ranges that a warp has still to sort: entry e lies in the registers of lane e, since so short a stack is not worth shared
 * memory. Members are for all lanes of the warp together, with the same arguments.
 */
struct WarpStack {
  Piece held;
  uint32_t entries;

  __device__ __forceinline__ void push(const Piece &piece) {
    if (threadIdx.x % WARP_LANES == entries)
      held = piece;
    entries++;
  }
  __device__ __forceinline__ Piece pop() {
    entries--;
    const int lane = static_cast<int>(entries);
    return {__shfl_sync(ALL_LANES, held.begin, lane), __shfl_sync(ALL_LANES, held.items, lane),
            __shfl_sync(ALL_LANES, held.side_and_depth, lane)};
  }
};

/* Partitions a piece until what is at hand is a leaf or at the depth limit; larger parts go on the stack. All lanes take part.
 */
template <typename Bits>
__device__ __forceinline__ Piece warp_descend(const BlockRules<Bits> &rules, Piece piece, WarpStack &stack) {
  while (piece.items > rules.leaf_items && piece.depth() < rules.depth_limit) {
    const PartItems parts = warp_partition<Bits>(rules, piece);
    if (threadIdx.x % WARP_LANES == 0)
      count_two_parts(rules.counters, piece.depth(), piece.items, piece.items - parts.less - parts.greater);
    const uint32_t side_and_depth = (piece.side_and_depth ^ 0x80000000u) + 1;
    const Piece lesser = {piece.begin, parts.less, side_and_depth};
    const Piece greater = {piece.begin + piece.items - parts.greater, parts.greater, side_and_depth};
    const bool lesser_is_longer = parts.less > parts.greater;
    stack.push(lesser_is_longer ? lesser : greater);
    piece = lesser_is_longer ? greater : lesser;
  }
  return piece;
}

/*
 * Sorts a piece into the caller's array.
 * - All lanes of the warp take part, with the same arguments; no barrier of the block.
 * - What the piece holds must be visible to the warp.
 */
template <typename Bits>
__device__ __forceinline__ void warp_sort(const BlockRules<Bits> &rules, Piece piece) {
  const bool leader = threadIdx.x % WARP_LANES == 0;
  WarpStack stack = {};
  for (;;) {
    piece = warp_descend<Bits>(rules, piece, stack);
    if (piece.items > rules.leaf_items) {
      if (leader) {
        count_at(rules.counters, piece.depth(), &cdp_study_depth::fallback_depth, 1);
        count_network<Bits>(rules.counters, piece.depth(), piece.items);
      }
      warp_sort_by_network<Bits>(rules, piece.range());
    } else if (piece.items != 0) {
      if (leader)
        count_leaves(rules.counters, piece.depth(), 1, piece.items);
      warp_sort_leaf<Bits>(rules, piece.range());
    }
    if (stack.entries == 0)
      return;
    piece = stack.pop();
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
