/* SPDX-License-Identifier: MIT */
/*
 * cdp_quicksort() on the simulated device, through the shared library as a caller has it: every type, order, scheme, pivot and
 * stream; every size at which the recursion changes its mind; every distribution; and what a wrong argument is told.
 */
#include "call_check.h"
#include "host_check.h"
#include "memory_limits.h"
#include "run_suite.h"
#include "tile_sizes.h"

#include <string.h>

/* ---- Every combination of options ------------------------------------------------------------------------------ */

#define TYPES 6

/* _i: type and scheme. */
START_TEST(sorts_with_every_combination_of_options) {
  static const size_t counts[] = {100, 1500, 4200};
  const cdp_type type = (cdp_type)(CDP_U32 + _i % TYPES);
  const cdp_scheme scheme = scheme_of(_i / TYPES);
  uint64_t seed = (uint64_t)_i;
  for (int order = CDP_ASCENDING; order <= CDP_DESCENDING; order++) {
    for (int pivot = CDP_PIVOT_MIDDLE; pivot <= CDP_PIVOT_MEAN; pivot++) {
      for (int streams = CDP_STREAMS_FIRE_AND_FORGET; streams <= CDP_STREAMS_NAMED; streams++) {
        const size_t count = counts[seed % 3];
        host_case sort = simulated_case(type, count, seed % 2 == 0 ? HOST_UNIFORM : HOST_EXTREMES, seed);
        sort.options.order = (cdp_order)order;
        sort.options.scheme = scheme;
        sort.options.pivot = (cdp_pivot)pivot;
        // A rule for one pivot means two children anyway; the sampled median has as many as there can be by default.
        sort.options.fan_out = streams == CDP_STREAMS_NAMED ? CDP_FAN_OUT_CLASSIC : 0;
        sort.options.child_streams = (cdp_child_streams)streams;
        sort.options.leaf_items = CDP_LEAF_MIN;
        sort.offset_items = (size_t)(seed % 5);
        must_sort(&sort);
        seed++;
      }
    }
  }
}
END_TEST

START_TEST(sorts_with_default_options) {
  for (int type = CDP_U32; type <= CDP_F64; type++) {
    const host_case sort = simulated_case((cdp_type)type, 50000, HOST_UNIFORM, 1);
    must_sort(&sort);
  }
}
END_TEST

/* ---- Sizes ----------------------------------------------------------------------------------------------------- */

/* One on either side, too; with many children and with two. */
static void sort_around(size_t count, cdp_type type, uint32_t leaf_items) {
  for (size_t near = count == 0 ? 0 : count - 1; near <= count + 1; near++) {
    host_case sort = simulated_case(type, near, HOST_UNIFORM, near);
    sort.options.leaf_items = leaf_items;
    sort.offset_items = 1;
    must_sort(&sort);
    sort.options.fan_out = CDP_FAN_OUT_CLASSIC;
    must_sort(&sort);
    sort.distribution = HOST_FEW_DISTINCT;
    sort.options.order = CDP_DESCENDING;
    must_sort(&sort);
    sort.options.fan_out = 0;
    must_sort(&sort);
  }
}

START_TEST(sorts_every_small_size) {
  for (size_t count = (size_t)_i * 64; count < (size_t)(_i + 1) * 64; count++) {
    host_case sort = simulated_case(count % 2 == 0 ? CDP_U32 : CDP_F64, count, HOST_UNIFORM, count);
    sort.options.leaf_items = CDP_LEAF_MIN;
    must_sort(&sort);
  }
}
END_TEST

START_TEST(sorts_around_the_least_leaf) {
  sort_around(CDP_LEAF_MIN, CDP_U32, CDP_LEAF_MIN);
  sort_around(CDP_LEAF_MIN, CDP_I64, CDP_LEAF_MIN);
  sort_around(2 * CDP_LEAF_MIN, CDP_F32, CDP_LEAF_MIN);
}
END_TEST

/* What one block finishes: up to 320 leaves (MAX_LEAVES_PER_BLOCK in device/tuning.h), or as much as it can at all, where the
   simulated device's 4 multiprocessors all get two such ranges. */
START_TEST(sorts_around_what_a_block_finishes) {
  const size_t block_items = (size_t)320 * CDP_LEAF_MIN;
  ck_assert_uint_lt(block_items, simulated_range_items(4));
  ck_assert_uint_gt(block_items, simulated_range_items(8));
  sort_around(8 * CDP_LEAF_MIN, CDP_I64, CDP_LEAF_MIN);
  sort_around(8 * (size_t)simulated_range_items(8), CDP_U64, CDP_LEAF_MIN);
  sort_around(8 * block_items, CDP_U32, CDP_LEAF_MIN);
}
END_TEST

