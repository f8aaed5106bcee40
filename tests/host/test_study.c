/* SPDX-License-Identifier: MIT */
/*
 * cdp_study_quicksort(): the counters against counts made independently, from the keys or from the rules of the recursion. The
 * classic one, with two parts to a task; test_multiway.c does the same for many.
 *
 * One block finishes ranges of up to 320 leaves, but only if every multiprocessor gets two of them. Linked with the static
 * library, to have a simulated device of many multiprocessors: so ITEMS keys give a recursion of grids several levels deep.
 */
#include "run_suite.h"
#include "studied.h"
#include "tile_sizes.h"

#include <string.h>

/* ---- What becomes of every key --------------------------------------------------------------------------------- */

/* A key leaves the recursion as equal to a pivot or in a leaf; by the bitonic network only at the depth limit. */
START_TEST(every_key_is_counted_once) {
  static const size_t counts[] = {2, 32, 33, 500, 1025, 4097, ITEMS};
  for (int distribution = 0; distribution < HOST_DISTRIBUTIONS; distribution += ROUND_STRIDE) {
    for (size_t size = 0; size < sizeof counts / sizeof *counts; size++) {
      const host_case sort = study_case(counts[size], (host_distribution)distribution, scheme_of(_i));
      cdp_study study;
      must_study(&sort, &study);
      const cdp_study_depth sum = study_total(&study);
      ck_assert_uint_eq(sum.fallback_depth, 0);
      ck_assert_msg(sum.equal_items + sum.leaf_items == counts[size], "%zu %s keys: %llu equal and %llu in leaves",
                    counts[size], host_distribution_name((host_distribution)distribution), (unsigned long long)sum.equal_items,
                    (unsigned long long)sum.leaf_items);
    }
  }
}
END_TEST

/* The scheme that ran is told where any did. _i: the scheme. */
START_TEST(scheme_is_told) {
  host_case sort = study_case(ITEMS, HOST_UNIFORM, scheme_of(_i));
  cdp_study study;
  must_study(&sort, &study);
  ck_assert_uint_eq(study.scheme, scheme_of(_i));
  sort.count = 2;
  must_study(&sort, &study);
  ck_assert_uint_eq(study.scheme, scheme_of(_i));
  sort.count = 1;
  must_study(&sort, &study);
  ck_assert_uint_eq(study.scheme, 0);
}
END_TEST

START_TEST(leaf_is_one_range) {
  const host_case sort = study_case(CDP_LEAF_MIN, HOST_UNIFORM, scheme_of(_i));
  cdp_study study;
  must_study(&sort, &study);
  ck_assert_uint_eq(study.depth_count, 1);
  ck_assert_uint_eq(study.depths[0].leaves, 1);
  ck_assert_uint_eq(study.depths[0].leaf_items, CDP_LEAF_MIN);
  const cdp_study_depth sum = study_total(&study);
  ck_assert_uint_eq(sum.tasks + sum.block_partitions + sum.children_launched, 0);
}
END_TEST

START_TEST(whole_array_is_the_first_task) {
  const host_case sort = study_case(ITEMS, HOST_UNIFORM, scheme_of(_i));
  cdp_study study;
  must_study(&sort, &study);
  ck_assert_uint_eq(study.depths[0].tasks, 1);
  ck_assert_uint_eq(study.depths[0].task_items, ITEMS);
  ck_assert_uint_eq(study.depths[0].min_task_items, ITEMS);
  ck_assert_uint_eq(study.depths[0].max_task_items, ITEMS);
  ck_assert_uint_eq(study.depths[0].leaves + study.depths[0].collected, 0);
}
END_TEST

