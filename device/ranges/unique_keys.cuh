/* SPDX-License-Identifier: MIT */
/*
 * The first key of each run of equal ones, as many as there are, in one pass (chained scan with decoupled look-back: Duane Merrill and
 * Michael Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016).
 *
 * 1. A block takes the next tile of the array, and counts keys that differ from the one before them.
 * 2. It tells on the board how many the tile has, and adds up what is told of the tiles before it, backwards, up to one that tells of
 *    all tiles before it as well; then it tells the same. Tiles are taken in their order, so that whoever is waited for has begun.
 * 3. Warps write such keys, by way of shared memory, so that they are written one beside the other. Whoever has the last tile writes
 *    how many there are.
 *
 * Nothing but neighbours is compared, so that the array need not be sorted: the result is std::unique()'s whatever it is.
 */
#ifndef CDPSORT_DEVICE_RANGES_UNIQUE_KEYS_CUH
#define CDPSORT_DEVICE_RANGES_UNIQUE_KEYS_CUH

#include "ranges/walk.cuh"

namespace cdp::CDP_RUNTIME {

/* Keys of a tile, in 62 bits, and whether they are told: 0, TOLD_OWN, or TOLD_ALL with those of all tiles before it. */
using UniqueTold = unsigned long long;
constexpr UniqueTold TOLD_OWN = 1;
constexpr UniqueTold TOLD_ALL = 2;
constexpr uint32_t TOLD_BITS = 2;

/* What blocks tell one another, zeroed before. */
struct UniqueBoard {
  unsigned long long *tiles_taken;
  UniqueTold *tiles;
};

/* A bit for each key that differs from the one before it, or has none before it. */
template <typename Raw>
__device__ __forceinline__ uint32_t first_of_runs(const WalkedKeys<Raw> &array, const Stretch<Raw> &own) {
  const auto differs = [](EnteredKey<Raw> left, EnteredKey<Raw> right) { return left != right; };
  return own.compare(array, differs) | (own.array_begin() & own.has);
}

template <typename Raw>
struct UniqueBlock {
  unsigned long long tile;
  uint64_t before; /* keys of all tiles before it */
  uint32_t warp_totals[WARP_LANES];
  Raw stages[WALK_WARPS][WARP_LANES + STRETCH_KEYS<Raw>];
};

/* Keys of all tiles before one, which is not the first. All lanes of a warp take part. */
__device__ __forceinline__ uint64_t look_back(const UniqueTold *tiles, uint64_t tile) {
  const uint32_t lane = threadIdx.x % WARP_LANES;
  uint64_t before = 0;
  for (;; tile -= WARP_LANES) {
    UniqueTold told = TOLD_ALL; // of none, before the first tile
    do
      if (lane < tile)
        told = read_anew(&tiles[tile - 1 - lane]);
    while (__any_sync(ALL_LANES, told == 0) != 0);
    const uint32_t all = __ballot_sync(ALL_LANES, (told & TOLD_ALL) != 0);
    const uint32_t nearest = all != 0 ? static_cast<uint32_t>(__ffs(static_cast<int>(all))) - 1 : WARP_LANES;
    before += warp_sum(lane <= nearest ? uint64_t{told >> TOLD_BITS} : 0);
    if (all != 0)
      return before;
  }
}

/* Tells of a tile, and finds out about those before it. All lanes of a warp take part. */
__device__ __forceinline__ uint64_t tell_and_look_back(UniqueTold *tiles, uint64_t tile, uint32_t keys) {
  const bool tells = threadIdx.x % WARP_LANES == 0;
  if (tells && tile != 0)
    atomicExch(&tiles[tile], UniqueTold{keys} << TOLD_BITS | TOLD_OWN);
  const uint64_t before = tile != 0 ? look_back(tiles, tile) : 0;
  if (tells)
    atomicExch(&tiles[tile], UniqueTold{before + keys} << TOLD_BITS | TOLD_ALL);
  return before;
}

/* Puts a warp's marked keys one behind the other into its stage, from WARP_LANES on, and returns how many they are. All others go to a
   place of the lane's own ahead of these: a branch for each key takes more predicates than ptxas 13.0 finds. All lanes take part. */
template <typename Raw>
__device__ __forceinline__ uint32_t stage_marked(const Stretch<Raw> &own, uint32_t marks, Raw *stage) {
  const uint32_t lane = threadIdx.x % WARP_LANES;
  uint32_t begin = 0;
#pragma unroll
  for (uint32_t row = 0; row < Stretch<Raw>::ROWS; row++) {
    const uint32_t in_row = Stretch<Raw>::of_row(marks, row);
    const uint32_t keys = static_cast<uint32_t>(__popc(in_row));
    const uint32_t sum = warp_inclusive_sum(keys);
    uint32_t place = WARP_LANES + begin + sum - keys;
#pragma unroll
    for (uint32_t key = 0; key < Stretch<Raw>::KEYS; key++) {
      const uint32_t is_marked = in_row >> key & 1;
      stage[lane + is_marked * (place - lane)] = own.raw[row * Stretch<Raw>::KEYS + key];
      place += is_marked;
    }
    begin += __shfl_sync(ALL_LANES, sum, WARP_LANES - 1);
  }
  return begin;
}

/* Takes a tile. All threads take part; begins and ends with a barrier. */
template <typename Raw>
__device__ __forceinline__ uint64_t take_tile(const UniqueBoard &board, UniqueBlock<Raw> &block) {
  __syncthreads();
  if (threadIdx.x == 0)
    block.tile = atomicAdd(board.tiles_taken, 1ull);
  __syncthreads();
  return block.tile;
}

template <typename Raw>
__global__ void __launch_bounds__(WALK_THREADS, RESIDENT_WALKERS)
    // cppcheck-suppress passedByValue
    unique_kernel(const WalkedKeys<Raw> array, const UniqueBoard board, Raw *target, uint64_t *answer) {
  auto &block = block_shared<UniqueBlock<Raw>>();
  const uint32_t warp = threadIdx.x / WARP_LANES;
  const uint64_t tiles = (array.stretches() + WALK_WARPS - 1) / WALK_WARPS;
  Raw *stage = block.stages[warp];
  for (uint64_t tile = take_tile(board, block); tile < tiles; tile = take_tile(board, block)) {
    Stretch<Raw> keys;
    keys.load(array, tile * WALK_WARPS + warp);
    const uint32_t staged = stage_marked(keys, first_of_runs(array, keys), stage);
    uint32_t total;
    const uint32_t lower = lower_warps_sum<WALK_WARPS>(staged, block.warp_totals, total);
    if (warp == 0) {
      const uint64_t before = tell_and_look_back(board.tiles, tile, total);
      if (threadIdx.x == 0)
        block.before = before;
    }
    __syncthreads();
    if (tile == tiles - 1 && threadIdx.x == 0)
      *answer = block.before + total;
    Raw *own = target + block.before + lower;
    for (uint32_t index = threadIdx.x % WARP_LANES; index < staged; index += WARP_LANES)
      own[index] = stage[WARP_LANES + index];
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
