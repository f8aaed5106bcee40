/* SPDX-License-Identifier: MIT */
/*
 * The calls of buckets.h as calls: the manual's example, little to do, the workspace, an allocator, and wrong arguments, which touch
 * nothing. What they make of arrays is test_buckets.cpp's.
 */
#include "call_check.h"
#include "host_data.h"
#include "run_suite.h"

#include <cdpsort/buckets.h>

#include <string.h>

#define ITEMS 64u

/* ---- Little to do ---------------------------------------------------------------------------------------------- */

START_TEST(does_what_the_manual_says) {
  const cdp_options options = simulated_options();
  uint32_t keys[] = {30, 10, 25, 99, 12};
  double values[] = {3.0, 1.0, 2.5, 9.9, 1.2};
  const uint32_t splitters[] = {12, 30};
  uint64_t begins[4];
  const cdp_column columns[] = {{values, sizeof *values}};
  static const uint32_t divided_keys[] = {10, 25, 12, 30, 99};
  static const double divided_values[] = {1.0, 2.5, 1.2, 3.0, 9.9};
  static const uint64_t where[] = {0, 1, 3, 5};
  ck_assert_int_eq(cdp_divide(keys, columns, 1, 5, CDP_U32, &options, splitters, 2, begins), CDP_OK);
  ck_assert_mem_eq(keys, divided_keys, sizeof keys);
  ck_assert_mem_eq(values, divided_values, sizeof values);
  ck_assert_mem_eq(begins, where, sizeof begins);
  ck_assert_str_ne(cdp_last_device(), "");
}
END_TEST

/* All buckets of no key are empty; neither keys nor columns are looked at. In every form. */
START_TEST(tells_where_no_key_is) {
  const cdp_options options = simulated_options();
  const uint16_t splitters[] = {3, 9};
  const cdp_column column = {NULL, 24};
  uint64_t begins[5];
  size_t bytes = 0;
  ck_assert_int_eq(cdp_divide_workspace(&column, 1, 0, CDP_U16, &options, 2, &bytes), CDP_OK);
  ck_assert(bytes > 0 && bytes <= 4096);
  void *workspace = aligned_alloc(CDP_WORKSPACE_ALIGNMENT, bytes);
  for (int form = 0; form < 3; form++) {
    memset(begins, 0x5A, sizeof begins);
    const cdp_status status =
        form == 0   ? cdp_divide(NULL, &column, 1, 0, CDP_U16, &options, splitters, 2, begins)
        : form == 1 ? cdp_divide_async(NULL, &column, 1, 0, CDP_U16, &options, splitters, 2, begins, workspace, bytes, NULL)
                    : cdp_divide_on_stream(NULL, &column, 1, 0, CDP_U16, &options, splitters, 2, begins, NULL);
    ck_assert_int_eq(status, CDP_OK);
    ck_assert(begins[0] == 0 && begins[1] == 0 && begins[2] == 0 && begins[3] == 0);
    ck_assert_uint_eq(begins[4], 0x5A5A5A5A5A5A5A5Au);
  }
  free(workspace);
}
END_TEST

/* _i: the type. */
START_TEST(makes_one_bucket_without_splitters) {
  const cdp_options options = simulated_options();
  const cdp_type type = (cdp_type)(CDP_U32 + _i);
  uint64_t keys[] = {0x8123456789ABCDEFu, 0x0123456789ABCDEFu};
  uint64_t begins[2] = {7, 7};
  for (size_t count = 0; count <= 2; count++) {
    ck_assert_int_eq(cdp_divide(keys, NULL, 0, count, type, &options, NULL, 0, begins), CDP_OK);
    ck_assert(begins[0] == 0 && begins[1] == count);
    ck_assert(keys[0] == 0x8123456789ABCDEFu && keys[1] == 0x0123456789ABCDEFu);
  }
}
END_TEST

/* ---- Workspace ------------------------------------------------------------------------------------------------- */

