/* SPDX-License-Identifier: MIT */
/*
 * What becomes of a range: the one place where the recursion decides. Whoever has a range to dispose of (the root, the last
 * block of a partition, a continuation, the host loop's level_finish_kernel) calls settle_range() from a warp and, if the
 * answer is in_block, sorts it with the whole block.
 *
 *  1. Nothing in it: nothing to do.
 *  2. At most block_items: one block will finish it. It is collected, for one grid that finishes all of those together.
 *  3. At the depth limit: a device-wide bitonic sort.
 *  4. Otherwise it becomes a task: a slot, a pivot, a launch; or a place on the deferred list, if this batch has
 *     started task_budget of them.
 *  Nothing is lost: a full list, an exhausted pool, a refused launch all answer in_block.
 *
 * The launching is left to a Starter, so that the host loop's kernels, which must not launch, share all of this:
 *     bool enter(sort)                whether one more task may be started now, rather than put off
 *     int start(sort, slot, task)     launches the task's grid (or notes it); a cudaError_t, 0 if it will be partitioned
 *     int network(sort, slot, range)  launches a device-wide bitonic sort; likewise
 *     bool fill(sort, ...)            launches a grid that writes equal keys; false if the block must
 * A launch that fails is noted by the Starter.
 */
#ifndef CDPSORT_DEVICE_RECURSION_SPLIT_CUH
#define CDPSORT_DEVICE_RECURSION_SPLIT_CUH

#include "recursion/task.cuh"

