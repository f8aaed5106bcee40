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
  uint64_t short_equal;
  uint64_t map_facts;
  uint64_t map_drawn;
  uint64_t map_counts;
  uint64_t map_group_counts;
  uint64_t map_taken;
  uint64_t map_searched;
  uint64_t map_frequent;
  uint64_t zeros_end; /* of what begins with the control block, and is zeroed for a grid that goes through stages */
  uint64_t map_sample;
  uint64_t map_begins;
  uint64_t map_items;
  uint64_t map_spans;
  uint64_t map_cursors;
  uint64_t map_lines;
  uint64_t map_coarse_begins;
  uint64_t map_coarse_ends;
  uint64_t tasks;
  uint64_t lists[2];
  uint64_t worklist;
  uint64_t map_kept; /* where the tables of tasks will be, none of which begins before the first scatter is over; 0: none */
  uint64_t splitter_sets;
  uint64_t task_splitters;
  uint64_t task_cursors;
  uint64_t short_places;
  uint64_t end;
};

/* Entries of a short array's table: for each tile, one of which may stick out in front, where the buckets begin and the last
   ends. */
inline uint64_t short_places(const cdp_plan &plan) {
  if (plan.path != CDP_PATH_SHORT)
    return 0;
  return (plan.count / plan.short_tile_items + 2) * (max_short_buckets(plan.short_fan_out) + 1);
}

/* Where a part begins that is put behind `end`, which becomes its end, rounded up. */
inline uint64_t add_part(uint64_t &end, uint64_t count, uint64_t bytes_each) {
  const uint64_t begin = end;
  end = (end + count * bytes_each + CDP_WORKSPACE_ALIGNMENT - 1) / CDP_WORKSPACE_ALIGNMENT * CDP_WORKSPACE_ALIGNMENT;
  return begin;
}

/* Of a device's kind, which need not be the one that this is compiled for. */
template <typename Bits>
inline uint64_t frequent_table_bytes(DeviceKind kind) {
  return for_kind(kind, [](auto constant) { return uint64_t{sizeof(FrequentTableOf<Bits, decltype(constant)::value>)}; });
}
inline uint64_t frequent_table_bytes(DeviceKind kind, uint64_t key_bytes) {
  return key_bytes == 4 ? frequent_table_bytes<uint32_t>(kind) : frequent_table_bytes<uint64_t>(kind);
}

/* The bytes of the marks of all keys' tiles, the first of which begins where a line of the cache does. */
inline uint64_t kept_bytes(DeviceKind kind, uint32_t key_bytes, uint64_t count) {
  const MultiwayRow row = multiway_row(kind, key_bytes);
  const uint64_t tile_items = map_tile_items(row, on_chip_row(kind, key_bytes));
  const uint64_t tiles = (count + 128 / key_bytes + tile_items - 1) / tile_items;
  return tiles * 2 * row.block_threads * kept_mark_bytes(kind, key_bytes);
}

