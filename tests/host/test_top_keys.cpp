/* SPDX-License-Identifier: MIT */
/*
 * The top keys (select.h), on the simulated device, against the host's own stable order: in order and not, with indices, with columns of
 * values of all sizes and in any place; all types, orders, ties and distributions, and equal keys of which some are taken.
 */
#include "run_suite.h"
#include "select_check.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

using namespace select_check;

namespace {

cdp_options options_of(uint64_t seed, cdp_order order = CDP_ASCENDING) {
  cdp_options options = simulated_options(seed);
  options.order = order;
  return options;
}

/* ---- The first keys ---------------------------------------------------------------------------------------------------- */

/* What is wanted of a top. */
struct Wish {
  bool keys = true;
  size_t index_bytes = 0;
  std::vector<size_t> value_bytes = {};
  cdp_top_order order = CDP_TOP_SORTED;
};

/* Unsorted top keys with their indices: the same as sorted ones, but for the order of unequal keys. */
void must_be_the_top(std::vector<uint64_t> indices, const std::vector<uint64_t> &order, size_t k, cdp_type type,
                     const Bytes &keys, const cdp_options &options) {
  const size_t bytes = host_key_bytes(type);
  std::stable_sort(indices.begin(), indices.end(),
                   [&](uint64_t a, uint64_t b) { return comes_before(type, options, &keys[a * bytes], &keys[b * bytes]); });
  must(std::equal(indices.begin(), indices.end(), order.begin()), "other keys are taken, or equal ones not as they came", type,
       keys.size() / bytes, k, options);
}

void must_take_top(cdp_type type, const Bytes &keys, size_t k, const cdp_options &options, const Wish &wish,
                   size_t offset = 0) {
  const size_t key_bytes = host_key_bytes(type);
  const size_t count = keys.size() / key_bytes;
  const std::vector<uint64_t> order = stable_order(type, options, keys);
  const Guarded own_keys(keys, offset * key_bytes);
  const Guarded top_keys(Bytes(k * key_bytes, 0x5A), key_bytes);
  const Guarded indices(Bytes(k * wish.index_bytes, 0x5A), wish.index_bytes);
  std::vector<Bytes> values;
  std::vector<std::unique_ptr<Guarded>> columns_in;
  std::vector<std::unique_ptr<Guarded>> columns_out;
  std::vector<cdp_top_column> columns;
  for (const size_t value_bytes : wish.value_bytes) {
    values.push_back(random_bytes(count * value_bytes, value_bytes));
    columns_in.push_back(std::make_unique<Guarded>(values.back(), offset));
    columns_out.push_back(std::make_unique<Guarded>(Bytes(k * value_bytes, 0x5A), columns.size() % 3));
    columns.push_back({columns_in.back()->bytes(), value_bytes, columns_out.back()->bytes()});
  }
  cdp_top top = CDP_TOP_INIT;
  top.order = wish.order;
  top.indices = wish.index_bytes != 0 ? indices.bytes() : nullptr;
  top.index_bytes = wish.index_bytes;
  top.columns = columns.data();
  top.column_count = columns.size();
  const cdp_status status = cdp_top_k(own_keys.bytes(), count, type, &options, k, wish.keys ? top_keys.bytes() : nullptr, &top);
  ck_assert_msg(status == CDP_OK, "%s", cdp_last_message());

  must(own_keys.contents() == keys, "the keys were changed", type, count, k, options);
  std::vector<uint64_t> taken = order;
  if (wish.index_bytes != 0) {
    taken = numbers_of(indices.contents(), wish.index_bytes);
    must_be_the_top(taken, order, k, type, keys, options);
  }
  if (wish.order == CDP_TOP_SORTED)
    must(std::equal(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), taken.begin()), "not in order", type, count,
         k, options);
  if (!wish.keys)
    must(top_keys.contents() == Bytes(k * key_bytes, 0x5A), "keys were written that nobody wants", type, count, k, options);
  else if (wish.order == CDP_TOP_SORTED || wish.index_bytes != 0)
    must(top_keys.contents() == in_order(keys, key_bytes, taken, k), "other keys", type, count, k, options);
  else
    must(sorted_keys(type, options, top_keys.contents()) == in_order(keys, key_bytes, order, k), "other keys, unsorted", type,
         count, k, options);
  for (size_t column = 0; column < columns.size(); column++) {
    must(columns_in[column]->contents() == values[column], "values were changed", type, count, k, options);
    must(columns_out[column]->contents() == in_order(values[column], wish.value_bytes[column], taken, k), "other keys' values",
         type, count, k, options);
  }
}

