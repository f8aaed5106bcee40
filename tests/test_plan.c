/* SPDX-License-Identifier: MIT */
/*
 * The plan of a sort: its numbers against their documented meaning, the proof that task slots suffice against every way to
 * split a range, how large the workspace may be, and counts too large to be sorted. Linked with the static library.
 */
#include "run_suite.h"

#include "options.h"
#include "plan.h"

#include <stdio.h>
#include <string.h>

typedef struct plan_row {
  size_t count;
  cdp_type type;
  uint32_t leaf_items; /* 0: the default */
  cdp_scheme scheme;
  uint32_t multiprocessors;
} plan_row;

/* Of the device that plans are made for. */
static uint32_t pending_limit = 2048;

/* DeviceKind of device/tuning.h, which is not for C: simulated, plain, and large, which an H200 is. */
#define FAN_KINDS 3u
#define FAN_KIND_SIMULATED 0u
#define FAN_KIND_PLAIN 1u
#define FAN_KIND_H200 2u

/* Of the plans. Tests that look at both kinds run twice: with two children to a task, then with the most. */
static uint32_t fan_out;

static void set_fan_out(bool many) {
  fan_out = many ? CDP_FAN_OUT_MAX : CDP_FAN_OUT_CLASSIC;
}

/* Ranges for a block as small as they can be. */
static const cdp_tuning small_ranges = {.size = sizeof small_ranges, .block_items = CDP_LEAF_MIN};

static cdp_status try_plan(const plan_row *row, uint32_t depth_limit, cdp_plan *plan) {
  cdp_options options = CDP_OPTIONS_INIT;
  cdp_settings settings;
  options.leaf_items = row->leaf_items;
  options.scheme = row->scheme;
  options.depth_limit = depth_limit;
  options.fan_out = fan_out;
  ck_assert_int_eq(cdp_options_resolve(&options, row->type, &settings), CDP_OK);
  const cdp_device_facts facts = {
      .device_kind = FAN_KIND_H200, .multiprocessors = row->multiprocessors, .pending_limit = pending_limit};
  return cdp_plan_make(&settings, row->type, row->count, &facts, plan);
}

static void make_plan(const plan_row *row, cdp_plan *plan) {
  const cdp_status status = try_plan(row, 0, plan);
  ck_assert_msg(status == CDP_OK, "%zu keys: %s", row->count, cdp_last_message());
}

/* ---- Numbers --------------------------------------------------------------------------------------------------- */

static const plan_row ordinary[] = {
    {2, CDP_U32, 0, CDP_SCHEME_LAST_BLOCK, 132},
    {2, CDP_F64, 32, CDP_SCHEME_HOST, 1},
    {33, CDP_U32, 32, CDP_SCHEME_LAST_BLOCK, 4},
    {4097, CDP_U32, 0, CDP_SCHEME_LAST_BLOCK, 4},
    {20000, CDP_U64, 32, CDP_SCHEME_CONTROLLER, 4},
    {1000000, CDP_U32, 0, CDP_SCHEME_LAST_BLOCK, 132},
    {1000000, CDP_U32, 32, CDP_SCHEME_HOST, 132},
    {(size_t)1 << 27, CDP_U32, 0, CDP_SCHEME_LAST_BLOCK, 132},
    {(size_t)1 << 27, CDP_U32, 32, CDP_SCHEME_CONTROLLER, 132},
    {(size_t)1 << 27, CDP_U64, 0, CDP_SCHEME_HOST, 132},
    {((size_t)1 << 32) + 7, CDP_U32, 0, CDP_SCHEME_CONTROLLER, 132},
    {(size_t)1 << 33, CDP_F64, CDP_LEAF_MAX_8_BYTES, CDP_SCHEME_LAST_BLOCK, 1},
};
#define ORDINARY ((int)(sizeof ordinary / sizeof *ordinary))

static const plan_row *ordinary_row(int index) {
  set_fan_out(index >= ORDINARY);
  return &ordinary[index % ORDINARY];
}

