/* SPDX-License-Identifier: MIT */
/* Generated keys: see generated_keys.h. */
#include "generated_keys.h"
#include "host_work.h"

enum { FEW_VALUES = 16, MEAN_OF = 4, SWAPS = 3, FEISTEL_ROUNDS = 4, NUMBER_BITS = 31 };

/* Blocks of the distributions "staggered" and "bucket", and sections that the values are divided into: as many. */
enum { KEY_SECTIONS = 128, SECTION_NUMBERS = (1u << NUMBER_BITS) / KEY_SECTIONS };

/* SplitMix64 (Guy Steele, Doug Lea and Christine Flood, "Fast splittable pseudorandom number generators", 2014): small, and good
   enough in all its bits. Its state moves on by the same step each time, so that any draw can be had without those before it. */
static uint64_t random_bits(uint64_t seed, uint64_t which) {
  uint64_t bits = seed + (which + 1) * UINT64_C(0x9E3779B97F4A7C15);
  bits = (bits ^ (bits >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  bits = (bits ^ (bits >> 27)) * UINT64_C(0x94D049BB133111EB);
  return bits ^ (bits >> 31);
}

/* ---- Values ---------------------------------------------------------------------------------------------------- */

typedef enum value_kind {
  RANDOM,
  SORTED,
  REVERSED,
  EQUAL,
  FEW,
  STAGGERED,
  BUCKET,
  GAUSSIAN,
  ORGAN_PIPE,
  /* Whole numbers. */
  RANDOM_NUMBER,
  SHUFFLED,
  INDEX,
  ALMOST_SORTED,
  DECREASING,
  ONE_NUMBER,
  MEAN_NUMBER,
  BUCKET_NUMBER,
  STAGGERED_NUMBER,
  FEW_NUMBERS
} value_kind;

const distribution DISTRIBUTIONS[] = {
    {"random", "uniform over all values", RANDOM},
    {"sorted", "in order already", SORTED},
    {"reversed", "in the opposite order", REVERSED},
    {"equal", "one value", EQUAL},
    {"few", "16 values at random", FEW},
    {"staggered", "128 blocks, each with values of its own, the blocks interleaved: misleads a median of three", STAGGERED},
    {"bucket", "128 blocks, each rising through the values in 128 steps", BUCKET},
    {"gaussian", "means of four random values", GAUSSIAN},
    {"organ-pipe", "rising to the middle, then falling", ORGAN_PIPE},
    {NULL, NULL, 0},
};

const distribution THESIS_DISTRIBUTIONS[] = {
    {"random", "uniform over 0 to 2^31 - 1, as std::rand()", RANDOM_NUMBER},
    {"shuffle", "1 to n, shuffled", SHUFFLED},
    {"sorted", "0 to n - 1", INDEX},
    {"almost-sorted", "0 to n - 1, but for three random swaps", ALMOST_SORTED},
    {"decreasing", "n to 1", DECREASING},
    {"zero-entropy", "all values the same", ONE_NUMBER},
    {"gaussian", "means of four random values", MEAN_NUMBER},
    {"bucket", "128 blocks, each rising through the values in 128 sections", BUCKET_NUMBER},
    {"staggered", "128 blocks, each with a section of the values, interleaved: misleads a median of three", STAGGERED_NUMBER},
    {NULL, NULL, 0},
};

/* All that a key depends on beside its position. */
typedef struct key_recipe {
  void *keys;
  uint64_t count;
  cdp_type type;
  uint64_t seed;
  value_kind kind;
  uint64_t values;    /* of FEW_NUMBERS: how many */
  uint32_t half_bits; /* of SHUFFLED: 4^half_bits >= count */
  uint64_t swapped[SWAPS][2];
} key_recipe;

/* Which of `parts` equal stretches of the array position i is in. */
static uint64_t part_of(uint64_t i, uint64_t count, uint64_t parts) {
  const uint64_t stretch = (count + parts - 1) / parts;
  return i / stretch;
}

static uint64_t staggered_section(uint64_t i, uint64_t count) {
  const uint64_t block = part_of(i, count, KEY_SECTIONS);
  return block < KEY_SECTIONS / 2 ? 2 * block + 1 : 2 * block - KEY_SECTIONS;
}

static uint64_t bucket_section(uint64_t i, uint64_t count) {
  /* Every block of the array has a section for every block of the values. */
  return part_of(i, count, (uint64_t)KEY_SECTIONS * KEY_SECTIONS) % KEY_SECTIONS;
}

/* A random value of a section that is so wide. */
static uint64_t in_section(uint64_t section, uint64_t width, uint64_t random) {
  return section * width + random % width;
}

static uint64_t mean_of_draws(uint64_t seed, uint32_t bits) {
  uint64_t mean = 0;
  uint64_t rest = 0;
  for (uint64_t which = 0; which < MEAN_OF; which++) {
    const uint64_t drawn = random_bits(seed, which) >> (64 - bits);
    mean += drawn / MEAN_OF;
    rest += drawn % MEAN_OF;
  }
  return mean + rest / MEAN_OF;
}

/* 1 to n. Four rounds of a Feistel network are a permutation of 0 to 4^half_bits - 1; repeated until the number is below n. */
static uint64_t shuffled(const key_recipe *all, uint64_t i) {
  const uint64_t mask = (UINT64_C(1) << all->half_bits) - 1;
  do {
    uint64_t left = i >> all->half_bits;
    uint64_t right = i & mask;
    for (uint64_t round = 0; round < FEISTEL_ROUNDS; round++) {
      const uint64_t next = left ^ (random_bits(all->seed ^ round << 32, right) & mask);
      left = right;
      right = next;
    }
    i = left << all->half_bits | right;
  } while (i >= all->count);
  return i + 1;
}

/* Where the number at i was before the swaps. */
static uint64_t before_swaps(const key_recipe *all, uint64_t i) {
  /* The last swap first: it is followed back to where the number was in the beginning. */
  for (int swap = SWAPS - 1; swap >= 0; swap--) {
    const uint64_t *both = all->swapped[swap];
    if (i == both[0])
      i = both[1];
    else if (i == both[1])
      i = both[0];
  }
  return i;
}

/* The value of position i; `random` is 64 random bits of its own. */
static uint64_t value_at(const key_recipe *all, value_kind kind, uint64_t i, uint64_t random) {
  const uint64_t count = all->count;
  const uint64_t step = UINT64_MAX / count;
  switch (kind) {
  case RANDOM:
    return random;
  case SORTED:
    return step * i;
  case REVERSED:
    return step * (count - 1 - i);
  case EQUAL:
    return UINT64_MAX / 2;
  case FEW:
    return UINT64_MAX / FEW_VALUES * (random % FEW_VALUES);
  case STAGGERED:
    return in_section(staggered_section(i, count), UINT64_MAX / KEY_SECTIONS, random);
  case BUCKET:
    return in_section(bucket_section(i, count), UINT64_MAX / KEY_SECTIONS, random);
  case GAUSSIAN:
    return mean_of_draws(random, 64);
  case ORGAN_PIPE:
    return step * (i < count / 2 ? i : count - 1 - i);
  case RANDOM_NUMBER:
    return random >> (64 - NUMBER_BITS);
  case SHUFFLED:
    return shuffled(all, i);
  case INDEX:
    return i;
  case ALMOST_SORTED:
    return before_swaps(all, i);
  case DECREASING:
    return count - i;
  case ONE_NUMBER:
    return UINT64_C(1) << (NUMBER_BITS - 1);
  case MEAN_NUMBER:
    return mean_of_draws(random, NUMBER_BITS);
  case BUCKET_NUMBER:
    return in_section(bucket_section(i, count), SECTION_NUMBERS, random);
  case STAGGERED_NUMBER:
    return in_section(staggered_section(i, count), SECTION_NUMBERS, random);
  case FEW_NUMBERS:
    break;
  }
  /* The upper half, scaled: exactly even for a power of two, and as even as 32 bits can make it otherwise. */
  return (random >> 32) * all->values >> 32;
}

/* ---- Keys ------------------------------------------------------------------------------------------------------ */

/* Brings a value of the common scale to a type; greater values give keys that are greater or equal. */
static void store_value(void *keys, uint64_t at, cdp_type type, uint64_t value) {
  switch (type) {
  case CDP_U32:
    ((uint32_t *)keys)[at] = (uint32_t)(value >> 32);
    return;
  case CDP_I32:
    ((int32_t *)keys)[at] = (int32_t)((int64_t)(value >> 32) + INT32_MIN);
    return;
  case CDP_U64:
    ((uint64_t *)keys)[at] = value;
    return;
  case CDP_I64:
    ((int64_t *)keys)[at] = value > INT64_MAX ? (int64_t)(value - INT64_MAX - 1) : (int64_t)value + INT64_MIN;
    return;
  case CDP_F32: /* as many bits as the fraction has, so that nothing is rounded up to 1 */
    ((float *)keys)[at] = (float)(value >> 40) * 0x1p-24F;
    return;
  case CDP_F64:
    ((double *)keys)[at] = (double)(value >> 11) * 0x1p-53;
    return;
  default: /* samples have no others */
    return;
  }
}

static void store_number(void *keys, uint64_t at, cdp_type type, uint64_t number) {
  if (type == CDP_F32)
    ((float *)keys)[at] = (float)number;
  else if (type == CDP_F64)
    ((double *)keys)[at] = (double)number;
  else if (type == CDP_U64 || type == CDP_I64)
    ((uint64_t *)keys)[at] = number; /* below 2^63: the same bits, signed or not */
  else
    ((uint32_t *)keys)[at] = (uint32_t)number;
}

static void fill_stretch(void *given, uint64_t begin, uint64_t end) {
  const key_recipe *all = given;
  for (uint64_t i = begin; i < end; i++) {
    const uint64_t value = value_at(all, all->kind, i, random_bits(all->seed, i));
    (all->kind >= RANDOM_NUMBER ? store_number : store_value)(all->keys, i, all->type, value);
  }
}

static void fill(key_recipe *all) {
  while (all->half_bits < 32 && UINT64_C(1) << (2 * all->half_bits) < all->count)
    all->half_bits++;
  for (uint64_t swap = 0; swap < SWAPS && all->count > 0; swap++)
    for (uint64_t end = 0; end < 2; end++)
      all->swapped[swap][end] = random_bits(~all->seed, 2 * swap + end) % all->count;
  side_by_side(all->count, fill_stretch, all);
}

void generate_keys(void *keys, uint64_t count, cdp_type type, const distribution *wanted, uint64_t seed) {
  fill(&(key_recipe){.keys = keys, .count = count, .type = type, .seed = seed, .kind = (value_kind)wanted->kind});
}

void generate_few_values(void *keys, uint64_t count, cdp_type type, uint64_t values, uint64_t seed) {
  fill(&(key_recipe){.keys = keys, .count = count, .type = type, .seed = seed, .kind = FEW_NUMBERS, .values = values});
}
