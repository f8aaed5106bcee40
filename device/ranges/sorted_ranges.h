/* SPDX-License-Identifier: MIT */
/*
 * What an engine calls to do something with sorted ranges (ranges_launches.cuh).
 */
#ifndef CDPSORT_DEVICE_RANGES_SORTED_RANGES_H
#define CDPSORT_DEVICE_RANGES_SORTED_RANGES_H

#include "engine.h"
#include "runtime/runtime.cuh"

namespace cdp::CDP_RUNTIME {

/* Launches all of it on a stream, and returns the first cudaError_t; what was launched before that runs. */
int launch_ranges(const cdp_ranges_plan &plan, void *stream);

} // namespace cdp::CDP_RUNTIME

#endif
