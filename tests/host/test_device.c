/* SPDX-License-Identifier: MIT */
/*
 * Choosing the device: options.device, the environment variable CDPSORT_DEVICE, and what is said where there is no GPU.
 * Linked with the static library, to ask the engines themselves whether there is a GPU: each test holds with and without one.
 *
 * Every test runs in a process of its own, so that none sees another's environment.
 */
#define _POSIX_C_SOURCE 200809L // setenv()

#include "run_suite.h"

#include "device.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define SIMULATED_NAME "simulated device (on the CPU)"
#define ADVICE "CDPSORT_DEVICE=simulated"

/* CUDA devices that this machine has. */
static int cuda_devices(void) {
  const cdp_engine *engine = cdp_engine_cuda();
  cdp_fault fault = {0};
  return engine != NULL ? engine->device_count(&fault) : 0;
}

/* NULL takes the variable away. */
static void set_environment(const char *value) {
  ck_assert_int_eq(value != NULL ? setenv("CDPSORT_DEVICE", value, 1) : unsetenv("CDPSORT_DEVICE"), 0);
}

/* Sorts two keys with options.device; tells whether they came out sorted, or, after a failure, untouched. */
static cdp_status sort_two(int32_t device) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.device = device;
  uint32_t keys[] = {2, 1};
  const cdp_status status = cdp_quicksort(keys, 2, CDP_U32, &options);
  ck_assert_uint_eq(keys[0], status == CDP_OK ? 1 : 2);
  ck_assert_uint_eq(keys[1], status == CDP_OK ? 2 : 1);
  return status;
}

/* ---- The environment ------------------------------------------------------------------------------------------- */

static const char *const names_of_a_gpu[] = {NULL, "", "auto", "cuda", "cuda:0", "cuda:00"};

START_TEST(automatic_is_the_gpu_or_an_error) {
  set_environment(names_of_a_gpu[_i]);
  if (cuda_devices() > 0) {
    ck_assert_int_eq(sort_two(CDP_DEVICE_AUTO), CDP_OK);
    ck_assert_ptr_nonnull(strstr(cdp_last_device(), "CUDA device"));
  } else {
    ck_assert_int_eq(sort_two(CDP_DEVICE_AUTO), CDP_ERROR_NO_DEVICE);
    ck_assert_msg(strstr(cdp_last_message(), ADVICE) != NULL, "no advice in: %s", cdp_last_message());
    ck_assert_msg(strstr(cdp_last_message(), "CDP_DEVICE_SIMULATED") != NULL, "no advice in: %s", cdp_last_message());
    ck_assert_str_eq(cdp_last_device(), "");
  }
}
END_TEST

START_TEST(environment_chooses_the_simulated_device) {
  set_environment("simulated");
  ck_assert_int_eq(sort_two(CDP_DEVICE_AUTO), CDP_OK);
  ck_assert_str_eq(cdp_last_device(), SIMULATED_NAME);
  uint32_t keys[] = {2, 1};
  ck_assert_int_eq(cdp_quicksort(keys, 2, CDP_U32, NULL), CDP_OK);
  ck_assert_uint_eq(keys[0], 1);
}
END_TEST

static const char *const malformed[] = {
    "gpu",
    "Simulated",
    "simulated ",
    " simulated",
    "CUDA",
    "cuda:",
    "cuda:-1",
    "cuda:1x",
    "cuda: 0",
    "cuda:+1",
    "cuda:0x0",
    "cuda:1,2",
    "cuda0",
    "auto,simulated",
    "cuda:2147483648",
    "cuda:99999999999999999999999",
    "0",
    "-1",
    " ",
    "%s%s%n",
};

