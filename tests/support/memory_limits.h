/* SPDX-License-Identifier: MIT */
/*
 * Less memory than the machine has, for the rest of a test's process or until it is given back; and, under AddressSanitizer, NULL
 * where memory is exhausted, in place of the end of the program.
 */
#ifndef CDPSORT_TESTS_MEMORY_LIMITS_H
#define CDPSORT_TESTS_MEMORY_LIMITS_H

#include <stdbool.h>

/* What no machine has is refused even where the system promises memory that it has not. Not under a sanitizer, which maps its own
   shadow, and refuses by itself. */
void memory_limits_set(void);

/* Lets the process have no more than 2 MiB beyond what it has, or all that it may have. Not under a sanitizer, whose own memory
   would be wanting first. */
void memory_limits_starve(bool is_starved);

#endif
