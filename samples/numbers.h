/* SPDX-License-Identifier: MIT */
/*
 * Lists of numbers and how they come from a file and go into one: the two ends of sort_numbers.
 *
 * Text is one or more numbers a line, separated by blanks; binary is keys as the machine holds them, one after the other.
 * Everything here says what is wrong on stderr itself, with the file and the line, and then returns false.
 */
#ifndef CDPSORT_SAMPLES_NUMBERS_H
#define CDPSORT_SAMPLES_NUMBERS_H

#include <cdpsort/cdpsort.h>

#include <stdbool.h>
#include <stddef.h>

/* `count` keys of a type. The reader allocates, numbers_release() frees. */
typedef struct number_list {
  cdp_type type;
  bool binary; /* how they are read and written */
  void *keys;
  size_t count;
  size_t capacity;
} number_list;

/* Reads all numbers of a file, "-" being standard input. What was read before a failure is in the list, to be released. */
bool numbers_read(number_list *numbers, const char *path);

/*
 * Writes all numbers, one a line, to standard output or, where `path` is not NULL, to a file. A file appears complete or not
 * at all: the numbers go to a file beside it, which takes its name at the end. Pipes and devices are written as they are.
 */
bool numbers_write(const number_list *numbers, const char *path);

void numbers_release(number_list *numbers);

#endif
