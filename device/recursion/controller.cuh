/* SPDX-License-Identifier: MIT */
/*
 * Launch scheme "controller" (seed 004, algorithm 4.5.2: CDP version 2), remade for CDP2. The thesis' controller launches the
 * workers, waits for them with cudaDeviceSynchronize(), and launches two controllers for the parts.
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
template <typename Order>
__device__ inline ControllerOutcome launch_workers(const Sort<typename Order::Bits> &sort, uint32_t slot) {
  using Bits = typename Order::Bits;
  Task &task = sort.tasks[slot];
  const int tail = launch_grid(sort, ChildStream::tail, sorting_grid<Bits>(1), CDP_TRACE_CONTINUATION, task.range,
                               continuation_kernel<Order>, slot);
  if (tail != LAUNCH_OK)
    return ControllerOutcome::nothing_launched;
  const int workers = launch_grid(sort, sort.child_stream, sorting_grid<Bits>(task.block_count), CDP_TRACE_PARTITION,
                                  task.range, worker_kernel<Order>, slot);
  if (workers != LAUNCH_OK) {
    task.workers_refused = 1;
    __threadfence();
  }
  return ControllerOutcome::launched;
}

/* Sorts a task's whole range in this block, for want of workers. All threads take part. */
template <typename Order>
__device__ inline void sort_refused_task(const Sort<typename Order::Bits> &sort, uint32_t slot, BlockStorage &storage) {
  const Range range = sort.tasks[slot].range;
  if (threadIdx.x == 0)
    count_at(sort.rules.counters, range.depth, &cdp_study_depth::fallback_refused, 1);
  block_sort_fallback<Order>(sort.rules, range, storage);
}

template <typename Order>
__global__ void __launch_bounds__(Shape<typename Order::Bits>::BLOCK_THREADS, Shape<typename Order::Bits>::RESIDENT_BLOCKS)
    controller_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, uint32_t slot) {
  BlockStorage &storage = block_shared<BlockStorage>();
  const TraceScope scope(sort, event, storage);
  if (threadIdx.x == 0)
    storage.flag = static_cast<uint32_t>(launch_workers<Order>(sort, slot));
  __syncthreads();
  if (storage.flag == static_cast<uint32_t>(ControllerOutcome::nothing_launched))
    sort_refused_task<Order>(sort, slot, storage);
}

template <typename Order>
__global__ void __launch_bounds__(Shape<typename Order::Bits>::BLOCK_THREADS, Shape<typename Order::Bits>::RESIDENT_BLOCKS)
    worker_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, uint32_t slot) {
  const TraceScope scope(sort, event);
  partition_share<Order>(sort, sort.tasks[slot], blockIdx.x, block_shared<BlockStorage>());
}

template <typename Order>
__global__ void __launch_bounds__(Shape<typename Order::Bits>::BLOCK_THREADS, Shape<typename Order::Bits>::RESIDENT_BLOCKS)
    continuation_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, uint32_t slot) {
  BlockStorage &storage = block_shared<BlockStorage>();
  const TraceScope scope(sort, event, storage);
  if (sort.tasks[slot].workers_refused != 0)
    sort_refused_task<Order>(sort, slot, storage);
  else
    finish_task<Order, DeviceStarter<Order>>(sort, slot, storage);
}

} // namespace cdp::CDP_RUNTIME

#endif
