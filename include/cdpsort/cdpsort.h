/* SPDX-License-Identifier: MIT */
/**
 * @file cdpsort.h
 * cdpsort: a quicksort that launches itself on an NVIDIA GPU (CUDA dynamic parallelism).
 *
 *     uint32_t keys[] = {3, 1, 2};
 *     if (cdp_quicksort(keys, 3, CDP_U32, NULL) != CDP_OK) // keys: 1, 2, 3
 *       fprintf(stderr, "%s\n", cdp_last_message());
 *
 * The call, the same in stream order, and its options. C11 and C++17, without a CUDA header. It includes errors.h: what calls
 * return, and what a thread can ask about its last one. Beside it: pairs.h (values that go with the keys, and argsort), records.h
 * (several fields), compare.h (a comparison of the caller's; sort_by.cuh for nvcc), copy.h (sorts out of place), buckets.h
 * (division by splitters that are given), select.h (half a sort), ranges.h (what is done with sorted keys), segments.h (many
 * arrays at once), bitonic.h (the network alone), tuning.h (numbers that shape the recursion), study.h (what a recursion did),
 * partition.h (its one step), device.cuh (sorts within kernels of the caller's).
 */
#ifndef CDPSORT_CDPSORT_H
#define CDPSORT_CDPSORT_H

#include <cdpsort/errors.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The call -------------------------------------------------------------------------------------------------- */

/**
 * The type of the keys. Those of 8 and 16 bits are *narrow*: no recursion sorts them, but their values are counted and written in
 * order (counting sort; Harold H. Seward, "Information sorting in the application of electronic digital computers to business
 * operations", 1954), with one read of the keys and one write. Options that shape the recursion are checked, and mean nothing
 * then. Calls that are about the recursion (study.h but for cdp_time_quicksort(), partition.h) take the six wider types alone.
 */
typedef enum cdp_type {
  CDP_U32 = 1,  /**< uint32_t */
  CDP_I32 = 2,  /**< int32_t */
  CDP_U64 = 3,  /**< uint64_t */
  CDP_I64 = 4,  /**< int64_t */
  CDP_F32 = 5,  /**< float */
  CDP_F64 = 6,  /**< double */
  CDP_U8 = 7,   /**< uint8_t. @since 0.3.0 */
  CDP_I8 = 8,   /**< int8_t. @since 0.3.0 */
  CDP_U16 = 9,  /**< uint16_t. @since 0.3.0 */
  CDP_I16 = 10, /**< int16_t. @since 0.3.0 */
  CDP_F16 = 11, /**< half precision, binary16 of IEEE 754: CUDA's __half, C23's _Float16. @since 0.3.0 */
  CDP_BF16 = 12 /**< the upper half of a float: CUDA's __nv_bfloat16. @since 0.3.0 */
} cdp_type;

/**
 * The direction of the order. Every type has one total order, so that equal keys are equal in every bit:
 * - integers: by value.
 * - floating point: -infinity < ... < -0.0 < +0.0 < ... < +infinity < every NaN, whatever its sign; NaNs among themselves:
 *   those without the sign bit first, by rising payload, then those with it, by falling payload. A NaN keeps its payload and
 *   its sign.
 * - descending is exactly the reverse, so that NaNs come first.
 * The sort is not stable; with keys alone, and a total order in which only identical keys are equal, nobody can tell. What goes
 * with keys (pairs.h) can: cdp_ties.
 */
typedef enum cdp_order {
  CDP_ASCENDING = 0, /**< the default */
  CDP_DESCENDING = 1
} cdp_order;

/**
 * Which keys are equal, and in which order their values and indices come (pairs.h). Who comes from CUB's DeviceRadixSort, which
 * is stable, sets CDP_TIES_STABLE: its ties are equal bits as well, but for -0.0 and 0.0, which it takes for equal.
 */
