/* SPDX-License-Identifier: MIT */
/**
 * @file cdpsort.h
 * cdpsort: a quicksort that launches itself on an NVIDIA GPU (CUDA dynamic parallelism).
 *
 * The host launches one kernel. From then on the device decides: a grid of blocks partitions a range, the last of its
 * blocks launches the children, and bitonic sort ends the recursion at the leaf size or the depth limit.
 *
 * This header is all that an ordinary caller needs. It is C11 (and C++17), includes no CUDA header, and has three parts:
 * the calls that sort, their options, and what they report. study.h beside it tells what a recursion did.
 *
 *     uint32_t keys[] = {3, 1, 2};
 *     cdp_status status = cdp_quicksort(keys, 3, CDP_U32, NULL);
 *     if (status != CDP_OK)
 *       fprintf(stderr, "%s\n", cdp_last_message());
 *
 * Order. Every type has one documented total order, so that equal keys are equal in every bit:
 * - integers: by value.
 * - floating point: -infinity < ... < -0.0 < +0.0 < ... < +infinity < every NaN, whatever its sign; NaNs among themselves:
 *   those without the sign bit first, by rising payload, then those with it, by falling payload. A NaN keeps its payload and
 *   its sign.
 * - descending is exactly the reverse, so that NaNs come first.
 * The sort is not stable; with keys alone, and a total order in which only identical keys are equal, nobody can tell.
 *
 * Threads. Every call may be made from several threads at once, on different data. Messages are kept per thread.
 *
 * Pending launches. All sorts on a device share CUDA's limit of pending device launches, 2,048 unless the program has set
 * cudaLimitDevRuntimePendingLaunchCount. Under less than 1,536 CUDA loses grids now and then, so that sorts do not launch from
 * the device then: cdp_quicksort() has the host launch, as CDP_SCHEME_HOST_LOOP does, and cdp_quicksort_async() refuses more
 * keys than one block sorts.
 *
 * The library never prints, exits or aborts, and never changes process-wide limits of the CUDA runtime.
 *
 * Sources: the two-phase quicksort and its two schemes of dynamic parallelism are those of the TNL thesis (seed 004), after
 * Cederman and Tsigas; the three-way partition is seed 002's.
 */
#ifndef CDPSORT_CDPSORT_H
#define CDPSORT_CDPSORT_H

#include <stddef.h>
#include <stdint.h>

#define CDP_VERSION_MAJOR 0
#define CDP_VERSION_MINOR 2
#define CDP_VERSION_PATCH 0

/** The version as one number: 10000 * major + 100 * minor + patch. Compare with cdp_version(). */
#define CDP_VERSION (10000 * CDP_VERSION_MAJOR + 100 * CDP_VERSION_MINOR + CDP_VERSION_PATCH)

#if defined(__GNUC__)
#define CDP_API __attribute__((visibility("default")))
#else
#define CDP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What is reported ------------------------------------------------------------------------------------------ */

/** What a call returns. Values are fixed for good: families with gaps, none is ever reused. */
typedef enum cdp_status {
  CDP_OK = 0,

  /* The caller can mend these. Nothing was written. */
  CDP_ERROR_NULL = 1,      /**< a pointer that must not be NULL is NULL */
  CDP_ERROR_TYPE = 2,      /**< the key type is not one of cdp_type */
  CDP_ERROR_OPTION = 3,    /**< an option is out of its range, or unknown */
  CDP_ERROR_SIZE = 4,      /**< count is greater than CDP_COUNT_MAX, or its bytes cannot be addressed */
  CDP_ERROR_ALIGNMENT = 5, /**< keys are not aligned to their own size, or the workspace not to CDP_WORKSPACE_ALIGNMENT */
  CDP_ERROR_WORKSPACE = 6, /**< the workspace is smaller than cdp_quicksort_workspace() says */
  CDP_ERROR_POINTER = 7,   /**< memory of a kind, or on a device, that this call cannot use */
  CDP_ERROR_FILE = 8,      /**< a file cannot be opened or written */

  /* The machine does not have it. Nothing was written. */
  CDP_ERROR_NO_DEVICE = 32,   /**< no such device, or no usable GPU; the message says how to ask for the simulated one */
  CDP_ERROR_MEMORY = 33,      /**< host or device memory is exhausted; found out before anything was launched */
  CDP_ERROR_UNSUPPORTED = 34, /**< this combination of options cannot work; the message says which and why */

  /* The device failed while sorting. Keys in device memory are then unspecified; keys in host memory are as they were, unless
     it was copying them back that failed. */
  CDP_ERROR_CUDA = 64,     /**< a CUDA call or kernel failed; see cdp_last_cuda_error(): also for want of memory, once kernels
                                may have run */
  CDP_ERROR_SIMULATED = 65 /**< a kernel broke a rule of the simulated device, such as a barrier not all threads reach, or host
                                memory was exhausted while it ran */
} cdp_status;

