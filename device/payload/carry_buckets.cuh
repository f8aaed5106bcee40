/* SPDX-License-Identifier: MIT */
/*
 * The last step of a sort that carries values (carry.cuh): teams sort buckets on chip (block/on_chip_sort.cuh), each a bucket that is
 * read once and written once.
 *
 * What is sorted are items of 8 bytes, a key and its position in the bucket: no two are equal, and equal keys keep their order. When
 * they are in order, the keys are written and the positions kept in registers, so that the room is free for the values, which are
 * read in their order and written in that of the positions.
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

using CarryTeam = SortingTeam<CarryItem, OnChipBy::team>;
using CarryShape = OnChipShape<CarryItem, OnChipBy::team>;

/* The bucket that a team has at hand. It lies in shared memory, and is read anew: registers are for keys. */
struct CarryBucket {
  uint32_t begin;
  uint32_t count;
};

template <DeviceKind KIND>
struct CarryRoomsOf {
  static constexpr uint32_t TEAMS = OnChipShapeOf<CarryItem, KIND, OnChipBy::team>::TEAMS;
  OnChipTeamOf<CarryItem, KIND, OnChipBy::team> teams[TEAMS];
  CarryBucket buckets[TEAMS];
};
using CarryRooms = CarryRoomsOf<DEVICE_KIND>;

__device__ __forceinline__ OnChipTeam<CarryItem> *carry_rooms() {
  return block_shared<CarryRooms>().teams;
}
__device__ __forceinline__ OnChipTeam<CarryItem> &carry_room() {
  return room_of<CarryItem, OnChipBy::team>(carry_rooms());
}
__device__ __forceinline__ CarryBucket &carry_bucket() {
  return block_shared<CarryRooms>().buckets[CarryTeam::anew().number];
}

/* A thread's items of a bucket, made as its keys are loaded. */
struct CarryItems : OnChipKeys<CarryItem, OnChipBy::team> {
  struct alignas(VECTOR * sizeof(uint32_t)) LoadedKeys {
    uint32_t keys[VECTOR];
  };

  __device__ __forceinline__ static CarryItem item(uint32_t key, uint32_t position) {
    return static_cast<CarryItem>(key) << CARRY_POSITION_BITS | position;
  }

  /* Whole vectors, as OnChipKeys loads them. What a thread does not hold is nothing in particular, but it is set: what might be left
     from the bucket before would be kept on the stack for it. */
  __device__ __forceinline__ void load_bucket(const uint32_t *source, uint32_t count, uint32_t thread) {
    const uint32_t misplaced = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(source) / sizeof *source) % VECTOR;
    const uint32_t ahead = misplaced == 0 ? 0 : min(VECTOR - misplaced, count);
    const uint32_t whole = (count - ahead) / VECTOR;
    const auto *first = reinterpret_cast<const LoadedKeys *>(source + ahead);
    held = whole > thread ? (whole - thread + CarryShape::THREADS - 1) / CarryShape::THREADS : 0;
#pragma unroll
    for (uint32_t vector = 0; vector < CarryShape::VECTORS; vector++) {
      const LoadedKeys loaded = vector < held ? first[vector * CarryShape::THREADS + thread] : LoadedKeys{};
#pragma unroll
      for (uint32_t key = 0; key < VECTOR; key++)
        vectors[vector].keys[key] =
            item(loaded.keys[key], ahead + (vector * CarryShape::THREADS + thread) * VECTOR + key);
    }
    const uint32_t index = thread < VECTOR ? thread : ahead + whole * VECTOR + thread - VECTOR;
    has_edge = thread < VECTOR ? index < ahead : thread < 2 * VECTOR && index < count;
    edge = has_edge ? item(source[index], index) : 0;
  }
};

/* Writes the keys of items that are in order, and exchanges the values. IS_MERGED: as merge_staged() leaves them. All threads of the
   team take part; ends with a barrier. */
