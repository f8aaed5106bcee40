/* SPDX-License-Identifier: MIT */
/* The tables and the CSV rows of the sample `distributions`. */
#ifndef CDPSORT_SAMPLES_DISTRIBUTIONS_REPORT_H
#define CDPSORT_SAMPLES_DISTRIBUTIONS_REPORT_H

#include "csv_file.h"
#include "sample_keys.h"

/* The most keys: the sequences have numbers up to their length. */
enum { SEQUENCE_LOG2_MOST = 30, SEQUENCES = THESIS_DISTRIBUTIONS_COUNT, SEQUENCE_RANDOM = 0 };

/* What was measured of one sequence and size. Times and ratios that are not known are 0. */
typedef struct cell {
  bool is_measured;
  double std_sort_ms;
  double ratio_to_random; /* of the device's times */
  timing time;
} cell;

/* All of it, by sequence and by the logarithm of the size. */
typedef struct results {
  cell cells[SEQUENCES][SEQUENCE_LOG2_MOST + 1];
} results;

/* The line of names of the CSV file. */
extern const char *const DISTRIBUTIONS_CSV_NAMES;

/* What is measured, and how the thesis' measure compares. */
void print_distributions_head(cdp_type type);

/* The heads of one sequence's table, with the published columns where there are any; then its rows. */
void print_sequence_head(uint32_t which);
void print_sequence_row(uint32_t which, uint32_t log2_count, const cell *row);

void write_distributions_csv_row(csv_file *csv, cdp_type type, uint32_t which, uint32_t log2_count, const cell *row);

/* Every sequence's time as a ratio to random, the worst of them named; nothing where random was not measured. */
void print_ratios(const results *all);

#endif
