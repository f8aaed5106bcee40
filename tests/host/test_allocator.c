/* SPDX-License-Identifier: MIT */
/*
 * cdp_options::allocator, on the simulated device: every blocking call asks it once at most, gives back what it was given
 * whatever becomes of the sort, and works in no memory that it cannot work in.
 */
#include "host_check.h"
#include "memory_limits.h"
#include "run_suite.h"

#include <cdpsort/partition.h>

#include <stdlib.h>
#include <string.h>

#define ITEMS 3000u

/* Host memory, and an account of it. */
typedef struct account {
  int allocations;
  int releases;
  size_t bytes;          /* of the last allocation */
  unsigned char *memory; /* what was returned and not given back yet */
  unsigned char *piece;  /* in which that lies */
  size_t shift;          /* bytes that it is misaligned by */
  bool exhausted;
  bool last; /* nothing more can be had from the system once this has returned memory, until it is given back */
} account;

static void *allocate(size_t bytes, void *context) {
  account *own = context;
  own->allocations++;
  own->bytes = bytes;
  if (own->exhausted)
    return NULL;
  ck_assert_ptr_null(own->memory);
  own->piece = malloc(bytes + 2 * CDP_WORKSPACE_ALIGNMENT);
  ck_assert_ptr_nonnull(own->piece);
  const size_t over = (uintptr_t)own->piece % CDP_WORKSPACE_ALIGNMENT;
  own->memory = own->piece + CDP_WORKSPACE_ALIGNMENT - over + own->shift;
  memset(own->memory, 0xA5, bytes);
  if (own->last)
    memory_limits_starve(true);
  return own->memory;
}

static void release(void *memory, size_t bytes, void *context) {
  account *own = context;
  own->releases++;
  if (own->last)
    memory_limits_starve(false);
  ck_assert_ptr_nonnull(memory);
  ck_assert_ptr_eq(memory, own->memory);
  ck_assert_uint_eq(bytes, own->bytes);
  free(own->piece);
  own->memory = own->piece = NULL;
}

static cdp_options options_with(account *own) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.device = CDP_DEVICE_SIMULATED;
  options.allocator = (cdp_allocator){allocate, release, own};
  return options;
}

/* So many allocations have been made since the last time, and all memory was given back. */
static void expect(account *own, int allocations, int releases) {
  ck_assert_int_eq(own->allocations, allocations);
  ck_assert_int_eq(own->releases, releases);
  ck_assert_ptr_null(own->memory);
  own->allocations = own->releases = 0;
}

/* ---- In stream order --------------------------------------------------------------------------------------------------- */

/* Without a workspace: one is asked for, of the size that the caller would have to give, or allocated. _i: the type. */
START_TEST(in_stream_order_it_is_asked_once) {
  const cdp_type type = (cdp_type)(CDP_U32 + _i);
  account own = {0};
  cdp_options options = options_with(&own);
  static uint64_t original[ITEMS], keys[ITEMS];
  char why[HOST_WHY_BYTES];
  size_t workspace_bytes;
  ck_assert_int_eq(cdp_quicksort_workspace(ITEMS, type, &options, &workspace_bytes), CDP_OK);
  for (int round = 0; round < 2; round++) {
    host_fill(original, type, ITEMS, HOST_UNIFORM, (uint64_t)round);
    memcpy(keys, original, sizeof keys);
    ck_assert_int_eq(cdp_quicksort_on_stream(keys, ITEMS, type, &options, NULL), CDP_OK);
    ck_assert_msg(host_check_sorted(original, keys, ITEMS, type, CDP_ASCENDING, why), "%s", why);
    if (round == 0) {
      expect(&own, 1, 1);
      ck_assert_uint_eq(own.bytes, workspace_bytes);
      options.allocator = (cdp_allocator){NULL, NULL, NULL};
    }
  }
  expect(&own, 0, 0);
}
END_TEST

START_TEST(in_stream_order_it_may_refuse) {
  static uint32_t keys[ITEMS], before[ITEMS];
  account own = {.exhausted = true};
  const cdp_options options = options_with(&own);
  host_fill(keys, CDP_U32, ITEMS, HOST_REVERSED, 1);
  memcpy(before, keys, sizeof keys);
  ck_assert_int_eq(cdp_quicksort_on_stream(keys, ITEMS, CDP_U32, &options, NULL), CDP_ERROR_MEMORY);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "allocate() returned NULL"));
  expect(&own, 1, 0);
  own = (account){.shift = 16};
  ck_assert_int_eq(cdp_quicksort_on_stream(keys, ITEMS, CDP_U32, &options, NULL), CDP_ERROR_ALIGNMENT);
  expect(&own, 1, 1);
  ck_assert_int_eq(cdp_quicksort_on_stream(keys, ITEMS, CDP_U32, &options, &own), CDP_ERROR_POINTER);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "stream is not NULL"));
  ck_assert_int_eq(cdp_quicksort_on_stream(NULL, ITEMS, CDP_U32, &options, NULL), CDP_ERROR_NULL);
  ck_assert_int_eq(cdp_quicksort_on_stream((char *)keys + 1, 9, CDP_U32, &options, NULL), CDP_ERROR_ALIGNMENT);
  ck_assert_int_eq(cdp_quicksort_on_stream(keys, 9, (cdp_type)99, &options, NULL), CDP_ERROR_TYPE);
  ck_assert_int_eq(cdp_quicksort_on_stream(NULL, 0, CDP_U32, &options, NULL), CDP_OK);
  ck_assert_int_eq(cdp_quicksort_on_stream(keys, 1, CDP_U32, &options, NULL), CDP_OK);
  expect(&own, 0, 0);
  ck_assert_mem_eq(before, keys, sizeof keys);
}
END_TEST

