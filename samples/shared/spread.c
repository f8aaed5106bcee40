/* SPDX-License-Identifier: MIT */
/* Several measurements of one thing: see spread.h. */
#include "spread.h"

#include <stdlib.h>

static int compare(const void *left, const void *right) {
  const double a = *(const double *)left;
  const double b = *(const double *)right;
  return (a > b) - (a < b);
}

spread spread_of(double *values, size_t count) {
  if (count == 0)
    return (spread){0, 0, 0};
  qsort(values, count, sizeof *values, compare);
  const double median = count % 2 != 0 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
  return (spread){.least = values[0], .median = median, .most = values[count - 1]};
}
