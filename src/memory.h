/* SPDX-License-Identifier: MIT */
/*
 * The memory of a blocking call: where it comes from, what is copied, and that all of it goes again.
 */
#ifndef CDPSORT_SRC_MEMORY_H
#define CDPSORT_SRC_MEMORY_H

#include "device.h"

/* Bytes of memory for keys and what is done with them. */
typedef struct cdp_room {
  size_t keys_bytes;      /* bytes of the keys themselves */
  size_t keys_room_bytes; /* the same, rounded up so that a workspace may follow */
  size_t workspace_bytes; /* keys_room_bytes + workspace_bytes can be allocated in one piece */
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

/* What is done with keys where the device reaches them. Fills *fault unless it returns CDP_OK. */
typedef cdp_status cdp_memory_work(const cdp_engine *engine, void *d_keys, void *d_workspace, void *context, cdp_fault *fault);

typedef struct cdp_memory_job {
  cdp_room room;
  cdp_allocator allocator;
  const char *doing; /* "sorting" */
  cdp_memory_work *work;
  void *context; /* what `work` is given */
} cdp_memory_job;

/*
 * Does a job with `keys` on the device, and returns when it is done. Keys in host memory are copied to a CUDA device and, after
 * success alone, back; all others, and those of the simulated device, are worked on where they are. The thread's current device
 * is left as it was. CDP_ERROR_MEMORY, CDP_ERROR_CUDA or CDP_ERROR_SIMULATED; CDP_ERROR_ALIGNMENT or CDP_ERROR_POINTER for what
 * an allocator has returned.
 */
cdp_status cdp_memory_do(const cdp_device *device, const cdp_memory_job *job, void *keys);

/* The job of sorting by a plan, which has no memory yet, and of gathering what is asked for. */
cdp_status cdp_memory_sort(const cdp_device *device, const cdp_plan *plan, const cdp_room *room, const cdp_allocator *allocator,
                           void *keys, cdp_gathering *gathering);

#endif
