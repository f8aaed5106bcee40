/* SPDX-License-Identifier: MIT */
/*
 * The end of a sort by comparison: each piece is sorted by a block where it lies. Also numbers for indices, and their gathering.
 *
 * A piece that is longer than a block's tile, as it may come of an unlucky sample and does of a comparison that contradicts itself,
 * is sorted by a block all the same: tile after tile, and then by merging in device memory, tile after tile of what comes out. A
 * tile begins where the one before has ended in either run; where it ends is bisected, and then held to what can be: no run
 * goes backwards, or gives more than a tile, or more than it has. So the merge ends, and nothing is lost, whatever the comparison.
 */
#ifndef CDPSORT_BY_FINISH_CUH
#define CDPSORT_BY_FINISH_CUH

#include "cdpsort/by/tile_sort.cuh"

namespace cdp::by {

/* Sorts at most a tile, in place or not. */
template <typename Item, uint32_t THREADS, typename Less>
__device__ __forceinline__ void sort_tile(SortBlock<Item, THREADS> &block, const Item *from, Item *items, uint32_t count,
                                          const Less &less) {
  for (uint32_t index = threadIdx.x; index < count; index += THREADS)
    block.stage()[index] = from[index];
  __syncthreads();
  sort_block(block, count, less);
  for (uint32_t index = threadIdx.x; index < count; index += THREADS)
    items[index] = block.stage()[index];
  __syncthreads();
}

/* Sorts the block's piece, if it has at least so many items, and no more than a block of so many threads sorts. */
template <uint32_t THREADS, typename Rules>
__device__ __forceinline__ void sort_piece(const Job &job, const typename Rules::Context &context, uint32_t fewest) {
  using Item = typename Rules::Item;
  static_assert(sizeof(SortBlock<Item, THREADS>) <= sort_bytes(SHAPE<Item>, THREADS, sizeof(Item)), "the host reckons with it");
  auto &block = block_memory<SortBlock<Item, THREADS>>();
  const Bounds piece = bounds_of(job, blockIdx.x);
  const uint32_t count = piece.end - piece.begin;
  if (count < fewest || count > SortBlock<Item, THREADS>::TILE || is_done(job, blockIdx.x))
    return;
  sort_tile(block, static_cast<const Item *>(job.from) + piece.begin, static_cast<Item *>(job.items) + piece.begin, count,
            Rules::comparison(job, context));
}

/* The blocks that sort pieces: their threads, and how many of them a multiprocessor must hold. */
struct PieceBlocks {
  uint32_t threads;
  uint32_t blocks;
};
constexpr PieceBlocks piece_blocks(uint32_t threads, uint32_t blocks) {
  return {threads, held_blocks(blocks, threads)};
}
template <typename Item>
constexpr PieceBlocks PIECE = piece_blocks(SHAPE<Item>.piece_threads, SHAPE<Item>.piece_blocks);
template <typename Item>
constexpr PieceBlocks SHORT_PIECE = piece_blocks(SHAPE<Item>.piece_threads / 2, SHAPE<Item>.piece_blocks * 2);

/*
 * 1. A piece has half of what there is room for, on average, and half of the threads would have no items.
 * 2. They would hold registers all the same, so that a multiprocessor had half as many threads at work.
 * Therefore short pieces are sorted by blocks of half as many threads, and the others by a grid of their own, where there are more
 * blocks than can be at work at once (launches.h): of the time of all pieces 3 % less with items of 4 bytes, 14 % with 8 (H200,
 * docs/lab/2026-11-25-comparisons-and-segments.md).
 */
template <typename Rules>
__global__ void __launch_bounds__(SHORT_PIECE<typename Rules::Item>.threads, SHORT_PIECE<typename Rules::Item>.blocks)
    // cppcheck-suppress passedByValue
    short_piece_kernel(const __grid_constant__ Job job, const __grid_constant__ typename Rules::Context context) {
  sort_piece<SHORT_PIECE<typename Rules::Item>.threads, Rules>(job, context, 2);
}

template <typename Rules>
__global__ void __launch_bounds__(PIECE<typename Rules::Item>.threads, PIECE<typename Rules::Item>.blocks)
    // cppcheck-suppress passedByValue
    piece_kernel(const __grid_constant__ Job job, const __grid_constant__ typename Rules::Context context) {
  sort_piece<PIECE<typename Rules::Item>.threads, Rules>(job, context, job.fewest_items);
}

/* All there is, if it is no more than such a block sorts. */
template <typename Rules>
__global__ void __launch_bounds__(SHAPE<typename Rules::Item>.whole_threads)
    // cppcheck-suppress passedByValue
    whole_kernel(const __grid_constant__ Job job, const __grid_constant__ typename Rules::Context context) {
  sort_piece<SHAPE<typename Rules::Item>.whole_threads, Rules>(job, context, 2);
}

/* ---- Long pieces ------------------------------------------------------------------------------------------------------- */

/* Two neighbouring runs, and how far their merge has come. */
struct Runs {
  uint32_t first_items;
  uint32_t second_items;
  uint32_t from_first; /* of what is merged */
  uint32_t merged;

