/* SPDX-License-Identifier: MIT */
/*
 * cdp_trace_quicksort(): the trace against the study of the same sort (trace_check.h) and against what the simulated device
 * itself has counted; what does not fit; refused launches; the files. Linked with the static library, to set the device's rules
 * and to force launches to be refused.
 */
#include "forced_limits.h"
#include "host_check.h"
#include "run_suite.h"
#include "simulated_rules.h"
#include "trace.h"
#include "trace_check.h"

#include <cdpsort/tuning.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CAPACITY 20000u
#define MULTIPROCESSORS 10u

static cdp_trace_event events[CAPACITY];

/* Before each test, in its process. */
static void make_device(void) {
  simulated_rules_set(MULTIPROCESSORS, 8);
}

/* Sorts with a trace, and ends the test unless the keys are sorted. */
static cdp_trace must_trace(const host_case *sort, size_t capacity, cdp_study *study) {
  const size_t bytes = (sort->count + 1) * host_key_bytes(sort->type);
  cdp_trace trace = {.events = events, .capacity = capacity};
  char why[HOST_WHY_BYTES];
  void *keys = malloc(bytes);
  void *original = malloc(bytes);
  ck_assert(keys != NULL && original != NULL);
  host_fill(original, sort->type, sort->count, sort->distribution, sort->seed);
  memcpy(keys, original, bytes - host_key_bytes(sort->type));
  ck_assert_msg(cdp_trace_quicksort(keys, sort->count, sort->type, &sort->options, study, &trace) == CDP_OK, "%s",
                cdp_last_message());
  ck_assert_msg(host_check_sorted(original, keys, sort->count, sort->type, sort->options.order, why), "%s", why);
  free(keys);
  free(original);
  return trace;
}

static traced_sort facts_of(const host_case *sort) {
  const bool in_order =
      sort->distribution == HOST_SORTED || sort->distribution == HOST_REVERSED || sort->distribution == HOST_ALL_EQUAL;
  return (traced_sort){.count = sort->count,
                       .scheme = sort->options.scheme,
                       .is_classic = sort->options.fan_out == CDP_FAN_OUT_CLASSIC,
                       .is_presorted = in_order && sort->options.fan_out != CDP_FAN_OUT_CLASSIC};
}

static void must_agree(const host_case *sort, const cdp_trace *trace, const cdp_study *study) {
  const traced_sort facts = facts_of(sort);
  char why[TRACE_WHY_BYTES];
  ck_assert_msg(trace_agrees(trace, study, &facts, why), "%zu %s keys, scheme %d, fan-out %u: %s", sort->count,
                host_distribution_name(sort->distribution), (int)sort->options.scheme, sort->options.fan_out, why);
}

/* ---- Agreement ------------------------------------------------------------------------------------------------- */

/* Ways to sort, by the number of the test: fan-out and scheme, and short arrays in two launches. */
static const uint32_t fan_outs[] = {CDP_FAN_OUT_CLASSIC, CDP_FAN_OUT_MIN, 64, 0};
#define FAN_OUTS (sizeof fan_outs / sizeof *fan_outs)
#define WAYS ((int)FAN_OUTS * SCHEMES)

static host_case case_of_way(int way, size_t count, host_distribution distribution, uint64_t seed) {
  host_case sort = simulated_case(way % 2 == 0 ? CDP_U32 : CDP_F64, count, distribution, seed);
  sort.options.scheme = scheme_of(way);
  sort.options.fan_out = fan_outs[way / SCHEMES];
  if (fan_outs[way / SCHEMES] != 0)
    sort.options.leaf_items = CDP_LEAF_MIN;
  sort.options.child_streams = seed % 2 == 0 ? CDP_STREAMS_FIRE_AND_FORGET : CDP_STREAMS_NAMED;
  if (fan_outs[way / SCHEMES] == 0)
    sort.options.child_streams = CDP_STREAMS_DEFAULT;
  return sort;
}

START_TEST(trace_agrees_with_study) {
  static const size_t counts[] = {2, 33, 700, 4097, 12000};
  for (int distribution = 0; distribution < HOST_DISTRIBUTIONS; distribution++) {
    for (size_t size = 0; size < sizeof counts / sizeof *counts; size++) {
      const host_case sort = case_of_way(_i, counts[size], (host_distribution)distribution, size + 10);
      cdp_study study;
      const cdp_trace trace = must_trace(&sort, CAPACITY, &study);
      must_agree(&sort, &trace, &study);
    }
  }
}
END_TEST