/* What the header says of it, and that what is gathered is there once, for the largest. _i: 1-byte to 8-byte keys. */
START_TEST(asks_for_the_workspace_that_it_says) {
  static const cdp_type types[] = {CDP_I8, CDP_F16, CDP_F32, CDP_U64};
  static const size_t counts[] = {0, 1, 1000, 4097, 1000003, 1u << 23, (1u << 23) + 1, (size_t)1 << 31, (size_t)1 << 32};
  static const size_t splitter_counts[] = {0, 1, 255, 1023};
  const cdp_options options = simulated_options();
  const size_t key_bytes = host_key_bytes(types[_i]);
  cdp_column columns[4] = {{NULL, 4}, {NULL, 40}, {NULL, 1}, {NULL, 3}};
  for (size_t which = 0; which < sizeof counts / sizeof *counts; which++)
    for (size_t many = 0; many < sizeof splitter_counts / sizeof *splitter_counts; many++) {
      const size_t count = counts[which];
      const size_t found_bytes = splitter_counts[many] < 256 ? 1 : 2;
      size_t alone = 0, moved = 0, all = 0;
      ck_assert_int_eq(cdp_divide_workspace(NULL, 0, count, types[_i], &options, splitter_counts[many], &alone), CDP_OK);
      ck_assert_int_eq(cdp_divide_workspace(columns, 1, count, types[_i], &options, splitter_counts[many], &moved), CDP_OK);
      ck_assert_int_eq(cdp_divide_workspace(columns, 4, count, types[_i], &options, splitter_counts[many], &all), CDP_OK);
      ck_assert_uint_gt(alone, (key_bytes + found_bytes) * count);
      ck_assert_uint_le(alone, (key_bytes + found_bytes) * count + 8200 * (splitter_counts[many] + 1) + 7168);
      ck_assert(moved >= alone + 4 * count && moved <= alone + 4 * count + CDP_WORKSPACE_ALIGNMENT);
      ck_assert(all >= alone + (4 + 1 + 4 + 40) * count && all <= alone + (4 + 1 + 4 + 40) * count + 4 * 256);
      ck_assert_uint_eq(all % CDP_WORKSPACE_ALIGNMENT, 0);
    }
}
END_TEST

/* Once, for the workspace, also without a key; and where there is none, nothing is touched. */
START_TEST(asks_an_allocator_once) {
  account kept = {0};
  cdp_options options = options_with_account(&kept);
  options.order = CDP_DESCENDING;
  int32_t keys[] = {-4, 1, 3, 2};
  const int32_t splitters[] = {1};
  uint64_t begins[3] = {9, 9, 9};
  size_t bytes = 0;
  ck_assert_int_eq(cdp_divide_workspace(NULL, 0, 4, CDP_I32, &options, 1, &bytes), CDP_OK);
  ck_assert_int_eq(kept.allocations, 0);
  kept.is_empty = true;
  ck_assert_int_eq(cdp_divide(keys, NULL, 0, 4, CDP_I32, &options, splitters, 1, begins), CDP_ERROR_MEMORY);
  ck_assert_int_eq(cdp_divide_on_stream(keys, NULL, 0, 4, CDP_I32, &options, splitters, 1, begins, NULL), CDP_ERROR_MEMORY);
  ck_assert(kept.allocations == 2 && kept.releases == 0);
  ck_assert(keys[0] == -4 && keys[3] == 2 && begins[0] == 9 && begins[2] == 9);
  kept.is_empty = false;
  ck_assert_int_eq(cdp_divide_on_stream(keys, NULL, 0, 4, CDP_I32, &options, splitters, 1, begins, NULL), CDP_OK);
  ck_assert(kept.allocations == 3 && kept.releases == 1 && kept.bytes == bytes);
  ck_assert(keys[0] == 3 && keys[1] == 2 && keys[2] == -4 && keys[3] == 1);
  ck_assert(begins[0] == 0 && begins[1] == 2 && begins[2] == 4);
  ck_assert_int_eq(cdp_divide(NULL, NULL, 0, 0, CDP_I32, &options, splitters, 1, begins), CDP_OK);
  ck_assert(kept.allocations == 4 && kept.releases == 2 && begins[1] == 0 && begins[2] == 0);
}
END_TEST

/* ---- Wrong arguments ------------------------------------------------------------------------------------------- */

/* The arrays of a call, in one piece of memory between guards, so that they may overlap. */
typedef struct given {
  host_guarded memory;
  unsigned char before[8192];
  cdp_options options;
  unsigned char *keys;
  unsigned char *splitters; /* 4 of 8 bytes, in order whatever the type */
  uint64_t *begins;
  unsigned char *workspace;
  cdp_column column;
} given;

static void give(given *all) {
  all->options = simulated_options();
  ck_assert(host_guarded_make(&all->memory, sizeof all->before, 0));
  host_fill(all->before, CDP_U32, sizeof all->before / 4, HOST_REVERSED, 0);
  memset(all->before + 512, 0, 32);
  memcpy(all->memory.bytes, all->before, sizeof all->before);
  all->keys = all->memory.bytes;
  all->splitters = all->memory.bytes + 512;
  all->begins = (uint64_t *)(void *)(all->memory.bytes + 1024);
  all->column = (cdp_column){all->memory.bytes + 1536, 8};
  all->workspace = all->memory.bytes + 2560;
}

