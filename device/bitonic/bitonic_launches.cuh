/* SPDX-License-Identifier: MIT */
/*
 * The launches of the bitonic sort of a whole array (whole_network.cuh), one behind the other on a stream, all by the host.
 */
#ifndef CDPSORT_DEVICE_BITONIC_BITONIC_LAUNCHES_CUH
#define CDPSORT_DEVICE_BITONIC_BITONIC_LAUNCHES_CUH

#include "bitonic/bitonic_sort.h"
#include "bitonic/whole_network.cuh"
#include "payload/payload.h"

#include <algorithm>

namespace cdp::CDP_RUNTIME {

/* `bits` distances in one pass. The last group's thread may find that none of its keys is there. */
template <typename Raw, uint32_t BITS, bool FLIP>
int launch_far(const WholeArray<Raw> &array, uint32_t bits, uint64_t stride, void *stream) {
  if constexpr (BITS > 1)
    if (bits < BITS)
      return launch_far<Raw, BITS - 1, FLIP>(array, bits, stride, stream);
  const uint64_t part = stride << BITS;
  const uint64_t groups = (array.count + part - 1) / part * stride;
  const uint32_t blocks = static_cast<uint32_t>((groups + FAR_THREADS - 1) / FAR_THREADS);
  return launch_from_host({blocks, FAR_THREADS, 0}, stream, merge_far_kernel<Raw, BITS, FLIP>, array.keys, array.count, stride);
}

/* The distances of a phase from size / 2 down to a tile. */
template <typename Raw>
int launch_far_distances(const WholeArray<Raw> &array, uint64_t size, void *stream) {
  uint32_t left = 0;
  for (uint64_t distance = size / 2; distance >= BITONIC_TILE<Raw>; distance /= 2)
    left++;
  bool is_first = true;
  for (uint64_t part = size; left != 0; is_first = false) {
    const uint32_t bits = std::min(left, FAR_BITS<Raw>);
    left -= bits;
    const uint64_t stride = part >> bits;
    const auto launch = is_first ? launch_far<Raw, FAR_BITS<Raw>, true> : launch_far<Raw, FAR_BITS<Raw>, false>;
    CDP_RETURN_UNLESS_LAUNCHED(launch(array, bits, stride, stream));
    part = stride;
  }
  return LAUNCH_OK;
}

template <typename Raw>
int launch_bitonic_of(const cdp_bitonic_plan &plan, void *stream) {
  constexpr uint64_t TILE = BITONIC_TILE<Raw>;
  constexpr uint32_t BLOCK_BYTES = sizeof(typename TileSort<Raw>::Shared);
  static_assert(BLOCK_BYTES <= 48 * 1024, "all that a block may have without being allowed more");
  const WholeArray<Raw> array = {static_cast<const Raw *>(plan.d_source), static_cast<Raw *>(plan.d_keys), plan.count,
                                 entry_of<Raw>(plan.type, plan.order, CDP_TIES_ANY)};
  const GridShape tiles = {static_cast<uint32_t>((plan.count + TILE - 1) / TILE), BITONIC_THREADS, BLOCK_BYTES};
  CDP_RETURN_UNLESS_LAUNCHED(launch_from_host(tiles, stream, sort_whole_tiles_kernel<Raw>, array, plan.count <= TILE));
  for (uint64_t size = 2 * TILE; size / 2 < plan.count; size *= 2) {
    CDP_RETURN_UNLESS_LAUNCHED(launch_far_distances(array, size, stream));
    CDP_RETURN_UNLESS_LAUNCHED(launch_from_host(tiles, stream, merge_whole_tiles_kernel<Raw>, array, size >= plan.count));
  }
  return LAUNCH_OK;
}

} // namespace cdp::CDP_RUNTIME

int cdp::CDP_RUNTIME::launch_bitonic(const cdp_bitonic_plan &plan, void *stream) {
  switch (cdp_engine_key_bytes(plan.type)) {
  case 1:
    return launch_bitonic_of<uint8_t>(plan, stream);
  case 2:
    return launch_bitonic_of<uint16_t>(plan, stream);
  case 4:
    return launch_bitonic_of<uint32_t>(plan, stream);
  default:
    return launch_bitonic_of<uint64_t>(plan, stream);
  }
}

#endif
