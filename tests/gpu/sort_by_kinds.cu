/* SPDX-License-Identifier: MIT */
/*
 * See sort_by_kinds.h.
 */
#include "sort_by_kinds.h"

#include <cdpsort/sort_by.cuh>

#include <cstring>

namespace sort_by_kinds {

namespace {

/* By a key, the first 4 bytes, which every type here begins with. */
struct ByKey {
  template <typename T>
  __host__ __device__ bool operator()(const T &a, const T &b) const {
    return a.key < b.key;
  }
};

/* With something of its own, and items by value. */
struct ByDistance {
  uint32_t from;

  template <typename T>
  __host__ __device__ bool operator()(T a, T b) const {
    return a.key - from > b.key - from;
  }
};

struct Always {
  template <typename T>
  __host__ __device__ bool operator()(const T &, const T &) const {
    return true;
  }
};

/* No two answers follow from each other. */
struct ByClock {
  template <typename T>
  __device__ bool operator()(const T &, const T &) const {
    return (static_cast<uint32_t>(clock64()) * 0x9E3779B9u >> 31) != 0;
  }
};

struct Number {
  uint32_t key;
};
struct Pair {
  uint32_t key;
  uint32_t value;
};
struct alignas(16) Wide {
  uint32_t key;
  uint32_t rest[7];
};
/* Of a size that is a multiple of 8, and no more aligned than to 4: gathered. */
struct Row {
  uint32_t key;
  uint32_t rest[9];
};

template <typename T, typename Less>
Less less_of() {
  if constexpr (sizeof(Less) == sizeof(ByDistance))
    return Less{12345};
  else
    return Less{};
}

template <typename T>
cudaError_t workspace(size_t count, bool is_apart, size_t *bytes) {
  return is_apart ? cdpsort::sort_by_copy_workspace<T>(count, bytes) : cdpsort::sort_by_workspace<T>(count, bytes);
}

template <typename T, typename Less>
cudaError_t sort(void *d_items, void *d_sorted_items, size_t count, void *d_workspace, size_t workspace_bytes,
                 cudaStream_t stream) {
  T *items = static_cast<T *>(d_items);
  if (d_sorted_items == d_items)
    return cdpsort::sort_by(items, count, less_of<T, Less>(), d_workspace, workspace_bytes, stream, 7);
  return cdpsort::sort_by_copy(items, static_cast<T *>(d_sorted_items), count, less_of<T, Less>(), d_workspace, workspace_bytes,
                               stream, 7);
}

template <typename T, typename Less>
bool comes_before(const void *a, const void *b) {
  T left;
  T right;
  memcpy(&left, a, sizeof left);
  memcpy(&right, b, sizeof right);
  return less_of<T, Less>()(left, right);
}

template <typename T, typename Less>
constexpr Kind kind(const char *name) {
  return {name, sizeof(T), workspace<T>, sort<T, Less>, comes_before<T, Less>};
}

template <typename T, typename Less>
constexpr Kind broken_kind(const char *name) {
  return {name, sizeof(T), workspace<T>, sort<T, Less>, nullptr};
}

} // namespace

const Kind ALL_KINDS[KINDS] = {kind<Number, ByKey>("numbers"),
                               kind<Number, ByDistance>("numbers by distance"),
                               kind<Pair, ByKey>("pairs"),
                               kind<Wide, ByDistance>("wide items"),
                               kind<Row, ByKey>("rows"),
                               broken_kind<Number, Always>("numbers, always"),
                               broken_kind<Pair, ByClock>("pairs, by the clock")};

} // namespace sort_by_kinds