template <bool IS_MERGED, typename Value>
__device__ __forceinline__ void write_carried(const Carry<Value> &carry) {
  constexpr uint32_t ROWS = CarryShape::ITEMS;
  constexpr uint32_t THREADS = CarryShape::THREADS;
  static_assert(sizeof(Value) <= sizeof(CarryItem), "there is room for the values");
  static_assert(CarryShape::MAX_ITEMS <= UINT16_MAX + 1 && ROWS % 2 == 0, "positions are held in pairs");
  const auto rows = [](uint32_t thread) { return (reread(carry_bucket().count) + THREADS - 1 - thread) / THREADS; };
  uint32_t positions[ROWS / 2] = {};
  {
    const uint32_t thread = CarryTeam::anew().thread;
    const uint32_t held = rows(thread);
    const CarryItem *stage = carry_room().stage;
    uint32_t *keys = carry.sorted_keys + reread(carry_bucket().begin) + thread;
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++)
      if (row < held) {
        const uint32_t index = thread + row * THREADS;
        const CarryItem item = stage[IS_MERGED ? padded(index) : on_chip_place<CarryItem>(index)];
        keys[row * THREADS] = carry.map.leave(static_cast<uint32_t>(item >> CARRY_POSITION_BITS), true);
        positions[row / 2] |= (static_cast<uint32_t>(item) & 0xFFFF) << (row % 2 * 16);
      }
  }
  CarryTeam::anew().sync();
  {
    const uint32_t thread = CarryTeam::anew().thread;
    const uint32_t held = rows(thread);
    Value *stage = reinterpret_cast<Value *>(&carry_room()) + thread;
    const Value *values = carry.sorted_values + reread(carry_bucket().begin) + thread;
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++)
      if (row < held)
        copy_ahead(&stage[row * THREADS], &values[row * THREADS]);
  }
  await_copies();
  CarryTeam::anew().sync();
  {
    const uint32_t thread = CarryTeam::anew().thread;
    const uint32_t held = rows(thread);
    const Value *stage = reinterpret_cast<const Value *>(&carry_room());
    Value *values = carry.sorted_values + reread(carry_bucket().begin) + thread;
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++)
      if (row < held)
        values[row * THREADS] = stage[positions[row / 2] >> (row % 2 * 16) & 0xFFFF];
  }
  CarryTeam::anew().sync();
}

/* Stages the item of a bucket that has no other. All threads of the team take part; begins and ends with a barrier. */
__device__ __forceinline__ void stage_one_item(CarryItem item) {
  CarryTeam::anew().sync();
  if (CarryTeam::anew().thread < 1 + 2 * WINDOW_ITEMS)
    carry_room().stage[on_chip_place<CarryItem>(CarryTeam::anew().thread)] =
        CarryTeam::anew().thread == 0 ? item : GREATEST<CarryItem>;
  CarryTeam::anew().sync();
}

/* Sorts all buckets: each team takes every so many. */
template <typename Value>
__global__ void __launch_bounds__(MultiwayShape<CarryItem>::BLOCK_THREADS, 1)
    // cppcheck-suppress passedByValue
    carry_sort_kernel(const __grid_constant__ Carry<Value> carry) {
  constexpr OnChipBy BY = OnChipBy::team;
  if (carry.control->given_up != 0)
    return;
  const uint32_t buckets = carry.buckets();
  uint32_t index = blockIdx.x * CarryShape::TEAMS + CarryTeam::anew().number;
  for (; index < buckets; index += gridDim.x * CarryShape::TEAMS) {
    const uint32_t begin = carry.begins[index];
    const uint32_t count = carry.begins[index + 1] - begin;
    if (count == 0)
      continue;
    if (CarryTeam::anew().thread == 0)
      carry_bucket() = {begin, count};
    CarryTeam::anew().sync();
    {
      CarryItems items;
      CarryItem least = 0;
      items.load_bucket(carry.sorted_keys + begin, count, CarryTeam::anew().thread);
      if (stage_held_keys<CarryItem, BY>(items, count, least, carry_rooms())) // there is but one
        stage_one_item(least);
    }
    if (sort_staged<CarryItem, BY>(reread(carry_bucket().count), nullptr, carry.item_map, carry_rooms()))
      write_carried<false>(carry);
    else {
      merge_staged<CarryItem, BY>(reread(carry_bucket().count), CarryTeam::anew(), carry_room());
      write_carried<true>(carry);
    }
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
