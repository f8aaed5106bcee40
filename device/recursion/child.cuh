/* SPDX-License-Identifier: MIT */
/*
 * Launches from the device: every one goes through here, has its error read, and is counted. The kernels are declared here and
 * defined beside their scheme, because they launch each other.
 */
#ifndef CDPSORT_DEVICE_RECURSION_CHILD_CUH
#define CDPSORT_DEVICE_RECURSION_CHILD_CUH

#include "recursion/fan_task.cuh"
#include "recursion/split.cuh"
#include "recursion/trace.cuh"

#include <cstddef>

namespace cdp::CDP_RUNTIME {

/* last_block.cuh: partitions a task and finishes it in its last block. */
template <typename Order>
__global__ void partition_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, uint32_t slot);

/* controller.cuh: launches a task's workers and the continuation behind them; the workers; the continuation. */
template <typename Order>
__global__ void controller_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, uint32_t slot);
template <typename Order>
__global__ void worker_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, uint32_t slot);
template <typename Order>
__global__ void continuation_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, uint32_t slot);

/* fallback.cuh: one step of a device-wide bitonic sort; equal keys written by a grid. */
template <typename Order>
__global__ void network_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, Range range,
                               NetworkStep step, uint32_t slot);
template <typename Order>
__global__ void fill_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, uint64_t begin,
                            uint64_t end, typename Order::Bits key);

/* waves.cuh: takes up deferred tasks, and in the end the collected ranges. */
template <typename Order>
__global__ void wave_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event);

/* fan_kernels.cuh: prepares a task with many children; does a stage of it; goes on behind a stage; sorts listed ranges, a block
   each; writes a task's equal keys. */
template <typename Order>
__global__ void fan_prepare_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, uint32_t slot);
template <typename Order>
__global__ void fan_stage_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, uint32_t slot,
                                 FanStage stage);
template <typename Order>
__global__ void fan_continuation_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, uint32_t slot,
                                        FanStage stage);
template <typename Order>
__global__ void fan_sort_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, uint32_t first);
template <typename Order>
__global__ void fan_fill_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event, uint32_t slot,
                                Range range);

/* short_array.cuh: gathers a short array's buckets, a block each, and sorts them. */
template <typename Order>
__global__ void gather_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event);

/* start_grid() looks for a BlockStorage there, whichever storage a kernel has. */
static_assert(offsetof(FanStorage<uint32_t>, block) == 0 && offsetof(FanStorage<uint64_t>, block) == 0, "it comes first");

/* Launches a grid for a range, and nothing else: who has launched it notes that (note_launch()). Returns the launch's error.
   For one thread, of a block whose shared memory begins with a BlockStorage. The range is a copy: a task's own may be its
   child's before the launching thread goes on. */
template <typename Bits, typename... Parameters>
__device__ inline int start_grid(const Sort<Bits> &sort, ChildStream where, GridShape shape, cdp_trace_kind kind, Range range,
                                 void (*kernel)(Sort<Bits>, uint32_t, Parameters...),
                                 typename AsGiven<Parameters>::Type... arguments) {
  const uint32_t event =
      is_traced(sort) ? open_event(event_list(sort), where, kind, range, shape.blocks, block_shared<BlockStorage>().event)
                      : NO_EVENT;
  const int error = launch_child(where, shape, kernel, sort, event, arguments...);
  if (error != LAUNCH_OK && is_traced(sort))
    refuse_event(event_list(sort), event, error);
  return error;
}

/* Counts a launch, or notes that it failed, and hands on its error. For one thread. */
template <typename Bits>
__device__ inline int note_launch(const Sort<Bits> &sort, uint32_t depth, int error) {
  if (error == LAUNCH_OK)
    count_at(sort.rules.counters, depth, &cdp_study_depth::children_launched, 1);
  else
    note_refusal(sort, depth, error);
  return error;
}

/* Both. */
template <typename Bits, typename... Parameters>
__device__ inline int launch_grid(const Sort<Bits> &sort, ChildStream where, GridShape shape, cdp_trace_kind kind, Range range,
                                  void (*kernel)(Sort<Bits>, uint32_t, Parameters...),
                                  typename AsGiven<Parameters>::Type... arguments) {
  return note_launch(sort, range.depth, start_grid(sort, where, shape, kind, range, kernel, arguments...));
}

/* The grid of a kernel that writes keys all over the array. */
template <typename Bits>
__device__ inline GridShape filling_grid(const Sort<Bits> &sort) {
  return {sort.blocks_most, Shape<Bits>::BLOCK_THREADS, 0};
}

/* Starts tasks by launching grids from the device: what split.cuh asks of a Starter. */
template <typename Order>
struct DeviceStarter {
  using Bits = typename Order::Bits;

  static __device__ int start(const Sort<Bits> &sort, uint32_t slot, const Task &task) {
    const Range &range = task.range;
    if (sort.fan_out != CDP_FAN_OUT_CLASSIC)
      return launch_grid(sort, sort.child_stream, fan_grid(sort, 1), CDP_TRACE_PREPARE, range, fan_prepare_kernel<Order>, slot);
    if (sort.scheme == CDP_SCHEME_CONTROLLER)
      return launch_grid(sort, sort.child_stream, sorting_grid<Bits>(1), CDP_TRACE_CONTROLLER, range, controller_kernel<Order>,
                         slot);
    return launch_grid(sort, sort.child_stream, sorting_grid<Bits>(task.block_count), CDP_TRACE_PARTITION, range,
                       partition_kernel<Order>, slot);
  }

  static __device__ int network(const Sort<Bits> &sort, uint32_t slot, const Range &range) {
    const NetworkStep step = first_network_step<Bits>();
    const uint32_t blocks = network_blocks<Bits>(step, range.items(), sort.blocks_most);
    return launch_grid(sort, sort.child_stream, sorting_grid<Bits>(blocks), CDP_TRACE_NETWORK, range, network_kernel<Order>,
                       range, step, slot);
  }

  /* True if a grid will write the equal keys [begin, end) of a task at this depth. */
  static __device__ bool fill(const Sort<Bits> &sort, uint64_t begin, uint64_t end, Bits key, uint32_t depth) {
    return launch_grid(sort, sort.child_stream, filling_grid(sort), CDP_TRACE_FILL, Range{begin, end, Side::keys, depth},
                       fill_kernel<Order>, begin, end, key) == LAUNCH_OK;
  }

  /* True if a grid will sort `count` listed ranges from place `first` on, which lie in the range `all`. */
  static __device__ bool sort_ranges(const Sort<Bits> &sort, uint32_t first, uint32_t count, const Range &all) {
    return launch_grid(sort, sort.child_stream, fan_grid(sort, count), CDP_TRACE_SORT, all, fan_sort_kernel<Order>, first) ==
           LAUNCH_OK;
  }

  /* True if a grid will write the equal keys of a task. */
  static __device__ bool fill_equal(const Sort<Bits> &sort, uint32_t slot, const Range &range) {
    return launch_grid(sort, sort.child_stream, filling_grid(sort), CDP_TRACE_FILL, range, fan_fill_kernel<Order>, slot,
                       range) == LAUNCH_OK;
  }
};

} // namespace cdp::CDP_RUNTIME

#endif
