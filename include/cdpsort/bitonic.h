/* SPDX-License-Identifier: MIT */
/**
 * @file bitonic.h
 * The bitonic sort by itself: in place, with no memory but the keys', and the same work for all keys of a count.
 *
 *     float keys[] = {3, 1, 2};
 *     if (cdp_bitonic_sort(keys, 3, CDP_F32, NULL) != CDP_OK) // keys: 1, 2, 3
 *       fprintf(stderr, "%s\n", cdp_last_message());
 *
 * Choose cdp_quicksort() (cdpsort.h), unless there is no room for its workspace, or time must not depend on what the keys are: no
 * pivot, no branch on a key, as many launches and comparisons for every array of a length. For that it is O(n log^2 n), and goes
 * over memory again and again. 2^26 keys of 4 bytes are read and written 42 times, of 8 bytes 55 times, where a sort by
 * cdp_quicksort() takes a few. Up to 8,192 keys (4,096 of 8 bytes) it is once, by one block.
 *
 * The network is Batcher's ("Sorting networks and their applications", 1968), for any length as in X. T. Nguyen, "Development of
 * parallel sorting algorithms for GPU" (2021), but with all comparators pointing the same way, so that keys behind the end need
 * not be there: they would stay. Blocks sort tiles in registers and shared memory; beyond tiles a pass over memory does four
 * distances, or three with keys of 8 bytes. Kernels of your own sort likewise by cdpsort/device.cuh.
 */
#ifndef CDPSORT_BITONIC_H
#define CDPSORT_BITONIC_H

#include <cdpsort/cdpsort.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Sorts `count` keys in place and returns when they are sorted. Memory, synchronisation, threads, the order of all types (-0.0
 * before 0.0, every NaN behind all numbers; descending the reverse) and the state of the keys after a failure are as for
 * cdp_quicksort(), with these differences:
 * - No device memory is allocated for keys that the device reaches; for keys in host memory, on a CUDA device, that of a copy.
 * - Of the options, order, device and allocator count, and the seed for the simulated device's schedule; the others are checked
 *   alone. As there, CDP_TIES_BY_VALUE is refused for floating-point keys.
 * - The host launches all kernels. None launches another, so the limit of pending launches does not matter.
 *
 * Stability is nothing that keys alone could show: those that are equal are equal in every bit.
 *
 * @param keys     `count` keys, owned by the caller, aligned to the size of a key. May be NULL if `count` is 0.
 * @param count    number of keys, at most CDP_COUNT_MAX; 0 and 1 are nothing to do.
 * @param type     what the keys are.
 * @param options  NULL means the defaults. Read during the call only.
 * @return as cdp_quicksort().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_bitonic_sort(void *keys, size_t count, cdp_type type, const cdp_options *options);

/**
 * The same in stream order: launches on `stream` and returns. There is no other form: it needs no workspace, allocates nothing,
 * reads nothing back, and leaves the host no work. The keys are sorted when the work on `stream` so far is complete.
 *
 * CUDA graphs. While `stream` is being captured the call is captured, for any count: one node behind the other, each a kernel.
 * On the simulated device keys are host memory, `stream` must be NULL, and the sort is done on return.
 *
 * @param d_keys   device or managed memory of one device, `count` keys, aligned to the size of a key. May be NULL if `count` is 0.
 * @param count    as for cdp_bitonic_sort(), and so are type and options; the allocator is not asked.
 * @param type     likewise.
 * @param options  likewise.
 * @param stream   a cudaStream_t of the device of the keys; NULL is the default stream.
 * @return as cdp_quicksort_on_stream(), but _MEMORY; CDP_ERROR_CUDA: a launch failed, and others may have been made.
 * @since 0.3.0
 */
CDP_API cdp_status cdp_bitonic_sort_on_stream(void *d_keys, size_t count, cdp_type type, const cdp_options *options,
                                              void *stream);

#ifdef __cplusplus
}
#endif

#endif
