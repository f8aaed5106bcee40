/* SPDX-License-Identifier: MIT */
/**
 * @file select.h
 * Half a sort: the key at a rank, the first keys of the order, keys at several ranks. What these take of random keys is about two
 * reads of them, and a sort of what is to be in order; where the array itself is partitioned, one read and two writes more.
 *
 *     float scores[] = {0.5f, 2.0f, 1.0f, 4.0f};
 *     float best[2];
 *     cdp_options options = CDP_OPTIONS_INIT;
 *     options.order = CDP_DESCENDING;
 *     if (cdp_top_k(scores, 4, CDP_F32, &options, 2, best, NULL) != CDP_OK) // best: 4.0, 2.0
 *       fprintf(stderr, "%s\n", cdp_last_message());
 *
 *     uint32_t positions[2];
 *     cdp_top top = CDP_TOP_INIT;
 *     top.indices = positions;
 *     top.index_bytes = sizeof *positions;
 *     if (cdp_top_k(scores, 4, CDP_F32, &options, 2, best, &top) != CDP_OK) // positions: 3, 1
 *       fprintf(stderr, "%s\n", cdp_last_message());
 *
 *     float times[] = {5, 1, 4, 2, 3};
 *     if (cdp_nth_element(times, 5, CDP_F32, NULL, 2) != CDP_OK) // times[2]: 3, behind less ones, before greater ones
 *       fprintf(stderr, "%s\n", cdp_last_message());
 *     if (cdp_partial_sort(times, 5, CDP_F32, NULL, 3) != CDP_OK) // times: 1, 2, 3, ...
 *       fprintf(stderr, "%s\n", cdp_last_message());
 *
 *     const uint64_t ranks[] = {1, 2};
 *     float middle[2];
 *     if (cdp_quantiles(scores, 4, CDP_F32, NULL, ranks, 2, middle) != CDP_OK) // middle: 1.0, 2.0, whose mean is the median
 *       fprintf(stderr, "%s\n", cdp_last_message());
 *
 * How. The range of the keys, as a sample shows it, is divided into some thousand bins. It is counted how many keys are in each, and
 * one goes on in the bins that matter, whose keys are written to an array of their own if they are few, until a bin is one key, or so
 * few keys are left that one block sorts them, if it is the keys at ranks alone that are wanted: for keys of 4 bytes after 4 times at
 * most, for 8 bytes after 7, and of 64 ranks at once, which share the bins out, after 8 and 14. If nearly all
 * keys agree in nearly all bits, so many reads of all of them may be needed, and one more where keys are written; no input takes more.
 * Keys of 8 and 16 bits that are to be partitioned are sorted altogether. (C. A. R. Hoare, "Algorithm 65: FIND", 1961; Tolga Alabi and others, "Fast k-selection algorithms for
 * graphics processing units", 2012.)
 *
 * For all calls. Keys, their order, NaNs, options, device, host and device memory, synchronisation, threads, graphs, statuses and the
 * state of the data after a failure are as for cdp_quicksort() and cdp_quicksort_async(), with these differences:
 * - With CDP_DESCENDING the greatest keys come first: rank 0 is the greatest, and the top keys are the greatest.
 * - The result is the same every time, whatever the seed.
 * - Options mean the sort of the top keys, if they are to be in order; otherwise order, ties, device and allocator count, and the others
 *   are checked alone.
 * - Every array may lie in any memory by itself; the device is chosen by the keys, and no array may lie on another one
 *   (CDP_ERROR_POINTER). In stream order all must be device or managed memory. They must not overlap each other or the workspace
 *   (CDP_ERROR_POINTER, CDP_ERROR_WORKSPACE), but for arrays that are only read.
 * - Of keys in host memory a CUDA device needs a copy: to copy them takes longer than to select.
 * - The host launches several kernels, whatever the scheme. So in stream order, after CDP_ERROR_CUDA, others may have been launched;
 *   and where memory is exhausted while CUDA loads kernels, that is CDP_ERROR_CUDA, not CDP_ERROR_MEMORY.
 *
 * The calls in stream order: each has a form with a workspace of the caller's (_async), a form without (_on_stream, as
 * cdp_quicksort_on_stream()), and a question for the size of that workspace (_workspace), which is 0 where there is nothing to do.
 * Ranks and numbers of keys are the host's in all of them: they are read during the call, and travel with the launch. What is found is
 * written to device memory in the stream's order.
 */
