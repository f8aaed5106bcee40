/* SPDX-License-Identifier: MIT */
/*
 * The bitonic sort of a whole array, of any length, in place, by kernels that the host launches:
 *
 *   1. sort tiles: a block sorts a tile in registers and shared memory. It may be read elsewhere: so the sort is out of place.
 *   2. for size = 2 tiles, 4 tiles, ... up to the array:
 *        far:        the flip and the distances down to a tile in memory, several in one pass: a thread takes keys whose
 *                    places differ in as many bits, does these distances in registers, and puts the keys back
 *        near:       a block does the distances within a tile, in registers and shared memory
 *
 * Keys enter in the first step and leave in the last; in between the array holds entered keys. All comparators point the same way
 * (cdpsort/device/comparators.cuh): a key that is missing behind the end counts as the greatest of all, and stays where it is.
 *
 * This is the network of block/network.cuh, whose steps are a distance each, since any grid that the recursion happens to have
 * must be able to go on with the next one. Here nothing else is done, and passes over memory are what costs.
 */
#ifndef CDPSORT_DEVICE_BITONIC_WHOLE_NETWORK_CUH
#define CDPSORT_DEVICE_BITONIC_WHOLE_NETWORK_CUH

#include "block/device_header.cuh"
#include "block/multiway_shape.cuh"
#include "payload/items.cuh"
#include "tuning_bitonic.h"

#include <type_traits>

namespace cdp::CDP_RUNTIME {

constexpr BitonicShape BITONIC_SHAPE = bitonic_shape(DEVICE_KIND == DeviceKind::simulated);
constexpr uint32_t BITONIC_THREADS = BITONIC_SHAPE.threads;

template <typename Raw>
constexpr uint32_t BITONIC_ITEMS = bitonic_items(BITONIC_SHAPE, sizeof(Raw));
template <typename Raw>
constexpr uint32_t BITONIC_TILE = bitonic_tile(BITONIC_SHAPE, sizeof(Raw));
template <typename Raw>
constexpr uint32_t FAR_BITS = bitonic_far_bits(BITONIC_SHAPE, sizeof(Raw));

/* An entered key in registers. */
template <typename Raw>
using WholeKey = std::conditional_t<sizeof(Raw) == 8, uint64_t, uint32_t>;

template <typename Raw>
using TileSort = cdpsort::BlockSort<WholeKey<Raw>, BITONIC_THREADS, BITONIC_ITEMS<Raw>>;

/* The array, as kernels are given it. */
template <typename Raw>
struct WholeArray {
  const Raw *source; /* may be `keys` */
  Raw *keys;
  uint64_t count;
  Entry<Raw> entry;
};

/* ---- Tiles ------------------------------------------------------------------------------------------------------------- */

/* The block's tile, striped, of raw keys where they are at first: what is missing is the greatest. */
template <typename Raw>
__device__ __forceinline__ void load_whole_tile(const WholeArray<Raw> &array, bool are_raw,
                                                WholeKey<Raw> (&keys)[BITONIC_ITEMS<Raw>]) {
  const Raw *from = are_raw ? array.source : array.keys;
  const uint64_t first = uint64_t{blockIdx.x} * BITONIC_TILE<Raw> + threadIdx.x;
#pragma unroll
  for (uint32_t item = 0; item < BITONIC_ITEMS<Raw>; item++) {
    const uint64_t index = first + item * BITONIC_THREADS;
    keys[item] = GREATEST<WholeKey<Raw>>;
    if (index < array.count)
      keys[item] = are_raw ? static_cast<WholeKey<Raw>>(array.entry.enter(from[index])) : from[index];
  }
}

template <typename Raw>
__device__ __forceinline__ void store_whole_tile(const WholeArray<Raw> &array, bool leave,
                                                 const WholeKey<Raw> (&keys)[BITONIC_ITEMS<Raw>]) {
  const uint64_t first = uint64_t{blockIdx.x} * BITONIC_TILE<Raw> + threadIdx.x;
#pragma unroll
  for (uint32_t item = 0; item < BITONIC_ITEMS<Raw>; item++) {
    const uint64_t index = first + item * BITONIC_THREADS;
    if (index < array.count)
      array.keys[index] = leave ? array.entry.leave(keys[item]) : static_cast<Raw>(keys[item]);
  }
}

/* A block for each tile. is_all: there is no other. */
template <typename Raw>
__global__ void __launch_bounds__(BITONIC_THREADS)
    // cppcheck-suppress passedByValue
    sort_whole_tiles_kernel(const WholeArray<Raw> array, bool is_all) {
  WholeKey<Raw> keys[BITONIC_ITEMS<Raw>];
  TileSort<Raw> sort(block_shared<typename TileSort<Raw>::Shared>());
  load_whole_tile(array, true, keys);
  sort.sort(keys);
  sort.to_striped(keys);
  store_whole_tile(array, is_all, keys);
}

/* The same. is_last: this is the last phase. */
template <typename Raw>
__global__ void __launch_bounds__(BITONIC_THREADS)
    // cppcheck-suppress passedByValue
    merge_whole_tiles_kernel(const WholeArray<Raw> array, bool is_last) {
  WholeKey<Raw> keys[BITONIC_ITEMS<Raw>];
  TileSort<Raw> sort(block_shared<typename TileSort<Raw>::Shared>());
  load_whole_tile(array, false, keys);
  sort.merge_striped(keys);
  sort.to_striped(keys);
  store_whole_tile(array, is_last, keys);
}

/* ---- Far distances ----------------------------------------------------------------------------------------------------- */

/*
 * The places of 2^BITS keys, `stride` apart (a power of two), from `within` behind a part's begin on. FLIP: those of the upper
 * half are the mirror images of those of the lower one.
 */
template <uint32_t BITS, bool FLIP>
struct FarPlaces {
  uint64_t low;
  uint64_t high;
  uint64_t stride;

