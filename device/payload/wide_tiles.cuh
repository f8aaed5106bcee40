/* SPDX-License-Identifier: MIT */
/*
 * Runs of keys of 8 bytes (wide_keys.cuh) that are too long to be put in order by counting: a team merges (block/block_merge.cuh)
 * all runs that begin in a tile.
 *
 *  1. What is sorted are items of 8 bytes: where an item's run begins, how its key differs, and its position. All items take
 *     part, but only keys of a run in disorder are compared; all others keep their places by their positions.
 *  2. Distances of keys that have the same window differ by less than 2^MOST_BITS_LEFT: an item has the difference from where its run
 *     begins. Other runs may be of any keys in order.
 *  3. Keys and origins are exchanged by way of the room where the items were.
 * (By the cells of block/on_chip_sort.cuh, where each run has a cell or two, 2^26 neighbours took 12.5 ms in place of 11.5: H200,
 * docs/lab/2026-11-26-wide-keys-in-rounds.md.)
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_WIDE_TILES_CUH
#define CDPSORT_DEVICE_PAYLOAD_WIDE_TILES_CUH

#include "payload/wide_keys.cuh"

namespace cdp::CDP_RUNTIME {

using WideTeam = SortingTeam<WideItem, OnChipBy::team>;
using WideShape = OnChipShape<WideItem, OnChipBy::team>;

constexpr uint32_t WIDE_POSITION_BITS = floor_log2(WideShape::MAX_ITEMS - 1) + 1;
constexpr uint32_t WIDE_KEY_BITS = MOST_BITS_LEFT + 1; // of a difference, which may be negative
static_assert(wide_tile_items(DEVICE_KIND) + wide_run_items(DEVICE_KIND) <= WideShape::MAX_ITEMS,
              "a team holds a tile, and the run that it ends with");
static_assert(2 * WIDE_POSITION_BITS + WIDE_KEY_BITS <= 64, "an item has room for where its run begins");
static_assert(WideShape::MAX_ITEMS <= UINT16_MAX + 1 && WideShape::ITEMS % 2 == 0, "positions are held in pairs");

__device__ __forceinline__ OnChipTeam<WideItem> *wide_rooms() {
  return block_shared<WideRoomsOf<DEVICE_KIND>>().teams;
}
__device__ __forceinline__ OnChipTeam<WideItem> &wide_room() {
  return room_of<WideItem, OnChipBy::team>(wide_rooms());
}
__device__ __forceinline__ WideRange &wide_range() {
  return block_shared<WideRoomsOf<DEVICE_KIND>>().ranges[WideTeam::anew().number];
}
__device__ __forceinline__ uint32_t *disordered_runs() {
  return block_shared<WideRoomsOf<DEVICE_KIND>>().disordered[WideTeam::anew().number];
}

/*
 * Finds the runs that begin in a tile. Leaves out the last one if it ends too far behind it, and takes note if its keys fall. Returns
 * how many items there are, behind `begin`, which is moved to the first. All threads of the team take part; begins and ends with a
 * barrier.
 */
__device__ __forceinline__ uint32_t find_runs(const WideSort &sort, uint64_t &begin) {
  constexpr uint32_t NONE = UINT32_MAX;
  const WideTeam team;
  const uint32_t tile_items = static_cast<uint32_t>(sort.tile_items);
  const uint32_t reach = static_cast<uint32_t>(min(sort.tile_items + sort.longest_run, sort.count - begin));
  WideRange &range = wide_range();
  if (team.thread == 0)
    range = {NONE, 0, NONE};
  team.sync();
  for (uint32_t item = team.thread; item <= reach; item += WideTeam::THREADS) {
    const uint64_t index = begin + item;
    const bool is_end = index == sort.count;
    if (!is_end && index != 0 && sort.window(index - 1) == sort.window(index))
      continue;
    if (is_end || item >= tile_items) {
      atomicMin(&range.end, item);
      continue;
    }
    atomicMin(&range.first, item);
    atomicMax(&range.last, item);
  }
  team.sync();
  const WideRange found = range;
  team.sync(); // all have read it
  if (found.first == NONE)
    return 0;
  if (found.end == NONE)
    for (uint32_t item = found.last + 1 + team.thread; item < reach; item += WideTeam::THREADS)
      if (sort.distance(begin + item) < sort.distance(begin + item - 1))
        sort.rounds[sort.round].has_long_runs = 1;
  begin += found.first;
  return (found.end == NONE ? found.last : found.end) - found.first;
}

/* Stages a number for each item: number(index). All threads of the team take part; begins with the room free, ends with a barrier. */
template <typename Number>
__device__ __forceinline__ void stage_numbers(uint32_t count, Number number) {
  const WideTeam team;
  uint64_t *stage = wide_room().stage;
#pragma unroll 4
  for (uint32_t item = team.thread; item < count; item += WideTeam::THREADS)
    stage[padded(item)] = number(item);
  team.sync();
}

/* The greatest value of all lower threads, 0 of none. All threads of the team take part; one barrier. */
__device__ __forceinline__ uint32_t greatest_of_lower_threads(uint32_t value, uint32_t (&warp_totals)[WARP_LANES]) {
  const WideTeam team;
#pragma unroll
  for (uint32_t distance = 1; distance < WARP_LANES; distance *= 2) {
    const uint32_t lower = __shfl_up_sync(ALL_LANES, value, distance);
    value = team.lane() >= distance ? max(value, lower) : value;
  }
  if (team.lane() == WARP_LANES - 1)
    warp_totals[team.warp()] = value;
  team.sync();
  const uint32_t before = __shfl_up_sync(ALL_LANES, value, 1);
  uint32_t greatest = team.lane() != 0 ? before : 0;
  for (uint32_t warp = 0; warp < team.warp(); warp++)
    greatest = max(greatest, warp_totals[warp]);
  return greatest;
}

