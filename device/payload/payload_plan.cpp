/* SPDX-License-Identifier: MIT */
/*
 * The plan of a sort with values or indices (engine.h): what goes into an item, the sort of the items, and the workspace.
 */
#include "engine.h"
#include "payload/block_pairs.cuh"
#include "payload/carry_buckets.cuh"
#include "payload/carry_scatter.cuh"
#include "payload/items.cuh"
#include "payload/wide_sort.cuh"
#include "room.h"
#include "tuning_kinds.h"
#include "tuning_payload.h"

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

/* Whether keys are gathered, and not written from their items. */
bool gathers_keys(const cdp_payload_request &asked) {
  const bool is_floating = asked.type == CDP_F16 || asked.type == CDP_BF16 || asked.type == CDP_F32;
  return cdp_engine_key_bytes(asked.type) == 8 || (asked.ties == CDP_TIES_BY_VALUE && is_floating);
}

/* The largest value that is gathered, of so many bytes. */
uint64_t gathered_bytes(const cdp_payload_plan &plan) {
  if (plan.travels)
    return 0;
  uint64_t most = gathers_keys(plan.asked) ? cdp_engine_key_bytes(plan.asked.type) : 0;
  for (uint32_t column = 0; column < plan.asked.column_count; column++)
    most = std::max<uint64_t>(most, plan.asked.columns[column].value_bytes);
  return most;
}

/* Bytes of the largest array, for each key, that is gathered by way of the workspace: none that was regrouped or goes elsewhere,
   but for keys of 8 bytes, which are mended there. */
uint64_t gathered_there(const cdp_payload_plan &plan) {
  if (plan.regroup_bits == 0 && !plan.asked.is_apart)
    return gathered_bytes(plan);
  return cdp_engine_key_bytes(plan.asked.type) == 8 ? sizeof(uint64_t) : 0;
}

/* ---- Values that are carried ------------------------------------------------------------------------------------------- */

/* Bytes of a value that can be carried: of the only column, or of an index; 0: there is none such. */
uint64_t carried_bytes(const cdp_payload_request &asked) {
  if (asked.column_count == 0)
    return asked.index_bytes;
  const uint64_t bytes = asked.index_bytes == 0 && asked.column_count == 1 ? asked.columns[0].value_bytes : 0;
  return bytes == sizeof(uint32_t) || bytes == sizeof(uint64_t) ? bytes : 0;
}

/* Whether an item would have all that goes with a key of up to 4 bytes. */
bool is_packed(const cdp_payload_plan &plan) {
  return plan.travels || plan.asked.column_count == 0;
}

/* Whether values are of a kind that is carried, and there are as many. */
bool is_to_be_carried(const cdp_device_facts &facts, const cdp_payload_plan &plan) {
  const size_t key_bytes = cdp_engine_key_bytes(plan.asked.type);
  return key_bytes >= sizeof(uint32_t) && !simulated::joins_keys(plan.asked) && carried_bytes(plan.asked) != 0 &&
         can_carry(static_cast<DeviceKind>(facts.device_kind), key_bytes, plan.asked.count, is_packed(plan),
                   facts.multiprocessors);
}

/* Whether they are carried: where keys would be sorted by a map. The sort of items that is launched behind it must end where it is
   not wanted, which one that the host launches by a map would not; and who asks for a recursion of his own gets it. */
bool carries(const cdp_settings &settings, const cdp_device_facts &facts, const cdp_payload_plan &plan) {
  const bool may_map = settings.maps && !settings.short_is_set && settings.child_streams == CDP_STREAMS_FIRE_AND_FORGET &&
                       plan.sort.block_depth_limit >= MIN_MAP_DEPTH_LIMIT;
  return may_map && plan.sort.scheme == CDP_SCHEME_LAST_BLOCK && is_to_be_carried(facts, plan);
}

/* What a block may have of shared memory on the least device of a kind. */
constexpr size_t shared_bytes_of_blocks(DeviceKind kind) {
  return (kind == DeviceKind::small ? 96 : kind == DeviceKind::medium ? 163 : 227) * size_t{1024};
}

