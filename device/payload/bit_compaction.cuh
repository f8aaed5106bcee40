/* SPDX-License-Identifier: MIT */
/*
 * Leaving out bits that are the same in all keys: the number that the others make rises as the keys do, and has fewer bits. ("Compress";
 * Warren, "Hacker's Delight", 2012, 7-4.)
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_BIT_COMPACTION_CUH
#define CDPSORT_DEVICE_PAYLOAD_BIT_COMPACTION_CUH

#include "runtime/runtime.cuh"

namespace cdp::CDP_RUNTIME {

/* Steps in which bits are moved together, each by twice as many places as the one before. */
constexpr uint32_t COMPACTION_STEPS = 6;
using CompactionMoves = unsigned long long[COMPACTION_STEPS];

/* Finds which bits each step moves, so that those that vary come together. For each thread by itself. */
__device__ __forceinline__ void plan_compaction(uint64_t varying, CompactionMoves &moves) {
  uint64_t left_out_below = ~varying << 1; // of each bit, counted in the step's unit
  for (uint32_t step = 0; step < COMPACTION_STEPS; step++) {
    uint64_t odd = left_out_below; // where an odd number of bits below are left out
    for (uint32_t distance = 1; distance < 64; distance *= 2)
      odd ^= odd << distance;
    const uint64_t moved = odd & varying;
    moves[step] = moved;
    varying = (varying ^ moved) | moved >> (1u << step);
    left_out_below &= ~odd;
  }
}

/* The number that a key's varying bits make. */
__device__ __forceinline__ uint64_t compacted(uint64_t key, uint64_t varying, const CompactionMoves &moves) {
  uint64_t bits = key & varying;
#pragma unroll
  for (uint32_t step = 0; step < COMPACTION_STEPS; step++) {
    const uint64_t moved = bits & moves[step];
    bits = (bits ^ moved) | moved >> (1u << step);
  }
  return bits;
}

} // namespace cdp::CDP_RUNTIME

#endif
