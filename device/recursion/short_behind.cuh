/* SPDX-License-Identifier: MIT */
/*
 * What is left of a short array (short_array.cuh) when its grid is complete: buckets too long for the block that has gathered
 * them, or the whole array, if its sample has misled. The grid's blocks list it; a block behind them sees to it, and launches.
 *
 *  1. The scratch array holds other blocks' runs as long as the grid runs. Who sorts in it has to wait for that.
 *  2. The host takes 2 us longer to launch a kernel that may launch others, whether that does so or not (H200,
 *     docs/lab/2026-11-27-launched-behind.md). A short array takes 25 to 70, and hardly any leaves anything.
 *  3. The host makes a second launch while the grid of the first one runs. If a block may begin before the grid in front of it is
 *     complete, it is there when that is, and the stream is done as early as if there were no second grid.
 *  Therefore the grid launches nothing, and is followed by a block that may.
 */
#ifndef CDPSORT_DEVICE_RECURSION_SHORT_BEHIND_CUH
#define CDPSORT_DEVICE_RECURSION_SHORT_BEHIND_CUH

#include "recursion/driver_device.cuh"
#include "recursion/multiway.cuh"

namespace cdp::CDP_RUNTIME {

/* Lists a range, of any length, so that it does not count as collected (list_range()). False if there is no room. For one thread. */
template <typename Bits>
__device__ inline bool list_behind(const Sort<Bits> &sort, const Range &range) {
  const uint32_t place = atomicAdd(&sort.control->worklist_count, 1u);
  if (place >= sort.worklist_capacity)
    return false;
  sort.worklist[place] = range;
  return true;
}

/* Has a range sorted that is too long for this block: a bucket that it has gathered, or all tiles, which are ordered. All
   threads take part. `flag` is shared memory. */
template <typename Bits>
__device__ inline void sort_behind(const Sort<Bits> &sort, const Range &range, uint32_t &flag) {
  if (threadIdx.x == 0) {
    count_moved(sort.rules.counters, range.depth, 2 * range.items()); // the gathering, or the ordering
    flag = list_behind(sort, range) ? 1 : 0;
    count_at(sort.rules.counters, range.depth, &cdp_study_depth::fallback_pool, 1 - flag);
    if (flag == 0)
      count_network<Bits>(sort.rules.counters, range.depth, range.items());
  }
  __syncthreads();
  if (flag == 0)
    sort_by_network<Bits>(sort.rules, range, first_network_step<Bits>());
}

/* Whether a listed range is sorted by one block, side by side with others. A longer one becomes a task. */
template <typename Bits>
__device__ __forceinline__ bool is_sorted_by_block(const Range &range) {
  constexpr uint64_t MAX_TILES = MultiwayShape<Bits>::MAX_RANGE_ITEMS / MultiwayShape<Bits>::TILE_ITEMS;
  constexpr uint64_t TILES = SHORT_TILES_BEHIND < MAX_TILES ? SHORT_TILES_BEHIND : MAX_TILES;
  return range.items() <= TILES * MultiwayShape<Bits>::TILE_ITEMS;
}

/* Moves the ranges that blocks sort to the list's front. Returns how many they are. For one thread. */
template <typename Bits>
__device__ inline uint32_t bring_to_front(Range *list, uint32_t count) {
  uint32_t front = 0;
  for (uint32_t place = 0; place < count; place++) {
    const Range range = list[place];
    if (!is_sorted_by_block<Bits>(range))
      continue;
    list[place] = list[front];
    list[front++] = range;
  }
  return front;
}

/* Has the first `count` listed ranges sorted, a block each. All threads of the block take part. */
template <typename Bits>
__device__ inline void sort_listed_behind(const Sort<Bits> &sort, uint32_t count, BlockStorage &storage) {
  Range all = whole_range(sort);
  all.depth = 1;
  if (threadIdx.x == 0)
    storage.flag = DeviceDriver::enter(sort) && DeviceDriver::sort_ranges(sort, 0, count, all) ? 1 : 0;
  __syncthreads();
  const bool is_launched = storage.flag != 0;
  __syncthreads(); // the flag is free again
  if (!is_launched)
    sort_listed_here(sort, 0, count, storage);
}

/* Has a range sorted as a task, or sorts it in this block, all of whose threads take part. */
template <typename Bits>
__device__ inline void start_behind(const Sort<Bits> &sort, const Range &range, BlockStorage &storage) {
  if (threadIdx.x == 0)
    storage.flag = add_task<Multiway<Bits>, DeviceDriver>(sort, range, NO_SLOT, Bits{}) == Disposition::settled ? 1 : 0;
  __syncthreads();
  const bool is_settled = storage.flag != 0;
  __syncthreads(); // the flag is free again
  if (!is_settled)
    block_sort_fallback<Bits>(sort.rules, range, storage);
}

/* Sees to the `count` ranges that are listed. From here on the sort is like any other that launches: this block is its root. All
   threads take part. */
template <typename Bits>
__device__ __noinline__ void settle_listed(const Sort<Bits> &sort, const uint32_t &event, uint32_t count,
                                           BlockStorage &storage) {
  const TraceScope scope(sort, event, storage); // one event for both grids: the root
  if (threadIdx.x == 0) {
    sort.control->live_tasks = 1;
    sort.control->live_blocks = 1;
    storage.flag = bring_to_front<Bits>(sort.worklist, count);
    __threadfence();
  }
  __syncthreads();
  const uint32_t front = storage.flag;
  __syncthreads(); // the flag is free again
  if (front != 0)
    sort_listed_behind(sort, front, storage);
  for (uint32_t place = front; place < count; place++)
    start_behind(sort, sort.worklist[place], storage);
  DeviceDriver::end_task(sort, storage);
}

/* One thin block. */
template <typename Bits>
__global__ void __launch_bounds__(Shape<Bits>::BLOCK_THREADS, 1)
    behind_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event) {
  await_grid_before();
  if (is_unwanted(sort))
    return;
  const uint32_t count = listed_ranges(sort);
  __syncthreads(); // all have read it: tasks may list more
  if (count != 0)
    settle_listed(sort, event, count, block_shared<BlockStorage>());
}

} // namespace cdp::CDP_RUNTIME

#endif