START_TEST(block_ranges_are_within_their_bounds) {
  const plan_row *row = ordinary_row(_i);
  cdp_plan plan;
  make_plan(row, &plan);
  const cdp_request *request = &plan.request;
  ck_assert_uint_eq(request->fan_out, fan_out);
  ck_assert_uint_ge(request->block_items, request->leaf_items);
  if (fan_out == CDP_FAN_OUT_CLASSIC) {
    ck_assert_uint_le(request->block_items, 320 * request->leaf_items);
    if (request->block_items > request->leaf_items)
      ck_assert_uint_ge(row->count / request->block_items, row->multiprocessors);
    ck_assert_uint_eq(request->single_items, request->block_items);
    return;
  }
  cdp_multiway_facts fan;
  cdp_engine_multiway_facts(FAN_KIND_H200, row->type, &fan);
  ck_assert_uint_eq(request->single_items, fan.tile_items);
  ck_assert_uint_le(request->block_items, fan.max_range_items);
  ck_assert_uint_ge(request->target_range_items, 1);
  ck_assert_uint_le(request->target_range_items, request->block_items);
  // On average a block can divide its range into leaves, and there are ranges for all multiprocessors.
  ck_assert_uint_le(request->target_range_items, 2 * fan.leaf_buckets * request->leaf_items);
  if (request->target_range_items > fan.tile_items / 4)
    ck_assert_uint_ge(row->count / request->target_range_items, row->multiprocessors);
}
END_TEST

START_TEST(capacities_are_enough) {
  const plan_row *row = ordinary_row(_i);
  cdp_plan plan;
  make_plan(row, &plan);
  const cdp_request *request = &plan.request;
  const bool classic = fan_out == CDP_FAN_OUT_CLASSIC;
  const uint64_t range_items = classic ? request->block_items : request->target_range_items;
  const uint64_t blocks = row->count / request->block_items + 1;
  const uint64_t tables_bytes = row->count * cdp_engine_key_bytes(row->type) / 64 + (16u << 20);
  if (classic || blocks * cdp_engine_task_table_bytes(request) <= tables_bytes)
    ck_assert_uint_ge(request->task_capacity, blocks);
  ck_assert_uint_ge(request->worklist_capacity, 2 * (row->count / range_items) + (classic ? 2 : fan_out));
  ck_assert_uint_ge(request->task_budget, 1);
  if (row->scheme == CDP_SCHEME_HOST)
    ck_assert_uint_ge(request->block_map_capacity, cdp_engine_max_level_blocks(request));
  else
    ck_assert_uint_eq(request->block_map_capacity, 0);
}
END_TEST

/* Launches that a task has pending at once, at most. */
static uint32_t launches_of_task(cdp_scheme scheme) {
  if (fan_out == CDP_FAN_OUT_CLASSIC)
    return scheme == CDP_SCHEME_CONTROLLER ? 3 : 1;
  return scheme == CDP_SCHEME_CONTROLLER ? 7 : 5;
}

/* A quarter of the limit, and one task where that is not enough for it. */
START_TEST(budget_is_a_quarter_of_the_pending_limit) {
  const plan_row *row = ordinary_row(_i);
  cdp_plan plan;
  make_plan(row, &plan);
  if (row->scheme == CDP_SCHEME_HOST)
    return;
  const uint32_t launches = launches_of_task(row->scheme);
  static const uint32_t limits[] = {0, 1, 4, 27, 28, 32, 256, 1536, 2048, 4096, UINT32_MAX};
  for (size_t which = 0; which < sizeof limits / sizeof *limits; which++) {
    pending_limit = limits[which];
    make_plan(row, &plan);
    const uint64_t budget = plan.request.task_budget;
    ck_assert_uint_ge(budget, 1);
    ck_assert_uint_gt((budget + 1) * launches, pending_limit / 4);
    if (budget > 1)
      ck_assert_uint_le(budget * launches, pending_limit / 4);
  }
  pending_limit = 2048;
}
END_TEST

