/* SPDX-License-Identifier: MIT */
/*
 * Modes of the library's calls that do not sort keys in place: see sorter.h.
 */
#include "sorter.h"

#include <cdpsort/buckets.h>
#include <cdpsort/copy.h>

#include <algorithm>

namespace bench {

namespace {

constexpr Moved STABLE_8 = {8, true, false, false};

/* Keys of a sample for each splitter. */
constexpr uint64_t SAMPLES_EACH = 64;

cdp_options stable_options() {
  cdp_options options = CDP_OPTIONS_INIT;
  options.ties = CDP_TIES_STABLE;
  return options;
}

/* ---- Division ----------------------------------------------------------------------------------------------------------- */

size_t begins_bytes(uint32_t splitters) {
  return aligned((splitters + 2) * sizeof(uint64_t));
}

/* Of begins and splitters, ahead of the library's own workspace. */
size_t divided_bytes(const KeySpan &keys, uint32_t splitters) {
  return begins_bytes(splitters) + aligned(size_t{splitters} * device_data::key_bytes(keys.type));
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
  const cdp_options options = stable_options();
  size_t bytes = 0;
  if constexpr (VALUE_BYTES == 0)
    REQUIRE(cdp_quicksort_copy_workspace(keys.count, keys.type, nullptr, &bytes));
  else
    REQUIRE(cdp_quicksort_pairs_copy_workspace(VALUE_BYTES, keys.count, keys.type, &options, &bytes));
  return array_bytes(keys, device_data::key_bytes(keys.type)) + array_bytes(keys, VALUE_BYTES) + bytes;
}

template <uint32_t VALUE_BYTES>
Sorted copy_sort(const Workplace &place) {
  const cdp_options options = stable_options();
  const KeySpan &keys = place.keys;
  char *d_sorted_keys = static_cast<char *>(place.d_workspace);
  char *d_sorted_values = d_sorted_keys + array_bytes(keys, device_data::key_bytes(keys.type));
  char *d_rest = d_sorted_values + array_bytes(keys, VALUE_BYTES);
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

size_t records_workspace_bytes(const KeySpan &keys) {
  size_t bytes = 0;
  REQUIRE(cdp_sort_records_workspace(keys.count, RECORD_BYTES, BY_WIDE_KEY, 1, nullptr, &bytes));
  return records_bytes(keys.count) + bytes;
}

void *launch_records(const Workplace &place) {
  const size_t used = records_bytes(place.keys.count);
  REQUIRE(cdp_sort_records_async(place.d_workspace, place.keys.count, RECORD_BYTES, BY_WIDE_KEY, 1, nullptr,
                                 static_cast<char *>(place.d_workspace) + used, place.workspace_bytes - used, place.stream));
  return place.d_workspace;
}

Sorted records_sort(const Workplace &place) {
  return {place.keys.d_keys, sort_as_records(place, launch_records)};
}

size_t records_copy_workspace_bytes(const KeySpan &keys) {
  size_t bytes = 0;
  REQUIRE(cdp_sort_records_copy_workspace(keys.count, RECORD_BYTES, BY_WIDE_KEY, 1, nullptr, &bytes));
  return 2 * records_bytes(keys.count) + bytes;
}

void *launch_records_copy(const Workplace &place) {
  const size_t used = records_bytes(place.keys.count);
  char *d_sorted = static_cast<char *>(place.d_workspace) + used;
  REQUIRE(cdp_sort_records_copy_async(place.d_workspace, d_sorted, place.keys.count, RECORD_BYTES, BY_WIDE_KEY, 1, nullptr,
                                      d_sorted + used, place.workspace_bytes - 2 * used, place.stream));
  return d_sorted;
}

Sorted records_copy_sort(const Workplace &place) {
  return {place.keys.d_keys, sort_as_records(place, launch_records_copy)};
}

} // namespace

std::vector<Mode> other_modes() {
  return {
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
      {"copy-records", "the same out of place", true, 0, records_copy_workspace_bytes, records_copy_sort, STABLE_8, CDP_U64},
  };
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

} // namespace bench