/* Shared memory, by kind of device, which the host has no other way to know. */
template <typename Key, typename Value>
void plan_carry_blocks(DeviceKind kind, cdp_carry_plan &carry) {
  for_kind(kind, [&](auto constant) {
    constexpr DeviceKind KIND = decltype(constant)::value;
    constexpr CarryRow ROW = carry_row(KIND);
    constexpr size_t COUNTERS = sizeof(uint32_t);
    using Counts = simulated::CarryCounts<Key>;
    using Look = simulated::CarryLookOf<Key, KIND>;
    using Divide = simulated::CarryDivideOf<Key, KIND>;
    using Scatter = simulated::CarryScatterOf<Key, Value, KIND>;
    using TeamRooms = simulated::CarryRoomsOf<Key, KIND, simulated::OnChipBy::team>;
    using BlockRoom = simulated::CarryRoomsOf<Key, KIND, simulated::OnChipBy::block>;
    constexpr size_t MOST_COUNTS = sizeof(Counts) + ROW.counted_buckets * COUNTERS;
    static_assert(std::max({MOST_COUNTS, sizeof(Look), sizeof(Divide), sizeof(Scatter), sizeof(TeamRooms),
                            sizeof(BlockRoom)}) <= shared_bytes_of_blocks(KIND) &&
                      ROW.max_buckets <= MAX_CARRY_BUCKETS,
                  "what a block may have");
    const size_t counted = size_t{carry.groups} * carry.straight_group_buckets;
    carry.threads = ROW.threads;
    carry.look_shared_bytes = sizeof(Look);
    carry.divide_shared_bytes = sizeof(Divide);
    carry.count_shared_bytes = static_cast<uint32_t>(sizeof(Counts) + counted * COUNTERS);
    carry.most_count_shared_bytes = static_cast<uint32_t>(MOST_COUNTS);
    carry.scatter_shared_bytes = sizeof(Scatter);
    carry.sort_shared_bytes = std::max(sizeof(TeamRooms), sizeof(BlockRoom));
    return 0;
  });
}

/* Returns how much it takes of where the items and the workspace of their sort are. */
template <typename Key>
uint64_t plan_carry(const cdp_device_facts &facts, cdp_payload_plan &plan) {
  const DeviceKind kind = static_cast<DeviceKind>(facts.device_kind);
  const CarryRow row = carry_row(kind);
  const uint64_t count = plan.asked.count;
  // A workspace is asked for before it is known how many bytes an index has.
  const uint64_t value_room = plan.asked.column_count == 0 ? sizeof(uint64_t) : carried_bytes(plan.asked);
  const uint64_t tile = uint64_t{row.threads} * carry_keys_row(kind, sizeof(Key)).items;
  cdp_carry_plan &carry = plan.carry;
  carry.value_bytes = static_cast<uint32_t>(carried_bytes(plan.asked));
  carry.multiprocessors = facts.multiprocessors;
  carry.leaves_order = sizeof(Key) == sizeof(uint32_t) && is_packed(plan);
  carry.counts_again = may_miss_frequent(kind, sizeof(Key), count);
  carry.groups = carry_groups(kind, count, facts.multiprocessors);
  carry.most_groups = carry_most_groups(kind, carry.groups);
  carry.straight_buckets = carry_buckets(kind, count, row.straight_share);
  carry.straight_group_buckets = carry_group_buckets(kind, count, row.straight_share, carry.groups);
  carry.learnt_group_buckets = carry_most_group_buckets(kind, count, carry.groups);
  carry.learnt_bucket_items = carry_bucket_items(kind, row.learnt_share);
  carry.buckets = carry.most_groups * std::max(carry.straight_group_buckets, carry.learnt_group_buckets);
  carry.tiles = static_cast<uint32_t>((count + tile - 1) / tile);
  carry.control_bytes = sizeof(simulated::CarryControl<Key>) + (uint64_t{carry.buckets} + 1) * sizeof(uint32_t);
  if (carry.value_bytes == sizeof(uint64_t))
    plan_carry_blocks<Key, uint64_t>(kind, carry);
  else
    plan_carry_blocks<Key, uint32_t>(kind, carry);
  Room room;
  carry.grouped_keys = room.take(count, sizeof(Key));
  carry.grouped_values = room.take(count, value_room);
  carry.tile_places = room.take(uint64_t{carry.most_groups} * carry.tiles, sizeof(uint32_t));
  carry.listed = room.take(carry.buckets, sizeof(uint32_t));
  carry.splitters = room.take(carry.most_groups, sizeof(simulated::CarrySplitters<Key>));
  if (plan.asked.d_sorted_keys == nullptr && sizeof(Key) == sizeof(uint32_t)) // those of 8 bytes have an array in any case
    carry.sorted_keys = room.take(count, sizeof(Key));
  return room.end;
}

/* ---- Regrouping ------------------------------------------------------------------------------------------------------ */

