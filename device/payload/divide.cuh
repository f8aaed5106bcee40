/* SPDX-License-Identifier: MIT */
/*
 * Division of arrays into buckets by splitters that are given (buckets.h): the stable partition of tile_partition.cuh.
 *
 * 1. A bucket's number is the number of splitters that do not come behind the key: a walk down a search tree in shared memory, laid out
 *    level by level, so that the lanes of a warp read a level without conflict as long as it has no more nodes than there are banks.
 *    (Super scalar sample sort: Sanders and Winkel 2004; on a GPU: Leischner, Osipov and Sanders 2010.)
 * 2. There may be thousands of tiles with a counter for each of a thousand buckets. So a part is several tiles, if there are many,
 *    and the block that writes it goes from tile to tile.
 * 3. It is found once, by the block that counts, and written down: a search takes longer than to read a byte or two.
 *
 * Splitters that are not in order give some number to every key, less than that of the buckets and the same each time: nothing is
 * lost, and nothing is written elsewhere.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_DIVIDE_CUH
#define CDPSORT_DEVICE_PAYLOAD_DIVIDE_CUH

#include "payload/tile_partition.cuh"

namespace cdp::CDP_RUNTIME {

constexpr DivideShape DIVIDE_SHAPE = divide_shape(DEVICE_KIND == DeviceKind::simulated);
constexpr uint32_t DIVIDE_THREADS = DIVIDE_SHAPE.threads;
constexpr uint32_t DIVIDE_ITEMS = DIVIDE_SHAPE.items;
constexpr uint32_t DIVIDE_TILE = DIVIDE_THREADS * DIVIDE_ITEMS;
constexpr uint32_t MAX_DIVIDE_BUCKETS = 1u << MAX_DIVIDE_BITS;
static_assert(CDP_SPLITTERS_MAX == MAX_DIVIDE_BUCKETS - 1, "the public header states it");
static_assert((CDP_PAIRS_COUNT_MAX / DIVIDE_SHAPE.max_parts + DIVIDE_TILE) * DIVIDE_THREADS < CDP_PAIRS_COUNT_MAX ||
                  DEVICE_KIND == DeviceKind::simulated,
              "what as many parts as a block has threads have of a bucket is counted in 32 bits");

/* Blocks that divide, to a multiprocessor, and so 64 registers to a thread: see regroup.cuh. */
constexpr uint32_t RESIDENT_DIVIDERS = 2;

/* Buckets of a thread: consecutive ones. */
constexpr uint32_t THREAD_BUCKETS = (MAX_DIVIDE_BUCKETS + DIVIDE_THREADS - 1) / DIVIDE_THREADS;

template <typename Raw>
struct Division : BucketPartition<Raw, uint64_t> {
  const Raw *splitters;
  uint32_t splitter_count;
  uint32_t bits;        /* of a bucket's number */
  uint32_t part_tiles;  /* of each part but the last */
  unsigned char *found; /* each key's bucket */
  Raw *divided_keys;
  uint64_t *begins; /* the caller's: where each bucket begins, and the count */

  __host__ __device__ __forceinline__ uint32_t buckets() const {
    return splitter_count + 1;
  }
  __device__ __forceinline__ void write_found(uint64_t index, uint32_t bucket) const {
    if (bits <= DIVIDE_BYTE_BITS)
      found[index] = static_cast<uint8_t>(bucket);
    else
      reinterpret_cast<uint16_t *>(found)[index] = static_cast<uint16_t>(bucket);
  }
  /* Calls work(where it begins) for each tile of the block's part. */
  template <typename Work>
  __device__ __forceinline__ void for_each_tile(Work work) const {
    const uint64_t first = uint64_t{blockIdx.x} * part_tiles * DIVIDE_TILE;
    for (uint32_t tile = 0; tile < part_tiles; tile++) {
      const uint64_t begin = first + uint64_t{tile} * DIVIDE_TILE;
      if (begin >= this->count)
        return;
      work(begin);
    }
  }
};

/* ---- Buckets ----------------------------------------------------------------------------------------------------------- */

/* Splitters as a search tree: node i has the children 2i and 2i + 1; 0 is unused. */
template <typename Raw>
struct DivisionTree {
  EnteredKey<Raw> nodes[MAX_DIVIDE_BUCKETS];

  /* All threads take part; ends with a barrier. */
  __device__ __forceinline__ void plant(const Division<Raw> &division) {
    const uint32_t all = 1u << division.bits;
    for (uint32_t node = threadIdx.x + 1; node < all; node += DIVIDE_THREADS) {
      const uint32_t level_nodes = 1u << (31 - __clz(static_cast<int>(node)));
      const uint32_t splitter = (2 * (node - level_nodes) + 1) * (all / level_nodes / 2) - 1;
      nodes[node] = splitter < division.splitter_count
                        ? static_cast<EnteredKey<Raw>>(division.entry.enter(division.splitters[splitter]))
                        : GREATEST<EnteredKey<Raw>>;
    }
    __syncthreads();
  }
};

