/* SPDX-License-Identifier: MIT */
/*
 * The pending-launch limit of the whole process, lowered to 4 (CUDA makes it 32) and to 256, and as it is: every scheme sorts on
 * the GPU, in many waves instead of one, and no launch is refused. A program of its own, for the sake of the limit.
 *
 * That refused launches are made good is shown on the simulated device (test_fallbacks.c, test_seeds.c). Here they are avoided
 * on purpose: with a driver of version 580, sorts that fill a lowered limit, or meet it, sometimes never complete though nothing
 * of them is running (docs/performance.md). A wave's share of the limit (src/plan.c) is there for that.
 */
#include "gpu_check.h"

#include "engine.h"

#include <cstdio>

using namespace gpu_check;

namespace {

constexpr uint32_t LOW_LIMIT = 4;
constexpr uint32_t MODEST_LIMIT = 256;
constexpr uint32_t USUAL_LIMIT = 2048; /* CUDA's default */
constexpr int DYNAMIC_SCHEMES = CDP_SCHEME_CONTROLLER;
constexpr int STREAM_KINDS = 2;

/* Two children to a task, or few: many tasks in either case. */
uint32_t small_fan_out_at(int index) {
  return index % FAN_OUT_KINDS == 0 ? CDP_FAN_OUT_CLASSIC : CDP_FAN_OUT_MIN;
}

void set_limit(uint32_t limit) {
  cdp_fault fault = {0, ""};
  const cdp_status status = cdp_engine_cuda()->set_pending_limit(limit, &fault);
  ck_assert_msg(status == CDP_OK, "the pending-launch limit cannot be %u: %s", limit, fault.text);
  size_t now = 0;
  CHECK_CUDA(cudaDeviceGetLimit(&now, cudaLimitDevRuntimePendingLaunchCount));
  ck_assert_msg(now >= limit && now < 2 * limit + 64, "the pending-launch limit is %zu, not %u", now, limit);
}

void set_low_limit() {
  set_limit(LOW_LIMIT);
}

void set_modest_limit() {
  set_limit(MODEST_LIMIT);
}

void set_usual_limit() {
  set_limit(USUAL_LIMIT);
}

cdp_study sort_and_check(const Subject &subject, const cdp_options &options, const char *how) {
  cdp_study study;
  CHECK_SORT(sort_both_ways(subject, options, &study));
  check_sorted(subject, options.order, how);
  return study;
}

/* Small leaves make many more tasks than one wave may start. */
START_TEST(test_many_waves) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.scheme = scheme_at(_i % DYNAMIC_SCHEMES);
  options.child_streams = static_cast<cdp_child_streams>(CDP_STREAMS_FIRE_AND_FORGET + _i / DYNAMIC_SCHEMES % STREAM_KINDS);
  options.fan_out = small_fan_out_at(_i / DYNAMIC_SCHEMES / STREAM_KINDS);
  options.leaf_items = CDP_LEAF_MIN;
  char how[64];
  snprintf(how, sizeof how, "%s, %s streams, fan-out %u", scheme_name(options.scheme),
           options.child_streams == CDP_STREAMS_NAMED ? "named" : "fire-and-forget", options.fan_out);
  const Subject subject = make_subject(CDP_U32, pick(1 << 21, 1 << 16), Distribution::random);
  const cdp_study study = sort_and_check(subject, options, how);
  const cdp_study_depth sum = totals(study);
  CHECK_STUDY(sum.deferred > 0 && study.waves > 1 && sum.tasks > 4 * study.tasks_in_wave, study, subject, how);
  CHECK_STUDY(sum.launches_refused == 0 && sum.fallback_refused == 0 && study.first_fault == 0, study, subject, how);
}
END_TEST

/* Whatever counts against the limit, tasks, waves, bitonic steps and fills of equal keys: every distribution, types of both
 * sizes. */