inline WorkspaceParts workspace_parts(const cdp_plan &plan) {
  uint64_t end = 0;
  const auto part = [&end](uint64_t count, uint64_t bytes_each) { return add_part(end, count, bytes_each); };
  WorkspaceParts parts = {};
  parts.scratch = part(plan.count, cdp_engine_key_bytes(plan.type));
  parts.control = part(1, sizeof(Control));
  parts.counters = part(CDP_STUDY_DEPTHS, sizeof(cdp_study_depth));
  parts.short_equal = part(plan.path == CDP_PATH_SHORT ? MAX_SHORT_EQUAL : 0, sizeof(EqualKeys));
  const bool maps = plan.map_buckets != 0;
  parts.map_facts = part(maps ? 1 : 0, sizeof(MapFacts<uint64_t>));
  parts.map_drawn = part(maps ? KEY_LINES : 0, sizeof(unsigned int));
  parts.map_counts = part(plan.map_buckets, sizeof(unsigned int));
  const DeviceKind kind = static_cast<DeviceKind>(plan.device_kind);
  const uint32_t counted_buckets = on_chip_row(kind, cdp_engine_key_bytes(plan.type)).max_buckets; // at once
  parts.map_group_counts = part(plan.map_buckets > counted_buckets ? max_groups(kind) : 0, sizeof(unsigned int));
  parts.map_taken = part(maps ? max_first_scatter_buckets(kind) : 0, sizeof(unsigned int));
  parts.map_searched = part(maps ? searched_counters(std::min(plan.map_buckets, counted_buckets)) : 0, sizeof(unsigned int));
  parts.map_frequent = part(maps ? 1 : 0, frequent_table_bytes(kind, cdp_engine_key_bytes(plan.type)));
  const uint64_t slots = frequent_slots(kind, cdp_engine_key_bytes(plan.type));
  parts.zeros_end = maps ? parts.map_frequent + slots * sizeof(unsigned int) : end;
  parts.map_sample =
      part(maps ? max_look_samples(multiway_row(kind, cdp_engine_key_bytes(plan.type))) : 0, cdp_engine_key_bytes(plan.type));
  parts.map_begins = part(maps ? uint64_t{plan.map_buckets} + 1 : 0, sizeof(unsigned int));
  parts.map_items = part(plan.map_buckets, sizeof(unsigned int));
  parts.map_spans = part(plan.map_buckets, sizeof(FrequentSpan));
  parts.map_cursors = part(plan.map_buckets, sizeof(unsigned int));
  parts.map_lines = part(maps ? LINE_WORDS : 0, sizeof(uint32_t));
  parts.map_coarse_begins = part(maps ? max_groups(kind) : 0, sizeof(unsigned int));
  parts.map_coarse_ends = part(maps ? max_groups(kind) : 0, sizeof(unsigned int));
  parts.tasks = part(plan.task_capacity, sizeof(Task));
  parts.lists[0] = part(plan.task_capacity, sizeof(ListedTask));
  parts.lists[1] = part(plan.task_capacity, sizeof(ListedTask));
  parts.worklist = part(plan.worklist_capacity, sizeof(Range));
  const uint64_t multiway_tasks = plan.fan_out == CDP_FAN_OUT_CLASSIC ? 0 : plan.task_capacity;
  parts.splitter_sets = part(multiway_tasks, sizeof(SplitterSet));
  parts.task_splitters = part(multiway_tasks * plan.fan_out, cdp_engine_key_bytes(plan.type));
  parts.task_cursors = part(multiway_tasks * plan.max_buckets, sizeof(unsigned long long));
  const uint32_t key_bytes = cdp_engine_key_bytes(plan.type);
  const uint64_t marked = std::min(plan.count, max_marked_items(kind, key_bytes)); // longer arrays need no less memory
  parts.map_kept = marked == plan.count ? parts.splitter_sets : 0;
  if (maps)
    end = std::max(end, parts.splitter_sets + kept_bytes(kind, key_bytes, marked));
  parts.short_places = part(short_places(plan), sizeof(uint16_t));
  parts.end = end;
  return parts;
}

/* Has the next launch of a grid that goes through stages find its memory without an owner: a graph's launches have one number.
   Returns a cudaError_t. */
inline int disown(const cdp_plan &plan, void *stream) {
  if (!plan.is_captured)
    return LAUNCH_OK;
  return zero_memory(static_cast<unsigned char *>(plan.d_workspace) + workspace_parts(plan).control, sizeof(Control::owner),
                     stream);
}

