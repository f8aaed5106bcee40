/* SPDX-License-Identifier: MIT */
/*
 * The driver of sorts that launch themselves: what the schemes "last block" and "controller" have in common. Which of the two
 * it is, is data, since both share their kernels (kernels.cuh).
 */
#ifndef CDPSORT_DEVICE_RECURSION_DRIVER_DEVICE_CUH
#define CDPSORT_DEVICE_RECURSION_DRIVER_DEVICE_CUH

#include "recursion/driver_last_block.cuh"
#include "recursion/driver_tail.cuh"
#include "recursion/machine.cuh"

namespace cdp::CDP_RUNTIME {

template <typename Bits>
__device__ __forceinline__ bool has_controllers(const Sort<Bits> &sort) {
  return sort.scheme == CDP_SCHEME_CONTROLLER;
}

struct DeviceDriver {
  static constexpr bool LAUNCHES = true;

  template <typename Bits>
  static __device__ bool enter(const Sort<Bits> &sort) {
    return enter_batch(sort);
  }

  /* A task that a block has to prepare, or that has a controller, begins with a grid of one block. */
  template <typename Policy, typename Bits>
  static __device__ bool start(const Sort<Bits> &sort, uint32_t slot) {
    Task &task = sort.tasks[slot];
    expect_task(sort);
    bool is_launched;
    if (task.phase == Phase::network) {
      is_launched = launch_network_step(sort, sort.child_stream, slot, task.range, first_network_step<Bits>());
    } else if (Policy::PREPARES || has_controllers(sort)) {
      is_launched = launch_grid(
          sort, {Policy::KERNEL, sort.child_stream, Policy::grid(sort, 1), Policy::kind_of(Phase::waiting), task.range},
          work_for<Bits>(Step::begin, slot));
    } else {
      change_phase(task, Phase::waiting, Policy::FIRST);
      is_launched = launch_phase<Policy>(sort, slot, Policy::FIRST);
    }
    if (!is_launched)
      forget_task(sort);
    return is_launched;
  }

  template <typename Policy, typename Bits>
  static __device__ bool launch_phase(const Sort<Bits> &sort, uint32_t slot, Phase phase) {
    const Task &task = sort.tasks[slot];
    const bool tail = has_controllers(sort);
    if (tail ? !Tail::announce<Policy>(sort, slot, phase) : !LastBlock::announce<Policy>(sort, slot, phase))
      return false;
    if (launch_grid(
            sort, {Policy::KERNEL, sort.child_stream, Policy::grid(sort, task.block_count), Policy::kind_of(phase), task.range},
            work_for<Bits>(Step::phase, slot, static_cast<uint32_t>(phase))))
      return true;
    return tail ? Tail::leave_refused(sort, slot) : LastBlock::leave_refused(sort, slot);
  }

  template <typename Bits>
  static __device__ bool goes_on(const Sort<Bits> &sort, uint32_t slot, BlockStorage &storage) {
    return has_controllers(sort) ? Tail::goes_on(sort, slot, storage) : LastBlock::goes_on(sort, slot, storage);
  }

  /* One step of a device-wide bitonic sort of the task's range. */
  template <typename Bits>
  static __device__ bool launch_network_step(const Sort<Bits> &sort, ChildStream where, uint32_t slot, const Range &range,
                                             NetworkStep step) {
    const uint32_t blocks = network_blocks<Bits>(step, range.items(), sort.max_blocks);
    return launch_grid(sort, {Kernel::thin, where, thin_grid<Bits>(blocks), CDP_TRACE_NETWORK, range},
                       Work<Bits>{Step::network, slot, 0, range, step, 0});
  }

  /* True if a grid will write a key all over a range. */
  template <typename Bits>
  static __device__ bool fill(const Sort<Bits> &sort, const Range &range, Bits key) {
    return launch_helpers(sort, {Kernel::thin, sort.child_stream, filling_grid(sort), CDP_TRACE_FILL, range},
                          Work<Bits>{Step::fill, 0, 0, range, {}, key});
  }

  /* True if a grid will write the equal keys of a multiway task, whose range it is. */
  template <typename Bits>
  static __device__ bool fill_buckets(const Sort<Bits> &sort, uint32_t slot, const Range &range) {
    return launch_helpers(sort, {Kernel::thin, sort.child_stream, filling_grid(sort), CDP_TRACE_FILL, range},
                          Work<Bits>{Step::fill_buckets, slot, 0, range, {}, 0});
  }

  /* True if a grid will sort `count` listed ranges from place `first` on, which lie in the range `all`. */
  template <typename Bits>
  static __device__ bool sort_ranges(const Sort<Bits> &sort, uint32_t first, uint32_t count, const Range &all) {
    return launch_helpers(sort, {Kernel::leaf, sort.child_stream, fat_grid(sort, count), CDP_TRACE_SORT, all},
                          work_for<Bits>(Step::sort_ranges, first));
  }

  /*
   * Ends a task, or a root or a batch, which count as one.
   *
   * 1. Two-way tasks list ranges one by one, too few for a grid.
   * 2. When no task lives, nobody adds to the list. Only the last one to end knows: what it reads of the others' was written
   *    before they counted themselves out.
   * 3. A tail behind the tree would know, too, some 40 us later, and only when the slowest grid is complete.
   * 4. The next batch begins when all that was launched in this one is complete.
   * Therefore whoever counts the last live task down has the list sorted; in the last batch, lest the others be waited for.
   */
  template <typename Bits>
  static __device__ __noinline__ void end_task(const Sort<Bits> &sort, BlockStorage &storage) {
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      const unsigned int live = atomicSub(&sort.control->live_tasks, 1u);
      expect(live != 0); // none ends twice
      storage.flag = live == 1;
      __threadfence();
    }
    __syncthreads();
    const bool is_last = storage.flag != 0;
    __syncthreads(); // the flag is free again
    if (!is_last)
      return;
    const uint32_t first = sort.control->worklist_sorted;
    const bool is_last_batch = sort.control->list_counts[(sort.control->turn + 1) % 3] == 0;
    const uint32_t count = sort.fan_out == CDP_FAN_OUT_CLASSIC && is_last_batch ? listed_ranges(sort) - first : 0;
    __syncthreads(); // all have read what the first thread is about to write
    if (count != 0) {
      if (threadIdx.x == 0) {
        sort.control->worklist_sorted = first + count;
        Range all = whole_range(sort);
        all.depth = sort.worklist[first].depth;
        storage.flag = sort_ranges(sort, first, count, all);
      }
      __syncthreads();
      if (storage.flag == 0)
        sort_listed_here(sort, first, count, storage);
    }
    if (threadIdx.x == 0)
      leave_sort(sort);
  }
};

} // namespace cdp::CDP_RUNTIME

#endif
