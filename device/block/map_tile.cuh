/* SPDX-License-Identifier: MIT */
/*
 * One tile of an array that is divided by a map: loaded into registers, ranked by bucket, staged in shared memory, and written
 * bucket by bucket to where a team has reserved room.
 *
 * Registers are what there is least of: a thread of a block that fills a multiprocessor has 64, keys and places take half of
 * them, and what is spilled goes past the cache, since shared memory has nearly all of it. So positions are 32-bit numbers, and
 * what is the same for all threads stays in shared memory until it is needed.
 */
#ifndef CDPSORT_DEVICE_BLOCK_MAP_TILE_CUH
#define CDPSORT_DEVICE_BLOCK_MAP_TILE_CUH

#include "block/mapped_shape.cuh"

namespace cdp::CDP_RUNTIME {

/* Keys [begin, end) of an array, as tiles of a team: the first begins at a 16-byte boundary at or before the first key. */
template <typename Bits, uint32_t TEAMS>
struct MapTiles {
  static constexpr uint32_t TILE_ITEMS = MultiwayShape<Bits>::TILE_ITEMS / TEAMS;

  const Bits *base; /* of the first tile; up to 3 keys before `begin`, even before the array */
  uint32_t ahead;
  uint32_t end;

  __device__ __forceinline__ MapTiles(const Bits *source, uint32_t begin, uint32_t items_end) {
    const Bits *first = source + begin;
    ahead = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(first) % 16 / sizeof(Bits));
    base = first - ahead;
    end = items_end - begin + ahead;
  }
  __device__ __forceinline__ uint32_t count() const {
    return (end + TILE_ITEMS - 1) / TILE_ITEMS;
  }
  /* How many keys a tile has. */
  __device__ __forceinline__ uint32_t items(uint32_t tile) const {
    const uint32_t first = tile == 0 ? ahead : tile * TILE_ITEMS;
    return (end - tile * TILE_ITEMS < TILE_ITEMS ? end : (tile + 1) * TILE_ITEMS) - first;
  }
};

/* A thread's keys of a tile, as they were read until they enter. */
template <typename Bits, uint32_t TEAMS>
struct MapTileItems {
  static constexpr uint32_t ITEMS = MultiwayShape<Bits>::TILE_ITEMS_PER_THREAD;
  static constexpr uint32_t THREADS = Team<Bits, TEAMS>::THREADS;
  static constexpr uint32_t VECTOR = MultiwayShape<Bits>::VECTOR_ITEMS;

  Bits keys[ITEMS];
  uint32_t present; /* a bit for each */

  __device__ __forceinline__ bool is_whole() const {
    return present == (1u << ITEMS) - 1;
  }

  __device__ __forceinline__ void load(const MapTiles<Bits, TEAMS> &tiles, uint32_t tile, uint32_t thread) {
    const uint32_t first = tile * MapTiles<Bits, TEAMS>::TILE_ITEMS;
    const Bits *source = tiles.base + first;
    if (first >= tiles.ahead && tiles.end - first >= MapTiles<Bits, TEAMS>::TILE_ITEMS) {
      const KeyVector<Bits> *vectors = reinterpret_cast<const KeyVector<Bits> *>(source) + thread;
#pragma unroll
      for (uint32_t vector = 0; vector < ITEMS / VECTOR; vector++) {
        const KeyVector<Bits> loaded = vectors[vector * THREADS];
#pragma unroll
        for (uint32_t key = 0; key < VECTOR; key++)
          keys[vector * VECTOR + key] = loaded.keys[key];
      }
      present = (1u << ITEMS) - 1;
      return;
    }
    present = 0;
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++) {
      const uint32_t index = first + item * THREADS + thread;
      const bool is_present = index >= tiles.ahead && index < tiles.end;
      keys[item] = is_present ? tiles.base[index] : GREATEST<Bits>;
      present |= is_present ? 1u << item : 0;
    }
  }
};

/* Which of a tile's buckets a key is of: its bucket, shifted, less the first; and the cursors of those. */
struct MapTarget {
  uint32_t shift;
  uint32_t first;
  unsigned int *cursors;
};

/* Keys of a thread that are ranked, or looked up, side by side: with more of them keys and places would be spilled. */
constexpr uint32_t RANKED_AT_ONCE = 4;

/* Turns a tile's counts into places, and reserves room for each bucket. All threads of the team take part; begins with the
   counts visible, ends with a barrier. */