/* The sort that was planned. */
template <typename Bits>
inline Sort<Bits> make_sort(const cdp_plan &plan, bool counted) {
  const WorkspaceParts parts = workspace_parts(plan);
  unsigned char *workspace = static_cast<unsigned char *>(plan.d_workspace);
  Sort<Bits> sort;
  sort.rules.sides[static_cast<uint32_t>(Side::keys)] = static_cast<Bits *>(plan.d_keys);
  sort.rules.sides[static_cast<uint32_t>(Side::scratch)] = reinterpret_cast<Bits *>(workspace + parts.scratch);
  sort.rules.map = key_map<Bits>(plan.type, plan.order);
  sort.rules.seed = plan.seed;
  sort.rules.depth_limit = plan.block_depth_limit;
  sort.rules.leaf_items = plan.leaf_items;
  sort.rules.piece_items = plan.piece_items;
  sort.rules.long_items = plan.long_items;
  sort.rules.merge_items = plan.merge_items;
  sort.rules.pivot = plan.pivot;
  sort.rules.counters = counted ? reinterpret_cast<cdp_study_depth *>(workspace + parts.counters) : nullptr;
  sort.control = reinterpret_cast<Control *>(workspace + parts.control);
  sort.tasks = reinterpret_cast<Task *>(workspace + parts.tasks);
  sort.lists[0] = reinterpret_cast<ListedTask *>(workspace + parts.lists[0]);
  sort.lists[1] = reinterpret_cast<ListedTask *>(workspace + parts.lists[1]);
  sort.worklist = reinterpret_cast<Range *>(workspace + parts.worklist);
  sort.count = plan.count;
  sort.wanted = plan.d_wanted;
  sort.launch_number = cdp_engine_next_launch();
  sort.zero_bytes = static_cast<uint32_t>(parts.zeros_end - parts.control - OWNER_BYTES);
  sort.first_zero_bytes = plan.map_buckets == 0
                              ? sort.zero_bytes
                              : static_cast<uint32_t>(parts.map_facts + sizeof(MapFacts<Bits>) - parts.control - OWNER_BYTES);
  sort.path = plan.path;
  sort.depth_limit = plan.depth_limit;
  sort.block_items = plan.block_items;
  sort.fair_depth = plan.fair_depth;
  sort.unfair_items = plan.unfair_items;
  sort.task_capacity = plan.task_capacity;
  sort.worklist_capacity = plan.worklist_capacity;
  sort.task_budget = plan.task_budget;
  sort.task_launches = plan.task_launches;
  sort.launch_share = plan.launch_share;
  sort.max_blocks = plan.max_blocks;
  sort.multiprocessors = plan.multiprocessors;
  sort.multiway_tile_items = plan.multiway_tile_items;
  sort.multiway_shared_bytes = plan.multiway_shared_bytes;
  sort.map_shared_bytes = plan.map_shared_bytes;
  sort.fan_out = plan.fan_out;
  sort.max_buckets = plan.max_buckets;
  sort.oversampling = plan.oversampling;
  sort.target_range_items = plan.target_range_items;
  sort.may_defer = plan.may_defer;
  sort.counts_blocks = plan.counts_blocks;
  sort.splitter_sets = reinterpret_cast<SplitterSet *>(workspace + parts.splitter_sets);
  sort.task_splitters = reinterpret_cast<Bits *>(workspace + parts.task_splitters);
  sort.task_cursors = reinterpret_cast<unsigned long long *>(workspace + parts.task_cursors);
  sort.short_fan_out = plan.short_fan_out;
  sort.short_oversampling = plan.short_oversampling;
  sort.short_tile_items = plan.short_tile_items;
  sort.short_places = reinterpret_cast<uint16_t *>(workspace + parts.short_places);
  sort.short_equal = reinterpret_cast<EqualKeys *>(workspace + parts.short_equal);
  sort.map_buckets = plan.map_buckets;
  sort.straight_buckets = plan.straight_buckets;
  sort.map_table = {reinterpret_cast<MapFacts<Bits> *>(workspace + parts.map_facts),
                    reinterpret_cast<Bits *>(workspace + parts.map_sample),
                    reinterpret_cast<uint32_t *>(workspace + parts.map_lines),
                    reinterpret_cast<unsigned int *>(workspace + parts.map_drawn),
                    reinterpret_cast<unsigned int *>(workspace + parts.map_counts),
                    reinterpret_cast<unsigned int *>(workspace + parts.map_group_counts),
                    reinterpret_cast<unsigned int *>(workspace + parts.map_taken),
                    reinterpret_cast<unsigned int *>(workspace + parts.map_searched),
                    reinterpret_cast<FrequentTable<Bits> *>(workspace + parts.map_frequent),
                    parts.map_kept != 0 ? reinterpret_cast<KeptMarks<Bits> *>(workspace + parts.map_kept) : nullptr,
                    reinterpret_cast<unsigned int *>(workspace + parts.map_begins),
                    reinterpret_cast<unsigned int *>(workspace + parts.map_items),
                    reinterpret_cast<FrequentSpan *>(workspace + parts.map_spans),
                    reinterpret_cast<unsigned int *>(workspace + parts.map_cursors),
                    reinterpret_cast<unsigned int *>(workspace + parts.map_coarse_begins),
                    reinterpret_cast<unsigned int *>(workspace + parts.map_coarse_ends)};
  sort.scheme = plan.scheme;
  sort.child_stream = plan.child_streams == CDP_STREAMS_NAMED ? ChildStream::named : ChildStream::fire_and_forget;
  sort.trace = static_cast<Trace *>(plan.d_trace);
  sort.trace_capacity = plan.trace_capacity;
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
inline void fill_study(const cdp_plan &plan, const Control &control, double milliseconds, cdp_study *study) {
  study->depth_count = 0;
  study->tasks_in_batch = control.max_tasks_in_batch;
  study->task_capacity = plan.task_capacity;
  study->tasks_allocated = control.tasks_allocated;
  study->first_fault = control.first_fault;
  study->batches = control.batches;
  study->scheme = plan.scheme;
  study->milliseconds = milliseconds;
  cdp_study_depth &whole = study->depths[0];
  if (control.short_parts != 0)
    whole.balance = split_balance(control.short_parts, whole.task_items - whole.equal_items, control.max_short_part_items);
  for (uint32_t depth = 0; depth < CDP_STUDY_DEPTHS; depth++) {
    cdp_study_depth &row = study->depths[depth];
    if (row.tasks == 0)
      row.min_task_items = 0;
    row.bytes_moved = (row.bytes_moved + 2 * row.leaf_items) * cdp_engine_key_bytes(plan.type);
    if (is_used(row))
      study->depth_count = depth + 1;
    add_row(row, &study->total);
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
