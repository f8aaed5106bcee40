/* SPDX-License-Identifier: MIT */
/*
 * What lies at the sorted keys' former positions, brought into their order: values of any size, and the positions themselves.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_GATHER_CUH
#define CDPSORT_DEVICE_PAYLOAD_GATHER_CUH

#include "payload/items.cuh"

namespace cdp::CDP_RUNTIME {

/* Where the key that comes i-th was: in its item, or, once items cannot tell, in an array of its own. */
struct Origins {
  const uint64_t *items;
  uint64_t low_mask;
  const uint32_t *array; /* NULL: the items tell */

  __device__ __forceinline__ uint64_t operator()(uint64_t index) const {
    return array != nullptr ? array[index] : items[index] & low_mask;
  }
};

/* Values of one unit. All of a thread's loads are on their way before the first is stored. Where it may be launched in vain blocks go on to
   others' tiles: 2^26 words with values of 8 bytes took 0.91 ms then in place of 0.49, but as many blocks as there are tiles take 21 us to
   find that they are not wanted (H200), and they hardly ever are. */
template <typename Unit>
__global__ void __launch_bounds__(PAYLOAD_THREADS)
    // cppcheck-suppress passedByValue
    gather_kernel(const Origins origins, const Unit *source, uint64_t count, Unit *destination, const uint32_t *wanted) {
  if (!is_wanted(wanted))
    return;
  const uint64_t step = uint64_t{gridDim.x} * PAYLOAD_TILE;
  uint64_t first = uint64_t{blockIdx.x} * PAYLOAD_TILE + threadIdx.x;
  for (; first < count; first += step) {
    Unit units[PAYLOAD_ITEMS];
#pragma unroll
    for (uint32_t item = 0; item < PAYLOAD_ITEMS; item++) {
      const uint64_t index = first + item * PAYLOAD_THREADS;
      units[item] = source[index < count ? origins(index) : 0];
    }
#pragma unroll
    for (uint32_t item = 0; item < PAYLOAD_ITEMS; item++) {
      const uint64_t index = first + item * PAYLOAD_THREADS;
      if (index < count)
        destination[index] = units[item];
    }
  }
}

/* Values of several units. A power of two of neighbouring lanes copies each value, so that it is read and written in whole lines. */
template <typename Unit>
__global__ void __launch_bounds__(PAYLOAD_THREADS)
    // cppcheck-suppress passedByValue
    gather_long_kernel(const Origins origins, const Unit *source, uint64_t count, uint32_t units, uint32_t lane_bits,
                       Unit *destination, const uint32_t *wanted) {
  if (!is_wanted(wanted))
    return;
  const uint64_t lanes = uint64_t{1} << lane_bits;
  for_each_wanted_item(count << lane_bits, [&](uint64_t lane) {
    const uint64_t index = lane >> lane_bits;
    const Unit *from = source + origins(index) * units;
    Unit *to = destination + index * units;
    for (uint64_t unit = lane & (lanes - 1); unit < units; unit += lanes)
      to[unit] = from[unit];
  });
}

/* The positions as what a caller asks for; `first`, if it is not NULL, says where each position's key was before it came there. */
template <typename Index>
__global__ void __launch_bounds__(PAYLOAD_THREADS)
    // cppcheck-suppress passedByValue
    write_indices_kernel(const Origins origins, const uint32_t *first, uint64_t count, Index *indices, const uint32_t *wanted) {
  if (!is_wanted(wanted))
    return;
  for_each_wanted_item(count, [&](uint64_t index) {
    const uint64_t origin = origins(index);
    indices[index] = static_cast<Index>(first != nullptr ? first[origin] : origin);
  });
}

/* Numbers as they are, where a copy that may be launched in vain is asked for. */
template <typename Unit>
__global__ void __launch_bounds__(PAYLOAD_THREADS)
    copy_kernel(const Unit *source, uint64_t count, Unit *destination, const uint32_t *wanted) {
  if (!is_wanted(wanted))
    return;
  for_each_wanted_item(count, [&](uint64_t index) { destination[index] = source[index]; });
}

/* Launches a gathering of values of so many units. Returns a cudaError_t. */
template <typename Unit>
int gather_units(const Origins &origins, const void *source, uint64_t count, uint32_t units, void *destination,
                 const uint32_t *wanted, void *stream) {
  const Unit *from = static_cast<const Unit *>(source);
  Unit *to = static_cast<Unit *>(destination);
  if (units == 1)
    return launch_from_host(payload_grid(count, wanted), stream, gather_kernel<Unit>, origins, from, count, to, wanted);
  constexpr uint32_t MOST_LANE_BITS = 5; // a warp
  uint32_t lane_bits = 1;
  while (lane_bits < MOST_LANE_BITS && 1u << lane_bits < units)
    lane_bits++;
  return launch_from_host(payload_grid(count << lane_bits, wanted), stream, gather_long_kernel<Unit>, origins, from, count,
                          units, lane_bits, to, wanted);
}

/* Of values of so many bytes, in the largest unit that they and where they lie are multiples of. */
inline int gather_values(const Origins &origins, const void *source, uint64_t count, uint32_t value_bytes, void *destination,
                         const uint32_t *wanted, void *stream) {
  switch (copied_unit(source, destination, value_bytes)) {
  case 1:
    return gather_units<uint8_t>(origins, source, count, value_bytes, destination, wanted, stream);
  case 2:
    return gather_units<uint16_t>(origins, source, count, value_bytes / 2, destination, wanted, stream);
  case 4:
    return gather_units<uint32_t>(origins, source, count, value_bytes / 4, destination, wanted, stream);
  case 8:
    return gather_units<uint64_t>(origins, source, count, value_bytes / 8, destination, wanted, stream);
  default:
    return gather_units<SixteenBytes>(origins, source, count, value_bytes / 16, destination, wanted, stream);
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
