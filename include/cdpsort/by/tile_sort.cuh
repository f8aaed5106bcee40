/* SPDX-License-Identifier: MIT */
/*
 * Sorts what lies in a block's shared memory by a comparison of which nothing is believed.
 *
 * 1. Each thread sorts its items in registers by Batcher's network. Whatever the comparison says, items are only exchanged.
 * 2. Runs of one thread, of two, of four are merged; where their threads are one warp's, without the block's barriers. Each thread
 *    bisects where its share of two runs begins (merge path: Saher Odeh, Oded Green, Zahi Mwassi, Oz Shmueli and Yitzhak
 *    Birk, "Merge Path - Parallel Merging Made Simple", 2012); its share ends where its neighbour's begins, as the neighbour has
 *    found it: nobody looks twice.
 * 3. Where shares contradict each other (one ends before it begins, or is longer than a thread's items) nobody merges in that
 *    round. Otherwise a thread merges its share of either run; what it takes behind that is left behind.
 *
 * So each round moves every item once: in the end all of them are there, in order if the comparison is a strict weak order.
 */
#ifndef CDPSORT_BY_TILE_SORT_CUH
#define CDPSORT_BY_TILE_SORT_CUH

#include "cdpsort/by/by_device.cuh"

namespace cdp::by {

template <typename Item, uint32_t THREADS>
struct SortBlock {
  static constexpr uint32_t ITEMS = SHAPE<Item>.sort_items;
  static constexpr uint32_t TILE = THREADS * ITEMS;
  static constexpr uint32_t STAGE_BYTES =
      rounded((TILE + ITEMS + 1) * sizeof(Item)); /* merge_share() reads so far, perhaps while it is written */

  alignas(16) unsigned char stage_bytes[STAGE_BYTES];
  uint32_t splits[THREADS + 1];

  __device__ __forceinline__ Item *stage() {
    return reinterpret_cast<Item *>(stage_bytes);
  }
};

/* ---- A thread's items -------------------------------------------------------------------------------------------------- */

/* One step of Batcher's odd-even merge sort: comparators from item i to i + K, within runs of 2P. */
template <uint32_t P, uint32_t K, uint32_t ITEMS, typename Item, typename Less>
__device__ __forceinline__ void network_step(Item (&items)[ITEMS], const Less &less) {
#pragma unroll
  for (uint32_t low = 0; low + K < ITEMS; low++) {
    const bool is_there = low + 1 > K % P && (low - K % P) % (2 * K) < K && low / (2 * P) == (low + K) / (2 * P);
    if (is_there) {
      const bool is_wrong = less(items[low + K], items[low]);
      const Item lesser = is_wrong ? items[low + K] : items[low];
      items[low + K] = is_wrong ? items[low] : items[low + K];
      items[low] = lesser;
    }
  }
}

template <uint32_t P, uint32_t K, uint32_t ITEMS, typename Item, typename Less>
__device__ __forceinline__ void network(Item (&items)[ITEMS], const Less &less) {
  network_step<P, K>(items, less);
  if constexpr (K > 1)
    network<P, K / 2>(items, less);
  else if constexpr (2 * P < ITEMS)
    network<2 * P, 2 * P>(items, less);
}

/* Whether two items are the same bit by bit. They are moved as words, which have nothing between them. */
template <typename Item>
__device__ __forceinline__ bool are_same(const Item &left, const Item &right) {
  using Word = typename WordOf<(sizeof(Item) % 4 == 0 ? 4 : 1)>::Type;
  constexpr uint32_t WORDS = sizeof(Item) / sizeof(Word);
  Word a[WORDS];
  Word b[WORDS];
  memcpy(a, &left, sizeof left);
  memcpy(b, &right, sizeof right);
  bool same = true;
#pragma unroll
  for (uint32_t word = 0; word < WORDS; word++)
    same = same && a[word] == b[word];
  return same;
}

/*
 * Sorts a thread's `valid` items at `places`, and leaves them in registers, and where fewer than ITEMS also in their places: then
 * what is missing is a copy of the first one meanwhile, of which as many are left out again. The same network does for both: that
 * of the few threads that have fewer would be as much code once more.
 */
template <uint32_t ITEMS, typename Item, typename Less>
__device__ __forceinline__ void sort_thread(Item (&items)[ITEMS], uint32_t valid, Item *places, const Less &less) {
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    items[item] = places[item < valid ? item : 0];
  const Item first = items[0];
  network<1, 1>(items, less);
  if (valid == ITEMS)
    return;
  uint32_t left_out = 0;
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++) {
    const bool is_left_out = left_out < ITEMS - valid && are_same(items[item], first);
    if (!is_left_out)
      places[item - left_out] = items[item];
    left_out += is_left_out ? 1 : 0;
  }
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    if (item < valid)
      items[item] = places[item];
}

/* ---- Merging ----------------------------------------------------------------------------------------------------------- */

/* How many of the first `rank` items of two runs, in order, come from the first one. Whatever the comparison says, no more than it
   has, and none that the second one would have to have beyond its end. */
