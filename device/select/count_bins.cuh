/* SPDX-License-Identifier: MIT */
/*
 * The beginning of a selection, and its counting: steps 1 and 2 of selection.cuh.
 */
#ifndef CDPSORT_DEVICE_SELECT_COUNT_BINS_CUH
#define CDPSORT_DEVICE_SELECT_COUNT_BINS_CUH

#include "select/selection.cuh"

namespace cdp::CDP_RUNTIME {

/* ---- Begin ------------------------------------------------------------------------------------------------------------- */

/* Ranks as they travel with a launch. */
struct SelectRanks {
  uint64_t ranks[CDP_RANKS_MAX];
};

struct BeginBlock {
  unsigned long long leasts[WARP_LANES];
  unsigned long long greatests[WARP_LANES];
};

/* The extremes of keys at even distances. Of narrow keys it is all that there may be. One block. */
template <typename Raw>
__device__ __forceinline__ KeyRange look_at_sample(const Selection<Raw> &selection, BeginBlock &block) {
  constexpr uint32_t SAMPLES = SELECT_THREADS * SELECT_SHAPE.samples;
  if (sizeof(Raw) < 4)
    return {0, GREATEST_KEY<Raw>};
  unsigned long long least = GREATEST_KEY<Raw>;
  unsigned long long greatest = 0;
#pragma unroll
  for (uint32_t sample = 0; sample < SELECT_SHAPE.samples; sample++) {
    const uint64_t number = sample * SELECT_THREADS + threadIdx.x;
    // No overflow: 2^40 keys, 2^13 samples.
    const unsigned long long entered = selection.entry.enter(selection.keys[number * selection.count / SAMPLES]);
    least = min(least, entered);
    greatest = max(greatest, entered);
  }
#pragma unroll
  for (uint32_t distance = WARP_LANES / 2; distance != 0; distance /= 2) {
    least = min(least, __shfl_xor_sync(ALL_LANES, least, static_cast<int>(distance)));
    greatest = max(greatest, __shfl_xor_sync(ALL_LANES, greatest, static_cast<int>(distance)));
  }
  if (threadIdx.x % WARP_LANES == 0) {
    block.leasts[threadIdx.x / WARP_LANES] = least;
    block.greatests[threadIdx.x / WARP_LANES] = greatest;
  }
  __syncthreads();
  for (uint32_t warp = 0; warp < SELECT_WARPS; warp++) {
    least = min(least, block.leasts[warp]);
    greatest = max(greatest, block.greatests[warp]);
  }
  return {least, greatest};
}

template <typename Raw>
__global__ void __launch_bounds__(SELECT_THREADS)
    // cppcheck-suppress passedByValue
    begin_selection_kernel(const __grid_constant__ Selection<Raw> selection, const __grid_constant__ SelectRanks wanted) {
  const KeyRange range = look_at_sample(selection, block_shared<BeginBlock>());
  SelectState &state = *selection.state;
  for (uint32_t rank = threadIdx.x; rank < selection.rank_count; rank += SELECT_THREADS) {
    state.ranks[rank] = wanted.ranks[rank];
    state.range_of[rank] = 0;
  }
  for (uint32_t bin = threadIdx.x; bin < SELECT_ROW; bin += SELECT_THREADS)
    selection.totals[bin] = 0;
  if (threadIdx.x != 0)
    return;
  state.ranges[0] = range;
  state.range_count = 1;
  state.is_done = 0;
  state.source = SelectSource::array;
  state.source_keys = selection.count;
  state.filtering = Filtering::none;
  state.front_keys = 0;
  state.back_begin = selection.count;
}

/* ---- Count ------------------------------------------------------------------------------------------------------------- */

template <typename Raw>
struct CountBlock {
  uint32_t counters[MAX_SELECT_BINS][SELECT_SHAPE.copies];
  uint32_t warp_totals[WARP_LANES];
  RangeTable<Raw> ranges;
};

/* The bins of one range: those of the keys below it and above it come first and last. */
template <typename Raw>
struct OneRangeBins {
  SelectKey<Raw> low;
  SelectKey<Raw> size; /* less one */
  uint32_t shift;
  uint32_t bins; /* of the range, all but two */

  __device__ __forceinline__ bool operator()(SelectKey<Raw> entered, uint32_t &bin) const {
    const SelectKey<Raw> distance = entered - low;
    const uint32_t inside = static_cast<uint32_t>(distance >> shift) + 1;
    bin = entered < low ? 0 : distance > size ? bins + 1 : inside;
    return true;
  }
};

/* Those of several, where keys outside of them all are in none. */
template <typename Raw>
struct ManyRangesBins {
  const RangeTable<Raw> &ranges;
  uint32_t range_count;
  uint32_t step;
  uint32_t bins;

