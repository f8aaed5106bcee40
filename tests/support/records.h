/* SPDX-License-Identifier: MIT */
/*
 * Records for the tests of records.h, with fields of all types in any place, and the order that they must come in, which
 * std::stable_sort makes by the oracle's comparison of keys.
 */
#ifndef CDPSORT_TESTS_RECORDS_H
#define CDPSORT_TESTS_RECORDS_H

#include "key_ties.h"

#include <cdpsort/records.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace records {

using Bytes = std::vector<unsigned char>;

/* Records, and what they are sorted by. */
struct Records {
  size_t count;
  size_t record_bytes;
  std::vector<cdp_field> fields;
  Bytes bytes;
};

/* Fields one behind another, without a gap. */
inline std::vector<cdp_field> packed_fields(const std::vector<cdp_type> &types) {
  std::vector<cdp_field> fields;
  size_t offset = 0;
  for (const cdp_type type : types) {
    fields.push_back({offset, type, fields.size() % 2 == 0 ? CDP_ASCENDING : CDP_DESCENDING});
    offset += host_key_bytes(type);
  }
  return fields;
}

/* Any fields that fit a record, at any offset. */
inline std::vector<cdp_field> random_fields(size_t record_bytes, uint64_t seed) {
  std::vector<cdp_field> fields(1 + host_random_below(&seed, CDP_FIELDS_MAX));
  for (cdp_field &field : fields) {
    do
      field.type = static_cast<cdp_type>(CDP_U32 + host_random_below(&seed, CDP_BF16));
    while (host_key_bytes(field.type) > record_bytes);
    field.offset = host_random_below(&seed, record_bytes - host_key_bytes(field.type) + 1);
    field.order = host_random_below(&seed, 2) == 0 ? CDP_ASCENDING : CDP_DESCENDING;
  }
  return fields;
}

/* Fields of few values, so that later ones count, too, but for the last one; all other bytes tell records apart. */
inline Records make_records(size_t count, size_t record_bytes, const std::vector<cdp_field> &fields, uint64_t seed) {
  constexpr host_distribution DISTRIBUTIONS[] = {HOST_FEW_DISTINCT, HOST_EXTREMES, HOST_ALL_EQUAL, HOST_FEW_DISTINCT};
  Records made = {count, record_bytes, fields, Bytes(count * record_bytes)};
  for (unsigned char &byte : made.bytes)
    byte = static_cast<unsigned char>(host_random(&seed));
  for (size_t index = 0; index < fields.size(); index++) {
    const size_t key_bytes = host_key_bytes(fields[index].type);
    const bool is_last = index + 1 == fields.size();
    const host_distribution distribution = is_last && seed % 2 == 0 ? HOST_UNIFORM : DISTRIBUTIONS[host_random(&seed) % 4];
    Bytes keys(count * key_bytes);
    host_fill(keys.data(), fields[index].type, count, distribution, seed + index);
    for (size_t record = 0; record < count; record++)
      memcpy(&made.bytes[record * record_bytes + fields[index].offset], &keys[record * key_bytes], key_bytes);
  }
  return made;
}

/* Which record comes i-th. */
inline std::vector<uint64_t> order_of(const Records &given, cdp_ties ties) {
  std::vector<uint64_t> order(given.count);
  std::iota(order.begin(), order.end(), uint64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) {
    for (const cdp_field &field : given.fields) {
      const unsigned char *left = &given.bytes[a * given.record_bytes + field.offset];
      const unsigned char *right = &given.bytes[b * given.record_bytes + field.offset];
      if (key_ties::comes_before(field.type, field.order, ties, left, right))
        return true;
      if (key_ties::comes_before(field.type, field.order, ties, right, left))
        return false;
    }
    return false;
  });
  return order;
}

/* What sorting must make of them. */
inline Bytes sorted_bytes(const Records &given, cdp_ties ties) {
  Bytes sorted(given.bytes.size());
  size_t index = 0;
  for (const uint64_t record : order_of(given, ties))
    memcpy(&sorted[given.record_bytes * index++], &given.bytes[record * given.record_bytes], given.record_bytes);
  return sorted;
}

/* A field of all of them, as a column. */
inline Bytes column_of(const Records &given, size_t field) {
  const size_t key_bytes = host_key_bytes(given.fields[field].type);
  Bytes keys(given.count * key_bytes);
  for (size_t record = 0; record < given.count; record++)
    memcpy(&keys[record * key_bytes], &given.bytes[record * given.record_bytes + given.fields[field].offset], key_bytes);
  return keys;
}

/* How a test says which records these are. */
inline std::string describe(const Records &given, cdp_ties ties) {
  std::string text = std::to_string(given.count) + " records of " + std::to_string(given.record_bytes) + " bytes, ties " +
                     std::to_string(static_cast<int>(ties)) + ", by";
  for (const cdp_field &field : given.fields)
    text += std::string(" ") + host_type_name(field.type) + (field.order == CDP_DESCENDING ? " descending" : "") + " at " +
            std::to_string(field.offset);
  return text;
}

} // namespace records

#endif
