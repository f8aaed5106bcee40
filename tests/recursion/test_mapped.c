/* SPDX-License-Identifier: MIT */
/*
 * Arrays that are divided by a map of their keys, and whose buckets are sorted on chip: every distribution, keys that a map
 * makes little of, refused launches; and that options decide.
 *
 * Linked with the static library: to look at plans, and to have a simulated device of other sizes.
 */
#include "host_check.h"
#include "mapped_keys.h"
#include "plan_limits.h"

/* ---- Sorting --------------------------------------------------------------------------------------------------- */

/* _i: the distribution. */
START_TEST(sorts_every_distribution) {
  for (int turn = 0; turn < 12; turn += ROUND_STRIDE) {
    const host_case sort = turn_case(turn, (host_distribution)_i, 100 * (uint64_t)_i + (uint64_t)turn);
    must_sort(&sort);
  }
}
END_TEST

/* Random keys are sorted on chip: no task has a child, and only a bucket now and then is a block's, for those of a simulated
   device are so small that chance alone makes one too long. */
START_TEST(random_keys_are_sorted_on_chip) {
  for (int turn = 0; turn < 12; turn += ROUND_STRIDE) {
    host_case sort = turn_case(turn, HOST_UNIFORM, (uint64_t)turn);
    cdp_study study;
    ck_assert_uint_ne(plan_of(&sort.options, sort.type, sort.count).map_buckets, 0);
    must_study(&sort, &study);
    const cdp_study_depth sum = study_total(&study);
    ck_assert_uint_eq(sum.tasks, 1);
    ck_assert_uint_eq(sum.collected, 0);
    ck_assert_uint_lt(sum.block_partitions, sum.leaves / 10);
    ck_assert_uint_eq(sum.leaf_items, sort.count);
    ck_assert_uint_gt(sum.leaves, sort.count / 1024);
    ck_assert_uint_gt(study.depths[0].balance, 200);
    ck_assert_uint_lt(study.depths[0].balance, 1000);
    if (sort.options.scheme == CDP_SCHEME_LAST_BLOCK)
      ck_assert_uint_eq(sum.children_launched, 0);
  }
}
END_TEST

/* Those that keys are never moved for: of the kinds that have some, all of them, whichever way the rest is spread. */
START_TEST(frequent_values_are_counted) {
  static const struct {
    int kind;
    double least; /* share of the keys */
  } cases[] = {{1, 0.09}, {5, 0.45}, {6, 0.99}, {7, 0.12}, {9, 0.09}};
  for (size_t which = 0; which < sizeof cases / sizeof *cases; which++)
    for (int turn = ROUND_FIRST((_i + (int)which) % 4); turn < 4; turn += ROUND_STRIDE) {
      const size_t count = turn < 2 ? FEW_ITEMS : MANY_ITEMS;
      const cdp_scheme scheme = _i % 2 == 0 ? CDP_SCHEME_LAST_BLOCK : CDP_SCHEME_HOST;
      const cdp_study study = sort_odd_keys(cases[which].kind, 4 * (uint64_t)_i + (uint64_t)turn, count, turn % 2 != 0, scheme);
      const cdp_study_depth sum = study_total(&study);
      ck_assert_uint_eq(sum.tasks, 1);
      ck_assert_msg((double)sum.equal_items >= cases[which].least * (double)count, "kind %d, %zu keys: %llu", cases[which].kind,
                    count, (unsigned long long)sum.equal_items);
    }
}
END_TEST

/* What a sort does with keys of a kind, by turns: of either width, whoever launches. */
static cdp_study_depth first_step(int kind, int turn) {
  const cdp_scheme scheme = turn % 4 < 2 ? CDP_SCHEME_LAST_BLOCK : CDP_SCHEME_HOST;
  return sort_odd_keys(kind, 20 + (uint64_t)turn, FEW_ITEMS, turn % 2 != 0, scheme).depths[0];
}

/* Buckets differ more in length where keys are equal; then they are shorter, but one scatter, which wide keys have here, is not
   made two. Now and then a few of the values are taken to be frequent: then there are lines. */
START_TEST(equal_keys_have_shorter_buckets) {
  int sorts = 0;
  int with_shorter = 0;
  for (int turn = 0; turn < 8; turn++) {
    const cdp_study_depth different = first_step(12, turn);
    const cdp_study_depth equal = first_step(13, turn);
    sorts++;
    with_shorter += 2 * equal.parts >= 3 * different.parts;
    if (turn % 2 != 0)
      ck_assert_uint_eq(equal.bytes_moved, different.bytes_moved);
  }
  ck_assert_int_ge(2 * with_shorter, sorts);
}
END_TEST

