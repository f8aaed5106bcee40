/* SPDX-License-Identifier: MIT */
/*
 * Segmented sorts out of place (copy.h) on the GPU, against the same oracle as those in place (test_gpu_segments.cpp): what is in no
 * segment is copied, and the input is as it was. Lengths around all that is a limit, awful offsets, values, arrays in every kind of
 * memory, captured and replayed, behind a stream that is held, several at a time. And what is refused.
 */
#include "gpu_segments.h"

using namespace gpu_segments;

namespace {

void check_copy(cdp_type type, const tables::Table &segments, uint64_t round, const std::vector<size_t> &value_bytes = {}) {
  check(type, segments, round, value_bytes, true);
}

/* ---- Lengths ----------------------------------------------------------------------------------------------------- */

/* _i: the type. */
START_TEST(test_lengths) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  uint64_t round = static_cast<uint64_t>(_i);
  for (const bool has_columns : {false, true})
    for (const uint64_t limit : limits_of(item_bytes_of(type, has_columns)))
      for (uint64_t length = limit - 1; length <= limit + 1; length++, round++) {
        const uint64_t segments = length < 64 ? 3000 : 5;
        const std::vector<size_t> columns = has_columns ? std::vector<size_t>{4} : std::vector<size_t>{};
        check_copy(type, tables::equal_table(segments, length, round % 2 * 3), round, columns);
        check_copy(type, tables::table_of(std::vector<uint64_t>(segments, length), tables::GAPS, round % 2 == 0 ? 4 : 8, round),
                   round + 1, columns);
      }
}
END_TEST

/* Where nothing is sorted all is copied. _i: the type. */
START_TEST(test_nothing_to_sort) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  uint64_t round = static_cast<uint64_t>(_i);
  for (const std::vector<size_t> &columns : {std::vector<size_t>{}, std::vector<size_t>{3, 8}})
    for (const uint64_t count : {uint64_t{1}, uint64_t{2}, uint64_t{10007}})
      for (const size_t offset_bytes : {0, 4, 8}) {
        tables::Table none;
        none.offset_bytes = offset_bytes;
        none.skip(count);
        check_copy(type, none, round++, columns);
        check_copy(type, tables::equal_table(count, 1, 5), round++, columns);
        check_copy(type, tables::equal_table(7, 0, count), round++, columns);
      }
  check_copy(type, tables::table_of({1}, tables::ROWS, 4, round), round, {4});
  check_copy(type, tables::table_of({0, 1, 0}, tables::AWFUL, 8, round), round + 1, {4});
}
END_TEST

/* Values of all sizes, from none to as many columns as there may be. _i: the type. */
START_TEST(test_awful_offsets) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  const std::vector<std::vector<size_t>> shapes = {
      {}, {1}, {2}, {4}, {8}, {3}, {16, 40}, {5, 24, 100}, std::vector<size_t>(CDP_COLUMNS_MAX, 2), {}};
  for (uint64_t turn = 0; turn < shapes.size(); turn++) {
    const uint64_t round = seed() + turn + 10 * static_cast<uint64_t>(_i);
    const uint64_t count = turn == 1 ? 300 : pick(shapes[turn].empty() ? 1000003 : 150001, 20000);
    const std::vector<uint64_t> lengths =
        tables::awful_lengths(count, limits_of(item_bytes_of(type, !shapes[turn].empty())), round);
    check_copy(type, tables::table_of(lengths, turn % 2 == 0 ? tables::AWFUL : tables::GAPS, turn % 3 == 0 ? 4 : 8, round),
               round, shapes[turn]);
  }
}
END_TEST

/* Long ones beside short ones. _i: by which distribution. */
START_TEST(test_long_segments) {
  const uint64_t round = static_cast<uint64_t>(_i) + 7 * 12; // so that the distribution is that of _i
  const uint64_t longest = pick(3000001, 200001);
  check_copy(CDP_U32, tables::table_of({50, longest, 40000, 0, 70000, 33000}, tables::GAPS, 8, round), round);
  check_copy(CDP_F64, tables::equal_table(pick(20, 4), 65536, 1), round + 7);
  check_copy(CDP_U16, tables::table_of({longest / 3, 70000}, tables::GAPS, 4, round), round + 14);
  check_copy(CDP_I64, tables::table_of({longest / 3, 31, 70000}, tables::AWFUL, 4, round), round, {8});
  check_copy(CDP_F32, tables::table_of({longest / 3, 70000}, tables::GAPS, 8, round), round + 7, {4, 3});
}
END_TEST

