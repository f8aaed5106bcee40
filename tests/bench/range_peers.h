/* SPDX-License-Identifier: MIT */
/*
 * What CUB does with sorted ranges: see range_modes.cpp.
 */
#ifndef CDPSORT_SAMPLES_BENCH_RANGE_PEERS_H
#define CDPSORT_SAMPLES_BENCH_RANGE_PEERS_H

#include "sorter.h"

namespace bench {

/* Whether the toolkit has it: since CUDA 12.8. */
bool has_cub_merge();

/* With d_temporary NULL, these tell how much of it they want, as CUB's own calls do. Both halves of the keys are in order. */
void cub_merge_halves(const KeySpan &keys, void *d_merged, void *d_temporary, size_t &temporary_bytes, cudaStream_t stream);

/* Keys are equal if their bits are. */
void cub_unique(const KeySpan &keys, void *d_unique_keys, uint64_t *d_unique_count, void *d_temporary, size_t &temporary_bytes,
                cudaStream_t stream);

} // namespace bench

#endif