START_TEST(workspace_is_as_large_as_documented) {
  const plan_row *row = ordinary_row(_i);
  cdp_plan plan;
  make_plan(row, &plan);
  const uint64_t keys = (uint64_t)row->count * cdp_engine_key_bytes(row->type);
  ck_assert_uint_eq(plan.room.keys_bytes, keys);
  ck_assert_uint_eq(plan.room.keys_room_bytes % CDP_WORKSPACE_ALIGNMENT, 0);
  ck_assert_uint_ge(plan.room.keys_room_bytes, keys);
  ck_assert_uint_lt(plan.room.keys_room_bytes, keys + CDP_WORKSPACE_ALIGNMENT);
  ck_assert_uint_gt(plan.room.workspace_bytes, keys);
  ck_assert_uint_eq(plan.room.workspace_bytes, cdp_engine_workspace_bytes(&plan.request));
  const uint64_t more = plan.room.workspace_bytes - keys;
  if (fan_out != CDP_FAN_OUT_CLASSIC)
    ck_assert_uint_le(more, keys / (row->leaf_items != 0 ? 4 : 50) + (16u << 20));
  else if (row->leaf_items != 0)
    ck_assert_uint_le(more, keys / 50 + (1u << 20));
  else if (row->count <= (size_t)1 << 27)
    ck_assert_uint_lt(more, 1u << 20);
  else
    ck_assert_uint_lt(more, keys / 1000);
}
END_TEST

/* Counts from 2^10 to 2^32, and one to either side of each power. */
static size_t count_near(int index) {
  return ((size_t)1 << (10 + index / 3)) + (size_t)(index % 3) - 1;
}
#define COUNTS_NEAR (3 * 23)

/* A plan with the most children, on any kind of device. */
static void plan_fan_sort(const cdp_options *options, cdp_type type, size_t count, uint32_t device_kind, cdp_plan *plan) {
  const cdp_device_facts facts = {.device_kind = device_kind, .multiprocessors = 132, .pending_limit = 2048};
  cdp_settings settings;
  ck_assert_int_eq(cdp_options_resolve(options, type, &settings), CDP_OK);
  ck_assert_msg(cdp_plan_make(&settings, type, count, &facts, plan) == CDP_OK, "%zu keys: %s", count, cdp_last_message());
}

/* The share that fan tables have of the keys takes nothing from a sort with default options. _i: the count. */
START_TEST(default_options_have_all_the_room_they_ask_for) {
  const cdp_options options = CDP_OPTIONS_INIT;
  for (uint32_t kind = 0; kind < FAN_KINDS; kind++) {
    for (int type = CDP_U32; type <= CDP_F64; type++) {
      const size_t count = count_near(_i);
      cdp_plan plan;
      plan_fan_sort(&options, (cdp_type)type, count, kind, &plan);
      ck_assert_uint_eq(plan.request.task_capacity, 2 * (count / plan.request.block_items) + 8);
      ck_assert_uint_eq(plan.request.worklist_capacity, 4 * (count / plan.request.target_range_items) + 4096);
    }
  }
}
END_TEST

/* What the header says of the workspace, with default options and with the smallest ranges. _i: the count. */
START_TEST(workspace_is_as_large_as_documented_on_any_device) {
  static const uint64_t percent[FAN_KINDS] = {100, 15, 2};
  cdp_options small = CDP_OPTIONS_INIT;
  small.leaf_items = CDP_LEAF_MIN;
  small.tuning = &small_ranges;
  for (uint32_t kind = 0; kind < FAN_KINDS; kind++) {
    for (int type = CDP_U32; type <= CDP_F64; type++) {
      const size_t count = count_near(_i);
      const uint64_t keys = (uint64_t)count * cdp_engine_key_bytes((cdp_type)type);
      const cdp_options defaults = CDP_OPTIONS_INIT;
      cdp_plan plan;
      plan_fan_sort(&defaults, (cdp_type)type, count, kind, &plan);
      ck_assert_uint_le(plan.room.workspace_bytes - keys, keys * percent[kind] / 100 + (16u << 20));
      for (small.fan_out = CDP_FAN_OUT_MIN; small.fan_out <= CDP_FAN_OUT_MAX && kind != FAN_KIND_SIMULATED;
           small.fan_out *= 2) {
        plan_fan_sort(&small, (cdp_type)type, count, kind, &plan);
        ck_assert_uint_le(plan.room.workspace_bytes - keys, keys + (32u << 20));
        ck_assert_uint_ge(plan.request.task_capacity, 8);
      }
    }
  }
}
END_TEST

