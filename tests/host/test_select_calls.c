/* SPDX-License-Identifier: MIT */
/*
 * The calls of select.h as calls: little to do, and wrong arguments, which touch nothing. What they make of arrays is
 * test_select.cpp's.
 */
#include "call_check.h"
#include "host_data.h"
#include "run_suite.h"

#include <cdpsort/select.h>

#include <string.h>

#define ITEMS 64u

/* ---- Little to do ---------------------------------------------------------------------------------------------- */

/* Of a device that there is not: nothing needs none, and no workspace. */
START_TEST(needs_nothing_for_nothing) {
  cdp_options options = CDP_OPTIONS_INIT;
  uint32_t keys[] = {3, 1, 2};
  const uint64_t rank = 0;
  size_t bytes = 7;
  options.device = CDP_DEVICE_CUDA(1000);
  ck_assert_int_eq(cdp_nth_element(NULL, 0, CDP_U32, &options, 5), CDP_OK);
  ck_assert_int_eq(cdp_nth_element(keys, 1, CDP_U32, &options, 0), CDP_OK);
  ck_assert_int_eq(cdp_nth_element_async(keys, 1, CDP_U32, &options, 0, NULL, 0, NULL), CDP_OK);
  ck_assert_int_eq(cdp_nth_element_on_stream(NULL, 0, CDP_F16, &options, 0, NULL), CDP_OK);
  ck_assert_int_eq(cdp_partial_sort(NULL, 0, CDP_U64, &options, 0), CDP_OK);
  ck_assert_int_eq(cdp_partial_sort(NULL, 3, CDP_U64, &options, 0), CDP_OK);
  ck_assert_int_eq(cdp_partial_sort(keys, 1, CDP_U32, &options, 1), CDP_OK);
  ck_assert_int_eq(cdp_partial_sort_async(NULL, 3, CDP_I8, &options, 0, NULL, 0, NULL), CDP_OK);
  ck_assert_int_eq(cdp_partial_sort_on_stream(NULL, 3, CDP_I8, &options, 0, NULL), CDP_OK);
  ck_assert_int_eq(cdp_top_k(NULL, 0, CDP_F32, &options, 0, NULL, NULL), CDP_OK);
  ck_assert_int_eq(cdp_top_k(NULL, 3, CDP_F32, &options, 0, NULL, NULL), CDP_OK);
  ck_assert_int_eq(cdp_top_k_async(NULL, 3, CDP_F32, &options, 0, NULL, NULL, NULL, 0, NULL), CDP_OK);
  ck_assert_int_eq(cdp_top_k_on_stream(NULL, 3, CDP_F32, &options, 0, NULL, NULL, NULL), CDP_OK);
  ck_assert_int_eq(cdp_quantiles(NULL, 0, CDP_F64, &options, NULL, 0, NULL), CDP_OK);
  ck_assert_int_eq(cdp_quantiles_async(NULL, 3, CDP_F64, &options, &rank, 0, NULL, NULL, 0, NULL), CDP_OK);
  ck_assert_int_eq(cdp_quantiles_on_stream(NULL, 3, CDP_F64, &options, NULL, 0, NULL, NULL), CDP_OK);
  ck_assert_int_eq(cdp_nth_element_workspace(1, CDP_U32, &options, 0, &bytes), CDP_OK);
  ck_assert_uint_eq(bytes, 0);
  bytes = 7;
  ck_assert_int_eq(cdp_partial_sort_workspace(9, CDP_U32, &options, 0, &bytes), CDP_OK);
  ck_assert_uint_eq(bytes, 0);
  bytes = 7;
  ck_assert_int_eq(cdp_top_k_workspace(9, CDP_U32, &options, 0, NULL, &bytes), CDP_OK);
  ck_assert_uint_eq(bytes, 0);
  bytes = 7;
  ck_assert_int_eq(cdp_quantiles_workspace(9, CDP_U32, &options, 0, &bytes), CDP_OK);
  ck_assert_uint_eq(bytes, 0);
  ck_assert_str_eq(cdp_last_device(), "");
  ck_assert(keys[0] == 3 && keys[1] == 1 && keys[2] == 2);
  // And something needs one.
  ck_assert_int_eq(cdp_nth_element(keys, 2, CDP_U32, &options, 0), CDP_ERROR_NO_DEVICE);
  ck_assert_int_eq(cdp_quantiles(keys, 1, CDP_U32, &options, &rank, 1, keys + 1), CDP_ERROR_NO_DEVICE);
  ck_assert_int_eq(cdp_top_k_workspace(1, CDP_U32, &options, 1, NULL, &bytes), CDP_ERROR_NO_DEVICE);
}
END_TEST

