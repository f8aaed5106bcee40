/* SPDX-License-Identifier: MIT */
/*
 * The calls of pairs.h as calls: little to do, and wrong arguments, which touch nothing. What they make of arrays is
 * test_pairs.cpp's.
 */
#include "call_check.h"
#include "host_data.h"
#include "run_suite.h"

#include <cdpsort/pairs.h>

#include <string.h>

#define ITEMS 64u

/* ---- Little to do ---------------------------------------------------------------------------------------------- */

START_TEST(needs_nothing_for_no_key) {
  size_t bytes = 7;
  ck_assert_int_eq(cdp_quicksort_pairs(NULL, NULL, 4, 0, CDP_U32, NULL), CDP_OK);
  ck_assert_int_eq(cdp_quicksort_pairs_async(NULL, NULL, 4, 0, CDP_U64, NULL, NULL, 0, NULL), CDP_OK);
  ck_assert_int_eq(cdp_quicksort_pairs_on_stream(NULL, NULL, 4, 0, CDP_F16, NULL, NULL), CDP_OK);
  ck_assert_int_eq(cdp_quicksort_columns(NULL, NULL, 0, 0, CDP_F32, NULL), CDP_OK);
  ck_assert_int_eq(cdp_argsort(NULL, NULL, NULL, 8, 0, CDP_I8, NULL), CDP_OK);
  ck_assert_int_eq(cdp_quicksort_pairs_workspace(4, 0, CDP_U32, NULL, &bytes), CDP_OK);
  ck_assert_uint_eq(bytes, 0);
  bytes = 7;
  ck_assert_int_eq(cdp_argsort_workspace(0, CDP_U64, NULL, &bytes), CDP_OK);
  ck_assert_uint_eq(bytes, 0);
}
END_TEST

/* _i: the type. */
START_TEST(leaves_one_pair_and_finds_one_order) {
  const cdp_options options = simulated_options();
  const cdp_type type = (cdp_type)(CDP_U32 + _i);
  uint64_t key = 0x8123456789ABCDEFu;
  uint64_t sorted = 0;
  uint64_t value = 77;
  uint64_t index = 5;
  ck_assert_int_eq(cdp_quicksort_pairs(&key, &value, sizeof value, 1, type, &options), CDP_OK);
  ck_assert(key == 0x8123456789ABCDEFu && value == 77);
  ck_assert_int_eq(cdp_argsort(&key, &sorted, &index, sizeof index, 1, type, &options), CDP_OK);
  ck_assert(key == 0x8123456789ABCDEFu && index == 0);
  ck_assert_mem_eq(&sorted, &key, host_key_bytes(type));
}
END_TEST

/* Of a device that there is not: one pair needs none, and no workspace. One index does. */
START_TEST(needs_no_device_for_one_pair) {
  cdp_options options = CDP_OPTIONS_INIT;
  uint32_t key = 5;
  uint64_t value = 77;
  uint32_t index = 9;
  cdp_column column = {&value, sizeof value};
  size_t bytes = 7;
  options.device = CDP_DEVICE_CUDA(1000);
  ck_assert_int_eq(cdp_quicksort_pairs(&key, &value, sizeof value, 1, CDP_U32, &options), CDP_OK);
  ck_assert_int_eq(cdp_quicksort_pairs_async(&key, &value, sizeof value, 1, CDP_U32, &options, NULL, 0, NULL), CDP_OK);
  ck_assert_int_eq(cdp_quicksort_columns_on_stream(&key, &column, 1, 1, CDP_U32, &options, NULL), CDP_OK);
  ck_assert_int_eq(cdp_quicksort_pairs_workspace(sizeof value, 1, CDP_U32, &options, &bytes), CDP_OK);
  ck_assert_uint_eq(bytes, 0);
  bytes = 7;
  ck_assert_int_eq(cdp_quicksort_columns_workspace(&column, 1, 1, CDP_U64, &options, &bytes), CDP_OK);
  ck_assert_uint_eq(bytes, 0);
  ck_assert(key == 5 && value == 77);
  ck_assert_str_eq(cdp_last_device(), "");
  ck_assert_int_eq(cdp_argsort(&key, NULL, &index, sizeof index, 1, CDP_U32, &options), CDP_ERROR_NO_DEVICE);
  ck_assert_int_eq(cdp_argsort_workspace(1, CDP_U32, &options, &bytes), CDP_ERROR_NO_DEVICE);
  options.device = CDP_DEVICE_SIMULATED;
  ck_assert_int_eq(cdp_argsort_workspace(1, CDP_U32, &options, &bytes), CDP_OK);
  ck_assert_uint_gt(bytes, 0);
  ck_assert_int_eq(cdp_argsort_async(&key, NULL, &index, sizeof index, 1, CDP_U32, &options, NULL, bytes, NULL),
                   CDP_ERROR_NULL);
  ck_assert_uint_eq(index, 9);
}
END_TEST

