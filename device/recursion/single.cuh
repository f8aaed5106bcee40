/* SPDX-License-Identifier: MIT */
/*
 * Arrays that one block holds in registers: one launch, no child, no sample, and no more threads than it takes.
 */
#ifndef CDPSORT_DEVICE_RECURSION_SINGLE_CUH
#define CDPSORT_DEVICE_RECURSION_SINGLE_CUH

#include "block/block_merge.cuh"
#include "recursion/trace.cuh"

namespace cdp::CDP_RUNTIME {

/* Whether the array is one block's: not where leaves are to be smaller than they can be, for then it is asked how they do. */
template <typename Bits>
__host__ __device__ inline bool is_single(const Sort<Bits> &sort) {
  return sort.count <= sort.single_items && sort.rules.leaf_items == Shape<Bits>::LEAF_ITEMS && sort.rules.depth_limit != 0;
}

template <typename Bits>
struct SingleStorage {
  Bits stage[FanShape<Bits>::STAGE_ROOM];
};

/* Sorts the whole array. As many items to a thread as registers hold, and as few threads: 2^10 to 2^13 keys of 32 bits took
   6.4, 7.7, 10.4 and 15.4 us with 16, and 6.1, 7.7, 10.6 and 17.6 with 8. */
template <typename Order>
__global__ void __launch_bounds__(FanShape<typename Order::Bits>::BLOCK_THREADS, 1)
    single_kernel(const __grid_constant__ Sort<typename Order::Bits> sort, uint32_t event) {
  using Bits = typename Order::Bits;
  const TraceScope scope(sort, event, CDP_TRACE_ROOT, whole_range(sort));
  clear_bookkeeping(sort);
  __syncthreads();
  block_register_sort<Order, FanShape<Bits>::TILE_ITEMS_PER_THREAD>(sort.rules, sort.rules.side(Side::keys), whole_range(sort),
                                                                    block_shared<SingleStorage<Bits>>().stage);
}

/* Launches it. Returns a cudaError_t. */
template <typename Order>
int launch_single(const Sort<typename Order::Bits> &sort, void *stream) {
  using Bits = typename Order::Bits;
  constexpr uint32_t WARP_ITEMS = WARP_LANES * FanShape<Bits>::TILE_ITEMS_PER_THREAD;
  const uint32_t warps = (static_cast<uint32_t>(sort.count) + WARP_ITEMS - 1) / WARP_ITEMS;
  const int error = allow_shared_bytes(single_kernel<Order>, sizeof(SingleStorage<Bits>));
  if (error != LAUNCH_OK)
    return error;
  return launch_from_host({1, warps * WARP_LANES, sizeof(SingleStorage<Bits>)}, stream, single_kernel<Order>, sort, ROOT_EVENT);
}

} // namespace cdp::CDP_RUNTIME

#endif
