/* SPDX-License-Identifier: MIT */
/**
 * @file segments.h
 * Many arrays sorted in one call: the segments of one array, each by itself, with values that are moved along.
 *
 *     uint32_t keys[] = {30, 10, 20, 5, 4, 9, 7};
 *     const uint32_t offsets[] = {0, 3, 3, 5}; // where segments begin, and the last one ends, as in a matrix of compressed rows
 *     const cdp_segments rows = {.count = 3, .begins = offsets, .ends = offsets + 1, .offset_bytes = sizeof *offsets};
 *     if (cdp_segmented_sort(keys, NULL, 0, 7, CDP_U32, NULL, &rows) != CDP_OK) // keys: 10, 20, 30, 4, 5, 9, 7
 *       fprintf(stderr, "%s\n", cdp_last_message());
 *
 *     float matrix[2][3] = {{3, 1, 2}, {6, 5, 4}};
 *     const cdp_segments equal = {.count = 2, .length = 3};
 *     if (cdp_segmented_sort(matrix, NULL, 0, 6, CDP_F32, NULL, &equal) != CDP_OK) // matrix: {1, 2, 3}, {4, 5, 6}
 *       fprintf(stderr, "%s\n", cdp_last_message());
 *
 * Segments are any parts of the array, in any order, with anything between them, and empty ones among them. What lies outside of
 * all of them is as it was. Within a segment keys come in the order of the call, as cdp_quicksort() would bring them.
 *
 * How. A kernel reads the offsets. Up to 32 keys are sorted by some lanes of a warp at once, some hundred more by a warp in its
 * registers, up to two thousand by a small block in its registers, and up to some ten thousand by half of a large block, or all of
 * it, in shared memory: all of these are read once and written once. Longer ones are divided by all blocks together, by the
 * splitters of a sample of each, until the parts are no longer than that: keys are read twice and written once more for each
 * division, which makes up to 512 parts. Segments of one length, given as such, are read by the one kernel for that length. (The
 * networks: Kenneth Batcher, "Sorting networks and their applications", 1968. The sample sort: W. D. Frazer and A. C. McKellar,
 * "Samplesort: a sampling approach to minimal storage tree sorting", 1970; on a GPU: Nikolaj Leischner, Vitaly Osipov and Peter
 * Sanders, "GPU sample sort", 2010.) Keys with values are sorted together with their positions, by which the values are gathered;
 * those of 8 bytes by their lower halves, and then by their upper ones. The host launches a few kernels, none of which launches
 * another.
 *
 * For all calls. Keys, columns, options, device, host and device memory, synchronisation, threads, graphs, statuses and the
 * state of the data after a failure are as for cdp_quicksort_columns() and its forms in stream order (pairs.h), with these
 * differences:
 * - Keys alone are at most CDP_COUNT_MAX, but with CDP_TIES_BY_VALUE CDP_PAIRS_COUNT_MAX as with columns.
 * - Of the options, order, ties, device, allocator and seed count; the others are checked alone.
 * - Always stable: CDP_TIES_ANY is as good as CDP_TIES_STABLE. With CDP_TIES_BY_VALUE equal floating-point keys keep the order of
 *   the input also where there is no column.
 * - Offsets are arrays that are only read: each may lie in any memory, and they may overlap each other, but neither keys nor
 *   columns nor the workspace. In stream order they are read when the stream comes to it, and may come from the work before.
 * - A segment that ends before it begins is an empty one.
 * - A blocking call checks offsets in host memory: one greater than `count` is CDP_ERROR_SIZE. Of other offsets, such a segment is an
 *   empty one, and no status says so.
 * - Where segments overlap, keys and values of all segments are unspecified afterwards, also in the number of times that each is
 *   there. What lies outside of all segments is as it was, and the call ends as others do.
 * - While a call runs, it may write what lies between segments as well, with the values that are there.
 */
#ifndef CDPSORT_SEGMENTS_H
#define CDPSORT_SEGMENTS_H

#include <cdpsort/pairs.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The segments of an array: by offsets, which are numbers of keys before, or all of one length and one behind the other. Zeroes
 * first, and then what is needed: other members may be added behind these. @since 0.3.0
 */
