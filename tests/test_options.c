/* SPDX-License-Identifier: MIT */
/*
 * Checking and resolving cdp_options: what each field may be, what 0 becomes, and structures of other sizes than this one.
 * Linked with the static library, to see what src/options.c makes of them.
 */
#include "run_suite.h"

#include "options.h"

#include <stddef.h>
#include <string.h>

static cdp_options simulated_options(void) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.device = CDP_DEVICE_SIMULATED;
  return options;
}

/* ---- Fields ---------------------------------------------------------------------------------------------------- */

/* A value for one field, given by its offset, with the type of the keys it is tried on. */
typedef struct field_value {
  const char *field; /* as the message names it */
  size_t offset;
  uint32_t value;
  cdp_type type;
} field_value;

#define FIELD(name) #name, offsetof(cdp_options, name)

static const field_value refused_values[] = {
    {FIELD(order), 2, CDP_U32},
    {FIELD(order), UINT32_MAX, CDP_U32},
    {FIELD(device), (uint32_t)-2, CDP_U32},
    {FIELD(device), (uint32_t)INT32_MIN, CDP_U32},
    {FIELD(depth_limit), CDP_DEPTH_MAX + 1, CDP_U32},
    {FIELD(depth_limit), CDP_DEPTH_NONE - 1, CDP_U32},
    {FIELD(leaf_items), 1, CDP_U32},
    {FIELD(leaf_items), CDP_LEAF_MIN - 1, CDP_U32},
    {FIELD(leaf_items), CDP_LEAF_MAX_4_BYTES + 1, CDP_U32},
    {FIELD(leaf_items), CDP_LEAF_MAX_4_BYTES + 1, CDP_F32},
    {FIELD(leaf_items), CDP_LEAF_MAX_8_BYTES + 1, CDP_U64},
    {FIELD(leaf_items), UINT32_MAX, CDP_I64},
    {FIELD(scheme), 4, CDP_U32},
    {FIELD(scheme), UINT32_MAX, CDP_U32},
    {FIELD(child_streams), 3, CDP_U32},
    {FIELD(child_streams), UINT32_MAX, CDP_U32},
    {FIELD(pivot), CDP_PIVOT_MEAN + 1, CDP_U32},
    {FIELD(pivot), UINT32_MAX, CDP_U32},
    {FIELD(fan_out), 1, CDP_U32},
    {FIELD(fan_out), 3, CDP_U32},
    {FIELD(fan_out), 4, CDP_U32},
    {FIELD(fan_out), 7, CDP_U32},
    {FIELD(fan_out), 9, CDP_F64},
    {FIELD(fan_out), 12, CDP_U32},
    {FIELD(fan_out), 2048, CDP_U32},
    {FIELD(fan_out), 1u << 31, CDP_U32},
    {FIELD(fan_out), UINT32_MAX, CDP_U32},
    {FIELD(reserved[0]), 1, CDP_U32},
    {FIELD(reserved[1]), 1, CDP_U32},
    {FIELD(oversampling), CDP_OVERSAMPLING_MAX + 1, CDP_U32},
};

