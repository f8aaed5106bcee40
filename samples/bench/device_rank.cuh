/* SPDX-License-Identifier: MIT */
/*
 * What making and judging keys (device_keys.cu, device_oracle.cu) have in common: ranks, a hash, the size of a grid.
 */
#ifndef CDPSORT_SAMPLES_BENCH_DEVICE_RANK_CUH
#define CDPSORT_SAMPLES_BENCH_DEVICE_RANK_CUH

#include "device_data.cuh"

#include <type_traits>

namespace device_data {

enum class Form : uint32_t { unsigned_integer, signed_integer, floating };

inline Form form_of(cdp_type type) {
  if (type == CDP_F32 || type == CDP_F64)
    return Form::floating;
  return type == CDP_I32 || type == CDP_I64 ? Form::signed_integer : Form::unsigned_integer;
}

constexpr uint32_t BLOCK_THREADS = 256;
constexpr uint64_t BLOCKS_MOST = 2048;

inline uint32_t blocks_for(uint64_t count) {
  const uint64_t blocks = (count + BLOCK_THREADS - 1) / BLOCK_THREADS;
  return static_cast<uint32_t>(blocks < 1 ? 1 : blocks < BLOCKS_MOST ? blocks : BLOCKS_MOST);
}

/* The finaliser of SplitMix64: a bijection in which every bit of the result depends on every bit of the argument. */
__device__ inline uint64_t mix(uint64_t word) {
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
  return word ^ (word >> 31);
}

/* Numbers of a key's size. */
template <typename Bits>
struct Word {
  using Signed = std::make_signed_t<Bits>;
  static constexpr uint32_t WIDTH = 8 * sizeof(Bits);
  static constexpr Bits SIGN = Bits{1} << (WIDTH - 1);
  static constexpr Bits GREATEST = static_cast<Bits>(~Bits{0});
  static constexpr uint32_t MANTISSA_WIDTH = sizeof(Bits) == 4 ? 23 : 52;
  static constexpr Bits MANTISSA = (Bits{1} << MANTISSA_WIDTH) - 1;
  static constexpr Bits INFINITE = SIGN - 1 - MANTISSA;
};

/* Floating-point numbers as signed integers of the same order, and back: the negative ones count down from -1. */
template <typename Bits>
__device__ typename Word<Bits>::Signed turn_negative(typename Word<Bits>::Signed value) {
  constexpr typename Word<Bits>::Signed LEAST = static_cast<typename Word<Bits>::Signed>(Word<Bits>::SIGN);
  return value < 0 ? -1 - (value - LEAST) : value;
}

/* A key's place in the order of its type. */
template <typename Bits>
__device__ Bits rank_of(Bits raw, Form form) {
  using Signed = typename Word<Bits>::Signed;
  if (form == Form::unsigned_integer)
    return raw;
  Signed value = static_cast<Signed>(raw);
  if (form == Form::floating)
    value = turn_negative<Bits>(value);
  return static_cast<Bits>(value) + Word<Bits>::SIGN;
}

template <typename Bits>
__device__ Bits raw_of(Bits rank, Form form) {
  using Signed = typename Word<Bits>::Signed;
  if (form == Form::unsigned_integer)
    return rank;
  Signed value = static_cast<Signed>(rank - Word<Bits>::SIGN);
  if (form == Form::floating)
    value = turn_negative<Bits>(value);
  return static_cast<Bits>(value);
}

} // namespace device_data

#endif
