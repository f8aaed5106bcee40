/* SPDX-License-Identifier: MIT */
/**
 * @file copy.h
 * Out of place: every sort with its input left alone, and its output written elsewhere. (cdp_argsort() and cdp_argsort_columns()
 * leave keys alone as they are.)
 *
 *     const uint32_t keys[] = {30, 10, 20};
 *     uint32_t sorted_keys[3];
 *     if (cdp_quicksort_copy(keys, sorted_keys, 3, CDP_U32, NULL) != CDP_OK) // sorted_keys: 10, 20, 30
 *       fprintf(stderr, "%s\n", cdp_last_message());
 *
 *     const double values[] = {3.0, 1.0, 2.0};
 *     double sorted_values[3];
 *     if (cdp_quicksort_pairs_copy(keys, sorted_keys, values, sorted_values, sizeof *values, 3, CDP_U32, NULL) != CDP_OK)
 *       fprintf(stderr, "%s\n", cdp_last_message()); // sorted_values: 1.0, 2.0, 3.0
 *
 *     const char names[] = {'c', 'a', 'b'};
 *     char sorted_names[3];
 *     const cdp_column_copy columns[] = {{values, sorted_values, sizeof *values}, {names, sorted_names, sizeof *names}};
 *     if (cdp_quicksort_columns_copy(keys, sorted_keys, columns, 2, 3, CDP_U32, NULL) != CDP_OK) // sorted_names: 'a', 'b', 'c'
 *       fprintf(stderr, "%s\n", cdp_last_message());
 *
 *     const struct point { int32_t x, y; } points[] = {{2, 1}, {1, 5}, {1, 3}};
 *     struct point sorted_points[3];
 *     const cdp_field fields[] = {{offsetof(struct point, x), CDP_I32, CDP_ASCENDING},
 *                                 {offsetof(struct point, y), CDP_I32, CDP_DESCENDING}};
 *     if (cdp_sort_records_copy(points, sorted_points, 3, sizeof *points, fields, 2, NULL) != CDP_OK)
 *       fprintf(stderr, "%s\n", cdp_last_message()); // sorted_points: {1, 5}, {1, 3}, {2, 1}
 *
 * Keys alone are copied, and then sorted where the copy is: as many bytes more are read and written as the keys have. (Not by the
 * bitonic network, and not by a comparison: these read the input where it is when they read it first; and not narrow keys in
 * segments, nor those whose ties are by value there.) Values and records go to where they belong without the copy back that a sort in place needs of what it gathers, unless
 * it regroups that (long arrays of values of 1, 2, 4 or 8 bytes), when both take the same time; and the workspace is no larger.
 *
 * For all calls. They are those that sort in place (cdpsort.h, pairs.h, records.h, segments.h, bitonic.h, compare.h) in all else:
 * options, memory, synchronisation, threads, graphs, statuses. With these differences:
 * - Input is only read; output has as many items. No array may overlap another that is written (CDP_ERROR_POINTER): who wants the
 *   output where the input is calls what sorts in place.
 * - Input and output may lie in different memory, as all arrays of pairs.h. Of host memory each has a copy on the device.
 * - One key, record or item is copied, by a device. 0 are nothing to do.
 * - After CDP_ERROR_CUDA and CDP_ERROR_SIMULATED the input is as it was, and the output unspecified.
 */
#ifndef CDPSORT_COPY_H
#define CDPSORT_COPY_H

#include <cdpsort/bitonic.h>
#include <cdpsort/compare.h>
#include <cdpsort/records.h>
#include <cdpsort/segments.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Keys ------------------------------------------------------------------------------------------------------ */

