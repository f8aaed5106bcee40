/* SPDX-License-Identifier: MIT */
/*
 * What one block does with a bucket that is longer than a leaf, and how it counts it (device/block/multiway_sort.cuh). A sample
 * makes such buckets rare; here keys are made after looking where it will be drawn: all others lie beyond it, in one bucket.
 *
 * Linked with the static library, to be told where by the kernels' own functions.
 */
#include "block/multiway_sort.cuh"

#include "run_suite.h"

#include <algorithm>
#include <vector>

namespace cdp::simulated {

namespace {

constexpr uint64_t SEEDS = 8;

/* As many items as one tile has room for, wherever it begins: more than a leaf, and not in the sample. */
template <typename Bits>
constexpr uint32_t ITEMS = MultiwayShape<Bits>::TILE_ITEMS - 1;

/* Whether each item of an array that one block sorts is in its sample. */
template <typename Bits>
std::vector<bool> draw_sample(uint64_t seed, uint32_t leaf_items) {
  BlockRules<Bits> rules = {};
  rules.leaf_items = leaf_items;
  const Range whole = {0, ITEMS<Bits>, Side::keys, 0};
  const uint32_t fan_out = block_fan_out<Bits>(whole.items(), group_items(rules, whole.items()));
  constexpr uint32_t EACH = MultiwayShape<Bits>::SAMPLES_PER_THREAD;
  const uint32_t samples = sample_threads<Bits, EACH>(fan_out, BLOCK_OVERSAMPLING) * EACH;
  std::vector<bool> drawn(ITEMS<Bits>);
  for (uint32_t index = 0; index < samples; index++)
    drawn[sample_position(sample_hash(seed, whole), index, samples, whole.items())] = true;
  return drawn;
}

struct Case {
  uint64_t seed;
  uint32_t leaf_items;
  uint32_t offset; /* of the keys, in items behind a multiple of 16 bytes: where it is not 0, there are two tiles */
  bool are_equal;  /* the keys of the long bucket */
};

/* Not for the static analyser: it takes each look at threadIdx for another thread's, and so finds items that nobody has set. */
template <typename Bits>
__global__ void sort_kernel([[maybe_unused]] BlockRules<Bits> rules, [[maybe_unused]] Range range) {
#ifndef __clang_analyzer__
  block_multiway_sort(rules, range, block_shared<MultiwayStorage<Bits>>());
#endif
}

/* Has one block sort an array, as a range that was listed for it. */
template <typename Bits>
void launch_sort(Bits *keys, const Case &each, cdp_study *study) {
  static Bits scratch[ITEMS<Bits> + 4];
  BlockRules<Bits> rules = {};
  rules.sides[static_cast<uint32_t>(Side::keys)] = keys;
  rules.sides[static_cast<uint32_t>(Side::scratch)] = scratch;
  rules.map = key_map<Bits>(sizeof(Bits) == 4 ? CDP_U32 : CDP_U64, CDP_ASCENDING);
  rules.seed = each.seed;
  rules.depth_limit = 60;
  rules.leaf_items = each.leaf_items;
  rules.piece_items = each.leaf_items;
  rules.long_items = each.leaf_items == Shape<Bits>::LEAF_ITEMS ? LONG_BUCKET_LEAVES * each.leaf_items : each.leaf_items;
  rules.pivot = CDP_PIVOT_SAMPLED_MEDIAN;
  rules.counters = study->depths;
  const uint32_t bytes = sizeof(MultiwayStorage<Bits>);
  ck_assert_int_eq(allow_shared_bytes(sort_kernel<Bits>, bytes), LAUNCH_OK);
  const int error = launch_from_host({1, MultiwayShape<Bits>::BLOCK_THREADS, bytes}, nullptr, sort_kernel<Bits>, rules,
                                     Range{0, ITEMS<Bits>, Side::keys, 0});
  ck_assert_msg(error == LAUNCH_OK, "%s", last_report().broken_rule);
}

/* Sorts such an array and returns what was counted. */
template <typename Bits>
cdp_study sort_long_bucket(const Case &each) {
  const std::vector<bool> drawn = draw_sample<Bits>(each.seed, each.leaf_items);
  std::vector<Bits> expected(ITEMS<Bits>);
  for (uint32_t item = 0; item < ITEMS<Bits>; item++) {
    const Bits spread = static_cast<Bits>(item * 2654435761u) % 1000003;
    expected[item] = drawn[item] ? spread : 2000000 + (each.are_equal ? 0 : spread);
  }
  alignas(16) static Bits room[ITEMS<Bits> + 4];
  Bits *keys = room + each.offset;
  std::copy(expected.begin(), expected.end(), keys);
  std::sort(expected.begin(), expected.end());
  cdp_study study = {};
  launch_sort(keys, each, &study);
  ck_assert_msg(std::equal(expected.begin(), expected.end(), keys), "not sorted: seed %llu, leaves of %u",
                static_cast<unsigned long long>(each.seed), each.leaf_items);
  return study;
}

/* The greatest leaves: the long bucket is its warp's, which sorts two leaves and does the rest of the network. Of the others,
   all of which are short, one group is made. */
template <typename Bits>
void check_greatest_leaves(uint64_t seed) {
  for (uint32_t which = 0; which < 4; which++) {
    const cdp_study study = sort_long_bucket<Bits>({seed, Shape<Bits>::LEAF_ITEMS, which % 2, which / 2 != 0});
    ck_assert_uint_eq(study.depths[0].block_partitions, 1);
    ck_assert_uint_eq(study.depths[1].leaves, 3);
    ck_assert_uint_eq(study.depths[1].leaf_items, ITEMS<Bits>);
    ck_assert_uint_eq(study.depths[2].leaves, 0);
  }
}

START_TEST(long_bucket_counts_as_its_leaves) {
  check_greatest_leaves<uint32_t>(static_cast<uint64_t>(_i));
  check_greatest_leaves<uint64_t>(static_cast<uint64_t>(_i));
}
END_TEST

/* Smaller leaves: a longer range is none, so it is partitioned until its parts are, or are equal keys. */
template <typename Bits>
void check_smaller_leaves(uint64_t seed) {
  for (uint32_t leaf_items = CDP_LEAF_MIN; leaf_items < Shape<Bits>::LEAF_ITEMS; leaf_items += leaf_items / 3) {
    const cdp_study study = sort_long_bucket<Bits>({seed, leaf_items, leaf_items % 2, leaf_items % 5 == 0});
    uint64_t leaves = 0;
    uint64_t leaf_keys = 0;
    uint64_t equal_keys = 0;
    for (const cdp_study_depth &row : study.depths) {
      leaves += row.leaves;
      leaf_keys += row.leaf_items;
      equal_keys += row.equal_items;
    }
    ck_assert_uint_gt(study.depths[1].block_partitions, 0);
    ck_assert_uint_eq(leaf_keys + equal_keys, ITEMS<Bits>);
    ck_assert_msg(leaf_keys <= leaves * leaf_items, "%llu leaves of at most %u items hold %llu",
                  static_cast<unsigned long long>(leaves), leaf_items, static_cast<unsigned long long>(leaf_keys));
  }
}

START_TEST(smaller_leaves_are_no_longer_than_asked) {
  check_smaller_leaves<uint32_t>(static_cast<uint64_t>(_i));
  check_smaller_leaves<uint64_t>(static_cast<uint64_t>(_i));
}
END_TEST

} // namespace

} // namespace cdp::simulated

int main() {
  using namespace cdp::simulated;
  Suite *suite = suite_create("multiway_sort");
  TCase *buckets = tcase_create("long buckets");
  tcase_set_timeout(buckets, TEST_SECONDS);
  tcase_add_loop_test(buckets, long_bucket_counts_as_its_leaves, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(buckets, smaller_leaves_are_no_longer_than_asked, 0, static_cast<int>(SEEDS));
  suite_add_tcase(suite, buckets);
  return run_suite(suite);
}