/* Makes a thread's items, which follow one another, of `count` behind `begin`; where there are no more, the greatest. All threads of the team take part; begins and ends with a barrier. */
__device__ __forceinline__ void make_wide_items(const WideSort &sort, uint64_t begin, uint32_t count,
                                                WideItem (&items)[WideShape::ITEMS]) {
  constexpr uint32_t ITEMS = WideShape::ITEMS;
  const WideTeam team;
  auto &room = wide_room();
  const uint64_t *stage = room.stage;
  const uint32_t first = team.thread * ITEMS;
  uint32_t begins[ITEMS]; // of their runs
  uint32_t latest = 0;
  stage_numbers(count, [&](uint32_t item) { return sort.window(begin + item); });
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++) {
    const uint32_t index = first + item;
    if (index != 0 && index < count && stage[padded(index)] != stage[padded(index - 1)])
      latest = index;
    begins[item] = latest;
  }
  const uint32_t before = greatest_of_lower_threads(latest, room.warp_totals);
  for (uint32_t word = team.thread; word < WideShape::MAX_ITEMS / 32; word += WideTeam::THREADS)
    disordered_runs()[word] = 0;
  team.sync(); // windows have been read
  stage_numbers(count, [&](uint32_t item) { return sort.distance(begin + item); });
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++) {
    const uint32_t index = first + item;
    begins[item] = max(begins[item], before);
    if (index < count && index != begins[item] && stage[padded(index)] < stage[padded(index - 1)])
      atomicOr(&disordered_runs()[begins[item] / 32], 1u << begins[item] % 32);
  }
  team.sync();
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++) {
    const uint32_t index = first + item;
    const bool is_disordered = (disordered_runs()[begins[item] / 32] >> begins[item] % 32 & 1) != 0;
    const uint64_t difference = index < count && is_disordered ? stage[padded(index)] - stage[padded(begins[item])] : 0;
    const uint64_t above = difference + (uint64_t{1} << MOST_BITS_LEFT);
    items[item] =
        index < count ? (WideItem{begins[item]} << WIDE_KEY_BITS | above) << WIDE_POSITION_BITS | index : GREATEST<WideItem>;
  }
  team.sync(); // the room is free
}

/* Brings `count` values behind `values` into the order of positions, of which a thread has every so many. All threads of the team take
   part; begins with the room free, ends with a barrier. */
template <typename Value>
__device__ __forceinline__ void exchange(Value *values, uint32_t count, const uint32_t (&positions)[WideShape::ITEMS / 2]) {
  const WideTeam team;
  Value *stage = reinterpret_cast<Value *>(wide_room().stage);
#pragma unroll 4
  for (uint32_t item = team.thread; item < count; item += WideTeam::THREADS)
    stage[item] = values[item];
  team.sync();
#pragma unroll
  for (uint32_t row = 0; row < WideShape::ITEMS; row++) {
    const uint32_t item = row * WideTeam::THREADS + team.thread;
    if (item < count)
      values[item] = stage[positions[row / 2] >> (row % 2 * 16) & 0xFFFF];
  }
  team.sync();
}

/* Puts the runs that begin in a tile in order. All threads of the team take part; ends with a barrier. */
__device__ __forceinline__ void sort_wide_tile(const WideSort &sort, uint64_t begin) {
  constexpr uint32_t ITEMS = WideShape::ITEMS;
  const WideTeam team;
  const uint32_t count = find_runs(sort, begin);
  if (count < 2)
    return;
  uint32_t *places = reinterpret_cast<uint32_t *>(wide_room().stage);
  {
    WideItem items[ITEMS];
    const uint32_t threads = (count + WARP_LANES * ITEMS - 1) / (WARP_LANES * ITEMS) * WARP_LANES;
    make_wide_items(sort, begin, count, items);
    merge_sort_items(items, threads, wide_room().stage, team);
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++)
      places[padded(team.thread * ITEMS + item)] = static_cast<uint32_t>(items[item]) & ((1u << WIDE_POSITION_BITS) - 1);
  }
  team.sync();
  uint32_t positions[ITEMS / 2] = {};
#pragma unroll
  for (uint32_t row = 0; row < ITEMS; row++) {
    const uint32_t index = row * WideTeam::THREADS + team.thread;
    if (index < count)
      positions[row / 2] |= places[padded(index)] << (row % 2 * 16);
  }
  team.sync();
  exchange(sort.sorted_keys + begin, count, positions);
  exchange(sort.origins + begin, count, positions);
}

/* Teams take every so many tiles, and sort those that are marked. */
__global__ void __launch_bounds__(MultiwayShape<WideItem>::BLOCK_THREADS, 1)
    // cppcheck-suppress passedByValue
    sort_wide_tiles_kernel(const __grid_constant__ WideSort sort) {
  if (sort.rounds[sort.round].has_tiles == 0)
    return;
  const uint32_t teams = gridDim.x * WideShape::TEAMS;
  for (uint64_t tile = blockIdx.x * WideShape::TEAMS + WideTeam::anew().number; tile < sort.tiles; tile += teams)
    if (sort.marks[sort.round * sort.tiles + tile] != 0)
      sort_wide_tile(sort, tile * sort.tile_items);
}

} // namespace cdp::CDP_RUNTIME

#endif
