/* SPDX-License-Identifier: MIT */
/* What the TNL thesis published: the tables that ours stand beside. */
#ifndef CDPSORT_SAMPLES_THESIS_TABLES_H
#define CDPSORT_SAMPLES_THESIS_TABLES_H

#include <stdint.h>

enum { THESIS_SORTERS = 7, THESIS_ROWS = 16 };

typedef struct thesis_row {
  uint32_t log2_count;
  double std_sort_ms;              /* printed with three decimals */
  double speedups[THESIS_SORTERS]; /* over std::sort, printed with two decimals */
} thesis_row;

typedef struct thesis_table {
  const char *number;   /* "5.2" */
  const char *sequence; /* as THESIS_DISTRIBUTIONS has it */
  thesis_row rows[THESIS_ROWS];
} thesis_table;

enum { THESIS_TABLES = 2 };
extern const thesis_table THESIS[THESIS_TABLES];

/* Heads of the speed-ups, and what they are. */
typedef struct thesis_sorter {
  const char *head;
  const char *text;
} thesis_sorter;
extern const thesis_sorter THESIS_SORTER[THESIS_SORTERS];

/* The table for a sequence; NULL where none was published. */
const thesis_table *find_thesis_table(const char *sequence_name);

/* A table's row; NULL where none was published. */
const thesis_row *find_thesis_row(const thesis_table *table, uint32_t log2_count);

#endif
