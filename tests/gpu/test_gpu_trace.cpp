/* SPDX-License-Identifier: MIT */
/*
 * Traces and studies on the GPU: that they agree (trace_check.h), whichever way an array is sorted; that the times are those of
 * the sort; that what does not fit is counted; and what bytes are moved.
 */
#include "gpu_check.h"
#include "trace_check.h"

#include <cstdio>
#include <vector>

using namespace gpu_check;

namespace {

constexpr size_t CAPACITY = 1 << 20;

struct Traced {
  std::vector<cdp_trace_event> events;
  cdp_trace trace;
  cdp_study study;
};

/* Sorts with a trace, and checks the keys. */
Traced trace_and_check(const Subject &subject, const cdp_options &options, size_t capacity, const char *how) {
  Traced traced = {std::vector<cdp_trace_event>(capacity), {}, {}};
  traced.trace.events = traced.events.data();
  traced.trace.capacity = capacity;
  CHECK_SORT(
      cdp_trace_quicksort(subject.keys.d_keys, subject.keys.count, subject.keys.type, &options, &traced.study, &traced.trace));
  check_sorted(subject, options.order, how);
  return traced;
}

void must_agree(const Traced &traced, const Subject &subject, const cdp_options &options, bool is_presorted, const char *how) {
  const traced_sort facts = {subject.keys.count, options.scheme, options.fan_out == CDP_FAN_OUT_CLASSIC, is_presorted};
  char why[TRACE_WHY_BYTES];
  ck_assert_msg(trace_agrees(&traced.trace, &traced.study, &facts, why), "%s, %s: %s", subject.label, how, why);
}

cdp_options options_of(int index) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.scheme = scheme_at(index % SCHEMES);
  options.fan_out = fan_out_at(index / SCHEMES);
  options.seed = seed();
  return options;
}

/* From one block to many grids; _i: fan-out and scheme. */
START_TEST(test_trace_agrees_with_study) {
  static const Distribution distributions[] = {Distribution::random,       Distribution::sorted, Distribution::reversed,
                                               Distribution::distinct_256, Distribution::zipf,   Distribution::staggered};
  static const uint64_t counts[] = {1000, 100000, 3000000, uint64_t{1} << 24};
  const cdp_options options = options_of(_i);
  const bool is_classic = options.fan_out == CDP_FAN_OUT_CLASSIC;
  char how[64];
  snprintf(how, sizeof how, "%s, %s", scheme_name(options.scheme), fan_out_name(options.fan_out));
  for (const uint64_t count : counts) {
    if (quick() && count > 100000)
      break;
    Subject subject = make_room(CDP_U32, count);
    for (const Distribution distribution : distributions) {
      fill(subject, distribution, seed());
      const Traced traced = trace_and_check(subject, options, CAPACITY, how);
      const bool in_order = distribution == Distribution::sorted || distribution == Distribution::reversed;
      must_agree(traced, subject, options, in_order && !is_classic, how);
    }
    release(subject);
  }
}
END_TEST

/* From the first grid's begin to the last one's end is nearly all of the time between two CUDA events. */
START_TEST(test_times_are_those_of_the_sort) {
  const cdp_options options = options_of(_i);
  Subject subject = make_room(CDP_U64, pick(uint64_t{1} << 24, 1 << 18));
  fill(subject, Distribution::random, seed());
  study_and_check(subject, options, "to have the kernels loaded, which takes its time too");
  fill(subject, Distribution::random, seed());
  const Traced traced = trace_and_check(subject, options, CAPACITY, "traced");
  uint64_t end_ns = 0;
  for (size_t index = 0; index < traced.trace.count; index++)
    end_ns = traced.events[index].end_ns > end_ns ? traced.events[index].end_ns : end_ns;
  const double traced_ms = static_cast<double>(end_ns) / 1e6;
  CHECK_STUDY(traced_ms < traced.study.milliseconds * 1.02 + 0.002, traced.study, subject, "traced");
  CHECK_STUDY(traced_ms > traced.study.milliseconds * (quick() ? 0.1 : 0.8), traced.study, subject, "traced");
}
END_TEST