/* For what is gathered, if that is more than the sort of the items takes. _i: 4-byte or 8-byte keys. */
START_TEST(asks_for_the_workspace_that_it_says) {
  const cdp_options options = simulated_options();
  const cdp_type type = _i == 0 ? CDP_F32 : CDP_I64;
  cdp_column columns[2] = {{NULL, 4}, {NULL, 40}};
  size_t small = 0, large = 0, both = 0, order = 0;
  ck_assert_int_eq(cdp_quicksort_pairs_workspace(4, 100000, type, &options, &small), CDP_OK);
  ck_assert_int_eq(cdp_quicksort_pairs_workspace(40, 100000, type, &options, &large), CDP_OK);
  ck_assert_int_eq(cdp_quicksort_columns_workspace(columns, 2, 100000, type, &options, &both), CDP_OK);
  ck_assert_int_eq(cdp_argsort_workspace(100000, type, &options, &order), CDP_OK);
  ck_assert_uint_eq(both, large);
  ck_assert_uint_ge(large, (8 + 40) * 100000);
  ck_assert_uint_gt(large, small);
  ck_assert_uint_ge(order, small);
}
END_TEST

/* Once, for the workspace, by a blocking call and by one in stream order; and where there is none, nothing is touched. */
START_TEST(asks_an_allocator_once) {
  account kept = {0};
  cdp_options options = options_with_account(&kept);
  uint32_t keys[] = {4, 1, 3, 2};
  uint32_t values[] = {40, 10, 30, 20};
  uint32_t indices[4] = {9, 9, 9, 9};
  size_t bytes = 0;
  ck_assert_int_eq(cdp_argsort_workspace(4, CDP_U32, &options, &bytes), CDP_OK);
  ck_assert_int_eq(kept.allocations, 0);
  kept.is_empty = true;
  ck_assert_int_eq(cdp_quicksort_pairs(keys, values, 4, 4, CDP_U32, &options), CDP_ERROR_MEMORY);
  ck_assert_int_eq(cdp_argsort_on_stream(keys, NULL, indices, 4, 4, CDP_U32, &options, NULL), CDP_ERROR_MEMORY);
  ck_assert(kept.allocations == 2 && kept.releases == 0);
  ck_assert(keys[0] == 4 && keys[1] == 1 && values[0] == 40 && values[1] == 10 && indices[0] == 9 && indices[3] == 9);
  kept.is_empty = false;
  ck_assert_int_eq(cdp_argsort_on_stream(keys, NULL, indices, 4, 4, CDP_U32, &options, NULL), CDP_OK);
  ck_assert(kept.allocations == 3 && kept.releases == 1 && kept.bytes == bytes);
  ck_assert(indices[0] == 1 && indices[1] == 3 && indices[2] == 2 && indices[3] == 0 && keys[0] == 4);
  ck_assert_int_eq(cdp_quicksort_pairs(keys, values, 4, 4, CDP_U32, &options), CDP_OK);
  ck_assert(kept.allocations == 4 && kept.releases == 2);
  ck_assert(keys[0] == 1 && keys[3] == 4 && values[0] == 10 && values[1] == 20 && values[2] == 30 && values[3] == 40);
}
END_TEST

