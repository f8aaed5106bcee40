/* SPDX-License-Identifier: MIT */
/*
 * The tuning numbers of the sort, one row for each runtime and key size. Each says what it means, what constrains it, and where
 * it was measured (docs/lab has the figures). Plain constants: no kernel code here.
 */
#ifndef CDPSORT_DEVICE_TUNING_H
#define CDPSORT_DEVICE_TUNING_H

#include <cstdint>
#include <type_traits>

namespace cdp {

/* Lanes of a warp, on every device there is. */
constexpr uint32_t WARP_LANES = 32;

/*
 * The shape of a block and its tiles.
 *
 * block_threads              threads of every block that sorts: a multiple of WARP_LANES, at most 512.
 * resident_blocks            blocks that a multiprocessor must have registers for: 65,536 / (threads * blocks) is what a
 *                            thread may have, which the build tells nvcc as -maxrregcount, for functions that kernels call.
 * tile_items_per_thread      items of a partition tile a thread holds in registers; a multiple of the items in 16 bytes. At
 *                            most 65,535 items a tile, for the two 16-bit counts that are summed as one.
 * leaf_items_per_lane        items of the largest leaf that a lane of the warp that sorts it holds; 8, 16 or 32.
 * blocks_per_multiprocessor  blocks of a partition grid for each multiprocessor, at most: enough to fill the card, so that a
 *                            block loops over its tiles rather than being launched anew for each.
 * tiles_per_block            tiles that a block of a partition grid should have to do, at least: a grid is not worth more
 *                            blocks. u32, 2^27 keys: 9.5, 9.0 and 8.7 ms with 2, 4 and 8 on an H200.
 */
struct TuningRow {
  uint32_t block_threads;
  uint32_t resident_blocks;
  uint32_t tile_items_per_thread;
  uint32_t leaf_items_per_lane;
  uint32_t blocks_per_multiprocessor;
  uint32_t tiles_per_block;
};

/* clang-format off */
constexpr TuningRow CUDA_4_BYTES      = {512, 2, 16, 32, 4, 8};
constexpr TuningRow CUDA_8_BYTES      = {512, 2,  8, 16, 4, 8};
/* The simulated device pays for every thread at every barrier, so its blocks are small; it has several warps and several tiles
   to a task all the same, for that is where the mistakes are. */
constexpr TuningRow SIMULATED_4_BYTES = { 96, 1,  8, 32, 2, 2};
constexpr TuningRow SIMULATED_8_BYTES = { 96, 1,  8, 16, 2, 2};
/* clang-format on */

constexpr TuningRow tuning_row(bool simulated, uint32_t key_bytes) {
  if (simulated)
    return key_bytes == 4 ? SIMULATED_4_BYTES : SIMULATED_8_BYTES;
  return key_bytes == 4 ? CUDA_4_BYTES : CUDA_8_BYTES;
}

constexpr uint32_t greatest_power_of_two(uint32_t most) {
  uint32_t power = 1;
  while (power <= most / 2)
    power *= 2;
  return power;
}

constexpr uint32_t floor_log2(uint32_t number) {
  uint32_t bits = 0;
  while (number >> bits > 1)
    bits++;
  return bits;
}

constexpr uint32_t tile_items(const TuningRow &row) {
  return row.block_threads * row.tile_items_per_thread;
}

constexpr uint32_t leaf_items(const TuningRow &row) {
  return WARP_LANES * row.leaf_items_per_lane;
}

/* Lanes' samples for a pivot: a task's pivot decides about a whole level of the recursion (512 samples put it within 2.2 % of
   the median, one standard deviation), a block's own only about the next few microseconds (128: within 4.4 %), a warp's about
   less (64: within 6.2 %). */
constexpr uint32_t TASK_SAMPLES_PER_LANE = 16;
constexpr uint32_t BLOCK_SAMPLES_PER_LANE = 4;
constexpr uint32_t WARP_SAMPLES_PER_LANE = 2;

/* A piece is what one warp of a block sorts by itself: at most this many leaves, and no more than leaves this many pieces to a
   range that the block sorts, so that all its warps have some. u32, 2^27 keys: 9.9, 9.5 and 9.4 ms with at most 4, 8 and 16
   leaves. */
constexpr uint32_t WARP_LEAVES = 16;
constexpr uint32_t PIECES_PER_BLOCK = 32;

/* A warp's stack halves the range at hand from entry to entry, and a leaf is not partitioned: 5 entries at most. They lie in
   the registers of as many lanes. */
static_assert(WARP_LEAVES < 1u << (WARP_LANES - 1), "a lane for each entry");

/* Pieces that a block lets gather before its warps sort them side by side: some for each warp, so that no warp idles for
   long. */
constexpr uint32_t BLOCK_PIECE_ENTRIES = 64;

/* Ranges that a block has still to partition. It takes the shorter part first, so entry k is no longer than the whole range
   halved k - 1 times: 48 are enough for any count that can be addressed. */
constexpr uint32_t BLOCK_STACK_ENTRIES = 48;

/* A partition by count, scan and scatter: shares that a thread scans at a time. A GPU has some thousand shares: more to a
   thread are fewer rounds of barriers. */
constexpr uint32_t SCAN_ITEMS_PER_THREAD = 4;

/*
 * The blocks of the many-way partition, one row for each kind of device and key size.
 *
 * block_threads          threads of every such block; at most 1,024, which is a whole multiprocessor at 64 registers a thread.
 * tile_items_per_thread  items of a tile that a thread holds in registers; at most 65,535 a tile, for 16-bit places. The tile
 *                        is staged in shared memory.
 * max_tiles             tiles of a range that one block sorts by itself: their table lies in shared memory. At most 32.
 *                        With 28 a block for 64-bit keys stays within a split of 164 KB, which leaves 92 KB of cache.
 * samples_per_thread     keys of a block's sample that a thread draws, at most. A sample is sorted where the tile and its
 *                        tables will be.
 * task_samples_per_thread
 *                        keys of a task's sample that a thread draws, at most: a task may have more buckets, and 1,024 should
 *                        have 16 keys each.
 */
struct MultiwayRow {
  uint32_t block_threads;
  uint32_t tile_items_per_thread;
  uint32_t max_tiles;
  uint32_t samples_per_thread;
  uint32_t task_samples_per_thread;
};

/*
 * Kinds of devices, by how much shared memory a block may have:
 *
 * small   96 KB at least: compute capability 7.0, 7.2, 8.6, 8.9, 12.x, and whatever is not known.
 * medium  163 KB: 8.0 and 8.7.
 * large   227 KB: 9.0 to 11.x.
 *
 * The numbers of the large kind were measured on an H200. Those of small and medium are reckoned: they are what fits, in the
 * proportions that were best there, and no device of these kinds has been measured.
 *
 * A kind is a row in each of multiway_row(), on_chip_row() and map_row(), a line in for_kind(), and one of DEVICE_KINDS.
 */
enum class DeviceKind : uint32_t { simulated, small, medium, large };
constexpr DeviceKind DEVICE_KINDS[] = {DeviceKind::simulated, DeviceKind::small, DeviceKind::medium, DeviceKind::large};

/* The kind of device that kernels are for. architecture: what they are compiled for, as __CUDA_ARCH__ counts it (900: 9.0).
   This alone decides, for the kernels themselves and for the host, so that both speak of the same sizes. The build can force
   one kind upon all architectures (CDPSORT_DEVICE_KIND), to try it on a device that has room for it. */
constexpr DeviceKind device_kind_of([[maybe_unused]] uint32_t architecture) {
#ifdef CDPSORT_FORCED_KIND
  return DeviceKind::CDPSORT_FORCED_KIND;
#else
  if (architecture == 800 || architecture == 870)
    return DeviceKind::medium;
  return architecture >= 900 && architecture < 1200 ? DeviceKind::large : DeviceKind::small;
#endif
}

/* Calls `use` with the kind as a type, whose `value` is a constant, and returns what that returns. For the host, which must
   know the sizes of kinds that it is not compiled for. */
template <typename Use>
constexpr auto for_kind(DeviceKind kind, Use use) {
  switch (kind) {
  case DeviceKind::simulated:
    return use(std::integral_constant<DeviceKind, DeviceKind::simulated>{});
  case DeviceKind::small:
    return use(std::integral_constant<DeviceKind, DeviceKind::small>{});
  case DeviceKind::medium:
    return use(std::integral_constant<DeviceKind, DeviceKind::medium>{});
  case DeviceKind::large:
    break;
  }
  return use(std::integral_constant<DeviceKind, DeviceKind::large>{});
}

/* clang-format off */
constexpr MultiwayRow multiway_row(DeviceKind kind, uint32_t key_bytes) {
  switch (kind) {
  case DeviceKind::simulated:
    return key_bytes == 4 ? MultiwayRow{  96, 16,  9, 8, 16} : MultiwayRow{  96, 8,  8, 8, 16};
  case DeviceKind::small:
    return key_bytes == 4 ? MultiwayRow{1024,  8, 12, 4,  8} : MultiwayRow{1024, 4,  8, 4,  4};
  case DeviceKind::medium: // the large kind's tiles fit, with 270 bytes to spare
  case DeviceKind::large:
    break;
  }
  return key_bytes == 4 ? MultiwayRow{1024, 16, 32, 8, 16} : MultiwayRow{1024, 8, 28, 8, 16};
}
/* clang-format on */

/*
 * On-chip sorting, and the counting of its buckets, one row for each kind of device and key size.
 *
 * teams             teams of a block, each with a bucket and barriers of its own, so that one's reading and writing hides the
 *                   other's arithmetic: in a prototype, u32, 2^27 keys took 0.64, 0.56 and 0.51 ms with 1, 2 and 4 teams, but
 *                   the more and shorter buckets of four cost the scatters more than that.
 * items_per_thread  keys that a thread of a team holds: a team's bucket, which lies in shared memory with its cells.
 * cells             counters of a team. Half as many as keys: more are scanned longer, fewer leave more to the windows. Every
 *                   warp scans as many, four to a lane at a time.
 * max_buckets       counters of all buckets of a mapped array, which lie in a block's shared memory together: the more, the
 *                   longer an array may be whose buckets are counted at once.
 * tile_cells        the counters of a block that sorts no more than a tile: half as many as its keys, too, and as many for each
 *                   warp.
 * block_items_per_thread, block_cells
 *                   the same of a whole block that is one team, for a short array's bucket. That has half of its room on
 *                   average, so that a quarter as many counters as there is room for keys will do (medium, 64-bit keys).
 *
 * A thread's keys are a power of two, since they may have to be merged. 163 KB is 640 bytes too little for two teams with
 * buckets as long as the large kind's and a quarter as many counters: the medium kind's are half as long.
 */
struct OnChipRow {
  uint32_t teams;
  uint32_t items_per_thread;
  uint32_t cells;
  uint32_t max_buckets;
  uint32_t tile_cells;
  uint32_t block_items_per_thread;
  uint32_t block_cells;
};

/* clang-format off */
constexpr OnChipRow on_chip_row(DeviceKind kind, uint32_t key_bytes) {
  switch (kind) {
  case DeviceKind::simulated:
    return key_bytes == 4 ? OnChipRow{3,  8,  256,   640,  384, 32,  1536} : OnChipRow{1,  8,  384,   640,  384, 16,  768};
  case DeviceKind::small:
    return key_bytes == 4 ? OnChipRow{2, 16, 2048, 16384, 4096, 16,  4096} : OnChipRow{2,  8, 2048, 16384, 4096,  8, 4096};
  case DeviceKind::medium:
    return key_bytes == 4 ? OnChipRow{2, 16, 4096, 28160, 8192, 16,  8192} : OnChipRow{2,  8, 2048, 32256, 4096, 16, 4096};
  case DeviceKind::large:
    break;
  }
  return key_bytes == 4 ? OnChipRow{2, 32, 8192, 36352, 8192, 32, 16384} : OnChipRow{2, 16, 4096, 38400, 4096, 16, 8192};
}
/* clang-format on */

/* The most keys of a team's bucket; of the tile of a map's grids, which has as many to a thread; and of a block that is one
   team. */
constexpr uint32_t on_chip_items(const MultiwayRow &row, const OnChipRow &on_chip) {
  return row.block_threads / on_chip.teams * on_chip.items_per_thread;
}
constexpr uint32_t map_tile_items(const MultiwayRow &row, const OnChipRow &on_chip) {
  return row.block_threads * on_chip.items_per_thread;
}
constexpr uint32_t on_chip_block_items(const MultiwayRow &row, const OnChipRow &on_chip) {
  return row.block_threads * on_chip.block_items_per_thread;
}

/*
 * The share of a team's room that a bucket has on average, in sixteenths: where keys are spread evenly as their sample is,
 * buckets differ by chance alone (u32, 2^27 keys in buckets of 14,100: the longest had 14,900); where the lines between samples
 * say where keys are, by as much as the sample errs; beside frequent values, by all keys of one that is not quite as frequent.
 */
constexpr uint32_t STRAIGHT_BUCKET_SHARE = 14;
constexpr uint32_t LINES_BUCKET_SHARE = 11;
constexpr uint32_t FREQUENT_BUCKET_SHARE = 8;

/* The same of a block's room, at most, where there is no room for more buckets. */
constexpr uint32_t FULLEST_BUCKET_SHARE = 15;

/* The most buckets to a team, on average, that are worth making as many for each: of more, who has one more is not waited for
   long. */
constexpr uint64_t MAX_ROUNDED_SHARE = 10;

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
 * Maps, one row for each kind of device; pairs are of 32-bit and 64-bit keys.
 *
 * min_items         the shortest array that is divided by a map; shorter ones are sorted as short_array.cuh says, which must be
 *                   possible. H200, random keys: 2^21 and 1.5 * 2^21 of 32 bits took 71 and 123 us as short ones, 89 and 94 by
 *                   a map; 2^20 and 2^21 of 64 bits 65 and 152, and 87 and 105. Small, 64-bit keys: short ones end at 2^20.
 * frequent_slots    the room for frequent values that a map knows, in places of which half can be used: a power of two.
 * max_one_scatter   the most buckets that are scattered to at once; more are in two steps. H200: 2^25 keys of 32 bits, in 2,376
 *                   buckets, took 459 us at once and 509 in two steps; 2^24 of 64 bits 418 and 466.
 * max_fine_buckets  the most buckets of a group, to which the second of two steps scatters.
 */
struct MapRow {
  uint32_t min_items[2];
  uint32_t frequent_slots[2];
  uint32_t max_one_scatter;
  uint32_t max_fine_buckets;
};

/* clang-format off */
constexpr MapRow map_row(DeviceKind kind) {
  switch (kind) {
  case DeviceKind::simulated:
    return {{         40000,         40000}, { 128,   64},   96,  32};
  case DeviceKind::small:
    return {{(1u << 21) + 1, (1u << 20) + 1}, { 512,  256},  640, 128};
  case DeviceKind::medium:
    return {{(1u << 21) + 1,       3u << 19}, {4096, 1024}, 2508, 512};
  case DeviceKind::large:
    break;
  }
  return   {{(1u << 21) + 1,       3u << 19}, {4096, 2048}, 2508, 512};
}
/* clang-format on */

constexpr uint32_t min_mapped_items(DeviceKind kind, uint32_t key_bytes) {
  return map_row(kind).min_items[key_bytes == 4 ? 0 : 1];
}
constexpr uint32_t frequent_slots(DeviceKind kind, uint32_t key_bytes) {
  return map_row(kind).frequent_slots[key_bytes == 4 ? 0 : 1];
}
constexpr uint32_t max_one_scatter_buckets(DeviceKind kind) {
  return map_row(kind).max_one_scatter;
}
constexpr uint32_t max_fine_buckets(DeviceKind kind) {
  return map_row(kind).max_fine_buckets;
}

/*
 * Groups of buckets, to which the first of two steps scatters. Fewer have longer runs to write.
 *
 * max_coarse_buckets  the most where a block has room to count all buckets at once: no more than there need be
 * max_team_groups     the most to which teams scatter, each with counters of its own; as many as a group may have buckets
 * max_groups          the most at all, to which a whole block scatters as one team: so many that 2^32 keys have buckets for teams
 */
constexpr uint32_t MAX_COARSE_BUCKETS = 128;
constexpr uint32_t max_team_groups(DeviceKind kind) {
  return greatest_power_of_two(max_fine_buckets(kind));
}
constexpr uint32_t max_groups(DeviceKind kind) {
  return max_team_groups(kind) * 5 / 4;
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
      if (on_chip_row(kind, key_bytes).max_buckets > max_coarse_buckets(kind) * greatest_power_of_two(max_fine_buckets(kind)))
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

/* The same where the host launches: of groups that teams scatter to. */
constexpr uint32_t most_team_buckets(DeviceKind kind, uint32_t key_bytes) {
  const uint32_t at_once = on_chip_row(kind, key_bytes).max_buckets;
  const uint32_t by_groups = max_team_groups(kind) * greatest_power_of_two(max_fine_buckets(kind));
  return at_once < by_groups ? by_groups : at_once;
}

/* The most keys of an array that is divided by a map: their positions are 32-bit numbers. */
constexpr uint64_t MAX_MAPPED_ITEMS = uint64_t{1} << 32;

/* Samples that lines are learnt from, at most. */
constexpr uint32_t MAX_DRAWN_SAMPLES = 1u << 22;

/* Frequent values: the counters by which they are found, for each bucket, which must be zeroed: one of them has 4 samples on
   average, and 24 make a value frequent; how often one is moved from one of its places to the other before it is lost; and the
   share of a bucket's samples, in sixteenths, that makes a value one. */
constexpr uint32_t SEARCHED_PER_BUCKET = 16;
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

/* Of all keys, one in so many may be in buckets that are too long to be sorted on chip by a block: more, and the map is given up
   for splitters. */
constexpr uint32_t MAX_LONG_SHARE = 8;

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

/* Rounds of windows and seams that a bucket may take before its crowded cells are sorted one by one, and lanes of a warp that
   may see disorder behind the second and later ones. Random keys take one round, rarely two, for the sake of a lane or two. */
constexpr uint32_t MAX_WINDOW_ROUNDS = 4;
constexpr uint32_t MAX_DISORDERED_LANES = 8;

/* Crowded cells, of those that a warp looks at, that are sorted before further rounds, and that are worth sorting behind them.
   */
constexpr uint32_t FEW_CROWDED_CELLS = 3;
constexpr uint32_t MAX_CROWDED_CELLS = 32;

/* Of a cell that is too crowded for windows: the most values that a warp takes out of it, each of many keys, and how many of a
   sample of a key to a lane must have one that is worth it. */
constexpr uint32_t MAX_TAKEN_VALUES = 4;
constexpr uint32_t MIN_TAKEN_SAMPLES = 5;

constexpr uint32_t multiway_tile_items(const MultiwayRow &row) {
  return row.block_threads * row.tile_items_per_thread;
}

/* A range's tiles may begin a little before it: hence one tile less. */
constexpr uint32_t max_range_items(const MultiwayRow &row) {
  return (row.max_tiles - 1) * multiway_tile_items(row);
}

/* The most keys of a block's sample. A power of two of threads sorts it. */
constexpr uint32_t max_samples(const MultiwayRow &row) {
  return greatest_power_of_two(row.block_threads) * row.samples_per_thread;
}

/* The many-way partition: the most and the least buckets of one. Two arrays of as many counters and a search tree lie in shared
   memory; more buckets mean shorter runs to write. */
constexpr uint32_t MAX_BUCKETS = 1024;
constexpr uint32_t MIN_FAN_OUT = 8;

/* The most buckets of a task: as many as its blocks' samples can tell apart. */
constexpr uint32_t max_fan_out(const MultiwayRow &row) {
  return max_samples(row) / 2 < MAX_BUCKETS ? max_samples(row) / 2 : MAX_BUCKETS;
}

/* Keys drawn for each bucket of a block. With 4 a bucket's size has a standard deviation of half its mean, which costs little,
   since buckets are grouped to fill leaves; with 2, too many are longer than a leaf. */
constexpr uint32_t BLOCK_OVERSAMPLING = 4;

/* Short arrays: items to a thread of a tile where tiles of more would leave multiprocessors without one. Measured: 2^17 keys of
   32 bits took 44.8 us with 4, 55.3 with 16. */
constexpr uint32_t SHORT_TILE_ITEMS = 4;

/* Keys that a thread has under way at a time when it gathers a bucket of a short array. Measured on an H200: with 4, 2^15 to
   2^20 keys of 32 bits took 1.5 to 3 % longer than with 8; with 64 bits no difference was to be seen. */
constexpr uint32_t SHORT_LOADS = 8;

/* A bucket of a short array that fits no block's registers, but is of no more tiles than this, is sorted by one block, side by
   side with all others. Of longer ones each becomes a task, whose launches take some 100 us, one after the other. */
constexpr uint32_t SHORT_TILES_BEHIND = 16;

/* Buckets that should fit a leaf, so that groups of them fill it well: on average they leave half a bucket free. */
constexpr uint32_t BUCKETS_PER_LEAF = 8;

/* Ranges for one block are put in order of size by so many classes, the longest first, so that none is still at work when all
   others are done. At most MAX_BUCKETS, whose counters they use. */
constexpr uint32_t SIZE_CLASSES = 64;

/* A bucket of up to so many leaves is still one warp's, unless leaves are asked for as they are (cdp_plan::bitonic_leaf). A
   sample makes longer ones rare. */
constexpr uint32_t LONG_BUCKET_LEAVES = 4;

/* Items to a thread up to which a block sorts a range in its registers (block_merge.cuh) rather than by a sample, where many
   ranges are to be sorted; unless cdp_plan::bitonic_leaf. With a tile's the whole sort was 2 to 3 % slower, measured together
   with smaller groups, the two not told apart. */
constexpr uint32_t MERGED_ITEMS_PER_THREAD = 4;

/* Buckets that one thread groups: each of them ends with a group that is not full. */
constexpr uint32_t BUCKETS_PER_SEARCH = 64;

/* Equal items that are worth a grid of their own to be written; fewer are written by the block at hand. One block writes about
   50 GB/s, a launch costs about 20 microseconds: a megabyte. */
constexpr uint64_t FILL_GRID_ITEMS = 1u << 18;

/* Kernels that are launched from the device: three for each key width, with the hooks of study.h and without
   (recursion/kernels.cuh). A test counts them in the built library. */
constexpr uint32_t LAUNCHED_KERNELS = 12;

/* CUDA loses a grid now and then where the kernels that are launched from the device, counting so many pending launches for
   each, exceed the pending-launch limit; however many are pending (samples/lost_trees prints the table, docs/known-issues.md).
   */
constexpr uint32_t LAUNCH_SLOTS_PER_KERNEL = 128;

/* The least pending-launch limit under which sorts launch from the device. CUDA's own is 2,048: room for four kernels of
   others. */
constexpr uint32_t PENDING_LIMIT_MIN = LAUNCH_SLOTS_PER_KERNEL * LAUNCHED_KERNELS;

/* ---- The plan (plan.cpp): depths, ranges, paths, room ------------------------------------------------------------------- */

/*
 * The default depth limit is DEPTH_PER_LOG * ceil(log2(count)) + DEPTH_EXTRA: with fair pivots a range is small enough after
 * log2(count / block_items) partitions; twice log2(count) is introsort's patience with unfair ones, and keeps the worst case at
 * O(n log^2 n). The extra levels are for short arrays.
 *
 * A limit that is asked for counts as MAX_DEPTH_PER_LOG * ceil(log2(count)) at most: with keys in order and the first of them
 * for a pivot each level takes away one key, and a limit of 10^6 would mean O(n^2).
 */
constexpr uint32_t DEPTH_PER_LOG = 2;
constexpr uint32_t DEPTH_EXTRA = 8;
constexpr uint32_t MAX_DEPTH_PER_LOG = 4;

/* Levels that the host launches beyond those that fair splitters take. Not measured: a range longer than twice a fair one is
   rare with TASK_OVERSAMPLING keys to a bucket, and one more level divides it by its fan-out. */
constexpr uint32_t SPARE_HOST_LEVELS = 1;

/* The same two ways, where pivots are medians of samples. The longest of 256 parts has some 1.4 times the average's items, so
   that two would do for random keys; a level that has nothing to do costs 3 to 5 us, and a range that is left over the bitonic
   network. u32, 2^25 keys: 1.10 times the last block's time with 17 spare levels (docs/lab/2026-11-22-one-machinery.md). */
constexpr uint32_t SPARE_TWO_WAY_HOST_LEVELS = 8;

/* And the tiles that a block of such a level has to do, below the whole array: fewer are more blocks that may find nothing to
   do, more are slower blocks to wait for. As of a block of a partition grid (tiles_per_block). */
constexpr uint32_t LEVEL_TILES_PER_BLOCK = 8;

/* The classic recursion: most leaves of a range that one block finishes by itself. More would keep some multiprocessors busy
   after the others; fewer make more and smaller grids, each of which costs its launch: u32, 2^27 keys took 6.35, 5.99, 5.70,
   5.73 and 5.72 ms with 192, 256, 320, 384 and 496 (docs/lab/2026-11-24-older-measurements.md). */
constexpr uint32_t MAX_LEAVES_PER_BLOCK = 320;

/* Two ways: a range as deep as fair parts are short is one block's up to this many times a fair one's items. Otherwise a few
   that are a little too long become tasks, a level of launches more and one too many for the budget: u64, 2^26 keys in 512
   parts on average had 19, and of the tasks that were refused for them four were longer than a block can list, 6.8 ms for 4.9.
   */
constexpr uint32_t MAX_UNFAIR_SHARES = 2;

/* Ranges for one block are no larger than would give every multiprocessor this many of them. With many children their number is
   a power of two, so it is the power of two below: 2^24 keys of 32 bits took 531 us in 256 ranges, which 132 multiprocessors do
   in two rounds, and 595 in 512 (docs/lab/2026-11-24-older-measurements.md). */
constexpr uint32_t BLOCKS_PER_MULTIPROCESSOR = 2;

/*
 * Many children: the ranges that one block finishes have on average so many items that the block has RANGE_LEAVES_FACTOR
 * buckets to a leaf left at least, but that every multiprocessor has BLOCKS_PER_MULTIPROCESSOR ranges; a tile divided by
 * MIN_TILE_SHARE at least. u32, 2^27 keys, with 2^17 and 2^18 items, which is 8 and 4 buckets to a leaf: counting took 0.33 and
 * 0.28 ms, scattering 0.81 and 0.71, finishing 1.89 and 1.87 (docs/lab/2026-11-24-older-measurements.md).
 */
constexpr uint32_t RANGE_LEAVES_FACTOR = 2;
constexpr uint32_t MIN_TILE_SHARE = 4;

/* And no more than this share of what one block can sort, so that hardly a range is longer; by reckoning. */
constexpr uint32_t RANGE_SHARE_NUMERATOR = 3;
constexpr uint32_t RANGE_SHARE_DENOMINATOR = 5;

/* The longest of those ranges, in averages: with a sample of 16 keys a bucket hardly one is longer. */
constexpr uint32_t MAX_RANGE_AVERAGES = 4;

/* Keys drawn for each bucket of a task. Its buckets must not be too long for one block: with 16 the standard deviation of their
   sizes is a quarter of the mean. u32, 2^27 keys: 3.24 and 3.02 ms with 8 and 16 (docs/lab/2026-11-24-older-measurements.md). */
constexpr uint32_t TASK_OVERSAMPLING = 16;

/*
 * Short arrays (recursion/short_array.cuh): the buckets that they are divided into, a block each; measured on an H200 with
 * 32-bit keys. A share divides a tile, or the room for keys of a block that sorts on chip.
 *
 * SHORT_TILE_SHARE_HALF  for arrays of up to this share of a tile to a bucket, half as many buckets as there are
 *                        multiprocessors: 2^16 keys took 39.4 us with 64 buckets, 42.1 with 128.
 * MAX_SHORT_ROOM_SHARE   the most that a bucket has on average, with a sample of MAX_SHORT_OVERSAMPLING keys to a bucket. More
 *                        buckets than multiprocessors come after each other: 2^20 keys took 75 us with 128, 85 to 92 with 256.
 * SHORT_ROOM_SHARE       the same with a smaller sample, SHORT_OVERSAMPLING or what there is room for, but no less than
 *                        MIN_SHORT_OVERSAMPLING: by reckoning one bucket in 10^7 does not fit a block then.
 */
constexpr uint32_t SHORT_TILE_SHARE_HALF = 16;
constexpr uint32_t MAX_SHORT_ROOM_SHARE = 2;
constexpr uint32_t SHORT_ROOM_SHARE = 4;
constexpr uint32_t MAX_SHORT_OVERSAMPLING = 32;
constexpr uint32_t SHORT_OVERSAMPLING = 16;
constexpr uint32_t MIN_SHORT_OVERSAMPLING = 8;

/* A depth limit with which a short array's buckets are still sorted and not left to the bitonic network. */
constexpr uint32_t MIN_SHORT_DEPTH_LIMIT = 2;

/* The same with which a mapped array's long buckets are. */
constexpr uint32_t MIN_MAP_DEPTH_LIMIT = 4;

/*
 * Room for tasks with many children: MULTIWAY_TASKS_PER_BLOCK for every block_items items, and some for short arrays. Each has
 * a set table, of 12 KB for 1,024 children and keys of 4 bytes: small ranges for one block would ask for many times the keys,
 * 26 GB with 32 items for 2^27 keys of 32 bits. So the tables have the keys' bytes divided by TASK_TABLES_SHARE and some more,
 * or what they have with default options, where that is more. Tasks beyond that are sorted by the block at hand.
 */
constexpr uint32_t MULTIWAY_TASKS_PER_BLOCK = 2;
constexpr uint32_t EXTRA_MULTIWAY_TASKS = 8;
constexpr uint32_t TASK_TABLES_SHARE = 64;
constexpr uint32_t EXTRA_TASK_TABLE_BYTES = 16u << 20;

/* Room for listed ranges: this many for every block_items items (many children: of average length), and some more, for short
   arrays or for full sets of buckets. */
constexpr uint32_t LISTED_PER_BLOCK = 4;
constexpr uint32_t EXTRA_LISTED = 1024;
constexpr uint32_t EXTRA_MULTIWAY_LISTED = 4096;

/* The most tasks and listed ranges there is room for, whatever the count; where they are full, the block at hand sorts the
   range. One grid sorts the list, a block each: as many as a grid may have. The blocks of all tasks of a level, one for each
   and one for each tile of CDP_COUNT_MAX keys, are counted in 32 bits. */
constexpr uint32_t MAX_WORKLIST_CAPACITY = 0x7FFFFFFF;
constexpr uint32_t MAX_TASK_CAPACITY = 1u << 30;

/*
 * Tasks started in one batch. CUDA refuses device launches past its pending-launch limit, which the library never raises: 2,048
 * by default. A launch is pending until all its descendants are complete, so that it is the launches of a whole batch that
 * count (docs/notes/pending-launches.md). A sort's batches have the limit divided by PENDING_SHARE_DENOMINATOR: the rest is for the
 * batches themselves, for the look for disorder (one launch, within which the first task may come), and for other sorts on the
 * device at the same time. What is refused all the same is sorted another way.
 *
 * Launches that a task has pending: one; with a controller three (controller, workers, continuation). With many children five:
 * its preparation, two phases, the grid for small children, the one for equal keys; with a controller two continuations more.
 */
constexpr uint32_t PENDING_SHARE_DENOMINATOR = 4;
constexpr uint32_t LAUNCHES_PER_TASK = 1;
constexpr uint32_t LAUNCHES_PER_CONTROLLER_TASK = 3;
constexpr uint32_t LAUNCHES_PER_MULTIWAY_TASK = 5;
constexpr uint32_t LAUNCHES_PER_MULTIWAY_CONTROLLER_TASK = 7;

} // namespace cdp

#endif
