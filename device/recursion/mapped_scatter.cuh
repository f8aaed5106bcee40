/* SPDX-License-Identifier: MIT */
/*
 * What blocks do to move a mapped array's keys to their buckets: at once, or to groups of buckets and from those to the
 * buckets.
 */
#ifndef CDPSORT_DEVICE_RECURSION_MAPPED_SCATTER_CUH
#define CDPSORT_DEVICE_RECURSION_MAPPED_SCATTER_CUH

#include "recursion/mapped.cuh"

namespace cdp::CDP_RUNTIME {

/* The teams that scatter to groups, and from them. */
template <typename Bits>
constexpr uint32_t SCATTER_TEAMS = OnChipShape<Bits>::TEAMS;

/* A team's tile. */
template <bool TO_GROUPS, typename Bits, DeviceKind KIND>
__device__ __forceinline__ auto &team_tile(MappedStorageOf<Bits, KIND> &storage, uint32_t team) {
  if constexpr (TO_GROUPS)
    return storage.divide.counting.groups.tiles[team];
  else
    return storage.divide.one_scatter.tile;
}

/* Scatters tiles by a map: by one team to buckets, or by several to groups of them. All threads take part. */
template <bool TO_GROUPS, typename Bits, typename Map>
__device__ __forceinline__ void scatter_tiles(const Sort<Bits> &sort, uint32_t block, uint32_t blocks, const Map &map,
                                              MappedStorage<Bits> &storage) {
  constexpr uint32_t TEAMS = TO_GROUPS ? SCATTER_TEAMS<Bits> : 1;
  const Team<Bits, TEAMS> team;
  auto &tile = team_tile<TO_GROUPS>(storage, team.number);
  const MapTable<Bits> &table = sort.map_table;
  const MapTarget target = {table.taken, storage.divide.begins};
  const uint32_t shift = TO_GROUPS ? table.facts->coarse_shift : 0;
  const MapTiles<Bits, TEAMS> tiles(sort.rules.side(Side::keys), 0, static_cast<uint32_t>(sort.count));
  Bits *destination = sort.rules.side(Side::scratch);
  const bool enters = sort.rules.map.changes != 0;
  begin_tiles(team, blocks * TEAMS, tiles.count(), tile);
  MapTileItems<Bits, TEAMS> items;
  uint32_t at = block * TEAMS + team.number;
  const auto load = [&] {
    if (at >= reread(tile.count))
      return;
    const uint32_t thread = Team<Bits, TEAMS>::anew().thread;
    items.load(tiles, at, thread);
    if constexpr (Map::HAS_FREQUENT)
      if (map.has_frequent() && are_marked(sort))
        items.leave_unmarked(sort.map_table.kept, at, thread);
  };
  load();
  while (at < reread(tile.count)) {
    if (enters)
      sort.rules.map.enter_all(items.keys, true);
    if constexpr (Map::HAS_FREQUENT && TO_GROUPS && !ALL_ARE_MARKED<Bits>)
      if (!are_marked(sort))
        items.leave_out([&map](Bits key) { return map.slot_of(key) != NO_FREQUENT; });
    const auto bucket_of = [&map, shift](Bits key) { return TO_GROUPS ? map(key) >> shift : map(key); };
    scatter_tile<Map::HAS_FREQUENT>(items, bucket_of, target, destination, tile, [&] {
      at += reread(tile.step);
      load();
    });
  }
}

/* A team's tiles, and those of group `group`, which has keys, in the scratch array. */
template <typename Bits>
using ScatteredTiles = MapTiles<Bits, SCATTER_TEAMS<Bits>>;
template <typename Tiles, typename Bits>
__device__ __forceinline__ Tiles group_tiles(const Bits *scratch, uint32_t group, const MappedStorage<Bits> &storage) {
  return {scratch, storage.divide.begins[group], storage.divide.counting.groups.ends[group]};
}

/* Loads where groups begin and end, and counts their tiles. All threads take part; ends with a barrier. */
template <typename Tiles, typename Bits>
__device__ __noinline__ void load_groups(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  constexpr uint32_t EACH = (MAX_GROUPS + THREADS - 1) / THREADS;
  const MapFacts<Bits> &facts = *sort.map_table.facts;
  const Bits *scratch = sort.rules.side(Side::scratch);
  uint32_t *begins = storage.divide.begins;
  uint32_t *ends = storage.divide.counting.groups.ends;
  const uint32_t groups = group_count(facts);
  for (uint32_t group = threadIdx.x; group < groups; group += THREADS) {
    begins[group] = sort.map_table.coarse_begins[group];
    ends[group] = sort.map_table.coarse_ends[group];
  }
  __syncthreads();
  uint32_t tiles[EACH];
  uint32_t sum = 0;
#pragma unroll
  for (uint32_t index = 0; index < EACH; index++) {
    const uint32_t group = threadIdx.x * EACH + index;
    const bool has_keys = group < groups && begins[group] != ends[group];
    tiles[index] = has_keys ? group_tiles<Tiles>(scratch, group, storage).count() : 0;
    sum += tiles[index];
  }
  uint32_t total;
  uint32_t lower = lower_threads_sum<MultiwayShape<Bits>::BLOCK_WARPS>(sum, storage.divide.warp_totals, total);
#pragma unroll
  for (uint32_t index = 0; index < EACH; index++) {
    if (threadIdx.x * EACH + index < groups)
      storage.divide.counting.groups.first_tiles[threadIdx.x * EACH + index] = lower;
    lower += tiles[index];
  }
  if (threadIdx.x == 0) {
    storage.divide.counting.groups.first_tiles[groups] = total;
    storage.divide.counting.groups.count = groups;
    storage.divide.counting.groups.coarse_shift = facts.coarse_shift;
  }
  __syncthreads();
}

/* The group that a tile is of: the last one that begins with it or before it and has any. */
template <typename Bits>
__device__ __forceinline__ uint32_t group_of(uint32_t tile, const MappedStorage<Bits> &storage) {
  uint32_t low = 0;
  uint32_t high = reread(storage.divide.counting.groups.count);
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    if (storage.divide.counting.groups.first_tiles[middle] <= tile)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Scatters tiles from groups to buckets by a map. Keys of frequent values have been left in their places. All threads take
   part. */
template <typename Bits, typename Map>
__device__ __forceinline__ void scatter_groups(const Sort<Bits> &sort, uint32_t block, uint32_t blocks, const Map &map,
                                               MappedStorage<Bits> &storage) {
  constexpr uint32_t TEAMS = SCATTER_TEAMS<Bits>;
  const Team<Bits, TEAMS> team;
  auto &tile = storage.divide.counting.groups.tiles[team.number];
  load_groups<ScatteredTiles<Bits>>(sort, storage);
  // Read once: through a pointer to the parameters, each would be waited for in every tile.
  const Bits *scratch = sort.rules.side(Side::scratch);
  Bits *destination = sort.rules.side(Side::keys);
  unsigned int *cursors = sort.map_table.cursors;
  begin_tiles(team, blocks * TEAMS, storage.divide.counting.groups.first_tiles[storage.divide.counting.groups.count], tile);
  MapTileItems<Bits, TEAMS> items;
  uint32_t at = block * TEAMS + team.number;
  uint32_t group = 0;
  const auto load = [&] {
    if (at >= reread(tile.count))
      return;
    group = group_of(at, storage);
    items.load(group_tiles<ScatteredTiles<Bits>>(scratch, group, storage),
               at - storage.divide.counting.groups.first_tiles[group], Team<Bits, TEAMS>::anew().thread);
  };
  load();
  while (at < reread(tile.count)) {
    const uint32_t first = group << reread(storage.divide.counting.groups.coarse_shift);
    const auto bucket_of = [&map, first](Bits key) { return map(key) - first; };
    const MapTarget target = {cursors + first, nullptr};
    scatter_tile<false>(items, bucket_of, target, destination, tile, [&] {
      at += reread(tile.step);
      load();
    });
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
