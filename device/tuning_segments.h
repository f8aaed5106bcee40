/* SPDX-License-Identifier: MIT */
/*
 * Numbers of the segmented sort (segments/), for every kind of device.
 */
#ifndef CDPSORT_DEVICE_TUNING_SEGMENTS_H
#define CDPSORT_DEVICE_TUNING_SEGMENTS_H

#include "tuning.h"

namespace cdp {

/* Segments up to this are tiny: a few lanes sort each. As many keys as a warp has lanes, which write them side by side. */
constexpr uint32_t TINY_ITEMS = WARP_LANES;

/* Keys of a tiny segment that a lane holds: a power of two, so that groups of as many lanes exchange them. */
constexpr uint32_t TINY_LANE_ITEMS = 4;

/* Bytes of tiny segments that a lane has on its way at once: TINY_LANE_ITEMS keys of 8 bytes, or twice as many of 4. Not compared
   with others. */
constexpr uint32_t TINY_BYTES = 32;

/* Threads of a block that reads offsets, and sorts tiny segments; and of one whose warps sort small ones. */
constexpr uint32_t CLASSIFY_THREADS = 256;
constexpr uint32_t SMALL_THREADS = 128;

/* The most blocks of a grid whose blocks go on to others' segments, for each multiprocessor: several times what it holds at once,
   so that few of them end late. Not measured. */
constexpr uint32_t SEGMENT_BLOCKS_PER_MULTIPROCESSOR = 64;

/*
 * A row for each size of key, on a GPU and on the simulated device:
 *
 * small_items_per_lane  keys that a lane holds of a segment that a warp sorts in its registers; a power of two.
 * short_threads         threads of a block that sorts a short segment in its registers, by merging.
 * short_items           keys of a thread there: even, a power of two.
 * sample_items          keys that a lane draws of a long segment's sample, where a warp chooses the splitters.
 * warp_fan_out          the most buckets that a warp chooses splitters for; at most its lanes. Of more buckets a whole block draws
 *                       the sample.
 *
 * Longer segments are a team's or a block's on chip (tuning_kinds.h), and those that are longer still are divided. Short ones end
 * where the counters of an on-chip sort cost less than merging. Reckoned, not measured.
 */
struct SegmentRow {
  uint32_t small_items_per_lane;
  uint32_t short_threads;
  uint32_t short_items;
  uint32_t sample_items;
  uint32_t warp_fan_out;
};

/* clang-format off */
constexpr SegmentRow segment_row(bool is_simulated, uint32_t key_bytes) {
  if (is_simulated)
    return key_bytes == 4 ? SegmentRow{ 2,  64,  2,  8, 16} : SegmentRow{ 2,  64, 2, 4,  8};
  return key_bytes == 4 ? SegmentRow{16, 128, 16, 16, 32} : SegmentRow{ 8, 128, 8, 8, 16};
}
/* clang-format on */

/* Keys of the sample for each bucket, where a block draws it: a bucket's size has a standard deviation of a fifth of its mean or
   so, and a team has room for twice the mean. Not measured. */
constexpr uint32_t SEGMENT_OVERSAMPLING = 32;

/* And the fewest, with as many buckets as there may be: the sample is as large as it can be then. */
constexpr uint32_t LEAST_SEGMENT_OVERSAMPLING = 16;

/* Counters of a bucket where there are few buckets, of which each lane takes one in turn: the lanes of a warp meet less often at
   one address of shared memory. By reckoning. */
constexpr uint32_t COUNTER_COPY_BITS = 2;

/* Divisions beyond those that fair splitters take. What is still too long then is sorted by one block, however long that takes. */
constexpr uint32_t SPARE_SEGMENT_LEVELS = 2;

/* The most keys of a segment of each class, for one kind of device and size of key. */
struct SegmentLimits {
  uint32_t small;    /* a warp's */
  uint32_t shorts;   /* a block's, in registers */
  uint32_t team;     /* a team's, on chip */
  uint32_t block;    /* a block's, on chip; longer ones are divided */
  uint32_t target;   /* what a bucket of a longer one should have on average */
  uint32_t tile;     /* keys that a block divides at once */
  uint32_t max_bits; /* the logarithm of the most buckets of unequal keys of a division */
};

constexpr SegmentLimits segment_limits(DeviceKind kind, uint32_t key_bytes) {
  const SegmentRow row = segment_row(kind == DeviceKind::simulated, key_bytes);
  const MultiwayRow multiway = multiway_row(kind, key_bytes);
  const OnChipRow on_chip = on_chip_row(kind, key_bytes);
  SegmentLimits limits = {};
  limits.small = WARP_LANES * row.small_items_per_lane;
  limits.shorts = row.short_threads * row.short_items;
  limits.team = on_chip_items(multiway, on_chip);
  limits.block = on_chip_block_items(multiway, on_chip);
  limits.target = limits.team / 2;
  limits.tile = multiway_tile_items(multiway);
  limits.max_bits = floor_log2(max_samples(multiway) / LEAST_SEGMENT_OVERSAMPLING);
  return limits;
}

/* With as many buckets of equal keys there are no more than there may be. A fan-out is a power of two that makes buckets of
   `target` keys or fewer, and more than half of that unless it is the most there may be. */
constexpr bool are_limits_in_order(DeviceKind kind, uint32_t key_bytes) {
  const SegmentLimits limits = segment_limits(kind, key_bytes);
  return 2u << limits.max_bits <= MAX_BUCKETS && TINY_ITEMS < limits.small && limits.small < limits.shorts &&
         limits.shorts < limits.team && limits.team <= limits.block && limits.block >= MIN_FAN_OUT * limits.target / 2;
}
constexpr bool are_all_limits_in_order() {
  for (const DeviceKind kind : DEVICE_KINDS)
    if (!are_limits_in_order(kind, 4) || !are_limits_in_order(kind, 8))
      return false;
  return true;
}
static_assert(are_all_limits_in_order(), "each class has segments of its own");

constexpr uint32_t MIN_SEGMENT_BITS = floor_log2(MIN_FAN_OUT);

/* The places that a table has for each bucket of unequal keys: as many are of equal ones. */
constexpr uint32_t TABLE_PLACES = 2;

/* Those of all tables of disjoint segments of so many keys together: 2 * items / target buckets of unequal keys each. */
constexpr uint64_t most_table_places(const SegmentLimits &limits, uint64_t count) {
  return TABLE_PLACES * 2 * (count / limits.target + 1);
}

} // namespace cdp

#endif
