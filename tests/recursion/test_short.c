/* SPDX-License-Identifier: MIT */
/*
 * Short arrays, sorted in two launches, and single ones, sorted by one block: every distribution, the sizes at which each
 * begins and ends, buckets that do not fit a block, refused launches; and that the options decide.
 *
 * Linked with the static library: for the sizes at which a tile is full, and to have a simulated device of other sizes.
 */
#include "host_check.h"
#include "planned.h"
#include "simulated_rules.h"

#include "plan_limits.h"

#include <string.h>

#define MULTIPROCESSORS 16u

/* Before each test, in its process. */
static void make_device(void) {
  simulated_rules_set(MULTIPROCESSORS, 6);
}

/* What the device makes its decisions by. */
static cdp_plan read_plan(const host_case *sort) {
  return planned_simulated(&sort->options, sort->type, sort->count, MULTIPROCESSORS);
}

static cdp_plan plan_of(cdp_type type, size_t count) {
  const host_case sort = simulated_case(type, count, HOST_UNIFORM, 1);
  return read_plan(&sort);
}

/* The most keys that are still sorted so. */
static size_t short_items_most(cdp_type type) {
  size_t low = plan_of(type, 2).one_block_items + (size_t)1;
  size_t high = (size_t)1 << 24;
  ck_assert_int_eq(plan_of(type, low).path, CDP_PATH_SHORT);
  ck_assert_int_eq(plan_of(type, high).path, CDP_PATH_TASKS);
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (plan_of(type, middle).path == CDP_PATH_SHORT)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* ---- Sorting --------------------------------------------------------------------------------------------------- */

/* _i: the distribution. Types, orders, sizes and addresses in turn. */
START_TEST(sorts_every_distribution) {
  for (int turn = ROUND_FIRST(_i); turn < 24; turn += ROUND_STRIDE) {
    const cdp_type type = (cdp_type)(CDP_U32 + turn % 6);
    const size_t most = short_items_most(type);
    host_case sort = simulated_case(type, most * (size_t)(turn + 1) / 24, (host_distribution)_i, (uint64_t)turn);
    sort.offset_items = (size_t)(turn % 5);
    sort.options.order = turn / 6 % 2 == 0 ? CDP_ASCENDING : CDP_DESCENDING;
    must_sort(&sort);
  }
}
END_TEST

/* _i: the type, and whether keys are few values. */
START_TEST(sorts_around_every_limit) {
  const cdp_type type = _i % 2 == 0 ? CDP_U32 : CDP_F64;
  const size_t single = plan_of(type, 2).one_block_items;
  const size_t small_tile = plan_of(type, single + 1).short_tile_items;
  const size_t sizes[] = {2,
                          33,
                          single / 2,
                          single,
                          single + 3,
                          2 * single,
                          3 * single,
                          5 * small_tile,
                          6 * small_tile,
                          (MULTIPROCESSORS - 1) * small_tile, // one block has no tile
                          7 * single,
                          short_items_most(type)};
  for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++)
    for (size_t near = sizes[size] - 1; near <= sizes[size] + 1; near++) {
      host_case sort = simulated_case(type, near, _i / 2 == 0 ? HOST_UNIFORM : HOST_FEW_DISTINCT, near);
      for (sort.offset_items = ROUND_FIRST(near % 4); sort.offset_items < 4; sort.offset_items += ROUND_STRIDE)
        must_sort(&sort);
    }
}
END_TEST

/* Runs as long as tiles: arrays in order but for one pair of keys. _i: the direction that they are in but for that pair. */
START_TEST(sorts_what_is_almost_in_order) {
  enum { COUNT = 9000 };
  static uint32_t keys[COUNT], before[COUNT];
  const host_case sort = simulated_case(CDP_U32, COUNT, HOST_SORTED, 1);
  ck_assert_int_eq(plan_of(CDP_U32, COUNT).path, CDP_PATH_SHORT);
  static const size_t places[] = {0, 1, 95, 1535, 1536, 4444, COUNT - 2};
  for (size_t which = 0; which < sizeof places / sizeof *places; which++) {
    char why[HOST_WHY_BYTES];
    for (size_t index = 0; index < COUNT; index++)
      before[index] = (uint32_t)(_i == 0 ? index : COUNT - index);
    const uint32_t moved = before[places[which]];
    before[places[which]] = before[places[which] + 1];
    before[places[which] + 1] = moved;
    memcpy(keys, before, sizeof before);
    ck_assert_int_eq(cdp_quicksort(keys, COUNT, CDP_U32, &sort.options), CDP_OK);
    ck_assert_msg(host_check_sorted(before, keys, COUNT, CDP_U32, CDP_ASCENDING, why), "keys %zu and %zu changed places: %s",
                  places[which], places[which] + 1, why);
  }
}
END_TEST

