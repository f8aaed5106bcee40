/* SPDX-License-Identifier: MIT */
/**
 * @file records.h
 * Sorting by several fields, each in its direction: ORDER BY in C. Of records, which are moved as they are, or of columns, whose
 * order is told as indices.
 *
 *     struct order { int32_t customer; float price; char text[8]; };
 *     struct order orders[] = {{7, 2.5f, "tea"}, {3, 4, "rice"}, {7, 9, "oil"}};
 *     const cdp_field fields[] = {{offsetof(struct order, customer), CDP_I32, CDP_ASCENDING},
 *                                 {offsetof(struct order, price), CDP_F32, CDP_DESCENDING}};
 *     if (cdp_sort_records(orders, 3, sizeof *orders, fields, 2, NULL) != CDP_OK) // by customer, the dearest first;
 *       fprintf(stderr, "%s\n", cdp_last_message()); // orders: {3, 4, "rice"}, {7, 9, "oil"}, {7, 2.5f, "tea"}
 *
 *     const int32_t customers[] = {7, 3, 7};
 *     const float prices[] = {2.5f, 4, 9};
 *     uint32_t order[3];
 *     const cdp_key_column columns[] = {{customers, CDP_I32, CDP_ASCENDING}, {prices, CDP_F32, CDP_DESCENDING}};
 *     if (cdp_argsort_columns(columns, 2, order, sizeof *order, 3, NULL) != CDP_OK) // the same order; order: 1, 2, 0
 *       fprintf(stderr, "%s\n", cdp_last_message());
 *
 * Keys of 16 bytes are records of two fields, of which the upper half comes first in the list. For the order of memcmp() that is
 * the half that lies first, and each half's bytes are swapped before the sort and again behind it, since a little-endian machine
 * takes the last byte of a number for the highest:
 *
 *     struct { uint64_t low, high; } numbers[] = {{7, 2}, {9, 1}, {3, 2}};
 *     const cdp_field by_value[] = {{8, CDP_U64, CDP_ASCENDING}, {0, CDP_U64, CDP_ASCENDING}};
 *     if (cdp_sort_records(numbers, 3, 16, by_value, 2, NULL) != CDP_OK) // numbers: {9, 1}, {3, 2}, {7, 2}
 *       fprintf(stderr, "%s\n", cdp_last_message());
 *
 *     union { char text[16]; uint64_t halves[2]; } words[] = {{"tea, green"}, {"rice"}, {"tea, black"}};
 *     const cdp_field by_bytes[] = {{0, CDP_U64, CDP_ASCENDING}, {8, CDP_U64, CDP_ASCENDING}};
 *     for (int half = 0; half < 6; half++)
 *       words[half / 2].halves[half % 2] = __builtin_bswap64(words[half / 2].halves[half % 2]);
 *     if (cdp_sort_records(words, 3, 16, by_bytes, 2, NULL) != CDP_OK)
 *       fprintf(stderr, "%s\n", cdp_last_message());
 *     for (int half = 0; half < 6; half++)
 *       words[half / 2].halves[half % 2] = __builtin_bswap64(words[half / 2].halves[half % 2]);
 *     // words: {"rice"}, {"tea, black"}, {"tea, green"}
 *
 * How. Fields that follow one another in the list and have 8 bytes together at most make one key, by which indices are sorted as
 * cdp_argsort() does; each further key is one such sort more, the last one first, so that the order of fields that are few and
 * narrow takes least. Records that are nothing but fields, of 8 bytes together at most, are sorted as the keys that they make, which
 * is faster still. All sorts are stable (by digits from the last to the first: Harold H. Seward, "Information sorting in the
 * application of electronic digital computers to business operations", 1954), and records are moved at the end alone.
 *
 * For all calls. Device, host and device memory, synchronisation, threads, graphs, statuses and the state of the data after a
 * failure are as for the calls of pairs.h, with these differences:
 * - At most CDP_PAIRS_COUNT_MAX records or rows, and CDP_FIELDS_MAX fields, one at least; CDP_ERROR_SIZE otherwise.
 * - Each field has an order of its own, and options->order is CDP_ASCENDING; CDP_ERROR_OPTION otherwise.
 * - The sort is always stable: records whose fields are all equal keep the order of the input. options->ties says what is equal,
 *   bits or, with CDP_TIES_BY_VALUE, numbers (-0.0 and 0.0, and all NaNs).
 * - A field may be named twice, and fields may overlap.
 */
#ifndef CDPSORT_RECORDS_H
#define CDPSORT_RECORDS_H

#include <cdpsort/pairs.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most fields of a call. @since 0.3.0 */
#define CDP_FIELDS_MAX 16

/* ---- Records --------------------------------------------------------------------------------------------------- */

/** A field of a record that it is sorted by. @since 0.3.0 */
typedef struct cdp_field {
  size_t offset; /**< in bytes from the beginning of the record; the field lies within it (CDP_ERROR_SIZE) */
  cdp_type type;
  cdp_order order;
} cdp_field;

