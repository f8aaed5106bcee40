/* SPDX-License-Identifier: MIT */
/*
 * The plan of a sort by several fields (engine.h): which fields are one key, the sorts of indices by those, and the workspace.
 */
#include "engine.h"
#include "room.h"

#include <algorithm>

namespace cdp {

namespace {

uint32_t field_bits(const cdp_sort_field &field) {
  return 8 * cdp_engine_key_bytes(field.type);
}

/* As few groups as there can be: each takes all fields for which there is room. */
void plan_groups(cdp_records_plan &plan) {
  for (uint32_t field = 0; field < plan.asked.field_count; field++) {
    const uint32_t bits = field_bits(plan.asked.fields[field]);
    if (plan.group_count == 0 || plan.groups[plan.group_count - 1].bits + bits > 64)
      plan.groups[plan.group_count++] = {field, field, 0};
    cdp_field_group &group = plan.groups[plan.group_count - 1];
    group.end = field + 1;
    group.bits += bits;
  }
}

bool has_groups(const cdp_records_plan &plan, bool narrow) {
  return std::any_of(plan.groups, plan.groups + plan.group_count,
                     [narrow](const cdp_field_group &group) { return (group.bits <= 32) == narrow; });
}

/* Whether each byte of a record is in one field, and joined keys do not make different records equal. */
bool are_keys(const cdp_records_plan &plan) {
  const cdp_records_request &asked = plan.asked;
  uint64_t seen = 0;
  uint64_t bytes = 0;
  if (asked.record_bytes == 0 || asked.record_bytes > sizeof(uint64_t) || plan.group_count != 1 ||
      asked.ties == CDP_TIES_BY_VALUE)
    return false;
  for (uint32_t field = 0; field < asked.field_count; field++) {
    const uint32_t field_bytes = cdp_engine_key_bytes(asked.fields[field].type);
    seen |= ((uint64_t{1} << field_bytes) - 1) << asked.fields[field].offset;
    bytes += field_bytes;
  }
  return bytes == asked.record_bytes && seen == (uint64_t{1} << bytes) - 1;
}

cdp_status plan_keys(const cdp_settings &resolved, const cdp_device_facts &facts, cdp_records_plan &plan) {
  const bool is_narrow = plan.groups[0].bits <= 32;
  cdp_settings settings = resolved;
  Room room;
  if (is_narrow && !settings.bitonic_leaf) // leaves were resolved for keys of 8 bytes
    settings.leaf_items = cdp_engine_max_leaf_items(CDP_U32);
  plan.key_sort = {};
  plan.key_sort.count = plan.asked.count;
  plan.key_sort.type = is_narrow ? CDP_U32 : CDP_U64;
  if (plan.asked.count >= 2) {
    const cdp_status status =
        cdp_engine_plan(&settings, plan.key_sort.type, plan.asked.count, &facts, plan.is_captured, &plan.key_sort);
    if (status != CDP_OK)
      return status;
  }
  plan.keys = room.take(plan.asked.count, is_narrow ? sizeof(uint32_t) : sizeof(uint64_t));
  plan.sort = room.take(1, plan.key_sort.workspace_bytes);
  plan.workspace_bytes = room.end;
  return room.is_countable ? CDP_OK : CDP_ERROR_SIZE;
}

/* The sort of indices by keys of a width. */
cdp_status plan_sort(const cdp_settings &settings, const cdp_records_plan &records, cdp_type type,
                     const cdp_device_facts &facts, cdp_payload_plan *plan) {
  cdp_payload_request request = {};
  request.type = type;
  request.order = CDP_ASCENDING; // of composed keys; fields are entered in the order that was asked for
  request.ties = CDP_TIES_STABLE;
  request.count = records.asked.count;
  // The last sort writes indices as they are asked for; of several, those before it do not.
  const bool is_last = records.group_count == 1 && records.asked.index_bytes != 0;
  request.index_bytes = is_last ? records.asked.index_bytes : static_cast<uint32_t>(sizeof(uint32_t));
  return cdp_engine_plan_payload(&settings, &request, &facts, records.is_captured, plan);
}

/* Records are gathered to where keys and sorts have been. */
cdp_status plan_room(cdp_records_plan &plan) {
  const cdp_records_request &asked = plan.asked;
  const bool is_wide = has_groups(plan, false);
  const uint64_t narrow_bytes = has_groups(plan, true) ? plan.narrow.workspace_bytes : 0;
  Room room;
  for (uint32_t turn = 0; turn < 2; turn++) {
    const bool is_used = turn == 0 ? asked.index_bytes == 0 || plan.group_count > 2 : plan.group_count > 1;
    plan.orders[turn] = room.take(is_used ? asked.count : 0, sizeof(uint32_t));
  }
  Room gathered = room;
  gathered.take(asked.is_apart ? 0 : asked.count, asked.record_bytes);
  plan.keys = room.take(asked.count, is_wide ? sizeof(uint64_t) : sizeof(uint32_t));
  plan.sort = room.take(1, std::max(narrow_bytes, is_wide ? plan.wide.workspace_bytes : 0));
  plan.workspace_bytes = std::max(room.end, gathered.end);
  return room.is_countable && gathered.is_countable ? CDP_OK : CDP_ERROR_SIZE;
}

} // namespace

} // namespace cdp

extern "C" cdp_status cdp_engine_plan_records(const cdp_settings *resolved, const cdp_records_request *request,
                                              const cdp_device_facts *facts, bool is_captured, cdp_records_plan *plan) {
  using namespace cdp;
  *plan = {};
  plan->asked = *request;
  plan->seed = resolved->seed;
  plan->is_captured = is_captured;
  plan_groups(*plan);
  plan->are_keys = are_keys(*plan);
  if (plan->are_keys)
    return plan_keys(*resolved, *facts, *plan);
  if (has_groups(*plan, true)) {
    const cdp_status status = plan_sort(*resolved, *plan, CDP_U32, *facts, &plan->narrow);
    if (status != CDP_OK)
      return status;
  }
  if (has_groups(*plan, false)) {
    const cdp_status status = plan_sort(*resolved, *plan, CDP_U64, *facts, &plan->wide);
    if (status != CDP_OK)
      return status;
  }
  return plan_room(*plan);
}