bool can_be_regrouped(const cdp_payload_request &asked) {
  for (uint32_t column = 0; column < asked.column_count; column++) {
    if (!is_tile_value(asked.columns[column].value_bytes))
      return false;
  }
  return true;
}

/* As many buckets as make the largest array's so short that they stay in the cache. None where values are carried: that is hardly ever given
   up, and regrouped arrays would be as much memory again. Nor in a graph, where they are of a kind that is: a call that is captured has no more
   room than one that is not. */
void plan_regrouping(const cdp_device_facts &facts, cdp_payload_plan &plan) {
  const RegroupShape shape = regroup_shape(facts.device_kind == static_cast<uint32_t>(DeviceKind::simulated));
  const bool has_no_room = plan.carries || (plan.sort.is_captured && is_to_be_carried(facts, plan));
  if (has_no_room || !can_be_regrouped(plan.asked))
    return;
  const uint64_t bytes = plan.asked.count * gathered_bytes(plan);
  if (bytes < shape.least_bytes)
    return;
  const uint64_t tile = uint64_t{shape.threads} * shape.items;
  plan.regroup_bits = std::clamp(position_bits(bytes / shape.bucket_bytes), MIN_REGROUP_BITS, shape.max_bits);
  plan.tiles = static_cast<uint32_t>((plan.asked.count + tile - 1) / tile);
}

void plan_regrouped(cdp_payload_plan &plan, Room &room) {
  const uint64_t count = plan.asked.count;
  const uint64_t buckets = uint64_t{1} << plan.regroup_bits;
  plan.bucket_counts = room.take(buckets * (plan.tiles + 1), sizeof(uint32_t));
  if (gathers_keys(plan.asked))
    plan.regrouped_keys = room.take(count, cdp_engine_key_bytes(plan.asked.type));
  if (plan.asked.index_bytes != 0)
    plan.first_indices = room.take(count, sizeof(uint32_t));
  for (uint32_t column = 0; column < plan.asked.column_count; column++)
    plan.regrouped_columns[column] = room.take(count, plan.asked.columns[column].value_bytes);
}

/* ---- Keys of 8 bytes --------------------------------------------------------------------------------------------------- */

/* Rounds until nothing is left to show. The first one's window leaves as many bits as a position has or, by pieces, as many as rounds show
   (learnt_bits_left()): with LEARNT_EXCESS_BITS more, what pieces have at least for their length takes no more than a quarter of all windows. */
uint32_t rounds_of(uint32_t low_bits, uint32_t number_bits) {
  const uint32_t left = std::max(low_bits + LEARNT_EXCESS_BITS, LEARNT_BITS_LEFT);
  const uint32_t shown = 64 - low_bits - number_bits;
  return 1 + (left + shown - 1) / shown;
}

void plan_wide(const cdp_device_facts &facts, cdp_payload_plan &plan, Room &room) {
  const DeviceKind kind = static_cast<DeviceKind>(facts.device_kind);
  const uint64_t count = plan.asked.count;
  cdp_wide_plan &wide = plan.wide;
  wide.longest_run = wide_run_items(kind);
  wide.tile_items = wide_tile_items(kind);
  wide.tile_shared_bytes = for_kind(kind, [](auto constant) {
    constexpr DeviceKind KIND = decltype(constant)::value;
    static_assert(sizeof(simulated::WideRoomsOf<KIND>) <= shared_bytes_of_blocks(KIND), "what a block may have");
    return static_cast<uint32_t>(sizeof(simulated::WideRoomsOf<KIND>));
  });
  wide.multiprocessors = facts.multiprocessors;
  wide.tiles = (count + wide.tile_items - 1) / wide.tile_items;
  const uint64_t part_items = std::max<uint64_t>((count - 1) / MAX_WIDE_PARTS + 1, MIN_WIDE_PART_ITEMS);
  wide.part_items = static_cast<uint32_t>((part_items + WARP_LANES - 1) / WARP_LANES * WARP_LANES);
  wide.parts = static_cast<uint32_t>((count - 1) / wide.part_items + 1);
  wide.most_long_runs = count / wide.longest_run;
  wide.rounds = count <= wide.longest_run ? 1 : rounds_of(plan.low_bits, position_bits(2 * wide.most_long_runs + 1));
  wide.part_counts = room.take(wide.parts, sizeof(uint32_t));
  wide.long_runs = room.take(wide.rounds * wide.most_long_runs, sizeof(simulated::LongRun));
  wide.rounds_told = room.take(1, wide.rounds * (sizeof(simulated::WideRound) + wide.tiles * sizeof(uint32_t)));
  wide.told_bytes = room.end - wide.long_runs;
}