/* Not where values lie in equal steps, as many in each bucket: none is too long for a team, unless the sample has missed the least or
   the greatest values. */
START_TEST(equal_steps_have_equal_buckets) {
  int sorts = 0;
  int with_shorter = 0;
  int with_room = 0;
  for (int turn = 0; turn < 8; turn++) {
    const cdp_study_depth different = first_step(12, turn);
    const cdp_study_depth equal = first_step(15, turn);
    sorts++;
    with_shorter += 4 * equal.parts >= 5 * different.parts;
    const uint64_t team_items = turn % 2 != 0 ? 768 : 256;
    with_room += UINT64_C(1000) * FEW_ITEMS <= team_items * equal.parts * equal.balance; // of the longest bucket
  }
  ck_assert_int_lt(2 * with_shorter, sorts);
  ck_assert_int_ge(2 * with_room, sorts);
}
END_TEST

/* Small integers of which one has room in a bucket: nearly as many buckets as integers, or as many. Where the map is learnt, since
   some of the values are taken to be frequent, it has fewer. */
START_TEST(small_integers_have_a_bucket_each) {
  int with_one_each = 0;
  for (int turn = 0; turn < 16; turn += 2)
    with_one_each += first_step(16, turn).parts > 280;
  ck_assert_int_ge(with_one_each, 4);
}
END_TEST

START_TEST(sorts_odd_keys) {
  static const cdp_scheme schemes[] = {CDP_SCHEME_LAST_BLOCK, CDP_SCHEME_HOST};
  for (int turn = ROUND_FIRST(_i); turn < 8; turn += ROUND_STRIDE)
    sort_odd_keys(_i, 10 * (uint64_t)_i + (uint64_t)turn, turn < 4 ? FEW_ITEMS : MANY_ITEMS, turn % 2 != 0,
                  schemes[turn / 2 % 2]);
}
END_TEST

/* The order in which a device does things is drawn anew by each seed. _i: of which to which. */
START_TEST(sorts_by_every_seed) {
  for (uint64_t seed = 10 * (uint64_t)_i; seed < 10 * (uint64_t)_i + 10; seed += ROUND_STRIDE) {
    const host_case sort = turn_case((int)(seed % 12), seed % 2 == 0 ? HOST_UNIFORM : HOST_GAUSSIAN, seed);
    must_sort(&sort);
  }
}
END_TEST

/* ---- Refused launches ------------------------------------------------------------------------------------------ */

/* _i: the pending-launch limit. With 1 the root is all there may be. */
START_TEST(limits_lose_nothing) {
  cdp_fault fault = {0};
  uint64_t refused = 0;
  for (int turn = 0; turn < 6; turn++) {
    ck_assert_int_eq(cdp_engine_simulated()->set_pending_limit((uint32_t)_i, &fault), CDP_OK);
    const cdp_study study =
        sort_odd_keys(turn % 2 == 0 ? 10 : 4, (uint64_t)turn, FEW_ITEMS, turn % 3 == 0, CDP_SCHEME_LAST_BLOCK);
    refused += study_total(&study).launches_refused;
  }
  if (_i == 1)
    ck_assert_uint_gt(refused, 0);
}
END_TEST

/* Launches are refused at random: of tasks, where the map is given up, or for buckets too long for a block. _i: the chance, of
   1024. */
START_TEST(refusals_lose_nothing) {
  uint64_t refused = 0;
  // All rounds under a sanitizer, too: of the few launches of a fifth of them it may be that none is refused.
  for (int turn = 0; turn < 12; turn++) {
    simulated_rules_refuse((uint32_t)_i);
    const cdp_study study = sort_odd_keys(turn % 2 == 0 ? 10 : 4, 50 + (uint64_t)turn, turn % 4 < 2 ? FEW_ITEMS : MANY_ITEMS,
                                          turn % 3 == 0, CDP_SCHEME_LAST_BLOCK);
    refused += study_total(&study).launches_refused;
    ck_assert_uint_eq(simulated_launches_taken(), 0);
    // Keys that had been counted and left where they were.
    simulated_rules_refuse((uint32_t)_i);
    sort_odd_keys(turn % 2 == 0 ? 5 : 9, (uint64_t)turn, turn % 4 < 2 ? FEW_ITEMS : MANY_ITEMS, turn % 3 == 0,
                  CDP_SCHEME_LAST_BLOCK);
  }
  ck_assert_uint_gt(refused, 0);
}
END_TEST

