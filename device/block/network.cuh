/* SPDX-License-Identifier: MIT */
/*
 * Bitonic sort of a range of any length, as a sequence of steps with a barrier over all its blocks between one step and the
 * next. What the recursion falls back on at its depth limit: no pivot, no bad input, O(n log^2 n) always.
 *
 *   1. sort leaves: every leaf of LEAF_ITEMS by a warp in registers; from the side that holds the range, to the caller's array.
 *   2. for size = 2 leaves, 4 leaves, ... up to the range:
 *        flip:       item i of each size-block with its mirror image, in global memory
 *        cross:      items `distance` apart, for distance = size / 4 down to a leaf, in global memory
 *        merge:      the remaining distances within every leaf, by a warp in registers
 *
 * Keys enter in the first step, if they are raw, and leave in the last one, which is always a step on leaves; in between the
 * caller's array holds entered keys.
 *
 * Padding is virtual: a comparator whose partner lies past the end does nothing (see bitonic.cuh). The launching is done
 * elsewhere (recursion/network_grid.cuh and host_levels.cuh for many blocks, block_sort() for one, warp_sort() for one warp).
 */
#ifndef CDPSORT_DEVICE_BLOCK_NETWORK_CUH
#define CDPSORT_DEVICE_BLOCK_NETWORK_CUH

#include "block/bitonic.cuh"

namespace cdp::CDP_RUNTIME {

/* One step of the sequence. size 0: it is over. distance 0: a step on leaves, sorting them where size is a leaf's. */
struct NetworkStep {
  uint64_t size;
  uint64_t distance;
};

template <typename Bits>
__host__ __device__ inline NetworkStep first_network_step() {
  return {Shape<Bits>::LEAF_ITEMS, 0};
}

/* The step after this one, for a range of `items`. */
template <typename Bits>
__host__ __device__ inline NetworkStep next_network_step(NetworkStep step, uint64_t items) {
  if (step.distance == 0) {
    if (step.size >= items)
      return {0, 0};
    return {step.size * 2, step.size};
  }
  const uint64_t distance = step.distance / 2;
  return {step.size, distance < Shape<Bits>::LEAF_ITEMS ? 0 : distance};
}

/* The pieces of work a step consists of, one warp's each: leaves, or as many comparators. */
template <typename Bits>
__host__ __device__ inline uint64_t network_step_pieces(NetworkStep step, uint64_t items) {
  if (step.distance == 0)
    return (items + Shape<Bits>::LEAF_ITEMS - 1) / Shape<Bits>::LEAF_ITEMS;
  const uint64_t size_blocks = (items + step.size - 1) / step.size;
  return size_blocks * (step.size / 2) / Shape<Bits>::LEAF_ITEMS;
}

/* Blocks of a grid that does one step. */
template <typename Bits>
__host__ __device__ inline uint32_t network_blocks(NetworkStep step, uint64_t items, uint32_t max_blocks) {
  const uint64_t blocks = (network_step_pieces<Bits>(step, items) + Shape<Bits>::BLOCK_WARPS - 1) / Shape<Bits>::BLOCK_WARPS;
  return blocks < max_blocks ? static_cast<uint32_t>(blocks) : max_blocks;
}

/* The comparators of one piece of a flip or cross step. */
template <typename Bits>
__device__ __forceinline__ void compare_in_memory(Bits *keys, uint64_t items, NetworkStep step, uint64_t piece) {
  const bool flip = step.distance * 2 == step.size;
#pragma unroll 4
  for (uint32_t index = threadIdx.x % WARP_LANES; index < Shape<Bits>::LEAF_ITEMS; index += WARP_LANES) {
    const uint64_t comparator = piece * Shape<Bits>::LEAF_ITEMS + index;
    const uint64_t within = comparator & (step.distance - 1);
    const uint64_t base = (comparator - within) * 2;
    const uint64_t low = base + within;
    const uint64_t high = flip ? base + step.size - 1 - within : low + step.distance;
    if (high >= items)
      continue;
    const Bits low_key = keys[low];
    const Bits high_key = keys[high];
    if (high_key < low_key) {
      keys[low] = high_key;
      keys[high] = low_key;
    }
  }
}

/*
 * Does a warp's share of a step: pieces first_piece, first_piece + piece_step, ... All lanes take part; no barrier. All shares
 * must be done, and their writes visible, before the next step begins.
 */
template <typename Bits>
__device__ __forceinline__ void do_network_pieces(const BlockRules<Bits> &rules, const Range &range, NetworkStep step,
                                                  uint64_t first_piece, uint64_t piece_step) {
  using Block = Shape<Bits>;
  const uint64_t items = range.items();
  const uint64_t pieces = network_step_pieces<Bits>(step, items);
  const bool is_last_step = step.distance == 0 && step.size >= items;
  Bits *keys = rules.side(Side::keys) + range.begin;
  const Bits *source = rules.side(range.side) + range.begin;
  for (uint64_t piece = first_piece; piece < pieces; piece += piece_step) {
    if (step.distance != 0) {
      compare_in_memory(keys, items, step, piece);
      continue;
    }
    const uint64_t leaf = piece * Block::LEAF_ITEMS;
    const uint64_t remaining = items - leaf;
    const uint32_t count = remaining < Block::LEAF_ITEMS ? static_cast<uint32_t>(remaining) : Block::LEAF_ITEMS;
    if (step.size == Block::LEAF_ITEMS) {
      warp_sort_keys<Bits, Block::LEAF_ITEMS_PER_LANE>(source + leaf, keys + leaf, count, rules.map, range.is_raw(),
                                                       is_last_step);
      continue;
    }
    Bits leaf_items[Block::LEAF_ITEMS_PER_LANE];
    load_striped(leaf_items, keys + leaf, count, rules.map, false);
    turn_arrangement(leaf_items);
    warp_bitonic_merge(leaf_items);
    turn_arrangement(leaf_items);
    store_striped(leaf_items, keys + leaf, count, rules.map, is_last_step);
  }
}

/* The same, not inlined: it is two networks of the greatest leaves, and many hardly ever come to need it. Alone, as a kernel's
   whole work, it takes a third longer so. */
template <typename Bits>
__device__ __noinline__ void network_pieces_fallback(const BlockRules<Bits> &rules, const Range &range, NetworkStep step,
                                                     uint64_t first_piece, uint64_t piece_step) {
  do_network_pieces(rules, range, step, first_piece, piece_step);
}

} // namespace cdp::CDP_RUNTIME

#endif