START_TEST(test_every_distribution) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.scheme = scheme_at(_i % SCHEMES);
  options.depth_limit = _i / SCHEMES % 2 == 0 ? 0 : 3;
  options.fan_out = small_fan_out_at(_i / SCHEMES / 2);
  char how[64];
  snprintf(how, sizeof how, "%s, depth limit %u, fan-out %u", scheme_name(options.scheme), options.depth_limit,
           options.fan_out);
  for (uint64_t index = 0; index < device_data::DISTRIBUTIONS; index += pick(1, 4)) {
    options.order = static_cast<cdp_order>(index % 2);
    const Subject subject =
        make_subject(index % 2 == 0 ? CDP_I32 : CDP_F64, pick((1 << 20) + 3, (1 << 15) + 3), distribution_at(index), 1);
    const cdp_study study = sort_and_check(subject, options, how);
    CHECK_STUDY(totals(study).launches_refused == 0 && study.first_fault == 0, study, subject, how);
    release(subject);
  }
}
END_TEST

/* One sort after another, each in several waves: with three quarters of a limit of 256 for a wave, one of some hundred sorts did
 * not complete, if not of ten. Without a study and with one by turns. Whoever waits for this test in vain has met that. */
START_TEST(test_no_sort_is_lost) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.scheme = scheme_at(_i % DYNAMIC_SCHEMES);
  options.fan_out = small_fan_out_at(_i / DYNAMIC_SCHEMES);
  const bool classic = options.fan_out == CDP_FAN_OUT_CLASSIC;
  options.leaf_items = classic ? CDP_LEAF_MIN : 0;
  options.block_items = classic ? 1024 : 4096;
  char how[64];
  snprintf(how, sizeof how, "%s, fan-out %u", scheme_name(options.scheme), options.fan_out);
  Subject subject = make_room(CDP_U32, classic ? 1 << 21 : 1 << 23);
  for (uint64_t sorts = 0; sorts < pick(120, 8); sorts++) {
    fill(subject, distribution_at(sorts / 2), seed() + sorts);
    if (sorts % 2 == 0) {
      CHECK_SORT(cdp_quicksort(subject.keys.d_keys, subject.keys.count, subject.keys.type, &options));
    } else {
      cdp_study study;
      CHECK_SORT(cdp_study_quicksort(subject.keys.d_keys, subject.keys.count, subject.keys.type, &options, &study));
      CHECK_STUDY(totals(study).launches_refused == 0 && study.first_fault == 0, study, subject, how);
      CHECK_STUDY(study.waves > 1 || distribution_at(sorts / 2) != Distribution::random, study, subject, how);
    }
    judge(subject, options.order);
  }
  conclude(subject, how);
}
END_TEST

START_TEST(test_usual_limit_refuses_nothing) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.scheme = scheme_at(_i % DYNAMIC_SCHEMES);
  options.fan_out = fan_out_at(_i / DYNAMIC_SCHEMES);
  options.leaf_items = CDP_LEAF_MIN;
  const char *how = scheme_name(options.scheme);
  const Subject subject = make_subject(CDP_U32, pick(1 << 21, 1 << 16), Distribution::random);
  const cdp_study study = sort_and_check(subject, options, how);
  const cdp_study_depth sum = totals(study);
  CHECK_STUDY(sum.launches_refused == 0 && study.first_fault == 0 && sum.children_launched > sum.tasks, study, subject, how);
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_pending_limit");
  TCase *test_case = add_case(suite, "a limit of 4");
  tcase_add_checked_fixture(test_case, set_low_limit, nullptr);
  tcase_add_loop_test(test_case, test_many_waves, 0, DYNAMIC_SCHEMES * STREAM_KINDS * FAN_OUT_KINDS);
  test_case = add_case(suite, "a limit of 256");
  tcase_add_checked_fixture(test_case, set_modest_limit, nullptr);
  tcase_add_loop_test(test_case, test_every_distribution, 0, SCHEMES * 2 * FAN_OUT_KINDS);
  tcase_add_loop_test(test_case, test_no_sort_is_lost, 0, DYNAMIC_SCHEMES * FAN_OUT_KINDS);
  test_case = add_case(suite, "the usual limit");
  tcase_add_checked_fixture(test_case, set_usual_limit, nullptr);
  tcase_add_loop_test(test_case, test_no_sort_is_lost, 0, DYNAMIC_SCHEMES * FAN_OUT_KINDS);
  tcase_add_loop_test(test_case, test_usual_limit_refuses_nothing, 0, DYNAMIC_SCHEMES * FAN_OUT_KINDS);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
