/* SPDX-License-Identifier: MIT */
/*
 * The keys of tests/bench and of the GPU's tests are what their names say. Looked at on the host, by the functions that make
 * them on the device. Those that lie close together, and those of programs: test_bench_models.cpp.
 */
#include "bench_keys.h"

using namespace device_data;

/* ---- Each of them ------------------------------------------------------------------------------------------------------ */

template <typename Bits>
static void check_exponential() {
  const std::vector<Bits> keys = unsigned_keys<Bits>(Distribution::exponential);
  const double part = static_cast<double>(Word<Bits>::GREATEST) / HALVINGS;
  for (int parts = 1; parts < 6; parts++)
    must_be_share(count_below(keys, parts * part), 1 - std::pow(0.5, parts));
}

template <typename Bits>
static void check_small_numbers() {
  const std::vector<Bits> keys = unsigned_keys<Bits>(Distribution::small_numbers);
  for (const double limit : {10.0, 100.0, 1000.0, 5000.0})
    must_be_share(count_below(keys, limit), -std::expm1(-limit / SMALL_MEAN));
}

template <typename Bits>
static void check_log_normal() {
  const std::vector<Bits> keys = unsigned_keys<Bits>(Distribution::log_normal);
  for (const double deviations : {-2.0, -1.0, 0.0, 1.0, 2.0, 3.0}) {
    const double limit = std::exp2(Word<Bits>::WIDTH / 2) * std::exp(LOG_NORMAL_DEVIATION * deviations);
    must_be_share(count_below(keys, limit), normal_share(deviations));
  }
}

template <typename Bits>
static void check_outlier() {
  const std::vector<Bits> keys = unsigned_keys<Bits>(Distribution::outlier);
  ck_assert_uint_eq(count_below(keys, static_cast<double>(OUTLIER_OTHERS)), COUNT - 1);
  ck_assert_int_eq(std::count(keys.begin(), keys.end(), Word<Bits>::GREATEST), 1);
  must_be_of_kinds(frequencies(keys).size(), static_cast<double>(OUTLIER_OTHERS));
}

template <typename Bits>
static void check_sparse_bits() {
  const std::vector<Bits> keys = unsigned_keys<Bits>(Distribution::sparse_bits);
  for (uint32_t bit = 0; bit < Word<Bits>::WIDTH; bit++) {
    const auto is_set = [bit](Bits key) { return (key >> bit) % 2 != 0; };
    must_be_share(static_cast<uint64_t>(std::count_if(keys.begin(), keys.end(), is_set)), 1.0 / 16);
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

template <typename Bits>
static void check_all() {
  check_exponential<Bits>();
  check_mixed<Bits>();
  check_shared<Bits>(Distribution::shared_upper, LOWER_HALF<Bits>);
  check_shared<Bits>(Distribution::shared_lower, static_cast<Bits>(~LOWER_HALF<Bits>));
  check_small_numbers<Bits>();
  check_log_normal<Bits>();
  check_outlier<Bits>();
  check_sparse_bits<Bits>();
}

START_TEST(keys_of_4_bytes_are_as_named) {
  check_all<uint32_t>();
}
END_TEST

START_TEST(keys_of_8_bytes_are_as_named) {
  check_all<uint64_t>();
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

/* Normal, the same whatever peers sort as well; and of other types the keys are where such numbers would be. */
template <typename Number, typename Bits>
static void check_normal(cdp_type floating, cdp_type integer) {
  const std::vector<Bits> keys = keys_of<Bits>(floating, Distribution::normal_floats);
  ck_assert(keys == keys_of<Bits>(floating, Distribution::normal_floats, Values::ordinary));
  for (const double deviations : {-2.0, -1.0, 0.0, 1.0, 2.0}) {
    uint64_t below = 0;
    for (const Bits key : keys) {
      Number number;
      memcpy(&number, &key, sizeof number);
      below += static_cast<double>(number) < deviations;
    }
    must_be_share(below, normal_share(deviations));
  }
  const std::vector<Bits> ranks = keys_of<Bits>(integer, Distribution::normal_floats);
  for (uint64_t index = 0; index < COUNT; index++)
    ck_assert_uint_eq(rank_of(ranks[index], form_of(integer)), rank_of(keys[index], Form::floating));
}

START_TEST(numbers_around_0) {
  check_normal<float, uint32_t>(CDP_F32, CDP_U32);
  check_normal<float, uint32_t>(CDP_F32, CDP_I32);
  check_normal<double, uint64_t>(CDP_F64, CDP_U64);
  check_normal<double, uint64_t>(CDP_F64, CDP_I64);
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
  tcase_add_test(each, numbers_around_0);
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
