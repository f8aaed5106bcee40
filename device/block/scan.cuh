/* SPDX-License-Identifier: MIT */
/*
 * Sums over a warp and over the warps of a block, by shuffles (after Blelloch, and Harris and Owens): the prefix sum that turns
 * counts into places.
 */
#ifndef CDPSORT_DEVICE_BLOCK_SCAN_CUH
#define CDPSORT_DEVICE_BLOCK_SCAN_CUH

#include "block/range.cuh"

namespace cdp::CDP_RUNTIME {

constexpr uint32_t ALL_LANES = 0xFFFFFFFFu;

/* The sum of the values of this lane and of all lower lanes. All lanes of the warp take part. */
template <typename Value>
__device__ __forceinline__ Value warp_inclusive_sum(Value value) {
  const uint32_t lane = threadIdx.x % WARP_LANES;
#pragma unroll
  for (uint32_t distance = 1; distance < WARP_LANES; distance *= 2) {
    const Value below = __shfl_up_sync(ALL_LANES, value, distance);
    if (lane >= distance)
      value += below;
  }
  return value;
}

/* The sum of the values of all lanes, valid in every lane. All lanes of the warp take part. */
template <typename Value>
__device__ __forceinline__ Value warp_sum(Value value) {
#pragma unroll
  for (uint32_t distance = WARP_LANES / 2; distance >= 1; distance /= 2)
    value += __shfl_xor_sync(ALL_LANES, value, static_cast<int>(distance));
  return value;
}

/*
 * The sum of the values of all lower warps of the block, where every lane of a warp gives the same value.
 * - All threads take part; one barrier.
 * - warp_totals may be written again after the block's next barrier.
 * - total: the sum over the whole block. Both are valid in every thread.
 */
template <uint32_t BLOCK_WARPS>
__device__ __forceinline__ uint32_t lower_warps_sum(uint32_t value, uint32_t (&warp_totals)[WARP_LANES], uint32_t &total) {
  const uint32_t lane = threadIdx.x % WARP_LANES;
  const uint32_t warp = threadIdx.x / WARP_LANES;
  if (lane == 0)
    warp_totals[warp] = value;
  __syncthreads();

  // Every warp scans the totals for itself: cheaper than a second barrier.
  const uint32_t scanned = warp_inclusive_sum(lane < BLOCK_WARPS ? warp_totals[lane] : 0);
  total = __shfl_sync(ALL_LANES, scanned, BLOCK_WARPS - 1);
  return __shfl_sync(ALL_LANES, scanned, warp) - value;
}

/*
 * The sum of the values of all lower threads of the block; total: that over all threads. Valid in every thread.
 * - All threads take part; one barrier. warp_totals may be written again after the block's next barrier.
 */
template <uint32_t BLOCK_WARPS, typename Value>
__device__ __forceinline__ Value lower_threads_sum(Value value, Value (&warp_totals)[WARP_LANES], Value &total) {
  const uint32_t lane = threadIdx.x % WARP_LANES;
  const uint32_t warp = threadIdx.x / WARP_LANES;
  const Value scanned = warp_inclusive_sum(value);
  if (lane == WARP_LANES - 1)
    warp_totals[warp] = scanned;
  __syncthreads();
  const Value warps = warp_inclusive_sum(lane < BLOCK_WARPS ? warp_totals[lane] : Value{0});
  total = __shfl_sync(ALL_LANES, warps, BLOCK_WARPS - 1);
  const Value lower_warps = __shfl_sync(ALL_LANES, warps, warp > 0 ? warp - 1 : 0);
  return scanned - value + (warp > 0 ? lower_warps : Value{0});
}

} // namespace cdp::CDP_RUNTIME

#endif
