/* SPDX-License-Identifier: MIT */
/* Checking and resolving cdp_options and cdp_tuning: what each field may be, what 0 becomes, and structures of other sizes. Linked
   with the static library, to see what src/options.c makes of them. */
#include "call_check.h"
#include "options.h"
#include "run_suite.h"

#include <stddef.h>
#include <string.h>

/* Options that point to a tuning. */
typedef struct given_options {
  cdp_options options;
  cdp_tuning tuning;
} given_options;

static void give_defaults(given_options *given) {
  *given = (given_options){.options = CDP_OPTIONS_INIT, .tuning = CDP_TUNING_INIT};
  given->options.device = CDP_DEVICE_SIMULATED;
  given->options.tuning = &given->tuning;
}

/* ---- Fields ---------------------------------------------------------------------------------------------------- */

/* A value for one field, given by its offset, with the type of the keys it is tried on. */
typedef struct field_value {
  const char *field; /* as the message names it */
  size_t offset;     /* in given_options */
  size_t settled;    /* in cdp_settings: an accepted value is found there */
  uint32_t value;
  cdp_type type;
} field_value;

#define REFUSED(name) "options." #name, offsetof(given_options, options.name), 0
#define REFUSED_TUNING(name) "tuning." #name, offsetof(given_options, tuning.name), 0
#define FIELD(name) "options." #name, offsetof(given_options, options.name), offsetof(cdp_settings, name)
#define TUNING(name) "tuning." #name, offsetof(given_options, tuning.name), offsetof(cdp_settings, name)

static const field_value refused_values[] = {
    {REFUSED(order), 2, CDP_U32},
    {REFUSED(order), UINT32_MAX, CDP_U32},
    {REFUSED(ties), CDP_TIES_BY_VALUE + 1, CDP_U32},
    {REFUSED(ties), UINT32_MAX, CDP_F32},
    {REFUSED(device), (uint32_t)-2, CDP_U32},
    {REFUSED(device), (uint32_t)INT32_MIN, CDP_U32},
    {REFUSED(depth_limit), CDP_DEPTH_MAX + 1, CDP_U32},
    {REFUSED(depth_limit), CDP_DEPTH_NONE - 1, CDP_U32},
    {REFUSED(leaf_items), 1, CDP_U32},
    {REFUSED(leaf_items), CDP_LEAF_MIN - 1, CDP_U32},
    {REFUSED(leaf_items), CDP_LEAF_MAX_4_BYTES + 1, CDP_U32},
    {REFUSED(leaf_items), CDP_LEAF_MAX_4_BYTES + 1, CDP_F32},
    {REFUSED(leaf_items), CDP_LEAF_MAX_8_BYTES + 1, CDP_U64},
    {REFUSED(leaf_items), UINT32_MAX, CDP_I64},
    {REFUSED(scheme), 4, CDP_U32},
    {REFUSED(scheme), UINT32_MAX, CDP_U32},
    {REFUSED(child_streams), 3, CDP_U32},
    {REFUSED(child_streams), UINT32_MAX, CDP_U32},
    {REFUSED(pivot), CDP_PIVOT_MEAN + 1, CDP_U32},
    {REFUSED(pivot), UINT32_MAX, CDP_U32},
    {REFUSED(fan_out), 1, CDP_U32},
    {REFUSED(fan_out), 3, CDP_U32},
    {REFUSED(fan_out), 4, CDP_U32},
    {REFUSED(fan_out), 7, CDP_U32},
    {REFUSED(fan_out), 9, CDP_F64},
    {REFUSED(fan_out), 12, CDP_U32},
    {REFUSED(fan_out), 2048, CDP_U32},
    {REFUSED(fan_out), 1u << 31, CDP_U32},
    {REFUSED(fan_out), UINT32_MAX, CDP_U32},
    {REFUSED(reserved[0]), 1, CDP_U32},
    {REFUSED(reserved[1]), 1, CDP_U32},
    {REFUSED(reserved[2]), 1, CDP_U32},
    {REFUSED_TUNING(oversampling), CDP_OVERSAMPLING_MAX + 1, CDP_U32},
    {REFUSED_TUNING(oversampling), UINT32_MAX, CDP_F64},
    {REFUSED_TUNING(disable), 4, CDP_U32},
    {REFUSED_TUNING(disable), CDP_DISABLE_ONE_BLOCK | 1u << 31, CDP_U32},
    {REFUSED_TUNING(disable), UINT32_MAX, CDP_I64},
    {REFUSED_TUNING(reserved), 1, CDP_U32},
};

