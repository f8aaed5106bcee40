/* SPDX-License-Identifier: MIT */
/*
 * Counting keys by pieces (window.cuh), and the pieces' windows. The block that is the last to have counted gives each piece as many
 * windows as its keys are of all, and some for what it is long: a window is never longer than may be left to be told apart.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_COUNT_PIECES_CUH
#define CDPSORT_DEVICE_PAYLOAD_COUNT_PIECES_CUH

#include "payload/window.cuh"

namespace cdp::CDP_RUNTIME {

/* A sort's pieces, as kernels are given them. */
struct WindowPieces {
  KeyExtremes *extremes;
  WindowTable *table;
  uint16_t *found; /* each key's piece, while items are made; of a shorter key a node above it */
  uint64_t count;
  uint32_t levels;    /* of the tree: there are 2^levels pieces */
  uint32_t low_bits;  /* of an item */
  uint32_t bits_left; /* distances of keys that have the same window differ by less than 2^bits_left */

  __device__ __forceinline__ uint32_t pieces() const {
    return 1u << levels;
  }
  __device__ __forceinline__ bool are_learnt() const {
    return extremes->is_learnt != 0;
  }
  __device__ __forceinline__ uint64_t window(uint32_t piece, uint64_t distance, uint64_t position) const {
    return table->pieces[piece].window(distance, position, low_bits);
  }
};
static_assert(WINDOW_PIECES <= UINT16_MAX + 1, "a piece's number has 16 bits");

/* What a block that counts has in shared memory. */
struct PieceCounts {
  uint64_t tree[WINDOW_PIECES];
  uint32_t counts[WINDOW_PIECES];
  uint64_t warp_totals[WARP_LANES];
  uint64_t warp_windows[WARP_LANES];
};

/* Begins the count: all nodes above a level. All threads of the block take part; ends with a barrier. */
template <uint32_t THREADS>
__device__ __forceinline__ void begin_count(const WindowPieces &pieces, uint32_t levels, PieceCounts &block) {
  for (uint32_t node = threadIdx.x; node < 1u << levels; node += THREADS) {
    if (node != 0)
      block.tree[node] = pieces.table->tree[node];
    block.counts[node] = 0;
  }
  __syncthreads();
}

/* Goes down the tree with some distances together, so that a thread has as many reads on their way. */
constexpr uint32_t TOGETHER = 4;

__device__ __forceinline__ void find_nodes(const PieceCounts &block, uint32_t levels, const uint64_t (&distances)[TOGETHER],
                                           uint32_t (&nodes)[TOGETHER]) {
#pragma unroll
  for (uint32_t item = 0; item < TOGETHER; item++)
    nodes[item] = 1;
  for (uint32_t level = 0; level < levels; level++) {
#pragma unroll
    for (uint32_t item = 0; item < TOGETHER; item++)
      nodes[item] = child_node(block.tree, nodes[item], distances[item]);
  }
#pragma unroll
  for (uint32_t item = 0; item < TOGETHER; item++)
    nodes[item] -= 1u << levels;
}

/* Takes note of the nodes of some keys, entered(index), from `first` on and so many apart, and calls use(node) for each. */
template <uint32_t APART, typename Entered, typename Use>
__device__ __forceinline__ void for_each_node(const WindowPieces &pieces, const PieceCounts &block, uint32_t levels,
                                              uint64_t first, Entered entered, Use use) {
  const KeyDistance distance_of(*pieces.extremes);
  uint64_t distances[TOGETHER];
  uint32_t nodes[TOGETHER];
#pragma unroll
  for (uint32_t item = 0; item < TOGETHER; item++) {
    const uint64_t index = first + item * APART;
    distances[item] = index < pieces.count ? distance_of(entered(index)) : 0;
  }
  find_nodes(block, levels, distances, nodes);
#pragma unroll
  for (uint32_t item = 0; item < TOGETHER; item++) {
    const uint64_t index = first + item * APART;
    if (index >= pieces.count)
      continue;
    pieces.found[index] = static_cast<uint16_t>(nodes[item]);
    use(nodes[item]);
  }
}

/* Of a piece, what it takes to give it windows. */
struct CountedPiece {
  uint64_t first;
  uint64_t range; /* to the last distance */
  uint32_t count;

  /* block: has all pieces, where they begin in place of the tree. */
  __device__ __forceinline__ CountedPiece(const WindowPieces &pieces, const PieceCounts &block, uint32_t number)
      : first(block.tree[number]), count(block.counts[number]) {
    const uint64_t greatest = KeyDistance(*pieces.extremes)(pieces.extremes->greatest);
    range =
        (number + 1 < pieces.pieces() && block.tree[number + 1] <= greatest ? block.tree[number + 1] - 1 : greatest) - first;
  }
  /* The fewest windows that it may have. */
  __device__ __forceinline__ uint64_t least_windows(uint32_t bits_left) const {
    return count == 0 ? 0 : (range >> (bits_left - 1)) + 1;
  }
  __device__ __forceinline__ WindowPiece with_windows(uint64_t base, uint64_t windows) const {
    // Windows times 2^bits over the range: not more than that, whatever is rounded.
    constexpr double ROUNDED_DOWN = 1 - 0x1p-48;
    const double share = static_cast<double>(windows) / (static_cast<double>(range) + 1) * ROUNDED_DOWN;
    WindowPiece piece = {};
    piece.first = first;
    piece.base = base;
    piece.bits = max(bits_of(range), 1u);
    piece.scale = static_cast<uint64_t>(share * 2 * static_cast<double>(uint64_t{1} << (piece.bits - 1)));
    return piece;
  }
};