/* ---- What the counters show ------------------------------------------------------------------------------------ */

/* One task and no launch for its children, which are leaves or equal keys. */
START_TEST(one_grid_and_no_more) {
  static const host_distribution distributions[] = {HOST_UNIFORM, HOST_STAGGERED, HOST_GAUSSIAN, HOST_BUCKET, HOST_LOST_PIVOT};
  for (size_t which = 0; which < sizeof distributions / sizeof *distributions; which++) {
    host_case sort = simulated_case(_i % 2 == 0 ? CDP_U32 : CDP_I64, _i / 2 == 0 ? 5000 : 12000, distributions[which], which);
    const uint32_t buckets = plan_of(sort.type, sort.count).short_fan_out;
    ck_assert_uint_ne(buckets, 0);
    cdp_study study;
    must_study(&sort, &study);
    const cdp_study_depth sum = study_total(&study);
    ck_assert_uint_eq(study.depths[0].tasks, 1);
    ck_assert_uint_eq(study.depths[0].task_items, sort.count);
    ck_assert_uint_eq(study.depths[0].min_task_items, sort.count);
    ck_assert_uint_eq(study.depths[0].max_task_items, sort.count);
    ck_assert_uint_eq(sum.equal_items + sum.leaf_items, sort.count);
    ck_assert_uint_eq(sum.leaves, study.depths[1].leaves);
    ck_assert_uint_le(sum.leaves, buckets);
    if (distributions[which] == HOST_UNIFORM) {
      ck_assert_uint_ge(sum.leaves, buckets * 3 / 4);
      ck_assert_uint_eq(sum.equal_items, 0);
    }
    if (distributions[which] == HOST_LOST_PIVOT)
      ck_assert_uint_gt(study.depths[0].equal_items, sort.count / 2);
    ck_assert_uint_eq(sum.children_launched, 0);
    ck_assert_uint_eq(sum.tasks + sum.collected + sum.block_partitions + sum.deferred, 1);
    ck_assert_uint_eq(sum.launches_refused + sum.fallback_depth + sum.fallback_pool + sum.fallback_refused, 0);
    ck_assert_int_eq(study.first_fault, 0);
  }
}
END_TEST

START_TEST(one_block_for_what_it_holds) {
  const cdp_type type = _i == 0 ? CDP_F32 : CDP_U64;
  const uint32_t single = plan_of(type, 2).one_block_items;
  for (size_t count = single - 1; count <= single + 1; count++) {
    const host_case sort = simulated_case(type, count, HOST_UNIFORM, count);
    cdp_study study;
    must_study(&sort, &study);
    const cdp_study_depth sum = study_total(&study);
    ck_assert_uint_eq(sum.children_launched, 0);
    ck_assert_uint_eq(sum.tasks, count <= single ? 0 : 1);
    if (count <= single) {
      ck_assert_uint_eq(study.depths[0].leaves, 1);
      ck_assert_uint_eq(study.depths[0].leaf_items, count);
      ck_assert_uint_eq(sum.tasks + sum.block_partitions, 0);
    }
  }
}
END_TEST

/* Arrays in order, or in the opposite one, are sorted as any other, and every key once. */
START_TEST(presorted_arrays_take_one_grid) {
  const host_case sort = simulated_case(CDP_U32, 9000, _i == 0 ? HOST_SORTED : HOST_REVERSED, 1);
  cdp_study study;
  must_study(&sort, &study);
  const cdp_study_depth sum = study_total(&study);
  ck_assert_uint_eq(sum.tasks, 1);
  ck_assert_uint_eq(sum.equal_items + sum.leaf_items, sort.count);
  ck_assert_uint_eq(sum.children_launched, 0);
}
END_TEST

/* Random keys, with the limits in force from now on. */
static host_case limited_case(const cdp_plan_limits *limits, uint64_t seed, size_t bytes) {
  static const cdp_tuning short_anyway = {.size = sizeof short_anyway, .short_items = UINT32_MAX};
  cdp_plan_limit(limits);
  const size_t count = seed % 2 == 0 ? bytes / 4 : bytes / 8;
  host_case sort = simulated_case(seed % 2 == 0 ? CDP_U32 : CDP_F64, count, HOST_UNIFORM, seed);
  sort.options.tuning = &short_anyway;
  return sort;
}

/* So few buckets that about half of them fit no block. */
static host_case crowded_case(uint64_t seed, size_t bytes) {
  static const cdp_plan_limits crowded = {.short_fan_out = CDP_FAN_OUT_MIN};
  return limited_case(&crowded, seed, bytes);
}

/* What fits no block is sorted behind the grid: by blocks of one grid or, where that would take too long, each as a task. _i:
   the latter. */
