/* SPDX-License-Identifier: MIT */
/*
 * Sorts under limits that are forced on them: fewer pending launches, tasks and collected ranges than a sort is granted. For
 * tests that link the static library, which has the hooks.
 */
#ifndef CDPSORT_TESTS_FORCED_LIMITS_H
#define CDPSORT_TESTS_FORCED_LIMITS_H

#include "host_data.h"

#include "plan_limits.h"

/* Leaf sizes of a row. */
#define LEAST CDP_LEAF_MIN
#define GREATEST UINT32_MAX /* stands for the greatest of the type */

typedef struct forced {
  const char *what;
  uint32_t pending_limit; /* 0: as it is */
  cdp_plan_limits limits;
  uint32_t depth_limit;
  uint32_t leaf_items; /* 0: the default */
  uint32_t fan_out;
  host_distribution distribution;
  /* What the sum of all depths must show. */
  bool refused; /* not where the host launches, which launches nothing from the device */
  bool pool;
  bool deferred; /* likewise */
  bool starved;  /* likewise: ranges waited for a later batch or were refused, as the scheme has it */
  bool depth;
  bool equal; /* most keys were equal to a pivot or a splitter, and so no child had them */
  bool spare; /* no limit was met */
} forced;

/* Sets the hooks of a row, for the rest of the process or until they are set anew. */
void forced_set(const forced *row);

/* Sorts in every scheme, keys of either size, with the hooks set; ends the test unless they are sorted and their study shows
   what it must. */
void forced_check(const forced *row, size_t count);

#endif
