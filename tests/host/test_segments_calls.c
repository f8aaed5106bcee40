/* SPDX-License-Identifier: MIT */
/*
 * The calls of segments.h as calls: the manual's examples, little to do, the workspace, an allocator, and wrong arguments, which
 * touch nothing. What they make of arrays is test_segments.cpp's.
 */
#include "call_check.h"
#include "host_data.h"
#include "run_suite.h"

#include <cdpsort/copy.h>
#include <cdpsort/segments.h>

#include <string.h>

#define ITEMS 64u

/* Bytes of workspace for each key that the simulated device may want more than a GPU. */
#define SIMULATED_MORE 6u

/* ---- Little to do ---------------------------------------------------------------------------------------------- */

START_TEST(does_what_the_manual_says) {
  const cdp_options options = simulated_options();
  uint32_t keys[] = {30, 10, 20, 5, 4, 9, 7};
  static const uint32_t sorted_keys[] = {10, 20, 30, 4, 5, 9, 7};
  const uint32_t offsets[] = {0, 3, 3, 5};
  const cdp_segments rows = {.count = 3, .begins = offsets, .ends = offsets + 1, .offset_bytes = sizeof *offsets};
  ck_assert_int_eq(cdp_segmented_sort(keys, NULL, 0, 7, CDP_U32, &options, &rows), CDP_OK);
  ck_assert_mem_eq(keys, sorted_keys, sizeof keys);
  ck_assert_str_ne(cdp_last_device(), "");
  float matrix[2][3] = {{3, 1, 2}, {6, 5, 4}};
  static const float sorted_matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
  const cdp_segments equal = {.count = 2, .length = 3};
  ck_assert_int_eq(cdp_segmented_sort(matrix, NULL, 0, 6, CDP_F32, &options, &equal), CDP_OK);
  ck_assert_mem_eq(matrix, sorted_matrix, sizeof matrix);
}
END_TEST

/* Nothing is looked at but what says so: no device, no array, no workspace. */
START_TEST(does_nothing_where_there_is_nothing_to_do) {
  const cdp_options options = simulated_options();
  const cdp_column column = {NULL, 24};
  const cdp_segments none = {.offset_bytes = 4};
  const cdp_segments some = {.count = 3, .offset_bytes = 8};
  size_t bytes = 7;
  uint16_t key = 5;
  ck_assert_int_eq(cdp_segmented_sort_workspace(&column, 1, 100, CDP_U16, &options, &none, &bytes), CDP_OK);
  ck_assert_uint_eq(bytes, 0);
  ck_assert_int_eq(cdp_segmented_sort(&key, &column, 1, 100, CDP_U16, &options, &none), CDP_OK);
  ck_assert_int_eq(cdp_segmented_sort_async(&key, &column, 1, 100, CDP_U16, &options, &none, NULL, 0, NULL), CDP_OK);
  ck_assert_int_eq(cdp_segmented_sort_on_stream(NULL, &column, 1, 0, CDP_U16, &options, &some, NULL), CDP_OK);
  ck_assert_int_eq(cdp_segmented_sort(&key, &column, 1, 1, CDP_U16, &options, &some), CDP_OK);
  ck_assert_uint_eq(key, 5);
}
END_TEST

/* ---- Workspace ------------------------------------------------------------------------------------------------- */

