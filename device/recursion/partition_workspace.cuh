/* SPDX-License-Identifier: MIT */
/*
 * The workspace of a partition of a whole array: where each part begins, and into how many shares the array is divided. The
 * drawing is in engine.h.
 */
#ifndef CDPSORT_DEVICE_RECURSION_PARTITION_WORKSPACE_CUH
#define CDPSORT_DEVICE_RECURSION_PARTITION_WORKSPACE_CUH

#include "block/array_parts.cuh"
#include "recursion/workspace.cuh"

namespace cdp::CDP_RUNTIME {

/* Offsets in bytes from the beginning of the workspace, each a multiple of CDP_WORKSPACE_ALIGNMENT, and the end of it all. */
struct PartitionParts {
  uint64_t scratch;
  uint64_t totals;
  uint64_t shares;
  uint64_t end;
};

/* The shares that the warps of a grid count and scatter. The row, and not Shape, so that one runtime's code can tell both. */
struct ShareRule {
  uint64_t items; /* of each share but the last */
  uint32_t count;
};

/* One share for each warp that the device is to be filled with, all of them whole steps of a warp. */
inline ShareRule share_rule(const cdp_partition_request &request) {
  const TuningRow row = tuning_row(request.simulated, cdp_engine_key_bytes(request.type));
  const uint64_t step = uint64_t{WARP_LANES} * row.tile_items_per_thread;
  const uint64_t warps = uint64_t{request.multiprocessors} * row.blocks_per_multiprocessor * (row.block_threads / WARP_LANES);
  const uint64_t steps = (request.count + step - 1) / step;
  const uint64_t items = (steps + warps - 1) / warps * step;
  return {items, static_cast<uint32_t>((request.count + items - 1) / items)};
}

inline PartitionParts partition_parts(const cdp_partition_request &request) {
  const uint32_t shares = request.kind == CDP_PARTITION_SCAN ? share_rule(request).count : 0;
  PartitionParts parts;
  parts.end = 0;
  parts.scratch = add_part(parts.end, request.count, cdp_engine_key_bytes(request.type));
  parts.totals = add_part(parts.end, 1, sizeof(PartCounts));
  parts.shares = add_part(parts.end, shares, sizeof(PartCounts));
  return parts;
}

/* Tells what a partition left behind. */
inline void fill_parts(const cdp_partition_request &request, const PartCounts &totals, double milliseconds, cdp_parts *parts) {
  parts->less_items = totals.less;
  parts->equal_items = request.count - totals.less - totals.greater;
  parts->milliseconds = milliseconds;
}

} // namespace cdp::CDP_RUNTIME

#endif
