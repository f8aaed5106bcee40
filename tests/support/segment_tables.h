/* SPDX-License-Identifier: MIT */
/*
 * Segments for tests, by a seed: of any lengths, in any order, with gaps, empty ones and offsets that are none; and the order that
 * a segmented sort must bring an array into.
 */
#ifndef CDPSORT_TESTS_SEGMENT_TABLES_H
#define CDPSORT_TESTS_SEGMENT_TABLES_H

#include "host_data.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace segment_tables {

/* By offsets of 4 or 8 bytes, or of one length (offset_bytes 0). */
struct Table {
  uint64_t count = 0; /* keys of the array */
  std::vector<uint64_t> begins;
  std::vector<uint64_t> ends;
  size_t offset_bytes = 8;

  bool is_segment(size_t index) const {
    return begins[index] <= ends[index] && ends[index] <= count;
  }
  /* Adds `length` keys behind those that there are. */
  void add(uint64_t length) {
    begins.push_back(count);
    ends.push_back(count + length);
    count += length;
  }
  void skip(uint64_t keys) {
    count += keys;
  }
  std::vector<unsigned char> bytes_of(const std::vector<uint64_t> &offsets) const {
    std::vector<unsigned char> bytes(offsets.size() * offset_bytes);
    for (size_t index = 0; index < offsets.size() && offset_bytes != 0; index++) {
      const uint32_t narrow = static_cast<uint32_t>(offsets[index]);
      memcpy(&bytes[index * offset_bytes], offset_bytes == 4 ? static_cast<const void *>(&narrow) : &offsets[index],
             offset_bytes);
    }
    return bytes;
  }
};

/* What a blocking call takes of a table: no offset beyond the array. */
inline Table within_array(const Table &given) {
  Table table = given;
  table.begins.clear();
  table.ends.clear();
  for (size_t index = 0; index < given.begins.size(); index++)
    if (given.begins[index] <= given.count && given.ends[index] <= given.count) {
      table.begins.push_back(given.begins[index]);
      table.ends.push_back(given.ends[index]);
    }
  return table;
}

/* Segments of one length, and `left` keys behind them. */
inline Table equal_table(uint64_t segments, uint64_t length, uint64_t left) {
  Table table;
  table.offset_bytes = 0;
  for (uint64_t index = 0; index < segments; index++)
    table.add(length);
  table.skip(left);
  return table;
}

enum Style { ROWS, GAPS, AWFUL, STYLES };

/* Brings segments into another order. */
inline void shuffle(Table &table, uint64_t seed) {
  for (size_t index = table.begins.size(); index > 1; index--) {
    const size_t other = host_random_below(&seed, index);
    std::swap(table.begins[index - 1], table.begins[other]);
    std::swap(table.ends[index - 1], table.ends[other]);
  }
}

/* Segments of given lengths: one behind the other; with gaps; or also in any order, among offsets that are none. */
inline Table table_of(const std::vector<uint64_t> &lengths, Style style, size_t offset_bytes, uint64_t seed) {
  Table table;
  uint64_t state = seed;
  table.offset_bytes = offset_bytes;
  for (const uint64_t length : lengths) {
    if (style != ROWS && host_random_below(&state, 3) == 0)
      table.skip(host_random_below(&state, 40));
    table.add(length);
  }
  if (style != AWFUL)
    return table;
  table.skip(host_random_below(&state, 9));
  const uint64_t greatest = offset_bytes == 4 ? UINT32_MAX : UINT64_MAX;
  const uint64_t wrong[][2] = {{table.count, table.count + 1}, {0, table.count + 1}, {0, greatest},
                               {greatest, greatest},           {greatest, 0},        {table.count + 1, table.count + 1},
                               {table.count, table.count},     {table.count, 0},     {1, 0}};
  for (const auto &pair : wrong) {
    table.begins.push_back(pair[0]);
    table.ends.push_back(pair[1]);
  }
  shuffle(table, host_random(&state));
  return table;
}

/* Lengths of so many keys together, most of them short: a few around each of `edges`, and others by a power of two drawn first. */
inline std::vector<uint64_t> awful_lengths(uint64_t count, const std::vector<uint64_t> &edges, uint64_t seed) {
  std::vector<uint64_t> lengths;
  uint64_t left = count;
  uint64_t longest = 0;
  while (count >> longest > 1)
    longest++;
  while (left != 0) {
    uint64_t length = host_random_below(&seed, uint64_t{1} << host_random_below(&seed, longest + 1));
    if (!edges.empty() && host_random_below(&seed, 4) == 0)
      length = edges[host_random_below(&seed, edges.size())] + host_random_below(&seed, 3) - 1;
    lengths.push_back(std::min(length, left));
    left -= lengths.back();
  }
  return lengths;
}

/* Where each key comes from: `before(a, b)` says whether the key at position a comes before that at b. */
template <typename Before>
std::vector<uint64_t> sorted_positions(const Table &table, Before before) {
  std::vector<uint64_t> order(table.count);
  std::iota(order.begin(), order.end(), uint64_t{0});
  for (size_t index = 0; index < table.begins.size(); index++)
    if (table.is_segment(index))
      std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(table.begins[index]),
                       order.begin() + static_cast<std::ptrdiff_t>(table.ends[index]), before);
  return order;
}

} // namespace segment_tables

#endif