/* 2^27 keys of 32 bits in ranges of 32: as many fan tables as fit their share, and no 26 GB of them. */
START_TEST(small_ranges_do_not_ask_for_many_times_the_keys) {
  const size_t count = (size_t)1 << 27;
  const uint64_t share = count * 4 / 64 + (16u << 20);
  cdp_options options = CDP_OPTIONS_INIT;
  cdp_plan plan;
  options.leaf_items = CDP_LEAF_MIN;
  options.tuning = &small_ranges;
  plan_fan_sort(&options, CDP_U32, count, FAN_KIND_H200, &plan);
  const uint64_t table_bytes = cdp_engine_task_table_bytes(&plan.request);
  ck_assert_uint_eq(table_bytes, 16 + 1024 * 4 + 1024 * 8);
  ck_assert_uint_le(plan.request.task_capacity * table_bytes, share);
  ck_assert_uint_gt((plan.request.task_capacity + 1) * table_bytes, share);
}
END_TEST

typedef struct depth_row {
  size_t count;
  uint32_t option;
  uint32_t limit;
} depth_row;

static const depth_row depths[] = {
    {2, 0, 2 * 1 + 8},
    {3, 0, 2 * 2 + 8},
    {4, 0, 2 * 2 + 8},
    {5, 0, 2 * 3 + 8},
    {1024, 0, 2 * 10 + 8},
    {1025, 0, 2 * 11 + 8},
    {(size_t)1 << 33, 0, 74},
    {1000, 1, 1},
    {1000, CDP_DEPTH_NONE, 0},
    {1000, 39, 39},
    {1000, 40, 40},
    {1000, 41, 40},
    {1024, CDP_DEPTH_MAX, 40},
    {1025, CDP_DEPTH_MAX, 44},
    {2, CDP_DEPTH_MAX, 4},
    {2, 3, 3},
    {CDP_COUNT_MAX, CDP_DEPTH_MAX, 160},
    {CDP_COUNT_MAX, 0, 88},
};

START_TEST(depth_limit_is_as_documented) {
  const depth_row *row = &depths[_i];
  const plan_row sort = {row->count, CDP_U32, 0, CDP_SCHEME_LAST_BLOCK, 132};
  cdp_plan plan;
  ck_assert_int_eq(try_plan(&sort, row->option, &plan), CDP_OK);
  ck_assert_uint_eq(plan.request.depth_limit, row->limit);
}
END_TEST

START_TEST(same_arguments_give_the_same_plan) {
  const plan_row *row = ordinary_row(_i);
  cdp_plan first, second;
  memset(&first, 0x11, sizeof first);
  memset(&second, 0xEE, sizeof second);
  make_plan(row, &first);
  make_plan(row, &second);
  ck_assert_uint_eq(first.room.workspace_bytes, second.room.workspace_bytes);
  ck_assert_uint_eq(first.request.task_capacity, second.request.task_capacity);
  ck_assert_uint_eq(first.request.worklist_capacity, second.request.worklist_capacity);
  ck_assert_uint_eq(first.request.block_items, second.request.block_items);
  ck_assert_uint_eq(first.request.target_range_items, second.request.target_range_items);
}
END_TEST

/* ---- A pending-launch limit that is too low -------------------------------------------------------------------- */

static void plan_under_limit(size_t count, uint32_t limit, cdp_scheme scheme, cdp_plan *plan, cdp_device_facts *facts) {
  cdp_options options = CDP_OPTIONS_INIT;
  cdp_settings settings;
  options.scheme = scheme;
  options.fan_out = fan_out;
  *facts = (cdp_device_facts){
      .device_kind = FAN_KIND_H200, .multiprocessors = 132, .pending_limit = limit, .pending_limit_min = 1536};
  ck_assert_int_eq(cdp_options_resolve(&options, CDP_U32, &settings), CDP_OK);
  ck_assert_int_eq(cdp_plan_make(&settings, CDP_U32, count, facts, plan), CDP_OK);
}

