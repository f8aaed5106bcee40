/* SPDX-License-Identifier: MIT */
/*
 * Launch batches: tasks that were put off. Where there may be more tasks than the budget of a batch, the root launches the next
 * batch as its tail, so that it runs when every grid of the recursion is complete.
 *
 *  1. A batch starts at most task_budget tasks and defers the others, so that pending launches stay below the runtime's limit.
 *  2. A launch is pending until all its descendants are complete: a batch that was started inside the tree would free nothing.
 *  3. A batch begins alone: everything before it is complete, and nobody adds to the list meanwhile.
 *  Therefore a batch that finds deferred tasks launches the next one behind itself, and starts as many as the budget allows; one
 *  that finds none is the last.
 */
#ifndef CDPSORT_DEVICE_RECURSION_BATCHES_CUH
#define CDPSORT_DEVICE_RECURSION_BATCHES_CUH

#include "recursion/driver_device.cuh"

namespace cdp::CDP_RUNTIME {

/* Launches the next batch behind this grid, or turns deferring off for good. For one thread. */
template <typename Bits>
__device__ inline void launch_batch(const Sort<Bits> &sort) {
  sort.control->deferring =
      launch_grid(sort, {Kernel::thin, ChildStream::tail, thin_grid<Bits>(1), CDP_TRACE_BATCH, whole_range(sort)},
                  work_for<Bits>(Step::batch));
  __threadfence();
}

/* Begins a batch: the list of the turn before is at hand, and what is put off from now on is the next turn's. For one thread. */
template <typename Bits>
__device__ inline void begin_batch(const Sort<Bits> &sort) {
  Control &control = *sort.control;
  control.batches++;
  control.tasks_in_batch = 0;
  control.live_tasks = 1; // this block
  control.turn++;
  control.list_counts[(control.turn + 1) % 3] = 0;
  launch_batch<Bits>(sort);
}

/*
 * Starts the tasks of a list, which nobody adds to. Those that are refused move to its front and are sorted in this block when
 * all others have been started. All threads take part.
 */
template <typename Policy, typename Bits>
__device__ inline void start_deferred(const Sort<Bits> &sort, ListedTask *list, uint32_t count, BlockStorage &storage) {
  if (threadIdx.x == 0)
    storage.flag = 0;
  for (uint32_t first = 0; first < count; first += blockDim.x) {
    const uint32_t index = first + threadIdx.x;
    const uint32_t slot = index < count ? list[index].slot : NO_SLOT;
    __syncthreads();
    if (slot != NO_SLOT && start_or_defer<Policy, DeviceDriver>(sort, slot) == Disposition::in_block)
      list[atomicAdd(&storage.flag, 1u)].slot = slot;
  }
  __syncthreads();
  const uint32_t refused = storage.flag;
  for (uint32_t index = 0; index < refused; index++)
    block_sort_fallback<Bits>(sort.rules, sort.tasks[list[index].slot].range, storage);
}

template <typename Bits>
__device__ __forceinline__ void batch_body(const Sort<Bits> &sort, const uint32_t &event) {
  BlockStorage &storage = block_shared<BlockStorage>();
  const TraceScope scope(sort, event, storage);
  const uint32_t turn = sort.control->turn + 1;
  const uint32_t deferred = static_cast<uint32_t>(sort.control->list_counts[turn % 3] >> 32);
  __syncthreads();
  if (threadIdx.x == 0)
    give_launches_back(sort); // those of the batches before, which are complete
  if (deferred == 0)
    return;
  if (threadIdx.x == 0)
    begin_batch(sort);
  __syncthreads();
  if (sort.fan_out == CDP_FAN_OUT_CLASSIC)
    start_deferred<TwoWay<Bits>>(sort, sort.lists[turn % 2], deferred, storage);
  else
    start_deferred<Multiway<Bits>>(sort, sort.lists[turn % 2], deferred, storage);
  DeviceDriver::end_task(sort, storage);
}

} // namespace cdp::CDP_RUNTIME

#endif
