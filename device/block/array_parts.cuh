/* SPDX-License-Identifier: MIT */
/*
 * Partition of a whole array by count, scan and scatter (Blelloch 1990), and what brings its parts back to where the
 * keys came from. Called by recursion/partition_array.cuh.
 *
 *  1. count    The array is divided into shares of consecutive keys, one for each warp of the grid, whose bounds depend on
 *              nothing but the sizes. A warp counts what its share has of the lesser and of the greater part.
 *  2. scan     One block replaces each share's counts by those of all shares before it.
 *  3. scatter  A warp reads its share again and writes its items behind those of the shares before, row by row: within a row of
 *              32 consecutive keys a ballot ranks them.
 *
 * So items of a part keep their order, and the result is the same whoever runs first: no atomics, no barrier between warps.
 * Patrick Bisenius and Manuel Lessmann, "Parallel Quick Sort in OpenCL" (undated), rank a block's items by atomics, which is
 * not stable; others have one thread scatter them one after another.
 *
 * Items equal to the pivot are counted by what is left, and written from the pivot.
 */
#ifndef CDPSORT_DEVICE_BLOCK_ARRAY_PARTS_CUH
#define CDPSORT_DEVICE_BLOCK_ARRAY_PARTS_CUH

#include "block/partition.cuh"

namespace cdp::CDP_RUNTIME {

/* How many items are less than the pivot, and how many are greater. */
struct PartCounts {
  unsigned long long less;
  unsigned long long greater;
};

/* Consecutive items of the array: [begin, end), a warp's own. */
struct Share {
  uint64_t begin;
  uint64_t end;
};

/* What one warp takes from its share at a time. */
template <typename Bits>
constexpr uint32_t SHARE_STEP = WARP_LANES *Shape<Bits>::TILE_ITEMS_PER_THREAD;

/* Counts a share. All lanes of the warp take part; valid in every lane. */
template <typename Bits>
__device__ __forceinline__ PartCounts count_warp_share(const Bits *keys, const Share &share, Bits pivot,
                                                       const KeyMap<Bits> &map) {
  PartCounts items = {0, 0};
  for (uint64_t first = share.begin; first < share.end; first += SHARE_STEP<Bits>) {
    Bits rows[Shape<Bits>::TILE_ITEMS_PER_THREAD];
    load_rows<Bits>(rows, keys, share.end, first, pivot, map, true);
    const uint32_t counts = count_parts(rows, pivot);
    items.less += counts & 0xFFFFu;
    items.greater += counts >> 16;
  }
  return {warp_sum(items.less), warp_sum(items.greater)};
}

/* Writes a share's items to `destination`, its lesser ones from less_begin on and its greater ones from greater_begin on, in
   the order in which they are. All lanes of the warp take part. */
template <typename Bits>
__device__ __forceinline__ void scatter_warp_share(const Bits *keys, Bits *destination, const Share &share, Bits pivot,
                                                   uint64_t less_begin, uint64_t greater_begin, const KeyMap<Bits> &map) {
  for (uint64_t first = share.begin; first < share.end; first += SHARE_STEP<Bits>) {
    Bits rows[Shape<Bits>::TILE_ITEMS_PER_THREAD];
    load_rows<Bits>(rows, keys, share.end, first, pivot, map, true);
    const uint32_t totals = warp_sum(count_parts(rows, pivot));
    write_parts<Bits>(rows, pivot, destination, less_begin, greater_begin, map, true);
    less_begin += totals & 0xFFFFu;
    greater_begin += totals >> 16;
  }
}

struct ScanStorage {
  unsigned long long less_totals[WARP_LANES];
  unsigned long long greater_totals[WARP_LANES];
};

/*
 * Replaces the items of each share by the sums over all shares before it, and writes the sums over all to *totals.
 * - All threads of one block take part. Any number of shares: what was summed so far is carried from round to round.
 * - Two barriers a round. Each warp_totals is written again after the other one's barrier only, as lower_threads_sum() asks.
 */
template <typename Bits>
__device__ __forceinline__ void scan_shares(PartCounts *shares, uint32_t share_count, PartCounts *totals,
                                            ScanStorage &storage) {
  constexpr uint32_t BLOCK_WARPS = Shape<Bits>::BLOCK_WARPS;
  constexpr uint32_t ROUND_ITEMS = Shape<Bits>::BLOCK_THREADS * SCAN_ITEMS_PER_THREAD;
  PartCounts carried = {0, 0};
  for (uint32_t round = 0; round < share_count; round += ROUND_ITEMS) {
    const uint32_t first = round + threadIdx.x * SCAN_ITEMS_PER_THREAD;
    PartCounts own[SCAN_ITEMS_PER_THREAD];
    PartCounts sum = {0, 0};
#pragma unroll
    for (uint32_t item = 0; item < SCAN_ITEMS_PER_THREAD; item++) {
      own[item] = first + item < share_count ? shares[first + item] : PartCounts{0, 0};
      sum.less += own[item].less;
      sum.greater += own[item].greater;
    }
    PartCounts all;
    PartCounts before = {lower_threads_sum<BLOCK_WARPS>(sum.less, storage.less_totals, all.less),
                         lower_threads_sum<BLOCK_WARPS>(sum.greater, storage.greater_totals, all.greater)};
    before.less += carried.less;
    before.greater += carried.greater;
#pragma unroll
    for (uint32_t item = 0; item < SCAN_ITEMS_PER_THREAD; item++) {
      if (first + item < share_count)
        shares[first + item] = before;
      before.less += own[item].less;
      before.greater += own[item].greater;
    }
    carried.less += all.less;
    carried.greater += all.greater;
  }
  if (threadIdx.x == 0)
    *totals = carried;
}

/*
 * This block's share of bringing the parts of `count` items from scratch back to keys, at the same indices, with the pivot
 * between them: tiles block, block + blocks, ... All threads of the block take part; no barrier. A thread loads all its items
 * of a tile before it writes one, so that many loads are under way.
 */
template <typename Bits>
__device__ __forceinline__ void put_back_parts(Bits *keys, const Bits *scratch, uint64_t count, Bits raw_pivot,
                                               const PartCounts &parts, uint64_t block, uint64_t blocks) {
  using Block = Shape<Bits>;
  const uint64_t greater_begin = count - parts.greater;
  const uint64_t tile_count = (count + Block::TILE_ITEMS - 1) / Block::TILE_ITEMS;
  for (uint64_t tile = block; tile < tile_count; tile += blocks) {
    const uint64_t first = tile * Block::TILE_ITEMS + threadIdx.x;
    Bits items[Block::TILE_ITEMS_PER_THREAD];
#pragma unroll
    for (uint32_t item = 0; item < Block::TILE_ITEMS_PER_THREAD; item++) {
      const uint64_t index = first + item * Block::BLOCK_THREADS;
      const bool moved = index < parts.less || (index >= greater_begin && index < count);
      items[item] = moved ? scratch[index] : raw_pivot;
    }
#pragma unroll
    for (uint32_t item = 0; item < Block::TILE_ITEMS_PER_THREAD; item++) {
      const uint64_t index = first + item * Block::BLOCK_THREADS;
      if (index < count)
        keys[index] = items[item];
    }
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
