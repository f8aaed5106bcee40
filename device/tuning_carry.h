/* SPDX-License-Identifier: MIT */
/*
 * Numbers of sorts that carry each value along with its key (payload/carry.cuh), one row for each kind of device.
 */
#ifndef CDPSORT_DEVICE_TUNING_CARRY_H
#define CDPSORT_DEVICE_TUNING_CARRY_H

#include "tuning_kinds.h"

#include <algorithm>

namespace cdp {

/* The greatest max_buckets of any kind of device. */
constexpr uint32_t MAX_CARRY_BUCKETS = 192;

/*
 * threads          of a block that counts or scatters. One block to a multiprocessor took 0.49 ms for the first scatter of 2^26 keys
 *                  with values of 4 bytes, two of them 0.73, perhaps since more lines are written in part where more tiles are
 *                  written at a time (H200, docs/lab/2026-11-25-carried-values.md).
 * max_buckets      that a tile is scattered to: as many groups, and as many buckets in a group. A multiple of a warp's lanes, and no
 *                  more than threads.
 * counted_buckets  of all groups by a straight map, for which a block that counts has counters in shared memory.
 * group_samples    keys that split a group into buckets: a power of two. Of 90 buckets each has 90.
 * few_group_samples
 *                  those that are enough where there are few buckets, CARRY_BUCKET_SAMPLES for each: a power of two.
 * straight_share, learnt_share
 *                  how many keys a bucket has on average, in sixteenths of what a team can sort: with a map that keys spread evenly
 *                  need, and with splitters, whose buckets differ by the error of their sample. As in a sort of keys (tuning_map.h);
 *                  on the simulated device, whose buckets are short, chance makes them differ by more.
 */
struct CarryRow {
  uint32_t threads;
  uint32_t max_buckets;
  uint32_t counted_buckets;
  uint32_t group_samples;
  uint32_t few_group_samples;
  uint32_t straight_share;
  uint32_t learnt_share;
};

/* clang-format off */
constexpr CarryRow carry_row(DeviceKind kind) {
  switch (kind) {
  case DeviceKind::simulated:
    return {64, 32, 1024, 512, 128, 10, 7};
  case DeviceKind::small:
    return {512, 192, 16384, 1u << 13, 1u << 11, 14, 11};
  case DeviceKind::medium:
  case DeviceKind::large:
    break;
  }
  return {512, 192, 36864, 1u << 13, 1u << 11, 14, 11};
}
/* clang-format on */

/*
 * What else there is, by the width of keys:
 *
 * items            of a thread that counts or scatters: a tile, which is staged in shared memory, keys and values.
 * least_count      the fewest keys that are worth it where values would be gathered: 2^22 with values of 8 bytes took 0.23 ms, and
 *                  0.27 by items; 2^23 stable ones of 4 bytes 0.31 and 0.43.
 * least_packed_count
 *                  and where they would be in the items: 2^24 with values of 4 bytes 0.51 and 0.52, 2^23 0.30 and 0.29.
 * look_samples     keys that say between which values all lie, whether they are spread evenly, and what splits them into groups if
 *                  not: a power of two. Beyond the least and the greatest of them a map has room for a line, a 1,024th of the keys
 *                  if those are spread evenly. So many samples miss more than that once in e^16 times (half as many, once in e^8);
 *                  where they do, a bucket is too long, and all is given up. Of 132 groups each has 124, which leaves an error of a
 *                  tenth.
 * few_look_samples, most_few_count
 *                  and those that are enough for so many keys: one block sorts 2^14 of 8 bytes in 60 us, a seventh of what 2^22 take. A
 *                  power of two. They may miss a value twice as frequent, and twice as many
 *                  keys beyond the extremes: of so many keys, a block sorts these.
 */
struct CarryKeysRow {
  uint32_t items;
  uint32_t least_count;
  uint32_t least_packed_count;
  uint32_t look_samples;
  uint32_t few_look_samples;
  uint32_t most_few_count;
};

/* clang-format off */
constexpr CarryKeysRow carry_keys_row(DeviceKind kind, size_t key_bytes) {
  const bool is_wide = key_bytes == 8;
  switch (kind) {
  case DeviceKind::simulated:
    return is_wide ? CarryKeysRow{8, 2500, 2500, 1024, 512, 4000} : CarryKeysRow{8, 2500, 2600, 1024, 512, 4000};
  case DeviceKind::small:
    return is_wide ? CarryKeysRow{4, 1u << 22, 1u << 22, 1u << 13, 1u << 13, 1u << 23}
                   : CarryKeysRow{8, 1u << 22, 1u << 24, 1u << 14, 1u << 13, 1u << 23};
  case DeviceKind::medium:
    return is_wide ? CarryKeysRow{12, 1u << 22, 1u << 22, 1u << 14, 1u << 13, 1u << 23}
                   : CarryKeysRow{16, 1u << 22, 1u << 24, 1u << 14, 1u << 13, 1u << 23};
  case DeviceKind::large:
    break;
  }
  return is_wide ? CarryKeysRow{20, 1u << 22, 1u << 22, 1u << 14, 1u << 13, 1u << 23}
                 : CarryKeysRow{24, 1u << 22, 1u << 24, 1u << 14, 1u << 13, 1u << 23};
}
/* clang-format on */

/* Keys of the first sample, of so many keys. */
constexpr uint32_t carry_look_samples(DeviceKind kind, size_t key_bytes, uint64_t count) {
  const CarryKeysRow row = carry_keys_row(kind, key_bytes);
  return count <= row.most_few_count ? row.few_look_samples : row.look_samples;
}

/* Keys that a bucket should have, at such a share; and buckets that so many keys make. */
constexpr uint32_t carry_bucket_items(DeviceKind kind, uint32_t share) {
  return on_chip_items(multiway_row(kind, 8), on_chip_row(kind, 8)) * share / 16;
}
constexpr uint32_t carry_buckets(DeviceKind kind, uint64_t count, uint32_t share) {
  return static_cast<uint32_t>(count / carry_bucket_items(kind, share) + 1);
}

/* Groups of buckets: one to each multiprocessor, whose block scatters it; more where a group would have too many buckets. */
constexpr uint32_t carry_groups(DeviceKind kind, uint64_t count, uint32_t multiprocessors) {
  const uint32_t most = carry_row(kind).max_buckets;
  const uint32_t buckets = carry_buckets(kind, count, carry_row(kind).learnt_share);
  const uint32_t rounds = (buckets / most + multiprocessors) / multiprocessors;
  return std::min({most, buckets, rounds * multiprocessors});
}

/* The most by splitters, with those of frequent values. */
constexpr uint32_t carry_most_groups(DeviceKind kind, uint32_t groups) {
  return std::min(carry_row(kind).max_buckets, groups * 3 / 2);
}

/* How many buckets a group has then, if groups are as long as one another. */
constexpr uint32_t carry_group_buckets(DeviceKind kind, uint64_t count, uint32_t share, uint32_t groups) {
  return (carry_buckets(kind, count, share) + groups - 1) / groups;
}

/* The most that a group has, by splitters: groups differ by the error of their sample, and by values that are frequent, but not enough
   to have a group of their own. Longer groups have longer buckets. */
constexpr uint32_t carry_most_group_buckets(DeviceKind kind, uint64_t count, uint32_t groups) {
  const CarryRow row = carry_row(kind);
  return std::min(row.max_buckets, carry_group_buckets(kind, count, row.learnt_share, groups) * 9 / 4 + 6);
}

/* Whether so many keys are sorted like that. is_packed: all that goes with a key would be in its item. */
constexpr bool can_carry(DeviceKind kind, size_t key_bytes, uint64_t count, bool is_packed, uint32_t multiprocessors) {
  const CarryRow row = carry_row(kind);
  const CarryKeysRow keys = carry_keys_row(kind, key_bytes);
  if (count < (is_packed ? keys.least_packed_count : keys.least_count) || count > UINT32_MAX / 2)
    return false;
  const uint32_t groups = carry_groups(kind, count, multiprocessors);
  const uint32_t group_buckets = carry_group_buckets(kind, count, row.learnt_share, groups);
  return group_buckets <= row.max_buckets && groups * group_buckets <= row.counted_buckets;
}

/* A value of which so many are expected in the first sample is taken for none in half of all cases (MAX_CARRY_REPEATS, carry_look.cuh). Whether
   one has more keys than a block can sort beside a bucket's others, so that counting again must be seen to: with more than 2^24 keys on the
   large kind, of which it takes 1 % at most, where it is not wanted. */
constexpr uint32_t MISSED_CARRY_SAMPLES = 9;
constexpr bool may_miss_frequent(DeviceKind kind, size_t key_bytes, uint64_t count) {
  const uint64_t missed = count * MISSED_CARRY_SAMPLES / carry_look_samples(kind, key_bytes, count);
  const uint32_t most = on_chip_block_items(multiway_row(kind, 8), on_chip_row(kind, 8));
  return missed + carry_bucket_items(kind, carry_row(kind).straight_share) > most;
}

/* Blocks that count, to a multiprocessor: as many as hide each other's waiting. */
constexpr uint32_t CARRY_COUNTERS = 2;

/* Samples that a bucket of a group needs at least: they leave it an error of a ninth. */
constexpr uint32_t CARRY_BUCKET_SAMPLES = 80;

/* Bits that are the same in all keys of a bucket, and lie between others, which are worth leaving out where keys crowd: with fewer, cells are
   less than eight times as full as they might be. */
constexpr uint32_t MIN_CARRY_BITS_LEFT_OUT = 3;

/* The longest run of keys that agree in their items, but for the key itself, of which each counts those before it. By reckoning: two merges
   take 30 us for a bucket, and a look at one more key of each run 0.3. */
constexpr uint32_t CARRY_MENDED_KEYS = 64;

/* Blocks that divide a group, each by splitters of its own making, which are the same: with one to a multiprocessor 2^26 gaussian keys
   took 0.20 ms, since it waits for memory. */
constexpr uint32_t CARRY_DIVIDERS = 2;

/* Keys of a thread that copies a piece of equal keys: a few at a time are on their way. */
constexpr uint32_t CARRY_COPIED_ITEMS = 16;

} // namespace cdp

#endif
