/* SPDX-License-Identifier: MIT */
/*
 * The plan of the bitonic sort of a whole array (bitonic/). A part of engine.h, which includes it.
 */
#ifndef CDPSORT_DEVICE_BITONIC_PLAN_H
#define CDPSORT_DEVICE_BITONIC_PLAN_H

#include "plan.h"

/* All that there is to say: the launches follow from the count, and there is no workspace. */
typedef struct cdp_bitonic_plan {
  cdp_type type;
  cdp_order order;
  uint64_t count;       /* 1 to CDP_COUNT_MAX */
  const void *d_source; /* where the keys are at first; may be d_keys */
  void *d_keys;         /* where they are sorted */
  uint64_t seed;        /* of the simulated device's schedule */
  bool is_captured;
} cdp_bitonic_plan;

#endif
