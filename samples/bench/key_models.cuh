/* SPDX-License-Identifier: MIT */
/*
 * Keys as programs have them: what falls off, a few values among many, words, times, windows of a genome. And what all keys are
 * drawn from.
 */
#ifndef CDPSORT_SAMPLES_BENCH_KEY_MODELS_CUH
#define CDPSORT_SAMPLES_BENCH_KEY_MODELS_CUH

#include "device_rank.cuh"

#include <cmath>
#include <cstring>

namespace device_data {

constexpr uint32_t SECTION_BITS = 7; /* staggered and bucket: 128 blocks, 128 sections */
constexpr uint64_t SECTIONS = 1u << SECTION_BITS;

/* All that a key depends on beside its index. */
struct Recipe {
  Distribution distribution;
  Form form;
  Values values;
  uint64_t seed;
  uint64_t count;
  uint64_t step; /* place i of count has rank i / divisor * step: spread over all ranks, rising */
  uint64_t divisor;
  uint64_t section_items; /* of one of the blocks of staggered and bucket */
  uint32_t half_bits;     /* shuffle: 2^(2 * half_bits) >= count */
};

DEVICE_DATA_BOTH inline uint64_t draw(const Recipe &recipe, uint64_t index, uint64_t which) {
  return mix(mix(recipe.seed + which * 0x9E3779B97F4A7C15u) + index * 0xD1B54A32D192ED03u);
}

/* ---- Spread, but not evenly ---------------------------------------------------------------------------------------------- */

/* Half as many ranks in each of so many equal parts as in the one before. Of 2^40 keys hardly one is beyond the last. */
constexpr double HALVINGS = 44;

template <typename Bits>
DEVICE_DATA_BOTH Bits exponential_rank(uint64_t random) {
  const double even = (static_cast<double>(random >> 11) + 1) * 0x1p-53; // 2^-53 to 1
  const double share = -log2(even) / HALVINGS;
  return share < 1 ? static_cast<Bits>(share * static_cast<double>(Word<Bits>::GREATEST)) : Word<Bits>::GREATEST;
}

/* Half of the keys evenly, half of them one of so many values. */
constexpr uint64_t FREQUENT_VALUES = 4;

template <typename Bits>
DEVICE_DATA_BOTH Bits mixed_rank(const Recipe &recipe, uint64_t index, Bits rank) {
  const uint64_t choice = draw(recipe, index, 1);
  if (choice % 2 == 0)
    return rank;
  return static_cast<Bits>(draw(recipe, choice / 2 % FREQUENT_VALUES, 2) >> (64 - Word<Bits>::WIDTH));
}

template <typename Bits>
constexpr Bits LOWER_HALF = (Bits{1} << (Word<Bits>::WIDTH / 2)) - 1;

/* The same bits in all keys, but for those of `free`. */
template <typename Bits>
DEVICE_DATA_BOTH Bits with_shared_bits(const Recipe &recipe, Bits rank, Bits free) {
  const Bits shared = static_cast<Bits>(draw(recipe, 0, 2) >> (64 - Word<Bits>::WIDTH));
  return static_cast<Bits>((shared & ~free) | (rank & free));
}

/* ---- From programs ------------------------------------------------------------------------------------------------------- */

/* Hashes of the words of a text: a vocabulary of 2^16, of which the r-th comes with a probability of about 1 / r. */
template <typename Bits>
DEVICE_DATA_BOTH Bits word_rank(const Recipe &recipe, uint64_t random) {
  constexpr uint32_t VOCABULARY_BITS = 16;
  const uint64_t greatest = (random >> 8 & ((1u << VOCABULARY_BITS) - 1)) | 1u << (VOCABULARY_BITS - 1);
  const uint64_t word = greatest >> ((random >> 40) % VOCABULARY_BITS);
  return static_cast<Bits>(draw(recipe, word, 2) >> (64 - Word<Bits>::WIDTH));
}

/* When the requests of a log came, in the order in which they were written down, which differs by up to a second or so: seconds
   of 4 bytes, a thousand requests in each, or microseconds of 8. */
template <typename Bits>
DEVICE_DATA_BOTH Bits timestamp_rank(uint64_t index, uint64_t random) {
  constexpr uint64_t BEGIN = 1760000000; // seconds since 1970
  constexpr uint64_t PER_SECOND = 1000;
  constexpr uint64_t MICROSECONDS = 1000000;
  if constexpr (sizeof(Bits) == 4)
    return static_cast<Bits>(BEGIN + index / PER_SECOND + random % 2);
  else
    return BEGIN * MICROSECONDS + index * (MICROSECONDS / PER_SECOND) + random % MICROSECONDS;
}

/* All windows of a genome, one after another: 16 bases of two bits in 4 bytes, 32 in 8. A quarter of the genome is one stretch of
   4,096 bases again and again. */
template <typename Bits>
DEVICE_DATA_BOTH Bits k_mer_rank(const Recipe &recipe, uint64_t index) {
  constexpr uint64_t STRETCH_BITS = 12;
  constexpr uint64_t WORD_BASES = 32;
  const bool repeated = (index >> STRETCH_BITS) % 4 == 3;
  const uint64_t base = repeated ? index & ((1u << STRETCH_BITS) - 1) : index;
  const uint64_t shift = 2 * (base % WORD_BASES);
  uint64_t window = draw(recipe, base / WORD_BASES, 2) << shift;
  if (shift != 0)
    window |= draw(recipe, base / WORD_BASES + 1, 2) >> (64 - shift);
  return static_cast<Bits>(window >> (64 - Word<Bits>::WIDTH));
}

/* The bits of a floating-point number of 0 to 1, which is not reached: as many different ones, evenly spaced, as the type has. */
template <typename Bits>
DEVICE_DATA_BOTH Bits unit_number(uint64_t random) {
  Bits bits;
  if constexpr (sizeof(Bits) == 4) {
    const float number = static_cast<float>(random >> 40) * 0x1p-24F;
    memcpy(&bits, &number, sizeof bits);
  } else {
    const double number = static_cast<double>(random >> 11) * 0x1p-53;
    memcpy(&bits, &number, sizeof bits);
  }
  return bits;
}

} // namespace device_data

#endif