/* The host launches what would have launched from the device, and nothing else changes its scheme. _i: fan-out, scheme. */
START_TEST(too_low_a_limit_leaves_launching_to_the_host) {
  static const size_t counts[] = {2, 1000, 16384, 16385, 100000, (size_t)1 << 24};
  const cdp_scheme scheme = (cdp_scheme)(CDP_SCHEME_LAST_BLOCK + _i / 2);
  set_fan_out(_i % 2 != 0);
  for (size_t which = 0; which < sizeof counts / sizeof *counts; which++) {
    cdp_plan plan;
    cdp_device_facts facts;
    plan_under_limit(counts[which], 1536, scheme, &plan, &facts);
    ck_assert_int_eq(plan.request.scheme, scheme);
    ck_assert_int_eq(cdp_plan_check_launch(&plan, &facts), scheme == CDP_SCHEME_HOST ? CDP_ERROR_UNSUPPORTED : CDP_OK);
    const bool one_block = counts[which] <= plan.request.single_items;

    plan_under_limit(counts[which], 1535, scheme, &plan, &facts);
    const cdp_request *request = &plan.request;
    ck_assert_int_eq(request->scheme, one_block ? scheme : CDP_SCHEME_HOST);
    if (one_block)
      continue;
    ck_assert_uint_eq(request->short_fan_out, 0);
    ck_assert_uint_eq(request->task_budget, UINT32_MAX);
    ck_assert_uint_eq(request->block_map_capacity, cdp_engine_max_level_blocks(request));
    ck_assert_uint_eq(plan.room.workspace_bytes, cdp_engine_workspace_bytes(request));
    ck_assert_int_eq(cdp_plan_check_launch(&plan, &facts), CDP_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(cdp_last_message(), "pending launches is 1535"));
    ck_assert_ptr_nonnull(strstr(cdp_last_message(), "need 1536"));
    ck_assert_ptr_nonnull(strstr(cdp_last_message(), "cudaLimitDevRuntimePendingLaunchCount"));
  }
}
END_TEST

/* ---- The proof about task slots -------------------------------------------------------------------------------- */

#define PROOF_ITEMS 1500u

/*
 * Slots beyond the root's that a task of n items can make use of at most, over every way to split it: the pivot leaves, the
 * rest goes left and right; a child that is a task takes a slot unless it inherits its parent's.
 */
static void reckon_slots(uint32_t block_items, uint32_t *slots) {
  for (uint32_t items = 0; items <= PROOF_ITEMS; items++) {
    uint32_t most = 0;
    for (uint32_t left = 0; items > block_items && left < items; left++) {
      const uint32_t right = items - 1 - left;
      const uint32_t both = left > block_items && right > block_items ? 1 : 0;
      const uint32_t used = both + slots[left] + slots[right];
      most = used > most ? used : most;
    }
    slots[items] = most;
  }
}

START_TEST(no_split_runs_out_of_task_slots) {
  static uint32_t slots[PROOF_ITEMS + 1];
  const uint32_t leaf_items = 32;
  set_fan_out(false);
  reckon_slots(leaf_items, slots);
  uint32_t tight = 0;
  for (uint32_t items = leaf_items + 1; items <= PROOF_ITEMS; items++) {
    // So many multiprocessors leave block_items at its least, where most tasks are.
    const plan_row row = {items, CDP_U32, leaf_items, CDP_SCHEME_LAST_BLOCK, 132};
    cdp_plan plan;
    make_plan(&row, &plan);
    ck_assert_uint_eq(plan.request.block_items, leaf_items);
    ck_assert_msg(1 + slots[items] <= plan.request.task_capacity, "%u items: %u slots of %u", items, 1 + slots[items],
                  plan.request.task_capacity);
    tight += 2 + slots[items] >= plan.request.task_capacity ? 1 : 0;
  }
  ck_assert_uint_gt(tight, 0); // the bound is no looser than it need be
}
END_TEST

/* The blocks of a level: its tasks' tiles, rounded up for each task. */
START_TEST(level_has_room_for_the_blocks_of_any_tasks) {
  cdp_request request = {.count = 1u << 20,
                         .type = _i % 2 == 0 ? CDP_U32 : CDP_U64,
                         .fan_out = _i / 2 == 0 ? CDP_FAN_OUT_CLASSIC : CDP_FAN_OUT_MIN};
  const uint64_t whole = cdp_engine_max_level_blocks(&request);
  const uint64_t items_per_block = request.count / whole;
  for (request.task_capacity = 1; request.task_capacity <= 64; request.task_capacity++) {
    const uint64_t items = request.count / request.task_capacity;
    const uint64_t blocks = request.task_capacity * ((items + items_per_block - 1) / items_per_block);
    ck_assert_uint_le(blocks, cdp_engine_max_level_blocks(&request));
  }
}
END_TEST

