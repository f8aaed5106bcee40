/* SPDX-License-Identifier: MIT */
/*
 * pairs.h on the GPU: values of every size and at every address, columns, argsort; all types, orders, ties and calls; arrays in
 * every kind of memory; and keys of 8 bytes that agree in their upper bits. The host sorts rows of a key and its values by
 * itself, and compares. test_gpu_indices.cpp has more keys, test_gpu_pairs_refused.cpp what is refused.
 */
#include "gpu_tables.h"

#include "agreeing_keys.h"
#include "tile_sizes.h"

using namespace gpu_check;
using namespace gpu_tables;

namespace {

constexpr size_t VALUE_SIZES[] = {1, 2, 3, 4, 5, 8, 12, 16, 24};
constexpr int VALUE_SIZE_COUNT = 9;

/* Random keys, and such as are often equal, NaNs and zeros of both signs among them. */
host_distribution host_distribution_at(uint64_t turn) {
  static const host_distribution distributions[] = {HOST_EXTREMES, HOST_UNIFORM, HOST_FEW_DISTINCT, HOST_LOST_PIVOT,
                                                    HOST_SORTED};
  return distributions[turn % 5];
}

std::vector<size_t> sizes() {
  const size_t block = one_block_items(CDP_U64);
  std::vector<size_t> all = {1, 2, 1000, block - 1, block, block + 1, 20011};
  for (const uint32_t key_bytes : {4u, 8u}) {
    all.push_back(cuda_block_pairs(key_bytes));
    all.push_back(cuda_block_pairs(key_bytes) + 1);
  }
  if (!quick())
    all.push_back(100003);
  return all;
}

/* ---- Rows that the host sorts too -------------------------------------------------------------------------------- */

/* _i: the type. */
START_TEST(test_types) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  uint64_t turn = 0;
  for (const cdp_order order : ORDERS)
    for (const cdp_ties ties : ALL_TIES)
      for (const size_t count : sizes()) {
        const Way way = {static_cast<Call>(turn % CALLS), Place::device, Place::device, turn % 3};
        const Table table =
            make_table(type, make_keys(type, count, host_distribution_at(turn)), {VALUE_SIZES[turn % VALUE_SIZE_COUNT]});
        check_pairs(table, options_of(order, ties), way, "types");
        turn++;
      }
}
END_TEST

/* _i: the size of a value. */
START_TEST(test_values) {
  for (const cdp_type type : {CDP_I8, CDP_F16, CDP_F32, CDP_I64})
    for (const cdp_ties ties : {CDP_TIES_ANY, CDP_TIES_STABLE})
      for (const size_t shift : {0, 1, 2, 4, 8}) {
        Way way = ON_DEVICE;
        way.shift = shift;
        for (const size_t count : {1999, 9973}) // sorted by one block, and not
          check_pairs(make_table(type, make_keys(type, count, HOST_FEW_DISTINCT), {VALUE_SIZES[_i]}),
                      options_of(CDP_ASCENDING, ties), way, "values");
      }
}
END_TEST

/* _i: the kinds of memory of the keys and of the values. */
START_TEST(test_places) {
  const Way way = {Call::blocking, static_cast<Place>(_i / PLACES), static_cast<Place>(_i % PLACES), 1};
  const size_t count = pick(100003, 20011);
  for (const cdp_type type : {CDP_F32, CDP_U64}) {
    check_pairs(make_table(type, make_keys(type, count, HOST_EXTREMES), {4}), options_of(CDP_ASCENDING, CDP_TIES_ANY), way,
                "places");
    check_pairs(make_table(type, make_keys(type, count, HOST_EXTREMES), {3, 16}), options_of(CDP_DESCENDING, CDP_TIES_BY_VALUE),
                way, "places");
    check_argsort(make_table(type, make_keys(type, count, HOST_FEW_DISTINCT), {}), options_of(CDP_ASCENDING, CDP_TIES_ANY), way,
                  static_cast<Keys>(_i % KEYS), 4);
  }
}
END_TEST

