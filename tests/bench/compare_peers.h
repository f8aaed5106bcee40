/* SPDX-License-Identifier: MIT */
/*
 * Sorts by a comparison that nvcc compiles: see compare_modes.cpp.
 */
#ifndef CDPSORT_SAMPLES_BENCH_COMPARE_PEERS_H
#define CDPSORT_SAMPLES_BENCH_COMPARE_PEERS_H

#include "sorter.h"

namespace bench {

size_t header_workspace_bytes(const KeySpan &keys);
void sort_by_header(const Workplace &place);

} // namespace bench

#endif
