/* SPDX-License-Identifier: MIT */
/*
 * One tile of an array that is divided by a map: loaded into registers, counted by bucket, staged in shared memory bucket by
 * bucket, and written to where a team has reserved room.
 *
 *  1. Long tiles have long runs of a bucket's keys to write. A thread has 64 registers in a block that fills a multiprocessor:
 *     its keys take half of them, and what is spilled goes past the cache, since shared memory has nearly all of it.
 *  2. An atomic in shared memory whose result nobody wants is begun and forgotten; one whose result is a key's rank takes some
 *     30 cycles to return, and the rank a register until the key is staged.
 *  3. A key's bucket costs some six instructions and, by lines, one look at shared memory or two.
 *  Therefore a key's bucket is worked out three times, when it is counted, staged, and written, and nothing but the key is
 *  kept. Positions are 32-bit numbers, and what is the same for all threads stays in shared memory until it is needed.
 */
#ifndef CDPSORT_DEVICE_BLOCK_MAP_TILE_CUH
#define CDPSORT_DEVICE_BLOCK_MAP_TILE_CUH

#include "block/mapped_shape.cuh"

namespace cdp::CDP_RUNTIME {

/* Keys [begin, end) of an array, one at least, as tiles of a team, or as parts of such: the first begins where a line of the
   cache does, at or before the first key, so that warps read whole lines. */
template <typename Bits, uint32_t TEAMS, uint32_t PARTS = 1>
struct MapTiles {
  static constexpr uint32_t TILE_ITEMS = MAP_TILE_ITEMS<Bits> / TEAMS / PARTS;

  static constexpr uint32_t LINE_ITEMS = 128 / sizeof(Bits);

  const Bits *base; /* of the first tile; up to a line before `begin`, even before the array */
  uint32_t ahead;
  uint32_t last; /* key, not `end`: of 2^32 keys that would be 0 */

  __device__ __forceinline__ MapTiles(const Bits *source, uint32_t begin, uint32_t end) {
    const Bits *first = source + begin;
    ahead = items_ahead(first);
    base = first - ahead;
    last = end - 1 - begin + ahead;
  }
  /* Keys of a line before this one. */
  static __device__ __forceinline__ uint32_t items_ahead(const Bits *key) {
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(key) / sizeof(Bits) % LINE_ITEMS);
  }
  __device__ __forceinline__ uint32_t count() const {
    return last / TILE_ITEMS + 1;
  }
  /* Has tiles `tile`, `tile` + `step`, ... brought into the L2 cache, a line by each thread of the team. */
  __device__ __forceinline__ void prefetch_tiles(uint32_t tile, uint32_t step, uint32_t thread) const {
    constexpr uint32_t LINES = TILE_ITEMS / LINE_ITEMS;
    const uint32_t first = (tile + thread / LINES * step) * TILE_ITEMS + thread % LINES * LINE_ITEMS;
    if (first <= last)
      prefetch(base + first);
  }
};

/* Keys that a thread puts in their places at a time: places for more would be spilled. */
constexpr uint32_t PUT_AT_ONCE = 4;

/* A thread's keys of a tile, as they were read until they enter. */
template <typename Bits, uint32_t TEAMS, uint32_t PARTS = 1>
struct MapTileItems {
  using Tiles = MapTiles<Bits, TEAMS, PARTS>;
  static constexpr uint32_t ITEMS = OnChipShape<Bits>::ITEMS / PARTS;
  static constexpr uint32_t THREADS = Team<Bits, TEAMS>::THREADS;
  static constexpr uint32_t VECTOR = MultiwayShape<Bits>::VECTOR_ITEMS;

  static constexpr uint32_t ALL = static_cast<uint32_t>((uint64_t{1} << ITEMS) - 1);

  Bits keys[ITEMS];
  uint32_t present; /* a bit for each */

  __device__ __forceinline__ bool is_whole() const {
    return present == ALL;
  }

