/* SPDX-License-Identifier: MIT */
/**
 * @file comparators.cuh
 * The steps that the block sorts of block_sort.cuh are made of: comparators within a lane's registers, and between lanes by
 * shuffles. A part of cdpsort/device.cuh, which see; nothing here is meant to be called by itself.
 *
 * The network is the bitonic one (Batcher 1968; Nguyen 2021, chapter 3) in the variant whose comparators all point the same way: a
 * phase of size s first compares each item of an s-block with its mirror image (the "flip"), then halves the distance down to 1.
 */
#ifndef CDPSORT_DEVICE_CUH_COMPARATORS
#define CDPSORT_DEVICE_CUH_COMPARATORS

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace cdpsort {

/** The order by operator<. Integers have a faster way then: a minimum and a maximum. */
struct Less {
  template <typename Key>
  __host__ __device__ __forceinline__ bool operator()(const Key &left, const Key &right) const {
    return left < right;
  }
};

/** Descending, by operator<. Of integers as fast as Less. */
struct Greater {
  template <typename Key>
  __host__ __device__ __forceinline__ bool operator()(const Key &left, const Key &right) const {
    return right < left;
  }
};

/** What goes with a key where nothing does. */
struct NoValue {};

namespace network {

constexpr uint32_t WARP_LANES = 32;
constexpr uint32_t ALL_LANES = 0xffffffffu;

/* Whether equal keys are the same in every bit, so that a comparator may write each of two twice: not of floating-point numbers. */
template <typename Key, typename Value, typename Compare>
constexpr bool IS_PLAIN = std::conjunction_v<std::is_integral<Key>, std::is_same<Value, NoValue>,
                                             std::disjunction<std::is_same<Compare, Less>, std::is_same<Compare, Greater>>>;

template <typename Value>
constexpr bool HAS_VALUE = !std::is_same_v<Value, NoValue>;

constexpr uint32_t log2_of(uint32_t power) {
  return power <= 1 ? 0 : 1 + log2_of(power / 2);
}

/* ---- Within a lane ----------------------------------------------------------------------------------------------------- */

/* Puts two keys of a lane in order. Of 64-bit integers the greater one is what the lesser one leaves of both, bit by bit: two
   selections would be taken for a minimum and a maximum, and be given a comparison each, of two instructions. */
template <typename Key>
__device__ __forceinline__ void compare_exchange(Key &low, Key &high) {
  const bool in_order = low < high;
  const Key least = in_order ? low : high;
  if constexpr (sizeof(Key) == 8)
    high ^= low ^ least;
  else
    high = in_order ? high : low;
  low = least;
}

/* Selections of numbers stay in registers; so do those of structures, but only if no reference is selected. */
template <typename Item>
__device__ __forceinline__ void exchange_if(bool exchanges, Item &low, Item &high) {
  if constexpr (std::is_arithmetic_v<Item>) {
    const Item least = exchanges ? high : low;
    high = exchanges ? low : high;
    low = least;
  } else if (exchanges) {
    const Item least = high;
    high = low;
    low = least;
  }
}

/* What a lane holds: keys, and values with them or none. All functions that take items ask the comparison about two keys once in
   each lane that holds one of them, the later one first, and exchange both or neither. */
template <typename Key, typename Value, uint32_t ITEMS>
struct Items {
  Key (&keys)[ITEMS];
  Value (&values)[ITEMS];
};
template <typename Key, uint32_t ITEMS>
struct Items<Key, NoValue, ITEMS> {
  Key (&keys)[ITEMS];
};

template <typename Key, typename Value, uint32_t ITEMS, typename Compare>
__device__ __forceinline__ void compare_exchange(const Items<Key, Value, ITEMS> &items, uint32_t low, uint32_t high,
                                                 Compare compare) {
  if constexpr (IS_PLAIN<Key, Value, Compare>) {
    if constexpr (std::is_same_v<Compare, Greater>)
      compare_exchange(items.keys[high], items.keys[low]);
    else
      compare_exchange(items.keys[low], items.keys[high]);
  } else {
    const bool exchanges = compare(items.keys[high], items.keys[low]);
    exchange_if(exchanges, items.keys[low], items.keys[high]);
    if constexpr (HAS_VALUE<Value>)
      exchange_if(exchanges, items.values[low], items.values[high]);
  }
}

/* Comparators within a lane: a flip of size SIZE, or its distance SIZE / 2, then distances down to 1. */
template <uint32_t SIZE, bool FLIP, typename Key, typename Value, uint32_t ITEMS, typename Compare>
__device__ __forceinline__ void merge_in_lane(const Items<Key, Value, ITEMS> &items, Compare compare) {
  if constexpr (SIZE >= 2) {
#pragma unroll
    for (uint32_t base = 0; base < ITEMS; base += SIZE) {
#pragma unroll
      for (uint32_t item = 0; item < SIZE / 2; item++)
        compare_exchange(items, base + item, FLIP ? base + SIZE - 1 - item : base + item + SIZE / 2, compare);
    }
    merge_in_lane<SIZE / 2, false>(items, compare);
  }
}

/* Merges items FIRST, FIRST + STEP, ... below FIRST + SIZE, whose two halves are sorted: Batcher's odd-even merge. */
template <uint32_t FIRST, uint32_t SIZE, uint32_t STEP, typename Key, typename Value, uint32_t ITEMS, typename Compare>
__device__ __forceinline__ void odd_even_merge_in_lane(const Items<Key, Value, ITEMS> &items, Compare compare) {
  if constexpr (2 * STEP < SIZE) {
    odd_even_merge_in_lane<FIRST, SIZE, 2 * STEP>(items, compare);
    odd_even_merge_in_lane<FIRST + STEP, SIZE, 2 * STEP>(items, compare);
#pragma unroll
    for (uint32_t item = FIRST + STEP; item + STEP < FIRST + SIZE; item += 2 * STEP)
      compare_exchange(items, item, item + STEP, compare);
  } else {
    compare_exchange(items, FIRST, FIRST + STEP, compare);
  }
}

/* Sorts each lane's items [FIRST, FIRST + SIZE), by odd-even merges: within a lane, where no two items have to move together,
   they take a fifth fewer comparators than bitonic ones (191 for 240 with 32 items). */
template <uint32_t FIRST, uint32_t SIZE, typename Key, typename Value, uint32_t ITEMS, typename Compare>
__device__ __forceinline__ void sort_in_lane(const Items<Key, Value, ITEMS> &items, Compare compare) {
  if constexpr (SIZE >= 2) {
    sort_in_lane<FIRST, SIZE / 2>(items, compare);
    sort_in_lane<FIRST + SIZE / 2, SIZE / 2>(items, compare);
    odd_even_merge_in_lane<FIRST, SIZE, 1>(items, compare);
  }
}

/* ---- Between lanes ----------------------------------------------------------------------------------------------------- */

/* What the lane has whose number differs in `lane_mask`; of any type that is copied byte by byte. */
template <typename Item>
__device__ __forceinline__ Item partner_of(const Item &item, uint32_t lane_mask) {
  if constexpr (std::is_arithmetic_v<Item> && (sizeof(Item) == 4 || sizeof(Item) == 8)) {
    return __shfl_xor_sync(ALL_LANES, item, static_cast<int>(lane_mask));
  } else {
    constexpr uint32_t WORDS = (sizeof(Item) + 3) / 4;
    uint32_t words[WORDS] = {};
    memcpy(words, &item, sizeof item);
#pragma unroll
    for (uint32_t word = 0; word < WORDS; word++)
      words[word] = __shfl_xor_sync(ALL_LANES, words[word], static_cast<int>(lane_mask));
    Item partner = item;
    memcpy(&partner, words, sizeof partner);
    return partner;
  }
}

/* What a lane keeps of its own key and its partner's, of plain keys. */
template <typename Key>
__device__ __forceinline__ Key kept(Key own, Key partner, bool keeps_greater) {
  return (own < partner) != keeps_greater ? own : partner;
}

/* Has item `item` meet that of a partner, which both lanes have been told of before either changes. They ask the comparison the
   same, and so agree whatever the answer. */
template <typename Key, typename Value, uint32_t ITEMS, typename Compare>
__device__ __forceinline__ void keep(const Items<Key, Value, ITEMS> &items, uint32_t item, const Key &partner,
                                     [[maybe_unused]] const Value &partner_value, bool keeps_greater, Compare compare) {
  Key &own = items.keys[item];
  if constexpr (IS_PLAIN<Key, Value, Compare>) {
    own = kept(own, partner, std::is_same_v<Compare, Greater> ? !keeps_greater : keeps_greater);
  } else {
    Key later = partner;
    Key earlier = own;
    exchange_if(keeps_greater, later, earlier);
    if (compare(later, earlier)) {
      own = partner;
      if constexpr (HAS_VALUE<Value>)
        items.values[item] = partner_value;
    }
  }
}

template <typename Key, typename Value, uint32_t ITEMS>
__device__ __forceinline__ Value partner_value_of([[maybe_unused]] const Items<Key, Value, ITEMS> &items,
                                                  [[maybe_unused]] uint32_t item, [[maybe_unused]] uint32_t lane_mask) {
  if constexpr (HAS_VALUE<Value>)
    return partner_of(items.values[item], lane_mask);
  else
    return {};
}

/* Comparators between lanes `distance` apart (a power of two): item i with item i. All lanes take part. */
template <typename Key, typename Value, uint32_t ITEMS, typename Compare>
__device__ __forceinline__ void cross_lanes(const Items<Key, Value, ITEMS> &items, uint32_t distance, Compare compare) {
  const bool keeps_greater = (threadIdx.x & distance) != 0;
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++) {
    const Key partner = partner_of(items.keys[item], distance);
    keep(items, item, partner, partner_value_of(items, item, distance), keeps_greater, compare);
  }
}

/* A flip over `lanes` neighbouring lanes: lane l with its mirror image, and item i with item ITEMS - 1 - i. All lanes take part. */
template <typename Key, typename Value, uint32_t ITEMS, typename Compare>
__device__ __forceinline__ void flip_lanes(const Items<Key, Value, ITEMS> &items, uint32_t lanes, Compare compare) {
  static_assert(ITEMS % 2 == 0, "items are flipped in pairs");
  const bool keeps_greater = (threadIdx.x & (lanes / 2)) != 0;
#pragma unroll
  for (uint32_t item = 0; item < ITEMS / 2; item++) {
    const uint32_t mirrored = ITEMS - 1 - item;
    const Key partner = partner_of(items.keys[mirrored], lanes - 1);
    const Key mirrored_partner = partner_of(items.keys[item], lanes - 1);
    const Value value = partner_value_of(items, mirrored, lanes - 1);
    const Value mirrored_value = partner_value_of(items, item, lanes - 1);
    keep(items, item, partner, value, keeps_greater, compare);
    keep(items, mirrored, mirrored_partner, mirrored_value, keeps_greater, compare);
  }
}

/* Sorts blocked items (lane l has [l * ITEMS, (l + 1) * ITEMS)) of `lanes` neighbouring lanes, whose halves taken together are
   bitonic already: the last distances of a larger network. All lanes take part. */
template <typename Key, typename Value, uint32_t ITEMS, typename Compare>
__device__ __forceinline__ void merge_lanes(const Items<Key, Value, ITEMS> &items, uint32_t lanes, Compare compare) {
  for (uint32_t distance = lanes / 2; distance >= 1; distance /= 2)
    cross_lanes(items, distance, compare);
  merge_in_lane<ITEMS, false>(items, compare);
}

/* Sorts a warp's items, in any arrangement, into the blocked one. All lanes take part. */
template <typename Key, typename Value, uint32_t ITEMS, typename Compare>
__device__ __forceinline__ void sort_lanes(const Items<Key, Value, ITEMS> &items, Compare compare) {
  sort_in_lane<0, ITEMS>(items, compare);
  for (uint32_t lanes = 2; lanes <= WARP_LANES; lanes *= 2) {
    flip_lanes(items, lanes, compare);
    merge_lanes(items, lanes / 2, compare);
  }
}

} // namespace network

} // namespace cdpsort

#endif
