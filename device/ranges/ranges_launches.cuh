/* SPDX-License-Identifier: MIT */
/*
 * The launches of what is done with sorted ranges, one behind the other on a stream, all by the host:
 *
 *     is it sorted   begin the answer ──▶ find disorder
 *     merge          clear ──▶ find splits ──▶ merge tiles      of one tile the last alone
 *     unique         clear ──▶ count and write
 */
#ifndef CDPSORT_DEVICE_RANGES_RANGES_LAUNCHES_CUH
#define CDPSORT_DEVICE_RANGES_RANGES_LAUNCHES_CUH

#include "payload/payload.h"
#include "ranges/find_disorder.cuh"
#include "ranges/merge_ranges.cuh"
#include "ranges/sorted_ranges.h"
#include "ranges/unique_keys.cuh"

namespace cdp::CDP_RUNTIME {

/* All that a block may have without being allowed more. */
constexpr size_t SHARED_BYTES = 48 * 1024;

template <typename Raw>
int launch_find_disorder(const cdp_ranges_plan &plan, void *stream) {
  // CUDA's atomics are of unsigned long long.
  static_assert(sizeof(unsigned long long) == sizeof(uint64_t), "the same number");
  auto *answer = reinterpret_cast<unsigned long long *>(plan.asked.d_answer);
  CDP_RETURN_UNLESS_LAUNCHED(launch_from_host({1, 1, 0}, stream, begin_answer_kernel, answer, plan.asked.count));
  if (plan.asked.count < 2)
    return LAUNCH_OK;
  return launch_from_host({plan.blocks, WALK_THREADS, 0}, stream, find_disorder_kernel<Raw>, walked_keys<Raw>(plan.asked),
                          answer);
}

/* ---- Merge ------------------------------------------------------------------------------------------------------------- */

template <typename Raw>
int launch_find_splits(const Merge<Raw> &merge, void *stream) {
  constexpr uint32_t BLOCK_TILES = MERGE_THREADS / WARP_LANES * WARP_SPLITS;
  const uint32_t blocks = (merge.tiles + BLOCK_TILES - 1) / BLOCK_TILES;
  CDP_RETURN_UNLESS_LAUNCHED(zero_memory(merge.is_contradictory, sizeof *merge.is_contradictory, stream));
  return launch_from_host({blocks, MERGE_THREADS, 0}, stream, find_splits_kernel<Raw>, merge);
}

template <typename Raw>
int launch_merge(const cdp_ranges_plan &plan, void *stream) {
  static_assert(sizeof(MergeBlock<Raw>) <= SHARED_BYTES && MERGE_TILE<Raw> <= UINT16_MAX, "a tile is staged");
  const cdp_ranges_request &asked = plan.asked;
  const GridShape grid = {plan.tiles, MERGE_THREADS, static_cast<uint32_t>(sizeof(MergeBlock<Raw>))};
  Raw *target = static_cast<Raw *>(asked.d_target);
  Merge<Raw> merge = {};
  merge.first = static_cast<const Raw *>(asked.d_keys);
  merge.second = static_cast<const Raw *>(asked.d_second);
  merge.first_count = asked.first_count;
  merge.second_count = asked.count - asked.first_count;
  merge.entry = entry_of<Raw>(asked.type, asked.order, asked.ties);
  merge.tiles = plan.tiles;
  if (plan.tiles > 1) {
    merge.splits = reinterpret_cast<uint64_t *>(part_of(plan, plan.splits));
    merge.is_contradictory = reinterpret_cast<uint32_t *>(part_of(plan, plan.is_contradictory));
    CDP_RETURN_UNLESS_LAUNCHED(launch_find_splits(merge, stream));
  }
  if constexpr (sizeof(Raw) > 1) // numbers of 1 byte are no floating-point numbers
    if (joins_keys(asked.type, asked.ties))
      return launch_from_host(grid, stream, merge_tiles_kernel<Raw, true>, merge, target);
  return launch_from_host(grid, stream, merge_tiles_kernel<Raw, false>, merge, target);
}

/* ---- Unique ------------------------------------------------------------------------------------------------------------ */

template <typename Raw>
int launch_unique(const cdp_ranges_plan &plan, void *stream) {
  static_assert(sizeof(UniqueBlock<Raw>) <= SHARED_BYTES, "a stretch of each warp is staged");
  const cdp_ranges_request &asked = plan.asked;
  if (asked.count == 0)
    return zero_memory(asked.d_answer, sizeof *asked.d_answer, stream);
  const GridShape grid = {plan.blocks, WALK_THREADS, static_cast<uint32_t>(sizeof(UniqueBlock<Raw>))};
  const UniqueBoard board = {reinterpret_cast<unsigned long long *>(part_of(plan, plan.tiles_taken)),
                             reinterpret_cast<UniqueTold *>(part_of(plan, plan.tile_keys))};
  CDP_RETURN_UNLESS_LAUNCHED(zero_memory(part_of(plan, plan.tiles_taken), plan.workspace_bytes - plan.tiles_taken, stream));
  return launch_from_host(grid, stream, unique_kernel<Raw>, walked_keys<Raw>(asked), board, static_cast<Raw *>(asked.d_target),
                          asked.d_answer);
}

template <typename Raw>
int launch_ranges_of(const cdp_ranges_plan &plan, void *stream) {
  switch (plan.asked.kind) {
  case CDP_RANGES_IS_SORTED:
    return launch_find_disorder<Raw>(plan, stream);
  case CDP_RANGES_MERGE:
    return launch_merge<Raw>(plan, stream);
  default:
    return launch_unique<Raw>(plan, stream);
  }
}

} // namespace cdp::CDP_RUNTIME

int cdp::CDP_RUNTIME::launch_ranges(const cdp_ranges_plan &plan, void *stream) {
  switch (cdp_engine_key_bytes(plan.asked.type)) {
  case 1:
    return launch_ranges_of<uint8_t>(plan, stream);
  case 2:
    return launch_ranges_of<uint16_t>(plan, stream);
  case 4:
    return launch_ranges_of<uint32_t>(plan, stream);
  default:
    return launch_ranges_of<uint64_t>(plan, stream);
  }
}

#endif