#ifndef CDPSORT_SELECT_H
#define CDPSORT_SELECT_H

#include <cdpsort/pairs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The key at a rank ----------------------------------------------------------------------------------------- */

/**
 * Puts the key in its place that belongs at an index when all are sorted: keys before it are no greater, and those behind it no less
 * (CDP_DESCENDING: no less, and no greater). std::nth_element(), for any type. Within both parts unequal keys keep no order that a
 * caller may rely on. Narrow keys are sorted, which takes less.
 *
 * @param keys     `count` keys, owned by the caller, aligned to the size of a key. May be NULL if `count` is 0.
 * @param count    number of keys, at most CDP_COUNT_MAX; 0 and 1 are nothing to do, and need no device.
 * @param type     what the keys are.
 * @param options  NULL means the defaults. CDP_TIES_BY_VALUE as for cdp_quicksort().
 * @param rank     the index, less than `count` (CDP_ERROR_SIZE), but for a count of 0, where it does not matter.
 * @return as cdp_quicksort().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_nth_element(void *keys, size_t count, cdp_type type, const cdp_options *options, size_t rank);

/**
 * How many bytes of workspace cdp_nth_element_async() needs: 1.32 times the size of the keys and at most 8 MiB; for narrow keys as
 * cdp_quicksort_workspace(). The parameters are those of that call.
 * @return as cdp_quicksort_workspace().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_nth_element_workspace(size_t count, cdp_type type, const cdp_options *options, size_t rank,
                                             size_t *workspace_bytes);

/** cdp_nth_element() in stream order, as cdp_quicksort_async(). @since 0.3.0 */
CDP_API cdp_status cdp_nth_element_async(void *d_keys, size_t count, cdp_type type, const cdp_options *options, size_t rank,
                                         void *d_workspace, size_t workspace_bytes, void *stream);

/** The same without a workspace, as cdp_quicksort_on_stream(). @since 0.3.0 */
CDP_API cdp_status cdp_nth_element_on_stream(void *d_keys, size_t count, cdp_type type, const cdp_options *options, size_t rank,
                                             void *stream);

/* ---- The first keys, in their place ---------------------------------------------------------------------------- */

/**
 * Puts the first keys of the order in their places and the others behind them, as cdp_nth_element() leaves them. All keys are moved:
 * cdp_top_k(), which moves the first ones alone, takes less where these are few.
 *
 * @param keys          `count` keys, owned by the caller, aligned to the size of a key. May be NULL if `count` is 0.
 * @param count         number of keys, at most CDP_COUNT_MAX.
 * @param type          what the keys are.
 * @param options       how to sort; NULL means the defaults. CDP_TIES_BY_VALUE as for cdp_quicksort().
 * @param sorted_items  how many keys are to be in order, at most `count` (CDP_ERROR_SIZE); 0 is nothing to do, and needs no device.
 * @return as cdp_quicksort().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_partial_sort(void *keys, size_t count, cdp_type type, const cdp_options *options, size_t sorted_items);

/**
 * How many bytes of workspace cdp_partial_sort_async() needs: as cdp_nth_element_workspace(), or as cdp_quicksort_workspace() for
 * `sorted_items` keys, whichever is more. The parameters are those of that call.
 * @return as cdp_quicksort_workspace().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_partial_sort_workspace(size_t count, cdp_type type, const cdp_options *options, size_t sorted_items,
                                              size_t *workspace_bytes);

/** cdp_partial_sort() in stream order, as cdp_quicksort_async(). @since 0.3.0 */
CDP_API cdp_status cdp_partial_sort_async(void *d_keys, size_t count, cdp_type type, const cdp_options *options,
                                          size_t sorted_items, void *d_workspace, size_t workspace_bytes, void *stream);

