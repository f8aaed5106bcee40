/* SPDX-License-Identifier: MIT */
/*
 * Status names and texts, the version, and what a thread remembers of its last call.
 */
#include "run_suite.h"

#include <cdpsort/study.h>

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

typedef struct known_status {
  cdp_status status;
  int value;
  const char *name;
} known_status;

/* The values are fixed for good. */
static const known_status known_statuses[] = {
    {CDP_OK, 0, "CDP_OK"},
    {CDP_ERROR_NULL, 1, "CDP_ERROR_NULL"},
    {CDP_ERROR_TYPE, 2, "CDP_ERROR_TYPE"},
    {CDP_ERROR_OPTION, 3, "CDP_ERROR_OPTION"},
    {CDP_ERROR_SIZE, 4, "CDP_ERROR_SIZE"},
    {CDP_ERROR_ALIGNMENT, 5, "CDP_ERROR_ALIGNMENT"},
    {CDP_ERROR_WORKSPACE, 6, "CDP_ERROR_WORKSPACE"},
    {CDP_ERROR_POINTER, 7, "CDP_ERROR_POINTER"},
    {CDP_ERROR_FILE, 8, "CDP_ERROR_FILE"},
    {CDP_ERROR_ORDER, 9, "CDP_ERROR_ORDER"},
    {CDP_ERROR_SOURCE, 12, "CDP_ERROR_SOURCE"},
    {CDP_ERROR_NO_DEVICE, 32, "CDP_ERROR_NO_DEVICE"},
    {CDP_ERROR_MEMORY, 33, "CDP_ERROR_MEMORY"},
    {CDP_ERROR_UNSUPPORTED, 34, "CDP_ERROR_UNSUPPORTED"},
    {CDP_ERROR_CUDA, 64, "CDP_ERROR_CUDA"},
    {CDP_ERROR_SIMULATED, 65, "CDP_ERROR_SIMULATED"},
};
#define KNOWN_STATUSES (sizeof known_statuses / sizeof *known_statuses)

static const cdp_options simulated = {.size = sizeof simulated, .device = CDP_DEVICE_SIMULATED};

START_TEST(status_has_its_value_name_and_text) {
  const known_status *known = &known_statuses[_i];
  ck_assert_int_eq((int)known->status, known->value);
  ck_assert_str_eq(cdp_status_name(known->status), known->name);
  ck_assert_uint_gt(strlen(cdp_status_text(known->status)), 3);
  for (size_t other = 0; other < KNOWN_STATUSES; other++) {
    if (other != (size_t)_i)
      ck_assert_str_ne(cdp_status_text(known->status), cdp_status_text(known_statuses[other].status));
  }
}
END_TEST

START_TEST(unknown_status_is_called_so) {
  static const int unknown[] = {-1, 10, 31, 35, 63, 66, 1000};
  ck_assert_str_eq(cdp_status_name((cdp_status)unknown[_i]), "unknown status");
  ck_assert_str_eq(cdp_status_text((cdp_status)unknown[_i]), "unknown status");
}
END_TEST

START_TEST(version_is_the_headers) {
  ck_assert_int_eq(cdp_version(), CDP_VERSION);
  ck_assert_int_eq(CDP_VERSION, 10000 * CDP_VERSION_MAJOR + 100 * CDP_VERSION_MINOR + CDP_VERSION_PATCH);
}
END_TEST

START_TEST(fresh_thread_remembers_nothing) {
  ck_assert_str_eq(cdp_last_message(), "");
  ck_assert_str_eq(cdp_last_device(), "");
  ck_assert_int_eq(cdp_last_cuda_error(), 0);
}
END_TEST

