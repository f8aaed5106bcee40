/* SPDX-License-Identifier: MIT */
/*
 * Reckoning the capacities of a sort. Every number that shapes the recursion from the host side is named here, once, with its
 * meaning and its reason.
 */
#include "plan.h"

#include "status.h"

/*
 * Default depth limit: DEPTH_PER_LOG * ceil(log2(count)) + DEPTH_EXTRA.
 * With fair pivots a range is small enough after log2(count / block_items) partitions; twice log2(count) is introsort's
 * patience with unfair ones, and keeps the worst case at O(n log^2 n). The extra levels are for short arrays.
 */
#define DEPTH_PER_LOG 2u
#define DEPTH_EXTRA 8u

/* An option's depth limit above DEPTH_MOST_PER_LOG * ceil(log2(count)) counts as that: with keys in order and the first of them
 * for a pivot, each level takes away one key, and a limit of 10^6 would mean O(n^2). */
#define DEPTH_MOST_PER_LOG 4u

/*
 * The classic recursion: most leaves of a range that one block finishes by itself. More would keep some multiprocessors busy
 * after the others; fewer make more and smaller grids, each of which costs its launch: u32, 2^27 keys took 6.35, 5.99, 5.70,
 * 5.73 and 5.72 ms with 192, 256, 320, 384 and 496 (docs/performance.md).
 */
#define MAX_LEAVES_PER_BLOCK 320u

/*
 * Many children: the ranges that one block finishes should have so many items on average that a block has this many buckets to
 * a leaf left at least, but that every multiprocessor has BLOCKS_PER_MULTIPROCESSOR ranges; a quarter of a tile at least. u32,
 * 2^27 keys, with 2^17 and 2^18 items, which is 8 and 4 buckets to a leaf: counting took 0.33 and 0.28 ms, scattering 0.81 and
 * 0.71, finishing 1.89 and 1.87 (docs/performance.md).
 */
#define RANGE_LEAVES_FACTOR 2u
#define MIN_TILE_SHARE 4u

/* And no more than this share of what one block can sort, so that hardly a range is longer. */
#define RANGE_SHARE_NUMERATOR 3u
#define RANGE_SHARE_DENOMINATOR 5u

/* The longest of those ranges, in averages: with a sample of 16 keys a bucket hardly one is longer. */
#define MAX_RANGE_AVERAGES 4u

/* Keys drawn for each bucket of a task. Its buckets must not be too long for one block: with 16 the standard deviation of their
 * sizes is a quarter of the mean. u32, 2^27 keys: 3.24 and 3.02 ms with 8 and 16 (docs/performance.md). */
#define TASK_OVERSAMPLING 16u

/* A task with many children has up to this many launches pending: its preparation, two stages, the grid for small children, the
 * one for equal keys; and with the controller two continuations. The look for disorder, within which the first task may come,
 * is one more, once in a sort: it is among the launches that are left (PENDING_SHARE_DENOMINATOR). */
#define LAUNCHES_PER_MULTIWAY_TASK 5u
#define LAUNCHES_PER_MULTIWAY_CONTROLLER_TASK 7u

/* Ranges for one block are no larger than would give every multiprocessor this many of them. With many children their number is
 * a power of two, so it is the power of two below: 2^24 keys of 32 bits took 531 us in 256 ranges, which 132 multiprocessors do
 * in two rounds, and 595 in 512 (docs/performance.md). */
#define BLOCKS_PER_MULTIPROCESSOR 2u

/*
 * Short arrays (device/recursion/short_array.cuh): the buckets that they are divided into, a block each, as measured on an H200
 * with 32-bit keys.
 *
 * SHORT_TILE_SHARE_HALF   for arrays of up to this share of a tile to a bucket, half as many buckets as there are
 *                         multiprocessors: 2^16 keys took 39.4 us with 64 buckets, 42.1 with 128.
 * MAX_SHORT_TILE_SHARE   the most that a bucket has on average, with a sample of MAX_SHORT_OVERSAMPLING keys to a bucket; a
 *                         block holds a tile. More buckets than multiprocessors come after each other: 2^20 keys took 75 us
 *                         with 128, 85 to 92 with 256.
 * SHORT_TILE_SHARE        the same with a smaller sample, SHORT_OVERSAMPLING or what there is room for, but no less than
 *                         MIN_SHORT_OVERSAMPLING: by reckoning one bucket in 10^7 does not fit a block then.
 */
