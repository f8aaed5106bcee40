/* SPDX-License-Identifier: MIT */
/*
 * Launch scheme "controller" (Xuan Thang Nguyen, "Development of parallel sorting algorithms for GPU", 2021, algorithm 4.5.2:
 * CDP version 2), remade for CDP2. The thesis' controller launches the workers, waits for them with cudaDeviceSynchronize(),
 * and launches two controllers for the parts.
 *
 *  1. CDP2 has no cudaDeviceSynchronize() on the device.
 *  2. A grid's tail launches run, in order, when the grid and all its descendants are complete.
 *  3. A refused launch may leave workers without a continuation, but must not.
 *  Therefore the controller launches the continuation first, as its tail, and the workers after it, fire and forget: the
 *  continuation is what comes after the wait. Where the tail is refused no worker has run, and the controller's block sorts the
 *  range; where the workers are refused, the continuation does.
 */
#ifndef CDPSORT_DEVICE_RECURSION_CONTROLLER_CUH
#define CDPSORT_DEVICE_RECURSION_CONTROLLER_CUH

#include "recursion/last_block.cuh"

namespace cdp::CDP_RUNTIME {

enum class ControllerOutcome : uint32_t { launched, nothing_launched };

/* Launches a task's continuation and workers. For one thread. */
template <typename Bits>
__device__ inline ControllerOutcome launch_workers(const Sort<Bits> &sort, uint32_t slot) {
  Task &task = sort.tasks[slot];
  const int tail = launch_grid(sort, {ChildStream::tail, sorting_grid<Bits>(1), CDP_TRACE_CONTINUATION, task.range},
                               work_for<Bits>(Step::continuation, slot));
  if (tail != LAUNCH_OK)
    return ControllerOutcome::nothing_launched;
  const int workers =
      launch_grid(sort, {sort.child_stream, sorting_grid<Bits>(task.block_count), CDP_TRACE_PARTITION, task.range},
                  work_for<Bits>(Step::worker, slot));
  if (workers != LAUNCH_OK) {
    task.workers_refused = 1;
    __threadfence();
  }
  return ControllerOutcome::launched;
}

template <typename Bits>
__device__ __forceinline__ void controller_body(const Sort<Bits> &sort, const uint32_t &event, uint32_t slot) {
  BlockStorage &storage = block_shared<BlockStorage>();
  const TraceScope scope(sort, event, storage);
  if (threadIdx.x == 0)
    storage.flag = static_cast<uint32_t>(launch_workers<Bits>(sort, slot));
  __syncthreads();
  if (storage.flag == static_cast<uint32_t>(ControllerOutcome::nothing_launched))
    sort_refused_task<Bits>(sort, slot, storage);
}

} // namespace cdp::CDP_RUNTIME

#endif
