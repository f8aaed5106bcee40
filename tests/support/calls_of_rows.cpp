/* SPDX-License-Identifier: MIT */
/*
 * Rows of public_calls.h: calls on keys with what goes with them.
 */
#include "call_tables.h"

#include <cdpsort/copy.h>

namespace public_calls {

/* ---- In place ---------------------------------------------------------------------------------------------------------- */

Job make_pairs(const Draw &draw) {
  Random shape(draw.shape);
  Random contents(draw.contents);
  Job job;
  job.options = any_options(shape, TIES_OF_ROWS);
  const Table table = any_table(shape, contents, draw.count, 1);
  const size_t count = draw.count;
  const size_t value_bytes = table.value_bytes[0];
  const cdp_type type = table.type;
  job.arrays = arrays_in_place(table);
  job.workspace = [=](const cdp_options &options, size_t *bytes) {
    return cdp_quicksort_pairs_workspace(value_bytes, count, type, &options, bytes);
  };
  job.call = [=](const Given &given) {
    return in_form(given, cdp_quicksort_pairs, cdp_quicksort_pairs_async, cdp_quicksort_pairs_on_stream, given.arrays[0],
                   given.arrays[1], value_bytes, count, type, given.options);
  };
  job.wrong = must_be_sorted(table, job.options, first_arrays(2));
  return job;
}

Job make_columns(const Draw &draw) {
  Random shape(draw.shape);
  Random contents(draw.contents);
  Job job;
  job.options = any_options(shape, TIES_OF_ROWS);
  const Table table = any_table(shape, contents, draw.count, shape.below(4));
  const size_t count = draw.count;
  const std::vector<size_t> value_bytes = table.value_bytes;
  const cdp_type type = table.type;
  job.arrays = arrays_in_place(table);
  job.workspace = [=](const cdp_options &options, size_t *bytes) {
    const std::vector<cdp_column> columns = columns_nowhere(value_bytes);
    return cdp_quicksort_columns_workspace(columns.data(), columns.size(), count, type, &options, bytes);
  };
  job.call = [=](const Given &given) {
    const std::vector<cdp_column> columns = columns_at(given, value_bytes);
    return in_form(given, cdp_quicksort_columns, cdp_quicksort_columns_async, cdp_quicksort_columns_on_stream, given.arrays[0],
                   columns.data(), columns.size(), count, type, given.options);
  };
  job.wrong = must_be_sorted(table, job.options, first_arrays(1 + value_bytes.size()));
  return job;
}

/* ---- Out of place ------------------------------------------------------------------------------------------------------ */

Job make_pairs_copy(const Draw &draw) {
  Random shape(draw.shape);
  Random contents(draw.contents);
  Job job;
  job.options = any_options(shape, TIES_OF_ROWS);
  const Table table = any_table(shape, contents, draw.count, 1);
  const size_t count = draw.count;
  const size_t value_bytes = table.value_bytes[0];
  const cdp_type type = table.type;
  job.arrays = arrays_apart(table);
  job.workspace = [=](const cdp_options &options, size_t *bytes) {
    return cdp_quicksort_pairs_copy_workspace(value_bytes, count, type, &options, bytes);
  };
  job.call = [=](const Given &given) {
    return in_form(given, cdp_quicksort_pairs_copy, cdp_quicksort_pairs_copy_async, cdp_quicksort_pairs_copy_on_stream,
                   given.arrays[0], given.arrays[1], given.arrays[2], given.arrays[3], value_bytes, count, type, given.options);
  };
  job.wrong = must_be_sorted(table, job.options, every_other_array(2));
  return job;
}

Job make_columns_copy(const Draw &draw) {
  Random shape(draw.shape);
  Random contents(draw.contents);
  Job job;
  job.options = any_options(shape, TIES_OF_ROWS);
  const Table table = any_table(shape, contents, draw.count, shape.below(4));
  const size_t count = draw.count;
  const std::vector<size_t> value_bytes = table.value_bytes;
  const cdp_type type = table.type;
  job.arrays = arrays_apart(table);
  job.workspace = [=](const cdp_options &options, size_t *bytes) {
    const std::vector<cdp_column_copy> columns = column_copies_at(nullptr, value_bytes);
    return cdp_quicksort_columns_copy_workspace(columns.data(), columns.size(), count, type, &options, bytes);
  };
  job.call = [=](const Given &given) {
    const std::vector<cdp_column_copy> columns = column_copies_at(&given, value_bytes);
    return in_form(given, cdp_quicksort_columns_copy, cdp_quicksort_columns_copy_async, cdp_quicksort_columns_copy_on_stream,
                   given.arrays[0], given.arrays[1], columns.data(), columns.size(), count, type, given.options);
  };
  job.wrong = must_be_sorted(table, job.options, every_other_array(1 + value_bytes.size()));
  return job;
}

/* ---- Argsort ----------------------------------------------------------------------------------------------------------- */

Job make_argsort(const Draw &draw) {
  enum Keys { UNWANTED, IN_PLACE, APART, WAYS };
  Random shape(draw.shape);
  Random contents(draw.contents);
  Job job;
  job.options = any_options(shape, TIES_OF_ROWS);
  const size_t count = draw.count;
  const size_t index_bytes = shape.below(2) == 0 ? 4 : 8;
  const uint64_t way = shape.below(WAYS);
  const cdp_type type = any_type(shape);
  const Bytes keys = any_keys(contents, type, count);
  const std::vector<uint64_t> order = host_tables::stable_order(type, job.options, keys);
  std::vector<Wanted> wanted = {{1, bytes_of(order, index_bytes)}};
  job.arrays = {way == IN_PLACE ? in_place(keys) : read_only(keys), output(count * index_bytes, index_bytes)};
  if (way == APART) {
    job.arrays.push_back(output(keys.size()));
    job.arrays.back().may_be_null = true;
  }
  if (way != UNWANTED)
    wanted.push_back({way == IN_PLACE ? size_t{0} : 2, host_tables::in_order(keys, host_key_bytes(type), order)});
  job.workspace = [=](const cdp_options &options, size_t *bytes) {
    return cdp_argsort_workspace(count, type, &options, bytes);
  };
  job.call = [=](const Given &given) {
    void *sorted_keys = way == UNWANTED ? nullptr : given.arrays[way == IN_PLACE ? 0 : 2];
    return in_form(given, cdp_argsort, cdp_argsort_async, cdp_argsort_on_stream, given.arrays[0], sorted_keys, given.arrays[1],
                   index_bytes, count, type, given.options);
  };
  job.wrong = must_become(wanted);
  return job;
}

} // namespace public_calls
