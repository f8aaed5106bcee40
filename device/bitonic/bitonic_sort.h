/* SPDX-License-Identifier: MIT */
/*
 * What an engine calls to sort by the bitonic network alone (bitonic_launches.cuh).
 */
#ifndef CDPSORT_DEVICE_BITONIC_BITONIC_SORT_H
#define CDPSORT_DEVICE_BITONIC_BITONIC_SORT_H

#include "engine.h"
#include "runtime/runtime.cuh"

namespace cdp::CDP_RUNTIME {

/* Launches all of it on a stream, and returns the first cudaError_t; what was launched before that runs. */
int launch_bitonic(const cdp_bitonic_plan &plan, void *stream);

} // namespace cdp::CDP_RUNTIME

#endif
