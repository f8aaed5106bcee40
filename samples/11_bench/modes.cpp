/* SPDX-License-Identifier: MIT */
/*
 * The modes of the library, and the list of everything that is measured: see sorter.h.
 */
#include "sorter.h"

#include <string>

namespace bench {

namespace {

/* Some are so slow beyond this that they are only measured when they are named. */
constexpr uint64_t SLOW_KEYS_MOST = uint64_t{1} << 24;

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

const std::vector<Mode> &all_modes() {
  static const std::vector<Mode> modes = {
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
      {"cub-radix", "cub::DeviceRadixSort::SortKeys with a DoubleBuffer", true, 0,
       peer_workspace_bytes<&CudaPeers::radix_workspace_bytes>, peer_sort<&CudaPeers::radix_sort>},
      {"cub-merge", "cub::DeviceMergeSort::SortKeys", true, 0, peer_workspace_bytes<&CudaPeers::merge_workspace_bytes>,
       peer_sort<&CudaPeers::merge_sort>},
      {"thrust", "thrust::sort with a comparator, its temporary memory allocated beforehand", true, 0,
       peer_workspace_bytes<&CudaPeers::merge_workspace_bytes>, peer_sort<&CudaPeers::thrust_sort>},
      {"std", "std::sort on the host, one thread", false, SLOW_KEYS_MOST, no_workspace, standard_sort},
      {"std-par", "host threads: std::sort of a chunk each, then rounds of std::merge, the last by one", false, SLOW_KEYS_MOST,
       no_workspace, parallel_sort},
  };
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
