/* SPDX-License-Identifier: MIT */
/*
 * The root: the one kernel that the host launches. One block that clears the bookkeeping, launches the first wave behind itself
 * (waves.cuh), and settles the whole array. Arrays that need no tasks have roots of their own: what one block holds is sorted
 * at once (single.cuh), and of short arrays the root is a grid, one block of which launches (short_array.cuh).
 */
#ifndef CDPSORT_DEVICE_RECURSION_ROOT_CUH
#define CDPSORT_DEVICE_RECURSION_ROOT_CUH

#include "recursion/controller.cuh"
#include "recursion/fallback.cuh"
#include "recursion/fan_kernels.cuh"
#include "recursion/last_block.cuh"
#include "recursion/short_array.cuh"
#include "recursion/single.cuh"
#include "recursion/start.h"
#include "recursion/waves.cuh"
#include "recursion/workspace.cuh"

namespace cdp::CDP_RUNTIME {

template <typename Order>
__global__ void __launch_bounds__(Shape<typename Order::Bits>::BLOCK_THREADS, Shape<typename Order::Bits>::RESIDENT_BLOCKS)
    root_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event) {
  const TraceScope scope(sort, event, CDP_TRACE_ROOT, whole_range(sort), block_shared<BlockStorage>());
  settle_array<Order, DeviceStarter<Order>>(sort, [](const auto &same_sort) {
    __threadfence();
    launch_wave<Order>(same_sort);
  });
}

template <typename Order>
int launch_root(const cdp_request &request, bool counted, void *stream) {
  using Bits = typename Order::Bits;
  const Sort<Bits> sort = make_sort<Bits>(request, counted);
  const bool classic = request.fan_out == CDP_FAN_OUT_CLASSIC;
  if (!classic && is_single(sort))
    return launch_single<Order>(sort, stream);
  const int error = allow_fan_kernels<Order>(sort.fan_shared_bytes);
  if (error != LAUNCH_OK)
    return error;
  if (classic)
    return launch_from_host(sorting_grid<Bits>(1), stream, root_kernel<Order>, sort, ROOT_EVENT);
  if (request.short_fan_out != 0)
    return launch_short_root<Order>(sort, stream);
  return launch_from_host(fan_grid(sort, 1), stream, fan_root_kernel<Order>, sort, ROOT_EVENT);
}

template <cdp_type TYPE>
int launch_recursion(const cdp_request &request, bool counted, void *stream) {
  if (request.order == CDP_DESCENDING)
    return launch_root<OrderOf<TYPE, true>>(request, counted, stream);
  return launch_root<OrderOf<TYPE, false>>(request, counted, stream);
}

} // namespace cdp::CDP_RUNTIME

#endif