/** The same without a workspace, as cdp_quicksort_on_stream(). @since 0.3.0 */
CDP_API cdp_status cdp_partial_sort_on_stream(void *d_keys, size_t count, cdp_type type, const cdp_options *options,
                                              size_t sorted_items, void *stream);

/* ---- The first keys, elsewhere --------------------------------------------------------------------------------- */

/** In which order the top keys are written, and what goes with them. @since 0.3.0 */
typedef enum cdp_top_order {
  CDP_TOP_SORTED = 0,   /**< the default: in the order of the keys, equal ones in that of the input */
  CDP_TOP_UNSORTED = 16 /**< in no order that a caller may rely on, the same every time; but equal ones in that of the input */
} cdp_top_order;

/** Values of which the top keys' are wanted. @since 0.3.0 */
typedef struct cdp_top_column {
  const void *values; /**< as many as keys, the caller's: the one at a key's index is that key's; only read */
  size_t value_bytes; /**< size of a value in bytes, 1 to 2^32 - 1 (CDP_ERROR_SIZE). Values need no alignment */
  void *top_values;   /**< receives those of the top keys, in their order */
} cdp_top_column;

/**
 * What else cdp_top_k() shall find. Initialise with CDP_TOP_INIT, then set what you want. `size` and what it is for as in cdp_options.
 * @since 0.3.0
 */
typedef struct cdp_top {
  size_t size;         /**< sizeof(cdp_top); CDP_TOP_INIT sets it */
  cdp_top_order order; /**< 0: sorted */
  void *indices;       /**< with index_bytes: receives where in `keys` each top key lies, as unsigned integers, aligned to
                                      their size */
  size_t index_bytes;  /**< the size of an index: 4 or 8 (CDP_ERROR_SIZE). 0: nobody wants any */
  const cdp_top_column
      *columns;         /**< host pointer to `column_count` columns, read during the call only. May be NULL if there is none */
  size_t column_count;  /**< at most CDP_COLUMNS_MAX (CDP_ERROR_SIZE) */
  uint32_t reserved[4]; /**< must be 0 */
} cdp_top;

/** Nothing else, and the keys in order. */
#define CDP_TOP_INIT                                                                                                           \
  {                                                                                                                            \
    sizeof(cdp_top), CDP_TOP_SORTED, NULL, 0, NULL, 0, {                                                                       \
      0, 0, 0, 0                                                                                                               \
    }                                                                                                                          \
  }

/**
 * Writes the first `k` keys of the order elsewhere: with CDP_DESCENDING the greatest ones, otherwise the least ones.
 *
 * Of keys that are equal to the last of them, those are taken that come first in the input, whatever options->ties: it costs nothing.
 * With indices or columns CDP_TIES_BY_VALUE makes zeros of both signs equal, and all NaNs (which come first where keys descend).
 *
 * @param keys      `count` keys, owned by the caller, aligned to the size of a key; only read. May be NULL if `count` or `k` is 0.
 * @param count     number of keys, at most CDP_COUNT_MAX, with indices or columns CDP_PAIRS_COUNT_MAX.
 * @param type      what the keys are.
 * @param options   how to sort; NULL means the defaults. With indices or columns leaf_items is at most CDP_LEAF_MAX_8_BYTES.
 * @param k         how many keys are wanted, at most `count` (CDP_ERROR_SIZE); 0 is nothing to do, and needs no device.
 * @param top_keys  receives `k` keys, aligned to the size of a key. NULL: nobody wants them, but something else.
 * @param top       what else is wanted; NULL: nothing, and the keys in order.
 * @return as cdp_quicksort(); CDP_ERROR_OPTION also for what is wrong with *top.
 * @since 0.3.0
 */
