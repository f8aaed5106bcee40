/* SPDX-License-Identifier: MIT */
/*
 * What tests of whole sorts on the simulated device begin with, and the checks that end them.
 */
#ifndef CDPSORT_TESTS_HOST_CHECK_H
#define CDPSORT_TESTS_HOST_CHECK_H

#include "host_data.h"
#include "study_total.h"

#include <check.h>

#define SCHEMES 3

/* The schemes in turn. */
static inline cdp_scheme scheme_of(int index) {
  return (cdp_scheme)(CDP_SCHEME_LAST_BLOCK + index % SCHEMES);
}

/* Default options, but for the device and the seed. */
static inline host_case simulated_case(cdp_type type, size_t count, host_distribution distribution, uint64_t seed) {
  host_case sort = {.type = type, .count = count, .distribution = distribution, .seed = seed, .options = CDP_OPTIONS_INIT};
  sort.options.device = CDP_DEVICE_SIMULATED;
  sort.options.seed = seed;
  return sort;
}

/* End the test unless the keys are sorted. */
static inline void must_sort(const host_case *sort) {
  char why[HOST_WHY_BYTES];
  ck_assert_msg(host_sort(sort, NULL, why), "%s", why);
}

static inline void must_study(const host_case *sort, cdp_study *study) {
  char why[HOST_WHY_BYTES];
  ck_assert_msg(host_sort(sort, study, why), "%s", why);
}

/* End the test unless the seed decides every count of a study: the same one gives the same, the next one does not. */
static inline void must_count_by_seed(host_case sort) {
  cdp_study first, second, other;
  must_study(&sort, &first);
  must_study(&sort, &second);
  sort.options.seed++;
  must_study(&sort, &other);
  ck_assert(first.milliseconds > 0.0);
  first.milliseconds = second.milliseconds = other.milliseconds = 0.0;
  ck_assert_mem_eq(&first, &second, sizeof first);
  ck_assert_mem_ne(&first, &other, sizeof first);
}

#endif
