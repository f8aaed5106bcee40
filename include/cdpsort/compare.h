/* SPDX-License-Identifier: MIT */
/**
 * @file compare.h
 * Items of any kind, sorted by a comparison of the program's own: CUDA C++ source, which is compiled when it is first needed.
 *
 *     typedef struct { float x, y; } point;
 *     point points[] = {{3, 4}, {1, 0}, {0, 2}};
 *     cdp_comparison nearer = CDP_COMPARISON_INIT;
 *     nearer.source = "typedef struct { float x, y; } point;\n"
 *                     "__device__ int less(const point *a, const point *b, const void *context) {\n"
 *                     "  return a->x * a->x + a->y * a->y < b->x * b->x + b->y * b->y;\n"
 *                     "}\n";
 *     if (cdp_quicksort_by(points, 3, sizeof *points, &nearer, NULL) != CDP_OK) // points: {1, 0}, {0, 2}, {3, 4}
 *       fprintf(stderr, "%s\n%s", cdp_last_message(), cdp_last_compiler_log());
 *
 * Programs in CUDA C++ have a template as well, which needs no compiler at run time: sort_by.cuh.
 *
 * The source defines the items' type and `less`, a function of two pointers to constant items and a `const void *`, which returns
 * whether the first comes before the second: not 0, or true. Other functions, types and constants may stand there as well.
 * It is C++17; no header can be included. `less` must be a strict weak order: nothing comes before itself; of what comes before
 * what, one follows from another; and so does what comes neither before nor after. It is called by many threads at once, for copies
 * of items that are anywhere in the device's memory, and must write nothing.
 *
 * The compiler is NVIDIA's NVRTC, a library of the CUDA toolkit (libnvrtc.so), loaded when a source is first compiled, or the one
 * that the environment variable CDPSORT_NVRTC names. Where there is none the status is CDP_ERROR_UNSUPPORTED. A source is
 * compiled once for each size of items and each architecture, and kept until the process ends or cdp_release_comparisons() is
 * called; threads that ask for the same one at once wait for one compilation. It takes about a second or two, and happens
 * within the call that first needs it, whatever its form: cdp_compile_comparison() does it ahead.
 *
 * On the simulated device the comparison is a C function of qsort_r()'s form instead, called on the calling thread and on its stack.
 * It must not call this library: such a call ends with CDP_ERROR_UNSUPPORTED. An exception of a C++ program's comparison ends the
 * sort with CDP_ERROR_SIMULATED. After a longjmp() out of a comparison the thread has no simulated device any more. A program that
 * gives both comparisons runs on either device.
 *
 * Stability: none. Equivalent items come out in some order, which may be another one the next time.
 *
 * Broken comparisons. Whatever `less` answers (always true, at random, something else each time), the call ends, every item is
 * there once, and nothing is written elsewhere; only their order is unspecified. It may take very much longer: where all items are
 * in one piece in the end, one block sorts it. A `less` that does not return, or that reads what it must not, is beyond help.
 *
 * How. Items are divided by splitters into up to 256 buckets, those once more, until a block can sort each piece in shared memory
 * by merging (two levels for 2^26 numbers of 4 bytes); what is equivalent to a splitter that is frequent in the sample is done
 * then. Each item's bucket is written down when it is found, so that a comparison which contradicts itself loses nothing, and
 * merges look whether their shares fit together. Items of 1, 2, 4, 8, 12, 16, 24 and 32 bytes are moved; of others indices are,
 * of 4 bytes, and the items gathered in the end. The host launches all kernels. (Peter Sanders and Sebastian Winkel, "Super
 * Scalar Sample Sort", 2004; Oded Green, Robert McColl and David A. Bader, "GPU Merge Path", 2012.)
 *
 * For all calls. Options, host and device memory, synchronisation, threads, graphs, statuses and the state of the data after a
 * failure are as for cdp_quicksort() and its forms in stream order, with these differences:
 * - Of the options, device, seed and allocator count; order and ties must be left alone (CDP_ERROR_OPTION), and the others are
 *   checked only.
 * - Items are aligned to the greatest power of two, up to 16, that divides their size (CDP_ERROR_ALIGNMENT): what C demands of
 *   any type of that size.
 * - CDP_ERROR_SOURCE for a source that does not compile, of which cdp_last_compiler_log() says why. CDP_ERROR_NULL for a
 *   comparison that lacks what the device needs: its source, or on the simulated device its function.
 */
#ifndef CDPSORT_COMPARE_H
#define CDPSORT_COMPARE_H

#include <cdpsort/cdpsort.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most items that a call takes. @since 0.3.0 */
#define CDP_COMPARE_COUNT_MAX (((uint64_t)1 << 32) - 1)

/** The most bytes of a context that is copied. @since 0.3.0 */
#define CDP_CONTEXT_BYTES_MAX 1024

/**
 * Which of two items comes first. Initialise with CDP_COMPARISON_INIT. Read during the call only, as is all that it points to but a
 * context of the device's.
 * @since 0.3.0
 */
