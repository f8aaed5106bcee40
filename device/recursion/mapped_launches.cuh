/* SPDX-License-Identifier: MIT */
/*
 * A mapped array's grids, launched by one another.
 *
 *  1. From the last block's launch to the next grid's first block take 17 to 25 us, and a stage as long as that.
 *  2. A tail can be launched long before it can run, and begins 7 us after the grid before it is complete.
 *  3. Which kernel comes next is known when a grid begins; what it will have to do, the last block of this one writes down.
 *  4. The launching call takes some 17 us, in which its block would keep the others waiting.
 *  Therefore block 0 launches the next grid as its tail at once, and has no share of the keys; and where that was refused, the
 *  last block tries again in the usual way, or sorts.
 */
#ifndef CDPSORT_DEVICE_RECURSION_MAPPED_LAUNCHES_CUH
#define CDPSORT_DEVICE_RECURSION_MAPPED_LAUNCHES_CUH

#include "recursion/mapped_array.cuh"
#include "recursion/presorted_array.cuh"

namespace cdp::CDP_RUNTIME {

/* Launches the grid of a stage. `stage`: none, if that is not known yet. False if it is refused. For one thread. */
template <typename Bits>
__device__ inline bool launch_stage(const Sort<Bits> &sort, MapStage stage, ChildStream where) {
  const bool sorts = stage == MapStage::sort;
  const uint32_t blocks = sorts ? bucket_blocks(sort, sort.map_table.facts->lines.buckets) : map_blocks(sort);
  const cdp_trace_kind kind = sorts ? CDP_TRACE_SORT : CDP_TRACE_MAP;
  if (sorts)
    expect_blocks(sort, blocks);
  const bool is_launched =
      launch_grid(sort, {Kernel::map, where, map_grid(sort, blocks), kind, whole_range(sort)}, work_for<Bits>(Step::map));
  if (sorts && !is_launched)
    forget_blocks(sort, blocks);
  return is_launched;
}

struct MapDevice {
  static constexpr bool LAUNCHES = true;

  template <typename Bits>
  static __device__ __forceinline__ bool launch_behind(const Sort<Bits> &sort, MapStage stage, bool is_root,
                                                       MappedStorage<Bits> &storage) {
    MapFacts<Bits> &facts = *sort.map_table.facts;
    const bool is_last_scatter = stage == MapStage::scatter_again || (stage == MapStage::scatter && facts.coarse_shift == 0);
    if (threadIdx.x == 0) {
      const bool is_launched = launch_stage(sort, is_last_scatter ? MapStage::sort : MapStage::none, ChildStream::tail);
      if (!is_launched)
        facts.turn.refused = 1;
      // Tails run in the order in which they were launched.
      if (is_root && sort.may_defer != 0)
        launch_batch(sort);
      storage.block.flag = is_launched && is_last_scatter && facts.task_count == 0 ? 1 : 0;
    }
    __syncthreads();
    const bool is_ended = storage.block.flag != 0;
    __syncthreads(); // the flag is free again
    return is_ended;
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

  /* What a stage's block 0 could not launch, the last block tries to, in the usual way. */
  template <typename Bits>
  static __device__ void end_stage(const Sort<Bits> &sort, MapStage next, MappedStorage<Bits> &storage) {
    MapFacts<Bits> &facts = *sort.map_table.facts;
    const bool was_refused = facts.turn.refused != 0;
    bool is_ended = next == MapStage::sort && (was_refused || facts.task_count != 0);
    if (was_refused && !launch_late(sort, next, storage)) {
      sort_here(sort, next, storage.block);
      is_ended = true;
    }
    if (is_ended)
      end(sort, storage);
  }

  template <typename Bits>
  static __device__ void end(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
    DeviceDriver::end_task(sort, storage.block);
  }

  template <typename Bits>
  static __device__ void leave(const Sort<Bits> &sort, MappedStorage<Bits> &) {
    if (threadIdx.x == 0)
      leave_sort(sort);
  }

private:
  /* Launches what comes behind a stage, whose tail was refused. False if this is refused, too. All threads take part. */
  template <typename Bits>
  static __device__ bool launch_late(const Sort<Bits> &sort, MapStage next, MappedStorage<Bits> &storage) {
    __syncthreads(); // all have seen that it was refused
    if (threadIdx.x == 0) {
      sort.map_table.facts->turn.refused = 0;
      __threadfence();
      storage.block.flag = launch_stage(sort, next, sort.child_stream) ? 1 : 0;
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
    if (next != MapStage::sort)
      block_sort_fallback<Bits>(sort.rules, whole_range(sort), storage); // nothing has been moved in the caller's array
    else
      for (uint32_t bucket = 0; bucket < sort.map_table.facts->lines.buckets; bucket++)
        if (bucket_range(sort, bucket).items() <= sort.block_items)
          block_sort_fallback<Bits>(sort.rules, put_back_frequent(sort, bucket), storage);
  }
};

} // namespace cdp::CDP_RUNTIME

#endif
