/* SPDX-License-Identifier: MIT */
/*
 * Items of 8 bytes that stand for keys of up to 4 with what goes with them:
 *
 *     | zeros | entered key | value, or position in the array |
 *                             low bits
 *
 * Entered keys are numbers that rise in the wanted order (key_map.cuh), so that items are sorted as unsigned numbers, whatever the
 * type and the direction. With positions no two items are equal, and equal keys keep the order of the input.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_ITEMS_CUH
#define CDPSORT_DEVICE_PAYLOAD_ITEMS_CUH

#include "engine.h"
#include "key/key_map.cuh"
#include "key/narrow_map.cuh"
#include "tuning_payload.h"

#include <algorithm>

namespace cdp::CDP_RUNTIME {

/* ---- Grids ------------------------------------------------------------------------------------------------------------- */

inline GridShape payload_grid(uint64_t items) {
  return {static_cast<uint32_t>((items + PAYLOAD_TILE - 1) / PAYLOAD_TILE), PAYLOAD_THREADS, 0};
}

/* Calls work(index) for each index of a tile that is the thread's, and below `count`. */
template <typename Work>
__device__ __forceinline__ void for_each_tile_item(uint64_t begin, uint64_t count, Work work) {
#pragma unroll
  for (uint32_t item = 0; item < PAYLOAD_ITEMS; item++) {
    const uint64_t index = begin + threadIdx.x + item * PAYLOAD_THREADS;
    if (index < count)
      work(index);
  }
}

/* The same of all items, of a grid that has a block for each tile. */
template <typename Work>
__device__ __forceinline__ void for_each_item(uint64_t count, Work work) {
  for_each_tile_item(uint64_t{blockIdx.x} * PAYLOAD_TILE, count, work);
}

/* The same of what may be launched in vain, whose grid may have fewer blocks (payload_grid()): each takes every so many tiles. */
template <typename Work>
__device__ __forceinline__ void for_each_wanted_item(uint64_t count, Work work) {
  const uint64_t step = uint64_t{gridDim.x} * PAYLOAD_TILE;
  uint64_t begin = uint64_t{blockIdx.x} * PAYLOAD_TILE;
  for (; begin < count; begin += step)
    for_each_tile_item(begin, count, work);
}

/* The same, of a grid that may have fewer blocks than it takes: each goes on to others' items. */
template <typename Work>
__device__ __forceinline__ void for_each_item_in_turns(uint64_t count, Work work) {
  const uint64_t first = uint64_t{blockIdx.x} * PAYLOAD_THREADS + threadIdx.x;
  for (uint64_t index = first; index < count; index += uint64_t{gridDim.x} * PAYLOAD_THREADS)
    work(index);
}

/* Of grids that mostly end as they begin, and of those whose blocks add up something. */
inline GridShape few_blocks_grid(uint64_t items) {
  const GridShape grid = payload_grid(items);
  return {std::min(grid.blocks, MAX_PAYLOAD_BLOCKS), grid.threads, 0};
}

/* Whether what may be launched in vain is wanted, as cdp_plan::d_wanted says; NULL: in any case. */
__device__ __forceinline__ bool is_wanted(const uint32_t *wanted) {
  return wanted == nullptr || *wanted != 0;
}

/* Of what may be launched in vain, or not. */
inline GridShape payload_grid(uint64_t items, const uint32_t *wanted) {
  return wanted == nullptr ? payload_grid(items) : few_blocks_grid(items);
}

/* The largest unit that a value is copied in, or keys are read in. */
struct alignas(16) SixteenBytes {
  uint64_t halves[2];
};

/* The largest unit that values and where they lie are multiples of. */
inline uint32_t copied_unit(const void *source, const void *target, uint64_t value_bytes) {
  const uint64_t multiples = reinterpret_cast<uintptr_t>(source) | reinterpret_cast<uintptr_t>(target) | value_bytes;
  uint32_t unit_bytes = sizeof(SixteenBytes);
  while (multiples % unit_bytes != 0)
    unit_bytes /= 2;
  return unit_bytes;
}

/* ---- Keys -------------------------------------------------------------------------------------------------------------- */

/* Makes keys one that count as equal (CDP_TIES_BY_VALUE): zeros +0.0, NaNs the one without a sign that is next to infinity. */
template <typename Raw>
struct TieRule {
  Raw infinity;       /* its bits; 0: keys are equal if their bits are */
  Raw magnitude_mask; /* all bits but the sign */

  __device__ __forceinline__ Raw operator()(Raw raw) const {
    const Raw magnitude = static_cast<Raw>(raw & magnitude_mask);
    if (infinity == 0)
      return raw;
    if (magnitude > infinity)
      return static_cast<Raw>(infinity + 1);
    return magnitude == 0 ? magnitude : raw;
  }
};

inline uint64_t infinity_bits(cdp_type type) {
  switch (type) {
  case CDP_F16:
    return 0x7C00;
  case CDP_BF16:
    return 0x7F80;
  case CDP_F32:
    return 0x7F800000;
  case CDP_F64:
    return 0x7FF0000000000000;
  default:
    return 0;
  }
}

/* Whether keys that count as equal may differ. */
inline bool joins_keys(cdp_type type, cdp_ties ties) {
  return ties == CDP_TIES_BY_VALUE && infinity_bits(type) != 0;
}
inline bool joins_keys(const cdp_payload_request &asked) {
  return joins_keys(asked.type, asked.ties);
}

