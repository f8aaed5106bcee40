/* SPDX-License-Identifier: MIT */
/*
 * Plans as the library makes them, of any device, for tests that link the static library.
 */
#ifndef CDPSORT_TESTS_PLANNED_H
#define CDPSORT_TESTS_PLANNED_H

#include "run_suite.h"

#include "engine.h"
#include "options.h"

#include <string.h>

/* DeviceKind of device/tuning.h, which is not for C: simulated, small, medium, and large, which an H200 is. */
#define KIND_SIMULATED 0u
#define KIND_SMALL 1u
#define KIND_MEDIUM 2u
#define KIND_H200 3u
#define KINDS 4u

#define LIMIT_MIN 2048u

/* The limit of pending launches of the devices that plans are made for, and how often it was asked for. */
static uint32_t planned_limit = LIMIT_MIN;
static uint32_t limit_questions;

static inline uint32_t tell_planned_limit(int ordinal) {
  (void)ordinal;
  limit_questions++;
  return planned_limit;
}

/* An H200, or another kind of device that is like it otherwise. */
static inline cdp_device_facts planned_device(uint32_t kind) {
  planned_limit = LIMIT_MIN;
  return (cdp_device_facts){.device_kind = kind,
                            .multiprocessors = 132,
                            .pending_limit = tell_planned_limit,
                            .pending_limit_min = LIMIT_MIN,
                            .launches_from_device = true};
}

/* The plan of a sort with these options, which must be valid. */
static inline cdp_plan planned(const cdp_options *options, cdp_type type, uint64_t count, const cdp_device_facts *facts,
                               bool is_captured) {
  cdp_settings settings;
  cdp_plan plan;
  memset(&plan, 0xEE, sizeof plan); // nothing is left as it was
  ck_assert_int_eq(cdp_options_resolve(options, type, &settings), CDP_OK);
  ck_assert_int_eq(cdp_engine_plan(&settings, type, count, facts, is_captured, &plan), CDP_OK);
  return plan;
}

/* The same on a simulated device of so many multiprocessors. */
static inline cdp_plan planned_simulated(const cdp_options *options, cdp_type type, uint64_t count, uint32_t multiprocessors) {
  planned_limit = LIMIT_MIN;
  const cdp_device_facts facts = {
      .multiprocessors = multiprocessors, .pending_limit = tell_planned_limit, .launches_from_device = true};
  return planned(options, type, count, &facts, false);
}

/* The same on an H200. */
static inline cdp_plan planned_h200(const cdp_options *options, cdp_type type, uint64_t count) {
  const cdp_device_facts h200 = planned_device(KIND_H200);
  return planned(options, type, count, &h200, false);
}

#endif
