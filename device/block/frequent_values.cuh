/* SPDX-License-Identifier: MIT */
/*
 * Frequent values: those of so many keys that no bucket of a map should have to hold them. Their keys are counted, and written
 * where they belong when everything else is in order; they are never moved.
 *
 * Whether a key is one of them is asked for every key. Therefore the values lie in a table where each has two places, either of
 * which it may be in, so that the answer is two looks at shared memory (Pagh and Rodler, "Cuckoo hashing", 2001; filled by many
 * threads at once as by Alcantara et al., "Real-time parallel hashing on the GPU", 2009). A place that is free has a value all
 * the same: one for which it is the wrong place. And the answer is marked, a bit for each key, when keys are counted, so that it is
 * not asked again when they are moved (H200, 2^27 keys of 32 bits by Zipf's law: 577 us in place of 660).
 */
#ifndef CDPSORT_DEVICE_BLOCK_FREQUENT_VALUES_CUH
#define CDPSORT_DEVICE_BLOCK_FREQUENT_VALUES_CUH

#include "block/key_lines.cuh"
#include "block/multiway_shape.cuh"

namespace cdp::CDP_RUNTIME {

/* Of a kind of device: the places of the table, the most values, and the most that are listed while a sample is drawn. */
template <typename Bits, DeviceKind KIND>
struct FrequentShapeOf {
  static constexpr uint32_t SLOTS = frequent_slots(KIND, sizeof(Bits));
  static constexpr uint32_t SLOT_BITS = floor_log2(SLOTS);
  static constexpr uint32_t MAX_VALUES = SLOTS / 2;
  static constexpr uint32_t MAX_FILED = SLOTS / 8 * 3; /* a table that is fuller might lose some */
  static constexpr uint32_t MAX_LISTED = 4 * SLOTS;
  static constexpr uint32_t EACH = 2; /* values to a thread that sorts them */
  static_assert(SLOTS == 1u << SLOT_BITS, "a place is the upper bits of a product");
  static_assert(MAX_VALUES <= EACH * MultiwayShapeOf<Bits, KIND>::BLOCK_THREADS, "a block sorts them in its registers");
};
template <typename Bits>
using FrequentShape = FrequentShapeOf<Bits, DEVICE_KIND>;

/* Which of a thread's keys of half a tile are moved, since their values are not frequent: a bit for each. */
template <typename Bits>
using KeptMarks = std::conditional_t<kept_mark_bytes(DEVICE_KIND, sizeof(Bits)) == 2, uint16_t, uint8_t>;

/* A value's two places. */
struct SlotPair {
  uint32_t first;
  uint32_t second;
};

template <typename Bits>
__device__ __forceinline__ SlotPair slots_of(Bits value) {
  constexpr uint32_t SHIFT = 32 - FrequentShape<Bits>::SLOT_BITS;
  uint32_t folded = static_cast<uint32_t>(value);
  if constexpr (sizeof(Bits) == 8)
    folded += static_cast<uint32_t>(value >> 32) * 0x9E3779B1u;
  return {folded * 0x85EBCA6Bu >> SHIFT, folded * 0xC2B2AE35u >> SHIFT};
}

constexpr uint32_t NO_FREQUENT = UINT32_MAX;

/* Where a value is, or NO_FREQUENT. */
template <typename Bits>
__device__ __forceinline__ uint32_t find_slot(Bits value, const Bits *slots) {
  const SlotPair pair = slots_of(value);
  const Bits first = slots[pair.first];
  const Bits second = slots[pair.second];
  return first == value ? pair.first : second == value ? pair.second : NO_FREQUENT;
}

/* Exchanges a value in shared memory. */
template <typename Bits>
__device__ __forceinline__ Bits exchange(Bits *place, Bits value) {
  if constexpr (sizeof(Bits) == 4)
    return atomicExch(place, value);
  else
    return atomicExch(reinterpret_cast<unsigned long long *>(place), value);
}

/* Puts a value in one of its places; what was there goes to its other one, and so on. `free`: what stands in free places. For
   each thread by itself. One that finds no place is lost. */
template <typename Bits>
__device__ __forceinline__ void put_in_slot(Bits value, Bits free, Bits *slots) {
  if (value == free || find_slot(value, slots) != NO_FREQUENT)
    return;
  uint32_t slot = slots_of(value).first;
  for (uint32_t round = 0; round < MAX_SLOT_ROUNDS; round++) {
    const Bits before = exchange(&slots[slot], value);
    if (before == free || before == value)
      return;
    value = before;
    const SlotPair pair = slots_of(value);
    slot = slot == pair.first ? pair.second : pair.first;
  }
}

/* By lines that frequent values are left out of. */
template <typename Bits, LineForm FORM = LineForm::either, LineSpread SPREAD = LineSpread::either>
struct FrequentMap {
  static constexpr bool HAS_FREQUENT = true;

  KeyLines<Bits> lines;
  const uint32_t *line_words;
  const Bits *slots;

  __device__ __forceinline__ uint32_t operator()(Bits key) const {
    return bucket_by_lines<FORM>(lines, spread_offset<SPREAD>(lines, key), line_words);
  }
  __device__ __forceinline__ bool has_frequent() const {
    return true;
  }
  __device__ __forceinline__ uint32_t slot_of(Bits key) const {
    return find_slot(key, slots);
  }
};

/* By whatever lines there are, which is looked up for every key: for what is hardly ever done. */
template <typename Bits>
struct AnyMap : FrequentMap<Bits> {
  using ByLines = FrequentMap<Bits>;

  __device__ __forceinline__ uint32_t operator()(Bits key) const {
    const StraightMap<Bits> straight = straight_map(this->lines);
    return this->lines.factor != 0 ? straight(key) : ByLines::operator()(key);
  }
  __device__ __forceinline__ bool has_frequent() const {
    return this->lines.frequent != 0;
  }
  __device__ __forceinline__ uint32_t slot_of(Bits key) const {
    return has_frequent() ? ByLines::slot_of(key) : NO_FREQUENT;
  }
};

} // namespace cdp::CDP_RUNTIME

#endif
