/* SPDX-License-Identifier: MIT */
/*
 * The launches of a sort of keys with what goes with them, one behind the other on a stream, all by the host:
 *
 *     few keys        one launch of one block (block_pairs.cuh)
 *     many keys       carry values with the keys (carry.cuh); if that is given up:
 *     values travel   pack keys and values ──▶ sort ──▶ unpack both
 *     others          pack keys and positions ──▶ sort ──▶ keys ──▶ for each column: gather, copy back ──▶ indices
 *     long arrays     regroup, which packs, too (regroup.cuh) ──▶ sort ──▶ keys ──▶ for each column: gather ──▶ indices
 *
 * Keys of up to 4 bytes come out of the items, but where they are joined (cdp_ties), when they are gathered as values are; those of
 * 8 bytes: wide_keys.cuh. What is gathered is put where the sort has had its workspace, and copied back from there; what was
 * regrouped lies apart from where it belongs, and is gathered to there at once.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_PAYLOAD_LAUNCHES_CUH
#define CDPSORT_DEVICE_PAYLOAD_PAYLOAD_LAUNCHES_CUH

#include "payload/block_pairs.cuh"
#include "payload/carry_launches.cuh"
#include "payload/find_extremes.cuh"
#include "payload/gather.cuh"
#include "payload/learn_window.cuh"
#include "payload/payload.h"
#include "payload/regroup.cuh"
#include "payload/wide_runs.cuh"
#include "payload/wide_tiles.cuh"
#include "recursion/dispatch.h"

namespace cdp::CDP_RUNTIME {

inline uint64_t *items_of(const cdp_payload_plan &plan) {
  return reinterpret_cast<uint64_t *>(part_of(plan, 0));
}

/* `wanted`: NULL, or as cdp_plan::d_wanted. */
inline int sort_items(const cdp_payload_plan &plan, const uint32_t *wanted, void *stream) {
  if (plan.asked.count < 2)
    return LAUNCH_OK;
  cdp_plan sort = plan.sort;
  sort.d_wanted = wanted;
  sort.d_keys = items_of(plan);
  sort.d_workspace = part_of(plan, plan.shared);
  return launch_sort(sort, false, stream);
}

/* Brings an array into the order of the keys: from where it was regrouped, from where it stays, or by way of the workspace. */
inline int gather_into_place(const cdp_payload_plan &plan, const Origins &origins, const void *source, uint64_t regrouped,
                             uint64_t value_bytes, void *destination, void *stream) {
  const uint32_t bytes = static_cast<uint32_t>(value_bytes);
  const uint32_t *wanted = wanted_behind_carrying(plan);
  if (plan.regroup_bits != 0)
    return gather_values(origins, part_of(plan, regrouped), plan.asked.count, bytes, destination, wanted, stream);
  if (plan.asked.is_apart)
    return gather_values(origins, source, plan.asked.count, bytes, destination, wanted, stream);
  void *gathered = part_of(plan, plan.shared);
  CDP_RETURN_UNLESS_LAUNCHED(gather_values(origins, source, plan.asked.count, bytes, gathered, wanted, stream));
  if (wanted != nullptr) // then values are whole words
    return launch_from_host(payload_grid(plan.asked.count * value_bytes / sizeof(uint32_t), wanted), stream,
                            copy_kernel<uint32_t>, static_cast<const uint32_t *>(gathered),
                            plan.asked.count * value_bytes / sizeof(uint32_t), static_cast<uint32_t *>(destination), wanted);
  return copy_memory(destination, gathered, plan.asked.count * value_bytes, stream);
}

/* ---- Values that travel ------------------------------------------------------------------------------------------------ */

template <typename Raw, typename Unit>
int sort_travelling_units(const cdp_payload_plan &plan, void *stream) {
  const cdp_payload_request &asked = plan.asked;
  const cdp_payload_column &column = asked.columns[0];
  const uint32_t units = static_cast<uint32_t>(column.value_bytes / sizeof(Unit));
  const Travellers<const Unit> values = {static_cast<const Unit *>(column.d_source), units};
  const Travellers<Unit> sorted_values = {static_cast<Unit *>(column.d_target), units};
  const Entry<Raw> entry = entry_of<Raw>(asked);
  const uint32_t *wanted = wanted_behind_carrying(plan);
  const GridShape grid = payload_grid(asked.count, wanted);
  CDP_RETURN_UNLESS_LAUNCHED(launch_from_host(grid, stream, pack_values_kernel<Raw, Unit>,
                                              static_cast<const Raw *>(asked.d_keys), values, asked.count, entry,
                                              items_of(plan), wanted));
  CDP_RETURN_UNLESS_LAUNCHED(sort_items(plan, wanted, stream));
  return launch_from_host(grid, stream, unpack_values_kernel<Raw, Unit>, items_of(plan), asked.count, entry,
                          static_cast<Raw *>(asked.d_sorted_keys), sorted_values, wanted);
}

