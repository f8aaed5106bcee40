/* SPDX-License-Identifier: MIT */
/*
 * The figures of a plan: its numbers against their documented meaning, the proof that task slots suffice against every way to
 * split a range, how large the workspace may be. Linked with the static library.
 */
#include <cdpsort/tuning.h>

#include "planned.h"

#include "memory.h"
#include "plan_limits.h"

typedef struct plan_row {
  size_t count;
  cdp_type type;
  uint32_t leaf_items; /* 0: the default */
  cdp_scheme scheme;
  uint32_t multiprocessors;
} plan_row;

/* Of the device that plans are made for. */
static uint32_t pending_limit = 2048;

/* Of the plans. Tests that look at both kinds run twice: with two children to a task, then with the most. */
static uint32_t fan_out;

static void set_fan_out(bool many) {
  fan_out = many ? CDP_FAN_OUT_MAX : CDP_FAN_OUT_CLASSIC;
}

/* Ranges for a block as small as they can be. */
static const cdp_tuning small_ranges = {.size = sizeof small_ranges, .block_items = CDP_LEAF_MIN};

static cdp_plan plan_of(const plan_row *row) {
  cdp_options options = CDP_OPTIONS_INIT;
  cdp_device_facts facts = planned_device(KIND_H200);
  options.leaf_items = row->leaf_items;
  options.scheme = row->scheme;
  options.fan_out = fan_out;
  facts.multiprocessors = row->multiprocessors;
  planned_limit = pending_limit;
  facts.pending_limit_min = 0;
  return planned(&options, row->type, row->count, &facts, false);
}

/* What an H200's blocks can do with keys of a type. */
static uint32_t tile_items_of(cdp_type type) {
  return cdp_engine_key_bytes(type) == 4 ? 16384 : 8192;
}

static uint32_t max_range_items_of(cdp_type type) {
  return cdp_engine_key_bytes(type) == 4 ? 31 * 16384 : 27 * 8192;
}

/* Bytes of the set table of a task: its head, splitters, and cursors for twice as many buckets, 1,024 at most. */
static uint64_t table_bytes_of(cdp_type type, uint32_t buckets) {
  return 16 + (uint64_t)buckets * cdp_engine_key_bytes(type) + 8 * (uint64_t)(buckets < 512 ? 2 * buckets : 1024);
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
  const cdp_plan plan = plan_of(row);
  ck_assert_uint_eq(plan.fan_out, fan_out);
  ck_assert_uint_ge(plan.block_items, plan.leaf_items);
  ck_assert_uint_ge(plan.piece_items, plan.leaf_items);
  ck_assert_uint_le(plan.piece_items, 16 * plan.leaf_items);
  if (fan_out == CDP_FAN_OUT_CLASSIC) {
    ck_assert_uint_le(plan.block_items, 320 * plan.leaf_items);
    if (plan.block_items > plan.leaf_items)
      ck_assert_uint_ge(row->count / plan.block_items, row->multiprocessors);
    ck_assert_uint_eq(plan.one_block_items, plan.block_items);
    return;
  }
  ck_assert_uint_eq(plan.one_block_items, tile_items_of(row->type));
  ck_assert_uint_le(plan.block_items, max_range_items_of(row->type));
  ck_assert_uint_ge(plan.target_range_items, 1);
  ck_assert_uint_le(plan.target_range_items, plan.block_items);
  // On average a block can divide its range into leaves, and there are ranges for all multiprocessors.
  ck_assert_uint_le(plan.target_range_items, 2 * 128 * plan.leaf_items);
  if (plan.target_range_items > tile_items_of(row->type) / 4)
    ck_assert_uint_ge(row->count / plan.target_range_items, row->multiprocessors);
}
END_TEST

/* A slot for each of the disjoint ranges that are tasks, or as many as their tables' share of the workspace holds; and room for
   all ranges that are listed, if they have the length that they shall have on average. */
