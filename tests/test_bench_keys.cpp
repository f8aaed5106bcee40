/* SPDX-License-Identifier: MIT */
/*
 * The keys of samples/bench and of the GPU's tests are what their names say. Looked at on the host, by the functions that make
 * them on the device.
 */
#include "key_recipe.cuh"
#include "run_suite.h"

#include <algorithm>
#include <map>
#include <vector>

using namespace device_data;

static constexpr uint64_t COUNT = 1 << 17;
static constexpr uint64_t SEED = 7;

template <typename Bits>
static constexpr cdp_type UNSIGNED = sizeof(Bits) == 4 ? CDP_U32 : CDP_U64;

template <typename Bits>
static std::vector<Bits> keys_of(cdp_type type, Distribution distribution, Values values = Values::all, uint64_t seed = SEED) {
  const Recipe recipe = make_recipe({nullptr, COUNT, type}, distribution, seed, values);
  std::vector<Bits> keys(COUNT);
  for (uint64_t index = 0; index < COUNT; index++)
    keys[index] = key_at<Bits>(recipe, index);
  return keys;
}

template <typename Bits>
static std::vector<Bits> unsigned_keys(Distribution distribution) {
  return keys_of<Bits>(UNSIGNED<Bits>, distribution);
}

/* How often each key comes, most often first. */
template <typename Bits>
static std::vector<uint64_t> frequencies(const std::vector<Bits> &keys) {
  std::map<Bits, uint64_t> counts;
  for (const Bits key : keys)
    counts[key]++;
  std::vector<uint64_t> found;
  found.reserve(counts.size());
  for (const auto &one : counts)
    found.push_back(one.second);
  std::sort(found.rbegin(), found.rend());
  return found;
}

/* A share of COUNT, give or take five standard deviations. */
static void must_be_share(uint64_t keys, double share) {
  const double expected = share * static_cast<double>(COUNT);
  const double deviation = 5 * std::sqrt(expected * (1 - share));
  ck_assert_double_eq_tol(static_cast<double>(keys), expected, deviation);
}

/* ---- Each of them ------------------------------------------------------------------------------------------------------ */

template <typename Bits>
static void check_exponential() {
  const std::vector<Bits> keys = unsigned_keys<Bits>(Distribution::exponential);
  const double part = static_cast<double>(Word<Bits>::GREATEST) / HALVINGS;
  for (int parts = 1; parts < 6; parts++) {
    const auto is_below = [=](Bits key) { return static_cast<double>(key) < parts * part; };
    must_be_share(static_cast<uint64_t>(std::count_if(keys.begin(), keys.end(), is_below)), 1 - std::pow(0.5, parts));
  }
}

template <typename Bits>
static void check_mixed() {
  const std::vector<uint64_t> found = frequencies(unsigned_keys<Bits>(Distribution::mixed));
  for (uint64_t value = 0; value < FREQUENT_VALUES; value++)
    must_be_share(found[value], 0.5 / FREQUENT_VALUES);
  ck_assert_uint_le(found[FREQUENT_VALUES], 3); // random ones
  ck_assert_uint_gt(found.size(), COUNT / 2 - COUNT / 16);
}

template <typename Bits>
static void check_shared(Distribution distribution, Bits free) {
  const std::vector<Bits> keys = unsigned_keys<Bits>(distribution);
  Bits differing = 0;
  for (const Bits key : keys)
    differing |= key ^ keys[0];
  ck_assert_uint_eq(differing, free); // every bit of these, and no other
  ck_assert_uint_gt(frequencies(keys).size(), 1u << 15);
}

/* The most frequent word is every sixteenth, and most words are rare. */
template <typename Bits>
static void check_words() {
  const std::vector<uint64_t> found = frequencies(unsigned_keys<Bits>(Distribution::words));
  ck_assert_uint_lt(found.size(), 1u << 16);
  ck_assert_uint_gt(found.size(), 1u << 14);
  must_be_share(found[0], 1.0 / 16);
  must_be_share(found[1] + found[2], 1.0 / 16);
  ck_assert_uint_le(found[found.size() / 2], COUNT / (1 << 14));
}

/* In order but for the last second: `jitter` is that, in the unit of the type. */
template <typename Bits>
static void check_timestamps(Bits jitter, Bits between) {
  const std::vector<Bits> keys = unsigned_keys<Bits>(Distribution::timestamps);
  uint64_t falls = 0;
  uint64_t long_falls = 0;
  Bits greatest = 0;
  for (const Bits key : keys) {
    falls += key < greatest;
    long_falls += key + jitter < greatest;
    greatest = std::max(greatest, key);
  }
  ck_assert_uint_eq(long_falls, 0);
  ck_assert_uint_gt(falls, COUNT / 4);
  ck_assert_double_eq_tol(static_cast<double>(keys.back() - keys.front()) / static_cast<double>(between), COUNT / 1000.0, 1.1);
}

/* A window is the one before, shifted by a base, but at the borders of stretches; of the repeated ones each is there many times. */
template <typename Bits>
static void check_k_mers() {
  constexpr uint64_t STRETCH = 4096;
  const std::vector<Bits> keys = unsigned_keys<Bits>(Distribution::k_mers);
  uint64_t unlike = 0;
  for (uint64_t index = 1; index < COUNT; index++)
    unlike += index % STRETCH != 0 && static_cast<Bits>(keys[index - 1] << 2) != (keys[index] & ~Bits{3});
  ck_assert_uint_eq(unlike, 0);
  const std::vector<uint64_t> found = frequencies(keys);
  ck_assert_uint_ge(found[0], COUNT / STRETCH / 4); // a stretch in four
  ck_assert_uint_ge(found.size(), COUNT / 2);
}

