/* SPDX-License-Identifier: MIT */
/*
 * Bringing arrays into the order of their keys' upper bits before the sort, so that what is gathered behind it lies close together.
 *
 * 1. Device memory is read in pieces of 64 bytes, so that values of 8 that are gathered from anywhere take eight times what they have.
 * 2. The cache that all multiprocessors share holds some tens of megabytes.
 * 3. A sort of items gives the positions of one key after another: of keys that are close together, if arrays were in their order.
 * Therefore arrays that are larger than that cache are divided into buckets by the upper bits of their keys' distances, or by as many
 * pieces of a sample each (window.cuh), each so short that it stays in the cache, by one read and one write of all of them; and what goes
 * into an item is the position in its bucket's part of the new arrays. It is a stable partition, so that equal keys keep the order of the
 * input:
 *
 *     look at all keys ──▶ count each tile's buckets ──▶ add up each bucket's counts ──▶ scatter, and make the items
 *
 * A bucket of pieces is a node of their search tree. A key's piece is found once, by the block that counts, and written down. What else
 * there is to know of a piece is read when keys lie by buckets, so that a warp's lanes read a few of them.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_REGROUP_CUH
#define CDPSORT_DEVICE_PAYLOAD_REGROUP_CUH

#include "payload/count_pieces.cuh"
#include "payload/tile_partition.cuh"

namespace cdp::CDP_RUNTIME {

constexpr RegroupShape REGROUP_SHAPE = regroup_shape(DEVICE_KIND == DeviceKind::simulated);
constexpr uint32_t REGROUP_THREADS = REGROUP_SHAPE.threads;
constexpr uint32_t REGROUP_ITEMS = REGROUP_SHAPE.items;
constexpr uint32_t REGROUP_TILE = REGROUP_THREADS * REGROUP_ITEMS;
constexpr uint32_t MAX_REGROUP_BUCKETS = 1u << REGROUP_SHAPE.max_bits;

/* Blocks that regroup, to a multiprocessor, and so 64 registers to a thread: with 84 there is room for one block, which takes half as
   long again, and with 40, for three, as much is spilled (H200). */
constexpr uint32_t RESIDENT_REGROUPERS = 2;

/* Sums of a bucket wrap around where it has all of 2^32 keys, and nobody asks for that one. */
template <typename Raw>
struct Regrouping : BucketPartition<Raw, uint32_t> {
  uint32_t low_bits;
  uint32_t bucket_bits;
  WindowPieces pieces;
  uint32_t counters; /* blocks that count by pieces, as many as run at a time; 0: all */
  uint64_t *items;

  __device__ __forceinline__ uint32_t buckets() const {
    return 1u << bucket_bits;
  }
  /* How far a key goes down the tree: to its piece; those of up to 4 bytes, whose items have all of them, to its bucket. */
  __device__ __forceinline__ uint32_t levels() const {
    return sizeof(Raw) == 8 ? pieces.levels : bucket_bits;
  }
  __device__ __forceinline__ uint32_t bucket_of_node(uint32_t node) const {
    return node >> (levels() - bucket_bits);
  }
};

/* ---- Count ------------------------------------------------------------------------------------------------------------- */

struct TileCounts {
  PieceCounts pieces;
  uint32_t counts[MAX_REGROUP_BUCKETS];
};
static_assert(MAX_REGROUP_BUCKETS <= FEW_WINDOW_PIECES, "a bucket is a node");

/* All threads of the block take part. */
template <typename Raw, typename CountTile>
__device__ __forceinline__ void count_tiles(const Regrouping<Raw> &regrouping, uint32_t blocks, TileCounts &block,
                                            CountTile count_tile) {
  for (uint32_t tile = blockIdx.x; tile < regrouping.parts; tile += blocks) {
    for (uint32_t bucket = threadIdx.x; bucket < regrouping.buckets(); bucket += REGROUP_THREADS)
      block.counts[bucket] = 0;
    __syncthreads();
    count_tile(uint64_t{tile} * REGROUP_TILE);
    __syncthreads();
    for (uint32_t bucket = threadIdx.x; bucket < regrouping.buckets(); bucket += REGROUP_THREADS)
      regrouping.part_counts[uint64_t{bucket} * regrouping.parts + tile] = block.counts[bucket];
  }
}

