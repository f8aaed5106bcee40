/* SPDX-License-Identifier: MIT */
/*
 * Writing figures as CSV, for plots and spreadsheets: a line of names, then a line for each row, as RFC 4180 has it but with
 * plain newlines. The first column is the device.
 *
 * Open the file before the work begins, so that a path that cannot be written is found out before and not after it. What had the
 * name before keeps it until the first row is there (output_file.h); every row is in the file from then on, whatever becomes of
 * the program. Where no file is wanted (path NULL), every call does nothing and succeeds.
 */
#ifndef CDPSORT_SAMPLES_CSV_FILE_H
#define CDPSORT_SAMPLES_CSV_FILE_H

#include "output_file.h"

typedef struct csv_file {
  output_file out;
  const char *columns;
  bool is_wanted; /* and nothing has gone wrong yet */
  bool has_failed;
} csv_file;

/* The names of the columns behind the device's, separated by commas. False, and a message, where the file cannot be written. */
bool csv_open(csv_file *csv, const char *program, const char *path, const char *columns);

/* A row: the device, which the sorts before ran on, and the other fields, printf() fashion, with commas between them. */
void csv_row(csv_file *csv, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* False, after a message, where not everything could be written. Without a row nothing is. */
bool csv_close(csv_file *csv);

/* A number as a field: six significant digits are more than any time here is good for. Nothing where it is not known, or 0. */
typedef struct csv_text {
  char text[24];
} csv_text;
csv_text csv_number(double number);

#endif
