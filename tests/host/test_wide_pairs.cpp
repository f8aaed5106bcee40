/* SPDX-License-Identifier: MIT */
/*
 * What goes with keys of 8 bytes, on the simulated device: keys that agree in their upper bits, in runs of all lengths; whose windows
 * leave bits out, or are by pieces; and few of them, which one block sorts. Values of one or two bytes are not carried (test_carry.cpp).
 */
#include "agreeing_keys.h"
#include "host_pairs.h"
#include "run_suite.h"
#include "tile_sizes.h"

#include <cmath>

using namespace host_tables;

namespace {

/* Keys in runs of `run_keys` that agree in all but their lowest bits, and lie far apart; `kinds` of lowest bits: 0 equal ones,
   1 random, 2 falling with the position. Shuffled. */
Bytes keys_in_runs(size_t count, size_t run_keys, int kinds, uint64_t seed) {
  std::vector<uint64_t> keys(count);
  uint64_t upper = 0;
  for (size_t index = 0; index < count; index++) {
    if (index % run_keys == 0)
      upper = host_random(&seed) & ~uint64_t{0xFF};
    const uint64_t lower[] = {7, host_random(&seed) & 0xFF, 255 - index % run_keys % 256};
    keys[index] = upper | lower[kinds];
  }
  for (size_t index = count - 1; index > 0; index--)
    std::swap(keys[index], keys[host_random_below(&seed, index + 1)]);
  keys[count / 2] = 0; // the window reaches from one end to the other
  keys[count / 3] = UINT64_MAX;
  return bytes_of<uint64_t>(keys);
}

/* _i: how long runs are, and how their keys differ. With 3000 keys a window has 52 bits. */
START_TEST(mends_runs_of_wide_keys) {
  static const size_t lengths[] = {1, 2, 3, 31, 32, 33, 34, 64, 191, 192, 193, 500, 575, 576, 577, 767, 768, 769, 1500, 2998};
  const size_t length = lengths[_i / 3];
  for (int order = CDP_ASCENDING; order <= CDP_DESCENDING; order++) {
    cdp_options options = simulated_options(static_cast<uint64_t>(_i));
    options.order = static_cast<cdp_order>(order);
    options.ties = CDP_TIES_STABLE;
    must_sort_pairs(CDP_U64, keys_in_runs(3000, length, _i % 3, length), 2, 0, options);
    must_sort_pairs(CDP_I64, keys_in_runs(3000, length, _i % 3, length + 1), 16, 0, options);
  }
}
END_TEST

/* In one tile, in several, and with long runs from one into the next. _i: which keys. */
START_TEST(mends_runs_of_many_lengths) {
  uint64_t turn = 0;
  for (const size_t count : {size_t{100}, size_t{2000}, size_t{20011}})
    for (const cdp_order order : {CDP_ASCENDING, CDP_DESCENDING}) {
      const std::vector<uint64_t> ranks = make_agreeing(count, count)[static_cast<size_t>(_i)];
      const Bytes bytes = bytes_of<uint64_t>(ranks);
      cdp_options options = simulated_options(turn);
      options.order = order;
      options.ties = CDP_TIES_STABLE;
      must_sort_pairs(turn % 2 == 0 ? CDP_U64 : CDP_I64, bytes, turn % 3 == 0 ? 3 : 2, 0, options);
      turn++;
    }
}
END_TEST

/* A run that begins and ends, and falls, to either side of where a tile does and of the longest that every tile holds: 576 and 192 of
   the simulated device. _i: where it begins. */
START_TEST(mends_runs_across_tiles) {
  static const size_t offsets[] = {1, 100, 383, 384, 385, 570, 575, 576, 577};
  static const size_t lengths[] = {33, 190, 191, 192, 193, 194, 384, 385, 600};
  int turn = 0;
  for (const size_t length : lengths)
    for (const size_t fall : {size_t{1}, size_t{2}, size_t{191}, size_t{192}, size_t{193}, length / 2, length - 1}) {
      if (fall >= length || leaves_round_out(turn++, _i))
        continue;
      const std::vector<uint64_t> ranks = make_run_at(2048, offsets[_i], length, fall);
      const Bytes bytes = bytes_of<uint64_t>(ranks);
      cdp_options options = simulated_options(fall);
      options.ties = CDP_TIES_STABLE;
      must_sort_pairs(CDP_U64, bytes, 2, 0, options);
    }
}
END_TEST

/* Bits that are the same in all keys are left out, so that windows hold all others, or all but a few: in arrays that are regrouped,
   and others. _i: which bits vary. */
START_TEST(leaves_out_bits_that_are_the_same) {
  static const uint64_t masks[] = {0x1F1F1F1F1F1F1F1F, 0x0F0F0F0F0F0F0F0F, 0xFFFBFBFFFF7FFFDF, 0x8000000000000001};
  int turn = 0;
  for (const size_t count : {size_t{100}, size_t{9001}, size_t{40001}})
    for (int order = CDP_ASCENDING; order <= CDP_DESCENDING; order++) {
      if (leaves_round_out(turn++, _i))
        continue;
      uint64_t state = count;
      const uint64_t same = host_random(&state) & ~masks[_i];
      std::vector<uint64_t> keys(count);
      for (uint64_t &key : keys)
        key = same | (host_random(&state) & masks[_i]);
      const Bytes bytes = bytes_of<uint64_t>(keys);
      cdp_options options = simulated_options(count);
      options.order = static_cast<cdp_order>(order);
      options.ties = CDP_TIES_STABLE;
      must_sort_pairs(CDP_U64, bytes, 2, 0, options);
      must_sort_pairs(CDP_I64, bytes, 1, 0, options);
    }
}
END_TEST

/* Many keys are near the least, or the greatest: as many to each power of two. `far` in each 2^20 are
   far from that end instead, in `cells` runs, whose keys differ in as many bits as such a window leaves. */
Bytes keys_near_an_end(size_t count, uint64_t far, uint64_t cells) {
  uint32_t left_bits = 1;
  while ((count - 1) >> (left_bits - 1) != 0)
    left_bits++;
  uint64_t state = count;
  std::vector<uint64_t> keys(count);
  for (uint64_t &key : keys)
    key = host_random_below(&state, 1 << 20) < far ? (UINT64_MAX - host_random_below(&state, cells)) << left_bits |
                                                         host_random_below(&state, uint64_t{1} << left_bits)
                                                   : host_random(&state) >> host_random_below(&state, 64);
  keys[count / 2] = UINT64_MAX;
  return bytes_of<uint64_t>(keys);
}

/* _i: how many are far; with a third of them, they crowd, too. One long run is too short for that. */
START_TEST(sorts_keys_near_an_end) {
  static const uint64_t far[] = {0, (1 << 20) / 3, (1 << 20) / 400};
  for (const size_t count : {size_t{300}, size_t{9001}, _i == 2 ? size_t{100003} : size_t{40001}})
    for (int order = CDP_ASCENDING; order <= CDP_DESCENDING; order++) {
      cdp_options options = simulated_options(count);
      options.order = static_cast<cdp_order>(order);
      options.ties = CDP_TIES_STABLE;
      must_sort_pairs(CDP_U64, keys_near_an_end(count, far[_i], _i == 2 ? 1 : 7), 2, 0, options);
    }
}
END_TEST

/* Keys that lie far apart, but for one pair in disorder, whose lowest bit alone differs: the first one, the last one, or one between.
   One block sorts them, of one warp or of several. */
START_TEST(mends_a_single_pair) {
  for (const uint64_t count : {uint64_t{3}, uint64_t{100}, uint64_t{simulated_block_pairs(8)}})
    for (const uint64_t place : {uint64_t{0}, count / 2 - 1, count - 2}) {
      std::vector<uint64_t> keys(count);
      for (uint64_t index = 0; index < count; index++)
        keys[index] = UINT64_MAX / count / 16 * 16 * index;
      keys[place] = keys[place + 1] + 1;
      const Bytes bytes = bytes_of<uint64_t>(keys);
      must_sort_pairs(CDP_U64, bytes, 4, 0, simulated_options(place));
    }
}
END_TEST

/* Few keys, whose distances from the least have just as many bits as there is room for beside a position, or one more: and in the
   lowest bit alone they differ, two by two. _i: whether they have more. */
START_TEST(sorts_few_keys_by_distances) {
  for (const uint64_t count : {uint64_t{3}, uint64_t{100}, uint64_t{129}, uint64_t{simulated_block_pairs(8)}}) {
    uint32_t position_bits = 0;
    while ((count - 1) >> position_bits != 0)
      position_bits++;
    const uint64_t span = UINT64_MAX >> (position_bits - static_cast<uint32_t>(_i));
    const uint64_t least = UINT64_MAX - span - (UINT64_MAX - span) / 3;
    uint64_t state = count;
    std::vector<uint64_t> keys = {least + span, least, least + span - 1};
    while (keys.size() < count)
      keys.push_back(least + (keys.size() % 2 == 0 ? (keys.back() - least) ^ 1 : host_random(&state) & span));
    const Bytes bytes = bytes_of<uint64_t>(keys);
    for (int order = CDP_ASCENDING; order <= CDP_DESCENDING; order++) {
      cdp_options options = simulated_options(count);
      options.order = static_cast<cdp_order>(order);
      options.ties = CDP_TIES_STABLE;
      must_sort_pairs(CDP_U64, bytes, 8, 0, options);
      must_sort_pairs(CDP_I64, bytes, 2, 0, options);
    }
  }
}
END_TEST

/* Most numbers are a few far from all others, and the others are no numbers: by value they are equal. */
START_TEST(mends_runs_of_doubles) {
  Bytes bytes(4000 * sizeof(double));
  std::vector<double> keys(4000);
  uint64_t state = 3;
  for (size_t index = 0; index < keys.size(); index++)
    keys[index] = 1.0 + std::ldexp(static_cast<double>(host_random(&state) & 3), -52);
  keys[17] = -INFINITY;
  keys[18] = 0.0;
  keys[19] = -0.0;
  for (size_t index = 20; index < 60; index++)
    keys[index] = std::copysign(NAN, index % 2 == 0 ? 1.0 : -1.0);
  memcpy(bytes.data(), keys.data(), bytes.size());
  for (int ties = 0; ties < TIES; ties++) {
    cdp_options options = simulated_options(1);
    options.ties = static_cast<cdp_ties>(ties);
    must_sort_pairs(CDP_F64, bytes, 2, 0, options);
  }
}
END_TEST

} // namespace

int main() {
  Suite *suite = suite_create("wide_pairs");
  TCase *tests = tcase_create("wide pairs");
  tcase_set_timeout(tests, TEST_SECONDS);
  add_options_loop_test(tests, mends_runs_of_wide_keys, 0, 60);
  tcase_add_loop_test(tests, mends_runs_of_many_lengths, 0, AGREEING_KINDS);
  tcase_add_loop_test(tests, mends_runs_across_tiles, 0, 9);
  tcase_add_loop_test(tests, leaves_out_bits_that_are_the_same, 0, 4);
  tcase_add_loop_test(tests, sorts_keys_near_an_end, 0, 3);
  tcase_add_test(tests, mends_a_single_pair);
  tcase_add_loop_test(tests, sorts_few_keys_by_distances, 0, 2);
  tcase_add_test(tests, mends_runs_of_doubles);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
