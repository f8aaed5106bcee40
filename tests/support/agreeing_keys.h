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

/* Of up to 32 keys, which are put in order where they lie, and of more, for which all keys are sorted twice more. */
inline std::vector<std::vector<uint64_t>> make_agreeing(size_t count, uint64_t seed) {
  return {make_clusters(count, seed), make_runs(count, 2, seed), make_runs(count, 32, seed), make_runs(count, 40, seed),
          make_runs(count, count / 3, seed)};
}

#endif
