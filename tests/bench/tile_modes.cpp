/* SPDX-License-Identifier: MIT */
/*
 * Modes of the bitonic network: of the whole array, and of tiles of 2,048 keys by a block each, beside CUB's block merge sort of
 * the same tiles; see sorter.h. Of tiles the clock takes one pass over the array, a kernel's. Outside it their order is judged
 * here, and then all keys are sorted, so that the oracle finds out what was lost.
 */
#include "stopwatch.h"
#include "tile_peers.h"

#include <cdpsort/copy.h>

#include <string>

namespace bench {

namespace {

size_t no_bytes(const KeySpan &) {
  return 0;
}

Sorted bitonic_sort(const Workplace &place) {
  REQUIRE(cdp_bitonic_sort_on_stream(place.keys.d_keys, place.keys.count, place.keys.type, nullptr, place.stream));
  return {place.keys.d_keys, BY_EVENTS};
}

/* To the workspace. */
size_t sorted_keys_bytes(const KeySpan &keys) {
  return array_bytes(keys, device_data::key_bytes(keys.type));
}

Sorted bitonic_copy(const Workplace &place) {
  REQUIRE(cdp_bitonic_sort_copy_on_stream(place.keys.d_keys, place.d_workspace, place.keys.count, place.keys.type, nullptr,
                                          place.stream));
  return {place.d_workspace, BY_EVENTS};
}

/* A workspace, of which the number of keys in disorder takes the beginning. */
size_t disorders_bytes(const KeySpan &) {
  return CDP_WORKSPACE_ALIGNMENT;
}

void check_tiles(const Workplace &place) {
  unsigned long long *d_disorders = static_cast<unsigned long long *>(place.d_workspace);
  unsigned long long disorders = 0;
  REQUIRE(cudaMemsetAsync(d_disorders, 0, sizeof disorders, place.stream));
  count_tile_disorders(place.keys, d_disorders, place.stream);
  REQUIRE(cudaMemcpyAsync(&disorders, d_disorders, sizeof disorders, cudaMemcpyDeviceToHost, place.stream));
  REQUIRE(cudaStreamSynchronize(place.stream));
  if (disorders != 0)
    throw Failure(std::to_string(disorders) + " keys come before the one in front of them in their tile");
}

template <void (*SORT)(const KeySpan &, cudaStream_t)>
Sorted tiles_sort(const Workplace &place) {
  const double milliseconds = time_on_stream(place.stream, [&] { SORT(place.keys, place.stream); });
  check_tiles(place);
  REQUIRE(cdp_quicksort_on_stream(place.keys.d_keys, place.keys.count, place.keys.type, nullptr, place.stream));
  return {place.keys.d_keys, milliseconds};
}

} // namespace

std::vector<Mode> tile_modes() {
  return {
      {"bitonic-network", "cdpsort, cdp_bitonic_sort(): in place, with no other memory", true, 0, no_bytes, bitonic_sort},
      {"copy-bitonic", "the same out of place", true, 0, sorted_keys_bytes, bitonic_copy},
      {"block-bitonic", "cdpsort::BlockSort of each 2,048 keys, as unsigned numbers: 256 threads", true, 0, disorders_bytes,
       tiles_sort<sort_tiles>},
      {"cub-block-merge", "cub::BlockMergeSort, likewise", true, 0, disorders_bytes, tiles_sort<cub_sort_tiles>},
  };
}

} // namespace bench
