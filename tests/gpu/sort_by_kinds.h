/* SPDX-License-Identifier: MIT */
/*
 * Sorts by sort_by.cuh for tests in C++: what nvcc has compiled, behind plain functions.
 */
#ifndef CDPSORT_TESTS_GPU_SORT_BY_KINDS_H
#define CDPSORT_TESTS_GPU_SORT_BY_KINDS_H

#include <cuda_runtime.h>

#include <cstddef>

namespace sort_by_kinds {

/* Kinds of items and comparisons. A sort is in place where `d_sorted_items` are `d_items`. */
struct Kind {
  const char *name;
  size_t item_bytes;
  cudaError_t (*workspace)(size_t count, bool is_apart, size_t *bytes);
  cudaError_t (*sort)(void *d_items, void *d_sorted_items, size_t count, void *d_workspace, size_t workspace_bytes,
                      cudaStream_t stream);
  bool (*comes_before)(const void *a, const void *b); /* NULL: a comparison that is broken */
};

constexpr int KINDS = 7;
extern const Kind ALL_KINDS[KINDS];

} // namespace sort_by_kinds

#endif
