/* SPDX-License-Identifier: MIT */
/*
 * What goes with keys (pairs.h), on the simulated device, against std::stable_sort of the positions by the oracle's comparison of
 * keys: values of all sizes and in any place, columns, indices, all key types, directions and kinds of ties.
 */
#include "host_pairs.h"
#include "run_suite.h"
#include "tile_sizes.h"

#include <cdpsort/pairs.h>

#include <memory>

using namespace host_tables;

namespace {

/* ---- Pairs ------------------------------------------------------------------------------------------------------------- */

/* All sizes of values, each where it is aligned and where it is not. _i: type and ties. */
START_TEST(moves_values_of_any_size) {
  static const size_t sizes[] = {1, 2, 3, 4, 5, 8, 12, 16, 24, 32, 100};
  const cdp_type type = type_at(_i / TIES);
  for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
    cdp_options options = simulated_options(size);
    options.ties = static_cast<cdp_ties>(_i % TIES);
    options.order = static_cast<cdp_order>(size % 2);
    const host_distribution distribution = size % 3 == 0 ? HOST_FEW_DISTINCT : HOST_EXTREMES;
    must_sort_pairs(type, keys_of(type, 700, distribution, size), sizes[size], size % 4 == 3 ? 1 : 0, options);
    must_sort_pairs(type, keys_of(type, simulated_block_pairs(4), HOST_UNIFORM, size), sizes[size], sizes[size] % 16, options);
  }
}
END_TEST

/* From one key on, and around what one block sorts in one launch, and by itself, and what takes a partition. _i: type. */
START_TEST(sorts_pairs_of_any_number) {
  const cdp_type type = type_at(_i);
  const size_t tile = simulated_tile_items(8);
  const size_t block = simulated_block_pairs(static_cast<uint32_t>(host_key_bytes(type)));
  const size_t counts[] = {1,    2,    3,         31,    32,        33,       255,  256,      257,
                           1023, 1025, block - 1, block, block + 1, tile - 1, tile, tile + 1, 3 * tile + 7};
  for (size_t index = 0; index < sizeof counts / sizeof *counts; index++) {
    cdp_options options = simulated_options(index);
    options.ties = static_cast<cdp_ties>(index % TIES);
    options.order = static_cast<cdp_order>(index / TIES % 2);
    const host_distribution distribution =
        static_cast<host_distribution>((index + static_cast<size_t>(_i)) % HOST_DISTRIBUTIONS);
    must_sort_pairs(type, keys_of(type, counts[index], distribution, index), index % 2 == 0 ? 4 : 8, 0, options);
  }
}
END_TEST

/* All distributions, by every scheme. _i: the distribution. */
START_TEST(sorts_pairs_of_every_distribution) {
  static const cdp_type types[] = {CDP_U32, CDP_F64, CDP_I16, CDP_F32, CDP_I64};
  for (size_t index = 0; index < sizeof types / sizeof *types; index++) {
    cdp_options options = simulated_options(index);
    options.scheme = static_cast<cdp_scheme>(CDP_SCHEME_LAST_BLOCK + index % 3);
    options.ties = static_cast<cdp_ties>((index + static_cast<size_t>(_i)) % TIES);
    options.fan_out = index == 1 ? CDP_FAN_OUT_CLASSIC : 0;
    must_sort_pairs(types[index], keys_of(types[index], 9001, static_cast<host_distribution>(_i), index), 4 + index % 2 * 4, 0,
                    options);
  }
}
END_TEST

/* Arrays that are regrouped, of more tiles than a block adds up at once, with values of each size that is, wherever they lie; and two columns
   of them, of which none is carried. _i: the size of a value. */
