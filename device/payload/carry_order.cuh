/* SPDX-License-Identifier: MIT */
/*
 * Keys that carry values and are in order as they are (carry.cuh): where a sample of them does not fall, all keys are looked at. The first
 * one that falls ends that, and they are sorted as if nobody had looked. If none does, there is nothing to move.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_CARRY_ORDER_CUH
#define CDPSORT_DEVICE_PAYLOAD_CARRY_ORDER_CUH

#include "payload/carry_look.cuh"

namespace cdp::CDP_RUNTIME {

/* Looks whether keys fall anywhere. Blocks take every so many tiles. */
template <typename Key, typename Value>
__global__ void __launch_bounds__(CARRY_THREADS)
    // cppcheck-suppress passedByValue
    carry_order_kernel(const __grid_constant__ Carry<Key, Value> carry) {
  constexpr uint32_t ITEMS = CARRY_KEYS_ROW<Key>.items;
  constexpr uint32_t TILE = CARRY_THREADS * ITEMS;
  CarryControl<Key> &control = *carry.control;
  const volatile uint32_t &is_in_order = control.is_in_order;
  for (uint32_t tile = blockIdx.x; tile < carry.tiles && is_in_order != 0; tile += gridDim.x) {
    const uint32_t begin = tile * TILE;
    bool falls = false;
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++) {
      const uint32_t index = begin + item * CARRY_THREADS + threadIdx.x;
      if (index < carry.count - 1)
        falls |= carry.map.enter(carry.keys[index + 1], true) < carry.map.enter(carry.keys[index], true);
    }
    if (!falls)
      continue;
    control.is_in_order = 0; // whoever writes it, it is the same
    if (carry.leaves_order)
      control.given_up = 1;
  }
}

/* Copies what is in order to where it is wanted, if that is elsewhere. All threads of a grid take part. */
template <typename Key, typename Value>
__device__ __forceinline__ void copy_in_order(const Carry<Key, Value> &carry) {
  const bool moves_keys = carry.wants_keys && carry.sorted_keys != carry.keys;
  const bool moves_values = carry.sorted_values != carry.values;
  const uint32_t step = gridDim.x * blockDim.x;
  for (uint32_t index = blockIdx.x * blockDim.x + threadIdx.x; index < carry.count; index += step) {
    if (moves_keys)
      carry.sorted_keys[index] = carry.keys[index];
    if (moves_values)
      carry.sorted_values[index] = carry.values != nullptr ? carry.values[index] : static_cast<Value>(index);
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
