/* SPDX-License-Identifier: MIT */
/*
 * Teams: a fat block's warps in equal groups, each with a barrier of its own. Teams have nothing to do with one another, so
 * that one is at its arithmetic while another waits for memory; as blocks of their own they would depend on how much shared
 * memory a device-launched grid finds (docs/notes/shared-memory-split.md).
 */
#ifndef CDPSORT_DEVICE_BLOCK_TEAM_CUH
#define CDPSORT_DEVICE_BLOCK_TEAM_CUH

#include "block/multiway_shape.cuh"
#include "block/scan.cuh"

namespace cdp::CDP_RUNTIME {

/* The least and the greatest key of each warp. */
template <typename Bits>
struct WarpExtremes {
  Bits least[WARP_LANES];
  Bits greatest[WARP_LANES];
};

/* Makes of the lanes' least and greatest keys the warp's, in every lane. All lanes take part. */
template <typename Bits>
__device__ __forceinline__ void warp_extremes(Bits &least, Bits &greatest) {
#pragma unroll
  for (uint32_t distance = WARP_LANES / 2; distance >= 1; distance /= 2) {
    least = min(least, __shfl_xor_sync(ALL_LANES, least, static_cast<int>(distance)));
    greatest = max(greatest, __shfl_xor_sync(ALL_LANES, greatest, static_cast<int>(distance)));
  }
}

/* One of TEAMS teams, as a thread sees its own. One team is the whole block. */
template <typename Bits, uint32_t TEAMS>
struct Team {
  static constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS / TEAMS;
  static constexpr uint32_t WARPS = THREADS / WARP_LANES;
  static_assert(THREADS % WARP_LANES == 0 && THREADS * TEAMS == MultiwayShape<Bits>::BLOCK_THREADS, "a team is whole warps");

  uint32_t number;
  uint32_t thread;

  __device__ __forceinline__ Team() : Team(threadIdx.x) {}

  /* The same team, worked out anew, so that no address that follows from a thread's number is kept until here.
   *
   * 1. Where a thread's keys fill its registers, what is kept is spilled.
   * 2. What is spilled seems to come back no sooner than loads and atomics that the thread's warp asked for before it: 9 % of a
   *    scatter's samples waited for one such address, while the next tile's keys were on their way (H200, ncu;
   *    docs/lab/2026-11-23-read-back-in-order.md).
   * Therefore a number that costs two instructions is not kept. */
  static __device__ __forceinline__ Team anew() {
    return Team(fresh(threadIdx.x));
  }

  __device__ __forceinline__ uint32_t lane() const {
    return threadIdx.x % WARP_LANES;
  }
  __device__ __forceinline__ uint32_t warp() const {
    return thread / WARP_LANES;
  }

  /* Barriers of the team; barrier 0 is the block's. */
  __device__ __forceinline__ void sync() const {
    if constexpr (TEAMS == 1)
      __syncthreads();
    else
      named_barrier(number + 1, THREADS);
  }
  __device__ __forceinline__ bool any(bool predicate) const {
    if constexpr (TEAMS == 1)
      return __syncthreads_or(predicate ? 1 : 0) != 0;
    else
      return named_barrier_or(number + 1, THREADS, predicate);
  }

  /* The sum of the values of all lower warps of the team, where every lane of a warp gives the same value. One barrier;
     warp_totals may be written again after the team's next one. */
  __device__ __forceinline__ uint32_t lower_warps_sum(uint32_t value, uint32_t (&warp_totals)[WARP_LANES]) const {
    if (lane() == 0)
      warp_totals[warp()] = value;
    sync();
    const uint32_t scanned = warp_inclusive_sum(lane() < WARPS ? warp_totals[lane()] : 0);
    return __shfl_sync(ALL_LANES, scanned, static_cast<int>(warp())) - value;
  }

  /* Makes of the least and the greatest of each thread's keys those of the team's, in every thread. One barrier; the warps'
     extremes may be written again after the team's next one. */
  __device__ __forceinline__ void find_extremes(Bits &least, Bits &greatest, WarpExtremes<Bits> &warps) const {
    warp_extremes(least, greatest);
    if (lane() == 0) {
      warps.least[warp()] = least;
      warps.greatest[warp()] = greatest;
    }
    sync();
    least = warps.least[lane() < WARPS ? lane() : 0];
    greatest = warps.greatest[lane() < WARPS ? lane() : 0];
    warp_extremes(least, greatest);
  }

private:
  explicit __device__ __forceinline__ Team(uint32_t thread_of_block)
      : number(thread_of_block / THREADS), thread(thread_of_block % THREADS) {}
};

} // namespace cdp::CDP_RUNTIME

#endif