  /* Loads a thread's part of a tile: of what its warp reads, ITEMS rows one behind the other, so that the warp has the same keys of
     an array however many warps share a tile. */
  __device__ __forceinline__ void load(const Tiles &tiles, uint32_t tile, uint32_t thread) {
    const uint32_t first = tile * Tiles::TILE_ITEMS;
    const uint32_t lane = thread % WARP_LANES;
    const uint32_t mine = (thread - lane) * ITEMS + lane * VECTOR;
    const Bits *source = tiles.base + first + mine;
    if (first >= tiles.ahead && tiles.last - first >= Tiles::TILE_ITEMS - 1) {
      const KeyVector<Bits> *vectors = reinterpret_cast<const KeyVector<Bits> *>(source);
#pragma unroll
      for (uint32_t vector = 0; vector < ITEMS / VECTOR; vector++) {
        const KeyVector<Bits> loaded = vectors[vector * WARP_LANES];
#pragma unroll
        for (uint32_t key = 0; key < VECTOR; key++)
          keys[vector * VECTOR + key] = loaded.keys[key];
      }
      present = ALL;
      return;
    }
    present = 0;
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++) {
      const uint32_t place = item / VECTOR * WARP_LANES * VECTOR + item % VECTOR;
      const uint32_t index = first + mine + place;
      const bool is_present = index >= tiles.ahead && index <= tiles.last;
      keys[item] = is_present ? source[place] : GREATEST<Bits>;
      present |= is_present ? 1u << item : 0;
    }
  }

  /* Loads rows of what a warp reads at once, this thread's part of the first of which is at `mine`, and the next ones `step` keys on.
     All keys are there. */
  __device__ __forceinline__ void load_rows(const Bits *mine, uint32_t step) {
#pragma unroll
    for (uint32_t vector = 0; vector < ITEMS / VECTOR; vector++) {
      const KeyVector<Bits> loaded = *reinterpret_cast<const KeyVector<Bits> *>(mine);
      mine += step;
#pragma unroll
      for (uint32_t key = 0; key < VECTOR; key++)
        keys[vector * VECTOR + key] = loaded.keys[key];
    }
    present = ALL;
  }

  /* The same, where some may be missing: of `tiles`, from position `first` on. */
  __device__ __forceinline__ void load_some_rows(const Tiles &tiles, uint64_t first, uint32_t step) {
    present = 0;
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++) {
      const uint64_t index = first + item % VECTOR + uint64_t{step} * (item / VECTOR);
      const bool is_present = index >= tiles.ahead && index <= tiles.last;
      keys[item] = is_present ? tiles.base[index] : GREATEST<Bits>;
      present |= is_present ? 1u << item : 0;
    }
  }

  /* Calls `use` for each key. Of whole tiles, which nearly all are, without conditions. */
  template <typename Use>
  __device__ __forceinline__ void each(Use use) const {
    if (is_whole()) {
#pragma unroll
      for (uint32_t item = 0; item < ITEMS; item++)
        use(keys[item]);
      return;
    }
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++)
      if ((present >> item & 1) != 0)
        use(keys[item]);
  }

  /* Calls `use` for each key, and returns which of them it was true of. */
  template <typename Use>
  __device__ __forceinline__ uint32_t each_that(Use use) const {
    uint32_t are_true = 0;
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++)
      if ((present >> item & 1) != 0)
        are_true |= use(keys[item]) ? 1u << item : 0;
    return are_true;
  }

  /* Leaves out the keys of which `is_out` is true. */
  template <typename IsOut>
  __device__ __forceinline__ void leave_out(IsOut is_out) {
    uint32_t out = 0;
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++)
      out |= is_out(keys[item]) ? 1u << item : 0;
    present &= ~out;
  }

  /* Which of all marks are those of a thread's keys of a tile: of half a tile of a block, or of the lower half of these items; those
     of the upper half are WARP_LANES behind. */
  static __device__ __forceinline__ uint32_t mark_of(uint32_t tile, uint32_t thread) {
    constexpr uint32_t MARKED = OnChipShape<Bits>::ITEMS / 2;
    const uint32_t lane = thread % WARP_LANES;
    return tile * (Tiles::TILE_ITEMS / MARKED) + (thread - lane) * (ITEMS / MARKED) + lane;
  }
  /* Leaves out the keys that are not marked. */
  __device__ __forceinline__ void leave_unmarked(const KeptMarks<Bits> *marks, uint32_t tile, uint32_t thread) {
    static_assert(PARTS == 1, "two marks");
    const KeptMarks<Bits> *mine = marks + mark_of(tile, thread);
    present &= mine[0] | static_cast<uint32_t>(mine[WARP_LANES]) << (ITEMS / 2);
  }

  /* Calls place_of(key, whether there is one) for each key or what stands for it, and then put(place, key, whether there is
     one): some at a time, so that the places of all of them are asked for before the first is waited for. */
  template <uint32_t AT_ONCE, typename PlaceOf, typename Put>
  __device__ __forceinline__ void put_each(PlaceOf place_of, Put put) const {
#pragma unroll
    for (uint32_t first = 0; first < ITEMS; first += AT_ONCE) {
      uint32_t places[AT_ONCE];
#pragma unroll
      for (uint32_t item = 0; item < AT_ONCE; item++)
        places[item] = place_of(keys[first + item], (present >> (first + item) & 1) != 0);
#pragma unroll
      for (uint32_t item = 0; item < AT_ONCE; item++)
        put(places[item], keys[first + item], (present >> (first + item) & 1) != 0);
    }
  }
};

