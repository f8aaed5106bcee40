/* SPDX-License-Identifier: MIT */
/*
 * Keys as programs have them: what falls off, a few values among many, what lies close together, words, text, times, windows of a
 * genome, files that are merged. And what all keys are drawn from.
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

/* Evenly from 2^-53 to 1, and never 0: it has a logarithm. */
DEVICE_DATA_BOTH inline double even_number(uint64_t random) {
  return (static_cast<double>(random >> 11) + 1) * 0x1p-53;
}

/* A normal variable of mean 0 and deviation 1, as Box and Muller make it; of zeros +0 alone. */
DEVICE_DATA_BOTH inline double normal_number(const Recipe &recipe, uint64_t index) {
  constexpr double TURN = 6.283185307179586;
  const double radius = sqrt(-2 * log(even_number(draw(recipe, index, 0))));
  return radius * cos(TURN * even_number(draw(recipe, index, 1))) + 0.0;
}

/* A number of 1 to 2^bits - 1, the r-th with a probability of about 1 / r. `bits` is 16 at most. */
DEVICE_DATA_BOTH inline uint64_t by_frequency(uint64_t random, uint32_t bits) {
  const uint64_t greatest = (random >> 8 & ((1u << bits) - 1)) | 1u << (bits - 1);
  return greatest >> ((random >> 40) % bits);
}

/* ---- Spread, but not evenly ---------------------------------------------------------------------------------------------- */

/* Half as many ranks in each of so many equal parts as in the one before. Of 2^40 keys hardly one is beyond the last. */
constexpr double HALVINGS = 44;

template <typename Bits>
DEVICE_DATA_BOTH Bits exponential_rank(uint64_t random) {
  const double share = -log2(even_number(random)) / HALVINGS;
  return share < 1 ? static_cast<Bits>(share * static_cast<double>(Word<Bits>::GREATEST)) : Word<Bits>::GREATEST;
}

/* Numbers that fall off by a factor of e with each SMALL_MEAN: of the least there are many copies. */
constexpr double SMALL_MEAN = 1000;

template <typename Bits>
DEVICE_DATA_BOTH Bits small_number(uint64_t random) {
  return static_cast<Bits>(-log(even_number(random)) * SMALL_MEAN);
}

/* Sizes of files, incomes: their logarithm is a normal variable. The median has half of the bits. */
constexpr double LOG_NORMAL_DEVIATION = 2;

template <typename Bits>
DEVICE_DATA_BOTH Bits log_normal_rank(double normal) {
  constexpr double MEDIAN = static_cast<double>(Bits{1} << (Word<Bits>::WIDTH / 2));
  const double number = MEDIAN * exp(LOG_NORMAL_DEVIATION * normal);
  return number < static_cast<double>(Word<Bits>::GREATEST) ? static_cast<Bits>(number) : Word<Bits>::GREATEST;
}

/* One key is the greatest of all, and the others are below OUTLIER_OTHERS: what least and greatest say of the rest is wrong. */
constexpr uint64_t OUTLIER_OTHERS = 100000;

template <typename Bits>
DEVICE_DATA_BOTH Bits outlier_rank(const Recipe &recipe, uint64_t index, uint64_t random) {
  const bool is_outlier = index == draw(recipe, 0, 2) % recipe.count;
  return is_outlier ? Word<Bits>::GREATEST : static_cast<Bits>(random % OUTLIER_OTHERS);
}

/* One bit in 16 is set. */
template <typename Bits>
DEVICE_DATA_BOTH Bits sparse_rank(const Recipe &recipe, uint64_t index) {
  uint64_t bits = draw(recipe, index, 0);
  for (uint64_t which = 1; which < 4; which++)
    bits &= draw(recipe, index, which);
  return static_cast<Bits>(bits >> (64 - Word<Bits>::WIDTH));
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

/* ---- Close together ------------------------------------------------------------------------------------------------------ */

constexpr uint64_t CLUSTERS = 1000;
constexpr uint32_t CLUSTER_RANKS = 256;
constexpr uint32_t WIDE_CLUSTER_BITS = 7; /* 127 of them, some of which come often */
constexpr uint32_t WIDE_CLUSTER_RANKS = 1u << 16;
constexpr uint64_t NEIGHBOURHOODS = 1000000; /* a rank, and the one behind it */

/* One of the ranks of a cluster, which begins at a place of its own, wherever there is room for all of them. */
template <typename Bits>
DEVICE_DATA_BOTH Bits cluster_rank(const Recipe &recipe, uint64_t cluster, Bits ranks, uint64_t index) {
  const Bits begins = Word<Bits>::GREATEST - ranks + 2;
  const Bits begin = static_cast<Bits>(draw(recipe, cluster, 2) >> (64 - Word<Bits>::WIDTH)) % begins;
  return begin + static_cast<Bits>(draw(recipe, index, 1) % ranks);
}

/* ---- From programs ------------------------------------------------------------------------------------------------------- */

/* Hashes of the words of a text: a vocabulary of 2^16, of which the r-th comes with a probability of about 1 / r. */
template <typename Bits>
DEVICE_DATA_BOTH Bits word_rank(const Recipe &recipe, uint64_t random) {
  constexpr uint32_t VOCABULARY_BITS = 16;
  return static_cast<Bits>(draw(recipe, by_frequency(random, VOCABULARY_BITS), 2) >> (64 - Word<Bits>::WIDTH));
}

/* A string as long as a key, of an alphabet that begins with `first`, in the order of strings: its first character is the
   uppermost byte. Few of a byte's values are there, and no other byte has more. */
template <typename Bits>
DEVICE_DATA_BOTH Bits string_rank(uint64_t random, char first, uint32_t alphabet) {
  Bits rank = 0;
  for (uint32_t place = 0; place < sizeof(Bits); place++) {
    rank = static_cast<Bits>(rank << 8 | (static_cast<uint32_t>(first) + random % alphabet));
    random /= alphabet;
  }
  return rank;
}

/* Sorted files, one behind another: each rises through all ranks in RUN_KEYS steps, and is a little unlike the others. */
constexpr uint64_t RUN_KEYS = 100000;
constexpr uint64_t RUN_JITTER = 1000;

template <typename Bits>
DEVICE_DATA_BOTH Bits run_rank(uint64_t index, uint64_t random) {
  constexpr Bits STEP = Word<Bits>::GREATEST / (RUN_KEYS + 1);
  return static_cast<Bits>(index % RUN_KEYS) * STEP + static_cast<Bits>(random % RUN_JITTER);
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

/* The bits of a floating-point number as long as a key. */
template <typename Bits>
DEVICE_DATA_BOTH Bits bits_of(double number) {
  Bits bits;
  if constexpr (sizeof(Bits) == 4) {
    const float rounded = static_cast<float>(number);
    memcpy(&bits, &rounded, sizeof bits);
  } else {
    memcpy(&bits, &number, sizeof bits);
  }
  return bits;
}

/* The bits of a floating-point number of 0 to 1, which is not reached: as many different ones, evenly spaced, as the type has. */
template <typename Bits>
DEVICE_DATA_BOTH Bits unit_number(uint64_t random) {
  if constexpr (sizeof(Bits) == 4)
    return bits_of<Bits>(static_cast<double>(random >> 40) * 0x1p-24);
  else
    return bits_of<Bits>(static_cast<double>(random >> 11) * 0x1p-53);
}

} // namespace device_data

#endif
