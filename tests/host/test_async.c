/* SPDX-License-Identifier: MIT */
/*
 * cdp_quicksort_async() and cdp_quicksort_workspace() on the simulated device, where keys and workspace are host memory and
 * the sort is done on return.
 */
#include "call_check.h"
#include "host_data.h"
#include "run_suite.h"

#include <string.h>

#define ITEMS 3000u

static cdp_options short_leaf_options(void) {
  cdp_options options = simulated_options();
  options.leaf_items = CDP_LEAF_MIN;
  return options;
}

/* Keys and a workspace of exactly the size that is asked for, both between guards. */
typedef struct sort_memory {
  cdp_type type;
  size_t count;
  host_guarded keys;
  host_guarded workspace;
  void *original;
} sort_memory;

static void prepare(sort_memory *memory, cdp_type type, size_t count, const cdp_options *options, uint64_t seed) {
  const size_t bytes = count * host_key_bytes(type);
  size_t workspace_bytes = 0;
  ck_assert_int_eq(cdp_quicksort_workspace(count, type, options, &workspace_bytes), CDP_OK);
  memory->type = type;
  memory->count = count;
  memory->original = malloc(bytes);
  ck_assert_ptr_nonnull(memory->original);
  ck_assert(host_guarded_make(&memory->keys, bytes, host_key_bytes(type)));
  ck_assert(host_guarded_make(&memory->workspace, workspace_bytes, 0));
  host_fill(memory->original, type, count, HOST_UNIFORM, seed);
  memcpy(memory->keys.bytes, memory->original, bytes);
}

static void check_sorted(const sort_memory *memory, cdp_order order) {
  char why[HOST_WHY_BYTES] = "";
  ck_assert(host_guarded_whole(&memory->keys));
  ck_assert(host_guarded_whole(&memory->workspace));
  ck_assert_msg(host_check_sorted(memory->original, memory->keys.bytes, memory->count, memory->type, order, why), "%s", why);
}

static void release(sort_memory *memory) {
  host_guarded_free(&memory->keys);
  host_guarded_free(&memory->workspace);
  free(memory->original);
}

/* ---- Sorting --------------------------------------------------------------------------------------------------- */

START_TEST(sorts_in_a_workspace_of_the_exact_size) {
  static const size_t counts[] = {2, 31, 33, 513, ITEMS, 12345};
  const cdp_type type = (cdp_type)(CDP_U32 + _i % 6);
  for (size_t size = 0; size < sizeof counts / sizeof *counts; size++) {
    cdp_options options = short_leaf_options();
    options.scheme = size % 2 == 0 ? CDP_SCHEME_LAST_BLOCK : CDP_SCHEME_CONTROLLER;
    options.order = size % 3 == 0 ? CDP_DESCENDING : CDP_ASCENDING;
    options.fan_out = _i / 6 == 0 ? 0 : CDP_FAN_OUT_CLASSIC;
    sort_memory memory;
    prepare(&memory, type, counts[size], &options, size);
    const cdp_status status = cdp_quicksort_async(memory.keys.bytes, memory.count, type, &options, memory.workspace.bytes,
                                                  memory.workspace.size, NULL);
    ck_assert_msg(status == CDP_OK, "%s", cdp_last_message());
    check_sorted(&memory, options.order);
    release(&memory);
  }
}
END_TEST

START_TEST(does_not_care_what_the_workspace_holds) {
  static const int fillings[] = {0x00, 0xFF, 0x7F, 0x01};
  const cdp_options options = short_leaf_options();
  sort_memory memory;
  prepare(&memory, CDP_U32, ITEMS, &options, 5);
  memset(memory.workspace.bytes, fillings[_i], memory.workspace.size);
  // Twice: the second time the workspace holds what the first sort left.
  for (int turn = 0; turn < 2; turn++) {
    memcpy(memory.keys.bytes, memory.original, memory.keys.size);
    ck_assert_int_eq(
        cdp_quicksort_async(memory.keys.bytes, ITEMS, CDP_U32, &options, memory.workspace.bytes, memory.workspace.size, NULL),
        CDP_OK);
    check_sorted(&memory, CDP_ASCENDING);
  }
  release(&memory);
}
END_TEST

START_TEST(takes_a_workspace_that_is_larger) {
  const cdp_options options = short_leaf_options();
  sort_memory memory;
  prepare(&memory, CDP_F64, ITEMS, &options, 6);
  host_guarded larger;
  ck_assert(host_guarded_make(&larger, memory.workspace.size + 1, 0));
  larger.bytes[memory.workspace.size] = 0x42;
  ck_assert_int_eq(cdp_quicksort_async(memory.keys.bytes, ITEMS, CDP_F64, &options, larger.bytes, larger.size, NULL), CDP_OK);
  ck_assert_uint_eq(larger.bytes[memory.workspace.size], 0x42);
  check_sorted(&memory, CDP_ASCENDING);
  host_guarded_free(&larger);
  release(&memory);
}
END_TEST

