/* SPDX-License-Identifier: MIT */
/*
 * A stable partition of arrays into buckets by their keys, a tile at a time: what regroup.cuh and divide.cuh have in common.
 *
 *     count each part's buckets ──▶ add up each bucket's counts ──▶ rank, stage and write each tile
 *
 * 1. A part is what one block counts, and later writes: a tile, or several, one behind the other.
 * 2. A warp has a piece of a tile, and ranks a row of it at a time: lanes with the same bucket find one another by ballots, so that
 *    equal buckets keep the order of the input. (After the multi-split of Ashkiani and others, 2016.)
 * 3. A tile's arrays are brought into the order of its buckets in shared memory, one after the other, and written in runs.
 *
 * What differs is a rule's: a structure with what TilePartition asks of it.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_TILE_PARTITION_CUH
#define CDPSORT_DEVICE_PAYLOAD_TILE_PARTITION_CUH

#include "block/multiway_shape.cuh"
#include "block/scan.cuh"
#include "payload/items.cuh"

#include <type_traits>

namespace cdp::CDP_RUNTIME {

/* An array that goes with the keys. */
struct MovedArray {
  const unsigned char *source; /* NULL: each key's index */
  unsigned char *target;
  uint32_t value_bytes; /* 1, 2, 4 or 8 */
  bool is_aligned;      /* the source is, to that */
};

/* The keys, if they are gathered, their indices, and all columns. */
constexpr uint32_t MAX_MOVED_ARRAYS = CDP_COLUMNS_MAX + 2;

/* A partition, as its kernels are given it. Total: what holds how many keys a bucket has. */
template <typename RawKey, typename TotalCount>
struct BucketPartition {
  using Raw = RawKey;
  using Total = TotalCount;

  const Raw *keys;
  uint64_t count;
  Entry<Raw> entry;
  uint32_t parts;
  Total *totals;         /* keys of each bucket */
  uint32_t *part_counts; /* and of each part's, all parts' of a bucket together; then those of lower parts */
  uint32_t array_count;
  MovedArray arrays[MAX_MOVED_ARRAYS];

  void add(const void *source, void *target, size_t value_bytes) {
    MovedArray &array = arrays[array_count++];
    array.source = static_cast<const unsigned char *>(source);
    array.target = static_cast<unsigned char *>(target);
    array.value_bytes = static_cast<uint32_t>(value_bytes);
    array.is_aligned = reinterpret_cast<uintptr_t>(source) % value_bytes == 0;
  }
};

/* An entered key, in no more registers than it takes. */
template <typename Raw>
using EnteredKey = std::conditional_t<sizeof(Raw) == 8, uint64_t, uint32_t>;

/* ---- Add up ------------------------------------------------------------------------------------------------------------ */

struct AddStorage {
  uint32_t warp_totals[2][WARP_LANES];
};

/* A block for each bucket. */
template <uint32_t THREADS, typename Given>
__global__ void __launch_bounds__(THREADS)
    // cppcheck-suppress passedByValue
    add_bucket_counts_kernel(const __grid_constant__ Given partition) {
  using Total = typename Given::Total;
  auto &storage = block_shared<AddStorage>();
  uint32_t *counts = partition.part_counts + uint64_t{blockIdx.x} * partition.parts;
  Total lower = 0;
  uint32_t turn = 0;
  for (uint32_t first = 0; first < partition.parts; first += THREADS, turn ^= 1) {
    const uint32_t part = first + threadIdx.x;
    const uint32_t count = part < partition.parts ? counts[part] : 0;
    uint32_t all;
    const uint32_t sum = lower_threads_sum<THREADS / WARP_LANES>(count, storage.warp_totals[turn], all);
    if (part < partition.parts)
      counts[part] = static_cast<uint32_t>(lower + sum);
    lower += all;
  }
  if (threadIdx.x == 0)
    partition.totals[blockIdx.x] = lower;
}

/* ---- Scatter ----------------------------------------------------------------------------------------------------------- */

/* What a block has in shared memory. `begins` is a rule's to fill in. */
template <uint32_t BLOCK_THREADS, uint32_t ITEMS_PER_THREAD, uint32_t MOST_BUCKETS>
struct PartitionBlock {
  static constexpr uint32_t THREADS = BLOCK_THREADS;
  static constexpr uint32_t ITEMS = ITEMS_PER_THREAD;
  static constexpr uint32_t WARPS = THREADS / WARP_LANES;
  static constexpr uint32_t TILE = THREADS * ITEMS;
  static constexpr uint32_t MAX_BUCKETS = MOST_BUCKETS;
  using Bucket = std::conditional_t<MAX_BUCKETS <= 256, uint8_t, uint16_t>;
  static_assert(TILE <= UINT16_MAX && MAX_BUCKETS <= UINT16_MAX + 1u && MAX_BUCKETS % 2 == 0, "counters have 16 bits");

