/* SPDX-License-Identifier: MIT */
/*
 * The cells of an on-chip sort (on_chip_sort.cuh) that windows and seams have left in disorder: which they are, and who sorts
 * them. How one is sorted, crowded_cells.cuh says.
 */
#ifndef CDPSORT_DEVICE_BLOCK_ON_CHIP_CELLS_CUH
#define CDPSORT_DEVICE_BLOCK_ON_CHIP_CELLS_CUH

#include "block/on_chip_keys.cuh"

namespace cdp::CDP_RUNTIME {

/* A cell of more keys is long: a warp takes a microsecond for a hundred of them or so. And a very long one has more of them than
   so many for each thread of a team: all its warps take values out of it. */
constexpr uint32_t LISTED_CELL_ITEMS = 2 * WARP_LANES;
constexpr uint32_t VERY_LONG_CELL_SHARE = 4;

/* Marks of a cell, in its counter: it is in disorder; and it is listed. And of one on the list: it has been sorted. */
constexpr uint32_t DISORDERED = 1u << 31;
constexpr uint32_t LISTED = 1u << 30;
constexpr uint32_t CELL_MARKS = DISORDERED | LISTED;
constexpr uint32_t SETTLED = 1u << 31;

/* A cell of a team's, for one of its warps. */
template <typename Bits, OnChipBy BY>
__device__ __forceinline__ CrowdedCell<Bits> crowded_cell(OnChipTeam<Bits, BY> &storage, uint32_t cell) {
  // Keys were put there until each began where it ends.
  const uint32_t begin = cell == 0 ? 0 : storage.cells[cell - 1] & ~CELL_MARKS;
  return {storage.stage, begin, (storage.cells[cell] & ~CELL_MARKS) - begin};
}

/* The cell whose keys lie around place `item`: the first one that ends behind it. */
template <typename Bits, OnChipBy BY>
__device__ __forceinline__ uint32_t cell_around(uint32_t item, const OnChipTeam<Bits, BY> &storage) {
  uint32_t low = 0;
  uint32_t high = OnChipShape<Bits, BY>::CELLS - 1;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if ((storage.cells[middle] & ~CELL_MARKS) > item)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* Lists a cell, if there is room. For each thread by itself. */
__device__ __forceinline__ bool list_cell(uint32_t cell, uint32_t (&listed)[WARP_LANES], uint32_t &count) {
  const uint32_t place = atomicAdd(&count, 1u);
  if (place < WARP_LANES)
    listed[place] = cell;
  return place < WARP_LANES;
}

/* Marks the cells that are in disorder, and lists long ones, as many as there is room for. Windows and seams have been sorted:
   disorder is where two seams meet, or before the first. All threads of the team take part; begins and ends with a barrier. */
template <typename Bits, OnChipBy BY>
__device__ __forceinline__ void mark_disordered_cells(uint32_t count, const SortingTeam<Bits, BY> &team,
                                                      OnChipTeam<Bits, BY> &storage) {
  if (team.thread == 0) {
    storage.taken = 0;
    storage.disordered_cells = 0;
  }
  team.sync();
  for (uint32_t item = team.thread * WINDOW_ITEMS + WINDOW_ITEMS / 2 - 1; item + 1 < count;
       item += OnChipShape<Bits, BY>::THREADS * WINDOW_ITEMS) {
    if (!(storage.stage[on_chip_place<Bits>(item + 1)] < storage.stage[on_chip_place<Bits>(item)]))
      continue;
    const uint32_t cell = cell_around(item, storage); // and the next key's: cells are in order
    if ((atomicOr(&storage.cells[cell], DISORDERED) & DISORDERED) != 0)
      continue;
    atomicAdd(&storage.disordered_cells, 1u);
    if (crowded_cell(storage, cell).items > LISTED_CELL_ITEMS && list_cell(cell, storage.warp_totals, storage.taken))
      atomicOr(&storage.cells[cell], LISTED);
  }
  team.sync();
}

/* What became of the cells in disorder. too_many: nothing, they had better be fewer. hopeless:
   one has too many different keys. */
enum class CellsFate : uint32_t { sorted, too_many, hopeless };

/* Sorts the listed cells that have hardly any keys but those of one value, a warp each, and marks them as settled. All threads of
   the team take part; begins and ends with a barrier. */
template <typename Bits, OnChipBy BY>
__device__ __forceinline__ void settle_listed_cells(uint32_t listed, Bits *destination, const KeyMap<Bits> &map,
                                                    const SortingTeam<Bits, BY> &team, OnChipTeam<Bits, BY> &storage) {
  for (uint32_t index = team.warp(); index < listed; index += OnChipShape<Bits, BY>::WARPS) {
    const uint32_t cell = storage.warp_totals[index];
    if (sort_cell_of_one_value(crowded_cell(storage, cell), destination, map) && team.lane() == 0)
      storage.warp_totals[index] = cell | SETTLED;
  }
  team.sync();
}

/* Sorts a cell, and writes it to its last place, if there is one. Returns whether it is in order. All lanes of a warp take
   part. */
template <typename Bits>
__device__ inline bool sort_and_write_cell(CrowdedCell<Bits> cell, TakenValues<Bits> taken, Bits *destination,
                                           const KeyMap<Bits> &map) {
  const CrowdedCell<Bits> whole = {cell.stage, cell.begin, cell.items + taken.items()};
  const bool is_sorted = sort_crowded_cell(cell, taken);
  __syncwarp();
  if (is_sorted && destination != nullptr)
    for (uint32_t index = threadIdx.x % WARP_LANES; index < whole.items; index += WARP_LANES)
      destination[whole.begin + index] = map.leave(whole.key(index));
  return is_sorted;
}

/*
 * Takes values out of the listed cells that are very long, by all threads of the team, and has them sorted by a warp. Returns
 * whether they are in order, in every thread. All threads of the team take part; begins and ends with a barrier.
 */
template <typename Bits, OnChipBy BY>
__device__ inline bool sort_very_long_cells(uint32_t listed, Bits *destination, const KeyMap<Bits> &map,
                                            const SortingTeam<Bits, BY> &team, OnChipTeam<Bits, BY> &storage) {
  constexpr uint32_t MOST_ITEMS = VERY_LONG_CELL_SHARE * OnChipShape<Bits, BY>::THREADS;
  bool is_sorted = true;
  for (uint32_t index = 0; index < listed; index++) {
    const uint32_t number = storage.warp_totals[index];
    if ((number & SETTLED) != 0)
      continue;
    CrowdedCell<Bits> cell = crowded_cell(storage, number);
    if (cell.items <= MOST_ITEMS)
      continue;
    TakenValues<Bits> taken = {};
    Bits value;
    // Every warp draws the same sample.
    while (cell.items > MOST_ITEMS && taken.taken < MAX_TAKEN_VALUES && commonest_value(cell, value) >= MIN_TAKEN_SAMPLES)
      taken.take(value, cell, take_out_by_team(cell, value, team, storage.taken));
    if (team.warp() == 0)
      is_sorted = sort_and_write_cell(cell, taken, destination, map);
    if (team.any(!is_sorted))
      return false;
  }
  return true;
}

/*
 * Sorts the cells that windows and seams have left in disorder, unless there are more than `most` for each warp, and writes them
 * to their last place from `destination` on, unless that is NULL. All threads of the team take part; begins with a barrier, ends
 * with one.
 *
 * Cells in disorder may be neighbours. Therefore long ones are shared out evenly, as many as there is room to list, and before
 * all others, since one that cannot be sorted spares the rest; each warp sorts the others that it finds.
 */
template <typename Bits, OnChipBy BY>
__device__ __noinline__ CellsFate sort_disordered_cells(uint32_t count, uint32_t most, Bits *destination,
                                                        const KeyMap<Bits> &map, SortingTeam<Bits, BY> team,
                                                        OnChipTeam<Bits, BY> &storage) {
  using Shape = OnChipShape<Bits, BY>;
  constexpr uint32_t MOST_ITEMS = VERY_LONG_CELL_SHARE * Shape::THREADS;
  mark_disordered_cells(count, team, storage);
  const bool are_few = storage.disordered_cells <= most * Shape::WARPS;
  const uint32_t listed = are_few ? min(storage.taken, WARP_LANES) : 0;
  const bool are_all_listed = listed == storage.disordered_cells;
  team.sync(); // all have read it
  settle_listed_cells(listed, destination, map, team, storage);
  bool are_sorted = sort_very_long_cells(listed, destination, map, team, storage);
  for (uint32_t index = team.warp(); index < listed && are_sorted; index += Shape::WARPS) {
    const uint32_t number = storage.warp_totals[index];
    const CrowdedCell<Bits> cell = crowded_cell(storage, number & ~SETTLED);
    if ((number & SETTLED) == 0 && cell.items <= MOST_ITEMS)
      are_sorted = sort_and_write_cell(cell, {}, destination, map);
    if (are_all_listed && team.lane() == 0)
      atomicAnd(&storage.cells[number & ~SETTLED], ~CELL_MARKS); // others may be looking where theirs begins
  }
  if (team.any(!are_sorted))
    return CellsFate::hopeless;
  if (are_all_listed)
    return CellsFate::sorted;
  for (uint32_t first = team.warp() * WARP_LANES; first < Shape::CELLS; first += Shape::THREADS) {
    const uint32_t marks = storage.cells[first + team.lane()] & CELL_MARKS;
    uint32_t disordered = __ballot_sync(ALL_LANES, are_few && marks == DISORDERED);
    for (; disordered != 0 && are_sorted; disordered &= disordered - 1)
      are_sorted = sort_and_write_cell(
          crowded_cell(storage, first + static_cast<uint32_t>(__ffs(static_cast<int>(disordered)) - 1)), {}, destination, map);
    if (marks != 0)
      atomicAnd(&storage.cells[first + team.lane()], ~CELL_MARKS); // others may be looking where theirs begins
    __syncwarp();
  }
  if (team.any(!are_sorted))
    return CellsFate::hopeless;
  return are_few ? CellsFate::sorted : CellsFate::too_many;
}

} // namespace cdp::CDP_RUNTIME

#endif
