/* SPDX-License-Identifier: MIT */
/*
 * What an engine calls to start a sort or a partition: one instance for each key width and runtime, in source files of their own
 * that the build makes from recursion.in, host.in and counted.in.
 */
#ifndef CDPSORT_DEVICE_RECURSION_START_H
#define CDPSORT_DEVICE_RECURSION_START_H

#include "engine.h"
#include "runtime/runtime.cuh"

namespace cdp::CDP_RUNTIME {

/* Launches the root of a sort that launches itself from there, on a stream, and returns its cudaError_t. Without hooks it must be
   neither counted nor traced. */
template <typename Bits>
int launch_recursion(const cdp_plan &plan, bool counted, void *stream);

/* Launches a sort without launches from the device, likewise. */
template <typename Bits>
int launch_by_host(const cdp_plan &plan, bool counted, void *stream);

/* Launches a sort of keys of 8 or 16 bits, which has no hooks. */
template <typename Raw>
int launch_counted(const cdp_plan &plan, void *stream);

/* Launches a partition of an array on a stream, without device launches, and returns its cudaError_t. */
template <typename Bits>
int launch_partition(const cdp_partition_request &request, void *stream);

} // namespace cdp::CDP_RUNTIME

#ifdef __CUDACC__
namespace cdp::CDP_UNSTUDIED_RUNTIME {

/* The same, of the kernels without hooks. */
template <typename Bits>
int launch_recursion(const cdp_plan &plan, bool counted, void *stream);
template <typename Bits>
int launch_by_host(const cdp_plan &plan, bool counted, void *stream);

} // namespace cdp::CDP_UNSTUDIED_RUNTIME
#endif

#endif
