/* SPDX-License-Identifier: MIT */
/*
 * The engine of CUDA: engine.h's table on top of the CUDA runtime. Every call's error is read and told in words.
 */
#include "engine.h"
#include "recursion/dispatch.h"
#include "recursion/partition_workspace.cuh"
#include "recursion/trace_read.h"
#include "runtime/cuda_kind.h"

#include <cuda.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>

namespace cdp::cuda {

namespace {

cdp_status report(cdp_fault *fault, cudaError_t error, cdp_status status, const char *doing) {
  fault->cuda_error = static_cast<int>(error);
  snprintf(fault->text, sizeof fault->text, "%s failed: %s (CUDA error %d, %s)", doing, cudaGetErrorString(error),
           static_cast<int>(error), cudaGetErrorName(error));
  return status;
}

/* Reads a CUDA call's error; the runtime's own record of it is cleared, so that no later call is blamed for it. */
cdp_status check(cdp_fault *fault, cudaError_t error, const char *doing) {
  if (error == cudaSuccess)
    return CDP_OK;
  cudaGetLastError();
  return report(fault, error, error == cudaErrorMemoryAllocation ? CDP_ERROR_MEMORY : CDP_ERROR_CUDA, doing);
}

/* A copy that fails for want of memory may have begun, or be that of sorted keys: CDP_ERROR_MEMORY is for untouched keys. */
cdp_status check_copy(cdp_fault *fault, cudaError_t error, const char *doing) {
  const cdp_status status = check(fault, error, doing);
  return status == CDP_ERROR_MEMORY ? CDP_ERROR_CUDA : status;
}

/* As check(), once kernels may have run: then exhausted memory, such as for a kernel that CUDA loads now, is a failure like any
   other. */
cdp_status check_running(cdp_fault *fault, cudaError_t error, const char *doing) {
  const cdp_status status = check_copy(fault, error, doing);
  const size_t length = strlen(fault->text);
  if (status != CDP_OK)
    snprintf(fault->text + length, sizeof fault->text - length, "; keys in device memory are unspecified now");
  return status;
}

int device_count(cdp_fault *fault) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0)
    return count;
  cudaGetLastError();
  report(fault, error == cudaSuccess ? cudaErrorNoDevice : error, CDP_ERROR_NO_DEVICE, "looking for a CUDA device");
  return 0;
}

cdp_status current(int *ordinal, cdp_fault *fault) {
  return check(fault, cudaGetDevice(ordinal), "asking for the current CUDA device");
}

/* A function of the driver's, or NULL: asked for by name, so that the library needs no libcuda where there is none. */
template <typename Function>
Function driver_function(const char *name) {
  void *entry = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &entry, 12000, cudaEnableDefault, &found);
#else
  const cudaError_t error = cudaGetDriverEntryPoint(name, &entry, cudaEnableDefault, &found);
#endif
  if (error != cudaSuccess)
    cudaGetLastError();
  return error == cudaSuccess && found == cudaDriverEntryPointSuccess ? reinterpret_cast<Function>(entry) : nullptr;
}

/* The thread's context, which need not be the device's primary one; NULL if it has none. */
void *current_context() {
  const auto get = driver_function<CUresult (*)(CUcontext *)>("cuCtxGetCurrent");
  CUcontext context = nullptr;
  return get != nullptr && get(&context) == CUDA_SUCCESS ? context : nullptr;
}

bool make_context_current(void *context) {
  const auto set = driver_function<CUresult (*)(CUcontext)>("cuCtxSetCurrent");
  return set != nullptr && set(static_cast<CUcontext>(context)) == CUDA_SUCCESS;
}

/* A thread without a context gets back the device that it had chosen. Nothing can be done about a failure here, and the next
   call that needs the device will say it. */
void leave(const cdp_previous *previous) {
  if (!previous->is_switched || (previous->context != nullptr && make_context_current(previous->context)))
    return;
  if (cudaSetDevice(previous->ordinal) != cudaSuccess)
    cudaGetLastError();
}