typedef enum cdp_ties {
  CDP_TIES_ANY = 0,    /**< equal bits; their values in any order, which may differ from run to run */
  CDP_TIES_STABLE = 1, /**< equal bits; their values in the order of the input, also where keys descend */
  CDP_TIES_BY_VALUE =
      2 /**< likewise, and -0.0 and 0.0 are equal, and all NaNs are, as for NumPy: stable by value. Of integers the
                             same as CDP_TIES_STABLE. Calls that sort keys alone refuse it for floating-point numbers:
                             cdp_quicksort_columns() with no column takes it */
} cdp_ties;

/** The most keys that a call takes, 2^40: positions of samples are drawn with fractions of 24 bits. @since 0.2.0 */
#define CDP_COUNT_MAX ((uint64_t)1 << 40)

/** How to sort, below. */
typedef struct cdp_options cdp_options;

/**
 * Sorts `count` keys in place and returns when they are sorted.
 *
 * Memory. The library finds out where the keys lie: in host memory (copied to the device and back; from 64 MiB of pageable memory
 * on by up to four threads, which end before the call returns), managed or device memory. It needs a second array of keys and the
 * bookkeeping (of narrow keys that alone), as much as cdp_quicksort_workspace() says, from its own memory pool, which keeps some
 * for the next call: cdp_set_memory_ceiling(). options->allocator can provide it instead.
 *
 * Synchronisation. The call first waits for all earlier work of the CUDA device that sorts, on all streams, and reads host arrays
 * after that: no ordering is asked of the caller. It works on a stream of the library's. The thread's current CUDA device and
 * context are left as they were. The wait invalidates a capture in global mode that another thread has under way.
 *
 * Threads. This and every other call may be made from several threads at once, on different data. A call needs 64 KiB of the
 * calling thread's stack, and what CUDA and the caller's functions need. In the child of a fork() by a process that has used CUDA
 * the status is CDP_ERROR_NO_DEVICE.
 *
 * What is launched. Up to 16,384 keys of 4 bytes, or 8,192 of 8, are sorted by one block. For more keys the host launches one kernel
 * or two, which launch what else the recursion comes to. With CDP_SCHEME_HOST the host launches a fixed row of kernels. Narrow keys
 * are counted by one kernel, or three. Other options and other devices than an H200 shift these limits.
 *
 * Pending launches. All sorts on a device share CUDA's limit of pending device launches, 2,048 unless the program has set
 * cudaLimitDevRuntimePendingLaunchCount, and take a quarter of it together. Launches that are refused all the same are no
 * errors: the range is sorted another way. Under less than 1,536 CUDA loses grids now and then, so that the host launches then,
 * as with CDP_SCHEME_HOST.
 *
 * Worst case O(n log^2 n), whatever the input. The library never prints, exits, aborts or changes CUDA's process-wide limits.
 *
 * @param keys     `count` keys, owned by the caller, aligned to the size of a key. May be NULL if `count` is 0.
 * @param count    number of keys, at most CDP_COUNT_MAX; 0 and 1 are nothing to do. More than 2^32 is fine.
 * @param type     what the keys are.
 * @param options  how to sort; NULL means the defaults. Read during the call only, as is all that it points to.
 * @return CDP_OK; CDP_ERROR_NULL, _TYPE, _OPTION, _SIZE, _ALIGNMENT, _POINTER, _NO_DEVICE, _MEMORY, _UNSUPPORTED, _CUDA or
 *         _SIMULATED; cdp_status says what the keys are then.
 * @since 0.1.0
 */
CDP_API cdp_status cdp_quicksort(void *keys, size_t count, cdp_type type, const cdp_options *options);

/* ---- The call in stream order ---------------------------------------------------------------------------------- */

/** Alignment of a workspace, in bytes. cudaMalloc() gives it. */
#define CDP_WORKSPACE_ALIGNMENT 256

