/* SPDX-License-Identifier: MIT */
/**
 * @file pairs.h
 * What goes with the keys: values that are moved along with them, in one array or in several, and the order itself as indices.
 *
 *     uint32_t keys[] = {30, 10, 20};
 *     double values[] = {3.0, 1.0, 2.0};
 *     if (cdp_quicksort_pairs(keys, values, sizeof *values, 3, CDP_U32, NULL) != CDP_OK) // values: 1.0, 2.0, 3.0
 *       fprintf(stderr, "%s\n", cdp_last_message());
 *
 *     float scores[] = {0.5f, 2.0f, 1.0f};
 *     uint32_t order[3];
 *     if (cdp_argsort(scores, NULL, order, sizeof *order, 3, CDP_F32, NULL) != CDP_OK) // order: 0, 2, 1
 *       fprintf(stderr, "%s\n", cdp_last_message());
 *
 *     int64_t days[] = {3, 1, 2};
 *     float prices[] = {0.3f, 0.1f, 0.2f};
 *     char names[][4] = {"Wed", "Mon", "Tue"};
 *     const cdp_column columns[] = {{prices, sizeof *prices}, {names, sizeof *names}};
 *     if (cdp_quicksort_columns(days, columns, 2, 3, CDP_I64, NULL) != CDP_OK) // names: "Mon", "Tue", "Wed"
 *       fprintf(stderr, "%s\n", cdp_last_message());                           // prices: 0.1f, 0.2f, 0.3f
 *
 * How. With keys of 4 or 8 bytes, one column of aligned values of 4 or 8, or indices, is carried along with the keys through two
 * stable partitions and a sort on chip, from 2^22 keys on; beside keys of 4 bytes indices, and values of 4 that need not be stable,
 * from 2^24 on; up to some 200 million keys. Equal keys keep the order of the input then, whatever was asked for. The
 * partitions are by a map (as cdp_quicksort() has it), or, of keys that crowd or repeat, by splitters from samples, with
 * buckets of their own for frequent values (W. D. Frazer and A. C. McKellar, "Samplesort: a sampling approach to minimal
 * storage tree sorting", 1970; Peter Sanders and Sebastian Winkel, "Super scalar sample sort", 2004). Keys that are in order as
 * they are, are only looked at. Where a sample has missed what crowds (of more than 2^24 keys, twice); or, beside keys of 4 bytes with
 * indices, or with values of 4 that need not be stable, where a sample is in order, or in the opposite one, and not all keys are; in a
 * graph; with other options than the defaults for the recursion; and in all other cases keys of all twelve types are sorted as items
 * of 8 bytes, whose upper bits are the key and
 * whose lower bits are the value, if both have 4 bytes at most, or else the key's position, by which values are gathered
 * afterwards. With the position in it no two items are equal, so that such a sort is stable: cdp_ties::CDP_TIES_STABLE costs
 * nothing but where values have 4 bytes at most, and would have travelled with the key. A key of 8 bytes leaves no room for a
 * position: the bits that remain, the upper ones of its distance from the least key, bring all keys but few into their order,
 * and those that agree in them, up to 32 at a time, are put right afterwards, and up to 2,048 at a time on chip; where more
 * agree, all keys are sorted once more by the bits that differ, and again if those were too many, four times with 2^32 keys at most.
 * Bits that are the same in all keys are left out of the distance where that helps (Henry S. Warren, "Hacker's Delight", 2012), and
 * where keys crowd, bits are of the distance within a piece of all keys, which a sample tells.
 *
 * For all calls. Keys, options, device, host and device memory, synchronisation, threads, graphs, statuses and the state of the
 * data after a failure are as for cdp_quicksort() and cdp_quicksort_async(), with these differences:
 * - At most CDP_PAIRS_COUNT_MAX keys; CDP_ERROR_SIZE otherwise.
 * - Options mean the sort of the items: leaf_items is at most CDP_LEAF_MAX_8_BYTES, whatever the keys. options->ties counts.
 * - Every array may lie in any memory by itself; the device is chosen by the keys, and no array may lie on another one
 *   (CDP_ERROR_POINTER). In stream order all must be device or managed memory. They must not overlap each other or the
 *   workspace (CDP_ERROR_POINTER, CDP_ERROR_WORKSPACE), but for keys that are sorted in their place.
 * - Values need no alignment. They are fastest where their size and their address are multiples of 16, 8, 4 or 2.
 * - After CDP_ERROR_CUDA and CDP_ERROR_SIMULATED all arrays that are written are unspecified where the keys are.
 * - The host launches several kernels, whatever the scheme. So in stream order, after CDP_ERROR_CUDA, others may have been
 *   launched; and where memory is exhausted while CUDA loads kernels, that is CDP_ERROR_CUDA, not CDP_ERROR_MEMORY.
 * - cdp_quicksort() counts narrow keys; with values they are sorted as all others are.
 *
 * The calls in stream order: each has a form with a workspace of the caller's (_async), a form without (_on_stream, as
 * cdp_quicksort_on_stream()), and a question for the size of that workspace (_workspace), which is 0 where there is nothing to
 * do: no key, or one whose index nobody wants.
 */
