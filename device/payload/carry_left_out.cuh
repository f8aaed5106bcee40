/* SPDX-License-Identifier: MIT */
/*
 * Keys of 8 bytes of which items leave something out (carry_window.cuh): whether they are in order, and what is done if not. Neighbours of a
 * wide bucket may differ in that alone.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_CARRY_LEFT_OUT_CUH
#define CDPSORT_DEVICE_PAYLOAD_CARRY_LEFT_OUT_CUH

#include "payload/carry_bucket.cuh"

namespace cdp::CDP_RUNTIME {

/* Whether keys that their items do not tell apart have come in the wrong order. All threads of the team take part; ends with a barrier. */
template <OnChipBy BY, bool IS_MERGED, typename Value>
__device__ __noinline__ bool is_left_out_disordered(const Carry<uint64_t, Value> &carry) {
  using Window = CarryWindow<uint64_t, BY>;
  const CarryTeam<BY> team;
  const CarryBucket<uint64_t, BY> bucket = carry_bucket<uint64_t, BY>();
  const CarryItem *stage = carry_room<uint64_t, BY>().stage;
  const uint64_t *keys = carry.sorted_keys + bucket.begin;
  bool is_disordered = false;
  for (uint32_t index = team.thread + 1; index < bucket.count; index += CarryShape<BY>::THREADS) {
    const CarryItem item = stage[staged_place<IS_MERGED>(index)];
    const CarryItem before = stage[staged_place<IS_MERGED>(index - 1)];
    if ((item ^ before) >> Window::POSITION_BITS == 0)
      is_disordered |= keys[bucket.window.half(item)] < keys[bucket.window.half(before)];
  }
  return team.any(is_disordered);
}

/* Whether there is room where the cells were for as many bits of each key as a position has: there is but for a block of the medium kind. */
template <OnChipBy BY>
constexpr bool HAS_LEFT_OUT_ROOM = sizeof(OnChipTeam<CarryItem, BY>::cells) >= CarryShape<BY>::MAX_ITEMS * sizeof(uint16_t);

/* Puts short runs of keys that items do not tell apart in order: each counts how many of its run come before it. What is left out lies where
   the cells were. Returns whether all runs were short: if not, items are as they were. All threads of the team take part; begins and ends with a
   barrier. */
template <OnChipBy BY, typename Value>
__device__ __noinline__ bool mend_left_out(const Carry<uint64_t, Value> &carry) {
  using Shape = CarryShape<BY>;
  constexpr uint32_t POSITION_BITS = CARRY_POSITION_BITS<BY>;
  static_assert(HAS_LEFT_OUT_ROOM<BY> && POSITION_BITS <= 16, "what is left out has 16 bits at most");
  const CarryTeam<BY> team;
  const CarryBucket<uint64_t, BY> &bucket = carry_bucket<uint64_t, BY>();
  auto &room = carry_room<uint64_t, BY>();
  auto *left_out = reinterpret_cast<uint16_t *>(room.cells);
  const uint64_t *keys = carry.sorted_keys + bucket.begin;
  const uint32_t count = bucket.count;
  const CarryWindow<uint64_t, BY> window = bucket.window;
  for (uint32_t index = team.thread; index < count; index += Shape::THREADS)
    left_out[index] = static_cast<uint16_t>(window.left_out(keys[index], 0) >> POSITION_BITS);
  team.sync();
  const auto item_at = [&room](uint32_t index) { return room.stage[on_chip_place<CarryItem>(index)]; };
  CarryItem items[Shape::ITEMS];
  uint32_t places[Shape::ITEMS / 2] = {};
  bool is_long = false;
#pragma unroll
  for (uint32_t row = 0; row < Shape::ITEMS; row++) {
    const uint32_t index = row * Shape::THREADS + team.thread;
    if (index >= count)
      continue;
    const CarryItem item = item_at(index);
    const uint32_t own = left_out[window.half(item)];
    uint32_t place = index;
    uint32_t looked_at = 0;
    const auto agrees = [&](uint32_t other) {
      return (item_at(other) ^ item) >> POSITION_BITS == 0 && ++looked_at < CARRY_MENDED_KEYS;
    };
    for (uint32_t other = index; other != 0 && agrees(other - 1); other--)
      place -= left_out[window.half(item_at(other - 1))] > own ? 1 : 0;
    for (uint32_t other = index + 1; other < count && agrees(other); other++)
      place += left_out[window.half(item_at(other))] < own ? 1 : 0;
    is_long |= looked_at >= CARRY_MENDED_KEYS;
    items[row] = item;
    places[row / 2] |= place << (row % 2 * 16);
  }
  if (team.any(is_long))
    return false;
#pragma unroll
  for (uint32_t row = 0; row < Shape::ITEMS; row++)
    if (row * Shape::THREADS + team.thread < count)
      room.stage[on_chip_place<CarryItem>(places[row / 2] >> (row % 2 * 16) & 0xFFFF)] = items[row];
  team.sync();
  return true;
}

/* Sorts a bucket by what items leave out, and then, in the order that this has left, by what they have. Leaves them as merge_staged() does.
   All threads of the team take part; begins and ends with a barrier. */
template <OnChipBy BY, typename Value>
__device__ __noinline__ void sort_left_out(const Carry<uint64_t, Value> &carry) {
  constexpr uint32_t ITEMS = CarryShape<BY>::ITEMS;
  const CarryTeam<BY> team;
  const CarryBucket<uint64_t, BY> bucket = carry_bucket<uint64_t, BY>();
  const uint64_t *keys = carry.sorted_keys + bucket.begin;
  uint64_t *positions = carry.grouped_keys + bucket.begin; // of each rank by what is left out
  CarryItem *stage = carry_room<uint64_t, BY>().stage;
  const uint32_t threads = (bucket.count + WARP_LANES * ITEMS - 1) / (WARP_LANES * ITEMS) * WARP_LANES;
  const uint32_t first = team.thread * ITEMS;
  const uint32_t held = first < bucket.count ? min(ITEMS, bucket.count - first) : 0;
  CarryItem items[ITEMS];
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    items[item] = item < held ? bucket.window.left_out(keys[first + item], first + item) : GREATEST<CarryItem>;
  merge_sort_items(items, threads, stage, team);
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    if (item < held) {
      const uint32_t position = bucket.window.half(items[item]);
      positions[first + item] = position;
      items[item] = bucket.window.item(keys[position], first + item);
    }
  team.sync(); // all positions are there
  merge_sort_items(items, threads, stage, team);
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    if (item < held) {
      const uint32_t rank = bucket.window.half(items[item]);
      stage[padded(first + item)] = (items[item] ^ rank) | positions[rank];
    }
  team.sync();
}

/* Has items in order whose keys differ only in what they leave out. Returns whether they lie as merge_staged() leaves them. All threads of
   the team take part; ends with a barrier. */
template <OnChipBy BY, typename Key, typename Value>
__device__ __forceinline__ bool settle_left_out(const Carry<Key, Value> &carry, bool is_merged) {
  if constexpr (sizeof(Key) == sizeof(uint32_t)) {
    return is_merged;
  } else {
    if (reread(carry_bucket<Key, BY>().window.drop) == 0 ||
        !(is_merged ? is_left_out_disordered<BY, true>(carry) : is_left_out_disordered<BY, false>(carry)))
      return is_merged;
    if constexpr (HAS_LEFT_OUT_ROOM<BY>)
      if (!is_merged && mend_left_out<BY>(carry))
        return false;
    sort_left_out<BY>(carry);
    return true;
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
