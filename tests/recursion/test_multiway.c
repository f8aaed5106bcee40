/* SPDX-License-Identifier: MIT */
/*
 * Many children to a task: every fan-out in every scheme sorts whatever it is given, and its counters show what the rules of
 * the recursion say. test_study.c does the same for two; test_multiway_fallbacks.c is about what is refused or full.
 *
 * Linked with the static library: for the sizes at which a block or a tile is full, and to have a simulated device of so many
 * multiprocessors that a block finishes small ranges only.
 */
#include "host_check.h"
#include "planned.h"
#include "simulated_rules.h"

#include <string.h>

#define ITEMS 30000u
#define MULTIPROCESSORS 48u
#define FILL_GRID_ITEMS ((size_t)1 << 18) /* device/tuning.h: so many equal keys get a grid of their own */

#define FAN_OUTS 8

/* 8, 16, ... 1024. */
static uint32_t fan_out_of(int index) {
  return CDP_FAN_OUT_MIN << (index / SCHEMES % FAN_OUTS);
}

/* Before each test, in its process. */
static void make_device(void) {
  simulated_rules_set(MULTIPROCESSORS, 8);
}

static host_case fan_case(cdp_type type, size_t count, host_distribution distribution, uint64_t seed) {
  host_case sort = simulated_case(type, count, distribution, seed);
  sort.options.leaf_items = CDP_LEAF_MIN;
  return sort;
}

/* ---- Sorting --------------------------------------------------------------------------------------------------- */

/* _i: fan-out and scheme; each fan-out has every second distribution. Types, orders and leaf sizes in turn. */
START_TEST(sorts_every_distribution) {
  for (int distribution = _i / SCHEMES % 2; distribution < HOST_DISTRIBUTIONS; distribution += 2) {
    const int turn = _i + distribution;
    host_case sort =
        fan_case((cdp_type)(CDP_U32 + turn % 6), 9000 + (size_t)turn, (host_distribution)distribution, (uint64_t)turn);
    sort.offset_items = (size_t)(turn % 5);
    sort.options.fan_out = fan_out_of(_i);
    sort.options.scheme = scheme_of(_i);
    sort.options.order = turn % 2 == 0 ? CDP_ASCENDING : CDP_DESCENDING;
    sort.options.child_streams = turn % 3 == 0 ? CDP_STREAMS_NAMED : CDP_STREAMS_FIRE_AND_FORGET;
    sort.options.leaf_items = turn % 4 == 0 ? 0 : CDP_LEAF_MIN + (uint32_t)turn;
    must_sort(&sort);
  }
}
END_TEST

/* One on either side, too, at addresses that begin within a vector: tiles begin before the range then. */
static void sort_around(cdp_type type, size_t count, uint32_t fan_out) {
  for (size_t near = count == 0 ? 0 : count - 1; near <= count + 1; near++) {
    host_case sort = fan_case(type, near, near % 2 == 0 ? HOST_UNIFORM : HOST_FEW_DISTINCT, near);
    sort.options.fan_out = fan_out;
    for (sort.offset_items = ROUND_FIRST(near % 4); sort.offset_items < 4; sort.offset_items += ROUND_STRIDE)
      must_sort(&sort);
  }
}

/* What the device makes its decisions by. */
static cdp_plan read_plan(const host_case *sort) {
  return planned_simulated(&sort->options, sort->type, sort->count, MULTIPROCESSORS);
}

/* _i: type, and the least or the greatest fan-out. */
START_TEST(sorts_around_every_limit) {
  const cdp_type type = _i % 2 == 0 ? CDP_U32 : CDP_F64;
  const uint32_t fan_out = _i / 2 == 0 ? CDP_FAN_OUT_MIN : 0;
  const host_case sort = fan_case(type, ITEMS, HOST_UNIFORM, 1);
  const cdp_plan plan = read_plan(&sort);
  const size_t single = plan.one_block_items;
  const size_t sizes[] = {
      0,          1,          CDP_LEAF_MIN,     2 * CDP_LEAF_MIN, plan.target_range_items,     single, 2 * single,
      3 * single, 7 * single, plan.block_items, single / 2,       2 * (size_t)plan.block_items};
  ck_assert_uint_gt(single, CDP_LEAF_MIN);
  ck_assert_uint_lt(plan.block_items, ITEMS / 2);
  for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++)
    sort_around(type, sizes[size], fan_out);
}
END_TEST

