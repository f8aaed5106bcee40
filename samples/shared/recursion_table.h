/* SPDX-License-Identifier: MIT */
/* The recursion by depth, as a table for people: what the samples `recursion` and `timeline` print. */
#ifndef CDPSORT_SAMPLES_RECURSION_TABLE_H
#define CDPSORT_SAMPLES_RECURSION_TABLE_H

#include <cdpsort/study.h>

/* Prints a row for each depth, and one with the sums, on stdout. */
void print_recursion(const cdp_study *study);

/* Prints what the columns mean. */
void print_columns_help(void);

/* How evenly tasks were split, as study.h defines it; 0 where nothing was. */
double split_balance(const cdp_study_depth *row);

#endif
