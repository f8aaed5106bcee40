/* SPDX-License-Identifier: MIT */
/*
 * Sorting by several fields (records.h), on the simulated device: records of all sizes in any place, columns, one key and many,
 * and what may be equal.
 */
#include "records.h"
#include "run_suite.h"
#include "tile_sizes.h"

using namespace records;

namespace {

constexpr cdp_ties TIES[] = {CDP_TIES_ANY, CDP_TIES_STABLE, CDP_TIES_BY_VALUE};

cdp_options simulated_options(uint64_t seed, cdp_ties ties) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.device = CDP_DEVICE_SIMULATED;
  options.seed = seed;
  options.ties = ties;
  return options;
}

/* ---- One sort ---------------------------------------------------------------------------------------------------------- */

enum class Call { blocking, async, on_stream };
constexpr int CALLS = 3;

/* A workspace of exactly the size that is asked for. */
struct Workspace {
  host_guarded memory = {};

  explicit Workspace(size_t bytes) {
    ck_assert(host_guarded_make(&memory, bytes, 0));
  }
  ~Workspace() {
    host_guarded_free(&memory);
  }
  Workspace(const Workspace &) = delete;
  Workspace &operator=(const Workspace &) = delete;
};

cdp_status sort_by(Call call, const Records &given, unsigned char *memory, const cdp_options &options) {
  const cdp_field *fields = given.fields.data();
  const size_t field_count = given.fields.size();
  size_t bytes = 0;
  if (call == Call::blocking)
    return cdp_sort_records(memory, given.count, given.record_bytes, fields, field_count, &options);
  if (call == Call::on_stream)
    return cdp_sort_records_on_stream(memory, given.count, given.record_bytes, fields, field_count, &options, nullptr);
  ck_assert_int_eq(cdp_sort_records_workspace(given.count, given.record_bytes, fields, field_count, &options, &bytes), CDP_OK);
  const Workspace workspace(bytes);
  const cdp_status status = cdp_sort_records_async(memory, given.count, given.record_bytes, fields, field_count, &options,
                                                   workspace.memory.bytes, bytes, nullptr);
  ck_assert_msg(host_guarded_whole(&workspace.memory), "something was written beside the workspace");
  return status;
}

/* Records that begin `shift` bytes past alignment. */
void check_records(Call call, const Records &given, const cdp_options &options, size_t shift) {
  const std::string label = describe(given, options.ties);
  host_guarded guarded = {};
  ck_assert(host_guarded_make(&guarded, given.bytes.size(), shift));
  std::copy(given.bytes.begin(), given.bytes.end(), guarded.bytes);
  const cdp_status status = sort_by(call, given, guarded.bytes, options);
  ck_assert_msg(status == CDP_OK, "%s: %s", label.c_str(), cdp_last_message());
  ck_assert_msg(host_guarded_whole(&guarded), "%s: something was written beside the records", label.c_str());
  const Bytes found(guarded.bytes, guarded.bytes + guarded.size);
  host_guarded_free(&guarded);
  ck_assert_msg(found == sorted_bytes(given, options.ties), "%s, %zu past alignment: wrong", label.c_str(), shift);
}

cdp_status argsort_by(Call call, const std::vector<cdp_key_column> &columns, unsigned char *indices, size_t index_bytes,
                      size_t count, const cdp_options &options) {
  size_t bytes = 0;
  if (call == Call::blocking)
    return cdp_argsort_columns(columns.data(), columns.size(), indices, index_bytes, count, &options);
  if (call == Call::on_stream)
    return cdp_argsort_columns_on_stream(columns.data(), columns.size(), indices, index_bytes, count, &options, nullptr);
  ck_assert_int_eq(cdp_argsort_columns_workspace(columns.data(), columns.size(), count, &options, &bytes), CDP_OK);
  const Workspace workspace(bytes);
  const cdp_status status = cdp_argsort_columns_async(columns.data(), columns.size(), indices, index_bytes, count, &options,
                                                      workspace.memory.bytes, bytes, nullptr);
  ck_assert_msg(host_guarded_whole(&workspace.memory), "something was written beside the workspace");
  return status;
}

