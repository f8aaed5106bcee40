/* SPDX-License-Identifier: MIT */
/*
 * What comes after the recursion: the ranges that were put aside. The root launches a batch as its tail, so it runs when every
 * grid of the recursion is complete.
 *
 *  1. A batch starts at most task_budget tasks and defers the others, so that pending launches stay below the runtime's limit.
 *  2. A batch begins alone: everything before it is complete, and nobody adds to the lists meanwhile.
 *  3. Deferred tasks come before collected ranges, since they will add to those.
 *  Therefore a batch that finds deferred tasks launches the next batch behind itself, and starts as many as the budget allows;
 *  one that finds none launches one grid for all collected ranges, a block each, and is the last.
 */
#ifndef CDPSORT_DEVICE_RECURSION_BATCHES_CUH
#define CDPSORT_DEVICE_RECURSION_BATCHES_CUH

#include "recursion/child.cuh"

namespace cdp::CDP_RUNTIME {

/* Has the collected ranges sorted, by a grid or, if it is refused, by this block. All threads take part. */
template <typename Bits>
__device__ inline void finish_collected(const Sort<Bits> &sort, BlockStorage &storage) {
  // Tasks with many children have theirs sorted as soon as they are listed.
  const uint32_t count = sort.fan_out == CDP_FAN_OUT_CLASSIC ? collected_ranges(sort, *sort.control) : 0;
  if (count == 0)
    return;
  __syncthreads();
  if (threadIdx.x == 0) {
    Range all = whole_range(sort);
    all.depth = sort.collected[0].depth;
    storage.flag = !DeviceStarter<Bits>::sort_ranges(sort, 0, count, all);
  }
  __syncthreads();
  if (storage.flag == 0)
    return;
  for (uint32_t index = 0; index < count; index++) {
    const Range range = sort.collected[index];
    if (threadIdx.x == 0)
      count_at(sort.rules.counters, range.depth, &cdp_study_depth::fallback_refused, 1);
    block_sort_fallback<Bits>(sort.rules, range, storage);
  }
}

/* Launches the next batch behind this grid, or turns collecting and deferring off for good. For one thread. */
template <typename Bits>
__device__ inline void launch_batch(const Sort<Bits> &sort) {
  const int error = launch_grid(sort, {ChildStream::tail, sorting_grid<Bits>(1), CDP_TRACE_BATCH, whole_range(sort)},
                                work_for<Bits>(Step::batch));
  sort.control->collecting = error == LAUNCH_OK;
  __threadfence();
}

/*
 * Starts the tasks of a list, which nobody adds to. Those that are refused move to its front and are sorted in this block when
 * all others have been started. All threads take part.
 */
template <typename Bits>
__device__ inline void start_deferred(const Sort<Bits> &sort, uint32_t *slots, uint32_t count, BlockStorage &storage) {
  constexpr uint32_t BLOCK_THREADS = Shape<Bits>::BLOCK_THREADS;
  if (threadIdx.x == 0)
    storage.flag = 0;
  for (uint32_t first = 0; first < count; first += BLOCK_THREADS) {
    const uint32_t index = first + threadIdx.x;
    const uint32_t slot = index < count ? slots[index] : NO_SLOT;
    __syncthreads();
    if (slot != NO_SLOT && start_or_defer<DeviceStarter<Bits>>(sort, slot) == Fate::in_block)
      slots[atomicAdd(&storage.flag, 1u)] = slot;
  }
  __syncthreads();
  const uint32_t refused = storage.flag;
  for (uint32_t index = 0; index < refused; index++)
    block_sort_fallback<Bits>(sort.rules, sort.tasks[slots[index]].range, storage);
}

template <typename Bits>
__device__ __forceinline__ void batch_body(const Sort<Bits> &sort, const uint32_t &event) {
  BlockStorage &storage = block_shared<BlockStorage>();
  const TraceScope scope(sort, event, storage);
  const uint32_t side = sort.control->list_side;
  const uint32_t deferred = sort.control->list_count[side];
  __syncthreads();
  if (threadIdx.x == 0)
    give_launches_back(sort); // those of the batches before, which are complete
  if (deferred == 0) {
    finish_collected<Bits>(sort, storage);
    return;
  }
  if (threadIdx.x == 0) {
    sort.control->batches++;
    sort.control->tasks_in_batch = 0;
    sort.control->list_side = 1 - side;
    sort.control->list_count[1 - side] = 0;
    launch_batch<Bits>(sort);
    storage.flag = sort.control->collecting;
  }
  __syncthreads();
  const bool another_follows = storage.flag != 0;
  __syncthreads();
  start_deferred<Bits>(sort, sort.lists[side], deferred, storage);
  if (!another_follows)
    finish_collected<Bits>(sort, storage);
}

} // namespace cdp::CDP_RUNTIME

#endif
