/* SPDX-License-Identifier: MIT */
/*
 * Sorts of segments on the GPU, for their tests: in every way of calling, in place and out of place, over arrays in every kind of
 * memory, and beside std::stable_sort of each segment's positions by the keys' ranks.
 */
#ifndef CDPSORT_TESTS_GPU_SEGMENTS_H
#define CDPSORT_TESTS_GPU_SEGMENTS_H

#include "gpu_tables.h"
#include "segment_tables.h"
#include "tile_sizes.h"

#include <cdpsort/copy.h>

#include <cstring>

namespace gpu_segments {

using namespace gpu_check;
using namespace gpu_tables;
namespace tables = segment_tables;

/* What is at hand, for messages. */
inline char label[256];

/* All ways in turn; arrays of a blocking call lie in different memory. */
inline Way way_at(uint64_t round) {
  const Call call = static_cast<Call>(round % CALLS);
  if (call == Call::blocking)
    return {call, static_cast<Place>(round / 3 % PLACES), static_cast<Place>(round / 2 % PLACES), round % 5, false};
  return {call, round % 2 == 0 ? Place::device : Place::managed, Place::device, round % 5, round % 5 < 2};
}

inline cdp_options options_at(uint64_t round) {
  return options_of(ORDERS[round / 2 % 2], ALL_TIES[round / 3 % 3]);
}

inline host_distribution host_distribution_at(uint64_t round) {
  static const host_distribution distributions[] = {HOST_UNIFORM, HOST_EXTREMES, HOST_FEW_DISTINCT, HOST_LOST_PIVOT,
                                                    HOST_SORTED,  HOST_BUCKET,   HOST_ALL_EQUAL};
  return distributions[round % 7];
}

inline std::vector<uint64_t> limits_of(size_t item_bytes) {
  std::vector<uint64_t> limits = {2, 8, 16, 32};
  for (uint32_t index = 0; index < SEGMENT_LIMIT_COUNT; index++)
    limits.push_back(cuda_segment_limit(index, static_cast<uint32_t>(item_bytes)));
  return limits;
}

inline size_t item_bytes_of(cdp_type type, bool has_columns) {
  return has_columns || host_key_bytes(type) == 8 ? 8 : 4;
}

/* In place the output is the input. */
struct Arrays {
  Array keys;
  Array sorted_keys;
  Array begins;
  Array ends;
  std::vector<Array> values;
  std::vector<Array> sorted_values;
  std::vector<cdp_column> columns;
  std::vector<cdp_column_copy> copies;
  cdp_segments segments;
  bool is_apart;
};

/* Output out of place lies where the values do. */
inline Array make_output(const Array &input, const Way &way, bool is_apart) {
  return is_apart ? make_array(way.values_place, Bytes(input.bytes, 0xEE), input.shift) : input;
}

inline Arrays make_arrays(const Table &table, const tables::Table &segments, const Way &way, bool is_apart = false) {
  Arrays arrays = {};
  arrays.is_apart = is_apart;
  arrays.keys = make_array(way.keys_place, table.keys, way.shift * host_key_bytes(table.type));
  arrays.sorted_keys = make_output(arrays.keys, way, is_apart);
  arrays.begins = make_array(way.values_place, segments.bytes_of(segments.begins));
  arrays.ends = make_array(way.values_place, segments.bytes_of(segments.ends));
  for (size_t column = 0; column < table.columns.size(); column++) {
    const size_t value_bytes = table.value_bytes[column];
    arrays.values.push_back(make_array(way.values_place, table.columns[column], way.shift));
    arrays.sorted_values.push_back(make_output(arrays.values[column], way, is_apart));
    arrays.columns.push_back({arrays.values[column].memory(), value_bytes});
    arrays.copies.push_back({arrays.values[column].memory(), arrays.sorted_values[column].memory(), value_bytes});
  }
  arrays.segments.count = segments.begins.size();
  arrays.segments.offset_bytes = segments.offset_bytes;
  if (segments.offset_bytes != 0) {
    arrays.segments.begins = arrays.begins.memory();
    arrays.segments.ends = arrays.ends.memory();
  } else if (!segments.ends.empty())
    arrays.segments.length = segments.ends[0];
  return arrays;
}

/* In stream order in a workspace of exactly the size that is asked for. */
template <typename Ask, typename Launch>
cdp_status sort_in_workspace(const Way &way, Ask ask, Launch launch) {
  size_t bytes = 0;
  CHECK_SORT(ask(&bytes));
  const Array workspace = make_array(Place::device, Bytes(bytes));
  const cdp_status status = perform(way, [&] { return launch(workspace.memory(), bytes); });
  CHECK_CUDA(cudaStreamSynchronize(stream()));
  read_array(workspace, label);
  return status;
}

inline cdp_status sort_apart(const Table &table, const Arrays &arrays, const cdp_options &options, const Way &way) {
  const cdp_column_copy *columns = arrays.copies.data();
  const size_t column_count = arrays.copies.size();
  const void *keys = arrays.keys.memory();
  void *sorted_keys = arrays.sorted_keys.memory();
  if (way.call == Call::blocking)
    return cdp_segmented_sort_copy(keys, sorted_keys, columns, column_count, table.count, table.type, &options,
                                   &arrays.segments);
  if (way.call == Call::on_stream)
    return perform(way, [&] {
      return cdp_segmented_sort_copy_on_stream(keys, sorted_keys, columns, column_count, table.count, table.type, &options,
                                               &arrays.segments, stream());
    });
  return sort_in_workspace(
      way,
      [&](size_t *bytes) {
        return cdp_segmented_sort_copy_workspace(columns, column_count, table.count, table.type, &options, &arrays.segments,
                                                 bytes);
      },
      [&](void *workspace, size_t bytes) {
        return cdp_segmented_sort_copy_async(keys, sorted_keys, columns, column_count, table.count, table.type, &options,
                                             &arrays.segments, workspace, bytes, stream());
      });
}

inline cdp_status sort(const Table &table, const Arrays &arrays, const cdp_options &options, const Way &way) {
  if (arrays.is_apart)
    return sort_apart(table, arrays, options, way);
  const cdp_column *columns = arrays.columns.data();
  const size_t column_count = arrays.columns.size();
  void *keys = arrays.keys.memory();
  if (way.call == Call::blocking)
    return cdp_segmented_sort(keys, columns, column_count, table.count, table.type, &options, &arrays.segments);
  if (way.call == Call::on_stream)
    return perform(way, [&] {
      return cdp_segmented_sort_on_stream(keys, columns, column_count, table.count, table.type, &options, &arrays.segments,
                                          stream());
    });
  return sort_in_workspace(
      way,
      [&](size_t *bytes) {
        return cdp_segmented_sort_workspace(columns, column_count, table.count, table.type, &options, &arrays.segments, bytes);
      },
      [&](void *workspace, size_t bytes) {
        return cdp_segmented_sort_async(keys, columns, column_count, table.count, table.type, &options, &arrays.segments,
                                        workspace, bytes, stream());
      });
}

/* Where each key comes from. */
inline std::vector<uint64_t> order_of(const Table &table, const tables::Table &segments, const cdp_options &options) {
  std::vector<uint64_t> ranks = ranks_of(table.type, table.keys, options.ties);
  if (options.order == CDP_DESCENDING)
    for (uint64_t &rank : ranks)
      rank = ~rank;
  return tables::sorted_positions(segments, [&](uint64_t a, uint64_t b) { return ranks[a] < ranks[b]; });
}

inline Bytes in_order(const Bytes &items, size_t item_bytes, const std::vector<uint64_t> &order) {
  Bytes ordered(items.size());
  for (size_t index = 0; index < order.size(); index++)
    memcpy(&ordered[index * item_bytes], &items[order[index] * item_bytes], item_bytes);
  return ordered;
}

/* Ends the test unless all is as the host has it. */
inline void check_arrays(const Table &table, const tables::Table &segments, const cdp_options &options, const Arrays &arrays) {
  const std::vector<uint64_t> order = order_of(table, segments, options);
  const size_t key_bytes = host_key_bytes(table.type);
  const Bytes wanted = in_order(table.keys, key_bytes, order);
  const Bytes found = read_array(arrays.sorted_keys, label);
  const auto wrong = std::mismatch(wanted.begin(), wanted.end(), found.begin()).first;
  ck_assert_msg(wrong == wanted.end(), "%s: key %zu", label, static_cast<size_t>(wrong - wanted.begin()) / key_bytes);
  for (size_t column = 0; column < table.columns.size(); column++)
    ck_assert_msg(read_array(arrays.sorted_values[column], label) ==
                      in_order(table.columns[column], table.value_bytes[column], order),
                  "%s: values of column %zu", label, column);
  ck_assert_msg(read_array(arrays.begins, label) == segments.bytes_of(segments.begins) &&
                    read_array(arrays.ends, label) == segments.bytes_of(segments.ends),
                "%s: the offsets", label);
  if (!arrays.is_apart)
    return;
  ck_assert_msg(read_array(arrays.keys, label) == table.keys, "%s: the keys that are read have changed", label);
  for (size_t column = 0; column < table.columns.size(); column++)
    ck_assert_msg(read_array(arrays.values[column], label) == table.columns[column], "%s: values that are read have changed",
                  label);
}

inline void check(cdp_type type, const tables::Table &given, uint64_t round, const std::vector<size_t> &value_bytes = {},
                  bool is_apart = false) {
  const Way way = way_at(round);
  const tables::Table segments = way.call == Call::blocking ? tables::within_array(given) : given;
  const cdp_options options = options_at(round);
  const Table table = make_table(type, make_keys(type, segments.count, host_distribution_at(round)), value_bytes);
  snprintf(label, sizeof label, "%zu %s in %zu segments by %zu bytes, %zu columns, round %llu; %s%s%s, %s and %s", table.count,
           host_type_name(type), segments.begins.size(), segments.offset_bytes, value_bytes.size(),
           static_cast<unsigned long long>(round), is_apart ? "out of place, " : "", way.is_captured ? "captured, " : "",
           call_name(way.call), place_name(way.keys_place), place_name(way.values_place));
  note("%s", label);
  const Arrays arrays = make_arrays(table, segments, way, is_apart);
  CHECK_SORT(sort(table, arrays, options, way));
  CHECK_CUDA(cudaStreamSynchronize(stream()));
  check_arrays(table, segments, options, arrays);
  free_arrays();
}

} // namespace gpu_segments

#endif
