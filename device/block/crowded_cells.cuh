/* SPDX-License-Identifier: MIT */
/*
 * Cells of an on-chip sort (on_chip_sort.cuh) that have more keys than windows and seams put in order: a warp sorts each, where
 * it is.
 *
 * Cells are that crowded, as a rule, because of a value that is many keys' at once, with a few others beside it that happened to
 * be placed among them. So the warp takes out the value that most of a sample have, which costs a read and a ballot for each key,
 * and what is left, if it is not a cell of its own to begin with, is few enough for registers, or has another such value.
 */
#ifndef CDPSORT_DEVICE_BLOCK_CROWDED_CELLS_CUH
#define CDPSORT_DEVICE_BLOCK_CROWDED_CELLS_CUH

#include "block/bitonic.cuh"
#include "block/team.cuh"

namespace cdp::CDP_RUNTIME {

/* Where place `place` of a bucket lies: of 16-byte vectors, eight lanes' are in different banks whichever vector of their
   windows they read. */
template <typename Bits>
__device__ __forceinline__ uint32_t on_chip_place(uint32_t place) {
  return sizeof(Bits) == 4 ? place ^ (place >> 3 & 0xC) : place ^ (place >> 3 & 0xE);
}

/* The key at place `place` + `times` * STEP of the stage. Where the order of places repeats itself within a step, an address is
   worked out once, and `times` is a part of the instruction. */
template <uint32_t STEP, typename Bits>
__device__ __forceinline__ Bits key_behind(const Bits *stage, uint32_t place, uint32_t times) {
  constexpr uint32_t PERIOD = 128;
  if constexpr (STEP % PERIOD == 0)
    return (stage + on_chip_place<Bits>(place))[times * STEP];
  else
    return stage[on_chip_place<Bits>(place + times * STEP)];
}

/* A warp's cell: keys [begin, begin + items) of the stage. */
template <typename Bits>
struct CrowdedCell {
  Bits *stage;
  uint32_t begin;
  uint32_t items;

  __device__ __forceinline__ Bits &key(uint32_t index) const {
    return stage[on_chip_place<Bits>(begin + index)];
  }
};

/* Values that were taken out of a cell, and how many keys have each. The same in all lanes. */
template <typename Bits>
struct TakenValues {
  Bits values[MAX_TAKEN_VALUES];
  uint32_t counts[MAX_TAKEN_VALUES];
  uint32_t taken;

