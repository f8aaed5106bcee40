/* SPDX-License-Identifier: MIT */
/*
 * How a block sorts an array on chip (device/block/on_chip_sort.cuh), and what it does with cells that have more keys than
 * windows and seams put in order (device/block/crowded_cells.cuh).
 *
 * Linked with the static library, to call the kernels' own functions.
 */
#include "block/on_chip_sort.cuh"

#include "run_suite.h"

#include <algorithm>
#include <random>
#include <vector>

namespace cdp::simulated {

namespace {

constexpr uint32_t SEEDS = 6;

template <typename Bits, OnChipBy BY>
constexpr uint32_t MOST = OnChipShape<Bits, BY>::MAX_ITEMS;

/* What became of a block's keys. */
enum class Outcome : uint32_t { none, equal, by_cells, merged };

/* Not for the static analyser: it takes each look at threadIdx for another thread's. */
template <typename Bits, OnChipBy BY>
__global__ void sort_kernel([[maybe_unused]] Bits *keys, [[maybe_unused]] uint32_t count, [[maybe_unused]] KeyMap<Bits> map,
                            [[maybe_unused]] Outcome *outcome) {
#ifndef __clang_analyzer__
  auto &storage = block_shared<OnChipTeam<Bits, BY>>();
  const SortingTeam<Bits, BY> team;
  Bits least = 0;
  Outcome reached = Outcome::by_cells;
  if (stage_by_cells(keys, count, map, true, least, &storage)) {
    reached = Outcome::equal;
    write_equal(least, count, keys, map, team);
  } else if (!sort_staged(count, keys, map, &storage)) {
    reached = Outcome::merged;
    merge_staged(count, team, storage);
    write_merged(storage.stage, count, keys, map, team);
  }
  if (team.thread == 0)
    *outcome = reached;
#endif
}

/* Sorts keys by one block, looks at them, and says how they were sorted. */
template <OnChipBy BY, typename Bits>
Outcome sort_keys(const std::vector<Bits> &given, uint32_t offset) {
  constexpr Bits GUARD = static_cast<Bits>(0xA5A5A5A5A5A5A5A5u);
  constexpr uint32_t ZONE = 64;
  alignas(16) static Bits room[MOST<Bits, BY> + 2 * ZONE + 16];
  std::fill(std::begin(room), std::end(room), GUARD);
  Bits *keys = room + ZONE + offset;
  std::copy(given.begin(), given.end(), keys);
  const uint32_t bytes = sizeof(OnChipTeam<Bits, BY>);
  const KeyMap<Bits> map = key_map<Bits>(sizeof(Bits) == 4 ? CDP_U32 : CDP_U64, CDP_ASCENDING);
  static Outcome outcome;
  outcome = Outcome::none;
  ck_assert_int_eq(allow_shared_bytes(sort_kernel<Bits, BY>, bytes), LAUNCH_OK);
  const int error = launch_from_host({1, MultiwayShape<Bits>::BLOCK_THREADS, bytes}, nullptr, sort_kernel<Bits, BY>, keys,
                                     static_cast<uint32_t>(given.size()), map, &outcome);
  ck_assert_msg(error == LAUNCH_OK, "%s", last_report().broken_rule);
  std::vector<Bits> expected(given);
  std::sort(expected.begin(), expected.end());
  ck_assert_msg(std::equal(expected.begin(), expected.end(), keys), "%zu keys are not sorted", given.size());
  ck_assert(std::all_of(room, keys, [](Bits key) { return key == GUARD; }));
  ck_assert(std::all_of(keys + given.size(), std::end(room), [](Bits key) { return key == GUARD; }));
  return outcome;
}

/* Keys from all over. */
template <typename Bits>
std::vector<Bits> spread_keys(uint32_t count, uint32_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Bits> keys(count);
  for (Bits &key : keys)
    key = static_cast<Bits>(random() >> (64 - 8 * sizeof(Bits)));
  return keys;
}

/* Has `count` random places of the keys hold a value. */
template <typename Bits>
void plant(std::vector<Bits> &keys, uint32_t count, Bits value, uint32_t seed) {
  std::mt19937_64 random(seed + 1000);
  for (uint32_t which = 0; which < count; which++)
    keys[random() % keys.size()] = value;
}

template <typename Bits, OnChipBy BY>
void check_spread(uint32_t seed) {
  for (const uint32_t count : {2u, 3u, 31u, 33u, MOST<Bits, BY> / 2 + seed, MOST<Bits, BY> - seed, MOST<Bits, BY>})
    ck_assert(sort_keys<BY>(spread_keys<Bits>(count, seed), seed % 4) == Outcome::by_cells);
  ck_assert(sort_keys<BY>(std::vector<Bits>(MOST<Bits, BY>, Bits{7}), seed % 4) == Outcome::equal);
}

START_TEST(spread_keys_are_sorted_by_cells) {
  const uint32_t seed = static_cast<uint32_t>(_i);
  check_spread<uint32_t, OnChipBy::tile_block>(seed);
  check_spread<uint64_t, OnChipBy::tile_block>(seed);
  check_spread<uint32_t, OnChipBy::block>(seed);
  check_spread<uint64_t, OnChipBy::block>(seed);
}
END_TEST

/* Values of many keys, alone in a cell or beside others: the least and the greatest of all are among them. */
template <typename Bits, OnChipBy BY>
void check_frequent(uint32_t seed) {
  constexpr Bits LAST = GREATEST<Bits>;
  const Bits middle = LAST / 3 * 2;
  for (const uint32_t values : {1u, 2u, 3u, 4u}) {
    std::vector<Bits> keys = spread_keys<Bits>(MOST<Bits, BY> - seed, seed);
    for (uint32_t value = 0; value < values; value++) {
      plant<Bits>(keys, MOST<Bits, BY> / (3 + value), middle + 3 * value, seed + value); // all in the same cell
      plant<Bits>(keys, 2, middle + 3 * value + 1, seed + 10 + value);                   // with others between them
    }
    ck_assert(sort_keys<BY>(keys, seed % 4) == Outcome::by_cells);
  }
  std::vector<Bits> keys = spread_keys<Bits>(MOST<Bits, BY>, seed);
  for (const Bits value : {Bits{0}, Bits{1}, LAST, static_cast<Bits>(LAST - 1), static_cast<Bits>(LAST / 2), middle})
    plant<Bits>(keys, MOST<Bits, BY> / 6, value, seed + static_cast<uint32_t>(value % 97));
  ck_assert(sort_keys<BY>(keys, seed % 4) == Outcome::by_cells);
}

START_TEST(frequent_values_are_sorted_by_cells) {
  const uint32_t seed = static_cast<uint32_t>(_i);
  check_frequent<uint32_t, OnChipBy::tile_block>(seed);
  check_frequent<uint64_t, OnChipBy::tile_block>(seed);
  check_frequent<uint32_t, OnChipBy::block>(seed);
  check_frequent<uint64_t, OnChipBy::block>(seed);
}
END_TEST

/* A cell of some more keys than windows sort, all different: in registers of a warp. */
template <typename Bits, OnChipBy BY>
void check_crowded(uint32_t seed) {
  for (const uint32_t crowd : {9u, 17u, 40u, 64u, 65u, 200u, 240u}) {
    std::vector<Bits> keys = spread_keys<Bits>(MOST<Bits, BY>, seed);
    keys[0] = 0;
    keys[1] = GREATEST<Bits>;
    for (uint32_t index = 0; index < crowd; index++)
      keys[2 + index * 7919 % (MOST<Bits, BY> - 2)] = GREATEST<Bits> / 2 + (seed + 1) * 5 * index;
    ck_assert(sort_keys<BY>(keys, seed % 4) == Outcome::by_cells);
  }
}

START_TEST(crowded_cells_are_sorted_by_warps) {
  const uint32_t seed = static_cast<uint32_t>(_i);
  check_crowded<uint32_t, OnChipBy::tile_block>(seed);
  check_crowded<uint64_t, OnChipBy::tile_block>(seed);
  check_crowded<uint32_t, OnChipBy::block>(seed);
  check_crowded<uint64_t, OnChipBy::block>(seed);
}
END_TEST

/* More different keys in a cell than a warp sorts, alone or with many of the same: merged. */
template <typename Bits, OnChipBy BY>
void check_merged(uint32_t seed) {
  for (const uint32_t equal : {0u, MOST<Bits, BY> / 4}) {
    std::vector<Bits> keys(MOST<Bits, BY>);
    std::mt19937_64 random(seed);
    for (Bits &key : keys)
      key = static_cast<Bits>(random() % 5000);
    plant<Bits>(keys, equal, Bits{77}, seed);
    keys[seed] = GREATEST<Bits>;
    ck_assert(sort_keys<BY>(keys, seed % 4) == Outcome::merged);
  }
}

START_TEST(cells_of_many_different_keys_are_merged) {
  const uint32_t seed = static_cast<uint32_t>(_i);
  check_merged<uint32_t, OnChipBy::tile_block>(seed);
  check_merged<uint64_t, OnChipBy::tile_block>(seed);
  check_merged<uint32_t, OnChipBy::block>(seed);
  check_merged<uint64_t, OnChipBy::block>(seed);
}
END_TEST

} // namespace

} // namespace cdp::simulated

int main() {
  using namespace cdp::simulated;
  Suite *suite = suite_create("on_chip");
  TCase *cells = tcase_create("cells");
  tcase_set_timeout(cells, TEST_SECONDS);
  tcase_add_loop_test(cells, spread_keys_are_sorted_by_cells, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(cells, frequent_values_are_sorted_by_cells, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(cells, crowded_cells_are_sorted_by_warps, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(cells, cells_of_many_different_keys_are_merged, 0, static_cast<int>(SEEDS));
  suite_add_tcase(suite, cells);
  return run_suite(suite);
}
