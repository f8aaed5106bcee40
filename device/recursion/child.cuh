/* SPDX-License-Identifier: MIT */
/*
 * Launches from the device: every one goes through here, has its error read, and is counted. kernels.cuh has the kernels.
 */
#ifndef CDPSORT_DEVICE_RECURSION_CHILD_CUH
#define CDPSORT_DEVICE_RECURSION_CHILD_CUH

#include "recursion/account.cuh"
#include "recursion/kernels.cuh"
#include "recursion/split.cuh"
#include "recursion/trace.cuh"

#include <cstddef>

namespace cdp::CDP_RUNTIME {

/* start_grid() looks for a BlockStorage there, whichever storage a kernel has. */
static_assert(offsetof(MultiwayStorage<uint32_t>, block) == 0 && offsetof(MultiwayStorage<uint64_t>, block) == 0,
              "it comes first");

/* A grid to launch: where, what for, and on which range. */
struct Child {
  ChildStream where;
  GridShape shape;
  cdp_trace_kind kind;
  Range range; /* a copy: a task's own may be its child's before the launching thread goes on */
};

/* Launches a grid, and nothing else: who has launched it counts its blocks in, and notes the launch (note_launch()). Returns the
   launch's error. For one thread, of a block whose shared memory begins with a BlockStorage. */
template <typename Bits>
__device__ inline int start_grid(const Sort<Bits> &sort, const Child &child, const Work<Bits> &work) {
  const uint32_t event = is_traced(sort) ? open_event(event_list(sort), child.where, child.kind, child.range,
                                                      child.shape.blocks, block_shared<BlockStorage>().event)
                                         : NO_EVENT;
  const int error = launch_work(child.where, child.shape, sort, event, work);
  if (error != LAUNCH_OK && is_traced(sort))
    refuse_event(event_list(sort), event, error);
  return error;
}

/* Counts a launch, or notes that it failed, and hands on its error. For one thread. */
template <typename Bits>
__device__ inline int note_launch(const Sort<Bits> &sort, uint32_t depth, int error) {
  if (error == LAUNCH_OK)
    count_at(sort.rules.counters, depth, &cdp_study_depth::children_launched, 1);
  else
    note_refusal(sort, depth, error);
  return error;
}

/* All of it: counts the grid's blocks in before they can end, launches it, and notes the launch. Returns the launch's error. */
template <typename Bits>
__device__ inline int launch_grid(const Sort<Bits> &sort, const Child &child, const Work<Bits> &work) {
  expect_blocks(sort, child.shape.blocks);
  const int error = start_grid(sort, child, work);
  if (error != LAUNCH_OK)
    forget_blocks(sort, child.shape.blocks);
  return note_launch(sort, child.range.depth, error);
}

/* The grid of a kernel that writes keys all over the array. */
template <typename Bits>
__device__ inline GridShape filling_grid(const Sort<Bits> &sort) {
  return {sort.max_blocks, Shape<Bits>::BLOCK_THREADS, 0};
}

/* Starts tasks by launching grids from the device: what split.cuh asks of a Starter. */
template <typename Bits>
struct DeviceStarter {
  static __device__ bool enter(const Sort<Bits> &sort) {
    return enter_batch(sort);
  }

  static __device__ int start(const Sort<Bits> &sort, uint32_t slot, const Task &task) {
    const ChildStream where = sort.child_stream;
    if (sort.fan_out != CDP_FAN_OUT_CLASSIC)
      return launch_grid(sort, {where, multiway_grid(sort, 1), CDP_TRACE_PREPARE, task.range},
                         work_for<Bits>(Step::prepare, slot));
    if (sort.scheme == CDP_SCHEME_CONTROLLER)
      return launch_grid(sort, {where, sorting_grid<Bits>(1), CDP_TRACE_CONTROLLER, task.range},
                         work_for<Bits>(Step::controller, slot));
    return launch_grid(sort, {where, sorting_grid<Bits>(task.block_count), CDP_TRACE_PARTITION, task.range},
                       work_for<Bits>(Step::partition, slot));
  }

  static __device__ int network(const Sort<Bits> &sort, uint32_t slot, const Range &range) {
    const NetworkStep step = first_network_step<Bits>();
    const uint32_t blocks = network_blocks<Bits>(step, range.items(), sort.max_blocks);
    return launch_grid(sort, {sort.child_stream, sorting_grid<Bits>(blocks), CDP_TRACE_NETWORK, range},
                       Work<Bits>{Step::network, slot, 0, range, step, 0});
  }

  /* True if a grid will write the equal keys of a task, which lie in `range` at the task's depth. */
  static __device__ bool fill(const Sort<Bits> &sort, const Range &range, Bits key) {
    return launch_grid(sort, {sort.child_stream, filling_grid(sort), CDP_TRACE_FILL, range},
                       Work<Bits>{Step::fill, 0, 0, range, {}, key}) == LAUNCH_OK;
  }

  /* True if a grid will sort `count` listed ranges from place `first` on, which lie in the range `all`. */
  static __device__ bool sort_ranges(const Sort<Bits> &sort, uint32_t first, uint32_t count, const Range &all) {
    return launch_grid(sort, {sort.child_stream, multiway_grid(sort, count), CDP_TRACE_SORT, all},
                       work_for<Bits>(Step::sort_ranges, first)) == LAUNCH_OK;
  }

  /* True if a grid will write the equal keys of a task with many children. */
  static __device__ bool fill_buckets(const Sort<Bits> &sort, uint32_t slot, const Range &range) {
    return launch_grid(sort, {sort.child_stream, filling_grid(sort), CDP_TRACE_FILL, range},
                       Work<Bits>{Step::fill_buckets, slot, 0, range, {}, 0}) == LAUNCH_OK;
  }
};

} // namespace cdp::CDP_RUNTIME

#endif
