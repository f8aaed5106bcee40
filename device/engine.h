/* SPDX-License-Identifier: MIT */
/*
 * The door between the host side (src/, C) and the device side (device/, CUDA C): the only header of device/ that src/ sees.
 *
 * An engine is one runtime in which the kernels run: CUDA, or the simulated device. Both are the same kernels behind the same
 * table of functions. src/ checks arguments and resolves options, has cdp_engine_plan() make a plan of them, and gives an
 * engine the plan and memory; an engine trusts what it is given.
 */
#ifndef CDPSORT_DEVICE_ENGINE_H
#define CDPSORT_DEVICE_ENGINE_H

#include <cdpsort/pairs.h>
#include <cdpsort/partition.h>
#include <cdpsort/select.h>
#include <cdpsort/study.h>
#include <cdpsort/tuning.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What went wrong: CUDA's own code (0 where CUDA had no part in it) and a sentence for the caller. */
typedef struct cdp_fault {
  int cuda_error;
  char text[256];
} cdp_fault;

typedef enum cdp_memory_kind {
  CDP_MEMORY_HOST, /* pageable, or pinned: the device is given a copy */
  CDP_MEMORY_DEVICE,
  CDP_MEMORY_MANAGED
} cdp_memory_kind;

/* Where a pointer points. `ordinal` is the device's for device memory, -1 otherwise. */
typedef struct cdp_memory_place {
  cdp_memory_kind kind;
  int ordinal;
} cdp_memory_place;

/* What was current when a device was entered. */
typedef struct cdp_previous {
  int ordinal;
  bool is_switched; /* false: the device was current already, and nothing has to be set back */
  void *context;    /* CUDA: the thread's CUcontext, if it is switched and there was one */
} cdp_previous;

typedef struct cdp_device_facts {
  uint32_t device_kind; /* a DeviceKind of tuning.h: how large the blocks of the many-way partition are */
  uint32_t multiprocessors;
  uint32_t pending_limit;     /* device launches pending at once, at most */
  uint32_t pending_limit_min; /* what sorts that launch from the device need it to be; 0: any will do */
  bool launches_from_device;  /* whether kernels can launch kernels there */
  char name[128];             /* as cdp_last_device() gives it */
} cdp_device_facts;

/* The way that an array takes. */
typedef enum cdp_path {
  CDP_PATH_ONE_BLOCK, /* one block sorts it: one launch, no other */
  CDP_PATH_SHORT,     /* two grids do, without tasks (recursion/short_array.cuh) */
  CDP_PATH_TASKS,     /* the recursion */
  CDP_PATH_COUNTED    /* narrow keys are counted, and written (recursion/counted_array.cuh) */
} cdp_path;

/*
 * What a cdp_options and its cdp_tuning ask for, checked, in one flat structure. Every 0 that means "default" is replaced by
 * what it means, but for those that depend on more than the options and the type: device (the environment and the keys),
 * depth_limit, block_items and oversampling (count and device).
 */
typedef struct cdp_settings {
  cdp_order order;
  cdp_ties ties;
  int32_t device; /* CDP_DEVICE_AUTO, which is 0, or as there */
  uint64_t seed;
  cdp_scheme scheme;
  cdp_child_streams child_streams;
  cdp_pivot pivot;
  uint32_t depth_limit; /* 0: the default; CDP_DEPTH_NONE */
  uint32_t leaf_items;
  bool bitonic_leaf; /* ranges of at most leaf_items are bitonically sorted by one warp, and nothing else ends the recursion */
  uint32_t fan_out;
  cdp_allocator allocator;  /* both functions, or NULL both */
  uint32_t one_block_items; /* arrays of at most this many items are sorted by one block if it can; 0: none */
  uint32_t short_items;     /* longer arrays of at most this many items are sorted as short ones if they can be; 0: none */
  bool short_is_set;        /* that number was asked for */
  bool maps;                /* the array may be divided by a map of its keys rather than by splitters */
  uint32_t block_items;     /* 0: the default */
  uint32_t oversampling;    /* 0: the default */
} cdp_settings;

/*
 * How a sort goes: cdp_engine_plan() makes it, the caller adds the memory, and kernels decide nothing of it again.
 *
 * The workspace, from its beginning (each part aligned to CDP_WORKSPACE_ALIGNMENT):
 *
 *     | scratch keys | control | counters | map | tasks |   two lists of tasks   | worklist | set tables | places |
 *       count keys                       map_buckets  task_capacity            worklist_capacity  many children  short path
 *
 * Map: what is known of it, the sample and the buckets' cursors, zeroed with all from the control block on; lines and groups.
 * Set tables: task_capacity splitter sets, then as many times fan_out splitters, then as many times max_buckets cursors.
 * Places: where each bucket begins in each tile.
 */