template <typename Bits, uint32_t TEAMS, uint32_t BUCKETS>
__device__ __forceinline__ void reserve_tile(const Team<Bits, TEAMS> &team, const MapTarget &target,
                                             MapScatterTeam<Bits, DEVICE_KIND, TEAMS, BUCKETS> &tile) {
  constexpr uint32_t EACH = (BUCKETS + Team<Bits, TEAMS>::THREADS - 1) / Team<Bits, TEAMS>::THREADS;
  uint32_t counts[EACH];
  uint32_t bases[EACH];
  uint32_t sum = 0;
#pragma unroll
  for (uint32_t index = 0; index < EACH; index++) {
    const uint32_t bucket = team.thread * EACH + index;
    counts[index] = bucket < BUCKETS ? tile.counts[bucket] : 0;
    bases[index] = counts[index] != 0 ? atomicAdd(&target.cursors[bucket], counts[index]) : 0;
    sum += counts[index];
  }
  const uint32_t scanned = warp_inclusive_sum(sum);
  uint32_t begin = team.lower_warps_sum(__shfl_sync(ALL_LANES, scanned, WARP_LANES - 1), tile.warp_totals) + scanned - sum;
#pragma unroll
  for (uint32_t index = 0; index < EACH; index++) {
    const uint32_t bucket = team.thread * EACH + index;
    if (bucket < BUCKETS) {
      tile.begins[bucket] = begin;
      tile.bases[bucket] = bases[index] - begin;
      tile.counts[bucket] = 0; // for the next tile
    }
    begin += counts[index];
  }
  team.sync();
}

/*
 * Writes a tile's staged keys. NOTED: the bucket of each has been noted; otherwise it is worked out again. All threads of the
 * team take part. A whole tile is written without conditions, for the same reason as it is ranked.
 */
template <bool NOTED, typename Bits, uint32_t TEAMS, uint32_t BUCKETS>
__device__ __forceinline__ void write_keys(const KeyLines<Bits> &lines, const MapTarget &target, Bits *destination,
                                           const Team<Bits, TEAMS> &team,
                                           const MapScatterTeam<Bits, DEVICE_KIND, TEAMS, BUCKETS> &tile, uint32_t tile_items) {
  constexpr uint32_t ITEMS = MapTileItems<Bits, TEAMS>::ITEMS;
  constexpr uint32_t THREADS = Team<Bits, TEAMS>::THREADS;
  constexpr uint32_t BATCH = ITEMS < 8 ? ITEMS : 8; // keys under way at a time: the next tile's are in registers, too
  const auto base_of = [&](uint32_t item, Bits key) {
    if (NOTED)
      return tile.bases[tile.buckets[item]];
    return tile.bases[(__umulhi(offset_of(lines, key), lines.factor) >> target.shift) - target.first];
  };
  if (tile_items != ITEMS * THREADS) {
    for (uint32_t item = team.thread; item < tile_items; item += THREADS)
      destination[base_of(item, tile.stage[item]) + item] = tile.stage[item];
    return;
  }
#pragma unroll 1
  for (uint32_t first = team.thread; first < ITEMS * THREADS; first += BATCH * THREADS) {
    Bits keys[BATCH];
    uint32_t places[BATCH];
#pragma unroll
    for (uint32_t index = 0; index < BATCH; index++)
      keys[index] = tile.stage[first + index * THREADS];
#pragma unroll
    for (uint32_t index = 0; index < BATCH; index++)
      places[index] = base_of(first + index * THREADS, keys[index]) + first + index * THREADS;
#pragma unroll
    for (uint32_t index = 0; index < BATCH; index++)
      destination[places[index]] = keys[index];
  }
}

/*
 * Ranks a tile's entered keys: places[i] becomes the key's bucket among the target's in the upper half, its rank there in the
 * lower one. All threads of the team take part; no barrier.
 *
 * 1. An atomic in shared memory takes some 30 cycles to return what was there, and nothing else hides them here.
 * 2. Behind a condition of its own each would be waited for before the next one is begun.
 * Therefore whole tiles, which nearly all are, are ranked without conditions; and likewise they are staged.
 */
template <typename Bits, uint32_t TEAMS, uint32_t BUCKETS>
__device__ __forceinline__ void rank_keys(const MapTileItems<Bits, TEAMS> &items,
                                          uint32_t (&places)[MapTileItems<Bits, TEAMS>::ITEMS], const MapTarget &target,
                                          MapScatterTeam<Bits, DEVICE_KIND, TEAMS, BUCKETS> &tile) {
  constexpr uint32_t ITEMS = MapTileItems<Bits, TEAMS>::ITEMS;
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    places[item] = (places[item] >> target.shift) - target.first;
  if (items.is_whole()) {
#pragma unroll
    for (uint32_t first = 0; first < ITEMS; first += RANKED_AT_ONCE) {
      uint32_t ranks[RANKED_AT_ONCE];
#pragma unroll
      for (uint32_t item = 0; item < RANKED_AT_ONCE; item++)
        ranks[item] = atomicAdd(&tile.counts[places[first + item]], 1u);
#pragma unroll
      for (uint32_t item = 0; item < RANKED_AT_ONCE; item++)
        places[first + item] = places[first + item] << 16 | ranks[item];
    }
    return;
  }
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    if ((items.present >> item & 1) != 0)
      places[item] = places[item] << 16 | atomicAdd(&tile.counts[places[item]], 1u);
}

