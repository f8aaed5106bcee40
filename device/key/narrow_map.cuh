/* SPDX-License-Identifier: MIT */
/*
 * The key maps of keys of 8 and 16 bits (key_map.cuh): numbers that rise with the wanted order, 0 to the greatest. Arithmetic of 32
 * bits, since narrower types are promoted to that.
 */
#ifndef CDPSORT_DEVICE_KEY_NARROW_MAP_CUH
#define CDPSORT_DEVICE_KEY_NARROW_MAP_CUH

#include "runtime/runtime.cuh"

#include <cdpsort/cdpsort.h>

namespace cdp::CDP_RUNTIME {

template <typename Raw>
struct NarrowMap {
  static_assert(sizeof(Raw) < 4, "wider keys have a KeyMap");
  static constexpr uint32_t BITS = 8 * sizeof(Raw);
  // cppcheck-suppress shiftTooManyBits ; it asks for wider keys, which have a map of their own
  static constexpr uint32_t MASK = (1u << BITS) - 1;

  uint32_t fold;  /* bits that change where the uppermost is set: a negative floating-point number's */
  uint32_t scale; /* 1, or all ones: descending */
  uint32_t bias;

  __host__ __device__ __forceinline__ uint32_t enter(uint32_t raw) const {
    return (folded(raw) * scale + bias) & MASK;
  }
  __host__ __device__ __forceinline__ uint32_t leave(uint32_t entered) const {
    return folded((entered - bias) * scale & MASK);
  }

private:
  /* Its own inverse: the uppermost bit stays. */
  __host__ __device__ __forceinline__ uint32_t folded(uint32_t bits) const {
    // cppcheck-suppress shiftTooManyBits ; likewise
    return bits ^ ((0 - (bits >> (BITS - 1))) & fold);
  }
};

/* The map of a public key type of this width, in a direction. For the host. */
template <typename Raw>
inline NarrowMap<Raw> narrow_map(cdp_type type, cdp_order order) {
  using Map = NarrowMap<Raw>;
  constexpr uint32_t SIGN = 1u << (Map::BITS - 1);
  const bool is_floating = type == CDP_F16 || type == CDP_BF16;
  const bool is_unsigned = type == CDP_U8 || type == CDP_U16;
  const uint32_t infinite = type == CDP_F16 ? 0x7C00 : 0x7F80;
  const uint32_t bias = is_floating ? infinite + 1 : is_unsigned ? 0 : SIGN;
  const bool is_descending = order == CDP_DESCENDING;
  return {is_floating ? SIGN - 1 : 0, is_descending ? ~0u : 1u, is_descending ? ~bias : bias};
}

} // namespace cdp::CDP_RUNTIME

#endif
