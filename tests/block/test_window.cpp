/* SPDX-License-Identifier: MIT */
/*
 * What is found out of keys before items are made of them (device/payload/find_extremes.cuh, window.cuh): the least and the greatest, the bits
 * that vary, whether the others are left out, and each key's distance, against bits that are taken here one by one. And pieces
 * (learn_window.cuh, count_pieces.cuh): whether they are learnt, that windows rise as keys do, and that they are spread evenly.
 */
#include "payload/count_pieces.cuh"
#include "payload/find_extremes.cuh"
#include "payload/learn_window.cuh"

#include "block_check.h"
#include "each_holds.h"

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
    for (const Raw key : keys) {
      const uint64_t distance = leaves_out ? compacted(key, mask) : key - least;
      EACH_HOLDS(KeyDistance(extremes)(key) == distance);
      with_upper_bits(extremes, 64 - low_bits,
                      [&](const auto &window) { EACH_HOLDS(window(key) == distance >> dropped_bits); });
      const UpperBits upper_bits(least, greatest, 64 - low_bits);
      EACH_HOLDS((upper_bits(key) << upper_bits.dropped_bits | upper_bits.dropped(key)) == key - least);
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

/* ---- Pieces ------------------------------------------------------------------------------------------------------------ */

/* Keys, and the windows that they get. */
struct Windowed {
  static constexpr uint32_t LEVELS = floor_log2(WINDOW_PIECES);
  static constexpr uint32_t COUNTERS = 3; /* blocks */

  std::vector<uint64_t> keys;
  uint32_t low_bits;
  uint32_t bits_left;
  KeyExtremes extremes;
  WindowTable table;
  std::vector<uint16_t> found;
  std::vector<uint64_t> windows;

  Windowed(std::vector<uint64_t> given, uint32_t position_bits, uint64_t seed, bool learns_uneven = true,
           uint32_t left = MOST_BITS_LEFT)
      : keys(std::move(given)), low_bits(position_bits), bits_left(left), extremes(extremes_of(keys, seed, position_bits)),
        table(), found(keys.size()), windows(keys.size()) {
    const Entry<uint64_t> entry = entry_of<uint64_t>(CDP_U64, CDP_ASCENDING, CDP_TIES_ANY);
    const WindowLesson<uint64_t> lesson = {keys.data(), keys.size(),   entry,     64 - low_bits,
                                           LEVELS,      learns_uneven, &extremes, &table};
    run_grid(seed, {1, LEARN_THREADS, sizeof(LearnRoom)}, learn_windows_kernel<uint64_t>, lesson);
    const WindowPieces pieces = {&extremes, &table, found.data(), keys.size(), LEVELS, low_bits, bits_left};
    run_grid(seed, {COUNTERS, COUNT_PIECES_THREADS, sizeof(PieceCounts)}, count_pieces_kernel<uint64_t>, keys.data(), entry,
             pieces);
    for (size_t index = 0; is_learnt() && index < keys.size(); index++)
      windows[index] = pieces.window(found[index], KeyDistance(extremes)(keys[index]), index);
  }

  bool is_learnt() const {
    return extremes.is_learnt != 0;
  }
};

constexpr size_t WINDOWED_KEYS = 1 << 15;
constexpr uint32_t WINDOWED_BITS = 15;

/* Keys of which upper bits tell little. */
enum class Crowd { outliers, ends, clusters, powers, frequent, nested };
constexpr int CROWDS = 6;

uint64_t crowded_key(Crowd crowd, uint64_t &state) {
  const uint64_t random = host_random(&state);
  switch (crowd) {
  case Crowd::outliers:
    return uint64_t{1} << 40 | (random % 3 == 0 ? 500 : random % 1000); // a value that many have, and others close to it
  case Crowd::ends:
    return (random >> 63 != 0 ? UINT64_MAX - 100000 : 0) + random % 100000;
  case Crowd::clusters:
    return (random % 5 + 1) * 0x2347ABCDEF012345 + (random >> 32) % 300; // wraps around
  case Crowd::powers:
    return random >> random % 60;
  case Crowd::frequent:
    return random % 3 == 0 ? uint64_t{1} << 30 : random >> (20 + random % 30);
  default:
    return (random & 3) << 62 | (random >> 2 & 3) << 40 | (random >> 4 & 3) << 20 | random >> 60;
  }
}

std::vector<uint64_t> crowded_keys(Crowd crowd, uint64_t seed) {
  std::vector<uint64_t> keys(WINDOWED_KEYS);
  for (uint64_t &key : keys)
    key = crowded_key(crowd, seed);
  if (crowd == Crowd::outliers) {
    keys[77] = UINT64_MAX;
    keys[78] = 0;
    keys[79] = uint64_t{3} << 60; // few of a piece that is long: their windows must not be longer than may be left
    keys[80] = keys[79] + (uint64_t{1} << 40);
  }
  return keys;
}

/* Each key is in its piece, and pieces are counted. */
void must_be_counted(const Windowed &windowed) {
  std::vector<uint32_t> counts(WINDOW_PIECES);
  for (size_t index = 0; index < windowed.keys.size(); index++) {
    const uint32_t piece = windowed.found[index];
    const uint64_t distance = KeyDistance(windowed.extremes)(windowed.keys[index]);
    EACH_HOLDS(piece < WINDOW_PIECES);
    EACH_HOLDS(windowed.table.firsts[piece] <= distance);
    EACH_HOLDS(piece + 1 == WINDOW_PIECES || distance < windowed.table.firsts[piece + 1]);
    counts[piece]++;
  }
  for (uint32_t piece = 0; piece < WINDOW_PIECES; piece++)
    EACH_HOLDS(windowed.table.counts[piece] == counts[piece]);
}

/* A key of each thread says whether keys crowd, and a block has few threads here: now and then a round is missed, and which it is hangs on
   who comes first. So pieces need not be learnt each time, but more often than not. */
bool is_mostly_learnt(size_t learnt, size_t rounds) {
  return rounds > 0 && learnt > rounds / 2;
}

/* Windows fit their items, and rise as keys do and, of equal keys, as positions; those of keys that differ by more are not the same. */
void must_rise(const Windowed &windowed) {
  std::vector<size_t> order(windowed.keys.size());
  for (size_t index = 0; index < order.size(); index++)
    order[index] = index;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return windowed.keys[a] < windowed.keys[b]; });
  uint64_t first = 0; // of the keys that have the same window
  for (size_t rank = 0; rank < order.size(); rank++) {
    const uint64_t key = windowed.keys[order[rank]];
    const uint64_t window = windowed.windows[order[rank]];
    const uint64_t before = rank == 0 ? 0 : windowed.windows[order[rank - 1]];
    EACH_HOLDS(window >> (64 - windowed.low_bits) == 0);
    EACH_HOLDS(before <= window);
    if (rank == 0 || before != window)
      first = key;
    EACH_HOLDS((KeyDistance(windowed.extremes)(key) - KeyDistance(windowed.extremes)(first)) >> windowed.bits_left == 0);
  }
}

