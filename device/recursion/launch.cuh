/* SPDX-License-Identifier: MIT */
/*
 * Launches from the device: every one goes through here, has its error read, and is counted and traced. kernels.cuh has the
 * kernels.
 */
#ifndef CDPSORT_DEVICE_RECURSION_LAUNCH_CUH
#define CDPSORT_DEVICE_RECURSION_LAUNCH_CUH

#include "recursion/account.cuh"
#include "recursion/kernels.cuh"
#include "recursion/trace.cuh"

#include <cstddef>

namespace cdp::CDP_RUNTIME {

/* start_grid() looks for a BlockStorage there, whichever storage a kernel has. */
static_assert(offsetof(MultiwayStorage<uint32_t>, block) == 0 && offsetof(MultiwayStorage<uint64_t>, block) == 0,
              "it is first");

/* A grid to launch: of which kernel, where, what for, and on which range. */
struct Child {
  Kernel kernel;
  ChildStream where;
  GridShape shape;
  cdp_trace_kind kind;
  Range range; /* a copy: a task's own may be its child's before the launching thread goes on */
};

/* Launches a grid, and nothing else: who calls it notes the launch (note_launch()). Returns the launch's error. For one thread,
   of a block whose shared memory begins with a BlockStorage. */
template <typename Bits>
__device__ inline int start_grid(const Sort<Bits> &sort, const Child &child, const Work<Bits> &work) {
  const uint32_t event = is_traced(sort) ? open_event(event_list(sort), child.where, child.kind, child.range,
                                                      child.shape.blocks, block_shared<BlockStorage>().event)
                                         : NO_EVENT;
  const int error = launch_work(child.kernel, child.where, child.shape, sort, event, work);
  if (error != LAUNCH_OK && is_traced(sort))
    refuse_event(event_list(sort), event, error);
  return error;
}

/* Counts a launch by depth; or that it failed, and keeps the first one's code. Returns whether it succeeded. For one thread. */
template <typename Bits>
__device__ inline bool note_launch(const Sort<Bits> &sort, uint32_t depth, int error) {
  count_at(sort.rules.counters, depth,
           error == LAUNCH_OK ? &cdp_study_depth::children_launched : &cdp_study_depth::launches_refused, 1);
  if (error != LAUNCH_OK)
    atomicCAS(&sort.control->first_fault, 0, error);
  return error == LAUNCH_OK;
}

/* Launches a grid of a task's. False if it is refused. For one thread. */
template <typename Bits>
__device__ inline bool launch_grid(const Sort<Bits> &sort, const Child &child, const Work<Bits> &work) {
  return note_launch(sort, child.range.depth, start_grid(sort, child, work));
}

/* Launches a grid whose blocks leave the sort by themselves: they are counted in before they can. Likewise. */
template <typename Bits>
__device__ inline bool launch_helpers(const Sort<Bits> &sort, const Child &child, const Work<Bits> &work) {
  expect_blocks(sort, child.shape.blocks);
  const bool is_launched = launch_grid(sort, child, work);
  if (!is_launched)
    forget_blocks(sort, child.shape.blocks);
  return is_launched;
}

/* The grid of a kernel that writes keys all over the array. */
template <typename Bits>
__device__ inline GridShape filling_grid(const Sort<Bits> &sort) {
  return {sort.max_blocks, Shape<Bits>::BLOCK_THREADS, 0};
}

} // namespace cdp::CDP_RUNTIME

#endif
