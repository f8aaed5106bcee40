/* SPDX-License-Identifier: MIT */
/*
 * The modes of the library that sort, and the list of everything that is measured: see sorter.h. Other files have those of its other
 * calls.
 */
#include "sorter.h"

#include <cdpsort/pairs.h>

#include <string>

namespace bench {

namespace {

/* Some are so slow beyond this that they are only measured when they are named. */
constexpr uint64_t SLOW_KEYS_MOST = uint64_t{1} << 24;

constexpr Moved STABLE_4 = {4, true, false, false};
constexpr Moved STABLE_8 = {8, true, false, false};
constexpr Moved PAIRS_8 = {8, false, false, false};
constexpr Moved ARGSORT = {4, true, true, true};
constexpr Moved ARGSORT_KEYS = {4, true, true, false};
constexpr Moved ARGSORT_8 = {8, true, true, true};
constexpr Moved ARGSORT_KEYS_8 = {8, true, true, false};

/* ---- The library -------------------------------------------------------------------------------------------------------- */

/* The defaults, but for the fan-out and who launches. */
template <uint32_t FAN_OUT, cdp_scheme SCHEME>
cdp_options sort_options() {
  cdp_options options = CDP_OPTIONS_INIT;
  options.fan_out = FAN_OUT;
  options.scheme = SCHEME;
  return options;
}

constexpr auto default_options = sort_options<0, CDP_SCHEME_DEFAULT>;
constexpr auto host_options = sort_options<0, CDP_SCHEME_HOST>;
constexpr auto classic_options = sort_options<CDP_FAN_OUT_CLASSIC, CDP_SCHEME_LAST_BLOCK>;
constexpr auto controller_options = sort_options<CDP_FAN_OUT_CLASSIC, CDP_SCHEME_CONTROLLER>;
constexpr auto classic_host_options = sort_options<CDP_FAN_OUT_CLASSIC, CDP_SCHEME_HOST>;

cdp_options bitonic_options() {
  cdp_options options = CDP_OPTIONS_INIT;
  options.depth_limit = CDP_DEPTH_NONE;
  return options;
}

template <cdp_options (*MAKE_OPTIONS)()>
size_t library_workspace_bytes(const KeySpan &keys) {
  const cdp_options options = MAKE_OPTIONS();
  size_t bytes = 0;
  REQUIRE(cdp_quicksort_workspace(keys.count, keys.type, &options, &bytes));
  return bytes;
}

template <cdp_options (*MAKE_OPTIONS)()>
Sorted library_sort(const Workplace &place) {
  const cdp_options options = MAKE_OPTIONS();
  REQUIRE(cdp_quicksort_async(place.keys.d_keys, place.keys.count, place.keys.type, &options, place.d_workspace,
                              place.workspace_bytes, place.stream));
  return {place.keys.d_keys, BY_EVENTS};
}

cdp_options ties_options(cdp_ties ties) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.ties = ties;
  return options;
}

template <uint32_t VALUE_BYTES, cdp_ties TIES>
size_t pairs_workspace_bytes(const KeySpan &keys) {
  const cdp_options options = ties_options(TIES);
  size_t bytes = 0;
  REQUIRE(cdp_quicksort_pairs_workspace(VALUE_BYTES, keys.count, keys.type, &options, &bytes));
  return bytes;
}

template <uint32_t VALUE_BYTES, cdp_ties TIES>
Sorted pairs_sort(const Workplace &place) {
  const cdp_options options = ties_options(TIES);
  REQUIRE(cdp_quicksort_pairs_async(place.keys.d_keys, place.d_values, VALUE_BYTES, place.keys.count, place.keys.type, &options,
                                    place.d_workspace, place.workspace_bytes, place.stream));
  return {place.keys.d_keys, BY_EVENTS};
}

template <uint32_t VALUE_BYTES, cdp_ties TIES>
Mode pairs_mode(const char *name, const char *text) {
  const Moved moved = {VALUE_BYTES, TIES == CDP_TIES_STABLE, false, false};
  return {name, text, true, 0, pairs_workspace_bytes<VALUE_BYTES, TIES>, pairs_sort<VALUE_BYTES, TIES>, moved};
}

/* Whatever the size of an index. */
size_t argsort_workspace_bytes(const KeySpan &keys) {
  size_t bytes = 0;
  REQUIRE(cdp_argsort_workspace(keys.count, keys.type, nullptr, &bytes));
  return bytes;
}

template <bool SORTS_KEYS, typename Index>
Sorted argsort(const Workplace &place) {
  void *d_keys = place.keys.d_keys;
  REQUIRE(cdp_argsort_async(d_keys, SORTS_KEYS ? d_keys : nullptr, place.d_values, sizeof(Index), place.keys.count,
                            place.keys.type, nullptr, place.d_workspace, place.workspace_bytes, place.stream));
  return {d_keys, BY_EVENTS};
}

/* ---- The toolkit -------------------------------------------------------------------------------------------------------- */

CudaPeers cuda_peers_of(cdp_type type) {
  return with_key_type(type, [](auto key) { return cuda_peers<decltype(key)>(); });
}

template <size_t (*CudaPeers::*WHICH)(const KeySpan &)>
size_t peer_workspace_bytes(const KeySpan &keys) {
  return (cuda_peers_of(keys.type).*WHICH)(keys);
}

template <Sorted (*CudaPeers::*WHICH)(const Workplace &)>
Sorted peer_sort(const Workplace &place) {
  return (cuda_peers_of(place.keys.type).*WHICH)(place);
}

size_t no_workspace(const KeySpan &) {
  return 0;
}

} // namespace

