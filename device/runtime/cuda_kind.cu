/* SPDX-License-Identifier: MIT */
/*
 * compiled_architecture(): a question that CUDA answers by loading a kernel. Compiled without relocatable device code, as most
 * of what the host launches is: the module that launches from the device is not to be had under MPS, and asking about one of its
 * kernels would load it.
 */
#include "runtime/runtime.cuh"

namespace cdp::CDP_RUNTIME {

namespace {

/* Tells what this file's kernels, and with them all others, are compiled for. Never launched. */
__global__ void kind_kernel() {}

} // namespace

int compiled_architecture(int *architecture) {
  cudaFuncAttributes compiled;
  const cudaError_t error = cudaFuncGetAttributes(&compiled, kind_kernel);
  if (error == cudaSuccess)
    *architecture = compiled.ptxVersion;
  return error;
}

} // namespace cdp::CDP_RUNTIME
