/* SPDX-License-Identifier: MIT */
/*
 * A wrong count is refused before anything that it counts is read: arrays of one element end where memory ends.
 */
#include "call_check.h"
#include "run_suite.h"

#include <cdpsort/buckets.h>
#include <cdpsort/copy.h>
#include <cdpsort/records.h>
#include <cdpsort/segments.h>
#include <cdpsort/select.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace {

/* An element behind which no byte can be read. It stays until the process ends. */
template <typename Element>
Element *at_the_end(const Element &element) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void *const pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert(pages != MAP_FAILED);
  unsigned char *const end = static_cast<unsigned char *>(pages) + page;
  ck_assert_int_eq(mprotect(end, page, PROT_NONE), 0);
  Element *const last = reinterpret_cast<Element *>(end) - 1;
  *last = element;
  return last;
}

uint32_t keys[3] = {3, 1, 2};
uint32_t values[3];

/* _i: which wrong count. */
constexpr size_t WRONG_COUNTS[] = {CDP_COLUMNS_MAX + 1, SIZE_MAX / 2, SIZE_MAX};

START_TEST(reads_no_column_of_a_wrong_count) {
  const cdp_options options = simulated_options();
  const size_t count = WRONG_COUNTS[_i];
  const cdp_segments segments = {1, nullptr, nullptr, 0, 3};
  const cdp_column *const column = at_the_end(cdp_column{values, sizeof *values});
  const cdp_column_copy *const copy = at_the_end(cdp_column_copy{values, values, sizeof *values});
  uint64_t begins[2];
  size_t bytes = 7;
  must_fail(CDP_ERROR_SIZE, cdp_quicksort_columns(keys, column, count, 3, CDP_U32, &options), "column_count is");
  must_fail(CDP_ERROR_SIZE, cdp_quicksort_columns_workspace(column, count, 3, CDP_U32, &options, &bytes), "column_count is");
  must_fail(CDP_ERROR_SIZE, cdp_quicksort_columns_copy(keys, values, copy, count, 3, CDP_U32, &options), "column_count is");
  must_fail(CDP_ERROR_SIZE, cdp_segmented_sort(keys, column, count, 3, CDP_U32, &options, &segments), "column_count is");
  must_fail(CDP_ERROR_SIZE, cdp_divide(keys, column, count, 3, CDP_U32, &options, nullptr, 0, begins), "column_count is");
  ck_assert(keys[0] == 3 && keys[1] == 1 && keys[2] == 2 && bytes == 7);
}
END_TEST

START_TEST(reads_no_field_of_a_wrong_count) {
  const cdp_options options = simulated_options();
  const size_t count = WRONG_COUNTS[_i];
  const cdp_field *const field = at_the_end(cdp_field{0, CDP_U32, CDP_ASCENDING});
  const cdp_key_column *const column = at_the_end(cdp_key_column{keys, CDP_U32, CDP_ASCENDING});
  must_fail(CDP_ERROR_SIZE, cdp_sort_records(keys, 3, 4, field, count, &options), "field_count is");
  must_fail(CDP_ERROR_SIZE, cdp_sort_records_copy(keys, values, 3, 4, field, count, &options), "field_count is");
  must_fail(CDP_ERROR_SIZE, cdp_argsort_columns(column, count, values, 4, 3, &options), "column_count is");
  ck_assert(keys[0] == 3 && keys[1] == 1 && keys[2] == 2);
}
END_TEST

START_TEST(reads_no_column_of_a_wrong_count_of_top_keys) {
  const cdp_options options = simulated_options();
  cdp_top top = CDP_TOP_INIT;
  top.columns = at_the_end(cdp_top_column{values, sizeof *values, values});
  top.column_count = WRONG_COUNTS[_i];
  must_fail(CDP_ERROR_SIZE, cdp_top_k(keys, 3, CDP_U32, &options, 1, values, &top), "column_count is");
}
END_TEST

} // namespace

int main() {
  Suite *suite = suite_create("read_bounds");
  TCase *tests = tcase_create("read_bounds");
  tcase_add_loop_test(tests, reads_no_column_of_a_wrong_count, 0, 3);
  tcase_add_loop_test(tests, reads_no_field_of_a_wrong_count, 0, 3);
  tcase_add_loop_test(tests, reads_no_column_of_a_wrong_count_of_top_keys, 0, 3);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
