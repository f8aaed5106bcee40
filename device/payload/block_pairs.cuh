/* SPDX-License-Identifier: MIT */
/*
 * Sorts of so few keys with values or indices that one block does all of it, in one launch: where several kernels would run, one
 * behind the other, waiting for them would be most of the time.
 *
 *     read keys ──▶ merge items of key and position ──▶ for keys, each column, indices: gather, wait, write
 *
 * Whatever is gathered has been read by all threads before any of it is written, so that arrays may be sorted in place.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_BLOCK_PAIRS_CUH
#define CDPSORT_DEVICE_PAYLOAD_BLOCK_PAIRS_CUH

#include "block/block_merge.cuh"
#include "block/team.cuh"
#include "payload/items.cuh"
#include "payload/payload.h"
#include "payload/window.cuh"

namespace cdp::CDP_RUNTIME {

/* Values that are gathered, in the largest unit that they and where they lie are multiples of. */
struct BlockColumn {
  const void *source;
  void *target; /* may be the source */
  uint32_t unit_bytes;
  uint32_t units; /* of a value */
};

template <typename Raw>
struct BlockPairs {
  const Raw *keys;
  uint32_t count;
  uint32_t low_bits; /* of an item: they hold any position */
  Entry<Raw> entry;
  bool keys_leave;  /* keys come out of the items; otherwise they are gathered */
  Raw *sorted_keys; /* may be the keys; NULL: nobody wants them */
  const uint32_t *first_indices;
  void *indices; /* NULL: nobody wants them */
  uint32_t index_bytes;
  uint32_t column_count;
  BlockColumn columns[CDP_COLUMNS_MAX];
};

template <DeviceKind KIND>
struct BlockPairsRoomOf {
  static constexpr uint32_t MOST_ITEMS = block_pairs_items(KIND, sizeof(uint64_t));
  uint64_t stage[merge_room(MOST_ITEMS)];
  WarpExtremes<uint64_t> extremes; /* of keys of 8 bytes */
  uint16_t positions[MOST_ITEMS];  /* in the order of what those are sorted by first */
};
using BlockPairsRoom = BlockPairsRoomOf<DEVICE_KIND>;

/* What a thread holds of all items. */
using BlockItems = uint64_t[BLOCK_PAIRS_PER_THREAD];
using BlockPositions = uint32_t[BLOCK_PAIRS_PER_THREAD];

/* Calls work(item, rank) for each of a thread's items: `rank` is its own when items are sorted. */
template <typename Work>
__device__ __forceinline__ void for_each_block_item(Work work) {
  const uint32_t warp_first = threadIdx.x / WARP_LANES * (WARP_LANES * BLOCK_PAIRS_PER_THREAD);
#pragma unroll
  for (uint32_t item = 0; item < BLOCK_PAIRS_PER_THREAD; item++)
    work(item, warp_first + item * WARP_LANES + striped_offset<BLOCK_PAIRS_PER_THREAD>());
}

/* Sorts items, of which those that are missing are the greatest. All threads of the block take part. */
__device__ __forceinline__ void sort_block_items(BlockItems &items, BlockPairsRoom &room) {
  block_merge_sort(items, blockDim.x, room.stage);
  turn_arrangement(items);
}

/* ---- Keys of 8 bytes ----------------------------------------------------------------------------------------------------- */

/* Which bits of the keys are in their items, by each thread's least and greatest key. All threads of the block take part. */
__device__ __forceinline__ UpperBits find_block_window(uint64_t least, uint64_t greatest, uint32_t low_bits,
                                                       BlockPairsRoom &room) {
  const uint32_t warp = threadIdx.x / WARP_LANES;
  const uint32_t lane = threadIdx.x % WARP_LANES;
  warp_extremes(least, greatest);
  if (lane == 0) {
    room.extremes.least[warp] = least;
    room.extremes.greatest[warp] = greatest;
  }
  __syncthreads();
  const uint32_t seen = lane < blockDim.x / WARP_LANES ? lane : 0;
  least = room.extremes.least[seen];
  greatest = room.extremes.greatest[seen];
  warp_extremes(least, greatest);
  return UpperBits(least, greatest, 64 - low_bits);
}

/* Whether keys are in order; `items` say where they are. */
__device__ __forceinline__ bool are_in_order(const BlockPairs<uint64_t> &pairs, const BlockItems &items, BlockPairsRoom &room) {
  const uint64_t mask = (uint64_t{1} << pairs.low_bits) - 1;
  bool is_disorder = false;
  for_each_block_item([&](uint32_t item, uint32_t rank) {
    if (rank < pairs.count)
      room.stage[rank] = pairs.entry.enter(pairs.keys[items[item] & mask]);
  });
  __syncthreads();
  for_each_block_item([&](uint32_t, uint32_t rank) {
    if (rank + 1 < pairs.count)
      is_disorder |= room.stage[rank] > room.stage[rank + 1];
  });
  return __syncthreads_or(is_disorder ? 1 : 0) == 0;
}

