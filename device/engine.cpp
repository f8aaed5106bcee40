/* SPDX-License-Identifier: MIT */
/*
 * The part of the door that is arithmetic: the same for both runtimes, whose records have the same layout.
 */
#include "engine.h"

#include "recursion/partition_workspace.cuh"
#include "recursion/trace.cuh"

using namespace cdp;

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
  }
  return 0;
}

extern "C" uint32_t cdp_engine_max_leaf_items(cdp_type type) {
  static_assert(leaf_items(CUDA_4_BYTES) == CDP_LEAF_MAX_4_BYTES && leaf_items(CUDA_8_BYTES) == CDP_LEAF_MAX_8_BYTES &&
                    leaf_items(SIMULATED_4_BYTES) == CDP_LEAF_MAX_4_BYTES &&
                    leaf_items(SIMULATED_8_BYTES) == CDP_LEAF_MAX_8_BYTES,
                "the public header states the greatest leaf");
  return cdp_engine_key_bytes(type) == 4 ? CDP_LEAF_MAX_4_BYTES : CDP_LEAF_MAX_8_BYTES;
}

extern "C" void cdp_engine_multiway_facts(uint32_t device_kind, cdp_type type, cdp_multiway_facts *facts) {
  static_assert(MAX_BUCKETS == CDP_FAN_OUT_MAX && MIN_FAN_OUT == CDP_FAN_OUT_MIN, "the public header states the set-outs");
  const MultiwayRow row = multiway_row(static_cast<DeviceKind>(device_kind), cdp_engine_key_bytes(type));
  facts->block_threads = row.block_threads;
  facts->max_samples = greatest_power_of_two(row.block_threads) * row.samples_per_thread;
  facts->short_tile_items = row.block_threads * SHORT_TILE_ITEMS;
  facts->tile_items = multiway_tile_items(row);
  facts->max_range_items = max_range_items(row);
  facts->leaf_buckets = MAX_BUCKETS / BUCKETS_PER_LEAF;
}

/* A task has one block for each tiles_per_block tiles, or with many children for each tile, and one for what is left over
   (partition_blocks(), multiway_blocks()). */
extern "C" uint64_t cdp_engine_max_level_blocks(const cdp_request *request) {
  const uint32_t key_bytes = cdp_engine_key_bytes(request->type);
  uint64_t block_items = multiway_tile_items(multiway_row(static_cast<DeviceKind>(request->device_kind), key_bytes));
  if (request->fan_out == CDP_FAN_OUT_CLASSIC) {
    const bool simulated = static_cast<DeviceKind>(request->device_kind) == DeviceKind::simulated;
    const TuningRow row = tuning_row(simulated, key_bytes);
    block_items = uint64_t{tile_items(row)} * row.tiles_per_block;
  }
  return request->count / block_items + request->task_capacity;
}

extern "C" uint64_t cdp_engine_trace_bytes(size_t capacity) {
  return sizeof(simulated::Trace) + capacity * sizeof(simulated::Event);
}

extern "C" uint64_t cdp_engine_task_table_bytes(const cdp_request *request) {
  const uint64_t splitters = uint64_t{request->fan_out} * cdp_engine_key_bytes(request->type);
  return sizeof(simulated::SplitterSet) + splitters + simulated::max_buckets(request->fan_out) * sizeof(unsigned long long);
}

extern "C" uint64_t cdp_engine_workspace_bytes(const cdp_request *request) {
  const uint64_t records = uint64_t{request->task_capacity} * (sizeof(simulated::Task) + 2 * sizeof(uint32_t)) +
                           uint64_t{request->worklist_capacity} * sizeof(simulated::Range) +
                           uint64_t{request->block_map_capacity} * sizeof(uint32_t) +
                           uint64_t{request->task_capacity} * (sizeof(simulated::SplitterSet) + request->fan_out * 24ull) +
                           simulated::short_places(*request) * sizeof(uint16_t);
  const uint64_t allowance = records + (1u << 20); // control, counters and alignment are far less than a mebibyte
  if (request->count > (UINT64_MAX - allowance) / cdp_engine_key_bytes(request->type))
    return UINT64_MAX;
  return simulated::workspace_parts(*request).end;
}

extern "C" uint64_t cdp_engine_partition_workspace_bytes(const cdp_partition_request *request) {
  const uint64_t key_bytes = cdp_engine_key_bytes(request->type);
  const uint64_t allowance = 1u << 30; // the shares are few: some to each multiprocessor
  if (request->count > (UINT64_MAX - allowance) / key_bytes)
    return UINT64_MAX;
  return simulated::partition_parts(*request).end;
}
