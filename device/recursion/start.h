/* SPDX-License-Identifier: MIT */
/*
 * What an engine calls to start a sort or a partition: one instance for each key type and runtime, in source files of their own
 * that the build makes from recursion.in and host_loop.in.
 */
#ifndef CDPSORT_DEVICE_RECURSION_START_H
#define CDPSORT_DEVICE_RECURSION_START_H

#include "engine.h"
#include "runtime/runtime.cuh"

namespace cdp::CDP_RUNTIME {

/* Launches the root of a sort by device launches on a stream, and returns its cudaError_t. Without hooks it must be neither
   counted nor traced. */
template <typename Bits>
int launch_recursion(const cdp_plan &plan, bool counted, void *stream);

/* Sorts without device launches: level by level from the host, which waits for each. Returns a cudaError_t. */
template <typename Bits>
int run_host_loop(const cdp_plan &plan, bool counted, void *stream);

/* Launches a partition of an array on a stream, without device launches, and returns its cudaError_t. */
template <typename Bits>
int launch_partition(const cdp_partition_request &request, void *stream);

} // namespace cdp::CDP_RUNTIME

#ifdef __CUDACC__
namespace cdp::CDP_UNSTUDIED_RUNTIME {

/* The same, of the kernels without hooks. */
template <typename Bits>
int launch_recursion(const cdp_plan &plan, bool counted, void *stream);

} // namespace cdp::CDP_UNSTUDIED_RUNTIME
#endif

#endif
