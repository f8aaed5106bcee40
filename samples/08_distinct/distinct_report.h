/* SPDX-License-Identifier: MIT */
/* The tables and the CSV rows of the sample `distinct`. */
#ifndef CDPSORT_SAMPLES_DISTINCT_REPORT_H
#define CDPSORT_SAMPLES_DISTINCT_REPORT_H

#include "csv_file.h"
#include "sample_keys.h"

/* Table 1 has 2^OPENCL_LOG2_DISTINCT different numbers, table 2 has 2^OPENCL_LOG2_COUNT numbers. */
enum { OPENCL_LOG2_DISTINCT = 14, OPENCL_LOG2_COUNT = 20, OPENCL_ABORTED_BELOW = 1024 };

/* The three ways to sort that are compared. */
typedef enum way {
  WAY_MANY,    /* as many children as the options say */
  WAY_CLASSIC, /* two children; short ranges are finished by one block */
  WAY_GRIDS,   /* two children, and a grid for every range that is partitioned, however short, as in the paper */
  WAYS
} way;

/* One way, one kind of keys. Times that are not known are 0. */
typedef struct measurement {
  bool is_measured;
  timing greatest_leaf; /* ranges of at most the greatest leaf are sorted bitonically */
  timing least_leaf;    /* of at most the least: the recursion goes on below the greatest */
  cdp_study greatest_study;
  cdp_study least_study;
} measurement;

/* All that was measured of one kind of keys. */
typedef struct keys_row {
  uint32_t log2_count;
  uint32_t log2_distinct;
  double std_sort_ms;
  measurement ways[WAYS];
} keys_row;

/* What all tables need to know. */
typedef struct distinct_facts {
  cdp_type type;
  uint32_t many_fan_out;  /* of WAY_MANY; 2: that way is not measured */
  uint32_t greatest_leaf; /* of the type */
} distinct_facts;

/* The line of names of the CSV file. */
extern const char *const DISTINCT_CSV_NAMES;

void print_distinct_head(const distinct_facts *facts);

/* Table 1: time by the number of keys. */
void print_counts_head(const distinct_facts *facts);
void print_counts_row(const distinct_facts *facts, const keys_row *row);

/* Table 2: time by the number of different keys. */
void print_distinct_table_head(const distinct_facts *facts, uint32_t log2_count);
void print_distinct_row(const distinct_facts *facts, const keys_row *row);

/* What table 2's last column is about: the recursion below the greatest leaf. */
void print_below_leaf(const distinct_facts *facts, const keys_row *rows, size_t count);

/* How many keys left the recursion as equal to a pivot, by depth. */
void print_equal_by_depth(const distinct_facts *facts, const keys_row *rows, size_t count);

/* A row for each way that was measured. `table`: 1 or 2. */
void write_distinct_csv_rows(csv_file *csv, const distinct_facts *facts, int table, const keys_row *row);

#endif
