/* SPDX-License-Identifier: MIT */
/*
 * Tuning numbers of keys of 8 and of 16 bits, which are sorted by counting their values. tuning.h includes it.
 */
#ifndef CDPSORT_DEVICE_TUNING_NARROW_H
#define CDPSORT_DEVICE_TUNING_NARROW_H

#include "tuning_kinds.h"

namespace cdp {

/* How many values keys of so many bytes have. */
constexpr uint32_t narrow_values(uint32_t key_bytes) {
  return 1u << (8 * key_bytes);
}

/*
 * Blocks that count values, a row for each kind of device.
 *
 * threads          of every block; as many as 8-bit keys have values at least, and at most 1,024.
 * parts            into how many parts the values of 16-bit keys are divided, for blocks to count one each: their counters, of 16
 *                  bits, take 128 KB together. A power of two.
 * one_block_items  the longest arrays that one block sorts, of 8-bit and of 16-bit keys; 0: none. Fewer than 2^16, so that
 *                  counters of 16 bits do. The block counts all values, and so has room for all.
 */
struct NarrowRow {
  uint32_t threads;
  uint32_t parts;
  uint32_t one_block_items[2];
};

constexpr NarrowRow narrow_row(DeviceKind kind) {
  switch (kind) {
  case DeviceKind::simulated:
    return {256, 4, {1024, 1024}};
  case DeviceKind::small:
    return {1024, 2, {1u << 15, 0}};
  case DeviceKind::medium:
  case DeviceKind::large:
    break;
  }
  return {1024, 1, {1u << 15, 1u << 14}};
}

constexpr uint32_t narrow_one_block_items(DeviceKind kind, uint32_t key_bytes) {
  return narrow_row(kind).one_block_items[key_bytes - 1];
}

/* Vectors of 16 bytes that a thread has on their way while it counts others: 64 KB for a multiprocessor's 1,024 threads are twice
   what device memory needs to be kept busy. And the most 16-bit keys to a thread between two barriers, of which half_counter_full()
   is sure that no counter overflows. */
constexpr uint32_t NARROW_BATCH_VECTORS = 4;
constexpr uint32_t NARROW_BATCH_ITEMS = NARROW_BATCH_VECTORS * 16 / 2;

/* Keys of 16 bits that a block counts at least: as many as have counters, which it adds up for all. */
constexpr uint64_t MIN_NARROW_SHARE = 1u << 15;

/* Of the keys that the lanes of a warp count, how many must have one value for one lane to add for all of them, and how many values
   at most are added so: an atomic in shared memory takes a cycle for each lane that wants the same counter. */
constexpr uint32_t MIN_SAME_LANES = 8;
constexpr uint32_t MAX_SAME_VALUES = 4;

/* Blocks of 1,024 threads that write, to a multiprocessor: as many as it holds. */
constexpr uint32_t resident_writers(DeviceKind kind) {
  return kind == DeviceKind::small ? 1 : 2; // most such multiprocessors have 1,024 or 1,536 threads at once
}

} // namespace cdp

#endif