/* Levels below levels, of every kind of keys. */
START_TEST(sorts_several_levels_deep) {
  static const host_distribution distributions[] = {HOST_UNIFORM, HOST_FEW_DISTINCT, HOST_LOST_PIVOT, HOST_STAGGERED,
                                                    HOST_EXTREMES};
  for (size_t which = 0; which < sizeof distributions / sizeof *distributions; which++) {
    host_case sort = fan_case(which % 2 == 0 ? CDP_U32 : CDP_I64, 60000, distributions[which], which);
    sort.options.fan_out = CDP_FAN_OUT_MIN;
    sort.options.scheme = scheme_of(_i);
    sort.offset_items = which;
    must_sort(&sort);
  }
}
END_TEST

/*
 * Arrays whose sample is in order, and one key is not: at either end, and wherever one of the rows begins that the lanes of a warp
 * look at, as every piece of an array does that somebody else looks at. _i: scheme, and the direction that they are in but for
 * that key.
 */
START_TEST(finds_the_one_key_out_of_order) {
  enum { COUNT = 8001, ROW = 32 };
  static uint32_t keys[COUNT + 4], before[COUNT];
  host_case sort = fan_case(CDP_U32, COUNT, HOST_SORTED, 1);
  sort.options.scheme = scheme_of(_i);
  const size_t step = (size_t)21 * ROW; // so that every scheme has rows of its own; all places there are, test_presorted has
  for (size_t turn = 0; turn * step < COUNT + 4 * step; turn++) {
    const size_t place =
        turn < 4 ? (turn % 2 == 0 ? turn / 2 : COUNT - 2 - turn / 2) : (turn - 4) * step + (size_t)(1 + _i) * ROW - 1;
    if (place > COUNT - 2)
      break;
    const size_t offset = place % 4;
    char why[HOST_WHY_BYTES];
    for (size_t index = 0; index < COUNT; index++)
      before[index] = (uint32_t)(_i / SCHEMES == 0 ? index : COUNT - index);
    const uint32_t moved = before[place];
    before[place] = before[place + 1];
    before[place + 1] = moved;
    memcpy(keys + offset, before, sizeof before);
    ck_assert_int_eq(cdp_quicksort(keys + offset, COUNT, CDP_U32, &sort.options), CDP_OK);
    ck_assert_msg(host_check_sorted(before, keys + offset, COUNT, CDP_U32, CDP_ASCENDING, why),
                  "keys %zu and %zu changed places, offset %zu: %s", place, place + 1, offset, why);
  }
}
END_TEST

/* What came in order is left so, and what came in the opposite one is turned round: nothing is sorted, however the blocks that look
   at it are scheduled, and however much is left over for the last of them. _i: scheme. */
START_TEST(what_came_in_order_is_not_sorted) {
  for (size_t turn = ROUND_FIRST((size_t)_i); turn < 60; turn += ROUND_STRIDE) {
    static const host_distribution distributions[] = {HOST_SORTED, HOST_REVERSED, HOST_REVERSED, HOST_ALL_EQUAL};
    const bool is_mapped = turn % 3 == 0;
    host_case sort =
        fan_case(turn % 2 == 0 ? CDP_U32 : CDP_I64, (is_mapped ? 300000 : 8000) + 37 * turn, distributions[turn % 4], turn);
    sort.options.scheme = scheme_of(_i);
    sort.options.seed = turn;
    sort.offset_items = turn % 3;
    if (is_mapped)
      sort.options.leaf_items = 0;
    const cdp_plan plan = read_plan(&sort);
    ck_assert_int_eq(plan.map_buckets != 0, is_mapped && sort.options.scheme != CDP_SCHEME_CONTROLLER);
    cdp_study study;
    must_study(&sort, &study);
    const cdp_study_depth sum = study_total(&study);
    ck_assert_msg(sum.leaf_items + sum.equal_items + sum.children_launched <= 1, "%zu %s keys, seed %zu: were sorted",
                  sort.count, host_distribution_name(sort.distribution), turn);
  }
}
END_TEST

