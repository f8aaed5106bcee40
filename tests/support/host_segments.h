/* SPDX-License-Identifier: MIT */
/*
 * Sorts of segments on the simulated device, for their tests: by each form of the call, in place and out of place, beside
 * std::stable_sort of each segment's positions by the oracle's comparison of keys.
 */
#ifndef CDPSORT_TESTS_HOST_SEGMENTS_H
#define CDPSORT_TESTS_HOST_SEGMENTS_H

#include "host_tables.h"
#include "segment_tables.h"
#include "tile_sizes.h"

#include <cdpsort/copy.h>

#include <cstdio>
#include <memory>

namespace host_segments {

using namespace host_tables;
using namespace segment_tables;

enum Form { BLOCKING, ASYNC, ON_STREAM, FORMS };

struct Job {
  cdp_type type;
  Bytes keys;
  Table table;
  std::vector<size_t> columns; /* sizes of values */
  cdp_options options;
  Form form;
  bool is_apart = false; /* out of place */
};

/* Ties, directions and forms by turns. */
inline cdp_options options_at(size_t turn) {
  cdp_options options = simulated_options(turn);
  options.order = static_cast<cdp_order>(turn % 2);
  options.ties = static_cast<cdp_ties>(turn / 2 % 3);
  return options;
}

inline Form form_at(size_t turn) {
  return static_cast<Form>(turn % FORMS);
}

/* The greatest segments of each class but the last, of keys that are sorted as items of so many bytes. */
inline std::vector<uint64_t> limits_of(size_t item_bytes) {
  std::vector<uint64_t> limits = {2, 8, 16, 32};
  for (uint32_t index = 0; index < SEGMENT_LIMIT_COUNT; index++)
    limits.push_back(simulated_segment_limit(index, static_cast<uint32_t>(item_bytes)));
  return limits;
}

inline size_t item_bytes_of(cdp_type type, bool has_columns) {
  return has_columns || host_key_bytes(type) == 8 ? 8 : 4;
}

/* ---- Sorts ------------------------------------------------------------------------------------------------------------- */

/* The arrays of a sort. In place the output is the input. */
struct Arrays {
  unsigned char *keys;
  unsigned char *sorted_keys;
  std::vector<cdp_column_copy> columns;
  cdp_segments segments;
};

/* In stream order in a workspace of exactly the size that is asked for. */
template <typename Ask, typename Launch>
cdp_status call_in_workspace(Ask ask, Launch launch) {
  size_t bytes = 0;
  ck_assert_int_eq(ask(&bytes), CDP_OK);
  const Guarded workspace(Bytes(bytes, 0xC3));
  const cdp_status status = launch(workspace.bytes(), bytes);
  ck_assert_uint_eq(workspace.contents().size(), bytes);
  return status;
}

inline cdp_status call_in_place(const Job &job, const Arrays &arrays) {
  const size_t count = job.table.count;
  std::vector<cdp_column> all;
  for (const cdp_column_copy &column : arrays.columns)
    all.push_back({column.sorted_values, column.value_bytes});
  const cdp_column *columns = all.data();
  unsigned char *keys = arrays.sorted_keys;
  if (job.form == BLOCKING)
    return cdp_segmented_sort(keys, columns, all.size(), count, job.type, &job.options, &arrays.segments);
  if (job.form == ON_STREAM)
    return cdp_segmented_sort_on_stream(keys, columns, all.size(), count, job.type, &job.options, &arrays.segments, nullptr);
  return call_in_workspace(
      [&](size_t *bytes) {
        return cdp_segmented_sort_workspace(columns, all.size(), count, job.type, &job.options, &arrays.segments, bytes);
      },
      [&](void *workspace, size_t bytes) {
        return cdp_segmented_sort_async(keys, columns, all.size(), count, job.type, &job.options, &arrays.segments, workspace,
                                        bytes, nullptr);
      });
}

inline cdp_status call_apart(const Job &job, const Arrays &arrays) {
  const size_t count = job.table.count;
  const size_t column_count = arrays.columns.size();
  const cdp_column_copy *columns = arrays.columns.data();
  const unsigned char *keys = arrays.keys;
  unsigned char *sorted_keys = arrays.sorted_keys;
  if (job.form == BLOCKING)
    return cdp_segmented_sort_copy(keys, sorted_keys, columns, column_count, count, job.type, &job.options, &arrays.segments);
  if (job.form == ON_STREAM)
    return cdp_segmented_sort_copy_on_stream(keys, sorted_keys, columns, column_count, count, job.type, &job.options,
                                             &arrays.segments, nullptr);
  return call_in_workspace(
      [&](size_t *bytes) {
        return cdp_segmented_sort_copy_workspace(columns, column_count, count, job.type, &job.options, &arrays.segments, bytes);
      },
      [&](void *workspace, size_t bytes) {
        return cdp_segmented_sort_copy_async(keys, sorted_keys, columns, column_count, count, job.type, &job.options,
                                             &arrays.segments, workspace, bytes, nullptr);
      });
}

/* What a sort has made of its arrays. */
struct Sorted {
  Bytes keys;
  std::vector<Bytes> before; /* of the columns */
  std::vector<Bytes> after;
};

/* An array that is sorted: between guards, and where the sort is out of place with another to receive it. */
class Sortable {
public:
  Sortable(const Bytes &contents, size_t offset, bool is_apart) : before(contents), from(contents, offset) {
    if (is_apart)
      to = std::make_unique<Guarded>(Bytes(contents.size(), 0xEE), offset);
  }
  unsigned char *source() const {
    return from.bytes();
  }
  unsigned char *target() const {
    return to != nullptr ? to->bytes() : from.bytes();
  }
  /* What has become of it; input that is read alone has not changed. */
  Bytes result() const {
    ck_assert_msg(to == nullptr || from.contents() == before, "the input has changed");
    return to != nullptr ? to->contents() : from.contents();
  }

private:
  Bytes before;
  Guarded from;
  std::unique_ptr<Guarded> to;
};

/* Sorts, and ends the test where that fails, or something else was written. */
inline Sorted sorted_by(const Job &job) {
  const Table &table = job.table;
  const Bytes given_begins = table.bytes_of(table.begins);
  const Bytes given_ends = table.bytes_of(table.ends);
  const Sortable keys(job.keys, host_key_bytes(job.type), job.is_apart);
  const Guarded begins(given_begins, table.offset_bytes);
  const Guarded ends(given_ends, table.offset_bytes);
  std::vector<std::unique_ptr<Sortable>> values;
  Arrays arrays = {keys.source(), keys.target(), {}, {}};
  Sorted sorted;
  for (const size_t value_bytes : job.columns) {
    sorted.before.push_back(random_bytes(table.count * value_bytes, value_bytes + values.size()));
    values.push_back(std::make_unique<Sortable>(sorted.before.back(), values.size() % 3, job.is_apart));
    arrays.columns.push_back({values.back()->source(), values.back()->target(), value_bytes});
  }
  arrays.segments.count = table.begins.size();
  arrays.segments.offset_bytes = table.offset_bytes;
  if (table.offset_bytes != 0) {
    arrays.segments.begins = begins.bytes();
    arrays.segments.ends = ends.bytes();
  } else if (arrays.segments.count != 0)
    arrays.segments.length = table.ends[0];
  const cdp_status status = job.is_apart ? call_apart(job, arrays) : call_in_place(job, arrays);
  ck_assert_msg(status == CDP_OK, "%s", cdp_last_message());
  ck_assert(begins.contents() == given_begins && ends.contents() == given_ends);
  sorted.keys = keys.result();
  for (const std::unique_ptr<Sortable> &value : values)
    sorted.after.push_back(value->result());
  return sorted;
}

/* And ends the test unless all is where it must be. */
inline void must_sort(Job job) {
  if (job.form == BLOCKING)
    job.table = within_array(job.table);
  const size_t key_bytes = host_key_bytes(job.type);
  const std::vector<uint64_t> order = sorted_positions(job.table, [&](uint64_t a, uint64_t b) {
    return comes_before(job.type, job.options, &job.keys[a * key_bytes], &job.keys[b * key_bytes]);
  });
  const Sorted sorted = sorted_by(job);
  char what[256];
  snprintf(
      what, sizeof what,
      "%llu keys of %s in %zu segments by offsets of %zu bytes, the first [%llu, %llu), order %d, ties %d, form %d%s, seed "
      "%llu",
      static_cast<unsigned long long>(job.table.count), host_type_name(job.type), job.table.begins.size(),
      job.table.offset_bytes, static_cast<unsigned long long>(job.table.begins.empty() ? 0 : job.table.begins[0]),
      static_cast<unsigned long long>(job.table.ends.empty() ? 0 : job.table.ends[0]), static_cast<int>(job.options.order),
      static_cast<int>(job.options.ties), static_cast<int>(job.form), job.is_apart ? " out of place" : "",
      static_cast<unsigned long long>(job.options.seed));
  const Bytes wanted = in_order(job.keys, key_bytes, order);
  const auto wrong = std::mismatch(wanted.begin(), wanted.end(), sorted.keys.begin());
  ck_assert_msg(wrong.first == wanted.end(), "%s: key %td", what,
                (wrong.first - wanted.begin()) / static_cast<std::ptrdiff_t>(key_bytes));
  for (size_t column = 0; column < job.columns.size(); column++)
    ck_assert_msg(sorted.after[column] == in_order(sorted.before[column], job.columns[column], order),
                  "%s: values of %zu bytes", what, job.columns[column]);
}

/* Keys of a table. */
inline Job job_of(cdp_type type, const Table &table, host_distribution distribution, size_t turn,
                  const std::vector<size_t> &columns = {}) {
  return {type, keys_of(type, table.count, distribution, turn), table, columns, options_at(turn), form_at(turn)};
}

} // namespace host_segments

#endif
