/* SPDX-License-Identifier: MIT */
/*
 * Bringing arrays into the order of their keys' upper bits before the sort, so that what is gathered behind it lies close together.
 *
 * 1. Device memory is read in pieces of 64 bytes, so that values of 8 that are gathered from anywhere take eight times what they have.
 * 2. The cache that all multiprocessors share holds some tens of megabytes.
 * 3. A sort of items gives the positions of one key after another: of keys that are close together, if arrays were in their order.
 * Therefore arrays that are larger than that cache are divided into buckets by the upper bits of their keys' distances (window.cuh),
 * each so short that it stays in the cache, by one read and one write of all of them; and what goes into an item is the position
 * in its bucket's part of the new arrays. It is a stable partition, so that equal keys keep the order of the input:
 *
 *     least and greatest key ──▶ count each tile's buckets ──▶ add up each bucket's counts ──▶ scatter, and make the items
 *
 * Where windows are by octaves, so are the buckets. Where the keys are in few buckets all the same, because they are spread unevenly, the
 * gathering takes as long as it would without.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_REGROUP_CUH
#define CDPSORT_DEVICE_PAYLOAD_REGROUP_CUH

#include "payload/tile_partition.cuh"
#include "payload/window.cuh"

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
  const KeyExtremes *extremes;
  uint64_t *items;

  __device__ __forceinline__ uint32_t buckets() const {
    return 1u << bucket_bits;
  }
};

/* How an entered key's bucket is found, and its window: of distances from the least key, whose upper bits are both; or of others
   (window.cuh). */
struct PlainRegrouping {
  using Window = UpperBits;

  UpperBits upper_bits;

  __device__ __forceinline__ PlainRegrouping(const KeyExtremes &extremes, uint32_t bucket_bits)
      : upper_bits(extremes, bucket_bits) {}

  __device__ __forceinline__ uint32_t operator()(uint64_t entered) const {
    return static_cast<uint32_t>(upper_bits(entered));
  }
};
struct AnyRegrouping {
  using Window = cdp::CDP_RUNTIME::Window;

  KeyDistance distance;
  uint32_t dropped_bits;
  uint32_t bucket_bits;
  WindowForm form;

  __device__ __forceinline__ AnyRegrouping(const KeyExtremes &extremes, uint32_t number_bits)
      : distance(extremes), dropped_bits(extremes.dropped_bits(number_bits)), bucket_bits(number_bits), form(extremes.form) {}

  __device__ __forceinline__ uint32_t operator()(uint64_t entered) const {
    const uint64_t far = distance(entered);
    if (form == WindowForm::upper_bits)
      return static_cast<uint32_t>(far >> dropped_bits);
    return form == WindowForm::from_least ? by_octaves(far) : (1u << bucket_bits) - 1 - by_octaves(~far);
  }

private:
  static constexpr uint32_t OCTAVE_BITS = 2; /* 64 octaves have no more than 2^8 steps then */
  static_assert(REGROUP_SHAPE.max_bits <= 6 + OCTAVE_BITS, "a bucket has as many as there are");

  __device__ __forceinline__ uint32_t by_octaves(uint64_t far) const {
    return static_cast<uint32_t>(octave_number(far, OCTAVE_BITS)) >> (6 + OCTAVE_BITS - bucket_bits);
  }
};

/* Calls use(bucket_of), with the way that the keys need. */
template <typename Raw, typename Use>
__device__ __forceinline__ void with_buckets(const Regrouping<Raw> &regrouping, Use use) {
  if (regrouping.extremes->are_plain())
    use(PlainRegrouping(*regrouping.extremes, regrouping.bucket_bits));
  else
    use(AnyRegrouping(*regrouping.extremes, regrouping.bucket_bits));
}

/* ---- Count ------------------------------------------------------------------------------------------------------------- */

struct TileCounts {
  uint32_t counts[MAX_REGROUP_BUCKETS];
};

/* All threads of the block take part. */
template <typename Raw, typename BucketOf>
__device__ __forceinline__ void count_tile_buckets(const Regrouping<Raw> &regrouping, const BucketOf &bucket_of,
                                                   TileCounts &block) {
  for (uint32_t tile = blockIdx.x; tile < regrouping.parts; tile += gridDim.x) {
    const uint64_t begin = uint64_t{tile} * REGROUP_TILE;
    for (uint32_t bucket = threadIdx.x; bucket < regrouping.buckets(); bucket += REGROUP_THREADS)
      block.counts[bucket] = 0;
    __syncthreads();
#pragma unroll
    for (uint32_t item = 0; item < REGROUP_ITEMS; item++) {
      const uint64_t index = begin + item * REGROUP_THREADS + threadIdx.x;
      if (index < regrouping.count)
        atomicAdd(&block.counts[bucket_of(regrouping.entry.enter(regrouping.keys[index]))], 1u);
    }
    __syncthreads();
    for (uint32_t bucket = threadIdx.x; bucket < regrouping.buckets(); bucket += REGROUP_THREADS)
      regrouping.part_counts[uint64_t{bucket} * regrouping.parts + tile] = block.counts[bucket];
  }
}

