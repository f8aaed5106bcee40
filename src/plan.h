/* SPDX-License-Identifier: MIT */
/*
 * The plan of a sort: settings, a count and a device become a cdp_request with every capacity reckoned, and the bytes
 * it takes. The same arguments on the same device give the same plan, so that cdp_quicksort_workspace() and
 * cdp_quicksort_async() agree.
 */
#ifndef CDPSORT_SRC_PLAN_H
#define CDPSORT_SRC_PLAN_H

#include "engine.h"

#include <cdpsort/cdpsort.h>

/* Bytes of memory for keys and what is done with them. */
typedef struct cdp_room {
  size_t keys_bytes;      /* bytes of the keys themselves */
  size_t keys_room_bytes; /* the same, rounded up so that a workspace may follow */
  size_t workspace_bytes; /* keys_room_bytes + workspace_bytes can be allocated in one piece */
} cdp_room;

/* Reckons it for a valid type and a workspace of so many bytes (UINT64_MAX: they cannot be counted). CDP_ERROR_SIZE if it
   cannot be addressed. */
cdp_status cdp_room_reckon(uint64_t count, cdp_type type, uint64_t workspace_bytes, cdp_room *room);

typedef struct cdp_plan {
  cdp_request request; /* complete but for d_keys and d_workspace */
  cdp_room room;
} cdp_plan;

/* Plans the sort of at least 2 keys of a valid type, CDP_COUNT_MAX at most. CDP_ERROR_SIZE if they and the workspace cannot be
   addressed. */
cdp_status cdp_plan_make(const cdp_settings *settings, cdp_type type, size_t count, const cdp_device_facts *facts,
                         cdp_plan *plan);

/*
 * Whether a plan can be launched without the host's waiting for it. It cannot if it has the scheme of the host loop, which
 * cdp_plan_make() chooses for a sort that may not launch from the device, because the pending-launch limit is too low:
 * CDP_ERROR_UNSUPPORTED, with a message that says so.
 */
cdp_status cdp_plan_check_launch(const cdp_plan *plan, const cdp_device_facts *facts);

/* Caps on what a plan reckons; 0 is none. */
typedef struct cdp_plan_limits {
  uint32_t task_capacity;
  uint32_t worklist_capacity;
  uint32_t task_budget;
  uint32_t short_fan_out;     /* buckets of any array that is sorted in two launches: too few, so that not all fit a block */
  uint32_t pending_limit_min; /* in place of the device's; 0: the device's */
} cdp_plan_limits;

/*
 * For tests, which link the static library: caps the plans of this thread from now on; NULL lifts the caps. A sort must end
 * sorted with any of them.
 */
void cdp_plan_limit(const cdp_plan_limits *limits);

#endif
