/* SPDX-License-Identifier: MIT */
/*
 * timeline: one sort, and a picture of its recursion over time. Run it with --help.
 *
 * 1. cdp_trace_quicksort() sorts and traces, after a sort that warms up; sample_keys.c checks.
 * 2. timeline_picture.c draws; recursion_table.c prints the tree by depth.
 * 3. cdp_trace_write_json() writes what Perfetto shows, cdp_trace_write_csv() what samples/plot/plot.py reads.
 */
#include "chosen_device.h"
#include "output_file.h"
#include "progress.h"
#include "recursion_table.h"
#include "timeline_picture.h"
#include "traced_sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char PROGRAM[] = "timeline";

enum { COLUMNS_DEFAULT = 100 };

static const study_options HAS = {
    .type = "u32", .count = "how many keys", .count_log2 = {24, 15}, .count_least = 2, .distribution = "random"};

typedef struct command {
  study_arguments study;
  uint64_t capacity;
  uint64_t columns;
  const char *json;
  const char *csv;
} command;

static void help(void) {
  puts(
      "Usage: timeline [option...]\n"
      "Sorts generated keys once, traced, and draws the recursion over time: a row for each depth, the darker the more blocks\n"
      "were at work.\n");
  study_help(&HAS);
  printf("  --json FILE      write the trace for Perfetto (ui.perfetto.dev) or chrome://tracing\n"
         "  --csv FILE       write the trace as CSV, a line for each event; samples/plot/plot.py draws it\n"
         "  --capacity N     room for so many events, 1 to %u; more are lost, and counted (%d)\n"
         "  --width N        columns of the picture, %d to %d (%d)\n",
         CDP_TRACE_CAPACITY_MAX, TRACE_CAPACITY, PICTURE_COLUMNS_LEAST, PICTURE_COLUMNS_MOST, COLUMNS_DEFAULT);
  settings_help(HAS.type, &HAS.refused);
  putchar('\n');
  print_columns_help();
  puts("\n"
       "Tracing costs time: some atomics and barriers for each block. On the simulated device, which runs one block after\n"
       "another, grids that seem to run together take turns. Blocks that are traced take turns elsewhere: the first split is\n"
       "that of the sample recursion with the same options, and the tree below it is like that one's, not the same.");
}

/* ---- The command line ------------------------------------------------------------------------------------------ */

static bool take(void *into, argument_list *list, const argument *found) {
  command *wanted = into;
  if (strcmp(found->name, "--json") == 0)
    return take_path(list, found, &wanted->json);
  if (strcmp(found->name, "--csv") == 0)
    return take_path(list, found, &wanted->csv);
  if (strcmp(found->name, "--capacity") == 0)
    return take_whole(list, found, 1, CDP_TRACE_CAPACITY_MAX, &wanted->capacity);
  if (strcmp(found->name, "--width") == 0)
    return take_whole(list, found, PICTURE_COLUMNS_LEAST, PICTURE_COLUMNS_MOST, &wanted->columns);
  return study_take(&wanted->study, &HAS, list, found);
}

/* ---- Telling --------------------------------------------------------------------------------------------------- */

static void report(const command *wanted, const cdp_study *study, const cdp_trace *trace) {
  trace_figures figures;
  printf("%" PRIu64 " %s keys, %s, sorted %s on %s\n", wanted->study.count, type_name(wanted->study.settings.type),
         wanted->study.distribution->name, order_name(wanted->study.settings.options.order), cdp_last_device());
  printf("Time: %.3f ms on the device, counted and traced, without copies\n\n", study->milliseconds);
  print_picture(trace, (size_t)wanted->columns);
  putchar('\n');
  print_kinds(trace);
  putchar('\n');
  print_recursion(study);

  printf("\nTrace: %zu events", trace->count);
  if (trace->lost > 0)
    printf("; %zu more were lost, so that the picture ends too early (--capacity %zu has room)", trace->lost,
           trace->count + trace->lost);
  printf("\nLaunches pending at once: %" PRIu32 " at most\n", study->max_pending);
  if (read_trace(trace, &figures) && figures.latencies > 0)
    printf("Launch latency: median %.1f us, from %.1f to %.1f; no grid ran in %.1f %% of the time, at most %.1f us on end\n",
           figures.latency.median / 1e3, figures.latency.least / 1e3, figures.latency.most / 1e3, idle_percent(&figures),
           (double)figures.idle_longest / 1e3);
  puts("Check: sorted, and a permutation of what was given (order, sum, exclusive-or)");
}

