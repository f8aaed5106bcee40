/* SPDX-License-Identifier: MIT */
/*
 * Keys of 8 bytes, which leave no room for a position in an item of 8.
 *
 *     look ──▶ items ──▶ sort ──▶ gather keys ──▶ mend ──▶ tiles ──▶ survey ──▶ sort ──▶ gather ──▶ mend ──▶ tiles ...
 *     at all     a window of the key   by position   runs of     longer    still longer ones: in rounds
 *     keys       and the position                    a few keys
 *
 * Arrays that are regrouped (regroup.cuh) have their items from there, and the kernel that mends gathers the keys itself.
 *
 * 1. An item has 64 bits, and a position takes up to 32 of them. What of a key is in the others, its window, is so many upper bits of
 *    its distance from the least key, or by pieces of a sample (window.cuh). Where distances have no more bits, the sort of the items is
 *    that of the keys.
 * 2. Otherwise keys that agree in the window, a run, come in the order of the input. Of 2^26 random keys a window has 38 bits, and
 *    one key in 2^12 has such a neighbour. Runs of at most MOST_RUN_KEYS are put in order where they lie: each key counts how
 *    many come before it.
 * 3. A longer run whose keys do not fall is in order as it is: so is one of equal keys. Others, up to some thousand keys, are put in
 *    order on chip, together with all that lies beside them (wide_tiles.cuh).
 * 4. Where there is a longer one yet, all keys are sorted once more, by what of them no window has shown (wide_runs.cuh); and again,
 *    until there is nothing left to show.
 * 5. The host does not know which it will be, and must not wait. Therefore it launches all of it: where it is not wanted kernels
 *    do nothing, the items stay in order, and further sorts end as they begin, or as soon as they have seen the order
 *    (cdp_plan::d_wanted).
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_WIDE_KEYS_CUH
#define CDPSORT_DEVICE_PAYLOAD_WIDE_KEYS_CUH

#include "payload/wide_sort.cuh"

namespace cdp::CDP_RUNTIME {

/* ---- The window -------------------------------------------------------------------------------------------------------- */

// cppcheck-suppress passedByValue
__global__ void __launch_bounds__(PAYLOAD_THREADS) pack_window_kernel(const __grid_constant__ WideSort sort) {
  if (!is_wanted(sort.wanted))
    return;
  if (sort.pieces.are_learnt()) {
    const KeyDistance distance_of(*sort.pieces.extremes);
    for_each_wanted_item(sort.count, [&](uint64_t index) {
      const uint64_t distance = distance_of(sort.entry.enter(sort.keys[index]));
      sort.items[index] = sort.pieces.window(sort.pieces.found[index], distance, index) << sort.low_bits | index;
    });
    return;
  }
  with_upper_bits(*sort.pieces.extremes, 64 - sort.low_bits, [&](const auto &window) {
    for_each_wanted_item(sort.count, [&](uint64_t index) {
      sort.items[index] = window(sort.entry.enter(sort.keys[index])) << sort.low_bits | index;
    });
  });
}

/* ---- Runs -------------------------------------------------------------------------------------------------------------- */

/* The keys around an item that agree with it in the window. All of them agree about whether they are too many. */
struct AgreeingKeys {
  uint64_t begin;
  uint64_t end;
  bool is_long; /* more than MOST_RUN_KEYS: then begin and end are somewhere in it */

  __device__ __forceinline__ AgreeingKeys(const WideSort &sort, uint64_t index) : begin(index), end(index + 1) {
    const uint64_t window = sort.window(index);
    const auto agrees = [&](uint64_t other) { return sort.window(other) == window; };
    // Most keys of a long run see it at once, without a look at all that lie between.
    is_long = (index >= MOST_RUN_KEYS && agrees(index - MOST_RUN_KEYS)) ||
              (sort.count - index > MOST_RUN_KEYS && agrees(index + MOST_RUN_KEYS));
    if (is_long)
      return;
    while (begin != 0 && agrees(begin - 1))
      begin--;
    while (end != sort.count && agrees(end))
      end++;
    is_long = end - begin > MOST_RUN_KEYS;
  }
};

