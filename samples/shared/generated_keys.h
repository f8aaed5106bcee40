/* SPDX-License-Identifier: MIT */
/*
 * Generated keys. A key depends on its position and the seed alone, so that all processors can make them.
 *
 * There are two lists of distributions. DISTRIBUTIONS are those of the literature on quicksort for GPUs: Daniel Cederman and
 * Philippas Tsigas, "GPU-Quicksort: A Practical Quicksort Algorithm for Graphics Processors" (2009), and others after them; values
 * are spread over the whole range of their type, floating point over [0, 1).
 *
 * THESIS_DISTRIBUTIONS are the nine of Xuan Thang Nguyen's thesis, "Development of parallel sorting algorithms for GPU" (2021,
 * section 5.3.1), to the letter: whole numbers from 0 to 2^31 - 1 or up to the number of keys; a type that lacks one of them has
 * the nearest that it has. The thesis leaves two things open. It names no number of blocks for bucket and staggered: here it is
 * 128, as with Cederman and Tsigas, from whom it has both. And its staggered has "i <= p/2" where they have "<"; to the letter,
 * block p/2 would have values of 2^31 and more, which no int holds: here it is "<", the blocks counted from 0. With fewer than 128 * 128 keys a bucket's section has one key, and there are fewer blocks.
 */
#ifndef CDPSORT_SAMPLES_GENERATED_KEYS_H
#define CDPSORT_SAMPLES_GENERATED_KEYS_H

#include <cdpsort/cdpsort.h>

#include <stdint.h>

typedef struct distribution {
  const char *name;
  const char *text; /* for --help */
  int kind;         /* generated_keys.c knows what it means */
} distribution;

/* "random" first; both end with a NULL name. */
extern const distribution DISTRIBUTIONS[];
extern const distribution THESIS_DISTRIBUTIONS[];
enum { THESIS_DISTRIBUTIONS_COUNT = 9 };

/* Fills `count` keys. The same seed makes the same keys. */
void generate_keys(void *keys, uint64_t count, cdp_type type, const distribution *wanted, uint64_t seed);

/* Fills `count` keys with random numbers from 0 to values - 1, each as probable as the others; values up to 2^31. */
void generate_few_values(void *keys, uint64_t count, cdp_type type, uint64_t values, uint64_t seed);

#endif
