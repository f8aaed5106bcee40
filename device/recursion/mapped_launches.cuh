/* SPDX-License-Identifier: MIT */
/*
 * A mapped array's grids, launched by one another.
 *
 *  1. From the last block's launch to the next grid's first block take 20 to 25 us, and a stage as long as that.
 *  2. A tail can be launched long before it can run, and begins 7 us after the grid before it is complete.
 *  3. Which grid comes next is known when a grid begins; what it will have to do, the last block of this one writes down.
 *  4. The launching call takes some 25 us, in which its block would keep the others waiting.
 *  Therefore block 0 launches the next grid as its tail at once, and does nothing else; and where that was refused, the last
 *  block tries again in the usual way, or sorts.
 */
#ifndef CDPSORT_DEVICE_RECURSION_MAPPED_LAUNCHES_CUH
#define CDPSORT_DEVICE_RECURSION_MAPPED_LAUNCHES_CUH

#include "recursion/mapped_array.cuh"
#include "recursion/presorted_array.cuh"
#include "recursion/sort_buckets.cuh"

namespace cdp::CDP_RUNTIME {

/* Launches the grid behind a stage. False if it is refused. For one thread. */
template <typename Bits>
__device__ inline bool launch_behind_stage(const Sort<Bits> &sort, MapStage stage, ChildStream where) {
  const bool is_last =
      stage == MapStage::scatter_again || (stage == MapStage::scatter && sort.map_table.facts->coarse_shift == 0);
  if (!is_last)
    return launch_grid(sort, {Kernel::fat, where, map_grid(sort, map_blocks(sort)), CDP_TRACE_MAP, whole_range(sort)},
                       work_for<Bits>(Step::map));
  const uint32_t blocks = bucket_blocks(sort, sort.map_table.facts->lines.buckets);
  return launch_helpers(sort,
                        {Kernel::leaf, where, map_grid(sort, blocks), CDP_TRACE_SORT, bucketed_range(sort, 0, sort.count)},
                        work_for<Bits>(Step::sort_buckets));
}

struct MapDevice {
  static constexpr bool LAUNCHES = true;

  template <typename Bits>
  static __device__ void launch_behind(const Sort<Bits> &sort, MapStage stage, bool is_root) {
    if (threadIdx.x != 0)
      return;
    if (!launch_behind_stage(sort, stage, ChildStream::tail))
      sort.map_table.facts->refused = 1;
    // Tails run in the order in which they were launched.
    if (is_root && sort.may_defer != 0)
      launch_batch(sort);
  }

  template <typename Bits>
  static __device__ void start_splitters(const Sort<Bits> &sort, MultiwayStorage<Bits> &storage) {
    Multiway<Bits>::prepare(sort, 0, storage);
    enter_phase<Multiway<Bits>, DeviceDriver>(sort, 0, Phase::waiting, Phase::count, storage);
  }

  template <typename Bits>
  static __device__ void end_in_order(const Sort<Bits> &sort, Direction direction, BlockStorage &storage) {
    launch_or_sort(sort, whole_range(sort), storage, [&sort, direction] { return launch_reverse<Bits>(sort, direction); });
    DeviceDriver::end_task(sort, storage);
  }

  template <typename Bits>
  static __device__ Disposition start_task(const Sort<Bits> &sort, const Range &range) {
    return add_task<Multiway<Bits>, DeviceDriver>(sort, range, NO_SLOT, Bits{0});
  }

  template <typename Bits>
  static __device__ void end_stage(const Sort<Bits> &sort, MapStage stage, MapStage next, bool is_bucketed,
                                   MappedStorage<Bits> &storage) {
    bool is_ended = is_bucketed;
    if (sort.map_table.facts->refused != 0 && (is_bucketed || next != MapStage::none) && !launch_late(sort, stage, storage)) {
      sort_here(sort, next, storage.block);
      is_ended = true;
    }
    if (is_ended)
      DeviceDriver::end_task(sort, storage.block);
  }

private:
  /* Launches what comes behind a stage, whose tail was refused. False if this is refused, too. All threads take part. */
  template <typename Bits>
  static __device__ bool launch_late(const Sort<Bits> &sort, MapStage stage, MappedStorage<Bits> &storage) {
    __syncthreads(); // all have seen that it was refused
    if (threadIdx.x == 0) {
      sort.map_table.facts->refused = 0;
      __threadfence();
      storage.block.flag = launch_behind_stage(sort, stage, sort.child_stream) ? 1 : 0;
      if (storage.block.flag == 0)
        count_at(sort.rules.counters, 0, &cdp_study_depth::fallback_refused, 1);
    }
    __syncthreads();
    const bool is_launched = storage.block.flag != 0;
    __syncthreads(); // the flag is free again
    return is_launched;
  }

  /* Sorts in this block what nobody can be launched for. All threads take part. */
  template <typename Bits>
  static __device__ void sort_here(const Sort<Bits> &sort, MapStage next, BlockStorage &storage) {
    if (next == MapStage::none)
      sort_listed_here(sort, 0, sort.map_table.facts->listed, storage);
    else if (next == MapStage::scatter_again)
      block_sort_fallback<Bits>(sort.rules, {0, sort.count, Side::scratch, 1}, storage);
    else
      block_sort_fallback<Bits>(sort.rules, whole_range(sort), storage);
  }
};

} // namespace cdp::CDP_RUNTIME

#endif
