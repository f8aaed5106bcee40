/* SPDX-License-Identifier: MIT */
/* Keys of THESIS_DISTRIBUTIONS: see generated_keys.h. */
#include "generated_keys.h"

#include <stddef.h>

enum { NUMBER_BITS = 31, FEISTEL_ROUNDS = 4, MEAN_OF = 4, SECTION_NUMBERS = (1u << NUMBER_BITS) / KEY_SECTIONS };

/* ---- Numbers: that of position i; `random` is 64 random bits of its own ------------------------------------------ */

static uint64_t random_number(const key_recipe *all, uint64_t i, uint64_t random) {
  (void)all;
  (void)i;
  return random >> (64 - NUMBER_BITS);
}

/* 1 to n. Four rounds of a Feistel network are a permutation of 0 to 4^half_bits - 1; repeated until the number is below n. */
static uint64_t shuffle_number(const key_recipe *all, uint64_t i, uint64_t random) {
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

static uint64_t sorted_number(const key_recipe *all, uint64_t i, uint64_t random) {
  (void)all;
  (void)random;
  return i;
}

static uint64_t almost_sorted_number(const key_recipe *all, uint64_t i, uint64_t random) {
  (void)random;
  /* The last swap first: it is followed back to where the number was in the beginning. */
  for (int swap = KEY_SWAPS - 1; swap >= 0; swap--) {
    const uint64_t *both = all->swapped[swap];
    if (i == both[0])
      i = both[1];
    else if (i == both[1])
      i = both[0];
  }
  return i;
}

static uint64_t decreasing_number(const key_recipe *all, uint64_t i, uint64_t random) {
  (void)random;
  return all->count - i;
}

static uint64_t zero_entropy_number(const key_recipe *all, uint64_t i, uint64_t random) {
  (void)all;
  (void)i;
  (void)random;
  return UINT64_C(1) << (NUMBER_BITS - 1);
}

static uint64_t gaussian_number(const key_recipe *all, uint64_t i, uint64_t random) {
  uint64_t sum = 0;
  for (uint64_t which = 0; which < MEAN_OF; which++)
    sum += random_number(all, i, random_bits(random, which));
  return sum / MEAN_OF;
}

static uint64_t bucket_number(const key_recipe *all, uint64_t i, uint64_t random) {
  return value_in_section(bucket_section(i, all->count), SECTION_NUMBERS, random);
}

static uint64_t staggered_number(const key_recipe *all, uint64_t i, uint64_t random) {
  return value_in_section(staggered_section(i, all->count), SECTION_NUMBERS, random);
}

const distribution THESIS_DISTRIBUTIONS[] = {
    {"random", "uniform over 0 to 2^31 - 1, as std::rand()", random_number, true},
    {"shuffle", "1 to n, shuffled", shuffle_number, true},
    {"sorted", "0 to n - 1", sorted_number, true},
    {"almost-sorted", "0 to n - 1, but for three random swaps", almost_sorted_number, true},
    {"decreasing", "n to 1", decreasing_number, true},
    {"zero-entropy", "all values the same", zero_entropy_number, true},
    {"gaussian", "means of four random values", gaussian_number, true},
    {"bucket", "128 blocks, each rising through the values in 128 sections", bucket_number, true},
    {"staggered", "128 blocks, each with a section of the values, interleaved: misleads a median of three", staggered_number,
     true},
    {NULL, NULL, NULL, false},
};
