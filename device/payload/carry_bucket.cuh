/* SPDX-License-Identifier: MIT */
/*
 * The bucket that a team has at hand (carry_buckets.cuh): its room in shared memory, and its items, as they are made and staged.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_CARRY_BUCKET_CUH
#define CDPSORT_DEVICE_PAYLOAD_CARRY_BUCKET_CUH

#include "payload/bit_compaction.cuh"
#include "payload/carry_window.cuh"

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

/* Where an item lies in the stage. */
template <bool IS_MERGED>
__device__ __forceinline__ uint32_t staged_place(uint32_t index) {
  return IS_MERGED ? padded(index) : on_chip_place<CarryItem>(index);
}

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
  stage_held_keys<CarryItem, BY, false>(items, count, least, carry_rooms<uint64_t, BY>());
}

} // namespace cdp::CDP_RUNTIME

#endif
