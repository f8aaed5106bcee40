/* SPDX-License-Identifier: MIT */
/*
 * Who launches, how, and around which pivot: every combination on the GPU sorts, says what it did, and did what it was asked.
 */
#include "gpu_check.h"

#include <cstdio>

using namespace gpu_check;

namespace {

/* Every rule for the pivot of two children; and many children, for which there is one rule. */
constexpr int PARTITIONS = PIVOTS + 1;

/* Scheme, child streams and partition, by the number of the test. */
START_TEST(test_combination) {
  static const Distribution distributions[] = {Distribution::random, Distribution::sorted, Distribution::staggered,
                                               Distribution::distinct_256, Distribution::organ_pipe};
  cdp_options options = CDP_OPTIONS_INIT;
  const int partition = _i % PARTITIONS;
  options.scheme = scheme_at(_i / (2 * PARTITIONS));
  options.child_streams = static_cast<cdp_child_streams>(CDP_STREAMS_FIRE_AND_FORGET + _i / PARTITIONS % 2);
  options.fan_out = partition < PIVOTS ? CDP_FAN_OUT_CLASSIC : CDP_FAN_OUT_MAX;
  options.pivot = partition < PIVOTS ? static_cast<cdp_pivot>(CDP_PIVOT_MIDDLE + partition) : CDP_PIVOT_SAMPLED_MEDIAN;
  options.seed = seed();
  char how[96];
  snprintf(how, sizeof how, "%s, %s streams, %s, %s", scheme_name(options.scheme),
           options.child_streams == CDP_STREAMS_NAMED ? "named" : "fire-and-forget", pivot_name(options.pivot),
           fan_out_name(options.fan_out));
  Subject subject = make_room(CDP_U32, pick(uint64_t{1} << 24, 1 << 16));
  for (Distribution distribution : distributions) {
    if (quick() && distribution == Distribution::staggered)
      break;
    fill(subject, distribution, seed());
    study_and_check(subject, options, how);
  }
}
END_TEST

/* Every type and order in every scheme, at a size that no tile divides. */
START_TEST(test_type) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.scheme = scheme_at(_i / TYPES % SCHEMES);
  options.fan_out = fan_out_at(_i / TYPES / SCHEMES);
  Subject subject = make_room(type_at(_i % TYPES), pick((1 << 20) + 7, (1 << 15) + 7), 1);
  for (int order = 0; order < 2; order++) {
    options.order = static_cast<cdp_order>(order);
    fill(subject, order == 0 ? Distribution::random : Distribution::extremes, seed());
    study_and_check(subject, options, order == 0 ? scheme_name(options.scheme) : fan_out_name(options.fan_out));
  }
}
END_TEST

/* The classic recursion is studied by its counts; test_gpu_multiway.cpp does the same for many children. */
cdp_options classic_in_scheme(int index) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.scheme = scheme_at(index);
  options.fan_out = CDP_FAN_OUT_CLASSIC;
  return options;
}

/* Schemes with dynamic parallelism launch from the device: every task, and the grid for the small ranges. */
START_TEST(test_children_are_launched) {
  const cdp_options options = classic_in_scheme(_i);
  const char *how = scheme_name(options.scheme);
  const Subject subject = make_subject(CDP_U32, pick(1 << 22, 1 << 16), Distribution::random);
  const cdp_study study = study_and_check(subject, options, how);
  const cdp_study_depth sum = totals(study);
  CHECK_STUDY(sum.tasks > 1 && study.depths[0].tasks == 1 && study.depths[0].task_items == subject.keys.count, study, subject,
              how);
  CHECK_STUDY(study.depths[1].children_launched > 0, study, subject, how);
  CHECK_STUDY(sum.children_launched > sum.tasks, study, subject, how);
  CHECK_STUDY(sum.collected > 0 && sum.leaves > 0, study, subject, how);
  CHECK_STUDY(study.milliseconds > 0, study, subject, how);
}
END_TEST

