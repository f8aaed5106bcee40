/* SPDX-License-Identifier: MIT */
/*
 * What a call of pairs.h is given, and the checks of it that need no device.
 */
#ifndef CDPSORT_SRC_PAYLOAD_ARGUMENTS_H
#define CDPSORT_SRC_PAYLOAD_ARGUMENTS_H

#include "arguments.h"
#include "arrays.h"

#include <cdpsort/pairs.h>

/* A call. */
typedef struct payload_call {
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
  cdp_stream_call on; /* of a call in stream order */
} payload_call;

/* Type, options, CDPSORT_DEVICE, count and sizes. CDP_ERROR_TYPE, _OPTION, _SIZE or _NULL. */
cdp_status payload_read(const payload_call *call, cdp_arguments *arguments);

/* The arrays of a call of at least one key that has been read. CDP_ERROR_NULL, _ALIGNMENT, or _POINTER where they overlap. */
cdp_status payload_list(const payload_call *call, const cdp_arguments *arguments, cdp_array_list *list);

/* Checks that other calls make, too: the size of a value in a call of `count` of them, whose bytes can be addressed; that of an index;
   and indices as a pointer. `name` is for messages. CDP_ERROR_SIZE, _NULL or _ALIGNMENT. */
cdp_status payload_check_value_bytes(const char *name, size_t value_bytes, size_t count);
cdp_status payload_check_index_bytes(size_t index_bytes);
cdp_status payload_check_column_count(size_t column_count, const void *columns);
cdp_status payload_check_indices(const void *indices, size_t index_bytes, size_t count);

/* What the engine is asked for; the columns are copied. */
cdp_payload_request payload_request_of(const payload_call *call, const cdp_settings *settings);

#endif
