/* SPDX-License-Identifier: MIT */
/*
 * Rows of public_calls.h: calls on keys alone, and on items with a comparison.
 */
#include "call_rows.h"
#include "compared.h"
#include "range_oracle.h"

#include <cdpsort/bitonic.h>
#include <cdpsort/copy.h>
#include <cdpsort/ranges.h>
#include <cdpsort/select.h>

namespace public_calls {

/* ---- Whole sorts ------------------------------------------------------------------------------------------------------- */

static Job make_quicksort(const Draw &draw, Random &shape, cdp_type type) {
  const size_t count = draw.count;
  Random contents(draw.contents);
  Job job;
  job.options = any_options(shape, TIES_OF_KEYS);
  job.options.scheme = static_cast<cdp_scheme>(shape.below(CDP_SCHEME_HOST + 1));
  const Bytes keys = any_keys(contents, type, count);
  job.arrays = {in_place(keys, host_key_bytes(type))};
  job.workspace = [=](const cdp_options &options, size_t *bytes) {
    return cdp_quicksort_workspace(count, type, &options, bytes);
  };
  job.call = [=](const Given &given) {
    return in_form(given, cdp_quicksort, cdp_quicksort_async, cdp_quicksort_on_stream, given.arrays[0], count, type,
                   given.options);
  };
  job.wrong = must_become({{0, host_tables::sorted_keys(type, job.options, keys)}});
  return job;
}

Job make_wide_quicksort(const Draw &draw) {
  Random shape(draw.shape);
  return make_quicksort(draw, shape, static_cast<cdp_type>(CDP_U32 + shape.below(CDP_F64)));
}

Job make_narrow_quicksort(const Draw &draw) {
  constexpr cdp_type NARROW[] = {CDP_U8, CDP_I8, CDP_U16, CDP_I16, CDP_F16, CDP_BF16};
  Random shape(draw.shape);
  return make_quicksort(draw, shape, shape.one_of(NARROW));
}

Job make_quicksort_copy(const Draw &draw) {
  const size_t count = draw.count;
  Random shape(draw.shape);
  Random contents(draw.contents);
  Job job;
  const cdp_type type = any_type(shape);
  job.options = any_options(shape, TIES_OF_KEYS);
  const Bytes keys = any_keys(contents, type, count);
  job.arrays = {read_only(keys), output(keys.size(), host_key_bytes(type))};
  job.workspace = [=](const cdp_options &options, size_t *bytes) {
    return cdp_quicksort_copy_workspace(count, type, &options, bytes);
  };
  job.call = [=](const Given &given) {
    return in_form(given, cdp_quicksort_copy, cdp_quicksort_copy_async, cdp_quicksort_copy_on_stream, given.arrays[0],
                   given.arrays[1], count, type, given.options);
  };
  job.wrong = must_become({{1, host_tables::sorted_keys(type, job.options, keys)}});
  return job;
}

Job make_bitonic_sort(const Draw &draw) {
  const size_t count = draw.count;
  Random shape(draw.shape);
  Random contents(draw.contents);
  Job job;
  const cdp_type type = any_type(shape);
  job.options = any_options(shape, TIES_OF_KEYS);
  const Bytes keys = any_keys(contents, type, count);
  job.arrays = {in_place(keys, host_key_bytes(type))};
  job.call = [=](const Given &given) {
    return in_form_without(given, cdp_bitonic_sort, cdp_bitonic_sort_on_stream, given.arrays[0], count, type, given.options);
  };
  job.wrong = must_become({{0, host_tables::sorted_keys(type, job.options, keys)}});
  return job;
}

Job make_bitonic_copy(const Draw &draw) {
  const size_t count = draw.count;
  Random shape(draw.shape);
  Random contents(draw.contents);
  Job job;
  const cdp_type type = any_type(shape);
  job.options = any_options(shape, TIES_OF_KEYS);
  const Bytes keys = any_keys(contents, type, count);
  job.arrays = {read_only(keys, host_key_bytes(type)), output(keys.size())};
  job.call = [=](const Given &given) {
    return in_form_without(given, cdp_bitonic_sort_copy, cdp_bitonic_sort_copy_on_stream, given.arrays[0], given.arrays[1],
                           count, type, given.options);
  };
  job.wrong = must_become({{1, host_tables::sorted_keys(type, job.options, keys)}});
  return job;
}

/* ---- By a comparison --------------------------------------------------------------------------------------------------- */

static int by_first_word(const void *a, const void *b, void *) {
  const uint32_t left = compared::key_of(a, sizeof left);
  const uint32_t right = compared::key_of(b, sizeof right);
  return left < right ? -1 : left > right ? 1 : 0;
}

/* Of items that are moved, and of such as indices stand for. */
static cdp_comparison comparison_of(size_t item_bytes) {
  cdp_comparison comparison = CDP_COMPARISON_INIT;
  comparison.compare = by_first_word;
  comparison.source =
      item_bytes == 8 ? "struct item { unsigned long long word; };\n"
                        "int less(const item *a, const item *b, const void *) { return unsigned(a->word) < unsigned(b->word); }"
                      : "struct item { unsigned key, rest[4]; };\n"
                        "int less(const item *a, const item *b, const void *) { return a->key < b->key; }";
  return comparison;
}

static std::string what_is_wrong_with_items(const Bytes &before, const Bytes &after, size_t item_bytes) {
  for (size_t at = item_bytes; at < after.size(); at += item_bytes)
    if (by_first_word(&after[at], &after[at - item_bytes], nullptr) < 0)
      return "item " + std::to_string(at / item_bytes) + " comes before the one before it";
  return compared::digests_of(before, item_bytes) == compared::digests_of(after, item_bytes) ? ""
                                                                                             : "items were lost or doubled";
}

static Job make_by(const Draw &draw, bool is_apart) {
  const size_t count = draw.count;
  Random shape(draw.shape);
  Random contents(draw.contents);
  Job job;
  const size_t item_bytes = shape.below(2) == 0 ? 8 : 20;
  const uint32_t key_numbers[] = {0, 2, 300};
  job.options.seed = shape.seed();
  const Bytes items = compared::random_items(count, item_bytes, contents.one_of(key_numbers), contents.seed());
  job.arrays = {in_place(items, item_bytes)};
  if (is_apart)
    job.arrays = {read_only(items, item_bytes), output(items.size())};
  job.workspace = [=](const cdp_options &options, size_t *bytes) {
    return is_apart ? cdp_quicksort_by_copy_workspace(count, item_bytes, &options, bytes)
                    : cdp_quicksort_by_workspace(count, item_bytes, &options, bytes);
  };
  job.call = [=](const Given &given) {
    const cdp_comparison comparison = comparison_of(item_bytes);
    if (is_apart)
      return in_form(given, cdp_quicksort_by_copy, cdp_quicksort_by_copy_async, cdp_quicksort_by_copy_on_stream,
                     given.arrays[0], given.arrays[1], count, item_bytes, &comparison, given.options);
    return in_form(given, cdp_quicksort_by, cdp_quicksort_by_async, cdp_quicksort_by_on_stream, given.arrays[0], count,
                   item_bytes, &comparison, given.options);
  };
  job.wrong = [=](const std::vector<Bytes> &after) { return what_is_wrong_with_items(items, after.back(), item_bytes); };
  return job;
}

Job make_quicksort_by(const Draw &draw) {
  return make_by(draw, false);
}

Job make_quicksort_by_copy(const Draw &draw) {
  return make_by(draw, true);
}

/* ---- Half a sort ------------------------------------------------------------------------------------------------------- */

/* Keys of which those at [begin, end) must be in their places, those before that come no later, and those behind no sooner. */
struct Half {
  cdp_type type;
  cdp_options options;
  Bytes sorted;
  size_t begin;
  size_t end;

