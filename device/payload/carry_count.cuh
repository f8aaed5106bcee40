/* SPDX-License-Identifier: MIT */
/*
 * What is counted of keys that carry values (carry.cuh), and where groups and buckets begin by that.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_CARRY_COUNT_CUH
#define CDPSORT_DEVICE_PAYLOAD_CARRY_COUNT_CUH

#include "payload/carry_look.cuh"

namespace cdp::CDP_RUNTIME {

/* ---- Count ------------------------------------------------------------------------------------------------------------- */

/* The shared memory of a block that counts: behind it, a counter for each bucket of a straight map. */
template <typename Key>
struct CarryCounts {
  CarrySplitters<Key> splitters;
  uint32_t groups[MAX_CARRY_BUCKETS];
};

/* Calls use(bucket_of(key)) for each of a tile's keys that are the thread's. Several are on their way at once; and all their buckets
   are looked up before the first is used, since what is looked up is not read ahead of what use() writes. */
template <typename Key, typename BucketOf, typename Use>
__device__ __forceinline__ void for_each_tile_key(const Key *keys, uint32_t items, BucketOf bucket_of, Use use) {
  using Vector = KeyVector<Key>;
  constexpr uint32_t KEYS = sizeof(Vector) / sizeof(Key);
  constexpr uint32_t VECTORS = CARRY_KEYS_ROW<Key>.items / KEYS;
  constexpr uint32_t AT_ONCE = VECTORS % 3 == 0 ? 3 : 2;
  static_assert(VECTORS * KEYS == CARRY_KEYS_ROW<Key>.items && VECTORS % AT_ONCE == 0, "a thread loads whole vectors");
  if (items == CARRY_THREADS * CARRY_KEYS_ROW<Key>.items && reinterpret_cast<uintptr_t>(keys) % sizeof(Vector) == 0) {
    const Vector *vectors = reinterpret_cast<const Vector *>(keys) + threadIdx.x;
#pragma unroll
    for (uint32_t first = 0; first < VECTORS; first += AT_ONCE) {
      Vector loaded[AT_ONCE];
#pragma unroll
      for (uint32_t vector = 0; vector < AT_ONCE; vector++)
        loaded[vector] = vectors[(first + vector) * CARRY_THREADS];
#pragma unroll
      for (uint32_t key = 0; key < AT_ONCE * KEYS; key++)
        loaded[key / KEYS].keys[key % KEYS] = bucket_of(loaded[key / KEYS].keys[key % KEYS]);
#pragma unroll
      for (uint32_t key = 0; key < AT_ONCE * KEYS; key++)
        use(static_cast<uint32_t>(loaded[key / KEYS].keys[key % KEYS]));
    }
    return;
  }
#pragma unroll 4
  for (uint32_t index = threadIdx.x; index < items; index += CARRY_THREADS)
    use(bucket_of(keys[index]));
}

/* Counts the groups of each tile's keys, and of all that the block has. bucket_of(key): of an entered key; group_of(bucket): its group,
   with whatever else there is to count. Blocks take every so many tiles. All threads take part. */
template <typename Key, typename Value, typename BucketOf, typename GroupOfBucket>
__device__ __forceinline__ void count_tiles(const Carry<Key, Value> &carry, CarryCounts<Key> &block, BucketOf bucket_of,
                                            GroupOfBucket group_of) {
  constexpr uint32_t TILE = CARRY_THREADS * CARRY_KEYS_ROW<Key>.items;
  static_assert(CARRY_ROW.max_buckets <= CARRY_THREADS, "a thread has a group");
  const uint32_t groups = carry.control->groups;
  uint32_t total = 0;
  for (uint32_t tile = blockIdx.x; tile < carry.tiles; tile += gridDim.x) {
    const uint32_t begin = tile * TILE;
    for_each_tile_key(
        carry.keys + begin, min(TILE, carry.count - begin), [&](Key key) { return bucket_of(carry.map.enter(key, true)); },
        [&](uint32_t bucket) { atomicAdd(&block.groups[group_of(bucket)], 1u); });
    __syncthreads();
    if (threadIdx.x < groups) {
      const uint32_t count = block.groups[threadIdx.x];
      carry.tile_places[uint64_t{threadIdx.x} * carry.tiles + tile] = count;
      block.groups[threadIdx.x] = 0;
      total += count;
    }
    __syncthreads();
  }
  if (total != 0)
    atomicAdd(&carry.control->group_counts[threadIdx.x], total);
}

