/* SPDX-License-Identifier: MIT */
/*
 * One tile of a many-way partition: loaded into registers, divided into buckets, and staged in shared memory in the order of
 * its buckets. The order within a bucket is left to chance: nothing here is stable, which is what a radix sort pays for.
 *
 *  1. Each item walks down the search tree: its bucket.
 *  2. An atomic in shared memory counts the bucket, and its old value is the item's rank in it.
 *  3. The counts are scanned: where each bucket begins in the tile.
 *  4. Each item is put in its place.
 */
#ifndef CDPSORT_DEVICE_BLOCK_MULTIWAY_TILE_CUH
#define CDPSORT_DEVICE_BLOCK_MULTIWAY_TILE_CUH

#include "block/splitters.cuh"

namespace cdp::CDP_RUNTIME {

/* The tiles of a range for fat blocks, of ITEMS for each thread: they begin at a 16-byte boundary at or before the range's
   first key. */
template <typename Bits, uint32_t ITEMS = MultiwayShape<Bits>::TILE_ITEMS_PER_THREAD>
struct MultiwayTiles {
  static constexpr uint32_t TILE_ITEMS = MultiwayShape<Bits>::BLOCK_THREADS * ITEMS;

  const Bits *source;
  int64_t first; /* index of the first tile's first item; up to 3 before the range, even before the array */
  Range range;
  uint64_t count;

  __device__ __forceinline__ MultiwayTiles(const Bits *side, const Range &whole) : source(side), range(whole) {
    const uint64_t ahead = reinterpret_cast<uintptr_t>(side + whole.begin) % 16 / sizeof(Bits);
    first = static_cast<int64_t>(whole.begin) - static_cast<int64_t>(ahead);
    count = (whole.items() + ahead + TILE_ITEMS - 1) / TILE_ITEMS;
  }

  __device__ __forceinline__ int64_t begin(uint64_t tile) const {
    return first + static_cast<int64_t>(tile * TILE_ITEMS);
  }
  /* Whether all items of a tile are of the range. */
  __device__ __forceinline__ bool is_whole(uint64_t tile) const {
    const int64_t tile_begin = begin(tile);
    return tile_begin >= static_cast<int64_t>(range.begin) &&
           tile_begin + int64_t{TILE_ITEMS} <= static_cast<int64_t>(range.end);
  }
  /* The first item of a tile that is of the range. */
  __device__ __forceinline__ uint64_t first_item(uint64_t tile) const {
    const int64_t tile_begin = begin(tile);
    return tile_begin > static_cast<int64_t>(range.begin) ? static_cast<uint64_t>(tile_begin) : range.begin;
  }
  /* How many items of a tile are of the range. */
  __device__ __forceinline__ uint64_t items(uint64_t tile) const {
    const uint64_t tile_end = static_cast<uint64_t>(begin(tile) + int64_t{TILE_ITEMS});
    return (tile_end < range.end ? tile_end : range.end) - first_item(tile);
  }
};

/* A tile's items in a thread's registers, as they were read until enter() is called: who loads a tile ahead of its time must not
   wait for it. Whole tiles are loaded 16 bytes at a time; in others, items outside the range are missing. */
template <typename Bits, uint32_t TILE_ITEMS_PER_THREAD = MultiwayShape<Bits>::TILE_ITEMS_PER_THREAD>
struct TileItems {
  using Block = MultiwayShape<Bits>;
  static constexpr uint32_t ITEMS = TILE_ITEMS_PER_THREAD;

  Bits keys[ITEMS];
  uint32_t present; /* a bit for each item */

  __device__ __forceinline__ void load(const MultiwayTiles<Bits, ITEMS> &tiles, uint64_t tile) {
    const int64_t tile_begin = tiles.begin(tile);
    if (tiles.is_whole(tile)) {
      const KeyVector<Bits> *vectors = reinterpret_cast<const KeyVector<Bits> *>(tiles.source + tile_begin);
#pragma unroll
      for (uint32_t vector = 0; vector < ITEMS / Block::VECTOR_ITEMS; vector++) {
        const KeyVector<Bits> loaded = vectors[vector * Block::BLOCK_THREADS + threadIdx.x];
#pragma unroll
        for (uint32_t key = 0; key < Block::VECTOR_ITEMS; key++)
          keys[vector * Block::VECTOR_ITEMS + key] = loaded.keys[key];
      }
      present = (1u << ITEMS) - 1;
      return;
    }
    const int64_t range_begin = static_cast<int64_t>(tiles.range.begin);
    const int64_t range_end = static_cast<int64_t>(tiles.range.end);
    present = 0;
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++) {
      const int64_t index = tile_begin + int64_t{item * Block::BLOCK_THREADS + threadIdx.x};
      const bool is_present = index >= range_begin && index < range_end;
      keys[item] = is_present ? tiles.source[index] : GREATEST<Bits>;
      present |= is_present ? 1u << item : 0;
    }
  }

