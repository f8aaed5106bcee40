/* SPDX-License-Identifier: MIT */
/*
 * What the calls of buckets.h refuse on the GPU: memory that they cannot use, arrays that overlap, workspaces, sizes, splitters in no
 * order.
 */
#include "gpu_tables.h"

#include <cdpsort/buckets.h>

#include <cstring>

using namespace gpu_check;
using namespace gpu_tables;

namespace {

/* Each time the arrays and everything around them stay as they were. */
START_TEST(test_refusals) {
  constexpr size_t COUNT = 10007;
  const char *const LABEL = "after calls that were refused";
  const cdp_options options = options_of(CDP_DESCENDING, CDP_TIES_ANY); // so that a division would be seen
  const Bytes old_keys = make_keys(CDP_U32, COUNT, HOST_SORTED);
  const Bytes old_values = make_values(COUNT, 8, 0);
  const size_t chosen[] = {3 * COUNT / 4, COUNT / 2, COUNT / 4};
  Bytes old_splitters(sizeof chosen / sizeof *chosen * sizeof(uint32_t));
  for (size_t index = 0; index < sizeof chosen / sizeof *chosen; index++)
    memcpy(&old_splitters[4 * index], &old_keys[4 * chosen[index]], sizeof(uint32_t));
  const Bytes old_begins(5 * sizeof(uint64_t), 0xEE);
  const Array keys = make_array(Place::device, old_keys);
  const Array values = make_array(Place::device, old_values);
  const Array splitters = make_array(Place::device, old_splitters);
  const Array begins = make_array(Place::device, old_begins);
  const Array host_keys = make_array(Place::pageable, old_keys);
  const Array host_values = make_array(Place::pinned, old_values);
  const Array host_splitters = make_array(Place::pageable, old_splitters);
  const Array host_begins = make_array(Place::pinned, old_begins);
  const cdp_column column = {values.memory(), 8};
  size_t bytes = 0;
  CHECK_SORT(cdp_divide_workspace(&column, 1, COUNT, CDP_U32, &options, 3, &bytes));
  const Array workspace = make_array(Place::device, Bytes(bytes));
  const Array host_workspace = make_array(Place::pageable, Bytes(bytes));
  unsigned char *room = workspace.memory();

  const auto divide_by = [&](void *d_keys, void *d_values, const void *d_splitters, void *d_begins, void *d_workspace,
                             size_t workspace_bytes) {
    const cdp_column moved = {d_values, 8};
    return cdp_divide_async(d_keys, &moved, 1, COUNT, CDP_U32, &options, d_splitters, 3, static_cast<uint64_t *>(d_begins),
                            d_workspace, workspace_bytes, stream());
  };
  void *k = keys.memory(), *v = values.memory(), *s = splitters.memory(), *b = begins.memory();
  CHECK_FAILS(CDP_ERROR_POINTER, divide_by(host_keys.memory(), v, s, b, room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, divide_by(k, host_values.memory(), s, b, room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, divide_by(k, v, host_splitters.memory(), b, room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, divide_by(k, v, s, host_begins.memory(), room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, divide_by(k, v, s, b, host_workspace.memory(), bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, divide_by(k, v, k, b, room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, divide_by(k, v, s, values.memory() + 8, room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, divide_by(k, keys.memory() + 4, s, b, room, bytes));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, divide_by(k, v, s, b, room, bytes - 1));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, divide_by(k, v, room, b, room, bytes));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, divide_by(k, v, s, room + 256, room, bytes));
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, divide_by(k, v, s, b, room + 128, bytes));
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, divide_by(k, v, splitters.memory() + 2, b, room, bytes));
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, divide_by(k, v, s, begins.memory() + 4, room, bytes));
  CHECK_FAILS(CDP_ERROR_NULL, divide_by(k, v, nullptr, b, room, bytes));
  CHECK_FAILS(CDP_ERROR_NULL, divide_by(k, v, s, nullptr, room, bytes));
  CHECK_FAILS(CDP_ERROR_NULL, divide_by(k, v, s, b, nullptr, bytes));

  uint64_t *const where = reinterpret_cast<uint64_t *>(begins.memory());
  CHECK_FAILS(CDP_ERROR_POINTER,
              cdp_divide_on_stream(k, &column, 1, COUNT, CDP_U32, &options, host_splitters.memory(), 3, where, stream()));
  CHECK_FAILS(CDP_ERROR_SIZE, cdp_divide(k, &column, 1, COUNT, CDP_U32, &options, s, CDP_SPLITTERS_MAX + 1, where));
  CHECK_FAILS(CDP_ERROR_SIZE, cdp_divide(k, nullptr, 0, CDP_PAIRS_COUNT_MAX + 1, CDP_U8, &options, s, 3, where));
  const cdp_options ascending = options_of(CDP_ASCENDING, CDP_TIES_ANY);
  CHECK_FAILS(CDP_ERROR_ORDER, cdp_divide(k, &column, 1, COUNT, CDP_U32, &ascending, host_splitters.memory(), 3, where));

  CHECK_CUDA(cudaDeviceSynchronize());
  ck_assert(read_array(keys, LABEL) == old_keys && read_array(host_keys, LABEL) == old_keys);
  ck_assert(read_array(values, LABEL) == old_values && read_array(host_values, LABEL) == old_values);
  ck_assert(read_array(splitters, LABEL) == old_splitters && read_array(host_splitters, LABEL) == old_splitters);
  ck_assert(read_array(begins, LABEL) == old_begins && read_array(host_begins, LABEL) == old_begins);
  ck_assert(read_array(workspace, LABEL) == Bytes(bytes) && read_array(host_workspace, LABEL) == Bytes(bytes));
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_buckets_refused");
  TCase *test_case = add_case(suite, "refusals");
  tcase_add_checked_fixture(test_case, make_stream, destroy_stream);
  tcase_add_test(test_case, test_refusals);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
