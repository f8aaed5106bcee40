/* SPDX-License-Identifier: MIT */
/*
 * Under MPS, which refuses modules that launch from the device: every sort works all the same, since the host launches it
 * without being asked to, and its kernels and the questions about them are in modules of their own.
 *
 * tests/gpu_run.sh starts the daemon and runs this program; without one it is skipped.
 */
#include "gpu_tables.h"

#include <cdpsort/partition.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace gpu_check;
using namespace gpu_tables;

namespace {

/* One block's, and more than that whatever the options. */
constexpr uint64_t COUNTS[] = {3, 500, 30011, (1 << 20) + 7};
constexpr uint64_t MAX_BLOCK_KEYS = 16384; /* (cdpsort.h) */

/* Default options, or with two children, or in a scheme of launching from the device, which there is none of here. */
cdp_options options_at(int kind) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.fan_out = fan_out_at(kind);
  options.scheme = kind < FAN_OUT_KINDS ? CDP_SCHEME_DEFAULT : scheme_at(kind / FAN_OUT_KINDS - 1);
  return options;
}
constexpr int OPTION_KINDS = FAN_OUT_KINDS * (1 + SCHEMES);

/* Sorts every size with all options. */
template <typename Sorted>
void sort_all(cdp_type type, Sorted sort) {
  for (const uint64_t count : COUNTS)
    for (int kind = 0; kind < OPTION_KINDS && count <= pick(UINT64_MAX, 1 << 17); kind++) {
      const Subject subject = make_subject(type, count, Distribution::random);
      sort(subject, options_at(kind));
      release(subject);
    }
}

/* _i: the type, here and in the next one. */
START_TEST(test_blocking_sorts) {
  sort_all(type_at(_i), [](const Subject &subject, const cdp_options &options) {
    const cdp_study study = study_and_check(subject, options, "under MPS");
    CHECK_STUDY(totals(study).children_launched == 0, study, subject, "under MPS");
    CHECK_STUDY(subject.keys.count <= MAX_BLOCK_KEYS || study.scheme == CDP_SCHEME_HOST, study, subject, "under MPS");
  });
}
END_TEST

START_TEST(test_async_sorts) {
  sort_all(type_at(_i), [](const Subject &subject, const cdp_options &options) {
    sort_async_and_check(subject, options, "asynchronously under MPS");
  });
}
END_TEST

/* Of 8 bits, or of 16: there are no studies of them. _i: which. */
START_TEST(test_narrow_keys) {
  sort_all(_i == 0 ? CDP_U8 : CDP_U16, [](const Subject &subject, const cdp_options &options) {
    const device_data::KeySpan &keys = subject.keys;
    note_sort(subject, options, "under MPS");
    CHECK_SORT(cdp_quicksort(keys.d_keys, keys.count, keys.type, &options));
    check_sorted(subject, options.order, "under MPS");
  });
  sort_all(_i == 0 ? CDP_U8 : CDP_U16, [](const Subject &subject, const cdp_options &options) {
    sort_async_and_check(subject, options, "asynchronously under MPS");
  });
}
END_TEST

/* Pairs, columns and argsort, whose kernels are in modules of their own again. _i: the call. */
START_TEST(test_values) {
  const Way way = {static_cast<Call>(_i), Place::device, Place::device, 0};
  for (const cdp_type type : {CDP_U8, CDP_F32, CDP_U64})
    for (int kind = 0; kind < OPTION_KINDS; kind++) {
      cdp_options options = options_at(kind);
      const Bytes keys = make_keys(type, kind == 0 ? 500 : 30011, HOST_EXTREMES);
      check_pairs(make_table(type, keys, {4}), options, way, "pairs under MPS");
      options.ties = CDP_TIES_STABLE;
      check_pairs(make_table(type, keys, {8, 1}), options, way, "columns under MPS");
      check_argsort(make_table(type, keys, {}), options, way, static_cast<Keys>(kind % KEYS), 4);
    }
}
END_TEST

/* _i: the kind. */
START_TEST(test_partition) {
  std::vector<uint32_t> keys(pick(1 << 20, 30011));
  uint32_t state = static_cast<uint32_t>(seed());
  for (uint32_t &key : keys)
    key = state = 1664525u * state + 1013904223u;
  const uint32_t pivot = keys[keys.size() / 2];
  std::vector<uint32_t> wanted = keys;
  std::sort(wanted.begin(), wanted.end());
  cdp_parts parts;
  CHECK_SORT(cdp_partition(keys.data(), keys.size(), CDP_U32, nullptr, &pivot,
                           static_cast<cdp_partition_kind>(CDP_PARTITION_RESERVE + _i), &parts));
  ck_assert_uint_eq(parts.less_items, std::lower_bound(wanted.begin(), wanted.end(), pivot) - wanted.begin());
  ck_assert(std::all_of(keys.begin(), keys.begin() + static_cast<int64_t>(parts.less_items),
                        [pivot](uint32_t key) { return key < pivot; }));
  std::sort(keys.begin(), keys.end());
  ck_assert_msg(keys == wanted, "not the same keys");
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_mps");
  TCase *test_case = add_case(suite, "under MPS");
  tcase_add_loop_test(test_case, test_blocking_sorts, 0, TYPES);
  tcase_add_loop_test(test_case, test_async_sorts, 0, TYPES);
  tcase_add_loop_test(test_case, test_narrow_keys, 0, 2);
  tcase_add_loop_test(test_case, test_partition, 0, CDP_PARTITION_SCAN - CDP_PARTITION_RESERVE + 1);
  test_case = add_case(suite, "values under MPS");
  tcase_add_checked_fixture(test_case, make_stream, destroy_stream);
  tcase_add_loop_test(test_case, test_values, 0, CALLS);
  return suite;
}

} // namespace

int main() {
  if (getenv("CUDA_MPS_PIPE_DIRECTORY") == nullptr) {
    fprintf(stderr, "skipped: CUDA_MPS_PIPE_DIRECTORY is not set; tests/gpu_run.sh starts the daemon\n");
    return 77;
  }
  return run(make_suite);
}
