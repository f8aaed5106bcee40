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

/* Draws WARP_LANES * SAMPLES keys of the range, each lane its share, and encodes them. All lanes of the warp take part. */
template <typename Order, uint32_t SAMPLES>
__device__ __forceinline__ void draw_samples(const typename Order::Bits *source, const Range &range, uint64_t hash,
                                             typename Order::Bits (&samples)[SAMPLES]) {
  constexpr uint64_t ALL_SAMPLES = WARP_LANES * SAMPLES;
  const uint32_t lane = threadIdx.x % WARP_LANES;
#pragma unroll
  for (uint32_t sample = 0; sample < SAMPLES; sample++) {
    const uint64_t slice = sample * WARP_LANES + lane;
    const uint64_t offset = (slice * range.items() + below(splitmix64(hash + slice), range.items())) / ALL_SAMPLES;
    samples[sample] = Order::encode(source[range.begin + offset]);
  }
}

/* The median of a sample. All lanes of the warp take part; valid in every lane. */
template <typename Order, uint32_t SAMPLES>
__device__ __forceinline__ typename Order::Bits warp_sampled_median(const typename Order::Bits *source, const Range &range,
                                                                    uint64_t hash) {
  typename Order::Bits samples[SAMPLES];
  draw_samples<Order>(source, range, hash, samples);
  warp_bitonic_sort(samples);
  return __shfl_sync(ALL_LANES, samples[0], WARP_LANES / 2);
}

/* The mean of a sample's least and greatest key. All lanes of the warp take part; valid in every lane. */
template <typename Order, uint32_t SAMPLES>
__device__ __forceinline__ typename Order::Bits warp_sampled_mean(const typename Order::Bits *source, const Range &range,
                                                                  uint64_t hash) {
  using Bits = typename Order::Bits;
  Bits samples[SAMPLES];
  draw_samples<Order>(source, range, hash, samples);
  Bits least = samples[0];
  Bits greatest = samples[0];
  for (uint32_t sample = 1; sample < SAMPLES; sample++) {
    least = samples[sample] < least ? samples[sample] : least;
    greatest = samples[sample] > greatest ? samples[sample] : greatest;
  }
  for (uint32_t distance = WARP_LANES / 2; distance != 0; distance /= 2) {
    const Bits other_least = __shfl_xor_sync(ALL_LANES, least, distance);
    const Bits other_greatest = __shfl_xor_sync(ALL_LANES, greatest, distance);
    least = other_least < least ? other_least : least;
    greatest = other_greatest > greatest ? other_greatest : greatest;
  }
  return Order::mean(least, greatest);
}

/* The median of the medians of three of nine evenly spaced keys (Tukey 1978). */
template <typename Order>
__device__ __forceinline__ typename Order::Bits ninther(const typename Order::Bits *source, const Range &range) {
  typename Order::Bits medians[3];
  for (uint64_t third = 0; third < 3; third++) {
    typename Order::Bits keys[3];
    for (uint64_t one = 0; one < 3; one++)
      keys[one] = Order::encode(source[range.begin + (3 * third + one) * (range.items() - 1) / 8]);
    medians[third] = median_of_three(keys[0], keys[1], keys[2]);
  }
  return median_of_three(medians[0], medians[1], medians[2]);
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
  case CDP_PIVOT_FIRST:
    return Order::encode(source[range.begin]);
  case CDP_PIVOT_NINTHER:
    return ninther<Order>(source, range);
  case CDP_PIVOT_MEAN:
    return warp_sampled_mean<Order, SAMPLES>(source, range, hash);
  case CDP_PIVOT_DEFAULT:
  case CDP_PIVOT_SAMPLED_MEDIAN:
    break;
  }
  return warp_sampled_median<Order, SAMPLES>(source, range, hash);
}

} // namespace cdp::CDP_RUNTIME

#endif
