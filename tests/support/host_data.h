/* SPDX-License-Identifier: MIT */
/*
 * Keys for the tests in host memory, and the oracle that judges what a sort made of them.
 *
 * The oracle shares no code with the library: order is a comparison written from the text of the public header, the
 * permutation is checked by comparing, bit for bit, what was given and what was made, both in an order of their bits, and guard
 * zones before and behind the keys tell whether anything else was written.
 */
#ifndef CDPSORT_TESTS_HOST_DATA_H
#define CDPSORT_TESTS_HOST_DATA_H

#include "rounds.h"

#include <cdpsort/study.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum host_distribution {
  HOST_UNIFORM,
  HOST_SORTED,
  HOST_REVERSED,
  HOST_ALL_EQUAL,
  HOST_FEW_DISTINCT, /* 16 values */
  HOST_STAGGERED,    /* as in Nguyen's thesis (2021, section 5.3.1) */
  HOST_BUCKET,       /* likewise */
  HOST_GAUSSIAN,     /* the mean of four */
  HOST_ORGAN_PIPE,   /* rising, then falling */
  HOST_LOST_PIVOT,   /* most keys are one value, which is the middle key: where Gimeno and Fulgencio (2023) lose pivots */
  HOST_EXTREMES,     /* least and greatest values, their neighbours; floats: NaNs of both signs, infinities, zeros */
  HOST_DISTRIBUTIONS
} host_distribution;

/* The name of a distribution, and of a type ("u32"). */
const char *host_distribution_name(host_distribution distribution);
const char *host_type_name(cdp_type type);
size_t host_key_bytes(cdp_type type);

/* Pseudo-random numbers (splitmix64): the state is the seed. */
uint64_t host_random(uint64_t *state);
uint64_t host_random_below(uint64_t *state, uint64_t bound);

/* Fills keys of a type. The same arguments make the same keys. */
void host_fill(void *keys, cdp_type type, size_t count, host_distribution distribution, uint64_t seed);

/* Negative, 0 or positive as *a is before, identical to or behind *b in ascending order. */
int host_compare(cdp_type type, const void *a, const void *b);

/* Bytes between two guard zones. */
typedef struct host_guarded {
  unsigned char *memory; /* what was allocated */
  unsigned char *bytes;  /* what the test may use */
  size_t size;
} host_guarded;

/* `bytes` will be `offset` bytes behind a multiple of 256. False if memory is exhausted. */
bool host_guarded_make(host_guarded *guarded, size_t size, size_t offset);
bool host_guarded_whole(const host_guarded *guarded);
void host_guarded_free(host_guarded *guarded);

#define HOST_WHY_BYTES 768

/* One sort to be made. */
typedef struct host_case {
  cdp_type type;
  size_t count;
  host_distribution distribution;
  uint64_t seed;
  size_t offset_items; /* keys begin so many items behind a multiple of 256 bytes */
  cdp_options options;
} host_case;

/* Describes a case with all its options. */
void host_describe(const host_case *sort, char *text, size_t bytes);

/* True if `sorted` is what sorting `count` keys of `original` must give; otherwise says in `why` what is wrong. */
bool host_check_sorted(const void *original, const void *sorted, size_t count, cdp_type type, cdp_order order, char *why);

/* Makes the keys of a case, sorts them (with counts, if `study` is not NULL) and checks all of it. `why` has room for
   HOST_WHY_BYTES, and on failure says what went wrong and where. */
bool host_sort(const host_case *sort, cdp_study *study, char *why);

#ifdef __cplusplus
}
#endif

#endif
