/* SPDX-License-Identifier: MIT */
/*
 * How many launches a sort may have pending, and what sorts at the same time leave one another.
 *
 *  1. CUDA counts a launch against its pending-launch limit until its grid and all descendants but tails are complete
 *     (measured: with the limit at 32, 64 and 128 exactly so many tasks of one tree were launched). All sorts on a device have
 *     one limit between them.
 *  2. A task's descendants are complete only when all of its part of the tree is. A wave begins when everything before it is
 *     complete.
 *  3. A sort takes up to a quarter of the limit (plan.c), and so do all sorts together: what they take is counted in one place
 *     on the device, since the host does not know when a sort that it launched on a stream has ended.
 *  4. The first task of a wave is started without asking, so that every sort gets on. A device runs 128 grids at a time, so no
 *     more sorts than that: with a task's launches and a wave each, and the quarter, they stay below the limit.
 *  Therefore every task but the first of a wave takes its launches from the common account; the next wave gives them back, or
 *  the last block that the sort has.
 */
#ifndef CDPSORT_DEVICE_RECURSION_ACCOUNT_CUH
#define CDPSORT_DEVICE_RECURSION_ACCOUNT_CUH

#include "recursion/task.cuh"

namespace cdp::CDP_RUNTIME {

/* Takes a task's launches from what all sorts on the device may have pending. False if that is too much. For one thread. */
template <typename Bits>
__device__ inline bool take_launches(const Sort<Bits> &sort) {
  if (atomicAdd(&launches_taken(), sort.task_launches) + sort.task_launches > sort.launch_share) {
    atomicSub(&launches_taken(), sort.task_launches);
    return false;
  }
  atomicAdd(&sort.control->launches_taken, sort.task_launches);
  return true;
}

/* Gives back what the sort has taken. For one thread, when all those launches are complete. */
template <typename Bits>
__device__ inline void give_launches_back(const Sort<Bits> &sort) {
  const unsigned int taken = atomicExch(&sort.control->launches_taken, 0u);
  if (taken != 0)
    atomicSub(&launches_taken(), taken);
}

/* Whether this wave may start one more task (or a bitonic sort, or a fill; each counts as one). For one thread. */
template <typename Bits>
__device__ inline bool enter_wave(const Sort<Bits> &sort) {
  const uint32_t started = atomicAdd(&sort.control->tasks_in_wave, 1u) + 1;
  if (started <= sort.task_budget && (started == 1 || take_launches(sort))) {
    atomicMax(&sort.control->tasks_in_wave_most, started);
    return true;
  }
  atomicSub(&sort.control->tasks_in_wave, 1u);
  return false;
}

/* Ends a block of a sort, which launches nothing from now on. All grids of the sort have been counted in before they were
   launched (start_grid()), so that the last block to call this is the sort's last. For one thread. */
template <typename Bits>
__device__ inline void leave_sort(const Sort<Bits> &sort) {
  if (atomicSub(&sort.control->live_blocks, 1u) == 1)
    give_launches_back(sort);
}

} // namespace cdp::CDP_RUNTIME

#endif
