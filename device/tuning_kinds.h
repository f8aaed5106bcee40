/* SPDX-License-Identifier: MIT */
/*
 * Tuning numbers that depend on the kind of device, by how much shared memory a block may have there: a row for each kind and key
 * size. tuning.h includes it.
 */
#ifndef CDPSORT_DEVICE_TUNING_KINDS_H
#define CDPSORT_DEVICE_TUNING_KINDS_H

#include <cstdint>
#include <type_traits>

namespace cdp {

/* Lanes of a warp, on every device there is. */
constexpr uint32_t WARP_LANES = 32;

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
 * A kind is a row in each of multiway_row(), on_chip_row(), map_row() and carry_row() (tuning_carry.h), a line in for_kind(), and
 * one of DEVICE_KINDS.
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
 * Maps, one row for each kind of device; pairs are of 32-bit and 64-bit keys.
 *
 * min_items         the shortest array that is divided by a map; shorter ones are sorted as short_array.cuh says, which must be
 *                   possible. H200, random keys: 2^21 and 1.5 * 2^21 of 32 bits took 71 and 123 us as short ones, 89 and 94 by
 *                   a map; 2^20 and 2^21 of 64 bits 65 and 152, and 87 and 105. Small, 64-bit keys: short ones end at 2^20.
 * frequent_slots    the room for frequent values that a map knows, in places of which half can be used: a power of two.
 * max_marked_items  the longest array of which a bit for each key says whether it is moved, or its value is frequent, which is asked
 *                   again of longer ones: all that the sort has beside a second array of keys is 2 % of their bytes, and 16 MiB
 *                   (medium, 8 bytes: two bits to a key; small: 15 %).
 * max_one_scatter   the most buckets that are scattered to at once; more are in two steps. H200: 2^25 keys of 32 bits, in 2,376
 *                   buckets, took 459 us at once and 509 in two steps; 2^24 of 64 bits 418 and 466; Gaussian ones, in 2,979 buckets,
 *                   503 and 580, and 459 and 510.
 * max_fine_buckets  the most buckets of a group, to which the second of two steps scatters.
 */
struct MapRow {
  uint32_t min_items[2];
  uint32_t frequent_slots[2];
  uint64_t max_marked_items[2];
  uint32_t max_one_scatter;
  uint32_t max_fine_buckets;
};

/* clang-format off */
constexpr MapRow map_row(DeviceKind kind) {
  constexpr uint64_t ALL = uint64_t{1} << 32;
  switch (kind) {
  case DeviceKind::simulated:
    return {{         40000,         40000}, { 128,   64}, {   60000,      ALL},  120,  32};
  case DeviceKind::small:
    return {{(1u << 21) + 1, (1u << 20) + 1}, { 512,  256}, {     ALL,      ALL},  640, 128};
  case DeviceKind::medium:
    return {{(1u << 21) + 1,       3u << 19}, {4096, 1024}, {1u << 27, 1u << 27}, 3072, 512};
  case DeviceKind::large:
    break;
  }
  return   {{(1u << 21) + 1,       3u << 19}, {4096, 2048}, {1u << 28,      ALL}, 3072, 512};
}
/* clang-format on */

constexpr uint32_t min_mapped_items(DeviceKind kind, uint32_t key_bytes) {
  return map_row(kind).min_items[key_bytes == 4 ? 0 : 1];
}
constexpr uint32_t frequent_slots(DeviceKind kind, uint32_t key_bytes) {
  return map_row(kind).frequent_slots[key_bytes == 4 ? 0 : 1];
}
constexpr uint64_t max_marked_items(DeviceKind kind, uint32_t key_bytes) {
  return map_row(kind).max_marked_items[key_bytes == 4 ? 0 : 1];
}
/* Of a thread's keys of half a tile. */
constexpr uint32_t kept_mark_bytes(DeviceKind kind, uint32_t key_bytes) {
  return on_chip_row(kind, key_bytes).items_per_thread / 2 > 8 ? 2 : 1;
}
constexpr uint32_t max_one_scatter_buckets(DeviceKind kind) {
  return map_row(kind).max_one_scatter;
}
constexpr uint32_t max_fine_buckets(DeviceKind kind) {
  return map_row(kind).max_fine_buckets;
}

} // namespace cdp

#endif
