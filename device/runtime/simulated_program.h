/* SPDX-License-Identifier: MIT */
/*
 * CUDA's names for a whole program, host code included, on the simulated device: what samples/02_recursion_by_hand/quicksort.cu and
 * docs/first_launch.cu call, and no more.
 *
 * simulated_program.cmake makes C++ of a .cu file. It has this header included first, and writes two things in another way:
 *
 *     kernel<<<blocks, threads, bytes, stream>>>(arguments)     CDP_SIMULATED_LAUNCH(kernel, blocks, threads, bytes, stream)(arguments)
 *     __shared__ type name;                                     CDP_SIMULATED_SHARED(type, , name);
 *
 * A launch by the host is complete when it returns. Managed and device memory are the simulated device's, with its guards.
 */
#ifndef CDPSORT_DEVICE_RUNTIME_SIMULATED_PROGRAM_H
#define CDPSORT_DEVICE_RUNTIME_SIMULATED_PROGRAM_H

#include "runtime/runtime.cuh"

#include <cstddef>
#include <cstdint>

#define __managed__

enum cudaError_t : int {
  cudaSuccess = 0,
  cudaErrorMemoryAllocation = 2,
  cudaErrorLaunchPendingCountExceeded = cdp::simulated::LAUNCH_PENDING_LIMIT,
  cudaErrorLaunchFailure = cdp::simulated::LAUNCH_RULE_BROKEN
};

enum cudaStream_t { cudaStreamLegacy, cudaStreamFireAndForget, cudaStreamTailLaunch, cudaStreamCreated };
constexpr unsigned int cudaStreamNonBlocking = 1;

namespace cdp::simulated::program {

/* What a block has for its __shared__ variables, each at a place of its own. */
constexpr uint32_t SHARED_BYTES = 1024;
constexpr uint32_t VARIABLE_BYTES = 64;
struct alignas(16) Shared {
  unsigned char bytes[SHARED_BYTES];
};

template <typename T, uint32_t NUMBER>
T &shared_variable() {
  static_assert(sizeof(T) <= VARIABLE_BYTES && (NUMBER + 1) * VARIABLE_BYTES <= SHARED_BYTES, "shared memory is small here");
  return *reinterpret_cast<T *>(block_shared<Shared>().bytes + NUMBER * VARIABLE_BYTES);
}

/* The error of the latest launch: cudaGetLastError() reads it, right after it. */
inline int &latest_error() {
  static thread_local int error = LAUNCH_OK;
  return error;
}

inline ChildStream child_stream(cudaStream_t stream) {
  if (stream == cudaStreamTailLaunch)
    return ChildStream::tail;
  return stream == cudaStreamCreated ? ChildStream::named : ChildStream::fire_and_forget;
}

/* A launch of a kernel, by the host or by a running thread. */
template <typename... Parameters>
struct Launch {
  void (*kernel)(Parameters...);
  uint32_t blocks;
  uint32_t threads;
  cudaStream_t stream;

  void operator()(Parameters... arguments) const {
    const GridShape shape = {blocks, threads, SHARED_BYTES};
    latest_error() = is_running() ? launch_child(child_stream(stream), shape, kernel, arguments...)
                                  : launch_from_host(shape, nullptr, kernel, arguments...);
  }
};

template <typename... Parameters>
Launch<Parameters...> launch_of(void (*kernel)(Parameters...), uint32_t blocks, uint32_t threads, size_t = 0,
                                cudaStream_t stream = cudaStreamLegacy) {
  return {kernel, blocks, threads, stream};
}

} // namespace cdp::simulated::program

#define CDP_SIMULATED_LAUNCH(...) ::cdp::simulated::program::launch_of(__VA_ARGS__)
#define CDP_SIMULATED_SHARED(type, extent, name)                                                                               \
  auto &name = ::cdp::simulated::program::shared_variable<type extent, __COUNTER__>()

using cdp::simulated::__syncthreads;
using cdp::simulated::__threadfence;
using cdp::simulated::atomicAdd;
using cdp::simulated::atomicCAS;

inline cudaError_t cudaGetLastError() {
  const int error = cdp::simulated::program::latest_error();
  cdp::simulated::program::latest_error() = cdp::simulated::LAUNCH_OK;
  return static_cast<cudaError_t>(error);
}

inline const char *cudaGetErrorName(cudaError_t error) {
  switch (error) {
  case cudaSuccess:
    return "cudaSuccess";
  case cudaErrorMemoryAllocation:
    return "cudaErrorMemoryAllocation";
  case cudaErrorLaunchPendingCountExceeded:
    return "cudaErrorLaunchPendingCountExceeded";
  default:
    return "cudaErrorLaunchFailure";
  }
}

/* Says which rule a run broke. */
inline const char *cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorLaunchFailure ? cdp::simulated::last_report().broken_rule : cudaGetErrorName(error);
}

inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int) {
  *stream = cudaStreamCreated;
  return cudaSuccess;
}

inline cudaError_t cudaStreamDestroy(cudaStream_t) {
  return cudaSuccess;
}

inline cudaError_t cudaDeviceSynchronize() {
  return cudaSuccess;
}

template <typename T>
cudaError_t cudaMalloc(T **memory, size_t bytes) {
  *memory = static_cast<T *>(cdp::simulated::allocate_memory(bytes));
  return *memory != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}

template <typename T>
cudaError_t cudaMallocManaged(T **memory, size_t bytes) {
  return cudaMalloc(memory, bytes);
}

inline cudaError_t cudaFree(void *memory) {
  return cdp::simulated::release_memory(memory) ? cudaSuccess : cudaErrorLaunchFailure;
}

#endif
