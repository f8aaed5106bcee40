/* SPDX-License-Identifier: MIT */
/*
 * The sum of a study's depths, for tests in C and in C++. The sizes of the least and the greatest task have no sum, and are 0.
 */
#ifndef CDPSORT_TESTS_STUDY_TOTAL_H
#define CDPSORT_TESTS_STUDY_TOTAL_H

#include <cdpsort/study.h>

#include <string.h>

static inline cdp_study_depth study_total(const cdp_study *study) {
  cdp_study_depth sum;
  memset(&sum, 0, sizeof sum);
  for (uint32_t depth = 0; depth < CDP_STUDY_DEPTHS; depth++) {
    const cdp_study_depth *row = &study->depths[depth];
    sum.tasks += row->tasks;
    sum.task_items += row->task_items;
    sum.block_partitions += row->block_partitions;
    sum.equal_items += row->equal_items;
    sum.leaves += row->leaves;
    sum.leaf_items += row->leaf_items;
    sum.collected += row->collected;
    sum.children_launched += row->children_launched;
    sum.launches_refused += row->launches_refused;
    sum.deferred += row->deferred;
    sum.fallback_depth += row->fallback_depth;
    sum.fallback_refused += row->fallback_refused;
    sum.fallback_pool += row->fallback_pool;
  }
  return sum;
}

#endif
