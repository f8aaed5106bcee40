/* SPDX-License-Identifier: MIT */
/*
 * A trace as a file: JSON in the Trace Event Format ("Trace Event Format", Chromium project, 2016), and CSV.
 *
 * Slices of one thread must not overlap but by nesting, and grids of one depth do overlap. So a process is a depth, and a
 * thread is a lane of it: each event takes the lowest lane that is free when it begins, and was before: an arrow's end could
 * otherwise belong to either of two slices that touch. Phases used: M (names), X (slices), s and f (arrows), i (refused
 * launches), C (the counter of pending launches).
 */
#include "status.h"
#include "trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nanoseconds as the microseconds, with three decimals, that the format asks for. */
#define MICROSECONDS "%" PRIu64 ".%03u"
#define MICROSECONDS_OF(ns) (ns) / 1000, (unsigned)((ns) % 1000)

/* Numbers of processes and threads. Perfetto takes thread 0 of a process for its main thread, whose number is the process's, so
   that neither may be 0 and lanes begin beyond any depth's. */
#define PROCESS_OF(depth) ((depth) + 1)
#define THREAD_OF(lane) ((lane) + CDP_DEPTH_MAX + 2)

/* The process of the counter, behind all depths. */
#define COUNTER_PROCESS (CDP_DEPTH_MAX + 2)

/* ---- Lanes ----------------------------------------------------------------------------------------------------- */

/* Where an event is drawn. */
typedef struct lane_place {
  uint32_t lane;
  bool is_first; /* in that lane of its depth */
} lane_place;

/* Events, which are elements of one array, by depth and begin. */
static int compare_events(const void *left, const void *right) {
  const cdp_trace_event *a = *(const cdp_trace_event *const *)left;
  const cdp_trace_event *b = *(const cdp_trace_event *const *)right;
  if (a->depth != b->depth)
    return a->depth < b->depth ? -1 : 1;
  if (a->begin_ns != b->begin_ns)
    return a->begin_ns < b->begin_ns ? -1 : 1;
  return (a > b) - (a < b);
}

/* The place of each event, which the caller frees. NULL without memory. */
static lane_place *place_events(const cdp_trace *trace) {
  const cdp_trace_event **order = malloc((trace->count + 1) * sizeof(const cdp_trace_event *));
  uint64_t *lane_ends = malloc((trace->count + 1) * sizeof *lane_ends);
  lane_place *places = calloc(trace->count + 1, sizeof *places);
  if (order == NULL || lane_ends == NULL || places == NULL) {
    free(places);
    places = NULL;
    goto cleanup;
  }
  for (size_t index = 0; index < trace->count; index++)
    order[index] = &trace->events[index];
  qsort(order, trace->count, sizeof(const cdp_trace_event *), compare_events);
  uint32_t lanes = 0;
  for (size_t number = 0; number < trace->count; number++) {
    const cdp_trace_event *event = order[number];
    if (number == 0 || event->depth != order[number - 1]->depth)
      lanes = 0;
    uint32_t lane = 0;
    while (lane < lanes && lane_ends[lane] >= event->begin_ns)
      lane++;
    places[event - trace->events] = (lane_place){lane, lane == lanes};
    lanes += lane == lanes ? 1 : 0;
    lane_ends[lane] = event->end_ns;
  }
cleanup:
  free(lane_ends);
  free(order);
  return places;
}

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

/* Names a process and says where it is shown. */
static void write_process(FILE *file, uint32_t process, const char *name, uint32_t order) {
  fprintf(file, "{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}},\n", process, name);
  fprintf(file, "{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%u}}", process, order);
}

/* Names the lane of an event that is its first, and its depth with the first lane. */
static void write_names(FILE *file, uint32_t depth, uint32_t lane) {
  char name[32];
  snprintf(name, sizeof name, "depth %u", depth);
  if (lane == 0) {
    fputs(",\n", file);
    write_process(file, PROCESS_OF(depth), name, depth);
  }
  fprintf(file, ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":\"lane %u\"}}",
          PROCESS_OF(depth), THREAD_OF(lane), lane);
  fprintf(file, ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%u}}",
          PROCESS_OF(depth), THREAD_OF(lane), lane);
}