/* ---- Wrong arguments ------------------------------------------------------------------------------------------- */

/* The arrays of a call, in one piece of memory between guards, so that they may overlap. */
typedef struct given {
  host_guarded memory;
  unsigned char before[4096];
  cdp_options options;
  unsigned char *keys;
  unsigned char *sorted_keys;
  unsigned char *indices;
  unsigned char *workspace;
  size_t workspace_bytes;
  cdp_column columns[2];
} given;

static void give(given *all) {
  all->options = simulated_options();
  ck_assert(host_guarded_make(&all->memory, sizeof all->before, 0));
  host_fill(all->before, CDP_U32, sizeof all->before / 4, HOST_REVERSED, 0);
  memcpy(all->memory.bytes, all->before, sizeof all->before);
  all->keys = all->memory.bytes;
  all->sorted_keys = all->memory.bytes + 512;
  all->indices = all->memory.bytes + 1024;
  all->columns[0] = (cdp_column){all->memory.bytes + 1536, 8};
  all->columns[1] = (cdp_column){all->memory.bytes + 2048, 1};
  all->workspace = all->memory.bytes + 2560;
  all->workspace_bytes = SIZE_MAX / 4;
}

/* The call said what was wrong, and all is as it was. */
static void must_have_refused(const given *all, cdp_status status, cdp_status wanted, const char *said) {
  must_fail(wanted, status, said);
  ck_assert_mem_eq(all->memory.bytes, all->before, sizeof all->before);
  ck_assert(host_guarded_whole(&all->memory));
}

typedef struct wrong_call {
  const char *said;
  size_t count;
  size_t value_bytes;
  size_t shift; /* of the keys */
  cdp_status status;
  int type;
  bool without_keys;
  bool without_values;
} wrong_call;

static const wrong_call wrong_pairs[] = {
    {"type is 0", ITEMS, 8, 0, CDP_ERROR_TYPE, 0, false, false},
    {"type is 13", ITEMS, 8, 0, CDP_ERROR_TYPE, 13, false, false},
    {"value_bytes is 0", ITEMS, 0, 0, CDP_ERROR_SIZE, CDP_U32, false, false},
    {"value_bytes is 0", 0, 0, 0, CDP_ERROR_SIZE, CDP_U32, false, false},
    {"2^32 - 1", ITEMS, (size_t)UINT32_MAX + 1, 0, CDP_ERROR_SIZE, CDP_U32, false, false},
    {"2^32 - 1", 0, SIZE_MAX, 0, CDP_ERROR_SIZE, CDP_U32, false, false},
    {"cannot be addressed", (size_t)1 << 31, UINT32_MAX, 0, CDP_ERROR_SIZE, CDP_U32, false, false},
    {"CDP_PAIRS_COUNT_MAX", ((size_t)1 << 32) + 1, 1, 0, CDP_ERROR_SIZE, CDP_U8, false, false},
    {"keys is NULL", ITEMS, 8, 0, CDP_ERROR_NULL, CDP_U32, true, false},
    {"values is NULL", ITEMS, 8, 0, CDP_ERROR_NULL, CDP_U64, false, true},
    {"multiple of 2", ITEMS, 8, 1, CDP_ERROR_ALIGNMENT, CDP_BF16, false, false},
    {"multiple of 8", 1, 8, 4, CDP_ERROR_ALIGNMENT, CDP_F64, false, false},
    {"keys and values overlap", 256, 8, 0, CDP_ERROR_POINTER, CDP_U64, false, false},
};

