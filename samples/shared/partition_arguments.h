/* SPDX-License-Identifier: MIT */
/* What the command lines of the samples that partition have in common. */
#ifndef CDPSORT_SAMPLES_PARTITION_ARGUMENTS_H
#define CDPSORT_SAMPLES_PARTITION_ARGUMENTS_H

#include "sample_keys.h"

typedef struct partition_arguments {
  sort_settings settings;
  key_settings keys; /* the distribution alone */
  uint64_t sizes;    /* as size_list.h has them; 0: by the device */
  uint32_t runs;
  const char *csv; /* path of the file */
  bool sorts;      /* the program sorts as well: every option about sorting matters */
} partition_arguments;

/* An argument_taker for them. */
bool take_partition_argument(void *into, argument_list *list, const argument *found);

/* The lines of --help about them; the first two say what the defaults are. */
void partition_arguments_help(const char *sizes_default, uint32_t runs_default);

#endif
