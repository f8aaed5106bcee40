/* SPDX-License-Identifier: MIT */
/*
 * A level divides each parent into buckets, in three launches: items are classified and counted, the counts added up, items moved.
 *
 * 1. Tiles do not cross parents: parent p has those from begins[p] / TILE + p on, which are as many as it needs or one more. A
 *    block looks for its parent, all threads at once.
 * 2. Each item finds its bucket by the tree of splitters, and the bucket is written down: the comparison is asked once, and what it
 *    would say another time does not matter.
 * 3. A block that moves a tile reserves a run of each bucket by one atomic addition, orders the tile by bucket in shared memory,
 *    and writes it in runs. Who comes first is left to chance: items of a bucket are in no order yet.
 */
#ifndef CDPSORT_BY_DIVIDE_ITEMS_CUH
#define CDPSORT_BY_DIVIDE_ITEMS_CUH

#include "cdpsort/by/choose.cuh"

namespace cdp::by {

/* ---- Tiles ------------------------------------------------------------------------------------------------------------- */

/* A block's tile, and whose it is. */
struct Tile {
  uint32_t parent;
  uint32_t begin;
  uint32_t items; /* 0: none */
};

__device__ __forceinline__ uint32_t first_tile(const Job &job, uint32_t parent, uint32_t tile_items) {
  return bounds_of(job, parent).begin / tile_items + parent;
}

/* All threads take part; several barriers, the last at the end. */
__device__ __forceinline__ Tile find_tile(const Job &job, uint32_t tile_items, uint32_t &shared_parent) {
  uint32_t low = 0;
  for (uint32_t width = job.parents; width > 1;) {
    const uint32_t step = (width + blockDim.x - 1) / blockDim.x;
    const uint32_t own = low + threadIdx.x * step;
    const bool is_there = threadIdx.x * step < width;
    const uint32_t end = least(own + step, low + width);
    if (is_there && first_tile(job, own, tile_items) <= blockIdx.x &&
        (end == low + width || blockIdx.x < first_tile(job, end, tile_items)))
      shared_parent = own;
    __syncthreads();
    const uint32_t next_low = shared_parent;
    width = least(step, low + width - next_low);
    low = next_low;
    __syncthreads();
  }
  const Bounds parent = bounds_of(job, low);
  const uint64_t begin = parent.begin + uint64_t{blockIdx.x - first_tile(job, low, tile_items)} * tile_items;
  if (begin >= parent.end)
    return {low, parent.end, 0};
  return {low, static_cast<uint32_t>(begin), least(tile_items, parent.end - static_cast<uint32_t>(begin))};
}

/*
 * Adds one to the count of each of a thread's items' buckets, and puts what it was above the lowest 8 bits of `ranks`, which are the
 * bucket. The first `items` of a tile have one, where items are THREADS apart. All lanes take part.
 *
 * 1. Where all lanes of a warp have one bucket, as in sorted input, 32 additions to one word would wait for each other.
 * 2. To ask that before each addition would have each wait for the one before it.
 * Therefore it is asked of all items first: 4 % less of a move of items of 4 bytes (H200).
 */
template <uint32_t THREADS, uint32_t ITEMS>
__device__ __forceinline__ void add_to_buckets(uint32_t *counts, uint32_t (&ranks)[ITEMS], uint32_t items) {
  const uint32_t lane = threadIdx.x % LANES;
  bool has_row = false;
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    has_row = __all_sync(EVERY_LANE, ranks[item] == __shfl_sync(EVERY_LANE, ranks[item], 0)) || has_row;
  if (!has_row) {
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++)
      if (item * THREADS + threadIdx.x < items)
        ranks[item] |= atomicAdd(&counts[ranks[item]], 1u) << 8;
    return;
  }
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++) {
    const uint32_t bucket = ranks[item];
    const bool has_item = item * THREADS + threadIdx.x < items;
    uint32_t before = 0;
    const uint32_t first_bucket = __shfl_sync(EVERY_LANE, bucket, 0);
    if (__all_sync(EVERY_LANE, has_item && bucket == first_bucket)) {
      if (lane == 0)
        before = atomicAdd(&counts[bucket], LANES);
      before = __shfl_sync(EVERY_LANE, before, 0) + lane;
    } else if (has_item) {
      before = atomicAdd(&counts[bucket], 1u);
    }
    ranks[item] |= before << 8;
  }
}

/* ---- Count ------------------------------------------------------------------------------------------------------------- */

template <typename Item>
struct ClassifyBlock {
  static constexpr uint32_t BUCKETS = 1u << SHAPE<Item>.level_bits;

  alignas(16) unsigned char tree_bytes[rounded(BUCKETS * sizeof(Item))];
  uint32_t counts[BUCKETS];
  uint16_t bucket_of[BUCKETS];
  uint32_t parent;

  __device__ __forceinline__ Item *tree() {
    return reinterpret_cast<Item *>(tree_bytes);
  }
};

