/* SPDX-License-Identifier: MIT */
/*
 * The last step of a sort that carries values (carry.cuh): teams sort buckets on chip (block/on_chip_sort.cuh), each a bucket that is
 * read once and written once.
 *
 * What is sorted are items of 8 bytes, a key and its position in the bucket: no two are equal, and equal keys keep their order. When
 * they are in order, the keys are written and the positions kept in registers, so that the room is free for the values, which are
 * read in their order and written in that of the positions. A bucket too long for a team is sorted by a block in the same way. Groups
 * of equal keys are in order, and copied.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_CARRY_BUCKETS_CUH
#define CDPSORT_DEVICE_PAYLOAD_CARRY_BUCKETS_CUH

#include "payload/carry_exchange.cuh"
#include "payload/carry_left_out.cuh"
#include "payload/carry_order.cuh"

namespace cdp::CDP_RUNTIME {

/* Sorts what is staged. Returns whether it is in order: if not, it must be merged. All threads of the team take part; ends with a
   barrier. */
template <OnChipBy BY, typename Key, typename Value>
__device__ __forceinline__ bool sort_staged_items(uint32_t count, const Carry<Key, Value> &carry) {
  if constexpr (sizeof(Key) == sizeof(uint64_t))
    if (are_items_crowded<Key, BY>(count))
      stage_compacted<BY>(carry);
  if (are_items_crowded<Key, BY>(count) &&
      restage_items<BY>(count, carry_bucket<Key, BY>().window.last(count), carry_rooms<Key, BY>()))
    return false;
  return sort_by_windows<CarryItem, BY>(count, nullptr, carry.item_map, carry_rooms<Key, BY>());
}

/* Sorts a bucket that is not empty. All threads of the team take part; ends with a barrier. */
template <OnChipBy BY, typename Key, typename Value>
__device__ __forceinline__ void sort_carried(const Carry<Key, Value> &carry, uint32_t begin, uint32_t count) {
  if (CarryTeam<BY>::anew().thread == 0) {
    carry_bucket<Key, BY>().begin = begin;
    carry_bucket<Key, BY>().count = count;
  }
  CarryTeam<BY>::anew().sync();
  {
    CarryItems<Key, BY> items;
    CarryItem least = 0;
    load_bucket<BY>(carry, begin, count, items);
    if (stage_held_keys<CarryItem, BY, false>(items, count, least, carry_rooms<Key, BY>())) // there is but one
      stage_one_item<Key, BY>(least);
  }
  bool is_merged = !sort_staged_items<BY>(reread(carry_bucket<Key, BY>().count), carry);
  if (is_merged)
    merge_staged<CarryItem, BY>(reread(carry_bucket<Key, BY>().count), CarryTeam<BY>::anew(), carry_room<Key, BY>());
  is_merged = settle_left_out<BY>(carry, is_merged);
  if (is_merged)
    write_carried<BY, true>(carry);
  else
    write_carried<BY, false>(carry);
}

/* Sorts the buckets that are for teams, of a straight map all that are not too long: each takes every so many. */
template <typename Key, typename Value>
__global__ void __launch_bounds__(MultiwayShape<CarryItem>::BLOCK_THREADS, 1)
    // cppcheck-suppress passedByValue
    carry_sort_kernel(const __grid_constant__ Carry<Key, Value> carry) {
  constexpr OnChipBy BY = OnChipBy::team;
  if (carry.is_over())
    return;
  const bool are_listed = carry.control->is_learnt != 0;
  const uint32_t buckets = are_listed ? carry.control->short_buckets : carry.buckets();
  uint32_t index = blockIdx.x * CarryShape<BY>::TEAMS + CarryTeam<BY>::anew().number;
  for (; index < buckets; index += gridDim.x * CarryShape<BY>::TEAMS) {
    const uint32_t bucket = are_listed ? carry.listed[index] : index;
    const uint32_t begin = carry.begins[bucket];
    const uint32_t count = carry.begins[bucket + 1] - begin;
    if (count != 0 && count <= CarryShape<BY>::MAX_ITEMS)
      sort_carried<BY>(carry, begin, count);
  }
}

/* Copies a piece of a group of equal keys to its last place. All threads take part; no barrier. */
template <typename Key, typename Value>
__device__ __forceinline__ void copy_equal_keys(const Carry<Key, Value> &carry, uint32_t begin, uint32_t end) {
  constexpr uint32_t THREADS = MultiwayShape<CarryItem>::BLOCK_THREADS;
  const Key key = carry.map.leave(carry.grouped_keys[begin], true);
#pragma unroll 8
  for (uint32_t index = begin + threadIdx.x; index < end; index += THREADS) {
    carry.sorted_keys[index] = key;
    carry.sorted_values[index] = carry.grouped_values[index];
  }
}

/* Copies groups of equal keys. Blocks take every so many pieces of them. */
template <typename Key, typename Value>
__device__ __forceinline__ void copy_equal_groups(const Carry<Key, Value> &carry) {
  constexpr uint32_t PIECE = MultiwayShape<CarryItem>::BLOCK_THREADS * CARRY_COPIED_ITEMS;
  const CarryControl<Key> &control = *carry.control;
  for (uint32_t index = 0; index < control.equal_groups; index++) {
    const uint32_t group = control.equal_group_numbers[index];
    const uint32_t end = control.group_begins[group + 1];
    for (uint32_t piece = control.group_begins[group] + blockIdx.x * PIECE; piece < end; piece += gridDim.x * PIECE)
      copy_equal_keys(carry, piece, min(end, piece + PIECE));
  }
}

/* Sorts those that are too long for one, by blocks as one team; and copies what is in order, of all keys or groups of equal ones. */
template <typename Key, typename Value>
__global__ void __launch_bounds__(MultiwayShape<CarryItem>::BLOCK_THREADS, 1)
    // cppcheck-suppress passedByValue
    carry_sort_long_kernel(const __grid_constant__ Carry<Key, Value> carry) {
  if (carry.control->is_in_order != 0)
    return copy_in_order(carry);
  if (carry.is_over())
    return;
  copy_equal_groups(carry);
  for (uint32_t index = blockIdx.x; index < carry.control->long_buckets; index += gridDim.x) {
    const uint32_t bucket = carry.listed[carry.most_buckets - 1 - index];
    const uint32_t begin = carry.begins[bucket];
    sort_carried<OnChipBy::block>(carry, begin, carry.begins[bucket + 1] - begin);
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
