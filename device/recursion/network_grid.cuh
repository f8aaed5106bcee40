/* SPDX-License-Identifier: MIT */
/*
 * The device-wide bitonic sort of a range at the depth limit (block/network.cuh), a grid for each step.
 *
 *  1. The steps of the network need a barrier over all blocks between them, and a grid that the device launches has none.
 *  2. The last block of a step knows that the step is done, and a tail launch runs when the whole grid is complete.
 *  3. One tail launch is pending at a time, however long the network.
 *  Therefore each step's last block launches the next step as the grid's tail; if that is refused, it does the remaining steps
 *  by itself, since all other blocks are done.
 */
#ifndef CDPSORT_DEVICE_RECURSION_NETWORK_GRID_CUH
#define CDPSORT_DEVICE_RECURSION_NETWORK_GRID_CUH

#include "recursion/driver_device.cuh"

namespace cdp::CDP_RUNTIME {

template <typename Bits>
__device__ __forceinline__ void network_body(const Sort<Bits> &sort, const uint32_t &event, const Work<Bits> &work) {
  constexpr uint64_t BLOCK_WARPS = Shape<Bits>::BLOCK_WARPS;
  const Range range = work.range;
  Task &task = sort.tasks[work.slot];
  BlockStorage &storage = block_shared<BlockStorage>();
  const TraceScope scope(sort, event, storage);
  do_network_pieces(sort.rules, range, work.network, blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP_LANES,
                    gridDim.x * BLOCK_WARPS);
  if (!is_last_block(&task.done_blocks, gridDim.x, storage))
    return;
  const NetworkStep next = next_network_step<Bits>(work.network, range.items());
  if (next.size != 0) {
    if (threadIdx.x == 0) {
      change_phase(task, Phase::network, Phase::network);
      storage.flag = DeviceDriver::launch_network_step(sort, ChildStream::tail, work.slot, range, next);
      if (storage.flag == 0)
        count_at(sort.rules.counters, range.depth, &cdp_study_depth::fallback_refused, 1);
    }
    __syncthreads();
    if (storage.flag != 0)
      return;
    sort_by_network<Bits>(sort.rules, range, next);
  }
  DeviceDriver::end_task(sort, storage);
}

} // namespace cdp::CDP_RUNTIME

#endif
