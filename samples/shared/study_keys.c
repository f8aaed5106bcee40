/* SPDX-License-Identifier: MIT */
/* The keys of the two studies: see study_keys.h. A key depends on its position alone, so that all processors can make them. */
#include "study_keys.h"
#include "host_work.h"
#include "recursion_keys.h"

enum { NUMBER_BITS = 31, SWAPS = 3, FEISTEL_ROUNDS = 4, MEAN_OF = 4 };

/* All that a key depends on beside its position. */
typedef struct recipe {
  uint64_t (*number)(const struct recipe *all, uint64_t i, uint64_t random);
  void *keys;
  uint64_t count;
  cdp_type type;
  uint64_t seed;
  uint64_t values;    /* few_values_number(): how many */
  uint32_t half_bits; /* shuffle_number(): 4^half_bits >= count */
  uint64_t swapped[SWAPS][2];
} recipe;

/* ---- Numbers: that of position i; `random` is 64 random bits of its own ------------------------------------------ */

static uint64_t random_number(const recipe *all, uint64_t i, uint64_t random) {
  (void)all;
  (void)i;
  return random >> (64 - NUMBER_BITS);
}

/* 1 to n. Four rounds of a Feistel network are a permutation of 0 to 4^half_bits - 1; repeated until the number is below n. */
static uint64_t shuffle_number(const recipe *all, uint64_t i, uint64_t random) {
  const uint64_t mask = (UINT64_C(1) << all->half_bits) - 1;
  (void)random;
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

static uint64_t sorted_number(const recipe *all, uint64_t i, uint64_t random) {
  (void)all;
  (void)random;
  return i;
}

static uint64_t almost_sorted_number(const recipe *all, uint64_t i, uint64_t random) {
  (void)random;
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

static uint64_t decreasing_number(const recipe *all, uint64_t i, uint64_t random) {
  (void)random;
  return all->count - i;
}

static uint64_t zero_entropy_number(const recipe *all, uint64_t i, uint64_t random) {
  (void)all;
  (void)i;
  (void)random;
  return UINT64_C(1) << (NUMBER_BITS - 1);
}

static uint64_t gaussian_number(const recipe *all, uint64_t i, uint64_t random) {
  uint64_t sum = 0;
  for (uint64_t which = 0; which < MEAN_OF; which++)
    sum += random_number(all, i, random_bits(random, which + 1));
  return sum / MEAN_OF;
}

static uint64_t number_in_section(uint64_t section, uint64_t random) {
  const uint64_t width = (UINT64_C(1) << NUMBER_BITS) / KEY_SECTIONS;
  return section * width + random % width;
}

static uint64_t bucket_number(const recipe *all, uint64_t i, uint64_t random) {
  return number_in_section(bucket_section(i, all->count), random);
}

static uint64_t staggered_number(const recipe *all, uint64_t i, uint64_t random) {
  return number_in_section(staggered_section(i, all->count), random);
}

static uint64_t few_values_number(const recipe *all, uint64_t i, uint64_t random) {
  (void)i;
  /* The upper half, scaled: exactly even for a power of two, and as even as 32 bits can make it otherwise. */
  return (random >> 32) * all->values >> 32;
}

static const struct {
  const char *name;
  const char *text;
  uint64_t (*number)(const recipe *all, uint64_t i, uint64_t random);
} KNOWN[SEQUENCES] = {
    {"random", "uniform over 0 to 2^31 - 1, as std::rand()", random_number},
    {"shuffle", "1 to n, shuffled", shuffle_number},
    {"sorted", "0 to n - 1", sorted_number},
    {"almost-sorted", "0 to n - 1, but for three random swaps", almost_sorted_number},
    {"decreasing", "n to 1", decreasing_number},
    {"zero-entropy", "all values the same", zero_entropy_number},
    {"gaussian", "means of four random values", gaussian_number},
    {"bucket", "128 blocks, each rising through the values in 128 sections", bucket_number},
    {"staggered", "128 blocks, each with a section of the values, interleaved: misleads a median of three", staggered_number},
};

/* ---- Keys ------------------------------------------------------------------------------------------------------ */

static void store_number(void *keys, uint64_t at, cdp_type type, uint64_t number) {
  switch (type) {
  case CDP_U32:
    ((uint32_t *)keys)[at] = (uint32_t)number;
    return;
  case CDP_I32:
    ((int32_t *)keys)[at] = (int32_t)number;
    return;
  case CDP_U64:
    ((uint64_t *)keys)[at] = number;
    return;
  case CDP_I64:
    ((int64_t *)keys)[at] = (int64_t)number;
    return;
  case CDP_F32:
    ((float *)keys)[at] = (float)number;
    return;
  case CDP_F64:
    ((double *)keys)[at] = (double)number;
    return;
  }
}

static void fill_stretch(void *context, uint64_t begin, uint64_t end) {
  const recipe *wanted = context;
  for (uint64_t i = begin; i < end; i++)
    store_number(wanted->keys, i, wanted->type, wanted->number(wanted, i, random_bits(wanted->seed, i + 1)));
}

const char *sequence_name(sequence which) {
  return KNOWN[which].name;
}

const char *sequence_text(sequence which) {
  return KNOWN[which].text;
}

void generate_sequence(void *keys, uint64_t count, cdp_type type, sequence which, uint64_t seed) {
  recipe wanted = {.number = KNOWN[which].number, .keys = keys, .count = count, .type = type, .seed = seed};
  while (UINT64_C(1) << (2 * wanted.half_bits) < count)
    wanted.half_bits++;
  for (uint64_t swap = 0; swap < SWAPS; swap++)
    for (uint64_t end = 0; end < 2; end++)
      wanted.swapped[swap][end] = random_bits(~seed, 2 * swap + end + 1) % (count > 0 ? count : 1);
  side_by_side(count, fill_stretch, &wanted);
}

void generate_few_values(void *keys, uint64_t count, cdp_type type, uint64_t values, uint64_t seed) {
  recipe wanted = {.number = few_values_number, .keys = keys, .count = count, .type = type, .seed = seed, .values = values};
  side_by_side(count, fill_stretch, &wanted);
}