/* What the header says of it. _i: 1-byte to 8-byte keys. */
START_TEST(asks_for_the_workspace_that_it_says) {
  static const cdp_type types[] = {CDP_I8, CDP_F16, CDP_F32, CDP_U64};
  static const size_t counts[] = {2, 33, 1000, 4097, 1000003, 1u << 23, (size_t)1 << 31, (size_t)1 << 32};
  static const size_t segment_counts[] = {1, 1000, 1u << 20, (size_t)1 << 32};
  const cdp_options options = simulated_options();
  const size_t key_bytes = host_key_bytes(types[_i]);
  const size_t narrow = key_bytes < 4 ? 4 : 0;
  cdp_column columns[2] = {{NULL, 4}, {NULL, 40}};
  for (size_t which = 0; which < sizeof counts / sizeof *counts; which++)
    for (size_t many = 0; many < sizeof segment_counts / sizeof *segment_counts; many++) {
      const size_t count = counts[which];
      const cdp_segments segments = {.count = segment_counts[many], .offset_bytes = 8};
      const cdp_segments equal = {.count = count / 20, .length = 20};
      size_t alone = 0, moved = 0, wide = 0, short_ones = 0;
      ck_assert_int_eq(cdp_segmented_sort_workspace(NULL, 0, count, types[_i], &options, &segments, &alone), CDP_OK);
      ck_assert_int_eq(cdp_segmented_sort_workspace(columns, 1, count, types[_i], &options, &segments, &moved), CDP_OK);
      ck_assert_int_eq(cdp_segmented_sort_workspace(columns, 2, count, types[_i], &options, &segments, &wide), CDP_OK);
      ck_assert_uint_gt(alone, 0);
      ck_assert_msg(alone <= ((narrow != 0 ? 9u : key_bytes + 1) + SIMULATED_MORE) * count + 49152,
                    "%zu keys of %zu bytes: %zu", count, key_bytes, alone);
      ck_assert_msg(moved <= ((key_bytes == 8 ? 17u : 13u) + 8 + SIMULATED_MORE) * count + 49152, "%zu keys of %zu bytes: %zu",
                    count, key_bytes, moved);
      ck_assert(wide >= moved && wide <= moved + 40 * count);
      if (count >= 20) {
        ck_assert_int_eq(cdp_segmented_sort_workspace(NULL, 0, count, types[_i], &options, &equal, &short_ones), CDP_OK);
        ck_assert_uint_ge(short_ones, CDP_WORKSPACE_ALIGNMENT);
        ck_assert_uint_le(short_ones, narrow * count + CDP_WORKSPACE_ALIGNMENT);
      }
      ck_assert(alone % CDP_WORKSPACE_ALIGNMENT == 0 && wide % CDP_WORKSPACE_ALIGNMENT == 0);
    }
}
END_TEST

/* Once, if a workspace is needed; and where there is none, nothing is touched. */
START_TEST(asks_an_allocator_once) {
  account kept = {0};
  cdp_options options = options_with_account(&kept);
  int16_t keys[40];
  for (int index = 0; index < 40; index++)
    keys[index] = (int16_t)(40 - index);
  const cdp_segments pairs = {.count = 20, .length = 2};
  size_t bytes = 0;
  kept.is_empty = true;
  ck_assert_int_eq(cdp_segmented_sort(keys, NULL, 0, 40, CDP_I16, &options, &pairs), CDP_ERROR_MEMORY);
  ck_assert_int_eq(cdp_segmented_sort_on_stream(keys, NULL, 0, 40, CDP_I16, &options, &pairs, NULL), CDP_ERROR_MEMORY);
  ck_assert(kept.allocations == 2 && kept.releases == 0 && keys[0] == 40 && keys[1] == 39);
  kept.is_empty = false;
  ck_assert_int_eq(cdp_segmented_sort_workspace(NULL, 0, 40, CDP_I16, &options, &pairs, &bytes), CDP_OK);
  ck_assert_int_eq(cdp_segmented_sort_on_stream(keys, NULL, 0, 40, CDP_I16, &options, &pairs, NULL), CDP_OK);
  ck_assert(kept.allocations == 3 && kept.releases == 1 && kept.bytes == bytes && keys[0] == 39 && keys[1] == 40);
  int32_t wide[2] = {7, 3}; // needs none
  const cdp_segments one = {.count = 1, .length = 2};
  ck_assert_int_eq(cdp_segmented_sort(wide, NULL, 0, 2, CDP_I32, &options, &one), CDP_OK);
  ck_assert(kept.allocations == 3 && wide[0] == 3 && wide[1] == 7);
}
END_TEST

/* ---- Wrong arguments ------------------------------------------------------------------------------------------- */

/* The arrays of a call, in one piece of memory between guards, so that they may overlap. */
typedef struct given {
  host_guarded memory;
  unsigned char before[65536];
  cdp_options options;
  unsigned char *keys;
  unsigned char *begins; /* 4 of 8 bytes */
  unsigned char *ends;
  unsigned char *workspace;
  cdp_column column;
} given;

