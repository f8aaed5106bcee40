/* SPDX-License-Identifier: MIT */
/*
 * In which order a blocking call does things, whatever the device: an engine notes what it is asked for. Host memory is read when the
 * device's earlier work is done, and not before; and whatever fails, work ends before its memory goes, and the stream is given back.
 */
#include "memory.h"

#include "call_check.h"
#include "run_suite.h"

/* What the engine was asked for, a letter each, in their order; and which letter fails. */
static char steps[64];
static char failing;

static cdp_status note(char step) {
  const size_t length = strlen(steps);
  ck_assert_uint_lt(length, sizeof steps - 1);
  steps[length] = step;
  return step == failing ? CDP_ERROR_CUDA : CDP_OK;
}

static cdp_status enter(int ordinal, void *context, cdp_previous *previous, cdp_fault *fault) {
  (void)ordinal;
  (void)context;
  (void)fault;
  *previous = (cdp_previous){0};
  return note('e');
}

static void leave(const cdp_previous *previous) {
  (void)previous;
  (void)note('l');
}

static int a_stream;

static cdp_status begin(void **stream, cdp_fault *fault) {
  (void)fault;
  *stream = &a_stream;
  return note('w'); // the wait
}

static cdp_status finish(void *stream, const char *doing, cdp_fault *fault) {
  (void)doing;
  (void)fault;
  ck_assert_ptr_eq(stream, &a_stream);
  return note('f');
}

static void end(void *stream) {
  ck_assert_ptr_eq(stream, &a_stream);
  (void)note('x');
}

static cdp_status allocate(size_t bytes, void *stream, bool may_wait, void **memory, cdp_fault *fault) {
  (void)fault;
  ck_assert(may_wait && stream == &a_stream);
  *memory = failing == 'a' ? NULL : malloc(bytes);
  return note('a');
}

static cdp_status release(void *memory, void *stream, cdp_fault *fault) {
  (void)fault;
  ck_assert_ptr_eq(stream, &a_stream);
  free(memory);
  return memory != NULL ? note('r') : CDP_OK;
}

static cdp_status copy(void *destination, const void *source, size_t bytes, void *stream, cdp_fault *fault) {
  (void)fault;
  ck_assert_ptr_eq(stream, &a_stream);
  memcpy(destination, source, bytes);
  return note('c');
}

static const cdp_engine noting = {.enter = enter,
                                  .leave = leave,
                                  .begin = begin,
                                  .finish = finish,
                                  .end = end,
                                  .allocate = allocate,
                                  .release = release,
                                  .copy = copy};

static cdp_status work(const cdp_engine *engine, const cdp_array *arrays, void *d_workspace, void *stream, void *context,
                       cdp_fault *fault) {
  (void)engine;
  (void)context;
  (void)fault;
  ck_assert(arrays[0].d_source != NULL && d_workspace != NULL && stream == &a_stream);
  return note('k'); // the kernels
}

static cdp_status inspect(void *context, const cdp_array *arrays) {
  (void)context;
  ck_assert(arrays[0].is_in_host_memory);
  return note('i');
}

/* Host memory, which is copied, or memory that the device reaches. */
static cdp_status do_job(bool is_copied) {
  static uint32_t keys[8];
  const cdp_device device = {.engine = &noting};
  cdp_array array = {
      .source = keys, .target = keys, .bytes = sizeof keys, .is_copied = is_copied, .is_in_host_memory = is_copied};
  const cdp_memory_job job = {.arrays = &array,
                              .array_count = 1,
                              .workspace_bytes = 256,
                              .doing = "sorting",
                              .inspect = is_copied ? inspect : NULL,
                              .work = work};
  memset(steps, 0, sizeof steps);
  return cdp_memory_do(&device, &job);
}

START_TEST(host_memory_is_read_after_the_wait) {
  failing = 0;
  ck_assert_int_eq(do_job(true), CDP_OK);
  ck_assert_str_eq(steps, "ewiackfcfrxl");
}
END_TEST

START_TEST(device_memory_is_worked_on_where_it_is) {
  failing = 0;
  ck_assert_int_eq(do_job(false), CDP_OK);
  ck_assert_str_eq(steps, "ewakfrxl");
}
END_TEST

typedef struct failure {
  char step;
  const char *steps; /* all of them */
} failure;

static const failure failures[] = {{'e', "e"},         {'w', "ewl"},        {'i', "ewixl"},      {'a', "ewiaxl"},
                                   {'c', "ewiacfrxl"}, {'k', "ewiackfrxl"}, {'f', "ewiackffrxl"}};
#define FAILURES ((int)(sizeof failures / sizeof failures[0]))

/* _i: which step fails. What may be under way is waited for, and what was taken is given back. */
START_TEST(failure_gives_everything_back) {
  failing = failures[_i].step;
  ck_assert_int_eq(do_job(true), CDP_ERROR_CUDA);
  ck_assert_str_eq(steps, failures[_i].steps);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("call_steps");
  TCase *tests = tcase_create("call_steps");
  tcase_add_test(tests, host_memory_is_read_after_the_wait);
  tcase_add_test(tests, device_memory_is_worked_on_where_it_is);
  tcase_add_loop_test(tests, failure_gives_everything_back, 0, FAILURES);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
