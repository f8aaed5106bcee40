/* SPDX-License-Identifier: MIT */
/*
 * What is sorted in the place of keys that are narrow, or that have something going with them: numbers that rise with the wanted
 * order (items.cuh), alone, or with their keys' positions behind them. What lies outside of all segments is not moved, and comes
 * out as it was.
 */
#ifndef CDPSORT_DEVICE_SEGMENTS_SEGMENT_ITEMS_CUH
#define CDPSORT_DEVICE_SEGMENTS_SEGMENT_ITEMS_CUH

#include "payload/items.cuh"

namespace cdp::CDP_RUNTIME {

/* Narrow keys as numbers of 4 bytes, and back. */
template <typename Raw>
__global__ void __launch_bounds__(PAYLOAD_THREADS)
    pack_segment_numbers_kernel(const Raw *keys, uint64_t count, const Entry<Raw> entry, uint32_t *items) {
  for_each_item(count, [&](uint64_t index) { items[index] = static_cast<uint32_t>(entry.enter(keys[index])); });
}

template <typename Raw>
__global__ void __launch_bounds__(PAYLOAD_THREADS)
    unpack_segment_numbers_kernel(const uint32_t *items, uint64_t count, const Entry<Raw> entry, Raw *keys) {
  for_each_item(count, [&](uint64_t index) { keys[index] = entry.leave(items[index]); });
}

/* Keys of up to 4 bytes with their positions. */
template <typename Raw>
__global__ void __launch_bounds__(PAYLOAD_THREADS)
    pack_segment_positions_kernel(const Raw *keys, uint64_t count, const Entry<Raw> entry, uint64_t *items) {
  for_each_item(count, [&](uint64_t index) { items[index] = entry.enter(keys[index]) << 32 | index; });
}

/* Where each key was, and the keys, unless they are joined: `keys` is NULL then. */
template <typename Raw>
__global__ void __launch_bounds__(PAYLOAD_THREADS)
    unpack_segment_positions_kernel(const uint64_t *items, uint64_t count, const Entry<Raw> entry, uint32_t *origins,
                                    Raw *keys) {
  for_each_item(count, [&](uint64_t index) {
    const uint64_t item = items[index];
    origins[index] = static_cast<uint32_t>(item);
    if (keys != nullptr)
      keys[index] = entry.leave(item >> 32);
  });
}

/* ---- By halves --------------------------------------------------------------------------------------------------------- */

/* Keys of 8 bytes: the lower halves with their positions. */
__global__ void __launch_bounds__(PAYLOAD_THREADS)
    pack_segment_lower_halves_kernel(const uint64_t *keys, uint64_t count, const Entry<uint64_t> entry, uint64_t *items) {
  for_each_item(count, [&](uint64_t index) { items[index] = entry.enter(keys[index]) << 32 | index; });
}

/* Sorted by them: where each key was, which is kept, and its upper half, with its place in that order. */
__global__ void __launch_bounds__(PAYLOAD_THREADS)
    pack_segment_upper_halves_kernel(const uint64_t *keys, uint64_t count, const Entry<uint64_t> entry, uint32_t *lower_order,
                                     uint64_t *items) {
  for_each_item(count, [&](uint64_t index) {
    const uint32_t origin = static_cast<uint32_t>(items[index]);
    const uint64_t upper_half = entry.enter(keys[origin]) >> 32;
    lower_order[index] = origin;
    items[index] = upper_half << 32 | index;
  });
}

/* Sorted by both: where each key was. */
__global__ void __launch_bounds__(PAYLOAD_THREADS)
    find_segment_origins_kernel(const uint64_t *items, uint64_t count, const uint32_t *lower_order, uint32_t *origins) {
  for_each_item(count, [&](uint64_t index) { origins[index] = lower_order[static_cast<uint32_t>(items[index])]; });
}

} // namespace cdp::CDP_RUNTIME

#endif