/* A slice, or an instant for a launch that was refused. */
static void write_slice(FILE *file, const cdp_trace *trace, size_t index, const lane_place *places) {
  const cdp_trace_event *event = &trace->events[index];
  fprintf(file, ",\n{\"name\":\"%s%s\",\"cat\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":" MICROSECONDS,
          event->cuda_error != 0 ? "refused: " : "", cdp_trace_kind_name(event->kind),
          event->kind == CDP_TRACE_BLOCK ? "block"
          : cdp_trace_is_stage(event)    ? "stage"
                                         : "grid",
          PROCESS_OF(event->depth), THREAD_OF(places[index].lane), MICROSECONDS_OF(event->begin_ns));
  if (event->cuda_error != 0)
    fputs(",\"ph\":\"i\",\"s\":\"t\"", file);
  else
    fprintf(file, ",\"ph\":\"X\",\"dur\":" MICROSECONDS, MICROSECONDS_OF(event->end_ns - event->begin_ns));
  fprintf(file,
          ",\"args\":{\"event\":%zu,\"items\":%" PRIu64 ",\"range begin\":%" PRIu64 ",\"range end\":%" PRIu64
          ",\"blocks\":%u,\"multiprocessor\":%u,\"launched us\":" MICROSECONDS ",\"tail\":%u,\"CUDA error\":%d}}",
          index, event->range_end - event->range_begin, event->range_begin, event->range_end, event->blocks,
          event->multiprocessor, MICROSECONDS_OF(event->launched_ns), event->is_tail, event->cuda_error);
}

/* One end of an arrow from a launcher to the event that it launched: how the end is drawn, where, and when. */
static void write_arrow_end(FILE *file, const char *phase, size_t event, uint32_t depth, uint32_t lane, uint64_t at_ns) {
  fprintf(file,
          ",\n{\"ph\":%s,\"id\":%zu,\"name\":\"launch\",\"cat\":\"launch\",\"pid\":%u,\"tid\":%u,\"ts\":" MICROSECONDS "}",
          phase, event, PROCESS_OF(depth), THREAD_OF(lane), MICROSECONDS_OF(at_ns));
}

/* An arrow from the launcher's slice, at the time of the launch, to what it launched. */
static void write_arrow(FILE *file, const cdp_trace *trace, size_t index, const lane_place *places) {
  const cdp_trace_event *event = &trace->events[index];
  if (!cdp_trace_is_device_launch(event))
    return;
  write_arrow_end(file, "\"s\"", index, trace->events[event->launcher].depth, places[event->launcher].lane, event->launched_ns);
  write_arrow_end(file, "\"f\",\"bp\":\"e\"", index, event->depth, places[index].lane, event->begin_ns);
}

static void write_pending(FILE *file, const cdp_pending *course, size_t moments) {
  for (size_t index = 0; index < moments; index++)
    fprintf(file, ",\n{\"ph\":\"C\",\"pid\":%u,\"name\":\"launches\",\"ts\":" MICROSECONDS ",\"args\":{\"pending\":%u}}",
            COUNTER_PROCESS, MICROSECONDS_OF(course[index].at_ns), course[index].launches);
}

static void write_json(FILE *file, const cdp_trace *trace, const lane_place *places, const cdp_pending *course,
                       size_t moments) {
  fprintf(file,
          "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"producer\":\"cdpsort %d.%d.%d\",\"events\":%zu,\"events lost\":%zu},\n"
          "\"traceEvents\":[\n",
          CDP_VERSION_MAJOR, CDP_VERSION_MINOR, CDP_VERSION_PATCH, trace->count, trace->lost);
  write_process(file, COUNTER_PROCESS, "all depths", COUNTER_PROCESS);
  for (size_t index = 0; index < trace->count; index++)
    if (places[index].is_first)
      write_names(file, trace->events[index].depth, places[index].lane);
  for (size_t index = 0; index < trace->count; index++) {
    write_slice(file, trace, index, places);
    write_arrow(file, trace, index, places);
  }
  write_pending(file, course, moments);
  fputs("\n]}\n", file);
}

