/* SPDX-License-Identifier: MIT */
/*
 * What the calls of pairs.h refuse on the GPU: memory that they cannot use, arrays that overlap, workspaces, sizes.
 */
#include "gpu_tables.h"

#include <algorithm>

using namespace gpu_check;
using namespace gpu_tables;

namespace {

/* Each time the arrays and everything around them stay as they were. */
START_TEST(test_refusals) {
  constexpr size_t COUNT = 10007;
  const char *const LABEL = "after calls that were refused";
  const cdp_options options = options_of(CDP_DESCENDING, CDP_TIES_STABLE); // so that a sort would be seen
  const Bytes old_keys = make_keys(CDP_U32, COUNT, HOST_SORTED);
  const Bytes old_values = make_values(COUNT, 8, 0);
  const Array keys = make_array(Place::device, old_keys);
  const Array values = make_array(Place::device, old_values);
  const Array host_keys = make_array(Place::pageable, old_keys);
  const Array host_values = make_array(Place::pinned, old_values);
  size_t bytes = 0;
  size_t argsort_bytes = 0;
  CHECK_SORT(cdp_quicksort_pairs_workspace(8, COUNT, CDP_U32, &options, &bytes));
  CHECK_SORT(cdp_argsort_workspace(COUNT, CDP_U32, &options, &argsort_bytes));
  const Array workspace = make_array(Place::device, Bytes(std::max(bytes, argsort_bytes)));
  const Array host_workspace = make_array(Place::pageable, Bytes(bytes));

  const auto pairs = [&](void *d_keys, void *d_values, size_t value_bytes, void *d_workspace, size_t workspace_bytes) {
    return cdp_quicksort_pairs_async(d_keys, d_values, value_bytes, COUNT, CDP_U32, &options, d_workspace, workspace_bytes,
                                     stream());
  };
  unsigned char *room = workspace.memory();
  CHECK_FAILS(CDP_ERROR_POINTER, pairs(host_keys.memory(), values.memory(), 8, room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, pairs(keys.memory(), host_values.memory(), 8, room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, pairs(keys.memory(), values.memory(), 8, host_workspace.memory(), bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, pairs(keys.memory(), keys.memory(), 4, room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, pairs(values.memory() + 4 * COUNT - 4, values.memory(), 4, room, bytes));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, pairs(keys.memory(), values.memory(), 8, room, bytes - 1));
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, pairs(keys.memory(), values.memory(), 8, room + 128, bytes));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, pairs(room, values.memory(), 8, room, bytes));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, pairs(keys.memory(), room + bytes - 8 * COUNT, 8, room, bytes));
  CHECK_FAILS(CDP_ERROR_NULL, pairs(keys.memory(), nullptr, 8, room, bytes));
  CHECK_FAILS(CDP_ERROR_NULL, pairs(keys.memory(), values.memory(), 8, nullptr, bytes));
  CHECK_FAILS(CDP_ERROR_SIZE, pairs(keys.memory(), values.memory(), 0, room, bytes));
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, pairs(keys.memory() + 1, values.memory(), 8, room, bytes));

  const auto on_stream = [&](void *d_keys, void *d_values) {
    return cdp_quicksort_pairs_on_stream(d_keys, d_values, 4, COUNT, CDP_U32, &options, stream());
  };
  CHECK_FAILS(CDP_ERROR_POINTER, on_stream(keys.memory(), host_values.memory()));
  CHECK_FAILS(CDP_ERROR_POINTER, on_stream(keys.memory(), keys.memory() + 4));

  const auto argsort = [&](void *d_keys, void *d_sorted, void *d_indices, size_t index_bytes, size_t workspace_bytes) {
    return cdp_argsort_async(d_keys, d_sorted, d_indices, index_bytes, COUNT, CDP_U32, &options, room, workspace_bytes,
                             stream());
  };
  CHECK_FAILS(CDP_ERROR_POINTER, argsort(host_keys.memory(), nullptr, values.memory(), 4, argsort_bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, argsort(keys.memory(), nullptr, host_values.memory(), 4, argsort_bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, argsort(keys.memory(), host_keys.memory(), values.memory(), 4, argsort_bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, argsort(keys.memory(), nullptr, keys.memory(), 4, argsort_bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, argsort(values.memory(), values.memory() + 4, keys.memory(), 4, argsort_bytes));
  CHECK_FAILS(CDP_ERROR_SIZE, argsort(keys.memory(), nullptr, values.memory(), 2, argsort_bytes));
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, argsort(keys.memory(), nullptr, values.memory() + 4, 8, argsort_bytes));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, argsort(keys.memory(), nullptr, values.memory(), 4, argsort_bytes - 1));

  const cdp_column twice[] = {{values.memory(), 4}, {values.memory() + 4, 4}};
  const cdp_column many[CDP_COLUMNS_MAX + 1] = {};
  CHECK_FAILS(CDP_ERROR_POINTER, cdp_quicksort_columns(keys.memory(), twice, 2, COUNT, CDP_U32, &options));
  CHECK_FAILS(CDP_ERROR_SIZE, cdp_quicksort_columns(keys.memory(), many, CDP_COLUMNS_MAX + 1, COUNT, CDP_U32, &options));
  CHECK_FAILS(CDP_ERROR_SIZE,
              cdp_quicksort_pairs(keys.memory(), values.memory(), 1, CDP_PAIRS_COUNT_MAX + 1, CDP_U32, &options));
  CHECK_FAILS(CDP_ERROR_POINTER,
              cdp_quicksort_pairs(host_values.memory(), host_values.memory() + 4, 4, COUNT, CDP_U32, &options));
  CHECK_SORT(cdp_quicksort_pairs_on_stream(nullptr, nullptr, 8, 0, CDP_U32, &options, stream()));

  CHECK_CUDA(cudaDeviceSynchronize());
  ck_assert(read_array(keys, LABEL) == old_keys && read_array(host_keys, LABEL) == old_keys);
  ck_assert(read_array(values, LABEL) == old_values && read_array(host_values, LABEL) == old_values);
  ck_assert(read_array(workspace, LABEL) == Bytes(workspace.bytes) && read_array(host_workspace, LABEL) == Bytes(bytes));
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_pairs_refused");
  TCase *test_case = add_case(suite, "refusals");
  tcase_add_checked_fixture(test_case, make_stream, destroy_stream);
  tcase_add_test(test_case, test_refusals);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
