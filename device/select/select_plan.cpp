/* SPDX-License-Identifier: MIT */
/*
 * The plan of half a sort (engine.h): grids, how often ranges are divided, the sort behind it, and the workspace.
 */
#include "engine.h"
#include "room.h"
#include "tuning_kinds.h"
#include "tuning_select.h"

#include <algorithm>

namespace cdp {

namespace {

uint64_t top_count(const cdp_select_request &asked) {
  return asked.ranks[0] + 1;
}

/* Narrow keys are in order as soon as they are counted. */
bool sorts_all(const cdp_select_request &asked) {
  return asked.kind == CDP_SELECT_NTH &&
         (cdp_engine_is_counted(asked.type) || (asked.is_sorted && top_count(asked) == asked.count));
}

/* Blocks whose shares have less than 2^32 keys, which are counted in 32 bits, and no more than one block's threads. */
uint32_t block_count(const cdp_select_request &asked, const SelectShape &shape, uint32_t multiprocessors) {
  const uint32_t key_bytes = cdp_engine_key_bytes(asked.type);
  const uint64_t tile = uint64_t{shape.threads} * std::min(shape.thread_bytes / key_bytes, MOST_SELECT_ITEMS);
  const uint64_t tiles = (asked.count + tile - 1) / tile;
  const uint64_t fewest = (asked.count >> 31) + 1;
  const uint64_t most = std::max<uint64_t>(uint64_t{multiprocessors} * RESIDENT_SELECTORS, fewest);
  return static_cast<uint32_t>(std::min({tiles, most, uint64_t{shape.threads}}));
}

/* The first range may turn out to be beyond the sample; of narrow keys it is all of them. */
uint32_t level_count(const cdp_select_request &asked, const SelectShape &shape, uint32_t bin_bits) {
  const uint32_t key_bits = 8 * cdp_engine_key_bytes(asked.type);
  const uint32_t divided = cdp_engine_is_counted(asked.type) ? std::min(key_bits, shape.bin_bits) : 0;
  return 1 + (key_bits - divided + bin_bits - 1) / bin_bits;
}

/* The sort of what was selected, or of all. */
cdp_status plan_sort(const cdp_settings &resolved, const cdp_device_facts &facts, cdp_select_plan &plan) {
  const cdp_select_request &asked = plan.asked;
  const uint64_t count = plan.sorts_all ? asked.count : top_count(asked);
  if (asked.kind == CDP_SELECT_QUANTILES || (!asked.is_sorted && !plan.sorts_all) || count < 2)
    return CDP_OK;
  if (!plan.has_positions)
    return cdp_engine_plan(&resolved, asked.type, count, &facts, plan.is_captured, &plan.sort);
  cdp_payload_request by = {};
  by.type = asked.type;
  by.order = asked.order;
  by.ties = asked.ties == CDP_TIES_BY_VALUE ? CDP_TIES_BY_VALUE : CDP_TIES_STABLE;
  by.count = count;
  by.index_bytes = sizeof(uint32_t);
  return cdp_engine_plan_payload(&resolved, &by, &facts, plan.is_captured, &plan.by);
}

/* What is needed to select lies where the sort behind it has its workspace. */
void plan_selection(cdp_select_plan &plan, const SelectShape &shape, Room &room) {
  const cdp_select_request &asked = plan.asked;
  const uint64_t key_bytes = cdp_engine_key_bytes(asked.type);
  const uint64_t row = max_select_bins(shape) + 1;
  plan.state = room.take(1, SELECT_STATE_BYTES);
  plan.totals = room.take(row, sizeof(uint64_t));
  plan.rows = room.take(row * plan.blocks, sizeof(uint32_t));
  plan.begins = room.take(plan.blocks, SHARE_BEGINS_BYTES);
  uint64_t most = asked.count;
  for (int side = 0; side < 2; side++) {
    most /= LEAST_SHRINKING;
    plan.candidates[side] = room.take(most, key_bytes);
    plan.candidate_positions[side] = room.take(plan.has_positions ? most : 0, sizeof(uint32_t));
  }
  plan.parts = room.take(asked.kind == CDP_SELECT_NTH ? asked.count : 0, key_bytes);
}

cdp_status plan_room(cdp_select_plan &plan, const SelectShape &shape) {
  const uint64_t top = plan.has_positions ? top_count(plan.asked) : 0;
  Room room;
  plan.top_keys = room.take(top, cdp_engine_key_bytes(plan.asked.type));
  plan.positions = room.take(top, sizeof(uint32_t));
  plan.order = room.take(top, sizeof(uint32_t));
  plan.origins = room.take(top, sizeof(uint32_t));
  plan.shared = room.end;
  Room sorting = room;
  sorting.take(1, std::max(plan.sort.workspace_bytes, plan.by.workspace_bytes));
  if (!plan.sorts_all)
    plan_selection(plan, shape, room);
  plan.workspace_bytes = std::max(room.end, sorting.end);
  return room.is_countable && sorting.is_countable ? CDP_OK : CDP_ERROR_SIZE;
}

} // namespace

} // namespace cdp

extern "C" cdp_status cdp_engine_plan_select(const cdp_settings *resolved, const cdp_select_request *request,
                                             const cdp_device_facts *facts, bool is_captured, cdp_select_plan *plan) {
  using namespace cdp;
  const SelectShape shape = select_shape(facts->device_kind == static_cast<uint32_t>(DeviceKind::simulated));
  *plan = {};
  plan->asked = *request;
  plan->sorts_all = sorts_all(*request);
  plan->has_positions = request->index_bytes != 0 || request->column_count != 0;
  plan->blocks = block_count(*request, shape, facts->multiprocessors);
  plan->bin_bits = select_bin_bits(shape, request->rank_count);
  plan->levels = level_count(*request, shape, plan->bin_bits);
  plan->seed = resolved->seed;
  plan->is_captured = is_captured;
  const cdp_status status = plan_sort(*resolved, *facts, *plan);
  return status != CDP_OK ? status : plan_room(*plan, shape);
}
