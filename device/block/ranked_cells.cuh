/* SPDX-License-Identifier: MIT */
/*
 * Keys in clusters, which share their cells of an on-chip sort (on_chip_stage.cuh) with many others, are put into other cells.
 *
 *  1. The cells' counts are a histogram, and say where the keys are: within a cell they are taken to be spread evenly, and a key's
 *     rank is guessed from where it lies in its cell. That is a map of as many lines as there are cells.
 *  2. Cells of so many guessed ranks each are counted, scanned and filled, as those of equal width were before: by the upper halves
 *     of the same words, whose lower ones keep where the former cells end.
 *  3. Keys that are equal share a cell by whatever map, and are in order wherever they lie in it. Therefore neighbours are looked
 *     at before that is done: whether those that share a cell differ, as a rule.
 *  4. If they differ by the new map, too, what puts keys in order within cells would be wasted on them: they had better be merged.
 */
#ifndef CDPSORT_DEVICE_BLOCK_RANKED_CELLS_CUH
#define CDPSORT_DEVICE_BLOCK_RANKED_CELLS_CUH

#include "block/on_chip_keys.cuh"

namespace cdp::CDP_RUNTIME {

/* Which cells the counters are of: of equal width; or of guessed ranks, which are counted in the upper halves of the words. */
enum class CellsBy : uint32_t { width, rank };
constexpr uint32_t HALF_BITS = 16;
constexpr uint32_t LOWER_HALF = (1u << HALF_BITS) - 1;
template <CellsBy CELLS_BY>
constexpr uint32_t COUNT_SHIFT = CELLS_BY == CellsBy::rank ? HALF_BITS : 0;
template <CellsBy CELLS_BY>
constexpr uint32_t DIFFERENT_EIGHTHS = CELLS_BY == CellsBy::rank ? DIFFERENT_BY_RANK : DIFFERENT_BY_WIDTH;
template <CellsBy CELLS_BY>
constexpr uint32_t MANY = CELLS_BY == CellsBy::rank ? MANY_BY_RANK : MANY_BY_WIDTH;

/* The keys of a cell, where counters are where cells end. */
template <CellsBy CELLS_BY>
__device__ __forceinline__ uint32_t items_of_cell(const uint32_t *cells, uint32_t cell) {
  const uint32_t begin = cell == 0 ? 0 : cells[cell - 1] >> COUNT_SHIFT<CELLS_BY>;
  return (cells[cell] >> COUNT_SHIFT<CELLS_BY>)-begin;
}

/*
 * Turns the cells' counts into where each begins, and adds up in crowded_items the keys of cells of many. All threads of the team
 * take part; one barrier.
 *
 * Each thread has a few cells beside each other, and takes their keys for crowded where one of them shares its cell with many on
 * average: what that takes is an instruction for each cell, and an atomic where keys are crowded.
 */
template <CellsBy CELLS_BY, typename Bits, OnChipBy BY>
__device__ __forceinline__ void scan_cells(const SortingTeam<Bits, BY> &team, OnChipTeam<Bits, BY> &storage) {
  using Shape = OnChipShape<Bits, BY>;
  constexpr uint32_t SHIFT = COUNT_SHIFT<CELLS_BY>;
  struct alignas(16) Cells {
    uint32_t words[Shape::ROW_CELLS];
  };
  Cells *row = reinterpret_cast<Cells *>(storage.cells) + team.warp() * (Shape::CELL_ROWS * WARP_LANES) + team.lane();
  Cells cells[Shape::CELL_ROWS];
  uint32_t begins[Shape::CELL_ROWS];
  uint32_t total = 0;
  uint32_t own = 0;
  uint32_t squares = 0;
#pragma unroll
  for (uint32_t index = 0; index < Shape::CELL_ROWS; index++) {
    cells[index] = row[index * WARP_LANES];
    uint32_t sum = 0;
#pragma unroll
    for (uint32_t cell = 0; cell < Shape::ROW_CELLS; cell++) {
      const uint32_t count = cells[index].words[cell] >> SHIFT;
      sum += count;
      squares += count * count;
    }
    own += sum;
    const uint32_t scanned = warp_inclusive_sum(sum);
    begins[index] = total + scanned - sum;
    total += __shfl_sync(ALL_LANES, scanned, WARP_LANES - 1);
  }
  if (squares > MANY<CELLS_BY> * own)
    atomicAdd(&storage.crowded_items, own);
  const uint32_t lower = team.lower_warps_sum(total, storage.warp_totals);
#pragma unroll
  for (uint32_t index = 0; index < Shape::CELL_ROWS; index++) {
    uint32_t begin = lower + begins[index];
#pragma unroll
    for (uint32_t cell = 0; cell < Shape::ROW_CELLS; cell++) {
      const uint32_t word = cells[index].words[cell];
      cells[index].words[cell] = CELLS_BY == CellsBy::rank ? begin << SHIFT | (word & LOWER_HALF) : begin;
      begin += word >> SHIFT;
    }
    row[index * WARP_LANES] = cells[index];
  }
}

/* The cell of a key by its guessed rank, while the counters' lower halves are where cells of equal width end. */
template <typename Bits, OnChipBy BY>
struct RankedCells {
  using Shape = OnChipShape<Bits, BY>;
  /* Ranks to a cell, as a power of two: as many as it takes. */
  static constexpr uint32_t SHIFT = floor_log2(2 * ((Shape::MAX_ITEMS + Shape::CELLS - 1) / Shape::CELLS) - 1);
  static_assert(Shape::MAX_ITEMS < 1u << HALF_BITS, "where a cell begins or ends is half a word");
  static_assert((Shape::MAX_ITEMS - 1) >> SHIFT < Shape::CELLS, "every rank has a cell");

