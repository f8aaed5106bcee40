/* SPDX-License-Identifier: MIT */
/*
 * What tests of select.h on the simulated device share: sizes, ranks, keys that agree in many bits, and how they end.
 */
#ifndef CDPSORT_TESTS_SELECT_CHECK_H
#define CDPSORT_TESTS_SELECT_CHECK_H

#include "host_tables.h"

#include "../../device/tuning_select.h"

#include <cdpsort/select.h>

namespace select_check {

using namespace host_tables;

/* Keys that a block takes at a time. */
inline size_t tile_keys(cdp_type type) {
  constexpr cdp::SelectShape SHAPE = cdp::select_shape(true);
  const size_t each = SHAPE.thread_bytes / host_key_bytes(type);
  return SHAPE.threads * std::min<size_t>(each, cdp::MOST_SELECT_ITEMS);
}

template <typename Key>
Bytes bytes_of(const std::vector<Key> &keys) {
  Bytes bytes(keys.size() * sizeof(Key));
  memcpy(bytes.data(), keys.data(), bytes.size());
  return bytes;
}

/* Most keys are a few next to each other, and the others anywhere: a sample may see none of these, or some. */
inline Bytes clustered_keys(size_t count, uint64_t spread, size_t strays, uint64_t seed) {
  std::vector<uint64_t> keys(count);
  for (size_t index = 0; index < count; index++)
    keys[index] = 0x7123456789ABCDEFu + host_random_below(&seed, spread);
  for (size_t stray = 0; stray < strays; stray++)
    keys[host_random_below(&seed, count)] = host_random(&seed);
  return bytes_of(keys);
}

/* Ranks at both ends, in the middle and between. */
inline std::vector<size_t> ranks_of(size_t count) {
  std::vector<size_t> ranks = {0, count / 2, count - 1, count / 7, count > 1 ? count - 2 : 0};
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

/* Indices of 4 or 8 bytes as numbers. */
inline std::vector<uint64_t> numbers_of(const Bytes &indices, size_t index_bytes) {
  std::vector<uint64_t> numbers(index_bytes == 0 ? 0 : indices.size() / index_bytes);
  for (size_t index = 0; index < numbers.size(); index++)
    memcpy(&numbers[index], &indices[index * index_bytes], index_bytes);
  return numbers;
}

/* Ends the test with where it was. */
inline void must(bool holds, const char *what, cdp_type type, size_t count, size_t rank, const cdp_options &options) {
  ck_assert_msg(holds, "%zu keys of %s, %s, rank or number %zu: %s", count, host_type_name(type),
                options.order == CDP_DESCENDING ? "descending" : "ascending", rank, what);
}

} // namespace select_check

#endif
