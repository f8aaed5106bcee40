/* SPDX-License-Identifier: MIT */
/*
 * How many keys are in order before the first that is not.
 *
 * All warps of a grid go along the array together, stretch after stretch. Who finds a key that comes before the one in front of it
 * lowers the answer, and ends; who has a stretch behind the answer ends, too. So an array that is in disorder from the beginning
 * on is read no further than all warps reach at once, and one in order is read once.
 */
#ifndef CDPSORT_DEVICE_RANGES_FIND_DISORDER_CUH
#define CDPSORT_DEVICE_RANGES_FIND_DISORDER_CUH

#include "ranges/walk.cuh"

namespace cdp::CDP_RUNTIME {

/* One thread. */
__global__ void begin_answer_kernel(unsigned long long *answer, uint64_t count) {
  *answer = count;
}

/* Lowers the answer to a warp's first marked key, if it has one. The result is the same in all lanes: whether it has. */
template <typename Raw>
__device__ __forceinline__ bool report_first(const Stretch<Raw> &own, uint32_t marks, unsigned long long *answer) {
#pragma unroll
  for (uint32_t row = 0; row < Stretch<Raw>::ROWS; row++) {
    const uint32_t in_row = Stretch<Raw>::of_row(marks, row);
    const uint32_t lanes = __ballot_sync(ALL_LANES, in_row != 0);
    if (lanes == 0)
      continue;
    if (threadIdx.x % WARP_LANES == static_cast<uint32_t>(__ffs(static_cast<int>(lanes))) - 1) {
      const uint32_t key = static_cast<uint32_t>(__ffs(static_cast<int>(in_row))) - 1;
      atomicMin(answer, own.index(row * Stretch<Raw>::KEYS + key));
    }
    return true;
  }
  return false;
}

template <typename Raw>
__global__ void __launch_bounds__(WALK_THREADS, RESIDENT_WALKERS)
    // cppcheck-suppress passedByValue
    find_disorder_kernel(const WalkedKeys<Raw> array, unsigned long long *answer) {
  constexpr uint64_t KEYS = STRETCH_KEYS<Raw>;
  const uint64_t stretches = array.stretches();
  const uint64_t warps = uint64_t{gridDim.x} * WALK_WARPS;
  const uint64_t own_warp = uint64_t{blockIdx.x} * WALK_WARPS + threadIdx.x / WARP_LANES;
  for (uint64_t stretch = own_warp; stretch < stretches; stretch += warps) {
    Stretch<Raw> own;
    own.load(array, stretch);
    // Read behind the keys, which are on their way meanwhile.
    unsigned long long known = threadIdx.x % WARP_LANES == 0 ? read_anew(answer) : 0;
    known = __shfl_sync(ALL_LANES, known, 0);
    if (stretch * KEYS >= known + array.lead)
      return;
    const auto is_disorder = [](EnteredKey<Raw> left, EnteredKey<Raw> right) { return right < left; };
    if (report_first(own, own.compare(array, is_disorder), answer))
      return;
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
