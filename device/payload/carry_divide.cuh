/* SPDX-License-Identifier: MIT */
/*
 * How a group of keys that carry values is divided into buckets (carry.cuh), where there are splitters: by those of a sample of the
 * group, by which its keys are counted then. A group of equal keys is one bucket.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_CARRY_DIVIDE_CUH
#define CDPSORT_DEVICE_PAYLOAD_CARRY_DIVIDE_CUH

#include "payload/carry_count.cuh"

namespace cdp::CDP_RUNTIME {

constexpr uint32_t CARRY_GROUP_EACH = CARRY_ROW.group_samples / CARRY_THREADS;
constexpr uint32_t CARRY_GROUP_FEW = CARRY_ROW.few_group_samples / CARRY_THREADS;
static_assert(CARRY_GROUP_EACH * CARRY_THREADS == CARRY_ROW.group_samples &&
                  CARRY_GROUP_FEW * CARRY_THREADS == CARRY_ROW.few_group_samples,
              "threads have as many samples each");

template <typename Key, DeviceKind KIND>
struct CarryDivideOf {
  union {
    CarryLearn<Key, carry_row(KIND).group_samples> learn;
    CarryLearn<Key, carry_row(KIND).few_group_samples> learn_few;
  };
  CarrySplitters<Key> splitters;
  uint32_t counts[MAX_CARRY_BUCKETS];
  uint32_t warp_totals[WARP_LANES];
};
template <typename Key>
using CarryDivide = CarryDivideOf<Key, DEVICE_KIND>;

/* Whether a group has equal keys. */
template <typename Key, typename Value>
__device__ __forceinline__ bool is_equal_group(const Carry<Key, Value> &carry, uint32_t group) {
  return carry.control->is_learnt != 0 && carry.control->splitters.has_equal_keys(group);
}

/* Counts the buckets of a group's keys, by a map: of some until the address is a vector's, and of whole tiles. All threads take part. */
template <typename Key, typename Value, typename Map>
__device__ __forceinline__ void count_group(const Carry<Key, Value> &carry, uint32_t begin, uint32_t end, const Map &map,
                                            uint32_t (&counts)[MAX_CARRY_BUCKETS]) {
  constexpr uint32_t TILE = CARRY_THREADS * CARRY_KEYS_ROW<Key>.items;
  constexpr uint32_t VECTOR_KEYS = sizeof(KeyVector<Key>) / sizeof(Key);
  const Key *keys = carry.grouped_keys;
  const uint32_t first = min(end, (begin + VECTOR_KEYS - 1) / VECTOR_KEYS * VECTOR_KEYS);
  const auto count = [&](uint32_t bucket) { atomicAdd(&counts[bucket], 1u); };
  for_each_tile_key(keys + begin, first - begin, map, count);
  for (uint32_t tile = first; tile < end; tile += TILE)
    for_each_tile_key(keys + tile, min(TILE, end - tile), map, count);
}

/* Makes splitters for a group of one key at least, of so many samples of each thread. All threads take part; ends with a barrier. */
template <uint32_t EACH, typename Key, typename Value>
__device__ __forceinline__ void split_group_by(const Carry<Key, Value> &carry, CarryLearn<Key, EACH * CARRY_THREADS> &learn,
                                               CarrySplitters<Key> &splitters, uint32_t group, uint32_t count,
                                               uint32_t buckets) {
  const Key *keys = carry.grouped_keys + carry.control->group_begins[group];
  const uint64_t hash = group_hash(carry.seed, uint64_t{group} + 1);
  Key sample[EACH];
#pragma unroll
  for (uint32_t item = 0; item < EACH; item++)
    sample[item] = keys[sample_position(hash, item * CARRY_THREADS + threadIdx.x, EACH * CARRY_THREADS, count)];
  learn_splitters(sample, buckets, carry.learnt_group_buckets - buckets, learn, splitters);
}

/* The same, of as many as its buckets need. */
template <typename Key, typename Value>
__device__ __forceinline__ void split_group(const Carry<Key, Value> &carry, CarryDivide<Key> &block, uint32_t group,
                                            uint32_t count) {
  // A value that a block cannot sort has as many keys as some three buckets: there are a third as many such values as buckets at most,
  // and there is room for half as many.
  const uint32_t buckets = min(carry.learnt_group_buckets / 3 * 2, count / carry.learnt_bucket_items + 1);
  if (buckets * CARRY_BUCKET_SAMPLES <= CARRY_ROW.few_group_samples)
    split_group_by<CARRY_GROUP_FEW>(carry, block.learn_few, block.splitters, group, count, buckets);
  else
    split_group_by<CARRY_GROUP_EACH>(carry, block.learn, block.splitters, group, count, buckets);
}