template <typename Raw>
__global__ void __launch_bounds__(REGROUP_THREADS)
    // cppcheck-suppress passedByValue
    count_tile_buckets_kernel(const __grid_constant__ Regrouping<Raw> regrouping) {
  auto &block = block_shared<TileCounts>();
  if (is_wanted(regrouping.wanted))
    with_buckets(regrouping, [&](const auto &bucket_of) { count_tile_buckets(regrouping, bucket_of, block); });
}

/* ---- Scatter ----------------------------------------------------------------------------------------------------------- */

using RegroupBlock = PartitionBlock<REGROUP_THREADS, REGROUP_ITEMS, MAX_REGROUP_BUCKETS>;
static_assert(sizeof(RegroupBlock) <= 48 * 1024, "every block may have so much");

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

/* The rule of TilePartition, for a tile: keys become items. */
template <typename Raw, typename BucketOf>
struct RegroupRule {
  using Block = RegroupBlock;
  using Held = EnteredKey<Raw>;

  const Regrouping<Raw> &partition;
  RegroupBlock &block;
  BucketOf bucket_of;
  uint32_t tile;

  __device__ __forceinline__ static constexpr uint32_t bits() {
    return REGROUP_SHAPE.max_bits;
  }
  __device__ __forceinline__ Held hold(Raw key, uint64_t) const {
    return static_cast<Held>(partition.entry.enter(key));
  }
  __device__ __forceinline__ Held missing() const {
    return static_cast<Held>(partition.extremes->least());
  }
  __device__ __forceinline__ void find_buckets(Held (&)[REGROUP_ITEMS]) const {}
  __device__ __forceinline__ uint32_t bucket(Held held) const {
    return bucket_of(held);
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

  /* What is above the position in an item: the entered key or, of 8 bytes, its window. */
  __device__ __forceinline__ uint64_t staged(Held entered) const {
    if constexpr (sizeof(Raw) == 8)
      return typename BucketOf::Window(*partition.extremes, 64 - partition.low_bits)(entered);
    else
      return entered;
  }
  __device__ __forceinline__ void write(uint64_t place, uint64_t item_key) const {
    partition.items[place] = item_key << partition.low_bits | place;
  }
};

/* All threads of the block take part. */
template <typename Raw, typename BucketOf>
__device__ __forceinline__ void regroup_tiles(const Regrouping<Raw> &regrouping, const BucketOf &bucket_of,
                                              RegroupBlock &block) {
  auto *counters = reinterpret_cast<uint32_t *>(block.warp_counts);
  for (uint32_t tile = blockIdx.x; tile < regrouping.parts; tile += gridDim.x) {
    for (uint32_t pair = threadIdx.x; pair < sizeof block.warp_counts / sizeof *counters; pair += REGROUP_THREADS)
      counters[pair] = 0;
    partition_tile(RegroupRule<Raw, BucketOf>{regrouping, block, bucket_of, tile}, uint64_t{tile} * REGROUP_TILE);
    __syncthreads();
  }
}

template <typename Raw>
__global__ void __launch_bounds__(REGROUP_THREADS, RESIDENT_REGROUPERS)
    // cppcheck-suppress passedByValue
    regroup_kernel(const __grid_constant__ Regrouping<Raw> regrouping) {
  auto &block = block_shared<RegroupBlock>();
  if (is_wanted(regrouping.wanted))
    with_buckets(regrouping, [&](const auto &bucket_of) { regroup_tiles(regrouping, bucket_of, block); });
}

/* ---- Launches ---------------------------------------------------------------------------------------------------------- */

/* Launches all of it, behind what finds the extremes. Returns the first cudaError_t. */
template <typename Raw>
int regroup(const Regrouping<Raw> &regrouping, void *stream) {
  return launch_partition_kernels<REGROUP_THREADS>(regrouping, 1u << regrouping.bucket_bits, sizeof(TileCounts),
                                                   sizeof(RegroupBlock), count_tile_buckets_kernel<Raw>, regroup_kernel<Raw>,
                                                   stream);
}

} // namespace cdp::CDP_RUNTIME

#endif
