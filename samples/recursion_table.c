/* SPDX-License-Identifier: MIT */
/*
 * The recursion by depth, as a table: see recursion_table.h.
 *
 * Every cell is a text first, so that each column can be made as wide as its widest cell.
 */
#include "recursion_table.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 12, HEAD_LINES = 2, ROWS_MOST = HEAD_LINES + CDP_STUDY_DEPTHS + 1, CELL_CHARACTERS = 64 };

typedef struct column {
  const char *head[HEAD_LINES];
  const char *text; /* for --help */
} column;

static const column TABLE[COLUMNS] = {
    {{"", "depth"}, "of a range in the recursion: the whole array has depth 0, its parts have depth 1"},
    {{"", "tasks"}, "ranges partitioned by a grid of blocks"},
    {{"", "keys"}, "keys in those ranges"},
    {{"smallest", "..largest"}, "the sizes of those ranges"},
    {{"equal,", "retired"}, "keys equal to a pivot, or in a bucket of equal keys, of this depth: they leave the recursion"},
    {{"block", "partitions"}, "partitions that one block did in a range of its own"},
    {{"", "leaves"}, "ranges that one warp sorted bitonically"},
    {{"", "collected"}, "ranges small enough for one block each, finished together in one grid"},
    {{"children", "launched"}, "grids launched by the device for ranges of this depth"},
    {{"", "refused"}, "launches that failed; their ranges were sorted another way"},
    {{"", "deferred"}, "ranges that waited, so as to stay below the limit of pending launches"},
    {{"fallbacks", "d/r/p"}, "ranges sorted without recursion: depth limit / refused launch / task pool exhausted"},
};

typedef struct table {
  char cells[ROWS_MOST][COLUMNS][CELL_CHARACTERS];
  size_t rows;
} table;

static void put_number(char *cell, uint64_t number) {
  snprintf(cell, CELL_CHARACTERS, "%" PRIu64, number);
}

/* Adds the row of one depth, or of their sum. */
static void add_row(table *made, const char *depth, const cdp_study_depth *row) {
  char(*cells)[CELL_CHARACTERS] = made->cells[made->rows++];
  snprintf(cells[0], CELL_CHARACTERS, "%s", depth);
  put_number(cells[1], row->tasks);
  put_number(cells[2], row->task_items);
  if (row->tasks == 0)
    snprintf(cells[3], CELL_CHARACTERS, "-");
  else
    snprintf(cells[3], CELL_CHARACTERS, "%" PRIu64 "..%" PRIu64, row->task_items_least, row->task_items_most);
  put_number(cells[4], row->equal_items);
  put_number(cells[5], row->block_partitions);
  put_number(cells[6], row->leaves);
  put_number(cells[7], row->collected);
  put_number(cells[8], row->children_launched);
  put_number(cells[9], row->launches_refused);
  put_number(cells[10], row->deferred);
  snprintf(cells[11], CELL_CHARACTERS, "%" PRIu64 "/%" PRIu64 "/%" PRIu64, row->fallback_depth, row->fallback_refused,
           row->fallback_pool);
}

static void add_to_sum(cdp_study_depth *sum, const cdp_study_depth *row) {
  if (row->tasks > 0) {
    if (sum->tasks == 0 || row->task_items_least < sum->task_items_least)
      sum->task_items_least = row->task_items_least;
    if (row->task_items_most > sum->task_items_most)
      sum->task_items_most = row->task_items_most;
  }
  sum->tasks += row->tasks;
  sum->task_items += row->task_items;
  sum->equal_items += row->equal_items;
  sum->block_partitions += row->block_partitions;
  sum->leaves += row->leaves;
  sum->collected += row->collected;
  sum->children_launched += row->children_launched;
  sum->launches_refused += row->launches_refused;
  sum->deferred += row->deferred;
  sum->fallback_depth += row->fallback_depth;
  sum->fallback_refused += row->fallback_refused;
  sum->fallback_pool += row->fallback_pool;
}

static void fill(table *made, const cdp_study *study) {
  cdp_study_depth sum = {0};
  for (made->rows = 0; made->rows < HEAD_LINES; made->rows++)
    for (size_t c = 0; c < COLUMNS; c++)
      snprintf(made->cells[made->rows][c], CELL_CHARACTERS, "%s", TABLE[c].head[made->rows]);

  for (uint32_t d = 0; d < study->depth_count && d < CDP_STUDY_DEPTHS; d++) {
    char depth[16];
    /* The last row of a study holds all that is deeper, too. */
    snprintf(depth, sizeof depth, "%" PRIu32 "%s", d, d == CDP_STUDY_DEPTHS - 1 ? "+" : "");
    add_row(made, depth, &study->depths[d]);
    add_to_sum(&sum, &study->depths[d]);
  }
  add_row(made, "all", &sum);
}

static void print_table(const table *made) {
  for (size_t r = 0; r < made->rows; r++) {
    for (size_t c = 0; c < COLUMNS; c++) {
      size_t width = 0;
      for (size_t other = 0; other < made->rows; other++) {
        const size_t length = strlen(made->cells[other][c]);
        width = length > width ? length : width;
      }
      printf("%s%*s", c == 0 ? "" : "  ", (int)width, made->cells[r][c]);
    }
    putchar('\n');
  }
}

void print_recursion(const cdp_study *study) {
  /* Static: some 50 KiB, and one table is printed at a time. */
  static table made;
  fill(&made, study);
  print_table(&made);
}

void print_columns_help(void) {
  puts("The columns:");
  for (size_t c = 0; c < COLUMNS; c++) {
    char name[32];
    const column *one = &TABLE[c];
    const bool joined = one->head[1][0] == '.';
    snprintf(name, sizeof name, "%s%s%s", one->head[0], one->head[0][0] == '\0' || joined ? "" : " ", one->head[1]);
    printf("  %-20s %s\n", name, one->text);
  }
}
