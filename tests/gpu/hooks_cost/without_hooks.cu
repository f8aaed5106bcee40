/* SPDX-License-Identifier: MIT */
/* The kernels with nothing in them that counts or traces. */
#define cdp cdp_without_hooks
#define CDP_STUDY_HOOKS 0
#define LAUNCH_VARIANT launch_without_hooks
#include "variant.cuh"
