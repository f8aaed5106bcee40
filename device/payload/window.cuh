/* SPDX-License-Identifier: MIT */
/*
 * The least and the greatest key, and what follows: how many bits their distance has, and so which bits of a key tell most.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_WINDOW_CUH
#define CDPSORT_DEVICE_PAYLOAD_WINDOW_CUH

#include "block/scan.cuh"
#include "payload/items.cuh"

namespace cdp::CDP_RUNTIME {

/* What is known of all keys, entered. Zeroed before they are looked at. */
struct KeyExtremes {
  unsigned long long greatest;
  unsigned long long least_inverted; /* ~ of the least, so that both begin with zeros */

  __device__ __forceinline__ uint64_t least() const {
    return ~uint64_t{least_inverted};
  }
  /* How many lower bits of a key's distance from the least are too many, if there is room for so many bits. */
  __device__ __forceinline__ uint32_t dropped_bits(uint32_t room) const {
    const uint32_t bits = bits_of(uint64_t{greatest} - least());
    return bits > room ? bits - room : 0;
  }
};

/* Which bits of a key of 8 bytes are in its item. */
struct Window {
  uint64_t least;
  uint32_t dropped_bits;

  __device__ __forceinline__ Window(const KeyExtremes &extremes, uint32_t low_bits)
      : least(extremes.least()), dropped_bits(extremes.dropped_bits(64 - low_bits)) {}

  __device__ __forceinline__ uint64_t operator()(uint64_t entered) const {
    return (entered - least) >> dropped_bits;
  }
  /* What is not. */
  __device__ __forceinline__ uint64_t dropped(uint64_t entered) const {
    return (entered - least) & ((uint64_t{1} << dropped_bits) - 1);
  }
};

/* Finds the least and the greatest key. Each thread looks at many, so that few atomics are left. */
template <typename Raw>
__global__ void __launch_bounds__(PAYLOAD_THREADS) find_extremes_kernel(const Raw *keys, uint64_t count, const Entry<Raw> entry,
                                                                        KeyExtremes *extremes, const uint32_t *wanted) {
  if (!is_wanted(wanted))
    return;
  unsigned long long greatest = 0;
  unsigned long long least_inverted = 0;
  for_each_item_in_turns(count, [&](uint64_t index) {
    const unsigned long long entered = entry.enter(keys[index]);
    greatest = entered > greatest ? entered : greatest;
    least_inverted = ~entered > least_inverted ? ~entered : least_inverted;
  });
#pragma unroll
  for (uint32_t distance = WARP_LANES / 2; distance != 0; distance /= 2) {
    const unsigned long long other = __shfl_xor_sync(ALL_LANES, greatest, static_cast<int>(distance));
    const unsigned long long other_inverted = __shfl_xor_sync(ALL_LANES, least_inverted, static_cast<int>(distance));
    greatest = other > greatest ? other : greatest;
    least_inverted = other_inverted > least_inverted ? other_inverted : least_inverted;
  }
  if (threadIdx.x % WARP_LANES != 0)
    return;
  atomicMax(&extremes->greatest, greatest);
  atomicMax(&extremes->least_inverted, least_inverted);
}

/* Launches that. Returns a cudaError_t. */
template <typename Raw>
int find_extremes(const void *keys, uint64_t count, const Entry<Raw> &entry, KeyExtremes *extremes, const uint32_t *wanted,
                  void *stream) {
  const int error = zero_memory(extremes, sizeof(KeyExtremes), stream);
  return error != LAUNCH_OK ? error
                            : launch_from_host(few_blocks_grid(count), stream, find_extremes_kernel<Raw>,
                                               static_cast<const Raw *>(keys), count, entry, extremes, wanted);
}

} // namespace cdp::CDP_RUNTIME

#endif
