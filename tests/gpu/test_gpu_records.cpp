/* SPDX-License-Identifier: MIT */
/*
 * records.h on the GPU: records and columns in every kind of memory, by every call, captured, several at a time, and with as many
 * rows as make sorts go other ways; and what is refused.
 */
#include "gpu_tables.h"
#include "records.h"

#include <array>

using namespace gpu_check;
using namespace gpu_tables;
using records::Records;

namespace {

constexpr cdp_order ASCENDING = CDP_ASCENDING;
constexpr cdp_order DESCENDING = CDP_DESCENDING;

/* All ways in turn; captured ones are in stream order. */
Way way_at(uint64_t round) {
  const Call call = static_cast<Call>(round % CALLS);
  const bool in_stream_order = call != Call::blocking;
  const Place place =
      in_stream_order ? (round % 2 == 0 ? Place::device : Place::managed) : static_cast<Place>(round / 3 % PLACES);
  return {call, place, place, round % 4 == 3 ? 1 + round % 7 : 0, in_stream_order && round % 5 < 2};
}

/* ---- One sort ---------------------------------------------------------------------------------------------------- */

/* In a workspace of exactly the size that is asked for. */
template <typename Ask, typename Launch>
cdp_status sort_in_workspace(const Way &way, const char *label, Ask ask, Launch launch) {
  size_t bytes = 0;
  CHECK_SORT(ask(&bytes));
  const Array workspace = make_array(Place::device, Bytes(bytes));
  const cdp_status status = perform(way, [&] { return launch(workspace.memory(), bytes); });
  CHECK_CUDA(cudaStreamSynchronize(stream()));
  read_array(workspace, label);
  return status;
}

cdp_status sort_records(const Records &given, const cdp_options &options, const Way &way, void *memory, const char *label) {
  const cdp_field *fields = given.fields.data();
  const size_t field_count = given.fields.size();
  if (way.call == Call::blocking)
    return cdp_sort_records(memory, given.count, given.record_bytes, fields, field_count, &options);
  if (way.call == Call::on_stream)
    return perform(way, [&] {
      return cdp_sort_records_on_stream(memory, given.count, given.record_bytes, fields, field_count, &options, stream());
    });
  return sort_in_workspace(
      way, label,
      [&](size_t *bytes) {
        return cdp_sort_records_workspace(given.count, given.record_bytes, fields, field_count, &options, bytes);
      },
      [&](void *workspace, size_t bytes) {
        return cdp_sort_records_async(memory, given.count, given.record_bytes, fields, field_count, &options, workspace, bytes,
                                      stream());
      });
}

void check_records(const Records &given, cdp_ties ties, const Way &way) {
  const std::string label = describe(given, ties) + ", way " + std::to_string(static_cast<int>(way.call)) + ", place " +
                            std::to_string(static_cast<int>(way.keys_place)) + (way.is_captured ? ", captured" : "");
  const cdp_options options = options_of(CDP_ASCENDING, ties);
  note("%s", label.c_str());
  const Array array = make_array(way.keys_place, given.bytes, way.shift);
  CHECK_SORT(sort_records(given, options, way, array.memory(), label.c_str()));
  CHECK_CUDA(cudaStreamSynchronize(stream()));
  ck_assert_msg(read_array(array, label.c_str()) == records::sorted_bytes(given, ties), "%s: wrong", label.c_str());
  free_arrays();
}

cdp_status argsort_columns(const std::vector<cdp_key_column> &columns, size_t count, size_t index_bytes,
                           const cdp_options &options, const Way &way, void *indices, const char *label) {
  if (way.call == Call::blocking)
    return cdp_argsort_columns(columns.data(), columns.size(), indices, index_bytes, count, &options);
  if (way.call == Call::on_stream)
    return perform(way, [&] {
      return cdp_argsort_columns_on_stream(columns.data(), columns.size(), indices, index_bytes, count, &options, stream());
    });
  return sort_in_workspace(
      way, label,
      [&](size_t *bytes) { return cdp_argsort_columns_workspace(columns.data(), columns.size(), count, &options, bytes); },
      [&](void *workspace, size_t bytes) {
        return cdp_argsort_columns_async(columns.data(), columns.size(), indices, index_bytes, count, &options, workspace,
                                         bytes, stream());
      });
}

/* The fields as columns, of which every other one lies in other memory where a blocking call may have it. */
void check_columns(const Records &given, cdp_ties ties, const Way &way, size_t index_bytes) {
  const std::string label = "columns of " + describe(given, ties);
  const cdp_options options = options_of(CDP_ASCENDING, ties);
  note("%s", label.c_str());
  std::vector<Array> arrays;
  std::vector<cdp_key_column> columns;
  for (size_t field = 0; field < given.fields.size(); field++) {
    const Place other = way.call == Call::blocking ? Place::pinned : way.keys_place;
    arrays.push_back(make_array(field % 2 == 0 ? way.keys_place : other, records::column_of(given, field)));
    columns.push_back({arrays.back().memory(), given.fields[field].type, given.fields[field].order});
  }
  const Array indices = make_array(way.values_place, Bytes(given.count * index_bytes, 0xFF));
  CHECK_SORT(argsort_columns(columns, given.count, index_bytes, options, way, indices.memory(), label.c_str()));
  CHECK_CUDA(cudaStreamSynchronize(stream()));
  const std::vector<uint64_t> order = records::order_of(given, ties);
  const Bytes found = read_array(indices, label.c_str());
  for (size_t index = 0; index < given.count; index++) {
    uint64_t row = 0;
    memcpy(&row, &found[index * index_bytes], index_bytes);
    ck_assert_msg(row == order[index], "%s: index %zu is %llu and not %llu", label.c_str(), index,
                  static_cast<unsigned long long>(row), static_cast<unsigned long long>(order[index]));
  }
  for (size_t field = 0; field < given.fields.size(); field++)
    ck_assert(read_array(arrays[field], label.c_str()) == records::column_of(given, field));
  free_arrays();
}

void check_both(const Records &given, uint64_t round) {
  const cdp_ties ties = ALL_TIES[round % 3];
  check_records(given, ties, way_at(round));
  check_columns(given, ties, way_at(round + 1), round % 2 == 0 ? 4 : 8);
}

/* ---- Tests ------------------------------------------------------------------------------------------------------- */

/* _i: the type of all fields. */
START_TEST(test_types) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  for (uint64_t fields = 1; fields <= 3; fields++) {
    const std::vector<cdp_field> by = records::packed_fields(std::vector<cdp_type>(fields, type));
    const size_t bytes = fields * host_key_bytes(type) + fields % 2;
    check_both(records::make_records(pick(20011, 701), bytes, by, seed() + fields), static_cast<uint64_t>(_i) + fields);
  }
}
END_TEST