/**
 * How many bytes of workspace cdp_quicksort_async() needs: the size of the keys and at most 2 % of that and 16 MiB. On a
 * device of less than 163 KB of shared memory a block (not of compute capability 8.0, 8.7 or 9.0 to 11.x), whose blocks are
 * smaller, up to 15 % and 16 MiB; on the simulated device, up to as much as the keys and 16 MiB. Small leaves and a small
 * cdp_tuning::block_items need more, on a GPU at most as much as the keys again and 32 MiB. With two children
 * (CDP_FAN_OUT_CLASSIC) and the default leaf, on a GPU, it is the size of the keys and less than 1 MiB up to 2^27 keys, less
 * than 0.1 % of it beyond. It is enough whichever scheme runs, captured or not. For narrow keys it is 18 bytes for each value
 * that there may be and 512 more, whatever the count and the options: 5,120 bytes for keys of 1 byte, 1,180,160 for those of 2.
 *
 * @param count            number of keys, at most CDP_COUNT_MAX.
 * @param type             what the keys are.
 * @param options          those that will be given to cdp_quicksort_async(); NULL means the defaults.
 * @param workspace_bytes  host pointer; receives the size, 0 where none is needed (count 0 or 1). Untouched on failure.
 * @return CDP_OK; CDP_ERROR_NULL, _TYPE, _OPTION, _SIZE, _NO_DEVICE (the device decides about the size), _UNSUPPORTED, _CUDA.
 * @since 0.1.0
 */
CDP_API cdp_status cdp_quicksort_workspace(size_t count, cdp_type type, const cdp_options *options, size_t *workspace_bytes);

/**
 * Sorts `count` keys in device memory in place, in stream order: launches on `stream` and returns. No allocation, no
 * synchronisation, no work of the host after the call. The keys are sorted when the work on `stream` so far is complete.
 *
 *     void *d_workspace = NULL; // d_keys are `count` floats in device memory, and stream is a cudaStream_t
 *     size_t workspace_bytes = 0;
 *     if (cdp_quicksort_workspace(count, CDP_F32, NULL, &workspace_bytes) != CDP_OK ||
 *         cudaMalloc(&d_workspace, workspace_bytes) != cudaSuccess ||
 *         cdp_quicksort_async(d_keys, count, CDP_F32, NULL, d_workspace, workspace_bytes, stream) != CDP_OK)
 *       fprintf(stderr, "%s\n", cdp_last_message());
 *     // what the stream is given from here on finds the keys sorted, and the next sort may have the same workspace
 *     cudaStreamSynchronize(stream);
 *     cudaFree(d_workspace);
 *
 * The host launches one kernel, for short arrays two, for narrow keys three (see cdp_quicksort()), and several for each level with
 * CDP_SCHEME_HOST, which is also chosen where the device must not launch. The device launches what such a kernel leaves over.
 * Errors that arise once the call has returned are seen where CUDA reports them, at the caller's next synchronisation.
 *
 * CUDA graphs. While `stream` is being captured the call is captured, for any count, and can be replayed; keys, workspace and
 * options are those of the capture. A graph does not wait for grids that a kernel launches, so that more keys than one block
 * sorts are captured as with CDP_SCHEME_HOST, whatever the options say.
 *
 * On the simulated device keys and workspace are host memory, `stream` must be NULL, and the sort is done on return.
 *
 * @param d_keys           device pointer to `count` keys, owned by the caller, aligned to the size of a key; managed memory is
 *                         taken too. May be NULL if `count` is 0.
 * @param count            number of keys, at most CDP_COUNT_MAX; 0 and 1 are nothing to do.
 * @param type             what the keys are.
 * @param options          how to sort; NULL means the defaults. Read during the call only. Its allocator has nothing to do.
 * @param d_workspace      device memory of the same device, owned by the caller, not overlapping the keys, aligned to
 *                         CDP_WORKSPACE_ALIGNMENT, its contents unspecified before and after. Must stay until the sort is
 *                         complete, and for a graph as long as that is replayed. Two sorts that use it at once may never
 *                         end. May be NULL if 0 bytes are needed.
 * @param workspace_bytes  its size; at least what cdp_quicksort_workspace() says for the same arguments.
 * @param stream           a cudaStream_t as CUDA's opaque pointer; NULL is the default stream.
 * @return CDP_OK: launched; CDP_ERROR_NULL, _TYPE, _OPTION, _SIZE, _ALIGNMENT, _WORKSPACE, _POINTER (such as keys in host
 *         memory), _NO_DEVICE, _MEMORY (for kernels that CUDA loads now), _UNSUPPORTED: nothing was launched or written;
 *         CDP_ERROR_CUDA: a launch failed, others may have been made before it; CDP_ERROR_SIMULATED.
 * @since 0.1.0
 */