/**
 * The name of a status, such as "CDP_ERROR_NULL".
 * @return a constant string, never NULL; "unknown status" for a value outside the enumeration.
 * @since 0.1.0
 */
CDP_API const char *cdp_status_name(cdp_status status);

/**
 * What a status means, in a few words of English.
 * @return a constant string, never NULL; "unknown status" for a value outside the enumeration.
 * @since 0.1.0
 */
CDP_API const char *cdp_status_text(cdp_status status);

/**
 * What was wrong in the calling thread's last call that returned a status, and what to do about it.
 * @return a string owned by the library, valid until the thread's next call of cdpsort; "" after CDP_OK; never NULL.
 * @since 0.1.0
 */
CDP_API const char *cdp_last_message(void);

/**
 * The cudaError_t behind the calling thread's last status, as a number; 0 where no CUDA call failed.
 * @since 0.1.0
 */
CDP_API int cdp_last_cuda_error(void);

/**
 * The device that the calling thread's last successful sort ran on, such as
 * "NVIDIA H200 (CUDA device 0, compute capability 9.0, 132 multiprocessors)" or "simulated device (on the CPU)".
 * @return a string owned by the library, valid until the thread's next sort; "" where this thread has not sorted yet. A sort
 * of 0 or 1 keys needs no device, and leaves the answer as it was.
 * @since 0.1.0
 */
CDP_API const char *cdp_last_device(void);

/**
 * The version of the library that is running, as CDP_VERSION counts it.
 * @since 0.1.0
 */
CDP_API int cdp_version(void);

/* ---- Options --------------------------------------------------------------------------------------------------- */

/** The most keys that a call takes, 2^40: positions of samples are drawn with fractions of 24 bits. @since 0.2.0 */
#define CDP_COUNT_MAX ((uint64_t)1 << 40)

/** The type of the keys. */
typedef enum cdp_type {
  CDP_U32 = 1, /**< uint32_t */
  CDP_I32 = 2, /**< int32_t */
  CDP_U64 = 3, /**< uint64_t */
  CDP_I64 = 4, /**< int64_t */
  CDP_F32 = 5, /**< float */
  CDP_F64 = 6  /**< double */
} cdp_type;

/** The direction of the order. */
typedef enum cdp_order {
  CDP_ASCENDING = 0, /**< the default */
  CDP_DESCENDING = 1
} cdp_order;

/** Who launches whom. */
typedef enum cdp_scheme {
  CDP_SCHEME_DEFAULT = 0,    /**< CDP_SCHEME_LAST_BLOCK */
  CDP_SCHEME_LAST_BLOCK = 1, /**< the last block of a partition grid launches the children (seed 004, CDP version 1) */
  CDP_SCHEME_CONTROLLER = 2, /**< a controller launches workers and a tail continuation (seed 004, CDP version 2, remade) */
  CDP_SCHEME_HOST_LOOP = 3   /**< the host launches level by level, without dynamic parallelism; blocking calls only. Those have
                                  it with any scheme where the limit of pending launches is too low */
} cdp_scheme;

/** The streams on which children are launched. */
typedef enum cdp_child_streams {
  CDP_STREAMS_DEFAULT = 0,         /**< CDP_STREAMS_FIRE_AND_FORGET */
  CDP_STREAMS_FIRE_AND_FORGET = 1, /**< cudaStreamFireAndForget */
  CDP_STREAMS_NAMED = 2            /**< a stream of its own for each child, created and destroyed on the device */
} cdp_child_streams;

