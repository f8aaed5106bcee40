/* SPDX-License-Identifier: MIT */
/*
 * Bitonic sort of what one block holds in registers: comparators within a lane, across shuffles (bitonic.cuh), and above a warp
 * through shared memory. It takes the least time of all for few items, since it has no sample to draw and nothing to count;
 * more than some thousand take it more comparators than they are worth.
 */
#ifndef CDPSORT_DEVICE_BLOCK_BLOCK_BITONIC_CUH
#define CDPSORT_DEVICE_BLOCK_BLOCK_BITONIC_CUH

#include "block/bitonic.cuh"
#include "block/fan_shape.cuh"

namespace cdp::CDP_RUNTIME {

/* Comparators between each thread and the one whose number differs in the bits of distance_mask, through shared memory: item i
   with item i, or (FLIP) with item ITEMS - 1 - i. Two barriers; threads from `threads` on only take part in those. */
template <bool FLIP, uint32_t ITEMS, typename Bits>
__device__ __forceinline__ void compare_threads(Bits (&items)[ITEMS], uint32_t distance_mask, bool keeps_greater,
                                                uint32_t threads, Bits *exchange) {
  const bool takes_part = threadIdx.x < threads;
  if (takes_part)
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++)
      exchange[item * threads + threadIdx.x] = items[item];
  __syncthreads();
  if (takes_part)
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++)
      items[item] = kept(items[item], exchange[(FLIP ? ITEMS - 1 - item : item) * threads + (threadIdx.x ^ distance_mask)],
                         keeps_greater);
  __syncthreads();
}

/* Sorts the blocked items of the block's first `threads` threads (a power of two, whole warps). All threads take part. */
template <uint32_t ITEMS, typename Bits>
__device__ __forceinline__ void block_bitonic_sort(Bits (&items)[ITEMS], uint32_t threads, Bits *exchange) {
  if (threadIdx.x < threads)
    warp_bitonic_sort(items);
  for (uint32_t size = 2 * WARP_LANES; size <= threads; size *= 2) {
    compare_threads<true>(items, size - 1, (threadIdx.x & (size / 2)) != 0, threads, exchange);
    for (uint32_t distance = size / 4; distance >= WARP_LANES; distance /= 2)
      compare_threads<false>(items, distance, (threadIdx.x & distance) != 0, threads, exchange);
    if (threadIdx.x < threads)
      warp_bitonic_merge(items);
  }
}

/*
 * Sorts a range of at most SAMPLE_THREADS_MOST * ITEMS items into the caller's array.
 * - All threads of the block take part, with the same arguments; what the range holds must be visible to the block.
 * - storage.stage is used.
 */
template <typename Order, uint32_t ITEMS>
__device__ __forceinline__ void block_network_sort(const BlockRules<typename Order::Bits> &rules, const Range &range,
                                                   FanStorage<typename Order::Bits> &storage) {
  using Bits = typename Order::Bits;
  const uint32_t count = static_cast<uint32_t>(range.items());
  const Bits *source = rules.side(range.side) + range.begin;
  uint32_t threads = WARP_LANES;
  while (threads * ITEMS < count)
    threads *= 2;
  Bits items[ITEMS];
  const bool takes_part = threadIdx.x < threads;
  if (takes_part)
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++) {
      const uint32_t index = item * threads + threadIdx.x;
      items[item] = index < count ? Order::encode(source[index]) : Order::GREATEST;
    }
  block_bitonic_sort(items, threads, storage.stage);
  const uint32_t first = threadIdx.x / WARP_LANES * WARP_LANES * ITEMS; // the warp's first item
  if (takes_part && first < count) {
    turn_arrangement(items);
    store_striped<Order>(items, rules.side(Side::keys) + range.begin + first, count - first);
  }
  if (threadIdx.x == 0) {
    count_at(rules.counters, range.depth, &cdp_study_depth::leaves, 1);
    count_at(rules.counters, range.depth, &cdp_study_depth::leaf_items, count);
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
