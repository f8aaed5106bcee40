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

#include "payload/carry_restage.cuh"
#include "runtime/copy_ahead.cuh"

namespace cdp::CDP_RUNTIME {

/* The bucket that a team has at hand. It lies in shared memory, and is read anew: registers are for keys. */
struct CarryBucket {
  uint32_t begin;
  uint32_t count;
};

/* The rooms of a block's teams, or of the block as one. */
template <DeviceKind KIND, OnChipBy BY>
struct CarryRoomsOf {
  static constexpr uint32_t TEAMS = OnChipShapeOf<CarryItem, KIND, BY>::TEAMS;
  OnChipTeamOf<CarryItem, KIND, BY> teams[TEAMS];
  CarryBucket buckets[TEAMS];
};

template <OnChipBy BY>
__device__ __forceinline__ OnChipTeam<CarryItem, BY> *carry_rooms() {
  return block_shared<CarryRoomsOf<DEVICE_KIND, BY>>().teams;
}
template <OnChipBy BY>
__device__ __forceinline__ OnChipTeam<CarryItem, BY> &carry_room() {
  return room_of<CarryItem, BY>(carry_rooms<BY>());
}
template <OnChipBy BY>
__device__ __forceinline__ CarryBucket &carry_bucket() {
  return block_shared<CarryRoomsOf<DEVICE_KIND, BY>>().buckets[CarryTeam<BY>::anew().number];
}

/* A thread's items of a bucket, made as its keys are loaded. */
template <OnChipBy BY>
struct CarryItems : OnChipKeys<CarryItem, BY> {
  using Shape = CarryShape<BY>;
  static constexpr uint32_t EACH = Shape::VECTOR_ITEMS; /* keys of a vector */
  struct alignas(EACH * sizeof(uint32_t)) LoadedKeys {
    uint32_t keys[EACH];
  };

  /* Whole vectors, as OnChipKeys loads them. What a thread does not hold is nothing in particular, but it is set: what might be left
     from the bucket before would be kept on the stack for it. */
  __device__ __forceinline__ void load_bucket(const uint32_t *source, uint32_t count, uint32_t thread) {
    const uint32_t misplaced = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(source) / sizeof *source) % EACH;
    const uint32_t ahead = misplaced == 0 ? 0 : min(EACH - misplaced, count);
    const uint32_t whole = (count - ahead) / EACH;
    const auto *first = reinterpret_cast<const LoadedKeys *>(source + ahead);
    this->held = whole > thread ? (whole - thread + Shape::THREADS - 1) / Shape::THREADS : 0;
#pragma unroll
    for (uint32_t vector = 0; vector < Shape::VECTORS; vector++) {
      const LoadedKeys loaded = vector < this->held ? first[vector * Shape::THREADS + thread] : LoadedKeys{};
#pragma unroll
      for (uint32_t key = 0; key < EACH; key++)
        this->vectors[vector].keys[key] =
            carry_item<BY>(loaded.keys[key], ahead + (vector * Shape::THREADS + thread) * EACH + key);
    }
    const uint32_t index = thread < EACH ? thread : ahead + whole * EACH + thread - EACH;
    this->has_edge = thread < EACH ? index < ahead : thread < 2 * EACH && index < count;
    this->edge = this->has_edge ? carry_item<BY>(source[index], index) : 0;
  }
};

/* Writes the keys of items that are in order, and exchanges the values. IS_MERGED: as merge_staged() leaves them. All threads of the
   team take part; ends with a barrier. */
template <OnChipBy BY, bool IS_MERGED, typename Value>
__device__ __forceinline__ void write_carried(const Carry<Value> &carry) {
  constexpr uint32_t ROWS = CarryShape<BY>::ITEMS;
  constexpr uint32_t THREADS = CarryShape<BY>::THREADS;
  static_assert(sizeof(Value) <= sizeof(CarryItem), "there is room for the values");
  constexpr uint32_t POSITION_SHIFT = CARRY_POSITION_SHIFT<BY>;
  constexpr uint32_t BELOW_POSITION = POSITION_SHIFT - 16; // bits of an upper half
  static_assert(CarryShape<BY>::MAX_ITEMS <= UINT16_MAX + 1 && ROWS % 2 == 0,
                "positions are held in pairs, by their upper halves");
  const auto rows = [](uint32_t thread) { return (reread(carry_bucket<BY>().count) + THREADS - 1 - thread) / THREADS; };
  uint32_t positions[ROWS / 2] = {};
  {
    const uint32_t thread = CarryTeam<BY>::anew().thread;
    const uint32_t held = rows(thread);
    const CarryItem *stage = carry_room<BY>().stage;
    uint32_t *keys = carry.sorted_keys + reread(carry_bucket<BY>().begin) + thread;
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++)
      if (row < held) {
        const uint32_t index = thread + row * THREADS;
        const CarryItem item = stage[IS_MERGED ? padded(index) : on_chip_place<CarryItem>(index)];
        keys[row * THREADS] = carry.map.leave(key_of(item), true);
        positions[row / 2] |= row % 2 == 0 ? static_cast<uint32_t>(item) >> 16 : static_cast<uint32_t>(item) & 0xFFFF0000;
      }
  }
  CarryTeam<BY>::anew().sync();
  {
    const uint32_t thread = CarryTeam<BY>::anew().thread;
    const uint32_t held = rows(thread);
    Value *stage = reinterpret_cast<Value *>(&carry_room<BY>()) + thread;
    const Value *values = carry.sorted_values + reread(carry_bucket<BY>().begin) + thread;
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++)
      if (row < held)
        copy_ahead(&stage[row * THREADS], &values[row * THREADS]);
  }
  await_copies();
  CarryTeam<BY>::anew().sync();
  {
    const uint32_t thread = CarryTeam<BY>::anew().thread;
    const uint32_t held = rows(thread);
    const Value *stage = reinterpret_cast<const Value *>(&carry_room<BY>());
    Value *values = carry.sorted_values + reread(carry_bucket<BY>().begin) + thread;
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++)
      if (row < held)
        values[row * THREADS] = stage[(positions[row / 2] >> (row % 2 * 16) & 0xFFFF) >> BELOW_POSITION];
  }
  CarryTeam<BY>::anew().sync();
}

