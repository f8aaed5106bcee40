/* SPDX-License-Identifier: MIT */
/*
 * Short arrays on the GPU: two launches, whatever the distribution, the type and the address; buckets that fit no block; and
 * what the study says of it. test_short.c does the same on the simulated device.
 */
#include "gpu_check.h"

#include "plan_limits.h"

#include <cstdio>

using namespace gpu_check;
using device_data::DISTRIBUTIONS;

namespace {

/* Arrays longer than what one block sorts are short ones, of up to 128 times as many keys. */
constexpr int POWERS = 7;

/* Every power of two, and a little less; types in turn. One task, and no launch for its children, each of which is a leaf or
   equal keys. _i: the power. */
START_TEST(test_one_grid) {
  const cdp_options options = CDP_OPTIONS_INIT;
  for (cdp_type type : {CDP_U32, CDP_I64, CDP_F32, CDP_F64}) {
    for (uint64_t less = 0; less < 3; less++) {
      const uint64_t count = (one_block_items(type) << (_i + 1)) - less * less * 1001;
      const Subject subject = make_subject(type, count, Distribution::random, less);
      const cdp_study study = study_and_check(subject, options, "default options");
      const cdp_study_depth sum = totals(study);
      CHECK_STUDY(sum.tasks == 1 && study.depths[0].task_items == count, study, subject, "one task");
      CHECK_STUDY(sum.equal_items + sum.leaf_items == count && sum.collected == 0, study, subject, "every key once");
      CHECK_STUDY(sum.leaves == study.depths[1].leaves && sum.leaves >= 48, study, subject, "a leaf for each bucket");
      CHECK_STUDY(sum.children_launched == 0 && sum.launches_refused == 0, study, subject, "no launch from the device");
      release(subject);
    }
  }
}
END_TEST

/* _i: the distribution. Sizes from small tiles to many, types and orders in turn. */
START_TEST(test_distribution) {
  static const uint64_t sizes[] = {20000, 70001, 300007, 1000003, 2000003, 4000037};
  cdp_options options = CDP_OPTIONS_INIT;
  for (int turn = 0; turn < 6; turn++) {
    if (quick() && turn > 2)
      break;
    const cdp_type type = type_at((turn + _i) % TYPES);
    options.order = static_cast<cdp_order>((turn + _i / 6) % 2);
    options.seed = seed() + static_cast<uint64_t>(turn);
    const uint64_t count = device_data::key_bytes(type) == 4 ? sizes[turn] : sizes[turn] / 2;
    const Subject subject = make_subject(type, count, distribution_at(static_cast<uint64_t>(_i)), turn % 3);
    study_and_check(subject, options, "default options");
    release(subject);
  }
}
END_TEST

/* Arrays in order, or in the opposite one, are sorted as any other. */
START_TEST(test_presorted) {
  const cdp_options options = CDP_OPTIONS_INIT;
  const Subject subject =
      make_subject(CDP_U32, pick(1 << 20, 1 << 16), _i == 0 ? Distribution::sorted : Distribution::reversed);
  const cdp_study study = study_and_check(subject, options, "default options");
  const cdp_study_depth sum = totals(study);
  CHECK_STUDY(sum.children_launched == 0 && sum.tasks == 1, study, subject, "launches");
}
END_TEST

/* Two values: all blocks write them where they are so many. */
START_TEST(test_frequent_values) {
  const cdp_options options = CDP_OPTIONS_INIT;
  const Subject subject = make_subject(CDP_F32, _i == 0 ? 1 << 21 : 1 << 16, Distribution::distinct_2);
  const cdp_study study = study_and_check(subject, options, "default options");
  const cdp_study_depth sum = totals(study);
  CHECK_STUDY(study.depths[0].equal_items == subject.keys.count && sum.leaves == 0, study, subject, "equal keys");
  CHECK_STUDY(sum.children_launched == 0, study, subject, "launches");
}
END_TEST

/* So few buckets that none fits a block's registers: a grid with a block for each sorts them behind the grid, or a task's grids
   do. _i: the latter. */
START_TEST(test_long_buckets) {
  cdp_plan_limits limits = {};
  limits.short_fan_out = CDP_FAN_OUT_MIN;
  cdp_tuning short_anyway = {};
  short_anyway.size = sizeof short_anyway;
  short_anyway.short_items = UINT32_MAX;
  cdp_options options = CDP_OPTIONS_INIT;
  options.tuning = &short_anyway;
  for (uint64_t index = 0; index < DISTRIBUTIONS; index += pick(1, 4)) {
    const cdp_type type = type_at(static_cast<int>(index) % TYPES);
    const uint64_t count = CDP_FAN_OUT_MIN * one_block_items(type) * (_i == 0 ? 2 : 24) + index;
    const Subject subject = make_subject(type, count, distribution_at(index), index % 4);
    cdp_study study;
    cdp_plan_limit(&limits);
    const cdp_status status = sort_both_ways(subject, options, &study);
    cdp_plan_limit(nullptr);
    CHECK_SORT(status);
    check_sorted(subject, options.order, "eight buckets");
    CHECK_STUDY(study.first_fault == 0 && totals(study).launches_refused == 0, study, subject, "eight buckets");
    if (distribution_at(index) == Distribution::random) {
      CHECK_STUDY(study.depths[1].children_launched >= (_i == 0 ? 1 : CDP_FAN_OUT_MIN / 2), study, subject,
                  "launched behind the grid");
      CHECK_STUDY((study.depths[1].tasks >= CDP_FAN_OUT_MIN / 2) == (_i != 0), study, subject, "as tasks");
    }
    release(subject);
  }
}
END_TEST

/* Every sort draws another sample, of other keys: random ones and ones with frequent values in turn. */
START_TEST(test_seeds) {
  cdp_options options = CDP_OPTIONS_INIT;
  Subject subject = make_room(CDP_U32, pick(1 << 20, 1 << 16), 1);
  for (uint64_t turn = 0; turn < pick(200, 20); turn++) {
    options.seed = seed() * 1000 + turn;
    fill(subject, turn % 2 == 0 ? Distribution::random : Distribution::zipf, turn);
    study_and_check(subject, options, "default options");
  }
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_short");
  TCase *test_case = add_case(suite, "launches");
  tcase_add_loop_test(test_case, test_one_grid, 0, POWERS);
  tcase_add_loop_test(test_case, test_presorted, 0, 2);
  tcase_add_loop_test(test_case, test_frequent_values, 0, 2);
  test_case = add_case(suite, "keys");
  tcase_add_loop_test(test_case, test_distribution, 0, DISTRIBUTIONS);
  tcase_add_loop_test(test_case, test_long_buckets, 0, 2);
  tcase_add_test(test_case, test_seeds);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
