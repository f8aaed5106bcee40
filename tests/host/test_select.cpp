/* SPDX-License-Identifier: MIT */
/*
 * Half a sort (select.h), on the simulated device, against std::stable_sort of the positions by the oracle's comparison of keys: all
 * types, orders and distributions, ranks from end to end, sizes around tiles and shares, what goes with the top keys, and keys that
 * agree in many bits. test_select_calls.c has what is refused.
 */
#include "host_data.h"
#include "run_suite.h"

#include "tuning_select.h"

#include <cdpsort/select.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

namespace {

using Bytes = std::vector<unsigned char>;

constexpr int TYPES = CDP_BF16;

cdp_type type_at(int index) {
  return static_cast<cdp_type>(CDP_U32 + index);
}

cdp_options simulated_options(uint64_t seed, cdp_order order = CDP_ASCENDING) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.device = CDP_DEVICE_SIMULATED;
  options.seed = seed;
  options.order = order;
  return options;
}

/* Keys that a block takes at a time. */
size_t tile_keys(cdp_type type) {
  constexpr cdp::SelectShape SHAPE = cdp::select_shape(true);
  const size_t each = SHAPE.thread_bytes / host_key_bytes(type);
  return SHAPE.threads * std::min<size_t>(each, cdp::MOST_SELECT_ITEMS);
}

/* ---- Oracle ------------------------------------------------------------------------------------------------------------ */

/* A float's number and a double's: by value, of -0.0 and 0.0 and of NaNs, no other types are asked about. */
double number_of(cdp_type type, const unsigned char *key) {
  float single = 0;
  double number = 0;
  if (type == CDP_F32) {
    memcpy(&single, key, sizeof single);
    return single;
  }
  memcpy(&number, key, sizeof number);
  return number;
}

bool comes_before(cdp_type type, const cdp_options &options, const unsigned char *a, const unsigned char *b) {
  const int three_way = host_compare(type, a, b);
  if (options.ties == CDP_TIES_BY_VALUE && (type == CDP_F32 || type == CDP_F64)) {
    const double x = number_of(type, a);
    const double y = number_of(type, b);
    if ((std::isnan(x) && std::isnan(y)) || (x == 0 && y == 0))
      return false;
  }
  return options.order == CDP_DESCENDING ? three_way > 0 : three_way < 0;
}

/* Positions in the order of the keys, equal ones in that of the input. */
std::vector<uint64_t> stable_order(cdp_type type, const cdp_options &options, const Bytes &keys) {
  const size_t key_bytes = host_key_bytes(type);
  std::vector<uint64_t> order(keys.size() / key_bytes);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) {
    return comes_before(type, options, &keys[a * key_bytes], &keys[b * key_bytes]);
  });
  return order;
}

/* The first `most` items of an array in such an order. */
Bytes in_order(const Bytes &items, size_t item_bytes, const std::vector<uint64_t> &order, size_t most) {
  Bytes sorted(most * item_bytes);
  for (size_t index = 0; index < most; index++)
    memcpy(&sorted[index * item_bytes], &items[order[index] * item_bytes], item_bytes);
  return sorted;
}

Bytes in_order(const Bytes &items, size_t item_bytes, const std::vector<uint64_t> &order) {
  return in_order(items, item_bytes, order, order.size());
}

