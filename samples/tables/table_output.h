/* SPDX-License-Identifier: MIT */
/* What the tables have in common where they are written: cells, the CSV file, the line of progress. */
#ifndef CDPSORT_SAMPLES_TABLES_TABLE_OUTPUT_H
#define CDPSORT_SAMPLES_TABLES_TABLE_OUTPUT_H

#include <stdint.h>
#include <stdio.h>

/* The quotient; 0, which is "not known", for a divisor that is not known. */
double ratio_of(double dividend, double divisor);

/* The number in so many characters; as many spaces where it is not known. */
void print_number(int width, int decimals, double number);

/* A comma and the number as a CSV field; an empty one where it is not known. */
void write_number(FILE *file, double number);

/* Opens the CSV file, if there is to be one, and writes the line of names. Exit code. */
int open_csv(FILE **file, const char *program, const char *path, const char *names);

/* Closes it: here it is seen whether all was written. Keeps an exit code that says that something failed before. */
int close_csv(FILE *file, const char *program, const char *path, int code);

/* Says on stderr what is being measured, if that is a terminal; with NULL it takes the line away again. */
void show_progress(const char *program, const char *text, uint32_t log2_count);

#endif
