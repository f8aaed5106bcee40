/* SPDX-License-Identifier: MIT */
/*
 * Sorts of pairs on the simulated device, and what must become of them.
 */
#ifndef CDPSORT_TESTS_HOST_PAIRS_H
#define CDPSORT_TESTS_HOST_PAIRS_H

#include "host_tables.h"

#include <cdpsort/pairs.h>

namespace host_tables {

constexpr int TIES = 3;

/* Numbers of a width, as bytes. */
template <typename Number>
Bytes bytes_of(const std::vector<uint64_t> &numbers) {
  Bytes bytes;
  for (const uint64_t each : numbers) {
    const Number number = static_cast<Number>(each);
    const unsigned char *begin = reinterpret_cast<const unsigned char *>(&number);
    bytes.insert(bytes.end(), begin, begin + sizeof number);
  }
  return bytes;
}

/* Pairs as they are, whatever the order of those whose keys are equal: each key with its value, sorted byte by byte. */
inline std::vector<Bytes> sorted_pairs(const Bytes &keys, size_t key_bytes, const Bytes &values, size_t value_bytes) {
  std::vector<Bytes> pairs;
  for (size_t index = 0; index < keys.size() / key_bytes; index++) {
    Bytes pair(&keys[index * key_bytes], &keys[index * key_bytes] + key_bytes);
    pair.insert(pair.end(), &values[index * value_bytes], &values[index * value_bytes] + value_bytes);
    pairs.push_back(pair);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/* Sorts pairs, and ends the test unless they are what they must be. `offset`: of the values from an aligned address. */
inline void must_sort_pairs(cdp_type type, const Bytes &keys, size_t value_bytes, size_t offset, const cdp_options &options) {
  const size_t key_bytes = host_key_bytes(type);
  const size_t count = keys.size() / key_bytes;
  const Bytes values = random_bytes(count * value_bytes, options.seed);
  const std::vector<uint64_t> order = stable_order(type, options, keys);
  const Guarded own_keys(keys, key_bytes);
  const Guarded own_values(values, offset);
  const cdp_status status = cdp_quicksort_pairs(own_keys.bytes(), own_values.bytes(), value_bytes, count, type, &options);
  ck_assert_msg(status == CDP_OK, "%s", cdp_last_message());
  const Bytes sorted_keys = own_keys.contents();
  const Bytes sorted_values = own_values.contents();
  const char *name = host_type_name(type);
  ck_assert_msg(sorted_keys == in_order(keys, key_bytes, order), "%zu keys of %s are not sorted, ties %d", count, name,
                static_cast<int>(options.ties));
  if (options.ties != CDP_TIES_ANY)
    ck_assert_msg(sorted_values == in_order(values, value_bytes, order),
                  "%zu values of %zu bytes, keys of %s, ties %d: not as "
                  "the stable sort has them",
                  count, value_bytes, name, static_cast<int>(options.ties));
  ck_assert_msg(sorted_pairs(sorted_keys, key_bytes, sorted_values, value_bytes) ==
                    sorted_pairs(keys, key_bytes, values, value_bytes),
                "%zu values of %zu bytes have other keys of %s than before", count, value_bytes, name);
}

} // namespace host_tables

#endif
