/* SPDX-License-Identifier: MIT */
/*
 * Items of keys that carry values (carry_buckets.cuh) are put into other cells where many share one: as a rule they have the same key,
 * and nothing but their positions tells them apart.
 *
 *  1. A warp draws a sample of each cell of many, and takes the commonest key for what most of its items have. The cell has three
 *     pieces then: what is below that key, what has it, and what is above it. The sample says how long each is, and between which
 *     items it lies.
 *  2. An item's rank is guessed from where it lies in its piece. Positions are spread evenly: of each key that comes in no order.
 *  3. Cells of so many guessed ranks each are counted, scanned and filled, as in ranked_cells.cuh.
 *
 * What is known of a cell is written where its items were staged: threads hold them meanwhile.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_CARRY_RESTAGE_CUH
#define CDPSORT_DEVICE_PAYLOAD_CARRY_RESTAGE_CUH

#include "block/on_chip_sort.cuh"
#include "payload/carry.cuh"

namespace cdp::CDP_RUNTIME {

/* A key of 4 bytes, and below it its position in the bucket, in the upper ones of 32 bits: where keys are equal, it is by their positions
   that they are put into cells. Of a key of 8 bytes a window of its distance from the bucket's least key is there (carry_window.cuh), and
   what is said here of keys is said of its upper 32 bits, of positions of what is below. */
using CarryItem = uint64_t;

template <OnChipBy BY>
using CarryTeam = SortingTeam<CarryItem, BY>;
template <OnChipBy BY>
using CarryShape = OnChipShape<CarryItem, BY>;
template <OnChipBy BY>
constexpr uint32_t CARRY_POSITION_SHIFT = 31 - floor_log2(CarryShape<BY>::MAX_ITEMS - 1);

__device__ __forceinline__ uint32_t key_of(CarryItem item) {
  return static_cast<uint32_t>(item >> 32);
}

/* A cell of more items is one of many: a warp takes half a microsecond for it, which keys that crowd evenly have no need of. Where many
   neighbours in the stage have the same key, one in so many at least, it is more likely to gain. H200, 2^26 keys: sorted runs, 60 to a cell
   and different, took 2.75 ms with 64, and 2.26 with 128; 1,000,000 pairs of neighbours, 67 to a cell and of two values, 3.86 with 64
   and 4.85 with 96 (docs/lab/2026-11-25-carried-splitters.md). Of its sample some lanes' keys may be the commonest; and beyond what the
   sample of a piece has there is more, such a share of it at most. */
constexpr uint32_t CARRY_CROWD = 6 * WINDOW_ITEMS;
constexpr uint32_t CARRY_EQUAL_CROWD = 4 * WINDOW_ITEMS;
constexpr uint32_t CARRY_EQUAL_SHARE = 8;
constexpr uint32_t CARRY_CANDIDATES = 8;
constexpr uint32_t CARRY_MISSED_SHARE = 16;

/* A piece of a cell: so many of its ranks, which rise evenly with its items as far as the sample knows them. */
struct CarryPiece {
  CellMap<CarryItem> rise;
  uint32_t first;
  uint32_t ranks;

  __device__ __forceinline__ uint32_t rank(CarryItem item) const {
    const CarryItem distance = item > rise.base ? (item - rise.base) >> rise.drop : 0;
    const uint32_t bounded = static_cast<uint32_t>(min(distance, CarryItem{UINT32_MAX})); // the sample may not have had it
    return first + min(__umulhi(bounded, rise.factor), ranks - 1);
  }
};

/* The pieces of a cell, in the place of its first items. */
struct CarryPieces {
  const CrowdedCell<CarryItem> &cell;

  static constexpr uint32_t PIECES = 3;
  static constexpr uint32_t WORDS = 3; /* items that each takes */
  static_assert(PIECES * WORDS <= CARRY_EQUAL_CROWD, "a cell of many has room for them");

