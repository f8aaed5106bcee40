/* SPDX-License-Identifier: MIT */
/* Like test_bench_keys.cpp: the keys of tests/bench that lie close together, and those that are like keys of programs. */
#include "bench_keys.h"

using namespace device_data;

/* ---- Close together ---------------------------------------------------------------------------------------------------- */

/* Of this seed's clusters no two meet: those of 4 bytes do, of one seed in three. */
static constexpr uint64_t APART = 9;

/* How many keys are in each stretch of them in which from one to the next it is less than `gap`, and how far the longest goes. */
template <typename Bits>
struct Stretches {
  std::vector<uint64_t> keys; /* most first */
  Bits longest;
};

template <typename Bits>
static Stretches<Bits> stretches_of(std::vector<Bits> keys, Bits gap) {
  std::sort(keys.begin(), keys.end());
  Stretches<Bits> found = {};
  size_t begin = 0;
  for (size_t end = 1; end <= keys.size(); end++) {
    if (end < keys.size() && keys[end] - keys[end - 1] < gap)
      continue;
    found.keys.push_back(end - begin);
    found.longest = std::max<Bits>(found.longest, keys[end - 1] - keys[begin]);
    begin = end;
  }
  std::sort(found.keys.rbegin(), found.keys.rend());
  return found;
}

template <typename Bits>
static void check_clusters() {
  const std::vector<Bits> keys = keys_of<Bits>(UNSIGNED<Bits>, Distribution::clusters, Values::all, APART);
  const Stretches<Bits> found = stretches_of<Bits>(keys, CLUSTER_RANKS);
  ck_assert_uint_eq(found.keys.size(), CLUSTERS);
  must_be_share(found.keys.front(), 1.0 / CLUSTERS);
  must_be_share(found.keys.back(), 1.0 / CLUSTERS);
  ck_assert_uint_eq(found.longest, CLUSTER_RANKS - 1);
  must_be_of_kinds(frequencies(keys).size(), 1.0 * CLUSTERS * CLUSTER_RANKS);
}

template <typename Bits>
static void check_wide_clusters() {
  const std::vector<Bits> keys = keys_of<Bits>(UNSIGNED<Bits>, Distribution::wide_clusters, Values::all, APART);
  const Stretches<Bits> found = stretches_of<Bits>(keys, WIDE_CLUSTER_RANKS);
  ck_assert_uint_eq(found.keys.size(), (1u << WIDE_CLUSTER_BITS) - 1);
  must_be_share(found.keys[0], 1.0 / WIDE_CLUSTER_BITS);
  must_be_share(found.keys[1] + found.keys[2], 1.0 / WIDE_CLUSTER_BITS);
  ck_assert_uint_lt(found.longest, WIDE_CLUSTER_RANKS);
  ck_assert_uint_gt(found.longest, WIDE_CLUSTER_RANKS - WIDE_CLUSTER_RANKS / 256);
}

template <typename Bits>
static void check_neighbours() {
  const std::vector<Bits> keys = unsigned_keys<Bits>(Distribution::neighbours);
  must_be_of_kinds(frequencies(keys).size(), 2.0 * NEIGHBOURHOODS);
  must_be_of_kinds(stretches_of<Bits>(keys, 2).keys.size(), 1.0 * NEIGHBOURHOODS);
}

/* ---- From programs ----------------------------------------------------------------------------------------------------- */

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

/* At every place each character of the alphabet comes as often as another, and no other; and a string's are chosen apart. */
template <typename Bits>
static void check_strings(Distribution distribution, uint32_t first, uint32_t alphabet) {
  const std::vector<Bits> keys = unsigned_keys<Bits>(distribution);
  for (uint32_t shift = 0; shift < Word<Bits>::WIDTH; shift += 8) {
    uint64_t counts[256] = {};
    for (const Bits key : keys)
      counts[key >> shift & 0xFF]++;
    for (uint32_t character = 0; character < 256; character++)
      if (character - first < alphabet)
        must_be_share(counts[character], 1.0 / alphabet);
      else
        ck_assert_uint_eq(counts[character], 0);
  }
  must_be_of_kinds(frequencies(keys).size(), std::pow(alphabet, sizeof(Bits)));
}

/* Rising, but where one ends; each from the least ranks to the greatest, and hardly a key is in both. */
template <typename Bits>
static void check_runs() {
  const std::vector<Bits> keys = unsigned_keys<Bits>(Distribution::runs);
  uint64_t same = 0;
  for (uint64_t index = 1; index < COUNT; index++) {
    ck_assert_int_eq(keys[index] > keys[index - 1], index % RUN_KEYS != 0);
    same += index >= RUN_KEYS && keys[index] == keys[index - RUN_KEYS];
  }
  ck_assert_uint_lt(keys[RUN_KEYS], Word<Bits>::GREATEST / 1000);
  ck_assert_uint_gt(keys[RUN_KEYS - 1], Word<Bits>::GREATEST - Word<Bits>::GREATEST / 1000);
  ck_assert_uint_lt(same, (COUNT - RUN_KEYS) / 100);
}

/* ---- All of them ------------------------------------------------------------------------------------------------------- */

template <typename Bits>
static void check_close() {
  check_clusters<Bits>();
  check_wide_clusters<Bits>();
  check_neighbours<Bits>();
}

template <typename Bits>
static void check_programs() {
  check_words<Bits>();
  check_k_mers<Bits>();
  check_strings<Bits>(Distribution::letters, 'a', 26);
  check_strings<Bits>(Distribution::digits, '0', 10);
  check_runs<Bits>();
}

START_TEST(keys_lie_close_together) {
  check_close<uint32_t>();
  check_close<uint64_t>();
}
END_TEST

START_TEST(keys_of_4_bytes_are_like_those_of_programs) {
  check_programs<uint32_t>();
  check_timestamps<uint32_t>(1, 1);
}
END_TEST

START_TEST(keys_of_8_bytes_are_like_those_of_programs) {
  check_programs<uint64_t>();
  check_timestamps<uint64_t>(1000000, 1000000);
}
END_TEST

static Suite *bench_models_suite(void) {
  Suite *suite = suite_create("bench_models");
  TCase *test_case = tcase_create("models");
  tcase_add_test(test_case, keys_lie_close_together);
  tcase_add_test(test_case, keys_of_4_bytes_are_like_those_of_programs);
  tcase_add_test(test_case, keys_of_8_bytes_are_like_those_of_programs);
  suite_add_tcase(suite, test_case);
  return suite;
}

int main() {
  return run_suite(bench_models_suite());
}
