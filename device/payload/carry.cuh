/* SPDX-License-Identifier: MIT */
/*
 * A stable sort of many keys of 4 bytes that carries a value of 4 or 8 bytes along with each.
 *
 *     look ──▶ draw, learn lines ──▶ count ──▶ place ──▶ scatter to groups ──▶ scatter to buckets ──▶ sort each bucket
 *              (unless keys are spread evenly)                                                       on chip
 *
 * 1. What is packed into items (items.cuh) is read and written twice more than what is sorted as it is; and a value that is gathered
 *    costs a read of 64 bytes.
 * 2. A map (block/key_lines.cuh) tells a key's bucket by arithmetic, and a tile's ranks can be found in the order of the input.
 * 3. A bucket of some thousand keys and their positions in it is sorted on chip, and its values are exchanged in shared memory.
 * Therefore keys and values are moved twice, by the same map, to buckets that a team can sort, equal keys in the order of the input:
 * 2^26 keys with values of 8 bytes take 2.1 ms in place of 3.5 (H200, docs/lab/2026-11-25-carried-values.md).
 *
 * All is given up where a bucket becomes too long, since keys crowd or repeat; or where a sample is in order, or in the opposite one,
 * for which the sort of items has a shorter way. That is known before anything is written to the caller's arrays, and on the device
 * alone. So what is launched behind it, in the place of it, asks whether it is wanted (CarryControl::given_up).
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_CARRY_CUH
#define CDPSORT_DEVICE_PAYLOAD_CARRY_CUH

#include "block/key_lines.cuh"
#include "block/on_chip_keys.cuh"
#include "block/scan.cuh"
#include "block/splitters.cuh"
#include "tuning_carry.h"

namespace cdp::CDP_RUNTIME {

constexpr CarryRow CARRY_ROW = carry_row(DEVICE_KIND);
constexpr uint32_t CARRY_THREADS = CARRY_ROW.threads;
constexpr uint32_t CARRY_WARPS = CARRY_THREADS / WARP_LANES;

/* What kernels tell one another. Zeroed before the first. */
struct CarryControl {
  uint32_t given_up;      /* 1: nothing was written, and nothing will be */
  uint32_t group_buckets; /* of each group, but the last ones may have fewer */
  uint32_t long_buckets;  /* how many are too long for a team */
  KeyLines<uint32_t> lines;
  uint32_t drawn[KEY_LINES]; /* samples in each line */
  uint32_t line_begins[LINE_BEGINS];
};

/* All of it, as its kernels are given it. */
template <typename SomeValue>
struct Carry {
  using Value = SomeValue;

  const uint32_t *keys; /* raw */
  const Value *values;  /* NULL: each key's index */
  uint32_t *sorted_keys;
  Value *sorted_values;
  uint32_t *grouped_keys; /* entered, and the values with them, in the order of their groups */
  Value *grouped_values;
  uint32_t count;
  uint32_t groups;
  uint32_t straight_buckets; /* as many as keys that are spread evenly need, and others */
  uint32_t lines_buckets;
  uint32_t tiles;
  KeyMap<uint32_t> map;
  KeyMap<uint64_t> item_map; /* of items, which change nothing */
  uint64_t seed;
  CarryControl *control;
  uint32_t *begins;       /* of each bucket, and an end: counts at first */
  uint32_t *long_buckets; /* which they are */
  uint32_t *tile_places;  /* [group][tile]: counts at first, then those of lower tiles */

  __device__ __forceinline__ uint32_t buckets() const {
    return groups * control->group_buckets;
  }
};

/* ---- The map ----------------------------------------------------------------------------------------------------------- */

/* How often the sum of the counts' squares may exceed what chance makes of evenly spread keys. */
constexpr uint32_t CARRY_SPREAD_GROUPS = 64;
constexpr uint32_t MAX_CARRY_SQUARES = 2;

