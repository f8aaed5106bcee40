/* SPDX-License-Identifier: MIT */
/*
 * What the grids of the host driver do (driver_host.cuh). Each block looks up what is its own in lists that the level before
 * has left, and does no more: in a loop over several, what is the same for all of them would be kept in registers, and what is
 * left over spilled (1,000 bytes of it, and 12 % of a sort's time, on an H200).
 */
#ifndef CDPSORT_DEVICE_RECURSION_HOST_LEVELS_CUH
#define CDPSORT_DEVICE_RECURSION_HOST_LEVELS_CUH

#include "recursion/driver_host.cuh"
#include "recursion/helping_grids.cuh"
#include "recursion/multiway_children.cuh"
#include "recursion/one_block.cuh"
#include "recursion/two_way.cuh"

namespace cdp::CDP_RUNTIME {

/* The tasks of a level, and how many blocks they have together. */
struct LevelList {
  const ListedTask *tasks;
  uint32_t count;
  uint32_t blocks;
};

template <typename Bits>
__device__ __forceinline__ LevelList level_list(const Sort<Bits> &sort, uint32_t level) {
  const unsigned long long counts = sort.control->list_counts[level % 3];
  return {sort.lists[level % 2], static_cast<uint32_t>(counts >> 32), static_cast<uint32_t>(counts)};
}

/* The task that block `block` of a level works on. All lanes of a warp take part, and halve the list 5 times at once. */
__device__ __forceinline__ ListedTask find_task(const LevelList &list, uint32_t block) {
  const uint32_t lane = threadIdx.x % WARP_LANES;
  uint32_t first = 0;
  for (uint32_t count = list.count; count > 1;) {
    const uint32_t step = (count + WARP_LANES - 1) / WARP_LANES;
    const bool begins = lane * step < count && list.tasks[first + lane * step].first_block <= block;
    const uint32_t skipped = (31 - __clz(static_cast<int>(__ballot_sync(ALL_LANES, begins)))) * step;
    first += skipped;
    count = count - skipped < step ? count - skipped : step;
  }
  return list.tasks[first];
}

/* What a level's grid works on: for its event, the whole array at that depth. */
template <typename Bits>
__device__ __forceinline__ Range level_range(const Sort<Bits> &sort, uint32_t level) {
  return {0, sort.count, Side::keys, level};
}

/* Block blockIdx.x of those that a level's tasks have together does its share of a phase; the last of each task goes on. Fills
   are done in the level's first phase. */
template <typename Policy, typename Bits>
__device__ __forceinline__ void level_phase_body(const Sort<Bits> &sort, const uint32_t &event, const Work<Bits> &work) {
  auto &storage = block_shared<typename Policy::Storage>();
  const uint32_t level = work.slot;
  const Phase phase = static_cast<Phase>(work.detail);
  if (phase == Policy::FIRST && blockIdx.x == 0 && threadIdx.x == 0)
    sort.control->list_counts[(level + 2) % 3] = 0; // of the level before, and of the next but one
  const LevelList list = level_list(sort, level);
  expect(list.blocks <= gridDim.x);
  if (blockIdx.x >= list.blocks)
    return;
  const TraceScope scope(sort, event, Policy::kind_of(phase), level_range(sort, level));
  const ListedTask at = find_task(list, blockIdx.x);
  Task &task = sort.tasks[at.slot];
  const uint32_t block = blockIdx.x - at.first_block;
  const uint32_t blocks = task.block_count;
  if (task.phase == Phase::fill) {
    if (phase == Policy::FIRST)
      Policy::fill(sort, task, uint64_t{block} * blockDim.x + threadIdx.x, uint64_t{blocks} * blockDim.x);
    return;
  }
  expect(task.phase == phase);
  Policy::do_share(sort, at.slot, phase, block, blocks, storage);
  if (is_last_block(&task.done_blocks, blocks, Policy::block_of(storage)))
    go_on<Policy, HostDriver>(sort, at.slot, phase, storage);
}

/* Prepares a level's tasks, a block each. */
template <typename Bits>
__device__ __forceinline__ void level_begin_body(const Sort<Bits> &sort, const uint32_t &event, const Work<Bits> &work) {
  using Policy = Multiway<Bits>;
  const uint32_t level = work.slot;
  const LevelList list = level_list(sort, level);
  expect(list.count <= gridDim.x);
  if (blockIdx.x >= list.count)
    return;
  const TraceScope scope(sort, event, CDP_TRACE_PREPARE, level_range(sort, level));
  const uint32_t slot = list.tasks[blockIdx.x].slot;
  if (sort.tasks[slot].phase != Phase::waiting)
    return;
  auto &storage = block_shared<typename Policy::Storage>();
  Policy::prepare(sort, slot, storage);
  enter_phase<Policy, HostDriver>(sort, slot, Phase::waiting, Policy::FIRST, storage);
}

/* Looks whether the array is in order, as its sample is: then level 0 has nothing to do. */
template <typename Bits>
__device__ __forceinline__ void level_look_body(const Sort<Bits> &sort, const uint32_t &event) {
  const Direction direction = static_cast<Direction>(sort.control->direction);
  if (direction == Direction::none)
    return;
  auto &storage = block_shared<MultiwayStorage<Bits>>();
  const TraceScope scope(sort, event, CDP_TRACE_LOOK, whole_range(sort));
  unsigned int *disorder = &sort.control->disorder;
  look_at_share<Bits>(sort.rules, whole_range(sort), direction, blockIdx.x, gridDim.x, disorder);
  if (!is_last_block(&sort.tasks[0].done_blocks, gridDim.x, storage.block))
    return;
  const bool is_disordered = is_range_disordered<Bits>(sort.rules, whole_range(sort), direction, gridDim.x, disorder);
  if (threadIdx.x != 0)
    return;
  sort.tasks[0].done_blocks = 0;
  if (!is_disordered)
    sort.control->list_counts[0] = 0;
}

/* Whether the network of a range has a step. */
template <typename Bits>
__device__ __forceinline__ bool has_network_step(NetworkStep step, uint64_t items) {
  return step.size == Shape<Bits>::LEAF_ITEMS || step.size / 2 < items;
}

/*
 * Does what is left behind the last level: ranges for the bitonic network, step by step all of them together, and fills.
 *
 * 1. A step needs a barrier over all blocks, and there are some hundred steps; nearly always there is nothing to do.
 * 2. Blocks of a grid that is launched together may wait for one another.
 * Therefore it is one grid, and not one for each step.
 */
template <typename Bits>
__device__ __forceinline__ void level_network_body(const Sort<Bits> &sort, const uint32_t &event, uint32_t level) {
  const LevelList list = level_list(sort, level);
  if (list.count == 0)
    return;
  const TraceScope scope(sort, event, CDP_TRACE_NETWORK, level_range(sort, level));
  const uint32_t warps = gridDim.x * Shape<Bits>::BLOCK_WARPS;
  const uint32_t warp = static_cast<uint32_t>(thread_of_grid() / WARP_LANES);
  for (uint32_t index = 0; index < list.count; index++) {
    const Task &task = sort.tasks[list.tasks[index].slot];
    if (task.phase == Phase::fill && sort.fan_out == CDP_FAN_OUT_CLASSIC)
      TwoWay<Bits>::fill(sort, task, thread_of_grid(), threads_of_grid());
    else if (task.phase == Phase::fill)
      Multiway<Bits>::fill(sort, task, thread_of_grid(), threads_of_grid());
  }
  const uint64_t max_items = sort.control->max_network_items;
  if (max_items == 0)
    return;
  for (NetworkStep step = first_network_step<Bits>(); step.size != 0; step = next_network_step<Bits>(step, max_items)) {
    uint32_t first = warp; // in the next range, the first piece is for the warp behind the one that had the last
    for (uint32_t index = 0; index < list.count; index++) {
      const Task &task = sort.tasks[list.tasks[index].slot];
      const Range range = task.range;
      if (task.phase != Phase::network || !has_network_step<Bits>(step, range.items()))
        continue;
      do_network_pieces(sort.rules, range, step, first, warps);
      first = (first + warps - static_cast<uint32_t>(network_step_pieces<Bits>(step, range.items()) % warps)) % warps;
    }
    grid_barrier(&sort.control->network_arrivals);
  }
}

/* Sorts the ranges on the worklist, a block each. As the root of an array that one block sorts, it is the only range. */
template <typename Bits>
__device__ __forceinline__ void level_sort_body(const Sort<Bits> &sort, const uint32_t &event) {
  const bool is_root = sort.path == CDP_PATH_ONE_BLOCK;
  if (is_root)
    list_whole_array(sort);
  // A mapped array's buckets have been sorted.
  const uint32_t first = sort.map_buckets != 0 ? sort.map_table.facts->long_count : 0;
  if (first + blockIdx.x >= listed_ranges(sort))
    return;
  Range all = whole_range(sort);
  all.depth = sort.worklist[first].depth;
  const TraceScope scope(sort, event, is_root ? CDP_TRACE_ROOT : CDP_TRACE_SORT, all);
  const BlockTraceScope own_scope(sort, event);
  const Range &range = sort.worklist[first + blockIdx.x]; // where it is: no registers for it
  if (!is_root)
    own_scope.describe(range);
  block_multiway_sort(sort.rules, range, block_shared<MultiwayStorage<Bits>>());
}

} // namespace cdp::CDP_RUNTIME

#endif