START_TEST(equal_keys_end_at_once) {
  const host_case sort = study_case(ITEMS, HOST_ALL_EQUAL, scheme_of(_i));
  cdp_study study;
  must_study(&sort, &study);
  const cdp_study_depth sum = study_total(&study);
  ck_assert_uint_eq(study.depth_count, 1);
  ck_assert_uint_eq(sum.tasks, 1);
  ck_assert_uint_eq(sum.equal_items, ITEMS);
  ck_assert_uint_eq(sum.leaves + sum.collected + sum.block_partitions, 0);
}
END_TEST

/* ---- Counts made from the keys --------------------------------------------------------------------------------- */

/* What depth 1 must show of a part with so many items. */
static void expect_part(size_t items, cdp_study_depth *expected) {
  if (items > BLOCK_ITEMS) {
    expected->tasks++;
    expected->task_items += items;
  } else if (items > 0) {
    expected->collected++;
  }
}

/* With the middle key as pivot the first partition is known beforehand. */
START_TEST(first_partition_is_as_counted_by_hand) {
  static uint32_t keys[ITEMS];
  static const host_distribution distributions[] = {HOST_UNIFORM, HOST_FEW_DISTINCT, HOST_LOST_PIVOT, HOST_BUCKET,
                                                    HOST_ORGAN_PIPE};
  for (size_t which = 0; which < sizeof distributions / sizeof *distributions; which++) {
    host_case sort = study_case(ITEMS, distributions[which], scheme_of(_i));
    sort.options.pivot = CDP_PIVOT_MIDDLE;
    size_t less = 0, equal = 0;
    host_fill(keys, CDP_U32, ITEMS, sort.distribution, sort.seed);
    for (size_t index = 0; index < ITEMS; index++) {
      less += keys[index] < keys[ITEMS / 2] ? 1 : 0;
      equal += keys[index] == keys[ITEMS / 2] ? 1 : 0;
    }
    cdp_study_depth expected = {0};
    expect_part(less, &expected);
    expect_part(ITEMS - less - equal, &expected);
    cdp_study study;
    must_study(&sort, &study);
    const size_t greater = ITEMS - less - equal;
    const size_t most = less > greater ? less : greater;
    ck_assert_uint_eq(study.depths[0].equal_items, equal);
    ck_assert_uint_eq(study.depths[0].parts, (less != 0 ? 1u : 0u) + (greater != 0 ? 1u : 0u));
    ck_assert_uint_eq(study.depths[0].balance, most == 0 ? 1000 : 1000 * (less + greater) / (2 * most));
    ck_assert_uint_eq(study.depths[0].bytes_moved, sizeof(uint32_t) * 2 * ITEMS);
    ck_assert_uint_eq(study.depths[1].tasks, expected.tasks);
    ck_assert_uint_eq(study.depths[1].task_items, expected.task_items);
    ck_assert_uint_eq(study.depths[1].collected, expected.collected);
  }
}
END_TEST

START_TEST(tasks_are_larger_than_a_block_finishes) {
  const host_case sort = study_case(ITEMS, HOST_UNIFORM, scheme_of(_i));
  cdp_study study;
  must_study(&sort, &study);
  ck_assert_uint_ge(study.depth_count, 5);
  for (uint32_t depth = 0; depth < CDP_STUDY_DEPTHS; depth++) {
    const cdp_study_depth *row = &study.depths[depth];
    if (row->tasks == 0) {
      ck_assert_uint_eq(row->min_task_items + row->max_task_items + row->task_items, 0);
      continue;
    }
    ck_assert_uint_gt(row->min_task_items, BLOCK_ITEMS);
    ck_assert_uint_le(row->tasks * row->min_task_items, row->task_items);
    ck_assert_uint_ge(row->tasks * row->max_task_items, row->task_items);
    if (depth > 0)
      ck_assert_uint_lt(row->task_items, study.depths[depth - 1].task_items);
  }
  const cdp_study_depth sum = study_total(&study);
  ck_assert_uint_le(sum.leaf_items, sum.leaves * CDP_LEAF_MIN);
  ck_assert_uint_le(sum.collected, 2 * sum.tasks);
}
END_TEST