/** How a range's pivot is chosen. Rules other than the sampled median give one pivot: they are for the classic set-out alone. */
typedef enum cdp_pivot {
  CDP_PIVOT_DEFAULT = 0,         /**< CDP_PIVOT_SAMPLED_MEDIAN */
  CDP_PIVOT_MIDDLE = 1,          /**< the middle key */
  CDP_PIVOT_MEDIAN_OF_THREE = 2, /**< the median of the first, the middle and the last key */
  CDP_PIVOT_RANDOM = 3,          /**< one key at random, by the seed */
  CDP_PIVOT_SAMPLED_MEDIAN = 4,  /**< the median of a sorted sample drawn at random over the range, by the seed;
                                      with many children, evenly spaced keys of such a sample */
  CDP_PIVOT_FIRST = 5,           /**< the first key */
  CDP_PIVOT_NINTHER = 6,         /**< the median of the medians of three of nine evenly spaced keys (Tukey 1978) */
  CDP_PIVOT_MEAN = 7             /**< the mean of the least and the greatest key of a sample drawn as the sampled median's, by
                                      value: a number that need not be among the keys. (Cederman and Tsigas take those of the
                                      whole range, which costs a pass over it.) */
} cdp_pivot;

/**
 * @name Values of cdp_options::device
 * 0 is automatic, CUDA device n is CDP_DEVICE_CUDA(n).
 * @{
 */
#define CDP_DEVICE_AUTO 0
#define CDP_DEVICE_SIMULATED (-1)
#define CDP_DEVICE_CUDA(ordinal) ((ordinal) + 1)
/** @} */

/** A value of cdp_options::depth_limit: no range is partitioned, device-wide bitonic sort does it all. */
#define CDP_DEPTH_NONE UINT32_MAX

/** The greatest depth limit that is not CDP_DEPTH_NONE. */
#define CDP_DEPTH_MAX 1000000u

/** The least leaf size. */
#define CDP_LEAF_MIN 32u

/** The greatest leaf size, in items, for keys of 4 bytes and of 8: what one warp sorts in registers. */
#define CDP_LEAF_MAX_4_BYTES 1024u
#define CDP_LEAF_MAX_8_BYTES 512u

/**
 * @name Values of cdp_options::fan_out
 * Two children and the keys equal to the pivot between them is the classic quicksort, which everyone studies. More are a
 * quicksort with many pivots at once: splitters from a sorted sample, buckets between them, and buckets of their own for values
 * that the sample shows to be frequent. It moves every key few times and is how this sort is fast. An array that is in order
 * already, or in the opposite order, is found out first.
 * @{
 */
#define CDP_FAN_OUT_CLASSIC 2u
#define CDP_FAN_OUT_MIN 8u
#define CDP_FAN_OUT_MAX 1024u
/** @} */

/** A value of cdp_options::single_items and short_items: no array is sorted that way. */
#define CDP_ITEMS_NONE 1u

/** The most keys drawn for a child. */
#define CDP_OVERSAMPLING_MAX 1024u

/**
 * How to sort. Initialise with CDP_OPTIONS_INIT, then set what you want to be different. In every field 0 means the default.
 * `size` tells the library which version the caller was compiled with. Before 1.0 every minor version has an ABI, and so a
 * soname, of its own (libcdpsort.so.0.2); within one the structure only ever grows at its end. A structure of fewer bytes than
 * the library's is refused with CDP_ERROR_OPTION: compile the caller again. One of more bytes is accepted if all of those are 0.
 */
