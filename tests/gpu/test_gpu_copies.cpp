/* SPDX-License-Identifier: MIT */
/*
 * copy.h on the GPU: what the calls in place make of a copy of the input, in every kind of memory, by every call, captured; the
 * input stays as it was. And what is refused.
 */
#include "gpu_tables.h"
#include "records.h"

#include <cdpsort/copy.h>

using namespace gpu_check;
using namespace gpu_tables;
using records::Records;

namespace {

/* All ways in turn; input and output of a blocking call lie in different memory. */
Way way_at(uint64_t round) {
  const Call call = static_cast<Call>(round % CALLS);
  if (call == Call::blocking)
    return {call, static_cast<Place>(round / 3 % PLACES), static_cast<Place>(round / 2 % PLACES), round % 4, false};
  return {call, round % 2 == 0 ? Place::device : Place::managed, Place::device, round % 4, round % 5 < 2};
}

/* By the call of the way: in stream order in a workspace of exactly the size that is asked for. */
template <typename Block, typename OnStream, typename Ask, typename Launch>
void sort_by(const Way &way, const char *label, Block block, OnStream on_stream, Ask ask, Launch launch) {
  size_t bytes = 0;
  note("%s", label);
  if (way.call == Call::blocking) {
    CHECK_SORT(block());
  } else if (way.call == Call::on_stream) {
    CHECK_SORT(perform(way, on_stream));
  } else {
    CHECK_SORT(ask(&bytes));
    const Array workspace = make_array(Place::device, Bytes(bytes));
    CHECK_SORT(perform(way, [&] { return launch(workspace.memory(), bytes); }));
    CHECK_CUDA(cudaStreamSynchronize(stream()));
    read_array(workspace, label);
  }
  CHECK_CUDA(cudaStreamSynchronize(stream()));
}

/* ---- Keys -------------------------------------------------------------------------------------------------------- */

void check_keys(cdp_type type, const Bytes &keys, cdp_order order, const Way &way) {
  const size_t count = keys.size() / host_key_bytes(type);
  const cdp_options options = options_of(order, CDP_TIES_ANY);
  const std::string label = "a copy of " + std::to_string(count) + " " + host_type_name(type);
  const Array in_place = make_array(Place::device, keys);
  const Array from = make_array(way.keys_place, keys);
  const Array to = make_array(way.values_place, Bytes(keys.size(), 0xEE));
  CHECK_SORT(cdp_quicksort(in_place.memory(), count, type, &options));
  sort_by(
      way, label.c_str(), [&] { return cdp_quicksort_copy(from.memory(), to.memory(), count, type, &options); },
      [&] { return cdp_quicksort_copy_on_stream(from.memory(), to.memory(), count, type, &options, stream()); },
      [&](size_t *bytes) { return cdp_quicksort_copy_workspace(count, type, &options, bytes); },
      [&](void *workspace, size_t bytes) {
        return cdp_quicksort_copy_async(from.memory(), to.memory(), count, type, &options, workspace, bytes, stream());
      });
  ck_assert_msg(read_array(to, label.c_str()) == read_array(in_place, label.c_str()), "%s: wrong", label.c_str());
  ck_assert_msg(read_array(from, label.c_str()) == keys, "%s: the input has changed", label.c_str());
  free_arrays();
}

/* _i: the type. */
START_TEST(test_keys) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  uint64_t round = static_cast<uint64_t>(_i);
  for (const uint64_t count : {uint64_t{1}, uint64_t{2}, uint64_t{5003}, uint64_t{100003}, pick(3000017, 30011)}) {
    const host_distribution distribution = static_cast<host_distribution>(round % HOST_DISTRIBUTIONS);
    check_keys(type, make_keys(type, count, distribution), ORDERS[round % 2], way_at(round));
    round++;
  }
}
END_TEST

/* ---- Columns ----------------------------------------------------------------------------------------------------- */