cdp_status enter(int ordinal, cdp_previous *previous, cdp_fault *fault) {
  *previous = {};
  cdp_status status = current(&previous->ordinal, fault);
  if (status != CDP_OK || previous->ordinal == ordinal)
    return status;
  previous->is_switched = true;
  previous->context = current_context();
  status = check(fault, cudaSetDevice(ordinal), "making a CUDA device current");
  if (status != CDP_OK)
    leave(previous); // CUDA makes it current first, and finds out then that it cannot be used
  return status;
}

/* That the device has less shared memory than the kernels need, and what helps: there may be smaller ones for it. */
cdp_status refuse_device(const cudaDeviceProp &properties, int compiled_for, uint32_t needed, cdp_fault *fault) {
  const DeviceKind own_kind = device_kind_of(static_cast<uint32_t>(properties.major * 100 + properties.minor * 10));
  const bool others_fit = multiway_shared_bytes<uint64_t>(own_kind) <= properties.sharedMemPerBlockOptin;
  char build[64] = "";
  if (others_fit)
    snprintf(build, sizeof build, "build with CMAKE_CUDA_ARCHITECTURES=%d%d, ", properties.major, properties.minor);
  fault->cuda_error = 0;
  snprintf(fault->text, sizeof fault->text,
           "the device gives a block %zu bytes of shared memory, and kernels compiled for compute capability %d.%d need %u: "
           "%schoose another device, or CDP_DEVICE_SIMULATED",
           properties.sharedMemPerBlockOptin, compiled_for / 10, compiled_for % 10, static_cast<unsigned>(needed), build);
  return CDP_ERROR_UNSUPPORTED;
}

/* Finds out what does not change as long as the process runs. */
cdp_status examine(int ordinal, cdp_device_facts *facts, cdp_fault *fault) {
  cudaDeviceProp properties;
  const cdp_status status = check(fault, cudaGetDeviceProperties(&properties, ordinal), "asking what the CUDA device is");
  if (status != CDP_OK)
    return status;
  // Which code runs is not for the device's capability to say: a newer device runs what was compiled for an older one. The
  // kernels' sizes are those of the virtual architecture, which __CUDA_ARCH__ was: of that, the answer is the tenth part.
  int compiled_for = 0;
  const cdp_status examined =
      check(fault, static_cast<cudaError_t>(compiled_architecture(&compiled_for)), "asking what the kernels are compiled for");
  if (examined != CDP_OK)
    return examined;
  const DeviceKind kind = device_kind_of(static_cast<uint32_t>(compiled_for) * 10);
  const uint32_t needed = multiway_shared_bytes<uint64_t>(kind);
  if (properties.sharedMemPerBlockOptin < needed)
    return refuse_device(properties, compiled_for, needed, fault);
  facts->device_kind = static_cast<uint32_t>(kind);
  facts->multiprocessors = static_cast<uint32_t>(properties.multiProcessorCount);
  snprintf(facts->name, sizeof facts->name, "%.60s (CUDA device %d, compute capability %d.%d, %d multiprocessors)",
           properties.name, ordinal, properties.major, properties.minor, properties.multiProcessorCount);
  return CDP_OK;
}

/* Devices that were examined. A sort of 2^10 keys takes some microseconds, and so does the examination. */
constexpr int MAX_DEVICES_KNOWN = 64;
std::atomic<bool> is_known[MAX_DEVICES_KNOWN];
cdp_device_facts known_facts[MAX_DEVICES_KNOWN];
std::mutex knowing;

cdp_status know(int ordinal, cdp_device_facts *facts, cdp_fault *fault) {
  if (ordinal >= MAX_DEVICES_KNOWN)
    return examine(ordinal, facts, fault);
  if (!is_known[ordinal].load(std::memory_order_acquire)) {
    const std::lock_guard<std::mutex> lock(knowing);
    if (!is_known[ordinal].load(std::memory_order_relaxed)) {
      const cdp_status status = examine(ordinal, &known_facts[ordinal], fault);
      if (status != CDP_OK)
        return status;
    }
    is_known[ordinal].store(true, std::memory_order_release);
  }
  *facts = known_facts[ordinal];
  return CDP_OK;
}

cdp_status describe(int ordinal, cdp_device_facts *facts, cdp_fault *fault) {
  size_t pending_limit = 0;
  cdp_status status = know(ordinal, facts, fault);
  if (status == CDP_OK)
    status = check(fault, cudaDeviceGetLimit(&pending_limit, cudaLimitDevRuntimePendingLaunchCount),
                   "asking for the pending-launch limit");
  facts->pending_limit_min = PENDING_LIMIT_MIN;
  facts->pending_limit = pending_limit < UINT32_MAX ? static_cast<uint32_t>(pending_limit) : UINT32_MAX;
  return status;
}