static const field_value accepted_values[] = {
    {FIELD(order), CDP_DESCENDING, CDP_U32},
    {FIELD(ties), CDP_TIES_STABLE, CDP_U32},
    {FIELD(ties), CDP_TIES_BY_VALUE, CDP_F64},
    {FIELD(depth_limit), 1, CDP_U32},
    {FIELD(depth_limit), CDP_DEPTH_MAX, CDP_U32},
    {FIELD(depth_limit), CDP_DEPTH_NONE, CDP_U32},
    {FIELD(leaf_items), CDP_LEAF_MIN, CDP_U32},
    {FIELD(leaf_items), CDP_LEAF_MAX_4_BYTES, CDP_I32},
    {FIELD(leaf_items), CDP_LEAF_MAX_8_BYTES, CDP_F64},
    {FIELD(leaf_items), 33, CDP_U64},
    {FIELD(scheme), CDP_SCHEME_LAST_BLOCK, CDP_U32},
    {FIELD(scheme), CDP_SCHEME_CONTROLLER, CDP_U32},
    {FIELD(scheme), CDP_SCHEME_HOST, CDP_U32},
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
    {TUNING(one_block_items), 1, CDP_U32},
    {TUNING(one_block_items), UINT32_MAX, CDP_U32},
    {TUNING(short_items), 1, CDP_U32},
    {TUNING(short_items), UINT32_MAX, CDP_U32},
    {TUNING(block_items), 1, CDP_U32},
    {TUNING(block_items), UINT32_MAX, CDP_F64},
    {TUNING(oversampling), 1, CDP_U32},
    {TUNING(oversampling), CDP_OVERSAMPLING_MAX, CDP_U32},
};

static void set_field(given_options *given, const field_value *row) {
  memcpy((unsigned char *)given + row->offset, &row->value, sizeof row->value);
}

START_TEST(refuses_a_value_out_of_range) {
  const field_value *row = &refused_values[_i];
  given_options given;
  give_defaults(&given);
  set_field(&given, row);
  uint64_t keys[] = {3, 1, 2};
  ck_assert_int_eq(cdp_quicksort(keys, 3, row->type, &given.options), CDP_ERROR_OPTION);
  ck_assert_msg(strstr(cdp_last_message(), row->field) != NULL, "%s is not in: %s", row->field, cdp_last_message());
  ck_assert_uint_eq(keys[0], 3);
  ck_assert_uint_eq(keys[1], 1);
  ck_assert_uint_eq(keys[2], 2);
  size_t bytes = 77;
  ck_assert_int_eq(cdp_quicksort_workspace(3, row->type, &given.options, &bytes), CDP_ERROR_OPTION);
  ck_assert_uint_eq(bytes, 77);
}
END_TEST

START_TEST(accepts_and_keeps_a_value_in_range) {
  const field_value *row = &accepted_values[_i];
  given_options given;
  cdp_settings settings;
  uint32_t kept;
  give_defaults(&given);
  set_field(&given, row);
  ck_assert_int_eq(cdp_options_resolve(&given.options, row->type, &settings), CDP_OK);
  memcpy(&kept, (const unsigned char *)&settings + row->settled, sizeof kept);
  ck_assert_msg(kept == row->value, "%s: %u became %u", row->field, row->value, kept);
}
END_TEST