/* By pieces, which are counted, too, and written down. All threads of the block take part. */
template <typename Raw>
__device__ __forceinline__ void count_tiles_by_pieces(const Regrouping<Raw> &regrouping, TileCounts &block) {
  static_assert(REGROUP_ITEMS % TOGETHER == 0, "a tile");
  const uint32_t blocks = regrouping.counters != 0 ? min(regrouping.counters, gridDim.x) : gridDim.x;
  if (blockIdx.x >= blocks)
    return;
  begin_count<REGROUP_THREADS>(regrouping.pieces, regrouping.levels(), block.pieces);
  count_tiles(regrouping, blocks, block, [&](uint64_t begin) {
    for (uint32_t item = 0; item < REGROUP_ITEMS; item += TOGETHER)
      for_each_node<REGROUP_THREADS>(
          regrouping.pieces, block.pieces, regrouping.levels(), begin + item * REGROUP_THREADS + threadIdx.x,
          [&](uint64_t index) { return regrouping.entry.enter(regrouping.keys[index]); },
          [&](uint32_t node) {
            atomicAdd(&block.counts[regrouping.bucket_of_node(node)], 1u);
            if (sizeof(Raw) == 8)
              atomicAdd(&block.pieces.counts[node], 1u);
          });
  });
  if (sizeof(Raw) == 8)
    end_count<REGROUP_THREADS>(regrouping.pieces, blocks, block.pieces);
}

template <typename Raw>
__global__ void __launch_bounds__(REGROUP_THREADS, RESIDENT_COUNTERS)
    // cppcheck-suppress passedByValue
    count_tile_buckets_kernel(const __grid_constant__ Regrouping<Raw> regrouping) {
  auto &block = block_shared<TileCounts>();
  if (regrouping.pieces.are_learnt())
    return count_tiles_by_pieces(regrouping, block);
  with_upper_bits(*regrouping.pieces.extremes, regrouping.bucket_bits, [&](const auto &bucket_of) {
    count_tiles(regrouping, gridDim.x, block, [&](uint64_t begin) {
#pragma unroll
      for (uint32_t item = 0; item < REGROUP_ITEMS; item++) {
        const uint64_t index = begin + item * REGROUP_THREADS + threadIdx.x;
        if (index < regrouping.count)
          atomicAdd(&block.counts[bucket_of(regrouping.entry.enter(regrouping.keys[index]))], 1u);
      }
    });
  });
}

/* ---- Scatter ----------------------------------------------------------------------------------------------------------- */

struct RegroupBlock : PartitionBlock<REGROUP_THREADS, REGROUP_ITEMS, MAX_REGROUP_BUCKETS> {
  uint16_t pieces[TILE]; /* of what is in the stage */
};
static_assert(std::max(sizeof(TileCounts), sizeof(RegroupBlock)) <= 96 * 1024,
              "what 7.0 lets a block have, the least of all kinds");

/* Turns a number of each bucket into the sum of those of all lower ones. All lanes of one warp take part. */
template <typename Number>
__device__ __forceinline__ void add_up_buckets(Number (&numbers)[MAX_REGROUP_BUCKETS]) {
  constexpr uint32_t EACH = MAX_REGROUP_BUCKETS / WARP_LANES;
  Number *own = numbers + threadIdx.x % WARP_LANES * EACH;
  Number sum = 0;
  for (uint32_t index = 0; index < EACH; index++)
    sum += own[index];
  Number lower = warp_inclusive_sum(sum) - sum;
  for (uint32_t index = 0; index < EACH; index++) {
    const Number number = own[index];
    own[index] = lower;
    lower += number;
  }
}

