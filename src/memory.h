/* SPDX-License-Identifier: MIT */
/*
 * The memory of a blocking sort: where it comes from, what is copied, and that all of it goes again.
 */
#ifndef CDPSORT_SRC_MEMORY_H
#define CDPSORT_SRC_MEMORY_H

#include "device.h"
#include "plan.h"

/*
 * Sorts `keys` on the device by the plan, and returns when they are sorted. Keys in host memory are copied to a CUDA device
 * and, after a successful sort alone, back; all others, and those of the simulated device, are sorted where they are.
 * What is to be gathered is. The thread's current device is left as it was. CDP_ERROR_MEMORY, CDP_ERROR_CUDA or CDP_ERROR_SIMULATED.
 */
cdp_status cdp_memory_sort(const cdp_device *device, const cdp_plan *plan, void *keys, cdp_gathering *gathering);

#endif
