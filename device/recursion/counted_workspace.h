/* SPDX-License-Identifier: MIT */
/*
 * The workspace of a sort of 8-bit or 16-bit keys (counted_array.cuh), in bytes from its beginning:
 *
 *     | counts, one for each value | begins, one for each value, and the count |
 */
#ifndef CDPSORT_DEVICE_RECURSION_COUNTED_WORKSPACE_H
#define CDPSORT_DEVICE_RECURSION_COUNTED_WORKSPACE_H

#include "tuning_narrow.h"

#include <cdpsort/cdpsort.h>

namespace cdp {

struct CountedParts {
  uint64_t counts;
  uint64_t begins;
  uint64_t end;
};

/* Both parts are a multiple of CDP_WORKSPACE_ALIGNMENT, for no device fewer. */
constexpr CountedParts counted_parts(uint32_t key_bytes) {
  const uint64_t counts_bytes = uint64_t{narrow_values(key_bytes)} * sizeof(unsigned long long);
  return {0, counts_bytes, 2 * counts_bytes + CDP_WORKSPACE_ALIGNMENT};
}
static_assert(counted_parts(1).begins % CDP_WORKSPACE_ALIGNMENT == 0 && counted_parts(2).begins % CDP_WORKSPACE_ALIGNMENT == 0,
              "parts are aligned");

} // namespace cdp

#endif