START_TEST(long_buckets_are_sorted_behind_the_grid) {
  uint64_t behind = 0;
  uint64_t tasks = 0;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    const host_case sort = crowded_case(seed, _i == 0 ? 131000 : 320000);
    cdp_study study;
    must_study(&sort, &study);
    const cdp_study_depth sum = study_total(&study);
    behind += sum.children_launched;
    tasks += sum.tasks - 1;
    if (_i == 0)
      ck_assert_uint_le(sum.children_launched, 1);
    ck_assert_uint_eq(sum.equal_items + sum.leaf_items, sort.count);
    ck_assert_uint_eq(sum.launches_refused + sum.fallback_refused, 0);
  }
  ck_assert_uint_ge(behind, 12);
  ck_assert_uint_eq(tasks != 0, _i != 0);
}
END_TEST

/* ---- Refused launches ------------------------------------------------------------------------------------------ */

/* _i: the limit, 1 to 4. With 1 the root is all there may be. */
START_TEST(refused_launches_lose_nothing) {
  cdp_fault fault = {0};
  const uint32_t limit = (uint32_t)_i;
  ck_assert_int_eq(cdp_engine_simulated()->set_pending_limit(limit, &fault), CDP_OK);
  uint64_t refused = 0;
  for (uint64_t seed = 1; seed <= 8; seed++) {
    host_case sort = crowded_case(seed, limit % 2 == 0 ? 131000 : 320000);
    sort.distribution = seed % 3 == 0 ? HOST_SORTED : HOST_UNIFORM;
    cdp_study study;
    must_study(&sort, &study);
    const cdp_study_depth sum = study_total(&study);
    ck_assert_uint_eq(sum.launches_refused == 0, study.first_fault == 0);
    refused += sum.fallback_refused;
  }
  if (limit == 1)
    ck_assert_uint_gt(refused, 0); // by the device, or by the sort's own budget
}
END_TEST

/* The grid for all that is listed is refused, while others list theirs. _i: the chance, of 1024. */
START_TEST(refused_lists_lose_nothing) {
  uint64_t refused = 0;
  for (uint64_t seed = 1; seed <= 24; seed++) {
    const host_case sort = crowded_case(seed, 131000);
    simulated_rules_refuse((uint32_t)_i);
    cdp_study study;
    must_study(&sort, &study);
    const cdp_study_depth sum = study_total(&study);
    refused += sum.fallback_refused;
    ck_assert_uint_eq(simulated_launches_taken(), 0);
  }
  ck_assert_uint_gt(refused, 2);
}
END_TEST

/* Room for one bucket behind the grid, where many need it. _i: as tasks. */
START_TEST(full_lists_lose_nothing) {
  static const cdp_plan_limits full = {.short_fan_out = CDP_FAN_OUT_MIN, .worklist_capacity = 1, .task_capacity = 1};
  uint64_t behind = 0;
  uint64_t without_room = 0;
  for (uint64_t seed = 1; seed <= 8; seed++) {
    const host_case sort = limited_case(&full, seed, _i == 0 ? 131000 : 320000);
    cdp_study study;
    must_study(&sort, &study);
    const cdp_study_depth sum = study_total(&study);
    behind += sum.children_launched;
    without_room += sum.fallback_pool;
    ck_assert_uint_eq(sum.launches_refused + sum.fallback_refused, 0);
    ck_assert_int_eq(study.first_fault, 0);
  }
  ck_assert_uint_gt(behind, 0);
  ck_assert_uint_gt(without_room, 8);
}
END_TEST

/* ---- Options --------------------------------------------------------------------------------------------------- */

#define SIMULATED_OPTIONS(...)                                                                                                 \
  { .size = sizeof(cdp_options), .device = CDP_DEVICE_SIMULATED, __VA_ARGS__ }

/* What an option asks about is not left out: another scheme, streams of their own, the bitonic leaf, whatever its size, few
   children. The first row asks for nothing that it does without. */