START_TEST(refuses_wrong_pairs) {
  const wrong_call *row = &wrong_pairs[_i];
  given all;
  give(&all);
  void *keys = row->without_keys ? NULL : all.keys + row->shift;
  void *values = row->without_values ? NULL : all.columns[0].values;
  const cdp_type type = (cdp_type)row->type;
  must_have_refused(&all, cdp_quicksort_pairs(keys, values, row->value_bytes, row->count, type, &all.options), row->status,
                    row->said);
  must_have_refused(&all,
                    cdp_quicksort_pairs_async(keys, values, row->value_bytes, row->count, type, &all.options, all.workspace,
                                              all.workspace_bytes, NULL),
                    row->status, row->said);
  must_have_refused(&all, cdp_quicksort_pairs_on_stream(keys, values, row->value_bytes, row->count, type, &all.options, NULL),
                    row->status, row->said);
  host_guarded_free(&all.memory);
}
END_TEST

START_TEST(refuses_wrong_columns) {
  given all;
  give(&all);
  cdp_column columns[CDP_COLUMNS_MAX + 1];
  for (size_t column = 0; column <= CDP_COLUMNS_MAX; column++)
    columns[column] = (cdp_column){all.memory.bytes + 1024 + 2 * column * ITEMS, 1};
  must_have_refused(&all, cdp_quicksort_columns(all.keys, columns, CDP_COLUMNS_MAX + 1, ITEMS, CDP_U32, &all.options),
                    CDP_ERROR_SIZE, "column_count is 17");
  must_have_refused(&all, cdp_quicksort_columns(all.keys, NULL, 1, ITEMS, CDP_U32, &all.options), CDP_ERROR_NULL,
                    "columns is NULL");
  columns[3].value_bytes = 0;
  must_have_refused(&all, cdp_quicksort_columns(all.keys, columns, 4, ITEMS, CDP_U32, &all.options), CDP_ERROR_SIZE,
                    "columns[3].value_bytes is 0");
  columns[3] = (cdp_column){NULL, 4};
  must_have_refused(&all, cdp_quicksort_columns(all.keys, columns, 4, ITEMS, CDP_U32, &all.options), CDP_ERROR_NULL,
                    "columns[3].values is NULL");
  columns[3] = (cdp_column){(unsigned char *)columns[1].values + ITEMS - 1, 1};
  must_have_refused(&all, cdp_quicksort_columns(all.keys, columns, 4, ITEMS, CDP_U32, &all.options), CDP_ERROR_POINTER,
                    "columns[1].values and columns[3].values overlap");
  host_guarded_free(&all.memory);
}
END_TEST

START_TEST(refuses_a_wrong_argsort) {
  given all;
  give(&all);
  const cdp_options *options = &all.options;
  must_have_refused(&all, cdp_argsort(all.keys, NULL, all.indices, 2, ITEMS, CDP_U32, options), CDP_ERROR_SIZE,
                    "index_bytes is 2");
  must_have_refused(&all, cdp_argsort(all.keys, NULL, NULL, 4, ITEMS, CDP_U32, options), CDP_ERROR_NULL, "indices is NULL");
  must_have_refused(&all, cdp_argsort(all.keys, NULL, all.indices + 4, 8, ITEMS, CDP_U32, options), CDP_ERROR_ALIGNMENT,
                    "indices is");
  must_have_refused(&all, cdp_argsort(all.keys, all.sorted_keys + 2, all.indices, 4, ITEMS, CDP_U32, options),
                    CDP_ERROR_ALIGNMENT, "sorted_keys is");
  must_have_refused(&all, cdp_argsort(all.keys, all.keys + 4, all.indices, 4, ITEMS, CDP_U32, options), CDP_ERROR_POINTER,
                    "keys and sorted_keys overlap");
  must_have_refused(&all, cdp_argsort(all.keys, NULL, all.keys + 8, 8, ITEMS, CDP_U32, options), CDP_ERROR_POINTER,
                    "keys and indices overlap");
  must_have_refused(&all, cdp_argsort(NULL, NULL, all.indices, 4, ITEMS, CDP_U32, options), CDP_ERROR_NULL, "keys is NULL");
  host_guarded_free(&all.memory);
}
END_TEST

