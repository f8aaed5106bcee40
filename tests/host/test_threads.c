/* SPDX-License-Identifier: MIT */
/*
 * Several host threads sort at once on the simulated device, each its own keys: none sees another's keys, counts or messages.
 */
#include "host_data.h"
#include "run_suite.h"

#include <cdpsort/buckets.h>
#include <cdpsort/records.h>
#include <cdpsort/segments.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define THREADS_MOST 4
#define SORTS 12

typedef struct sorter {
  uint64_t seed;
  bool failing; /* makes wrong calls between its sorts */
  bool sorted;
  cdp_study last; /* of the last sort */
  char why[HOST_WHY_BYTES];
} sorter;

static host_case case_of(const sorter *thread, uint64_t turn) {
  host_case sort = {.type = (cdp_type)(CDP_U32 + (int)((thread->seed + turn) % 6)),
                    .count = (size_t)(200 + (thread->seed * 1000 + turn * 977) % 9000),
                    .distribution = (host_distribution)((thread->seed + turn) % HOST_DISTRIBUTIONS),
                    .seed = thread->seed + turn,
                    .options = CDP_OPTIONS_INIT};
  sort.options.device = CDP_DEVICE_SIMULATED;
  sort.options.leaf_items = CDP_LEAF_MIN;
  sort.options.scheme = (cdp_scheme)(CDP_SCHEME_LAST_BLOCK + (int)(turn % 3));
  sort.options.seed = thread->seed;
  return sort;
}

static bool call_wrongly(sorter *thread) {
  if (cdp_quicksort(NULL, 2, CDP_U32, NULL) == CDP_ERROR_NULL && strstr(cdp_last_message(), "keys is NULL") != NULL)
    return true;
  (void)snprintf(thread->why, sizeof thread->why, "a wrong call was told: %.100s", cdp_last_message());
  return false;
}

static void *sort_many(void *argument) {
  sorter *thread = argument;
  thread->sorted = true;
  for (uint64_t turn = 0; turn < SORTS && thread->sorted; turn++) {
    const host_case sort = case_of(thread, turn);
    thread->sorted = (!thread->failing || call_wrongly(thread)) && host_sort(&sort, &thread->last, thread->why);
    if (thread->sorted && cdp_last_message()[0] != '\0') {
      (void)snprintf(thread->why, sizeof thread->why, "after a good sort there was a message: %.100s", cdp_last_message());
      thread->sorted = false;
    }
  }
  return NULL;
}

static void sort_at_once(sorter *threads, int count) {
  pthread_t handles[THREADS_MOST];
  for (int index = 0; index < count; index++)
    ck_assert_int_eq(pthread_create(&handles[index], NULL, sort_many, &threads[index]), 0);
  for (int index = 0; index < count; index++)
    ck_assert_int_eq(pthread_join(handles[index], NULL), 0);
  for (int index = 0; index < count; index++)
    ck_assert_msg(threads[index].sorted, "thread %d: %s", index, threads[index].why);
}

START_TEST(threads_sort_at_once) {
  sorter threads[THREADS_MOST] = {{.seed = 1}, {.seed = 2, .failing = true}, {.seed = 3}, {.seed = 4, .failing = true}};
  sort_at_once(threads, _i);
}
END_TEST

/* A neighbour changes nothing: the same seeds give the same counts as alone. */
START_TEST(neighbours_change_no_counts) {
  sorter alone = {.seed = 5};
  sorter together[2] = {{.seed = 5}, {.seed = 6}};
  sort_at_once(&alone, 1);
  sort_at_once(together, 2);
  alone.last.milliseconds = together[0].last.milliseconds = 0.0;
  ck_assert_mem_eq(&alone.last, &together[0].last, sizeof alone.last);
}
END_TEST

/* ---- A small stack ---------------------------------------------------------------------------------------------- */

#define FEW 3000
#define STACK_BYTES ((size_t)64 << 10) /* as cdpsort.h says */

/* One call of each kind that lists many arrays. `statuses` receives what they return. */
static void *call_on_small_stack(void *statuses) {
  static uint32_t keys[FEW], values[CDP_COLUMNS_MAX][FEW];
  static uint64_t begins[4];
  static const uint32_t splitters[2] = {1, 2};
  cdp_status *status = statuses;
  cdp_options options = CDP_OPTIONS_INIT;
  cdp_column columns[CDP_COLUMNS_MAX];
  const cdp_field fields[CDP_FIELDS_MAX] = {{0, CDP_U32, CDP_ASCENDING}};
  const cdp_segments segments = {.count = 3, .length = 1000};
  options.device = CDP_DEVICE_SIMULATED;
  for (size_t column = 0; column < CDP_COLUMNS_MAX; column++)
    columns[column] = (cdp_column){values[column], sizeof(uint32_t)};
  status[0] = cdp_quicksort(keys, FEW, CDP_U32, &options);
  status[1] = cdp_quicksort_pairs(keys, values, sizeof(uint32_t), FEW, CDP_U32, &options);
  status[2] = cdp_quicksort_columns(keys, columns, CDP_COLUMNS_MAX, FEW, CDP_U32, &options);
  status[3] = cdp_sort_records(keys, FEW, sizeof(uint32_t), fields, 1, &options);
  status[4] = cdp_segmented_sort(keys, columns, CDP_COLUMNS_MAX, FEW, CDP_U32, &options, &segments);
  status[5] = cdp_divide(keys, columns, CDP_COLUMNS_MAX, FEW, CDP_U32, &options, splitters, 2, begins);
  return NULL;
}
#define CALLS 6

START_TEST(calls_need_no_more_stack_than_documented) {
  cdp_status statuses[CALLS];
  pthread_attr_t attributes;
  pthread_t thread;
  ck_assert_int_eq(pthread_attr_init(&attributes), 0);
  ck_assert_int_eq(pthread_attr_setstacksize(&attributes, STACK_BYTES), 0);
  ck_assert_int_eq(pthread_create(&thread, &attributes, call_on_small_stack, statuses), 0);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  ck_assert_int_eq(pthread_attr_destroy(&attributes), 0);
  for (int call = 0; call < CALLS; call++)
    ck_assert_msg(statuses[call] == CDP_OK, "call %d: %s", call, cdp_status_name(statuses[call]));
}
END_TEST

static Suite *threads_suite(void) {
  Suite *suite = suite_create("threads");
  TCase *threads = tcase_create("threads");
  tcase_set_timeout(threads, TEST_SECONDS);
  tcase_add_loop_test(threads, threads_sort_at_once, 2, THREADS_MOST + 1);
  tcase_add_test(threads, neighbours_change_no_counts);
  if (!HOST_SANITIZED) // whose frames are larger
    tcase_add_test(threads, calls_need_no_more_stack_than_documented);
  suite_add_tcase(suite, threads);
  return suite;
}

int main(void) {
  return run_suite(threads_suite());
}
