/* SPDX-License-Identifier: MIT */
/**
 * @file study.h
 * What a recursion did: how long it took, counts by depth, and a trace of its grids, gathered on the device while it sorts.
 *
 * For people who study dynamic parallelism, and for tests that must see that a path was taken. Opt-in: an ordinary sort
 * gathers nothing, and on a GPU it has kernels compiled without any of this. Three calls, each the
 * sort of cdp_quicksort() with the same arguments and statuses, each telling more:
 *
 *     cdp_time_quicksort()    how long it took on the device
 *     cdp_study_quicksort()   and what happened at each depth
 *     cdp_trace_quicksort()   and when each grid ran, for how long, who launched it
 *
 * A trace is written as JSON, which Perfetto (ui.perfetto.dev) and chrome://tracing open, and as CSV.
 */
#ifndef CDPSORT_STUDY_H
#define CDPSORT_STUDY_H

#include <cdpsort/cdpsort.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Time ------------------------------------------------------------------------------------------------------ */

/**
 * cdp_quicksort(), and how long it took: from just before the launch of the sort to its end on the device, without the copies
 * of keys in host memory and without allocations. What the host does to launch is in it, some microseconds; for the first sort
 * of its kind in a process milliseconds, in which CUDA loads the kernels. Nothing is counted, so that it is the time of an
 * ordinary sort.
 * @param milliseconds  host pointer, receives the time; on the simulated device the time the simulation took. 0 for fewer than
 *                      2 keys, and on failure. Must not be NULL.
 * @since 0.1.0
 */
CDP_API cdp_status cdp_time_quicksort(void *keys, size_t count, cdp_type type, const cdp_options *options,
                                      double *milliseconds);

/* ---- Counts ---------------------------------------------------------------------------------------------------- */

/** Rows of cdp_study. What happens at a greater depth is counted in the last row. */
#define CDP_STUDY_DEPTHS 64

/**
 * What happened to the ranges of one depth. The whole array has depth 0, its parts have depth 1, and so on.
 *
 * Every key is in exactly one of equal_items, leaf_items and network_items of one depth, in which it reached its final place:
 * their sum over all depths is the number of keys; but an array found in order, or in the opposite order, has none.
 */
typedef struct cdp_study_depth {
  uint64_t tasks;             /**< ranges partitioned by a grid, or two with many children: counting and scattering */
  uint64_t task_items;        /**< items in those */
  uint64_t min_task_items;    /**< the smallest of those ranges; 0 where there was none */
  uint64_t max_task_items;    /**< the largest of those ranges */
  uint64_t parts;             /**< parts with items in them that those were split into, without the keys equal to a pivot */
  uint64_t balance;           /**< how even the splits were, in thousandths, added up over the tasks: a task's is the mean size
                                   of its parts, empty ones included, divided by the greatest: 1000 where all are alike, with
                                   two parts 500 where one has all. Divide by `tasks` for the mean */
  uint64_t block_partitions;  /**< partitions done by one block, or one of its warps, for a range of its own: into
                                   two parts, or into many buckets */
  uint64_t block_items;       /**< items in those */
  uint64_t equal_items;       /**< items equal to a pivot of this depth: they leave the recursion here */
  uint64_t leaves;            /**< ranges sorted in registers: by one warp, bitonically, or by one block, which merges what its
                                   warps have sorted, where few items are left to it or the array is short; a
                                   bucket of several leaves that one warp sorts counts as so many */
  uint64_t leaf_items;        /**< items in those */
  uint64_t network_items;     /**< items in ranges sorted by bitonic sort of any length, in device memory */
  uint64_t collected;         /**< ranges too small for a launch of their own, finished together in one grid: one for
                                   all in the classic recursion, one for each task's with many children */
  uint64_t children_launched; /**< grids launched by the device for ranges of this depth, all kinds together; the one grid for
                                   all collected ranges of the classic recursion has the depth of the first of them */
  uint64_t launches_refused;  /**< launches that failed; their ranges were sorted another way */
  uint64_t deferred;          /**< ranges that waited for a later batch, so as to stay below the pending-launch limit */
  uint64_t fallback_depth;    /**< ranges sorted by bitonic sort of any length, because of the depth limit */
  uint64_t fallback_refused;  /**< ranges sorted in one block, because a launch was refused */
  uint64_t fallback_pool;     /**< ranges sorted in one block, because the task pool or the list of collected ranges was full */
  uint64_t bytes_moved;       /**< bytes of keys read from device memory and written to it by all of this: what partitions read
                                   and write, equal keys written, leaves read and written, each step of a bitonic sort. Keys
                                   drawn for samples, and counters, are not in it; caches may have served some of it */
} cdp_study_depth;

