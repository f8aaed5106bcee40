/* SPDX-License-Identifier: MIT */
/*
 * Segmented sorts out of place (copy.h), on the simulated device, against the same oracle as those in place (test_segments.cpp): what
 * is in no segment is copied, the input is as it was, and nothing else is written; little to do, the workspace, allocators, several
 * threads, and wrong arguments.
 */
#include "call_check.h"
#include "host_segments.h"
#include "run_suite.h"

#include <thread>

using namespace host_segments;

namespace {

/* A sort out of place. */
Job copy_of(cdp_type type, const Table &table, host_distribution distribution, size_t turn,
            const std::vector<size_t> &columns = {}) {
  Job job = job_of(type, table, distribution, turn, columns);
  job.is_apart = true;
  return job;
}

/* So many keys, and no segment. */
Table no_segments(uint64_t count, size_t offset_bytes) {
  Table table;
  table.offset_bytes = offset_bytes;
  table.skip(count);
  return table;
}

/* ---- Lengths ----------------------------------------------------------------------------------------------------------- */

/* Around each limit, of one length and by offsets with gaps between, with values and without. _i: the type. */
START_TEST(copies_segments_of_any_length) {
  const cdp_type type = type_at(_i);
  size_t turn = static_cast<size_t>(_i);
  for (const bool has_columns : {false, true})
    for (const uint64_t limit : limits_of(item_bytes_of(type, has_columns)))
      for (uint64_t length = limit - 1; length <= limit + 1; length++, turn++) {
        const uint64_t segments = length < 64 ? 70 : 3;
        const host_distribution distribution = turn % 3 == 0 ? HOST_EXTREMES : HOST_UNIFORM;
        const std::vector<size_t> columns = has_columns ? std::vector<size_t>{4} : std::vector<size_t>{};
        must_sort(copy_of(type, equal_table(segments, length, turn % 2 * 3), distribution, turn, columns));
        must_sort(copy_of(type, table_of(std::vector<uint64_t>(segments, length), GAPS, turn % 2 == 0 ? 4 : 8, turn),
                          distribution, turn + 1, columns));
      }
}
END_TEST

/* Where nothing is sorted all is copied: few keys, no segment, and such as have one key or none. _i: the type. */
START_TEST(copies_what_is_in_no_segment) {
  const cdp_type type = type_at(_i);
  size_t turn = static_cast<size_t>(_i);
  for (const std::vector<size_t> &columns : {std::vector<size_t>{}, std::vector<size_t>{3, 8}})
    for (size_t round = 0; round < 2 * FORMS; round++, turn++) {
      const size_t offset_bytes = round % 2 == 0 ? 4 : 8;
      must_sort(copy_of(type, no_segments(0, offset_bytes), HOST_UNIFORM, turn, columns));
      must_sort(copy_of(type, no_segments(1, offset_bytes), HOST_UNIFORM, turn, columns));
      must_sort(copy_of(type, no_segments(700, offset_bytes), HOST_UNIFORM, turn, columns));
      must_sort(copy_of(type, equal_table(0, 5, 9), HOST_UNIFORM, turn, columns));
      must_sort(copy_of(type, equal_table(7, 0, 9), HOST_UNIFORM, turn, columns));
      must_sort(copy_of(type, equal_table(9, 1, 3), HOST_UNIFORM, turn, columns));
      must_sort(copy_of(type, equal_table(1, 2, 0), HOST_REVERSED, turn, columns));
      must_sort(copy_of(type, table_of({1}, ROWS, offset_bytes, turn), HOST_UNIFORM, turn, columns));
      must_sort(copy_of(type, table_of({2}, ROWS, offset_bytes, turn), HOST_REVERSED, turn, columns));
      must_sort(copy_of(type, table_of({}, AWFUL, offset_bytes, turn), HOST_UNIFORM, turn, columns));
      must_sort(copy_of(type, table_of({0, 1, 0, 1}, AWFUL, offset_bytes, turn), HOST_UNIFORM, turn, columns));
    }
}
END_TEST

/* Any lengths, in any order, with gaps and empty ones, by offsets that are none; values of all sizes, none to as many columns as there
   may be. _i: the type. */
START_TEST(copies_segments_by_awful_offsets) {
  const cdp_type type = type_at(_i);
  const std::vector<std::vector<size_t>> shapes = {
      {}, {1}, {2}, {4}, {8}, {3}, {16, 40}, {24, 5, 100}, std::vector<size_t>(CDP_COLUMNS_MAX, 2), {}};
  for (size_t turn = 0; turn < shapes.size(); turn++) {
    const size_t seed = turn + 10 * static_cast<size_t>(_i);
    const uint64_t count = turn == 1 ? 40 : 6000;
    const std::vector<uint64_t> lengths = awful_lengths(count, limits_of(item_bytes_of(type, !shapes[turn].empty())), seed);
    const Table table = table_of(lengths, turn % 2 == 0 ? AWFUL : GAPS, turn % 3 == 0 ? 4 : 8, seed);
    must_sort(copy_of(type, table, static_cast<host_distribution>(seed % HOST_DISTRIBUTIONS), seed, shapes[turn]));
  }
}
END_TEST

/* So long that they are divided, some again. _i: the distribution. */
START_TEST(copies_long_segments) {
  const host_distribution distribution = static_cast<host_distribution>(_i);
  const size_t turn = static_cast<size_t>(_i);
  must_sort(copy_of(CDP_I32, table_of({50, 200001, 12000}, GAPS, 4, 5), distribution, turn));
  must_sort(copy_of(CDP_F64, equal_table(3, 7001, 3), distribution, turn + 1));
  must_sort(copy_of(CDP_U16, table_of({9000, 40, 3100, 0, 25000}, AWFUL, 8, 6), distribution, turn + 2));
  must_sort(copy_of(CDP_U64, table_of({9000, 40, 3100, 0, 25000}, AWFUL, 8, 7), distribution, turn, {8}));
  must_sort(copy_of(CDP_F32, table_of({25000, 5000}, GAPS, 8, 8), distribution, turn + 1, {4, 3}));
}
END_TEST

/* The call ends, and what lies outside of all segments is copied. _i: the type. */
START_TEST(copies_around_segments_that_overlap) {
  constexpr uint64_t BEGIN = 200;
  constexpr uint64_t END = 6200;
  const cdp_type type = type_at(_i);
  const size_t key_bytes = host_key_bytes(type);
  for (const std::vector<size_t> &columns : {std::vector<size_t>{}, std::vector<size_t>{4}}) {
    Table table;
    uint64_t state = static_cast<uint64_t>(_i);
    table.count = END + 300;
    for (size_t index = 0; index < 140; index++) {
      const uint64_t begin = BEGIN + host_random_below(&state, END - BEGIN);
      table.begins.push_back(index < 40 ? BEGIN : begin);
      table.ends.push_back(index < 40 ? END : begin + host_random_below(&state, END - begin + 1));
    }
    const Job job = copy_of(type, table, HOST_UNIFORM, state, columns);
    const Sorted sorted = sorted_by(job);
    ck_assert_mem_eq(job.keys.data(), sorted.keys.data(), BEGIN * key_bytes);
    ck_assert_mem_eq(&job.keys[END * key_bytes], &sorted.keys[END * key_bytes], (table.count - END) * key_bytes);
    for (size_t column = 0; column < columns.size(); column++) {
      ck_assert_mem_eq(sorted.before[column].data(), sorted.after[column].data(), BEGIN * columns[column]);
      ck_assert_mem_eq(&sorted.before[column][END * columns[column]], &sorted.after[column][END * columns[column]],
                       (table.count - END) * columns[column]);
    }
  }
}
END_TEST

/* ---- Calls ------------------------------------------------------------------------------------------------------------- */

/* Bytes of workspace for segments by offsets of a type's keys, with a column of values of so many bytes, unless these are 0. */
size_t workspace_of(bool is_apart, cdp_type type, size_t value_bytes, size_t count, size_t segment_count) {
  const cdp_options options = simulated_options(0);
  const cdp_column_copy column = {nullptr, nullptr, value_bytes};
  const cdp_column there = {nullptr, value_bytes};
  const size_t columns = value_bytes != 0 ? 1 : 0;
  const cdp_segments segments = {segment_count, nullptr, nullptr, 8, 0};
  size_t bytes = 0;
  ck_assert_int_eq(is_apart ? cdp_segmented_sort_copy_workspace(&column, columns, count, type, &options, &segments, &bytes)
                            : cdp_segmented_sort_workspace(&there, columns, count, type, &options, &segments, &bytes),
                   CDP_OK);
  return bytes;
}

/* No more than in place, and nothing for what is gathered. */
START_TEST(needs_no_larger_workspace) {
  const size_t count = 100000;
  for (const cdp_type type : {CDP_U8, CDP_F32, CDP_U64}) {
    ck_assert_uint_eq(workspace_of(true, type, 0, count, 10), workspace_of(false, type, 0, count, 10));
    for (const size_t value_bytes : {1, 4, 8, 40})
      ck_assert_uint_le(workspace_of(true, type, value_bytes, count, 10), workspace_of(false, type, value_bytes, count, 10));
    ck_assert_uint_eq(workspace_of(true, type, 1, count, 10), workspace_of(true, type, 4000, count, 10));
    ck_assert_uint_lt(workspace_of(true, type, 40, count, 10) + 31 * count, workspace_of(false, type, 40, count, 10));
    for (const size_t value_bytes : {0, 40}) {
      ck_assert_uint_eq(workspace_of(true, type, value_bytes, 0, 10), 0);
      ck_assert_uint_eq(workspace_of(true, type, value_bytes, 1, 10), CDP_WORKSPACE_ALIGNMENT);
      ck_assert_uint_eq(workspace_of(true, type, value_bytes, count, 0), CDP_WORKSPACE_ALIGNMENT);
    }
  }
}
END_TEST

/* Once, if a workspace is needed, for as many bytes as that has; and where there is none, nothing is written. */
START_TEST(asks_an_allocator_once) {
  account kept = {};
  const cdp_options options = options_with_account(&kept);
  uint64_t keys[40], sorted_keys[40] = {};
  uint16_t values[40], sorted_values[40] = {};
  for (size_t index = 0; index < 40; index++)
    keys[index] = values[index] = static_cast<uint16_t>(40 - index);
  const cdp_segments pairs = {20, nullptr, nullptr, 0, 2};
  const cdp_segments ones = {40, nullptr, nullptr, 0, 1};
  const cdp_column_copy column = {values, sorted_values, 2};
  const auto block = [&](const cdp_segments *segments) {
    return cdp_segmented_sort_copy(keys, sorted_keys, &column, 1, 40, CDP_U64, &options, segments);
  };
  const auto launch = [&](const cdp_segments *segments) {
    return cdp_segmented_sort_copy_on_stream(keys, sorted_keys, &column, 1, 40, CDP_U64, &options, segments, nullptr);
  };
  size_t bytes = 0;
  kept.is_empty = true;
  must_fail(CDP_ERROR_MEMORY, block(&pairs), "allocator");
  must_fail(CDP_ERROR_MEMORY, launch(&pairs), "allocator");
  ck_assert(kept.allocations == 2 && kept.releases == 0);
  for (size_t index = 0; index < 40; index++)
    ck_assert(sorted_keys[index] == 0 && sorted_values[index] == 0 && keys[index] == 40 - index);
  ck_assert_int_eq(block(&ones), CDP_OK); // a copy alone needs none
  ck_assert(kept.allocations == 2 && sorted_keys[0] == 40 && sorted_values[39] == 1);
  kept.is_empty = false;
  ck_assert_int_eq(cdp_segmented_sort_copy_workspace(&column, 1, 40, CDP_U64, &options, &pairs, &bytes), CDP_OK);
  for (int times = 1; times <= 2; times++) {
    memset(sorted_keys, 0, sizeof sorted_keys);
    ck_assert_int_eq(times == 1 ? block(&pairs) : launch(&pairs), CDP_OK);
    ck_assert(kept.allocations == 2 + times && kept.releases == times && kept.bytes == bytes);
    ck_assert(sorted_keys[0] == 39 && sorted_keys[1] == 40 && sorted_values[38] == 1 && sorted_values[39] == 2);
  }
}
END_TEST

START_TEST(several_sort_at_once) {
  const auto sort = [](size_t turn, bool *is_sorted) {
    const cdp_options options = options_at(turn);
    const Table table = table_of({700, 3, 2500 + turn}, GAPS, 8, turn);
    const Bytes keys = keys_of(CDP_I64, table.count, HOST_UNIFORM, turn);
    const Bytes values = random_bytes(4 * table.count, turn);
    const std::vector<uint64_t> order = sorted_positions(
        table, [&](uint64_t a, uint64_t b) { return comes_before(CDP_I64, options, &keys[8 * a], &keys[8 * b]); });
    Bytes sorted_keys(keys.size()), sorted_values(values.size());
    const cdp_segments segments = {table.begins.size(), table.begins.data(), table.ends.data(), 8, 0};
    const cdp_column_copy column = {values.data(), sorted_values.data(), 4};
    *is_sorted = cdp_segmented_sort_copy(keys.data(), sorted_keys.data(), &column, 1, table.count, CDP_I64, &options,
                                         &segments) == CDP_OK &&
                 sorted_keys == in_order(keys, 8, order) && sorted_values == in_order(values, 4, order);
  };
  bool sorted[3] = {};
  std::vector<std::thread> threads;
  for (size_t number = 0; number < 3; number++)
    threads.emplace_back(sort, number, &sorted[number]);
  for (std::thread &thread : threads)
    thread.join();
  for (const bool one : sorted)
    ck_assert(one);
}
END_TEST

/* ---- Wrong arguments --------------------------------------------------------------------------------------------------- */

/* Eight arrays of 64 bytes, and a workspace, in one piece of memory. */
struct Memory {
  alignas(CDP_WORKSPACE_ALIGNMENT) unsigned char bytes[1 << 16];

