/* SPDX-License-Identifier: MIT */
/*
 * The same of calls on several arrays: values and indices, records, divisions. A part of engine.h, which includes it.
 */
#ifndef CDPSORT_DEVICE_ARRAY_PLANS_H
#define CDPSORT_DEVICE_ARRAY_PLANS_H

#include "plan.h"

#include <cdpsort/buckets.h>
#include <cdpsort/records.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Values that go with keys (payload/) ------------------------------------------------------------------------------- */

/* An array of values. */
typedef struct cdp_payload_column {
  const void *d_source;
  void *d_target;     /* may be d_source, unless the request is_apart */
  size_t value_bytes; /* at most UINT32_MAX */
} cdp_payload_column;

/* What is asked for. A plan is made of it without a look at any pointer. */
typedef struct cdp_payload_request {
  cdp_type type;
  cdp_order order;
  cdp_ties ties;
  uint64_t count; /* 1 to CDP_PAIRS_COUNT_MAX */
  const void *d_keys;
  void *d_sorted_keys;             /* may be d_keys; NULL: nobody wants them */
  void *d_indices;                 /* NULL: nobody wants them */
  uint32_t index_bytes;            /* 4 or 8; 0: no indices */
  const uint32_t *d_first_indices; /* what is said of a key in the place of its index; NULL: its index */
  uint32_t column_count;
  cdp_payload_column columns[CDP_COLUMNS_MAX];
  bool is_apart; /* columns and sorted keys are written to other arrays than they are read from */
} cdp_payload_request;

/* How values are carried with the keys (payload/carry.cuh). Where parts begin is where the items, and the workspace of their sort,
   will be if that is given up; but for the control, which says so, and the buckets' places behind it. */
typedef struct cdp_carry_plan {
  uint32_t groups; /* of buckets; and by splitters, at most */
  uint32_t most_groups;
  uint32_t straight_buckets;       /* by a map of evenly spread keys */
  uint32_t straight_group_buckets; /* of each group */
  uint32_t learnt_group_buckets;   /* by splitters, at most */
  uint32_t learnt_bucket_items;    /* and keys that a bucket of those should have */
  uint32_t buckets;                /* of all groups, either way */
  uint32_t tiles;
  uint32_t value_bytes; /* 4 or 8 */
  uint32_t threads;     /* of a block that counts or scatters */
  uint32_t multiprocessors;
  bool leaves_order;          /* to the sort of items, where a sample is in order, or in the opposite one */
  bool counts_again;          /* where a straight map has missed a frequent value: it may with so many keys */
  uint32_t look_shared_bytes; /* of a block */
  uint32_t count_shared_bytes;
  uint32_t most_count_shared_bytes; /* whatever the count */
  uint32_t divide_shared_bytes;
  uint32_t scatter_shared_bytes;
  uint32_t sort_shared_bytes;
  uint64_t control;
  uint64_t control_bytes;
  uint64_t grouped_keys;
  uint64_t grouped_values;
  uint64_t sorted_keys; /* where nobody wants them */
  uint64_t tile_places;
  uint64_t listed;
  uint64_t splitters;
} cdp_carry_plan;

/* How keys of 8 bytes that agree in their upper bits are put in order (payload/wide_keys.cuh). */
typedef struct cdp_wide_plan {
  uint32_t rounds; /* 1: the window of the items tells all that no tile does; more, by what long runs have left */
  uint32_t tile_items;
  uint32_t longest_run; /* that a tile holds wherever it begins */
  uint32_t tile_shared_bytes;
  uint32_t multiprocessors;
  uint32_t parts; /* of keys in which long runs are counted */
  uint32_t part_items;
  uint64_t tiles;
  uint64_t most_long_runs;
  uint64_t part_counts;
  uint64_t long_runs; /* what rounds find out: these two parts are zeroed first */
  uint64_t rounds_told;
  uint64_t told_bytes;
} cdp_wide_plan;

