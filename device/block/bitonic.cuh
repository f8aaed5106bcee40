/* SPDX-License-Identifier: MIT */
/*
 * Bitonic sort (Batcher 1968; Nguyen 2021, chapter 3) of what one warp holds in registers: comparators within a lane or
 * across a shuffle, no shared memory, no barrier: those of cdpsort/device/comparators.cuh. Many warps sort side by side; a kernel
 * that does this keeps clear of the small shared-memory split that device-launched grids are given
 * (docs/notes/shared-memory-split.md).
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

#include "block/device_header.cuh"
#include "block/scan.cuh"

namespace cdp::CDP_RUNTIME {

/* The comparators are those of the public header for kernels, on numbers. */
template <uint32_t ITEMS, typename Bits>
__device__ __forceinline__ cdpsort::network::Items<Bits, cdpsort::NoValue, ITEMS> items_of(Bits (&items)[ITEMS]) {
  return {items};
}

/* Comparators within a lane: a flip of size SIZE, or its distance SIZE / 2, then distances down to 1. */
template <uint32_t SIZE, bool FLIP, uint32_t ITEMS, typename Bits>
__device__ __forceinline__ void merge_in_lane(Bits (&items)[ITEMS]) {
  cdpsort::network::merge_in_lane<SIZE, FLIP>(items_of(items), cdpsort::Less{});
}

/* Sorts each lane's items [FIRST, FIRST + SIZE). */
template <uint32_t FIRST, uint32_t SIZE, uint32_t ITEMS, typename Bits>
__device__ __forceinline__ void sort_in_lane(Bits (&items)[ITEMS]) {
  cdpsort::network::sort_in_lane<FIRST, SIZE>(items_of(items), cdpsort::Less{});
}

/* Sorts a warp's blocked items where its lower and its upper half, taken together, are bitonic already: the last distances of a
   larger network. All lanes take part. */
template <uint32_t ITEMS, typename Bits>
__device__ __forceinline__ void warp_bitonic_merge(Bits (&items)[ITEMS]) {
  cdpsort::network::merge_lanes(items_of(items), WARP_LANES, cdpsort::Less{});
}

/* Sorts a warp's items, in any arrangement, into the blocked one. All lanes take part. */
template <uint32_t ITEMS, typename Bits>
__device__ __forceinline__ void warp_bitonic_sort(Bits (&items)[ITEMS]) {
  cdpsort::network::sort_lanes(items_of(items), cdpsort::Less{});
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