  unsigned char *at(size_t array) {
    return bytes + 64 * array;
  }
  unsigned char *workspace() {
    return bytes + 1024;
  }
};

/* What a call of 16 keys of 4 bytes in two segments is given. */
struct Given {
  const void *keys;
  void *sorted_keys;
  const void *values;
  void *sorted_values;
  const void *begins;
  const void *ends;
};

constexpr size_t ITEMS = 16;

cdp_status call(const Given &given, Form form, void *workspace) {
  const cdp_options options = simulated_options(0);
  const cdp_column_copy column = {given.values, given.sorted_values, 4};
  const cdp_segments segments = {2, given.begins, given.ends, 8, 0};
  if (form == BLOCKING)
    return cdp_segmented_sort_copy(given.keys, given.sorted_keys, &column, 1, ITEMS, CDP_U32, &options, &segments);
  if (form == ON_STREAM)
    return cdp_segmented_sort_copy_on_stream(given.keys, given.sorted_keys, &column, 1, ITEMS, CDP_U32, &options, &segments,
                                             nullptr);
  return cdp_segmented_sort_copy_async(given.keys, given.sorted_keys, &column, 1, ITEMS, CDP_U32, &options, &segments,
                                       workspace, 50000, nullptr);
}

/* _i: the form. Each time all is as it was. */
START_TEST(refuses_wrong_arrays) {
  const Form form = static_cast<Form>(_i);
  Memory memory;
  for (size_t index = 0; index < sizeof memory.bytes; index++)
    memory.bytes[index] = static_cast<unsigned char>(index * 7);
  const Bytes before(memory.bytes, memory.bytes + sizeof memory.bytes);
  const Given good = {memory.at(0), memory.at(1), memory.at(2), memory.at(3), memory.at(4), memory.at(4) + 8};
  const auto refused = [&](cdp_status status, const char *said, auto spoil) {
    Given given = good;
    spoil(given);
    must_fail(status, call(given, form, memory.workspace()), said);
    ck_assert_mem_eq(memory.bytes, before.data(), before.size());
  };
  refused(CDP_ERROR_NULL, "keys is NULL", [](Given &given) { given.keys = nullptr; });
  refused(CDP_ERROR_NULL, "sorted_keys is NULL", [](Given &given) { given.sorted_keys = nullptr; });
  refused(CDP_ERROR_NULL, "columns[0].values is NULL", [](Given &given) { given.values = nullptr; });
  refused(CDP_ERROR_NULL, "columns[0].sorted_values is NULL", [](Given &given) { given.sorted_values = nullptr; });
  refused(CDP_ERROR_NULL, "segments->begins is NULL", [](Given &given) { given.begins = nullptr; });
  refused(CDP_ERROR_NULL, "segments->ends is NULL", [](Given &given) { given.ends = nullptr; });
  refused(CDP_ERROR_ALIGNMENT, "keys is", [&](Given &given) { given.keys = memory.at(0) + 2; });
  refused(CDP_ERROR_ALIGNMENT, "sorted_keys is", [&](Given &given) { given.sorted_keys = memory.at(1) + 2; });
  refused(CDP_ERROR_ALIGNMENT, "segments->ends is", [&](Given &given) { given.ends = memory.at(4) + 12; });
  const auto overlap = [&](const char *said, auto spoil) { refused(CDP_ERROR_POINTER, said, spoil); };
  overlap("keys and sorted_keys overlap", [&](Given &given) { given.sorted_keys = memory.at(0); });
  overlap("keys and sorted_keys overlap", [&](Given &given) { given.keys = memory.at(1) + 60; });
  overlap("keys and columns[0].sorted_values overlap", [&](Given &given) { given.sorted_values = memory.at(0) + 63; });
  overlap("sorted_keys and columns[0].values overlap", [&](Given &given) { given.values = memory.at(1); });
  overlap("sorted_keys and columns[0].sorted_values overlap", [&](Given &given) { given.sorted_values = memory.at(1); });
  overlap("columns[0].values and columns[0].sorted_values overlap", [&](Given &given) { given.values = memory.at(3); });
  overlap("sorted_keys and segments->begins overlap", [&](Given &given) { given.begins = memory.at(1) + 56; });
  overlap("columns[0].sorted_values and segments->ends overlap", [&](Given &given) { given.ends = memory.at(3); });
}
END_TEST

START_TEST(refuses_what_else_is_wrong) {
  const cdp_options options = simulated_options(0);
  Memory memory = {};
  const uint64_t offsets[] = {0, 9, ITEMS};
  const cdp_segments segments = {2, offsets, offsets + 1, 8, 0};
  const cdp_segments too_long = {3, nullptr, nullptr, 0, 6};
  const cdp_column_copy columns[CDP_COLUMNS_MAX + 1] = {{memory.at(2), memory.at(3), 0}};
  size_t bytes = 7;
  const auto sort = [&](const cdp_column_copy *all, size_t column_count, cdp_type type, const cdp_segments *by) {
    return cdp_segmented_sort_copy(memory.at(0), memory.at(1), all, column_count, ITEMS, type, &options, by);
  };
  must_fail(CDP_ERROR_TYPE, sort(nullptr, 0, static_cast<cdp_type>(13), &segments), "type is 13");
  must_fail(CDP_ERROR_NULL, sort(nullptr, 1, CDP_U32, &segments), "columns is NULL");
  must_fail(CDP_ERROR_SIZE, sort(columns, CDP_COLUMNS_MAX + 1, CDP_U32, &segments), "column_count is 17");
  must_fail(CDP_ERROR_SIZE, sort(columns, 1, CDP_U32, &segments), "columns[0].value_bytes is 0");
  must_fail(CDP_ERROR_NULL, sort(nullptr, 0, CDP_U32, nullptr), "segments is NULL");
  must_fail(CDP_ERROR_SIZE, sort(nullptr, 0, CDP_U32, &too_long), "segments->length is 6");
  must_fail(CDP_ERROR_NULL, cdp_segmented_sort_copy_workspace(nullptr, 0, ITEMS, CDP_U32, &options, &segments, nullptr),
            "workspace_bytes is NULL");
  must_fail(CDP_ERROR_NULL, cdp_segmented_sort_copy_workspace(nullptr, 0, ITEMS, CDP_U32, &options, nullptr, &bytes),
            "segments is NULL");
  ck_assert_uint_eq(bytes, 7);
  ck_assert_int_eq(cdp_segmented_sort_copy_workspace(nullptr, 0, ITEMS, CDP_U32, &options, &segments, &bytes), CDP_OK);
  const auto launch = [&](void *workspace, size_t workspace_bytes, void *stream) {
    return cdp_segmented_sort_copy_async(memory.at(0), memory.at(1), nullptr, 0, ITEMS, CDP_U32, &options, &segments, workspace,
                                         workspace_bytes, stream);
  };
  must_fail(CDP_ERROR_WORKSPACE, launch(memory.workspace(), bytes - 1, nullptr), "cdp_segmented_sort_copy_workspace()");
  must_fail(CDP_ERROR_WORKSPACE, launch(memory.bytes, bytes, nullptr), "overlaps keys");
  must_fail(CDP_ERROR_ALIGNMENT, launch(memory.workspace() + 1, bytes, nullptr), "d_workspace is");
  must_fail(CDP_ERROR_NULL, launch(nullptr, bytes, nullptr), "cdp_segmented_sort_copy_workspace()");
  must_fail(CDP_ERROR_POINTER, launch(memory.workspace(), bytes, &bytes), "stream is not NULL");
  const auto is_zero = [](unsigned char byte) { return byte == 0; };
  ck_assert(std::all_of(memory.bytes, memory.bytes + sizeof memory.bytes, is_zero));
  ck_assert_int_eq(launch(memory.workspace(), bytes, nullptr), CDP_OK);
}
END_TEST

/* Nothing is looked at but what says so; and what is read twice is nobody's harm. */
START_TEST(looks_at_what_is_there_alone) {
  const cdp_options options = simulated_options(0);
  const cdp_segments some = {3, nullptr, nullptr, 8, 0};
  const cdp_segments none = {0, nullptr, nullptr, 8, 0};
  const cdp_column_copy column = {nullptr, nullptr, 24};
  ck_assert_int_eq(cdp_segmented_sort_copy(nullptr, nullptr, &column, 1, 0, CDP_U16, &options, &some), CDP_OK);
  ck_assert_int_eq(
      cdp_segmented_sort_copy_async(nullptr, nullptr, &column, 1, 0, CDP_U16, &options, &some, nullptr, 0, nullptr), CDP_OK);
  const uint64_t keys[] = {0, 2, 1}; // which are offsets as well: the segment [0, 2) and two that are none
  uint64_t sorted_keys[3] = {}, sorted_values[3] = {};
  const cdp_column_copy values = {keys, sorted_values, 8};
  ck_assert_int_eq(cdp_segmented_sort_copy(keys, sorted_keys, nullptr, 0, 3, CDP_U64, &options, &none), CDP_OK);
  ck_assert(sorted_keys[0] == 0 && sorted_keys[1] == 2 && sorted_keys[2] == 1);
  cdp_options descending = options;
  descending.order = CDP_DESCENDING;
  const cdp_segments own = {2, keys, keys + 1, 8, 0};
  ck_assert_int_eq(cdp_segmented_sort_copy(keys, sorted_keys, &values, 1, 3, CDP_U64, &descending, &own), CDP_OK);
  ck_assert(sorted_keys[0] == 2 && sorted_keys[1] == 0 && sorted_keys[2] == 1);
  ck_assert(sorted_values[0] == 2 && sorted_values[1] == 0 && sorted_values[2] == 1);
}
END_TEST

} // namespace

int main() {
  Suite *suite = suite_create("segment_copies");
  TCase *tests = tcase_create("copies");
  tcase_set_timeout(tests, TEST_SECONDS);
  add_options_loop_test(tests, copies_segments_of_any_length, 0, TYPES);
  add_options_loop_test(tests, copies_what_is_in_no_segment, 0, TYPES);
  add_options_loop_test(tests, copies_segments_by_awful_offsets, 0, TYPES);
  add_options_loop_test(tests, copies_long_segments, 0, HOST_DISTRIBUTIONS);
  add_options_loop_test(tests, copies_around_segments_that_overlap, 0, TYPES);
  tcase_add_test(tests, needs_no_larger_workspace);
  tcase_add_test(tests, asks_an_allocator_once);
  tcase_add_test(tests, several_sort_at_once);
  tcase_add_loop_test(tests, refuses_wrong_arrays, 0, FORMS);
  tcase_add_test(tests, refuses_what_else_is_wrong);
  tcase_add_test(tests, looks_at_what_is_there_alone);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
