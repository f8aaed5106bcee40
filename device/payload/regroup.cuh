/* SPDX-License-Identifier: MIT */
/*
 * Bringing arrays into the order of their keys' upper bits before the sort, so that what is gathered behind it lies close together.
 *
 * 1. Device memory is read in pieces of 64 bytes, so that values of 8 that are gathered from anywhere take eight times what they have.
 * 2. The cache that all multiprocessors share holds some tens of megabytes.
 * 3. A sort of items gives the positions of one key after another: of keys that are close together, if arrays were in their order.
 * Therefore arrays that are larger than that cache are divided into buckets by the upper bits of their keys' distance from the least
 * key, each so short that it stays in the cache, by one read and one write of all of them; and what goes into an item is the position
 * in its bucket's part of the new arrays. It is a stable partition, so that equal keys keep the order of the input:
 *
 *     least and greatest key ──▶ count each tile's buckets ──▶ add up each bucket's counts ──▶ scatter, and make the items
 *
 * Where the keys are in few buckets, because they are spread unevenly, the gathering takes as long as it would without.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_REGROUP_CUH
#define CDPSORT_DEVICE_PAYLOAD_REGROUP_CUH

#include "block/multiway_shape.cuh"
#include "block/scan.cuh"
#include "payload/window.cuh"

#include <type_traits>

namespace cdp::CDP_RUNTIME {

constexpr RegroupShape REGROUP_SHAPE = regroup_shape(DEVICE_KIND == DeviceKind::simulated);
constexpr uint32_t REGROUP_THREADS = REGROUP_SHAPE.threads;
constexpr uint32_t REGROUP_ITEMS = REGROUP_SHAPE.items;
constexpr uint32_t REGROUP_WARPS = REGROUP_THREADS / WARP_LANES;
constexpr uint32_t REGROUP_TILE = REGROUP_THREADS * REGROUP_ITEMS;
constexpr uint32_t MAX_REGROUP_BUCKETS = 1u << REGROUP_SHAPE.max_bits;
static_assert(REGROUP_TILE <= UINT16_MAX && MAX_REGROUP_BUCKETS <= 256 && MAX_REGROUP_BUCKETS % WARP_LANES == 0,
              "counters have 16 bits, and bucket numbers 8");

/* Blocks that regroup, to a multiprocessor, and so 64 registers to a thread: with 84 there is room for one block, which takes half as
   long again, and with 40, for three, as much is spilled (H200). */
constexpr uint32_t RESIDENT_REGROUPERS = 2;

/* An array that is regrouped. */
struct RegroupedArray {
  const unsigned char *source; /* NULL: each key's index */
  unsigned char *target;
  uint32_t value_bytes; /* 1, 2, 4 or 8 */
  bool is_aligned;      /* the source is, to that */
};

/* The keys, if they are gathered, their indices, and all columns. */
constexpr uint32_t MAX_REGROUPED_ARRAYS = CDP_COLUMNS_MAX + 2;

template <typename Raw>
struct Regrouping {
  const Raw *keys;
  uint64_t count;
  Entry<Raw> entry;
  uint32_t low_bits;
  uint32_t bucket_bits;
  uint32_t tiles;
  const KeyExtremes *extremes;
  uint32_t *totals;      /* keys of each bucket */
  uint32_t *tile_counts; /* and of each tile's, all tiles' of a bucket together; then those of lower tiles */
  uint64_t *items;
  uint32_t array_count;
  RegroupedArray arrays[MAX_REGROUPED_ARRAYS];

  __device__ __forceinline__ uint32_t buckets() const {
    return 1u << bucket_bits;
  }
};

/* An entered key, in no more registers than it takes. */
template <typename Raw>
using EnteredKey = std::conditional_t<sizeof(Raw) == 8, uint64_t, uint32_t>;

/* From an entered key to its bucket. */
template <typename Raw>
struct BucketOf {
  EnteredKey<Raw> least;
  uint32_t dropped_bits;

  __device__ __forceinline__ explicit BucketOf(const Regrouping<Raw> &regrouping)
      : least(static_cast<EnteredKey<Raw>>(regrouping.extremes->least())),
        dropped_bits(regrouping.extremes->dropped_bits(regrouping.bucket_bits)) {}

  __device__ __forceinline__ uint32_t operator()(EnteredKey<Raw> entered) const {
    return static_cast<uint32_t>((entered - least) >> dropped_bits);
  }
};

/* ---- Count ------------------------------------------------------------------------------------------------------------- */

struct TileCounts {
  uint32_t counts[MAX_REGROUP_BUCKETS];
};

