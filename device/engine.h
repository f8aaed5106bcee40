/* SPDX-License-Identifier: MIT */
/*
 * The door between the host side (src/, C) and the device side (device/, CUDA C): the only header of device/ that src/ sees.
 *
 * An engine is one runtime in which the kernels run: CUDA, or the simulated device. Both are the same kernels behind the same
 * table of functions. src/ checks arguments, resolves options and reckons capacities; an engine trusts what it is given.
 */
#ifndef CDPSORT_DEVICE_ENGINE_H
#define CDPSORT_DEVICE_ENGINE_H

#include <cdpsort/partition.h>
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
  char name[128];             /* as cdp_last_device() gives it */
} cdp_device_facts;

/*
 * What a cdp_options and its cdp_tuning ask for, checked, in one flat structure. Every 0 that means "default" is replaced by
 * what it means, but for those that depend on more than the options and the type: device (the environment and the keys),
 * depth_limit, block_items and oversampling (count and device).
 */
typedef struct cdp_settings {
  cdp_order order;
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
  uint32_t short_items;     /* longer arrays of at most this many items are sorted in two launches if they can be; 0: none */
  uint32_t block_items;     /* 0: the default */
  uint32_t oversampling;    /* 0: the default */
} cdp_settings;

/*
 * One sort with every option resolved: no zeros that mean "default" are left, except where said.
 *
 * The workspace, from its beginning (each part aligned to CDP_WORKSPACE_ALIGNMENT; cdp_engine_workspace_bytes() adds it up):
 *
 *     | scratch keys | control | counters | tasks | two lists of deferred tasks | collected ranges | block map | set tables |
 *       count keys                          task_capacity                         worklist_capacity  host loop   many children
 *
 *     | places |
 *       short arrays only: where each bucket begins in each tile
 *
 * SplitterSet tables: task_capacity splitter_sets, then as many times fan_out splitters, then as many times twice fan_out cursors (at most
 * MAX_BUCKETS).
 */
typedef struct cdp_request {
  void *d_keys;
  uint64_t count; /* at least 2 */
  cdp_type type;
  cdp_order order;
  uint32_t depth_limit; /* 0: nothing is partitioned */
  uint32_t leaf_items;
  uint32_t block_items;        /* ranges of at most this many items are finished by one block; at least leaf_items */
  uint32_t device_kind;        /* the device's */
  uint32_t fan_out;            /* CDP_FAN_OUT_CLASSIC, or the most buckets of a task: a power of two */
  uint32_t single_items;       /* arrays of at most this many items are sorted by the root's one block */
  uint32_t short_fan_out;      /* buckets of an array that is sorted in two launches; 0: it is longer, or shorter */
  uint32_t short_oversampling; /* keys drawn for each of them */
  uint32_t short_tile_items;   /* items of its tiles */
  uint32_t oversampling;       /* many-way: keys drawn for each bucket of a task */
  uint32_t target_range_items; /* many-way: what the ranges that one block finishes should have on average */
  cdp_scheme scheme;
  cdp_child_streams child_streams;
  cdp_pivot pivot;
  uint64_t seed;
  uint32_t multiprocessors;
  uint32_t task_capacity;      /* at least 1 */
  uint32_t worklist_capacity;  /* at least 1 */
  uint32_t block_map_capacity; /* 0 unless the scheme is the host loop */
  uint32_t task_budget;        /* most tasks, bitonic sorts and fills started in one batch */
  uint32_t task_launches;      /* pending launches that each of them counts for */
  uint32_t launch_share;       /* pending launches that all sorts on the device may have together, but for a task each */
  void *d_workspace;
  void *d_trace;           /* cdp_engine_trace_bytes(), aligned to CDP_WORKSPACE_ALIGNMENT; NULL: no trace */
  uint32_t trace_capacity; /* events; 0 without a trace */
} cdp_request;

/* Bytes of workspace for these capacities; pure arithmetic. UINT64_MAX if they cannot be counted. */
uint64_t cdp_engine_workspace_bytes(const cdp_request *request);

/* Bytes of the set table of one task with many children, of those in the workspace. */
uint64_t cdp_engine_task_table_bytes(const cdp_request *request);

/* Bytes of a trace of so many events. */
uint64_t cdp_engine_trace_bytes(size_t capacity);

/* Bytes of a key; 0 for a type that is none. */
uint32_t cdp_engine_key_bytes(cdp_type type);

/* Greatest leaf_items for a type on the engine with the smaller tiles; the public constants state it. */
uint32_t cdp_engine_max_leaf_items(cdp_type type);

/* What the many-way partition can do for a type on a kind of device. */
typedef struct cdp_multiway_facts {
  uint32_t block_threads;
  uint32_t max_samples;      /* keys of a sample */
  uint32_t short_tile_items; /* the small tile, for arrays that have few of them */
  uint32_t tile_items;       /* what a block orders at once, and the longest range that stays in its shared memory */
  uint32_t max_range_items;  /* the longest range that one block sorts by itself */
  uint32_t leaf_buckets;     /* a range of leaf_items times as many as this is divided well enough by one block */
} cdp_multiway_facts;
void cdp_engine_multiway_facts(uint32_t device_kind, cdp_type type, cdp_multiway_facts *facts);

/* Blocks that a level of the host loop may need at most: the block map's capacity. The request has its task capacity. */
uint64_t cdp_engine_max_level_blocks(const cdp_request *request);

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

/* As cdp_engine_workspace_bytes(), for a partition. */
uint64_t cdp_engine_partition_workspace_bytes(const cdp_partition_request *request);

/* What a blocking sort is to find out about itself. */
typedef struct cdp_gathering {
  double milliseconds; /* receives the time from the launch to the end on the device */
  cdp_study *study;    /* NULL: nobody wants the counts; a trace needs a study */
  cdp_trace *trace;    /* NULL: nobody wants a trace; otherwise cdp_request::d_trace has room for it */
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

  /* Copies between host and current device, in either direction; returns when done. */
  cdp_status (*copy)(void *destination, const void *source, size_t bytes, cdp_fault *fault);

  /* Launches a sort on `stream` (a cudaStream_t) and returns. Not for the host loop. */
  cdp_status (*launch)(const cdp_request *request, void *stream, cdp_fault *fault);

  /* Waits for the device's earlier work, sorts, waits for the end, and fills what is to be gathered. */
  cdp_status (*sort)(const cdp_request *request, cdp_gathering *gathering, cdp_fault *fault);

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