static const field_value accepted_values[] = {
    {FIELD(order), CDP_DESCENDING, CDP_U32},
    {FIELD(depth_limit), 1, CDP_U32},
    {FIELD(depth_limit), CDP_DEPTH_MAX, CDP_U32},
    {FIELD(depth_limit), CDP_DEPTH_NONE, CDP_U32},
    {FIELD(leaf_items), CDP_LEAF_MIN, CDP_U32},
    {FIELD(leaf_items), CDP_LEAF_MAX_4_BYTES, CDP_I32},
    {FIELD(leaf_items), CDP_LEAF_MAX_8_BYTES, CDP_F64},
    {FIELD(leaf_items), 33, CDP_U64},
    {FIELD(scheme), CDP_SCHEME_LAST_BLOCK, CDP_U32},
    {FIELD(scheme), CDP_SCHEME_CONTROLLER, CDP_U32},
    {FIELD(scheme), CDP_SCHEME_HOST_LOOP, CDP_U32},
    {FIELD(child_streams), CDP_STREAMS_FIRE_AND_FORGET, CDP_U32},
    {FIELD(child_streams), CDP_STREAMS_NAMED, CDP_U32},
    {FIELD(pivot), CDP_PIVOT_MIDDLE, CDP_U32},
    {FIELD(pivot), CDP_PIVOT_MEDIAN_OF_THREE, CDP_U32},
    {FIELD(pivot), CDP_PIVOT_RANDOM, CDP_U32},
    {FIELD(pivot), CDP_PIVOT_SAMPLED_MEDIAN, CDP_U32},
    {FIELD(pivot), CDP_PIVOT_FIRST, CDP_U32},
    {FIELD(pivot), CDP_PIVOT_NINTHER, CDP_U32},
    {FIELD(pivot), CDP_PIVOT_MEAN, CDP_U32},
    {FIELD(fan_out), CDP_FAN_OUT_CLASSIC, CDP_U32},
    {FIELD(fan_out), CDP_FAN_OUT_MIN, CDP_U32},
    {FIELD(fan_out), 16, CDP_F64},
    {FIELD(fan_out), 32, CDP_U32},
    {FIELD(fan_out), 64, CDP_I64},
    {FIELD(fan_out), 128, CDP_U32},
    {FIELD(fan_out), 256, CDP_U32},
    {FIELD(fan_out), 512, CDP_F32},
    {FIELD(fan_out), CDP_FAN_OUT_MAX, CDP_U32},
    {FIELD(seed), UINT32_MAX, CDP_U32},
    {FIELD(single_items), CDP_ITEMS_NONE, CDP_U32},
    {FIELD(single_items), UINT32_MAX, CDP_U32},
    {FIELD(short_items), CDP_ITEMS_NONE, CDP_U32},
    {FIELD(short_items), UINT32_MAX, CDP_U32},
    {FIELD(block_items), 1, CDP_U32},
    {FIELD(block_items), UINT32_MAX, CDP_F64},
    {FIELD(oversampling), 1, CDP_U32},
    {FIELD(oversampling), CDP_OVERSAMPLING_MAX, CDP_U32},
};

static void set_field(cdp_options *options, const field_value *row) {
  memcpy((unsigned char *)options + row->offset, &row->value, sizeof row->value);
}

START_TEST(refuses_a_value_out_of_range) {
  const field_value *row = &refused_values[_i];
  cdp_options options = simulated_options();
  set_field(&options, row);
  uint64_t keys[] = {3, 1, 2};
  ck_assert_int_eq(cdp_quicksort(keys, 3, row->type, &options), CDP_ERROR_OPTION);
  ck_assert_msg(strstr(cdp_last_message(), row->field) != NULL, "%s is not in: %s", row->field, cdp_last_message());
  ck_assert_uint_eq(keys[0], 3);
  ck_assert_uint_eq(keys[1], 1);
  ck_assert_uint_eq(keys[2], 2);
  size_t bytes = 77;
  ck_assert_int_eq(cdp_quicksort_workspace(3, row->type, &options, &bytes), CDP_ERROR_OPTION);
  ck_assert_uint_eq(bytes, 77);
}
END_TEST

START_TEST(accepts_and_keeps_a_value_in_range) {
  const field_value *row = &accepted_values[_i];
  cdp_options options = simulated_options();
  cdp_options resolved;
  uint32_t kept;
  set_field(&options, row);
  ck_assert_int_eq(cdp_options_resolve(&options, row->type, &resolved), CDP_OK);
  memcpy(&kept, (const unsigned char *)&resolved + row->offset, sizeof kept);
  ck_assert_msg(kept == row->value, "%s: %u became %u", row->field, row->value, kept);
}
END_TEST

