/* SPDX-License-Identifier: MIT */
/*
 * The plan of a segmented sort (engine.h): what is sorted in the place of the keys, what becomes of segments of which length, and
 * the workspace.
 */
#include "engine.h"
#include "payload/items.cuh"
#include "room.h"
#include "segments/divide_segments.cuh"
#include "segments/long_segments.cuh"

#include <algorithm>

namespace cdp {

namespace {

/* Values go by the positions of their keys. Keys that count as equal, and differ, have the order of the input, and so positions,
   too. */
void plan_items(cdp_segments_plan &plan) {
  const cdp_segments_request &asked = plan.asked;
  const uint32_t key_bytes = cdp_engine_key_bytes(asked.type);
  const bool has_positions = asked.column_count != 0 || simulated::joins_keys(asked.type, asked.ties);
  plan.item_bytes = has_positions || key_bytes == 8 ? 8 : 4;
  if (has_positions)
    plan.by = key_bytes == 8 ? CDP_SEGMENTS_BY_HALVES : CDP_SEGMENTS_BY_POSITIONS;
  else
    plan.by = key_bytes < 4 ? CDP_SEGMENTS_BY_NUMBERS : CDP_SEGMENTS_BY_KEYS;
}

/* What the longest segment has, as far as the host can know. */
uint64_t max_items(const cdp_segments_request &asked) {
  if (asked.segment_count == 0)
    return 0;
  return asked.offset_bytes == 0 ? asked.length : asked.count;
}

uint32_t ceil_log2(uint64_t number) {
  uint32_t bits = 0;
  while (bits < 64 && uint64_t{1} << bits < number)
    bits++;
  return bits;
}

/* Divisions of the longest segment there may be, by as few buckets as there may be of all that are asked for; and how long a range
   is partitioned if these were not enough. */
void plan_levels(cdp_segments_plan &plan, const SegmentLimits &limits) {
  const uint32_t level_bits = limits.max_bits - 1; // half of the buckets may have keys equal to splitters
  plan.block_depth_limit = 2 * ceil_log2(plan.max_items) + DEPTH_EXTRA;
  if (plan.max_items <= limits.block)
    return;
  plan.max_levels = 1 + SPARE_SEGMENT_LEVELS;
  for (uint64_t items = plan.max_items >> level_bits; items > limits.target; items >>= level_bits)
    plan.max_levels++;
  plan.block_depth_limit += plan.max_levels;
}

/* Ranges on a list do not overlap: there are no more of a class than hold its shortest. But buckets may be of any length: all that
   there are may be small. */
void plan_capacities(cdp_segments_plan &plan, const SegmentLimits &limits) {
  const uint64_t count = plan.asked.count;
  const uint64_t segments = plan.asked.segment_count;
  const uint64_t pieces = count / limits.team + 1; // of equal keys
  const uint64_t places = most_table_places(limits, count);
  const uint64_t buckets = plan.max_levels * (places + pieces);
  const auto most = [&](uint64_t least_items) { return std::min(segments + buckets, count / least_items + 1); };
  if (!plan.is_listed)
    return;
  plan.small_capacity = std::min(segments, count / (TINY_ITEMS + 1) + 1) + buckets;
  plan.short_capacity = most(limits.small + 1);
  plan.team_capacity = most(limits.shorts + 1);
  plan.block_capacity = most(limits.team + 1);
  if (plan.max_levels == 0)
    return;
  plan.large_capacity = most(limits.block + 1);
  plan.tile_capacity = count / limits.tile + 1 + 2 * plan.large_capacity;
  plan.table_capacity = places;
}

template <template <typename, DeviceKind> class Storage>
uint32_t shared_bytes(const cdp_segments_plan &plan, DeviceKind kind) {
  return plan.item_bytes == 4 ? simulated::segment_shared_bytes<Storage, uint32_t>(kind)
                              : simulated::segment_shared_bytes<Storage, uint64_t>(kind);
}

cdp_status plan_room(cdp_segments_plan &plan) {
  const cdp_segments_request &asked = plan.asked;
  const bool has_origins = plan.by == CDP_SEGMENTS_BY_POSITIONS || plan.by == CDP_SEGMENTS_BY_HALVES;
  uint64_t scratch_bytes = plan.max_levels != 0 ? plan.item_bytes : 0;
  Room room;
  if (has_origins && !asked.is_apart)
    scratch_bytes = std::max<uint64_t>(scratch_bytes, cdp_engine_key_bytes(asked.type));
  for (uint32_t column = 0; column < asked.column_count && !asked.is_apart; column++)
    scratch_bytes = std::max<uint64_t>(scratch_bytes, asked.columns[column].value_bytes);
  plan.items = room.take(plan.by != CDP_SEGMENTS_BY_KEYS ? asked.count : 0, plan.item_bytes);
  plan.lower_order = room.take(plan.by == CDP_SEGMENTS_BY_HALVES ? asked.count : 0, sizeof(uint32_t));
  plan.origins = room.take(has_origins ? asked.count : 0, sizeof(uint32_t));
  plan.scratch = room.take(asked.count, scratch_bytes);
  plan.control = room.take(plan.is_listed ? 1 : 0, sizeof(simulated::SegmentControl));
  plan.smalls = room.take(plan.small_capacity, sizeof(simulated::Piece));
  plan.shorts = room.take(plan.short_capacity, sizeof(simulated::Piece));
  plan.teams = room.take(plan.team_capacity, sizeof(simulated::Piece));
  plan.blocks = room.take(plan.block_capacity, sizeof(simulated::Range));
  for (uint64_t &larges : plan.larges)
    larges = room.take(plan.large_capacity, sizeof(simulated::LargeSegment));
  plan.tiles = room.take(plan.tile_capacity, sizeof(simulated::SegmentTile));
  plan.splitters = room.take(plan.table_capacity, plan.item_bytes);
  plan.cursors = room.take(plan.table_capacity, sizeof(uint64_t));
  plan.workspace_bytes = room.end;
  return room.is_countable ? CDP_OK : CDP_ERROR_SIZE;
}

} // namespace

} // namespace cdp

extern "C" cdp_status cdp_engine_plan_segments(const cdp_settings *resolved, const cdp_segments_request *request,
                                               const cdp_device_facts *facts, bool is_captured, cdp_segments_plan *plan) {
  using namespace cdp;
  const DeviceKind kind = static_cast<DeviceKind>(facts->device_kind);
  *plan = {};
  plan->asked = *request;
  plan->seed = resolved->seed;
  plan->is_captured = is_captured;
  plan->device_kind = facts->device_kind;
  plan->multiprocessors = facts->multiprocessors;
  plan_items(*plan);
  plan->max_items = max_items(*request);
  if (plan->max_items < 2)
    return CDP_OK;
  const SegmentLimits limits = segment_limits(kind, plan->item_bytes);
  plan_levels(*plan, limits);
  plan->is_listed = (request->offset_bytes != 0 && request->count > TINY_ITEMS) || plan->max_levels != 0;
  plan_capacities(*plan, limits);
  plan->shared_bytes[0] = shared_bytes<simulated::DivideBlockOf>(*plan, kind);
  plan->shared_bytes[1] = shared_bytes<simulated::LongSegmentBlockOf>(*plan, kind);
  return plan_room(*plan);
}
