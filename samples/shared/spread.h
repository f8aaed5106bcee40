/* SPDX-License-Identifier: MIT */
/* What is told of several measurements of one thing: the median, which a single disturbed run does not move, and both ends. */
#ifndef CDPSORT_SAMPLES_SPREAD_H
#define CDPSORT_SAMPLES_SPREAD_H

#include <stddef.h>

typedef struct spread {
  double least;
  double median;
  double most;
} spread;

/* Sorts the values. All zeros where there are none. */
spread spread_of(double *values, size_t count);

#endif
