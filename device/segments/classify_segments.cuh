/* SPDX-License-Identifier: MIT */
/*
 * The first kernel of a segmented sort: it reads the offsets, lists what is not tiny, and sorts what is.
 *
 * A thread reads a segment. Then each warp takes its tiny ones of up to 8, of up to 16 and of up to 32 keys: two, four or eight
 * lanes have a segment, four keys each, and sort it bitonically (Batcher 1968), in registers as far as they go, and by shuffles.
 * Then groups of lanes exchange what they have, so that as many lanes as a segment has keys write it, side by side.
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
  uint64_t order[WARPS][WARP_LANES]; /* of a warp's segments of one size: tiny_place() */
};

/* ---- Tiny ones --------------------------------------------------------------------------------------------------------- */

/* Where a tiny segment is: its first key, and in the uppermost bits how many it has. An array of 2^58 keys there is not. */
constexpr uint32_t TINY_BEGIN_BITS = 58;
static_assert(TINY_ITEMS < 1u << (64 - TINY_BEGIN_BITS), "and there is room for how many");

__device__ __forceinline__ uint64_t tiny_place(uint64_t begin, uint32_t items) {
  return begin | uint64_t{items} << TINY_BEGIN_BITS;
}
__device__ __forceinline__ uint64_t tiny_begin(uint64_t place) {
  return place & ((uint64_t{1} << TINY_BEGIN_BITS) - 1);
}
__device__ __forceinline__ uint32_t tiny_items(uint64_t place) {
  return static_cast<uint32_t>(place >> TINY_BEGIN_BITS);
}

/* Sorts what each LANES neighbouring lanes hold, TINY_LANE_ITEMS keys each: the first lane has the least ones. */
template <uint32_t LANES, typename Bits>
__device__ __forceinline__ void sort_lane_groups(Bits (&items)[TINY_LANE_ITEMS]) {
  cdpsort::network::sort_in_lane<0, TINY_LANE_ITEMS>(items_of(items), cdpsort::Less{});
#pragma unroll
  for (uint32_t lanes = 2; lanes <= LANES; lanes *= 2) {
    cdpsort::network::flip_lanes(items_of(items), lanes, cdpsort::Less{});
#pragma unroll
    for (uint32_t distance = lanes / 4; distance >= 1; distance /= 2)
      cdpsort::network::cross_lanes(items_of(items), distance, cdpsort::Less{});
    cdpsort::network::merge_in_lane<TINY_LANE_ITEMS, false>(items_of(items), cdpsort::Less{});
  }
}

/*
 * Of TINY_LANE_ITEMS neighbouring groups of LANES lanes, each with a segment of its own: has register i of all their lanes hold
 * what the group with the number i has held. So a row of registers is a segment, or several that are as far from each other.
 *
 * A lane's number has then the register's bits in the place of the group's: tiny_index().
 */
template <uint32_t LANES, typename Bits>
__device__ __forceinline__ void gather_groups(Bits (&items)[TINY_LANE_ITEMS]) {
#pragma unroll
  for (uint32_t bit = 1; bit < TINY_LANE_ITEMS; bit *= 2) {
    const bool is_upper = (threadIdx.x & (LANES * bit)) != 0;
#pragma unroll
    for (uint32_t low = 0; low < TINY_LANE_ITEMS; low++) {
      if ((low & bit) != 0)
        continue;
      const Bits given = is_upper ? items[low] : items[low + bit];
      const Bits taken = __shfl_xor_sync(ALL_LANES, given, static_cast<int>(LANES * bit));
      items[low] = is_upper ? taken : items[low];
      items[low + bit] = is_upper ? items[low + bit] : taken;
    }
  }
}

/* Which key of its segment a lane has then. */
template <uint32_t LANES>
__device__ __forceinline__ uint32_t tiny_index() {
  return threadIdx.x % LANES * TINY_LANE_ITEMS + threadIdx.x / LANES % TINY_LANE_ITEMS;
}

/* Sorts a warp's segments numbered `first` and behind of those in `order`, which are `segments`, BATCHES times as many as the warp
   has room for. All lanes take part. */
template <uint32_t LANES, uint32_t BATCHES, typename Bits>
__device__ __forceinline__ void sort_tiny_batches(const BlockRules<Bits> &rules, const uint64_t *order, uint32_t first,
                                                  uint32_t segments) {
  constexpr uint32_t GROUPS = WARP_LANES / LANES;
  const uint32_t lane = threadIdx.x % WARP_LANES;
  Bits *keys = rules.side(Side::keys);
  Bits items[BATCHES][TINY_LANE_ITEMS];
#pragma unroll
  for (uint32_t batch = 0; batch < BATCHES; batch++) {
    const uint32_t segment = first + batch * GROUPS + lane / LANES;
    const uint64_t place = segment < segments ? order[segment] : 0;
    const Bits *from = keys + tiny_begin(place);
#pragma unroll
    for (uint32_t item = 0; item < TINY_LANE_ITEMS; item++) {
      const uint32_t index = item * LANES + lane % LANES;
      items[batch][item] = index < tiny_items(place) ? from[index] : rules.map.missing(true);
    }
  }
#pragma unroll
  for (uint32_t batch = 0; batch < BATCHES; batch++) {
    rules.map.enter_all(items[batch], true);
    sort_lane_groups<LANES>(items[batch]);
    gather_groups<LANES>(items[batch]);
#pragma unroll
    for (uint32_t item = 0; item < TINY_LANE_ITEMS; item++) {
      const uint32_t segment = first + batch * GROUPS + lane / (LANES * TINY_LANE_ITEMS) * TINY_LANE_ITEMS + item;
      const uint64_t place = segment < segments ? order[segment] : 0;
      if (tiny_index<LANES>() < tiny_items(place))
        keys[tiny_begin(place) + tiny_index<LANES>()] = rules.map.leave(items[batch][item], true);
    }
  }
}

/* Sorts the segments of the warp's lanes that are longer than half of ITEMS, or of 8, and no longer than it. All lanes take part.
   */
template <uint32_t ITEMS, typename Bits>
__device__ __forceinline__ void sort_tiny_segments(const BlockRules<Bits> &rules, const Range &range, uint64_t *order) {
  constexpr uint32_t LANES = ITEMS / TINY_LANE_ITEMS;
  constexpr uint32_t BATCHES = TINY_BYTES / (TINY_LANE_ITEMS * sizeof(Bits));
  constexpr uint32_t EACH = BATCHES * (WARP_LANES / LANES);
  constexpr uint32_t FEWEST = ITEMS == 8 ? 2 : ITEMS / 2 + 1;
  const uint32_t lane = threadIdx.x % WARP_LANES;
  const bool is_mine = range.items() >= FEWEST && range.items() <= ITEMS;
  const uint32_t mask = __ballot_sync(ALL_LANES, is_mine ? 1 : 0);
  const uint32_t segments = static_cast<uint32_t>(__popc(mask));
  if (segments == 0)
    return;
  __syncwarp(); // the order of others is read
  if (is_mine)
    order[__popc(mask & ((1u << lane) - 1))] = tiny_place(range.begin, static_cast<uint32_t>(range.items()));
  __syncwarp();
  for (uint32_t first = 0; first < segments; first += EACH)
    sort_tiny_batches<LANES, BATCHES>(rules, order, first, segments);
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
  uint64_t *order = block.order[threadIdx.x / WARP_LANES];
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
