/* SPDX-License-Identifier: MIT */
/*
 * Nothing is lost: launches refused, the task pool and the list of collected ranges exhausted, tasks put off, the depth limit,
 * leaves of the least and the greatest size. Each must end sorted, and its counter must show that the way was taken. This is
 * the classic recursion; test_multiway_fallbacks.c does the same for many children.
 *
 * Linked with the static library, for the hooks that force it.
 */
#include "forced_limits.h"
#include "host_check.h"
#include "run_suite.h"
#include "simulated_rules.h"

#include <math.h>
#include <string.h>

#define ITEMS 12000u

static const forced table[] = {
    {.what = "pending limit 4", .pending_limit = 4, .leaf_items = LEAST, .starved = true},
    {.what = "pending limit 3", .pending_limit = 3, .leaf_items = LEAST, .starved = true},
    {.what = "pending limit 2", .pending_limit = 2, .leaf_items = LEAST, .refused = true},
    {.what = "pending limit 1", .pending_limit = 1, .leaf_items = LEAST, .refused = true},
    {.what = "pending limit 4, few values",
     .pending_limit = 4,
     .leaf_items = LEAST,
     .distribution = HOST_LOST_PIVOT,
     .equal = true},
    {.what = "task pool of 8", .limits.task_capacity = 8, .leaf_items = LEAST, .pool = true},
    {.what = "task pool of 1", .limits.task_capacity = 1, .leaf_items = LEAST, .pool = true},
    {.what = "5 collected ranges", .limits.worklist_capacity = 5, .leaf_items = LEAST, .pool = true},
    {.what = "1 collected range", .limits.worklist_capacity = 1, .leaf_items = LEAST, .pool = true},
    {.what = "task budget of 2", .limits.task_budget = 2, .leaf_items = LEAST, .deferred = true},
    {.what = "task budget of 1", .limits.task_budget = 1, .leaf_items = LEAST, .deferred = true},
    {.what = "no partition at all", .depth_limit = CDP_DEPTH_NONE, .leaf_items = LEAST, .depth = true},
    {.what = "depth limit 1", .depth_limit = 1, .leaf_items = LEAST, .depth = true},
    {.what = "depth limit 2", .depth_limit = 2, .leaf_items = LEAST, .depth = true},
    {.what = "depth limit 5, in blocks", .depth_limit = 5, .leaf_items = LEAST, .depth = true},
    {.what = "no partition, great leaves", .depth_limit = CDP_DEPTH_NONE, .leaf_items = GREATEST, .depth = true},
    {.what = "no partition, pending limit 1",
     .depth_limit = CDP_DEPTH_NONE,
     .pending_limit = 1,
     .leaf_items = LEAST,
     .refused = true,
     .depth = true},
    {.what = "depth limit 1, pending limit 2",
     .depth_limit = 1,
     .pending_limit = 2,
     .leaf_items = LEAST,
     .refused = true,
     .depth = true},
    {.what = "leaves of the least size", .leaf_items = LEAST, .spare = true},
    {.what = "leaves of the greatest size", .leaf_items = GREATEST, .spare = true},
    {.what = "all of it at once",
     .pending_limit = 2,
     .limits = {.task_capacity = 12, .worklist_capacity = 6, .task_budget = 2},
     .depth_limit = 6,
     .leaf_items = LEAST,
     .refused = true},
};
#define ROWS ((int)(sizeof table / sizeof *table))

/* Before each test, in its process: so many multiprocessors leave one block so few items that there are many tasks. */
static void make_device(void) {
  simulated_rules_set(12, 8);
}

/* _i: row of the table. */
START_TEST(ends_sorted_and_counted) {
  forced row = table[_i];
  row.fan_out = CDP_FAN_OUT_CLASSIC;
  forced_check(&row, ITEMS);
}
END_TEST

static host_case classic_case(cdp_type type, uint32_t leaf_items) {
  host_case sort = simulated_case(type, ITEMS, HOST_UNIFORM, 1);
  sort.options.leaf_items = leaf_items;
  sort.options.fan_out = CDP_FAN_OUT_CLASSIC;
  return sort;
}