/**
 * Sorts `count` records in place, and returns when they are sorted.
 *
 * @param records       `count` records one behind another, owned by the caller. They need no alignment; fields are read fastest
 *                      where the records' address and size and the field's offset are multiples of the field's size, and records
 *                      are moved fastest where address and size are multiples of 16, 8 or 4. May be NULL if `count` is 0.
 * @param count         number of records; 0 and 1 are nothing to do, and need no device.
 * @param record_bytes  size of a record in bytes, 1 to 2^32 - 1 (CDP_ERROR_SIZE).
 * @param fields        host pointer to `field_count` fields, the one that counts most first; read during the call only.
 * @param field_count   1 to CDP_FIELDS_MAX.
 * @param options       how to sort; NULL means the defaults.
 * @return as cdp_quicksort_pairs(); CDP_ERROR_TYPE and CDP_ERROR_OPTION also for a field's type and order.
 * @since 0.3.0
 */
CDP_API cdp_status cdp_sort_records(void *records, size_t count, size_t record_bytes, const cdp_field *fields,
                                    size_t field_count, const cdp_options *options);

/**
 * How many bytes of workspace cdp_sort_records_async() needs: that of cdp_argsort_workspace() for keys of 8 bytes (of 4, if no
 * more than 4 bytes of fields make a key) and 12 (8) for each record; 16 (12) if the fields are more than one key; and at least
 * the size of a record and 4 or 8 bytes. (Of records that are nothing but fields, of 8 bytes together at most, unless ties are
 * by value: 8 (4) bytes for each and that of cdp_quicksort_workspace() for as many.) Of the fields, offsets, types and orders are
 * looked at.
 * @return as cdp_quicksort_workspace().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_sort_records_workspace(size_t count, size_t record_bytes, const cdp_field *fields, size_t field_count,
                                              const cdp_options *options, size_t *workspace_bytes);

/** cdp_sort_records() in stream order, as cdp_quicksort_async(). @since 0.3.0 */
CDP_API cdp_status cdp_sort_records_async(void *d_records, size_t count, size_t record_bytes, const cdp_field *fields,
                                          size_t field_count, const cdp_options *options, void *d_workspace,
                                          size_t workspace_bytes, void *stream);

/** The same without a workspace, as cdp_quicksort_on_stream(). @since 0.3.0 */
CDP_API cdp_status cdp_sort_records_on_stream(void *d_records, size_t count, size_t record_bytes, const cdp_field *fields,
                                              size_t field_count, const cdp_options *options, void *stream);

/* ---- Columns --------------------------------------------------------------------------------------------------- */

/** A column of keys that rows are sorted by. @since 0.3.0 */
typedef struct cdp_key_column {
  const void *keys; /**< a key for each row, aligned to its size, in any memory; only read */
  cdp_type type;
  cdp_order order;
} cdp_key_column;

/**
 * Finds out in which order rows come that several columns make: index i of the result is the row that comes i-th. The columns are
 * left alone; columns of values are brought into that order by what a program has to gather with.
 *
 * @param columns       host pointer to `column_count` columns, the one that counts most first; read during the call only. The
 *                      first one's memory decides on the device, as the keys of other calls do.
 * @param column_count  1 to CDP_FIELDS_MAX.
 * @param indices       receives `count` unsigned integers, aligned to their size. May be NULL if `count` is 0.
 * @param index_bytes   the size of an index: 4 or 8 (CDP_ERROR_SIZE).
 * @param count         number of rows; 0 is nothing to do, and needs no device.
 * @param options       how to sort; NULL means the defaults.
 * @return as cdp_argsort(); CDP_ERROR_TYPE and CDP_ERROR_OPTION also for a column's type and order.
 * @since 0.3.0
 */
CDP_API cdp_status cdp_argsort_columns(const cdp_key_column *columns, size_t column_count, void *indices, size_t index_bytes,
                                       size_t count, const cdp_options *options);

/**
 * How many bytes of workspace cdp_argsort_columns_async() needs: that of cdp_argsort_workspace() for keys of 8 bytes (of 4, if no
 * more than 4 bytes of columns make a key) and 8 (4) for each row; 12 (8) if the columns are two keys, and 16 (12) if they are
 * more. Of the columns, types and orders are looked at.
 * @return as cdp_quicksort_workspace().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_argsort_columns_workspace(const cdp_key_column *columns, size_t column_count, size_t count,
                                                 const cdp_options *options, size_t *workspace_bytes);

/** cdp_argsort_columns() in stream order, as cdp_quicksort_async(). @since 0.3.0 */
CDP_API cdp_status cdp_argsort_columns_async(const cdp_key_column *columns, size_t column_count, void *d_indices,
                                             size_t index_bytes, size_t count, const cdp_options *options, void *d_workspace,
                                             size_t workspace_bytes, void *stream);

/** The same without a workspace, as cdp_quicksort_on_stream(). @since 0.3.0 */
CDP_API cdp_status cdp_argsort_columns_on_stream(const cdp_key_column *columns, size_t column_count, void *d_indices,
                                                 size_t index_bytes, size_t count, const cdp_options *options, void *stream);

#ifdef __cplusplus
}
#endif

#endif