  /* What stands for a missing key enters as if it were raw, and is never looked at. */
  __device__ __forceinline__ void enter(const KeyMap<Bits> &map, bool is_raw) {
    map.enter_all(keys, is_raw);
  }
};

/* Counts a tile's entered items by bucket, on top of storage.counts. All threads take part; no barrier. */
template <typename Bits, uint32_t ITEMS>
__device__ __forceinline__ void count_tile(const TileItems<Bits, ITEMS> &items, const SplitterSet &set,
                                           MultiwayStorage<Bits> &storage) {
  uint32_t buckets[ITEMS];
  classify(items.keys, buckets, storage, set);
  const uint32_t present = fresh(items.present); // asked when it is needed, not kept as a predicate for each item
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    if ((present >> item & 1) != 0)
      atomicAdd(&storage.counts[buckets[item]], 1u);
}

/*
 * Ranks a tile's entered items: places[i] is the item's bucket in the upper half and its rank there in the lower;
 * storage.counts and storage.begins are those of the tile. All threads take part; begins with storage.counts zeroed and a
 * barrier behind it, ends with a barrier.
 */
template <typename Bits, uint32_t ITEMS>
__device__ __forceinline__ void rank_tile(const TileItems<Bits, ITEMS> &items, uint32_t (&places)[ITEMS],
                                          const SplitterSet &set, MultiwayStorage<Bits> &storage) {
  classify(items.keys, places, storage, set);
  const uint32_t present = fresh(items.present);
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    if ((present >> item & 1) != 0)
      places[item] = places[item] << 16 | atomicAdd(&storage.counts[places[item]], 1u);
  __syncthreads();
  scan_counts(storage, set.buckets);
}

/* Stages a ranked tile's keys by bucket and, where `buckets` is given, which bucket each is of. All threads take part; no
   barrier. */
template <typename Bits, uint32_t ITEMS>
__device__ __forceinline__ void stage_tile(const TileItems<Bits, ITEMS> &items, const uint32_t (&places)[ITEMS],
                                           MultiwayStorage<Bits> &storage, uint16_t *buckets) {
  const uint32_t present = fresh(items.present);
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++) {
    if ((present >> item & 1) == 0)
      continue;
    const uint32_t bucket = places[item] >> 16;
    const uint32_t place = storage.begins[bucket] + (places[item] & 0xFFFFu);
    storage.work.stage[place] = items.keys[item];
    if (buckets != nullptr)
      buckets[place] = static_cast<uint16_t>(bucket);
  }
}

/* Zeroes the counts of `buckets`. All threads take part; no barrier. */
template <typename Bits>
__device__ __forceinline__ void clear_counts(MultiwayStorage<Bits> &storage, uint32_t buckets) {
  for (uint32_t bucket = threadIdx.x; bucket < buckets; bucket += MultiwayShape<Bits>::BLOCK_THREADS)
    storage.counts[bucket] = 0;
}

/* Stages a tile by bucket and notes where each begins in it, in places[0] to places[set.buckets]. All threads take part; the
   last tile has been written by all; no barrier at the end. */
template <typename Bits, uint32_t ITEMS>
__device__ __forceinline__ void order_tile(TileItems<Bits, ITEMS> &items, const SplitterSet &set, uint16_t *places,
                                           MultiwayStorage<Bits> &storage, const KeyMap<Bits> &map, bool is_raw) {
  clear_counts(storage, set.buckets);
  __syncthreads();
  items.enter(map, is_raw);
  uint32_t ranks[ITEMS];
  rank_tile(items, ranks, set, storage);
  for (uint32_t bucket = threadIdx.x; bucket <= set.buckets; bucket += MultiwayShape<Bits>::BLOCK_THREADS)
    places[bucket] = static_cast<uint16_t>(storage.begins[bucket]);
  stage_tile(items, ranks, storage, nullptr);
}

/* Writes a tile that has been staged. All threads take part; no barrier. */
template <typename Bits>
__device__ __forceinline__ void write_tile(Bits *destination, const SplitterSet &set, const MultiwayStorage<Bits> &storage) {
  const uint32_t tile_items = storage.begins[set.buckets];
  for (uint32_t item = threadIdx.x; item < tile_items; item += MultiwayShape<Bits>::BLOCK_THREADS)
    destination[item] = storage.work.stage[item];
}

} // namespace cdp::CDP_RUNTIME

#endif
