/* SPDX-License-Identifier: MIT */
/*
 * What modes look at themselves, because the oracle does not know it: kernels that count what is wrong.
 */
#ifndef CDPSORT_SAMPLES_BENCH_CHECKS_H
#define CDPSORT_SAMPLES_BENCH_CHECKS_H

#include "sorter.h"

namespace bench {

/* All of them write to *d_wrong, which lies on the device and is not read before, and wait. */

/* How many keys are on the wrong side of the one at `rank`. */
uint64_t count_on_wrong_side(const KeySpan &keys, uint64_t rank, unsigned long long *d_wrong, cudaStream_t stream);

/* How many of the first keys are less than the one before them, and how many of the others are less than the last of the first. */
uint64_t count_not_first(const KeySpan &keys, uint64_t first_keys, unsigned long long *d_wrong, cudaStream_t stream);

/* How many numbers of 4 bytes are others than those of 8. */
uint64_t count_different(const uint32_t *d_numbers, const uint64_t *d_others, uint64_t count, unsigned long long *d_wrong,
                         cudaStream_t stream);

} // namespace bench

#endif
