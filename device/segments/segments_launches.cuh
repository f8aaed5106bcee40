/* SPDX-License-Identifier: MIT */
/*
 * The launches of a segmented sort, one behind the other on a stream, all by the host:
 *
 *     sort        clear ──▶ read offsets, sort tiny ──▶ divide large ──▶ sort on chip ──▶ sort short ──▶ sort small
 *                 without what no segment can come to need; of equal segments that are not divided the one kernel for their length
 *     keys        sort
 *     narrow      pack numbers ──▶ sort ──▶ keys
 *     with values pack positions ──▶ sort ──▶ keys and origins ──▶ for each column: gather, copy back
 *     by halves   pack lower halves ──▶ sort ──▶ pack upper halves ──▶ sort ──▶ origins ──▶ keys as columns
 *
 * Out of place keys are copied first, where the keys themselves are sorted; whatever else is written goes to where it belongs, and
 * nothing is copied back.
 */
#ifndef CDPSORT_DEVICE_SEGMENTS_SEGMENTS_LAUNCHES_CUH
#define CDPSORT_DEVICE_SEGMENTS_SEGMENTS_LAUNCHES_CUH

#include "payload/payload.h"
#include "segments/classify_segments.cuh"
#include "segments/divide_segments.cuh"
#include "segments/long_segments.cuh"
#include "segments/segment_items.cuh"
#include "segments/segmented_sort.h"
#include "segments/short_segments.cuh"

#include <algorithm>

