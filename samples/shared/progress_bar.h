/* SPDX-License-Identifier: MIT */
/* How far a long work is and how much time is left, on stderr, where that is a terminal; elsewhere nothing is written. */
#ifndef CDPSORT_SAMPLES_PROGRESS_BAR_H
#define CDPSORT_SAMPLES_PROGRESS_BAR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct progress_bar {
  size_t total;
  double begun; /* seconds_now() */
  double shown;
  bool visible;
} progress_bar;

/* Seconds of a clock that never goes back. */
double seconds_now(void);

void progress_begin(progress_bar *bar, size_t total);

/* `done` of the total are done; `what` says what comes next, in a few words. */
void progress_at(progress_bar *bar, size_t done, const char *what);

/* Wipes it away. */
void progress_end(progress_bar *bar);

#endif