/*
 * How it is done: by a sort of items of 8 bytes; or, of many keys of 4 or 8, values are carried with them; or, of few keys with short
 * values, one block does all of it, and needs no workspace. The workspace, from its beginning (each part aligned to
 * CDP_WORKSPACE_ALIGNMENT):
 *
 *     | items        | workspace of the sort, or what is gathered | window, and its pieces | origins, later ones  | sorted keys     |
 *       count, 8 bytes                                              keys of 8 bytes, or     keys of 8 bytes        and indices, too
 *                                                                   where things are regrouped
 *     | counts of long runs | what is in them     | what rounds tell |
 *       all keys of 8 bytes
 *     | counts of buckets | regrouped: keys           | first indices | each column |
 *       all of it only where things are regrouped; keys only where they are gathered, indices where they are asked for
 *     | control of carrying |
 */
typedef struct cdp_payload_plan {
  cdp_payload_request asked;
  bool carries;                /* values are carried with the keys, unless that is given up */
  bool travels;                /* the value is the lower half of its item; otherwise a position is in the lower bits */
  uint32_t low_bits;           /* of an item, below the key */
  uint32_t position_bits;      /* what the greatest position takes */
  uint32_t block_threads;      /* of the one block that does all of it, where values are short; 0: there are too many keys */
  uint32_t block_shared_bytes; /* and its shared memory */
  uint32_t regroup_bits; /* what is gathered is first brought into so many buckets, this being their logarithm; 0: it is not */
  uint32_t tiles;        /* of keys that are regrouped */
  cdp_plan sort;         /* of the items; undefined for one key */
  uint64_t shared;       /* where parts begin */
  uint64_t window;
  uint64_t origins;
  uint64_t later_origins;
  uint64_t sorted_keys;
  uint64_t bucket_counts;
  uint64_t regrouped_keys;
  uint64_t first_indices;
  uint64_t regrouped_columns[CDP_COLUMNS_MAX];
  cdp_wide_plan wide;   /* undefined unless keys have 8 bytes */
  cdp_carry_plan carry; /* undefined unless `carries` */
  uint64_t workspace_bytes;
  void *d_workspace; /* the caller's to fill in */
} cdp_payload_plan;

/* Plans it. `resolved` is for keys of type CDP_U64, is_captured as for cdp_engine_plan(). CDP_ERROR_SIZE, with *plan undefined,
   if the workspace cannot be addressed. */
cdp_status cdp_engine_plan_payload(const cdp_settings *resolved, const cdp_payload_request *request,
                                   const cdp_device_facts *facts, bool is_captured, cdp_payload_plan *plan);

/* ---- Records, and columns to sort by (payload/records.cuh) -------------------------------------------------------------- */

/* A field of all records: the first one's, and how far it is to the next one's. */
typedef struct cdp_sort_field {
  const void *d_first;
  uint64_t offset; /* of the field in a record */
  uint64_t stride;
  cdp_type type;
  cdp_order order;
} cdp_sort_field;

/* What is asked for: records are brought into their order, or the order is told as indices. A plan is made of it without a look at
   any pointer. */
typedef struct cdp_records_request {
  cdp_ties ties;
  uint64_t count;       /* 1 to CDP_PAIRS_COUNT_MAX */
  uint32_t field_count; /* at least 1 */
  cdp_sort_field fields[CDP_FIELDS_MAX];
  const void *d_records;
  void *d_sorted_records; /* may be d_records, unless the request is_apart */
  uint64_t record_bytes;  /* 0: no records */
  void *d_indices;
  uint32_t index_bytes; /* 4 or 8; 0: no indices */
  bool is_apart;        /* records are written to another array than they are read from */
} cdp_records_request;

/* Fields that follow one another and have 64 bits together at most: one key, the first field uppermost. */
typedef struct cdp_field_group {
  uint32_t begin;
  uint32_t end;
  uint32_t bits;
} cdp_field_group;