  /* Notes that a cell has `left` keys of other values left, which are in front. */
  __device__ __forceinline__ void take(Bits value, CrowdedCell<Bits> &cell, uint32_t left) {
    values[taken] = value;
    counts[taken] = cell.items - left;
    taken++;
    cell.items = left;
  }
  __device__ __forceinline__ uint32_t items() const {
    uint32_t sum = 0;
    for (uint32_t value = 0; value < taken; value++)
      sum += counts[value];
    return sum;
  }
};

/* The value that most of a cell's sample have, a key of which each lane draws. Returns how many have it. All lanes take part. */
template <typename Bits>
__device__ __forceinline__ uint32_t commonest_value(const CrowdedCell<Bits> &cell, Bits &value) {
  const uint32_t lane = threadIdx.x % WARP_LANES;
  value = cell.key(static_cast<uint32_t>(uint64_t{lane} * cell.items / WARP_LANES));
  uint32_t same = 1;
#pragma unroll 1
  for (uint32_t distance = 1; distance < WARP_LANES; distance++)
    same += __shfl_sync(ALL_LANES, value, static_cast<int>((lane + distance) % WARP_LANES)) == value ? 1 : 0;
  uint32_t best = same * WARP_LANES + lane;
#pragma unroll
  for (uint32_t distance = WARP_LANES / 2; distance >= 1; distance /= 2)
    best = max(best, __shfl_xor_sync(ALL_LANES, best, static_cast<int>(distance)));
  value = __shfl_sync(ALL_LANES, value, static_cast<int>(best % WARP_LANES));
  return best / WARP_LANES;
}

/*
 * Sorts a cell of which all keys but WARP_LANES at most have one value: gives the others their places, and theirs to keys of that
 * value; everything else stays. Writes the same to the cell's last place, where the others have been written as they were, unless
 * that is NULL. False if it is not such a cell: then nothing has been done. All lanes take part; begins with the keys visible to
 * the warp.
 */
template <typename Bits>
__device__ __forceinline__ bool sort_cell_of_one_value(const CrowdedCell<Bits> &cell, Bits *destination,
                                                       const KeyMap<Bits> &map) {
  constexpr uint32_t ROWS = 8; // read at a time
  const uint32_t lane = threadIdx.x % WARP_LANES;
  Bits value;
  if (commonest_value(cell, value) < WARP_LANES / 2)
    return false;
  Bits other = value; // each lane keeps one
  uint32_t place = 0;
  uint32_t count = 0;
  for (uint32_t first = 0; first < cell.items; first += ROWS * WARP_LANES) {
    Bits keys[ROWS];
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++) {
      const uint32_t index = first + row * WARP_LANES + lane;
      keys[row] = index < cell.items ? cell.key(index) : value;
    }
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++) {
      uint32_t left = __ballot_sync(ALL_LANES, keys[row] != value);
      for (; left != 0; left &= left - 1) {
        const uint32_t from = static_cast<uint32_t>(__ffs(static_cast<int>(left))) - 1;
        const Bits key = __shfl_sync(ALL_LANES, keys[row], static_cast<int>(from));
        if (lane == count) {
          other = key;
          place = first + row * WARP_LANES + from;
        }
        count++;
      }
      if (count > WARP_LANES)
        return false;
    }
  }
  uint32_t rank = 0; // among the others
  for (uint32_t number = 0; number < count; number++) {
    const Bits key = __shfl_sync(ALL_LANES, other, static_cast<int>(number));
    rank += key < other || (key == other && number < lane) ? 1 : 0;
  }
  const bool has_one = lane < count;
  const auto put = [&](uint32_t index, Bits key) {
    cell.key(index) = key;
    if (destination != nullptr)
      destination[cell.begin + index] = map.leave(key, true);
  };
  __syncwarp();
  if (has_one)
    put(place, value);
  __syncwarp();
  if (has_one)
    put(other < value ? rank : cell.items - count + rank, other);
  return true;
}

/* Moves a cell's keys of other values to its front. Returns how many they are. All lanes take part; begins and ends with the
   keys visible to the warp. */
template <typename Bits>
__device__ __forceinline__ uint32_t take_out(const CrowdedCell<Bits> &cell, Bits value) {
  constexpr uint32_t ROWS = 8; // read before any is written, which is never behind what has been read
  const uint32_t lane = threadIdx.x % WARP_LANES;
  uint32_t left = 0;
  for (uint32_t first = 0; first < cell.items; first += ROWS * WARP_LANES) {
    Bits keys[ROWS];
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++) {
      const uint32_t index = first + row * WARP_LANES + lane;
      keys[row] = index < cell.items ? cell.key(index) : value;
    }
    __syncwarp();
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++) {
      const bool is_other = keys[row] != value;
      const uint32_t others = __ballot_sync(ALL_LANES, is_other);
      if (is_other)
        cell.key(left + static_cast<uint32_t>(__popc(others & ((1u << lane) - 1)))) = keys[row];
      left += static_cast<uint32_t>(__popc(others));
    }
    __syncwarp();
  }
  return left;
}