/* _i: the kinds of memory of the keys that are read, and of all else. */
START_TEST(test_places) {
  const Way way = {Call::blocking, static_cast<Place>(_i / PLACES), static_cast<Place>(_i % PLACES), 1};
  const tables::Table segments =
      tables::within_array(tables::table_of(tables::awful_lengths(100003, limits_of(4), 7), tables::AWFUL, 4, 7));
  const cdp_options options = options_of(CDP_DESCENDING, CDP_TIES_BY_VALUE);
  for (const cdp_type type : {CDP_I32, CDP_BF16, CDP_U64})
    for (const std::vector<size_t> &columns : {std::vector<size_t>{}, std::vector<size_t>{4, 3}}) {
      const Table table = make_table(type, make_keys(type, segments.count, HOST_EXTREMES), columns);
      snprintf(label, sizeof label, "out of place, %s, %s and %s", host_type_name(type), place_name(way.keys_place),
               place_name(way.values_place));
      note("%s", label);
      const Arrays arrays = make_arrays(table, segments, way, true);
      CHECK_SORT(sort(table, arrays, options, way));
      check_arrays(table, segments, options, arrays);
      free_arrays();
    }
}
END_TEST

/* ---- In stream order --------------------------------------------------------------------------------------------- */

/* Has a sort of keys captured once, and replays it over others, each time behind a stream that is held, which writes keys and values
   before. The output is spoilt before as well. `columns` says what is sorted: keys alone, or items. */
void check_stream_order(cdp_type type, const std::vector<size_t> &columns) {
  const tables::Table segments = tables::table_of({200003, 5, 70001, 0, 33333, 12, 900}, tables::GAPS, 8, 5);
  const cdp_options options = options_of(CDP_DESCENDING, CDP_TIES_STABLE);
  const Way way = {Call::on_stream, Place::device, Place::device, 0};
  const Table first = make_table(type, make_keys(type, segments.count, HOST_UNIFORM), columns);
  const Arrays arrays = make_arrays(first, segments, way, true);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  uint32_t *flag = nullptr;
  CHECK_CUDA(cudaMallocHost(reinterpret_cast<void **>(&flag), 2 * sizeof *flag));
  CHECK_SORT(sort(first, arrays, options, way)); // kernels are loaded before, which may wait for the device
  CHECK_CUDA(cudaStreamSynchronize(stream()));
  CHECK_CUDA(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeGlobal));
  CHECK_SORT(sort(first, arrays, options, way));
  CHECK_CUDA(cudaStreamEndCapture(stream(), &graph));
  CHECK_CUDA(cudaGraphInstantiate(&exec, graph, 0));
  CHECK_CUDA(cudaGraphLaunch(exec, stream())); // so that it is on the device before
  for (uint64_t round = 0; round < 5; round++) {
    const Table table = make_table(type, make_keys(type, segments.count, host_distribution_at(round)), columns);
    const Array keys = make_array(Place::device, table.keys);
    snprintf(label, sizeof label, "out of place, %s, %zu columns, %s, round %llu", host_type_name(type), columns.size(),
             round == 0 ? "launched" : "replayed", static_cast<unsigned long long>(round));
    note("%s", label);
    flag[0] = flag[1] = 0;
    CHECK_CUDA(cudaMemset(arrays.keys.memory(), 0, arrays.keys.bytes));
    CHECK_CUDA(cudaMemset(arrays.sorted_keys.memory(), 0xEE, arrays.sorted_keys.bytes));
    for (size_t column = 0; column < columns.size(); column++)
      CHECK_CUDA(cudaMemset(arrays.sorted_values[column].memory(), 0xEE, arrays.sorted_values[column].bytes));
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(device_data::hold_stream(flag, stream()));
    CHECK_CUDA(cudaMemcpyAsync(arrays.keys.memory(), keys.memory(), keys.bytes, cudaMemcpyDeviceToDevice, stream()));
    if (round == 0)
      CHECK_SORT(sort(table, arrays, options, way));
    else
      CHECK_CUDA(cudaGraphLaunch(exec, stream()));
    *static_cast<volatile uint32_t *>(flag) = 1;
    CHECK_CUDA(cudaStreamSynchronize(stream()));
    ck_assert_msg(flag[1] == 0, "%s: the call waited for the stream", label);
    check_arrays(table, segments, options, arrays);
  }
  CHECK_CUDA(cudaFreeHost(flag));
  CHECK_CUDA(cudaGraphExecDestroy(exec));
  CHECK_CUDA(cudaGraphDestroy(graph));
  free_arrays();
}

/* _i: keys as they are, narrow ones as numbers, and by positions and by halves. */
START_TEST(test_stream_order) {
  static const cdp_type types[] = {CDP_I32, CDP_U16, CDP_F32, CDP_U64};
  check_stream_order(types[_i], _i < 2 ? std::vector<size_t>{} : std::vector<size_t>{4, 3});
}
END_TEST

