/* SPDX-License-Identifier: MIT */
/*
 * segments.h on the GPU, against std::stable_sort of each segment's positions by the keys' ranks: lengths around all that is a
 * limit, equal and by awful offsets, all types, orders and ties, values, arrays in every kind of memory, captured, behind a stream
 * that is held, several at a time, and long segments, which are divided again and again. And what is refused.
 */
#include "gpu_segments.h"

using namespace gpu_segments;

namespace {

/* ---- Lengths ----------------------------------------------------------------------------------------------------- */

/* _i: the type. */
START_TEST(test_lengths) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  uint64_t round = static_cast<uint64_t>(_i);
  for (const uint64_t limit : limits_of(item_bytes_of(type, false)))
    for (uint64_t length = limit - 1; length <= limit + 1; length++, round++) {
      const uint64_t segments = length < 64 ? 3000 : 5;
      check(type, tables::equal_table(segments, length, round % 2 * 3), round);
      check(type, tables::table_of(std::vector<uint64_t>(segments, length), tables::ROWS, round % 2 == 0 ? 4 : 8, round),
            round + 1);
    }
}
END_TEST

/* Few, and more than a grid takes in its first round. */
START_TEST(test_few_and_many) {
  for (uint64_t round = 0; round < 12; round++) {
    const cdp_type type = static_cast<cdp_type>(CDP_U32 + round);
    check(type, tables::equal_table(7, 0, 9), round);
    check(type, tables::equal_table(1, 2, 0), round);
    check(type, tables::table_of({5}, tables::AWFUL, 8, round), round);
    check(type, tables::table_of({0, 0, 0}, tables::GAPS, 8, round), round);
  }
  const uint64_t many = pick(132 * 64 * 256 + 77, 5000); // blocks of 256 segments each
  check(CDP_U32, tables::table_of(std::vector<uint64_t>(many, 2), tables::ROWS, 4, 1), 0);
  check(CDP_I64, tables::equal_table(pick(132 * 64 * 4 + 5, 500), 40, 0), 1);
  check(CDP_F32, tables::equal_table(pick(132 * 64 + 5, 100), 600, 0), 2);
  check(CDP_U32, tables::equal_table(pick(1000, 20), 3000, 1), 3);
  check(CDP_F64, tables::equal_table(pick(300, 20), 9000, 1), 4);
}
END_TEST

/* _i: the type. */
START_TEST(test_awful_offsets) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  for (uint64_t turn = 0; turn < 6; turn++) {
    const uint64_t round = seed() + turn + 10 * static_cast<uint64_t>(_i);
    const uint64_t count = turn == 0 ? 300 : pick(1500000, 100000);
    check(type,
          tables::table_of(tables::awful_lengths(count, limits_of(item_bytes_of(type, false)), round),
                           static_cast<tables::Style>(turn % tables::STYLES), turn % 2 == 0 ? 4 : 8, round),
          round);
  }
}
END_TEST

/* _i: the type. */
START_TEST(test_values) {
  static const std::vector<size_t> columns[] = {{4}, {1, 8}, {3, 16, 40}, {2, 100}};
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  for (uint64_t turn = 0; turn < 6; turn++) {
    const uint64_t round = seed() + turn + static_cast<uint64_t>(_i);
    const uint64_t count = turn == 0 ? 30 : pick(300000, 40000);
    check(type,
          tables::table_of(tables::awful_lengths(count, limits_of(8), round), static_cast<tables::Style>(turn % tables::STYLES),
                           8, round),
          round, columns[turn % 4]);
  }
}
END_TEST

/* Long ones beside short ones. _i: by which distribution. */
START_TEST(test_long_segments) {
  const uint64_t round = static_cast<uint64_t>(_i) + 7 * 12; // so that the distribution is that of _i
  const uint64_t longest = pick(6000001, 200001);
  check(CDP_U32, tables::table_of({50, longest, 40000, 0, 70000, 33000}, tables::GAPS, 8, round), round);
  check(CDP_F32, tables::equal_table(pick(40, 4), 65536, 1), round);
  check(CDP_F64, tables::table_of({longest / 2, 20000, 31, 30000}, tables::AWFUL, 4, round), round);
  check(CDP_U16, tables::table_of({longest / 3, 70000}, tables::GAPS, 4, round), round);
  check(CDP_I64, tables::table_of({longest / 3, 70000}, tables::GAPS, 4, round), round, {8});
}
END_TEST