/* The bucket of what has gone down the tree to `node`. */
template <typename Item, typename Less>
__device__ __forceinline__ uint32_t bucket_of(ClassifyBlock<Item> &block, const Item &item, uint32_t node, uint32_t bits,
                                              uint32_t splitters, const Less &less) {
  const uint32_t rank = least(node - (1u << bits), splitters); // beyond the last one are copies of it
  const uint32_t entry = block.bucket_of[rank];
  const uint32_t bucket = entry & (HAS_EQUALS - 1u);
  if ((entry & HAS_EQUALS) != 0 && !less(block.tree()[node_of_splitter(rank - 1, bits)], item))
    return bucket - 1;
  return bucket;
}

/* Finds the buckets of a tile's items, writes them down and counts them. */
template <typename Item, typename Less>
__device__ __forceinline__ void classify_tile(const Job &job, const Tile &tile, ClassifyBlock<Item> &block, uint32_t splitters,
                                              const Less &less) {
  constexpr uint32_t THREADS = SHAPE<Item>.divide_threads;
  constexpr uint32_t ITEMS = SHAPE<Item>.divide_items;
  const Item *from = static_cast<const Item *>(job.from) + tile.begin;
  Item items[ITEMS];
  uint32_t nodes[ITEMS];
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++) {
    items[item] = from[least(item * THREADS + threadIdx.x, tile.items - 1)];
    nodes[item] = 1;
  }
  for (uint32_t level = 0; level < job.bits; level++) {
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++)
      nodes[item] = 2 * nodes[item] + (less(items[item], block.tree()[nodes[item]]) ? 0 : 1);
  }
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++) {
    const uint32_t index = item * THREADS + threadIdx.x;
    // As many buckets as there may be: no splitter is equivalent to another.
    const uint32_t bucket = splitters + 1 == 1u << job.bits
                                ? nodes[item] - (1u << job.bits)
                                : bucket_of(block, items[item], nodes[item], job.bits, splitters, less);
    if (index < tile.items) {
      job.buckets[tile.begin + index] = static_cast<uint8_t>(bucket);
      atomicAdd(&block.counts[bucket], 1u); // what it was is not asked for: 32 to one word are one addition
    }
  }
}

template <typename Rules>
__global__ void __launch_bounds__(SHAPE<typename Rules::Item>.divide_threads, DIVIDE_BLOCKS)
    // cppcheck-suppress passedByValue
    count_kernel(const __grid_constant__ Job job, const __grid_constant__ typename Rules::Context context) {
  using Item = typename Rules::Item;
  static_assert(sizeof(ClassifyBlock<Item>) <= classify_bytes(SHAPE<Item>, sizeof(Item)), "the host reckons with so much");
  auto &block = block_memory<ClassifyBlock<Item>>();
  const auto less = Rules::comparison(job, context);
  const Tile tile = find_tile(job, SHAPE<Item>.tile(), block.parent);
  if (tile.items == 0)
    return;
  const uint32_t splitters = job.splitter_counts[tile.parent];
  const uint32_t first = tile.parent << job.bits;
  if (splitters == 0) {
    if (threadIdx.x == 0)
      atomicAdd(&job.cursors[first], tile.items);
    return;
  }
  for (uint32_t bucket = threadIdx.x; bucket < 1u << job.bits; bucket += blockDim.x) {
    if (bucket != 0)
      block.tree()[bucket] = static_cast<const Item *>(job.splitters)[first + bucket];
    block.bucket_of[bucket] = bucket <= splitters ? job.bucket_of[first + bucket] : uint16_t{0};
    block.counts[bucket] = 0;
  }
  __syncthreads();
  classify_tile(job, tile, block, splitters, less);
  __syncthreads();
  for (uint32_t bucket = threadIdx.x; bucket < 1u << job.bits; bucket += blockDim.x)
    if (block.counts[bucket] != 0)
      atomicAdd(&job.cursors[first + bucket], block.counts[bucket]);
}

/* ---- Scan -------------------------------------------------------------------------------------------------------------- */

/* A warp for each parent. */
template <typename Rules>
__global__ void __launch_bounds__(SCAN_THREADS)
    // cppcheck-suppress passedByValue
    scan_kernel(const __grid_constant__ Job job, const __grid_constant__ typename Rules::Context) {
  const uint32_t children = 1u << job.bits;
  const uint32_t first = blockIdx.x << job.bits;
  uint32_t end = bounds_of(job, blockIdx.x).begin;
  for (uint32_t chunk = 0; chunk < children; chunk += LANES) {
    const uint32_t bucket = chunk + threadIdx.x;
    const uint32_t child = first + bucket;
    const bool is_there = bucket < children;
    const uint32_t items = is_there ? job.cursors[child] : 0;
    const uint32_t so_far = end + warp_sum_so_far(items);
    if (is_there) {
      job.cursors[child] = so_far - items;
      job.next_begins[child] = so_far - items;
      if (job.is_last != 0 && items > SHAPE<typename Rules::Item>.piece() && job.next_is_done[child] == 0)
        job.long_pieces[atomicAdd(job.long_count, 1u)] = child;
    }
    end = __shfl_sync(EVERY_LANE, so_far, LANES - 1);
  }
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
    job.next_begins[first + children] = job.count;
}

