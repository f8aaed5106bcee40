/* SPDX-License-Identifier: MIT */
/*
 * A team sorts a bucket that it holds, wholly on chip: the keys are read once and written once. Or a block does, as one team.
 *
 *  1. The keys are put into cells, in order but for those of the same cell, which are two on average (on_chip_stage.cuh).
 *  2. Each thread sorts windows of WINDOW_ITEMS keys in registers (odd-even merges, Batcher 1968), and then the seams: halves
 *     of two windows. What is within half a window of its place has come there.
 *  3. The bucket is looked at: is it in order? If not, the cells that are in disorder are sorted (crowded_cells.cuh), if those
 *     are few, and then it is. If they are not, windows and seams are sorted again, while that seems to mend it,
 *     MAX_WINDOW_ROUNDS times at most, and only then cells.
 *  4. What is not in order then, since very many different keys share a cell, is merged (block_merge.cuh); and so is what was
 *     seen to be like that when it was put into cells. The nearer to their places keys are by then, the less there is to merge. Keys
 *     that are equal are in order wherever they lie: a cell may have any number of those.
 *
 * Windows lie in shared memory in an order of their own, on_chip_place(), so that the lanes of a warp read 16 bytes each
 * without a conflict.
 */
#ifndef CDPSORT_DEVICE_BLOCK_ON_CHIP_SORT_CUH
#define CDPSORT_DEVICE_BLOCK_ON_CHIP_SORT_CUH

#include "block/on_chip_cells.cuh"
#include "block/on_chip_stage.cuh"

namespace cdp::CDP_RUNTIME {

/* A window's keys, from a place that is a multiple of half a window, and back. */
template <typename Bits>
__device__ __forceinline__ void read_window(Bits (&window)[WINDOW_ITEMS], uint32_t first, const Bits *stage) {
  constexpr uint32_t VECTOR = Shape<Bits>::VECTOR_ITEMS;
#pragma unroll
  for (uint32_t vector = 0; vector < WINDOW_ITEMS / VECTOR; vector++) {
    const auto read = *reinterpret_cast<const KeyVector<Bits> *>(&stage[on_chip_place<Bits>(first + vector * VECTOR)]);
#pragma unroll
    for (uint32_t key = 0; key < VECTOR; key++)
      window[vector * VECTOR + key] = read.keys[key];
  }
}

template <typename Bits>
__device__ __forceinline__ void write_window(const Bits (&window)[WINDOW_ITEMS], uint32_t first, Bits *stage) {
  constexpr uint32_t VECTOR = Shape<Bits>::VECTOR_ITEMS;
#pragma unroll
  for (uint32_t vector = 0; vector < WINDOW_ITEMS / VECTOR; vector++) {
    KeyVector<Bits> written;
#pragma unroll
    for (uint32_t key = 0; key < VECTOR; key++)
      written.keys[key] = window[vector * VECTOR + key];
    *reinterpret_cast<KeyVector<Bits> *>(&stage[on_chip_place<Bits>(first + vector * VECTOR)]) = written;
  }
}

/* Sorts all windows, of a team's stage. All its threads take part; no barrier. */
template <typename Bits, typename AnyTeam>
__device__ __forceinline__ void sort_each_window(uint32_t count, const AnyTeam &team, Bits *stage) {
  for (uint32_t window = team.thread; window * WINDOW_ITEMS < count; window += AnyTeam::THREADS) {
    Bits items[WINDOW_ITEMS];
    read_window(items, window * WINDOW_ITEMS, stage);
    sort_in_lane<0, WINDOW_ITEMS>(items);
    write_window(items, window * WINDOW_ITEMS, stage);
  }
}

/* Sorts all seams. Returns whether this thread saw neighbours in the wrong order, of those that are its warp's. All threads of
   the team take part; no barrier. */
template <typename Bits, typename AnyTeam>
__device__ __forceinline__ bool sort_each_seam(uint32_t count, const AnyTeam &team, Bits *stage) {
  constexpr uint32_t HALF = WINDOW_ITEMS / 2;
  bool is_disordered = false;
  for (uint32_t window = team.thread; (window - team.lane()) * WINDOW_ITEMS + HALF < count; window += AnyTeam::THREADS) {
    const uint32_t first = window * WINDOW_ITEMS + HALF;
    Bits items[WINDOW_ITEMS] = {};
    if (first < count) {
      read_window(items, first, stage);
      merge_in_lane<WINDOW_ITEMS, true>(items);
      write_window(items, first, stage);
    }
    const Bits next = __shfl_down_sync(ALL_LANES, items[0], 1);
    if (team.lane() < WARP_LANES - 1 && first + WINDOW_ITEMS < count)
      is_disordered |= next < items[WINDOW_ITEMS - 1];
  }
  return is_disordered;
}

/* Whether this thread sees neighbours in the wrong order between the seams of different warps, or before the first. */
template <typename Bits, typename AnyTeam>
__device__ __forceinline__ bool are_warps_disordered(uint32_t count, const AnyTeam &team, const Bits *stage) {
  constexpr uint32_t HALF = WINDOW_ITEMS / 2;
  bool is_disordered = false;
  if (team.lane() == WARP_LANES - 1)
    for (uint32_t window = team.thread; window * WINDOW_ITEMS + HALF + WINDOW_ITEMS < count; window += AnyTeam::THREADS) {
      const uint32_t next = window * WINDOW_ITEMS + HALF + WINDOW_ITEMS;
      is_disordered |= stage[on_chip_place<Bits>(next)] < stage[on_chip_place<Bits>(next - 1)];
    }
  if (team.thread == 0 && count > HALF)
    is_disordered |= stage[on_chip_place<Bits>(HALF)] < stage[on_chip_place<Bits>(HALF - 1)];
  return is_disordered;
}

/* Sorts all windows, then all seams. Returns whether this thread saw neighbours in the wrong order. All threads of the team
   take part; begins and ends with a barrier, but for what is looked at behind it. */
template <typename Bits, OnChipBy BY>
__device__ __forceinline__ bool sort_windows(uint32_t count, OnChipTeam<Bits, BY> *rooms) {
  using SortTeam = SortingTeam<Bits, BY>;
  sort_each_window(count, SortTeam::anew(), room_of(rooms).stage);
  SortTeam::anew().sync();
  const bool is_disordered = sort_each_seam(count, SortTeam::anew(), room_of(rooms).stage);
  SortTeam::anew().sync();
  return is_disordered | are_warps_disordered(count, SortTeam::anew(), room_of(rooms).stage);
}

/*
 * Writes a team's staged keys to their last place. All its threads take part; no barrier.
 *
 * Warps write whole lines of memory: the first may begin before the bucket. Rows of a key to each thread have conditions only
 * where they may lack some, the first and the last few: with one for every key, and its place worked out for each, a key took 21
 * instructions, a quarter of a bucket's (H200, docs/lab/2026-11-24-look-and-write.md).
 */
template <bool LEAVES, typename Bits, typename AnyTeam>
__device__ __forceinline__ void write_rows(const Bits *stage, uint32_t count, Bits *destination, const KeyMap<Bits> &map,
                                           const AnyTeam &team) {
  constexpr uint32_t THREADS = AnyTeam::THREADS;
  constexpr uint32_t LINE_ITEMS = 128 / sizeof(Bits);
  constexpr uint32_t ROWS = 32 / sizeof(Bits); // at a time
  static_assert(LINE_ITEMS <= THREADS, "what is ahead of the bucket is in the first row");
  const auto leave = [&map](Bits key) { return LEAVES ? map.leave(key) : key; };
  // Not worked out in front of a loop over rounds, and kept.
  const uint32_t ahead = fresh(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(destination) / sizeof(Bits))) % LINE_ITEMS;
  const uint32_t end = count + ahead;
  Bits *line = destination - ahead;
  uint32_t item = team.thread;
  if (item >= ahead && item < end)
    line[item] = leave(stage[on_chip_place<Bits>(item - ahead)]);
  item += THREADS;
#pragma unroll 1
  for (; item + (ROWS - 1) * THREADS < end; item += ROWS * THREADS) {
    Bits keys[ROWS];
    Bits *first = line + item;
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++)
      keys[row] = key_behind<THREADS>(stage, item - ahead, row);
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++)
      first[row * THREADS] = leave(keys[row]);
  }
