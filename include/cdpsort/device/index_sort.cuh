/* SPDX-License-Identifier: MIT */
/**
 * @file index_sort.cuh
 * Sorts of anything that has places 0 to count - 1, in place, in memory: by a block, and by a grid that the host launches for each
 * step. A part of cdpsort/device.cuh, which see.
 *
 * The caller says how to fetch what decides on a place, how to compare it, and how to swap two places (Nguyen 2021, section
 * 3.4): so structures of arrays, columns of a matrix, or what lies on the device in any other form are sorted, with no other
 * memory. A step of the network is count / 2 comparators, no two of which share a place, side by side. One whose partner would
 * lie behind the end does nothing: what is missing there counts as behind all and stays, since all comparators point the same
 * way. So any count will do.
 *
 * O(n log^2 n) fetches and comparisons. Where the keys of a block fit its registers, BlockSort (block_sort.cuh) is far faster.
 */
#ifndef CDPSORT_DEVICE_CUH_INDEX_SORT
#define CDPSORT_DEVICE_CUH_INDEX_SORT

#include <cdpsort/device/comparators.cuh>

namespace cdpsort {

namespace network {

/* The comparators of a step: in parts of `size` places, each place with the one `distance` behind it, or of a flip with its mirror
   image. size is a power of two, and distance one below it. */
struct Step {
  uint64_t size;
  uint64_t distance;
};

/* Does comparators first, first + stride, ... below `end` of a step: only as many as there are for `count` places. */
template <typename Fetch, typename Compare, typename Swap>
__device__ __forceinline__ void do_comparators(Step step, uint64_t first, uint64_t end, uint64_t stride, uint64_t count,
                                               Fetch &fetch, Compare &compare, Swap &swap) {
  const bool flips = step.distance * 2 == step.size;
  for (uint64_t comparator = first; comparator < end; comparator += stride) {
    const uint64_t within = comparator & (step.distance - 1);
    const uint64_t base = (comparator - within) * 2;
    const uint64_t low = base + within;
    const uint64_t high = flips ? base + step.size - 1 - within : low + step.distance;
    if (high < count && compare(fetch(high), fetch(low)))
      swap(low, high);
  }
}

/* Comparators that a step over `count` places has, with those that do nothing in its last part. */
__host__ __device__ constexpr uint64_t comparators(Step step, uint64_t count) {
  return (count + step.size - 1) / step.size * (step.size / 2);
}

/* Swaps what two places of an array are, and of another one alike. */
template <typename Key, typename Value>
struct SwapIn {
  Key *keys;
  Value *values;
  __device__ __forceinline__ void operator()(uint64_t low, uint64_t high) const {
    exchange_if(true, keys[low], keys[high]);
    if constexpr (HAS_VALUE<Value>)
      exchange_if(true, values[low], values[high]);
  }
};

template <typename Key>
struct FetchFrom {
  const Key *keys;
  __device__ __forceinline__ const Key &operator()(uint64_t place) const {
    return keys[place];
  }
};

} // namespace network

/**
 * A block sorts the places 0 to count - 1 of whatever fetch and swap know, in shared or global memory.
 *
 *     // rows of two arrays, by the first and then the second
 *     __global__ void sort_points(int *x, int *y, uint64_t count) {
 *       cdpsort::block_sort_places(
 *           count, [=](uint64_t row) { return row; },
 *           [=](uint64_t a, uint64_t b) { return x[a] < x[b] || (x[a] == x[b] && y[a] < y[b]); },
 *           [=](uint64_t a, uint64_t b) {
 *             const int old_x = x[a], old_y = y[a];
 *             x[a] = x[b], y[a] = y[b];
 *             x[b] = old_x, y[b] = old_y;
 *           });
 *     }
 *
 * - All threads of the block take part, however many they are, in one dimension, with the same count and the like functions.
 * - What a thread has written before is sorted without a barrier, and the result is visible to all threads behind the call:
 *   there is one barrier (__syncthreads()) at the beginning, and one behind each of the log2(count) * (log2(count) + 1) / 2 steps.
 * - No memory of its own. Nothing but fetch and swap touches anything.
 * - Not stable. Does the same swaps for the same input, however many threads there are.
 * - Of a comparison that is no strict weak order it ends all the same; nothing but swaps of two places below count is done.
 *
 * @param count    may be 0 or 1: nothing is done; at most 2^62.
 * @param fetch    fetch(i): what is compared of place i, of any type.
 * @param compare  compare(a, b), of two that were fetched: whether a comes before b.
 * @param swap     swap(i, j), i < j: swaps what two places hold. No other thread fetches or swaps either meanwhile.
 * @since 0.3.0
 */
template <typename Fetch, typename Compare, typename Swap>
__device__ __forceinline__ void block_sort_places(uint64_t count, Fetch fetch, Compare compare, Swap swap) {
  __syncthreads();
  for (uint64_t size = 2; size / 2 < count; size *= 2) {
    for (uint64_t distance = size / 2; distance >= 1; distance /= 2) {
      const network::Step step = {size, distance};
      network::do_comparators(step, threadIdx.x, network::comparators(step, count), blockDim.x, count, fetch, compare, swap);
      __syncthreads();
    }
  }
}

/**
 * A block sorts `count` keys in shared or global memory, in place. All else is as for block_sort_places().
 *
 *     __global__ void sort_rows(float (*rows)[1000]) {                       // a block for each row, of any number of threads
 *       cdpsort::block_sort_keys(rows[blockIdx.x], 1000, cdpsort::Greater{}); // the greatest first
 *     }
 *
 * @param keys     of any type that can be copied.
 * @param count    any.
 * @param compare  compare(a, b): whether a comes before b; by default operator<.
 * @since 0.3.0
 */
template <typename Key, typename Compare = Less>
__device__ __forceinline__ void block_sort_keys(Key *keys, uint64_t count, Compare compare = {}) {
  block_sort_places(count, network::FetchFrom<Key>{keys}, compare, network::SwapIn<Key, NoValue>{keys, nullptr});
}

/**
 * The same, and each of `count` values, which may lie in the other kind of memory, goes with its key.
 *
 *     __global__ void sort_scores(const float *scores, uint32_t *names) {    // 500 of each for a block
 *       __shared__ float own[500];                                           // sorted here; scores stay as they are
 *       for (uint32_t place = threadIdx.x; place < 500; place += blockDim.x)
 *         own[place] = scores[500 * blockIdx.x + place];
 *       cdpsort::block_sort_pairs(own, names + 500 * blockIdx.x, 500);
 *     }
 *
 * @since 0.3.0
 */
template <typename Key, typename Value, typename Compare = Less>
__device__ __forceinline__ void block_sort_pairs(Key *keys, Value *values, uint64_t count, Compare compare = {}) {
  block_sort_places(count, network::FetchFrom<Key>{keys}, compare, network::SwapIn<Key, Value>{keys, values});
}

/* ---- By a grid for each step ------------------------------------------------------------------------------------------- */

namespace network {

/* Of a block that does steps by itself, and of one that does a share of one: comparators to a thread. */
constexpr uint32_t SORT_THREADS = 256;
constexpr uint32_t SORT_COMPARATORS = 4;

/* Places that a block sorts, or merges, by itself: those of its comparators. */
constexpr uint64_t SORT_PART = uint64_t{2} * SORT_THREADS * SORT_COMPARATORS;

/* What a block does of the steps from `size` and `distance` on that stay within its SORT_PART places, up to those of last_size. */
template <typename Fetch, typename Compare, typename Swap>
__device__ __forceinline__ void do_near_steps(Step begin, uint64_t last_size, uint64_t count, Fetch &fetch, Compare &compare,
                                              Swap &swap) {
  const uint64_t first = blockIdx.x * (SORT_PART / 2);
  Step step = begin;
  while (step.size <= last_size) {
    do_comparators(step, first + threadIdx.x, first + SORT_PART / 2, blockDim.x, count, fetch, compare, swap);
    __syncthreads();
    step = step.distance > 1 ? Step{step.size, step.distance / 2} : Step{step.size * 2, step.size};
  }
}

/* A block's share of a step that goes beyond parts. */
template <typename Fetch, typename Compare, typename Swap>
__device__ __forceinline__ void do_far_step(Step step, uint64_t count, Fetch &fetch, Compare &compare, Swap &swap) {
  const uint64_t first = blockIdx.x * (SORT_PART / 2);
  do_comparators(step, first + threadIdx.x, first + SORT_PART / 2, blockDim.x, count, fetch, compare, swap);
}

template <typename Fetch, typename Compare, typename Swap>
__global__ void __launch_bounds__(SORT_THREADS)
    near_steps_kernel(Step begin, uint64_t last_size, uint64_t count, Fetch fetch, Compare compare, Swap swap) {
  do_near_steps(begin, last_size, count, fetch, compare, swap);
}

template <typename Fetch, typename Compare, typename Swap>
__global__ void __launch_bounds__(SORT_THREADS)
    far_step_kernel(Step step, uint64_t count, Fetch fetch, Compare compare, Swap swap) {
  do_far_step(step, count, fetch, compare, swap);
}

/* Blocks of a grid for all comparators of a step; of one that stays within parts, for all places. */
constexpr uint64_t blocks_for(Step step, uint64_t count) {
  return (comparators(step, count) + SORT_PART / 2 - 1) / (SORT_PART / 2);
}

/*
 * The grids of a sort of `count` places, in order: near(blocks, begin, last_size) and far(blocks, step), until one returns another
 * number than 0, which is returned.
 */
template <typename Near, typename Far>
auto for_each_grid(uint64_t count, Near near, Far far) -> decltype(far(uint64_t{}, Step{})) {
  const uint64_t parts = (count + SORT_PART - 1) / SORT_PART;
  auto error = near(parts, Step{2, 1}, SORT_PART);
  for (uint64_t size = 2 * SORT_PART; size / 2 < count; size *= 2) {
    for (uint64_t distance = size / 2; distance >= SORT_PART && error == decltype(error){}; distance /= 2)
      error = far(blocks_for({size, distance}, count), Step{size, distance});
    if (error == decltype(error){})
      error = near(parts, Step{size, SORT_PART / 2}, size);
  }
  return error;
}

} // namespace network

#ifdef __CUDACC__

/**
 * The host has the device sort the places 0 to count - 1 of whatever fetch and swap know, in a stream's order, and returns. As many
 * grids of 256 threads a block for every input of a count: one for each step that goes beyond parts of 2,048 places, and one for
 * all those between two of them, by blocks with barriers: 1 for up to 2,048 places, 136 for 2^26. Nothing is allocated or read
 * back, and it may be captured into a graph. Needs nothing of this library but its header.
 *
 *     template <typename T>
 *     __device__ void swap_in(T *array, uint64_t i, uint64_t j) {
 *       const T old = array[i];
 *       array[i] = array[j];
 *       array[j] = old;
 *     }
 *
 *     cudaError_t sort_names(float *keys, uint32_t *names, uint64_t count, cudaStream_t stream) {
 *       return cdpsort::sort_places(
 *           count, [=] __device__(uint64_t i) { return keys[i]; }, cdpsort::Less{},
 *           [=] __device__(uint64_t i, uint64_t j) { swap_in(keys, i, j); swap_in(names, i, j); }, stream);
 *     }
 *
 * - The functions are copied to the device: kernels' parameters, of 4 KB together at most. Lambdas need nvcc --extended-lambda.
 * - Stability and comparisons are as for block_sort_places().
 *
 * @param count   0 and 1: nothing is launched. At most 2^41, so that a grid has no more blocks than CUDA allows.
 * @param stream  a stream of the current device.
 * @return the first launch's error. What was launched before that runs: all places hold what some place held then, each once.
 * @since 0.3.0
 */
template <typename Fetch, typename Compare, typename Swap>
cudaError_t sort_places(uint64_t count, Fetch fetch, Compare compare, Swap swap, cudaStream_t stream) {
  if (count < 2)
    return cudaSuccess;
  if (count > uint64_t{1} << 41)
    return cudaErrorInvalidValue;
  cudaLaunchConfig_t grid = {};
  grid.blockDim = dim3(network::SORT_THREADS);
  grid.stream = stream;
  const auto launch = [&](uint64_t blocks, auto kernel, auto... arguments) {
    grid.gridDim = dim3(static_cast<unsigned int>(blocks));
    const cudaError_t error = cudaLaunchKernelEx(&grid, kernel, arguments..., count, fetch, compare, swap);
    if (error != cudaSuccess)
      cudaGetLastError(); // told here, and not to a later call as well
    return error;
  };
  return network::for_each_grid(
      count,
      [&](uint64_t blocks, network::Step begin, uint64_t last_size) {
        return launch(blocks, network::near_steps_kernel<Fetch, Compare, Swap>, begin, last_size);
      },
      [&](uint64_t blocks, network::Step step) {
        return launch(blocks, network::far_step_kernel<Fetch, Compare, Swap>, step);
      });
}

#endif

} // namespace cdpsort

#endif
