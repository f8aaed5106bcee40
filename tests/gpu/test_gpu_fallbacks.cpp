/* SPDX-License-Identifier: MIT */
/*
 * Nothing is lost: a task pool, a list or a budget cut short, and a depth limit that is reached, all end in sorted keys on the
 * GPU, and the study says that the fallback ran. test_gpu_pending_limit.cpp does the same for refused launches.
 */
#include "gpu_check.h"

#include "plan_limits.h"

#include <cstdio>

using namespace gpu_check;

namespace {

/* Enough for many tasks on any GPU, with eight children each, too. */
uint64_t usual_count() {
  return pick((1 << 21) + 11, (1 << 18) + 3);
}

/* The tests run once for each scheme with two children to a task, then once with eight. */
constexpr int RECURSIONS = 2 * SCHEMES;

cdp_options in_recursion(int index) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.scheme = scheme_at(index % SCHEMES);
  options.fan_out = index < SCHEMES ? CDP_FAN_OUT_CLASSIC : CDP_FAN_OUT_MIN;
  return options;
}

/* Sorts under caps (plan_limits.h; nullptr: none), which are lifted whatever the sorts come to, and checks the keys. */
cdp_study sort_capped(const Subject &subject, const cdp_options &options, const cdp_plan_limits *limits, const char *how) {
  cdp_study study;
  cdp_plan_limit(limits);
  const cdp_status status = sort_both_ways(subject, options, &study);
  cdp_plan_limit(nullptr);
  CHECK_SORT(status);
  check_sorted(subject, options.order, how);
  CHECK_STUDY(study.first_fault == 0 && totals(study).launches_refused == 0, study, subject, how);
  return study;
}

/* The task pool cut to 8 slots, and to the one that the whole array takes. */
START_TEST(test_task_pool) {
  cdp_plan_limits limits = {};
  limits.task_capacity = _i % 2 == 0 ? 8 : 1;
  cdp_options options = in_recursion(_i / 2);
  options.leaf_items = 128; // one block finishes 320 leaves at most: many more than 8 tasks on any GPU
  char how[96];
  snprintf(how, sizeof how, "%s, fan-out %u, %u task slots", scheme_name(options.scheme), options.fan_out,
           limits.task_capacity);
  static const Distribution distributions[] = {Distribution::random, Distribution::staggered};
  for (Distribution distribution : distributions) {
    const Subject subject = make_subject(CDP_U32, usual_count(), distribution);
    const cdp_study study = sort_capped(subject, options, &limits, how);
    CHECK_STUDY(study.task_capacity == limits.task_capacity && study.tasks_allocated == limits.task_capacity, study, subject,
                how);
    CHECK_STUDY(totals(study).fallback_pool > 0, study, subject, how);
  }
}
END_TEST

/* Room for 4 collected ranges, and for 1. */
START_TEST(test_collected_list) {
  cdp_plan_limits limits = {};
  limits.worklist_capacity = _i % 2 == 0 ? 4 : 1;
  cdp_options options = in_recursion(_i / 2);
  options.order = CDP_DESCENDING;
  char how[96];
  snprintf(how, sizeof how, "%s, fan-out %u, room for %u collected ranges", scheme_name(options.scheme), options.fan_out,
           limits.worklist_capacity);
  const Subject subject = make_subject(CDP_F64, usual_count(), Distribution::random, 1);
  const cdp_study study = sort_capped(subject, options, &limits, how);
  const cdp_study_depth sum = totals(study);
  CHECK_STUDY(sum.fallback_pool > 0 && sum.collected == limits.worklist_capacity, study, subject, how);
}
END_TEST

/* Two tasks to a batch, or one; the others wait for a later batch. Only schemes whose tasks are launched one by one defer. */
START_TEST(test_task_budget) {
  cdp_plan_limits limits = {};
  limits.task_budget = _i % 2 == 0 ? 2 : 1;
  const cdp_options options = in_recursion(_i / 2);
  char how[96];
  snprintf(how, sizeof how, "%s, fan-out %u, a budget of %u tasks", scheme_name(options.scheme), options.fan_out,
           limits.task_budget);
  const Subject subject = make_subject(CDP_I32, usual_count(), Distribution::random);
  const cdp_study study = sort_capped(subject, options, &limits, how);
  const uint64_t deferred = totals(study).deferred;
  if (options.scheme == CDP_SCHEME_HOST) {
    CHECK_STUDY(deferred == 0 && study.batches == 0, study, subject, how);
  } else {
    CHECK_STUDY(deferred > 0 && study.batches > 0, study, subject, how);
    CHECK_STUDY(study.tasks_in_batch <= limits.task_budget, study, subject, how);
  }
}
END_TEST