typedef struct cdp_segments {
  size_t count;        /**< how many; 0 is nothing to do */
  const void *begins;  /**< `count` unsigned integers, aligned to their size: where each begins */
  const void *ends;    /**< the same: where each ends, before which is its last key. `begins + 1` where one begins there */
  size_t offset_bytes; /**< the size of an offset, 4 or 8; 0: there are none, and begins and ends are not looked at */
  size_t length;       /**< without offsets: keys of each segment. With offsets it is not looked at */
} cdp_segments;

/**
 * Sorts each segment of `count` keys in its place, moves the values along, and returns when it is done. Time O(n log n) for n keys
 * in segments, and O(m) for m segments; were the splitters of samples unfair again and again, O(n log^2 n).
 *
 * @param keys          `count` keys, owned by the caller, aligned to the size of a key. May be NULL if `count` is 0.
 * @param columns       host pointer to `column_count` columns, read during the call only. May be NULL if there is none.
 * @param column_count  at most CDP_COLUMNS_MAX (CDP_ERROR_SIZE).
 * @param count         number of keys and of values in a column, in segments or not; 0 and 1 are nothing to do, and need no device.
 * @param type          what the keys are.
 * @param options       NULL means the defaults.
 * @param segments      host pointer to the segments, read during the call only; must not be NULL. Segments of one length are no
 *                      more than the array has keys for (CDP_ERROR_SIZE); keys may be left over.
 * @return as cdp_quicksort(). CDP_ERROR_SIZE also for an offset of another size, or beyond the array.
 * @since 0.3.0
 */
CDP_API cdp_status cdp_segmented_sort(void *keys, const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                                      const cdp_options *options, const cdp_segments *segments);

/**
 * How many bytes of workspace cdp_segmented_sort_async() needs, at most. For keys of 4 or 8 bytes alone: the size of a key, if a
 * segment may be longer than what is sorted in shared memory, and one byte more, for each key; and 48 KiB. For narrow keys alone 9
 * bytes for each key. With columns, or CDP_TIES_BY_VALUE and floating-point keys, for each key 13, or 17 for keys of 8 bytes, and 8
 * or the size of the largest value, whichever is more. In each case on the simulated device, whose blocks are small, up to 7 bytes
 * more for each key. For keys of 4 or 8 bytes alone, and segments of one length that are not divided, nothing but the least there
 * is. Of the segments only count, offset_bytes and length are looked at, of the columns only the size of a value.
 *
 * @param columns          those that will be given to cdp_segmented_sort_async(), as all parameters up to `segments`.
 * @param column_count     likewise.
 * @param count            likewise.
 * @param type             likewise.
 * @param options          likewise.
 * @param segments         likewise.
 * @param workspace_bytes  host pointer; receives the size: 0 where there is nothing to do. Untouched on failure.
 * @return as cdp_quicksort_workspace().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_segmented_sort_workspace(const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                                                const cdp_options *options, const cdp_segments *segments,
                                                size_t *workspace_bytes);

/**
 * cdp_segmented_sort() in stream order, as cdp_quicksort_async(): offsets, too, are device or managed memory, unchanged until the
 * sort is complete.
 *
 * @param d_keys           as `keys` of cdp_segmented_sort(), in device or managed memory, as all arrays here.
 * @param columns          as there.
 * @param column_count     as there.
 * @param count            as there.
 * @param type             as there.
 * @param options          as there. Its allocator has nothing to do.
 * @param segments         as there.
 * @param d_workspace      as for cdp_quicksort_async().
 * @param workspace_bytes  its size; at least what cdp_segmented_sort_workspace() says for the same arguments.
 * @param stream           as for cdp_quicksort_async().
 * @return as cdp_quicksort_async().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_segmented_sort_async(void *d_keys, const cdp_column *columns, size_t column_count, size_t count,
                                            cdp_type type, const cdp_options *options, const cdp_segments *segments,
                                            void *d_workspace, size_t workspace_bytes, void *stream);

/** The same without a workspace, as cdp_quicksort_on_stream(). @since 0.3.0 */
CDP_API cdp_status cdp_segmented_sort_on_stream(void *d_keys, const cdp_column *columns, size_t column_count, size_t count,
                                                cdp_type type, const cdp_options *options, const cdp_segments *segments,
                                                void *stream);

#ifdef __cplusplus
}
#endif

#endif
