/* SPDX-License-Identifier: MIT */
/*
 * buckets.h on the GPU, against buckets that the host finds by the keys' ranks: numbers of splitters and of keys around all that is a
 * limit, all types, orders and ties, values of every size and at every address, arrays in every kind of memory, splitters in no order.
 * test_gpu_buckets_order.cpp has many keys, several streams and graphs that are replayed over other keys, and
 * test_gpu_buckets_refused.cpp what is refused.
 */
#include "gpu_tables.h"
#include "tile_sizes.h"

#include <cdpsort/buckets.h>

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <numeric>

using namespace gpu_check;
using namespace gpu_tables;

namespace {

constexpr size_t SPLITTER_COUNTS[] = {1, 2, 3, 16, 17, 255, 256, 1023};
constexpr int SPLITTER_COUNT_COUNT = 8;
constexpr size_t VALUE_SIZES[] = {1, 2, 3, 4, 8, 12, 16, 40};
constexpr int VALUE_SIZE_COUNT = 8;

struct Division {
  Table table;
  Bytes splitters;
  cdp_options options;
  Way way;

  size_t splitter_count() const {
    return splitters.size() / host_key_bytes(table.type);
  }
};

/* ---- The host's own buckets -------------------------------------------------------------------------------------- */

/* Numbers that rise in the order of the options, equal for keys that are. */
std::vector<uint64_t> places_of(cdp_type type, const Bytes &keys, const cdp_options &options) {
  std::vector<uint64_t> places = ranks_of(type, keys, options.ties);
  if (options.order == CDP_DESCENDING)
    for (uint64_t &place : places)
      place = ~place;
  return places;
}

/* Items of an array in such an order. */
Bytes in_order(const Bytes &items, size_t item_bytes, const std::vector<uint64_t> &order) {
  Bytes ordered(items.size());
  for (size_t index = 0; index < order.size(); index++)
    memcpy(&ordered[index * item_bytes], &items[order[index] * item_bytes], item_bytes);
  return ordered;
}

/* Evenly spaced keys of the array in its order, of a sample of it where it is long. */
Bytes quantiles(cdp_type type, const Bytes &keys, size_t count, const cdp_options &options) {
  const size_t key_bytes = host_key_bytes(type);
  const Bytes sample(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(std::min(keys.size(), 20000 * key_bytes)));
  const std::vector<uint64_t> places = places_of(type, sample, options);
  std::vector<uint64_t> order(places.size());
  std::iota(order.begin(), order.end(), uint64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) { return places[a] < places[b]; });
  std::vector<uint64_t> chosen;
  for (size_t index = 1; index <= count && !order.empty(); index++)
    chosen.push_back(order[index * order.size() / (count + 1)]);
  Bytes splitters(chosen.size() * key_bytes);
  for (size_t index = 0; index < chosen.size(); index++)
    memcpy(&splitters[index * key_bytes], &sample[chosen[index] * key_bytes], key_bytes);
  return splitters;
}

/* Where buckets begin, and the keys in the order of them. */
struct Expected {
  std::vector<uint64_t> begins;
  std::vector<uint64_t> order;
};

Expected expected_of(const Division &division) {
  const Table &table = division.table;
  const std::vector<uint64_t> splitters = places_of(table.type, division.splitters, division.options);
  std::vector<uint64_t> buckets = places_of(table.type, table.keys, division.options);
  Expected expected = {std::vector<uint64_t>(splitters.size() + 2), std::vector<uint64_t>(table.count)};
  for (uint64_t &bucket : buckets) {
    bucket = static_cast<uint64_t>(std::upper_bound(splitters.begin(), splitters.end(), bucket) - splitters.begin());
    expected.begins[bucket + 1]++;
  }
  std::partial_sum(expected.begins.begin(), expected.begins.end(), expected.begins.begin());
  std::vector<uint64_t> next = expected.begins;
  for (size_t index = 0; index < table.count; index++)
    expected.order[next[buckets[index]]++] = index;
  return expected;
}

/* ---- A division --------------------------------------------------------------------------------------------------- */

char label[256]; /* what is at work */

void say(const Division &division, const char *what) {
  const Table &table = division.table;
  snprintf(label, sizeof label, "%s: %zu %s, %zu splitters, %s, ties %d, %zu columns, %zu past alignment; %s%s, %s and %s",
           what, table.count, host_type_name(table.type), division.splitter_count(),
           division.options.order == CDP_DESCENDING ? "descending" : "ascending", static_cast<int>(division.options.ties),
           table.columns.size(), division.way.shift, division.way.is_captured ? "captured, " : "", call_name(division.way.call),
           place_name(division.way.keys_place), place_name(division.way.values_place));
  note("%s", label);
}