/* NaNs of both signs, infinities and zeros of both signs, in both orders; _i: the type, and how deep. */
START_TEST(sorts_floats_in_their_total_order) {
  for (int order = CDP_ASCENDING; order <= CDP_DESCENDING; order++) {
    host_case sort = fan_case(_i % 2 == 0 ? CDP_F64 : CDP_F32, ITEMS, HOST_EXTREMES, (uint64_t)order);
    sort.options.order = (cdp_order)order;
    sort.options.fan_out = _i / 2 == 0 ? 0 : CDP_FAN_OUT_MIN;
    must_sort(&sort);
    sort.distribution = HOST_UNIFORM;
    must_sort(&sort);
  }
}
END_TEST

/* ---- What the counters show ------------------------------------------------------------------------------------ */

/* A key leaves the recursion in a bucket of equal keys or in a leaf. Arrays that are sorted as they come need neither. */
START_TEST(every_key_is_counted_once) {
  static const size_t counts[] = {33, 500, 1537, 4097, ITEMS};
  static const host_distribution distributions[] = {HOST_UNIFORM, HOST_FEW_DISTINCT, HOST_STAGGERED, HOST_GAUSSIAN,
                                                    HOST_BUCKET,  HOST_LOST_PIVOT,   HOST_EXTREMES};
  for (size_t which = 0; which < sizeof distributions / sizeof *distributions; which++) {
    for (size_t size = 0; size < sizeof counts / sizeof *counts; size++) {
      if (leaves_round_out((int)(5 * which + size), _i))
        continue;
      host_case sort = fan_case(size % 2 == 0 ? CDP_U32 : CDP_F64, counts[size], distributions[which], which);
      sort.options.fan_out = which % 2 == 0 ? 16 : 0;
      sort.options.scheme = scheme_of(_i);
      cdp_study study;
      must_study(&sort, &study);
      const cdp_study_depth sum = study_total(&study);
      ck_assert_uint_eq(sum.fallback_depth + sum.fallback_pool + sum.fallback_refused, 0);
      ck_assert_msg(sum.equal_items + sum.leaf_items == counts[size], "%zu %s keys: %llu equal and %llu in leaves",
                    counts[size], host_distribution_name(distributions[which]), (unsigned long long)sum.equal_items,
                    (unsigned long long)sum.leaf_items);
      ck_assert_uint_le(sum.leaf_items, sum.leaves * CDP_LEAF_MIN);
    }
  }
}
END_TEST

/* The whole array is one task; a task has as many children as its fan-out at most, and each is a larger task, or is listed and
   divided by one block. _i: fan-out and scheme. */
START_TEST(children_are_as_many_as_the_fan_out) {
  host_case sort = fan_case(CDP_U32, ITEMS, HOST_UNIFORM, 5);
  sort.options.fan_out = fan_out_of(_i);
  sort.options.scheme = scheme_of(_i);
  const cdp_plan plan = read_plan(&sort);
  cdp_study study;
  must_study(&sort, &study);
  ck_assert_uint_eq(study.depths[0].tasks, 1);
  ck_assert_uint_eq(study.depths[0].task_items, ITEMS);
  ck_assert_uint_eq(study.depths[0].min_task_items, ITEMS);
  ck_assert_uint_eq(study.depths[0].max_task_items, ITEMS);
  ck_assert_uint_eq(study.depths[0].leaves + study.depths[0].collected + study.depths[0].block_partitions, 0);
  for (uint32_t depth = 1; depth < study.depth_count; depth++) {
    const cdp_study_depth *row = &study.depths[depth];
    ck_assert_uint_le(row->tasks + row->collected, study.depths[depth - 1].tasks * sort.options.fan_out);
    if (row->tasks != 0)
      ck_assert_uint_gt(row->min_task_items, plan.block_items);
  }
  const cdp_study_depth sum = study_total(&study);
  ck_assert_uint_gt(sum.collected, ITEMS / plan.block_items);
  ck_assert_uint_gt(study.depths[study.depth_count - 1].leaves, 0);
  ck_assert_uint_ge(sum.block_partitions, sum.collected / 2);
  ck_assert_uint_eq(study.tasks_allocated, sum.tasks);
  ck_assert_uint_eq(study.task_capacity, plan.task_capacity);
}
END_TEST

