/* SPDX-License-Identifier: MIT */
/*
 * Modes of sorts by a comparison: see sorter.h. The comparison is that of cub-merge, as source text for the library and as a
 * function object for its header; it is compiled outside the clock, but for a mode whose time that is.
 */
#include "compare_peers.h"
#include "pieces.h"

#include <cdpsort/copy.h>

#include <chrono>
#include <string>

namespace bench {

namespace {

/* It takes a second or two each time. */
constexpr uint64_t NEVER_UNASKED = 1;

/* A source can include no header that has such types: by their bits, which will do where no number is -0 and all are finite. */
constexpr const char *HALF_SOURCE =
    "typedef unsigned short item;\n"
    "__device__ unsigned int place(item bits) { return bits < 0x8000 ? 0x8000 + bits : 0xFFFF - bits; }\n"
    "__device__ bool less(const item *a, const item *b, const void *context) { return place(*a) < place(*b); }\n";

const char *source_of(cdp_type type) {
#define BENCH_SOURCE(key)                                                                                                      \
  "typedef " key " item;\n"                                                                                                    \
  "__device__ bool less(const item *a, const item *b, const void *context) { return *a < *b; }\n"
  switch (type) {
  case CDP_U32:
    return BENCH_SOURCE("unsigned int");
  case CDP_I32:
    return BENCH_SOURCE("int");
  case CDP_U64:
    return BENCH_SOURCE("unsigned long long");
  case CDP_I64:
    return BENCH_SOURCE("long long");
  case CDP_F32:
    return BENCH_SOURCE("float");
  case CDP_F64:
    return BENCH_SOURCE("double");
  case CDP_U8:
    return BENCH_SOURCE("unsigned char");
  case CDP_I8:
    return BENCH_SOURCE("signed char");
  case CDP_U16:
    return BENCH_SOURCE("unsigned short");
  case CDP_I16:
    return BENCH_SOURCE("short");
  case CDP_F16:
  case CDP_BF16:
    return HALF_SOURCE;
  }
  throw Failure("no such type");
#undef BENCH_SOURCE
}

/* Those of RECORD_BYTES, by their first 8. */
constexpr const char *RECORD_SOURCE =
    "typedef struct { unsigned long long key, rest[3]; } item;\n"
    "__device__ bool less(const item *a, const item *b, const void *context) { return a->key < b->key; }\n";

cdp_comparison comparison_of(const char *source) {
  cdp_comparison comparison = CDP_COMPARISON_INIT;
  comparison.source = source;
  return comparison;
}

size_t workspace_bytes(const char *source, uint64_t count, size_t item_bytes) {
  const cdp_comparison comparison = comparison_of(source);
  size_t bytes = 0;
  REQUIRE(cdp_compile_comparison(&comparison, item_bytes, nullptr));
  REQUIRE(cdp_quicksort_by_workspace(count, item_bytes, nullptr, &bytes));
  return bytes;
}

size_t by_workspace_bytes(const KeySpan &keys) {
  return workspace_bytes(source_of(keys.type), keys.count, device_data::key_bytes(keys.type));
}

void sort_by(const Workplace &place, const cdp_comparison &comparison) {
  const KeySpan &keys = place.keys;
  REQUIRE(cdp_quicksort_by_async(keys.d_keys, keys.count, device_data::key_bytes(keys.type), &comparison, nullptr,
                                 place.d_workspace, place.workspace_bytes, place.stream));
}

Sorted by_sort(const Workplace &place) {
  sort_by(place, comparison_of(source_of(place.keys.type)));
  return {place.keys.d_keys, BY_EVENTS};
}

/* Sorted items at the beginning of the workspace. */
size_t by_copy_bytes(const KeySpan &keys) {
  const size_t item_bytes = device_data::key_bytes(keys.type);
  size_t bytes = 0;
  REQUIRE(cdp_quicksort_by_copy_workspace(keys.count, item_bytes, nullptr, &bytes));
  return array_bytes(keys, item_bytes) + bytes;
}

Sorted by_copy(const Workplace &place) {
  const KeySpan &keys = place.keys;
  const size_t item_bytes = device_data::key_bytes(keys.type);
  const std::string source = source_of(keys.type);
  const cdp_comparison comparison = comparison_of(source.c_str());
  Pieces pieces(place);
  void *const d_sorted = pieces.take_bytes(keys.count * item_bytes);
  REQUIRE(cdp_quicksort_by_copy_async(keys.d_keys, d_sorted, keys.count, item_bytes, &comparison, nullptr, pieces.rest(),
                                      pieces.rest_bytes(), place.stream));
  return {d_sorted, BY_EVENTS};
}

/* Takes the time of compiling it, by the host's clock. It is sorted by, so that its work is judged. */
Sorted compile(const Workplace &place, const std::string &source) {
  const cdp_comparison comparison = comparison_of(source.c_str());
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(cdp_compile_comparison(&comparison, device_data::key_bytes(place.keys.type), nullptr));
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begin;
  sort_by(place, comparison);
  return {place.keys.d_keys, elapsed.count()};
}

/* Another name makes of it a source that never was compiled: NVRTC remembers one that differs by a comment. */
Sorted compile_new(const Workplace &place) {
  static uint64_t sources = 0;
  return compile(place, "#define less less_" + std::to_string(sources++) + "\n" + source_of(place.keys.type));
}

Sorted compile_known(const Workplace &place) {
  return compile(place, source_of(place.keys.type));
}

Sorted header_sort(const Workplace &place) {
  sort_by_header(place);
  return {place.keys.d_keys, BY_EVENTS};
}

size_t by_records_bytes(const KeySpan &keys) {
  return records_bytes(keys.count) + workspace_bytes(RECORD_SOURCE, keys.count, RECORD_BYTES);
}

void *launch_by_records(const Workplace &place) {
  const size_t used = records_bytes(place.keys.count);
  const cdp_comparison comparison = comparison_of(RECORD_SOURCE);
  REQUIRE(cdp_quicksort_by_async(place.d_workspace, place.keys.count, RECORD_BYTES, &comparison, nullptr,
                                 static_cast<char *>(place.d_workspace) + used, place.workspace_bytes - used, place.stream));
  return place.d_workspace;
}

Sorted by_records_sort(const Workplace &place) {
  return {place.keys.d_keys, sort_as_records(place, launch_by_records)};
}

} // namespace

std::vector<Mode> compare_modes() {
  constexpr Moved PAIRS_8 = {8, false, false, false};
  return {
      {"by", "cdpsort, by a comparison given as source, that of cub-merge", true, 0, by_workspace_bytes, by_sort},
      {"copy-by", "the same out of place", true, 0, by_copy_bytes, by_copy},
      {"by-compile", "the time of cdp_compile_comparison() of that source, by the host's clock, each time as if it were new",
       true, NEVER_UNASKED, by_workspace_bytes, compile_new},
      {"by-compiled", "likewise of a source that is compiled already", true, 0, by_workspace_bytes, compile_known},
      {"by-header", "the same from CUDA C++, compiled into the program", true, 0, header_workspace_bytes, header_sort},
      {"by-records", "cdpsort, records of 32 bytes by a comparison of their keys of 8, as thrust-records", true, 0,
       by_records_bytes, by_records_sort, PAIRS_8, CDP_U64},
  };
}

} // namespace bench
