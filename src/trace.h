/* SPDX-License-Identifier: MIT */
/*
 * What can be worked out from a trace: how long its launches were pending.
 */
#ifndef CDPSORT_SRC_TRACE_H
#define CDPSORT_SRC_TRACE_H

#include <cdpsort/study.h>

#include <stdbool.h>

/* Whether an event is a stage of its launcher's grid, and no launch. */
bool cdp_trace_is_stage(const cdp_trace_event *event);

/* Whether an event is a grid that the device has launched, and not one that was refused. */
bool cdp_trace_is_device_launch(const cdp_trace_event *event);

/* A moment at which so many launches are pending from then on. */
typedef struct cdp_pending {
  uint64_t at_ns;
  int32_t change; /* 1: one more, -1: one less */
  uint32_t launches;
} cdp_pending;

/*
 * The course of the launches pending, in order of time: at most two moments for each event, which the caller frees. NULL if
 * memory is exhausted; *moments receives their number. Every event's launcher must be an earlier event, or none.
 */
cdp_pending *cdp_trace_pending(const cdp_trace *trace, size_t *moments);

#endif
