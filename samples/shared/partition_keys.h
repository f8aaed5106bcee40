/* SPDX-License-Identifier: MIT */
/* Partitions of generated keys: around which pivot, and the proof that they are right. */
#ifndef CDPSORT_SAMPLES_PARTITION_KEYS_H
#define CDPSORT_SAMPLES_PARTITION_KEYS_H

#include "key_order.h"
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

/* Arrays have up to 2 to the power of this many keys. */
enum { PARTITION_LOG2_MOST = 40 };

#endif
