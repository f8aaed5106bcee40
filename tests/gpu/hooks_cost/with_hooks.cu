/* SPDX-License-Identifier: MIT */
/* The kernels as a studied sort has them. */
#define cdp cdp_with_hooks
#define LAUNCH_VARIANT launch_with_hooks
#include "variant.cuh"
