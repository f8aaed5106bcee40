/* SPDX-License-Identifier: MIT */
/*
 * Sorts by a comparison on a GPU: the code that the runtime compiler has made is loaded, and its kernels are launched. The driver
 * is asked for its functions by name, so that the library needs no libcuda where there is none. Its libraries belong to no
 * context: a kernel is loaded into each one in which it is first launched.
 */
#include "compare/by_plan.h"
#include "compare/compiled.h"
#include "compare/sort_compared.h"
#include "runtime/cuda_context.cuh"

#include <cstdio>
#include <cstring>
#include <new>

namespace cdp::cuda {

namespace {

struct Driver {
  CUresult (*load)(CUlibrary *, const void *, CUjit_option *, void **, unsigned int, CUlibraryOption *, void **, unsigned int);
  CUresult (*unload)(CUlibrary);
  CUresult (*find)(CUkernel *, CUlibrary, const char *);
  CUresult (*launch)(CUfunction, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
                     unsigned int, CUstream, void **, void **);
};

template <typename Function>
bool find_function(const char *name, Function *function) {
  *function = driver_function<Function>(name);
  return *function != nullptr;
}

/* NULL if the driver lacks any. Asked for once. */
const Driver *driver() {
  static Driver all;
  static const bool has_all = find_function("cuLibraryLoadData", &all.load) && find_function("cuLibraryUnload", &all.unload) &&
                              find_function("cuLibraryGetKernel", &all.find) && find_function("cuLaunchKernel", &all.launch);
  return has_all ? &all : nullptr;
}

/* A comparison's code, loaded. */
struct Loaded {
  CUlibrary library = nullptr;
  CUkernel kernels[by::KERNELS] = {};
};

void unload(void *loaded) {
  auto *const code = static_cast<Loaded *>(loaded);
  driver()->unload(code->library); // a failure of earlier work, or of a driver that is gone
  delete code;
}

cdp_status fail(cdp_fault *fault, cdp_status status, int error, const char *text) {
  fault->cuda_error = error;
  snprintf(fault->text, sizeof fault->text, "%s", text);
  return status;
}

cdp_status fail_loading(cdp_fault *fault, int error) {
  char text[sizeof fault->text];
  const auto cuda_error = static_cast<cudaError_t>(error); // the numbers are the runtime's
  snprintf(text, sizeof text, "loading the compiled comparison failed: %s (CUDA error %d, %s)", cudaGetErrorString(cuda_error),
           error, cudaGetErrorName(cuda_error));
  return fail(fault, cuda_error == cudaErrorMemoryAllocation ? CDP_ERROR_MEMORY : CDP_ERROR_CUDA, error, text);
}

/* Loads what was compiled, unless it is. The entry is locked. */
cdp_status load(cdp_compiled *compiled, cdp_fault *fault) {
  const Driver *calls = driver();
  if (compiled->loaded != nullptr)
    return CDP_OK;
  if (calls == nullptr)
    return fail(fault, CDP_ERROR_UNSUPPORTED, 0,
                "the driver cannot load a compiled comparison: install one for CUDA 12 or newer, or sort by keys");
  Loaded *code = new Loaded;
  CUresult error = calls->load(&code->library, compiled->result.code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (error != CUDA_SUCCESS) {
    delete code;
    return fail_loading(fault, static_cast<int>(error));
  }
  for (uint32_t kernel = 0; kernel < by::KERNELS && error == CUDA_SUCCESS; kernel++)
    error = calls->find(&code->kernels[kernel], code->library, compiled->result.kernel_names[kernel].c_str());
  if (error != CUDA_SUCCESS) {
    unload(code);
    return fail_loading(fault, static_cast<int>(error));
  }
  compiled->loaded = code;
  compiled->unload = unload;
  return CDP_OK;
}

cdp_status compile_and_load(cdp_compare_plan *plan, int architecture, cdp_fault *fault) {
  plan->compiled = find_compiled({plan->asked.comparison.source, plan->asked.item_bytes, architecture});
  const std::lock_guard<std::mutex> lock(plan->compiled->compiling);
  const CompiledSource &result = plan->compiled->result;
  return result.status != CDP_OK ? fail(fault, result.status, 0, result.message.c_str()) : load(plan->compiled, fault);
}

/* Launches what was loaded. */
struct Launcher {
  const Driver &calls;
  const Loaded &code;
  cudaStream_t stream;
  by::Context context;

  int launch(by::Kernel kernel, uint32_t blocks, uint32_t threads, uint32_t shared_bytes, const by::Job &job) {
    by::Job given = job;
    void *parameters[] = {&given, &context};
    const auto function = reinterpret_cast<CUfunction>(code.kernels[static_cast<uint32_t>(kernel)]);
    return static_cast<int>(calls.launch(function, blocks, 1, 1, threads, 1, 1, shared_bytes, stream, parameters, nullptr));
  }
  int copy(void *target, const void *source, uint64_t bytes) const {
    return copy_memory(target, source, bytes, stream);
  }
};

/* The runtime makes a device's context current in a thread when it first needs it; the driver does not. One that is current stays.
   */
cudaError_t have_context() {
  int device = 0;
  if (current_context() != nullptr)
    return cudaSuccess;
  const cudaError_t error = unrecorded(cudaGetDevice(&device));
  return error != cudaSuccess ? error : unrecorded(cudaSetDevice(device));
}

} // namespace

int launch_compare(const cdp_compare_plan &plan, void *stream) {
  const cdp_comparison &comparison = plan.asked.comparison;
  by::Plan whole;
  const cudaError_t error = have_context();
  if (error != cudaSuccess)
    return error;
  make_by_plan(plan, &whole);
  Launcher launcher = {*driver(), *static_cast<const Loaded *>(plan.compiled->loaded), static_cast<cudaStream_t>(stream), {}};
  launcher.context.pointer = comparison.context;
  launcher.context.is_copied = comparison.context_bytes != 0 ? 1 : 0;
  if (comparison.context_bytes != 0)
    memcpy(launcher.context.bytes, comparison.context, comparison.context_bytes);
  return by::Launches<Launcher>(whole, plan.asked.d_source, plan.asked.d_target, plan.d_workspace, launcher).launch_all();
}

cdp_status prepare_comparison(cdp_compare_plan *plan, int ordinal, cdp_fault *fault) {
  int major = 0;
  int minor = 0;
  if (plan->asked.comparison.source == nullptr)
    return fail(fault, CDP_ERROR_NULL, 0,
                "comparison->source is NULL: a GPU compares by CUDA C++; give the source of less() as text");
  cudaError_t error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, ordinal);
  if (unrecorded(error) != cudaSuccess)
    return fail(fault, CDP_ERROR_CUDA, static_cast<int>(error), "asking what the CUDA device is failed");
  try {
    return compile_and_load(plan, major * 10 + minor, fault);
  } catch (const std::bad_alloc &) {
    return fail(fault, CDP_ERROR_MEMORY, 0, "host memory for the compiled comparison is exhausted");
  }
}

} // namespace cdp::cuda
