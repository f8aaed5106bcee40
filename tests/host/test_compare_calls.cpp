/* SPDX-License-Identifier: MIT */
/*
 * The calls of compare.h as calls: workspaces, allocators, several at once, and wrong arguments, which touch nothing. What they
 * make of items is test_compare.cpp's.
 */
#include "call_check.h"
#include "compared.h"
#include "run_suite.h"

#include <cdpsort/copy.h>

#include <thread>

using namespace compared;
using namespace host_tables;

namespace {

#define MUST(call) ck_assert_msg((call) == CDP_OK, "%s", cdp_last_message())

int by_number(const void *a, const void *b, void *) {
  const uint32_t left = key_of(a, 4);
  const uint32_t right = key_of(b, 4);
  return left < right ? -1 : left > right ? 1 : 0;
}

cdp_comparison numbers() {
  cdp_comparison comparison = CDP_COMPARISON_INIT;
  comparison.compare = by_number;
  return comparison;
}

bool number_before(const void *a, const void *b) {
  return by_number(a, b, nullptr) < 0;
}

/* As the header says. */
START_TEST(tells_the_workspace) {
  const cdp_options options = simulated_options(1);
  size_t bytes = 1;
  MUST(cdp_quicksort_by_workspace(0, 4, &options, &bytes));
  ck_assert_uint_eq(bytes, 0);
  MUST(cdp_quicksort_by_workspace(1, 4, &options, &bytes));
  ck_assert_uint_eq(bytes, 0);
  MUST(cdp_quicksort_by_workspace(2, 4, &options, &bytes));
  ck_assert_uint_eq(bytes, CDP_WORKSPACE_ALIGNMENT);
  for (const size_t item_bytes : {size_t{1}, size_t{4}, size_t{32}})
    for (const size_t count : {size_t{1000}, size_t{1} << 20, size_t{CDP_COMPARE_COUNT_MAX}}) {
      MUST(cdp_quicksort_by_workspace(count, item_bytes, &options, &bytes));
      ck_assert_uint_ge(bytes, count * (item_bytes + 1));
      ck_assert_uint_le(bytes, 2 * count * (item_bytes + 1) + 65536);
    }
  for (const size_t count : {size_t{2}, size_t{1} << 20}) {
    MUST(cdp_quicksort_by_workspace(count, 100, &options, &bytes));
    ck_assert_uint_le(bytes, 2 * count * (100 + 9) + 65536);
  }
}
END_TEST

/* What a GPU's plan takes, which needs no GPU to be reckoned. */
START_TEST(plans_for_gpus) {
  for (const uint64_t item_bytes : {1, 4, 8, 12, 16, 24, 32, 40, 1000})
    for (const uint64_t count :
         {uint64_t{2}, uint64_t{8704}, uint64_t{8705}, uint64_t{1} << 20, uint64_t{1} << 26, uint64_t{CDP_COMPARE_COUNT_MAX}}) {
      cdp::by::Plan plan;
      ck_assert(cdp::by::make_plan({count, item_bytes, 0, false}, 132, false, &plan));
      const uint64_t moved = count * (item_bytes + (cdp::by::is_moved(item_bytes) ? 1 : 9));
      ck_assert_uint_le(plan.workspace_bytes, moved + moved / 16 + 65536);
      ck_assert_uint_le(plan.levels, cdp::by::LEVELS_MAX);
      ck_assert(plan.levels == 0 || count <= uint64_t{plan.pieces} * plan.shape.piece() / 2);
      for (const uint32_t threads : {plan.shape.piece_threads, plan.shape.whole_threads, plan.shape.sample_threads})
        ck_assert_uint_le(cdp::by::sort_bytes(plan.shape, threads, plan.moved_bytes), 48 * 1024);
      ck_assert_uint_le(cdp::by::choose_bytes(plan.shape, plan.moved_bytes), 48 * 1024);
      ck_assert_uint_le(cdp::by::classify_bytes(plan.shape, plan.moved_bytes), 48 * 1024);
      ck_assert_uint_le(cdp::by::move_bytes(plan.shape, plan.moved_bytes), 48 * 1024);
    }
  cdp::by::Plan plan;
  for (const uint64_t item_bytes : {4, 8, 16}) {
    ck_assert(cdp::by::make_plan({uint64_t{1} << 26, item_bytes, 0, false}, 132, false, &plan));
    ck_assert_uint_eq(plan.levels, 2);
  }
}
END_TEST

/* ---- Wrong arguments --------------------------------------------------------------------------------------------------- */

/* Memory that no refused call may touch. */
struct Untouched {
  alignas(CDP_WORKSPACE_ALIGNMENT) unsigned char memory[2048];
  Bytes before;

