/* SPDX-License-Identifier: MIT */
/*
 * What tests of mapped arrays have in common: their device, their sorts, and keys that a map makes little of.
 *
 * Linked with the static library: to look at plans, and to have a simulated device of other sizes.
 */
#ifndef CDPSORT_TESTS_MAPPED_KEYS_H
#define CDPSORT_TESTS_MAPPED_KEYS_H

#include "host_check.h"
#include "planned.h"
#include "simulated_rules.h"
#include "study_total.h"

#include <stdlib.h>
#include <string.h>

#define MULTIPROCESSORS 4u
/* More keys than the shortest mapped array; one scatter does for the lesser number, groups are needed for the other. */
#define FEW_ITEMS 41000u
#define MANY_ITEMS 90000u

/* Before each test, in its process. */
static void make_device(void) {
  simulated_rules_set(MULTIPROCESSORS, 6);
}

static cdp_plan plan_of(const cdp_options *options, cdp_type type, size_t count) {
  return planned_simulated(options, type, count, MULTIPROCESSORS);
}

/* Types, orders, sizes, addresses and who launches in turn. */
static host_case turn_case(int turn, host_distribution distribution, uint64_t seed) {
  host_case sort =
      simulated_case((cdp_type)(CDP_U32 + turn % 6), (turn / 6) % 2 == 0 ? FEW_ITEMS : MANY_ITEMS, distribution, seed);
  sort.options.order = turn % 4 < 2 ? CDP_ASCENDING : CDP_DESCENDING;
  sort.options.scheme = turn % 3 == 2 ? CDP_SCHEME_HOST : CDP_SCHEME_LAST_BLOCK;
  sort.offset_items = (size_t)(turn % 5);
  sort.count += (size_t)(turn % 7);
  return sort;
}

/* Keys that are spread as no map likes it. kind: how, 0 to ODD_KEYS - 1. */
static uint64_t odd_key(int kind, uint64_t *state, bool is_wide) {
  const uint64_t random = host_random(state);
  const uint32_t up = is_wide ? 32 : 0;
  switch (kind) {
  case 0: // most of them small, by any number of orders of magnitude
    return random >> (host_random(state) % 60);
  case 1: // one value in ten keys: a bucket too long for a team, or a block
    return random % 10 == 0 ? 123456789u : random;
  case 2: // few values, each in many keys
    return random % 700 * 6000011u;
  case 3: // a few keys far from all the others
    return random % 5000 == 0 ? random | 0xC0000000u : random % 65536;
  case 4: // clusters: many different keys in the same cell of a bucket
    return ((random % 256 << 24) << up) | (random >> 20) % 128;
  case 5: // half of the keys of four values, the least and the greatest of all among them
    return random % 2 == 0 ? random : (uint64_t)0 - host_random(state) % 2 + (random / 2 % 2 == 0 ? 0 : 0x5555555555555555u);
  case 6: // two values and nothing else
    return random % 2 == 0 ? 77 : 0xFFFFFFFFFFFFFFFEu;
  case 7: // words of a text: the r-th comes with a probability of about 1 / r, wherever it is
    return (((random >> 20) % 8192 | 4096) >> (random % 13)) * 0x9E3779B97F4A7C15u;
  case 8: // more frequent values than there is room for
    return random % 300 * 0x00DAA66D2C7DDEu;
  case 9: // a value that a tenth of the keys have, in the midst of a few thousand others that are close to one another
    return random % 10 == 0 ? (uint64_t)(70000 + 500) << up : random % 20 == 1 ? (70000 + (random >> 20) % 1000) << up : random;
  case 10: // a few clusters, each of which makes a bucket too long for any block
    return (random % 8 << 29 << up) | (random >> 20) % 4096;
  case 11: { // small numbers, each a little rarer than the one before it: most are frequent, and neighbours
    const uint64_t one = random % 300;
    const uint64_t other = (random >> 20) % 300;
    return one < other ? one : other;
  }
  case 13: { // 400 values, anywhere
    const uint64_t hash = (random % 400 + 1) * 0x9E3779B97F4A7C15u;
    return (hash ^ hash >> 31) * 0xBF58476D1CE4E5B9u;
  }
  case 14: // 100 values
    return random % 100 * 0x028F5C0F028F5Cu;
  case 15: // 400 values in equal steps
    return random % 400 * ((uint64_t)10000019 << up);
  case 16: // small integers, of which two have no room in a bucket
    return random % 290;
  default: // upper halves alike
    return 0x5000000000000000u + (random >> 40);
  }
}

#define ODD_KEYS 17

/* Sorts keys of a kind, looks at them, and counts. */
static cdp_study sort_odd_keys(int kind, uint64_t seed, size_t count, bool is_wide, cdp_scheme scheme) {
  const size_t bytes = count * (is_wide ? 8 : 4);
  unsigned char *keys = malloc(bytes);
  unsigned char *sorted = malloc(bytes);
  ck_assert(keys != NULL && sorted != NULL);
  uint64_t state = seed;
  for (size_t index = 0; index < count; index++) {
    const uint64_t key = odd_key(kind, &state, is_wide);
    const uint32_t half = (uint32_t)key;
    memcpy(keys + index * (is_wide ? 8 : 4), is_wide ? (const void *)&key : (const void *)&half, is_wide ? 8 : 4);
  }
  memcpy(sorted, keys, bytes);
  cdp_options options = CDP_OPTIONS_INIT;
  options.device = CDP_DEVICE_SIMULATED;
  options.seed = seed;
  options.scheme = scheme;
  const cdp_type type = is_wide ? CDP_U64 : CDP_U32;
  char why[HOST_WHY_BYTES];
  cdp_study study;
  ck_assert_int_eq(cdp_study_quicksort(sorted, count, type, &options, &study), CDP_OK);
  ck_assert_msg(host_check_sorted(keys, sorted, count, type, CDP_ASCENDING, why), "kind %d, seed %d: %s", kind, (int)seed, why);
  free(keys);
  free(sorted);
  return study;
}

#endif
