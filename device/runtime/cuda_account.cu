/* SPDX-License-Identifier: MIT */
/*
 * What the device keeps for all sorts on it: reserve_launches() of runtime.cuh. A file of its own, since the kernels are compiled
 * several times, and all must see the same.
 */
#include "runtime.cuh"

namespace cdp {

__device__ unsigned int cdp_launches_taken = 0;

} // namespace cdp