/* The header's examples. */
START_TEST(does_what_the_manual_shows) {
  const float scores[] = {0.5f, 2.0f, 1.0f, 4.0f};
  float best[2], middle[2];
  uint32_t positions[2];
  const uint64_t ranks[] = {1, 2};
  cdp_options options = simulated_options();
  cdp_top top = CDP_TOP_INIT;
  top.indices = positions;
  top.index_bytes = sizeof *positions;
  ck_assert_int_eq(cdp_quantiles(scores, 4, CDP_F32, &options, ranks, 2, middle), CDP_OK);
  ck_assert(middle[0] == 1.0f && middle[1] == 2.0f);
  options.order = CDP_DESCENDING;
  ck_assert_int_eq(cdp_top_k(scores, 4, CDP_F32, &options, 2, best, NULL), CDP_OK);
  ck_assert(best[0] == 4.0f && best[1] == 2.0f);
  ck_assert_int_eq(cdp_top_k(scores, 4, CDP_F32, &options, 2, best, &top), CDP_OK);
  ck_assert(positions[0] == 3 && positions[1] == 1);
}
END_TEST

/* ---- Wrong arguments ------------------------------------------------------------------------------------------- */

static cdp_status keys_in_place(cdp_type type, size_t count, size_t wanted, void *keys, const cdp_options *options, int form) {
  return form == 0   ? cdp_nth_element(keys, count, type, options, wanted)
         : form == 1 ? cdp_nth_element_on_stream(keys, count, type, options, wanted, NULL)
         : form == 2 ? cdp_partial_sort(keys, count, type, options, wanted)
                     : cdp_partial_sort_on_stream(keys, count, type, options, wanted, NULL);
}

/* _i: the form. */
START_TEST(refuses_to_partition) {
  uint32_t keys[ITEMS];
  uint32_t before[ITEMS];
  cdp_options options = simulated_options();
  host_fill(keys, CDP_U32, ITEMS, HOST_REVERSED, 1);
  memcpy(before, keys, sizeof keys);
  const bool is_partial = _i >= 2;
  const size_t too_great = is_partial ? ITEMS + 1 : ITEMS;
  must_fail(CDP_ERROR_TYPE, keys_in_place((cdp_type)99, ITEMS, 1, keys, &options, _i), "type is 99");
  must_fail(CDP_ERROR_SIZE, keys_in_place(CDP_U32, ITEMS, too_great, keys, &options, _i),
            is_partial ? "sorted_items is 65" : "rank is 64");
  must_fail(CDP_ERROR_SIZE, keys_in_place(CDP_U32, ITEMS, SIZE_MAX, keys, &options, _i), "count is 64");
  must_fail(CDP_ERROR_SIZE, keys_in_place(CDP_U8, (size_t)CDP_COUNT_MAX + 1, 1, keys, &options, _i), "CDP_COUNT_MAX");
  must_fail(CDP_ERROR_NULL, keys_in_place(CDP_U32, ITEMS, 1, NULL, &options, _i), "keys is NULL");
  must_fail(CDP_ERROR_ALIGNMENT, keys_in_place(CDP_U32, ITEMS - 1, 1, (char *)keys + 1, &options, _i), "keys is");
  options.ties = CDP_TIES_BY_VALUE;
  must_fail(CDP_ERROR_OPTION, keys_in_place(CDP_F32, ITEMS, 1, keys, &options, _i), "options.ties");
  options.ties = CDP_TIES_ANY;
  options.order = (cdp_order)2;
  must_fail(CDP_ERROR_OPTION, keys_in_place(CDP_U32, ITEMS, 1, keys, &options, _i), "options.order");
  ck_assert_mem_eq(keys, before, sizeof keys);
}
END_TEST

