/* SPDX-License-Identifier: MIT */
/*
 * The two scatters of keys that carry values (carry.cuh): to groups of buckets, and from each group to its buckets.
 *
 *     first    blocks take every so many tiles of the array; where a tile's keys go, its counts have told
 *     second   a block has a group, and goes through its tiles in their order: it knows by itself where each bucket goes on
 *
 * A warp has a piece of a tile, and ranks a row of it at a time: lanes with the same bucket find one another by a word of bits in
 * shared memory that each adds its own to, so that equal buckets keep the order of the input. Keys and values are staged by bucket
 * and written in runs. The next tile's keys are on their way meanwhile.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_CARRY_SCATTER_CUH
#define CDPSORT_DEVICE_PAYLOAD_CARRY_SCATTER_CUH

#include "payload/carry.cuh"
#include "runtime/copy_ahead.cuh"

namespace cdp::CDP_RUNTIME {

/* The shared memory of a block that scatters. */
template <typename Value, DeviceKind KIND>
struct CarryScatterOf {
  static constexpr CarryRow ROW = carry_row(KIND);
  static constexpr uint32_t WARPS = ROW.threads / WARP_LANES;
  static constexpr uint32_t TILE = ROW.threads * ROW.items;
  static_assert(TILE <= UINT16_MAX, "ranks have 16 bits");
  static_assert(ROW.max_buckets % WARP_LANES == 0 && ROW.max_buckets <= ROW.threads, "a thread has a bucket");
  static_assert(ROW.items % 2 == 0, "ranks are held in pairs");

  Value values[TILE]; /* by bucket */
  uint32_t keys[TILE];
  uint32_t lanes[WARPS][ROW.max_buckets];  /* of a row, that have the bucket; 0 between two rows */
  uint16_t counts[WARPS][ROW.max_buckets]; /* keys of each warp's piece; then where they begin in the tile's bucket */
  uint32_t tile_begins[ROW.max_buckets];   /* of buckets in the tile */
  uint32_t places[ROW.max_buckets];        /* where the tile's keys of a bucket go */
  uint32_t moves[ROW.max_buckets];         /* from a place in the tile to that in the array; may wrap around */
  uint32_t warp_totals[WARP_LANES];
  uint32_t line_begins[LINE_BEGINS];
};
template <typename Value>
using CarryScatter = CarryScatterOf<Value, DEVICE_KIND>;

/* One of the two scatters, of the block at hand, by a map: what it is of, and where from. */
template <typename Value, typename Map, bool IS_SECOND>
struct CarryScatterer {
  using Block = CarryScatter<Value>;
  static constexpr uint32_t ITEMS = CARRY_ROW.items;
  static constexpr uint32_t TILE = Block::TILE;
  static constexpr uint32_t MAX_BUCKETS = CARRY_ROW.max_buckets;

  const Carry<Value> &carry;
  Block &block;
  const Map &map;
  GroupOf group_of;
  uint32_t first_bucket; /* of the group */

  __device__ __forceinline__ const uint32_t *source_keys() const {
    return IS_SECOND ? carry.grouped_keys : carry.keys;
  }

  __device__ __forceinline__ uint32_t bucket(uint32_t entered) const {
    const uint32_t of_all = map(entered);
    return IS_SECOND ? of_all - first_bucket : group_of(of_all);
  }

  /* Which of a tile's keys is a thread's: one of each row of its warp's piece. */
  __device__ __forceinline__ static uint32_t index(uint32_t item) {
    return (threadIdx.x / WARP_LANES * ITEMS + item) * WARP_LANES + threadIdx.x % WARP_LANES;
  }

