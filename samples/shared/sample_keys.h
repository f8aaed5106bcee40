/* SPDX-License-Identifier: MIT */
/*
 * What the samples that measure have in common: keys, sorted again and again, and every result checked.
 *
 * 1. settle_device() (chosen_device.h) finds out whether there is a GPU, and falls back to the simulated device where there is none.
 * 2. sample_keys_make() has room for keys; they are written to `given`, or generated there by sample_keys_generate().
 * 3. warm_up(), time_runs() and study_sort() sort copies of them; other sorts come between sample_keys_reset() and
 *    sample_keys_judge(). time_standard_sort() is std::sort.
 *
 * Only identical keys are equal, so that there is just one right result: bit for bit that of std::sort, where it was measured.
 * Else the first result is checked for order and permutation, and later ones are compared with it.
 */
#ifndef CDPSORT_SAMPLES_SAMPLE_KEYS_H
#define CDPSORT_SAMPLES_SAMPLE_KEYS_H

#include "csv_file.h"
#include "key_order.h"
#include "study_arguments.h"

#include <cdpsort/study.h>

/* What is told of several measurements of one thing: the median, which a single disturbed run does not move, and both ends. */
typedef struct spread {
  double least;
  double median;
  double most;
} spread;

/* Sorts the values. All zeros where there are none. */
spread spread_of(double *values, size_t count);

/* Milliseconds. */
typedef struct timing {
  spread device; /* on the device, without copies and allocations */
  double whole;  /* of the whole call, keys in host memory: the median by the clock, copies and allocations included */
  uint32_t runs;
} timing;

typedef struct sample_keys {
  const char *program; /* opens every message */
  char doing[160];     /* what is sorted just now, behind it: "" or "with ...: " */
  void *given;         /* the keys as they are before each sort */
  void *keys;          /* a copy, to be sorted in place */
  void *sorted;        /* the result that is known to be right */
  uint64_t count;
  cdp_type type;
  cdp_order order;
  bool has_sorted;
} sample_keys;

/* Room for so many keys. False, and a message, where memory is exhausted. */
bool sample_keys_make(sample_keys *made, const char *program, uint64_t count, const sort_settings *settings);
void sample_keys_release(sample_keys *made);

/* Says that `given` has so many new keys; or generates them. */
void sample_keys_given(sample_keys *made, uint64_t count);
void sample_keys_generate(sample_keys *made, uint64_t count, const study_arguments *wanted);

/* What the functions below return: an exit code, EXIT_SORTED where all is well; else there was a message. */

/*
 * Finds the device, and completes what is wanted; has `measure` called with the CSV file and with room for the most keys; closes both
 * whatever has failed. `command` is the program's own.
 */
typedef int study_measure(sample_keys *keys, const void *command, csv_file *csv);
int run_study(const char *program, const study_options *has, const char *columns, study_arguments *wanted,
              study_measure *measure, const void *command);

void sample_keys_reset(sample_keys *made);
int sample_keys_judge(sample_keys *made, cdp_status status);

/* Sorts that do not count: one at least, and for some milliseconds, since a GPU that had to wait has slowed its clock. */
int warm_up(sample_keys *made, const cdp_options *options);

/* Sorts the keys `runs` times, up to RUNS_MOST. */
int time_runs(sample_keys *made, const cdp_options *options, uint32_t runs, timing *measured);

/* Once, counting. */
int study_sort(sample_keys *made, const cdp_options *options, cdp_study *study);

/* How often to sort where nobody has said it: 20 times where that is quick, as Nguyen's thesis does (generated_keys.h names it). */
uint32_t usual_runs(uint64_t count);

/* std::sort: the median of up to `runs` sorts, of fewer where they take long, of one where they take very long. */
double time_standard_sort(sample_keys *made, uint32_t runs);

#endif
