/* SPDX-License-Identifier: MIT */
/*
 * What a call on keys and columns is given, that of pairs.h, of segments.h or their like of copy.h, and the checks of it that need no
 * device.
 */
#ifndef CDPSORT_SRC_PAYLOAD_ARGUMENTS_H
#define CDPSORT_SRC_PAYLOAD_ARGUMENTS_H

#include "array_call.h"

#include <cdpsort/copy.h>

/* A call. */
typedef struct payload_call {
  const char *ask; /* the call that tells the size of a workspace */
  const void *keys;
  void *sorted_keys; /* may be `keys`; NULL: nobody wants them */
  void *indices;     /* with index_bytes */
  size_t index_bytes;
  bool has_indices;
  cdp_payload_column columns[CDP_COLUMNS_MAX];
  size_t column_count;
  bool has_columns; /* they are not NULL; of more than CDP_COLUMNS_MAX none is read */
  bool is_pairs;    /* the one column was given as arguments by itself */
  bool is_apart;    /* of copy.h: what is sorted is written elsewhere */
  size_t count;
  cdp_type type;
  const cdp_options *options;
} payload_call;

/* The call of a sort in place, and of one that is apart. */
payload_call cdp_payload_columns_call(const char *ask, void *keys, const cdp_column *columns, size_t column_count, size_t count,
                                      cdp_type type, const cdp_options *options);
payload_call cdp_payload_columns_copy_call(const char *ask, const void *keys, void *sorted_keys, const cdp_column_copy *columns,
                                           size_t column_count, size_t count, cdp_type type, const cdp_options *options);

/* Type, options, CDPSORT_DEVICE, count and sizes. CDP_ERROR_TYPE, _OPTION, _SIZE or _NULL. */
cdp_status cdp_payload_read(const payload_call *call, cdp_arguments *arguments);

/* The columns alone: how many, and the sizes of values. CDP_ERROR_SIZE or _NULL. */
cdp_status cdp_payload_check_columns(const payload_call *call);

/* The arrays of a call of at least one key that has been read. CDP_ERROR_NULL, _ALIGNMENT, or _POINTER where they overlap. */
cdp_status cdp_payload_list(const payload_call *call, const cdp_arguments *arguments, cdp_array_list *list);

/* Tells columns where the device reaches them: the arrays begin with the first column's, as cdp_payload_list() has put them. Returns what
   is behind them. */
const cdp_array *cdp_payload_place_columns(cdp_payload_column *columns, size_t column_count, bool is_apart,
                                           const cdp_array *arrays);

/* The size of a value in a call of `count` of them, `name` for messages: the bytes of them all can be addressed. CDP_ERROR_SIZE. */
cdp_status cdp_payload_check_value_bytes(const char *name, size_t value_bytes, size_t count);

/* How many columns there are, and that there are some. CDP_ERROR_SIZE or _NULL. */
cdp_status cdp_payload_check_column_count(size_t column_count, const void *columns);

/* The size of an index, and an array of some. CDP_ERROR_SIZE; CDP_ERROR_NULL or _ALIGNMENT. */
cdp_status cdp_payload_check_index_bytes(size_t index_bytes);
cdp_status cdp_payload_check_indices(const void *indices, size_t index_bytes, size_t count);

/* What the engine is asked for; the columns are copied. */
cdp_payload_request cdp_payload_request_of(const payload_call *call, const cdp_settings *settings);

#endif
