/* SPDX-License-Identifier: MIT */
/* Numbers of keys on a command line: see size_list.h. */
#include "size_list.h"

#include <inttypes.h>
#include <string.h>

uint64_t sizes_between(uint32_t first, uint32_t last) {
  return (UINT64_C(2) << last) - (UINT64_C(1) << first);
}

uint32_t greatest_log2(uint64_t sizes) {
  uint32_t greatest = 0;
  while (sizes >> greatest > 1)
    greatest++;
  return greatest;
}

/* "10-25" or "20": exponents. */
static bool parse_exponents(const char *word, uint32_t log2_least, uint32_t log2_most, uint64_t *sizes) {
  char first[8] = "";
  uint64_t from;
  uint64_t to;
  const size_t length = strcspn(word, "-");
  if (length >= sizeof first)
    return false;
  memcpy(first, word, length);
  const char *last = word[length] == '-' ? word + length + 1 : first;
  if (!parse_whole(first, &from) || !parse_whole(last, &to) || from < log2_least || from > to || to > log2_most)
    return false;
  *sizes |= sizes_between((uint32_t)from, (uint32_t)to);
  return true;
}

/* "2^20" or "1Mi": one power of two. Digits alone would be an exponent, and are none that may be. */
static bool parse_power(const char *word, uint32_t log2_least, uint32_t log2_most, uint64_t *sizes) {
  uint64_t count;
  if (strpbrk(word, "^KMG") == NULL || !parse_count(word, &count) || count == 0 || (count & (count - 1)) != 0)
    return false;
  if (count < UINT64_C(1) << log2_least || count > UINT64_C(1) << log2_most)
    return false;
  *sizes |= count; /* 2^n is bit n */
  return true;
}

bool take_sizes(argument_list *list, const argument *option, uint32_t log2_least, uint32_t log2_most, uint64_t *sizes) {
  const char *rest = argument_value(list, option);
  if (rest == NULL)
    return false;
  *sizes = 0;
  while (rest != NULL) {
    char word[32];
    const size_t length = strcspn(rest, ",");
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word), rest);
    if (length >= sizeof word ||
        (!parse_exponents(word, log2_least, log2_most, sizes) && !parse_power(word, log2_least, log2_most, sizes))) {
      usage_error(list,
                  "%s: '%s' is not a range of exponents of 2 from %" PRIu32 " to %" PRIu32
                  ", such as 10-20, nor one of them, nor a power of two such as 2^20 or 1Mi",
                  option->name, word, log2_least, log2_most);
      return false;
    }
    rest = rest[length] == ',' ? rest + length + 1 : NULL;
  }
  return true;
}

void sizes_help(const char *sizes_default) {
  printf("  --sizes LIST     numbers of keys: exponents of 2 in a range, 10-25, or single ones, 20, 2^20 or 1Mi, with commas\n"
         "                   (%s)\n",
         sizes_default);
}
