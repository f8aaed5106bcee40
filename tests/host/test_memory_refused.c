/* SPDX-License-Identifier: MIT */
/*
 * Host memory that runs out in the middle of a sort on the simulated device: whichever allocation fails, the call ends with a status, and
 * the next one sorts. Not under a sanitizer, which has an allocator of its own.
 */
#include "call_check.h"
#include "run_suite.h"
#include "simulated_rules.h"

#include <cdpsort/compare.h>
#include <cdpsort/study.h>

#include <stdint.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

/* Of the calling thread's sort: how many allocations there were, and which one fails. */
static long allocations;
static long refused = -1;
static bool is_armed;

static bool is_refused(void) {
  return is_armed && allocations++ == refused;
}

/* In the place of the C library's, for C++'s operator new, too. */
__attribute__((visibility("default"))) void *malloc(size_t bytes) {
  return is_refused() ? NULL : __libc_malloc(bytes);
}

__attribute__((visibility("default"))) void *aligned_alloc(size_t alignment, size_t bytes) {
  return is_refused() ? NULL : __libc_memalign(alignment, bytes);
}

#define KEYS 3000
#define EVENTS 4000

static uint32_t keys[KEYS];
static cdp_trace_event events[EVENTS];

static cdp_options recursion_options(void) {
  cdp_options options = simulated_options();
  options.fan_out = CDP_FAN_OUT_CLASSIC;
  options.leaf_items = 32;
  return options;
}

static cdp_status sort_traced(void) {
  const cdp_options options = recursion_options();
  cdp_trace trace = {events, EVENTS, 0, 0};
  return cdp_trace_quicksort(keys, KEYS, CDP_U32, &options, NULL, &trace);
}

static cdp_status sort_plainly(void) {
  const cdp_options options = recursion_options();
  return cdp_quicksort(keys, KEYS, CDP_U32, &options);
}

static int by_value(const void *a, const void *b, void *context) {
  (void)context;
  return (*(const uint32_t *)a > *(const uint32_t *)b) - (*(const uint32_t *)a < *(const uint32_t *)b);
}

static cdp_status sort_compared(void) {
  const cdp_options options = simulated_options();
  cdp_comparison comparison = CDP_COMPARISON_INIT;
  comparison.compare = by_value;
  return cdp_quicksort_by(keys, KEYS, sizeof *keys, &comparison, &options);
}

static void fill_keys(void) {
  for (uint32_t index = 0; index < KEYS; index++)
    keys[index] = index * 2654435761u;
}

static cdp_status sort_refusing(cdp_status (*sort)(void), long which) {
  fill_keys();
  allocations = 0;
  refused = which;
  is_armed = true;
  const cdp_status status = sort();
  is_armed = false;
  return status;
}

static void must_be_sorted(void) {
  for (size_t index = 1; index < KEYS; index++)
    ck_assert_uint_le(keys[index - 1], keys[index]);
}

/* The first allocations of a thread's life are made once: they are tried first, when nothing has been allocated. _i: which call. */
START_TEST(call_ends_whichever_allocation_fails) {
  cdp_status (*const sorts[])(void) = {sort_traced, sort_plainly, sort_compared};
  cdp_status (*const sort)(void) = sorts[_i];
  long failures = 0;
  for (long which = 0;; which++) {
    const cdp_status status = sort_refusing(sort, which);
    ck_assert_msg(status == CDP_OK || status == CDP_ERROR_MEMORY || status == CDP_ERROR_SIMULATED, "allocation %ld: %s", which,
                  cdp_last_message());
    ck_assert_msg(simulated_launches_taken() == 0, "allocation %ld: %u launches were not given back", which,
                  simulated_launches_taken());
    failures += status != CDP_OK;
    if (allocations <= which)
      break;
  }
  ck_assert_int_gt(failures, 3);
  ck_assert_int_eq(sort_refusing(sort, -1), CDP_OK);
  must_be_sorted();
}
END_TEST

int main(void) {
  Suite *suite = suite_create("memory_refused");
  TCase *tests = tcase_create("memory_refused");
  tcase_set_timeout(tests, TEST_SECONDS);
  tcase_add_loop_test(tests, call_ends_whichever_allocation_fails, 0, 3);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
