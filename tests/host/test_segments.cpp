/* SPDX-License-Identifier: MIT */
/*
 * Segmented sorts (segments.h), on the simulated device, against std::stable_sort of each segment's positions by the oracle's
 * comparison of keys: lengths around all that is a limit, equal and by offsets, offsets that are none, all key types, directions
 * and kinds of ties, values, each form of the call, segments that are divided again and again, and such as overlap.
 */
#include "host_segments.h"
#include "run_suite.h"

#include "../../device/engine.h"

using namespace host_segments;

namespace {

/* ---- Lengths ----------------------------------------------------------------------------------------------------------- */

/* Around each limit, several segments as long as each other, given as such and by offsets. _i: the type. */
START_TEST(sorts_segments_of_one_length) {
  const cdp_type type = type_at(_i);
  size_t turn = static_cast<size_t>(_i);
  for (const uint64_t limit : limits_of(item_bytes_of(type, false)))
    for (uint64_t length = limit - 1; length <= limit + 1; length++, turn++) {
      const uint64_t segments = length < 64 ? 70 : 3;
      const host_distribution distribution = turn % 3 == 0 ? HOST_EXTREMES : HOST_UNIFORM;
      must_sort(job_of(type, equal_table(segments, length, turn % 2 * 3), distribution, turn));
      must_sort(job_of(type, table_of(std::vector<uint64_t>(segments, length), ROWS, turn % 2 == 0 ? 4 : 8, turn), distribution,
                       turn + 1));
    }
}
END_TEST

/* No segment, none with a key, and one alone; more of them than a grid's first round. */
START_TEST(sorts_few_and_many_segments) {
  for (size_t turn = 0; turn < 12; turn++) {
    const cdp_type type = type_at(static_cast<int>(turn));
    must_sort(job_of(type, equal_table(0, 5, 9), HOST_UNIFORM, turn));
    must_sort(job_of(type, equal_table(7, 0, 9), HOST_UNIFORM, turn));
    must_sort(job_of(type, equal_table(1, 9, 0), HOST_UNIFORM, turn));
    must_sort(job_of(type, equal_table(9, 1, 0), HOST_UNIFORM, turn));
    must_sort(job_of(type, equal_table(1, 2, 0), HOST_REVERSED, turn));
    must_sort(job_of(type, table_of({}, AWFUL, 4, turn), HOST_UNIFORM, turn));
    must_sort(job_of(type, table_of({5}, AWFUL, 8, turn), HOST_UNIFORM, turn));
    must_sort(job_of(type, table_of({0, 0, 0}, GAPS, 8, turn), HOST_UNIFORM, turn));
  }
  const size_t many = 4 * 64 * 256 + 77; // blocks of the simulated device's grids have 256 segments each
  must_sort(job_of(CDP_U32, table_of(std::vector<uint64_t>(many, 2), ROWS, 4, 1), HOST_UNIFORM, 0));
  must_sort(job_of(CDP_I64, equal_table(4 * 64 * 4 + 5, 40, 0), HOST_UNIFORM, 1));
  must_sort(job_of(CDP_F32, equal_table(4 * 64 + 5, 100, 0), HOST_UNIFORM, 2));
  must_sort(job_of(CDP_U32, equal_table(45, 200, 1), HOST_UNIFORM, 3));
}
END_TEST

/* Offsets of all kinds. _i: the type. */
START_TEST(sorts_segments_by_awful_offsets) {
  const cdp_type type = type_at(_i);
  for (size_t turn = 0; turn < 6; turn++) {
    const size_t seed = turn + 10 * static_cast<size_t>(_i);
    const std::vector<uint64_t> lengths = awful_lengths(turn == 0 ? 300 : 20000, limits_of(item_bytes_of(type, false)), seed);
    const Table table = table_of(lengths, static_cast<Style>(turn % STYLES), turn % 2 == 0 ? 4 : 8, seed);
    must_sort(job_of(type, table, static_cast<host_distribution>(seed % HOST_DISTRIBUTIONS), seed));
  }
}
END_TEST

/* ---- Values ------------------------------------------------------------------------------------------------------------ */

/* _i: the type. */
START_TEST(moves_values_with_keys) {
  const cdp_type type = type_at(_i);
  static const std::vector<size_t> columns[] = {{4}, {1, 8}, {3, 16, 40}, {2, 100}};
  for (size_t turn = 0; turn < 8; turn++) {
    const size_t seed = turn + static_cast<size_t>(_i);
    const std::vector<uint64_t> lengths = awful_lengths(turn == 0 ? 30 : 6000, limits_of(8), seed);
    const Table table = turn == 7 ? equal_table(3, 2000, 5) : table_of(lengths, static_cast<Style>(turn % STYLES), 8, seed);
    const host_distribution distribution = turn % 3 == 0 ? HOST_EXTREMES : turn % 3 == 1 ? HOST_FEW_DISTINCT : HOST_UNIFORM;
    must_sort(job_of(type, table, distribution, seed, columns[turn % 4]));
  }
}
END_TEST

/* Keys of 8 bytes that agree in one of their halves. */
START_TEST(sorts_keys_that_agree_in_half) {
  const Table table = table_of({1000, 3, 500, 2100}, GAPS, 4, 3);
  for (size_t turn = 0; turn < 6; turn++) {
    Job job = job_of(CDP_U64, table, HOST_UNIFORM, turn, {4});
    for (uint64_t index = 0; index < table.count; index++)
      memset(&job.keys[index * 8 + (turn % 2 == 0 ? 0 : 4)], 0x80, 4);
    must_sort(job);
  }
}
END_TEST

/* ---- Divisions --------------------------------------------------------------------------------------------------------- */

/* Long segments, side by side. _i: the distribution. */
START_TEST(divides_long_segments) {
  const host_distribution distribution = static_cast<host_distribution>(_i);
  for (size_t turn = 0; turn < 4; turn++) {
    const cdp_type type = turn % 2 == 0 ? CDP_F32 : CDP_I64;
    const Table table = table_of({9000, 40, 3100, 0, 25000, 700, 5000}, turn < 2 ? GAPS : AWFUL, 8, turn);
    must_sort(job_of(type, table, distribution, turn + static_cast<size_t>(_i)));
  }
  must_sort(job_of(CDP_U32, equal_table(4, 9001, 3), distribution, 7));
  must_sort(job_of(CDP_F64, equal_table(3, 7001, 3), distribution, 8));
}
END_TEST

/* Some so long that they are divided two or three times. _i: the distribution. */
START_TEST(divides_segments_again) {
  const host_distribution distribution = static_cast<host_distribution>(_i);
  must_sort(job_of(CDP_I32, table_of({50, 200001, 60001, 12000}, GAPS, 4, 5), distribution, 0));
  must_sort(job_of(CDP_U64, table_of({420001, 31, 90001}, GAPS, 8, 6), distribution, 1));
}
END_TEST

/* What is too long after the last division is sorted all the same. _i: keys of 4 or of 8 bytes. */
START_TEST(sorts_what_divisions_have_left) {
  const cdp_type type = _i == 0 ? CDP_U32 : CDP_U64;
  const Table table = table_of({100, 150000, 40000}, ROWS, 8, 1);
  const std::vector<uint64_t> begins = table.begins;
  for (uint64_t seed = 0; seed < 3; seed++) {
    const Job job = job_of(type, table, seed == 1 ? HOST_FEW_DISTINCT : HOST_UNIFORM, 6 * seed);
    Bytes keys = job.keys;
    cdp_settings settings = {};
    settings.seed = seed;
    cdp_device_facts facts = {};
    cdp_fault fault = {};
    ck_assert_int_eq(cdp_engine_simulated()->describe(0, &facts, &fault), CDP_OK);
    cdp_segments_request request = {};
    request.type = type;
    request.count = table.count;
    request.segment_count = table.begins.size();
    request.offset_bytes = 8;
    request.d_begins = table.begins.data();
    request.d_ends = table.ends.data();
    request.d_keys = keys.data();
    request.d_sorted_keys = keys.data();
    cdp_segments_plan plan = {};
    ck_assert_int_eq(cdp_engine_plan_segments(&settings, &request, &facts, false, &plan), CDP_OK);
    ck_assert_uint_ge(plan.max_levels, 3);
    plan.max_levels = 1;
    const Guarded workspace{Bytes(plan.workspace_bytes)};
    plan.d_workspace = workspace.bytes();
    const cdp_status status = cdp_engine_simulated()->launch_segments(&plan, nullptr, &fault);
    ck_assert_msg(status == CDP_OK, "%s", fault.text);
    workspace.contents();
    const size_t key_bytes = host_key_bytes(type);
    const std::vector<uint64_t> order = sorted_positions(table, [&](uint64_t a, uint64_t b) {
      return comes_before(type, simulated_options(0), &job.keys[a * key_bytes], &job.keys[b * key_bytes]);
    });
    ck_assert(keys == in_order(job.keys, key_bytes, order));
  }
}
END_TEST

/* ---- Overlapping ones -------------------------------------------------------------------------------------------------- */

/* The call ends, and what lies outside of all segments is as it was. _i: the type. */
START_TEST(ends_where_segments_overlap) {
  constexpr uint64_t BEGIN = 200;
  constexpr uint64_t END = 20200;
  const cdp_type type = type_at(_i);
  const size_t key_bytes = host_key_bytes(type);
  for (size_t turn = 0; turn < 3; turn++) {
    Table table;
    uint64_t state = turn;
    table.count = END + 300;
    for (size_t index = 0; index < 440; index++) {
      const uint64_t begin = BEGIN + host_random_below(&state, END - BEGIN);
      table.begins.push_back(index < 40 ? BEGIN : begin);
      table.ends.push_back(index < 40 ? END : begin + host_random_below(&state, END - begin + 1));
    }
    const std::vector<size_t> columns = turn == 1 ? std::vector<size_t>{4} : std::vector<size_t>{};
    const Job job = job_of(type, table, HOST_UNIFORM, turn, columns);
    const Sorted sorted = sorted_by(job);
    ck_assert_mem_eq(job.keys.data(), sorted.keys.data(), BEGIN * key_bytes);
    ck_assert_mem_eq(&job.keys[END * key_bytes], &sorted.keys[END * key_bytes], (table.count - END) * key_bytes);
    if (turn == 1) {
      ck_assert_mem_eq(sorted.before[0].data(), sorted.after[0].data(), BEGIN * 4);
      ck_assert_mem_eq(&sorted.before[0][END * 4], &sorted.after[0][END * 4], (table.count - END) * 4);
    }
  }
}
END_TEST

} // namespace

int main() {
  Suite *suite = suite_create("segments");
  TCase *tests = tcase_create("segments");
  tcase_set_timeout(tests, TEST_SECONDS);
  add_options_loop_test(tests, sorts_segments_of_one_length, 0, TYPES);
  tcase_add_test(tests, sorts_few_and_many_segments);
  add_options_loop_test(tests, sorts_segments_by_awful_offsets, 0, TYPES);
  add_options_loop_test(tests, moves_values_with_keys, 0, TYPES);
  tcase_add_test(tests, sorts_keys_that_agree_in_half);
  tcase_add_loop_test(tests, divides_long_segments, 0, HOST_DISTRIBUTIONS);
  add_options_loop_test(tests, divides_segments_again, 0, HOST_DISTRIBUTIONS);
  tcase_add_loop_test(tests, sorts_what_divisions_have_left, 0, 2);
  add_options_loop_test(tests, ends_where_segments_overlap, 0, TYPES);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