template <typename Raw>
int sort_travelling(const cdp_payload_plan &plan, void *stream) {
  const cdp_payload_column &column = plan.asked.columns[0];
  switch (copied_unit(column.d_source, column.d_target, column.value_bytes)) {
  case 1:
    return sort_travelling_units<Raw, uint8_t>(plan, stream);
  case 2:
    return sort_travelling_units<Raw, uint16_t>(plan, stream);
  default:
    return sort_travelling_units<Raw, uint32_t>(plan, stream);
  }
}

/* ---- Windows ----------------------------------------------------------------------------------------------------------- */

inline KeyExtremes *extremes_of(const cdp_payload_plan &plan) {
  return reinterpret_cast<KeyExtremes *>(part_of(plan, plan.window));
}

static_assert(LEAST_LEARNT > wide_run_items(DEVICE_KIND), "where pieces are learnt there are rounds");

/* How many bits windows by pieces may leave: as many as rounds show of a long run's keys, however many of those there are. */
inline uint32_t learnt_bits_left(const cdp_payload_plan &plan) {
  const cdp_wide_plan &wide = plan.wide;
  const uint32_t number_bits = floor_log2(static_cast<uint32_t>(2 * wide.most_long_runs)) + 1;
  return std::min(MOST_BITS_LEFT, (wide.rounds - 1) * (64 - plan.low_bits - number_bits));
}

/* is_wide: keys have 8 bytes. Of others pieces are but buckets. */
inline WindowPieces window_pieces_of(const cdp_payload_plan &plan, bool is_wide) {
  WindowPieces pieces = {};
  pieces.extremes = extremes_of(plan);
  pieces.table = reinterpret_cast<WindowTable *>(part_of(plan, plan.window) + CDP_WORKSPACE_ALIGNMENT);
  pieces.found = reinterpret_cast<uint16_t *>(part_of(plan, plan.shared));
  pieces.count = plan.asked.count;
  pieces.levels = floor_log2(plan.regroup_bits != 0 ? WINDOW_PIECES : FEW_WINDOW_PIECES);
  pieces.low_bits = plan.low_bits;
  pieces.bits_left = is_wide && pieces.count >= LEAST_LEARNT ? learnt_bits_left(plan) : 0;
  return pieces;
}

/* Whether windows may be by pieces: not behind carrying, which is hardly ever given up, but would be waited for. */
inline bool learns_windows(const cdp_payload_plan &plan) {
  return plan.asked.count >= LEAST_LEARNT && !plan.carries;
}

/* Finds out what there is to know of the keys before they are counted. */
template <typename Raw>
int find_windows(const cdp_payload_plan &plan, const Entry<Raw> &entry, const uint32_t *wanted, void *stream) {
  const cdp_payload_request &asked = plan.asked;
  const WindowPieces pieces = window_pieces_of(plan, sizeof(Raw) == 8);
  CDP_RETURN_UNLESS_LAUNCHED(find_extremes(asked.d_keys, asked.count, entry, plan.low_bits, pieces.extremes, wanted, stream));
  if (!learns_windows(plan))
    return LAUNCH_OK;
  WindowLesson<Raw> lesson = {};
  lesson.keys = static_cast<const Raw *>(asked.d_keys);
  lesson.count = asked.count;
  lesson.entry = entry;
  lesson.room = 64 - plan.low_bits;
  lesson.levels = pieces.levels;
  lesson.learns_uneven = plan.regroup_bits != 0;
  lesson.extremes = pieces.extremes;
  lesson.table = pieces.table;
  return learn_windows(lesson, stream);
}

/* ---- Regrouping -------------------------------------------------------------------------------------------------------- */

