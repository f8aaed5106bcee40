/* SPDX-License-Identifier: MIT */
/*
 * Grids that go from one stage to the next without a launch.
 *
 *  1. A grid's tail begins 6 to 15 us after the grid; blocks that run know of each other within a microsecond (H200,
 *     docs/lab/2026-11-23-stages-in-one-grid.md).
 *  2. A barrier of all blocks asks that all of them run at the same time. CUDA promises that to a cooperative launch alone, and
 *     refuses one of a kernel that launches from the device.
 *  3. A block that runs will get on, whatever the others do.
 *  Therefore nobody waits for a block, but for work that a block which runs has taken. A stage is as many shares as the grid
 *  has blocks, and who is free takes the next one by an atomic. A block that finds none left waits until those taken are done,
 *  all by blocks that run and, in this stage, wait for nobody. So the stage ends however few of the blocks run at the same
 *  time; usually they all do, and each has one share.
 */
#ifndef CDPSORT_DEVICE_RECURSION_TURNS_CUH
#define CDPSORT_DEVICE_RECURSION_TURNS_CUH

#include "block/mapped_shape.cuh"
#include "recursion/trace.cuh"

namespace cdp::CDP_RUNTIME {

/*
 * The memory that a grid's blocks share, zeroed by the first block that runs.
 *
 *  1. A memset before the grid costs a sort 5 us (H200).
 *  2. Nothing is known of what is there; but no launch has another one's number, and nobody else writes it, so that it is there
 *     only if this launch has written it. A graph's launches all have one number; they are the ones with a memset.
 *  Therefore the first block makes the memory its own by an atomic, zeroes what the others need to take shares, and then writes
 *  the number, for which all others wait before they use the memory. The rest is zeroed in shares, or by the same block.
 */

/* Whether this block is the first. For one thread. */
inline __device__ bool is_first_block(unsigned long long *owner, unsigned long long launch_number) {
  const unsigned long long seen = atomicAdd(owner, 0ull);
  return seen != launch_number && seen != ~launch_number && atomicCAS(owner, seen, ~launch_number) == seen;
}

/* Zeroes bytes [first, end) of it, both multiples of OWNER_BYTES: so many threads take part, each with its number. */
template <typename Bits>
__device__ __forceinline__ void zero_common_memory(const Sort<Bits> &sort, uint32_t first, uint32_t end, uint32_t thread,
                                                   uint32_t threads) {
  struct alignas(16) Zeros {
    uint32_t zeros[4];
  };
  static_assert(sizeof(Zeros) == OWNER_BYTES, "they begin behind the owner");
  Zeros *zeros = reinterpret_cast<Zeros *>(&sort.control->owner) + 1;
  for (uint32_t index = first / OWNER_BYTES + thread; index < end / OWNER_BYTES; index += threads)
    zeros[index] = {};
}

/* For one thread. */
template <typename Bits>
__device__ __forceinline__ void tell_zeroed(const Sort<Bits> &sort) {
  atomicExch(&sort.control->owner, static_cast<unsigned long long>(sort.launch_number));
}

/* Zeroes what the first block has to, and says so. All its threads take part; no barrier at the end. */
template <typename Bits>
__device__ __forceinline__ void zero_by_block(const Sort<Bits> &sort) {
  zero_common_memory(sort, 0, sort.first_zero_bytes, threadIdx.x, blockDim.x);
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    tell_zeroed(sort);
  }
}

/* Waits until it is zeroed. For one thread. */
template <typename Bits>
__device__ __forceinline__ void await_zeros(const Sort<Bits> &sort) {
  while (read_anew(&sort.control->owner) != sort.launch_number)
    ;
}

/* A share that there is not. */
constexpr uint32_t NO_SHARE = UINT32_MAX;

/* What a trace calls a stage. */
__device__ __forceinline__ cdp_trace_kind trace_kind(MapStage stage) {
  return stage == MapStage::sort ? CDP_TRACE_BUCKETS : CDP_TRACE_MAP;
}

/*
 * Ends a share, if the block had one, and takes another one of the same stage; or, if none is left, one of what is expected to
 * come next, unless that is NULL, and waits until the stage is done. All threads of the block take part; begins and ends with a
 * barrier. Then:
 *     turn.has_more  1: turn.share is another one of this stage
 *                    0: the stage is done, so that this block sees what all have written
 *     turn.is_last   1: this block did the last share of the stage
 */
inline __device__ void end_share(StageTurn &stage, StageTurn *expected, BlockTurn &turn) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    const bool had_one = turn.share < gridDim.x;
    const uint32_t done = had_one ? atomicAdd(&stage.done, 1u) + 1 : 0;
    const uint32_t taken = had_one ? read_anew(&stage.taken) : gridDim.x;
    turn.share = taken < gridDim.x ? atomicAdd(&stage.taken, 1u) : NO_SHARE;
    turn.has_more = turn.share < gridDim.x ? 1 : 0;
    if (turn.has_more == 0) {
      turn.is_last = done == gridDim.x ? 1 : 0;
      if (expected != nullptr)
        turn.share = atomicAdd(&expected->taken, 1u);
      while (read_anew(&stage.done) != gridDim.x)
        ;
    }
    __threadfence();
  }
  __syncthreads();
}

} // namespace cdp::CDP_RUNTIME

#endif
