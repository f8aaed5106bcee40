/* SPDX-License-Identifier: MIT */
/*
 * The kernels of the host driver, but for that of a map (host_map.cuh), and of arrays that one block sorts, whichever scheme was
 * asked for. This file is compiled without relocatable device code, into a module of its own: MPS refuses to load one that
 * launches from the device.
 *
 *     two-way      root ──▶ partition, for each level ──▶ network ──▶ sort
 *     multiway     root ──▶ look ──▶ prepare, count, scatter, for each level ──▶ network ──▶ sort
 *     by a map     level_map_kernel ──▶ the levels of multiway, with nothing to do as a rule
 *     one block    root
 */
#ifndef CDPSORT_DEVICE_RECURSION_HOST_KERNELS_CUH
#define CDPSORT_DEVICE_RECURSION_HOST_KERNELS_CUH

#include "recursion/host_levels.cuh"
#include "recursion/sort_buckets.cuh"
#include "recursion/start.h"
#include "recursion/workspace.cuh"

namespace cdp::CDP_RUNTIME {

/* The root of two-way tasks, and of the classic recursion in one block. */
template <typename Bits>
__device__ __forceinline__ void host_two_way_root_body(const Sort<Bits> &sort, const uint32_t &event) {
  BlockStorage &storage = block_shared<BlockStorage>();
  const TraceScope scope(sort, event, CDP_TRACE_ROOT, whole_range(sort));
  clear_bookkeeping(sort, 1, 1);
  __syncthreads();
  if (is_unwanted(sort))
    return; // the levels find no task
  if (sort.path == CDP_PATH_ONE_BLOCK || settle_array<HostDriver>(sort, storage))
    block_sort_fallback<Bits>(sort.rules, whole_range(sort), storage);
}

template <typename Bits>
__device__ __forceinline__ void do_step(TwoWay<Bits>, HostDriver, const Sort<Bits> &sort, const uint32_t &event,
                                        const Work<Bits> &work) {
  if (work.step == Step::root)
    return host_two_way_root_body(sort, event);
  level_phase_body<TwoWay<Bits>>(sort, event, work);
}

/* The root of multiway tasks: the array is task 0. */
template <typename Bits>
__device__ __forceinline__ void host_multiway_root_body(const Sort<Bits> &sort, const uint32_t &event) {
  const TraceScope scope(sort, event, CDP_TRACE_ROOT, whole_range(sort));
  expect(sort.path == CDP_PATH_TASKS);
  clear_bookkeeping(sort, 1, 1);
  __syncthreads();
  const bool is_wanted = !is_unwanted(sort);
  const Direction direction = is_wanted ? array_direction(sort) : Direction::none;
  if (threadIdx.x != 0)
    return;
  sort.control->direction = static_cast<uint32_t>(direction);
  if (!is_wanted)
    return; // the levels find no task
  make_first_task(sort);
  start_or_defer<Multiway<Bits>, HostDriver>(sort, 0); // nothing is refused here
}

template <typename Bits>
__device__ __forceinline__ void do_step(Multiway<Bits>, HostDriver, const Sort<Bits> &sort, const uint32_t &event,
                                        const Work<Bits> &work) {
  switch (work.step) {
  case Step::root:
    return host_multiway_root_body(sort, event);
  case Step::look:
    return level_look_body(sort, event);
  case Step::begin:
    return level_begin_body(sort, event, work);
  default:
    return level_phase_body<Multiway<Bits>>(sort, event, work);
  }
}

template <typename Bits>
__global__ void __launch_bounds__(Shape<Bits>::BLOCK_THREADS, Shape<Bits>::RESIDENT_BLOCKS)
    level_network_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event, uint32_t level) {
  level_network_body(sort, event, level);
}

template <typename Bits>
__global__ void __launch_bounds__(MultiwayShape<Bits>::BLOCK_THREADS, 1)
    level_sort_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event) {
  level_sort_body(sort, event);
}

/* Divides an array by a map; `event` is the first of its stages'. Of host_map.cuh, whose code is not here. Returns a cudaError_t. */
template <typename Bits>
int launch_level_map(const Sort<Bits> &sort, uint32_t event, void *stream);

/* The host's side of a sort. */
template <typename Bits>
class HostLaunches {
public:
  HostLaunches(const cdp_plan &of_plan, bool counted, void *on_stream)
      : plan(of_plan), sort(make_sort<Bits>(of_plan, counted)), stream(on_stream) {}