/* The key map of a width, and that of a type. */
template <typename Raw>
struct MapOf {
  using Type = NarrowMap<Raw>;
  static Type of(cdp_type type, cdp_order order) {
    return narrow_map<Raw>(type, order);
  }
};
template <>
struct MapOf<uint32_t> {
  using Type = KeyMap<uint32_t>;
  static Type of(cdp_type type, cdp_order order) {
    return key_map<uint32_t>(type, order);
  }
};
template <>
struct MapOf<uint64_t> {
  using Type = KeyMap<uint64_t>;
  static Type of(cdp_type type, cdp_order order) {
    return key_map<uint64_t>(type, order);
  }
};

/* From a raw key to the number that it is sorted by, and back. */
template <typename Raw>
struct Entry {
  typename MapOf<Raw>::Type map;
  TieRule<Raw> tie;

  __device__ __forceinline__ uint64_t enter(Raw raw) const {
    return map.enter(tie(raw));
  }
  /* Not where keys are joined. */
  __device__ __forceinline__ Raw leave(uint64_t entered) const {
    return static_cast<Raw>(map.leave(static_cast<std::conditional_t<sizeof(Raw) == 8, uint64_t, uint32_t>>(entered)));
  }
};

template <typename Raw>
Entry<Raw> entry_of(cdp_type type, cdp_order order, cdp_ties ties) {
  Entry<Raw> entry = {};
  entry.map = MapOf<Raw>::of(type, order);
  entry.tie.infinity = joins_keys(type, ties) ? static_cast<Raw>(infinity_bits(type)) : Raw{0};
  entry.tie.magnitude_mask = static_cast<Raw>(static_cast<Raw>(~Raw{0}) >> 1);
  return entry;
}
template <typename Raw>
Entry<Raw> entry_of(const cdp_payload_request &asked) {
  return entry_of<Raw>(asked.type, asked.order, asked.ties);
}

/* ---- Values that travel ------------------------------------------------------------------------------------------------ */

/* Values of up to 4 bytes, in units that their address is a multiple of; const where they are but read. */
template <typename Unit>
struct Travellers {
  Unit *values;
  uint32_t units; /* of a value */

  __device__ __forceinline__ uint32_t load(uint64_t index) const {
    uint32_t value = 0;
    if constexpr (sizeof(Unit) == sizeof(uint32_t))
      value = values[index];
    else
      for (uint32_t unit = 0; unit < units; unit++)
        value |= static_cast<uint32_t>(values[index * units + unit]) << (8 * sizeof(Unit) * unit);
    return value;
  }
  __device__ __forceinline__ void store(uint64_t index, uint32_t value) const {
    if constexpr (sizeof(Unit) == sizeof(uint32_t))
      values[index] = value;
    else
      for (uint32_t unit = 0; unit < units; unit++)
        values[index * units + unit] = static_cast<Unit>(value >> (8 * sizeof(Unit) * unit));
  }
};

/* ---- Kernels ----------------------------------------------------------------------------------------------------------- */

/* Of all of them, `wanted` says whether anything is done. */

/* Items of keys with their positions. */
template <typename Raw>
__global__ void __launch_bounds__(PAYLOAD_THREADS)
    pack_positions_kernel(const Raw *keys, uint64_t count, const Entry<Raw> entry, uint32_t low_bits, uint64_t *items,
                          const uint32_t *wanted) {
  if (!is_wanted(wanted))
    return;
  for_each_wanted_item(count, [&](uint64_t index) { items[index] = entry.enter(keys[index]) << low_bits | index; });
}

/* Items of keys with their values. */
template <typename Raw, typename Unit>
__global__ void __launch_bounds__(PAYLOAD_THREADS)
    pack_values_kernel(const Raw *keys, const Travellers<const Unit> values, uint64_t count, const Entry<Raw> entry,
                       uint64_t *items, const uint32_t *wanted) {
  if (!is_wanted(wanted))
    return;
  for_each_wanted_item(count, [&](uint64_t index) { items[index] = entry.enter(keys[index]) << 32 | values.load(index); });
}

/* Keys from their items. */
template <typename Raw>
__global__ void __launch_bounds__(PAYLOAD_THREADS)
    unpack_keys_kernel(const uint64_t *items, uint64_t count, const Entry<Raw> entry, uint32_t low_bits, Raw *keys,
                       const uint32_t *wanted) {
  if (!is_wanted(wanted))
    return;
  for_each_wanted_item(count, [&](uint64_t index) { keys[index] = entry.leave(items[index] >> low_bits); });
}

/* Keys and values from their items. */
template <typename Raw, typename Unit>
__global__ void __launch_bounds__(PAYLOAD_THREADS)
    unpack_values_kernel(const uint64_t *items, uint64_t count, const Entry<Raw> entry, Raw *keys,
                         const Travellers<Unit> values, const uint32_t *wanted) {
  if (!is_wanted(wanted))
    return;
  for_each_wanted_item(count, [&](uint64_t index) {
    const uint64_t item = items[index];
    keys[index] = entry.leave(item >> 32);
    values.store(index, static_cast<uint32_t>(item));
  });
}

} // namespace cdp::CDP_RUNTIME

#endif
