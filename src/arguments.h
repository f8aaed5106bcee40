/* SPDX-License-Identifier: MIT */
/*
 * The checks that all calls on keys begin with: what needs no memory looked at, then the keys as a pointer.
 */
#ifndef CDPSORT_SRC_ARGUMENTS_H
#define CDPSORT_SRC_ARGUMENTS_H

#include "device.h"

#include <cdpsort/cdpsort.h>

/* What the arguments ask for. */
typedef struct cdp_arguments {
  cdp_settings settings;
  cdp_device_wish wish;
  uint32_t key_bytes;
} cdp_arguments;

/* Type, options, CDPSORT_DEVICE and count. CDP_ERROR_TYPE, _OPTION or _SIZE. */
cdp_status cdp_arguments_read(size_t count, cdp_type type, const cdp_options *options, cdp_arguments *arguments);

/* That the recursion is for keys of the type, valid otherwise: `call` is about that. CDP_ERROR_TYPE. */
cdp_status cdp_arguments_check_recursion(cdp_type type, const char *call);

/* Keys of which there are some. CDP_ERROR_NULL or _ALIGNMENT. */
cdp_status cdp_arguments_check_keys(const void *keys, uint32_t key_bytes);

#endif
