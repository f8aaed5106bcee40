/* SPDX-License-Identifier: MIT */
/*
 * The sizes of tiles, leaves and ranges in device/tuning.h for tests in C: what mistakes are made around. By bytes of a key, 4
 * or 8.
 */
#ifndef CDPSORT_TESTS_TILE_SIZES_H
#define CDPSORT_TESTS_TILE_SIZES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of the simulated device. */
uint32_t simulated_tile_items(uint32_t key_bytes);
uint32_t simulated_leaf_items(uint32_t key_bytes);
uint32_t simulated_range_items(uint32_t key_bytes); /* what one block can sort by itself */

/* Of a GPU. */
uint32_t cuda_tile_items(uint32_t key_bytes);
uint32_t cuda_leaf_items(uint32_t key_bytes);

/* Keys of a tile that is divided by splitters, whatever their size, and the most parts of an array, beyond which parts have several
   tiles. */
uint32_t simulated_divide_tile(void);
uint32_t simulated_divide_parts(void);
uint32_t cuda_divide_tile(void);
uint32_t cuda_divide_parts(void);

/* The most keys that one block sorts with their values in one launch; those of 1 and 2 bytes as those of 4. */
uint32_t simulated_block_pairs(uint32_t key_bytes);
uint32_t cuda_block_pairs(uint32_t key_bytes);

/* Keys that a block's warps look at at once as they walk along an array, and keys that a block merges; also by 1 and 2 bytes. */
uint32_t simulated_walk_tile(uint32_t key_bytes);
uint32_t simulated_merge_tile(uint32_t key_bytes);
uint32_t cuda_walk_tile(uint32_t key_bytes);
uint32_t cuda_merge_tile(uint32_t key_bytes);

/* The greatest segments that a warp, a small block, a team and a block sort by themselves, in this order, of 4 or 8 bytes. */
#define SEGMENT_LIMIT_COUNT 4
uint32_t simulated_segment_limit(uint32_t which, uint32_t key_bytes);
uint32_t cuda_segment_limit(uint32_t which, uint32_t key_bytes);

/* Keys that a block sorts on chip in the bitonic sort of a whole array; also by 1 and 2 bytes. */
uint32_t simulated_bitonic_tile(uint32_t key_bytes);
uint32_t cuda_bitonic_tile(uint32_t key_bytes);

#ifdef __cplusplus
}
#endif

#endif
