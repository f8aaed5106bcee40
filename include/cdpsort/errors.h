/* SPDX-License-Identifier: MIT */
/**
 * @file errors.h
 * What every call of cdpsort returns, what a thread can ask about its last one. cdpsort.h includes it.
 */
#ifndef CDPSORT_ERRORS_H
#define CDPSORT_ERRORS_H

#if defined(CDPSORT_BUILDS_STATIC) /* the static library's own objects: what links it exports none of its calls */
#define CDP_API __attribute__((visibility("hidden")))
#elif defined(__GNUC__)
#define CDP_API __attribute__((visibility("default")))
#else
#define CDP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** What a call returns. Values are fixed for good: families with gaps, none is ever reused. */
typedef enum cdp_status {
  CDP_OK = 0, /**< the keys are sorted; of an asynchronous call: all is launched */

  /*
   * 1 to 31: the caller can mend these. Found out before anything was launched: all arrays (keys, and the values, indices,
   * sorted keys, records, begins, found keys and answers of the other headers), the workspace and what a call fills in are as
   * they were, unless the call says otherwise.
   */
  CDP_ERROR_NULL = 1,   /**< a pointer that must not be NULL is NULL */
  CDP_ERROR_TYPE = 2,   /**< the key type is not one of cdp_type, or narrow where there must be a recursion */
  CDP_ERROR_OPTION = 3, /**< an option is out of its range, or unknown */
  CDP_ERROR_SIZE = 4, /**< count, or a number of columns or fields, is greater than the call takes, or what they come to cannot
                                be addressed; or a value, an index or a record has a size that there is not, or a field lies
                                outside its record, a segment beyond the array, or a rank has no key */
  CDP_ERROR_ALIGNMENT = 5, /**< keys or indices are not aligned to their own size; or the workspace, or what an allocator
                                returned, not to CDP_WORKSPACE_ALIGNMENT */
  CDP_ERROR_WORKSPACE = 6, /**< the workspace overlaps an array, or is smaller than the question for its size says:
                                cdp_quicksort_workspace(), cdp_quicksort_pairs_workspace() and their like */
  CDP_ERROR_POINTER = 7,   /**< memory of a kind, or on a device, that this call cannot use; or arrays that overlap */
  CDP_ERROR_FILE = 8,      /**< a file cannot be opened or written; it may be incomplete (study.h) */
  CDP_ERROR_ORDER = 9,     /**< splitters are not in the order of the call (buckets.h). @since 0.3.0 */
  CDP_ERROR_SOURCE = 12,   /**< a comparison does not compile (compare.h); cdp_last_compiler_log() says why. @since 0.3.0 */

  /* 32 to 63: the machine does not have it. Found out before anything was launched: all arrays are as they were. */
  CDP_ERROR_NO_DEVICE = 32,   /**< no such device, or no usable GPU; the message says how to ask for the simulated one */
  CDP_ERROR_MEMORY = 33,      /**< host or device memory is exhausted, or an allocator returned NULL */
  CDP_ERROR_UNSUPPORTED = 34, /**< the device cannot run these kernels; the message says why, and what would help */

  /*
   * 64 and above: the device failed, and kernels may have run. The arrays that the call writes are unspecified in device or
   * managed memory, and on the simulated device in any: keys need not even be a permutation of what they were. Nothing but
   * those arrays and the workspace was written. Arrays in host memory, of which a CUDA device sorts copies, are as they were,
   * unless it was copying back that failed. After an asynchronous call all arrays and the workspace may be in use until the
   * work on the stream is complete.
   */
  CDP_ERROR_CUDA = 64,     /**< a CUDA call or kernel failed, also for want of memory; see cdp_last_cuda_error() */
  CDP_ERROR_SIMULATED = 65 /**< a kernel broke a rule of the simulated device, such as a barrier not all threads reach, or host
                                memory was exhausted while it ran */
} cdp_status;

/* ---- What a call reports --------------------------------------------------------------------------------------- */

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
 * @return a string owned by the library, valid until the thread's next sort; "" where this thread has not sorted yet. A call
 * with nothing to do (no key, or one whose index nobody wants) needs no device, and leaves the answer as it was.
 * @since 0.1.0
 */
CDP_API const char *cdp_last_device(void);

#ifdef __cplusplus
}
#endif

#endif
