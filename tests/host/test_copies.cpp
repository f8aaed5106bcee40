/* SPDX-License-Identifier: MIT */
/*
 * The calls of copy.h, on the simulated device: they make what those in place make of a copy of the input, which other tests judge,
 * leave the input as it was, and write nothing else; and wrong arguments.
 */
#include "call_check.h"
#include "host_tables.h"
#include "records.h"
#include "run_suite.h"
#include "tile_sizes.h"

#include <cdpsort/copy.h>

#include <memory>

using namespace host_tables;
using records::Records;

namespace {

enum class Call { blocking, async, on_stream };
constexpr int CALLS = 3;

/* Both orders in turn. */
cdp_options options_of(uint64_t seed) {
  cdp_options options = simulated_options(seed);
  options.order = static_cast<cdp_order>(seed / 2 % 2);
  return options;
}

/* Values that follow from their keys, so that those of equal keys are equal, whatever their order. */
Bytes values_of(const Bytes &keys, size_t key_bytes, size_t value_bytes) {
  Bytes values(keys.size() / key_bytes * value_bytes);
  for (size_t index = 0; index < keys.size() / key_bytes; index++) {
    uint64_t state = 1;
    memcpy(&state, &keys[index * key_bytes], key_bytes);
    for (size_t byte = 0; byte < value_bytes; byte++)
      values[index * value_bytes + byte] = static_cast<unsigned char>(host_random(&state));
  }
  return values;
}

/* In stream order in a workspace of exactly the size that is asked for. */
template <typename Ask, typename Launch>
cdp_status launch_in_workspace(Ask ask, Launch launch) {
  size_t bytes = 0;
  ck_assert_int_eq(ask(&bytes), CDP_OK);
  const Guarded workspace{Bytes(bytes)};
  const cdp_status status = launch(workspace.bytes(), bytes);
  workspace.contents();
  return status;
}

#define MUST_SORT(call) ck_assert_msg((call) == CDP_OK, "%s", cdp_last_message())

/* ---- Keys -------------------------------------------------------------------------------------------------------------- */

void check_keys(Call call, cdp_type type, const Bytes &keys, const cdp_options &options) {
  const size_t count = keys.size() / host_key_bytes(type);
  const Guarded in_place(keys);
  const Guarded from(keys);
  const Guarded to(Bytes(keys.size(), 0xEE));
  MUST_SORT(cdp_quicksort(in_place.bytes(), count, type, &options));
  if (call == Call::blocking)
    MUST_SORT(cdp_quicksort_copy(from.bytes(), to.bytes(), count, type, &options));
  else if (call == Call::on_stream)
    MUST_SORT(cdp_quicksort_copy_on_stream(from.bytes(), to.bytes(), count, type, &options, nullptr));
  else
    MUST_SORT(launch_in_workspace([&](size_t *bytes) { return cdp_quicksort_copy_workspace(count, type, &options, bytes); },
                                  [&](void *workspace, size_t bytes) {
                                    return cdp_quicksort_copy_async(from.bytes(), to.bytes(), count, type, &options, workspace,
                                                                    bytes, nullptr);
                                  }));
  ck_assert_msg(to.contents() == in_place.contents(), "%zu keys of %s: the copy is wrong", count, host_type_name(type));
  ck_assert(from.contents() == keys);
}

/* _i: the type. */
START_TEST(copies_keys) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  const size_t tile = simulated_tile_items(8);
  uint64_t round = 0;
  for (const size_t count : {size_t{0}, size_t{1}, size_t{2}, size_t{33}, tile - 1, tile + 1, 5 * tile + 3}) {
    const host_distribution distribution =
        static_cast<host_distribution>((round + static_cast<uint64_t>(_i)) % HOST_DISTRIBUTIONS);
    check_keys(static_cast<Call>(round % CALLS), type, keys_of(type, count, distribution, round), options_of(round));
    round++;
  }
}
END_TEST

/* ---- Pairs and columns ------------------------------------------------------------------------------------------------- */

