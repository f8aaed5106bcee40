/* SPDX-License-Identifier: MIT */
/**
 * @file tuning.h
 * Numbers that shape the recursion, for people who study it or measure it: cdp_options::tuning points to them. A sort is right
 * with any of them, and rarely faster than with the defaults.
 *
 *     cdp_tuning tuning = CDP_TUNING_INIT;
 *     cdp_options options = CDP_OPTIONS_INIT;
 *     tuning.disable = CDP_DISABLE_ONE_BLOCK | CDP_DISABLE_SHORT;
 *     options.tuning = &tuning;
 *     uint32_t keys[] = {3, 1, 2};
 *     if (cdp_quicksort(keys, 3, CDP_U32, &options) != CDP_OK) // keys: 1, 2, 3
 *       fprintf(stderr, "%s\n", cdp_last_message());
 */
#ifndef CDPSORT_TUNING_H
#define CDPSORT_TUNING_H

#include <cdpsort/cdpsort.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @name Bits of cdp_tuning::disable
 * Two ways to sort arrays without a recursion of tasks; what is left is that. Not for two children, which have neither.
 * @{
 */
#define CDP_DISABLE_ONE_BLOCK 1u /**< no array is sorted by one block, whatever one_block_items says */
#define CDP_DISABLE_SHORT 2u     /**< no array is sorted as a short one, whatever short_items says */
/** @} */

/** The most keys drawn for a child. */
#define CDP_OVERSAMPLING_MAX 1024u

/**
 * Initialise with CDP_TUNING_INIT, then set what you want to be different. In every field 0 means the default. `size` is as
 * that of cdp_options, with the same rules for structures of fewer or more bytes than the library's.
 * @since 0.3.0
 */
struct cdp_tuning {
  size_t size;              /**< sizeof(cdp_tuning); CDP_TUNING_INIT sets it */
  uint32_t disable;         /**< CDP_DISABLE_ONE_BLOCK, CDP_DISABLE_SHORT, both, or 0: neither. Other bits: CDP_ERROR_OPTION */
  uint32_t one_block_items; /**< arrays of at most this many items are sorted by one block, in one launch. 0: what a block's
                                 registers hold, 16,384 keys of 4 bytes or 8,192 of 8 (half as many where a block has less
                                 than 163 KB of shared memory), which is also the most. Not for two children, where it is
                                 `block_items` */
  uint32_t short_items;  /**< longer arrays of at most this many items are sorted by one grid, which orders tiles by bucket and
                                 then has a block for each bucket, without tasks. 0: as many as are sorted
                                 fastest so, 2^21 keys of 4 bytes, 1.5 * 2^20 - 1 of 8; the most are 2^23
                                 (2^22), of which a bucket fits a block. Only with the default scheme,
                                 child streams and leaf (cdp_options::leaf_items 0), a depth limit of at least 2, and as many
                                 children as it takes buckets (64 to 1,024 on an H200) */
  uint32_t block_items;  /**< ranges that one block finishes and that get no grid have this many items: at most with two
                                 children, on average with more. 0: as many as was fastest for the array, the device and the
                                 leaf size; at most what a block can. Less than a leaf is a leaf */
  uint32_t oversampling; /**< keys drawn for each child of a task with many children, 1 to CDP_OVERSAMPLING_MAX, as far as a
                                 block can sort so large a sample. 0: 16; for short arrays up to 32 */
  uint32_t reserved;     /**< must be 0 */
};

/** The defaults. */
#define CDP_TUNING_INIT                                                                                                        \
  { sizeof(cdp_tuning), 0, 0, 0, 0, 0, 0 }

/**
 * @name A preset
 * Options that make the recursion behave as NVIDIA's sample cdpAdvancedQuicksort does: two children and the middle key as
 * pivot, depth limit 16, ranges of up to 1,024 keys (512 of 8 bytes) sorted bitonically, every longer one partitioned by a grid
 * on a stream of its own. What is different: refused launches are made good, deferred or not; ranges that end the recursion are
 * collected and sorted by one grid, not each by its own; equal keys leave the recursion.
 *
 *     static const cdp_tuning tuning = CDP_TUNING_ADVANCED_QUICKSORT_INIT;
 *     cdp_options options = CDP_OPTIONS_ADVANCED_QUICKSORT_INIT(&tuning);
 *     uint32_t keys[] = {3, 1, 2};
 *     if (cdp_quicksort(keys, 3, CDP_U32, &options) != CDP_OK) // keys: 1, 2, 3
 *       fprintf(stderr, "%s\n", cdp_last_message());
 *
 * `tuning` is a pointer to the preset's own tuning, or to one that differs as you like; it must live as long as the options are
 * used.
 * @{
 */
#define CDP_TUNING_ADVANCED_QUICKSORT_INIT                                                                                     \
  { sizeof(cdp_tuning), 0, 0, 0, 1, 0, 0 }
#define CDP_OPTIONS_ADVANCED_QUICKSORT_INIT(tuning)                                                                            \
  {                                                                                                                            \
    sizeof(cdp_options), CDP_ASCENDING, CDP_DEVICE_AUTO, 0, CDP_SCHEME_LAST_BLOCK, CDP_STREAMS_NAMED, CDP_PIVOT_MIDDLE, 16, 0, \
        CDP_FAN_OUT_CLASSIC, {NULL, NULL, NULL}, (tuning), CDP_TIES_ANY, {                                                     \
      0, 0, 0                                                                                                                  \
    }                                                                                                                          \
  }
/** @} */

#ifdef __cplusplus
}
#endif

#endif
