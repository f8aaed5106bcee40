/* SPDX-License-Identifier: MIT */
/*
 * The look for order (device/block/presorted.cuh): arrays in order are found so and stay, those in the opposite one are turned
 * round, and one pair of neighbours in disorder is found wherever it is; keys are exchanged, never lost.
 */
#include "block/presorted.cuh"

#include "block_check.h"

#include <algorithm>

namespace cdp::simulated {

namespace {

constexpr uint64_t SEEDS = 3;

/* What blocks that look at shares have found, and the last of them. */
unsigned int disorder;
bool is_disordered;
uint32_t sampled;

template <typename Bits>
__global__ void sample_kernel(BlockRules<Bits> rules, Range range) {
  const uint32_t direction = static_cast<uint32_t>(sample_direction(rules, range));
  if (threadIdx.x == 0)
    sampled = direction;
}

template <typename Bits>
__global__ void look_kernel([[maybe_unused]] BlockRules<Bits> rules, [[maybe_unused]] Range range,
                            [[maybe_unused]] Direction direction) {
#ifndef __clang_analyzer__ // it takes each look at threadIdx for another thread's
  look_at_share(rules, range, direction, blockIdx.x, gridDim.x, &disorder);
#endif
}

template <typename Bits>
__global__ void judge_kernel(BlockRules<Bits> rules, Range range, Direction direction, uint32_t shares) {
  __syncthreads();
  const bool found = is_range_disordered(rules, range, direction, shares, &disorder);
  if (threadIdx.x == 0)
    is_disordered = found;
}

/* Has so many blocks look at keys, between two that are not the range's, and says whether they are in disorder. */
template <typename Bits>
bool look(Keys<Bits> &keys, KeyKind kind, Direction direction, uint32_t shares, uint64_t seed) {
  const BlockRules<Bits> rules = rules_of<Bits>(keys.data(), nullptr, map_of<Bits>(kind));
  const Range range = {1, keys.count() - 1, Side::keys, 0};
  disorder = 0;
  run_grid(seed, {shares, MultiwayShape<Bits>::BLOCK_THREADS, 0}, look_kernel<Bits>, rules, range, direction);
  run_grid(seed, {1, MultiwayShape<Bits>::BLOCK_THREADS, 0}, judge_kernel<Bits>, rules, range, direction, shares);
  return is_disordered;
}

/* Keys in order or in the opposite one, all different, between two that belong to nobody. */
template <typename Bits>
Keys<Bits> &made_in_order(Keys<Bits> &keys, KeyKind kind, bool is_opposite) {
  const KeyMap<Bits> map = map_of<Bits>(kind);
  std::vector<Bits> &made = keys.original();
  const size_t items = made.size() - 2;
  for (size_t index = 0; index < items; index++)
    made[1 + index] = map.leave(static_cast<Bits>(1000 + 3 * (is_opposite ? items - index : index)));
  made.front() = map.leave(static_cast<Bits>(77));
  made.back() = map.leave(static_cast<Bits>(5));
  keys.restore();
  return keys;
}

/* The keys of the range are the same ones as before, wherever they are, and those beside it are where they were. */
template <typename Bits>
void must_be_the_same_keys(Keys<Bits> &keys) {
  std::vector<Bits> before(keys.original());
  std::vector<Bits> after(keys.data(), keys.data() + keys.count());
  ck_assert(before.front() == after.front() && before.back() == after.back());
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  ck_assert(before == after);
}

/* A warp's rows, and whole multiples of what a block's warps look at. */
template <typename Bits>
std::vector<uint32_t> sizes() {
  constexpr uint32_t ROWS = LookRows<Bits, false>::ITEMS;
  constexpr uint32_t TURNED = LookRows<Bits, true>::ITEMS;
  constexpr uint32_t WARPS = MultiwayShape<Bits>::BLOCK_WARPS;
  std::vector<uint32_t> all = {0, 1, 2, 3};
  for (const uint32_t around : {32u, 64u, TURNED, 2 * TURNED, ROWS, WARPS * 32, WARPS * ROWS, 2 * WARPS * ROWS})
    for (uint32_t count = around - 1; count <= around + 1; count++)
      all.push_back(count);
  return all;
}

template <typename Bits>
void check_ordered(uint64_t seed) {
  for (const uint32_t count : sizes<Bits>())
    for (const uint32_t shares : {1u, 2u, 5u}) {
      const KeyKind kind = KEY_KINDS<Bits>[seed % KINDS];
      Keys<Bits> keys(kind, count + 2, HOST_UNIFORM, seed, seed % 4);
      made_in_order(keys, kind, false);
      ck_assert_msg(!look(keys, kind, Direction::ascending, shares, seed), "%u keys in order, %u shares", count, shares);
      keys.must_be_untouched("keys in order");
      made_in_order(keys, kind, true);
      ck_assert_msg(!look(keys, kind, Direction::descending, shares, seed), "%u keys in the opposite order, %u shares", count,
                    shares);
      must_be_the_same_keys(keys);
      std::reverse(keys.original().begin() + 1, keys.original().end() - 1);
      keys.must_be_untouched("keys that were to be turned round");
      seed++;
    }
}

/* _i: the seed. */
START_TEST(order_is_found_and_its_opposite_turned_round) {
  check_ordered<uint32_t>(static_cast<uint64_t>(_i) * 1000);
  check_ordered<uint64_t>(static_cast<uint64_t>(_i) * 1000);
}
END_TEST

/* Two neighbours have changed places: at either end, in the middle, and wherever a row or a piece may begin. */
template <typename Bits>
void check_one_pair(uint64_t seed) {
  for (const uint32_t count : sizes<Bits>())
    for (uint32_t place = 0; place + 1 < count; place += place < 3 || place + 5 > count ? 1 : 31) {
      const KeyKind kind = KEY_KINDS<Bits>[seed % KINDS];
      const uint32_t shares = 1 + static_cast<uint32_t>(seed % 4);
      const bool is_opposite = seed % 3 == 0;
      Keys<Bits> keys(kind, count + 2, HOST_UNIFORM, seed, seed % 4);
      made_in_order(keys, kind, is_opposite);
      std::swap(keys.original()[1 + place], keys.original()[2 + place]);
      keys.restore();
      ck_assert_msg(look(keys, kind, is_opposite ? Direction::descending : Direction::ascending, shares, seed),
                    "%u keys, %u shares: nobody has found keys %u and %u", count, shares, place, place + 1);
      must_be_the_same_keys(keys);
      seed++;
    }
}

START_TEST(one_pair_in_disorder_is_found) {
  check_one_pair<uint32_t>(static_cast<uint64_t>(_i) * 10000);
  check_one_pair<uint64_t>(static_cast<uint64_t>(_i) * 10000);
}
END_TEST

/* Equal keys are in order, and so the sample of an array of them is in either. */
template <typename Bits>
void check_samples(uint64_t seed) {
  for (const uint32_t count : sizes<Bits>()) {
    if (count == 0)
      continue; // nobody asks
    const KeyKind kind = KEY_KINDS<Bits>[seed % KINDS];
    Keys<Bits> keys(kind, count + 2, HOST_UNIFORM, seed);
    const auto sample = [&keys, kind, seed] {
      const BlockRules<Bits> rules = rules_of<Bits>(keys.data(), nullptr, map_of<Bits>(kind));
      run_grid(seed, {1, MultiwayShape<Bits>::BLOCK_THREADS, 0}, sample_kernel<Bits>, rules,
               Range{1, keys.count() - 1, Side::keys, 0});
      keys.must_be_untouched("keys that a sample is drawn of");
      return static_cast<Direction>(sampled);
    };
    made_in_order(keys, kind, false);
    ck_assert(sample() == Direction::ascending);
    made_in_order(keys, kind, true);
    ck_assert(sample() == (count == 1 ? Direction::ascending : Direction::descending));
    if (count < 3)
      continue;
    std::swap(keys.original()[1], keys.original()[count]); // the ends are always drawn
    keys.restore();
    ck_assert(sample() == (count == 3 ? Direction::ascending : Direction::none)); // of three keys all are in order then
    std::fill(keys.original().begin(), keys.original().end(), keys.original()[1]);
    keys.restore();
    ck_assert(sample() == Direction::ascending);
    seed++;
  }
}

START_TEST(samples_say_what_may_be) {
  check_samples<uint32_t>(static_cast<uint64_t>(_i));
  check_samples<uint64_t>(static_cast<uint64_t>(_i));
}
END_TEST

} // namespace

} // namespace cdp::simulated

int main() {
  using namespace cdp::simulated;
  Suite *suite = suite_create("presorted");
  TCase *looks = tcase_create("looks");
  tcase_set_timeout(looks, TEST_SECONDS);
  tcase_add_loop_test(looks, order_is_found_and_its_opposite_turned_round, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(looks, one_pair_in_disorder_is_found, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(looks, samples_say_what_may_be, 0, static_cast<int>(SEEDS) * 2);
  suite_add_tcase(suite, looks);
  return run_suite(suite);
}