/* By the bits that the window lacks, and then by the window: each sort keeps the order of the one before it. */
__device__ __forceinline__ void sort_by_halves(const BlockPairs<uint64_t> &pairs, const UpperBits &window, BlockItems &items,
                                               BlockPairsRoom &room) {
  const uint64_t mask = (uint64_t{1} << pairs.low_bits) - 1;
  for_each_block_item([&](uint32_t item, uint32_t rank) {
    const uint64_t position = items[item] & mask;
    if (rank < pairs.count)
      items[item] = window.dropped(pairs.entry.enter(pairs.keys[position])) << pairs.low_bits | position;
  });
  sort_block_items(items, room);
  for_each_block_item([&](uint32_t item, uint32_t rank) {
    const uint64_t position = items[item] & mask;
    if (rank >= pairs.count)
      return;
    room.positions[rank] = static_cast<uint16_t>(position);
    items[item] = window(pairs.entry.enter(pairs.keys[position])) << pairs.low_bits | rank;
  });
  sort_block_items(items, room);
  __syncthreads(); // one warp merges without
  for_each_block_item([&](uint32_t item, uint32_t rank) {
    if (rank < pairs.count)
      items[item] = room.positions[items[item] & mask];
  });
}

/* Sorts what `items` has of a thread's keys, entered, and leaves in their lower bits the positions in order. */
__device__ __forceinline__ void sort_wide_keys(const BlockPairs<uint64_t> &pairs, BlockItems &items, BlockPairsRoom &room) {
  uint64_t least = UINT64_MAX;
  uint64_t greatest = 0;
  for_each_block_item([&](uint32_t item, uint32_t position) {
    if (position >= pairs.count)
      return;
    least = min(least, items[item]);
    greatest = max(greatest, items[item]);
  });
  const UpperBits window = find_block_window(least, greatest, pairs.low_bits, room);
  for_each_block_item([&](uint32_t item, uint32_t position) {
    if (position < pairs.count)
      items[item] = window(items[item]) << pairs.low_bits | position;
  });
  sort_block_items(items, room);
  if (window.dropped_bits != 0 && !are_in_order(pairs, items, room))
    sort_by_halves(pairs, window, items, room);
}

/* ---- What is written ----------------------------------------------------------------------------------------------------- */

/* Writes what `load` gives for each of a thread's items, when all threads have theirs. It is asked of missing ones, too, so that all
   loads are on their way together. */
template <typename Value, typename Load>
__device__ __forceinline__ void write_when_read(uint32_t count, Value *target, uint32_t stride, Load load) {
  Value values[BLOCK_PAIRS_PER_THREAD];
  for_each_block_item([&](uint32_t item, uint32_t) { values[item] = load(item); });
  __syncthreads();
  for_each_block_item([&](uint32_t item, uint32_t rank) {
    if (rank < count)
      target[uint64_t{rank} * stride] = values[item];
  });
}

/* A unit of all values, and then the next one: none of the others is written yet. */
template <typename Unit>
__device__ __forceinline__ void gather_column(const BlockColumn &column, uint32_t count, const BlockPositions &positions) {
  const Unit *source = static_cast<const Unit *>(column.source);
  Unit *target = static_cast<Unit *>(column.target);
  for (uint32_t unit = 0; unit < column.units; unit++)
    write_when_read(count, target + unit, column.units,
                    [&](uint32_t item) { return source[uint64_t{positions[item]} * column.units + unit]; });
}

__device__ __forceinline__ void gather_any_column(const BlockColumn &column, uint32_t count, const BlockPositions &positions) {
  switch (column.unit_bytes) {
  case 1:
    return gather_column<uint8_t>(column, count, positions);
  case 2:
    return gather_column<uint16_t>(column, count, positions);
  case 4:
    return gather_column<uint32_t>(column, count, positions);
  case 8:
    return gather_column<uint64_t>(column, count, positions);
  default:
    return gather_column<SixteenBytes>(column, count, positions);
  }
}

template <typename Index, typename Raw>
__device__ __forceinline__ void write_block_indices(const BlockPairs<Raw> &pairs, const BlockPositions &positions) {
  write_when_read(pairs.count, static_cast<Index *>(pairs.indices), 1, [&](uint32_t item) {
    const uint32_t position = positions[item];
    return static_cast<Index>(pairs.first_indices != nullptr ? pairs.first_indices[position] : position);
  });
}

