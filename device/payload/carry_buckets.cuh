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

#include "payload/bit_compaction.cuh"
#include "payload/carry_order.cuh"
#include "payload/carry_window.cuh"
#include "runtime/copy_ahead.cuh"

namespace cdp::CDP_RUNTIME {

/* The bucket that a team has at hand. It lies in shared memory, and is read anew: registers are for keys. */
template <typename Key, OnChipBy BY>
struct CarryBucket {
  uint32_t begin;
  uint32_t count;
  CarryWindow<Key, BY> window;
  uint32_t varying[2]; /* bits of keys, lower and upper ones, where some are left out */
  CompactionMoves moves;
};

/* The rooms of a block's teams, or of the block as one. */
template <typename Key, DeviceKind KIND, OnChipBy BY>
struct CarryRoomsOf {
  static constexpr uint32_t TEAMS = OnChipShapeOf<CarryItem, KIND, BY>::TEAMS;
  OnChipTeamOf<CarryItem, KIND, BY> teams[TEAMS];
  CarryBucket<Key, BY> buckets[TEAMS];
};

template <typename Key, OnChipBy BY>
__device__ __forceinline__ OnChipTeam<CarryItem, BY> *carry_rooms() {
  return block_shared<CarryRoomsOf<Key, DEVICE_KIND, BY>>().teams;
}
template <typename Key, OnChipBy BY>
__device__ __forceinline__ OnChipTeam<CarryItem, BY> &carry_room() {
  return room_of<CarryItem, BY>(carry_rooms<Key, BY>());
}
template <typename Key, OnChipBy BY>
__device__ __forceinline__ CarryBucket<Key, BY> &carry_bucket() {
  return block_shared<CarryRoomsOf<Key, DEVICE_KIND, BY>>().buckets[CarryTeam<BY>::anew().number];
}

/* A thread's items of a bucket. What a thread does not hold is nothing in particular, but it is set: what might be left from the bucket before
   would be kept on the stack for it. */
template <typename Key, OnChipBy BY>
struct CarryItems : OnChipKeys<CarryItem, BY> {
  using Shape = CarryShape<BY>;
  static constexpr uint32_t EACH = Shape::VECTOR_ITEMS; /* keys of a vector */
  struct alignas(EACH * sizeof(uint32_t)) LoadedKeys {
    uint32_t keys[EACH];
  };

  /* How many keys of a bucket come before the first whole vector. */
  __device__ __forceinline__ static uint32_t ahead_of(const Key *source, uint32_t count) {
    const uint32_t misplaced = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(source) / sizeof *source) % EACH;
    return misplaced == 0 ? 0 : min(EACH - misplaced, count);
  }
  __device__ __forceinline__ static uint32_t edge_index(uint32_t ahead, uint32_t count, uint32_t thread) {
    return thread < EACH ? thread : ahead + (count - ahead) / EACH * EACH + thread - EACH;
  }

  /* Makes items of keys of 4 bytes as they are loaded: whole vectors, as OnChipKeys loads them. */
  __device__ __forceinline__ void load_narrow(const uint32_t *source, uint32_t count, uint32_t thread) {
    using Window = CarryWindow<uint32_t, BY>;
    const uint32_t ahead = ahead_of(source, count);
    const uint32_t whole = (count - ahead) / EACH;
    const auto *first = reinterpret_cast<const LoadedKeys *>(source + ahead);
    this->held = whole > thread ? (whole - thread + Shape::THREADS - 1) / Shape::THREADS : 0;
#pragma unroll
    for (uint32_t vector = 0; vector < Shape::VECTORS; vector++) {
      const LoadedKeys loaded = vector < this->held ? first[vector * Shape::THREADS + thread] : LoadedKeys{};
#pragma unroll
      for (uint32_t key = 0; key < EACH; key++)
        this->vectors[vector].keys[key] =
            Window::item(loaded.keys[key], ahead + (vector * Shape::THREADS + thread) * EACH + key);
    }
    const uint32_t index = edge_index(ahead, count, thread);
    this->has_edge = thread < EACH ? index < ahead : thread < 2 * EACH && index < count;
    this->edge = this->has_edge ? Window::item(source[index], index) : 0;
  }

