/* SPDX-License-Identifier: MIT */
/*
 * What the host does for the tables: std::sort, the clock, and work on long arrays by all processors at once, so that making
 * and checking hundreds of millions of keys does not take longer than all that is measured. Nothing of it runs while anything
 * is being timed.
 */
#ifndef CDPSORT_SAMPLES_TABLES_HOST_WORK_H
#define CDPSORT_SAMPLES_TABLES_HOST_WORK_H

#include <cdpsort/cdpsort.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* std::sort on one processor. The keys must not contain NaNs, nor zeros of both signs: there its order is not the library's. */
void sort_on_host(void *keys, size_t count, cdp_type type, cdp_order order);

/* Milliseconds of a clock that only ever moves forward, from some time in the past on. */
double clock_milliseconds(void);

/* Calls work(context, begin, end) for stretches that together are 0 to count, side by side, and returns when all have ended.
   Short work is done by the calling thread alone. */
void side_by_side(uint64_t count, void (*work)(void *context, uint64_t begin, uint64_t end), void *context);

/* memcpy() and memcmp() == 0, side by side. */
void copy_keys(void *target, const void *source, uint64_t bytes);
bool same_keys(const void *one, const void *other, uint64_t bytes);

/* Whether `after` is in order and has all that `before` had: looked at are the order, the sum and the exclusive-or of all. */
bool is_sorted_from(const void *before, const void *after, uint64_t count, cdp_type type, cdp_order order);

#ifdef __cplusplus
}
#endif

#endif