/* The arrays of a division. */
struct Arrays {
  Array keys;
  Array splitters;
  Array begins;
  std::vector<Array> values;
  std::vector<cdp_column> columns;
};

Arrays make_arrays(const Division &division) {
  const Way &way = division.way;
  const Table &table = division.table;
  Arrays arrays = {make_array(way.keys_place, table.keys),
                   make_array(way.values_place, division.splitters),
                   make_array(way.values_place, Bytes((division.splitter_count() + 2) * sizeof(uint64_t), 0xFF)),
                   {},
                   {}};
  for (size_t column = 0; column < table.columns.size(); column++) {
    arrays.values.push_back(make_array(column % 2 == 0 ? way.values_place : way.keys_place, table.columns[column], way.shift));
    arrays.columns.push_back({arrays.values[column].memory(), table.value_bytes[column]});
  }
  return arrays;
}

cdp_status divide(const Division &division, const Arrays &arrays) {
  const Table &table = division.table;
  const size_t column_count = arrays.columns.size();
  const size_t splitter_count = division.splitter_count();
  void *keys = arrays.keys.memory();
  const void *splitters = arrays.splitters.memory();
  uint64_t *begins = reinterpret_cast<uint64_t *>(arrays.begins.memory());
  size_t bytes = 0;
  if (division.way.call == Call::blocking)
    return cdp_divide(keys, arrays.columns.data(), column_count, table.count, table.type, &division.options, splitters,
                      splitter_count, begins);
  if (division.way.call == Call::on_stream)
    return perform(division.way, [&] {
      return cdp_divide_on_stream(keys, arrays.columns.data(), column_count, table.count, table.type, &division.options,
                                  splitters, splitter_count, begins, stream());
    });
  CHECK_SORT(cdp_divide_workspace(arrays.columns.data(), column_count, table.count, table.type, &division.options,
                                  splitter_count, &bytes));
  const Array workspace = make_array(Place::device, Bytes(bytes));
  const cdp_status status = perform(division.way, [&] {
    return cdp_divide_async(keys, arrays.columns.data(), column_count, table.count, table.type, &division.options, splitters,
                            splitter_count, begins, workspace.memory(), bytes, stream());
  });
  CHECK_CUDA(cudaStreamSynchronize(stream()));
  read_array(workspace, label);
  return status;
}

std::vector<uint64_t> read_begins(const Arrays &arrays) {
  const Bytes bytes = read_array(arrays.begins, label);
  std::vector<uint64_t> begins(bytes.size() / sizeof(uint64_t));
  memcpy(begins.data(), bytes.data(), bytes.size());
  return begins;
}

/* Divides, and ends the test unless all is as the host has it. */
void check_division(const Division &division, const char *what) {
  say(division, what);
  const Table &table = division.table;
  const Arrays arrays = make_arrays(division);
  CHECK_SORT(divide(division, arrays));
  CHECK_CUDA(cudaStreamSynchronize(stream()));
  const Expected expected = expected_of(division);
  const std::vector<uint64_t> begins = read_begins(arrays);
  for (size_t bucket = 0; bucket < begins.size(); bucket++)
    ck_assert_msg(begins[bucket] == expected.begins[bucket], "%s: bucket %zu begins at %" PRIu64 " and not at %" PRIu64, label,
                  bucket, begins[bucket], expected.begins[bucket]);
  ck_assert_msg(read_array(arrays.keys, label) == in_order(table.keys, host_key_bytes(table.type), expected.order),
                "%s: the keys", label);
  for (size_t column = 0; column < table.columns.size(); column++)
    ck_assert_msg(read_array(arrays.values[column], label) ==
                      in_order(table.columns[column], table.value_bytes[column], expected.order),
                  "%s: values of column %zu", label, column);
  ck_assert_msg(read_array(arrays.splitters, label) == division.splitters, "%s: the splitters", label);
  free_arrays();
}

/* By the quantiles of the keys. */
void check_quantiles(Table table, size_t splitter_count, const cdp_options &options, const Way &way, const char *what) {
  const Bytes splitters = quantiles(table.type, table.keys, splitter_count, options);
  check_division({std::move(table), splitters, options, way}, what);
}

host_distribution host_distribution_at(uint64_t turn) {
  static const host_distribution distributions[] = {HOST_EXTREMES, HOST_UNIFORM, HOST_FEW_DISTINCT, HOST_LOST_PIVOT,
                                                    HOST_SORTED,   HOST_BUCKET,  HOST_ALL_EQUAL};
  return distributions[turn % 7];
}

/* ---- Tests -------------------------------------------------------------------------------------------------------- */