/* ---- What is asked for ----------------------------------------------------------------------------------------- */

START_TEST(each_blocking_call_asks_once) {
  static uint32_t keys[ITEMS];
  static cdp_trace_event events[64];
  account own = {0};
  const cdp_options options = options_with(&own);
  cdp_study study;
  cdp_trace trace = {.events = events, .capacity = 64};
  cdp_parts parts;
  double milliseconds;
  size_t workspace_bytes;
  ck_assert_int_eq(cdp_quicksort_workspace(ITEMS, CDP_U32, &options, &workspace_bytes), CDP_OK);
  expect(&own, 0, 0);
  host_fill(keys, CDP_U32, ITEMS, HOST_UNIFORM, 1);
  ck_assert_int_eq(cdp_quicksort(keys, ITEMS, CDP_U32, &options), CDP_OK);
  expect(&own, 1, 1);
  ck_assert_uint_eq(own.bytes, workspace_bytes);
  for (size_t i = 1; i < ITEMS; i++)
    ck_assert_uint_le(keys[i - 1], keys[i]);
  ck_assert_int_eq(cdp_time_quicksort(keys, ITEMS, CDP_U32, &options, &milliseconds), CDP_OK);
  expect(&own, 1, 1);
  ck_assert_int_eq(cdp_study_quicksort(keys, ITEMS, CDP_U32, &options, &study), CDP_OK);
  expect(&own, 1, 1);
  ck_assert_int_eq(cdp_trace_quicksort(keys, ITEMS, CDP_U32, &options, &study, &trace), CDP_OK);
  expect(&own, 1, 1);
  ck_assert_uint_gt(own.bytes, workspace_bytes); // the events have room in the same piece
  ck_assert_int_eq(cdp_partition(keys, ITEMS, CDP_U32, &options, &keys[ITEMS / 2], CDP_PARTITION_SCAN, &parts), CDP_OK);
  expect(&own, 1, 1);
}
END_TEST

/* Every type, several seeds: contents that are not zero and memory that is not the library's make no difference. */
START_TEST(sorts_in_memory_of_the_caller) {
  for (uint64_t seed = 0; seed < 4; seed++) {
    account own = {0};
    host_case sort = simulated_case((cdp_type)_i, (seed + 1) * 4321, HOST_UNIFORM, seed);
    sort.options.allocator = options_with(&own).allocator;
    sort.options.fan_out = seed % 2 == 0 ? 0 : CDP_FAN_OUT_CLASSIC;
    must_sort(&sort);
    expect(&own, 1, 1);
  }
}
END_TEST

START_TEST(nothing_to_do_asks_for_nothing) {
  uint32_t key = 1;
  account own = {0};
  cdp_options options = options_with(&own);
  cdp_parts parts;
  ck_assert_int_eq(cdp_quicksort(NULL, 0, CDP_U32, &options), CDP_OK);
  ck_assert_int_eq(cdp_quicksort(&key, 1, CDP_U32, &options), CDP_OK);
  ck_assert_int_eq(cdp_partition(NULL, 0, CDP_U32, &options, &key, CDP_PARTITION_DEFAULT, &parts), CDP_OK);
  ck_assert_int_eq(cdp_quicksort(NULL, 2, CDP_U32, &options), CDP_ERROR_NULL);
  options.pivot = (cdp_pivot)99;
  ck_assert_int_eq(cdp_quicksort(&key, 2, CDP_U32, &options), CDP_ERROR_OPTION);
  expect(&own, 0, 0);
}
END_TEST

/* ---- What goes wrong ------------------------------------------------------------------------------------------- */

