/* SPDX-License-Identifier: MIT */
/* Measuring: see workplace.h. */
#include "workplace.h"
#include "host_work.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* std::sort is repeated until it has taken this long. */
static const double STANDARD_ENOUGH_MS = 50;

/* Sorting goes on for this long before it is timed: a GPU that had to wait for std::sort has slowed its clock. */
static const double WARM_UP_MS = 20;

/* usual_runs(): beyond this many keys a sort takes so long that runs differ little, and copying its keys takes longer still. */
enum {
  RUNS_SHORT = 20,
  LOG2_SHORT = 22,
  RUNS_LONG = 5,
  LOG2_LONG = 25,
  RUNS_VERY_LONG = 3,
  RUNS_SIMULATED = 3,
};

/* ---- Opening and closing --------------------------------------------------------------------------------------- */

/* Finds the device and has it sort something, which also tells whether the options can be. */
static int open_place(workplace *place, const char *program, const sort_settings *settings) {
  cdp_options options = settings->options;
  *place = (workplace){.program = program, .type = settings->type, .order = options.order};
  const int code = settle_sort(program, settings->type, &options);
  if (code != EXIT_SORTED)
    return code;
  place->device = options.device;
  snprintf(place->device_name, sizeof place->device_name, "%s", cdp_last_device());
  place->is_simulated = was_simulated();
  return EXIT_SORTED;
}

static void close_place(workplace *place) {
  free(place->given);
  free(place->keys);
  free(place->correct);
}

int use_workplace(const char *program, const table_arguments *common, const char *csv_names, workplace_user *user,
                  const void *command) {
  workplace place;
  csv_file csv;
  int code = open_place(&place, program, &common->settings);
  if (code != EXIT_SORTED)
    return code;
  code = EXIT_DATA;
  if (csv_open(&csv, program, common->csv, csv_names)) {
    code = user(&place, command, &csv);
    if (!csv_close(&csv) && code == EXIT_SORTED)
      code = EXIT_DATA;
  }
  close_place(&place);
  return code;
}

int workplace_reserve(workplace *place, uint64_t count_most) {
  const size_t bytes = type_bytes(place->type);
  if (count_most <= SIZE_MAX / bytes) {
    place->given = malloc((size_t)count_most * bytes);
    place->keys = malloc((size_t)count_most * bytes);
    place->correct = malloc((size_t)count_most * bytes);
  }
  if (place->given != NULL && place->keys != NULL && place->correct != NULL)
    return EXIT_SORTED;
  fprintf(stderr, "%s: not enough memory for %" PRIu64 " keys, three times\n", place->program, count_most);
  return EXIT_DATA;
}

void workplace_given(workplace *place, uint64_t count) {
  place->count = count;
  place->correct_is_known = false;
}

uint32_t usual_runs(const workplace *place, uint64_t count) {
  if (place->is_simulated)
    return RUNS_SIMULATED;
  if (count <= UINT64_C(1) << LOG2_SHORT)
    return RUNS_SHORT;
  return count <= UINT64_C(1) << LOG2_LONG ? RUNS_LONG : RUNS_VERY_LONG;
}

/* ---- Times ----------------------------------------------------------------------------------------------------- */

static uint64_t bytes_given(const workplace *place) {
  return place->count * type_bytes(place->type);
}

/* Checks the keys that were sorted, and says so where they are wrong. */
static int check(workplace *place) {
  bool right;
  if (place->correct_is_known) {
    right = same_keys(place->keys, place->correct, bytes_given(place));
  } else {
    right = is_sorted_from(place->given, place->keys, place->count, place->type, place->order);
    copy_keys(place->correct, place->keys, bytes_given(place));
    place->correct_is_known = right;
  }
  if (!right)
    fprintf(stderr, "%s: check FAILED: %" PRIu64 " keys were not sorted, or are not those that were given\n", place->program,
            place->count);
  return right ? EXIT_SORTED : EXIT_DATA;
}

/* What a sort has come to: an exit code, after a message where that is not EXIT_SORTED. */
static int judge(workplace *place, cdp_status status) {
  const int code = report_status(place->program, status);
  return code == EXIT_SORTED ? check(place) : code;
}

double time_standard_sort(workplace *place, uint32_t runs) {
  static double times[RUNS_MOST];
  double spent = 0;
  uint32_t done = 0;
  do {
    copy_keys(place->correct, place->given, bytes_given(place));
    const double begin = clock_milliseconds();
    sort_on_host(place->correct, (size_t)place->count, place->type, place->order);
    times[done] = clock_milliseconds() - begin;
    spent += times[done++];
  } while (done < runs && done < RUNS_MOST && spent < STANDARD_ENOUGH_MS);
  place->correct_is_known = true;
  return spread_of(times, done).median;
}

/* One sort of a copy, timed both ways. */
static int time_sort(workplace *place, const cdp_options *options, double *device_ms, double *whole_ms) {
  copy_keys(place->keys, place->given, bytes_given(place));
  const double begin = clock_milliseconds();
  const cdp_status status = cdp_time_quicksort(place->keys, (size_t)place->count, place->type, options, device_ms);
  *whole_ms = clock_milliseconds() - begin;
  return judge(place, status);
}

/* Sorts that do not count: one at least. */
static int warm_up(workplace *place, const cdp_options *options) {
  const double begin = clock_milliseconds();
  double device_ms;
  double whole_ms;
  int code;
  do
    code = time_sort(place, options, &device_ms, &whole_ms);
  while (code == EXIT_SORTED && !place->is_simulated && clock_milliseconds() - begin < WARM_UP_MS);
  return code;
}

int time_sorts(workplace *place, const cdp_options *options, uint32_t runs, timing *measured) {
  static double device_ms[RUNS_MOST];
  static double whole_ms[RUNS_MOST];
  cdp_options own = *options;
  own.device = place->device;
  int code = warm_up(place, &own);
  for (uint32_t run = 0; code == EXIT_SORTED && run < runs; run++)
    code = time_sort(place, &own, &device_ms[run], &whole_ms[run]);
  if (code != EXIT_SORTED)
    return code;
  measured->runs = runs;
  const spread on_device = spread_of(device_ms, runs);
  measured->whole_ms = spread_of(whole_ms, runs).median;
  measured->device_ms = on_device.median;
  measured->device_ms_least = on_device.least;
  measured->device_ms_most = on_device.most;
  return EXIT_SORTED;
}

int study_sort(workplace *place, const cdp_options *options, cdp_study *study) {
  cdp_options own = *options;
  own.device = place->device;
  copy_keys(place->keys, place->given, bytes_given(place));
  const cdp_status status = cdp_study_quicksort(place->keys, (size_t)place->count, place->type, &own, study);
  return judge(place, status);
}