#pragma unroll 1
  for (; item < end; item += THREADS)
    line[item] = leave(stage[on_chip_place<Bits>(item - ahead)]);
}

template <typename Bits, typename AnyTeam>
__device__ __forceinline__ void write_staged(const Bits *stage, uint32_t count, Bits *destination, const KeyMap<Bits> &map,
                                             const AnyTeam &team) {
  if (map.changes != 0)
    write_rows<true>(stage, count, destination, map, team);
  else
    write_rows<false>(stage, count, destination, map, team);
}

/* Merges a team's staged keys: item i lies at place padded(i) of the stage then. All its threads take part; begins and ends
   with a barrier. */
template <typename Bits, OnChipBy BY>
__device__ __noinline__ void merge_staged(uint32_t count, SortingTeam<Bits, BY> team, OnChipTeam<Bits, BY> &storage) {
  constexpr uint32_t ITEMS = OnChipShape<Bits, BY>::ITEMS;
  const uint32_t threads = (count + WARP_LANES * ITEMS - 1) / (WARP_LANES * ITEMS) * WARP_LANES;
  const uint32_t first = team.thread * ITEMS;
  Bits *stage = storage.stage; // and the cells behind it
  Bits items[ITEMS];
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    items[item] = first + item < count ? stage[on_chip_place<Bits>(first + item)] : GREATEST<Bits>;
  team.sync();
  merge_sort_items(items, threads, stage, team);
  if (team.thread < threads)
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++)
      stage[padded(first + item)] = items[item];
  team.sync();
}

/* Writes what has been merged to its last place. All threads of the team take part; ends with a barrier. */
template <typename Bits, typename AnyTeam>
__device__ __forceinline__ void write_merged(const Bits *stage, uint32_t count, Bits *destination, const KeyMap<Bits> &map,
                                             const AnyTeam &team) {
  for (uint32_t item = team.thread; item < count; item += AnyTeam::THREADS)
    destination[item] = map.leave(stage[padded(item)], true);
  team.sync();
}

