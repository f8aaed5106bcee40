/* SPDX-License-Identifier: MIT */
/*
 * Where the parts of a workspace begin, for plans.
 */
#ifndef CDPSORT_DEVICE_ROOM_H
#define CDPSORT_DEVICE_ROOM_H

#include <cdpsort/cdpsort.h>

#include <cstdint>

namespace cdp {

/* Bytes in the workspace's order, each part aligned; remembers whether they could all be counted. */
class Room {
public:
  uint64_t take(uint64_t items, uint64_t item_bytes) {
    const uint64_t begin = end;
    constexpr uint64_t MASK = CDP_WORKSPACE_ALIGNMENT - 1;
    if (item_bytes != 0 && items > (INT64_MAX - MASK - end) / item_bytes)
      is_countable = false;
    else
      end = begin + ((items * item_bytes + MASK) & ~MASK);
    return begin;
  }

  uint64_t end = 0;
  bool is_countable = true;
};

} // namespace cdp

#endif