START_TEST(refuses_wrong_tops) {
  uint32_t keys[ITEMS];
  uint32_t before[ITEMS];
  uint64_t indices[8] = {0};
  uint32_t top_keys[8] = {0};
  const cdp_options options = simulated_options();
  cdp_top top = CDP_TOP_INIT;
  cdp_top_column columns[CDP_COLUMNS_MAX + 1] = {{keys, 4, indices}};
  host_fill(keys, CDP_U32, ITEMS, HOST_REVERSED, 1);
  memcpy(before, keys, sizeof keys);
#define TOP(k, where) cdp_top_k(keys, ITEMS, CDP_U32, &options, k, where, &top)
  must_fail(CDP_ERROR_SIZE, TOP(ITEMS + 1, top_keys), "k is 65");
  must_fail(CDP_ERROR_SIZE, cdp_top_k(NULL, 0, CDP_U32, &options, 1, top_keys, NULL), "k is 1, and count is 0");
  must_fail(CDP_ERROR_NULL, TOP(4, NULL), "nothing else is wanted");
  must_fail(CDP_ERROR_NULL, cdp_top_k(NULL, ITEMS, CDP_U32, &options, 4, top_keys, &top), "keys is NULL");
  must_fail(CDP_ERROR_ALIGNMENT, TOP(4, (char *)top_keys + 2), "top_keys is");
  must_fail(CDP_ERROR_POINTER, TOP(4, keys + ITEMS - 1), "keys and top_keys overlap");
  top.index_bytes = 2;
  must_fail(CDP_ERROR_SIZE, TOP(4, top_keys), "index_bytes is 2");
  top.index_bytes = 8;
  must_fail(CDP_ERROR_NULL, TOP(4, top_keys), "indices is NULL");
  top.indices = (char *)indices + 4;
  must_fail(CDP_ERROR_ALIGNMENT, TOP(4, top_keys), "indices is");
  top.indices = top_keys;
  top.index_bytes = 4;
  must_fail(CDP_ERROR_POINTER, TOP(4, top_keys), "top_keys and indices overlap");
  must_fail(CDP_ERROR_SIZE, cdp_top_k(keys, (size_t)CDP_PAIRS_COUNT_MAX + 1, CDP_U32, &options, 4, top_keys, &top),
            "CDP_PAIRS_COUNT_MAX");
  top.indices = NULL;
  top.index_bytes = 0;
  top.column_count = 1;
  must_fail(CDP_ERROR_NULL, TOP(4, top_keys), "columns is NULL");
  top.columns = columns;
  columns[0].value_bytes = 0;
  must_fail(CDP_ERROR_SIZE, TOP(4, top_keys), "columns[0].value_bytes is 0");
  columns[0] = (cdp_top_column){NULL, 4, indices};
  must_fail(CDP_ERROR_NULL, TOP(4, top_keys), "columns[0].values is NULL");
  columns[0] = (cdp_top_column){keys, 4, NULL};
  must_fail(CDP_ERROR_NULL, TOP(4, top_keys), "columns[0].top_values is NULL");
  columns[0] = (cdp_top_column){keys, 4, keys};
  must_fail(CDP_ERROR_POINTER, TOP(4, top_keys), "overlap");
  top.column_count = CDP_COLUMNS_MAX + 1;
  must_fail(CDP_ERROR_SIZE, TOP(4, top_keys), "column_count is 17");
  top.column_count = 0;
  top.order = (cdp_top_order)CDP_DESCENDING; // of another enumeration
  must_fail(CDP_ERROR_OPTION, TOP(4, top_keys), "top.order is 1");
  top.order = (cdp_top_order)2;
  must_fail(CDP_ERROR_OPTION, TOP(4, top_keys), "top.order is 2");
  top.order = CDP_TOP_SORTED;
  top.reserved[1] = 1;
  must_fail(CDP_ERROR_OPTION, TOP(4, top_keys), "top.reserved[1]");
  top.reserved[1] = 0;
  top.size = 0;
  must_fail(CDP_ERROR_OPTION, TOP(4, top_keys), "top.size is 0");
#undef TOP
  ck_assert_mem_eq(keys, before, sizeof keys);
  for (size_t index = 0; index < 8; index++)
    ck_assert(top_keys[index] == 0 && indices[index] == 0);
}
END_TEST

/* Values may be the keys themselves, which are only read. */
START_TEST(takes_values_that_are_the_keys) {
  const uint32_t keys[] = {4, 1, 3, 2};
  uint32_t values[2] = {0};
  const cdp_options options = simulated_options();
  const cdp_top_column column = {keys, sizeof *keys, values};
  cdp_top top = CDP_TOP_INIT;
  top.columns = &column;
  top.column_count = 1;
  ck_assert_int_eq(cdp_top_k(keys, 4, CDP_U32, &options, 2, NULL, &top), CDP_OK);
  ck_assert(values[0] == 1 && values[1] == 2);
}
END_TEST

START_TEST(refuses_wrong_ranks) {
  uint32_t keys[ITEMS];
  uint32_t found[4] = {0};
  uint64_t ranks[CDP_RANKS_MAX + 1] = {0};
  const cdp_options options = simulated_options();
  size_t bytes = 7;
  host_fill(keys, CDP_U32, ITEMS, HOST_REVERSED, 1);
  ranks[1] = ITEMS;
#define QUANTILES(ranks, rank_count, found) cdp_quantiles(keys, ITEMS, CDP_U32, &options, ranks, rank_count, found)
  must_fail(CDP_ERROR_SIZE, QUANTILES(ranks, 2, found), "ranks[1] is 64");
  must_fail(CDP_ERROR_SIZE, QUANTILES(ranks, CDP_RANKS_MAX + 1, found), "rank_count is 65");
  must_fail(CDP_ERROR_NULL, QUANTILES(NULL, 2, found), "ranks is NULL");
  must_fail(CDP_ERROR_NULL, QUANTILES(ranks, 1, NULL), "found is NULL");
  must_fail(CDP_ERROR_ALIGNMENT, QUANTILES(ranks, 1, (char *)found + 1), "found is");
  must_fail(CDP_ERROR_POINTER, QUANTILES(ranks, 1, keys + 5), "keys and found overlap");
  must_fail(CDP_ERROR_SIZE, cdp_quantiles(NULL, 0, CDP_U32, &options, ranks, 1, found), "count is 0");
#undef QUANTILES
  must_fail(CDP_ERROR_SIZE, cdp_quantiles_workspace(ITEMS, CDP_U32, &options, CDP_RANKS_MAX + 1, &bytes), "rank_count is 65");
  must_fail(CDP_ERROR_NULL, cdp_quantiles_workspace(ITEMS, CDP_U32, &options, 1, NULL), "workspace_bytes is NULL");
  must_fail(CDP_ERROR_NULL, cdp_nth_element_workspace(ITEMS, CDP_U32, &options, 1, NULL), "workspace_bytes is NULL");
  ck_assert(bytes == 7 && found[0] == 0);
}
END_TEST