/* ---- Few keys ---------------------------------------------------------------------------------------------------------- */

/* Where the items would be one block's, that block does all the rest, too. */
void plan_block(const cdp_device_facts &facts, cdp_payload_plan &plan) {
  const uint64_t count = plan.asked.count;
  if (count < 2 || plan.sort.path != CDP_PATH_ONE_BLOCK)
    return;
  const DeviceKind kind = static_cast<DeviceKind>(facts.device_kind);
  if (count > block_pairs_items(kind, cdp_engine_key_bytes(plan.asked.type)))
    return;
  constexpr uint32_t WARP_ITEMS = WARP_LANES * BLOCK_PAIRS_PER_THREAD;
  plan.block_threads = static_cast<uint32_t>((count + WARP_ITEMS - 1) / WARP_ITEMS * WARP_LANES);
  plan.block_shared_bytes = for_kind(kind, [](auto constant) {
    using BlockRoom = simulated::BlockPairsRoomOf<decltype(constant)::value>;
    static_assert(sizeof(BlockRoom) <= shared_bytes_of_blocks(decltype(constant)::value), "what a block may have");
    return static_cast<uint32_t>(sizeof(BlockRoom));
  });
}

/* ---- All of it --------------------------------------------------------------------------------------------------------- */

uint64_t window_table_bytes(bool is_simulated, uint64_t count) {
  if (count < least_learnt(is_simulated))
    return 0;
  return is_simulated ? sizeof(simulated::WindowTableOf<window_pieces(true)>)
                      : sizeof(simulated::WindowTableOf<window_pieces(false)>);
}

/* What is gathered lies where the sort has its workspace: the one is over when the other begins; so do the pieces that
   are written down while items are made. carried: bytes that carrying takes there and of the items. */
cdp_status plan_room(const cdp_device_facts &facts, uint64_t carried, cdp_payload_plan &plan) {
  const uint64_t count = plan.asked.count;
  const bool is_wide = cdp_engine_key_bytes(plan.asked.type) == 8;
  const bool is_simulated = facts.device_kind == static_cast<uint32_t>(DeviceKind::simulated);
  Room room;
  Room gathered;
  gathered.take(count, gathered_there(plan));
  room.take(count, sizeof(uint64_t));
  const uint64_t carried_there = carried > room.end ? carried - room.end : 0;
  const uint64_t found_pieces = is_wide || plan.regroup_bits != 0 ? count * sizeof(uint16_t) : 0;
  plan.shared = room.take(1, std::max({plan.sort.workspace_bytes, gathered.end, carried_there, found_pieces}));
  if (is_wide || plan.regroup_bits != 0)
    plan.window = room.take(1, CDP_WORKSPACE_ALIGNMENT + window_table_bytes(is_simulated, count));
  if (is_wide) {
    plan.origins = room.take(count, sizeof(uint32_t));
    plan.later_origins = room.take(count, sizeof(uint32_t));
    plan_wide(facts, plan, room);
  }
  // Indices alone leave the keys as they are, and have them sorted elsewhere.
  if (is_wide && plan.asked.index_bytes != 0)
    plan.sorted_keys = plan.carry.sorted_keys = room.take(count, sizeof(uint64_t));
  if (plan.regroup_bits != 0)
    plan_regrouped(plan, room);
  if (plan.carries)
    plan.carry.control = room.take(1, plan.carry.control_bytes);
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
  plan->position_bits = position_bits(request->count);
  plan->low_bits = plan->travels ? 32 : plan->position_bits;
  if (request->count >= 2) {
    const cdp_status status = cdp_engine_plan(&settings, CDP_U64, request->count, facts, is_captured, &plan->sort);
    if (status != CDP_OK)
      return status;
  }
  plan->sort.seed = settings.seed;
  plan->sort.is_captured = is_captured;
  plan_block(*facts, *plan);
  plan->carries = request->count >= 2 && carries(settings, *facts, *plan);
  plan_regrouping(*facts, *plan);
  uint64_t carried = 0;
  if (plan->carries)
    carried =
        cdp_engine_key_bytes(request->type) == 8 ? plan_carry<uint64_t>(*facts, *plan) : plan_carry<uint32_t>(*facts, *plan);
  return plan_room(*facts, carried, *plan);
}