/*
 * How it is done: by a stable sort of indices for each group of fields, the last group first; or, of records that are one group and
 * nothing else, by a sort of the keys that they make. The workspace, from its beginning (each part aligned to
 * CDP_WORKSPACE_ALIGNMENT):
 *
 *     | order of the records, so far, and the next one | keys of a group | workspace of a sort |
 *       count indices of 4 bytes each, of those needed |  the same memory: gathered records    |
 */
typedef struct cdp_records_plan {
  cdp_records_request asked;
  uint32_t group_count;
  cdp_field_group groups[CDP_FIELDS_MAX];
  bool are_keys;           /* records are one group, every bit of it, and nothing else */
  cdp_plan key_sort;       /* then: of the keys; undefined for one. The two below are undefined */
  cdp_payload_plan narrow; /* of indices by keys of 4 bytes, for groups of up to 32 bits */
  cdp_payload_plan wide;   /* and of 8 bytes; either is undefined where no group is like that */
  uint64_t orders[2];      /* where parts begin */
  uint64_t keys;
  uint64_t sort;
  uint64_t workspace_bytes;
  uint64_t seed; /* of the simulated device's schedule */
  bool is_captured;
  void *d_workspace; /* the caller's to fill in */
} cdp_records_plan;

/* Plans it, as cdp_engine_plan_payload(). */
cdp_status cdp_engine_plan_records(const cdp_settings *resolved, const cdp_records_request *request,
                                   const cdp_device_facts *facts, bool is_captured, cdp_records_plan *plan);

/* ---- Division by given splitters (payload/divide.cuh) ------------------------------------------------------------------- */

/* What is asked for. A plan is made of it without a look at any pointer. */
typedef struct cdp_division_request {
  cdp_type type;
  cdp_order order;
  cdp_ties ties;
  uint64_t count; /* 0 to CDP_PAIRS_COUNT_MAX */
  void *d_keys;
  uint32_t splitter_count; /* at most CDP_SPLITTERS_MAX */
  const void *d_splitters; /* may be NULL if there is none */
  uint64_t *d_begins;      /* splitter_count + 2 of them */
  uint32_t column_count;
  cdp_column columns[CDP_COLUMNS_MAX]; /* at most UINT32_MAX bytes a value */
} cdp_division_request;

/*
 * How it is done. The workspace, never empty, from its beginning (each part aligned to CDP_WORKSPACE_ALIGNMENT):
 *
 *     | totals of buckets, and what each part has of them | each key's bucket | divided: keys | each column of 1, 2, 4 or 8 bytes |
 *     | positions of keys | what is gathered |
 *       both only where there is another column
 */
typedef struct cdp_division_plan {
  cdp_division_request asked;
  uint32_t bits;       /* of a bucket's number */
  uint32_t parts;      /* 0 without a key */
  uint32_t part_tiles; /* of each part but the last */
  bool gathers;        /* there are positions */
  uint64_t counts;     /* where parts of the workspace begin */
  uint64_t found;
  uint64_t keys;
  uint64_t columns[CDP_COLUMNS_MAX];
  uint64_t positions;
  uint64_t gathered;
  uint64_t workspace_bytes;
  uint64_t seed; /* of the simulated device's schedule */
  bool is_captured;
  void *d_workspace; /* the caller's to fill in */
} cdp_division_plan;

/* Plans it. CDP_ERROR_SIZE, with *plan undefined, if the workspace cannot be addressed. */
cdp_status cdp_engine_plan_division(const cdp_settings *resolved, const cdp_division_request *request,
                                    const cdp_device_facts *facts, bool is_captured, cdp_division_plan *plan);

/* How many splitters in host memory, aligned to their size, are in the order of a division before the first that is not, if any. */
size_t cdp_engine_ordered_splitters(const cdp_division_request *request, const void *splitters);

#ifdef __cplusplus
}
#endif

#endif