/**
 * cdp_quicksort() out of place.
 *
 * @param keys         `count` keys, aligned to the size of a key. May be NULL if `count` is 0.
 * @param sorted_keys  receives them in order; likewise.
 * @param count        as there.
 * @param type         as there.
 * @param options      as there.
 * @return as cdp_quicksort().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_quicksort_copy(const void *keys, void *sorted_keys, size_t count, cdp_type type,
                                      const cdp_options *options);

/**
 * How many bytes of workspace cdp_quicksort_copy_async() needs: as many as cdp_quicksort_workspace() says, and
 * CDP_WORKSPACE_ALIGNMENT for one key.
 * @return as cdp_quicksort_workspace().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_quicksort_copy_workspace(size_t count, cdp_type type, const cdp_options *options,
                                                size_t *workspace_bytes);

/** cdp_quicksort_copy() in stream order, as cdp_quicksort_async(). @since 0.3.0 */
CDP_API cdp_status cdp_quicksort_copy_async(const void *d_keys, void *d_sorted_keys, size_t count, cdp_type type,
                                            const cdp_options *options, void *d_workspace, size_t workspace_bytes,
                                            void *stream);

/** The same without a workspace, as cdp_quicksort_on_stream(). @since 0.3.0 */
CDP_API cdp_status cdp_quicksort_copy_on_stream(const void *d_keys, void *d_sorted_keys, size_t count, cdp_type type,
                                                const cdp_options *options, void *stream);

/* ---- Pairs and columns ----------------------------------------------------------------------------------------- */

/**
 * cdp_quicksort_pairs() out of place.
 *
 * @param keys           `count` keys, aligned to the size of a key. May be NULL if `count` is 0.
 * @param sorted_keys    receives them in order; likewise.
 * @param values         `count` values. May be NULL if `count` is 0.
 * @param sorted_values  receives them in the order of their keys; likewise.
 * @param value_bytes    as there.
 * @param count          as there.
 * @param type           as there.
 * @param options        as there.
 * @return as cdp_quicksort_pairs().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_quicksort_pairs_copy(const void *keys, void *sorted_keys, const void *values, void *sorted_values,
                                            size_t value_bytes, size_t count, cdp_type type, const cdp_options *options);

/**
 * How many bytes of workspace cdp_quicksort_pairs_copy_async() needs: no more than cdp_quicksort_pairs_workspace() says of two
 * pairs or more; and without the size of a value where it is none of 1, 2, 4 and 8 bytes.
 * @return as cdp_quicksort_workspace().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_quicksort_pairs_copy_workspace(size_t value_bytes, size_t count, cdp_type type,
                                                      const cdp_options *options, size_t *workspace_bytes);

/** cdp_quicksort_pairs_copy() in stream order, as cdp_quicksort_async(). @since 0.3.0 */
CDP_API cdp_status cdp_quicksort_pairs_copy_async(const void *d_keys, void *d_sorted_keys, const void *d_values,
                                                  void *d_sorted_values, size_t value_bytes, size_t count, cdp_type type,
                                                  const cdp_options *options, void *d_workspace, size_t workspace_bytes,
                                                  void *stream);

/** The same without a workspace, as cdp_quicksort_on_stream(). @since 0.3.0 */
CDP_API cdp_status cdp_quicksort_pairs_copy_on_stream(const void *d_keys, void *d_sorted_keys, const void *d_values,
                                                      void *d_sorted_values, size_t value_bytes, size_t count, cdp_type type,
                                                      const cdp_options *options, void *stream);

/** An array of values, and where they go. @since 0.3.0 */
typedef struct cdp_column_copy {
  const void *values;
  void *sorted_values;
  size_t value_bytes;
} cdp_column_copy;

/**
 * cdp_quicksort_columns() out of place. `columns` is a host pointer, read during the call only; all else is as of
 * cdp_quicksort_pairs_copy() and cdp_quicksort_columns().
 * @return as cdp_quicksort_columns().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_quicksort_columns_copy(const void *keys, void *sorted_keys, const cdp_column_copy *columns,
                                              size_t column_count, size_t count, cdp_type type, const cdp_options *options);

/**
 * How many bytes of workspace cdp_quicksort_columns_copy_async() needs: no more than cdp_quicksort_columns_workspace() says of two
 * keys or more. Of the columns only the size of a value is looked at.
 * @return as cdp_quicksort_workspace().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_quicksort_columns_copy_workspace(const cdp_column_copy *columns, size_t column_count, size_t count,
                                                        cdp_type type, const cdp_options *options, size_t *workspace_bytes);

/** cdp_quicksort_columns_copy() in stream order, as cdp_quicksort_async(). @since 0.3.0 */
CDP_API cdp_status cdp_quicksort_columns_copy_async(const void *d_keys, void *d_sorted_keys, const cdp_column_copy *columns,
                                                    size_t column_count, size_t count, cdp_type type,
                                                    const cdp_options *options, void *d_workspace, size_t workspace_bytes,
                                                    void *stream);

