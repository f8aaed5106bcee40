/* SPDX-License-Identifier: MIT */
/*
 * Modes with two columns of values, of 4 and of 8 bytes, in place and out of place: see sorter.h. Both are the keys' indices. The
 * first one is judged by those; the second one, which lies in the workspace, must be the same numbers.
 */
#include "checks.h"
#include "pieces.h"
#include "stopwatch.h"

#include <cdpsort/copy.h>

#include <string>

namespace bench {

namespace {

using First = uint32_t;
using Second = uint64_t;

constexpr Moved TWO_COLUMNS = {sizeof(First), false, false, false, 0, sizeof(Second)};

/* The mode's own: a count of what is wrong, and the second column. */
size_t own_bytes(const KeySpan &keys) {
  return aligned(sizeof(unsigned long long)) + array_bytes(keys, sizeof(Second));
}

void number_second(const Workplace &place, Second *d_second) {
  REQUIRE(device_data::number({d_second, sizeof *d_second, nullptr, false, false}, place.keys.count, place.stream));
}

void require_same(const Workplace &place, const void *d_first, const Second *d_second, unsigned long long *d_wrong) {
  const uint64_t wrong =
      count_different(static_cast<const First *>(d_first), d_second, place.keys.count, d_wrong, place.stream);
  if (wrong != 0)
    throw Failure(std::to_string(wrong) + " values of the second column are another key's than those of the first");
}

/* ---- In place ----------------------------------------------------------------------------------------------------------- */

size_t columns_bytes(const KeySpan &keys) {
  const cdp_column columns[] = {{nullptr, sizeof(First)}, {nullptr, sizeof(Second)}};
  size_t bytes = 0;
  REQUIRE(cdp_quicksort_columns_workspace(columns, 2, keys.count, keys.type, nullptr, &bytes));
  return own_bytes(keys) + bytes;
}

Sorted columns_sort(const Workplace &place) {
  const KeySpan &keys = place.keys;
  Pieces pieces(place);
  unsigned long long *const d_wrong = pieces.take<unsigned long long>(1);
  Second *const d_second = pieces.take<Second>(keys.count);
  const cdp_column columns[] = {{place.d_values, sizeof(First)}, {d_second, sizeof(Second)}};
  number_second(place, d_second);
  const double milliseconds = time_on_stream(place.stream, [&] {
    REQUIRE(cdp_quicksort_columns_async(keys.d_keys, columns, 2, keys.count, keys.type, nullptr, pieces.rest(),
                                        pieces.rest_bytes(), place.stream));
  });
  require_same(place, place.d_values, d_second, d_wrong);
  return {keys.d_keys, milliseconds};
}

/* ---- Out of place: what is sorted lies in the workspace, too ------------------------------------------------------------- */

size_t columns_copy_bytes(const KeySpan &keys) {
  const cdp_column_copy columns[] = {{nullptr, nullptr, sizeof(First)}, {nullptr, nullptr, sizeof(Second)}};
  size_t bytes = 0;
  REQUIRE(cdp_quicksort_columns_copy_workspace(columns, 2, keys.count, keys.type, nullptr, &bytes));
  return own_bytes(keys) + array_bytes(keys, device_data::key_bytes(keys.type)) + array_bytes(keys, sizeof(First)) +
         array_bytes(keys, sizeof(Second)) + bytes;
}

Sorted columns_copy_sort(const Workplace &place) {
  const KeySpan &keys = place.keys;
  Pieces pieces(place);
  unsigned long long *const d_wrong = pieces.take<unsigned long long>(1);
  Second *const d_second = pieces.take<Second>(keys.count);
  void *const d_sorted_keys = pieces.take_bytes(keys.count * device_data::key_bytes(keys.type));
  First *const d_sorted_first = pieces.take<First>(keys.count);
  Second *const d_sorted_second = pieces.take<Second>(keys.count);
  const cdp_column_copy columns[] = {{place.d_values, d_sorted_first, sizeof(First)},
                                     {d_second, d_sorted_second, sizeof(Second)}};
  number_second(place, d_second);
  const double milliseconds = time_on_stream(place.stream, [&] {
    REQUIRE(cdp_quicksort_columns_copy_async(keys.d_keys, d_sorted_keys, columns, 2, keys.count, keys.type, nullptr,
                                             pieces.rest(), pieces.rest_bytes(), place.stream));
  });
  require_same(place, d_sorted_first, d_sorted_second, d_wrong);
  return {d_sorted_keys, milliseconds, d_sorted_first};
}

} // namespace

std::vector<Mode> column_modes() {
  return {
      {"columns", "cdpsort, keys with two columns of values, of 4 and 8 bytes, those of equal keys in any order", true, 0,
       columns_bytes, columns_sort, TWO_COLUMNS},
      {"copy-columns", "the same out of place", true, 0, columns_copy_bytes, columns_copy_sort, TWO_COLUMNS},
  };
}

} // namespace bench
