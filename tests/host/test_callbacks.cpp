/* SPDX-License-Identifier: MIT */
/*
 * What the caller's functions may do to a call: a comparison may need much stack; one that calls the library or throws is told so;
 * and no message outlives the call that succeeds.
 */
#include "call_check.h"
#include "run_suite.h"

#include <cdpsort/compare.h>

#include <alloca.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace {

constexpr size_t ITEMS = 3000;

std::vector<uint32_t> some_items() {
  std::vector<uint32_t> items(ITEMS);
  for (size_t index = 0; index < ITEMS; index++)
    items[index] = static_cast<uint32_t>(index * 2654435761u);
  return items;
}

int by_value(const void *a, const void *b) {
  const uint32_t left = *static_cast<const uint32_t *>(a);
  const uint32_t right = *static_cast<const uint32_t *>(b);
  return left < right ? -1 : left > right ? 1 : 0;
}

/* What a comparison does at its 50th call. */
struct Deed {
  int calls = 0;
  cdp_status status = CDP_OK; /* of what it called */
  char said[200] = "";
  void (*act)(Deed &deed) = nullptr;
};

int compare(const void *a, const void *b, void *context) {
  Deed &deed = *static_cast<Deed *>(context);
  if (++deed.calls == 50)
    deed.act(deed);
  return by_value(a, b);
}

cdp_status sort_with(Deed &deed, std::vector<uint32_t> &items) {
  const cdp_options options = simulated_options();
  cdp_comparison comparison = CDP_COMPARISON_INIT;
  comparison.compare = compare;
  comparison.context = &deed;
  return cdp_quicksort_by(items.data(), items.size(), sizeof items[0], &comparison, &options);
}

void keep_message(Deed &deed, cdp_status status) {
  deed.status = status;
  snprintf(deed.said, sizeof deed.said, "%s", cdp_last_message());
}

void sort_within(Deed &deed) {
  const cdp_options options = simulated_options();
  uint32_t others[500];
  for (uint32_t index = 0; index < 500; index++)
    others[index] = 500 - index;
  keep_message(deed, cdp_quicksort(others, 500, CDP_U32, &options));
}

void compare_within(Deed &deed) {
  const cdp_options options = simulated_options();
  uint32_t others[] = {3, 1, 2};
  cdp_comparison comparison = CDP_COMPARISON_INIT;
  comparison.compare = compare;
  comparison.context = &deed;
  keep_message(deed, cdp_quicksort_by(others, 3, sizeof others[0], &comparison, &options));
}

void ask_within(Deed &deed) {
  const cdp_options options = simulated_options();
  size_t bytes = 0;
  keep_message(deed, cdp_quicksort_workspace(100000, CDP_U32, &options, &bytes));
}

void throw_up(Deed &) {
  throw std::runtime_error("of the program's");
}

/* As much as a thread of 8 MiB has to give, and 64 times what a simulated thread has. */
__attribute__((noinline)) void take_stack(Deed &deed) {
  constexpr size_t BYTES = size_t{4} << 20;
  auto *const scratch = static_cast<unsigned char *>(alloca(BYTES));
  memset(scratch, 1, BYTES);
  __asm__ volatile("" ::"r"(scratch) : "memory");
  deed.calls += scratch[BYTES / 2];
}

/* That the next sort of the thread is none the worse for it. */
void must_sort_now() {
  Deed nothing;
  nothing.act = [](Deed &) {};
  std::vector<uint32_t> items = some_items();
  ck_assert_int_eq(sort_with(nothing, items), CDP_OK);
  ck_assert(std::is_sorted(items.begin(), items.end()));
  ck_assert_str_eq(cdp_last_message(), "");
}

/* _i: what is called. */
START_TEST(comparison_that_calls_the_library_is_told_so) {
  Deed deed;
  void (*const acts[])(Deed &) = {sort_within, compare_within, ask_within};
  deed.act = acts[_i];
  std::vector<uint32_t> items = some_items();
  ck_assert_msg(sort_with(deed, items) == CDP_OK, "%s", cdp_last_message());
  ck_assert(std::is_sorted(items.begin(), items.end()));
  ck_assert_int_eq(deed.status, CDP_ERROR_UNSUPPORTED);
  ck_assert_msg(strstr(deed.said, "comparison must not call this library") != nullptr, "%s", deed.said);
  ck_assert_str_eq(cdp_last_message(), "");
  must_sort_now();
}
END_TEST

START_TEST(comparison_that_throws_is_told_so) {
  Deed deed;
  deed.act = throw_up;
  std::vector<uint32_t> items = some_items();
  must_fail(CDP_ERROR_SIMULATED, sort_with(deed, items), "the comparison threw an exception");
  ck_assert_msg(strstr(cdp_last_message(), "the fault is the library's") == nullptr, "%s", cdp_last_message());
  must_sort_now();
}
END_TEST

START_TEST(comparison_has_the_callers_stack) {
  Deed deed;
  deed.act = take_stack;
  std::vector<uint32_t> items = some_items();
  ck_assert_msg(sort_with(deed, items) == CDP_OK, "%s", cdp_last_message());
  ck_assert_int_gt(deed.calls, 50);
  ck_assert(std::is_sorted(items.begin(), items.end()));
}
END_TEST

void *allocate_and_fail_at_something(size_t bytes, void *) {
  const cdp_options options = simulated_options();
  ck_assert_int_eq(cdp_quicksort(nullptr, 3, CDP_U32, &options), CDP_ERROR_NULL);
  return aligned_alloc(CDP_WORKSPACE_ALIGNMENT, (bytes + 255) / 256 * 256);
}

void release_it(void *memory, size_t, void *) {
  free(memory);
}

/* It must not call the library; but what it does is no reason for a message after success. */
START_TEST(message_of_an_allocators_call_does_not_stay) {
  cdp_options options = simulated_options();
  std::vector<uint32_t> items = some_items();
  options.allocator.allocate = allocate_and_fail_at_something;
  options.allocator.release = release_it;
  ck_assert_int_eq(cdp_quicksort(items.data(), items.size(), CDP_U32, &options), CDP_OK);
  ck_assert_str_eq(cdp_last_message(), "");
}
END_TEST

} // namespace

int main() {
  Suite *suite = suite_create("callbacks");
  TCase *tests = tcase_create("callbacks");
  tcase_set_timeout(tests, TEST_SECONDS);
  tcase_add_loop_test(tests, comparison_that_calls_the_library_is_told_so, 0, 3);
  tcase_add_test(tests, comparison_that_throws_is_told_so);
  tcase_add_test(tests, comparison_has_the_callers_stack);
  tcase_add_test(tests, message_of_an_allocators_call_does_not_stay);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