template <typename Bits>
static void check_all() {
  check_exponential<Bits>();
  check_mixed<Bits>();
  check_shared<Bits>(Distribution::shared_upper, LOWER_HALF<Bits>);
  check_shared<Bits>(Distribution::shared_lower, static_cast<Bits>(~LOWER_HALF<Bits>));
  check_words<Bits>();
  check_k_mers<Bits>();
}

START_TEST(keys_of_4_bytes_are_as_named) {
  check_all<uint32_t>();
  check_timestamps<uint32_t>(1, 1);
}
END_TEST

START_TEST(keys_of_8_bytes_are_as_named) {
  check_all<uint64_t>();
  check_timestamps<uint64_t>(1000000, 1000000);
}
END_TEST

/* ---- Floating point ---------------------------------------------------------------------------------------------------- */

template <typename Number, typename Bits>
static void check_unit(cdp_type type) {
  double sum = 0;
  uint64_t outside = 0;
  for (const Bits key : keys_of<Bits>(type, Distribution::unit)) {
    Number number;
    memcpy(&number, &key, sizeof number);
    outside += !(number >= 0 && number < 1);
    sum += static_cast<double>(number);
  }
  ck_assert_uint_eq(outside, 0);
  ck_assert_double_eq_tol(sum / static_cast<double>(COUNT), 0.5, 5 * 0.29 / std::sqrt(static_cast<double>(COUNT)));
}

START_TEST(numbers_from_0_to_1) {
  check_unit<float, uint32_t>(CDP_F32);
  check_unit<double, uint64_t>(CDP_F64);
}
END_TEST

template <typename Bits>
static void must_be_ordinary(cdp_type type, Distribution distribution) {
  uint64_t others = 0;
  for (const Bits key : keys_of<Bits>(type, distribution, Values::ordinary))
    others += (key & (Word<Bits>::SIGN - 1)) >= Word<Bits>::INFINITE || key == Word<Bits>::SIGN;
  ck_assert_uint_eq(others, 0);
}

/* _i: the distribution. */
START_TEST(ordinary_numbers_are_finite_and_have_one_zero) {
  must_be_ordinary<uint32_t>(CDP_F32, static_cast<Distribution>(_i));
  must_be_ordinary<uint64_t>(CDP_F64, static_cast<Distribution>(_i));
}
END_TEST

/* Each of the 16 comes as often as another, -0 and NaNs among them. */
START_TEST(special_numbers_are_all_there) {
  const std::vector<uint32_t> keys = keys_of<uint32_t>(CDP_F32, Distribution::extremes);
  const std::vector<uint64_t> found = frequencies(keys);
  for (int special = 0; special < 16; special++)
    must_be_share(found[static_cast<size_t>(special)], 0.75 / 16);
  ck_assert_uint_le(found[16], 3);
  ck_assert_int_gt(std::count(keys.begin(), keys.end(), 0x80000000U), 0);
  ck_assert_int_gt(std::count(keys.begin(), keys.end(), 0xFFFFFFFFU), 0);
}
END_TEST

/* ---- All of them ------------------------------------------------------------------------------------------------------- */

/* Another seed makes other keys, where chance has a part; the same seed the same. */
START_TEST(seed_decides) {
  const Distribution distribution = static_cast<Distribution>(_i);
  const bool by_place = distribution == Distribution::sorted || distribution == Distribution::reversed ||
                        distribution == Distribution::organ_pipe;
  const std::vector<uint64_t> keys = unsigned_keys<uint64_t>(distribution);
  ck_assert(keys == unsigned_keys<uint64_t>(distribution));
  ck_assert_int_eq(keys == keys_of<uint64_t>(CDP_U64, distribution, Values::all, SEED + 1), by_place);
}
END_TEST

START_TEST(names_differ) {
  for (uint32_t one = 0; one < DISTRIBUTIONS; one++)
    for (uint32_t other = 0; other < one; other++)
      ck_assert_str_ne(distribution_name(static_cast<Distribution>(one)), distribution_name(static_cast<Distribution>(other)));
}
END_TEST

static Suite *bench_keys_suite(void) {
  Suite *suite = suite_create("bench_keys");
  TCase *each = tcase_create("each");
  tcase_add_test(each, keys_of_4_bytes_are_as_named);
  tcase_add_test(each, keys_of_8_bytes_are_as_named);
  tcase_add_test(each, numbers_from_0_to_1);
  tcase_add_test(each, special_numbers_are_all_there);
  suite_add_tcase(suite, each);
  TCase *all = tcase_create("all");
  tcase_add_loop_test(all, ordinary_numbers_are_finite_and_have_one_zero, 0, DISTRIBUTIONS);
  tcase_add_loop_test(all, seed_decides, 0, DISTRIBUTIONS);
  tcase_add_test(all, names_differ);
  suite_add_tcase(suite, all);
  return suite;
}

int main() {
  return run_suite(bench_keys_suite());
}
