/* SPDX-License-Identifier: MIT */
/*
 * Modes of sorts by a comparison: see sorter.h. The comparison is that of cub-merge, as source text for the library and as a
 * function object for its header; it is compiled outside the clock.
 */
#include "compare_peers.h"

#include <cdpsort/compare.h>

namespace bench {

namespace {

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
  case CDP_U16:
    return BENCH_SOURCE("unsigned short");
  default:
    throw Failure("no such type");
  }
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

Sorted by_sort(const Workplace &place) {
  const KeySpan &keys = place.keys;
  const cdp_comparison comparison = comparison_of(source_of(keys.type));
  REQUIRE(cdp_quicksort_by_async(keys.d_keys, keys.count, device_data::key_bytes(keys.type), &comparison, nullptr,
                                 place.d_workspace, place.workspace_bytes, place.stream));
  return {keys.d_keys, BY_EVENTS};
}

Sorted header_sort(const Workplace &place) {
  sort_by_header(place);
  return {place.keys.d_keys, BY_EVENTS};
}

size_t by_records_bytes(const KeySpan &keys) {
  return records_bytes(keys.count) + workspace_bytes(RECORD_SOURCE, keys.count, RECORD_BYTES);
}

void launch_by_records(const Workplace &place) {
  const size_t used = records_bytes(place.keys.count);
  const cdp_comparison comparison = comparison_of(RECORD_SOURCE);
  REQUIRE(cdp_quicksort_by_async(place.d_workspace, place.keys.count, RECORD_BYTES, &comparison, nullptr,
                                 static_cast<char *>(place.d_workspace) + used, place.workspace_bytes - used, place.stream));
}

Sorted by_records_sort(const Workplace &place) {
  return {place.keys.d_keys, sort_as_records(place, launch_by_records)};
}

} // namespace

std::vector<Mode> compare_modes() {
  constexpr Moved PAIRS_8 = {8, false, false, false};
  return {
      {"by", "cdpsort, by a comparison given as source, that of cub-merge", true, 0, by_workspace_bytes, by_sort},
      {"by-header", "the same from CUDA C++, compiled into the program", true, 0, header_workspace_bytes, header_sort},
      {"by-records", "cdpsort, records of 32 bytes by a comparison of their keys of 8, as thrust-records", true, 0,
       by_records_bytes, by_records_sort, PAIRS_8, CDP_U64},
  };
}

} // namespace bench
