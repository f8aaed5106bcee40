/* SPDX-License-Identifier: MIT */
/*
 * A short array's equal keys (short_array.cuh): those of a splitter's value are written from it. Where they are many, the blocks
 * of the grid share them.
 *
 *  1. One block writes some 50 GB/s: a megabyte takes it 20 us, where a whole sort takes 30 to 60.
 *  2. Where a value is so frequent, other blocks have little to do, or nothing.
 *  3. Only the block whose bucket is in front of such keys finds out where they are, when all tiles are ordered. A grid that it
 *     launched to write them would make the kernel one that may launch (short_behind.cuh).
 *  4. A block that has taken a bucket runs, and waits for nobody until it has looked where its equal keys are.
 *  Therefore that block lists them, and others write pieces of what is listed when they have sorted their buckets. A block that
 *  has none to sort waits until all that run have looked. Who lists keys stays until all pieces are taken, and so no key is left.
 *
 * Keys that are all different cost nothing of this: their splitters have no equal buckets.
 */
#ifndef CDPSORT_DEVICE_RECURSION_SHORT_EQUAL_CUH
#define CDPSORT_DEVICE_RECURSION_SHORT_EQUAL_CUH

#include "block/mapped_shape.cuh"
#include "block/partition.cuh"
#include "recursion/task.cuh"

namespace cdp::CDP_RUNTIME {

constexpr uint32_t SHARED_EQUAL = shared_equal_items(DEVICE_KIND); /* keys from which on they are shared */
constexpr uint32_t EQUAL_PIECE = equal_piece_items(DEVICE_KIND);   /* those of a piece */

/* Lists equal keys. False if the list is full. For one thread. */
template <typename Bits>
__device__ inline bool list_equal(const Sort<Bits> &sort, const Range &range, Bits key) {
  const uint32_t place = atomicAdd(&sort.control->equal_listed, 1u);
  if (place >= MAX_SHORT_EQUAL)
    return false;
  EqualKeys &listed = sort.short_equal[place];
  listed.key = key;
  __threadfence();
  atomicExch(&listed.places, static_cast<unsigned long long>(range.begin << 32 | range.end)); // a short array's: 32 bits each
  return true;
}

/* Counts the equal keys behind a bucket, and lists them if they are many; and counts this block among those that have looked.
   Returns whether it is to write them itself. For one thread. */
template <typename Bits>
__device__ inline bool announce_equal(const Sort<Bits> &sort, const Range &range, Bits key) {
  if (range.items() != 0)
    count_equal(sort.rules.counters, 0, range.items());
  const bool is_listed = range.items() >= SHARED_EQUAL && list_equal(sort, range, key);
  if (is_listed) // a fence is waited for
    __threadfence();
  atomicAdd(&sort.control->buckets_seen, 1u);
  return !is_listed && range.items() != 0;
}

/* Waits until all blocks that run have looked at their equal keys. For one thread. */
template <typename Bits>
__device__ inline void await_equal(const Sort<Bits> &sort) {
  const uint32_t taken = read_anew(&sort.control->buckets_taken);
  const uint32_t running = taken < sort.short_fan_out ? taken : sort.short_fan_out;
  while (read_anew(&sort.control->buckets_seen) < running)
    ;
}

/*
 * Takes a piece of what is listed, if any is left, and writes it to `*piece`, in shared memory. For one warp.
 *
 * 1. What one thread asks of memory that all blocks share, it waits most of a microsecond for.
 * 2. Where many values are listed, most have no piece left when a block comes.
 * Therefore each lane looks at one place, all at the same time, and those alone are asked for a piece that have one. What another
 * block lists meanwhile may be missed: that block will not.
 */
template <typename Bits>
__device__ inline void take_piece(const Sort<Bits> &sort, EqualPiece<Bits> *piece) {
  constexpr uint32_t NONE = UINT32_MAX;
  const uint32_t lane = threadIdx.x % WARP_LANES;
  static_assert(MAX_SHORT_EQUAL == WARP_LANES, "a lane for each place");
  EqualKeys &listed = sort.short_equal[lane];
  const unsigned long long places = read_anew(&listed.places);
  const uint32_t taken = read_anew(&listed.pieces_taken);
  const uint32_t begin = static_cast<uint32_t>(places >> 32);
  const uint32_t end = static_cast<uint32_t>(places);
  const uint32_t pieces = (end - begin + EQUAL_PIECE - 1) / EQUAL_PIECE;
  uint32_t left = __ballot_sync(ALL_LANES, taken < pieces ? 1 : 0);
  uint32_t found = 0;
  for (; left != 0 && found == 0; left &= left - 1) {
    uint32_t mine = NONE;
    if (lane == static_cast<uint32_t>(__ffs(static_cast<int>(left))) - 1)
      mine = atomicAdd(&listed.pieces_taken, 1u);
    if (mine < pieces) {
      __threadfence(); // the key was written before the places
      const uint32_t first = begin + mine * EQUAL_PIECE;
      *piece = {first, end - first > EQUAL_PIECE ? first + EQUAL_PIECE : end, static_cast<Bits>(read_anew(&listed.key))};
    }
    found = __ballot_sync(ALL_LANES, mine < pieces ? 1 : 0);
  }
  if (found == 0 && lane == 0)
    *piece = {};
}

/* Writes pieces of what is listed, until all are taken. All threads take part; begins with a barrier. `piece` is in shared
   memory. */
template <typename Bits>
__device__ __noinline__ void write_listed_equal(const Sort<Bits> &sort, EqualPiece<Bits> *piece) {
  for (;;) {
    __syncthreads();
    if (threadIdx.x < WARP_LANES)
      take_piece(sort, piece);
    __syncthreads();
    const EqualPiece<Bits> mine = *piece;
    if (mine.begin == mine.end)
      return;
    fill_range<Bits>(sort.rules, mine.begin, mine.end, mine.key, threadIdx.x, blockDim.x);
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
