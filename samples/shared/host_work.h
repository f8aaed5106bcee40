/* SPDX-License-Identifier: MIT */
/*
 * What the host does: std::sort, the clock, and work on long arrays by all processors at once, so that making and checking
 * hundreds of millions of keys does not take longer than all that is measured. Nothing of the latter runs while anything is timed.
 */
#ifndef CDPSORT_SAMPLES_HOST_WORK_H
#define CDPSORT_SAMPLES_HOST_WORK_H

#include <cdpsort/partition.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the CPU does by itself, with one thread. The keys must not contain NaNs, nor zeros of both signs: `<` knows no order for
   those. */
void sort_on_host(void *keys, uint64_t count, cdp_type type, cdp_order order);

/* Partitions around *pivot, a key of the type, as cdp_partition() does. Of the result the time is 0. */
cdp_parts partition_on_host(void *keys, uint64_t count, cdp_type type, cdp_order order, const void *pivot);

/* Milliseconds of a clock that never goes back. */
double clock_milliseconds(void);

/* Calls work(context, begin, end) for stretches that together are 0 to count, side by side, and returns when all have ended.
   Short work is done by the calling thread alone. */
void side_by_side(uint64_t count, void (*work)(void *context, uint64_t begin, uint64_t end), void *context);

/* memcpy() and memcmp() == 0, side by side. */
void copy_keys(void *target, const void *source, uint64_t bytes);
bool same_keys(const void *one, const void *other, uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
