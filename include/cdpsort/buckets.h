/* SPDX-License-Identifier: MIT */
/**
 * @file buckets.h
 * Keys divided into buckets by splitters that the caller gives, with values that are moved along: a stable partition into up to
 * 1,024 parts, of which the device is told where each begins.
 *
 *     uint32_t keys[] = {30, 10, 25, 99, 12};
 *     double values[] = {3.0, 1.0, 2.5, 9.9, 1.2};
 *     const uint32_t splitters[] = {12, 30};
 *     uint64_t begins[4];
 *     const cdp_column columns[] = {{values, sizeof *values}};
 *     if (cdp_divide(keys, columns, 1, 5, CDP_U32, NULL, splitters, 2, begins) != CDP_OK) // keys: 10, 25, 12, 30, 99
 *       fprintf(stderr, "%s\n", cdp_last_message());                                      // begins: 0, 1, 3, 5
 *
 * For programs that go on by themselves: that give each of several devices a bucket, join by ranges, or sort buckets one at a
 * time. With one splitter and keys alone, partition.h has another way.
 *
 * Buckets. Bucket b holds the keys that come before splitter b and not before splitter b - 1, in the order that
 * options->order and options->ties say: all that a key's type has, such as NaNs, is as for cdp_quicksort(), and with
 * CDP_TIES_BY_VALUE -0.0 and 0.0 are equal, and all NaNs are. The first bucket has what comes before all splitters, the last
 * what comes before none of them. A key that is equal to a splitter is in the bucket behind it; between equal splitters
 * buckets are empty. Within a bucket keys and their values keep the order of the input, always, also where keys descend.
 *
 * How. Each block counts the buckets of a part of the keys, the counts are added up, and each block writes its part, some
 * thousand keys at a time, in runs: one read of the keys more than a copy of everything, to the workspace, and back, and a
 * byte or two for each key's bucket, written and read. Values of other sizes than 1, 2, 4 and 8 bytes are gathered by their
 * keys' positions instead. The host launches a few kernels, none of which launches another. (The search for a bucket: Peter
 * Sanders and Sebastian Winkel, "Super Scalar Sample Sort", 2004. The ranks: Saman Ashkiani, Andrew Davidson, Ulrich Meyer and
 * John D. Owens, "GPU Multisplit", 2016.)
 *
 * For all calls. Keys, columns, options, device, host and device memory, synchronisation, threads, graphs, statuses and the
 * state of the data after a failure are as for cdp_quicksort_columns() and its forms in stream order (pairs.h), with these
 * differences:
 * - Of the options, order, ties, device and allocator count, and the seed for the simulated device's schedule; the others are
 *   checked alone.
 * - Splitters and begins are arrays like all others: each may lie in any memory, and none may overlap another or the
 *   workspace. After a failure of the device begins are unspecified where the keys are.
 * - Nothing is left undone for few keys: a count of 0 or 1 has an answer in `begins` as well, and needs the device.
 * - Splitters that are not in order are CDP_ERROR_ORDER where a blocking call finds them in host memory. Elsewhere nobody
 *   looks: the keys are then divided in some way that depends on the key alone, so that equal keys have the same bucket,
 *   everything is there, and `begins` tells where those buckets begin.
 */
#ifndef CDPSORT_BUCKETS_H
#define CDPSORT_BUCKETS_H

#include <cdpsort/pairs.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most splitters that a call takes. @since 0.3.0 */
#define CDP_SPLITTERS_MAX 1023

/**
 * Divides `count` keys in place, moves the values along, tells where the buckets begin, and returns when it is done. Time O(n log m)
 * for m splitters, whatever the keys.
 *
 * @param keys            `count` keys, owned by the caller, aligned to the size of a key. May be NULL if `count` is 0.
 * @param columns         host pointer to `column_count` columns, read during the call only. May be NULL if there is none: then the
 *                        keys alone are divided.
 * @param column_count    at most CDP_COLUMNS_MAX (CDP_ERROR_SIZE).
 * @param count           number of keys and of values in a column, at most CDP_PAIRS_COUNT_MAX (CDP_ERROR_SIZE); may be 0.
 * @param type            what the keys are.
 * @param options         NULL means the defaults.
 * @param splitters       `splitter_count` keys of the type, only read, aligned to the size of a key, in the order of the call:
 *                        falling with CDP_DESCENDING. The keys need not be among them. May be NULL if there is none.
 * @param splitter_count  at most CDP_SPLITTERS_MAX (CDP_ERROR_SIZE); 0 makes one bucket of all.
 * @param begins          receives `splitter_count` + 2 numbers, aligned to 8 bytes: how many keys lie before each of the
 *                        `splitter_count` + 1 buckets, and `count`. So bucket b has the keys [begins[b], begins[b + 1]). Must not be
 *                        NULL.
 * @return as cdp_quicksort(), or CDP_ERROR_ORDER.
 * @since 0.3.0
 */
CDP_API cdp_status cdp_divide(void *keys, const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                              const cdp_options *options, const void *splitters, size_t splitter_count, uint64_t *begins);

/**
 * How many bytes of workspace cdp_divide_async() needs: the size of a key and of all its values that have 1, 2, 4 or 8 bytes, and 1,
 * or 2 for more than 256 buckets, for each key; where there are other values, 4 and the size of the largest of these more; and,
 * whatever the count, for each bucket at most 8,200, or for fewer than 2^23 keys 24 and 4 for each 4,096 of them; and 7 KiB. Never
 * 0. Of the columns only the size of a value is looked at.
 *
 * @param columns          those that will be given to cdp_divide_async(), as all parameters up to `splitter_count`.
 * @param column_count     likewise.
 * @param count            likewise.
 * @param type             likewise.
 * @param options          likewise.
 * @param splitter_count   likewise.
 * @param workspace_bytes  host pointer; receives the size. Untouched on failure.
 * @return as cdp_quicksort_workspace().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_divide_workspace(const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                                        const cdp_options *options, size_t splitter_count, size_t *workspace_bytes);

/**
 * cdp_divide() in stream order, as cdp_quicksort_async(): splitters and begins, too, are device or managed memory, and read and
 * written when the stream comes to it. Nothing is read back, so that splitters may come from the work before it, and the work behind
 * it may go by begins.
 *
 * @param d_keys           as `keys` of cdp_divide(), in device or managed memory, as all arrays here.
 * @param columns          as there.
 * @param column_count     as there.
 * @param count            as there.
 * @param type             as there.
 * @param options          as there. Its allocator has nothing to do.
 * @param d_splitters      as `splitters` there; unchanged until the division is complete.
 * @param splitter_count   as there.
 * @param d_begins         as `begins` there.
 * @param d_workspace      as for cdp_quicksort_async().
 * @param workspace_bytes  its size; at least what cdp_divide_workspace() says for the same arguments.
 * @param stream           as for cdp_quicksort_async().
 * @return as cdp_quicksort_async().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_divide_async(void *d_keys, const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                                    const cdp_options *options, const void *d_splitters, size_t splitter_count,
                                    uint64_t *d_begins, void *d_workspace, size_t workspace_bytes, void *stream);

/** The same without a workspace, as cdp_quicksort_on_stream(). @since 0.3.0 */
CDP_API cdp_status cdp_divide_on_stream(void *d_keys, const cdp_column *columns, size_t column_count, size_t count,
                                        cdp_type type, const cdp_options *options, const void *d_splitters,
                                        size_t splitter_count, uint64_t *d_begins, void *stream);

#ifdef __cplusplus
}
#endif

#endif
