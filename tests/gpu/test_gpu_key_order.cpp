/* SPDX-License-Identifier: MIT */
/*
 * The order of floating-point keys on the GPU: all that a key's upper 16 bits can be, with several lower parts, so that NaNs of
 * both signs, quiet and signalling, with payloads great and small, stand beside infinities, both zeros, denormals and numbers.
 * In both orders, by every way to sort, against an array that the host has sorted by the comparison of host_oracle.c.
 */
#include "gpu_check.h"
#include "host_data.h"

#include <cdpsort/study.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <vector>

using namespace gpu_check;

namespace {

constexpr uint32_t UPPER_PARTS = 1 << 16;

/* Lower parts: nothing, the least bit, a middle, all bits. Together with the upper ones 0x7FF0, 0x7FF8, 0xFFF0 and 0xFFF8 (32
   bits: 0x7F80 and so on) they make infinities, the least and the greatest NaNs of both kinds, and others. */
constexpr uint64_t LOWER_PARTS_4_BYTES[] = {0, 1, 0x5A5A, 0xFFFF};
constexpr uint64_t LOWER_PARTS_8_BYTES[] = {0, 1, 0x5A5A12345678, 0xFFFFFFFFFFFF};

template <typename Bits>
constexpr cdp_type TYPE = sizeof(Bits) == 4 ? CDP_F32 : CDP_F64;

template <typename Bits>
bool comes_before(Bits left, Bits right) {
  return host_compare(TYPE<Bits>, &left, &right) < 0;
}

/* All different keys, as the host has them in ascending order. */
template <typename Bits>
std::vector<Bits> all_keys() {
  std::vector<Bits> keys;
  for (const uint64_t lower : sizeof(Bits) == 4 ? LOWER_PARTS_4_BYTES : LOWER_PARTS_8_BYTES)
    for (uint64_t upper = 0; upper < UPPER_PARTS; upper++)
      keys.push_back(static_cast<Bits>(upper << (8 * sizeof(Bits) - 16) | lower));
  std::sort(keys.begin(), keys.end(), comes_before<Bits>);
  return keys;
}

/* Whether a sort has tasks. Of some ways the device decides: how long a range one block finishes. */
enum class Tasks { any, none, some };

/* A way to sort, and how many keys it takes. */
struct Way {
  const char *name;
  uint64_t count; /* 0: as many as one block sorts; otherwise a multiple of all keys */
  uint32_t fan_out;
  uint32_t depth_limit;
  cdp_scheme scheme;
  Tasks tasks; /* that a study counts */
};
constexpr uint64_t ALL = 4 * UPPER_PARTS;
constexpr Way WAYS[] = {
    {"one block", 0, 0, 0, CDP_SCHEME_DEFAULT, Tasks::any},
    {"a short array", ALL, 0, 0, CDP_SCHEME_DEFAULT, Tasks::any},
    {"a model of the keys", 1 << 23, 0, 0, CDP_SCHEME_DEFAULT, Tasks::none},
    {"tasks, by splitters", 1 << 23, 1024, 0, CDP_SCHEME_DEFAULT, Tasks::some},
    {"tasks of 8 children, by a controller", 1 << 20, 8, 0, CDP_SCHEME_CONTROLLER, Tasks::any},
    {"the host", 1 << 20, 16, 0, CDP_SCHEME_HOST, Tasks::any},
    {"the classic recursion", ALL, CDP_FAN_OUT_CLASSIC, 0, CDP_SCHEME_DEFAULT, Tasks::any},
    {"the classic recursion, by a controller", 1 << 20, CDP_FAN_OUT_CLASSIC, 0, CDP_SCHEME_CONTROLLER, Tasks::any},
    {"bitonic sort", ALL, 0, CDP_DEPTH_NONE, CDP_SCHEME_DEFAULT, Tasks::any},
};
constexpr int WAY_COUNT = sizeof WAYS / sizeof *WAYS;

template <typename Bits>
void reorder(std::vector<Bits> *keys) {
  uint64_t state = seed();
  for (uint64_t left = keys->size(); left > 1; left--)
    std::swap((*keys)[left - 1], (*keys)[host_random_below(&state, left)]);
}

/* Ends the test at the first key that is not the one expected. */
template <typename Bits>
void check_same(const std::vector<Bits> &found, const std::vector<Bits> &expected, const Way &way, cdp_order order) {
  if (memcmp(found.data(), expected.data(), found.size() * sizeof(Bits)) == 0)
    return;
  const auto differ = std::mismatch(found.begin(), found.end(), expected.begin());
  ck_abort_msg("%s, %s, order %d: key %td of %zu is %#" PRIx64 ", not %#" PRIx64, way.name, device_data::type_name(TYPE<Bits>),
               order, differ.first - found.begin(), found.size(), static_cast<uint64_t>(*differ.first),
               static_cast<uint64_t>(*differ.second));
}

/* Whether the sort goes the way that the row names; not of fewer keys than the row has, which go another way. The keys are on the device, in any order; they are sorted after it. */
void check_path(const Subject &subject, uint64_t count, cdp_type type, const cdp_options &options, const Way &way) {
  cdp_study study;
  CHECK_SORT(cdp_study_quicksort(subject.keys.d_keys, count, type, &options, &study));
  ck_assert_msg(way.tasks == Tasks::any || count != way.count || (study.total.tasks > 0) == (way.tasks == Tasks::some),
                "%s: the study counts %" PRIu64 " tasks", way.name, static_cast<uint64_t>(study.total.tasks));
}

/* Sorts keys that the host has in ascending order, from some other order. */
template <typename Bits>
void sort_and_compare(std::vector<Bits> expected, const Way &way, cdp_order order) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.order = order;
  options.fan_out = way.fan_out;
  options.depth_limit = way.depth_limit;
  options.scheme = way.scheme;
  std::vector<Bits> keys = expected;
  reorder(&keys);
  if (order == CDP_DESCENDING)
    std::reverse(expected.begin(), expected.end());
  const Subject subject = make_room(TYPE<Bits>, keys.size(), 1);
  CHECK_CUDA(cudaMemcpy(subject.keys.d_keys, keys.data(), subject.memory.bytes, cudaMemcpyHostToDevice));
  CHECK_CUDA(device_data::oracle_note(subject.oracle, subject.keys, nullptr));
  note_sort(subject, options, way.name);
  CHECK_SORT(cdp_quicksort(subject.keys.d_keys, keys.size(), TYPE<Bits>, &options));
  CHECK_CUDA(cudaMemcpy(keys.data(), subject.keys.d_keys, subject.memory.bytes, cudaMemcpyDeviceToHost));
  check_same(keys, expected, way, order);
  check_sorted(subject, order, way.name); // the oracle of all other tests is of the same opinion
  reorder(&keys);
  CHECK_CUDA(cudaMemcpy(subject.keys.d_keys, keys.data(), subject.memory.bytes, cudaMemcpyHostToDevice));
  check_path(subject, keys.size(), TYPE<Bits>, options, way);
  release(subject);
}