  __device__ __forceinline__ bool operator()(SelectKey<Raw> entered, uint32_t &bin) const {
    const uint32_t range = ranges.find(entered, range_count, step);
    const SelectKey<Raw> distance = entered - ranges.lows[range]; // great for a key below, since it wraps around
    bin = range * (bins + 2) + static_cast<uint32_t>(distance >> ranges.shifts[range]) + 1;
    return distance <= ranges.sizes[range];
  }
};

template <typename Raw, typename BinOf>
__device__ __forceinline__ void count_select_share(const Selection<Raw> &selection, const SelectState &state,
                                                   CountBlock<Raw> &block, const BinOf &bin_of) {
  const uint32_t copy = threadIdx.x % SELECT_SHAPE.copies;
  for_each_tile(selection.source(state.source).keys, select_share<Raw>(state.source_keys),
                [&](const SelectItems<Raw> &items, uint64_t) {
#pragma unroll
                  for (uint32_t item = 0; item < SELECT_ITEMS<Raw>; item++) {
                    uint32_t bin;
                    const auto entered = static_cast<SelectKey<Raw>>(selection.entry.enter(items.raw[item]));
                    if (bin_of(entered, bin) && (items.has >> item & 1) != 0)
                      atomicAdd(&block.counters[bin][copy], 1u);
                  }
                });
}

/* Writes how many keys of the share are in lower bins, for each bin, and adds that to the totals. All threads take part. */
template <typename Raw>
__device__ __forceinline__ void write_row(const Selection<Raw> &selection, CountBlock<Raw> &block, uint32_t bins) {
  constexpr uint32_t EACH = (MAX_SELECT_BINS + SELECT_THREADS - 1) / SELECT_THREADS;
  uint32_t *row = selection.rows + uint64_t{blockIdx.x} * SELECT_ROW;
  const uint32_t first = threadIdx.x * EACH;
  uint32_t own[EACH];
  uint32_t sum = 0;
#pragma unroll
  for (uint32_t index = 0; index < EACH; index++) {
    own[index] = 0;
    for (uint32_t copy = 0; copy < SELECT_SHAPE.copies && first + index < bins; copy++)
      own[index] += block.counters[first + index][copy];
    sum += own[index];
  }
  uint32_t all;
  uint32_t lower = lower_threads_sum<SELECT_WARPS>(sum, block.warp_totals, all);
#pragma unroll
  for (uint32_t index = 0; index < EACH; index++) {
    if (first + index <= bins) {
      row[first + index] = lower;
      if (lower != 0)
        atomicAdd(&selection.totals[first + index], static_cast<unsigned long long>(lower));
    }
    lower += own[index];
  }
  if (threadIdx.x == 0 && EACH * SELECT_THREADS == bins) { // nobody's bin
    row[bins] = all;
    atomicAdd(&selection.totals[bins], static_cast<unsigned long long>(all));
  }
}

template <typename Raw>
__global__ void __launch_bounds__(SELECT_THREADS, RESIDENT_SELECTORS)
    // cppcheck-suppress passedByValue
    count_bins_kernel(const __grid_constant__ Selection<Raw> selection, uint32_t level) {
  auto &block = block_shared<CountBlock<Raw>>();
  const SelectState &state = *selection.state;
  if (state.is_done != 0)
    return;
  const uint32_t bits = selection.bits(level);
  const uint32_t bins = state.range_count * ((1u << bits) + 2);
  auto *counters = reinterpret_cast<uint32_t *>(block.counters);
  for (uint32_t counter = threadIdx.x; counter < bins * SELECT_SHAPE.copies; counter += SELECT_THREADS)
    counters[counter] = 0;
  block.ranges.fill(state, bits);
  __syncthreads();
  if (selection.counts_outside(level))
    count_select_share(selection, state, block,
                       OneRangeBins<Raw>{block.ranges.lows[0], block.ranges.sizes[0], block.ranges.shifts[0], 1u << bits});
  else
    count_select_share(selection, state, block,
                       ManyRangesBins<Raw>{block.ranges, state.range_count, first_step(state.range_count), 1u << bits});
  __syncthreads();
  write_row(selection, block, bins);
}

} // namespace cdp::CDP_RUNTIME

#endif