/* Of a trace that is too short the beginning is there, and the rest is counted. */
START_TEST(test_what_does_not_fit_is_counted) {
  const cdp_options options = options_of(_i);
  Subject subject = make_room(CDP_U32, pick(uint64_t{1} << 23, 1 << 18));
  for (size_t capacity = 1; capacity <= 100; capacity *= 10) {
    fill(subject, Distribution::random, seed());
    const Traced traced = trace_and_check(subject, options, capacity, "traced");
    ck_assert_uint_ge(traced.trace.count, 1);
    ck_assert_uint_le(traced.trace.count, capacity);
    // An event for the root, and for every launch, whether it is kept or not.
    const cdp_study_depth sum = totals(traced.study);
    ck_assert_uint_ge(traced.trace.count + traced.trace.lost, 1 + sum.children_launched + sum.launches_refused);
    if (capacity == 1)
      ck_assert_uint_gt(traced.trace.lost, 0);
    ck_assert_uint_eq(traced.events[0].kind, CDP_TRACE_ROOT);
    for (size_t event = 1; event < traced.trace.count; event++)
      ck_assert(traced.events[event].launcher == CDP_TRACE_NO_LAUNCHER || traced.events[event].launcher < event);
  }
}
END_TEST

/* Keys in host memory are traced on the device, and the time of a sort is told without counting. */
START_TEST(test_host_keys) {
  std::vector<uint32_t> keys(1 << 20);
  for (size_t index = 0; index < keys.size(); index++)
    keys[index] = static_cast<uint32_t>((index * 2654435761u) ^ seed());
  std::vector<cdp_trace_event> events(10000);
  cdp_trace trace = {events.data(), events.size(), 0, 0};
  CHECK_SORT(cdp_trace_quicksort(keys.data(), keys.size(), CDP_U32, nullptr, nullptr, &trace));
  ck_assert_uint_gt(trace.count, 1);
  for (size_t index = 1; index < keys.size(); index++)
    ck_assert_uint_le(keys[index - 1], keys[index]);
  double milliseconds = 0;
  CHECK_SORT(cdp_time_quicksort(keys.data(), keys.size(), CDP_U32, nullptr, &milliseconds));
  // Once more, since CUDA may have loaded the kernels in that time.
  CHECK_SORT(cdp_time_quicksort(keys.data(), keys.size(), CDP_U32, nullptr, &milliseconds));
  ck_assert_double_gt(milliseconds, 0);
  ck_assert_double_lt(milliseconds, 10);
}
END_TEST

/* 2^24 keys are counted, scattered, to groups first where they cannot be at once, and their buckets sorted: read to be counted,
   and read and written by each of the others. */
START_TEST(test_bytes_are_as_reckoned) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.tuning = &WITHOUT_SHORT;
  const Subject subject = make_subject(CDP_U32, uint64_t{1} << 24, Distribution::random);
  const cdp_study study = study_and_check(subject, options, "default");
  const uint64_t key_bytes = subject.keys.count * 4;
  const uint64_t dividing = (subject.keys.count <= one_scatter_items(CDP_U32) ? 3 : 5) * key_bytes;
  const uint64_t all = dividing + 2 * key_bytes;
  CHECK_STUDY(study.depths[0].bytes_moved == dividing + 4 * study.depths[0].equal_items, study, subject, "default");
  CHECK_STUDY(study.total.bytes_moved >= all && study.total.bytes_moved < all + key_bytes, study, subject, "default");
}
END_TEST

/* The preset behaves as its name says: a grid for every range of more than 1,024 keys. */
START_TEST(test_preset) {
  static const cdp_tuning tuning = CDP_TUNING_ADVANCED_QUICKSORT_INIT;
  const cdp_options options = CDP_OPTIONS_ADVANCED_QUICKSORT_INIT(&tuning);
  const Subject subject = make_subject(CDP_U32, pick(uint64_t{1} << 20, 1 << 16), Distribution::random);
  const Traced traced = trace_and_check(subject, options, CAPACITY, "preset");
  must_agree(traced, subject, options, false, "preset");
  CHECK_STUDY(traced.study.total.min_task_items > 1024, traced.study, subject, "preset");
  CHECK_STUDY(traced.study.total.leaves + traced.study.total.fallback_depth > 0, traced.study, subject, "preset");
  CHECK_STUDY(traced.study.depth_count <= 17, traced.study, subject, "preset");
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_trace");
  TCase *test_case = add_case(suite, "trace");
  tcase_add_loop_test(test_case, test_trace_agrees_with_study, 0, SCHEMES * FAN_OUT_KINDS);
  tcase_add_loop_test(test_case, test_times_are_those_of_the_sort, 0, SCHEMES * FAN_OUT_KINDS);
  tcase_add_loop_test(test_case, test_what_does_not_fit_is_counted, 0, SCHEMES * FAN_OUT_KINDS);
  tcase_add_test(test_case, test_host_keys);
  test_case = add_case(suite, "study");
  tcase_add_test(test_case, test_bytes_are_as_reckoned);
  tcase_add_test(test_case, test_preset);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
