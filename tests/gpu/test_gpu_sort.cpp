/* SPDX-License-Identifier: MIT */
/*
 * The GPU sorts: every type in both orders, every distribution, sizes from nothing to more than 2^32 keys; by default, and
 * the classic way. test_gpu_multiway.cpp has the fan-outs in between.
 */
#include "gpu_check.h"

#include <cstdio>

using namespace gpu_check;
using device_data::DISTRIBUTIONS;

namespace {

const char *order_name(cdp_order order) {
  return order == CDP_DESCENDING ? "descending" : "ascending";
}

cdp_options in_order(cdp_order order) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.order = order;
  return options;
}

/* Sorts keys by the blocking call, and checks everything. */
void sort_and_check(const Subject &subject, cdp_order order, uint32_t fan_out) {
  cdp_options options = in_order(order);
  options.fan_out = fan_out;
  CHECK_SORT(cdp_quicksort(subject.keys.d_keys, subject.keys.count, subject.keys.type, &options));
  char how[64];
  snprintf(how, sizeof how, "%s, %s", order_name(order), fan_out_name(fan_out));
  check_sorted(subject, order, how);
}

START_TEST(test_large) {
  const Subject subject = make_subject(CDP_U32, pick(uint64_t{1} << 27, 1 << 16), distribution_at(static_cast<uint64_t>(_i)));
  CHECK_SORT(cdp_quicksort(subject.keys.d_keys, subject.keys.count, CDP_U32, nullptr));
  check_sorted(subject, CDP_ASCENDING, "default options");
}
END_TEST

START_TEST(test_large_classic) {
  static const Distribution distributions[] = {Distribution::random, Distribution::sorted, Distribution::distinct_256,
                                               Distribution::killer};
  const Subject subject = make_subject(CDP_U32, pick(uint64_t{1} << 27, 1 << 16), distributions[_i]);
  sort_and_check(subject, CDP_ASCENDING, CDP_FAN_OUT_CLASSIC);
}
END_TEST

/* One subject for all distributions: what one sort leaves behind must not matter to the next. */
START_TEST(test_type) {
  Subject subject = make_room(type_at(_i / 2 % TYPES), pick(uint64_t{1} << 24, 1 << 16));
  for (uint64_t index = 0; index < DISTRIBUTIONS; index += pick(1, 3)) {
    fill(subject, distribution_at(index), seed() + index);
    sort_and_check(subject, static_cast<cdp_order>(_i % 2), fan_out_at(_i / 2 / TYPES));
  }
}
END_TEST

/* Sizes at which something changes: leaves, tiles, one block or many, powers of two; at addresses 16 bytes do not divide. */
START_TEST(test_sizes) {
  static const uint64_t sizes[] = {0,       1,       2,       3,       4,       5,      31,    32,     33,     63,
                                   64,      65,      511,     512,     513,     1023,   1024,  1025,   2047,   2048,
                                   2049,    4095,    4096,    4097,    8191,    8192,   8193,  12289,  16383,  16384,
                                   16385,   32767,   32768,   32769,   65535,   65536,  65537, 100003, 262143, 262145,
                                   1000003, 1048575, 1048576, 1048577, 2097153, 4194311};
  for (uint64_t size : sizes) {
    if (quick() && size > 65537)
      break;
    for (uint64_t ahead = quick() ? size % 4 : 0; ahead < 4; ahead += pick(1, 4)) {
      const cdp_order order = (size + ahead) % 2 != 0 ? CDP_DESCENDING : CDP_ASCENDING;
      Subject subject = make_room(type_at(_i % TYPES), size, ahead);
      fill(subject, ahead % 2 != 0 ? Distribution::extremes : Distribution::random, seed() + size);
      sort_and_check(subject, order, fan_out_at(_i / TYPES));
      release(subject);
    }
  }
}
END_TEST

/* Every count from 0 on, sorted one after another in a stream, each with a workspace of exactly the size that it needs. */
START_TEST(test_every_count) {
  const uint64_t most = pick(10000, 64);
  const uint64_t counts_at_once = 100;
  size_t workspace_most = 0;
  CHECK_SORT(cdp_quicksort_workspace(most, CDP_U32, nullptr, &workspace_most));
  const Subject room = make_room(CDP_U32, most + device_data::GUARD_BYTES / sizeof(uint32_t));
  const Guarded workspace = allocate_guarded(workspace_most + device_data::GUARD_BYTES);
  for (uint64_t count = 0; count <= most; count++) {
    Subject subject = room;
    subject.keys.count = count;
    fill(subject, distribution_at(count), seed() + count);
    unsigned char *d_behind = subject.memory.d_memory + count * sizeof(uint32_t);
    CHECK_CUDA(device_data::guard_fill(d_behind, device_data::GUARD_BYTES, nullptr));

    size_t workspace_bytes = 0;
    CHECK_SORT(cdp_quicksort_workspace(count, CDP_U32, nullptr, &workspace_bytes));
    ck_assert_msg(workspace_bytes <= workspace_most, "%llu keys need %zu bytes of workspace, more than %llu keys do (%zu)",
                  static_cast<unsigned long long>(count), workspace_bytes, static_cast<unsigned long long>(most),
                  workspace_most);
    unsigned char *d_workspace = workspace.d_memory;
    CHECK_CUDA(device_data::guard_fill(d_workspace + workspace_bytes, device_data::GUARD_BYTES, nullptr));
    CHECK_SORT(cdp_quicksort_async(subject.keys.d_keys, count, CDP_U32, nullptr, d_workspace, workspace_bytes, nullptr));

    judge(subject, CDP_ASCENDING);
    CHECK_CUDA(device_data::guard_check(subject.oracle, d_behind, device_data::GUARD_BYTES, nullptr));
    CHECK_CUDA(device_data::guard_check(subject.oracle, d_workspace + workspace_bytes, device_data::GUARD_BYTES, nullptr));
    judge_guards(subject, workspace);
    if (count % counts_at_once == 0 || count == most)
      conclude(subject, "the number of a judgement is its count");
  }
}
END_TEST