/* Stages the item of a bucket that has no other. All threads of the team take part; begins and ends with a barrier. */
template <OnChipBy BY>
__device__ __forceinline__ void stage_one_item(CarryItem item) {
  const uint32_t thread = CarryTeam<BY>::anew().thread;
  CarryTeam<BY>::anew().sync();
  if (thread < 1 + 2 * WINDOW_ITEMS)
    carry_room<BY>().stage[on_chip_place<CarryItem>(thread)] = thread == 0 ? item : GREATEST<CarryItem>;
  CarryTeam<BY>::anew().sync();
}

/* Sorts what is staged. Returns whether it is in order: if not, it must be merged. All threads of the team take part; ends with a
   barrier. */
template <OnChipBy BY>
__device__ __forceinline__ bool sort_staged_items(uint32_t count, const KeyMap<CarryItem> &item_map) {
  if (carry_room<BY>().crowded_items > count / MIN_CROWDED_SHARE && restage_items<BY>(count, carry_rooms<BY>()))
    return false;
  return sort_by_windows<CarryItem, BY>(count, nullptr, item_map, carry_rooms<BY>());
}

/* Sorts a bucket that is not empty. All threads of the team take part; ends with a barrier. */
template <OnChipBy BY, typename Value>
__device__ __forceinline__ void sort_carried(const Carry<Value> &carry, uint32_t begin, uint32_t count) {
  if (CarryTeam<BY>::anew().thread == 0)
    carry_bucket<BY>() = {begin, count};
  CarryTeam<BY>::anew().sync();
  {
    CarryItems<BY> items;
    CarryItem least = 0;
    items.load_bucket(carry.sorted_keys + begin, count, CarryTeam<BY>::anew().thread);
    if (stage_held_keys<CarryItem, BY>(items, count, least, carry_rooms<BY>())) // there is but one
      stage_one_item<BY>(least);
  }
  if (sort_staged_items<BY>(reread(carry_bucket<BY>().count), carry.item_map))
    return write_carried<BY, false>(carry);
  merge_staged<CarryItem, BY>(reread(carry_bucket<BY>().count), CarryTeam<BY>::anew(), carry_room<BY>());
  write_carried<BY, true>(carry);
}

/* Sorts the buckets that are for teams, of a straight map all that are not too long: each takes every so many. */
template <typename Value>
__global__ void __launch_bounds__(MultiwayShape<CarryItem>::BLOCK_THREADS, 1)
    // cppcheck-suppress passedByValue
    carry_sort_kernel(const __grid_constant__ Carry<Value> carry) {
  constexpr OnChipBy BY = OnChipBy::team;
  if (carry.control->given_up != 0)
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
template <typename Value>
__device__ __forceinline__ void copy_equal_keys(const Carry<Value> &carry, uint32_t begin, uint32_t end) {
  constexpr uint32_t THREADS = MultiwayShape<CarryItem>::BLOCK_THREADS;
  const uint32_t key = carry.map.leave(carry.grouped_keys[begin], true);
#pragma unroll 8
  for (uint32_t index = begin + threadIdx.x; index < end; index += THREADS) {
    carry.sorted_keys[index] = key;
    carry.sorted_values[index] = carry.grouped_values[index];
  }
}

/* Copies groups of equal keys. Blocks take every so many pieces of them. */
template <typename Value>
__device__ __forceinline__ void copy_equal_groups(const Carry<Value> &carry) {
  constexpr uint32_t PIECE = MultiwayShape<CarryItem>::BLOCK_THREADS * CARRY_COPIED_ITEMS;
  const CarryControl &control = *carry.control;
  for (uint32_t index = 0; index < control.equal_groups; index++) {
    const uint32_t group = control.equal_group_numbers[index];
    const uint32_t end = control.group_begins[group + 1];
    for (uint32_t piece = control.group_begins[group] + blockIdx.x * PIECE; piece < end; piece += gridDim.x * PIECE)
      copy_equal_keys(carry, piece, min(end, piece + PIECE));
  }
}

/* Sorts those that are too long for one, by blocks as one team; and copies what is in order. */
template <typename Value>
__global__ void __launch_bounds__(MultiwayShape<CarryItem>::BLOCK_THREADS, 1)
    // cppcheck-suppress passedByValue
    carry_sort_long_kernel(const __grid_constant__ Carry<Value> carry) {
  if (carry.control->given_up != 0)
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
