/* SPDX-License-Identifier: MIT */
/*
 * Items for the tests of the sorts for others' kernels (cdpsort/device.cuh): keys of numbers and of structures, orders of their own and
 * orders that are none, memory between guards, and what a sorted array must be.
 */
#ifndef CDPSORT_TESTS_BLOCK_ITEMS_H
#define CDPSORT_TESTS_BLOCK_ITEMS_H

#include "block/device_header.cuh"

#include "block_check.h"

#include <algorithm>
#include <random>

namespace cdp::simulated {

constexpr uint64_t SEEDS = 3;
constexpr uint32_t MANY = ~0u;

/* A key of 12 bytes, compared by two of its numbers; the third tells which it was. */
struct Record {
  uint32_t major;
  float minor;
  uint32_t number;
};

struct RecordOrder {
  bool operator()(const Record &left, const Record &right) const {
    return left.major != right.major ? left.major < right.major : left.minor < right.minor;
  }
};

/* No order at all, but a function of its arguments. */
struct NoOrder {
  template <typename Key>
  bool operator()(const Key &left, const Key &right) const {
    uint32_t bits[2] = {};
    std::memcpy(&bits[0], &left, std::min(sizeof left, sizeof bits[0]));
    std::memcpy(&bits[1], &right, std::min(sizeof right, sizeof bits[1]));
    return ((bits[0] * 2654435761u ^ bits[1] * 40503u) >> 7 & 1) != 0;
  }
};

template <typename Key>
void fill(std::vector<Key> &keys, uint64_t seed, uint32_t distinct) {
  std::mt19937_64 random(seed);
  for (Key &key : keys)
    key = static_cast<Key>(distinct == MANY ? random() : random() % distinct);
}

inline void fill(std::vector<Record> &keys, uint64_t seed, uint32_t distinct) {
  std::mt19937_64 random(seed);
  uint32_t number = 0;
  for (Record &key : keys)
    key = {static_cast<uint32_t>(distinct == MANY ? random() % 64 : random() % distinct), static_cast<float>(random() % 16),
           number++};
}

/* As std::memcmp(), of keys of any kind: bit by bit is what is meant, of NaNs as well. */
inline int compare_bytes(const void *left, const void *right, size_t bytes) {
  return std::memcmp(left, right, bytes);
}

/* All of a key, to compare multisets. */
template <typename Key>
std::vector<Key> in_byte_order(std::vector<Key> keys) {
  std::sort(keys.begin(), keys.end(),
            [](const Key &left, const Key &right) { return compare_bytes(&left, &right, sizeof left) < 0; });
  return keys;
}

/* An array between guard zones. */
template <typename Key>
class Guarded {
public:
  explicit Guarded(const std::vector<Key> &keys) : count_(keys.size()) {
    ck_assert(host_guarded_make(&memory_, count_ * sizeof(Key), 0));
    std::copy(keys.begin(), keys.end(), data());
  }
  Guarded(const Guarded &) = delete;
  Guarded &operator=(const Guarded &) = delete;
  ~Guarded() {
    host_guarded_free(&memory_);
  }
  Key *data() const {
    return reinterpret_cast<Key *>(memory_.bytes);
  }
  std::vector<Key> keys() const {
    return {data(), data() + count_};
  }
  void must_keep_guards() const {
    must_be_whole(memory_, "an array");
  }

private:
  size_t count_;
  host_guarded memory_ = {};
};

/* Ends the test unless `after` is a permutation of `before`, and in order if there is one. */
template <typename Key, typename Compare>
void must_be_sorted(const std::vector<Key> &before, const std::vector<Key> &after, Compare compare, const char *what,
                    uint64_t seed) {
  const std::vector<Key> wanted = in_byte_order(before);
  const std::vector<Key> found = in_byte_order(after);
  ck_assert_msg(before.size() == after.size() &&
                    (before.empty() || compare_bytes(wanted.data(), found.data(), wanted.size() * sizeof(Key)) == 0),
                "%s of %zu items, seed %llu: other items", what, before.size(), static_cast<unsigned long long>(seed));
  if constexpr (!std::is_same_v<Compare, NoOrder>)
    ck_assert_msg(std::is_sorted(after.begin(), after.end(), compare), "%s of %zu items, seed %llu: not in order", what,
                  before.size(), static_cast<unsigned long long>(seed));
}

/* Values tell where keys were. */
template <typename Key, typename Value>
void must_belong(const std::vector<Key> &before, const std::vector<Key> &after, const std::vector<Value> &values) {
  for (size_t index = 0; index < after.size(); index++)
    ck_assert_msg(compare_bytes(&before[static_cast<size_t>(values[index])], &after[index], sizeof(Key)) == 0,
                  "value %zu of %zu is another key's", index, after.size());
}

template <typename Value>
std::vector<Value> numbers(size_t count) {
  std::vector<Value> values(count);
  for (size_t index = 0; index < count; index++)
    values[index] = static_cast<Value>(index);
  return values;
}

} // namespace cdp::simulated

#endif
