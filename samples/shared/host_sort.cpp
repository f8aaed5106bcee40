/* SPDX-License-Identifier: MIT */
/* std::sort, for all types and both orders, and the clock: see host_work.h. The only C++ of the tables. */
#include "host_work.h"

#include <algorithm>
#include <chrono>
#include <functional>

namespace {

template <typename Key>
void sort_keys(void *keys, size_t count, cdp_order order) {
  Key *const begin = static_cast<Key *>(keys);
  if (order == CDP_DESCENDING)
    std::sort(begin, begin + count, std::greater<Key>());
  else
    std::sort(begin, begin + count);
}

} // namespace

void sort_on_host(void *keys, size_t count, cdp_type type, cdp_order order) {
  switch (type) {
  case CDP_U32:
    return sort_keys<uint32_t>(keys, count, order);
  case CDP_I32:
    return sort_keys<int32_t>(keys, count, order);
  case CDP_U64:
    return sort_keys<uint64_t>(keys, count, order);
  case CDP_I64:
    return sort_keys<int64_t>(keys, count, order);
  case CDP_F32:
    return sort_keys<float>(keys, count, order);
  case CDP_F64:
    return sort_keys<double>(keys, count, order);
  }
}

double clock_milliseconds(void) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