typedef struct cdp_plan {
  /* What is sorted, and how keys are chosen. */
  uint64_t count; /* at least 2 */
  cdp_type type;
  cdp_order order;
  cdp_pivot pivot;
  uint64_t seed;

  /* Who sorts it. */
  cdp_path path;
  cdp_scheme scheme;    /* what will run: that of the settings, or CDP_SCHEME_HOST where it must be; not the default */
  bool is_captured;     /* the stream is being captured into a graph */
  uint32_t host_levels; /* tasks that the host launches: levels, one behind the other; otherwise 0 */
  cdp_child_streams child_streams;
  uint32_t device_kind; /* the device's */
  uint32_t multiprocessors;

  /* What becomes of ranges. */
  uint32_t fan_out;            /* CDP_FAN_OUT_CLASSIC, or the most buckets of unequal keys of a task: a power of two */
  uint32_t max_buckets;        /* and with those of equal keys */
  uint32_t depth_limit;        /* tasks: ranges at this depth are sorted by the bitonic network; 0: all are */
  uint32_t block_depth_limit;  /* the same within a block: at least depth_limit */
  uint32_t one_block_items;    /* arrays up to this take that path */
  uint32_t block_items;        /* ranges up to this are finished by one block; at least leaf_items */
  uint32_t fair_depth;         /* two ways: depth at which fair parts are no longer than that; UINT32_MAX: none is known */
  uint32_t unfair_items;       /* two ways: ranges at least as deep are finished by one block up to this */
  uint32_t target_range_items; /* many children: what those should have on average */
  uint32_t oversampling;       /* many children: keys drawn for each bucket of a task */
  uint32_t leaf_items;         /* ranges up to this are a warp's, in registers */
  bool bitonic_leaf;           /* leaves are bitonic and no longer than that: nothing is merged, no bucket is longer */
  bool merges;                 /* the one block merges the array in registers */
  uint32_t piece_items;        /* parts up to this are one warp's */
  uint32_t long_items;         /* many ways: buckets up to this are one warp's */
  uint32_t merge_items;        /* many ways: ranges up to this are merged in the block's registers; 0: none */

  uint32_t map_buckets;      /* the most that a map divides the array into; 0: no map */
  uint32_t straight_buckets; /* and those that it makes of keys that are spread evenly */
  /* Short path; otherwise 0. */
  uint32_t short_fan_out;      /* buckets of unequal keys */
  uint32_t short_oversampling; /* keys drawn for each of them */
  uint32_t short_tile_items;
  uint32_t short_blocks; /* of the grid */

  /* Grids and launches. */
  uint32_t max_blocks;            /* of a grid that partitions, fills or does a step of the network */
  uint32_t multiway_tile_items;   /* partitioned many ways: the host's code may be compiled for another kind of device */
  uint32_t multiway_shared_bytes; /* of every block that partitions many ways by splitters */
  uint32_t map_shared_bytes;      /* of those that do by a map, and sort its buckets */
  uint32_t short_shared_bytes;    /* of those of a short array's grid */
  uint32_t task_budget;           /* most tasks, bitonic sorts and fills started in one batch */
  uint32_t task_launches;         /* pending launches that each of them counts for */
  uint32_t launch_share;          /* pending launches that all sorts on the device may have together, but for a task each */
  bool may_defer;                 /* there may be more tasks than a batch starts */
  bool counts_blocks;             /* no batch gives launches back, so that the last block does */

  /* Room. */
  uint32_t task_capacity;     /* at least 1 */
  uint32_t worklist_capacity; /* at least 1 */
  uint64_t workspace_bytes;

  /* Memory, the caller's to fill in; NULL and 0 from cdp_engine_plan(). */
  void *d_keys;
  void *d_workspace;        /* workspace_bytes, aligned to CDP_WORKSPACE_ALIGNMENT */
  void *d_trace;            /* cdp_engine_trace_bytes(), likewise; NULL: no trace */
  const uint32_t *d_wanted; /* NULL; or a word that is 0, when the sort begins, only if keys are in order: then nothing need be
                               done. Where the host launches a sort by a map, the keys are looked at, and not the word */
  uint32_t trace_capacity;  /* events; 0 without a trace */
} cdp_plan;

