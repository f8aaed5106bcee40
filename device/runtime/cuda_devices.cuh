/* SPDX-License-Identifier: MIT */
/*
 * CUDA's devices as the engine sees them: what a call's error is called, which device is current, and what a device is like.
 *
 * Used by cuda_engine.cu alone.
 */
#ifndef CDPSORT_DEVICE_RUNTIME_CUDA_DEVICES_CUH
#define CDPSORT_DEVICE_RUNTIME_CUDA_DEVICES_CUH

#include "block/mapped_shape.cuh"
#include "runtime/cuda_context.cuh"
#include "runtime/engine_calls.h"

#include <pthread.h>

#include <atomic>
#include <cstring>
#include <mutex>

namespace cdp::cuda {

/* Reads a CUDA call's error. */
inline cdp_status check(cdp_fault *fault, cudaError_t error, const char *doing) {
  if (unrecorded(error) == cudaSuccess)
    return CDP_OK;
  fault->cuda_error = static_cast<int>(error);
  snprintf(fault->text, sizeof fault->text, "%s failed: %s (CUDA error %d, %s)", doing, cudaGetErrorString(error),
           static_cast<int>(error), cudaGetErrorName(error));
  return error == cudaErrorMemoryAllocation ? CDP_ERROR_MEMORY : CDP_ERROR_CUDA;
}

/* A copy that fails for want of memory may have begun, or be that of sorted keys: CDP_ERROR_MEMORY is for untouched keys. */
inline cdp_status check_copy(cdp_fault *fault, cudaError_t error, const char *doing) {
  const cdp_status status = check(fault, error, doing);
  return status == CDP_ERROR_MEMORY ? CDP_ERROR_CUDA : status;
}

/* As check(), once kernels may have run: exhausted memory, as for a kernel that CUDA loads now, is a failure like any other. */
inline cdp_status check_running(cdp_fault *fault, cudaError_t error, const char *doing) {
  const cdp_status status = check_copy(fault, error, doing);
  const size_t length = strlen(fault->text);
  if (status != CDP_OK)
    snprintf(fault->text + length, sizeof fault->text - length, "; what the call writes in device memory is unspecified now");
  return status;
}

/* What a launch returned; has_begun: kernels may have run. */
inline cdp_status check_launch(int error, bool has_begun, const char *doing, cdp_fault *fault) {
  const cudaError_t cuda_error = static_cast<cudaError_t>(error);
  return has_begun ? check_running(fault, cuda_error, doing) : check(fault, cuda_error, doing);
}

/* Whether this process is the child of a fork() by one that had used CUDA. */
inline std::atomic<bool> is_forked{false};

/* Asked for once: a process keeps the devices that it began with. */
inline int device_count(cdp_fault *fault) {
  static std::atomic<int> known{0};
  if (is_forked.load(std::memory_order_relaxed)) {
    fault->advice = "sort in the process that forked, start the child anew by exec(), or fork before CUDA is first used";
    refuse(fault, CDP_ERROR_NO_DEVICE, "CUDA does not work in the child of a fork() by a process that has used it");
    return 0;
  }
  int count = known.load(std::memory_order_relaxed);
  if (count > 0)
    return count;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0) {
    static std::once_flag watched;
    std::call_once(watched, [] { pthread_atfork(nullptr, nullptr, [] { is_forked = true; }); });
    known.store(count, std::memory_order_relaxed);
    return count;
  }
  check(fault, error == cudaSuccess ? cudaErrorNoDevice : error, "looking for a CUDA device");
  return 0;
}

inline cdp_status current(int *ordinal, cdp_fault *fault) {
  return check(fault, cudaGetDevice(ordinal), "asking for the current CUDA device");
}

/* A thread without a context has none again, or the device that it had chosen. A failure is told by the next call that needs the
   device. */
inline void leave(const cdp_previous *previous) {
  if (previous->had_none && make_context_current(nullptr))
    return;
  if (!previous->is_switched || (previous->context != nullptr && make_context_current(previous->context)))
    return;
  unrecorded(cudaSetDevice(previous->ordinal));
}

inline cdp_status enter(int ordinal, void *context, cdp_previous *previous, cdp_fault *fault) {
  *previous = {};
  // What lies in another context than the device's primary one, which CUDA would give the thread, is out of reach from there.
  if (context != nullptr && make_context_current(context)) {
    previous->had_none = true;
    return CDP_OK;
  }
  CDP_RETURN_UNLESS_OK(current(&previous->ordinal, fault));
  if (previous->ordinal == ordinal)
    return CDP_OK;
  previous->is_switched = true;
  previous->context = current_context();
  const cdp_status status = check(fault, cudaSetDevice(ordinal), "making a CUDA device current");
  if (status != CDP_OK)
    leave(previous); // CUDA makes it current first, and finds out then that it cannot be used
  return status;
}

/* That the device has less shared memory than the kernels need, and what helps: there may be smaller ones for it. */
inline cdp_status refuse_device(const cudaDeviceProp &properties, int compiled_for, uint32_t needed, cdp_fault *fault) {
  const DeviceKind own_kind = device_kind_of(static_cast<uint32_t>(properties.major * 100 + properties.minor * 10));
  const bool others_fit = fat_shared_bytes(own_kind) <= properties.sharedMemPerBlockOptin;
  char build[64] = "";
  if (others_fit)
    snprintf(build, sizeof build, "build with CMAKE_CUDA_ARCHITECTURES=%d%d, ", properties.major, properties.minor);
  return refuse(fault, CDP_ERROR_UNSUPPORTED,
                "the device gives a block %zu bytes of shared memory, and kernels compiled for compute capability %d.%d need "
                "%u: %schoose another device, or CDP_DEVICE_SIMULATED",
                properties.sharedMemPerBlockOptin, compiled_for / 10, compiled_for % 10, static_cast<unsigned>(needed), build);
}

