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

/* A place behind the one that a bucket begins with, if there is one. */
template <typename Bits>
__device__ __forceinline__ Bits *place_behind(Bits *destination, uint32_t items) {
  return destination != nullptr ? destination + items : nullptr;
}

/* What became of the cells in disorder. too_many: nothing, they had better be fewer. hopeless:
   one has too many different keys. */
enum class CellsFate : uint32_t { sorted, too_many, hopeless };

/* Sorts the listed cells that have hardly any keys but those of a few values, one after the other, and marks them as settled: all
   would wait for a warp that had a long one. All threads of the team take part; begins and ends with a barrier. */
template <typename Bits, OnChipBy BY>
__device__ __forceinline__ void settle_listed_cells(uint32_t listed, Bits *destination, const KeyMap<Bits> &map,
                                                    const SortingTeam<Bits, BY> &team, OnChipTeam<Bits, BY> &storage) {
  constexpr uint32_t LEAST_ITEMS = OnChipShape<Bits, BY>::THREADS * SETTLED_CELL_HALVES / 2;
  const uint32_t own = team.lane() < listed ? storage.warp_totals[team.lane()] : 0;
  const bool is_long = team.lane() < listed && crowded_cell(storage, own).items > LEAST_ITEMS;
  for (uint32_t left = __ballot_sync(ALL_LANES, is_long); left != 0; left &= left - 1) {
    const uint32_t index = static_cast<uint32_t>(__ffs(static_cast<int>(left))) - 1;
    const uint32_t number = __shfl_sync(ALL_LANES, own, static_cast<int>(index));
    const CrowdedCell<Bits> cell = crowded_cell(storage, number);
    const CellPlaces<Bits> places = {cell, place_behind(destination, cell.begin), map};
    if (sort_cell_of_few_values(places, team, storage.taken) && team.thread == 0)
      storage.warp_totals[index] = number | SETTLED; // all have read it
  }
  team.sync();
}

/* Sorts a cell of which all but the first `left` keys have been taken out, and writes it to its last place, if there is one.
   Returns whether it is in order. All lanes of a warp take part. */
template <typename Bits>
__device__ __noinline__ bool sort_and_write_cell(CrowdedCell<Bits> cell, uint32_t left, TakenValues<Bits> taken,
                                                 Bits *destination, const KeyMap<Bits> &map) {
  return sort_crowded_cell(CellPlaces<Bits>{cell, place_behind(destination, cell.begin), map}, left, taken);
}

/*
 * Takes values out of the listed cells that are very long, by all threads of the team, and has them sorted by a warp. Returns
 * whether they are in order, in every thread. All threads of the team take part; begins and ends with a barrier.
 */
template <typename Bits, OnChipBy BY>
__device__ inline bool sort_very_long_cells(uint32_t listed, Bits *destination, const KeyMap<Bits> &map,
                                            const SortingTeam<Bits, BY> &team, OnChipTeam<Bits, BY> &storage) {
  constexpr uint32_t MOST_ITEMS = VERY_LONG_CELL_SHARE * OnChipShape<Bits, BY>::THREADS;
  const uint32_t own = team.lane() < listed ? storage.warp_totals[team.lane()] : SETTLED;
  const bool is_long = (own & SETTLED) == 0 && crowded_cell(storage, own).items > MOST_ITEMS;
  for (uint32_t left = __ballot_sync(ALL_LANES, is_long); left != 0; left &= left - 1) {
    const uint32_t number = __shfl_sync(ALL_LANES, own, __ffs(static_cast<int>(left)) - 1);
    const CrowdedCell<Bits> cell = crowded_cell(storage, number);
    CrowdedCell<Bits> others = cell;
    TakenValues<Bits> taken = {};
    Bits value;
    // Every warp draws the same sample.
    while (others.items > MOST_ITEMS && !taken.is_full() && commonest_value(others, value) >= MIN_TAKEN_SAMPLES) {
      const uint32_t items = take_out_by_team(others, value, team, storage.taken);
      taken.take(value, others.items - items);
      others.items = items;
    }
    const bool is_sorted = team.warp() != 0 || sort_and_write_cell(cell, others.items, taken, destination, map);
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
  const bool are_long = storage.taken > storage.disordered_cells / 2; // further rounds would not mend them
  const bool are_few = storage.disordered_cells <= (are_long ? MAX_LONG_CELLS : most) * Shape::WARPS;
  const uint32_t listed = are_few ? min(storage.taken, WARP_LANES) : 0;
  const bool are_all_listed = listed == storage.disordered_cells;
  team.sync(); // all have read it
  settle_listed_cells(listed, destination, map, team, storage);
  bool are_sorted = sort_very_long_cells(listed, destination, map, team, storage);
  // One call for listed cells and for others: what is in order is inlined, and its instructions come but once.
  const uint32_t turned = (team.warp() + team.lane() * Shape::WARPS / WARP_LANES) % Shape::WARPS;
  uint32_t own =
      are_all_listed ? Shape::CELLS : team.lane() * Shape::WARPS + turned; // neighbours are different warps'; banks differ
  uint32_t index = team.warp();
  uint32_t disordered = 0;
  while (are_sorted) {
    uint32_t number;
    if (index < listed) {
      number = storage.warp_totals[index];
      index += Shape::WARPS;
      if ((number & SETTLED) != 0 || crowded_cell(storage, number).items > MOST_ITEMS)
        continue;
    } else if (disordered != 0) {
      number = __shfl_sync(ALL_LANES, own - Shape::THREADS, __ffs(static_cast<int>(disordered)) - 1);
      disordered &= disordered - 1;
    } else if (own < Shape::CELLS) {
      const uint32_t marks = storage.cells[own] & CELL_MARKS;
      disordered = __ballot_sync(ALL_LANES, are_few && marks == DISORDERED);
      if (marks != 0)
        atomicAnd(&storage.cells[own], ~CELL_MARKS); // others may be looking where theirs begins
      own += Shape::THREADS;
      continue;
    } else
      break;
    const CrowdedCell<Bits> cell = crowded_cell(storage, number);
    are_sorted =
        sort_crowded_cell(CellPlaces<Bits>{cell, place_behind(destination, cell.begin), map}, cell.items, TakenValues<Bits>{});
    __syncwarp();
  }
  if (are_all_listed && team.warp() == 0 && team.lane() < listed)
    atomicAnd(&storage.cells[storage.warp_totals[team.lane()] & ~SETTLED], ~CELL_MARKS);
  if (team.any(!are_sorted))
    return CellsFate::hopeless;
  if (are_few)
    return CellsFate::sorted;
  return are_long ? CellsFate::hopeless : CellsFate::too_many;
}

} // namespace cdp::CDP_RUNTIME

#endif
