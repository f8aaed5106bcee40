/* SPDX-License-Identifier: MIT */
/* Command lines of the tables: see table_arguments.h. */
#include "table_arguments.h"
#include "sample_keys.h"
#include "size_list.h"

#include <stdio.h>
#include <string.h>

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
  if (is_help_or_operand(found))
    return take_help(list, found, &wanted->help);
  if (strcmp(name, "--sizes") == 0)
    return take_sizes(list, found, 1, log2_most, &wanted->sizes);
  if (strcmp(name, "--runs") == 0)
    return take_runs(list, found, &wanted->runs);
  if (strcmp(name, "--baseline-max") != 0 && strcmp(name, "--csv") != 0)
    return settings_take(&wanted->settings, list, found);

  const char *value = argument_value(list, found);
  if (value == NULL)
    return false;
  return strcmp(name, "--csv") == 0 ? take_csv(wanted, list, value) : take_baseline_max(wanted, list, value);
}

void table_arguments_help(const char *sizes, const char *runs, const char *baseline) {
  sizes_help(sizes);
  printf("  --runs N         sorts that count, after some that do not; their medians are shown (%s)\n"
         "  --baseline-max N std::sort is measured up to N keys, with one processor, and no further; 0: not at all (%s)\n"
         "  --csv FILE       writes what was measured as CSV too\n"
         "  --help           this text (-h)\n\n",
         runs, baseline);
}