  __device__ __forceinline__ FarPlaces(uint64_t group, uint64_t part_stride) : stride(part_stride) {
    const uint64_t within = group & (stride - 1);
    const uint64_t begin = (group - within) << BITS;
    low = begin + within;
    high = FLIP ? begin + (stride - 1 - within) : low;
  }
  __device__ __forceinline__ uint64_t index(uint32_t item) const {
    return (item >= 1u << (BITS - 1) ? high : low) + item * stride;
  }
};

/* The same number, of which the compiler knows nothing. */
__device__ __forceinline__ uint64_t fresh_number(uint64_t number) {
  return static_cast<uint64_t>(fresh(static_cast<uint32_t>(number >> 32))) << 32 | fresh(static_cast<uint32_t>(number));
}

/* BITS distances of a phase, the greatest being half of 2^BITS strides. FLIP: that one is the flip. A thread for each group of
   keys. Places are worked out again for the stores: to remember them takes twice the registers that keys take. */
template <typename Raw, uint32_t BITS, bool FLIP>
__global__ void __launch_bounds__(FAR_THREADS, 2) merge_far_kernel(Raw *keys, uint64_t count, uint64_t stride) {
  constexpr uint32_t ITEMS = 1u << BITS;
  using Key = WholeKey<Raw>;
  const uint64_t group = uint64_t{blockIdx.x} * FAR_THREADS + threadIdx.x;
  const FarPlaces<BITS, FLIP> from(group, stride);
  Key items[ITEMS];
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    items[item] = from.index(item) < count ? Key{keys[from.index(item)]} : GREATEST<Key>;
  cdpsort::network::merge_in_lane<ITEMS, FLIP>(cdpsort::network::Items<Key, cdpsort::NoValue, ITEMS>{items}, cdpsort::Less{});
  const FarPlaces<BITS, FLIP> to(group, fresh_number(stride));
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    if (to.index(item) < count)
      keys[to.index(item)] = static_cast<Raw>(items[item]);
}

} // namespace cdp::CDP_RUNTIME

#endif
