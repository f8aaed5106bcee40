/* SPDX-License-Identifier: MIT */
/*
 * The keys of the two studies whose tables are measured again (published.c): the nine sequences of the TNL thesis (section
 * 5.3.1), and the random numbers of few values of "Parallel Quick Sort in OpenCL".
 *
 * All are numbers from 0 to 2^31 - 1, as std::rand() has them and an int holds them. Other types have the same numbers, a float
 * the nearest that it has.
 *
 * The thesis leaves two things open. It names no number of blocks for bucket and staggered: here it is 128, as with Cederman
 * and Tsigas, from whom it has both. And its staggered has "i <= p/2" where they have "<"; to the letter, block p/2 would have
 * values of 2^31 and more, which no int holds: here it is "<", the blocks counted from 0. With fewer than 128 * 128 keys
 * a bucket's section has one key, and there are fewer blocks.
 */
#ifndef CDPSORT_SAMPLES_TABLES_STUDY_KEYS_H
#define CDPSORT_SAMPLES_TABLES_STUDY_KEYS_H

#include <cdpsort/cdpsort.h>

/* The thesis' sequences, in its order. */
typedef enum sequence {
  SEQUENCE_RANDOM,
  SEQUENCE_SHUFFLE,
  SEQUENCE_SORTED,
  SEQUENCE_ALMOST_SORTED,
  SEQUENCE_DECREASING,
  SEQUENCE_ZERO_ENTROPY,
  SEQUENCE_GAUSSIAN,
  SEQUENCE_BUCKET,
  SEQUENCE_STAGGERED,
  SEQUENCES
} sequence;

/* The most keys: the sequences have numbers up to their length. */
#define SEQUENCE_LOG2_MOST 30u

/* A word for the command line, such as "almost-sorted", and what it means. */
const char *sequence_name(sequence which);
const char *sequence_text(sequence which);

/* Fills `count` keys, at most 2^SEQUENCE_LOG2_MOST. The same seed makes the same keys. */
void generate_sequence(void *keys, uint64_t count, cdp_type type, sequence which, uint64_t seed);

/* Fills `count` keys with random numbers from 0 to values - 1, each as probable as the others; values up to 2^31. */
void generate_few_values(void *keys, uint64_t count, cdp_type type, uint64_t values, uint64_t seed);

#endif