/** What a recursion did. */
typedef struct cdp_study {
  uint32_t depth_count;    /**< rows in use: the greatest depth at which anything happened, plus 1 */
  uint32_t tasks_in_batch; /**< the most tasks, bitonic sorts and fills that one batch started or tried to: the first batch, and
                                 one more for each of `batches` */
  uint32_t task_capacity;  /**< tasks that the workspace has room for */
  uint32_t tasks_allocated; /**< how many of them were used */
  int32_t first_fault;      /**< cudaError_t of the first refused or failed launch on the device; 0 where there was none */
  uint32_t batches;         /**< times that deferred ranges were taken up again */
  uint32_t max_pending;     /**< the most launches pending at once, as CUDA counts them against its limit: a launch is, from the
                                 launch until its grid and all its descendants but tails are complete. Worked out from the
                                 trace: 0 without one, or where host memory for that is exhausted; if events were lost,
                                 those are not in it */
  uint32_t scheme;          /**< the cdp_scheme that ran: the one that was asked for, or CDP_SCHEME_HOST where that was chosen
                                 instead. 0 for fewer than 2 keys */
  double milliseconds;      /**< as cdp_time_quicksort() tells it; the counting is in it */
  cdp_study_depth total;    /**< the sums of all depths; of min_task_items and max_task_items the least and the greatest */
  cdp_study_depth depths[CDP_STUDY_DEPTHS];
} cdp_study;

/**
 * cdp_quicksort(), and what it did. The same arguments and statuses; the counting costs a few atomics per range,
 * and kernels that can count are up to 4 % slower (docs/notes/hooks.md).
 * @param study  host pointer, receives the counts. Must not be NULL. On failure it is filled with zeros.
 * @since 0.1.0
 */
CDP_API cdp_status cdp_study_quicksort(void *keys, size_t count, cdp_type type, const cdp_options *options, cdp_study *study);

/* ---- Trace ----------------------------------------------------------------------------------------------------- */

/** What a grid, or a block of one, was there for. */
typedef enum cdp_trace_kind {
  CDP_TRACE_ROOT = 1,         /**< what the host launched; of a short array it orders the tiles by bucket */
  CDP_TRACE_PARTITION = 2,    /**< partitions a task in two; its last block finishes the task, but not in the other schemes */
  CDP_TRACE_CONTROLLER = 3,   /**< launches a task's workers (CDP_TRACE_PARTITION) and the continuation behind them */
  CDP_TRACE_CONTINUATION = 4, /**< finishes what workers did: settles a task's parts, or launches its next stage */
  CDP_TRACE_PREPARE = 5,      /**< draws a task's sample and chooses its splitters */
  CDP_TRACE_COUNT = 6,        /**< counts a task's buckets */
  CDP_TRACE_SCATTER = 7,      /**< moves a task's items to their buckets */
  CDP_TRACE_SORT = 8,         /**< a grid that sorts ranges, a block each; the range is one that holds them
                                   all, and of the classic recursion the whole array at the depth of the first */
  CDP_TRACE_BLOCK = 9,        /**< one block of such a grid and its range; no launch of its own, `launcher` is the grid's */
  CDP_TRACE_FILL = 10,        /**< writes keys equal to a pivot */
  CDP_TRACE_NETWORK = 11,     /**< a step of a device-wide bitonic sort */
  CDP_TRACE_BATCH = 12,       /**< takes up deferred tasks */
  CDP_TRACE_LOOK = 13,        /**< looks whether an array that seems to be in order is; turns it round if it seems to be in the
                                   opposite order */
  CDP_TRACE_MAP = 14,    /**< a stage of the root's grid: of an array that is divided by a map of its keys, learns it, counts
                                   its buckets, or moves items to them or to groups of them. No launch of its own */
  CDP_TRACE_BUCKETS = 15 /**< a stage of the root's grid: sorts the buckets of a mapped or a short array. Likewise */
} cdp_trace_kind;

