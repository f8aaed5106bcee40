/* SPDX-License-Identifier: MIT */
/*
 * The modes of the library, and the list of everything that is measured: see sorter.h.
 */
#include "sorter.h"

#include <cdpsort/buckets.h>
#include <cdpsort/copy.h>
#include <cdpsort/select.h>

#include <algorithm>
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

/* Keys of a sample for each splitter. */
constexpr uint64_t SAMPLES_EACH = 64;

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

size_t argsort_workspace_bytes(const KeySpan &keys) {
  size_t bytes = 0;
  REQUIRE(cdp_argsort_workspace(keys.count, keys.type, nullptr, &bytes));
  return bytes;
}

template <bool SORTS_KEYS>
Sorted argsort(const Workplace &place) {
  void *d_keys = place.keys.d_keys;
  REQUIRE(cdp_argsort_async(d_keys, SORTS_KEYS ? d_keys : nullptr, place.d_values, sizeof(uint32_t), place.keys.count,
                            place.keys.type, nullptr, place.d_workspace, place.workspace_bytes, place.stream));
  return {d_keys, BY_EVENTS};
}

size_t aligned_bytes(size_t bytes) {
  return (bytes + CDP_WORKSPACE_ALIGNMENT - 1) / CDP_WORKSPACE_ALIGNMENT * CDP_WORKSPACE_ALIGNMENT;
}

size_t begins_bytes(uint32_t splitters) {
  return aligned_bytes((splitters + 2) * sizeof(uint64_t));
}

/* Of begins and splitters, ahead of the library's own workspace. */
size_t divided_bytes(const KeySpan &keys, uint32_t splitters) {
  return begins_bytes(splitters) + aligned_bytes(size_t{splitters} * device_data::key_bytes(keys.type));
}

template <uint32_t VALUE_BYTES, uint32_t SPLITTERS>
size_t buckets_workspace_bytes(const KeySpan &keys) {
  const cdp_column column = {nullptr, VALUE_BYTES};
  size_t bytes = 0;
  REQUIRE(cdp_divide_workspace(&column, VALUE_BYTES != 0 ? 1 : 0, keys.count, keys.type, nullptr, SPLITTERS, &bytes));
  return divided_bytes(keys, SPLITTERS) + bytes;
}

template <uint32_t VALUE_BYTES, uint32_t SPLITTERS>
Sorted divide(const Workplace &place) {
  const Divided parts = divided_parts(place.d_workspace, SPLITTERS);
  const size_t parts_bytes = divided_bytes(place.keys, SPLITTERS);
  const cdp_column column = {place.d_values, VALUE_BYTES};
  REQUIRE(cdp_divide_async(place.keys.d_keys, &column, VALUE_BYTES != 0 ? 1 : 0, place.keys.count, place.keys.type, nullptr,
                           parts.d_splitters, SPLITTERS, parts.d_begins, static_cast<char *>(place.d_workspace) + parts_bytes,
                           place.workspace_bytes - parts_bytes, place.stream));
  return {place.keys.d_keys, BY_EVENTS};
}

template <uint32_t VALUE_BYTES, uint32_t SPLITTERS>
Mode buckets_mode(const char *name, const char *text) {
  const Moved moved = {VALUE_BYTES, true, false, false, SPLITTERS};
  return {name, text, true, 0, buckets_workspace_bytes<VALUE_BYTES, SPLITTERS>, divide<VALUE_BYTES, SPLITTERS>, moved};
}

/* ---- Out of place: what is sorted lies at the beginning of the workspace ------------------------------------------------- */

template <uint32_t VALUE_BYTES>
size_t copy_workspace_bytes(const KeySpan &keys) {
  const cdp_options options = ties_options(CDP_TIES_STABLE);
  size_t bytes = 0;
  if constexpr (VALUE_BYTES == 0)
    REQUIRE(cdp_quicksort_copy_workspace(keys.count, keys.type, nullptr, &bytes));
  else
    REQUIRE(cdp_quicksort_pairs_copy_workspace(VALUE_BYTES, keys.count, keys.type, &options, &bytes));
  return aligned_bytes(keys.count * device_data::key_bytes(keys.type)) + aligned_bytes(keys.count * VALUE_BYTES) + bytes;
}

template <uint32_t VALUE_BYTES>
Sorted copy_sort(const Workplace &place) {
  const cdp_options options = ties_options(CDP_TIES_STABLE);
  const KeySpan &keys = place.keys;
  char *d_sorted_keys = static_cast<char *>(place.d_workspace);
  char *d_sorted_values = d_sorted_keys + aligned_bytes(keys.count * device_data::key_bytes(keys.type));
  char *d_rest = d_sorted_values + aligned_bytes(keys.count * VALUE_BYTES);
  const size_t rest_bytes = place.workspace_bytes - static_cast<size_t>(d_rest - d_sorted_keys);
  if constexpr (VALUE_BYTES == 0) {
    REQUIRE(
        cdp_quicksort_copy_async(keys.d_keys, d_sorted_keys, keys.count, keys.type, nullptr, d_rest, rest_bytes, place.stream));
    return {d_sorted_keys, BY_EVENTS};
  } else {
    REQUIRE(cdp_quicksort_pairs_copy_async(keys.d_keys, d_sorted_keys, place.d_values, d_sorted_values, VALUE_BYTES, keys.count,
                                           keys.type, &options, d_rest, rest_bytes, place.stream));
    return {d_sorted_keys, BY_EVENTS, d_sorted_values};
  }
}

