/* SPDX-License-Identifier: MIT */
/*
 * cdp_trace_quicksort(): the trace against the study of the same sort (trace_check.h) and against what the simulated device
 * itself has counted; what does not fit; refused launches. Linked with the static library, to set the device's rules
 * and to force launches to be refused.
 */
#include "forced_limits.h"
#include "host_check.h"
#include "run_suite.h"
#include "simulated_rules.h"
#include "trace_check.h"
#include "traced.h"

#include <cdpsort/tuning.h>

#include <string.h>

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
    // A short array's second launch is of one block, the root of what is launched behind its grid.
    size_t grids = 1, blocks = counts.number == 1 ? trace.events[0].blocks : 1;
    for (size_t index = 1; index < trace.count; index++) {
      const bool is_grid = is_launch(&trace.events[index]);
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
  suite_add_tcase(suite, arguments);

  return run_suite(suite);
}
