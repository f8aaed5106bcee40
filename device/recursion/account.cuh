/* SPDX-License-Identifier: MIT */
/*
 * What a sort has under way: its live tasks, the blocks that help them, and how many launches it may have pending beside those
 * of other sorts.
 *
 *  1. CUDA counts a launch against its pending-launch limit until its grid and all descendants but tails are complete
 *     (measured: with the limit at 32, 64 and 128 exactly so many tasks of one tree were launched). All sorts on a device have
 *     one limit between them.
 *  2. A task's descendants are complete only when all of its part of the tree is. A batch begins when everything before it is
 *     complete.
 *  3. A sort takes up to a quarter of the limit (plan.cpp), and so do all sorts together: what they take is counted in one
 *     place on the device, since the host does not know when a sort that it launched on a stream has ended.
 *  4. The first task of a batch is started whatever others have, so that every sort gets on. A device runs 128 grids at a time,
 *     so no more sorts than that: with a task's launches and a batch each, and the quarter, they stay below the limit.
 *  5. Sorts that have batches give back what they have taken when the next one begins: the last batch at the latest. A default
 *     sort of up to some 2^26 keys has none, since a grid at the end of it all would be waited for.
 *  Therefore every task takes its launches from the common account; the next batch gives them back or, where none will come,
 *  the last block that the sort has.
 *
 * Tasks are counted one by one, however many blocks their grids have: whoever ends one of them knows that it does. Grids that
 * nobody goes on behind (sorted ranges, equal keys) are counted by blocks. All live tasks together are one of those.
 */
#ifndef CDPSORT_DEVICE_RECURSION_ACCOUNT_CUH
#define CDPSORT_DEVICE_RECURSION_ACCOUNT_CUH

#include "recursion/task.cuh"

namespace cdp::CDP_RUNTIME {

/* Whether what the sort takes is sure to be given back. For one thread, as all functions here. */
template <typename Bits>
__device__ inline bool gives_back(const Sort<Bits> &sort) {
  return sort.counts_blocks != 0 || sort.control->deferring != 0;
}

/* Whether this batch may start one more task (or a bitonic sort, or a fill; each counts as one), and takes its launches. Both
   counters are asked at once, and set right again if one of them says no. */
template <typename Bits>
__device__ inline bool enter_batch(const Sort<Bits> &sort) {
  if (!gives_back(sort))
    return atomicAdd(&sort.control->tasks_in_batch, 1u) == 0;
  const uint32_t started = atomicAdd(&sort.control->tasks_in_batch, 1u) + 1;
  const uint32_t taken = reserve_launches(sort.task_launches);
  if (started == 1 || (started <= sort.task_budget && taken <= sort.launch_share)) {
    atomicAdd(&sort.control->launches_taken, sort.task_launches);
    atomicMax(&sort.control->max_tasks_in_batch, started);
    return true;
  }
  return_launches(sort.task_launches);
  atomicSub(&sort.control->tasks_in_batch, 1u);
  return false;
}

/* Gives back what the sort has taken, when all those launches are complete. */
template <typename Bits>
__device__ inline void give_launches_back(const Sort<Bits> &sort) {
  const unsigned int taken = atomicExch(&sort.control->launches_taken, 0u);
  if (taken != 0)
    return_launches(taken);
}

/* Counts the blocks of a grid in that is about to be launched, or out again, since it was refused: not to 0, for the launching
   block is one. */
template <typename Bits>
__device__ inline void expect_blocks(const Sort<Bits> &sort, uint32_t blocks) {
  if (sort.counts_blocks != 0)
    atomicAdd(&sort.control->live_blocks, blocks);
}

template <typename Bits>
__device__ inline void forget_blocks(const Sort<Bits> &sort, uint32_t blocks) {
  if (sort.counts_blocks != 0)
    atomicSub(&sort.control->live_blocks, blocks);
}

/* Ends a block that was counted in, or the last live task, which launches nothing from now on. */
template <typename Bits>
__device__ inline void leave_sort(const Sort<Bits> &sort) {
  if (sort.counts_blocks != 0 && atomicSub(&sort.control->live_blocks, 1u) == 1)
    give_launches_back(sort);
}

/* Counts a task in that is about to be started, or out again, since it was refused. Who starts one is live itself. */
template <typename Bits>
__device__ inline void expect_task(const Sort<Bits> &sort) {
  atomicAdd(&sort.control->live_tasks, 1u);
}

template <typename Bits>
__device__ inline void forget_task(const Sort<Bits> &sort) {
  atomicSub(&sort.control->live_tasks, 1u);
}

} // namespace cdp::CDP_RUNTIME

#endif