/* More keys than 32 bits can count. */
START_TEST(test_more_than_32_bits) {
  const uint64_t count = (uint64_t{1} << 32) + 12345;
  size_t free_bytes = 0;
  size_t all_bytes = 0;
  CHECK_CUDA(cudaMemGetInfo(&free_bytes, &all_bytes));
  const uint64_t needed = count * sizeof(uint32_t) * 2 + count * sizeof(uint32_t) / 50;
  ck_assert_msg(free_bytes > needed, "the test needs %llu bytes of device memory, and %zu of %zu are free",
                static_cast<unsigned long long>(needed), free_bytes, all_bytes);
  const Subject subject = make_subject(CDP_U32, count, distribution_at(static_cast<uint64_t>(_i)));
  CHECK_SORT(cdp_quicksort(subject.keys.d_keys, count, CDP_U32, nullptr));
  check_sorted(subject, CDP_ASCENDING, "default options");
}
END_TEST

/* As many keys as 32 bits count no more of, nearly all of one value: what 32-bit counters of them have is 0 when it is all. The
   others, zeros, lie so far apart: a sample has some, or none. _i: which. */
START_TEST(test_32_bits_of_one_value) {
  const uint64_t count = uint64_t{1} << 32;
  const size_t apart = _i == 0 ? 1000 : size_t{1} << 26;
  Subject subject = make_room(CDP_U32, count);
  snprintf(subject.label, sizeof subject.label, "2^32 u32, all of one value but for those %zu apart", apart);
  note("%s", subject.label);
  CHECK_CUDA(device_data::generate(subject.keys, Distribution::all_equal, seed(), nullptr));
  CHECK_CUDA(cudaMemset2D(static_cast<uint32_t *>(subject.keys.d_keys) + apart / 2, apart * sizeof(uint32_t), 0,
                          sizeof(uint32_t), count / apart));
  CHECK_CUDA(device_data::oracle_note(subject.oracle, subject.keys, nullptr));
  CHECK_SORT(cdp_quicksort(subject.keys.d_keys, count, CDP_U32, nullptr));
  check_sorted(subject, CDP_ASCENDING, "default options");
}
END_TEST

/* The oracle would notice: keys that are not sorted, a key changed, a guard overwritten. */
START_TEST(test_oracle) {
  const Subject subject = make_subject(CDP_F32, 10000, Distribution::sorted, 1);
  device_data::Findings findings;
  judge(subject, CDP_ASCENDING);
  CHECK_CUDA(device_data::oracle_read(subject.oracle, &findings, nullptr));
  ck_assert_msg(findings.judgements == 1 && findings.disorders == 0 && findings.wrong_digests == 0 &&
                    findings.damaged_guard_bytes == 0,
                "fault is found with sorted keys: %llu, %llu, %llu", findings.disorders, findings.wrong_digests,
                findings.damaged_guard_bytes);
  unsigned char *d_keys = subject.memory.d_memory;
  CHECK_CUDA(cudaMemcpy(d_keys + 4 * 5000, d_keys + 4 * 4999, 4, cudaMemcpyDeviceToDevice)); // one twice, one lost
  CHECK_CUDA(cudaMemset(d_keys - 1, 0, 1));
  CHECK_CUDA(cudaMemset(d_keys + subject.memory.bytes, 0, 1));
  judge(subject, CDP_DESCENDING);
  CHECK_CUDA(device_data::oracle_read(subject.oracle, &findings, nullptr));
  ck_assert_msg(findings.disorders == 9998 && findings.first_disorder == 0 && findings.first_disordered == 1,
                "%llu disorders, the first at %llu", findings.disorders, findings.first_disorder);
  ck_assert_msg(findings.wrong_digests == 1 && findings.first_wrong_digest == 1, "a lost key is not missed");
  ck_assert_msg(findings.damaged_guard_bytes == 2, "%llu damaged bytes instead of 2", findings.damaged_guard_bytes);
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_sort");
  TCase *test_case = add_case(suite, "oracle");
  tcase_add_test(test_case, test_oracle);
  test_case = add_case(suite, "small");
  tcase_add_test(test_case, test_every_count);
  tcase_add_loop_test(test_case, test_sizes, 0, TYPES * FAN_OUT_KINDS);
  test_case = add_case(suite, "types");
  tcase_add_loop_test(test_case, test_type, 0, 2 * TYPES * FAN_OUT_KINDS);
  test_case = add_case(suite, "large");
  tcase_add_loop_test(test_case, test_large, 0, DISTRIBUTIONS);
  tcase_add_loop_test(test_case, test_large_classic, 0, 4);
  if (!quick()) {
    tcase_add_test(test_case, test_more_than_32_bits);
    tcase_add_loop_test(test_case, test_32_bits_of_one_value, 0, 2);
  }
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