/* The call said what was wrong, and all is as it was. */
static void must_have_refused(const given *all, cdp_status status, cdp_status wanted, const char *said) {
  must_fail(wanted, status, said);
  ck_assert_mem_eq(all->memory.bytes, all->before, sizeof all->before);
  ck_assert(host_guarded_whole(&all->memory));
}

/* Bytes past where things are, or NOWHERE. */
#define NOWHERE ((size_t)-1)

typedef struct wrong_call {
  const char *said;
  size_t count;
  size_t splitter_count;
  size_t keys_shift;
  size_t splitters_shift;
  size_t begins_shift;
  size_t values_shift;
  size_t value_bytes;
  cdp_status status;
  int type;
} wrong_call;

static const wrong_call wrong_calls[] = {
    {"type is 0", ITEMS, 2, 0, 0, 0, 0, 8, CDP_ERROR_TYPE, 0},
    {"type is 13", ITEMS, 2, 0, 0, 0, 0, 8, CDP_ERROR_TYPE, 13},
    {"splitter_count is 1024", ITEMS, 1024, 0, 0, 0, 0, 8, CDP_ERROR_SIZE, CDP_U8},
    {"splitter_count is 1844", ITEMS, SIZE_MAX, 0, 0, 0, 0, 8, CDP_ERROR_SIZE, CDP_U64},
    {"splitter_count is 1024", 0, 1024, 0, 0, 0, 0, 8, CDP_ERROR_SIZE, CDP_U64},
    {"CDP_PAIRS_COUNT_MAX", ((size_t)1 << 32) + 1, 2, 0, 0, 0, 0, 1, CDP_ERROR_SIZE, CDP_U8},
    {"columns[0].value_bytes is 0", ITEMS, 2, 0, 0, 0, 0, 0, CDP_ERROR_SIZE, CDP_U32},
    {"cannot be addressed", (size_t)1 << 31, 2, 0, 0, 0, 0, UINT32_MAX, CDP_ERROR_SIZE, CDP_U32},
    {"keys is NULL", ITEMS, 2, NOWHERE, 0, 0, 0, 8, CDP_ERROR_NULL, CDP_U32},
    {"keys is NULL", 1, 0, NOWHERE, 0, 0, 0, 8, CDP_ERROR_NULL, CDP_U32},
    {"splitters is NULL", ITEMS, 2, 0, NOWHERE, 0, 0, 8, CDP_ERROR_NULL, CDP_U32},
    {"splitters is NULL", 0, 2, NOWHERE, NOWHERE, 0, 0, 8, CDP_ERROR_NULL, CDP_U32},
    {"begins is NULL", ITEMS, 2, 0, 0, NOWHERE, 0, 8, CDP_ERROR_NULL, CDP_U32},
    {"begins is NULL", 0, 0, NOWHERE, NOWHERE, NOWHERE, 0, 8, CDP_ERROR_NULL, CDP_U32},
    {"columns[0].values is NULL", ITEMS, 2, 0, 0, 0, NOWHERE, 8, CDP_ERROR_NULL, CDP_U32},
    {"multiple of 2", ITEMS, 2, 1, 0, 0, 0, 8, CDP_ERROR_ALIGNMENT, CDP_BF16},
    {"splitters is", ITEMS, 2, 0, 4, 0, 0, 8, CDP_ERROR_ALIGNMENT, CDP_F64},
    {"begins is", ITEMS, 2, 0, 0, 4, 0, 8, CDP_ERROR_ALIGNMENT, CDP_U8},
    {"keys and splitters overlap", ITEMS + 1, 2, 0, 0, 0, 0, 8, CDP_ERROR_POINTER, CDP_U64},
    {"begins and splitters overlap", ITEMS, 2, 0, 512 + 16, 0, 0, 8, CDP_ERROR_POINTER, CDP_U32},
    {"keys and begins overlap", 2 * ITEMS, 2, 768, 0, 0, 1024, 8, CDP_ERROR_POINTER, CDP_U64},
    {"columns[0].values and begins overlap", ITEMS, 64, 0, 0, 0, 0, 8, CDP_ERROR_POINTER, CDP_U8},
    {"keys and columns[0].values overlap", ITEMS, 2, 1536 + 8 * ITEMS - 1, 0, 0, 0, 8, CDP_ERROR_POINTER, CDP_U8},
    {"columns[0].values and splitters overlap", ITEMS, 2, 0, 1024, 256, 0, 8, CDP_ERROR_POINTER, CDP_U32},
};

static void *shifted(void *memory, size_t shift) {
  return shift == NOWHERE ? NULL : (unsigned char *)memory + shift;
}