/* Stages a ranked tile by bucket. NOTES: and which bucket each key is of. All threads of the team take part; no barrier. */
template <bool NOTES, typename Bits, uint32_t TEAMS, uint32_t BUCKETS>
__device__ __forceinline__ void stage_keys(const MapTileItems<Bits, TEAMS> &items,
                                           const uint32_t (&places)[MapTileItems<Bits, TEAMS>::ITEMS],
                                           MapScatterTeam<Bits, DEVICE_KIND, TEAMS, BUCKETS> &tile) {
  constexpr uint32_t ITEMS = MapTileItems<Bits, TEAMS>::ITEMS;
  const auto stage = [&tile](uint32_t place, uint32_t bucket, Bits key) {
    tile.stage[place] = key;
    if (NOTES)
      tile.buckets[place] = static_cast<uint16_t>(bucket);
  };
  if (items.is_whole()) {
#pragma unroll
    for (uint32_t first = 0; first < ITEMS; first += RANKED_AT_ONCE) {
      uint32_t begins[RANKED_AT_ONCE];
#pragma unroll
      for (uint32_t item = 0; item < RANKED_AT_ONCE; item++)
        begins[item] = tile.begins[places[first + item] >> 16];
#pragma unroll
      for (uint32_t item = 0; item < RANKED_AT_ONCE; item++)
        stage(begins[item] + (places[first + item] & 0xFFFFu), places[first + item] >> 16, items.keys[first + item]);
    }
    return;
  }
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    if ((items.present >> item & 1) != 0)
      stage(tile.begins[places[item] >> 16] + (places[item] & 0xFFFFu), places[item] >> 16, items.keys[item]);
}

/*
 * Moves one tile's entered keys to their buckets, and has `load_next` load the next one into `items` meanwhile. All threads of
 * the team take part; begins with the counts zeroed and visible, and so it ends; no barrier behind the writing.
 *
 * 1. Shared memory is what all wait for: 3.5 cycles for a warp's access to 32 places at random, one where they lie side by
 *    side.
 * 2. A key's bucket is needed again when it is written from where it was staged.
 * 3. By a straight map it costs six instructions and no shared memory; by lines, 6 cycles of it at random.
 * Therefore it is worked out again by a straight map, and otherwise noted beside the key.
 */
template <typename Bits, uint32_t TEAMS, uint32_t BUCKETS, typename LoadNext>
__device__ __forceinline__ void scatter_tile(MapTileItems<Bits, TEAMS> &items, const MapTarget &target, Bits *destination,
                                             const Team<Bits, TEAMS> &team, MappedStorage<Bits> &storage,
                                             MapScatterTeam<Bits, DEVICE_KIND, TEAMS, BUCKETS> &tile, uint32_t tile_items,
                                             LoadNext load_next) {
  uint32_t places[MapTileItems<Bits, TEAMS>::ITEMS];
  map_keys(items.keys, places, storage.map, storage.divide.lines);
  rank_keys(items, places, target, tile);
  team.sync();
  reserve_tile(team, target, tile);
  const bool is_noted = storage.map.factor == 0;
  if (is_noted)
    stage_keys<true>(items, places, tile);
  else
    stage_keys<false>(items, places, tile);
  load_next();
  team.sync();
  if (is_noted)
    write_keys<true>(storage.map, target, destination, team, tile, tile_items);
  else
    write_keys<false>(storage.map, target, destination, team, tile, tile_items);
}

/* Readies a team's tile for the first keys. All its threads take part; ends with a barrier. */
template <typename Bits, uint32_t TEAMS, uint32_t BUCKETS>
__device__ __forceinline__ void clear_tile(const Team<Bits, TEAMS> &team,
                                           MapScatterTeam<Bits, DEVICE_KIND, TEAMS, BUCKETS> &tile) {
  for (uint32_t bucket = team.thread; bucket < BUCKETS; bucket += Team<Bits, TEAMS>::THREADS)
    tile.counts[bucket] = 0;
  team.sync();
}

} // namespace cdp::CDP_RUNTIME

#endif
