/* SPDX-License-Identifier: MIT */
/* What the command lines of the tables have in common. */
#ifndef CDPSORT_SAMPLES_TABLES_TABLE_ARGUMENTS_H
#define CDPSORT_SAMPLES_TABLES_TABLE_ARGUMENTS_H

#include "sort_settings.h"

#include <stdbool.h>

/* What both programs take. Sizes and runs are 0 where nothing was said: the program decides when it knows the device. */
typedef struct table_arguments {
  sort_settings settings;
  uint64_t sizes;        /* as size_list.h has them */
  uint32_t runs;         /* of each sort that is timed */
  uint64_t baseline_max; /* std::sort is measured up to so many keys */
  const char *csv;       /* path of the file */
} table_arguments;

/*
 * Takes an option that both programs have, or one that is about sorting. Sizes may be 2^1 to 2^log2_most. False, and a message,
 * for an operand, an unknown option or a value that is none.
 */
bool take_table_argument(table_arguments *wanted, argument_list *list, const argument *found, uint32_t log2_most);

/* The paragraph of --help about these options; the texts say what the defaults are. */
void table_arguments_help(const char *sizes, const char *runs, const char *baseline);

#endif
