/* SPDX-License-Identifier: MIT */
/*
 * Numbers of what is done with sorted ranges (ranges/), for every kind of device.
 */
#ifndef CDPSORT_DEVICE_TUNING_RANGES_H
#define CDPSORT_DEVICE_TUNING_RANGES_H

#include <cstdint>

namespace cdp {

/*
 * On a GPU and on the simulated device:
 *
 * walk_threads    of a block whose warps walk along an array, each by itself.
 * walk_bytes      of keys that a thread has on their way at once, in pieces of 16 bytes; of narrow keys no more than 16 keys. Four
 *                 blocks of 256 threads with 64 bytes each are 64 KB of a multiprocessor's: more than an H200's memory keeps under
 *                 way (25 KB).
 * merge_threads   of a block that merges a tile.
 * merge_items     of a thread there, for keys of 1 and 2, of 4 and of 8 bytes. Odd, so that threads that each write their items
 *                 one behind the other do so to different banks. 23 for 15 of 4 bytes gain 2 %, 33 for 17 of 1 byte lose a third
 *                 (H200, docs/lab/2026-11-25-ranges.md).
 *
 * The others are reckoned, not measured.
 */
struct RangesShape {
  uint32_t walk_threads;
  uint32_t walk_bytes;
  uint32_t merge_threads;
  uint32_t merge_items[3];
};

constexpr RangesShape ranges_shape(bool is_simulated) {
  if (is_simulated)
    return {64, 32, 64, {9, 7, 5}};
  return {256, 64, 256, {17, 15, 11}};
}

/* The most keys that a thread has on their way at once. */
constexpr uint32_t MOST_WALK_ITEMS = 16;

/* Blocks that walk, to a multiprocessor: as many as it holds at once, at 64 registers a thread. */
constexpr uint32_t RESIDENT_WALKERS = 4;

constexpr uint32_t walk_items(const RangesShape &shape, uint32_t key_bytes) {
  return shape.walk_bytes / key_bytes < MOST_WALK_ITEMS ? shape.walk_bytes / key_bytes : MOST_WALK_ITEMS;
}

/* Keys that a block's warps look at at once. */
constexpr uint32_t walk_tile(const RangesShape &shape, uint32_t key_bytes) {
  return shape.walk_threads * walk_items(shape, key_bytes);
}

constexpr uint32_t merge_items(const RangesShape &shape, uint32_t key_bytes) {
  return shape.merge_items[key_bytes == 8 ? 2 : key_bytes == 4 ? 1 : 0];
}

/* Keys that a block merges. */
constexpr uint32_t merge_tile(const RangesShape &shape, uint32_t key_bytes) {
  return shape.merge_threads * merge_items(shape, key_bytes);
}

static_assert(walk_tile(ranges_shape(false), 1) == 4096 && walk_tile(ranges_shape(false), 2) == 4096 &&
                  walk_tile(ranges_shape(false), 4) == 4096 && walk_tile(ranges_shape(false), 8) == 2048 &&
                  merge_tile(ranges_shape(false), 1) == 4352 && merge_tile(ranges_shape(false), 4) == 3840 &&
                  merge_tile(ranges_shape(false), 8) == 2816,
              "the public header states it");

/* Tiles whose beginnings a warp finds: it looks at that of the next one as well. */
constexpr uint32_t WARP_SPLITS = 31;

} // namespace cdp

#endif
