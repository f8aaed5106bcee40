/* SPDX-License-Identifier: MIT */
/*
 * Keys of 8 and 16 bits on the GPU: every distribution, type, order and address, sizes around every limit, every value of half
 * precision, counters that become full, more than 2^32 keys, all kinds of memory, in stream order and captured.
 * test_counted.c does the same on the simulated device.
 */
#include "gpu_check.h"
#include "host_data.h"

#include <algorithm>
#include <vector>

using namespace gpu_check;
using device_data::DISTRIBUTIONS;

namespace {

constexpr int NARROW_TYPES = CDP_BF16 - CDP_U8 + 1;

cdp_type narrow_type(int index) {
  return static_cast<cdp_type>(CDP_U8 + index % NARROW_TYPES);
}

void sort_and_check(const Subject &subject, const cdp_options &options) {
  note_sort(subject, options, "counted");
  CHECK_SORT(cdp_quicksort(subject.keys.d_keys, subject.keys.count, subject.keys.type, &options));
  check_sorted(subject, options.order, "counted");
}

/* One block's limits are powers of two, whatever the device: all of those are tried. _i: the type. */
START_TEST(test_sizes) {
  cdp_options options = CDP_OPTIONS_INIT;
  uint64_t ahead = 0;
  for (uint64_t power = 0; power <= pick(21, 16); power++)
    for (uint64_t near = (uint64_t{1} << power) - 1; near <= (uint64_t{1} << power) + 1; near++) {
      options.order = static_cast<cdp_order>((power + near) % 2);
      const Subject subject = make_subject(narrow_type(_i), near, distribution_at(near % 2 == 0 ? 0 : power), ahead++ % 17);
      sort_and_check(subject, options);
      release(subject);
    }
}
END_TEST

/* _i: the distribution. */
START_TEST(test_distribution) {
  static const uint64_t sizes[] = {10000, 300007, 40000003};
  cdp_options options = CDP_OPTIONS_INIT;
  for (int turn = 0; turn < NARROW_TYPES; turn++) {
    const uint64_t count = sizes[quick() ? turn % 2 : turn % 3];
    options.order = static_cast<cdp_order>((turn + _i) % 2);
    const Subject subject = make_subject(narrow_type(turn + _i), count, distribution_at(static_cast<uint64_t>(_i)),
                                         static_cast<uint64_t>(turn + _i));
    sort_and_check(subject, options);
    release(subject);
  }
}
END_TEST

/* Values that come more often than a counter of 16 bits can tell, in every share. _i: the type. */
START_TEST(test_full_counters) {
  const cdp_options options = CDP_OPTIONS_INIT;
  for (const Distribution distribution : {Distribution::all_equal, Distribution::distinct_2, Distribution::distinct_256,
                                          Distribution::zipf, Distribution::mixed, Distribution::sorted}) {
    const Subject subject = make_subject(narrow_type(_i), pick(100000007, 3000001), distribution, 3);
    sort_and_check(subject, options);
    release(subject);
  }
}
END_TEST

/* _i: whether keys have 16 bits. */
START_TEST(test_more_than_32_bits_count) {
  const cdp_options options = CDP_OPTIONS_INIT;
  const Subject subject =
      make_subject(_i == 0 ? CDP_U8 : CDP_BF16, pick((uint64_t{1} << 32) + 12345, 1 << 20), Distribution::random, 1);
  sort_and_check(subject, options);
}
END_TEST

/* Every value, against an array that the host has sorted. _i: the type. */
START_TEST(test_every_value) {
  const cdp_type type = _i == 0 ? CDP_F16 : CDP_BF16;
  std::vector<uint16_t> expected(1 << 16);
  for (size_t value = 0; value < expected.size(); value++)
    expected[value] = static_cast<uint16_t>(value);
  std::sort(expected.begin(), expected.end(),
            [type](uint16_t left, uint16_t right) { return host_compare(type, &left, &right) < 0; });
  for (const cdp_order order : {CDP_ASCENDING, CDP_DESCENDING}) {
    cdp_options options = CDP_OPTIONS_INIT;
    options.order = order;
    std::vector<uint16_t> keys(expected.size());
    for (size_t value = 0; value < keys.size(); value++)
      keys[value] = static_cast<uint16_t>(value * 40503);                // odd: a permutation
    CHECK_SORT(cdp_quicksort(keys.data(), keys.size(), type, &options)); // in host memory
    if (order == CDP_DESCENDING)
      std::reverse(expected.begin(), expected.end());
    const auto differ = std::mismatch(keys.begin(), keys.end(), expected.begin());
    ck_assert_msg(differ.first == keys.end(), "%s, order %d: key %td is %#x, not %#x", device_data::type_name(type), order,
                  differ.first - keys.begin(), *differ.first, *differ.second);
  }
}
END_TEST

/* Managed memory. _i: the type. */
START_TEST(test_managed_memory) {
  const cdp_options options = CDP_OPTIONS_INIT;
  const cdp_type type = narrow_type(_i);
  const size_t count = 100003;
  std::vector<unsigned char> before(count * host_key_bytes(type));
  host_fill(before.data(), type, count, HOST_UNIFORM, seed());
  void *managed = nullptr;
  char why[HOST_WHY_BYTES];
  CHECK_CUDA(cudaMallocManaged(&managed, before.size()));
  std::copy(before.begin(), before.end(), static_cast<unsigned char *>(managed));
  const cdp_status status = cdp_quicksort(managed, count, type, &options);
  const bool sorted = status == CDP_OK && host_check_sorted(before.data(), managed, count, type, CDP_ASCENDING, why);
  CHECK_CUDA(cudaFree(managed));
  CHECK_SORT(status);
  ck_assert_msg(sorted, "%s", why);
}
END_TEST

/* In stream order, in a workspace between guards. _i: the type. */
START_TEST(test_async) {
  cdp_options options = CDP_OPTIONS_INIT;
  for (const uint64_t count : {2, 5000, 70001, 3000017}) {
    options.order = static_cast<cdp_order>(count % 2);
    const Subject subject = make_subject(narrow_type(_i), count, Distribution::random, 2);
    sort_async_and_check(subject, options, "counted");
    release(subject);
  }
}
END_TEST

/* Captured, by one block and by several, and replayed over other keys. _i: the type. */
START_TEST(test_captured) {
  for (const uint64_t count : {4000, 1000003}) {
    const cdp_type type = narrow_type(_i);
    Subject subject = make_room(type, count, 1);
    size_t bytes = 0;
    CHECK_SORT(cdp_quicksort_workspace(count, type, nullptr, &bytes));
    const Guarded workspace = allocate_guarded(bytes);
    cudaStream_t stream = nullptr;
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    const auto sort = [&] {
      return cdp_quicksort_async(subject.keys.d_keys, count, type, nullptr, workspace.d_memory, bytes, stream);
    };
    capture_and_replay(subject, stream, sort, [&] { judge_guards(subject, workspace, stream); });
    CHECK_CUDA(cudaStreamDestroy(stream));
  }
}
END_TEST

/* Calls that are about the recursion; and an address between two keys. */
START_TEST(test_refusals) {
  const Subject subject = make_subject(CDP_F16, 1000, Distribution::random);
  cdp_study study;
  CHECK_FAILS(CDP_ERROR_TYPE, cdp_study_quicksort(subject.keys.d_keys, 1000, CDP_F16, nullptr, &study));
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, cdp_quicksort(static_cast<unsigned char *>(subject.keys.d_keys) + 1, 500, CDP_F16, nullptr));
  double milliseconds = 0;
  CHECK_SORT(cdp_time_quicksort(subject.keys.d_keys, 1000, CDP_F16, nullptr, &milliseconds));
  ck_assert(milliseconds > 0);
  check_sorted(subject, CDP_ASCENDING, "timed, behind two calls that had failed");
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_counted");
  TCase *test_case = add_case(suite, "keys");
  tcase_add_loop_test(test_case, test_sizes, 0, NARROW_TYPES);
  tcase_add_loop_test(test_case, test_distribution, 0, DISTRIBUTIONS);
  tcase_add_loop_test(test_case, test_full_counters, 0, NARROW_TYPES);
  tcase_add_loop_test(test_case, test_more_than_32_bits_count, 0, 2);
  tcase_add_loop_test(test_case, test_every_value, 0, 2);
  test_case = add_case(suite, "calls");
  tcase_add_loop_test(test_case, test_managed_memory, 0, NARROW_TYPES);
  tcase_add_loop_test(test_case, test_async, 0, NARROW_TYPES);
  tcase_add_loop_test(test_case, test_captured, 0, NARROW_TYPES);
  tcase_add_test(test_case, test_refusals);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
