/* SPDX-License-Identifier: MIT */
/*
 * Arrays that one block sorts: one launch, no child.
 */
#ifndef CDPSORT_DEVICE_RECURSION_ONE_BLOCK_CUH
#define CDPSORT_DEVICE_RECURSION_ONE_BLOCK_CUH

#include "block/block_merge.cuh"
#include "recursion/trace.cuh"

namespace cdp::CDP_RUNTIME {

template <typename Bits>
struct MergeStorage {
  Bits stage[MultiwayShape<Bits>::STAGE_ROOM];
};

/* Sorts an array that a block's registers hold, without a sample, and with no more threads than it takes. A kernel of its own:
   as a step of a larger one it began 3 us later, for all that kernel's code and calls (H200). As many items to a thread as
   registers hold, and as few threads: 2^10 to 2^13 keys of 32 bits took 6.4, 7.7, 10.4 and 15.4 us with 16, and 6.1, 7.7, 10.6
   and 17.6 with 8. */
template <typename Bits>
__global__ void __launch_bounds__(MultiwayShape<Bits>::BLOCK_THREADS, 1)
    merge_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event) {
  const TraceScope scope(sort, event, CDP_TRACE_ROOT, whole_range(sort));
  expect(sort.path == CDP_PATH_ONE_BLOCK);
  clear_bookkeeping(sort, 1, 1);
  __syncthreads();
  block_register_sort<Bits, MultiwayShape<Bits>::TILE_ITEMS_PER_THREAD>(
      sort.rules, sort.rules.side(Side::keys), whole_range(sort), block_shared<MergeStorage<Bits>>().stage);
}

/* Launches it. Returns a cudaError_t. */
template <typename Bits>
int launch_merge(const Sort<Bits> &sort, void *stream) {
  constexpr uint32_t WARP_ITEMS = WARP_LANES * MultiwayShape<Bits>::TILE_ITEMS_PER_THREAD;
  const uint32_t warps = (static_cast<uint32_t>(sort.count) + WARP_ITEMS - 1) / WARP_ITEMS;
  const int error = allow_shared_bytes(merge_kernel<Bits>, sizeof(MergeStorage<Bits>));
  if (error != LAUNCH_OK)
    return error;
  return launch_from_host({1, warps * WARP_LANES, sizeof(MergeStorage<Bits>)}, stream, merge_kernel<Bits>, sort, ROOT_EVENT);
}

/* Puts the whole array on the worklist, as its only range. All threads of the one block take part; ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ void list_whole_array(const Sort<Bits> &sort) {
  clear_bookkeeping(sort, 1, 1);
  if (threadIdx.x == 0) {
    sort.control->worklist_count = 1;
    sort.worklist[0] = whole_range(sort);
  }
  __syncthreads();
}

} // namespace cdp::CDP_RUNTIME

#endif
