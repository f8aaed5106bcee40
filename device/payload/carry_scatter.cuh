/* SPDX-License-Identifier: MIT */
/*
 * The two scatters of keys that carry values (carry.cuh): to groups of buckets, and from each group to its buckets.
 *
 *     first    blocks take every so many tiles of the array; where a tile's keys go, its counts have told
 *     second   a block has a group, and goes through its tiles in their order: it knows by itself where each bucket goes on
 *
 * A warp has a piece of a tile, and ranks a row of it at a time: lanes with the same bucket find one another by a word of bits in
 * shared memory that each adds its own to, so that equal buckets keep the order of the input. Keys and values are staged by bucket
 * and written in runs. The next tile's keys are on their way meanwhile. Buckets that are looked for among splitters are staged, too;
 * those by a straight map are reckoned anew.
 *
 * A group of equal keys is not scattered a second time: it is copied in the end (carry_buckets.cuh).
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_CARRY_SCATTER_CUH
#define CDPSORT_DEVICE_PAYLOAD_CARRY_SCATTER_CUH

#include "payload/carry_divide.cuh"
#include "runtime/copy_ahead.cuh"

namespace cdp::CDP_RUNTIME {

/* The shared memory of a block that scatters. */
template <typename Key, typename Value, DeviceKind KIND>
struct CarryScatterOf {
  static constexpr CarryRow ROW = carry_row(KIND);
  static constexpr uint32_t ITEMS = carry_keys_row(KIND, sizeof(Key)).items;
  static constexpr uint32_t WARPS = ROW.threads / WARP_LANES;
  static constexpr uint32_t TILE = ROW.threads * ITEMS;
  static_assert(TILE <= UINT16_MAX, "ranks have 16 bits");
  static_assert(ROW.max_buckets % WARP_LANES == 0 && ROW.max_buckets <= ROW.threads, "a thread has a bucket");
  static_assert(ITEMS % 2 == 0, "ranks are held in pairs");

  Value values[TILE]; /* by bucket */
  Key keys[TILE];
  uint8_t buckets[TILE];                   /* by splitters */
  uint32_t lanes[WARPS][ROW.max_buckets];  /* of a row, that have the bucket; 0 between two rows */
  uint16_t counts[WARPS][ROW.max_buckets]; /* keys of each warp's piece; then where they begin in the tile's bucket */
  uint32_t tile_begins[ROW.max_buckets];   /* of buckets in the tile */
  uint32_t places[ROW.max_buckets];        /* where the tile's keys of a bucket go */
  uint32_t moves[ROW.max_buckets];         /* from a place in the tile to that in the array; may wrap around */
  uint32_t warp_totals[WARP_LANES];
  CarrySplitters<Key> splitters;
};
template <typename Key, typename Value>
using CarryScatter = CarryScatterOf<Key, Value, DEVICE_KIND>;

/* Buckets by a straight map: for the first scatter groups; for the second those of a group. */
template <typename Key, bool IS_SECOND>
struct StraightBuckets {
  static constexpr bool IS_LEARNT = false;

  StraightMap<Key> map;
  GroupOf group_of;
  uint32_t first_bucket; /* of the group */

  __device__ __forceinline__ uint32_t operator()(Key key) const {
    return IS_SECOND ? map(key) - first_bucket : group_of(map(key));
  }
};

/* One of the two scatters, of the block at hand, by a map: what it is of, and where from. */
template <typename Key, typename Value, typename Map, bool IS_SECOND>
struct CarryScatterer {
  using Block = CarryScatter<Key, Value>;
  static constexpr uint32_t ITEMS = CARRY_KEYS_ROW<Key>.items;
  static constexpr uint32_t TILE = Block::TILE;
  static constexpr uint32_t MAX_BUCKETS = CARRY_ROW.max_buckets;
  static constexpr bool IS_LEARNT = Map::IS_LEARNT;
  static_assert(MAX_BUCKETS <= UINT8_MAX + 1 && ITEMS % 4 == 0, "four buckets are held in a word");

  const Carry<Key, Value> &carry;
  Block &block;
  const Map &map;
  uint32_t groups; /* of the first scatter */

  __device__ __forceinline__ const Key *source_keys() const {
    return IS_SECOND ? carry.grouped_keys : carry.keys;
  }

  /* Which of a tile's keys is a thread's: one of each row of its warp's piece. */
  __device__ __forceinline__ static uint32_t index(uint32_t item) {
    return (threadIdx.x / WARP_LANES * ITEMS + item) * WARP_LANES + threadIdx.x % WARP_LANES;
  }

  template <bool FULL>
  __device__ __forceinline__ void load_some(uint32_t begin, uint32_t items, Key (&keys)[ITEMS]) const {
    const Key *source = source_keys() + begin;
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++)
      keys[item] = FULL || index(item) < items ? source[index(item)] : 0;
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

