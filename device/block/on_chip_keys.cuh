/* SPDX-License-Identifier: MIT */
/*
 * What a team, or a block, sorts on chip: its shape, its shared memory, and a thread's keys. Nothing here sorts.
 */
#ifndef CDPSORT_DEVICE_BLOCK_ON_CHIP_KEYS_CUH
#define CDPSORT_DEVICE_BLOCK_ON_CHIP_KEYS_CUH

#include "block/block_merge.cuh"
#include "block/crowded_cells.cuh"
#include "block/partition.cuh"
#include "block/team.cuh"

#include <cstddef>

namespace cdp::CDP_RUNTIME {

/* Who sorts: one of the block's teams; or the whole block, at most a tile of keys, or as many as it can hold. */
enum class OnChipBy : uint32_t { team, tile_block, block };

template <typename Bits, DeviceKind KIND, OnChipBy BY>
struct OnChipShapeOf {
  static constexpr OnChipRow ROW = on_chip_row(KIND, sizeof(Bits));
  static constexpr MultiwayRow BLOCK_ROW = multiway_row(KIND, sizeof(Bits));
  static constexpr uint32_t TEAMS = BY == OnChipBy::team ? ROW.teams : 1;
  static constexpr uint32_t THREADS = BLOCK_ROW.block_threads / TEAMS;
  static constexpr uint32_t WARPS = THREADS / WARP_LANES;
  static constexpr uint32_t ITEMS = BY == OnChipBy::team         ? ROW.items_per_thread
                                    : BY == OnChipBy::tile_block ? BLOCK_ROW.tile_items_per_thread
                                                                 : ROW.block_items_per_thread;
  static constexpr uint32_t MAX_ITEMS = THREADS * ITEMS;
  static constexpr uint32_t CELLS = BY == OnChipBy::team         ? ROW.cells
                                    : BY == OnChipBy::tile_block ? ROW.tile_cells
                                                                 : ROW.block_cells;
  /* Windows and seams reach beyond the last key. Where a block sorts a tile of keys of 4 bytes, there is room for counters behind a
     full one (RankedAgain), since it has its multiprocessor's memory to itself. Teams, and blocks that sort more, have that room if
     they are not quite full. */
  static constexpr bool HAS_ROOM = BY == OnChipBy::tile_block && sizeof(Bits) == 4;
  static constexpr uint32_t STAGE_ITEMS = MAX_ITEMS + 2 * WINDOW_ITEMS + (HAS_ROOM ? CELLS / 2 + ON_CHIP_PERIOD : 0);
  static constexpr uint32_t VECTOR_ITEMS = 16 / sizeof(Bits);
  static constexpr uint32_t VECTORS = ITEMS / VECTOR_ITEMS;
  /* Counters that a lane scans at a time, and how often. */
  static constexpr uint32_t ROW_CELLS = 4;
  static constexpr uint32_t CELL_ROWS = CELLS / WARPS / (WARP_LANES * ROW_CELLS);
  static_assert(CELL_ROWS * WARPS * WARP_LANES * ROW_CELLS == CELLS && CELL_ROWS >= 1, "every warp scans as many cells");
  static_assert(VECTORS * VECTOR_ITEMS == ITEMS, "a thread loads whole vectors");
};

/*
 * Cells that are left out, of as many as there are counters for. Values that lie evenly, as few distinct ones often do, have
 * cells that lie evenly. If all cells were used, nine values would have their counters 1,024 apart, all but the first in the
 * same bank of shared memory. With 20 fewer, hardly any number of values from 6 to 1,300, in hardly any steps, has its
 * counters in fewer than five banks, where there are 4,096, 8,192 or 16,384 counters; with 16 fewer, eight values have them in
 * three (docs/lab/2026-11-28-equal-keys.md).
 */
constexpr uint32_t SPARE_CELLS = 20;

/*
 * Cells of equal width between the least and the greatest key, of which a key's is asked. Not a power of two of key values
 * wide, for the same reason: 2^15 keys of 256 values took a block 49 us then, as many random ones 22 (H200).
 */
template <typename Bits>
struct CellMap {
  Bits base;       /* what a distance is from */
  uint32_t drop;   /* lower bits of a distance that are left out: it has 32 */
  uint32_t factor; /* cells for each 2^32 of the distance */

