/* SPDX-License-Identifier: MIT */
/*
 * Bitonic sort (Batcher 1968; Nguyen 2021, chapter 3) of what one warp holds in registers: comparators within a lane or
 * across a shuffle, no shared memory, no barrier. Many warps sort side by side; a kernel that does this keeps clear of the
 * small shared-memory split that device-launched grids are given (docs/notes/shared-memory-split.md).
 *
 * The network is the variant whose comparators all point the same way. A phase of size s first compares each item of an
 * s-block with its mirror image (the "flip"), then halves the distance down to 1. Where the thesis turns directions to pad an
 * odd length virtually, here an item that is missing counts as the greatest of all and stays where it is: nothing to turn.
 *
 * Two arrangements of a warp's WARP_LANES * ITEMS items: blocked, lane l holds items [l * ITEMS, (l + 1) * ITEMS), for sorting;
 * and striped, row r of 32 consecutive items over the lanes, for memory. turn_arrangement() is the way between them, both ways.
 */
#ifndef CDPSORT_DEVICE_BLOCK_BITONIC_CUH
#define CDPSORT_DEVICE_BLOCK_BITONIC_CUH

#include "block/scan.cuh"

#include <type_traits>

namespace cdp::CDP_RUNTIME {

/* Puts two items of a lane in order. Of 64-bit integers the greater one is what the lesser one leaves of both, bit by bit: two
   selections would be taken for a minimum and a maximum, and be given a comparison each, of two instructions. */
template <typename Key>
__device__ __forceinline__ void compare_exchange(Key &low, Key &high) {
  const bool in_order = low < high;
  const Key least = in_order ? low : high;
  if constexpr (std::is_same_v<Key, uint64_t>)
    high ^= low ^ least;
  else
    high = in_order ? high : low;
  low = least;
}

/* Comparators within a lane: a flip of size SIZE, or its distance SIZE / 2, then distances down to 1. */
template <uint32_t SIZE, bool FLIP, uint32_t ITEMS, typename Bits>
__device__ __forceinline__ void merge_in_lane(Bits (&items)[ITEMS]) {
  if constexpr (SIZE >= 2) {
#pragma unroll
    for (uint32_t base = 0; base < ITEMS; base += SIZE) {
#pragma unroll
      for (uint32_t item = 0; item < SIZE / 2; item++)
        compare_exchange(items[base + item], items[FLIP ? base + SIZE - 1 - item : base + item + SIZE / 2]);
    }
    merge_in_lane<SIZE / 2, false>(items);
  }
}

/* Merges items FIRST, FIRST + STEP, ... below FIRST + SIZE, whose two halves are sorted: Batcher's odd-even merge. */
template <uint32_t FIRST, uint32_t SIZE, uint32_t STEP, uint32_t ITEMS, typename Bits>
__device__ __forceinline__ void odd_even_merge_in_lane(Bits (&items)[ITEMS]) {
  if constexpr (2 * STEP < SIZE) {
    odd_even_merge_in_lane<FIRST, SIZE, 2 * STEP>(items);
    odd_even_merge_in_lane<FIRST + STEP, SIZE, 2 * STEP>(items);
#pragma unroll
    for (uint32_t item = FIRST + STEP; item + STEP < FIRST + SIZE; item += 2 * STEP)
      compare_exchange(items[item], items[item + STEP]);
  } else {
    compare_exchange(items[FIRST], items[FIRST + STEP]);
  }
}

/* Sorts each lane's items [FIRST, FIRST + SIZE), by odd-even merges: within a lane, where no two items have to move together,
   they take a fifth fewer comparators than bitonic ones (191 for 240 with 32 items). */
template <uint32_t FIRST, uint32_t SIZE, uint32_t ITEMS, typename Bits>
__device__ __forceinline__ void sort_in_lane(Bits (&items)[ITEMS]) {
  if constexpr (SIZE >= 2) {
    sort_in_lane<FIRST, SIZE / 2>(items);
    sort_in_lane<FIRST + SIZE / 2, SIZE / 2>(items);
    odd_even_merge_in_lane<FIRST, SIZE, 1>(items);
  }
}

/* What a lane keeps of its own item and its partner's. */
template <typename Bits>
__device__ __forceinline__ Bits kept(Bits own, Bits partner, bool keeps_greater) {
  return (own < partner) != keeps_greater ? own : partner;
}

/* Comparators between lanes `distance` apart (a power of two): item i with item i. */
template <uint32_t ITEMS, typename Bits>
__device__ __forceinline__ void cross_lanes(Bits (&items)[ITEMS], uint32_t distance) {
  const bool keeps_greater = (threadIdx.x & distance) != 0;
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    items[item] = kept(items[item], __shfl_xor_sync(ALL_LANES, items[item], static_cast<int>(distance)), keeps_greater);
}

/* A flip over `lanes` neighbouring lanes: lane l with its mirror image, and item i with item ITEMS - 1 - i. */
template <uint32_t ITEMS, typename Bits>
__device__ __forceinline__ void flip_lanes(Bits (&items)[ITEMS], uint32_t lanes) {
  static_assert(ITEMS % 2 == 0, "items are flipped in pairs");
  const bool keeps_greater = (threadIdx.x & (lanes / 2)) != 0;
#pragma unroll
  for (uint32_t item = 0; item < ITEMS / 2; item++) {
    const uint32_t mirrored = ITEMS - 1 - item;
    const Bits partner = __shfl_xor_sync(ALL_LANES, items[mirrored], static_cast<int>(lanes - 1));
    const Bits mirrored_partner = __shfl_xor_sync(ALL_LANES, items[item], static_cast<int>(lanes - 1));
    items[item] = kept(items[item], partner, keeps_greater);
    items[mirrored] = kept(items[mirrored], mirrored_partner, keeps_greater);
  }
}

/* Sorts a warp's blocked items where its lower and its upper half, taken together, are bitonic already: the last distances of a
   larger network. All lanes take part. */
template <uint32_t ITEMS, typename Bits>
__device__ __forceinline__ void warp_bitonic_merge(Bits (&items)[ITEMS], uint32_t lanes = WARP_LANES) {
  for (uint32_t distance = lanes / 2; distance >= 1; distance /= 2)
    cross_lanes(items, distance);
  merge_in_lane<ITEMS, false>(items);
}

/* Sorts a warp's items, in any arrangement, into the blocked one. All lanes take part. */
template <uint32_t ITEMS, typename Bits>
__device__ __forceinline__ void warp_bitonic_sort(Bits (&items)[ITEMS]) {
  sort_in_lane<0, ITEMS>(items);
  for (uint32_t lanes = 2; lanes <= WARP_LANES; lanes *= 2) {
    flip_lanes(items, lanes);
    warp_bitonic_merge(items, lanes / 2);
  }
}

/*
 * Turns blocked items into striped ones, or back: exchanges the bits of the item's number in its lane with the uppermost bits
 * of the lane. Within a row the items lie in another order, which striped_offset() knows.
 */
template <uint32_t ITEMS, typename Bits>
__device__ __forceinline__ void turn_arrangement(Bits (&items)[ITEMS]) {
#pragma unroll
  for (uint32_t bit = 1; bit < ITEMS; bit *= 2) {
    const uint32_t lane_bit = bit * (WARP_LANES / ITEMS);
    const bool upper = (threadIdx.x & lane_bit) != 0;
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++) {
      if ((item & bit) != 0)
        continue;
      const Bits given = upper ? items[item] : items[item | bit];
      const Bits taken = __shfl_xor_sync(ALL_LANES, given, static_cast<int>(lane_bit));
      if (upper)
        items[item] = taken;
      else
        items[item | bit] = taken;
    }
  }
}

