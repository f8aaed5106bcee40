/* SPDX-License-Identifier: MIT */
/*
 * The public header for kernels, cdpsort/device.cuh, for ours: on the simulated device, too, which has the few of CUDA's names
 * that it calls in a namespace of its own.
 */
#ifndef CDPSORT_DEVICE_BLOCK_DEVICE_HEADER_CUH
#define CDPSORT_DEVICE_BLOCK_DEVICE_HEADER_CUH

#include "runtime/runtime.cuh"

#ifndef __CUDACC__
namespace cdpsort {
using cdp::simulated::__shfl_xor_sync;
using cdp::simulated::__syncthreads;
using cdp::simulated::__syncwarp;
} // namespace cdpsort
#endif

#include <cdpsort/device.cuh>

#endif
