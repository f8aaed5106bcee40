/* SPDX-License-Identifier: MIT */
/*
 * The engine of CUDA: engine.h's table on top of the CUDA runtime. Every call's error is read and told in words.
 */
#include "runtime/cuda_devices.cuh"
#include "runtime/cuda_resources.cuh"
#include "runtime/engine_calls.h"

namespace cdp::cuda {

namespace {

cdp_status locate(const void *pointer, cdp_memory_place *place, cdp_fault *fault) {
  cudaPointerAttributes attributes;
  const bool has_context = current_context() != nullptr; // before a call that may give the thread one
  CDP_RETURN_UNLESS_OK(check(fault, cudaPointerGetAttributes(&attributes, pointer), "asking where memory lies"));
  place->ordinal = -1;
  place->context = nullptr;
  place->kind = CDP_MEMORY_HOST;
  if (attributes.type == cudaMemoryTypeManaged)
    place->kind = CDP_MEMORY_MANAGED;
  if (attributes.type == cudaMemoryTypeDevice) {
    place->kind = CDP_MEMORY_DEVICE;
    place->ordinal = attributes.device;
    place->context = has_context ? nullptr : context_of(pointer);
  }
  return CDP_OK;
}

/* cudaDeviceSynchronize() first: host memory that a copy reads, pinned or not, may be written by earlier work on any stream. */
cdp_status begin(void **stream, cdp_fault *fault) {
  cudaStream_t lent = nullptr;
  CDP_RETURN_UNLESS_OK(check(fault, cudaDeviceSynchronize(), "waiting for earlier work on the device"));
  CDP_RETURN_UNLESS_OK(check(fault, resources().lend(&lent), "creating a stream"));
  *stream = lent;
  return CDP_OK;
}

cdp_status finish(void *stream, const char *doing, cdp_fault *fault) {
  return check_running(fault, cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), doing);
}

void end(void *stream) {
  resources().give_back(static_cast<cudaStream_t>(stream));
}

/* The device that is current, which describe() has examined before. */
cdp_status current_device(const KnownDevice **device, cdp_fault *fault) {
  int ordinal = 0;
  CDP_RETURN_UNLESS_OK(current(&ordinal, fault));
  return find_device(ordinal, device, fault);
}

cdp_status allocate(size_t bytes, void *stream, bool may_wait, void **memory, cdp_fault *fault) {
  const KnownDevice *device = nullptr;
  CDP_RETURN_UNLESS_OK(current_device(&device, fault));
  if (device->has_pools)
    return check(
        fault,
        resources().allocate(device->facts.ordinal, device->memory_bytes, bytes, static_cast<cudaStream_t>(stream), memory),
        "allocating device memory");
  if (may_wait)
    return check(fault, cudaMalloc(memory, bytes), "allocating device memory");
  fault->advice = "give a workspace, or an allocator";
  return refuse(fault, CDP_ERROR_UNSUPPORTED, "the device has no memory pools, and so no memory in a stream's order");
}

cdp_status release(void *memory, void *stream, cdp_fault *fault) {
  const KnownDevice *device = nullptr;
  if (memory == nullptr)
    return CDP_OK;
  CDP_RETURN_UNLESS_OK(current_device(&device, fault));
  const cudaError_t error = device->has_pools ? cudaFreeAsync(memory, static_cast<cudaStream_t>(stream)) : cudaFree(memory);
  return check_running(fault, error, "giving memory back");
}

/* In the child of a fork() nothing is kept, and another thread of the parent may have held the lock. */
cdp_status set_memory_ceiling(uint64_t bytes, cdp_fault *fault) {
  if (is_forked)
    return CDP_OK;
  return check(fault, resources().set_ceiling(bytes), "giving back what memory pools keep");
}

cdp_status trim_memory(cdp_fault *fault) {
  if (is_forked)
    return CDP_OK;
  return check(fault, resources().trim(), "giving back what memory pools keep");
}

cdp_status copy(void *destination, const void *source, size_t bytes, void *stream, cdp_fault *fault) {
  const bool is_to_host = bytes >= MIN_STAGED_BYTES && is_pageable(destination);
  if (is_to_host || (bytes >= MIN_STAGED_BYTES && is_pageable(source)))
    if (void *pinned = resources().lend_staging()) {
      const cudaError_t error = copy_staged(pinned, destination, source, bytes, is_to_host, static_cast<cudaStream_t>(stream));
      resources().give_back_staging(pinned);
      return check_copy(fault, error, "copying arrays");
    }
  return check_copy(fault, cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDefault, static_cast<cudaStream_t>(stream)),
                    "copying arrays");
}

cdp_status is_captured(void *stream, bool *captured, cdp_fault *fault) {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  CDP_RETURN_UNLESS_OK(
      check(fault, cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &capture), "asking about the stream"));
  *captured = capture != cudaStreamCaptureStatusNone;
  return CDP_OK;
}

cdp_status launch(const cdp_plan *plan, void *stream, cdp_fault *fault) {
  const RelaxedCapture relaxed(plan->is_captured);
  return check_launch(launch_sort(*plan, false, stream), moves_keys_early(*plan), "launching the sort", fault);
}