typedef struct cdp_comparison {
  size_t size;        /**< of this structure, as the program knows it */
  const char *source; /**< for GPUs: CUDA C++, as this header says. May be NULL for the simulated device */
  int (*compare)(const void *a, const void *b, void *context); /**< for the simulated device: negative if a comes before b, as
                                                      for qsort_r(). It must not longjmp() or throw. May be NULL for GPUs */
  void *context;                                               /**< what the comparison is given. May be NULL */
  size_t context_bytes; /**< 0: `context` is given as it is, on a GPU as a pointer to what the device reaches, which must stay
                             until the sort is complete. Otherwise `context` is host memory of so many bytes, at most
                             CDP_CONTEXT_BYTES_MAX (CDP_ERROR_SIZE): a GPU's `less` is given a copy, made by the call and aligned
                             to 16 bytes; the simulated device's function `context` itself */
} cdp_comparison;

/** Sets the size, and all else to 0. @since 0.3.0 */
#define CDP_COMPARISON_INIT                                                                                                    \
  { sizeof(cdp_comparison), NULL, NULL, NULL, 0 }

/**
 * Sorts `count` items in place, and returns when they are sorted. Time O(n log n) for a strict weak order.
 *
 *     static int by_last_digit(const void *a, const void *b, void *context) {
 *       (void)context;
 *       return *(const int *)a % 10 - *(const int *)b % 10;
 *     }
 *
 *     int items[] = {21, 13, 32};
 *     cdp_comparison both = CDP_COMPARISON_INIT;
 *     both.source = "__device__ bool less(const int *a, const int *b, const void *context) { return *a % 10 < *b % 10; }";
 *     both.compare = by_last_digit; // on the simulated device
 *     if (cdp_quicksort_by(items, 3, sizeof *items, &both, NULL) != CDP_OK) // items: 21, 32, 13
 *       fprintf(stderr, "%s\n", cdp_last_message());
 *
 * @param items       `count` items, owned by the caller, in any memory. May be NULL if `count` is 0.
 * @param count       number of items, at most CDP_COMPARE_COUNT_MAX (CDP_ERROR_SIZE); 0 and 1 are nothing to do, need no device and
 *                    no compiler.
 * @param item_bytes  size of an item, 1 to 2^32 - 1 (CDP_ERROR_SIZE): that of the type that the source compares, or it does not
 *                    compile.
 * @param comparison  host pointer. CDP_ERROR_NULL if it is NULL; CDP_ERROR_OPTION for a size that there is not.
 * @param options     NULL means the defaults.
 * @return as cdp_quicksort(), and CDP_ERROR_SOURCE.
 * @since 0.3.0
 */
CDP_API cdp_status cdp_quicksort_by(void *items, size_t count, size_t item_bytes, const cdp_comparison *comparison,
                                    const cdp_options *options);

/**
 * How many bytes of workspace cdp_quicksort_by_async() needs: as many as the items and 1 byte for each, and at most a sixteenth of
 * that (on the simulated device as much again) and 64 KiB; where indices are sorted, the items and 9 bytes for each, and
 * likewise. 256 bytes for items that are moved and that one block sorts, such as 8,704 of 4 bytes.
 * @return as cdp_quicksort_workspace().
 * @since 0.3.0
 */
CDP_API cdp_status cdp_quicksort_by_workspace(size_t count, size_t item_bytes, const cdp_options *options,
                                              size_t *workspace_bytes);

/** cdp_quicksort_by() in stream order, as cdp_quicksort_async(). @since 0.3.0 */
CDP_API cdp_status cdp_quicksort_by_async(void *d_items, size_t count, size_t item_bytes, const cdp_comparison *comparison,
                                          const cdp_options *options, void *d_workspace, size_t workspace_bytes, void *stream);

/** The same without a workspace, as cdp_quicksort_on_stream(). @since 0.3.0 */
CDP_API cdp_status cdp_quicksort_by_on_stream(void *d_items, size_t count, size_t item_bytes, const cdp_comparison *comparison,
                                              const cdp_options *options, void *stream);

/**
 * Compiles a comparison for the device that `options` choose, and for items of so many bytes, unless it is compiled: calls with the
 * same source and size do not compile then. On the simulated device it looks whether there is a function.
 * @return CDP_OK; CDP_ERROR_NULL, _OPTION, _SIZE, _NO_DEVICE, _MEMORY, _UNSUPPORTED, _SOURCE or _CUDA.
 * @since 0.3.0
 */
CDP_API cdp_status cdp_compile_comparison(const cdp_comparison *comparison, size_t item_bytes, const cdp_options *options);

/**
 * All that the compiler said to the source that the calling thread last gave, warnings and errors, with the numbers of the source's
 * lines: "comparison(3): error: ...".
 * @return a string owned by the library, valid until the thread gives another source; "" if there was nothing to say; never NULL.
 * @since 0.3.0
 */
CDP_API const char *cdp_last_compiler_log(void);

/**
 * Forgets all that was compiled, and gives its memory back; a source that comes again is compiled again. No call of this header may
 * be under way in another thread, no sort by a comparison may be incomplete on a stream, and no graph that has one may be
 * launched afterwards.
 * @since 0.3.0
 */
CDP_API void cdp_release_comparisons(void);

#ifdef __cplusplus
}
#endif

#endif