START_TEST(regroups_long_arrays) {
  static const cdp_type types[] = {CDP_U32, CDP_F64, CDP_U16};
  const size_t value_bytes = size_t{1} << _i;
  for (size_t index = 0; index < sizeof types / sizeof *types; index++)
    for (size_t offset = 0; offset < 2; offset++) {
      if (leaves_round_out(static_cast<int>(2 * index + offset), _i))
        continue;
      cdp_options options = simulated_options(index);
      options.ties = CDP_TIES_STABLE;
      options.order = static_cast<cdp_order>(offset);
      const host_distribution distribution = offset == 0 ? HOST_UNIFORM : HOST_GAUSSIAN;
      const Bytes keys = keys_of(types[index], 40001, distribution, index);
      must_sort_pairs(types[index], keys, value_bytes, offset, options);
      const Bytes values = random_bytes(40001 * value_bytes, index);
      const std::vector<uint64_t> order = stable_order(types[index], options, keys);
      const Guarded own_keys(keys);
      const Guarded first(values, offset);
      const Guarded second(values);
      const cdp_column columns[] = {{first.bytes(), value_bytes}, {second.bytes(), value_bytes}};
      ck_assert_int_eq(cdp_quicksort_columns(own_keys.bytes(), columns, 2, 40001, types[index], &options), CDP_OK);
      ck_assert(own_keys.contents() == in_order(keys, host_key_bytes(types[index]), order));
      ck_assert(first.contents() == in_order(values, value_bytes, order));
      ck_assert(second.contents() == first.contents());
    }
}
END_TEST

/* ---- Columns ----------------------------------------------------------------------------------------------------------- */

/* As many as there may be, of all sizes, and none. _i: the type. */
START_TEST(moves_all_columns) {
  const cdp_type type = type_at(_i);
  const size_t key_bytes = host_key_bytes(type);
  const size_t count = _i % 2 == 0 ? 1500 : simulated_block_pairs(4);
  for (const size_t column_count : {size_t{0}, size_t{1}, size_t{2}, size_t{CDP_COLUMNS_MAX}}) {
    cdp_options options = simulated_options(column_count);
    options.ties = CDP_TIES_BY_VALUE;
    const Bytes keys = keys_of(type, count, HOST_EXTREMES, column_count);
    const std::vector<uint64_t> order = stable_order(type, options, keys);
    const Guarded own_keys(keys);
    std::vector<Bytes> values;
    std::vector<std::unique_ptr<Guarded>> own_values;
    std::vector<cdp_column> columns;
    for (size_t column = 0; column < column_count; column++) {
      values.push_back(random_bytes(count * (column + 1), column));
      own_values.push_back(std::make_unique<Guarded>(values[column], column % 3));
      columns.push_back({own_values[column]->bytes(), column + 1});
    }
    const cdp_status status = cdp_quicksort_columns(own_keys.bytes(), columns.data(), column_count, count, type, &options);
    ck_assert_msg(status == CDP_OK, "%s", cdp_last_message());
    ck_assert(own_keys.contents() == in_order(keys, key_bytes, order));
    for (size_t column = 0; column < column_count; column++)
      ck_assert(own_values[column]->contents() == in_order(values[column], column + 1, order));
  }
}
END_TEST

/* ---- Argsort ----------------------------------------------------------------------------------------------------------- */

/* Where the sorted keys go. */
enum Place { NOWHERE, IN_PLACE, APART, PLACES };

void must_argsort(cdp_type type, const Bytes &keys, size_t index_bytes, Place place, const cdp_options &options) {
  const size_t key_bytes = host_key_bytes(type);
  const size_t count = keys.size() / key_bytes;
  const std::vector<uint64_t> order = stable_order(type, options, keys);
  const Guarded own_keys(keys, key_bytes);
  const Guarded apart(Bytes(keys.size(), 0x5A), key_bytes);
  const Guarded indices(Bytes(count * index_bytes, 0x5A), index_bytes);
  void *sorted_keys = place == NOWHERE ? nullptr : place == IN_PLACE ? own_keys.bytes() : apart.bytes();
  const cdp_status status = cdp_argsort(own_keys.bytes(), sorted_keys, indices.bytes(), index_bytes, count, type, &options);
  ck_assert_msg(status == CDP_OK, "%s", cdp_last_message());
  ck_assert_msg(indices.contents() == (index_bytes == 4 ? bytes_of<uint32_t>(order) : bytes_of<uint64_t>(order)),
                "%zu keys of %s, ties %d: not the order of the stable sort", count, host_type_name(type),
                static_cast<int>(options.ties));
  const Bytes sorted = in_order(keys, key_bytes, order);
  ck_assert(own_keys.contents() == (place == IN_PLACE ? sorted : keys));
  ck_assert(apart.contents() == (place == APART ? sorted : Bytes(keys.size(), 0x5A)));
}

