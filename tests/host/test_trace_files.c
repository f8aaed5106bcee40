/* SPDX-License-Identifier: MIT */
/*
 * What is made of a trace: cdp_trace_write_csv(), cdp_trace_write_json(), and the course of pending launches. Linked with the
 * static library, for that course, and to force launches to be refused.
 */
#include "forced_limits.h"
#include "run_suite.h"
#include "trace.h"
#include "traced.h"

#include <stdio.h>
#include <unistd.h>

/* What a file holds; ends the test if it is longer than the room. */
static size_t read_file(const char *path, char *text, size_t room) {
  FILE *file = fopen(path, "r");
  ck_assert_ptr_nonnull(file);
  const size_t bytes = fread(text, 1, room, file);
  ck_assert_uint_lt(bytes, room);
  fclose(file);
  text[bytes] = '\0';
  return bytes;
}

static size_t count_of(const char *text, const char *word) {
  size_t found = 0;
  for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
    found++;
  return found;
}

#define FILE_ROOM (4u << 20)
static char text[FILE_ROOM];
static const char path[] = "test_trace.out";

START_TEST(csv_has_every_event) {
  const host_case sort = case_of_way(_i, 5000, HOST_UNIFORM, 6);
  const cdp_trace trace = must_trace(&sort, CAPACITY, NULL);
  ck_assert_int_eq(cdp_trace_write_csv(&trace, path), CDP_OK);
  read_file(path, text, FILE_ROOM);
  ck_assert_int_eq(unlink(path), 0);
  ck_assert_uint_eq(count_of(text, "\n"), trace.count + 1);
  const char *line = text;
  for (size_t index = 0; index < trace.count; index++) {
    const cdp_trace_event *event = &trace.events[index];
    const long long launcher = event->launcher == CDP_TRACE_NO_LAUNCHER ? -1 : (long long)event->launcher;
    char expected[256];
    const int length =
        snprintf(expected, sizeof expected, "%llu,%llu,%llu,%llu,%llu,%s,%u,%u,%u,%lld,%d,%u\n",
                 (unsigned long long)event->launched_ns, (unsigned long long)event->begin_ns, (unsigned long long)event->end_ns,
                 (unsigned long long)event->range_begin, (unsigned long long)event->range_end, cdp_trace_kind_name(event->kind),
                 event->depth, event->blocks, event->multiprocessor, launcher, event->cuda_error, event->is_tail);
    line = strchr(line, '\n') + 1;
    ck_assert(strncmp(line, expected, (size_t)length) == 0);
  }
}
END_TEST

/* That it is JSON at all, a parser says (test_recursion_samples.sh); here, that all is in it. */
START_TEST(json_has_every_event) {
  const forced row = {.pending_limit = 3, .limits = {.task_budget = 100}};
  forced_set(&row);
  const host_case sort = case_of_way(_i, 5000, HOST_UNIFORM, 7);
  const cdp_trace trace = must_trace(&sort, CAPACITY, NULL);
  size_t refused = 0, arrows = 0;
  for (size_t index = 0; index < trace.count; index++) {
    refused += trace.events[index].cuda_error != 0 ? 1 : 0;
    arrows += trace.events[index].cuda_error == 0 && trace.events[index].launcher != CDP_TRACE_NO_LAUNCHER &&
                      is_launch(&trace.events[index])
                  ? 1
                  : 0;
  }
  ck_assert_int_eq(cdp_trace_write_json(&trace, path), CDP_OK);
  read_file(path, text, FILE_ROOM);
  ck_assert_int_eq(unlink(path), 0);
  ck_assert_uint_eq(count_of(text, "\"ph\":\"X\""), trace.count - refused);
  ck_assert_uint_eq(count_of(text, "\"ph\":\"i\""), refused);
  ck_assert_uint_eq(count_of(text, "\"ph\":\"s\""), arrows);
  ck_assert_uint_eq(count_of(text, "\"ph\":\"f\""), arrows);
  ck_assert_uint_eq(count_of(text, "\"ph\":\"C\""), 2 * arrows);
}
END_TEST

START_TEST(files_that_cannot_be_written) {
  cdp_trace trace = {.events = events, .capacity = 1, .count = 0};
  ck_assert_int_eq(cdp_trace_write_json(&trace, "/no/such/directory/trace.json"), CDP_ERROR_FILE);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "/no/such/directory/trace.json"));
  ck_assert_int_eq(cdp_trace_write_csv(&trace, "/no/such/directory/trace.csv"), CDP_ERROR_FILE);
  if (access("/dev/full", W_OK) == 0) {
    ck_assert_int_eq(cdp_trace_write_csv(&trace, "/dev/full"), CDP_ERROR_FILE);
    ck_assert_ptr_nonnull(strstr(cdp_last_message(), "No space left"));
    ck_assert_int_eq(cdp_trace_write_json(&trace, "/dev/full"), CDP_ERROR_FILE);
  }
  ck_assert_int_eq(cdp_trace_write_json(NULL, path), CDP_ERROR_NULL);
  ck_assert_int_eq(cdp_trace_write_json(&trace, NULL), CDP_ERROR_NULL);
  ck_assert_int_eq(cdp_trace_write_csv(NULL, path), CDP_ERROR_NULL);
  ck_assert_int_eq(cdp_trace_write_csv(&trace, NULL), CDP_ERROR_NULL);
  trace.count = 1;
  trace.events = NULL;
  ck_assert_int_eq(cdp_trace_write_csv(&trace, path), CDP_ERROR_NULL);
}
END_TEST