/* What a tile's keys are scattered to, and how many of each have been placed: behind `begins` or, where that is NULL, from the
   beginning of the array. */
struct MapTarget {
  unsigned int *cursors;
  const uint32_t *begins;
};

/*
 * What a tile has reserved: for a thread's buckets, what the cursors were.
 *
 * An atomic on a cursor takes a microsecond to return. Its result is wanted when the keys are staged: it waits in registers, and
 * what is to be added to it, where the bucket begins, lies in shared memory.
 */
template <typename Bits, uint32_t TEAMS, uint32_t BUCKETS>
struct MapReserved {
  static constexpr uint32_t EACH = (BUCKETS + Team<Bits, TEAMS>::THREADS - 1) / Team<Bits, TEAMS>::THREADS;
  uint32_t taken[EACH];
};

/* Turns a tile's counts into places, counts its keys, and reserves room for each bucket: the tile's bases lack what has been
   taken. Returns whether one bucket has many of the tile's keys. All threads of the team take part; begins with the counts
   visible, ends with a barrier. */
template <typename Bits, uint32_t TEAMS, uint32_t BUCKETS>
__device__ __forceinline__ bool reserve_tile(const MapTarget &target, MapScatterTeam<Bits, DEVICE_KIND, TEAMS, BUCKETS> &tile,
                                             MapReserved<Bits, TEAMS, BUCKETS> &reserved) {
  constexpr uint32_t EACH = MapReserved<Bits, TEAMS, BUCKETS>::EACH;
  const auto team = Team<Bits, TEAMS>::anew();
  uint32_t counts[EACH];
  uint32_t sum = 0;
  bool is_crowded = false;
#pragma unroll
  for (uint32_t index = 0; index < EACH; index++) {
    const uint32_t bucket = team.thread * EACH + index;
    counts[index] = bucket < BUCKETS ? tile.counts[bucket] : 0;
    sum += counts[index];
    is_crowded |= counts[index] >= MapTiles<Bits, TEAMS>::TILE_ITEMS / CROWDED_SHARE;
  }
  const uint32_t scanned = warp_inclusive_sum(sum);
  uint32_t begin = team.lower_warps_sum(__shfl_sync(ALL_LANES, scanned, WARP_LANES - 1), tile.warp_totals) + scanned - sum;
#pragma unroll
  for (uint32_t index = 0; index < EACH; index++) {
    const uint32_t bucket = team.thread * EACH + index;
    if (bucket < BUCKETS) {
      tile.places[bucket] = begin;
      tile.bases[bucket] = (target.begins != nullptr ? target.begins[bucket] : 0) - begin;
      tile.counts[bucket] = 0; // for the next tile
    }
    reserved.taken[index] = counts[index] != 0 ? atomicAdd(&target.cursors[bucket], counts[index]) : 0;
    begin += counts[index];
  }
  if (team.thread == Team<Bits, TEAMS>::THREADS - 1)
    tile.items = tile.others[0] = begin;
  return team.any(is_crowded);
}

