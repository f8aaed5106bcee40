/* SPDX-License-Identifier: MIT */
/*
 * The first step of dividing segments that are too long for a block (divide_segments.cuh): their tiles are listed, and their splitters
 * chosen.
 */
#ifndef CDPSORT_DEVICE_SEGMENTS_CHOOSE_SEGMENTS_CUH
#define CDPSORT_DEVICE_SEGMENTS_CHOOSE_SEGMENTS_CUH

#include "block/multiway_tile.cuh"
#include "segments/segment_lists.cuh"

namespace cdp::CDP_RUNTIME {

/* The segment whose tiles a block is at. Where it lies is looked up for each tile. */
struct SegmentAtHand {
  uint64_t table;
  uint32_t slot;
  uint32_t copy_bits; /* each bucket has 1 << so many counters, of which a lane takes one */
};

/* The shared memory of a block. What is not needed all the time lies there, and is read anew: registers are for keys. */
template <typename Bits, DeviceKind KIND>
struct DivideBlockOf {
  MultiwayStorageOf<Bits, KIND> multiway; /* first, as in every fat block: splitters are chosen there */
  SegmentAtHand at;
};
template <typename Bits>
using DivideBlock = DivideBlockOf<Bits, DEVICE_KIND>;

static_assert(fits_fat_blocks<DivideBlockOf>());

/* Buckets of unequal keys for a segment: so many that a team can sort each; or, where that is more than there may be, as many to
   each of the levels that it takes. */
template <typename Bits>
__device__ __forceinline__ uint32_t segment_fan_out(uint64_t items) {
  constexpr SegmentLimits LIMITS = SEGMENT_LIMITS<Bits>;
  uint32_t bits = MIN_SEGMENT_BITS;
  while (items >> bits > LIMITS.target)
    bits++;
  if (bits > LIMITS.max_bits) {
    const uint32_t levels = (bits + LIMITS.max_bits - 1) / LIMITS.max_bits;
    bits = (bits + levels - 1) / levels;
  }
  return 1u << bits;
}

/* Reserves a segment's places in the tables, and on the list of tiles; a segment that finds none is left as it is. For one thread.
   first_tile: where its tiles begin there. */
template <typename Bits>
__device__ __forceinline__ void reserve_segment(const SegmentedSort<Bits> &sort, uint32_t level, uint32_t slot,
                                                unsigned long long &first_tile) {
  const SegmentLists &lists = sort.lists;
  LargeSegment &segment = lists.larges[level % 2][slot];
  const uint32_t places = TABLE_PLACES * segment_fan_out<Bits>(segment.range.items());
  segment.table = atomicAdd(&lists.control->table_places[level % 2], static_cast<unsigned long long>(places));
  if (segment.table + places > lists.table_capacity) {
    segment.range.end = segment.range.begin;
    return;
  }
  const MultiwayTiles<Bits> tiles(sort.rules.side(segment.range.side), segment.range);
  first_tile = atomicAdd(&lists.control->tiles[level % 2], static_cast<unsigned long long>(tiles.count));
}

/* Lists a segment's tiles: `thread` of `threads` that share the work. */
template <typename Bits>
__device__ __forceinline__ void list_tiles(const SegmentedSort<Bits> &sort, const Range &range, uint32_t slot, uint64_t first,
                                           uint32_t thread, uint32_t threads) {
  const MultiwayTiles<Bits> tiles(sort.rules.side(range.side), range);
  for (uint64_t tile = thread; tile < tiles.count; tile += threads)
    if (first + tile < sort.lists.tile_capacity)
      sort.lists.tiles[first + tile] = {slot, static_cast<uint32_t>(tile)};
}

/*
 * Chooses the splitters of a segment of few buckets, and writes its table. All lanes of the warp take part.
 *
 * A lane has a candidate. Where two are equal, a value is frequent: each value is kept once, and has a bucket of equal keys.
 */
template <typename Bits>
__device__ __forceinline__ void warp_choose_splitters(const SegmentedSort<Bits> &sort, LargeSegment &segment) {
  constexpr uint32_t SAMPLES = SEGMENT_ROW<Bits>.sample_items;
  static_assert(SEGMENT_ROW<Bits>.warp_fan_out <= WARP_LANES, "a lane has a candidate");
  const Range range = segment.range;
  const uint64_t table = segment.table;
  const uint32_t fan_out = segment_fan_out<Bits>(range.items());
  const uint32_t lane = threadIdx.x % WARP_LANES;
  Bits samples[SAMPLES];
  draw_samples<Bits>(sort.rules.side(range.side), range, sample_hash(sort.rules.seed, range), samples, sort.rules.map);
  warp_bitonic_sort(samples);
  // Of sorted samples the last of each of fan_out - 1 equal parts: with as many lanes to a part, the last lane's last one.
  const Bits candidate =
      __shfl_sync(ALL_LANES, samples[SAMPLES - 1], static_cast<int>(((lane + 1) * (WARP_LANES / fan_out) - 1) % WARP_LANES));
  const Bits before = __shfl_up_sync(ALL_LANES, candidate, 1);
  const bool is_candidate = lane + 1 < fan_out;
  const bool is_first = is_candidate && (lane == 0 || candidate != before);
  const uint32_t firsts = __ballot_sync(ALL_LANES, is_first ? 1 : 0);
  const uint32_t kept_values = static_cast<uint32_t>(__popc(firsts));
  const uint32_t equal = kept_values + 1 < fan_out ? 1 : 0;
  Bits *splitters = sort.splitters + table;
  if (is_first)
    splitters[__popc(firsts & ((1u << lane) - 1))] = candidate;
  if (is_candidate && lane >= kept_values)
    splitters[lane] = GREATEST<Bits>;
  for (uint32_t place = lane; place < TABLE_PLACES * fan_out; place += WARP_LANES)
    sort.cursors[table + place] = 0;
  if (lane == 0)
    segment.set = {kept_values, fan_out, equal != 0 ? 2 * kept_values + 1 : fan_out, equal};
}

/* The same by a block, for many buckets. All threads take part; ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ void block_choose_splitters(const SegmentedSort<Bits> &sort, LargeSegment &segment,
                                                       MultiwayStorage<Bits> &storage) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  const Range range = segment.range;
  const uint64_t table = segment.table;
  const uint32_t fan_out = segment_fan_out<Bits>(range.items());
  choose_splitters<Bits, MultiwayShape<Bits>::SAMPLES_PER_THREAD>(sort.rules, range, fan_out, SEGMENT_OVERSAMPLING, MAX_BUCKETS,
                                                                  Crowded::keep_all);
  const SplitterSet set = storage.set;
  for (uint32_t index = threadIdx.x; index + 1 < set.tree_items; index += THREADS)
    sort.splitters[table + index] = storage.splitters[index];
  for (uint32_t place = threadIdx.x; place < TABLE_PLACES * fan_out; place += THREADS)
    sort.cursors[table + place] = 0;
  if (threadIdx.x == 0)
    segment.set = set;
  __syncthreads();
}

/* This block's share of choosing. All threads take part. */
template <typename Bits>
__device__ __noinline__ void choose_segments(const SegmentedSort<Bits> &sort, uint32_t level) {
  constexpr uint32_t WARPS = MultiwayShape<Bits>::BLOCK_WARPS;
  constexpr uint32_t WARP_FAN_OUT = SEGMENT_ROW<Bits>.warp_fan_out;
  auto &storage = block_shared<DivideBlock<Bits>>().multiway;
  LargeSegment *segments = sort.lists.larges[level % 2];
  const uint32_t count = static_cast<uint32_t>(sort.lists.listed(SegmentClass::large, level));
  const uint32_t warp = threadIdx.x / WARP_LANES;
  for (uint32_t slot = warp * gridDim.x + blockIdx.x; slot < count; slot += WARPS * gridDim.x) {
    unsigned long long first_tile = 0;
    if (threadIdx.x % WARP_LANES == 0)
      reserve_segment(sort, level, slot, first_tile);
    __syncwarp();
    first_tile = __shfl_sync(ALL_LANES, first_tile, 0);
    const Range range = segments[slot].range;
    if (range.items() == 0)
      continue;
    list_tiles(sort, range, slot, first_tile, threadIdx.x % WARP_LANES, WARP_LANES);
    if (segment_fan_out<Bits>(range.items()) <= WARP_FAN_OUT)
      warp_choose_splitters(sort, segments[slot]);
  }
  __syncthreads();
  // Those of many buckets, of the segments that the block's warps have reserved for: in turns, as those were.
  for (uint32_t slot = blockIdx.x; slot < count; slot += gridDim.x)
    if (segments[slot].range.items() != 0 && segment_fan_out<Bits>(segments[slot].range.items()) > WARP_FAN_OUT)
      block_choose_splitters(sort, segments[slot], storage);
}

} // namespace cdp::CDP_RUNTIME

#endif