/* A trace that nobody has written: what is no earlier event cannot be a launcher, and must not be looked at. _i: such a value.
   */
START_TEST(launchers_that_are_none_are_refused) {
  static const uint32_t wrong[] = {1, 2, 3, CAPACITY, UINT32_MAX - 1, 1u << 31};
  cdp_trace_event by_hand[] = {
      {.kind = CDP_TRACE_ROOT, .end_ns = 100, .launcher = CDP_TRACE_NO_LAUNCHER},
      {.kind = CDP_TRACE_PARTITION, .launched_ns = 10, .begin_ns = 20, .end_ns = 30, .launcher = wrong[_i]},
      {.kind = CDP_TRACE_FILL, .launched_ns = 25, .begin_ns = 40, .end_ns = 50, .launcher = 0},
  };
  const cdp_trace trace = {.events = by_hand, .capacity = 3, .count = 3};
  char value[16];
  (void)snprintf(value, sizeof value, "%u", wrong[_i]);
  ck_assert_int_eq(cdp_trace_write_json(&trace, path), CDP_ERROR_OPTION);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "trace->events[1].launcher is"));
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), value));
  ck_assert_int_ne(access(path, F_OK), 0); // and no file was made
  ck_assert_int_eq(cdp_trace_write_csv(&trace, path), CDP_ERROR_OPTION);
  ck_assert_int_ne(access(path, F_OK), 0);
  by_hand[1].launcher = 0;
  ck_assert_int_eq(cdp_trace_write_json(&trace, path), CDP_OK);
  ck_assert_int_eq(unlink(path), 0);
  by_hand[0].launcher = 0; // its own
  ck_assert_int_eq(cdp_trace_write_json(&trace, path), CDP_ERROR_OPTION);
}
END_TEST

/* Launches by hand: a child whose own child outlives it, a tail behind both, and two that are over within a step of the clock.
   */
START_TEST(pending_launches_are_counted_by_trees) {
  cdp_trace_event by_hand[] = {
      {.kind = CDP_TRACE_ROOT, .begin_ns = 0, .end_ns = 100, .launcher = CDP_TRACE_NO_LAUNCHER},
      {.kind = CDP_TRACE_PARTITION, .launched_ns = 10, .begin_ns = 20, .end_ns = 30, .launcher = 0},
      {.kind = CDP_TRACE_PARTITION, .launched_ns = 25, .begin_ns = 40, .end_ns = 200, .launcher = 1},
      {.kind = CDP_TRACE_BATCH, .launched_ns = 50, .begin_ns = 210, .end_ns = 300, .launcher = 0, .is_tail = 1},
      {.kind = CDP_TRACE_FILL, .launched_ns = 60, .begin_ns = 60, .end_ns = 60, .launcher = 0},
      {.kind = CDP_TRACE_FILL, .launched_ns = 200, .begin_ns = 200, .end_ns = 250, .launcher = 3},
      {.kind = CDP_TRACE_FILL, .launched_ns = 70, .begin_ns = 70, .end_ns = 70, .launcher = 0, .cuda_error = 69},
  };
  const cdp_trace trace = {.events = by_hand, .capacity = 7, .count = 7};
  size_t moments = 0;
  cdp_pending *course = cdp_trace_pending(&trace, &moments);
  // 1 and 2 until 200, the tail 3 from 50 until its own child ends at 300, that from 200 to 250; 4 and 6 never
  static const uint64_t times[] = {10, 25, 50, 200, 200, 200, 250, 300};
  static const uint32_t launches[] = {1, 2, 3, 2, 1, 2, 1, 0};
  ck_assert_ptr_nonnull(course);
  ck_assert_uint_eq(moments, 8);
  for (size_t moment = 0; moment < moments; moment++) {
    ck_assert_uint_eq(course[moment].at_ns, times[moment]);
    ck_assert_uint_eq(course[moment].launches, launches[moment]);
  }
  free(course);
}
END_TEST

START_TEST(kinds_have_names) {
  for (uint32_t kind = CDP_TRACE_ROOT; kind <= CDP_TRACE_BUCKETS; kind++)
    ck_assert_str_ne(cdp_trace_kind_name(kind), "unknown");
  ck_assert_str_eq(cdp_trace_kind_name(0), "unknown");
  ck_assert_str_eq(cdp_trace_kind_name(CDP_TRACE_BUCKETS + 1), "unknown");
}
END_TEST

int main(void) {
  Suite *suite = suite_create("trace_files");
  TCase *written = tcase_create("written");
  tcase_set_timeout(written, TEST_SECONDS);
  tcase_add_checked_fixture(written, make_device, NULL);
  tcase_add_loop_test(written, csv_has_every_event, 0, WAYS);
  tcase_add_loop_test(written, json_has_every_event, 0, WAYS);
  tcase_add_test(written, files_that_cannot_be_written);
  tcase_add_loop_test(written, launchers_that_are_none_are_refused, 0, 6);
  tcase_add_test(written, kinds_have_names);
  tcase_add_test(written, pending_launches_are_counted_by_trees);
  suite_add_tcase(suite, written);
  return run_suite(suite);
}