#define SHORT_TILE_SHARE_HALF 16u
#define MAX_SHORT_TILE_SHARE 2u
#define SHORT_TILE_SHARE 4u
#define MAX_SHORT_OVERSAMPLING 32u
#define SHORT_OVERSAMPLING 16u
#define MIN_SHORT_OVERSAMPLING 8u

/* A depth at which buckets are still sorted and not left to the bitonic network. */
#define MIN_SHORT_DEPTH_LIMIT 2u

/*
 * Room for tasks with many children: MULTIWAY_TASKS_PER_BLOCK for every block_items items, and some for short arrays.
 *
 * Each has a set table, of 12 KB for 1,024 children and keys of 4 bytes, so that small ranges for one block would ask for many
 * times the keys: 26 GB with 32 items for 2^27 keys of 32 bits. So the tables have a share of the keys' bytes and some more, or
 * what they have with default options, where that is more. Tasks beyond that are sorted by the block at hand.
 */
#define MULTIWAY_TASKS_PER_BLOCK 2u
#define EXTRA_MULTIWAY_TASKS 8u
#define TASK_TABLES_SHARE 64u
#define EXTRA_TASK_TABLE_BYTES (16u << 20)

/* Room for their ranges: LISTED_PER_BLOCK for each of average length, and some full splitter_sets more. */
#define EXTRA_MULTIWAY_RANGES 4096u

/* Room for collected ranges: this many for every block_items items, and some more for short arrays. */
#define LISTED_PER_BLOCK 4u
#define EXTRA_LISTED 1024u

/*
 * The most tasks and collected ranges there is room for, whatever the count: where they are full, the block at hand sorts the
 * range.
 *
 * MAX_WORKLIST_CAPACITY  one grid sorts them, a block each: as many as a grid may have.
 * MAX_TASK_CAPACITY       the blocks of a level of the host loop, one for each and one for each tile of CDP_COUNT_MAX keys, can
 *                          be counted in 32 bits.
 */
#define MAX_WORKLIST_CAPACITY 0x7FFFFFFFu
#define MAX_TASK_CAPACITY (1u << 30)

/*
 * Tasks started in one batch. CUDA refuses device launches past its pending-launch limit, which the library never raises: 2,048
 * by default, and told by the device. A launch is pending until all its descendants are complete, so that it is the launches of
 * a whole batch that count, not those running (docs/performance.md). A task of the last-block scheme is one launch, one of the
 * controller scheme is up to three (controller, workers, continuation). A sort's batches have this share of the limit: the rest is
 * for the batches themselves, for the look for disorder, and for other sorts on the device at the same time, with which it is
 * shared. What is refused all the same is sorted another way.
 */
#define PENDING_SHARE_DENOMINATOR 4u
#define LAUNCHES_PER_CONTROLLER_TASK 3u

static _Thread_local cdp_plan_limits test_limits;

void cdp_plan_limit(const cdp_plan_limits *limits) {
  test_limits = limits ? *limits : (cdp_plan_limits){0};
}