START_TEST(message_stays_until_the_next_call) {
  uint32_t keys[] = {2, 1};
  ck_assert_int_eq(cdp_quicksort(NULL, 2, CDP_U32, &simulated), CDP_ERROR_NULL);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "keys is NULL"));
  ck_assert_int_eq(cdp_last_cuda_error(), 0);
  (void)cdp_status_text(CDP_OK);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "keys is NULL"));
  ck_assert_int_eq(cdp_quicksort(keys, 2, CDP_U32, &simulated), CDP_OK);
  ck_assert_str_eq(cdp_last_message(), "");
}
END_TEST

START_TEST(every_call_clears_the_message) {
  size_t bytes;
  cdp_study study;
  uint32_t key = 1;
  (void)cdp_quicksort(NULL, 2, CDP_U32, &simulated);
  ck_assert_int_eq(cdp_quicksort_workspace(1, CDP_U32, &simulated, &bytes), CDP_OK);
  ck_assert_str_eq(cdp_last_message(), "");
  (void)cdp_quicksort(NULL, 2, CDP_U32, &simulated);
  ck_assert_int_eq(cdp_quicksort_async(&key, 1, CDP_U32, &simulated, NULL, 0, NULL), CDP_OK);
  ck_assert_str_eq(cdp_last_message(), "");
  (void)cdp_quicksort(NULL, 2, CDP_U32, &simulated);
  ck_assert_int_eq(cdp_study_quicksort(&key, 1, CDP_U32, &simulated, &study), CDP_OK);
  ck_assert_str_eq(cdp_last_message(), "");
}
END_TEST

START_TEST(device_is_that_of_the_last_good_sort) {
  uint32_t keys[] = {2, 1};
  ck_assert_int_eq(cdp_quicksort(keys, 1, CDP_U32, &simulated), CDP_OK);
  ck_assert_str_eq(cdp_last_device(), "");
  ck_assert_int_eq(cdp_quicksort(keys, 2, CDP_U32, &simulated), CDP_OK);
  ck_assert_str_eq(cdp_last_device(), "simulated device (on the CPU)");
  ck_assert_int_eq(cdp_quicksort(NULL, 2, CDP_U32, &simulated), CDP_ERROR_NULL);
  ck_assert_str_eq(cdp_last_device(), "simulated device (on the CPU)");
}
END_TEST

/* What a thread that has done nothing sees while another one has a message. */
static void *look_from_another_thread(void *seen) {
  bool *nothing = seen;
  *nothing = cdp_last_message()[0] == '\0' && cdp_last_device()[0] == '\0' && cdp_last_cuda_error() == 0;
  (void)cdp_quicksort_async(NULL, 2, (cdp_type)99, NULL, NULL, 0, NULL);
  *nothing = *nothing && strstr(cdp_last_message(), "type is 99") != NULL;
  return NULL;
}

START_TEST(threads_have_messages_of_their_own) {
  pthread_t thread;
  bool nothing = false;
  (void)cdp_quicksort(NULL, 2, CDP_U32, &simulated);
  ck_assert_int_eq(pthread_create(&thread, NULL, look_from_another_thread, &nothing), 0);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  ck_assert(nothing);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "keys is NULL"));
}
END_TEST

static Suite *status_suite(void) {
  Suite *suite = suite_create("status");
  TCase *words = tcase_create("words");
  tcase_add_loop_test(words, status_has_its_value_name_and_text, 0, (int)KNOWN_STATUSES);
  tcase_add_loop_test(words, unknown_status_is_called_so, 0, 7);
  tcase_add_test(words, version_is_the_headers);
  suite_add_tcase(suite, words);
  TCase *memory = tcase_create("what a thread remembers");
  tcase_set_timeout(memory, TEST_SECONDS);
  tcase_add_test(memory, fresh_thread_remembers_nothing);
  tcase_add_test(memory, message_stays_until_the_next_call);
  tcase_add_test(memory, every_call_clears_the_message);
  tcase_add_test(memory, device_is_that_of_the_last_good_sort);
  tcase_add_test(memory, threads_have_messages_of_their_own);
  suite_add_tcase(suite, memory);
  return suite;
}

int main(void) {
  return run_suite(status_suite());
}
