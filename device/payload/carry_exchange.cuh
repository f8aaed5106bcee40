/* SPDX-License-Identifier: MIT */
/*
 * The items of a bucket are in order (carry_buckets.cuh): its keys and values are brought into that.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_CARRY_EXCHANGE_CUH
#define CDPSORT_DEVICE_PAYLOAD_CARRY_EXCHANGE_CUH

#include "payload/carry_bucket.cuh"
#include "runtime/copy_ahead.cuh"

namespace cdp::CDP_RUNTIME {

/* How many rows of a bucket have an item for a thread. */
template <typename Key, OnChipBy BY>
__device__ __forceinline__ uint32_t held_rows(uint32_t thread) {
  constexpr uint32_t THREADS = CarryShape<BY>::THREADS;
  return (reread(carry_bucket<Key, BY>().count) + THREADS - 1 - thread) / THREADS;
}

template <OnChipBy BY>
using CarryPositions = uint32_t[CarryShape<BY>::ITEMS / 2]; /* halves with positions, in pairs */

/* Brings a bucket's part of an array into the order of the positions, with whatever `finish` makes of what is in it. All threads of the
   team take part; begins with the room free, ends with a barrier. */
template <typename Key, OnChipBy BY, typename Carried, typename Finish>
__device__ __forceinline__ void exchange_carried(Carried *array, const CarryPositions<BY> &positions, Finish finish) {
  constexpr uint32_t ROWS = CarryShape<BY>::ITEMS;
  constexpr uint32_t THREADS = CarryShape<BY>::THREADS;
  static_assert(sizeof(Carried) <= sizeof(CarryItem), "there is room for them");
  {
    const uint32_t thread = CarryTeam<BY>::anew().thread;
    const uint32_t held = held_rows<Key, BY>(thread);
    Carried *stage = reinterpret_cast<Carried *>(&carry_room<Key, BY>()) + thread;
    const Carried *source = array + reread(carry_bucket<Key, BY>().begin) + thread;
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++)
      if (row < held)
        copy_ahead(&stage[row * THREADS], &source[row * THREADS]);
  }
  await_copies();
  CarryTeam<BY>::anew().sync();
  {
    const uint32_t thread = CarryTeam<BY>::anew().thread;
    const uint32_t held = held_rows<Key, BY>(thread);
    const Carried *stage = reinterpret_cast<const Carried *>(&carry_room<Key, BY>());
    Carried *target = array + reread(carry_bucket<Key, BY>().begin) + thread;
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++)
      if (row < held)
        target[row * THREADS] = finish(stage[CarryWindow<Key, BY>::position(positions[row / 2] >> (row % 2 * 16) & 0xFFFF)]);
  }
  CarryTeam<BY>::anew().sync();
}

/* Whether a bucket's items tell their keys. */
template <typename Key, OnChipBy BY>
__device__ __forceinline__ bool are_keys_whole() {
  if constexpr (sizeof(Key) == sizeof(uint32_t))
    return true;
  else
    return carry_bucket<Key, BY>().window.is_whole();
}

/* Writes the keys of items that are in order, and exchanges the values. IS_MERGED: as merge_staged() leaves them. All threads of the
   team take part; ends with a barrier. */
template <OnChipBy BY, bool IS_MERGED, typename Key, typename Value>
__device__ __forceinline__ void write_carried(const Carry<Key, Value> &carry) {
  constexpr uint32_t ROWS = CarryShape<BY>::ITEMS;
  constexpr uint32_t THREADS = CarryShape<BY>::THREADS;
  static_assert(ROWS % 2 == 0, "positions are held in pairs");
  const bool are_whole = are_keys_whole<Key, BY>();
  uint32_t positions[ROWS / 2] = {};
  {
    const uint32_t thread = CarryTeam<BY>::anew().thread;
    const uint32_t held = held_rows<Key, BY>(thread);
    const CarryItem *stage = carry_room<Key, BY>().stage;
    const CarryWindow<Key, BY> window = carry_bucket<Key, BY>().window;
    Key *keys = carry.sorted_keys + reread(carry_bucket<Key, BY>().begin) + thread;
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++)
      if (row < held) {
        const CarryItem item = stage[staged_place<IS_MERGED>(thread + row * THREADS)];
        if (are_whole)
          keys[row * THREADS] = carry.map.leave(window.key(item), true);
        positions[row / 2] |= window.half(item) << (row % 2 * 16);
      }
  }
  CarryTeam<BY>::anew().sync();
  if (!are_whole)
    exchange_carried<Key, BY>(carry.sorted_keys, positions, [&carry](Key key) { return carry.map.leave(key, true); });
  exchange_carried<Key, BY>(carry.sorted_values, positions, [](Value value) { return value; });
}

} // namespace cdp::CDP_RUNTIME

#endif
