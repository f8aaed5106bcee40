/* SPDX-License-Identifier: MIT */
/*
 * The kernels of tasks with many children (fan_task.cuh says what a task's stages are), in the two schemes that launch from the
 * device.
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
#include "recursion/child.cuh"
#include "recursion/waves.cuh"

namespace cdp::CDP_RUNTIME {

/* Launches one of a task's grids. False if it was refused. For one thread. */
template <typename Bits, typename... Parameters>
__device__ inline bool launch_fan_grid(const Sort<Bits> &sort, ChildStream where, uint32_t blocks, cdp_trace_kind kind,
                                       const Range &range, void (*kernel)(Sort<Bits>, uint32_t, Parameters...),
                                       typename AsGiven<Parameters>::Type... arguments) {
  return launch_grid(sort, where, fan_grid(sort, blocks), kind, range, kernel, arguments...) == LAUNCH_OK;
}

/* Launches a stage of a task. False if the range is this block's to sort. For one thread. */
template <typename Order>
__device__ inline bool launch_stage(const Sort<typename Order::Bits> &sort, uint32_t slot, FanStage stage) {
  Task &task = sort.tasks[slot];
  const cdp_trace_kind kind = stage == FanStage::count ? CDP_TRACE_COUNT : CDP_TRACE_SCATTER;
  if (sort.scheme == CDP_SCHEME_CONTROLLER && !launch_fan_grid(sort, ChildStream::tail, 1, CDP_TRACE_CONTINUATION, task.range,
                                                               fan_continuation_kernel<Order>, slot, stage))
    return false;
  const bool is_launched =
      launch_fan_grid(sort, sort.child_stream, task.block_count, kind, task.range, fan_stage_kernel<Order>, slot, stage);
  if (sort.scheme != CDP_SCHEME_CONTROLLER)
    return is_launched;
  if (!is_launched) {
    task.workers_refused = 1;
    __threadfence();
  }
  return true;
}

/* Launches a stage, or sorts the task's range in this block. All threads of the block take part. */
template <typename Order>
__device__ inline void enter_stage(const Sort<typename Order::Bits> &sort, uint32_t slot, FanStage stage,
                                   FanStorage<typename Order::Bits> &storage) {
  const Range range = sort.tasks[slot].range;
  if (threadIdx.x == 0) {
    storage.flag = launch_stage<Order>(sort, slot, stage);
    if (storage.flag == 0)
      count_at(sort.rules.counters, range.depth, &cdp_study_depth::fallback_refused, 1);
  }
  __syncthreads();
  if (storage.flag == 0)
    block_sort_fallback<Order>(sort.rules, range, storage.block);
}

/* What comes after a stage. All threads of the block take part. */
template <typename Order>
__device__ inline void leave_stage(const Sort<typename Order::Bits> &sort, uint32_t slot, FanStage stage,
                                   FanStorage<typename Order::Bits> &storage) {
  if (stage == FanStage::scatter) {
    finish_fan<Order, DeviceStarter<Order>>(sort, slot, storage);
    return;
  }
  place_buckets(sort, slot, storage);
  enter_stage<Order>(sort, slot, FanStage::scatter, storage);
}

template <typename Order>
__global__ void __launch_bounds__(FanShape<typename Order::Bits>::BLOCK_THREADS, 1)
    fan_stage_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, uint32_t slot, FanStage stage) {
  auto &storage = block_shared<FanStorage<typename Order::Bits>>();
  const TraceScope scope(sort, event, storage.block);
  do_stage_share<Order>(sort, slot, stage, blockIdx.x, gridDim.x, storage);
  if (sort.scheme == CDP_SCHEME_CONTROLLER)
    return;
  if (is_last_block(&sort.tasks[slot].done_blocks, gridDim.x, storage.block))
    leave_stage<Order>(sort, slot, stage, storage);
}