/* Stably, so that what the call in place makes of it is all there is to be made. One column by the calls for pairs. */
void check_columns(const Table &table, cdp_ties ties, const Way &way) {
  const cdp_options options = options_of(ORDERS[table.count % 2], ties);
  const size_t count = table.count;
  const std::string label = "a copy of " + std::to_string(count) + " " + host_type_name(table.type) + " with " +
                            std::to_string(table.columns.size()) + " columns";
  const Array keys_in_place = make_array(Place::device, table.keys);
  const Array from = make_array(way.keys_place, table.keys);
  const Array to = make_array(way.values_place, Bytes(table.keys.size(), 0xEE));
  std::vector<Array> in_place, sources, targets;
  std::vector<cdp_column> there;
  std::vector<cdp_column_copy> columns;
  for (size_t column = 0; column < table.columns.size(); column++) {
    const size_t bytes = table.value_bytes[column];
    in_place.push_back(make_array(Place::device, table.columns[column]));
    sources.push_back(make_array(way.keys_place, table.columns[column], way.shift));
    targets.push_back(make_array(way.values_place, Bytes(table.columns[column].size(), 0xEE), way.shift / 2));
    there.push_back({in_place.back().memory(), bytes});
    columns.push_back({sources.back().memory(), targets.back().memory(), bytes});
  }
  const bool is_pairs = columns.size() == 1;
  CHECK_SORT(cdp_quicksort_columns(keys_in_place.memory(), there.data(), there.size(), count, table.type, &options));
  sort_by(
      way, label.c_str(),
      [&] {
        return is_pairs ? cdp_quicksort_pairs_copy(from.memory(), to.memory(), columns[0].values, columns[0].sorted_values,
                                                   columns[0].value_bytes, count, table.type, &options)
                        : cdp_quicksort_columns_copy(from.memory(), to.memory(), columns.data(), columns.size(), count,
                                                     table.type, &options);
      },
      [&] {
        return is_pairs
                   ? cdp_quicksort_pairs_copy_on_stream(from.memory(), to.memory(), columns[0].values, columns[0].sorted_values,
                                                        columns[0].value_bytes, count, table.type, &options, stream())
                   : cdp_quicksort_columns_copy_on_stream(from.memory(), to.memory(), columns.data(), columns.size(), count,
                                                          table.type, &options, stream());
      },
      [&](size_t *bytes) {
        return is_pairs
                   ? cdp_quicksort_pairs_copy_workspace(columns[0].value_bytes, count, table.type, &options, bytes)
                   : cdp_quicksort_columns_copy_workspace(columns.data(), columns.size(), count, table.type, &options, bytes);
      },
      [&](void *workspace, size_t bytes) {
        return is_pairs ? cdp_quicksort_pairs_copy_async(from.memory(), to.memory(), columns[0].values,
                                                         columns[0].sorted_values, columns[0].value_bytes, count, table.type,
                                                         &options, workspace, bytes, stream())
                        : cdp_quicksort_columns_copy_async(from.memory(), to.memory(), columns.data(), columns.size(), count,
                                                           table.type, &options, workspace, bytes, stream());
      });
  ck_assert_msg(read_array(to, label.c_str()) == read_array(keys_in_place, label.c_str()), "%s: the keys", label.c_str());
  ck_assert_msg(read_array(from, label.c_str()) == table.keys, "%s: the input has changed", label.c_str());
  for (size_t column = 0; column < columns.size(); column++) {
    ck_assert_msg(read_array(targets[column], label.c_str()) == read_array(in_place[column], label.c_str()), "%s: column %zu",
                  label.c_str(), column);
    ck_assert(read_array(sources[column], label.c_str()) == table.columns[column]);
  }
  free_arrays();
}

/* Values of all sizes, one column and several, short arrays and such as are regrouped. _i: the type. */
START_TEST(test_columns) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  const std::vector<std::vector<size_t>> shapes = {{1}, {2}, {3}, {4}, {8}, {24}, {}, {4, 8, 1}, {16, 4}};
  uint64_t round = static_cast<uint64_t>(_i);
  for (const std::vector<size_t> &shape : shapes)
    for (const uint64_t count : {uint64_t{1}, uint64_t{4099}, pick(70001, 9001)}) {
      const host_distribution distribution = round % 2 == 0 ? HOST_UNIFORM : HOST_EXTREMES;
      const cdp_ties ties = round % 2 == 0 ? CDP_TIES_STABLE : CDP_TIES_BY_VALUE;
      check_columns(make_table(type, make_keys(type, count, distribution), shape), ties, way_at(round));
      round++;
    }
}
END_TEST

/* Arrays of more than the cache holds: values and, of 8 bytes, keys are regrouped. */
START_TEST(test_long_columns) {
  const uint64_t count = pick((1 << 22) + 5, 30011);
  for (const cdp_type type : {CDP_U32, CDP_F64}) {
    check_columns(make_table(type, make_keys(type, count, HOST_UNIFORM), {8}), CDP_TIES_STABLE, way_at(4));
    check_columns(make_table(type, make_keys(type, count, HOST_FEW_DISTINCT), {16, 8}), CDP_TIES_STABLE, way_at(5));
  }
}
END_TEST

/* A travelling value: each follows from its key, so that any order of equal keys' values is the same. */
START_TEST(test_travelling) {
  const size_t count = pick(1000003, 30011);
  const Bytes keys = make_keys(CDP_U32, count, HOST_UNIFORM);
  Table table = make_table(CDP_U32, keys, {4});
  table.columns[0] = keys;
  check_columns(table, CDP_TIES_ANY, way_at(4));
  check_columns(table, CDP_TIES_ANY, way_at(1));
}
END_TEST

/* ---- Records ----------------------------------------------------------------------------------------------------- */

