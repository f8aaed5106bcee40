/* SPDX-License-Identifier: MIT */
/*
 * The same of half a sort (select/). A part of engine.h, which includes it.
 */
#ifndef CDPSORT_DEVICE_SELECT_PLAN_H
#define CDPSORT_DEVICE_SELECT_PLAN_H

#include "array_plans.h"

#include <cdpsort/select.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cdp_select_kind {
  CDP_SELECT_NTH,      /* the array is partitioned in its place by the key that belongs at the rank */
  CDP_SELECT_TOP,      /* the keys up to that one are written elsewhere */
  CDP_SELECT_QUANTILES /* the keys at some ranks are */
} cdp_select_kind;

/* What is asked for. A plan is made of it without a look at any pointer. */
typedef struct cdp_select_request {
  cdp_select_kind kind;
  cdp_type type;
  cdp_order order;
  cdp_ties ties;
  uint64_t count; /* at least 1, and 2 where keys are partitioned; with positions at most CDP_PAIRS_COUNT_MAX */
  const void *d_keys;
  uint32_t rank_count; /* 1 where these are no quantiles */
  uint64_t ranks[CDP_RANKS_MAX];
  void *d_found; /* quantiles alone */

  /* The others. As many keys as come up to the one rank. */
  bool is_sorted; /* they shall be in order */
  void *d_keys_in_place;
  void *d_top_keys;     /* NULL: nobody wants them */
  void *d_indices;      /* with index_bytes */
  uint32_t index_bytes; /* 4 or 8; 0: no indices */
  uint32_t column_count;
  cdp_top_column columns[CDP_COLUMNS_MAX]; /* at most UINT32_MAX bytes a value */
} cdp_select_request;

/*
 * How it is done. The workspace, from its beginning (each part aligned to CDP_WORKSPACE_ALIGNMENT):
 *
 *     | top keys | positions | order | origins | state | totals | rows | begins of shares | candidates, twice | their positions | parts |
 *       where something goes with them           or, when these are done with, the workspace of the sort
 *
 * Candidates are a quarter of the keys at most, and then a sixteenth. Parts: of an array that is partitioned.
 */
typedef struct cdp_select_plan {
  cdp_select_request asked;
  bool sorts_all;      /* the array is sorted, and nothing is selected */
  bool has_positions;  /* something goes with the keys */
  uint32_t blocks;     /* of grids that count and filter; each has a share of the keys */
  uint32_t bin_bits;   /* the logarithm of the bins that a range of keys is divided into, but for the first time */
  uint32_t levels;     /* times that is done, at most */
  uint64_t seed;       /* of the simulated device's schedule */
  bool is_captured;    /* the stream is */
  cdp_plan sort;       /* of all keys, or of the top ones; undefined if they are not sorted, or fewer than 2 */
  cdp_payload_plan by; /* likewise, of what goes with them */
  uint64_t top_keys;   /* where parts begin */
  uint64_t positions;
  uint64_t order;
  uint64_t origins;
  uint64_t shared; /* the workspace of the sort */
  uint64_t state;
  uint64_t totals;
  uint64_t rows;
  uint64_t begins;
  uint64_t candidates[2];
  uint64_t candidate_positions[2];
  uint64_t parts;
  uint64_t workspace_bytes;
  void *d_workspace; /* the caller's to fill in */
} cdp_select_plan;

/* Plans it. `resolved` is for keys of the type, and for CDP_U64 where something goes with them; is_captured as for
   cdp_engine_plan(). CDP_ERROR_SIZE, with *plan undefined, if the workspace cannot be addressed. */
cdp_status cdp_engine_plan_select(const cdp_settings *resolved, const cdp_select_request *request,
                                  const cdp_device_facts *facts, bool is_captured, cdp_select_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
