/* SPDX-License-Identifier: MIT */
/*
 * What is written of a selection: step 4 of selection.cuh, and the end of it.
 */
#ifndef CDPSORT_DEVICE_SELECT_FILTER_KEYS_CUH
#define CDPSORT_DEVICE_SELECT_FILTER_KEYS_CUH

#include "select/selection.cuh"

namespace cdp::CDP_RUNTIME {

/* ---- Filter ------------------------------------------------------------------------------------------------------------ */

template <typename Raw>
struct FilterBlock {
  uint32_t warp_totals[2][2][WARP_LANES]; /* in turns, and of the keys in front and of candidates, and of those behind */
  RangeTable<Raw> ranges;
  RangeCells<Raw> cells; /* of several ranges */
};

/* Which of a thread's keys belong where: a bit each. */
struct KeyMarks {
  uint32_t front;
  uint32_t candidates;
  uint32_t back;

  /* Those of one piece. */
  __device__ __forceinline__ KeyMarks of_piece(uint32_t piece, uint32_t keys) const {
    const uint32_t mask = (1u << keys) - 1;
    return {front >> (piece * keys) & mask, candidates >> (piece * keys) & mask, back >> (piece * keys) & mask};
  }
  /* Numbers of keys that are in front, and above them those of candidates. */
  __device__ __forceinline__ uint32_t front_and_candidates() const {
    return static_cast<uint32_t>(__popc(front)) | static_cast<uint32_t>(__popc(candidates)) << 16;
  }
  __device__ __forceinline__ uint32_t back_keys() const {
    return static_cast<uint32_t>(__popc(back));
  }
};

/* A block's filtering of its share. WANTED: which keys go to the results. */
template <typename Raw, Wanted WANTED>
struct KeyFilter {
  const Selection<Raw> &selection;
  FilterBlock<Raw> &block;
  SelectKeys<const Raw> source;
  SelectKeys<Raw> candidates; /* where those go */
  uint64_t candidates_end;    /* and how far */
  uint32_t range_count;
  uint32_t step;
  ShareBegins at;
  uint32_t turn;

  __device__ __forceinline__ bool is_in_range(SelectKey<Raw> entered, uint32_t range) const {
    return entered - block.ranges.lows[range] <= block.ranges.sizes[range];
  }
  __device__ __forceinline__ bool is_in_range(SelectKey<Raw> entered) const {
    return block.cells.may_have(entered) && is_in_range(entered, block.ranges.find(entered, range_count, step));
  }

  __device__ __forceinline__ KeyMarks mark(const SelectItems<Raw> &items) const {
    KeyMarks marks = {0, 0, 0};
    const SelectKey<Raw> first_low = block.ranges.lows[0];
#pragma unroll
    for (uint32_t item = 0; item < SELECT_ITEMS<Raw>; item++) {
      const auto entered = static_cast<SelectKey<Raw>>(selection.entry.enter(items.raw[item]));
      const bool is_candidate = range_count == 1 ? is_in_range(entered, 0) : is_in_range(entered);
      const bool is_in_front = WANTED != Wanted::none && entered < first_low;
      marks.candidates |= (is_candidate ? 1u : 0u) << item;
      marks.front |= (is_in_front ? 1u : 0u) << item;
    }
    marks.candidates &= items.has;
    marks.front &= items.has;
    marks.back = WANTED == Wanted::both ? items.has & ~(marks.candidates | marks.front) : 0;
    return marks;
  }

  __device__ __forceinline__ void write(const SelectKeys<Raw> &target, uint64_t place, Raw raw, uint64_t index) const {
    target.keys[place] = raw;
    if (target.positions != nullptr)
      target.positions[place] = source.positions != nullptr ? source.positions[index] : static_cast<uint32_t>(index);
  }

  /* Writes one key where it belongs, if anywhere, and moves that place on. */
  __device__ __forceinline__ void write_item(const KeyMarks &marks, uint32_t bit, Raw raw, uint64_t index,
                                             ShareBegins &places) const {
    if (WANTED != Wanted::none && (marks.front >> bit & 1) != 0)
      write(selection.front, places.front++, raw, index);
    if ((marks.candidates >> bit & 1) != 0 && places.candidates++ < candidates_end)
      write(candidates, places.candidates - 1, raw, index);
    if (WANTED == Wanted::both && (marks.back >> bit & 1) != 0)
      selection.back[places.back++] = raw;
  }

