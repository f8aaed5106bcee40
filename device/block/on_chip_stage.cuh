/* SPDX-License-Identifier: MIT */
/*
 * The first step of an on-chip sort (on_chip_sort.cuh): keys are put into cells.
 *
 * Each thread has keys in registers. Between the least and the greatest of all of them lie so many cells of equal width. An atomic
 * in shared memory counts a key's cell, a scan says where each cell begins, a second atomic ranks the key in it, and the key is
 * put there. A cell has two keys on average. Where many keys share their cells with many others, ranked_cells.cuh puts them into
 * other cells. And where a block sorts, a cell that has very many keys of one value is filled with it.
 */
#ifndef CDPSORT_DEVICE_BLOCK_ON_CHIP_STAGE_CUH
#define CDPSORT_DEVICE_BLOCK_ON_CHIP_STAGE_CUH

#include "block/ranked_cells.cuh"

namespace cdp::CDP_RUNTIME {

/* Zeroes the counters of a team's cells. All its threads take part; no barrier. */
template <typename Bits, OnChipBy BY>
__device__ __forceinline__ void zero_cells(const SortingTeam<Bits, BY> &team, OnChipTeam<Bits, BY> &storage) {
  struct alignas(16) Zeros {
    uint32_t zeros[4];
  };
  const Zeros zeros = {{0, 0, 0, 0}};
  for (uint32_t index = team.thread; index < OnChipShape<Bits, BY>::CELLS / 4; index += OnChipShape<Bits, BY>::THREADS)
    reinterpret_cast<Zeros *>(storage.cells)[index] = zeros;
  if (team.thread == 0) {
    storage.crowded_items = 0;
    storage.looked_at = 0;
    storage.fullest_cell = 0;
  }
}

/* Looks whether most keys of the fullest cell have one value, by those of a warp's first keys that are in it, and begins to fill it
   then: the cell ends where it does when all keys are put. All lanes of one warp take part. */
template <typename Bits, OnChipBy BY>
__device__ __forceinline__ void look_at_fullest_cell(const OnChipKeys<Bits, BY> &keys, OnChipTeam<Bits, BY> &storage) {
  const Bits key = keys.vectors[0].keys[0];
  const uint32_t fullest = storage.fullest_cell & LOWER_HALF;
  const uint32_t sample = __ballot_sync(ALL_LANES, keys.held != 0 && storage.cell_of(key) == fullest);
  Bits value;
  const uint32_t most = commonest_value(key, sample, value);
  if (threadIdx.x % WARP_LANES != 0)
    return;
  storage.full.value = value;
  storage.full.is_filled = most * 8 > static_cast<uint32_t>(__popc(sample)) * MIN_FILLED_EIGHTHS ? 1 : 0;
  storage.full.lower_end = storage.cells[fullest];
  storage.full.upper_begin = storage.cells[fullest] + (storage.fullest_cell >> HALF_BITS);
  if (storage.full.is_filled != 0)
    storage.cells[fullest] = storage.full.upper_begin;
}

/*
 * Puts keys that threads hold into the stage, where most of the fullest cell's have one value: that comes between its lower and its
 * upper keys, which are in any order.
 *
 * Lanes that want places of the same cell wait for one another, a cycle or two each. Keys of the value want none: what is between
 * the others is filled with it. And windows put those in order where they are few, so that nobody has to look for what the cell
 * holds.
 *
 * All threads of the block take part; begins with a barrier, ends with the last keys on their way.
 */
template <typename Bits, OnChipBy BY>
__device__ __forceinline__ void stage_around_value(OnChipKeys<Bits, BY> &keys, OnChipTeam<Bits, BY> &storage) {
  const SortingTeam<Bits, BY> team;
  const CellMap<Bits> cell_of = storage.cell_of;
  const uint32_t fullest = storage.fullest_cell & LOWER_HALF;
  constexpr uint32_t NONE = UINT32_MAX;
  const Bits common = storage.full.value;
  const auto take_place = [&storage, cell_of, fullest, common](Bits key) {
    const uint32_t cell = cell_of(key);
    if (cell != fullest)
      return atomicAdd(&storage.cells[cell], 1u);
    if (key < common)
      return atomicAdd(&storage.full.lower_end, 1u);
    return key == common ? NONE : atomicSub(&storage.full.upper_begin, 1u) - 1;
  };
  keys.put_each(take_place, [&storage](uint32_t place, Bits key) {
    if (place != NONE)
      storage.stage[on_chip_place<Bits>(place)] = key;
  });
  team.sync();
  for (uint32_t place = storage.full.lower_end + team.thread; place < storage.full.upper_begin; place += team.THREADS)
    storage.stage[on_chip_place<Bits>(place)] = common;
}

/*
 * Puts keys that threads hold, `count` together, into the stage by cells, nearly in order. Returns whether they are all equal:
 * then they are not put anywhere, and `least` is what they are. MAY_FILL: a value may have very many of them. All threads of the
 * team take part; its room is free; ends with a barrier.
 */
template <typename Bits, OnChipBy BY, bool MAY_FILL = true>
__device__ __forceinline__ bool stage_held_keys(OnChipKeys<Bits, BY> &keys, uint32_t count, Bits &least,
                                                OnChipTeam<Bits, BY> *rooms) {
  using Shape = OnChipShape<Bits, BY>;
  using SortTeam = SortingTeam<Bits, BY>;
  zero_cells<Bits, BY>(SortTeam::anew(), room_of(rooms));
  least = GREATEST<Bits>;
  Bits greatest = 0;
  keys.each([&least, &greatest](Bits key) {
    least = min(least, key);
    greatest = max(greatest, key);
  });
  SortTeam::anew().find_extremes(least, greatest, room_of(rooms).extremes());
  if (least == greatest)
    return true;
  {
    auto &storage = room_of(rooms);
    const CellMap<Bits> cell_of = cells_between(least, greatest, Shape::CELLS - SPARE_CELLS);
    if (SortTeam::anew().thread == 0)
      storage.cell_of = cell_of;
    keys.each([&storage, cell_of](Bits key) { atomicAdd(&storage.cells[cell_of(key)], 1u); });
  }
  SortTeam::anew().sync();
  scan_cells<CellsBy::width, Bits, BY>(room_of(rooms).cells, MANY_BY_WIDTH, SortTeam::anew(), room_of(rooms));
  const SortTeam team = SortTeam::anew();
  team.sync();
  auto &storage = room_of(rooms);
  bool is_filled = false;
  if constexpr (MAY_FILL && BY == OnChipBy::block)
    if (storage.fullest_cell >> HALF_BITS > count / MIN_FULL_SHARE) {
      if (team.warp() == 0)
        look_at_fullest_cell(keys, storage);
      team.sync();
      is_filled = storage.full.is_filled != 0;
    }
  if (is_filled) {
    stage_around_value(keys, storage);
  } else {
    const CellMap<Bits> cell_of = storage.cell_of; // not kept until here
    keys.put_each([&storage, cell_of](Bits key) { return atomicAdd(&storage.cells[cell_of(key)], 1u); },
                  [&storage](uint32_t place, Bits key) { storage.stage[on_chip_place<Bits>(place)] = key; });
  }
  // Windows and seams reach beyond the last key.
  if (team.thread < 2 * WINDOW_ITEMS)
    storage.stage[on_chip_place<Bits>(count + team.thread)] = GREATEST<Bits>;
  team.sync();
  return false;
}

/* The same for keys [0, count) of `source`, entered or raw, which may be in the room where the team is the block. */
template <typename Bits, OnChipBy BY>
__device__ __forceinline__ bool stage_by_cells(const Bits *source, uint32_t count, const KeyMap<Bits> &map, bool is_raw,
                                               Bits &least, OnChipTeam<Bits, BY> *rooms) {
  using SortTeam = SortingTeam<Bits, BY>;
  OnChipKeys<Bits, BY> keys;
  keys.load(source, count, SortTeam::anew().thread);
  if (OnChipShape<Bits, BY>::TEAMS == 1)
    SortTeam::anew().sync();
  keys.enter(map, is_raw);
  return stage_held_keys<Bits, BY>(keys, count, least, rooms);
}

} // namespace cdp::CDP_RUNTIME

#endif