START_TEST(test_records) {
  for (uint64_t round = 0; round < pick(40, 8); round++) {
    uint64_t state = seed() * 100 + round;
    const bool are_keys = round % 4 == 0;
    const size_t record_bytes = are_keys ? 8 : 1 + host_random_below(&state, 48);
    const size_t count = 1 + host_random_below(&state, 20000);
    const std::vector<cdp_field> pair = {{4, CDP_F32, CDP_DESCENDING}, {0, CDP_I32, CDP_ASCENDING}};
    const Records given =
        records::make_records(count, record_bytes, are_keys ? pair : records::random_fields(record_bytes, state), state);
    const cdp_options options = options_of(CDP_ASCENDING, ALL_TIES[round % 3]);
    const std::string label = "a copy of " + describe(given, options.ties);
    const Way way = way_at(round);
    const Array from = make_array(way.keys_place, given.bytes, way.shift);
    const Array to = make_array(way.values_place, Bytes(given.bytes.size(), 0xEE), way.shift / 2);
    const cdp_field *fields = given.fields.data();
    const size_t field_count = given.fields.size();
    sort_by(
        way, label.c_str(),
        [&] { return cdp_sort_records_copy(from.memory(), to.memory(), count, record_bytes, fields, field_count, &options); },
        [&] {
          return cdp_sort_records_copy_on_stream(from.memory(), to.memory(), count, record_bytes, fields, field_count, &options,
                                                 stream());
        },
        [&](size_t *bytes) {
          return cdp_sort_records_copy_workspace(count, record_bytes, fields, field_count, &options, bytes);
        },
        [&](void *workspace, size_t bytes) {
          return cdp_sort_records_copy_async(from.memory(), to.memory(), count, record_bytes, fields, field_count, &options,
                                             workspace, bytes, stream());
        });
    ck_assert_msg(read_array(to, label.c_str()) == records::sorted_bytes(given, options.ties), "%s: wrong", label.c_str());
    ck_assert_msg(read_array(from, label.c_str()) == given.bytes, "%s: the input has changed", label.c_str());
    free_arrays();
  }
}
END_TEST

/* ---- Refused ----------------------------------------------------------------------------------------------------- */

/* Each time the arrays and everything around them stay as they were. */
START_TEST(test_refusals) {
  constexpr size_t COUNT = 5003;
  const char *const LABEL = "after copies that were refused";
  const cdp_options options = options_of(CDP_DESCENDING, CDP_TIES_ANY);
  const Bytes keys = make_keys(CDP_U32, COUNT, HOST_SORTED);
  const Array there = make_array(Place::device, keys);
  const Array here = make_array(Place::pageable, keys);
  const Array other = make_array(Place::device, keys);
  size_t bytes = 0;
  CHECK_SORT(cdp_quicksort_copy_workspace(COUNT, CDP_U32, &options, &bytes));
  const Array workspace = make_array(Place::device, Bytes(bytes));
  unsigned char *room = workspace.memory();
  const auto copy = [&](const void *from, void *to, void *d_workspace, size_t workspace_bytes) {
    return cdp_quicksort_copy_async(from, to, COUNT, CDP_U32, &options, d_workspace, workspace_bytes, stream());
  };
  CHECK_FAILS(CDP_ERROR_POINTER, copy(here.memory(), other.memory(), room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, copy(there.memory(), here.memory(), room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, copy(there.memory(), there.memory(), room, bytes));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, copy(there.memory(), other.memory(), room, bytes - 1));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, copy(there.memory(), room, room, bytes));
  CHECK_FAILS(CDP_ERROR_NULL, copy(there.memory(), other.memory(), nullptr, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, cdp_quicksort_pairs_copy_on_stream(there.memory(), other.memory(), here.memory(), room, 4,
                                                                    COUNT, CDP_U32, &options, stream()));
  CHECK_FAILS(CDP_ERROR_POINTER, cdp_quicksort_pairs_copy_on_stream(there.memory(), other.memory(), there.memory(),
                                                                    other.memory(), 4, COUNT, CDP_U32, &options, stream()));
  CHECK_CUDA(cudaDeviceSynchronize());
  for (const Array &array : {there, here, other})
    ck_assert(read_array(array, LABEL) == keys);
  ck_assert(read_array(workspace, LABEL) == Bytes(bytes));
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_copies");
  TCase *test_case = add_case(suite, "copies");
  tcase_add_checked_fixture(test_case, make_stream, destroy_stream);
  tcase_add_loop_test(test_case, test_keys, 0, ALL_TYPES);
  tcase_add_loop_test(test_case, test_columns, 0, ALL_TYPES);
  tcase_add_test(test_case, test_long_columns);
  tcase_add_test(test_case, test_travelling);
  tcase_add_test(test_case, test_records);
  tcase_add_test(test_case, test_refusals);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
