/* SPDX-License-Identifier: MIT */
/*
 * See compare_peers.h.
 */
#include "compare_peers.h"

#include <cdpsort/sort_by.cuh>

namespace bench {

namespace {

template <typename Key>
struct LessKey {
  __device__ bool operator()(const Key &left, const Key &right) const {
    return left < right;
  }
};

} // namespace

size_t header_workspace_bytes(const KeySpan &keys) {
  size_t bytes = 0;
  with_key_type(keys.type, [&](auto key) { REQUIRE(cdpsort::sort_by_workspace<decltype(key)>(keys.count, &bytes)); });
  return bytes;
}

void sort_by_header(const Workplace &place) {
  with_key_type(place.keys.type, [&](auto key) {
    using Key = decltype(key);
    REQUIRE(cdpsort::sort_by(static_cast<Key *>(place.keys.d_keys), place.keys.count, LessKey<Key>{}, place.d_workspace,
                             place.workspace_bytes, place.stream));
  });
}

} // namespace bench