  /* Makes something else of what a thread has. */
  template <typename Change>
  __device__ __forceinline__ void change(Change change) {
#pragma unroll
    for (uint32_t vector = 0; vector < Shape::VECTORS; vector++)
#pragma unroll
      for (uint32_t key = 0; key < EACH; key++)
        this->vectors[vector].keys[key] = change(this->vectors[vector].keys[key]);
    this->edge = change(this->edge);
  }

  /* Turns keys of 8 bytes that were loaded into items. */
  __device__ __forceinline__ void make_items(const CarryWindow<uint64_t, BY> &window, const uint64_t *source, uint32_t count,
                                             uint32_t thread) {
    const uint32_t ahead = ahead_of(source, count);
#pragma unroll
    for (uint32_t vector = 0; vector < Shape::VECTORS; vector++)
#pragma unroll
      for (uint32_t key = 0; key < EACH; key++)
        this->vectors[vector].keys[key] =
            window.item(this->vectors[vector].keys[key], ahead + (vector * Shape::THREADS + thread) * EACH + key);
    this->edge = window.item(this->edge, edge_index(ahead, count, thread));
  }
};

/* Loads a bucket's keys, and makes its items. All threads of the team take part; the bucket is known to them, but for the window. May end
   with a barrier. */
template <OnChipBy BY, typename Value>
__device__ __forceinline__ void load_bucket(const Carry<uint32_t, Value> &carry, uint32_t begin, uint32_t count,
                                            CarryItems<uint32_t, BY> &items) {
  items.load_narrow(carry.sorted_keys + begin, count, CarryTeam<BY>::anew().thread);
}
template <OnChipBy BY, typename Value>
__device__ __forceinline__ void load_bucket(const Carry<uint64_t, Value> &carry, uint32_t begin, uint32_t count,
                                            CarryItems<uint64_t, BY> &items) {
  uint64_t least = GREATEST<uint64_t>;
  uint64_t greatest = 0;
  items.load(carry.sorted_keys + begin, count, CarryTeam<BY>::anew().thread);
  items.each([&least, &greatest](uint64_t key) {
    least = min(least, key);
    greatest = max(greatest, key);
  });
  CarryTeam<BY>::anew().find_extremes(least, greatest, carry_room<uint64_t, BY>().extremes());
  const auto window = CarryWindow<uint64_t, BY>::between(least, greatest);
  if (CarryTeam<BY>::anew().thread == 0)
    carry_bucket<uint64_t, BY>().window = window;
  items.make_items(window, carry.sorted_keys + begin, count, CarryTeam<BY>::anew().thread);
  CarryTeam<BY>::anew().sync(); // extremes are free
}

/* ---- Written ----------------------------------------------------------------------------------------------------------- */

/* Where an item lies in the stage. */
template <bool IS_MERGED>
__device__ __forceinline__ uint32_t staged_place(uint32_t index) {
  return IS_MERGED ? padded(index) : on_chip_place<CarryItem>(index);
}

/* How many rows of a bucket have an item for a thread. */
template <typename Key, OnChipBy BY>
__device__ __forceinline__ uint32_t held_rows(uint32_t thread) {
  constexpr uint32_t THREADS = CarryShape<BY>::THREADS;
  return (reread(carry_bucket<Key, BY>().count) + THREADS - 1 - thread) / THREADS;
}

template <OnChipBy BY>
using CarryPositions = uint32_t[CarryShape<BY>::ITEMS / 2]; /* halves with positions, in pairs */

/* Brings a bucket's part of an array into the order of the positions, with whatever `finish` makes of what is in it. All threads of the
   team take part; begins with the room free, ends with a barrier. */
template <typename Key, OnChipBy BY, typename Carried, typename Finish>
__device__ __forceinline__ void exchange_carried(Carried *array, const CarryPositions<BY> &positions, Finish finish) {
  constexpr uint32_t ROWS = CarryShape<BY>::ITEMS;
  constexpr uint32_t THREADS = CarryShape<BY>::THREADS;
  static_assert(sizeof(Carried) <= sizeof(CarryItem), "there is room for them");
  {
    const uint32_t thread = CarryTeam<BY>::anew().thread;
    const uint32_t held = held_rows<Key, BY>(thread);
    Carried *stage = reinterpret_cast<Carried *>(&carry_room<Key, BY>()) + thread;
    const Carried *source = array + reread(carry_bucket<Key, BY>().begin) + thread;
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++)
      if (row < held)
        copy_ahead(&stage[row * THREADS], &source[row * THREADS]);
  }
  await_copies();
  CarryTeam<BY>::anew().sync();
  {
    const uint32_t thread = CarryTeam<BY>::anew().thread;
    const uint32_t held = held_rows<Key, BY>(thread);
    const Carried *stage = reinterpret_cast<const Carried *>(&carry_room<Key, BY>());
    Carried *target = array + reread(carry_bucket<Key, BY>().begin) + thread;
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++)
      if (row < held)
        target[row * THREADS] = finish(stage[CarryWindow<Key, BY>::position(positions[row / 2] >> (row % 2 * 16) & 0xFFFF)]);
  }
  CarryTeam<BY>::anew().sync();
}