START_TEST(sorts_around_the_tiles) {
  const cdp_type type = _i == 0 ? CDP_U32 : CDP_F64;
  const uint32_t key_bytes = (uint32_t)host_key_bytes(type);
  const uint32_t partition = simulated_tile_items(key_bytes);
  const uint32_t leaf = simulated_leaf_items(key_bytes);
  const size_t sizes[] = {partition, 2 * partition, 3 * partition, leaf / 4, leaf / 2, leaf, 2 * leaf};
  for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
    sort_around(sizes[size], type, CDP_LEAF_MIN);
    sort_around(sizes[size], type, 0);
  }
}
END_TEST

START_TEST(sorts_around_powers_of_two) {
  for (size_t power = 1; power <= 14; power++)
    sort_around((size_t)1 << power, power % 2 == 0 ? CDP_I32 : CDP_U64, power % 3 == 0 ? 0 : 48);
}
END_TEST

/* ---- Distributions --------------------------------------------------------------------------------------------- */

/* _i: distribution. Every type, every scheme; every pivot in turn. */
START_TEST(sorts_every_distribution) {
  uint64_t seed = 100;
  for (int type = CDP_U32; type <= CDP_F64; type += ROUND_STRIDE) {
    for (int scheme = CDP_SCHEME_LAST_BLOCK; scheme <= CDP_SCHEME_HOST; scheme++, seed++) {
      host_case sort = simulated_case((cdp_type)type, 6000, (host_distribution)_i, seed);
      sort.options.scheme = (cdp_scheme)scheme;
      sort.options.leaf_items = seed % 2 == 0 ? CDP_LEAF_MIN : 128;
      sort.options.pivot = (cdp_pivot)(CDP_PIVOT_MIDDLE + (int)(seed % 7));
      sort.options.order = seed % 3 == 0 ? CDP_DESCENDING : CDP_ASCENDING;
      must_sort(&sort);
    }
  }
}
END_TEST

/*
 * The bug of Eduardo Gimeno Borras and Carlos Fulgencio Velasco, "Analisis del Quicksort en CUDA" (2023): keys equal to the
 * pivot that are found by many blocks, more of them than a block has room for, are lost. Few blocks with many tiles each, and
 * many blocks with few.
 */
START_TEST(loses_no_pivots) {
  static const size_t counts[] = {40, 1023, 2049, 9000, 40000};
  for (size_t size = 0; size < sizeof counts / sizeof *counts; size++) {
    for (int pivot = CDP_PIVOT_MIDDLE; pivot <= CDP_PIVOT_MEAN; pivot++) {
      host_case sort = simulated_case(_i == 0 ? CDP_U32 : CDP_F64, counts[size], HOST_LOST_PIVOT, size);
      sort.options.pivot = (cdp_pivot)pivot;
      sort.options.leaf_items = CDP_LEAF_MIN;
      must_sort(&sort);
    }
  }
}
END_TEST

START_TEST(sorts_keys_at_any_alignment) {
  for (size_t offset = 0; offset < 8; offset++) {
    host_case sort = simulated_case(_i % 2 == 0 ? CDP_U32 : CDP_U64, 5000, HOST_UNIFORM, offset);
    sort.options.fan_out = _i / 2 == 0 ? 0 : CDP_FAN_OUT_CLASSIC;
    sort.options.leaf_items = CDP_LEAF_MIN;
    sort.offset_items = offset;
    must_sort(&sort);
  }
}
END_TEST

/* ---- Wrong arguments ------------------------------------------------------------------------------------------- */

typedef struct wrong_call {
  const char *said;
  size_t count;
  size_t offset_bytes;
  int type;
  cdp_status status;
} wrong_call;

static const wrong_call wrong_calls[] = {
    {"type is 0", 4, 0, 0, CDP_ERROR_TYPE},
    {"type is 13", 4, 0, 13, CDP_ERROR_TYPE},
    {"type is -1", 4, 0, -1, CDP_ERROR_TYPE},
    {"multiple of 4", 4, 1, CDP_U32, CDP_ERROR_ALIGNMENT},
    {"multiple of 4", 1, 2, CDP_F32, CDP_ERROR_ALIGNMENT},
    {"multiple of 2", 4, 1, CDP_BF16, CDP_ERROR_ALIGNMENT},
    {"multiple of 8", 4, 4, CDP_U64, CDP_ERROR_ALIGNMENT},
    {"multiple of 8", 4, 1, CDP_F64, CDP_ERROR_ALIGNMENT},
    {"count is", SIZE_MAX, 0, CDP_U32, CDP_ERROR_SIZE},
    {"count is", SIZE_MAX / 8, 0, CDP_U64, CDP_ERROR_SIZE},
    {"CDP_COUNT_MAX (1099511627776)", (size_t)CDP_COUNT_MAX + 1, 0, CDP_U32, CDP_ERROR_SIZE},
    {"CDP_COUNT_MAX", (size_t)1 << 44, 0, CDP_U32, CDP_ERROR_SIZE},
    {"memory", (size_t)CDP_COUNT_MAX, 0, CDP_U32, CDP_ERROR_MEMORY},
};

