/* SPDX-License-Identifier: MIT */
/*
 * What the calls of compare.h refuse on the GPU: memory that they cannot use, workspaces, sources that do not compile, and
 * launches that CUDA refuses. Each time the items and everything around them stay as they were.
 */
#include "gpu_tables.h"

#include <cdpsort/compare.h>

using namespace gpu_check;
using namespace gpu_tables;

namespace {

constexpr size_t COUNT = 20011;
const char *const LABEL = "after calls that were refused";

cdp_comparison comparison_of(const char *source) {
  cdp_comparison comparison = CDP_COMPARISON_INIT;
  comparison.source = source;
  return comparison;
}

const cdp_comparison numbers =
    comparison_of("int less(const unsigned *a, const unsigned *b, const void *context) { return *a < *b; }");

/* Items in host and device memory. */
struct Arrays {
  Bytes items = make_keys(CDP_U32, COUNT, HOST_UNIFORM);
  Array there = make_array(Place::device, items);
  Array here = make_array(Place::pageable, items);

  void check() const {
    CHECK_CUDA(cudaDeviceSynchronize());
    for (const Array &array : {there, here})
      ck_assert(read_array(array, LABEL) == items);
  }
};

START_TEST(test_arguments) {
  const Arrays all;
  size_t bytes = 0;
  unsigned char *items = all.there.memory();
  CHECK_SORT(cdp_quicksort_by_workspace(COUNT, 4, nullptr, &bytes));
  const Array workspace = make_array(Place::device, Bytes(bytes));
  const auto sort = [&](void *from, void *d_workspace, size_t size) {
    return cdp_quicksort_by_async(from, COUNT, 4, &numbers, nullptr, d_workspace, size, stream());
  };
  CHECK_FAILS(CDP_ERROR_POINTER, sort(all.here.memory(), workspace.memory(), bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, sort(items, all.here.memory(), bytes));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, sort(items, workspace.memory(), bytes - 1));
  CHECK_FAILS(CDP_ERROR_WORKSPACE, sort(items, items, bytes));
  CHECK_FAILS(CDP_ERROR_NULL, sort(items, nullptr, bytes));
  CHECK_FAILS(CDP_ERROR_ALIGNMENT, sort(items + 1, workspace.memory(), bytes));
  CHECK_FAILS(CDP_ERROR_POINTER, cdp_quicksort_by_on_stream(all.here.memory(), COUNT, 4, &numbers, nullptr, stream()));
  all.check();
  ck_assert(read_array(workspace, LABEL) == Bytes(bytes));
}
END_TEST

START_TEST(test_sources) {
  const Arrays all;
  unsigned char *items = all.there.memory();
  const cdp_comparison none = comparison_of(nullptr);
  const cdp_comparison wrong = comparison_of("typedef unsigned row;\nint less(const row *a, const row *b, const void *c) {\n"
                                             "  return *a < d;\n}\n");
  const cdp_comparison right =
      comparison_of("int less(const unsigned *a, const unsigned *b, const void *) { return *a > *b; }");
  CHECK_FAILS(CDP_ERROR_NULL, cdp_quicksort_by(items, COUNT, 4, &none, nullptr));
  for (int round = 0; round < 2; round++) {
    CHECK_FAILS(CDP_ERROR_SOURCE, cdp_quicksort_by(items, COUNT, 4, &wrong, nullptr));
    ck_assert_ptr_ne(strstr(cdp_last_compiler_log(), "comparison(3): error"), nullptr);
    ck_assert_ptr_ne(strstr(cdp_last_message(), "comparison(3): error"), nullptr);
  }
  CHECK_FAILS(CDP_ERROR_SOURCE, cdp_quicksort_by_on_stream(items, COUNT, 4, &wrong, nullptr, stream()));
  CHECK_FAILS(CDP_ERROR_SOURCE, cdp_compile_comparison(&numbers, 8, nullptr));
  ck_assert_ptr_ne(strstr(cdp_last_compiler_log(), "item_bytes"), nullptr);
  all.check();
  CHECK_SORT(cdp_compile_comparison(&right, 4, nullptr));
  ck_assert_str_eq(cdp_last_compiler_log(), "");
}
END_TEST

/* Into a capture that is void, CUDA launches nothing: the first launch fails, and it says so. With items that one block sorts, with
   more, and with indices. */
START_TEST(test_launches) {
  const Arrays all;
  const Array workspace = make_array(Place::device, Bytes(1 << 20));
  unsigned char *items = all.there.memory();
  const cdp_comparison rows = comparison_of(
      "struct row { unsigned key, rest[4]; };\nint less(const row *a, const row *b, const void *) { return a->key < "
      "b->key; }");
  cudaGraph_t graph = nullptr;
  const auto sort = [&](size_t count, size_t item_bytes, const cdp_comparison &comparison) {
    return cdp_quicksort_by_async(items, count, item_bytes, &comparison, nullptr, workspace.memory(), workspace.bytes,
                                  stream());
  };
  CHECK_CUDA(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeRelaxed));
  ck_assert_int_ne(cudaStreamSynchronize(stream()), cudaSuccess); // which makes it void
  CHECK_FAILS(CDP_ERROR_CUDA, sort(COUNT, 4, numbers));
  ck_assert_int_ne(cdp_last_cuda_error(), 0);
  CHECK_FAILS(CDP_ERROR_CUDA, sort(100, 4, numbers));
  CHECK_FAILS(CDP_ERROR_CUDA, sort(COUNT / 5, 20, rows));
  ck_assert_int_ne(cudaStreamEndCapture(stream(), &graph), cudaSuccess);
  cudaGetLastError();
  all.check();
  // The stream is as good as new.
  CHECK_SORT(sort(100, 4, numbers));
  CHECK_CUDA(cudaStreamSynchronize(stream()));
}
END_TEST

/* An allocator that has nothing: nothing is lost. */
void *allocate_nothing(size_t, void *) {
  return nullptr;
}
void release_nothing(void *, size_t, void *) {}

START_TEST(test_allocations) {
  const Arrays all;
  cdp_options options = CDP_OPTIONS_INIT;
  options.allocator = {allocate_nothing, release_nothing, nullptr};
  CHECK_FAILS(CDP_ERROR_MEMORY, cdp_quicksort_by(all.here.memory(), COUNT, 4, &numbers, &options));
  CHECK_FAILS(CDP_ERROR_MEMORY, cdp_quicksort_by(all.there.memory(), COUNT, 4, &numbers, &options));
  CHECK_FAILS(CDP_ERROR_MEMORY, cdp_quicksort_by_on_stream(all.there.memory(), COUNT, 4, &numbers, &options, stream()));
  all.check();
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_compare_refused");
  TCase *test_case = add_case(suite, "refused");
  tcase_add_checked_fixture(test_case, make_stream, destroy_stream);
  tcase_add_test(test_case, test_arguments);
  tcase_add_test(test_case, test_sources);
  tcase_add_test(test_case, test_launches);
  tcase_add_test(test_case, test_allocations);
  suite_add_tcase(suite, test_case);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
