/* SPDX-License-Identifier: MIT */
/*
 * Partition of a whole array (cdp_partition()): the quicksort's step by itself, launched by the host, without dynamic
 * parallelism. Two kinds, each in the order of its launches:
 *
 *     reserve   clear the totals     partition tiles    put the parts back
 *     scan      count the shares     scan the counts    scatter the shares    put the parts back
 *
 * Reserving is the recursion's own partition (block/partition.cuh): blocks share two counters. Scanning is
 * block/array_parts.cuh. Both write the parts to the scratch array, at the indices that they are to have, and leave in the
 * totals how large they are; the last grid writes all keys, those equal to the pivot from the pivot.
 *
 * Each grid begins when the one before it is complete, and so sees what it wrote.
 */
#ifndef CDPSORT_DEVICE_RECURSION_PARTITION_ARRAY_CUH
#define CDPSORT_DEVICE_RECURSION_PARTITION_ARRAY_CUH

#include "recursion/partition_workspace.cuh"
#include "recursion/start.h"

namespace cdp::CDP_RUNTIME {

/* A partition, as its kernels are given it. */
template <typename Bits>
struct ArrayPartition {
  Bits *keys;
  Bits *scratch;
  uint64_t count;
  Bits raw_pivot;
  KeyMap<Bits> map;
  PartCounts *totals;
  PartCounts *shares;
  uint64_t share_items; /* of each share but the last */
  uint32_t share_count;
};

/* This warp's share; an empty one for warps that the last block has too many. */
template <typename Bits>
__device__ __forceinline__ Share share_of_warp(const ArrayPartition<Bits> &partition, uint32_t &number) {
  number = blockIdx.x * Shape<Bits>::BLOCK_WARPS + threadIdx.x / WARP_LANES;
  const uint64_t begin = min(number * partition.share_items, partition.count);
  return {begin, min(begin + partition.share_items, partition.count)};
}

/* Every kernel here is made for one width, needed or not: one that several modules had, a linker might keep but once. */
template <typename Bits>
__global__ void clear_totals_kernel(ArrayPartition<Bits> partition) {
  if (threadIdx.x == 0)
    *partition.totals = PartCounts{0, 0};
}

template <typename Bits>
__global__ void __launch_bounds__(Shape<Bits>::BLOCK_THREADS, Shape<Bits>::RESIDENT_BLOCKS)
    reserve_parts_kernel(ArrayPartition<Bits> partition) {
  BlockRules<Bits> rules = {};
  rules.sides[static_cast<uint32_t>(Side::keys)] = partition.keys;
  rules.sides[static_cast<uint32_t>(Side::scratch)] = partition.scratch;
  rules.map = partition.map;
  partition_tiles<Bits>(rules, Range{0, partition.count, Side::keys, 0}, partition.map.enter(partition.raw_pivot, true),
                        PartCounters{&partition.totals->less, &partition.totals->greater}, blockIdx.x, gridDim.x,
                        block_shared<BlockStorage>(), true);
}

template <typename Bits>
__global__ void __launch_bounds__(Shape<Bits>::BLOCK_THREADS, Shape<Bits>::RESIDENT_BLOCKS)
    count_shares_kernel(ArrayPartition<Bits> partition) {
  uint32_t number;
  const Share share = share_of_warp(partition, number);
  const PartCounts items =
      count_warp_share<Bits>(partition.keys, share, partition.map.enter(partition.raw_pivot, true), partition.map);
  if (threadIdx.x % WARP_LANES == 0 && number < partition.share_count)
    partition.shares[number] = items;
}

template <typename Bits>
__global__ void __launch_bounds__(Shape<Bits>::BLOCK_THREADS, 1) scan_shares_kernel(ArrayPartition<Bits> partition) {
  scan_shares<Bits>(partition.shares, partition.share_count, partition.totals, block_shared<ScanStorage>());
}

template <typename Bits>
__global__ void __launch_bounds__(Shape<Bits>::BLOCK_THREADS, Shape<Bits>::RESIDENT_BLOCKS)
    scatter_shares_kernel(ArrayPartition<Bits> partition) {
  uint32_t number;
  const Share share = share_of_warp(partition, number);
  if (share.begin == share.end)
    return;
  const PartCounts before = partition.shares[number];
  const uint64_t greater_begin = partition.count - partition.totals->greater;
  scatter_warp_share<Bits>(partition.keys, partition.scratch, share, partition.map.enter(partition.raw_pivot, true),
                           before.less, greater_begin + before.greater, partition.map);
}

template <typename Bits>
__global__ void __launch_bounds__(Shape<Bits>::BLOCK_THREADS, Shape<Bits>::RESIDENT_BLOCKS)
    put_back_kernel(ArrayPartition<Bits> partition) {
  put_back_parts<Bits>(partition.keys, partition.scratch, partition.count, partition.raw_pivot, *partition.totals, blockIdx.x,
                       gridDim.x);
}

template <typename Bits>
inline ArrayPartition<Bits> make_partition(const cdp_partition_request &request) {
  const PartitionParts parts = partition_parts(request);
  const ShareRule shares = share_rule(request);
  unsigned char *workspace = static_cast<unsigned char *>(request.d_workspace);
  ArrayPartition<Bits> partition;
  partition.keys = static_cast<Bits *>(request.d_keys);
  partition.scratch = reinterpret_cast<Bits *>(workspace + parts.scratch);
  partition.count = request.count;
  partition.map = key_map<Bits>(request.type, request.order);
  memcpy(&partition.raw_pivot, &request.pivot, sizeof partition.raw_pivot);
  partition.totals = reinterpret_cast<PartCounts *>(workspace + parts.totals);
  partition.shares = reinterpret_cast<PartCounts *>(workspace + parts.shares);
  partition.share_items = shares.items;
  partition.share_count = shares.count;
  return partition;
}

/* The launches of each kind, but for the last one, which both have. They return a cudaError_t. */
template <typename Bits>
int launch_reserving(const ArrayPartition<Bits> &partition, uint32_t max_blocks, void *stream) {
  const int error = launch_from_host(GridShape{1, WARP_LANES, 0}, stream, clear_totals_kernel<Bits>, partition);
  if (error != LAUNCH_OK)
    return error;
  const uint32_t blocks = partition_blocks<Bits>(partition.count, max_blocks);
  return launch_from_host(thin_grid<Bits>(blocks), stream, reserve_parts_kernel<Bits>, partition);
}

template <typename Bits>
int launch_scanning(const ArrayPartition<Bits> &partition, void *stream) {
  using Block = Shape<Bits>;
  const uint32_t blocks = (partition.share_count + Block::BLOCK_WARPS - 1) / Block::BLOCK_WARPS;
  const GridShape shares = {blocks, Block::BLOCK_THREADS, 0};
  const GridShape single = {1, Block::BLOCK_THREADS, static_cast<uint32_t>(sizeof(ScanStorage))};
  int error = launch_from_host(shares, stream, count_shares_kernel<Bits>, partition);
  if (error == LAUNCH_OK)
    error = launch_from_host(single, stream, scan_shares_kernel<Bits>, partition);
  return error != LAUNCH_OK ? error : launch_from_host(shares, stream, scatter_shares_kernel<Bits>, partition);
}

template <typename Bits>
int launch_partition(const cdp_partition_request &request, void *stream) {
  using Block = Shape<Bits>;
  const ArrayPartition<Bits> partition = make_partition<Bits>(request);
  const uint32_t max_blocks = request.multiprocessors * Block::ROW.blocks_per_multiprocessor;
  const int error = request.kind == CDP_PARTITION_SCAN ? launch_scanning<Bits>(partition, stream)
                                                       : launch_reserving<Bits>(partition, max_blocks, stream);
  if (error != LAUNCH_OK)
    return error;
  const uint64_t tiles = (request.count + Block::TILE_ITEMS - 1) / Block::TILE_ITEMS;
  const GridShape all = {tiles < max_blocks ? static_cast<uint32_t>(tiles) : max_blocks, Block::BLOCK_THREADS, 0};
  return launch_from_host(all, stream, put_back_kernel<Bits>, partition);
}

} // namespace cdp::CDP_RUNTIME

#endif
