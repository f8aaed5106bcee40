/* SPDX-License-Identifier: MIT */
/*
 * Under MPS, which refuses modules that launch from the device: what the host launches works all the same, since its kernels and
 * the questions about them are in modules of their own; and a sort that would launch from the device says so and writes nothing.
 *
 * tests/gpu_run.sh starts the daemon and runs this program; without one it is skipped.
 */
#include "gpu_check.h"

#include <cdpsort/partition.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace gpu_check;

namespace {

constexpr int NOT_SUPPORTED = 811; /* cudaErrorCdpNotSupported */

/* _i: the type. */
START_TEST(test_host_loop_sorts) {
  for (int kind = 0; kind < FAN_OUT_KINDS; kind++) {
    Subject subject = make_subject(type_at(_i), pick((1 << 20) + 7, 30011), Distribution::random);
    cdp_options options = CDP_OPTIONS_INIT;
    options.scheme = CDP_SCHEME_HOST;
    options.fan_out = fan_out_at(kind);
    CHECK_SORT(cdp_quicksort(subject.keys.d_keys, subject.keys.count, subject.keys.type, &options));
    check_sorted(subject, CDP_ASCENDING, fan_out_name(options.fan_out));
    release(subject);
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

START_TEST(test_device_launches_are_refused) {
  uint32_t keys[] = {3, 1, 2};
  CHECK_FAILS(CDP_ERROR_CUDA, cdp_quicksort(keys, 3, CDP_U32, nullptr));
  ck_assert_int_eq(cdp_last_cuda_error(), NOT_SUPPORTED);
  ck_assert(keys[0] == 3 && keys[1] == 1 && keys[2] == 2);
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_mps");
  TCase *test_case = add_case(suite, "under MPS");
  tcase_add_loop_test(test_case, test_host_loop_sorts, 0, TYPES);
  tcase_add_loop_test(test_case, test_partition, 0, CDP_PARTITION_SCAN - CDP_PARTITION_RESERVE + 1);
  tcase_add_test(test_case, test_device_launches_are_refused);
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
