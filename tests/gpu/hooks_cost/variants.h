/* SPDX-License-Identifier: MIT */
/* The two variants: each launches a sort by device launches on a stream (a cudaStream_t) and returns its cudaError_t. */
#ifndef CDPSORT_TESTS_HOOKS_COST_VARIANTS_H
#define CDPSORT_TESTS_HOOKS_COST_VARIANTS_H

#include "engine.h"

int launch_with_hooks(const cdp_plan &plan, void *stream);
int launch_without_hooks(const cdp_plan &plan, void *stream);

#endif