/* ---- Records ------------------------------------------------------------------------------------------------------------ */

const cdp_field BY_WIDE_KEY[] = {{0, CDP_U64, CDP_ASCENDING}};

/* A row of two numbers, which are a key of type CDP_I64: the machine is little-endian, as CUDA's are. */
const cdp_field BY_ROW[] = {{4, CDP_I32, CDP_ASCENDING}, {0, CDP_U32, CDP_ASCENDING}};

size_t records_workspace_bytes(const KeySpan &keys) {
  size_t bytes = 0;
  REQUIRE(cdp_sort_records_workspace(keys.count, RECORD_BYTES, BY_WIDE_KEY, 1, nullptr, &bytes));
  return records_bytes(keys.count) + bytes;
}

void launch_records(const Workplace &place) {
  const size_t used = records_bytes(place.keys.count);
  REQUIRE(cdp_sort_records_async(place.d_workspace, place.keys.count, RECORD_BYTES, BY_WIDE_KEY, 1, nullptr,
                                 static_cast<char *>(place.d_workspace) + used, place.workspace_bytes - used, place.stream));
}

Sorted records_sort(const Workplace &place) {
  return {place.keys.d_keys, sort_as_records(place, launch_records)};
}

size_t rows_workspace_bytes(const KeySpan &keys) {
  size_t bytes = 0;
  REQUIRE(cdp_sort_records_workspace(keys.count, sizeof(int64_t), BY_ROW, 2, nullptr, &bytes));
  return bytes;
}

Sorted rows_sort(const Workplace &place) {
  REQUIRE(cdp_sort_records_async(place.keys.d_keys, place.keys.count, sizeof(int64_t), BY_ROW, 2, nullptr, place.d_workspace,
                                 place.workspace_bytes, place.stream));
  /* ---- Half a sort -------------------------------------------------------------------------------------------------------- */

  constexpr uint64_t TOP_KEYS = 1000;
  constexpr uint64_t QUANTILES = 5;

  uint64_t middle_rank(uint64_t, uint64_t count) {
    return count / 2;
  }

  uint64_t own_rank(uint64_t which, uint64_t) {
    return which;
  }

  /* At even distances, not at the ends. */
  uint64_t quantile_rank(uint64_t which, uint64_t count) {
    return (which + 1) * (count / (QUANTILES + 1));
  }

  template <uint64_t KEYS>
  size_t quantiles_workspace_bytes(const KeySpan &keys) {
    size_t bytes = 0;
    REQUIRE(cdp_quantiles_workspace(keys.count, keys.type, nullptr, std::min(KEYS, keys.count), &bytes));
    return bytes;
  }

  template <uint64_t KEYS, uint64_t (*RANK)(uint64_t, uint64_t)>
  Sorted find_quantiles(const Workplace &place) {
    const uint64_t rank_count = std::min(KEYS, place.keys.count);
    uint64_t ranks[KEYS];
    for (uint64_t which = 0; which < rank_count; which++)
      ranks[which] = RANK(which, place.keys.count);
    REQUIRE(cdp_quantiles_async(place.keys.d_keys, place.keys.count, place.keys.type, nullptr, ranks, rank_count,
                                place.d_values, place.d_workspace, place.workspace_bytes, place.stream));
    return {place.keys.d_keys, BY_EVENTS};
  }

  size_t top_workspace_bytes(const KeySpan &keys) {
    size_t bytes = 0;
    REQUIRE(cdp_top_k_workspace(keys.count, keys.type, nullptr, std::min(TOP_KEYS, keys.count), nullptr, &bytes));
    return bytes;
  }

  Sorted find_top(const Workplace &place) {
    REQUIRE(cdp_top_k_async(place.keys.d_keys, place.keys.count, place.keys.type, nullptr, std::min(TOP_KEYS, place.keys.count),
                            place.d_values, nullptr, place.d_workspace, place.workspace_bytes, place.stream));
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
      pairs_mode<4, CDP_TIES_ANY>("pairs4", "cdpsort, keys with values of 4 bytes, those of equal keys in any order"),
      pairs_mode<8, CDP_TIES_ANY>("pairs8", "the same with values of 8 bytes"),
      pairs_mode<4, CDP_TIES_STABLE>("stable4", "cdpsort, values of 4 bytes, those of equal keys in the order of the input"),
      pairs_mode<8, CDP_TIES_STABLE>("stable8", "the same with values of 8 bytes"),
      {"argsort", "cdpsort, indices of 4 bytes alone, the keys left as they are", true, 0, argsort_workspace_bytes,
       argsort<false>, ARGSORT},
      {"argsort-keys", "the same, the keys sorted too", true, 0, argsort_workspace_bytes, argsort<true>, ARGSORT_KEYS},
      {"cub-pairs4", "cub::DeviceRadixSort::SortPairs with DoubleBuffers, values of 4 bytes: an argsort where they are indices",
       true, 0, peer_workspace_bytes<&CudaPeers::pairs4_workspace_bytes>, peer_sort<&CudaPeers::pairs4_sort>, STABLE_4},
      {"cub-pairs8", "the same with values of 8 bytes", true, 0, peer_workspace_bytes<&CudaPeers::pairs8_workspace_bytes>,
       peer_sort<&CudaPeers::pairs8_sort>, STABLE_8},
      buckets_mode<0, 15>("buckets16", "cdpsort, keys divided into 16 buckets by quantiles of a sample; CUB has no such call"),
      buckets_mode<0, 255>("buckets256", "the same, 256 buckets"),
      buckets_mode<0, 1023>("buckets1024", "the same, 1024 buckets"),
      buckets_mode<4, 255>("buckets256-4", "256 buckets, values of 4 bytes moved along"),
      buckets_mode<8, 255>("buckets256-8", "256 buckets, values of 8 bytes moved along"),
      {"copy", "cdpsort, keys alone, out of place", true, 0, copy_workspace_bytes<0>, copy_sort<0>},
      {"copy-stable8", "the same with values of 8 bytes, those of equal keys in the order of the input", true, 0,
       copy_workspace_bytes<8>, copy_sort<8>, STABLE_8},
      {"records", "cdpsort, records of 32 bytes by a key of 8, u64", true, 0, records_workspace_bytes, records_sort, STABLE_8,
       CDP_U64},
      {"thrust-records", "thrust::sort of the same with a comparator", true, 0,
       peer_workspace_bytes<&CudaPeers::records_workspace_bytes>, peer_sort<&CudaPeers::records_sort>, PAIRS_8, CDP_U64},
      {"rows",
       "cdpsort, rows of two numbers of 4 bytes, i32 and u32, by both: keys of type i64 as such",
       true,
       0,
       rows_workspace_bytes,
       rows_sort,
       {},
       CDP_I64},
      {"thrust-rows",
       "thrust::sort of the same with a comparator of tuples",
       true,
       0,
       peer_workspace_bytes<&CudaPeers::rows_workspace_bytes>,
       peer_sort<&CudaPeers::rows_sort>,
       {},
       CDP_I64},
      {"median",
       "cdpsort, the key in the middle of the order alone, the keys left as they are",
       true,
       0,
       quantiles_workspace_bytes<1>,
       find_quantiles<1, middle_rank>,
       {},
       0,
       {1, middle_rank}},
      {"quantiles-5",
       "the same, five keys at even distances",
       true,
       0,
       quantiles_workspace_bytes<QUANTILES>,
       find_quantiles<QUANTILES, quantile_rank>,
       {},
       0,
       {QUANTILES, quantile_rank}},
      {"top-1000",
       "the same, the first 1,000 keys in their order",
       true,
       0,
       top_workspace_bytes,
       find_top,
       {},
       0,
       {TOP_KEYS, own_rank}},
  };
  return modes;
}

