/* SPDX-License-Identifier: MIT */
/*
 * The same of a sort by a comparison of the caller's (compare/). A part of engine.h, which includes it.
 */
#ifndef CDPSORT_DEVICE_COMPARE_PLAN_H
#define CDPSORT_DEVICE_COMPARE_PLAN_H

#include "plan.h"

#include <cdpsort/compare.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A comparison's source, compiled for an item size and an architecture (compare/compiled.h). */
typedef struct cdp_compiled cdp_compiled;

/* What is asked for: at least 2 items, or 1 if the sorted ones go elsewhere. */
typedef struct cdp_compare_request {
  uint64_t count;
  uint64_t item_bytes;
  bool is_apart; /* source and target are two arrays; otherwise they are one */
  cdp_comparison comparison;
  const void *d_source;
  void *d_target;
} cdp_compare_request;

/* How it is done. What the workspace holds is said in by/launches.h, which makes the launches of this as well. */
typedef struct cdp_compare_plan {
  cdp_compare_request asked;
  uint32_t multiprocessors;
  bool is_simulated;
  uint64_t workspace_bytes; /* 0: none is needed */
  uint64_t seed;            /* of samples, and of the simulated device's schedule */
  bool is_captured;
  cdp_compiled *compiled; /* cdp_engine::prepare_comparison() fills it in */
  void *d_workspace;      /* the caller's to fill in */
} cdp_compare_plan;

/* Plans it. CDP_ERROR_SIZE, with *plan undefined, if the workspace cannot be addressed. */
cdp_status cdp_engine_plan_compare(const cdp_settings *resolved, const cdp_compare_request *request,
                                   const cdp_device_facts *facts, bool is_captured, cdp_compare_plan *plan);

/* What the compiler said to the calling thread's last source; "" if nothing. */
const char *cdp_engine_compiler_log(void);

/* Forgets all that was compiled. */
void cdp_engine_release_compiled(void);

#ifdef __cplusplus
}
#endif

#endif
