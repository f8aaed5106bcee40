/* SPDX-License-Identifier: MIT */
/*
 * See public_calls.h.
 */
#include "call_rows.h"

namespace public_calls {

const char *form_name(Form form) {
  static const char *const names[] = {"blocking", "in a workspace", "on a stream"};
  return names[static_cast<int>(form)];
}

const std::vector<Row> &rows() {
  static const std::vector<Row> all = {{"cdp_quicksort", make_wide_quicksort},
                                       {"cdp_quicksort of narrow keys", make_narrow_quicksort},
                                       {"cdp_quicksort_copy", make_quicksort_copy},
                                       {"cdp_bitonic_sort", make_bitonic_sort, true, false},
                                       {"cdp_bitonic_sort_copy", make_bitonic_copy, true, false},
                                       {"cdp_quicksort_by", make_quicksort_by},
                                       {"cdp_quicksort_by_copy", make_quicksort_by_copy},
                                       {"cdp_nth_element", make_nth_element},
                                       {"cdp_partial_sort", make_partial_sort},
                                       {"cdp_quantiles", make_quantiles},
                                       {"cdp_is_sorted", make_is_sorted, true, false},
                                       {"cdp_merge", make_merge},
                                       {"cdp_unique", make_unique},
                                       {"cdp_quicksort_pairs", make_pairs},
                                       {"cdp_quicksort_columns", make_columns},
                                       {"cdp_quicksort_pairs_copy", make_pairs_copy},
                                       {"cdp_quicksort_columns_copy", make_columns_copy},
                                       {"cdp_argsort", make_argsort},
                                       {"cdp_sort_records", make_sort_records},
                                       {"cdp_sort_records_copy", make_sort_records_copy},
                                       {"cdp_argsort_columns", make_argsort_columns},
                                       {"cdp_top_k", make_top_k},
                                       {"cdp_segmented_sort", make_segmented_sort},
                                       {"cdp_segmented_sort_copy", make_segmented_copy},
                                       {"cdp_divide", make_divide}};
  return all;
}

const Row &row_in_turn(const std::vector<Row> &all, size_t thread, size_t turn) {
  const size_t at = (turn + 5 * thread) % all.size();
  if (turn < all.size())
    return all[turn];
  return all[thread % 2 == 0 ? at : all.size() - 1 - at];
}

std::string what_is_wrong(const Job &job, const std::vector<Bytes> &after) {
  for (size_t index = 0; index < job.arrays.size(); index++)
    if (!job.arrays[index].is_written && after[index] != job.arrays[index].before)
      return "array " + std::to_string(index) + ", which is only read, was written";
  return job.wrong(after);
}

/* ---- Wrong calls ------------------------------------------------------------------------------------------------------- */

/* The first address behind `address` that is aligned for all items. */
static void *behind(void *address) {
  constexpr uintptr_t ALIGNMENT = 16;
  return static_cast<unsigned char *>(address) + ALIGNMENT - reinterpret_cast<uintptr_t>(address) % ALIGNMENT;
}

/* The last address up to there that is aligned for a workspace. */
static void *workspace_at(void *address) {
  return static_cast<unsigned char *>(address) - reinterpret_cast<uintptr_t>(address) % CDP_WORKSPACE_ALIGNMENT;
}

static void add_workspaces(const Given &right, std::vector<WrongCall> *all) {
  const auto add = [&](const std::string &what, cdp_status status, void *workspace, size_t bytes) {
    Given given = right;
    given.d_workspace = workspace;
    given.workspace_bytes = bytes;
    all->push_back({what, status, given});
  };
  unsigned char *const room = static_cast<unsigned char *>(right.d_workspace);
  const size_t bytes = right.workspace_bytes;
  add("a workspace that is NULL", CDP_ERROR_NULL, nullptr, bytes);
  add("a workspace of too few bytes", CDP_ERROR_WORKSPACE, room, bytes - 1);
  add("a workspace that is misaligned", CDP_ERROR_ALIGNMENT, room + CDP_WORKSPACE_ALIGNMENT / 2, bytes);
  for (size_t array = 0; array < right.arrays.size(); array++)
    add("a workspace over array " + std::to_string(array), CDP_ERROR_WORKSPACE, workspace_at(right.arrays[array]), bytes);
}

std::vector<WrongCall> wrong_calls(const Job &job, const Given &right) {
  std::vector<WrongCall> all;
  const auto add = [&](const std::string &what, cdp_status status, size_t array, void *address) {
    all.push_back({what, status, right});
    all.back().given.arrays[array] = address;
  };
  if (right.form == Form::async && right.workspace_bytes != 0)
    add_workspaces(right, &all);
  for (size_t array = 0; array < job.arrays.size(); array++) {
    const std::string name = "array " + std::to_string(array);
    if (!job.arrays[array].may_be_null)
      add(name + " is NULL", CDP_ERROR_NULL, array, nullptr);
    for (size_t other = 0; other < job.arrays.size(); other++) {
      unsigned char *const end = static_cast<unsigned char *>(right.arrays[other]) + job.arrays[other].before.size();
      void *const address = behind(right.arrays[other]);
      if (other != array && address < end && (job.arrays[array].is_written || job.arrays[other].is_written))
        add(name + " overlaps array " + std::to_string(other), CDP_ERROR_POINTER, array, address);
    }
  }
  return all;
}

} // namespace public_calls