/* Leaves of the least size are many and small, those of the greatest few and large. */
START_TEST(leaf_size_decides_the_number_of_leaves) {
  static const uint32_t sizes[] = {CDP_LEAF_MIN, 256, CDP_LEAF_MAX_4_BYTES};
  uint64_t leaves[3];
  for (size_t size = 0; size < 3; size++) {
    const host_case sort = classic_case(CDP_I32, sizes[size]);
    cdp_study study;
    must_study(&sort, &study);
    const cdp_study_depth sum = study_total(&study);
    leaves[size] = sum.leaves;
    ck_assert_uint_ge(sum.leaves * sizes[size], sum.leaf_items);
  }
  ck_assert_uint_gt(leaves[0], 4 * leaves[1]);
  ck_assert_uint_gt(leaves[1], 2 * leaves[2]);
}
END_TEST

START_TEST(hooks_can_be_taken_back) {
  const forced hooks = {.pending_limit = 1, .limits = {.task_capacity = 1}};
  const forced none = {.pending_limit = 2048};
  forced_set(&hooks);
  forced_set(&none);
  const host_case sort = classic_case(CDP_U32, CDP_LEAF_MIN);
  cdp_study study;
  must_study(&sort, &study);
  const cdp_study_depth sum = study_total(&study);
  ck_assert_uint_eq(sum.launches_refused + sum.fallback_refused + sum.fallback_pool, 0);
}
END_TEST

/* Sorts keys with pivots that divide them badly and a depth limit that would let them, and ends the test unless no more was
   partitioned than 4 * log2(count) times all keys. */
static void must_be_limited(const host_case *sort, const void *keys, cdp_study *study) {
  const size_t bytes = sort->count * host_key_bytes(sort->type);
  char why[HOST_WHY_BYTES];
  uint32_t logarithm = 0;
  void *sorted = malloc(bytes);
  ck_assert_ptr_nonnull(sorted);
  memcpy(sorted, keys, bytes);
  ck_assert_msg(cdp_study_quicksort(sorted, sort->count, sort->type, &sort->options, study) == CDP_OK, "%s",
                cdp_last_message());
  ck_assert_msg(host_check_sorted(keys, sorted, sort->count, sort->type, CDP_ASCENDING, why), "%s", why);
  while ((size_t)1 << logarithm < sort->count)
    logarithm++;
  const cdp_study_depth sum = study_total(study);
  ck_assert_uint_le(sum.task_items + sum.block_items, 4 * logarithm * (uint64_t)sort->count);
  free(sorted);
}

/* Keys in order, and the first one for a pivot. _i: the scheme. */
START_TEST(first_keys_of_sorted_ones_end_soon) {
  static uint32_t keys[ITEMS];
  host_case sort = classic_case(CDP_U32, CDP_LEAF_MIN);
  cdp_study study;
  sort.options.scheme = scheme_of(_i);
  sort.options.pivot = CDP_PIVOT_FIRST;
  sort.options.depth_limit = CDP_DEPTH_MAX;
  for (uint32_t index = 0; index < ITEMS; index++)
    keys[index] = index;
  must_be_limited(&sort, keys, &study);
}
END_TEST

/* Powers of two, and the mean of least and greatest for a pivot: it takes away those of the greatest power alone, so that two
   thousand levels would come. The network ends what is left at the limit. _i: the scheme. */
START_TEST(means_of_powers_end_soon) {
  static double keys[ITEMS];
  host_case sort = classic_case(CDP_F64, CDP_LEAF_MIN);
  cdp_study study;
  sort.options.scheme = scheme_of(_i);
  sort.options.pivot = CDP_PIVOT_MEAN;
  sort.options.depth_limit = CDP_DEPTH_MAX;
  for (int index = 0; index < (int)ITEMS; index++)
    keys[index] = ldexp(1.0, index * 7 % 2000 - 1000);
  must_be_limited(&sort, keys, &study);
  const uint32_t limit = 4 * 14;
  ck_assert_uint_gt(study.depths[limit - 1].tasks, 0);
  ck_assert_uint_eq(study.depths[limit].tasks, 0);
  ck_assert_uint_gt(study.depths[limit].fallback_depth, 0);
  ck_assert_uint_eq(study.depth_count, limit + 1);
}
END_TEST

