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

/* Bits that are the same in all keys of 8 bytes are left out where a window shows so many more of the others at least: 13 of letters, 12
   of digits (payload/find_extremes.cuh). Leaving them out takes 2^26 keys 10 % longer than not (H200). */
constexpr uint32_t MIN_BITS_LEFT_OUT = 4;

/*
 * Windows by pieces (payload/window.cuh, learn_window.cuh, count_pieces.cuh).
 *
 * threads              of the block that learns, a power of two: as many keys are looked at first.
 * THREAD_PIECES        pieces to each of them that has keys of the sample, and THREAD_SAMPLES such keys: twice as many.
 * CELL_SAMPLES         keys that a cell has, of so many equal parts of the range, if the keys that are looked at first are spread evenly,
 * MOST_CELL_SAMPLES    and the most that one may have: eight times as many. Normal variables have five times as many.
 * MIN_CLOSE_SAMPLES    so many differ and have the same window: of 2^26 keys 500 in each such window, by reckoning, for a run of a few dozen is
 *                      put in order where it lies.
 * MIN_GAP              so many times as far apart as keys beside them two of the sample are, if there is a gap between: those of evenly
 *                      spread keys are so, one pair in 32.
 * CLOSE_SHARE          of those, one in so many may be as close within its piece, or it is upper bits after all: of keys in clusters hardly one
 *                      is, and of those with few bits set, whose rounds windows by pieces make longer, one in 70.
 * GAP_REACH            so many times as far as REACH_SAMPLES keys beside it are apart on average there may be other keys in it.
 * OTHER_CLUSTER_BITS   a key that is 2^bits times as far as the others beside a gap is taken to be of another cluster.
 * LEARNT_BITS_LEFT     rounds that are launched for what windows leave (wide_runs.cuh) are enough for so many bits at least, so that pieces
 *                      that are long and have few keys take few of the windows.
 * LEARNT_EXCESS_BITS   and for so many more than a position has: of a range of 2^64, windows of 2^bits_left or half of that are a quarter of
 *                      all then.
 * LEARN_SEED           of where the sample is taken from.
 * COUNT_PIECES_THREADS of a block that counts, and RESIDENT_COUNTERS of them are on a multiprocessor.
 */
struct LearnShape {
  uint32_t threads;
};
constexpr LearnShape learn_shape(bool is_simulated) {
  return {is_simulated ? 64u : 1024u};
}
constexpr uint32_t THREAD_PIECES = 4;
constexpr uint32_t THREAD_SAMPLES = 8;
constexpr uint32_t CELL_SAMPLES = 4;
constexpr uint32_t MOST_CELL_SAMPLES = 8 * CELL_SAMPLES;
constexpr int MIN_CLOSE_SAMPLES = 4;
constexpr int CLOSE_SHARE = 128;
constexpr uint32_t MIN_GAP = 64;
constexpr uint32_t GAP_REACH = 64;
constexpr uint32_t REACH_SAMPLES = 4;
constexpr uint32_t OTHER_CLUSTER_BITS = 16;
constexpr uint32_t LEARNT_BITS_LEFT = 29;
constexpr uint32_t LEARNT_EXCESS_BITS = 3;
constexpr uint64_t LEARN_SEED = 26;
constexpr uint32_t COUNT_PIECES_THREADS = 512;
constexpr uint32_t RESIDENT_COUNTERS = 4;

constexpr uint32_t window_pieces(bool is_simulated) {
  return learn_shape(is_simulated).threads * THREAD_PIECES;
}

/* Where arrays are not regrouped, they are so short that with all of the pieces it takes as long to learn and to count as to sort. */
constexpr uint32_t few_window_pieces(bool is_simulated) {
  return window_pieces(is_simulated) / 2;
}

/* The fewest keys for which pieces are learnt: a few for each. */
constexpr uint64_t least_learnt(bool is_simulated) {
  return uint64_t{16} * few_window_pieces(is_simulated);
}

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
