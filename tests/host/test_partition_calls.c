/* SPDX-License-Identifier: MIT */
/*
 * cdp_partition() as a call: little to do, and wrong arguments. What it makes of keys is test_partition.c's.
 */
#include "call_check.h"
#include "host_data.h"
#include "memory_limits.h"
#include "run_suite.h"

#include <cdpsort/partition.h>

#include <string.h>

#define KINDS 2

static cdp_partition_kind kind_of(int index) {
  return index % KINDS == 0 ? CDP_PARTITION_RESERVE : CDP_PARTITION_SCAN;
}

START_TEST(fills_the_parts_of_no_key_and_one) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.device = CDP_DEVICE_SIMULATED;
  cdp_parts parts = {7, 7, 7};
  int32_t key = -5;
  ck_assert_int_eq(cdp_partition(NULL, 0, CDP_I32, &options, &key, kind_of(_i), &parts), CDP_OK);
  ck_assert(parts.less_items == 0 && parts.equal_items == 0 && parts.milliseconds == 0.0);
  for (int32_t pivot = -6; pivot <= -4; pivot++) {
    ck_assert_int_eq(cdp_partition(&key, 1, CDP_I32, &options, &pivot, kind_of(_i), &parts), CDP_OK);
    ck_assert_uint_eq(parts.less_items, pivot == -4);
    ck_assert_uint_eq(parts.equal_items, pivot == -5);
    ck_assert_int_eq(key, -5);
  }
}
END_TEST

typedef struct wrong_call {
  const char *said;
  size_t count;
  size_t offset_bytes;
  int type;
  int kind;
  uint32_t fan_out;
  bool without_keys;
  bool without_pivot;
  cdp_status status;
} wrong_call;

static const wrong_call wrong_calls[] = {
    {"type is 0", 4, 0, 0, 0, 0, false, false, CDP_ERROR_TYPE},
    {"type is 7", 4, 0, 7, 0, 0, false, false, CDP_ERROR_TYPE},
    {"kind is 3", 4, 0, CDP_U32, 3, 0, false, false, CDP_ERROR_OPTION},
    {"kind is -1", 0, 0, CDP_U32, -1, 0, false, false, CDP_ERROR_OPTION},
    {"options.fan_out is 4", 4, 0, CDP_U32, 0, 4, false, false, CDP_ERROR_OPTION},
    {"keys is NULL", 1, 0, CDP_U32, 2, 0, true, false, CDP_ERROR_NULL},
    {"pivot is NULL", 4, 0, CDP_U32, 1, 0, false, true, CDP_ERROR_NULL},
    {"pivot is NULL", 0, 0, CDP_U32, 2, 0, true, true, CDP_ERROR_NULL},
    {"multiple of 4", 1, 2, CDP_F32, 1, 0, false, false, CDP_ERROR_ALIGNMENT},
    {"multiple of 8", 4, 4, CDP_U64, 2, 0, false, false, CDP_ERROR_ALIGNMENT},
    {"count is", SIZE_MAX, 0, CDP_U32, 1, 0, false, false, CDP_ERROR_SIZE},
    {"count is", PTRDIFF_MAX / 2 / 8 + 1, 0, CDP_F64, 2, 0, false, false, CDP_ERROR_SIZE},
    {"CDP_COUNT_MAX", (size_t)CDP_COUNT_MAX + 1, 0, CDP_U32, 1, 0, false, false, CDP_ERROR_SIZE},
    {"memory", (size_t)CDP_COUNT_MAX, 0, CDP_U32, 2, 0, false, false, CDP_ERROR_MEMORY},
};

static void must_be_zeros(const cdp_parts *parts) {
  ck_assert(parts->less_items == 0 && parts->equal_items == 0 && parts->milliseconds == 0.0);
}

START_TEST(tells_what_is_wrong_and_touches_nothing) {
  const wrong_call *row = &wrong_calls[_i];
  const uint64_t pivot = 5;
  cdp_options options = CDP_OPTIONS_INIT;
  options.device = CDP_DEVICE_SIMULATED;
  options.fan_out = row->fan_out;
  cdp_parts parts = {7, 7, 7};
  host_guarded keys;
  unsigned char before[64];
  memory_limits_set();
  ck_assert(host_guarded_make(&keys, sizeof before, row->offset_bytes));
  host_fill(before, CDP_U32, 16, HOST_REVERSED, 0);
  memcpy(keys.bytes, before, sizeof before);
  const cdp_status status = cdp_partition(row->without_keys ? NULL : keys.bytes, row->count, (cdp_type)row->type, &options,
                                          row->without_pivot ? NULL : &pivot, (cdp_partition_kind)row->kind, &parts);
  must_fail(row->status, status, row->said);
  ck_assert_int_eq(cdp_last_cuda_error(), 0);
  must_be_zeros(&parts);
  ck_assert_mem_eq(keys.bytes, before, sizeof before);
  ck_assert(host_guarded_whole(&keys));
  host_guarded_free(&keys);
}
END_TEST

START_TEST(wants_somewhere_to_put_the_parts) {
  uint32_t key = 1;
  ck_assert_int_eq(cdp_partition(&key, 1, CDP_U32, NULL, &key, CDP_PARTITION_SCAN, NULL), CDP_ERROR_NULL);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "parts is NULL"));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("partition_calls");
  TCase *arguments = tcase_create("arguments");
  tcase_set_timeout(arguments, TEST_SECONDS);
  tcase_add_loop_test(arguments, fills_the_parts_of_no_key_and_one, 0, KINDS);
  tcase_add_loop_test(arguments, tells_what_is_wrong_and_touches_nothing, 0, (int)(sizeof wrong_calls / sizeof *wrong_calls));
  tcase_add_test(arguments, wants_somewhere_to_put_the_parts);
  suite_add_tcase(suite, arguments);
  return run_suite(suite);
}