/* Makes the group's splitters, and counts a part of its keys. All threads take part; ends with a barrier. */
template <typename Key, typename Value>
__device__ __forceinline__ void count_part(const Carry<Key, Value> &carry, CarryDivide<Key> &block, uint32_t group,
                                           uint32_t part) {
  const uint32_t begin = carry.control->group_begins[group];
  const uint32_t count = carry.control->group_begins[group + 1] - begin;
  const auto part_begin = [&](uint32_t of) { return begin + static_cast<uint32_t>(uint64_t{count} * of / CARRY_DIVIDERS); };
  if (threadIdx.x < MAX_CARRY_BUCKETS)
    block.counts[threadIdx.x] = 0;
  if (count == 0 || is_equal_group(carry, group)) {
    if (threadIdx.x == 0)
      block.counts[0] = part_begin(part + 1) - part_begin(part);
  } else {
    split_group(carry, block, group, count);
    if (part == 0)
      copy_splitters(block.splitters, carry.splitters[group]);
    with_splitters(block.splitters,
                   [&](const auto &map) { count_group(carry, part_begin(part), part_begin(part + 1), map, block.counts); });
  }
  __syncthreads();
}

/* Turns a group's counts into where its buckets begin, and lists those that are to be sorted. Gives up if one is too long for a block.
   All threads take part. */
template <typename Key, typename Value>
__device__ __forceinline__ void place_group(const Carry<Key, Value> &carry, CarryDivide<Key> &block, uint32_t group) {
  CarryControl<Key> &control = *carry.control;
  const uint32_t own = threadIdx.x;
  const bool is_divided = !is_equal_group(carry, group);
  const uint32_t bucket = group * carry.learnt_group_buckets + own;
  uint32_t all;
  const uint32_t count = own < carry.learnt_group_buckets ? atomicAdd(&carry.begins[bucket], 0u) : 0; // as all have left it
  const uint32_t lower = lower_threads_sum<CARRY_WARPS>(count, block.warp_totals, all);
  if (own < carry.learnt_group_buckets) {
    carry.begins[bucket] = control.group_begins[group] + lower;
    const bool is_sorted = count == 0 || !is_divided || block.splitters.has_equal_keys(own);
    if (!is_sorted && count <= OnChipShape<uint64_t>::MAX_ITEMS)
      carry.listed[atomicAdd(&control.short_buckets, 1u)] = bucket;
    if (!is_sorted && list_long_bucket(carry, bucket, count))
      control.given_up = 1; // whoever writes it, it is the same
  }
  if (own == 0 && group + 1 == control.groups)
    carry.begins[carry.buckets()] = carry.count;
}

/* Some blocks for each group: each makes its splitters, and counts a part of its keys. The last says where its buckets begin. */
template <typename Key, typename Value>
__global__ void __launch_bounds__(CARRY_THREADS, CARRY_DIVIDERS)
    // cppcheck-suppress passedByValue
    carry_divide_kernel(const __grid_constant__ Carry<Key, Value> carry) {
  auto &block = block_shared<CarryDivide<Key>>();
  CarryControl<Key> &control = *carry.control;
  const uint32_t group = blockIdx.x / CARRY_DIVIDERS;
  if (control.is_learnt == 0 || group >= control.groups)
    return;
  // Another block may give up meanwhile, and the threads of this one must agree about it.
  if (__syncthreads_or(threadIdx.x == 0 && carry.is_over() ? 1 : 0) != 0)
    return;
  count_part(carry, block, group, blockIdx.x % CARRY_DIVIDERS);
  if (threadIdx.x < carry.learnt_group_buckets && block.counts[threadIdx.x] != 0)
    atomicAdd(&carry.begins[group * carry.learnt_group_buckets + threadIdx.x], block.counts[threadIdx.x]);
  __threadfence(); // before it is said that they are there
  __syncthreads();
  if (__syncthreads_or(threadIdx.x == 0 && atomicAdd(&control.dividers_done[group], 1u) == CARRY_DIVIDERS - 1 ? 1 : 0) == 0)
    return;
  __threadfence();
  place_group(carry, block, group);
}

} // namespace cdp::CDP_RUNTIME

#endif
