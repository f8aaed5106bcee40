/* SPDX-License-Identifier: MIT */
/*
 * Numbers of the bitonic sort of a whole array (bitonic/), for every kind of device.
 */
#ifndef CDPSORT_DEVICE_TUNING_BITONIC_H
#define CDPSORT_DEVICE_TUNING_BITONIC_H

#include <cstdint>

namespace cdp {

/*
 * On a GPU and on the simulated device, for keys of up to 4 bytes and of 8:
 *
 * threads    of a block that sorts or merges a tile.
 * items      of a thread there; 2, 4, 8 or 16. A tile is as long as shared memory allows that every block may have (48 KB), in a
 *            power of two: each doubling is a pass over memory less for every phase.
 * far_bits   distances that a thread does in one pass over memory beyond tiles; it holds 2^far_bits keys, with where they lie,
 * in 64
 *            registers. One distance more is spilled (nvcc of CUDA 13).
 *
 * Reckoned, not measured.
 */
struct BitonicShape {
  uint32_t threads;
  uint32_t items[2];
  uint32_t far_bits[2];
};

constexpr BitonicShape bitonic_shape(bool is_simulated) {
  if (is_simulated)
    return {64, {8, 4}, {3, 2}};
  return {512, {16, 8}, {4, 3}};
}

/* Of a block that does far distances: a grid has no more than 2^31 - 1 blocks, of CDP_COUNT_MAX keys, two to a thread. */
constexpr uint32_t FAR_THREADS = 512;

constexpr uint32_t bitonic_items(const BitonicShape &shape, uint32_t key_bytes) {
  return shape.items[key_bytes == 8 ? 1 : 0];
}

constexpr uint32_t bitonic_far_bits(const BitonicShape &shape, uint32_t key_bytes) {
  return shape.far_bits[key_bytes == 8 ? 1 : 0];
}

/* Keys that a block sorts, or merges. */
constexpr uint32_t bitonic_tile(const BitonicShape &shape, uint32_t key_bytes) {
  return shape.threads * bitonic_items(shape, key_bytes);
}

/* Passes over memory, each a read and a write of all keys. */
constexpr uint32_t bitonic_passes(const BitonicShape &shape, uint32_t key_bytes, uint64_t count) {
  const uint32_t far_bits = bitonic_far_bits(shape, key_bytes);
  uint32_t passes = 1;
  uint32_t far = 1;
  for (uint64_t size = 2 * uint64_t{bitonic_tile(shape, key_bytes)}; size / 2 < count; size *= 2)
    passes += (far++ + far_bits - 1) / far_bits + 1;
  return passes;
}

static_assert(bitonic_tile(bitonic_shape(false), 4) == 8192 && bitonic_tile(bitonic_shape(false), 8) == 4096 &&
                  bitonic_passes(bitonic_shape(false), 4, uint64_t{1} << 26) == 42 &&
                  bitonic_passes(bitonic_shape(false), 8, uint64_t{1} << 26) == 55,
              "the public header states it");

} // namespace cdp

#endif
