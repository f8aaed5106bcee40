/* SPDX-License-Identifier: MIT */
/*
 * Segments, and buckets of divided ones, that are sorted on chip (on_chip_sort.cuh): fat blocks first sort those that are a
 * block's, and then their teams those that are a team's. The keys are read once and written once.
 *
 * A range that is too long for a block is here only where divisions have not made it shorter: one block sorts it by the classic
 * recursion (sort.cuh), whatever its length.
 */
#ifndef CDPSORT_DEVICE_SEGMENTS_LONG_SEGMENTS_CUH
#define CDPSORT_DEVICE_SEGMENTS_LONG_SEGMENTS_CUH

#include "block/on_chip_sort.cuh"
#include "block/sort.cuh"
#include "segments/segment_lists.cuh"

namespace cdp::CDP_RUNTIME {

template <typename Bits, DeviceKind KIND>
struct LongSegmentBlockOf {
  uint64_t taken;
  uint32_t team_segments; /* how many are a team's: there are no 2^32 of them */
  union {
    OnChipTeamOf<Bits, KIND, OnChipBy::team> teams[OnChipShapeOf<Bits, KIND, OnChipBy::team>::TEAMS];
    OnChipTeamOf<Bits, KIND, OnChipBy::block> bucket;
    BlockStorage block;
  };
};
template <typename Bits>
using LongSegmentBlock = LongSegmentBlockOf<Bits, DEVICE_KIND>;

static_assert(fits_fat_blocks<LongSegmentBlockOf>());

/* Sorts what is a block's, as long as there is any. All threads of the block take part; ends with a barrier. */
template <typename Bits>
__device__ __noinline__ void sort_block_segments(const SegmentedSort<Bits> &sort) {
  auto &storage = block_shared<LongSegmentBlock<Bits>>();
  const bool is_listed = sort.lists.control != nullptr;
  const uint64_t segments = is_listed ? sort.lists.listed(SegmentClass::block) : sort.segments.segment_count;
  for (uint64_t index = blockIdx.x; index < segments;) {
    const Range range = is_listed ? sort.lists.blocks[index] : sort.segments(index);
    if (range.items() <= SEGMENT_LIMITS<Bits>.block)
      block_on_chip_sort<Bits, OnChipBy::block>(sort.rules, sort.rules.side(range.side) + range.begin, range, storage.bucket);
    else
      block_sort_fallback<Bits>(sort.rules, range, storage.block);
    __syncthreads();
    if (threadIdx.x == 0)
      storage.taken = is_listed ? gridDim.x + atomicAdd(&sort.lists.control->blocks_taken, 1ull) : index + gridDim.x;
    __syncthreads();
    index = storage.taken;
    __syncthreads();
  }
}

/* Sorts what is a team's, as long as there is any. All threads of the block take part. Teams have nothing to do with one another.
   */
template <typename Bits>
__device__ __noinline__ void sort_team_segments(const SegmentedSort<Bits> &sort) {
  using SortTeam = SortingTeam<Bits, OnChipBy::team>;
  constexpr uint32_t TEAMS = OnChipShape<Bits>::TEAMS;
  auto &block = block_shared<LongSegmentBlock<Bits>>();
  auto *rooms = block.teams;
  if (threadIdx.x == 0)
    block.team_segments = static_cast<uint32_t>(sort.source_count(SegmentClass::team));
  __syncthreads();
  uint32_t index = blockIdx.x * TEAMS + SortTeam::anew().number;
  while (index < reread(block.team_segments)) {
    const Range range = sort.source(SegmentClass::team)(index);
    const uint32_t count = static_cast<uint32_t>(range.items());
    // Which is the next one takes a microsecond to come: it is asked for before it is needed.
    uint32_t next = index + gridDim.x * TEAMS;
    if (sort.lists.control != nullptr && SortTeam::anew().thread == 0)
      next = gridDim.x * TEAMS + static_cast<uint32_t>(atomicAdd(&sort.lists.control->teams_taken, 1ull));
    Bits *destination = sort.rules.side(Side::keys) + range.begin;
    Bits least = 0;
    const bool are_equal = stage_by_cells<Bits, OnChipBy::team>(sort.rules.side(range.side) + range.begin, count,
                                                                sort.rules.map, range.is_raw(), least, rooms);
    auto &room = room_of<Bits, OnChipBy::team>(rooms);
    if (SortTeam::anew().thread == 0)
      room.taken = next;
    SortTeam::anew().sync();
    index = room.taken;
    if (are_equal)
      write_equal(least, count, destination, sort.rules.map, SortTeam::anew());
    else
      sort_and_write<Bits, OnChipBy::team>(count, destination, sort.rules.map, rooms);
  }
}

/* `has_blocks`: there may be segments that are a block's; `has_teams`: that are a team's. */
template <typename Bits>
__global__ void __launch_bounds__(MultiwayShape<Bits>::BLOCK_THREADS, 1)
    // cppcheck-suppress passedByValue
    sort_long_segments_kernel(const __grid_constant__ SegmentedSort<Bits> sort, uint32_t has_blocks, uint32_t has_teams) {
  if (has_blocks != 0)
    sort_block_segments(sort);
  if (has_teams != 0)
    sort_team_segments(sort);
}

} // namespace cdp::CDP_RUNTIME

#endif
