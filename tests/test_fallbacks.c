/* SPDX-License-Identifier: MIT */
/*
 * Nothing is lost: launches refused, the task pool and the list of collected ranges exhausted, tasks put off, the depth limit,
 * leaves of the least and the greatest size. Each must end sorted, and its counter must show that the way was taken. This is
 * the classic recursion; test_fan.c does the same for many children.
 *
 * Linked with the static library, for the hooks that force it.
 */
#include "host_data.h"
#include "run_suite.h"
#include "simulated_rules.h"

#include "plan.h"

#include <stdio.h>

#define ITEMS 12000u
#define PENDING_LIMIT_REFUSED 69 /* cudaErrorLaunchPendingCountExceeded */

typedef struct forced {
  const char *what;
  uint32_t pending_limit; /* 0: as it is */
  cdp_plan_limits limits;
  uint32_t depth_limit;
  uint32_t leaf_items;
  host_distribution distribution;
  cdp_pivot pivot;
  /* What the sum of all depths must show. */
  bool refused; /* not in the host loop, which launches nothing from the device */
  bool pool;
  bool deferred; /* likewise */
  bool starved;  /* likewise: ranges waited for a later wave or were refused, as the scheme has it */
  bool depth;
} forced;

#define LEAST CDP_LEAF_MIN
#define GREATEST UINT32_MAX /* stands for the greatest of the type */

static const forced table[] = {
    {.what = "pending limit 4", .pending_limit = 4, .leaf_items = LEAST, .starved = true},
    {.what = "pending limit 3", .pending_limit = 3, .leaf_items = LEAST, .starved = true},
    {.what = "pending limit 2", .pending_limit = 2, .leaf_items = LEAST, .refused = true},
    {.what = "pending limit 1", .pending_limit = 1, .leaf_items = LEAST, .refused = true},
    {.what = "pending limit 4, few values", .pending_limit = 4, .leaf_items = LEAST, .distribution = HOST_LOST_PIVOT},
    {.what = "task pool of 8", .limits.task_capacity = 8, .leaf_items = LEAST, .pool = true},
    {.what = "task pool of 1", .limits.task_capacity = 1, .leaf_items = LEAST, .pool = true},
    {.what = "5 collected ranges", .limits.collected_capacity = 5, .leaf_items = LEAST, .pool = true},
    {.what = "1 collected range", .limits.collected_capacity = 1, .leaf_items = LEAST, .pool = true},
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
    {.what = "leaves of the least size", .leaf_items = LEAST},
    {.what = "leaves of the greatest size", .leaf_items = GREATEST},
    {.what = "all of it at once",
     .pending_limit = 2,
     .limits = {.task_capacity = 12, .collected_capacity = 6, .task_budget = 2},
     .depth_limit = 6,
     .leaf_items = LEAST,
     .refused = true},
};
#define ROWS ((int)(sizeof table / sizeof *table))

static cdp_study_depth total(const cdp_study *study) {
  cdp_study_depth sum = {0};
  for (uint32_t depth = 0; depth < CDP_STUDY_DEPTHS; depth++) {
    const cdp_study_depth *row = &study->depths[depth];
    sum.leaves += row->leaves;
    sum.leaf_items += row->leaf_items;
    sum.launches_refused += row->launches_refused;
    sum.deferred += row->deferred;
    sum.fallback_depth += row->fallback_depth;
    sum.fallback_refused += row->fallback_refused;
    sum.fallback_pool += row->fallback_pool;
  }
  return sum;
}

/* Before each test, in its process: so many multiprocessors leave one block so few items that there are many tasks. */
static void make_device(void) {
  simulated_rules_set(12, 8);
}

static void use_hooks(const forced *row) {
  cdp_fault fault = {0};
  cdp_plan_limit(&row->limits);
  if (row->pending_limit != 0)
    ck_assert_int_eq(cdp_engine_simulated()->set_pending_limit(row->pending_limit, &fault), CDP_OK);
}

static host_case case_of(const forced *row, cdp_scheme scheme, cdp_type type, uint64_t seed) {
  host_case sort = {.type = type, .count = ITEMS, .distribution = row->distribution, .seed = seed, .options = CDP_OPTIONS_INIT};
  sort.options.device = CDP_DEVICE_SIMULATED;
  sort.options.scheme = scheme;
  sort.options.depth_limit = row->depth_limit;
  sort.options.leaf_items = row->leaf_items;
  if (row->leaf_items == GREATEST)
    sort.options.leaf_items = host_key_bytes(type) == 4 ? CDP_LEAF_MAX_4_BYTES : CDP_LEAF_MAX_8_BYTES;
  sort.options.pivot = row->pivot;
  sort.options.fan_out = CDP_FAN_OUT_CLASSIC;
  sort.options.seed = seed;
  sort.options.child_streams = seed % 2 == 0 ? CDP_STREAMS_FIRE_AND_FORGET : CDP_STREAMS_NAMED;
  return sort;
}

