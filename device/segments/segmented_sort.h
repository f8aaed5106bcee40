/* SPDX-License-Identifier: MIT */
/*
 * What an engine calls to sort segments (segments_launches.cuh).
 */
#ifndef CDPSORT_DEVICE_SEGMENTS_SEGMENTED_SORT_H
#define CDPSORT_DEVICE_SEGMENTS_SEGMENTED_SORT_H

#include "engine.h"
#include "runtime/runtime.cuh"

namespace cdp::CDP_RUNTIME {

/* Launches all of it on a stream, and returns the first cudaError_t; what was launched before that runs. */
int launch_segments(const cdp_segments_plan &plan, void *stream);

} // namespace cdp::CDP_RUNTIME

#endif
