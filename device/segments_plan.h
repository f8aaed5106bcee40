/* SPDX-License-Identifier: MIT */
/*
 * The same of a segmented sort. A part of engine.h, which includes it.
 */
#ifndef CDPSORT_DEVICE_SEGMENTS_PLAN_H
#define CDPSORT_DEVICE_SEGMENTS_PLAN_H

#include "array_plans.h"

#include <cdpsort/segments.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is asked for. A plan is made of it without a look at any pointer. */
typedef struct cdp_segments_request {
  cdp_type type;
  cdp_order order;
  cdp_ties ties;
  uint64_t count; /* at least 1 */
  const void *d_keys;
  void *d_sorted_keys; /* may be d_keys, unless the request is_apart */
  uint32_t column_count;
  cdp_payload_column columns[CDP_COLUMNS_MAX];
  bool is_apart; /* columns and sorted keys are written to other arrays than they are read from */
  uint64_t segment_count;
  uint32_t offset_bytes; /* 4 or 8; 0: segments of `length` keys each, one behind the other */
  uint64_t length;
  const void *d_begins;
  const void *d_ends;
} cdp_segments_request;

/* What is sorted. */
typedef enum cdp_segments_by {
  CDP_SEGMENTS_BY_KEYS,      /* the keys where they are */
  CDP_SEGMENTS_BY_NUMBERS,   /* narrow keys, as numbers of 4 bytes */
  CDP_SEGMENTS_BY_POSITIONS, /* keys of up to 4 bytes with their positions */
  CDP_SEGMENTS_BY_HALVES     /* keys of 8 bytes: lower halves with their positions, then upper ones */
} cdp_segments_by;

/*
 * How it is done. The workspace, from its beginning (each part aligned to CDP_WORKSPACE_ALIGNMENT):
 *
 *     | items        | lower order | origins | scratch, or what is gathered | control | lists, one for each class |
 *       but of keys    by halves     of both                                  all of these only where they are needed
 *
 *     | large segments, of levels by turns | tiles | splitters | cursors |
 *
 * What goes to other arrays is gathered to there, and not by way of the workspace.
 */
typedef struct cdp_segments_plan {
  cdp_segments_request asked;
  cdp_segments_by by;
  uint32_t item_bytes; /* of what is sorted: 4 or 8 */
  uint32_t device_kind;
  uint32_t multiprocessors;
  uint32_t max_levels;        /* divisions; 0: no segment is as long as that */
  uint32_t block_depth_limit; /* of ranges that one block sorts by the classic recursion */
  bool is_listed;             /* segments are read by a kernel that lists them by class; otherwise all are of one class */
  uint64_t max_items;         /* of a segment; less than 2: nothing is sorted, and there is no workspace */
  uint64_t small_capacity;
  uint64_t short_capacity;
  uint64_t team_capacity;
  uint64_t block_capacity;
  uint64_t large_capacity;
  uint64_t tile_capacity;
  uint64_t table_capacity;
  uint64_t items; /* where parts begin */
  uint64_t lower_order;
  uint64_t origins;
  uint64_t scratch;
  uint64_t control;
  uint64_t smalls;
  uint64_t shorts;
  uint64_t teams;
  uint64_t blocks;
  uint64_t larges[2];
  uint64_t tiles;
  uint64_t splitters;
  uint64_t cursors;
  uint64_t workspace_bytes; /* 0: none is needed */
  uint32_t shared_bytes[2]; /* of blocks that divide, and of those that sort on chip */
  uint64_t seed;
  bool is_captured;
  void *d_workspace; /* the caller's to fill in */
} cdp_segments_plan;

/* Plans it. CDP_ERROR_SIZE, with *plan undefined, if the workspace cannot be addressed. */
cdp_status cdp_engine_plan_segments(const cdp_settings *resolved, const cdp_segments_request *request,
                                    const cdp_device_facts *facts, bool is_captured, cdp_segments_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
