/* SPDX-License-Identifier: MIT */
/*
 * The driver of sorts that the host launches (Xuan Thang Nguyen, "Development of parallel sorting algorithms for GPU", 2021,
 * algorithm 4.3.1), for comparison, and for places where launches from the device are not to be had: CUDA graphs, MPS, a low
 * limit of pending launches.
 *
 *  1. The host does not know what a level will have to do, and shall not wait to hear it: in a graph it cannot.
 *  2. Tasks of one level can be worked on together, by a grid that looks up in a list whose turn it is.
 *  3. A level's tasks have disjoint ranges: with so many tiles to a block, there is a most that they can have together. A block
 *     that finds nothing to do costs some nanoseconds, and a grid of them 2 us.
 *  Therefore the host launches a fixed number of levels one behind the other, with as many blocks as each can need; a level's
 *  tasks list those of the next, and what is left behind the last one is sorted by the bitonic network.
 */
#ifndef CDPSORT_DEVICE_RECURSION_DRIVER_HOST_CUH
#define CDPSORT_DEVICE_RECURSION_DRIVER_HOST_CUH

#include "recursion/machine.cuh"

namespace cdp::CDP_RUNTIME {

struct HostDriver {
  static constexpr bool LAUNCHES = false;

  /* Launches from the host are not limited, and a level holds all its tasks. */
  template <typename Bits>
  static __device__ bool enter(const Sort<Bits> &sort) {
    atomicMax(&sort.control->max_tasks_in_batch, atomicAdd(&sort.control->tasks_in_batch, 1u) + 1);
    return true;
  }

  /* A task's level is its depth. */
  template <typename Policy, typename Bits>
  static __device__ bool start(const Sort<Bits> &sort, uint32_t slot) {
    Task &task = sort.tasks[slot];
    if (task.phase == Phase::network)
      atomicMax(&sort.control->max_network_items, static_cast<unsigned long long>(task.range.items()));
    else if (!Policy::PREPARES)
      change_phase(task, Phase::waiting, Policy::FIRST);
    if (task.range.depth != 0)
      task.block_count = level_blocks<Policy>(sort, task.range.items());
    list_task(sort, task.range.depth, slot, task.block_count);
    return true;
  }

  /* Blocks of a range below the whole array. */
  template <typename Policy, typename Bits>
  static __host__ __device__ uint32_t level_blocks(const Sort<Bits> &sort, uint64_t items) {
    const uint64_t block_items = uint64_t{Policy::tile_items(sort)} * LEVEL_TILES_PER_BLOCK;
    return static_cast<uint32_t>((items + block_items - 1) / block_items);
  }

  /* The most blocks that a level's tasks and fills can have together: of either, ranges are disjoint, and the last block of each
     may have less to do. */
  template <typename Policy, typename Bits>
  static __host__ uint32_t max_level_blocks(const Sort<Bits> &sort, uint32_t level) {
    if (level == 0)
      return Policy::blocks(sort, sort.count);
    return 2 * level_blocks<Policy>(sort, sort.count) + sort.task_capacity;
  }

  /* The host launches it in any case. */
  template <typename Policy, typename Bits>
  static __device__ bool launch_phase(const Sort<Bits> &, uint32_t, Phase) {
    return true;
  }

  /* Not for less than a task's range: the slots that plan.cpp reckons are for so many of those together. */
  template <typename Bits>
  static __device__ bool fill(const Sort<Bits> &sort, const Range &range, Bits key) {
    return range.items() > sort.block_items && list_fill<TwoWay<Bits>>(sort, range, key);
  }

  template <typename Bits>
  static __device__ bool fill_buckets(const Sort<Bits> &sort, uint32_t slot, const Range &range) {
    return list_fill<Multiway<Bits>>(sort, range, slot);
  }

  /* Listed ranges are sorted when there are no more levels. */
  template <typename Bits>
  static __device__ bool sort_ranges(const Sort<Bits> &, uint32_t, uint32_t, const Range &) {
    return true;
  }

  template <typename Bits>
  static __device__ void end_task(const Sort<Bits> &, BlockStorage &) {}

private:
  /* Leaves the writing of equal keys to the next level, as a task. False if there is no slot for it. */
  template <typename Policy, typename Bits>
  static __device__ bool list_fill(const Sort<Bits> &sort, const Range &range, uint64_t what) {
    const uint32_t slot = allocate_slot(sort.control, sort.task_capacity);
    if (slot == NO_SLOT)
      return false;
    const uint32_t blocks = level_blocks<Policy>(sort, range.items());
    sort.tasks[slot] = Task{range, what, 0, 0, Phase::fill, blocks, 0, 0};
    __threadfence();
    list_task(sort, range.depth + 1, slot, blocks);
    return true;
  }
};

} // namespace cdp::CDP_RUNTIME

#endif
