/* SPDX-License-Identifier: MIT */
/*
 * The plan of a division by given splitters (engine.h): parts and the workspace; and whether splitters are in order.
 */
#include "engine.h"
#include "payload/items.cuh"
#include "room.h"
#include "tuning_kinds.h"

#include <algorithm>

namespace cdp {

namespace {

/* Parts of as many tiles each, and no more of them than there may be. */
void plan_parts(bool is_simulated, cdp_division_plan &plan) {
  const DivideShape shape = divide_shape(is_simulated);
  const uint64_t tile = uint64_t{shape.threads} * shape.items;
  const uint64_t tiles = (plan.asked.count + tile - 1) / tile;
  plan.part_tiles = static_cast<uint32_t>((tiles + shape.max_parts - 1) / shape.max_parts);
  plan.parts = tiles == 0 ? 0 : static_cast<uint32_t>((tiles + plan.part_tiles - 1) / plan.part_tiles);
  while (plan.asked.splitter_count >> plan.bits != 0)
    plan.bits++;
}

/* One column after another is gathered in the same place. */
cdp_status plan_room(cdp_division_plan &plan) {
  const cdp_division_request &asked = plan.asked;
  const uint64_t buckets = uint64_t{asked.splitter_count} + 1;
  uint64_t gathered_bytes = 0;
  Room room;
  plan.counts = room.take(buckets, sizeof(uint64_t) + uint64_t{plan.parts} * sizeof(uint32_t));
  plan.found = room.take(asked.count, plan.bits <= DIVIDE_BYTE_BITS ? sizeof(uint8_t) : sizeof(uint16_t));
  plan.keys = room.take(asked.count, cdp_engine_key_bytes(asked.type));
  for (uint32_t column = 0; column < asked.column_count; column++) {
    const uint64_t bytes = asked.columns[column].value_bytes;
    if (is_tile_value(bytes))
      plan.columns[column] = room.take(asked.count, bytes);
    else
      gathered_bytes = std::max(gathered_bytes, bytes);
  }
  plan.gathers = gathered_bytes != 0;
  plan.positions = room.take(plan.gathers ? asked.count : 0, sizeof(uint32_t));
  plan.gathered = room.take(asked.count, gathered_bytes);
  plan.workspace_bytes = room.end;
  return room.is_countable ? CDP_OK : CDP_ERROR_SIZE;
}

template <typename Raw>
size_t ordered_splitters(const cdp_division_request &request, const void *splitters) {
  const simulated::Entry<Raw> entry = simulated::entry_of<Raw>(request.type, request.order, request.ties);
  const Raw *keys = static_cast<const Raw *>(splitters);
  size_t ordered = request.splitter_count != 0 ? 1 : 0;
  while (ordered < request.splitter_count && entry.enter(keys[ordered - 1]) <= entry.enter(keys[ordered]))
    ordered++;
  return ordered;
}

} // namespace

} // namespace cdp

extern "C" cdp_status cdp_engine_plan_division(const cdp_settings *resolved, const cdp_division_request *request,
                                               const cdp_device_facts *facts, bool is_captured, cdp_division_plan *plan) {
  using namespace cdp;
  *plan = {};
  plan->asked = *request;
  plan->seed = resolved->seed;
  plan->is_captured = is_captured;
  plan_parts(facts->device_kind == static_cast<uint32_t>(DeviceKind::simulated), *plan);
  return plan_room(*plan);
}

extern "C" size_t cdp_engine_ordered_splitters(const cdp_division_request *request, const void *splitters) {
  switch (cdp_engine_key_bytes(request->type)) {
  case 1:
    return cdp::ordered_splitters<uint8_t>(*request, splitters);
  case 2:
    return cdp::ordered_splitters<uint16_t>(*request, splitters);
  case 4:
    return cdp::ordered_splitters<uint32_t>(*request, splitters);
  default:
    return cdp::ordered_splitters<uint64_t>(*request, splitters);
  }
}
