/* SPDX-License-Identifier: MIT */
/*
 * Rows of public_calls.h: calls on records, or on columns of keys.
 */
#include "call_rows.h"
#include "records.h"

#include <cdpsort/copy.h>

namespace public_calls {

/* Options of a call with fields, whose orders are their own. */
static cdp_options options_of_fields(Random &shape) {
  cdp_options options = any_options(shape, TIES_OF_ROWS);
  options.order = CDP_ASCENDING;
  return options;
}

/* Some that are nothing but fields, of 8 bytes together, and others. */
static records::Records any_records(Random &shape, Random &contents, size_t count) {
  constexpr size_t BYTES[] = {8, 12, 24, 33};
  const size_t record_bytes = shape.one_of(BYTES);
  constexpr size_t MOST = 5; // each takes a sort more, or nearly
  std::vector<cdp_field> fields = records::packed_fields({CDP_I32, CDP_F32});
  if (record_bytes != 8)
    fields = records::random_fields(record_bytes, shape.seed());
  fields.resize(std::min(fields.size(), MOST));
  return records::make_records(count, record_bytes, fields, contents.seed());
}

Job make_sort_records(const Draw &draw) {
  Random shape(draw.shape);
  Random contents(draw.contents);
  Job job;
  job.options = options_of_fields(shape);
  const records::Records given_records = any_records(shape, contents, draw.count);
  const size_t count = draw.count;
  const size_t record_bytes = given_records.record_bytes;
  const std::vector<cdp_field> fields = given_records.fields;
  job.arrays = {in_place(given_records.bytes, shape.below(2) * 4)};
  job.workspace = [=](const cdp_options &options, size_t *bytes) {
    return cdp_sort_records_workspace(count, record_bytes, fields.data(), fields.size(), &options, bytes);
  };
  job.call = [=](const Given &given) {
    return in_form(given, cdp_sort_records, cdp_sort_records_async, cdp_sort_records_on_stream, given.arrays[0], count,
                   record_bytes, fields.data(), fields.size(), given.options);
  };
  job.wrong = must_become({{0, records::sorted_bytes(given_records, job.options.ties)}});
  return job;
}

Job make_sort_records_copy(const Draw &draw) {
  Random shape(draw.shape);
  Random contents(draw.contents);
  Job job;
  job.options = options_of_fields(shape);
  const records::Records given_records = any_records(shape, contents, draw.count);
  const size_t count = draw.count;
  const size_t record_bytes = given_records.record_bytes;
  const std::vector<cdp_field> fields = given_records.fields;
  job.arrays = {read_only(given_records.bytes), output(given_records.bytes.size(), shape.below(2) * 4)};
  job.workspace = [=](const cdp_options &options, size_t *bytes) {
    return cdp_sort_records_copy_workspace(count, record_bytes, fields.data(), fields.size(), &options, bytes);
  };
  job.call = [=](const Given &given) {
    return in_form(given, cdp_sort_records_copy, cdp_sort_records_copy_async, cdp_sort_records_copy_on_stream, given.arrays[0],
                   given.arrays[1], count, record_bytes, fields.data(), fields.size(), given.options);
  };
  job.wrong = must_become({{1, records::sorted_bytes(given_records, job.options.ties)}});
  return job;
}

/* Without pointers if there is nothing given. */
static std::vector<cdp_key_column> key_columns_at(const Given *given, const std::vector<cdp_field> &fields) {
  std::vector<cdp_key_column> columns;
  for (size_t field = 0; field < fields.size(); field++)
    columns.push_back({given != nullptr ? given->arrays[field] : nullptr, fields[field].type, fields[field].order});
  return columns;
}

Job make_argsort_columns(const Draw &draw) {
  Random shape(draw.shape);
  Random contents(draw.contents);
  Job job;
  job.options = options_of_fields(shape);
  const size_t count = draw.count;
  const size_t index_bytes = shape.below(2) == 0 ? 4 : 8;
  std::vector<cdp_type> types(1 + shape.below(4));
  for (cdp_type &type : types)
    type = any_type(shape);
  const std::vector<cdp_field> fields = records::packed_fields(types);
  const size_t record_bytes = fields.back().offset + host_key_bytes(types.back());
  const records::Records table = records::make_records(count, record_bytes, fields, contents.seed());
  for (size_t field = 0; field < fields.size(); field++)
    job.arrays.push_back(read_only(records::column_of(table, field)));
  job.arrays.push_back(output(count * index_bytes, index_bytes));
  job.workspace = [=](const cdp_options &options, size_t *bytes) {
    const std::vector<cdp_key_column> columns = key_columns_at(nullptr, fields);
    return cdp_argsort_columns_workspace(columns.data(), columns.size(), count, &options, bytes);
  };
  job.call = [=](const Given &given) {
    const std::vector<cdp_key_column> columns = key_columns_at(&given, fields);
    return in_form(given, cdp_argsort_columns, cdp_argsort_columns_async, cdp_argsort_columns_on_stream, columns.data(),
                   columns.size(), given.arrays.back(), index_bytes, count, given.options);
  };
  job.wrong = must_become({{fields.size(), bytes_of(records::order_of(table, job.options.ties), index_bytes)}});
  return job;
}

} // namespace public_calls
