/* SPDX-License-Identifier: MIT */
/**
 * @file partition.h
 * The step that a quicksort is made of, as a call of its own: all keys less than a pivot to the front, all greater ones to the
 * back, those equal to it between them. A few grids over the whole array, launched by the host: no dynamic parallelism.
 *
 * For programs that go on by themselves, such as one whose CPU sorts the parts, and for comparing the two ways to do it. By more
 * than one pivot, with values, for keys of all types and in stream order: cdp_divide() (buckets.h).
 *
 * Sources: Xuan Thang Nguyen, "Development of parallel sorting algorithms for GPU" (bachelor's thesis, Czech Technical
 * University in Prague, 2021); Patrick Bisenius and Manuel Lessmann, "Parallel Quick Sort in OpenCL" (Karlsruhe Institute of
 * Technology, undated).
 */
#ifndef CDPSORT_PARTITION_H
#define CDPSORT_PARTITION_H

#include <cdpsort/cdpsort.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How blocks find out where their keys go. Either way the parts are put together elsewhere, and then copied back. */
typedef enum cdp_partition_kind {
  CDP_PARTITION_DEFAULT = 0, /**< CDP_PARTITION_RESERVE */
  CDP_PARTITION_RESERVE = 1, /**< each block reserves room for each of its tiles by an atomic on two counters, in one pass:
                                  within a part the order of the tiles is as it happens (Nguyen, algorithm 4.3.2) */
  CDP_PARTITION_SCAN = 2     /**< every warp counts a share of its own, the counts are scanned, every warp scatters its share:
                                  two passes, the same result every time, and stable: the keys of a part keep their order
                                  (Bisenius and Lessmann) */
} cdp_partition_kind;

/** Where the parts lie, and how long it took. */
typedef struct cdp_parts {
  uint64_t less_items;  /**< keys [0, less_items) are less than the pivot */
  uint64_t equal_items; /**< as many keys after them are equal to it, and the rest is greater */
  double milliseconds;  /**< as cdp_time_quicksort() (study.h) tells it; what is copied back on the device is in it. 0 where
                             there was no key */
} cdp_parts;

/**
 * Partitions `count` keys in place and returns when they are. Memory, device, order, synchronisation, threads and
 * cdp_last_device() as for cdp_quicksort(); time and device memory O(n). Of the options, order, device and allocator count, and
 * the seed for the simulated device's schedule; the others are checked alone. With CDP_DESCENDING "less" is what comes first.
 *
 * @param keys     `count` keys, owned by the caller, aligned to the size of a key, in any memory. May be NULL if `count` is 0.
 * @param count    number of keys, at most CDP_COUNT_MAX; may be 0, which needs no device. More than 2^32 is fine.
 * @param type     what the keys are.
 * @param options  NULL means the defaults.
 * @param pivot    host pointer to one key of the type, read during the call only; the array need not hold it. It need not be
 *                 aligned. Must not be NULL.
 * @param kind     how.
 * @param parts    host pointer, receives where the parts lie. Must not be NULL. On failure it is filled with zeros.
 * @return as cdp_quicksort(); CDP_ERROR_OPTION for `kind`; the keys after a failure as cdp_status says.
 * @since 0.1.0
 */
CDP_API cdp_status cdp_partition(void *keys, size_t count, cdp_type type, const cdp_options *options, const void *pivot,
                                 cdp_partition_kind kind, cdp_parts *parts);

#ifdef __cplusplus
}
#endif

#endif