/* ---- The kernel ---------------------------------------------------------------------------------------------------------- */

/* As many threads as hold all items. */
template <typename Raw>
__global__ void __launch_bounds__(MultiwayShape<uint64_t>::BLOCK_THREADS, 1)
    sort_block_pairs_kernel(const __grid_constant__ BlockPairs<Raw> pairs) {
  BlockPairsRoom &room = block_shared<BlockPairsRoom>();
  const uint64_t mask = (uint64_t{1} << pairs.low_bits) - 1;
  BlockItems items;
  BlockPositions positions;
  for_each_block_item([&](uint32_t item, uint32_t position) {
    items[item] = ~uint64_t{0};
    if (position >= pairs.count)
      return;
    const uint64_t entered = pairs.entry.enter(pairs.keys[position]);
    items[item] = sizeof(Raw) == 8 ? entered : entered << pairs.low_bits | position;
  });
  if constexpr (sizeof(Raw) == 8)
    sort_wide_keys(pairs, items, room);
  else
    sort_block_items(items, room);
  for_each_block_item([&](uint32_t item, uint32_t rank) {
    positions[item] = rank < pairs.count ? static_cast<uint32_t>(items[item] & mask) : 0;
  });
  if (pairs.sorted_keys != nullptr)
    write_when_read(pairs.count, pairs.sorted_keys, 1, [&](uint32_t item) {
      if constexpr (sizeof(Raw) < 8)
        if (pairs.keys_leave)
          return pairs.entry.leave(items[item] >> pairs.low_bits);
      return pairs.keys[positions[item]];
    });
  for (uint32_t column = 0; column < pairs.column_count; column++)
    gather_any_column(pairs.columns[column], pairs.count, positions);
  if (pairs.index_bytes == sizeof(uint32_t))
    write_block_indices<uint32_t>(pairs, positions);
  else if (pairs.index_bytes != 0)
    write_block_indices<uint64_t>(pairs, positions);
}

/* ---- Its launch ---------------------------------------------------------------------------------------------------------- */

/* How a column is gathered. */
inline BlockColumn block_column_of(const cdp_payload_column &column) {
  const uint32_t unit_bytes = copied_unit(column.d_source, column.d_target, column.value_bytes);
  return {column.d_source, column.d_target, unit_bytes, static_cast<uint32_t>(column.value_bytes / unit_bytes)};
}

/* Whether one block does all of it: where the plan lets it, and values have few units. */
inline bool is_block_pairs(const cdp_payload_plan &plan) {
  if (plan.block_threads == 0)
    return false;
  for (uint32_t column = 0; column < plan.asked.column_count; column++)
    if (block_column_of(plan.asked.columns[column]).units > MAX_BLOCK_PAIRS_UNITS)
      return false;
  return true;
}

template <typename Raw>
BlockPairs<Raw> block_pairs_of(const cdp_payload_plan &plan) {
  const cdp_payload_request &asked = plan.asked;
  BlockPairs<Raw> pairs = {};
  pairs.keys = static_cast<const Raw *>(asked.d_keys);
  pairs.count = static_cast<uint32_t>(asked.count);
  pairs.low_bits = plan.position_bits;
  pairs.entry = entry_of<Raw>(asked);
  pairs.keys_leave = sizeof(Raw) < 8 && !joins_keys(asked);
  pairs.sorted_keys = static_cast<Raw *>(asked.d_sorted_keys);
  pairs.first_indices = asked.d_first_indices;
  pairs.indices = asked.d_indices;
  pairs.index_bytes = asked.index_bytes;
  pairs.column_count = asked.column_count;
  for (uint32_t column = 0; column < asked.column_count; column++)
    pairs.columns[column] = block_column_of(asked.columns[column]);
  return pairs;
}

/* Returns a cudaError_t. */
template <typename Raw>
int launch_block_pairs(const cdp_payload_plan &plan, void *stream) {
  static OncePerContext allowance;
  const GridShape grid = {1, plan.block_threads, plan.block_shared_bytes};
  CDP_RETURN_UNLESS_LAUNCHED(
      allowance.see_to([&grid] { return allow_shared_bytes(sort_block_pairs_kernel<Raw>, grid.shared_bytes); }));
  return launch_from_host(grid, stream, sort_block_pairs_kernel<Raw>, block_pairs_of<Raw>(plan));
}

} // namespace cdp::CDP_RUNTIME

#endif
