/* SPDX-License-Identifier: MIT */
/*
 * The plan of a sort (engine.h): settings, a count and a device become a path, a driver, every size and capacity, and the bytes
 * that all of it takes. Arithmetic alone, with the numbers of tuning.h; both runtimes' records have the same layout.
 */
#include "block/mapped_shape.cuh"
#include "engine.h"
#include "plan_limits.h"
#include "recursion/counted_workspace.h"
#include "recursion/workspace.cuh"

#include <algorithm>

namespace cdp {

namespace {

thread_local cdp_plan_limits limits;

/* 0 is no cap. */
uint64_t capped(uint64_t value, uint32_t cap) {
  return cap != 0 ? std::min<uint64_t>(value, cap) : value;
}

/* The least depth at which 2^depth >= count. */
uint32_t ceil_log2(uint64_t count) {
  uint32_t depth = 0;
  while (count > uint64_t{1} << depth)
    depth++;
  return depth;
}

/* What a plan is made of. */
struct Given {
  const cdp_settings &settings;
  const cdp_device_facts &facts;
  uint64_t count;
  uint32_t key_bytes;
  TuningRow row;
  MultiwayRow multiway;
  OnChipRow on_chip;
};

bool is_classic(const cdp_plan &plan) {
  return plan.fan_out == CDP_FAN_OUT_CLASSIC;
}

/* ---- Depths and ranges ------------------------------------------------------------------------------------------------- */

uint32_t usual_depth_limit(uint64_t count) {
  return DEPTH_PER_LOG * ceil_log2(count) + DEPTH_EXTRA;
}

uint32_t wanted_depth_limit(uint32_t option, uint64_t count) {
  if (option == CDP_DEPTH_NONE)
    return 0;
  return option != 0 ? std::min(option, MAX_DEPTH_PER_LOG * ceil_log2(count)) : usual_depth_limit(count);
}

/* The classic recursion: the longest range that one block finishes. */
uint32_t classic_block_items(const Given &given) {
  const cdp_settings &settings = given.settings;
  const uint64_t blocks = uint64_t{BLOCKS_PER_MULTIPROCESSOR} * std::max(given.facts.multiprocessors, 1u);
  const uint64_t leaves = uint64_t{MAX_LEAVES_PER_BLOCK} * settings.leaf_items;
  const uint64_t wanted = settings.block_items != 0 ? settings.block_items : std::min(given.count / blocks, leaves);
  return std::max(static_cast<uint32_t>(std::min<uint64_t>(wanted, max_range_items(given.multiway))), settings.leaf_items);
}

/* Many children: what the ranges that one block finishes have on average, and at most. */
struct RangeItems {
  uint32_t average;
  uint32_t most;
};

RangeItems multiway_range_items(const Given &given, uint32_t block_items, uint32_t leaf_items) {
  const uint32_t max_items = max_range_items(given.multiway);
  const uint64_t blocks = greatest_power_of_two(BLOCKS_PER_MULTIPROCESSOR * given.facts.multiprocessors);
  const uint64_t divisible = uint64_t{RANGE_LEAVES_FACTOR} * (MAX_BUCKETS / BUCKETS_PER_LEAF) * leaf_items;
  const uint64_t share = std::max<uint64_t>(given.count / blocks, multiway_tile_items(given.multiway) / MIN_TILE_SHARE);
  const uint64_t wanted = block_items != 0 ? std::max(block_items, leaf_items) : std::min(share, divisible);
  const uint64_t average = std::min<uint64_t>(wanted, max_items / RANGE_SHARE_DENOMINATOR * RANGE_SHARE_NUMERATOR);
  const uint64_t most = std::max<uint64_t>(MAX_RANGE_AVERAGES * average, leaf_items);
  return {static_cast<uint32_t>(average), static_cast<uint32_t>(std::min<uint64_t>(most, max_items))};
}

/* The longest part that a warp of a block sorts by itself. */
uint32_t piece_items(const cdp_plan &plan) {
  return std::max(std::min(plan.block_items / PIECES_PER_BLOCK, plan.leaf_items * WARP_LEAVES), plan.leaf_items);
}

/* How often an array is halved until its parts are no longer than so many items. */
uint32_t halvings(uint64_t count, uint32_t items) {
  return ceil_log2((count + items - 1) / items);
}

/* Two ways: where medians are the pivots, parts are all short at the same depth, or nearly; or as short as a set block_items. */
void plan_fair_depth(const Given &given, cdp_plan &plan) {
  const bool is_fair = plan.pivot == CDP_PIVOT_SAMPLED_MEDIAN && given.settings.block_items == 0;
  plan.fair_depth = is_fair ? halvings(plan.count, plan.block_items) : UINT32_MAX;
  plan.unfair_items = std::min(MAX_UNFAIR_SHARES * plan.block_items, max_range_items(given.multiway));
}

void plan_ranges(const Given &given, cdp_plan &plan) {
  const cdp_settings &settings = given.settings;
  plan.block_depth_limit = wanted_depth_limit(settings.depth_limit, given.count);
  plan.fan_out = settings.fan_out;
  plan.max_buckets = std::min(2 * settings.fan_out, MAX_BUCKETS);
  plan.leaf_items = settings.leaf_items;
  plan.bitonic_leaf = settings.bitonic_leaf;
  if (is_classic(plan)) {
    plan.block_items = classic_block_items(given);
    plan_fair_depth(given, plan);
    plan.one_block_items = plan.block_items;
  } else {
    const RangeItems items = multiway_range_items(given, settings.block_items, settings.leaf_items);
    plan.target_range_items = items.average;
    plan.block_items = items.most;
    plan.one_block_items = std::min(multiway_tile_items(given.multiway), settings.one_block_items);
    plan.oversampling = settings.oversampling != 0 ? settings.oversampling : TASK_OVERSAMPLING;
  }
  plan.piece_items = piece_items(plan);
  plan.long_items = plan.bitonic_leaf ? plan.leaf_items : LONG_BUCKET_LEAVES * plan.leaf_items;
  plan.merge_items = plan.bitonic_leaf ? 0 : given.multiway.block_threads * MERGED_ITEMS_PER_THREAD;
}

/* ---- Path and driver --------------------------------------------------------------------------------------------------- */

/* Buckets for a short array, or 0 if it is too long for that. */
uint32_t short_fan_out(const Given &given) {
  const uint64_t tile = multiway_tile_items(given.multiway);
  const uint64_t room = on_chip_block_items(given.multiway, given.on_chip);
  const uint32_t samples = max_samples(given.multiway);
  const uint32_t full = std::max(greatest_power_of_two(given.facts.multiprocessors), MIN_FAN_OUT);
  const uint32_t half = std::max(full / 2, MIN_FAN_OUT);
  if (limits.short_fan_out != 0)
    return limits.short_fan_out;
  if (given.count <= half * (tile / SHORT_TILE_SHARE_HALF))
    return half;
  for (uint32_t buckets = full; buckets <= samples / MAX_SHORT_OVERSAMPLING; buckets *= 2)
    if (given.count <= buckets * (room / MAX_SHORT_ROOM_SHARE))
      return buckets;
  for (uint32_t buckets = full; buckets <= samples / MIN_SHORT_OVERSAMPLING; buckets *= 2)
    if (given.count <= buckets * (room / SHORT_ROOM_SHARE))
      return buckets;
  return 0;
}

/* Blocks of the grid: one for each tile, but one for each multiprocessor at most; and one for each bucket. */
uint32_t short_blocks(const cdp_plan &plan) {
  const uint64_t tiles = (plan.count + plan.short_tile_items - 1) / plan.short_tile_items;
  return std::max(static_cast<uint32_t>(std::min<uint64_t>(tiles, plan.multiprocessors)), plan.short_fan_out);
}

/*
 * Plans an array longer than one block's as a short one, and returns true; or leaves the plan alone. Not if the settings ask
 * about what a short array does without: a scheme of launching tasks, their streams, smaller leaves, fewer buckets.
 */
bool plan_short(const Given &given, cdp_plan &plan) {
  const cdp_settings &settings = given.settings;
  if (given.count > settings.short_items || plan.scheme != CDP_SCHEME_LAST_BLOCK ||
      plan.child_streams != CDP_STREAMS_FIRE_AND_FORGET || plan.bitonic_leaf || plan.depth_limit < MIN_SHORT_DEPTH_LIMIT)
    return false;
  const uint32_t buckets = short_fan_out(given);
  const uint32_t large_tile = multiway_tile_items(given.multiway);
  const uint32_t small_tile = given.multiway.block_threads * SHORT_TILE_ITEMS;
  const bool is_small = given.count <= uint64_t{small_tile} * plan.multiprocessors;
  const uint32_t tile = is_small ? small_tile : large_tile;
  // A thread looks up each tile; the first may begin before the array.
  if (buckets == 0 || buckets > plan.fan_out || given.count / tile + 2 > given.multiway.block_threads)
    return false;
  const bool is_long =
      given.count > uint64_t{buckets} * (on_chip_block_items(given.multiway, given.on_chip) / SHORT_ROOM_SHARE);
  const uint32_t usual = is_long ? MAX_SHORT_OVERSAMPLING : SHORT_OVERSAMPLING;
  const uint32_t wanted = settings.oversampling != 0 ? settings.oversampling : usual;
  plan.short_fan_out = buckets;
  plan.short_oversampling = std::min(wanted, max_samples(given.multiway) / buckets);
  plan.short_tile_items = tile;
  plan.short_blocks = short_blocks(plan);
  return true;
}

/* Levels of tasks that the host launches: as many as splitters take that divide evenly, and spare ones. Two ways with pivots
   that are no medians: as many as the recursion may have. */
uint32_t host_levels(const Given &given, const cdp_plan &plan) {
  if (is_classic(plan)) {
    if (plan.pivot != CDP_PIVOT_SAMPLED_MEDIAN)
      return plan.block_depth_limit;
    return std::min(halvings(plan.count, plan.block_items) + SPARE_TWO_WAY_HOST_LEVELS, plan.block_depth_limit);
  }
  const uint64_t fan_out = std::min(plan.fan_out, max_fan_out(given.multiway));
  uint32_t levels = 1;
  for (uint64_t reach = fan_out * plan.target_range_items; reach < plan.count; reach *= fan_out)
    levels++;
  return std::min(levels + SPARE_HOST_LEVELS, plan.block_depth_limit);
}

/* The buckets that a map should make of the array, of so many sixteenths of a team's room each at most. */
uint64_t wanted_buckets(const Given &given, const cdp_plan &plan, uint32_t share) {
  const uint64_t room = on_chip_items(given.multiway, given.on_chip);
  return simulated::rounded_buckets(plan.count / (room * share / 16) + 1, uint64_t{plan.multiprocessors} * given.on_chip.teams);
}

/*
 * The most buckets that a map divides the array into, or 0 where there is to be no map: the settings ask for splitters, or the
 * array is short, or so long that buckets would not fit a block. Whoever launches, for a captured sort needs no more room.
 */
uint32_t map_buckets(const Given &given, const cdp_plan &plan) {
  const cdp_settings &settings = given.settings;
  const DeviceKind kind = static_cast<DeviceKind>(plan.device_kind);
  const OnChipRow &on_chip = given.on_chip;
  const uint64_t block_room = on_chip_block_items(given.multiway, on_chip);
  const uint64_t least_buckets = plan.count / (block_room * FULLEST_BUCKET_SHARE / 16) + 1;
  const uint64_t room = on_chip_items(given.multiway, on_chip);
  const bool at_once = plan.count / (room * FULLEST_BUCKET_SHARE / 16) < on_chip.max_buckets;
  const uint64_t most_buckets = at_once ? on_chip.max_buckets : most_map_buckets(kind, given.key_bytes);
  const uint64_t buckets = std::min<uint64_t>(wanted_buckets(given, plan, FREQUENT_BUCKET_SHARE), most_buckets);
  if (!settings.maps || settings.scheme == CDP_SCHEME_CONTROLLER || settings.child_streams != CDP_STREAMS_FIRE_AND_FORGET ||
      plan.block_depth_limit < MIN_MAP_DEPTH_LIMIT || least_buckets > most_buckets || plan.count > MAX_MAPPED_ITEMS)
    return 0;
  const bool may_be_short = plan.count <= settings.short_items && short_fan_out(given) != 0;
  const bool is_short = settings.short_is_set ? may_be_short : plan.count < min_mapped_items(kind, given.key_bytes);
  return is_short ? 0 : static_cast<uint32_t>(buckets);
}

/* The most buckets of a map that are too long for a team. */
uint64_t max_long_buckets(const Given &given, const cdp_plan &plan) {
  const uint64_t room = on_chip_items(given.multiway, given.on_chip);
  return plan.map_buckets == 0 ? 0 : std::min<uint64_t>(plan.count / room + 1, plan.map_buckets);
}

/* Whether kernels launch kernels, and in launch_share how many may be pending. */
bool launches_from_device(const Given &given, cdp_plan &plan) {
  if (plan.scheme == CDP_SCHEME_HOST || plan.is_captured || !given.facts.launches_from_device)
    return false;
  const uint32_t pending_limit = given.facts.pending_limit(given.facts.ordinal);
  const uint32_t pending_limit_min = limits.pending_limit_min != 0 ? limits.pending_limit_min : given.facts.pending_limit_min;
  plan.launch_share = pending_limit / PENDING_SHARE_DENOMINATOR;
  return pending_limit >= pending_limit_min;
}

/* The path, who launches, and how deep tasks go. */
void plan_path(const Given &given, cdp_plan &plan) {
  plan.scheme = given.settings.scheme;
  plan.child_streams = given.settings.child_streams;
  plan.depth_limit = plan.block_depth_limit;
  if (plan.count <= plan.one_block_items) {
    plan.path = CDP_PATH_ONE_BLOCK;
    plan.merges = !plan.bitonic_leaf && plan.depth_limit != 0;
    return;
  }
  plan.path = CDP_PATH_TASKS;
  plan.map_buckets = map_buckets(given, plan);
  plan.straight_buckets =
      static_cast<uint32_t>(std::min<uint64_t>(wanted_buckets(given, plan, STRAIGHT_BUCKET_SHARE), plan.map_buckets));
  if (!launches_from_device(given, plan)) {
    plan.scheme = CDP_SCHEME_HOST;
    plan.host_levels = host_levels(given, plan);
    plan.depth_limit = plan.host_levels;
  } else if (!is_classic(plan) && plan.map_buckets == 0 && plan_short(given, plan)) {
    plan.path = CDP_PATH_SHORT;
  }
}

/* ---- Launches ---------------------------------------------------------------------------------------------------------- */

/*
 * Whether there may be more tasks than a batch starts. A batch that may not be needed costs some 40 us; without it, one task
 * too many is a range for one block.
 *
 * Two ways, there are halves of halves down to fair_depth, and any number where no such depth is known. Many ways, a level's
 * tasks are disjoint and longer than block_items each, and few buckets are so long.
 */
bool may_defer(const cdp_plan &plan) {
  if (plan.path != CDP_PATH_TASKS || plan.scheme == CDP_SCHEME_HOST)
    return false;
  if (!is_classic(plan))
    return plan.count / plan.block_items / 2 + 1 > plan.task_budget;
  return plan.fair_depth == UINT32_MAX || uint64_t{1} << plan.fair_depth > plan.task_budget;
}

/* Launches from the host are not limited, and a level holds all its tasks: nothing may be put off there. */
void plan_launches(const Given &given, cdp_plan &plan) {
  plan.max_blocks = plan.multiprocessors * given.row.blocks_per_multiprocessor;
  const DeviceKind kind = static_cast<DeviceKind>(plan.device_kind);
  plan.multiway_tile_items = multiway_tile_items(given.multiway);
  plan.multiway_shared_bytes = given.key_bytes == 4 ? simulated::multiway_shared_bytes<uint32_t>(kind)
                                                    : simulated::multiway_shared_bytes<uint64_t>(kind);
  plan.map_shared_bytes =
      given.key_bytes == 4 ? simulated::fat_shared_bytes<uint32_t>(kind) : simulated::fat_shared_bytes<uint64_t>(kind);
  plan.short_shared_bytes =
      given.key_bytes == 4 ? simulated::short_shared_bytes<uint32_t>(kind) : simulated::short_shared_bytes<uint64_t>(kind);
  plan.task_launches = launches_per_task(is_classic(plan), plan.scheme == CDP_SCHEME_CONTROLLER);
  const uint32_t tasks = std::max(plan.launch_share / plan.task_launches, 1u);
  plan.task_budget = plan.scheme == CDP_SCHEME_HOST ? UINT32_MAX : static_cast<uint32_t>(capped(tasks, limits.task_budget));
  plan.may_defer = may_defer(plan);
  plan.counts_blocks = plan.path != CDP_PATH_ONE_BLOCK && !plan.may_defer;
}

/* ---- Room -------------------------------------------------------------------------------------------------------------- */

/* Tasks with many children that there should be room for. */
uint64_t multiway_tasks(uint64_t count, uint32_t block_items) {
  return MULTIWAY_TASKS_PER_BLOCK * (count / block_items) + EXTRA_MULTIWAY_TASKS;
}

/* Bytes of the set table of a task. */
uint64_t task_table_bytes(const Given &given, const cdp_plan &plan) {
  return sizeof(simulated::SplitterSet) + uint64_t{plan.fan_out} * given.key_bytes +
         plan.max_buckets * sizeof(unsigned long long);
}

/* And those there is room for. */
uint64_t max_multiway_tasks(const Given &given, const cdp_plan &plan) {
  const uint32_t usual_items = multiway_range_items(given, 0, leaf_items(given.row)).most;
  const uint64_t share = given.count * given.key_bytes / TASK_TABLES_SHARE + EXTRA_TASK_TABLE_BYTES;
  const uint64_t most = std::max(share / task_table_bytes(given, plan), multiway_tasks(given.count, usual_items));
  return std::min(multiway_tasks(given.count, plan.block_items), most);
}

/*
 * Task slots: count / block_items + 1 always suffice. Only ranges of more than block_items items become tasks. Slots are
 * handed out once and never returned; the first task among a task's children inherits its parent's slot. So the slots used
 * are 1 + the number of tasks with two tasks as children, which in a binary tree is the number of tasks without such
 * children. Those have disjoint ranges of more than block_items items each, hence there are at most count / block_items of
 * them; the 1 more is for the root of a short array.
 *
 * Listed ranges: a finished task adds at most two. With fair pivots tasks end at about half of block_items, so that there are
 * about 2 * count / block_items; twice that is room for unfair ones. When the list is full, a range is sorted by the block that
 * has it at hand.
 *
 * With many children a slot is its task's for good, since the set table is read as long as equal keys are written. Tasks with
 * fair splitters have children shorter than block_items, or tasks half as long as themselves at most.
 */
void plan_room(const Given &given, cdp_plan &plan) {
  uint64_t tasks = given.count / plan.block_items + 1;
  uint64_t ranges = LISTED_PER_BLOCK * (given.count / plan.block_items) + EXTRA_LISTED;
  const uint64_t long_buckets = max_long_buckets(given, plan);
  if (!is_classic(plan)) {
    tasks = max_multiway_tasks(given, plan);
    ranges = LISTED_PER_BLOCK * (given.count / plan.target_range_items) + EXTRA_MULTIWAY_LISTED + long_buckets;
  }
  plan.task_capacity = static_cast<uint32_t>(capped(std::min<uint64_t>(tasks, MAX_TASK_CAPACITY), limits.task_capacity));
  plan.worklist_capacity =
      static_cast<uint32_t>(capped(std::min<uint64_t>(ranges, MAX_WORKLIST_CAPACITY), limits.worklist_capacity));
  if (plan.worklist_capacity < long_buckets)
    plan.map_buckets = 0;
  plan.workspace_bytes = simulated::workspace_parts(plan).end;
}

/* Of narrow keys. Nothing that says how the recursion goes has a meaning here. The host launches, whatever the options say. */
void plan_counted(const cdp_settings &settings, const cdp_device_facts &facts, uint32_t key_bytes, cdp_plan &plan) {
  const uint32_t most = narrow_one_block_items(static_cast<DeviceKind>(facts.device_kind), key_bytes);
  plan.one_block_items = std::min(most, settings.one_block_items);
  plan.path = plan.count <= plan.one_block_items ? CDP_PATH_ONE_BLOCK : CDP_PATH_COUNTED;
  plan.scheme = CDP_SCHEME_HOST;
  plan.workspace_bytes = counted_parts(key_bytes).end;
}

} // namespace

} // namespace cdp

