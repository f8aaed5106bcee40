/* SPDX-License-Identifier: MIT */
/*
 * Division by given splitters (buckets.h), on the simulated device, against a stable sort of the positions by buckets, each found by
 * the oracle's comparison of keys: numbers of splitters and of keys around all that is a limit, values of all sizes and in any place,
 * all key types, directions and kinds of ties, each form of the call, and splitters that are not in order.
 */
#include "each_holds.h"
#include "host_tables.h"
#include "run_suite.h"
#include "tile_sizes.h"

#include <cdpsort/buckets.h>

#include <cstdio>
#include <memory>

using namespace host_tables;

namespace {

enum Form { BLOCKING, ASYNC, ON_STREAM, FORMS };

/* An array of values of a division, bytes past alignment. */
struct Column {
  size_t value_bytes;
  size_t offset;
};

struct Division {
  cdp_type type;
  Bytes keys;
  Bytes splitters;
  std::vector<Column> columns;
  cdp_options options;
  Form form;

  size_t key_bytes() const {
    return host_key_bytes(type);
  }
  size_t count() const {
    return keys.size() / key_bytes();
  }
  size_t splitter_count() const {
    return splitters.size() / key_bytes();
  }
};

/* Ties, directions and forms by turns. */
cdp_options options_at(size_t turn) {
  cdp_options options = simulated_options(turn);
  options.order = static_cast<cdp_order>(turn % 2);
  options.ties = static_cast<cdp_ties>(turn / 2 % 3);
  return options;
}

Bytes sorted_keys(cdp_type type, const Bytes &keys, const cdp_options &options) {
  return in_order(keys, host_key_bytes(type), stable_order(type, options, keys));
}

/* Evenly spaced keys of the array in its order, and so equal ones where values are frequent; `count` of them. */
Bytes quantiles(cdp_type type, const Bytes &keys, size_t count, const cdp_options &options) {
  const size_t key_bytes = host_key_bytes(type);
  const size_t all = keys.size() / key_bytes;
  const Bytes sorted = sorted_keys(type, keys, options);
  Bytes splitters;
  for (size_t index = 1; index <= count && all != 0; index++) {
    const auto from = sorted.begin() + static_cast<std::ptrdiff_t>(index * all / (count + 1) * key_bytes);
    splitters.insert(splitters.end(), from, from + static_cast<std::ptrdiff_t>(key_bytes));
  }
  return splitters;
}

/* ---- Oracle ------------------------------------------------------------------------------------------------------------ */

/* How many splitters do not come behind a key. */
size_t bucket_of(const Division &division, const unsigned char *key) {
  const size_t key_bytes = division.key_bytes();
  size_t low = 0;
  size_t high = division.splitter_count();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (comes_before(division.type, division.options, key, &division.splitters[middle * key_bytes]))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* Each key's bucket, where buckets begin, and the positions of the keys in their order. */
struct Expected {
  std::vector<uint64_t> begins;
  std::vector<uint64_t> order;
};

Expected expected_of(const Division &division) {
  std::vector<size_t> buckets(division.count());
  Expected expected = {std::vector<uint64_t>(division.splitter_count() + 2), std::vector<uint64_t>(division.count())};
  for (size_t index = 0; index < division.count(); index++) {
    buckets[index] = bucket_of(division, &division.keys[index * division.key_bytes()]);
    expected.begins[buckets[index] + 1]++;
  }
  std::partial_sum(expected.begins.begin(), expected.begins.end(), expected.begins.begin());
  std::iota(expected.order.begin(), expected.order.end(), uint64_t{0});
  std::stable_sort(expected.order.begin(), expected.order.end(),
                   [&](uint64_t a, uint64_t b) { return buckets[a] < buckets[b]; });
  return expected;
}

/* ---- Divisions --------------------------------------------------------------------------------------------------------- */

/* What a division has made of its arrays. */
struct Divided {
  Bytes keys;
  std::vector<Bytes> before; /* of the columns */
  std::vector<Bytes> after;
  std::vector<uint64_t> begins;
};

cdp_status call(const Division &division, unsigned char *keys, const std::vector<cdp_column> &columns,
                const unsigned char *splitters, uint64_t *begins) {
  const size_t count = division.count();
  const size_t splitter_count = division.splitter_count();
  const cdp_options *options = &division.options;
  size_t bytes = 0;
  if (division.form == BLOCKING)
    return cdp_divide(keys, columns.data(), columns.size(), count, division.type, options, splitters, splitter_count, begins);
  if (division.form == ON_STREAM)
    return cdp_divide_on_stream(keys, columns.data(), columns.size(), count, division.type, options, splitters, splitter_count,
                                begins, nullptr);
  ck_assert_int_eq(cdp_divide_workspace(columns.data(), columns.size(), count, division.type, options, splitter_count, &bytes),
                   CDP_OK);
  ck_assert_uint_gt(bytes, 0);
  const Guarded workspace(Bytes(bytes, 0xC3));
  const cdp_status status = cdp_divide_async(keys, columns.data(), columns.size(), count, division.type, options, splitters,
                                             splitter_count, begins, workspace.bytes(), bytes, nullptr);
  ck_assert_uint_eq(workspace.contents().size(), bytes);
  return status;
}

/* Divides, and ends the test where that fails, or something else was written. */
Divided divide(const Division &division) {
  const size_t key_bytes = division.key_bytes();
  Divided divided = {{}, {}, {}, std::vector<uint64_t>(division.splitter_count() + 2)};
  const size_t begins_bytes = divided.begins.size() * sizeof(uint64_t);
  const Guarded keys(division.keys, key_bytes);
  const Guarded splitters(division.splitters, key_bytes);
  const Guarded begins(Bytes(begins_bytes, 0x5A), sizeof(uint64_t));
  std::vector<std::unique_ptr<Guarded>> values;
  std::vector<cdp_column> columns;
  for (const Column &column : division.columns) {
    divided.before.push_back(random_bytes(division.count() * column.value_bytes, column.value_bytes + columns.size()));
    values.push_back(std::make_unique<Guarded>(divided.before.back(), column.offset));
    columns.push_back({values.back()->bytes(), column.value_bytes});
  }
  const cdp_status status =
      call(division, keys.bytes(), columns, splitters.bytes(), reinterpret_cast<uint64_t *>(begins.bytes()));
  ck_assert_msg(status == CDP_OK, "%s", cdp_last_message());
  ck_assert(splitters.contents() == division.splitters);
  memcpy(divided.begins.data(), begins.contents().data(), begins_bytes);
  divided.keys = keys.contents();
  for (const std::unique_ptr<Guarded> &value : values)
    divided.after.push_back(value->contents());
  return divided;
}

/* And ends the test unless all is where it must be. */
void must_divide(const Division &division) {
  const Expected expected = expected_of(division);
  const Divided divided = divide(division);
  char what[160];
  snprintf(what, sizeof what, "%zu keys of %s, %zu splitters, %s, ties %d, form %d", division.count(),
           host_type_name(division.type), division.splitter_count(),
           division.options.order == CDP_DESCENDING ? "descending" : "ascending", static_cast<int>(division.options.ties),
           static_cast<int>(division.form));
  const auto wrong = std::mismatch(expected.begins.begin(), expected.begins.end(), divided.begins.begin());
  ck_assert_msg(wrong.first == expected.begins.end(), "%s: bucket %td begins elsewhere", what,
                wrong.first - expected.begins.begin());
  ck_assert_msg(divided.keys == in_order(division.keys, division.key_bytes(), expected.order), "%s: keys", what);
  for (size_t column = 0; column < divided.after.size(); column++) {
    const size_t bytes = division.columns[column].value_bytes;
    ck_assert_msg(divided.after[column] == in_order(divided.before[column], bytes, expected.order),
                  "%s: values of %zu bytes, %zu past alignment", what, bytes, division.columns[column].offset);
  }
}

/* ---- Splitters --------------------------------------------------------------------------------------------------------- */

/* Each type has every second number. _i: the type. */
START_TEST(divides_by_any_number_of_splitters) {
  static const size_t counts[] = {0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 127, 255, 256, 257, 511, 512, 1022, 1023};
  const cdp_type type = type_at(_i);
  for (size_t index = static_cast<size_t>(_i) % 2; index < sizeof counts / sizeof *counts; index += 2) {
    const cdp_options options = options_at(index + static_cast<size_t>(_i));
    const host_distribution distribution = index % 3 == 0 ? HOST_EXTREMES : HOST_UNIFORM;
    const Bytes keys = keys_of(type, 1500, distribution, index);
    const Bytes splitters = index % 4 < 2 ? quantiles(type, keys, counts[index], options)
                                          : sorted_keys(type, keys_of(type, counts[index], distribution, index + 77), options);
    must_divide({type, keys, splitters, {{4, 0}}, options, static_cast<Form>(index % FORMS)});
  }
}
END_TEST

/* From none on, and around a tile, and where parts begin to have several. _i: the type. */
START_TEST(divides_any_number_of_keys) {
  const cdp_type type = type_at(_i);
  const size_t tile = simulated_divide_tile();
  const size_t parts = simulated_divide_parts() * tile;
  const size_t counts[] = {0,
                           1,
                           2,
                           31,
                           32,
                           33,
                           tile - 1,
                           tile,
                           tile + 1,
                           2 * tile + 1,
                           parts - 1,
                           parts,
                           parts + 1,
                           2 * parts - 1,
                           2 * parts + tile + 7};
  for (size_t index = 0; index < sizeof counts / sizeof *counts; index++) {
    const cdp_options options = options_at(index + static_cast<size_t>(_i));
    const Bytes keys = keys_of(type, counts[index], HOST_GAUSSIAN, index);
    const size_t splitters = index % 2 == 0 ? 40 : 5;
    must_divide({type, keys, quantiles(type, keys, splitters, options), {{8, 0}}, options, static_cast<Form>(index % FORMS)});
    must_divide({type, keys, {}, {}, options, static_cast<Form>(index % FORMS)});
  }
}
END_TEST

/* All distributions, each of every second type. _i: the distribution. */
START_TEST(divides_every_distribution) {
  for (size_t index = static_cast<size_t>(_i) % 2; index < TYPES; index += 2) {
    const cdp_type type = type_at(static_cast<int>(index));
    const cdp_options options = options_at(index + static_cast<size_t>(_i));
    const Bytes keys = keys_of(type, 5003, static_cast<host_distribution>(_i), index);
    must_divide({type, keys, quantiles(type, keys, 100, options), {{2, 1}}, options, BLOCKING});
    must_divide({type, keys, sorted_keys(type, keys_of(type, 9, HOST_EXTREMES, 1), options), {{3, 0}}, options, ASYNC});
  }
}
END_TEST

/* The greatest key, which stands for missing splitters, and the least one, as keys and as splitters, in every place. _i: the type. */
START_TEST(divides_by_the_ends_of_the_order) {
  const cdp_type type = type_at(_i);
  const size_t key_bytes = host_key_bytes(type);
  for (size_t turn = 0; turn < 3; turn++) {
    const cdp_options options = options_at(turn + static_cast<size_t>(_i));
    const Bytes keys = keys_of(type, 1500, HOST_EXTREMES, turn);
    const Bytes all = sorted_keys(type, keys, options);
    const Bytes least(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(key_bytes));
    const Bytes greatest(all.end() - static_cast<std::ptrdiff_t>(key_bytes), all.end());
    must_divide({type, keys_of(type, 1500, HOST_ALL_EQUAL, turn), greatest, {}, options, BLOCKING});
    for (const size_t each : {size_t{1}, size_t{2}, size_t{5}, size_t{200}}) {
      Bytes splitters;
      for (size_t index = 0; index < 2 * each; index++)
        splitters.insert(splitters.end(), index < each ? least.begin() : greatest.begin(),
                         index < each ? least.end() : greatest.end());
      must_divide({type, keys, splitters, {{4, 0}}, options, BLOCKING});
    }
  }
}
END_TEST

/* What holds whatever the splitters: everything is there, a key has one bucket wherever it is, and buckets keep their order. */
void must_be_some_division(const Division &division, const Divided &divided) {
  const size_t key_bytes = division.key_bytes();
  const auto key_at = [&](const Bytes &keys, uint64_t index) {
    return Bytes(&keys[index * key_bytes], &keys[index * key_bytes] + key_bytes);
  };
  std::vector<std::pair<Bytes, size_t>> buckets;
  std::vector<uint64_t> positions;
  ck_assert_uint_eq(divided.begins.front(), 0);
  ck_assert_uint_eq(divided.begins.back(), division.count());
  for (size_t bucket = 0; bucket + 1 < divided.begins.size(); bucket++) {
    uint64_t last = 0;
    ck_assert_uint_le(divided.begins[bucket], divided.begins[bucket + 1]);
    for (uint64_t index = divided.begins[bucket]; index < divided.begins[bucket + 1]; index++) {
      uint64_t position = 0;
      memcpy(&position, &divided.after[0][index * sizeof position], sizeof position);
      EACH_HOLDS(position < division.count() && (index == divided.begins[bucket] || position > last));
      EACH_HOLDS(key_at(division.keys, position) == key_at(divided.keys, index));
      last = position;
      positions.push_back(position);
      buckets.emplace_back(key_at(divided.keys, index), bucket);
    }
  }
  std::sort(positions.begin(), positions.end());
  ck_assert(std::unique(positions.begin(), positions.end()) - positions.begin() ==
            static_cast<std::ptrdiff_t>(division.count()));
  std::sort(buckets.begin(), buckets.end());
  for (size_t index = 1; index < buckets.size(); index++)
    EACH_HOLDS(buckets[index].first != buckets[index - 1].first || buckets[index].second == buckets[index - 1].second);
}

/* Splitters in no order, of which a call in stream order knows nothing. _i: the type. */
START_TEST(loses_nothing_by_splitters_in_no_order) {
  const cdp_type type = type_at(_i);
  for (const size_t splitter_count : {size_t{2}, size_t{40}, size_t{1000}}) {
    constexpr size_t COUNT = 6000;
    Division division = {type,
                         keys_of(type, COUNT, HOST_FEW_DISTINCT, splitter_count),
                         {},
                         {{8, 0}},
                         options_at(splitter_count),
                         splitter_count == 40 ? ON_STREAM : ASYNC};
    division.splitters = keys_of(type, splitter_count, HOST_UNIFORM, splitter_count);
    const size_t key_bytes = division.key_bytes();
    const Guarded keys(division.keys);
    std::vector<uint64_t> numbers(COUNT);
    std::iota(numbers.begin(), numbers.end(), uint64_t{0});
    Bytes values(COUNT * sizeof(uint64_t));
    memcpy(values.data(), numbers.data(), values.size());
    const Guarded own_values(values);
    const Guarded splitters(division.splitters, key_bytes);
    const Guarded begins(Bytes((splitter_count + 2) * sizeof(uint64_t)));
    const cdp_status status = call(division, keys.bytes(), {{own_values.bytes(), sizeof(uint64_t)}}, splitters.bytes(),
                                   reinterpret_cast<uint64_t *>(begins.bytes()));
    ck_assert_msg(status == CDP_OK, "%s", cdp_last_message());
    Divided divided = {keys.contents(), {}, {own_values.contents()}, std::vector<uint64_t>(splitter_count + 2)};
    memcpy(divided.begins.data(), begins.contents().data(), begins.contents().size());
    must_be_some_division(division, divided);
  }
}
END_TEST

/* ---- Values ------------------------------------------------------------------------------------------------------------ */

/* All sizes of values, each where it is aligned and where it is not. Each type has every second size. _i: the type. */
START_TEST(moves_values_of_any_size) {
  static const size_t sizes[] = {1, 2, 3, 4, 5, 8, 12, 16, 24, 40, 100};
  const cdp_type type = type_at(_i);
  for (size_t size = static_cast<size_t>(_i) % 2; size < sizeof sizes / sizeof *sizes; size += 2)
    for (const size_t offset : {size_t{0}, size_t{1}, size_t{2}, size_t{4}}) {
      const cdp_options options = options_at(size + offset);
      const Bytes keys = keys_of(type, 1300, HOST_FEW_DISTINCT, size);
      must_divide({type, keys, quantiles(type, keys, 20, options), {{sizes[size], offset}}, options, BLOCKING});
    }
}
END_TEST

/* As many columns as there may be, some of them moved and some gathered. _i: the type. */
START_TEST(moves_all_columns) {
  const cdp_type type = type_at(_i);
  const cdp_options options = options_at(static_cast<size_t>(_i));
  const Bytes keys = keys_of(type, 5000, HOST_UNIFORM, 3);
  std::vector<Column> columns;
  for (size_t column = 0; column < CDP_COLUMNS_MAX; column++)
    columns.push_back({column + 1, column % 3});
  for (int form = 0; form < FORMS; form++)
    must_divide({type, keys, quantiles(type, keys, 300, options), columns, options, static_cast<Form>(form)});
}
END_TEST

} // namespace

int main() {
  Suite *suite = suite_create("buckets");
  TCase *tests = tcase_create("buckets");
  tcase_set_timeout(tests, TEST_SECONDS);
  add_options_loop_test(tests, divides_by_any_number_of_splitters, 0, TYPES);
  add_options_loop_test(tests, divides_any_number_of_keys, 0, TYPES);
  add_options_loop_test(tests, divides_every_distribution, 0, HOST_DISTRIBUTIONS);
  add_options_loop_test(tests, divides_by_the_ends_of_the_order, 0, TYPES);
  add_options_loop_test(tests, loses_nothing_by_splitters_in_no_order, 0, TYPES);
  add_options_loop_test(tests, moves_values_of_any_size, 0, TYPES);
  add_options_loop_test(tests, moves_all_columns, 0, TYPES);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
