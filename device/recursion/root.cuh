/* SPDX-License-Identifier: MIT */
/*
 * The kernels of sorts that launch themselves (kernels.cuh), each of which does what its Work says, and the root: the one
 * kernel that the host launches. Short arrays have a grid of their own (short_array.cuh) and a block behind it.
 */
#ifndef CDPSORT_DEVICE_RECURSION_ROOT_CUH
#define CDPSORT_DEVICE_RECURSION_ROOT_CUH

#include "recursion/batches.cuh"
#include "recursion/helping_grids.cuh"
#include "recursion/mapped_launches.cuh"
#include "recursion/network_grid.cuh"
#include "recursion/presorted_array.cuh"
#include "recursion/short_array.cuh"
#include "recursion/start.h"
#include "recursion/two_way.cuh"
#include "recursion/workspace.cuh"

namespace cdp::CDP_RUNTIME {

/* The root of a sort by two-way tasks: one block, which settles the whole array. */
template <typename Bits>
__device__ __forceinline__ void two_way_root_body(const Sort<Bits> &sort, const uint32_t &event) {
  if (is_unwanted(sort))
    return;
  BlockStorage &storage = block_shared<BlockStorage>();
  const TraceScope scope(sort, event, CDP_TRACE_ROOT, whole_range(sort), storage);
  expect(sort.path == CDP_PATH_TASKS);
  clear_bookkeeping(sort, 1, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    if (sort.may_defer != 0)
      launch_batch(sort);
  }
  __syncthreads();
  if (settle_array<DeviceDriver>(sort, storage))
    block_sort_fallback<Bits>(sort.rules, whole_range(sort), storage);
  DeviceDriver::end_task(sort, storage);
}

template <typename Bits>
__device__ __forceinline__ void do_step(TwoWay<Bits>, DeviceDriver, const Sort<Bits> &sort, const uint32_t &event,
                                        const Work<Bits> &work) {
  using Policy = TwoWay<Bits>;
  switch (work.step) {
  case Step::root:
    return two_way_root_body(sort, event);
  case Step::begin:
    return begin_body<Policy, DeviceDriver>(sort, event, work.slot);
  case Step::network:
    return network_body(sort, event, work);
  case Step::batch:
    return batch_body(sort, event);
  case Step::fill:
  case Step::fill_buckets:
    fill_body(sort, event, work);
    break;
  default:
    return phase_body<Policy, DeviceDriver>(sort, event, work);
  }
  if (threadIdx.x == 0)
    leave_sort(sort);
}

template <typename Bits>
__device__ __forceinline__ void do_step(Multiway<Bits>, DeviceDriver, const Sort<Bits> &sort, const uint32_t &event,
                                        const Work<Bits> &work) {
  switch (work.step) {
  case Step::root:
    return multiway_root_body(sort, event);
  case Step::look:
    return look_body(sort, event, static_cast<Direction>(work.detail));
  case Step::begin:
    return begin_body<Multiway<Bits>, DeviceDriver>(sort, event, work.slot);
  default:
    return phase_body<Multiway<Bits>, DeviceDriver>(sort, event, work);
  }
}

/* Of a mapped array. A kernel of its own, since the loops of a map would spill registers in a larger one. */
template <typename Bits>
__global__ void __launch_bounds__(MultiwayShape<Bits>::BLOCK_THREADS, 1)
    map_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event) {
  if (is_unwanted(sort))
    return;
  mapped_body<MapDevice>(sort, event);
}

template <typename Bits>
__global__ void __launch_bounds__(MultiwayShape<Bits>::BLOCK_THREADS, 1)
    leaf_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event, const __grid_constant__ Work<Bits> work) {
  sort_ranges_body(sort, event, work);
  if (threadIdx.x == 0)
    leave_sort(sort);
}

/* Lets the fat kernels that a sort may come to have their shared memory on the current device. Returns a cudaError_t. */
template <typename Bits>
int allow_fat_kernels(const Sort<Bits> &sort) {
  const uint32_t bytes = sort.map_shared_bytes; // the most, whatever the array: other threads' sorts share the kernels
  if (sort.fan_out == CDP_FAN_OUT_CLASSIC)
    return allow_shared_bytes(leaf_kernel<Bits>, bytes);
  if (sort.path != CDP_PATH_SHORT)
    return allow_each_shared_bytes(bytes, leaf_kernel<Bits>, task_kernel<Multiway<Bits>, DeviceDriver>, map_kernel<Bits>);
  return allow_each_shared_bytes(bytes, leaf_kernel<Bits>, task_kernel<Multiway<Bits>, DeviceDriver>, short_kernel<Bits>);
}

/* The same, once for each path in a context: each takes the host half a microsecond. */
template <typename Bits>
int allow_kernels(const Sort<Bits> &sort) {
  static OncePerContext classic;
  static OncePerContext of_short;
  static OncePerContext others;
  OncePerContext &allowance = sort.fan_out == CDP_FAN_OUT_CLASSIC ? classic : sort.path == CDP_PATH_SHORT ? of_short : others;
  return allowance.see_to([&sort] { return allow_fat_kernels(sort); });
}

/* The grid of a short array, and the block behind it. Returns a cudaError_t. */
template <typename Bits>
int launch_short(const Sort<Bits> &sort, const cdp_plan &plan, void *stream) {
  const GridShape shape = {plan.short_blocks, MultiwayShape<Bits>::BLOCK_THREADS, plan.short_shared_bytes};
  const int error = launch_from_host(shape, stream, short_kernel<Bits>, sort, ROOT_EVENT);
  if (error != LAUNCH_OK)
    return error;
  return launch_behind(thin_grid<Bits>(1), stream, plan.overlaps_grids, behind_kernel<Bits>, sort, ROOT_EVENT);
}

template <typename Bits>
int launch_recursion(const cdp_plan &plan, bool counted, void *stream) {
  const Sort<Bits> sort = make_sort<Bits>(plan, counted);
  const int error = allow_kernels(sort);
  if (error != LAUNCH_OK)
    return error;
  if (sort.path == CDP_PATH_SHORT)
    return launch_short(sort, plan, stream);
  const Work<Bits> root = work_for<Bits>(Step::root);
  if (sort.fan_out == CDP_FAN_OUT_CLASSIC)
    return launch_from_host(thin_grid<Bits>(1), stream, task_kernel<TwoWay<Bits>, DeviceDriver>, sort, ROOT_EVENT, root);
  if (sort.map_buckets == 0)
    return launch_from_host(fat_grid(sort, 1), stream, task_kernel<Multiway<Bits>, DeviceDriver>, sort, ROOT_EVENT, root);
  const int disowned = disown(plan, stream);
  if (disowned != LAUNCH_OK)
    return disowned;
  return launch_from_host(map_grid(sort, map_blocks(sort)), stream, map_kernel<Bits>, sort, ROOT_EVENT);
}

} // namespace cdp::CDP_RUNTIME

#endif
