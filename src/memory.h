/* SPDX-License-Identifier: MIT */
/*
 * The memory of a blocking call: where it comes from, what is copied, and that all of it goes again.
 */
#ifndef CDPSORT_SRC_MEMORY_H
#define CDPSORT_SRC_MEMORY_H

#include "device.h"
#include "plan.h"

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

/* The job of sorting by a plan, and of gathering what is asked for. */
cdp_status cdp_memory_sort(const cdp_device *device, const cdp_plan *plan, const cdp_allocator *allocator, void *keys,
                           cdp_gathering *gathering);

#endif
