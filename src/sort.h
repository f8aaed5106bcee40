/* SPDX-License-Identifier: MIT */
/*
 * The blocking sort behind cdp_quicksort() and the calls of study.h.
 */
#ifndef CDPSORT_SRC_SORT_H
#define CDPSORT_SRC_SORT_H

#include "engine.h"

/* cdp_quicksort(), and what is to be gathered, which a sort of at least 2 keys alone touches. NULL: nothing is. */
cdp_status cdp_sort_blocking(void *keys, size_t count, cdp_type type, const cdp_options *options, cdp_gathering *gathering);

#endif