template <typename Item, typename Less>
__device__ __forceinline__ uint32_t find_split(const Item *first, uint32_t first_items, const Item *second,
                                               uint32_t second_items, uint32_t rank, const Less &less) {
  uint32_t low = rank > second_items ? rank - second_items : 0;
  uint32_t high = least(rank, first_items);
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (less(second[rank - 1 - middle], first[middle]))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* A thread's share of two runs. */
struct Share {
  uint32_t a;
  uint32_t a_end;
  uint32_t b;
  uint32_t b_end;

  __device__ __forceinline__ uint32_t items() const {
    return a_end - a + (b_end - b);
  }
};

/*
 * Merges a thread's share of two runs into its items; there are ITEMS of them at most.
 *
 * 1. A branch for each item, whether there is one more, is 5 of 18 instructions. Without it a thread goes on behind its share: it takes what lies there, up to ITEMS items further, asks nobody about it, and stages none of it.
 * 2. A place that is a number of bytes is read as it is. A number of items must be made an address of first, above all by the
 *    runtime compiler, whose addresses of shared memory have 64 bits.
 * 3. Either run is read by those lanes that took from it: one read for either would have to be moved to where it belongs.
 * Therefore the loop is as it is: 2^26 numbers of 4 bytes are sorted in 7 % less time than by numbers of items and with the
 * branch (H200, docs/lab/2026-11-27-merging-without-branches.md).
 */
template <uint32_t ITEMS, typename Item, typename Less>
__device__ __forceinline__ void merge_share(Item (&items)[ITEMS], const Share &share, const Item *stage, const Less &less) {
  constexpr uint32_t STEP = sizeof(Item);
  const unsigned char *bytes = reinterpret_cast<const unsigned char *>(stage);
  if (share.items() == 0)
    return;
  const uint32_t a_end = share.a_end * STEP;
  const uint32_t b_end = share.b_end * STEP;
  uint32_t a = share.a * STEP;
  uint32_t b = share.b * STEP;
  Item a_item = *reinterpret_cast<const Item *>(bytes + a);
  Item b_item = *reinterpret_cast<const Item *>(bytes + b);
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++) {
    const bool takes_a = b >= b_end || (a < a_end && !less(b_item, a_item));
    items[item] = takes_a ? a_item : b_item;
    if (takes_a) {
      a += STEP;
      a_item = *reinterpret_cast<const Item *>(bytes + a);
    } else {
      b += STEP;
      b_item = *reinterpret_cast<const Item *>(bytes + b);
    }
  }
}

/* What a round's threads wait for: the block where several warps have a pair of runs, the warp otherwise. One code for both: what a
   block has to fetch of it is what it waits for. */
__device__ __forceinline__ void wait_for_round(bool is_block) {
  if (is_block)
    __syncthreads();
  else
    __syncwarp();
}
__device__ __forceinline__ bool any_of_round(bool is_block, bool predicate) {
  if (is_block)
    return __syncthreads_or(predicate) != 0;
  return __any_sync(EVERY_LANE, predicate) != 0;
}

/* Merges the pairs of runs of `threads` threads' items, all of `count`. What is staged is there for all that take part, and may be
   written again behind it. */
template <uint32_t ITEMS, typename Item, uint32_t THREADS, typename Less>
__device__ __forceinline__ void merge_round(Item (&items)[ITEMS], SortBlock<Item, THREADS> &block, uint32_t count,
                                            uint32_t threads, const Less &less) {
  const Item *stage = block.stage();
  const bool is_block = threads >= LANES;
  const uint32_t first = least(threadIdx.x * ITEMS, count);
  const uint32_t begin = least((threadIdx.x & ~(2 * threads - 1)) * ITEMS, count);
  const uint32_t middle = least(begin + threads * ITEMS, count);
  const uint32_t end = least(begin + 2 * threads * ITEMS, count);
  const uint32_t rank = first - begin;
  const uint32_t next_rank = least(rank + ITEMS, end - begin);
  const uint32_t split = find_split(stage + begin, middle - begin, stage + middle, end - middle, rank, less);
  block.splits[threadIdx.x] = split;
  wait_for_round(is_block);
  const uint32_t next_split = begin + next_rank == end ? middle - begin : block.splits[threadIdx.x + 1];
  // Wrapped around, a step backwards is too long.
  if (!any_of_round(is_block, next_split - split > next_rank - rank))
    merge_share(items, {begin + split, begin + next_split, middle + (rank - split), middle + (next_rank - next_split)}, stage,
                less);
  wait_for_round(is_block);
}

/* ---- The block --------------------------------------------------------------------------------------------------------- */

template <uint32_t ITEMS, typename Item>
__device__ __forceinline__ void stage_items(const Item (&items)[ITEMS], uint32_t valid, Item *stage) {
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    if (item < valid)
      stage[threadIdx.x * ITEMS + item] = items[item];
}

/*
 * Sorts `count` staged items, at most a tile of them. All threads take part, with the same arguments; the stage must be visible to
 * the block, and is so in the end.
 */
template <typename Item, uint32_t THREADS, typename Less>
__device__ __forceinline__ void sort_block(SortBlock<Item, THREADS> &block, uint32_t count, const Less &less) {
  constexpr uint32_t ITEMS = SortBlock<Item, THREADS>::ITEMS;
  Item *stage = block.stage();
  Item items[ITEMS] = {};
  const uint32_t first = least(threadIdx.x * ITEMS, count);
  const uint32_t valid = least(count - first, ITEMS);
  if (valid != 0)
    sort_thread(items, valid, stage + first, less);
  const uint32_t warp_first = threadIdx.x / LANES * LANES * ITEMS;
  for (uint32_t threads = 1; threads * ITEMS < count; threads *= 2) {
    if (threads < LANES && warp_first + threads * ITEMS >= count)
      continue; // the warp has one run or none: it takes part where the whole block does
    stage_items(items, valid, stage);
    wait_for_round(threads >= LANES);
    merge_round(items, block, count, threads, less);
  }
  stage_items(items, valid, stage);
  __syncthreads();
}

} // namespace cdp::by

#endif
