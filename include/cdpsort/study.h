/* SPDX-License-Identifier: MIT */
/**
 * @file study.h
 * What a recursion did: counts by depth, gathered on the device while it sorts.
 *
 * For people who study dynamic parallelism, and for tests that must see that a path was taken. Opt-in: an ordinary sort
 * counts nothing.
 */
#ifndef CDPSORT_STUDY_H
#define CDPSORT_STUDY_H

#include <cdpsort/cdpsort.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Rows of cdp_study. What happens at a greater depth is counted in the last row. */
#define CDP_STUDY_DEPTHS 64

/** What happened to the ranges of one depth. The whole array has depth 0, its two parts have depth 1, and so on. */
typedef struct cdp_study_depth {
  uint64_t tasks;             /**< ranges partitioned by a grid, or two with many children: counting and scattering */
  uint64_t task_items;        /**< items in those */
  uint64_t task_items_least;  /**< the smallest of those ranges; 0 where there was none */
  uint64_t task_items_most;   /**< the largest of those ranges */
  uint64_t block_partitions;  /**< partitions done by one block, or one of its warps, for a range of its own: into
                                   two parts, or into many buckets */
  uint64_t equal_items;       /**< items equal to a pivot of this depth: they leave the recursion here */
  uint64_t leaves;            /**< ranges sorted in registers: by one warp, bitonically, or by one block, which merges what its
                                   warps have sorted, where few items are left to it or the array is short; a
                                   bucket of several leaves that one warp sorts counts as so many */
  uint64_t leaf_items;        /**< items in those */
  uint64_t collected;         /**< ranges too small for a launch of their own, finished together in one grid: one for
                                   all in the classic recursion, one for each task's with many children */
  uint64_t children_launched; /**< grids launched by the device for ranges of this depth, all kinds together */
  uint64_t launches_refused;  /**< launches that failed; their ranges were sorted another way */
  uint64_t deferred;          /**< ranges that waited for a later wave, so as to stay below the pending-launch limit */
  uint64_t fallback_depth;    /**< ranges sorted by bitonic sort of any length, because of the depth limit */
  uint64_t fallback_refused;  /**< ranges sorted in one block, because a launch was refused */
  uint64_t fallback_pool;     /**< ranges sorted in one block, because the task pool or the list of collected ranges was full */
} cdp_study_depth;

/** What a recursion did. */
typedef struct cdp_study {
  uint32_t depth_count;     /**< rows in use: the greatest depth at which anything happened, plus 1 */
  uint32_t tasks_in_wave;   /**< the most tasks, bitonic sorts and fills that one wave started or tried to: the first wave, and
                                 one more for each of `waves` */
  uint32_t task_capacity;   /**< tasks that the workspace has room for */
  uint32_t tasks_allocated; /**< how many of them were used */
  int32_t first_fault;      /**< cudaError_t of the first refused or failed launch on the device; 0 where there was none */
  uint32_t waves;           /**< times that deferred ranges were taken up again */
  double milliseconds;      /**< from the launch of the sort to its end on the device, without copies; on the simulated device
                                 the time the simulation took */
  cdp_study_depth depths[CDP_STUDY_DEPTHS];
} cdp_study;

/**
 * cdp_quicksort(), and what it did. The same arguments and statuses; the counting costs a few atomics per range.
 * @param study  host pointer, receives the counts. Must not be NULL. On failure it is filled with zeros.
 * @since 0.1.0
 */
CDP_API cdp_status cdp_study_quicksort(void *keys, size_t count, cdp_type type, const cdp_options *options, cdp_study *study);

#ifdef __cplusplus
}
#endif

#endif
