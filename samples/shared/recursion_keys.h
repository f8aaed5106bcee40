/* SPDX-License-Identifier: MIT */
/*
 * Generated keys and the proof that they were sorted: what the sample `recursion` sorts.
 *
 * The distributions are those of the literature on quicksort for GPUs: Cederman and Tsigas, and after them the TNL thesis. What
 * they are made of is here for others, too: study_keys.h has the thesis' nine to the letter.
 */
#ifndef CDPSORT_SAMPLES_RECURSION_KEYS_H
#define CDPSORT_SAMPLES_RECURSION_KEYS_H

#include <cdpsort/cdpsort.h>

#include <stdbool.h>

/* How generated keys are spread over the range of their type, floating point over [0, 1). */
typedef struct distribution {
  const char *name;
  const char *text; /* for --help */
  /* The value of position i of count, on a scale from 0 to 2^64 - 1; `random` is 64 random bits of its own. */
  uint64_t (*value)(uint64_t i, uint64_t count, uint64_t random);
} distribution;

/* Blocks of the distributions "staggered" and "bucket", and sections that the values are divided into: as many. */
enum { KEY_SECTIONS = 128 };

/* In which section of the values position i of count is, in each of the two. */
uint64_t staggered_section(uint64_t i, uint64_t count);
uint64_t bucket_section(uint64_t i, uint64_t count);

/* Draw number `which` of a seed: 64 random bits, the same every time, in any order. */
uint64_t random_bits(uint64_t seed, uint64_t which);

/* All of them, "random" first; ends with a NULL name. */
extern const distribution DISTRIBUTIONS[];

/* Fills `count` keys. The same seed makes the same keys. */
void generate_keys(void *keys, uint64_t count, cdp_type type, const distribution *wanted, uint64_t seed);

/*
 * What is the same for every permutation of some keys. Order alone would not notice a key that was lost and another written
 * twice; the sum and the exclusive-or of all bits, taken before and after, do.
 */
typedef struct fingerprint {
  uint64_t sum;
  uint64_t exclusive_or;
} fingerprint;

fingerprint take_fingerprint(const void *keys, uint64_t count, cdp_type type);
bool same_fingerprint(fingerprint before, fingerprint after);

/* A number that is ordered as the keys of the type are: the documented total order, worked out independently of the library. */
uint64_t key_rank(const void *keys, uint64_t at, cdp_type type);

/* The first position whose key is out of order with the one before it; `count` if all are in order. */
uint64_t find_disorder(const void *keys, uint64_t count, cdp_type type, cdp_order order);

#endif