typedef struct cdp_options {
  size_t size;                     /**< sizeof(cdp_options); CDP_OPTIONS_INIT sets it */
  cdp_order order;                 /**< 0: ascending */
  int32_t device;                  /**< CDP_DEVICE_AUTO (0), CDP_DEVICE_CUDA(n), or CDP_DEVICE_SIMULATED. See below */
  uint32_t depth_limit;            /**< ranges at this depth (the whole array has depth 0) are sorted by bitonic sort, not
                                        partitioned. 0: 2 * log2(count) + 8; CDP_DEPTH_NONE: no range is
                                        partitioned. More than 4 * log2(count), rounded up, counts as that, so that no
                                        pivots make a sort slower than O(n log^2 n). Where the host launches, ranges that
                                        are too long for one block are partitioned to a depth of 2 * log2(count) + 8 at
                                        most; with more than two children, one more than evenly sized ones would take */
  uint32_t leaf_items;             /**< ranges of at most this many items are bitonically sorted by one warp, longer ones are
                                        partitioned: CDP_LEAF_MIN to CDP_LEAF_MAX_4_BYTES or _8_BYTES. 0: the greatest. With
                                        the greatest alone, some longer ranges of many children are sorted in registers,
                                        too, for that is faster: short ones by one block, buckets of up to four leaves by
                                        one warp. Ranges up to some hundred leaves (fewer for short arrays, so that every
                                        multiprocessor has some) are finished by one block and get no grid, so smaller
                                        leaves make the recursion of grids deeper */
  cdp_scheme scheme;               /**< 0: the last block launches */
  cdp_child_streams child_streams; /**< 0: fire and forget */
  cdp_pivot pivot;                 /**< 0: the median of a sample */
  uint32_t fan_out;                /**< children of a partition, at most: CDP_FAN_OUT_CLASSIC (2), or a power of two from
                                        CDP_FAN_OUT_MIN to CDP_FAN_OUT_MAX. A range is divided into no more of them than it
                                        takes for one block to finish each. 0: CDP_FAN_OUT_MAX, or 2 if `pivot` is a rule for
                                        one pivot. See below */
  uint64_t seed;                   /**< of random pivots and samples, and of the simulated device's schedule. 0 is a seed
                                        like any other: the same seed draws the same positions */
  uint32_t single_items;           /**< arrays of at most this many items are sorted by one block, in one launch. 0: what a
                                        block's registers hold, 16,384 keys of 4 bytes or 8,192 of 8, which is also the most.
                                        CDP_ITEMS_NONE: none. Not for the classic set-out, where it is `block_items` */
  uint32_t short_items;            /**< longer arrays of at most this many items are sorted in two launches, a grid that orders
                                        tiles by bucket and a grid with a block for each bucket, without tasks. 0: as many as
                                        a bucket fits a block (2^22 keys of 4 bytes, 2^21 of 8), which is also the most.
                                        CDP_ITEMS_NONE: none. Only with the default scheme, child streams and leaf size, a
                                        depth limit of at least 2, and a set-out of at least as many buckets as it takes (64
                                        to 1,024 on an H200) */
  uint32_t block_items;            /**< ranges that one block finishes and that get no grid have this many items: at most
                                        with the classic set-out, on average with more children. 0: as many as was fastest for
                                        the array, the device and the leaf size; at most what a block can. Less than a leaf
                                        is a leaf */
  uint32_t oversampling; /**< keys drawn for each child of a task with many children, 1 to CDP_OVERSAMPLING_MAX, as far
                                        as a block can sort so large a sample. 0: 16; for short arrays up to 32 */
  uint64_t reserved[2];  /**< must be 0 */
} cdp_options;
/*
 * Automatic device: the environment variable CDPSORT_DEVICE decides where it is set ("auto", "cuda", "cuda:N" or
 * "simulated"); otherwise the device that holds the keys, for keys in device memory; otherwise the thread's current CUDA
 * device. Where there is no usable GPU the call fails with CDP_ERROR_NO_DEVICE: the simulated device, exact but thousands of
 * times slower, is only ever used when asked for by name.
 */

/** The defaults. */
#define CDP_OPTIONS_INIT                                                                                                       \
  {                                                                                                                            \
    sizeof(cdp_options), CDP_ASCENDING, CDP_DEVICE_AUTO, 0, 0, CDP_SCHEME_DEFAULT, CDP_STREAMS_DEFAULT, CDP_PIVOT_DEFAULT, 0,  \
        0, 0, 0, 0, 0, {                                                                                                       \
      0, 0                                                                                                                     \
    }                                                                                                                          \
  }

/* ---- Sorting --------------------------------------------------------------------------------------------------- */

/**
 * Sorts `count` keys in place and returns when they are sorted.
 *
 * Where the keys lie is found out, not asked: pageable or pinned host memory (copied to the device and back), managed memory
 * or device memory (sorted where it is). Device memory for a second array of keys and the bookkeeping
 * (cdp_quicksort_workspace()) is allocated and freed.
 *
 * Synchronises: for keys in device or managed memory, the call first waits for all work of the CUDA device that holds them,
 * so that no ordering is asked of the caller, and works on a stream of its own. The thread's current CUDA device and context are left
 * as they were. Worst case O(n log^2 n), whatever the input.
 *
 * @param keys     `count` keys, owned by the caller, aligned to the size of a key. May be NULL if `count` is 0.
 * @param count    number of keys, at most CDP_COUNT_MAX; 0 and 1 are nothing to do. More than 2^32 is fine.
 * @param type     what the keys are.
 * @param options  how to sort; NULL means the defaults. Read during the call only.
 * @return CDP_OK; CDP_ERROR_NULL, _TYPE, _OPTION, _SIZE, _ALIGNMENT, _POINTER, _NO_DEVICE, _MEMORY, _UNSUPPORTED, where the
 *         keys are as they were; CDP_ERROR_CUDA or _SIMULATED, where keys in host memory are as they were (unless copying them
 *         back has failed), and keys in device or managed memory (on the simulated device: any memory) are unspecified, though
 *         nothing outside them was written.
 * @since 0.1.0
 */
