/* SPDX-License-Identifier: MIT */
/*
 * The splitters of a level: a block for each parent draws a sample, sorts it, and takes every so many-th of it.
 *
 * 1. Sample positions are drawn by the seed, one from each of as many equal stretches of the parent: no order of the input, such
 *    as a sorted one, is a bad one.
 * 2. Of splitters that are equivalent one is kept, with a bucket of its own for what is equivalent to it: that bucket is done. So
 *    there are at most as many buckets as without equivalent ones, 2^bits, and a value that is frequent is sorted no further.
 * 3. Splitters are laid out as a tree, so that lanes which bisect read different banks for as many levels as a bank has words.
 *
 * Which splitters are equivalent is found out once, each by one thread, and written down: that the buckets are no more than 2^bits
 * follows from what is written, whatever the comparison is.
 *
 * The sample sort is that of Peter Sanders and Sebastian Winkel, "Super Scalar Sample Sort", 2004.
 */
#ifndef CDPSORT_BY_CHOOSE_CUH
#define CDPSORT_BY_CHOOSE_CUH

#include "cdpsort/by/tile_sort.cuh"

namespace cdp::by {

template <typename Item>
struct ChooseBlock {
  static constexpr uint32_t THREADS = SHAPE<Item>.sample_threads;
  static constexpr uint32_t BUCKETS = 1u << SHAPE<Item>.level_bits;
  static constexpr uint32_t MASKS = (BUCKETS + LANES - 1) / LANES;