/* A fan-out that suffices for one level has one, and a lesser one has more: no fan-out makes more tasks than a lesser one. */
START_TEST(lesser_fan_out_goes_deeper) {
  uint64_t tasks_before = UINT64_MAX;
  for (int which = 0; which < FAN_OUTS; which += FEW_ROUNDS ? ROUND_STRIDE : 2) {
    host_case sort = fan_case(CDP_U32, 60000, HOST_UNIFORM, 9);
    sort.options.fan_out = fan_out_of(which * SCHEMES);
    sort.options.scheme = scheme_of(_i);
    cdp_study study;
    must_study(&sort, &study);
    if (sort.options.fan_out <= 16)
      ck_assert_uint_gt(study.depths[1].tasks, 1);
    if (sort.options.fan_out >= 256) {
      ck_assert_uint_eq(study.depths[1].tasks, 0);
      ck_assert_uint_gt(study.depths[1].collected, 0);
    }
    const uint64_t tasks = study_total(&study).tasks;
    ck_assert_msg(tasks <= tasks_before, "fan-out %u has %llu tasks, the one before it %llu", sort.options.fan_out,
                  (unsigned long long)tasks, (unsigned long long)tasks_before);
    if (which == 0)
      ck_assert_uint_ge(tasks, 9);
    tasks_before = tasks;
  }
}
END_TEST

/* Nothing but leaves on the way to the ranges of a block that is given a range of equal keys: they are all written at once. */
START_TEST(equal_keys_of_a_block_are_written) {
  host_case sort = fan_case(_i == 0 ? CDP_U32 : CDP_F64, 700, HOST_ALL_EQUAL, 2);
  cdp_study study;
  must_study(&sort, &study);
  const cdp_study_depth sum = study_total(&study);
  ck_assert_uint_eq(study.depths[0].equal_items, 700);
  ck_assert_uint_eq(study.depths[0].block_partitions, 1);
  ck_assert_uint_eq(sum.leaves + sum.tasks + sum.children_launched, 0);
}
END_TEST

/* A value that most keys have leaves the recursion at its first level, in whatever order it comes; where it is frequent enough,
   a grid writes it. */
START_TEST(frequent_values_leave_at_once) {
  host_case sort = fan_case(CDP_U32, FILL_GRID_ITEMS + FILL_GRID_ITEMS / 2, HOST_LOST_PIVOT, 3);
  sort.options.leaf_items = 0;
  sort.options.scheme = scheme_of(_i);
  cdp_study study;
  must_study(&sort, &study);
  ck_assert_uint_ge(study.depths[0].equal_items, FILL_GRID_ITEMS);
  ck_assert_uint_eq(study.depths[0].tasks, 1);
  const cdp_study_depth sum = study_total(&study);
  ck_assert_uint_eq(sum.equal_items + sum.leaf_items, sort.count);
}
END_TEST

/*
 * Grids that a task takes: its preparation, which the root does itself, two stages, those of the controller with a continuation
 * each, and one for the ranges it lists. And the batches.
 */