START_TEST(capacities_are_enough) {
  const plan_row *row = ordinary_row(_i);
  const cdp_plan plan = plan_of(row);
  const bool classic = fan_out == CDP_FAN_OUT_CLASSIC;
  const uint64_t tasks = row->count / ((uint64_t)plan.block_items + 1) + 1;
  const uint64_t share = row->count * cdp_engine_key_bytes(row->type) / 64 + (16u << 20);
  const uint64_t table_bytes = classic ? 0 : table_bytes_of(row->type, fan_out);
  ck_assert_msg(plan.task_capacity >= tasks || (plan.task_capacity + 1) * table_bytes > share, "%u slots for %llu tasks",
                plan.task_capacity, (unsigned long long)tasks);
  ck_assert_uint_ge(plan.worklist_capacity, 1 + row->count / (classic ? plan.block_items : plan.target_range_items));
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
  if (row->scheme == CDP_SCHEME_HOST)
    return;
  const uint32_t launches = launches_of_task(row->scheme);
  static const uint32_t limits[] = {0, 1, 4, 27, 28, 32, 256, 1536, 2048, 4096, UINT32_MAX};
  for (size_t which = 0; which < sizeof limits / sizeof *limits; which++) {
    pending_limit = limits[which];
    const cdp_plan plan = plan_of(row);
    const uint64_t budget = plan.task_budget;
    if (plan.path == CDP_PATH_ONE_BLOCK)
      return; // which has no tasks
    ck_assert_uint_ge(budget, 1);
    ck_assert_uint_gt((budget + 1) * launches, pending_limit / 4);
    if (budget > 1)
      ck_assert_uint_le(budget * launches, pending_limit / 4);
  }
}
END_TEST

START_TEST(workspace_is_as_large_as_documented) {
  const plan_row *row = ordinary_row(_i);
  const cdp_plan plan = plan_of(row);
  const uint64_t keys = (uint64_t)row->count * cdp_engine_key_bytes(row->type);
  ck_assert_uint_gt(plan.workspace_bytes, keys);
  ck_assert_uint_eq(plan.workspace_bytes % CDP_WORKSPACE_ALIGNMENT, 0);
  const uint64_t more = plan.workspace_bytes - keys;
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

START_TEST(room_is_for_keys_and_workspace) {
  static const size_t counts[] = {1, 31, 32, 33, 64, 12345};
  for (size_t which = 0; which < sizeof counts / sizeof *counts; which++) {
    const size_t keys = counts[which] * 8;
    cdp_room room;
    ck_assert_int_eq(cdp_room_reckon(counts[which], CDP_U64, 777, &room), CDP_OK);
    ck_assert_uint_eq(room.keys_bytes, keys);
    ck_assert_uint_eq(room.workspace_bytes, 777);
  }
}
END_TEST

/* Counts from 2^10 to 2^32, and one to either side of each power. */
static size_t count_near(int index) {
  return ((size_t)1 << (10 + index / 3)) + (size_t)(index % 3) - 1;
}
#define COUNTS_NEAR (3 * 23)

/* The share that set tables have of the keys takes nothing from a sort with default options: there are slots for as many tasks as
   an array can have at a level, and for those of the next one. _i: the count. */
START_TEST(default_options_have_all_the_room_they_ask_for) {
  const cdp_options options = CDP_OPTIONS_INIT;
  for (uint32_t kind = 0; kind < KINDS; kind++) {
    const cdp_device_facts facts = planned_device(kind);
    for (int type = CDP_U32; type <= CDP_F64; type++) {
      const cdp_plan plan = planned(&options, (cdp_type)type, count_near(_i), &facts, false);
      ck_assert_uint_ge(plan.task_capacity, 2 * (count_near(_i) / (plan.block_items + 1)) + 1);
    }
  }
}
END_TEST

/* What the header says of the workspace, with default options and with the smallest ranges; and one more key of a map's array never
   needs less. _i: the count. */
START_TEST(workspace_is_as_large_as_documented_on_any_device) {
  static const uint64_t percent[KINDS] = {100, 15, 2, 2};
  const cdp_options defaults = CDP_OPTIONS_INIT;
  cdp_options small = CDP_OPTIONS_INIT;
  small.leaf_items = CDP_LEAF_MIN;
  small.tuning = &small_ranges;
  for (uint32_t kind = 0; kind < KINDS; kind++) {
    const cdp_device_facts facts = planned_device(kind);
    for (int type = CDP_U32; type <= CDP_F64; type++) {
      const uint64_t keys = count_near(_i) * cdp_engine_key_bytes((cdp_type)type);
      const cdp_plan plan = planned(&defaults, (cdp_type)type, count_near(_i), &facts, false);
      ck_assert_uint_le(plan.workspace_bytes - keys, keys * percent[kind] / 100 + (16u << 20));
      const cdp_plan longer = planned(&defaults, (cdp_type)type, count_near(_i) + 1, &facts, false);
      if (plan.map_buckets != 0 && longer.map_buckets != 0)
        ck_assert_uint_ge(longer.workspace_bytes, plan.workspace_bytes);
      for (small.fan_out = CDP_FAN_OUT_MIN; small.fan_out <= CDP_FAN_OUT_MAX && kind != KIND_SIMULATED; small.fan_out *= 2) {
        const cdp_plan small_plan = planned(&small, (cdp_type)type, count_near(_i), &facts, false);
        ck_assert_uint_le(small_plan.workspace_bytes - keys, keys + (32u << 20));
        ck_assert_uint_ge(small_plan.task_capacity, 8);
      }
    }
  }
}
END_TEST

/* 2^27 keys of 32 bits in ranges of 32: as many set tables as fit their share, and no 26 GB of them. */
START_TEST(small_ranges_do_not_ask_for_many_times_the_keys) {
  const size_t count = (size_t)1 << 27;
  const uint64_t share = count * 4 / 64 + (16u << 20);
  const uint64_t table_bytes = table_bytes_of(CDP_U32, CDP_FAN_OUT_MAX);
  cdp_options options = CDP_OPTIONS_INIT;
  options.leaf_items = CDP_LEAF_MIN;
  options.tuning = &small_ranges;
  const cdp_plan plan = planned_h200(&options, CDP_U32, count);
  ck_assert_uint_le(plan.task_capacity * table_bytes, share);
  ck_assert_uint_gt((plan.task_capacity + 1) * table_bytes, share);
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
    const cdp_plan plan = plan_of(&row);
    ck_assert_uint_eq(plan.block_items, leaf_items);
    ck_assert_msg(1 + slots[items] <= plan.task_capacity, "%u items: %u slots of %u", items, 1 + slots[items],
                  plan.task_capacity);
    tight += 2 + slots[items] >= plan.task_capacity ? 1 : 0;
  }
  ck_assert_uint_gt(tight, 0); // the bound is no looser than it need be
}
END_TEST

