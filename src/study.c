/* SPDX-License-Identifier: MIT */
/*
 * The calls of study.h that time and count: the path of cdp_quicksort() (sort.h), and what is gathered on it. The one that
 * traces is in trace.c.
 */
#include "arguments.h"
#include "sort.h"
#include "status.h"

#include <string.h>

cdp_status cdp_time_quicksort(void *keys, size_t count, cdp_type type, const cdp_options *options, double *milliseconds) {
  cdp_gathering time = {0};
  cdp_message_clear();
  if (milliseconds == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "milliseconds is NULL: give a pointer to a double, or call cdp_quicksort()");
  const cdp_status status = cdp_sort_blocking(keys, count, type, options, &time);
  *milliseconds = status == CDP_OK ? time.milliseconds : 0;
  return status;
}

cdp_status cdp_study_quicksort(void *keys, size_t count, cdp_type type, const cdp_options *options, cdp_study *study) {
  cdp_gathering counts = {.study = study};
  cdp_message_clear();
  if (study == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "study is NULL: give a pointer to a cdp_study, or call cdp_quicksort()");
  memset(study, 0, sizeof *study);
  cdp_status status = cdp_arguments_check_recursion(type, "cdp_study_quicksort()");
  if (status == CDP_OK)
    status = cdp_sort_blocking(keys, count, type, options, &counts);
  // A sort that failed half-way has counted some: half of the truth is not to be taken for it.
  if (status != CDP_OK)
    memset(study, 0, sizeof *study);
  return status;
}
