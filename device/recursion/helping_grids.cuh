/* SPDX-License-Identifier: MIT */
/*
 * Grids that help tasks out, and behind which nobody goes on: sorting listed ranges, writing many equal keys.
 * Each block leaves the sort by itself (account.cuh).
 */
#ifndef CDPSORT_DEVICE_RECURSION_HELPING_GRIDS_CUH
#define CDPSORT_DEVICE_RECURSION_HELPING_GRIDS_CUH

#include "recursion/multiway.cuh"

namespace cdp::CDP_RUNTIME {

/* Sorts listed ranges, a block each, from the worklist's place work.slot on. There may be more blocks than ranges. */
template <typename Bits>
__device__ __forceinline__ void sort_ranges_body(const Sort<Bits> &sort, const uint32_t &event, const Work<Bits> &work) {
  const TraceScope scope(sort, event);
  if (work.slot + blockIdx.x >= listed_ranges(sort))
    return;
  const BlockTraceScope own_scope(sort, event);
  const Range &range = sort.worklist[work.slot + blockIdx.x]; // where it is: no registers for it
  own_scope.describe(range);
  block_multiway_sort(sort.rules, range, block_shared<MultiwayStorage<Bits>>());
}

/* This thread's number in the grid, and how many there are. */
__device__ __forceinline__ uint64_t thread_of_grid() {
  return uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ uint64_t threads_of_grid() {
  return uint64_t{gridDim.x} * blockDim.x;
}

template <typename Bits>
__device__ __forceinline__ void fill_body(const Sort<Bits> &sort, const uint32_t &event, const Work<Bits> &work) {
  const TraceScope scope(sort, event);
  if (work.step == Step::fill_buckets)
    fill_equal_buckets(sort, work.slot, work.range, thread_of_grid(), threads_of_grid());
  else
    fill_range(sort.rules, work.range.begin, work.range.end, work.key, thread_of_grid(), threads_of_grid());
}

} // namespace cdp::CDP_RUNTIME

#endif