  /* How many of the first `rank` items may come from the first run, if `merged` are there, and `split` is what was found. */
  __device__ __forceinline__ uint32_t held(uint32_t split, uint32_t rank) const {
    const uint32_t most = least(from_first + (rank - merged), first_items);
    const uint32_t fewest = rank > second_items && rank - second_items > from_first ? rank - second_items : from_first;
    return split < fewest ? fewest : least(split, most);
  }
};

/* find_split() by a warp, whose lanes look at as many places at a time. */
template <typename Item, typename Less>
__device__ __forceinline__ uint32_t find_split_by_warp(const Item *first, const Item *second, const Runs &runs, uint32_t rank,
                                                       const Less &less) {
  uint32_t low = rank > runs.second_items ? rank - runs.second_items : 0;
  uint32_t high = least(rank, runs.first_items);
  while (low < high) {
    const uint32_t step = (high - low + LANES - 1) / LANES;
    const uint32_t middle = low + (threadIdx.x % LANES + 1) * step - 1;
    const bool is_before = middle < high && !less(second[rank - 1 - middle], first[middle]);
    // As many lanes as agree with each other from the first on.
    const uint32_t lanes = static_cast<uint32_t>(__ffs(static_cast<int>(~__ballot_sync(EVERY_LANE, is_before))));
    const uint32_t agreeing = lanes == 0 ? LANES : lanes - 1;
    const uint32_t next_high = low + (agreeing + 1) * step - 1;
    low = least(low + agreeing * step, high);
    high = least(next_high, high);
  }
  return low;
}

/* Merges what is staged: `first_items` of one run, and the others. All threads take part; the stage is visible in the end. */
template <typename Item, uint32_t THREADS, typename Less>
__device__ __forceinline__ void merge_staged(SortBlock<Item, THREADS> &block, uint32_t first_items, uint32_t count,
                                             const Less &less) {
  constexpr uint32_t ITEMS = SortBlock<Item, THREADS>::ITEMS;
  Item *stage = block.stage();
  Item items[ITEMS] = {};
  const uint32_t rank = least(threadIdx.x * ITEMS, count);
  const uint32_t next_rank = least(rank + ITEMS, count);
  const uint32_t split = find_split(stage, first_items, stage + first_items, count - first_items, rank, less);
  block.splits[threadIdx.x] = split;
  __syncthreads();
  const uint32_t next_split = next_rank == count ? first_items : block.splits[threadIdx.x + 1];
  const bool is_contradicted = __syncthreads_or(next_split - split > next_rank - rank) != 0;
  if (!is_contradicted)
    merge_share(items, {split, next_split, first_items + (rank - split), first_items + (next_rank - next_split)}, stage, less);
  __syncthreads();
  if (!is_contradicted)
    stage_items(items, next_rank - rank, stage);
  __syncthreads();
}

/* Merges two neighbouring runs from `source` to `target`. All threads take part. */
template <typename Item, uint32_t THREADS, typename Less>
__device__ __forceinline__ void merge_runs(SortBlock<Item, THREADS> &block, const Item *source, Item *target, Runs runs,
                                           const Less &less) {
  constexpr uint32_t TILE = SortBlock<Item, THREADS>::TILE;
  const Item *second = source + runs.first_items;
  const uint32_t all = runs.first_items + runs.second_items;
  while (runs.merged < all) {
    const uint32_t items = least(TILE, all - runs.merged);
    if (threadIdx.x < LANES) {
      const uint32_t split = find_split_by_warp(source, second, runs, runs.merged + items, less);
      if (threadIdx.x == 0)
        block.splits[0] = split;
    }
    __syncthreads();
    const uint32_t split = runs.held(block.splits[0], runs.merged + items);
    const uint32_t first_items = split - runs.from_first;
    const Item *from_second = second + (runs.merged - runs.from_first);
    for (uint32_t index = threadIdx.x; index < items; index += THREADS)
      block.stage()[index] = index < first_items ? source[runs.from_first + index] : from_second[index - first_items];
    __syncthreads();
    merge_staged(block, first_items, items, less);
    for (uint32_t index = threadIdx.x; index < items; index += THREADS)
      target[runs.merged + index] = block.stage()[index];
    runs.from_first = split;
    runs.merged += items;
    __syncthreads();
  }
}

/* Sorts a piece of any length, in place, with as much room elsewhere. All threads take part. */
template <typename Item, uint32_t THREADS, typename Less>
__device__ __forceinline__ void sort_long(SortBlock<Item, THREADS> &block, Item *items, Item *other, uint32_t count,
                                          const Less &less) {
  constexpr uint32_t TILE = SortBlock<Item, THREADS>::TILE;
  for (uint32_t begin = 0; begin < count; begin += least(TILE, count - begin))
    sort_tile(block, items + begin, items + begin, least(TILE, count - begin), less);
  bool is_elsewhere = false;
  for (uint64_t run = TILE; run < count; run *= 2) {
    const Item *source = is_elsewhere ? other : items;
    Item *target = is_elsewhere ? items : other;
    for (uint64_t begin = 0; begin < count; begin += 2 * run) {
      const uint32_t left = count - static_cast<uint32_t>(begin);
      const uint32_t first_items = run < left ? static_cast<uint32_t>(run) : left;
      const uint32_t rest = left - first_items;
      const Runs runs = {first_items, run < rest ? static_cast<uint32_t>(run) : rest, 0, 0};
      merge_runs(block, source + begin, target + begin, runs, less);
    }
    is_elsewhere = !is_elsewhere;
  }
  for (uint32_t index = threadIdx.x; is_elsewhere && index < count; index += THREADS)
    items[index] = other[index];
  __syncthreads();
}

/* As many blocks as the device holds: they take what there is in turns. */
template <typename Rules>
__global__ void __launch_bounds__(SHAPE<typename Rules::Item>.sample_threads, SHAPE<typename Rules::Item>.sample_blocks)
    // cppcheck-suppress passedByValue
    long_piece_kernel(const __grid_constant__ Job job, const __grid_constant__ typename Rules::Context context) {
  using Item = typename Rules::Item;
  constexpr uint32_t THREADS = SHAPE<Item>.sample_threads;
  auto &block = block_memory<SortBlock<Item, THREADS>>();
  const auto less = Rules::comparison(job, context);
  for (uint32_t index = blockIdx.x; index < *job.long_count; index += gridDim.x) {
    const Bounds piece = bounds_of(job, job.long_pieces[index]);
    sort_long(block, static_cast<Item *>(job.items) + piece.begin, static_cast<Item *>(job.other) + piece.begin,
              piece.end - piece.begin, less);
  }
}

/* ---- Indices ----------------------------------------------------------------------------------------------------------- */

/* Writes 0, 1, 2, ... */
template <typename Rules>
__global__ void __launch_bounds__(PLAIN_THREADS)
    // cppcheck-suppress passedByValue
    number_kernel(const __grid_constant__ Job job, const __grid_constant__ typename Rules::Context) {
  const uint64_t first = uint64_t{blockIdx.x} * PLAIN_THREADS + threadIdx.x;
  const uint64_t step = uint64_t{gridDim.x} * PLAIN_THREADS;
  for (uint64_t index = first; index < job.count; index += step)
    static_cast<Index *>(job.to)[index] = {static_cast<uint32_t>(index)};
}

/* Moves bytes as words of a type that addresses and sizes are multiples of. */
template <typename Word>
__device__ __forceinline__ void gather_words(const Job &job) {
  const uint64_t item_words = job.item_bytes / sizeof(Word);
  const uint64_t words = job.count * item_words;
  const Word *base = static_cast<const Word *>(job.base);
  const Index *indices = static_cast<const Index *>(job.items);
  const uint64_t first = uint64_t{blockIdx.x} * PLAIN_THREADS + threadIdx.x;
  const uint64_t step = uint64_t{gridDim.x} * PLAIN_THREADS;
  for (uint64_t word = first; word < words; word += step) {
    const uint64_t item = word / item_words;
    static_cast<Word *>(job.gathered)[word] = base[indices[item].number * item_words + (word - item * item_words)];
  }
}

template <typename Rules>
__global__ void __launch_bounds__(PLAIN_THREADS)
    // cppcheck-suppress passedByValue
    gather_kernel(const __grid_constant__ Job job, const __grid_constant__ typename Rules::Context) {
  const uint64_t odd = job.item_bytes | reinterpret_cast<size_t>(job.base) | reinterpret_cast<size_t>(job.gathered);
  if (odd % 8 == 0)
    gather_words<uint64_t>(job);
  else if (odd % 4 == 0)
    gather_words<uint32_t>(job);
  else
    gather_words<uint8_t>(job);
}

} // namespace cdp::by

#endif