namespace cdp::CDP_RUNTIME {

enum class Fate : uint32_t { settled, in_block };

/* Notes a launch that failed: counted by depth, and the first one's code is kept. For one thread. */
template <typename Bits>
__device__ inline void note_refusal(const Sort<Bits> &sort, uint32_t depth, int error) {
  count_at(sort.rules.counters, depth, &cdp_study_depth::launches_refused, 1);
  atomicCAS(&sort.control->first_fault, 0, error);
}

/* Puts a range on the list of those that one block finishes. For one thread. */
template <typename Bits>
__device__ inline Fate collect_range(const Sort<Bits> &sort, const Range &range) {
  if (sort.control->collecting != 0) {
    const uint32_t place = atomicAdd(&sort.control->collected_count, 1u);
    if (place < sort.worklist_capacity) {
      sort.collected[place] = range;
      count_at(sort.rules.counters, range.depth, &cdp_study_depth::collected, 1);
      return Fate::settled;
    }
  }
  count_at(sort.rules.counters, range.depth, &cdp_study_depth::fallback_pool, 1);
  return Fate::in_block;
}

/* Puts a task on the list that is being added to. A task is on it once at most, so the list is as long as the pool and never
   full. For one thread. */
template <typename Bits>
__device__ inline void list_task(const Sort<Bits> &sort, uint32_t slot) {
  const uint32_t side = sort.control->list_side;
  sort.lists[side][atomicAdd(&sort.control->list_count[side], 1u)] = slot;
}

/* Starts what a slot holds, now or in a later batch: a task, or a device-wide bitonic sort. For one thread. */
template <typename Starter, typename Bits>
__device__ inline Fate start_or_defer(const Sort<Bits> &sort, uint32_t slot) {
  const Task &task = sort.tasks[slot];
  const uint32_t depth = task.range.depth;
  const bool network = task.block_count == 0;
  int error = LAUNCH_PENDING_LIMIT; // what CUDA would say, were it asked
  if (Starter::enter(sort)) {
    error = network ? Starter::network(sort, slot, task.range) : Starter::start(sort, slot, task);
  } else if (sort.control->collecting != 0) {
    list_task(sort, slot);
    count_at(sort.rules.counters, depth, &cdp_study_depth::deferred, 1);
    return Fate::settled;
  }
  if (error == LAUNCH_OK) {
    if (network) {
      count_at(sort.rules.counters, depth, &cdp_study_depth::fallback_depth, 1);
      count_network<Bits>(sort.rules.counters, depth, task.range.items());
    }
    return Fate::settled;
  }
  count_at(sort.rules.counters, depth, &cdp_study_depth::fallback_refused, 1);
  return Fate::in_block;
}

/* warp_choose_pivot() for a task, not inlined: much code for what is done once a task. */
template <typename Bits>
__device__ __noinline__ Bits choose_task_pivot(const BlockRules<Bits> &rules, Range range) {
  return warp_choose_pivot<Bits, TASK_SAMPLES_PER_LANE>(rules, range);
}

/*
 * Decides about a range, and does what is decided unless the answer is in_block.
 * - All lanes of one warp take part, with the same arguments; valid in every lane.
 * - What the range holds is visible to the warp.
 * - slot: one that the range may have; NO_SLOT: it needs one of its own if it becomes a task.
 */
template <typename Bits, typename Starter>
__device__ inline Fate settle_range(const Sort<Bits> &sort, const Range &range, uint32_t slot) {
  const bool leader = threadIdx.x % WARP_LANES == 0;
  Fate fate = Fate::settled;
  if (range.items() == 0)
    return fate;
  if (range.items() <= sort.block_items) {
    if (leader)
      fate = collect_range(sort, range);
  } else {
    if (leader && slot == NO_SLOT)
      slot = allocate_slot(sort.control, sort.task_capacity);
    slot = __shfl_sync(ALL_LANES, slot, 0);
    if (slot == NO_SLOT) {
      if (leader)
        count_at(sort.rules.counters, range.depth, &cdp_study_depth::fallback_pool, 1);
      return Fate::in_block;
    }
    if (range.depth >= sort.depth_limit) {
      if (leader) {
        sort.tasks[slot] = Task{range, 0, 0, 0, 0, 0, 0, 0};
        __threadfence();
        fate = start_or_defer<Starter>(sort, slot);
      }
    } else {
      const Bits pivot = choose_task_pivot(sort.rules, range);
      if (leader) {
        const uint32_t blocks = partition_blocks<Bits>(range.items(), sort.max_blocks);
        sort.tasks[slot] = Task{range, pivot, 0, 0, blocks, 0, 0, 0};
        __threadfence();
        fate = start_or_defer<Starter>(sort, slot);
      }
    }
  }
  return static_cast<Fate>(__shfl_sync(ALL_LANES, static_cast<uint32_t>(fate), 0));
}

/*
 * The root of the classic recursion: clears the bookkeeping and settles the whole array, or sorts it on the path of one block.
 * `begin_collecting`, called by one thread before anything is settled, sees to it that ranges can be put aside; it is given the
 * sort, since capturing it would have nvcc copy it to the stack. All threads of the root's one block take part.
 */
template <typename Bits, typename Starter, typename BeginCollecting>
__device__ inline void settle_array(const Sort<Bits> &sort, BeginCollecting begin_collecting) {
  BlockStorage &storage = block_shared<BlockStorage>();
  const Range whole = whole_range(sort);
  clear_bookkeeping(sort, 1);
  __syncthreads();
  if (sort.path == CDP_PATH_ONE_BLOCK) {
    block_sort_fallback<Bits>(sort.rules, whole, storage);
    return;
  }
  if (threadIdx.x == 0)
    begin_collecting(sort);
  __syncthreads();
  if (threadIdx.x < WARP_LANES) {
    const Fate fate = settle_range<Bits, Starter>(sort, whole, NO_SLOT);
    if (threadIdx.x == 0)
      storage.flag = fate == Fate::in_block;
  }
  __syncthreads();
  if (storage.flag != 0)
    block_sort_fallback<Bits>(sort.rules, whole, storage);
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
template <typename Bits, typename Starter>
__device__ inline void write_equal(const Sort<Bits> &sort, const Task &task, BlockStorage &storage) {
  const uint64_t begin = task.range.begin + task.less_items;
  const uint64_t end = task.range.end - task.greater_items;
  if (task.range.is_raw() && end - begin == task.range.items())
    return;
  if (threadIdx.x == 0)
    count_moved(sort.rules.counters, task.range.depth, end - begin);
  if (end - begin >= FILL_GRID_ITEMS) {
    if (threadIdx.x == 0)
      storage.flag = Starter::enter(sort) &&
                     Starter::fill(sort, {begin, end, Side::keys, task.range.depth}, static_cast<Bits>(task.pivot));
    __syncthreads();
    if (storage.flag != 0)
      return;
  }
  fill_range<Bits>(sort.rules, begin, end, static_cast<Bits>(task.pivot), threadIdx.x, Shape<Bits>::BLOCK_THREADS);
}

/*
 * Ends a task all of whose blocks are done: writes the equal keys and settles both parts, a warp each; sorts what has to be
 * sorted in this block. All threads of the block take part.
 *
 * The slot's heir is the lesser part, if it becomes a task, otherwise the greater one: the heir overwrites the task, so it is
 * copied first.
 */
template <typename Bits, typename Starter>
__device__ inline void finish_task(const Sort<Bits> &sort, uint32_t slot, BlockStorage &storage) {
  const Task task = sort.tasks[slot];
  const uint32_t warp = threadIdx.x / WARP_LANES;
  if (threadIdx.x == 0)
    count_two_way_task(sort, task);
  write_equal<Bits, Starter>(sort, task, storage);
  __syncthreads();
  const bool lesser_inherits = part_of(task, 0).items() > sort.block_items;
  if (warp < 2) {
    const Range part = part_of(task, warp);
    const bool inherits = (warp == 0) == lesser_inherits;
    const Fate fate = settle_range<Bits, Starter>(sort, part, inherits ? slot : NO_SLOT);
    if (threadIdx.x % WARP_LANES == 0) {
      storage.children[warp] = part;
      storage.fates[warp] = static_cast<uint32_t>(fate);
    }
  }
  __syncthreads();
  const bool in_block[2] = {storage.fates[0] == static_cast<uint32_t>(Fate::in_block),
                            storage.fates[1] == static_cast<uint32_t>(Fate::in_block)};
  for (uint32_t part = 0; part < 2; part++)
    if (in_block[part])
      block_sort_fallback<Bits>(sort.rules, storage.children[part], storage);
}

} // namespace cdp::CDP_RUNTIME

#endif
