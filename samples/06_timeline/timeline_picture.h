/* SPDX-License-Identifier: MIT */
/* A trace as a picture in text: what the sample `timeline` prints. */
#ifndef CDPSORT_SAMPLES_TIMELINE_PICTURE_H
#define CDPSORT_SAMPLES_TIMELINE_PICTURE_H

#include <cdpsort/study.h>

#include <stddef.h>

enum { PICTURE_COLUMNS_LEAST = 20, PICTURE_COLUMNS_MOST = 400 };

/*
 * Prints a row for each depth, a column for each stretch of time; the darker a character, the more blocks were at work there
 * and then.
 */
void print_picture(const cdp_trace *trace, size_t columns);

/* Prints how many grids of each kind there were, how many blocks they had, and how long they ran. */
void print_kinds(const cdp_trace *trace);

#endif
