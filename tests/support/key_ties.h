/* SPDX-License-Identifier: MIT */
/*
 * Which of two keys comes first, and which are equal, by the options of a sort: the oracle's comparison (host_data.h), and beside it
 * what floating-point keys are by value.
 */
#ifndef CDPSORT_TESTS_KEY_TIES_H
#define CDPSORT_TESTS_KEY_TIES_H

#include "host_data.h"

#include <cmath>
#include <cstring>

namespace key_ties {

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
inline bool comes_before(cdp_type type, cdp_order order, cdp_ties ties, const unsigned char *a, const unsigned char *b) {
  const int three_way = host_compare(type, a, b);
  if (ties == CDP_TIES_BY_VALUE && is_floating(type)) {
    const double x = number_of(type, a);
    const double y = number_of(type, b);
    if ((std::isnan(x) && std::isnan(y)) || (x == 0 && y == 0))
      return false;
  }
  return order == CDP_DESCENDING ? three_way > 0 : three_way < 0;
}

} // namespace key_ties

#endif