CDP_API cdp_status cdp_quicksort(void *keys, size_t count, cdp_type type, const cdp_options *options);

/** Alignment that cdp_quicksort_async() asks of its workspace, in bytes. cudaMalloc() gives it. */
#define CDP_WORKSPACE_ALIGNMENT 256

/**
 * How many bytes of workspace cdp_quicksort_async() needs: the size of the keys and at most 2 % of that and 16 MiB. On a device
 * that is not of compute capability 9.0 to 11.x, whose blocks are smaller, up to 15 % and 16 MiB; on the simulated device, up to
 * as much as the keys and 16 MiB. Small leaves and small `block_items` need more, on a GPU at most as much as the keys again and
 * 32 MiB. The classic set-out needs less: with the default leaf size, less than 1 MiB up to 2^27 keys and less than 0.1 %
 * beyond.
 *
 * @param count            number of keys, at most CDP_COUNT_MAX.
 * @param type             what the keys are.
 * @param options          those that will be given to cdp_quicksort_async(); NULL means the defaults.
 * @param workspace_bytes  host pointer; receives the size, 0 where none is needed (count 0 or 1). Untouched on failure.
 * @return CDP_OK; CDP_ERROR_NULL, _TYPE, _OPTION, _SIZE, _NO_DEVICE (the device decides about the size), _UNSUPPORTED (as
 *         cdp_quicksort_async(), but for graphs).
 * @since 0.1.0
 */
CDP_API cdp_status cdp_quicksort_workspace(size_t count, cdp_type type, const cdp_options *options, size_t *workspace_bytes);

/**
 * Sorts `count` keys in device memory in place, in stream order: launches one kernel on `stream` and returns. No allocation,
 * no synchronisation, no work of the host after the launch.
 *
 * CUDA graphs: what one block sorts can be captured and replayed: up to 16,384 keys of 4 bytes or 8,192 of 8, with the classic
 * set-out up to options->leaf_items. More cannot: a graph does not wait for the grids that a kernel launches, so that what
 * follows in the graph, and even cudaDeviceSynchronize(), would come too early. While `stream` is being captured the call then
 * returns CDP_ERROR_UNSUPPORTED, nothing is captured, and the capture stays valid.
 *
 * The keys are sorted when the work on `stream` so far is complete. The kernel may not call back into the host, so errors
 * that arise later are seen where CUDA reports them, at the caller's next synchronisation; refused child launches are no
 * errors: the sort finishes the range another way.
 *
 * On the simulated device keys and workspace are host memory, `stream` must be NULL, and the sort is done on return.
 *
 * @param d_keys           device pointer to `count` keys, owned by the caller, aligned to the size of a key; managed memory is
 *                         taken too. May be NULL if `count` is 0.
 * @param count            number of keys, at most CDP_COUNT_MAX; 0 and 1 are nothing to do.
 * @param type             what the keys are.
 * @param options          how to sort; NULL means the defaults. Read during the call only. CDP_SCHEME_HOST_LOOP is not for
 *                         this call.
 * @param d_workspace      device memory of the same device, owned by the caller, not overlapping the keys, aligned to
 *                         CDP_WORKSPACE_ALIGNMENT, its contents unspecified before and after. Must stay until the sort is
 *                         complete. One sort at a time may use it. May be NULL if 0 bytes are needed.
 * @param workspace_bytes  its size; at least what cdp_quicksort_workspace() says for the same arguments.
 * @param stream           a cudaStream_t as CUDA's opaque pointer; NULL is the default stream.
 * @return CDP_OK: launched; CDP_ERROR_NULL, _TYPE, _OPTION, _SIZE, _ALIGNMENT, _WORKSPACE, _POINTER (such as keys in host
 *         memory), _NO_DEVICE, _MEMORY (for kernels that CUDA loads now), _UNSUPPORTED (the host loop; too many keys for a
 *         graph; too low a limit of pending launches), _CUDA (the launch failed): nothing was launched or written; CDP_ERROR_SIMULATED: the keys are unspecified.
 * @since 0.1.0
 */
CDP_API cdp_status cdp_quicksort_async(void *d_keys, size_t count, cdp_type type, const cdp_options *options, void *d_workspace,
                                       size_t workspace_bytes, void *stream);

#ifdef __cplusplus
}
#endif

#endif
