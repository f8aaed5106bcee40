/* SPDX-License-Identifier: MIT */
/*
 * Writing figures as CSV, for plots and spreadsheets: a line of names, then a line for each row, as RFC 4180 has it but with
 * plain newlines.
 *
 * Open the file before the work begins, so that a path that cannot be written is found out before and not after it. Where no
 * file is wanted (path NULL), every call does nothing and succeeds.
 */
#ifndef CDPSORT_SAMPLES_CSV_FILE_H
#define CDPSORT_SAMPLES_CSV_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct csv_file {
  const char *program; /* opens every message */
  const char *path;
  FILE *file;
  bool in_row;
} csv_file;

/* Overwrites the file, and writes the names of the columns, which are separated by commas. False, and a message, on failure. */
bool csv_open(csv_file *csv, const char *program, const char *path, const char *columns);

/* The next field of a row. A text with a comma or a quote in it is quoted. */
void csv_text(csv_file *csv, const char *text);
void csv_whole(csv_file *csv, uint64_t number);

/* The shortest digits are not worth the trouble: six significant ones are more than any time here is good for. */
void csv_number(csv_file *csv, double number);

void csv_end_row(csv_file *csv);

/* Hands the rows so far to the system: what was long in the making outlives the program. csv_close() tells of a failure. */
void csv_flush(csv_file *csv);

/* False, and a message, where not everything could be written. */
bool csv_close(csv_file *csv);

#endif
