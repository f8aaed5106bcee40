/* SPDX-License-Identifier: MIT */
/*
 * The calls of records.h as calls: little to do, and wrong arguments, which touch nothing. What they make of records is
 * test_records.cpp's.
 */
#include "call_check.h"
#include "host_data.h"
#include "run_suite.h"

#include <cdpsort/records.h>

#include <string.h>

#define ITEMS 64u

typedef struct record {
  uint64_t first;
  float second;
  uint8_t third;
} record;

static const cdp_field by_all[] = {{offsetof(record, first), CDP_U64, CDP_ASCENDING},
                                   {offsetof(record, second), CDP_F32, CDP_DESCENDING},
                                   {offsetof(record, third), CDP_U8, CDP_ASCENDING}};
static record records[ITEMS];
static uint32_t indices[ITEMS];
static uint64_t keys[ITEMS];

static void fill(void) {
  uint64_t seed = 1;
  memset(records, 0, sizeof records);
  for (size_t index = 0; index < ITEMS; index++) {
    records[index].first = host_random_below(&seed, 5);
    records[index].second = (float)host_random_below(&seed, 7);
    records[index].third = (uint8_t)index;
    keys[index] = host_random(&seed);
    indices[index] = 4711;
  }
}

/* ---- Little to do ---------------------------------------------------------------------------------------------- */

START_TEST(needs_nothing_for_no_record) {
  const cdp_key_column column = {NULL, CDP_U32, CDP_ASCENDING};
  size_t bytes = 7;
  ck_assert_int_eq(cdp_sort_records(NULL, 0, sizeof(record), by_all, 3, NULL), CDP_OK);
  ck_assert_int_eq(cdp_sort_records_async(NULL, 0, sizeof(record), by_all, 3, NULL, NULL, 0, NULL), CDP_OK);
  ck_assert_int_eq(cdp_sort_records_on_stream(NULL, 0, sizeof(record), by_all, 3, NULL, NULL), CDP_OK);
  ck_assert_int_eq(cdp_argsort_columns(&column, 1, NULL, 4, 0, NULL), CDP_OK);
  ck_assert_int_eq(cdp_argsort_columns_async(&column, 1, NULL, 8, 0, NULL, NULL, 0, NULL), CDP_OK);
  ck_assert_int_eq(cdp_argsort_columns_on_stream(&column, 1, NULL, 4, 0, NULL, NULL), CDP_OK);
  ck_assert_int_eq(cdp_sort_records_workspace(0, sizeof(record), by_all, 3, NULL, &bytes), CDP_OK);
  ck_assert_uint_eq(bytes, 0);
  bytes = 7;
  ck_assert_int_eq(cdp_argsort_columns_workspace(&column, 1, 0, NULL, &bytes), CDP_OK);
  ck_assert_uint_eq(bytes, 0);
}
END_TEST

/* Of a device that there is not: one record needs none, and one index does. */
START_TEST(needs_no_device_for_one_record) {
  cdp_options options = CDP_OPTIONS_INIT;
  const cdp_key_column column = {keys, CDP_U64, CDP_ASCENDING};
  size_t bytes = 7;
  fill();
  options.device = CDP_DEVICE_CUDA(1000);
  ck_assert_int_eq(cdp_sort_records(records, 1, sizeof(record), by_all, 3, &options), CDP_OK);
  ck_assert_int_eq(cdp_sort_records_async(records, 1, sizeof(record), by_all, 3, &options, NULL, 0, NULL), CDP_OK);
  ck_assert_int_eq(cdp_sort_records_workspace(1, sizeof(record), by_all, 3, &options, &bytes), CDP_OK);
  ck_assert_uint_eq(bytes, 0);
  ck_assert_int_eq(cdp_argsort_columns(&column, 1, indices, 4, 1, &options), CDP_ERROR_NO_DEVICE);
  ck_assert_uint_eq(indices[0], 4711);
  options.device = CDP_DEVICE_SIMULATED;
  ck_assert_int_eq(cdp_argsort_columns(&column, 1, indices, 4, 1, &options), CDP_OK);
  ck_assert_uint_eq(indices[0], 0);
}
END_TEST