template <typename Raw>
__global__ void __launch_bounds__(REGROUP_THREADS)
    // cppcheck-suppress passedByValue
    count_tile_buckets_kernel(const __grid_constant__ Regrouping<Raw> regrouping) {
  auto &block = block_shared<TileCounts>();
  const BucketOf<Raw> bucket_of(regrouping);
  const uint64_t begin = uint64_t{blockIdx.x} * REGROUP_TILE;
  for (uint32_t bucket = threadIdx.x; bucket < regrouping.buckets(); bucket += REGROUP_THREADS)
    block.counts[bucket] = 0;
  __syncthreads();
#pragma unroll
  for (uint32_t item = 0; item < REGROUP_ITEMS; item++) {
    const uint64_t index = begin + item * REGROUP_THREADS + threadIdx.x;
    if (index < regrouping.count)
      atomicAdd(&block.counts[bucket_of(static_cast<EnteredKey<Raw>>(regrouping.entry.enter(regrouping.keys[index])))], 1u);
  }
  __syncthreads();
  for (uint32_t bucket = threadIdx.x; bucket < regrouping.buckets(); bucket += REGROUP_THREADS)
    regrouping.tile_counts[uint64_t{bucket} * regrouping.tiles + blockIdx.x] = block.counts[bucket];
}

/* ---- Add up ------------------------------------------------------------------------------------------------------------ */

struct AddStorage {
  uint32_t warp_totals[2][WARP_LANES];
};

/* A block for each bucket. Sums wrap around where a bucket has all of 2^32 keys, and nobody asks for that one. */
template <typename Raw>
__global__ void __launch_bounds__(REGROUP_THREADS)
    // cppcheck-suppress passedByValue
    add_bucket_counts_kernel(const __grid_constant__ Regrouping<Raw> regrouping) {
  auto &storage = block_shared<AddStorage>();
  uint32_t *counts = regrouping.tile_counts + uint64_t{blockIdx.x} * regrouping.tiles;
  uint32_t lower = 0;
  uint32_t turn = 0;
  for (uint32_t first = 0; first < regrouping.tiles; first += REGROUP_THREADS, turn ^= 1) {
    const uint32_t tile = first + threadIdx.x;
    const uint32_t count = tile < regrouping.tiles ? counts[tile] : 0;
    uint32_t all;
    const uint32_t sum = lower_threads_sum<REGROUP_WARPS>(count, storage.warp_totals[turn], all);
    if (tile < regrouping.tiles)
      counts[tile] = lower + sum;
    lower += all;
  }
  if (threadIdx.x == 0)
    regrouping.totals[blockIdx.x] = lower;
}

/* ---- Scatter ----------------------------------------------------------------------------------------------------------- */

struct RegroupBlock {
  uint64_t stage[REGROUP_TILE];                             /* of one array, in the order of the buckets */
  uint64_t begins[MAX_REGROUP_BUCKETS];                     /* from a place in the tile to that in the new arrays */
  uint32_t tile_begins[MAX_REGROUP_BUCKETS];                /* of buckets in the tile */
  uint16_t warp_counts[REGROUP_WARPS][MAX_REGROUP_BUCKETS]; /* keys of each warp's; then where they begin in the tile */
  uint8_t buckets[REGROUP_TILE];                            /* of what is in the stage */
};
static_assert(sizeof(RegroupBlock) <= 48 * 1024, "every block may have so much");

/* The lanes of the warp that have the same bucket, of those that have a key. All lanes take part. */
__device__ __forceinline__ uint32_t lanes_with_bucket(uint32_t bucket, bool has_key) {
  uint32_t lanes = __ballot_sync(ALL_LANES, has_key);
#pragma unroll
  for (uint32_t bit = 0; bit < REGROUP_SHAPE.max_bits; bit++) {
    const bool is_set = (bucket >> bit & 1) != 0;
    const uint32_t set = __ballot_sync(ALL_LANES, is_set);
    lanes &= is_set ? set : ~set;
  }
  return lanes;
}

/* Turns a number of each bucket into the sum of those of all lower ones. All lanes of one warp take part. */
template <typename Number>
__device__ __forceinline__ void add_up_buckets(Number (&numbers)[MAX_REGROUP_BUCKETS]) {
  constexpr uint32_t EACH = MAX_REGROUP_BUCKETS / WARP_LANES;
  Number *own = numbers + threadIdx.x % WARP_LANES * EACH;
  Number sum = 0;
  for (uint32_t index = 0; index < EACH; index++)
    sum += own[index];
  Number lower = warp_inclusive_sum(sum) - sum;
  for (uint32_t index = 0; index < EACH; index++) {
    const Number number = own[index];
    own[index] = lower;
    lower += number;
  }
}

