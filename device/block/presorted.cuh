/* SPDX-License-Identifier: MIT */
/*
 * Arrays that are in order already, or in the opposite order. A sample in the order of its positions says what may be; only
 * where it is in order itself are all items looked at, so that other arrays pay for the sample alone. An array that seems to be in
 * the opposite order is turned round while it is looked at.
 */
#ifndef CDPSORT_DEVICE_BLOCK_PRESORTED_CUH
#define CDPSORT_DEVICE_BLOCK_PRESORTED_CUH

#include "block/count.cuh"
#include "block/multiway_shape.cuh"
#include "block/scan.cuh"

namespace cdp::CDP_RUNTIME {

enum class Direction : uint32_t { none, ascending, descending };

/* Whether two neighbours are in the wrong order for a direction. */
template <typename Bits>
__device__ __forceinline__ bool is_disorder(Bits first, Bits second, Direction direction) {
  return direction == Direction::ascending ? second < first : first < second;
}

/* The direction that evenly spaced items of a range are in. All threads of the block take part; valid in every thread. */
template <typename Bits>
__device__ inline Direction sample_direction(const BlockRules<Bits> &rules, const Range &range) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  const Bits *source = rules.side(range.side) + range.begin;
  const uint64_t last = range.items() - 1;
  const Bits first = rules.map.enter(source[last * threadIdx.x / THREADS], range.is_raw());
  const Bits second = rules.map.enter(source[last * (threadIdx.x + 1) / THREADS], range.is_raw());
  if (__syncthreads_and(first <= second ? 1 : 0) != 0)
    return Direction::ascending;
  return __syncthreads_and(second <= first ? 1 : 0) != 0 ? Direction::descending : Direction::none;
}

/*
 * How an array is looked at: each warp has a piece of consecutive positions. To be turned round, of those of the lower half, with
 * the ones of the upper half that they are exchanged with.
 *
 *  1. To look at all keys, and then to turn them round, is to read them twice and to write them once.
 *  2. Keys that have been exchanged are still the same keys, whatever a look finds.
 *  3. Who is to be compared with a neighbour must have it before it is exchanged.
 *  Therefore keys are exchanged while they are looked at, and a warp, which goes through its piece, keeps the last key for the
 *  one behind it. Where pieces meet, keys are compared when all have been exchanged.
 */
template <typename Bits>
struct LookPieces {
  static constexpr uint32_t WARPS = MultiwayShape<Bits>::BLOCK_WARPS;

  uint64_t positions; /* of all pieces */
  uint64_t each;      /* a multiple of a warp's lanes */

  __device__ __forceinline__ LookPieces(const Range &range, Direction direction, uint32_t shares)
      : positions(direction == Direction::descending ? range.items() / 2 : range.items()) {
    const uint64_t lanes = uint64_t{shares} * WARPS * WARP_LANES;
    each = (positions + lanes - 1) / lanes * WARP_LANES;
  }
  /* Where a warp's piece of a share begins, and the one before it ends. */
  __device__ __forceinline__ uint64_t begin(uint32_t share, uint32_t warp) const {
    const uint64_t position = (uint64_t{share} * WARPS + warp) * each;
    return position < positions ? position : positions;
  }
};

/* The keys of a warp's rows, and those that they are exchanged with. */
template <typename Bits, bool TURNS>
struct LookRows {
  static constexpr uint32_t ROWS = LOOK_BYTES / (TURNS ? 2 : 1) / sizeof(Bits);
  static constexpr uint32_t ITEMS = ROWS * WARP_LANES;

  Bits low[ROWS];
  Bits high[ROWS];

  /* Calls use(row, offset) for this lane's rows, the first `count` of all items. */
  template <bool IS_WHOLE, typename Use>
  static __device__ __forceinline__ void each(uint32_t count, Use use) {
    const uint32_t lane = threadIdx.x % WARP_LANES;
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++)
      if (IS_WHOLE || row * WARP_LANES + lane < count)
        use(row, row * WARP_LANES);
  }
};

/* Whether this lane finds a key in disorder with the one before it. before: in lane 0, what comes before the first row; becomes
   what comes behind the last one, if rows are whole. All lanes of the warp take part. */