/* _i: the kinds of memory. */
START_TEST(test_places) {
  const Way way = {Call::blocking, static_cast<Place>(_i / PLACES), static_cast<Place>(_i % PLACES), 1};
  const tables::Table segments =
      tables::within_array(tables::table_of(tables::awful_lengths(100003, limits_of(4), 7), tables::AWFUL, 4, 7));
  for (const cdp_type type : {CDP_F32, CDP_BF16, CDP_U64}) {
    const cdp_options options = options_of(CDP_DESCENDING, CDP_TIES_BY_VALUE);
    const Table table = make_table(type, make_keys(type, segments.count, HOST_EXTREMES), {4, 3});
    snprintf(label, sizeof label, "%s, %s and %s", host_type_name(type), place_name(way.keys_place),
             place_name(way.values_place));
    note("%s", label);
    const Arrays arrays = make_arrays(table, segments, way);
    CHECK_SORT(sort(table, arrays, options, way));
    check_arrays(table, segments, options, arrays);
    free_arrays();
  }
}
END_TEST

/* ---- In stream order --------------------------------------------------------------------------------------------- */

/* Behind work that has not begun, which writes the keys and the offsets. */
START_TEST(test_stream_order) {
  const tables::Table segments =
      tables::table_of(tables::awful_lengths(pick(1000003, 100003), limits_of(4), 3), tables::AWFUL, 8, 3);
  const cdp_options options = options_of(CDP_ASCENDING, CDP_TIES_ANY);
  const Way way = {Call::on_stream, Place::device, Place::device, 0};
  const Table table = make_table(CDP_I32, make_keys(CDP_I32, segments.count, HOST_UNIFORM), {});
  const Arrays arrays = make_arrays(table, segments, way);
  const Array keys = make_array(Place::device, table.keys);
  const Array begins = make_array(Place::device, segments.bytes_of(segments.begins));
  uint32_t *flag = nullptr;
  snprintf(label, sizeof label, "behind a stream that is held");
  note("%s", label);
  CHECK_CUDA(cudaMallocHost(reinterpret_cast<void **>(&flag), 2 * sizeof *flag));
  flag[0] = flag[1] = 0;
  CHECK_SORT(sort(table, arrays, options, way)); // kernels are loaded before, which may wait for the device
  CHECK_CUDA(cudaMemsetAsync(arrays.begins.memory(), 0xFF, begins.bytes, stream()));
  CHECK_CUDA(cudaStreamSynchronize(stream()));
  CHECK_CUDA(device_data::hold_stream(flag, stream()));
  CHECK_CUDA(cudaMemcpyAsync(arrays.keys.memory(), keys.memory(), keys.bytes, cudaMemcpyDeviceToDevice, stream()));
  CHECK_CUDA(cudaMemcpyAsync(arrays.begins.memory(), begins.memory(), begins.bytes, cudaMemcpyDeviceToDevice, stream()));
  CHECK_SORT(sort(table, arrays, options, way));
  *static_cast<volatile uint32_t *>(flag) = 1;
  CHECK_CUDA(cudaStreamSynchronize(stream()));
  const bool was_held = flag[1] == 0;
  CHECK_CUDA(cudaFreeHost(flag));
  ck_assert_msg(was_held, "the call waited for the stream");
  check_arrays(table, segments, options, arrays);
}
END_TEST

/* A graph that was captured once, replayed over other keys: what one replay has counted is nothing to the next. By halves, which
   sorts twice, and with segments that are divided. */
