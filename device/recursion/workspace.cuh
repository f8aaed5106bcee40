/* SPDX-License-Identifier: MIT */
/*
 * The workspace: where each part begins. The drawing is in engine.h.
 */
#ifndef CDPSORT_DEVICE_RECURSION_WORKSPACE_CUH
#define CDPSORT_DEVICE_RECURSION_WORKSPACE_CUH

#include "engine.h"
#include "recursion/task.cuh"

namespace cdp::CDP_RUNTIME {

/* Offsets in bytes from the beginning of the workspace, each a multiple of CDP_WORKSPACE_ALIGNMENT, and the end of it all. */
struct WorkspaceParts {
  uint64_t scratch;
  uint64_t control;
  uint64_t counters;
  uint64_t tasks;
  uint64_t lists[2];
  uint64_t collected;
  uint64_t block_map;
  uint64_t splitter_sets;
  uint64_t task_splitters;
  uint64_t task_cursors;
  uint64_t short_places;
  uint64_t end;
};

/* The most buckets of a task, those of equal keys included: as many as shared memory has counters for, or twice the set-out. */
inline uint32_t max_buckets(uint32_t fan_out) {
  return 2 * fan_out < MAX_BUCKETS ? 2 * fan_out : MAX_BUCKETS;
}

/* Entries of a short array's table: for each tile, one of which may stick out in front, where the buckets begin and the last
   ends. */
inline uint64_t short_places(const cdp_request &request) {
  if (request.short_fan_out == 0)
    return 0;
  return (request.count / request.short_tile_items + 2) * (request.short_fan_out + 1);
}

/* Where a part begins that is put behind `end`, which becomes its end, rounded up. */
inline uint64_t add_part(uint64_t &end, uint64_t count, uint64_t bytes_each) {
  const uint64_t begin = end;
  end = (end + count * bytes_each + CDP_WORKSPACE_ALIGNMENT - 1) / CDP_WORKSPACE_ALIGNMENT * CDP_WORKSPACE_ALIGNMENT;
  return begin;
}

inline WorkspaceParts workspace_parts(const cdp_request &request) {
  uint64_t end = 0;
  const auto part = [&end](uint64_t count, uint64_t bytes_each) { return add_part(end, count, bytes_each); };
  WorkspaceParts parts;
  parts.scratch = part(request.count, cdp_engine_key_bytes(request.type));
  parts.control = part(1, sizeof(Control));
  parts.counters = part(CDP_STUDY_DEPTHS, sizeof(cdp_study_depth));
  parts.tasks = part(request.task_capacity, sizeof(Task));
  parts.lists[0] = part(request.task_capacity, sizeof(uint32_t));
  parts.lists[1] = part(request.task_capacity, sizeof(uint32_t));
  parts.collected = part(request.worklist_capacity, sizeof(Range));
  parts.block_map = part(request.block_map_capacity, sizeof(uint32_t));
  const uint64_t multiway_tasks = request.fan_out == CDP_FAN_OUT_CLASSIC ? 0 : request.task_capacity;
  parts.splitter_sets = part(multiway_tasks, sizeof(SplitterSet));
  parts.task_splitters = part(multiway_tasks * request.fan_out, cdp_engine_key_bytes(request.type));
  parts.task_cursors = part(multiway_tasks * max_buckets(request.fan_out), sizeof(unsigned long long));
  parts.short_places = part(short_places(request), sizeof(uint16_t));
  parts.end = end;
  return parts;
}

/* The longest range that a warp sorts by itself: see WARP_LEAVES. */
inline uint32_t piece_items(const cdp_request &request) {
  const uint32_t most = request.leaf_items * WARP_LEAVES;
  const uint32_t share = request.block_items / PIECES_PER_BLOCK;
  const uint32_t items = share < most ? share : most;
  return items > request.leaf_items ? items : request.leaf_items;
}

/* The sort that a request describes. */
template <typename Bits>
inline Sort<Bits> make_sort(const cdp_request &request, bool counted) {
  const WorkspaceParts parts = workspace_parts(request);
  unsigned char *workspace = static_cast<unsigned char *>(request.d_workspace);
  Sort<Bits> sort;
  sort.rules.sides[static_cast<uint32_t>(Side::keys)] = static_cast<Bits *>(request.d_keys);
  sort.rules.sides[static_cast<uint32_t>(Side::scratch)] = reinterpret_cast<Bits *>(workspace + parts.scratch);
  sort.rules.map = key_map<Bits>(request.type, request.order);
  sort.rules.seed = request.seed;
  sort.rules.depth_limit = request.depth_limit;
  sort.rules.leaf_items = request.leaf_items;
  sort.rules.piece_items = piece_items(request);
  sort.rules.pivot = request.pivot;
  sort.rules.counters = counted ? reinterpret_cast<cdp_study_depth *>(workspace + parts.counters) : nullptr;
  sort.control = reinterpret_cast<Control *>(workspace + parts.control);
  sort.tasks = reinterpret_cast<Task *>(workspace + parts.tasks);
  sort.lists[0] = reinterpret_cast<uint32_t *>(workspace + parts.lists[0]);
  sort.lists[1] = reinterpret_cast<uint32_t *>(workspace + parts.lists[1]);
  sort.collected = reinterpret_cast<Range *>(workspace + parts.collected);
  sort.block_map = reinterpret_cast<uint32_t *>(workspace + parts.block_map);
  sort.count = request.count;
  sort.block_items = request.block_items;
  sort.task_capacity = request.task_capacity;
  sort.worklist_capacity = request.worklist_capacity;
  sort.task_budget = request.task_budget;
  sort.task_launches = request.task_launches;
  sort.launch_share = request.launch_share;
  sort.max_blocks = request.multiprocessors * Shape<Bits>::ROW.blocks_per_multiprocessor;
  sort.multiprocessors = request.multiprocessors;
  sort.multiway_shared_bytes = multiway_shared_bytes<Bits>(static_cast<DeviceKind>(request.device_kind));
  sort.fan_out = request.fan_out;
  sort.max_buckets = max_buckets(request.fan_out);
  sort.single_items = request.single_items;
  sort.oversampling = request.oversampling;
  sort.target_range_items = request.target_range_items;
  // A level's tasks have disjoint ranges, longer than block_items each, and few buckets are so long. A batch that may not be
  // needed costs some 40 us; without it, what is over the budget is sorted by a block.
  sort.may_defer = request.count / request.block_items / 2 + 1 > request.task_budget;
  sort.counts_blocks = request.fan_out != CDP_FAN_OUT_CLASSIC && (!sort.may_defer || request.short_fan_out != 0);
  sort.splitter_sets = reinterpret_cast<SplitterSet *>(workspace + parts.splitter_sets);
  sort.task_splitters = reinterpret_cast<Bits *>(workspace + parts.task_splitters);
  sort.task_cursors = reinterpret_cast<unsigned long long *>(workspace + parts.task_cursors);
  sort.short_fan_out = request.short_fan_out;
  sort.short_oversampling = request.short_oversampling;
  sort.short_tile_items = request.short_tile_items;
  sort.short_places = reinterpret_cast<uint16_t *>(workspace + parts.short_places);
  sort.scheme = request.scheme;
  sort.child_stream = request.child_streams == CDP_STREAMS_NAMED ? ChildStream::named : ChildStream::fire_and_forget;
  sort.trace = static_cast<Trace *>(request.d_trace);
  sort.trace_capacity = request.trace_capacity;
  return sort;
}

/* Adds a row to the sum of all. */
inline void add_row(const cdp_study_depth &row, cdp_study_depth *total) {
  using Field = uint64_t cdp_study_depth::*;
  constexpr Field SUMMED[] = {&cdp_study_depth::tasks,
                              &cdp_study_depth::task_items,
                              &cdp_study_depth::parts,
                              &cdp_study_depth::balance,
                              &cdp_study_depth::block_partitions,
                              &cdp_study_depth::block_items,
                              &cdp_study_depth::equal_items,
                              &cdp_study_depth::leaves,
                              &cdp_study_depth::leaf_items,
                              &cdp_study_depth::network_items,
                              &cdp_study_depth::collected,
                              &cdp_study_depth::children_launched,
                              &cdp_study_depth::launches_refused,
                              &cdp_study_depth::deferred,
                              &cdp_study_depth::fallback_depth,
                              &cdp_study_depth::fallback_refused,
                              &cdp_study_depth::fallback_pool,
                              &cdp_study_depth::bytes_moved};
  static_assert(sizeof SUMMED / sizeof *SUMMED + 2 == sizeof(cdp_study_depth) / sizeof(uint64_t), "all but least and greatest");
  for (const Field field : SUMMED)
    total->*field += row.*field;
  if (row.tasks != 0 && (total->min_task_items == 0 || row.min_task_items < total->min_task_items))
    total->min_task_items = row.min_task_items;
  if (row.max_task_items > total->max_task_items)
    total->max_task_items = row.max_task_items;
}

/* Whether anything happened at a depth. */
inline bool is_used(const cdp_study_depth &row) {
  return row.tasks + row.block_partitions + row.equal_items + row.leaves + row.network_items + row.collected +
             row.children_launched + row.launches_refused + row.fallback_depth + row.fallback_refused + row.fallback_pool +
             row.bytes_moved !=
         0;
}

/* Makes a study of what a sort left behind. `study->depths` holds the counters as they were read (block/count.cuh). A sort that
 * one block did has no tasks. */
inline void fill_study(const cdp_request &request, const Control &control, double milliseconds, cdp_study *study) {
  study->depth_count = 0;
  study->tasks_in_batch = control.max_tasks_in_batch;
  study->task_capacity = request.task_capacity;
  study->tasks_allocated = control.tasks_allocated;
  study->first_fault = control.first_fault;
  study->batches = control.batches;
  study->scheme = request.scheme;
  study->milliseconds = milliseconds;
  cdp_study_depth &whole = study->depths[0];
  if (control.short_parts != 0)
    whole.balance = split_balance(control.short_parts, whole.task_items - whole.equal_items, control.max_short_part_items);
  for (uint32_t depth = 0; depth < CDP_STUDY_DEPTHS; depth++) {
    cdp_study_depth &row = study->depths[depth];
    if (row.tasks == 0)
      row.min_task_items = 0;
    row.bytes_moved = (row.bytes_moved + 2 * row.leaf_items) * cdp_engine_key_bytes(request.type);
    if (is_used(row))
      study->depth_count = depth + 1;
    add_row(row, &study->total);
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
