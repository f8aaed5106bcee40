/* SPDX-License-Identifier: MIT */
/* std::sort and std::partition, for all types and both orders, and the clock: see host_work.h. */
#include "host_work.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>

namespace {

/* Calls `work` with a pointer to the first key, of its type, and with the `<` of the order. */
template <typename Work>
void with_type(void *keys, cdp_type type, cdp_order order, Work work) {
  const auto with_key = [&](auto *first) {
    using Key = std::remove_pointer_t<decltype(first)>;
    if (order == CDP_DESCENDING)
      work(first, std::greater<Key>());
    else
      work(first, std::less<Key>());
  };
  switch (type) {
  case CDP_U32:
    return with_key(static_cast<uint32_t *>(keys));
  case CDP_I32:
    return with_key(static_cast<int32_t *>(keys));
  case CDP_U64:
    return with_key(static_cast<uint64_t *>(keys));
  case CDP_I64:
    return with_key(static_cast<int64_t *>(keys));
  case CDP_F32:
    return with_key(static_cast<float *>(keys));
  case CDP_F64:
    return with_key(static_cast<double *>(keys));
  default: // samples have no others
    return;
  }
}

} // namespace

void sort_on_host(void *keys, uint64_t count, cdp_type type, cdp_order order) {
  with_type(keys, type, order, [&](auto *first, auto before) { std::sort(first, first + count, before); });
}

cdp_parts partition_on_host(void *keys, uint64_t count, cdp_type type, cdp_order order, const void *pivot_key) {
  cdp_parts parts = {0, 0, 0};
  with_type(keys, type, order, [&](auto *first, auto before) {
    using Key = std::remove_pointer_t<decltype(first)>;
    Key pivot;
    std::memcpy(&pivot, pivot_key, sizeof pivot);
    Key *const equal = std::partition(first, first + count, [&](Key key) { return before(key, pivot); });
    Key *const greater = std::partition(equal, first + count, [&](Key key) { return !before(pivot, key); });
    parts = {static_cast<uint64_t>(equal - first), static_cast<uint64_t>(greater - equal), 0};
  });
  return parts;
}

double clock_milliseconds(void) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
