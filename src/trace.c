/* SPDX-License-Identifier: MIT */
/*
 * cdp_trace_quicksort(), the names of events, and what can be worked out from a trace.
 */
#include "trace.h"

#include "arguments.h"
#include "sort.h"
#include "status.h"

#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {NULL,    "root",    "partition", "controller", "continuation", "prepare",
                                         "count", "scatter", "sort",      "block",      "fill",         "network",
                                         "batch", "look",    "map",       "buckets"};

const char *cdp_trace_kind_name(uint32_t kind) {
  const bool is_known = kind != 0 && kind < sizeof kind_names / sizeof kind_names[0];
  return is_known ? kind_names[kind] : "unknown";
}

/* ---- Pending launches ------------------------------------------------------------------------------------------ */

/* An end comes before a beginning of the same moment: a clock that moves in steps does not tell them apart. */
static int compare_moments(const void *left, const void *right) {
  const cdp_pending *a = left;
  const cdp_pending *b = right;
  if (a->at_ns != b->at_ns)
    return a->at_ns < b->at_ns ? -1 : 1;
  return (a->change > b->change) - (a->change < b->change);
}

static uint64_t later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

bool cdp_trace_is_stage(const cdp_trace_event *event) {
  return event->kind == CDP_TRACE_MAP || event->kind == CDP_TRACE_BUCKETS;
}

bool cdp_trace_is_device_launch(const cdp_trace_event *event) {
  const bool is_part = event->kind == CDP_TRACE_BLOCK || cdp_trace_is_stage(event);
  return event->launcher != CDP_TRACE_NO_LAUNCHER && !is_part && event->cuda_error == 0;
}

/*
 * Until when each event was pending, and until when it was complete: a grid is pending until its blocks have ended and its
 * children that are no tails are complete; and complete when its tails are, too. An event follows its launcher, so that in the
 * opposite order all of a grid's children come before it.
 */
static void find_ends(const cdp_trace *trace, uint64_t *pending_ends, uint64_t *complete_ends) {
  for (size_t index = 0; index < trace->count; index++)
    pending_ends[index] = complete_ends[index] = trace->events[index].end_ns;
  for (size_t index = trace->count; index-- > 0;) {
    const cdp_trace_event *event = &trace->events[index];
    complete_ends[index] = later(complete_ends[index], pending_ends[index]);
    if (event->launcher == CDP_TRACE_NO_LAUNCHER || event->cuda_error != 0)
      continue;
    uint64_t *ends = event->is_tail != 0 ? complete_ends : pending_ends;
    ends[event->launcher] = later(ends[event->launcher], complete_ends[index]);
  }
}

cdp_pending *cdp_trace_pending(const cdp_trace *trace, size_t *moments) {
  uint64_t *ends = malloc((2 * trace->count + 1) * sizeof *ends);
  cdp_pending *course = malloc((2 * trace->count + 1) * sizeof *course);
  size_t count = 0;
  *moments = 0;
  if (ends == NULL || course == NULL) {
    free(ends);
    free(course);
    return NULL;
  }
  find_ends(trace, ends, ends + trace->count);
  for (size_t index = 0; index < trace->count; index++) {
    const cdp_trace_event *event = &trace->events[index];
    // One that is over within a step of the clock is left out: its end would come before its beginning.
    if (!cdp_trace_is_device_launch(event) || ends[index] <= event->launched_ns)
      continue;
    course[count++] = (cdp_pending){event->launched_ns, 1, 0};
    course[count++] = (cdp_pending){ends[index], -1, 0};
  }
  free(ends);
  qsort(course, count, sizeof *course, compare_moments);
  uint32_t launches = 0;
  for (size_t index = 0; index < count; index++) {
    launches += (uint32_t)course[index].change;
    course[index].launches = launches;
  }
  *moments = count;
  return course;
}

/* 0 if memory for it is exhausted: the keys are sorted by then, and that is no reason to fail. */
static uint32_t find_max_pending(const cdp_trace *trace) {
  size_t moments = 0;
  uint32_t most = 0;
  cdp_pending *course = cdp_trace_pending(trace, &moments);
  for (size_t index = 0; index < moments; index++)
    if (course[index].launches > most)
      most = course[index].launches;
  free(course);
  return most;
}

/* ---- The call -------------------------------------------------------------------------------------------------- */

static cdp_status check_trace(const cdp_trace *trace) {
  if (trace->events == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "trace->events is NULL: give an array of trace->capacity events");
  if (trace->capacity == 0 || trace->capacity > CDP_TRACE_CAPACITY_MAX)
    return cdp_fail(CDP_ERROR_OPTION, 0, "trace->capacity is %zu: choose 1 to CDP_TRACE_CAPACITY_MAX (%u)", trace->capacity,
                    CDP_TRACE_CAPACITY_MAX);
  return CDP_OK;
}

cdp_status cdp_trace_quicksort(void *keys, size_t count, cdp_type type, const cdp_options *options, cdp_study *study,
                               cdp_trace *trace) {
  cdp_study counts; // a trace needs counts, whether the caller wants them or not
  cdp_gathering all = {.study = &counts, .trace = trace};
  cdp_status status;
  cdp_message_clear();
  memset(&counts, 0, sizeof counts);
  if (study != NULL)
    *study = counts;
  if (trace == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "trace is NULL: give a pointer to a cdp_trace, or call cdp_study_quicksort()");
  trace->count = 0;
  trace->lost = 0;
  TRY(check_trace(trace));
  TRY(cdp_arguments_check_recursion(type, "cdp_trace_quicksort()"));
  TRY(cdp_sort_blocking(keys, count, type, options, &all));
  counts.max_pending = find_max_pending(trace);
  if (study != NULL)
    *study = counts;
cleanup:
  if (status != CDP_OK)
    trace->count = trace->lost = 0;
  return status;
}
