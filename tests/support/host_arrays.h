/* SPDX-License-Identifier: MIT */
/*
 * What tests of several arrays on the simulated device share: keys and values between guards, and the order of the keys, which is
 * std::stable_sort's by the oracle's comparison.
 */
#ifndef CDPSORT_TESTS_HOST_ARRAYS_H
#define CDPSORT_TESTS_HOST_ARRAYS_H

#include "host_data.h"

#include <cdpsort/cdpsort.h>

#include <check.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

namespace host_arrays {

using Bytes = std::vector<unsigned char>;

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

/* A floating-point key's number: what it is by value, none of the library's code. */
inline double number_of(cdp_type type, const unsigned char *key) {
  float single = 0;
  double number = 0;
  uint16_t half = 0;
  uint32_t bits = 0;
  switch (type) {
  case CDP_F32:
    memcpy(&single, key, sizeof single);
    return single;
  case CDP_F64:
    memcpy(&number, key, sizeof number);
    return number;
  case CDP_BF16:
    memcpy(&half, key, sizeof half);
    bits = static_cast<uint32_t>(half) << 16;
    memcpy(&single, &bits, sizeof single);
    return single;
  default: // CDP_F16: what counts is whether it is zero, or no number
    memcpy(&half, key, sizeof half);
    if ((half & 0x7FFF) > 0x7C00)
      return NAN;
    return (half & 0x7FFF) == 0 ? 0 : 1;
  }
}

inline bool is_floating(cdp_type type) {
  return type == CDP_F32 || type == CDP_F64 || type == CDP_F16 || type == CDP_BF16;
}

/* Whether one key comes before another. */
inline bool comes_before(cdp_type type, const cdp_options &options, const unsigned char *a, const unsigned char *b) {
  const int three_way = host_compare(type, a, b);
  if (options.ties == CDP_TIES_BY_VALUE && is_floating(type)) {
    const double x = number_of(type, a);
    const double y = number_of(type, b);
    if ((std::isnan(x) && std::isnan(y)) || (x == 0 && y == 0))
      return false;
  }
  return options.order == CDP_DESCENDING ? three_way > 0 : three_way < 0;
}

/* Positions in the order of the keys, equal ones in that of the input. */
inline std::vector<uint64_t> stable_order(cdp_type type, const cdp_options &options, const Bytes &keys) {
  const size_t key_bytes = host_key_bytes(type);
  std::vector<uint64_t> order(keys.size() / key_bytes);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) {
    return comes_before(type, options, &keys[a * key_bytes], &keys[b * key_bytes]);
  });
  return order;
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

} // namespace host_arrays

#endif
