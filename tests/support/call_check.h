/* SPDX-License-Identifier: MIT */
/*
 * What tests of calls as calls share: options for the simulated device, an allocator that keeps an account of what it was asked for, and
 * what a call that fails must have said.
 */
#ifndef CDPSORT_TESTS_CALL_CHECK_H
#define CDPSORT_TESTS_CALL_CHECK_H

#include <cdpsort/cdpsort.h>

#include <check.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline cdp_options simulated_options(void) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.device = CDP_DEVICE_SIMULATED;
  return options;
}

/* Of an allocator: how often it was asked, and for how many bytes at last. */
typedef struct account {
  int allocations;
  int releases;
  size_t bytes;
  bool is_empty; /* it has no memory to give */
} account;

static inline void *account_allocate(size_t bytes, void *context) {
  account *kept = (account *)context;
  kept->allocations++;
  kept->bytes = bytes;
  const size_t rounded = (bytes + CDP_WORKSPACE_ALIGNMENT - 1) / CDP_WORKSPACE_ALIGNMENT * CDP_WORKSPACE_ALIGNMENT;
  return kept->is_empty ? NULL : aligned_alloc(CDP_WORKSPACE_ALIGNMENT, rounded);
}

static inline void account_release(void *memory, size_t bytes, void *context) {
  account *kept = (account *)context;
  kept->releases++;
  ck_assert_uint_eq(bytes, kept->bytes);
  free(memory);
}

/* Options for the simulated device, with that allocator. */
static inline cdp_options options_with_account(account *kept) {
  cdp_options options = simulated_options();
  options.allocator.allocate = account_allocate;
  options.allocator.release = account_release;
  options.allocator.context = kept;
  return options;
}

/* Ends the test unless a call failed as it should, and said why. */
static inline void must_fail(cdp_status wanted, cdp_status status, const char *said) {
  ck_assert_msg(status == wanted, "%s, not %s: %s", cdp_status_name(status), cdp_status_name(wanted), cdp_last_message());
  ck_assert_msg(strstr(cdp_last_message(), said) != NULL, "'%s' is not in: %s", said, cdp_last_message());
}

#endif