START_TEST(zero_becomes_the_default) {
  const cdp_options zeros = {.size = sizeof zeros};
  cdp_options resolved[2];
  ck_assert_int_eq(cdp_options_resolve(&zeros, CDP_U32, &resolved[0]), CDP_OK);
  ck_assert_int_eq(cdp_options_resolve(NULL, CDP_U32, &resolved[1]), CDP_OK);
  for (size_t which = 0; which < 2; which++) {
    ck_assert_int_eq(resolved[which].order, CDP_ASCENDING);
    ck_assert_int_eq(resolved[which].scheme, CDP_SCHEME_LAST_BLOCK);
    ck_assert_int_eq(resolved[which].child_streams, CDP_STREAMS_FIRE_AND_FORGET);
    ck_assert_int_eq(resolved[which].pivot, CDP_PIVOT_SAMPLED_MEDIAN);
    ck_assert_uint_eq(resolved[which].leaf_items, CDP_LEAF_MAX_4_BYTES);
    ck_assert_uint_eq(resolved[which].fan_out, CDP_FAN_OUT_MAX);
    ck_assert_uint_eq(resolved[which].size, sizeof resolved[which]);
  }
  ck_assert_int_eq(cdp_options_resolve(NULL, CDP_F64, &resolved[0]), CDP_OK);
  ck_assert_uint_eq(resolved[0].leaf_items, CDP_LEAF_MAX_8_BYTES);
}
END_TEST

/* A rule that gives one pivot means two children, unless more were asked for: then one of the two is a mistake. */
START_TEST(single_pivot_means_two_children) {
  static const uint32_t few[] = {0, CDP_FAN_OUT_CLASSIC};
  cdp_options options = simulated_options();
  cdp_options resolved;
  uint32_t keys[] = {2, 1};
  for (int pivot = CDP_PIVOT_MIDDLE; pivot <= CDP_PIVOT_MEAN; pivot++) {
    if (pivot == CDP_PIVOT_SAMPLED_MEDIAN)
      continue;
    options.pivot = (cdp_pivot)pivot;
    for (size_t which = 0; which < sizeof few / sizeof *few; which++) {
      options.fan_out = few[which];
      ck_assert_int_eq(cdp_options_resolve(&options, CDP_U32, &resolved), CDP_OK);
      ck_assert_uint_eq(resolved.fan_out, CDP_FAN_OUT_CLASSIC);
      ck_assert_int_eq(resolved.pivot, pivot);
    }
    for (options.fan_out = CDP_FAN_OUT_MIN; options.fan_out <= CDP_FAN_OUT_MAX; options.fan_out *= 2) {
      ck_assert_int_eq(cdp_quicksort(keys, 2, CDP_U32, &options), CDP_ERROR_OPTION);
      ck_assert_ptr_nonnull(strstr(cdp_last_message(), "options.fan_out"));
      ck_assert_ptr_nonnull(strstr(cdp_last_message(), "options.pivot"));
      ck_assert_uint_eq(keys[0], 2);
    }
  }
}
END_TEST

START_TEST(sampled_pivots_go_with_any_fan_out) {
  static const uint32_t fan_outs[] = {0, CDP_FAN_OUT_CLASSIC, CDP_FAN_OUT_MIN, CDP_FAN_OUT_MAX};
  static const uint32_t meant[] = {CDP_FAN_OUT_MAX, CDP_FAN_OUT_CLASSIC, CDP_FAN_OUT_MIN, CDP_FAN_OUT_MAX};
  cdp_options options = simulated_options();
  cdp_options resolved;
  options.pivot = _i == 0 ? CDP_PIVOT_DEFAULT : CDP_PIVOT_SAMPLED_MEDIAN;
  for (size_t which = 0; which < sizeof fan_outs / sizeof *fan_outs; which++) {
    options.fan_out = fan_outs[which];
    ck_assert_int_eq(cdp_options_resolve(&options, CDP_U32, &resolved), CDP_OK);
    ck_assert_uint_eq(resolved.fan_out, meant[which]);
  }
}
END_TEST

START_TEST(initialiser_is_all_defaults) {
  const cdp_options initialised = CDP_OPTIONS_INIT;
  const cdp_options zeros = {.size = sizeof zeros};
  ck_assert_uint_eq(initialised.size, sizeof initialised);
  ck_assert_mem_eq(&initialised, &zeros, sizeof zeros);
}
END_TEST

