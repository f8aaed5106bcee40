/* SPDX-License-Identifier: MIT */
/*
 * The same of what is done with sorted ranges (ranges/). A part of engine.h, which includes it.
 */
#ifndef CDPSORT_DEVICE_RANGES_PLAN_H
#define CDPSORT_DEVICE_RANGES_PLAN_H

#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cdp_ranges_kind {
  CDP_RANGES_IS_SORTED, /* how many keys are in order before the first that is not */
  CDP_RANGES_MERGE,     /* one sorted range of two */
  CDP_RANGES_UNIQUE     /* the first of each run of equal keys */
} cdp_ranges_kind;

/* What is asked for. A plan is made of it without a look at any pointer. */
typedef struct cdp_ranges_request {
  cdp_ranges_kind kind;
  cdp_type type;
  cdp_order order;
  cdp_ties ties;
  uint64_t count; /* of both ranges together; 0 to CDP_COUNT_MAX, and at least 1 to merge */
  const void *d_keys;
  uint64_t first_count; /* merge: how many keys of these are the first range */
  const void *d_second; /* and the second one. Either may be NULL if it is empty */
  void *d_target;       /* what is merged, or unique; not of CDP_RANGES_IS_SORTED */
  uint64_t *d_answer;   /* how many keys; not of CDP_RANGES_MERGE */
} cdp_ranges_request;

/*
 * How it is done. The workspace, from its beginning (each part aligned to CDP_WORKSPACE_ALIGNMENT):
 *
 *     merge    | where each tile begins in the first range, and where the last ends | whether they contradict each other |
 *                both only where there are several tiles
 *     unique   | tiles that are taken | what is told of each |
 */
typedef struct cdp_ranges_plan {
  cdp_ranges_request asked;
  uint32_t tiles;  /* merge */
  uint32_t blocks; /* the others: of the grid that walks along the keys; 0 without a key */
  uint64_t splits; /* where parts begin */
  uint64_t is_contradictory;
  uint64_t tiles_taken;
  uint64_t tile_keys;
  uint64_t workspace_bytes; /* 0: none is needed */
  uint64_t seed;            /* of the simulated device's schedule */
  bool is_captured;
  void *d_workspace; /* the caller's to fill in */
} cdp_ranges_plan;

/* Plans it. CDP_ERROR_SIZE, with *plan undefined, if the workspace cannot be addressed. */
cdp_status cdp_engine_plan_ranges(const cdp_settings *resolved, const cdp_ranges_request *request,
                                  const cdp_device_facts *facts, bool is_captured, cdp_ranges_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