START_TEST(has_nothing_to_do_for_no_key_and_one) {
  const cdp_options options = short_leaf_options();
  uint32_t key = 9;
  size_t bytes = 77;
  ck_assert_int_eq(cdp_quicksort_workspace((size_t)_i, CDP_U32, &options, &bytes), CDP_OK);
  ck_assert_uint_eq(bytes, 0);
  ck_assert_int_eq(cdp_quicksort_async(_i == 0 ? NULL : &key, (size_t)_i, CDP_U32, &options, NULL, 0, NULL), CDP_OK);
  ck_assert_uint_eq(key, 9);
}
END_TEST

/* ---- Wrong arguments ------------------------------------------------------------------------------------------- */

typedef enum wrong_thing {
  NULL_KEYS,
  NULL_WORKSPACE,
  MISALIGNED_KEYS,
  WORKSPACE_OFF_BY_ONE,
  WORKSPACE_OFF_BY_HALF,
  WORKSPACE_TOO_SMALL,
  WORKSPACE_OF_NO_BYTES,
  WORKSPACE_ON_THE_KEYS,
  WORKSPACE_ON_THE_LAST_KEY,
  KEYS_AT_THE_END_OF_THE_WORKSPACE,
  SOME_STREAM,
  UNKNOWN_TYPE,
  UNKNOWN_OPTION,
  COUNT_TOO_LARGE
} wrong_thing;

typedef struct wrong_call {
  wrong_thing what;
  cdp_status status;
  const char *said;
} wrong_call;

static const wrong_call wrong_calls[] = {
    {NULL_KEYS, CDP_ERROR_NULL, "keys is NULL"},
    {NULL_WORKSPACE, CDP_ERROR_NULL, "d_workspace is NULL"},
    {MISALIGNED_KEYS, CDP_ERROR_ALIGNMENT, "multiple of 4"},
    {WORKSPACE_OFF_BY_ONE, CDP_ERROR_ALIGNMENT, "CDP_WORKSPACE_ALIGNMENT"},
    {WORKSPACE_OFF_BY_HALF, CDP_ERROR_ALIGNMENT, "CDP_WORKSPACE_ALIGNMENT"},
    {WORKSPACE_TOO_SMALL, CDP_ERROR_WORKSPACE, "cdp_quicksort_workspace()"},
    {WORKSPACE_OF_NO_BYTES, CDP_ERROR_WORKSPACE, "workspace_bytes is 0"},
    {WORKSPACE_ON_THE_KEYS, CDP_ERROR_WORKSPACE, "overlaps"},
    {WORKSPACE_ON_THE_LAST_KEY, CDP_ERROR_WORKSPACE, "overlaps"},
    {KEYS_AT_THE_END_OF_THE_WORKSPACE, CDP_ERROR_WORKSPACE, "overlaps"},
    {SOME_STREAM, CDP_ERROR_POINTER, "stream is not NULL"},
    {UNKNOWN_TYPE, CDP_ERROR_TYPE, "type is 42"},
    {UNKNOWN_OPTION, CDP_ERROR_OPTION, "options.pivot"},
    {COUNT_TOO_LARGE, CDP_ERROR_SIZE, "count is"},
};

/* The arguments of a call. */
typedef struct arguments {
  void *keys;
  size_t count;
  cdp_type type;
  cdp_options options;
  unsigned char *workspace;
  size_t workspace_bytes;
  void *stream;
} arguments;

static void spoil(arguments *call, wrong_thing what, size_t room) {
  switch (what) {
  case NULL_KEYS:
    call->keys = NULL;
    return;
  case NULL_WORKSPACE:
    call->workspace = NULL;
    return;
  case MISALIGNED_KEYS:
    call->keys = (unsigned char *)call->keys + 2;
    return;
  case WORKSPACE_OFF_BY_ONE:
    call->workspace += 1;
    return;
  case WORKSPACE_OFF_BY_HALF:
    call->workspace += CDP_WORKSPACE_ALIGNMENT / 2;
    return;
  case WORKSPACE_TOO_SMALL:
    call->workspace_bytes -= 1;
    return;
  case WORKSPACE_OF_NO_BYTES:
    call->workspace_bytes = 0;
    return;
  case WORKSPACE_ON_THE_KEYS:
    call->keys = call->workspace;
    return;
  case WORKSPACE_ON_THE_LAST_KEY: // the keys begin before the workspace, and end with one key in it
    call->keys = call->workspace + sizeof(uint32_t) - room;
    return;
  case KEYS_AT_THE_END_OF_THE_WORKSPACE:
    call->keys = call->workspace + call->workspace_bytes - CDP_WORKSPACE_ALIGNMENT;
    return;
  case SOME_STREAM:
    call->stream = &call->stream;
    return;
  case UNKNOWN_TYPE:
    call->type = (cdp_type)42;
    return;
  case UNKNOWN_OPTION:
    call->options.pivot = (cdp_pivot)42;
    return;
  case COUNT_TOO_LARGE:
    call->count = SIZE_MAX;
    return;
  }
}