/* What is kept of a key. */
template <typename Raw>
struct DividedKey {
  Raw key;
  uint32_t bucket;
};

/* What hold_tile() asks for, of a block that counts. */
template <typename Raw>
struct FindBuckets {
  using Held = DividedKey<Raw>;

  const Division<Raw> &partition;
  const DivisionTree<Raw> &tree;

  __device__ __forceinline__ static Held hold(Raw key, uint64_t) {
    return {key, 1};
  }
  __device__ __forceinline__ static Held missing() {
    return {0, 1};
  }
  /* All keys go down a level together, so that a thread has as many reads on their way. A key that is as great as what stands for
     missing splitters goes beyond the last one. */
  __device__ __forceinline__ void find_buckets(Held (&held)[DIVIDE_ITEMS]) const {
    EnteredKey<Raw> entered[DIVIDE_ITEMS];
#pragma unroll
    for (uint32_t item = 0; item < DIVIDE_ITEMS; item++)
      entered[item] = static_cast<EnteredKey<Raw>>(partition.entry.enter(held[item].key));
    for (uint32_t level = 0; level < partition.bits; level++) {
#pragma unroll
      for (uint32_t item = 0; item < DIVIDE_ITEMS; item++) {
        const uint32_t node = held[item].bucket;
        held[item].bucket = 2 * node + (tree.nodes[node] <= entered[item] ? 1 : 0);
      }
    }
#pragma unroll
    for (uint32_t item = 0; item < DIVIDE_ITEMS; item++)
      held[item].bucket = min(held[item].bucket - (1u << partition.bits), partition.splitter_count);
  }
};

/* ---- Count ------------------------------------------------------------------------------------------------------------- */

template <typename Raw>
struct PartBuckets {
  DivisionTree<Raw> tree;
  uint32_t counts[MAX_DIVIDE_BUCKETS];
};

/* Lanes with the same bucket may all add to its counter: keys that are all in one bucket take no longer (H200,
   docs/lab/2026-11-25-division.md). */
template <bool FULL, typename Raw>
__device__ __forceinline__ void count_tile_keys(const FindBuckets<Raw> &rule, uint64_t begin,
                                                uint32_t (&counts)[MAX_DIVIDE_BUCKETS]) {
  const uint32_t items = static_cast<uint32_t>(min(rule.partition.count - begin, uint64_t{DIVIDE_TILE}));
  DividedKey<Raw> held[DIVIDE_ITEMS];
  hold_tile<FULL>(rule, begin, items, held);
#pragma unroll
  for (uint32_t item = 0; item < DIVIDE_ITEMS; item++) {
    const uint32_t index = item_of_piece<DIVIDE_ITEMS>(item);
    if (!FULL && index >= items)
      continue;
    rule.partition.write_found(begin + index, held[item].bucket);
    atomicAdd(&counts[held[item].bucket], 1u);
  }
}

template <typename Raw>
__global__ void __launch_bounds__(DIVIDE_THREADS)
    // cppcheck-suppress passedByValue
    count_part_buckets_kernel(const __grid_constant__ Division<Raw> division) {
  auto &block = block_shared<PartBuckets<Raw>>();
  const FindBuckets<Raw> rule = {division, block.tree};
  for (uint32_t bucket = threadIdx.x; bucket < division.buckets(); bucket += DIVIDE_THREADS)
    block.counts[bucket] = 0;
  block.tree.plant(division);
  division.for_each_tile([&](uint64_t begin) {
    if (division.count - begin >= DIVIDE_TILE)
      count_tile_keys<true>(rule, begin, block.counts);
    else
      count_tile_keys<false>(rule, begin, block.counts);
  });
  __syncthreads();
  for (uint32_t bucket = threadIdx.x; bucket < division.buckets(); bucket += DIVIDE_THREADS)
    division.part_counts[uint64_t{bucket} * division.parts + blockIdx.x] = block.counts[bucket];
}

/* ---- Scatter ----------------------------------------------------------------------------------------------------------- */

template <typename Raw>
struct DivideBlock : PartitionBlock<DIVIDE_THREADS, DIVIDE_ITEMS, MAX_DIVIDE_BUCKETS> {
  uint32_t warp_totals[WARP_LANES];
  uint64_t warp_keys[WARP_LANES];
};
static_assert(sizeof(DivideBlock<uint64_t>) <= 96 * 1024, "what 7.0 lets a block have, the least of all kinds of devices");
static_assert(DEVICE_KIND != DeviceKind::simulated || sizeof(DivideBlock<uint8_t>) > 48 * 1024,
              "what must be asked for on the GPU (allow_shared_bytes()) must be on the simulated device, lest it be forgotten");