  uint64_t stage[TILE];                     /* of one array, in the order of the buckets */
  uint64_t begins[MAX_BUCKETS];             /* from a place in the tile to that in the new arrays */
  uint32_t tile_begins[MAX_BUCKETS];        /* of buckets in the tile */
  uint16_t warp_counts[WARPS][MAX_BUCKETS]; /* keys of each warp's; then where they begin in the tile's bucket */
  Bucket buckets[TILE];                     /* of what is in the stage */
};

/* Which of a tile's keys is a thread's: one of each row of its warp's piece. */
template <uint32_t ITEMS>
__device__ __forceinline__ uint32_t item_of_piece(uint32_t item) {
  const uint32_t warp = threadIdx.x / WARP_LANES;
  return (warp * ITEMS + item) * WARP_LANES + threadIdx.x % WARP_LANES;
}

/* The lanes of the warp that have the same bucket, whose number has so many bits, of those that have a key. All lanes take part. */
__device__ __forceinline__ uint32_t lanes_with_bucket(uint32_t bucket, uint32_t bits, bool has_key) {
  uint32_t lanes = __ballot_sync(ALL_LANES, has_key);
#pragma unroll
  for (uint32_t bit = 0; bit < bits; bit++) {
    const bool is_set = (bucket >> bit & 1) != 0;
    const uint32_t set = __ballot_sync(ALL_LANES, is_set);
    lanes &= is_set ? set : ~set;
  }
  return lanes;
}

/* What a rule keeps of a tile's keys, of which there are so many. FULL: as many as may be. */
template <bool FULL, typename Rule, uint32_t ITEMS>
__device__ __forceinline__ void hold_tile(const Rule &rule, uint64_t begin, uint32_t items,
                                          typename Rule::Held (&held)[ITEMS]) {
  const auto *keys = rule.partition.keys + begin;
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++) {
    const uint32_t index = item_of_piece<ITEMS>(item);
    held[item] = FULL || index < items ? rule.hold(keys[index], begin + index) : rule.missing();
  }
  rule.find_buckets(held);
}

/*
 * A tile's keys, of which each warp has a piece, and each thread one of each row of the piece. FULL: there are as many as may be,
 * as in every tile but the last. A rule, of the block at hand, has
 *
 *     partition, block    what the kernel is given, and its shared memory, which is a Block
 *     bits()              of a bucket's number
 *     Held                what is kept of a key, in registers: hold(), given the key and its index, and, where there is none,
 *                         missing()
 *     find_buckets()      of all keys that are held, where that is better done for all at once
 *     bucket()            of a key that is held
 *     place_buckets()     where each bucket begins in the tile, each warp's keys in the bucket, and the bucket's in the new arrays.
 *                         All threads take part; begins behind a barrier
 *     stage(), write()    puts into a place of the stage what there is of a key that is held; and writes to a key's place what is in one
 */
template <typename Rule, bool FULL>
struct TilePartition {
  using Block = typename Rule::Block;
  static constexpr uint32_t ITEMS = Block::ITEMS;

  const Rule &rule;
  uint64_t begin;
  uint32_t items; /* of the tile */

  __device__ __forceinline__ static uint32_t index(uint32_t item) {
    return item_of_piece<ITEMS>(item);
  }
  __device__ __forceinline__ bool has(uint32_t item_index) const {
    return FULL || item_index < items;
  }

  /* A key's place among those of its bucket in its row (lower_keys), and how many those are, 0 without a key. All rows' ballots come
     before the first counter, since counters have a barrier of the warp between two rows: 3 % of a scatter (H200,
     docs/lab/2026-11-25-division.md). */
  struct RowRank {
    uint32_t both; /* lower_keys, and keys from bit 16 on */

    __device__ __forceinline__ uint32_t lower_keys() const {
      return both & 0xFFFF;
    }
    __device__ __forceinline__ uint32_t keys() const {
      return both >> 16;
    }
  };

  __device__ __forceinline__ RowRank rank_in_row(uint32_t bucket, bool has_key) const {
    const uint32_t lanes = lanes_with_bucket(bucket, rule.bits(), has_key);
    const uint32_t lower_lanes = lanes & ((1u << threadIdx.x % WARP_LANES) - 1);
    const uint32_t keys = has_key ? static_cast<uint32_t>(__popc(lanes)) : 0;
    return {keys << 16 | static_cast<uint32_t>(__popc(lower_lanes))};
  }

