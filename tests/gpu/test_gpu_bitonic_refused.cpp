/* SPDX-License-Identifier: MIT */
/*
 * Calls of bitonic.h and their like of copy.h that are refused, and one whose launches CUDA refuses: in a program of its own, since
 * under memcheck calls that fail are no finding there (tests/gpu_run.sh).
 */
#include "gpu_tables.h"

#include <cdpsort/copy.h>

using namespace gpu_check;
using namespace gpu_tables;

namespace {

START_TEST(test_refused) {
  constexpr size_t COUNT = 20011;
  const Bytes keys = make_keys(CDP_U32, COUNT, HOST_UNIFORM);
  const Array there = make_array(Place::device, keys);
  const Array here = make_array(Place::pageable, keys);
  const Array other = make_array(Place::device, keys);
  cudaGraph_t graph = nullptr;
  CHECK_FAILS(CDP_ERROR_POINTER, cdp_bitonic_sort_on_stream(here.memory(), COUNT, CDP_U32, nullptr, stream()));
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, cdp_bitonic_sort_on_stream(there.memory() + 1, COUNT - 1, CDP_U32, nullptr, stream()));
  CHECK_FAILS(CDP_ERROR_NULL, cdp_bitonic_sort_on_stream(nullptr, COUNT, CDP_U32, nullptr, stream()));
  const auto copy = [](const void *from, void *to) {
    return cdp_bitonic_sort_copy_on_stream(from, to, COUNT, CDP_U32, nullptr, stream());
  };
  CHECK_FAILS(CDP_ERROR_POINTER, copy(here.memory(), other.memory()));
  CHECK_FAILS(CDP_ERROR_POINTER, copy(there.memory(), here.memory()));
  CHECK_FAILS(CDP_ERROR_POINTER, copy(there.memory(), there.memory()));
  CHECK_FAILS(CDP_ERROR_NULL, copy(there.memory(), nullptr));
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, copy(there.memory(), other.memory() + 1));
  CHECK_FAILS(CDP_ERROR_POINTER, cdp_bitonic_sort_copy(there.memory(), there.memory() + 4, COUNT - 1, CDP_U32, nullptr));
  // Into a capture that is void, CUDA launches nothing: the first launch fails, and the call says so.
  CHECK_CUDA(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeRelaxed));
  ck_assert_int_ne(cudaStreamSynchronize(stream()), cudaSuccess); // which makes it void
  for (const size_t count : {COUNT, size_t{100}})
    CHECK_FAILS(CDP_ERROR_CUDA, cdp_bitonic_sort_on_stream(there.memory(), count, CDP_U32, nullptr, stream()));
  CHECK_FAILS(CDP_ERROR_CUDA, copy(there.memory(), other.memory()));
  ck_assert_int_ne(cdp_last_cuda_error(), 0);
  ck_assert_int_ne(cudaStreamEndCapture(stream(), &graph), cudaSuccess);
  cudaGetLastError();
  CHECK_CUDA(cudaDeviceSynchronize());
  ck_assert(read_array(there, "after calls that were refused") == keys);
  ck_assert(read_array(here, "after calls that were refused") == keys);
  ck_assert(read_array(other, "after calls that were refused") == keys);
  CHECK_SORT(cdp_bitonic_sort_on_stream(there.memory(), COUNT, CDP_U32, nullptr, stream()));
  CHECK_CUDA(cudaStreamSynchronize(stream()));
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_bitonic_refused");
  TCase *calls = add_case(suite, "calls");
  tcase_add_checked_fixture(calls, make_stream, destroy_stream);
  tcase_add_test(calls, test_refused);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
