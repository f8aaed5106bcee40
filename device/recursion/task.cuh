/* SPDX-License-Identifier: MIT */
/*
 * The recursion's bookkeeping: tasks, the lists, and the workspace that holds them. Nothing here launches.
 *
 * A task is a range that a grid partitions. Its life: a slot is handed out, the range and its pivot are written, its grid is
 * launched (or it is put on the deferred list, when its batch has started enough), the blocks add themselves to its counters,
 * and the last one reads them and hands the slot to the first child that needs one.
 *
 * Slots are handed out once and never come back, yet cannot run out where plan.cpp has reckoned them: a slot beyond the first
 * is only ever taken by a task with two children that are tasks, and there are fewer of those than childless tasks, whose
 * ranges are disjoint and longer than block_items each.
 */
#ifndef CDPSORT_DEVICE_RECURSION_TASK_CUH
#define CDPSORT_DEVICE_RECURSION_TASK_CUH

#include "block/multiway_shape.cuh"
#include "block/sort.cuh"
#include "engine.h"

namespace cdp::CDP_RUNTIME {

struct Trace;

struct Task {
  Range range;
  uint64_t pivot; /* entered */
  unsigned long long less_items;
  unsigned long long greater_items;
  uint32_t block_count; /* 0: a range at the depth limit, for a device-wide bitonic sort */
  uint32_t first_block; /* host loop: the first of its blocks in the level's grid */
  unsigned int done_blocks;
  uint32_t workers_refused; /* controller scheme: the continuation must sort the range itself */
};

/* What all grids of a sort share. Zeroed by the root kernel. */
struct Control {
  unsigned int tasks_allocated;
  unsigned int tasks_in_batch;
  unsigned int max_tasks_in_batch;
  unsigned int collected_count; /* may run past the list's capacity: readers take the lesser of the two */
  unsigned int list_count[2];   /* deferred tasks; host loop: the tasks of a level */
  unsigned int list_side;       /* which list is being added to */
  unsigned int level_blocks;    /* host loop: blocks of the next level's grid */
  unsigned int collecting;      /* 1 while a grid is sure to come for collected ranges and deferred tasks */
  unsigned int live_blocks;     /* of the sort's grids, launched and not ended (account.cuh) */
  unsigned int launches_taken;  /* from the account that all sorts on the device share */
  unsigned int batches;
  unsigned int short_parts;          /* of a short array, empty ones included */
  unsigned int max_short_part_items; /* items in the greatest of them; for a study alone */
  unsigned int disorder;             /* 1: an array that seemed to be in order is not */
  uint32_t direction;                /* host loop: a Direction, the one that the array seems to be in */
  int first_fault;
};

/*
 * A sort, as every kernel is given it: its plan (engine.h), and where everything lies.
 *
 * 1. Functions that are not inlined, and launches, take its address. What has an address lies on the stack: nvcc copies a
 *    parameter there, some 250 bytes of this one, in every thread, and what is left over in registers is spilled.
 * 2. A parameter that is __grid_constant__ has an address where it is, and nobody may change it.
 * Therefore every kernel takes it as one: 5 to 23 % less time with 2^14 to 2^24 keys on an H200, 2 to 4 % with 2^27
 * (docs/performance.md).
 */
template <typename Bits>
struct Sort {
  BlockRules<Bits> rules;
  Control *control;
  Task *tasks;
  uint32_t *lists[2];
  Range *collected;
  uint64_t count;
  cdp_path path;
  uint32_t merges;      /* path one_block: 1: in registers */
  uint32_t depth_limit; /* of tasks; rules.depth_limit is a block's */
  uint32_t block_items;
  uint32_t task_capacity;
  uint32_t worklist_capacity;
  uint32_t task_budget;
  uint32_t task_launches; /* pending launches of a task */
  uint32_t launch_share;  /* of the pending-launch limit: what all sorts together may take */
  uint32_t max_blocks;    /* of one partition grid */
  uint32_t multiprocessors;
  uint32_t multiway_shared_bytes; /* of every block that partitions many ways */
  uint32_t fan_out;               /* 2: every task has two children; otherwise the most buckets of unequal keys of a task */
  uint32_t max_buckets;           /* and with those of equal keys */
  uint32_t oversampling;          /* keys drawn for each of them */
  uint32_t target_range_items;    /* buckets of a task should be no larger than this on average */
  uint32_t may_defer;             /* 1: there may be more tasks than the budget of a batch */
  uint32_t counts_blocks;         /* 1: no batch will come, so that the last block gives launches back (account.cuh) */
  SplitterSet *splitter_sets;     /* set tables: one for each task */
  Bits *task_splitters;
  unsigned long long *task_cursors;
  uint32_t short_fan_out;      /* buckets of a short array (short_array.cuh) */
  uint32_t short_oversampling; /* keys drawn for each of them */
  uint32_t short_tile_items;   /* of its tiles */
  uint16_t *short_places;      /* where each bucket begins in each of its tiles */
  cdp_scheme scheme;
  ChildStream child_stream;
  Trace *trace; /* NULL: nobody asked (trace.cuh) */
  uint32_t trace_capacity;
};

/* The event of no grid, and that of the root. */
constexpr uint32_t ROOT_EVENT = 0;
constexpr uint32_t NO_EVENT = UINT32_MAX;

constexpr uint32_t NO_SLOT = UINT32_MAX;

/* The whole array, where the caller has it. */
template <typename Bits>
__device__ __forceinline__ Range whole_range(const Sort<Bits> &sort) {
  return {0, sort.count, Side::keys, 0};
}

/* A slot for a task, or NO_SLOT when the pool is exhausted. For one thread. */
inline __device__ uint32_t allocate_slot(Control *control, uint32_t capacity) {
  const uint32_t slot = atomicAdd(&control->tasks_allocated, 1u);
  if (slot < capacity)
    return slot;
  atomicSub(&control->tasks_allocated, 1u);
  return NO_SLOT;
}

/* The blocks of the grid that partitions this many items: each has tiles_per_block tiles at least, and the whole card has
   max_blocks at most, so that large ranges loop over their tiles instead of paying for new blocks. */
template <typename Bits>
__host__ __device__ inline uint32_t partition_blocks(uint64_t items, uint32_t max_blocks) {
  const uint64_t block_items = uint64_t{Shape<Bits>::TILE_ITEMS} * Shape<Bits>::ROW.tiles_per_block;
  const uint64_t blocks = (items + block_items - 1) / block_items;
  return blocks < max_blocks ? static_cast<uint32_t>(blocks) : max_blocks;
}

/* Where a task's parts lie once all its blocks are done. part 0: lesser items, 1: greater ones. */
inline __device__ Range part_of(const Task &task, uint32_t part) {
  const Range &range = task.range;
  if (part == 0)
    return {range.begin, range.begin + task.less_items, other(range.side), range.depth + 1};
  return {range.end - task.greater_items, range.end, other(range.side), range.depth + 1};
}

/*
 * Adds this block to a task's done-counter and tells whether it was the last. All threads of the block take part; valid in
 * every thread; the last block sees everything that the others wrote before.
 *
 * 1. Every block's writes precede its barrier, and the barrier precedes the fence: the fence covers the whole block's writes.
 * 2. The counter is added to after the fence; whoever sees the full count sees all fences passed.
 * 3. The last block fences again before it reads, so that nothing it reads was fetched before the counter.
 * Therefore one thread fences for all: as safe as 512 fences, and cheaper.
 */
inline __device__ bool is_last_block(unsigned int *done_blocks, uint32_t block_count, BlockStorage &storage) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    storage.flag = atomicAdd(done_blocks, 1u) + 1 == block_count;
    __threadfence();
  }
  __syncthreads();
  const bool last = storage.flag != 0;
  __syncthreads(); // the flag is free again
  return last;
}