  /* Moves a tile of so many keys, which are held, and loads those of the next one, if that is full. All threads take part; begins
     with no key counted, and ends with a barrier. */
  template <bool FULL>
  __device__ __forceinline__ void move_tile(uint32_t begin, uint32_t items, uint32_t next, bool is_next_full,
                                            Key (&keys)[ITEMS]) const {
    const uint32_t warp = threadIdx.x / WARP_LANES;
    const Value *values = IS_SECOND ? carry.grouped_values : carry.values;
    uint32_t ranks[ITEMS / 2];
    uint32_t held[ITEMS / 4] = {}; // buckets
    if (!IS_SECOND)
#pragma unroll
      for (uint32_t item = 0; item < ITEMS; item++)
        keys[item] = carry.map.enter(keys[item], true);
    // What is looked up is not read ahead of what ranks write: therefore all of it first.
    if (IS_LEARNT)
#pragma unroll
      for (uint32_t item = 0; item < ITEMS; item++)
        held[item / 4] |= map(keys[item]) << (item % 4 * 8);
    const auto mapped = [&](uint32_t item) { return IS_LEARNT ? held[item / 4] >> (item % 4 * 8) & 0xFF : map(keys[item]); };
    // What is not there is ranked behind all others, and goes nowhere.
    const auto bucket_of = [&](uint32_t item) { return FULL || index(item) < items ? mapped(item) : MAX_BUCKETS - 1; };
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
      const uint32_t its_bucket = mapped(item);
      const uint32_t place =
          (ranks[item / 2] >> (item % 2 * 16) & 0xFFFF) + block.tile_begins[its_bucket] + block.counts[warp][its_bucket];
      block.keys[place] = keys[item];
      if (IS_LEARNT)
        block.buckets[place] = static_cast<uint8_t>(its_bucket);
      if (IS_SECOND || values != nullptr)
        copy_ahead(&block.values[place], &values[begin + index(item)]);
      else
        block.values[place] = Value{begin + index(item)};
    }
    if (is_next_full)
      load_some<true>(next, TILE, keys);
    await_copies();
    __syncthreads();
    forget_counts();
    write_tile<FULL>(items);
    __syncthreads();
  }

  template <bool FULL>
  __device__ __forceinline__ void write_tile(uint32_t items) const {
    Key *target_keys = IS_SECOND ? carry.sorted_keys : carry.grouped_keys;
    Value *target_values = IS_SECOND ? carry.sorted_values : carry.grouped_values;
#pragma unroll 4
    for (uint32_t item = 0; item < ITEMS; item++) {
      const uint32_t staged = item * CARRY_THREADS + threadIdx.x;
      if (!FULL && staged >= items)
        break;
      const Key key = block.keys[staged];
      const uint32_t its_bucket = IS_LEARNT ? block.buckets[staged] : map(key);
      const uint32_t place = block.moves[its_bucket] + staged;
      // What is in order is not sorted any more, and leaves now.
      const bool leaves = IS_SECOND && IS_LEARNT && block.splitters.has_equal_keys(its_bucket);
      target_keys[place] = leaves ? carry.map.leave(key, true) : key;
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
    if (threadIdx.x < groups)
      block.places[threadIdx.x] = carry.tile_places[uint64_t{threadIdx.x} * carry.tiles + begin / TILE];
  }

  /* Moves the tiles that begin every `step` keys, of which but the last may be short. All threads take part; begins with a barrier. */
  __device__ __forceinline__ void move(uint32_t begin, uint32_t end, uint32_t step) const {
    const auto is_full = [&](uint32_t tile) { return tile < end && end - tile >= TILE; };
    Key keys[ITEMS] = {};
    if (is_full(begin))
      load_some<true>(begin, TILE, keys);
    __syncthreads();
    for (; is_full(begin); begin += step) {
      if (!IS_SECOND)
        look_up_places(begin);
      move_tile<true>(begin, TILE, begin + step, is_full(begin + step), keys);
    }
    if (begin >= end)
      return;
    if (!IS_SECOND)
      look_up_places(begin);
    load_some<false>(begin, end - begin, keys);
    move_tile<false>(begin, end - begin, end, false, keys);
  }
};

/* ---- Kernels ----------------------------------------------------------------------------------------------------------- */

/* Readies a block for tiles. All threads take part; no barrier. */
template <typename Key, typename Value>
__device__ __forceinline__ void forget_lanes(CarryScatter<Key, Value> &block) {
  for (uint32_t word = threadIdx.x; word < sizeof block.lanes / sizeof(uint32_t); word += CARRY_THREADS)
    (&block.lanes[0][0])[word] = 0;
}

