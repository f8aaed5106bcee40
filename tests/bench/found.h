/* SPDX-License-Identifier: MIT */
/*
 * Judging modes that find some keys instead of sorting all.
 */
#ifndef CDPSORT_SAMPLES_BENCH_FOUND_H
#define CDPSORT_SAMPLES_BENCH_FOUND_H

#include "sorter.h"

namespace bench {

/* How many of the keys that a mode has found are others than those at their ranks of keys that are in order. Waits for the stream. */
uint64_t count_wrong_keys(const Mode &mode, const KeySpan &in_order, const void *d_found, cudaStream_t stream);

} // namespace bench

#endif