#ifndef CDPSORT_PAIRS_H
#define CDPSORT_PAIRS_H

#include <cdpsort/cdpsort.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most keys that a call with values or indices takes, 2^32: a position has 32 bits. @since 0.3.0 */
#define CDP_PAIRS_COUNT_MAX ((uint64_t)1 << 32)

/** The most arrays of values in a call. @since 0.3.0 */
#define CDP_COLUMNS_MAX 16

/* ---- Pairs ----------------------------------------------------------------------------------------------------- */

/**
 * Sorts `count` keys in place, moves the values along, and returns when it is done.
 *
 * @param keys         `count` keys, owned by the caller, aligned to the size of a key. May be NULL if `count` is 0.
 * @param values       `count` values, the caller's: the one at a key's index is that key's. May be NULL if `count` is 0.
 * @param value_bytes  size of a value in bytes, 1 to 2^32 - 1 (CDP_ERROR_SIZE). It comes before the count, not behind it as in
 *                     qsort(); a compiler sees no difference.
 * @param count        number of keys and of values, at most CDP_PAIRS_COUNT_MAX; 0 and 1 are nothing to do, and need no device.
 * @param type         what the keys are.
 * @param options      how to sort, and what becomes of equal keys' values; NULL means the defaults.
 * @return as cdp_quicksort().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_quicksort_pairs(void *keys, void *values, size_t value_bytes, size_t count, cdp_type type,
                                       const cdp_options *options);

/**
 * How many bytes of workspace cdp_quicksort_pairs_async() needs: at most 17 and the size of a value for each pair, 16 more for
 * each with keys of 8 bytes or CDP_TIES_BY_VALUE, and 16 MiB. (17 and 16 MiB for keys and values of 4 bytes at most and
 * CDP_TIES_ANY; without the size of a value where neither all values nor all keys have more than 32 MB; and 17 for each, with keys
 * of 8 bytes 25, and 16 MiB where values are carried.) On other devices than an H200, and with small leaves or a small
 * cdp_tuning::block_items, as much more as cdp_quicksort_workspace() says of keys of 8 bytes. The parameters are those of that call.
 * @return as cdp_quicksort_workspace().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_quicksort_pairs_workspace(size_t value_bytes, size_t count, cdp_type type, const cdp_options *options,
                                                 size_t *workspace_bytes);

/** cdp_quicksort_pairs() in stream order, as cdp_quicksort_async(). @since 0.3.0 */
CDP_API cdp_status cdp_quicksort_pairs_async(void *d_keys, void *d_values, size_t value_bytes, size_t count, cdp_type type,
                                             const cdp_options *options, void *d_workspace, size_t workspace_bytes,
                                             void *stream);

/** The same without a workspace, as cdp_quicksort_on_stream(). @since 0.3.0 */
CDP_API cdp_status cdp_quicksort_pairs_on_stream(void *d_keys, void *d_values, size_t value_bytes, size_t count, cdp_type type,
                                                 const cdp_options *options, void *stream);

/* ---- Several columns ------------------------------------------------------------------------------------------- */

/** An array of values, as `values` and `value_bytes` of cdp_quicksort_pairs(). @since 0.3.0 */
typedef struct cdp_column {
  void *values;
  size_t value_bytes;
} cdp_column;