static void give(given *all) {
  all->options = simulated_options();
  ck_assert(host_guarded_make(&all->memory, sizeof all->before, 0));
  host_fill(all->before, CDP_U32, sizeof all->before / 4, HOST_REVERSED, 0);
  memset(all->before + 512, 0, 32);
  memset(all->before + 544, 0, 32);
  memcpy(all->memory.bytes, all->before, sizeof all->before);
  all->keys = all->memory.bytes;
  all->begins = all->memory.bytes + 512;
  all->ends = all->memory.bytes + 544;
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
  size_t segment_count;
  size_t offset_bytes;
  size_t length;
  size_t keys_shift;
  size_t begins_shift;
  size_t ends_shift;
  size_t values_shift;
  size_t value_bytes;
  cdp_status status;
  int type;
} wrong_call;

static const wrong_call wrong_calls[] = {
    {"type is 0", ITEMS, 4, 8, 0, 0, 0, 0, 0, 8, CDP_ERROR_TYPE, 0},
    {"type is 13", ITEMS, 4, 8, 0, 0, 0, 0, 0, 8, CDP_ERROR_TYPE, 13},
    {"offset_bytes is 2", ITEMS, 4, 2, 0, 0, 0, 0, 0, 8, CDP_ERROR_SIZE, CDP_U32},
    {"offset_bytes is 1844", ITEMS, 4, SIZE_MAX, 0, 0, 0, 0, 0, 8, CDP_ERROR_SIZE, CDP_U32},
    {"cannot be addressed", ITEMS, SIZE_MAX / 4, 4, 0, 0, 0, 0, 0, 8, CDP_ERROR_SIZE, CDP_U32},
    {"segments->length is 17", ITEMS, 4, 0, 17, 0, 0, 0, 0, 8, CDP_ERROR_SIZE, CDP_U32},
    {"segments->length is 1", ITEMS, ITEMS + 1, 0, 1, 0, 0, 0, 0, 8, CDP_ERROR_SIZE, CDP_U32},
    {"segments->length is 1844", ITEMS, 2, 0, SIZE_MAX, 0, 0, 0, 0, 8, CDP_ERROR_SIZE, CDP_U32},
    {"CDP_PAIRS_COUNT_MAX", ((size_t)1 << 32) + 1, 4, 8, 0, 0, 0, 0, 0, 1, CDP_ERROR_SIZE, CDP_U8},
    {"columns[0].value_bytes is 0", ITEMS, 4, 8, 0, 0, 0, 0, 0, 0, CDP_ERROR_SIZE, CDP_U32},
    {"cannot be addressed", (size_t)1 << 31, 4, 8, 0, 0, 0, 0, 0, UINT32_MAX, CDP_ERROR_SIZE, CDP_U32},
    {"keys is NULL", ITEMS, 4, 8, 0, NOWHERE, 0, 0, 0, 8, CDP_ERROR_NULL, CDP_U32},
    {"segments->begins is NULL", ITEMS, 4, 8, 0, 0, NOWHERE, 0, 0, 8, CDP_ERROR_NULL, CDP_U32},
    {"segments->ends is NULL", ITEMS, 4, 4, 0, 0, 0, NOWHERE, 0, 8, CDP_ERROR_NULL, CDP_U32},
    {"columns[0].values is NULL", ITEMS, 4, 8, 0, 0, 0, 0, NOWHERE, 8, CDP_ERROR_NULL, CDP_U32},
    {"multiple of 2", ITEMS, 4, 8, 0, 1, 0, 0, 0, 8, CDP_ERROR_ALIGNMENT, CDP_BF16},
    {"segments->begins is", ITEMS, 3, 8, 0, 0, 4, 0, 0, 8, CDP_ERROR_ALIGNMENT, CDP_U64},
    {"segments->ends is", ITEMS, 3, 4, 0, 0, 0, 2, 0, 8, CDP_ERROR_ALIGNMENT, CDP_U64},
    {"keys and segments->begins overlap", ITEMS + 1, 4, 8, 0, 0, 0, 0, 0, 8, CDP_ERROR_POINTER, CDP_U64},
    {"keys and segments->ends overlap", ITEMS, 4, 8, 0, 64, 128, 0, 0, 8, CDP_ERROR_POINTER, CDP_U64},
    {"keys and columns[0].values overlap", ITEMS, 4, 8, 0, 1536 + 8 * ITEMS - 1, 0, 0, 0, 8, CDP_ERROR_POINTER, CDP_U8},
    {"columns[0].values and segments->begins overlap", ITEMS, 4, 8, 0, 0, 1024, 0, 0, 8, CDP_ERROR_POINTER, CDP_U32},
};