/* 32 parts of 500 on average, of which half are longer than a block finishes: one block finishes them all the same. */
START_TEST(parts_that_are_a_little_long_are_no_tasks) {
  host_case sort = study_case(32 * BLOCK_ITEMS, HOST_UNIFORM, scheme_of(_i));
  cdp_study study;
  simulated_rules_set(16, 8);
  must_study(&sort, &study);
  ck_assert_uint_eq(study.depths[5].tasks, 0);
  ck_assert_uint_eq(study.depths[5].collected, 32);
  ck_assert_uint_eq(study_total(&study).tasks, 31);
  sort.options.pivot = CDP_PIVOT_RANDOM;
  must_study(&sort, &study);
  ck_assert_uint_gt(study.depths[5].tasks, 0);
}
END_TEST

START_TEST(rows_end_at_depth_count) {
  const host_case sort = study_case(ITEMS, HOST_GAUSSIAN, scheme_of(_i));
  static const cdp_study_depth nothing;
  cdp_study study;
  must_study(&sort, &study);
  ck_assert_uint_lt(study.depth_count, CDP_STUDY_DEPTHS);
  ck_assert_mem_ne(&study.depths[study.depth_count - 1], &nothing, sizeof nothing);
  for (uint32_t depth = study.depth_count; depth < CDP_STUDY_DEPTHS; depth++)
    ck_assert_mem_eq(&study.depths[depth], &nothing, sizeof nothing);
}
END_TEST

/* ---- Launches -------------------------------------------------------------------------------------------------- */

/*
 * Children really were launched, and no more than the scheme needs: one grid for the collected ranges; for each task one grid, or
 * a controller, its workers and its continuation. No batch, since no task has to wait for one.
 */
START_TEST(launches_are_those_of_the_scheme) {
  static const uint64_t grids_per_task[SCHEMES] = {1, 3, 0};
  for (int streams = CDP_STREAMS_FIRE_AND_FORGET; streams <= CDP_STREAMS_NAMED; streams++) {
    host_case sort = study_case(ITEMS, HOST_UNIFORM, scheme_of(_i));
    sort.options.child_streams = (cdp_child_streams)streams;
    cdp_study study;
    must_study(&sort, &study);
    const cdp_study_depth sum = study_total(&study);
    ck_assert_uint_gt(sum.tasks, 20);
    ck_assert_uint_gt(sum.collected, 20);
    const uint64_t others = scheme_of(_i) == CDP_SCHEME_HOST ? 0 : 1;
    ck_assert_uint_eq(study.batches, 0);
    ck_assert_uint_eq(sum.children_launched, grids_per_task[_i] * sum.tasks + others);
    ck_assert_uint_eq(sum.launches_refused + sum.fallback_refused + sum.fallback_pool + sum.fallback_depth, 0);
    ck_assert_int_eq(study.first_fault, 0);
    ck_assert_uint_ge(study.tasks_in_batch, 1);
    ck_assert_uint_ge(study.tasks_allocated, 1);
    ck_assert_uint_le(study.tasks_allocated, study.task_capacity);
    ck_assert_uint_le(study.tasks_allocated, sum.tasks);
  }
}
END_TEST

/* Steps of a bitonic network over tiles: sorting them; then, as its size doubles, one more step each time. */
START_TEST(network_launches_a_grid_a_step) {
  host_case sort = study_case(ITEMS, HOST_UNIFORM, scheme_of(_i));
  sort.options.depth_limit = CDP_DEPTH_NONE;
  uint64_t steps = 1, merges = 2;
  for (size_t size = 2 * (size_t)simulated_leaf_items(4); size < 2 * ITEMS; size *= 2)
    steps += merges++;
  cdp_study study;
  must_study(&sort, &study);
  const cdp_study_depth sum = study_total(&study);
  ck_assert_uint_eq(study.depth_count, 1);
  ck_assert_uint_eq(sum.fallback_depth, 1);
  ck_assert_uint_eq(sum.tasks + sum.equal_items + sum.leaves, 0);
  ck_assert_uint_eq(sum.children_launched, scheme_of(_i) == CDP_SCHEME_HOST ? 0 : steps);
}
END_TEST

