/* SPDX-License-Identifier: MIT */
/* Command lines of the samples that measure: see study_arguments.h. */
#include "study_arguments.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Numbers --------------------------------------------------------------------------------------------------- */

bool take_count(argument_list *list, const argument *option, uint64_t least, uint64_t most, uint64_t *count) {
  const char *word = argument_value(list, option);
  if (word == NULL)
    return false;
  if (parse_count(word, count) && *count >= least && *count <= most)
    return true;
  usage_error(list, "%s: '%s' is not a number such as 1000, 64K, 1Mi or 2^20, or it is too large%s", option->name, word,
              least > 0 ? " or too small" : "");
  return false;
}

bool take_whole(argument_list *list, const argument *option, uint64_t least, uint64_t most, uint64_t *number) {
  const char *word = argument_value(list, option);
  if (word == NULL)
    return false;
  if (parse_whole(word, number) && *number >= least && *number <= most)
    return true;
  usage_error(list, "%s: '%s' is not a whole number from %" PRIu64 " to %" PRIu64, option->name, word, least, most);
  return false;
}

/* ---- Sizes ----------------------------------------------------------------------------------------------------- */

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
static bool parse_exponents(const char *word, const study_options *has, uint64_t *sizes) {
  char first[8] = "";
  uint64_t from;
  uint64_t to;
  const size_t length = strcspn(word, "-");
  if (length >= sizeof first)
    return false;
  memcpy(first, word, length);
  const char *last = word[length] == '-' ? word + length + 1 : first;
  if (!parse_whole(first, &from) || !parse_whole(last, &to) || from < has->log2_least || from > to || to > has->log2_most)
    return false;
  *sizes |= sizes_between((uint32_t)from, (uint32_t)to);
  return true;
}

/* "2^20" or "1Mi": one power of two. Digits alone would be an exponent, and are none that may be. */
static bool parse_power(const char *word, const study_options *has, uint64_t *sizes) {
  uint64_t count;
  if (strpbrk(word, "^KMG") == NULL || !parse_count(word, &count) || count == 0 || (count & (count - 1)) != 0)
    return false;
  if (count < UINT64_C(1) << has->log2_least || count > UINT64_C(1) << has->log2_most)
    return false;
  *sizes |= count; /* 2^n is bit n */
  return true;
}

static bool take_sizes(argument_list *list, const argument *option, const study_options *has, uint64_t *sizes) {
  char word[VALUE_CHARACTERS];
  const char *rest = argument_value(list, option);
  *sizes = 0;
  while (next_value(&rest, word)) {
    if (!parse_exponents(word, has, sizes) && !parse_power(word, has, sizes)) {
      usage_error(list,
                  "%s: '%s' is not a range of exponents of 2 from %" PRIu32 " to %" PRIu32
                  ", such as 10-20, nor one of them, nor a power of two such as 2^20 or 1Mi",
                  option->name, word, has->log2_least, has->log2_most);
      return false;
    }
  }
  return *sizes != 0;
}

/* ---- All of them ----------------------------------------------------------------------------------------------- */

static bool take_distribution(argument_list *list, const argument *option, const distribution **wanted) {
  const char *word = argument_value(list, option);
  if (word == NULL)
    return false;
  for (*wanted = DISTRIBUTIONS; (*wanted)->name != NULL; ++*wanted)
    if (strcmp((*wanted)->name, word) == 0)
      return true;
  usage_error(list, "%s: there is none called '%s'", option->name, word);
  return false;
}

bool study_take(study_arguments *wanted, const study_options *has, argument_list *list, const argument *found) {
  uint64_t number = 0;
  if (has->count != NULL && strcmp(found->name, "--count") == 0)
    return take_count(list, found, has->count_least, UINT64_MAX, &wanted->count);
  if (has->distribution != NULL && strcmp(found->name, "--distribution") == 0)
    return take_distribution(list, found, &wanted->distribution);
  if (has->log2_most != 0 && strcmp(found->name, "--sizes") == 0)
    return take_sizes(list, found, has, &wanted->sizes);
  if (has->csv != NULL && strcmp(found->name, "--csv") == 0)
    return take_path(list, found, &wanted->csv);
  if ((has->runs[0] != 0 || has->runs_text != NULL) && strcmp(found->name, "--runs") == 0) {
    const bool taken = take_whole(list, found, 1, RUNS_MOST, &number);
    wanted->runs = (uint32_t)number;
    return taken;
  }
  return settings_take(&wanted->settings, &has->refused, list, found);
}

void study_complete(study_arguments *wanted, const study_options *has, bool simulated) {
  const int device = simulated ? 1 : 0;
  if (wanted->count == 0 && has->count != NULL)
    wanted->count = UINT64_C(1) << has->count_log2[device];
  if (wanted->sizes == 0 && has->log2_most != 0)
    wanted->sizes = sizes_between(has->first_log2[device], has->last_log2[device]);
  if (wanted->runs == 0)
    wanted->runs = has->runs[device];
}

void study_help(const study_options *has) {
  if (has->count != NULL)
    printf("  --count N        %s: 1000000, 64K, 1M, 1G (thousands), 64Ki, 1Mi, 1Gi (powers of 1024), 2^20\n"
           "                   (2^%" PRIu32 "; on the simulated device 2^%" PRIu32 ")\n",
           has->count, has->count_log2[0], has->count_log2[1]);
  if (has->log2_most != 0)
    printf(
        "  --sizes LIST     numbers of keys: exponents of 2 in a range, 10-25, or single ones, 20, 2^20 or 1Mi, with commas\n"
        "                   (%" PRIu32 "-%" PRIu32 "; on the simulated device %" PRIu32 "-%" PRIu32 ")\n",
        has->first_log2[0], has->last_log2[0], has->first_log2[1], has->last_log2[1]);
  if (has->distribution != NULL) {
    printf("  --distribution D what the keys are like (%s):\n", has->distribution);
    for (const distribution *one = DISTRIBUTIONS; one->name != NULL; one++)
      printf("                     %-11s %s\n", one->name, one->text);
  }
  if (has->runs_text != NULL)
    printf("  --runs N         timed runs of each sort, after at least one that does not count\n                   (%s)\n",
           has->runs_text);
  else if (has->runs[0] != 0)
    printf("  --runs N         timed runs of each, after at least one that does not count (%" PRIu32
           "; on the simulated device %" PRIu32 ")\n",
           has->runs[0], has->runs[1]);
  if (has->csv != NULL)
    printf("  --csv FILE       write %s to FILE\n", has->csv);
  puts("  --help           this text (-h)");
  puts("  --version        the version of the library");
}

void baseline_help(const char *baseline_default) {
  printf("  --baseline-max N std::sort is measured up to N keys, with one processor, and no further; 0: not at all (%s)\n",
         baseline_default);
}
