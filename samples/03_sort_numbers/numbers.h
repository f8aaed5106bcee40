/* SPDX-License-Identifier: MIT */
/*
 * Lists of numbers and how they come from a file and go into one: the two ends of sort_numbers.
 *
 * Text is one or more numbers a line, separated by blanks; binary is keys as the machine holds them, one after the other.
 * Everything here says what is wrong on stderr itself, with the file and the line, and then returns false.
 */
#ifndef CDPSORT_SAMPLES_NUMBERS_H
#define CDPSORT_SAMPLES_NUMBERS_H

#include "output_file.h"

#include <cdpsort/cdpsort.h>

#include <stdbool.h>
#include <stddef.h>

/* `count` keys of a type. The reader allocates, numbers_release() frees. */
typedef struct number_list {
  cdp_type type;
  bool binary; /* how they are read and written */
  void *keys;
  size_t count;
  size_t capacity; /* bytes that keys has room for */
} number_list;

/* Reads all numbers of a file, "-" being standard input. What was read before a failure is in the list, to be released. */
bool numbers_read(number_list *numbers, const char *path);

/* Writes all numbers, one a line, to a file that was prepared. The caller closes it. */
bool numbers_write(const number_list *numbers, output_file *out);

void numbers_release(number_list *numbers);

#endif
