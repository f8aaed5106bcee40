/* SPDX-License-Identifier: MIT */
/*
 * Cells of an on-chip sort (on_chip_sort.cuh) that have more keys than windows and seams put in order. Each is sorted where it
 * is, by a warp; out of a long one all warps of the team take values first, and if that leaves hardly any others, they sort it.
 *
 * Cells are that crowded, as a rule, because of values that are many keys' at once, with a few others beside them that happened
 * to be placed among them. If there are two values and nothing else, it is enough to count one. Otherwise those are taken out
 * that several of a sample have, in one pass, which costs a read for each key and a ballot for each value; what is left is few
 * enough for registers, as a rule, or has other such values.
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

/* Within so many places they change theirs. */
constexpr uint32_t ON_CHIP_PERIOD = 128;

/* The key at place `place` + `times` * STEP of the stage. Where the order of places repeats itself within a step, an address is
   worked out once, and `times` is a part of the instruction. */
template <uint32_t STEP, typename Bits>
__device__ __forceinline__ Bits key_behind(const Bits *stage, uint32_t place, uint32_t times) {
  if constexpr (STEP % ON_CHIP_PERIOD == 0)
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

/* Values that were taken out of a cell, and how many keys have each. The same in all lanes. Indices are constants, so that it
   all is in registers. */
template <typename Bits>
struct TakenValues {
  Bits values[MAX_TAKEN_VALUES];
  uint32_t counts[MAX_TAKEN_VALUES];
  uint32_t taken;

  __device__ __forceinline__ bool is_full() const {
    return taken == MAX_TAKEN_VALUES;
  }
  /* Notes that a value is taken out, of which there are `count` keys. */
  __device__ __forceinline__ void take(Bits value, uint32_t count) {
#pragma unroll
    for (uint32_t index = 0; index < MAX_TAKEN_VALUES; index++)
      if (index == taken) {
        values[index] = value;
        counts[index] = count;
      }
    taken++;
  }
  /* Counts a row of keys, of those that are there. Returns which lanes' are of none of these values. All lanes take part. */
  __device__ __forceinline__ uint32_t count_row(Bits key, bool is_there) {
    uint32_t others = __ballot_sync(ALL_LANES, is_there);
#pragma unroll
    for (uint32_t index = 0; index < MAX_TAKEN_VALUES; index++)
      if (index < taken) {
        const uint32_t same = __ballot_sync(ALL_LANES, is_there && values[index] == key);
        counts[index] += static_cast<uint32_t>(__popc(same));
        others &= ~same;
      }
    return others;
  }
  /* How many keys of these values come before a key. */
  __device__ __forceinline__ uint32_t below(Bits key) const {
    uint32_t sum = 0;
#pragma unroll
    for (uint32_t index = 0; index < MAX_TAKEN_VALUES; index++)
      sum += index < taken && values[index] < key ? counts[index] : 0;
    return sum;
  }
};

/* Where the keys of a cell go when they are in order: to their places in the stage, and to their last places, the first of
   which is `destination`, unless that is NULL. */
template <typename Bits>
struct CellPlaces {
  const CrowdedCell<Bits> &cell;
  Bits *destination;
  const KeyMap<Bits> &map;

  __device__ __forceinline__ void put(uint32_t index, Bits key) const {
    cell.key(index) = key;
    if (destination != nullptr)
      destination[index] = map.leave(key, true);
  }
  /* `count` keys of a value, from an index on, by so many threads, of which this is one. */
  __device__ __forceinline__ void put_all(uint32_t first, uint32_t count, Bits value,
                                          uint32_t thread = threadIdx.x % WARP_LANES, uint32_t threads = WARP_LANES) const {
    const Bits last = destination != nullptr ? map.leave(value, true) : 0;
#pragma unroll 1
    for (uint32_t index = first + thread; index < first + count; index += threads) {
      cell.key(index) = value;
      if (destination != nullptr)
        destination[index] = last;
    }
  }
};

/*
 * Calls use(first, key) for the rows of a cell, a key to each lane; what is missing is `missing`. What `use` writes is never
 * behind the row at hand. All lanes take part.
 *
 * Instructions that hardly ever run come from far: a line of 8 takes 250 cycles (H200, docs/lab/2026-11-26-crowded-cells.md).
 * Therefore the loop is short where cells are.
 */
template <typename Bits, typename Use>
__device__ __forceinline__ void each_row(const CrowdedCell<Bits> &cell, Bits missing, Use use) {
  constexpr uint32_t ROWS = 2; // read at a time
  const uint32_t lane = threadIdx.x % WARP_LANES;
#pragma unroll 1
  for (uint32_t first = 0; first < cell.items; first += ROWS * WARP_LANES) {
    Bits keys[ROWS];
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++) {
      const uint32_t index = first + row * WARP_LANES + lane;
      keys[row] = index < cell.items ? cell.key(index) : missing;
    }
    __syncwarp();
#pragma unroll
    for (uint32_t row = 0; row < ROWS; row++)
      use(first + row * WARP_LANES, keys[row]);
    __syncwarp();
  }
}