/* Too small, misaligned, none, or over an array. */
START_TEST(refuses_wrong_workspaces) {
  uint32_t keys[ITEMS];
  uint32_t top_keys[8] = {0};
  const cdp_options options = simulated_options();
  size_t bytes = 0;
  host_fill(keys, CDP_U32, ITEMS, HOST_REVERSED, 1);
  ck_assert_int_eq(cdp_top_k_workspace(ITEMS, CDP_U32, &options, 8, NULL, &bytes), CDP_OK);
  unsigned char *memory = aligned_alloc(CDP_WORKSPACE_ALIGNMENT, bytes + CDP_WORKSPACE_ALIGNMENT);
  ck_assert_ptr_nonnull(memory);
#define TOP(where, workspace, workspace_bytes, stream)                                                                         \
  cdp_top_k_async(keys, ITEMS, CDP_U32, &options, 8, where, NULL, workspace, workspace_bytes, stream)
  must_fail(CDP_ERROR_WORKSPACE, TOP(top_keys, memory, bytes - 1, NULL), "cdp_top_k_workspace()");
  must_fail(CDP_ERROR_NULL, TOP(top_keys, NULL, bytes, NULL), "d_workspace is NULL");
  must_fail(CDP_ERROR_ALIGNMENT, TOP(top_keys, memory + 8, bytes, NULL), "d_workspace is");
  must_fail(CDP_ERROR_WORKSPACE, TOP((uint32_t *)(void *)memory, memory, bytes, NULL), "overlaps top_keys");
  must_fail(CDP_ERROR_POINTER, TOP(top_keys, memory, bytes, keys), "stream is not NULL");
  ck_assert(top_keys[0] == 0);
  ck_assert_int_eq(TOP(top_keys, memory, bytes, NULL), CDP_OK);
#undef TOP
  free(memory);
}
END_TEST

/* Once for each call, and where there is no memory, nothing is touched. */
START_TEST(asks_an_allocator_once) {
  account kept = {0};
  cdp_options options = options_with_account(&kept);
  uint32_t keys[] = {4, 1, 3, 2};
  uint32_t found[2] = {9, 9};
  const uint64_t ranks[] = {0, 3};
  kept.is_empty = true;
  ck_assert_int_eq(cdp_nth_element(keys, 4, CDP_U32, &options, 1), CDP_ERROR_MEMORY);
  ck_assert_int_eq(cdp_quantiles_on_stream(keys, 4, CDP_U32, &options, ranks, 2, found, NULL), CDP_ERROR_MEMORY);
  ck_assert(kept.allocations == 2 && kept.releases == 0);
  ck_assert(keys[0] == 4 && keys[3] == 2 && found[0] == 9);
  kept.is_empty = false;
  ck_assert_int_eq(cdp_quantiles(keys, 4, CDP_U32, &options, ranks, 2, found), CDP_OK);
  ck_assert_int_eq(cdp_partial_sort_on_stream(keys, 4, CDP_U32, &options, 3, NULL), CDP_OK);
  ck_assert(kept.allocations == 4 && kept.releases == 2);
  ck_assert(keys[0] == 1 && keys[1] == 2 && keys[2] == 3 && found[0] == 1 && found[1] == 4);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("select_calls");
  TCase *tests = tcase_create("select_calls");
  tcase_set_timeout(tests, TEST_SECONDS);
  tcase_add_test(tests, needs_nothing_for_nothing);
  tcase_add_test(tests, does_what_the_manual_shows);
  tcase_add_loop_test(tests, refuses_to_partition, 0, 4);
  tcase_add_test(tests, refuses_wrong_tops);
  tcase_add_test(tests, takes_values_that_are_the_keys);
  tcase_add_test(tests, refuses_wrong_ranks);
  tcase_add_test(tests, refuses_wrong_workspaces);
  tcase_add_test(tests, asks_an_allocator_once);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