CDP_API cdp_status cdp_quicksort_async(void *d_keys, size_t count, cdp_type type, const cdp_options *options, void *d_workspace,
                                       size_t workspace_bytes, void *stream);

/**
 * cdp_quicksort_async() without a workspace of the caller's: one is allocated in stream order, and given back behind the sort.
 *
 * From the library's memory pool of the device (cdp_set_memory_ceiling()), as a node of the graph where `stream` is being captured,
 * or by options->allocator. That one is called as cdp_allocator says, but before the sort is done: what allocate()
 * returns must be there for the work that `stream` is given from then on, and what release() is given may be used again, or
 * freed, when the work on `stream` so far is complete, and not before. A function that waits for the device, as cudaFree() does,
 * is right, and slow.
 *
 * All else is as for cdp_quicksort_async(), also on the simulated device. After CDP_ERROR_CUDA of what gives the memory back the
 * sort is launched all the same.
 *
 * @return as cdp_quicksort_async(), but _WORKSPACE; CDP_ERROR_MEMORY also where there is no room for a workspace,
 *         CDP_ERROR_ALIGNMENT and _POINTER for what an allocator has returned, CDP_ERROR_UNSUPPORTED for a device without memory
 *         pools: nothing was launched or written.
 * @since 0.3.0
 */
CDP_API cdp_status cdp_quicksort_on_stream(void *d_keys, size_t count, cdp_type type, const cdp_options *options, void *stream);

/* ---- Options --------------------------------------------------------------------------------------------------- */

/**
 * @name Values of cdp_options::device
 * CDP_DEVICE_AUTO: the environment variable CDPSORT_DEVICE decides where it is set ("auto", "cuda", "cuda:N" or "simulated") and
 * the program is not set-uid; otherwise the device that holds the keys; otherwise the thread's current CUDA device. Without a
 * usable GPU the call fails with CDP_ERROR_NO_DEVICE: the simulated device, exact but thousands of times slower, is only ever
 * used when asked for by name. CUDA device n is CDP_DEVICE_CUDA(n).
 * @{
 */
#define CDP_DEVICE_AUTO 0
#define CDP_DEVICE_SIMULATED (-1)
#define CDP_DEVICE_CUDA(ordinal) ((ordinal) + 1)
/** @} */

/** Who launches whom. Versions 1 and 2 are those of Xuan Thang Nguyen's thesis, named at the end of this header. */
typedef enum cdp_scheme {
  CDP_SCHEME_DEFAULT = 0,    /**< CDP_SCHEME_LAST_BLOCK */
  CDP_SCHEME_LAST_BLOCK = 1, /**< the last block of a partition grid launches the children (Nguyen 2021, CDP version 1) */
  CDP_SCHEME_CONTROLLER = 2, /**< a controller launches workers and a tail continuation (CDP version 2, remade) */
  CDP_SCHEME_HOST = 3, /**< the host launches level by level. Needs no dynamic parallelism: it works in CUDA graphs and under
                                  MPS, for the blocking calls and the asynchronous one. Whatever the options say, it is chosen
                                  while a stream is being captured, under MPS, and under a limit of less than 1,536 pending
                                  launches, if there are more keys than one block sorts; cdp_study::scheme says which ran.
                                  child_streams has no meaning in it */
  CDP_SCHEME_HOST_LOOP = CDP_SCHEME_HOST /**< the older name of the same */
} cdp_scheme;

/** The streams on which children are launched. */
typedef enum cdp_child_streams {
  CDP_STREAMS_DEFAULT = 0,         /**< CDP_STREAMS_FIRE_AND_FORGET */
  CDP_STREAMS_FIRE_AND_FORGET = 1, /**< cudaStreamFireAndForget */
  CDP_STREAMS_NAMED = 2            /**< a stream of its own for each child, created and destroyed on the device */
} cdp_child_streams;