/* Whether an event that is not the root's is a launch: neither a block nor a stage of another's grid. */
static bool is_launch(const cdp_trace_event *event) {
  return event->kind != CDP_TRACE_BLOCK && event->kind != CDP_TRACE_MAP && event->kind != CDP_TRACE_BUCKETS;
}

/* The simulated device counts grids, refusals and pending launches by itself. With one block under way at a time nothing comes
   between a block's last word in the trace and its end, so that both see the same number pending. */
START_TEST(trace_agrees_with_the_device) {
  if (scheme_of(_i) == CDP_SCHEME_HOST)
    return; // its grids are runs of their own
  for (uint32_t resident = 1; resident <= 8; resident += 7) {
    simulated_rules_set(MULTIPROCESSORS, resident);
    const host_case sort = case_of_way(_i, 12000, HOST_UNIFORM, resident);
    cdp_study study;
    const cdp_trace trace = must_trace(&sort, CAPACITY, &study);
    const simulated_counts counts = simulated_counts_read();
    size_t grids = 0, blocks = 0;
    for (size_t index = 0; index < trace.count; index++) {
      const bool is_grid = index == 0 || is_launch(&trace.events[index]);
      grids += is_grid ? 1 : 0;
      blocks += is_grid ? trace.events[index].blocks : 0;
    }
    ck_assert_uint_eq(grids, counts.grids_launched);
    ck_assert_uint_eq(blocks, counts.blocks_run);
    ck_assert_uint_eq(study.total.launches_refused, counts.launches_refused);
    ck_assert_uint_eq(study.total.children_launched + 1, counts.grids_launched);
    ck_assert_uint_le(study.max_pending, counts.max_pending);
    if (resident == 1)
      ck_assert_uint_eq(study.max_pending, counts.max_pending);
  }
}
END_TEST

/* What bytes are moved is known beforehand where there is but one way to move them. */
START_TEST(bytes_are_as_reckoned) {
  host_case sort = simulated_case(CDP_U64, 300, HOST_UNIFORM, 1);
  cdp_study study;
  must_study(&sort, &study);
  ck_assert_uint_eq(study.total.bytes_moved, 2 * 300 * 8); // one block: read, and written

  sort = simulated_case(CDP_U32, 4000, HOST_ALL_EQUAL, 1);
  sort.options.fan_out = CDP_FAN_OUT_CLASSIC;
  sort.options.leaf_items = CDP_LEAF_MIN;
  must_study(&sort, &study);
  ck_assert_uint_eq(study.total.equal_items, 4000);
  ck_assert_uint_eq(study.total.bytes_moved, 4000 * 4); // equal keys, where they belong: read, never written

  sort = simulated_case(CDP_U64, 5000, HOST_UNIFORM, 1);
  must_study(&sort, &study);
  ck_assert_uint_eq(study.total.children_launched, 0); // a short array: read and written when it is ordered, and when gathered
  ck_assert_uint_eq(study.depths[0].bytes_moved, 2 * 5000 * 8);
  ck_assert_uint_eq(study.total.bytes_moved, 4 * 5000 * 8);

  sort = simulated_case(CDP_U32, 5000, HOST_UNIFORM, 1);
  sort.options.depth_limit = CDP_DEPTH_NONE;
  must_study(&sort, &study);
  ck_assert_uint_eq(study.total.network_items, 5000);
  // leaves of 1,024; merged to 2,048 by a flip and the rest in registers, to 4,096 and 8,192 by one and two steps more
  ck_assert_uint_eq(study.total.bytes_moved, 2 * (1 + 2 + 3 + 4) * 5000 * 4);
}
END_TEST

/* ---- What does not fit ----------------------------------------------------------------------------------------- */