/* The grid shape of every kernel that sorts. */
template <typename Bits>
__host__ __device__ inline GridShape sorting_grid(uint32_t blocks) {
  return {blocks, Shape<Bits>::BLOCK_THREADS, static_cast<uint32_t>(sizeof(BlockStorage))};
}

/* Blocks of a grid that does one step of a device-wide bitonic sort. */
template <typename Bits>
__host__ __device__ inline uint32_t network_blocks(NetworkStep step, uint64_t items, uint32_t max_blocks) {
  const uint64_t blocks = (network_step_pieces<Bits>(step, items) + Shape<Bits>::BLOCK_WARPS - 1) / Shape<Bits>::BLOCK_WARPS;
  return blocks < max_blocks ? static_cast<uint32_t>(blocks) : max_blocks;
}

/* This block's share of a step that its whole grid does. All threads take part; ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ void do_network_share(const Sort<Bits> &sort, const Range &range, NetworkStep step) {
  constexpr uint64_t BLOCK_WARPS = Shape<Bits>::BLOCK_WARPS;
  do_network_pieces(sort.rules, range, step, blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP_LANES, gridDim.x * BLOCK_WARPS);
  __syncthreads();
}

/* The ranges on the list of collected ones: its counter may have run past its end. */
template <typename Bits>
__host__ __device__ inline uint32_t collected_ranges(const Sort<Bits> &sort, const Control &control) {
  return control.collected_count < sort.worklist_capacity ? control.collected_count : sort.worklist_capacity;
}

/* Clears the control block and, if there are any, the counters. live_blocks: those of the sort that have begun, or are sure to.
   All threads of the block take part; no barrier. */
template <typename Bits>
__device__ inline void clear_bookkeeping(const Sort<Bits> &sort, uint32_t live_blocks) {
  if (threadIdx.x == 0) {
    *sort.control = Control{};
    sort.control->live_blocks = live_blocks;
  }
  if (sort.rules.counters == nullptr)
    return;
  for (uint32_t row = threadIdx.x; row < CDP_STUDY_DEPTHS; row += blockDim.x) {
    sort.rules.counters[row] = cdp_study_depth{};
    sort.rules.counters[row].min_task_items = UINT64_MAX;
  }
}

/* This block's share of partitioning a task: tiles block, block + blocks, ... All threads take part. */
template <typename Bits>
__device__ __forceinline__ void partition_share(const Sort<Bits> &sort, Task &task, uint32_t block, BlockStorage &storage) {
  const Range range = task.range;
  partition_tiles<Bits>(sort.rules, range, static_cast<Bits>(task.pivot), PartCounters{&task.less_items, &task.greater_items},
                        block, task.block_count, storage);
}

} // namespace cdp::CDP_RUNTIME

#endif