/* A key of a cell for each lane, from all over it. */
template <typename Bits>
__device__ __forceinline__ Bits sample_of_cell(const CrowdedCell<Bits> &cell) {
  return cell.key(static_cast<uint32_t>(uint64_t{threadIdx.x % WARP_LANES} * cell.items / WARP_LANES));
}

/* Calls use(value, how many have it) for the values of a sample, a key to each of some lanes, one after the other: of as many as
   a frequent value is hardly ever missed by. All lanes take part. */
template <typename Bits, typename Use>
__device__ __forceinline__ void each_value_of_sample(Bits key, uint32_t left, Use use) {
#pragma unroll 1
  for (uint32_t tried = 0; tried < TRIED_VALUES && left != 0; tried++) {
    const Bits value = __shfl_sync(ALL_LANES, key, __ffs(static_cast<int>(left)) - 1);
    const uint32_t same = __ballot_sync(ALL_LANES, key == value) & left;
    left &= ~same;
    use(value, static_cast<uint32_t>(__popc(same)));
  }
}

/* The value that most of a sample have, a key to each of some lanes. Returns how many have it. All lanes take part. */
template <typename Bits>
__device__ __forceinline__ uint32_t commonest_value(Bits key, uint32_t sample, Bits &value) {
  uint32_t most = 0;
  value = key;
  each_value_of_sample(key, sample, [&](Bits found, uint32_t count) {
    value = count > most ? found : value;
    most = max(most, count);
  });
  return most;
}

/* Sorts a cell whose keys have two values. False if it is not such a cell: then nothing has been done. All lanes take part;
   begins with the keys visible to the warp. */
template <typename Bits>
__device__ __forceinline__ bool sort_cell_of_two_values(const CellPlaces<Bits> &places) {
  const CrowdedCell<Bits> &cell = places.cell;
  const Bits sample = sample_of_cell(cell);
  const Bits one = __shfl_sync(ALL_LANES, sample, 0);
  const uint32_t different = __ballot_sync(ALL_LANES, sample != one);
  const Bits other = __shfl_sync(ALL_LANES, sample, max(__ffs(static_cast<int>(different)), 1) - 1);
  const Bits lower = min(one, other);
  const Bits upper = max(one, other);
  uint32_t lowers = 0;
  bool are_more = false;
  each_row(cell, upper, [&](uint32_t, Bits key) {
    lowers += static_cast<uint32_t>(__popc(__ballot_sync(ALL_LANES, key == lower)));
    are_more |= key != lower && key != upper;
  });
  if (__any_sync(ALL_LANES, are_more) != 0 || one == other)
    return false;
#pragma unroll 1
  for (uint32_t index = threadIdx.x % WARP_LANES; index < cell.items; index += WARP_LANES)
    places.put(index, index < lowers ? lower : upper);
  return true;
}