size_t cub_radix_bytes(const KeySpan &keys) {
  return peer_workspace_bytes<&CudaPeers::radix_workspace_bytes>(keys);
}

Sorted cub_radix_sort(const Workplace &place) {
  return peer_sort<&CudaPeers::radix_sort>(place);
}

static std::vector<Mode> make_modes() {
  std::vector<Mode> modes = {
      {"default", "cdpsort as it sorts when nothing is asked of it", true, 0, library_workspace_bytes<default_options>,
       library_sort<default_options>},
      {"host", "the same, launched by the host: much faster than the default would mean that device-launched grids suffer",
       true, 0, library_workspace_bytes<host_options>, library_sort<host_options>},
      {"classic", "cdpsort, two children a range, the last block launches them", true, 0,
       library_workspace_bytes<classic_options>, library_sort<classic_options>},
      {"classic-controller", "the same, launched by a controller", true, 0, library_workspace_bytes<controller_options>,
       library_sort<controller_options>},
      {"classic-host", "the same, launched by the host", true, 0, library_workspace_bytes<classic_host_options>,
       library_sort<classic_host_options>},
      {"bitonic", "cdpsort without recursion: bitonic sort of the whole array", true, SLOW_KEYS_MOST,
       library_workspace_bytes<bitonic_options>, library_sort<bitonic_options>},
      {"cub-radix", "cub::DeviceRadixSort::SortKeys with a DoubleBuffer", true, 0, cub_radix_bytes, cub_radix_sort},
      {"cub-merge", "cub::DeviceMergeSort::SortKeys", true, 0, peer_workspace_bytes<&CudaPeers::merge_workspace_bytes>,
       peer_sort<&CudaPeers::merge_sort>},
      {"thrust", "thrust::sort with a comparator, its temporary memory allocated beforehand", true, 0,
       peer_workspace_bytes<&CudaPeers::merge_workspace_bytes>, peer_sort<&CudaPeers::thrust_sort>},
      {"std", "std::sort on the host, one thread", false, SLOW_KEYS_MOST, no_workspace, standard_sort},
      {"std-par", "host threads: std::sort of a chunk each, then rounds of std::merge, the last by one", false, SLOW_KEYS_MOST,
       no_workspace, parallel_sort},
      pairs_mode<4, CDP_TIES_ANY>("pairs4", "cdpsort, keys with values of 4 bytes, those of equal keys in any order"),
      pairs_mode<8, CDP_TIES_ANY>("pairs8", "the same with values of 8 bytes"),
      pairs_mode<4, CDP_TIES_STABLE>("stable4", "cdpsort, values of 4 bytes, those of equal keys in the order of the input"),
      pairs_mode<8, CDP_TIES_STABLE>("stable8", "the same with values of 8 bytes"),
      {"argsort", "cdpsort, indices of 4 bytes alone, the keys left as they are", true, 0, argsort_workspace_bytes,
       argsort<false, uint32_t>, ARGSORT},
      {"argsort-keys", "the same, the keys sorted too", true, 0, argsort_workspace_bytes, argsort<true, uint32_t>,
       ARGSORT_KEYS},
      {"argsort8", "as argsort, indices of 8 bytes", true, 0, argsort_workspace_bytes, argsort<false, uint64_t>, ARGSORT_8},
      {"argsort-keys8", "the same, the keys sorted too", true, 0, argsort_workspace_bytes, argsort<true, uint64_t>,
       ARGSORT_KEYS_8},
      {"cub-argsort8",
       "what PyTorch's sort() launches (ATen/native/cuda/SortStable.cu): numbers of 8 bytes are written, and sorted along by "
       "cub::DeviceRadixSort::SortPairs from input to output",
       true, 0, peer_workspace_bytes<&CudaPeers::numbered_workspace_bytes>, peer_sort<&CudaPeers::numbered_sort>,
       ARGSORT_KEYS_8},
      {"cub-pairs4", "cub::DeviceRadixSort::SortPairs with DoubleBuffers, values of 4 bytes: an argsort where they are indices",
       true, 0, peer_workspace_bytes<&CudaPeers::pairs4_workspace_bytes>, peer_sort<&CudaPeers::pairs4_sort>, STABLE_4},
      {"cub-pairs8", "the same with values of 8 bytes", true, 0, peer_workspace_bytes<&CudaPeers::pairs8_workspace_bytes>,
       peer_sort<&CudaPeers::pairs8_sort>, STABLE_8},
      {"thrust-records", "thrust::sort of the same with a comparator", true, 0,
       peer_workspace_bytes<&CudaPeers::records_workspace_bytes>, peer_sort<&CudaPeers::records_sort>, PAIRS_8, CDP_U64},
  };
  for (const auto more :
       {other_modes, cost_modes, column_modes, row_modes, select_modes, range_modes, segment_modes, compare_modes, tile_modes})
    for (const Mode &mode : more())
      modes.push_back(mode);
  return modes;
}

const std::vector<Mode> &all_modes() {
  static const std::vector<Mode> modes = make_modes();
  return modes;
}

/* ---- Failures ----------------------------------------------------------------------------------------------------------- */

void require(cudaError_t error, const char *call) {
  if (error != cudaSuccess)
    throw Failure(std::string(call) + ": CUDA error " + std::to_string(static_cast<int>(error)) + ", " +
                  cudaGetErrorString(error));
}

void require(cdp_status status, const char *call) {
  if (status != CDP_OK)
    throw Failure(std::string(call) + ": " + cdp_status_name(status) + ", \"" + cdp_last_message() + "\"");
}

} // namespace bench