/* The fields as columns. */
void check_columns(Call call, const Records &given, const cdp_options &options, size_t index_bytes) {
  const std::string label = describe(given, options.ties);
  std::vector<Bytes> keys;
  std::vector<cdp_key_column> columns;
  for (size_t field = 0; field < given.fields.size(); field++)
    keys.push_back(column_of(given, field));
  for (size_t field = 0; field < given.fields.size(); field++)
    columns.push_back({keys[field].data(), given.fields[field].type, given.fields[field].order});
  const std::vector<Bytes> before = keys;
  host_guarded indices = {};
  ck_assert(host_guarded_make(&indices, given.count * index_bytes, 0));
  const cdp_status status = argsort_by(call, columns, indices.bytes, index_bytes, given.count, options);
  ck_assert_msg(status == CDP_OK, "%s: %s", label.c_str(), cdp_last_message());
  ck_assert_msg(host_guarded_whole(&indices), "%s: something was written beside the indices", label.c_str());
  const std::vector<uint64_t> order = order_of(given, options.ties);
  for (size_t index = 0; index < given.count; index++) {
    uint64_t found = 0;
    memcpy(&found, indices.bytes + index * index_bytes, index_bytes);
    ck_assert_msg(found == order[index], "%s: index %zu is %zu and not %zu", label.c_str(), index, static_cast<size_t>(found),
                  static_cast<size_t>(order[index]));
  }
  ck_assert(keys == before);
  host_guarded_free(&indices);
}

void check_both(const Records &given, uint64_t round) {
  const cdp_options options = simulated_options(round + 1, TIES[round % 3]);
  check_records(static_cast<Call>(round % CALLS), given, options, round % 5);
  check_columns(static_cast<Call>((round + 1) % CALLS), given, options, round % 2 == 0 ? 4 : 8);
}

/* ---- Tests ------------------------------------------------------------------------------------------------------------- */

/* Fields of a type, alone and behind one another, and in both directions. _i: the type. */
START_TEST(sorts_by_every_type) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  for (size_t fields = 1; fields <= 3; fields++) {
    std::vector<cdp_field> by = packed_fields(std::vector<cdp_type>(fields, type));
    for (const cdp_ties ties : TIES) {
      const size_t record_bytes = fields * host_key_bytes(type) + 3;
      const Records given = make_records(301, record_bytes, by, static_cast<uint64_t>(_i) * 7 + fields);
      check_records(Call::blocking, given, simulated_options(fields, ties), 0);
      check_columns(Call::async, given, simulated_options(fields, ties), 8);
      for (cdp_field &field : by)
        field.order = field.order == CDP_ASCENDING ? CDP_DESCENDING : CDP_ASCENDING;
    }
  }
}
END_TEST

/* So many records that their indices are carried with keys of 4 bytes (device/tuning_carry.h), which indices of 8 are not. _i: how
   many fields: one group of them, or two. */
START_TEST(sorts_many_records) {
  const std::vector<cdp_field> by =
      packed_fields(_i == 0 ? std::vector<cdp_type>{CDP_F32} : std::vector<cdp_type>{CDP_I32, CDP_U64, CDP_F32});
  const Records given = make_records(6007, 19 + static_cast<size_t>(_i) * 9, by, static_cast<uint64_t>(_i));
  check_records(Call::blocking, given, simulated_options(1, CDP_TIES_STABLE), 0);
  for (const size_t index_bytes : {size_t{4}, size_t{8}})
    check_columns(Call::async, given, simulated_options(index_bytes, CDP_TIES_STABLE), index_bytes);
}
END_TEST