/** The same without a workspace, as cdp_quicksort_on_stream(). @since 0.3.0 */
CDP_API cdp_status cdp_quicksort_columns_copy_on_stream(const void *d_keys, void *d_sorted_keys, const cdp_column_copy *columns,
                                                        size_t column_count, size_t count, cdp_type type,
                                                        const cdp_options *options, void *stream);

/* ---- Records --------------------------------------------------------------------------------------------------- */

/**
 * cdp_sort_records() out of place.
 *
 * @param records         `count` records. May be NULL if `count` is 0.
 * @param sorted_records  receives them in order; likewise.
 * @param count           as there.
 * @param record_bytes    as there.
 * @param fields          as there.
 * @param field_count     as there.
 * @param options         as there.
 * @return as cdp_sort_records().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_sort_records_copy(const void *records, void *sorted_records, size_t count, size_t record_bytes,
                                         const cdp_field *fields, size_t field_count, const cdp_options *options);

/**
 * How many bytes of workspace cdp_sort_records_copy_async() needs: no more than cdp_sort_records_workspace() says of two records or
 * more, and the same for records of all sizes, but for those that are nothing but fields, which need less.
 * @return as cdp_quicksort_workspace().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_sort_records_copy_workspace(size_t count, size_t record_bytes, const cdp_field *fields,
                                                   size_t field_count, const cdp_options *options, size_t *workspace_bytes);

/** cdp_sort_records_copy() in stream order, as cdp_quicksort_async(). @since 0.3.0 */
CDP_API cdp_status cdp_sort_records_copy_async(const void *d_records, void *d_sorted_records, size_t count, size_t record_bytes,
                                               const cdp_field *fields, size_t field_count, const cdp_options *options,
                                               void *d_workspace, size_t workspace_bytes, void *stream);

/** The same without a workspace, as cdp_quicksort_on_stream(). @since 0.3.0 */
CDP_API cdp_status cdp_sort_records_copy_on_stream(const void *d_records, void *d_sorted_records, size_t count,
                                                   size_t record_bytes, const cdp_field *fields, size_t field_count,
                                                   const cdp_options *options, void *stream);

/* ---- Segments -------------------------------------------------------------------------------------------------- */

/**
 * cdp_segmented_sort() out of place: as if keys and columns had been copied, and then sorted where the copies are. So what lies
 * outside of all segments is copied to the same place of the output, all of it where there are no segments. Where segments overlap,
 * only that much of the output is specified. Offsets may overlap what is read alone, and each other.
 *
 * @param keys          `count` keys, aligned to the size of a key. May be NULL if `count` is 0.
 * @param sorted_keys   receives them, each segment in order; likewise.
 * @param columns       host pointer to `column_count` columns, read during the call only. May be NULL if there is none.
 * @param column_count  as there.
 * @param count         as there; but 0 alone is nothing to do, and needs no device.
 * @param type          as there.
 * @param options       as there.
 * @param segments      as there. Of a `count` of 0 begins and ends are not looked at.
 * @return as cdp_segmented_sort().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_segmented_sort_copy(const void *keys, void *sorted_keys, const cdp_column_copy *columns,
                                           size_t column_count, size_t count, cdp_type type, const cdp_options *options,
                                           const cdp_segments *segments);

/**
 * How many bytes of workspace cdp_segmented_sort_copy_async() needs: no more than cdp_segmented_sort_workspace() says of two keys or
 * more in a segment or more, and the same for values of all sizes; CDP_WORKSPACE_ALIGNMENT where nothing is sorted. Of the columns
 * only the size of a value is looked at.
 * @return as cdp_quicksort_workspace().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_segmented_sort_copy_workspace(const cdp_column_copy *columns, size_t column_count, size_t count,
                                                     cdp_type type, const cdp_options *options, const cdp_segments *segments,
                                                     size_t *workspace_bytes);

/** cdp_segmented_sort_copy() in stream order, as cdp_segmented_sort_async(). @since 0.3.0 */
CDP_API cdp_status cdp_segmented_sort_copy_async(const void *d_keys, void *d_sorted_keys, const cdp_column_copy *columns,
                                                 size_t column_count, size_t count, cdp_type type, const cdp_options *options,
                                                 const cdp_segments *segments, void *d_workspace, size_t workspace_bytes,
                                                 void *stream);

