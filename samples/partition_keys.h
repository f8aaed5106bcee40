/* SPDX-License-Identifier: MIT */
/* Partitions of generated keys: around which pivot, of which sizes, and the proof that they are right. */
#ifndef CDPSORT_SAMPLES_PARTITION_KEYS_H
#define CDPSORT_SAMPLES_PARTITION_KEYS_H

#include "recursion_keys.h"
#include "sort_settings.h"

#include <cdpsort/partition.h>

/* Keys as they were given, and the way they are to be ordered. */
typedef struct given_keys {
  const void *keys;
  uint64_t count;
  cdp_type type;
  cdp_order order;
} given_keys;

enum { KEY_BYTES_MOST = 8 };

/* The median of some keys evenly spread over all, at least 1: a pivot with about half of the keys on either side. */
void median_of_sample(const given_keys *given, void *pivot);

/* NULL, or what is wrong with a partition: a key on the wrong side of the pivot, or other keys than were given. */
const char *check_partition(const given_keys *given, const void *result, const void *pivot, const cdp_parts *parts);

/* Whether a partition that is right has left the keys of each part in the order in which they were given. */
bool is_stable(const given_keys *given, const void *result, const void *pivot, const cdp_parts *parts);

/* Numbers of keys: the powers of two with these exponents. */
typedef struct size_range {
  uint32_t least;
  uint32_t most;
} size_range;

/* "10-20", or "16" alone; exponents up to 40. False, and a message, where the option's value is none. */
bool take_sizes(argument_list *list, const argument *option, size_range *sizes);

#endif
