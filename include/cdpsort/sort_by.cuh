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
    constexpr Function FUNCTIONS[KERNELS] = {
        number_kernel<Rules>, choose_kernel<Rules>,      count_kernel<Rules>, scan_kernel<Rules>,       move_kernel<Rules>,
        whole_kernel<Rules>,  short_piece_kernel<Rules>, piece_kernel<Rules>, long_piece_kernel<Rules>, gather_kernel<Rules>};
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
cudaError_t plan_for_device(size_t count, uint64_t seed, bool is_apart, Plan *plan) {
  int device = 0;
  int multiprocessors = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error != cudaSuccess)
    return error;
  if (count > COUNT_MAX || !make_plan({count, sizeof(T), seed, is_apart}, static_cast<uint32_t>(multiprocessors), false, plan))
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

inline bool is_workspace(const void *d_workspace, size_t workspace_bytes, const Plan &plan) {
  return workspace_bytes >= plan.workspace_bytes && (plan.workspace_bytes == 0 || d_workspace != nullptr) &&
         reinterpret_cast<uintptr_t>(d_workspace) % WORKSPACE_ALIGNMENT == 0;
}

inline bool do_overlap(const void *one, const void *other, uint64_t bytes) {
  const auto a = reinterpret_cast<uintptr_t>(one);
  const auto b = reinterpret_cast<uintptr_t>(other);
  return (a < b ? b - a : a - b) < bytes;
}

/* Where a sort is, and what it has. */
template <typename T>
struct Place {
  const T *d_items;
  T *d_sorted_items; /* the same, unless they are apart */
  size_t count;
  void *d_workspace;
  size_t workspace_bytes;
};

template <typename T, typename Less>
cudaError_t launch_sort(const Place<T> &place, const Less &less, cudaStream_t stream, uint64_t seed, bool is_apart) {
  static_assert(std::is_trivially_copyable_v<T>, "items are moved as bytes are");
  static_assert(alignof(T) <= 16 && sizeof(T) <= ITEM_BYTES_MAX, "no block's memory is aligned further");
  static_assert(std::is_trivially_copyable_v<Less> && sizeof(Less) <= 2048, "a comparison is a kernel's parameter");
  using Rules = std::conditional_t<is_moved(sizeof(T)), ItemRules<T, Less>, IndexRules<T, Less>>;
  Plan plan;
  const cudaError_t error = plan_for_device<T>(place.count, seed, is_apart, &plan);
  if (error != cudaSuccess)
    return error;
  if (place.d_items == nullptr || place.d_sorted_items == nullptr ||
      !is_workspace(place.d_workspace, place.workspace_bytes, plan) ||
      (is_apart && do_overlap(place.d_items, place.d_sorted_items, place.count * sizeof(T))))
    return cudaErrorInvalidValue;
  StreamLauncher<Rules> launcher = {less, stream};
  Launches<StreamLauncher<Rules>> launches(plan, place.d_items, place.d_sorted_items, place.d_workspace, launcher);
  return static_cast<cudaError_t>(launches.launch_all());
}

} // namespace cdp::by

namespace cdpsort {

/** How many bytes of workspace sort_by() needs for so many items on the current device; 0 for fewer than 2. @since 0.3.0 */
template <typename T>
cudaError_t sort_by_workspace(size_t count, size_t *workspace_bytes) {
  cdp::by::Plan plan = {};
  const cudaError_t error = count < 2 ? cudaSuccess : cdp::by::plan_for_device<T>(count, 0, false, &plan);
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
  const cdp::by::Place<T> place = {d_items, d_items, count, d_workspace, workspace_bytes};
  return count < 2 ? cudaSuccess : cdp::by::launch_sort(place, less, stream, seed, false);
}

/** How many bytes of workspace sort_by_copy() needs: of two items or more no more than sort_by() does. @since 0.3.0 */
template <typename T>
cudaError_t sort_by_copy_workspace(size_t count, size_t *workspace_bytes) {
  cdp::by::Plan plan = {};
  const cudaError_t error = count == 0 ? cudaSuccess : cdp::by::plan_for_device<T>(count, 0, true, &plan);
  if (error == cudaSuccess)
    *workspace_bytes = static_cast<size_t>(plan.workspace_bytes);
  return error;
}

/**
 * sort_by() out of place: `d_items` are only read, and their sorted copies written to `d_sorted_items`, which must not overlap
 * them (cudaErrorInvalidValue). All else is as there; one item is copied.
 * @since 0.3.0
 */
template <typename T, typename Less>
cudaError_t sort_by_copy(const T *d_items, T *d_sorted_items, size_t count, Less less, void *d_workspace,
                         size_t workspace_bytes, cudaStream_t stream = nullptr, uint64_t seed = 0) {
  const cdp::by::Place<T> place = {d_items, d_sorted_items, count, d_workspace, workspace_bytes};
  return count == 0 ? cudaSuccess : cdp::by::launch_sort(place, less, stream, seed, true);
}

} // namespace cdpsort

#endif