  template <bool FULL>
  __device__ __forceinline__ void load_some(uint32_t begin, uint32_t items, uint32_t (&keys)[ITEMS]) const {
    const uint32_t *source = source_keys() + begin;
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++)
      keys[item] = FULL || index(item) < items ? source[index(item)] : 0;
  }

  /* Loads a tile's keys, none if it has none. */
  __device__ __forceinline__ void load(uint32_t begin, uint32_t items, uint32_t (&keys)[ITEMS]) const {
    if (items == TILE)
      load_some<true>(begin, items, keys);
    else if (items != 0)
      load_some<false>(begin, items, keys);
  }

  /* Ranks a key among those of its bucket that the warp has had, and counts it. All lanes of the warp take part. */
  __device__ __forceinline__ uint32_t rank(uint32_t its_bucket) const {
    const uint32_t warp = threadIdx.x / WARP_LANES;
    const uint32_t lane = threadIdx.x % WARP_LANES;
    atomicOr(&block.lanes[warp][its_bucket], 1u << lane);
    __syncwarp();
    const uint32_t lanes = block.lanes[warp][its_bucket];
    const uint32_t before = block.counts[warp][its_bucket];
    __syncwarp();
    const uint32_t lower = static_cast<uint32_t>(__popc(lanes & ((1u << lane) - 1)));
    if (lower == 0) {
      block.counts[warp][its_bucket] = static_cast<uint16_t>(before + static_cast<uint32_t>(__popc(lanes)));
      block.lanes[warp][its_bucket] = 0;
    }
    __syncwarp();
    return before + lower;
  }

  /* Where each bucket's keys begin in the tile, and each warp's among them; and where they go. All threads take part; begins and
     ends with a barrier. */
  __device__ __forceinline__ void place_buckets() const {
    const uint32_t own = threadIdx.x;
    const uint32_t warp = threadIdx.x / WARP_LANES;
    uint32_t count = 0;
    __syncthreads();
    if (own < MAX_BUCKETS)
#pragma unroll
      for (uint32_t piece = 0; piece < CARRY_WARPS; piece++) {
        const uint32_t of_piece = block.counts[piece][own];
        block.counts[piece][own] = static_cast<uint16_t>(count);
        count += of_piece;
      }
    const uint32_t scanned = warp_inclusive_sum(count);
    if (threadIdx.x % WARP_LANES == WARP_LANES - 1)
      block.warp_totals[warp] = scanned;
    __syncthreads();
    if (own < MAX_BUCKETS) {
      uint32_t begin = scanned - count;
#pragma unroll
      for (uint32_t lower = 0; lower < MAX_BUCKETS / WARP_LANES; lower++)
        if (lower < warp)
          begin += block.warp_totals[lower];
      const uint32_t place = block.places[own];
      block.tile_begins[own] = begin;
      block.moves[own] = place - begin;
      block.places[own] = place + count; // of the block's next tile, where it follows
    }
    __syncthreads();
  }

  /* Moves a tile of so many keys, which are held, and loads those of the next one. All threads take part; begins with no key
     counted, and ends with a barrier. */
  template <bool FULL>
  __device__ __forceinline__ void move_tile(uint32_t begin, uint32_t items, uint32_t next_begin, uint32_t next_items,
                                            uint32_t (&keys)[ITEMS]) const {
    const uint32_t warp = threadIdx.x / WARP_LANES;
    const Value *values = IS_SECOND ? carry.grouped_values : carry.values;
    uint32_t ranks[ITEMS / 2];
    if (!IS_SECOND)
#pragma unroll
      for (uint32_t item = 0; item < ITEMS; item++)
        keys[item] = carry.map.enter(keys[item], true);
    // What is not there is ranked behind all others, and goes nowhere.
    const auto bucket_of = [&](uint32_t item) { return FULL || index(item) < items ? bucket(keys[item]) : MAX_BUCKETS - 1; };
#pragma unroll
    for (uint32_t pair = 0; pair < ITEMS / 2; pair++) {
      const uint32_t first = rank(bucket_of(2 * pair));
      ranks[pair] = first | rank(bucket_of(2 * pair + 1)) << 16;
    }
    place_buckets();
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++) {
      if (!FULL && index(item) >= items)
        continue;
      const uint32_t its_bucket = bucket(keys[item]);
      const uint32_t place =
          (ranks[item / 2] >> (item % 2 * 16) & 0xFFFF) + block.tile_begins[its_bucket] + block.counts[warp][its_bucket];
      block.keys[place] = keys[item];
      if (values != nullptr)
        copy_ahead(&block.values[place], &values[begin + index(item)]);
      else
        block.values[place] = Value{begin + index(item)};
    }
    load(next_begin, next_items, keys);
    await_copies();
    __syncthreads();
    forget_counts();
    write_tile<FULL>(items);
    __syncthreads();
  }

  template <bool FULL>
  __device__ __forceinline__ void write_tile(uint32_t items) const {
    uint32_t *target_keys = IS_SECOND ? carry.sorted_keys : carry.grouped_keys;
    Value *target_values = IS_SECOND ? carry.sorted_values : carry.grouped_values;
#pragma unroll 4
    for (uint32_t item = 0; item < ITEMS; item++) {
      const uint32_t staged = item * CARRY_THREADS + threadIdx.x;
      if (!FULL && staged >= items)
        break;
      const uint32_t key = block.keys[staged];
      const uint32_t place = block.moves[bucket(key)] + staged;
      target_keys[place] = key;
      target_values[place] = block.values[staged];
    }
  }

  /* No barrier. */
  __device__ __forceinline__ void forget_counts() const {
    auto *pairs = reinterpret_cast<uint32_t *>(block.counts);
    for (uint32_t pair = threadIdx.x; pair < sizeof block.counts / sizeof *pairs; pair += CARRY_THREADS)
      pairs[pair] = 0;
  }

  /* Where the keys of a tile of the whole array go. No barrier. */
  __device__ __forceinline__ void look_up_places(uint32_t begin) const {
    if (threadIdx.x < carry.groups)
      block.places[threadIdx.x] = carry.tile_places[uint64_t{threadIdx.x} * carry.tiles + begin / TILE];
  }

  /* Moves the tiles that begin every `step` keys. All threads take part; begins with a barrier. */
  __device__ __forceinline__ void move(uint32_t begin, uint32_t end, uint32_t step) const {
    const auto items_from = [&](uint32_t tile) { return tile < end ? min(TILE, end - tile) : 0; };
    uint32_t keys[ITEMS] = {};
    uint32_t items = items_from(begin);
    load(begin, items, keys);
    __syncthreads();
    while (items != 0) {
      const uint32_t next = begin + step;
      const uint32_t next_items = items_from(next);
      if (!IS_SECOND)
        look_up_places(begin);
      if (items == TILE)
        move_tile<true>(begin, items, next, next_items, keys);
      else
        move_tile<false>(begin, items, next, next_items, keys);
      begin = next;
      items = next_items;
    }
  }
};