/* ---- Structures of other versions ------------------------------------------------------------------------------ */

/* A later version's structure: this one, and more. */
typedef struct later_options {
  cdp_options known;
  uint64_t more[8];
} later_options;

START_TEST(refuses_a_size_that_is_none) {
  static const size_t sizes[] = {0, 1, sizeof(size_t) - 1, 4097, SIZE_MAX};
  cdp_options options = simulated_options();
  options.size = sizes[_i];
  uint32_t keys[] = {2, 1};
  ck_assert_int_eq(cdp_quicksort(keys, 2, CDP_U32, &options), CDP_ERROR_OPTION);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "options.size"));
  ck_assert_uint_eq(keys[0], 2);
}
END_TEST

/* What a caller compiled with an older version has behind its structure is not to be read. _i: how it came to be shorter. */
START_TEST(refuses_a_shorter_structure) {
  static const size_t sizes[] = {sizeof(size_t), offsetof(cdp_options, depth_limit), offsetof(cdp_options, reserved),
                                 sizeof(cdp_options) - 1};
  cdp_options options = simulated_options();
  options.size = sizes[_i];
  uint32_t keys[] = {2, 1};
  size_t bytes = 77;
  ck_assert_int_eq(cdp_quicksort(keys, 2, CDP_U32, &options), CDP_ERROR_OPTION);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "options.size"));
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "older cdpsort"));
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "compile it again"));
  ck_assert_uint_eq(keys[0], 2);
  ck_assert_int_eq(cdp_quicksort_workspace(2, CDP_U32, &options, &bytes), CDP_ERROR_OPTION);
  ck_assert_uint_eq(bytes, 77);
}
END_TEST

START_TEST(accepts_a_longer_structure_of_zeros) {
  later_options options = {.known = simulated_options()};
  options.known.size = sizeof options;
  uint32_t keys[] = {2, 1};
  ck_assert_int_eq(cdp_quicksort(keys, 2, CDP_U32, &options.known), CDP_OK);
  ck_assert_uint_eq(keys[0], 1);
}
END_TEST

START_TEST(refuses_options_it_does_not_know) {
  later_options options = {.known = simulated_options(), .more = {[7] = 1}};
  options.known.size = sizeof options;
  uint32_t keys[] = {2, 1};
  ck_assert_int_eq(cdp_quicksort(keys, 2, CDP_U32, &options.known), CDP_ERROR_OPTION);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "newer cdpsort"));
  ck_assert_uint_eq(keys[0], 2);
}
END_TEST

#define ROWS(table) ((int)(sizeof(table) / sizeof *(table)))

static Suite *options_suite(void) {
  Suite *suite = suite_create("options");
  TCase *fields = tcase_create("fields");
  tcase_set_timeout(fields, TEST_SECONDS);
  tcase_add_loop_test(fields, refuses_a_value_out_of_range, 0, ROWS(refused_values));
  tcase_add_loop_test(fields, accepts_and_keeps_a_value_in_range, 0, ROWS(accepted_values));
  tcase_add_test(fields, zero_becomes_the_default);
  tcase_add_test(fields, single_pivot_means_two_children);
  tcase_add_loop_test(fields, sampled_pivots_go_with_any_fan_out, 0, 2);
  tcase_add_test(fields, initialiser_is_all_defaults);
  suite_add_tcase(suite, fields);
  TCase *versions = tcase_create("versions");
  tcase_set_timeout(versions, TEST_SECONDS);
  tcase_add_loop_test(versions, refuses_a_size_that_is_none, 0, 5);
  tcase_add_loop_test(versions, refuses_a_shorter_structure, 0, 4);
  tcase_add_test(versions, accepts_a_longer_structure_of_zeros);
  tcase_add_test(versions, refuses_options_it_does_not_know);
  suite_add_tcase(suite, versions);
  return suite;
}

int main(void) {
  return run_suite(options_suite());
}
