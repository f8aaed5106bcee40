/* SPDX-License-Identifier: MIT */
/* What a sweep (depth_sweep.h) found: for people as a table and a recommendation, for programs as CSV. */
#ifndef CDPSORT_SAMPLES_DEPTH_REPORT_H
#define CDPSORT_SAMPLES_DEPTH_REPORT_H

#include "csv_file.h"
#include "depth_sweep.h"

/* The names of the columns of write_depth_row(). */
extern const char DEPTH_CSV_COLUMNS[];

/* Prints the fastest `rows` measured combinations, the fastest first; 0: all of them. Sorts them by time: what sweep_measure()
   asks for is over by then. */
void report_table(sweep *made, size_t rows);

/* Prints how many combinations there were, and what became of them. */
void report_coverage(const sweep *made);

/*
 * Prints which combination is fastest, what each value of each knob costs when it alone is changed from there, and the least
 * depth limit that is nearly as fast. After report_table().
 */
void report_recommendation(const sweep *made);

/* What a row says of all combinations alike, and where it goes. */
typedef struct depth_rows {
  csv_file *csv;
  const study_arguments *wanted;
} depth_rows;

/* Writes the row of a measured combination, through to the file. A sweep_visit; the other argument is a depth_rows. */
void write_depth_row(const swept_sort *sort, void *rows);

#endif
