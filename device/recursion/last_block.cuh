/* SPDX-License-Identifier: MIT */
/*
 * Launch scheme "last block" (Xuan Thang Nguyen, "Development of parallel sorting algorithms for GPU", 2021, algorithm 4.5.1:
 * CDP version 1). A task is one grid: its blocks partition the range, and the last of them to finish launches the children.
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

/* Sorts a task's whole range in this block, for want of workers. All threads take part. */
template <typename Bits>
__device__ inline void sort_refused_task(const Sort<Bits> &sort, uint32_t slot, BlockStorage &storage) {
  const Range range = sort.tasks[slot].range;
  if (threadIdx.x == 0)
    count_at(sort.rules.counters, range.depth, &cdp_study_depth::fallback_refused, 1);
  block_sort_fallback<Bits>(sort.rules, range, storage);
}

/* A task's partition, with a controller or without one, or what goes on behind a controller's workers: whoever comes last
   finishes the task. */
template <typename Bits>
__device__ __forceinline__ void partition_body(const Sort<Bits> &sort, const uint32_t &event, const Work<Bits> &work) {
  BlockStorage &storage = block_shared<BlockStorage>();
  const TraceScope scope(sort, event, storage);
  Task &task = sort.tasks[work.slot];
  if (work.step != Step::continuation) {
    partition_share(sort, task, blockIdx.x, storage);
    if (work.step == Step::worker || !is_last_block(&task.done_blocks, gridDim.x, storage))
      return;
  } else if (task.workers_refused != 0) {
    sort_refused_task(sort, work.slot, storage);
    return;
  }
  finish_task<Bits, DeviceStarter<Bits>>(sort, work.slot, storage);
}

} // namespace cdp::CDP_RUNTIME

#endif
