/* SPDX-License-Identifier: MIT */
/*
 * What CUB makes of many segments, and how those are judged: see segment_modes.cpp.
 */
#ifndef CDPSORT_SAMPLES_BENCH_SEGMENT_PEERS_H
#define CDPSORT_SAMPLES_BENCH_SEGMENT_PEERS_H

#include "sorter.h"

namespace bench {

/* Segments one behind the other, of all keys: segment i is [d_offsets[i], d_offsets[i + 1]). */
struct SegmentRows {
  const uint32_t *d_offsets;
  uint32_t count;
};

/* Keys, and values of 4 bytes where there are some, each with a second buffer. */
struct SegmentBuffers {
  void *d_keys;
  void *d_second_keys;
  void *d_values;
  void *d_second_values;
};

/* cub::DeviceSegmentedSort, cub::DeviceSegmentedRadixSort, and the first with values. With d_temporary NULL, they tell how much of it
   they want, as CUB's own calls do; otherwise d_keys and d_values are where what is sorted lies in the end. */
void cub_sort_segments(const KeySpan &keys, SegmentBuffers *buffers, const SegmentRows &rows, void *d_temporary,
                       size_t &temporary_bytes, cudaStream_t stream);
void cub_radix_sort_segments(const KeySpan &keys, SegmentBuffers *buffers, const SegmentRows &rows, void *d_temporary,
                             size_t &temporary_bytes, cudaStream_t stream);
void cub_sort_segment_pairs(const KeySpan &keys, SegmentBuffers *buffers, const SegmentRows &rows, void *d_temporary,
                            size_t &temporary_bytes, cudaStream_t stream);

/* What is true of segments: a sum over all keys, each with its segment's number, which no order changes; and how many keys come
   before the one that is ahead of them in their segment. */
struct SegmentVerdict {
  unsigned long long sum;
  unsigned long long in_disorder;
};
SegmentVerdict judge_segments(const KeySpan &keys, const SegmentRows &rows, SegmentVerdict *d_verdict, cudaStream_t stream);

} // namespace bench

#endif
