/* SPDX-License-Identifier: MIT */
/*
 * Keys of 8 and 16 bits, whose values are counted: every type, order and address, sizes around every limit, counters that become
 * full, and every value there is; that the options decide who does it; and calls that are about the recursion, which refuse.
 *
 * Linked with the static library: for the sizes at which one block gives way to several, and to have a simulated device of several
 * multiprocessors.
 */
#include "host_check.h"
#include "planned.h"
#include "simulated_rules.h"

#include <cdpsort/partition.h>
#include <cdpsort/tuning.h>

#include <stdlib.h>
#include <string.h>

#define MULTIPROCESSORS 6u
#define NARROW_TYPES 6
#define VECTOR_BYTES 16u

/* Before each test, in its process. */
static void make_device(void) {
  simulated_rules_set(MULTIPROCESSORS, 6);
}

static cdp_type narrow_type(int index) {
  return (cdp_type)(CDP_U8 + index % NARROW_TYPES);
}

static cdp_plan plan_of(cdp_type type, size_t count) {
  const host_case sort = simulated_case(type, count, HOST_UNIFORM, 1);
  return planned_simulated(&sort.options, type, count, MULTIPROCESSORS);
}

/* _i: the type. Around what one block sorts, and vectors, in both orders, from every address within a vector.

   Several blocks take 50 times as long for 16-bit keys as one does: each such size is sorted from one address, another one for each
   of the four types, which have the same kernels. */
START_TEST(sorts_around_every_limit) {
  const cdp_type type = narrow_type(_i);
  const size_t single = plan_of(type, 2).one_block_items;
  const size_t items = VECTOR_BYTES / host_key_bytes(type);
  ck_assert_int_eq(plan_of(type, single).path, CDP_PATH_ONE_BLOCK);
  ck_assert_int_eq(plan_of(type, single + 1).path, CDP_PATH_COUNTED);
  const size_t several_step = host_key_bytes(type) == 1 ? 5 : VECTOR_BYTES / 2;
  const size_t sizes[] = {1, items, 2 * items, 32 * items, single / 2, single, 3 * single};
  for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++)
    for (size_t near = sizes[size] - 1; near <= sizes[size] + 1; near++) {
      const host_distribution distribution = near % 2 == 0 ? HOST_UNIFORM : HOST_EXTREMES;
      host_case sort = simulated_case(type, near, distribution, near);
      const size_t step = near > single ? several_step : 1;
      for (sort.offset_items = (near + 3 * (size_t)_i) % step; sort.offset_items < items; sort.offset_items += step) {
        sort.options.order = (sort.offset_items / 2 + near) % 2 == 0 ? CDP_ASCENDING : CDP_DESCENDING;
        must_sort(&sort);
      }
    }
}
END_TEST

/* _i: the distribution. Types, orders and addresses in turn; by one block, and by several, which are slow: of the four types of 16
   bits two. */
START_TEST(sorts_every_distribution) {
  for (int turn = 0; turn < 2 * NARROW_TYPES; turn++) {
    const cdp_type type = narrow_type(turn);
    if (turn >= NARROW_TYPES && host_key_bytes(type) == 2 && (turn + _i) % 2 != 0)
      continue;
    const size_t count = turn < NARROW_TYPES ? 1000 : 9000;
    host_case sort = simulated_case(type, count + (size_t)turn, (host_distribution)_i, (uint64_t)turn);
    sort.offset_items = (size_t)(turn % 5);
    sort.options.order = (turn + _i) % 4 < 2 ? CDP_ASCENDING : CDP_DESCENDING;
    must_sort(&sort);
  }
}
END_TEST

/* A value that comes more often than a counter of 16 bits can tell: alone, and among others. _i: the distribution. */
START_TEST(sorts_more_than_a_counter_holds) {
  static const host_distribution distributions[] = {HOST_ALL_EQUAL, HOST_LOST_PIVOT, HOST_FEW_DISTINCT};
  const host_case bytes = simulated_case(CDP_U8, 30001, distributions[_i], 1);
  const host_case halves = simulated_case((cdp_type)(CDP_U16 + _i), 450001, distributions[_i], 1);
  must_sort(&bytes);
  must_sort(&halves);
}
END_TEST