/* Everything cut at once. */
START_TEST(test_all_cut) {
  const cdp_plan_limits limits = {2, 2, 1, 0, 0};
  cdp_options options = in_recursion(_i);
  options.child_streams = CDP_STREAMS_NAMED;
  for (uint64_t index = 0; index < device_data::DISTRIBUTIONS; index += pick(1, 4)) {
    const Subject subject = make_subject(CDP_U64, pick(1 << 19, 1 << 15), distribution_at(index), 1);
    sort_capped(subject, options, &limits, scheme_name(options.scheme));
    release(subject);
  }
}
END_TEST

/* Depth limits of nothing, 1 and 2: tasks above it, device-wide bitonic sort at it, nothing below. */
START_TEST(test_depth_limit) {
  const uint32_t depth = static_cast<uint32_t>(_i % 3);
  cdp_options options = in_recursion(_i / 3);
  options.depth_limit = depth == 0 ? CDP_DEPTH_NONE : depth;
  char how[96];
  snprintf(how, sizeof how, "%s, fan-out %u, depth limit %u", scheme_name(options.scheme), options.fan_out, depth);
  const Subject subject = make_subject(CDP_U32, usual_count(), Distribution::random, 3);
  const cdp_study study = sort_capped(subject, options, nullptr, how);
  uint64_t tasks = 0;
  uint64_t ranges = 1;
  for (uint32_t level = 0; level < depth; level++, ranges *= options.fan_out)
    tasks += ranges;
  CHECK_STUDY(totals(study).tasks == tasks, study, subject, how);
  CHECK_STUDY(study.depths[depth].fallback_depth == ranges, study, subject, how);
  CHECK_STUDY(study.depth_count == depth + 1, study, subject, how);
}
END_TEST

/* Bitonic sort of any length, by itself: sizes around the tiles', every type, both orders. */
START_TEST(test_bitonic_alone) {
  static const uint64_t sizes[] = {2,    33,    1000,  4095,  4096,  4097,   8191,   8192,
                                   8193, 12288, 12289, 20000, 65537, 100003, 1048573};
  const cdp_type type = type_at(_i / RECURSIONS);
  cdp_options options = in_recursion(_i % RECURSIONS);
  options.depth_limit = CDP_DEPTH_NONE;
  for (uint64_t size : sizes) {
    if (quick() && size > 20000)
      break;
    options.order = static_cast<cdp_order>(size % 2);
    const Subject subject = make_subject(type, size, Distribution::random, size % 3);
    const cdp_study study = sort_capped(subject, options, nullptr, scheme_name(options.scheme));
    CHECK_STUDY(totals(study).tasks == 0, study, subject, scheme_name(options.scheme));
    release(subject);
  }
}
END_TEST

/* Bad pivots on bad input run into a depth limit, and small leaves into many tasks; both at once. */
START_TEST(test_bad_pivots) {
  cdp_options options = in_recursion(_i);
  options.pivot = CDP_PIVOT_MIDDLE;
  options.depth_limit = 6;
  options.leaf_items = CDP_LEAF_MIN;
  const Subject subject = make_subject(CDP_U32, usual_count(), Distribution::organ_pipe);
  const cdp_study study = sort_capped(subject, options, nullptr, scheme_name(options.scheme));
  CHECK_STUDY(totals(study).fallback_depth > 0 && study.depth_count <= 7, study, subject, scheme_name(options.scheme));
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_fallbacks");
  TCase *test_case = add_case(suite, "capacities");
  tcase_add_loop_test(test_case, test_task_pool, 0, 2 * RECURSIONS);
  tcase_add_loop_test(test_case, test_collected_list, 0, 2 * RECURSIONS);
  tcase_add_loop_test(test_case, test_task_budget, 0, 2 * RECURSIONS);
  tcase_add_loop_test(test_case, test_all_cut, 0, RECURSIONS);
  test_case = add_case(suite, "depth");
  tcase_add_loop_test(test_case, test_depth_limit, 0, 3 * RECURSIONS);
  tcase_add_loop_test(test_case, test_bitonic_alone, 0, TYPES * RECURSIONS);
  tcase_add_loop_test(test_case, test_bad_pivots, 0, SCHEMES);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
