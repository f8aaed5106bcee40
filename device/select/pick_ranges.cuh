/* SPDX-License-Identifier: MIT */
/*
 * What follows from the counts: step 3 of selection.cuh. One block does it; and where few keys are left, it finds those at the ranks.
 */
#ifndef CDPSORT_DEVICE_SELECT_PICK_RANGES_CUH
#define CDPSORT_DEVICE_SELECT_PICK_RANGES_CUH

#include "block/block_merge.cuh"
#include "select/selection.cuh"

namespace cdp::CDP_RUNTIME {

struct PickBlock {
  SelectState state;
  KeyRange divided[CDP_RANKS_MAX]; /* the ranges that were counted */
  uint32_t bins[CDP_RANKS_MAX];    /* in which each rank is, of its range's */
  uint64_t lower[CDP_RANKS_MAX];   /* keys in lower bins of the range */
  uint64_t keys[CDP_RANKS_MAX];    /* in that bin */
  uint32_t taken[CDP_RANKS_MAX];   /* of each new range, the bin among all of them */
  uint64_t front_begin;            /* where the keys begin that are written now: before the range, in it, and behind it */
  uint64_t candidates_begin;
  uint64_t back_begin;
  unsigned long long warp_totals[3][WARP_LANES];
};

/* Copy the state to shared memory, and back. A thread for each rank, or range: of one thread it would be most of the time. */
__device__ __forceinline__ void fetch_state(const SelectState &state, uint32_t rank_count, PickBlock &block) {
  if (threadIdx.x == 0)
    static_cast<SelectProgress &>(block.state) = state;
  for (uint32_t rank = threadIdx.x; rank < rank_count; rank += SELECT_THREADS) {
    block.state.ranks[rank] = state.ranks[rank];
    block.state.range_of[rank] = state.range_of[rank];
    if (rank < state.range_count)
      block.divided[rank] = state.ranges[rank];
  }
}

__device__ __forceinline__ void store_state(const PickBlock &block, uint32_t rank_count, SelectState &state) {
  if (threadIdx.x == 0)
    static_cast<SelectProgress &>(state) = block.state;
  for (uint32_t rank = threadIdx.x; rank < rank_count; rank += SELECT_THREADS) {
    state.ranks[rank] = block.state.ranks[rank];
    state.range_of[rank] = block.state.range_of[rank];
    if (rank < block.state.range_count)
      state.ranges[rank] = block.state.ranges[rank];
  }
}

/* Finds each rank's bin. All threads take part; to be followed by a barrier. */
template <typename Raw>
__device__ __forceinline__ void find_bins(const Selection<Raw> &selection, PickBlock &block, uint32_t bins) {
  for (uint32_t rank = 0; rank < selection.rank_count; rank++) {
    const unsigned long long *totals = selection.totals + block.state.range_of[rank] * bins;
    const unsigned long long lowest = totals[0];
    for (uint32_t bin = threadIdx.x; bin < bins; bin += SELECT_THREADS) {
      const uint64_t lower = totals[bin] - lowest;
      const uint64_t upper = totals[bin + 1] - lowest;
      if (block.state.ranks[rank] < lower || block.state.ranks[rank] >= upper)
        continue;
      block.bins[rank] = bin;
      block.lower[rank] = lower;
      block.keys[rank] = upper - lower;
    }
  }
}

/* The keys of a bin. */
template <typename Raw>
__device__ __forceinline__ KeyRange range_of_bin(const KeyRange &divided, uint32_t bin, uint32_t bin_bits) {
  const uint32_t shift = bin_shift(divided, bin_bits);
  if (bin == 0)
    return {0, divided.low - 1};
  if (bin > 1u << bin_bits)
    return {divided.last + 1, GREATEST_KEY<Raw>};
  const uint64_t low = divided.low + (uint64_t{bin - 1} << shift);
  return {low, low + min((uint64_t{1} << shift) - 1, divided.last - low)};
}

/* Makes the new ranges, of which two ranks may have the same, and returns how many keys are in them. One thread. */
template <typename Raw>
__device__ __forceinline__ uint64_t narrow_ranges(const Selection<Raw> &selection, PickBlock &block, uint32_t level) {
  SelectState &state = block.state;
  const uint32_t bits = selection.bits(level);
  uint64_t candidates = 0;
  uint32_t ranges = 0;
  state.is_done = 1;
  for (uint32_t rank = 0; rank < selection.rank_count; rank++) {
    const uint32_t divided = state.range_of[rank];
    const KeyRange range = range_of_bin<Raw>(block.divided[divided], block.bins[rank], bits);
    if (ranges == 0 || state.ranges[ranges - 1].low != range.low) {
      state.ranges[ranges] = range;
      block.taken[ranges++] = divided * ((1u << bits) + 2) + block.bins[rank];
      candidates += block.keys[rank];
    }
    state.range_of[rank] = ranges - 1;
    if (range.low != range.last)
      state.is_done = 0;
    if (selection.rank_count > 1)
      state.ranks[rank] -= block.lower[rank];
  }
  state.range_count = ranges;
  return candidates;
}

/* Decides what the filter does. One thread. */
template <typename Raw>
__device__ __forceinline__ void decide_filtering(const Selection<Raw> &selection, PickBlock &block, Wanted wanted,
                                                 uint64_t candidates) {
  SelectState &state = block.state;
  const uint64_t lower = block.lower[0];
  state.filtering = Filtering::none;
  state.filtered = state.source;
  state.filtered_keys = state.source_keys;
  if (state.is_done != 0)
    state.filtering = wanted == Wanted::none ? Filtering::none : Filtering::results;
  else if (candidates <= state.source_keys / LEAST_SHRINKING)
    state.filtering = Filtering::candidates;
  if (state.filtering == Filtering::none)
    return;
  block.front_begin = state.front_keys;
  if (wanted != Wanted::none) {
    state.front_keys += lower;
    state.back_begin -= state.source_keys - lower - candidates;
  }
  block.back_begin = state.back_begin;
  block.candidates_begin = state.filtering == Filtering::results ? state.front_keys : 0;
  if (state.filtering == Filtering::results)
    return;
  state.source =
      state.source == SelectSource::first_candidates ? SelectSource::second_candidates : SelectSource::first_candidates;
  state.source_keys = candidates;
  if (selection.rank_count == 1)
    state.ranks[0] -= lower;
}

/* Where each share's keys begin. All threads take part; there are no more shares than they. */
template <typename Raw>
__device__ __forceinline__ void place_shares(const Selection<Raw> &selection, PickBlock &block, uint32_t shares,
                                             uint32_t bins) {
  unsigned long long front = 0;
  unsigned long long candidates = 0;
  unsigned long long back = 0;
  if (threadIdx.x < shares) {
    const uint32_t *row = selection.rows + uint64_t{threadIdx.x} * SELECT_ROW;
    for (uint32_t range = 0; range < block.state.range_count; range++)
      candidates += row[block.taken[range] + 1] - row[block.taken[range]];
    front = row[block.taken[0]];
    back = row[bins] - row[block.taken[0] + 1];
  }
  unsigned long long all;
  front = lower_threads_sum<SELECT_WARPS>(front, block.warp_totals[0], all);
  candidates = lower_threads_sum<SELECT_WARPS>(candidates, block.warp_totals[1], all);
  back = lower_threads_sum<SELECT_WARPS>(back, block.warp_totals[2], all);
  if (threadIdx.x < shares)
    selection.begins[threadIdx.x] = {block.front_begin + front, block.candidates_begin + candidates, block.back_begin + back};
}

/* What a block has in shared memory. Keys are sorted behind what is known. */
template <typename Raw>
struct PickRoom {
  PickBlock block;
  SelectKey<Raw> few[merge_room(FEW_SELECT_KEYS)];
};

/* Whether the keys that are left are so few that the block sorts them, and nothing but the keys at the ranks is wanted. */
__device__ __forceinline__ bool are_few(const SelectState &state, Wanted wanted) {
  return wanted == Wanted::none && state.source_keys <= FEW_SELECT_KEYS;
}

/* Finds the keys at all ranks among few, by sorting them. All threads take part; ends with a barrier. */
template <typename Raw>
__device__ __forceinline__ void find_by_sorting(const Selection<Raw> &selection, PickRoom<Raw> &room, uint32_t bins) {
  constexpr uint32_t EACH = FEW_SELECT_KEYS / SELECT_THREADS;
  SelectState &state = room.block.state;
  const Raw *keys = selection.source(state.source).keys;
  const uint32_t first = threadIdx.x * EACH;
  SelectKey<Raw> items[EACH];
#pragma unroll
  for (uint32_t item = 0; item < EACH; item++)
    items[item] = first + item < state.source_keys ? static_cast<SelectKey<Raw>>(selection.entry.enter(keys[first + item]))
                                                   : GREATEST<SelectKey<Raw>>;
  block_merge_sort(items, SELECT_THREADS, room.few);
#pragma unroll
  for (uint32_t item = 0; item < EACH; item++)
    room.few[first + item] = items[item];
  __syncthreads();
  for (uint32_t rank = threadIdx.x; rank < selection.rank_count; rank += SELECT_THREADS) {
    // Ranges are disjoint and rise: before those of a rank's range come the keys of all lower ones.
    const uint64_t place = selection.totals[state.range_of[rank] * bins] + state.ranks[rank];
    const uint64_t key = room.few[place];
    state.ranges[rank] = {key, key};
    state.range_of[rank] = rank;
  }
  if (threadIdx.x == 0) {
    state.range_count = selection.rank_count;
    state.is_done = 1;
    state.filtering = Filtering::none;
  }
  __syncthreads();
}

template <typename Raw>
__global__ void __launch_bounds__(SELECT_THREADS, 1)
    // cppcheck-suppress passedByValue
    pick_ranges_kernel(const __grid_constant__ Selection<Raw> selection, uint32_t level, Wanted wanted, uint32_t shares) {
  auto &room = block_shared<PickRoom<Raw>>();
  PickBlock &block = room.block;
  SelectState &state = *selection.state;
  if (state.is_done != 0) {
    if (threadIdx.x == 0)
      state.filtering = Filtering::none; // it did all that there was to do
    return;
  }
  const uint32_t bins = (1u << selection.bits(level)) + 2;
  const uint32_t divided = state.range_count;
  fetch_state(state, selection.rank_count, block);
  __syncthreads();
  if (are_few(block.state, wanted)) {
    find_by_sorting(selection, room, bins);
  } else {
    find_bins(selection, block, bins);
    __syncthreads();
    if (threadIdx.x == 0)
      decide_filtering(selection, block, wanted, narrow_ranges(selection, block, level));
    __syncthreads();
  }
  if (block.state.filtering != Filtering::none)
    place_shares(selection, block, shares, divided * bins);
  store_state(block, selection.rank_count, state);
  for (uint32_t bin = threadIdx.x; bin < SELECT_ROW; bin += SELECT_THREADS)
    selection.totals[bin] = 0;
}

} // namespace cdp::CDP_RUNTIME

#endif