/** The same without a workspace, as cdp_quicksort_on_stream(). @since 0.3.0 */
CDP_API cdp_status cdp_segmented_sort_copy_on_stream(const void *d_keys, void *d_sorted_keys, const cdp_column_copy *columns,
                                                     size_t column_count, size_t count, cdp_type type,
                                                     const cdp_options *options, const cdp_segments *segments, void *stream);

/* ---- The bitonic network --------------------------------------------------------------------------------------- */

/**
 * cdp_bitonic_sort() out of place, in the same time.
 *
 * @param keys         `count` keys, aligned to the size of a key. May be NULL if `count` is 0.
 * @param sorted_keys  receives them in order; likewise.
 * @param count        as there; but 0 alone is nothing to do.
 * @param type         as there.
 * @param options      as there.
 * @return as cdp_bitonic_sort().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_bitonic_sort_copy(const void *keys, void *sorted_keys, size_t count, cdp_type type,
                                         const cdp_options *options);

/** The same in stream order, as cdp_bitonic_sort_on_stream(), and like it without any other memory. @since 0.3.0 */
CDP_API cdp_status cdp_bitonic_sort_copy_on_stream(const void *d_keys, void *d_sorted_keys, size_t count, cdp_type type,
                                                   const cdp_options *options, void *stream);

/* ---- By a comparison ------------------------------------------------------------------------------------------- */

/**
 * cdp_quicksort_by() out of place.
 *
 * @param items         `count` items. May be NULL if `count` is 0.
 * @param sorted_items  receives them in order; likewise.
 * @param count         as there; one item needs a device and a comparison, too.
 * @param item_bytes    as there.
 * @param comparison    as there.
 * @param options       as there.
 * @return as cdp_quicksort_by().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_quicksort_by_copy(const void *items, void *sorted_items, size_t count, size_t item_bytes,
                                         const cdp_comparison *comparison, const cdp_options *options);

/**
 * How many bytes of workspace cdp_quicksort_by_copy_async() needs: as many as cdp_quicksort_by_workspace() says of two items or
 * more; and without the items where indices are sorted.
 * @return as cdp_quicksort_workspace().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_quicksort_by_copy_workspace(size_t count, size_t item_bytes, const cdp_options *options,
                                                   size_t *workspace_bytes);

/** cdp_quicksort_by_copy() in stream order, as cdp_quicksort_async(). @since 0.3.0 */
CDP_API cdp_status cdp_quicksort_by_copy_async(const void *d_items, void *d_sorted_items, size_t count, size_t item_bytes,
                                               const cdp_comparison *comparison, const cdp_options *options, void *d_workspace,
                                               size_t workspace_bytes, void *stream);

/** The same without a workspace, as cdp_quicksort_on_stream(). @since 0.3.0 */
CDP_API cdp_status cdp_quicksort_by_copy_on_stream(const void *d_items, void *d_sorted_items, size_t count, size_t item_bytes,
                                                   const cdp_comparison *comparison, const cdp_options *options, void *stream);

#ifdef __cplusplus
}
#endif

#endif
