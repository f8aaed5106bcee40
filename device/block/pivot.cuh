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

/* Draws WARP_LANES * SAMPLES keys of the range, each lane its share, entered. All lanes of the warp take part. */
template <typename Bits, uint32_t SAMPLES>
__device__ __forceinline__ void draw_samples(const Bits *source, const Range &range, uint64_t hash, Bits (&samples)[SAMPLES],
                                             const KeyMap<Bits> &map) {
  constexpr uint64_t ALL_SAMPLES = WARP_LANES * SAMPLES;
  const uint32_t lane = threadIdx.x % WARP_LANES;
#pragma unroll
  for (uint32_t sample = 0; sample < SAMPLES; sample++) {
    const uint64_t slice = sample * WARP_LANES + lane;
    const uint64_t offset = (slice * range.items() + below(splitmix64(hash + slice), range.items())) / ALL_SAMPLES;
    samples[sample] = source[range.begin + offset];
  }
  map.enter_all(samples, range.is_raw());
}

/* The median of a sample. All lanes of the warp take part; valid in every lane. */
template <typename Bits, uint32_t SAMPLES>
__device__ __forceinline__ Bits warp_sampled_median(const Bits *source, const Range &range, uint64_t hash,
                                                    const KeyMap<Bits> &map) {
  Bits samples[SAMPLES];
  draw_samples<Bits>(source, range, hash, samples, map);
  warp_bitonic_sort(samples);
  return __shfl_sync(ALL_LANES, samples[0], WARP_LANES / 2);
}

/* The mean of a sample's least and greatest key. All lanes of the warp take part; valid in every lane. */
template <typename Bits, uint32_t SAMPLES>
__device__ __forceinline__ Bits warp_sampled_mean(const Bits *source, const Range &range, uint64_t hash,
                                                  const KeyMap<Bits> &map) {
  Bits samples[SAMPLES];
  draw_samples<Bits>(source, range, hash, samples, map);
  Bits least = samples[0];
  Bits greatest = samples[0];
  for (uint32_t sample = 1; sample < SAMPLES; sample++) {
    least = samples[sample] < least ? samples[sample] : least;
    greatest = samples[sample] > greatest ? samples[sample] : greatest;
  }
  for (uint32_t distance = WARP_LANES / 2; distance != 0; distance /= 2) {
    const Bits min_other = __shfl_xor_sync(ALL_LANES, least, distance);
    const Bits other_greatest = __shfl_xor_sync(ALL_LANES, greatest, distance);
    least = min_other < least ? min_other : least;
    greatest = other_greatest > greatest ? other_greatest : greatest;
  }
  return map.mean(least, greatest);
}

/* The median of the medians of three of nine evenly spaced keys (Tukey 1978). */
template <typename Bits>
__device__ __forceinline__ Bits ninther(const Bits *source, const Range &range, const KeyMap<Bits> &map) {
  Bits medians[3];
  for (uint64_t third = 0; third < 3; third++) {
    Bits keys[3];
    for (uint64_t one = 0; one < 3; one++)
      keys[one] = map.enter(source[range.begin + (3 * third + one) * (range.items() - 1) / 8], range.is_raw());
    medians[third] = median_of_three(keys[0], keys[1], keys[2]);
  }
  return median_of_three(medians[0], medians[1], medians[2]);
}

/* The entered pivot of a range of at least one item. All lanes of the warp take part; valid in every lane. */
template <typename Bits, uint32_t SAMPLES>
__device__ Bits warp_choose_pivot(const BlockRules<Bits> &rules, const Range &range) {
  const Bits *source = rules.side(range.side);
  const uint64_t hash = splitmix64(rules.seed ^ splitmix64(range.begin ^ (range.end << 20)) ^ range.depth);
  const uint64_t middle = range.begin + range.items() / 2;
  const KeyMap<Bits> &map = rules.map;
  const bool is_raw = range.is_raw();
  switch (rules.pivot) {
  case CDP_PIVOT_MIDDLE:
    return map.enter(source[middle], is_raw);
  case CDP_PIVOT_MEDIAN_OF_THREE:
    return median_of_three(map.enter(source[range.begin], is_raw), map.enter(source[middle], is_raw),
                           map.enter(source[range.end - 1], is_raw));
  case CDP_PIVOT_RANDOM:
    return map.enter(source[range.begin + below(hash, range.items())], is_raw);
  case CDP_PIVOT_FIRST:
    return map.enter(source[range.begin], is_raw);
  case CDP_PIVOT_NINTHER:
    return ninther<Bits>(source, range, map);
  case CDP_PIVOT_MEAN:
    return warp_sampled_mean<Bits, SAMPLES>(source, range, hash, map);
  case CDP_PIVOT_DEFAULT:
  case CDP_PIVOT_SAMPLED_MEDIAN:
    break;
  }
  return warp_sampled_median<Bits, SAMPLES>(source, range, hash, map);
}

} // namespace cdp::CDP_RUNTIME

#endif
