/* SPDX-License-Identifier: MIT */
/*
 * The mean by value of two keys (device/key/key_map.cuh), on which the pivot rule "mean" rests: where it lies in the order, and
 * that it is a number where there is one. Linked with the static library.
 */
#include "key/key_map.cuh"

#include "run_suite.h"

#include <cfloat>
#include <cmath>
#include <cstring>

namespace cdp::simulated {

namespace {

template <typename Bits, typename Value>
Bits bits_of(Value value) {
  static_assert(sizeof(Bits) == sizeof(Value), "the same bits");
  Bits bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* The mean of two keys, the first of which comes first in the order. */
template <cdp_type TYPE, cdp_order ORDER = CDP_ASCENDING, typename Value>
Value mean_of(Value first, Value last) {
  using Bits = std::conditional_t<sizeof(Value) == 4, uint32_t, uint64_t>;
  const KeyMap<Bits> map = key_map<Bits>(TYPE, ORDER);
  const Bits least = map.enter(bits_of<Bits>(first));
  const Bits greatest = map.enter(bits_of<Bits>(last));
  ck_assert(least <= greatest);
  const Bits mean = map.mean(least, greatest);
  ck_assert_msg(mean >= least && mean <= greatest, "the mean is not between");
  const Bits raw = map.leave(mean);
  Value value;
  memcpy(&value, &raw, sizeof value);
  return value;
}

} // namespace

START_TEST(integers_by_value) {
  ck_assert_uint_eq((mean_of<CDP_U32>(uint32_t{10}, uint32_t{21})), 15);
  ck_assert_uint_eq((mean_of<CDP_U32>(uint32_t{0}, UINT32_MAX)), UINT32_MAX / 2);
  ck_assert_uint_eq((mean_of<CDP_U32, CDP_DESCENDING>(uint32_t{20}, uint32_t{10})), 15);
  ck_assert_int_eq((mean_of<CDP_I32>(int32_t{-30}, int32_t{10})), -10);
  ck_assert_int_eq((mean_of<CDP_I32>(INT32_MIN, INT32_MAX)), -1);
  ck_assert_uint_eq((mean_of<CDP_U64>(uint64_t{0}, UINT64_MAX)), UINT64_MAX / 2);
  ck_assert_int_eq((mean_of<CDP_I64, CDP_DESCENDING>(int64_t{100}, int64_t{-300})), -100);
}
END_TEST

/* The bits halfway between 1 and 1000 are those of 31: by value it is 500.5. */
START_TEST(floating_point_by_value) {
  ck_assert_float_eq((mean_of<CDP_F32>(1.0f, 1000.0f)), 500.5f);
  ck_assert_float_eq((mean_of<CDP_F32>(-3.0f, 1.0f)), -1.0f);
  ck_assert_float_eq((mean_of<CDP_F32, CDP_DESCENDING>(1000.0f, 1.0f)), 500.5f);
  ck_assert_float_eq((mean_of<CDP_F32>(-FLT_MAX, FLT_MAX)), 0.0f);
  ck_assert_double_eq((mean_of<CDP_F64>(1.0, 1000.0)), 500.5);
  ck_assert_double_eq((mean_of<CDP_F64>(DBL_MAX, DBL_MAX)), DBL_MAX);
}
END_TEST

/* Where there is no mean, something between will do: mean_of() sees to that. */
START_TEST(floating_point_without_a_mean) {
  const float infinity = INFINITY;
  const float nan = NAN;
  mean_of<CDP_F32>(-infinity, infinity);
  mean_of<CDP_F32>(nan, -nan);
  mean_of<CDP_F32>(1.0f, nan);
  mean_of<CDP_F32>(-1.0f, -nan);
  mean_of<CDP_F32>(-0.0f, 0.0f);
  mean_of<CDP_F32>(FLT_TRUE_MIN, FLT_TRUE_MIN);
  mean_of<CDP_F32, CDP_DESCENDING>(infinity, -infinity);
  mean_of<CDP_F64>(-DBL_TRUE_MIN, -DBL_TRUE_MIN);
  ck_assert_float_infinite((mean_of<CDP_F32>(1.0f, infinity)));
}
END_TEST

} // namespace cdp::simulated

using namespace cdp::simulated;

int main() {
  Suite *suite = suite_create("pivot");
  TCase *mean = tcase_create("mean");
  tcase_add_test(mean, integers_by_value);
  tcase_add_test(mean, floating_point_by_value);
  tcase_add_test(mean, floating_point_without_a_mean);
  suite_add_tcase(suite, mean);
  return run_suite(suite);
}
