/* SPDX-License-Identifier: MIT */
/*
 * The account of launches that sorts on a device share (recursion/account.cuh): one in a device's memory, for all kernels.
 */
#include <cuda_runtime.h>

namespace cdp {

extern __device__ unsigned int cdp_launches_taken;
__device__ unsigned int cdp_launches_taken = 0;

} // namespace cdp
