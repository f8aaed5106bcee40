/* SPDX-License-Identifier: MIT */
/*
 * Buckets of a short array (short_array.cuh) that are too long for the block that has gathered them: sorted behind its grid,
 * since the scratch array holds other blocks' runs until that is complete. One grid sorts all that fit a block; a longer one
 * is a task.
 */
#ifndef CDPSORT_DEVICE_RECURSION_SHORT_BEHIND_CUH
#define CDPSORT_DEVICE_RECURSION_SHORT_BEHIND_CUH

#include "block/on_chip_sort.cuh"
#include "recursion/driver_device.cuh"
#include "recursion/multiway.cuh"

namespace cdp::CDP_RUNTIME {

/* The most buckets of a short array that are too long for a block to hold, and of those that there is room for. */
template <typename Bits>
__device__ __forceinline__ uint32_t max_listed_behind(const Sort<Bits> &sort) {
  const uint32_t most = static_cast<uint32_t>(sort.count / OnChipShape<Bits, OnChipBy::block>::MAX_ITEMS) + 1;
  return most < sort.worklist_capacity ? most : sort.worklist_capacity;
}

/* Launches a task for a range behind this grid, when the scratch array is free. False if that is not to be had. For one
   thread. */
template <typename Bits>
__device__ inline bool launch_task_behind(const Sort<Bits> &sort, uint32_t slot, const Range &range) {
  sort.tasks[slot] = Task{range, 0, 0, 0, Phase::waiting, multiway_blocks(sort, range.items()), 0, 0};
  __threadfence();
  expect_task(sort);
  if (launch_grid(sort, {Kernel::fat, ChildStream::tail, fat_grid(sort, 1), CDP_TRACE_PREPARE, range},
                  work_for<Bits>(Step::begin, slot)))
    return true;
  forget_task(sort);
  return false;
}

/* Takes a listed range, which several may want to. Whether it is the caller's. For one thread. */
template <typename Bits>
__device__ inline bool take_listed(const Sort<Bits> &sort, uint32_t place) {
  return atomicCAS(&sort.worklist[place].depth, 1u, 2u) == 1;
}

/* What becomes of a range that is to be sorted behind this grid. */
enum class BehindFate : uint32_t {
  settled,  /* somebody else sorts it */
  here,     /* this block does */
  all_here, /* and all that are listed, for the grid that was to sort them is refused */
};

/*
 * Lists a range, and has the grid launched that sorts all that are listed, if nobody has. For one thread.
 *
 * 1. Tails of a grid run one after the other: one for each range would have them wait for one another.
 * 2. A tail begins when the grid is complete, and the list with it. Therefore who lists the first range launches a block for
 *    each that there may be.
 * 3. Others may have listed theirs when that is refused. Who tells so comes before those who hear of it, and after those whose
 *    ranges are marked as listed: therefore the former takes what is marked, the latter their own, each by an atomic.
 */
template <typename Bits>
__device__ inline BehindFate list_behind(const Sort<Bits> &sort, const Range &range) {
  Control &control = *sort.control;
  const uint32_t place = atomicAdd(&control.worklist_count, 1u);
  if (place >= max_listed_behind(sort)) {
    count_at(sort.rules.counters, range.depth, &cdp_study_depth::fallback_pool, 1);
    return BehindFate::here;
  }
  Range unmarked = range;
  unmarked.depth = 0;
  sort.worklist[place] = unmarked;
  __threadfence();
  atomicExch(&sort.worklist[place].depth, 1u);
  __threadfence();
  const unsigned int before = atomicCAS(&control.behind, BEHIND_NONE, BEHIND_LAUNCHED);
  if (before == BEHIND_LAUNCHED)
    return BehindFate::settled;
  if (before == BEHIND_REFUSED) {
    const bool is_here = take_listed(sort, place);
    count_at(sort.rules.counters, range.depth, &cdp_study_depth::fallback_refused, is_here ? 1 : 0);
    return is_here ? BehindFate::here : BehindFate::settled;
  }
  if (enter_batch(sort) &&
      launch_helpers(sort, {Kernel::leaf, ChildStream::tail, fat_grid(sort, max_listed_behind(sort)), CDP_TRACE_SORT, range},
                     work_for<Bits>(Step::sort_ranges, 0, LISTED_BEHIND)))
    return BehindFate::settled;
  count_at(sort.rules.counters, range.depth, &cdp_study_depth::fallback_refused, 1);
  atomicExch(&control.behind, BEHIND_REFUSED);
  __threadfence();
  return BehindFate::all_here;
}

/* Launches a task for a range, or lists it, by its length. For one thread. */
template <typename Bits>
__device__ inline BehindFate launch_behind(const Sort<Bits> &sort, const Range &range) {
  constexpr uint64_t MAX_TILES = MultiwayShape<Bits>::MAX_RANGE_ITEMS / MultiwayShape<Bits>::TILE_ITEMS;
  constexpr uint64_t TILES_BEHIND = SHORT_TILES_BEHIND < MAX_TILES ? SHORT_TILES_BEHIND : MAX_TILES;
  if (range.items() <= TILES_BEHIND * MultiwayShape<Bits>::TILE_ITEMS)
    return list_behind(sort, range);
  const uint32_t slot = allocate_slot(sort.control, sort.task_capacity);
  if (slot >= sort.task_capacity) {
    count_at(sort.rules.counters, range.depth, &cdp_study_depth::fallback_pool, 1);
    return BehindFate::here;
  }
  if (enter_batch(sort) && launch_task_behind(sort, slot, range))
    return BehindFate::settled;
  count_at(sort.rules.counters, range.depth, &cdp_study_depth::fallback_refused, 1);
  return BehindFate::here;
}

/* Sorts a range in this block. All threads take part; ends with a barrier. */
template <typename Bits>
__device__ inline void sort_range_here(const Sort<Bits> &sort, const Range &range) {
  if (threadIdx.x == 0)
    count_network<Bits>(sort.rules.counters, range.depth, range.items());
  sort_by_network<Bits>(sort.rules, range, first_network_step<Bits>());
  __syncthreads();
}

/* Sorts all ranges that are listed and nobody has taken. All threads take part. `flag` is shared memory. */
template <typename Bits>
__device__ inline void sort_listed_behind(const Sort<Bits> &sort, uint32_t &flag) {
  for (uint32_t place = 0; place < max_listed_behind(sort); place++) {
    __syncthreads();
    if (threadIdx.x == 0)
      flag = take_listed(sort, place);
    __syncthreads();
    if (flag == 0)
      continue;
    Range range = sort.worklist[place];
    range.depth = 1;
    sort_range_here(sort, range);
  }
}

/* Has a range sorted that is too long for this block: a bucket that it has gathered, or all tiles, which are ordered. All
   threads take part. `flag` is shared memory. */
template <typename Bits>
__device__ inline void sort_behind(const Sort<Bits> &sort, const Range &range, uint32_t &flag) {
  if (threadIdx.x == 0) {
    count_moved(sort.rules.counters, range.depth, 2 * range.items()); // the gathering, or the ordering
    flag = static_cast<uint32_t>(launch_behind<Bits>(sort, range));
  }
  __syncthreads();
  const BehindFate fate = static_cast<BehindFate>(flag);
  if (fate == BehindFate::here)
    sort_range_here(sort, range);
  else if (fate == BehindFate::all_here)
    sort_listed_behind(sort, flag);
}

} // namespace cdp::CDP_RUNTIME

#endif