/* _i: no options, options of zeros, and such with a tuning of zeros. */
START_TEST(zero_becomes_the_default) {
  const cdp_tuning no_tuning = {.size = sizeof no_tuning};
  const cdp_options zeros = {.size = sizeof zeros, .tuning = _i == 2 ? &no_tuning : NULL};
  const cdp_options *options = _i == 0 ? NULL : &zeros;
  cdp_settings settings;
  memset(&settings, 0x55, sizeof settings);
  ck_assert_int_eq(cdp_options_resolve(options, CDP_U32, &settings), CDP_OK);
  ck_assert_int_eq(settings.order, CDP_ASCENDING);
  ck_assert_int_eq(settings.ties, CDP_TIES_ANY);
  ck_assert_int_eq(settings.device, CDP_DEVICE_AUTO);
  ck_assert_uint_eq(settings.seed, 0);
  ck_assert_int_eq(settings.scheme, CDP_SCHEME_LAST_BLOCK);
  ck_assert_int_eq(settings.child_streams, CDP_STREAMS_FIRE_AND_FORGET);
  ck_assert_int_eq(settings.pivot, CDP_PIVOT_SAMPLED_MEDIAN);
  ck_assert_uint_eq(settings.depth_limit, 0);
  ck_assert_uint_eq(settings.leaf_items, CDP_LEAF_MAX_4_BYTES);
  ck_assert(!settings.bitonic_leaf);
  ck_assert_uint_eq(settings.fan_out, CDP_FAN_OUT_MAX);
  ck_assert(settings.allocator.allocate == NULL && settings.allocator.release == NULL);
  ck_assert_uint_eq(settings.one_block_items, UINT32_MAX);
  ck_assert_uint_eq(settings.short_items, UINT32_MAX);
  ck_assert_uint_eq(settings.block_items, 0);
  ck_assert_uint_eq(settings.oversampling, 0);
  ck_assert_int_eq(cdp_options_resolve(options, CDP_F64, &settings), CDP_OK);
  ck_assert_uint_eq(settings.leaf_items, CDP_LEAF_MAX_8_BYTES);
}
END_TEST

/* What is disabled has no items, whatever number was given. _i: the bits. */
START_TEST(disabled_ways_sort_no_array) {
  given_options given;
  cdp_settings settings;
  give_defaults(&given);
  given.tuning.disable = (uint32_t)_i;
  given.tuning.one_block_items = 1000;
  given.tuning.short_items = 2000;
  ck_assert_int_eq(cdp_options_resolve(&given.options, CDP_U32, &settings), CDP_OK);
  ck_assert_uint_eq(settings.one_block_items, (_i & (int)CDP_DISABLE_ONE_BLOCK) != 0 ? 0 : 1000);
  ck_assert_uint_eq(settings.short_items, (_i & (int)CDP_DISABLE_SHORT) != 0 ? 0 : 2000);
}
END_TEST

/* The leaf is bitonic where its size was given, whatever it is, and with two children. */
START_TEST(a_leaf_that_was_given_is_bitonic) {
  static const uint32_t leaves[] = {0, CDP_LEAF_MIN, CDP_LEAF_MAX_8_BYTES - 1, CDP_LEAF_MAX_8_BYTES};
  cdp_options options = simulated_options();
  cdp_settings settings;
  for (size_t which = 0; which < sizeof leaves / sizeof *leaves; which++) {
    options.leaf_items = leaves[which];
    options.pivot = CDP_PIVOT_DEFAULT;
    options.fan_out = 0;
    ck_assert_int_eq(cdp_options_resolve(&options, CDP_U64, &settings), CDP_OK);
    ck_assert(settings.bitonic_leaf == (leaves[which] != 0));
    options.fan_out = CDP_FAN_OUT_CLASSIC;
    ck_assert_int_eq(cdp_options_resolve(&options, CDP_U64, &settings), CDP_OK);
    ck_assert(settings.bitonic_leaf);
    options.fan_out = 0;
    options.pivot = CDP_PIVOT_NINTHER;
    ck_assert_int_eq(cdp_options_resolve(&options, CDP_U64, &settings), CDP_OK);
    ck_assert(settings.bitonic_leaf);
  }
}
END_TEST

