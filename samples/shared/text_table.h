/* SPDX-License-Identifier: MIT */
/*
 * Tables for people: every cell is a text first, so that each column can be made as wide as its widest cell.
 *
 *     text_table made;
 *     text_table_begin(&made, "lr");             a letter for each column: l flush left, r flush right
 *     text_table_add(&made, "fan-out\tms");      cells from left to right, a row after the other
 *     text_table_add(&made, "%u\t%.3f", 1024U, 0.25);
 *     text_table_print(&made);
 */
#ifndef CDPSORT_SAMPLES_TEXT_TABLE_H
#define CDPSORT_SAMPLES_TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXT_CELL_CHARACTERS = 40, TEXT_LINE_CHARACTERS = 120 };

typedef struct text_table {
  const char *columns;
  char (*cells)[TEXT_CELL_CHARACTERS];
  size_t count;
  size_t room;
  bool complete; /* false: memory was exhausted */
} text_table;

void text_table_begin(text_table *made, const char *columns);

/* The next cells, printf() fashion, with tabs between them; what is longer than a cell is cut. */
void text_table_add(text_table *made, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The characters of a line, with so many blanks between columns. */
size_t text_table_width(const text_table *made, size_t gap);

/* Prints it on stdout, or says that memory was exhausted, and ends it: two blanks between columns, or one where that makes lines
   of more than TEXT_LINE_CHARACTERS. */
void text_table_print(text_table *made);

/* Ends it without printing. */
void text_table_end(text_table *made);

/* A number in a few characters: whole below a million, then three digits and k, M, G, T... such as 1.05M. */
typedef struct short_text {
  char text[24];
} short_text;
short_text short_number(uint64_t number);

/* For tables that are printed as they grow: a number in so many characters; blanks where it is not known, or 0. */
void print_number(int width, int decimals, double number);

/* The quotient; 0, which is "not known", for a divisor that is not known. */
double ratio_of(double dividend, double divisor);

#endif
