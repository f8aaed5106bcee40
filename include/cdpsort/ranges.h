/* SPDX-License-Identifier: MIT */
/**
 * @file ranges.h
 * What sorted ranges are good for: finding out whether one is sorted, merging two, and leaving equal keys out.
 *
 *     const uint32_t first[] = {10, 20, 20, 40};
 *     const uint32_t second[] = {5, 20, 30};
 *     uint32_t merged[7], unique_keys[7] = {0};
 *     uint64_t sorted_count, unique_count;
 *     if (cdp_merge(first, 4, second, 3, merged, CDP_U32, NULL) != CDP_OK ||                 // merged: 5, 10, 20, 20, 20, 30, 40
 *         cdp_is_sorted(merged, 7, CDP_U32, NULL, &sorted_count) != CDP_OK ||                // sorted_count: 7
 *         cdp_unique(merged, 7, CDP_U32, NULL, unique_keys, &unique_count) != CDP_OK)        // unique_keys: 5, 10, 20, 30, 40
 *       fprintf(stderr, "%s\n", cdp_last_message());                                         // unique_count: 5
 *
 * They are std::is_sorted_until(), std::merge() and std::unique_copy() of C++, for arrays of any size, in the order that
 * options->order says: all that a key's type has, such as NaNs, is as for cdp_quicksort(). With CDP_TIES_BY_VALUE -0.0 and 0.0 are
 * equal, and all NaNs are; with the other two ties equal keys are equal in every bit.
 *
 * For all calls. Options, device, host and device memory, synchronisation, threads, graphs, statuses and the state of the data after
 * a failure are as for cdp_quicksort() and its forms in stream order (cdpsort.h), with these differences:
 * - Of the options, order, ties, device and allocator count, and the seed for the simulated device's schedule; the others are
 *   checked alone.
 * - Keys that are given are only read. Each array, and each answer, may lie in any memory, as all arrays of pairs.h; none that is
 *   written may overlap another (CDP_ERROR_POINTER), or any the workspace (CDP_ERROR_WORKSPACE). An answer is a number of 8 bytes,
 *   aligned to its size; in stream order it is device or managed memory, as the arrays are, so that the work behind it may go by it.
 * - Nothing is read back, and the host launches a few kernels, as many for every array of a length, none of which launches another.
 * - Where there is an answer, 0 keys have one too, and need the device.
 * - After CDP_ERROR_CUDA and CDP_ERROR_SIMULATED answers are unspecified where arrays that are written are.
 */
#ifndef CDPSORT_RANGES_H
#define CDPSORT_RANGES_H

#include <cdpsort/cdpsort.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Is it sorted ---------------------------------------------------------------------------------------------- */

/**
 * Finds out how many keys are in order before the first that is not, and returns when it knows. Reads the keys once, and of an
 * array in disorder no more than lies before the first such key, and what is on its way meanwhile.
 *
 * @param keys          `count` keys, aligned to the size of a key. May be NULL if `count` is 0.
 * @param count         at most CDP_COUNT_MAX; may be 0.
 * @param type          what the keys are.
 * @param options       NULL means the defaults. With CDP_TIES_BY_VALUE keys that are equal may be in any order.
 * @param sorted_count  receives the index of the first key that comes before the one in front of it; `count`: none does, and the
 *                      array is sorted. Must not be NULL.
 * @return as cdp_quicksort().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_is_sorted(const void *keys, size_t count, cdp_type type, const cdp_options *options,
                                 uint64_t *sorted_count);

/**
 * cdp_is_sorted() in stream order, as cdp_quicksort_on_stream(). There is no other form: it needs no workspace, and allocates none.
 * @return as cdp_quicksort_on_stream(); CDP_ERROR_CUDA: a launch failed, another may have been made.
 * @since 0.3.0
 */
CDP_API cdp_status cdp_is_sorted_on_stream(const void *d_keys, size_t count, cdp_type type, const cdp_options *options,
                                           uint64_t *d_sorted_count, void *stream);

/* ---- Merge ----------------------------------------------------------------------------------------------------- */