/* As records.h reckons it, beside that of an argsort; and of records that are larger, theirs. */
START_TEST(asks_for_the_workspace_that_it_says) {
  const cdp_options options = simulated_options();
  const cdp_field wide = {0, CDP_U64, CDP_ASCENDING};
  const cdp_field narrow = {0, CDP_F32, CDP_ASCENDING};
  const size_t count = 100000, slack = (size_t)5 * CDP_WORKSPACE_ALIGNMENT;
  size_t by_wide = 0, by_narrow = 0, by_two = 0, large = 0, sort_wide = 0, sort_narrow = 0;
  ck_assert_int_eq(cdp_argsort_workspace(count, CDP_U64, &options, &sort_wide), CDP_OK);
  ck_assert_int_eq(cdp_argsort_workspace(count, CDP_U32, &options, &sort_narrow), CDP_OK);
  ck_assert_int_eq(cdp_sort_records_workspace(count, 16, &wide, 1, &options, &by_wide), CDP_OK);
  ck_assert_int_eq(cdp_sort_records_workspace(count, 16, &narrow, 1, &options, &by_narrow), CDP_OK);
  ck_assert_int_eq(cdp_sort_records_workspace(count, sizeof(record), by_all, 3, &options, &by_two), CDP_OK);
  ck_assert_int_eq(cdp_sort_records_workspace(count, 400, &narrow, 1, &options, &large), CDP_OK);
  ck_assert(by_wide >= sort_wide + 12 * count && by_wide <= sort_wide + 12 * count + slack);
  ck_assert(by_narrow >= sort_narrow + 8 * count && by_narrow <= sort_narrow + 8 * count + slack);
  ck_assert(by_two >= sort_wide + 16 * count && by_two <= sort_wide + 16 * count + slack);
  ck_assert(large >= 404 * count && large <= 404 * count + slack);
  size_t as_keys = 0, as_narrow_keys = 0, keys_wide = 0, keys_narrow = 0;
  ck_assert_int_eq(cdp_quicksort_workspace(count, CDP_U64, &options, &keys_wide), CDP_OK);
  ck_assert_int_eq(cdp_quicksort_workspace(count, CDP_U32, &options, &keys_narrow), CDP_OK);
  ck_assert_int_eq(cdp_sort_records_workspace(count, 8, &wide, 1, &options, &as_keys), CDP_OK);
  ck_assert_int_eq(cdp_sort_records_workspace(count, 4, &narrow, 1, &options, &as_narrow_keys), CDP_OK);
  ck_assert(as_keys >= keys_wide + 8 * count && as_keys <= keys_wide + 8 * count + slack);
  ck_assert(as_narrow_keys >= keys_narrow + 4 * count && as_narrow_keys <= keys_narrow + 4 * count + slack);
}
END_TEST

/* ---- Wrong arguments ------------------------------------------------------------------------------------------- */

static cdp_status by_field(size_t offset, int type, int order, size_t record_bytes) {
  const cdp_options options = simulated_options();
  const cdp_field field = {offset, (cdp_type)type, (cdp_order)order};
  return cdp_sort_records(records, ITEMS, record_bytes, &field, 1, &options);
}

static cdp_status by_column(const void *column_keys, int type, int order, void *into, size_t index_bytes) {
  const cdp_options options = simulated_options();
  const cdp_key_column column = {column_keys, (cdp_type)type, (cdp_order)order};
  return cdp_argsort_columns(&column, 1, into, index_bytes, ITEMS, &options);
}

START_TEST(refuses_wrong_arguments) {
  record before[ITEMS];
  cdp_options options = simulated_options();
  cdp_field many[CDP_FIELDS_MAX + 1];
  size_t bytes = 7;
  fill();
  memcpy(before, records, sizeof before);
  for (size_t index = 0; index <= CDP_FIELDS_MAX; index++)
    many[index] = by_all[0];

  must_fail(CDP_ERROR_SIZE, by_field(sizeof(record) - 7, CDP_U64, 0, sizeof(record)), "fields[0] has 8 bytes");
  must_fail(CDP_ERROR_SIZE, by_field(SIZE_MAX, CDP_U8, 0, sizeof(record)), "within the record");
  must_fail(CDP_ERROR_SIZE, by_field(0, CDP_U64, 0, 4), "record_bytes is 4");
  must_fail(CDP_ERROR_SIZE, by_field(0, CDP_U8, 0, 0), "record_bytes is 0");
  must_fail(CDP_ERROR_SIZE, by_field(0, CDP_U8, 0, (size_t)1 << 32), "record_bytes is 4294967296");
  must_fail(CDP_ERROR_TYPE, by_field(0, 0, 0, sizeof(record)), "fields[0].type is 0");
  must_fail(CDP_ERROR_TYPE, by_field(0, CDP_BF16 + 1, 0, sizeof(record)), "fields[0].type");
  must_fail(CDP_ERROR_OPTION, by_field(0, CDP_U64, 2, sizeof(record)), "fields[0].order is 2");
  must_fail(CDP_ERROR_OPTION, by_field(0, CDP_U64, -1, sizeof(record)), "fields[0].order is -1");
  must_fail(CDP_ERROR_SIZE, cdp_sort_records(records, ITEMS, sizeof(record), by_all, 0, &options), "field_count is 0");
  must_fail(CDP_ERROR_SIZE, cdp_sort_records(records, ITEMS, sizeof(record), many, CDP_FIELDS_MAX + 1, &options),
            "field_count is 17");
  must_fail(CDP_ERROR_NULL, cdp_sort_records(records, ITEMS, sizeof(record), NULL, 3, &options), "fields is NULL");
  must_fail(CDP_ERROR_NULL, cdp_sort_records(NULL, ITEMS, sizeof(record), by_all, 3, &options), "records is NULL");
  must_fail(CDP_ERROR_SIZE, cdp_sort_records(records, (size_t)CDP_PAIRS_COUNT_MAX + 1, sizeof(record), by_all, 3, &options),
            "count is 4294967297");
  must_fail(CDP_ERROR_SIZE, cdp_sort_records(records, (size_t)1 << 31, UINT32_MAX, by_all, 3, &options), "cannot be addressed");
  must_fail(CDP_ERROR_NULL, cdp_sort_records_workspace(ITEMS, sizeof(record), by_all, 3, &options, NULL), "workspace_bytes");
  options.order = CDP_DESCENDING;
  must_fail(CDP_ERROR_OPTION, cdp_sort_records(records, ITEMS, sizeof(record), by_all, 3, &options), "an order of its own");
  must_fail(CDP_ERROR_OPTION, cdp_sort_records_workspace(ITEMS, sizeof(record), by_all, 3, &options, &bytes), "options.order");
  ck_assert_uint_eq(bytes, 7);

  must_fail(CDP_ERROR_NULL, by_column(NULL, CDP_U64, 0, indices, 4), "columns[0].keys is NULL");
  must_fail(CDP_ERROR_ALIGNMENT, by_column((char *)keys + 4, CDP_U64, 0, indices, 4), "columns[0].keys");
  must_fail(CDP_ERROR_TYPE, by_column(keys, 99, 0, indices, 4), "columns[0].type is 99");
  must_fail(CDP_ERROR_OPTION, by_column(keys, CDP_U64, 3, indices, 4), "columns[0].order is 3");
  must_fail(CDP_ERROR_NULL, by_column(keys, CDP_U64, 0, NULL, 4), "indices is NULL");
  must_fail(CDP_ERROR_SIZE, by_column(keys, CDP_U64, 0, indices, 2), "index_bytes is 2");
  must_fail(CDP_ERROR_ALIGNMENT, by_column(keys, CDP_U64, 0, (char *)indices + 2, 4), "indices");
  must_fail(CDP_ERROR_POINTER, by_column(keys, CDP_U64, 0, keys, 4), "columns[0].keys and indices overlap");
  ck_assert_mem_eq(records, before, sizeof before);
  ck_assert(indices[0] == 4711 && indices[ITEMS - 1] == 4711);
}
END_TEST

