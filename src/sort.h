/* SPDX-License-Identifier: MIT */
/*
 * The blocking sort behind cdp_quicksort() and cdp_study_quicksort().
 */
#ifndef CDPSORT_SRC_SORT_H
#define CDPSORT_SRC_SORT_H

#include <cdpsort/study.h>

/* cdp_quicksort(), and with a `study` that is not NULL the counts too: touched by a sort of at least 2 keys alone. */
cdp_status cdp_sort_blocking(void *keys, size_t count, cdp_type type, const cdp_options *options, cdp_study *study);

#endif
