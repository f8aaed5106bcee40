/* SPDX-License-Identifier: MIT */
/*
 * The root: the one kernel that the host launches. One block that clears the bookkeeping, launches the first wave behind itself
 * (waves.cuh), and settles the whole array; what one block can finish it sorts at once.
 */
#ifndef CDPSORT_DEVICE_RECURSION_ROOT_CUH
#define CDPSORT_DEVICE_RECURSION_ROOT_CUH

#include "recursion/controller.cuh"
#include "recursion/fallback.cuh"
#include "recursion/fan_kernels.cuh"
#include "recursion/last_block.cuh"
#include "recursion/start.h"
#include "recursion/waves.cuh"
#include "recursion/workspace.cuh"

namespace cdp::CDP_RUNTIME {

template <typename Order>
__global__ void __launch_bounds__(Shape<typename Order::Bits>::BLOCK_THREADS, Shape<typename Order::Bits>::RESIDENT_BLOCKS)
    root_kernel(Sort<typename Order::Bits> sort) {
  settle_array<Order, DeviceStarter<Order>>(sort, [](const auto &same_sort) {
    __threadfence();
    launch_wave<Order>(same_sort);
  });
}

template <typename Order>
int launch_root(const cdp_request &request, bool counted, void *stream) {
  using Bits = typename Order::Bits;
  const Sort<Bits> sort = make_sort<Bits>(request, counted);
  const int error = allow_fan_kernels<Order>(sort.fan_shared_bytes);
  if (error != LAUNCH_OK)
    return error;
  if (request.fan_out == CDP_FAN_OUT_CLASSIC)
    return launch_from_host(sorting_grid<Bits>(1), stream, root_kernel<Order>, sort);
  return launch_from_host(fan_grid(sort, 1), stream, fan_root_kernel<Order>, sort);
}

template <cdp_type TYPE>
int launch_recursion(const cdp_request &request, bool counted, void *stream) {
  if (request.order == CDP_DESCENDING)
    return launch_root<OrderOf<TYPE, true>>(request, counted, stream);
  return launch_root<OrderOf<TYPE, false>>(request, counted, stream);
}

} // namespace cdp::CDP_RUNTIME

#endif