  CellMap<Bits> cell_of;
  const uint32_t *cells;

  __device__ __forceinline__ uint32_t operator()(Bits key) const {
    const uint32_t cell = cell_of(key);
    const uint32_t begin = cell == 0 ? 0 : cells[cell - 1] & LOWER_HALF;
    return (begin + __umulhi(cell_of.fraction(key), (cells[cell] & LOWER_HALF) - begin)) >> SHIFT;
  }
};

/*
 * Whether keys are crowded: many are in cells of many, and keys that share such a cell differ, as a rule; which a key of each
 * thread is looked at for, from all over the stage, and the one behind it. The counters are where cells end. All threads of the team
 * take part, and find the same; begins with a barrier, before which storage.looked_at was zeroed, and ends with one.
 */
template <CellsBy CELLS_BY, typename Bits, OnChipBy BY, typename CellOf>
__device__ __forceinline__ bool are_keys_crowded(uint32_t count, CellOf cell_of, const SortingTeam<Bits, BY> &team,
                                                 OnChipTeam<Bits, BY> &storage) {
  if (storage.crowded_items <= count / MIN_CROWDED_SHARE)
    return false;
  const uint32_t item = team.thread * (count / OnChipShape<Bits, BY>::THREADS);
  const Bits key = storage.stage[on_chip_place<Bits>(item)];
  const Bits next = storage.stage[on_chip_place<Bits>(item + 1)];
  const uint32_t cell = cell_of(key);
  const bool has_next = item + 1 < count;
  const bool is_shared = has_next && cell_of(next) == cell && items_of_cell<CELLS_BY>(storage.cells, cell) > MANY<CELLS_BY>;
  const uint32_t sharing = __ballot_sync(ALL_LANES, is_shared);
  const uint32_t differing = __ballot_sync(ALL_LANES, is_shared && key != next);
  if (team.lane() == 0 && sharing != 0)
    atomicAdd(&storage.looked_at,
              static_cast<uint32_t>(__popc(differing)) << HALF_BITS | static_cast<uint32_t>(__popc(sharing)));
  team.sync();
  const uint32_t looked_at = storage.looked_at;
  return (looked_at >> HALF_BITS) * 8 > (looked_at & LOWER_HALF) * DIFFERENT_EIGHTHS<CELLS_BY>;
}

/* Puts a stage's crowded keys into cells by their guessed ranks. Returns whether they are crowded even then: they had better be
   merged. All threads of the team take part; begins and ends with a barrier. */
template <typename Bits, OnChipBy BY>
__device__ __noinline__ bool restage_by_ranks(uint32_t count, OnChipTeam<Bits, BY> *rooms) {
  using Shape = OnChipShape<Bits, BY>;
  const SortingTeam<Bits, BY> team;
  auto &storage = room_of(rooms);
  const RankedCells<Bits, BY> cell_of = {storage.cell_of, storage.cells};
  Bits keys[Shape::ITEMS];
#pragma unroll
  for (uint32_t item = 0; item < Shape::ITEMS; item++)
    if (item * Shape::THREADS + team.thread < count) {
      keys[item] = key_behind<Shape::THREADS>(storage.stage, team.thread, item);
      atomicAdd(&storage.cells[cell_of(keys[item])], 1u << HALF_BITS);
    }
  if (team.thread == 0)
    storage.crowded_items = 0;
  team.sync();
  if (team.thread == 0)
    storage.looked_at = 0;
  scan_cells<CellsBy::rank, Bits, BY>(team, storage);
  team.sync();
#pragma unroll
  for (uint32_t item = 0; item < Shape::ITEMS; item++)
    if (item * Shape::THREADS + team.thread < count) {
      const uint32_t place = atomicAdd(&storage.cells[cell_of(keys[item])], 1u << HALF_BITS) >> HALF_BITS;
      storage.stage[on_chip_place<Bits>(place)] = keys[item];
    }
  team.sync();
  const bool is_crowded = are_keys_crowded<CellsBy::rank, Bits, BY>(count, cell_of, team, storage);
  for (uint32_t cell = team.thread; cell < Shape::CELLS; cell += Shape::THREADS)
    storage.cells[cell] >>= HALF_BITS;
  team.sync();
  return is_crowded;
}

} // namespace cdp::CDP_RUNTIME

#endif
