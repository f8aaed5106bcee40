/* SPDX-License-Identifier: MIT */
/*
 * Keys are bits; their type and direction are data. The kernels sort unsigned numbers of 4 or 8 bytes, ascending, and nothing
 * else. A key map turns a raw key, as the caller has it, into an unsigned number that compares as the key should (enter), and
 * back (leave). It is a few constants in a kernel's parameters, so that one kernel serves every type of a width.
 *
 *  1. A raw key enters where it is read for the first time: in ranges at depth 0 (Range::is_raw()).
 *  2. It leaves where it is written to its last place in the caller's array.
 *  3. In between, in both arrays, there are entered keys, and nobody asks what they are.
 *
 * The order of every type: numbers by value, -0.0 before +0.0, every NaN behind all numbers; descending is exactly the reverse.
 * With s the sign of a key, spread over all bits:
 *     4 bytes   enter(x) = (x ^ (s & fold)) * scale + bias        leave(y): w = y * scale + unbias, w ^ (sign of w & fold)
 *     8 bytes   t = (s & select) ^ flip; enter(x) = (x ^ (t without its uppermost bit), its upper half's sign kept) + bias
 * A negative number's bits below the sign are flipped (fold, select), so that greater is closer to zero; adding the bias then
 * brings negative numbers below positive ones and, of floating-point numbers, moves all that is beyond infinity, of either
 * sign, to the end: by wrapping around. docs/algorithm.md has the table of constants.
 *
 * Maps are bijections of all bit patterns, so equal means identical, and a key that is written again from its pivot is the same
 * key. (The fold is Herf's, "Radix Tricks", 2001; that the bias can put all NaNs last is ours.)
 */
#ifndef CDPSORT_DEVICE_KEY_KEY_MAP_CUH
#define CDPSORT_DEVICE_KEY_KEY_MAP_CUH

#include "runtime/runtime.cuh"

#include <cdpsort/cdpsort.h>

#include <cstring>
#include <type_traits>

namespace cdp::CDP_RUNTIME {

/* What no entered key compares greater than: padding that sorts to the end. */
template <typename Bits>
constexpr Bits GREATEST = ~Bits{0};

/* The arithmetic of a width. 4 bytes: three instructions either way. */
template <typename Bits>
struct KeyArithmetic {
  uint32_t fold;  /* what is flipped of a negative key */
  uint32_t scale; /* 1; descending: -1 */
  uint32_t bias;
  uint32_t unbias; /* -bias * scale */

  __host__ __device__ __forceinline__ uint32_t enter(uint32_t raw) const {
    return (raw ^ (sign_of(raw) & fold)) * scale + bias;
  }

  __host__ __device__ __forceinline__ uint32_t leave(uint32_t entered) const {
    const uint32_t folded = entered * scale + unbias;
    return folded ^ (sign_of(folded) & fold);
  }

private:
  static __host__ __device__ __forceinline__ uint32_t sign_of(uint32_t bits) {
    // cppcheck-suppress shiftTooManyBitsSigned ; every compiler that is used copies the sign
    return static_cast<uint32_t>(static_cast<int32_t>(bits) >> 31);
  }
};

/* 8 bytes: six instructions, on the two halves. */
template <>
struct KeyArithmetic<uint64_t> {
  uint32_t select; /* all ones: a negative key is folded */
  uint32_t flip;   /* all ones: descending */
  uint64_t bias;

  __host__ __device__ __forceinline__ uint64_t enter(uint64_t raw) const {
    return folded(raw) + bias;
  }

  __host__ __device__ __forceinline__ uint64_t leave(uint64_t entered) const {
    return folded(entered - bias);
  }

private:
  /* Its own inverse: the uppermost bit stays. */
  __host__ __device__ __forceinline__ uint64_t folded(uint64_t bits) const {
    // cppcheck-suppress shiftTooManyBitsSigned ; likewise
    const uint32_t sign = static_cast<uint32_t>(static_cast<int32_t>(bits >> 32) >> 31);
    const uint32_t mask = (sign & select) ^ flip;
    return bits ^ (static_cast<uint64_t>(mask & 0x7FFFFFFFu) << 32 | mask);
  }
};

/* A key map, as kernels are given it. Its conditions are the same for all threads of a grid. */
template <typename Bits>
struct KeyMap : KeyArithmetic<Bits> {
  using KeyArithmetic<Bits>::enter;
  using KeyArithmetic<Bits>::leave;

