/* SPDX-License-Identifier: MIT */
/*
 * Selection by counting: finding keys at ranks of the order without sorting. What its kernels share; select_launches.cuh launches them.
 *
 * 1. begin   The least and the greatest of a sample are the range that is divided first, into bins of the same width, with a bin for
 *            what is below it and one for what is above: they may hold any keys, and the result is right whatever they hold.
 * 2. count   Each block counts the bins of a share of the keys, and writes for each bin how many keys of the share are below it.
 * 3. pick    One block finds each rank's bin, the range that is divided next, and where in the result each share's keys begin.
 * 4. filter  If the candidates, the keys in those ranges, are few, they are written to an array of their own. Where the keys before
 *            them are wanted, or those behind them, these go to their places.
 * 5. Count, pick and filter again, the candidates or, if they were too many, the same keys, until each range is a single key. Where nothing
 *    but the keys at the ranks is wanted, the block that picks sorts the last candidates, if it can.
 *
 * Shares are of consecutive keys, so that whatever is written keeps the order of the input, and the result does not depend on who runs
 * first. All grids are launched beforehand: those behind the last one that was needed end as they begin.
 *
 * By Hoare's "Find" (1961), with many parts for two, as in: Tolga Alabi, Jeffrey D. Blanchard, Bradley Gordon and Russel Steinbach,
 * "Fast k-selection algorithms for graphics processing units" (2012), whose bucketSelect divides the range of the keys.
 */
#ifndef CDPSORT_DEVICE_SELECT_SELECTION_CUH
#define CDPSORT_DEVICE_SELECT_SELECTION_CUH

#include "block/multiway_shape.cuh"
#include "block/scan.cuh"
#include "payload/items.cuh"
#include "tuning_select.h"

#include <algorithm>
#include <type_traits>

namespace cdp::CDP_RUNTIME {

constexpr SelectShape SELECT_SHAPE = select_shape(DEVICE_KIND == DeviceKind::simulated);
constexpr uint32_t SELECT_THREADS = SELECT_SHAPE.threads;
constexpr uint32_t SELECT_WARPS = SELECT_THREADS / WARP_LANES;
constexpr uint32_t MAX_SELECT_BINS = max_select_bins(SELECT_SHAPE);
constexpr uint32_t SELECT_ROW = MAX_SELECT_BINS + 1; /* of counts: one for each bin, and all */
constexpr uint32_t FEW_SELECT_KEYS = SELECT_SHAPE.threads * SELECT_SHAPE.sorted_keys;

/* An entered key, in no more registers than it takes. */
template <typename Raw>
using SelectKey = std::conditional_t<sizeof(Raw) == 8, uint64_t, uint32_t>;

/* The greatest entered key. */
template <typename Raw>
constexpr SelectKey<Raw> GREATEST_KEY = static_cast<SelectKey<Raw>>(static_cast<Raw>(~Raw{0}));

/* ---- State ------------------------------------------------------------------------------------------------------------- */

/* Entered keys from `low` to `last`, which is one of them. */
struct KeyRange {
  uint64_t low;
  uint64_t last;
};

/* Where the keys are that ranks are looked for among. */
enum class SelectSource : uint32_t { array, first_candidates, second_candidates };

/* What the filter has to do. */
enum class Filtering : uint32_t {
  none,
  candidates, /* writes candidates to the next source */
  results     /* the one range is a single key: writes results alone */
};

/* How far a selection is. */
struct SelectProgress {
  uint32_t range_count;
  uint32_t is_done; /* each range is a single key */
  SelectSource source;
  Filtering filtering; /* this, and the next two: of this time's filter */
  SelectSource filtered;
  uint64_t filtered_keys;
  uint64_t source_keys;
  uint64_t front_keys; /* written so far: keys before all candidates */
  uint64_t back_begin; /* and where keys behind all candidates begin */
};

/* All that is known, in device memory. pick_ranges_kernel() changes it, and nobody else. */
struct SelectState : SelectProgress {
  KeyRange ranges[CDP_RANKS_MAX]; /* disjoint, and rising, until they are found; then one for each rank */
  uint64_t
      ranks[CDP_RANKS_MAX]; /* rising. Of one rank: among all keys of the source; of several, once the first range is divided:
                                     among those of its range */
  uint32_t range_of[CDP_RANKS_MAX];
};
static_assert(sizeof(SelectState) <= SELECT_STATE_BYTES, "the plan has room for it");

/* Where the keys of a share begin that come before the range, in it, and behind it. */
struct ShareBegins {
  uint64_t front;
  uint64_t candidates;
  uint64_t back;
};

static_assert(sizeof(ShareBegins) == SHARE_BEGINS_BYTES, "likewise");

/* Keys, and where each of them was, if anybody wants to know. */
template <typename Raw>
struct SelectKeys {
  Raw *keys;
  uint32_t *positions; /* NULL: of the array, whose keys' indices they are; or nobody does */
};

/* Which keys are wanted besides those at the ranks. */
enum class Wanted : uint32_t { none, front, both };

/* A selection, as its kernels are given it. */
template <typename Raw>
struct Selection {
  const Raw *keys;
  uint64_t count;
  Entry<Raw> entry;
  uint32_t rank_count;
  uint32_t bin_bits; /* of all ranges but the first */
  uint32_t has_positions;
  uint64_t top_keys; /* so many keys are wanted in front, the equal ones among them; 0: those before the range */
  SelectState *state;
  unsigned long long *totals; /* as a row, of all shares; zeros but between counting and picking */
  uint32_t *rows;             /* of each share, SELECT_ROW each */
  ShareBegins *begins;        /* of each share */
  SelectKeys<Raw> candidates[2];
  SelectKeys<Raw> front;
  Raw *back; /* the same array as `front` */