/* What a caller who is told the size may still get wrong. */
START_TEST(refuses_a_wrong_workspace) {
  given all;
  give(&all);
  void *values = all.columns[0].values;
  size_t bytes = 0;
  ck_assert_int_eq(cdp_quicksort_pairs_workspace(8, ITEMS, CDP_U32, &all.options, &bytes), CDP_OK);
  must_have_refused(
      &all, cdp_quicksort_pairs_async(all.keys, values, 8, ITEMS, CDP_U32, &all.options, all.workspace, bytes - 1, NULL),
      CDP_ERROR_WORKSPACE, "cdp_quicksort_pairs_workspace()");
  must_have_refused(&all,
                    cdp_quicksort_pairs_async(all.keys, values, 8, ITEMS, CDP_U32, &all.options, all.memory.bytes, bytes, NULL),
                    CDP_ERROR_WORKSPACE, "overlaps keys");
  must_have_refused(
      &all, cdp_quicksort_pairs_async(all.keys, values, 8, ITEMS, CDP_U32, &all.options, all.memory.bytes + 1, bytes, NULL),
      CDP_ERROR_ALIGNMENT, "d_workspace is");
  must_have_refused(&all, cdp_argsort_async(all.keys, NULL, all.indices, 4, ITEMS, CDP_U32, &all.options, NULL, bytes, NULL),
                    CDP_ERROR_NULL, "cdp_argsort_workspace()");
  must_have_refused(&all, cdp_quicksort_pairs_on_stream(all.keys, values, 8, ITEMS, CDP_U32, &all.options, all.memory.bytes),
                    CDP_ERROR_POINTER, "stream is not NULL");
  must_have_refused(&all, cdp_quicksort_pairs_workspace(8, ITEMS, CDP_U32, &all.options, NULL), CDP_ERROR_NULL,
                    "workspace_bytes is NULL");
  host_guarded_free(&all.memory);
}
END_TEST

/* Options are those of items of 8 bytes; and calls that sort keys alone cannot join keys. */
START_TEST(refuses_options_that_mean_nothing) {
  given all;
  give(&all);
  all.options.leaf_items = CDP_LEAF_MAX_8_BYTES + 1;
  must_have_refused(&all, cdp_quicksort_pairs(all.keys, all.columns[0].values, 8, ITEMS, CDP_U32, &all.options),
                    CDP_ERROR_OPTION, "options.leaf_items");
  all.options.leaf_items = 0;
  all.options.ties = CDP_TIES_BY_VALUE;
  for (int type = CDP_U32; type <= CDP_BF16; type++) {
    const bool floating = type == CDP_F32 || type == CDP_F64 || type == CDP_F16 || type == CDP_BF16;
    const cdp_status status = cdp_quicksort(all.keys, ITEMS, (cdp_type)type, &all.options);
    if (floating)
      must_have_refused(&all, status, CDP_ERROR_OPTION, "cdp_quicksort_columns()");
    else
      ck_assert_int_eq(status, CDP_OK);
    memcpy(all.memory.bytes, all.before, sizeof all.before);
  }
  host_guarded_free(&all.memory);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("pairs_calls");
  TCase *arguments = tcase_create("arguments");
  tcase_set_timeout(arguments, TEST_SECONDS);
  tcase_add_test(arguments, needs_nothing_for_no_key);
  tcase_add_loop_test(arguments, leaves_one_pair_and_finds_one_order, 0, CDP_BF16);
  tcase_add_test(arguments, needs_no_device_for_one_pair);
  tcase_add_loop_test(arguments, asks_for_the_workspace_that_it_says, 0, 2);
  tcase_add_test(arguments, asks_an_allocator_once);
  tcase_add_loop_test(arguments, refuses_wrong_pairs, 0, (int)(sizeof wrong_pairs / sizeof *wrong_pairs));
  tcase_add_test(arguments, refuses_wrong_columns);
  tcase_add_test(arguments, refuses_a_wrong_argsort);
  tcase_add_test(arguments, refuses_a_wrong_workspace);
  tcase_add_test(arguments, refuses_options_that_mean_nothing);
  suite_add_tcase(suite, arguments);
  return run_suite(suite);
}
