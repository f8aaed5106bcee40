/* SPDX-License-Identifier: MIT */
/*
 * The cells of an on-chip sort (on_chip_sort.cuh) that windows and seams have left in disorder: which they are, and who sorts
 * them. How one is sorted, crowded_cells.cuh says.
 */
#ifndef CDPSORT_DEVICE_BLOCK_ON_CHIP_CELLS_CUH
#define CDPSORT_DEVICE_BLOCK_ON_CHIP_CELLS_CUH

#include "block/on_chip_keys.cuh"

namespace cdp::CDP_RUNTIME {

/* A cell of more keys is long: a warp takes a microsecond for a hundred of them or so. And a very long one, which is never left to
   a warp as it is, has more of them than so many for each thread of a team. */
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

/* sort_crowded_cell() as a function of its own: instructions that hardly ever run. */
template <typename Bits>
__device__ __noinline__ bool sort_rare_cell(CrowdedCell<Bits> cell, uint32_t left, TakenValues<Bits> taken, Bits *destination,
                                            const KeyMap<Bits> &map) {
  return sort_crowded_cell(CellPlaces<Bits>{cell, destination, map}, left, taken);
}

/* What becomes of a long cell: left_to_warps: as it was, or its keys in any order. */
enum class LongCell : uint32_t { sorted, left_to_warps, hopeless };

/* Sorts a long cell, if it has few values, or if it is so long that a warp should not be left alone with it: then the team
   takes out what it can. Returns the same in every thread. All threads of the team take part; begins with the keys visible to
   all; no barrier at the end. */
template <typename Bits, OnChipBy BY>
__device__ __forceinline__ LongCell sort_long_cell(const CellPlaces<Bits> &places, const SortingTeam<Bits, BY> &team,
                                                   OnChipTeam<Bits, BY> &storage) {
  const CrowdedCell<Bits> &cell = places.cell;
  TakenValues<Bits> taken = {};
  const uint32_t others = take_out_commonest(cell, taken, team, storage.taken);
  if (others <= WARP_LANES) {
    put_by_team(places, others, taken, team);
    return LongCell::sorted;
  }
  bool is_sorted = true;
  if (cell.items > VERY_LONG_CELL_SHARE * OnChipShape<Bits, BY>::THREADS) {
    team.sync(); // all have drawn their last sample, of what one warp moves now
    if (team.warp() == 0)
      is_sorted = sort_rare_cell(cell, others, taken, places.destination, places.map);
    return team.any(!is_sorted) ? LongCell::hopeless : LongCell::sorted;
  }
  put_back(places, others, taken, team.thread, SortingTeam<Bits, BY>::THREADS);
  return LongCell::left_to_warps;
}

/* Sorts the listed cells that are long, one after the other, and marks them as settled, unless it is for warps to sort them:
   all would wait for one that had a long one. False, in every thread, if one has too many different keys. All threads of the
   team take part; begins and ends with a barrier. */
template <typename Bits, OnChipBy BY>
__device__ __forceinline__ bool settle_long_cells(uint32_t listed, Bits *destination, const KeyMap<Bits> &map,
                                                  const SortingTeam<Bits, BY> &team, OnChipTeam<Bits, BY> &storage) {
  constexpr uint32_t LEAST_ITEMS = OnChipShape<Bits, BY>::THREADS * SETTLED_CELL_HALVES / 2;
  const uint32_t own = team.lane() < listed ? storage.warp_totals[team.lane()] : 0;
  const bool is_long = team.lane() < listed && crowded_cell(storage, own).items > LEAST_ITEMS;
  bool is_hopeless = false;
  for (uint32_t left = __ballot_sync(ALL_LANES, is_long); left != 0 && !is_hopeless; left &= left - 1) {
    const uint32_t index = static_cast<uint32_t>(__ffs(static_cast<int>(left))) - 1;
    const uint32_t number = __shfl_sync(ALL_LANES, own, static_cast<int>(index));
    const CrowdedCell<Bits> cell = crowded_cell(storage, number);
    const LongCell became = sort_long_cell<Bits, BY>({cell, place_behind(destination, cell.begin), map}, team, storage);
    if (became == LongCell::sorted && team.thread == 0)
      storage.warp_totals[index] = number | SETTLED; // all have read it
    is_hopeless = became == LongCell::hopeless;
  }
  team.sync();
  return !is_hopeless;
}

/*
 * Sorts the cells that windows and seams have left in disorder, unless there are more than `most` for each warp, and writes
 * them to their last place from `destination` on, unless that is NULL. All threads of the team take part; begins with a
 * barrier, ends with one.
 *
 * Cells in disorder may be neighbours. Therefore long ones are shared out evenly, as many as there is room to list, and before
 * all others, since one that cannot be sorted spares the rest; each warp sorts the others that it finds.
 */
template <typename Bits, OnChipBy BY>
__device__ __noinline__ CellsFate sort_disordered_cells(uint32_t count, uint32_t most, Bits *destination,
                                                        const KeyMap<Bits> &map, SortingTeam<Bits, BY> team,
                                                        OnChipTeam<Bits, BY> &storage) {
  using Shape = OnChipShape<Bits, BY>;
  mark_disordered_cells(count, team, storage);
  const bool are_long = storage.taken > storage.disordered_cells / 2; // further rounds would not mend them
  const bool are_few = storage.disordered_cells <= (are_long ? MAX_LONG_CELLS : most) * Shape::WARPS;
  const uint32_t listed = are_few ? min(storage.taken, WARP_LANES) : 0;
  const bool are_all_listed = listed == storage.disordered_cells;
  team.sync(); // all have read it
  bool are_sorted = settle_long_cells(listed, destination, map, team, storage);
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
      if ((number & SETTLED) != 0)
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
