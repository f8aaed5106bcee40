/* SPDX-License-Identifier: MIT */
/*
 * Segments that are sorted in registers: small ones by a warp each (bitonic.cuh), short ones by a small block each, whose warps'
 * runs are merged (block_merge.cuh). The keys are read once and written once.
 */
#ifndef CDPSORT_DEVICE_SEGMENTS_SHORT_SEGMENTS_CUH
#define CDPSORT_DEVICE_SEGMENTS_SHORT_SEGMENTS_CUH

#include "block/block_merge.cuh"
#include "segments/segment_lists.cuh"

namespace cdp::CDP_RUNTIME {

/* Sorts a range in the least network that holds it. All lanes of the warp take part. */
template <uint32_t ITEMS, typename Bits>
__device__ __forceinline__ void sort_small_segment(const BlockRules<Bits> &rules, const Range &range) {
  const uint32_t count = static_cast<uint32_t>(range.items());
  if constexpr (ITEMS > 2)
    if (count <= WARP_LANES * ITEMS / 2)
      return sort_small_segment<ITEMS / 2>(rules, range);
  warp_sort_keys<Bits, ITEMS>(rules.side(range.side) + range.begin, rules.side(Side::keys) + range.begin, count, rules.map,
                              range.is_raw(), true);
}

/* A warp for each segment, in turns. */
template <typename Bits>
__global__ void __launch_bounds__(SMALL_THREADS)
    // cppcheck-suppress passedByValue
    sort_small_segments_kernel(const __grid_constant__ SegmentedSort<Bits> sort) {
  constexpr uint32_t WARPS = SMALL_THREADS / WARP_LANES;
  constexpr SegmentRow ROW = SEGMENT_ROW<Bits>;
  const SegmentSource source = sort.source(SegmentClass::small);
  const uint64_t segments = sort.source_count(SegmentClass::small);
  const uint64_t step = uint64_t{gridDim.x} * WARPS;
  uint64_t index = blockIdx.x;
  for (index = index * WARPS + threadIdx.x / WARP_LANES; index < segments; index += step)
    sort_small_segment<ROW.small_items_per_lane>(sort.rules, source(index));
}

/* A small block, as merge_sort_items() speaks to it. */
struct ShortSegmentTeam {
  uint32_t thread;

  __device__ __forceinline__ void sync() const {
    __syncthreads();
  }
};

template <typename Bits>
struct ShortSegmentBlock {
  static constexpr SegmentRow ROW = SEGMENT_ROW<Bits>;
  static constexpr uint32_t ROOM = merge_room(ROW.short_threads * ROW.short_items);
  Bits stage[ROOM];
};

/* Sorts a range of at most ITEMS keys to each thread. All threads of the block take part; ends with a barrier. */
template <uint32_t ITEMS, typename Bits>
__device__ __forceinline__ void sort_short_segment(const BlockRules<Bits> &rules, const Range &range, Bits *stage) {
  constexpr uint32_t WARP_ITEMS = WARP_LANES * ITEMS;
  const uint32_t count = static_cast<uint32_t>(range.items());
  const uint32_t threads = (count + WARP_ITEMS - 1) / WARP_ITEMS * WARP_LANES;
  const uint32_t first = threadIdx.x / WARP_LANES * WARP_ITEMS; // the warp's first item
  Bits items[ITEMS] = {};
  if (first < count)
    load_striped(items, rules.side(range.side) + range.begin + first, count - first, rules.map, range.is_raw());
  merge_sort_items(items, threads, stage, ShortSegmentTeam{threadIdx.x});
  if (first < count) {
    turn_arrangement(items);
    store_striped(items, rules.side(Side::keys) + range.begin + first, count - first, rules.map, true);
  }
}

/* A block for each segment, in turns. */
template <typename Bits>
__global__ void __launch_bounds__(SEGMENT_ROW<Bits>.short_threads)
    // cppcheck-suppress passedByValue
    sort_short_segments_kernel(const __grid_constant__ SegmentedSort<Bits> sort) {
  constexpr SegmentRow ROW = SEGMENT_ROW<Bits>;
  constexpr uint32_t HALF_ITEMS = ROW.short_items / 2;
  auto &block = block_shared<ShortSegmentBlock<Bits>>();
  const SegmentSource source = sort.source(SegmentClass::shorts);
  const uint64_t segments = sort.source_count(SegmentClass::shorts);
  for (uint64_t index = blockIdx.x; index < segments; index += gridDim.x) {
    const Range range = source(index);
    if constexpr (HALF_ITEMS % 2 == 0)
      if (range.items() <= uint64_t{ROW.short_threads} * HALF_ITEMS) {
        sort_short_segment<HALF_ITEMS>(sort.rules, range, block.stage);
        continue;
      }
    sort_short_segment<ROW.short_items>(sort.rules, range, block.stage);
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
