/* SPDX-License-Identifier: MIT */
/*
 * What the tests of compare.h share: items whose first bytes are a key, and all of which differ if they are large enough, and what
 * must have become of them: all are there, and in order.
 */
#ifndef CDPSORT_TESTS_COMPARED_H
#define CDPSORT_TESTS_COMPARED_H

#include "host_tables.h"

#include <cdpsort/by/launches.h>
#include <cdpsort/compare.h>

namespace compared {

using host_tables::Bytes;

/* The key of an item: its first bytes, up to 4. */
inline uint32_t key_of(const void *item, size_t item_bytes) {
  uint32_t key = 0;
  memcpy(&key, item, std::min<size_t>(item_bytes, sizeof key));
  return key;
}

/* Items at random, with so many different keys (0: no limit). */
inline Bytes random_items(size_t count, size_t item_bytes, uint32_t keys, uint64_t seed) {
  Bytes items = host_tables::random_bytes(count * item_bytes, seed);
  for (size_t index = 0; index < count && keys != 0; index++) {
    const uint32_t key = key_of(&items[index * item_bytes], item_bytes) % keys;
    memcpy(&items[index * item_bytes], &key, std::min<size_t>(item_bytes, sizeof key));
  }
  return items;
}

/* All items, in the order of their bytes. */
inline Bytes by_bytes(const Bytes &items, size_t item_bytes) {
  std::vector<size_t> order(items.size() / item_bytes);
  Bytes sorted;
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return memcmp(&items[a * item_bytes], &items[b * item_bytes], item_bytes) < 0; });
  sorted.reserve(items.size());
  for (const size_t index : order)
    sorted.insert(sorted.end(), items.begin() + static_cast<ptrdiff_t>(index * item_bytes),
                  items.begin() + static_cast<ptrdiff_t>((index + 1) * item_bytes));
  return sorted;
}

inline void must_be_permutation(const Bytes &before, const Bytes &after, size_t item_bytes) {
  ck_assert_msg(by_bytes(before, item_bytes) == by_bytes(after, item_bytes), "items of %zu bytes were lost or doubled",
                item_bytes);
}

/* `comes_before(a, b)` of pointers to items. */
template <typename ComesBefore>
void must_be_in_order(const Bytes &items, size_t item_bytes, ComesBefore comes_before) {
  for (size_t index = item_bytes; index < items.size(); index += item_bytes)
    ck_assert_msg(!comes_before(&items[index], &items[index - item_bytes]),
                  "item %zu of %zu bytes comes before the one before it", index / item_bytes, item_bytes);
}

/* Numbers of items around all that a sort by comparison does in another way: what one block sorts, what one and two levels divide,
   and tiles. */
inline std::vector<size_t> counts_around_limits(size_t item_bytes, bool is_simulated) {
  const cdp::by::Shape shape =
      cdp::by::shape_of(cdp::by::is_moved(item_bytes) ? static_cast<uint32_t>(item_bytes) : cdp::by::OF_INDICES, is_simulated);
  const size_t piece = shape.piece();
  const size_t level = piece / 2 << shape.level_bits;
  std::vector<size_t> counts = {0, 1, 2, 3, shape.sort_items, shape.sort_items + 1u, 32 * shape.sort_items};
  for (const size_t limit :
       {32 * shape.sort_items + size_t{1}, piece, size_t{shape.sample()}, size_t{shape.tile()}, 2 * piece, level})
    for (size_t count = limit - 1; count <= limit + 1; count++)
      counts.push_back(count);
  counts.push_back(2 * level + 17);
  return counts;
}

} // namespace compared

#endif