START_TEST(tells_what_is_wrong_and_touches_nothing) {
  const wrong_call *row = &wrong_calls[_i];
  const size_t key_bytes = ITEMS * sizeof(uint32_t);
  arguments call = {.count = ITEMS, .type = CDP_U32, .options = short_leaf_options()};
  ck_assert_int_eq(cdp_quicksort_workspace(ITEMS, CDP_U32, &call.options, &call.workspace_bytes), CDP_OK);
  // One piece: room for the keys before the workspace, which begins at a multiple of the alignment, and behind it.
  const size_t room = (key_bytes + CDP_WORKSPACE_ALIGNMENT - 1) / CDP_WORKSPACE_ALIGNMENT * CDP_WORKSPACE_ALIGNMENT;
  host_guarded memory;
  ck_assert(host_guarded_make(&memory, room + call.workspace_bytes + room, 0));
  host_fill(memory.bytes, CDP_U32, memory.size / sizeof(uint32_t), HOST_UNIFORM, 3);
  unsigned char *const before = malloc(memory.size);
  ck_assert_ptr_nonnull(before);
  memcpy(before, memory.bytes, memory.size);
  call.keys = memory.bytes;
  call.workspace = memory.bytes + room;
  spoil(&call, row->what, key_bytes);
  const cdp_status status =
      cdp_quicksort_async(call.keys, call.count, call.type, &call.options, call.workspace, call.workspace_bytes, call.stream);
  must_fail(row->status, status, row->said);
  ck_assert_mem_eq(memory.bytes, before, memory.size);
  ck_assert(host_guarded_whole(&memory));
  free(before);
  host_guarded_free(&memory);
}
END_TEST

START_TEST(accepts_keys_that_touch_the_workspace) {
  const cdp_options options = short_leaf_options();
  const size_t count = 4 * CDP_WORKSPACE_ALIGNMENT;
  size_t workspace_bytes;
  ck_assert_int_eq(cdp_quicksort_workspace(count, CDP_U32, &options, &workspace_bytes), CDP_OK);
  const size_t key_bytes = count * sizeof(uint32_t);
  host_guarded memory;
  ck_assert(host_guarded_make(&memory, key_bytes + workspace_bytes + key_bytes, 0));
  unsigned char *const keys = _i == 0 ? memory.bytes : memory.bytes + key_bytes + workspace_bytes;
  uint32_t original[4 * CDP_WORKSPACE_ALIGNMENT];
  char why[HOST_WHY_BYTES] = "";
  host_fill(original, CDP_U32, count, HOST_REVERSED, 1);
  memcpy(keys, original, key_bytes);
  ck_assert_int_eq(cdp_quicksort_async(keys, count, CDP_U32, &options, memory.bytes + key_bytes, workspace_bytes, NULL),
                   CDP_OK);
  ck_assert_msg(host_check_sorted(original, keys, count, CDP_U32, CDP_ASCENDING, why), "%s", why);
  host_guarded_free(&memory);
}
END_TEST

START_TEST(workspace_size_needs_somewhere_to_go) {
  const cdp_options options = short_leaf_options();
  ck_assert_int_eq(cdp_quicksort_workspace(ITEMS, CDP_U32, &options, NULL), CDP_ERROR_NULL);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "workspace_bytes is NULL"));
}
END_TEST

START_TEST(workspace_size_is_untouched_on_failure) {
  cdp_options options = short_leaf_options();
  size_t bytes = 77;
  options.scheme = (cdp_scheme)9;
  ck_assert_int_eq(cdp_quicksort_workspace(ITEMS, CDP_U32, &options, &bytes), CDP_ERROR_OPTION);
  ck_assert_int_eq(cdp_quicksort_workspace(ITEMS, (cdp_type)0, NULL, &bytes), CDP_ERROR_TYPE);
  ck_assert_uint_eq(bytes, 77);
}
END_TEST

static Suite *async_suite(void) {
  Suite *suite = suite_create("async");
  TCase *sorting = tcase_create("sorting");
  tcase_set_timeout(sorting, TEST_SECONDS);
  tcase_add_loop_test(sorting, sorts_in_a_workspace_of_the_exact_size, 0, 12);
  tcase_add_loop_test(sorting, does_not_care_what_the_workspace_holds, 0, 4);
  tcase_add_test(sorting, takes_a_workspace_that_is_larger);
  tcase_add_loop_test(sorting, has_nothing_to_do_for_no_key_and_one, 0, 2);
  tcase_add_loop_test(sorting, accepts_keys_that_touch_the_workspace, 0, 2);
  suite_add_tcase(suite, sorting);
  TCase *wrong = tcase_create("wrong arguments");
  tcase_set_timeout(wrong, TEST_SECONDS);
  tcase_add_loop_test(wrong, tells_what_is_wrong_and_touches_nothing, 0, (int)(sizeof wrong_calls / sizeof *wrong_calls));
  tcase_add_test(wrong, workspace_size_needs_somewhere_to_go);
  tcase_add_test(wrong, workspace_size_is_untouched_on_failure);
  suite_add_tcase(suite, wrong);
  return suite;
}

int main(void) {
  return run_suite(async_suite());
}