/* Fields that fill a key to the last bit, go beyond it by one, and need as many keys as there may be. */
constexpr int SHAPES = 10;
std::vector<cdp_type> shape_at(int index) {
  switch (index) {
  case 0:
    return std::vector<cdp_type>(8, CDP_U8);
  case 1:
    return std::vector<cdp_type>(9, CDP_I8);
  case 2:
    return std::vector<cdp_type>(4, CDP_F16);
  case 3:
    return {CDP_U16, CDP_I16};
  case 4:
    return {CDP_BF16, CDP_U8, CDP_I8, CDP_U8};
  case 5:
    return {CDP_I32, CDP_F32};
  case 6:
    return {CDP_F32, CDP_U64, CDP_I32};
  case 7:
    return std::vector<cdp_type>(CDP_FIELDS_MAX, CDP_U64);
  case 8:
    return std::vector<cdp_type>(CDP_FIELDS_MAX, CDP_U8);
  default:
    return {CDP_F64, CDP_U8, CDP_F64, CDP_U8, CDP_F64, CDP_U32};
  }
}
START_TEST(sorts_by_fields_that_fill_keys) {
  const std::vector<cdp_field> fields = packed_fields(shape_at(_i));
  const size_t record_bytes = fields.back().offset + host_key_bytes(fields.back().type);
  for (uint64_t round = 0; round < 3; round++)
    check_both(make_records(517, record_bytes + round * 4, fields, round + 100), round);
}
END_TEST

/* Any fields of any records. _i: the round. */
START_TEST(sorts_any_records) {
  uint64_t seed = static_cast<uint64_t>(_i) + 1000;
  const size_t record_bytes = 1 + host_random_below(&seed, 48);
  const size_t count = host_random_below(&seed, 700);
  check_both(make_records(count, record_bytes, random_fields(record_bytes, seed), seed), static_cast<uint64_t>(_i));
}
END_TEST

/* As many as make sorts go other ways. */
std::vector<size_t> counts() {
  const size_t tile = simulated_tile_items(8);
  const size_t range = simulated_range_items(8);
  return {0, 1, 2, 3, 31, 32, 33, tile - 1, tile, tile + 1, 2 * tile + 1, range, range + 1, 3 * range};
}
START_TEST(sorts_records_of_every_path) {
  const size_t count = counts()[static_cast<size_t>(_i)];
  const std::vector<cdp_field> fields = {
      {4, CDP_I32, CDP_ASCENDING}, {8, CDP_F32, CDP_DESCENDING}, {0, CDP_U32, CDP_ASCENDING}};
  check_both(make_records(count, 16, fields, count), static_cast<uint64_t>(_i));
}
END_TEST

/* Nothing but fields, in any order of theirs, is sorted as keys; with a byte more, or one that is in two fields or in none, it is
   not. _i: which. */
struct Layout {
  size_t record_bytes;
  std::vector<cdp_field> fields;
};
const std::vector<Layout> &layouts() {
  static const std::vector<Layout> all = {
      {8, {{0, CDP_I32, CDP_ASCENDING}, {4, CDP_F32, CDP_DESCENDING}}},
      {8, {{4, CDP_F32, CDP_ASCENDING}, {0, CDP_U32, CDP_DESCENDING}}},
      {8, {{0, CDP_F64, CDP_DESCENDING}}},
      {4, {{2, CDP_I16, CDP_DESCENDING}, {0, CDP_BF16, CDP_ASCENDING}}},
      {3, {{2, CDP_U8, CDP_DESCENDING}, {0, CDP_F16, CDP_ASCENDING}}},
      {1, {{0, CDP_I8, CDP_DESCENDING}}},
      {7, {{1, CDP_U8, CDP_ASCENDING}, {2, CDP_I32, CDP_DESCENDING}, {0, CDP_U8, CDP_DESCENDING}, {6, CDP_I8, CDP_ASCENDING}}},
      {8, {{0, CDP_U32, CDP_ASCENDING}, {2, CDP_U32, CDP_ASCENDING}}},
      {8, {{0, CDP_U32, CDP_ASCENDING}, {4, CDP_U16, CDP_ASCENDING}}},
      {5, {{1, CDP_U32, CDP_DESCENDING}}}};
  return all;
}
START_TEST(sorts_records_that_are_keys) {
  const Layout &layout = layouts()[static_cast<size_t>(_i)];
  uint64_t round = 0;
  for (const size_t count : {size_t{2}, size_t{255}, size_t{simulated_tile_items(4)} + 1, size_t{9001}})
    for (const cdp_ties ties : TIES) {
      const Records given = make_records(count, layout.record_bytes, layout.fields, count + round);
      check_records(static_cast<Call>(round % CALLS), given, simulated_options(round, ties), round % 4);
      round++;
    }
}
END_TEST

