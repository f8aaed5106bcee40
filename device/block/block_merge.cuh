/* SPDX-License-Identifier: MIT */
/*
 * Sorts what one block holds in registers: each warp its items bitonically (bitonic.cuh), and then runs of one warp, of two, of
 * four by merging in shared memory, where each thread finds by bisection which part of two runs is its own to merge (merge
 * path: Odeh, Green, Mwassi, Shmueli and Birk 2012; on a GPU: Green, McColl and Bader 2012).
 *
 * Why not the bitonic network to the end: it takes more comparators the longer it gets, and a power of two of threads. Why it
 * at all: within a warp it needs neither shared memory nor barriers.
 */
#ifndef CDPSORT_DEVICE_BLOCK_BLOCK_MERGE_CUH
#define CDPSORT_DEVICE_BLOCK_BLOCK_MERGE_CUH

#include "block/bitonic.cuh"
#include "block/count.cuh"
#include "block/team.cuh"

namespace cdp::CDP_RUNTIME {

/* Where an item lies in shared memory: one place is left out behind every 32, so that threads that each write consecutive items
   do so to different banks. */
__device__ __forceinline__ uint32_t padded(uint32_t index) {
  return index + index / WARP_LANES;
}

/* Two neighbouring runs: [a, b) and [b, end). */
struct RunPair {
  uint32_t a;
  uint32_t b;
  uint32_t end;
};

/* How many of a pair's first `rank` items, in order, come from its first run; equal ones do before those of the second. */
template <typename Bits>
__device__ __forceinline__ uint32_t merge_path(const RunPair &pair, uint32_t rank, const Bits *stage) {
  const uint32_t b_items = pair.end - pair.b;
  uint32_t low = rank > b_items ? rank - b_items : 0;
  uint32_t high = rank < pair.b - pair.a ? rank : pair.b - pair.a;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (stage[padded(pair.b + rank - 1 - middle)] < stage[padded(pair.a + middle)])
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* Merges a thread's share of a pair of runs: ITEMS from `rank` on. */
template <uint32_t ITEMS, typename Bits>
__device__ __forceinline__ void merge_share(Bits (&items)[ITEMS], const RunPair &pair, uint32_t rank, const Bits *stage) {
  const uint32_t from_a = merge_path(pair, rank, stage);
  uint32_t a = pair.a + from_a;
  uint32_t b = pair.b + rank - from_a;
  Bits a_item = stage[padded(a)];
  Bits b_item = stage[padded(b)];
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++) {
    const bool takes_a = b >= pair.end || (a < pair.b && !(b_item < a_item));
    items[item] = takes_a ? a_item : b_item;
    // One read for either: behind a run's end it reads what is never taken.
    const uint32_t next = (takes_a ? a : b) + 1;
    const Bits next_item = stage[padded(next)];
    a = takes_a ? next : a;
    b = takes_a ? b : next;
    a_item = takes_a ? next_item : a_item;
    b_item = takes_a ? b_item : next_item;
  }
}

/*
 * Whether a thread's items stay where they are when its pair of runs is merged: nothing of the other run belongs before the last of
 * them or behind the first. What is merged may be nearly in order (on_chip_sort.cuh): then this is so for most warps, which have
 * nothing to do in that round. H200, 2^14 items of 4 bytes: in cells of 512 they take half of the time of random ones, which take 1 or
 * 2 % more for being asked (docs/lab/2026-11-27-ranks-guessed-again.md).
 */
template <uint32_t ITEMS, typename Bits>
__device__ __forceinline__ bool stays(const Bits (&items)[ITEMS], const RunPair &pair, uint32_t rank, const Bits *stage) {
  return rank < pair.b - pair.a ? !(stage[padded(pair.b)] < items[ITEMS - 1]) : !(items[0] < stage[padded(pair.b - 1)]);
}

/* Sorts the blocked items of a team's first `threads` threads (whole warps). All its threads take part. `stage` has merge_room()
   for them; it may be written again at once. */
template <uint32_t ITEMS, typename Bits, typename AnyTeam>
__device__ __forceinline__ void merge_sort_items(Bits (&items)[ITEMS], uint32_t threads, Bits *stage, const AnyTeam &team) {
  const uint32_t first = team.thread * ITEMS;
  const uint32_t total = threads * ITEMS;
  const bool takes_part = team.thread < threads;
  if (takes_part)
    warp_bitonic_sort(items);
  for (uint32_t run = WARP_LANES * ITEMS; run < total; run *= 2) {
    if (takes_part)
#pragma unroll
      for (uint32_t item = 0; item < ITEMS; item++)
        stage[padded(first + item)] = items[item];
    team.sync();
    RunPair pair;
    pair.a = first / (2 * run) * (2 * run);
    pair.b = pair.a + run;
    pair.end = total - pair.a < 2 * run ? total : pair.a + 2 * run;
    if (takes_part && pair.b < pair.end && !__all_sync(ALL_LANES, stays(items, pair, first - pair.a, stage)))
      merge_share(items, pair, first - pair.a, stage);
    team.sync();
  }
}

/* The same for the block's first `threads` threads. All threads of the block take part. */
template <uint32_t ITEMS, typename Bits>
__device__ __forceinline__ void block_merge_sort(Bits (&items)[ITEMS], uint32_t threads, Bits *stage) {
  merge_sort_items(items, threads, stage, Team<Bits, 1>());
}

/*
 * Sorts raw keys from `source`, at most BLOCK_THREADS * ITEMS, into a range of the caller's array.
 * - All threads of the block take part, with the same arguments; what `source` holds must be visible to the block.
 * - `stage` has merge_room() for as many, and may be the source.
 */
template <typename Bits, uint32_t ITEMS>
__device__ __forceinline__ void block_register_sort(const BlockRules<Bits> &rules, const Bits *source, const Range &range,
                                                    Bits *stage) {
  const uint32_t count = static_cast<uint32_t>(range.items());
  const uint32_t threads = (count + WARP_LANES * ITEMS - 1) / (WARP_LANES * ITEMS) * WARP_LANES;
  Bits items[ITEMS];
  const bool takes_part = threadIdx.x < threads;
  if (takes_part)
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++) {
      const uint32_t index = item * threads + threadIdx.x;
      items[item] = index < count ? source[index] : rules.map.missing(range.is_raw());
    }
  rules.map.enter_all(items, range.is_raw());
  __syncthreads();
  block_merge_sort(items, threads, stage);
  const uint32_t first = threadIdx.x / WARP_LANES * WARP_LANES * ITEMS; // the warp's first item
  if (takes_part && first < count) {
    turn_arrangement(items);
    store_striped(items, rules.side(Side::keys) + range.begin + first, count - first, rules.map, true);
  }
  if (threadIdx.x == 0)
    count_leaves(rules.counters, range.depth, 1, count);
}

} // namespace cdp::CDP_RUNTIME

#endif