/* ---- Again, and not at all ------------------------------------------------------------------------------------- */

START_TEST(same_seed_gives_the_same_counts) {
  host_case sort = study_case(ITEMS, HOST_UNIFORM, scheme_of(_i));
  sort.options.pivot = CDP_PIVOT_RANDOM;
  must_count_by_seed(sort);
}
END_TEST

static void must_be_zeros(const cdp_study *study) {
  static const cdp_study nothing;
  ck_assert_mem_eq(study, &nothing, sizeof nothing);
}

START_TEST(failure_and_no_work_give_zeros) {
  const host_case sort = study_case(0, HOST_UNIFORM, CDP_SCHEME_LAST_BLOCK);
  cdp_study study;
  uint32_t key = 4;
  memset(&study, 0xEE, sizeof study);
  ck_assert_int_eq(cdp_study_quicksort(NULL, 5, CDP_U32, &sort.options, &study), CDP_ERROR_NULL);
  must_be_zeros(&study);
  memset(&study, 0xEE, sizeof study);
  ck_assert_int_eq(cdp_study_quicksort(&key, 1, (cdp_type)9, &sort.options, &study), CDP_ERROR_TYPE);
  must_be_zeros(&study);
  memset(&study, 0xEE, sizeof study);
  ck_assert_int_eq(cdp_study_quicksort(&key, 1, CDP_U32, &sort.options, &study), CDP_OK);
  must_be_zeros(&study);
  ck_assert_int_eq(cdp_study_quicksort(&key, 1, CDP_U32, &sort.options, NULL), CDP_ERROR_NULL);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "study is NULL"));
}
END_TEST

static Suite *study_suite(void) {
  Suite *suite = suite_create("study");
  TCase *keys = tcase_create("keys");
  tcase_set_timeout(keys, TEST_SECONDS);
  tcase_add_checked_fixture(keys, make_device, NULL);
  tcase_add_loop_test(keys, every_key_is_counted_once, 0, SCHEMES);
  tcase_add_loop_test(keys, scheme_is_told, 0, SCHEMES);
  tcase_add_loop_test(keys, leaf_is_one_range, 0, SCHEMES);
  tcase_add_loop_test(keys, whole_array_is_the_first_task, 0, SCHEMES);
  tcase_add_loop_test(keys, equal_keys_end_at_once, 0, SCHEMES);
  tcase_add_loop_test(keys, first_partition_is_as_counted_by_hand, 0, SCHEMES);
  tcase_add_loop_test(keys, tasks_are_larger_than_a_block_finishes, 0, SCHEMES);
  tcase_add_loop_test(keys, parts_that_are_a_little_long_are_no_tasks, 0, SCHEMES);
  tcase_add_loop_test(keys, rows_end_at_depth_count, 0, SCHEMES);
  suite_add_tcase(suite, keys);
  TCase *launches = tcase_create("launches");
  tcase_set_timeout(launches, TEST_SECONDS);
  tcase_add_checked_fixture(launches, make_device, NULL);
  tcase_add_loop_test(launches, launches_are_those_of_the_scheme, 0, SCHEMES);
  tcase_add_loop_test(launches, network_launches_a_grid_a_step, 0, SCHEMES);
  suite_add_tcase(suite, launches);
  TCase *again = tcase_create("again");
  tcase_set_timeout(again, TEST_SECONDS);
  tcase_add_checked_fixture(again, make_device, NULL);
  tcase_add_loop_test(again, same_seed_gives_the_same_counts, 0, SCHEMES);
  tcase_add_test(again, failure_and_no_work_give_zeros);
  suite_add_tcase(suite, again);
  return suite;
}

int main(void) {
  return run_suite(study_suite());
}