/* ---- Splitters ---------------------------------------------------------------------------------------------------------- */

Divided divided_parts(void *d_workspace, uint32_t splitters) {
  char *d_begins = static_cast<char *>(d_workspace);
  return {reinterpret_cast<uint64_t *>(d_begins), d_begins + begins_bytes(splitters)};
}

/* Every so many-th of some keys. */
static void take_every(void *d_to, const void *d_from, size_t key_bytes, uint64_t step, uint64_t count, cudaStream_t stream) {
  REQUIRE(cudaMemcpy2DAsync(d_to, key_bytes, d_from, step * key_bytes, key_bytes, count, cudaMemcpyDeviceToDevice, stream));
}

/* The sample is sorted behind the parts in the workspace, which has room for as many keys as there are. If they are too few, the
   greatest of them is a splitter more than once. */
void choose_splitters(const KeySpan &keys, void *d_workspace, uint32_t splitters, cudaStream_t stream) {
  const Divided parts = divided_parts(d_workspace, splitters);
  const size_t key_bytes = device_data::key_bytes(keys.type);
  const uint64_t samples = std::min<uint64_t>(keys.count, (splitters + 1) * SAMPLES_EACH);
  const uint64_t step = std::max<uint64_t>(1, samples / (splitters + 1));
  const uint64_t taken = std::min<uint64_t>(splitters, (samples - 1) / step);
  char *d_sample = static_cast<char *>(d_workspace) + divided_bytes(keys, splitters);
  char *d_splitters = static_cast<char *>(parts.d_splitters);
  take_every(d_sample, keys.d_keys, key_bytes, keys.count / samples, samples, stream);
  REQUIRE(cdp_quicksort_on_stream(d_sample, samples, keys.type, nullptr, stream));
  take_every(d_splitters, d_sample + step * key_bytes, key_bytes, step, taken, stream);
  for (uint64_t index = taken; index < splitters; index++)
    REQUIRE(cudaMemcpyAsync(d_splitters + index * key_bytes, d_sample + (samples - 1) * key_bytes, key_bytes,
                            cudaMemcpyDeviceToDevice, stream));
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
