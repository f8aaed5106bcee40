/* SPDX-License-Identifier: MIT */
/*
 * Copies from device memory to shared memory that are under way while a thread goes on, and take none of its registers.
 *
 *     copy_ahead()     begins to copy a number of 4 or 8 bytes
 *     await_copies()   waits for all that the thread has begun; others see them behind the next barrier
 */
#ifndef CDPSORT_DEVICE_RUNTIME_COPY_AHEAD_CUH
#define CDPSORT_DEVICE_RUNTIME_COPY_AHEAD_CUH

#include "runtime/runtime.cuh"

namespace cdp::CDP_RUNTIME {

/* Asynchronous copies came with compute capability 8.0. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
template <typename Number>
__device__ __forceinline__ void copy_ahead(Number *shared, const Number *source) {
  const uint32_t place = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  static_assert(sizeof(Number) == 4 || sizeof(Number) == 8, "what an asynchronous copy takes");
  if constexpr (sizeof(Number) == 4)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place), "l"(source) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(place), "l"(source) : "memory");
}

__device__ __forceinline__ void await_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}
#else
template <typename Number>
__device__ __forceinline__ void copy_ahead(Number *shared, const Number *source) {
  *shared = *source;
}

__device__ __forceinline__ void await_copies() {}
#endif

} // namespace cdp::CDP_RUNTIME

#endif