/* The host partitions the same tasks, and launches nothing from the device. */
START_TEST(test_host_launches_no_children) {
  const cdp_options options = classic_in_scheme(CDP_SCHEME_HOST - CDP_SCHEME_LAST_BLOCK);
  const Subject subject = make_subject(CDP_U32, pick(1 << 22, 1 << 16), Distribution::random);
  const cdp_study study = study_and_check(subject, options, "host");
  const cdp_study_depth sum = totals(study);
  CHECK_STUDY(sum.tasks > 1 && sum.collected > 0 && sum.leaves > 0, study, subject, "host");
  CHECK_STUDY(sum.children_launched == 0 && sum.deferred == 0 && study.batches == 0, study, subject, "host");
}
END_TEST

/* Equal keys leave the recursion at the first partition. */
START_TEST(test_equal_keys_leave) {
  const cdp_options options = classic_in_scheme(_i);
  const char *how = scheme_name(options.scheme);
  const Subject subject = make_subject(CDP_I64, pick(1 << 22, 1 << 16), Distribution::all_equal);
  const cdp_study study = study_and_check(subject, options, how);
  CHECK_STUDY(study.depth_count == 1 && study.depths[0].equal_items == subject.keys.count, study, subject, how);
  CHECK_STUDY(totals(study).tasks == 1, study, subject, how);
}
END_TEST

/* The least and the greatest leaf size are kept to, with two children to a task, many in one level, and many in several. */
constexpr uint32_t LEAF_FAN_OUTS[] = {CDP_FAN_OUT_CLASSIC, 0, 16};
START_TEST(test_leaf_size) {
  const bool least = _i % 2 == 0;
  cdp_options options = CDP_OPTIONS_INIT;
  options.scheme = scheme_at(_i / 2 % SCHEMES);
  options.fan_out = LEAF_FAN_OUTS[_i / 2 / SCHEMES];
  options.leaf_items = least ? CDP_LEAF_MIN : CDP_LEAF_MAX_4_BYTES;
  char how[64];
  snprintf(how, sizeof how, "%s, fan-out %u, leaves of %u", scheme_name(options.scheme), options.fan_out, options.leaf_items);
  const Subject subject = make_subject(CDP_F32, pick(1 << 21, 1 << 15), Distribution::gaussian);
  const cdp_study study = study_and_check(subject, options, how);
  const cdp_study_depth sum = totals(study);
  CHECK_STUDY(sum.leaves > 0 && sum.leaf_items <= sum.leaves * options.leaf_items, study, subject, how);
  CHECK_STUDY(!least || sum.leaves > subject.keys.count / 64, study, subject, how);
}
END_TEST

/* Nobody counts, as in an ordinary sort: kernels must not touch counters that are not there. With the least leaves tasks have
   to wait for a second batch. */
START_TEST(test_uncounted) {
  static const uint32_t fan_outs[] = {CDP_FAN_OUT_CLASSIC, 8, 16, 64, 0};
  cdp_options options = CDP_OPTIONS_INIT;
  options.scheme = scheme_at(_i % SCHEMES);
  options.fan_out = fan_outs[_i / SCHEMES];
  options.seed = seed();
  Subject subject = make_room(CDP_U32, pick(uint64_t{1} << 24, 1 << 16));
  for (const uint32_t leaf_items : {CDP_LEAF_MIN, 0u}) {
    double milliseconds = 0;
    options.leaf_items = leaf_items;
    fill(subject, Distribution::random, seed());
    CHECK_SORT(cdp_time_quicksort(subject.keys.d_keys, subject.keys.count, subject.keys.type, &options, &milliseconds));
    check_sorted(subject, options.order, "uncounted");
    ck_assert_double_gt(milliseconds, 0);
  }
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_schemes");
  TCase *test_case = add_case(suite, "children");
  tcase_add_loop_test(test_case, test_children_are_launched, 0, CDP_SCHEME_CONTROLLER);
  tcase_add_test(test_case, test_host_launches_no_children);
  test_case = add_case(suite, "recursion");
  tcase_add_loop_test(test_case, test_equal_keys_leave, 0, SCHEMES);
  tcase_add_loop_test(test_case, test_leaf_size, 0, 2 * SCHEMES * 3);
  test_case = add_case(suite, "combinations");
  tcase_add_loop_test(test_case, test_uncounted, 0, SCHEMES * 5);
  tcase_add_loop_test(test_case, test_combination, 0, SCHEMES * 2 * PARTITIONS);
  tcase_add_loop_test(test_case, test_type, 0, SCHEMES * TYPES * FAN_OUT_KINDS);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
