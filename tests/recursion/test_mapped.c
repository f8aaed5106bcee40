/* SPDX-License-Identifier: MIT */
/*
 * Arrays that are divided by a map of their keys, and whose buckets are sorted on chip: every distribution, keys that a map
 * makes little of, refused launches; and that options decide.
 *
 * Linked with the static library: to look at plans, and to have a simulated device of other sizes.
 */
#include "host_check.h"
#include "planned.h"
#include "simulated_rules.h"
#include "study_total.h"

#include "plan_limits.h"

#include <stdlib.h>
#include <string.h>

#define MULTIPROCESSORS 4u
/* More keys than the shortest mapped array; one scatter does for the lesser number, groups are needed for the other. */
#define FEW_ITEMS 41000u
#define MANY_ITEMS 90000u

/* Before each test, in its process. */
static void make_device(void) {
  simulated_rules_set(MULTIPROCESSORS, 6);
}

static cdp_plan plan_of(const cdp_options *options, cdp_type type, size_t count) {
  return planned_simulated(options, type, count, MULTIPROCESSORS);
}

/* Types, orders, sizes, addresses and who launches in turn. */
static host_case turn_case(int turn, host_distribution distribution, uint64_t seed) {
  host_case sort =
      simulated_case((cdp_type)(CDP_U32 + turn % 6), (turn / 6) % 2 == 0 ? FEW_ITEMS : MANY_ITEMS, distribution, seed);
  sort.options.order = turn % 4 < 2 ? CDP_ASCENDING : CDP_DESCENDING;
  sort.options.scheme = turn % 3 == 2 ? CDP_SCHEME_HOST : CDP_SCHEME_LAST_BLOCK;
  sort.offset_items = (size_t)(turn % 5);
  sort.count += (size_t)(turn % 7);
  return sort;
}

/* ---- Sorting --------------------------------------------------------------------------------------------------- */

/* _i: the distribution. */
START_TEST(sorts_every_distribution) {
  for (int turn = 0; turn < 12; turn += SANITIZED_STRIDE) {
    const host_case sort = turn_case(turn, (host_distribution)_i, 100 * (uint64_t)_i + (uint64_t)turn);
    must_sort(&sort);
  }
}
END_TEST

/* Random keys are sorted on chip: no task has a child, and only a bucket now and then is a block's, for those of a simulated
   device are so small that chance alone makes one too long. */