START_TEST(refuses_wrong_arguments) {
  const wrong_call *row = &wrong_calls[_i];
  given all;
  give(&all);
  void *keys = shifted(all.keys, row->keys_shift);
  const void *splitters = shifted(all.splitters, row->splitters_shift);
  uint64_t *begins = shifted(all.begins, row->begins_shift);
  const cdp_column column = {shifted(all.column.values, row->values_shift), row->value_bytes};
  const cdp_type type = (cdp_type)row->type;
  must_have_refused(&all, cdp_divide(keys, &column, 1, row->count, type, &all.options, splitters, row->splitter_count, begins),
                    row->status, row->said);
  must_have_refused(&all,
                    cdp_divide_async(keys, &column, 1, row->count, type, &all.options, splitters, row->splitter_count, begins,
                                     all.workspace, SIZE_MAX / 4, NULL),
                    row->status, row->said);
  must_have_refused(
      &all,
      cdp_divide_on_stream(keys, &column, 1, row->count, type, &all.options, splitters, row->splitter_count, begins, NULL),
      row->status, row->said);
  host_guarded_free(&all.memory);
}
END_TEST

START_TEST(refuses_wrong_columns) {
  given all;
  give(&all);
  cdp_column columns[CDP_COLUMNS_MAX + 1];
  size_t bytes = 7;
  for (size_t column = 0; column <= CDP_COLUMNS_MAX; column++)
    columns[column] = (cdp_column){all.memory.bytes + 2048 + column * ITEMS, 1};
  must_have_refused(
      &all, cdp_divide(all.keys, columns, CDP_COLUMNS_MAX + 1, ITEMS, CDP_U32, &all.options, all.splitters, 4, all.begins),
      CDP_ERROR_SIZE, "column_count is 17");
  must_have_refused(&all, cdp_divide(all.keys, NULL, 1, ITEMS, CDP_U32, &all.options, all.splitters, 4, all.begins),
                    CDP_ERROR_NULL, "columns is NULL");
  must_have_refused(&all, cdp_divide_workspace(NULL, 1, ITEMS, CDP_U32, &all.options, 4, &bytes), CDP_ERROR_NULL,
                    "columns is NULL");
  must_have_refused(&all, cdp_divide_workspace(NULL, 0, ITEMS, CDP_U32, &all.options, 1024, &bytes), CDP_ERROR_SIZE,
                    "splitter_count is 1024");
  must_have_refused(&all, cdp_divide_workspace(NULL, 0, ITEMS, CDP_U32, &all.options, 4, NULL), CDP_ERROR_NULL,
                    "workspace_bytes is NULL");
  ck_assert_uint_eq(bytes, 7);
  columns[3] = (cdp_column){(unsigned char *)columns[1].values + ITEMS - 1, 1};
  must_have_refused(&all, cdp_divide(all.keys, columns, 4, ITEMS, CDP_U8, &all.options, all.splitters, 4, all.begins),
                    CDP_ERROR_POINTER, "columns[1].values and columns[3].values overlap");
  host_guarded_free(&all.memory);
}
END_TEST

START_TEST(refuses_a_wrong_workspace) {
  given all;
  give(&all);
  size_t bytes = 0;
  const cdp_options *options = &all.options;
  all.splitters = all.memory.bytes + 5120; // what is behind begins is far away
  all.column.values = all.memory.bytes + 6656;
  ck_assert_int_eq(cdp_divide_workspace(&all.column, 1, ITEMS, CDP_U32, options, 4, &bytes), CDP_OK);
#define DIVIDE(workspace, size, stream)                                                                                        \
  cdp_divide_async(all.keys, &all.column, 1, ITEMS, CDP_U32, options, all.splitters, 4, all.begins, workspace, size, stream)
  must_have_refused(&all, DIVIDE(all.workspace, bytes - 1, NULL), CDP_ERROR_WORKSPACE, "cdp_divide_workspace()");
  must_have_refused(&all, DIVIDE(all.keys, bytes, NULL), CDP_ERROR_WORKSPACE, "overlaps keys");
  must_have_refused(&all, DIVIDE(all.splitters, bytes, NULL), CDP_ERROR_WORKSPACE, "overlaps splitters");
  must_have_refused(&all, DIVIDE(all.begins, bytes, NULL), CDP_ERROR_WORKSPACE, "overlaps begins");
  must_have_refused(&all, DIVIDE(all.workspace + 1, bytes, NULL), CDP_ERROR_ALIGNMENT, "d_workspace is");
  must_have_refused(&all, DIVIDE(NULL, bytes, NULL), CDP_ERROR_NULL, "cdp_divide_workspace()");
  must_have_refused(&all, DIVIDE(all.workspace, bytes, all.keys), CDP_ERROR_POINTER, "stream is not NULL");
#undef DIVIDE
  host_guarded_free(&all.memory);
}
END_TEST

