/* SPDX-License-Identifier: MIT */
/*
 * What the calls of ranges.h must find and write, by std::is_sorted_until(), std::unique_copy() and std::merge() of positions, and
 * the oracle's comparison of keys.
 */
#ifndef CDPSORT_TESTS_RANGE_ORACLE_H
#define CDPSORT_TESTS_RANGE_ORACLE_H

#include "key_ties.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <numeric>
#include <vector>

namespace range_oracle {

using Bytes = std::vector<unsigned char>;
using Positions = std::vector<uint64_t>;

/* Keys, and the comparison of a call, by their positions. */
struct Keys {
  cdp_type type;
  const cdp_options &options;
  const Bytes &bytes;

  size_t key_bytes() const {
    return host_key_bytes(type);
  }
  size_t count() const {
    return bytes.size() / key_bytes();
  }
  bool operator()(uint64_t a, uint64_t b) const {
    return key_ties::comes_before(type, options.order, options.ties, &bytes[a * key_bytes()], &bytes[b * key_bytes()]);
  }
  Positions positions(uint64_t begin, uint64_t end) const {
    Positions numbers(end - begin);
    std::iota(numbers.begin(), numbers.end(), begin);
    return numbers;
  }
  Bytes at(const Positions &places) const {
    Bytes keys(places.size() * key_bytes());
    for (size_t index = 0; index < places.size(); index++)
      memcpy(&keys[index * key_bytes()], &bytes[places[index] * key_bytes()], key_bytes());
    return keys;
  }
};

inline uint64_t sorted_count(const Keys &keys) {
  const Positions all = keys.positions(0, keys.count());
  return static_cast<uint64_t>(std::is_sorted_until(all.begin(), all.end(), std::cref(keys)) - all.begin());
}

inline Bytes sorted_bytes(const Keys &keys) {
  Positions all = keys.positions(0, keys.count());
  std::stable_sort(all.begin(), all.end(), std::cref(keys));
  return keys.at(all);
}

inline Bytes unique_bytes(const Keys &keys) {
  const Positions all = keys.positions(0, keys.count());
  Positions unique;
  std::unique_copy(all.begin(), all.end(), std::back_inserter(unique),
                   [&](uint64_t a, uint64_t b) { return !keys(a, b) && !keys(b, a); });
  return keys.at(unique);
}

inline Bytes both_ranges(const Bytes &first, const Bytes &second) {
  Bytes both = first;
  both.insert(both.end(), second.begin(), second.end());
  return both;
}

inline Bytes merged_bytes(cdp_type type, const cdp_options &options, const Bytes &first, const Bytes &second) {
  const Bytes both = both_ranges(first, second);
  const Keys keys = {type, options, both};
  const size_t middle = first.size() / keys.key_bytes();
  const Positions a = keys.positions(0, middle);
  const Positions b = keys.positions(middle, keys.count());
  Positions order;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(order), std::cref(keys));
  return keys.at(order);
}

} // namespace range_oracle

#endif
