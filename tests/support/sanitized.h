/* SPDX-License-Identifier: MIT */
/*
 * Whether a test is compiled with a sanitizer. Sanitizers look for what an oracle does not see, and a sort takes four times as
 * long under them: they are given every kind of sort, but not every combination of options.
 */
#ifndef CDPSORT_TESTS_SANITIZED_H
#define CDPSORT_TESTS_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
#define HOST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HOST_SANITIZED 1
#endif
#endif
#ifndef HOST_SANITIZED
#define HOST_SANITIZED 0
#endif

/* Every fifth round of a loop, under a sanitizer: five goes evenly into no number of types, schemes or orders, so that all of
   them have their turn. */
#define SANITIZED_STRIDE (HOST_SANITIZED ? 5 : 1)

/* Where such a loop begins: at `round` under a sanitizer, so that loops within a loop are not all at the same one. */
#define SANITIZED_FIRST(round) (HOST_SANITIZED ? (round) % SANITIZED_STRIDE : 0)

/* The same for nested loops, whose rounds are counted: whether one is left out. Inner loops may have five rounds themselves. */
static inline int sanitizers_leave_out(int round, int first) {
  return (round + (HOST_SANITIZED ? round / SANITIZED_STRIDE : 0)) % SANITIZED_STRIDE != SANITIZED_FIRST(first);
}

#endif
