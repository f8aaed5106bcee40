/* SPDX-License-Identifier: MIT */
/* The proof that keys were sorted, worked out independently of the library. */
#ifndef CDPSORT_SAMPLES_KEY_ORDER_H
#define CDPSORT_SAMPLES_KEY_ORDER_H

#include <cdpsort/cdpsort.h>

#include <stdbool.h>

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

/* A number that is ordered as the keys of the type are: the documented total order. */
uint64_t key_rank(const void *keys, uint64_t at, cdp_type type);

/* Whether `after` is in order and has all that `before` had, found out by all processors. */
bool is_sorted_from(const void *before, const void *after, uint64_t count, cdp_type type, cdp_order order);

#endif