template <bool IS_WHOLE, typename Bits, uint32_t ROWS>
__device__ __forceinline__ bool are_rows_disordered(const Bits (&keys)[ROWS], uint32_t count, Direction direction,
                                                    Bits &before) {
  const uint32_t lane = threadIdx.x % WARP_LANES;
  bool disordered = false;
#pragma unroll
  for (uint32_t row = 0; row < ROWS; row++) {
    const Bits beside = __shfl_sync(ALL_LANES, keys[row], static_cast<int>((lane + WARP_LANES - 1) % WARP_LANES));
    const bool is_wrong = is_disorder(lane == 0 ? before : beside, keys[row], direction);
    disordered |= is_wrong && (IS_WHOLE || row * WARP_LANES + lane < count);
    before = beside;
  }
  return disordered;
}

/* Loads this lane's rows of `count` keys from `low` on, and of those from `high` down that they are exchanged with. */
template <bool TURNS, bool IS_WHOLE, typename Bits>
__device__ __forceinline__ void load_rows(LookRows<Bits, TURNS> &rows, const Bits *low, const Bits *high, uint32_t count) {
  using Rows = LookRows<Bits, TURNS>;
  Rows::template each<IS_WHOLE>(count, [&](uint32_t row, uint32_t offset) { rows.low[row] = low[offset]; });
  if constexpr (TURNS)
    Rows::template each<IS_WHOLE>(count, [&](uint32_t row, uint32_t offset) { rows.high[row] = *(high - offset); });
}

/* Looks at rows that have been loaded from there, and turns them round. low_before, high_before: as above. Returns whether this
   lane has found disorder. All lanes of the warp take part. */
template <bool TURNS, bool IS_WHOLE, typename Bits>
__device__ __forceinline__ bool look_at_rows(LookRows<Bits, TURNS> &rows, Bits *low, Bits *high, uint32_t count,
                                             const KeyMap<Bits> &map, bool is_raw, Bits &low_before, Bits &high_before) {
  using Rows = LookRows<Bits, TURNS>;
  if constexpr (TURNS) {
    Rows::template each<IS_WHOLE>(count, [&](uint32_t row, uint32_t offset) { low[offset] = rows.high[row]; });
    Rows::template each<IS_WHOLE>(count, [&](uint32_t row, uint32_t offset) { *(high - offset) = rows.low[row]; });
  }
  map.enter_all(rows.low, is_raw);
  if constexpr (!TURNS)
    return are_rows_disordered<IS_WHOLE>(rows.low, count, Direction::ascending, low_before);
  map.enter_all(rows.high, is_raw);
  const bool disordered = are_rows_disordered<IS_WHOLE>(rows.low, count, Direction::descending, low_before);
  return are_rows_disordered<IS_WHOLE>(rows.high, count, Direction::ascending, high_before) || disordered;
}

/* Tells everybody of disorder: not by an atomic of each who finds some, of which an array in disorder has 100,000 (H200: 90 us). For
   one thread. */
__device__ __forceinline__ void tell_disorder(unsigned int *disorder) {
  if (read_anew(disorder) == 0)
    atomicExch(disorder, 1u);
}

/* Looks at a warp's piece, positions [begin, end) of a range, and turns it round if so wanted; to its end, unless *disorder is set,
   by this warp or another. All lanes of the warp take part. */