/*
 * Plans the sort of `count` keys of a valid type. is_captured: the stream is being captured into a graph, which waits for no
 * grid that another launches. The same arguments give the same plan; captured, or under a lower pending-launch limit, it has
 * no more workspace_bytes than otherwise. CDP_ERROR_SIZE, with *plan undefined, unless count is from 2 to CDP_COUNT_MAX.
 */
cdp_status cdp_engine_plan(const cdp_settings *resolved, cdp_type type, uint64_t count, const cdp_device_facts *facts,
                           bool is_captured, cdp_plan *plan);

/* A number that no other launch of a sort has had, in this process or, as good as surely, in one before it. */
uint64_t cdp_engine_next_launch(void);

/* Bytes of a trace of so many events. */
uint64_t cdp_engine_trace_bytes(size_t capacity);

/* Bytes of a key; 0 for a type that is none. */
uint32_t cdp_engine_key_bytes(cdp_type type);

/* Whether keys of a type are so narrow that their values are counted: then there is no recursion, and nothing to study. */
bool cdp_engine_is_counted(cdp_type type);

/* Greatest leaf_items for a type on the engine with the smaller tiles; the public constants state it. */
uint32_t cdp_engine_max_leaf_items(cdp_type type);

/*
 * One partition. The workspace, from its beginning (each part aligned to CDP_WORKSPACE_ALIGNMENT):
 *
 *     | scratch keys | totals of the parts | what each share has of them |
 *       count keys                           CDP_PARTITION_SCAN alone
 */
typedef struct cdp_partition_request {
  void *d_keys;
  uint64_t count; /* at least 1 */
  cdp_type type;
  cdp_order order;
  cdp_partition_kind kind; /* not the default */
  uint64_t pivot;          /* its bytes, and zeros behind them */
  uint64_t seed;           /* of the simulated device's schedule */
  bool simulated;          /* the engine's */
  uint32_t multiprocessors;
  void *d_workspace;
} cdp_partition_request;

/* Bytes of workspace for a partition; pure arithmetic. UINT64_MAX if they cannot be counted. */
uint64_t cdp_engine_partition_workspace_bytes(const cdp_partition_request *request);

/* ---- Values that go with keys (payload/) ------------------------------------------------------------------------------- */

/* What is asked for. A plan is made of it without a look at any pointer. */
typedef struct cdp_payload_request {
  cdp_type type;
  cdp_order order;
  cdp_ties ties;
  uint64_t count; /* 1 to CDP_PAIRS_COUNT_MAX */
  const void *d_keys;
  void *d_sorted_keys;  /* may be d_keys; NULL: nobody wants them */
  void *d_indices;      /* NULL: nobody wants them */
  uint32_t index_bytes; /* 4 or 8; 0: no indices */
  uint32_t column_count;
  cdp_column columns[CDP_COLUMNS_MAX]; /* at most UINT32_MAX bytes a value */
} cdp_payload_request;

/*
 * How it is done: by a sort of items of 8 bytes. The workspace, from its beginning (each part aligned to CDP_WORKSPACE_ALIGNMENT):
 *
 *     | items        | workspace of the sort, or what is gathered | window                 | origins, lower order | sorted keys     |
 *       count, 8 bytes                                              keys of 8 bytes, or     keys of 8 bytes       and indices, too
 *                                                                   where things are regrouped
 *     | counts of buckets | regrouped: keys           | first indices | each column |
 *       all of it only where things are regrouped; keys only where they are gathered, indices where they are asked for
 */
typedef struct cdp_payload_plan {
  cdp_payload_request asked;
  bool travels;          /* the value is the lower half of its item; otherwise a position is in the lower bits */
  uint32_t low_bits;     /* of an item, below the key */
  uint32_t regroup_bits; /* what is gathered is first brought into so many buckets, this being their logarithm; 0: it is not */
  uint32_t tiles;        /* of keys that are regrouped */
  cdp_plan sort;         /* of the items; undefined for one key */
  uint64_t shared;       /* where parts begin */
  uint64_t window;
  uint64_t origins;
  uint64_t lower_order;
  uint64_t sorted_keys;
  uint64_t bucket_counts;
  uint64_t regrouped_keys;
  uint64_t first_indices;
  uint64_t regrouped_columns[CDP_COLUMNS_MAX];
  uint64_t workspace_bytes;
  void *d_workspace; /* the caller's to fill in */
} cdp_payload_plan;

/* Plans it. `resolved` is for keys of type CDP_U64, is_captured as for cdp_engine_plan(). CDP_ERROR_SIZE, with *plan undefined,
   if the workspace cannot be addressed. */
