/* SPDX-License-Identifier: MIT */
/*
 * The first look at keys that carry values (carry.cuh): one block draws a sample, and decides how they are split into groups.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_CARRY_LOOK_CUH
#define CDPSORT_DEVICE_PAYLOAD_CARRY_LOOK_CUH

#include "payload/carry.cuh"

namespace cdp::CDP_RUNTIME {

/* How often the sum of the counts' squares may exceed what chance makes of evenly spread keys; and how often a key of the sample may
   have come before. More are found, in half of all cases, where one key in 1,800 of 2^14 samples, or in 900 of 2^13, has the same value:
   one that is too frequent for a block may not be seen (may_miss_frequent()). Of evenly spread keys without frequent values it is so where
   they are of less than about 2^23 values, or 2^21. */
constexpr uint32_t CARRY_SPREAD_GROUPS = 64;
constexpr uint32_t MAX_CARRY_SQUARES = 2;
constexpr uint32_t MAX_CARRY_REPEATS = 6;

/* The places of a table in which a sample is remembered, until another one takes its place. */
constexpr uint32_t CARRY_SEEN_BITS = 13;
constexpr uint32_t CARRY_SEEN = 1u << CARRY_SEEN_BITS;

/* Samples of a thread: as many as there may be, and few. */
template <typename Key>
constexpr uint32_t CARRY_LOOK_EACH = CARRY_KEYS_ROW<Key>.look_samples / CARRY_THREADS;
template <typename Key>
constexpr uint32_t CARRY_LOOK_FEW = CARRY_KEYS_ROW<Key>.few_look_samples / CARRY_THREADS;
static_assert(CARRY_LOOK_EACH<uint32_t> * CARRY_THREADS == CARRY_KEYS_ROW<uint32_t>.look_samples &&
                  CARRY_LOOK_EACH<uint64_t> * CARRY_THREADS == CARRY_KEYS_ROW<uint64_t>.look_samples &&
                  CARRY_LOOK_FEW<uint32_t> * CARRY_THREADS == CARRY_KEYS_ROW<uint32_t>.few_look_samples &&
                  CARRY_LOOK_FEW<uint64_t> * CARRY_THREADS == CARRY_KEYS_ROW<uint64_t>.few_look_samples,
              "threads have as many samples each");

template <typename Key, DeviceKind KIND>
struct CarryLookOf {
  uint32_t groups[CARRY_SPREAD_GROUPS];
  WarpExtremes<Key> extremes;
  uint32_t squares;
  uint32_t repeats;
  uint32_t rises; /* 1: a sample is greater than the one before it, of a warp's row */
  uint32_t falls;
  union {
    uint32_t seen[CARRY_SEEN];
    CarryLearn<Key, carry_keys_row(KIND, sizeof(Key)).look_samples> learn;
    CarryLearn<Key, carry_keys_row(KIND, sizeof(Key)).few_look_samples> learn_few;
  };
  CarrySplitters<Key> splitters;
};
template <typename Key>
using CarryLook = CarryLookOf<Key, DEVICE_KIND>;

/* The least and the greatest of the sample, which the block has drawn, in every thread. Ends with a barrier. */
template <typename Key>
__device__ __forceinline__ void carry_extremes(CarryLook<Key> &look, Key &least, Key &greatest) {
  const uint32_t lane = threadIdx.x % WARP_LANES;
  warp_extremes(least, greatest);
  if (lane == 0) {
    look.extremes.least[threadIdx.x / WARP_LANES] = least;
    look.extremes.greatest[threadIdx.x / WARP_LANES] = greatest;
  }
  __syncthreads();
  least = look.extremes.least[lane < CARRY_WARPS ? lane : 0];
  greatest = look.extremes.greatest[lane < CARRY_WARPS ? lane : 0];
  warp_extremes(least, greatest);
}

/* What of a key is remembered: of 8 bytes a hash, which other keys hardly ever have. And where. */
__device__ __forceinline__ uint32_t seen_number(uint32_t key) {
  return key;
}
__device__ __forceinline__ uint32_t seen_number(uint64_t key) {
  return static_cast<uint32_t>(key * 0x9E3779B97F4A7C15u >> 32);
}
__device__ __forceinline__ uint32_t seen_place(uint32_t number) {
  return number * 0x9E3779B1u >> (32 - CARRY_SEEN_BITS);
}

/* All threads take part; no barrier. A free place has a value all the same: one that does not belong there. */
template <typename Key>
__device__ __forceinline__ void forget_all(CarryLook<Key> &look) {
  for (uint32_t group = threadIdx.x; group < CARRY_SPREAD_GROUPS; group += CARRY_THREADS)
    look.groups[group] = 0;
  for (uint32_t place = threadIdx.x; place < CARRY_SEEN; place += CARRY_THREADS)
    look.seen[place] = place == seen_place(0) ? 1 : 0;
  if (threadIdx.x == 0)
    look.squares = look.repeats = look.rises = look.falls = 0;
}

/* Counts the entered sample by lines that have so many buckets as there are groups, and how often a key has come before. All
   threads take part; ends with a barrier. */
