/* SPDX-License-Identifier: MIT */
/*
 * The plan of what is done with sorted ranges (engine.h): grids, and the workspace.
 */
#include "engine.h"
#include "room.h"
#include "tuning_kinds.h"
#include "tuning_ranges.h"

#include <algorithm>

namespace cdp {

namespace {

/* A grid of all that the device holds, or of as many blocks as there are tiles. No block has 2^32 keys: it counts them in 32 bits. */
uint32_t walking_blocks(const cdp_ranges_request &asked, const RangesShape &shape, uint32_t multiprocessors) {
  if (asked.count == 0)
    return 0;
  const uint64_t tile = walk_tile(shape, cdp_engine_key_bytes(asked.type));
  const uint64_t tiles = (asked.count + tile - 1) / tile;
  const uint64_t fewest = (asked.count >> 31) + 1;
  return static_cast<uint32_t>(std::min(tiles, std::max<uint64_t>(uint64_t{multiprocessors} * RESIDENT_WALKERS, fewest)));
}

void plan_merge(cdp_ranges_plan &plan, const RangesShape &shape, Room &room) {
  const uint64_t tile = merge_tile(shape, cdp_engine_key_bytes(plan.asked.type));
  plan.tiles = static_cast<uint32_t>((plan.asked.count + tile - 1) / tile);
  if (plan.tiles < 2)
    return;
  plan.splits = room.take(uint64_t{plan.tiles} + 1, sizeof(uint64_t));
  plan.is_contradictory = room.take(1, sizeof(uint32_t));
}

} // namespace

} // namespace cdp

extern "C" cdp_status cdp_engine_plan_ranges(const cdp_settings *resolved, const cdp_ranges_request *request,
                                             const cdp_device_facts *facts, bool is_captured, cdp_ranges_plan *plan) {
  using namespace cdp;
  const RangesShape shape = ranges_shape(facts->device_kind == static_cast<uint32_t>(DeviceKind::simulated));
  Room room;
  *plan = {};
  plan->asked = *request;
  plan->seed = resolved->seed;
  plan->is_captured = is_captured;
  if (request->kind == CDP_RANGES_MERGE)
    plan_merge(*plan, shape, room);
  else
    plan->blocks = walking_blocks(*request, shape, facts->multiprocessors);
  if (request->kind == CDP_RANGES_UNIQUE) {
    plan->block_keys = room.take(plan->blocks, sizeof(uint32_t));
    plan->warp_keys = room.take(uint64_t{plan->blocks} * shape.walk_threads / 32, sizeof(uint32_t));
  }
  plan->workspace_bytes = room.end;
  return room.is_countable ? CDP_OK : CDP_ERROR_SIZE;
}
