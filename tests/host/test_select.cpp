/* SPDX-License-Identifier: MIT */
/*
 * Half a sort (select.h), on the simulated device, against the host's own order: arrays partitioned at a rank and partly sorted, keys at
 * several ranks, the calls in stream order; all types, orders and distributions, ranks from end to end, sizes around tiles and shares,
 * and keys that agree in many bits. test_top_keys.cpp has the top keys, test_select_calls.c what is refused.
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
  must(sorted_keys(type, options, part(found, rank, count)) == part(sorted, rank, count), "other keys are behind it", type,
       count, rank, options);
  must(part(found, 0, sorted_items) == part(sorted, 0, sorted_items), "they are not in order", type, count, sorted_items,
       options);
}

/* At a rank, and sorted up to it. */
void must_partition(cdp_type type, const Bytes &keys, size_t rank, const cdp_options &options, size_t offset = 0) {
  const size_t count = keys.size() / host_key_bytes(type);
  const Bytes sorted = sorted_keys(type, options, keys);
  const Guarded own(keys, offset);
  ck_assert_msg(cdp_nth_element(own.bytes(), count, type, &options, rank) == CDP_OK, "%s", cdp_last_message());
  must_be_partitioned(own.contents(), sorted, type, rank, 0, options);
}

void must_sort_partly(cdp_type type, const Bytes &keys, size_t rank, const cdp_options &options, size_t offset = 0) {
  const size_t count = keys.size() / host_key_bytes(type);
  const Bytes sorted = sorted_keys(type, options, keys);
  const Guarded own(keys, offset);
  ck_assert_msg(cdp_partial_sort(own.bytes(), count, type, &options, rank + 1) == CDP_OK, "%s", cdp_last_message());
  must_be_partitioned(own.contents(), sorted, type, rank, rank + 1, options);
}

/* _i: the type. */
START_TEST(partitions_any_number) {
  const cdp_type type = type_at(_i);
  const size_t tile = tile_keys(type);
  for (const size_t count : {size_t{1}, size_t{2}, size_t{3}, size_t{31}, size_t{33}, tile - 1, tile, tile + 1, 8 * tile - 1,
                             8 * tile, 8 * tile + 1, 17 * tile + 5})
    for (const size_t rank : ranks_of(count)) {
      if (host_key_bytes(type) < 4 && count > 1 && rank != count / 2)
        continue; // these are sorted, whatever the rank
      const cdp_order order = (count + rank) % 2 == 0 ? CDP_ASCENDING : CDP_DESCENDING;
      const host_distribution distribution = rank % 3 == 0 ? HOST_EXTREMES : HOST_UNIFORM;
      const Bytes keys = keys_of(type, count, distribution, count);
      const size_t offset = count % 3 * host_key_bytes(type);
      must_partition(type, keys, rank, options_of(rank, order), offset);
      if (rank == count / 2 || rank == count - 1)
        must_sort_partly(type, keys, rank, options_of(rank, order), offset);
    }
}
END_TEST

/* _i: the distribution. */
START_TEST(partitions_every_distribution) {
  const auto distribution = static_cast<host_distribution>(_i);
  for (const cdp_type type : {CDP_U32, CDP_F64, CDP_F32, CDP_I64}) {
    for (const size_t rank : ranks_of(5003))
      must_partition(type, keys_of(type, 5003, distribution, rank), rank, options_of(rank, static_cast<cdp_order>(rank % 2)));
    must_sort_partly(type, keys_of(type, 5003, distribution, 7), 1500, options_of(7));
  }
}
END_TEST

/* ---- Keys that agree in many bits -------------------------------------------------------------------------------------- */

/* _i: how far most keys are spread. */
START_TEST(goes_on_in_what_a_sample_does_not_show) {
  static const uint64_t spreads[] = {1, 2, 3, 127, 128, 129, 1000, uint64_t{1} << 20, uint64_t{1} << 40};
  for (const size_t strays : {size_t{0}, size_t{1}, size_t{5}, size_t{600}}) {
    const Bytes keys = clustered_keys(4000, spreads[_i], strays, strays + static_cast<uint64_t>(_i));
    for (const size_t rank :
         {size_t{0}, size_t{1}, size_t{4}, size_t{300}, size_t{2000}, size_t{3700}, size_t{3995}, size_t{3999}})
      must_partition(CDP_U64, keys, rank, options_of(1, static_cast<cdp_order>(rank % 2)));
  }
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
  const size_t few = cdp::select_shape(true).threads * cdp::select_shape(true).sorted_keys;
  uint64_t turn = 0;
  for (const size_t count : {size_t{1}, size_t{2}, size_t{100}, few - 1, few, few + 1, tile + 1, 9 * tile})
    for (const size_t rank_count : rank_counts) {
      const host_distribution distribution = turn % 2 == 0 ? HOST_UNIFORM : HOST_EXTREMES;
      must_find(type, keys_of(type, count, distribution, turn), random_ranks(rank_count, count, turn),
                options_of(turn, static_cast<cdp_order>(turn / 2 % 2)));
      turn++;
    }
}
END_TEST

/* _i: the distribution. */
START_TEST(finds_keys_in_every_distribution) {
  for (const cdp_type type : {CDP_U32, CDP_F64, CDP_I16, CDP_U8})
    for (const size_t rank_count : {size_t{1}, size_t{5}, size_t{20}})
      must_find(type, keys_of(type, 6007, static_cast<host_distribution>(_i), rank_count),
                random_ranks(rank_count, 6007, rank_count), options_of(rank_count));
  for (const size_t strays : {size_t{1}, size_t{300}})
    must_find(CDP_U64, clustered_keys(4000, 100, strays, static_cast<uint64_t>(_i)), random_ranks(7, 4000, strays),
              options_of(strays));
}
END_TEST

/* ---- In stream order --------------------------------------------------------------------------------------------------- */

/* In a workspace of exactly the size asked for, whose contents do not matter, and in none. _i: type. */
START_TEST(selects_in_stream_order) {
  const cdp_type type = type_at(_i);
  const size_t bytes_each = host_key_bytes(type);
  constexpr size_t COUNT = 6000;
  constexpr size_t K = 700;
  const cdp_options options = options_of(4, CDP_DESCENDING);
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
    const cdp_options options = options_of(seed);
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
  add_options_loop_test(tests, partitions_any_number, 0, TYPES);
  tcase_add_loop_test(tests, partitions_every_distribution, 0, HOST_DISTRIBUTIONS);
  tcase_add_loop_test(tests, goes_on_in_what_a_sample_does_not_show, 0, 9);
  add_options_loop_test(tests, finds_keys_at_ranks, 0, TYPES);
  tcase_add_loop_test(tests, finds_keys_in_every_distribution, 0, HOST_DISTRIBUTIONS);
  add_options_loop_test(tests, selects_in_stream_order, 0, TYPES);
  tcase_add_test(tests, selects_the_same_whatever_the_seed);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
