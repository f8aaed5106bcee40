/* SPDX-License-Identifier: MIT */
/*
 * What the chosen device is like is asked of that one, whichever is current, and the current one stays as it was, and its
 * context. With an engine made up for it, of two devices that are not alike: it takes the place of the static library's.
 */
#include "run_suite.h"

#include "device.h"
#include "status.h"

#include <stdio.h>
#include <string.h>

#define DEVICES 2

/* The thread's current device and its context, of its own or a device's; and the status that the engine's calls return next. */
static int current_ordinal;
static const char own_context, primary_contexts[DEVICES];
static const void *current_context;
static cdp_status enter_status;
static cdp_status describe_status;

/* Where the keys are. */
static cdp_memory_place keys_place;

static cdp_status answer(cdp_status status, const char *text, cdp_fault *fault) {
  if (status != CDP_OK) {
    fault->cuda_error = 46;
    (void)snprintf(fault->text, sizeof fault->text, "%s", text);
  }
  return status;
}

static int device_count(cdp_fault *fault) {
  (void)fault;
  return DEVICES;
}

static cdp_status enter(int ordinal, void *context, cdp_previous *previous, cdp_fault *fault) {
  ck_assert_ptr_null(context); // no memory of these tests is said to be of one
  *previous =
      (cdp_previous){.ordinal = current_ordinal, .is_switched = ordinal != current_ordinal, .context = (void *)current_context};
  if (enter_status == CDP_OK && previous->is_switched) {
    current_ordinal = ordinal;
    current_context = &primary_contexts[ordinal];
  }
  return answer(enter_status, "no entry", fault);
}

static void leave(const cdp_previous *previous) {
  current_ordinal = previous->ordinal;
  current_context = previous->context;
}

static cdp_status current(int *ordinal, cdp_fault *fault) {
  (void)fault;
  *ordinal = current_ordinal;
  return CDP_OK;
}

/* As CUDA: whatever the ordinal, the answer is about the current device. */
static cdp_status describe(int ordinal, cdp_device_facts *facts, cdp_fault *fault) {
  ck_assert_int_eq(ordinal, current_ordinal);
  facts->multiprocessors = 10 + (uint32_t)current_ordinal;
  return answer(describe_status, "no answer", fault);
}

static cdp_status locate(const void *pointer, cdp_memory_place *place, cdp_fault *fault) {
  (void)pointer;
  (void)fault;
  *place = keys_place;
  return CDP_OK;
}

const cdp_engine *cdp_engine_cuda(void) {
  static const cdp_engine engine = {
      .device_count = device_count, .enter = enter, .leave = leave, .current = current, .describe = describe, .locate = locate};
  return &engine;
}

/* _i: the chosen device, and the current one. */
static void set_up(int index, cdp_device_wish *wish) {
  current_ordinal = index / DEVICES;
  current_context = &own_context;
  enter_status = CDP_OK;
  describe_status = CDP_OK;
  keys_place = (cdp_memory_place){.kind = CDP_MEMORY_HOST, .ordinal = -1};
  *wish = (cdp_device_wish){.kind = CDP_WISH_ONE_CUDA, .ordinal = index % DEVICES, .source = "options.device"};
}

START_TEST(facts_are_the_chosen_devices) {
  cdp_device_wish wish;
  cdp_device device;
  set_up(_i, &wish);
  ck_assert_int_eq(cdp_device_choose(&wish, NULL, &device), CDP_OK);
  ck_assert_int_eq(device.ordinal, _i % DEVICES);
  ck_assert_uint_eq(device.facts.multiprocessors, 10 + (uint32_t)(_i % DEVICES));
  ck_assert_int_eq(current_ordinal, _i / DEVICES);
  ck_assert_ptr_eq(current_context, &own_context);
}
END_TEST

START_TEST(facts_are_those_of_the_device_that_holds_the_keys) {
  const int key = 0;
  cdp_device_wish wish;
  cdp_device device;
  set_up(_i, &wish);
  wish.kind = CDP_WISH_ANY_CUDA;
  keys_place = (cdp_memory_place){.kind = CDP_MEMORY_DEVICE, .ordinal = _i % DEVICES};
  ck_assert_int_eq(cdp_device_choose(&wish, &key, &device), CDP_OK);
  ck_assert_uint_eq(device.facts.multiprocessors, 10 + (uint32_t)(_i % DEVICES));
  ck_assert_int_eq(current_ordinal, _i / DEVICES);
  ck_assert_ptr_eq(current_context, &own_context);
}
END_TEST

START_TEST(current_device_stays_whatever_fails) {
  cdp_device_wish wish;
  cdp_device device;
  set_up(_i, &wish);
  describe_status = CDP_ERROR_UNSUPPORTED;
  ck_assert_int_eq(cdp_device_choose(&wish, NULL, &device), CDP_ERROR_UNSUPPORTED);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "no answer"));
  ck_assert_int_eq(current_ordinal, _i / DEVICES);
  ck_assert_ptr_eq(current_context, &own_context);
  set_up(_i, &wish);
  enter_status = CDP_ERROR_CUDA;
  ck_assert_int_eq(cdp_device_choose(&wish, NULL, &device), CDP_ERROR_CUDA);
  ck_assert_ptr_nonnull(strstr(cdp_last_message(), "no entry"));
  ck_assert_int_eq(cdp_last_cuda_error(), 46);
  ck_assert_int_eq(current_ordinal, _i / DEVICES);
  ck_assert_ptr_eq(current_context, &own_context);
}
END_TEST

static Suite *device_facts_suite(void) {
  Suite *suite = suite_create("device_facts");
  TCase *facts = tcase_create("facts");
  tcase_add_loop_test(facts, facts_are_the_chosen_devices, 0, DEVICES * DEVICES);
  tcase_add_loop_test(facts, facts_are_those_of_the_device_that_holds_the_keys, 0, DEVICES * DEVICES);
  tcase_add_loop_test(facts, current_device_stays_whatever_fails, 0, DEVICES * DEVICES);
  suite_add_tcase(suite, facts);
  return suite;
}

int main(void) {
  return run_suite(device_facts_suite());
}
