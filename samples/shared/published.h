/* SPDX-License-Identifier: MIT */
/* What the studies published: the tables that ours stand beside. */
#ifndef CDPSORT_SAMPLES_TABLES_PUBLISHED_H
#define CDPSORT_SAMPLES_TABLES_PUBLISHED_H

#include <stdint.h>

/* ---- The TNL thesis, tables 5.2 and 5.3 ------------------------------------------------------------------------- */

enum { THESIS_SORTERS = 7, THESIS_ROWS = 16 };

typedef struct thesis_row {
  uint32_t log2_count;
  double std_sort_ms;              /* printed with three decimals */
  double speedups[THESIS_SORTERS]; /* over std::sort, printed with two decimals */
} thesis_row;

typedef struct thesis_table {
  const char *number;   /* "5.2" */
  const char *sequence; /* as sequence_name() has it */
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

/* ---- Parallel Quick Sort in OpenCL, tables 1 and 2 --------------------------------------------------------------- */

/* Milliseconds. */
typedef struct opencl_row {
  uint32_t log2; /* of the numbers, or of the different numbers among them */
  double cpu_ms;
  double gpu_ms;
  double aborted_ms; /* table 2 alone: the recursion aborted at blocks of fewer than 1,024 */
} opencl_row;

/* Table 1 has 2^OPENCL_LOG2_DISTINCT different numbers, table 2 has 2^OPENCL_LOG2_COUNT numbers. */
enum { OPENCL_LOG2_DISTINCT = 14, OPENCL_LOG2_COUNT = 20, OPENCL_ABORTED_BELOW = 1024 };

/* A row of table 1, by the numbers, or of table 2, by the different numbers; NULL where none was published. */
const opencl_row *find_opencl_count(uint32_t log2_count);
const opencl_row *find_opencl_distinct(uint32_t log2_distinct);

#endif