/**
 * cdp_quicksort_pairs() with several arrays of values, in one sort.
 *
 * @param keys          as there.
 * @param columns       host pointer to `column_count` columns, read during the call only. May be NULL if there is none: then
 *                      the keys alone are sorted, which with CDP_TIES_BY_VALUE is a stable sort by value.
 * @param column_count  at most CDP_COLUMNS_MAX (CDP_ERROR_SIZE).
 * @param count         as there.
 * @param type          as there.
 * @param options       as there.
 * @return as cdp_quicksort().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_quicksort_columns(void *keys, const cdp_column *columns, size_t column_count, size_t count,
                                         cdp_type type, const cdp_options *options);

/**
 * How many bytes of workspace cdp_quicksort_columns_async() needs: as cdp_quicksort_pairs_workspace() for a value as large as
 * those of all columns together. Of the columns only the size of a value is looked at.
 * @return as cdp_quicksort_workspace().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_quicksort_columns_workspace(const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                                                   const cdp_options *options, size_t *workspace_bytes);

/** cdp_quicksort_columns() in stream order, as cdp_quicksort_async(). @since 0.3.0 */
CDP_API cdp_status cdp_quicksort_columns_async(void *d_keys, const cdp_column *columns, size_t column_count, size_t count,
                                               cdp_type type, const cdp_options *options, void *d_workspace,
                                               size_t workspace_bytes, void *stream);

/** The same without a workspace, as cdp_quicksort_on_stream(). @since 0.3.0 */
CDP_API cdp_status cdp_quicksort_columns_on_stream(void *d_keys, const cdp_column *columns, size_t column_count, size_t count,
                                                   cdp_type type, const cdp_options *options, void *stream);

/* ---- Argsort --------------------------------------------------------------------------------------------------- */

/**
 * Finds out in which order the keys come: index i of the result is where in `keys` the key lies that comes i-th. Always stable
 * (CDP_TIES_ANY is as good as CDP_TIES_STABLE); CDP_TIES_BY_VALUE makes it numpy.argsort(kind="stable").
 *
 * @param keys         `count` keys, owned by the caller, aligned to the size of a key; only read, unless they are `sorted_keys`
 *                     too. May be NULL if `count` is 0.
 * @param sorted_keys  receives the keys in their order: `keys` itself, or another array of `count` keys, likewise aligned.
 *                     NULL: nobody wants them.
 * @param indices      receives `count` unsigned integers, aligned to their size. May be NULL if `count` is 0.
 * @param index_bytes  the size of an index: 4 or 8 (CDP_ERROR_SIZE).
 * @param count        number of keys, at most CDP_PAIRS_COUNT_MAX; 0 is nothing to do, and needs no device.
 * @param type         what the keys are.
 * @param options      how to sort; NULL means the defaults.
 * @return as cdp_quicksort().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_argsort(const void *keys, void *sorted_keys, void *indices, size_t index_bytes, size_t count,
                               cdp_type type, const cdp_options *options);

/**
 * How many bytes of workspace cdp_argsort_async() needs: at most 17 for each key, 28 more for each of 8 bytes or with
 * CDP_TIES_BY_VALUE, and 16 MiB; on other devices, and with small leaves, as cdp_quicksort_pairs_workspace().
 * @return as cdp_quicksort_workspace().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_argsort_workspace(size_t count, cdp_type type, const cdp_options *options, size_t *workspace_bytes);

/** cdp_argsort() in stream order, as cdp_quicksort_async(). @since 0.3.0 */
CDP_API cdp_status cdp_argsort_async(const void *d_keys, void *d_sorted_keys, void *d_indices, size_t index_bytes, size_t count,
                                     cdp_type type, const cdp_options *options, void *d_workspace, size_t workspace_bytes,
                                     void *stream);

/** The same without a workspace, as cdp_quicksort_on_stream(). @since 0.3.0 */
CDP_API cdp_status cdp_argsort_on_stream(const void *d_keys, void *d_sorted_keys, void *d_indices, size_t index_bytes,
                                         size_t count, cdp_type type, const cdp_options *options, void *stream);

#ifdef __cplusplus
}
#endif

#endif
