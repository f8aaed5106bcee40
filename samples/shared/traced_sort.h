/* SPDX-License-Identifier: MIT */
/*
 * A traced sort, and figures that are read from its trace: what the samples `schemes` and `timeline` look at.
 *
 * A grid here is an event of a trace that is neither a block of another grid (CDP_TRACE_BLOCK), nor a stage of one, nor a
 * refused launch.
 */
#ifndef CDPSORT_SAMPLES_TRACED_SORT_H
#define CDPSORT_SAMPLES_TRACED_SORT_H

#include "sample_keys.h"

/* Room for the events of most sorts: 18 MiB. */
enum { TRACE_CAPACITY = 1 << 18 };

/* False, and a message, where memory is exhausted. `events` is the caller's to free(). */
bool trace_make(cdp_trace *trace, const char *program, size_t capacity);

/* Sorts the keys, put back before, with a trace. An exit code, and a message where it is not EXIT_SORTED. */
int trace_sort(sample_keys *keys, const cdp_options *options, cdp_study *study, cdp_trace *trace);

bool is_stage(const cdp_trace_event *event);

/* What a trace says about the time between grids. All in nanoseconds. */
typedef struct trace_figures {
  size_t grids;
  size_t latencies; /* how many there were */
  spread
      latency;   /* from a launch to its grid's begin. Tail launches are left out: they are meant to wait. Launched by the host,
                       where no launch is traced: from a grid's end to the next one's begin */
  uint64_t idle; /* in which no grid ran, from the first begin to the last end */
  uint64_t idle_longest;
  uint64_t total; /* from the first begin to the last end */
} trace_figures;

/* The share of the total in which no grid ran; 0 where there was no time at all. */
double idle_percent(const trace_figures *figures);

/* False where memory is exhausted. */
bool read_trace(const cdp_trace *trace, trace_figures *figures);

#endif
