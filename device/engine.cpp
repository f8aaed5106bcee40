/* SPDX-License-Identifier: MIT */
/*
 * The part of the door that is arithmetic, but for the plan of a sort (plan.cpp): the same for both runtimes, whose records
 * have the same layout.
 */
#include "engine.h"

#include "recursion/partition_workspace.cuh"
#include "recursion/trace.cuh"

#include <atomic>
#include <chrono>

using namespace cdp;

/* The first one is drawn from the clock and from where the library was loaded. */
extern "C" uint64_t cdp_engine_next_launch() {
  static const uint64_t first =
      simulated::splitmix64(static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count())) ^
      simulated::splitmix64(reinterpret_cast<uintptr_t>(&cdp_engine_next_launch));
  static std::atomic<uint64_t> launches{0};
  return first + launches.fetch_add(1, std::memory_order_relaxed);
}

extern "C" uint32_t cdp_engine_key_bytes(cdp_type type) {
  switch (type) {
  case CDP_U32:
  case CDP_I32:
  case CDP_F32:
    return 4;
  case CDP_U64:
  case CDP_I64:
  case CDP_F64:
    return 8;
  case CDP_U8:
  case CDP_I8:
    return 1;
  case CDP_U16:
  case CDP_I16:
  case CDP_F16:
  case CDP_BF16:
    return 2;
  }
  return 0;
}

extern "C" bool cdp_engine_is_counted(cdp_type type) {
  return cdp_engine_key_bytes(type) < 4;
}

extern "C" uint32_t cdp_engine_max_leaf_items(cdp_type type) {
  static_assert(leaf_items(CUDA_4_BYTES) == CDP_LEAF_MAX_4_BYTES && leaf_items(CUDA_8_BYTES) == CDP_LEAF_MAX_8_BYTES &&
                    leaf_items(SIMULATED_4_BYTES) == CDP_LEAF_MAX_4_BYTES &&
                    leaf_items(SIMULATED_8_BYTES) == CDP_LEAF_MAX_8_BYTES,
                "the public header states the greatest leaf");
  static_assert(MAX_BUCKETS == CDP_FAN_OUT_MAX && MIN_FAN_OUT == CDP_FAN_OUT_MIN, "and the fan-outs");
  return cdp_engine_key_bytes(type) <= 4 ? CDP_LEAF_MAX_4_BYTES : CDP_LEAF_MAX_8_BYTES;
}

extern "C" uint64_t cdp_engine_trace_bytes(size_t capacity) {
  return sizeof(simulated::Trace) + capacity * sizeof(simulated::Event);
}

extern "C" uint64_t cdp_engine_partition_workspace_bytes(const cdp_partition_request *request) {
  const uint64_t key_bytes = cdp_engine_key_bytes(request->type);
  const uint64_t allowance = 1u << 30; // the shares are few: some to each multiprocessor
  if (request->count > (UINT64_MAX - allowance) / key_bytes)
    return UINT64_MAX;
  return simulated::partition_parts(*request).end;
}