/* Whether the program has the kernels that launch others. A test without them is tests/gpu/host_kernels/. */
#ifdef CDPSORT_HOST_LAUNCHES
constexpr bool HAS_RECURSION = false;
#else
constexpr bool HAS_RECURSION = true;
#endif

/* Whether the device is shared by MPS, under which no module loads that launches from it. Older drivers do not know the question. */
inline bool is_under_mps(int ordinal) {
  constexpr cudaDeviceAttr MPS_ENABLED = static_cast<cudaDeviceAttr>(133); // cudaDevAttrMpsEnabled, which older toolkits lack
  int is_enabled = 0;
  if (cudaDeviceGetAttribute(&is_enabled, MPS_ENABLED, ordinal) == cudaSuccess)
    return is_enabled != 0;
  cudaGetLastError();
  return false;
}

/* A failure counts as a limit of 0: the next call that needs the device tells it. */
inline uint32_t pending_limit(int ordinal) {
  cdp_fault unread = {};
  cdp_previous previous;
  size_t limit = 0;
  if (enter(ordinal, nullptr, &previous, &unread) != CDP_OK)
    return 0;
  if (unrecorded(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount)) != cudaSuccess)
    limit = 0;
  leave(&previous);
  return limit < UINT32_MAX ? static_cast<uint32_t>(limit) : UINT32_MAX;
}

/* What does not change as long as the process runs. */
struct KnownDevice {
  std::atomic<int> known_as{-1}; /* the ordinal, when the rest is there */
  uint64_t memory_bytes = 0;
  bool has_pools = false;
  cdp_device_facts facts{};
  char name[128] = "";
};

inline cdp_status examine(int ordinal, KnownDevice &device, cdp_fault *fault) {
  const RelaxedCapture relaxed(true);
  cudaDeviceProp properties;
  CDP_RETURN_UNLESS_OK(check(fault, cudaGetDeviceProperties(&properties, ordinal), "asking what the CUDA device is"));
  // Which code runs is not for the device's capability to say: a newer device runs what was compiled for an older one. The
  // kernels' sizes are those of the virtual architecture, which __CUDA_ARCH__ was: of that, the answer is the tenth part.
  int compiled_for = 0;
  CDP_RETURN_UNLESS_OK(
      check(fault, static_cast<cudaError_t>(compiled_architecture(&compiled_for)), "asking what the kernels are compiled for"));
  const DeviceKind kind = device_kind_of(static_cast<uint32_t>(compiled_for) * 10);
  const uint32_t needed = fat_shared_bytes(kind);
  if (properties.sharedMemPerBlockOptin < needed)
    return refuse_device(properties, compiled_for, needed, fault);
  snprintf(device.name, sizeof device.name, "%.60s (CUDA device %d, compute capability %d.%d, %d multiprocessors)",
           properties.name, ordinal, properties.major, properties.minor, properties.multiProcessorCount);
  int has_pools = 0;
  CDP_RETURN_UNLESS_OK(check(fault, cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, ordinal),
                             "asking whether the CUDA device has memory pools"));
  device.has_pools = has_pools != 0;
  device.memory_bytes = properties.totalGlobalMem;
  cdp_device_facts &facts = device.facts;
  facts.device_kind = static_cast<uint32_t>(kind);
  facts.multiprocessors = static_cast<uint32_t>(properties.multiProcessorCount);
  facts.pending_limit = pending_limit;
  facts.ordinal = ordinal;
  facts.pending_limit_min = PENDING_LIMIT_MIN;
  facts.launches_from_device = HAS_RECURSION && !is_under_mps(ordinal);
  facts.overlaps_grids = compiled_for >= 90;
  facts.name = device.name;
  return CDP_OK;
}

/* Devices that were examined, once each: a sort of 2^10 keys takes some microseconds, and so does the examination. Of others each
   thread knows the latest. */
constexpr int MAX_DEVICES_KNOWN = 64;
inline KnownDevice known_devices[MAX_DEVICES_KNOWN];
inline thread_local KnownDevice latest_other;
inline std::mutex examining;

inline cdp_status find_device(int ordinal, const KnownDevice **found, cdp_fault *fault) {
  KnownDevice &device = ordinal < MAX_DEVICES_KNOWN ? known_devices[ordinal] : latest_other;
  if (device.known_as.load(std::memory_order_acquire) != ordinal) {
    const std::lock_guard<std::mutex> lock(examining);
    if (device.known_as.load(std::memory_order_relaxed) != ordinal)
      CDP_RETURN_UNLESS_OK(examine(ordinal, device, fault));
    device.known_as.store(ordinal, std::memory_order_release);
  }
  *found = &device;
  return CDP_OK;
}

inline cdp_status describe(int ordinal, cdp_device_facts *facts, cdp_fault *fault) {
  const KnownDevice *device = nullptr;
  CDP_RETURN_UNLESS_OK(find_device(ordinal, &device, fault));
  *facts = device->facts;
  return CDP_OK;
}

} // namespace cdp::cuda

#endif
