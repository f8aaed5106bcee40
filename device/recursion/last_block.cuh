/* SPDX-License-Identifier: MIT */
/*
 * Launch scheme "last block" (seed 004, algorithm 4.5.1: CDP version 1). A task is one grid: its blocks partition the range,
 * and the last of them to finish launches the children.
 *
 *  1. A grid is complete only when its children are, so nobody waits for anybody: the root's completion is the sort's.
 *  2. A fire-and-forget child may start while the launching grid still has blocks; here it has none but the last, which does
 *     not touch a part any more once it has launched that part's child.
 *  3. What a child reads was written by other blocks: they fenced before they added themselves to the done-counter, and the
 *     last block fences after (is_last_block()); what the last block itself wrote, the launch makes visible.
 *  Therefore one counter and one launch a child are all the synchronisation there is.
 */
#ifndef CDPSORT_DEVICE_RECURSION_LAST_BLOCK_CUH
#define CDPSORT_DEVICE_RECURSION_LAST_BLOCK_CUH

#include "recursion/child.cuh"

namespace cdp::CDP_RUNTIME {

template <typename Order>
__global__ void __launch_bounds__(Shape<typename Order::Bits>::BLOCK_THREADS, Shape<typename Order::Bits>::RESIDENT_BLOCKS)
    partition_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, uint32_t slot) {
  BlockStorage &storage = block_shared<BlockStorage>();
  const TraceScope scope(sort, event, storage);
  Task &task = sort.tasks[slot];
  partition_share<Order>(sort, task, blockIdx.x, storage);
  if (is_last_block(&task.done_blocks, gridDim.x, storage))
    finish_task<Order, DeviceStarter<Order>>(sort, slot, storage);
}

} // namespace cdp::CDP_RUNTIME

#endif