  Untouched() : before(random_bytes(sizeof memory, 7)) {
    memcpy(memory, before.data(), sizeof memory);
  }
  ~Untouched() {
    ck_assert_mem_eq(memory, before.data(), sizeof memory);
  }
};

START_TEST(refuses_wrong_comparisons) {
  const cdp_options options = simulated_options(1);
  Untouched all;
  const auto sort = [&](const cdp_comparison &comparison) {
    return cdp_quicksort_by(all.memory, 16, 4, &comparison, &options);
  };
  must_fail(CDP_ERROR_NULL, cdp_quicksort_by(all.memory, 16, 4, nullptr, &options), "comparison is NULL");
  cdp_comparison wrong = numbers();
  wrong.size = 4;
  must_fail(CDP_ERROR_OPTION, sort(wrong), "CDP_COMPARISON_INIT");
  wrong = numbers();
  wrong.context_bytes = CDP_CONTEXT_BYTES_MAX + 1;
  wrong.context = all.memory;
  must_fail(CDP_ERROR_SIZE, sort(wrong), "CDP_CONTEXT_BYTES_MAX");
  wrong.context_bytes = 1;
  wrong.context = nullptr;
  must_fail(CDP_ERROR_NULL, sort(wrong), "context is NULL");
  wrong = numbers();
  wrong.compare = nullptr;
  wrong.source = "not looked at";
  must_fail(CDP_ERROR_NULL, sort(wrong), "compare is NULL");
  must_fail(CDP_ERROR_NULL, cdp_compile_comparison(&wrong, 4, &options), "compare is NULL");
  must_fail(CDP_ERROR_NULL, cdp_compile_comparison(nullptr, 4, &options), "comparison is NULL");
  const cdp_comparison right = numbers();
  must_fail(CDP_ERROR_SIZE, cdp_compile_comparison(&right, 0, &options), "item_bytes");
  MUST(cdp_compile_comparison(&right, 4, &options));
}
END_TEST

START_TEST(refuses_wrong_items) {
  const cdp_options options = simulated_options(1);
  const cdp_comparison comparison = numbers();
  Untouched all;
  const auto sort = [&](void *items, size_t count, size_t item_bytes) {
    return cdp_quicksort_by(items, count, item_bytes, &comparison, &options);
  };
  must_fail(CDP_ERROR_NULL, sort(nullptr, 2, 4), "items is NULL");
  must_fail(CDP_ERROR_SIZE, sort(all.memory, 2, 0), "item_bytes");
  must_fail(CDP_ERROR_SIZE, sort(all.memory, 2, size_t{1} << 32), "item_bytes");
  must_fail(CDP_ERROR_SIZE, sort(all.memory, size_t{1} << 32, 1), "CDP_COMPARE_COUNT_MAX");
  must_fail(CDP_ERROR_SIZE, sort(all.memory, 0xffffffff, 0xffffffff), "addressed");
  must_fail(CDP_ERROR_ALIGNMENT, sort(all.memory + 2, 2, 4), "multiple of 4");
  must_fail(CDP_ERROR_ALIGNMENT, sort(all.memory + 8, 2, 48), "multiple of 16");
  must_fail(CDP_ERROR_ALIGNMENT, sort(all.memory + 1, 2, 6), "multiple of 2");
  cdp_options wrong = options;
  wrong.order = CDP_DESCENDING;
  must_fail(CDP_ERROR_OPTION, cdp_quicksort_by(all.memory, 2, 4, &comparison, &wrong), "order");
  wrong = options;
  wrong.ties = CDP_TIES_BY_VALUE;
  must_fail(CDP_ERROR_OPTION, cdp_quicksort_by(all.memory, 2, 4, &comparison, &wrong), "ties");
  // Nothing to do is no error, and yet arguments are looked at.
  MUST(sort(nullptr, 0, 4));
  MUST(sort(nullptr, 1, 4));
  must_fail(CDP_ERROR_NULL, cdp_quicksort_by(nullptr, 0, 4, nullptr, &options), "comparison is NULL");
}
END_TEST

START_TEST(refuses_wrong_workspaces) {
  const cdp_options options = simulated_options(1);
  const cdp_comparison comparison = numbers();
  Untouched all;
  size_t bytes = 0;
  MUST(cdp_quicksort_by_workspace(16, 3, &options, &bytes));
  ck_assert_uint_le(bytes, 512);
  const auto sort = [&](void *workspace, size_t size) {
    return cdp_quicksort_by_async(all.memory, 16, 3, &comparison, &options, workspace, size, nullptr);
  };
  must_fail(CDP_ERROR_NULL, sort(nullptr, bytes), "cdp_quicksort_by_workspace()");
  must_fail(CDP_ERROR_ALIGNMENT, sort(all.memory + 1024 + 8, bytes), "d_workspace");
  must_fail(CDP_ERROR_WORKSPACE, sort(all.memory + 1024, bytes - 1), "cdp_quicksort_by_workspace()");
  must_fail(CDP_ERROR_WORKSPACE, sort(all.memory, bytes), "overlaps items");
  must_fail(CDP_ERROR_NULL, cdp_quicksort_by_workspace(16, 4, &options, nullptr), "workspace_bytes is NULL");
}
END_TEST

START_TEST(refuses_wrong_copies) {
  const cdp_options options = simulated_options(1);
  const cdp_comparison comparison = numbers();
  Untouched all;
  unsigned char *const output = all.memory + 256;
  size_t bytes = 0;
  const auto copy = [&](const void *items, void *sorted_items, size_t count) {
    return cdp_quicksort_by_copy(items, sorted_items, count, 4, &comparison, &options);
  };
  must_fail(CDP_ERROR_NULL, copy(nullptr, output, 1), "items is NULL");
  must_fail(CDP_ERROR_NULL, copy(all.memory, nullptr, 1), "sorted_items is NULL");
  must_fail(CDP_ERROR_ALIGNMENT, copy(all.memory + 2, output, 16), "items is");
  must_fail(CDP_ERROR_ALIGNMENT, copy(all.memory, output + 2, 16), "sorted_items is");
  must_fail(CDP_ERROR_POINTER, copy(all.memory, all.memory, 16), "overlap");
  must_fail(CDP_ERROR_POINTER, copy(all.memory, all.memory + 60, 16), "overlap");
  must_fail(CDP_ERROR_POINTER, copy(all.memory + 60, all.memory, 16), "overlap");
  must_fail(CDP_ERROR_NULL, cdp_quicksort_by_copy(all.memory, output, 1, 4, nullptr, &options), "comparison is NULL");
  MUST(copy(nullptr, nullptr, 0));
  MUST(cdp_quicksort_by_copy_workspace(0, 3, &options, &bytes));
  ck_assert_uint_eq(bytes, 0);
  MUST(cdp_quicksort_by_copy_workspace(16, 3, &options, &bytes));
  ck_assert_uint_le(bytes, 512);
  const auto launch = [&](void *workspace, size_t size) {
    return cdp_quicksort_by_copy_async(all.memory, output, 16, 3, &comparison, &options, workspace, size, nullptr);
  };
  must_fail(CDP_ERROR_NULL, launch(nullptr, bytes), "cdp_quicksort_by_copy_workspace()");
  must_fail(CDP_ERROR_WORKSPACE, launch(all.memory + 1024, bytes - 1), "cdp_quicksort_by_copy_workspace()");
  must_fail(CDP_ERROR_WORKSPACE, launch(all.memory, bytes), "overlaps items");
  must_fail(CDP_ERROR_WORKSPACE, launch(output, bytes), "overlaps sorted_items");
}
END_TEST

/* Items that are gathered are not gathered into the workspace first. */
START_TEST(copies_need_no_more) {
  const cdp_options options = simulated_options(1);
  for (const size_t item_bytes : {4, 24, 100})
    for (const size_t count : {size_t{2}, size_t{5000}, size_t{1} << 20}) {
      size_t in_place = 0;
      size_t apart = 0;
      MUST(cdp_quicksort_by_workspace(count, item_bytes, &options, &in_place));
      MUST(cdp_quicksort_by_copy_workspace(count, item_bytes, &options, &apart));
      if (cdp::by::is_moved(item_bytes))
        ck_assert_uint_eq(apart, in_place);
      else
        ck_assert_uint_le(apart + count * item_bytes, in_place);
    }
}
END_TEST

/* ---- Memory, and several at once --------------------------------------------------------------------------------------- */

START_TEST(allocates_what_is_needed) {
  account kept = {};
  cdp_options options = options_with_account(&kept);
  const cdp_comparison comparison = numbers();
  const Bytes items = random_items(2000, 4, 0, 1);
  Bytes sorted;
  const auto sort = [&](int round) {
    switch (round) {
    case 0:
      return cdp_quicksort_by(sorted.data(), 2000, 4, &comparison, &options);
    case 1:
      return cdp_quicksort_by_on_stream(sorted.data(), 2000, 4, &comparison, &options, nullptr);
    case 2:
      return cdp_quicksort_by_copy(items.data(), sorted.data(), 2000, 4, &comparison, &options);
    default:
      return cdp_quicksort_by_copy_on_stream(items.data(), sorted.data(), 2000, 4, &comparison, &options, nullptr);
    }
  };
  for (int round = 0; round < 4; round++) {
    sorted = round < 2 ? items : Bytes(items.size());
    MUST(sort(round));
    must_be_permutation(items, sorted, 4);
    must_be_in_order(sorted, 4, number_before);
    ck_assert_int_eq(kept.allocations, round + 1);
    ck_assert_int_eq(kept.releases, round + 1);
  }
  kept.is_empty = true;
  sorted = items;
  for (int round = 0; round < 4; round++)
    must_fail(CDP_ERROR_MEMORY, sort(round), "allocate()");
  ck_assert(sorted == items);
}
END_TEST

/* A context of so many bytes is the caller's own here. */
int by_table(const void *a, const void *b, void *context) {
  const unsigned char *ranks = static_cast<const unsigned char *>(context);
  return ranks[*static_cast<const unsigned char *>(a)] - ranks[*static_cast<const unsigned char *>(b)];
}

START_TEST(gives_its_context) {
  const cdp_options options = simulated_options(1);
  Bytes ranks(256);
  for (size_t value = 0; value < 256; value++)
    ranks[value] = static_cast<unsigned char>(value * 77);
  cdp_comparison comparison = CDP_COMPARISON_INIT;
  comparison.compare = by_table;
  comparison.context = ranks.data();
  for (const size_t context_bytes : {size_t{0}, ranks.size()}) {
    comparison.context_bytes = context_bytes;
    const Bytes items = random_items(3000, 1, 0, 1);
    Bytes sorted = items;
    MUST(cdp_quicksort_by(sorted.data(), 3000, 1, &comparison, &options));
    must_be_permutation(items, sorted, 1);
    must_be_in_order(sorted, 1, [&](const void *a, const void *b) { return by_table(a, b, ranks.data()) < 0; });
  }
}
END_TEST

START_TEST(sorts_in_several_threads) {
  constexpr size_t THREADS = 4;
  const Bytes items = random_items(3000, 8, 0, 1);
  std::vector<Bytes> sorted(THREADS, items);
  std::vector<cdp_status> statuses(THREADS, CDP_ERROR_CUDA);
  std::vector<std::thread> threads;
  threads.reserve(THREADS);
  for (size_t thread = 0; thread < THREADS; thread++)
    threads.emplace_back([&, thread] {
      const cdp_options options = simulated_options(thread);
      const cdp_comparison comparison = numbers();
      statuses[thread] = thread % 2 == 0
                             ? cdp_quicksort_by(sorted[thread].data(), 3000, 8, &comparison, &options)
                             : cdp_quicksort_by_copy(items.data(), sorted[thread].data(), 3000, 8, &comparison, &options);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (size_t thread = 0; thread < THREADS; thread++) {
    ck_assert_int_eq(statuses[thread], CDP_OK);
    must_be_permutation(items, sorted[thread], 8);
    must_be_in_order(sorted[thread], 8, number_before);
  }
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("compare_calls");
  TCase *tests = tcase_create("compare_calls");
  tcase_add_test(tests, tells_the_workspace);
  tcase_add_test(tests, plans_for_gpus);
  tcase_add_test(tests, refuses_wrong_comparisons);
  tcase_add_test(tests, refuses_wrong_items);
  tcase_add_test(tests, refuses_wrong_workspaces);
  tcase_add_test(tests, refuses_wrong_copies);
  tcase_add_test(tests, copies_need_no_more);
  tcase_add_test(tests, allocates_what_is_needed);
  tcase_add_test(tests, gives_its_context);
  tcase_add_test(tests, sorts_in_several_threads);
  suite_add_tcase(suite, tests);
  return suite;
}

} // namespace

int main() {
  return run_suite(make_suite());
}