START_TEST(test_replays) {
  const tables::Table segments = tables::table_of({200003, 5, 70001, 0, 33333}, tables::GAPS, 8, 5);
  const cdp_options options = options_of(CDP_DESCENDING, CDP_TIES_STABLE);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  const Table first = make_table(CDP_U64, make_keys(CDP_U64, segments.count, HOST_UNIFORM), {4});
  const Arrays arrays = make_arrays(first, segments, ON_DEVICE);
  CHECK_CUDA(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeGlobal));
  CHECK_SORT(sort(first, arrays, options, {Call::on_stream, Place::device, Place::device, 0}));
  CHECK_CUDA(cudaStreamEndCapture(stream(), &graph));
  CHECK_CUDA(cudaGraphInstantiate(&exec, graph, 0));
  for (const host_distribution distribution : {HOST_UNIFORM, HOST_FEW_DISTINCT, HOST_BUCKET, HOST_UNIFORM}) {
    snprintf(label, sizeof label, "replayed over distribution %d", static_cast<int>(distribution));
    note("%s", label);
    const Table table = make_table(CDP_U64, make_keys(CDP_U64, segments.count, distribution), {4});
    CHECK_CUDA(cudaMemcpy(arrays.keys.memory(), table.keys.data(), table.keys.size(), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(arrays.values[0].memory(), table.columns[0].data(), table.columns[0].size(), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaGraphLaunch(exec, stream()));
    CHECK_CUDA(cudaStreamSynchronize(stream()));
    check_arrays(table, segments, options, arrays);
  }
  CHECK_CUDA(cudaGraphExecDestroy(exec));
  CHECK_CUDA(cudaGraphDestroy(graph));
}
END_TEST

/* Segments that overlap end in any order, by blocks that are at the same keys at once: and nothing around them is written. */
START_TEST(test_overlapping) {
  const uint64_t begin = 200;
  const uint64_t end = begin + pick(1000000, 100000);
  for (uint64_t turn = 0; turn < 4; turn++) {
    tables::Table segments;
    uint64_t state = seed() + turn;
    segments.count = end + 300;
    for (size_t index = 0; index < 440; index++) {
      const uint64_t from = begin + host_random_below(&state, end - begin);
      segments.begins.push_back(index < 40 ? begin : from);
      segments.ends.push_back(index < 40 ? end : from + host_random_below(&state, end - from + 1));
    }
    const Table table = make_table(CDP_I32, make_keys(CDP_I32, segments.count, host_distribution_at(turn)), {});
    const Arrays arrays = make_arrays(table, segments, ON_DEVICE);
    snprintf(label, sizeof label, "overlapping, turn %llu", static_cast<unsigned long long>(turn));
    note("%s", label);
    CHECK_SORT(sort(table, arrays, options_of(CDP_ASCENDING, CDP_TIES_ANY), ON_DEVICE));
    const Bytes found = read_array(arrays.keys, label);
    ck_assert_msg(std::equal(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(4 * begin), table.keys.begin()) &&
                      std::equal(found.begin() + static_cast<std::ptrdiff_t>(4 * end), found.end(),
                                 table.keys.begin() + static_cast<std::ptrdiff_t>(4 * end)),
                  "%s: something was written outside of all segments", label);
    free_arrays();
  }
}
END_TEST

/* On several streams, each again and again, so that cooperative grids wait for one another. */
START_TEST(test_several_at_once) {
  constexpr size_t STREAMS = 4;
  const cdp_options options = options_of(CDP_ASCENDING, CDP_TIES_ANY);
  cudaStream_t streams[STREAMS];
  std::vector<tables::Table> segments;
  std::vector<Table> all;
  std::vector<Arrays> arrays;
  snprintf(label, sizeof label, "several at once");
  note("%s", label);
  for (size_t which = 0; which < STREAMS; which++) {
    CHECK_CUDA(cudaStreamCreateWithFlags(&streams[which], cudaStreamNonBlocking));
    segments.push_back(
        tables::table_of(tables::awful_lengths(pick(700001, 100001), limits_of(4), which), tables::GAPS, 4, which));
    all.push_back(make_table(CDP_U32, make_keys(CDP_U32, segments[which].count, HOST_UNIFORM), {4}));
    arrays.push_back(make_arrays(all[which], segments[which], ON_DEVICE));
  }
  for (int repetition = 0; repetition < 10; repetition++)
    for (size_t which = 0; which < STREAMS; which++)
      CHECK_SORT(cdp_segmented_sort_on_stream(arrays[which].keys.memory(), arrays[which].columns.data(), 1, all[which].count,
                                              CDP_U32, &options, &arrays[which].segments, streams[which]));
  CHECK_CUDA(cudaDeviceSynchronize());
  for (size_t which = 0; which < STREAMS; which++) {
    check_arrays(all[which], segments[which], options, arrays[which]);
    CHECK_CUDA(cudaStreamDestroy(streams[which]));
  }
}
END_TEST

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

/* Each time the arrays and everything around them stay as they were. */
START_TEST(test_refusals) {
  constexpr size_t COUNT = 10007;
  const cdp_options options = options_of(CDP_DESCENDING, CDP_TIES_ANY); // so that a sort would be seen
  const Bytes old_keys = make_keys(CDP_U32, COUNT, HOST_SORTED);
  const Bytes old_values = make_values(COUNT, 8, 0);
  const uint64_t offsets[] = {0, 5000, COUNT};
  Bytes old_offsets(sizeof offsets);
  memcpy(old_offsets.data(), offsets, sizeof offsets);
  const Array keys = make_array(Place::device, old_keys);
  const Array values = make_array(Place::device, old_values);
  const Array where = make_array(Place::device, old_offsets);
  const Array host_keys = make_array(Place::pageable, old_keys);
  const Array host_values = make_array(Place::pinned, old_values);
  const Array host_where = make_array(Place::pageable, old_offsets);
  const cdp_column column = {values.memory(), 8};
  const auto segments_at = [](const void *begins) {
    return cdp_segments{2, begins, static_cast<const unsigned char *>(begins) + sizeof(uint64_t), sizeof(uint64_t), 0};
  };
  const cdp_segments segments = segments_at(where.memory());
  size_t bytes = 0;
  snprintf(label, sizeof label, "after calls that were refused");
  CHECK_SORT(cdp_segmented_sort_workspace(&column, 1, COUNT, CDP_U32, &options, &segments, &bytes));
  const Array workspace = make_array(Place::device, Bytes(bytes));
  const Array host_workspace = make_array(Place::pageable, Bytes(bytes));
  const auto sort_by = [&](void *d_keys, void *d_values, const void *d_offsets, void *d_workspace, size_t workspace_bytes) {
    const cdp_column moved = {d_values, 8};
    const cdp_segments by = segments_at(d_offsets);
    return cdp_segmented_sort_async(d_keys, &moved, 1, COUNT, CDP_U32, &options, &by, d_workspace, workspace_bytes, stream());
  };
  void *k = keys.memory(), *v = values.memory(), *w = where.memory(), *room = workspace.memory();
  CHECK_FAILS(CDP_ERROR_POINTER, sort_by(host_keys.memory(), v, w, room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, sort_by(k, host_values.memory(), w, room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, sort_by(k, v, host_where.memory(), room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, sort_by(k, v, w, host_workspace.memory(), bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, sort_by(k, v, k, room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, sort_by(k, keys.memory() + 4, w, room, bytes));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, sort_by(k, v, w, room, bytes - 1));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, sort_by(k, v, room, room, bytes));
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, sort_by(k, v, w, workspace.memory() + 128, bytes));
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, sort_by(k, v, where.memory() + 4, room, bytes));
  CHECK_FAILS(CDP_ERROR_NULL, sort_by(k, v, w, nullptr, bytes));
  const cdp_segments by_host = segments_at(host_where.memory());
  const cdp_segments too_long = {2, nullptr, nullptr, 0, COUNT};
  CHECK_FAILS(CDP_ERROR_POINTER, cdp_segmented_sort_on_stream(k, &column, 1, COUNT, CDP_U32, &options, &by_host, stream()));
  CHECK_FAILS(CDP_ERROR_SIZE, cdp_segmented_sort(k, &column, 1, COUNT, CDP_U32, &options, &too_long));
  CHECK_FAILS(CDP_ERROR_NULL, cdp_segmented_sort(k, &column, 1, COUNT, CDP_U32, &options, nullptr));
  CHECK_CUDA(cudaDeviceSynchronize());
  ck_assert(read_array(keys, label) == old_keys && read_array(host_keys, label) == old_keys);
  ck_assert(read_array(values, label) == old_values && read_array(host_values, label) == old_values);
  ck_assert(read_array(where, label) == old_offsets && read_array(host_where, label) == old_offsets);
  ck_assert(read_array(workspace, label) == Bytes(bytes) && read_array(host_workspace, label) == Bytes(bytes));
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_segments");
  TCase *test_case = add_case(suite, "segments");
  tcase_add_checked_fixture(test_case, make_stream, destroy_stream);
  tcase_add_loop_test(test_case, test_lengths, 0, ALL_TYPES);
  tcase_add_test(test_case, test_few_and_many);
  tcase_add_loop_test(test_case, test_awful_offsets, 0, ALL_TYPES);
  tcase_add_loop_test(test_case, test_values, 0, ALL_TYPES);
  tcase_add_loop_test(test_case, test_long_segments, 0, 7);
  tcase_add_loop_test(test_case, test_places, 0, PLACES * PLACES);
  tcase_add_test(test_case, test_stream_order);
  tcase_add_test(test_case, test_replays);
  tcase_add_test(test_case, test_overlapping);
  tcase_add_test(test_case, test_several_at_once);
  tcase_add_test(test_case, test_refusals);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