/* Sorts under a pending-launch limit that is too low launch nothing from the device. _i: fan-out and scheme. */
START_TEST(host_launches_under_too_low_a_limit) {
  static const uint32_t fan_outs[] = {0, CDP_FAN_OUT_CLASSIC, CDP_FAN_OUT_MIN};
  const forced low = {.pending_limit = 100, .limits = {.pending_limit_min = 101}};
  const forced enough = {.pending_limit = 100, .limits = {.pending_limit_min = 100}};
  for (uint64_t seed = 0; seed < 4; seed++) {
    host_case sort = simulated_case(seed % 2 == 0 ? CDP_U32 : CDP_F64, ITEMS, (host_distribution)(seed % 3), seed);
    cdp_study study;
    sort.options.fan_out = fan_outs[_i % 3];
    sort.options.scheme = scheme_of(_i / 3);
    sort.options.leaf_items = sort.options.fan_out == 0 ? 0 : CDP_LEAF_MIN;
    forced_set(&low);
    must_study(&sort, &study);
    ck_assert_uint_eq(study_total(&study).children_launched, 0);
    ck_assert_uint_eq(study_total(&study).fallback_refused, 0);
    ck_assert_uint_eq(study.scheme, CDP_SCHEME_HOST);
    forced_set(&enough);
    must_study(&sort, &study);
    ck_assert_uint_eq(study.scheme, sort.options.scheme);
    // A short array is one grid.
    if (sort.options.scheme == CDP_SCHEME_CONTROLLER || (sort.options.scheme != CDP_SCHEME_HOST && sort.options.fan_out != 0))
      ck_assert_uint_gt(study_total(&study).children_launched, 0);
  }
}
END_TEST

/* So it does for the call that does not wait, in the workspace that was asked for under a limit that is high enough. _i:
   fan-out. */
START_TEST(async_is_launched_by_the_host_under_too_low_a_limit) {
  static uint32_t keys[ITEMS];
  static _Alignas(CDP_WORKSPACE_ALIGNMENT) unsigned char workspace[1u << 22];
  const forced low = {.pending_limit = 100, .limits = {.pending_limit_min = 101}};
  cdp_options options = simulated_case(CDP_U32, 0, HOST_UNIFORM, 0).options;
  size_t bytes = 0;
  options.fan_out = _i == 0 ? 0 : CDP_FAN_OUT_CLASSIC;
  options.leaf_items = CDP_LEAF_MIN;
  for (uint32_t index = 0; index < ITEMS; index++)
    keys[index] = ITEMS - 1 - index * 7 % ITEMS;
  ck_assert_int_eq(cdp_quicksort_workspace(ITEMS, CDP_U32, &options, &bytes), CDP_OK);
  ck_assert_uint_le(bytes, sizeof workspace);
  forced_set(&low);
  ck_assert_int_eq(cdp_quicksort_async(keys, ITEMS, CDP_U32, &options, workspace, bytes, NULL), CDP_OK);
  for (uint32_t index = 0; index < ITEMS; index++)
    ck_assert_uint_eq(keys[index], index);
}
END_TEST

static Suite *fallbacks_suite(void) {
  Suite *suite = suite_create("fallbacks");
  TCase *forcing = tcase_create("forced");
  tcase_set_timeout(forcing, TEST_SECONDS);
  tcase_add_checked_fixture(forcing, make_device, NULL);
  tcase_add_loop_test(forcing, ends_sorted_and_counted, 0, ROWS);
  tcase_add_test(forcing, leaf_size_decides_the_number_of_leaves);
  tcase_add_test(forcing, hooks_can_be_taken_back);
  tcase_add_loop_test(forcing, host_launches_under_too_low_a_limit, 0, 3 * SCHEMES);
  tcase_add_loop_test(forcing, async_is_launched_by_the_host_under_too_low_a_limit, 0, 2);
  tcase_add_loop_test(forcing, first_keys_of_sorted_ones_end_soon, 0, SCHEMES);
  tcase_add_loop_test(forcing, means_of_powers_end_soon, 0, SCHEMES);
  suite_add_tcase(suite, forcing);
  return suite;
}

int main(void) {
  return run_suite(fallbacks_suite());
}
