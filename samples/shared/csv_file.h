/* SPDX-License-Identifier: MIT */
/*
 * Writing figures as CSV, for plots and spreadsheets: a line of names, then a line for each row, as RFC 4180 has it but with
 * plain newlines.
 *
 * Open the file before the work begins, so that a path that cannot be written is found out before and not after it. What had the
 * name before keeps it until the first row ends (output_file.h); every row that has ended is in the file, whatever becomes of
 * the program. Where no file is wanted (path NULL), every call does nothing and succeeds.
 */
#ifndef CDPSORT_SAMPLES_CSV_FILE_H
#define CDPSORT_SAMPLES_CSV_FILE_H

#include "output_file.h"

#include <stdint.h>

typedef struct csv_file {
  output_file out;
  const char *columns;
  bool is_wanted; /* and nothing has gone wrong yet */
  bool has_failed;
  bool in_row;
} csv_file;

/* The names of the columns are separated by commas. False, and a message, where the file cannot be written. */
bool csv_open(csv_file *csv, const char *program, const char *path, const char *columns);

/* The next field of a row. A text with a comma or a quote in it is quoted. */
void csv_text(csv_file *csv, const char *text);
void csv_whole(csv_file *csv, uint64_t number);

/* The shortest digits are not worth the trouble: six significant ones are more than any time here is good for. */
void csv_number(csv_file *csv, double number);

/* Hands the row to the system: what was long in the making outlives the program. */
void csv_end_row(csv_file *csv);

/* False, after a message, where not everything could be written. Without a row nothing is. */
bool csv_close(csv_file *csv);

#endif
