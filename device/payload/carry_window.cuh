/* SPDX-License-Identifier: MIT */
/*
 * What the items of a bucket have of their keys (carry_buckets.cuh): those of 4 bytes have all of it. One of 8 bytes and its position do
 * not fit an item. So many upper bits of its distance from the least key of the bucket are in it as the position leaves, 51 beside 2^13
 * positions: all of them, where the bucket is no wider than a 2^13th of all numbers. Else keys that agree in those bits are in the order
 * of the input, and it is looked whether that is their own.
 *
 * Keys of letters or digits crowd in few cells, since bits between those that vary are the same in all of them. Without these they do not.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_CARRY_WINDOW_CUH
#define CDPSORT_DEVICE_PAYLOAD_CARRY_WINDOW_CUH

#include "payload/carry_restage.cuh"

namespace cdp::CDP_RUNTIME {

template <OnChipBy BY>
constexpr uint32_t CARRY_POSITION_BITS = 32 - CARRY_POSITION_SHIFT<BY>;
static_assert(CarryShape<OnChipBy::block>::MAX_ITEMS <= UINT16_MAX + 1 &&
                  CarryShape<OnChipBy::team>::MAX_ITEMS <= UINT16_MAX + 1,
              "a half of 32 bits has a position");

/* Of keys of 4 bytes. */
template <typename Key, OnChipBy BY>
struct CarryWindow {
  static_assert(sizeof(Key) == 4, "others have a form of their own");
  static constexpr uint32_t POSITION_SHIFT = CARRY_POSITION_SHIFT<BY>;
  static constexpr uint32_t BELOW_POSITION = POSITION_SHIFT - 16; /* bits of an upper half */

  __device__ __forceinline__ static CarryItem item(Key key, uint32_t position) {
    return static_cast<CarryItem>(key) << 32 | position << POSITION_SHIFT;
  }
  __device__ __forceinline__ static Key key(CarryItem item) {
    return key_of(item);
  }
  /* Sixteen bits of an item that have its position, and that. */
  __device__ __forceinline__ static uint32_t half(CarryItem item) {
    return static_cast<uint32_t>(item) >> 16;
  }
  __device__ __forceinline__ static uint32_t position(uint32_t half) {
    return half >> BELOW_POSITION;
  }
  /* The greatest that the lower 32 bits of an item may be. */
  __device__ __forceinline__ static uint32_t last(uint32_t count) {
    return (count - 1) << POSITION_SHIFT;
  }
};

/* Of 8 bytes: a distance, and its position right below it, as far up as makes 32 bits of distances that have no more: so positions are as
   wide a part of an item as they can be, and equal keys lie in as many cells. */
template <OnChipBy BY>
struct CarryWindow<uint64_t, BY> {
  static constexpr uint32_t POSITION_BITS = CARRY_POSITION_BITS<BY>;
  static constexpr uint32_t BITS = 64 - POSITION_BITS;

  uint64_t least;
  uint32_t drop;         /* lower bits of a distance that are left out */
  uint32_t raise;        /* zeros behind the position; none where bits are left out */
  uint32_t is_compacted; /* 1: distances are of what varying bits make of keys (bit_compaction.cuh) */

  /* Of the keys between two. */
  __device__ __forceinline__ static CarryWindow between(uint64_t least, uint64_t greatest) {
    const uint32_t bits = max(bits_of(greatest - least), 32u);
    return {least, bits > BITS ? bits - BITS : 0, bits < BITS ? BITS - bits : 0, 0};
  }
  __device__ __forceinline__ CarryItem item(uint64_t key, uint32_t position) const {
    return ((key - least) >> drop << POSITION_BITS | position) << raise;
  }
  /* Whether an item tells its key. */
  __device__ __forceinline__ bool is_whole() const {
    return drop == 0 && is_compacted == 0;
  }
  __device__ __forceinline__ uint64_t key(CarryItem item) const {
    return least + (item >> raise >> POSITION_BITS);
  }
  /* An item of what is left out. */
  __device__ __forceinline__ CarryItem left_out(uint64_t key, uint32_t position) const {
    return ((key - least) & ((uint64_t{1} << drop) - 1)) << POSITION_BITS | position;
  }
  __device__ __forceinline__ uint32_t half(CarryItem item) const {
    return static_cast<uint32_t>(item >> raise) & ((1u << POSITION_BITS) - 1);
  }
  __device__ __forceinline__ static uint32_t position(uint32_t half) {
    return half;
  }
  __device__ __forceinline__ uint32_t last(uint32_t count) const {
    return raise == BITS - 32 ? (count - 1) << raise : UINT32_MAX;
  }
};

} // namespace cdp::CDP_RUNTIME

#endif