/* _i: type, and where keys go. */
START_TEST(finds_the_order) {
  static const size_t counts[] = {1, 2, 33, 1000, 5000};
  const cdp_type type = type_at(_i / PLACES);
  for (size_t index = 0; index < sizeof counts / sizeof *counts; index++)
    for (int ties = 0; ties < TIES; ties++) {
      cdp_options options = simulated_options(index);
      options.ties = static_cast<cdp_ties>(ties);
      options.order = static_cast<cdp_order>((index + static_cast<size_t>(ties)) % 2);
      const host_distribution distribution = ties == 2 ? HOST_EXTREMES : HOST_FEW_DISTINCT;
      must_argsort(type, keys_of(type, counts[index], distribution, index), index % 2 == 0 ? 4 : 8,
                   static_cast<Place>(_i % PLACES), options);
    }
}
END_TEST

/* ---- In stream order --------------------------------------------------------------------------------------------------- */

/* In a workspace of exactly the size asked for, whose contents do not matter, and in none. _i: type. */
START_TEST(sorts_in_stream_order) {
  const cdp_type type = type_at(_i);
  const size_t key_bytes = host_key_bytes(type);
  constexpr size_t COUNT = 6000;
  cdp_options options = simulated_options(4);
  options.ties = CDP_TIES_STABLE;
  const Bytes keys = keys_of(type, COUNT, HOST_FEW_DISTINCT, 4);
  const Bytes values = random_bytes(COUNT * 8, 4);
  const std::vector<uint64_t> order = stable_order(type, options, keys);
  for (int form = 0; form < 6; form++) {
    const Guarded own_keys(keys);
    const Guarded own_values(values);
    const cdp_column column = {own_values.bytes(), 8};
    const bool is_argsort = form >= 4;
    size_t bytes = 0;
    ck_assert_int_eq(form < 2   ? cdp_quicksort_pairs_workspace(8, COUNT, type, &options, &bytes)
                     : form < 4 ? cdp_quicksort_columns_workspace(&column, 1, COUNT, type, &options, &bytes)
                                : cdp_argsort_workspace(COUNT, type, &options, &bytes),
                     CDP_OK);
    const Guarded workspace(Bytes(bytes, 0xC3));
    unsigned char *k = own_keys.bytes();
    unsigned char *v = own_values.bytes();
    const cdp_status statuses[] = {
        form != 0 ? CDP_OK : cdp_quicksort_pairs_async(k, v, 8, COUNT, type, &options, workspace.bytes(), bytes, nullptr),
        form != 1 ? CDP_OK : cdp_quicksort_pairs_on_stream(k, v, 8, COUNT, type, &options, nullptr),
        form != 2 ? CDP_OK
                  : cdp_quicksort_columns_async(k, &column, 1, COUNT, type, &options, workspace.bytes(), bytes, nullptr),
        form != 3 ? CDP_OK : cdp_quicksort_columns_on_stream(k, &column, 1, COUNT, type, &options, nullptr),
        form != 4 ? CDP_OK : cdp_argsort_async(k, nullptr, v, 8, COUNT, type, &options, workspace.bytes(), bytes, nullptr),
        form != 5 ? CDP_OK : cdp_argsort_on_stream(k, nullptr, v, 8, COUNT, type, &options, nullptr)};
    for (const cdp_status status : statuses)
      ck_assert_msg(status == CDP_OK, "%s", cdp_last_message());
    ck_assert(own_keys.contents() == (is_argsort ? keys : in_order(keys, key_bytes, order)));
    ck_assert(own_values.contents() == (is_argsort ? bytes_of<uint64_t>(order) : in_order(values, 8, order)));
    ck_assert_uint_eq(workspace.contents().size(), bytes);
  }
}
END_TEST

} // namespace

int main() {
  Suite *suite = suite_create("pairs");
  TCase *tests = tcase_create("pairs");
  tcase_set_timeout(tests, TEST_SECONDS);
  add_options_loop_test(tests, moves_values_of_any_size, 0, TYPES * TIES);
  add_options_loop_test(tests, sorts_pairs_of_any_number, 0, TYPES);
  tcase_add_loop_test(tests, sorts_pairs_of_every_distribution, 0, HOST_DISTRIBUTIONS);
  tcase_add_loop_test(tests, regroups_long_arrays, 0, 4);
  add_options_loop_test(tests, moves_all_columns, 0, TYPES);
  add_options_loop_test(tests, finds_the_order, 0, TYPES * PLACES);
  add_options_loop_test(tests, sorts_in_stream_order, 0, TYPES);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