/* Counts a cell's keys of taken values, and moves the others to its front. Returns how many they are. All lanes take part;
   begins and ends with the keys visible to the warp. */
template <typename Bits>
__device__ __forceinline__ uint32_t take_out(const CrowdedCell<Bits> &cell, TakenValues<Bits> &taken) {
  const uint32_t lane = threadIdx.x % WARP_LANES;
  uint32_t left = 0;
  each_row(cell, Bits{0}, [&](uint32_t first, Bits key) {
    const uint32_t others = taken.count_row(key, first + lane < cell.items);
    if ((others >> lane & 1) != 0)
      cell.key(left + static_cast<uint32_t>(__popc(others & ((1u << lane) - 1)))) = key;
    left += static_cast<uint32_t>(__popc(others));
  });
  return left;
}

/* Moves a cell's keys of other values to its front, by all threads of a team, of which `left` is shared memory. Returns how
   many they are. All of them take part; begins and ends with a barrier. */
template <typename Bits, typename AnyTeam>
__device__ __forceinline__ uint32_t take_out_by_team(const CrowdedCell<Bits> &cell, Bits value, const AnyTeam &team,
                                                     uint32_t &left) {
  constexpr uint32_t ROWS = 4; // read before any is written, which is never behind what has been read
  if (team.thread == 0)
    left = 0;
#pragma unroll 1
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

/* Takes the commonest values out of a cell one after the other, by all threads of a team, of which `left` is shared memory, as
   long as there are more others than a lane each. Returns how many others there are, at the cell's front. All threads of the
   team take part; begins and ends with the keys visible to all. */
template <typename Bits, typename AnyTeam>
__device__ __forceinline__ uint32_t take_out_commonest(const CrowdedCell<Bits> &cell, TakenValues<Bits> &taken,
                                                       const AnyTeam &team, uint32_t &left) {
  CrowdedCell<Bits> others = cell;
  Bits value;
  // Every warp draws the same sample.
  while (others.items > WARP_LANES && !taken.is_full() &&
         commonest_value(sample_of_cell(others), ALL_LANES, value) >= MIN_TAKEN_SAMPLES) {
    const uint32_t items = take_out_by_team(others, value, team, left);
    taken.take(value, others.items - items);
    others.items = items;
  }
  return others.items;
}

/* Puts taken values, and `items` others, one to a lane at most, in their places, by all threads of a team. All of them take
   part; begins with the keys visible to all; no barrier at the end. */
template <typename Bits, typename AnyTeam>
__device__ __forceinline__ void put_by_team(const CellPlaces<Bits> &places, uint32_t items, const TakenValues<Bits> &taken,
                                            const AnyTeam &team) {
  const bool has_one = team.lane() < items; // in every warp
  const Bits other = has_one ? places.cell.key(team.lane()) : 0;
  team.sync();
#pragma unroll
  for (uint32_t index = 0; index < MAX_TAKEN_VALUES; index++) {
    if (index >= taken.taken)
      continue;
    const Bits value = taken.values[index];
    const uint32_t lower = static_cast<uint32_t>(__popc(__ballot_sync(ALL_LANES, has_one && other < value)));
    places.put_all(taken.below(value) + lower, taken.counts[index], value, team.thread, AnyTeam::THREADS);
  }
  if (team.warp() != 0)
    return;
  uint32_t rank = 0; // among the others
  for (uint32_t number = 0; number < items; number++) {
    const Bits key = __shfl_sync(ALL_LANES, other, static_cast<int>(number));
    rank += key < other || (key == other && number < team.lane()) ? 1 : 0;
  }
  if (has_one)
    places.put(rank + taken.below(other), other);
}

/* Puts taken values behind the others of a cell, as if nothing had been taken out, by so many threads, of which this is one. */
template <typename Bits>
__device__ __forceinline__ void put_back(const CellPlaces<Bits> &places, uint32_t left, const TakenValues<Bits> &taken,
                                         uint32_t thread = threadIdx.x % WARP_LANES, uint32_t threads = WARP_LANES) {
#pragma unroll
  for (uint32_t value = 0; value < MAX_TAKEN_VALUES; value++)
    if (value < taken.taken) {
      CellPlaces<Bits>{places.cell, nullptr, places.map}.put_all(left, taken.counts[value], taken.values[value], thread,
                                                                 threads);
      left += taken.counts[value];
    }
}

/* Sorts the first `left` keys of a cell, LANE_ITEMS to a lane at most, and puts them and the values that were taken out of it
   in their places. All lanes take part. */
template <uint32_t LANE_ITEMS, typename Bits>
__device__ __forceinline__ void put_in_order(const CellPlaces<Bits> &places, uint32_t left, const TakenValues<Bits> &taken) {
  const uint32_t lane = threadIdx.x % WARP_LANES;
  Bits items[LANE_ITEMS];
#pragma unroll
  for (uint32_t item = 0; item < LANE_ITEMS; item++) {
    const uint32_t index = item * WARP_LANES + lane;
    items[item] = index < left ? places.cell.key(index) : GREATEST<Bits>;
  }
  __syncwarp();
  warp_bitonic_sort(items);
#pragma unroll
  for (uint32_t item = 0; item < LANE_ITEMS; item++) {
    const uint32_t place = lane * LANE_ITEMS + item;
    if (place < left)
      places.put(place + taken.below(items[item]), items[item]);
  }
#pragma unroll
  for (uint32_t value = 0; value < MAX_TAKEN_VALUES; value++) {
    if (value >= taken.taken)
      continue;
    uint32_t first = taken.below(taken.values[value]);
#pragma unroll
    for (uint32_t item = 0; item < LANE_ITEMS; item++)
      first += static_cast<uint32_t>(
          __popc(__ballot_sync(ALL_LANES, lane * LANE_ITEMS + item < left && items[item] < taken.values[value])));
    places.put_all(first, taken.counts[value], taken.values[value]);
  }
}

/* Sorts a cell, of which values may have been taken out: the first `left` keys are others. False if there are too many
   different ones: then its keys are there, in any order. All lanes take part; begins with the keys visible to the warp. */
template <typename Bits>
__device__ __forceinline__ bool sort_crowded_cell(const CellPlaces<Bits> &places, uint32_t left, TakenValues<Bits> taken) {
  constexpr uint32_t FEW = 2 * WARP_LANES;
  constexpr uint32_t MANY = 8 * WARP_LANES;
  if (taken.taken == 0 && sort_cell_of_two_values(places))
    return true;
  CrowdedCell<Bits> others = {places.cell.stage, places.cell.begin, left};
  while (others.items > FEW && !taken.is_full()) {
    const uint32_t before = taken.taken;
    each_value_of_sample(sample_of_cell(others), ALL_LANES, [&](Bits value, uint32_t count) {
      if (count >= MIN_TAKEN_SAMPLES && !taken.is_full())
        taken.take(value, 0);
    });
    if (taken.taken == before)
      break;
    __syncwarp();
    others.items = take_out(others, taken);
  }
  if (others.items == 0) {
#pragma unroll
    for (uint32_t value = 0; value < MAX_TAKEN_VALUES; value++)
      if (value < taken.taken)
        places.put_all(taken.below(taken.values[value]), taken.counts[value], taken.values[value]);
    return true;
  }
  if (others.items <= FEW) {
    put_in_order<FEW / WARP_LANES>(places, others.items, taken);
    return true;
  }
  if (others.items <= MANY) {
    put_in_order<MANY / WARP_LANES>(places, others.items, taken);
    return true;
  }
  put_back(places, others.items, taken);
  return false;
}

} // namespace cdp::CDP_RUNTIME

#endif