  __device__ __forceinline__ uint32_t distance(Bits key) const {
    return sizeof(Bits) == 4 ? static_cast<uint32_t>(key - base) : static_cast<uint32_t>((key - base) >> drop);
  }
  __device__ __forceinline__ uint32_t operator()(Bits key) const {
    return __umulhi(distance(key), factor);
  }
  /* Where a key lies within its cell, in 2^32 of its width. Where cells are of one value each, it says nothing. */
  __device__ __forceinline__ uint32_t fraction(Bits key) const {
    return distance(key) * factor;
  }
};

/* Of so many cells. least < greatest. */
template <typename Bits>
__device__ __forceinline__ CellMap<Bits> cells_between(Bits least, Bits greatest, uint32_t cells) {
  const Bits width = greatest - least;
  if (width < cells) // a cell for each value: distances count from 1, since the factor is a little less than one
    return {least - 1, 0, UINT32_MAX};
  const uint32_t bits = bits_of<Bits>(width);
  const uint32_t drop = bits > 32 ? bits - 32 : 0;
  // Rounded down by more than any of these operations may err, so that the greatest key's cell is there.
  constexpr float LESS = 0.999999f;
  const float per_distance = static_cast<float>(cells) / (static_cast<float>(static_cast<uint32_t>(width >> drop)) + 1.0f);
  return {least, drop, static_cast<uint32_t>(per_distance * 4294967296.0f * LESS)};
}

/* A cell of very many keys, which may be filled with one value (on_chip_stage.cuh); and where lower keys end and upper ones begin. */
template <typename Bits>
struct FullCell {
  Bits value;
  uint32_t is_filled;
  uint32_t lower_end;
  uint32_t upper_begin;
};

/* The shared memory of who sorts. Merging takes stage and cells together. */
template <typename Bits, DeviceKind KIND, OnChipBy BY>
struct alignas(16) OnChipTeamOf {
  using Shape = OnChipShapeOf<Bits, KIND, BY>;
  Bits stage[Shape::STAGE_ITEMS];
  uint32_t cells[Shape::CELLS];
  union {
    uint32_t warp_totals[WARP_LANES];
    FullCell<Bits> full;
  };
  CellMap<Bits> cell_of;
  uint32_t taken; /* the next bucket (sort_buckets.cuh); cells that are listed */
  uint32_t disordered_cells;
  uint32_t crowded_items; /* in cells of many (ranked_cells.cuh) */
  uint32_t looked_at;     /* pairs of neighbours that share a cell; in the upper half, those that differ */
  uint32_t fullest_cell;  /* of those that are crowded, where a block sorts; in the upper half, its keys */

  /* Where keys will be staged, as long as none are. */
  __device__ __forceinline__ WarpExtremes<Bits> &extremes() {
    static_assert(sizeof(WarpExtremes<Bits>) <= sizeof stage, "there is room");
    return *reinterpret_cast<WarpExtremes<Bits> *>(stage);
  }
};

template <typename Bits, OnChipBy BY = OnChipBy::team>
using OnChipShape = OnChipShapeOf<Bits, DEVICE_KIND, BY>;
template <typename Bits, OnChipBy BY = OnChipBy::team>
using OnChipTeam = OnChipTeamOf<Bits, DEVICE_KIND, BY>;
template <typename Bits, OnChipBy BY = OnChipBy::team>
using SortingTeam = Team<Bits, OnChipShape<Bits, BY>::TEAMS>;

/*
 * The room of this thread's team, of those that a block's teams have one after the other.
 *
 * 1. A thread's keys fill its registers, and what is kept beside them is spilled, past a cache that shared memory leaves next
 *    to little of: some was read again at the beginning of every step. Without that, the sort of 2^27 keys' buckets took 524 us
 *    in place of 626 (H200; docs/lab/2026-11-24-look-and-write.md).
 * 2. Where the first room is, is a constant; which one is the team's follows from a thread's number.
 * Therefore every step works its room out anew (Team::anew()).
 */
template <typename Bits, OnChipBy BY>
__device__ __forceinline__ OnChipTeam<Bits, BY> &room_of(OnChipTeam<Bits, BY> *rooms) {
  if constexpr (SortingTeam<Bits, BY>::THREADS == MultiwayShape<Bits>::BLOCK_THREADS)
    return *rooms;
  else
    return rooms[SortingTeam<Bits, BY>::anew().number];
}

template <typename Storage>
constexpr bool has_merge_room() {
  return merge_room(Storage::Shape::MAX_ITEMS) * sizeof(Storage::stage[0]) <= offsetof(Storage, warp_totals);
}
template <typename Bits, DeviceKind KIND>
constexpr bool HAVE_ALL_MERGE_ROOM = has_merge_room<OnChipTeamOf<Bits, KIND, OnChipBy::team>>() &&
                                     has_merge_room<OnChipTeamOf<Bits, KIND, OnChipBy::tile_block>>() &&
                                     has_merge_room<OnChipTeamOf<Bits, KIND, OnChipBy::block>>();
constexpr bool have_all_merge_room() {
  for (const DeviceKind kind : DEVICE_KINDS)
    if (!for_kind(kind, [](auto constant) {
          constexpr DeviceKind KIND = decltype(constant)::value;
          return HAVE_ALL_MERGE_ROOM<uint32_t, KIND> && HAVE_ALL_MERGE_ROOM<uint64_t, KIND>;
        }))
      return false;
  return true;
}
static_assert(have_all_merge_room(), "there is room to merge a bucket");

/* A thread's keys of a bucket: whole vectors, and perhaps one key of those before the first vector or behind the last. */
template <typename Bits, OnChipBy BY>
struct OnChipKeys {
  using Shape = OnChipShape<Bits, BY>;
  static constexpr uint32_t VECTOR = Shape::VECTOR_ITEMS;

