/* SPDX-License-Identifier: MIT */
/*
 * The engine of the simulated device: engine.h's table on top of simulated_device.h. Its one device has the ordinal 0, its
 * memory is host memory, and a launch is over when it returns.
 */
#include "runtime/engine_calls.h"

#include <atomic>
#include <chrono>
#include <cstring>

namespace cdp::simulated {

namespace {

/* Process-wide, as CUDA's limit is. */
std::atomic<uint32_t> pending_limit{Rules{}.pending_limit};

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

uint32_t pending_limit_of(int) {
  return pending_limit.load();
}

cdp_status describe(int, cdp_device_facts *facts, cdp_fault *) {
  facts->device_kind = static_cast<uint32_t>(DeviceKind::simulated);
  facts->multiprocessors = current_rules().multiprocessors;
  facts->pending_limit = pending_limit_of;
  facts->pending_limit_min = 0; // whatever is not refused runs
  facts->launches_from_device = true;
  facts->name = "simulated device (on the CPU)";
  return CDP_OK;
}

cdp_status locate(const void *, cdp_memory_place *place, cdp_fault *) {
  *place = {CDP_MEMORY_HOST, -1};
  return CDP_OK;
}

cdp_status allocate(size_t bytes, void **memory, cdp_fault *fault) {
  *memory = allocate_memory(bytes);
  return *memory != nullptr ? CDP_OK : refuse(fault, CDP_ERROR_MEMORY, "host memory for the simulated device is exhausted");
}

/* A broken guard makes the thread's next launch fail with its report. */
void release(void *memory) {
  release_memory(memory);
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
    return refuse(fault, CDP_ERROR_SIMULATED,
                  "host memory was exhausted while the simulated device ran; the keys are unspecified");
  return refuse(fault, CDP_ERROR_SIMULATED, "the simulated device stopped with code %d: %.200s", error,
                last_report().broken_rule);
}

/* The sort is done when its launch returns. */
cdp_status allocate_on_stream(size_t bytes, void *, void **memory, cdp_fault *fault) {
  return allocate(bytes, memory, fault);
}

cdp_status release_on_stream(void *memory, void *, cdp_fault *) {
  release(memory);
  return CDP_OK;
}

cdp_status is_captured(void *, bool *captured, cdp_fault *) {
  *captured = false;
  return CDP_OK;
}

cdp_status launch(const cdp_plan *plan, void *stream, cdp_fault *fault) {
  take_seed(plan->seed);
  return check(fault, launch_sort(*plan, false, stream));
}

cdp_status launch_payload_on(const cdp_payload_plan *plan, void *stream, cdp_fault *fault) {
  take_seed(plan->sort.seed);
  return check(fault, launch_payload(*plan, stream));
}

cdp_status launch_records_on(const cdp_records_plan *plan, void *stream, cdp_fault *fault) {
  take_seed(plan->seed);
  return check(fault, launch_records(*plan, stream));
}

cdp_status launch_division_on(const cdp_division_plan *plan, void *stream, cdp_fault *fault) {
  take_seed(plan->seed);
  return check(fault, launch_division(*plan, stream));
}

cdp_status launch_select_on(const cdp_select_plan *plan, void *stream, cdp_fault *fault) {
  take_seed(plan->seed);
  return check(fault, launch_select(*plan, stream));
}

cdp_status launch_ranges_on(const cdp_ranges_plan *plan, void *stream, cdp_fault *fault) {
  take_seed(plan->seed);
  return check(fault, launch_ranges(*plan, stream));
}

cdp_status launch_segments_on(const cdp_segments_plan *plan, void *stream, cdp_fault *fault) {
  take_seed(plan->seed);
  return check(fault, launch_segments(*plan, stream));
}

cdp_status launch_compare_on(const cdp_compare_plan *plan, void *stream, cdp_fault *fault) {
  take_seed(plan->seed);
  return check(fault, launch_compare(*plan, stream));
}

cdp_status launch_bitonic_on(const cdp_bitonic_plan *plan, void *stream, cdp_fault *fault) {
  take_seed(plan->seed);
  return check(fault, launch_bitonic(*plan, stream));
}

/* See engine_calls.h. */
struct Session {
  void *stream = nullptr;
  std::chrono::steady_clock::time_point begun;

  cdp_status begin(uint64_t seed, cdp_fault *) {
    take_seed(seed);
    begun = std::chrono::steady_clock::now();
    return CDP_OK;
  }

  static cdp_status check_launch(int error, bool, const char *, cdp_fault *fault) {
    return check(fault, error);
  }

  cdp_status end(const char *, double *milliseconds, cdp_fault *) const {
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begun;
    *milliseconds = taken.count();
    return CDP_OK;
  }

  static cdp_status clear(void *memory, size_t bytes, cdp_fault *) {
    memset(memory, 0, bytes);
    return CDP_OK;
  }

  static cdp_status copy(void *destination, const void *source, size_t bytes, cdp_fault *) {
    memcpy(destination, source, bytes);
    return CDP_OK;
  }
};

cdp_status set_pending_limit(uint32_t limit, cdp_fault *) {
  pending_limit = limit;
  return CDP_OK;
}

constexpr cdp_engine ENGINE = {true,
                               device_count,
                               enter,
                               leave,
                               current,
                               describe,
                               locate,
                               allocate,
                               release,
                               allocate_on_stream,
                               release_on_stream,
                               Session::copy,
                               is_captured,
                               launch,
                               run_sort<Session>,
                               launch_payload_on,
                               run_payload<Session>,
                               launch_records_on,
                               run_records<Session>,
                               launch_division_on,
                               run_division<Session>,
                               launch_select_on,
                               run_select<Session>,
                               launch_ranges_on,
                               run_ranges<Session>,
                               launch_segments_on,
                               run_segments<Session>,
                               prepare_comparison,
                               launch_compare_on,
                               run_compare<Session>,
                               launch_bitonic_on,
                               run_bitonic<Session>,
                               run_partition<Session>,
                               set_pending_limit};

} // namespace

} // namespace cdp::simulated

extern "C" const cdp_engine *cdp_engine_simulated(void) {
  return &cdp::simulated::ENGINE;
}
