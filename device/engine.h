/* SPDX-License-Identifier: MIT */
/*
 * The door between the host side (src/, C) and the device side (device/, CUDA C): with the headers that it includes, all of device/
 * that src/ sees.
 *
 * An engine is one runtime in which the kernels run: CUDA, or the simulated device. Both are the same kernels behind the same
 * table of functions. src/ checks arguments and resolves options, has cdp_engine_plan() make a plan of them, and gives an
 * engine the plan and memory; an engine trusts what it is given.
 */
#ifndef CDPSORT_DEVICE_ENGINE_H
#define CDPSORT_DEVICE_ENGINE_H

#include "array_plans.h"
#include "bitonic_plan.h"
#include "compare_plan.h"
#include "plan.h"
#include "ranges_plan.h"
#include "segments_plan.h"
#include "select_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What went wrong: CUDA's own code (0 where CUDA had no part in it), a sentence for the caller, and what the caller can do. */
typedef struct cdp_fault {
  int cuda_error;
  char text[256];
  const char *advice; /* NULL: what suits the status */
} cdp_fault;

typedef enum cdp_memory_kind {
  CDP_MEMORY_HOST, /* pageable, or pinned: the device is given a copy */
  CDP_MEMORY_DEVICE,
  CDP_MEMORY_MANAGED
} cdp_memory_kind;

/* Where a pointer points. `ordinal` is the device's for device memory, -1 otherwise. `context`, CUDA: that of device memory, which need not
   be the primary one of its device, if the calling thread has none; otherwise NULL. */
typedef struct cdp_memory_place {
  cdp_memory_kind kind;
  int ordinal;
  void *context;
} cdp_memory_place;

/* What was current when a device was entered. */
typedef struct cdp_previous {
  int ordinal;
  bool is_switched; /* false: the device was current already, and nothing has to be set back */
  void *context;    /* CUDA: the thread's CUcontext, if it is switched and there was one */
  bool had_none;    /* CUDA: the thread has been lent a context, and had none */
} cdp_previous;

/* What a blocking sort is to find out about itself. */
typedef struct cdp_gathering {
  double milliseconds; /* receives the time from the launch to the end on the device */
  cdp_study *study;    /* NULL: nobody wants the counts; a trace needs a study */
  cdp_trace *trace;    /* NULL: nobody wants a trace; otherwise cdp_plan::d_trace has room for it */
} cdp_gathering;

