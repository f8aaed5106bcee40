/* SPDX-License-Identifier: MIT */
/*
 * What the tests of pairs.h and buckets.h on the simulated device share: keys and what goes with them, in memory between guards, and
 * the order that they must have, by std::stable_sort of positions and the oracle's comparison of keys.
 */
#ifndef CDPSORT_TESTS_HOST_TABLES_H
#define CDPSORT_TESTS_HOST_TABLES_H

#include "key_ties.h"

#include <check.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace host_tables {

using Bytes = std::vector<unsigned char>;

constexpr int TYPES = CDP_BF16;

inline cdp_type type_at(int index) {
  return static_cast<cdp_type>(CDP_U32 + index);
}

inline cdp_options simulated_options(uint64_t seed) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.device = CDP_DEVICE_SIMULATED;
  options.seed = seed;
  return options;
}

/* ---- Oracle ------------------------------------------------------------------------------------------------------------ */

/* Whether one key comes before another. */
inline bool comes_before(cdp_type type, const cdp_options &options, const unsigned char *a, const unsigned char *b) {
  return key_ties::comes_before(type, options.order, options.ties, a, b);
}

/* Positions in the order of the keys, equal ones in that of the input. Those of the latest keys are kept: several sorts are often made of
   them. */
inline const std::vector<uint64_t> &stable_order(cdp_type type, const cdp_options &options, const Bytes &keys) {
  struct Latest {
    cdp_type type;
    cdp_order order;
    cdp_ties ties;
    Bytes keys;
    std::vector<uint64_t> positions;
  };
  static thread_local Latest latest = {};
  if (latest.type == type && latest.order == options.order && latest.ties == options.ties && latest.keys == keys)
    return latest.positions;
  const size_t key_bytes = host_key_bytes(type);
  latest = {type, options.order, options.ties, keys, std::vector<uint64_t>(keys.size() / key_bytes)};
  std::iota(latest.positions.begin(), latest.positions.end(), 0);
  std::stable_sort(latest.positions.begin(), latest.positions.end(), [&](uint64_t a, uint64_t b) {
    return comes_before(type, options, &keys[a * key_bytes], &keys[b * key_bytes]);
  });
  return latest.positions;
}

/* The first `most` items of an array in such an order, and all of them. */
inline Bytes in_order(const Bytes &items, size_t item_bytes, const std::vector<uint64_t> &order, size_t most) {
  Bytes sorted(most * item_bytes);
  for (size_t index = 0; index < most; index++)
    memcpy(&sorted[index * item_bytes], &items[order[index] * item_bytes], item_bytes);
  return sorted;
}
inline Bytes in_order(const Bytes &items, size_t item_bytes, const std::vector<uint64_t> &order) {
  return in_order(items, item_bytes, order, order.size());
}

inline Bytes sorted_keys(cdp_type type, const cdp_options &options, const Bytes &keys) {
  return in_order(keys, host_key_bytes(type), stable_order(type, options, keys));
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------------ */

/* An array between guards. */
class Guarded {
public:
  explicit Guarded(const Bytes &contents, size_t offset = 0) {
    ck_assert(host_guarded_make(&guarded_, contents.size(), offset));
    if (!contents.empty())
      memcpy(guarded_.bytes, contents.data(), contents.size());
  }
  ~Guarded() {
    host_guarded_free(&guarded_);
  }
  Guarded(const Guarded &) = delete;
  Guarded &operator=(const Guarded &) = delete;

  unsigned char *bytes() const {
    return guarded_.bytes;
  }
  Bytes contents() const {
    ck_assert_msg(host_guarded_whole(&guarded_), "something was written beside an array");
    return Bytes(guarded_.bytes, guarded_.bytes + guarded_.size);
  }

private:
  host_guarded guarded_ = {};
};

inline Bytes random_bytes(size_t bytes, uint64_t seed) {
  Bytes contents(bytes);
  for (unsigned char &byte : contents)
    byte = static_cast<unsigned char>(host_random(&seed));
  return contents;
}

inline Bytes keys_of(cdp_type type, size_t count, host_distribution distribution, uint64_t seed) {
  Bytes keys(count * host_key_bytes(type));
  host_fill(keys.data(), type, count, distribution, seed);
  return keys;
}

} // namespace host_tables

#endif
