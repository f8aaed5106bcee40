/* SPDX-License-Identifier: MIT */
/*
 * What the rows of public_calls.h are made of: numbers drawn by a seed, arrays, the three forms of a call, and what must come of
 * it.
 */
#ifndef CDPSORT_TESTS_CALL_ROWS_H
#define CDPSORT_TESTS_CALL_ROWS_H

#include "host_tables.h"
#include "public_calls.h"

namespace public_calls {

/* Numbers by a seed, another row of them for each. */
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed * 0xD1342543DE82EF95u + 1) {}

  uint64_t below(uint64_t bound) {
    return host_random_below(&state_, bound);
  }
  uint64_t seed() {
    return host_random(&state_);
  }
  template <typename T, size_t COUNT>
  T one_of(const T (&all)[COUNT]) {
    return all[below(COUNT)];
  }

private:
  uint64_t state_;
};

inline cdp_type any_type(Random &shape) {
  return static_cast<cdp_type>(CDP_U32 + shape.below(CDP_BF16));
}

/* Options of a call that minds the first so many ties. */
inline cdp_options any_options(Random &shape, uint64_t ties) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.order = static_cast<cdp_order>(shape.below(2));
  options.ties = static_cast<cdp_ties>(shape.below(ties));
  options.seed = shape.seed();
  return options;
}
constexpr uint64_t TIES_OF_KEYS = 2; /* without CDP_TIES_BY_VALUE */
constexpr uint64_t TIES_OF_ROWS = 3;

inline Bytes any_keys(Random &contents, cdp_type type, size_t count) {
  const auto distribution = static_cast<host_distribution>(contents.below(HOST_DISTRIBUTIONS));
  return host_tables::keys_of(type, count, distribution, contents.seed());
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------------ */

inline Array read_only(const Bytes &contents, size_t shift = 0) {
  return {contents, false, shift};
}
inline Array in_place(const Bytes &contents, size_t shift = 0) {
  return {contents, true, shift};
}
/* What receives something; what it holds is nothing that a call would write. */
inline Array output(size_t bytes, size_t shift = 0) {
  return {Bytes(bytes, 0xEE), true, shift};
}

/* ---- Calls ------------------------------------------------------------------------------------------------------------- */

/* A call in the form that is asked for. All three have the same arguments, which the stream and its workspace follow. */
template <typename Blocking, typename Async, typename OnStream, typename... Arguments>
cdp_status in_form(const Given &given, Blocking blocking, Async async, OnStream on_stream, Arguments... arguments) {
  switch (given.form) {
  case Form::blocking:
    return blocking(arguments...);
  case Form::async:
    return async(arguments..., given.d_workspace, given.workspace_bytes, given.stream);
  default:
    return on_stream(arguments..., given.stream);
  }
}

/* The same for a call that needs no workspace. */
template <typename Blocking, typename OnStream, typename... Arguments>
cdp_status in_form_without(const Given &given, Blocking blocking, OnStream on_stream, Arguments... arguments) {
  return given.form == Form::blocking ? blocking(arguments...) : on_stream(arguments..., given.stream);
}

/* ---- What must come of it ---------------------------------------------------------------------------------------------- */

/* One array, with what it must have become. */
struct Wanted {
  size_t array;
  Bytes contents;
};

inline std::string difference(const Bytes &found, const Bytes &wanted, size_t array) {
  if (found == wanted)
    return "";
  const auto differ = std::mismatch(found.begin(), found.end(), wanted.begin(), wanted.end());
  return "array " + std::to_string(array) + " is wrong from byte " + std::to_string(differ.first - found.begin()) + " of " +
         std::to_string(found.size());
}

/* Job::wrong of a call whose result is one alone. */
inline auto must_become(std::vector<Wanted> all) {
  return [all = std::move(all)](const std::vector<Bytes> &after) {
    std::string wrong;
    for (const Wanted &wanted : all)
      if (wrong.empty())
        wrong = difference(after[wanted.array], wanted.contents, wanted.array);
    return wrong;
  };
}

/* Items side by side, of arrays with so many bytes for each, in the order of their bytes: what they are, whatever their order. */
inline std::vector<std::string> rows_by_bytes(const std::vector<Bytes> &columns, const std::vector<size_t> &item_bytes) {
  std::vector<std::string> all(columns[0].size() / item_bytes[0]);
  for (size_t column = 0; column < columns.size(); column++)
    for (size_t row = 0; row < all.size(); row++)
      all[row].append(reinterpret_cast<const char *>(&columns[column][row * item_bytes[column]]), item_bytes[column]);
  std::sort(all.begin(), all.end());
  return all;
}

/* Numbers of 4 or 8 bytes. */
inline Bytes bytes_of(const std::vector<uint64_t> &numbers, size_t number_bytes) {
  Bytes bytes(numbers.size() * number_bytes);
  for (size_t index = 0; index < numbers.size(); index++)
    memcpy(&bytes[index * number_bytes], &numbers[index], number_bytes); // the machine is little-endian, as CUDA's are
  return bytes;
}

/* ---- The rows ---------------------------------------------------------------------------------------------------------- */

Job make_wide_quicksort(const Draw &draw);
Job make_narrow_quicksort(const Draw &draw);
Job make_quicksort_copy(const Draw &draw);
Job make_bitonic_sort(const Draw &draw);
Job make_bitonic_copy(const Draw &draw);
Job make_quicksort_by(const Draw &draw);
Job make_quicksort_by_copy(const Draw &draw);
Job make_nth_element(const Draw &draw);
Job make_partial_sort(const Draw &draw);
Job make_quantiles(const Draw &draw);
Job make_is_sorted(const Draw &draw);
Job make_merge(const Draw &draw);
Job make_unique(const Draw &draw);

Job make_pairs(const Draw &draw);
Job make_columns(const Draw &draw);
Job make_pairs_copy(const Draw &draw);
Job make_columns_copy(const Draw &draw);
Job make_argsort(const Draw &draw);
Job make_sort_records(const Draw &draw);
Job make_sort_records_copy(const Draw &draw);
Job make_argsort_columns(const Draw &draw);
Job make_top_k(const Draw &draw);
Job make_segmented_sort(const Draw &draw);
Job make_segmented_copy(const Draw &draw);
Job make_divide(const Draw &draw);

} // namespace public_calls

#endif