  /* Of items between two. What was not in the sample has no ranks of its own, but shares one beside them. */
  __device__ __forceinline__ void put(uint32_t number, CarryItem least, CarryItem greatest, uint32_t first,
                                      uint32_t ranks) const {
    const CellMap<CarryItem> rise = ranks > 1 ? cells_between(least, greatest, ranks) : CellMap<CarryItem>{least, 0, 0};
    const uint32_t last = cell.begin + cell.items - 1;
    cell.key(number * WORDS) = rise.base;
    cell.key(number * WORDS + 1) = static_cast<CarryItem>(rise.factor) << 32 | rise.drop;
    cell.key(number * WORDS + 2) = static_cast<CarryItem>(max(ranks, 1u)) << 32 | min(first, last);
  }
  __device__ __forceinline__ CarryPiece piece(uint32_t number) const {
    const CarryItem map = cell.key(number * WORDS + 1);
    const CarryItem ranks = cell.key(number * WORDS + 2);
    return {{cell.key(number * WORDS), static_cast<uint32_t>(map), static_cast<uint32_t>(map >> 32)},
            static_cast<uint32_t>(ranks),
            static_cast<uint32_t>(ranks >> 32)};
  }
};

/* Where a cell of equal width begins, or about there. */
__device__ __forceinline__ CarryItem cell_edge(const CellMap<CarryItem> &cell_of, uint32_t cell) {
  const float width = 4294967296.0f / static_cast<float>(cell_of.factor);
  return cell_of.base + (static_cast<CarryItem>(static_cast<float>(cell) * width) << cell_of.drop);
}

/* Widens what lies between two of a sample, which has missed some at either end, but not beyond two bounds. */
template <typename Bits>
__device__ __forceinline__ void widen(Bits &least, Bits &greatest, Bits lower, Bits upper) {
  const Bits more = (greatest - least) / CARRY_MISSED_SHARE;
  least = least - min(more, least - min(least, lower));
  greatest = greatest + min(more, max(greatest, upper) - greatest);
}

/* The commonest key of a few of the lanes. All lanes take part. */
__device__ __forceinline__ uint32_t commonest_key(uint32_t key) {
  uint32_t commonest = key;
  uint32_t most = 0;
#pragma unroll
  for (uint32_t lane = 0; lane < WARP_LANES; lane += WARP_LANES / CARRY_CANDIDATES) {
    const uint32_t candidate = __shfl_sync(ALL_LANES, key, static_cast<int>(lane));
    const uint32_t same = static_cast<uint32_t>(__popc(__ballot_sync(ALL_LANES, key == candidate)));
    if (same > most) {
      most = same;
      commonest = candidate;
    }
  }
  return commonest;
}

/* How many items a cell has to have more of. count: of the bucket, whose neighbours have been looked at. */
template <OnChipBy BY>
__device__ __forceinline__ uint32_t crowd_of_cell(uint32_t count, const OnChipTeam<CarryItem, BY> &storage) {
  return storage.looked_at > count / CARRY_EQUAL_SHARE ? CARRY_EQUAL_CROWD : CARRY_CROWD;
}

/* Draws a sample of a cell, and writes its pieces in the place of its items. All lanes of a warp take part. last: the greatest position, as
   it is in an item. */