template <typename Key, uint32_t EACH>
__device__ __forceinline__ void count_spread(CarryLook<Key> &look, const Key (&sample)[EACH], const KeyLines<Key> &spread) {
  uint32_t repeats = 0;
#pragma unroll
  for (uint32_t row = 0; row < EACH; row++) {
    const uint32_t number = seen_number(sample[row]);
    atomicAdd(&look.groups[__umulhi(offset_of(spread, sample[row]), spread.factor)], 1u);
    repeats += atomicExch(&look.seen[seen_place(number)], number) == number ? 1 : 0;
  }
  if (repeats != 0)
    atomicAdd(&look.repeats, repeats);
  __syncthreads();
  for (uint32_t group = threadIdx.x; group < CARRY_SPREAD_GROUPS; group += CARRY_THREADS) {
    const int difference = static_cast<int>(look.groups[group]) - static_cast<int>(EACH * CARRY_THREADS / CARRY_SPREAD_GROUPS);
    atomicAdd(&look.squares, static_cast<uint32_t>(difference * difference));
  }
  __syncthreads();
}

/* Makes the splitters of groups, of the sample. All threads take part; begins with a barrier. */
template <typename Key, typename Value, uint32_t EACH>
__device__ __forceinline__ void split_into_groups(const Carry<Key, Value> &carry, Key (&sample)[EACH], CarryLook<Key> &look) {
  CarryControl<Key> &control = *carry.control;
  const uint32_t more = carry.most_groups - carry.groups;
  uint32_t groups;
  __syncthreads();
  if constexpr (EACH == CARRY_LOOK_FEW<Key>)
    groups = learn_splitters(sample, carry.groups, more, look.learn_few, look.splitters);
  else
    groups = learn_splitters(sample, carry.groups, more, look.learn, look.splitters);
  copy_splitters(look.splitters, control.splitters);
  if (threadIdx.x == 0)
    control.groups = groups;
  if (threadIdx.x < groups && look.splitters.has_equal_keys(threadIdx.x))
    control.equal_group_numbers[atomicAdd(&control.equal_groups, 1u)] = threadIdx.x;
}

/* Forgets what was counted by a straight map. All threads of one block take part. */
template <typename Key, typename Value>
__device__ __forceinline__ void forget_counts(const Carry<Key, Value> &carry) {
  CarryControl<Key> &control = *carry.control;
  for (uint32_t bucket = threadIdx.x; bucket <= carry.most_buckets; bucket += CARRY_THREADS)
    carry.begins[bucket] = 0;
  if (threadIdx.x < MAX_CARRY_BUCKETS)
    control.group_counts[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    control.long_buckets = 0;
    control.is_learnt = 1;
  }
}

/* Decides by so many samples of each thread how keys are split, and gives up where there is a shorter way. Again: splits them by the
   sample. All threads of one block take part. */
template <uint32_t EACH, typename Key, typename Value>
__device__ __forceinline__ void look_at_sample(const Carry<Key, Value> &carry, CarryLook<Key> &look) {
  constexpr uint32_t SAMPLES = EACH * CARRY_THREADS;
  CarryControl<Key> &control = *carry.control;
  // All of a thread's are on their way at once: one block waits for memory no longer than for one.
  const uint64_t hash = group_hash(carry.seed, 0);
  Key sample[EACH];
#pragma unroll
  for (uint32_t row = 0; row < EACH; row++)
    sample[row] = carry.keys[sample_position(hash, row * CARRY_THREADS + threadIdx.x, SAMPLES, carry.count)];
  Key least = GREATEST<Key>;
  Key greatest = 0;
  bool rises = false;
  bool falls = false;
#pragma unroll
  for (uint32_t row = 0; row < EACH; row++) {
    const Key key = carry.map.enter(sample[row], true);
    const Key before = __shfl_up_sync(ALL_LANES, key, 1); // the first lane has its own
    rises |= before < key;
    falls |= key < before;
    least = min(least, key);
    greatest = max(greatest, key);
    sample[row] = key;
  }
  if (carry.is_again) {
    forget_counts(carry);
    return split_into_groups(carry, sample, look);
  }
  forget_all(look);
  carry_extremes(look, least, greatest);
  if (rises)
    look.rises = 1;
  if (falls)
    look.falls = 1;
  const KeyLines<Key> spread = lines_between(least, greatest, CARRY_SPREAD_GROUPS);
  count_spread(look, sample, spread);
  const KeyLines<Key> straight = with_buckets(spread, carry.straight_buckets);
  const bool gives_up = carry.leaves_order && look.rises == 0 && look.falls != 0;
  const bool is_spread_evenly =
      look.squares <= MAX_CARRY_SQUARES * SAMPLES && look.repeats <= MAX_CARRY_REPEATS && is_straight(straight);
  if (threadIdx.x == 0) {
    control.lines = straight;
    control.is_learnt = is_spread_evenly ? 0 : 1;
    control.given_up = gives_up ? 1 : 0;
    control.is_in_order = look.falls == 0 ? 1 : 0;
    control.groups = carry.groups;
  }
  if (gives_up || is_spread_evenly)
    return;
  split_into_groups(carry, sample, look);
}

/* One block does that. */
template <typename Key, typename Value>
__global__ void __launch_bounds__(CARRY_THREADS, 1)
    // cppcheck-suppress passedByValue
    carry_look_kernel(const __grid_constant__ Carry<Key, Value> carry) {
  auto &look = block_shared<CarryLook<Key>>();
  if (carry.is_over())
    return;
  if (carry.count <= CARRY_KEYS_ROW<Key>.most_few_count)
    look_at_sample<CARRY_LOOK_FEW<Key>>(carry, look);
  else
    look_at_sample<CARRY_LOOK_EACH<Key>>(carry, look);
}

} // namespace cdp::CDP_RUNTIME

#endif
