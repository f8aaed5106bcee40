/* SPDX-License-Identifier: MIT */
/* Partitions of generated keys: see partition_keys.h. */
#include "partition_keys.h"

#include <stdlib.h>
#include <string.h>

/* Of the sample that the pivot is drawn from: some 3 % of the keys lie between its median and that of all. */
enum { SAMPLES = 255 };

typedef struct ranked_key {
  uint64_t rank;
  uint64_t at;
} ranked_key;

static int compare_ranks(const void *left, const void *right) {
  const uint64_t a = ((const ranked_key *)left)->rank;
  const uint64_t b = ((const ranked_key *)right)->rank;
  return (a > b) - (a < b);
}

void median_of_sample(const given_keys *given, void *pivot) {
  ranked_key sample[SAMPLES] = {{0, 0}};
  const uint64_t drawn = given->count < SAMPLES ? given->count : SAMPLES;
  const size_t bytes = type_bytes(given->type);
  for (uint64_t i = 0; i < drawn; i++) {
    const uint64_t at = given->count / drawn * i;
    sample[i] = (ranked_key){.rank = key_rank(given->keys, at, given->type), .at = at};
  }
  qsort(sample, (size_t)drawn, sizeof *sample, compare_ranks);
  memcpy(pivot, (const char *)given->keys + sample[drawn / 2].at * bytes, bytes);
}

/* -1 where a key belongs before the pivot, 0 where it is equal to it, 1 where it belongs behind. */
static int side_of(const given_keys *given, const void *keys, uint64_t at, uint64_t pivot_rank) {
  const uint64_t rank = key_rank(keys, at, given->type);
  const int ascending = (rank > pivot_rank) - (rank < pivot_rank);
  return given->order == CDP_DESCENDING ? -ascending : ascending;
}

const char *check_partition(const given_keys *given, const void *result, const void *pivot, const cdp_parts *parts) {
  const uint64_t pivot_rank = key_rank(pivot, 0, given->type);
  const uint64_t count = given->count;
  if (parts->less_items > count || parts->equal_items > count - parts->less_items)
    return "the parts are larger than the whole";
  for (uint64_t i = 0; i < count; i++) {
    const int part = i < parts->less_items ? -1 : i < parts->less_items + parts->equal_items ? 0 : 1;
    if (side_of(given, result, i, pivot_rank) != part)
      return "a key is on the wrong side of the pivot";
  }
  if (!same_fingerprint(take_fingerprint(given->keys, count, given->type), take_fingerprint(result, count, given->type)))
    return "the keys are not those that were given (sum or exclusive-or differ)";
  return NULL;
}

bool is_stable(const given_keys *given, const void *result, const void *pivot, const cdp_parts *parts) {
  const uint64_t pivot_rank = key_rank(pivot, 0, given->type);
  uint64_t next[3] = {0, parts->less_items, parts->less_items + parts->equal_items};
  for (uint64_t i = 0; i < given->count; i++) {
    const uint64_t place = next[side_of(given, given->keys, i, pivot_rank) + 1]++;
    /* Only identical keys have the same rank. */
    if (place >= given->count || key_rank(given->keys, i, given->type) != key_rank(result, place, given->type))
      return false;
  }
  return true;
}
