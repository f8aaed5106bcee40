/* SPDX-License-Identifier: MIT */
/*
 * What the calls of pairs.h and buckets.h come to, by the steps of sort.c: arguments, pointers, the device, the plan, and the sort or
 * the division.
 */
#ifndef CDPSORT_SRC_PAYLOAD_H
#define CDPSORT_SRC_PAYLOAD_H

#include "payload_arguments.h"

/* The blocking form. */
cdp_status payload_do(const payload_call *call);

/* How much workspace the form in stream order needs. */
cdp_status payload_tell_workspace(const payload_call *call, size_t *workspace_bytes);

/* That form, in a workspace of the caller's and in one that is allocated. */
cdp_status payload_launch(payload_call call, void *d_workspace, size_t workspace_bytes, void *stream);
cdp_status payload_launch_allocating(payload_call call, void *stream);

#endif
