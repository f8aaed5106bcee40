/* SPDX-License-Identifier: MIT */
/*
 * Whether a trace and a study of the same sort agree. They come about in different ways: the counters by atomics of whoever
 * does something, the events by launchers and by the blocks that run. For tests on either runtime.
 */
#ifndef CDPSORT_TESTS_TRACE_CHECK_H
#define CDPSORT_TESTS_TRACE_CHECK_H

#include <cdpsort/study.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRACE_WHY_BYTES 256

/* What was sorted, and how. */
typedef struct traced_sort {
  uint64_t count;
  cdp_scheme scheme; /* not 0 */
  bool is_classic;   /* two children to a task */
  bool is_presorted; /* found in order, or in the opposite order */
} traced_sort;

/*
 * True if a whole trace (nothing lost) holds together, and agrees with the study. Otherwise says in `why`, which has room for
 * TRACE_WHY_BYTES, what does not.
 *
 * 1. Events: an event follows its launcher, times are in order, ranges lie in the array, a block's in its grid's.
 * 2. By depth: launches, refusals, tasks with their items, the least and the greatest, collected ranges.
 * 3. Keys: each has left the recursion once, as equal, in a leaf, or in a bitonic sort.
 */
bool trace_agrees(const cdp_trace *trace, const cdp_study *study, const traced_sort *sort, char *why);

/* The same for what of it is true without a trace. */
bool study_holds_together(const cdp_study *study, const traced_sort *sort, char *why);

#ifdef __cplusplus
}
#endif

#endif
