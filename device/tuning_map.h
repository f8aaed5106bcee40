/* SPDX-License-Identifier: MIT */
/*
 * Tuning numbers of sorts by a map, and of sorting on chip. tuning.h includes it.
 */
#ifndef CDPSORT_DEVICE_TUNING_MAP_H
#define CDPSORT_DEVICE_TUNING_MAP_H

#include "tuning_kinds.h"

namespace cdp {

/*
 * The share of a team's room that a bucket has on average, in sixteenths: where keys are spread evenly as their sample is,
 * buckets differ by chance alone (u32, 2^27 keys in buckets of 14,100: the longest had 14,900); where the lines between samples
 * say where keys are, by as much as the sample errs; beside frequent values, by all keys of one that is not quite as frequent: that
 * is also the least share, however many keys are equal.
 */
constexpr uint32_t STRAIGHT_BUCKET_SHARE = 14;
constexpr uint32_t LINES_BUCKET_SHARE = 11;
constexpr uint32_t FREQUENT_BUCKET_SHARE = 8;

/* The same of a block's room, at most, where there is no room for more buckets. */
constexpr uint32_t FULLEST_BUCKET_SHARE = 15;

/* The most buckets to a team, on average, that are worth making as many for each: of more, who has one more is not waited for
   long. */
constexpr uint32_t MAX_ROUNDED_SHARE = 10;

/* Keys of the sample that says what a map must be like, for each thread of a block that looks at it; arrays of up to so many
   keys can do with half of them, since their buckets have room to spare. And those that all blocks draw to learn the lines, for
   each bucket: with 64 its size has a standard deviation of an eighth. */
constexpr uint32_t MAP_SAMPLES_PER_THREAD = 8;
constexpr uint64_t MAX_FEW_SAMPLED_ITEMS = 1u << 24;
constexpr uint32_t MAP_SAMPLES_PER_BUCKET = 64;
constexpr uint32_t max_look_samples(const MultiwayRow &row) {
  return greatest_power_of_two(row.block_threads) * MAP_SAMPLES_PER_THREAD;
}

/* Samples are counted by as many counters as there are of them, at random: keys whose counter has so many are taken to be of a
   frequent value; and one in so many of a sample's keys may be that before a map has to know the values. Of different keys not
   one sample in 10,000 is. */
constexpr uint32_t FREQUENT_SAMPLES = 8;
constexpr uint32_t MAX_FREQUENT_SHARE = 64;

/*
 * Groups of buckets, to which the first of two steps scatters. What a tile has for one of them is written together, and so it is in
 * the second step for each bucket of a group: the fewer, the longer these runs. H200, 32-bit keys, TB/s read and written together: by
 * teams, whose tiles have 16,384, to 74 groups 2.9, to 293 2.7; to 256 buckets of a group 2.95, to 512 2.3; by blocks, whose tiles
 * have twice as many, to 586 2.2, where teams managed 1.5 (docs/lab/2026-11-28-groups-and-runs.md).
 *
 * max_coarse_buckets  the most, unless their buckets would be more than good_fine_buckets
 * good_fine_buckets   the most buckets of a group, unless groups would be more than max_team_groups
 * max_team_groups     the most to which teams scatter, each with counters of its own; as many as a group may have buckets
 * max_groups          the most at all, to which a whole block scatters as one team: so many that 2^32 keys of 8 bytes have buckets
 *                     for teams
 */
constexpr uint32_t MAX_COARSE_BUCKETS = 128;
constexpr uint32_t max_team_groups(DeviceKind kind) {
  return greatest_power_of_two(max_fine_buckets(kind));
}
constexpr uint32_t good_fine_buckets(DeviceKind kind) {
  return max_team_groups(kind) / 2;
}
constexpr uint32_t max_groups(DeviceKind kind) {
  return max_team_groups(kind) * 19 / 8;
}
constexpr uint32_t max_coarse_buckets(DeviceKind kind) {
  return max_team_groups(kind) < MAX_COARSE_BUCKETS ? max_team_groups(kind) : MAX_COARSE_BUCKETS;
}
constexpr uint32_t max_first_scatter_buckets(DeviceKind kind) {
  return max_one_scatter_buckets(kind) < max_groups(kind) ? max_groups(kind) : max_one_scatter_buckets(kind);
}

/* Whether so many groups, of a power of two of buckets each, are enough for all that are counted at once. */
constexpr bool groups_hold_all_buckets() {
  for (const DeviceKind kind : DEVICE_KINDS)
    for (uint32_t key_bytes = 4; key_bytes <= 8; key_bytes += 4)
      if (on_chip_row(kind, key_bytes).max_buckets > max_team_groups(kind) * greatest_power_of_two(max_fine_buckets(kind)))
        return false;
  return true;
}
static_assert(groups_hold_all_buckets(), "two steps reach every bucket");

/* The most buckets of a map: of longer arrays groups are counted first, and then the buckets of the groups. */
constexpr uint32_t most_map_buckets(DeviceKind kind, uint32_t key_bytes) {
  const uint32_t at_once = on_chip_row(kind, key_bytes).max_buckets;
  const uint32_t by_groups = max_groups(kind) * greatest_power_of_two(max_fine_buckets(kind));
  return at_once < by_groups ? by_groups : at_once;
}

/* The most keys of an array that is divided by a map: their positions are 32-bit numbers. */
constexpr uint64_t MAX_MAPPED_ITEMS = uint64_t{1} << 32;

/* Samples that lines are learnt from, at most. */
constexpr uint32_t MAX_DRAWN_SAMPLES = 1u << 22;

/* Frequent values: the counters by which they are found, for each of the most buckets there may be, which must be zeroed: one of
   them has 4 samples on average, and 24 make a value frequent; how often one is moved from one of its places to the other before it
   is lost; and the share of a bucket's samples, in sixteenths, that makes a value one. */
constexpr uint32_t SEARCHED_PER_BUCKET = 11;
constexpr uint32_t MAX_SLOT_ROUNDS = 32;
constexpr uint32_t FREQUENT_SIXTEENTHS = 6;

/* How often that share is doubled for a value to be listed again: where there is no room for all, the most frequent are taken.
   */
constexpr uint32_t FREQUENT_LEVELS = 16;

/* Keys of a frequent value that a team writes at a time: a bucket's worth, which takes about as long as to ask for the next. */
constexpr uint32_t FREQUENT_PIECE_ITEMS = 1u << 13;

/* Bytes of keys that a thread has on their way while it looks whether an array is in order: those of 32 warps, 64 KB, are twice
   what device memory needs to be kept busy. */
constexpr uint32_t LOOK_BYTES = 64;

/* Groups of offsets that a sample's spread is judged by, and how many times the expected sum of squares is still even: 64
   groups have a standard deviation of 0.18. */
constexpr uint32_t SPREAD_GROUPS = 64;
constexpr uint32_t MAX_SPREAD_SQUARES = 2;

/* Keys that are not spread evenly are taken by octaves where the groups of those are so many times more even. */
constexpr uint32_t MIN_OCTAVE_GAIN = 2;

/* Of all keys, one in so many may be in long buckets, too long to be sorted on chip by a block: more, and the map is given up for
   splitters. A bucket so short that each block would have so many of its length, were all keys in such, counts for a part of its keys: if
   all blocks have some of those to divide, it takes about as long as tasks would, and a third of that where its keys are equal. */
constexpr uint32_t MAX_LONG_SHARE = 8;
constexpr uint32_t MIN_LONG_BUCKETS = 8;
constexpr uint32_t LONG_BUCKET_WEIGHT = 6;

/* Buckets that are too long for a team, to a block, from which on one is taken ahead of its turn. */
constexpr uint32_t MANY_LONG_BUCKETS = 4;

/* A tile of which one bucket has a share of one in so many takes places in it by leaders, one for all lanes of a bucket, for so
   many buckets of a warp. */
constexpr uint32_t CROWDED_SHARE = 4;
constexpr uint32_t CROWDED_ROUNDS = 4;

/* Arrays of one block with more than one in so many of a tile's keys are sorted on chip; shorter ones are merged, which takes
   no time for cells that would be empty. H200: 2^13 and 2^14 keys of 32 bits took 18 and 30 us merged, 11 and 14 on chip,
   launches included; 2^12 and 2^13 of 64 bits 18 and 31, and 11 and 14. */
constexpr uint32_t MERGED_TILE_SHARE = 8;

/* Keys that a window sorts in a thread's registers. */
constexpr uint32_t WINDOW_ITEMS = 16;

/* Keys are crowded where one in so many is in a cell of so many, of equal width or of guessed ranks; and where, of pairs of
   neighbours that share such a cell, so many eighths differ: of keys of two values it is a half, and their cells are better sorted
   by warps. H200, one block, u32, 2^14 keys: two extreme values beside random keys took 55 us with 4 eighths, 36 with 5; sparse
   bits 50 with 5, 85 with 6. Keys of two values to a cell of 16 to 24 are put in order by windows sooner than by other cells: 209
   and 237 us, 2^24 keys. Of guessed ranks, as many as rounds of windows can cope with: of 64 bits, strings of digits took 495 us
   with 64, and 660 with 128; and 3 eighths, since what has been staged anew is known to differ: letters of 32 bits took 204 us,
   with 5 eighths 234 (docs/lab/2026-11-24-guessed-ranks.md). Where ranks can be guessed again, it takes fewer for that: clusters took
   a block 42 us with 16, 55 with 32 and 68 with 64, wide clusters 27, 33 and 33, and digits 39, 36 and 36
   (docs/lab/2026-11-27-ranks-guessed-again.md). */
constexpr uint32_t MIN_CROWDED_SHARE = 4;
constexpr uint32_t MANY_BY_WIDTH = 24;
constexpr uint32_t MANY_BY_RANK = 4 * WINDOW_ITEMS;
constexpr uint32_t MANY_TO_RANK_AGAIN = WINDOW_ITEMS;
constexpr uint32_t DIFFERENT_BY_WIDTH = 5;
constexpr uint32_t DIFFERENT_BY_RANK = 3;

/* A cell of one in so many keys of a block's bucket is filled with a value, if more eighths of its keys have it. With fewer, keys would
   no longer be taken for crowded, since those of the value are neighbours then, and the others too many for windows. */
constexpr uint32_t MIN_FULL_SHARE = 4;
constexpr uint32_t MIN_FILLED_EIGHTHS = 5;

/* Rounds of windows and seams that a bucket may take before its crowded cells are sorted one by one, and lanes of a warp that
   may see disorder behind the second and later ones. Random keys take one round, rarely two, for the sake of a lane or two. */
constexpr uint32_t MAX_WINDOW_ROUNDS = 4;
constexpr uint32_t MAX_DISORDERED_LANES = 8;

/* Crowded cells, of those that a warp looks at, that are sorted before further rounds, and that are worth sorting behind them.
   And that are if most of them are long, which no round would mend: of two values each they take a team 20 us, where a merge
   takes 25 (H200, docs/lab/2026-11-26-crowded-cells.md). */
constexpr uint32_t FEW_CROWDED_CELLS = 3;
constexpr uint32_t MAX_CROWDED_CELLS = 4;
constexpr uint32_t MAX_LONG_CELLS = 8;

/* Of a cell that is too crowded for windows: the most values that a warp takes out of it, each of many keys, how many of a
   sample of a key to a lane must have one that is worth it, and how many values of the sample are counted. */
constexpr uint32_t MAX_TAKEN_VALUES = 4;
constexpr uint32_t MIN_TAKEN_SAMPLES = 5;
constexpr uint32_t TRIED_VALUES = 8;

/* Of cells of more halves of a key for each thread of a team, one after the other, all warps take values out. H200, k-mers
   of 32 bits, sorted on chip, by teams from 512 keys on: three cells of 1,024 to a bucket, 143 us in place of 151; five of 512, 91 in place
   of 80 (docs/lab/2026-11-28-equal-keys.md). */
constexpr uint32_t SETTLED_CELL_HALVES = 3;

} // namespace cdp

#endif
