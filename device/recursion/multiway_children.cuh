/* SPDX-License-Identifier: MIT */
/*
 * What becomes of the buckets of a multiway task whose items have been scattered:
 *
 *  1. Keys equal to a splitter are written, by a grid where they are many.
 *  2. A bucket longer than block_items becomes a task, or is sorted by this block for want of a slot or a launch.
 *  3. All others go on the worklist, in order of size, and one grid sorts them at once, a block each.
 */
#ifndef CDPSORT_DEVICE_RECURSION_MULTIWAY_CHILDREN_CUH
#define CDPSORT_DEVICE_RECURSION_MULTIWAY_CHILDREN_CUH

#include "recursion/multiway.cuh"

namespace cdp::CDP_RUNTIME {

/* The class of a range for one block, the longest first. */
__device__ __forceinline__ uint32_t size_class(uint64_t items, uint32_t max_items) {
  return SIZE_CLASSES - 1 - static_cast<uint32_t>(items * (SIZE_CLASSES - 1) / max_items);
}

/* Counts a task's equal keys and its parts, starts its large buckets, and counts the others by size. All threads take part;
   ends with a barrier. */
template <typename Driver, typename Bits>
__device__ inline void start_buckets(const Sort<Bits> &sort, uint32_t slot, const Range &range, const SplitterSet &set,
                                     TaskChildren &children, MultiwayStorage<Bits> &storage) {
  for (uint32_t bucket = threadIdx.x; bucket < set.buckets; bucket += MultiwayShape<Bits>::BLOCK_THREADS) {
    const Range child = bucket_range(sort, slot, range, bucket);
    if (child.items() == 0)
      continue;
    if (set.equal != 0 && bucket % 2 != 0) {
      atomicAdd(&children.equal_items, static_cast<unsigned long long>(child.items()));
      continue;
    }
    atomicAdd(&children.parts, 1u);
    atomicMax(&children.max_part_items, static_cast<unsigned long long>(child.items()));
    if (child.items() <= sort.block_items)
      atomicAdd(&storage.counts[size_class(child.items(), sort.block_items)], 1u);
    else if (add_task<Multiway<Bits>, Driver>(sort, child, NO_SLOT, Bits{0}) == Disposition::in_block)
      children.in_block[atomicAdd(&children.in_block_count, 1u)] = static_cast<uint16_t>(bucket);
  }
  __syncthreads();
}

/* Lists the buckets that one block can sort, each. All threads take part; ends with a barrier. */
template <typename Bits>
__device__ inline void list_buckets(const Sort<Bits> &sort, uint32_t slot, const Range &range, const SplitterSet &set,
                                    TaskChildren &children, MultiwayStorage<Bits> &storage) {
  scan_counts(storage, SIZE_CLASSES);
  if (threadIdx.x == 0) {
    const uint32_t wanted = storage.begins[SIZE_CLASSES];
    const uint32_t first = atomicAdd(&sort.control->worklist_count, wanted);
    const uint32_t room = first < sort.worklist_capacity ? sort.worklist_capacity - first : 0;
    children.first_range = first;
    children.range_count = wanted < room ? wanted : room;
  }
  __syncthreads();
  for (uint32_t bucket = threadIdx.x; bucket < set.buckets; bucket += MultiwayShape<Bits>::BLOCK_THREADS) {
    const Range child = bucket_range(sort, slot, range, bucket);
    if (child.items() == 0 || child.items() > sort.block_items || (set.equal != 0 && bucket % 2 != 0))
      continue;
    const uint32_t place = atomicAdd(&storage.begins[size_class(child.items(), sort.block_items)], 1u);
    if (place < children.range_count) {
      sort.worklist[children.first_range + place] = child;
      count_at(sort.rules.counters, child.depth, &cdp_study_depth::collected, 1);
    } else {
      children.in_block[atomicAdd(&children.in_block_count, 1u)] = static_cast<uint16_t>(bucket);
      count_at(sort.rules.counters, child.depth, &cdp_study_depth::fallback_pool, 1);
    }
  }
  __threadfence();
  __syncthreads();
}

/* Counts a task that was partitioned many ways: its items were read twice and written once, and its equal keys written. For one
   thread. */
template <typename Bits>
__device__ inline void count_multiway(const Sort<Bits> &sort, const Range &range, const SplitterSet &set,
                                      const TaskChildren &children) {
  const uint64_t part_items = range.items() - children.equal_items;
  count_task(sort.rules.counters, range.depth, range.items(), children.parts);
  count_at(sort.rules.counters, range.depth, &cdp_study_depth::balance,
           split_balance(set.unequal_buckets(), part_items, children.max_part_items));
  count_moved(sort.rules.counters, range.depth, 3 * range.items());
  count_equal(sort.rules.counters, range.depth, children.equal_items);
}

/* Clears what the settling of the buckets counts. All threads take part; ends with a barrier. */
template <typename Bits>
__device__ inline void clear_children(TaskChildren &children, MultiwayStorage<Bits> &storage) {
  clear_counts(storage, SIZE_CLASSES);
  if (threadIdx.x == 0) {
    children.in_block_count = 0;
    children.equal_items = 0;
    children.parts = 0;
    children.max_part_items = 0;
  }
  __syncthreads();
}

/* All threads of the block take part. The grids are launched first, and this block sorts what is left to it meanwhile. */
template <typename Bits>
template <typename Driver>
__device__ inline void Multiway<Bits>::finish(const Sort<Bits> &sort, uint32_t slot, MultiwayStorage<Bits> &storage) {
  TaskChildren &children = storage.work.children;
  const Range range = sort.tasks[slot].range;
  const SplitterSet set = *task_table(sort, slot).set;
  clear_children(children, storage);
  start_buckets<Driver>(sort, slot, range, set, children, storage);
  list_buckets(sort, slot, range, set, children, storage);
  if (threadIdx.x == 0) {
    count_multiway(sort, range, set, children);
    const Range all = {range.begin, range.end, other(range.side), range.depth + 1};
    const bool must_sort =
        children.range_count != 0 && !Driver::sort_ranges(sort, children.first_range, children.range_count, all);
    const bool must_fill =
        children.equal_items != 0 && (children.equal_items < FILL_GRID_ITEMS || !Driver::fill_buckets(sort, slot, range));
    storage.flag = (must_sort ? 1 : 0) + (must_fill ? 2 : 0);
  }
  __syncthreads();
  const uint32_t left = storage.flag;
  if ((left & 2) != 0)
    fill_equal_buckets<Bits>(sort, slot, range, threadIdx.x, BLOCK_THREADS);
  for (uint32_t index = 0; index < children.in_block_count; index++)
    block_sort_fallback<Bits>(sort.rules, bucket_range(sort, slot, range, children.in_block[index]), storage.block);
  if ((left & 1) != 0)
    sort_listed_here(sort, children.first_range, children.range_count, storage.block);
}

} // namespace cdp::CDP_RUNTIME

#endif
