/* SPDX-License-Identifier: MIT */
/* Keys of DISTRIBUTIONS, and how all are made: see generated_keys.h. */
#include "generated_keys.h"
#include "host_work.h"

enum { FEW_VALUES = 16, MEAN_OF = 4 };

/* SplitMix64 (Steele, Lea, Flood 2014): small, and good enough in all its bits. Its state moves on by the same step each time, so
   that any draw can be had without those before it. */
uint64_t random_bits(uint64_t seed, uint64_t which) {
  uint64_t bits = seed + (which + 1) * UINT64_C(0x9E3779B97F4A7C15);
  bits = (bits ^ (bits >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  bits = (bits ^ (bits >> 27)) * UINT64_C(0x94D049BB133111EB);
  return bits ^ (bits >> 31);
}

/* ---- Values ---------------------------------------------------------------------------------------------------- */

/* Which of `parts` equal stretches of the array position i is in. */
static uint64_t part_of(uint64_t i, uint64_t count, uint64_t parts) {
  const uint64_t stretch = (count + parts - 1) / parts;
  return i / stretch;
}

uint64_t staggered_section(uint64_t i, uint64_t count) {
  const uint64_t block = part_of(i, count, KEY_SECTIONS);
  return block < KEY_SECTIONS / 2 ? 2 * block + 1 : 2 * block - KEY_SECTIONS;
}

uint64_t bucket_section(uint64_t i, uint64_t count) {
  /* Every block of the array has a section for every block of the values. */
  return part_of(i, count, (uint64_t)KEY_SECTIONS * KEY_SECTIONS) % KEY_SECTIONS;
}

static uint64_t random_value(const key_recipe *all, uint64_t i, uint64_t random) {
  (void)all;
  (void)i;
  return random;
}

static uint64_t sorted_value(const key_recipe *all, uint64_t i, uint64_t random) {
  (void)random;
  return UINT64_MAX / all->count * i;
}

static uint64_t reversed_value(const key_recipe *all, uint64_t i, uint64_t random) {
  return sorted_value(all, all->count - 1 - i, random);
}

static uint64_t equal_value(const key_recipe *all, uint64_t i, uint64_t random) {
  (void)all;
  (void)i;
  (void)random;
  return UINT64_MAX / 2;
}

static uint64_t few_value(const key_recipe *all, uint64_t i, uint64_t random) {
  (void)all;
  (void)i;
  return UINT64_MAX / FEW_VALUES * (random % FEW_VALUES);
}

static uint64_t staggered_value(const key_recipe *all, uint64_t i, uint64_t random) {
  return value_in_section(staggered_section(i, all->count), UINT64_MAX / KEY_SECTIONS, random);
}

static uint64_t bucket_value(const key_recipe *all, uint64_t i, uint64_t random) {
  return value_in_section(bucket_section(i, all->count), UINT64_MAX / KEY_SECTIONS, random);
}

static uint64_t gaussian_value(const key_recipe *all, uint64_t i, uint64_t random) {
  uint64_t mean = 0;
  (void)all;
  (void)i;
  for (uint64_t which = 0; which < MEAN_OF; which++)
    mean += random_bits(random, which) / MEAN_OF;
  return mean;
}

static uint64_t organ_pipe_value(const key_recipe *all, uint64_t i, uint64_t random) {
  return sorted_value(all, i < all->count / 2 ? i : all->count - 1 - i, random);
}

static uint64_t few_values_number(const key_recipe *all, uint64_t i, uint64_t random) {
  (void)i;
  /* The upper half, scaled: exactly even for a power of two, and as even as 32 bits can make it otherwise. */
  return (random >> 32) * all->values >> 32;
}

const distribution DISTRIBUTIONS[] = {
    {"random", "uniform over all values", random_value, false},
    {"sorted", "in order already", sorted_value, false},
    {"reversed", "in the opposite order", reversed_value, false},
    {"equal", "one value", equal_value, false},
    {"few", "16 values at random", few_value, false},
    {"staggered", "128 blocks, each with values of its own, the blocks interleaved: misleads a median of three",
     staggered_value, false},
    {"bucket", "128 blocks, each rising through the values in 128 steps", bucket_value, false},
    {"gaussian", "means of four random values", gaussian_value, false},
    {"organ-pipe", "rising to the middle, then falling", organ_pipe_value, false},
    {NULL, NULL, NULL, false},
};

/* ---- Keys ------------------------------------------------------------------------------------------------------ */

/* Keys in the making. */
typedef struct key_work {
  key_recipe recipe;
  const distribution *wanted;
  void *keys;
  cdp_type type;
} key_work;

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
  const key_work *work = given;
  for (uint64_t i = begin; i < end; i++) {
    const uint64_t value = work->wanted->value(&work->recipe, i, random_bits(work->recipe.seed, i));
    (work->wanted->is_whole ? store_number : store_value)(work->keys, i, work->type, value);
  }
}

static void fill(void *keys, cdp_type type, const distribution *wanted, key_recipe recipe) {
  key_work work = {.recipe = recipe, .wanted = wanted, .keys = keys, .type = type};
  const uint64_t count = recipe.count;
  while (work.recipe.half_bits < 32 && UINT64_C(1) << (2 * work.recipe.half_bits) < count)
    work.recipe.half_bits++;
  for (uint64_t swap = 0; swap < KEY_SWAPS; swap++)
    for (uint64_t end = 0; end < 2; end++)
      work.recipe.swapped[swap][end] = random_bits(~recipe.seed, 2 * swap + end) % (count > 0 ? count : 1);
  side_by_side(count, fill_stretch, &work);
}

void generate_keys(void *keys, uint64_t count, cdp_type type, const distribution *wanted, uint64_t seed) {
  fill(keys, type, wanted, (key_recipe){.count = count, .seed = seed});
}

void generate_few_values(void *keys, uint64_t count, cdp_type type, uint64_t values, uint64_t seed) {
  static const distribution few_values = {"few", "", few_values_number, true};
  fill(keys, type, &few_values, (key_recipe){.count = count, .seed = seed, .values = values});
}