static uint64_t lesser(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t greater(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* 0 is no cap. */
static uint64_t capped(uint64_t value, uint32_t cap) {
  return cap != 0 ? lesser(value, cap) : value;
}

/* The greatest power of two that is no greater; 1 for 0. */
static uint32_t power_of_two_below(uint32_t value) {
  uint32_t power = 1;
  while (power <= value / 2)
    power *= 2;
  return power;
}

/* The least depth at which 2^depth >= count. */
static uint32_t ceil_log2(uint64_t count) {
  uint32_t depth = 0;
  for (uint64_t rest = count - 1; rest != 0; rest >>= 1)
    depth++;
  return depth;
}

static uint32_t plan_depth_limit(uint32_t option, uint64_t count) {
  if (option == CDP_DEPTH_NONE)
    return 0;
  const uint32_t log = ceil_log2(count);
  return option != 0 ? (uint32_t)lesser(option, DEPTH_MOST_PER_LOG * log) : DEPTH_PER_LOG * log + DEPTH_EXTRA;
}

static uint32_t plan_block_items(const cdp_request *request, uint32_t option, const cdp_device_facts *facts) {
  cdp_multiway_facts set;
  cdp_engine_multiway_facts(facts->device_kind, request->type, &set);
  const uint64_t blocks = (uint64_t)BLOCKS_PER_MULTIPROCESSOR * (facts->multiprocessors > 0 ? facts->multiprocessors : 1);
  const uint64_t leaves = (uint64_t)MAX_LEAVES_PER_BLOCK * request->leaf_items;
  const uint64_t wanted = option != 0 ? option : lesser(request->count / blocks, leaves);
  // The cast is exact: one block sorts no more than max_range_items.
  return (uint32_t)greater(lesser(wanted, set.max_range_items), request->leaf_items);
}

/* With many children, what the ranges that one block finishes have on average and at most. Both are at most max_range_items,
   which has 32 bits. block_items: the option. */
typedef struct multiway_ranges {
  uint64_t average;
  uint64_t most;
} multiway_ranges;

static multiway_ranges reckon_multiway_ranges(const cdp_request *request, uint32_t block_items, uint32_t leaf_items) {
  cdp_multiway_facts set;
  cdp_engine_multiway_facts(request->device_kind, request->type, &set);
  const uint64_t blocks = power_of_two_below(BLOCKS_PER_MULTIPROCESSOR * request->multiprocessors);
  const uint64_t divisible = (uint64_t)RANGE_LEAVES_FACTOR * set.leaf_buckets * leaf_items;
  const uint64_t share = greater(request->count / blocks, set.tile_items / MIN_TILE_SHARE);
  const uint64_t wanted = block_items != 0 ? greater(block_items, leaf_items) : lesser(share, divisible);
  const uint64_t average = lesser(wanted, set.max_range_items / RANGE_SHARE_DENOMINATOR * RANGE_SHARE_NUMERATOR);
  const uint64_t most = greater(MAX_RANGE_AVERAGES * average, leaf_items);
  return (multiway_ranges){average, lesser(most, set.max_range_items)};
}

/* Those, and which arrays are the root's block's own. */
static void plan_multiway(cdp_request *request, const cdp_settings *settings) {
  cdp_multiway_facts set;
  cdp_engine_multiway_facts(request->device_kind, request->type, &set);
  const multiway_ranges ranges = reckon_multiway_ranges(request, settings->block_items, request->leaf_items);
  request->target_range_items = (uint32_t)ranges.average;
  request->block_items = (uint32_t)ranges.most;
  request->single_items = (uint32_t)lesser(settings->one_block_items, set.tile_items);
  request->oversampling = settings->oversampling != 0 ? settings->oversampling : TASK_OVERSAMPLING;
}

/* Buckets for a short array, or 0 if it is too long for that. */
static uint32_t short_fan_out(uint64_t count, const cdp_device_facts *facts, const cdp_multiway_facts *set) {
  const uint32_t batch = (uint32_t)greater(power_of_two_below(facts->multiprocessors), CDP_FAN_OUT_MIN);
  const uint32_t half = (uint32_t)greater(batch / 2, CDP_FAN_OUT_MIN);
  if (count <= (uint64_t)half * (set->tile_items / SHORT_TILE_SHARE_HALF))
    return half;
  for (uint32_t buckets = batch; buckets <= set->max_samples / MAX_SHORT_OVERSAMPLING; buckets *= 2)
    if (count <= (uint64_t)buckets * (set->tile_items / MAX_SHORT_TILE_SHARE))
      return buckets;
  for (uint32_t buckets = batch; buckets <= set->max_samples / MIN_SHORT_OVERSAMPLING; buckets *= 2)
    if (count <= (uint64_t)buckets * (set->tile_items / SHORT_TILE_SHARE))
      return buckets;
  return 0;
}

/*
 * Whether an array is sorted in two launches, and how. Not if the options ask about what it does without: the scheme of
 * launching tasks, the streams of their grids, the bitonic leaf, a set-out below its own.
 */
static void plan_short(cdp_request *request, const cdp_settings *settings, const cdp_device_facts *facts) {
  cdp_multiway_facts set;
  cdp_engine_multiway_facts(facts->device_kind, request->type, &set);
  if (request->count <= request->single_items || request->count > settings->short_items ||
      request->scheme != CDP_SCHEME_LAST_BLOCK || request->child_streams != CDP_STREAMS_FIRE_AND_FORGET ||
      settings->bitonic_leaf || request->depth_limit < MIN_SHORT_DEPTH_LIMIT)
    return;
  const uint32_t buckets =
      test_limits.short_fan_out != 0 ? test_limits.short_fan_out : short_fan_out(request->count, facts, &set);
  // One block of the first grid only launches, and has no tile.
  const bool few = request->count <= (uint64_t)set.short_tile_items * (greater(facts->multiprocessors, 2) - 1);
  const uint32_t tile_items = few ? set.short_tile_items : set.tile_items;
  // A thread looks up each tile; the first may begin before the array.
  if (buckets == 0 || buckets > request->fan_out || request->count / tile_items + 2 > set.block_threads)
    return;
  const bool large = request->count > (uint64_t)buckets * (set.tile_items / SHORT_TILE_SHARE);
  request->short_fan_out = buckets;
  const uint32_t wanted = large ? MAX_SHORT_OVERSAMPLING : SHORT_OVERSAMPLING;
  request->short_oversampling =
      (uint32_t)lesser(settings->oversampling != 0 ? settings->oversampling : wanted, set.max_samples / buckets);
  request->short_tile_items = tile_items;
}

static uint32_t pending_limit_min(const cdp_device_facts *facts) {
  return test_limits.pending_limit_min != 0 ? test_limits.pending_limit_min : facts->pending_limit_min;
}

/* Under too low a limit nothing is launched from the device: the host launches, unless one block sorts it all. */
static void plan_scheme(cdp_request *request, const cdp_device_facts *facts) {
  if (request->count > request->single_items && facts->pending_limit < pending_limit_min(facts))
    request->scheme = CDP_SCHEME_HOST;
}

cdp_status cdp_plan_check_launch(const cdp_plan *plan, const cdp_device_facts *facts) {
  if (plan->request.scheme != CDP_SCHEME_HOST)
    return CDP_OK;
  return cdp_fail(CDP_ERROR_UNSUPPORTED, 0,
                  "the device's limit of pending launches is %u, but sorts that launch from the device need %u, lest CUDA lose "
                  "some of their grids: set cudaLimitDevRuntimePendingLaunchCount back (to 2048, its default) before the first "
                  "kernel, or call cdp_quicksort(), which launches from the host then",
                  facts->pending_limit, pending_limit_min(facts));
}

static uint32_t launches_per_task(const cdp_request *request) {
  if (request->fan_out == CDP_FAN_OUT_CLASSIC)
    return request->scheme == CDP_SCHEME_CONTROLLER ? LAUNCHES_PER_CONTROLLER_TASK : 1;
  return request->scheme == CDP_SCHEME_CONTROLLER ? LAUNCHES_PER_MULTIWAY_CONTROLLER_TASK : LAUNCHES_PER_MULTIWAY_TASK;
}

/* Launches from the host are not limited, and a level of the host loop holds all its tasks: nothing may be put off there. */
static uint32_t plan_task_budget(const cdp_request *request, uint32_t pending_limit) {
  if (request->scheme == CDP_SCHEME_HOST)
    return UINT32_MAX;
  const uint64_t tasks = pending_limit / PENDING_SHARE_DENOMINATOR / launches_per_task(request);
  const uint64_t budget = capped(tasks > 0 ? tasks : 1, test_limits.task_budget);
  return (uint32_t)budget;
}

/* Tasks with many children that there should be room for. */
static uint64_t multiway_tasks(uint64_t count, uint64_t block_items) {
  return MULTIWAY_TASKS_PER_BLOCK * (count / block_items) + EXTRA_MULTIWAY_TASKS;
}

/* And those there is room for. */
static uint64_t max_multiway_tasks(const cdp_request *request) {
  const uint64_t usual_items = reckon_multiway_ranges(request, 0, cdp_engine_max_leaf_items(request->type)).most;
  const uint64_t keys_bytes = request->count * cdp_engine_key_bytes(request->type);
  const uint64_t tables = (keys_bytes / TASK_TABLES_SHARE + EXTRA_TASK_TABLE_BYTES) / cdp_engine_task_table_bytes(request);
  const uint64_t most = greater(tables, multiway_tasks(request->count, usual_items));
  return lesser(multiway_tasks(request->count, request->block_items), most);
}

/*
 * Task slots: count / block_items + 1 always suffice. Only ranges of more than block_items items become tasks. Slots are
 * handed out once and never returned; the first task among a task's children inherits its parent's slot. So the slots used
 * are 1 + the number of tasks with two tasks as children, which in a binary tree is the number of tasks without such
 * children. Those have disjoint ranges of more than block_items items each, hence there are at most count / block_items of
 * them; the 1 more is for the root of a short array.
 *
 * Collected ranges: a finished task adds at most two. With fair pivots tasks end at about half of block_items, so that there
 * are about 2 * count / block_items; twice that is room for unfair ones. When the list is full, a range is sorted by the
 * block that has it at hand.
 *
 * With many children a slot is its task's for good, since the set table is read as long as equal keys are written. Tasks with
 * fair splitters have children shorter than block_items, or tasks half as long as themselves at most.
 */
static void plan_capacities(cdp_request *request, uint32_t pending_limit) {
  const uint64_t blocks = request->count / request->block_items;
  const bool classic = request->fan_out == CDP_FAN_OUT_CLASSIC;
  const uint64_t tasks = lesser(classic ? blocks + 1 : max_multiway_tasks(request), MAX_TASK_CAPACITY);
  const uint64_t ranges = classic ? LISTED_PER_BLOCK * blocks + EXTRA_LISTED
                                  : LISTED_PER_BLOCK * (request->count / request->target_range_items) + EXTRA_MULTIWAY_RANGES;
  const uint64_t collected = lesser(ranges, MAX_WORKLIST_CAPACITY);
  request->task_capacity = (uint32_t)capped(tasks, test_limits.task_capacity);
  request->worklist_capacity = (uint32_t)capped(collected, test_limits.worklist_capacity);
  request->task_budget = plan_task_budget(request, pending_limit);
  request->task_launches = launches_per_task(request);
  request->launch_share = pending_limit / PENDING_SHARE_DENOMINATOR;
  if (request->scheme == CDP_SCHEME_HOST)
    request->block_map_capacity = (uint32_t)cdp_engine_max_level_blocks(request); // exact: see MAX_TASK_CAPACITY
}

/* Each sum is checked: the keys, rounded up, and the workspace must fit into one allocation. */
cdp_status cdp_room_reckon(uint64_t count, cdp_type type, uint64_t workspace_bytes, cdp_room *room) {
  const uint64_t most = PTRDIFF_MAX;
  const uint64_t key_bytes = cdp_engine_key_bytes(type);
  const uint64_t mask = CDP_WORKSPACE_ALIGNMENT - 1;
  if (count <= (most - mask) / key_bytes) {
    const uint64_t keys = count * key_bytes;
    const uint64_t keys_room = (keys + mask) & ~mask;
    if (workspace_bytes <= most && keys_room <= most - workspace_bytes) {
      *room = (cdp_room){(size_t)keys, (size_t)keys_room, (size_t)workspace_bytes};
      return CDP_OK;
    }
  }
  return cdp_fail(CDP_ERROR_SIZE, 0,
                  "count is %llu: such keys and their workspace cannot be addressed; give fewer keys at a time",
                  (unsigned long long)count);
}

cdp_status cdp_plan_make(const cdp_settings *settings, cdp_type type, size_t count, const cdp_device_facts *facts,
                         cdp_plan *plan) {
  *plan = (cdp_plan){.request = {
                         .count = count,
                         .type = type,
                         .order = settings->order,
                         .depth_limit = plan_depth_limit(settings->depth_limit, count),
                         .leaf_items = settings->leaf_items,
                         .device_kind = facts->device_kind,
                         .fan_out = settings->fan_out,
                         .scheme = settings->scheme,
                         .child_streams = settings->child_streams,
                         .pivot = settings->pivot,
                         .seed = settings->seed,
                         .multiprocessors = facts->multiprocessors,
                     }};
  if (settings->fan_out == CDP_FAN_OUT_CLASSIC) {
    plan->request.block_items = plan_block_items(&plan->request, settings->block_items, facts);
    plan->request.single_items = plan->request.block_items;
    plan_scheme(&plan->request, facts);
  } else {
    plan_multiway(&plan->request, settings);
    plan_scheme(&plan->request, facts);
    plan_short(&plan->request, settings, facts);
  }
  plan_capacities(&plan->request, facts->pending_limit);
  return cdp_room_reckon(count, type, cdp_engine_workspace_bytes(&plan->request), &plan->room);
}
