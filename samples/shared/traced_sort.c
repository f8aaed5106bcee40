/* SPDX-License-Identifier: MIT */
/* A traced sort, and figures that are read from its trace: see traced_sort.h. */
#include "traced_sort.h"

#include <stdio.h>
#include <stdlib.h>

bool trace_make(cdp_trace *trace, const char *program, size_t capacity) {
  *trace = (cdp_trace){.events = malloc(capacity * sizeof *trace->events), .capacity = capacity};
  if (trace->events == NULL)
    fprintf(stderr, "%s: not enough memory for %zu events\n", program, capacity);
  return trace->events != NULL;
}

int trace_sort(sample_keys *keys, const cdp_options *options, cdp_study *study, cdp_trace *trace) {
  sample_keys_reset(keys);
  return sample_keys_judge(keys, cdp_trace_quicksort(keys->keys, (size_t)keys->count, keys->type, options, study, trace));
}

bool is_stage(const cdp_trace_event *event) {
  return event->kind == CDP_TRACE_MAP || event->kind == CDP_TRACE_BUCKETS;
}

static bool is_grid(const cdp_trace_event *event) {
  return event->kind != CDP_TRACE_BLOCK && !is_stage(event) && event->cuda_error == 0;
}

/* ---- Figures --------------------------------------------------------------------------------------------------- */

/* A stretch of time. */
typedef struct stretch {
  uint64_t begin;
  uint64_t end;
} stretch;

static int compare_begins(const void *left, const void *right) {
  const stretch *a = left;
  const stretch *b = right;
  return (a->begin > b->begin) - (a->begin < b->begin);
}

/* The latencies of what the device launched. */
static size_t list_latencies(const cdp_trace *trace, double *latencies) {
  size_t count = 0;
  for (size_t at = 0; at < trace->count; at++) {
    const cdp_trace_event *event = &trace->events[at];
    if (is_grid(event) && event->launcher != CDP_TRACE_NO_LAUNCHER && event->is_tail == 0)
      latencies[count++] = event->begin_ns > event->launched_ns ? (double)(event->begin_ns - event->launched_ns) : 0;
  }
  return count;
}

/* Walks over the grids by their begin; a gap is what lies between the last end so far and the next begin. Returns how many
   there were, which are noted if the device launched nothing. */
static size_t walk_gaps(const stretch *grids, trace_figures *figures, double *gaps) {
  uint64_t end = figures->grids > 0 ? grids[0].begin : 0;
  size_t count = 0;
  for (size_t at = 0; at < figures->grids; at++) {
    if (grids[at].begin >= end && at > 0) {
      const uint64_t gap = grids[at].begin - end;
      gaps[count++] = (double)gap;
      figures->idle += gap;
      figures->idle_longest = gap > figures->idle_longest ? gap : figures->idle_longest;
    }
    end = grids[at].end > end ? grids[at].end : end;
  }
  figures->total = figures->grids > 0 ? end - grids[0].begin : 0;
  return count;
}

bool read_trace(const cdp_trace *trace, trace_figures *figures) {
  const size_t room = trace->count > 0 ? trace->count : 1;
  stretch *grids = malloc(room * sizeof *grids);
  double *latencies = malloc(room * sizeof *latencies);
  double *gaps = malloc(room * sizeof *gaps);
  const bool enough = grids != NULL && latencies != NULL && gaps != NULL;
  *figures = (trace_figures){.grids = 0};
  if (enough) {
    for (size_t at = 0; at < trace->count; at++)
      if (is_grid(&trace->events[at]))
        grids[figures->grids++] = (stretch){trace->events[at].begin_ns, trace->events[at].end_ns};
    qsort(grids, figures->grids, sizeof *grids, compare_begins);
    const size_t launches = list_latencies(trace, latencies);
    const size_t gap_count = walk_gaps(grids, figures, gaps);
    figures->latencies = launches > 0 ? launches : gap_count;
    figures->latency = launches > 0 ? spread_of(latencies, launches) : spread_of(gaps, gap_count);
  }
  free(grids);
  free(latencies);
  free(gaps);
  return enough;
}

double idle_percent(const trace_figures *figures) {
  return figures->total > 0 ? 100 * (double)figures->idle / (double)figures->total : 0;
}