  KeyVector<Bits> vectors[Shape::VECTORS];
  Bits edge;
  uint32_t held; /* vectors */
  bool has_edge;

  /* Loads keys [0, count) of `source`. */
  __device__ __forceinline__ void load(const Bits *source, uint32_t count, uint32_t thread) {
    const uint32_t misplaced = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(source) / sizeof(Bits)) % VECTOR;
    const uint32_t ahead = misplaced == 0 ? 0 : min(VECTOR - misplaced, count);
    const uint32_t whole = (count - ahead) / VECTOR;
    const KeyVector<Bits> *first = reinterpret_cast<const KeyVector<Bits> *>(source + ahead);
    held = whole > thread ? (whole - thread + Shape::THREADS - 1) / Shape::THREADS : 0;
#pragma unroll
    for (uint32_t vector = 0; vector < Shape::VECTORS; vector++)
      vectors[vector] = vector < held ? first[vector * Shape::THREADS + thread] : KeyVector<Bits>{};
    const uint32_t index = thread < VECTOR ? thread : ahead + whole * VECTOR + thread - VECTOR;
    has_edge = thread < VECTOR ? index < ahead : thread < 2 * VECTOR && index < count;
    edge = has_edge ? source[index] : 0;
  }

  __device__ __forceinline__ void enter(const KeyMap<Bits> &map, bool is_raw) {
#pragma unroll
    for (uint32_t vector = 0; vector < Shape::VECTORS; vector++)
      map.enter_all(vectors[vector].keys, is_raw);
    edge = map.enter(edge, is_raw);
  }

  /* Calls `use` for each key. */
  template <typename Use>
  __device__ __forceinline__ void each(Use use) {
#pragma unroll
    for (uint32_t vector = 0; vector < Shape::VECTORS; vector++)
      if (vector < held)
#pragma unroll
        for (uint32_t key = 0; key < VECTOR; key++)
          use(vectors[vector].keys[key]);
    if (has_edge)
      use(edge);
  }

  /* Calls place_of(key) for each key, and then put(place, key): the places of a vector's keys are asked for before the first is
     waited for. */
  template <typename PlaceOf, typename Put>
  __device__ __forceinline__ void put_each(PlaceOf place_of, Put put) {
#pragma unroll
    for (uint32_t vector = 0; vector < Shape::VECTORS; vector++)
      if (vector < held) {
        uint32_t places[VECTOR];
#pragma unroll
        for (uint32_t key = 0; key < VECTOR; key++)
          places[key] = place_of(vectors[vector].keys[key]);
#pragma unroll
        for (uint32_t key = 0; key < VECTOR; key++)
          put(places[key], vectors[vector].keys[key]);
      }
    if (has_edge)
      put(place_of(edge), edge);
  }
};

} // namespace cdp::CDP_RUNTIME

#endif
