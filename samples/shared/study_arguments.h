/* SPDX-License-Identifier: MIT */
/* What the command lines of the samples that measure have in common: which keys, how often, into which file; and how to sort. */
#ifndef CDPSORT_SAMPLES_STUDY_ARGUMENTS_H
#define CDPSORT_SAMPLES_STUDY_ARGUMENTS_H

#include "generated_keys.h"
#include "sort_settings.h"

/* What was asked for. */
typedef struct study_arguments {
  sort_settings settings;
  uint64_t count;                          /* as runs 0, and sizes empty, until study_complete() */
  const struct distribution *distribution; /* struct: in C++ no member may change what its type's name means */
  uint64_t sizes;                          /* bit n: 2^n keys */
  uint32_t runs;
  const char *csv; /* path of the file; NULL: none */
} study_arguments;

/* Which of them a program has, and their defaults: [0] on a GPU, [1] on the simulated device. All zeros: it has no such option. */
typedef struct study_options {
  const char *type;       /* the default of --type */
  const char *count;      /* --count: what it is, for --help */
  uint32_t count_log2[2]; /* its default, a power of two */
  uint64_t count_least;
  const char *distribution; /* the default of --distribution */
  uint32_t first_log2[2];   /* the default of --sizes */
  uint32_t last_log2[2];
  uint32_t log2_least; /* what --sizes may be */
  uint32_t log2_most;
  uint32_t runs[2];      /* --runs */
  const char *runs_text; /* where they are the program's own */
  const char *csv;       /* --csv: what is written */
  refused_settings refused;
} study_options;

enum { RUNS_MOST = 1000 };

/* Takes such an option, or one about sorting. False, and a message, for everything else. */
bool study_take(study_arguments *wanted, const study_options *has, argument_list *list, const argument *found);

/* What was not given gets its default. */
void study_complete(study_arguments *wanted, const study_options *has, bool simulated);

/* The lines of --help about them, but for those about sorting. */
void study_help(const study_options *has);

/* The line about --baseline-max. */
void baseline_help(const char *baseline_default);

/* The option's value as a number of keys or as a whole number, from `least` to `most`. False, and a message, where it is none. */
bool take_count(argument_list *list, const argument *option, uint64_t least, uint64_t most, uint64_t *count);
bool take_whole(argument_list *list, const argument *option, uint64_t least, uint64_t most, uint64_t *number);

/* All bits of sizes from `first` to `last`, which is less than 63. */
uint64_t sizes_between(uint32_t first, uint32_t last);

/* The greatest n for which there are 2^n keys. */
uint32_t greatest_log2(uint64_t sizes);

#endif
