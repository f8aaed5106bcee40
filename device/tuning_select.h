/* SPDX-License-Identifier: MIT */
/*
 * Numbers of half a sort (select/), for every kind of device.
 */
#ifndef CDPSORT_DEVICE_TUNING_SELECT_H
#define CDPSORT_DEVICE_TUNING_SELECT_H

#include <cdpsort/select.h>

#include <cstdint>

namespace cdp {

/*
 * Selecting, on a GPU and on the simulated device.
 *
 * threads       of a block.
 * thread_bytes  of keys that a thread has on their way at once, in pieces of 16 bytes; of narrow keys no more than 16 keys. Two blocks
 *               of 512 threads with 64 bytes each are 64 KB of a multiprocessor's: more than an H200's memory keeps under way (25 KB).
 * bin_bits      the logarithm of the bins that a range of keys is divided into. 11 bits are three times enough for 32.
 * copies        of a block's counters, shared out by lane, so that lanes whose keys are in the same bin wait for a quarter of the
 *               others. More bins or copies than take 48 KB of shared memory together would be too many for some devices.
 * samples       keys that a thread looks at to find the range that is divided first.
 * sorted_keys   of a thread, where the block that picks sorts what is left: with four, the second time that ranges were divided leaves few
 *               enough for up to seven ranks of 2^27 evenly spread keys.
 */
struct SelectShape {
  uint32_t threads;
  uint32_t thread_bytes;
  uint32_t bin_bits;
  uint32_t copies;
  uint32_t samples;
  uint32_t sorted_keys;
};

constexpr SelectShape select_shape(bool is_simulated) {
  if (is_simulated)
    return {64, 32, 7, 2, 2, 2};
  return {512, 64, 11, 4, 16, 4};
}

/* The most keys that a thread has on their way at once. */
constexpr uint32_t MOST_SELECT_ITEMS = 16;

/* Bytes of what kernels know of a selection, and of where a share's keys begin (select/selection.cuh). */
constexpr uint32_t SELECT_STATE_BYTES = 2048;
constexpr uint32_t SHARE_BEGINS_BYTES = 24;

/* Blocks that count or filter, to a multiprocessor. */
constexpr uint32_t RESIDENT_SELECTORS = 2;

/* Candidates are written to an array of their own where they are no more than this part of the keys that they are among; if they are
   more, they are looked for among the same keys again, which takes less than to write and read them. */
constexpr uint32_t LEAST_SHRINKING = 4;

/* The logarithm of the bins that each of some ranges is divided into, for so many ranks: all of them have the counters of one. */
constexpr uint32_t select_bin_bits(const SelectShape &shape, uint32_t rank_count) {
  uint32_t bits = shape.bin_bits;
  for (uint32_t ranges = 1; ranges < rank_count; ranges *= 2)
    bits--;
  return bits;
}
static_assert(select_bin_bits(select_shape(true), CDP_RANKS_MAX) >= 1 &&
                  select_bin_bits(select_shape(false), CDP_RANKS_MAX) >= 1,
              "a range is divided");

/* And two more for each range: of the keys below it and above it. */
constexpr uint32_t max_select_bins(const SelectShape &shape) {
  return (1u << shape.bin_bits) + 2 * CDP_RANKS_MAX;
}

} // namespace cdp

#endif