/* Counts all keys by group; by bucket, too, where the map is straight. */
template <typename Key, typename Value>
__global__ void __launch_bounds__(CARRY_THREADS)
    // cppcheck-suppress passedByValue
    carry_count_kernel(const __grid_constant__ Carry<Key, Value> carry) {
  auto &block = block_shared<CarryCounts<Key>>();
  uint32_t *counts = reinterpret_cast<uint32_t *>(&block + 1);
  const CarryControl<Key> &control = *carry.control;
  if (carry.is_over())
    return;
  const uint32_t buckets = control.is_learnt != 0 ? 0 : carry.buckets();
  for (uint32_t bucket = threadIdx.x; bucket < buckets; bucket += CARRY_THREADS)
    counts[bucket] = 0;
  for (uint32_t group = threadIdx.x; group < MAX_CARRY_BUCKETS; group += CARRY_THREADS)
    block.groups[group] = 0;
  if (control.is_learnt != 0)
    copy_splitters(control.splitters, block.splitters);
  __syncthreads();
  if (control.is_learnt != 0)
    return with_splitters(block.splitters,
                          [&](const auto &map) { count_tiles(carry, block, map, [](uint32_t group) { return group; }); });
  const StraightMap<Key> map = straight_map(control.lines);
  const GroupOf group_of(carry.straight_group_buckets);
  count_tiles(carry, block, map, [&](uint32_t bucket) {
    atomicAdd(&counts[bucket], 1u);
    return group_of(bucket);
  });
  for (uint32_t bucket = threadIdx.x; bucket < buckets; bucket += CARRY_THREADS)
    if (counts[bucket] != 0)
      atomicAdd(&carry.begins[bucket], counts[bucket]);
}

/* ---- Place ------------------------------------------------------------------------------------------------------------- */

struct CarryTotals {
  uint32_t warp_totals[2][WARP_LANES];
};

/* Lists a bucket of so many keys for a block, if a team cannot sort it. Returns whether a block cannot, either. */
template <typename Key, typename Value>
__device__ __forceinline__ bool list_long_bucket(const Carry<Key, Value> &carry, uint32_t bucket, uint32_t count) {
  if (count > OnChipShape<uint64_t>::MAX_ITEMS)
    carry.listed[carry.most_buckets - 1 - atomicAdd(&carry.control->long_buckets, 1u)] = bucket;
  return count > OnChipShape<uint64_t, OnChipBy::block>::MAX_ITEMS;
}

/* Turns counts into where groups begin, by splitters. All threads of one block take part. */
template <typename Key, typename Value>
__device__ __forceinline__ void place_groups(const Carry<Key, Value> &carry, CarryTotals &block) {
  CarryControl<Key> &control = *carry.control;
  uint32_t all;
  const uint32_t count = threadIdx.x < control.groups ? control.group_counts[threadIdx.x] : 0;
  const uint32_t begin = lower_threads_sum<CARRY_WARPS>(count, block.warp_totals[0], all);
  if (threadIdx.x <= control.groups)
    control.group_begins[threadIdx.x] = begin;
}

/* One block: turns counts into where groups begin; or buckets, by a straight map, and says so, or gives up, if one is too long for a block. */
template <typename Key, typename Value>
__global__ void __launch_bounds__(CARRY_THREADS)
    // cppcheck-suppress passedByValue
    carry_place_kernel(const __grid_constant__ Carry<Key, Value> carry) {
  auto &block = block_shared<CarryTotals>();
  if (carry.is_over())
    return;
  if (carry.control->is_learnt != 0)
    return place_groups(carry, block);
  const uint32_t buckets = carry.buckets();
  const auto count_of = [&](uint32_t bucket) { return bucket < buckets ? carry.begins[bucket] : 0; };
  uint32_t lower = 0;
  uint32_t turn = 0;
  bool is_too_long = false;
  uint32_t next = count_of(threadIdx.x); // comes while what is before it is added up
  for (uint32_t first = 0; first < buckets; first += CARRY_THREADS, turn ^= 1) {
    const uint32_t bucket = first + threadIdx.x;
    const uint32_t count = next;
    uint32_t all;
    next = count_of(bucket + CARRY_THREADS);
    const uint32_t sum = lower_threads_sum<CARRY_WARPS>(count, block.warp_totals[turn], all);
    if (bucket < buckets)
      carry.begins[bucket] = lower + sum;
    is_too_long |= list_long_bucket(carry, bucket, count);
    lower += all;
  }
  if (threadIdx.x == 0)
    carry.begins[buckets] = lower;
  if (__syncthreads_or(is_too_long ? 1 : 0) != 0 && threadIdx.x == 0)
    (carry.counts_again ? carry.control->is_missed : carry.control->given_up) = 1;
}

/* A block for each group: turns the counts of its tiles into where each tile's keys go. */
template <typename Key, typename Value>
__global__ void __launch_bounds__(CARRY_THREADS)
    // cppcheck-suppress passedByValue
    carry_add_kernel(const __grid_constant__ Carry<Key, Value> carry) {
  auto &block = block_shared<CarryTotals>();
  if (carry.is_over() || blockIdx.x >= carry.control->groups)
    return;
  uint32_t *places = carry.tile_places + uint64_t{blockIdx.x} * carry.tiles;
  uint32_t lower = carry.group_begin(blockIdx.x);
  const auto count_of = [&](uint32_t tile) { return tile < carry.tiles ? places[tile] : 0; };
  uint32_t turn = 0;
  uint32_t next = count_of(threadIdx.x);
  for (uint32_t first = 0; first < carry.tiles; first += CARRY_THREADS, turn ^= 1) {
    const uint32_t tile = first + threadIdx.x;
    const uint32_t count = next;
    uint32_t all;
    next = count_of(tile + CARRY_THREADS);
    const uint32_t sum = lower_threads_sum<CARRY_WARPS>(count, block.warp_totals[turn], all);
    if (tile < carry.tiles)
      places[tile] = lower + sum;
    lower += all;
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