namespace cdp::CDP_RUNTIME {

/* ---- A sort ------------------------------------------------------------------------------------------------------------ */

inline SegmentLists lists_of(const cdp_segments_plan &plan) {
  SegmentLists lists = {};
  lists.control = reinterpret_cast<SegmentControl *>(part_of(plan, plan.control));
  lists.pieces[static_cast<uint32_t>(SegmentClass::small)] = reinterpret_cast<Piece *>(part_of(plan, plan.smalls));
  lists.pieces[static_cast<uint32_t>(SegmentClass::shorts)] = reinterpret_cast<Piece *>(part_of(plan, plan.shorts));
  lists.pieces[static_cast<uint32_t>(SegmentClass::team)] = reinterpret_cast<Piece *>(part_of(plan, plan.teams));
  lists.blocks = reinterpret_cast<Range *>(part_of(plan, plan.blocks));
  for (uint32_t turn = 0; turn < 2; turn++)
    lists.larges[turn] = reinterpret_cast<LargeSegment *>(part_of(plan, plan.larges[turn]));
  lists.tiles = reinterpret_cast<SegmentTile *>(part_of(plan, plan.tiles));
  lists.capacities[static_cast<uint32_t>(SegmentClass::small)] = plan.small_capacity;
  lists.capacities[static_cast<uint32_t>(SegmentClass::shorts)] = plan.short_capacity;
  lists.capacities[static_cast<uint32_t>(SegmentClass::team)] = plan.team_capacity;
  lists.capacities[static_cast<uint32_t>(SegmentClass::block)] = plan.block_capacity;
  lists.capacities[static_cast<uint32_t>(SegmentClass::large)] = plan.large_capacity;
  lists.tile_capacity = plan.tile_capacity;
  lists.table_capacity = plan.table_capacity;
  return lists;
}

/* Of keys, or of what stands for them. */
template <typename Bits>
SegmentedSort<Bits> segmented_sort_of(const cdp_segments_plan &plan, Bits *items, const KeyMap<Bits> &map) {
  const cdp_segments_request &asked = plan.asked;
  SegmentedSort<Bits> sort = {};
  sort.rules.sides[0] = items;
  sort.rules.sides[1] = reinterpret_cast<Bits *>(part_of(plan, plan.scratch));
  sort.rules.map = map;
  sort.rules.seed = plan.seed;
  sort.rules.depth_limit = plan.block_depth_limit;
  sort.rules.leaf_items = Shape<Bits>::LEAF_ITEMS;
  sort.rules.piece_items = Shape<Bits>::LEAF_ITEMS;
  sort.rules.pivot = CDP_PIVOT_SAMPLED_MEDIAN;
  sort.segments = {asked.d_begins, asked.d_ends, asked.offset_bytes, asked.length, asked.segment_count, asked.count};
  if (plan.is_listed)
    sort.lists = lists_of(plan);
  sort.splitters = reinterpret_cast<Bits *>(part_of(plan, plan.splitters));
  sort.cursors = reinterpret_cast<unsigned long long *>(part_of(plan, plan.cursors));
  sort.max_levels = plan.max_levels;
  return sort;
}

/* A grid of blocks that each have `each` segments at a time, and go on to others'. */
inline GridShape segment_grid(const cdp_segments_plan &plan, uint64_t segments, uint32_t each, uint32_t threads,
                              size_t shared_bytes) {
  const uint64_t most = uint64_t{plan.multiprocessors} * SEGMENT_BLOCKS_PER_MULTIPROCESSOR;
  const uint64_t blocks = std::max<uint64_t>(std::min((segments + each - 1) / each, most), 1);
  return {static_cast<uint32_t>(blocks), threads, static_cast<uint32_t>(shared_bytes)};
}

/* Segments that a class may have: as many as there is room to list, or all. */
inline uint64_t most_segments(const cdp_segments_plan &plan, uint64_t capacity) {
  return plan.is_listed ? capacity : plan.asked.segment_count;
}

template <typename Bits>
int launch_classify(const cdp_segments_plan &plan, const SegmentedSort<Bits> &sort, void *stream) {
  if (plan.is_listed)
    CDP_RETURN_UNLESS_LAUNCHED(zero_memory(sort.lists.control, sizeof(SegmentControl), stream));
  const GridShape grid =
      segment_grid(plan, plan.asked.segment_count, CLASSIFY_THREADS, CLASSIFY_THREADS, sizeof(ClassifyBlock));
  return launch_from_host(grid, stream, classify_segments_kernel<Bits>, sort);
}

template <typename Bits>
int launch_divide(const cdp_segments_plan &plan, const SegmentedSort<Bits> &sort, void *stream) {
  static OncePerContext allowance;
  static KnownResidents residents;
  GridShape grid = {0, MultiwayShape<Bits>::BLOCK_THREADS, plan.shared_bytes[0]};
  int blocks = 0;
  CDP_RETURN_UNLESS_LAUNCHED(
      allowance.see_to([&] { return allow_shared_bytes(divide_segments_kernel<Bits>, grid.shared_bytes); }));
  CDP_RETURN_UNLESS_LAUNCHED(residents.ask(divide_segments_kernel<Bits>, grid.threads, grid.shared_bytes, &blocks));
  grid.blocks = static_cast<uint32_t>(blocks);
  return launch_together(grid, stream, divide_segments_kernel<Bits>, sort);
}

template <typename Bits>
int launch_long(const cdp_segments_plan &plan, const SegmentedSort<Bits> &sort, void *stream) {
  static OncePerContext allowance;
  const SegmentLimits limits = segment_limits(static_cast<DeviceKind>(plan.device_kind), sizeof(Bits));
  const GridShape grid = {plan.multiprocessors, MultiwayShape<Bits>::BLOCK_THREADS, plan.shared_bytes[1]};
  const uint32_t has_blocks = plan.max_items > limits.team ? 1 : 0;
  const uint32_t has_teams = plan.is_listed || has_blocks == 0 ? 1 : 0;
  CDP_RETURN_UNLESS_LAUNCHED(
      allowance.see_to([&] { return allow_shared_bytes(sort_long_segments_kernel<Bits>, grid.shared_bytes); }));
  return launch_from_host(grid, stream, sort_long_segments_kernel<Bits>, sort, has_blocks, has_teams);
}

template <typename Bits>
int launch_short(const cdp_segments_plan &plan, const SegmentedSort<Bits> &sort, void *stream) {
  return launch_from_host(segment_grid(plan, most_segments(plan, plan.short_capacity), 1, SEGMENT_ROW<Bits>.short_threads,
                                       sizeof(ShortSegmentBlock<Bits>)),
                          stream, sort_short_segments_kernel<Bits>, sort);
}

template <typename Bits>
int launch_small(const cdp_segments_plan &plan, const SegmentedSort<Bits> &sort, void *stream) {
  const GridShape grid =
      segment_grid(plan, most_segments(plan, plan.small_capacity), SMALL_THREADS / WARP_LANES, SMALL_THREADS, 0);
  return launch_from_host(grid, stream, sort_small_segments_kernel<Bits>, sort);
}

/* Sorts the segments of an array of keys, or of what stands for them. */
template <typename Bits>
int sort_segments(const cdp_segments_plan &plan, Bits *items, const KeyMap<Bits> &map, void *stream) {
  const SegmentLimits limits = segment_limits(static_cast<DeviceKind>(plan.device_kind), sizeof(Bits));
  const SegmentedSort<Bits> sort = segmented_sort_of(plan, items, map);
  const uint64_t most = plan.max_items;
  if (plan.is_listed || most <= TINY_ITEMS)
    CDP_RETURN_UNLESS_LAUNCHED(launch_classify(plan, sort, stream));
  if (plan.max_levels != 0)
    CDP_RETURN_UNLESS_LAUNCHED(launch_divide(plan, sort, stream));
  if (most > limits.shorts)
    CDP_RETURN_UNLESS_LAUNCHED(launch_long(plan, sort, stream));
  if (plan.is_listed ? most > limits.small : most > limits.small && most <= limits.shorts)
    CDP_RETURN_UNLESS_LAUNCHED(launch_short(plan, sort, stream));
  if (plan.is_listed ? most > TINY_ITEMS : most > TINY_ITEMS && most <= limits.small)
    CDP_RETURN_UNLESS_LAUNCHED(launch_small(plan, sort, stream));
  return LAUNCH_OK;
}

/* Of numbers that are sorted as they are. */
template <typename Bits>
int sort_segments_of_items(const cdp_segments_plan &plan, Bits *items, void *stream) {
  return sort_segments(plan, items, key_map<Bits>(sizeof(Bits) == 4 ? CDP_U32 : CDP_U64, CDP_ASCENDING), stream);
}

/* ---- What goes with the keys ------------------------------------------------------------------------------------------- */

/* The keys as a column. */
inline cdp_payload_column keys_of(const cdp_segments_request &asked) {
  return {asked.d_keys, asked.d_sorted_keys, cdp_engine_key_bytes(asked.type)};
}

/* Has an array copied to where it belongs, if that is elsewhere. */
inline int bring_segments(const cdp_segments_request &asked, const cdp_payload_column &values, void *stream) {
  return asked.is_apart ? copy_memory(values.d_target, values.d_source, asked.count * values.value_bytes, stream) : LAUNCH_OK;
}

/* Brings an array into the order of the keys: from where it stays, or by way of the workspace. */
inline int gather_segments(const cdp_segments_plan &plan, const cdp_payload_column &values, void *stream) {
  const uint32_t *origins = reinterpret_cast<uint32_t *>(part_of(plan, plan.origins));
  const uint64_t count = plan.asked.count;
  void *gathered = plan.asked.is_apart ? values.d_target : part_of(plan, plan.scratch);
  CDP_RETURN_UNLESS_LAUNCHED(
      launch_gather(origins, values.d_source, count, static_cast<uint32_t>(values.value_bytes), gathered, stream));
  return plan.asked.is_apart ? LAUNCH_OK : copy_memory(values.d_target, gathered, count * values.value_bytes, stream);
}

/* The keys where they are, or where they have been copied to. */
template <typename Bits>
int sort_segment_keys(const cdp_segments_plan &plan, void *stream) {
  const cdp_segments_request &asked = plan.asked;
  CDP_RETURN_UNLESS_LAUNCHED(bring_segments(asked, keys_of(asked), stream));
  return sort_segments(plan, static_cast<Bits *>(asked.d_sorted_keys), key_map<Bits>(asked.type, asked.order), stream);
}

template <typename Raw>
int sort_segment_numbers(const cdp_segments_plan &plan, void *stream) {
  const cdp_segments_request &asked = plan.asked;
  const Entry<Raw> entry = entry_of<Raw>(asked.type, asked.order, asked.ties);
  const GridShape grid = payload_grid(asked.count);
  const Raw *keys = static_cast<const Raw *>(asked.d_keys);
  Raw *sorted_keys = static_cast<Raw *>(asked.d_sorted_keys);
  uint32_t *items = reinterpret_cast<uint32_t *>(part_of(plan, plan.items));
  CDP_RETURN_UNLESS_LAUNCHED(launch_from_host(grid, stream, pack_segment_numbers_kernel<Raw>, keys, asked.count, entry, items));
  CDP_RETURN_UNLESS_LAUNCHED(sort_segments_of_items(plan, items, stream));
  return launch_from_host(grid, stream, unpack_segment_numbers_kernel<Raw>, items, asked.count, entry, sorted_keys);
}

/* Keys and origins. */
template <typename Raw>
int sort_segment_positions(const cdp_segments_plan &plan, void *stream) {
  const cdp_segments_request &asked = plan.asked;
  const Entry<Raw> entry = entry_of<Raw>(asked.type, asked.order, asked.ties);
  const GridShape grid = payload_grid(asked.count);
  const bool are_joined = joins_keys(asked.type, asked.ties);
  const Raw *keys = static_cast<const Raw *>(asked.d_keys);
  Raw *sorted_keys = static_cast<Raw *>(asked.d_sorted_keys);
  uint64_t *items = reinterpret_cast<uint64_t *>(part_of(plan, plan.items));
  uint32_t *origins = reinterpret_cast<uint32_t *>(part_of(plan, plan.origins));
  CDP_RETURN_UNLESS_LAUNCHED(
      launch_from_host(grid, stream, pack_segment_positions_kernel<Raw>, keys, asked.count, entry, items));
  CDP_RETURN_UNLESS_LAUNCHED(sort_segments_of_items(plan, items, stream));
  CDP_RETURN_UNLESS_LAUNCHED(launch_from_host(grid, stream, unpack_segment_positions_kernel<Raw>, items, asked.count, entry,
                                              origins, are_joined ? nullptr : sorted_keys));
  return are_joined ? gather_segments(plan, keys_of(asked), stream) : LAUNCH_OK;
}

/* The same of keys of 8 bytes: sorted by their lower halves, and then, stably, by their upper ones (Seward, 1954). */
inline int sort_segment_halves(const cdp_segments_plan &plan, void *stream) {
  const cdp_segments_request &asked = plan.asked;
  const Entry<uint64_t> entry = entry_of<uint64_t>(asked.type, asked.order, asked.ties);
  const GridShape grid = payload_grid(asked.count);
  const uint64_t *keys = static_cast<const uint64_t *>(asked.d_keys);
  uint64_t *items = reinterpret_cast<uint64_t *>(part_of(plan, plan.items));
  uint32_t *lower_order = reinterpret_cast<uint32_t *>(part_of(plan, plan.lower_order));
  uint32_t *origins = reinterpret_cast<uint32_t *>(part_of(plan, plan.origins));
  CDP_RETURN_UNLESS_LAUNCHED(launch_from_host(grid, stream, pack_segment_lower_halves_kernel, keys, asked.count, entry, items));
  CDP_RETURN_UNLESS_LAUNCHED(sort_segments_of_items(plan, items, stream));
  CDP_RETURN_UNLESS_LAUNCHED(
      launch_from_host(grid, stream, pack_segment_upper_halves_kernel, keys, asked.count, entry, lower_order, items));
  CDP_RETURN_UNLESS_LAUNCHED(sort_segments_of_items(plan, items, stream));
  CDP_RETURN_UNLESS_LAUNCHED(
      launch_from_host(grid, stream, find_segment_origins_kernel, items, asked.count, lower_order, origins));
  return gather_segments(plan, keys_of(asked), stream);
}

/* Where nothing is sorted. */
inline int bring_all_segments(const cdp_segments_request &asked, void *stream) {
  CDP_RETURN_UNLESS_LAUNCHED(bring_segments(asked, keys_of(asked), stream));
  for (uint32_t column = 0; column < asked.column_count; column++)
    CDP_RETURN_UNLESS_LAUNCHED(bring_segments(asked, asked.columns[column], stream));
  return LAUNCH_OK;
}

template <typename Raw>
int launch_segments_of(const cdp_segments_plan &plan, void *stream) {
  const cdp_segments_request &asked = plan.asked;
  if constexpr (sizeof(Raw) >= 4) {
    if (plan.by == CDP_SEGMENTS_BY_KEYS)
      return sort_segment_keys<Raw>(plan, stream);
  } else {
    if (plan.by == CDP_SEGMENTS_BY_NUMBERS)
      return sort_segment_numbers<Raw>(plan, stream);
  }
  if constexpr (sizeof(Raw) == 8)
    CDP_RETURN_UNLESS_LAUNCHED(sort_segment_halves(plan, stream));
  else
    CDP_RETURN_UNLESS_LAUNCHED(sort_segment_positions<Raw>(plan, stream));
  for (uint32_t column = 0; column < asked.column_count; column++)
    CDP_RETURN_UNLESS_LAUNCHED(gather_segments(plan, asked.columns[column], stream));
  return LAUNCH_OK;
}

} // namespace cdp::CDP_RUNTIME

int cdp::CDP_RUNTIME::launch_segments(const cdp_segments_plan &plan, void *stream) {
  if (plan.max_items < 2)
    return bring_all_segments(plan.asked, stream);
  switch (cdp_engine_key_bytes(plan.asked.type)) {
  case 1:
    return launch_segments_of<uint8_t>(plan, stream);
  case 2:
    return launch_segments_of<uint16_t>(plan, stream);
  case 4:
    return launch_segments_of<uint32_t>(plan, stream);
  default:
    return launch_segments_of<uint64_t>(plan, stream);
  }
}

#endif
