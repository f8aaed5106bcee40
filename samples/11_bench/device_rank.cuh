/* SPDX-License-Identifier: MIT */
/*
 * What making and judging keys (device_keys.cu, device_oracle.cu) have in common: ranks, a hash, the size of a grid.
 */
#ifndef CDPSORT_SAMPLES_BENCH_DEVICE_RANK_CUH
#define CDPSORT_SAMPLES_BENCH_DEVICE_RANK_CUH

#include "device_data.cuh"

/* For the device and the host. */
#ifdef __CUDACC__
#define DEVICE_DATA_BOTH __host__ __device__
#else
#define DEVICE_DATA_BOTH
#endif

namespace device_data {

enum class Form : uint32_t { unsigned_integer, signed_integer, floating };

inline Form form_of(cdp_type type) {
  if (type == CDP_F32 || type == CDP_F64)
    return Form::floating;
  return type == CDP_I32 || type == CDP_I64 ? Form::signed_integer : Form::unsigned_integer;
}

constexpr uint32_t BLOCK_THREADS = 256;
constexpr uint64_t MAX_BLOCKS = 2048;

inline uint32_t blocks_for(uint64_t count) {
  const uint64_t blocks = (count + BLOCK_THREADS - 1) / BLOCK_THREADS;
  return static_cast<uint32_t>(blocks < 1 ? 1 : blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS);
}

/* The finaliser of SplitMix64: a bijection in which every bit of the result depends on every bit of the argument. */
DEVICE_DATA_BOTH inline uint64_t mix(uint64_t word) {
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
  return word ^ (word >> 31);
}

/* Numbers of a key's size. */
template <typename Bits>
struct Word {
  static constexpr uint32_t WIDTH = 8 * sizeof(Bits);
  static constexpr Bits SIGN = Bits{1} << (WIDTH - 1);
  static constexpr Bits GREATEST = static_cast<Bits>(~Bits{0});
  static constexpr uint32_t MANTISSA_WIDTH = sizeof(Bits) == 4 ? 23 : 52;
  static constexpr Bits MANTISSA = (Bits{1} << MANTISSA_WIDTH) - 1;
  static constexpr Bits INFINITE = SIGN - 1 - MANTISSA;
  static constexpr Bits NUMBERS = 2 * (INFINITE + 1); /* that are no NaNs */
};

/*
 * Places in the order of floating-point numbers, by counting who comes before: the negative numbers, greatest magnitude first,
 * then the others, least magnitude first, INFINITE + 1 of each; behind them the positive NaNs, least payload first, and the
 * negative ones, greatest payload first, MANTISSA of each.
 */
template <typename Bits>
DEVICE_DATA_BOTH Bits rank_of_floating(Bits raw) {
  using W = Word<Bits>;
  const bool negative = (raw & W::SIGN) != 0;
  const Bits magnitude = raw % W::SIGN;
  if (magnitude <= W::INFINITE)
    return negative ? W::INFINITE - magnitude : W::INFINITE + 1 + magnitude;
  const Bits payload = magnitude - W::INFINITE;
  return W::NUMBERS + (negative ? 2 * W::MANTISSA - payload : payload - 1);
}

template <typename Bits>
DEVICE_DATA_BOTH Bits floating_of_rank(Bits rank) {
  using W = Word<Bits>;
  if (rank <= W::INFINITE)
    return W::SIGN + (W::INFINITE - rank);
  if (rank < W::NUMBERS)
    return rank - (W::INFINITE + 1);
  const Bits before = rank - W::NUMBERS;
  return before < W::MANTISSA ? W::INFINITE + 1 + before : W::SIGN + W::INFINITE + (2 * W::MANTISSA - before);
}

/* A key's place in the order of its type. */
template <typename Bits>
DEVICE_DATA_BOTH Bits rank_of(Bits raw, Form form) {
  if (form == Form::floating)
    return rank_of_floating(raw);
  return form == Form::signed_integer ? raw + Word<Bits>::SIGN : raw;
}

template <typename Bits>
DEVICE_DATA_BOTH Bits raw_of(Bits rank, Form form) {
  if (form == Form::floating)
    return floating_of_rank(rank);
  return form == Form::signed_integer ? rank - Word<Bits>::SIGN : rank;
}

} // namespace device_data

#endif
