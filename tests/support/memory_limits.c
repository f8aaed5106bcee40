/* SPDX-License-Identifier: MIT */
/*
 * See memory_limits.h.
 */
#include "memory_limits.h"

#include "sanitized.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#if HOST_SANITIZED
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "allocator_may_return_null=1";
}
#endif

void memory_limits_set(void) {
  const struct rlimit limit = {(rlim_t)1 << 42, (rlim_t)1 << 42};
  if (!HOST_SANITIZED)
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
}

/* Bytes that are mapped. */
static rlim_t mapped_bytes(void) {
  char pages[32] = "";
  FILE *file = fopen("/proc/self/statm", "r");
  ck_assert_ptr_nonnull(file);
  ck_assert_ptr_nonnull(fgets(pages, sizeof pages, file)); // the first number is all that is mapped
  fclose(file);
  return (rlim_t)strtoul(pages, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE);
}

void memory_limits_starve(bool is_starved) {
  struct rlimit limit;
  ck_assert_int_eq(getrlimit(RLIMIT_AS, &limit), 0);
  limit.rlim_cur = is_starved ? mapped_bytes() + (2u << 20) : limit.rlim_max;
  ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
}