/* ---- Files ----------------------------------------------------------------------------------------------------- */

/* An event's launcher is an index of the events, and what makes a tree of them is that it comes before. */
static cdp_status check_launchers(const cdp_trace *trace) {
  for (size_t index = 0; index < trace->count; index++) {
    const uint32_t launcher = trace->events[index].launcher;
    if (launcher != CDP_TRACE_NO_LAUNCHER && launcher >= index)
      return cdp_fail(CDP_ERROR_OPTION, 0,
                      "trace->events[%zu].launcher is %u, but a launcher is an earlier event, or CDP_TRACE_NO_LAUNCHER: give a "
                      "trace that cdp_trace_quicksort() has written",
                      index, launcher);
  }
  return CDP_OK;
}

static cdp_status check_arguments(const cdp_trace *trace, const char *path) {
  cdp_message_clear();
  if (trace == NULL || (trace->events == NULL && trace->count != 0))
    return cdp_fail(CDP_ERROR_NULL, 0, "trace%s is NULL: give a trace that cdp_trace_quicksort() has written",
                    trace == NULL ? "" : "->events");
  if (path == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "path is NULL: give the name of the file to write");
  return check_launchers(trace);
}

static cdp_status fail_file(const char *doing, const char *path) {
  return cdp_fail(CDP_ERROR_FILE, 0, "%s %s failed: %s", doing, path, strerror(errno));
}

/* Closes the file; what could not be written is known then at the latest. */
static cdp_status close_file(const char *path, FILE *file) {
  const bool is_written = fflush(file) == 0 && ferror(file) == 0;
  const int error = errno; // of the flush, and not of the closing that follows
  if (fclose(file) == 0 && is_written)
    return CDP_OK;
  errno = is_written ? errno : error;
  return fail_file("writing", path);
}

cdp_status cdp_trace_write_json(const cdp_trace *trace, const char *path) {
  lane_place *places = NULL;
  cdp_pending *course = NULL;
  size_t moments = 0;
  FILE *file = NULL;
  cdp_status status;
  TRY(check_arguments(trace, path));
  places = place_events(trace);
  course = cdp_trace_pending(trace, &moments);
  if (places == NULL || course == NULL) {
    status = cdp_fail(CDP_ERROR_MEMORY, 0, "host memory for %zu events is exhausted: trace a shorter sort", trace->count);
    goto cleanup;
  }
  file = fopen(path, "w");
  TRY(file != NULL ? CDP_OK : fail_file("opening", path));
  write_json(file, trace, places, course, moments);
  TRY(close_file(path, file));
cleanup:
  free(course);
  free(places);
  return status;
}

cdp_status cdp_trace_write_csv(const cdp_trace *trace, const char *path) {
  FILE *file = NULL;
  cdp_status status;
  TRY(check_arguments(trace, path));
  file = fopen(path, "w");
  TRY(file != NULL ? CDP_OK : fail_file("opening", path));
  fputs("launched_ns,begin_ns,end_ns,range_begin,range_end,kind,depth,blocks,multiprocessor,launcher,cuda_error,is_tail\n",
        file);
  for (size_t index = 0; index < trace->count; index++) {
    const cdp_trace_event *event = &trace->events[index];
    const int64_t launcher = event->launcher == CDP_TRACE_NO_LAUNCHER ? -1 : (int64_t)event->launcher;
    fprintf(file, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s,%u,%u,%u,%" PRId64 ",%d,%u\n",
            event->launched_ns, event->begin_ns, event->end_ns, event->range_begin, event->range_end,
            cdp_trace_kind_name(event->kind), event->depth, event->blocks, event->multiprocessor, launcher, event->cuda_error,
            event->is_tail);
  }
  TRY(close_file(path, file));
cleanup:
  return status;
}
