/* SPDX-License-Identifier: MIT */
/*
 * Grids that help out: the device-wide bitonic sort of a range at the depth limit, and the writing of many equal keys.
 *
 *  1. The steps of the network need a barrier over all blocks between them, and a grid has none.
 *  2. The last block of a step knows that the step is done, and a tail launch runs when the whole grid is complete.
 *  3. One tail launch is pending at a time, however long the network.
 *  Therefore each step's last block launches the next step as the grid's tail; if that is refused, it does the remaining steps
 *  by itself, since all other blocks are done.
 */
#ifndef CDPSORT_DEVICE_RECURSION_FALLBACK_CUH
#define CDPSORT_DEVICE_RECURSION_FALLBACK_CUH

#include "recursion/child.cuh"

namespace cdp::CDP_RUNTIME {

/* Launches the next step behind this grid. False if it was refused. For one thread. */
template <typename Order>
__device__ inline bool launch_next_step(const Sort<typename Order::Bits> &sort, const Range &range, NetworkStep next,
                                        uint32_t slot) {
  using Bits = typename Order::Bits;
  sort.tasks[slot].done_blocks = 0;
  __threadfence();
  const uint32_t blocks = network_blocks<Bits>(next, range.items(), sort.blocks_most);
  return launch_grid(sort, ChildStream::tail, sorting_grid<Bits>(blocks), CDP_TRACE_NETWORK, range, network_kernel<Order>,
                     range, next, slot) == LAUNCH_OK;
}

template <typename Order>
__global__ void __launch_bounds__(Shape<typename Order::Bits>::BLOCK_THREADS, Shape<typename Order::Bits>::RESIDENT_BLOCKS)
    network_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, Range range, NetworkStep step,
                   uint32_t slot) {
  BlockStorage &storage = block_shared<BlockStorage>();
  const TraceScope scope(sort, event, storage);
  do_network_share<Order>(sort, range, step);
  if (!is_last_block(&sort.tasks[slot].done_blocks, gridDim.x, storage))
    return;
  const NetworkStep next = next_network_step<typename Order::Bits>(step, range.items());
  if (next.size == 0)
    return;
  if (threadIdx.x == 0)
    storage.flag = launch_next_step<Order>(sort, range, next, slot);
  __syncthreads();
  if (storage.flag != 0)
    return;
  if (threadIdx.x == 0)
    count_at(sort.rules.counters, range.depth, &cdp_study_depth::fallback_refused, 1);
  sort_by_network<Order>(sort.rules, range, next);
}

template <typename Order>
__global__ void __launch_bounds__(Shape<typename Order::Bits>::BLOCK_THREADS, Shape<typename Order::Bits>::RESIDENT_BLOCKS)
    fill_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, uint64_t begin, uint64_t end,
                typename Order::Bits key) {
  const TraceScope scope(sort, event);
  fill_range<Order>(sort.rules, begin, end, key, uint64_t{blockIdx.x} * blockDim.x + threadIdx.x,
                    uint64_t{gridDim.x} * blockDim.x);
}

} // namespace cdp::CDP_RUNTIME

#endif
