/* SPDX-License-Identifier: MIT */
/*
 * Walking along an array: each warp takes a stretch of consecutive keys at a time, and compares each key with the one before it.
 *
 *     | piece of 16 bytes of lane 0 | of lane 1 | ... | of lane 31 |     a row; a stretch has one to four
 *
 * 1. Rows begin at multiples of 16 bytes, wherever the keys do: what of the first row lies before them is not read. So whole
 *    stretches are read in pieces whatever the array's alignment.
 * 2. The key before a piece's first is the last of the lane below, handed over by a shuffle; that of lane 0 the last of the row
 *    before, and of the first row one that is read for itself.
 * No barriers: what warps have in common is their kernels' business.
 */
#ifndef CDPSORT_DEVICE_RANGES_WALK_CUH
#define CDPSORT_DEVICE_RANGES_WALK_CUH

#include "block/multiway_shape.cuh"
#include "block/scan.cuh"
#include "payload/items.cuh"
#include "tuning_ranges.h"

#include <type_traits>

namespace cdp::CDP_RUNTIME {

constexpr RangesShape RANGES_SHAPE = ranges_shape(DEVICE_KIND == DeviceKind::simulated);
constexpr uint32_t WALK_THREADS = RANGES_SHAPE.walk_threads;
constexpr uint32_t WALK_WARPS = WALK_THREADS / WARP_LANES;

/* An entered key, in no more registers than it takes. */
template <typename Raw>
using EnteredKey = std::conditional_t<sizeof(Raw) == 8, uint64_t, uint32_t>;

template <typename Raw>
constexpr uint32_t PIECE_KEYS = sizeof(SixteenBytes) / sizeof(Raw);
template <typename Raw>
constexpr uint32_t WALK_ITEMS = walk_items(RANGES_SHAPE, sizeof(Raw));
template <typename Raw>
constexpr uint32_t STRETCH_ROWS = WALK_ITEMS<Raw> / PIECE_KEYS<Raw>;
template <typename Raw>
constexpr uint32_t STRETCH_KEYS = WARP_LANES *WALK_ITEMS<Raw>;

/* An array, as kernels that walk are given it. */
template <typename Raw>
struct WalkedKeys {
  const Raw *keys;
  uint64_t count;
  uint32_t lead; /* so many keys would lie between the multiple of 16 bytes before it and its first */
  Entry<Raw> entry;

  __device__ __forceinline__ uint64_t stretches() const {
    constexpr uint64_t KEYS = STRETCH_KEYS<Raw>;
    return (count + lead + KEYS - 1) / KEYS;
  }
  __device__ __forceinline__ EnteredKey<Raw> enter(Raw raw) const {
    return static_cast<EnteredKey<Raw>>(entry.enter(raw));
  }
};

template <typename Raw>
WalkedKeys<Raw> walked_keys(const cdp_ranges_request &asked) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(asked.d_keys);
  return {static_cast<const Raw *>(asked.d_keys), asked.count,
          static_cast<uint32_t>(address % sizeof(SixteenBytes) / sizeof(Raw)),
          entry_of<Raw>(asked.type, asked.order, asked.ties)};
}

/* A lane's keys of a stretch. All lanes of the warp take part in all of it. */
template <typename Raw>
struct Stretch {
  static constexpr uint32_t ITEMS = WALK_ITEMS<Raw>;
  static constexpr uint32_t KEYS = PIECE_KEYS<Raw>;
  static constexpr uint32_t ROWS = STRETCH_ROWS<Raw>;

  Raw raw[ITEMS];
  Raw before;     /* of lane 0: the key before the stretch, if there is one */
  uint64_t first; /* index of the lane's first key; before the array it has wrapped around, and is beyond it */
  uint32_t has;   /* a bit for each key that there is */

  /* The index of an item, if it has one. */
  __device__ __forceinline__ uint64_t index(uint32_t item) const {
    return first + item / KEYS * WARP_LANES * KEYS + item % KEYS;
  }

  /* All loads are on their way before the first key is used. */
  __device__ __forceinline__ void load(const WalkedKeys<Raw> &array, uint64_t stretch) {
    const uint32_t lane = threadIdx.x % WARP_LANES;
    const uint64_t begin = stretch * STRETCH_KEYS<Raw> - array.lead;
    first = begin + lane * KEYS;
    // The same for all lanes; wrapped around, `begin` is beyond the array.
    if (begin < array.count && array.count - begin >= STRETCH_KEYS<Raw>)
      load_pieces(array);
    else
      load_keys(array);
    before = lane == 0 && first - 1 < array.count ? array.keys[first - 1] : Raw{0};
  }

  /*
   * A bit for each key that the predicate holds of, given the key before it and itself, both entered; not of the array's first.
   */
  template <typename Predicate>
  __device__ __forceinline__ uint32_t compare(const WalkedKeys<Raw> &array, Predicate predicate) const {
    const uint32_t lane = threadIdx.x % WARP_LANES;
    EnteredKey<Raw> below_row = array.enter(before);
    uint32_t marks = 0;
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++) {
      const EnteredKey<Raw> last = array.enter(raw[row * KEYS + KEYS - 1]);
      const EnteredKey<Raw> below = __shfl_up_sync(ALL_LANES, last, 1);
      EnteredKey<Raw> left = lane == 0 ? below_row : below;
#pragma unroll
      for (uint32_t key = 0; key < KEYS; key++) {
        const EnteredKey<Raw> right = array.enter(raw[row * KEYS + key]);
        marks |= (predicate(left, right) ? 1u : 0u) << (row * KEYS + key);
        left = right;
      }
      below_row = __shfl_sync(ALL_LANES, last, WARP_LANES - 1);
    }
    return marks & has & ~array_begin();
  }

  /* The bit of the array's first key, if it is the lane's. */
  __device__ __forceinline__ uint32_t array_begin() const {
    const uint64_t item = 0 - first; // in the first row, where nothing else than keys that there are not comes before it
    return item < KEYS ? 1u << item : 0;
  }

  /* The bits of one row. */
  static __device__ __forceinline__ uint32_t of_row(uint32_t marks, uint32_t row) {
    return marks >> (row * KEYS) & ((1u << KEYS) - 1);
  }

private:
  __device__ __forceinline__ void load_pieces(const WalkedKeys<Raw> &array) {
    const SixteenBytes *pieces = reinterpret_cast<const SixteenBytes *>(array.keys + first);
    SixteenBytes loaded[STRETCH_ROWS<Raw>] = {};
#pragma unroll
    for (uint32_t row = 0; row < STRETCH_ROWS<Raw>; row++)
      loaded[row] = pieces[row * WARP_LANES];
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++) {
      const uint32_t byte = item % KEYS * static_cast<uint32_t>(sizeof(Raw));
      raw[item] = static_cast<Raw>(loaded[item / KEYS].halves[byte / 8] >> (byte % 8 * 8));
    }
    has = (1u << ITEMS) - 1;
  }

  __device__ __forceinline__ void load_keys(const WalkedKeys<Raw> &array) {
    has = 0;
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++) {
      const bool is_there = index(item) < array.count;
      raw[item] = is_there ? array.keys[index(item)] : Raw{0};
      has |= (is_there ? 1u : 0u) << item;
    }
  }
};

} // namespace cdp::CDP_RUNTIME

#endif