cdp_status cdp_engine_plan_payload(const cdp_settings *resolved, const cdp_payload_request *request,
                                   const cdp_device_facts *facts, bool is_captured, cdp_payload_plan *plan);

#include "engine_select.h" /* half a sort */

/* ---- Engines ----------------------------------------------------------------------------------------------------------- */

/* What a blocking sort is to find out about itself. */
typedef struct cdp_gathering {
  double milliseconds; /* receives the time from the launch to the end on the device */
  cdp_study *study;    /* NULL: nobody wants the counts; a trace needs a study */
  cdp_trace *trace;    /* NULL: nobody wants a trace; otherwise cdp_plan::d_trace has room for it */
} cdp_gathering;

/* The functions of a runtime. Those that return a status fill *fault unless it is CDP_OK. */
typedef struct cdp_engine {
  bool simulated;

  /* Number of devices; with a fault that says why where there are none (no driver, no device, driver too old). */
  int (*device_count)(cdp_fault *fault);

  /* Makes a device current for the calling thread (*previous receives what was), and back: to the same context, which need not
     be the primary one of its device. An enter() that failed has set back what it had set. */
  cdp_status (*enter)(int ordinal, cdp_previous *previous, cdp_fault *fault);
  void (*leave)(const cdp_previous *previous);

  /* The thread's current device. */
  cdp_status (*current)(int *ordinal, cdp_fault *fault);

  /* What a device is like. It must be the current one. CDP_ERROR_UNSUPPORTED if the sort cannot run on it. */
  cdp_status (*describe)(int ordinal, cdp_device_facts *facts, cdp_fault *fault);

  /* Where memory lies. Never fails for host memory, known to CUDA or not. Needs no current device. */
  cdp_status (*locate)(const void *pointer, cdp_memory_place *place, cdp_fault *fault);

  /* Device memory of the current device, aligned to CDP_WORKSPACE_ALIGNMENT. bytes > 0. CDP_ERROR_MEMORY if there is none. */
  cdp_status (*allocate)(size_t bytes, void **memory, cdp_fault *fault);
  void (*release)(void *memory); /* NULL is nothing to do */

  /* The same in a stream's order: memory is there for what the stream is given from now on, and until it is given back. `stream`
     is a cudaStream_t. CDP_ERROR_UNSUPPORTED for a device that has no such memory. */
  cdp_status (*allocate_on_stream)(size_t bytes, void *stream, void **memory, cdp_fault *fault);
  cdp_status (*release_on_stream)(void *memory, void *stream, cdp_fault *fault);

  /* Copies between host and current device, in either direction; returns when done. */
  cdp_status (*copy)(void *destination, const void *source, size_t bytes, cdp_fault *fault);

  /* Whether `stream` (a cudaStream_t) is being captured into a graph. */
  cdp_status (*is_captured)(void *stream, bool *captured, cdp_fault *fault);

  /* Launches a sort on a stream and returns. */
  cdp_status (*launch)(const cdp_plan *plan, void *stream, cdp_fault *fault);

  /* Waits for the device's earlier work, sorts, waits for the end, and fills what is to be gathered. */
  cdp_status (*sort)(const cdp_plan *plan, cdp_gathering *gathering, cdp_fault *fault);

  /* The same for keys with what goes with them; there is nothing to gather. */
  cdp_status (*launch_payload)(const cdp_payload_plan *plan, void *stream, cdp_fault *fault);
  cdp_status (*sort_payload)(const cdp_payload_plan *plan, cdp_fault *fault);

  /* The same for half a sort. */
  cdp_status (*launch_select)(const cdp_select_plan *plan, void *stream, cdp_fault *fault);
  cdp_status (*select)(const cdp_select_plan *plan, cdp_fault *fault);

  /* Waits for the device's earlier work, partitions, waits for the end, and fills *parts. */
  cdp_status (*partition)(const cdp_partition_request *request, cdp_parts *parts, cdp_fault *fault);

  /* For tests: the pending-launch limit, process-wide for the current device. */
  cdp_status (*set_pending_limit)(uint32_t limit, cdp_fault *fault);
} cdp_engine;

/* The engine of CUDA; NULL in a build without the CUDA toolkit. */
const cdp_engine *cdp_engine_cuda(void);

/* The engine of the simulated device. Its one device has the ordinal 0. */
const cdp_engine *cdp_engine_simulated(void);

#ifdef __cplusplus
}
#endif

#endif