cdp_status locate(const void *pointer, cdp_memory_place *place, cdp_fault *fault) {
  cudaPointerAttributes attributes;
  const cdp_status status = check(fault, cudaPointerGetAttributes(&attributes, pointer), "asking where memory lies");
  if (status != CDP_OK)
    return status;
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
  if (cudaFree(memory) != cudaSuccess)
    cudaGetLastError(); // a failure of earlier work, which its own call reports
}

cdp_status copy(void *destination, const void *source, size_t bytes, cdp_fault *fault) {
  return check_copy(fault, cudaMemcpy(destination, source, bytes, cudaMemcpyDefault), "copying keys");
}

/*
 * 1. A graph's kernel node is complete when its own blocks are; nothing waits for the grids that they launched, neither the
 *    next node, nor the stream, nor cudaDeviceSynchronize() (measured: CUDA 13.0, driver 580; docs/performance.md).
 * 2. What one block sorts by itself launches nothing.
 * Therefore a sort can be captured only if one block does it all.
 */
cdp_status check_capture(const cdp_request *request, void *stream, cdp_fault *fault) {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  const cdp_status status =
      check(fault, cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &capture), "asking about the stream");
  if (status != CDP_OK || capture == cudaStreamCaptureStatusNone || request->count <= request->single_items)
    return status;
  fault->cuda_error = 0;
  snprintf(fault->text, sizeof fault->text,
           "the stream is being captured into a graph, which would not wait for the grids that the sort launches; capture at "
           "most %u keys, or launch the sort outside the graph",
           static_cast<unsigned>(request->fan_out == CDP_FAN_OUT_CLASSIC ? request->leaf_items : request->single_items));
  return CDP_ERROR_UNSUPPORTED;
}

cdp_status launch(const cdp_request *request, void *stream, cdp_fault *fault) {
  const cdp_status status = check_capture(request, stream, fault);
  if (status != CDP_OK)
    return status;
  const int error = launch_recursion_of_type(*request, false, stream);
  return check(fault, static_cast<cudaError_t>(error), "launching the sort");
}

/* The resources of a blocking call, given back whatever happens. */
struct Session {
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;

  /* A failure here is one of the call, already reported. A call that failed half-way may have kernels running, and its memory
     is given back next. */
  ~Session() {
    const cudaError_t errors[] = {stream == nullptr ? cudaSuccess : cudaStreamSynchronize(stream),
                                  begin == nullptr ? cudaSuccess : cudaEventDestroy(begin),
                                  end == nullptr ? cudaSuccess : cudaEventDestroy(end),
                                  stream == nullptr ? cudaSuccess : cudaStreamDestroy(stream)};
    for (const cudaError_t error : errors)
      if (error != cudaSuccess)
        cudaGetLastError();
  }
};

/* Waits for the device's earlier work, and begins: what is launched on the session's stream from now on is timed. */
cdp_status begin_session(Session *session, cdp_fault *fault) {
  cdp_status status = check(fault, cudaDeviceSynchronize(), "waiting for earlier work on the device");
  if (status == CDP_OK)
    status = check(fault, cudaStreamCreateWithFlags(&session->stream, cudaStreamNonBlocking), "creating a stream");
  if (status == CDP_OK)
    status = check(fault, cudaEventCreate(&session->begin), "creating an event");
  if (status == CDP_OK)
    status = check(fault, cudaEventCreate(&session->end), "creating an event");
  if (status == CDP_OK)
    status = check(fault, cudaEventRecord(session->begin, session->stream), "recording an event");
  return status;
}

/* Waits for what was launched, and tells how long it took. `doing` names it ("sorting"). */
cdp_status end_session(const Session &session, const char *doing, double *milliseconds, cdp_fault *fault) {
  float elapsed = 0;
  cdp_status status = check_running(fault, cudaEventRecord(session.end, session.stream), "recording an event");
  if (status == CDP_OK)
    status = check_running(fault, cudaStreamSynchronize(session.stream), doing);
  if (status == CDP_OK)
    status = check_running(fault, cudaEventElapsedTime(&elapsed, session.begin, session.end), "asking how long it took");
  *milliseconds = static_cast<double>(elapsed);
  return status;
}