/* One column by the calls for pairs. */
void check_columns(Call call, cdp_type type, const Bytes &keys, const std::vector<size_t> &value_bytes, size_t shift,
                   const cdp_options &options) {
  const size_t key_bytes = host_key_bytes(type);
  const size_t count = keys.size() / key_bytes;
  const Guarded keys_in_place(keys);
  const Guarded from(keys);
  const Guarded to(Bytes(keys.size(), 0xEE));
  std::vector<Bytes> values;
  std::vector<std::unique_ptr<Guarded>> arrays;
  std::vector<cdp_column> in_place;
  std::vector<cdp_column_copy> columns;
  for (const size_t bytes : value_bytes) {
    // Where equal keys keep their order, each has a value of its own, so that it is seen.
    values.push_back(options.ties == CDP_TIES_ANY ? values_of(keys, key_bytes, bytes) : random_bytes(count * bytes, bytes));
    arrays.push_back(std::make_unique<Guarded>(values.back(), shift));
    arrays.push_back(std::make_unique<Guarded>(values.back(), shift));
    arrays.push_back(std::make_unique<Guarded>(Bytes(values.back().size(), 0xEE), shift / 2));
    in_place.push_back({arrays[arrays.size() - 3]->bytes(), bytes});
    columns.push_back({arrays[arrays.size() - 2]->bytes(), arrays.back()->bytes(), bytes});
  }
  const bool is_pairs = columns.size() == 1;
  MUST_SORT(cdp_quicksort_columns(keys_in_place.bytes(), in_place.data(), in_place.size(), count, type, &options));
  if (call == Call::blocking)
    MUST_SORT(
        is_pairs ? cdp_quicksort_pairs_copy(from.bytes(), to.bytes(), columns[0].values, columns[0].sorted_values,
                                            columns[0].value_bytes, count, type, &options)
                 : cdp_quicksort_columns_copy(from.bytes(), to.bytes(), columns.data(), columns.size(), count, type, &options));
  else if (call == Call::on_stream)
    MUST_SORT(is_pairs
                  ? cdp_quicksort_pairs_copy_on_stream(from.bytes(), to.bytes(), columns[0].values, columns[0].sorted_values,
                                                       columns[0].value_bytes, count, type, &options, nullptr)
                  : cdp_quicksort_columns_copy_on_stream(from.bytes(), to.bytes(), columns.data(), columns.size(), count, type,
                                                         &options, nullptr));
  else
    MUST_SORT(launch_in_workspace(
        [&](size_t *bytes) {
          return is_pairs ? cdp_quicksort_pairs_copy_workspace(columns[0].value_bytes, count, type, &options, bytes)
                          : cdp_quicksort_columns_copy_workspace(columns.data(), columns.size(), count, type, &options, bytes);
        },
        [&](void *workspace, size_t bytes) {
          return is_pairs
                     ? cdp_quicksort_pairs_copy_async(from.bytes(), to.bytes(), columns[0].values, columns[0].sorted_values,
                                                      columns[0].value_bytes, count, type, &options, workspace, bytes, nullptr)
                     : cdp_quicksort_columns_copy_async(from.bytes(), to.bytes(), columns.data(), columns.size(), count, type,
                                                        &options, workspace, bytes, nullptr);
        }));
  ck_assert_msg(to.contents() == keys_in_place.contents(), "%zu keys of %s, %zu columns: the keys", count, host_type_name(type),
                columns.size());
  ck_assert(from.contents() == keys);
  for (size_t column = 0; column < columns.size(); column++) {
    ck_assert_msg(arrays[3 * column + 2]->contents() == arrays[3 * column]->contents(),
                  "%zu keys of %s, values of %zu bytes, %zu past alignment: wrong", count, host_type_name(type),
                  value_bytes[column], shift);
    ck_assert(arrays[3 * column + 1]->contents() == values[column]);
  }
}

/* Values of all sizes, one column and several, ties of all kinds; and arrays that are regrouped. _i: type. */
START_TEST(copies_columns) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  const std::vector<std::vector<size_t>> shapes = {{1}, {2}, {3}, {4}, {8}, {24}, {5}, {}, {4, 8, 1}, {16, 4}, {8, 8}};
  const size_t tile = simulated_tile_items(8);
  uint64_t round = static_cast<uint64_t>(_i);
  for (const std::vector<size_t> &shape : shapes)
    for (const size_t count : {size_t{1}, size_t{700}, 2 * tile + 1, size_t{6007}}) {
      cdp_options options = options_of(round);
      options.ties = static_cast<cdp_ties>(round % 3);
      const host_distribution distribution = round % 2 == 0 ? HOST_UNIFORM : HOST_EXTREMES;
      check_columns(static_cast<Call>(round % CALLS), type, keys_of(type, count, distribution, round), shape, round % 5,
                    options);
      round++;
    }
}
END_TEST