/* Regroups all that will be gathered, and makes the items. */
template <typename Raw>
int regroup_all(const cdp_payload_plan &plan, const Entry<Raw> &entry, void *stream) {
  const cdp_payload_request &asked = plan.asked;
  Regrouping<Raw> regrouping = {};
  regrouping.keys = static_cast<const Raw *>(asked.d_keys);
  regrouping.count = asked.count;
  regrouping.entry = entry;
  regrouping.low_bits = plan.low_bits;
  regrouping.bucket_bits = plan.regroup_bits;
  regrouping.parts = plan.tiles;
  regrouping.counters = sizeof(Raw) == 8 ? RESIDENT_COUNTERS * plan.wide.multiprocessors : 0;
  regrouping.pieces = window_pieces_of(plan, sizeof(Raw) == 8);
  regrouping.totals = reinterpret_cast<uint32_t *>(part_of(plan, plan.bucket_counts));
  regrouping.part_counts = regrouping.totals + (uint64_t{1} << plan.regroup_bits);
  regrouping.items = items_of(plan);
  if (sizeof(Raw) == 8 || joins_keys(asked))
    regrouping.add(asked.d_keys, part_of(plan, plan.regrouped_keys), sizeof(Raw));
  if (asked.index_bytes != 0)
    regrouping.add(asked.d_first_indices, part_of(plan, plan.first_indices), sizeof(uint32_t));
  for (uint32_t column = 0; column < asked.column_count; column++)
    regrouping.add(asked.columns[column].d_source, part_of(plan, plan.regrouped_columns[column]),
                   asked.columns[column].value_bytes);
  return regroup(regrouping, stream);
}

/* ---- Positions --------------------------------------------------------------------------------------------------------- */

/* Makes items of keys of up to 4 bytes. */
template <typename Raw>
int pack_positions(const cdp_payload_plan &plan, const Entry<Raw> &entry, void *stream) {
  const cdp_payload_request &asked = plan.asked;
  const uint32_t *wanted = wanted_behind_carrying(plan);
  if (plan.regroup_bits == 0)
    return launch_from_host(payload_grid(asked.count, wanted), stream, pack_positions_kernel<Raw>,
                            static_cast<const Raw *>(asked.d_keys), asked.count, entry, plan.low_bits, items_of(plan), wanted);
  CDP_RETURN_UNLESS_LAUNCHED(find_windows(plan, entry, wanted, stream));
  return regroup_all(plan, entry, stream);
}

/* Sorts items of such keys, and writes the keys. */
template <typename Raw>
int sort_positions(const cdp_payload_plan &plan, Origins &origins, void *stream) {
  const cdp_payload_request &asked = plan.asked;
  const Entry<Raw> entry = entry_of<Raw>(asked);
  const uint32_t *wanted = wanted_behind_carrying(plan);
  CDP_RETURN_UNLESS_LAUNCHED(pack_positions(plan, entry, stream));
  CDP_RETURN_UNLESS_LAUNCHED(sort_items(plan, wanted, stream));
  origins = {items_of(plan), (uint64_t{1} << plan.low_bits) - 1, nullptr};
  if (asked.d_sorted_keys == nullptr)
    return LAUNCH_OK;
  if (joins_keys(asked))
    return gather_into_place(plan, origins, asked.d_keys, plan.regrouped_keys, sizeof(Raw), asked.d_sorted_keys, stream);
  return launch_from_host(payload_grid(asked.count, wanted), stream, unpack_keys_kernel<Raw>, items_of(plan), asked.count,
                          entry, plan.low_bits, static_cast<Raw *>(asked.d_sorted_keys), wanted);
}

/* ---- Wide keys --------------------------------------------------------------------------------------------------------- */

inline WideSort wide_sort_of(const cdp_payload_plan &plan) {
  const cdp_payload_request &asked = plan.asked;
  const cdp_wide_plan &wide = plan.wide;
  void *sorted_keys = asked.d_sorted_keys != nullptr ? asked.d_sorted_keys : part_of(plan, plan.sorted_keys);
  WideSort sort = {};
  sort.keys = static_cast<const uint64_t *>(asked.d_keys);
  sort.count = asked.count;
  sort.entry = entry_of<uint64_t>(asked);
  sort.low_bits = plan.low_bits;
  sort.pieces = window_pieces_of(plan, true);
  sort.items = items_of(plan);
  sort.regrouped = plan.regroup_bits != 0 ? reinterpret_cast<uint64_t *>(part_of(plan, plan.regrouped_keys)) : nullptr;
  sort.gathered = reinterpret_cast<uint64_t *>(part_of(plan, plan.shared));
  sort.sorted_keys = static_cast<uint64_t *>(sorted_keys);
  sort.origins = reinterpret_cast<uint32_t *>(part_of(plan, plan.origins));
  sort.later_origins = reinterpret_cast<uint32_t *>(part_of(plan, plan.later_origins));
  sort.rounds = reinterpret_cast<WideRound *>(part_of(plan, wide.rounds_told));
  sort.marks = reinterpret_cast<uint32_t *>(sort.rounds + wide.rounds);
  sort.tiles = wide.tiles;
  sort.tile_items = wide.tile_items;
  sort.longest_run = wide.longest_run;
  sort.long_runs = reinterpret_cast<LongRun *>(part_of(plan, wide.long_runs));
  sort.most_long_runs = wide.most_long_runs;
  sort.part_counts = reinterpret_cast<uint32_t *>(part_of(plan, wide.part_counts));
  sort.parts = wide.parts;
  sort.part_items = wide.part_items;
  sort.wanted = wanted_behind_carrying(plan);
  return sort;
}

