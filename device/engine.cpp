/* SPDX-License-Identifier: MIT */
/*
 * The part of the door that is arithmetic: the same for both runtimes, whose records have the same layout.
 */
#include "engine.h"

#include "recursion/workspace.cuh"

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

extern "C" uint32_t cdp_engine_leaf_items_most(cdp_type type) {
  static_assert(leaf_items(CUDA_4_BYTES) == CDP_LEAF_MAX_4_BYTES && leaf_items(CUDA_8_BYTES) == CDP_LEAF_MAX_8_BYTES &&
                    leaf_items(SIMULATED_4_BYTES) == CDP_LEAF_MAX_4_BYTES &&
                    leaf_items(SIMULATED_8_BYTES) == CDP_LEAF_MAX_8_BYTES,
                "the public header states the greatest leaf");
  return cdp_engine_key_bytes(type) == 4 ? CDP_LEAF_MAX_4_BYTES : CDP_LEAF_MAX_8_BYTES;
}

/* A task has one block for each tiles_per_block tiles, and one for what is left over (partition_blocks()). */
extern "C" uint64_t cdp_engine_level_blocks_most(cdp_type type, uint64_t count, uint64_t tasks) {
  const uint32_t key_bytes = cdp_engine_key_bytes(type);
  const TuningRow cuda_row = tuning_row(false, key_bytes);
  const TuningRow simulated_row = tuning_row(true, key_bytes);
  const uint64_t cuda_items = uint64_t{tile_items(cuda_row)} * cuda_row.tiles_per_block;
  const uint64_t simulated_items = uint64_t{tile_items(simulated_row)} * simulated_row.tiles_per_block;
  return count / (cuda_items < simulated_items ? cuda_items : simulated_items) + tasks;
}

extern "C" uint64_t cdp_engine_workspace_bytes(const cdp_request *request) {
  const uint64_t records = uint64_t{request->task_capacity} * (sizeof(simulated::Task) + 2 * sizeof(uint32_t)) +
                           uint64_t{request->collected_capacity} * sizeof(simulated::Range) +
                           uint64_t{request->block_map_capacity} * sizeof(uint32_t);
  const uint64_t allowance = records + (1u << 20); // control, counters and alignment are far less than a mebibyte
  if (request->count > (UINT64_MAX - allowance) / cdp_engine_key_bytes(request->type))
    return UINT64_MAX;
  return simulated::workspace_parts(*request).end;
}
