/* SPDX-License-Identifier: MIT */
/*
 * See tile_peers.h.
 */
#include "tile_peers.h"

#include <cdpsort/device.cuh>

#include <cub/block/block_exchange.cuh>
#include <cub/block/block_merge_sort.cuh>

namespace bench {

namespace {

/* By the bitonic network. Both end striped, as neighbouring threads write to neighbouring places. */
template <typename Bits>
struct Network {
  using Sort = cdpsort::BlockSort<Bits, TILE_THREADS, TILE_ITEMS>;
  using Shared = typename Sort::Shared;

  static __device__ __forceinline__ void sort(Shared &shared, Bits (&keys)[TILE_ITEMS]) {
    Sort sort(shared);
    sort.sort(keys);
    sort.to_striped(keys);
  }
};

/* By CUB, with its own exchange. */
template <typename Bits>
struct CubMerge {
  using Sort = cub::BlockMergeSort<Bits, TILE_THREADS, TILE_ITEMS>;
  using Exchange = cub::BlockExchange<Bits, TILE_THREADS, TILE_ITEMS>;
  union Shared {
    typename Sort::TempStorage sort;
    typename Exchange::TempStorage exchange;
  };

  static __device__ __forceinline__ void sort(Shared &shared, Bits (&keys)[TILE_ITEMS]) {
    Sort(shared.sort).Sort(keys, cdpsort::Less{});
    __syncthreads();
    Exchange(shared.exchange).BlockedToStriped(keys);
  }
};

template <typename Bits, template <typename> class Peer>
__global__ void __launch_bounds__(TILE_THREADS) sort_tiles_kernel(Bits *keys, uint64_t count) {
  __shared__ typename Peer<Bits>::Shared shared;
  const uint64_t first = uint64_t{blockIdx.x} * TILE_KEYS + threadIdx.x;
  Bits own[TILE_ITEMS];
#pragma unroll
  for (uint32_t item = 0; item < TILE_ITEMS; item++)
    own[item] = first + item * TILE_THREADS < count ? keys[first + item * TILE_THREADS] : static_cast<Bits>(~Bits{0});
  Peer<Bits>::sort(shared, own);
#pragma unroll
  for (uint32_t item = 0; item < TILE_ITEMS; item++)
    if (first + item * TILE_THREADS < count)
      keys[first + item * TILE_THREADS] = own[item];
}

template <typename Bits>
__global__ void count_tile_disorders_kernel(const Bits *keys, uint64_t count, unsigned long long *disorders) {
  const uint64_t index = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (index < count && index % TILE_KEYS != 0 && keys[index] < keys[index - 1])
    atomicAdd(disorders, 1);
}

/* Calls function(first key as unsigned number). */
template <typename Function>
void with_bits(const KeySpan &keys, Function function) {
  switch (device_data::key_bytes(keys.type)) {
  case 1:
    return function(static_cast<uint8_t *>(keys.d_keys));
  case 2:
    return function(static_cast<uint16_t *>(keys.d_keys));
  case 4:
    return function(static_cast<uint32_t *>(keys.d_keys));
  default:
    return function(static_cast<uint64_t *>(keys.d_keys));
  }
}

template <template <typename> class Peer>
void launch_tiles(const KeySpan &keys, cudaStream_t stream) {
  const unsigned int tiles = static_cast<unsigned int>((keys.count + TILE_KEYS - 1) / TILE_KEYS);
  with_bits(keys, [&](auto *bits) {
    sort_tiles_kernel<std::remove_pointer_t<decltype(bits)>, Peer><<<tiles, TILE_THREADS, 0, stream>>>(bits, keys.count);
  });
  REQUIRE(cudaGetLastError());
}

} // namespace

void sort_tiles(const KeySpan &keys, cudaStream_t stream) {
  launch_tiles<Network>(keys, stream);
}

void cub_sort_tiles(const KeySpan &keys, cudaStream_t stream) {
  launch_tiles<CubMerge>(keys, stream);
}

void count_tile_disorders(const KeySpan &keys, unsigned long long *d_disorders, cudaStream_t stream) {
  constexpr unsigned int THREADS = 1024;
  const unsigned int blocks = static_cast<unsigned int>((keys.count + THREADS - 1) / THREADS);
  with_bits(keys, [&](auto *bits) {
    count_tile_disorders_kernel<std::remove_pointer_t<decltype(bits)>>
        <<<blocks, THREADS, 0, stream>>>(bits, keys.count, d_disorders);
  });
  REQUIRE(cudaGetLastError());
}

} // namespace bench
