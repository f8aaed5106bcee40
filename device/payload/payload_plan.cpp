/* SPDX-License-Identifier: MIT */
/*
 * The plan of a sort with values or indices (engine.h): what goes into an item, the sort of the items, and the workspace.
 */
#include "engine.h"

#include <algorithm>

namespace cdp {

namespace {

/* The greatest value that can travel in the lower half of an item. */
constexpr size_t MAX_TRAVELLING_BYTES = 4;

/* How many bits the greatest position takes. */
uint32_t position_bits(uint64_t count) {
  uint32_t bits = 0;
  while ((count - 1) >> bits != 0)
    bits++;
  return bits;
}

bool travels(const cdp_payload_request &asked) {
  return asked.ties == CDP_TIES_ANY && asked.index_bytes == 0 && asked.column_count == 1 &&
         asked.columns[0].value_bytes <= MAX_TRAVELLING_BYTES && cdp_engine_key_bytes(asked.type) <= 4;
}

/* Bytes in the workspace's order, each part aligned; remembers whether they could all be counted. */
class Room {
public:
  uint64_t take(uint64_t items, uint64_t item_bytes) {
    const uint64_t begin = end;
    constexpr uint64_t MASK = CDP_WORKSPACE_ALIGNMENT - 1;
    if (item_bytes != 0 && items > (INT64_MAX - MASK - end) / item_bytes)
      is_countable = false;
    else
      end = begin + ((items * item_bytes + MASK) & ~MASK);
    return begin;
  }

  uint64_t end = 0;
  bool is_countable = true;
};

/* The largest value that is gathered, of so many bytes: keys are, where the items do not have all of them. */
uint64_t gathered_bytes(const cdp_payload_plan &plan) {
  uint64_t most = plan.travels ? 0 : cdp_engine_key_bytes(plan.asked.type);
  for (uint32_t column = 0; column < plan.asked.column_count && !plan.travels; column++)
    most = std::max<uint64_t>(most, plan.asked.columns[column].value_bytes);
  return most;
}

/* What is gathered lies where the sort has its workspace: the one is over when the other begins. */
cdp_status plan_room(cdp_payload_plan &plan) {
  const uint64_t count = plan.asked.count;
  const bool is_wide = cdp_engine_key_bytes(plan.asked.type) == 8;
  Room room;
  Room gathered;
  gathered.take(count, gathered_bytes(plan));
  room.take(count, sizeof(uint64_t));
  plan.shared = room.take(1, std::max(plan.sort.workspace_bytes, gathered.end));
  if (is_wide) {
    plan.window = room.take(1, CDP_WORKSPACE_ALIGNMENT);
    plan.origins = room.take(count, sizeof(uint32_t));
    plan.lower_order = room.take(count, sizeof(uint32_t));
  }
  // Indices alone leave the keys as they are, and have them sorted elsewhere.
  if (is_wide && plan.asked.index_bytes != 0)
    plan.sorted_keys = room.take(count, sizeof(uint64_t));
  plan.workspace_bytes = room.end;
  return room.is_countable && gathered.is_countable ? CDP_OK : CDP_ERROR_SIZE;
}

} // namespace

} // namespace cdp

extern "C" cdp_status cdp_engine_plan_payload(const cdp_settings *resolved, const cdp_payload_request *request,
                                              const cdp_device_facts *facts, bool is_captured, cdp_payload_plan *plan) {
  using namespace cdp;
  cdp_settings settings = *resolved;
  settings.order = CDP_ASCENDING; // of the items; keys are entered in the order that was asked for
  *plan = {};
  plan->asked = *request;
  plan->travels = travels(*request);
  plan->low_bits = plan->travels ? 32 : position_bits(request->count);
  if (request->count >= 2) {
    const cdp_status status = cdp_engine_plan(&settings, CDP_U64, request->count, facts, is_captured, &plan->sort);
    if (status != CDP_OK)
      return status;
  }
  plan->sort.seed = settings.seed;
  plan->sort.is_captured = is_captured;
  return plan_room(*plan);
}
