/* SPDX-License-Identifier: MIT */
/*
 * The whole plan of a sort by a comparison: made where its workspace is reckoned, and again where it is launched.
 */
#ifndef CDPSORT_DEVICE_COMPARE_BY_PLAN_H
#define CDPSORT_DEVICE_COMPARE_BY_PLAN_H

#include "engine.h"

#include <cdpsort/by/launches.h>

namespace cdp {

/* False if the workspace's bytes cannot be counted. */
inline bool make_by_plan(const cdp_compare_plan &plan, by::Plan *whole) {
  return by::make_plan({plan.asked.count, plan.asked.item_bytes, plan.seed, plan.asked.is_apart}, plan.multiprocessors,
                       plan.is_simulated, whole);
}

} // namespace cdp

#endif