/* ---- Records ----------------------------------------------------------------------------------------------------------- */

void check_records(Call call, const Records &given, const cdp_options &options, size_t shift) {
  const Guarded from(given.bytes, shift);
  const Guarded to(Bytes(given.bytes.size(), 0xEE), shift / 2);
  const cdp_field *fields = given.fields.data();
  const size_t field_count = given.fields.size();
  if (call == Call::blocking)
    MUST_SORT(cdp_sort_records_copy(from.bytes(), to.bytes(), given.count, given.record_bytes, fields, field_count, &options));
  else if (call == Call::on_stream)
    MUST_SORT(cdp_sort_records_copy_on_stream(from.bytes(), to.bytes(), given.count, given.record_bytes, fields, field_count,
                                              &options, nullptr));
  else
    MUST_SORT(launch_in_workspace(
        [&](size_t *bytes) {
          return cdp_sort_records_copy_workspace(given.count, given.record_bytes, fields, field_count, &options, bytes);
        },
        [&](void *workspace, size_t bytes) {
          return cdp_sort_records_copy_async(from.bytes(), to.bytes(), given.count, given.record_bytes, fields, field_count,
                                             &options, workspace, bytes, nullptr);
        }));
  ck_assert_msg(to.contents() == records::sorted_bytes(given, options.ties), "%s: wrong",
                describe(given, options.ties).c_str());
  ck_assert(from.contents() == given.bytes);
}

/* Any records, and such as are keys. _i: the round. */
START_TEST(copies_records) {
  uint64_t seed = static_cast<uint64_t>(_i) + 77;
  const size_t record_bytes = 1 + host_random_below(&seed, 24);
  const size_t count = 1 + host_random_below(&seed, 900);
  cdp_options options = options_of(seed);
  options.order = CDP_ASCENDING;
  options.ties = static_cast<cdp_ties>(_i % 3);
  const size_t shift = static_cast<size_t>(_i) % 5;
  check_records(static_cast<Call>(_i % CALLS),
                records::make_records(count, record_bytes, records::random_fields(record_bytes, seed), seed), options, shift);
  const std::vector<cdp_field> pair = {{4, CDP_F32, CDP_DESCENDING}, {0, CDP_I32, CDP_ASCENDING}};
  check_records(static_cast<Call>((_i + 1) % CALLS), records::make_records(count, 8, pair, seed), options, shift);
}
END_TEST

/* ---- Calls ------------------------------------------------------------------------------------------------------------- */

/* What is gathered goes where it belongs: no more is needed than in place, and for large values less. */
START_TEST(needs_no_larger_workspace) {
  const cdp_options options = options_of(0);
  const cdp_field field = {0, CDP_U64, CDP_ASCENDING};
  const size_t count = 100000;
  size_t apart = 0;
  size_t in_place = 0;
  for (const cdp_type type : {CDP_U32, CDP_F64}) {
    for (const size_t value_bytes : {1, 4, 8, 40}) {
      ck_assert_int_eq(cdp_quicksort_pairs_copy_workspace(value_bytes, count, type, &options, &apart), CDP_OK);
      ck_assert_int_eq(cdp_quicksort_pairs_workspace(value_bytes, count, type, &options, &in_place), CDP_OK);
      ck_assert_uint_le(apart, in_place);
    }
    ck_assert_uint_lt(apart + 8 * count, in_place);
    ck_assert_int_eq(cdp_quicksort_copy_workspace(count, type, &options, &apart), CDP_OK);
    ck_assert_int_eq(cdp_quicksort_workspace(count, type, &options, &in_place), CDP_OK);
    ck_assert_uint_eq(apart, in_place);
  }
  ck_assert_int_eq(cdp_sort_records_copy_workspace(count, 16, &field, 1, &options, &apart), CDP_OK);
  ck_assert_int_eq(cdp_sort_records_copy_workspace(count, 400, &field, 1, &options, &in_place), CDP_OK);
  ck_assert_uint_eq(apart, in_place);
  ck_assert_int_eq(cdp_quicksort_copy_workspace(0, CDP_U32, &options, &apart), CDP_OK);
  ck_assert_uint_eq(apart, 0);
}
END_TEST