static void *shifted(void *memory, size_t shift) {
  return shift == NOWHERE ? NULL : (unsigned char *)memory + shift;
}

START_TEST(refuses_wrong_arguments) {
  const wrong_call *row = &wrong_calls[_i];
  given all;
  give(&all);
  void *keys = shifted(all.keys, row->keys_shift);
  const cdp_segments segments = {row->segment_count, shifted(all.begins, row->begins_shift), shifted(all.ends, row->ends_shift),
                                 row->offset_bytes, row->length};
  const cdp_column column = {shifted(all.column.values, row->values_shift), row->value_bytes};
  const cdp_type type = (cdp_type)row->type;
  must_have_refused(&all, cdp_segmented_sort(keys, &column, 1, row->count, type, &all.options, &segments), row->status,
                    row->said);
  must_have_refused(
      &all,
      cdp_segmented_sort_async(keys, &column, 1, row->count, type, &all.options, &segments, all.workspace, SIZE_MAX / 4, NULL),
      row->status, row->said);
  must_have_refused(&all, cdp_segmented_sort_on_stream(keys, &column, 1, row->count, type, &all.options, &segments, NULL),
                    row->status, row->said);
  host_guarded_free(&all.memory);
}
END_TEST

START_TEST(refuses_what_is_missing) {
  given all;
  give(&all);
  const cdp_segments segments = {4, all.begins, all.ends, 8, 0};
  const cdp_column columns[CDP_COLUMNS_MAX + 1] = {{all.column.values, 8}};
  size_t bytes = 7;
  must_have_refused(&all, cdp_segmented_sort(all.keys, NULL, 0, ITEMS, CDP_U32, &all.options, NULL), CDP_ERROR_NULL,
                    "segments is NULL");
  must_have_refused(&all, cdp_segmented_sort(NULL, NULL, 0, 0, CDP_U32, &all.options, NULL), CDP_ERROR_NULL,
                    "segments is NULL");
  must_have_refused(&all, cdp_segmented_sort(all.keys, NULL, 1, ITEMS, CDP_U32, &all.options, &segments), CDP_ERROR_NULL,
                    "columns is NULL");
  must_have_refused(&all, cdp_segmented_sort(all.keys, columns, CDP_COLUMNS_MAX + 1, ITEMS, CDP_U32, &all.options, &segments),
                    CDP_ERROR_SIZE, "column_count is 17");
  must_have_refused(&all, cdp_segmented_sort_workspace(NULL, 0, ITEMS, CDP_U32, &all.options, &segments, NULL), CDP_ERROR_NULL,
                    "workspace_bytes is NULL");
  must_have_refused(&all, cdp_segmented_sort_workspace(NULL, 0, ITEMS, CDP_U32, &all.options, NULL, &bytes), CDP_ERROR_NULL,
                    "segments is NULL");
  must_have_refused(&all, cdp_segmented_sort_workspace(NULL, 0, (size_t)1 << 41, CDP_U8, &all.options, &segments, &bytes),
                    CDP_ERROR_SIZE, "CDP_COUNT_MAX");
  ck_assert_uint_eq(bytes, 7);
  all.options.ties = CDP_TIES_BY_VALUE;
  must_have_refused(&all, cdp_segmented_sort(all.keys, NULL, 0, ((size_t)1 << 32) + 1, CDP_F32, &all.options, &segments),
                    CDP_ERROR_SIZE, "CDP_PAIRS_COUNT_MAX");
  all.options.ties = CDP_TIES_ANY;
  all.options.device = CDP_DEVICE_CUDA(1000);
  must_have_refused(&all, cdp_segmented_sort(all.keys, NULL, 0, ITEMS, CDP_U32, &all.options, &segments), CDP_ERROR_NO_DEVICE,
                    "");
  host_guarded_free(&all.memory);
}
END_TEST

