/* SPDX-License-Identifier: MIT */
/*
 * The pending-launch limit of the whole process lowered to 4 (CUDA makes it 32): every scheme still sorts on the GPU, in many
 * waves instead of one, and asks for hardly a launch that would be refused. A program of its own, for the sake of the limit.
 *
 * That refused launches are made good is shown on the simulated device (test_fallbacks.c, test_seeds.c). Here they are avoided
 * on purpose: with a driver of version 580, a sort that met the limit again and again sometimes never completed, though nothing
 * of it was running (docs/performance.md). The controller scheme is left out for the same reason: its tails met it even so.
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
  options.scheme = CDP_SCHEME_LAST_BLOCK;
  options.child_streams = static_cast<cdp_child_streams>(CDP_STREAMS_FIRE_AND_FORGET + _i % 2);
  options.fan_out = _i / 2 == 0 ? CDP_FAN_OUT_CLASSIC : CDP_FAN_OUT_MIN;
  options.leaf_items = CDP_LEAF_MIN;
  char how[64];
  snprintf(how, sizeof how, "%s, %s streams, fan-out %u", scheme_name(options.scheme),
           _i % 2 != 0 ? "named" : "fire-and-forget", options.fan_out);
  const Subject subject = make_subject(CDP_U32, pick(1 << 21, 1 << 16), Distribution::random);
  const cdp_study study = sort_and_check(subject, options, how);
  const cdp_study_depth sum = totals(study);
  CHECK_STUDY(sum.deferred > 0 && study.waves > 1 && sum.tasks > 4 * study.tasks_in_wave, study, subject, how);
  CHECK_STUDY(sum.launches_refused == 0 && sum.fallback_refused == 0 && study.first_fault == 0, study, subject, how);
}
END_TEST

/* Whatever counts against the limit, tasks, waves, bitonic steps and fills of equal keys: every distribution, types of both
 * sizes. Under a limit of 256: under 32 this test did not end in one run, and perhaps in a second, where it is not known which
 * test it was; nor did under 256 hundreds of bitonic sorts at once, which many children at a depth limit make
 * (docs/performance.md); those are tested under the usual limit. CUDA refuses a launch now and then although the budget should
 * have left room (1 of 410 was seen): that is made good, and it must stay rare. */
START_TEST(test_every_distribution) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.scheme = _i % 2 == 0 ? CDP_SCHEME_LAST_BLOCK : CDP_SCHEME_HOST_LOOP;
  options.depth_limit = _i / 2 % 2 == 0 ? 0 : 3;
  options.fan_out = _i / 4 == 0 ? CDP_FAN_OUT_CLASSIC : CDP_FAN_OUT_MIN;
  char how[64];
  snprintf(how, sizeof how, "%s, depth limit %u, fan-out %u", scheme_name(options.scheme), options.depth_limit,
           options.fan_out);
  for (uint64_t index = 0; index < device_data::DISTRIBUTIONS; index += pick(1, 4)) {
    options.order = static_cast<cdp_order>(index % 2);
    const Subject subject =
        make_subject(index % 2 == 0 ? CDP_I32 : CDP_F64, pick((1 << 20) + 3, (1 << 15) + 3), distribution_at(index), 1);
    const cdp_study study = sort_and_check(subject, options, how);
    const cdp_study_depth sum = totals(study);
    CHECK_STUDY(sum.launches_refused * 50 <= sum.children_launched, study, subject, how);
    CHECK_STUDY((study.first_fault != 0) == (sum.launches_refused != 0), study, subject, how);
    release(subject);
  }
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
  tcase_add_loop_test(test_case, test_many_waves, 0, 4);
  test_case = add_case(suite, "a limit of 256");
  tcase_add_checked_fixture(test_case, set_modest_limit, nullptr);
  tcase_add_loop_test(test_case, test_every_distribution, 0, 6);
  test_case = add_case(suite, "the usual limit");
  tcase_add_checked_fixture(test_case, set_usual_limit, nullptr);
  tcase_add_loop_test(test_case, test_usual_limit_refuses_nothing, 0, DYNAMIC_SCHEMES * FAN_OUT_KINDS);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
