/* SPDX-License-Identifier: MIT */
/*
 * Policy TwoWay: the classic quicksort. A task has one phase, in which many blocks partition its range around a pivot
 * (block/partition.cuh); then its equal keys are written, and its two parts are settled, by a warp each:
 *
 *  1. Nothing in it: nothing to do.
 *  2. At most block_items, or a little more and as deep as fair parts come to that: it goes on the worklist, which one grid sorts
 *     when no task lives any more.
 *  3. Otherwise it becomes a task: a slot, a pivot, a launch, or a place on the list of those put off.
 */
#ifndef CDPSORT_DEVICE_RECURSION_TWO_WAY_CUH
#define CDPSORT_DEVICE_RECURSION_TWO_WAY_CUH

#include "recursion/machine.cuh"

namespace cdp::CDP_RUNTIME {

/* warp_choose_pivot() for a task, not inlined: much code for what is done once a task. */
template <typename Bits>
__device__ __noinline__ Bits choose_task_pivot(const BlockRules<Bits> &rules, Range range) {
  return warp_choose_pivot<Bits, TASK_SAMPLES_PER_LANE>(rules, range);
}

template <typename Bits>
struct TwoWay {
  using Key = Bits;
  using Storage = BlockStorage;
  static constexpr Kernel KERNEL = Kernel::thin;
  static constexpr uint32_t BLOCK_THREADS = Shape<Bits>::BLOCK_THREADS;
  static constexpr uint32_t RESIDENT_BLOCKS = Shape<Bits>::RESIDENT_BLOCKS;
  static constexpr Phase FIRST = Phase::partition;
  static constexpr bool PREPARES = false;
  static constexpr bool LISTS_SINGLY = true;

  static __device__ __forceinline__ BlockStorage &block_of(BlockStorage &storage) {
    return storage;
  }
  static __host__ __device__ __forceinline__ uint32_t tile_items(const Sort<Bits> &) {
    return Shape<Bits>::TILE_ITEMS; // the same for all CUDA devices
  }
  static __host__ __device__ __forceinline__ GridShape grid(const Sort<Bits> &, uint32_t blocks) {
    return thin_grid<Bits>(blocks);
  }
  static __host__ __device__ __forceinline__ uint32_t blocks(const Sort<Bits> &sort, uint64_t items) {
    return partition_blocks<Bits>(items, sort.max_blocks);
  }
  static constexpr __device__ cdp_trace_kind kind_of(Phase phase) {
    return phase == Phase::waiting ? CDP_TRACE_CONTROLLER : CDP_TRACE_PARTITION;
  }

  static __device__ __forceinline__ void prepare(const Sort<Bits> &, uint32_t, BlockStorage &) {}

  static __device__ __forceinline__ void do_share(const Sort<Bits> &sort, uint32_t slot, Phase, uint32_t block, uint32_t blocks,
                                                  BlockStorage &storage) {
    Task &task = sort.tasks[slot];
    const Range range = task.range;
    partition_tiles<Bits>(sort.rules, range, static_cast<Bits>(task.pivot), PartCounters{&task.less_items, &task.greater_items},
                          block, blocks, storage);
  }

  static __device__ __forceinline__ Phase end_phase(const Sort<Bits> &, uint32_t, Phase, BlockStorage &) {
    return Phase::done;
  }

  template <typename Driver>
  static __device__ void finish(const Sort<Bits> &sort, uint32_t slot, BlockStorage &storage);

