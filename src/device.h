/* SPDX-License-Identifier: MIT */
/*
 * Which device sorts: options.device, the environment variable CDPSORT_DEVICE, and the memory that holds the keys.
 *
 * | options.device, else CDPSORT_DEVICE | the device                                                                        |
 * | ----------------------------------- | --------------------------------------------------------------------------------- |
 * | automatic; "auto", "cuda"           | the CUDA device that holds the keys, else the thread's current one; never simulated |
 * | CUDA device n; "cuda:N"             | that one; keys in the memory of another are refused                               |
 * | simulated; "simulated"              | the simulated one; keys in device or managed memory are refused                   |
 */
#ifndef CDPSORT_SRC_DEVICE_H
#define CDPSORT_SRC_DEVICE_H

#include "engine.h"

#include <cdpsort/cdpsort.h>

#include <stdbool.h>

typedef enum cdp_wish_kind {
  CDP_WISH_ANY_CUDA,
  CDP_WISH_ONE_CUDA, /* `ordinal` says which */
  CDP_WISH_SIMULATED
} cdp_wish_kind;

/* What was asked for. `source` names where, for messages. */
typedef struct cdp_device_wish {
  cdp_wish_kind kind;
  int ordinal;
  const char *source;
} cdp_device_wish;

/* The device that was chosen. */
typedef struct cdp_device {
  const cdp_engine *engine;
  const cdp_engine *locator; /* knows where memory lies; NULL where no CUDA device is, and all memory is the host's */
  int ordinal;
  void *context;             /* to be entered with: cdp_memory_place */
  cdp_memory_kind keys_kind; /* where the keys lie */
  cdp_device_facts facts;
} cdp_device;

/*
 * Reads `option` (a checked cdp_options::device) and, where it is automatic, the environment, anew at every call.
 * CDP_ERROR_OPTION if CDPSORT_DEVICE holds something else than the values above. Empty is as good as not set.
 */
cdp_status cdp_device_wish_read(int32_t option, cdp_device_wish *wish);

/*
 * Chooses the device for `keys`; NULL is for no keys in particular, and counts as host memory. CDP_ERROR_NO_DEVICE,
 * CDP_ERROR_POINTER as in the table above, or CDP_ERROR_CUDA. Leaves the current device as it was and allocates nothing.
 */
cdp_status cdp_device_choose(const cdp_device_wish *wish, const void *keys, cdp_device *device);

/* Whether a chosen device can work in this memory without a copy; `name` is for messages, as is what may be done otherwise, if
   anything, or "". CDP_ERROR_POINTER if not. */
cdp_status cdp_device_check_memory(const cdp_device *device, const void *memory, const char *name, const char *otherwise);

/* The same for an array of a blocking call, which may also be host memory of a CUDA device's program: *is_copied says so. */
cdp_status cdp_device_check_array(const cdp_device *device, const void *memory, const char *name, bool *is_copied);

/* Whether a chosen device has such a stream. CDP_ERROR_POINTER if not. */
cdp_status cdp_device_check_stream(const cdp_device *device, const void *stream);

#endif