/* Any fields of any records, in any memory. */
START_TEST(test_any_records) {
  for (uint64_t round = 0; round < pick(60, 8); round++) {
    uint64_t state = seed() * 1000 + round;
    const size_t record_bytes = 1 + host_random_below(&state, 64);
    const size_t count = host_random_below(&state, 5000);
    const std::vector<cdp_field> fields = records::random_fields(record_bytes, state);
    check_both(records::make_records(count, record_bytes, fields, state), round);
  }
}
END_TEST

/* Two fields that are one key and all of the record, or not; three that are two keys; and a wide one of large records. _i: which. */
struct Shape {
  size_t record_bytes;
  std::vector<cdp_field> fields;
};
constexpr int SHAPES = 6;
Shape shape_at(int index) {
  switch (index) {
  case 0:
    return {8, {{0, CDP_I32, ASCENDING}, {4, CDP_F32, DESCENDING}}};
  case 1:
    return {32, {{8, CDP_U64, ASCENDING}}};
  case 2:
    return {24, {{16, CDP_I16, DESCENDING}, {0, CDP_F64, ASCENDING}, {8, CDP_U32, ASCENDING}}};
  case 3:
    return {3, {{2, CDP_U8, DESCENDING}, {0, CDP_F16, ASCENDING}}};
  case 4:
    return {12, {{4, CDP_I32, ASCENDING}, {8, CDP_F32, DESCENDING}}};
  default:
    return {5, {{1, CDP_U32, DESCENDING}}}; // at no multiple of its size
  }
}

/* Around what one block sorts, what is a short array, and where arrays are regrouped. */
START_TEST(test_counts) {
  const Shape shape = shape_at(_i);
  const uint64_t tile = one_block_items(CDP_U64);
  uint64_t round = 0;
  const uint64_t longest = pick(_i < 2 ? (1 << 22) + 1 : 1 << 19, 30011); // the host's sort of a million records takes a second
  for (const uint64_t count :
       {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{33}, tile - 1, tile, tile + 1, uint64_t{100003}, longest})
    check_both(records::make_records(count, shape.record_bytes, shape.fields, seed() + count), round++);
}
END_TEST