/** How a range's pivot is chosen. Rules other than the sampled median give one pivot: they are for two children alone. */
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
 * @name Values of cdp_options::fan_out
 * Two children and the keys equal to the pivot between them is the classic quicksort, which everyone studies. More are a
 * quicksort with many pivots at once: splitters from a sorted sample, buckets between them, and buckets of their own for values
 * that the sample shows to be frequent. It moves every key few times and is how this sort is fast. An array of more than
 * 2,097,152 keys (1,572,863 of 8 bytes) that is in order already, or in the opposite order, is found out first.
 * @{
 */
#define CDP_FAN_OUT_CLASSIC 2u
#define CDP_FAN_OUT_MIN 8u
#define CDP_FAN_OUT_MAX 1024u
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
 * Where a blocking call has its memory from: cdp_quicksort(), those of the headers beside it; and
 * cdp_quicksort_on_stream() and its like, which have rules of their own for when memory may be used. Each of them asks once at
 * most, for a workspace and, for arrays in host memory on a CUDA device, a copy of them. Where there is nothing to do, and in
 * calls that fail before that, nothing is asked for.
 *
 * Both functions NULL: the library's memory pool, on the simulated device host memory. One of them alone: CDP_ERROR_OPTION. Both are called on the calling thread, with the device that sorts current, which they must leave so. They
 * must return: no exception, no longjmp(). And they must not call this library.
 */
typedef struct cdp_allocator {
  void *(*allocate)(size_t bytes, void *context); /**< returns so many bytes, at least 1, aligned to CDP_WORKSPACE_ALIGNMENT:
                                                       device memory of the device that sorts, or managed memory; on the
                                                       simulated device host memory. Its contents do not matter. NULL: there is
                                                       none, and the call returns CDP_ERROR_MEMORY. Memory that is misaligned
                                                       (CDP_ERROR_ALIGNMENT), or of another kind or device
                                                       (CDP_ERROR_POINTER), is released, and nothing else is done */
  void (*release)(void *memory, size_t bytes, void *context); /**< called once for each memory that was not NULL, with the size
                                                       that was asked for, before the call returns, whatever it returns: when
                                                       the device has nothing more to do with the memory
                                                       (cdp_quicksort_on_stream(): sooner) */
  void *context; /**< what both are given; the library does not touch it. May be NULL */
} cdp_allocator;

/** Numbers that shape the recursion: tuning.h. */
typedef struct cdp_tuning cdp_tuning;

/**
 * How to sort. Initialise with CDP_OPTIONS_INIT, then set what you want to be different. In every field 0 means the default.
 * `size` tells the library which version the caller was compiled with. Before 1.0 every minor version has an ABI, and so a
 * soname, of its own (libcdpsort.so.0.4); within one the structure only ever grows at its end. A structure of fewer bytes than
 * the library's is refused with CDP_ERROR_OPTION: compile the caller again. One of more bytes is accepted if the rest is 0.
 */
struct cdp_options {
  size_t size;                     /**< sizeof(cdp_options); CDP_OPTIONS_INIT sets it */
  cdp_order order;                 /**< 0: ascending */
  int32_t device;                  /**< CDP_DEVICE_AUTO (0), CDP_DEVICE_CUDA(n), or CDP_DEVICE_SIMULATED */
  uint64_t seed;                   /**< of random pivots and samples, and of the simulated device's schedule. 0 is a seed
                                        like any other: the same seed draws the same positions */
  cdp_scheme scheme;               /**< 0: the last block launches */
  cdp_child_streams child_streams; /**< 0: fire and forget */
  cdp_pivot pivot;                 /**< 0: the median of a sample */
  uint32_t depth_limit;            /**< ranges at this depth (the whole array has depth 0) are sorted by bitonic sort, not
                                        partitioned. 0: 2 * log2(count) + 8; CDP_DEPTH_NONE: no range is
                                        partitioned. More than 4 * log2(count), rounded up, counts as that, so that no
                                        pivots make a sort slower than O(n log^2 n). Where the host launches, it launches as
                                        many levels as even splits take and some, if that is less */
  uint32_t leaf_items;             /**< where partitioning ends. A number from CDP_LEAF_MIN to CDP_LEAF_MAX_4_BYTES or _8_BYTES
                                        means the bitonic leaf: ranges of at most this many items are bitonically sorted by one
                                        warp, every longer one is partitioned, whatever the number. 0: with two children the
                                        same, with the greatest number; with many children what is fastest, the greatest leaf
                                        and besides it sorting in registers by merging, where few items are left to a block,
                                        buckets of several leaves sorted by one warp, and short arrays' own way
                                        (cdp_tuning::short_items). Ranges up to some hundred leaves (fewer for short arrays,
                                        so that every multiprocessor has some) are finished by one block and get no grid, so
                                        smaller leaves make the recursion of grids deeper */
  uint32_t fan_out;                /**< children of a partition, at most: CDP_FAN_OUT_CLASSIC (2), or a power of two from
                                        CDP_FAN_OUT_MIN to CDP_FAN_OUT_MAX. A range is divided into no more of them than it
                                        takes for one block to finish each. 0: CDP_FAN_OUT_MAX, or 2 if `pivot` is a rule for
                                        one pivot */
  cdp_allocator allocator;         /**< of a call that allocates. Zeros: the library does */
  const cdp_tuning *tuning;        /**< NULL: the defaults */
  cdp_ties ties;                   /**< 0: any order. @since 0.3.0 */
  uint32_t reserved[3];            /**< must be 0 */
};

/** The defaults. */
#define CDP_OPTIONS_INIT                                                                                                       \
  {                                                                                                                            \
    sizeof(cdp_options), CDP_ASCENDING, CDP_DEVICE_AUTO, 0, CDP_SCHEME_DEFAULT, CDP_STREAMS_DEFAULT, CDP_PIVOT_DEFAULT, 0, 0,  \
        0, {NULL, NULL, NULL}, NULL, CDP_TIES_ANY, {                                                                           \
      0, 0, 0                                                                                                                  \
    }                                                                                                                          \
  }

/* ---- Memory between calls -------------------------------------------------------------------------------------- */

/**
 * How much device memory the library keeps between calls, on each device: at most so many bytes, and never more than a sixteenth of
 * the device's memory, which is the default. 0: none; each call then has its memory mapped anew, which takes a short sort six times
 * as long. Kept memory is free for the library's next calls alone, and counts as the process's in nvidia-smi. What is kept beyond
 * `bytes` goes back: on the current device at once, on others at their next call. Unless 0, 16 MiB of pinned memory are kept, too.
 * @return CDP_OK, also without a GPU; CDP_ERROR_CUDA.
 * @since 0.4.0
 */
CDP_API cdp_status cdp_set_memory_ceiling(uint64_t bytes);

/** Gives back what is kept on the current device and not in use. Returns as cdp_set_memory_ceiling(). @since 0.4.0 */
CDP_API cdp_status cdp_trim_memory(void);

/* ---- Version --------------------------------------------------------------------------------------------------- */

#define CDP_VERSION_MAJOR 0
#define CDP_VERSION_MINOR 4
#define CDP_VERSION_PATCH 0

/** The version as one number: 10000 * major + 100 * minor + patch. Compare with cdp_version(). */
#define CDP_VERSION (10000 * CDP_VERSION_MAJOR + 100 * CDP_VERSION_MINOR + CDP_VERSION_PATCH)

/**
 * The version of the library that is running, as CDP_VERSION counts it.
 * @since 0.1.0
 */
CDP_API int cdp_version(void);

/*
 * Sources. The two-phase quicksort and its schemes of dynamic parallelism: Xuan Thang Nguyen, "Development of parallel sorting
 * algorithms for GPU" (bachelor's thesis, Czech Technical University in Prague, 2021), after Daniel Cederman and Philippas
 * Tsigas, "GPU-Quicksort: A Practical Quicksort Algorithm for Graphics Processors" (2009). The three-way partition: Patrick
 * Bisenius and Manuel Lessmann, "Parallel Quick Sort in OpenCL" (Karlsruhe Institute of Technology, undated). The ninther: John
 * W. Tukey, "The ninther, a technique for low-effort robust (resistant) location in large samples" (1978).
 */

#ifdef __cplusplus
}
#endif

#endif
