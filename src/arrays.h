/* SPDX-License-Identifier: MIT */
/*
 * What calls on several arrays have in common behind their checks: the copies of a blocking call, and the last checks and the memory
 * of one in stream order.
 */
#ifndef CDPSORT_SRC_ARRAYS_H
#define CDPSORT_SRC_ARRAYS_H

#include "arguments.h"
#include "memory.h"

#include <cdpsort/pairs.h>

/* An array of a call's, with its name for messages. */
#define CDP_ARRAY_NAME_BYTES 40
typedef struct cdp_named_array {
  char name[CDP_ARRAY_NAME_BYTES];
  const void *source; /* these as in cdp_array (memory.h) */
  void *target;
  size_t bytes;
} cdp_named_array;

/* All of them: at most keys, sorted or top keys, indices, and each column twice. */
#define CDP_ARRAYS_MAX (3 + 2 * CDP_COLUMNS_MAX)
typedef struct cdp_array_list {
  cdp_named_array arrays[CDP_ARRAYS_MAX];
  size_t count;
} cdp_array_list;

void cdp_arrays_add(cdp_array_list *list, const char *name, const void *source, void *target, size_t bytes);

/* That no array that is written has bytes in common with another. CDP_ERROR_POINTER. */
cdp_status cdp_arrays_check_overlaps(const cdp_array_list *list);

/* Does a job, which has no arrays yet, on those of a list, and returns when it is done. Errors as cdp_memory_do(); CDP_ERROR_POINTER for
   an array that the device cannot have. */
cdp_status cdp_arrays_do(const cdp_device *device, const cdp_array_list *list, const cdp_memory_job *job);

/* What a call in stream order is given, besides its arrays. */
typedef struct cdp_stream_call {
  const char *ask; /* the call that tells the size of a workspace */
  void *stream;
  bool allocates; /* there is no workspace of the caller's */
  void *d_workspace;
  size_t workspace_bytes;
} cdp_stream_call;

/* That a device works on all arrays, in this stream, without a copy. CDP_ERROR_POINTER. */
cdp_status cdp_arrays_check_usable(const cdp_stream_call *call, const cdp_device *device, const cdp_array_list *list);

/* Launches work on a stream, in such a workspace. Fills *fault unless it returns CDP_OK. */
typedef cdp_status cdp_arrays_launch(const cdp_engine *engine, void *d_workspace, void *stream, void *context,
                                     cdp_fault *fault);

/* Launches it in the caller's workspace, or in one that is given back whatever becomes of the launch. CDP_ERROR_WORKSPACE for one that
   is too small, or overlaps an array; `doing` is for messages: "launching the sort". */
cdp_status cdp_arrays_launch_on_stream(const cdp_stream_call *call, const cdp_allocator *allocator, const cdp_device *device,
                                       const cdp_array_list *list, size_t needed, const char *doing, cdp_arrays_launch *launch,
                                       void *context);

#endif