/* Few keys at either end of all values: what is between them has none. _i: the type. */
START_TEST(skips_values_without_keys) {
  for (size_t count = 2; count < 5000; count = 3 * count + 1) {
    const cdp_type type = narrow_type(_i);
    uint16_t keys[5000], before[5000];
    char why[HOST_WHY_BYTES];
    const host_case sort = simulated_case(type, count, HOST_UNIFORM, count);
    for (size_t byte = 0; byte < sizeof before; byte++)
      ((unsigned char *)before)[byte] = byte / host_key_bytes(type) % 3 == 0 ? 0xFF : 0;
    memcpy(keys, before, sizeof keys);
    ck_assert_int_eq(cdp_quicksort(keys, count, type, &sort.options), CDP_OK);
    ck_assert_msg(host_check_sorted(before, keys, count, type, CDP_ASCENDING, why), "%zu keys: %s", count, why);
  }
}
END_TEST

/* Every value that keys of so many bytes have, as often as that makes `count` keys, in random order. */
static void deal_every_value(uint16_t *keys, size_t key_bytes, size_t count, uint64_t seed) {
  for (size_t index = 0; index < count; index++)
    keys[index] = (uint16_t)index;
  for (size_t left = count; left > 1; left--) {
    const size_t other = (size_t)host_random_below(&seed, left);
    const uint16_t moved = keys[left - 1];
    keys[left - 1] = keys[other];
    keys[other] = moved;
  }
  if (key_bytes == 1)
    for (size_t index = 0; index < count; index++)
      ((unsigned char *)keys)[index] = (unsigned char)keys[index];
}

/* Every value, once, and so often that several blocks count them. _i: the type. */
START_TEST(sorts_every_value) {
  static uint16_t keys[3 << 16], before[3 << 16];
  const cdp_type type = narrow_type(_i);
  const size_t key_bytes = host_key_bytes(type);
  const size_t values = (size_t)1 << (8 * key_bytes);
  const size_t times[] = {1, key_bytes == 1 ? 9 : 3};
  ck_assert_int_eq(plan_of(type, times[1] * values).path, CDP_PATH_COUNTED);
  for (size_t turn = 0; turn < 2; turn++) {
    const size_t count = times[turn] * values;
    host_case sort = simulated_case(type, count, HOST_UNIFORM, times[turn]);
    sort.options.order = turn == 0 ? CDP_ASCENDING : CDP_DESCENDING;
    char why[HOST_WHY_BYTES];
    deal_every_value(before, key_bytes, count, times[turn]);
    memcpy(keys, before, count * key_bytes);
    ck_assert_int_eq(cdp_quicksort(keys, count, type, &sort.options), CDP_OK);
    ck_assert_msg(host_check_sorted(before, keys, count, type, sort.options.order, why), "%zu times: %s", times[turn], why);
  }
}
END_TEST

/* Several blocks count where the options say that one must not. */
START_TEST(obeys_the_tuning) {
  const cdp_tuning without_one_block = {.size = sizeof(cdp_tuning), .disable = CDP_DISABLE_ONE_BLOCK};
  for (int type = 0; type < NARROW_TYPES; type++) {
    host_case sort = simulated_case(narrow_type(type), 100, HOST_UNIFORM, 1);
    sort.options.tuning = &without_one_block;
    ck_assert_int_eq(planned_simulated(&sort.options, sort.type, 100, MULTIPROCESSORS).path, CDP_PATH_COUNTED);
    must_sort(&sort);
  }
}
END_TEST

