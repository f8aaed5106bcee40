/* SPDX-License-Identifier: MIT */
/*
 * Key types and their order. The kernels sort unsigned integers, ascending, and nothing else: a KeyOrder maps a key's bits to
 * an unsigned integer that compares as the key should, and back. Maps are bijections of all bit patterns, so equal means
 * identical, and a key that is written again from its pivot is the same key.
 *
 *   unsigned     as it is
 *   signed       the sign bit flipped
 *   floating     IEEE 754 totalOrder: negative numbers have all bits flipped, others the sign bit
 *   descending   all bits flipped, after that
 */
#ifndef CDPSORT_DEVICE_KEY_ORDER_CUH
#define CDPSORT_DEVICE_KEY_ORDER_CUH

#include "runtime/runtime.cuh"

#include <cdpsort/cdpsort.h>

#include <cstring>
#include <type_traits>

namespace cdp::CDP_RUNTIME {

enum class KeyKind { unsigned_integer, signed_integer, floating };

template <typename BitsType, KeyKind KIND, bool DESCENDING>
struct KeyOrder {
  using Bits = BitsType;

  static constexpr uint32_t KEY_BYTES = sizeof(Bits);
  static constexpr Bits SIGN = Bits{1} << (8 * sizeof(Bits) - 1);
  static constexpr Bits FLIPPED = (KIND == KeyKind::unsigned_integer ? Bits{0} : SIGN) ^ (DESCENDING ? ~Bits{0} : Bits{0});

  /* What no key compares greater than: padding that sorts to the end. */
  static constexpr Bits GREATEST = ~Bits{0};

  static __device__ __forceinline__ Bits encode(Bits raw) {
    return fold(raw) ^ FLIPPED;
  }

  static __device__ __forceinline__ Bits decode(Bits encoded) {
    return fold(encoded ^ FLIPPED);
  }

  /* Of two encoded keys, the lesser one first, the encoded mean by value; or by encoded value, where that is no number between
     them (infinities, NaNs, the least of all numbers). Always one of the two or between them. */
  static __device__ __forceinline__ Bits mean(Bits least, Bits greatest) {
    const Bits halfway = least + (greatest - least) / 2;
    if constexpr (KIND != KeyKind::floating)
      return halfway;
    const Bits numeric = encode(raw_of(value_of(decode(least)) / 2 + value_of(decode(greatest)) / 2));
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

  /* Flips all bits but the sign of a negative floating-point number; its own inverse, since the sign stays. */
  static __device__ __forceinline__ Bits fold(Bits bits) {
    if constexpr (KIND == KeyKind::floating)
      return bits ^ (bits & SIGN ? static_cast<Bits>(~SIGN) : Bits{0});
    else
      return bits;
  }
};

/* The KeyOrder of a public key type. */
template <cdp_type TYPE, bool DESCENDING>
struct OrderOf;
template <bool DESCENDING>
struct OrderOf<CDP_U32, DESCENDING> : KeyOrder<uint32_t, KeyKind::unsigned_integer, DESCENDING> {};
template <bool DESCENDING>
struct OrderOf<CDP_I32, DESCENDING> : KeyOrder<uint32_t, KeyKind::signed_integer, DESCENDING> {};
template <bool DESCENDING>
struct OrderOf<CDP_F32, DESCENDING> : KeyOrder<uint32_t, KeyKind::floating, DESCENDING> {};
template <bool DESCENDING>
struct OrderOf<CDP_U64, DESCENDING> : KeyOrder<uint64_t, KeyKind::unsigned_integer, DESCENDING> {};
template <bool DESCENDING>
struct OrderOf<CDP_I64, DESCENDING> : KeyOrder<uint64_t, KeyKind::signed_integer, DESCENDING> {};
template <bool DESCENDING>
struct OrderOf<CDP_F64, DESCENDING> : KeyOrder<uint64_t, KeyKind::floating, DESCENDING> {};

} // namespace cdp::CDP_RUNTIME

#endif