/* _i: the type. */
START_TEST(test_types) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  uint64_t turn = static_cast<uint64_t>(_i);
  for (const cdp_order order : ORDERS)
    for (const cdp_ties ties : ALL_TIES)
      for (const size_t splitter_count : SPLITTER_COUNTS) {
        const Way way = {static_cast<Call>(turn % CALLS), Place::device, Place::device, turn % 3};
        const size_t count = turn % 2 == 0 ? 10007 : pick(50021, 5003);
        check_quantiles(
            make_table(type, make_keys(type, count, host_distribution_at(turn)), {VALUE_SIZES[turn % VALUE_SIZE_COUNT]}),
            splitter_count, options_of(order, ties), way, "types");
        turn++;
      }
}
END_TEST

/* From none on, around a tile, and where parts begin to have several: so many keys take the host a second each, and so not by every
   number of splitters. */
std::vector<size_t> sizes(int which) {
  const size_t tile = cuda_divide_tile();
  const size_t parts = cuda_divide_parts() * tile;
  std::vector<size_t> all = {0, 1, 2, 31, 33, 1000, tile - 1, tile, tile + 1, 2 * tile - 1, 17 * tile + 5};
  if (!quick())
    all.push_back((1 << 20) + 1);
  if (!quick() && which % 3 == 1)
    all.insert(all.end(), {parts - 1, parts, parts + 1, parts + 2 * tile + 3, (1 << 24) + 3});
  return all;
}

/* _i: the number of splitters. */
START_TEST(test_sizes) {
  static const cdp_type types[] = {CDP_U32, CDP_F64, CDP_I8, CDP_F16};
  uint64_t turn = static_cast<uint64_t>(_i);
  for (const size_t count : sizes(_i)) {
    const cdp_type type = types[turn % 4];
    const Way way = {static_cast<Call>(turn % CALLS), Place::device, Place::device, 0};
    const Table table = make_table(type, make_keys(type, count, host_distribution_at(turn)), {turn % 3 == 0 ? 8u : 4u});
    check_quantiles(table, SPLITTER_COUNTS[_i], options_of(ORDERS[turn % 2], ALL_TIES[turn % 3]), way, "sizes");
    turn++;
  }
}
END_TEST

/* Without splitters, by equal ones, and by the ends of the order. _i: the type. */
START_TEST(test_splitters) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  const size_t key_bytes = host_key_bytes(type);
  for (const cdp_order order : ORDERS)
    for (const cdp_ties ties : ALL_TIES) {
      const cdp_options options = options_of(order, ties);
      const Table table = make_table(type, make_keys(type, 9973, HOST_EXTREMES), {4});
      const Bytes ends = quantiles(type, table.keys, 9972, options);
      Bytes splitters(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(key_bytes));
      check_division({table, {}, options, ON_DEVICE}, "no splitters");
      check_division({table, splitters, options, ON_DEVICE}, "the first key");
      for (size_t times = 0; times < 500; times++)
        splitters.insert(splitters.end(), ends.end() - static_cast<std::ptrdiff_t>(key_bytes), ends.end());
      check_division({table, splitters, options, ON_DEVICE}, "the first key, and the last one often");
    }
}
END_TEST

/* _i: the size of a value. */
START_TEST(test_values) {
  for (const cdp_type type : {CDP_I8, CDP_F16, CDP_F32, CDP_I64})
    for (const size_t shift : {0, 1, 2, 4, 8}) {
      Way way = ON_DEVICE;
      way.shift = shift;
      check_quantiles(make_table(type, make_keys(type, 9973, HOST_FEW_DISTINCT), {VALUE_SIZES[_i]}), 17,
                      options_of(CDP_ASCENDING, CDP_TIES_ANY), way, "values");
    }
}
END_TEST

/* _i: the kinds of memory of the keys, and of values, splitters and begins. */
START_TEST(test_places) {
  const Way way = {Call::blocking, static_cast<Place>(_i / PLACES), static_cast<Place>(_i % PLACES), 1};
  const size_t count = pick(100003, 20011);
  for (const cdp_type type : {CDP_U16, CDP_F64})
    check_quantiles(make_table(type, make_keys(type, count, HOST_EXTREMES), {4, 3, 16}), 255,
                    options_of(CDP_DESCENDING, CDP_TIES_BY_VALUE), way, "places");
  check_quantiles(make_table(CDP_F32, {}, {4}), 0, options_of(CDP_ASCENDING, CDP_TIES_ANY), way, "no key");
}
END_TEST

/* _i: the call. */
START_TEST(test_columns) {
  const Way way = {static_cast<Call>(_i), Place::device, Place::managed, 0};
  const std::vector<size_t> most = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 100, 1, 8, 4, 2};
  ck_assert_uint_eq(most.size(), CDP_COLUMNS_MAX);
  for (const cdp_type type : {CDP_U8, CDP_BF16, CDP_F32, CDP_F64}) {
    const cdp_options options = options_of(CDP_ASCENDING, CDP_TIES_ANY);
    check_quantiles(make_table(type, make_keys(type, 20011, HOST_EXTREMES), most), 300, options, way, "most columns");
    check_quantiles(make_table(type, make_keys(type, 20011, HOST_UNIFORM), {}), 300, options, way, "no columns");
  }
}
END_TEST

