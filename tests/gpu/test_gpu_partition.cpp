/* SPDX-License-Identifier: MIT */
/*
 * cdp_partition() on the GPU, both kinds: every type in both orders, every distribution, keys wherever they may lie, sizes from
 * one to more than 2^32 keys.
 *
 * The judge is the oracle of sorts: where both parts are sorted by themselves, and the keys next to the bounds are as the pivot
 * says, the whole array must be sorted and have the keys that were given. That scanning is stable is looked at on the host.
 */
#include "gpu_check.h"

#include <cdpsort/partition.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace gpu_check;
using device_data::DISTRIBUTIONS;
using device_data::GUARD_BYTES;

namespace {

constexpr int KINDS = CDP_PARTITION_SCAN;

cdp_partition_kind kind_at(int index) {
  return static_cast<cdp_partition_kind>(CDP_PARTITION_RESERVE + index % KINDS);
}

cdp_options in_order(cdp_order order) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.order = order;
  return options;
}

/* Negative numbers by falling magnitude, the others by rising magnitude; then the positive NaNs by rising payload, and the
   negative ones by falling payload. */
uint64_t floating_rank(uint64_t bits, uint64_t sign) {
  const uint64_t infinite = sign == uint64_t{1} << 31 ? 0x7F800000 : 0x7FF0000000000000;
  const uint64_t magnitude = bits % sign;
  if ((bits & sign) == 0)
    return infinite + 1 + magnitude;
  const uint64_t greatest = sign | (sign - 1);
  return magnitude <= infinite ? infinite - magnitude : greatest - (magnitude - infinite - 1);
}

/* A key's bits as a number that is ordered as the type's keys are. */
uint64_t rank_of(uint64_t bits, cdp_type type) {
  const uint64_t sign = device_data::key_bytes(type) == 4 ? uint64_t{1} << 31 : uint64_t{1} << 63;
  if (type == CDP_U32 || type == CDP_U64)
    return bits;
  return type == CDP_I32 || type == CDP_I64 ? bits ^ sign : floating_rank(bits, sign);
}

/* The bits of a key of the device's. */
uint64_t read_key(const Subject &subject, uint64_t index) {
  const uint64_t bytes = device_data::key_bytes(subject.keys.type);
  uint64_t bits = 0;
  CHECK_CUDA(cudaMemcpy(&bits, static_cast<const unsigned char *>(subject.keys.d_keys) + index * bytes, bytes,
                        cudaMemcpyDeviceToHost));
  return bits;
}

/* Ends the test unless the key at an index is before the pivot (-1), equal to it (0) or behind it (1) in the order asked for.
   */
void check_side(const Subject &subject, cdp_order order, uint64_t index, uint64_t pivot, int wanted, const char *how) {
  const uint64_t key_rank = rank_of(read_key(subject, index), subject.keys.type);
  const uint64_t pivot_rank = rank_of(pivot, subject.keys.type);
  const int three_way = (key_rank > pivot_rank) - (key_rank < pivot_rank);
  const int side = order == CDP_DESCENDING ? -three_way : three_way;
  if (side != wanted)
    ck_abort_msg("%s; %s: key %" PRIu64 " is on side %d of the pivot instead of %d", subject.label, how, index, side, wanted);
}

/* Has keys that were partitioned judged; they are sorted afterwards. */
void check_partitioned(const Subject &subject, cdp_order order, uint64_t pivot, const cdp_parts &parts, const char *how) {
  const device_data::KeySpan &keys = subject.keys;
  const cdp_options options = in_order(order);
  const uint64_t greater_begin = parts.less_items + parts.equal_items;
  if (greater_begin > keys.count)
    ck_abort_msg("%s; %s: %" PRIu64 " less, %" PRIu64 " equal", subject.label, how, parts.less_items, parts.equal_items);
  unsigned char *d_greater = static_cast<unsigned char *>(keys.d_keys) + greater_begin * device_data::key_bytes(keys.type);
  CHECK_SORT(cdp_quicksort(keys.d_keys, parts.less_items, keys.type, &options));
  CHECK_SORT(cdp_quicksort(d_greater, keys.count - greater_begin, keys.type, &options));
  check_sorted(subject, order, how);
  if (parts.less_items > 0)
    check_side(subject, order, parts.less_items - 1, pivot, -1, how);
  if (parts.equal_items > 0) {
    check_side(subject, order, parts.less_items, pivot, 0, how);
    check_side(subject, order, greater_begin - 1, pivot, 0, how);
  }
  if (greater_begin < keys.count)
    check_side(subject, order, greater_begin, pivot, 1, how);
}

void partition_and_check(const Subject &subject, cdp_order order, cdp_partition_kind kind, uint64_t pivot) {
  const device_data::KeySpan &keys = subject.keys;
  const cdp_options options = in_order(order);
  cdp_parts parts = {};
  char how[96];
  snprintf(how, sizeof how, "kind %d, order %d, pivot %#" PRIx64, kind, order, pivot);
  CHECK_SORT(cdp_partition(keys.d_keys, keys.count, keys.type, &options, &pivot, kind, &parts));
  ck_assert_msg(keys.count == 0 ? parts.milliseconds == 0 : parts.milliseconds > 0, "%s: %f ms", how, parts.milliseconds);
  check_partitioned(subject, order, pivot, parts, how);
}

