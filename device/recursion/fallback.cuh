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
template <typename Bits>
__device__ inline bool launch_next_step(const Sort<Bits> &sort, const Range &range, NetworkStep next, uint32_t slot) {
  sort.tasks[slot].done_blocks = 0;
  __threadfence();
  const uint32_t blocks = network_blocks<Bits>(next, range.items(), sort.max_blocks);
  return launch_grid(sort, {ChildStream::tail, sorting_grid<Bits>(blocks), CDP_TRACE_NETWORK, range},
                     Work<Bits>{Step::network, slot, 0, range, next, 0}) == LAUNCH_OK;
}

template <typename Bits>
__device__ __forceinline__ void network_body(const Sort<Bits> &sort, const uint32_t &event, const Work<Bits> &work) {
  const Range range = work.range;
  BlockStorage &storage = block_shared<BlockStorage>();
  const TraceScope scope(sort, event, storage);
  do_network_share(sort, range, work.network);
  if (!is_last_block(&sort.tasks[work.slot].done_blocks, gridDim.x, storage))
    return;
  const NetworkStep next = next_network_step<Bits>(work.network, range.items());
  if (next.size == 0)
    return;
  if (threadIdx.x == 0)
    storage.flag = launch_next_step(sort, range, next, work.slot);
  __syncthreads();
  if (storage.flag != 0)
    return;
  if (threadIdx.x == 0)
    count_at(sort.rules.counters, range.depth, &cdp_study_depth::fallback_refused, 1);
  sort_by_network<Bits>(sort.rules, range, next);
}

template <typename Bits>
__device__ __forceinline__ void fill_body(const Sort<Bits> &sort, const uint32_t &event, const Work<Bits> &work) {
  const TraceScope scope(sort, event);
  fill_range(sort.rules, work.range.begin, work.range.end, work.key, uint64_t{blockIdx.x} * blockDim.x + threadIdx.x,
             uint64_t{gridDim.x} * blockDim.x);
}

} // namespace cdp::CDP_RUNTIME

#endif