/* All keys alone, with indices, with columns. _i: the type. */
START_TEST(takes_the_top_of_any_number) {
  const cdp_type type = type_at(_i);
  const size_t tile = tile_keys(type);
  uint64_t turn = 0;
  for (const size_t count : {size_t{1}, size_t{2}, size_t{33}, tile - 1, tile + 1, 8 * tile, 8 * tile + 1, 13 * tile + 7})
    for (const size_t rank : ranks_of(count)) {
      const cdp_order order = static_cast<cdp_order>(turn % 2);
      const host_distribution distribution = turn % 3 == 0 ? HOST_EXTREMES : turn % 3 == 1 ? HOST_UNIFORM : HOST_FEW_DISTINCT;
      const Bytes keys = keys_of(type, count, distribution, turn);
      cdp_options options = options_of(turn, order);
      const cdp_top_order top_order = turn / 2 % 2 == 0 ? CDP_TOP_SORTED : CDP_TOP_UNSORTED;
      must_take_top(type, keys, rank + 1, options, {true, 0, {}, top_order}, turn % 3);
      must_take_top(type, keys, rank + 1, options, {turn % 4 != 0, turn % 2 == 0 ? size_t{4} : size_t{8}, {}, top_order},
                    turn % 3);
      options.ties = CDP_TIES_STABLE;
      if (turn % 4 == 0)
        must_take_top(type, keys, rank + 1, options, {turn % 8 != 0, 4, {1, 4, 8, 3, 24}, top_order}, turn % 3);
      turn++;
    }
}
END_TEST

/* Equal ones that come first, with every kind of ties. _i: the distribution. */
START_TEST(takes_equal_keys_that_come_first) {
  for (const cdp_type type : {CDP_U32, CDP_F32, CDP_F64, CDP_U8, CDP_I16})
    for (const cdp_ties ties : {CDP_TIES_ANY, CDP_TIES_STABLE, CDP_TIES_BY_VALUE})
      for (const size_t k : {size_t{1}, size_t{500}, size_t{2500}, size_t{5001}}) {
        cdp_options options = options_of(k, static_cast<cdp_order>(k % 2));
        options.ties = ties;
        const Bytes keys = keys_of(type, 5001, static_cast<host_distribution>(_i), k);
        must_take_top(type, keys, k, options, {true, 8, {2}, CDP_TOP_SORTED});
        must_take_top(type, keys, k, options, {true, 4, {}, CDP_TOP_UNSORTED});
      }
}
END_TEST

/* As many columns as there may be, and no keys. */
START_TEST(brings_all_columns) {
  Wish wish = {false, 0, {}, CDP_TOP_SORTED};
  for (size_t column = 0; column < CDP_COLUMNS_MAX; column++)
    wish.value_bytes.push_back(column + 1);
  for (const cdp_type type : {CDP_U32, CDP_F64, CDP_F16})
    must_take_top(type, keys_of(type, 2000, HOST_UNIFORM, 3), 77, options_of(3), wish, 1);
}
END_TEST

} // namespace

int main() {
  Suite *suite = suite_create("top_keys");
  TCase *tests = tcase_create("top_keys");
  tcase_set_timeout(tests, TEST_SECONDS);
  add_options_loop_test(tests, takes_the_top_of_any_number, 0, TYPES);
  add_options_loop_test(tests, takes_equal_keys_that_come_first, 0, HOST_DISTRIBUTIONS);
  tcase_add_test(tests, brings_all_columns);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