/*
 * Takes a place of a bucket for each lane. All lanes of the warp take part.
 *
 * An atomic takes a cycle for each lane that wants the same address. Where many do, one lane adds for all of its bucket, for
 * the first few buckets.
 */
__device__ __forceinline__ uint32_t take_crowded_place(uint32_t bucket, uint32_t *places) {
  const uint32_t lane = threadIdx.x % WARP_LANES;
  uint32_t place = 0;
  uint32_t left = ALL_LANES;
  for (uint32_t round = 0; round < CROWDED_ROUNDS && left != 0; round++) {
    const int leader = __ffs(static_cast<int>(left)) - 1;
    const bool is_same = bucket == __shfl_sync(ALL_LANES, bucket, leader);
    const uint32_t same = __ballot_sync(ALL_LANES, is_same);
    uint32_t first = 0;
    if (lane == static_cast<uint32_t>(leader))
      first = atomicAdd(&places[bucket], static_cast<uint32_t>(__popc(same)));
    first = __shfl_sync(ALL_LANES, first, leader);
    if (is_same)
      place = first + static_cast<uint32_t>(__popc(same & ((1u << lane) - 1)));
    left &= ~same;
  }
  return (left >> lane & 1) != 0 ? atomicAdd(&places[bucket], 1u) : place;
}

/* Writes a tile's staged keys: of a whole tile, which most are, without conditions. bucket_of: which of the target's. All
   threads of the team take part. */
template <bool IS_WHOLE, uint32_t AT_ONCE, typename Bits, uint32_t TEAMS, uint32_t BUCKETS, typename BucketOf>
__device__ __forceinline__ void write_keys(BucketOf bucket_of, Bits *destination, const Team<Bits, TEAMS> &team,
                                           const MapScatterTeam<Bits, DEVICE_KIND, TEAMS, BUCKETS> &tile) {
  constexpr uint32_t ITEMS = MapTileItems<Bits, TEAMS>::ITEMS;
  constexpr uint32_t THREADS = Team<Bits, TEAMS>::THREADS;
  constexpr uint32_t BATCH =
      ITEMS < AT_ONCE ? ITEMS : AT_ONCE; // keys under way at a time: the next tile's are in registers, too
  const uint32_t end = IS_WHOLE ? ITEMS * THREADS : tile.items;
  const auto is_key = [end](uint32_t place) { return IS_WHOLE || place < end; };
#pragma unroll 1
  for (uint32_t first = team.thread; first < end; first += BATCH * THREADS) {
    Bits keys[BATCH];
    uint32_t places[BATCH];
    const Bits *staged = tile.stage + first; // an address, to which offsets are added by the instructions
#pragma unroll
    for (uint32_t index = 0; index < BATCH; index++)
      keys[index] = staged[is_key(first + index * THREADS) ? index * THREADS : 0];
#pragma unroll
    for (uint32_t index = 0; index < BATCH; index++)
      places[index] = tile.bases[bucket_of(keys[index])] + first + index * THREADS;
#pragma unroll
    for (uint32_t index = 0; index < BATCH; index++)
      if (is_key(first + index * THREADS))
        destination[places[index]] = keys[index];
  }
}

/*
 * Stages a tile's keys, bucket by bucket. All threads of the team take part; no barrier.
 *
 * Behind a condition of its own, each atomic whose result is wanted would be waited for before the next is begun. Therefore
 * what stands for a missing key takes a place, too: behind all keys, and lies there; or one that is not used.
 */