START_TEST(what_does_not_fit_is_counted) {
  const host_case sort = case_of_way(_i, 6000, HOST_UNIFORM, 4);
  static cdp_trace_event whole_events[CAPACITY];
  cdp_study whole_study, study;
  const cdp_trace whole = must_trace(&sort, CAPACITY, &whole_study);
  memcpy(whole_events, events, sizeof events);
  ck_assert_uint_gt(whole.count, 1); // something will not fit
  for (size_t capacity = 1; capacity < whole.count; capacity = capacity * 3 + 1) {
    memset(events, 0xA5, sizeof events);
    const cdp_trace trace = must_trace(&sort, capacity, &study);
    ck_assert_uint_le(trace.count, capacity);
    ck_assert_uint_ge(trace.count, 1);
    ck_assert_uint_gt(trace.lost, 0);
    ck_assert_uint_eq(((unsigned char *)&events[capacity])[0], 0xA5);
    for (size_t index = 0; index < trace.count; index++)
      ck_assert(events[index].launcher == CDP_TRACE_NO_LAUNCHER || events[index].launcher < index);
    ck_assert_uint_eq(events[0].kind, whole_events[0].kind);
  }
}
END_TEST

START_TEST(refused_launches_are_in_the_trace) {
  const forced row = {.pending_limit = 3, .limits = {.task_budget = 100}};
  forced_set(&row);
  const host_case sort = case_of_way(_i, 12000, HOST_UNIFORM, 5);
  cdp_study study;
  const cdp_trace trace = must_trace(&sort, CAPACITY, &study);
  must_agree(&sort, &trace, &study);
  if (sort.options.scheme == CDP_SCHEME_HOST)
    return;
  const simulated_counts counts = simulated_counts_read();
  size_t refused = 0;
  for (size_t index = 0; index < trace.count; index++) {
    if (trace.events[index].cuda_error == 0)
      continue;
    refused++;
    ck_assert_int_eq(trace.events[index].cuda_error, 69);
    ck_assert_uint_eq(trace.events[index].begin_ns, trace.events[index].launched_ns);
    ck_assert_uint_eq(trace.events[index].end_ns, trace.events[index].launched_ns);
  }
  ck_assert_uint_eq(refused, counts.launches_refused);
  ck_assert_uint_le(study.max_pending, 3);
  // With one launch to a task and one task to a batch, the classic last block is hardly ever refused one: it waits instead.
  const bool waits = sort.options.fan_out == CDP_FAN_OUT_CLASSIC && sort.options.scheme == CDP_SCHEME_LAST_BLOCK;
  if (waits)
    ck_assert_uint_gt(study.total.deferred, 0);
  else if (sort.options.fan_out != 0)
    ck_assert_uint_gt(refused, 0);
}
END_TEST

/* ---- Wrong arguments ------------------------------------------------------------------------------------------- */

START_TEST(wrong_arguments_are_refused) {
  uint32_t keys[] = {3, 1, 2};
  cdp_options options = CDP_OPTIONS_INIT;
  cdp_study study;
  cdp_trace trace = {.events = events, .capacity = 0, .count = 7, .lost = 7};
  options.device = CDP_DEVICE_SIMULATED;
  memset(&study, 0xA5, sizeof study);
  ck_assert_int_eq(cdp_trace_quicksort(keys, 3, CDP_U32, &options, &study, NULL), CDP_ERROR_NULL);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "trace is NULL"));
  ck_assert_uint_eq(study.depth_count, 0);
  ck_assert_int_eq(cdp_trace_quicksort(keys, 3, CDP_U32, &options, &study, &trace), CDP_ERROR_OPTION);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "trace->capacity"));
  ck_assert_uint_eq(trace.count + trace.lost, 0);
  trace.capacity = (size_t)CDP_TRACE_CAPACITY_MAX + 1;
  ck_assert_int_eq(cdp_trace_quicksort(keys, 3, CDP_U32, &options, NULL, &trace), CDP_ERROR_OPTION);
  trace = (cdp_trace){.events = NULL, .capacity = 10};
  ck_assert_int_eq(cdp_trace_quicksort(keys, 3, CDP_U32, &options, NULL, &trace), CDP_ERROR_NULL);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "trace->events"));
  trace.events = events;
  ck_assert_int_eq(cdp_trace_quicksort(NULL, 3, CDP_U32, &options, NULL, &trace), CDP_ERROR_NULL);
  ck_assert_uint_eq(keys[0], 3);
  ck_assert_uint_eq(keys[2], 2);
}
END_TEST

