/* SPDX-License-Identifier: MIT */
/*
 * Numbers of sorts with values or indices (payload/), for every kind of device.
 */
#ifndef CDPSORT_DEVICE_TUNING_PAYLOAD_H
#define CDPSORT_DEVICE_TUNING_PAYLOAD_H

#include "tuning_kinds.h"

namespace cdp {

/*
 * Threads of a block, and items of a thread, of all kernels that pack, unpack and gather. They wait for memory and for nothing else:
 * small blocks come and go one by one, and with four loads of each thread on their way an H200's memory is kept busy.
 */
constexpr uint32_t PAYLOAD_THREADS = 256;
constexpr uint32_t PAYLOAD_ITEMS = 4;
constexpr uint32_t PAYLOAD_TILE = PAYLOAD_THREADS * PAYLOAD_ITEMS;

/* Of blocks that gather, where they may be launched in vain: 2^16 blocks that end as they begin take 40 us (H200), a quarter
   as many, by reckoning, a quarter of that. */
constexpr uint32_t WANTED_GATHER_THREADS = 1024;

/* Most blocks of a grid that looks for the least and the greatest key, for which each warp adds an atomic to one address; and of one
   that mostly has nothing to do: 2^16 blocks that end as they begin take 40 us (H200). A few to each multiprocessor keep memory busy. */
constexpr uint32_t MAX_PAYLOAD_BLOCKS = 1024;

/*
 * Sorts that one block does in one launch (payload/block_pairs.cuh).
 *
 * BLOCK_PAIRS_PER_THREAD    items of a thread, whose code is run once: 2^10 keys of 4 bytes with values of 8 take 12.5 to 13.0 us with 4
 *                           of them, 12.2 with 2, which hold but half as many keys, and 14.3 to 17.3 with 8 (H200).
 * NARROW_BLOCK_PAIRS_SHARE  the share of all it has room for, 4,096, that a block sorts of keys of up to 4 bytes. 2^11 with values of 4
 *                           bytes take 15.3 us in place of 18.5 by three launches, and 2^12 of them 24 in place of 19, for there many
 *                           blocks pack and gather; of 8 bytes 2^12 take 26 in place of 52 (H200).
 * MAX_BLOCK_PAIRS_UNITS     of a value, the most units of up to 16 bytes, each of which a block reads and waits for before it writes.
 */
constexpr uint32_t BLOCK_PAIRS_PER_THREAD = 4;
constexpr uint32_t NARROW_BLOCK_PAIRS_SHARE = 2;
constexpr uint32_t MAX_BLOCK_PAIRS_UNITS = 4;

/* The most keys of so many bytes. */
constexpr uint32_t block_pairs_items(DeviceKind kind, uint32_t key_bytes) {
  return multiway_row(kind, 8).block_threads * BLOCK_PAIRS_PER_THREAD / (key_bytes == 8 ? 1 : NARROW_BLOCK_PAIRS_SHARE);
}

/*
 * What of a key of 8 bytes goes into its item (payload/window.cuh):
 *
 * MIN_BITS_LEFT_OUT     bits that are the same in all keys are left out where a window shows so many more of the others at least: 13 of
 *                       letters, 12 of digits. Leaving them out takes 2^26 keys 10 % longer than not (H200).
 * WINDOW_SAMPLES        keys that are looked at to see whether windows should be by octaves: one for each thread of a block.
 * NEAR_KEY_BITS         one in 2^NEAR_KEY_BITS of them is so close to the least or the greatest key that as many keys or more are there as
 *                       upper bits have steps.
 * MOST_CROWDED_SAMPLES  with windows by octaves, so many have another key's at most. Where keys with few bits set are in such windows, 2^26
 *                       take half as long again as in windows of upper bits, which leave one bit less for the next sort (H200).
 */
constexpr uint32_t MIN_BITS_LEFT_OUT = 4;
constexpr uint32_t WINDOW_SAMPLES = PAYLOAD_THREADS;
constexpr uint32_t NEAR_KEY_BITS = 6;
constexpr uint32_t MOST_CROWDED_SAMPLES = 1;

/* The longest run of keys of 8 bytes whose keys are ordered where they lie: each of them reads all of it. With the 38 bits of a window
   that 2^26 positions leave, random keys have runs of 2; longer ones are for keys that are spread unevenly, at no cost to others. */
constexpr uint32_t MOST_RUN_KEYS = 32;

/* Longer runs are put in order on chip, by tiles (payload/wide_tiles.cuh): the share of what a team can sort that is kept for the run
   a tile ends with. So it is the longest that every tile holds, 2,048 keys of an H200's 8,192; longer ones take another sort of all. */
constexpr uint32_t WIDE_RUN_SHARE = 4;
constexpr uint32_t wide_run_items(DeviceKind kind) {
  return on_chip_items(multiway_row(kind, 8), on_chip_row(kind, 8)) / WIDE_RUN_SHARE;
}
constexpr uint32_t wide_tile_items(DeviceKind kind) {
  return (WIDE_RUN_SHARE - 1) * wide_run_items(kind);
}

/* Threads of a block that surveys long runs (payload/wide_runs.cuh), packs and gathers, which mostly ends as it begins, so that blocks
   had better be few. And parts of the keys that are each surveyed by a warp, a row of 32 keys after another: about as many as an H200 has
   room for warps, but of a few rows at least. With parts of 4,096 keys whatever the count, 2^20 by Zipf's law took 0.60 ms in place of 0.42 (H200). */
constexpr uint32_t WIDE_THREADS = 1024;
constexpr uint32_t MAX_WIDE_PARTS = 8192;
constexpr uint32_t MIN_WIDE_PART_ITEMS = 128;

/*
 * Regrouping (payload/regroup.cuh), on a GPU and on the simulated device.
 *
 * threads, items  of a block, and of a thread: a tile is a multiple of a warp's lanes. What a block needs of shared memory must fit the
 *                 48 KB that every block may have.
 * least_bytes     the least array that is regrouped before it is gathered: one that does not lie in the cache that all
 *                 multiprocessors share, as it must beside what else is read and written. 2^26 reads of 8 bytes from anywhere took
 *                 1.90 ms, from pieces of 64 MB 1.43, of 32 MB 0.92, of 16 MB 0.66, of 8 MB 0.60 (H200, whose cache has 50 MB;
 *                 docs/lab/2026-11-25-pairs.md).
 * bucket_bytes    what a bucket of it should have at most, if keys are spread evenly: half of them may have no keys.
 * max_bits        the logarithm of the most buckets: more leave no runs to write of a tile, 16 values of 4,096.
 */
struct RegroupShape {
  uint32_t threads;
  uint32_t items;
  uint64_t least_bytes;
  uint64_t bucket_bytes;
  uint32_t max_bits;
};

constexpr RegroupShape regroup_shape(bool is_simulated) {
  if (is_simulated)
    return {64, 4, 1u << 13, 1u << 11, 5};
  return {512, 8, 1u << 25, 1u << 22, 8};
}

/* The logarithm of the fewest buckets that are worth it. */
constexpr uint32_t MIN_REGROUP_BITS = 3;

/* The largest value that is regrouped, and its size is a power of two: larger ones are read in whole lines from anywhere. */
constexpr uint32_t MAX_REGROUPED_BYTES = 8;

/* Whether values of such a size are brought into another order within a tile. */
constexpr bool is_tile_value(uint64_t value_bytes) {
  return value_bytes <= MAX_REGROUPED_BYTES && (value_bytes & (value_bytes - 1)) == 0;
}

/*
 * Division by given splitters (payload/divide.cuh).
 *
 * threads, items  as of a block that regroups: two blocks to a multiprocessor of an H200.
 * max_parts       the most parts that the array is divided into, each counted and written by one block: eight for each block that an
 *                 H200 has room for, so that few of them end late, and all parts' counters of 1,024 buckets have 8 MB. On the
 *                 simulated device few, so that short arrays have parts of several tiles.
 */
struct DivideShape {
  uint32_t threads;
  uint32_t items;
  uint32_t max_parts;
};

constexpr DivideShape divide_shape(bool is_simulated) {
  if (is_simulated)
    return {416, 3, 4};
  return {512, 8, 2048};
}

/* Buckets whose number has so many bits at most are written down as a byte, others as two. */
constexpr uint32_t DIVIDE_BYTE_BITS = 8;

/* The logarithm of the most buckets, of which there is one more than splitters. */
constexpr uint32_t MAX_DIVIDE_BITS = 10;

} // namespace cdp

#endif