/* The functions of a runtime. Those that return a status fill *fault unless it is CDP_OK. */
typedef struct cdp_engine {
  bool simulated;

  /* Number of devices; with a fault that says why where there are none (no driver, no device, driver too old). */
  int (*device_count)(cdp_fault *fault);

  /* Makes a device current for the calling thread, by a context of cdp_memory_place unless that is NULL (*previous receives what
     was), and back: to the same context, which need not
     be the primary one of its device. An enter() that failed has set back what it had set. CDP_ERROR_UNSUPPORTED within a
     comparison that the engine calls: it runs one call a thread. */
  cdp_status (*enter)(int ordinal, void *context, cdp_previous *previous, cdp_fault *fault);
  void (*leave)(const cdp_previous *previous);

  /* The thread's current device. */
  cdp_status (*current)(int *ordinal, cdp_fault *fault);

  /* What a device is like. It must be the current one. CDP_ERROR_UNSUPPORTED if the sort cannot run on it. */
  cdp_status (*describe)(int ordinal, cdp_device_facts *facts, cdp_fault *fault);

  /* Where memory lies. Never fails for host memory, known to CUDA or not. Needs no current device. */
  cdp_status (*locate)(const void *pointer, cdp_memory_place *place, cdp_fault *fault);

  /*
   * A blocking call on the current device. begin() waits for all earlier work of the device, so that host arrays can be read, and
   * lends the call a stream of the library's own. All work of the call is given to that stream. finish() waits for it; `doing` is for
   * its fault. end() takes the stream back, when all work is finished.
   */
  cdp_status (*begin)(void **stream, cdp_fault *fault);
  cdp_status (*finish)(void *stream, const char *doing, cdp_fault *fault);
  void (*end)(void *stream);

  /*
   * Memory of the current device in a stream's order, aligned to CDP_WORKSPACE_ALIGNMENT: it is there for what the stream is given
   * from now on, until it is released. bytes > 0. `stream` is a cudaStream_t. CDP_ERROR_MEMORY if there is none. On a device without
   * memory pools the calls wait for the device if they may, and end with CDP_ERROR_UNSUPPORTED if not.
   */
  cdp_status (*allocate)(size_t bytes, void *stream, bool may_wait, void **memory, cdp_fault *fault);
  cdp_status (*release)(void *memory, void *stream, cdp_fault *fault); /* NULL is nothing to do */

  /* The most bytes that are kept of released memory, on each device, and at most a sixteenth of its memory; and giving back all that
     is kept on the current device. NULL: nothing is. */
  cdp_status (*set_memory_ceiling)(uint64_t bytes, cdp_fault *fault);
  cdp_status (*trim_memory)(cdp_fault *fault);

  /* Copies between host and current device, in either direction, in the order of the stream. */
  cdp_status (*copy)(void *destination, const void *source, size_t bytes, void *stream, cdp_fault *fault);

  /* Whether `stream` (a cudaStream_t) is being captured into a graph. */
  cdp_status (*is_captured)(void *stream, bool *captured, cdp_fault *fault);

  /* Launch what a plan says on a stream, and return. */
  cdp_status (*launch)(const cdp_plan *plan, void *stream, cdp_fault *fault);
  cdp_status (*launch_payload)(const cdp_payload_plan *plan, void *stream, cdp_fault *fault);
  cdp_status (*launch_records)(const cdp_records_plan *plan, void *stream, cdp_fault *fault);
  cdp_status (*launch_division)(const cdp_division_plan *plan, void *stream, cdp_fault *fault);
  cdp_status (*launch_select)(const cdp_select_plan *plan, void *stream, cdp_fault *fault);
  cdp_status (*launch_ranges)(const cdp_ranges_plan *plan, void *stream, cdp_fault *fault);
  cdp_status (*launch_segments)(const cdp_segments_plan *plan, void *stream, cdp_fault *fault);
  cdp_status (*launch_compare)(const cdp_compare_plan *plan, void *stream, cdp_fault *fault);
  cdp_status (*launch_bitonic)(const cdp_bitonic_plan *plan, void *stream, cdp_fault *fault);

  /* Sees to it that the device can call a comparison of the caller's. CDP_ERROR_SOURCE, _NULL, _UNSUPPORTED, _MEMORY or _CUDA;
     nothing is launched, and the device need not be the current one. */
  cdp_status (*prepare_comparison)(cdp_compare_plan *plan, int ordinal, cdp_fault *fault);

  /* Sorts on a stream of begin(), waits for the end, and fills what is to be gathered. */
  cdp_status (*sort)(const cdp_plan *plan, void *stream, cdp_gathering *gathering, cdp_fault *fault);

  /* Partitions on a stream of begin(), waits for the end, and fills *parts. */
  cdp_status (*partition)(const cdp_partition_request *request, void *stream, cdp_parts *parts, cdp_fault *fault);

  /* For tests: the pending-launch limit, process-wide for the current device. */
  cdp_status (*set_pending_limit)(uint32_t limit, cdp_fault *fault);
} cdp_engine;

/* The engine of CUDA; NULL in a build without the CUDA toolkit. */
const cdp_engine *cdp_engine_cuda(void);

/* The engine of the simulated device. Its one device has the ordinal 0. */
const cdp_engine *cdp_engine_simulated(void);

#ifdef __cplusplus
}
#endif

#endif