/* Whether a bucket's items tell their keys. */
template <typename Key, OnChipBy BY>
__device__ __forceinline__ bool are_keys_whole() {
  if constexpr (sizeof(Key) == sizeof(uint32_t))
    return true;
  else
    return carry_bucket<Key, BY>().window.is_whole();
}

/* Writes the keys of items that are in order, and exchanges the values. IS_MERGED: as merge_staged() leaves them. All threads of the
   team take part; ends with a barrier. */
template <OnChipBy BY, bool IS_MERGED, typename Key, typename Value>
__device__ __forceinline__ void write_carried(const Carry<Key, Value> &carry) {
  constexpr uint32_t ROWS = CarryShape<BY>::ITEMS;
  constexpr uint32_t THREADS = CarryShape<BY>::THREADS;
  static_assert(ROWS % 2 == 0, "positions are held in pairs");
  const bool are_whole = are_keys_whole<Key, BY>();
  uint32_t positions[ROWS / 2] = {};
  {
    const uint32_t thread = CarryTeam<BY>::anew().thread;
    const uint32_t held = held_rows<Key, BY>(thread);
    const CarryItem *stage = carry_room<Key, BY>().stage;
    const CarryWindow<Key, BY> window = carry_bucket<Key, BY>().window;
    Key *keys = carry.sorted_keys + reread(carry_bucket<Key, BY>().begin) + thread;
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++)
      if (row < held) {
        const CarryItem item = stage[staged_place<IS_MERGED>(thread + row * THREADS)];
        if (are_whole)
          keys[row * THREADS] = carry.map.leave(window.key(item), true);
        positions[row / 2] |= window.half(item) << (row % 2 * 16);
      }
  }
  CarryTeam<BY>::anew().sync();
  if (!are_whole)
    exchange_carried<Key, BY>(carry.sorted_keys, positions, [&carry](Key key) { return carry.map.leave(key, true); });
  exchange_carried<Key, BY>(carry.sorted_values, positions, [](Value value) { return value; });
}

/* ---- What is left out -------------------------------------------------------------------------------------------------- */

/* Whether keys that their items do not tell apart have come in the wrong order. All threads of the team take part; ends with a barrier. */
template <OnChipBy BY, bool IS_MERGED, typename Value>
__device__ __noinline__ bool is_left_out_disordered(const Carry<uint64_t, Value> &carry) {
  using Window = CarryWindow<uint64_t, BY>;
  const CarryTeam<BY> team;
  const CarryBucket<uint64_t, BY> bucket = carry_bucket<uint64_t, BY>();
  const CarryItem *stage = carry_room<uint64_t, BY>().stage;
  const uint64_t *keys = carry.sorted_keys + bucket.begin;
  bool is_disordered = false;
  for (uint32_t index = team.thread + 1; index < bucket.count; index += CarryShape<BY>::THREADS) {
    const CarryItem item = stage[staged_place<IS_MERGED>(index)];
    const CarryItem before = stage[staged_place<IS_MERGED>(index - 1)];
    if ((item ^ before) >> Window::POSITION_BITS == 0)
      is_disordered |= keys[bucket.window.half(item)] < keys[bucket.window.half(before)];
  }
  return team.any(is_disordered);
}

/* Puts short runs of keys that items do not tell apart in order: each counts how many of its run come before it. What is left out lies where
   the cells were. Returns whether all runs were short: if not, nothing has changed. All threads of the team take part; begins and ends with a
   barrier. */