template <OnChipBy BY>
__device__ __forceinline__ void divide_cell(OnChipTeam<CarryItem, BY> &storage, uint32_t number, uint32_t last) {
  const CrowdedCell<CarryItem> cell = crowded_cell(storage, number);
  const uint32_t lane = threadIdx.x % WARP_LANES;
  const CarryItem item = cell.key(lane * cell.items / WARP_LANES);
  const uint32_t key = key_of(item);
  const uint32_t commonest = commonest_key(key);
  // What the sample has of each piece: keys, and positions with the commonest.
  const uint32_t own = key < commonest ? 0 : key == commonest ? 1 : 2;
  const uint32_t what = own == 1 ? static_cast<uint32_t>(item) : key;
  uint32_t least[CarryPieces::PIECES];
  uint32_t greatest[CarryPieces::PIECES];
  uint32_t ends[CarryPieces::PIECES];
#pragma unroll
  for (uint32_t piece = 0; piece < CarryPieces::PIECES; piece++) {
    least[piece] = own == piece ? what : UINT32_MAX;
    greatest[piece] = own == piece ? what : 0;
    const uint32_t lanes = static_cast<uint32_t>(__popc(__ballot_sync(ALL_LANES, own <= piece)));
    ends[piece] = cell.begin + lanes * cell.items / WARP_LANES;
  }
#pragma unroll
  for (uint32_t distance = WARP_LANES / 2; distance >= 1; distance /= 2)
#pragma unroll
    for (uint32_t piece = 0; piece < CarryPieces::PIECES; piece++) {
      least[piece] = min(least[piece], __shfl_xor_sync(ALL_LANES, least[piece], static_cast<int>(distance)));
      greatest[piece] = max(greatest[piece], __shfl_xor_sync(ALL_LANES, greatest[piece], static_cast<int>(distance)));
    }
  __syncwarp();
  if (lane >= CarryPieces::PIECES)
    return;
  const uint32_t first = lane == 0 ? cell.begin : lane == 1 ? ends[0] : ends[1];
  const uint32_t ranks = (lane == 0 ? ends[0] : lane == 1 ? ends[1] : ends[2]) - first;
  CarryItem lower = lane == 0 ? least[0] : lane == 1 ? commonest : least[2];
  CarryItem upper = lane == 0 ? greatest[0] : lane == 1 ? commonest : greatest[2];
  lower = lower << 32 | (lane == 1 ? least[1] : 0);
  upper = upper << 32 | (lane == 1 ? greatest[1] : last);
  if (ranks != 0) {
    const CarryItem first_of_commonest = CarryItem{commonest} << 32;
    const CarryItem begin = max(cell_edge(storage.cell_of, number), lane == 1 ? first_of_commonest : 0);
    const CarryItem end =
        min(cell_edge(storage.cell_of, number + 1), lane == 1 ? first_of_commonest | last : GREATEST<CarryItem>);
    widen(lower, upper, begin, end);
  }
  CarryPieces{cell}.put(lane, lower, upper, first, ranks);
}

/* Draws samples of all cells of many. All threads of the team take part; no barrier. */
template <OnChipBy BY>
__device__ __forceinline__ void divide_cells(uint32_t count, uint32_t last, const CarryTeam<BY> &team,
                                             OnChipTeam<CarryItem, BY> &storage) {
  const uint32_t crowd = crowd_of_cell<BY>(count, storage);
  for (uint32_t first = team.warp() * WARP_LANES; first < CarryShape<BY>::CELLS; first += CarryShape<BY>::THREADS) {
    const uint32_t items = items_of_cell<CellsBy::width>(storage.cells, first + team.lane());
    uint32_t crowded = __ballot_sync(ALL_LANES, items > crowd);
    for (; crowded != 0; crowded &= crowded - 1) {
      divide_cell<BY>(storage, first + static_cast<uint32_t>(__ffs(static_cast<int>(crowded)) - 1), last);
      __syncwarp(); // some lanes write what others do not
    }
  }
}

/* The cell of an item by its guessed rank, while the counters' lower halves are where cells of equal width end. */
template <OnChipBy BY>
__device__ __forceinline__ uint32_t cell_of_guessed_rank(CarryItem item, uint32_t crowd, OnChipTeam<CarryItem, BY> &storage) {
  const uint32_t cell = storage.cell_of(item);
  const uint32_t begin = cell == 0 ? 0 : storage.cells[cell - 1] & LOWER_HALF;
  const uint32_t items = (storage.cells[cell] & LOWER_HALF) - begin;
  uint32_t rank = begin + __umulhi(storage.cell_of.fraction(item), items);
  if (items > crowd) {
    const CrowdedCell<CarryItem> crowded = {storage.stage, begin, items};
    const CarryPieces pieces = {crowded};
    const uint32_t key = key_of(item);
    const uint32_t commonest = key_of(crowded.key(CarryPieces::WORDS));
    rank = pieces.piece(key < commonest ? 0 : key == commonest ? 1 : 2).rank(item);
  }
  return rank >> RankedCells<CarryItem, BY>::SHIFT;
}

