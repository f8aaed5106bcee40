/* SPDX-License-Identifier: MIT */
/*
 * The root: the one kernel that the host launches; and the kernels (kernels.cuh), each of which does what its Work says. The
 * classic root is one block that clears the bookkeeping, launches the first batch behind itself (batches.cuh), and settles the
 * whole array; multiway_kernels.cuh has that of tasks with many children. Arrays that need no tasks have roots of their own: what one
 * block holds is sorted at once (single.cuh), and of short arrays the root is a grid, one block of which launches
 * (short_array.cuh).
 */
#ifndef CDPSORT_DEVICE_RECURSION_ROOT_CUH
#define CDPSORT_DEVICE_RECURSION_ROOT_CUH

#include "recursion/batches.cuh"
#include "recursion/controller.cuh"
#include "recursion/fallback.cuh"
#include "recursion/last_block.cuh"
#include "recursion/multiway_kernels.cuh"
#include "recursion/short_array.cuh"
#include "recursion/single.cuh"
#include "recursion/start.h"
#include "recursion/workspace.cuh"

namespace cdp::CDP_RUNTIME {

template <typename Bits>
__device__ __forceinline__ void two_way_root_body(const Sort<Bits> &sort, const uint32_t &event) {
  expect(sort.fan_out == CDP_FAN_OUT_CLASSIC && sort.path != CDP_PATH_SHORT);
  const TraceScope scope(sort, event, CDP_TRACE_ROOT, whole_range(sort), block_shared<BlockStorage>());
  settle_array<Bits, DeviceStarter<Bits>>(sort, [](const auto &same_sort) {
    __threadfence();
    launch_batch(same_sort);
  });
}

template <typename Bits>
__device__ __forceinline__ void do_two_way_step(const Sort<Bits> &sort, const uint32_t &event, const Work<Bits> &work) {
  switch (work.step) {
  case Step::two_way_root:
    return two_way_root_body(sort, event);
  case Step::controller:
    return controller_body(sort, event, work.slot);
  case Step::network:
    return network_body(sort, event, work);
  case Step::fill:
    return fill_body(sort, event, work);
  case Step::fill_buckets:
    return fill_buckets_body(sort, event, work);
  case Step::batch:
    return batch_body(sort, event);
  case Step::reverse:
    return reverse_body(sort, event);
  default:
    return partition_body(sort, event, work);
  }
}

template <typename Bits>
__global__ void __launch_bounds__(Shape<Bits>::BLOCK_THREADS, Shape<Bits>::RESIDENT_BLOCKS)
    two_way_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event, const __grid_constant__ Work<Bits> work) {
  do_two_way_step(sort, event, work);
  if (threadIdx.x == 0)
    leave_sort(sort);
}

template <typename Bits>
__device__ __forceinline__ void do_multiway_step(const Sort<Bits> &sort, const uint32_t &event, const Work<Bits> &work) {
  switch (work.step) {
  case Step::look:
    return look_body(sort, event, static_cast<Direction>(work.detail));
  case Step::multiway_root:
  case Step::prepare:
    return prepare_body(sort, event, work);
  default:
    return stage_body(sort, event, work);
  }
}

template <typename Bits>
__global__ void __launch_bounds__(MultiwayShape<Bits>::BLOCK_THREADS, 1)
    multiway_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event, const __grid_constant__ Work<Bits> work) {
  do_multiway_step(sort, event, work);
  if (threadIdx.x == 0)
    leave_sort(sort);
}

/* Who sorts the whole array in one block has nobody to count for, and gather_body() leaves by itself. */
template <typename Bits>
__global__ void __launch_bounds__(MultiwayShape<Bits>::BLOCK_THREADS, 1)
    leaf_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event, const __grid_constant__ Work<Bits> work) {
  if (work.step == Step::gather)
    return gather_body(sort, event);
  sort_ranges_body(sort, event, work);
  if (work.step != Step::leaf_root && threadIdx.x == 0)
    leave_sort(sort);
}

/* Lets the fat kernels that a sort may come to have their shared memory on the current device, launched by the host or by the
   device. Returns a cudaError_t. */
template <typename Bits>
int allow_kernels(const Sort<Bits> &sort) {
  const uint32_t bytes = sort.multiway_shared_bytes;
  if (sort.fan_out == CDP_FAN_OUT_CLASSIC || sort.path == CDP_PATH_ONE_BLOCK)
    return allow_shared_bytes(leaf_kernel<Bits>, bytes);
  if (sort.path == CDP_PATH_TASKS)
    return allow_each_shared_bytes(bytes, leaf_kernel<Bits>, multiway_kernel<Bits>);
  return allow_each_shared_bytes(bytes, leaf_kernel<Bits>, multiway_kernel<Bits>, short_root_kernel<Bits>);
}

template <typename Bits>
int launch_recursion(const cdp_plan &plan, bool counted, void *stream) {
  const Sort<Bits> sort = make_sort<Bits>(plan, counted);
  if (plan.merges)
    return launch_single(sort, stream);
  const int error = allow_kernels(sort);
  if (error != LAUNCH_OK)
    return error;
  if (sort.fan_out == CDP_FAN_OUT_CLASSIC)
    return launch_from_host(sorting_grid<Bits>(1), stream, two_way_kernel<Bits>, sort, ROOT_EVENT,
                            work_for<Bits>(Step::two_way_root));
  if (plan.path == CDP_PATH_SHORT)
    return launch_from_host(multiway_grid(sort, plan.short_blocks), stream, short_root_kernel<Bits>, sort, ROOT_EVENT);
  if (plan.path == CDP_PATH_ONE_BLOCK)
    return launch_from_host(multiway_grid(sort, 1), stream, leaf_kernel<Bits>, sort, ROOT_EVENT,
                            work_for<Bits>(Step::leaf_root));
  return launch_from_host(multiway_grid(sort, 1), stream, multiway_kernel<Bits>, sort, ROOT_EVENT,
                          work_for<Bits>(Step::multiway_root));
}

} // namespace cdp::CDP_RUNTIME

#endif
