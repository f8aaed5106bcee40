/* SPDX-License-Identifier: MIT */
/**
 * @file sort_by.cuh
 * A sort by a comparison of the program's own, for CUDA C++ alone: templates that nvcc compiles into the program. Nothing of the
 * library has to be linked. For C, and for comparisons that are known when the program runs, there is compare.h.
 *
 *     #include <cdpsort/sort_by.cuh>
 *
 *     struct Word {
 *       char text[12];
 *       int length;
 *     };
 *
 *     struct ByLength {
 *       __device__ bool operator()(const Word &a, const Word &b) const { return a.length < b.length; }
 *     };
 *
 *     cudaError_t sort_words(Word *d_words, size_t count, cudaStream_t stream) {
 *       size_t bytes = 0;
 *       void *d_workspace = nullptr;
 *       cudaError_t error = cdpsort::sort_by_workspace<Word>(count, &bytes);
 *       if (error == cudaSuccess)
 *         error = cudaMallocAsync(&d_workspace, bytes, stream);
 *       if (error != cudaSuccess)
 *         return error;
 *       error = cdpsort::sort_by(d_words, count, ByLength{}, d_workspace, bytes, stream);
 *       const cudaError_t freed = cudaFreeAsync(d_workspace, stream);
 *       return error != cudaSuccess ? error : freed;
 *     }
 *
 * Algorithm, stability, limits and what becomes of a comparison that is no strict weak order are as in compare.h. Errors are
 * CUDA's own: cudaErrorInvalidValue for a workspace that is too small or not aligned to 256 bytes, for items or a workspace that
 * are NULL where there are some, and for more than 2^32 - 1 items; nothing was launched then. Other errors are those of launches,
 * behind which kernels may have run. All calls are in stream order, may be captured into a graph, and may be made by several
 * threads at once, each with a workspace of its own.
 */
#ifndef CDPSORT_SORT_BY_CUH
#define CDPSORT_SORT_BY_CUH

#ifndef __CUDACC__
#error "cdpsort/sort_by.cuh is for nvcc; from C and C++ call cdp_quicksort_by() (cdpsort/compare.h)"
#endif

#include "cdpsort/by/all_kernels.cuh"
#include "cdpsort/by/launches.h"

#include <cuda_runtime.h>

#include <type_traits>

namespace cdp::by {

/* See all_kernels.cuh. Items that are moved. */
template <typename T, typename Less>
struct ItemRules {
  using Item = Words<sizeof(T), alignof(T)>;
  using Context = Less;

  struct Comparison {
    const Less &less;
    __device__ __forceinline__ bool operator()(const Item &a, const Item &b) const {
      return less(Copy<T>(a).item(), Copy<T>(b).item());
    }
  };
  static __device__ __forceinline__ Comparison comparison(const Job &, const Context &context) {
    return {context};
  }
};

/* Indices of items. */
template <typename T, typename Less>
struct IndexRules {
  using Item = Index;
  using Context = Less;

  struct Comparison {
    const T *items;
    const Less &less;
    __device__ __forceinline__ bool operator()(Index a, Index b) const {
      return less(items[a.number], items[b.number]);
    }
  };
  static __device__ __forceinline__ Comparison comparison(const Job &job, const Context &context) {
    return {static_cast<const T *>(job.base), context};
  }
};

/* Launches the kernels of some rules on a stream. */
template <typename Rules>
struct StreamLauncher {
  const typename Rules::Context &context;
  cudaStream_t stream;

  using Function = void (*)(Job, typename Rules::Context);

  static Function function(Kernel kernel) {
    constexpr Function FUNCTIONS[KERNELS] = {number_kernel<Rules>, choose_kernel<Rules>,     count_kernel<Rules>,
                                             scan_kernel<Rules>,   move_kernel<Rules>,       short_piece_kernel<Rules>,
                                             piece_kernel<Rules>,  long_piece_kernel<Rules>, gather_kernel<Rules>};
    return FUNCTIONS[static_cast<uint32_t>(kernel)];
  }

