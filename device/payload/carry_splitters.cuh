/* SPDX-License-Identifier: MIT */
/*
 * Splitters of keys that carry values (carry.cuh): the keys of evenly spaced ranks in a sorted sample, each once. A bucket has the keys
 * above one of them, and up to the next. A value that comes twice among twice as many of such keys is frequent, and has a bucket of its
 * own: it is a splitter, and so is the number before it.
 *
 * A key's bucket is looked up in one of two ways:
 *
 *     table   of lines that are as wide as one another: how many splitters are below each. From there on one goes up, a step as a rule
 *     tree    where splitters crowd in a line: all of them, level by level. It has as many levels whatever the keys
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_CARRY_SPLITTERS_CUH
#define CDPSORT_DEVICE_PAYLOAD_CARRY_SPLITTERS_CUH

#include "block/scan.cuh"
#include "block/splitters.cuh"
#include "tuning_carry.h"

namespace cdp::CDP_RUNTIME {

constexpr CarryRow CARRY_ROW = carry_row(DEVICE_KIND);
constexpr uint32_t CARRY_THREADS = CARRY_ROW.threads;
constexpr uint32_t CARRY_WARPS = CARRY_THREADS / WARP_LANES;
template <typename Key>
constexpr CarryKeysRow CARRY_KEYS_ROW = carry_keys_row(DEVICE_KIND, sizeof(Key));

constexpr uint32_t SPLITTER_LEVELS = 8;
constexpr uint32_t SPLITTER_NODES = 1u << SPLITTER_LEVELS;
static_assert(MAX_CARRY_BUCKETS <= SPLITTER_NODES && 2 * CARRY_ROW.max_buckets <= CARRY_THREADS, "there are as many of them");

constexpr uint32_t SPLITTER_LINE_BITS = 12;
constexpr uint32_t SPLITTER_LINES = 1u << SPLITTER_LINE_BITS;

/* The most splitters of a line, where the table is used: by it the second scatter of 2^26 keys took 0.65 ms, by the tree 0.71 to 0.75
   (H200, docs/lab/2026-11-25-carried-splitters.md). */
constexpr uint32_t MAX_LINE_SPLITTERS = 2;

template <typename Key>
struct CarrySplitters {
  Key tree[SPLITTER_NODES];               /* from node 1 on; where there are no more, the greatest number */
  Key rising[SPLITTER_NODES];             /* the same in their order */
  uint32_t equal[MAX_CARRY_BUCKETS / 32]; /* a bit for each bucket: 1, of one frequent value */
  uint32_t is_crowded;                    /* 1: by the tree */
  uint32_t line_shift;                    /* how many lower bits tell keys of a line apart */
  uint8_t lower[SPLITTER_LINES];          /* splitters below each line, the first of which begins with the least splitter */

  __device__ __forceinline__ bool has_equal_keys(uint32_t bucket) const {
    return (equal[bucket / 32] >> bucket % 32 & 1) != 0;
  }
};

/* Maps of entered keys to buckets, by splitters in shared memory. */
template <typename Key>
struct SplitterTree {
  static constexpr bool IS_LEARNT = true;

  const Key *tree;

  __device__ __forceinline__ uint32_t operator()(Key key) const {
    uint32_t node = 1;
#pragma unroll
    for (uint32_t level = 0; level < SPLITTER_LEVELS; level++)
      node = 2 * node + (tree[node] < key ? 1 : 0);
    return node - SPLITTER_NODES;
  }
};

template <typename Key>
struct SplitterTable {
  static constexpr bool IS_LEARNT = true;

  const CarrySplitters<Key> &splitters;
  Key least;
  uint32_t line_shift;

  __device__ __forceinline__ uint32_t operator()(Key key) const {
    const uint32_t line = static_cast<uint32_t>(min((max(key, least) - least) >> line_shift, Key{SPLITTER_LINES - 1}));
    uint32_t bucket = splitters.lower[line];
    while (splitters.rising[bucket] < key) // what is behind the last is never less
      bucket++;
    return bucket;
  }
};

template <typename Key>
__device__ __forceinline__ SplitterTable<Key> splitter_table(const CarrySplitters<Key> &splitters) {
  return {splitters, splitters.rising[0], splitters.line_shift};
}

/* Calls `use` with the map of splitters in shared memory. */
template <typename Key, typename Use>
__device__ __forceinline__ void with_splitters(const CarrySplitters<Key> &splitters, Use use) {
  if (splitters.is_crowded != 0)
    use(SplitterTree<Key>{splitters.tree});
  else
    use(splitter_table(splitters));
}

/* The room in shared memory in which a sample is sorted. */
template <typename Key, uint32_t SAMPLES>
struct CarryLearn {
  Key stage[merge_room(SAMPLES)];
  uint32_t warp_totals[WARP_LANES];
};

/* Keys of evenly spaced ranks in the sorted sample that is staged, twice as many as splitters without frequent values. */
template <typename Key, uint32_t SAMPLES>
struct Candidates {
  const Key *sample;
  uint32_t buckets;