START_TEST(refuses_a_wrong_workspace) {
  given all;
  give(&all);
  const cdp_options *options = &all.options;
  size_t bytes = 0;
  const cdp_segments segments = {4, all.memory.bytes + 60000, all.memory.bytes + 60000, 8, 0}; // far away
  all.column.values = all.memory.bytes + 61000;
  ck_assert_int_eq(cdp_segmented_sort_workspace(&all.column, 1, ITEMS, CDP_U32, options, &segments, &bytes), CDP_OK);
  ck_assert_uint_le(bytes, 50000);
#define SORT(workspace, size, stream)                                                                                          \
  cdp_segmented_sort_async(all.keys, &all.column, 1, ITEMS, CDP_U32, options, &segments, workspace, size, stream)
  must_have_refused(&all, SORT(all.workspace, bytes - 1, NULL), CDP_ERROR_WORKSPACE, "cdp_segmented_sort_workspace()");
  must_have_refused(&all, SORT(all.keys, bytes, NULL), CDP_ERROR_WORKSPACE, "overlaps keys");
  must_have_refused(&all, SORT(all.memory.bytes + 59904, bytes, NULL), CDP_ERROR_WORKSPACE, "overlaps ");
  must_have_refused(&all, SORT(all.workspace + 1, bytes, NULL), CDP_ERROR_ALIGNMENT, "d_workspace is");
  must_have_refused(&all, SORT(NULL, bytes, NULL), CDP_ERROR_NULL, "cdp_segmented_sort_workspace()");
  must_have_refused(&all, SORT(all.workspace, bytes, all.keys), CDP_ERROR_POINTER, "stream is not NULL");
#undef SORT
  host_guarded_free(&all.memory);
}
END_TEST

/* Offsets of a blocking call in host memory, of either size: none lies beyond the array. _i: 4 bytes or 8. */
START_TEST(refuses_offsets_beyond_the_array) {
  const cdp_options options = simulated_options();
  const uint32_t short_offsets[] = {0, 2, 4, 5};
  const uint64_t long_offsets[] = {0, 2, 4, (uint64_t)1 << 32};
  const uint32_t beyond[] = {9, 9};
  uint32_t keys[] = {4, 3, 2, 1};
  uint32_t sorted[4] = {0};
  cdp_segments segments = {.count = 3, .begins = short_offsets, .ends = short_offsets + 1, .offset_bytes = 4};
  const char *said = "segments->ends[2] is 5, and count is 4";
  if (_i == 1) {
    segments = (cdp_segments){.count = 3, .begins = long_offsets, .ends = long_offsets + 1, .offset_bytes = 8};
    said = "segments->ends[2] is 4294967296, and count is 4";
  }
  must_fail(CDP_ERROR_SIZE, cdp_segmented_sort(keys, NULL, 0, 4, CDP_U32, &options, &segments), said);
  must_fail(CDP_ERROR_SIZE, cdp_segmented_sort_copy(keys, sorted, NULL, 0, 4, CDP_U32, &options, &segments), said);
  segments.count = 2;
  segments.begins = segments.ends = beyond; // which would be empty
  segments.offset_bytes = 4;
  must_fail(CDP_ERROR_SIZE, cdp_segmented_sort(keys, NULL, 0, 4, CDP_U32, &options, &segments), "segments->begins[0] is 9");
  ck_assert(keys[0] == 4 && keys[1] == 3 && keys[2] == 2 && keys[3] == 1 && sorted[0] == 0);
  segments = (cdp_segments){.count = 2, .begins = short_offsets, .ends = short_offsets + 1, .offset_bytes = 4};
  ck_assert_int_eq(cdp_segmented_sort(keys, NULL, 0, 4, CDP_U32, &options, &segments), CDP_OK); // up to the array's end
  ck_assert(keys[0] == 3 && keys[1] == 4 && keys[2] == 1 && keys[3] == 2);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("segments_calls");
  TCase *tests = tcase_create("calls");
  tcase_set_timeout(tests, TEST_SECONDS);
  tcase_add_test(tests, does_what_the_manual_says);
  tcase_add_test(tests, does_nothing_where_there_is_nothing_to_do);
  tcase_add_loop_test(tests, asks_for_the_workspace_that_it_says, 0, 4);
  tcase_add_test(tests, asks_an_allocator_once);
  tcase_add_loop_test(tests, refuses_wrong_arguments, 0, (int)(sizeof wrong_calls / sizeof *wrong_calls));
  tcase_add_test(tests, refuses_what_is_missing);
  tcase_add_loop_test(tests, refuses_offsets_beyond_the_array, 0, 2);
  tcase_add_test(tests, refuses_a_wrong_workspace);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