/* Puts the runs of a round in order: those of a few keys, then those that tiles hold. */
inline int sort_runs(const cdp_payload_plan &plan, const WideSort &sort, void *stream) {
  const GridShape grid = {plan.wide.multiprocessors, MultiwayShape<WideItem>::BLOCK_THREADS, plan.wide.tile_shared_bytes};
  CDP_RETURN_UNLESS_LAUNCHED(launch_from_host(payload_grid(sort.count, sort.wanted), stream, mend_runs_kernel, sort));
  return launch_from_host(grid, stream, sort_wide_tiles_kernel, sort);
}

/* By the window. What was not regrouped may be the array that keys are written to, and so is gathered first. */
inline int sort_by_window(const cdp_payload_plan &plan, const WideSort &sort, void *stream) {
  const GridShape grid = payload_grid(sort.count, sort.wanted);
  const Origins by_items = {sort.items, (uint64_t{1} << sort.low_bits) - 1, nullptr};
  CDP_RETURN_UNLESS_LAUNCHED(zero_memory(sort.long_runs, plan.wide.told_bytes, stream));
  CDP_RETURN_UNLESS_LAUNCHED(find_windows(plan, sort.entry, sort.wanted, stream));
  if (plan.regroup_bits != 0) {
    CDP_RETURN_UNLESS_LAUNCHED(regroup_all(plan, sort.entry, stream));
  } else {
    if (learns_windows(plan))
      CDP_RETURN_UNLESS_LAUNCHED(count_pieces(sort.keys, sort.entry, sort.pieces, plan.wide.multiprocessors, stream));
    CDP_RETURN_UNLESS_LAUNCHED(launch_from_host(grid, stream, pack_window_kernel, sort));
  }
  CDP_RETURN_UNLESS_LAUNCHED(sort_items(plan, sort.wanted, stream));
  if (plan.regroup_bits == 0)
    CDP_RETURN_UNLESS_LAUNCHED(
        gather_values(by_items, sort.keys, sort.count, sizeof(uint64_t), sort.gathered, sort.wanted, stream));
  return sort_runs(plan, sort, stream);
}

/* By what varies in long runs, in a round that is not wanted unless the one before has left some in disorder. */
inline int sort_long_runs(const cdp_payload_plan &plan, WideSort sort, uint32_t round, void *stream) {
  const uint64_t blocks = (sort.count + WIDE_THREADS - 1) / WIDE_THREADS;
  const GridShape grid = {static_cast<uint32_t>(std::min<uint64_t>(blocks, 2 * plan.wide.multiprocessors)), WIDE_THREADS, 0};
  sort.round = round;
  sort.wanted = &sort.rounds[round - 1].has_long_runs;
  sort.regrouped = nullptr;
  CDP_RETURN_UNLESS_LAUNCHED(
      launch_from_host({grid.blocks, WIDE_THREADS, sizeof(WideTotals)}, stream, count_long_runs_kernel, sort));
  CDP_RETURN_UNLESS_LAUNCHED(launch_from_host(grid, stream, survey_runs_kernel, sort));
  CDP_RETURN_UNLESS_LAUNCHED(launch_from_host(grid, stream, pack_runs_kernel, sort));
  CDP_RETURN_UNLESS_LAUNCHED(sort_items(plan, sort.wanted, stream));
  CDP_RETURN_UNLESS_LAUNCHED(launch_from_host(grid, stream, gather_runs_kernel, sort));
  return sort_runs(plan, sort, stream);
}