/* _i: the keys. */
START_TEST(windows_by_pieces_rise) {
  const Crowd crowd = static_cast<Crowd>(_i);
  size_t rounds = 0;
  size_t learnt = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++)
    for (const uint32_t low_bits : {WINDOWED_BITS, 26u, 32u})
      for (const uint32_t bits_left : {29u, MOST_BITS_LEFT}) {
        if (bits_left < low_bits + LEARNT_EXCESS_BITS) // no plan has so few
          continue;
        const Windowed windowed(crowded_keys(crowd, seed), low_bits, seed, true, bits_left);
        rounds++;
        if (!windowed.is_learnt())
          continue;
        learnt++;
        must_be_counted(windowed);
        must_rise(windowed);
      }
  ck_assert(crowd == Crowd::nested || is_mostly_learnt(learnt, rounds));
}
END_TEST

/* No sixteenth of the windows has half as many keys again as another would, nor do many keys share one. _i: the keys. */
START_TEST(windows_by_pieces_are_spread_evenly) {
  constexpr uint32_t PART_BITS = 4;
  const Crowd crowd = static_cast<Crowd>(_i);
  size_t learnt = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    const Windowed windowed(crowded_keys(crowd, seed), WINDOWED_BITS, seed);
    if (!windowed.is_learnt())
      continue;
    learnt++;
    size_t parts[1u << PART_BITS] = {};
    for (const uint64_t window : windowed.windows)
      parts[window >> (64 - WINDOWED_BITS - PART_BITS)]++;
    for (const size_t part : parts)
      ck_assert_uint_lt(part, (WINDOWED_KEYS >> PART_BITS) * 3 / 2);
    std::vector<uint64_t> sorted = windowed.windows;
    std::sort(sorted.begin(), sorted.end());
    for (size_t index = MOST_RUN_KEYS; index < sorted.size(); index++)
      EACH_HOLDS(sorted[index] != sorted[index - MOST_RUN_KEYS]);
  }
  ck_assert(is_mostly_learnt(learnt, SEEDS));
}
END_TEST

