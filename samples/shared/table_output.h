/* SPDX-License-Identifier: MIT */
/* What the tables have in common where they are written: cells, the line of progress. */
#ifndef CDPSORT_SAMPLES_TABLES_TABLE_OUTPUT_H
#define CDPSORT_SAMPLES_TABLES_TABLE_OUTPUT_H

#include "csv_file.h"

/* The quotient; 0, which is "not known", for a divisor that is not known. */
double ratio_of(double dividend, double divisor);

/* The number in so many characters; as many spaces where it is not known. */
void print_number(int width, int decimals, double number);

/* The number as a field of a row; an empty one where it is not known. */
void write_number(csv_file *csv, double number);

/* Says on stderr what is being measured, if that is a terminal; with NULL it takes the line away again. */
void show_progress(const char *program, const char *text, uint32_t log2_count);

#endif
