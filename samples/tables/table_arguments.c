/* SPDX-License-Identifier: MIT */
/* Command lines of the tables: see table_arguments.h. */
#include "table_arguments.h"
#include "workplace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Sizes ----------------------------------------------------------------------------------------------------- */

uint64_t size_range(uint32_t first, uint32_t last) {
  return (UINT64_C(2) << last) - (UINT64_C(1) << first);
}

uint32_t greatest_log2(uint64_t sizes) {
  uint32_t greatest = 0;
  while (sizes >> greatest > 1)
    greatest++;
  return greatest;
}

/* "10-25": powers of two. */
static bool parse_range(const char *word, uint32_t log2_most, uint64_t *sizes) {
  char first[8];
  uint64_t from;
  uint64_t to;
  const char *dash = strchr(word, '-');
  if (dash == NULL || (size_t)(dash - word) >= sizeof first)
    return false;
  memcpy(first, word, (size_t)(dash - word));
  first[dash - word] = '\0';
  if (!parse_whole(first, &from) || !parse_whole(dash + 1, &to) || from < 1 || from > to || to > log2_most)
    return false;
  *sizes |= size_range((uint32_t)from, (uint32_t)to);
  return true;
}

/* "2^20" or "1Mi": one power of two. */
static bool parse_power(const char *word, uint32_t log2_most, uint64_t *sizes) {
  uint64_t count;
  if (!parse_count(word, &count) || count < 2 || (count & (count - 1)) != 0 || count > UINT64_C(1) << log2_most)
    return false;
  *sizes |= count; /* 2^n is bit n */
  return true;
}

static bool take_sizes(table_arguments *wanted, const argument_list *list, const char *value, uint32_t log2_most) {
  char word[32];
  uint64_t sizes = 0;
  for (const char *rest = value; rest != NULL;) {
    const char *comma = strchr(rest, ',');
    const size_t length = comma != NULL ? (size_t)(comma - rest) : strlen(rest);
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word), rest);
    if (length >= sizeof word || (!parse_range(word, log2_most, &sizes) && !parse_power(word, log2_most, &sizes))) {
      usage_error(list,
                  "--sizes: '%s' is neither a range of powers of two from 1 to %" PRIu32
                  ", such as 10-25, nor a power of two such as 2^20 or 1Mi",
                  word, log2_most);
      return false;
    }
    rest = comma != NULL ? comma + 1 : NULL;
  }
  wanted->sizes = sizes;
  return true;
}

/* ---- The others ------------------------------------------------------------------------------------------------ */

static bool take_runs(table_arguments *wanted, const argument_list *list, const char *value) {
  uint64_t runs;
  if (!parse_whole(value, &runs) || runs < 1 || runs > RUNS_MOST) {
    usage_error(list, "--runs: '%s' is not a whole number from 1 to %d", value, RUNS_MOST);
    return false;
  }
  wanted->runs = (uint32_t)runs;
  return true;
}

static bool take_baseline_max(table_arguments *wanted, const argument_list *list, const char *value) {
  if (parse_count(value, &wanted->baseline_max))
    return true;
  usage_error(list, "--baseline-max: '%s' is not a number such as 1000, 64K, 1Mi or 2^20, or it is too large", value);
  return false;
}

static bool take_csv(table_arguments *wanted, const argument_list *list, const char *value) {
  wanted->csv = value;
  if (*value == '\0')
    usage_error(list, "--csv needs the name of a file");
  return *value != '\0';
}

bool take_table_argument(table_arguments *wanted, argument_list *list, const argument *found, uint32_t log2_most) {
  const char *name = found->name;
  if (name[0] == '\0') {
    usage_error(list, "it takes options alone, not '%s'", found->value);
    return false;
  }
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
    wanted->help = true;
    return argument_has_no_value(list, found);
  }
  const bool own = strcmp(name, "--sizes") == 0 || strcmp(name, "--runs") == 0 || strcmp(name, "--baseline-max") == 0 ||
                   strcmp(name, "--csv") == 0;
  if (!own)
    return settings_take(&wanted->settings, list, found);

  const char *value = argument_value(list, found);
  if (value == NULL)
    return false;
  if (strcmp(name, "--sizes") == 0)
    return take_sizes(wanted, list, value, log2_most);
  if (strcmp(name, "--runs") == 0)
    return take_runs(wanted, list, value);
  return strcmp(name, "--csv") == 0 ? take_csv(wanted, list, value) : take_baseline_max(wanted, list, value);
}

void table_arguments_help(const char *sizes, const char *runs, const char *baseline) {
  printf("  --sizes LIST     numbers of keys: powers of two in a range, 10-25, or single ones, 2^20 or 1Mi, with commas\n"
         "                   (%s)\n"
         "  --runs N         sorts that count, after some that do not; their medians are shown (%s)\n"
         "  --baseline-max N std::sort is measured up to N keys, with one processor, and no further; 0: not at all (%s)\n"
         "  --csv FILE       writes what was measured as CSV too\n"
         "  --help           this text (-h)\n\n",
         sizes, runs, baseline);
}
