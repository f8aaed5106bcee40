/* SPDX-License-Identifier: MIT */
/*
 * Arrays that one block sorts: one launch, no child.
 */
#ifndef CDPSORT_DEVICE_RECURSION_ONE_BLOCK_CUH
#define CDPSORT_DEVICE_RECURSION_ONE_BLOCK_CUH

#include "block/on_chip_sort.cuh"
#include "recursion/trace.cuh"

namespace cdp::CDP_RUNTIME {

template <typename Bits, DeviceKind KIND>
union OneBlockStorageOf {
  Bits stage[MultiwayShapeOf<Bits, KIND>::STAGE_ROOM]; /* what is merged */
  OnChipTeamOf<Bits, KIND, OnChipBy::tile_block> tile;
};
template <typename Bits>
using OneBlockStorage = OneBlockStorageOf<Bits, DEVICE_KIND>;

/* Sorts an array that is a tile at most: on chip or, if it is short, merged with no more threads than it takes. A block could
   hold twice as many keys, and 2^15 random ones took it 24 us, where a short array's blocks take 27; but those take 30 whatever
   the keys are, and one block up to 103 (H200, docs/lab/2026-11-23-stages-in-one-grid.md). A kernel of its own:
   as a step of a larger one it began 3 us later, for all that kernel's code and calls (H200). As many items to a thread as
   registers hold, and as few threads: merging 2^10, 2^11 and 2^12 keys of 32 bits took 6.4, 7.7 and 10.4 us with 16, and 6.1,
   7.7 and 10.6 with 8. */
template <typename Bits>
__global__ void __launch_bounds__(MultiwayShape<Bits>::BLOCK_THREADS, 1)
    one_block_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event) {
  if (is_unwanted(sort))
    return;
  const TraceScope scope(sort, event, CDP_TRACE_ROOT, whole_range(sort));
  expect(sort.path == CDP_PATH_ONE_BLOCK);
  clear_bookkeeping(sort, 1, 1);
  __syncthreads();
  auto &storage = block_shared<OneBlockStorage<Bits>>();
  const Bits *keys = sort.rules.side(Side::keys);
  if (is_merged<Bits, DEVICE_KIND>(sort.count))
    block_register_sort<Bits, MultiwayShape<Bits>::TILE_ITEMS_PER_THREAD>(sort.rules, keys, whole_range(sort), storage.stage);
  else
    block_on_chip_sort(sort.rules, keys, whole_range(sort), storage.tile);
}

/* The shape of its grid, on a kind of device: the host may be compiled for another. */
template <typename Bits, DeviceKind KIND>
GridShape one_block_grid(uint32_t count) {
  using Block = MultiwayShapeOf<Bits, KIND>;
  constexpr uint32_t WARP_ITEMS = WARP_LANES * Block::TILE_ITEMS_PER_THREAD;
  const uint32_t merging_threads = (count + WARP_ITEMS - 1) / WARP_ITEMS * WARP_LANES;
  const bool merges = is_merged<Bits, KIND>(count);
  return {1, merges ? merging_threads : Block::BLOCK_THREADS, static_cast<uint32_t>(sizeof(OneBlockStorageOf<Bits, KIND>))};
}

/* Launches it. Returns a cudaError_t. */
template <typename Bits>
int launch_one_block_kernel(const Sort<Bits> &sort, DeviceKind kind, void *stream) {
  const uint32_t count = static_cast<uint32_t>(sort.count);
  const GridShape shape =
      for_kind(kind, [count](auto constant) { return one_block_grid<Bits, decltype(constant)::value>(count); });
  static OncePerContext allowance;
  const int error = allowance.see_to([&shape] { return allow_shared_bytes(one_block_kernel<Bits>, shape.shared_bytes); });
  return error != LAUNCH_OK ? error : launch_from_host(shape, stream, one_block_kernel<Bits>, sort, ROOT_EVENT);
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