  __device__ __forceinline__ bool has(uint32_t index) const {
    return index + 1 < 2 * buckets;
  }
  __device__ __forceinline__ Key operator()(uint32_t index) const {
    return sample[static_cast<uint32_t>(uint64_t{index + 1} * SAMPLES / (2 * buckets))];
  }
  /* Whether it differs from the one before. */
  __device__ __forceinline__ bool is_new(uint32_t index) const {
    return has(index) && (index == 0 || (*this)(index - 1) != (*this)(index));
  }
  __device__ __forceinline__ bool is_frequent(uint32_t index) const {
    return is_new(index) && has(index + 1) && (*this)(index + 1) == (*this)(index);
  }
  /* Every second one is a splitter; a frequent one comes where one would be, too. */
  __device__ __forceinline__ bool is_splitter(uint32_t index) const {
    return index % 2 != 0 ? is_new(index) : is_frequent(index);
  }
};

/* Makes the tree and the table of so many splitters. All threads take part; begins and ends with a barrier. */
template <typename Key>
__device__ __forceinline__ void lay_out_splitters(uint32_t count, CarrySplitters<Key> &splitters) {
  for (uint32_t node = threadIdx.x; node < SPLITTER_NODES; node += CARRY_THREADS) {
    const uint32_t level = bits_of(node | 1) - 1;
    const uint32_t first = (2 * (node - (1u << level)) + 1) << (SPLITTER_LEVELS - 1 - level);
    splitters.tree[node] = node == 0 ? 0 : splitters.rising[first - 1];
  }
  const Key least = splitters.rising[0];
  const uint32_t bits = count == 0 ? 0 : bits_of(splitters.rising[count - 1] - least);
  const uint32_t shift = bits < SPLITTER_LINE_BITS ? 0 : bits - SPLITTER_LINE_BITS;
  if (threadIdx.x == 0) {
    splitters.line_shift = shift;
    splitters.is_crowded = 0;
  }
  __syncthreads();
  const SplitterTree<Key> below = {splitters.tree};
  const auto lower_of = [&](uint32_t line) {
    const bool is_there = line < SPLITTER_LINES && Key{line} << shift <= GREATEST<Key> - least;
    return is_there ? below(least + (Key{line} << shift)) : count;
  };
  for (uint32_t line = threadIdx.x; line < SPLITTER_LINES; line += CARRY_THREADS) {
    const uint32_t lower = lower_of(line);
    const uint32_t lower_of_next = lower_of(line + 1);
    splitters.lower[line] = static_cast<uint8_t>(lower);
    if (lower_of_next - lower > MAX_LINE_SPLITTERS)
      splitters.is_crowded = 1; // whoever writes it, it is the same
  }
  __syncthreads();
}

/* Makes splitters for so many buckets, one at least, and at most `more` of frequent values. They are in shared memory, as `learn`. All
   threads take part; ends with a barrier. Returns how many buckets there are, in every thread. */
template <typename Key, uint32_t EACH>
__device__ __forceinline__ uint32_t learn_splitters(Key (&sample)[EACH], uint32_t buckets, uint32_t more,
                                                    CarryLearn<Key, EACH * CARRY_THREADS> &learn,
                                                    CarrySplitters<Key> &splitters) {
  const uint32_t own = threadIdx.x;
  block_merge_sort(sample, CARRY_THREADS, learn.stage);
#pragma unroll
  for (uint32_t item = 0; item < EACH; item++)
    learn.stage[own * EACH + item] = sample[item];
  for (uint32_t index = own; index < SPLITTER_NODES; index += CARRY_THREADS)
    splitters.rising[index] = GREATEST<Key>;
  if (own < MAX_CARRY_BUCKETS / 32)
    splitters.equal[own] = 0;
  __syncthreads();
  const Candidates<Key, EACH *CARRY_THREADS> candidates = {learn.stage, buckets};
  const bool is_splitter = candidates.is_splitter(own);
  const bool is_frequent = candidates.is_frequent(own);
  // Splitters in the lower half, frequent values in the upper.
  uint32_t all;
  const uint32_t lower =
      lower_threads_sum<CARRY_WARPS>((is_splitter ? 1u : 0u) | (is_frequent ? 1u << 16 : 0u), learn.warp_totals, all);
  const uint32_t place = (lower & 0xFFFF) + min(lower >> 16, more);
  if (is_splitter) {
    const Key value = candidates(own);
    const bool has_own = is_frequent && lower >> 16 < more;
    splitters.rising[place] = has_own && value != 0 ? value - 1 : value;
    if (has_own) {
      const uint32_t bucket = value != 0 ? place + 1 : place; // nothing is below 0
      splitters.rising[place + 1] = value;
      atomicOr(&splitters.equal[bucket / 32], 1u << bucket % 32);
    }
  }
  __syncthreads();
  const uint32_t buckets_made = (all & 0xFFFF) + min(all >> 16, more) + 1;
  lay_out_splitters(buckets_made - 1, splitters);
  return buckets_made;
}

/* Copies splitters to shared memory, or back. All threads take part; no barrier. */
template <typename Key>
__device__ __forceinline__ void copy_splitters(const CarrySplitters<Key> &from, CarrySplitters<Key> &to) {
  static_assert(sizeof from % sizeof(uint32_t) == 0, "whole words");
  const auto *source = reinterpret_cast<const uint32_t *>(&from);
  auto *target = reinterpret_cast<uint32_t *>(&to);
  for (uint32_t word = threadIdx.x; word < sizeof from / sizeof(uint32_t); word += CARRY_THREADS)
    target[word] = source[word];
}

} // namespace cdp::CDP_RUNTIME

#endif
