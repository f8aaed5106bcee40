/* SPDX-License-Identifier: MIT */
/*
 * The sorts that the tests of studies make: the classic recursion, with small leaves, on a device of so many multiprocessors that
 * ITEMS keys give a recursion of grids several levels deep.
 */
#ifndef CDPSORT_TESTS_STUDIED_H
#define CDPSORT_TESTS_STUDIED_H

#include "host_check.h"
#include "simulated_rules.h"

#define ITEMS 10000u
#define MULTIPROCESSORS 10u
#define BLOCK_ITEMS (ITEMS / (2 * MULTIPROCESSORS))

/* Before each test, in its process. */
static inline void make_device(void) {
  simulated_rules_set(MULTIPROCESSORS, 8);
}

static inline host_case study_case(size_t count, host_distribution distribution, cdp_scheme scheme) {
  host_case sort = simulated_case(CDP_U32, count, distribution, 11);
  sort.options.leaf_items = CDP_LEAF_MIN;
  sort.options.scheme = scheme;
  sort.options.fan_out = CDP_FAN_OUT_CLASSIC;
  sort.options.seed = 3;
  return sort;
}

#endif
