/* SPDX-License-Identifier: MIT */
/*
 * See checks.h. Keys are compared by `<`: those of floating point are finite, and none is -0.
 */
#include "checks.h"

#include "device_rank.cuh"

namespace bench {

namespace {

/* Counts the indices of which is_wrong(index) is true. */
template <typename IsWrong>
__global__ void count_wrong_kernel(uint64_t count, IsWrong is_wrong, unsigned long long *wrong) {
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
  unsigned long long own = 0;
  for (uint64_t index = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; index < count; index += stride)
    own += is_wrong(index) ? 1 : 0;
  if (own != 0)
    atomicAdd(wrong, own);
}

template <typename IsWrong>
uint64_t count_wrong(uint64_t count, IsWrong is_wrong, unsigned long long *d_wrong, cudaStream_t stream) {
  unsigned long long wrong = 0;
  REQUIRE(cudaMemsetAsync(d_wrong, 0, sizeof *d_wrong, stream));
  count_wrong_kernel<<<device_data::blocks_for(count), device_data::BLOCK_THREADS, 0, stream>>>(count, is_wrong, d_wrong);
  REQUIRE(cudaGetLastError());
  REQUIRE(cudaMemcpyAsync(&wrong, d_wrong, sizeof wrong, cudaMemcpyDeviceToHost, stream));
  REQUIRE(cudaStreamSynchronize(stream));
  return wrong;
}

template <typename Key>
struct OnWrongSide {
  const Key *keys;
  uint64_t rank;

  __device__ bool operator()(uint64_t index) const {
    return index < rank ? keys[rank] < keys[index] : keys[index] < keys[rank];
  }
};

template <typename Key>
struct NotFirst {
  const Key *keys;
  uint64_t first_keys;

  __device__ bool operator()(uint64_t index) const {
    return index != 0 && keys[index] < keys[(index < first_keys ? index : first_keys) - 1];
  }
};

struct Different {
  const uint32_t *numbers;
  const uint64_t *others;

  __device__ bool operator()(uint64_t index) const {
    return numbers[index] != others[index];
  }
};

} // namespace

uint64_t count_on_wrong_side(const KeySpan &keys, uint64_t rank, unsigned long long *d_wrong, cudaStream_t stream) {
  return with_key_type(keys.type, [&](auto key) {
    using Key = decltype(key);
    const OnWrongSide<Key> is_wrong = {static_cast<const Key *>(keys.d_keys), rank};
    return count_wrong(keys.count, is_wrong, d_wrong, stream);
  });
}

uint64_t count_not_first(const KeySpan &keys, uint64_t first_keys, unsigned long long *d_wrong, cudaStream_t stream) {
  return with_key_type(keys.type, [&](auto key) {
    using Key = decltype(key);
    const NotFirst<Key> is_wrong = {static_cast<const Key *>(keys.d_keys), first_keys};
    return count_wrong(keys.count, is_wrong, d_wrong, stream);
  });
}

uint64_t count_different(const uint32_t *d_numbers, const uint64_t *d_others, uint64_t count, unsigned long long *d_wrong,
                         cudaStream_t stream) {
  return count_wrong(count, Different{d_numbers, d_others}, d_wrong, stream);
}

} // namespace bench