/** cdp_trace_event::launcher of what the host launched. */
#define CDP_TRACE_NO_LAUNCHER UINT32_MAX

/**
 * A grid, or a block of one, in the course of a sort. Times are in nanoseconds of the GPU's clock (%globaltimer, which moves in
 * steps; on an H200 of 32 ns), from the first grid's begin. On the simulated device they are the host's clock's, which runs on
 * while one block after another is simulated.
 */
typedef struct cdp_trace_event {
  uint64_t launched_ns;    /**< when its launcher was about to launch it; 0 for what the host launched. For CDP_TRACE_BLOCK: as
                               begin_ns */
  uint64_t begin_ns;       /**< when its first block began */
  uint64_t end_ns;         /**< when its last block ended; grids that it launched may go on */
  uint64_t range_begin;    /**< the range of items that it worked on: from here */
  uint64_t range_end;      /**< to before here */
  uint32_t kind;           /**< a cdp_trace_kind */
  uint32_t depth;          /**< of the range */
  uint32_t blocks;         /**< of the grid; 1 for CDP_TRACE_BLOCK */
  uint32_t multiprocessor; /**< that its last block ran on */
  uint32_t launcher;       /**< index of the event of the grid that launched it, or CDP_TRACE_NO_LAUNCHER */
  int32_t cuda_error; /**< 0; otherwise the launch was refused with this cudaError_t, and begin_ns and end_ns are launched_ns */
  uint32_t is_tail;   /**< 1: a tail launch, which runs when its launcher and all descendants of that are complete */
  uint32_t reserved;  /**< 0 */
} cdp_trace_event;

/** A trace, in memory of the caller. Set `events` and `capacity` before the call; it writes the rest. */
typedef struct cdp_trace {
  cdp_trace_event *events; /**< host array of `capacity`, owned by the caller; receives the events as they were opened, a
                                launcher before what it launched */
  size_t capacity;         /**< room for so many, 1 to CDP_TRACE_CAPACITY_MAX; the device needs 64 bytes for each meanwhile */
  size_t count;            /**< events written */
  size_t lost;             /**< events for which there was no room: the last ones to be opened */
} cdp_trace;

/** The greatest capacity of a trace. */
#define CDP_TRACE_CAPACITY_MAX 16777216u

/**
 * cdp_study_quicksort(), and a trace. The same arguments and statuses; the tracing costs some atomics and barriers a block.
 * @param study  as there. May be NULL.
 * @param trace  host pointer. Must not be NULL. On failure count and lost are 0, and events unspecified.
 * @return also CDP_ERROR_NULL for trace->events, CDP_ERROR_OPTION for trace->capacity.
 * @since 0.1.0
 */
CDP_API cdp_status cdp_trace_quicksort(void *keys, size_t count, cdp_type type, const cdp_options *options, cdp_study *study,
                                       cdp_trace *trace);

/**
 * The name of a kind, such as "partition".
 * @return a constant string, never NULL; "unknown" for a value outside the enumeration.
 * @since 0.1.0
 */
CDP_API const char *cdp_trace_kind_name(uint32_t kind);

/**
 * Writes a trace as JSON in the Trace Event Format of the Chrome project, which Perfetto and chrome://tracing open: a process
 * for each depth, in it as many threads as events overlap; a slice for each event, an arrow from each launcher to what it
 * launched, an instant for each refused launch, and a counter of the launches pending.
 * @param trace  host pointer to a trace that cdp_trace_quicksort() has written. Must not be NULL.
 * @param path   of the file, which is overwritten. Must not be NULL.
 * @return CDP_OK; CDP_ERROR_NULL; CDP_ERROR_OPTION, where an event's launcher is none of the events before it;
 *         CDP_ERROR_MEMORY; CDP_ERROR_FILE, where the file, if it could be opened, is incomplete.
 * @since 0.1.0
 */
CDP_API cdp_status cdp_trace_write_json(const cdp_trace *trace, const char *path);

/**
 * Writes a trace as CSV: a line of names, then one for each event, its fields in the order of cdp_trace_event without
 * `reserved`, the kind as a word, the launcher -1 where there is none.
 * As for cdp_trace_write_json().
 * @since 0.1.0
 */
CDP_API cdp_status cdp_trace_write_csv(const cdp_trace *trace, const char *path);

#ifdef __cplusplus
}
#endif

#endif
