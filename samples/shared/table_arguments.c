/* SPDX-License-Identifier: MIT */
/* Command lines of the tables: see table_arguments.h. */
#include "table_arguments.h"
#include "sample_keys.h"
#include "size_list.h"

#include <stdio.h>
#include <string.h>

static bool take_baseline_max(table_arguments *wanted, argument_list *list, const argument *found) {
  const char *value = argument_value(list, found);
  if (value == NULL || parse_count(value, &wanted->baseline_max))
    return value != NULL;
  usage_error(list, "--baseline-max: '%s' is not a number such as 1000, 64K, 1Mi or 2^20, or it is too large", value);
  return false;
}

static bool take_csv(table_arguments *wanted, argument_list *list, const argument *found) {
  if (!take_path(list, found, &wanted->csv))
    return false;
  if (*wanted->csv == '\0')
    usage_error(list, "--csv needs the name of a file");
  return *wanted->csv != '\0';
}

bool take_table_argument(table_arguments *wanted, argument_list *list, const argument *found, uint32_t log2_most) {
  const char *name = found->name;
  if (strcmp(name, "--sizes") == 0)
    return take_sizes(list, found, 1, log2_most, &wanted->sizes);
  if (strcmp(name, "--runs") == 0)
    return take_runs(list, found, &wanted->runs);
  if (strcmp(name, "--baseline-max") == 0)
    return take_baseline_max(wanted, list, found);
  if (strcmp(name, "--csv") == 0)
    return take_csv(wanted, list, found);
  return settings_take(&wanted->settings, list, found);
}

void table_arguments_help(const char *sizes, const char *runs, const char *baseline) {
  sizes_help(sizes);
  printf("  --runs N         sorts that count, after some that do not; their medians are shown (%s)\n"
         "  --baseline-max N std::sort is measured up to N keys, with one processor, and no further; 0: not at all (%s)\n"
         "  --csv FILE       writes what was measured as CSV too\n"
         "  --help           this text (-h)\n\n",
         runs, baseline);
}
