/* SPDX-License-Identifier: MIT */
/*
 * Every kernel that launches no other, in a program that has no other kernels: each public call, and sorts of keys by each path that the
 * host launches. tests/gpu_run.sh runs it under compute-sanitizer's racecheck and synccheck, which refuse programs whose kernels launch.
 * Small arrays: racecheck takes a hundred times as long.
 */
#include "gpu_calls.h"

using namespace gpu_calls;
using namespace gpu_check;
using namespace gpu_tables;

namespace {

constexpr size_t CALL_COUNTS[] = {700, 20011}; /* for one block, and for several */

/* One block; a short array; and more than 1.5 * 2^20, for a model of the keys whatever their width. */
constexpr uint64_t KEY_COUNTS[] = {500, 30011, (1 << 21) + 7};

/* _i: the row. */
START_TEST(test_each_call) {
  const Row &row = rows_with_templates()[static_cast<size_t>(_i)];
  for (const size_t count : CALL_COUNTS) {
    const Draw draw = {seed(), count, count};
    DeviceTrial trial(row, draw, row.has_blocking ? Form::blocking : Form::on_stream, gpu_tables::stream());
    note("%s", trial.name().c_str());
    trial.make();
    trial.must_be_right();
    free_arrays();
  }
}
END_TEST

/* _i: the type. */
START_TEST(test_keys) {
  const cdp_type type = type_at(_i);
  for (const uint64_t count : KEY_COUNTS)
    for (const uint32_t fan_out : {0u, uint32_t{CDP_FAN_OUT_CLASSIC}, 1024u})
      for (const Distribution distribution : {Distribution::random, Distribution::sorted, Distribution::distinct_16384}) {
        cdp_options options = CDP_OPTIONS_INIT;
        options.fan_out = fan_out;
        const Subject subject = make_subject(type, count, distribution);
        const cdp_study study = study_and_check(subject, options, "without launches from the device");
        CHECK_STUDY(totals(study).children_launched == 0, study, subject, "without launches from the device");
        release(subject);
        const Subject unsorted = make_subject(type, count, distribution);
        sort_async_and_check(unsorted, options, "without launches from the device, in stream order");
        release(unsorted);
      }
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_host_kernels");
  TCase *calls = add_case(suite, "calls");
  tcase_add_checked_fixture(calls, make_stream, destroy_stream);
  tcase_add_loop_test(calls, test_each_call, 0, static_cast<int>(rows_with_templates().size()));
  tcase_add_loop_test(add_case(suite, "keys"), test_keys, 0, TYPES);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
