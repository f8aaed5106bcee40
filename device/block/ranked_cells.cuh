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
 *  4. Where many keys of 4 bytes that differ share cells by the new map, too, that is done once more before any key is moved: the counts
 *     of its cells say where in each of them the keys are. Of keys of 8 bytes 32 bits of a distance are known, which tell no more.
 *  5. If they differ even then, what puts keys in order within cells would be wasted on them: they had better be merged.
 */
#ifndef CDPSORT_DEVICE_BLOCK_RANKED_CELLS_CUH
#define CDPSORT_DEVICE_BLOCK_RANKED_CELLS_CUH

#include "block/on_chip_keys.cuh"

namespace cdp::CDP_RUNTIME {

/* Which cells the counters are of: of equal width, a word each; of guessed ranks, which are counted in the upper halves of these
   words; or of ranks that were guessed again, two to a word, elsewhere (RankedAgain). */
enum class CellsBy : uint32_t { width, rank, rank_again };
constexpr uint32_t HALF_BITS = 16;
constexpr uint32_t LOWER_HALF = (1u << HALF_BITS) - 1;
template <CellsBy CELLS_BY>
constexpr uint32_t DIFFERENT_EIGHTHS = CELLS_BY == CellsBy::width ? DIFFERENT_BY_WIDTH : DIFFERENT_BY_RANK;
template <CellsBy CELLS_BY>
constexpr uint32_t MANY = CELLS_BY == CellsBy::width ? MANY_BY_WIDTH : MANY_BY_RANK;

/* The counters of a word, of which the first one counts a cell of even number where there are two. */
template <CellsBy CELLS_BY>
constexpr uint32_t COUNTERS = CELLS_BY == CellsBy::rank_again ? 2 : 1;
template <CellsBy CELLS_BY>
__device__ __forceinline__ uint32_t counter_of(uint32_t word, uint32_t which) {
  if constexpr (CELLS_BY == CellsBy::width)
    return word;
  else
    return CELLS_BY == CellsBy::rank || which != 0 ? word >> HALF_BITS : word & LOWER_HALF;
}

/* A cell's counter. */
template <CellsBy CELLS_BY>
__device__ __forceinline__ uint32_t counter_of_cell(const uint32_t *words, uint32_t cell) {
  return counter_of<CELLS_BY>(words[cell / COUNTERS<CELLS_BY>], cell % COUNTERS<CELLS_BY>);
}

/* The keys of a cell, where counters are where cells end. */
template <CellsBy CELLS_BY>
__device__ __forceinline__ uint32_t items_of_cell(const uint32_t *words, uint32_t cell) {
  return counter_of_cell<CELLS_BY>(words, cell) - (cell == 0 ? 0 : counter_of_cell<CELLS_BY>(words, cell - 1));
}

/*
 * Turns the cells' counts into where each begins, adds up in crowded_items the keys of cells of many, and notes for a block the
 * fullest one of those. All threads of the team take part; one barrier.
 *
 * Each thread has a few cells beside each other, and takes their keys for crowded where one of them shares its cell with many on
 * average: what that takes is an instruction for each cell, and an atomic where keys are crowded.
 */
template <CellsBy CELLS_BY, typename Bits, OnChipBy BY>
__device__ __forceinline__ void scan_cells(uint32_t *cells, uint32_t many, const SortingTeam<Bits, BY> &team,
                                           OnChipTeam<Bits, BY> &storage) {
  using Shape = OnChipShape<Bits, BY>;
  constexpr uint32_t EACH = Shape::CELL_ROWS * Shape::ROW_CELLS / COUNTERS<CELLS_BY>; // words
  constexpr uint32_t ROW_WORDS = EACH < Shape::ROW_CELLS ? EACH : Shape::ROW_CELLS;
  constexpr uint32_t ROWS = EACH / ROW_WORDS;
  struct alignas(4 * ROW_WORDS) Words {
    uint32_t words[ROW_WORDS];
  };
  Words *row = reinterpret_cast<Words *>(cells) + team.warp() * (ROWS * WARP_LANES) + team.lane();
  Words own_cells[ROWS];
  uint32_t begins[ROWS];
  uint32_t total = 0;
  uint32_t own = 0;
  uint32_t squares = 0;
#pragma unroll
  for (uint32_t index = 0; index < ROWS; index++) {
    own_cells[index] = row[index * WARP_LANES];
    uint32_t sum = 0;
#pragma unroll
    for (uint32_t word = 0; word < ROW_WORDS; word++)
#pragma unroll
      for (uint32_t which = 0; which < COUNTERS<CELLS_BY>; which++) {
        const uint32_t count = counter_of<CELLS_BY>(own_cells[index].words[word], which);
        sum += count;
        squares += count * count;
      }
    own += sum;
    const uint32_t scanned = warp_inclusive_sum(sum);
    begins[index] = total + scanned - sum;
    total += __shfl_sync(ALL_LANES, scanned, WARP_LANES - 1);
  }
  if (squares > many * own) {
    atomicAdd(&storage.crowded_items, own);
    if constexpr (CELLS_BY == CellsBy::width && BY == OnChipBy::block) {
      uint32_t fullest = 0;
#pragma unroll
      for (uint32_t index = 0; index < ROWS; index++)
#pragma unroll
        for (uint32_t word = 0; word < ROW_WORDS; word++) {
          const uint32_t cell = ((team.warp() * ROWS + index) * WARP_LANES + team.lane()) * ROW_WORDS + word;
          fullest = max(fullest, own_cells[index].words[word] << HALF_BITS | cell);
        }
      atomicMax(&storage.fullest_cell, fullest);
    }
  }
  const uint32_t lower = team.lower_warps_sum(total, storage.warp_totals);
#pragma unroll
  for (uint32_t index = 0; index < ROWS; index++) {
    uint32_t begin = lower + begins[index];
#pragma unroll
    for (uint32_t word = 0; word < ROW_WORDS; word++) {
      const uint32_t counts = own_cells[index].words[word];
      const uint32_t next = begin + counter_of<CELLS_BY>(counts, 0);
      if constexpr (CELLS_BY == CellsBy::width)
        own_cells[index].words[word] = begin;
      else if constexpr (CELLS_BY == CellsBy::rank)
        own_cells[index].words[word] = begin << HALF_BITS | (counts & LOWER_HALF);
      else
        own_cells[index].words[word] = next << HALF_BITS | begin;
      begin = COUNTERS<CELLS_BY> == 2 ? next + counter_of<CELLS_BY>(counts, 1) : next;
    }
    row[index * WARP_LANES] = own_cells[index];
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

  /* A guessed rank, and what is behind it in 2^32 of a rank. */
  __device__ __forceinline__ uint32_t rank(Bits key, uint32_t &fraction) const {
    const uint32_t cell = cell_of(key);
    const uint32_t begin = cell == 0 ? 0 : cells[cell - 1] & LOWER_HALF;
    const uint32_t items = (cells[cell] & LOWER_HALF) - begin;
    const uint32_t within = cell_of.fraction(key);
    fraction = within * items;
    return begin + __umulhi(within, items);
  }
  __device__ __forceinline__ uint32_t operator()(Bits key) const {
    uint32_t fraction;
    return rank(key, fraction) >> SHIFT;
  }
};

/* The same by a rank that is guessed again, from where the key lies in its cell of guessed ranks, while the counters' upper halves
   are where those begin. Its own counters are behind `count` staged keys, of 4 bytes, if there is room. */
template <typename Bits, OnChipBy BY>
struct RankedAgain {
  using Shape = OnChipShape<Bits, BY>;
  using Once = RankedCells<Bits, BY>;
  static constexpr uint32_t WORDS = Shape::CELLS / COUNTERS<CellsBy::rank_again>;

  Once once;
  uint32_t count;

  __device__ __forceinline__ uint32_t operator()(Bits key) const {
    uint32_t behind;
    const uint32_t rank = once.rank(key, behind);
    const uint32_t cell = rank >> Once::SHIFT;
    const uint32_t begin = once.cells[cell] >> HALF_BITS;
    const uint32_t end = cell + 1 < Shape::CELLS ? once.cells[cell + 1] >> HALF_BITS : count;
    const uint32_t within = Once::SHIFT == 0 ? behind : rank << (32 - Once::SHIFT) | behind >> Once::SHIFT;
    return (begin + __umulhi(within, end - begin)) >> Once::SHIFT;
  }

  /* Where its counters are, in keys from the beginning of the stage. */
  static __device__ __forceinline__ uint32_t counters_begin(uint32_t count) {
    return (count + 2 * WINDOW_ITEMS + ON_CHIP_PERIOD - 1) / ON_CHIP_PERIOD * ON_CHIP_PERIOD;
  }
  static __device__ __forceinline__ bool has_room(uint32_t count) {
    return sizeof(Bits) == 4 &&
           counters_begin(count) * sizeof(Bits) + WORDS * sizeof(uint32_t) <= sizeof(OnChipTeam<Bits, BY>::stage);
  }
  static __device__ __forceinline__ uint32_t *counters(uint32_t count, OnChipTeam<Bits, BY> &storage) {
    return reinterpret_cast<uint32_t *>(storage.stage + counters_begin(count));
  }
};

/*
 * Whether keys are crowded: many are in cells of many, and keys that share such a cell differ, as a rule; which a key of each
 * thread is looked at for, from all over the stage, and the one behind it. items_of(cell): its keys. All threads of the team take
 * part, and find the same; begins with a barrier, before which storage.looked_at was zeroed, and ends with one.
 */
template <CellsBy CELLS_BY, typename Bits, OnChipBy BY, typename CellOf, typename ItemsOf>
__device__ __forceinline__ bool are_keys_crowded(uint32_t count, uint32_t many, CellOf cell_of, ItemsOf items_of,
                                                 const SortingTeam<Bits, BY> &team, OnChipTeam<Bits, BY> &storage) {
  if (storage.crowded_items <= count / MIN_CROWDED_SHARE)
    return false;
  const uint32_t item = team.thread * (count / OnChipShape<Bits, BY>::THREADS);
  const Bits key = storage.stage[on_chip_place<Bits>(item)];
  const Bits next = storage.stage[on_chip_place<Bits>(item + 1)];
  const uint32_t cell = cell_of(key);
  const bool has_next = item + 1 < count;
  const bool is_shared = has_next && cell_of(next) == cell && items_of(cell) > many;
  const uint32_t sharing = __ballot_sync(ALL_LANES, is_shared);
  const uint32_t differing = __ballot_sync(ALL_LANES, is_shared && key != next);
  if (team.lane() == 0 && sharing != 0)
    atomicAdd(&storage.looked_at,
              static_cast<uint32_t>(__popc(differing)) << HALF_BITS | static_cast<uint32_t>(__popc(sharing)));
  team.sync();
  const uint32_t looked_at = storage.looked_at;
  return (looked_at >> HALF_BITS) * 8 > (looked_at & LOWER_HALF) * DIFFERENT_EIGHTHS<CELLS_BY>;
}

/* A thread's staged keys, which it holds while they are staged anew. */
template <typename Bits, OnChipBy BY>
struct HeldKeys {
  using Shape = OnChipShape<Bits, BY>;

  Bits keys[Shape::ITEMS];

  /* Reads them, and calls use(key) for each. */
  template <typename Use>
  __device__ __forceinline__ void read(uint32_t count, const OnChipTeam<Bits, BY> &storage, Use use) {
    const SortingTeam<Bits, BY> team;
#pragma unroll
    for (uint32_t item = 0; item < Shape::ITEMS; item++)
      if (item * Shape::THREADS + team.thread < count) {
        keys[item] = key_behind<Shape::THREADS>(storage.stage, team.thread, item);
        use(keys[item]);
      }
  }
  /* Stages each at take_place(key). */
  template <typename TakePlace>
  __device__ __forceinline__ void stage(uint32_t count, OnChipTeam<Bits, BY> &storage, TakePlace take_place) const {
    const SortingTeam<Bits, BY> team;
#pragma unroll
    for (uint32_t item = 0; item < Shape::ITEMS; item++)
      if (item * Shape::THREADS + team.thread < count)
        storage.stage[on_chip_place<Bits>(take_place(keys[item]))] = keys[item];
  }
};

/*
 * Puts keys that are crowded by their guessed ranks, too, into cells by ranks guessed again. They are staged by cells of equal width,
 * and counted by guessed ranks. Returns whether they are crowded even then: they had better be merged, which takes the less, the less
 * they are in disorder. All threads of the team take part; begins and ends with a barrier.
 */
template <typename Bits, OnChipBy BY>
__device__ __noinline__ bool restage_by_ranks_again(uint32_t count, OnChipTeam<Bits, BY> *rooms) {
  using Again = RankedAgain<Bits, BY>;
  constexpr CellsBy CELLS_BY = CellsBy::rank_again;
  const SortingTeam<Bits, BY> team;
  auto &storage = room_of(rooms);
  const Again cell_of = {{storage.cell_of, storage.cells}, count};
  uint32_t *counters = Again::counters(count, storage);
  for (uint32_t word = team.thread; word < Again::WORDS; word += team.THREADS)
    counters[word] = 0;
  team.sync();
  if (team.thread == 0)
    storage.crowded_items = storage.looked_at = 0;
  const auto count_one = [counters, cell_of](Bits key) {
    const uint32_t cell = cell_of(key);
    const uint32_t shift = cell % 2 * HALF_BITS;
    return atomicAdd(&counters[cell / 2], 1u << shift) >> shift & LOWER_HALF;
  };
  HeldKeys<Bits, BY> held;
  held.read(count, storage, count_one);
  team.sync();
  scan_cells<CELLS_BY, Bits, BY>(counters, MANY<CELLS_BY>, team, storage);
  team.sync();
  held.stage(count, storage, count_one);
  team.sync();
  const auto items_of = [counters](uint32_t cell) { return items_of_cell<CELLS_BY>(counters, cell); };
  const bool is_crowded = are_keys_crowded<CELLS_BY, Bits, BY>(count, MANY<CELLS_BY>, cell_of, items_of, team, storage);
  team.sync();
  for (uint32_t word = team.thread; word < Again::WORDS; word += team.THREADS) {
    storage.cells[2 * word] = counter_of<CELLS_BY>(counters[word], 0);
    storage.cells[2 * word + 1] = counter_of<CELLS_BY>(counters[word], 1);
  }
  team.sync();
  return is_crowded;
}

/* Puts a stage's crowded keys into cells by their guessed ranks. Returns whether they are crowded even then: they had better be
   merged. All threads of the team take part; begins and ends with a barrier. */
template <typename Bits, OnChipBy BY>
__device__ __noinline__ bool restage_by_ranks(uint32_t count, OnChipTeam<Bits, BY> *rooms) {
  using Shape = OnChipShape<Bits, BY>;
  const SortingTeam<Bits, BY> team;
  auto &storage = room_of(rooms);
  const RankedCells<Bits, BY> cell_of = {storage.cell_of, storage.cells};
  const bool has_room = RankedAgain<Bits, BY>::has_room(count);
  const auto count_one = [&storage, cell_of](Bits key) {
    return atomicAdd(&storage.cells[cell_of(key)], 1u << HALF_BITS) >> HALF_BITS;
  };
  HeldKeys<Bits, BY> held;
  held.read(count, storage, count_one);
  if (team.thread == 0)
    storage.crowded_items = 0;
  team.sync();
  if (team.thread == 0)
    storage.looked_at = 0;
  scan_cells<CellsBy::rank, Bits, BY>(storage.cells, has_room ? MANY_TO_RANK_AGAIN : MANY_BY_RANK, team, storage);
  team.sync();
  const auto items_of = [&storage, count](uint32_t cell) { // which are not there yet
    const uint32_t end = cell + 1 < Shape::CELLS ? storage.cells[cell + 1] >> HALF_BITS : count;
    return end - (storage.cells[cell] >> HALF_BITS);
  };
  if (has_room && are_keys_crowded<CellsBy::rank, Bits, BY>(count, MANY_TO_RANK_AGAIN, cell_of, items_of, team, storage))
    return restage_by_ranks_again<Bits, BY>(count, rooms);
  held.stage(count, storage, count_one);
  team.sync();
  const auto items_there = [&storage](uint32_t cell) { return items_of_cell<CellsBy::rank>(storage.cells, cell); };
  const bool is_crowded =
      !has_room && are_keys_crowded<CellsBy::rank, Bits, BY>(count, MANY_BY_RANK, cell_of, items_there, team, storage);
  for (uint32_t cell = team.thread; cell < Shape::CELLS; cell += Shape::THREADS)
    storage.cells[cell] >>= HALF_BITS;
  team.sync();
  return is_crowded;
}

} // namespace cdp::CDP_RUNTIME

#endif