/* ---- Limits of the tests --------------------------------------------------------------------------------------- */

START_TEST(caps_hold_until_they_are_lifted) {
  const plan_row row = {1000000, CDP_U32, 32, CDP_SCHEME_LAST_BLOCK, 4};
  const cdp_plan_limits limits = {.task_capacity = 8, .worklist_capacity = 5, .task_budget = 2};
  set_fan_out(_i != 0);
  const cdp_plan free_plan = plan_of(&row);
  cdp_plan_limit(&limits);
  const cdp_plan capped = plan_of(&row);
  cdp_plan_limit(NULL);
  const cdp_plan freed = plan_of(&row);
  ck_assert_uint_eq(capped.task_capacity, 8);
  ck_assert_uint_eq(capped.worklist_capacity, 5);
  ck_assert_uint_eq(capped.task_budget, 2);
  ck_assert_uint_lt(capped.workspace_bytes, free_plan.workspace_bytes);
  ck_assert_uint_eq(freed.task_capacity, free_plan.task_capacity);
  ck_assert_uint_eq(freed.worklist_capacity, free_plan.worklist_capacity);
  ck_assert_uint_eq(freed.task_budget, free_plan.task_budget);
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
  tcase_add_test(numbers, room_is_for_keys_and_workspace);
  tcase_add_loop_test(numbers, caps_hold_until_they_are_lifted, 0, 2);
  suite_add_tcase(suite, numbers);
  TCase *proofs = tcase_create("proofs");
  tcase_set_timeout(proofs, TEST_SECONDS);
  tcase_add_test(proofs, no_split_runs_out_of_task_slots);
  suite_add_tcase(suite, proofs);
  return suite;
}

int main(void) {
  return run_suite(plan_suite());
}
