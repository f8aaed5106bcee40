/* SPDX-License-Identifier: MIT */
/* Command lines of the samples that partition: see partition_arguments.h. */
#include "partition_arguments.h"
#include "partition_keys.h"
#include "size_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool take_partition_argument(void *into, argument_list *list, const argument *found) {
  partition_arguments *wanted = into;
  if (strcmp(found->name, "--sizes") == 0)
    return take_sizes(list, found, 0, PARTITION_LOG2_MOST, &wanted->sizes);
  if (strcmp(found->name, "--runs") == 0)
    return take_runs(list, found, &wanted->runs);
  if (strcmp(found->name, "--distribution") == 0)
    return key_settings_take(&wanted->keys, list, found);
  if (strcmp(found->name, "--csv") == 0)
    return take_path(list, found, &wanted->csv);
  if (wanted->sorts || found->name[0] == '\0' || is_plain_setting(found))
    return settings_take(&wanted->settings, list, found);
  usage_error(list, "there is no option %s", found->name);
  return false;
}

void partition_arguments_help(const char *sizes_default, uint32_t runs_default) {
  sizes_help(sizes_default);
  printf("  --runs N         how often each is done, after once that does not count (%" PRIu32 ")\n"
         "  --csv FILE       write the figures to a file, too\n",
         runs_default);
  distributions_help();
  puts("  --help           this text (-h)\n");
}