START_TEST(launches_are_those_of_the_scheme) {
  static const uint64_t grids_per_task[SCHEMES] = {3, 5, 0};
  for (int streams = CDP_STREAMS_FIRE_AND_FORGET; streams <= CDP_STREAMS_NAMED; streams++) {
    host_case sort = fan_case(CDP_U32, 60000, HOST_UNIFORM, 7);
    sort.options.fan_out = CDP_FAN_OUT_MIN;
    sort.options.scheme = scheme_of(_i);
    sort.options.child_streams = (cdp_child_streams)streams;
    cdp_study study;
    must_study(&sort, &study);
    const cdp_study_depth sum = study_total(&study);
    ck_assert_uint_gt(sum.tasks, 8);
    if (scheme_of(_i) == CDP_SCHEME_HOST) {
      ck_assert_uint_eq(sum.children_launched, 0);
    } else {
      ck_assert_uint_gt(sum.children_launched, grids_per_task[_i] * sum.tasks - 1);
      ck_assert_uint_le(sum.children_launched, (grids_per_task[_i] + 1) * sum.tasks + study.batches);
    }
    ck_assert_uint_eq(sum.launches_refused + sum.fallback_refused + sum.fallback_pool + sum.fallback_depth, 0);
    ck_assert_int_eq(study.first_fault, 0);
    ck_assert_uint_ge(study.tasks_in_batch, 1);
  }
}
END_TEST

/* The first task counts for the first batch in every scheme, also if it starts behind a look for disorder that found some. */
START_TEST(task_behind_a_look_is_counted) {
  enum { COUNT = 8000 };
  static uint32_t keys[COUNT];
  host_case sort = fan_case(CDP_U32, COUNT, HOST_SORTED, 1);
  sort.options.scheme = scheme_of(_i);
  for (uint32_t index = 0; index < COUNT; index++)
    keys[index] = index ^ (index / 2 == COUNT / 4 ? 1 : 0);
  cdp_study study;
  ck_assert_int_eq(cdp_study_quicksort(keys, COUNT, CDP_U32, &sort.options, &study), CDP_OK);
  ck_assert_uint_eq(study_total(&study).tasks, 1);
  ck_assert_uint_eq(study.tasks_in_batch, 1);
  for (uint32_t index = 0; index < COUNT; index++)
    ck_assert_uint_eq(keys[index], index);
}
END_TEST

START_TEST(same_seed_gives_the_same_counts) {
  host_case sort = fan_case(CDP_U32, ITEMS, HOST_UNIFORM, 4);
  sort.options.fan_out = CDP_FAN_OUT_MIN;
  sort.options.scheme = scheme_of(_i);
  must_count_by_seed(sort);
}
END_TEST

static Suite *multiway_suite(void) {
  Suite *suite = suite_create("multiway");
  TCase *sorting = tcase_create("sorting");
  tcase_set_timeout(sorting, TEST_SECONDS);
  tcase_add_checked_fixture(sorting, make_device, NULL);
  add_options_loop_test(sorting, sorts_every_distribution, 0, FAN_OUTS * SCHEMES);
  tcase_add_loop_test(sorting, sorts_around_every_limit, 0, 4);
  tcase_add_loop_test(sorting, sorts_several_levels_deep, 0, SCHEMES);
  add_options_loop_test(sorting, finds_the_one_key_out_of_order, 0, 2 * SCHEMES);
  tcase_add_loop_test(sorting, what_came_in_order_is_not_sorted, 0, SCHEMES);
  tcase_add_loop_test(sorting, sorts_floats_in_their_total_order, 0, 4);
  suite_add_tcase(suite, sorting);
  TCase *counters = tcase_create("counters");
  tcase_set_timeout(counters, TEST_SECONDS);
  tcase_add_checked_fixture(counters, make_device, NULL);
  tcase_add_loop_test(counters, every_key_is_counted_once, 0, SCHEMES);
  add_options_loop_test(counters, children_are_as_many_as_the_fan_out, 0, FAN_OUTS * SCHEMES);
  tcase_add_loop_test(counters, lesser_fan_out_goes_deeper, 0, SCHEMES);
  tcase_add_loop_test(counters, equal_keys_of_a_block_are_written, 0, 2);
  tcase_add_loop_test(counters, frequent_values_leave_at_once, 0, SCHEMES);
  tcase_add_loop_test(counters, launches_are_those_of_the_scheme, 0, SCHEMES);
  tcase_add_loop_test(counters, task_behind_a_look_is_counted, 0, SCHEMES);
  tcase_add_loop_test(counters, same_seed_gives_the_same_counts, 0, SCHEMES);
  suite_add_tcase(suite, counters);
  return suite;
}

int main(void) {
  return run_suite(multiway_suite());
}