/**
 * Merges two sorted ranges into one, and returns when it is done. Stable: of equal keys those of the first range come before those
 * of the second, and either's in their order. One read and one write of all keys, whatever they are.
 *
 * Ranges that are not sorted are not found out. All keys are written then, each as often as it was there, in no particular order,
 * and nothing else is.
 *
 * @param first         `first_count` keys in the order of the call, aligned to the size of a key. May be NULL if there is none.
 * @param first_count   may be 0.
 * @param second        `second_count` keys, likewise. May be the same array as `first`.
 * @param second_count  may be 0; both together are at most CDP_COUNT_MAX.
 * @param merged        receives `first_count` + `second_count` keys; may overlap neither range. May be NULL if there is no key.
 * @param type          what the keys are.
 * @param options       NULL means the defaults. Both ranges must be in its order, by its ties.
 * @return as cdp_quicksort().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_merge(const void *first, size_t first_count, const void *second, size_t second_count, void *merged,
                             cdp_type type, const cdp_options *options);

/**
 * How many bytes of workspace cdp_merge_async() needs: 0 without a key; otherwise 8 for each 4,352 keys of 1 or 2 bytes, 3,840 of 4
 * or 2,816 of 8, and at most 768 more; on the simulated device for fewer keys.
 *
 * @param first_count      as will be given to cdp_merge_async(), as all parameters up to `options`.
 * @param second_count     likewise.
 * @param type             likewise.
 * @param options          likewise.
 * @param workspace_bytes  host pointer; receives the size. Untouched on failure.
 * @return as cdp_quicksort_workspace().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_merge_workspace(size_t first_count, size_t second_count, cdp_type type, const cdp_options *options,
                                       size_t *workspace_bytes);

/**
 * cdp_merge() in stream order, as cdp_quicksort_async().
 * @return as cdp_quicksort_async(); CDP_ERROR_CUDA: a launch failed, others may have been made.
 * @since 0.3.0
 */
CDP_API cdp_status cdp_merge_async(const void *d_first, size_t first_count, const void *d_second, size_t second_count,
                                   void *d_merged, cdp_type type, const cdp_options *options, void *d_workspace,
                                   size_t workspace_bytes, void *stream);

/** The same without a workspace, as cdp_quicksort_on_stream(). Of a few thousand keys nothing is allocated. @since 0.3.0 */
CDP_API cdp_status cdp_merge_on_stream(const void *d_first, size_t first_count, const void *d_second, size_t second_count,
                                       void *d_merged, cdp_type type, const cdp_options *options, void *stream);

/* ---- Unique ---------------------------------------------------------------------------------------------------- */

/**
 * Writes the first of each run of equal keys, in their order, and how many they are, and returns when it is done. Of a sorted range
 * these are all keys that are in it, once; others may be given as well: a key is left out if it is equal to the one in front of it.
 * One read of the keys, and one write of what is unique. After Duane Merrill and Michael Garland, "Single-pass Parallel Prefix Scan
 * with Decoupled Look-back" (2016).
 *
 * Not in place, as std::unique() is: a block would write where another has yet to read.
 *
 * @param keys          `count` keys, aligned to the size of a key. May be NULL if `count` is 0.
 * @param count         at most CDP_COUNT_MAX; may be 0.
 * @param type          what the keys are.
 * @param options       NULL means the defaults. Its order means nothing here. With CDP_TIES_BY_VALUE, of zeros and of NaNs one each is
 *                      left: the first.
 * @param unique_keys   has room for `count` keys, since nobody knows how many it receives; behind them it stays as it was. (So
 *                      that this holds in host memory, too, a CUDA device is given a copy of what is there.) May be NULL if
 *                      `count` is 0.
 * @param unique_count  receives their number. Must not be NULL.
 * @return as cdp_quicksort().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_unique(const void *keys, size_t count, cdp_type type, const cdp_options *options, void *unique_keys,
                              uint64_t *unique_count);

/**
 * How many bytes of workspace cdp_unique_async() needs: 8 for each 4,096 keys of 1, 2 or 4 bytes or 2,048 of 8, and at most 768 more;
 * on the simulated device for fewer keys. Never 0.
 *
 * @param count            as will be given to cdp_unique_async(), as all parameters up to `options`.
 * @param type             likewise.
 * @param options          likewise.
 * @param workspace_bytes  host pointer; receives the size. Untouched on failure.
 * @return as cdp_quicksort_workspace().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_unique_workspace(size_t count, cdp_type type, const cdp_options *options, size_t *workspace_bytes);

/**
 * cdp_unique() in stream order, as cdp_quicksort_async().
 * @return as cdp_quicksort_async(); CDP_ERROR_CUDA: a launch failed, others may have been made.
 * @since 0.3.0
 */
CDP_API cdp_status cdp_unique_async(const void *d_keys, size_t count, cdp_type type, const cdp_options *options,
                                    void *d_unique_keys, uint64_t *d_unique_count, void *d_workspace, size_t workspace_bytes,
                                    void *stream);

/** The same without a workspace, as cdp_quicksort_on_stream(). @since 0.3.0 */
CDP_API cdp_status cdp_unique_on_stream(const void *d_keys, size_t count, cdp_type type, const cdp_options *options,
                                        void *d_unique_keys, uint64_t *d_unique_count, void *stream);

#ifdef __cplusplus
}
#endif

#endif