/* What is above the position in an item: the entered key or, of 8 bytes, its window. */
template <typename Raw>
__device__ __forceinline__ uint64_t item_key(const Regrouping<Raw> &regrouping, EnteredKey<Raw> entered) {
  if constexpr (sizeof(Raw) == 8)
    return Window(*regrouping.extremes, regrouping.low_bits)(entered);
  else
    return entered;
}

/* A tile's keys, of which each warp has a piece, and each thread one of each row of the piece. FULL: there are as many as may be,
   as in every tile but the last. */
template <typename Raw, bool FULL>
struct RegroupTile {
  const Regrouping<Raw> &regrouping;
  RegroupBlock &block;
  uint64_t begin;
  uint32_t items; /* of the tile */

  __device__ __forceinline__ static uint32_t index(uint32_t item) {
    const uint32_t warp = threadIdx.x / WARP_LANES;
    return (warp * REGROUP_ITEMS + item) * WARP_LANES + threadIdx.x % WARP_LANES;
  }
  __device__ __forceinline__ bool has(uint32_t item_index) const {
    return FULL || item_index < items;
  }

  /* Counts a row into the warp's counters, and returns how many keys of the bucket the warp has before the thread's. */
  __device__ __forceinline__ uint32_t rank_row(uint32_t bucket, bool has_key) const {
    uint16_t &counter = block.warp_counts[threadIdx.x / WARP_LANES][bucket];
    const uint32_t lanes = lanes_with_bucket(bucket, has_key);
    const uint32_t lower_lanes = lanes & ((1u << threadIdx.x % WARP_LANES) - 1);
    const uint32_t before = counter;
    __syncwarp();
    if (has_key && lower_lanes == 0)
      counter = static_cast<uint16_t>(before + static_cast<uint32_t>(__popc(lanes)));
    __syncwarp();
    return before + static_cast<uint32_t>(__popc(lower_lanes));
  }

  /* Where each bucket begins in the tile, each warp's keys in the bucket, and the bucket's in the new arrays. */
  __device__ __forceinline__ void place_buckets() const {
    for (uint32_t bucket = threadIdx.x; bucket < MAX_REGROUP_BUCKETS; bucket += REGROUP_THREADS) {
      uint32_t lower_warps = 0;
      for (uint32_t warp = 0; warp < REGROUP_WARPS && bucket < regrouping.buckets(); warp++) {
        const uint32_t count = block.warp_counts[warp][bucket];
        block.warp_counts[warp][bucket] = static_cast<uint16_t>(lower_warps);
        lower_warps += count;
      }
      block.tile_begins[bucket] = lower_warps;
      block.begins[bucket] = bucket < regrouping.buckets() ? regrouping.totals[bucket] : 0;
    }
    __syncthreads();
    if (threadIdx.x < WARP_LANES)
      add_up_buckets(block.tile_begins);
    else if (threadIdx.x < 2 * WARP_LANES)
      add_up_buckets(block.begins);
    __syncthreads();
    for (uint32_t bucket = threadIdx.x; bucket < regrouping.buckets(); bucket += REGROUP_THREADS) {
      const uint64_t lower_tiles = regrouping.tile_counts[uint64_t{bucket} * regrouping.tiles + blockIdx.x];
      block.begins[bucket] += lower_tiles - block.tile_begins[bucket];
    }
  }

  /* Writes what all threads have put into the stage: write(where it belongs, its place in the stage). */
  template <typename Write>
  __device__ __forceinline__ void write_stage(Write write) const {
    __syncthreads();
#pragma unroll
    for (uint32_t item = 0; item < REGROUP_ITEMS; item++) {
      const uint32_t staged = item * REGROUP_THREADS + threadIdx.x;
      if (has(staged))
        write(block.begins[block.buckets[staged]] + staged, staged);
    }
    __syncthreads();
  }

  /* Values of an array, as numbers of their size. */
  template <typename Value>
  __device__ __forceinline__ void move_values(const RegroupedArray &array, const uint32_t (&places)[REGROUP_ITEMS]) const {
    Value values[REGROUP_ITEMS];
#pragma unroll
    for (uint32_t item = 0; item < REGROUP_ITEMS; item++)
      values[item] = has(index(item)) ? value_at<Value>(array, index(item)) : Value{0};
#pragma unroll
    for (uint32_t item = 0; item < REGROUP_ITEMS; item++)
      if (has(index(item)))
        block.stage[places[item]] = values[item];
    Value *target = reinterpret_cast<Value *>(array.target);
    write_stage([&](uint64_t place, uint32_t staged) { target[place] = static_cast<Value>(block.stage[staged]); });
  }

