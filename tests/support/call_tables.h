/* SPDX-License-Identifier: MIT */
/*
 * Keys with columns of values, for rows of public_calls.h.
 */
#ifndef CDPSORT_TESTS_CALL_TABLES_H
#define CDPSORT_TESTS_CALL_TABLES_H

#include "call_rows.h"

#include <cdpsort/copy.h>
#include <cdpsort/pairs.h>

namespace public_calls {

/* Keys, and arrays of values beside them. */
struct Table {
  cdp_type type;
  size_t count;
  Bytes keys;
  std::vector<size_t> value_bytes; /* of each column */
  std::vector<Bytes> columns;

  size_t key_bytes() const {
    return host_key_bytes(type);
  }
  /* The keys and all columns with rows in such an order. */
  std::vector<Bytes> in_order(const std::vector<uint64_t> &order) const {
    std::vector<Bytes> all = {host_tables::in_order(keys, key_bytes(), order)};
    for (size_t column = 0; column < columns.size(); column++)
      all.push_back(host_tables::in_order(columns[column], value_bytes[column], order));
    return all;
  }
  std::vector<size_t> item_bytes() const {
    std::vector<size_t> all = {key_bytes()};
    all.insert(all.end(), value_bytes.begin(), value_bytes.end());
    return all;
  }
};

inline std::vector<size_t> any_value_bytes(Random &shape, uint64_t columns) {
  constexpr size_t BYTES[] = {1, 2, 4, 4, 8, 8, 12, 16, 21};
  std::vector<size_t> all(columns);
  for (size_t &bytes : all)
    bytes = shape.one_of(BYTES);
  return all;
}

inline Table any_table(Random &shape, Random &contents, size_t count, uint64_t columns) {
  Table table = {any_type(shape), count, {}, any_value_bytes(shape, columns), {}};
  table.keys = any_keys(contents, table.type, count);
  for (const size_t bytes : table.value_bytes)
    table.columns.push_back(host_tables::random_bytes(count * bytes, contents.seed()));
  return table;
}

/* Job::wrong of a table whose keys and columns have become arrays `outputs`. */
inline auto must_be_sorted(const Table &table, const cdp_options &options, const std::vector<size_t> &outputs) {
  const std::vector<Bytes> wanted = table.in_order(host_tables::stable_order(table.type, options, table.keys));
  return [=](const std::vector<Bytes> &after) {
    std::vector<Bytes> found;
    found.reserve(outputs.size());
    for (const size_t output : outputs)
      found.push_back(after[output]);
    if (found[0] != wanted[0])
      return std::string("the keys are not in order");
    const std::vector<size_t> item_bytes = table.item_bytes();
    const bool is_right =
        options.ties != CDP_TIES_ANY ? found == wanted : rows_by_bytes(found, item_bytes) == rows_by_bytes(wanted, item_bytes);
    return std::string(is_right ? "" : "values are not with their keys, or not in their order");
  };
}

/* Arrays of a table that is sorted in place: the keys, and then the columns, which need no alignment. */
inline std::vector<Array> arrays_in_place(const Table &table) {
  std::vector<Array> arrays = {in_place(table.keys, table.key_bytes())};
  for (size_t column = 0; column < table.columns.size(); column++)
    arrays.push_back(in_place(table.columns[column], column % 3));
  return arrays;
}

inline std::vector<cdp_column> columns_at(const Given &given, const std::vector<size_t> &value_bytes) {
  std::vector<cdp_column> columns;
  for (size_t column = 0; column < value_bytes.size(); column++)
    columns.push_back({given.arrays[1 + column], value_bytes[column]});
  return columns;
}

/* Columns of which a call looks at the sizes alone. */
inline std::vector<cdp_column> columns_nowhere(const std::vector<size_t> &value_bytes) {
  std::vector<cdp_column> columns;
  columns.reserve(value_bytes.size());
  for (const size_t bytes : value_bytes)
    columns.push_back({nullptr, bytes});
  return columns;
}

inline std::vector<size_t> first_arrays(size_t number) {
  std::vector<size_t> all(number);
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

inline std::vector<size_t> every_other_array(size_t number) {
  std::vector<size_t> all(number);
  for (size_t index = 0; index < number; index++)
    all[index] = 2 * index + 1;
  return all;
}

/* ---- Out of place ------------------------------------------------------------------------------------------------------ */

/* Each array, and behind it what it becomes. */
inline std::vector<Array> arrays_apart(const Table &table) {
  std::vector<Array> arrays;
  for (const Array &array : arrays_in_place(table)) {
    arrays.push_back(read_only(array.before, array.shift));
    arrays.push_back(output(array.before.size()));
  }
  return arrays;
}

/* Nowhere if nothing is given. */
inline std::vector<cdp_column_copy> column_copies_at(const Given *given, const std::vector<size_t> &value_bytes) {
  std::vector<cdp_column_copy> columns;
  for (size_t column = 0; column < value_bytes.size(); column++)
    columns.push_back({given != nullptr ? given->arrays[2 + 2 * column] : nullptr,
                       given != nullptr ? given->arrays[3 + 2 * column] : nullptr, value_bytes[column]});
  return columns;
}

} // namespace public_calls

#endif