Bytes sorted_keys(cdp_type type, const cdp_options &options, const Bytes &keys) {
  return in_order(keys, host_key_bytes(type), stable_order(type, options, keys));
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------------ */

/* An array between guards. */
class Guarded {
public:
  explicit Guarded(const Bytes &contents, size_t offset = 0) {
    ck_assert(host_guarded_make(&guarded_, contents.size(), offset));
    if (!contents.empty())
      memcpy(guarded_.bytes, contents.data(), contents.size());
  }
  ~Guarded() {
    host_guarded_free(&guarded_);
  }
  Guarded(const Guarded &) = delete;
  Guarded &operator=(const Guarded &) = delete;

  unsigned char *bytes() const {
    return guarded_.bytes;
  }
  Bytes contents() const {
    ck_assert_msg(host_guarded_whole(&guarded_), "something was written beside an array");
    return Bytes(guarded_.bytes, guarded_.bytes + guarded_.size);
  }

private:
  host_guarded guarded_ = {};
};

Bytes random_bytes(size_t bytes, uint64_t seed) {
  Bytes contents(bytes);
  for (unsigned char &byte : contents)
    byte = static_cast<unsigned char>(host_random(&seed));
  return contents;
}

Bytes keys_of(cdp_type type, size_t count, host_distribution distribution, uint64_t seed) {
  Bytes keys(count * host_key_bytes(type));
  host_fill(keys.data(), type, count, distribution, seed);
  return keys;
}

template <typename Key>
Bytes bytes_of(const std::vector<Key> &keys) {
  Bytes bytes(keys.size() * sizeof(Key));
  memcpy(bytes.data(), keys.data(), bytes.size());
  return bytes;
}

/* Ends the test with where it was. */
void must(bool holds, const char *what, cdp_type type, size_t count, size_t rank, const cdp_options &options) {
  ck_assert_msg(holds, "%zu keys of %s, %s, rank or number %zu: %s", count, host_type_name(type),
                options.order == CDP_DESCENDING ? "descending" : "ascending", rank, what);
}

/* Ranks at both ends, in the middle and between. */
std::vector<size_t> ranks_of(size_t count) {
  std::vector<size_t> ranks = {0, count / 2, count - 1, count / 7, count > 1 ? count - 2 : 0};
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

/* ---- The key at a rank ------------------------------------------------------------------------------------------------- */

/* That keys have been partitioned at `rank`, and the first `sorted_items` sorted. */
void must_be_partitioned(const Bytes &found, const Bytes &sorted, cdp_type type, size_t rank, size_t sorted_items,
                         const cdp_options &options) {
  const size_t bytes = host_key_bytes(type);
  const size_t count = sorted.size() / bytes;
  const auto part = [bytes](const Bytes &keys, size_t begin, size_t end) {
    return Bytes(keys.begin() + static_cast<std::ptrdiff_t>(begin * bytes),
                 keys.begin() + static_cast<std::ptrdiff_t>(end * bytes));
  };
  must(part(found, rank, rank + 1) == part(sorted, rank, rank + 1), "another key is there", type, count, rank, options);
  must(sorted_keys(type, options, part(found, 0, rank)) == part(sorted, 0, rank), "other keys are before it", type, count, rank,
       options);
  must(sorted_keys(type, options, part(found, rank, count)) == part(sorted, rank, count), "other keys are behind it", type, count,
       rank, options);
  must(part(found, 0, sorted_items) == part(sorted, 0, sorted_items), "they are not in order", type, count, sorted_items, options);
}

void must_partition(cdp_type type, const Bytes &keys, size_t rank, const cdp_options &options, size_t offset = 0) {
  const size_t count = keys.size() / host_key_bytes(type);
  const Bytes sorted = sorted_keys(type, options, keys);
  const Guarded own(keys, offset);
  ck_assert_msg(cdp_nth_element(own.bytes(), count, type, &options, rank) == CDP_OK, "%s", cdp_last_message());
  must_be_partitioned(own.contents(), sorted, type, rank, 0, options);
  const Guarded partly(keys, offset);
  ck_assert_msg(cdp_partial_sort(partly.bytes(), count, type, &options, rank + 1) == CDP_OK, "%s", cdp_last_message());
  must_be_partitioned(partly.contents(), sorted, type, rank, rank + 1, options);
}

/* _i: the type. */
START_TEST(partitions_any_number) {
  const cdp_type type = type_at(_i);
  const size_t tile = tile_keys(type);
  for (const size_t count : {size_t{1}, size_t{2}, size_t{3}, size_t{31}, size_t{33}, tile - 1, tile, tile + 1, 8 * tile - 1, 8 * tile,
                             8 * tile + 1, 17 * tile + 5})
    for (const size_t rank : ranks_of(count)) {
      const cdp_order order = (count + rank) % 2 == 0 ? CDP_ASCENDING : CDP_DESCENDING;
      const host_distribution distribution = rank % 3 == 0 ? HOST_EXTREMES : HOST_UNIFORM;
      must_partition(type, keys_of(type, count, distribution, count), rank, simulated_options(rank, order),
                     count % 3 * host_key_bytes(type));
    }
}
END_TEST

/* _i: the distribution. */
START_TEST(partitions_every_distribution) {
  for (const cdp_type type : {CDP_U32, CDP_F64, CDP_I16, CDP_F32, CDP_I64})
    for (const size_t rank : ranks_of(5003))
      must_partition(type, keys_of(type, 5003, static_cast<host_distribution>(_i), rank), rank,
                     simulated_options(rank, static_cast<cdp_order>(rank % 2)));
}
END_TEST

/* ---- Keys that agree in many bits -------------------------------------------------------------------------------------- */

/* Most keys are a few next to each other, and the others anywhere: a sample may see none of these, or some. */
Bytes clustered_keys(size_t count, uint64_t spread, size_t strays, uint64_t seed) {
  std::vector<uint64_t> keys(count);
  for (size_t index = 0; index < count; index++)
    keys[index] = 0x7123456789ABCDEFu + host_random_below(&seed, spread);
  for (size_t stray = 0; stray < strays; stray++)
    keys[host_random_below(&seed, count)] = host_random(&seed);
  return bytes_of(keys);
}

/* _i: how far most keys are spread. */
START_TEST(goes_on_in_what_a_sample_does_not_show) {
  static const uint64_t spreads[] = {1, 2, 3, 127, 128, 129, 1000, uint64_t{1} << 20, uint64_t{1} << 40};
  for (const size_t strays : {size_t{0}, size_t{1}, size_t{5}, size_t{600}}) {
    const Bytes keys = clustered_keys(4000, spreads[_i], strays, strays + static_cast<uint64_t>(_i));
    for (const size_t rank : {size_t{0}, size_t{1}, size_t{4}, size_t{300}, size_t{2000}, size_t{3700}, size_t{3995}, size_t{3999}})
      must_partition(CDP_U64, keys, rank, simulated_options(1, static_cast<cdp_order>(rank % 2)));
  }
}
END_TEST

/* ---- The first keys ---------------------------------------------------------------------------------------------------- */

/* What is wanted of a top. */
struct Wish {
  bool keys = true;
  size_t index_bytes = 0;
  std::vector<size_t> value_bytes = {};
  cdp_top_order order = CDP_TOP_SORTED;
};

/* Indices of 4 or 8 bytes as numbers. */
std::vector<uint64_t> numbers_of(const Bytes &indices, size_t index_bytes) {
  std::vector<uint64_t> numbers(index_bytes == 0 ? 0 : indices.size() / index_bytes);
  for (size_t index = 0; index < numbers.size(); index++)
    memcpy(&numbers[index], &indices[index * index_bytes], index_bytes);
  return numbers;
}

/* Unsorted top keys with their indices: the same as sorted ones, but for the order of unequal keys. */
void must_be_the_top(std::vector<uint64_t> indices, const std::vector<uint64_t> &order, size_t k, cdp_type type, const Bytes &keys,
                     const cdp_options &options) {
  const size_t bytes = host_key_bytes(type);
  std::stable_sort(indices.begin(), indices.end(), [&](uint64_t a, uint64_t b) {
    return comes_before(type, options, &keys[a * bytes], &keys[b * bytes]);
  });
  must(std::equal(indices.begin(), indices.end(), order.begin()), "other keys are taken, or equal ones not as they came", type,
       keys.size() / bytes, k, options);
}

void must_take_top(cdp_type type, const Bytes &keys, size_t k, const cdp_options &options, const Wish &wish, size_t offset = 0) {
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
    must(std::equal(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), taken.begin()), "not in order", type, count, k,
         options);
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
      cdp_options options = simulated_options(turn, order);
      const cdp_top_order top_order = static_cast<cdp_top_order>(turn / 2 % 2);
      must_take_top(type, keys, rank + 1, options, {true, 0, {}, top_order}, turn % 3);
      must_take_top(type, keys, rank + 1, options, {turn % 4 != 0, turn % 2 == 0 ? size_t{4} : size_t{8}, {}, top_order}, turn % 3);
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
        cdp_options options = simulated_options(k, static_cast<cdp_order>(k % 2));
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
    must_take_top(type, keys_of(type, 2000, HOST_UNIFORM, 3), 77, simulated_options(3), wish, 1);
}
END_TEST

/* ---- Quantiles --------------------------------------------------------------------------------------------------------- */

void must_find(cdp_type type, const Bytes &keys, const std::vector<uint64_t> &ranks, const cdp_options &options) {
  const size_t key_bytes = host_key_bytes(type);
  const size_t count = keys.size() / key_bytes;
  const Bytes sorted = sorted_keys(type, options, keys);
  const Guarded own(keys, key_bytes);
  const Guarded found(Bytes(ranks.size() * key_bytes, 0x5A), key_bytes);
  ck_assert_msg(cdp_quantiles(own.bytes(), count, type, &options, ranks.data(), ranks.size(), found.bytes()) == CDP_OK, "%s",
                cdp_last_message());
  must(own.contents() == keys, "the keys were changed", type, count, ranks.size(), options);
  const Bytes answers = found.contents();
  for (size_t index = 0; index < ranks.size(); index++)
    must(memcmp(&answers[index * key_bytes], &sorted[ranks[index] * key_bytes], key_bytes) == 0, "another key", type, count,
         ranks[index], options);
}

/* As many as there may be, in any order, some of them twice. */
std::vector<uint64_t> random_ranks(size_t rank_count, size_t count, uint64_t seed) {
  std::vector<uint64_t> ranks(rank_count);
  for (size_t index = 0; index < rank_count; index++)
    ranks[index] = index % 5 == 4 ? ranks[index - 1] : host_random_below(&seed, count);
  if (rank_count > 2)
    ranks[1] = count - 1;
  ranks[0] = rank_count % 2 == 0 ? 0 : ranks[0];
  return ranks;
}

/* _i: the type. */
START_TEST(finds_keys_at_ranks) {
  static const size_t rank_counts[] = {1, 2, 3, 5, 8, 33, CDP_RANKS_MAX};
  const cdp_type type = type_at(_i);
  const size_t tile = tile_keys(type);
  uint64_t turn = 0;
  for (const size_t count : {size_t{1}, size_t{2}, size_t{100}, tile + 1, 9 * tile})
    for (const size_t rank_count : rank_counts) {
      const host_distribution distribution = turn % 2 == 0 ? HOST_UNIFORM : HOST_EXTREMES;
      must_find(type, keys_of(type, count, distribution, turn), random_ranks(rank_count, count, turn),
                simulated_options(turn, static_cast<cdp_order>(turn / 2 % 2)));
      turn++;
    }
}
END_TEST

/* _i: the distribution. */
START_TEST(finds_keys_in_every_distribution) {
  for (const cdp_type type : {CDP_U32, CDP_F64, CDP_I16, CDP_U8})
    for (const size_t rank_count : {size_t{1}, size_t{5}, size_t{20}})
      must_find(type, keys_of(type, 6007, static_cast<host_distribution>(_i), rank_count), random_ranks(rank_count, 6007, rank_count),
                simulated_options(rank_count));
  for (const size_t strays : {size_t{1}, size_t{300}})
    must_find(CDP_U64, clustered_keys(4000, 100, strays, static_cast<uint64_t>(_i)), random_ranks(7, 4000, strays),
              simulated_options(strays));
}
END_TEST

/* ---- In stream order --------------------------------------------------------------------------------------------------- */

/* In a workspace of exactly the size asked for, whose contents do not matter, and in none. _i: type. */
START_TEST(selects_in_stream_order) {
  const cdp_type type = type_at(_i);
  const size_t bytes_each = host_key_bytes(type);
  constexpr size_t COUNT = 6000;
  constexpr size_t K = 700;
  const cdp_options options = simulated_options(4, CDP_DESCENDING);
  const Bytes keys = keys_of(type, COUNT, HOST_EXTREMES, 4);
  const Bytes sorted = sorted_keys(type, options, keys);
  const std::vector<uint64_t> order = stable_order(type, options, keys);
  for (int form = 0; form < 8; form++) {
    const bool allocates = form % 2 != 0;
    const Guarded own(keys);
    const Guarded top_keys(Bytes(K * bytes_each));
    const Guarded indices(Bytes(K * 4));
    const uint64_t rank = K - 1;
    unsigned char *k = own.bytes();
    unsigned char *t = top_keys.bytes();
    cdp_top top = CDP_TOP_INIT;
    top.index_bytes = 4;
    size_t bytes = 0;
    ck_assert_int_eq(form < 2   ? cdp_nth_element_workspace(COUNT, type, &options, rank, &bytes)
                     : form < 4 ? cdp_partial_sort_workspace(COUNT, type, &options, K, &bytes)
                     : form < 6 ? cdp_top_k_workspace(COUNT, type, &options, K, &top, &bytes)
                                : cdp_quantiles_workspace(COUNT, type, &options, 1, &bytes),
                     CDP_OK);
    ck_assert_uint_gt(bytes, 0);
    top.indices = indices.bytes();
    const Guarded workspace(Bytes(bytes, 0xC3));
    unsigned char *w = workspace.bytes();
    cdp_status status = CDP_OK;
    if (form < 2)
      status = allocates ? cdp_nth_element_on_stream(k, COUNT, type, &options, rank, nullptr)
                         : cdp_nth_element_async(k, COUNT, type, &options, rank, w, bytes, nullptr);
    else if (form < 4)
      status = allocates ? cdp_partial_sort_on_stream(k, COUNT, type, &options, K, nullptr)
                         : cdp_partial_sort_async(k, COUNT, type, &options, K, w, bytes, nullptr);
    else if (form < 6)
      status = allocates ? cdp_top_k_on_stream(k, COUNT, type, &options, K, t, &top, nullptr)
                         : cdp_top_k_async(k, COUNT, type, &options, K, t, &top, w, bytes, nullptr);
    else
      status = allocates ? cdp_quantiles_on_stream(k, COUNT, type, &options, &rank, 1, t, nullptr)
                         : cdp_quantiles_async(k, COUNT, type, &options, &rank, 1, t, w, bytes, nullptr);
    ck_assert_msg(status == CDP_OK, "%s", cdp_last_message());
    if (form < 4) {
      must_be_partitioned(own.contents(), sorted, type, K - 1, form < 2 ? 0 : K, options);
    } else {
      ck_assert(own.contents() == keys);
      const Bytes found = top_keys.contents();
      ck_assert(form < 6 ? found == in_order(keys, bytes_each, order, K)
                         : memcmp(found.data(), &sorted[rank * bytes_each], bytes_each) == 0);
      const std::vector<uint64_t> numbers = numbers_of(indices.contents(), 4);
      ck_assert(form >= 6 || std::equal(numbers.begin(), numbers.end(), order.begin()));
    }
    ck_assert_uint_eq(workspace.contents().size(), bytes);
  }
}
END_TEST

/* The same every time, whatever the schedule. */
START_TEST(selects_the_same_whatever_the_seed) {
  const Bytes keys = keys_of(CDP_F32, 7000, HOST_FEW_DISTINCT, 1);
  Bytes first_keys;
  Bytes first_top;
  for (uint64_t seed = 0; seed < 5; seed++) {
    const cdp_options options = simulated_options(seed);
    const Guarded own(keys);
    const Guarded top_keys(Bytes(3000 * sizeof(float)));
    cdp_top top = CDP_TOP_INIT;
    top.order = CDP_TOP_UNSORTED;
    ck_assert_int_eq(cdp_top_k(own.bytes(), 7000, CDP_F32, &options, 3000, top_keys.bytes(), &top), CDP_OK);
    ck_assert_int_eq(cdp_nth_element(own.bytes(), 7000, CDP_F32, &options, 4000), CDP_OK);
    first_keys = seed == 0 ? own.contents() : first_keys;
    first_top = seed == 0 ? top_keys.contents() : first_top;
    ck_assert(own.contents() == first_keys && top_keys.contents() == first_top);
  }
}
END_TEST

} // namespace

int main() {
  Suite *suite = suite_create("select");
  TCase *tests = tcase_create("select");
  tcase_set_timeout(tests, TEST_SECONDS);
  tcase_add_loop_test(tests, partitions_any_number, 0, TYPES);
  tcase_add_loop_test(tests, partitions_every_distribution, 0, HOST_DISTRIBUTIONS);
  tcase_add_loop_test(tests, goes_on_in_what_a_sample_does_not_show, 0, 9);
  tcase_add_loop_test(tests, takes_the_top_of_any_number, 0, TYPES);
  tcase_add_loop_test(tests, takes_equal_keys_that_come_first, 0, HOST_DISTRIBUTIONS);
  tcase_add_test(tests, brings_all_columns);
  tcase_add_loop_test(tests, finds_keys_at_ranks, 0, TYPES);
  tcase_add_loop_test(tests, finds_keys_in_every_distribution, 0, HOST_DISTRIBUTIONS);
  tcase_add_loop_test(tests, selects_in_stream_order, 0, TYPES);
  tcase_add_test(tests, selects_the_same_whatever_the_seed);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