/* The same by all threads of a team, of which `left` is shared memory. All of them take part; begins and ends with a barrier. */
template <typename Bits, typename AnyTeam>
__device__ __forceinline__ uint32_t take_out_by_team(const CrowdedCell<Bits> &cell, Bits value, const AnyTeam &team,
                                                     uint32_t &left) {
  constexpr uint32_t ROWS = 4; // read before any is written, which is never behind what has been read
  if (team.thread == 0)
    left = 0;
  for (uint32_t first = 0; first < cell.items; first += ROWS * AnyTeam::THREADS) {
    Bits keys[ROWS];
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++) {
      const uint32_t index = first + row * AnyTeam::THREADS + team.thread;
      keys[row] = index < cell.items ? cell.key(index) : value;
    }
    team.sync();
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++)
      if (keys[row] != value)
        cell.key(atomicAdd(&left, 1u)) = keys[row];
    team.sync();
  }
  const uint32_t counted = left;
  team.sync(); // all have read it
  return counted;
}

/* Writes `count` keys of a value from a place of the cell on. All lanes take part. */
template <typename Bits>
__device__ __forceinline__ void put_value(const CrowdedCell<Bits> &cell, uint32_t first, uint32_t count, Bits value) {
  for (uint32_t index = threadIdx.x % WARP_LANES; index < count; index += WARP_LANES)
    cell.key(first + index) = value;
}

/* Sorts the first `left` keys of a cell, LANE_ITEMS to a lane at most, and puts them and the values that were taken out of it in
   their places. All lanes take part. */
template <uint32_t LANE_ITEMS, typename Bits>
__device__ __forceinline__ void put_in_order(const CrowdedCell<Bits> &cell, uint32_t left, const TakenValues<Bits> &taken) {
  const uint32_t lane = threadIdx.x % WARP_LANES;
  Bits items[LANE_ITEMS];
#pragma unroll
  for (uint32_t item = 0; item < LANE_ITEMS; item++) {
    const uint32_t index = item * WARP_LANES + lane;
    items[item] = index < left ? cell.key(index) : GREATEST<Bits>;
  }
  __syncwarp();
  warp_bitonic_sort(items);
#pragma unroll
  for (uint32_t item = 0; item < LANE_ITEMS; item++) {
    uint32_t place = lane * LANE_ITEMS + item;
    const bool is_there = place < left;
    for (uint32_t value = 0; value < taken.taken; value++)
      place += taken.values[value] < items[item] ? taken.counts[value] : 0;
    if (is_there)
      cell.key(place) = items[item];
  }
  for (uint32_t value = 0; value < taken.taken; value++) {
    uint32_t first = 0;
#pragma unroll
    for (uint32_t item = 0; item < LANE_ITEMS; item++)
      first += static_cast<uint32_t>(
          __popc(__ballot_sync(ALL_LANES, lane * LANE_ITEMS + item < left && items[item] < taken.values[value])));
    for (uint32_t other = 0; other < taken.taken; other++)
      first += taken.values[other] < taken.values[value] ? taken.counts[other] : 0;
    put_value(cell, first, taken.counts[value], taken.values[value]);
  }
}

/* Sorts a cell, of which values may have been taken out. False if it has too many different keys for that: then its keys are
   there, in any order. All lanes take part; begins with the keys visible to the warp. */
template <typename Bits>
__device__ inline bool sort_crowded_cell(CrowdedCell<Bits> cell, TakenValues<Bits> taken) {
  constexpr uint32_t FEW = 2 * WARP_LANES;
  constexpr uint32_t MANY = 8 * WARP_LANES;
  while (cell.items > MANY && taken.taken < MAX_TAKEN_VALUES) {
    Bits value;
    if (commonest_value(cell, value) < MIN_TAKEN_SAMPLES)
      break;
    taken.take(value, cell, take_out(cell, value));
  }
  if (cell.items <= FEW) {
    put_in_order<FEW / WARP_LANES>(cell, cell.items, taken);
    return true;
  }
  if (cell.items <= MANY) {
    put_in_order<MANY / WARP_LANES>(cell, cell.items, taken);
    return true;
  }
  for (uint32_t value = 0; value < taken.taken; value++) {
    put_value(cell, cell.items, taken.counts[value], taken.values[value]);
    cell.items += taken.counts[value];
  }
  return false;
}

} // namespace cdp::CDP_RUNTIME

#endif