template <typename Order>
__global__ void __launch_bounds__(FanShape<typename Order::Bits>::BLOCK_THREADS, 1)
    fan_continuation_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, uint32_t slot,
                            FanStage stage) {
  auto &storage = block_shared<FanStorage<typename Order::Bits>>();
  const TraceScope scope(sort, event, storage.block);
  if (sort.tasks[slot].workers_refused == 0) {
    leave_stage<Order>(sort, slot, stage, storage);
    return;
  }
  if (threadIdx.x == 0)
    count_at(sort.rules.counters, sort.tasks[slot].range.depth, &cdp_study_depth::fallback_refused, 1);
  block_sort_fallback<Order>(sort.rules, sort.tasks[slot].range, storage.block);
}

/* Prepares a task and launches its first stage. */
template <typename Order>
__global__ void __launch_bounds__(FanShape<typename Order::Bits>::BLOCK_THREADS, 1)
    fan_prepare_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, uint32_t slot) {
  auto &storage = block_shared<FanStorage<typename Order::Bits>>();
  const TraceScope scope(sort, event, storage.block);
  prepare_fan<Order>(sort, slot, storage);
  enter_stage<Order>(sort, slot, FanStage::count, storage);
}

/* Sorts listed ranges, a block each, from the list's place `first` on. */
template <typename Order>
__global__ void __launch_bounds__(FanShape<typename Order::Bits>::BLOCK_THREADS, 1)
    fan_sort_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, uint32_t first) {
  const TraceScope scope(sort, event);
  const BlockTraceScope own_scope(sort, event);
  own_scope.describe(sort.collected[first + blockIdx.x]);
  block_fan_sort<Order>(sort.rules, sort.collected[first + blockIdx.x], block_shared<FanStorage<typename Order::Bits>>());
}

/* Writes the equal keys of a task. */
template <typename Order>
__global__ void __launch_bounds__(Shape<typename Order::Bits>::BLOCK_THREADS, Shape<typename Order::Bits>::RESIDENT_BLOCKS)
    fan_fill_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, uint32_t slot, Range range) {
  const TraceScope scope(sort, event);
  fill_equal_buckets<Order>(sort, slot, range, uint64_t{blockIdx.x} * blockDim.x + threadIdx.x,
                            uint64_t{gridDim.x} * blockDim.x);
}

/* Turns the array round. */
template <typename Order>
__global__ void __launch_bounds__(Shape<typename Order::Bits>::BLOCK_THREADS, Shape<typename Order::Bits>::RESIDENT_BLOCKS)
    fan_reverse_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event) {
  const TraceScope scope(sort, event);
  reverse_items(sort.rules, whole_range(sort));
}

/* Launches what comes after the look for disorder: the turning round, or task 0 as if nobody had looked. False if the array is
   left to this block. For one thread. */
template <typename Order>
__device__ inline bool launch_after_look(const Sort<typename Order::Bits> &sort, Direction direction) {
  int error = LAUNCH_OK;
  if (sort.control->disorder != 0) {
    // Not by enter_wave(): it is the only task as yet, and the root has counted it in one scheme and not in the other.
    sort.control->tasks_in_wave = 1;
    sort.control->tasks_in_wave_most = 1;
    error = DeviceStarter<Order>::start(sort, 0, sort.tasks[0]);
  } else if (direction == Direction::descending) {
    error = launch_grid(sort, sort.child_stream, filling_grid(sort), CDP_TRACE_REVERSE, whole_range(sort),
                        fan_reverse_kernel<Order>);
  }
  return error == LAUNCH_OK;
}

/* Looks whether the array is in order, as its sample is. */
template <typename Order>
__global__ void __launch_bounds__(FanShape<typename Order::Bits>::BLOCK_THREADS, 1)
    fan_look_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, Direction direction) {
  auto &storage = block_shared<FanStorage<typename Order::Bits>>();
  const TraceScope scope(sort, event, storage.block);
  const Range whole = whole_range(sort);
  look_for_disorder<Order>(sort.rules, whole, direction, blockIdx.x, gridDim.x, &sort.control->disorder);
  if (!is_last_block(&sort.tasks[0].done_blocks, gridDim.x, storage.block))
    return;
  if (threadIdx.x == 0) {
    sort.tasks[0].done_blocks = 0;
    __threadfence();
    storage.flag = launch_after_look<Order>(sort, direction);
    if (storage.flag == 0)
      count_at(sort.rules.counters, 0, &cdp_study_depth::fallback_refused, 1);
  }
  __syncthreads();
  if (storage.flag == 0)
    block_sort_fallback<Order>(sort.rules, whole, storage.block);
}