/* A call that fails for its memory leaves the keys as they were. */
static void must_fail(account *own, cdp_status status, const char *said, int releases) {
  uint32_t keys[] = {3, 1, 2};
  const cdp_options options = options_with(own);
  cdp_parts parts = {1, 1, 1};
  double milliseconds = -1;
  ck_assert_int_eq(cdp_quicksort(keys, 3, CDP_U32, &options), status);
  ck_assert_msg(strstr(cdp_last_message(), said) != NULL, "%s is not in: %s", said, cdp_last_message());
  expect(own, 1, releases);
  ck_assert_int_eq(cdp_time_quicksort(keys, 3, CDP_U32, &options, &milliseconds), status);
  expect(own, 1, releases);
  ck_assert(milliseconds == 0);
  ck_assert_int_eq(cdp_partition(keys, 3, CDP_U32, &options, &keys[2], CDP_PARTITION_RESERVE, &parts), status);
  expect(own, 1, releases);
  ck_assert_uint_eq(parts.less_items + parts.equal_items, 0);
  ck_assert(keys[0] == 3 && keys[1] == 1 && keys[2] == 2);
}

START_TEST(null_is_exhausted_memory) {
  account own = {.exhausted = true};
  must_fail(&own, CDP_ERROR_MEMORY, "options.allocator.allocate() returned NULL", 0);
  ck_assert_int_eq(cdp_last_cuda_error(), 0);
  own.exhausted = false;
  uint32_t keys[] = {2, 1};
  const cdp_options options = options_with(&own);
  ck_assert_int_eq(cdp_quicksort(keys, 2, CDP_U32, &options), CDP_OK);
  expect(&own, 1, 1);
  ck_assert_uint_eq(keys[0], 1);
}
END_TEST

START_TEST(misaligned_memory_is_given_back) {
  static const size_t shifts[] = {1, 8, CDP_WORKSPACE_ALIGNMENT / 2, CDP_WORKSPACE_ALIGNMENT - 1};
  account own = {.shift = shifts[_i]};
  must_fail(&own, CDP_ERROR_ALIGNMENT, "CDP_WORKSPACE_ALIGNMENT", 1);
}
END_TEST

START_TEST(one_function_alone_is_a_mistake) {
  uint32_t keys[] = {2, 1};
  account own = {0};
  cdp_options options = options_with(&own);
  size_t bytes = 77;
  options.allocator.release = NULL;
  ck_assert_int_eq(cdp_quicksort(keys, 2, CDP_U32, &options), CDP_ERROR_OPTION);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "options.allocator.release is NULL"));
  ck_assert_int_eq(cdp_quicksort_workspace(2, CDP_U32, &options, &bytes), CDP_ERROR_OPTION);
  options = options_with(&own);
  options.allocator.allocate = NULL;
  ck_assert_int_eq(cdp_quicksort(keys, 2, CDP_U32, &options), CDP_ERROR_OPTION);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "options.allocator.allocate is NULL"));
  expect(&own, 0, 0);
  ck_assert_uint_eq(keys[0], 2);
  options = options_with(NULL); // a context alone is nobody's
  options.allocator = (cdp_allocator){NULL, NULL, &own};
  ck_assert_int_eq(cdp_quicksort(keys, 2, CDP_U32, &options), CDP_OK);
  expect(&own, 0, 0);
}
END_TEST

/* The simulated device finds no memory for what it runs in: a sort that fails when kernels may have run. */
START_TEST(memory_is_given_back_after_a_failed_sort) {
  uint32_t keys[] = {3, 1, 2};
  account own = {.last = true};
  const cdp_options options = options_with(&own);
  cdp_study study;
  ck_assert_int_eq(cdp_quicksort(keys, 3, CDP_U32, &options), CDP_ERROR_SIMULATED);
  expect(&own, 1, 1);
  ck_assert_int_eq(cdp_study_quicksort(keys, 3, CDP_U32, &options, &study), CDP_ERROR_SIMULATED);
  expect(&own, 1, 1);
}
END_TEST

static Suite *allocator_suite(void) {
  Suite *suite = suite_create("allocator");
  TCase *asked = tcase_create("asked");
  tcase_set_timeout(asked, TEST_SECONDS);
  tcase_add_test(asked, each_blocking_call_asks_once);
  tcase_add_loop_test(asked, sorts_in_memory_of_the_caller, CDP_U32, CDP_F64 + 1);
  tcase_add_test(asked, nothing_to_do_asks_for_nothing);
  suite_add_tcase(suite, asked);
  TCase *streams = tcase_create("in stream order");
  tcase_set_timeout(streams, TEST_SECONDS);
  tcase_add_loop_test(streams, in_stream_order_it_is_asked_once, 0, (int)CDP_BF16);
  tcase_add_test(streams, in_stream_order_it_may_refuse);
  suite_add_tcase(suite, streams);
  TCase *wrong = tcase_create("wrong");
  tcase_set_timeout(wrong, TEST_SECONDS);
  tcase_add_test(wrong, null_is_exhausted_memory);
  tcase_add_loop_test(wrong, misaligned_memory_is_given_back, 0, 4);
  tcase_add_test(wrong, one_function_alone_is_a_mistake);
  if (!HOST_SANITIZED) // whose own memory would be wanting first
    tcase_add_test(wrong, memory_is_given_back_after_a_failed_sort);
  suite_add_tcase(suite, wrong);
  return suite;
}

int main(void) {
  return run_suite(allocator_suite());
}