/* In host memory, by the blocking call; equal ones are in order. Joined by value, zeros are equal. */
START_TEST(refuses_splitters_in_no_order) {
  given all;
  give(&all);
  const float floats[] = {-1.0f, 0.0f, -0.0f, 7.0f};
  const uint8_t bytes[] = {200, 200, 100, 101};
  int64_t falling[CDP_SPLITTERS_MAX];
  uint64_t begins[CDP_SPLITTERS_MAX + 2];
  for (int index = 0; index < CDP_SPLITTERS_MAX; index++)
    falling[index] = 500 - index;
  must_have_refused(&all, cdp_divide(all.keys, NULL, 0, ITEMS, CDP_F32, &all.options, floats, 4, all.begins), CDP_ERROR_ORDER,
                    "splitters[2] comes before splitters[1]");
  must_have_refused(&all, cdp_divide(all.keys, NULL, 0, ITEMS, CDP_U8, &all.options, bytes, 4, all.begins), CDP_ERROR_ORDER,
                    "splitters[2] comes before splitters[1]");
  must_have_refused(&all, cdp_divide(NULL, NULL, 0, 0, CDP_U8, &all.options, bytes, 4, all.begins), CDP_ERROR_ORDER,
                    "splitters[2]");
  must_have_refused(&all, cdp_divide(all.keys, NULL, 0, ITEMS, CDP_I64, &all.options, falling, 2, all.begins), CDP_ERROR_ORDER,
                    "splitters[1] comes before splitters[0]");
  all.options.order = CDP_DESCENDING;
  must_have_refused(&all, cdp_divide(all.keys, NULL, 0, ITEMS, CDP_U8, &all.options, bytes, 4, all.begins), CDP_ERROR_ORDER,
                    "splitters[3] comes before splitters[2]");
  falling[CDP_SPLITTERS_MAX - 1] = 0;
  must_have_refused(&all,
                    cdp_divide(all.keys, NULL, 0, 32, CDP_I64, &all.options, falling, CDP_SPLITTERS_MAX, all.begins + 512),
                    CDP_ERROR_ORDER, "splitters[1022] comes before splitters[1021]");
  ck_assert_int_eq(cdp_divide(all.keys, NULL, 0, 32, CDP_I64, &all.options, falling, CDP_SPLITTERS_MAX - 1, begins), CDP_OK);
  all.options.order = CDP_ASCENDING;
  all.options.ties = CDP_TIES_BY_VALUE;
  ck_assert_int_eq(cdp_divide(all.keys, NULL, 0, ITEMS, CDP_F32, &all.options, floats, 4, begins), CDP_OK);
  host_guarded_free(&all.memory);
}
END_TEST

/* Options are checked as for items of 8 bytes. */
START_TEST(refuses_options_that_mean_nothing) {
  given all;
  give(&all);
  all.options.leaf_items = CDP_LEAF_MAX_8_BYTES + 1;
  must_have_refused(&all, cdp_divide(all.keys, NULL, 0, ITEMS, CDP_U32, &all.options, all.splitters, 4, all.begins),
                    CDP_ERROR_OPTION, "options.leaf_items");
  all.options.leaf_items = 0;
  all.options.device = CDP_DEVICE_CUDA(1000);
  must_have_refused(&all, cdp_divide(NULL, NULL, 0, 0, CDP_U32, &all.options, all.splitters, 4, all.begins),
                    CDP_ERROR_NO_DEVICE, "");
  host_guarded_free(&all.memory);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("buckets_calls");
  TCase *tests = tcase_create("calls");
  tcase_set_timeout(tests, TEST_SECONDS);
  tcase_add_test(tests, does_what_the_manual_says);
  tcase_add_test(tests, tells_where_no_key_is);
  tcase_add_loop_test(tests, makes_one_bucket_without_splitters, 0, CDP_BF16);
  tcase_add_loop_test(tests, asks_for_the_workspace_that_it_says, 0, 4);
  tcase_add_test(tests, asks_an_allocator_once);
  tcase_add_loop_test(tests, refuses_wrong_arguments, 0, (int)(sizeof wrong_calls / sizeof *wrong_calls));
  tcase_add_test(tests, refuses_wrong_columns);
  tcase_add_test(tests, refuses_a_wrong_workspace);
  tcase_add_test(tests, refuses_splitters_in_no_order);
  tcase_add_test(tests, refuses_options_that_mean_nothing);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