/* Blocks take every so many tiles; or, of the second scatter, a group each. */
template <typename Value, bool IS_SECOND>
__global__ void __launch_bounds__(CARRY_THREADS, 1)
    // cppcheck-suppress passedByValue
    carry_scatter_kernel(const __grid_constant__ Carry<Value> carry) {
  auto &block = block_shared<CarryScatter<Value>>();
  if (carry.control->given_up != 0)
    return;
  const uint32_t group_buckets = carry.control->group_buckets;
  const uint32_t first_bucket = IS_SECOND ? blockIdx.x * group_buckets : 0;
  for (uint32_t word = threadIdx.x; word < sizeof block.lanes / sizeof(uint32_t); word += CARRY_THREADS)
    (&block.lanes[0][0])[word] = 0;
  if (IS_SECOND && threadIdx.x < CARRY_ROW.max_buckets)
    block.places[threadIdx.x] = threadIdx.x < group_buckets ? carry.begins[first_bucket + threadIdx.x] : 0;
  with_carry_map(carry, block.line_begins, [&](const auto &map) {
    using Map = std::decay_t<decltype(map)>;
    const CarryScatterer<Value, Map, IS_SECOND> scatterer = {carry, block, map, GroupOf(group_buckets), first_bucket};
    scatterer.forget_counts();
    if (IS_SECOND)
      scatterer.move(carry.begins[first_bucket], carry.begins[first_bucket + group_buckets], CarryScatter<Value>::TILE);
    else
      scatterer.move(blockIdx.x * CarryScatter<Value>::TILE, carry.count, gridDim.x * CarryScatter<Value>::TILE);
  });
}

} // namespace cdp::CDP_RUNTIME

#endif