/* _i: with a workspace, or without. */
START_TEST(test_captured) {
  const Way way = {_i == 0 ? Call::async : Call::on_stream, Place::device, Place::device, 0, true};
  for (const cdp_type type : {CDP_U8, CDP_F16, CDP_F32, CDP_U64})
    for (const size_t count : {size_t{0}, size_t{1}, size_t{1000}, static_cast<size_t>(pick(100003, 20011))})
      check_quantiles(make_table(type, make_keys(type, count, HOST_GAUSSIAN), {4, 24, 1}), 255,
                      options_of(CDP_DESCENDING, CDP_TIES_ANY), way, "captured");
}
END_TEST

/* ---- Splitters in no order ---------------------------------------------------------------------------------------- */

/* The keys' positions go with them: everything is there, a key has one bucket, and buckets keep the order of the input. */
void check_some_division(const Division &division, const Arrays &arrays) {
  const Table &table = division.table;
  const std::vector<uint64_t> begins = read_begins(arrays);
  const Bytes keys = read_array(arrays.keys, label);
  const Bytes values = read_array(arrays.values[0], label);
  const std::vector<uint64_t> before = ranks_of(table.type, table.keys, CDP_TIES_ANY);
  const std::vector<uint64_t> after = ranks_of(table.type, keys, CDP_TIES_ANY);
  std::vector<char> is_there(table.count);
  std::vector<std::pair<uint64_t, size_t>> buckets;
  ck_assert_msg(begins.front() == 0 && begins.back() == table.count, "%s: the ends", label);
  for (size_t bucket = 0; bucket + 1 < begins.size(); bucket++) {
    uint64_t last = 0;
    ck_assert_msg(begins[bucket] <= begins[bucket + 1], "%s: bucket %zu", label, bucket);
    for (uint64_t index = begins[bucket]; index < begins[bucket + 1]; index++) {
      uint64_t position = 0;
      memcpy(&position, &values[index * sizeof position], sizeof position);
      ck_assert_msg(position < table.count && !is_there[position] && (index == begins[bucket] || position > last),
                    "%s: value %" PRIu64, label, index);
      ck_assert_msg(before[position] == after[index], "%s: key %" PRIu64, label, index);
      is_there[position] = 1;
      last = position;
      buckets.emplace_back(after[index], bucket);
    }
  }
  std::sort(buckets.begin(), buckets.end());
  for (size_t index = 1; index < buckets.size(); index++)
    ck_assert_msg(buckets[index].first != buckets[index - 1].first || buckets[index].second == buckets[index - 1].second,
                  "%s: equal keys are in different buckets", label);
}

/* In device memory, where nobody looks. _i: the call. */
START_TEST(test_splitters_in_no_order) {
  for (const cdp_type type : {CDP_U8, CDP_I16, CDP_F32, CDP_U64})
    for (const size_t splitter_count : SPLITTER_COUNTS) {
      const size_t count = pick(100003, 20011);
      Table table = make_table(type, make_keys(type, count, HOST_GAUSSIAN), {8});
      for (uint64_t index = 0; index < count; index++)
        memcpy(&table.columns[0][index * sizeof index], &index, sizeof index);
      const Division division = {table,
                                 make_keys(type, splitter_count, HOST_UNIFORM),
                                 options_of(CDP_ASCENDING, CDP_TIES_ANY),
                                 {static_cast<Call>(_i), Place::device, Place::device, 0}};
      say(division, "splitters in no order");
      const Arrays arrays = make_arrays(division);
      CHECK_SORT(divide(division, arrays));
      CHECK_CUDA(cudaStreamSynchronize(stream()));
      check_some_division(division, arrays);
      free_arrays();
    }
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_buckets");
  TCase *test_case = add_case(suite, "buckets");
  tcase_add_checked_fixture(test_case, make_stream, destroy_stream);
  tcase_add_loop_test(test_case, test_types, 0, ALL_TYPES);
  tcase_add_loop_test(test_case, test_sizes, 0, SPLITTER_COUNT_COUNT);
  tcase_add_loop_test(test_case, test_splitters, 0, ALL_TYPES);
  tcase_add_loop_test(test_case, test_values, 0, VALUE_SIZE_COUNT);
  tcase_add_loop_test(test_case, test_places, 0, PLACES * PLACES);
  tcase_add_loop_test(test_case, test_columns, 0, CALLS);
  tcase_add_loop_test(test_case, test_captured, 0, 2);
  tcase_add_loop_test(test_case, test_splitters_in_no_order, 0, CALLS);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
