/* SPDX-License-Identifier: MIT */
/*
 * The recursion's bookkeeping: tasks, the lists they wait on, and what all grids of a sort share. Nothing here launches.
 *
 * Slots of tasks are handed out once and never come back, yet cannot run out in a workspace reckoned by plan.cpp: two-way, a
 * slot beyond the first is only ever taken by a task with two children that are tasks, and there are fewer of those than
 * childless tasks, whose ranges are disjoint and longer than block_items each.
 */
#ifndef CDPSORT_DEVICE_RECURSION_TASK_CUH
#define CDPSORT_DEVICE_RECURSION_TASK_CUH

#include "block/frequent_values.cuh"
#include "block/multiway_shape.cuh"
#include "block/sort.cuh"
#include "engine.h"

#include <cstddef>

namespace cdp::CDP_RUNTIME {

struct Trace;

/* What is being done with a task: machine.cuh has the drawing. */
enum class Phase : uint32_t {
  waiting,   /* made, and to be started */
  partition, /* two-way: its items go to either side of the pivot */
  count,     /* multiway: its buckets are counted */
  scatter,   /* multiway: its items go to their buckets */
  network,   /* at the depth limit: a device-wide bitonic sort, step by step */
  fill,      /* host driver: no partition, but equal keys of another task to be written */
  done       /* its children are being settled */
};

struct Task {
  Range range;
  uint64_t pivot; /* two-way: entered. A fill: that key, or the slot of the multiway task whose equal keys are meant */
  unsigned long long less_items;
  unsigned long long greater_items;
  Phase phase;
  uint32_t block_count;     /* of the grids of its phases */
  unsigned int done_blocks; /* of the phase at hand */
  uint32_t workers_refused; /* tail driver: the continuation must sort the range itself */
};

/* A task on a list, and the number of blocks of those before it. */
struct ListedTask {
  uint32_t slot;
  uint32_t first_block;
};

/* What all grids of a sort share. Cleared by the root. */
struct alignas(16) Control {
  unsigned long long owner; /* of a grid that goes through stages: which launch has zeroed the rest (turns.cuh) */
  unsigned long long unused;
  unsigned int tasks_allocated;
  unsigned int tasks_in_batch;
  unsigned int max_tasks_in_batch;
  unsigned int worklist_count;       /* may run past the list's end: readers take the lesser of the two */
  unsigned int worklist_sorted;      /* ranges on it for which a grid has been launched; host driver: which were taken */
  unsigned long long list_counts[3]; /* of turn t in t % 3: tasks in the upper half, their blocks in the lower one */
  unsigned int turn;                 /* device drivers: the batch at hand, whose deferred tasks are the next turn's */
  unsigned int deferring;            /* 1 while a batch is sure to come for deferred tasks */
  unsigned int live_tasks;           /* started and not ended, and roots and batches at work (account.cuh) */
  unsigned int live_blocks;          /* of helping grids, and one for all tasks together (account.cuh) */
  unsigned int launches_taken;       /* from the account that all sorts on the device share */
  unsigned int batches;
  unsigned int tiles_taken;             /* short array: by blocks that order them */
  unsigned int tiles_done;              /* and those that are ordered (await_tiles()) */
  unsigned int crowded_bucket;          /* and one more than the first bucket that was seen to have most of a tile */
  unsigned int buckets_taken;           /* by blocks that gather them */
  uint32_t gather_event;                /* the gathering's event in a trace */
  unsigned int buckets_seen;            /* and those whose blocks know where equal keys are (short_equal.cuh) */
  unsigned int equal_listed;            /* of those, many enough to be listed */
  unsigned int short_parts;             /* of a short array, empty ones included */
  unsigned int max_short_part_items;    /* items in the greatest of them; for a study alone */
  unsigned int disorder;                /* 1: an array that seemed to be in order is not */
  uint32_t direction;                   /* host driver: a Direction, the one that the array seems to be in */
  unsigned long long max_network_items; /* host driver: of a range that is left to the bitonic network */
  uint32_t network_arrivals;            /* host driver: of its grid's barrier */
  int first_fault;
};

/* Of the owner and what makes the rest begin at a multiple of 16: these are not zeroed. */
constexpr uint32_t OWNER_BYTES = 16;
static_assert(offsetof(Control, tasks_allocated) == OWNER_BYTES, "the rest follows");

/* Equal keys of a short array that its blocks share (short_equal.cuh). Zeros at first. */
struct alignas(16) EqualKeys {
  unsigned long long places; /* where they begin, in the upper half, and end; 0: nobody knows yet */
  unsigned long long key;    /* entered */
  unsigned int pieces_taken; /* may run past what there are */
};

/* The stages of an array that is divided by a map (mapped_array.cuh). */
enum class MapStage : uint32_t {
  draw,          /* draw a sample */
  look,          /* see what the map must be like, and whether the array is in order */
  look_again,    /* the same, since it is not in order */
  learn,         /* learn the lines from what has been drawn */
  count,         /* count the buckets */
  scatter,       /* move the keys to their buckets, or to groups of them */
  count_groups,  /* count the buckets of each group, if only groups have been counted */
  place,         /* find where those begin */
  scatter_again, /* from the groups to the buckets */
  sort           /* sort the buckets */
};
constexpr uint32_t MAP_STAGES = 10;

/* A stage, as a grid shares it out (turns.cuh). Zeros at first. */
struct alignas(16) StageTurn {
  unsigned int taken; /* shares, by blocks that run; may run past what there are */
  unsigned int done;  /* and those that have been done */
  uint32_t event;     /* its event in a trace */
};

/* What is known of such an array. Zeros at first. */
template <typename Bits>
struct MapFacts {
  KeyLines<Bits> lines;
  StageTurn turns[MAP_STAGES];
  uint32_t is_given_up;       /* 1: the buckets are too long */
  unsigned int buckets_taken; /* to be sorted on chip, by teams that had one */
  uint32_t coarse_shift;      /* a group has so many buckets, as a power of two; 0: one scatter does without groups */
  unsigned int long_count;    /* buckets that are too long for a team, but not for a block: they are listed */
  unsigned int long_taken;    /* of those, by blocks that sort them */
  unsigned int task_count;    /* that are too long for a block */
  unsigned int values_listed; /* that may be frequent. May run past the list's end */
  unsigned int values_at[FREQUENT_LEVELS]; /* those that were seen often enough, twice as often, and so on */
  uint32_t flagged_count;                  /* buckets with frequent values that a team sorts */
  unsigned int flagged_long;               /* and those that a block sorts */
  unsigned int flagged_taken;              /* of the former, by teams that sort them */
  unsigned int flagged_done;               /* of both, those whose frequent values have got their places */
  unsigned int pieces_taken;               /* of those frequent values' keys that several teams write */
};

/* The frequent values of a mapped array. Zeros at first. */
template <typename Bits, DeviceKind KIND>
struct FrequentTableOf {
  using Shape = FrequentShapeOf<Bits, KIND>;
  unsigned int slot_counts[Shape::SLOTS]; /* keys of the value in each slot. Zeros at first: nothing else here */
  uint32_t counts[Shape::MAX_VALUES];     /* and of each value */
  uint32_t sums[Shape::MAX_VALUES + 1];   /* of all values before it */
  uint32_t pieces[Shape::MAX_VALUES + 1]; /* likewise: of as many keys as a team should write, if there are more than that */
  uint32_t places[Shape::MAX_VALUES];     /* keys of its bucket that are less, without those of other frequent values */
  uint32_t flagged[Shape::MAX_VALUES];    /* buckets that have some */
  uint32_t begins[Shape::MAX_VALUES];     /* where its keys belong in the array */
  Bits values[Shape::MAX_VALUES];         /* in order, when all keys are counted */
  Bits slots[Shape::SLOTS];
  Bits listed[Shape::MAX_LISTED]; /* what may be one; some twice */
};
template <typename Bits>
using FrequentTable = FrequentTableOf<Bits, DEVICE_KIND>;

/* Those of a bucket, and a bit that says that it has some, with how many other keys it has. */
struct FrequentSpan {
  uint16_t first;
  uint16_t end;
};
constexpr uint32_t FLAGGED = 1u << 31;

/* And its tables. */
template <typename Bits>
struct MapTable {
  MapFacts<Bits> *facts;
  Bits *sample;               /* that is looked at */
  uint32_t *line_words;       /* LINE_WORDS */
  unsigned int *drawn;        /* of the sample, in each line. Zeros at first */
  unsigned int *counts;       /* of each bucket. Zeros at first */
  unsigned int *group_counts; /* of each group, if those are counted first. Zeros at first */
  unsigned int *taken;    /* of the first scatter: keys of each bucket or group that have been given a place. Zeros at first */
  unsigned int *searched; /* samples, by their hash. Zeros at first */
  FrequentTable<Bits> *frequent;
  KeptMarks<Bits> *kept;       /* of all keys' tiles, until the first scatter is over; NULL: too many keys */
  unsigned int *begins;        /* of each bucket, and where the last ends */
  unsigned int *items;         /* of each bucket, those that are moved; FLAGGED, if there are others */
  FrequentSpan *spans;         /* of each bucket that is flagged */
  unsigned int *cursors;       /* of the second scatter: where a bucket's next key goes */
  unsigned int *coarse_begins; /* where each group begins */
  unsigned int *coarse_ends;   /* and where the keys end that are moved to it */
};

/* Counters of a drawn sample, by the hash, of an array that may have so many buckets: a power of two. */
__host__ __device__ inline uint32_t searched_counters(uint32_t most_buckets) {
  uint32_t counters = 1;
  while (counters < most_buckets * SEARCHED_PER_BUCKET)
    counters *= 2;
  return counters;
}

/* The most buckets of a short array that has so many of unequal keys: with those of equal keys between them. */
__host__ __device__ constexpr uint32_t max_short_buckets(uint32_t fan_out) {
  return 2 * fan_out < MAX_BUCKETS ? 2 * fan_out : MAX_BUCKETS;
}

/*
 * A sort, as every kernel is given it.
 *
 * 1. Functions that are not inlined, and launches, take its address. What has an address lies on the stack: nvcc copies a
 *    parameter there, some 250 bytes of this one, in every thread, and what is left over in registers is spilled.
 * 2. A parameter that is __grid_constant__ has an address where it is, and nobody may change it.
 * Therefore every kernel takes it as one: 5 to 23 % less time with 2^14 to 2^24 keys on an H200, 2 to 4 % with 2^27
 * (docs/notes/grid-constants.md).
 */
template <typename Bits>
struct Sort {
  BlockRules<Bits> rules;
  Control *control;
  Task *tasks;
  ListedTask *lists[2]; /* of turn t in t % 2: deferred tasks; host driver: the tasks of a level */
  Range *worklist;      /* ranges that one block sorts, each */
  uint64_t count;
  uint64_t launch_number;    /* which no other launch has had (turns.cuh) */
  uint32_t zero_bytes;       /* behind the control block's owner, which such a grid begins with */
  uint32_t first_zero_bytes; /* of those, what the first block zeroes */
  cdp_path path;
  uint32_t block_items;  /* ranges up to this go on the worklist */
  uint32_t fair_depth;   /* two ways: halves of halves are no longer than that at this depth */
  uint32_t unfair_items; /* and ranges as deep go on the worklist up to this, lest there be more tasks than halves make */
  uint32_t depth_limit;  /* ranges at this depth are not partitioned by tasks */
  uint32_t task_capacity;
  uint32_t worklist_capacity;
  uint32_t task_budget;
  uint32_t task_launches; /* pending launches of a task */
  uint32_t launch_share;  /* of the pending-launch limit: what all sorts together may take */
  uint32_t max_blocks;    /* of a grid of thin blocks */
  uint32_t multiprocessors;
  uint32_t multiway_tile_items;   /* of the kernels' MultiwayShape, which the host does not know */
  uint32_t multiway_shared_bytes; /* of every fat block, but for a map's */
  uint32_t map_shared_bytes;      /* of those */
  uint32_t fan_out;               /* 2: every task has two children; otherwise the most buckets of unequal keys of a task */
  uint32_t max_buckets;           /* and with those of equal keys */
  uint32_t oversampling;          /* keys drawn for each of them */
  uint32_t target_range_items;    /* buckets of a task should be no larger than this on average */
  uint32_t may_defer;             /* 1: there may be more tasks than the budget of a batch */
  uint32_t counts_blocks;         /* 1: no batch will come, so that the last block gives launches back (account.cuh) */
  SplitterSet *splitter_sets;     /* task tables: one for each task */
  Bits *task_splitters;
  unsigned long long *task_cursors;
  uint32_t map_buckets;      /* the most that the array is divided into by a map (mapped_array.cuh); 0: there is none */
  uint32_t straight_buckets; /* those that a straight map makes */
  MapTable<Bits> map_table;
  uint32_t short_fan_out;      /* buckets of unequal keys of a short array (short_array.cuh) */
  uint32_t short_oversampling; /* keys drawn for each of them */
  uint32_t short_tile_items;   /* of its tiles */
  uint16_t *short_places;      /* where each bucket begins in each of its tiles */
  EqualKeys *short_equal;      /* MAX_SHORT_EQUAL of them */
  cdp_scheme scheme;
  ChildStream child_stream;
  Trace *trace; /* NULL: nobody asked (trace.cuh) */
  uint32_t trace_capacity;
  const uint32_t *wanted; /* NULL; or 0 there says that nothing is to be done, when the root begins */
};

/* Whether a root has nothing to do, and none of its grid may do anything. */
template <typename Bits>
__device__ __forceinline__ bool is_unwanted(const Sort<Bits> &sort) {
  return sort.wanted != nullptr && *sort.wanted == 0;
}

/* The event of no grid, and that of the root. */
constexpr uint32_t ROOT_EVENT = 0;
constexpr uint32_t NO_EVENT = UINT32_MAX;

constexpr uint32_t NO_SLOT = UINT32_MAX;

/* What becomes of a range: somebody else will see to it, or the block at hand must sort it. */
enum class Disposition : uint32_t { settled, in_block };

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

/* Puts a task on the list of a turn. A task is on it once at most, so the list is as long as the pool and never full. The
   order of the list is that of its blocks, since both are counted by one atomic. For one thread. */
template <typename Bits>
__device__ inline void list_task(const Sort<Bits> &sort, uint32_t turn, uint32_t slot, uint32_t blocks) {
  const unsigned long long before = atomicAdd(&sort.control->list_counts[turn % 3], (1ull << 32) + blocks);
  sort.lists[turn % 2][before >> 32] = {slot, static_cast<uint32_t>(before)};
}

/* Puts a range on the worklist. For one thread. */
template <typename Bits>
__device__ inline Disposition list_range(const Sort<Bits> &sort, const Range &range) {
  const uint32_t place = atomicAdd(&sort.control->worklist_count, 1u);
  if (place < sort.worklist_capacity) {
    sort.worklist[place] = range;
    count_at(sort.rules.counters, range.depth, &cdp_study_depth::collected, 1);
    return Disposition::settled;
  }
  count_at(sort.rules.counters, range.depth, &cdp_study_depth::fallback_pool, 1);
  return Disposition::in_block;
}

/* The ranges on the worklist. */
template <typename Bits>
__device__ inline uint32_t listed_ranges(const Sort<Bits> &sort) {
  const uint32_t count = sort.control->worklist_count;
  return count < sort.worklist_capacity ? count : sort.worklist_capacity;
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

/* The shape of grids of thin blocks, and of fat ones. */
template <typename Bits>
__host__ __device__ inline GridShape thin_grid(uint32_t blocks) {
  return {blocks, Shape<Bits>::BLOCK_THREADS, static_cast<uint32_t>(sizeof(BlockStorage))};
}

template <typename Bits>
__host__ __device__ inline GridShape fat_grid(const Sort<Bits> &sort, uint32_t blocks) {
  return {blocks, MultiwayShape<Bits>::BLOCK_THREADS, sort.multiway_shared_bytes};
}

/* Of fat ones, of a mapped array's stages. */
template <typename Bits>
__host__ __device__ inline GridShape map_grid(const Sort<Bits> &sort, uint32_t blocks) {
  return {blocks, MultiwayShape<Bits>::BLOCK_THREADS, sort.map_shared_bytes};
}

/* Clears the control block and, if there are any, the counters. live_tasks, live_blocks: those of the sort that have begun, or
   are sure to. All threads of the block take part; no barrier. */
template <typename Bits>
__device__ inline void clear_bookkeeping(const Sort<Bits> &sort, uint32_t live_tasks, uint32_t live_blocks) {
  if (threadIdx.x == 0) {
    *sort.control = Control{};
    sort.control->live_tasks = live_tasks;
    sort.control->live_blocks = live_blocks;
  }
  if (sort.rules.counters == nullptr)
    return;
  for (uint32_t row = threadIdx.x; row < CDP_STUDY_DEPTHS; row += blockDim.x) {
    sort.rules.counters[row] = cdp_study_depth{};
    sort.rules.counters[row].min_task_items = UINT64_MAX;
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