/* Sorts what is nearly in order, by windows and then by cells, and writes it to its last place, unless `destination` is NULL. Returns
   whether it is in order: if not, it must be merged. All threads of the team take part; ends with a barrier. */
template <typename Bits, OnChipBy BY>
__device__ __forceinline__ bool sort_by_windows(uint32_t count, Bits *destination, const KeyMap<Bits> &map,
                                                OnChipTeam<Bits, BY> *rooms) {
  using SortTeam = SortingTeam<Bits, BY>;
  for (uint32_t round = 1;; round++) {
    const bool is_disordered = sort_windows<Bits, BY>(count, rooms);
    // Written before it is known whether it is in order: nearly always it is.
    if (destination != nullptr)
      write_staged(room_of(rooms).stage, count, destination, map, SortTeam::anew());
    if (!SortTeam::anew().any(is_disordered))
      return true;
    // Where many threads of a warp still see disorder, the next rounds would not mend it either.
    const uint32_t disordered_lanes = static_cast<uint32_t>(__popc(__ballot_sync(ALL_LANES, is_disordered)));
    const bool is_hopeless = SortTeam::anew().any(round > 1 && disordered_lanes > MAX_DISORDERED_LANES);
    if (round > 1 && !is_hopeless && round < MAX_WINDOW_ROUNDS)
      continue;
    const uint32_t most = round == 1 ? FEW_CROWDED_CELLS : MAX_CROWDED_CELLS;
    const CellsFate fate = sort_disordered_cells<Bits, BY>(count, most, destination, map, SortTeam::anew(), room_of(rooms));
    if (fate != CellsFate::too_many || round > 1)
      return fate == CellsFate::sorted;
  }
}

/* Sorts what stage_by_cells() has staged. Else the same. */
template <typename Bits, OnChipBy BY>
__device__ __forceinline__ bool sort_staged(uint32_t count, Bits *destination, const KeyMap<Bits> &map,
                                            OnChipTeam<Bits, BY> *rooms) {
  const auto items_of = [rooms](uint32_t cell) { return items_of_cell<CellsBy::width>(room_of(rooms).cells, cell); };
  if (are_keys_crowded<CellsBy::width, Bits, BY>(count, MANY_BY_WIDTH, room_of(rooms).cell_of, items_of,
                                                 SortingTeam<Bits, BY>::anew(), room_of(rooms)) &&
      restage_by_ranks<Bits, BY>(count, rooms))
    return false;
  return sort_by_windows<Bits, BY>(count, destination, map, rooms);
}

/* The same, and merges it if it must. All threads of the team take part; ends with a barrier: its room is free. */
template <typename Bits, OnChipBy BY>
__device__ __forceinline__ void sort_and_write(uint32_t count, Bits *destination, const KeyMap<Bits> &map,
                                               OnChipTeam<Bits, BY> *rooms) {
  if (sort_staged<Bits, BY>(count, destination, map, rooms))
    return;
  const auto team = SortingTeam<Bits, BY>::anew();
  merge_staged<Bits, BY>(count, team, room_of(rooms));
  write_merged(room_of(rooms).stage, count, destination, map, team);
}

/* Writes `count` equal keys. All threads of the team take part; ends with a barrier: storage is free. */
template <typename Bits, typename AnyTeam>
__device__ __forceinline__ void write_equal(Bits key, uint32_t count, Bits *destination, const KeyMap<Bits> &map,
                                            const AnyTeam &team) {
  const Bits raw = map.leave(key, true);
  for (uint32_t item = team.thread; item < count; item += AnyTeam::THREADS)
    destination[item] = raw;
  team.sync();
}

/* Whether so many keys, of at most a tile, are merged rather than sorted on chip. */
template <typename Bits, DeviceKind KIND>
__host__ __device__ inline bool is_merged(uint64_t count) {
  return count <= MultiwayShapeOf<Bits, KIND>::TILE_ITEMS / MERGED_TILE_SHARE;
}

/*
 * Sorts keys [0, range.items()) of `source`, no more than storage has room for, raw as the range says, into the range of the
 * caller's array. All threads of the block take part; what `source` holds must be visible to it, and may be in storage.
 */
template <typename Bits, OnChipBy BY>
__device__ __noinline__ void block_on_chip_sort(const BlockRules<Bits> &rules, const Bits *source, Range range,
                                                OnChipTeam<Bits, BY> &storage) {
  const SortingTeam<Bits, BY> team;
  const uint32_t count = static_cast<uint32_t>(range.items());
  Bits *destination = rules.side(Side::keys) + range.begin;
  Bits least = 0;
  if (stage_by_cells<Bits, BY>(source, count, rules.map, range.is_raw(), least, &storage))
    write_equal(least, count, destination, rules.map, team);
  else
    sort_and_write<Bits, BY>(count, destination, rules.map, &storage);
  if (team.thread == 0)
    count_leaves(rules.counters, range.depth, 1, count);
}

} // namespace cdp::CDP_RUNTIME

#endif