START_TEST(random_keys_are_sorted_on_chip) {
  for (int turn = 0; turn < 12; turn += SANITIZED_STRIDE) {
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

/* Arrays so long that there are no more buckets to divide them into are sorted by blocks, still on chip: a bucket that a block
   can sort there is no reason to give the map up. */
START_TEST(fullest_maps_are_sorted_on_chip) {
  for (int turn = 0; turn < 2; turn++) {
    const bool is_by_host = _i % 2 != 0;
    const size_t items = is_by_host ? (turn == 0 ? 500000 : 1100000) : (turn == 0 ? 640000 : 1900000);
    host_case sort = simulated_case(turn == 0 ? CDP_U32 : CDP_I64, items, HOST_UNIFORM, (uint64_t)_i);
    sort.options.scheme = is_by_host ? CDP_SCHEME_HOST : CDP_SCHEME_LAST_BLOCK;
    const cdp_plan plan = plan_of(&sort.options, sort.type, sort.count);
    ck_assert_uint_ne(plan.map_buckets, 0);
    cdp_study study;
    must_study(&sort, &study);
    // A simulated device looks at so few keys that those beyond the least and the greatest of them may be too many for a block.
    ck_assert_uint_eq(study.depths[0].max_task_items, sort.count);
    ck_assert_uint_ge(study.depths[1].leaf_items, sort.count / 100 * 98);
    // On average they are longer than a team's room, of 256 keys and of 768. The host's maps have 32 groups of 32 at most.
    ck_assert_uint_gt(sort.count / (is_by_host ? 1024 : plan.map_buckets), turn == 0 ? 256 : 768);
  }
}
END_TEST

/* So many keys that a block has no counters for all of their buckets: which are counted when their groups have been. And so many
   that a team has no counters for all groups. */
static size_t long_items(bool is_wide) {
  return is_wide ? 480000 : 170000;
}

static size_t longest_items(bool is_wide) {
  return is_wide ? 760000 : 260000;
}

/* Keys read and written, in numbers of all of them, before the buckets are sorted: counted once or twice, and moved twice. */
START_TEST(long_arrays_are_counted_twice) {
  for (int turn = SANITIZED_FIRST(_i); turn < 8; turn += SANITIZED_STRIDE) {
    const bool is_wide = turn % 2 != 0;
    const bool is_long = turn % 4 < 2;
    const size_t items = !is_long ? MANY_ITEMS : _i % 2 == 0 ? long_items(is_wide) : longest_items(is_wide);
    host_case sort = simulated_case(is_wide ? CDP_I64 : CDP_F32, items, HOST_UNIFORM, 8 * (uint64_t)_i + (uint64_t)turn);
    sort.options.scheme = turn < 4 ? CDP_SCHEME_LAST_BLOCK : CDP_SCHEME_HOST;
    sort.options.order = turn % 3 == 0 ? CDP_ASCENDING : CDP_DESCENDING;
    sort.offset_items = (size_t)turn;
    cdp_study study;
    must_study(&sort, &study);
    ck_assert_uint_eq(study.depths[0].max_task_items, sort.count);
    ck_assert_uint_eq(study.depths[0].bytes_moved, (is_long ? 6u : 5u) * sort.count * (is_wide ? 8 : 4));
    ck_assert_uint_ge(study.depths[1].leaf_items, sort.count / 100 * 98);
    // Hardly a bucket is too long for a team; where the host launches, there are not as many.
    if (sort.options.scheme != CDP_SCHEME_HOST)
      ck_assert_uint_lt(study.depths[1].block_partitions, study.depths[1].leaves / 10);
  }
}
END_TEST

/* _i: the distribution. */
START_TEST(long_arrays_of_every_distribution) {
  for (int turn = 0; turn < 2; turn++) {
    host_case sort = turn_case(6 * turn + _i % 6, (host_distribution)_i, (uint64_t)_i);
    const bool is_wide = sort.type == CDP_U64 || sort.type == CDP_I64 || sort.type == CDP_F64;
    sort.count = (turn == 0 ? long_items(is_wide) : longest_items(is_wide)) + (size_t)_i;
    must_sort(&sort);
  }
}
END_TEST

/* Keys that are spread as no map likes it. _i: how. */
static uint64_t odd_key(int kind, uint64_t *state, bool is_wide) {
  const uint64_t random = host_random(state);
  const uint32_t up = is_wide ? 32 : 0;
  switch (kind) {
  case 0: // most of them small, by any number of orders of magnitude
    return random >> (host_random(state) % 60);
  case 1: // one value in ten keys: a bucket too long for a team, or a block
    return random % 10 == 0 ? 123456789u : random;
  case 2: // few values, each in many keys
    return random % 700 * 6000011u;
  case 3: // a few keys far from all the others
    return random % 5000 == 0 ? random | 0xC0000000u : random % 65536;
  case 4: // clusters: many different keys in the same cell of a bucket
    return ((random % 256 << 24) << up) | (random >> 20) % 128;
  case 5: // half of the keys of four values, the least and the greatest of all among them
    return random % 2 == 0 ? random : (uint64_t)0 - host_random(state) % 2 + (random / 2 % 2 == 0 ? 0 : 0x5555555555555555u);
  case 6: // two values and nothing else
    return random % 2 == 0 ? 77 : 0xFFFFFFFFFFFFFFFEu;
  case 7: // words of a text: the r-th comes with a probability of about 1 / r, wherever it is
    return (((random >> 20) % 8192 | 4096) >> (random % 13)) * 0x9E3779B97F4A7C15u;
  case 8: // more frequent values than there is room for
    return random % 300 * 0x00DAA66D2C7DDEu;
  case 9: // a value that a tenth of the keys have, in the midst of a few thousand others that are close to one another
    return random % 10 == 0 ? (uint64_t)(70000 + 500) << up : random % 20 == 1 ? (70000 + (random >> 20) % 1000) << up : random;
  case 10: // a few clusters, each of which makes a bucket too long for any block
    return (random % 8 << 29 << up) | (random >> 20) % 4096;
  case 11: { // small numbers, each a little rarer than the one before it: most are frequent, and neighbours
    const uint64_t one = random % 300;
    const uint64_t other = (random >> 20) % 300;
    return one < other ? one : other;
  }
  default: // upper halves alike
    return 0x5000000000000000u + (random >> 40);
  }
}

#define ODD_KEYS 13

/* Sorts keys of a kind, looks at them, and counts. */
static cdp_study sort_odd_keys(int kind, uint64_t seed, size_t count, bool is_wide, cdp_scheme scheme) {
  const size_t bytes = count * (is_wide ? 8 : 4);
  unsigned char *keys = malloc(bytes);
  unsigned char *sorted = malloc(bytes);
  ck_assert(keys != NULL && sorted != NULL);
  uint64_t state = seed;
  for (size_t index = 0; index < count; index++) {
    const uint64_t key = odd_key(kind, &state, is_wide);
    const uint32_t half = (uint32_t)key;
    memcpy(keys + index * (is_wide ? 8 : 4), is_wide ? (const void *)&key : (const void *)&half, is_wide ? 8 : 4);
  }
  memcpy(sorted, keys, bytes);
  cdp_options options = CDP_OPTIONS_INIT;
  options.device = CDP_DEVICE_SIMULATED;
  options.seed = seed;
  options.scheme = scheme;
  const cdp_type type = is_wide ? CDP_U64 : CDP_U32;
  char why[HOST_WHY_BYTES];
  cdp_study study;
  ck_assert_int_eq(cdp_study_quicksort(sorted, count, type, &options, &study), CDP_OK);
  ck_assert_msg(host_check_sorted(keys, sorted, count, type, CDP_ASCENDING, why), "kind %d, seed %d: %s", kind, (int)seed, why);
  free(keys);
  free(sorted);
  return study;
}

/* Those that keys are never moved for: of the kinds that have some, all of them, whichever way the rest is spread. */
START_TEST(frequent_values_are_counted) {
  static const struct {
    int kind;
    double least; /* share of the keys */
  } cases[] = {{1, 0.09}, {5, 0.45}, {6, 0.99}, {7, 0.12}, {9, 0.09}};
  for (size_t which = 0; which < sizeof cases / sizeof *cases; which++)
    for (int turn = SANITIZED_FIRST((_i + (int)which) % 4); turn < 4; turn += SANITIZED_STRIDE) {
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

/* Frequent values leave so few other keys of a long array that their buckets are counted at once: none is moved. Half of the keys
   are of such values, or all. */
START_TEST(frequent_values_shorten_long_arrays) {
  for (int turn = SANITIZED_FIRST(_i); turn < 4; turn += SANITIZED_STRIDE) {
    const bool is_wide = turn % 2 != 0;
    const size_t count = long_items(is_wide);
    const cdp_study study = sort_odd_keys(turn < 2 ? 5 : 6, 4 * (uint64_t)_i + (uint64_t)turn, count, is_wide,
                                          _i % 2 == 0 ? CDP_SCHEME_LAST_BLOCK : CDP_SCHEME_HOST);
    const cdp_study_depth sum = study_total(&study);
    ck_assert_uint_eq(sum.tasks, 1);
    ck_assert_uint_ge(sum.equal_items, count / 100 * (turn < 2 ? 45 : 99));
    // Counted once, moved twice at most, and half of them written: those of frequent values. Counted twice, they would be read once
    // more.
    ck_assert_uint_lt(study.depths[0].bytes_moved, 6 * count * (is_wide ? 8 : 4));
  }
}
END_TEST

START_TEST(sorts_odd_keys) {
  static const cdp_scheme schemes[] = {CDP_SCHEME_LAST_BLOCK, CDP_SCHEME_HOST};
  for (int turn = SANITIZED_FIRST(_i); turn < 8; turn += SANITIZED_STRIDE)
    sort_odd_keys(_i, 10 * (uint64_t)_i + (uint64_t)turn, turn < 4 ? FEW_ITEMS : MANY_ITEMS, turn % 2 != 0,
                  schemes[turn / 2 % 2]);
}
END_TEST

START_TEST(long_arrays_of_odd_keys) {
  for (int turn = SANITIZED_FIRST(_i % 4); turn < 4; turn += SANITIZED_STRIDE)
    sort_odd_keys(_i, 10 * (uint64_t)_i + (uint64_t)turn, long_items(turn % 2 != 0), turn % 2 != 0,
                  turn < 2 ? CDP_SCHEME_LAST_BLOCK : CDP_SCHEME_HOST);
}
END_TEST

/* The order in which a device does things is drawn anew by each seed. _i: of which to which. */
START_TEST(sorts_by_every_seed) {
  for (uint64_t seed = 10 * (uint64_t)_i; seed < 10 * (uint64_t)_i + 10; seed += SANITIZED_STRIDE) {
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
  for (int turn = 0; turn < 12; turn += SANITIZED_STRIDE) {
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
  tcase_add_loop_test(sorting, fullest_maps_are_sorted_on_chip, 0, 2);
  tcase_add_loop_test(sorting, long_arrays_are_counted_twice, 0, 4);
  tcase_add_loop_test(sorting, long_arrays_of_every_distribution, 0, HOST_DISTRIBUTIONS);
  tcase_add_loop_test(sorting, long_arrays_of_odd_keys, 0, ODD_KEYS);
  tcase_add_loop_test(sorting, sorts_odd_keys, 0, ODD_KEYS);
  tcase_add_loop_test(sorting, frequent_values_are_counted, 0, 4);
  tcase_add_loop_test(sorting, frequent_values_shorten_long_arrays, 0, 4);
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
