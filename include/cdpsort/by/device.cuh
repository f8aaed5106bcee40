/* SPDX-License-Identifier: MIT */
/*
 * Where the kernels of a sort by comparison run: compiled by nvcc into the caller's program, by the runtime compiler (which has no
 * headers), or for the simulated device.
 */
#ifndef CDPSORT_BY_DEVICE_CUH
#define CDPSORT_BY_DEVICE_CUH

#include "cdpsort/by/job.h"

#ifdef __CUDACC__

namespace cdp::by {

constexpr bool IS_SIMULATED = false;

/* The block's dynamic shared memory. */
template <typename T>
__device__ __forceinline__ T &block_memory() {
  extern __shared__ __align__(16) unsigned char by_block_bytes[];
  return *reinterpret_cast<T *>(by_block_bytes);
}

} // namespace cdp::by

#else

#include "runtime/runtime.cuh"

namespace cdp::by {

using namespace cdp::simulated;
constexpr bool IS_SIMULATED = true;

template <typename T>
T &block_memory() {
  return block_shared<T>();
}

} // namespace cdp::by

#endif

namespace cdp::by {

constexpr uint32_t LANES = 32;
constexpr uint32_t EVERY_LANE = 0xffffffffu;

template <typename Item>
constexpr Shape SHAPE = shape_of(sizeof(Item), IS_SIMULATED);
template <>
inline constexpr Shape SHAPE<Index> = shape_of(OF_INDICES, IS_SIMULATED);

__device__ __forceinline__ uint32_t least(uint32_t left, uint32_t right) {
  return left < right ? left : right;
}

/* A parent's items, and whether they are done. */
__device__ __forceinline__ Bounds bounds_of(const Job &job, uint32_t parent) {
  if (job.parents == 1)
    return {0, job.count};
  return {job.begins[parent], job.begins[parent + 1]};
}
__device__ __forceinline__ bool is_done(const Job &job, uint32_t parent) {
  return job.parents != 1 && job.is_done[parent] != 0;
}

/* Sums over the lanes up to the calling one, which all take part. */
__device__ __forceinline__ uint32_t warp_sum_so_far(uint32_t value) {
  const uint32_t lane = threadIdx.x % LANES;
#pragma unroll
  for (uint32_t distance = 1; distance < LANES; distance *= 2) {
    const uint32_t below = __shfl_up_sync(EVERY_LANE, value, distance);
    value += lane >= distance ? below : 0;
  }
  return value;
}

} // namespace cdp::by

#endif
