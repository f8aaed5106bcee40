/* SPDX-License-Identifier: MIT */
/*
 * The first kernel of a segmented sort: it reads the offsets, lists what is not tiny, and sorts what is.
 *
 * A thread reads a segment. Then each warp takes its tiny ones of up to 8, of up to 16 and of up to 32 keys: so many lanes have a
 * segment, a key each, and sort it bitonically (Batcher 1968) by shuffles, four, two or one to a row, and some rows at once.
 * Segments that lie one behind the other are so read and written in whole lines.
 */
#ifndef CDPSORT_DEVICE_SEGMENTS_CLASSIFY_SEGMENTS_CUH
#define CDPSORT_DEVICE_SEGMENTS_CLASSIFY_SEGMENTS_CUH

#include "block/bitonic.cuh"
#include "segments/segment_lists.cuh"

namespace cdp::CDP_RUNTIME {

struct ClassifyBlock {
  static constexpr uint32_t WARPS = CLASSIFY_THREADS / WARP_LANES;

  unsigned long long bases[LISTED_CLASSES];
  uint32_t counts[LISTED_CLASSES];
  uint8_t order[WARPS][WARP_LANES]; /* of a warp's segments of one size */
};

/* ---- Tiny ones --------------------------------------------------------------------------------------------------------- */

/* Sorts rows of a key to a lane: each group of LANES lanes its own, and all rows alike. All lanes of the warp take part. */
template <uint32_t LANES, uint32_t ROWS, typename Bits>
__device__ __forceinline__ void sort_lane_groups(Bits (&items)[ROWS]) {
#pragma unroll
  for (uint32_t size = 2; size <= LANES; size *= 2) {
    const bool keeps_greater = (threadIdx.x & (size / 2)) != 0;
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++)
      items[row] =
          cdpsort::network::kept(items[row], __shfl_xor_sync(ALL_LANES, items[row], static_cast<int>(size - 1)), keeps_greater);
#pragma unroll
    for (uint32_t distance = size / 4; distance >= 1; distance /= 2)
      cdpsort::network::cross_lanes(items_of(items), distance, cdpsort::Less{});
  }
}

/* Sorts the segments of the warp's lanes that are longer than half of LANES, or of 8, and no longer than it. All lanes take part.
   */
template <uint32_t LANES, typename Bits>
__device__ __forceinline__ void sort_tiny_segments(const BlockRules<Bits> &rules, const Range &range, uint8_t *order) {
  constexpr uint32_t ROWS = TINY_BYTES / sizeof(Bits);
  constexpr uint32_t GROUPS = WARP_LANES / LANES;
  constexpr uint32_t FEWEST = LANES == 8 ? 2 : LANES / 2 + 1;
  const uint32_t lane = threadIdx.x % WARP_LANES;
  const uint32_t own_items = range.items() <= LANES ? static_cast<uint32_t>(range.items()) : 0;
  const bool is_mine = own_items >= FEWEST;
  const uint32_t mask = __ballot_sync(ALL_LANES, is_mine ? 1 : 0);
  const uint32_t segments = static_cast<uint32_t>(__popc(mask));
  if (segments == 0)
    return;
  __syncwarp();
  if (is_mine)
    order[__popc(mask & ((1u << lane) - 1))] = static_cast<uint8_t>(lane);
  __syncwarp();
  Bits *keys = rules.side(Side::keys);
  for (uint32_t first = 0; first < segments; first += GROUPS * ROWS) {
    uint64_t places[ROWS];
    bool is_key[ROWS];
    Bits items[ROWS];
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++) {
      const uint32_t index = first + row * GROUPS + lane / LANES;
      const int owner = index < segments ? order[index] : static_cast<int>(lane);
      const uint64_t begin = __shfl_sync(ALL_LANES, range.begin, owner);
      const uint32_t count = __shfl_sync(ALL_LANES, own_items, owner);
      places[row] = begin + lane % LANES;
      is_key[row] = index < segments && lane % LANES < count;
      items[row] = is_key[row] ? keys[places[row]] : rules.map.missing(true);
    }
    rules.map.enter_all(items, true);
    sort_lane_groups<LANES>(items);
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++)
      if (is_key[row])
        keys[places[row]] = rules.map.leave(items[row], true);
  }
}

/* ---- Others ------------------------------------------------------------------------------------------------------------ */

/* Lists each thread's segment by its class. All threads of the block take part; begins and ends with a barrier where there is any.
   */
__device__ __forceinline__ void list_segments(const SegmentLists &lists, const Range &range, SegmentClass which,
                                              ClassifyBlock &block) {
  const bool is_listed = which != SegmentClass::none;
  if (__syncthreads_or(is_listed ? 1 : 0) == 0)
    return;
  if (threadIdx.x < LISTED_CLASSES)
    block.counts[threadIdx.x] = 0;
  __syncthreads();
  uint32_t rank = 0;
  if (is_listed)
    rank = atomicAdd(&block.counts[static_cast<uint32_t>(which)], 1u);
  __syncthreads();
  if (threadIdx.x < LISTED_CLASSES && block.counts[threadIdx.x] != 0)
    block.bases[threadIdx.x] = atomicAdd(lists.counter(static_cast<SegmentClass>(threadIdx.x), 0),
                                         static_cast<unsigned long long>(block.counts[threadIdx.x]));
  __syncthreads();
  if (is_listed)
    lists.put(which, block.bases[static_cast<uint32_t>(which)] + rank, range);
}

template <typename Bits>
__global__ void __launch_bounds__(CLASSIFY_THREADS)
    // cppcheck-suppress passedByValue
    classify_segments_kernel(const __grid_constant__ SegmentedSort<Bits> sort) {
  auto &block = block_shared<ClassifyBlock>();
  uint8_t *order = block.order[threadIdx.x / WARP_LANES];
  const uint64_t step = uint64_t{gridDim.x} * CLASSIFY_THREADS;
  uint64_t first = blockIdx.x;
  for (first *= CLASSIFY_THREADS; first < sort.segments.segment_count; first += step) {
    const uint64_t index = first + threadIdx.x;
    const Range range = index < sort.segments.segment_count ? sort.segments(index) : Range{0, 0, Side::keys, 0};
    if (sort.lists.control != nullptr)
      list_segments(sort.lists, range, range.items() > TINY_ITEMS ? class_of<Bits>(range.items()) : SegmentClass::none, block);
    sort_tiny_segments<8>(sort.rules, range, order);
    sort_tiny_segments<16>(sort.rules, range, order);
    sort_tiny_segments<32>(sort.rules, range, order);
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