/* The rule of TilePartition: block.begins has, between two tiles, where the next key of each bucket belongs. Found: how a bucket was
   written down. */
template <typename Raw, typename Found>
struct DivideRule {
  using Block = DivideBlock<Raw>;
  using Held = DividedKey<Raw>;

  const Division<Raw> &partition;
  Block &block;

  __device__ __forceinline__ uint32_t bits() const {
    return partition.bits;
  }
  __device__ __forceinline__ Held hold(Raw key, uint64_t index) const {
    return {key, reinterpret_cast<const Found *>(partition.found)[index]};
  }
  __device__ __forceinline__ static Held missing() {
    return {0, 0};
  }
  __device__ __forceinline__ static void find_buckets(Held (&)[DIVIDE_ITEMS]) {}
  __device__ __forceinline__ static uint32_t bucket(const Held &held) {
    return held.bucket;
  }

  /* Calls work(a bucket, which of the thread's it is) for each bucket of the thread's. */
  template <typename Work>
  __device__ __forceinline__ void for_each_bucket(Work work) const {
#pragma unroll
    for (uint32_t each = 0; each < THREAD_BUCKETS; each++) {
      const uint32_t bucket = threadIdx.x * THREAD_BUCKETS + each;
      if (bucket < partition.buckets())
        work(bucket, each);
    }
  }

  /* Where the part's first key of each bucket belongs; the first block tells the caller where the buckets begin. All threads take
     part; one barrier. */
  __device__ __forceinline__ void find_begins() const {
    uint64_t sum = 0;
    uint64_t all;
    for_each_bucket([&](uint32_t bucket, uint32_t) { sum += partition.totals[bucket]; });
    uint64_t lower = lower_threads_sum<Block::WARPS>(sum, block.warp_keys, all);
    for_each_bucket([&](uint32_t bucket, uint32_t) {
      block.begins[bucket] = lower + partition.part_counts[uint64_t{bucket} * partition.parts + blockIdx.x];
      if (blockIdx.x == 0)
        partition.begins[bucket] = lower;
      lower += partition.totals[bucket];
    });
    if (blockIdx.x == 0 && threadIdx.x == 0)
      partition.begins[partition.buckets()] = partition.count;
  }

  /* Each warp's own. No barrier. */
  __device__ __forceinline__ void clear_counts() const {
    auto *counters = reinterpret_cast<uint32_t *>(block.warp_counts[threadIdx.x / WARP_LANES]);
    for (uint32_t pair = threadIdx.x % WARP_LANES; 2 * pair < partition.buckets(); pair += WARP_LANES)
      counters[pair] = 0;
  }

  __device__ __forceinline__ void place_buckets() const {
    uint32_t counts[THREAD_BUCKETS] = {};
    uint32_t sum = 0;
    for_each_bucket([&](uint32_t bucket, uint32_t each) {
      for (uint32_t warp = 0; warp < Block::WARPS; warp++) {
        const uint32_t count = block.warp_counts[warp][bucket];
        block.warp_counts[warp][bucket] = static_cast<uint16_t>(counts[each]);
        counts[each] += count;
      }
      sum += counts[each];
    });
    uint32_t all;
    uint32_t lower = lower_threads_sum<Block::WARPS>(sum, block.warp_totals, all);
    for_each_bucket([&](uint32_t bucket, uint32_t each) {
      block.tile_begins[bucket] = lower;
      block.begins[bucket] -= lower;
      lower += counts[each];
    });
    __syncthreads();
  }

  /* Behind a tile that has as many keys as may be. All threads take part; no barrier. */
  __device__ __forceinline__ void go_on() const {
    for_each_bucket([&](uint32_t bucket, uint32_t) {
      block.begins[bucket] += bucket == partition.splitter_count ? DIVIDE_TILE : block.tile_begins[bucket + 1];
    });
  }

  __device__ __forceinline__ void stage(uint32_t place, const DividedKey<Raw> &held) const {
    block.stage[place] = held.key;
  }
  __device__ __forceinline__ void write(uint64_t place, uint32_t staged) const {
    partition.divided_keys[place] = static_cast<Raw>(block.stage[staged]);
  }
};

template <typename Raw, typename Found>
__global__ void __launch_bounds__(DIVIDE_THREADS, RESIDENT_DIVIDERS)
    // cppcheck-suppress passedByValue
    divide_kernel(const __grid_constant__ Division<Raw> division) {
  auto &block = block_shared<DivideBlock<Raw>>();
  const DivideRule<Raw, Found> rule = {division, block};
  rule.find_begins();
  division.for_each_tile([&](uint64_t begin) {
    rule.clear_counts();
    partition_tile(rule, begin);
    rule.go_on();
  });
}

} // namespace cdp::CDP_RUNTIME

#endif
