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

/* brain_floating: of 16 bits, 8 of them the exponent. */
enum class Form : uint32_t { unsigned_integer, signed_integer, floating, brain_floating };

inline Form form_of(cdp_type type) {
  switch (type) {
  case CDP_F16:
  case CDP_F32:
  case CDP_F64:
    return Form::floating;
  case CDP_BF16:
    return Form::brain_floating;
  case CDP_I8:
  case CDP_I16:
  case CDP_I32:
  case CDP_I64:
    return Form::signed_integer;
  default:
    return Form::unsigned_integer;
  }
}

constexpr uint32_t BLOCK_THREADS = 256;
constexpr uint64_t MAX_BLOCKS = 2048;

inline uint32_t blocks_for(uint64_t count) {
  const uint64_t blocks = (count + BLOCK_THREADS - 1) / BLOCK_THREADS;
  return static_cast<uint32_t>(blocks < 1 ? 1 : blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS);
}

/* Calls `use` with the keys as unsigned numbers of their size. */
template <typename Use>
void with_bits(const KeySpan &keys, Use use) {
  switch (key_bytes(keys.type)) {
  case 1:
    return use(static_cast<uint8_t *>(keys.d_keys));
  case 2:
    return use(static_cast<uint16_t *>(keys.d_keys));
  case 4:
    return use(static_cast<uint32_t *>(keys.d_keys));
  default:
    return use(static_cast<uint64_t *>(keys.d_keys));
  }
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
};

/* Where the sign of a floating-point number is, and what the bits of infinity are. */
template <typename Bits>
struct Layout {
  Bits sign = Word<Bits>::SIGN;
  Bits infinite = Word<Bits>::INFINITE;
};

/*
 * Places in the order of floating-point numbers, by counting who comes before: the negative numbers, greatest magnitude first,
 * then the others, least magnitude first, `infinite` + 1 of each; behind them the positive NaNs, least payload first, and the
 * negative ones, greatest payload first, as many of each as there are mantissas but one.
 */
template <typename Bits>
DEVICE_DATA_BOTH Bits rank_of_floating(Bits raw, const Layout<Bits> &layout = {}) {
  const bool negative = (raw & layout.sign) != 0;
  const Bits magnitude = raw % layout.sign;
  const Bits infinite = layout.infinite;
  const Bits mantissa = layout.sign - 1 - infinite;
  if (magnitude <= infinite)
    return negative ? infinite - magnitude : infinite + 1 + magnitude;
  const Bits payload = magnitude - infinite;
  return 2 * (infinite + 1) + (negative ? 2 * mantissa - payload : payload - 1);
}

template <typename Bits>
DEVICE_DATA_BOTH Bits floating_of_rank(Bits rank, const Layout<Bits> &layout = {}) {
  const Bits infinite = layout.infinite;
  const Bits numbers = 2 * (infinite + 1); // that are no NaNs
  const Bits mantissa = layout.sign - 1 - infinite;
  if (rank <= infinite)
    return layout.sign + (infinite - rank);
  if (rank < numbers)
    return rank - (infinite + 1);
  const Bits before = rank - numbers;
  return before < mantissa ? infinite + 1 + before : layout.sign + infinite + (2 * mantissa - before);
}

/* Keys of 8 and 16 bits are reckoned with in 32. */
template <typename Bits>
constexpr uint32_t NARROW_SIGN = 1u << (8 * sizeof(Bits) - 1);

DEVICE_DATA_BOTH inline Layout<uint32_t> half_layout(Form form) {
  return {0x8000u, form == Form::brain_floating ? 0x7F80u : 0x7C00u};
}

/* A key's place in the order of its type. */
template <typename Bits>
DEVICE_DATA_BOTH Bits rank_of(Bits raw, Form form) {
  if constexpr (sizeof(Bits) < 4) {
    const uint32_t wide = raw;
    if (form == Form::floating || form == Form::brain_floating)
      return static_cast<Bits>(rank_of_floating(wide, half_layout(form)));
    return static_cast<Bits>(form == Form::signed_integer ? wide + NARROW_SIGN<Bits> : wide);
  } else {
    if (form == Form::floating)
      return rank_of_floating(raw);
    return form == Form::signed_integer ? raw + Word<Bits>::SIGN : raw;
  }
}

template <typename Bits>
DEVICE_DATA_BOTH Bits raw_of(Bits rank, Form form) {
  if constexpr (sizeof(Bits) < 4) {
    const uint32_t wide = rank;
    if (form == Form::floating || form == Form::brain_floating)
      return static_cast<Bits>(floating_of_rank(wide, half_layout(form)));
    return static_cast<Bits>(form == Form::signed_integer ? wide - NARROW_SIGN<Bits> : wide);
  } else {
    if (form == Form::floating)
      return floating_of_rank(rank);
    return form == Form::signed_integer ? rank - Word<Bits>::SIGN : rank;
  }
}

} // namespace device_data

#endif
