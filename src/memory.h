/* SPDX-License-Identifier: MIT */
/*
 * The memory of a blocking call: where it comes from, what is copied, and that all of it goes again.
 */
#ifndef CDPSORT_SRC_MEMORY_H
#define CDPSORT_SRC_MEMORY_H

#include "device.h"

#include <stdbool.h>

/* Bytes of memory for keys and what is done with them. */
typedef struct cdp_room {
  size_t keys_bytes;
  size_t workspace_bytes; /* both can be allocated in one piece, the keys rounded up */
} cdp_room;

/* Reckons it for a valid type and a workspace of so many bytes (UINT64_MAX: they cannot be counted). CDP_ERROR_SIZE if it
   cannot be addressed. */
cdp_status cdp_room_reckon(uint64_t count, cdp_type type, uint64_t workspace_bytes, cdp_room *room);

/*
 * A workspace for a sort in stream order, from the caller's allocator or, if there is none, from the engine; the device is current.
 * What has been given back may be used by what the stream is given from then on. Its parts rely on CDP_WORKSPACE_ALIGNMENT.
 */
cdp_status cdp_memory_take(const cdp_device *device, const cdp_allocator *allocator, size_t bytes, void *stream, void **memory);
cdp_status cdp_memory_give_back(const cdp_device *device, const cdp_allocator *allocator, size_t bytes, void *stream,
                                void *memory);

/* An array that a job works on. */
typedef struct cdp_array {
  const void *source; /* the caller's memory, if it is read, or NULL */
  void *target;       /* the same, if it is written, or NULL */
  size_t bytes;
  bool is_copied;         /* it is memory that the device does not reach */
  bool is_in_host_memory; /* the host may read it when the device's earlier work is done */
  const void *d_source;   /* where the device does: cdp_memory_do() fills them in */
  void *d_target;
} cdp_array;

/* Looks at arrays in host memory. Keeps a message unless it returns CDP_OK. */
typedef cdp_status cdp_memory_inspect(void *context, const cdp_array *arrays);

/* Gives the stream what is done with arrays where the device reaches them. Fills *fault unless it returns CDP_OK. */
typedef cdp_status cdp_memory_work(const cdp_engine *engine, const cdp_array *arrays, void *d_workspace, void *stream,
                                   void *context, cdp_fault *fault);

typedef struct cdp_memory_job {
  cdp_array *arrays;
  size_t array_count;
  size_t workspace_bytes;
  cdp_allocator allocator;
  const char *doing;           /* "sorting" */
  cdp_memory_inspect *inspect; /* NULL: there is nothing to look at */
  cdp_memory_work *work;
  void *context; /* what both are given */
} cdp_memory_job;

/*
 * Waits for the device's earlier work, does a job there, and returns when it is done. Arrays that are copied go to a CUDA device, if they are read, and after
 * success alone back, if they are written; all others are worked on where they are. The thread's current device is left as it was.
 * CDP_ERROR_SIZE if all of it together cannot be addressed; CDP_ERROR_MEMORY, CDP_ERROR_CUDA or CDP_ERROR_SIMULATED;
 * CDP_ERROR_ALIGNMENT or CDP_ERROR_POINTER for what an allocator has returned.
 */
cdp_status cdp_memory_do(const cdp_device *device, const cdp_memory_job *job);

/* The keys of a call as the array of a job, read and written. */
cdp_array cdp_memory_keys(const cdp_device *device, void *keys, size_t bytes);

/* The job of sorting by a plan, which has no memory yet, and of gathering what is asked for, if `gathering` is not NULL. */
cdp_status cdp_memory_sort(const cdp_device *device, const cdp_plan *plan, const cdp_room *room, const cdp_allocator *allocator,
                           void *keys, cdp_gathering *gathering);

#endif
