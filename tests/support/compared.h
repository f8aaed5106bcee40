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

#include <utility>

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

/* A number that follows from an item's bytes, and hardly from any other's. (The finisher is SplitMix64's: Guy Steele, Doug Lea and
   Christine Flood, 2014.) */
inline uint64_t digest_of(const unsigned char *item, size_t item_bytes, uint64_t seed) {
  uint64_t digest = seed;
  for (size_t byte = 0; byte < item_bytes; byte += 8) {
    uint64_t word = 0;
    memcpy(&word, item + byte, std::min<size_t>(8, item_bytes - byte));
    digest = (digest ^ word) + 0x9E3779B97F4A7C15u;
    digest = (digest ^ digest >> 30) * 0xBF58476D1CE4E5B9u;
    digest = (digest ^ digest >> 27) * 0x94D049BB133111EBu;
    digest ^= digest >> 31;
  }
  return digest;
}

/* What all items come to, whatever their order: the sums of two digests of each. */
inline std::pair<uint64_t, uint64_t> digests_of(const Bytes &items, size_t item_bytes) {
  std::pair<uint64_t, uint64_t> sums = {0, 0};
  for (size_t index = 0; index + item_bytes <= items.size(); index += item_bytes) {
    sums.first += digest_of(&items[index], item_bytes, 1);
    sums.second += digest_of(&items[index], item_bytes, 2);
  }
  return sums;
}

inline void must_be_permutation(const Bytes &before, const Bytes &after, size_t item_bytes) {
  ck_assert_msg(before.size() == after.size() && digests_of(before, item_bytes) == digests_of(after, item_bytes),
                "items of %zu bytes were lost or doubled", item_bytes);
}

/* `comes_before(a, b)` of pointers to items. */
template <typename ComesBefore>
void must_be_in_order(const Bytes &items, size_t item_bytes, ComesBefore comes_before) {
  size_t index = item_bytes;
  while (index < items.size() && !comes_before(&items[index], &items[index - item_bytes]))
    index += item_bytes;
  ck_assert_msg(index >= items.size(), "item %zu of %zu bytes comes before the one before it", index / item_bytes, item_bytes);
}

/* Numbers of items around all that a sort by comparison does in another way: what one block sorts, what one and two levels divide,
   and tiles. */
inline std::vector<size_t> counts_around_limits(size_t item_bytes, bool is_simulated) {
  const cdp::by::Shape shape =
      cdp::by::shape_of(cdp::by::is_moved(item_bytes) ? static_cast<uint32_t>(item_bytes) : cdp::by::OF_INDICES, is_simulated);
  const size_t piece = shape.piece();
  const size_t level = piece / 2 << shape.level_bits;
  std::vector<size_t> counts = {0, 1, 2, 3, shape.sort_items, shape.sort_items + 1u, 32 * shape.sort_items};
  for (const size_t limit : {32 * shape.sort_items + size_t{1}, size_t{shape.short_piece()}, piece, size_t{shape.whole()},
                             size_t{shape.sample()}, size_t{shape.tile()}, 2 * piece, level})
    for (size_t count = limit - 1; count <= limit + 1; count++)
      counts.push_back(count);
  counts.push_back(2 * level + 17);
  return counts;
}

} // namespace compared

#endif
