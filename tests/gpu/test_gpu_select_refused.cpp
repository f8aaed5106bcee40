/* SPDX-License-Identifier: MIT */
/*
 * What the calls of select.h refuse on the GPU: memory that they cannot use, arrays that overlap, workspaces, sizes.
 */
#include "gpu_tables.h"

#include <cdpsort/select.h>

#include <algorithm>

using namespace gpu_check;
using namespace gpu_tables;

namespace {

/* Each time the arrays and everything around them stay as they were. */
START_TEST(test_refusals) {
  constexpr size_t COUNT = 10007;
  constexpr size_t K = 100;
  const char *const LABEL = "after calls that were refused";
  const cdp_options options = options_of(CDP_DESCENDING, CDP_TIES_STABLE); // so that a selection would be seen
  const Bytes old_keys = make_keys(CDP_U32, COUNT, HOST_SORTED);
  const Array keys = make_array(Place::device, old_keys);
  const Array found = make_array(Place::device, Bytes(K * sizeof(uint32_t)));
  const Array host_keys = make_array(Place::pageable, old_keys);
  const Array host_found = make_array(Place::pinned, Bytes(K * sizeof(uint32_t)));
  uint64_t ranks[2] = {5, COUNT};
  size_t nth_bytes = 0;
  size_t top_bytes = 0;
  size_t rank_bytes = 0;
  cdp_top top = CDP_TOP_INIT;
  top.index_bytes = 4;
  CHECK_SORT(cdp_nth_element_workspace(COUNT, CDP_U32, &options, 5, &nth_bytes));
  CHECK_SORT(cdp_top_k_workspace(COUNT, CDP_U32, &options, K, &top, &top_bytes));
  CHECK_SORT(cdp_quantiles_workspace(COUNT, CDP_U32, &options, 1, &rank_bytes));
  const Array workspace = make_array(Place::device, Bytes(std::max({nth_bytes, top_bytes, rank_bytes})));
  const Array host_workspace = make_array(Place::pageable, Bytes(nth_bytes));
  unsigned char *room = workspace.memory();

  const auto nth = [&](void *d_keys, size_t rank, void *d_workspace, size_t bytes) {
    return cdp_nth_element_async(d_keys, COUNT, CDP_U32, &options, rank, d_workspace, bytes, stream());
  };
  CHECK_FAILS(CDP_ERROR_POINTER, nth(host_keys.memory(), 5, room, nth_bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, nth(keys.memory(), 5, host_workspace.memory(), nth_bytes));
  CHECK_FAILS(CDP_ERROR_SIZE, nth(keys.memory(), COUNT, room, nth_bytes));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, nth(keys.memory(), 5, room, nth_bytes - 1));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, nth(room, 5, room, nth_bytes));
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, nth(keys.memory(), 5, room + 128, nth_bytes));
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, nth(keys.memory() + 1, 5, room, nth_bytes));
  CHECK_FAILS(CDP_ERROR_NULL, nth(nullptr, 5, room, nth_bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, cdp_partial_sort_on_stream(host_keys.memory(), COUNT, CDP_U32, &options, 5, stream()));
  CHECK_FAILS(CDP_ERROR_SIZE, cdp_partial_sort_on_stream(keys.memory(), COUNT, CDP_U32, &options, COUNT + 1, stream()));

  const auto top_k = [&](const void *d_keys, void *d_top_keys, void *d_indices, size_t bytes) {
    top.indices = d_indices;
    return cdp_top_k_async(d_keys, COUNT, CDP_U32, &options, K, d_top_keys, &top, room, bytes, stream());
  };
  CHECK_FAILS(CDP_ERROR_POINTER, top_k(host_keys.memory(), found.memory(), room, top_bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, top_k(keys.memory(), host_found.memory(), found.memory(), top_bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, top_k(keys.memory(), nullptr, host_found.memory(), top_bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, top_k(keys.memory(), keys.memory() + 4, found.memory(), top_bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, top_k(keys.memory(), found.memory(), found.memory(), top_bytes));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, top_k(keys.memory(), room, found.memory(), top_bytes));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, top_k(keys.memory(), nullptr, found.memory(), top_bytes - 1));
  CHECK_FAILS(CDP_ERROR_NULL, top_k(keys.memory(), found.memory(), nullptr, top_bytes));
  CHECK_FAILS(CDP_ERROR_SIZE, cdp_top_k(keys.memory(), COUNT, CDP_U32, &options, COUNT + 1, found.memory(), nullptr));
  CHECK_FAILS(CDP_ERROR_NULL, cdp_top_k(keys.memory(), COUNT, CDP_U32, &options, K, nullptr, nullptr));

  const auto quantiles = [&](const void *d_keys, size_t rank_count, void *d_found, size_t bytes) {
    return cdp_quantiles_async(d_keys, COUNT, CDP_U32, &options, ranks, rank_count, d_found, room, bytes, stream());
  };
  CHECK_FAILS(CDP_ERROR_SIZE, quantiles(keys.memory(), 2, found.memory(), rank_bytes)); // the second rank
  CHECK_FAILS(CDP_ERROR_SIZE, quantiles(keys.memory(), CDP_RANKS_MAX + 1, found.memory(), rank_bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, quantiles(host_keys.memory(), 1, found.memory(), rank_bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, quantiles(keys.memory(), 1, host_found.memory(), rank_bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, quantiles(keys.memory(), 1, keys.memory(), rank_bytes));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, quantiles(keys.memory(), 1, found.memory(), rank_bytes - 1));
  CHECK_SORT(cdp_quantiles_on_stream(nullptr, 0, CDP_U32, &options, nullptr, 0, nullptr, stream()));

  CHECK_CUDA(cudaDeviceSynchronize());
  ck_assert(read_array(keys, LABEL) == old_keys && read_array(host_keys, LABEL) == old_keys);
  ck_assert(read_array(found, LABEL) == Bytes(found.bytes) && read_array(host_found, LABEL) == Bytes(found.bytes));
  ck_assert(read_array(workspace, LABEL) == Bytes(workspace.bytes) && read_array(host_workspace, LABEL) == Bytes(nth_bytes));
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_select_refused");
  TCase *test_case = add_case(suite, "refusals");
  tcase_add_checked_fixture(test_case, make_stream, destroy_stream);
  tcase_add_test(test_case, test_refusals);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