/* The middle key: as good as any where keys are drawn. */
uint64_t middle_key(const Subject &subject) {
  return subject.keys.count == 0 ? 0 : read_key(subject, subject.keys.count / 2);
}

/* Sizes at which something changes: warps' steps, tiles, blocks, the whole device; at addresses 16 bytes do not divide. */
START_TEST(test_sizes) {
  static const uint64_t sizes[] = {0,     1,     2,     3,     31,    32,     33,     255,     256,     257,     511,
                                   512,   513,   4095,  4096,  4097,  8191,   8192,   8193,    16384,   16385,   65535,
                                   65536, 65537, 65539, 98304, 98305, 262143, 262145, 1000003, 4194303, 4325376, 4325377};
  for (uint64_t size : sizes) {
    if (quick() && size > 65537)
      break;
    for (uint64_t ahead = quick() ? size % 4 : 0; ahead < 4; ahead += pick(1, 4)) {
      Subject subject = make_room(type_at(_i % TYPES), size, ahead);
      fill(subject, ahead % 2 != 0 ? Distribution::extremes : Distribution::random, seed() + size);
      const cdp_order order = (size + ahead) % 2 != 0 ? CDP_DESCENDING : CDP_ASCENDING;
      partition_and_check(subject, order, kind_at(_i / TYPES), middle_key(subject));
      release(subject);
    }
  }
}
END_TEST

START_TEST(test_distributions) {
  Subject subject = make_room(type_at(_i % TYPES), pick((1 << 22) + 5, 20011));
  for (uint64_t index = 0; index < DISTRIBUTIONS; index += pick(1, 3)) {
    fill(subject, distribution_at(index), seed() + index);
    partition_and_check(subject, static_cast<cdp_order>(index % 2), kind_at(_i / TYPES), middle_key(subject));
  }
}
END_TEST

/* Pivots that no key is, that all keys are less than or greater than, and NaNs of both signs. */
START_TEST(test_pivots) {
  static const uint64_t pivots[] = {0,          ~uint64_t{0}, uint64_t{1} << 63, uint64_t{1} << 31,  ~(uint64_t{1} << 63),
                                    0x7FFFFFFF, 0x7FC00000,   0xFFC00000,        0x7FF8000000000000, 0xFFF8000000000000};
  const cdp_type type = type_at(_i % TYPES);
  Subject subject = make_room(type, pick((1 << 20) + 3, 20011), 1);
  for (uint64_t pivot : pivots) {
    if (device_data::key_bytes(type) == 4)
      pivot &= UINT32_MAX;
    fill(subject, Distribution::extremes, seed() + pivot);
    partition_and_check(subject, static_cast<cdp_order>(_i % 2), kind_at(_i / TYPES), pivot);
  }
}
END_TEST

START_TEST(test_large) {
  static const Distribution distributions[] = {Distribution::random, Distribution::distinct_2, Distribution::all_equal,
                                               Distribution::sorted, Distribution::staggered};
  for (Distribution distribution : distributions) {
    const Subject subject =
        make_subject(_i < KINDS ? CDP_U32 : CDP_F64, pick((uint64_t{1} << 27) + 12345, 100003), distribution);
    partition_and_check(subject, CDP_ASCENDING, kind_at(_i), middle_key(subject));
    release(subject);
  }
}
END_TEST

/* More keys than 32 bits can count. */
START_TEST(test_more_than_32_bits) {
  const Subject subject = make_subject(CDP_U32, (uint64_t{1} << 32) + 12345, Distribution::random);
  partition_and_check(subject, CDP_ASCENDING, kind_at(_i), middle_key(subject));
}
END_TEST

/* What a stable partition makes of keys, by the host. */
template <typename Bits>
std::vector<Bits> partition_by_host(const std::vector<Bits> &keys, cdp_type type, Bits pivot) {
  const uint64_t pivot_rank = rank_of(pivot, type);
  std::vector<Bits> expected = keys;
  const auto equal =
      std::stable_partition(expected.begin(), expected.end(), [=](Bits key) { return rank_of(key, type) < pivot_rank; });
  std::stable_partition(equal, expected.end(), [=](Bits key) { return rank_of(key, type) == pivot_rank; });
  return expected;
}

