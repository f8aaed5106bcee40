/* SPDX-License-Identifier: MIT */
/*
 * The tuning numbers of the sort, one row for each runtime and key size. Each says what it means, what constrains it, and where
 * it was measured (docs/performance.md has the figures). Plain constants: no kernel code here.
 */
#ifndef CDPSORT_DEVICE_TUNING_H
#define CDPSORT_DEVICE_TUNING_H

#include <cstdint>

namespace cdp {

/* Lanes of a warp, on every device there is. */
constexpr uint32_t WARP_LANES = 32;

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

constexpr uint32_t greatest_power_of_two(uint32_t most) {
  uint32_t power = 1;
  while (power <= most / 2)
    power *= 2;
  return power;
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

/*
 * The blocks of the many-way partition, one row for each kind of device and key size.
 *
 * block_threads          threads of every such block; at most 1,024, which is a whole multiprocessor at 64 registers a thread.
 * tile_items_per_thread  items of a tile that a thread holds in registers; at most 65,535 a tile, for 16-bit places. The tile
 *                        is staged in shared memory.
 * max_tiles             tiles of a range that one block sorts by itself: their table lies in shared memory. At most 32.
 *                        With 28 a block for 64-bit keys stays within a split of 164 KB, which leaves 92 KB of cache.
 * samples_per_thread     keys of a block's sample that a thread draws, at most. A sample is sorted where the tile and its
 *                        tables will be.
 * task_samples_per_thread
 *                        keys of a task's sample that a thread draws, at most: a task may have more buckets, and 1,024 should
 *                        have 16 keys each.
 */
struct MultiwayRow {
  uint32_t block_threads;
  uint32_t tile_items_per_thread;
  uint32_t max_tiles;
  uint32_t samples_per_thread;
  uint32_t task_samples_per_thread;
};

/* Kinds of devices: by how much shared memory a block may have. Large ones (227 KB) are of compute capability 9.0 to 11.x; an
   H200 has been measured. Plain ones (96 KB at least), before and after, have half the tile and fewer tiles, which fits. */
enum class DeviceKind : uint32_t { simulated, plain, large };

/* The kind of device that kernels are for. architecture: what they are compiled for, as __CUDA_ARCH__ counts it (900: 9.0).
   This alone decides, for the kernels themselves and for the host, so that both speak of the same sizes. */
constexpr DeviceKind device_kind_of(uint32_t architecture) {
  return architecture >= 900 && architecture < 1200 ? DeviceKind::large : DeviceKind::plain;
}

/* clang-format off */
constexpr MultiwayRow multiway_row(DeviceKind kind, uint32_t key_bytes) {
  switch (kind) {
  case DeviceKind::simulated:
    return key_bytes == 4 ? MultiwayRow{  96, 16,  9, 8, 16} : MultiwayRow{  96, 8,  8, 8, 16};
  case DeviceKind::plain:
    return key_bytes == 4 ? MultiwayRow{1024,  8, 12, 4,  8} : MultiwayRow{1024, 4,  8, 4,  4};
  case DeviceKind::large:
    break;
  }
  return key_bytes == 4 ? MultiwayRow{1024, 16, 32, 8, 16} : MultiwayRow{1024, 8, 28, 8, 16};
}
/* clang-format on */

constexpr uint32_t multiway_tile_items(const MultiwayRow &row) {
  return row.block_threads * row.tile_items_per_thread;
}

/* A range's tiles may begin a little before it: hence one tile less. */
constexpr uint32_t max_range_items(const MultiwayRow &row) {
  return (row.max_tiles - 1) * multiway_tile_items(row);
}

/* The many-way partition: the most and the least buckets of one. Two arrays of as many counters and a search tree lie in shared
   memory; more buckets mean shorter runs to write. */
constexpr uint32_t MAX_BUCKETS = 1024;
constexpr uint32_t MIN_FAN_OUT = 8;

/* Keys drawn for each bucket of a block. With 4 a bucket's size has a standard deviation of half its mean, which costs little,
   since buckets are grouped to fill leaves; with 2, too many are longer than a leaf. A task's are src/plan.c's affair. */
constexpr uint32_t BLOCK_OVERSAMPLING = 4;

/* Short arrays: items to a thread of a tile where tiles of more would leave multiprocessors without one. Measured: 2^17 keys of
   32 bits took 44.8 us with 4, 55.3 with 16. */
constexpr uint32_t SHORT_TILE_ITEMS = 4;

/* Keys that a thread has under way at a time when it gathers a bucket of a short array. Measured on an H200: with 4, 2^15 to
   2^20 keys of 32 bits took 1.5 to 3 % longer than with 8; with 64 bits no difference was to be seen. */
constexpr uint32_t SHORT_LOADS = 8;

/* A bucket of a short array that fits no block's registers, but is of no more tiles than this, is sorted by one block sooner
   than a task's launches would take, some 100 us. */
constexpr uint32_t SHORT_TILES_BEHIND = 4;

/* Buckets that should fit a leaf, so that groups of them fill it well: on average they leave half a bucket free. */
constexpr uint32_t BUCKETS_PER_LEAF = 8;

/* A bucket of up to so many leaves is still one warp's, if leaves have the greatest size. A sample makes longer ones rare. */
constexpr uint32_t LONG_BUCKET_LEAVES = 4;

/* Items to a thread up to which a block sorts a range in its registers (block_merge.cuh) rather than by a sample, where many
   ranges are to be sorted. With a tile's the whole sort was 2 to 3 % slower, measured together with smaller groups, the two not
   told apart. */
constexpr uint32_t MERGED_ITEMS_PER_THREAD = 4;

/* Buckets that one thread groups: each of them ends with a group that is not full. */
constexpr uint32_t BUCKETS_PER_SEARCH = 64;

/* Equal items that are worth a grid of their own to be written; fewer are written by the block at hand. One block writes about
   50 GB/s, a launch costs about 20 microseconds: a megabyte. */
constexpr uint64_t FILL_GRID_ITEMS = 1u << 18;

/* Kernels that are launched from the device: three for each key width, with the hooks of study.h and without
   (recursion/kernels.cuh). A test counts them in the built library. */
constexpr uint32_t LAUNCHED_KERNELS = 12;

/* CUDA loses a grid now and then where the kernels that are launched from the device, counting so many pending launches for each,
   exceed the pending-launch limit; however many are pending (samples/lost_trees prints the table, docs/known-issues.md). */
constexpr uint32_t LAUNCH_SLOTS_PER_KERNEL = 128;

/* The least pending-launch limit under which sorts launch from the device. CUDA's own is 2,048: room for four kernels of others. */
constexpr uint32_t PENDING_LIMIT_MIN = LAUNCH_SLOTS_PER_KERNEL * LAUNCHED_KERNELS;

} // namespace cdp

#endif