/* Moves the tiles that begin every `step` keys by a map of its own. All threads take part. */
template <bool IS_SECOND, typename Key, typename Value, typename Map>
__device__ __forceinline__ void move_tiles(const Carry<Key, Value> &carry, const Map &map, uint32_t begin, uint32_t end,
                                           uint32_t step) {
  auto &block = block_shared<CarryScatter<Key, Value>>();
  const CarryScatterer<Key, Value, Map, IS_SECOND> scatterer = {carry, block, map, carry.control->groups};
  scatterer.forget_counts();
  scatterer.move(begin, end, step);
}

/*
 * The same for each kind of map.
 *
 * 1. A kernel's first instructions are there when they are needed; of others, behind 90 KB, warps waited for each line: 2^22 keys took a
 *    tenth longer (H200, docs/lab/2026-11-25-carried-splitters.md).
 * 2. A tile takes 35 KB of instructions, for each kind of map others; where splitters are learnt, more is to be done anyhow.
 * Therefore what moves by lines is a part of its kernel, and all else is called.
 */
template <bool IS_SECOND, typename Key, typename Value>
__device__ __forceinline__ void move_by_lines(const Carry<Key, Value> &carry, uint32_t begin, uint32_t end, uint32_t step) {
  const uint32_t group_buckets = carry.straight_group_buckets;
  const StraightBuckets<Key, IS_SECOND> map = {straight_map(carry.control->lines), GroupOf(group_buckets),
                                               blockIdx.x * group_buckets};
  move_tiles<IS_SECOND>(carry, map, begin, end, step);
}
template <bool IS_SECOND, typename Key, typename Value>
__device__ __noinline__ void move_by_table(const Carry<Key, Value> &carry, uint32_t begin, uint32_t end, uint32_t step) {
  const CarrySplitters<Key> &splitters = block_shared<CarryScatter<Key, Value>>().splitters;
  move_tiles<IS_SECOND>(carry, splitter_table(splitters), begin, end, step);
}
template <bool IS_SECOND, typename Key, typename Value>
__device__ __noinline__ void move_by_tree(const Carry<Key, Value> &carry, uint32_t begin, uint32_t end, uint32_t step) {
  move_tiles<IS_SECOND>(carry, SplitterTree<Key>{block_shared<CarryScatter<Key, Value>>().splitters.tree}, begin, end, step);
}

/* By splitters, which are copied first. */
template <bool IS_SECOND, typename Key, typename Value>
__device__ __forceinline__ void move_by_splitters(const Carry<Key, Value> &carry, const CarrySplitters<Key> &splitters,
                                                  uint32_t begin, uint32_t end, uint32_t step) {
  auto &block = block_shared<CarryScatter<Key, Value>>();
  copy_splitters(splitters, block.splitters);
  __syncthreads();
  if (block.splitters.is_crowded != 0)
    move_by_tree<IS_SECOND>(carry, begin, end, step);
  else
    move_by_table<IS_SECOND>(carry, begin, end, step);
}

/* To groups. Blocks take every so many tiles. */
template <typename Key, typename Value>
__global__ void __launch_bounds__(CARRY_THREADS, 1)
    // cppcheck-suppress passedByValue
    carry_to_groups_kernel(const __grid_constant__ Carry<Key, Value> carry) {
  constexpr uint32_t TILE = CarryScatter<Key, Value>::TILE;
  const CarryControl<Key> &control = *carry.control;
  if (carry.is_over())
    return;
  forget_lanes(block_shared<CarryScatter<Key, Value>>());
  if (control.is_learnt == 0)
    move_by_lines<false>(carry, blockIdx.x * TILE, carry.count, gridDim.x * TILE);
  else
    move_by_splitters<false>(carry, control.splitters, blockIdx.x * TILE, carry.count, gridDim.x * TILE);
}

/* To buckets. A block has a group. */
template <typename Key, typename Value>
__global__ void __launch_bounds__(CARRY_THREADS, 1)
    // cppcheck-suppress passedByValue
    carry_to_buckets_kernel(const __grid_constant__ Carry<Key, Value> carry) {
  constexpr uint32_t TILE = CarryScatter<Key, Value>::TILE;
  auto &block = block_shared<CarryScatter<Key, Value>>();
  const CarryControl<Key> &control = *carry.control;
  const uint32_t group = blockIdx.x;
  if (carry.is_over() || group >= control.groups)
    return;
  const uint32_t group_buckets = carry.group_buckets();
  const uint32_t first_bucket = group * group_buckets;
  const uint32_t begin = carry.begins[first_bucket];
  const uint32_t end = carry.begins[first_bucket + group_buckets];
  forget_lanes(block);
  if (threadIdx.x < CARRY_ROW.max_buckets)
    block.places[threadIdx.x] = threadIdx.x < group_buckets ? carry.begins[first_bucket + threadIdx.x] : 0;
  if (control.is_learnt == 0)
    move_by_lines<true>(carry, begin, end, TILE);
  else if (begin != end && !is_equal_group(carry, group))
    move_by_splitters<true>(carry, carry.splitters[group], begin, end, TILE);
}

} // namespace cdp::CDP_RUNTIME

#endif