START_TEST(tells_what_is_wrong_and_touches_nothing) {
  const wrong_call *row = &wrong_calls[_i];
  memory_limits_set();
  const host_case simulated = simulated_case(CDP_U32, 0, HOST_UNIFORM, 0);
  host_guarded keys;
  unsigned char before[64];
  ck_assert(host_guarded_make(&keys, sizeof before, row->offset_bytes));
  host_fill(before, CDP_U32, 16, HOST_REVERSED, 0);
  memcpy(keys.bytes, before, sizeof before);
  const cdp_status status = cdp_quicksort(keys.bytes, row->count, (cdp_type)row->type, &simulated.options);
  must_fail(row->status, status, row->said);
  ck_assert_int_eq(cdp_last_cuda_error(), 0);
  ck_assert_mem_eq(keys.bytes, before, sizeof before);
  ck_assert(host_guarded_whole(&keys));
  host_guarded_free(&keys);
}
END_TEST

/* Memory for the keys' workspace, but none for what the simulated device runs in: that is found out by a launch, when keys may
   have moved, so that it is not CDP_ERROR_MEMORY. */
START_TEST(memory_exhausted_while_sorting_is_said) {
  const host_case simulated = simulated_case(CDP_U32, 0, HOST_UNIFORM, 0);
  uint32_t keys[] = {3, 1, 2};
  memory_limits_starve(true);
  ck_assert_int_eq(cdp_quicksort(keys, 3, CDP_U32, &simulated.options), CDP_ERROR_SIMULATED);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "memory was exhausted"));
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "unspecified"));
}
END_TEST

START_TEST(refuses_null_keys) {
  const host_case simulated = simulated_case(CDP_U32, 0, HOST_UNIFORM, 0);
  ck_assert_int_eq(cdp_quicksort(NULL, (size_t)_i + 1, CDP_U32, &simulated.options), CDP_ERROR_NULL);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "keys is NULL"));
}
END_TEST

START_TEST(has_nothing_to_do_for_no_key_and_one) {
  const host_case simulated = simulated_case(CDP_U32, 0, HOST_UNIFORM, 0);
  uint32_t key = 7;
  ck_assert_int_eq(cdp_quicksort(NULL, 0, CDP_U32, &simulated.options), CDP_OK);
  ck_assert_int_eq(cdp_quicksort(&key, 0, CDP_U32, &simulated.options), CDP_OK);
  ck_assert_int_eq(cdp_quicksort(&key, 1, CDP_U32, &simulated.options), CDP_OK);
  ck_assert_uint_eq(key, 7);
}
END_TEST

static Suite *sort_suite(void) {
  Suite *suite = suite_create("sort");
  TCase *options = tcase_create("options");
  tcase_set_timeout(options, TEST_SECONDS);
  add_options_loop_test(options, sorts_with_every_combination_of_options, 0, TYPES * SCHEMES);
  tcase_add_test(options, sorts_with_default_options);
  suite_add_tcase(suite, options);
  TCase *sizes = tcase_create("sizes");
  tcase_set_timeout(sizes, TEST_SECONDS);
  tcase_add_loop_test(sizes, sorts_every_small_size, 0, 3);
  tcase_add_test(sizes, sorts_around_the_least_leaf);
  tcase_add_test(sizes, sorts_around_what_a_block_finishes);
  tcase_add_loop_test(sizes, sorts_around_the_tiles, 0, 2);
  tcase_add_test(sizes, sorts_around_powers_of_two);
  suite_add_tcase(suite, sizes);
  TCase *data = tcase_create("data");
  tcase_set_timeout(data, TEST_SECONDS);
  tcase_add_loop_test(data, sorts_every_distribution, 0, HOST_DISTRIBUTIONS);
  tcase_add_loop_test(data, loses_no_pivots, 0, 2);
  tcase_add_loop_test(data, sorts_keys_at_any_alignment, 0, 4);
  suite_add_tcase(suite, data);
  TCase *wrong = tcase_create("wrong arguments");
  tcase_set_timeout(wrong, TEST_SECONDS);
  tcase_add_loop_test(wrong, tells_what_is_wrong_and_touches_nothing, 0, (int)(sizeof wrong_calls / sizeof *wrong_calls));
  if (!HOST_SANITIZED) // whose own memory would be wanting first
    tcase_add_test(wrong, memory_exhausted_while_sorting_is_said);
  tcase_add_loop_test(wrong, refuses_null_keys, 0, 2);
  tcase_add_test(wrong, has_nothing_to_do_for_no_key_and_one);
  suite_add_tcase(suite, wrong);
  return suite;
}

int main(void) {
  return run_suite(sort_suite());
}