  /* Writes the warp's keys, its first ones to these places. All lanes take part. */
  __device__ __forceinline__ void write_warp(const SelectItems<Raw> &items, const KeyMarks &marks, uint64_t begin,
                                             ShareBegins places) const {
    constexpr uint32_t KEYS = KEYS_PER_PIECE<Raw>;
#pragma unroll
    for (uint32_t piece = 0; piece < PIECES<Raw>; piece++) {
      const KeyMarks own = marks.of_piece(piece, KEYS);
      const uint32_t counts = own.front_and_candidates();
      const uint32_t sums = warp_inclusive_sum(counts);
      const uint32_t back_sums = WANTED == Wanted::both ? warp_inclusive_sum(own.back_keys()) : 0;
      ShareBegins own_places = {places.front + ((sums - counts) & 0xFFFF), places.candidates + ((sums - counts) >> 16),
                                places.back + back_sums - own.back_keys()};
#pragma unroll
      for (uint32_t key = 0; key < KEYS; key++) {
        const uint32_t item = piece * KEYS + key;
        write_item(own, key, items.raw[item], begin + SelectItems<Raw>::index(item), own_places);
      }
      const uint32_t all = __shfl_sync(ALL_LANES, sums, WARP_LANES - 1);
      places.front += all & 0xFFFF;
      places.candidates += all >> 16;
      if (WANTED == Wanted::both)
        places.back += __shfl_sync(ALL_LANES, back_sums, WARP_LANES - 1);
    }
  }

  /* A tile. All threads take part; one barrier, or two where keys behind are written. */
  __device__ __forceinline__ void filter(const SelectItems<Raw> &items, uint64_t begin) {
    const KeyMarks marks = mark(items);
    const uint32_t own = warp_sum(marks.front_and_candidates());
    uint32_t all;
    const uint32_t lower = lower_warps_sum<SELECT_WARPS>(own, block.warp_totals[turn][0], all);
    uint32_t own_back = 0;
    uint32_t all_back = 0;
    uint32_t lower_back = 0;
    if (WANTED == Wanted::both) {
      own_back = warp_sum(marks.back_keys());
      lower_back = lower_warps_sum<SELECT_WARPS>(own_back, block.warp_totals[turn][1], all_back);
    }
    if ((own | own_back) != 0) // the same in all lanes
      write_warp(items, marks, begin, {at.front + (lower & 0xFFFF), at.candidates + (lower >> 16), at.back + lower_back});
    at.front += all & 0xFFFF;
    at.candidates += all >> 16;
    at.back += all_back;
    turn ^= 1;
  }
};

template <typename Raw, Wanted WANTED>
__global__ void __launch_bounds__(SELECT_THREADS, RESIDENT_SELECTORS)
    // cppcheck-suppress passedByValue
    filter_keys_kernel(const __grid_constant__ Selection<Raw> selection) {
  static_assert(SELECT_TILE<Raw> <= UINT16_MAX, "two numbers of a tile's keys are added up as one");
  auto &block = block_shared<FilterBlock<Raw>>();
  const SelectState &state = *selection.state;
  if (state.filtering == Filtering::none)
    return;
  block.ranges.fill(state, 0); // whose shifts do not matter here
  if (state.range_count > 1)
    block.cells.fill(state);
  __syncthreads();
  const bool is_last = state.filtering == Filtering::results;
  const uint32_t next = state.source == SelectSource::second_candidates ? 1 : 0;
  KeyFilter<Raw, WANTED> filter = {selection,
                                   block,
                                   selection.source(state.filtered),
                                   is_last ? selection.front : selection.candidates[next],
                                   is_last ? selection.top_keys : UINT64_MAX,
                                   state.range_count,
                                   first_step(state.range_count),
                                   selection.begins[blockIdx.x],
                                   0};
  for_each_tile(filter.source.keys, select_share<Raw>(state.filtered_keys),
                [&](const SelectItems<Raw> &items, uint64_t begin) { filter.filter(items, begin); });
}

/* ---- The end ----------------------------------------------------------------------------------------------------------- */

/* The keys that were found, each to the place of its rank in the caller's order. */
struct FoundPlaces {
  uint8_t places[CDP_RANKS_MAX];
};
static_assert(CDP_RANKS_MAX <= UINT8_MAX, "they fit");

template <typename Raw>
__global__ void __launch_bounds__(SELECT_THREADS)
    // cppcheck-suppress passedByValue
    write_found_kernel(const __grid_constant__ Selection<Raw> selection, const __grid_constant__ FoundPlaces places,
                       Raw *found) {
  const SelectState &state = *selection.state;
  for (uint32_t rank = threadIdx.x; rank < selection.rank_count; rank += SELECT_THREADS)
    found[places.places[rank]] = selection.entry.leave(state.ranges[state.range_of[rank]].low);
}

/* Brings the two parts of an array back, and between them the key that was found. */
template <typename Raw>
__global__ void __launch_bounds__(PAYLOAD_THREADS)
    // cppcheck-suppress passedByValue
    put_parts_back_kernel(const __grid_constant__ Selection<Raw> selection, Raw *keys) {
  const SelectState &state = *selection.state;
  const uint64_t front_end = state.front_keys;
  const uint64_t back_begin = state.back_begin;
  const Raw found = selection.entry.leave(state.ranges[0].low);
  for_each_item(selection.count, [&](uint64_t index) {
    keys[index] = index < front_end || index >= back_begin ? selection.front.keys[index] : found;
  });
}

} // namespace cdp::CDP_RUNTIME

#endif