template <bool LEAVES_OUT, typename Bits, uint32_t TEAMS, uint32_t BUCKETS, typename BucketOf>
__device__ __forceinline__ void stage_keys(const MapTileItems<Bits, TEAMS> &items, BucketOf bucket_of, bool is_crowded,
                                           MapScatterTeam<Bits, DEVICE_KIND, TEAMS, BUCKETS> &tile) {
  const auto put = [&tile](uint32_t place, Bits key, bool is_present) {
    if (!LEAVES_OUT || is_present)
      tile.stage[place] = key;
  };
  const uint32_t other = LEAVES_OUT ? threadIdx.x % WARP_LANES : 0; // many want it at once, or a few
  if (tile.items != MapTiles<Bits, TEAMS>::TILE_ITEMS)
    items.template put_each<PUT_AT_ONCE>(
        [&](Bits key, bool is_present) {
          return atomicAdd(is_present ? &tile.places[bucket_of(key)] : &tile.others[other], 1u);
        },
        put);
  else if (is_crowded) // one at a time: leaders need registers, and what they have no room for is spilled for all tiles
    items.template put_each<1>([&](Bits key, bool) { return take_crowded_place(bucket_of(key), tile.places); }, put);
  else
    items.template put_each<PUT_AT_ONCE>([&](Bits key, bool) { return atomicAdd(&tile.places[bucket_of(key)], 1u); }, put);
}

/*
 * Moves one tile's entered keys to their buckets, and has `load_next` load the next one into `items` meanwhile. bucket_of:
 * which of the target's. All threads of the team take part; begins with the counts zeroed and visible, and so it ends; no
 * barrier behind the writing.
 */
template <bool LEAVES_OUT, typename BucketOf, typename Bits, uint32_t TEAMS, uint32_t BUCKETS, typename LoadNext>
__device__ __forceinline__ void scatter_tile(MapTileItems<Bits, TEAMS> &items, BucketOf bucket_of, const MapTarget &target,
                                             Bits *destination, MapScatterTeam<Bits, DEVICE_KIND, TEAMS, BUCKETS> &tile,
                                             LoadNext load_next) {
  items.each([&](Bits key) { atomicAdd(&tile.counts[bucket_of(key)], 1u); });
  Team<Bits, TEAMS>::anew().sync();
  MapReserved<Bits, TEAMS, BUCKETS> reserved;
  const bool is_crowded = reserve_tile<Bits, TEAMS, BUCKETS>(target, tile, reserved);
  stage_keys<LEAVES_OUT>(items, bucket_of, is_crowded, tile);
  const auto team = Team<Bits, TEAMS>::anew();
#pragma unroll
  for (uint32_t index = 0; index < reserved.EACH; index++)
    if (team.thread * reserved.EACH + index < BUCKETS)
      tile.bases[team.thread * reserved.EACH + index] += reserved.taken[index];
  load_next();
  team.sync();
  if (tile.items == MapTiles<Bits, TEAMS>::TILE_ITEMS)
    write_keys<true, 8>(bucket_of, destination, team, tile);
  else
    write_keys<false, LEAVES_OUT ? 8 : 4>(bucket_of, destination, team, tile);
}

/* Readies a team's tile for the first keys of `count` tiles, of which every step-th is its own. All its threads take part; ends
   with a barrier. */
template <typename Bits, uint32_t TEAMS, uint32_t BUCKETS>
__device__ __forceinline__ void begin_tiles(const Team<Bits, TEAMS> &team, uint32_t step, uint32_t count,
                                            MapScatterTeam<Bits, DEVICE_KIND, TEAMS, BUCKETS> &tile) {
  if (team.thread == 0) {
    tile.step = step;
    tile.count = count;
  }
  for (uint32_t bucket = team.thread; bucket < BUCKETS; bucket += Team<Bits, TEAMS>::THREADS)
    tile.counts[bucket] = 0;
  team.sync();
}

} // namespace cdp::CDP_RUNTIME

#endif
