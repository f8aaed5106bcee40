/* SPDX-License-Identifier: MIT */
/* The recursion by depth, as a table for people: what the sample `recursion` prints. */
#ifndef CDPSORT_SAMPLES_RECURSION_TABLE_H
#define CDPSORT_SAMPLES_RECURSION_TABLE_H

#include <cdpsort/study.h>

/* Prints a row for each depth, and one with the sums, on stdout. */
void print_recursion(const cdp_study *study);

/* Prints what the columns mean. */
void print_columns_help(void);

#endif
