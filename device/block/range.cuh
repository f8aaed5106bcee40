/* SPDX-License-Identifier: MIT */
/*
 * What every part of the sort speaks of: ranges of items, the two sides of the ping-pong buffers, the block's shared memory.
 * Nothing here computes.
 *
 * The two sides. Keys live in the caller's array (Side::keys) or in the scratch array of the workspace (Side::scratch), at the
 * same index. A partition reads a range on one side and writes its parts on the other; what has reached its final place is
 * always written to Side::keys, by whoever ends the recursion there.
 *
 * Keys are raw before the first partition and when they are in their last place; in between both sides hold entered keys
 * (key_map.cuh). The depth of a range says which: whatever has been partitioned once is entered.
 */
#ifndef CDPSORT_DEVICE_BLOCK_RANGE_CUH
#define CDPSORT_DEVICE_BLOCK_RANGE_CUH

#include "key/key_map.cuh"
#include "tuning.h"

#include <cdpsort/study.h>

namespace cdp::CDP_RUNTIME {

/* Whether these kernels have what study.h asks for (runtime.cuh). */
constexpr bool HAS_STUDY = CDP_STUDY_HOOKS != 0;

enum class Side : uint32_t { keys = 0, scratch = 1 };

__device__ __forceinline__ Side other(Side side) {
  return side == Side::keys ? Side::scratch : Side::keys;
}

/* Items [begin, end) of the whole array, on the side that holds them, `depth` partitions below the whole array. */
struct Range {
  uint64_t begin;
  uint64_t end;
  Side side;
  uint32_t depth;

  __device__ __forceinline__ uint64_t items() const {
    return end - begin;
  }
  /* Whether its keys are as the caller gave them, and have to enter when they are read. */
  __device__ __forceinline__ bool is_raw() const {
    return depth == 0;
  }
};

/* What a block needs to know to sort a range by itself. */
template <typename Bits>
struct BlockRules {
  Bits *sides[2];
  KeyMap<Bits> map; /* how keys enter and leave */
  uint64_t seed;
  uint32_t depth_limit; /* ranges at this depth are not partitioned */
  uint32_t leaf_items;  /* ranges up to this are sorted by one warp in registers */
  uint32_t piece_items; /* ranges up to this are sorted by one warp: at least a leaf, at most WARP_LEAVES of them */
  uint32_t long_items;  /* many-way: buckets up to this are one warp's; at least a leaf */
  uint32_t merge_items; /* many-way: ranges up to this are merge-sorted in the block's registers; 0: none */
  cdp_pivot pivot;
  cdp_study_depth *counters; /* CDP_STUDY_DEPTHS rows; NULL: nobody asked */

  __device__ __forceinline__ Bits *side(Side which) const {
    return sides[static_cast<uint32_t>(which)];
  }
};

/* The tuning row of a key size, as constants of the block's code. */
template <typename Bits>
struct Shape {
#ifdef __CUDACC__
  static constexpr TuningRow ROW = tuning_row(false, sizeof(Bits));
#else
  static constexpr TuningRow ROW = tuning_row(true, sizeof(Bits));
#endif
  static constexpr uint32_t BLOCK_THREADS = ROW.block_threads;
  static constexpr uint32_t BLOCK_WARPS = BLOCK_THREADS / WARP_LANES;
  static constexpr uint32_t RESIDENT_BLOCKS = ROW.resident_blocks;
  static constexpr uint32_t TILE_ITEMS_PER_THREAD = ROW.tile_items_per_thread;
  static constexpr uint32_t TILE_ITEMS = tile_items(ROW);
  static constexpr uint32_t LEAF_ITEMS_PER_LANE = ROW.leaf_items_per_lane;
  static constexpr uint32_t LEAF_ITEMS = leaf_items(ROW);
  static constexpr uint32_t VECTOR_ITEMS = 16 / sizeof(Bits);

  static_assert(BLOCK_THREADS <= 512 && BLOCK_THREADS % WARP_LANES == 0 && BLOCK_WARPS >= 2,
                "a partition's two children are settled by a warp each");
  static_assert(TILE_ITEMS_PER_THREAD % VECTOR_ITEMS == 0, "a thread loads whole vectors");
  static_assert(TILE_ITEMS <= 65535, "two 16-bit counts are summed as one 32-bit number");
  static_assert((LEAF_ITEMS_PER_LANE & (LEAF_ITEMS_PER_LANE - 1)) == 0 && LEAF_ITEMS_PER_LANE >= 8 &&
                    LEAF_ITEMS_PER_LANE <= WARP_LANES,
                "bitonic leaves are powers of two, in three sizes");
};

/* A piece, or part of one: a Range in 16 bytes. */
struct Piece {
  uint64_t begin;
  uint32_t items;
  uint32_t side_and_depth; /* the side in the uppermost bit */

  __device__ __forceinline__ Side side() const {
    return static_cast<Side>(side_and_depth >> 31);
  }
  __device__ __forceinline__ uint32_t depth() const {
    return side_and_depth & 0x7FFFFFFFu;
  }
  __device__ __forceinline__ Range range() const {
    return {begin, begin + items, side(), depth()};
  }
};

__device__ __forceinline__ Piece piece_of(const Range &range) {
  return {range.begin, static_cast<uint32_t>(range.items()), static_cast<uint32_t>(range.side) << 31 | range.depth};
}

/*
 * The block's shared memory: one layout for every kernel that sorts, since each may have to finish a range by itself. It is
 * kept small on purpose (docs/notes/shared-memory-split.md).
 */
struct BlockStorage {
  uint32_t warp_totals[WARP_LANES];  /* lower_warps_sum() */
  uint64_t part_bases[2];            /* where a tile's lesser and greater items go */
  unsigned long long part_items[2];  /* block_partition(): items placed so far */
  uint64_t pivot;                    /* block_partition() */
  Range stack[BLOCK_STACK_ENTRIES];  /* block_sort() */
  Piece pieces[BLOCK_PIECE_ENTRIES]; /* block_sort() */
  uint32_t stack_entries;
  uint32_t piece_entries;
  uint32_t pieces_taken;
  uint32_t event;          /* trace.cuh: the running grid's */
  uint32_t flag;           /* whatever the kernel's first thread has to tell the others */
  uint32_t is_in_block[2]; /* whether this block has to sort a partition's two parts */
  Range children[2];       /* those parts */
};

/* With the 1 KB that CUDA adds, two blocks share the 8 KB that a device-launched block may find its multiprocessor set to. */
static_assert(sizeof(BlockStorage) <= 3 * 1024, "see docs/notes/shared-memory-split.md");

} // namespace cdp::CDP_RUNTIME

#endif
