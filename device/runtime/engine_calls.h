/* SPDX-License-Identifier: MIT */
/*
 * The calls of an engine that read something back: their steps, and the order of these, are the same in every runtime. What
 * differs is the engine's Session, the resources of one call on a stream, given back when it goes:
 *
 *     begin()         time is taken from now on
 *     end()           waits for what was launched, and returns how long it took
 *     check_launch()  what a launch returned, as a status
 *     read()          copies from the device to the host, and waits for that
 */
#ifndef CDPSORT_DEVICE_RUNTIME_ENGINE_CALLS_H
#define CDPSORT_DEVICE_RUNTIME_ENGINE_CALLS_H

#include "bitonic/bitonic_sort.h"
#include "compare/sort_compared.h"
#include "engine.h"
#include "payload/payload.h"
#include "ranges/sorted_ranges.h"
#include "recursion/dispatch.h"
#include "recursion/partition_workspace.cuh"
#include "recursion/trace_read.h"
#include "segments/segmented_sort.h"
#include "select/half_sort.h"

#include <cstdarg>
#include <cstdio>

/* Ends the function with the status of a call that has failed. */
#define CDP_RETURN_UNLESS_OK(call)                                                                                             \
  do {                                                                                                                         \
    const cdp_status status_of_call = (call);                                                                                  \
    if (status_of_call != CDP_OK)                                                                                              \
      return status_of_call;                                                                                                   \
  } while (0)

namespace cdp::CDP_RUNTIME {

/* A failure in which CUDA had no part. */
__attribute__((format(printf, 3, 4))) inline cdp_status refuse(cdp_fault *fault, cdp_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fault->cuda_error = 0;
  vsnprintf(fault->text, sizeof fault->text, format, arguments);
  va_end(arguments);
  return status;
}

/* Whether keys may have moved when a launch of the sort's fails: of several, but not of the only one, or of those that count. */
inline bool moves_keys_early(const cdp_plan &plan) {
  return plan.path == CDP_PATH_SHORT || (plan.scheme == CDP_SCHEME_HOST && plan.path == CDP_PATH_TASKS);
}

/* Reads the counts that a sort has left in its workspace. */
template <typename Session>
cdp_status read_study(const cdp_plan &plan, const cdp_gathering &gathering, const Session &session, cdp_fault *fault) {
  const WorkspaceParts parts = workspace_parts(plan);
  const unsigned char *workspace = static_cast<const unsigned char *>(plan.d_workspace);
  cdp_study *study = gathering.study;
  Control control;
  CDP_RETURN_UNLESS_OK(session.read(&control, workspace + parts.control, sizeof control, fault));
  CDP_RETURN_UNLESS_OK(session.read(study->depths, workspace + parts.counters, sizeof study->depths, fault));
  fill_study(plan, control, gathering.milliseconds, study);
  return CDP_OK;
}

/* cdp_engine::sort. */
template <typename Session>
cdp_status run_sort(const cdp_plan *plan, void *stream, cdp_gathering *gathering, cdp_fault *fault) {
  Session session(stream);
  TraceMemory memory;
  const bool counted = gathering->study != nullptr;
  const bool traced = plan->d_trace != nullptr;
  const size_t trace_bytes = cdp_engine_trace_bytes(plan->trace_capacity);
  if (traced && !memory.allocate(plan->trace_capacity))
    return refuse(fault, CDP_ERROR_MEMORY, "host memory for the trace is exhausted");
  if (traced)
    CDP_RETURN_UNLESS_OK(
        Session::check_launch(zero_memory(plan->d_trace, trace_bytes, stream), false, "clearing the trace", fault));
  CDP_RETURN_UNLESS_OK(session.begin(plan->seed, fault));
  const int error = launch_sort(*plan, counted, stream);
  CDP_RETURN_UNLESS_OK(Session::check_launch(error, moves_keys_early(*plan), "launching the sort", fault));
  CDP_RETURN_UNLESS_OK(session.end("sorting", &gathering->milliseconds, fault));
  if (counted)
    CDP_RETURN_UNLESS_OK(read_study(*plan, *gathering, session, fault));
  if (!traced)
    return CDP_OK;
  CDP_RETURN_UNLESS_OK(session.read(memory.trace(), plan->d_trace, trace_bytes, fault));
  read_trace(memory, gathering->trace);
  return CDP_OK;
}

/* cdp_engine::partition. */
template <typename Session>
cdp_status run_partition(const cdp_partition_request *request, void *stream, cdp_parts *parts, cdp_fault *fault) {
  Session session(stream);
  PartCounts totals;
  double milliseconds = 0;
  CDP_RETURN_UNLESS_OK(session.begin(request->seed, fault));
  const int error = launch_partition_of_type(*request, stream);
  CDP_RETURN_UNLESS_OK(Session::check_launch(error, true, "launching the partition", fault));
  CDP_RETURN_UNLESS_OK(session.end("partitioning", &milliseconds, fault));
  const unsigned char *workspace = static_cast<const unsigned char *>(request->d_workspace);
  CDP_RETURN_UNLESS_OK(session.read(&totals, workspace + partition_parts(*request).totals, sizeof totals, fault));
  fill_parts(*request, totals, milliseconds, parts);
  return CDP_OK;
}

} // namespace cdp::CDP_RUNTIME

#endif
