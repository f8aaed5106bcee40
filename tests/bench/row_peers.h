/* SPDX-License-Identifier: MIT */
/*
 * Rows of two numbers, what Thrust makes of them, and how they are judged: see row_modes.cpp.
 */
#ifndef CDPSORT_SAMPLES_BENCH_ROW_PEERS_H
#define CDPSORT_SAMPLES_BENCH_ROW_PEERS_H

#include "sorter.h"

namespace bench {

/* The first rising, the second falling. */
struct NumberRow {
  int32_t first;
  float second;
};

/* The same in columns. */
struct RowColumns {
  int32_t *d_first;
  float *d_second;
};

/* Make a row of each key, which has 8 bytes. Its upper 16 bits, with their sign, are the i32, which so is one of 65,536; its lower 32
   are those of the f32, but that every number is finite, and none is -0. */
void make_rows(const KeySpan &keys, NumberRow *d_rows, cudaStream_t stream);
void make_columns(const KeySpan &keys, const RowColumns &columns, cudaStream_t stream);

/* A sum over all rows, or of the indices of an argsort, which no order changes; and how many come before the one that is ahead of them,
   or, in a stable order, ought to. */
struct RowVerdict {
  unsigned long long sum;
  unsigned long long in_disorder;
};

/* Wait. `d_verdict` is room for one. Of an argsort the order is that of the rows that keys make; indices that are none are in
   disorder. */
RowVerdict judge_rows(const NumberRow *d_rows, uint64_t count, RowVerdict *d_verdict, cudaStream_t stream);
RowVerdict judge_order(const KeySpan &keys, const uint32_t *d_order, RowVerdict *d_verdict, cudaStream_t stream);

/* thrust::sort of rows, and thrust::stable_sort_by_key of indices, which it writes at first, by columns, which it sorts too. Both
   in so many bytes of temporary memory. */
size_t thrust_rows_bytes(uint64_t count);
void thrust_sort_rows(NumberRow *d_rows, uint64_t count, void *d_temporary, size_t temporary_bytes, cudaStream_t stream);
size_t thrust_order_bytes(uint64_t count);
void thrust_sort_order(const RowColumns &columns, uint32_t *d_order, uint64_t count, void *d_temporary, size_t temporary_bytes,
                       cudaStream_t stream);

} // namespace bench

#endif