template <bool TURNS, typename Bits>
__device__ __forceinline__ void look_at_piece(const BlockRules<Bits> &rules, const Range &range, uint64_t begin, uint64_t end,
                                              unsigned int *disorder) {
  constexpr uint32_t ITEMS = LookRows<Bits, TURNS>::ITEMS;
  if (begin == end)
    return;
  const uint32_t lane = threadIdx.x % WARP_LANES;
  Bits *low = rules.side(range.side) + range.begin + begin + lane;
  Bits *high = rules.side(range.side) + range.end - 1 - begin - lane;
  // The first key has none before it: itself is as good.
  Bits low_before = lane == 0 ? rules.map.enter(*low, range.is_raw()) : 0;
  Bits high_before = lane == 0 ? rules.map.enter(*high, range.is_raw()) : 0;
  bool disordered = false;
  bool stops = false;
  uint64_t left = end - begin;
  // Memory has something to do while rows are exchanged: H200, 2^24 reversed keys of 4 bytes, 85 us -> 72.
  LookRows<Bits, TURNS> next = {};
  if (left >= ITEMS)
    load_rows<TURNS, true>(next, low, high, ITEMS);
  for (; left >= ITEMS && __any_sync(ALL_LANES, disordered || stops ? 1 : 0) == 0; left -= ITEMS) {
    LookRows<Bits, TURNS> rows = next;
    if (left >= 2 * ITEMS)
      load_rows<TURNS, true>(next, low + ITEMS, high - ITEMS, ITEMS);
    stops = read_anew(disorder) != 0; // on its way while the keys are
    disordered = look_at_rows<TURNS, true>(rows, low, high, ITEMS, rules.map, range.is_raw(), low_before, high_before);
    low += ITEMS;
    high -= ITEMS;
  }
  if (left < ITEMS) {
    const uint32_t last = static_cast<uint32_t>(left);
    LookRows<Bits, TURNS> rows = {};
    load_rows<TURNS, false>(rows, low, high, last);
    disordered |= look_at_rows<TURNS, false>(rows, low, high, last, rules.map, range.is_raw(), low_before, high_before);
    left = 0;
  }
  const bool is_any = __any_sync(ALL_LANES, disordered ? 1 : 0) != 0;
  if (lane != 0)
    return;
  if (is_any)
    tell_disorder(disorder);
  count_moved(rules.counters, range.depth, (end - begin - left) * (TURNS ? 4 : 1));
}

/* Whether keys are in disorder where a piece begins, in a range that has been looked at. */
template <typename Bits>
__device__ __forceinline__ bool is_piece_disordered(const BlockRules<Bits> &rules, const Range &range, Direction direction,
                                                    uint64_t begin) {
  const Bits *keys = rules.side(range.side);
  const auto is_wrong = [&](uint64_t item) {
    return item > range.begin && item < range.end &&
           rules.map.enter(keys[item], range.is_raw()) < rules.map.enter(keys[item - 1], range.is_raw());
  };
  return is_wrong(range.begin + begin) || (direction == Direction::descending && is_wrong(range.end - begin));
}

/*
 * Looks whether share `share` of a range is in order; if it is to be descending, turns it round. Sets *disorder where it is not;
 * stops where it is set. Whether shares fit each other is_range_disordered() says. All threads of the block take part; no
 * barrier at the end.
 */
template <typename Bits>
__device__ inline void look_at_share(const BlockRules<Bits> &rules, const Range &range, Direction direction, uint32_t share,
                                     uint32_t shares, unsigned int *disorder) {
  const LookPieces<Bits> pieces(range, direction, shares);
  const uint32_t warp = threadIdx.x / WARP_LANES;
  const uint64_t begin = pieces.begin(share, warp);
  const uint64_t end = pieces.begin(share, warp + 1);
  if (direction == Direction::descending)
    look_at_piece<true>(rules, range, begin, end, disorder);
  else
    look_at_piece<false>(rules, range, begin, end, disorder);
  __syncthreads(); // what the other warps have exchanged is visible
  // An empty piece lies where the last one ends, perhaps another share's.
  if (threadIdx.x != 0 && threadIdx.x < pieces.WARPS &&
      pieces.begin(share, threadIdx.x) < pieces.begin(share, threadIdx.x + 1) &&
      is_piece_disordered(rules, range, direction, pieces.begin(share, threadIdx.x)))
    tell_disorder(disorder);
}

/* Whether a range, of which all shares have been looked at, is in disorder: in one of them, or where two meet. All threads of the
   block take part, and are told; begins with a barrier having made visible what was exchanged, and ends with one. */
template <typename Bits>
__device__ inline bool is_range_disordered(const BlockRules<Bits> &rules, const Range &range, Direction direction,
                                           uint32_t shares, const unsigned int *disorder) {
  if (*disorder != 0)
    return true;
  const LookPieces<Bits> pieces(range, direction, shares);
  bool disordered = false;
  for (uint32_t share = threadIdx.x; share <= shares; share += MultiwayShape<Bits>::BLOCK_THREADS)
    disordered |= is_piece_disordered(rules, range, direction, pieces.begin(share, 0));
  return __syncthreads_or(disordered ? 1 : 0) != 0;
}

} // namespace cdp::CDP_RUNTIME

#endif
