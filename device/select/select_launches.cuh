/* SPDX-License-Identifier: MIT */
/*
 * The launches of half a sort, one behind the other on a stream, all by the host:
 *
 *     begin ──▶ (count ──▶ pick ──▶ filter) as often as it may take ──▶ what is asked for:
 *
 *     quantiles      write the keys that were found
 *     top keys       sort them, with their positions where something goes with them ──▶ gather that ──▶ indices
 *     partitioned    put the parts back ──▶ sort the first one
 *
 * Narrow keys that are to be partitioned are counted and written in order (recursion/counted_array.cuh), which takes less.
 */
#ifndef CDPSORT_DEVICE_SELECT_SELECT_LAUNCHES_CUH
#define CDPSORT_DEVICE_SELECT_SELECT_LAUNCHES_CUH

#include "payload/payload.h"
#include "recursion/dispatch.h"
#include "select/count_bins.cuh"
#include "select/filter_keys.cuh"
#include "select/half_sort.h"
#include "select/pick_ranges.cuh"

namespace cdp::CDP_RUNTIME {

template <typename T>
T *part_of(const cdp_select_plan &plan, uint64_t offset) {
  return reinterpret_cast<T *>(static_cast<unsigned char *>(plan.d_workspace) + offset);
}

inline uint64_t top_count(const cdp_select_plan &plan) {
  return plan.asked.ranks[0] + 1;
}

/* Where the top keys are written. */
template <typename Raw>
SelectKeys<Raw> top_keys_of(const cdp_select_plan &plan) {
  void *wanted = plan.asked.d_top_keys;
  return {wanted != nullptr ? static_cast<Raw *>(wanted) : part_of<Raw>(plan, plan.top_keys),
          plan.has_positions ? part_of<uint32_t>(plan, plan.positions) : nullptr};
}

template <typename Raw>
Selection<Raw> selection_of(const cdp_select_plan &plan) {
  const cdp_select_request &asked = plan.asked;
  cdp_payload_request keys = {};
  keys.type = asked.type;
  keys.order = asked.order;
  keys.ties = asked.ties;
  Selection<Raw> selection = {};
  selection.keys = static_cast<const Raw *>(asked.d_keys);
  selection.count = asked.count;
  selection.entry = entry_of<Raw>(keys);
  selection.rank_count = asked.rank_count;
  selection.bin_bits = plan.bin_bits;
  selection.state = part_of<SelectState>(plan, plan.state);
  selection.totals = part_of<unsigned long long>(plan, plan.totals);
  selection.rows = part_of<uint32_t>(plan, plan.rows);
  selection.begins = part_of<ShareBegins>(plan, plan.begins);
  for (int side = 0; side < 2; side++)
    selection.candidates[side] = {part_of<Raw>(plan, plan.candidates[side]),
                                  plan.has_positions ? part_of<uint32_t>(plan, plan.candidate_positions[side]) : nullptr};
  if (asked.kind == CDP_SELECT_TOP) {
    selection.front = top_keys_of<Raw>(plan);
    selection.top_keys = top_count(plan);
  }
  if (asked.kind == CDP_SELECT_NTH) {
    selection.front.keys = part_of<Raw>(plan, plan.parts);
    selection.back = selection.front.keys;
  }
  return selection;
}

/* ---- Selecting --------------------------------------------------------------------------------------------------------- */

template <typename Raw, Wanted WANTED>
int launch_selection(const cdp_select_plan &plan, const Selection<Raw> &selection, const SelectRanks &ranks, void *stream) {
  static_assert(sizeof(CountBlock<Raw>) <= 48 * 1024 && sizeof(PickRoom<Raw>) <= 48 * 1024 &&
                    sizeof(FilterBlock<Raw>) <= 48 * 1024,
                "what every block may have");
  const auto grid = [](uint32_t blocks, size_t shared_bytes) {
    return GridShape{blocks, SELECT_THREADS, static_cast<uint32_t>(shared_bytes)};
  };
  int error = launch_from_host(grid(1, sizeof(BeginBlock)), stream, begin_selection_kernel<Raw>, selection, ranks);
  for (uint32_t level = 0; level < plan.levels && error == LAUNCH_OK; level++) {
    error = launch_from_host(grid(plan.blocks, sizeof(CountBlock<Raw>)), stream, count_bins_kernel<Raw>, selection, level);
    if (error == LAUNCH_OK)
      error = launch_from_host(grid(1, sizeof(PickRoom<Raw>)), stream, pick_ranges_kernel<Raw>, selection, level, WANTED,
                               plan.blocks);
    if (error == LAUNCH_OK)
      error = launch_from_host(grid(plan.blocks, sizeof(FilterBlock<Raw>)), stream, filter_keys_kernel<Raw, WANTED>, selection);
  }
  return error;
}

/* ---- Quantiles --------------------------------------------------------------------------------------------------------- */

/* Ranges are kept in their order, and so are the ranks: each remembers its place in the caller's. */
inline FoundPlaces sort_ranks(const cdp_select_request &asked, SelectRanks &sorted) {
  FoundPlaces places = {};
  for (uint32_t rank = 0; rank < asked.rank_count; rank++) {
    uint32_t place = rank;
    for (; place > 0 && sorted.ranks[place - 1] > asked.ranks[rank]; place--) {
      sorted.ranks[place] = sorted.ranks[place - 1];
      places.places[place] = places.places[place - 1];
    }
    sorted.ranks[place] = asked.ranks[rank];
    places.places[place] = static_cast<uint8_t>(rank);
  }
  return places;
}

template <typename Raw>
int launch_quantiles(const cdp_select_plan &plan, void *stream) {
  const Selection<Raw> selection = selection_of<Raw>(plan);
  SelectRanks ranks = {};
  const FoundPlaces places = sort_ranks(plan.asked, ranks);
  const int error = launch_selection<Raw, Wanted::none>(plan, selection, ranks, stream);
  return error != LAUNCH_OK ? error
                            : launch_from_host({1, SELECT_THREADS, 0}, stream, write_found_kernel<Raw>, selection, places,
                                               static_cast<Raw *>(plan.asked.d_found));
}

/* ---- Top keys ---------------------------------------------------------------------------------------------------------- */

inline int sort_keys(const cdp_select_plan &plan, void *d_keys, void *stream) {
  cdp_plan sort = plan.sort;
  if (sort.count < 2)
    return LAUNCH_OK;
  sort.d_keys = d_keys;
  sort.d_workspace = part_of<void>(plan, plan.shared);
  return launch_sort(sort, false, stream);
}

/* Sorts the top keys by way of their order, and tells which positions they come from: in that order, or as they were selected. */
template <typename Raw>
int order_positions(const cdp_select_plan &plan, const uint32_t *&origins, void *stream) {
  const SelectKeys<Raw> top = top_keys_of<Raw>(plan);
  origins = top.positions;
  if (plan.by.asked.count == 0)
    return LAUNCH_OK;
  cdp_payload_plan by = plan.by;
  uint32_t *order = part_of<uint32_t>(plan, plan.order);
  uint32_t *ordered = part_of<uint32_t>(plan, plan.origins);
  by.asked.d_keys = top.keys;
  by.asked.d_sorted_keys = top.keys;
  by.asked.d_indices = order;
  by.d_workspace = part_of<void>(plan, plan.shared);
  origins = ordered;
  const int error = launch_payload(by, stream);
  return error != LAUNCH_OK ? error : launch_gather(order, top.positions, top_count(plan), sizeof(uint32_t), ordered, stream);
}

/* All that goes with the top keys. */
template <typename Raw>
int gather_for_top(const cdp_select_plan &plan, void *stream) {
  const cdp_select_request &asked = plan.asked;
  const uint32_t *origins = nullptr;
  int error = order_positions<Raw>(plan, origins, stream);
  for (uint32_t column = 0; column < asked.column_count && error == LAUNCH_OK; column++) {
    const cdp_top_column &values = asked.columns[column];
    error = launch_gather(origins, values.values, top_count(plan), static_cast<uint32_t>(values.value_bytes), values.top_values,
                          stream);
  }
  if (error != LAUNCH_OK || asked.index_bytes == 0)
    return error;
  return launch_write_indices(origins, top_count(plan), asked.index_bytes, asked.d_indices, stream);
}

template <typename Raw>
int launch_top(const cdp_select_plan &plan, void *stream) {
  SelectRanks ranks = {};
  ranks.ranks[0] = plan.asked.ranks[0];
  const int error = launch_selection<Raw, Wanted::front>(plan, selection_of<Raw>(plan), ranks, stream);
  if (error != LAUNCH_OK)
    return error;
  return plan.has_positions ? gather_for_top<Raw>(plan, stream) : sort_keys(plan, plan.asked.d_top_keys, stream);
}

/* ---- Partition --------------------------------------------------------------------------------------------------------- */

template <typename Raw>
int launch_nth(const cdp_select_plan &plan, void *stream) {
  Raw *keys = static_cast<Raw *>(plan.asked.d_keys_in_place);
  if (plan.sorts_all)
    return sort_keys(plan, keys, stream);
  const Selection<Raw> selection = selection_of<Raw>(plan);
  SelectRanks ranks = {};
  ranks.ranks[0] = plan.asked.ranks[0];
  int error = launch_selection<Raw, Wanted::both>(plan, selection, ranks, stream);
  if (error == LAUNCH_OK)
    error = launch_from_host(payload_grid(plan.asked.count), stream, put_parts_back_kernel<Raw>, selection, keys);
  return error != LAUNCH_OK ? error : sort_keys(plan, keys, stream);
}

template <typename Raw>
int launch_select_of(const cdp_select_plan &plan, void *stream) {
  switch (plan.asked.kind) {
  case CDP_SELECT_NTH:
    return launch_nth<Raw>(plan, stream);
  case CDP_SELECT_TOP:
    return launch_top<Raw>(plan, stream);
  default:
    return launch_quantiles<Raw>(plan, stream);
  }
}

} // namespace cdp::CDP_RUNTIME

int cdp::CDP_RUNTIME::launch_select(const cdp_select_plan &plan, void *stream) {
  switch (cdp_engine_key_bytes(plan.asked.type)) {
  case 1:
    return launch_select_of<uint8_t>(plan, stream);
  case 2:
    return launch_select_of<uint16_t>(plan, stream);
  case 4:
    return launch_select_of<uint32_t>(plan, stream);
  default:
    return launch_select_of<uint64_t>(plan, stream);
  }
}

#endif
