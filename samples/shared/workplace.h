/* SPDX-License-Identifier: MIT */
/*
 * Where the programs of the tables measure: arrays in host memory, a device, and every result checked.
 *
 * 1. use_workplace() finds the device; where there is no GPU it announces the simulated one, before anything else is printed.
 *    Then it calls the program back.
 * 2. The program gets memory by workplace_reserve(), generates keys into `given`, and calls workplace_given().
 * 3. time_standard_sort(), time_sorts() and study_sort() sort copies of them.
 *
 * A result is right if it is the same, bit for bit, as that of std::sort. Where std::sort was not asked for, the library's
 * first result is checked for order and permutation, and stands in for it: in a total order there is but one.
 */
#ifndef CDPSORT_SAMPLES_TABLES_WORKPLACE_H
#define CDPSORT_SAMPLES_TABLES_WORKPLACE_H

#include "csv_file.h"
#include "sample_keys.h"
#include "table_arguments.h"

#include <cdpsort/study.h>

#include <stdbool.h>

typedef struct workplace {
  const char *program;
  cdp_type type;
  cdp_order order;
  int32_t device; /* as cdp_options has it; not automatic if it had to be the simulated one */
  bool is_simulated;
  char device_name[160];
  void *given;   /* the keys as they are before each sort */
  void *keys;    /* a copy, being sorted */
  void *correct; /* how they must be sorted */
  bool correct_is_known;
  uint64_t count; /* of the keys given */
} workplace;

/* Medians, and of the device's times the extremes, in milliseconds. */
typedef struct timing {
  double device_ms; /* on the device, without copies and allocations */
  double device_ms_least;
  double device_ms_most;
  double whole_ms; /* of the whole call, keys in host memory: by the clock, copies and allocations included */
  uint32_t runs;
} timing;

/* All return an exit code, EXIT_SORTED where all is well, and say on stderr what is not. */

/* What a program measures at the workplace; `command` is its own. */
typedef int workplace_user(workplace *place, const void *command, csv_file *csv);

/* Opens workplace and CSV file, has `user` measure there, and closes both whatever has failed. */
int use_workplace(const char *program, const table_arguments *common, const char *csv_names, workplace_user *user,
                  const void *command);

/* Gets memory for so many keys. */
int workplace_reserve(workplace *place, uint64_t count_most);

/* Says that `given` has so many new keys. */
void workplace_given(workplace *place, uint64_t count);

/* std::sort: the median of up to `runs` sorts, of fewer where they take long, of one where they take very long. */
double time_standard_sort(workplace *place, uint32_t runs);

/* The library, after sorts that do not count. */
int time_sorts(workplace *place, const cdp_options *options, uint32_t runs, timing *measured);

/* Once, counting. */
int study_sort(workplace *place, const cdp_options *options, cdp_study *study);

/* How often to sort where nobody has said it: as the thesis does, 20 times, where that is quick. */
uint32_t usual_runs(const workplace *place, uint64_t count);

#endif