extern "C" void cdp_plan_limit(const cdp_plan_limits *limits) {
  cdp::limits = limits != nullptr ? *limits : cdp_plan_limits{};
}

extern "C" cdp_status cdp_engine_plan(const cdp_settings *settings, cdp_type type, uint64_t count,
                                      const cdp_device_facts *facts, bool is_captured, cdp_plan *plan) {
  using namespace cdp;
  if (count < 2 || count > CDP_COUNT_MAX)
    return CDP_ERROR_SIZE;
  const DeviceKind kind = static_cast<DeviceKind>(facts->device_kind);
  const uint32_t key_bytes = cdp_engine_key_bytes(type);
  *plan = {};
  plan->count = count;
  plan->type = type;
  plan->order = settings->order;
  plan->pivot = settings->pivot;
  plan->seed = settings->seed;
  plan->device_kind = facts->device_kind;
  plan->multiprocessors = facts->multiprocessors;
  plan->overlaps_grids = facts->overlaps_grids;
  plan->is_captured = is_captured;
  if (cdp_engine_is_counted(type)) {
    plan_counted(*settings, *facts, key_bytes, *plan);
    return CDP_OK;
  }
  const Given given = {*settings,
                       *facts,
                       count,
                       key_bytes,
                       tuning_row(kind == DeviceKind::simulated, key_bytes),
                       multiway_row(kind, key_bytes),
                       on_chip_row(kind, key_bytes)};
  plan_ranges(given, *plan);
  plan_path(given, *plan);
  plan_launches(given, *plan);
  plan_room(given, *plan);
  return CDP_OK;
}
