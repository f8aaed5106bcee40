/* SPDX-License-Identifier: MIT */
/* The CPU's part: see piece_sort.h. */
#include "piece_sort.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <thread>

namespace transfer {

namespace {

template <typename Key, typename Before>
struct Pieces {
  static cdp_parts partition(const HostKeys &keys, const void *pivot_key) {
    Key *const begin = static_cast<Key *>(keys.keys);
    Key *const end = begin + keys.count;
    const Before before;
    Key pivot;
    std::memcpy(&pivot, pivot_key, sizeof pivot);
    Key *const equal = std::partition(begin, end, [&](Key key) { return before(key, pivot); });
    Key *const greater = std::partition(equal, end, [&](Key key) { return !before(pivot, key); });
    return {static_cast<uint64_t>(equal - begin), static_cast<uint64_t>(greater - equal), 0};
  }

  static void sort(const HostKeys &keys, const cdp_parts &parts) {
    Key *const begin = static_cast<Key *>(keys.keys);
    Key *const greater = begin + parts.less_items + parts.equal_items;
    std::thread other([=] { std::sort(greater, begin + keys.count, Before()); });
    std::sort(begin, begin + parts.less_items, Before());
    other.join();
  }
};

/* Calls `work` with the Pieces of the keys' type and order. */
template <typename Work>
auto with_type(const HostKeys &keys, Work work) {
  const auto with_key = [&](auto key) {
    using Key = decltype(key);
    return keys.order == CDP_DESCENDING ? work(Pieces<Key, std::greater<Key>>()) : work(Pieces<Key, std::less<Key>>());
  };
  switch (keys.type) {
  case CDP_U32:
    return with_key(uint32_t{});
  case CDP_I32:
    return with_key(int32_t{});
  case CDP_U64:
    return with_key(uint64_t{});
  case CDP_I64:
    return with_key(int64_t{});
  case CDP_F32:
    return with_key(float{});
  case CDP_F64:
    break;
  }
  return with_key(double{});
}

} // namespace

cdp_parts partition_on_cpu(const HostKeys &keys, const void *pivot) {
  return with_type(keys, [&](auto pieces) { return pieces.partition(keys, pivot); });
}

void sort_pieces(const HostKeys &keys, const cdp_parts &parts) {
  with_type(keys, [&](auto pieces) { pieces.sort(keys, parts); });
}

} // namespace transfer
