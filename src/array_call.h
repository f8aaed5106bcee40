/* SPDX-License-Identifier: MIT */
/*
 * A call on arrays, from where its arguments have been read: which device, is it reached from there, what is the plan, where is the
 * workspace. What a plan is and does is the call's own, in a few functions.
 */
#ifndef CDPSORT_SRC_ARRAY_CALL_H
#define CDPSORT_SRC_ARRAY_CALL_H

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

/* All of them. No call has more than keys, sorted keys, indices or where segments begin and end, and columns with what becomes of
   them. */
#define CDP_ARRAYS_MAX (4 + 2 * CDP_COLUMNS_MAX)
typedef struct cdp_array_list {
  cdp_named_array arrays[CDP_ARRAYS_MAX];
  size_t count;
} cdp_array_list;

/* Adds one. */
void cdp_array_list_add(cdp_array_list *list, const char *name, const void *source, void *target, size_t bytes);

/* That arrays, of which one at least is written, have no byte in common. CDP_ERROR_POINTER. */
cdp_status cdp_array_list_check_overlap(const cdp_array_list *list);

/* What is done with the arrays. `context` is the call's; the functions that return a status keep its message, or fill *fault. */
typedef struct cdp_array_work {
  const char *doing;     /* for messages, "sorting" */
  const char *launching; /* "launching the sort" */
  /* Makes the plan, and tells how large a workspace it needs; 0: none, and it is told NULL. CDP_ERROR_SIZE. */
  cdp_status (*plan)(void *context, const cdp_device *device, bool is_captured, size_t *workspace_bytes);
  /* Is told where the device reaches the arrays, in the order of the list, and the workspace. */
  void (*place)(void *context, const cdp_array *arrays, void *d_workspace);
  /* Launches it on a stream. */
  cdp_status (*launch)(void *context, const cdp_engine *engine, void *stream, cdp_fault *fault);
  /* Looks at arrays of a blocking call that lie in host memory, when the device's earlier work is done. NULL: there is nothing to
     look at. CDP_ERROR_ORDER or _SIZE. */
  cdp_status (*inspect)(void *context, const cdp_array *arrays);
} cdp_array_work;

typedef struct cdp_array_call {
  const cdp_arguments *arguments;
  const cdp_array_list *list; /* NULL: the workspace's size alone is wanted. The first array decides on the device */
  const cdp_array_work *work;
  void *context;
  const char *ask; /* the call that tells the size of a workspace */
} cdp_array_call;

/* Where a call in stream order is launched. */
typedef struct cdp_stream_order {
  void *stream;
  bool allocates; /* there is no workspace of the caller's */
  void *d_workspace;
  size_t workspace_bytes;
} cdp_stream_order;

/* Does it all, blocking. */
cdp_status cdp_array_call_do(const cdp_array_call *call);

/* Launches it. */
cdp_status cdp_array_call_launch(const cdp_array_call *call, const cdp_stream_order *order);

/* Tells how large a workspace it needs. */
cdp_status cdp_array_call_ask(const cdp_array_call *call, size_t *workspace_bytes);

#endif