/* ---- Move -------------------------------------------------------------------------------------------------------------- */

template <typename Item>
struct MoveBlock {
  static constexpr uint32_t BUCKETS = 1u << SHAPE<Item>.level_bits;
  static constexpr uint32_t TILE = SHAPE<Item>.tile();

  alignas(16) unsigned char stage_bytes[rounded(TILE * sizeof(Item))];
  alignas(16) uint8_t buckets[TILE];
  uint32_t counts[BUCKETS];
  uint32_t places[BUCKETS]; /* in the stage */
  uint32_t shifts[BUCKETS]; /* from there to where they belong */
  uint32_t parent;

  __device__ __forceinline__ Item *stage() {
    return reinterpret_cast<Item *>(stage_bytes);
  }
};

/* The first warp adds up how many items buckets have. */
template <typename Item>
__device__ __forceinline__ void place_buckets(MoveBlock<Item> &block, uint32_t buckets) {
  if (threadIdx.x >= LANES)
    return;
  uint32_t end = 0;
  for (uint32_t chunk = 0; chunk < buckets; chunk += LANES) {
    const uint32_t bucket = chunk + threadIdx.x;
    const uint32_t items = bucket < buckets ? block.counts[bucket] : 0;
    const uint32_t so_far = end + warp_sum_so_far(items);
    if (bucket < buckets)
      block.places[bucket] = so_far - items;
    end = __shfl_sync(EVERY_LANE, so_far, LANES - 1);
  }
}

template <typename Item>
__device__ __forceinline__ void move_tile(const Job &job, const Tile &tile, MoveBlock<Item> &block) {
  constexpr uint32_t THREADS = SHAPE<Item>.divide_threads;
  constexpr uint32_t ITEMS = SHAPE<Item>.divide_items;
  static_assert(THREADS * ITEMS <= 1u << 24, "bucket and rank share a word");
  const Item *from = static_cast<const Item *>(job.from) + tile.begin;
  Item items[ITEMS];
  uint32_t ranks[ITEMS];
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++) {
    const uint32_t index = least(item * THREADS + threadIdx.x, tile.items - 1);
    items[item] = from[index];
    ranks[item] = job.buckets[tile.begin + index];
  }
  add_to_buckets<THREADS>(block.counts, ranks, tile.items);
  __syncthreads();
  place_buckets(block, 1u << job.bits);
  __syncthreads();
  for (uint32_t bucket = threadIdx.x; bucket < 1u << job.bits; bucket += THREADS)
    if (block.counts[bucket] != 0)
      block.shifts[bucket] =
          atomicAdd(&job.cursors[(tile.parent << job.bits) + bucket], block.counts[bucket]) - block.places[bucket];
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++) {
    const uint32_t bucket = ranks[item] & 0xff;
    const uint32_t place = block.places[bucket] + (ranks[item] >> 8);
    if (item * THREADS + threadIdx.x < tile.items) {
      block.stage()[place] = items[item];
      block.buckets[place] = static_cast<uint8_t>(bucket);
    }
  }
  __syncthreads();
  for (uint32_t index = threadIdx.x; index < tile.items; index += THREADS)
    static_cast<Item *>(job.to)[block.shifts[block.buckets[index]] + index] = block.stage()[index];
}

template <typename Rules>
__global__ void __launch_bounds__(SHAPE<typename Rules::Item>.divide_threads, DIVIDE_BLOCKS)
    // cppcheck-suppress passedByValue
    move_kernel(const __grid_constant__ Job job, const __grid_constant__ typename Rules::Context) {
  using Item = typename Rules::Item;
  static_assert(sizeof(MoveBlock<Item>) <= move_bytes(SHAPE<Item>, sizeof(Item)), "the host reckons with so much");
  auto &block = block_memory<MoveBlock<Item>>();
  const Tile tile = find_tile(job, SHAPE<Item>.tile(), block.parent);
  if (tile.items == 0)
    return;
  if (job.splitter_counts[tile.parent] == 0) { // one bucket: all stay where they are
    for (uint32_t index = threadIdx.x; index < tile.items; index += blockDim.x)
      static_cast<Item *>(job.to)[tile.begin + index] = static_cast<const Item *>(job.from)[tile.begin + index];
    return;
  }
  for (uint32_t bucket = threadIdx.x; bucket < 1u << job.bits; bucket += blockDim.x)
    block.counts[bucket] = 0;
  __syncthreads();
  move_tile(job, tile, block);
}

} // namespace cdp::by

#endif
