/* SPDX-License-Identifier: MIT */
/* Generated keys and the proof that they were sorted: see recursion_keys.h. */
#include "recursion_keys.h"
#include "sort_settings.h"

#include <string.h>

enum { FEW_VALUES = 16 };

/* ---- Values ---------------------------------------------------------------------------------------------------- */

/* SplitMix64 (Steele, Lea, Flood 2014): small, and good enough in all its bits. Its state moves on by the same step each time,
   so that any draw can be had without those before it. */
static const uint64_t STATE_STEP = UINT64_C(0x9E3779B97F4A7C15);

static uint64_t draw(uint64_t *state) {
  uint64_t bits = *state += STATE_STEP;
  bits = (bits ^ (bits >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  bits = (bits ^ (bits >> 27)) * UINT64_C(0x94D049BB133111EB);
  return bits ^ (bits >> 31);
}

uint64_t random_bits(uint64_t seed, uint64_t which) {
  uint64_t state = seed + which * STATE_STEP;
  return draw(&state);
}

/* The scale divided into `parts`: a random value of part `part`. */
static uint64_t place_in_part(uint64_t part, uint64_t parts, uint64_t random) {
  const uint64_t width = UINT64_MAX / parts;
  return part * width + random % width;
}

/* Which of `parts` equal stretches of the array position i is in. */
static uint64_t part_of(uint64_t i, uint64_t count, uint64_t parts) {
  const uint64_t stretch = (count + parts - 1) / parts;
  return i / stretch;
}

static uint64_t random_value(uint64_t i, uint64_t count, uint64_t random) {
  (void)i;
  (void)count;
  return random;
}

static uint64_t sorted_value(uint64_t i, uint64_t count, uint64_t random) {
  (void)random;
  return UINT64_MAX / count * i;
}

static uint64_t reversed_value(uint64_t i, uint64_t count, uint64_t random) {
  return sorted_value(count - 1 - i, count, random);
}

static uint64_t equal_value(uint64_t i, uint64_t count, uint64_t random) {
  (void)i;
  (void)count;
  (void)random;
  return UINT64_MAX / 2;
}

static uint64_t few_value(uint64_t i, uint64_t count, uint64_t random) {
  (void)i;
  (void)count;
  return UINT64_MAX / FEW_VALUES * (random % FEW_VALUES);
}

uint64_t staggered_section(uint64_t i, uint64_t count) {
  const uint64_t block = part_of(i, count, KEY_SECTIONS);
  return block < KEY_SECTIONS / 2 ? 2 * block + 1 : 2 * block - KEY_SECTIONS;
}

uint64_t bucket_section(uint64_t i, uint64_t count) {
  /* Every block of the array has a section for every block of the values. */
  return part_of(i, count, (uint64_t)KEY_SECTIONS * KEY_SECTIONS) % KEY_SECTIONS;
}

static uint64_t staggered_value(uint64_t i, uint64_t count, uint64_t random) {
  return place_in_part(staggered_section(i, count), KEY_SECTIONS, random);
}

static uint64_t bucket_value(uint64_t i, uint64_t count, uint64_t random) {
  return place_in_part(bucket_section(i, count), KEY_SECTIONS, random);
}

static uint64_t gaussian_value(uint64_t i, uint64_t count, uint64_t random) {
  (void)i;
  (void)count;
  uint64_t state = random;
  uint64_t mean = 0;
  for (int draws = 0; draws < 4; draws++)
    mean += draw(&state) / 4;
  return mean;
}

static uint64_t organ_pipe_value(uint64_t i, uint64_t count, uint64_t random) {
  return sorted_value(i < count / 2 ? i : count - 1 - i, count, random);
}

const distribution DISTRIBUTIONS[] = {
    {"random", "uniform over all values", random_value},
    {"sorted", "in order already", sorted_value},
    {"reversed", "in the opposite order", reversed_value},
    {"equal", "one value", equal_value},
    {"few", "16 values at random", few_value},
    {"staggered", "128 blocks, each with values of its own, the blocks interleaved: misleads a median of three",
     staggered_value},
    {"bucket", "128 blocks, each rising through the values in 128 steps", bucket_value},
    {"gaussian", "means of four random values", gaussian_value},
    {"organ-pipe", "rising to the middle, then falling", organ_pipe_value},
    {NULL, NULL, NULL},
};

/* ---- Keys ------------------------------------------------------------------------------------------------------ */

/* Brings a value of the common scale to a type; greater values give keys that are greater or equal. */
static void store_key(void *keys, uint64_t at, cdp_type type, uint64_t value) {
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

void generate_keys(void *keys, uint64_t count, cdp_type type, const distribution *wanted, uint64_t seed) {
  uint64_t random_state = seed;
  for (uint64_t i = 0; i < count; i++)
    store_key(keys, i, type, wanted->value(i, count, draw(&random_state)));
}

/* The bits of a key. Copied rather than read in place: C forbids to look at a float through a pointer to an integer. */
static uint64_t key_bits(const void *keys, uint64_t at, size_t bytes) {
  uint32_t narrow;
  uint64_t wide;
  const char *key = (const char *)keys + at * bytes;
  if (bytes == 4) {
    memcpy(&narrow, key, sizeof narrow);
    return narrow;
  }
  memcpy(&wide, key, sizeof wide);
  return wide;
}

/* Negative numbers by falling magnitude, the others by rising magnitude; then the positive NaNs by rising payload, and the
   negative ones by falling payload. `infinite` is the magnitude of infinity: greater ones are NaNs. */
static uint64_t floating_rank(uint64_t magnitude, bool negative, uint64_t infinite, uint64_t greatest) {
  if (!negative)
    return infinite + 1 + magnitude;
  return magnitude <= infinite ? infinite - magnitude : greatest - (magnitude - infinite - 1);
}

uint64_t key_rank(const void *keys, uint64_t at, cdp_type type) {
  const size_t bytes = type_bytes(type);
  const uint64_t sign = bytes == 4 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
  const uint64_t bits = key_bits(keys, at, bytes);
  if (type == CDP_U32 || type == CDP_U64)
    return bits;
  if (type == CDP_I32 || type == CDP_I64)
    return bits ^ sign;
  const uint64_t infinite = bytes == 4 ? UINT64_C(0x7F800000) : UINT64_C(0x7FF0000000000000);
  return floating_rank(bits & (sign - 1), (bits & sign) != 0, infinite, sign | (sign - 1));
}

fingerprint take_fingerprint(const void *keys, uint64_t count, cdp_type type) {
  const size_t bytes = type_bytes(type);
  fingerprint taken = {0, 0};
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t bits = key_bits(keys, i, bytes);
    taken.sum += bits;
    taken.exclusive_or ^= bits;
  }
  return taken;
}

bool same_fingerprint(fingerprint before, fingerprint after) {
  return before.sum == after.sum && before.exclusive_or == after.exclusive_or;
}

uint64_t find_disorder(const void *keys, uint64_t count, cdp_type type, cdp_order order) {
  for (uint64_t i = 1; i < count; i++) {
    const uint64_t before = key_rank(keys, i - 1, type);
    const uint64_t here = key_rank(keys, i, type);
    if (order == CDP_DESCENDING ? here > before : here < before)
      return i;
  }
  return count;
}
