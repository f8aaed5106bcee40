/* SPDX-License-Identifier: MIT */
/*
 * What the calls of ranges.h refuse on the GPU: memory that they cannot use, arrays that overlap, workspaces; and launches that CUDA
 * refuses. Each time the arrays and everything around them stay as they were.
 */
#include "gpu_tables.h"

#include <cdpsort/ranges.h>

using namespace gpu_check;
using namespace gpu_tables;

namespace {

constexpr size_t COUNT = 20011;
const char *const LABEL = "after calls that were refused";

/* Arrays of so many keys, in host and device memory, and an answer. */
struct Arrays {
  Bytes keys = make_keys(CDP_U32, COUNT, HOST_SORTED);
  Array there = make_array(Place::device, keys);
  Array other = make_array(Place::device, keys);
  Array both = make_array(Place::device, Bytes(2 * COUNT * sizeof(uint32_t)));
  Array here = make_array(Place::pageable, keys);
  Array answer = make_array(Place::device, Bytes(sizeof(uint64_t)));
  Array here_answer = make_array(Place::pageable, Bytes(sizeof(uint64_t)));

  uint64_t *number() const {
    return reinterpret_cast<uint64_t *>(answer.memory());
  }
  void check() const {
    CHECK_CUDA(cudaDeviceSynchronize());
    for (const Array &array : {there, other, here})
      ck_assert(read_array(array, LABEL) == keys);
    ck_assert(read_array(both, LABEL) == Bytes(both.bytes));
    ck_assert(read_array(answer, LABEL) == Bytes(sizeof(uint64_t)));
    ck_assert(read_array(here_answer, LABEL) == Bytes(sizeof(uint64_t)));
  }
};

START_TEST(test_arguments) {
  const Arrays all;
  size_t bytes = 0;
  unsigned char *k = all.there.memory();
  unsigned char *to = all.other.memory();
  uint64_t *number = all.number();
  uint64_t *here_number = reinterpret_cast<uint64_t *>(all.here_answer.memory());
  CHECK_FAILS(CDP_ERROR_POINTER, cdp_is_sorted_on_stream(all.here.memory(), COUNT, CDP_U32, nullptr, number, stream()));
  CHECK_FAILS(CDP_ERROR_POINTER, cdp_is_sorted_on_stream(k, COUNT, CDP_U32, nullptr, here_number, stream()));
  CHECK_FAILS(CDP_ERROR_POINTER, cdp_unique_on_stream(k, COUNT, CDP_U32, nullptr, all.here.memory(), number, stream()));
  CHECK_FAILS(CDP_ERROR_POINTER, cdp_unique_on_stream(k, COUNT, CDP_U32, nullptr, k, number, stream()));
  CHECK_FAILS(CDP_ERROR_POINTER, cdp_unique_on_stream(k, COUNT, CDP_U32, nullptr, to, here_number, stream()));
  CHECK_SORT(cdp_unique_workspace(COUNT, CDP_U32, nullptr, &bytes));
  const Array workspace = make_array(Place::device, Bytes(bytes));
  unsigned char *room = workspace.memory();
  const auto unique = [&](void *d_workspace, size_t size) {
    return cdp_unique_async(k, COUNT, CDP_U32, nullptr, to, number, d_workspace, size, stream());
  };
  CHECK_FAILS(CDP_ERROR_WORKSPACE, unique(room, bytes - 1));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, unique(to, bytes));
  CHECK_FAILS(CDP_ERROR_NULL, unique(nullptr, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, unique(all.here.memory(), bytes));
  const auto merge = [&](const void *first, const void *second, void *merged, void *d_workspace, size_t size) {
    return cdp_merge_async(first, COUNT, second, COUNT, merged, CDP_U32, nullptr, d_workspace, size, stream());
  };
  size_t needed = 0;
  CHECK_SORT(cdp_merge_workspace(COUNT, COUNT, CDP_U32, nullptr, &needed));
  ck_assert_uint_le(needed, bytes);
  CHECK_FAILS(CDP_ERROR_POINTER, merge(all.here.memory(), k, all.both.memory(), room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, merge(k, all.here.memory(), all.both.memory(), room, bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, merge(k, to, to, room, bytes));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, merge(k, to, all.both.memory(), room, needed - 1));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, merge(k, to, all.both.memory(), all.both.memory(), needed));
  all.check();
  ck_assert(read_array(workspace, LABEL) == Bytes(bytes));
}
END_TEST

/* Into a capture that is void, CUDA launches nothing: each call's first launch fails, and it says so. */
START_TEST(test_launches) {
  const Arrays all;
  const Array workspace = make_array(Place::device, Bytes(1 << 16));
  unsigned char *k = all.there.memory();
  uint64_t *number = all.number();
  cudaGraph_t graph = nullptr;
  CHECK_CUDA(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeRelaxed));
  ck_assert_int_ne(cudaStreamSynchronize(stream()), cudaSuccess); // which makes it void
  CHECK_FAILS(CDP_ERROR_CUDA, cdp_is_sorted_on_stream(k, COUNT, CDP_U32, nullptr, number, stream()));
  ck_assert_int_ne(cdp_last_cuda_error(), 0);
  CHECK_FAILS(CDP_ERROR_CUDA,
              cdp_merge_async(k, COUNT, k, COUNT, all.both.memory(), CDP_U32, nullptr, workspace.memory(), 1 << 16, stream()));
  CHECK_FAILS(CDP_ERROR_CUDA,
              cdp_merge_async(k, 100, k, 100, all.both.memory(), CDP_U32, nullptr, workspace.memory(), 1 << 16, stream()));
  CHECK_FAILS(CDP_ERROR_CUDA,
              cdp_unique_async(k, COUNT, CDP_U32, nullptr, all.other.memory(), number, workspace.memory(), 1 << 16, stream()));
  ck_assert_int_ne(cudaStreamEndCapture(stream(), &graph), cudaSuccess);
  cudaGetLastError();
  all.check();
  // The stream is as good as new.
  CHECK_SORT(cdp_is_sorted_on_stream(k, COUNT, CDP_U32, nullptr, number, stream()));
  CHECK_CUDA(cudaStreamSynchronize(stream()));
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_ranges_refused");
  TCase *test_case = add_case(suite, "refused");
  tcase_add_checked_fixture(test_case, make_stream, destroy_stream);
  tcase_add_test(test_case, test_arguments);
  tcase_add_test(test_case, test_launches);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
