/* SPDX-License-Identifier: MIT */
/*
 * Arrays that one block holds in registers: one launch, no child, no sample, and no more threads than it takes.
 */
#ifndef CDPSORT_DEVICE_RECURSION_SINGLE_CUH
#define CDPSORT_DEVICE_RECURSION_SINGLE_CUH

#include "block/block_merge.cuh"
#include "recursion/task.cuh"
#include "recursion/trace.cuh"

namespace cdp::CDP_RUNTIME {

template <typename Bits>
struct SingleStorage {
  Bits stage[MultiwayShape<Bits>::STAGE_ROOM];
};

/* Sorts the whole array. A kernel of its own, launched by the host alone: as a step of leaf_kernel it began 3 us later, for all
   that kernel's code and calls (H200). As many items to a thread as registers hold, and as few threads: 2^10 to 2^13 keys of 32 bits took
   6.4, 7.7, 10.4 and 15.4 us with 16, and 6.1, 7.7, 10.6 and 17.6 with 8. */
template <typename Bits>
__global__ void __launch_bounds__(MultiwayShape<Bits>::BLOCK_THREADS, 1)
    single_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event) {
  expect(sort.path == CDP_PATH_ONE_BLOCK && sort.merges != 0);
  const TraceScope scope(sort, event, CDP_TRACE_ROOT, whole_range(sort));
  clear_bookkeeping(sort, 1);
  __syncthreads();
  block_register_sort<Bits, MultiwayShape<Bits>::TILE_ITEMS_PER_THREAD>(
      sort.rules, sort.rules.side(Side::keys), whole_range(sort), block_shared<SingleStorage<Bits>>().stage);
}

/* Launches it. Returns a cudaError_t. */
template <typename Bits>
int launch_single(const Sort<Bits> &sort, void *stream) {
  constexpr uint32_t WARP_ITEMS = WARP_LANES * MultiwayShape<Bits>::TILE_ITEMS_PER_THREAD;
  const uint32_t warps = (static_cast<uint32_t>(sort.count) + WARP_ITEMS - 1) / WARP_ITEMS;
  const int error = allow_shared_bytes(single_kernel<Bits>, sizeof(SingleStorage<Bits>));
  if (error != LAUNCH_OK)
    return error;
  return launch_from_host({1, warps * WARP_LANES, sizeof(SingleStorage<Bits>)}, stream, single_kernel<Bits>, sort, ROOT_EVENT);
}

} // namespace cdp::CDP_RUNTIME

#endif
