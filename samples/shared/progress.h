/* SPDX-License-Identifier: MIT */
/*
 * How far a long work is. On stderr, where that is a terminal, a line is kept up to date; elsewhere nothing is written, but for
 * what is said beforehand of a work that takes long on the simulated device.
 */
#ifndef CDPSORT_SAMPLES_PROGRESS_H
#define CDPSORT_SAMPLES_PROGRESS_H

#include "sort_settings.h"

#include <stddef.h>

/*
 * What a sort of so many keys counts in a work on the simulated device: work_of(a) / work_of(b) is about how much longer one takes
 * than the other.
 */
double work_of(uint64_t count);

/*
 * Says on stderr about how long a work will take on the simulated device, where that is long: sorts some keys to find out. On a GPU,
 * and for a small work, nothing is sorted nor said. Returns the seconds, for progress_begin(); 0 where it is not known.
 */
double announce_work(const char *program, cdp_type type, const cdp_options *options, double work);

/* Says so of a work that takes so many seconds, and returns them. */
double announce_seconds(const char *program, double seconds);

/* Begins to show how far it is: by the time where the seconds are known, else by the steps; one work at a time. */
void progress_begin(const char *program, size_t steps, double seconds);

/* So many steps are done; `what` says what comes next, in a few words. */
void progress_at(size_t done, const char *what);

/* Takes the line away for as long as something else is printed, until the next progress_at(). */
void progress_hide(void);

/* Wipes it away. */
void progress_end(void);

#endif
