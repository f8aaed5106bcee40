/* SPDX-License-Identifier: MIT */
/*
 * Nothing is lost, many children to a task: what test_fallbacks.c does for two.
 */
#include "forced_limits.h"
#include "run_suite.h"
#include "simulated_rules.h"

#define ITEMS 24000u

static const forced table[] = {
    {.what = "pending limit 4", .pending_limit = 4, .leaf_items = LEAST, .fan_out = 8, .refused = true},
    {.what = "pending limit 3", .pending_limit = 3, .leaf_items = LEAST, .fan_out = 8, .refused = true},
    {.what = "pending limit 2", .pending_limit = 2, .leaf_items = LEAST, .fan_out = 8, .refused = true},
    {.what = "pending limit 1", .pending_limit = 1, .leaf_items = LEAST, .fan_out = 8, .refused = true},
    {.what = "pending limit 2, one level", .pending_limit = 2, .leaf_items = GREATEST, .refused = true},
    {.what = "pending limit 3, few values", .pending_limit = 3, .fan_out = 8, .distribution = HOST_LOST_PIVOT, .equal = true},
    {.what = "task pool of 8", .limits.task_capacity = 8, .leaf_items = LEAST, .fan_out = 8, .pool = true},
    {.what = "task pool of 4", .limits.task_capacity = 4, .leaf_items = LEAST, .fan_out = 8, .pool = true},
    {.what = "task pool of 2", .limits.task_capacity = 2, .leaf_items = LEAST, .fan_out = 16, .pool = true},
    {.what = "task pool of 1", .limits.task_capacity = 1, .leaf_items = LEAST, .fan_out = 8, .pool = true},
    {.what = "4 collected ranges", .limits.worklist_capacity = 4, .leaf_items = LEAST, .pool = true},
    {.what = "3 collected ranges", .limits.worklist_capacity = 3, .leaf_items = LEAST, .fan_out = 8, .pool = true},
    {.what = "1 collected range", .limits.worklist_capacity = 1, .leaf_items = LEAST, .fan_out = 64, .pool = true},
    {.what = "task budget of 2", .limits.task_budget = 2, .leaf_items = LEAST, .fan_out = 8, .deferred = true},
    {.what = "task budget of 1", .limits.task_budget = 1, .leaf_items = LEAST, .fan_out = 8, .deferred = true},
    {.what = "no partition at all", .depth_limit = CDP_DEPTH_NONE, .leaf_items = LEAST, .depth = true},
    {.what = "depth limit 1", .depth_limit = 1, .leaf_items = LEAST, .depth = true},
    {.what = "depth limit 1, large children", .depth_limit = 1, .leaf_items = LEAST, .fan_out = 8, .depth = true},
    {.what = "depth limit 2", .depth_limit = 2, .leaf_items = LEAST, .fan_out = 8, .depth = true},
    {.what = "depth limit 1, large children, budget of 2",
     .limits.task_budget = 2,
     .depth_limit = 1,
     .leaf_items = LEAST,
     .fan_out = 8,
     .deferred = true,
     .depth = true},
    {.what = "no partition, pending limit 1",
     .depth_limit = CDP_DEPTH_NONE,
     .pending_limit = 1,
     .leaf_items = LEAST,
     .refused = true,
     .depth = true},
    {.what = "depth limit 1, pending limit 3",
     .depth_limit = 1,
     .pending_limit = 3,
     .leaf_items = LEAST,
     .fan_out = 8,
     .refused = true,
     .depth = true},
    {.what = "leaves of the least size", .leaf_items = LEAST, .spare = true},
    {.what = "leaves of the greatest size", .leaf_items = 0, .fan_out = 8, .spare = true},
    {.what = "all of it at once",
     .pending_limit = 3,
     .limits = {.task_capacity = 6, .worklist_capacity = 6, .task_budget = 2},
     .depth_limit = 3,
     .leaf_items = LEAST,
     .fan_out = 8,
     .refused = true},
};
#define ROWS ((int)(sizeof table / sizeof *table))

/* Before each test, in its process: so many multiprocessors that a block finishes small ranges only. */
static void make_device(void) {
  simulated_rules_set(48, 8);
}

/* _i: row of the table. */
START_TEST(ends_sorted_and_counted) {
  forced_check(&table[_i], ITEMS);
}
END_TEST

static Suite *multiway_fallbacks_suite(void) {
  Suite *suite = suite_create("multiway_fallbacks");
  TCase *forcing = tcase_create("forced");
  tcase_set_timeout(forcing, TEST_SECONDS);
  tcase_add_checked_fixture(forcing, make_device, NULL);
  tcase_add_loop_test(forcing, ends_sorted_and_counted, 0, ROWS);
  suite_add_tcase(suite, forcing);
  return suite;
}

int main(void) {
  return run_suite(multiway_fallbacks_suite());
}
