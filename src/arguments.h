/* SPDX-License-Identifier: MIT */
/*
 * The checks that all calls on keys begin with: what needs no memory looked at, then the keys as a pointer.
 */
#ifndef CDPSORT_SRC_ARGUMENTS_H
#define CDPSORT_SRC_ARGUMENTS_H

#include "device.h"

#include <cdpsort/cdpsort.h>

#include <stdbool.h>

/* What the arguments ask for. */
typedef struct cdp_arguments {
  cdp_settings settings;
  cdp_device_wish wish;
  uint32_t key_bytes;
} cdp_arguments;

/* Type, options, CDPSORT_DEVICE and count of a call that sorts keys alone. CDP_ERROR_TYPE, _OPTION or _SIZE. */
cdp_status cdp_arguments_read(size_t count, cdp_type type, const cdp_options *options, cdp_arguments *arguments);

/* The same of a call for which it matters which keys are equal. */
cdp_status cdp_arguments_read_ties(size_t count, cdp_type type, const cdp_options *options, cdp_arguments *arguments);

/* The same of a call that sorts keys with what goes with them: the settings are for items of 8 bytes. */
cdp_status cdp_arguments_read_payload(size_t count, cdp_type type, const cdp_options *options, cdp_arguments *arguments);

/* That the recursion is for keys of the type, valid otherwise: `call` is about that. CDP_ERROR_TYPE. */
cdp_status cdp_arguments_check_recursion(cdp_type type, const char *call);

/* Keys of which there are some; `name` is for messages. CDP_ERROR_NULL or _ALIGNMENT. */
cdp_status cdp_arguments_check_keys(const char *name, const void *keys, uint32_t key_bytes);

/* Where a caller's question has its answer put. CDP_ERROR_NULL. */
cdp_status cdp_arguments_check_answer(const size_t *workspace_bytes);

/* A workspace of the caller's as a pointer; `ask` is the call that tells its size. CDP_ERROR_NULL or _ALIGNMENT. */
cdp_status cdp_arguments_check_workspace(const void *d_workspace, const char *ask);

/* And its size. CDP_ERROR_WORKSPACE. */
cdp_status cdp_arguments_check_workspace_size(size_t given, size_t needed, const char *ask);

/* Whether two arrays have bytes in common. */
bool cdp_arguments_overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes);

#endif
