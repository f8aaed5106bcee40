/* SPDX-License-Identifier: MIT */
/*
 * Keys of 8 bytes that agree in their upper bits, where a sort with values must look at the lower ones: wide_keys.cuh. They are
 * ranks: keys of a type are those at such places in its order.
 */
#ifndef CDPSORT_TESTS_AGREEING_KEYS_H
#define CDPSORT_TESTS_AGREEING_KEYS_H

#include "host_data.h"

#include <utility>
#include <vector>

/* A few clusters far apart, and one key far from all: whole clusters are one run. */
inline std::vector<uint64_t> make_clusters(size_t count, uint64_t state) {
  std::vector<uint64_t> ranks(count);
  for (uint64_t &rank : ranks)
    rank = host_random_below(&state, 4) << 60 | host_random_below(&state, 1 << 20);
  ranks[count / 2] = UINT64_MAX;
  return ranks;
}

/* Runs of 2 to `longest` keys that differ in no more of their lowest bits than a position has. The least rank and the greatest are
   among them, so that those bits are what a window drops. Of every third run many keys are equal. */
inline std::vector<uint64_t> make_runs(size_t count, size_t longest, uint64_t state) {
  uint32_t position_bits = 0;
  while ((count - 1) >> position_bits != 0)
    position_bits++;
  const uint64_t step = (UINT64_MAX >> position_bits) / count; // there are fewer runs than keys
  std::vector<uint64_t> ranks;
  for (uint64_t run = 0; ranks.size() < count - 1; run++)
    for (size_t keys = 2 + run % (longest - 1); keys != 0 && ranks.size() < count - 1; keys--) {
      const uint64_t low = host_random_below(&state, run % 3 == 0 ? 2 : uint64_t{1} << position_bits);
      ranks.push_back((run * step) << position_bits | low);
    }
  ranks[0] = 0;
  ranks.push_back(UINT64_MAX);
  for (size_t index = count; index-- > 1;)
    std::swap(ranks[index], ranks[host_random_below(&state, index + 1)]);
  return ranks;
}

/* Behind `offset` keys a run of `length` that rise but for a fall at `fall`, and then others: all of them as far apart as there is room
   for, and in the order of the input. The least of all is such that in the middle of the run the lower halves of keys begin anew. `count`
   is a power of two. */
inline std::vector<uint64_t> make_run_at(size_t count, size_t offset, size_t length, size_t fall) {
  constexpr uint64_t LOWER_HALF = UINT32_MAX;
  std::vector<uint64_t> distances(count);
  const uint64_t step = (UINT64_MAX - LOWER_HALF) / count;
  for (size_t index = 0; index < count; index++)
    distances[index] = index * step;
  const uint64_t base = distances[offset] / count * count; // the run's keys differ in as many bits as a position has, or fewer
  for (size_t index = 0; index < length; index++)
    distances[offset + index] = base + index;
  std::swap(distances[offset + fall - 1], distances[offset + fall]);
  const uint64_t least = (0 - base - length / 2) & LOWER_HALF;
  for (uint64_t &distance : distances)
    distance += least;
  return distances;
}

/* Of up to 32 keys, which are put in order where they lie; of more, which a tile holds, on the simulated device or a GPU; and of more than
   any tile holds, for which all keys are sorted once more. */
inline std::vector<std::vector<uint64_t>> make_agreeing(size_t count, uint64_t seed) {
  std::vector<std::vector<uint64_t>> all = {make_clusters(count, seed)};
  for (const size_t longest : {size_t{2}, size_t{32}, size_t{40}, size_t{200}, size_t{1500}, count / 3})
    all.push_back(make_runs(count, longest, seed));
  return all;
}
constexpr int AGREEING_KINDS = 7;

#endif
