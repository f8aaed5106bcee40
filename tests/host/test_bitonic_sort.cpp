/* SPDX-License-Identifier: MIT */
/*
 * cdp_bitonic_sort() and its form in stream order, and both out of place (copy.h), on the simulated device: all types, both orders,
 * and sizes around tiles and around each number of tiles at which a distance is added; no memory is asked for; wrong arguments touch
 * nothing; several at once.
 */
#include "call_check.h"
#include "host_tables.h"
#include "run_suite.h"
#include "tile_sizes.h"

#include <cdpsort/copy.h>

#include <thread>

using namespace host_tables;

namespace {

constexpr uint64_t SEEDS = 2;
constexpr host_distribution DISTRIBUTIONS[] = {HOST_UNIFORM,  HOST_EXTREMES,   HOST_FEW_DISTINCT, HOST_SORTED,
                                               HOST_REVERSED, HOST_ORGAN_PIPE, HOST_ALL_EQUAL};

/* In place, and out of place from such an array to another one. */
cdp_status sort_in_place(unsigned char *keys, size_t count, cdp_type type, const cdp_options &options, bool is_blocking) {
  return is_blocking ? cdp_bitonic_sort(keys, count, type, &options)
                     : cdp_bitonic_sort_on_stream(keys, count, type, &options, nullptr);
}
cdp_status sort_apart(const void *keys, void *sorted_keys, size_t count, cdp_type type, const cdp_options &options,
                      bool is_blocking) {
  return is_blocking ? cdp_bitonic_sort_copy(keys, sorted_keys, count, type, &options)
                     : cdp_bitonic_sort_copy_on_stream(keys, sorted_keys, count, type, &options, nullptr);
}

/* The whole judgement: every byte of the keys is what the oracle's own sort makes of them, and nothing around them has changed. */
void check(cdp_type type, size_t count, host_distribution distribution, uint64_t seed, bool is_blocking) {
  cdp_options options = simulated_options(seed);
  options.order = seed % 2 == 0 ? CDP_ASCENDING : CDP_DESCENDING;
  const Bytes keys = keys_of(type, count, distribution, seed);
  const Bytes wanted = sorted_keys(type, options, keys);
  const Guarded array(keys, seed % 3 * host_key_bytes(type));
  const Guarded from(keys, seed % 3 * host_key_bytes(type));
  const Guarded to(Bytes(keys.size(), 0xEE), seed % 2 * host_key_bytes(type));
  cdp_status status = sort_in_place(array.bytes(), count, type, options, is_blocking);
  if (status == CDP_OK)
    status = sort_apart(from.bytes(), to.bytes(), count, type, options, is_blocking);
  ck_assert_msg(status == CDP_OK, "%zu %s keys, seed %llu: %s", count, host_type_name(type),
                static_cast<unsigned long long>(seed), cdp_last_message());
  ck_assert_msg(array.contents() == wanted && to.contents() == wanted, "%zu %s keys, %s, seed %llu: not sorted", count,
                host_type_name(type), host_distribution_name(distribution), static_cast<unsigned long long>(seed));
  ck_assert_msg(from.contents() == keys, "%zu %s keys: the input has changed", count, host_type_name(type));
}

/* _i: the type. Up to one tile, and around each number of them at which there is a phase more. */
START_TEST(sorts_any_length) {
  const cdp_type type = type_at(_i);
  const size_t tile = simulated_bitonic_tile(static_cast<uint32_t>(host_key_bytes(type)));
  const size_t counts[] = {0,        1,        2,        3,        31,           33,           tile / 2,     tile - 1,     tile,
                           tile + 1, 2 * tile, 3 * tile, 4 * tile, 2 * tile - 1, 2 * tile + 1, 4 * tile + 1, 5 * tile + 77};
  uint64_t turn = static_cast<uint64_t>(_i);
  for (uint64_t seed = 0; seed < SEEDS; seed++)
    for (const size_t count : counts) {
      check(type, count, DISTRIBUTIONS[turn % 7], turn, turn % 3 != 0);
      turn++;
    }
}
END_TEST

/* _i: how many distances there are beyond a tile. As many as two passes and one over take, for each width. */
START_TEST(sorts_many_tiles) {
  for (const cdp_type type : {CDP_U8, CDP_I16, CDP_F32, CDP_F64}) {
    const size_t tile = simulated_bitonic_tile(static_cast<uint32_t>(host_key_bytes(type)));
    const size_t count = tile << _i;
    check(type, count, HOST_UNIFORM, static_cast<uint64_t>(_i) + 1, true);
    check(type, count + tile / 3, HOST_EXTREMES, static_cast<uint64_t>(_i), true);
    check(type, count - 5, HOST_REVERSED, static_cast<uint64_t>(_i), false);
  }
}
END_TEST

void *refuse_memory(size_t, void *asked) {
  *static_cast<bool *>(asked) = true;
  return nullptr;
}

void release_nothing(void *, size_t, void *) {}

START_TEST(asks_for_no_memory) {
  bool asked = false;
  cdp_options options = simulated_options(3);
  options.allocator = {refuse_memory, release_nothing, &asked};
  const Bytes keys = keys_of(CDP_U32, 3000, HOST_UNIFORM, 3);
  for (const bool is_blocking : {true, false}) {
    const Guarded array(keys);
    const Guarded to{Bytes(keys.size())};
    ck_assert_int_eq(sort_apart(array.bytes(), to.bytes(), 3000, CDP_U32, options, is_blocking), CDP_OK);
    ck_assert_int_eq(sort_in_place(array.bytes(), 3000, CDP_U32, options, is_blocking), CDP_OK);
    ck_assert(array.contents() == sorted_keys(CDP_U32, options, keys) && to.contents() == array.contents());
  }
  ck_assert(!asked);
  ck_assert_ptr_nonnull(strstr(cdp_last_device(), "simulated"));
}
END_TEST

/* ---- Wrong arguments --------------------------------------------------------------------------------------------------- */

/* _i: which form, in place and out of place. */
START_TEST(refuses_wrong_arguments) {
  const cdp_options options = simulated_options(1);
  const Bytes keys = random_bytes(1024, 5);
  const Guarded array(keys);
  const Guarded to{Bytes(1024)};
  const auto sort = [&](unsigned char *at, size_t count, cdp_type type, const cdp_options &how) {
    return _i < 2 ? sort_in_place(at, count, type, how, _i == 0) : sort_apart(at, to.bytes(), count, type, how, _i == 2);
  };
  must_fail(CDP_ERROR_NULL, sort(nullptr, 16, CDP_U32, options), "keys is NULL");
  must_fail(CDP_ERROR_NULL, sort(nullptr, 1, CDP_U32, options), "keys is NULL");
  must_fail(CDP_ERROR_ALIGNMENT, sort(array.bytes() + 2, 16, CDP_U32, options), "multiple of 4");
  must_fail(CDP_ERROR_ALIGNMENT, sort(array.bytes() + 4, 16, CDP_F64, options), "multiple of 8");
  must_fail(CDP_ERROR_TYPE, sort(array.bytes(), 16, static_cast<cdp_type>(0), options), "type");
  must_fail(CDP_ERROR_TYPE, sort(array.bytes(), 16, static_cast<cdp_type>(TYPES + 1), options), "type");
  must_fail(CDP_ERROR_SIZE, sort(array.bytes(), CDP_COUNT_MAX + 1, CDP_U8, options), "CDP_COUNT_MAX");
  cdp_options wrong = options;
  wrong.ties = static_cast<cdp_ties>(3);
  must_fail(CDP_ERROR_OPTION, sort(array.bytes(), 16, CDP_U32, wrong), "ties");
  wrong = options;
  wrong.ties = CDP_TIES_BY_VALUE;
  must_fail(CDP_ERROR_OPTION, sort(array.bytes(), 16, CDP_F32, wrong), "ties");
  ck_assert_int_eq(sort(nullptr, 0, CDP_F32, options), CDP_OK);
  ck_assert_str_eq(cdp_last_message(), "");
  ck_assert(array.contents() == keys && to.contents() == Bytes(1024));
  ck_assert_int_eq(sort(array.bytes(), 16, CDP_U32, wrong), CDP_OK); // of integers these ties are as good as any
}
END_TEST

/* _i: which form. */
START_TEST(refuses_wrong_arguments_of_a_copy) {
  const cdp_options options = simulated_options(1);
  const Bytes memory = random_bytes(1024, 7);
  const Guarded array(memory);
  unsigned char *keys = array.bytes();
  const auto sort = [&](const void *from, void *to, size_t count) {
    return sort_apart(from, to, count, CDP_U32, options, _i == 0);
  };
  must_fail(CDP_ERROR_NULL, sort(keys, nullptr, 16), "sorted_keys is NULL");
  must_fail(CDP_ERROR_NULL, sort(keys, nullptr, 1), "sorted_keys is NULL");
  must_fail(CDP_ERROR_ALIGNMENT, sort(keys, keys + 66, 16), "sorted_keys is");
  must_fail(CDP_ERROR_POINTER, sort(keys, keys, 16), "keys and sorted_keys overlap");
  must_fail(CDP_ERROR_POINTER, sort(keys, keys, 1), "keys and sorted_keys overlap");
  must_fail(CDP_ERROR_POINTER, sort(keys, keys + 60, 16), "overlap");
  must_fail(CDP_ERROR_POINTER, sort(keys + 60, keys, 16), "overlap");
  ck_assert_int_eq(sort(keys, keys, 0), CDP_OK);
  ck_assert(array.contents() == memory);
  ck_assert_int_eq(sort(keys, keys + 64, 16), CDP_OK); // side by side
  ck_assert_mem_eq(keys, memory.data(), 64);
}
END_TEST

START_TEST(refuses_a_stream_where_there_is_none) {
  const cdp_options options = simulated_options(1);
  const Bytes keys = random_bytes(1024, 6);
  const Guarded array(keys);
  int stream = 0;
  must_fail(CDP_ERROR_POINTER, cdp_bitonic_sort_on_stream(array.bytes(), 16, CDP_U32, &options, &stream), "stream");
  must_fail(CDP_ERROR_POINTER,
            cdp_bitonic_sort_copy_on_stream(array.bytes(), array.bytes() + 64, 16, CDP_U32, &options, &stream), "stream");
  ck_assert(array.contents() == keys);
}
END_TEST

START_TEST(several_sort_at_once) {
  const auto sort = [](uint64_t seed, bool *is_sorted) {
    const cdp_options options = simulated_options(seed);
    const Bytes keys = keys_of(CDP_I64, 1500 + seed, HOST_UNIFORM, seed);
    const Bytes wanted = sorted_keys(CDP_I64, options, keys);
    Bytes own = keys;
    Bytes apart(keys.size());
    *is_sorted = cdp_bitonic_sort(own.data(), 1500 + seed, CDP_I64, &options) == CDP_OK && own == wanted &&
                 cdp_bitonic_sort_copy(keys.data(), apart.data(), 1500 + seed, CDP_I64, &options) == CDP_OK && apart == wanted;
  };
  bool sorted[3] = {};
  std::vector<std::thread> threads;
  for (uint64_t number = 0; number < 3; number++)
    threads.emplace_back(sort, number, &sorted[number]);
  for (std::thread &thread : threads)
    thread.join();
  for (const bool one : sorted)
    ck_assert(one);
}
END_TEST

} // namespace

int main() {
  Suite *suite = suite_create("bitonic_sort");
  TCase *sorts = tcase_create("sorts");
  tcase_set_timeout(sorts, TEST_SECONDS);
  tcase_add_loop_test(sorts, sorts_any_length, 0, TYPES);
  tcase_add_loop_test(sorts, sorts_many_tiles, 1, 8);
  tcase_add_test(sorts, asks_for_no_memory);
  tcase_add_loop_test(sorts, refuses_wrong_arguments, 0, 4);
  tcase_add_loop_test(sorts, refuses_wrong_arguments_of_a_copy, 0, 2);
  tcase_add_test(sorts, refuses_a_stream_where_there_is_none);
  tcase_add_test(sorts, several_sort_at_once);
  suite_add_tcase(suite, sorts);
  return run_suite(suite);
}
