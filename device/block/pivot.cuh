/* SPDX-License-Identifier: MIT */
/*
 * Pivots. A warp chooses one, so that the two children of a partition get theirs side by side.
 *
 * Every rule is a function of the range, the seed and the keys alone. Positions are drawn with splitmix64 (Steele, Lea and
 * Flood 2014). The sample is stratified: one position in each of as many equal slices as there are samples, so that inputs in
 * some order are sampled as evenly as shuffled ones.
 */
#ifndef CDPSORT_DEVICE_BLOCK_PIVOT_CUH
#define CDPSORT_DEVICE_BLOCK_PIVOT_CUH

#include "block/bitonic.cuh"

namespace cdp::CDP_RUNTIME {

__device__ __forceinline__ uint64_t splitmix64(uint64_t value) {
  value += 0x9E3779B97F4A7C15u;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

/* A number below `bound` (at most 2^40), by the upper 24 bits of `hash`: beyond 2^24 only so many evenly spaced numbers are
 * drawn. */
__device__ __forceinline__ uint64_t below(uint64_t hash, uint64_t bound) {
  return ((hash >> 40) * bound) >> 24;
}

template <typename Bits>
__device__ __forceinline__ Bits median_of_three(Bits a, Bits b, Bits c) {
  const Bits least = a < b ? a : b;
  const Bits most = a < b ? b : a;
  return c < least ? least : (c < most ? c : most);
}

/* The median of WARP_LANES * SAMPLES keys of the range. All lanes of the warp take part; valid in every lane. */
template <typename Order, uint32_t SAMPLES>
__device__ __forceinline__ typename Order::Bits warp_sampled_median(const typename Order::Bits *source, const Range &range,
                                                                    uint64_t hash) {
  constexpr uint64_t ALL_SAMPLES = WARP_LANES * SAMPLES;
  const uint32_t lane = threadIdx.x % WARP_LANES;
  typename Order::Bits samples[SAMPLES];
#pragma unroll
  for (uint32_t sample = 0; sample < SAMPLES; sample++) {
    const uint64_t slice = sample * WARP_LANES + lane;
    const uint64_t offset = (slice * range.items() + below(splitmix64(hash + slice), range.items())) / ALL_SAMPLES;
    samples[sample] = Order::encode(source[range.begin + offset]);
  }
  warp_bitonic_sort(samples);
  return __shfl_sync(ALL_LANES, samples[0], WARP_LANES / 2);
}

/* The encoded pivot of a range of at least one item. All lanes of the warp take part; valid in every lane. */
template <typename Order, uint32_t SAMPLES>
__device__ typename Order::Bits warp_choose_pivot(const BlockRules<typename Order::Bits> &rules, const Range &range) {
  const typename Order::Bits *source = rules.side(range.side);
  const uint64_t hash = splitmix64(rules.seed ^ splitmix64(range.begin ^ (range.end << 20)) ^ range.depth);
  const uint64_t middle = range.begin + range.items() / 2;
  switch (rules.pivot) {
  case CDP_PIVOT_MIDDLE:
    return Order::encode(source[middle]);
  case CDP_PIVOT_MEDIAN_OF_THREE:
    return median_of_three(Order::encode(source[range.begin]), Order::encode(source[middle]),
                           Order::encode(source[range.end - 1]));
  case CDP_PIVOT_RANDOM:
    return Order::encode(source[range.begin + below(hash, range.items())]);
  case CDP_PIVOT_DEFAULT:
  case CDP_PIVOT_SAMPLED_MEDIAN:
    break;
  }
  return warp_sampled_median<Order, SAMPLES>(source, range, hash);
}

} // namespace cdp::CDP_RUNTIME

#endif
