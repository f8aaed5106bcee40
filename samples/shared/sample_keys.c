/* SPDX-License-Identifier: MIT */
/* Keys, sorted again and again: see sample_keys.h. */
#include "sample_keys.h"
#include "chosen_device.h"
#include "host_work.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* std::sort is repeated until it has taken this long, and sorting that does not count goes on for this long. */
static const double STANDARD_ENOUGH_MS = 50;
static const double WARM_UP_MS = 20;

static int compare(const void *left, const void *right) {
  const double a = *(const double *)left;
  const double b = *(const double *)right;
  return (a > b) - (a < b);
}

spread spread_of(double *values, size_t count) {
  if (count == 0)
    return (spread){0, 0, 0};
  qsort(values, count, sizeof *values, compare);
  const double median = count % 2 != 0 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
  return (spread){.least = values[0], .median = median, .most = values[count - 1]};
}

/* ---- The keys -------------------------------------------------------------------------------------------------- */

static uint64_t all_bytes(const sample_keys *made) {
  return made->count * type_bytes(made->type);
}

bool sample_keys_make(sample_keys *made, const char *program, uint64_t count, const sort_settings *settings) {
  const size_t bytes = type_bytes(settings->type);
  *made = (sample_keys){.program = program, .count = count, .type = settings->type, .order = settings->options.order};
  if (count <= SIZE_MAX / bytes) {
    const size_t room = count > 0 ? (size_t)count * bytes : 1;
    made->given = malloc(room);
    made->keys = malloc(room);
    made->sorted = malloc(room);
  }
  if (made->given != NULL && made->keys != NULL && made->sorted != NULL)
    return true;
  fprintf(stderr, "%s: not enough memory for %" PRIu64 " keys, three times\n", program, count);
  sample_keys_release(made);
  return false;
}

void sample_keys_release(sample_keys *made) {
  free(made->given);
  free(made->keys);
  free(made->sorted);
}

int run_study(const char *program, const study_options *has, const char *columns, study_arguments *wanted,
              study_measure *measure, const void *command) {
  sample_keys keys;
  csv_file csv;
  int code = settle_device(program, wanted->settings.type, &wanted->settings.options);
  if (code != EXIT_SORTED)
    return code;
  study_complete(wanted, has, was_simulated());
  const uint64_t longest = wanted->sizes != 0 ? UINT64_C(1) << greatest_log2(wanted->sizes) : 0;
  if (!csv_open(&csv, program, wanted->csv, columns))
    return EXIT_DATA;
  code = EXIT_DATA;
  if (sample_keys_make(&keys, program, longest > wanted->count ? longest : wanted->count, &wanted->settings)) {
    code = measure(&keys, command, &csv);
    sample_keys_release(&keys);
  }
  return csv_close(&csv) ? code : EXIT_DATA;
}

void sample_keys_given(sample_keys *made, uint64_t count) {
  made->count = count;
  made->has_sorted = false;
}

void sample_keys_generate(sample_keys *made, uint64_t count, const study_arguments *wanted) {
  generate_keys(made->given, count, made->type, wanted->distribution, wanted->settings.options.seed);
  sample_keys_given(made, count);
}

void sample_keys_reset(sample_keys *made) {
  copy_keys(made->keys, made->given, all_bytes(made));
}

static bool is_right(sample_keys *made) {
  if (made->has_sorted)
    return same_keys(made->keys, made->sorted, all_bytes(made));
  made->has_sorted = is_sorted_from(made->given, made->keys, made->count, made->type, made->order);
  copy_keys(made->sorted, made->keys, all_bytes(made));
  return made->has_sorted;
}

int sample_keys_judge(sample_keys *made, cdp_status status) {
  if (status != CDP_OK) {
    fprintf(stderr, "%s: %s%s\n", made->program, made->doing, library_message());
    return exit_code(status);
  }
  if (is_right(made))
    return EXIT_SORTED;
  fprintf(stderr, "%s: %scheck FAILED: %" PRIu64 " keys were not sorted, or are not those that were given\n", made->program,
          made->doing, made->count);
  return EXIT_DATA;
}

/* ---- Sorting them ---------------------------------------------------------------------------------------------- */

/* One sort of a copy, timed both ways. */
static int time_sort(sample_keys *made, const cdp_options *options, double *device_ms, double *whole_ms) {
  sample_keys_reset(made);
  const double begin = clock_milliseconds();
  const cdp_status status = cdp_time_quicksort(made->keys, (size_t)made->count, made->type, options, device_ms);
  *whole_ms = clock_milliseconds() - begin;
  return sample_keys_judge(made, status);
}

int warm_up(sample_keys *made, const cdp_options *options) {
  const double begin = clock_milliseconds();
  double device_ms;
  double whole_ms;
  int code;
  do
    code = time_sort(made, options, &device_ms, &whole_ms);
  while (code == EXIT_SORTED && !was_simulated() && clock_milliseconds() - begin < WARM_UP_MS);
  return code;
}

int time_runs(sample_keys *made, const cdp_options *options, uint32_t runs, timing *measured) {
  double device_ms[RUNS_MOST];
  double whole_ms[RUNS_MOST];
  int code = EXIT_SORTED;
  for (uint32_t run = 0; code == EXIT_SORTED && run < runs; run++)
    code = time_sort(made, options, &device_ms[run], &whole_ms[run]);
  if (code == EXIT_SORTED)
    *measured = (timing){.device = spread_of(device_ms, runs), .whole = spread_of(whole_ms, runs).median, .runs = runs};
  return code;
}

int study_sort(sample_keys *made, const cdp_options *options, cdp_study *study) {
  sample_keys_reset(made);
  return sample_keys_judge(made, cdp_study_quicksort(made->keys, (size_t)made->count, made->type, options, study));
}

/* Beyond so many keys a sort takes so long that runs differ little, and copying its keys takes longer still. */
uint32_t usual_runs(uint64_t count) {
  enum { RUNS_SHORT = 20, LOG2_SHORT = 22, RUNS_LONG = 5, LOG2_LONG = 25, RUNS_VERY_LONG = 3, RUNS_SIMULATED = 3 };
  if (was_simulated())
    return RUNS_SIMULATED;
  if (count <= UINT64_C(1) << LOG2_SHORT)
    return RUNS_SHORT;
  return count <= UINT64_C(1) << LOG2_LONG ? RUNS_LONG : RUNS_VERY_LONG;
}

double time_standard_sort(sample_keys *made, uint32_t runs) {
  double times[RUNS_MOST];
  double spent = 0;
  uint32_t done = 0;
  do {
    copy_keys(made->sorted, made->given, all_bytes(made));
    const double begin = clock_milliseconds();
    sort_on_host(made->sorted, made->count, made->type, made->order);
    times[done] = clock_milliseconds() - begin;
    spent += times[done++];
  } while (done < runs && spent < STANDARD_ENOUGH_MS);
  made->has_sorted = true;
  return spread_of(times, done).median;
}