  __device__ __forceinline__ uint32_t bits(uint32_t level) const {
    return level == 0 ? SELECT_SHAPE.bin_bits : bin_bits;
  }
  /* Whether keys outside of the range are counted: then there is one range. */
  __device__ __forceinline__ bool counts_outside(uint32_t level) const {
    return level == 0 || rank_count == 1;
  }
  __device__ __forceinline__ SelectKeys<const Raw> source(SelectSource which) const {
    if (which == SelectSource::array)
      return {keys, nullptr};
    const SelectKeys<Raw> &array = candidates[which == SelectSource::first_candidates ? 0 : 1];
    return {array.keys, array.positions};
  }
};

/* How many lower bits of a key's distance from the least of its range do not matter. */
__device__ __forceinline__ uint32_t bin_shift(const KeyRange &range, uint32_t bin_bits) {
  const uint32_t bits = bits_of(range.last - range.low);
  return bits > bin_bits ? bits - bin_bits : 0;
}

/* ---- Shares ------------------------------------------------------------------------------------------------------------ */

template <typename Raw>
constexpr uint32_t SELECT_ITEMS = std::min<uint32_t>(SELECT_SHAPE.thread_bytes / sizeof(Raw), MOST_SELECT_ITEMS);
template <typename Raw>
constexpr uint32_t SELECT_TILE = SELECT_THREADS *SELECT_ITEMS<Raw>;
template <typename Raw>
constexpr uint32_t KEYS_PER_PIECE = sizeof(SixteenBytes) / sizeof(Raw);
template <typename Raw>
constexpr uint32_t PIECES = SELECT_ITEMS<Raw> / KEYS_PER_PIECE<Raw>;

/* A block's share of some keys: whole tiles, but for the last. */
struct SelectShare {
  uint64_t begin;
  uint64_t end;
};

template <typename Raw>
__device__ __forceinline__ SelectShare select_share(uint64_t keys) {
  constexpr uint64_t TILE = SELECT_TILE<Raw>;
  const uint64_t tiles = (keys + TILE - 1) / TILE;
  const uint64_t each = (tiles + gridDim.x - 1) / gridDim.x * TILE;
  const uint64_t begin = min(blockIdx.x * each, keys);
  return {begin, min(begin + each, keys)};
}

/*
 * A thread's keys of a tile. A warp has consecutive ones, and of each 512 bytes of them a lane has 16: so the order of the array is that
 * of warps, then of pieces, then of lanes, then of the keys of a piece.
 */
template <typename Raw>
struct SelectItems {
  Raw raw[SELECT_ITEMS<Raw>];
  uint32_t has; /* a bit for each that there is */

  static __device__ __forceinline__ uint32_t index(uint32_t item) {
    const uint32_t piece = threadIdx.x / WARP_LANES * PIECES<Raw> + item / KEYS_PER_PIECE<Raw>;
    return (piece * WARP_LANES + threadIdx.x % WARP_LANES) * KEYS_PER_PIECE<Raw> + item % KEYS_PER_PIECE<Raw>;
  }