START_TEST(refuses_a_malformed_environment) {
  set_environment(malformed[_i]);
  ck_assert_int_eq(sort_two(CDP_DEVICE_AUTO), CDP_ERROR_OPTION);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "CDPSORT_DEVICE"));
  ck_assert_msg(strstr(cdp_last_message(), malformed[_i]) != NULL, "'%s' is not in: %s", malformed[_i], cdp_last_message());
  size_t bytes = 77;
  ck_assert_int_eq(cdp_quicksort_workspace(1000, CDP_U32, NULL, &bytes), CDP_ERROR_OPTION);
  ck_assert_uint_eq(bytes, 77);
}
END_TEST

START_TEST(refuses_an_endless_environment) {
  static char value[5000];
  memset(value, 'x', sizeof value - 1);
  set_environment(value);
  ck_assert_int_eq(sort_two(CDP_DEVICE_AUTO), CDP_ERROR_OPTION);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "unset it"));
}
END_TEST

START_TEST(environment_is_read_at_every_call) {
  set_environment("simulated");
  ck_assert_int_eq(sort_two(CDP_DEVICE_AUTO), CDP_OK);
  set_environment("nonsense");
  ck_assert_int_eq(sort_two(CDP_DEVICE_AUTO), CDP_ERROR_OPTION);
  set_environment("simulated");
  ck_assert_int_eq(sort_two(CDP_DEVICE_AUTO), CDP_OK);
}
END_TEST

START_TEST(option_comes_before_the_environment) {
  set_environment(_i == 0 ? "nonsense" : "cuda:1000");
  ck_assert_int_eq(sort_two(CDP_DEVICE_SIMULATED), CDP_OK);
  ck_assert_str_eq(cdp_last_device(), SIMULATED_NAME);
  set_environment("simulated");
  ck_assert_int_eq(sort_two(CDP_DEVICE_CUDA(1000)), CDP_ERROR_NO_DEVICE);
}
END_TEST

/* ---- Devices that do not exist --------------------------------------------------------------------------------- */

START_TEST(refuses_a_device_that_does_not_exist) {
  static const int32_t devices[] = {CDP_DEVICE_CUDA(1000), CDP_DEVICE_CUDA(INT32_MAX - 1)};
  set_environment(NULL);
  ck_assert_int_eq(sort_two(devices[_i]), CDP_ERROR_NO_DEVICE);
  ck_assert_msg(strstr(cdp_last_message(), ADVICE) != NULL, "no advice in: %s", cdp_last_message());
  size_t bytes = 77;
  const cdp_options options = {.size = sizeof options, .device = devices[_i]};
  ck_assert_int_eq(cdp_quicksort_workspace(1000, CDP_U32, &options, &bytes), CDP_ERROR_NO_DEVICE);
  ck_assert_uint_eq(bytes, 77);
}
END_TEST

START_TEST(refuses_a_device_in_the_environment_that_does_not_exist) {
  set_environment("cuda:1000");
  ck_assert_int_eq(sort_two(CDP_DEVICE_AUTO), CDP_ERROR_NO_DEVICE);
  if (cuda_devices() > 0)
    ck_assert_ptr_nonnull(strstr(cdp_last_message(), "CDPSORT_DEVICE"));
}
END_TEST

START_TEST(needs_no_device_for_no_work) {
  set_environment("cuda:1000");
  uint32_t key = 5;
  size_t bytes = 77;
  ck_assert_int_eq(cdp_quicksort(NULL, 0, CDP_U32, NULL), CDP_OK);
  ck_assert_int_eq(cdp_quicksort(&key, 1, CDP_U32, NULL), CDP_OK);
  ck_assert_int_eq(cdp_quicksort_async(&key, 1, CDP_U32, NULL, NULL, 0, NULL), CDP_OK);
  ck_assert_int_eq(cdp_quicksort_workspace(1, CDP_U32, NULL, &bytes), CDP_OK);
  ck_assert_uint_eq(bytes, 0);
  ck_assert_uint_eq(key, 5);
  ck_assert_str_eq(cdp_last_device(), "");
}
END_TEST

/* ---- What is asked for, read ----------------------------------------------------------------------------------- */

typedef struct wish_row {
  int32_t option;
  const char *environment;
  cdp_wish_kind kind;
  int ordinal;
} wish_row;