template <OnChipBy BY, typename Value>
__device__ __noinline__ bool mend_left_out(const Carry<uint64_t, Value> &carry) {
  using Shape = CarryShape<BY>;
  constexpr uint32_t POSITION_BITS = CARRY_POSITION_BITS<BY>;
  static_assert(sizeof(OnChipTeam<CarryItem, BY>::cells) >= Shape::MAX_ITEMS * sizeof(uint16_t) && POSITION_BITS <= 16,
                "there is room for as many bits of each key as a position has");
  const CarryTeam<BY> team;
  const CarryBucket<uint64_t, BY> &bucket = carry_bucket<uint64_t, BY>();
  auto &room = carry_room<uint64_t, BY>();
  auto *left_out = reinterpret_cast<uint16_t *>(room.cells);
  const uint64_t *keys = carry.sorted_keys + bucket.begin;
  const uint32_t count = bucket.count;
  const CarryWindow<uint64_t, BY> window = bucket.window;
  for (uint32_t index = team.thread; index < count; index += Shape::THREADS)
    left_out[index] = static_cast<uint16_t>(window.left_out(keys[index], 0) >> POSITION_BITS);
  team.sync();
  const auto item_at = [&room](uint32_t index) { return room.stage[on_chip_place<CarryItem>(index)]; };
  CarryItem items[Shape::ITEMS];
  uint32_t places[Shape::ITEMS / 2] = {};
  bool is_long = false;
#pragma unroll
  for (uint32_t row = 0; row < Shape::ITEMS; row++) {
    const uint32_t index = row * Shape::THREADS + team.thread;
    if (index >= count)
      continue;
    const CarryItem item = item_at(index);
    const uint32_t own = left_out[window.half(item)];
    uint32_t place = index;
    uint32_t looked_at = 0;
    const auto agrees = [&](uint32_t other) {
      return (item_at(other) ^ item) >> POSITION_BITS == 0 && looked_at++ < CARRY_MENDED_KEYS;
    };
    for (uint32_t other = index; other != 0 && agrees(other - 1); other--)
      place -= left_out[window.half(item_at(other - 1))] > own ? 1 : 0;
    for (uint32_t other = index + 1; other < count && agrees(other); other++)
      place += left_out[window.half(item_at(other))] < own ? 1 : 0;
    is_long |= looked_at > CARRY_MENDED_KEYS;
    items[row] = item;
    places[row / 2] |= place << (row % 2 * 16);
  }
  if (team.any(is_long))
    return false;
#pragma unroll
  for (uint32_t row = 0; row < Shape::ITEMS; row++)
    if (row * Shape::THREADS + team.thread < count)
      room.stage[on_chip_place<CarryItem>(places[row / 2] >> (row % 2 * 16) & 0xFFFF)] = items[row];
  team.sync();
  return true;
}

/* Sorts a bucket by what items leave out, and then, in the order that this has left, by what they have. Leaves them as merge_staged() does.
   All threads of the team take part; begins and ends with a barrier. */
template <OnChipBy BY, typename Value>
__device__ __noinline__ void sort_left_out(const Carry<uint64_t, Value> &carry) {
  constexpr uint32_t ITEMS = CarryShape<BY>::ITEMS;
  const CarryTeam<BY> team;
  const CarryBucket<uint64_t, BY> bucket = carry_bucket<uint64_t, BY>();
  const uint64_t *keys = carry.sorted_keys + bucket.begin;
  uint64_t *positions = carry.grouped_keys + bucket.begin; // of each rank by what is left out
  CarryItem *stage = carry_room<uint64_t, BY>().stage;
  const uint32_t threads = (bucket.count + WARP_LANES * ITEMS - 1) / (WARP_LANES * ITEMS) * WARP_LANES;
  const uint32_t first = team.thread * ITEMS;
  const uint32_t held = first < bucket.count ? min(ITEMS, bucket.count - first) : 0;
  CarryItem items[ITEMS];
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    items[item] = item < held ? bucket.window.left_out(keys[first + item], first + item) : GREATEST<CarryItem>;
  merge_sort_items(items, threads, stage, team);
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    if (item < held) {
      const uint32_t position = bucket.window.half(items[item]);
      positions[first + item] = position;
      items[item] = bucket.window.item(keys[position], first + item);
    }
  team.sync(); // all positions are there
  merge_sort_items(items, threads, stage, team);
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    if (item < held) {
      const uint32_t rank = bucket.window.half(items[item]);
      stage[padded(first + item)] = (items[item] ^ rank) | positions[rank];
    }
  team.sync();
}