/* Scanned from host memory, twice, and once from device memory: the same as the host has it. */
template <typename Bits>
void check_stable(const Subject &subject) {
  const cdp_type type = subject.keys.type;
  std::vector<Bits> keys(subject.keys.count);
  CHECK_CUDA(cudaMemcpy(keys.data(), subject.keys.d_keys, subject.memory.bytes, cudaMemcpyDeviceToHost));
  const Bits pivot = keys[keys.size() / 2];
  const std::vector<Bits> expected = partition_by_host(keys, type, pivot);
  cdp_parts parts = {};
  CHECK_SORT(cdp_partition(subject.keys.d_keys, keys.size(), type, nullptr, &pivot, CDP_PARTITION_SCAN, &parts));
  for (int run = 0; run < 2; run++) {
    std::vector<Bits> again = keys;
    CHECK_SORT(cdp_partition(again.data(), again.size(), type, nullptr, &pivot, CDP_PARTITION_SCAN, &parts));
    ck_assert_msg(memcmp(again.data(), expected.data(), subject.memory.bytes) == 0, "%s: not stable", subject.label);
  }
  CHECK_CUDA(cudaMemcpy(keys.data(), subject.keys.d_keys, subject.memory.bytes, cudaMemcpyDeviceToHost));
  ck_assert_msg(memcmp(keys.data(), expected.data(), subject.memory.bytes) == 0, "%s: not stable in device memory",
                subject.label);
}

START_TEST(test_stable) {
  for (uint64_t count : {uint64_t{1000}, uint64_t{100003}, (uint64_t{1} << 24) + 77}) {
    if (quick() && count > 100003)
      break;
    const Subject subject = make_subject(type_at(_i), count, Distribution::random, 1);
    if (device_data::key_bytes(type_at(_i)) == 4)
      check_stable<uint32_t>(subject);
    else
      check_stable<uint64_t>(subject);
    release(subject);
  }
}
END_TEST

/* Memory that the host reaches, with room for guards. */
unsigned char *allocate_host(int place, size_t bytes) {
  void *base = nullptr;
  if (place == 0)
    base = malloc(bytes);
  else if (place == 1)
    CHECK_CUDA(cudaMallocHost(&base, bytes));
  else
    CHECK_CUDA(cudaMallocManaged(&base, bytes, cudaMemAttachGlobal));
  ck_assert_msg(base != nullptr, "no host memory");
  return static_cast<unsigned char *>(base);
}

void free_host(int place, void *base) {
  if (place == 0)
    free(base);
  else
    CHECK_CUDA(place == 1 ? cudaFreeHost(base) : cudaFree(base));
}

/* _i: pageable, pinned and managed memory, by kinds. */
START_TEST(test_place) {
  constexpr unsigned char PATTERN = 0x5A;
  static const char *const names[] = {"pageable", "pinned", "managed"};
  const int place = _i / KINDS;
  const Subject subject = make_subject(CDP_F64, pick((1 << 21) + 3, 20011), Distribution::extremes);
  const size_t bytes = subject.memory.bytes;
  unsigned char *base = allocate_host(place, bytes + 2 * GUARD_BYTES);
  memset(base, PATTERN, bytes + 2 * GUARD_BYTES);
  CHECK_CUDA(cudaMemcpy(base + GUARD_BYTES, subject.keys.d_keys, bytes, cudaMemcpyDefault));
  CHECK_CUDA(cudaDeviceSynchronize());
  uint64_t pivot = middle_key(subject);
  cdp_parts parts = {};
  CHECK_SORT(cdp_partition(base + GUARD_BYTES, subject.keys.count, CDP_F64, nullptr, &pivot, kind_at(_i), &parts));
  for (size_t index = 0; index < GUARD_BYTES; index++)
    if (base[index] != PATTERN || base[GUARD_BYTES + bytes + index] != PATTERN)
      ck_abort_msg("%s: a guard zone of the host memory was overwritten, %zu bytes into it", names[place], index);
  CHECK_CUDA(cudaMemcpy(subject.keys.d_keys, base + GUARD_BYTES, bytes, cudaMemcpyDefault));
  check_partitioned(subject, CDP_ASCENDING, pivot, parts, names[place]);
  free_host(place, base);
}
END_TEST

/* Keys of a GPU are not the simulated device's. */
START_TEST(test_refused) {
  const Subject subject = make_subject(CDP_U32, 5000, Distribution::random);
  const uint32_t pivot = 1;
  cdp_options options = CDP_OPTIONS_INIT;
  cdp_parts parts = {7, 7, 7};
  options.device = CDP_DEVICE_SIMULATED;
  CHECK_FAILS(CDP_ERROR_POINTER, cdp_partition(subject.keys.d_keys, 5000, CDP_U32, &options, &pivot, kind_at(_i), &parts));
  ck_assert_msg(parts.less_items == 0 && parts.equal_items == 0 && parts.milliseconds == 0, "the parts are not zeros");
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_partition");
  TCase *test_case = add_case(suite, "sizes");
  tcase_add_loop_test(test_case, test_sizes, 0, TYPES * KINDS);
  tcase_add_loop_test(test_case, test_large, 0, 2 * KINDS);
  if (!quick())
    tcase_add_loop_test(test_case, test_more_than_32_bits, 0, KINDS);
  test_case = add_case(suite, "keys");
  tcase_add_loop_test(test_case, test_distributions, 0, TYPES * KINDS);
  tcase_add_loop_test(test_case, test_pivots, 0, TYPES * KINDS);
  tcase_add_loop_test(test_case, test_stable, 0, TYPES);
  test_case = add_case(suite, "places");
  tcase_add_loop_test(test_case, test_place, 0, 3 * KINDS);
  tcase_add_loop_test(test_case, test_refused, 0, KINDS);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