static const wish_row wishes[] = {
    {CDP_DEVICE_AUTO, NULL, CDP_WISH_ANY_CUDA, 0},         {CDP_DEVICE_AUTO, "auto", CDP_WISH_ANY_CUDA, 0},
    {CDP_DEVICE_AUTO, "cuda", CDP_WISH_ANY_CUDA, 0},       {CDP_DEVICE_AUTO, "cuda:0", CDP_WISH_ONE_CUDA, 0},
    {CDP_DEVICE_AUTO, "cuda:7", CDP_WISH_ONE_CUDA, 7},     {CDP_DEVICE_AUTO, "cuda:2147483647", CDP_WISH_ONE_CUDA, INT_MAX},
    {CDP_DEVICE_AUTO, "simulated", CDP_WISH_SIMULATED, 0}, {CDP_DEVICE_CUDA(0), "simulated", CDP_WISH_ONE_CUDA, 0},
    {CDP_DEVICE_CUDA(3), "cuda:7", CDP_WISH_ONE_CUDA, 3},  {CDP_DEVICE_SIMULATED, "cuda:7", CDP_WISH_SIMULATED, 0},
};

START_TEST(reads_what_is_asked_for) {
  const wish_row *row = &wishes[_i];
  cdp_device_wish wish;
  set_environment(row->environment);
  ck_assert_int_eq(cdp_device_wish_read(row->option, &wish), CDP_OK);
  ck_assert_int_eq(wish.kind, row->kind);
  ck_assert_int_eq(wish.ordinal, row->ordinal);
  const bool by_environment = row->option == CDP_DEVICE_AUTO && row->environment != NULL;
  ck_assert_msg((strstr(wish.source, "CDPSORT_DEVICE") != NULL) == by_environment, "source: %s", wish.source);
}
END_TEST

START_TEST(simulated_engine_is_always_there) {
  const cdp_engine *engine = cdp_engine_simulated();
  cdp_fault fault = {0};
  cdp_device_facts facts;
  ck_assert(engine->simulated);
  ck_assert_int_eq(engine->device_count(&fault), 1);
  ck_assert_int_eq(engine->describe(0, &facts, &fault), CDP_OK);
  ck_assert_str_eq(facts.name, SIMULATED_NAME);
  ck_assert_uint_gt(facts.multiprocessors, 0);
}
END_TEST

#define ROWS(table) ((int)(sizeof(table) / sizeof *(table)))

static Suite *device_suite(void) {
  Suite *suite = suite_create("device");
  TCase *environment = tcase_create("environment");
  tcase_set_timeout(environment, TEST_SECONDS);
  tcase_add_loop_test(environment, automatic_is_the_gpu_or_an_error, 0, ROWS(names_of_a_gpu));
  tcase_add_test(environment, environment_chooses_the_simulated_device);
  tcase_add_loop_test(environment, refuses_a_malformed_environment, 0, ROWS(malformed));
  tcase_add_test(environment, refuses_an_endless_environment);
  tcase_add_test(environment, environment_is_read_at_every_call);
  tcase_add_loop_test(environment, option_comes_before_the_environment, 0, 2);
  suite_add_tcase(suite, environment);
  TCase *absent = tcase_create("absent devices");
  tcase_set_timeout(absent, TEST_SECONDS);
  tcase_add_loop_test(absent, refuses_a_device_that_does_not_exist, 0, 2);
  tcase_add_test(absent, refuses_a_device_in_the_environment_that_does_not_exist);
  tcase_add_test(absent, needs_no_device_for_no_work);
  suite_add_tcase(suite, absent);
  TCase *wish = tcase_create("wish");
  tcase_add_loop_test(wish, reads_what_is_asked_for, 0, ROWS(wishes));
  tcase_add_test(wish, simulated_engine_is_always_there);
  suite_add_tcase(suite, wish);
  return suite;
}

int main(void) {
  return run_suite(device_suite());
}
