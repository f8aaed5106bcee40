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

/* Tiles of an array, wherever it begins: walk.cuh has its stretches begin at multiples of 16 bytes. */
uint64_t walked_tiles(const cdp_ranges_request &asked, const RangesShape &shape) {
  const uint32_t key_bytes = cdp_engine_key_bytes(asked.type);
  const uint64_t tile = walk_tile(shape, key_bytes);
  return asked.count == 0 ? 0 : (asked.count + 16 / key_bytes - 1 + tile - 1) / tile;
}

/* A grid of all that the device holds, or of as many blocks as there are tiles. */
uint32_t walking_blocks(const cdp_ranges_request &asked, const RangesShape &shape, uint32_t multiprocessors) {
  return static_cast<uint32_t>(std::min(walked_tiles(asked, shape), uint64_t{multiprocessors} * RESIDENT_WALKERS));
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
    plan->tiles_taken = room.take(1, sizeof(uint64_t));
    plan->tile_keys = room.take(walked_tiles(*request, shape), sizeof(uint64_t));
  }
  plan->workspace_bytes = room.end;
  return room.is_countable ? CDP_OK : CDP_ERROR_SIZE;
}
