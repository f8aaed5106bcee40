/* SPDX-License-Identifier: MIT */
/*
 * One block sorts a range of any length by itself: the second phase of Xuan Thang Nguyen, "Development of parallel sorting
 * algorithms for GPU" (2021, algorithm 4.3.3), and what every refused launch ends in.
 *
 *  1. Take a range from the stack (in shared memory).
 *  2. At the depth limit: sort it by the bitonic network, whatever its length.
 *  3. Otherwise partition it around a pivot and write the keys equal to the pivot.
 *  4. A part that is short enough for a warp joins the gathered pieces; longer ones go on the stack, the longer of two below
 *     the shorter: the stack never holds more than log2 of the items.
 *  5. When pieces have gathered, or the stack is empty, the warps sort the pieces side by side (warp_sort.cuh).
 */
#ifndef CDPSORT_DEVICE_BLOCK_SORT_CUH
#define CDPSORT_DEVICE_BLOCK_SORT_CUH

#include "block/warp_sort.cuh"

namespace cdp::CDP_RUNTIME {

/* Has the block's warps sort the gathered pieces. All threads take part; begins and ends with a barrier. Not inlined: three
   networks. */
template <typename Bits>
__device__ __noinline__ void sort_gathered_pieces(const BlockRules<Bits> &rules, BlockStorage &storage) {
  __syncthreads();
  for (;;) {
    uint32_t piece = 0;
    if (threadIdx.x % WARP_LANES == 0)
      piece = atomicAdd(&storage.pieces_taken, 1u);
    piece = __shfl_sync(ALL_LANES, piece, 0);
    if (piece >= storage.piece_entries)
      break;
    warp_sort<Bits>(rules, storage.pieces[piece]);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    storage.piece_entries = 0;
    storage.pieces_taken = 0;
  }
  __syncthreads();
}

/* Sorts a range by the bitonic network from a step on, in this block alone. All threads take part; ends with a barrier. */
template <typename Bits>
__device__ inline void sort_by_network(const BlockRules<Bits> &rules, const Range &range, NetworkStep step) {
  for (; step.size != 0; step = next_network_step<Bits>(step, range.items())) {
    network_pieces_fallback(rules, range, step, threadIdx.x / WARP_LANES, blockDim.x / WARP_LANES);
    __syncthreads();
  }
}

/*
 * Partitions a range by this block alone and writes its equal keys. The lesser and greater items' numbers are in
 * storage.part_items afterwards, valid in every thread until it is written again. All threads take part.
 */
template <typename Bits>
__device__ inline void block_partition(const BlockRules<Bits> &rules, const Range &range, BlockStorage &storage) {
  if (threadIdx.x < WARP_LANES) {
    const Bits chosen = warp_choose_pivot<Bits, BLOCK_SAMPLES_PER_LANE>(rules, range);
    if (threadIdx.x == 0)
      storage.pivot = chosen;
  }
  if (threadIdx.x < 2)
    storage.part_items[threadIdx.x] = 0;
  __syncthreads();
  const Bits pivot = static_cast<Bits>(storage.pivot);
  partition_rows<Bits>(rules, range, pivot, PartCounters{&storage.part_items[0], &storage.part_items[1]});
  fill_range<Bits>(rules, range.begin + storage.part_items[0], range.end - storage.part_items[1], pivot, threadIdx.x,
                   blockDim.x);
}

/* Puts a range where it belongs: among the pieces, or on the stack. For one thread. */
template <typename Bits>
__device__ inline void put_range(const BlockRules<Bits> &rules, const Range &range, BlockStorage &storage) {
  if (range.items() == 0)
    return;
  if (range.items() <= rules.piece_items)
    storage.pieces[storage.piece_entries++] = piece_of(range);
  else
    storage.stack[storage.stack_entries++] = range;
}

/* Puts both parts of a partitioned range, the longer one first. For one thread. */
template <typename Bits>
__device__ inline void put_parts(const BlockRules<Bits> &rules, const Range &range, BlockStorage &storage) {
  const Range lesser = {range.begin, range.begin + storage.part_items[0], other(range.side), range.depth + 1};
  const Range greater = {range.end - storage.part_items[1], range.end, other(range.side), range.depth + 1};
  const bool lesser_is_longer = lesser.items() > greater.items();
  put_range(rules, lesser_is_longer ? lesser : greater, storage);
  put_range(rules, lesser_is_longer ? greater : lesser, storage);
  count_two_parts(rules.counters, range.depth, range.items(), range.items() - lesser.items() - greater.items());
}

/*
 * Sorts a range into the caller's array.
 * - All threads of the block take part, with the same arguments; begins and ends with a barrier.
 * - What the range holds must be visible to the block; so is to it, afterwards, what it wrote.
 * - Of storage, flag, is_in_block and children are left alone.
 */
template <typename Bits>
__device__ __forceinline__ void block_sort(const BlockRules<Bits> &rules, const Range &whole, BlockStorage &storage) {
  __syncthreads();
  if (threadIdx.x == 0) {
    storage.stack_entries = 0;
    storage.piece_entries = 0;
    storage.pieces_taken = 0;
    put_range(rules, whole, storage);
  }
  for (;;) {
    __syncthreads();
    const uint32_t entries = storage.stack_entries;
    // a partition adds two pieces at most
    if (entries == 0 || storage.piece_entries + 2 > BLOCK_PIECE_ENTRIES)
      sort_gathered_pieces(rules, storage);
    if (entries == 0)
      break;
    const Range range = storage.stack[entries - 1];
    __syncthreads();
    if (threadIdx.x == 0)
      storage.stack_entries = entries - 1;
    if (range.depth >= rules.depth_limit) {
      if (threadIdx.x == 0) {
        count_at(rules.counters, range.depth, &cdp_study_depth::fallback_depth, 1);
        count_network<Bits>(rules.counters, range.depth, range.items());
      }
      sort_by_network<Bits>(rules, range, first_network_step<Bits>());
    } else {
      block_partition<Bits>(rules, range, storage);
      if (threadIdx.x == 0)
        put_parts(rules, range, storage);
    }
  }
}

/* block_sort(), not inlined: for kernels that may come to need it, but hardly ever do. */
template <typename Bits>
__device__ __noinline__ void block_sort_fallback(const BlockRules<Bits> &rules, Range whole, BlockStorage &storage) {
  block_sort<Bits>(rules, whole, storage);
}

} // namespace cdp::CDP_RUNTIME

#endif