  std::string operator()(const std::vector<Bytes> &after) const {
    const size_t key_bytes = host_key_bytes(type);
    const auto part = [&](const Bytes &keys, size_t first, size_t last) {
      return Bytes(&keys[0] + first * key_bytes, &keys[0] + last * key_bytes);
    };
    const size_t count = sorted.size() / key_bytes;
    const size_t ends[] = {0, begin, end, count};
    if (part(after[0], begin, end) != part(sorted, begin, end))
      return "the keys that are to be in order are not";
    for (size_t index = 0; index < 3; index++)
      if (host_tables::sorted_keys(type, options, part(after[0], ends[index], ends[index + 1])) !=
          part(sorted, ends[index], ends[index + 1]))
        return "part " + std::to_string(index) + " has other keys than belong there";
    return "";
  }
};

Job make_nth_element(const Draw &draw) {
  const size_t count = draw.count;
  Random shape(draw.shape);
  Random contents(draw.contents);
  Job job;
  const cdp_type type = any_type(shape);
  const size_t rank = shape.below(count);
  job.options = any_options(shape, TIES_OF_KEYS);
  const Bytes keys = any_keys(contents, type, count);
  job.arrays = {in_place(keys, host_key_bytes(type))};
  job.workspace = [=](const cdp_options &options, size_t *bytes) {
    return cdp_nth_element_workspace(count, type, &options, rank, bytes);
  };
  job.call = [=](const Given &given) {
    return in_form(given, cdp_nth_element, cdp_nth_element_async, cdp_nth_element_on_stream, given.arrays[0], count, type,
                   given.options, rank);
  };
  job.wrong = Half{type, job.options, host_tables::sorted_keys(type, job.options, keys), rank, rank + 1};
  return job;
}

Job make_partial_sort(const Draw &draw) {
  const size_t count = draw.count;
  Random shape(draw.shape);
  Random contents(draw.contents);
  Job job;
  const cdp_type type = any_type(shape);
  const size_t sorted_items = 1 + shape.below(count);
  job.options = any_options(shape, TIES_OF_KEYS);
  const Bytes keys = any_keys(contents, type, count);
  job.arrays = {in_place(keys, host_key_bytes(type))};
  job.workspace = [=](const cdp_options &options, size_t *bytes) {
    return cdp_partial_sort_workspace(count, type, &options, sorted_items, bytes);
  };
  job.call = [=](const Given &given) {
    return in_form(given, cdp_partial_sort, cdp_partial_sort_async, cdp_partial_sort_on_stream, given.arrays[0], count, type,
                   given.options, sorted_items);
  };
  job.wrong = Half{type, job.options, host_tables::sorted_keys(type, job.options, keys), 0, sorted_items};
  return job;
}

Job make_quantiles(const Draw &draw) {
  const size_t count = draw.count;
  Random shape(draw.shape);
  Random contents(draw.contents);
  Job job;
  const cdp_type type = any_type(shape);
  const size_t key_bytes = host_key_bytes(type);
  std::vector<uint64_t> ranks(1 + shape.below(9));
  for (uint64_t &rank : ranks)
    rank = shape.below(count);
  job.options = any_options(shape, TIES_OF_KEYS);
  const Bytes keys = any_keys(contents, type, count);
  job.arrays = {read_only(keys), output(ranks.size() * key_bytes)};
  job.workspace = [=](const cdp_options &options, size_t *bytes) {
    return cdp_quantiles_workspace(count, type, &options, ranks.size(), bytes);
  };
  job.call = [=](const Given &given) {
    return in_form(given, cdp_quantiles, cdp_quantiles_async, cdp_quantiles_on_stream, given.arrays[0], count, type,
                   given.options, ranks.data(), ranks.size(), given.arrays[1]);
  };
  job.wrong = must_become({{1, host_tables::in_order(host_tables::sorted_keys(type, job.options, keys), key_bytes, ranks)}});
  return job;
}

/* ---- Sorted ranges ----------------------------------------------------------------------------------------------------- */

Job make_is_sorted(const Draw &draw) {
  const size_t count = draw.count;
  Random shape(draw.shape);
  Random contents(draw.contents);
  Job job;
  const cdp_type type = any_type(shape);
  const size_t key_bytes = host_key_bytes(type);
  job.options = any_options(shape, TIES_OF_ROWS);
  Bytes keys = host_tables::sorted_keys(type, job.options, any_keys(contents, type, count));
  if (contents.below(4) != 0) // another first key somewhere, which is out of order there if it can be
    memcpy(&keys[contents.below(count) * key_bytes], &any_keys(contents, type, 1)[0], key_bytes);
  job.arrays = {read_only(keys, key_bytes), output(sizeof(uint64_t))};
  job.call = [=](const Given &given) {
    return in_form_without(given, cdp_is_sorted, cdp_is_sorted_on_stream, given.arrays[0], count, type, given.options,
                           static_cast<uint64_t *>(given.arrays[1]));
  };
  job.wrong = must_become({{1, bytes_of({range_oracle::sorted_count({type, job.options, keys})}, sizeof(uint64_t))}});
  return job;
}

Job make_merge(const Draw &draw) {
  Random shape(draw.shape);
  Random contents(draw.contents);
  Job job;
  const cdp_type type = any_type(shape);
  const size_t first_count = 1 + shape.below(draw.count);
  const size_t second_count = draw.count + 1 - first_count;
  job.options = any_options(shape, TIES_OF_ROWS);
  const Bytes first = host_tables::sorted_keys(type, job.options, any_keys(contents, type, first_count));
  const Bytes second = host_tables::sorted_keys(type, job.options, any_keys(contents, type, second_count));
  job.arrays = {read_only(first, host_key_bytes(type)), read_only(second), output(first.size() + second.size())};
  job.workspace = [=](const cdp_options &options, size_t *bytes) {
    return cdp_merge_workspace(first_count, second_count, type, &options, bytes);
  };
  job.call = [=](const Given &given) {
    return in_form(given, cdp_merge, cdp_merge_async, cdp_merge_on_stream, given.arrays[0], first_count, given.arrays[1],
                   second_count, given.arrays[2], type, given.options);
  };
  job.wrong = must_become({{2, range_oracle::merged_bytes(type, job.options, first, second)}});
  return job;
}

Job make_unique(const Draw &draw) {
  const size_t count = draw.count;
  Random shape(draw.shape);
  Random contents(draw.contents);
  Job job;
  const cdp_type type = any_type(shape);
  job.options = any_options(shape, TIES_OF_ROWS);
  const Bytes keys = host_tables::sorted_keys(type, job.options, any_keys(contents, type, count));
  const Bytes unique = range_oracle::unique_bytes({type, job.options, keys});
  job.arrays = {read_only(keys), output(keys.size(), host_key_bytes(type)), output(sizeof(uint64_t))};
  job.workspace = [=](const cdp_options &options, size_t *bytes) { return cdp_unique_workspace(count, type, &options, bytes); };
  job.call = [=](const Given &given) {
    return in_form(given, cdp_unique, cdp_unique_async, cdp_unique_on_stream, given.arrays[0], count, type, given.options,
                   given.arrays[1], static_cast<uint64_t *>(given.arrays[2]));
  };
  Bytes wanted = job.arrays[1].before; // what is behind the unique keys stays
  std::copy(unique.begin(), unique.end(), wanted.begin());
  job.wrong = must_become({{1, wanted}, {2, bytes_of({unique.size() / host_key_bytes(type)}, sizeof(uint64_t))}});
  return job;
}

} // namespace public_calls