/* ---- Limits of the tests --------------------------------------------------------------------------------------- */

START_TEST(caps_hold_until_they_are_lifted) {
  const plan_row row = {1000000, CDP_U32, 32, CDP_SCHEME_LAST_BLOCK, 4};
  const cdp_plan_limits limits = {.task_capacity = 8, .worklist_capacity = 5, .task_budget = 2};
  cdp_plan free_plan, capped, freed;
  set_fan_out(_i != 0);
  make_plan(&row, &free_plan);
  cdp_plan_limit(&limits);
  make_plan(&row, &capped);
  cdp_plan_limit(NULL);
  make_plan(&row, &freed);
  ck_assert_uint_eq(capped.request.task_capacity, 8);
  ck_assert_uint_eq(capped.request.worklist_capacity, 5);
  ck_assert_uint_eq(capped.request.task_budget, 2);
  ck_assert_uint_lt(capped.room.workspace_bytes, free_plan.room.workspace_bytes);
  ck_assert_uint_eq(freed.request.task_capacity, free_plan.request.task_capacity);
  ck_assert_uint_eq(freed.request.worklist_capacity, free_plan.request.worklist_capacity);
  ck_assert_uint_eq(freed.request.task_budget, free_plan.request.task_budget);
}
END_TEST

/* ---- Too many -------------------------------------------------------------------------------------------------- */

static const plan_row too_many[] = {
    {SIZE_MAX, CDP_U32, 0, CDP_SCHEME_LAST_BLOCK, 132},
    {SIZE_MAX, CDP_F64, 32, CDP_SCHEME_HOST, 132},
    {SIZE_MAX / 4 + 1, CDP_U32, 0, CDP_SCHEME_LAST_BLOCK, 132},
    {PTRDIFF_MAX / 2 / 4, CDP_U32, 0, CDP_SCHEME_LAST_BLOCK, 132},
    {(size_t)1 << 52, CDP_U64, 0, CDP_SCHEME_HOST, 132},
    {(size_t)1 << 44, CDP_U32, 0, CDP_SCHEME_LAST_BLOCK, 132},
    {(size_t)CDP_COUNT_MAX + 1, CDP_U32, 32, CDP_SCHEME_CONTROLLER, 132},
};
#define TOO_MANY ((int)(sizeof too_many / sizeof *too_many))

START_TEST(calls_refuse_more_than_the_most) {
  const plan_row *row = &too_many[_i];
  const cdp_options options = {
      .size = sizeof options, .device = CDP_DEVICE_SIMULATED, .leaf_items = row->leaf_items, .scheme = row->scheme};
  uint64_t keys[] = {2, 1};
  size_t bytes = 77;
  ck_assert_int_eq(cdp_quicksort(keys, row->count, row->type, &options), CDP_ERROR_SIZE);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "CDP_COUNT_MAX (1099511627776)"));
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "fewer at a time"));
  ck_assert_uint_eq(keys[0], 2);
  if (row->scheme == CDP_SCHEME_HOST)
    return;
  ck_assert_int_eq(cdp_quicksort_workspace(row->count, row->type, &options, &bytes), CDP_ERROR_SIZE);
  ck_assert_uint_eq(bytes, 77);
}
END_TEST

/* As on a machine with a smaller size_t: the keys, or they and the workspace, are more than an address has bits for. */
START_TEST(refuses_what_cannot_be_addressed) {
  static const uint64_t counts[] = {UINT64_MAX, UINT64_MAX / 8, PTRDIFF_MAX / 8 + 1, PTRDIFF_MAX / 8 - 40, 1};
  static const uint64_t workspaces[] = {0, 0, 0, 1 << 20, UINT64_MAX};
  cdp_room room;
  ck_assert_int_eq(cdp_room_reckon(counts[_i], CDP_U64, workspaces[_i], &room), CDP_ERROR_SIZE);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "count is"));
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "fewer keys at a time"));
}
END_TEST