/* _i: the call. */
START_TEST(test_columns) {
  const Way way = {static_cast<Call>(_i), Place::device, Place::managed, 0};
  const std::vector<size_t> most = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 100, 1, 8, 4, 2};
  ck_assert_uint_eq(most.size(), CDP_COLUMNS_MAX);
  for (const cdp_type type : {CDP_U8, CDP_BF16, CDP_F32, CDP_F64})
    for (const cdp_ties ties : ALL_TIES) {
      const std::vector<size_t> short_most = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 64, 1, 8, 4, 2};
      const Bytes keys = make_keys(type, 20011, HOST_EXTREMES);
      check_pairs(make_table(type, keys, most), options_of(CDP_ASCENDING, ties), way, "most columns");
      check_pairs(make_table(type, make_keys(type, 2000, HOST_EXTREMES), short_most), options_of(CDP_DESCENDING, ties), way,
                  "most columns of one block");
      check_pairs(make_table(type, keys, {4, 4}), options_of(CDP_DESCENDING, ties), way, "two columns");
      check_pairs(make_table(type, keys, {}), options_of(CDP_ASCENDING, ties), way, "no columns");
    }
}
END_TEST

/* _i: the type. */
START_TEST(test_argsort) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  uint64_t turn = 0;
  for (const size_t count : sizes())
    for (int wanted = 0; wanted < KEYS; wanted++)
      for (const size_t index_bytes : {4, 8}) {
        const Way way = {static_cast<Call>(turn / 2 % CALLS), Place::device, Place::device, 0};
        const Table table = make_table(type, make_keys(type, count, host_distribution_at(turn)), {});
        check_argsort(table, options_of(ORDERS[turn / 3 % 2], ALL_TIES[turn % 3]), way, static_cast<Keys>(wanted), index_bytes);
        turn++;
      }
}
END_TEST

/* What test_gpu_indices.cpp has captured is pairs, and indices alone. _i: with a workspace, or without. */
START_TEST(test_captured) {
  const Way way = {_i == 0 ? Call::async : Call::on_stream, Place::device, Place::device, 0, true};
  for (const cdp_type type : {CDP_U16, CDP_F32, CDP_U64})
    for (const size_t count : {size_t{1}, size_t{1000}, static_cast<size_t>(pick(100003, 20011))}) {
      const Bytes keys = make_keys(type, count, HOST_EXTREMES);
      check_pairs(make_table(type, keys, {4, 1, 24}), options_of(CDP_ASCENDING, CDP_TIES_ANY), way, "columns");
      check_pairs(make_table(type, keys, {}), options_of(CDP_DESCENDING, CDP_TIES_BY_VALUE), way, "no columns");
      for (int wanted = 0; wanted < KEYS; wanted++)
        check_argsort(make_table(type, keys, {}), options_of(CDP_DESCENDING, CDP_TIES_BY_VALUE), way, static_cast<Keys>(wanted),
                      8);
    }
}
END_TEST

/* ---- Keys that agree in their upper bits ------------------------------------------------------------------------- */

/* _i: the type. */
START_TEST(test_agreeing) {
  const cdp_type type = _i == 0 ? CDP_U64 : _i == 1 ? CDP_I64 : CDP_F64;
  uint64_t turn = 0;
  for (const size_t count : {size_t{100}, size_t{4000}, static_cast<size_t>(pick(100003, 20011))})
    for (const std::vector<uint64_t> &ranks : make_agreeing(count, seed()))
      for (const cdp_order order : ORDERS) {
        const cdp_options options = options_of(order, ALL_TIES[turn % 3]);
        const Way way = {static_cast<Call>(turn % CALLS), Place::device, Place::device, 0};
        check_pairs(make_table(type, keys_of_ranks(type, ranks), {8}), options, way, "agreeing");
        check_argsort(make_table(type, keys_of_ranks(type, ranks), {}), options, way, static_cast<Keys>(turn % KEYS), 4);
        turn++;
      }
}
END_TEST

