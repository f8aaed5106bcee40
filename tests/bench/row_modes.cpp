/* SPDX-License-Identifier: MIT */
/*
 * Modes of rows of two numbers, sorted as records or, in columns, told the order of; and Thrust's: see sorter.h. Rows are an i32, which
 * rises, and an f32, which falls, made of the keys outside the clock: the i32 is one of 65,536, so that among many rows the f32
 * decides. Outside the clock the rows or their order are judged, and then the keys are sorted, and judged as what is sorted is.
 */
#include "pieces.h"
#include "row_peers.h"
#include "stopwatch.h"

#include <cdpsort/records.h>

#include <cstddef>

namespace bench {

namespace {

const cdp_field BY_ROW[] = {{offsetof(NumberRow, first), CDP_I32, CDP_ASCENDING},
                            {offsetof(NumberRow, second), CDP_F32, CDP_DESCENDING}};

/* Has the keys judged in the place of what was made of them. */
Sorted sort_keys(const Workplace &place, double milliseconds) {
  REQUIRE(cdp_quicksort_on_stream(place.keys.d_keys, place.keys.count, place.keys.type, nullptr, place.stream));
  return {place.keys.d_keys, milliseconds};
}

void require_same(const RowVerdict &before, const RowVerdict &after) {
  if (after.in_disorder != 0 || after.sum != before.sum)
    throw Failure(after.in_disorder != 0 ? "rows are in disorder" : "there are other rows than before");
}

/* ---- Rows --------------------------------------------------------------------------------------------------------------- */

size_t all_rows_bytes(const KeySpan &keys) {
  return aligned(sizeof(RowVerdict)) + array_bytes(keys, sizeof(NumberRow));
}

size_t library_rows_bytes(const KeySpan &keys) {
  size_t bytes = 0;
  REQUIRE(cdp_sort_records_workspace(keys.count, sizeof(NumberRow), BY_ROW, 2, nullptr, &bytes));
  return all_rows_bytes(keys) + bytes;
}

size_t peer_rows_bytes(const KeySpan &keys) {
  return all_rows_bytes(keys) + thrust_rows_bytes(keys.count);
}

template <bool IS_THRUST>
Sorted sort_rows(const Workplace &place) {
  const uint64_t count = place.keys.count;
  Pieces pieces(place);
  RowVerdict *const d_verdict = pieces.take<RowVerdict>(1);
  NumberRow *const d_rows = pieces.take<NumberRow>(count);
  make_rows(place.keys, d_rows, place.stream);
  const RowVerdict before = judge_rows(d_rows, count, d_verdict, place.stream);
  const double milliseconds = time_on_stream(place.stream, [&] {
    if (IS_THRUST)
      thrust_sort_rows(d_rows, count, pieces.rest(), pieces.rest_bytes(), place.stream);
    else
      REQUIRE(cdp_sort_records_async(d_rows, count, sizeof(NumberRow), BY_ROW, 2, nullptr, pieces.rest(), pieces.rest_bytes(),
                                     place.stream));
  });
  require_same(before, judge_rows(d_rows, count, d_verdict, place.stream));
  return sort_keys(place, milliseconds);
}

/* ---- The same in columns: their order as indices ------------------------------------------------------------------------- */

struct Columns {
  cdp_key_column keys[2];

  explicit Columns(const RowColumns &rows = {nullptr, nullptr})
      : keys{{rows.d_first, CDP_I32, CDP_ASCENDING}, {rows.d_second, CDP_F32, CDP_DESCENDING}} {}
};

size_t all_columns_bytes(const KeySpan &keys) {
  return aligned(sizeof(RowVerdict)) + array_bytes(keys, sizeof(int32_t)) + array_bytes(keys, sizeof(float)) +
         array_bytes(keys, sizeof(uint32_t));
}

size_t library_columns_bytes(const KeySpan &keys) {
  size_t bytes = 0;
  REQUIRE(cdp_argsort_columns_workspace(Columns().keys, 2, keys.count, nullptr, &bytes));
  return all_columns_bytes(keys) + bytes;
}

size_t peer_columns_bytes(const KeySpan &keys) {
  return all_columns_bytes(keys) + thrust_order_bytes(keys.count);
}

template <bool IS_THRUST>
Sorted argsort_columns(const Workplace &place) {
  const uint64_t count = place.keys.count;
  Pieces pieces(place);
  RowVerdict *const d_verdict = pieces.take<RowVerdict>(1);
  RowColumns columns = {};
  columns.d_first = pieces.take<int32_t>(count);
  columns.d_second = pieces.take<float>(count);
  uint32_t *const d_order = pieces.take<uint32_t>(count);
  make_columns(place.keys, columns, place.stream);
  REQUIRE(cudaMemsetAsync(d_order, 0xFF, count * sizeof *d_order, place.stream));
  const double milliseconds = time_on_stream(place.stream, [&] {
    if (IS_THRUST)
      thrust_sort_order(columns, d_order, count, pieces.rest(), pieces.rest_bytes(), place.stream);
    else
      REQUIRE(cdp_argsort_columns_async(Columns(columns).keys, 2, d_order, sizeof *d_order, count, nullptr, pieces.rest(),
                                        pieces.rest_bytes(), place.stream));
  });
  require_same({}, judge_order(place.keys, d_order, d_verdict, place.stream));
  return sort_keys(place, milliseconds);
}

} // namespace

std::vector<Mode> row_modes() {
  constexpr Moved INDICES = {0, true, false, false, 0, sizeof(uint32_t)};
  return {
      {"rows",
       "cdpsort, rows of an i32, rising, and an f32, falling; the i32 is one of 65536, so that the f32 decides often",
       true,
       0,
       library_rows_bytes,
       sort_rows<false>,
       {},
       CDP_I64},
      {"thrust-rows",
       "thrust::sort of the same with a comparator of rows",
       true,
       0,
       peer_rows_bytes,
       sort_rows<true>,
       {},
       CDP_I64},
      {"argsort-columns", "cdpsort, the order of the same rows in two columns, as indices of 4 bytes, stable", true, 0,
       library_columns_bytes, argsort_columns<false>, INDICES, CDP_I64},
      {"thrust-columns", "thrust::stable_sort_by_key of such indices by the zipped columns, which it sorts too", true, 0,
       peer_columns_bytes, argsort_columns<true>, INDICES, CDP_I64},
  };
}

} // namespace bench
