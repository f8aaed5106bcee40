/* SPDX-License-Identifier: MIT */
/*
 * What an engine calls to sort by a comparison of the caller's: simulated_compare.cpp, cuda_compare.cu.
 */
#ifndef CDPSORT_DEVICE_COMPARE_SORT_COMPARED_H
#define CDPSORT_DEVICE_COMPARE_SORT_COMPARED_H

#include "engine.h"
#include "runtime/runtime.cuh"

namespace cdp::CDP_RUNTIME {

/* Launches all of it on a stream, and returns the first cudaError_t; what was launched before that runs. */
int launch_compare(const cdp_compare_plan &plan, void *stream);

/* Sees that the comparison can run on a device, and compiles it if need be. Returns a status, and fills *fault unless that is
   CDP_OK. */
cdp_status prepare_comparison(cdp_compare_plan *plan, int ordinal, cdp_fault *fault);

} // namespace cdp::CDP_RUNTIME

#endif