/* They are not learnt of keys that are spread evenly, nor of a few values, nor where all are told apart; of uneven ones if it is asked
   for; and of close ones, unless they are as close within pieces. */
START_TEST(pieces_are_for_keys_that_crowd) {
  const uint64_t seed = static_cast<uint64_t>(_i) + 1;
  uint64_t state = seed;
  std::vector<uint64_t> random(WINDOWED_KEYS);
  std::vector<uint64_t> distinct(WINDOWED_KEYS);
  std::vector<uint64_t> small(WINDOWED_KEYS);
  std::vector<uint64_t> uneven(WINDOWED_KEYS);
  std::vector<uint64_t> runs(WINDOWED_KEYS);
  for (size_t index = 0; index < WINDOWED_KEYS; index++) {
    random[index] = host_random(&state);
    distinct[index] = host_random_below(&state, 4) << 60;
    small[index] = random[index] >> 30;
    uneven[index] = host_random_below(&state, 8) == 0 ? random[index] : random[index] >> 8;
    runs[index] =
        host_random_below(&state, 1000) * 0x0041000000000000 + host_random_below(&state, 1 << 10); // as many as pieces, or more
  }
  ck_assert(!Windowed(random, WINDOWED_BITS, seed).is_learnt());
  ck_assert(!Windowed(distinct, WINDOWED_BITS, seed).is_learnt());
  ck_assert(!Windowed(small, WINDOWED_BITS, seed).is_learnt());
  ck_assert(Windowed(uneven, WINDOWED_BITS, seed).is_learnt());
  ck_assert(!Windowed(uneven, WINDOWED_BITS, seed, false).is_learnt());
  ck_assert(!Windowed(runs, WINDOWED_BITS, seed).is_learnt());
  ck_assert(Windowed(crowded_keys(Crowd::ends, seed), WINDOWED_BITS, seed, false).is_learnt());
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
  tcase_add_loop_test(distances, equal_keys_have_no_distance, 0, static_cast<int>(SEEDS));
  suite_add_tcase(suite, distances);
  TCase *pieces = tcase_create("pieces");
  tcase_set_timeout(pieces, TEST_SECONDS);
  tcase_add_loop_test(pieces, windows_by_pieces_rise, 0, CROWDS);
  tcase_add_loop_test(pieces, windows_by_pieces_are_spread_evenly, 0, static_cast<int>(Crowd::nested));
  tcase_add_loop_test(pieces, pieces_are_for_keys_that_crowd, 0, static_cast<int>(SEEDS));
  suite_add_tcase(suite, pieces);
  return run_suite(suite);
}
