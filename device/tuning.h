/* SPDX-License-Identifier: MIT */
/*
 * The tuning numbers of the sort: here those of blocks, tasks and the plan; in tuning_kinds.h those that depend on the kind of device;
 * in tuning_map.h those of maps and of sorting on chip. Each says what it means, what constrains it, and where it was measured
 * (docs/lab has the figures). Plain constants: no kernel code here.
 */
#ifndef CDPSORT_DEVICE_TUNING_H
#define CDPSORT_DEVICE_TUNING_H

#include "tuning_map.h"
#include "tuning_narrow.h"

namespace cdp {

/*
 * The shape of a block and its tiles.
 *
 * block_threads              threads of every block that sorts: a multiple of WARP_LANES, at most 512.
 * resident_blocks            blocks that a multiprocessor must have registers for: 65,536 / (threads * blocks) is what a
 *                            thread may have, which the build tells nvcc as -maxrregcount, for functions that kernels call.
 * tile_items_per_thread      items of a partition tile a thread holds in registers; a multiple of the items in 16 bytes. At
 *                            most 65,535 items a tile, for the two 16-bit counts that are summed as one.
 * leaf_items_per_lane        items of the largest leaf that a lane of the warp that sorts it holds; 8, 16 or 32.
 * blocks_per_multiprocessor  blocks of a partition grid for each multiprocessor, at most: enough to fill the card, so that a
 *                            block loops over its tiles rather than being launched anew for each.
 * tiles_per_block            tiles that a block of a partition grid should have to do, at least: a grid is not worth more
 *                            blocks. u32, 2^27 keys: 9.5, 9.0 and 8.7 ms with 2, 4 and 8 on an H200.
 */
struct TuningRow {
  uint32_t block_threads;
  uint32_t resident_blocks;
  uint32_t tile_items_per_thread;
  uint32_t leaf_items_per_lane;
  uint32_t blocks_per_multiprocessor;
  uint32_t tiles_per_block;
};

/* clang-format off */
constexpr TuningRow CUDA_4_BYTES      = {512, 2, 16, 32, 4, 8};
constexpr TuningRow CUDA_8_BYTES      = {512, 2,  8, 16, 4, 8};
/* The simulated device pays for every thread at every barrier, so its blocks are small; it has several warps and several tiles
   to a task all the same, for that is where the mistakes are. */
constexpr TuningRow SIMULATED_4_BYTES = { 96, 1,  8, 32, 2, 2};
constexpr TuningRow SIMULATED_8_BYTES = { 96, 1,  8, 16, 2, 2};
/* clang-format on */

constexpr TuningRow tuning_row(bool simulated, uint32_t key_bytes) {
  if (simulated)
    return key_bytes == 4 ? SIMULATED_4_BYTES : SIMULATED_8_BYTES;
  return key_bytes == 4 ? CUDA_4_BYTES : CUDA_8_BYTES;
}

constexpr uint32_t tile_items(const TuningRow &row) {
  return row.block_threads * row.tile_items_per_thread;
}

constexpr uint32_t leaf_items(const TuningRow &row) {
  return WARP_LANES * row.leaf_items_per_lane;
}

/* Lanes' samples for a pivot: a task's pivot decides about a whole level of the recursion (512 samples put it within 2.2 % of
   the median, one standard deviation), a block's own only about the next few microseconds (128: within 4.4 %), a warp's about
   less (64: within 6.2 %). */
constexpr uint32_t TASK_SAMPLES_PER_LANE = 16;
constexpr uint32_t BLOCK_SAMPLES_PER_LANE = 4;
constexpr uint32_t WARP_SAMPLES_PER_LANE = 2;

/* A piece is what one warp of a block sorts by itself: at most this many leaves, and no more than leaves this many pieces to a
   range that the block sorts, so that all its warps have some. u32, 2^27 keys: 9.9, 9.5 and 9.4 ms with at most 4, 8 and 16
   leaves. */
constexpr uint32_t WARP_LEAVES = 16;
constexpr uint32_t PIECES_PER_BLOCK = 32;

/* A warp's stack halves the range at hand from entry to entry, and a leaf is not partitioned: 5 entries at most. They lie in
   the registers of as many lanes. */
static_assert(WARP_LEAVES < 1u << (WARP_LANES - 1), "a lane for each entry");

/* Pieces that a block lets gather before its warps sort them side by side: some for each warp, so that no warp idles for
   long. */
constexpr uint32_t BLOCK_PIECE_ENTRIES = 64;

/* Ranges that a block has still to partition. It takes the shorter part first, so entry k is no longer than the whole range
   halved k - 1 times: 48 are enough for any count that can be addressed. */
constexpr uint32_t BLOCK_STACK_ENTRIES = 48;

/* A partition by count, scan and scatter: shares that a thread scans at a time. A GPU has some thousand shares: more to a
   thread are fewer rounds of barriers. */
constexpr uint32_t SCAN_ITEMS_PER_THREAD = 4;

constexpr uint32_t multiway_tile_items(const MultiwayRow &row) {
  return row.block_threads * row.tile_items_per_thread;
}

/* A range's tiles may begin a little before it: hence one tile less. */
constexpr uint32_t max_range_items(const MultiwayRow &row) {
  return (row.max_tiles - 1) * multiway_tile_items(row);
}

/* The most keys of a block's sample. A power of two of threads sorts it. */
constexpr uint32_t max_samples(const MultiwayRow &row) {
  return greatest_power_of_two(row.block_threads) * row.samples_per_thread;
}

/* The many-way partition: the most and the least buckets of one. Two arrays of as many counters and a search tree lie in shared
   memory; more buckets mean shorter runs to write. */
constexpr uint32_t MAX_BUCKETS = 1024;
constexpr uint32_t MIN_FAN_OUT = 8;

/* The most buckets of a task: as many as its blocks' samples can tell apart. */
constexpr uint32_t max_fan_out(const MultiwayRow &row) {
  return max_samples(row) / 2 < MAX_BUCKETS ? max_samples(row) / 2 : MAX_BUCKETS;
}

/* Keys drawn for each bucket of a block. With 4 a bucket's size has a standard deviation of half its mean, which costs little,
   since buckets are grouped to fill leaves; with 2, too many are longer than a leaf. */
constexpr uint32_t BLOCK_OVERSAMPLING = 4;

/* Short arrays: items to a thread of a tile where tiles of more would leave multiprocessors without one. Measured: 2^17 keys of
   32 bits took 44.8 us with 4, 55.3 with 16. */
constexpr uint32_t SHORT_TILE_ITEMS = 4;

/* Keys that a thread has under way at a time when it gathers a bucket of a short array. Measured on an H200: with 4, 2^15 to
   2^20 keys of 32 bits took 1.5 to 3 % longer than with 8; with 64 bits no difference was to be seen. */
constexpr uint32_t SHORT_LOADS = 8;

/* Short arrays: so many equal keys are shared by blocks, in pieces of so many; fewer are written by the block at hand, at some
   50 GB/s. On an H200, 2^18 keys of two values, nearly 2^17 each, take 30 us with 2^16, and took 40 with 2^17. MAX_SHORT_EQUAL
   values are shared at most, a lane each (docs/lab/2026-11-27-launched-behind.md). */
constexpr uint32_t shared_equal_items(DeviceKind kind) {
  return kind == DeviceKind::simulated ? 1u << 11 : 1u << 16;
}
constexpr uint32_t equal_piece_items(DeviceKind kind) {
  return kind == DeviceKind::simulated ? 1u << 9 : 1u << 14;
}
constexpr uint32_t MAX_SHORT_EQUAL = 32;

/* A bucket of a short array that fits no block's registers, but is of no more tiles than this, is sorted by one block, side by
   side with all others. Of longer ones each becomes a task, whose launches take some 100 us, one after the other. */
constexpr uint32_t SHORT_TILES_BEHIND = 16;

/* Buckets that should fit a leaf, so that groups of them fill it well: on average they leave half a bucket free. */
constexpr uint32_t BUCKETS_PER_LEAF = 8;

/* Ranges for one block are put in order of size by so many classes, the longest first, so that none is still at work when all
   others are done. At most MAX_BUCKETS, whose counters they use. */
constexpr uint32_t SIZE_CLASSES = 64;

/* A bucket of up to so many leaves is still one warp's, unless leaves are asked for as they are (cdp_plan::bitonic_leaf). A
   sample makes longer ones rare. */
constexpr uint32_t LONG_BUCKET_LEAVES = 4;

/* Items to a thread up to which a block sorts a range in its registers (block_merge.cuh) rather than by a sample, where many
   ranges are to be sorted; unless cdp_plan::bitonic_leaf. With a tile's the whole sort was 2 to 3 % slower, measured together
   with smaller groups, the two not told apart. */
constexpr uint32_t MERGED_ITEMS_PER_THREAD = 4;

/* Buckets that one thread groups: each of them ends with a group that is not full. */
constexpr uint32_t BUCKETS_PER_SEARCH = 64;

/* Equal items that are worth a grid of their own to be written; fewer are written by the block at hand. One block writes about
   50 GB/s, a launch costs about 20 microseconds: a megabyte. */
constexpr uint64_t FILL_GRID_ITEMS = 1u << 18;

/* Kernels that are launched from the device: three for each key width, with the hooks of study.h and without
   (recursion/kernels.cuh). A test counts them in the built library. */
constexpr uint32_t LAUNCHED_KERNELS = 12;

/* CUDA loses a grid now and then where the kernels that are launched from the device, counting so many pending launches for
   each, exceed the pending-launch limit; however many are pending (samples/13_lost_trees prints the table, docs/known-issues.md).
   */
constexpr uint32_t LAUNCH_SLOTS_PER_KERNEL = 128;

/* The least pending-launch limit under which sorts launch from the device. CUDA's own is 2,048: room for four kernels of
   others. */
constexpr uint32_t PENDING_LIMIT_MIN = LAUNCH_SLOTS_PER_KERNEL * LAUNCHED_KERNELS;

/* ---- The plan (plan.cpp): depths, ranges, paths, room ------------------------------------------------------------------- */

/*
 * The default depth limit is DEPTH_PER_LOG * ceil(log2(count)) + DEPTH_EXTRA: with fair pivots a range is small enough after
 * log2(count / block_items) partitions; twice log2(count) is introsort's patience with unfair ones, and keeps the worst case at
 * O(n log^2 n). The extra levels are for short arrays.
 *
 * A limit that is asked for counts as MAX_DEPTH_PER_LOG * ceil(log2(count)) at most: with keys in order and the first of them
 * for a pivot each level takes away one key, and a limit of 10^6 would mean O(n^2).
 */
constexpr uint32_t DEPTH_PER_LOG = 2;
constexpr uint32_t DEPTH_EXTRA = 8;
constexpr uint32_t MAX_DEPTH_PER_LOG = 4;

/* Levels that the host launches beyond those that fair splitters take. Not measured: a range longer than twice a fair one is
   rare with TASK_OVERSAMPLING keys to a bucket, and one more level divides it by its fan-out. */
constexpr uint32_t SPARE_HOST_LEVELS = 1;

/* The same two ways, where pivots are medians of samples. The longest of 256 parts has some 1.4 times the average's items, so
   that two would do for random keys; a level that has nothing to do costs 3 to 5 us, and a range that is left over the bitonic
   network. u32, 2^25 keys: 1.10 times the last block's time with 17 spare levels (docs/lab/2026-11-22-one-machinery.md). */
constexpr uint32_t SPARE_TWO_WAY_HOST_LEVELS = 8;

/* And the tiles that a block of such a level has to do, below the whole array: fewer are more blocks that may find nothing to
   do, more are slower blocks to wait for. As of a block of a partition grid (tiles_per_block). */
constexpr uint32_t LEVEL_TILES_PER_BLOCK = 8;

/* The classic recursion: most leaves of a range that one block finishes by itself. More would keep some multiprocessors busy
   after the others; fewer make more and smaller grids, each of which costs its launch: u32, 2^27 keys took 6.35, 5.99, 5.70,
   5.73 and 5.72 ms with 192, 256, 320, 384 and 496 (docs/lab/2026-11-24-older-measurements.md). */
constexpr uint32_t MAX_LEAVES_PER_BLOCK = 320;

/* Two ways: a range as deep as fair parts are short is one block's up to this many times a fair one's items. Otherwise a few
   that are a little too long become tasks, a level of launches more and one too many for the budget: u64, 2^26 keys in 512
   parts on average had 19, and of the tasks that were refused for them four were longer than a block can list, 6.8 ms for 4.9.
   */
constexpr uint32_t MAX_UNFAIR_SHARES = 2;

/* Ranges for one block are no larger than would give every multiprocessor this many of them. With many children their number is
   a power of two, so it is the power of two below: 2^24 keys of 32 bits took 531 us in 256 ranges, which 132 multiprocessors do
   in two rounds, and 595 in 512 (docs/lab/2026-11-24-older-measurements.md). */
constexpr uint32_t BLOCKS_PER_MULTIPROCESSOR = 2;

/*
 * Many children: the ranges that one block finishes have on average so many items that the block has RANGE_LEAVES_FACTOR
 * buckets to a leaf left at least, but that every multiprocessor has BLOCKS_PER_MULTIPROCESSOR ranges; a tile divided by
 * MIN_TILE_SHARE at least. u32, 2^27 keys, with 2^17 and 2^18 items, which is 8 and 4 buckets to a leaf: counting took 0.33 and
 * 0.28 ms, scattering 0.81 and 0.71, finishing 1.89 and 1.87 (docs/lab/2026-11-24-older-measurements.md).
 */
constexpr uint32_t RANGE_LEAVES_FACTOR = 2;
constexpr uint32_t MIN_TILE_SHARE = 4;

/* And no more than this share of what one block can sort, so that hardly a range is longer; by reckoning. */
constexpr uint32_t RANGE_SHARE_NUMERATOR = 3;
constexpr uint32_t RANGE_SHARE_DENOMINATOR = 5;

/* The longest of those ranges, in averages: with a sample of 16 keys a bucket hardly one is longer. */
constexpr uint32_t MAX_RANGE_AVERAGES = 4;

/* Keys drawn for each bucket of a task. Its buckets must not be too long for one block: with 16 the standard deviation of their
   sizes is a quarter of the mean. u32, 2^27 keys: 3.24 and 3.02 ms with 8 and 16 (docs/lab/2026-11-24-older-measurements.md). */
constexpr uint32_t TASK_OVERSAMPLING = 16;

/*
 * Short arrays (recursion/short_array.cuh): the buckets that they are divided into, a block each; measured on an H200 with
 * 32-bit keys. A share divides a tile, or the room for keys of a block that sorts on chip.
 *
 * SHORT_TILE_SHARE_HALF  for arrays of up to this share of a tile to a bucket, half as many buckets as there are
 *                        multiprocessors: 2^16 keys took 39.4 us with 64 buckets, 42.1 with 128.
 * MAX_SHORT_ROOM_SHARE   the most that a bucket has on average, with a sample of MAX_SHORT_OVERSAMPLING keys to a bucket. More
 *                        buckets than multiprocessors come after each other: 2^20 keys took 75 us with 128, 85 to 92 with 256.
 * SHORT_ROOM_SHARE       the same with a smaller sample, SHORT_OVERSAMPLING or what there is room for, but no less than
 *                        MIN_SHORT_OVERSAMPLING: by reckoning one bucket in 10^7 does not fit a block then.
 */
constexpr uint32_t SHORT_TILE_SHARE_HALF = 16;
constexpr uint32_t MAX_SHORT_ROOM_SHARE = 2;
constexpr uint32_t SHORT_ROOM_SHARE = 4;
constexpr uint32_t MAX_SHORT_OVERSAMPLING = 32;
constexpr uint32_t SHORT_OVERSAMPLING = 16;
constexpr uint32_t MIN_SHORT_OVERSAMPLING = 8;

/* A depth limit with which a short array's buckets are still sorted and not left to the bitonic network. */
constexpr uint32_t MIN_SHORT_DEPTH_LIMIT = 2;

/* The same with which a mapped array's long buckets are. */
constexpr uint32_t MIN_MAP_DEPTH_LIMIT = 4;

/*
 * Room for tasks with many children: MULTIWAY_TASKS_PER_BLOCK for every block_items items, and some for short arrays. Each has
 * a set table, of 12 KB for 1,024 children and keys of 4 bytes: small ranges for one block would ask for many times the keys,
 * 26 GB with 32 items for 2^27 keys of 32 bits. So the tables have the keys' bytes divided by TASK_TABLES_SHARE and some more,
 * or what they have with default options, where that is more. Tasks beyond that are sorted by the block at hand.
 */
constexpr uint32_t MULTIWAY_TASKS_PER_BLOCK = 2;
constexpr uint32_t EXTRA_MULTIWAY_TASKS = 8;
constexpr uint32_t TASK_TABLES_SHARE = 64;
constexpr uint32_t EXTRA_TASK_TABLE_BYTES = 16u << 20;

/* Room for listed ranges: this many for every block_items items (many children: of average length), and some more, for short
   arrays or for full sets of buckets. */
constexpr uint32_t LISTED_PER_BLOCK = 4;
constexpr uint32_t EXTRA_LISTED = 1024;
constexpr uint32_t EXTRA_MULTIWAY_LISTED = 4096;

/* The most tasks and listed ranges there is room for, whatever the count; where they are full, the block at hand sorts the
   range. One grid sorts the list, a block each: as many as a grid may have. The blocks of all tasks of a level, one for each
   and one for each tile of CDP_COUNT_MAX keys, are counted in 32 bits. */
constexpr uint32_t MAX_WORKLIST_CAPACITY = 0x7FFFFFFF;
constexpr uint32_t MAX_TASK_CAPACITY = 1u << 30;

/*
 * Tasks started in one batch. CUDA refuses device launches past its pending-launch limit, which the library never raises: 2,048
 * by default. A launch is pending until all its descendants are complete, so that it is the launches of a whole batch that
 * count (docs/notes/pending-launches.md). A sort's batches have the limit divided by PENDING_SHARE_DENOMINATOR: the rest is for the
 * batches themselves, for the look for disorder (one launch, within which the first task may come), and for other sorts on the
 * device at the same time. What is refused all the same is sorted another way.
 *
 * Launches that a task has pending: one; with a controller three (controller, workers, continuation). With many children five:
 * its preparation, two phases, the grid for small children, the one for equal keys; with a controller two continuations more.
 */
constexpr uint32_t PENDING_SHARE_DENOMINATOR = 4;
constexpr uint32_t launches_per_task(bool is_classic, bool has_controller) {
  return (is_classic ? 1 : 5) + (has_controller ? 2 : 0);
}

} // namespace cdp

#endif
