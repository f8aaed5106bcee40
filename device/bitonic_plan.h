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
  uint64_t count; /* 2 to CDP_COUNT_MAX */
  void *d_keys;
  uint64_t seed; /* of the simulated device's schedule */
  bool is_captured;
} cdp_bitonic_plan;

#endif
