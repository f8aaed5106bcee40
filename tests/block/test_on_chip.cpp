/* SPDX-License-Identifier: MIT */
/*
 * How a team or a whole block sorts keys on chip (device/block/on_chip_sort.cuh), and what it does with cells that have more keys
 * than windows and seams put in order (device/block/crowded_cells.cuh). The teams of a block sort side by side.
 */
#include "block/on_chip_sort.cuh"

#include "block_check.h"

#include <algorithm>
#include <type_traits>

namespace cdp::simulated {

namespace {

constexpr uint32_t SEEDS = 6;

template <typename Bits, OnChipBy BY>
constexpr uint32_t MOST = OnChipShape<Bits, BY>::MAX_ITEMS;

/* What became of a team's keys. */
enum class Outcome : uint32_t { none, equal, by_cells, merged };

constexpr uint32_t MAX_TEAMS = 4;
Outcome outcomes[MAX_TEAMS];

template <typename Bits, OnChipBy BY>
struct Rooms {
  OnChipTeam<Bits, BY> teams[OnChipShape<Bits, BY>::TEAMS];
};

/* Every team sorts `count` keys, `apart` from those of the next. Not for the static analyser: it takes each look at threadIdx for
   another thread's. */
template <typename Bits, OnChipBy BY>
__global__ void sort_kernel([[maybe_unused]] Bits *keys, [[maybe_unused]] uint32_t count, [[maybe_unused]] uint32_t apart,
                            [[maybe_unused]] KeyMap<Bits> map) {
#ifndef __clang_analyzer__
  auto *rooms = block_shared<Rooms<Bits, BY>>().teams;
  const SortingTeam<Bits, BY> team;
  keys += team.number * apart;
  Bits least = 0;
  Outcome reached = Outcome::by_cells;
  if (stage_by_cells(keys, count, map, true, least, rooms)) {
    reached = Outcome::equal;
    write_equal(least, count, keys, map, team);
  } else if (!sort_staged(count, keys, map, rooms)) {
    reached = Outcome::merged;
    merge_staged(count, team, room_of(rooms));
    write_merged(room_of(rooms).stage, count, keys, map, team);
  }
  if (team.thread == 0)
    outcomes[team.number] = reached;
#endif
}

/* Has the teams of a block each sort these keys, the first one those that are given, the others the same in another order; and
   says how they were sorted, or none if not all alike. A key between two teams' is nobody's. `order`: that in which threads run. */
template <OnChipBy BY, typename Bits>
Outcome sort_keys(const std::vector<Bits> &given, uint32_t offset, uint32_t order) {
  constexpr uint32_t TEAMS = OnChipShape<Bits, BY>::TEAMS;
  static_assert(TEAMS <= MAX_TEAMS, "there is room for their outcomes");
  const uint32_t count = static_cast<uint32_t>(given.size());
  const uint32_t apart = count + 1;
  const KeyKind kind = KEY_KINDS<Bits>[offset % KINDS];
  const KeyMap<Bits> map = map_of<Bits>(kind);
  Keys<Bits> keys(kind, TEAMS * apart, HOST_UNIFORM, offset, offset);
  for (uint32_t team = 0; team < TEAMS; team++)
    for (uint32_t index = 0; index < count; index++)
      keys.original()[team * apart + index] = map.leave(given[(index + team) % count]);
  keys.restore();
  std::fill(std::begin(outcomes), std::end(outcomes), Outcome::none);
  run_grid(order, {1, MultiwayShape<Bits>::BLOCK_THREADS, sizeof(Rooms<Bits, BY>)}, sort_kernel<Bits, BY>, keys.data(), count,
           apart, map);
  for (uint32_t team = 0; team < TEAMS; team++) {
    char why[HOST_WHY_BYTES];
    ck_assert_msg(
        host_check_sorted(keys.original().data() + team * apart, keys.data() + team * apart, count, kind.type, kind.order, why),
        "%u keys of team %u: %s", count, team, why);
    ck_assert_msg(keys.data()[team * apart + count] == keys.original()[team * apart + count], "%u keys: one more was written",
                  count);
  }
  keys.must_be_whole_memory();
  return std::all_of(outcomes, outcomes + TEAMS, [](Outcome outcome) { return outcome == outcomes[0]; }) ? outcomes[0]
                                                                                                         : Outcome::none;
}

template <OnChipBy BY, typename Bits>
Outcome sort_keys(const std::vector<Bits> &given, uint32_t offset) {
  return sort_keys<BY>(given, offset, offset);
}

/* Calls check(key, by) for keys of either width, whoever sorts them. */
template <typename Check>
void for_all(Check check) {
  const auto for_both = [check](auto by) {
    check(uint32_t{}, by);
    check(uint64_t{}, by);
  };
  for_both(std::integral_constant<OnChipBy, OnChipBy::team>{});
  for_both(std::integral_constant<OnChipBy, OnChipBy::tile_block>{});
  for_both(std::integral_constant<OnChipBy, OnChipBy::block>{});
}

/* Keys from all over. */
template <typename Bits>
std::vector<Bits> spread_keys(uint32_t count, uint32_t seed) {
  std::vector<Bits> keys(count);
  host_fill(keys.data(), KEY_KINDS<Bits>[0].type, count, HOST_UNIFORM, seed);
  return keys;
}

/* Has `count` random places of the keys hold a value. */
template <typename Bits>
void plant(std::vector<Bits> &keys, uint32_t count, Bits value, uint32_t seed) {
  uint64_t state = seed + 1000;
  for (uint32_t which = 0; which < count; which++)
    keys[host_random_below(&state, keys.size())] = value;
}

template <typename Bits, OnChipBy BY>
void check_spread(uint32_t seed) {
  constexpr uint32_t HALF = WINDOW_ITEMS / 2; // windows begin and seams lie at its multiples
  ck_assert(sort_keys<BY>(spread_keys<Bits>(1, seed), seed % 4) == Outcome::equal);
  for (const uint32_t count :
       {2u, 3u, HALF - 1, HALF, HALF + 1, 2 * HALF - 1, 2 * HALF, 2 * HALF + 1, 3 * HALF, 3 * HALF + 1, 31u, 32u, 33u,
        MOST<Bits, BY> / 2 + seed, MOST<Bits, BY> - 1 - seed, MOST<Bits, BY> - 1, MOST<Bits, BY>})
    ck_assert(sort_keys<BY>(spread_keys<Bits>(count, seed), seed % 4) == Outcome::by_cells);
  ck_assert(sort_keys<BY>(std::vector<Bits>(MOST<Bits, BY>, Bits{7}), seed % 4) == Outcome::equal);
}

START_TEST(spread_keys_are_sorted_by_cells) {
  const uint32_t seed = static_cast<uint32_t>(_i);
  for_all([seed](auto key, auto by) { check_spread<decltype(key), decltype(by)::value>(seed); });
}
END_TEST

/* Values of many keys, alone in a cell or beside others: the least and the greatest of all are among them. Of two values in
   a cell half of the neighbours differ at most, so that they are seen to be few where there are enough threads to look; more values
   may be merged as well. */
template <typename Bits, OnChipBy BY>
void check_frequent(uint32_t seed) {
  constexpr bool ARE_MANY_THREADS = OnChipShape<Bits, BY>::THREADS > 2 * WARP_LANES;
  constexpr Bits LAST = GREATEST<Bits>;
  const Bits middle = LAST / 3 * 2;
  for (const uint32_t values : {1u, 2u, 3u, 4u}) {
    std::vector<Bits> keys = spread_keys<Bits>(MOST<Bits, BY> - seed, seed);
    for (uint32_t value = 0; value < values; value++) {
      plant<Bits>(keys, MOST<Bits, BY> / (2 + 6 * value), middle + 3 * value, seed + value); // all in the same cell
      plant<Bits>(keys, 2, middle + 3 * value + 1, seed + 10 + value);                       // with others between them
    }
    const Outcome outcome = sort_keys<BY>(keys, seed % 4);
    if (values == 1 || (values == 2 && ARE_MANY_THREADS))
      ck_assert(outcome == Outcome::by_cells);
  }
  // One value or two, with more and more others in the cell: as many as a warp has lanes, and then it is no cell of few values.
  for (const uint32_t others : {WARP_LANES - 1, WARP_LANES, WARP_LANES + 1, 2 * WARP_LANES + 1})
    for (const uint32_t values : {1u, 2u}) {
      std::vector<Bits> few = spread_keys<Bits>(MOST<Bits, BY>, seed);
      for (uint32_t index = 0; index < MOST<Bits, BY> / 2; index++)
        few[index] = middle + (index % 4 + 1 < values ? 1 : 0); // neighbours are equal, as a rule
      for (uint32_t other = 0; other < others; other++)
        few[(MOST<Bits, BY> / 2 - 1) / others * other] = other % 2 == 0 ? middle + other + 2 : middle - other;
      sort_keys<BY>(few, seed % 4);
    }
  std::vector<Bits> keys = spread_keys<Bits>(MOST<Bits, BY>, seed);
  for (const Bits value : {Bits{0}, Bits{1}, LAST, static_cast<Bits>(LAST - 1), static_cast<Bits>(LAST / 2), middle})
    plant<Bits>(keys, MOST<Bits, BY> / 6, value, seed + static_cast<uint32_t>(value % 97));
  const Outcome outcome = sort_keys<BY>(keys, seed % 4);
  if (ARE_MANY_THREADS)
    ck_assert(outcome == Outcome::by_cells);
}

/* A cell of most keys, all but a few dozen or hundred of one value: a warp sorts those when all others have seen how few they are. */
template <typename Bits, OnChipBy BY>
void check_long_cell(uint32_t seed) {
  constexpr Bits VALUE = GREATEST<Bits> / 3;
  std::vector<Bits> keys = spread_keys<Bits>(MOST<Bits, BY>, seed);
  plant<Bits>(keys, 3 * MOST<Bits, BY>, VALUE, seed);
  for (uint32_t other = 1; other <= MOST<Bits, BY> / 20; other++)
    plant<Bits>(keys, 1, VALUE + other, seed + other);
  for (uint32_t order = 0; order < 8; order++)
    sort_keys<BY>(keys, seed % 4, 8 * seed + order);
}

START_TEST(long_cells_are_sorted_in_every_order) {
  const uint32_t seed = static_cast<uint32_t>(_i);
  check_long_cell<uint64_t, OnChipBy::team>(seed);
  check_long_cell<uint32_t, OnChipBy::tile_block>(seed);
  check_long_cell<uint64_t, OnChipBy::tile_block>(seed);
  check_long_cell<uint32_t, OnChipBy::block>(seed);
  check_long_cell<uint64_t, OnChipBy::block>(seed);
}
END_TEST

/* A cell of many keys, half of a block's or just too few of them to be taken for one value's: all of one value but for some lower and
   upper ones, of two values, half of one, or each of another. All over the bucket, or where the first warp holds none of them. */
template <typename Bits>
void check_full_cell(uint32_t seed) {
  constexpr uint32_t COUNT = MOST<Bits, OnChipBy::block>;
  constexpr uint32_t CELLS = OnChipShape<Bits, OnChipBy::block>::CELLS - SPARE_CELLS;
  constexpr Bits WIDTH = GREATEST<Bits> / CELLS;
  constexpr Bits FIRST = WIDTH * (CELLS / 3) + WIDTH / 10; // of a cell, about
  uint64_t state = seed;
  uint32_t two_by_cells = 0;
  for (const uint32_t full : {COUNT / 2, COUNT / 3, COUNT / MIN_FULL_SHARE - 1})
    for (const bool is_behind : {false, true}) {
      const auto sort_with = [&](auto offset_of) {
        std::vector<Bits> keys = spread_keys<Bits>(COUNT, seed);
        keys[0] = 0;
        keys[1] = GREATEST<Bits>;
        for (uint32_t index = 0; index < full; index++)
          keys[is_behind ? COUNT - 1 - index : 2 + uint64_t{index} * (COUNT - 2) / full] =
              FIRST + static_cast<Bits>(offset_of(index));
        return sort_keys<OnChipBy::block>(keys, seed % 4);
      };
      const uint32_t apart = full / 5 + seed;
      const Outcome few =
          sort_with([&](uint32_t index) { return index % apart != seed ? 8 : index / apart % 2 * 16 + index / apart; });
      const Outcome two = sort_with([&](uint32_t index) { return (index / 3 + seed) % 2; });
      const auto from_all_over = [&state](uint32_t) { return host_random_below(&state, WIDTH / 10 * 8); };
      sort_with([&](uint32_t index) { return index % 2 == 0 ? WIDTH / 3 : from_all_over(index); });
      ck_assert(few == Outcome::by_cells);
      two_by_cells += two == Outcome::by_cells ? 1 : 0;
      sort_with(from_all_over);
    }
  ck_assert_uint_ge(two_by_cells, 5); // of six: those that look are few enough to err
}

START_TEST(full_cells_are_filled_with_their_value) {
  const uint32_t seed = static_cast<uint32_t>(_i);
  check_full_cell<uint32_t>(seed);
  check_full_cell<uint64_t>(seed);
}
END_TEST

START_TEST(frequent_values_are_sorted_by_cells) {
  const uint32_t seed = static_cast<uint32_t>(_i);
  for_all([seed](auto key, auto by) { check_frequent<decltype(key), decltype(by)::value>(seed); });
}
END_TEST

/* A cell of some more keys than windows sort, all different, as long as most keys are in no such cell: in registers of a warp. */
template <typename Bits, OnChipBy BY>
void check_crowded(uint32_t seed) {
  for (const uint32_t crowd : {9u, 17u, 40u, 64u, 65u, 200u, 240u}) {
    if (crowd > MOST<Bits, BY> / MIN_CROWDED_SHARE)
      continue;
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
  for_all([seed](auto key, auto by) { check_crowded<decltype(key), decltype(by)::value>(seed); });
}
END_TEST

/* Cells of a few values that follow one another, each of many keys: of two a warp writes what it has counted; of more it takes out those
   that it finds. Half of all keys are such; where few threads look, they may be taken for others. */
template <typename Bits, OnChipBy BY>
void check_few_values(uint32_t seed) {
  uint32_t by_cells = 0;
  for (const uint32_t values : {2u, 3u, 6u})
    for (const uint32_t copies : {10u, 33u, 70u, 300u}) {
      const uint32_t each = values * copies;
      const uint32_t cells = std::min(MOST<Bits, BY> / 2 / each, FEW_CROWDED_CELLS * OnChipShape<Bits, BY>::WARPS);
      std::vector<Bits> keys = spread_keys<Bits>(MOST<Bits, BY>, seed);
      keys[0] = 0;
      keys[1] = GREATEST<Bits>;
      uint64_t state = seed;
      for (uint32_t index = 0; index < cells * each; index++)
        keys[2 + index * 7919 % (MOST<Bits, BY> - 2)] =
            GREATEST<Bits> / (cells + 1) * (index % cells + 1) / 2 + static_cast<Bits>(host_random_below(&state, values));
      const Outcome outcome = sort_keys<BY>(keys, seed % 4);
      by_cells += values == 2 && outcome == Outcome::by_cells ? 1 : 0;
    }
  if (OnChipShape<Bits, BY>::THREADS > 2 * WARP_LANES)
    ck_assert_uint_ge(by_cells, 3); // of four: those that look are few enough to err
}

START_TEST(cells_of_few_values_are_sorted_by_warps) {
  const uint32_t seed = static_cast<uint32_t>(_i);
  for_all([seed](auto key, auto by) { check_few_values<decltype(key), decltype(by)::value>(seed); });
}
END_TEST

/* Keys in clusters, which are so many lines of the histogram that cells make: 10 clusters of keys that are spread over a part in
   `narrow` of a cell. What is in such a cell by its width is not by its guessed rank, unless it is much narrower than that. */
template <typename Bits, OnChipBy BY>
std::vector<Bits> clustered_keys(uint32_t seed, uint32_t narrow, uint32_t count = MOST<Bits, BY>) {
  constexpr uint32_t CLUSTERS = 10;
  constexpr Bits CELL = GREATEST<Bits> / OnChipShape<Bits, BY>::CELLS;
  std::vector<Bits> keys(count);
  uint64_t state = seed;
  for (Bits &key : keys) {
    const Bits cluster = static_cast<Bits>(host_random_below(&state, CLUSTERS));
    key = (GREATEST<Bits> / CELL / CLUSTERS * cluster) * CELL + static_cast<Bits>(host_random_below(&state, CELL / narrow));
  }
  keys[0] = 0;
  keys[1] = GREATEST<Bits>;
  return keys;
}

template <typename Bits, OnChipBy BY>
void check_clusters(uint32_t seed) {
  ck_assert(sort_keys<BY>(clustered_keys<Bits, BY>(seed, 1), seed % 4) == Outcome::by_cells);
  ck_assert(sort_keys<BY>(clustered_keys<Bits, BY>(seed, 4), seed % 4) == Outcome::by_cells);
}

START_TEST(clusters_are_sorted_by_guessed_ranks) {
  const uint32_t seed = static_cast<uint32_t>(_i);
  for_all([seed](auto key, auto by) { check_clusters<decltype(key), decltype(by)::value>(seed); });
}
END_TEST

/* Clusters of 32-bit keys that share cells by their guessed ranks, too: parted by ranks that are guessed again, where there is room for
   counters behind the keys; where there is not, merged. A block that sorts a tile always has room. */
template <OnChipBy BY>
void check_narrow_clusters(uint32_t seed) {
  constexpr uint32_t NARROW = 200;
  constexpr bool IS_TILE = BY == OnChipBy::tile_block;
  constexpr uint32_t ROOMY = IS_TILE ? MOST<uint32_t, BY> : MOST<uint32_t, BY> / 8 * 5;
  ck_assert((RankedAgain<uint32_t, BY>::has_room(ROOMY)));
  ck_assert((RankedAgain<uint32_t, BY>::has_room(MOST<uint32_t, BY>)) == IS_TILE);
  std::vector<uint32_t> keys = clustered_keys<uint32_t, BY>(seed, NARROW, ROOMY);
  ck_assert(sort_keys<BY>(keys, seed % 4) == Outcome::by_cells);
  // Two values of one cluster that many keys have: their cells are in disorder then, and are sorted by warps.
  const uint32_t value = keys[2 + seed];
  plant<uint32_t>(keys, ROOMY / 8, value, seed);
  plant<uint32_t>(keys, ROOMY / 16, value + 1, seed + 1);
  ck_assert(sort_keys<BY>(keys, seed % 4) == Outcome::by_cells);
  if (!IS_TILE)
    ck_assert(sort_keys<BY>(clustered_keys<uint32_t, BY>(seed, NARROW), seed % 4) == Outcome::merged);
}

START_TEST(narrow_clusters_are_sorted_by_ranks_guessed_again) {
  const uint32_t seed = static_cast<uint32_t>(_i);
  check_narrow_clusters<OnChipBy::tile_block>(seed); // a team's cells have too few keys
  check_narrow_clusters<OnChipBy::block>(seed);
}
END_TEST

/* More different keys in a cell, by its width and by ranks, than a warp sorts, alone or with many of the same: merged; and so are
   clusters that share such cells. */
template <typename Bits, OnChipBy BY>
void check_merged(uint32_t seed) {
  constexpr uint64_t VALUES = sizeof(Bits) == 4 ? 500 : 5000;
  for (const uint32_t equal : {0u, MOST<Bits, BY> / 4}) {
    std::vector<Bits> keys(MOST<Bits, BY>);
    uint64_t state = seed;
    for (Bits &key : keys)
      key = static_cast<Bits>(host_random_below(&state, VALUES));
    plant<Bits>(keys, equal, Bits{77}, seed);
    keys[seed] = GREATEST<Bits>;
    ck_assert(sort_keys<BY>(keys, seed % 4) == Outcome::merged);
  }
  ck_assert(sort_keys<BY>(clustered_keys<Bits, BY>(seed, 2000), seed % 4) == Outcome::merged);
}

START_TEST(cells_of_many_different_keys_are_merged) {
  const uint32_t seed = static_cast<uint32_t>(_i);
  check_merged<uint64_t, OnChipBy::team>(seed); // of 32 bits a team has no more keys than a warp sorts
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
  tcase_add_loop_test(cells, long_cells_are_sorted_in_every_order, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(cells, full_cells_are_filled_with_their_value, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(cells, frequent_values_are_sorted_by_cells, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(cells, crowded_cells_are_sorted_by_warps, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(cells, cells_of_few_values_are_sorted_by_warps, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(cells, clusters_are_sorted_by_guessed_ranks, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(cells, narrow_clusters_are_sorted_by_ranks_guessed_again, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(cells, cells_of_many_different_keys_are_merged, 0, static_cast<int>(SEEDS));
  suite_add_tcase(suite, cells);
  return run_suite(suite);
}
