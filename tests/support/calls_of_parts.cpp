/* SPDX-License-Identifier: MIT */
/*
 * Rows of public_calls.h: calls that take some of the rows, or divide them.
 */
#include "call_tables.h"
#include "segment_tables.h"

#include <cdpsort/buckets.h>
#include <cdpsort/segments.h>
#include <cdpsort/select.h>

namespace public_calls {

/* ---- Some of the rows -------------------------------------------------------------------------------------------------- */

/* What a top-k finds, and how its arrays lie: the keys, the top keys, each column with its top values, and the indices. */
struct Top {
  cdp_top_order order;
  size_t index_bytes;
  std::vector<size_t> value_bytes;

  std::vector<cdp_top_column> columns_at(const Given *given) const {
    std::vector<cdp_top_column> columns;
    for (size_t column = 0; column < value_bytes.size(); column++)
      columns.push_back({given != nullptr ? given->arrays[2 + 2 * column] : nullptr, value_bytes[column],
                         given != nullptr ? given->arrays[3 + 2 * column] : nullptr});
    return columns;
  }
  cdp_top with(const std::vector<cdp_top_column> &columns, void *indices) const {
    cdp_top top = CDP_TOP_INIT;
    top.order = order;
    top.indices = indices;
    top.index_bytes = index_bytes;
    top.columns = columns.data();
    top.column_count = columns.size();
    return top;
  }
};

/* Job::wrong of a top-k: the first k rows of the order, in it or in any. */
static auto must_be_top(const Table &table, const cdp_options &options, const Top &top, size_t k) {
  std::vector<uint64_t> order = host_tables::stable_order(table.type, options, table.keys);
  order.resize(k);
  std::vector<Bytes> wanted = table.in_order(order);
  std::vector<size_t> item_bytes = table.item_bytes();
  if (top.index_bytes != 0) {
    wanted.push_back(bytes_of(order, top.index_bytes));
    item_bytes.push_back(top.index_bytes);
  }
  return [=](const std::vector<Bytes> &after) {
    std::vector<Bytes> found;
    for (const size_t output : every_other_array(1 + table.columns.size()))
      found.push_back(after[output]);
    if (top.index_bytes != 0)
      found.push_back(after.back());
    const bool is_right =
        top.order == CDP_TOP_SORTED ? found == wanted : rows_by_bytes(found, item_bytes) == rows_by_bytes(wanted, item_bytes);
    return std::string(is_right ? "" : "the top rows are others, or in another order");
  };
}

Job make_top_k(const Draw &draw) {
  constexpr size_t INDEX_BYTES[] = {0, 4, 8};
  Random shape(draw.shape);
  Random contents(draw.contents);
  Job job;
  const Table table = any_table(shape, contents, draw.count, shape.below(3));
  const Top top = {shape.below(2) == 0 ? CDP_TOP_SORTED : CDP_TOP_UNSORTED, shape.one_of(INDEX_BYTES), table.value_bytes};
  const bool has_rows = top.index_bytes != 0 || !top.value_bytes.empty();
  const size_t count = draw.count;
  const size_t k = 1 + shape.below(count);
  const cdp_type type = table.type;
  job.options = any_options(shape, has_rows ? TIES_OF_ROWS : TIES_OF_KEYS);
  job.arrays = {read_only(table.keys), output(k * table.key_bytes())};
  job.arrays.back().may_be_null = has_rows;
  for (size_t column = 0; column < table.columns.size(); column++) {
    job.arrays.push_back(read_only(table.columns[column], column));
    job.arrays.push_back(output(k * table.value_bytes[column], 1));
  }
  if (top.index_bytes != 0)
    job.arrays.push_back(output(k * top.index_bytes));
  job.workspace = [=](const cdp_options &options, size_t *bytes) {
    const std::vector<cdp_top_column> columns = top.columns_at(nullptr);
    const cdp_top wanted = top.with(columns, nullptr);
    return cdp_top_k_workspace(count, type, &options, k, &wanted, bytes);
  };
  job.call = [=](const Given &given) {
    const std::vector<cdp_top_column> columns = top.columns_at(&given);
    const cdp_top wanted = top.with(columns, given.arrays.back());
    return in_form(given, cdp_top_k, cdp_top_k_async, cdp_top_k_on_stream, given.arrays[0], count, type, given.options, k,
                   given.arrays[1], &wanted);
  };
  job.wrong = must_be_top(table, job.options, top, k);
  return job;
}

/* ---- Parts of the rows ------------------------------------------------------------------------------------------------- */

/* So many segments, with gaps between them and empty ones among them; or of one length, if there are no offsets. */
static segment_tables::Table any_segments(Random &contents, size_t count, size_t segments, size_t offset_bytes) {
  if (offset_bytes == 0)
    return segment_tables::equal_table(segments, count / segments, count % segments);
  segment_tables::Table table;
  std::vector<uint64_t> cuts(2 * segments);
  for (uint64_t &cut : cuts)
    cut = contents.below(count + 1);
  std::sort(cuts.begin(), cuts.end());
  table.count = count;
  table.offset_bytes = offset_bytes;
  for (size_t segment = 0; segment < segments; segment++) {
    table.begins.push_back(cuts[2 * segment]);
    table.ends.push_back(cuts[2 * segment + 1]);
  }
  segment_tables::shuffle(table, contents.seed());
  return table;
}

static Job make_segments(const Draw &draw, bool is_apart) {
  constexpr size_t OFFSET_BYTES[] = {0, 4, 8};
  Random shape(draw.shape);
  Random contents(draw.contents);
  Job job;
  job.options = any_options(shape, TIES_OF_ROWS);
  const Table table = any_table(shape, contents, draw.count, shape.below(3));
  const size_t count = draw.count;
  const cdp_type type = table.type;
  const std::vector<size_t> value_bytes = table.value_bytes;
  const size_t numbers[] = {1, std::min<size_t>(count, 5), count / 20 + 1};
  const size_t offset_bytes = shape.one_of(OFFSET_BYTES);
  const segment_tables::Table parts = any_segments(contents, count, shape.one_of(numbers), offset_bytes);
  cdp_segments segments = {};
  segments.count = parts.begins.size();
  segments.offset_bytes = offset_bytes;
  segments.length = offset_bytes == 0 ? parts.ends[0] : 0;
  job.arrays = is_apart ? arrays_apart(table) : arrays_in_place(table);
  if (offset_bytes != 0) {
    job.arrays.push_back(read_only(parts.bytes_of(parts.begins), offset_bytes));
    job.arrays.push_back(read_only(parts.bytes_of(parts.ends)));
  }
  job.workspace = [=](const cdp_options &options, size_t *bytes) {
    if (is_apart) {
      const std::vector<cdp_column_copy> columns = column_copies_at(nullptr, value_bytes);
      return cdp_segmented_sort_copy_workspace(columns.data(), columns.size(), count, type, &options, &segments, bytes);
    }
    const std::vector<cdp_column> columns = columns_nowhere(value_bytes);
    return cdp_segmented_sort_workspace(columns.data(), columns.size(), count, type, &options, &segments, bytes);
  };
  job.call = [=](const Given &given) {
    cdp_segments there = segments;
    if (offset_bytes != 0) {
      there.begins = given.arrays[given.arrays.size() - 2];
      there.ends = given.arrays.back();
    }
    if (is_apart) {
      const std::vector<cdp_column_copy> columns = column_copies_at(&given, value_bytes);
      return in_form(given, cdp_segmented_sort_copy, cdp_segmented_sort_copy_async, cdp_segmented_sort_copy_on_stream,
                     given.arrays[0], given.arrays[1], columns.data(), columns.size(), count, type, given.options, &there);
    }
    const std::vector<cdp_column> columns = columns_at(given, value_bytes);
    return in_form(given, cdp_segmented_sort, cdp_segmented_sort_async, cdp_segmented_sort_on_stream, given.arrays[0],
                   columns.data(), columns.size(), count, type, given.options, &there);
  };
  const size_t key_bytes = table.key_bytes();
  const std::vector<Bytes> sorted = table.in_order(segment_tables::sorted_positions(parts, [&](uint64_t a, uint64_t b) {
    return host_tables::comes_before(type, job.options, &table.keys[a * key_bytes], &table.keys[b * key_bytes]);
  }));
  std::vector<Wanted> wanted;
  for (size_t array = 0; array < sorted.size(); array++)
    wanted.push_back({is_apart ? 2 * array + 1 : array, sorted[array]});
  job.wrong = must_become(wanted);
  return job;
}

Job make_segmented_sort(const Draw &draw) {
  return make_segments(draw, false);
}

Job make_segmented_copy(const Draw &draw) {
  return make_segments(draw, true);
}

/* What a division makes of a table and of `begins`, the array behind the last column and the splitters. */
static std::vector<Wanted> divided(const Table &table, const cdp_options &options, const Bytes &splitters) {
  const size_t key_bytes = table.key_bytes();
  const size_t buckets = splitters.size() / key_bytes + 1;
  std::vector<std::vector<uint64_t>> rows_of(buckets);
  for (uint64_t row = 0; row < table.count; row++) {
    size_t bucket = 0;
    size_t end = buckets - 1;
    while (bucket != end) { // the first whose splitter the key comes before
      const size_t middle = (bucket + end) / 2;
      if (host_tables::comes_before(table.type, options, &table.keys[row * key_bytes], &splitters[middle * key_bytes]))
        end = middle;
      else
        bucket = middle + 1;
    }
    rows_of[bucket].push_back(row);
  }
  std::vector<uint64_t> begins;
  std::vector<uint64_t> order;
  for (const std::vector<uint64_t> &bucket : rows_of) {
    begins.push_back(order.size());
    order.insert(order.end(), bucket.begin(), bucket.end());
  }
  begins.push_back(order.size());
  std::vector<Wanted> wanted = {{table.columns.size() + 2, bytes_of(begins, sizeof(uint64_t))}};
  const std::vector<Bytes> moved = table.in_order(order);
  for (size_t array = 0; array < moved.size(); array++)
    wanted.push_back({array, moved[array]});
  return wanted;
}

Job make_divide(const Draw &draw) {
  constexpr size_t SPLITTERS[] = {1, 2, 15, 200, CDP_SPLITTERS_MAX};
  Random shape(draw.shape);
  Random contents(draw.contents);
  Job job;
  job.options = any_options(shape, TIES_OF_ROWS);
  const Table table = any_table(shape, contents, draw.count, shape.below(3));
  const size_t count = draw.count;
  const cdp_type type = table.type;
  const std::vector<size_t> value_bytes = table.value_bytes;
  const size_t splitter_count = shape.one_of(SPLITTERS);
  const Bytes splitters = host_tables::sorted_keys(type, job.options, any_keys(contents, type, splitter_count));
  const size_t behind = 1 + value_bytes.size();
  job.arrays = arrays_in_place(table);
  job.arrays.push_back(read_only(splitters));
  job.arrays.push_back(output((splitter_count + 2) * sizeof(uint64_t), sizeof(uint64_t)));
  job.workspace = [=](const cdp_options &options, size_t *bytes) {
    const std::vector<cdp_column> columns = columns_nowhere(value_bytes);
    return cdp_divide_workspace(columns.data(), columns.size(), count, type, &options, splitter_count, bytes);
  };
  job.call = [=](const Given &given) {
    const std::vector<cdp_column> columns = columns_at(given, value_bytes);
    return in_form(given, cdp_divide, cdp_divide_async, cdp_divide_on_stream, given.arrays[0], columns.data(), columns.size(),
                   count, type, given.options, given.arrays[behind], splitter_count,
                   static_cast<uint64_t *>(given.arrays[behind + 1]));
  };
  job.wrong = must_become(divided(table, job.options, splitters));
  return job;
}

} // namespace public_calls
