/* SPDX-License-Identifier: MIT */
/*
 * Launch scheme "controller" (Xuan Thang Nguyen, "Development of parallel sorting algorithms for GPU", 2021, algorithm 4.5.2:
 * CDP version 2), remade for CDP2. The thesis' controller launches the workers, waits for them with cudaDeviceSynchronize(),
 * and launches two controllers for the parts.
 *
 *  1. CDP2 has no cudaDeviceSynchronize() on the device.
 *  2. A grid's tail launches run, in order, when the grid and all its descendants are complete.
 *  3. A refused launch may leave workers without a continuation, but must not.
 *  Therefore the controller launches the continuation first, as its tail, and the workers after it, fire and forget: the
 *  continuation is what comes after the wait. Where the tail is refused no worker has run, and the controller's block sorts the
 *  range; where the workers are refused, the continuation does.
 */
#ifndef CDPSORT_DEVICE_RECURSION_DRIVER_TAIL_CUH
#define CDPSORT_DEVICE_RECURSION_DRIVER_TAIL_CUH

#include "recursion/launch.cuh"

namespace cdp::CDP_RUNTIME {

struct Tail {
  /* Launches what goes on behind a phase's grid, before it. For one thread. */
  template <typename Policy, typename Bits>
  static __device__ __forceinline__ bool announce(const Sort<Bits> &sort, uint32_t slot, Phase phase) {
    return launch_grid(
        sort, {Policy::KERNEL, ChildStream::tail, Policy::grid(sort, 1), CDP_TRACE_CONTINUATION, sort.tasks[slot].range},
        work_for<Bits>(Step::continuation, slot, static_cast<uint32_t>(phase)));
  }

  /* Leaves a task whose workers were refused to the continuation. For one thread. */
  template <typename Bits>
  static __device__ __forceinline__ bool leave_refused(const Sort<Bits> &sort, uint32_t slot) {
    sort.tasks[slot].workers_refused = 1;
    __threadfence();
    return true;
  }

  template <typename Bits>
  static __device__ __forceinline__ bool goes_on(const Sort<Bits> &, uint32_t, BlockStorage &) {
    return false;
  }
};

} // namespace cdp::CDP_RUNTIME

#endif