/* A column may be named twice: nobody writes it. */
START_TEST(takes_a_column_twice) {
  const cdp_options options = simulated_options();
  const cdp_key_column columns[] = {{keys, CDP_U64, CDP_DESCENDING}, {keys, CDP_U64, CDP_ASCENDING}};
  fill();
  ck_assert_int_eq(cdp_argsort_columns(columns, 2, indices, 4, ITEMS, &options), CDP_OK);
  for (size_t index = 1; index < ITEMS; index++)
    ck_assert(keys[indices[index - 1]] >= keys[indices[index]]);
}
END_TEST

/* In stream order. */
START_TEST(refuses_wrong_workspaces) {
  static _Alignas(CDP_WORKSPACE_ALIGNMENT) unsigned char workspace[1 << 19];
  record before[ITEMS];
  const cdp_options options = simulated_options();
  size_t needed = 0;
  fill();
  memcpy(before, records, sizeof before);
  ck_assert_int_eq(cdp_sort_records_workspace(ITEMS, sizeof(record), by_all, 3, &options, &needed), CDP_OK);
  ck_assert_uint_le(needed, sizeof workspace);
  must_fail(CDP_ERROR_NULL, cdp_sort_records_async(records, ITEMS, sizeof(record), by_all, 3, &options, NULL, needed, NULL),
            "d_workspace is NULL");
  must_fail(CDP_ERROR_ALIGNMENT,
            cdp_sort_records_async(records, ITEMS, sizeof(record), by_all, 3, &options, workspace + 16, needed, NULL),
            "d_workspace");
  must_fail(CDP_ERROR_WORKSPACE,
            cdp_sort_records_async(records, ITEMS, sizeof(record), by_all, 3, &options, workspace, needed - 1, NULL),
            "cdp_sort_records_workspace()");
  must_fail(CDP_ERROR_WORKSPACE,
            cdp_sort_records_async(workspace + 256, ITEMS, sizeof(record), by_all, 3, &options, workspace, needed, NULL),
            "overlaps records");
  ck_assert_mem_eq(records, before, sizeof before);
  ck_assert_int_eq(cdp_sort_records_async(records, ITEMS, sizeof(record), by_all, 3, &options, workspace, needed, NULL),
                   CDP_OK);
  ck_assert_mem_ne(records, before, sizeof before);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("records_calls");
  TCase *tests = tcase_create("records_calls");
  tcase_set_timeout(tests, TEST_SECONDS);
  tcase_add_test(tests, needs_nothing_for_no_record);
  tcase_add_test(tests, needs_no_device_for_one_record);
  tcase_add_test(tests, asks_for_the_workspace_that_it_says);
  tcase_add_test(tests, refuses_wrong_arguments);
  tcase_add_test(tests, takes_a_column_twice);
  tcase_add_test(tests, refuses_wrong_workspaces);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
