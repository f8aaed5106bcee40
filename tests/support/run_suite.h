/* SPDX-License-Identifier: MIT */
/*
 * What every test program ends with: runs a suite, and fails if a test failed or none was run.
 */
#ifndef CDPSORT_TESTS_RUN_SUITE_H
#define CDPSORT_TESTS_RUN_SUITE_H

#include "rounds.h"
#include "sanitized.h"

#include <check.h>
#include <stdlib.h>

/* Seconds that a test of many sorts may take. */
#define TEST_SECONDS 300

/* A loop test whose rounds differ in their options, types or seeds alone. */
static inline void add_options_loop_test(TCase *tests, const TTest *test, int begin, int end) {
  for (int round = begin; round < end; round += ROUND_STRIDE)
    tcase_add_loop_test(tests, test, round, round + 1);
}

static inline int run_suite(Suite *suite) {
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int ran = srunner_ntests_run(runner);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return ran > 0 && failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
