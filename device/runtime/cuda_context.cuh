/* SPDX-License-Identifier: MIT */
/*
 * The driver's functions, for what the CUDA runtime does not do; by them the calling thread's context; and the thread's capture mode.
 */
#ifndef CDPSORT_DEVICE_RUNTIME_CUDA_CONTEXT_CUH
#define CDPSORT_DEVICE_RUNTIME_CUDA_CONTEXT_CUH

#include "runtime/runtime.cuh"

#include <cuda.h>

namespace cdp::cuda {

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
  return unrecorded(error) == cudaSuccess && found == cudaDriverEntryPointSuccess ? reinterpret_cast<Function>(entry) : nullptr;
}

/* What cuda_context_number() says (cuda_device.cuh). */
inline uint64_t current_context_number() {
  using Read = CUresult (*)(CUcontext, unsigned long long *);
  static const Read read = driver_function<Read>("cuCtxGetId"); // asked for once: that takes longer than the number does
  unsigned long long number = 0;
  return read != nullptr && read(nullptr, &number) == CUDA_SUCCESS ? number : 0;
}

/* The thread's context, which need not be the device's primary one; NULL if it has none. */
inline void *current_context() {
  static const auto get = driver_function<CUresult (*)(CUcontext *)>("cuCtxGetCurrent");
  CUcontext context = nullptr;
  return get != nullptr && get(&context) == CUDA_SUCCESS ? context : nullptr;
}

/* The context that device memory was allocated in; NULL where CUDA does not say, as of a pool's memory. */
inline void *context_of(const void *memory) {
  static const auto get = driver_function<CUresult (*)(void *, CUpointer_attribute, CUdeviceptr)>("cuPointerGetAttribute");
  CUcontext context = nullptr;
  const auto pointer = reinterpret_cast<CUdeviceptr>(memory);
  return get != nullptr && get(&context, CU_POINTER_ATTRIBUTE_CONTEXT, pointer) == CUDA_SUCCESS ? context : nullptr;
}

inline bool make_context_current(void *context) {
  static const auto set = driver_function<CUresult (*)(CUcontext)>("cuCtxSetCurrent");
  return set != nullptr && set(static_cast<CUcontext>(context)) == CUDA_SUCCESS;
}

/*
 * Loads kernels and creates pools while a stream is being captured, in a mode that forbids what may synchronise. Nothing here waits
 * for captured work.
 */
class RelaxedCapture {
public:
  explicit RelaxedCapture(bool requested) : is_requested(requested) {
    exchange();
  }
  ~RelaxedCapture() {
    exchange();
  }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  void exchange() {
    if (is_requested)
      unrecorded(cudaThreadExchangeStreamCaptureMode(&mode));
  }

  bool is_requested;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
};

} // namespace cdp::cuda

#endif