  template <typename Value>
  __device__ __forceinline__ Value value_at(const RegroupedArray &array, uint32_t item_index) const {
    if (array.source == nullptr)
      return static_cast<Value>(begin + item_index);
    const unsigned char *source = array.source + begin * sizeof(Value);
    if (array.is_aligned)
      return reinterpret_cast<const Value *>(source)[item_index];
    uint64_t value = 0;
    for (uint32_t byte = 0; byte < sizeof(Value); byte++)
      value |= uint64_t{source[item_index * sizeof(Value) + byte]} << (8 * byte);
    return static_cast<Value>(value);
  }

  __device__ __forceinline__ void move_array(const RegroupedArray &array, const uint32_t (&places)[REGROUP_ITEMS]) const {
    switch (array.value_bytes) {
    case 1:
      return move_values<uint8_t>(array, places);
    case 2:
      return move_values<uint16_t>(array, places);
    case 4:
      return move_values<uint32_t>(array, places);
    default:
      return move_values<uint64_t>(array, places);
    }
  }

  /* Finds out where each key belongs in the stage, and writes the items. */
  __device__ __forceinline__ void place_keys(uint32_t (&places)[REGROUP_ITEMS]) const {
    const BucketOf<Raw> bucket_of(regrouping);
    const Raw *keys = regrouping.keys + begin;
    EnteredKey<Raw> entered[REGROUP_ITEMS];
#pragma unroll
    for (uint32_t item = 0; item < REGROUP_ITEMS; item++)
      entered[item] =
          has(index(item)) ? static_cast<EnteredKey<Raw>>(regrouping.entry.enter(keys[index(item)])) : bucket_of.least;
    __syncthreads();
#pragma unroll
    for (uint32_t item = 0; item < REGROUP_ITEMS; item++)
      places[item] = rank_row(bucket_of(entered[item]), has(index(item)));
    __syncthreads();
    place_buckets();
#pragma unroll
    for (uint32_t item = 0; item < REGROUP_ITEMS; item++) {
      const uint32_t bucket = bucket_of(entered[item]);
      places[item] += block.tile_begins[bucket] + block.warp_counts[threadIdx.x / WARP_LANES][bucket];
      if (!has(index(item)))
        continue;
      block.buckets[places[item]] = static_cast<uint8_t>(bucket);
      block.stage[places[item]] = item_key(regrouping, entered[item]);
    }
    write_stage(
        [&](uint64_t place, uint32_t staged) { regrouping.items[place] = block.stage[staged] << regrouping.low_bits | place; });
  }

  __device__ __forceinline__ void regroup() const {
    uint32_t places[REGROUP_ITEMS];
    place_keys(places);
    for (uint32_t array = 0; array < regrouping.array_count; array++)
      move_array(regrouping.arrays[array], places);
  }
};

template <typename Raw>
__global__ void __launch_bounds__(REGROUP_THREADS, RESIDENT_REGROUPERS)
    // cppcheck-suppress passedByValue
    regroup_kernel(const __grid_constant__ Regrouping<Raw> regrouping) {
  auto &block = block_shared<RegroupBlock>();
  const uint64_t begin = uint64_t{blockIdx.x} * REGROUP_TILE;
  const uint64_t left = regrouping.count - begin;
  auto *counters = reinterpret_cast<uint32_t *>(block.warp_counts);
  for (uint32_t pair = threadIdx.x; pair < sizeof block.warp_counts / sizeof *counters; pair += REGROUP_THREADS)
    counters[pair] = 0;
  if (left >= REGROUP_TILE)
    RegroupTile<Raw, true>{regrouping, block, begin, REGROUP_TILE}.regroup();
  else
    RegroupTile<Raw, false>{regrouping, block, begin, static_cast<uint32_t>(left)}.regroup();
}

/* ---- Launches ---------------------------------------------------------------------------------------------------------- */

/* Launches all of it, behind what finds the extremes. Returns the first cudaError_t. */
template <typename Raw>
int regroup(const Regrouping<Raw> &regrouping, void *stream) {
  const auto grid = [](uint32_t blocks, size_t shared_bytes) {
    return GridShape{blocks, REGROUP_THREADS, static_cast<uint32_t>(shared_bytes)};
  };
  int error = launch_from_host(grid(regrouping.tiles, sizeof(TileCounts)), stream, count_tile_buckets_kernel<Raw>, regrouping);
  if (error == LAUNCH_OK)
    error = launch_from_host(grid(1u << regrouping.bucket_bits, sizeof(AddStorage)), stream, add_bucket_counts_kernel<Raw>,
                             regrouping);
  if (error == LAUNCH_OK)
    error = launch_from_host(grid(regrouping.tiles, sizeof(RegroupBlock)), stream, regroup_kernel<Raw>, regrouping);
  return error;
}

} // namespace cdp::CDP_RUNTIME

#endif
