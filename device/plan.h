/* SPDX-License-Identifier: MIT */
/*
 * What src/ has planned, and an engine does: a sort of keys, and a partition. A part of engine.h, which includes it. plan.cpp makes the
 * plan of a sort.
 */
#ifndef CDPSORT_DEVICE_PLAN_H
#define CDPSORT_DEVICE_PLAN_H

#include <cdpsort/partition.h>
#include <cdpsort/study.h>
#include <cdpsort/tuning.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cdp_device_facts {
  uint32_t device_kind; /* a DeviceKind of tuning.h: how large the blocks of the many-way partition are */
  uint32_t multiprocessors;
  /* Device launches pending at once, at most, on the device with such an ordinal; 0 if it does not say. It can be set at any time,
     and to ask takes some microseconds: it is asked for a sort that would launch from the device. */
  uint32_t (*pending_limit)(int ordinal);
  int ordinal;
  uint32_t pending_limit_min; /* what sorts that launch from the device need it to be; 0: any will do */
  bool launches_from_device;  /* whether kernels can launch kernels there */
  bool overlaps_grids;        /* whether they can wait for the grid in front of theirs, and so begin before it is complete */
  const char *name;           /* as cdp_last_device() gives it, for as long as the process runs */
} cdp_device_facts;

/* The way that an array takes. */
typedef enum cdp_path {
  CDP_PATH_ONE_BLOCK, /* one block sorts it: one launch, no other */
  CDP_PATH_SHORT,     /* one grid does, without tasks, and a block behind it (recursion/short_array.cuh) */
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
 * Before those, a map has marks there: which keys are moved, a bit or two for each.
 * Places: where each bucket begins in each tile.
 */
typedef struct cdp_plan {
  /* What is sorted, and how keys are chosen. */
  uint64_t count; /* at least 2; of a copy, a plan of one key says so, the type and no more */
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
  bool overlaps_grids; /* as there */

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
  uint32_t straight_buckets; /* and those that it makes of keys that are spread evenly, hardly any of them equal */
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
  const uint32_t *d_wanted; /* NULL; or a word that is 0, when the sort begins, only if nothing need be done: keys are in
                               order, or nobody wants them. Where the host launches a sort by a map, keys are looked at, and
                               not the word */
  uint32_t trace_capacity;  /* events; 0 without a trace */
  const void *d_source;     /* NULL; or where the keys are at first: they are copied to d_keys */
} cdp_plan;

/*
 * Plans the sort of `count` keys of a valid type. is_captured: the stream is being captured into a graph, which waits for no
 * grid that another launches. The same arguments, and the same pending-launch limit where it is asked for, give the same plan;
 * captured, or under a lower limit, it has no more workspace_bytes than otherwise. CDP_ERROR_SIZE, with *plan undefined, unless count is from 2 to CDP_COUNT_MAX.
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

#ifdef __cplusplus
}
#endif

#endif
