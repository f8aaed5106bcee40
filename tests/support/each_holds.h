/* SPDX-License-Identifier: MIT */
/*
 * Assertions about each key of an array. Check writes to a file for every assertion, so that a failure can be told of a process that has
 * died: half of the time of a test that asserts something for each key. These call it only where they fail.
 */
#ifndef CDPSORT_TESTS_EACH_HOLDS_H
#define CDPSORT_TESTS_EACH_HOLDS_H

#include <check.h>

#define EACH_HOLDS(condition)                                                                                                  \
  do {                                                                                                                         \
    if (!(condition))                                                                                                          \
      ck_abort_msg("%s does not hold", #condition);                                                                            \
  } while (0)

#define EACH_HOLDS_MSG(condition, ...)                                                                                         \
  do {                                                                                                                         \
    if (!(condition))                                                                                                          \
      ck_abort_msg(__VA_ARGS__);                                                                                               \
  } while (0)

#endif