/* A run that begins and ends, and falls, to either side of where a tile does (6,144 keys of the large kind) and of the longest run that
   every tile holds (2,048). _i: where it begins. */
START_TEST(test_runs_across_tiles) {
  static const size_t offsets[] = {0, 4095, 4096, 6143, 6144, 8191};
  for (const size_t length : {2047, 2048, 2049, 4096, 7000})
    for (const size_t fall : {size_t{1}, size_t{2047}, size_t{2048}, length - 1}) {
      if (fall >= length)
        continue;
      const std::vector<uint64_t> ranks = make_run_at(1 << 14, offsets[_i], length, fall);
      check_pairs(make_table(CDP_U64, keys_of_ranks(CDP_U64, ranks), {4}), options_of(CDP_ASCENDING, CDP_TIES_STABLE),
                  ON_DEVICE, "a run");
    }
}
END_TEST

/* So many keys that a long run may take three sorts: its uppermost bit that varies is so high that the second one does not show the
   lowest ones. Each value is its key's index; there is another column, with which nothing is carried. */
START_TEST(test_many_rounds) {
  constexpr uint32_t COUNT = (1u << 25) + 5;
  constexpr uint32_t RUN = 10000;
  constexpr uint64_t RUN_KEYS = uint64_t{0x5A5A5A5A58} << 24;
  uint64_t state = seed();
  std::vector<uint64_t> keys(COUNT);
  std::vector<uint32_t> values(COUNT);
  for (uint32_t index = 0; index < COUNT; index++) {
    keys[index] = index % (COUNT / RUN) == 1 ? RUN_KEYS | host_random_below(&state, 16) : host_random(&state);
    values[index] = index;
  }
  keys[0] = RUN_KEYS | uint64_t{1} << 25;
  keys[2] = 0; // so that a window is of all bits
  keys[3] = UINT64_MAX;
  std::vector<uint64_t> sorted = keys;
  const cdp_options options = options_of(CDP_ASCENDING, CDP_TIES_STABLE);
  std::vector<unsigned char> others(COUNT);
  const cdp_column columns[] = {{values.data(), sizeof values[0]}, {others.data(), 1}};
  const cdp_status status = cdp_quicksort_columns(sorted.data(), columns, 2, COUNT, CDP_U64, &options);
  ck_assert_msg(status == CDP_OK, "%s", cdp_last_message());
  // Not a check for each key: Check takes a microsecond for it.
  std::vector<bool> has_come(COUNT);
  uint32_t right = 0;
  for (; right < COUNT; right++) {
    const uint32_t origin = values[right];
    if (origin >= COUNT || has_come[origin] || keys[origin] != sorted[right])
      break;
    has_come[origin] = true;
    if (right != 0 && (sorted[right] < sorted[right - 1] || (sorted[right] == sorted[right - 1] && origin < values[right - 1])))
      break;
  }
  ck_assert_msg(right == COUNT, "key %u or what goes with it is wrong, seed %llu", right,
                static_cast<unsigned long long>(seed()));
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_pairs");
  TCase *test_case = add_case(suite, "rows");
  tcase_add_checked_fixture(test_case, make_stream, destroy_stream);
  tcase_add_loop_test(test_case, test_types, 0, ALL_TYPES);
  tcase_add_loop_test(test_case, test_values, 0, VALUE_SIZE_COUNT);
  tcase_add_loop_test(test_case, test_places, 0, PLACES * PLACES);
  tcase_add_loop_test(test_case, test_columns, 0, CALLS);
  tcase_add_loop_test(test_case, test_argsort, 0, ALL_TYPES);
  tcase_add_loop_test(test_case, test_captured, 0, 2);
  tcase_add_loop_test(test_case, test_agreeing, 0, 3);
  tcase_add_loop_test(test_case, test_runs_across_tiles, 0, 6);
  if (!quick())
    tcase_add_test(test_case, test_many_rounds);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
