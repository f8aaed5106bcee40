/* SPDX-License-Identifier: MIT */
/*
 * Sorts of tiles by a block each, in place: see tile_modes.cpp. Keys are compared as the unsigned numbers that their bits are.
 */
#ifndef CDPSORT_SAMPLES_BENCH_TILE_PEERS_H
#define CDPSORT_SAMPLES_BENCH_TILE_PEERS_H

#include "sorter.h"

namespace bench {

/* Of a block, and of a thread: a tile is 2,048 keys. The last one may be shorter. */
constexpr uint32_t TILE_THREADS = 256;
constexpr uint32_t TILE_ITEMS = 8;
constexpr uint32_t TILE_KEYS = TILE_THREADS * TILE_ITEMS;

/* Launch on the stream: cdpsort::BlockSort, and cub::BlockMergeSort, between the same loads and stores of rows of neighbouring
   keys. */
void sort_tiles(const KeySpan &keys, cudaStream_t stream);
void cub_sort_tiles(const KeySpan &keys, cudaStream_t stream);

/* Adds to *d_disorders, a number on the device, how many keys are less than the one before them in their tile. */
void count_tile_disorders(const KeySpan &keys, unsigned long long *d_disorders, cudaStream_t stream);

} // namespace bench

#endif
