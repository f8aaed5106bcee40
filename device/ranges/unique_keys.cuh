/* SPDX-License-Identifier: MIT */
/*
 * The first key of each run of equal ones, as many as there are.
 *
 * 1. count   Each warp has consecutive stretches of the array, and counts keys that differ from the one before them; each block
 *            adds up what its warps have.
 * 2. write   Each block adds up what the blocks before it have, and its warps write such keys there, by way of shared memory, so
 *            that they are written one beside the other. The last block writes how many there are.
 *
 * Nothing but neighbours is compared, so that the array need not be sorted: the result is std::unique()'s whatever it is.
 */
#ifndef CDPSORT_DEVICE_RANGES_UNIQUE_KEYS_CUH
#define CDPSORT_DEVICE_RANGES_UNIQUE_KEYS_CUH

#include "ranges/walk.cuh"

namespace cdp::CDP_RUNTIME {

/* Counts, in 32 bits: the plan sees to it that no block has 2^32 keys. */
struct UniqueCounts {
  uint32_t *block_keys;
  uint32_t *warp_keys; /* of a block's lower warps, in that block */
};

/* A warp's part of the array: stretches. */
struct WalkPart {
  uint64_t begin;
  uint64_t end;
};

template <typename Raw>
__device__ __forceinline__ WalkPart walk_part(const WalkedKeys<Raw> &array) {
  const uint64_t stretches = array.stretches();
  const uint64_t warps = uint64_t{gridDim.x} * WALK_WARPS;
  const uint64_t each = (stretches + warps - 1) / warps;
  const uint64_t begin = min(each * (uint64_t{blockIdx.x} * WALK_WARPS + threadIdx.x / WARP_LANES), stretches);
  return {begin, min(begin + each, stretches)};
}

/* A bit for each key that differs from the one before it, or has none before it. */
template <typename Raw>
__device__ __forceinline__ uint32_t first_of_runs(const WalkedKeys<Raw> &array, const Stretch<Raw> &own) {
  const auto differs = [](EnteredKey<Raw> left, EnteredKey<Raw> right) { return left != right; };
  return own.compare(array, differs) | (own.array_begin() & own.has);
}

struct UniqueCountBlock {
  uint32_t warp_totals[WARP_LANES];
};

template <typename Raw>
__global__ void __launch_bounds__(WALK_THREADS, RESIDENT_WALKERS)
    // cppcheck-suppress passedByValue
    count_unique_kernel(const WalkedKeys<Raw> array, const UniqueCounts counts) {
  auto &block = block_shared<UniqueCountBlock>();
  const WalkPart part = walk_part(array);
  uint32_t own = 0;
  for (uint64_t stretch = part.begin; stretch < part.end; stretch++) {
    Stretch<Raw> keys;
    keys.load(array, stretch);
    own += static_cast<uint32_t>(__popc(first_of_runs(array, keys)));
  }
  uint32_t total;
  const uint32_t lower = lower_warps_sum<WALK_WARPS>(warp_sum(own), block.warp_totals, total);
  if (threadIdx.x % WARP_LANES == 0)
    counts.warp_keys[blockIdx.x * WALK_WARPS + threadIdx.x / WARP_LANES] = lower;
  if (threadIdx.x == 0)
    counts.block_keys[blockIdx.x] = total;
}

template <typename Raw>
struct UniqueWriteBlock {
  uint64_t warp_totals[WARP_LANES];
  Raw stages[WALK_WARPS][WARP_LANES + STRETCH_KEYS<Raw>];
};

/* Keys of all blocks before this one. All threads take part; one barrier. */
__device__ __forceinline__ uint64_t lower_blocks_sum(const uint32_t *block_keys, uint64_t (&warp_totals)[WARP_LANES]) {
  uint64_t own = 0;
  for (uint32_t lower = threadIdx.x; lower < blockIdx.x; lower += WALK_THREADS)
    own += block_keys[lower];
  uint64_t total;
  lower_threads_sum<WALK_WARPS>(own, warp_totals, total);
  return total;
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

template <typename Raw>
__global__ void __launch_bounds__(WALK_THREADS, RESIDENT_WALKERS)
    // cppcheck-suppress passedByValue
    write_unique_kernel(const WalkedKeys<Raw> array, const UniqueCounts counts, Raw *target, uint64_t *answer) {
  auto &block = block_shared<UniqueWriteBlock<Raw>>();
  const uint32_t warp = threadIdx.x / WARP_LANES;
  const WalkPart part = walk_part(array);
  const uint64_t before = lower_blocks_sum(counts.block_keys, block.warp_totals);
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
    *answer = before + counts.block_keys[blockIdx.x];
  uint64_t at = before + counts.warp_keys[blockIdx.x * WALK_WARPS + warp];
  Raw *stage = block.stages[warp];
  for (uint64_t stretch = part.begin; stretch < part.end; stretch++) {
    Stretch<Raw> keys;
    keys.load(array, stretch);
    const uint32_t staged = stage_marked(keys, first_of_runs(array, keys), stage);
    __syncwarp();
    for (uint32_t index = threadIdx.x % WARP_LANES; index < staged; index += WARP_LANES)
      target[at + index] = stage[WARP_LANES + index];
    __syncwarp();
    at += staged;
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