cdp_status launch_payload_on(const cdp_payload_plan *plan, void *stream, cdp_fault *fault) {
  const RelaxedCapture relaxed(plan->sort.is_captured);
  return check_launch(launch_payload(*plan, stream), true, "launching the sort", fault);
}

cdp_status launch_records_on(const cdp_records_plan *plan, void *stream, cdp_fault *fault) {
  const RelaxedCapture relaxed(plan->is_captured);
  return check_launch(launch_records(*plan, stream), true, "launching the sort", fault);
}

cdp_status launch_division_on(const cdp_division_plan *plan, void *stream, cdp_fault *fault) {
  const RelaxedCapture relaxed(plan->is_captured);
  return check_launch(launch_division(*plan, stream), true, "launching the division", fault);
}

cdp_status launch_select_on(const cdp_select_plan *plan, void *stream, cdp_fault *fault) {
  const RelaxedCapture relaxed(plan->is_captured);
  return check_launch(launch_select(*plan, stream), true, "launching the selection", fault);
}

cdp_status launch_ranges_on(const cdp_ranges_plan *plan, void *stream, cdp_fault *fault) {
  const RelaxedCapture relaxed(plan->is_captured);
  return check_launch(launch_ranges(*plan, stream), true, "launching the kernels", fault);
}

cdp_status launch_segments_on(const cdp_segments_plan *plan, void *stream, cdp_fault *fault) {
  const RelaxedCapture relaxed(plan->is_captured);
  return check_launch(launch_segments(*plan, stream), true, "launching the kernels", fault);
}

cdp_status prepare_in_capture(cdp_compare_plan *plan, int ordinal, cdp_fault *fault) {
  const RelaxedCapture relaxed(true);
  return prepare_comparison(plan, ordinal, fault);
}

cdp_status launch_compare_on(const cdp_compare_plan *plan, void *stream, cdp_fault *fault) {
  const RelaxedCapture relaxed(plan->is_captured);
  return check_launch(launch_compare(*plan, stream), true, "launching the sort", fault);
}

cdp_status launch_bitonic_on(const cdp_bitonic_plan *plan, void *stream, cdp_fault *fault) {
  const RelaxedCapture relaxed(plan->is_captured);
  return check_launch(launch_bitonic(*plan, stream), true, "launching the sort", fault);
}

/* See engine_calls.h. */
class Session {
public:
  explicit Session(void *of_stream) : stream(static_cast<cudaStream_t>(of_stream)) {}

  /* A failure here is one of the call, already reported. */
  ~Session() {
    if (begun != nullptr)
      unrecorded(cudaEventDestroy(begun));
    if (ended != nullptr)
      unrecorded(cudaEventDestroy(ended));
  }
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  cdp_status begin(uint64_t, cdp_fault *fault) {
    CDP_RETURN_UNLESS_OK(check(fault, cudaEventCreate(&begun), "creating an event"));
    CDP_RETURN_UNLESS_OK(check(fault, cudaEventCreate(&ended), "creating an event"));
    return check(fault, cudaEventRecord(begun, stream), "recording an event");
  }

  static cdp_status check_launch(int error, bool has_begun, const char *doing, cdp_fault *fault) {
    return cuda::check_launch(error, has_begun, doing, fault);
  }

  cdp_status end(const char *doing, double *milliseconds, cdp_fault *fault) const {
    float elapsed = 0;
    CDP_RETURN_UNLESS_OK(check_running(fault, cudaEventRecord(ended, stream), "recording an event"));
    CDP_RETURN_UNLESS_OK(finish(stream, doing, fault));
    CDP_RETURN_UNLESS_OK(check_running(fault, cudaEventElapsedTime(&elapsed, begun, ended), "asking how long it took"));
    *milliseconds = static_cast<double>(elapsed);
    return CDP_OK;
  }

  cdp_status read(void *destination, const void *source, size_t bytes, cdp_fault *fault) const {
    CDP_RETURN_UNLESS_OK(copy(destination, source, bytes, stream, fault));
    return finish(stream, "reading what the device has counted", fault);
  }

private:
  cudaStream_t stream;
  cudaEvent_t begun = nullptr;
  cudaEvent_t ended = nullptr;
};

cdp_status set_pending_limit(uint32_t limit, cdp_fault *fault) {
  return check(fault, cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, limit), "setting the pending-launch limit");
}

constexpr cdp_engine ENGINE = {false,
                               device_count,
                               enter,
                               leave,
                               current,
                               describe,
                               locate,
                               begin,
                               finish,
                               end,
                               allocate,
                               release,
                               set_memory_ceiling,
                               trim_memory,
                               copy,
                               is_captured,
                               launch,
                               launch_payload_on,
                               launch_records_on,
                               launch_division_on,
                               launch_select_on,
                               launch_ranges_on,
                               launch_segments_on,
                               launch_compare_on,
                               launch_bitonic_on,
                               prepare_in_capture,
                               run_sort<Session>,
                               run_partition<Session>,
                               set_pending_limit};

} // namespace

} // namespace cdp::cuda

uint64_t cdp::cuda_context_number() {
  return cdp::cuda::current_context_number();
}

extern "C" const cdp_engine *cdp_engine_cuda(void) {
  return &cdp::cuda::ENGINE;
}
