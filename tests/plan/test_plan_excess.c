/* SPDX-License-Identifier: MIT */
/*
 * Counts too large to be sorted: who refuses them, and that the most keys have a plan. Linked with the static library.
 */
#include <cdpsort/tuning.h>

#include "planned.h"

#include "memory.h"

/* Ranges for a block as small as they can be. */
static const cdp_tuning small_ranges = {.size = sizeof small_ranges, .block_items = CDP_LEAF_MIN};

typedef struct excess {
  size_t count;
  cdp_type type;
  uint32_t leaf_items; /* 0: the default */
  cdp_scheme scheme;
} excess;

static const excess too_many[] = {
    {SIZE_MAX, CDP_U32, 0, CDP_SCHEME_LAST_BLOCK},
    {SIZE_MAX, CDP_F64, 32, CDP_SCHEME_HOST},
    {SIZE_MAX / 4 + 1, CDP_U32, 0, CDP_SCHEME_LAST_BLOCK},
    {PTRDIFF_MAX / 2 / 4, CDP_U32, 0, CDP_SCHEME_LAST_BLOCK},
    {(size_t)1 << 52, CDP_U64, 0, CDP_SCHEME_HOST},
    {(size_t)1 << 44, CDP_U32, 0, CDP_SCHEME_LAST_BLOCK},
    {(size_t)CDP_COUNT_MAX + 1, CDP_U32, 32, CDP_SCHEME_CONTROLLER},
};
#define TOO_MANY ((int)(sizeof too_many / sizeof *too_many))

START_TEST(calls_refuse_more_than_the_most) {
  const excess *row = &too_many[_i];
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

/* There is a plan for 2 keys and more, and for no more than the most. */
START_TEST(other_counts_have_no_plan) {
  static const uint64_t counts[] = {0, 1, CDP_COUNT_MAX + 1, UINT64_MAX};
  const cdp_options options = CDP_OPTIONS_INIT;
  const cdp_device_facts facts = planned_device(KIND_H200);
  cdp_settings settings;
  cdp_plan plan;
  ck_assert_int_eq(cdp_options_resolve(&options, CDP_U32, &settings), CDP_OK);
  ck_assert_int_eq(cdp_engine_plan(&settings, CDP_U32, counts[_i], &facts, false, &plan), CDP_ERROR_SIZE);
}
END_TEST

/* The most keys have a plan with any leaves, ranges and scheme: there is room for so many tasks and ranges, and no more.
   _i: kind of device, type, fan-out and scheme. */
START_TEST(the_most_keys_have_a_plan) {
  static const uint32_t fan_outs[] = {CDP_FAN_OUT_CLASSIC, CDP_FAN_OUT_MIN, CDP_FAN_OUT_MAX};
  cdp_device_facts facts = planned_device((uint32_t)_i % KINDS);
  const uint32_t rest = (uint32_t)_i / KINDS;
  const cdp_type type = rest % 2 == 0 ? CDP_U32 : CDP_F64;
  cdp_options options = CDP_OPTIONS_INIT;
  facts.multiprocessors = 4;
  options.fan_out = fan_outs[rest / 2 % 3];
  options.scheme = (cdp_scheme)(CDP_SCHEME_LAST_BLOCK + rest / 6);
  for (int small = 0; small < 2; small++) {
    options.leaf_items = small != 0 ? CDP_LEAF_MIN : 0;
    options.tuning = small != 0 ? &small_ranges : NULL;
    const cdp_plan plan = planned(&options, type, CDP_COUNT_MAX, &facts, false);
    cdp_room room;
    ck_assert_uint_ge(plan.task_capacity, 8);
    ck_assert_uint_le(plan.task_capacity, 1u << 30);
    ck_assert_uint_ge(plan.worklist_capacity, 1024);
    ck_assert_uint_le(plan.worklist_capacity, INT32_MAX);
    ck_assert_int_eq(cdp_room_reckon(CDP_COUNT_MAX, type, plan.workspace_bytes, &room), CDP_OK);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("plan_excess");
  TCase *counts = tcase_create("too many");
  tcase_add_loop_test(counts, calls_refuse_more_than_the_most, 0, TOO_MANY);
  tcase_add_loop_test(counts, refuses_what_cannot_be_addressed, 0, 5);
  tcase_add_loop_test(counts, other_counts_have_no_plan, 0, 4);
  tcase_add_loop_test(counts, the_most_keys_have_a_plan, 0, KINDS * 18);
  suite_add_tcase(suite, counts);
  return run_suite(suite);
}