  /* Returns the first cudaError_t. */
  int run() {
    if (sort.path == CDP_PATH_ONE_BLOCK)
      return launch_one_block();
    if (sort.fan_out == CDP_FAN_OUT_CLASSIC) {
      launch_step<TwoWay<Bits>>(1, Step::root, 0);
      for (uint32_t level = 0; level < plan.host_levels; level++)
        launch_phase<TwoWay<Bits>>(level, Phase::partition);
    } else {
      launch_multiway_levels();
    }
    launch_network();
    allow(level_sort_kernel<Bits>);
    launch(fat_grid(sort, sort.worklist_capacity), level_sort_kernel<Bits>);
    return error;
  }

private:
  /* Lets a kernel of fat blocks have its shared memory. */
  template <typename... Parameters>
  void allow(void (*kernel)(Parameters...)) {
    if (error == LAUNCH_OK)
      error = allow_shared_bytes(kernel, sort.map_shared_bytes); // the most: other threads' sorts share the kernels
  }

  /* Launches a grid of the host's, whose event is the next one. Blocks with events of their own are the last grid's alone. */
  template <typename... Parameters>
  void launch(GridShape shape, void (*kernel)(Sort<Bits>, uint32_t, Parameters...),
              typename AsGiven<Parameters>::Type... arguments) {
    if (error == LAUNCH_OK)
      error = launch_from_host(shape, stream, kernel, sort, next_event++, arguments...);
  }

  template <typename Policy>
  void launch_step(uint32_t blocks, Step step, uint32_t level, Phase phase = Phase::waiting) {
    launch(Policy::grid(sort, blocks), task_kernel<Policy, HostDriver>,
           work_for<Bits>(step, level, static_cast<uint32_t>(phase)));
  }

  template <typename Policy>
  void launch_phase(uint32_t level, Phase phase) {
    launch_step<Policy>(HostDriver::max_level_blocks<Policy>(sort, level), Step::phase, level, phase);
  }

  void launch_map() {
    if (error == LAUNCH_OK)
      error = disown(plan, stream);
    if (error == LAUNCH_OK)
      error = launch_level_map(sort, next_event, stream);
    next_event += MAP_STAGES; // its stages'
  }

  void launch_multiway_levels() {
    using Policy = Multiway<Bits>;
    allow(task_kernel<Policy, HostDriver>);
    if (sort.map_buckets != 0) {
      launch_map();
    } else {
      launch_step<Policy>(1, Step::root, 0);
      launch_step<Policy>(sort.multiprocessors, Step::look, 0);
    }
    for (uint32_t level = 0; level < plan.host_levels; level++) {
      launch_step<Policy>(level == 0 ? sort.multiprocessors : sort.task_capacity, Step::begin, level);
      launch_phase<Policy>(level, Phase::count);
      launch_phase<Policy>(level, Phase::scatter);
    }
  }

  void launch_network() {
    static KnownResidents residents;
    GridShape shape = {1, Shape<Bits>::BLOCK_THREADS, 0};
    int blocks = 0;
    if (error == LAUNCH_OK)
      error = residents.ask(level_network_kernel<Bits>, shape.threads, shape.shared_bytes, &blocks);
    shape.blocks = static_cast<uint32_t>(blocks);
    if (error == LAUNCH_OK)
      error = launch_together(shape, stream, level_network_kernel<Bits>, sort, next_event++, plan.host_levels);
  }

  int launch_one_block() {
    if (plan.merges)
      return launch_one_block_kernel(sort, static_cast<DeviceKind>(plan.device_kind), stream);
    if (sort.fan_out == CDP_FAN_OUT_CLASSIC) {
      launch_step<TwoWay<Bits>>(1, Step::root, 0);
      return error;
    }
    allow(level_sort_kernel<Bits>);
    launch(fat_grid(sort, 1), level_sort_kernel<Bits>);
    return error;
  }

  const cdp_plan &plan;
  Sort<Bits> sort;
  void *stream;
  uint32_t next_event = ROOT_EVENT;
  int error = LAUNCH_OK;
};

template <typename Bits>
int launch_by_host(const cdp_plan &plan, bool counted, void *stream) {
  return HostLaunches<Bits>(plan, counted, stream).run();
}

} // namespace cdp::CDP_RUNTIME

#endif
