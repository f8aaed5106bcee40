/* SPDX-License-Identifier: MIT */
/*
 * Modes of the calls for sorted ranges, and of CUB's like them: see sorter.h. The keys, or both halves of them, are sorted outside
 * the clock. What is merged is judged as what is sorted is. Of the other two the keys, which stay as they are, are: an answer
 * about the order must be their number; and what is unique, which is no permutation of the keys, is compared with what std::unique()
 * makes of them, where they are few.
 */
#include "range_peers.h"
#include "stopwatch.h"

#include <cdpsort/ranges.h>

#include <algorithm>

namespace bench {

namespace {

/* The most keys that the host looks through after each repetition. */
constexpr uint64_t LOOKED_AT_MOST = uint64_t{1} << 24;

constexpr size_t ANSWER_BYTES = CDP_WORKSPACE_ALIGNMENT;

size_t aligned_keys_bytes(const KeySpan &keys) {
  const size_t bytes = keys.count * device_data::key_bytes(keys.type);
  return (bytes + CDP_WORKSPACE_ALIGNMENT - 1) / CDP_WORKSPACE_ALIGNMENT * CDP_WORKSPACE_ALIGNMENT;
}

/* The workspace of a mode: an answer, the result, and what the call itself wants. */
struct Parts {
  uint64_t *d_answer;
  char *d_result;
  char *d_rest;
  size_t rest_bytes;
};

Parts parts_of(const Workplace &place, bool has_result) {
  char *d_result = static_cast<char *>(place.d_workspace) + ANSWER_BYTES;
  char *d_rest = d_result + (has_result ? aligned_keys_bytes(place.keys) : 0);
  const size_t used = static_cast<size_t>(d_rest - static_cast<char *>(place.d_workspace));
  return {static_cast<uint64_t *>(place.d_workspace), d_result, d_rest, place.workspace_bytes - used};
}

void sort_keys(const Workplace &place, uint64_t begin, uint64_t end) {
  char *d_keys = static_cast<char *>(place.keys.d_keys) + begin * device_data::key_bytes(place.keys.type);
  REQUIRE(cdp_quicksort_on_stream(d_keys, end - begin, place.keys.type, nullptr, place.stream));
}

uint64_t read_answer(const Parts &parts) {
  uint64_t answer = 0;
  REQUIRE(cudaMemcpy(&answer, parts.d_answer, sizeof answer, cudaMemcpyDeviceToHost));
  return answer;
}

/* ---- Is it sorted ------------------------------------------------------------------------------------------------------- */

size_t is_sorted_bytes(const KeySpan &) {
  return ANSWER_BYTES;
}

Sorted is_sorted(const Workplace &place) {
  const Parts parts = parts_of(place, false);
  const KeySpan &keys = place.keys;
  sort_keys(place, 0, keys.count);
  const double milliseconds = time_on_stream(place.stream, [&] {
    REQUIRE(cdp_is_sorted_on_stream(keys.d_keys, keys.count, keys.type, nullptr, parts.d_answer, place.stream));
  });
  if (read_answer(parts) != keys.count)
    throw Failure("sorted keys are said to be in disorder");
  return {keys.d_keys, milliseconds};
}

/* ---- Merge -------------------------------------------------------------------------------------------------------------- */

size_t merge_bytes(const KeySpan &keys) {
  size_t bytes = 0;
  REQUIRE(cdp_merge_workspace(keys.count / 2, keys.count - keys.count / 2, keys.type, nullptr, &bytes));
  return ANSWER_BYTES + aligned_keys_bytes(keys) + bytes;
}

size_t cub_merge_bytes(const KeySpan &keys) {
  size_t bytes = 0;
  if (has_cub_merge())
    cub_merge_halves(keys, nullptr, nullptr, bytes, nullptr);
  return ANSWER_BYTES + aligned_keys_bytes(keys) + bytes;
}

template <bool IS_CUB>
Sorted merge(const Workplace &place) {
  Parts parts = parts_of(place, true);
  const KeySpan &keys = place.keys;
  const uint64_t middle = keys.count / 2;
  const char *d_first = static_cast<const char *>(keys.d_keys);
  const char *d_second = d_first + middle * device_data::key_bytes(keys.type);
  sort_keys(place, 0, middle);
  sort_keys(place, middle, keys.count);
  const double milliseconds = time_on_stream(place.stream, [&] {
    if (IS_CUB)
      cub_merge_halves(keys, parts.d_result, parts.d_rest, parts.rest_bytes, place.stream);
    else
      REQUIRE(cdp_merge_async(d_first, middle, d_second, keys.count - middle, parts.d_result, keys.type, nullptr, parts.d_rest,
                              parts.rest_bytes, place.stream));
  });
  return {parts.d_result, milliseconds};
}

/* ---- Unique ------------------------------------------------------------------------------------------------------------- */

size_t unique_bytes(const KeySpan &keys) {
  size_t bytes = 0;
  REQUIRE(cdp_unique_workspace(keys.count, keys.type, nullptr, &bytes));
  return ANSWER_BYTES + aligned_keys_bytes(keys) + bytes;
}

size_t cub_unique_bytes(const KeySpan &keys) {
  size_t bytes = 0;
  cub_unique(keys, nullptr, nullptr, nullptr, bytes, nullptr);
  return ANSWER_BYTES + aligned_keys_bytes(keys) + bytes;
}

template <typename Bits>
void check_unique(const KeySpan &keys, const Parts &parts) {
  std::vector<Bits> wanted(keys.count);
  REQUIRE(cudaMemcpy(wanted.data(), keys.d_keys, keys.count * sizeof(Bits), cudaMemcpyDeviceToHost));
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::vector<Bits> found(wanted.size());
  REQUIRE(cudaMemcpy(found.data(), parts.d_result, found.size() * sizeof(Bits), cudaMemcpyDeviceToHost));
  if (read_answer(parts) != wanted.size() || found != wanted)
    throw Failure("other keys are unique");
}

void check_few(const KeySpan &keys, const Parts &parts) {
  const size_t key_bytes = device_data::key_bytes(keys.type);
  if (keys.count <= LOOKED_AT_MOST)
    (key_bytes == 1   ? check_unique<uint8_t>
     : key_bytes == 2 ? check_unique<uint16_t>
     : key_bytes == 4 ? check_unique<uint32_t>
                      : check_unique<uint64_t>)(keys, parts);
}

template <bool IS_CUB>
Sorted unique(const Workplace &place) {
  Parts parts = parts_of(place, true);
  const KeySpan &keys = place.keys;
  sort_keys(place, 0, keys.count);
  const double milliseconds = time_on_stream(place.stream, [&] {
    if (IS_CUB)
      cub_unique(keys, parts.d_result, parts.d_answer, parts.d_rest, parts.rest_bytes, place.stream);
    else
      REQUIRE(cdp_unique_async(keys.d_keys, keys.count, keys.type, nullptr, parts.d_result, parts.d_answer, parts.d_rest,
                               parts.rest_bytes, place.stream));
  });
  check_few(keys, parts);
  return {keys.d_keys, milliseconds};
}

} // namespace

std::vector<Mode> range_modes() {
  std::vector<Mode> modes = {
      {"is-sorted", "cdpsort, whether sorted keys are in order: one read of them", true, 0, is_sorted_bytes, is_sorted},
      {"merge", "cdpsort, both sorted halves of the keys merged into another array", true, 0, merge_bytes, merge<false>},
      {"unique", "cdpsort, the first of each run of equal keys, of sorted ones, into another array", true, 0, unique_bytes,
       unique<false>},
      {"cub-unique", "cub::DeviceSelect::Unique, likewise", true, 0, cub_unique_bytes, unique<true>},
  };
  if (has_cub_merge())
    modes.push_back({"cub-merge-halves", "cub::DeviceMerge::MergeKeys, as merge", true, 0, cub_merge_bytes, merge<true>});
  return modes;
}

} // namespace bench