cdp_status read_study(const cdp_request &request, cdp_gathering *gathering, cdp_fault *fault) {
  const WorkspaceParts parts = workspace_parts(request);
  const unsigned char *workspace = static_cast<const unsigned char *>(request.d_workspace);
  cdp_study *study = gathering->study;
  Control control;
  cdp_status status = copy(&control, workspace + parts.control, sizeof control, fault);
  if (status == CDP_OK)
    status = copy(study->depths, workspace + parts.counters, sizeof study->depths, fault);
  if (status == CDP_OK)
    fill_study(request, control, gathering->milliseconds, study);
  return status;
}

/* Gets ready for a trace: memory for it on the host, and zeros on the device. */
cdp_status prepare_trace(const cdp_request &request, TraceMemory *memory, cdp_fault *fault) {
  if (request.d_trace == nullptr)
    return CDP_OK;
  if (!memory->allocate(request.trace_capacity))
    return report(fault, cudaErrorMemoryAllocation, CDP_ERROR_MEMORY, "allocating host memory for the trace");
  return check(fault, cudaMemset(request.d_trace, 0, cdp_engine_trace_bytes(request.trace_capacity)), "clearing the trace");
}

cdp_status fetch_trace(const cdp_request &request, const TraceMemory &memory, cdp_trace *trace, cdp_fault *fault) {
  const cdp_status status = copy(memory.trace(), request.d_trace, cdp_engine_trace_bytes(request.trace_capacity), fault);
  if (status == CDP_OK)
    read_trace(memory, trace);
  return status;
}

cdp_status sort(const cdp_request *request, cdp_gathering *gathering, cdp_fault *fault) {
  Session session;
  TraceMemory memory;
  cdp_status status = prepare_trace(*request, &memory, fault);
  if (status == CDP_OK)
    status = begin_session(&session, fault); // waits for the zeros, too
  if (status != CDP_OK)
    return status;
  const bool counted = gathering->study != nullptr;
  // The host launches the recursion with one kernel, which moves keys or fails to be launched; the loop with many.
  if (request->scheme == CDP_SCHEME_HOST)
    status = check_running(fault, static_cast<cudaError_t>(run_host_loop_of_type(*request, counted, session.stream)),
                           "launching the sort");
  else
    status = check(fault, static_cast<cudaError_t>(launch_recursion_of_type(*request, counted, session.stream)),
                   "launching the sort");
  if (status == CDP_OK)
    status = end_session(session, "sorting", &gathering->milliseconds, fault);
  if (status == CDP_OK && counted)
    status = read_study(*request, gathering, fault);
  if (status == CDP_OK && request->d_trace != nullptr)
    status = fetch_trace(*request, memory, gathering->trace, fault);
  return status;
}

cdp_status partition(const cdp_partition_request *request, cdp_parts *parts, cdp_fault *fault) {
  Session session;
  PartCounts totals = {};
  double milliseconds = 0;
  cdp_status status = begin_session(&session, fault);
  if (status != CDP_OK)
    return status;
  status = check_running(fault, static_cast<cudaError_t>(launch_partition_of_type(*request, session.stream)),
                         "launching the partition");
  if (status == CDP_OK)
    status = end_session(session, "partitioning", &milliseconds, fault);
  if (status == CDP_OK)
    status = copy(&totals, static_cast<const unsigned char *>(request->d_workspace) + partition_parts(*request).totals,
                  sizeof totals, fault);
  if (status == CDP_OK)
    fill_parts(*request, totals, milliseconds, parts);
  return status;
}

cdp_status set_pending_limit(uint32_t limit, cdp_fault *fault) {
  return check(fault, cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, limit), "setting the pending-launch limit");
}

constexpr cdp_engine ENGINE = {false,    device_count, enter, leave,  current, describe,  locate,
                               allocate, release,      copy,  launch, sort,    partition, set_pending_limit};

} // namespace

} // namespace cdp::cuda

extern "C" const cdp_engine *cdp_engine_cuda(void) {
  return &cdp::cuda::ENGINE;
}