/* Fewer than two keys need no grid. */
START_TEST(nothing_to_sort_is_an_empty_trace) {
  uint32_t keys[] = {3};
  for (size_t count = 0; count < 2; count++) {
    cdp_trace trace = {.events = events, .capacity = 10, .count = 7, .lost = 7};
    ck_assert_int_eq(cdp_trace_quicksort(keys, count, CDP_U32, NULL, NULL, &trace), CDP_OK);
    ck_assert_uint_eq(trace.count + trace.lost, 0);
  }
}
END_TEST

/* That a time is told, not which: it is the host's clock, which ticks often enough for the shortest sort. */
START_TEST(time_is_told) {
  uint32_t keys[] = {3, 1, 2};
  cdp_options options = CDP_OPTIONS_INIT;
  double milliseconds = -1;
  options.device = CDP_DEVICE_SIMULATED;
  ck_assert_int_eq(cdp_time_quicksort(keys, 3, CDP_U32, &options, &milliseconds), CDP_OK);
  ck_assert_double_gt(milliseconds, 0);
  ck_assert(keys[0] == 1 && keys[1] == 2 && keys[2] == 3);
  ck_assert_int_eq(cdp_time_quicksort(keys, 3, CDP_U32, &options, NULL), CDP_ERROR_NULL);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "milliseconds"));
  ck_assert_int_eq(cdp_time_quicksort(keys, 3, (cdp_type)99, &options, &milliseconds), CDP_ERROR_TYPE);
  ck_assert_double_eq(milliseconds, 0);
  ck_assert_int_eq(cdp_time_quicksort(keys, 1, CDP_U32, &options, &milliseconds), CDP_OK);
  ck_assert_double_eq(milliseconds, 0);
}
END_TEST

START_TEST(preset_is_that_of_the_sample) {
  static const cdp_tuning tuning = CDP_TUNING_ADVANCED_QUICKSORT_INIT;
  const cdp_options preset = CDP_OPTIONS_ADVANCED_QUICKSORT_INIT(&tuning);
  host_case sort = simulated_case(CDP_U32, 20000, HOST_UNIFORM, 8);
  cdp_study study;
  sort.options = preset;
  sort.options.device = CDP_DEVICE_SIMULATED;
  const cdp_trace trace = must_trace(&sort, CAPACITY, &study);
  must_agree(&sort, &trace, &study);
  ck_assert_uint_gt(study.total.tasks, 10);
  ck_assert_uint_gt(study.total.min_task_items, 1024); // and every longer range has a grid of its own
  ck_assert_uint_eq(study.total.block_partitions, 0);
  ck_assert_uint_eq(study.total.leaves, study.total.collected);
  ck_assert_uint_le(study.depth_count, 17);
}
END_TEST

/* ---- Files ----------------------------------------------------------------------------------------------------- */

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
  Suite *suite = suite_create("trace");
  TCase *agreement = tcase_create("agreement");
  tcase_set_timeout(agreement, TEST_SECONDS);
  tcase_add_checked_fixture(agreement, make_device, NULL);
  add_options_loop_test(agreement, trace_agrees_with_study, 0, WAYS);
  tcase_add_loop_test(agreement, trace_agrees_with_the_device, 0, WAYS);
  tcase_add_test(agreement, bytes_are_as_reckoned);
  add_options_loop_test(agreement, what_does_not_fit_is_counted, 0, WAYS);
  tcase_add_loop_test(agreement, refused_launches_are_in_the_trace, 0, WAYS);
  tcase_add_test(agreement, preset_is_that_of_the_sample);
  suite_add_tcase(suite, agreement);

  TCase *arguments = tcase_create("arguments");
  tcase_add_test(arguments, wrong_arguments_are_refused);
  tcase_add_test(arguments, nothing_to_sort_is_an_empty_trace);
  tcase_add_test(arguments, time_is_told);
  tcase_add_test(arguments, kinds_have_names);
  tcase_add_test(arguments, pending_launches_are_counted_by_trees);
  suite_add_tcase(suite, arguments);

  TCase *files = tcase_create("files");
  tcase_set_timeout(files, TEST_SECONDS);
  tcase_add_checked_fixture(files, make_device, NULL);
  tcase_add_loop_test(files, csv_has_every_event, 0, WAYS);
  tcase_add_loop_test(files, json_has_every_event, 0, WAYS);
  tcase_add_test(files, files_that_cannot_be_written);
  tcase_add_loop_test(files, launchers_that_are_none_are_refused, 0, 6);
  suite_add_tcase(suite, files);
  return run_suite(suite);
}
