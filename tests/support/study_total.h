/* SPDX-License-Identifier: MIT */
/*
 * The sum of a study's depths, for tests in C and in C++: not the library's own, which it can be compared with. The sizes of
 * the least and the greatest task have no sum, and are 0.
 */
#ifndef CDPSORT_TESTS_STUDY_TOTAL_H
#define CDPSORT_TESTS_STUDY_TOTAL_H

#include <cdpsort/study.h>

#include <string.h>

/* A row is nothing but numbers of 64 bits. */
#define STUDY_NUMBERS (sizeof(cdp_study_depth) / sizeof(uint64_t))

static inline cdp_study_depth study_total(const cdp_study *study) {
  cdp_study_depth sum;
  uint64_t numbers[STUDY_NUMBERS] = {0};
  for (uint32_t depth = 0; depth < CDP_STUDY_DEPTHS; depth++) {
    uint64_t row[STUDY_NUMBERS];
    memcpy(row, &study->depths[depth], sizeof row);
    for (size_t number = 0; number < STUDY_NUMBERS; number++)
      numbers[number] += row[number];
  }
  memcpy(&sum, numbers, sizeof sum);
  sum.min_task_items = 0;
  sum.max_task_items = 0;
  return sum;
}

#endif
