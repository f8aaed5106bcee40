/* SPDX-License-Identifier: MIT */
/*
 * What grids do for tasks with many children (multiway_task.cuh says what a task's stages are), in the two schemes that launch from
 * the device. root.cuh has the kernels that call these bodies, one for each Step.
 *
 *  last block   each stage's grid ends with its last block launching the next stage, or the children
 *  controller   a block launches a continuation as its tail and the stage's workers after it; the continuation, which runs when
 *               the workers are complete, does the same for the next stage, or launches the children
 *
 *  1. A stage needs all of the stage before: the last block, or the tail, is the only "after".
 *  2. A refused launch leaves the range as it was: the count stage moves nothing, and the scatter stage has not run.
 *  Therefore whoever meets the refusal sorts the whole range in its block.
 */
#ifndef CDPSORT_DEVICE_RECURSION_FAN_KERNELS_CUH
#define CDPSORT_DEVICE_RECURSION_FAN_KERNELS_CUH

#include "block/presorted.cuh"
#include "recursion/batches.cuh"
#include "recursion/child.cuh"

namespace cdp::CDP_RUNTIME {

/* Launches one of a task's grids, of fat blocks. False if it was refused. For one thread. */
template <typename Bits>
__device__ inline bool launch_multiway_grid(const Sort<Bits> &sort, ChildStream where, uint32_t blocks, cdp_trace_kind kind,
                                            const Range &range, const Work<Bits> &work) {
  return launch_grid(sort, {where, multiway_grid(sort, blocks), kind, range}, work) == LAUNCH_OK;
}

/* Launches a stage of a task. False if the range is this block's to sort. For one thread. */
template <typename Bits>
__device__ inline bool launch_stage(const Sort<Bits> &sort, uint32_t slot, MultiwayPhase stage) {
  Task &task = sort.tasks[slot];
  const cdp_trace_kind kind = stage == MultiwayPhase::count ? CDP_TRACE_COUNT : CDP_TRACE_SCATTER;
  if (sort.scheme == CDP_SCHEME_CONTROLLER &&
      !launch_multiway_grid(sort, ChildStream::tail, 1, CDP_TRACE_CONTINUATION, task.range,
                            work_for<Bits>(Step::stage_continuation, slot, static_cast<uint32_t>(stage))))
    return false;
  const bool is_launched = launch_multiway_grid(sort, sort.child_stream, task.block_count, kind, task.range,
                                                work_for<Bits>(Step::stage, slot, static_cast<uint32_t>(stage)));
  if (sort.scheme != CDP_SCHEME_CONTROLLER)
    return is_launched;
  if (!is_launched) {
    task.workers_refused = 1;
    __threadfence();
  }
  return true;
}

/* Launches a stage, or sorts the task's range in this block. All threads of the block take part. */
template <typename Bits>
__device__ inline void enter_stage(const Sort<Bits> &sort, uint32_t slot, MultiwayPhase stage, MultiwayStorage<Bits> &storage) {
  const Range range = sort.tasks[slot].range;
  if (threadIdx.x == 0) {
    storage.flag = launch_stage<Bits>(sort, slot, stage);
    if (storage.flag == 0)
      count_at(sort.rules.counters, range.depth, &cdp_study_depth::fallback_refused, 1);
  }
  __syncthreads();
  if (storage.flag == 0)
    block_sort_fallback<Bits>(sort.rules, range, storage.block);
}

/* What comes after a stage. All threads of the block take part. */
template <typename Bits>
__device__ inline void leave_stage(const Sort<Bits> &sort, uint32_t slot, MultiwayPhase stage, MultiwayStorage<Bits> &storage) {
  if (stage == MultiwayPhase::scatter) {
    finish_multiway<Bits, DeviceStarter<Bits>>(sort, slot, storage);
    return;
  }
  place_buckets(sort, slot, storage);
  enter_stage<Bits>(sort, slot, MultiwayPhase::scatter, storage);
}

/* A stage, or what goes on behind one: whoever comes last leaves the stage. All threads take part. */
template <typename Bits>
__device__ __forceinline__ void stage_body(const Sort<Bits> &sort, const uint32_t &event, const Work<Bits> &work) {
  auto &storage = block_shared<MultiwayStorage<Bits>>();
  const TraceScope scope(sort, event, storage.block);
  const MultiwayPhase stage = static_cast<MultiwayPhase>(work.detail);
  Task &task = sort.tasks[work.slot];
  if (work.step == Step::stage) {
    do_stage_share(sort, work.slot, stage, blockIdx.x, gridDim.x, storage);
    if (sort.scheme == CDP_SCHEME_CONTROLLER || !is_last_block(&task.done_blocks, gridDim.x, storage.block))
      return;
  } else if (task.workers_refused != 0) {
    if (threadIdx.x == 0)
      count_at(sort.rules.counters, task.range.depth, &cdp_study_depth::fallback_refused, 1);
    block_sort_fallback(sort.rules, task.range, storage.block);
    return;
  }
  leave_stage(sort, work.slot, stage, storage);
}

/* Sorts listed ranges, a block each, from the list's place work.slot on; or, as a root of one block, the whole array. */
template <typename Bits>
__device__ __forceinline__ void sort_ranges_body(const Sort<Bits> &sort, const uint32_t &event, const Work<Bits> &work) {
  const bool is_root = work.step == Step::leaf_root;
  expect(!is_root || (sort.path == CDP_PATH_ONE_BLOCK && sort.merges == 0));
  const TraceScope scope(sort, event);
  const BlockTraceScope own_scope(sort, event);
  if (is_root) {
    scope.describe(CDP_TRACE_ROOT, whole_range(sort));
    clear_bookkeeping(sort, 1);
    if (threadIdx.x == 0)
      sort.collected[0] = whole_range(sort);
    __syncthreads();
  }
  const Range &range = sort.collected[work.slot + blockIdx.x]; // where it is: no registers for it
  if (!is_root)
    own_scope.describe(range);
  block_multiway_sort(sort.rules, range, block_shared<MultiwayStorage<Bits>>());
}

/* Writes the equal keys of a task. */
template <typename Bits>
__device__ __forceinline__ void fill_buckets_body(const Sort<Bits> &sort, const uint32_t &event, const Work<Bits> &work) {
  const TraceScope scope(sort, event);
  fill_equal_buckets(sort, work.slot, work.range, uint64_t{blockIdx.x} * blockDim.x + threadIdx.x,
                     uint64_t{gridDim.x} * blockDim.x);
}

/* Turns the array round. */
template <typename Bits>
__device__ __forceinline__ void reverse_body(const Sort<Bits> &sort, const uint32_t &event) {
  const TraceScope scope(sort, event);
  reverse_items(sort.rules, whole_range(sort));
}

/* Launches what comes after the look for disorder: the turning round, or task 0 as if nobody had looked. False if the array is
   left to this block. For one thread. */
template <typename Bits>
__device__ inline bool launch_after_look(const Sort<Bits> &sort, Direction direction) {
  int error = LAUNCH_OK;
  if (sort.control->disorder != 0) {
    // Not by enter_batch(): it is the only task as yet, and the root has counted it in one scheme and not in the other.
    sort.control->tasks_in_batch = 1;
    sort.control->max_tasks_in_batch = 1;
    error = DeviceStarter<Bits>::start(sort, 0, sort.tasks[0]);
  } else if (direction == Direction::descending) {
    error = launch_grid(sort, {sort.child_stream, filling_grid(sort), CDP_TRACE_REVERSE, whole_range(sort)},
                        work_for<Bits>(Step::reverse));
  }
  return error == LAUNCH_OK;
}

/* Looks whether the array is in order, as its sample is. */
template <typename Bits>
__device__ __forceinline__ void look_body(const Sort<Bits> &sort, const uint32_t &event, Direction direction) {
  auto &storage = block_shared<MultiwayStorage<Bits>>();
  const TraceScope scope(sort, event, storage.block);
  const Range whole = whole_range(sort);
  look_for_disorder<Bits>(sort.rules, whole, direction, blockIdx.x, gridDim.x, &sort.control->disorder);
  if (!is_last_block(&sort.tasks[0].done_blocks, gridDim.x, storage.block))
    return;
  if (threadIdx.x == 0) {
    sort.tasks[0].done_blocks = 0;
    __threadfence();
    storage.flag = launch_after_look<Bits>(sort, direction);
    if (storage.flag == 0)
      count_at(sort.rules.counters, 0, &cdp_study_depth::fallback_refused, 1);
  }
  __syncthreads();
  if (storage.flag == 0)
    block_sort_fallback<Bits>(sort.rules, whole, storage.block);
}

/* Makes the whole array task 0, whose grids will have so many blocks. begins_here: whether it is started by whoever calls, and
   not by enter_batch(). For one thread. */
template <typename Bits>
__device__ inline void make_first_task(const Sort<Bits> &sort, uint32_t blocks, bool begins_here) {
  sort.control->tasks_allocated = 1;
  sort.control->tasks_in_batch = begins_here ? 1 : 0;
  sort.control->max_tasks_in_batch = begins_here ? 1 : 0;
  sort.tasks[0] = Task{whole_range(sort), 0, 0, 0, blocks, 0, 0, 0};
  __threadfence();
}

/* Launches the look for disorder, in an array that is task 0 and whose sample is in order. False if it is refused. All threads
   of the block take part. */
template <typename Bits>
__device__ inline bool launch_look(const Sort<Bits> &sort, Direction direction, MultiwayStorage<Bits> &storage) {
  if (threadIdx.x == 0)
    storage.flag = launch_multiway_grid(sort, sort.child_stream, sort.tasks[0].block_count, CDP_TRACE_LOOK, whole_range(sort),
                                        work_for<Bits>(Step::look, 0, static_cast<uint32_t>(direction)));
  __syncthreads();
  const bool looks = storage.flag != 0;
  __syncthreads(); // the flag is free again
  return looks;
}

/* The root of a sort with many children to a task: one block, launched by the host. True if the array is task 0 and this block
   is to prepare it. All threads take part. */
template <typename Bits>
__device__ __forceinline__ bool begin_multiway(const Sort<Bits> &sort, MultiwayStorage<Bits> &storage) {
  expect(sort.path == CDP_PATH_TASKS && sort.fan_out != CDP_FAN_OUT_CLASSIC);
  const Range whole = whole_range(sort);
  clear_bookkeeping(sort, 1);
  __syncthreads();
  const bool network = sort.depth_limit == 0;
  // Tails run in the order in which they were launched: a continuation of the root's own would come after the first batch.
  const bool begins_here = !network && sort.scheme != CDP_SCHEME_CONTROLLER;
  if (threadIdx.x == 0) {
    make_first_task(sort, network ? 0 : multiway_blocks(sort, whole.items()), begins_here);
    if (sort.may_defer != 0)
      launch_batch(sort);
  }
  __syncthreads();
  const Direction direction = network ? Direction::none : sample_direction(sort.rules, whole);
  if (direction != Direction::none && launch_look(sort, direction, storage))
    return false;
  if (begins_here)
    return true;
  if (threadIdx.x == 0)
    storage.flag = start_or_defer<DeviceStarter<Bits>>(sort, 0u) == Fate::in_block;
  __syncthreads();
  if (storage.flag != 0)
    block_sort_fallback(sort.rules, whole, storage.block);
  return false;
}

/* Prepares a task and launches its first stage; as the root, that of task 0. */
template <typename Bits>
__device__ __forceinline__ void prepare_body(const Sort<Bits> &sort, const uint32_t &event, const Work<Bits> &work) {
  auto &storage = block_shared<MultiwayStorage<Bits>>();
  const TraceScope scope(sort, event, storage.block);
  if (work.step == Step::multiway_root) {
    scope.describe(CDP_TRACE_ROOT, whole_range(sort));
    if (!begin_multiway(sort, storage))
      return;
  }
  prepare_multiway(sort, work.slot, storage);
  enter_stage(sort, work.slot, MultiwayPhase::count, storage);
}

} // namespace cdp::CDP_RUNTIME

#endif
