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

/* A comparison is called in the middle of a run, whose rules and seed a second call in the thread would change. */
cdp_status enter(int, void *, cdp_previous *previous, cdp_fault *fault) {
  *previous = {};
  if (!is_running())
    return CDP_OK;
  fault->advice = "call it when the sort has returned, and have comparisons return, without longjmp()";
  return refuse(fault, CDP_ERROR_UNSUPPORTED, "this thread is in a sort, whose comparison must not call this library");
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
  *place = {CDP_MEMORY_HOST, -1, nullptr};
  return CDP_OK;
}

/* Every launch is over when it returns: there is nothing to wait for, and no stream. */
cdp_status begin(void **stream, cdp_fault *) {
  *stream = nullptr;
  return CDP_OK;
}

cdp_status finish(void *, const char *, cdp_fault *) {
  return CDP_OK;
}

void end(void *) {}

cdp_status allocate(size_t bytes, void *, bool, void **memory, cdp_fault *fault) {
  *memory = allocate_memory(bytes);
  return *memory != nullptr ? CDP_OK : refuse(fault, CDP_ERROR_MEMORY, "host memory for the simulated device is exhausted");
}

/* A broken guard makes the thread's next launch fail with its report. */
cdp_status release(void *memory, void *, cdp_fault *) {
  release_memory(memory);
  return CDP_OK;
}

cdp_status copy(void *destination, const void *source, size_t bytes, void *, cdp_fault *) {
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
    return refuse(fault, CDP_ERROR_SIMULATED,
                  "host memory was exhausted while the simulated device ran; the keys are unspecified");
  if (error == LAUNCH_CALL_THREW) {
    fault->advice = "have it catch what it throws, and return a number";
    return refuse(fault, CDP_ERROR_SIMULATED, "the comparison threw an exception; the items are unspecified");
  }
  return refuse(fault, CDP_ERROR_SIMULATED, "the simulated device stopped with code %d: %.200s", error,
                last_report().broken_rule);
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
class Session {
public:
  explicit Session(void *) {}

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

  static cdp_status read(void *destination, const void *source, size_t bytes, cdp_fault *) {
    memcpy(destination, source, bytes);
    return CDP_OK;
  }

private:
  std::chrono::steady_clock::time_point begun;
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
                               begin,
                               finish,
                               end,
                               allocate,
                               release,
                               nullptr, // nothing is kept: memory is poisoned anew for each call
                               nullptr,
                               copy,
                               is_captured,
                               launch,
                               launch_payload_on,
                               launch_records_on,
                               launch_division_on,
                               launch_select_on,
                               launch_ranges_on,
                               launch_segments_on,
                               launch_compare_on,
                               launch_bitonic_on,
                               prepare_comparison,
                               run_sort<Session>,
                               run_partition<Session>,
                               set_pending_limit};

} // namespace

} // namespace cdp::simulated

extern "C" const cdp_engine *cdp_engine_simulated(void) {
  return &cdp::simulated::ENGINE;
}