  /* Counts a row into the warp's counters, and returns how many keys of the bucket the warp has before the thread's. */
  __device__ __forceinline__ uint32_t count_row(uint32_t bucket, RowRank rank) const {
    uint16_t &counter = rule.block.warp_counts[threadIdx.x / WARP_LANES][bucket];
    const uint32_t before = counter;
    __syncwarp();
    if (rank.keys() != 0 && rank.lower_keys() == 0)
      counter = static_cast<uint16_t>(before + rank.keys());
    __syncwarp();
    return before + rank.lower_keys();
  }

  /* Writes what all threads have put into the stage: write(where it belongs, its place in the stage). */
  template <typename Write>
  __device__ __forceinline__ void write_stage(Write write) const {
    __syncthreads();
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++) {
      const uint32_t staged = item * Block::THREADS + threadIdx.x;
      if (has(staged))
        write(rule.block.begins[rule.block.buckets[staged]] + staged, staged);
    }
    __syncthreads();
  }

  /* Values of an array, as numbers of their size. */
  template <typename Value>
  __device__ __forceinline__ void move_values(const MovedArray &array, const uint32_t (&places)[ITEMS]) const {
    Value values[ITEMS];
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++)
      values[item] = has(index(item)) ? value_at<Value>(array, index(item)) : Value{0};
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++)
      if (has(index(item)))
        rule.block.stage[places[item]] = values[item];
    Value *target = reinterpret_cast<Value *>(array.target);
    write_stage([&](uint64_t place, uint32_t staged) { target[place] = static_cast<Value>(rule.block.stage[staged]); });
  }

  template <typename Value>
  __device__ __forceinline__ Value value_at(const MovedArray &array, uint32_t item_index) const {
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

  __device__ __forceinline__ void move_array(const MovedArray &array, const uint32_t (&places)[ITEMS]) const {
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

  /* Finds out where each key belongs in the stage, and writes what the rule writes of keys. */
  __device__ __forceinline__ void place_keys(uint32_t (&places)[ITEMS]) const {
    typename Rule::Held held[ITEMS];
    RowRank ranks[ITEMS];
    hold_tile<FULL>(rule, begin, items, held);
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++)
      ranks[item] = rank_in_row(rule.bucket(held[item]), has(index(item)));
    __syncthreads();
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++)
      places[item] = count_row(rule.bucket(held[item]), ranks[item]);
    __syncthreads();
    rule.place_buckets();
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++) {
      const uint32_t bucket = rule.bucket(held[item]);
      places[item] += rule.block.tile_begins[bucket] + rule.block.warp_counts[threadIdx.x / WARP_LANES][bucket];
      if (!has(index(item)))
        continue;
      rule.block.buckets[places[item]] = static_cast<typename Block::Bucket>(bucket);
      rule.stage(places[item], held[item]);
    }
    write_stage([&](uint64_t place, uint32_t staged) { rule.write(place, staged); });
  }

  __device__ __forceinline__ void partition() const {
    uint32_t places[ITEMS];
    place_keys(places);
    for (uint32_t array = 0; array < rule.partition.array_count; array++)
      move_array(rule.partition.arrays[array], places);
  }
};

/* A tile that begins there. All threads take part; begins with warp_counts zeroed. */
template <typename Rule>
__device__ __forceinline__ void partition_tile(const Rule &rule, uint64_t begin) {
  constexpr uint32_t TILE = Rule::Block::TILE;
  const uint64_t left = rule.partition.count - begin;
  if (left >= TILE)
    TilePartition<Rule, true>{rule, begin, TILE}.partition();
  else
    TilePartition<Rule, false>{rule, begin, static_cast<uint32_t>(left)}.partition();
}

/* ---- Launches ---------------------------------------------------------------------------------------------------------- */

/* Launches all of it, by the kernels of a rule and the one above. Returns the first cudaError_t. */
template <uint32_t THREADS, typename Given>
int launch_partition_kernels(const Given &partition, uint32_t buckets, size_t counts_bytes, size_t block_bytes,
                             void (*count)(Given), void (*scatter)(Given), void *stream) {
  const auto grid = [](uint32_t blocks, size_t shared_bytes) {
    return GridShape{blocks, THREADS, static_cast<uint32_t>(shared_bytes)};
  };
  int error = launch_from_host(grid(partition.parts, counts_bytes), stream, count, partition);
  if (error == LAUNCH_OK)
    error = launch_from_host(grid(buckets, sizeof(AddStorage)), stream, add_bucket_counts_kernel<THREADS, Given>, partition);
  if (error == LAUNCH_OK)
    error = launch_from_host(grid(partition.parts, block_bytes), stream, scatter, partition);
  return error;
}

} // namespace cdp::CDP_RUNTIME

#endif
