/* SPDX-License-Identifier: MIT */
/*
 * The last step of a sort that carries values (carry.cuh): teams sort buckets on chip (block/on_chip_sort.cuh), each a bucket that is
 * read once and written once.
 *
 * What is sorted are items of 8 bytes, a key and its position in the bucket: no two are equal, and equal keys keep their order. When
 * they are in order, the keys are written and the positions kept in registers, so that the room is free for the values, which are
 * read in their order and written in that of the positions. A bucket too long for a team is sorted by a block in the same way.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_CARRY_BUCKETS_CUH
#define CDPSORT_DEVICE_PAYLOAD_CARRY_BUCKETS_CUH

#include "block/on_chip_sort.cuh"
#include "payload/carry.cuh"
#include "runtime/copy_ahead.cuh"

namespace cdp::CDP_RUNTIME {

/* A key, and below it its position in the bucket. */
using CarryItem = uint64_t;
constexpr uint32_t CARRY_POSITION_BITS = 32;

template <OnChipBy BY>
using CarryTeam = SortingTeam<CarryItem, BY>;
template <OnChipBy BY>
using CarryShape = OnChipShape<CarryItem, BY>;

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

  __device__ __forceinline__ static CarryItem item(uint32_t key, uint32_t position) {
    return static_cast<CarryItem>(key) << CARRY_POSITION_BITS | position;
  }

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
        this->vectors[vector].keys[key] = item(loaded.keys[key], ahead + (vector * Shape::THREADS + thread) * EACH + key);
    }
    const uint32_t index = thread < EACH ? thread : ahead + whole * EACH + thread - EACH;
    this->has_edge = thread < EACH ? index < ahead : thread < 2 * EACH && index < count;
    this->edge = this->has_edge ? item(source[index], index) : 0;
  }
};

/* Writes the keys of items that are in order, and exchanges the values. IS_MERGED: as merge_staged() leaves them. All threads of the
   team take part; ends with a barrier. */
template <OnChipBy BY, bool IS_MERGED, typename Value>
__device__ __forceinline__ void write_carried(const Carry<Value> &carry) {
  constexpr uint32_t ROWS = CarryShape<BY>::ITEMS;
  constexpr uint32_t THREADS = CarryShape<BY>::THREADS;
  static_assert(sizeof(Value) <= sizeof(CarryItem), "there is room for the values");
  static_assert(CarryShape<BY>::MAX_ITEMS <= UINT16_MAX + 1 && ROWS % 2 == 0, "positions are held in pairs");
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
        keys[row * THREADS] = carry.map.leave(static_cast<uint32_t>(item >> CARRY_POSITION_BITS), true);
        positions[row / 2] |= (static_cast<uint32_t>(item) & 0xFFFF) << (row % 2 * 16);
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
        values[row * THREADS] = stage[positions[row / 2] >> (row % 2 * 16) & 0xFFFF];
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
  if (sort_staged<CarryItem, BY>(reread(carry_bucket<BY>().count), nullptr, carry.item_map, carry_rooms<BY>()))
    return write_carried<BY, false>(carry);
  merge_staged<CarryItem, BY>(reread(carry_bucket<BY>().count), CarryTeam<BY>::anew(), carry_room<BY>());
  write_carried<BY, true>(carry);
}

/* Sorts all buckets that are a team's: each takes every so many. */
template <typename Value>
__global__ void __launch_bounds__(MultiwayShape<CarryItem>::BLOCK_THREADS, 1)
    // cppcheck-suppress passedByValue
    carry_sort_kernel(const __grid_constant__ Carry<Value> carry) {
  constexpr OnChipBy BY = OnChipBy::team;
  if (carry.control->given_up != 0)
    return;
  const uint32_t buckets = carry.buckets();
  uint32_t index = blockIdx.x * CarryShape<BY>::TEAMS + CarryTeam<BY>::anew().number;
  for (; index < buckets; index += gridDim.x * CarryShape<BY>::TEAMS) {
    const uint32_t begin = carry.begins[index];
    const uint32_t count = carry.begins[index + 1] - begin;
    if (count != 0 && count <= CarryShape<BY>::MAX_ITEMS)
      sort_carried<BY>(carry, begin, count);
  }
}

/* And those that are too long for one, by blocks as one team. */
template <typename Value>
__global__ void __launch_bounds__(MultiwayShape<CarryItem>::BLOCK_THREADS, 1)
    // cppcheck-suppress passedByValue
    carry_sort_long_kernel(const __grid_constant__ Carry<Value> carry) {
  if (carry.control->given_up != 0)
    return;
  for (uint32_t index = blockIdx.x; index < carry.control->long_buckets; index += gridDim.x) {
    const uint32_t bucket = carry.long_buckets[index];
    const uint32_t begin = carry.begins[bucket];
    sort_carried<OnChipBy::block>(carry, begin, carry.begins[bucket + 1] - begin);
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
