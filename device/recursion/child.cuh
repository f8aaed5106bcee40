/* SPDX-License-Identifier: MIT */
/*
 * Launches from the device: every one goes through here, has its error read, and is counted. The kernels are declared here and
 * defined beside their scheme, because they launch each other.
 */
#ifndef CDPSORT_DEVICE_RECURSION_CHILD_CUH
#define CDPSORT_DEVICE_RECURSION_CHILD_CUH

#include "recursion/fan_task.cuh"
#include "recursion/split.cuh"

namespace cdp::CDP_RUNTIME {

/* last_block.cuh: partitions a task and finishes it in its last block. */
template <typename Order>
__global__ void partition_kernel(Sort<typename Order::Bits> sort, uint32_t slot);

/* controller.cuh: launches a task's workers and the continuation behind them; the workers; the continuation. */
template <typename Order>
__global__ void controller_kernel(Sort<typename Order::Bits> sort, uint32_t slot);
template <typename Order>
__global__ void worker_kernel(Sort<typename Order::Bits> sort, uint32_t slot);
template <typename Order>
__global__ void continuation_kernel(Sort<typename Order::Bits> sort, uint32_t slot);

/* fallback.cuh: one step of a device-wide bitonic sort; equal keys written by a grid. */
template <typename Order>
__global__ void network_kernel(Sort<typename Order::Bits> sort, Range range, NetworkStep step, uint32_t slot);
template <typename Order>
__global__ void fill_kernel(BlockRules<typename Order::Bits> rules, uint64_t begin, uint64_t end, typename Order::Bits key);

/* waves.cuh: takes up deferred tasks, and in the end the collected ranges. */
template <typename Order>
__global__ void wave_kernel(Sort<typename Order::Bits> sort);

/* fan_kernels.cuh: prepares a task with many children; does a stage of it; goes on behind a stage; sorts listed ranges, a block
   each; writes a task's equal keys. */
template <typename Order>
__global__ void fan_prepare_kernel(Sort<typename Order::Bits> sort, uint32_t slot);
template <typename Order>
__global__ void fan_stage_kernel(Sort<typename Order::Bits> sort, uint32_t slot, FanStage stage);
template <typename Order>
__global__ void fan_continuation_kernel(Sort<typename Order::Bits> sort, uint32_t slot, FanStage stage);
template <typename Order>
__global__ void fan_sort_kernel(Sort<typename Order::Bits> sort, uint32_t first);
template <typename Order>
__global__ void fan_fill_kernel(Sort<typename Order::Bits> sort, uint32_t slot, Range range);

/* short_array.cuh: gathers a short array's buckets, a block each, and sorts them. */
template <typename Order>
__global__ void gather_kernel(Sort<typename Order::Bits> sort);

/* Counts a launch that succeeded and hands on its error. For one thread. */
template <typename Bits>
__device__ inline int launched(const Sort<Bits> &sort, uint32_t depth, int error) {
  if (error == LAUNCH_OK)
    count_at(sort.rules.counters, depth, &cdp_study_depth::children_launched, 1);
  return error;
}

/* Starts tasks by launching grids from the device: what split.cuh asks of a Starter. */
template <typename Order>
struct DeviceStarter {
  using Bits = typename Order::Bits;

  static __device__ int start(const Sort<Bits> &sort, uint32_t slot, const Task &task) {
    const uint32_t depth = task.range.depth;
    if (sort.fan_out != CDP_FAN_OUT_CLASSIC)
      return launched(sort, depth, launch_child(sort.child_stream, fan_grid(sort, 1), fan_prepare_kernel<Order>, sort, slot));
    if (sort.scheme == CDP_SCHEME_CONTROLLER)
      return launched(sort, depth,
                      launch_child(sort.child_stream, sorting_grid<Bits>(1), controller_kernel<Order>, sort, slot));
    return launched(sort, depth,
                    launch_child(sort.child_stream, sorting_grid<Bits>(task.block_count), partition_kernel<Order>, sort, slot));
  }

  static __device__ int network(const Sort<Bits> &sort, uint32_t slot, const Range &range) {
    const NetworkStep step = first_network_step<Bits>();
    const uint32_t blocks = network_blocks<Bits>(step, range.items(), sort.blocks_most);
    return launched(
        sort, range.depth,
        launch_child(sort.child_stream, sorting_grid<Bits>(blocks), network_kernel<Order>, sort, range, step, slot));
  }

  /* True if a grid will write the equal keys [begin, end) of a task at this depth. */
  static __device__ bool fill(const Sort<Bits> &sort, uint64_t begin, uint64_t end, Bits key, uint32_t depth) {
    const GridShape shape = {sort.blocks_most, Shape<Bits>::BLOCK_THREADS, 0};
    const int error =
        launched(sort, depth, launch_child(sort.child_stream, shape, fill_kernel<Order>, sort.rules, begin, end, key));
    if (error != LAUNCH_OK)
      note_refusal(sort, depth, error);
    return error == LAUNCH_OK;
  }

  /* True if a grid will sort `count` listed ranges from place `first` on. */
  static __device__ bool sort_ranges(const Sort<Bits> &sort, uint32_t first, uint32_t count, uint32_t depth) {
    const int error =
        launched(sort, depth, launch_child(sort.child_stream, fan_grid(sort, count), fan_sort_kernel<Order>, sort, first));
    if (error != LAUNCH_OK)
      note_refusal(sort, depth, error);
    return error == LAUNCH_OK;
  }

  /* True if a grid will write the equal keys of a task. */
  static __device__ bool fill_equal(const Sort<Bits> &sort, uint32_t slot, const Range &range) {
    const GridShape shape = {sort.blocks_most, Shape<Bits>::BLOCK_THREADS, 0};
    const int error =
        launched(sort, range.depth, launch_child(sort.child_stream, shape, fan_fill_kernel<Order>, sort, slot, range));
    if (error != LAUNCH_OK)
      note_refusal(sort, range.depth, error);
    return error == LAUNCH_OK;
  }
};

} // namespace cdp::CDP_RUNTIME

#endif