/* What a warp notes of long runs whose keys fall: a bit for each tile that one begins in, from the one before a first tile on; and
   the uppermost bit of one that no tile holds. */
constexpr uint32_t NOTED_LONG = 1u << 31;

/* Notes a long run whose keys fall at an index. */
__device__ __forceinline__ uint32_t note_of(const WideSort &sort, uint64_t index, uint64_t first_tile) {
  const uint64_t window = sort.window(index);
  if (index >= sort.longest_run && sort.window(index - sort.longest_run) == window)
    return NOTED_LONG;
  const uint64_t tile = index / sort.tile_items;
  const bool is_from_before = tile != 0 && sort.window(tile * sort.tile_items - 1) == window;
  return (is_from_before ? 1u : 2u) << (tile - first_tile);
}

/* Tells what the lanes have noted. Many warps have the same to tell: whoever does, it is the same, and most find it told. All lanes take
   part. */
__device__ __forceinline__ void tell_notes(const WideSort &sort, uint32_t notes, uint64_t first_tile) {
  if (__any_sync(ALL_LANES, notes != 0) == 0)
    return;
#pragma unroll
  for (uint32_t distance = WARP_LANES / 2; distance != 0; distance /= 2)
    notes |= __shfl_xor_sync(ALL_LANES, notes, static_cast<int>(distance));
  const uint32_t lane = threadIdx.x % WARP_LANES;
  WideRound &round = sort.rounds[sort.round];
  if ((notes >> lane & 1) == 0)
    return;
  volatile uint32_t &told =
      NOTED_LONG >> lane == 1 ? round.has_long_runs : sort.marks[sort.round * sort.tiles + first_tile + lane - 1];
  if (told != 0)
    return;
  told = 1;
  if (NOTED_LONG >> lane != 1)
    round.has_tiles = 1;
}

/* Where the key at an index belongs in its run. Notes where the run is too long to tell. */
__device__ __forceinline__ uint64_t place_in_run(const WideSort &sort, uint64_t index, uint64_t key, uint64_t first_tile,
                                                 uint32_t &notes) {
  const AgreeingKeys run(sort, index);
  if (run.end - run.begin == 1 && !run.is_long)
    return index;
  const uint64_t own = sort.entry.enter(key);
  if (run.is_long) {
    const bool has_lower = index != 0 && sort.window(index - 1) == sort.window(index);
    if (has_lower && sort.entry.enter(sort.key(index - 1)) > own)
      notes |= note_of(sort, index, first_tile);
    return index;
  }
  uint64_t place = run.begin;
  for (uint64_t other = run.begin; other < run.end; other++) {
    const uint64_t entered = sort.entry.enter(sort.key(other));
    place += entered < own || (entered == own && other < index) ? 1 : 0;
  }
  return place;
}

// cppcheck-suppress passedByValue
__global__ void __launch_bounds__(PAYLOAD_THREADS) mend_runs_kernel(const __grid_constant__ WideSort sort) {
  if (!is_wanted(sort.wanted))
    return;
  const bool are_whole =
      sort.round == 0 && !sort.pieces.are_learnt() && sort.pieces.extremes->dropped_bits(64 - sort.low_bits) == 0;
  const uint64_t step = uint64_t{gridDim.x} * PAYLOAD_TILE;
  uint64_t begin = uint64_t{blockIdx.x} * PAYLOAD_TILE;
  for (; begin < sort.count; begin += step) {
    const uint64_t first_tile = begin / sort.tile_items;
    uint32_t notes = 0;
    for_each_tile_item(begin, sort.count, [&](uint64_t index) {
      const uint64_t key = sort.key(index);
      const uint64_t place = are_whole ? index : place_in_run(sort, index, key, first_tile, notes);
      sort.sorted_keys[place] = key;
      sort.origins[place] = sort.origin(index);
    });
    tell_notes(sort, notes, first_tile);
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
