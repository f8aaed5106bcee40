/* SPDX-License-Identifier: MIT */
/*
 * What a call of select.h is given, and the checks of it that need no device.
 */
#ifndef CDPSORT_SRC_SELECT_ARGUMENTS_H
#define CDPSORT_SRC_SELECT_ARGUMENTS_H

#include "array_call.h"

#include <cdpsort/select.h>

/* A call. */
typedef struct select_call {
  cdp_select_kind kind;
  const void *keys;
  void *keys_in_place; /* the same, if they are partitioned */
  size_t count;
  cdp_type type;
  const cdp_options *options;
  const char *wanted_name; /* quantiles: none of these */
  size_t wanted;           /* a rank, or a number of keys */
  bool wants_rank;
  size_t rank;  /* of the last key that is wanted; this and is_idle cdp_select_read() fills in */
  bool is_idle; /* there is nothing to do, and no pointer to be looked at */
  bool is_sorted;
  void *top_keys;
  const cdp_top *given; /* as the caller gave it, or NULL */
  cdp_top top;          /* a copy; cdp_select_read() makes it */
  const uint64_t *ranks;
  size_t rank_count;
  void *found;
  bool is_question; /* for the size of a workspace: there are no ranks */
  const char *ask;  /* the call that tells it */
} select_call;

/* Type, options, CDPSORT_DEVICE, count, sizes, ranks. CDP_ERROR_TYPE, _OPTION, _SIZE or _NULL. */
cdp_status cdp_select_read(select_call *call, cdp_arguments *arguments);

/* The arrays of a call that has been read. CDP_ERROR_NULL, _ALIGNMENT, or _POINTER where they overlap. */
cdp_status cdp_select_list(const select_call *call, const cdp_arguments *arguments, cdp_array_list *list);

/* What the engine is asked for; the columns and ranks are copied. */
cdp_select_request cdp_select_request_of(const select_call *call, const cdp_settings *settings);

#endif