/* ---- Files ----------------------------------------------------------------------------------------------------- */

/* What is written of a trace, each where it is wanted. */
enum { FILE_JSON, FILE_CSV, FILES };
typedef struct trace_files {
  output_file out[FILES];
  bool is_wanted[FILES];
} trace_files;

static int write_files(trace_files *files, const cdp_trace *trace) {
  static cdp_status (*const write[FILES])(const cdp_trace *, const char *) = {cdp_trace_write_json, cdp_trace_write_csv};
  static const char *const what[FILES] = {
      "to be opened at https://ui.perfetto.dev (it stays on your machine) or chrome://tracing", "a line for each event"};
  for (int which = 0; which < FILES; which++) {
    if (!files->is_wanted[which])
      continue;
    const bool written = report_status(PROGRAM, write[which](trace, output_path(&files->out[which]))) == EXIT_SORTED;
    files->is_wanted[which] = false;
    if (!output_close(&files->out[which], written))
      return EXIT_DATA;
    printf("Written: %s, %s\n", files->out[which].name, what[which]);
  }
  return EXIT_SORTED;
}

/* Before the sort, which may take long. */
static bool prepare_files(const command *wanted, trace_files *files) {
  const char *const paths[FILES] = {[FILE_JSON] = wanted->json, [FILE_CSV] = wanted->csv};
  if (wanted->json != NULL && wanted->csv != NULL && strcmp(wanted->json, wanted->csv) == 0) {
    fprintf(stderr, "%s: --json and --csv name the same file, %s\n", PROGRAM, wanted->csv);
    return false;
  }
  for (int which = 0; which < FILES; which++) {
    files->is_wanted[which] = paths[which] != NULL && output_prepare(&files->out[which], PROGRAM, paths[which]);
    if (paths[which] != NULL && !files->is_wanted[which])
      return false;
  }
  return true;
}

/* Those that were not written leave what was there as it was. */
static void drop_files(trace_files *files) {
  for (int which = 0; which < FILES; which++)
    if (files->is_wanted[which])
      output_close(&files->out[which], false);
}

/* ---- The program ----------------------------------------------------------------------------------------------- */

static int sort_and_tell(const command *wanted, sample_keys *keys, trace_files *files, cdp_trace *trace) {
  enum { SORTS = 2 };
  const cdp_options *options = &wanted->study.settings.options;
  cdp_study study = {0};
  progress_begin(PROGRAM, SORTS, announce_work(PROGRAM, keys->type, options, SORTS * work_of(keys->count)));
  progress_at(0, "warming up");
  int code = warm_up(keys, options);
  progress_at(1, "sorting, traced");
  if (code == EXIT_SORTED)
    code = trace_sort(keys, options, &study, trace);
  progress_end();
  if (code != EXIT_SORTED)
    return code;
  report(wanted, &study, trace);
  return write_files(files, trace);
}

/* Makes keys and room for the trace. */
static int make_and_sort(const command *wanted, trace_files *files) {
  sample_keys keys;
  cdp_trace trace;
  int code = EXIT_DATA;
  if (!sample_keys_make(&keys, PROGRAM, wanted->study.count, &wanted->study.settings))
    return EXIT_DATA;
  sample_keys_generate(&keys, wanted->study.count, &wanted->study);
  if (trace_make(&trace, PROGRAM, (size_t)wanted->capacity))
    code = sort_and_tell(wanted, &keys, files, &trace);
  free(trace.events);
  sample_keys_release(&keys);
  return code;
}

static int run(void *given) {
  command *wanted = given;
  trace_files files = {.is_wanted = {false}};
  int code = settle_device(PROGRAM, wanted->study.settings.type, &wanted->study.settings.options);
  if (code != EXIT_SORTED)
    return code;
  study_complete(&wanted->study, &HAS, was_simulated());
  code = prepare_files(wanted, &files) ? make_and_sort(wanted, &files) : EXIT_DATA;
  drop_files(&files);
  return code;
}

int main(int argument_count, char **words) {
  command wanted = {.study = {.settings = {.type = CDP_U32, .options = CDP_OPTIONS_INIT}, .distribution = &DISTRIBUTIONS[0]},
                    .capacity = TRACE_CAPACITY,
                    .columns = COLUMNS_DEFAULT};
  return run_program(&(sample_program){PROGRAM, take, help, run}, argument_count, words, &wanted);
}
