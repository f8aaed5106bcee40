/* SPDX-License-Identifier: MIT */
/*
 * Sorts with a trace, in every way there is: what the tests of traces and of their files begin with.
 */
#ifndef CDPSORT_TESTS_TRACED_H
#define CDPSORT_TESTS_TRACED_H

#include "host_check.h"
#include "simulated_rules.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY 20000u
#define MULTIPROCESSORS 10u

static cdp_trace_event events[CAPACITY];

/* Before each test, in its process. */
static inline void make_device(void) {
  simulated_rules_set(MULTIPROCESSORS, 8);
}

/* Sorts with a trace, and ends the test unless the keys are sorted. */
static inline cdp_trace must_trace(const host_case *sort, size_t capacity, cdp_study *study) {
  const size_t bytes = (sort->count + 1) * host_key_bytes(sort->type);
  cdp_trace trace = {.events = events, .capacity = capacity};
  char why[HOST_WHY_BYTES];
  void *keys = malloc(bytes);
  void *original = malloc(bytes);
  ck_assert(keys != NULL && original != NULL);
  host_fill(original, sort->type, sort->count, sort->distribution, sort->seed);
  memcpy(keys, original, bytes - host_key_bytes(sort->type));
  ck_assert_msg(cdp_trace_quicksort(keys, sort->count, sort->type, &sort->options, study, &trace) == CDP_OK, "%s",
                cdp_last_message());
  ck_assert_msg(host_check_sorted(original, keys, sort->count, sort->type, sort->options.order, why), "%s", why);
  free(keys);
  free(original);
  return trace;
}

/* Ways to sort, by the number of the test: fan-out and scheme, and short arrays in two launches. */
static const uint32_t fan_outs[] = {CDP_FAN_OUT_CLASSIC, CDP_FAN_OUT_MIN, 64, 0};
#define FAN_OUTS (sizeof fan_outs / sizeof *fan_outs)
#define WAYS ((int)FAN_OUTS * SCHEMES)

static inline host_case case_of_way(int way, size_t count, host_distribution distribution, uint64_t seed) {
  host_case sort = simulated_case(way % 2 == 0 ? CDP_U32 : CDP_F64, count, distribution, seed);
  sort.options.scheme = scheme_of(way);
  sort.options.fan_out = fan_outs[way / SCHEMES];
  if (fan_outs[way / SCHEMES] != 0)
    sort.options.leaf_items = CDP_LEAF_MIN;
  sort.options.child_streams = seed % 2 == 0 ? CDP_STREAMS_FIRE_AND_FORGET : CDP_STREAMS_NAMED;
  if (fan_outs[way / SCHEMES] == 0)
    sort.options.child_streams = CDP_STREAMS_DEFAULT;
  return sort;
}

/* Whether an event that is not the root's is a launch: neither a block nor a stage of another's grid. */
static inline bool is_launch(const cdp_trace_event *event) {
  return event->kind != CDP_TRACE_BLOCK && event->kind != CDP_TRACE_MAP && event->kind != CDP_TRACE_BUCKETS;
}

#endif