START_TEST(refuses_wrong_arguments) {
  const cdp_options options = options_of(0);
  const cdp_field field = {0, CDP_U32, CDP_ASCENDING};
  uint32_t memory[64];
  for (uint32_t index = 0; index < 64; index++)
    memory[index] = 64 - index;
  const Bytes before(reinterpret_cast<unsigned char *>(memory), reinterpret_cast<unsigned char *>(memory + 64));
  uint32_t *const low = memory;
  uint32_t *const middle = memory + 16;
  uint32_t *const high = memory + 32;
  unsigned char *const odd = reinterpret_cast<unsigned char *>(middle) + 1;
  const auto keys = [&](const void *from, void *to) { return cdp_quicksort_copy(from, to, 16, CDP_U32, &options); };
  must_fail(CDP_ERROR_NULL, keys(nullptr, middle), "keys is NULL");
  must_fail(CDP_ERROR_NULL, keys(low, nullptr), "sorted_keys is NULL");
  must_fail(CDP_ERROR_ALIGNMENT, keys(low, odd), "sorted_keys");
  must_fail(CDP_ERROR_POINTER, keys(low, low), "keys and sorted_keys overlap");
  must_fail(CDP_ERROR_POINTER, keys(low, low + 15), "overlap");
  const auto pairs = [&](const void *from, void *to, const void *values, void *sorted_values) {
    return cdp_quicksort_pairs_copy(from, to, values, sorted_values, 4, 16, CDP_U32, &options);
  };
  must_fail(CDP_ERROR_NULL, pairs(low, nullptr, middle, high), "sorted_keys is NULL");
  must_fail(CDP_ERROR_NULL, pairs(low, middle, nullptr, high), "values is NULL");
  must_fail(CDP_ERROR_NULL, pairs(low, middle, low, nullptr), "sorted_values is NULL");
  must_fail(CDP_ERROR_POINTER, pairs(low, low, middle, high), "keys and sorted_keys overlap");
  must_fail(CDP_ERROR_POINTER, pairs(low, middle, high, high), "values and sorted_values overlap");
  must_fail(CDP_ERROR_POINTER, pairs(low, middle, low, middle), "sorted_keys and sorted_values overlap");
  must_fail(CDP_ERROR_SIZE, cdp_quicksort_pairs_copy(low, middle, low, high, 0, 16, CDP_U32, &options), "value_bytes is 0");
  must_fail(CDP_ERROR_NULL, cdp_quicksort_columns_copy(low, middle, nullptr, 2, 16, CDP_U32, &options), "columns is NULL");
  const auto all = [&](const void *from, void *to) { return cdp_sort_records_copy(from, to, 16, 4, &field, 1, &options); };
  must_fail(CDP_ERROR_NULL, all(nullptr, middle), "records is NULL");
  must_fail(CDP_ERROR_NULL, all(low, nullptr), "sorted_records is NULL");
  must_fail(CDP_ERROR_POINTER, all(low, low + 1), "records and sorted_records overlap");
  ck_assert_mem_eq(memory, before.data(), sizeof memory);
  // Input that is read twice is nobody's harm.
  ck_assert_int_eq(pairs(low, middle, low, high), CDP_OK);
  ck_assert(middle[0] == 49 && middle[15] == 64 && high[0] == 49 && high[15] == 64 && low[0] == 64);
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("copies");
  TCase *tests = tcase_create("copies");
  tcase_set_timeout(tests, TEST_SECONDS);
  add_options_loop_test(tests, copies_keys, 0, CDP_BF16);
  add_options_loop_test(tests, copies_columns, 0, CDP_BF16);
  add_options_loop_test(tests, copies_records, 0, 40);
  tcase_add_test(tests, needs_no_larger_workspace);
  tcase_add_test(tests, refuses_wrong_arguments);
  suite_add_tcase(suite, tests);
  return suite;
}

} // namespace

int main() {
  return run_suite(make_suite());
}
