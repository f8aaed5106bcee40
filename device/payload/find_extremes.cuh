/* SPDX-License-Identifier: MIT */
/*
 * The look at all keys that says how their distances are measured (window.cuh): the least and the greatest, and the bits that vary. The
 * block that is the last to have looked decides, for the kernels behind it.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_FIND_EXTREMES_CUH
#define CDPSORT_DEVICE_PAYLOAD_FIND_EXTREMES_CUH

#include "payload/window.cuh"

namespace cdp::CDP_RUNTIME {

/* ---- Leaving bits out -------------------------------------------------------------------------------------------------- */

/* Whether a window of so many bits shows more of the keys if bits that do not vary are left out. */
__device__ __forceinline__ bool shows_more_compacted(uint64_t varying, uint32_t distance_bits, uint32_t room) {
  const uint32_t varying_bits = static_cast<uint32_t>(__popcll(varying));
  if (distance_bits <= room || varying_bits > distance_bits)
    return false;
  const uint32_t shown = static_cast<uint32_t>(__popcll(varying >> (distance_bits - room)));
  return min(varying_bits, room) >= shown + MIN_BITS_LEFT_OUT;
}

/* Decides how distances are measured. One thread takes part. */
__device__ __forceinline__ void plan_distance(KeyExtremes &extremes, uint32_t room) {
  const uint64_t least = extremes.least();
  extremes.origin = least;
  extremes.distance_bits = bits_of(extremes.greatest - least);
  if (!shows_more_compacted(extremes.varying, extremes.distance_bits, room))
    return;
  plan_compaction(extremes.varying, extremes.moves);
  extremes.is_compacted = 1;
  extremes.origin = 0;
  extremes.distance_bits = static_cast<uint32_t>(__popcll(extremes.varying));
}

/* ---- Looking at all keys ----------------------------------------------------------------------------------------------- */

/* What has been seen of the keys. */
struct KeysSeen {
  unsigned long long greatest;
  unsigned long long least_inverted;
  unsigned long long varying;

  __device__ __forceinline__ void add(const KeysSeen &other) {
    greatest = max(greatest, other.greatest);
    least_inverted = max(least_inverted, other.least_inverted);
    varying |= other.varying;
  }
  /* Adds what the warp's other lanes have seen. All lanes take part. */
  __device__ __forceinline__ void add_lanes() {
#pragma unroll
    for (uint32_t distance = WARP_LANES / 2; distance != 0; distance /= 2) {
      const int lanes = static_cast<int>(distance);
      add({__shfl_xor_sync(ALL_LANES, greatest, lanes), __shfl_xor_sync(ALL_LANES, least_inverted, lanes),
           __shfl_xor_sync(ALL_LANES, varying, lanes)});
    }
  }
  /* Tells it to all, if it is more than others have told. */
  __device__ __forceinline__ void tell(KeyExtremes &extremes) const {
    const volatile KeyExtremes &told = extremes;
    if (told.greatest < greatest)
      atomicMax(&extremes.greatest, greatest);
    if (told.least_inverted < least_inverted)
      atomicMax(&extremes.least_inverted, least_inverted);
    if ((varying & ~told.varying) != 0)
      atomicOr(&extremes.varying, varying);
  }
};

/* What a block has in shared memory. */
struct KeysSeenRoom {
  KeysSeen warps[PAYLOAD_THREADS / WARP_LANES];
};

/* Makes of what each thread has seen that of its block, in the first warp. All threads take part. */
__device__ __forceinline__ void add_up_seen(KeysSeen &seen, KeysSeenRoom &room) {
  constexpr uint32_t WARPS = PAYLOAD_THREADS / WARP_LANES;
  const uint32_t lane = threadIdx.x % WARP_LANES;
  seen.add_lanes();
  if (lane == 0)
    room.warps[threadIdx.x / WARP_LANES] = seen;
  __syncthreads();
  seen = room.warps[lane % WARPS];
  seen.add_lanes();
}

/* Finds what there is to know of the keys. Each thread looks at many, so that few atomics are left, and most of those have nothing to
   tell; the last block decides. low_bits: of an item. */
template <typename Raw>
__global__ void __launch_bounds__(PAYLOAD_THREADS)
    find_extremes_kernel(const Raw *keys, uint64_t count, const Entry<Raw> entry, uint32_t low_bits, KeyExtremes *extremes,
                         const uint32_t *wanted) {
  auto &room = block_shared<KeysSeenRoom>();
  if (!is_wanted(wanted))
    return;
  const unsigned long long first = entry.enter(keys[0]);
  KeysSeen seen = {};
  for_each_item_in_turns(count, [&](uint64_t index) {
    const unsigned long long entered = entry.enter(keys[index]);
    seen.add({entered, ~entered, entered ^ first});
  });
  add_up_seen(seen, room);
  if (threadIdx.x != 0)
    return;
  seen.tell(*extremes);
  __threadfence(); // before it is said that they are there
  if (atomicAdd(&extremes->blocks_done, 1u) != gridDim.x - 1)
    return;
  __threadfence();
  plan_distance(*extremes, 64 - low_bits);
}

/* Launches that. Returns a cudaError_t. */
template <typename Raw>
int find_extremes(const void *keys, uint64_t count, const Entry<Raw> &entry, uint32_t low_bits, KeyExtremes *extremes,
                  const uint32_t *wanted, void *stream) {
  const int error = zero_memory(extremes, sizeof(KeyExtremes), stream);
  GridShape grid = few_blocks_grid(count);
  grid.shared_bytes = sizeof(KeysSeenRoom);
  return error != LAUNCH_OK ? error
                            : launch_from_host(grid, stream, find_extremes_kernel<Raw>, static_cast<const Raw *>(keys), count,
                                               entry, low_bits, extremes, wanted);
}

} // namespace cdp::CDP_RUNTIME

#endif
