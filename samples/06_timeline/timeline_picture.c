/* SPDX-License-Identifier: MIT */
/*
 * A trace as a picture in text: see timeline_picture.h.
 *
 *  1. Time from the first begin to the last end is divided into as many stretches as there are columns.
 *  2. Every grid adds its blocks to the stretches that it ran in, by the share of them that it took. A grid that sorts ranges
 *     has an event for each of its blocks, which begin and end each at their time: where they are there, they are added instead
 *     of it.
 *  3. The sums are drawn on a logarithmic scale: one block must be seen beside hundreds.
 */
#include "timeline_picture.h"
#include "text_table.h"
#include "traced_sort.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* From few blocks to many; nothing is a blank. */
static const char SHADES[] = ".:-=+*#%@";
enum { SHADES_COUNT = sizeof SHADES - 1, KINDS = CDP_TRACE_BUCKETS + 1 };

typedef struct picture {
  double *blocks; /* at work on average, by depth and column */
  size_t columns;
  size_t rows;
  uint64_t begin;
  uint64_t end;
  double most;
} picture;

/* For each event whether blocks of its own are among the events: NULL where memory is exhausted. A grid may be without them,
   where they were lost or it does not sort ranges; then it is drawn itself. */
static bool *find_grids_with_blocks(const cdp_trace *trace) {
  bool *found = calloc(trace->count + 1, sizeof *found);
  for (size_t at = 0; found != NULL && at < trace->count; at++) {
    const cdp_trace_event *event = &trace->events[at];
    if (event->kind == CDP_TRACE_BLOCK && event->launcher < trace->count)
      found[event->launcher] = true;
  }
  return found;
}

/* The last row has everything deeper, as the last row of a study has. */
static size_t row_of(const cdp_trace_event *event) {
  return event->depth < CDP_STUDY_DEPTHS ? event->depth : CDP_STUDY_DEPTHS - 1;
}

static void measure_trace(const cdp_trace *trace, picture *made) {
  made->begin = UINT64_MAX;
  for (size_t at = 0; at < trace->count; at++) {
    const cdp_trace_event *event = &trace->events[at];
    if (event->cuda_error != 0)
      continue;
    made->begin = event->begin_ns < made->begin ? event->begin_ns : made->begin;
    made->end = event->end_ns > made->end ? event->end_ns : made->end;
    made->rows = row_of(event) + 1 > made->rows ? row_of(event) + 1 : made->rows;
  }
  /* Something to divide by. */
  if (made->begin >= made->end) {
    made->begin = 0;
    made->end = 1;
  }
}

/* When a grid's first stage begins, which is drawn by itself, as all behind it; or when a grid without stages ends. */
static uint64_t first_stage(const cdp_trace *trace, size_t grid) {
  uint64_t first = trace->events[grid].end_ns;
  for (size_t at = grid + 1; grid == 0 && at < trace->count; at++)
    if (is_stage(&trace->events[at]) && trace->events[at].begin_ns < first)
      first = trace->events[at].begin_ns;
  return first;
}

static void add_event(picture *made, const cdp_trace_event *event, uint64_t until) {
  const double width = (double)(made->end - made->begin) / (double)made->columns;
  const double begin = (double)(event->begin_ns - made->begin) / width;
  const double end = (double)(until - made->begin) / width;
  double *row = &made->blocks[row_of(event) * made->columns];
  for (size_t column = (size_t)begin; column < made->columns && (double)column < end; column++) {
    const double from = begin > (double)column ? begin : (double)column;
    const double to = end < (double)(column + 1) ? end : (double)(column + 1);
    row[column] += (to - from) * event->blocks;
    made->most = row[column] > made->most ? row[column] : made->most;
  }
}

static char shade(const picture *made, double blocks) {
  if (blocks <= 0)
    return ' ';
  const double share = log2(1 + blocks) / log2(1 + made->most);
  const size_t at = (size_t)(share * SHADES_COUNT);
  return SHADES[at < SHADES_COUNT ? at : SHADES_COUNT - 1];
}

static void draw(const picture *made) {
  const double milliseconds = (double)(made->end - made->begin) / 1e6;
  printf("depth |%-*s%*.3f ms|\n", (int)made->columns - 16, "0", 13, milliseconds);
  for (size_t row = 0; row < made->rows; row++) {
    printf("%5zu |", row);
    for (size_t column = 0; column < made->columns; column++)
      putchar(shade(made, made->blocks[row * made->columns + column]));
    puts("|");
  }
  printf("A column is %.2f us; blocks of the grids under way:", milliseconds * 1e3 / (double)made->columns);
  for (size_t at = 0; at < SHADES_COUNT; at++)
    printf(" %c from %.1f", SHADES[at], exp2((double)at / SHADES_COUNT * log2(1 + made->most)) - 1);
  putchar('\n');
}

void print_picture(const cdp_trace *trace, size_t columns) {
  picture made = {.columns = columns};
  measure_trace(trace, &made);
  bool *has_blocks = find_grids_with_blocks(trace);
  made.blocks = calloc((made.rows > 0 ? made.rows : 1) * columns, sizeof *made.blocks);
  if (has_blocks != NULL && made.blocks != NULL) {
    for (size_t at = 0; at < trace->count; at++)
      if (!has_blocks[at] && trace->events[at].cuda_error == 0)
        add_event(&made, &trace->events[at], first_stage(trace, at));
    draw(&made);
  } else {
    puts("(not enough memory for the picture)");
  }
  free(has_blocks);
  free(made.blocks);
}

/* ---- Kinds ----------------------------------------------------------------------------------------------------- */

typedef struct kind_sum {
  uint64_t events;
  uint64_t refused;
  uint64_t tails;
  uint64_t blocks;
  uint64_t ns;
} kind_sum;

void print_kinds(const cdp_trace *trace) {
  kind_sum sums[KINDS] = {{0, 0, 0, 0, 0}};
  text_table table;
  for (size_t at = 0; at < trace->count; at++) {
    const cdp_trace_event *event = &trace->events[at];
    kind_sum *sum = &sums[event->kind < KINDS ? event->kind : 0];
    sum->events++;
    sum->refused += event->cuda_error != 0 ? 1 : 0;
    sum->tails += event->is_tail;
    sum->blocks += event->cuda_error != 0 ? 0 : event->blocks;
    sum->ns += event->end_ns - event->begin_ns;
  }
  text_table_begin(&table, "lrrrrrr");
  text_table_add(&table, "kind\tevents\trefused\ttails\tblocks\tmean us\tsum ms");
  for (uint32_t kind = 0; kind < KINDS; kind++) {
    const kind_sum *sum = &sums[kind];
    if (sum->events > 0)
      text_table_add(&table, "%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%.2f\t%.3f", cdp_trace_kind_name(kind),
                     sum->events, sum->refused, sum->tails, sum->blocks, (double)sum->ns / 1e3 / (double)sum->events,
                     (double)sum->ns / 1e6);
  }
  text_table_print(&table);
}