/* A rule that gives one pivot means two children, unless more were asked for: then one of the two is a mistake. */
START_TEST(single_pivot_means_two_children) {
  static const uint32_t few[] = {0, CDP_FAN_OUT_CLASSIC};
  cdp_options options = simulated_options();
  cdp_settings settings;
  uint32_t keys[] = {2, 1};
  for (int pivot = CDP_PIVOT_MIDDLE; pivot <= CDP_PIVOT_MEAN; pivot++) {
    if (pivot == CDP_PIVOT_SAMPLED_MEDIAN)
      continue;
    options.pivot = (cdp_pivot)pivot;
    for (size_t which = 0; which < sizeof few / sizeof *few; which++) {
      options.fan_out = few[which];
      ck_assert_int_eq(cdp_options_resolve(&options, CDP_U32, &settings), CDP_OK);
      ck_assert_uint_eq(settings.fan_out, CDP_FAN_OUT_CLASSIC);
      ck_assert_int_eq(settings.pivot, pivot);
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
  cdp_settings settings;
  options.pivot = _i == 0 ? CDP_PIVOT_DEFAULT : CDP_PIVOT_SAMPLED_MEDIAN;
  for (size_t which = 0; which < sizeof fan_outs / sizeof *fan_outs; which++) {
    options.fan_out = fan_outs[which];
    ck_assert_int_eq(cdp_options_resolve(&options, CDP_U32, &settings), CDP_OK);
    ck_assert_uint_eq(settings.fan_out, meant[which]);
  }
}
END_TEST

START_TEST(initialiser_is_all_defaults) {
  const cdp_options initialised = CDP_OPTIONS_INIT;
  const cdp_options zeros = {.size = sizeof zeros};
  ck_assert_uint_eq(initialised.size, sizeof initialised);
  ck_assert_mem_eq(&initialised, &zeros, sizeof zeros);
  const cdp_tuning tuning = CDP_TUNING_INIT;
  const cdp_tuning no_tuning = {.size = sizeof no_tuning};
  ck_assert_mem_eq(&tuning, &no_tuning, sizeof no_tuning);
}
END_TEST

START_TEST(preset_differs_where_it_says) {
  static const cdp_tuning tuning = CDP_TUNING_ADVANCED_QUICKSORT_INIT;
  const cdp_options options = CDP_OPTIONS_ADVANCED_QUICKSORT_INIT(&tuning);
  cdp_settings settings;
  ck_assert_int_eq(cdp_options_resolve(&options, CDP_F32, &settings), CDP_OK);
  ck_assert_int_eq(settings.order, CDP_ASCENDING);
  ck_assert_int_eq(settings.device, CDP_DEVICE_AUTO);
  ck_assert_int_eq(settings.scheme, CDP_SCHEME_LAST_BLOCK);
  ck_assert_int_eq(settings.child_streams, CDP_STREAMS_NAMED);
  ck_assert_int_eq(settings.pivot, CDP_PIVOT_MIDDLE);
  ck_assert_uint_eq(settings.depth_limit, 16);
  ck_assert_uint_eq(settings.leaf_items, CDP_LEAF_MAX_4_BYTES);
  ck_assert_uint_eq(settings.fan_out, CDP_FAN_OUT_CLASSIC);
  ck_assert_uint_eq(settings.block_items, 1);
}
END_TEST

/* ---- Structures of other versions ------------------------------------------------------------------------------ */

/* A later version's structures: these, and more. */
typedef struct later_options {
  cdp_options known;
  uint64_t more[8];
} later_options;

typedef struct later_tuning {
  cdp_tuning known;
  uint64_t more[8];
} later_tuning;

/* Refused, with these words in the message, and nothing touched. */
static void must_refuse(const cdp_options *options, const char *first, const char *second) {
  uint32_t keys[] = {2, 1};
  size_t bytes = 77;
  ck_assert_int_eq(cdp_quicksort(keys, 2, CDP_U32, options), CDP_ERROR_OPTION);
  ck_assert_msg(strstr(cdp_last_message(), first) != NULL, "%s is not in: %s", first, cdp_last_message());
  ck_assert_msg(strstr(cdp_last_message(), second) != NULL, "%s is not in: %s", second, cdp_last_message());
  ck_assert_uint_eq(keys[0], 2);
  ck_assert_int_eq(cdp_quicksort_workspace(2, CDP_U32, options, &bytes), CDP_ERROR_OPTION);
  ck_assert_uint_eq(bytes, 77);
}

START_TEST(refuses_a_size_that_is_none) {
  static const size_t sizes[] = {0, 1, sizeof(size_t) - 1, 4097, SIZE_MAX};
  given_options given;
  give_defaults(&given);
  given.tuning.size = sizes[_i];
  must_refuse(&given.options, "tuning.size", "CDP_TUNING_INIT");
  given.options.size = sizes[_i];
  must_refuse(&given.options, "options.size", "CDP_OPTIONS_INIT");
}
END_TEST

/* What a caller compiled with an older version has behind its structure is not to be read. _i: how it came to be shorter. */
START_TEST(refuses_a_shorter_structure) {
  static const size_t sizes[] = {sizeof(size_t), offsetof(cdp_options, depth_limit), offsetof(cdp_options, reserved),
                                 sizeof(cdp_options) - 1};
  static const size_t tuning_sizes[] = {sizeof(size_t), offsetof(cdp_tuning, short_items), offsetof(cdp_tuning, reserved),
                                        sizeof(cdp_tuning) - 1};
  given_options given;
  give_defaults(&given);
  given.tuning.size = tuning_sizes[_i];
  must_refuse(&given.options, "tuning.size", "older cdpsort");
  must_refuse(&given.options, "cdp_tuning", "compile it again");
  given.options.size = sizes[_i];
  must_refuse(&given.options, "options.size", "older cdpsort");
  must_refuse(&given.options, "cdp_options", "compile it again");
}
END_TEST

START_TEST(accepts_a_longer_structure_of_zeros) {
  later_tuning tuning = {.known = CDP_TUNING_INIT};
  later_options options = {.known = simulated_options()};
  tuning.known.size = sizeof tuning;
  options.known.size = sizeof options;
  options.known.tuning = &tuning.known;
  uint32_t keys[] = {2, 1};
  ck_assert_int_eq(cdp_quicksort(keys, 2, CDP_U32, &options.known), CDP_OK);
  ck_assert_uint_eq(keys[0], 1);
}
END_TEST

START_TEST(refuses_fields_it_does_not_know) {
  later_tuning tuning = {.known = CDP_TUNING_INIT, .more = {[7] = 1}};
  later_options options = {.known = simulated_options()};
  tuning.known.size = sizeof tuning;
  options.known.size = sizeof options;
  options.known.tuning = &tuning.known;
  must_refuse(&options.known, "tuning has a value", "newer cdpsort");
  options.more[7] = 1;
  must_refuse(&options.known, "options has a value", "newer cdpsort");
}
END_TEST

#define ROWS(table) ((int)(sizeof(table) / sizeof *(table)))

static Suite *options_suite(void) {
  Suite *suite = suite_create("options");
  TCase *fields = tcase_create("fields");
  tcase_set_timeout(fields, TEST_SECONDS);
  tcase_add_loop_test(fields, refuses_a_value_out_of_range, 0, ROWS(refused_values));
  tcase_add_loop_test(fields, accepts_and_keeps_a_value_in_range, 0, ROWS(accepted_values));
  tcase_add_loop_test(fields, zero_becomes_the_default, 0, 3);
  tcase_add_loop_test(fields, disabled_ways_sort_no_array, 0, 4);
  tcase_add_test(fields, a_leaf_that_was_given_is_bitonic);
  tcase_add_test(fields, preset_differs_where_it_says);
  tcase_add_test(fields, single_pivot_means_two_children);
  tcase_add_loop_test(fields, sampled_pivots_go_with_any_fan_out, 0, 2);
  tcase_add_test(fields, initialiser_is_all_defaults);
  suite_add_tcase(suite, fields);
  TCase *versions = tcase_create("versions");
  tcase_set_timeout(versions, TEST_SECONDS);
  tcase_add_loop_test(versions, refuses_a_size_that_is_none, 0, 5);
  tcase_add_loop_test(versions, refuses_a_shorter_structure, 0, 4);
  tcase_add_test(versions, accepts_a_longer_structure_of_zeros);
  tcase_add_test(versions, refuses_fields_it_does_not_know);
  suite_add_tcase(suite, versions);
  return suite;
}

int main(void) {
  return run_suite(options_suite());
}
