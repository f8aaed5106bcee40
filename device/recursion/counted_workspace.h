/* SPDX-License-Identifier: MIT */
/*
 * The workspace of a sort of 8-bit or 16-bit keys (counted_array.cuh), in bytes from its beginning:
 *
 *     | counts of raw values | how many are listed | where their keys begin, and the last end | the values |
 *       zeroed
 */
#ifndef CDPSORT_DEVICE_RECURSION_COUNTED_WORKSPACE_H
#define CDPSORT_DEVICE_RECURSION_COUNTED_WORKSPACE_H

#include "tuning_narrow.h"

#include <cdpsort/cdpsort.h>

namespace cdp {

struct CountedParts {
  uint64_t counts;
  uint64_t listed;
  uint64_t begins;
  uint64_t values;
  uint64_t end;
};

/* Each part is a multiple of CDP_WORKSPACE_ALIGNMENT. */
constexpr CountedParts counted_parts(uint32_t key_bytes) {
  const uint64_t values = narrow_values(key_bytes);
  const uint64_t listed = values * sizeof(unsigned long long);
  const uint64_t begins = listed + CDP_WORKSPACE_ALIGNMENT;
  const uint64_t begins_end = begins + listed + CDP_WORKSPACE_ALIGNMENT;
  const uint64_t values_bytes = values * sizeof(uint16_t);
  return {0, listed, begins, begins_end, begins_end + values_bytes};
}
static_assert(counted_parts(1).end % CDP_WORKSPACE_ALIGNMENT == 0 && counted_parts(2).end % CDP_WORKSPACE_ALIGNMENT == 0 &&
                  counted_parts(1).listed % CDP_WORKSPACE_ALIGNMENT == 0,
              "parts are aligned");

} // namespace cdp

#endif
