/* SPDX-License-Identifier: MIT */
/*
 * Numbers that the environment gives to tests of many seeds.
 */
#ifndef CDPSORT_TESTS_ENVIRONMENT_H
#define CDPSORT_TESTS_ENVIRONMENT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number from the environment, digits alone; `otherwise` if it is not set, -1 if it is none. */
static inline int number_from_environment(const char *name, int otherwise) {
  const char *text = getenv(name);
  if (text == NULL || text[0] == '\0')
    return otherwise;
  if (strlen(text) > 9 || text[strspn(text, "0123456789")] != '\0') {
    (void)fprintf(stderr, "%s is \"%s\": it must be a number of at most 9 digits\n", name, text);
    return -1;
  }
  return (int)strtol(text, NULL, 10);
}

#endif
