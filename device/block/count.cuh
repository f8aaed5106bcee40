/* SPDX-License-Identifier: MIT */
/*
 * What a study counts (cdp_study_depth), as blocks count it. Every function is for one thread, and does nothing without
 * counters.
 *
 * bytes_moved counts items here, each once when it is read and once when it is written; the host makes bytes of it, and adds
 * those of leaves (fill_study()), so that a leaf takes no third atomic.
 */
#ifndef CDPSORT_DEVICE_BLOCK_COUNT_CUH
#define CDPSORT_DEVICE_BLOCK_COUNT_CUH

#include "block/network.cuh"

namespace cdp::CDP_RUNTIME {

/* Whether anybody counts. */
__device__ __forceinline__ bool is_counted(const cdp_study_depth *counters) {
  return HAS_STUDY && counters != nullptr;
}

/* The row of a depth, of counters that are not NULL. */
__device__ __forceinline__ cdp_study_depth &study_row(cdp_study_depth *counters, uint32_t depth) {
  return counters[depth < CDP_STUDY_DEPTHS ? depth : CDP_STUDY_DEPTHS - 1];
}

__device__ __forceinline__ unsigned long long *study_field(cdp_study_depth &row, uint64_t cdp_study_depth::*field) {
  return reinterpret_cast<unsigned long long *>(&(row.*field));
}

__device__ inline void count_at(cdp_study_depth *counters, uint32_t depth, uint64_t cdp_study_depth::*field, uint64_t amount) {
  // The counters are compared, not a row that may be NULL: two comparisons, and once a fault (docs/notes/hooks.md).
  if (!is_counted(counters))
    return;
  atomicAdd(study_field(study_row(counters, depth), field), static_cast<unsigned long long>(amount));
}

/* Items read and items written, together. */
__device__ inline void count_moved(cdp_study_depth *counters, uint32_t depth, uint64_t items) {
  count_at(counters, depth, &cdp_study_depth::bytes_moved, items);
}

__device__ inline void count_leaves(cdp_study_depth *counters, uint32_t depth, uint64_t leaves, uint64_t items) {
  count_at(counters, depth, &cdp_study_depth::leaves, leaves);
  count_at(counters, depth, &cdp_study_depth::leaf_items, items);
}

/* Keys equal to a pivot that were written. */
__device__ inline void count_equal(cdp_study_depth *counters, uint32_t depth, uint64_t items) {
  count_at(counters, depth, &cdp_study_depth::equal_items, items);
  count_moved(counters, depth, items);
}

/* A partition by a block or a warp for a range of its own. */
__device__ inline void count_partition(cdp_study_depth *counters, uint32_t depth, uint64_t items, uint64_t moved) {
  count_at(counters, depth, &cdp_study_depth::block_partitions, 1);
  count_at(counters, depth, &cdp_study_depth::block_items, items);
  count_moved(counters, depth, moved);
}

/* A range for a bitonic sort of any length: every step reads and writes every item. */
template <typename Bits>
__device__ inline void count_network(cdp_study_depth *counters, uint32_t depth, uint64_t items) {
  if (!is_counted(counters))
    return;
  uint64_t steps = 0;
  for (NetworkStep step = first_network_step<Bits>(); step.size != 0; step = next_network_step<Bits>(step, items))
    steps++;
  count_at(counters, depth, &cdp_study_depth::network_items, items);
  count_moved(counters, depth, 2 * steps * items);
}

/* How even a split is, in thousandths: the mean of its parts, empty ones included, divided by the greatest. */
__host__ __device__ inline uint64_t split_balance(uint64_t parts, uint64_t part_items, uint64_t max_part_items) {
  return max_part_items == 0 ? 1000 : 1000 * part_items / (parts * max_part_items);
}

/* A partitioned task: its size, and what it was split into; its balance is counted apart. */
__device__ inline void count_task(cdp_study_depth *counters, uint32_t depth, uint64_t items, uint64_t parts) {
  if (!is_counted(counters))
    return;
  cdp_study_depth &row = study_row(counters, depth);
  count_at(counters, depth, &cdp_study_depth::tasks, 1);
  count_at(counters, depth, &cdp_study_depth::task_items, items);
  count_at(counters, depth, &cdp_study_depth::parts, parts);
  atomicMin(study_field(row, &cdp_study_depth::min_task_items), static_cast<unsigned long long>(items));
  atomicMax(study_field(row, &cdp_study_depth::max_task_items), static_cast<unsigned long long>(items));
}

} // namespace cdp::CDP_RUNTIME

#endif
