/* SPDX-License-Identifier: MIT */
/*
 * What the tests of the keys of tests/bench have in common: such keys, made on the host by the functions that make them on the
 * device, and how often something may come among them.
 */
#ifndef CDPSORT_TESTS_BENCH_KEYS_H
#define CDPSORT_TESTS_BENCH_KEYS_H

#include "key_recipe.cuh"
#include "run_suite.h"

#include <algorithm>
#include <map>
#include <vector>

using device_data::Distribution;
using device_data::Values;
using device_data::Word;

constexpr uint64_t COUNT = 1 << 17;
constexpr uint64_t SEED = 7;

template <typename Bits>
constexpr cdp_type UNSIGNED = sizeof(Bits) == 4 ? CDP_U32 : CDP_U64;

template <typename Bits>
std::vector<Bits> keys_of(cdp_type type, Distribution distribution, Values values = Values::all, uint64_t seed = SEED) {
  const device_data::Recipe recipe = device_data::make_recipe({nullptr, COUNT, type}, distribution, seed, values);
  std::vector<Bits> keys(COUNT);
  for (uint64_t index = 0; index < COUNT; index++)
    keys[index] = device_data::key_at<Bits>(recipe, index);
  return keys;
}

template <typename Bits>
std::vector<Bits> unsigned_keys(Distribution distribution) {
  return keys_of<Bits>(UNSIGNED<Bits>, distribution);
}

/* How often each key comes, most often first. */
template <typename Bits>
std::vector<uint64_t> frequencies(const std::vector<Bits> &keys) {
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
inline void must_be_share(uint64_t keys, double share) {
  const double expected = share * static_cast<double>(COUNT);
  const double deviation = 5 * std::sqrt(expected * (1 - share));
  ck_assert_double_eq_tol(static_cast<double>(keys), expected, deviation);
}

/* Different keys among COUNT that are one of `kinds`, each as often as another. */
inline void must_be_of_kinds(uint64_t different, double kinds) {
  const double keys = static_cast<double>(COUNT);
  must_be_share(different, kinds * -std::expm1(-keys / kinds) / keys);
}

/* Of a normal variable, below a number of deviations. */
inline double normal_share(double deviations) {
  return std::erfc(-deviations / std::sqrt(2.0)) / 2;
}

template <typename Bits>
uint64_t count_below(const std::vector<Bits> &keys, double limit) {
  const auto is_below = [limit](Bits key) { return static_cast<double>(key) < limit; };
  return static_cast<uint64_t>(std::count_if(keys.begin(), keys.end(), is_below));
}

#endif