/* Makes the whole array task 0, whose grids will have so many blocks. begins_here: whether it is started by whoever calls, and
   not by enter_wave(). For one thread. */
template <typename Bits>
__device__ inline void make_first_task(const Sort<Bits> &sort, uint32_t blocks, bool begins_here) {
  sort.control->tasks_allocated = 1;
  sort.control->tasks_in_wave = begins_here ? 1 : 0;
  sort.control->tasks_in_wave_most = begins_here ? 1 : 0;
  sort.tasks[0] = Task{whole_range(sort), 0, 0, 0, blocks, 0, 0, 0};
  __threadfence();
}

/* Launches the look for disorder, in an array that is task 0 and whose sample is in order. False if it is refused. All threads
   of the block take part. */
template <typename Order>
__device__ inline bool launch_look(const Sort<typename Order::Bits> &sort, Direction direction,
                                   FanStorage<typename Order::Bits> &storage) {
  if (threadIdx.x == 0)
    storage.flag = launch_fan_grid(sort, sort.child_stream, sort.tasks[0].block_count, CDP_TRACE_LOOK, whole_range(sort),
                                   fan_look_kernel<Order>, direction);
  __syncthreads();
  const bool looks = storage.flag != 0;
  __syncthreads(); // the flag is free again
  return looks;
}

/* The root of a sort with many children to a task: one block, launched by the host. */
template <typename Order>
__global__ void __launch_bounds__(FanShape<typename Order::Bits>::BLOCK_THREADS, 1)
    fan_root_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event) {
  auto &storage = block_shared<FanStorage<typename Order::Bits>>();
  const TraceScope scope(sort, event, CDP_TRACE_ROOT, whole_range(sort), storage.block);
  const Range whole = whole_range(sort);
  clear_bookkeeping(sort);
  __syncthreads();
  if (whole.items() <= sort.single_items) {
    block_fan_sort<Order>(sort.rules, whole, storage);
    return;
  }
  const bool network = sort.rules.depth_limit == 0;
  // Tails run in the order in which they were launched: a continuation of the root's own would come after the first wave.
  const bool begins_here = !network && sort.scheme != CDP_SCHEME_CONTROLLER;
  if (threadIdx.x == 0) {
    make_first_task(sort, network ? 0 : fan_blocks(sort, whole.items()), begins_here);
    if (sort.may_defer != 0)
      launch_wave<Order>(sort);
  }
  __syncthreads();
  const Direction direction = network ? Direction::none : sample_direction<Order>(sort.rules, whole);
  if (direction != Direction::none && launch_look<Order>(sort, direction, storage))
    return;
  if (begins_here) {
    prepare_fan<Order>(sort, 0, storage);
    enter_stage<Order>(sort, 0, FanStage::count, storage);
    return;
  }
  if (threadIdx.x == 0)
    storage.flag = start_or_defer<DeviceStarter<Order>>(sort, 0u) == Fate::in_block;
  __syncthreads();
  if (storage.flag != 0)
    block_sort_fallback<Order>(sort.rules, whole, storage.block);
}

/* Lets every kernel of the many-way partition have its shared memory on the current device, launched by the host or by the
   device. Returns a cudaError_t. Those of short arrays alone are launch_short_root()'s affair. */
template <typename Order>
int allow_fan_kernels(uint32_t bytes) {
  return allow_each_shared_bytes(bytes, fan_root_kernel<Order>, fan_look_kernel<Order>, fan_prepare_kernel<Order>,
                                 fan_stage_kernel<Order>, fan_continuation_kernel<Order>, fan_sort_kernel<Order>);
}

} // namespace cdp::CDP_RUNTIME

#endif
