/* SPDX-License-Identifier: MIT */
/*
 * The engine of the simulated device: engine.h's table on top of simulated_device.h. Its one device has the ordinal 0, its
 * memory is host memory, and a launch is over when it returns.
 */
#include "engine.h"
#include "recursion/dispatch.h"
#include "recursion/partition_workspace.cuh"
#include "recursion/trace_read.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>

namespace cdp::simulated {

namespace {

/* Process-wide, as CUDA's limit is. */
std::atomic<uint32_t> pending_limit{Rules{}.pending_limit};

cdp_status fail(cdp_fault *fault, cdp_status status, const char *text) {
  fault->cuda_error = 0;
  snprintf(fault->text, sizeof fault->text, "%s", text);
  return status;
}

int device_count(cdp_fault *) {
  return 1;
}

cdp_status enter(int, cdp_previous *previous, cdp_fault *) {
  *previous = {};
  return CDP_OK;
}

void leave(const cdp_previous *) {}

cdp_status current(int *ordinal, cdp_fault *) {
  *ordinal = 0;
  return CDP_OK;
}

cdp_status describe(int, cdp_device_facts *facts, cdp_fault *) {
  facts->device_kind = static_cast<uint32_t>(DeviceKind::simulated);
  facts->multiprocessors = current_rules().multiprocessors;
  facts->pending_limit = pending_limit.load();
  facts->pending_limit_min = 0; // whatever is not refused runs
  snprintf(facts->name, sizeof facts->name, "simulated device (on the CPU)");
  return CDP_OK;
}

cdp_status locate(const void *, cdp_memory_place *place, cdp_fault *) {
  *place = {CDP_MEMORY_HOST, -1};
  return CDP_OK;
}

cdp_status allocate(size_t bytes, void **memory, cdp_fault *fault) {
  *memory = allocate_memory(bytes);
  return *memory != nullptr ? CDP_OK : fail(fault, CDP_ERROR_MEMORY, "host memory for the simulated device is exhausted");
}

/* A broken guard makes the thread's next launch fail with its report. */
void release(void *memory) {
  release_memory(memory);
}

cdp_status copy(void *destination, const void *source, size_t bytes, cdp_fault *) {
  memcpy(destination, source, bytes);
  return CDP_OK;
}

void take_seed(uint64_t seed) {
  Rules rules = current_rules();
  rules.seed = seed;
  rules.pending_limit = pending_limit.load();
  set_rules(rules);
}

/* What a launch returned, in words. CDP_ERROR_MEMORY is not for it: keys may have moved. */
cdp_status check(cdp_fault *fault, int error) {
  if (error == LAUNCH_OK)
    return CDP_OK;
  if (error == LAUNCH_NO_MEMORY)
    return fail(fault, CDP_ERROR_SIMULATED,
                "host memory was exhausted while the simulated device ran; the keys are unspecified");
  fault->cuda_error = 0;
  snprintf(fault->text, sizeof fault->text, "the simulated device stopped with code %d: %.200s", error,
           last_report().broken_rule);
  return CDP_ERROR_SIMULATED;
}

/* Runs a sort under the request's seed. */
cdp_status run(const cdp_request &request, bool counted, cdp_fault *fault) {
  take_seed(request.seed);
  const int error = request.scheme == CDP_SCHEME_HOST ? run_host_loop_of_type(request, counted, nullptr)
                                                      : launch_recursion_of_type(request, counted, nullptr);
  return check(fault, error);
}

cdp_status launch(const cdp_request *request, void *, cdp_fault *fault) {
  return run(*request, false, fault);
}

cdp_status sort(const cdp_request *request, cdp_gathering *gathering, cdp_fault *fault) {
  cdp_study *study = gathering->study;
  TraceMemory memory;
  const size_t trace_bytes = cdp_engine_trace_bytes(request->trace_capacity);
  if (request->d_trace != nullptr && !memory.allocate(request->trace_capacity))
    return fail(fault, CDP_ERROR_MEMORY, "host memory for the trace is exhausted");
  if (request->d_trace != nullptr)
    memset(request->d_trace, 0, trace_bytes);
  const auto begin = std::chrono::steady_clock::now();
  const cdp_status status = run(*request, study != nullptr, fault);
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  gathering->milliseconds = taken.count();
  if (status == CDP_OK && study != nullptr) {
    const WorkspaceParts parts = workspace_parts(*request);
    const unsigned char *workspace = static_cast<const unsigned char *>(request->d_workspace);
    Control control;
    memcpy(&control, workspace + parts.control, sizeof control);
    memcpy(study->depths, workspace + parts.counters, sizeof study->depths);
    fill_study(*request, control, taken.count(), study);
  }
  if (status == CDP_OK && request->d_trace != nullptr) {
    memcpy(memory.trace(), request->d_trace, trace_bytes);
    read_trace(memory, gathering->trace);
  }
  return status;
}

cdp_status partition(const cdp_partition_request *request, cdp_parts *parts, cdp_fault *fault) {
  take_seed(request->seed);
  const auto begin = std::chrono::steady_clock::now();
  const cdp_status status = check(fault, launch_partition_of_type(*request, nullptr));
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  if (status != CDP_OK)
    return status;
  PartCounts totals;
  memcpy(&totals, static_cast<const unsigned char *>(request->d_workspace) + partition_parts(*request).totals, sizeof totals);
  fill_parts(*request, totals, taken.count(), parts);
  return CDP_OK;
}

cdp_status set_pending_limit(uint32_t limit, cdp_fault *) {
  pending_limit = limit;
  return CDP_OK;
}

constexpr cdp_engine ENGINE = {true,     device_count, enter, leave,  current, describe,  locate,
                               allocate, release,      copy,  launch, sort,    partition, set_pending_limit};

} // namespace

} // namespace cdp::simulated

extern "C" const cdp_engine *cdp_engine_simulated(void) {
  return &cdp::simulated::ENGINE;
}
