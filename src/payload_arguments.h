/* SPDX-License-Identifier: MIT */
/*
 * What a call of pairs.h or buckets.h is given, and the checks of it that need no device.
 */
#ifndef CDPSORT_SRC_PAYLOAD_ARGUMENTS_H
#define CDPSORT_SRC_PAYLOAD_ARGUMENTS_H

#include "arguments.h"

#include <cdpsort/buckets.h>

/* A call. */
typedef struct payload_call {
  const char *ask;       /* the call that tells the size of a workspace */
  const char *doing;     /* "sorting", for messages */
  const char *launching; /* "launching the sort" */
  const void *keys;
  void *sorted_keys; /* may be `keys`; NULL: nobody wants them */
  void *indices;     /* with index_bytes */
  size_t index_bytes;
  bool has_indices;
  const cdp_column *columns;
  size_t column_count;
  bool is_pairs; /* the one column was given as two arguments */
  size_t count;
  cdp_type type;
  const cdp_options *options;
  bool divides;          /* the keys, which are sorted_keys too */
  const void *splitters; /* this and the two below: of a call that does */
  size_t splitter_count;
  uint64_t *begins;
  void *stream; /* this and the rest: of a call in stream order */
  bool allocates;
  void *d_workspace;
  size_t workspace_bytes;
} payload_call;

/* An array of a call's, with its name for messages. */
#define PAYLOAD_NAME_BYTES 40
typedef struct payload_array {
  char name[PAYLOAD_NAME_BYTES];
  const void *source; /* these as in cdp_array (memory.h) */
  void *target;
  size_t bytes;
} payload_array;

/* All of them: keys, sorted keys unless they are those, indices, columns; of a division, splitters and begins in the place of the two. */
#define PAYLOAD_ARRAYS_MAX (3 + CDP_COLUMNS_MAX)
typedef struct payload_arrays {
  payload_array arrays[PAYLOAD_ARRAYS_MAX];
  size_t count;
} payload_arrays;

/* Type, options, CDPSORT_DEVICE, count and sizes. CDP_ERROR_TYPE, _OPTION, _SIZE or _NULL. */
cdp_status payload_read(const payload_call *call, cdp_arguments *arguments);

/* The arrays of a call of at least one key, or of a division, that has been read. CDP_ERROR_NULL, _ALIGNMENT, or _POINTER where they overlap. */
cdp_status payload_list(const payload_call *call, const cdp_arguments *arguments, payload_arrays *list);

/* Of a blocking division: that splitters which lie in host memory are in order. CDP_ERROR_ORDER. */
cdp_status payload_check_order(const payload_call *call, const cdp_settings *settings);

/* Where an array begins. */
const void *payload_address(const payload_array *array);

/* What the engine is asked for; the columns are copied. */
cdp_payload_request payload_request_of(const payload_call *call, const cdp_settings *settings);

#endif