/* ---- Options --------------------------------------------------------------------------------------------------- */

/* Who asks for something that a map does without has none. */
START_TEST(options_decide) {
#define ASKED(...)                                                                                                             \
  { .size = sizeof(cdp_options), .device = CDP_DEVICE_SIMULATED, __VA_ARGS__ }
  static const cdp_tuning oversampled = {.size = sizeof oversampled, .oversampling = 8};
  static const cdp_tuning in_ranges = {.size = sizeof in_ranges, .block_items = 2000};
  static const cdp_tuning as_short = {.size = sizeof as_short, .short_items = UINT32_MAX};
  static const struct {
    cdp_options options;
    bool maps;
  } rows[] = {
      {ASKED(0), true},
      {ASKED(.scheme = CDP_SCHEME_HOST), true},
      {ASKED(.order = CDP_DESCENDING, .pivot = CDP_PIVOT_SAMPLED_MEDIAN), true},
      {ASKED(.scheme = CDP_SCHEME_CONTROLLER), false},
      {ASKED(.child_streams = CDP_STREAMS_NAMED), false},
      {ASKED(.fan_out = CDP_FAN_OUT_MAX), false},
      {ASKED(.fan_out = CDP_FAN_OUT_CLASSIC), false},
      {ASKED(.pivot = CDP_PIVOT_FIRST), false},
      {ASKED(.leaf_items = CDP_LEAF_MIN), false},
      {ASKED(.depth_limit = 3), false},
      {ASKED(.tuning = &oversampled), false},
      {ASKED(.tuning = &in_ranges), false},
  };
  for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
    ck_assert_msg((plan_of(&rows[row].options, CDP_U32, FEW_ITEMS).map_buckets != 0) == rows[row].maps, "row %zu", row);
  const cdp_options as_short_options = ASKED(.tuning = &as_short);
  const cdp_plan plan = plan_of(&as_short_options, CDP_U32, 8000);
  ck_assert_int_eq(plan.path, CDP_PATH_SHORT);
  ck_assert_uint_eq(plan.map_buckets, 0);
}
END_TEST

/* A worklist that has no room for all long buckets: then there is no map. */
START_TEST(short_worklists_do_without) {
  static const cdp_plan_limits limits = {.worklist_capacity = 10};
  cdp_plan_limit(&limits);
  const host_case sort = simulated_case(CDP_U32, FEW_ITEMS, HOST_UNIFORM, 1);
  ck_assert_uint_eq(plan_of(&sort.options, sort.type, sort.count).map_buckets, 0);
  must_sort(&sort);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("mapped");
  TCase *sorting = tcase_create("sorting");
  tcase_set_timeout(sorting, TEST_SECONDS);
  tcase_add_checked_fixture(sorting, make_device, NULL);
  tcase_add_loop_test(sorting, sorts_every_distribution, 0, HOST_DISTRIBUTIONS);
  tcase_add_test(sorting, random_keys_are_sorted_on_chip);
  tcase_add_loop_test(sorting, sorts_odd_keys, 0, ODD_KEYS);
  tcase_add_test(sorting, equal_keys_have_shorter_buckets);
  tcase_add_test(sorting, equal_steps_have_equal_buckets);
  tcase_add_test(sorting, small_integers_have_a_bucket_each);
  tcase_add_loop_test(sorting, frequent_values_are_counted, 0, 4);
  tcase_add_loop_test(sorting, sorts_by_every_seed, 0, 4);
  suite_add_tcase(suite, sorting);
  TCase *refused = tcase_create("refused launches");
  tcase_set_timeout(refused, TEST_SECONDS);
  tcase_add_checked_fixture(refused, make_device, NULL);
  tcase_add_loop_test(refused, limits_lose_nothing, 1, 5);
  static const int chances[] = {300, 700};
  for (size_t index = 0; index < sizeof chances / sizeof *chances; index++)
    tcase_add_loop_test(refused, refusals_lose_nothing, chances[index], chances[index] + 1);
  suite_add_tcase(suite, refused);
  TCase *options = tcase_create("options");
  tcase_add_checked_fixture(options, make_device, NULL);
  tcase_add_test(options, options_decide);
  tcase_add_test(options, short_worklists_do_without);
  suite_add_tcase(suite, options);
  return run_suite(suite);
}