template <>
inline int sort_positions<uint64_t>(const cdp_payload_plan &plan, Origins &origins, void *stream) {
  static OncePerContext allowance;
  const WideSort sort = wide_sort_of(plan);
  origins = {nullptr, 0, sort.origins};
  CDP_RETURN_UNLESS_LAUNCHED(
      allowance.see_to([&] { return allow_shared_bytes(sort_wide_tiles_kernel, plan.wide.tile_shared_bytes); }));
  CDP_RETURN_UNLESS_LAUNCHED(sort_by_window(plan, sort, stream));
  for (uint32_t round = 1; round < plan.wide.rounds; round++)
    CDP_RETURN_UNLESS_LAUNCHED(sort_long_runs(plan, sort, round, stream));
  return LAUNCH_OK;
}

/* ---- All of it --------------------------------------------------------------------------------------------------------- */

/* The indices before the sort: the origins, what was asked for in their place, or what of it was regrouped with the keys. */
template <typename Index>
int write_indices(const cdp_payload_plan &plan, const Origins &origins, void *stream) {
  const uint32_t *regrouped = reinterpret_cast<uint32_t *>(part_of(plan, plan.first_indices));
  const uint32_t *first = plan.regroup_bits != 0 ? regrouped : plan.asked.d_first_indices;
  const uint32_t *wanted = wanted_behind_carrying(plan);
  return launch_from_host(payload_grid(plan.asked.count, wanted), stream, write_indices_kernel<Index>, origins, first,
                          plan.asked.count, static_cast<Index *>(plan.asked.d_indices), wanted);
}

/* By items. */
template <typename Raw>
int launch_items_of(const cdp_payload_plan &plan, void *stream) {
  const cdp_payload_request &asked = plan.asked;
  Origins origins = {};
  if constexpr (sizeof(Raw) <= 4)
    if (plan.travels)
      return sort_travelling<Raw>(plan, stream);
  CDP_RETURN_UNLESS_LAUNCHED(sort_positions<Raw>(plan, origins, stream));
  for (uint32_t index = 0; index < asked.column_count; index++) {
    const cdp_payload_column &column = asked.columns[index];
    CDP_RETURN_UNLESS_LAUNCHED(gather_into_place(plan, origins, column.d_source, plan.regrouped_columns[index],
                                                 column.value_bytes, column.d_target, stream));
  }
  if (asked.index_bytes == 0)
    return LAUNCH_OK;
  return asked.index_bytes == sizeof(uint32_t) ? write_indices<uint32_t>(plan, origins, stream)
                                               : write_indices<uint64_t>(plan, origins, stream);
}

template <typename Raw>
int launch_payload_of(const cdp_payload_plan &plan, void *stream) {
  if (is_block_pairs(plan))
    return launch_block_pairs<Raw>(plan, stream);
  if constexpr (sizeof(Raw) >= sizeof(uint32_t)) {
    if (plan.carries && are_carriable(plan)) {
      CDP_RETURN_UNLESS_LAUNCHED(launch_carrying<Raw>(plan, stream));
      return launch_items_of<Raw>(plan, stream);
    }
  }
  cdp_payload_plan by_items = plan;
  by_items.carries = false;
  return launch_items_of<Raw>(by_items, stream);
}

} // namespace cdp::CDP_RUNTIME

int cdp::CDP_RUNTIME::launch_payload(const cdp_payload_plan &plan, void *stream) {
  switch (cdp_engine_key_bytes(plan.asked.type)) {
  case 1:
    return launch_payload_of<uint8_t>(plan, stream);
  case 2:
    return launch_payload_of<uint16_t>(plan, stream);
  case 4:
    return launch_payload_of<uint32_t>(plan, stream);
  default:
    return launch_payload_of<uint64_t>(plan, stream);
  }
}

int cdp::CDP_RUNTIME::launch_gather(const uint32_t *positions, const void *source, uint64_t count, uint32_t value_bytes,
                                    void *destination, void *stream) {
  return gather_values({nullptr, 0, positions}, source, count, value_bytes, destination, nullptr, stream);
}

int cdp::CDP_RUNTIME::launch_write_indices(const uint32_t *positions, uint64_t count, uint32_t index_bytes, void *indices,
                                           void *stream) {
  const Origins origins = {nullptr, 0, positions};
  const GridShape grid = payload_grid(count);
  if (index_bytes == sizeof(uint32_t))
    return launch_from_host(grid, stream, write_indices_kernel<uint32_t>, origins, nullptr, count,
                            static_cast<uint32_t *>(indices), nullptr);
  return launch_from_host(grid, stream, write_indices_kernel<uint64_t>, origins, nullptr, count,
                          static_cast<uint64_t *>(indices), nullptr);
}

#endif