START_TEST(options_decide) {
  enum { COUNT = 9000 };
  static const cdp_tuning just_short = {.size = sizeof just_short, .short_items = COUNT};
  static const cdp_tuning not_short = {.size = sizeof not_short, .short_items = COUNT - 1};
  static const cdp_tuning short_of_one = {.size = sizeof short_of_one, .short_items = 1};
  static const cdp_tuning without_short = {.size = sizeof without_short, .disable = CDP_DISABLE_SHORT, .short_items = COUNT};
  static const cdp_options rows[] = {
      SIMULATED_OPTIONS(.tuning = &just_short),
      SIMULATED_OPTIONS(.scheme = CDP_SCHEME_CONTROLLER),
      SIMULATED_OPTIONS(.child_streams = CDP_STREAMS_NAMED),
      SIMULATED_OPTIONS(.leaf_items = CDP_LEAF_MIN),
      SIMULATED_OPTIONS(.leaf_items = CDP_LEAF_MAX_4_BYTES),
      SIMULATED_OPTIONS(.fan_out = CDP_FAN_OUT_MIN),
      SIMULATED_OPTIONS(.tuning = &not_short),
      SIMULATED_OPTIONS(.tuning = &short_of_one),
      SIMULATED_OPTIONS(.tuning = &without_short),
      SIMULATED_OPTIONS(.depth_limit = 1),
  };
  for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
    host_case sort = simulated_case(CDP_U32, COUNT, HOST_UNIFORM, 1);
    sort.options = rows[row];
    cdp_study study;
    must_study(&sort, &study);
    const cdp_study_depth sum = study_total(&study);
    // The rows that are about lengths have a map instead, which launches nothing either.
    const bool launches = row != 0 && (row < 6 || row == 9);
    ck_assert_msg((sum.children_launched != 0) == launches, "row %zu: %llu launches", row,
                  (unsigned long long)sum.children_launched);
    const cdp_plan plan = read_plan(&sort);
    ck_assert_msg((plan.path == CDP_PATH_SHORT) == (row == 0), "row %zu", row);
    ck_assert_uint_eq(sum.tasks, 1);
  }
}
END_TEST

START_TEST(one_block_items_decides) {
  host_case sort = simulated_case(CDP_U32, 1000, HOST_UNIFORM, 1);
  cdp_tuning tuning = CDP_TUNING_INIT;
  cdp_study study;
  sort.options.tuning = &tuning;
  must_study(&sort, &study);
  ck_assert_uint_eq(study_total(&study).tasks, 0);
  tuning.one_block_items = 999;
  must_study(&sort, &study);
  ck_assert_uint_eq(study_total(&study).tasks, 1);
  tuning.one_block_items = 1000;
  must_study(&sort, &study);
  ck_assert_uint_eq(study_total(&study).tasks, 0);
  tuning.one_block_items = 1;
  must_study(&sort, &study);
  ck_assert_uint_eq(study_total(&study).tasks, 1);
  tuning.one_block_items = 1000;
  tuning.disable = CDP_DISABLE_ONE_BLOCK;
  must_study(&sort, &study);
  ck_assert_uint_eq(study_total(&study).tasks, 1);
  tuning.disable = CDP_DISABLE_ONE_BLOCK | CDP_DISABLE_SHORT;
  for (sort.count = 0; sort.count < 70; sort.count++)
    must_sort(&sort);
  sort.count = 1000;
  must_study(&sort, &study);
  ck_assert_uint_gt(study_total(&study).leaves, 1);
}
END_TEST

START_TEST(same_seed_gives_the_same_counts) {
  must_count_by_seed(crowded_case(4, 48000));
}
END_TEST

static Suite *short_suite(void) {
  Suite *suite = suite_create("short");
  TCase *sorting = tcase_create("sorting");
  tcase_set_timeout(sorting, TEST_SECONDS);
  tcase_add_checked_fixture(sorting, make_device, NULL);
  tcase_add_loop_test(sorting, sorts_every_distribution, 0, HOST_DISTRIBUTIONS);
  tcase_add_loop_test(sorting, sorts_around_every_limit, 0, 4);
  tcase_add_loop_test(sorting, sorts_what_is_almost_in_order, 0, 2);
  suite_add_tcase(suite, sorting);
  TCase *counters = tcase_create("counters");
  tcase_set_timeout(counters, TEST_SECONDS);
  tcase_add_checked_fixture(counters, make_device, NULL);
  tcase_add_loop_test(counters, one_grid_and_no_more, 0, 4);
  tcase_add_loop_test(counters, one_block_for_what_it_holds, 0, 2);
  tcase_add_loop_test(counters, presorted_arrays_take_one_grid, 0, 2);
  tcase_add_loop_test(counters, long_buckets_are_sorted_behind_the_grid, 0, 2);
  tcase_add_loop_test(counters, refused_launches_lose_nothing, 1, 5);
  tcase_add_loop_test(counters, refused_lists_lose_nothing, 500, 501);
  tcase_add_loop_test(counters, full_lists_lose_nothing, 0, 2);
  suite_add_tcase(suite, counters);
  TCase *options = tcase_create("options");
  tcase_set_timeout(options, TEST_SECONDS);
  tcase_add_checked_fixture(options, make_device, NULL);
  tcase_add_test(options, options_decide);
  tcase_add_test(options, one_block_items_decides);
  tcase_add_test(options, same_seed_gives_the_same_counts);
  suite_add_tcase(suite, options);
  return suite;
}

int main(void) {
  return run_suite(short_suite());
}
