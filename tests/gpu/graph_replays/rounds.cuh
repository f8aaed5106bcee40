/* SPDX-License-Identifier: MIT */
/*
 * What is in a graph beside the sort: keys that are new in every round, and work on other memory. Rounds are counted in device
 * memory, so that a graph does something else each time it is replayed.
 */
#ifndef CDPSORT_TESTS_GRAPH_REPLAYS_ROUNDS_CUH
#define CDPSORT_TESTS_GRAPH_REPLAYS_ROUNDS_CUH

#include "device_rank.cuh"

namespace graph_replays {

using device_data::BLOCK_THREADS;
using device_data::blocks_for;
using device_data::Form;
using device_data::mix;

/* In device memory. */
struct Rounds {
  unsigned long long number;       /* of those that are over */
  unsigned long long beside;       /* and of those, with work beside the sort */
  unsigned long long wrong_beside; /* words that this work should have made something else */
};

/* What a round's keys are: as many as all that, and in a round the one whose turn it is. */
enum class Kind : uint32_t { random, distinct_256, rising, half_equal };
constexpr uint32_t KINDS = 4;

/* The place of a round's key in the order of its type. */
template <typename Bits>
__device__ Bits rank_in_round(uint64_t index, uint64_t round, Kind kind) {
  const uint64_t hash = mix(index + mix(round + 1));
  if (kind == Kind::rising)
    return static_cast<Bits>(index + round);
  if (kind == Kind::distinct_256)
    return static_cast<Bits>(mix(hash % 256 + round));
  if (kind == Kind::half_equal && hash % 2 == 0)
    return static_cast<Bits>(mix(round));
  return static_cast<Bits>(hash >> (64 - 8 * sizeof(Bits)));
}

/* Writes a round's keys. kinds: 1 for random ones alone. */
template <typename Bits>
__global__ void fill_kernel(Bits *keys, uint64_t count, Form form, uint32_t kinds, const Rounds *rounds) {
  const Kind kind = static_cast<Kind>(rounds->number % kinds);
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t index = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; index < count; index += stride)
    keys[index] = device_data::raw_of(rank_in_round<Bits>(index, rounds->number, kind), form);
}

/* The work beside the sort: memory that a memset has filled before is emptied, and its words counted. */
constexpr uint32_t BESIDE_WORDS = 1u << 16;
constexpr unsigned char BESIDE_BYTE = 0x5A;

__global__ void beside_kernel(uint32_t *filled, uint32_t *counts) {
  const uint32_t index = blockIdx.x * blockDim.x + threadIdx.x;
  counts[index] += filled[index] == 0x01010101u * BESIDE_BYTE ? 1 : 1000;
  filled[index] = 0;
}

/* Ends a round. One block. counts: NULL where there was no work beside it. */
__global__ void end_kernel(Rounds *rounds, const uint32_t *counts) {
  const unsigned long long wanted = rounds->beside + 1;
  for (uint32_t index = threadIdx.x; counts != nullptr && index < BESIDE_WORDS; index += blockDim.x)
    if (counts[index] != wanted)
      atomicAdd(&rounds->wrong_beside, 1ull);
  __syncthreads();
  if (threadIdx.x != 0)
    return;
  rounds->number++;
  rounds->beside += counts != nullptr ? 1 : 0;
}

/* Keeps a stream busy while the host launches what is to be timed. */
__global__ void hold_kernel(uint64_t nanoseconds) {
  unsigned long long begin;
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    __nanosleep(1000);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}

} // namespace graph_replays

#endif
