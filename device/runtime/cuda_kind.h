/* SPDX-License-Identifier: MIT */
/*
 * What the kernels are compiled for: a question of the engine's that CUDA answers by loading a kernel.
 */
#ifndef CDPSORT_DEVICE_RUNTIME_CUDA_KIND_H
#define CDPSORT_DEVICE_RUNTIME_CUDA_KIND_H

namespace cdp::cuda {

/* Asks which virtual architecture the kernels for the current device were compiled for (90: 9.0). Returns a cudaError_t. */
int compiled_architecture(int *architecture);

} // namespace cdp::cuda

#endif
