/* SPDX-License-Identifier: MIT */
/*
 * What is found out of all keys before items are made of them (device/payload/find_window.cuh, window.cuh): the least and the greatest, the bits that
 * vary, whether the others are left out, and each key's distance, against bits that are taken here one by one.
 */
#include "payload/find_window.cuh"

#include "block_check.h"

#include <algorithm>

namespace cdp::simulated {

namespace {

/* Bits that vary: of letters, digits, every third one, all but a few, the outermost, neighbours, and all. */
constexpr uint64_t MASKS[] = {0x1F1F1F1F1F1F1F1F, 0x0F0F0F0F0F0F0F0F, 0x9249249249249249,
                              0xFFFBFFFFFF7FFFDF, 0xFFF7FFFDFFFFEFFE, 0x8000000000000001,
                              0x00000000000FF000, 0xF0F0F0F00F0F0F0F, ~uint64_t{0}};
constexpr int MASK_COUNT = static_cast<int>(sizeof MASKS / sizeof *MASKS);
constexpr uint64_t SEEDS = 3;

uint64_t compacted(uint64_t key, uint64_t mask) {
  uint64_t number = 0;
  uint32_t place = 0;
  for (uint32_t bit = 0; bit < 64; bit++)
    if ((mask >> bit & 1) != 0)
      number |= (key >> bit & 1) << place++;
  return number;
}

uint32_t bits_in(uint64_t number) {
  return number == 0 ? 0 : 64 - static_cast<uint32_t>(__builtin_clzll(number));
}

template <typename Raw>
KeyExtremes extremes_of(const std::vector<Raw> &keys, uint64_t seed, uint32_t low_bits) {
  KeyExtremes extremes = {};
  GridShape grid = few_blocks_grid(keys.size());
  grid.shared_bytes = sizeof(KeysSeenRoom);
  run_grid(seed, grid, find_extremes_kernel<Raw>, keys.data(), keys.size(),
           entry_of<Raw>(sizeof(Raw) == 8 ? CDP_U64 : CDP_U32, CDP_ASCENDING, CDP_TIES_ANY), low_bits, &extremes,
           static_cast<const uint32_t *>(nullptr));
  return extremes;
}

/* Keys of which no bit but those of a mask varies, and each of those does in two of the first three. */
template <typename Raw>
std::vector<Raw> keys_of(uint64_t mask, size_t count, uint64_t seed) {
  const uint64_t same = host_random(&seed) & ~mask;
  std::vector<Raw> keys = {static_cast<Raw>(same | mask), static_cast<Raw>(same)};
  while (keys.size() < count)
    keys.push_back(static_cast<Raw>(same | (host_random(&seed) & mask)));
  return keys;
}

template <typename Raw>
void check_distances(uint64_t mask, size_t count, uint64_t seed) {
  mask = static_cast<Raw>(mask);
  const std::vector<Raw> keys = keys_of<Raw>(mask, count, seed);
  const uint64_t least = keys[1];
  const uint64_t greatest = keys[0];
  const uint32_t varying_bits = static_cast<uint32_t>(__builtin_popcountll(mask));
  for (const uint32_t low_bits : {1u, 6u, 12u, 20u, 32u}) {
    const KeyExtremes extremes = extremes_of(keys, seed, low_bits);
    const uint32_t dropped = bits_in(greatest - least) + low_bits > 64 ? bits_in(greatest - least) + low_bits - 64 : 0;
    const uint32_t shown = static_cast<uint32_t>(__builtin_popcountll(mask >> dropped));
    const bool leaves_out = dropped != 0 && std::min(varying_bits, 64 - low_bits) >= shown + MIN_BITS_LEFT_OUT;
    ck_assert_uint_eq(extremes.least(), least);
    ck_assert_uint_eq(extremes.greatest, greatest);
    ck_assert_uint_eq(extremes.varying, mask);
    ck_assert_uint_eq(extremes.is_compacted, leaves_out ? 1 : 0);
    const uint32_t bits = leaves_out ? varying_bits : bits_in(greatest - least);
    const uint32_t dropped_bits = bits + low_bits > 64 ? bits + low_bits - 64 : 0;
    ck_assert_uint_eq(extremes.dropped_bits(64 - low_bits), dropped_bits);
    if (extremes.form != WindowForm::upper_bits)
      continue; // the outermost bits make keys near the ends
    ck_assert(extremes.are_plain() == !leaves_out);
    for (const Raw key : keys) {
      const uint64_t distance = leaves_out ? compacted(key, mask) : key - least;
      ck_assert_uint_eq(KeyDistance(extremes)(key), distance);
      with_window(extremes, 64 - low_bits,
                  [&](const auto &window) { ck_assert_uint_eq(window(key), distance >> dropped_bits); });
      const UpperBits upper_bits(least, greatest, 64 - low_bits);
      ck_assert_uint_eq(upper_bits(key) << upper_bits.dropped_bits | upper_bits.dropped(key), key - least);
    }
  }
}

/* _i: the mask, and the seed. */
START_TEST(distances_leave_out_what_does_not_vary) {
  const uint64_t mask = MASKS[_i % MASK_COUNT];
  const uint64_t seed = static_cast<uint64_t>(_i / MASK_COUNT);
  for (const size_t count : {2, 3, 1000, 5001}) {
    check_distances<uint64_t>(mask, count, seed);
    check_distances<uint32_t>(mask, count, seed);
  }
}
END_TEST

/* Distances around each power of two, below the greatest, and those that are a step away from each of them. */
std::vector<uint64_t> distances_below(uint64_t greatest, uint64_t step) {
  std::vector<uint64_t> distances = {0, greatest};
  uint64_t state = greatest;
  for (uint32_t bit = 0; bit < 64; bit++)
    for (const uint64_t lower : {uint64_t{0}, uint64_t{1}, UINT64_MAX, host_random(&state), host_random(&state)}) {
      const uint64_t distance = (uint64_t{1} << bit) + (lower >> (63 - bit) >> 1) - (lower == 1 ? 1 : 0);
      if (distance < greatest)
        distances.push_back(distance);
      if (distance < greatest && greatest - distance > step)
        distances.push_back(distance + step);
    }
  std::sort(distances.begin(), distances.end());
  return distances;
}

/* Windows by octaves keep the order, fit their items, and leave one bit more than a position has at most, of numbers that rise as keys do.
   _i: bits of a position, and whether they are from the greatest. */
START_TEST(octaves_keep_the_order) {
  const uint32_t low_bits = static_cast<uint32_t>(_i / 2 + 1);
  const bool is_from_greatest = _i % 2 != 0;
  for (const uint64_t greatest : {UINT64_MAX, UINT64_MAX / 2 + 1, UINT64_MAX >> (low_bits - 1)}) {
    KeyExtremes extremes = {};
    extremes.greatest = greatest;
    extremes.least_inverted = UINT64_MAX;
    extremes.form = is_from_greatest ? WindowForm::from_greatest : WindowForm::from_least;
    extremes.origin = is_from_greatest ? greatest + 1 : 0;
    extremes.distance_bits = bits_in(greatest);
    const Window window(extremes, 64 - low_bits);
    std::vector<uint64_t> distances = distances_below(greatest, uint64_t{2} << low_bits);
    if (is_from_greatest) {
      std::reverse(distances.begin(), distances.end());
      for (uint64_t &distance : distances)
        distance = greatest - distance;
    }
    for (size_t index = 0; index < distances.size(); index++) {
      const uint64_t shown = window(distances[index]);
      ck_assert_uint_eq(shown >> (64 - low_bits), 0);
      if (index == 0)
        continue;
      const uint64_t before = distances[index - 1];
      ck_assert_uint_le(window(before), shown);
      ck_assert_uint_le(KeyDistance(extremes)(before), KeyDistance(extremes)(distances[index]));
      ck_assert(window(before) < shown ||
                (KeyDistance(extremes)(before) ^ KeyDistance(extremes)(distances[index])) >> (low_bits + 1) == 0);
    }
  }
}
END_TEST

/* They are taken where many keys are near the least one, or the greatest, and not of keys that are spread evenly, or whose distances
   fit, or where they would leave more bits than tiles compare. */
START_TEST(octaves_are_for_keys_near_an_end) {
  uint64_t state = static_cast<uint64_t>(_i) + 1;
  std::vector<uint64_t> random(5000);
  std::vector<uint64_t> near_least(5000);
  std::vector<uint64_t> near_greatest(5000);
  std::vector<uint64_t> small(5000);
  for (size_t index = 0; index < random.size(); index++) {
    const uint64_t key = host_random(&state);
    const bool is_near = host_random_below(&state, 16) == 0;
    random[index] = key;
    near_least[index] = is_near ? key >> 40 : key;
    near_greatest[index] = ~near_least[index];
    small[index] = key >> 30;
  }
  random[17] = near_least[17] = near_greatest[17] = 0;
  random[18] = near_least[18] = near_greatest[18] = UINT64_MAX;
  ck_assert(extremes_of(random, state, 26).form == WindowForm::upper_bits);
  ck_assert(extremes_of(near_least, state, 26).form == WindowForm::from_least);
  ck_assert(extremes_of(near_greatest, state, 26).form == WindowForm::from_greatest);
  ck_assert(extremes_of(near_least, state, MOST_BITS_LEFT - 1).form == WindowForm::from_least);
  ck_assert(extremes_of(near_least, state, MOST_BITS_LEFT).form == WindowForm::upper_bits);
  ck_assert(extremes_of(small, state, 26).form == WindowForm::upper_bits);
  for (size_t index = 0; index < random.size(); index += 4) // keys that octaves do not tell apart either
    near_least[index] = uint64_t{0xABCDEF} << 40 | index;
  ck_assert(extremes_of(near_least, state, 26).form == WindowForm::upper_bits);
}
END_TEST

/* One key, or the same one many times: no bit varies. */
START_TEST(equal_keys_have_no_distance) {
  for (const size_t count : {1, 1000}) {
    const std::vector<uint64_t> keys(count, 0x0123456789ABCDEF);
    const KeyExtremes extremes = extremes_of(keys, static_cast<uint64_t>(_i), 32);
    ck_assert_uint_eq(extremes.varying, 0);
    ck_assert_uint_eq(extremes.is_compacted, 0);
    ck_assert_uint_eq(UpperBits(extremes, 32)(keys[0]), 0);
  }
}
END_TEST

} // namespace

} // namespace cdp::simulated

int main() {
  using namespace cdp::simulated;
  Suite *suite = suite_create("window");
  TCase *distances = tcase_create("distances");
  tcase_set_timeout(distances, TEST_SECONDS);
  tcase_add_loop_test(distances, distances_leave_out_what_does_not_vary, 0, MASK_COUNT * static_cast<int>(SEEDS));
  tcase_add_loop_test(distances, octaves_keep_the_order, 0, 64);
  tcase_add_loop_test(distances, octaves_are_for_keys_near_an_end, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(distances, equal_keys_have_no_distance, 0, static_cast<int>(SEEDS));
  suite_add_tcase(suite, distances);
  return run_suite(suite);
}