/* Counts the staged items that have the key of the one before, but for those of each row's first lane. `looked_at` was zeroed. All
   threads of the team take part; no barrier. */
template <OnChipBy BY>
__device__ __forceinline__ void count_equal_neighbours(const CarryItem (&items)[CarryShape<BY>::ITEMS], uint32_t count,
                                                       OnChipTeam<CarryItem, BY> &storage) {
  const CarryTeam<BY> team;
  uint32_t equal = 0;
#pragma unroll
  for (uint32_t item = 0; item < CarryShape<BY>::ITEMS; item++) {
    const uint32_t key = key_of(items[item]);
    const bool is_equal = __shfl_up_sync(ALL_LANES, key, 1) == key && team.lane() != 0;
    equal += is_equal && item * CarryShape<BY>::THREADS + team.thread < count ? 1 : 0;
  }
  equal = warp_sum(equal);
  if (team.lane() == 0 && equal != 0)
    atomicAdd(&storage.looked_at, equal);
}

/* Puts a stage's crowded items into cells by their guessed ranks. Returns whether they are crowded even then: they had better be
   merged. All threads of the team take part; begins and ends with a barrier. last: the greatest position, as it is in an item. */
template <OnChipBy BY>
__device__ __noinline__ bool restage_items(uint32_t count, uint32_t last, OnChipTeam<CarryItem, BY> *rooms) {
  using Shape = CarryShape<BY>;
  static_assert(Shape::CELLS <= 1u << HALF_BITS && Shape::ITEMS % 2 == 0, "cells are held in pairs");
  const CarryTeam<BY> team;
  auto &storage = room_of(rooms);
  CarryItem items[Shape::ITEMS];
  uint32_t cells[Shape::ITEMS / 2] = {};
#pragma unroll
  for (uint32_t item = 0; item < Shape::ITEMS; item++)
    if (item * Shape::THREADS + team.thread < count)
      items[item] = key_behind<Shape::THREADS>(storage.stage, team.thread, item);
  count_equal_neighbours<BY>(items, count, storage);
  team.sync();
  divide_cells<BY>(count, last, team, storage);
  const uint32_t crowd = crowd_of_cell<BY>(count, storage);
  if (team.thread == 0)
    storage.crowded_items = 0;
  team.sync();
#pragma unroll
  for (uint32_t item = 0; item < Shape::ITEMS; item++)
    if (item * Shape::THREADS + team.thread < count) {
      const uint32_t cell = cell_of_guessed_rank<BY>(items[item], crowd, storage);
      atomicAdd(&storage.cells[cell], 1u << HALF_BITS);
      cells[item / 2] |= cell << (item % 2 * HALF_BITS);
    }
  team.sync();
  scan_cells<CellsBy::rank, CarryItem, BY>(storage.cells, MANY_BY_RANK, team, storage);
  team.sync();
#pragma unroll
  for (uint32_t item = 0; item < Shape::ITEMS; item++)
    if (item * Shape::THREADS + team.thread < count) {
      const uint32_t cell = cells[item / 2] >> (item % 2 * HALF_BITS) & LOWER_HALF;
      const uint32_t place = atomicAdd(&storage.cells[cell], 1u << HALF_BITS) >> HALF_BITS;
      storage.stage[on_chip_place<CarryItem>(place)] = items[item];
    }
  team.sync();
  for (uint32_t cell = team.thread; cell < Shape::CELLS; cell += Shape::THREADS)
    storage.cells[cell] >>= HALF_BITS;
  team.sync();
  return storage.crowded_items > count / 2;
}

} // namespace cdp::CDP_RUNTIME

#endif