/* The most keys have a plan with any leaves, ranges and scheme: there is room for so many tasks and ranges, and no more.
   _i: kind of device, type, fan-out and scheme. */
START_TEST(the_most_keys_have_a_plan) {
  static const uint32_t fan_outs[] = {CDP_FAN_OUT_CLASSIC, CDP_FAN_OUT_MIN, CDP_FAN_OUT_MAX};
  const cdp_device_facts facts = {.device_kind = (uint32_t)_i % FAN_KINDS, .multiprocessors = 4, .pending_limit = 2048};
  const cdp_type type = _i / 3 % 2 == 0 ? CDP_U32 : CDP_F64;
  cdp_options options = CDP_OPTIONS_INIT;
  options.fan_out = fan_outs[_i / 6 % 3];
  options.scheme = (cdp_scheme)(CDP_SCHEME_LAST_BLOCK + _i / 18);
  for (int small = 0; small < 2; small++) {
    options.leaf_items = small != 0 ? CDP_LEAF_MIN : 0;
    options.tuning = small != 0 ? &small_ranges : NULL;
    cdp_settings settings;
    cdp_plan plan;
    ck_assert_int_eq(cdp_options_resolve(&options, type, &settings), CDP_OK);
    ck_assert_msg(cdp_plan_make(&settings, type, CDP_COUNT_MAX, &facts, &plan) == CDP_OK, "%s", cdp_last_message());
    ck_assert_uint_ge(plan.request.task_capacity, 8);
    ck_assert_uint_le(plan.request.task_capacity, 1u << 30);
    ck_assert_uint_ge(plan.request.worklist_capacity, 1024);
    ck_assert_uint_le(plan.request.worklist_capacity, INT32_MAX);
    const bool is_host_loop = options.scheme == CDP_SCHEME_HOST;
    ck_assert_uint_eq(plan.request.block_map_capacity, is_host_loop ? cdp_engine_max_level_blocks(&plan.request) : 0);
  }
}
END_TEST

static Suite *plan_suite(void) {
  Suite *suite = suite_create("plan");
  TCase *numbers = tcase_create("numbers");
  tcase_add_loop_test(numbers, block_ranges_are_within_their_bounds, 0, 2 * ORDINARY);
  tcase_add_loop_test(numbers, capacities_are_enough, 0, 2 * ORDINARY);
  tcase_add_loop_test(numbers, budget_is_a_quarter_of_the_pending_limit, 0, 2 * ORDINARY);
  tcase_add_loop_test(numbers, workspace_is_as_large_as_documented, 0, 2 * ORDINARY);
  tcase_add_loop_test(numbers, default_options_have_all_the_room_they_ask_for, 0, COUNTS_NEAR);
  tcase_add_loop_test(numbers, workspace_is_as_large_as_documented_on_any_device, 0, COUNTS_NEAR);
  tcase_add_test(numbers, small_ranges_do_not_ask_for_many_times_the_keys);
  tcase_add_loop_test(numbers, depth_limit_is_as_documented, 0, (int)(sizeof depths / sizeof *depths));
  tcase_add_loop_test(numbers, same_arguments_give_the_same_plan, 0, 2 * ORDINARY);
  tcase_add_loop_test(numbers, caps_hold_until_they_are_lifted, 0, 2);
  suite_add_tcase(suite, numbers);
  tcase_add_loop_test(numbers, too_low_a_limit_leaves_launching_to_the_host, 0, 6);
  TCase *proofs = tcase_create("proofs");
  tcase_set_timeout(proofs, TEST_SECONDS);
  tcase_add_test(proofs, no_split_runs_out_of_task_slots);
  tcase_add_loop_test(proofs, level_has_room_for_the_blocks_of_any_tasks, 0, 4);
  suite_add_tcase(suite, proofs);
  TCase *excess = tcase_create("too many");
  tcase_add_loop_test(excess, calls_refuse_more_than_the_most, 0, TOO_MANY);
  tcase_add_loop_test(excess, refuses_what_cannot_be_addressed, 0, 5);
  tcase_add_loop_test(excess, the_most_keys_have_a_plan, 0, 54);
  suite_add_tcase(suite, excess);
  return suite;
}

int main(void) {
  return run_suite(plan_suite());
}