/* Gives all pieces their windows. All threads of one block take part; begins with a barrier. */
template <uint32_t THREADS>
__device__ __forceinline__ void place_pieces(const WindowPieces &pieces, PieceCounts &block) {
  const uint32_t all = pieces.pieces();
  const uint32_t each = (all + THREADS - 1) / THREADS;
  WindowTable &table = *pieces.table;
  __syncthreads();
  for (uint32_t number = threadIdx.x; number < all; number += THREADS) {
    block.tree[number] = table.firsts[number];
    block.counts[number] = atomicAdd(&table.counts[number], 0u); // as all have left it
  }
  __syncthreads();
  const uint32_t begin = min(threadIdx.x * each, all);
  const uint32_t end = min(begin + each, all);
  uint64_t least = 0;
  uint64_t keys = 0;
  for (uint32_t number = begin; number < end; number++) {
    const CountedPiece piece(pieces, block, number);
    keys += piece.count;
    least += piece.least_windows(pieces.bits_left);
  }
  uint64_t all_least;
  uint64_t all_keys;
  const uint64_t lower_least = lower_threads_sum<THREADS / WARP_LANES>(least, block.warp_windows, all_least);
  const uint64_t lower_keys = lower_threads_sum<THREADS / WARP_LANES>(keys, block.warp_totals, all_keys);
  const uint64_t of_a_key = ((uint64_t{1} << (64 - pieces.low_bits)) - all_least) / all_keys;
  uint64_t base = lower_least + lower_keys * of_a_key;
  for (uint32_t number = begin; number < end; number++) {
    const CountedPiece piece(pieces, block, number);
    if (piece.count == 0)
      continue;
    const uint64_t windows = piece.least_windows(pieces.bits_left) + piece.count * of_a_key;
    table.pieces[number] = piece.with_windows(base, windows);
    base += windows;
  }
}

/* Ends the count: adds it to those of other blocks, of so many, and the last one gives pieces their windows. All threads of the block take
   part; begins behind a barrier. */
template <uint32_t THREADS>
__device__ __forceinline__ void end_count(const WindowPieces &pieces, uint32_t blocks, PieceCounts &block) {
  for (uint32_t number = threadIdx.x; number < pieces.pieces(); number += THREADS)
    if (block.counts[number] != 0)
      atomicAdd(&pieces.table->counts[number], block.counts[number]);
  __threadfence(); // before it is said that they are there
  __syncthreads();
  const bool is_last = threadIdx.x == 0 && atomicAdd(&pieces.table->blocks_done, 1u) == blocks - 1;
  if (__syncthreads_or(is_last ? 1 : 0) == 0)
    return;
  __threadfence();
  place_pieces<THREADS>(pieces, block);
}

/* ---- Where arrays are not regrouped ------------------------------------------------------------------------------------ */

/* Counts all keys, and takes note of their pieces. */
template <typename Raw>
__global__ void __launch_bounds__(COUNT_PIECES_THREADS, RESIDENT_COUNTERS)
    // cppcheck-suppress passedByValue
    count_pieces_kernel(const Raw *keys, const Entry<Raw> entry, const __grid_constant__ WindowPieces pieces) {
  auto &block = block_shared<PieceCounts>();
  if (!pieces.are_learnt())
    return;
  constexpr uint32_t TILE = COUNT_PIECES_THREADS * TOGETHER;
  const uint64_t step = uint64_t{gridDim.x} * TILE;
  begin_count<COUNT_PIECES_THREADS>(pieces, pieces.levels, block);
  uint64_t first = uint64_t{blockIdx.x} * TILE + threadIdx.x;
  for (; first < pieces.count; first += step) {
    const auto entered = [&](uint64_t index) { return entry.enter(keys[index]); };
    const auto count = [&](uint32_t number) { atomicAdd(&block.counts[number], 1u); };
    for_each_node<COUNT_PIECES_THREADS>(pieces, block, pieces.levels, first, entered, count);
  }
  __syncthreads();
  end_count<COUNT_PIECES_THREADS>(pieces, gridDim.x, block);
}

/* Launches that. Returns a cudaError_t. */
template <typename Raw>
int count_pieces(const Raw *keys, const Entry<Raw> &entry, const WindowPieces &pieces, uint32_t multiprocessors, void *stream) {
  static OncePerContext allowance;
  constexpr uint64_t TILE = COUNT_PIECES_THREADS * TOGETHER;
  const uint64_t blocks = std::min<uint64_t>((pieces.count + TILE - 1) / TILE, RESIDENT_COUNTERS * uint64_t{multiprocessors});
  const GridShape grid = {static_cast<uint32_t>(blocks), COUNT_PIECES_THREADS, sizeof(PieceCounts)};
  const int error = allowance.see_to([&grid] { return allow_shared_bytes(count_pieces_kernel<Raw>, grid.shared_bytes); });
  return error != LAUNCH_OK ? error : launch_from_host(grid, stream, count_pieces_kernel<Raw>, keys, entry, pieces);
}

} // namespace cdp::CDP_RUNTIME

#endif