  int launch(Kernel kernel, uint32_t blocks, uint32_t threads, uint32_t shared_bytes, const Job &job) const {
    cudaLaunchConfig_t shape = {};
    shape.gridDim = dim3(blocks);
    shape.blockDim = dim3(threads);
    shape.dynamicSmemBytes = shared_bytes;
    shape.stream = stream;
    return static_cast<int>(cudaLaunchKernelEx(&shape, function(kernel), job, context));
  }
  int copy(void *target, const void *source, uint64_t bytes) const {
    return static_cast<int>(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice, stream));
  }
};

template <typename T>
cudaError_t plan_for_device(size_t count, uint64_t seed, Plan *plan) {
  int device = 0;
  int multiprocessors = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error != cudaSuccess)
    return error;
  if (count > COUNT_MAX || !make_plan(count, sizeof(T), seed, static_cast<uint32_t>(multiprocessors), false, plan))
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

} // namespace cdp::by

namespace cdpsort {

/** How many bytes of workspace sort_by() needs for so many items on the current device; 0 for fewer than 2. @since 0.3.0 */
template <typename T>
cudaError_t sort_by_workspace(size_t count, size_t *workspace_bytes) {
  cdp::by::Plan plan = {};
  const cudaError_t error = count < 2 ? cudaSuccess : cdp::by::plan_for_device<T>(count, 0, &plan);
  if (error == cudaSuccess)
    *workspace_bytes = static_cast<size_t>(plan.workspace_bytes);
  return error;
}

/**
 * Sorts `count` items in device memory in place, in stream order, on the current device.
 *
 * @param d_items          aligned as T is. T is trivially copyable, of at most 2^32 - 1 bytes and an alignment of at most 16.
 * @param less             a function object that is copied to the device: whether item a comes before item b. With `const T &` or T
 *                         for both; const, __device__, and of at most 2 KB.
 * @param d_workspace      may be NULL if no bytes are needed.
 * @param workspace_bytes  at least what sort_by_workspace() says.
 * @param seed             where samples are drawn. The same seed does not promise the same order of equivalent items.
 * @since 0.3.0
 */
template <typename T, typename Less>
cudaError_t sort_by(T *d_items, size_t count, Less less, void *d_workspace, size_t workspace_bytes,
                    cudaStream_t stream = nullptr, uint64_t seed = 0) {
  static_assert(std::is_trivially_copyable_v<T>, "items are moved as bytes are");
  static_assert(alignof(T) <= 16 && sizeof(T) <= cdp::by::ITEM_BYTES_MAX, "no block's memory is aligned further");
  static_assert(std::is_trivially_copyable_v<Less> && sizeof(Less) <= 2048, "a comparison is a kernel's parameter");
  using Rules = std::conditional_t<cdp::by::is_moved(sizeof(T)), cdp::by::ItemRules<T, Less>, cdp::by::IndexRules<T, Less>>;
  cdp::by::Plan plan;
  if (count < 2)
    return cudaSuccess;
  const cudaError_t error = cdp::by::plan_for_device<T>(count, seed, &plan);
  if (error != cudaSuccess)
    return error;
  if (d_items == nullptr || workspace_bytes < plan.workspace_bytes || (plan.workspace_bytes != 0 && d_workspace == nullptr) ||
      reinterpret_cast<uintptr_t>(d_workspace) % cdp::by::WORKSPACE_ALIGNMENT != 0)
    return cudaErrorInvalidValue;
  cdp::by::StreamLauncher<Rules> launcher = {less, stream};
  return static_cast<cudaError_t>(
      cdp::by::Launches<cdp::by::StreamLauncher<Rules>>(plan, d_items, d_workspace, launcher).launch_all());
}

} // namespace cdpsort

#endif