/* ---- Sorted ------------------------------------------------------------------------------------------------------------ */

/* Stages the item of a bucket that has no other. All threads of the team take part; begins and ends with a barrier. */
template <typename Key, OnChipBy BY>
__device__ __forceinline__ void stage_one_item(CarryItem item) {
  const uint32_t thread = CarryTeam<BY>::anew().thread;
  CarryTeam<BY>::anew().sync();
  if (thread < 1 + 2 * WINDOW_ITEMS)
    carry_room<Key, BY>().stage[on_chip_place<CarryItem>(thread)] = thread == 0 ? item : GREATEST<CarryItem>;
  CarryTeam<BY>::anew().sync();
}

/* Whether a quarter of the staged items are in cells of many. */
template <typename Key, OnChipBy BY>
__device__ __forceinline__ bool are_items_crowded(uint32_t count) {
  return carry_room<Key, BY>().crowded_items > count / MIN_CROWDED_SHARE;
}

/* Stages items of keys without the bits that are the same in all of them, if enough of those lie between others. All threads of the team
   take part; begins and ends with a barrier. */
template <OnChipBy BY, typename Value>
__device__ __noinline__ void stage_compacted(const Carry<uint64_t, Value> &carry) {
  using Window = CarryWindow<uint64_t, BY>;
  const CarryTeam<BY> team;
  CarryBucket<uint64_t, BY> &bucket = carry_bucket<uint64_t, BY>();
  const uint64_t *keys = carry.sorted_keys + bucket.begin;
  const uint32_t count = bucket.count;
  CarryItems<uint64_t, BY> items;
  items.load(keys, count, team.thread);
  if (team.thread == 0)
    bucket.varying[0] = bucket.varying[1] = 0;
  const uint64_t some = bucket.window.least;
  uint64_t differences = 0;
  items.each([&differences, some](uint64_t key) { differences |= key ^ some; });
  team.sync();
#pragma unroll
  for (uint32_t word = 0; word < 2; word++) {
    uint32_t bits = static_cast<uint32_t>(differences >> (32 * word));
#pragma unroll
    for (uint32_t distance = WARP_LANES / 2; distance != 0; distance /= 2)
      bits |= __shfl_xor_sync(ALL_LANES, bits, static_cast<int>(distance));
    if (team.lane() == 0)
      atomicOr(&bucket.varying[word], bits);
  }
  team.sync();
  const uint64_t varying = uint64_t{bucket.varying[1]} << 32 | bucket.varying[0];
  const uint32_t varying_bits = static_cast<uint32_t>(__popcll(varying));
  const uint32_t spanned_bits = bits_of(varying) - (bits_of(varying & (0 - varying)) - 1);
  if (varying_bits > Window::BITS || spanned_bits < varying_bits + MIN_CARRY_BITS_LEFT_OUT)
    return;
  if (team.thread == 0) {
    plan_compaction(varying, bucket.moves);
    bucket.window = Window::between(0, (uint64_t{1} << varying_bits) - 1);
    bucket.window.is_compacted = 1;
  }
  team.sync();
  uint64_t least = 0;
  items.change([&bucket, varying](uint64_t key) { return compacted(key, varying, bucket.moves); });
  items.make_items(bucket.window, keys, count, team.thread);
  stage_held_keys<CarryItem, BY>(items, count, least, carry_rooms<uint64_t, BY>());
}

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

/* Has items in order whose keys differ only in what they leave out. Returns whether they lie as merge_staged() leaves them. All threads of
   the team take part; ends with a barrier. */
template <OnChipBy BY, typename Key, typename Value>
__device__ __forceinline__ bool settle_left_out(const Carry<Key, Value> &carry, bool is_merged) {
  if constexpr (sizeof(Key) == sizeof(uint32_t)) {
    return is_merged;
  } else {
    if (reread(carry_bucket<Key, BY>().window.drop) == 0 ||
        !(is_merged ? is_left_out_disordered<BY, true>(carry) : is_left_out_disordered<BY, false>(carry)))
      return is_merged;
    if (!is_merged && mend_left_out<BY>(carry))
      return false;
    sort_left_out<BY>(carry);
    return true;
  }
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
    if (stage_held_keys<CarryItem, BY>(items, count, least, carry_rooms<Key, BY>())) // there is but one
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