/* In stream order, in a workspace of the size that is asked for, which does not depend on the count. */
START_TEST(sorts_in_a_workspace_of_the_caller) {
  const cdp_type type = narrow_type(_i);
  const size_t counts[] = {2, 500, 5000};
  size_t bytes = 0, again = 0;
  host_case sort = simulated_case(type, 0, HOST_UNIFORM, 1);
  ck_assert_int_eq(cdp_quicksort_workspace(CDP_COUNT_MAX, type, &sort.options, &again), CDP_OK);
  for (size_t which = 0; which < 3; which++) {
    host_guarded keys, workspace;
    uint16_t before[5000];
    char why[HOST_WHY_BYTES];
    const size_t count = counts[which];
    ck_assert_int_eq(cdp_quicksort_workspace(count, type, &sort.options, &bytes), CDP_OK);
    ck_assert_uint_eq(bytes, again);
    ck_assert_uint_eq(bytes, host_key_bytes(type) == 1 ? 5120 : 1180160); // as the public header has it
    ck_assert(host_guarded_make(&keys, count * host_key_bytes(type), 0));
    ck_assert(host_guarded_make(&workspace, bytes, 0));
    memset(workspace.bytes, 0x5A, bytes);
    host_fill(keys.bytes, type, count, HOST_UNIFORM, which);
    memcpy(before, keys.bytes, keys.size);
    ck_assert_int_eq(cdp_quicksort_async(keys.bytes, count, type, &sort.options, workspace.bytes, bytes - 1, NULL),
                     CDP_ERROR_WORKSPACE);
    ck_assert_mem_eq(before, keys.bytes, keys.size);
    ck_assert_int_eq(cdp_quicksort_async(keys.bytes, count, type, &sort.options, workspace.bytes, bytes, NULL), CDP_OK);
    ck_assert_msg(host_check_sorted(before, keys.bytes, count, type, CDP_ASCENDING, why), "%zu keys: %s", count, why);
    ck_assert(host_guarded_whole(&keys));
    ck_assert(host_guarded_whole(&workspace));
    host_guarded_free(&workspace);
    host_guarded_free(&keys);
  }
}
END_TEST

/* There is no recursion to be told of; and 16-bit keys have an alignment, too. */
START_TEST(refuses_what_has_no_meaning) {
  const cdp_type type = narrow_type(_i);
  host_case sort = simulated_case(type, 100, HOST_UNIFORM, 1);
  uint16_t keys[100] = {3, 1, 2};
  uint16_t before[100];
  cdp_study study;
  cdp_trace_event events[4];
  cdp_trace trace = {.events = events, .capacity = 4};
  cdp_parts parts;
  memcpy(before, keys, sizeof keys);
  ck_assert_int_eq(cdp_study_quicksort(keys, 100, type, &sort.options, &study), CDP_ERROR_TYPE);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "cdp_study_quicksort()"));
  ck_assert_int_eq(cdp_trace_quicksort(keys, 100, type, &sort.options, NULL, &trace), CDP_ERROR_TYPE);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "cdp_trace_quicksort()"));
  ck_assert_int_eq(cdp_partition(keys, 100, type, &sort.options, keys, CDP_PARTITION_DEFAULT, &parts), CDP_ERROR_TYPE);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "cdp_partition()"));
  if (host_key_bytes(type) == 2)
    ck_assert_int_eq(cdp_quicksort((char *)keys + 1, 10, type, &sort.options), CDP_ERROR_ALIGNMENT);
  ck_assert_mem_eq(before, keys, sizeof keys);
  double milliseconds = -1;
  ck_assert_int_eq(cdp_time_quicksort(keys, 100, type, &sort.options, &milliseconds), CDP_OK);
  ck_assert(milliseconds > 0);
}
END_TEST

static Suite *counted_suite(void) {
  Suite *suite = suite_create("counted");
  TCase *sorting = tcase_create("sorting");
  tcase_add_checked_fixture(sorting, make_device, NULL);
  tcase_add_loop_test(sorting, sorts_around_every_limit, 0, NARROW_TYPES);
  tcase_add_loop_test(sorting, sorts_every_distribution, 0, HOST_DISTRIBUTIONS);
  tcase_add_loop_test(sorting, sorts_more_than_a_counter_holds, 0, 3);
  tcase_add_loop_test(sorting, skips_values_without_keys, 0, NARROW_TYPES);
  tcase_add_loop_test(sorting, sorts_every_value, 0, NARROW_TYPES);
  suite_add_tcase(suite, sorting);
  TCase *calls = tcase_create("calls");
  tcase_add_checked_fixture(calls, make_device, NULL);
  tcase_add_test(calls, obeys_the_tuning);
  tcase_add_loop_test(calls, sorts_in_a_workspace_of_the_caller, 0, NARROW_TYPES);
  tcase_add_loop_test(calls, refuses_what_has_no_meaning, 0, NARROW_TYPES);
  suite_add_tcase(suite, calls);
  return suite;
}

int main(void) {
  return run_suite(counted_suite());
}