/* How a tile's keys find their buckets and, those of 8 bytes, their windows: by upper bits. */
template <typename Raw, typename Bits>
struct RegroupByUpperBits {
  using Held = EnteredKey<Raw>;

  const Regrouping<Raw> &regrouping;
  Bits bucket_of;
  Bits window_of;

  __device__ __forceinline__ explicit RegroupByUpperBits(const Regrouping<Raw> &given)
      : regrouping(given), bucket_of(*given.pieces.extremes, given.bucket_bits),
        window_of(*given.pieces.extremes, 64 - given.low_bits) {}

  __device__ __forceinline__ Held hold(Raw key, uint64_t) const {
    return static_cast<Held>(regrouping.entry.enter(key));
  }
  __device__ __forceinline__ Held missing() const {
    return static_cast<Held>(regrouping.pieces.extremes->least());
  }
  __device__ __forceinline__ uint32_t bucket(Held held) const {
    return static_cast<uint32_t>(bucket_of(held));
  }
  __device__ __forceinline__ void stage(RegroupBlock &block, uint32_t place, Held held) const {
    block.stage[place] = sizeof(Raw) == 8 ? window_of(held) : held;
  }
  __device__ __forceinline__ static uint64_t window(const RegroupBlock &block, uint32_t staged, uint64_t) {
    return block.stage[staged];
  }
};

/* By pieces. */
template <typename Raw>
struct RegroupByPieces {
  struct Held {
    EnteredKey<Raw> entered;
    uint32_t node;
  };

  const Regrouping<Raw> &regrouping;

  __device__ __forceinline__ explicit RegroupByPieces(const Regrouping<Raw> &given) : regrouping(given) {}

  __device__ __forceinline__ Held hold(Raw key, uint64_t index) const {
    return {static_cast<EnteredKey<Raw>>(regrouping.entry.enter(key)), regrouping.pieces.found[index]};
  }
  __device__ __forceinline__ static Held missing() {
    return {0, 0};
  }
  __device__ __forceinline__ uint32_t bucket(const Held &held) const {
    return regrouping.bucket_of_node(held.node);
  }
  __device__ __forceinline__ void stage(RegroupBlock &block, uint32_t place, const Held &held) const {
    block.stage[place] = sizeof(Raw) == 8 ? KeyDistance(*regrouping.pieces.extremes)(held.entered) : held.entered;
    block.pieces[place] = static_cast<uint16_t>(held.node);
  }
  /* position: of equal keys as they are in order. */
  __device__ __forceinline__ uint64_t window(const RegroupBlock &block, uint32_t staged, uint64_t position) const {
    if constexpr (sizeof(Raw) == 8)
      return regrouping.pieces.window(block.pieces[staged], block.stage[staged], position);
    else
      return block.stage[staged];
  }
};

/* The rule of TilePartition, for a tile: keys become items. */
template <typename Raw, typename Way>
struct RegroupRule {
  using Block = RegroupBlock;
  using Held = typename Way::Held;

  const Regrouping<Raw> &partition;
  RegroupBlock &block;
  const Way &way;
  uint32_t tile;

  __device__ __forceinline__ static constexpr uint32_t bits() {
    return REGROUP_SHAPE.max_bits;
  }
  __device__ __forceinline__ Held hold(Raw key, uint64_t index) const {
    return way.hold(key, index);
  }
  __device__ __forceinline__ Held missing() const {
    return way.missing();
  }
  __device__ __forceinline__ void find_buckets(Held (&)[REGROUP_ITEMS]) const {}
  __device__ __forceinline__ uint32_t bucket(const Held &held) const {
    return way.bucket(held);
  }