CDP_API cdp_status cdp_top_k(const void *keys, size_t count, cdp_type type, const cdp_options *options, size_t k,
                             void *top_keys, const cdp_top *top);

/**
 * How many bytes of workspace cdp_top_k_async() needs: 0.32 times the size of the keys and at most 8 MiB; or, if it is more, as
 * cdp_quicksort_workspace() for `k` keys. With indices or columns 0.32 times the size of keys with another 4 bytes each and at most
 * 8 MiB; or, if it is more, as cdp_argsort_workspace() for `k` keys; and for each of these 12 bytes and the size of a key. Of *top the
 * pointers are not looked at, but for `columns`.
 * @return as cdp_quicksort_workspace().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_top_k_workspace(size_t count, cdp_type type, const cdp_options *options, size_t k, const cdp_top *top,
                                       size_t *workspace_bytes);

/** cdp_top_k() in stream order, as cdp_quicksort_async(). @since 0.3.0 */
CDP_API cdp_status cdp_top_k_async(const void *d_keys, size_t count, cdp_type type, const cdp_options *options, size_t k,
                                   void *d_top_keys, const cdp_top *top, void *d_workspace, size_t workspace_bytes,
                                   void *stream);

/** The same without a workspace, as cdp_quicksort_on_stream(). @since 0.3.0 */
CDP_API cdp_status cdp_top_k_on_stream(const void *d_keys, size_t count, cdp_type type, const cdp_options *options, size_t k,
                                       void *d_top_keys, const cdp_top *top, void *stream);

/* ---- Keys at several ranks ------------------------------------------------------------------------------------- */

/** The most ranks in a call. @since 0.3.0 */
#define CDP_RANKS_MAX 64

/**
 * Finds the keys at some ranks: those that would be at these indices if all keys were sorted. The keys stay as they are.
 *
 * @param keys        `count` keys, owned by the caller, aligned to the size of a key; only read. May be NULL if `rank_count` is 0.
 * @param count       number of keys, at most CDP_COUNT_MAX.
 * @param type        what the keys are.
 * @param options     NULL means the defaults. CDP_TIES_BY_VALUE as for cdp_quicksort().
 * @param ranks       host pointer to `rank_count` ranks, in any order, read during the call only; each less than `count`
 *                    (CDP_ERROR_SIZE), and some may be the same. May be NULL if `rank_count` is 0.
 * @param rank_count  at most CDP_RANKS_MAX (CDP_ERROR_SIZE); 0 is nothing to do, and needs no device.
 * @param found       receives `rank_count` keys, in the order of the ranks, aligned to the size of a key.
 * @return as cdp_quicksort().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_quantiles(const void *keys, size_t count, cdp_type type, const cdp_options *options,
                                 const uint64_t *ranks, size_t rank_count, void *found);

/**
 * How many bytes of workspace cdp_quantiles_async() needs: 0.32 times the size of the keys and at most 8 MiB.
 * @return as cdp_quicksort_workspace().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_quantiles_workspace(size_t count, cdp_type type, const cdp_options *options, size_t rank_count,
                                           size_t *workspace_bytes);

/** cdp_quantiles() in stream order, as cdp_quicksort_async(). @since 0.3.0 */
CDP_API cdp_status cdp_quantiles_async(const void *d_keys, size_t count, cdp_type type, const cdp_options *options,
                                       const uint64_t *ranks, size_t rank_count, void *d_found, void *d_workspace,
                                       size_t workspace_bytes, void *stream);

/** The same without a workspace, as cdp_quicksort_on_stream(). @since 0.3.0 */
CDP_API cdp_status cdp_quantiles_on_stream(const void *d_keys, size_t count, cdp_type type, const cdp_options *options,
                                           const uint64_t *ranks, size_t rank_count, void *d_found, void *stream);

#ifdef __cplusplus
}
#endif

#endif