  /* `left`: keys from the tile's first one on. All loads are on their way before the first key is used. */
  __device__ __forceinline__ void load(const Raw *tile, uint64_t left, bool is_aligned) {
    if (is_aligned && left >= SELECT_TILE<Raw>) {
      constexpr uint32_t KEYS = KEYS_PER_PIECE<Raw>;
      const SixteenBytes *pieces = reinterpret_cast<const SixteenBytes *>(tile);
      SixteenBytes loaded[PIECES<Raw>];
#pragma unroll
      for (uint32_t piece = 0; piece < PIECES<Raw>; piece++)
        loaded[piece] = pieces[index(piece * KEYS) / KEYS];
#pragma unroll
      for (uint32_t item = 0; item < SELECT_ITEMS<Raw>; item++) {
        const uint32_t byte = item % KEYS_PER_PIECE<Raw> * static_cast<uint32_t>(sizeof(Raw));
        raw[item] = static_cast<Raw>(loaded[item / KEYS_PER_PIECE<Raw>].halves[byte / 8] >> (byte % 8 * 8));
      }
      has = (1u << SELECT_ITEMS<Raw>)-1;
      return;
    }
    has = 0;
#pragma unroll
    for (uint32_t item = 0; item < SELECT_ITEMS<Raw>; item++) {
      const bool is_there = index(item) < left;
      raw[item] = is_there ? tile[index(item)] : Raw{0};
      has |= (is_there ? 1u : 0u) << item;
    }
  }
};

/* Calls work(items, index of the tile's first key) for each tile of the block's share. All threads take part. */
template <typename Raw, typename Work>
__device__ __forceinline__ void for_each_tile(const Raw *keys, const SelectShare &share, Work work) {
  const bool is_aligned = reinterpret_cast<uintptr_t>(keys) % sizeof(SixteenBytes) == 0;
  for (uint64_t begin = share.begin; begin < share.end; begin += SELECT_TILE<Raw>) {
    SelectItems<Raw> items;
    items.load(keys + begin, share.end - begin, is_aligned);
    work(items, begin);
  }
}

/* ---- Ranges ------------------------------------------------------------------------------------------------------------ */

/* The ranges in a block's shared memory. */
template <typename Raw>
struct RangeTable {
  SelectKey<Raw> lows[CDP_RANKS_MAX];
  SelectKey<Raw> sizes[CDP_RANKS_MAX]; /* less one */
  uint32_t shifts[CDP_RANKS_MAX];

  /* All threads take part; to be followed by a barrier. */
  __device__ __forceinline__ void fill(const SelectState &state, uint32_t bin_bits) {
    for (uint32_t range = threadIdx.x; range < state.range_count; range += SELECT_THREADS) {
      lows[range] = static_cast<SelectKey<Raw>>(state.ranges[range].low);
      sizes[range] = static_cast<SelectKey<Raw>>(state.ranges[range].last - state.ranges[range].low);
      shifts[range] = bin_shift(state.ranges[range], bin_bits);
    }
  }

  /* The last range that does not begin behind a key, or the first. `step`: the greatest power of two below the number of ranges, or
     0. */
  __device__ __forceinline__ uint32_t find(SelectKey<Raw> entered, uint32_t count, uint32_t step) const {
    uint32_t range = 0;
    for (; step != 0; step /= 2)
      if (range + step < count && lows[range + step] <= entered)
        range += step;
    return range;
  }
};

/* Which keys may be in some ranges: what lies between the first and the last of them is divided into cells of one width, and those that
   a range reaches into are marked. One look tells of most keys that they are in none, where the search for a range takes several that
   wait for one another. */
template <typename Raw>
struct RangeCells {
  static constexpr uint32_t CELL_BITS = SELECT_SHAPE.bin_bits;
  static constexpr uint32_t WORDS = (1u << CELL_BITS) / 32;

  SelectKey<Raw> low;
  SelectKey<Raw> size; /* less one */
  uint32_t shift;
  uint32_t marks[WORDS];

  /* All threads take part; one barrier, and to be followed by another one. */
  __device__ __forceinline__ void fill(const SelectState &state) {
    const KeyRange all = {state.ranges[0].low, state.ranges[state.range_count - 1].last};
    const uint32_t dropped = bin_shift(all, CELL_BITS);
    for (uint32_t word = threadIdx.x; word < WORDS; word += SELECT_THREADS)
      marks[word] = 0;
    if (threadIdx.x == 0) {
      low = static_cast<SelectKey<Raw>>(all.low);
      size = static_cast<SelectKey<Raw>>(all.last - all.low);
      shift = dropped;
    }
    __syncthreads();
    for (uint32_t range = 0; range < state.range_count; range++) {
      const uint32_t first = static_cast<uint32_t>((state.ranges[range].low - all.low) >> dropped);
      const uint32_t last = static_cast<uint32_t>((state.ranges[range].last - all.low) >> dropped);
      for (uint32_t cell = first + threadIdx.x; cell <= last; cell += SELECT_THREADS)
        atomicOr(&marks[cell / 32], 1u << cell % 32);
    }
  }

  __device__ __forceinline__ bool may_have(SelectKey<Raw> entered) const {
    const SelectKey<Raw> distance = entered - low;
    const uint32_t cell = static_cast<uint32_t>(distance >> shift);
    return distance <= size && (marks[cell / 32] >> cell % 32 & 1) != 0;
  }
};

__device__ __forceinline__ uint32_t first_step(uint32_t count) {
  return count > 1 ? 1u << (bits_of(count - 1) - 1) : 0;
}

} // namespace cdp::CDP_RUNTIME

#endif