  SortBlock<Item, THREADS> sort;
  uint16_t picked[BUCKETS];     /* where in the sample each kept splitter is */
  uint32_t is_kept[MASKS + 1];  /* a bit for each splitter: none that is equivalent comes before it */
  uint32_t is_equal[MASKS + 1]; /* and for those of them behind which one follows that is */
};

/* A number between 0 and 2^32 - 1 as if at random (SplitMix64: Guy Steele, Doug Lea and Christine Flood, "Fast splittable
   pseudorandom number generators", 2014). */
__device__ __forceinline__ uint32_t random_bits(uint64_t seed, uint64_t index) {
  uint64_t state = seed + (index + 1) * 0x9E3779B97F4A7C15u;
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9u;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EBu;
  return static_cast<uint32_t>((state ^ (state >> 31)) >> 32);
}

/* Stages a sample. */
template <typename Item>
__device__ __forceinline__ void draw_sample(const Job &job, const Bounds &parent, uint32_t count, Item *stage) {
  const Item *from = static_cast<const Item *>(job.from) + parent.begin;
  const uint64_t items = parent.end - parent.begin;
  const uint64_t seed = job.seed + blockIdx.x + (static_cast<uint64_t>(job.parents) << 32);
  for (uint32_t index = threadIdx.x; index < count; index += blockDim.x) {
    const uint64_t begin = index * items / count;
    const uint64_t end = (index + 1) * items / count;
    stage[index] = from[begin + ((end - begin) * random_bits(seed, index) >> 32)];
  }
}

/* How many of the bits up to `index` are set. */
__device__ __forceinline__ uint32_t count_up_to(const uint32_t *masks, uint32_t index) {
  uint32_t bits = 0;
  for (uint32_t mask = 0; mask < index / LANES; mask++)
    bits += static_cast<uint32_t>(__popc(masks[mask]));
  return bits + static_cast<uint32_t>(__popc(masks[index / LANES] & (EVERY_LANE >> (LANES - 1 - index % LANES))));
}

__device__ __forceinline__ bool has_bit(const uint32_t *masks, uint32_t index) {
  return (masks[index / LANES] >> (index % LANES) & 1) != 0;
}

/* Which of the sorted sample are splitters. All threads take part; the last barrier is at the end. */
template <typename Item, typename Less>
__device__ __forceinline__ void keep_splitters(ChooseBlock<Item> &block, uint32_t sample, uint32_t bits, const Less &less) {
  const Item *stage = block.sort.stage();
  const uint32_t splitters = (1u << bits) - 1;
  const uint32_t index = threadIdx.x;
  const uint32_t place = static_cast<uint32_t>(uint64_t{index + 1} * sample >> bits);
  const uint32_t place_before = static_cast<uint32_t>(uint64_t{index} * sample >> bits);
  const bool is_kept = index < splitters && (index == 0 || less(stage[place_before], stage[place]));
  const uint32_t kept = __ballot_sync(EVERY_LANE, is_kept);
  if (index % LANES == 0 && index / LANES < ChooseBlock<Item>::MASKS)
    block.is_kept[index / LANES] = kept;
  __syncthreads();
  const bool is_equal = is_kept && index + 1 < splitters && !has_bit(block.is_kept, index + 1);
  const uint32_t equal = __ballot_sync(EVERY_LANE, is_equal);
  if (index % LANES == 0 && index / LANES < ChooseBlock<Item>::MASKS)
    block.is_equal[index / LANES] = equal;
  if (is_kept)
    block.picked[count_up_to(block.is_kept, index) - 1] = static_cast<uint16_t>(place);
  __syncthreads();
}

/* The number of the splitter, in order, that node `node` of a tree of 2^bits is. */
__device__ __forceinline__ uint32_t splitter_of_node(uint32_t node, uint32_t bits) {
  const uint32_t level = LANES - 1 - static_cast<uint32_t>(__clz(static_cast<int>(node)));
  return ((2 * (node - (1u << level)) + 1) << (bits - 1 - level)) - 1;
}

/* And the other way round. */
__device__ __forceinline__ uint32_t node_of_splitter(uint32_t splitter, uint32_t bits) {
  const uint32_t odd = static_cast<uint32_t>(__ffs(static_cast<int>(splitter + 1)));
  return (1u << (bits - odd)) + ((splitter + 1) >> odd);
}

/* Writes what the sample has come to. */
template <typename Item>
__device__ __forceinline__ void write_splitters(const Job &job, ChooseBlock<Item> &block) {
  const uint32_t buckets = 1u << job.bits;
  const uint32_t first = blockIdx.x << job.bits;
  const uint32_t kept = count_up_to(block.is_kept, buckets - 2);
  const uint32_t index = threadIdx.x;
  if (index == 0) {
    job.splitter_counts[blockIdx.x] = kept;
    job.bucket_of[first] = 0;
  }
  if (index > 0 && index < buckets) {
    // Behind the last splitter it once more: what is not before it comes out right all the same (bucket_of() in divide_items.cuh).
    const uint32_t splitter = least(splitter_of_node(index, job.bits), kept - 1);
    static_cast<Item *>(job.splitters)[first + index] = block.sort.stage()[block.picked[splitter]];
  }
  if (index < buckets - 1 && has_bit(block.is_kept, index)) {
    const uint32_t rank = count_up_to(block.is_kept, index);
    const uint32_t bucket = rank + count_up_to(block.is_equal, index);
    const bool has_equals = has_bit(block.is_equal, index);
    job.bucket_of[first + rank] = static_cast<uint16_t>(bucket | (has_equals ? HAS_EQUALS : 0));
    if (has_equals)
      job.next_is_done[first + bucket - 1] = 1;
  }
}

template <typename Rules>
__global__ void __launch_bounds__(SHAPE<typename Rules::Item>.sample_threads, SHAPE<typename Rules::Item>.sample_blocks)
    // cppcheck-suppress passedByValue
    choose_kernel(const __grid_constant__ Job job, const __grid_constant__ typename Rules::Context context) {
  using Item = typename Rules::Item;
  static_assert(sizeof(ChooseBlock<Item>) <= choose_bytes(SHAPE<Item>, sizeof(Item)), "the host reckons with so much");
  static_assert(ChooseBlock<Item>::BUCKETS <= SHAPE<Item>.sample_threads, "a thread for each");
  auto &block = block_memory<ChooseBlock<Item>>();
  const auto less = Rules::comparison(job, context);
  const Bounds parent = bounds_of(job, blockIdx.x);
  const bool done = is_done(job, blockIdx.x);
  const uint32_t first = blockIdx.x << job.bits;
  if (threadIdx.x < 1u << job.bits) {
    job.cursors[first + threadIdx.x] = 0;
    job.next_is_done[first + threadIdx.x] = done ? 1 : 0;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *job.long_count = 0;
  if (done || parent.end - parent.begin <= SHAPE<Item>.piece()) {
    if (threadIdx.x == 0)
      job.splitter_counts[blockIdx.x] = 0;
    return;
  }
  const uint32_t sample = least(least(SHAPE<Item>.sample(), SAMPLE_ITEMS << job.bits), parent.end - parent.begin);
  draw_sample(job, parent, sample, block.sort.stage());
  __syncthreads();
  sort_block(block.sort, sample, less);
  keep_splitters(block, sample, job.bits, less);
  write_splitters(job, block);
}

} // namespace cdp::by

#endif
