/* SPDX-License-Identifier: MIT */
/*
 * Equal keys of a short array that are so many that its blocks share them (device/recursion/short_equal.cuh): alone, two values at a
 * time, and beside keys that are all different; however many blocks run at the same time.
 */
#include "host_check.h"
#include "run_suite.h"
#include "simulated_rules.h"

#include <string.h>

#define MULTIPROCESSORS 16u

enum { COUNT = 14000, TURNS = 12 };

static uint32_t before[COUNT], keys[COUNT];

/* Makes keys of one value, or two, or two and some that are all different; by the turn. */
static void make_keys(uint32_t turn) {
  for (uint32_t index = 0; index < COUNT; index++) {
    const uint32_t drawn = (index + turn) * 2654435761u;
    before[index] = turn % 3 == 0 ? turn : drawn >> 31;
    if (turn % 3 == 2 && drawn / 32 % 32 < 1 + turn)
      before[index] = drawn;
  }
}

/* _i: how many blocks run at the same time. */
START_TEST(blocks_share_equal_keys) {
  simulated_rules_set(MULTIPROCESSORS, (uint32_t)_i);
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    const host_case sort = simulated_case(CDP_U32, COUNT, HOST_UNIFORM, turn + (uint64_t)_i);
    cdp_study study;
    char why[HOST_WHY_BYTES];
    make_keys(turn);
    memcpy(keys, before, sizeof before);
    ck_assert_int_eq(cdp_study_quicksort(keys, COUNT, CDP_U32, &sort.options, &study), CDP_OK);
    ck_assert_msg(host_check_sorted(before, keys, COUNT, CDP_U32, CDP_ASCENDING, why), "turn %u: %s", turn, why);
    const cdp_study_depth sum = study_total(&study);
    ck_assert_uint_eq(sum.tasks, 1);
    ck_assert_uint_ge(study.depths[0].equal_items, turn % 3 == 2 ? COUNT / 2 : COUNT);
    ck_assert_uint_eq(sum.equal_items + sum.leaf_items, COUNT);
    ck_assert_uint_eq(sum.children_launched, 0);
  }
}
END_TEST

static Suite *equal_suite(void) {
  Suite *suite = suite_create("short_equal");
  TCase *sharing = tcase_create("sharing");
  tcase_set_timeout(sharing, TEST_SECONDS);
  tcase_add_loop_test(sharing, blocks_share_equal_keys, 1, 18);
  suite_add_tcase(suite, sharing);
  return suite;
}

int main(void) {
  return run_suite(equal_suite());
}
