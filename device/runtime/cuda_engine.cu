/* SPDX-License-Identifier: MIT */
/*
 * The engine of CUDA: engine.h's table on top of the CUDA runtime. Every call's error is read and told in words.
 */
#include "block/mapped_shape.cuh"
#include "runtime/cuda_context.cuh"
#include "runtime/engine_calls.h"

#include <atomic>
#include <cstring>
#include <mutex>

namespace cdp::cuda {

namespace {

/* Reads a CUDA call's error. */
cdp_status check(cdp_fault *fault, cudaError_t error, const char *doing) {
  if (unrecorded(error) == cudaSuccess)
    return CDP_OK;
  fault->cuda_error = static_cast<int>(error);
  snprintf(fault->text, sizeof fault->text, "%s failed: %s (CUDA error %d, %s)", doing, cudaGetErrorString(error),
           static_cast<int>(error), cudaGetErrorName(error));
  return error == cudaErrorMemoryAllocation ? CDP_ERROR_MEMORY : CDP_ERROR_CUDA;
}

/* A copy that fails for want of memory may have begun, or be that of sorted keys: CDP_ERROR_MEMORY is for untouched keys. */
cdp_status check_copy(cdp_fault *fault, cudaError_t error, const char *doing) {
  const cdp_status status = check(fault, error, doing);
  return status == CDP_ERROR_MEMORY ? CDP_ERROR_CUDA : status;
}

/* As check(), once kernels may have run: exhausted memory, as for a kernel that CUDA loads now, is a failure like any other. */
cdp_status check_running(cdp_fault *fault, cudaError_t error, const char *doing) {
  const cdp_status status = check_copy(fault, error, doing);
  const size_t length = strlen(fault->text);
  if (status != CDP_OK)
    snprintf(fault->text + length, sizeof fault->text - length, "; what the call writes in device memory is unspecified now");
  return status;
}

/* What a launch returned; has_begun: kernels may have run. */
cdp_status check_launch(int error, bool has_begun, const char *doing, cdp_fault *fault) {
  const cudaError_t cuda_error = static_cast<cudaError_t>(error);
  return has_begun ? check_running(fault, cuda_error, doing) : check(fault, cuda_error, doing);
}

/* Asked for once: a process keeps the devices that it began with. */
int device_count(cdp_fault *fault) {
  static std::atomic<int> known{0};
  int count = known.load(std::memory_order_relaxed);
  if (count > 0)
    return count;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0) {
    known.store(count, std::memory_order_relaxed);
    return count;
  }
  check(fault, error == cudaSuccess ? cudaErrorNoDevice : error, "looking for a CUDA device");
  return 0;
}

cdp_status current(int *ordinal, cdp_fault *fault) {
  return check(fault, cudaGetDevice(ordinal), "asking for the current CUDA device");
}

/* A thread without a context gets back the device that it had chosen. A failure is told by the next call that needs the device. */
void leave(const cdp_previous *previous) {
  if (!previous->is_switched || (previous->context != nullptr && make_context_current(previous->context)))
    return;
  unrecorded(cudaSetDevice(previous->ordinal));
}

cdp_status enter(int ordinal, cdp_previous *previous, cdp_fault *fault) {
  *previous = {};
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
cdp_status refuse_device(const cudaDeviceProp &properties, int compiled_for, uint32_t needed, cdp_fault *fault) {
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

/*
 * Loads kernels while a stream is being captured, in a mode that forbids what may synchronise: CUDA loads a kernel when it is
 * first asked about. Nothing here waits for captured work.
 */
class RelaxedCapture {
public:
  explicit RelaxedCapture(bool wanted) : is_wanted(wanted) {
    exchange();
  }
  ~RelaxedCapture() {
    exchange();
  }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  void exchange() {
    if (is_wanted && cudaThreadExchangeStreamCaptureMode(&mode) != cudaSuccess)
      cudaGetLastError();
  }

  bool is_wanted;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
};

/* Whether the device is shared by MPS, under which no module loads that launches from it. Older drivers do not know the question. */
bool is_under_mps(int ordinal) {
  constexpr cudaDeviceAttr MPS_ENABLED = static_cast<cudaDeviceAttr>(133); // cudaDevAttrMpsEnabled, which older toolkits lack
  int is_enabled = 0;
  if (cudaDeviceGetAttribute(&is_enabled, MPS_ENABLED, ordinal) == cudaSuccess)
    return is_enabled != 0;
  cudaGetLastError();
  return false;
}

/* A failure counts as a limit of 0: the next call that needs the device tells it. */
uint32_t pending_limit(int ordinal) {
  cdp_fault unread = {};
  cdp_previous previous;
  size_t limit = 0;
  if (enter(ordinal, &previous, &unread) != CDP_OK)
    return 0;
  if (unrecorded(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount)) != cudaSuccess)
    limit = 0;
  leave(&previous);
  return limit < UINT32_MAX ? static_cast<uint32_t>(limit) : UINT32_MAX;
}

/* What does not change as long as the process runs. */
struct KnownDevice {
  std::atomic<int> known_as{-1}; /* the ordinal, when the rest is there */
  cdp_device_facts facts{};
  char name[128] = "";
};

cdp_status examine(int ordinal, KnownDevice &device, cdp_fault *fault) {
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
  cdp_device_facts &facts = device.facts;
  facts.device_kind = static_cast<uint32_t>(kind);
  facts.multiprocessors = static_cast<uint32_t>(properties.multiProcessorCount);
  facts.pending_limit = pending_limit;
  facts.ordinal = ordinal;
  facts.pending_limit_min = PENDING_LIMIT_MIN;
  facts.launches_from_device = !is_under_mps(ordinal);
  facts.overlaps_grids = compiled_for >= 90;
  facts.name = device.name;
  return CDP_OK;
}

/* Devices that were examined, once each: a sort of 2^10 keys takes some microseconds, and so does the examination. Of others each
   thread knows the latest. */
constexpr int MAX_DEVICES_KNOWN = 64;
KnownDevice known_devices[MAX_DEVICES_KNOWN];
thread_local KnownDevice latest_other;
std::mutex examining;

cdp_status describe(int ordinal, cdp_device_facts *facts, cdp_fault *fault) {
  KnownDevice &device = ordinal < MAX_DEVICES_KNOWN ? known_devices[ordinal] : latest_other;
  if (device.known_as.load(std::memory_order_acquire) != ordinal) {
    const std::lock_guard<std::mutex> lock(examining);
    if (device.known_as.load(std::memory_order_relaxed) != ordinal)
      CDP_RETURN_UNLESS_OK(examine(ordinal, device, fault));
    device.known_as.store(ordinal, std::memory_order_release);
  }
  *facts = device.facts;
  return CDP_OK;
}

cdp_status locate(const void *pointer, cdp_memory_place *place, cdp_fault *fault) {
  cudaPointerAttributes attributes;
  CDP_RETURN_UNLESS_OK(check(fault, cudaPointerGetAttributes(&attributes, pointer), "asking where memory lies"));
  place->ordinal = -1;
  place->kind = CDP_MEMORY_HOST;
  if (attributes.type == cudaMemoryTypeManaged)
    place->kind = CDP_MEMORY_MANAGED;
  if (attributes.type == cudaMemoryTypeDevice) {
    place->kind = CDP_MEMORY_DEVICE;
    place->ordinal = attributes.device;
  }
  return CDP_OK;
}

cdp_status allocate(size_t bytes, void **memory, cdp_fault *fault) {
  return check(fault, cudaMalloc(memory, bytes), "allocating device memory");
}

void release(void *memory) {
  unrecorded(cudaFree(memory)); // a failure of earlier work, which its own call reports
}

cdp_status allocate_on_stream(size_t bytes, void *stream, void **memory, cdp_fault *fault) {
  const cudaError_t error = cudaMallocAsync(memory, bytes, static_cast<cudaStream_t>(stream));
  const cdp_status status = check(fault, error, "allocating device memory in the stream's order");
  return error == cudaErrorNotSupported ? CDP_ERROR_UNSUPPORTED : status;
}

cdp_status release_on_stream(void *memory, void *stream, cdp_fault *fault) {
  return check_running(fault, cudaFreeAsync(memory, static_cast<cudaStream_t>(stream)), "giving memory back");
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
struct Session {
  cudaStream_t stream = nullptr;
  cudaEvent_t begun = nullptr;
  cudaEvent_t ended = nullptr;

  /* A failure here is one of the call, already reported. A call that failed half-way may have kernels running, and its memory
     is given back next. */
  ~Session() {
    if (stream != nullptr)
      unrecorded(cudaStreamSynchronize(stream));
    if (begun != nullptr)
      unrecorded(cudaEventDestroy(begun));
    if (ended != nullptr)
      unrecorded(cudaEventDestroy(ended));
    if (stream != nullptr)
      unrecorded(cudaStreamDestroy(stream));
  }

  cdp_status begin(uint64_t, cdp_fault *fault) {
    CDP_RETURN_UNLESS_OK(check(fault, cudaDeviceSynchronize(), "waiting for earlier work on the device"));
    CDP_RETURN_UNLESS_OK(check(fault, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream"));
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
    CDP_RETURN_UNLESS_OK(check_running(fault, cudaStreamSynchronize(stream), doing));
    CDP_RETURN_UNLESS_OK(check_running(fault, cudaEventElapsedTime(&elapsed, begun, ended), "asking how long it took"));
    *milliseconds = static_cast<double>(elapsed);
    return CDP_OK;
  }

  static cdp_status clear(void *memory, size_t bytes, cdp_fault *fault) {
    return check(fault, cudaMemset(memory, 0, bytes), "clearing the trace");
  }

  static cdp_status copy(void *destination, const void *source, size_t bytes, cdp_fault *fault) {
    return check_copy(fault, cudaMemcpy(destination, source, bytes, cudaMemcpyDefault), "copying keys");
  }
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
                               allocate,
                               release,
                               allocate_on_stream,
                               release_on_stream,
                               Session::copy,
                               is_captured,
                               launch,
                               run_sort<Session>,
                               launch_payload_on,
                               run_payload<Session>,
                               launch_records_on,
                               run_records<Session>,
                               launch_division_on,
                               run_division<Session>,
                               launch_select_on,
                               run_select<Session>,
                               launch_ranges_on,
                               run_ranges<Session>,
                               launch_segments_on,
                               run_segments<Session>,
                               prepare_in_capture,
                               launch_compare_on,
                               run_compare<Session>,
                               launch_bitonic_on,
                               run_bitonic<Session>,
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
