/* SPDX-License-Identifier: MIT */
/*
 * Where the kernels of a sort by comparison run: compiled by nvcc into the caller's program, by the runtime compiler (which has no
 * headers), or for the simulated device.
 */
#ifndef CDPSORT_BY_BY_DEVICE_CUH
#define CDPSORT_BY_BY_DEVICE_CUH

#include "cdpsort/by/job.h"

#ifdef __CUDACC__

namespace cdp::by {

constexpr bool IS_SIMULATED = false;

/* The block's dynamic shared memory. */
template <typename T>
__device__ __forceinline__ T &block_memory() {
  extern __shared__ __align__(16) unsigned char by_block_bytes[];
  return *reinterpret_cast<T *>(by_block_bytes);
}

} // namespace cdp::by

#else

#include "runtime/runtime.cuh"

namespace cdp::by {

using namespace cdp::simulated;
constexpr bool IS_SIMULATED = true;

template <typename T>
T &block_memory() {
  return block_shared<T>();
}

} // namespace cdp::by

#endif

namespace cdp::by {

/* The unit in which what is so aligned is moved. */
template <uint32_t ALIGNMENT>
struct WordOf {
  using Type = uint32_t;
};
template <>
struct WordOf<1> {
  using Type = uint8_t;
};
template <>
struct WordOf<2> {
  using Type = uint16_t;
};

/*
 * An item as it is moved: words, whatever its type is made of. Copied member by member, an item that holds bytes would take a
 * register for each of them. It is a T again where it is compared (Copy), of which the compiler leaves what is not looked at.
 */
template <uint32_t BYTES, uint32_t ALIGNMENT>
struct alignas(ALIGNMENT) Words {
  using Word = typename WordOf<ALIGNMENT>::Type;
  Word words[BYTES / sizeof(Word)];
};

/* A T that no constructor has made: T may have none, or one that is the host's. */
template <typename T>
struct Copy {
  alignas(T) unsigned char bytes[sizeof(T)];

  template <typename Item>
  __device__ __forceinline__ explicit Copy(const Item &item) {
    static_assert(sizeof(T) == sizeof(item.words), "all of it");
    memcpy(bytes, item.words, sizeof bytes);
  }
  __device__ __forceinline__ const T &item() const {
    return *reinterpret_cast<const T *>(bytes);
  }
};

/* The greatest power of two, up to 16, that divides a size: what items of that size are aligned to, whatever they are. */
constexpr uint32_t alignment_of_size(uint32_t bytes) {
  return bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
}

constexpr uint32_t LANES = 32;
constexpr uint32_t EVERY_LANE = 0xffffffffu;

/* So many blocks of a kernel, or as many as a multiprocessor can hold: ptxas warns of more, and ignores it then (CUDA C++
   Programming Guide, "Compute Capabilities"). */
constexpr uint32_t held_blocks(uint32_t wanted, uint32_t threads) {
#if !defined(__CUDA_ARCH__)
  const uint32_t most_blocks = 32, most_threads = 2048;
#elif __CUDA_ARCH__ == 750
  const uint32_t most_blocks = 16, most_threads = 1024;
#elif __CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 || __CUDA_ARCH__ == 880
  const uint32_t most_blocks = 16, most_threads = 1536;
#elif __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1100
  const uint32_t most_blocks = 24, most_threads = 1536;
#else
  const uint32_t most_blocks = 32, most_threads = 2048;
#endif
  const uint32_t held = most_threads / threads < most_blocks ? most_threads / threads : most_blocks;
  return wanted < held ? wanted : held;
}

template <typename Item>
constexpr Shape SHAPE = shape_of(sizeof(Item), IS_SIMULATED);
template <>
inline constexpr Shape SHAPE<Index> = shape_of(OF_INDICES, IS_SIMULATED);

__device__ __forceinline__ uint32_t least(uint32_t left, uint32_t right) {
  return left < right ? left : right;
}

/* A parent's items, and whether they are done. */
__device__ __forceinline__ Bounds bounds_of(const Job &job, uint32_t parent) {
  if (job.parents == 1)
    return {0, job.count};
  return {job.begins[parent], job.begins[parent + 1]};
}
__device__ __forceinline__ bool is_done(const Job &job, uint32_t parent) {
  return job.parents != 1 && job.is_done[parent] != 0;
}

/* Sums over the lanes up to the calling one, which all take part. */
__device__ __forceinline__ uint32_t warp_sum_so_far(uint32_t value) {
  const uint32_t lane = threadIdx.x % LANES;
#pragma unroll
  for (uint32_t distance = 1; distance < LANES; distance *= 2) {
    const uint32_t below = __shfl_up_sync(EVERY_LANE, value, distance);
    value += lane >= distance ? below : 0;
  }
  return value;
}

} // namespace cdp::by

#endif