/* Where a lane's item of a striped row lies within the row's 32. */
template <uint32_t ITEMS>
__device__ __forceinline__ uint32_t striped_offset() {
  constexpr uint32_t LANES_TO_AN_ITEM = WARP_LANES / ITEMS;
  const uint32_t lane = threadIdx.x % WARP_LANES;
  return lane % LANES_TO_AN_ITEM * ITEMS + lane / LANES_TO_AN_ITEM;
}

/* Reads `count` keys, raw or entered, at most WARP_LANES * ITEMS, into striped, entered items, coalesced; what is missing
   becomes the greatest. All lanes take part. */
template <typename Bits, uint32_t ITEMS>
__device__ __forceinline__ void load_striped(Bits (&items)[ITEMS], const Bits *source, uint32_t count, const KeyMap<Bits> &map,
                                             bool is_raw) {
  const uint32_t offset = striped_offset<ITEMS>();
#pragma unroll
  for (uint32_t row = 0; row < ITEMS; row++) {
    const uint32_t index = row * WARP_LANES + offset;
    items[row] = index < count ? source[index] : map.missing(is_raw);
  }
  map.enter_all(items, is_raw);
}

/*
 * Writes the first `count` of striped items, coalesced; as raw keys where it is their last place.
 *
 * 1. Which rows have an item is also asked when they are loaded, and a sort later nvcc remembers the answers, as bits of a
 *    register, which it sets and tests.
 * 2. Where one step lets the keys leave, before one loop that writes them, it unpacks the answers and packs them again between the
 *    two: the sort of 32-bit keys took 6 % longer (H200).
 * Therefore there are two loops, each of which asks anew.
 */
template <typename Bits, uint32_t ITEMS>
__device__ __forceinline__ void store_striped(const Bits (&items)[ITEMS], Bits *destination, uint32_t count,
                                              const KeyMap<Bits> &map, bool is_last_place) {
  const uint32_t offset = striped_offset<ITEMS>();
  if (is_last_place && map.changes != 0) {
    const uint32_t end = fresh(count);
#pragma unroll
    for (uint32_t row = 0; row < ITEMS; row++)
      if (row * WARP_LANES + offset < end)
        destination[row * WARP_LANES + offset] = map.leave(items[row]);
    return;
  }
  const uint32_t end = fresh(count);
#pragma unroll
  for (uint32_t row = 0; row < ITEMS; row++)
    if (row * WARP_LANES + offset < end)
      destination[row * WARP_LANES + offset] = items[row];
}

/* Sorts at most WARP_LANES * ITEMS keys from source to destination, which may be the same. All lanes of the warp take part;
   what the keys are must be visible to it. */
template <typename Bits, uint32_t ITEMS>
__device__ __forceinline__ void warp_sort_keys(const Bits *source, Bits *destination, uint32_t count, const KeyMap<Bits> &map,
                                               bool is_raw, bool is_last_place) {
  Bits items[ITEMS];
  load_striped(items, source, count, map, is_raw);
  warp_bitonic_sort(items);
  turn_arrangement(items);
  store_striped(items, destination, count, map, is_last_place);
}

} // namespace cdp::CDP_RUNTIME

#endif