/* Several streams read the same arrays, each again and again. */
START_TEST(test_several_at_once) {
  constexpr size_t STREAMS = 4;
  const cdp_options options = options_of(CDP_ASCENDING, CDP_TIES_ANY);
  const tables::Table segments =
      tables::table_of(tables::awful_lengths(pick(700001, 100001), limits_of(8), 3), tables::GAPS, 4, 3);
  const Table table = make_table(CDP_U32, make_keys(CDP_U32, segments.count, HOST_UNIFORM), {4});
  cudaStream_t streams[STREAMS];
  std::vector<Arrays> arrays;
  snprintf(label, sizeof label, "several copies at once");
  note("%s", label);
  for (size_t which = 0; which < STREAMS; which++) {
    CHECK_CUDA(cudaStreamCreateWithFlags(&streams[which], cudaStreamNonBlocking));
    arrays.push_back(make_arrays(table, segments, ON_DEVICE, true));
    arrays[which].copies[0].values = arrays[0].values[0].memory();
  }
  for (int repetition = 0; repetition < 10; repetition++)
    for (size_t which = 0; which < STREAMS; which++)
      CHECK_SORT(cdp_segmented_sort_copy_on_stream(arrays[0].keys.memory(), arrays[which].sorted_keys.memory(),
                                                   arrays[which].copies.data(), 1, table.count, CDP_U32, &options,
                                                   &arrays[0].segments, streams[which]));
  CHECK_CUDA(cudaDeviceSynchronize());
  for (size_t which = 0; which < STREAMS; which++) {
    check_arrays(table, segments, options, arrays[which]);
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
  std::vector<Array> keys, values;
  for (const Place place : {Place::device, Place::device, Place::pageable}) {
    keys.push_back(make_array(place, old_keys));
    values.push_back(make_array(place, old_values));
  }
  const Array where = make_array(Place::device, old_offsets);
  const Array host_where = make_array(Place::pageable, old_offsets);
  const auto segments_at = [](const unsigned char *begins) {
    return cdp_segments{2, begins, begins + sizeof(uint64_t), sizeof(uint64_t), 0};
  };
  const cdp_segments segments = segments_at(where.memory());
  const cdp_column_copy column = {values[0].memory(), values[1].memory(), 8};
  size_t bytes = 0;
  snprintf(label, sizeof label, "after copies that were refused");
  CHECK_SORT(cdp_segmented_sort_copy_workspace(&column, 1, COUNT, CDP_U32, &options, &segments, &bytes));
  const Array workspace = make_array(Place::device, Bytes(bytes));
  const auto sort_by = [&](const void *from, void *to, const cdp_column_copy &moved, const unsigned char *begins, void *room,
                           size_t room_bytes) {
    const cdp_segments by = segments_at(begins);
    return cdp_segmented_sort_copy_async(from, to, &moved, 1, COUNT, CDP_U32, &options, &by, room, room_bytes, stream());
  };
  unsigned char *k = keys[0].memory(), *to = keys[1].memory(), *w = where.memory(), *room = workspace.memory();
  unsigned char *v = values[0].memory(), *sorted = values[1].memory();
  CHECK_FAILS(CDP_ERROR_POINTER, sort_by(keys[2].memory(), to, column, w, room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, sort_by(k, keys[2].memory(), column, w, room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, sort_by(k, to, {values[2].memory(), sorted, 8}, w, room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, sort_by(k, to, {v, values[2].memory(), 8}, w, room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, sort_by(k, to, column, host_where.memory(), room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, sort_by(k, k, column, w, room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, sort_by(k, to, {v, v, 8}, w, room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, sort_by(k, to, column, to, room, bytes));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, sort_by(k, to, column, w, room, bytes - 1));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, sort_by(k, room, column, w, room, bytes));
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, sort_by(k, to + 1, column, w, room, bytes));
  CHECK_FAILS(CDP_ERROR_NULL, sort_by(k, nullptr, column, w, room, bytes));
  CHECK_FAILS(CDP_ERROR_NULL, sort_by(k, to, {v, nullptr, 8}, w, room, bytes));
  CHECK_FAILS(CDP_ERROR_NULL, sort_by(k, to, column, w, nullptr, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, cdp_segmented_sort_copy(k, k + 4, &column, 1, COUNT - 1, CDP_U32, &options, &segments));
  CHECK_CUDA(cudaDeviceSynchronize());
  for (size_t which = 0; which < keys.size(); which++)
    ck_assert(read_array(keys[which], label) == old_keys && read_array(values[which], label) == old_values);
  ck_assert(read_array(where, label) == old_offsets && read_array(host_where, label) == old_offsets);
  ck_assert(read_array(workspace, label) == Bytes(bytes));
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_segment_copies");
  TCase *test_case = add_case(suite, "copies");
  tcase_add_checked_fixture(test_case, make_stream, destroy_stream);
  tcase_add_loop_test(test_case, test_lengths, 0, ALL_TYPES);
  tcase_add_loop_test(test_case, test_nothing_to_sort, 0, ALL_TYPES);
  tcase_add_loop_test(test_case, test_awful_offsets, 0, ALL_TYPES);
  tcase_add_loop_test(test_case, test_long_segments, 0, 7);
  tcase_add_loop_test(test_case, test_places, 0, PLACES * PLACES);
  tcase_add_loop_test(test_case, test_stream_order, 0, 4);
  tcase_add_test(test_case, test_several_at_once);
  tcase_add_test(test_case, test_refusals);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