/* Shares of all keys, each as long as a block can sort, each with keys from everywhere. */
template <typename Bits>
void sort_shares(const std::vector<Bits> &all, const Way &way, cdp_order order) {
  const uint64_t shares = all.size() / one_block_items(TYPE<Bits>);
  for (uint64_t share = 0; share < shares; share += pick(1, 5)) {
    std::vector<Bits> keys;
    for (uint64_t index = share; index < all.size(); index += shares)
      keys.push_back(all[index]);
    sort_and_compare(keys, way, order);
  }
}

/* Each of the keys as often as it takes. */
template <typename Bits>
void sort_copies(const std::vector<Bits> &all, const Way &way, cdp_order order) {
  const uint64_t copies = pick(way.count, ALL) / all.size();
  std::vector<Bits> keys;
  keys.reserve(copies * all.size());
  for (const Bits key : all)
    keys.insert(keys.end(), copies, key);
  sort_and_compare(keys, way, order);
}

template <typename Bits>
void check_way(const Way &way) {
  const std::vector<Bits> all = all_keys<Bits>();
  for (const cdp_order order : {CDP_ASCENDING, CDP_DESCENDING}) {
    if (way.count == 0)
      sort_shares(all, way, order);
    else
      sort_copies(all, way, order);
  }
}

START_TEST(test_f32) {
  check_way<uint32_t>(WAYS[_i]);
}
END_TEST

START_TEST(test_f64) {
  check_way<uint64_t>(WAYS[_i]);
}
END_TEST

/* The words of cdpsort.h themselves, without any comparison. */
START_TEST(test_as_documented) {
  static const uint32_t ladder[] = {
      0xFF800000, 0xFF7FFFFF, 0xBF800000, 0x80000001, 0x80000000, 0x00000000, 0x00000001, 0x3F800000, 0x7F7FFFFF,
      0x7F800000, 0x7F800001, 0x7FC00000, 0x7FC00001, 0x7FFFFFFF, 0xFFFFFFFF, 0xFFC00001, 0xFFC00000, 0xFF800001,
  };
  const std::vector<uint32_t> expected(ladder, ladder + sizeof ladder / sizeof *ladder);
  sort_and_compare(expected, WAYS[0], CDP_ASCENDING);
  sort_and_compare(expected, WAYS[0], CDP_DESCENDING);
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_key_order");
  TCase *test_case = add_case(suite, "floating point");
  tcase_add_test(test_case, test_as_documented);
  tcase_add_loop_test(test_case, test_f32, 0, WAY_COUNT);
  tcase_add_loop_test(test_case, test_f64, 0, WAY_COUNT);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