/* Launched one behind the other on two streams, and waited for at the end. */
START_TEST(test_several_at_once) {
  constexpr int SORTS = 6;
  const cdp_options options = options_of(CDP_ASCENDING, CDP_TIES_ANY);
  std::array<Records, SORTS> given;
  std::array<Array, SORTS> arrays;
  cudaStream_t other = nullptr;
  CHECK_CUDA(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  note("several at once");
  for (int sort = 0; sort < SORTS; sort++) {
    const Shape shape = shape_at(sort % SHAPES);
    const size_t count = pick(60011, 5003) + static_cast<size_t>(sort);
    given[sort] = records::make_records(count, shape.record_bytes, shape.fields, seed() + static_cast<uint64_t>(sort));
    arrays[sort] = make_array(Place::device, given[sort].bytes);
  }
  for (int sort = 0; sort < SORTS; sort++)
    CHECK_SORT(cdp_sort_records_on_stream(arrays[sort].memory(), given[sort].count, given[sort].record_bytes,
                                          given[sort].fields.data(), given[sort].fields.size(), &options,
                                          sort % 2 == 0 ? stream() : other));
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int sort = 0; sort < SORTS; sort++)
    ck_assert(read_array(arrays[sort], "several at once") == records::sorted_bytes(given[sort], CDP_TIES_ANY));
  CHECK_CUDA(cudaStreamDestroy(other));
}
END_TEST

/* Each time the arrays and everything around them stay as they were. */
START_TEST(test_refusals) {
  constexpr size_t COUNT = 5003;
  const char *const LABEL = "after calls that were refused";
  const cdp_options options = options_of(CDP_ASCENDING, CDP_TIES_ANY);
  const Shape shape = shape_at(0);
  const Records given = records::make_records(COUNT, shape.record_bytes, shape.fields, seed());
  const Array there = make_array(Place::device, given.bytes);
  const Array here = make_array(Place::pageable, given.bytes);
  const cdp_field *fields = shape.fields.data();
  size_t bytes = 0;
  CHECK_SORT(cdp_sort_records_workspace(COUNT, 8, fields, 2, &options, &bytes));
  const Array workspace = make_array(Place::device, Bytes(bytes));
  const Array host_workspace = make_array(Place::pageable, Bytes(bytes));
  const auto sort = [&](void *memory, void *d_workspace, size_t workspace_bytes) {
    return cdp_sort_records_async(memory, COUNT, 8, fields, 2, &options, d_workspace, workspace_bytes, stream());
  };
  unsigned char *room = workspace.memory();
  CHECK_FAILS(CDP_ERROR_POINTER, sort(here.memory(), room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, sort(there.memory(), host_workspace.memory(), bytes));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, sort(there.memory(), room, bytes - 1));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, sort(room + 256, room, bytes));
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, sort(there.memory(), room + 128, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, cdp_sort_records_on_stream(here.memory(), COUNT, 8, fields, 2, &options, stream()));
  CHECK_FAILS(CDP_ERROR_NULL, cdp_sort_records_on_stream(nullptr, COUNT, 8, fields, 2, &options, stream()));

  const auto argsort = [&](const void *first, const void *second, void *indices) {
    const cdp_key_column columns[] = {{first, CDP_U32, CDP_ASCENDING}, {second, CDP_F32, CDP_DESCENDING}};
    return cdp_argsort_columns_on_stream(columns, 2, indices, 4, COUNT, &options, stream());
  };
  unsigned char *second = there.memory() + 4 * COUNT;
  CHECK_FAILS(CDP_ERROR_POINTER, argsort(there.memory(), here.memory(), room));
  CHECK_FAILS(CDP_ERROR_POINTER, argsort(there.memory(), second, here.memory()));
  CHECK_FAILS(CDP_ERROR_POINTER, argsort(there.memory(), second, second - 4));
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, argsort(there.memory(), second + 2, room));

  CHECK_CUDA(cudaDeviceSynchronize());
  ck_assert(read_array(there, LABEL) == given.bytes && read_array(here, LABEL) == given.bytes);
  ck_assert(read_array(workspace, LABEL) == Bytes(bytes) && read_array(host_workspace, LABEL) == Bytes(bytes));
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_records");
  TCase *test_case = add_case(suite, "records and columns");
  tcase_add_checked_fixture(test_case, make_stream, destroy_stream);
  tcase_add_loop_test(test_case, test_types, 0, ALL_TYPES);
  tcase_add_test(test_case, test_any_records);
  tcase_add_loop_test(test_case, test_counts, 0, SHAPES);
  tcase_add_test(test_case, test_several_at_once);
  tcase_add_test(test_case, test_refusals);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