  __device__ __forceinline__ void place_buckets() const {
    for (uint32_t bucket = threadIdx.x; bucket < MAX_REGROUP_BUCKETS; bucket += REGROUP_THREADS) {
      uint32_t lower_warps = 0;
      for (uint32_t warp = 0; warp < RegroupBlock::WARPS && bucket < partition.buckets(); warp++) {
        const uint32_t count = block.warp_counts[warp][bucket];
        block.warp_counts[warp][bucket] = static_cast<uint16_t>(lower_warps);
        lower_warps += count;
      }
      block.tile_begins[bucket] = lower_warps;
      block.begins[bucket] = bucket < partition.buckets() ? partition.totals[bucket] : 0;
    }
    __syncthreads();
    if (threadIdx.x < WARP_LANES)
      add_up_buckets(block.tile_begins);
    else if (threadIdx.x < 2 * WARP_LANES)
      add_up_buckets(block.begins);
    __syncthreads();
    for (uint32_t bucket = threadIdx.x; bucket < partition.buckets(); bucket += REGROUP_THREADS) {
      const uint64_t lower_tiles = partition.part_counts[uint64_t{bucket} * partition.parts + tile];
      block.begins[bucket] += lower_tiles - block.tile_begins[bucket];
    }
  }

  __device__ __forceinline__ void stage(uint32_t place, const Held &held) const {
    way.stage(block, place, held);
  }
  /* Above the position in an item is the entered key or, of 8 bytes, its window. Equal keys of a tile are staged as they are in order. */
  __device__ __forceinline__ void write(uint64_t place, uint32_t staged) const {
    const uint64_t window = way.window(block, staged, uint64_t{tile} * REGROUP_TILE + staged);
    partition.items[place] = window << partition.low_bits | place;
  }
};

/* All threads of the block take part. */
template <typename Raw, typename Way>
__device__ __forceinline__ void regroup_tiles(const Regrouping<Raw> &regrouping, const Way &way, RegroupBlock &block) {
  auto *counters = reinterpret_cast<uint32_t *>(block.warp_counts);
  for (uint32_t tile = blockIdx.x; tile < regrouping.parts; tile += gridDim.x) {
    for (uint32_t pair = threadIdx.x; pair < sizeof block.warp_counts / sizeof *counters; pair += REGROUP_THREADS)
      counters[pair] = 0;
    partition_tile(RegroupRule<Raw, Way>{regrouping, block, way, tile}, uint64_t{tile} * REGROUP_TILE);
    __syncthreads();
  }
}

template <typename Raw>
__global__ void __launch_bounds__(REGROUP_THREADS, RESIDENT_REGROUPERS)
    // cppcheck-suppress passedByValue
    regroup_kernel(const __grid_constant__ Regrouping<Raw> regrouping) {
  auto &block = block_shared<RegroupBlock>();
  if (regrouping.pieces.are_learnt())
    return regroup_tiles(regrouping, RegroupByPieces<Raw>(regrouping), block);
  with_upper_bits(*regrouping.pieces.extremes, regrouping.bucket_bits, [&](const auto &bucket_of) {
    using Bits = std::decay_t<decltype(bucket_of)>;
    regroup_tiles(regrouping, RegroupByUpperBits<Raw, Bits>(regrouping), block);
  });
}

/* ---- Launches ---------------------------------------------------------------------------------------------------------- */

/* Launches all of it, behind what is learnt of the keys. Returns the first cudaError_t. */
template <typename Raw>
int regroup(const Regrouping<Raw> &regrouping, void *stream) {
  static OncePerContext allowance;
  const int error = allowance.see_to([] {
    const int counting = allow_shared_bytes(count_tile_buckets_kernel<Raw>, sizeof(TileCounts));
    return counting != LAUNCH_OK ? counting : allow_shared_bytes(regroup_kernel<Raw>, sizeof(RegroupBlock));
  });
  if (error != LAUNCH_OK)
    return error;
  return launch_partition_kernels<REGROUP_THREADS>(regrouping, 1u << regrouping.bucket_bits, sizeof(TileCounts),
                                                   sizeof(RegroupBlock), count_tile_buckets_kernel<Raw>, regroup_kernel<Raw>,
                                                   stream);
}

} // namespace cdp::CDP_RUNTIME

#endif