/* Keys of 8 bytes that agree in all but few of their lower bits, and arrays that are regrouped, with an order so far. */
START_TEST(sorts_records_that_agree) {
  const std::vector<cdp_field> fields = {{0, CDP_U64, CDP_ASCENDING}, {8, CDP_U64, CDP_DESCENDING}};
  Records given = make_records(5003, 20, fields, 5);
  uint64_t seed = 3;
  for (size_t record = 0; record < given.count; record++) {
    const uint64_t far = record == 17 ? UINT64_MAX : host_random_below(&seed, 3);
    const uint64_t close = uint64_t{1} << 60 | host_random_below(&seed, 40);
    memcpy(&given.bytes[record * 20], &far, sizeof far);
    memcpy(&given.bytes[record * 20 + 8], &close, sizeof close);
  }
  check_both(given, 0);
  check_both(given, 1);
}
END_TEST

/* By NumPy's rules, zeros of both signs are equal, and NaNs are: the second field decides. */
START_TEST(joins_what_is_equal_by_value) {
  const float zeros[] = {0.0F, -0.0F, NAN, -0.0F, -NAN, 0.0F};
  const int32_t seconds[] = {6, 5, 4, 3, 2, 1};
  const uint32_t by_value[] = {5, 3, 1, 0, 4, 2};
  const uint32_t by_bits[] = {3, 1, 5, 0, 2, 4};
  const cdp_key_column columns[] = {{zeros, CDP_F32, CDP_ASCENDING}, {seconds, CDP_I32, CDP_ASCENDING}};
  uint32_t order[6];
  cdp_options options = simulated_options(1, CDP_TIES_BY_VALUE);
  ck_assert_int_eq(cdp_argsort_columns(columns, 2, order, sizeof *order, 6, &options), CDP_OK);
  ck_assert_mem_eq(order, by_value, sizeof order);
  options.ties = CDP_TIES_ANY;
  ck_assert_int_eq(cdp_argsort_columns(columns, 2, order, sizeof *order, 6, &options), CDP_OK);
  ck_assert_mem_eq(order, by_bits, sizeof order);
}
END_TEST

/* The manual's example. */
START_TEST(sorts_as_the_manual_says) {
  struct order {
    int32_t customer;
    float price;
    char text[24];
  } orders[] = {{2, 5.0F, "c"}, {1, 5.0F, "b"}, {2, 9.0F, "d"}, {1, 7.5F, "a"}};
  const cdp_field fields[] = {{offsetof(struct order, customer), CDP_I32, CDP_ASCENDING},
                              {offsetof(struct order, price), CDP_F32, CDP_DESCENDING}};
  const cdp_options options = simulated_options(1, CDP_TIES_ANY);
  ck_assert_int_eq(cdp_sort_records(orders, 4, sizeof *orders, fields, 2, &options), CDP_OK);
  ck_assert_str_eq(orders[0].text, "a");
  ck_assert_str_eq(orders[1].text, "b");
  ck_assert_str_eq(orders[2].text, "d");
  ck_assert_str_eq(orders[3].text, "c");
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("records");
  TCase *tests = tcase_create("records and columns");
  tcase_set_timeout(tests, TEST_SECONDS);
  tcase_add_loop_test(tests, sorts_many_records, 0, 2);
  tcase_add_loop_test(tests, sorts_by_every_type, 0, CDP_BF16);
  tcase_add_loop_test(tests, sorts_by_fields_that_fill_keys, 0, SHAPES);
  add_options_loop_test(tests, sorts_any_records, 0, 60);
  tcase_add_loop_test(tests, sorts_records_of_every_path, 0, static_cast<int>(counts().size()));
  tcase_add_loop_test(tests, sorts_records_that_are_keys, 0, static_cast<int>(layouts().size()));
  tcase_add_test(tests, sorts_records_that_agree);
  tcase_add_test(tests, joins_what_is_equal_by_value);
  tcase_add_test(tests, sorts_as_the_manual_says);
  suite_add_tcase(suite, tests);
  return suite;
}

} // namespace

int main() {
  return run_suite(make_suite());
}