  static __device__ __forceinline__ void fill(const Sort<Bits> &sort, const Task &task, uint64_t thread, uint64_t threads) {
    fill_range(sort.rules, task.range.begin, task.range.end, static_cast<Bits>(task.pivot), thread, threads);
  }
};

/* A task's parts once all its blocks are done. part 0: lesser items, 1: greater ones. */
inline __device__ Range part_of(const Task &task, uint32_t part) {
  const Range &range = task.range;
  if (part == 0)
    return {range.begin, range.begin + task.less_items, other(range.side), range.depth + 1};
  return {range.end - task.greater_items, range.end, other(range.side), range.depth + 1};
}

/* Whether a range is too long for one block. */
template <typename Bits>
__device__ __forceinline__ bool is_task(const Sort<Bits> &sort, const Range &range) {
  return range.items() > sort.block_items && (range.depth < sort.fair_depth || range.items() > sort.unfair_items);
}

/*
 * Decides about a range, and does what is decided unless the answer is in_block.
 * - All lanes of one warp take part, with the same arguments; valid in every lane.
 * - What the range holds is visible to the warp.
 * - slot: one that the range may have; NO_SLOT: it needs one of its own if it becomes a task.
 */
template <typename Driver, typename Bits>
__device__ inline Disposition settle_range(const Sort<Bits> &sort, const Range &range, uint32_t slot) {
  const bool leader = threadIdx.x % WARP_LANES == 0;
  Disposition disposition = Disposition::settled;
  if (range.items() == 0)
    return disposition;
  if (!is_task(sort, range)) {
    if (leader)
      disposition = list_range(sort, range);
  } else {
    const Bits pivot = range.depth < sort.depth_limit ? choose_task_pivot(sort.rules, range) : Bits{0};
    if (leader)
      disposition = add_task<TwoWay<Bits>, Driver>(sort, range, slot, pivot);
  }
  return static_cast<Disposition>(__shfl_sync(ALL_LANES, static_cast<uint32_t>(disposition), 0));
}

/* Settles the whole array. True if this block must sort it. All threads of the block take part. */
template <typename Driver, typename Bits>
__device__ inline bool settle_array(const Sort<Bits> &sort, BlockStorage &storage) {
  if (threadIdx.x < WARP_LANES) {
    const Disposition disposition = settle_range<Driver>(sort, whole_range(sort), NO_SLOT);
    if (threadIdx.x == 0)
      storage.flag = disposition == Disposition::in_block;
  }
  __syncthreads();
  return storage.flag != 0;
}

/* Counts a task that was partitioned in two. For one thread. */
template <typename Bits>
__device__ inline void count_two_way_task(const Sort<Bits> &sort, const Task &task) {
  const uint64_t items = task.range.items();
  const uint64_t most = task.less_items > task.greater_items ? task.less_items : task.greater_items;
  const uint64_t parts = (task.less_items != 0) + (task.greater_items != 0);
  const uint64_t equal_items = items - task.less_items - task.greater_items;
  count_task(sort.rules.counters, task.range.depth, items, parts);
  count_at(sort.rules.counters, task.range.depth, &cdp_study_depth::balance, split_balance(2, items - equal_items, most));
  count_at(sort.rules.counters, task.range.depth, &cdp_study_depth::equal_items, equal_items);
  count_moved(sort.rules.counters, task.range.depth, 2 * items - equal_items);
}

/* Writes the keys equal to a task's pivot: they are between its parts, and where all keys are equal and in the caller's array
   already, they are written. All threads of the block take part. */
template <typename Driver, typename Bits>
__device__ inline void write_equal(const Sort<Bits> &sort, const Task &task, BlockStorage &storage) {
  const Range equal = {task.range.begin + task.less_items, task.range.end - task.greater_items, Side::keys, task.range.depth};
  if (task.range.is_raw() && equal.items() == task.range.items())
    return;
  if (threadIdx.x == 0) {
    count_moved(sort.rules.counters, equal.depth, equal.items());
    storage.flag =
        equal.items() >= FILL_GRID_ITEMS && Driver::enter(sort) && Driver::fill(sort, equal, static_cast<Bits>(task.pivot));
  }
  __syncthreads();
  if (storage.flag == 0)
    fill_range<Bits>(sort.rules, equal.begin, equal.end, static_cast<Bits>(task.pivot), threadIdx.x, blockDim.x);
}

/* The slot's heir is the lesser part, if it becomes a task, otherwise the greater one: the heir overwrites the task, so it is
   copied first. All threads of the block take part. */
template <typename Bits>
template <typename Driver>
__device__ inline void TwoWay<Bits>::finish(const Sort<Bits> &sort, uint32_t slot, BlockStorage &storage) {
  const Task task = sort.tasks[slot];
  const uint32_t warp = threadIdx.x / WARP_LANES;
  if (threadIdx.x == 0)
    count_two_way_task(sort, task);
  write_equal<Driver>(sort, task, storage);
  __syncthreads();
  const bool lesser_inherits = is_task(sort, part_of(task, 0));
  if (warp < 2) {
    const Range part = part_of(task, warp);
    const bool inherits = (warp == 0) == lesser_inherits;
    const Disposition disposition = settle_range<Driver>(sort, part, inherits ? slot : NO_SLOT);
    if (threadIdx.x % WARP_LANES == 0) {
      storage.children[warp] = part;
      storage.is_in_block[warp] = disposition == Disposition::in_block;
    }
  }
  __syncthreads();
  const bool is_in_block[2] = {storage.is_in_block[0] != 0, storage.is_in_block[1] != 0};
  for (uint32_t part = 0; part < 2; part++)
    if (is_in_block[part])
      block_sort_fallback<Bits>(sort.rules, storage.children[part], storage);
}

} // namespace cdp::CDP_RUNTIME

#endif
