/* SPDX-License-Identifier: MIT */
/*
 * Launch scheme "last block" (Xuan Thang Nguyen, "Development of parallel sorting algorithms for GPU", 2021, algorithm 4.5.1:
 * CDP version 1). A phase is one grid, and the last of its blocks to finish goes on: it launches the next phase's grid, or the
 * children.
 *
 *  1. A grid is complete only when its children are, so nobody waits for anybody: the root's completion is the sort's.
 *  2. A fire-and-forget child may start while the launching grid still has blocks; here it has none but the last, which does
 *     not touch a range any more once it has launched what sorts it.
 *  3. What a child reads was written by other blocks: they fenced before they added themselves to the done-counter, and the
 *     last block fences after (is_last_block()); what the last block itself wrote, the launch makes visible.
 *  Therefore one counter and one launch a child are all the synchronisation there is.
 */
#ifndef CDPSORT_DEVICE_RECURSION_DRIVER_LAST_BLOCK_CUH
#define CDPSORT_DEVICE_RECURSION_DRIVER_LAST_BLOCK_CUH

#include "recursion/launch.cuh"

namespace cdp::CDP_RUNTIME {

struct LastBlock {
  /* Nothing has to be launched before a phase's grid. */
  template <typename Policy, typename Bits>
  static __device__ __forceinline__ bool announce(const Sort<Bits> &, uint32_t, Phase) {
    return true;
  }

  /* Whether somebody else sees to a task whose phase's grid was refused. */
  template <typename Bits>
  static __device__ __forceinline__ bool leave_refused(const Sort<Bits> &, uint32_t) {
    return false;
  }

  template <typename Bits>
  static __device__ __forceinline__ bool goes_on(const Sort<Bits> &sort, uint32_t slot, BlockStorage &storage) {
    return is_last_block(&sort.tasks[slot].done_blocks, gridDim.x, storage);
  }
};

} // namespace cdp::CDP_RUNTIME

#endif