  Bits raw_greatest;    /* what enters as GREATEST */
  uint32_t changes;     /* 0: raw keys and entered ones are the same */
  uint32_t is_floating; /* 1: keys are floating-point numbers */

  /* A key that was read, from a range that is raw or not. */
  __device__ __forceinline__ Bits enter(Bits key, bool is_raw) const {
    return is_raw && changes != 0 ? enter(key) : key;
  }

  /* A key that is to be written, to its last place or not. */
  __device__ __forceinline__ Bits leave(Bits key, bool is_last_place) const {
    return is_last_place && changes != 0 ? leave(key) : key;
  }

  /* The same for a thread's items: one branch for all of them, behind all loads. */
  template <uint32_t ITEMS>
  __device__ __forceinline__ void enter_all(Bits (&items)[ITEMS], bool is_raw) const {
    if (is_raw && changes != 0)
#pragma unroll
      for (uint32_t item = 0; item < ITEMS; item++)
        items[item] = enter(items[item]);
  }

  /* What stands for a key where there is none, before it enters as GREATEST. */
  __device__ __forceinline__ Bits missing(bool is_raw) const {
    return is_raw ? raw_greatest : GREATEST<Bits>;
  }

  /* Of two entered keys, the lesser one first, the entered mean by value; or halfway between them in the order, where that is no
     number between them (infinities, NaNs, the least of all numbers). Always one of the two or between them. */
  __device__ __forceinline__ Bits mean(Bits least, Bits greatest) const {
    const Bits halfway = least + (greatest - least) / 2;
    if (is_floating == 0)
      return halfway;
    const Bits numeric = enter(raw_of(value_of(leave(least)) / 2 + value_of(leave(greatest)) / 2));
    return numeric >= least && numeric <= greatest ? numeric : halfway;
  }

private:
  using Value = std::conditional_t<sizeof(Bits) == 4, float, double>;

  static __device__ __forceinline__ Value value_of(Bits raw) {
    Value value;
    memcpy(&value, &raw, sizeof value);
    return value;
  }

  static __device__ __forceinline__ Bits raw_of(Value value) {
    Bits raw;
    memcpy(&raw, &value, sizeof raw);
    return raw;
  }
};

/* The map of a public key type of this width, in a direction. For the host. */
template <typename Bits>
inline KeyMap<Bits> key_map(cdp_type type, cdp_order order) {
  constexpr Bits SIGN = Bits{1} << (8 * sizeof(Bits) - 1);
  constexpr Bits INFINITE = sizeof(Bits) == 4 ? Bits{0x7F800000u} : static_cast<Bits>(0x7FF0000000000000u);
  const bool is_floating = type == CDP_F32 || type == CDP_F64;
  const bool is_unsigned = type == CDP_U32 || type == CDP_U64;
  const bool is_descending = order == CDP_DESCENDING;
  const Bits bias = is_floating ? INFINITE + 1 : is_unsigned ? Bits{0} : SIGN;
  KeyMap<Bits> map = {};
  if constexpr (sizeof(Bits) == 4) {
    map.fold = is_floating ? 0x7FFFFFFFu : 0u;
    map.scale = is_descending ? ~0u : 1u;
    map.bias = is_descending ? ~bias : bias;
    map.unbias = is_descending ? map.bias : 0 - map.bias;
  } else {
    map.select = is_floating ? ~0u : 0u;
    map.flip = is_descending ? ~0u : 0u;
    map.bias = is_descending ? SIGN - bias : bias;
  }
  map.raw_greatest = map.leave(GREATEST<Bits>);
  map.changes = is_unsigned && !is_descending ? 0 : 1;
  map.is_floating = is_floating ? 1 : 0;
  return map;
}

/* How many bits a number takes: 0 takes none. */
template <typename Bits>
__device__ __forceinline__ uint32_t bits_of(Bits number) {
  if constexpr (sizeof(Bits) == 4)
    return 32 - static_cast<uint32_t>(__clz(static_cast<int>(number)));
  else
    return 64 - static_cast<uint32_t>(__clzll(static_cast<long long>(number)));
}

} // namespace cdp::CDP_RUNTIME

#endif
