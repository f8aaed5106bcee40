/* SPDX-License-Identifier: MIT */
/*
 * The root of a sort by multiway tasks, and the look that it has taken at an array that seems to be in order. The array is
 * task 0. The root stands for it: it prepares it by itself, unless a controller must.
 *
 *     root ──▶ count ...                          the sample is in no order
 *     root ──▶ look                               it is, and so is the array; or it was in the opposite order
 *     root ──▶ look ──▶ prepare ──▶ count ...     it is, but the array is not
 */
#ifndef CDPSORT_DEVICE_RECURSION_PRESORTED_ARRAY_CUH
#define CDPSORT_DEVICE_RECURSION_PRESORTED_ARRAY_CUH

#include "recursion/batches.cuh"
#include "recursion/multiway_children.cuh"

namespace cdp::CDP_RUNTIME {

/* Counts task 0 as started. Not by enter_batch(): there is no other task yet that it could be too many with. For one thread. */
template <typename Bits>
__device__ inline void enter_first_task(const Sort<Bits> &sort) {
  sort.control->tasks_in_batch = 1;
  sort.control->max_tasks_in_batch = 1;
}

/* Launches the look. False if it is refused: then nobody looks. All threads of the block take part. */
template <typename Bits>
__device__ inline bool launch_look(const Sort<Bits> &sort, Direction direction, BlockStorage &storage) {
  if (threadIdx.x == 0)
    storage.flag = launch_grid(
        sort, {Kernel::fat, sort.child_stream, fat_grid(sort, sort.tasks[0].block_count), CDP_TRACE_LOOK, whole_range(sort)},
        work_for<Bits>(Step::look, 0, static_cast<uint32_t>(direction)));
  __syncthreads();
  const bool looks = storage.flag != 0;
  __syncthreads(); // the flag is free again
  return looks;
}

template <typename Bits>
__device__ __forceinline__ void multiway_root_body(const Sort<Bits> &sort, const uint32_t &event) {
  if (is_unwanted(sort))
    return;
  auto &storage = block_shared<MultiwayStorage<Bits>>();
  const TraceScope scope(sort, event, storage.block);
  scope.describe(CDP_TRACE_ROOT, whole_range(sort));
  expect(sort.path == CDP_PATH_TASKS);
  clear_bookkeeping(sort, 1, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    make_first_task(sort);
    if (sort.may_defer != 0)
      launch_batch(sort);
  }
  __syncthreads();
  const Direction direction = array_direction(sort);
  if (direction != Direction::none && launch_look(sort, direction, storage.block))
    return;
  // Tails run in the order in which they were launched: a continuation of the root's own would come after the first batch.
  if (sort.depth_limit != 0 && !has_controllers(sort)) {
    if (threadIdx.x == 0)
      enter_first_task(sort);
    Multiway<Bits>::prepare(sort, 0, storage);
    enter_phase<Multiway<Bits>, DeviceDriver>(sort, 0, Phase::waiting, Phase::count, storage);
    return;
  }
  if (threadIdx.x == 0)
    storage.block.flag = start_or_defer<Multiway<Bits>, DeviceDriver>(sort, 0u) == Disposition::in_block;
  __syncthreads();
  if (storage.block.flag != 0)
    block_sort_fallback(sort.rules, whole_range(sort), storage.block);
  DeviceDriver::end_task(sort, storage.block);
}

/* Launches task 0 as if nobody had looked. False if the array is left to this block. For one thread. */
template <typename Bits>
__device__ inline bool launch_after_look(const Sort<Bits> &sort) {
  enter_first_task(sort);
  sort.tasks[0].done_blocks = 0;
  __threadfence();
  return DeviceDriver::start<Multiway<Bits>>(sort, 0);
}

/* Looks whether the array is in order, as its sample is. */
template <typename Bits>
__device__ __forceinline__ void look_body(const Sort<Bits> &sort, const uint32_t &event, Direction direction) {
  auto &storage = block_shared<MultiwayStorage<Bits>>();
  const TraceScope scope(sort, event, storage.block);
  unsigned int *disorder = &sort.control->disorder;
  look_at_share<Bits>(sort.rules, whole_range(sort), direction, blockIdx.x, gridDim.x, disorder);
  if (!is_last_block(&sort.tasks[0].done_blocks, gridDim.x, storage.block))
    return;
  if (is_range_disordered<Bits>(sort.rules, whole_range(sort), direction, gridDim.x, disorder))
    launch_or_sort(sort, whole_range(sort), storage.block, [&sort] { return launch_after_look<Bits>(sort); });
  DeviceDriver::end_task(sort, storage.block);
}

} // namespace cdp::CDP_RUNTIME

#endif