struct CarryLook {
  uint32_t groups[CARRY_SPREAD_GROUPS];
  WarpExtremes<uint32_t> extremes;
  uint32_t squares;
  uint32_t rises; /* 1: a sample is greater than the one before it, of a warp's row */
  uint32_t falls;
};

/* The least and the greatest of the sample, which the block has drawn, in every thread. Ends with a barrier. */
__device__ __forceinline__ void carry_extremes(CarryLook &look, uint32_t &least, uint32_t &greatest) {
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

/* One block: decides what map there will be, and gives up where there is a shorter way. */
template <typename Value>
__global__ void __launch_bounds__(CARRY_THREADS)
    // cppcheck-suppress passedByValue
    carry_look_kernel(const __grid_constant__ Carry<Value> carry) {
  constexpr uint32_t SAMPLES = CARRY_ROW.look_samples;
  constexpr uint32_t EACH = SAMPLES / CARRY_THREADS;
  static_assert(EACH * CARRY_THREADS == SAMPLES, "threads have as many samples each");
  auto &look = block_shared<CarryLook>();
  // All of a thread's are on their way at once: one block waits for memory no longer than for one.
  uint32_t samples[EACH];
#pragma unroll
  for (uint32_t row = 0; row < EACH; row++)
    samples[row] = carry.keys[sample_position(carry.seed, row * CARRY_THREADS + threadIdx.x, SAMPLES, carry.count)];
  uint32_t least = GREATEST<uint32_t>;
  uint32_t greatest = 0;
  bool rises = false;
  bool falls = false;
#pragma unroll
  for (uint32_t row = 0; row < EACH; row++) {
    const uint32_t key = carry.map.enter(samples[row], true);
    const uint32_t before = __shfl_up_sync(ALL_LANES, key, 1); // the first lane has its own
    rises |= before < key;
    falls |= key < before;
    least = min(least, key);
    greatest = max(greatest, key);
    samples[row] = key;
  }
  for (uint32_t group = threadIdx.x; group < CARRY_SPREAD_GROUPS; group += CARRY_THREADS)
    look.groups[group] = 0;
  if (threadIdx.x == 0)
    look.squares = look.rises = look.falls = 0;
  carry_extremes(look, least, greatest);
  const KeyLines<uint32_t> spread = lines_between(least, greatest, CARRY_SPREAD_GROUPS);
#pragma unroll
  for (uint32_t row = 0; row < EACH; row++)
    atomicAdd(&look.groups[__umulhi(offset_of(spread, samples[row]), spread.factor)], 1u);
  if (rises)
    look.rises = 1;
  if (falls)
    look.falls = 1;
  __syncthreads();
  for (uint32_t group = threadIdx.x; group < CARRY_SPREAD_GROUPS; group += CARRY_THREADS) {
    const int difference = static_cast<int>(look.groups[group]) - static_cast<int>(SAMPLES / CARRY_SPREAD_GROUPS);
    atomicAdd(&look.squares, static_cast<uint32_t>(difference * difference));
  }
  __syncthreads();
  if (threadIdx.x != 0)
    return;
  CarryControl &control = *carry.control;
  const KeyLines<uint32_t> straight = with_buckets(spread, carry.straight_buckets);
  const bool is_straight_map = look.squares <= MAX_CARRY_SQUARES * SAMPLES && is_straight(straight);
  control.lines = is_straight_map ? straight : with_buckets(spread, carry.lines_buckets);
  if (!is_straight_map)
    control.lines.factor = 0;
  control.group_buckets = (control.lines.buckets + carry.groups - 1) / carry.groups;
  control.given_up = look.rises == 0 || look.falls == 0 ? 1 : 0;
}

/* Whether lines are to be learnt. */
__device__ __forceinline__ bool learns_lines(const CarryControl &control) {
  return control.given_up == 0 && control.lines.factor == 0;
}

struct DrawnLines {
  uint32_t drawn[KEY_LINES];
};

/* All blocks: counts a sample by lines. */
template <typename Value>
__global__ void __launch_bounds__(CARRY_DRAW_THREADS)
    // cppcheck-suppress passedByValue
    carry_draw_kernel(const __grid_constant__ Carry<Value> carry) {
  constexpr uint32_t SAMPLES = CARRY_ROW.drawn_samples;
  auto &block = block_shared<DrawnLines>();
  CarryControl &control = *carry.control;
  if (!learns_lines(control))
    return;
  const KeyLines<uint32_t> lines = control.lines;
  for (uint32_t line = threadIdx.x; line < KEY_LINES; line += CARRY_DRAW_THREADS)
    block.drawn[line] = 0;
  __syncthreads();
#pragma unroll
  for (uint32_t draw = 0; draw < CARRY_DRAWS; draw++) {
    const uint32_t index = (draw * gridDim.x + blockIdx.x) * CARRY_DRAW_THREADS + threadIdx.x;
    const uint32_t key = carry.map.enter(carry.keys[sample_position(carry.seed + 1, index, SAMPLES, carry.count)], true);
    atomicAdd(&block.drawn[offset_of(lines, key) >> (32 - KEY_LINE_BITS)], 1u);
  }
  __syncthreads();
  for (uint32_t line = threadIdx.x; line < KEY_LINES; line += CARRY_DRAW_THREADS)
    if (block.drawn[line] != 0)
      atomicAdd(&control.drawn[line], block.drawn[line]);
}

/* The blocks of that. */
constexpr uint32_t carry_draw_blocks(DeviceKind kind) {
  return carry_row(kind).drawn_samples / (CARRY_DRAW_THREADS * CARRY_DRAWS);
}
static_assert(carry_draw_blocks(DeviceKind::simulated) * CARRY_DRAW_THREADS * CARRY_DRAWS ==
                  carry_row(DeviceKind::simulated).drawn_samples,
              "every sample is drawn");

struct CarryTotals {
  uint32_t warp_totals[2][WARP_LANES];
  uint32_t greatest[WARP_LANES];
};

/* One block: where each line begins. A line without a sample may have keys all the same, but few: it counts as a sixteenth of a
   sample. The first and the last line, where the keys beyond the sample's are, are a bucket at least. */
template <typename Value>
__global__ void __launch_bounds__(CARRY_THREADS)
    // cppcheck-suppress passedByValue
    carry_learn_kernel(const __grid_constant__ Carry<Value> carry) {
  constexpr uint32_t EACH = KEY_LINES / CARRY_THREADS;
  static_assert(EACH * CARRY_THREADS == KEY_LINES, "threads have as many lines each");
  auto &block = block_shared<CarryTotals>();
  CarryControl &control = *carry.control;
  if (!learns_lines(control))
    return;
  const KeyLines<uint32_t> lines = control.lines;
  const uint32_t last = offset_of(lines, GREATEST<uint32_t>) >> (32 - KEY_LINE_BITS);
  const uint32_t bucket_weight = 16 * CARRY_ROW.drawn_samples / lines.buckets;
  const auto weight_of = [&](uint32_t line) {
    const uint32_t weight = line <= last ? 16 * control.drawn[line] + 1 : 0;
    return line == 0 || line == last ? max(weight, bucket_weight) : weight;
  };
  uint32_t sum = 0;
  for (uint32_t index = 0; index < EACH; index++)
    sum += weight_of(threadIdx.x * EACH + index);
  uint32_t total;
  uint32_t lower = lower_threads_sum<CARRY_WARPS>(sum, block.warp_totals[0], total);
  const uint64_t units = static_cast<uint64_t>(lines.buckets) << LINE_UNIT_BITS;
  for (uint32_t index = 0; index < EACH; index++) {
    const uint32_t line = threadIdx.x * EACH + index;
    control.line_begins[line] = static_cast<uint32_t>(units * lower / total);
    lower += weight_of(line);
  }
  if (threadIdx.x == 0)
    control.line_begins[KEY_LINES] = static_cast<uint32_t>(units);
}

/* Calls `use` with the map, behind a barrier. line_begins: of the block, filled in here. All threads take part; no barrier behind it. */
template <typename Value, typename Use>
__device__ __forceinline__ void with_carry_map(const Carry<Value> &carry, uint32_t (&line_begins)[LINE_BEGINS], Use use) {
  const KeyLines<uint32_t> lines = carry.control->lines;
  if (lines.factor == 0)
    for (uint32_t line = threadIdx.x; line < LINE_BEGINS; line += CARRY_THREADS)
      line_begins[line] = carry.control->line_begins[line];
  __syncthreads();
  with_map(lines, line_begins, use);
}

/* ---- Count and place --------------------------------------------------------------------------------------------------- */

/* A bucket's group. The quotient is exact: there are less than 2^16 buckets, and less than 2^8 in a group. */
struct GroupOf {
  uint32_t reciprocal;

  __device__ __forceinline__ explicit GroupOf(uint32_t group_buckets) : reciprocal(UINT32_MAX / group_buckets + 1) {}

  __device__ __forceinline__ uint32_t operator()(uint32_t bucket) const {
    return reciprocal == 0 ? bucket : __umulhi(bucket, reciprocal); // 0: one bucket to a group
  }
};

/* The shared memory of a block that counts: behind it, a counter for each bucket. */
template <DeviceKind KIND>
struct CarryCountsOf {
  uint32_t line_begins[LINE_BEGINS];
  uint32_t groups[carry_row(KIND).max_buckets];
};
using CarryCounts = CarryCountsOf<DEVICE_KIND>;

/* Calls use(key) for each of a tile's keys that are the thread's; several are on their way at once. */
template <typename Use>
__device__ __forceinline__ void for_each_tile_key(const uint32_t *keys, uint32_t items, Use use) {
  using Vector = KeyVector<uint32_t>;
  constexpr uint32_t KEYS = sizeof(Vector) / sizeof(uint32_t);
  constexpr uint32_t VECTORS = CARRY_ROW.items / KEYS;
  constexpr uint32_t AT_ONCE = VECTORS % 3 == 0 ? 3 : 2;
  static_assert(VECTORS * KEYS == CARRY_ROW.items && VECTORS % AT_ONCE == 0, "a thread loads whole vectors");
  if (items == CARRY_THREADS * CARRY_ROW.items && reinterpret_cast<uintptr_t>(keys) % sizeof(Vector) == 0) {
    const Vector *vectors = reinterpret_cast<const Vector *>(keys) + threadIdx.x;
#pragma unroll
    for (uint32_t first = 0; first < VECTORS; first += AT_ONCE) {
      Vector loaded[AT_ONCE];
#pragma unroll
      for (uint32_t vector = 0; vector < AT_ONCE; vector++)
        loaded[vector] = vectors[(first + vector) * CARRY_THREADS];
#pragma unroll
      for (uint32_t vector = 0; vector < AT_ONCE; vector++)
#pragma unroll
        for (uint32_t key = 0; key < KEYS; key++)
          use(loaded[vector].keys[key]);
    }
    return;
  }
#pragma unroll 4
  for (uint32_t index = threadIdx.x; index < items; index += CARRY_THREADS)
    use(keys[index]);
}

/* Counts the buckets of all keys, and the groups of each tile's. Blocks take every so many tiles. */
template <typename Value>
__global__ void __launch_bounds__(CARRY_THREADS)
    // cppcheck-suppress passedByValue
    carry_count_kernel(const __grid_constant__ Carry<Value> carry) {
  constexpr uint32_t TILE = CARRY_THREADS * CARRY_ROW.items;
  auto &block = block_shared<CarryCounts>();
  uint32_t *counts = reinterpret_cast<uint32_t *>(&block + 1);
  if (carry.control->given_up != 0)
    return;
  const uint32_t buckets = carry.buckets();
  const GroupOf group_of(carry.control->group_buckets);
  for (uint32_t bucket = threadIdx.x; bucket < buckets; bucket += CARRY_THREADS)
    counts[bucket] = 0;
  for (uint32_t group = threadIdx.x; group < CARRY_ROW.max_buckets; group += CARRY_THREADS)
    block.groups[group] = 0;
  with_carry_map(carry, block.line_begins, [&](const auto &map) {
    for (uint32_t tile = blockIdx.x; tile < carry.tiles; tile += gridDim.x) {
      const uint32_t begin = tile * TILE;
      for_each_tile_key(carry.keys + begin, min(TILE, carry.count - begin), [&](uint32_t key) {
        const uint32_t bucket = map(carry.map.enter(key, true));
        atomicAdd(&counts[bucket], 1u);
        atomicAdd(&block.groups[group_of(bucket)], 1u);
      });
      __syncthreads();
      for (uint32_t group = threadIdx.x; group < carry.groups; group += CARRY_THREADS) {
        carry.tile_places[uint64_t{group} * carry.tiles + tile] = block.groups[group];
        block.groups[group] = 0;
      }
      __syncthreads();
    }
  });
  for (uint32_t bucket = threadIdx.x; bucket < buckets; bucket += CARRY_THREADS)
    if (counts[bucket] != 0)
      atomicAdd(&carry.begins[bucket], counts[bucket]);
}

/* One block: turns counts into where buckets begin, lists those that are too long for a team, and gives up if one is too long for a
   block. */
template <typename Value>
__global__ void __launch_bounds__(CARRY_THREADS)
    // cppcheck-suppress passedByValue
    carry_place_kernel(const __grid_constant__ Carry<Value> carry) {
  auto &block = block_shared<CarryTotals>();
  if (carry.control->given_up != 0)
    return;
  const uint32_t buckets = carry.buckets();
  const auto count_of = [&](uint32_t bucket) { return bucket < buckets ? carry.begins[bucket] : 0; };
  uint32_t lower = 0;
  uint32_t greatest = 0;
  uint32_t turn = 0;
  uint32_t next = count_of(threadIdx.x); // comes while what is before it is added up
  for (uint32_t first = 0; first < buckets; first += CARRY_THREADS, turn ^= 1) {
    const uint32_t bucket = first + threadIdx.x;
    const uint32_t count = next;
    uint32_t all;
    next = count_of(bucket + CARRY_THREADS);
    const uint32_t sum = lower_threads_sum<CARRY_WARPS>(count, block.warp_totals[turn], all);
    if (bucket < buckets)
      carry.begins[bucket] = lower + sum;
    if (count > OnChipShape<uint64_t>::MAX_ITEMS)
      carry.long_buckets[atomicAdd(&carry.control->long_buckets, 1u)] = bucket;
    greatest = max(greatest, count);
    lower += all;
  }
  if (threadIdx.x == 0)
    carry.begins[buckets] = lower;
  if (__syncthreads_or(greatest > OnChipShape<uint64_t, OnChipBy::block>::MAX_ITEMS ? 1 : 0) != 0 && threadIdx.x == 0)
    carry.control->given_up = 1;
}

/* A block for each group: turns the counts of its tiles into where each tile's keys go. */
template <typename Value>
__global__ void __launch_bounds__(CARRY_THREADS)
    // cppcheck-suppress passedByValue
    carry_add_kernel(const __grid_constant__ Carry<Value> carry) {
  auto &block = block_shared<CarryTotals>();
  if (carry.control->given_up != 0)
    return;
  uint32_t *places = carry.tile_places + uint64_t{blockIdx.x} * carry.tiles;
  uint32_t lower = carry.begins[blockIdx.x * carry.control->group_buckets];
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