static void check_counters(const forced *row, cdp_scheme scheme, const cdp_study *study) {
  const bool host_loop = scheme == CDP_SCHEME_HOST_LOOP;
  const cdp_study_depth sum = total(study);
  const char *what = row->what;
  const int number = (int)scheme;
  if (row->refused && !host_loop) {
    ck_assert_msg(sum.launches_refused > 0, "%s, scheme %d: no launch was refused", what, number);
    ck_assert_msg(sum.fallback_refused > 0, "%s, scheme %d: no range was sorted for want of a launch", what, number);
    ck_assert_int_eq(study->first_fault, PENDING_LIMIT_REFUSED);
  }
  if (row->pending_limit == 0 || host_loop) {
    ck_assert_msg(sum.launches_refused + sum.fallback_refused == 0, "%s, scheme %d: launches were refused", what, number);
    ck_assert_int_eq(study->first_fault, 0);
  }
  if (row->pool)
    ck_assert_msg(sum.fallback_pool > 0, "%s, scheme %d: nothing was exhausted", what, number);
  if (row->limits.task_capacity != 0) {
    ck_assert_uint_eq(study->task_capacity, row->limits.task_capacity);
    ck_assert_uint_le(study->tasks_allocated, study->task_capacity);
  }
  if (row->deferred && !host_loop) {
    ck_assert_msg(sum.deferred > 0, "%s, scheme %d: nothing was put off", what, number);
    ck_assert_msg(study->waves > 0, "%s, scheme %d: no wave came", what, number);
    ck_assert_uint_le(study->tasks_in_wave, row->limits.task_budget);
  }
  if (row->starved && !host_loop)
    ck_assert_msg(sum.deferred + sum.launches_refused > 0, "%s, scheme %d: there was room for all", what, number);
  if (row->depth)
    ck_assert_msg(sum.fallback_depth > 0, "%s, scheme %d: the depth limit was not reached", what, number);
  const uint32_t depth_limit = row->depth_limit == CDP_DEPTH_NONE ? 0 : row->depth_limit;
  for (uint32_t depth = depth_limit; row->depth_limit != 0 && depth < CDP_STUDY_DEPTHS; depth++)
    ck_assert_msg(study->depths[depth].tasks + study->depths[depth].block_partitions == 0,
                  "%s, scheme %d: a partition at depth %u", what, number, depth);
}

/* _i: row of the table. Every scheme, a key of either size. */
START_TEST(ends_sorted_and_counted) {
  const forced *row = &table[_i];
  use_hooks(row);
  for (int scheme = CDP_SCHEME_LAST_BLOCK; scheme <= CDP_SCHEME_HOST_LOOP; scheme++) {
    for (uint64_t seed = 1; seed <= 2; seed++) {
      const host_case sort = case_of(row, (cdp_scheme)scheme, seed % 2 == 0 ? CDP_F64 : CDP_U32, seed);
      cdp_study study;
      char why[HOST_WHY_BYTES];
      ck_assert_msg(host_sort(&sort, &study, why), "%s: %s", row->what, why);
      check_counters(row, (cdp_scheme)scheme, &study);
      const cdp_study_depth sum = total(&study);
      ck_assert_uint_le(sum.leaf_items, sum.leaves * sort.options.leaf_items);
    }
  }
}
END_TEST

/* Leaves of the least size are many and small, those of the greatest few and large. */
START_TEST(leaf_size_decides_the_number_of_leaves) {
  static const uint32_t sizes[] = {CDP_LEAF_MIN, 256, CDP_LEAF_MAX_4_BYTES};
  uint64_t leaves[3];
  for (size_t size = 0; size < 3; size++) {
    const forced row = {.leaf_items = sizes[size]};
    const host_case sort = case_of(&row, CDP_SCHEME_LAST_BLOCK, CDP_I32, 1);
    cdp_study study;
    char why[HOST_WHY_BYTES];
    ck_assert_msg(host_sort(&sort, &study, why), "%s", why);
    const cdp_study_depth sum = total(&study);
    leaves[size] = sum.leaves;
    ck_assert_uint_ge(sum.leaves * sizes[size], sum.leaf_items);
  }
  ck_assert_uint_gt(leaves[0], 4 * leaves[1]);
  ck_assert_uint_gt(leaves[1], 2 * leaves[2]);
}
END_TEST

START_TEST(hooks_can_be_taken_back) {
  const forced hooks = {.pending_limit = 1, .limits = {.task_capacity = 1}};
  const forced none = {.pending_limit = 2048, .leaf_items = CDP_LEAF_MIN};
  use_hooks(&hooks);
  use_hooks(&none);
  const host_case sort = case_of(&none, CDP_SCHEME_LAST_BLOCK, CDP_U32, 1);
  cdp_study study;
  char why[HOST_WHY_BYTES];
  ck_assert_msg(host_sort(&sort, &study, why), "%s", why);
  const cdp_study_depth sum = total(&study);
  ck_assert_uint_eq(sum.launches_refused + sum.fallback_refused + sum.fallback_pool, 0);
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
  suite_add_tcase(suite, forcing);
  return suite;
}

int main(void) {
  return run_suite(fallbacks_suite());
}
