/* SPDX-License-Identifier: MIT */
/*
 * The recursion by depth, as a table: see recursion_table.h.
 *
 * Numbers are exact as long as a line of the terminal has room for them; then all of a million and more are shortened.
 */
#include "recursion_table.h"
#include "text_table.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

enum { COLUMNS = 14, HEAD_LINES = 2 };

typedef struct column {
  const char *head[HEAD_LINES];
  const char *text; /* for --help */
} column;

static const column TABLE[COLUMNS] = {
    {{"", "depth"}, "of a range in the recursion: the whole array has depth 0, its parts have depth 1"},
    {{"", "tasks"}, "ranges partitioned by a grid of blocks"},
    {{"", "keys"}, "keys in those ranges"},
    {{"smallest", "..largest"}, "the sizes of those ranges"},
    {{"", "parts"}, "parts that those were split into, without the keys equal to a pivot"},
    {{"bal-", "ance"}, "of the splits: the mean part divided by the longest, 1.00 where all are alike"},
    {{"equal,", "retired"}, "keys equal to a pivot, or in a bucket of equal keys, of this depth: they leave the recursion"},
    {{"block", "splits"}, "partitions that one block did in a range of its own"},
    {{"", "leaves"}, "ranges sorted in registers, by one warp or by one block"},
    {{"", "collected"}, "ranges small enough for one block each, finished together in one grid"},
    {{"", "launched"}, "grids launched by the device for ranges of this depth"},
    {{"refused,", "deferred"},
     "launches that failed, and ranges that waited, so as to stay below the limit of pending launches"},
    {{"bytes", "moved"}, "bytes of keys read from and written to device memory"},
    {{"fallbacks", "d/r/p"}, "ranges sorted without recursion: depth limit / refused launch / task pool exhausted"},
};

/* A number, shortened if need be. */
static short_text number(uint64_t value, bool shorten) {
  short_text made;
  if (shorten)
    return short_number(value);
  snprintf(made.text, sizeof made.text, "%" PRIu64, value);
  return made;
}

double split_balance(const cdp_study_depth *row) {
  return row->tasks == 0 ? 0 : (double)row->balance / 1000 / (double)row->tasks;
}

/* Adds the row of one depth, or of their sum. */
static void add_row(text_table *made, const char *depth, const cdp_study_depth *row, bool shorten) {
  const double balance = split_balance(row);
  const uint64_t counts[] = {row->parts,  row->equal_items, row->block_partitions,
                             row->leaves, row->collected,   row->children_launched};
  text_table_add(made, "%s\t%s\t%s", depth, number(row->tasks, shorten).text, number(row->task_items, shorten).text);
  if (row->tasks == 0)
    text_table_add(made, "-");
  else
    text_table_add(made, "%s..%s", number(row->min_task_items, shorten).text, number(row->max_task_items, shorten).text);
  for (size_t at = 0; at < sizeof counts / sizeof counts[0]; at++) {
    text_table_add(made, "%s", number(counts[at], shorten).text);
    if (at == 0)
      text_table_add(made, balance > 0 ? "%.2f" : "-", balance);
  }
  text_table_add(made, "%s/%s\t%s\t%s/%s/%s", number(row->launches_refused, shorten).text, number(row->deferred, shorten).text,
                 short_number(row->bytes_moved).text, number(row->fallback_depth, shorten).text,
                 number(row->fallback_refused, shorten).text, number(row->fallback_pool, shorten).text);
}

static void fill(text_table *made, const cdp_study *study, bool shorten) {
  text_table_begin(made, "rrrrrrrrrrrrrr");
  for (size_t line = 0; line < HEAD_LINES; line++)
    for (size_t c = 0; c < COLUMNS; c++)
      text_table_add(made, "%s", TABLE[c].head[line]);
  for (uint32_t d = 0; d < study->depth_count && d < CDP_STUDY_DEPTHS; d++) {
    char depth[16];
    /* The last row of a study holds all that is deeper, too. */
    snprintf(depth, sizeof depth, "%" PRIu32 "%s", d, d == CDP_STUDY_DEPTHS - 1 ? "+" : "");
    add_row(made, depth, &study->depths[d], shorten);
  }
  add_row(made, "all", &study->total, shorten);
}

void print_recursion(const cdp_study *study) {
  text_table made;
  fill(&made, study, false);
  if (text_table_width(&made, 1) > TEXT_LINE_CHARACTERS) {
    text_table_end(&made);
    fill(&made, study, true);
  }
  text_table_print(&made);
}

void print_columns_help(void) {
  puts("The columns:");
  for (size_t c = 0; c < COLUMNS; c++) {
    char name[32];
    const column *one = &TABLE[c];
    const size_t length = (size_t)snprintf(name, sizeof name, "%s", one->head[0]);
    const bool hyphenated = length > 0 && name[length - 1] == '-';
    const bool joined = hyphenated || length == 0 || one->head[1][0] == '.';
    snprintf(name + length - (hyphenated ? 1 : 0), sizeof name - length, "%s%s", joined ? "" : " ", one->head[1]);
    printf("  %-20s %s\n", name, one->text);
  }
  puts("A table that would be wider than a terminal has its numbers shortened: 1.05M for 1048576.");
}
