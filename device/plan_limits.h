/* SPDX-License-Identifier: MIT */
/*
 * Caps on what plans reckon, for tests, which link the static library. A sort must end sorted with any of them.
 */
#ifndef CDPSORT_DEVICE_PLAN_LIMITS_H
#define CDPSORT_DEVICE_PLAN_LIMITS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0 is no cap. */
typedef struct cdp_plan_limits {
  uint32_t task_capacity;
  uint32_t worklist_capacity;
  uint32_t task_budget;
  uint32_t short_fan_out;     /* buckets of any array that takes the short path: too few, so that not all fit a block */
  uint32_t pending_limit_min; /* in place of the device's */
} cdp_plan_limits;

/* Caps the plans of this thread from now on; NULL lifts the caps. */
void cdp_plan_limit(const cdp_plan_limits *limits);

#ifdef __cplusplus
}
#endif

#endif
