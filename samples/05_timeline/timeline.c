/* SPDX-License-Identifier: MIT */
/*
 * timeline: one sort, and a picture of its recursion over time. Run it with --help.
 *
 * 1. cdp_trace_quicksort() sorts and traces, after a sort that warms up; sample_keys.c checks.
 * 2. timeline_picture.c draws; recursion_table.c prints the tree by depth.
 * 3. cdp_trace_write_json() writes what Perfetto shows, cdp_trace_write_csv() what docs/plot.py reads.
 */
#include "output_file.h"
#include "recursion_table.h"
#include "timeline_picture.h"
#include "traced_sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char PROGRAM[] = "timeline";

enum { COUNT_LOG2_GPU = 24, COUNT_LOG2_SIMULATED = 15, COLUMNS_DEFAULT = 100, KEYS_LEAST = 2 };

typedef struct command {
  sort_settings settings;
  key_settings keys;
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
  key_settings_help("2^24; on the simulated device 2^15");
  printf("  --json FILE      write the trace for Perfetto (ui.perfetto.dev) or chrome://tracing\n"
         "  --csv FILE       write the trace as CSV, a line for each event\n"
         "  --capacity N     room for so many events, 1 to %u; more are lost, and counted (%d)\n"
         "  --width N        columns of the picture, %d to %d (%d)\n"
         "  --help           this text (-h)\n\n",
         CDP_TRACE_CAPACITY_MAX, TRACE_CAPACITY, PICTURE_COLUMNS_LEAST, PICTURE_COLUMNS_MOST, COLUMNS_DEFAULT);
  settings_help("u32");
  putchar('\n');
  print_columns_help();
  puts("\n"
       "Tracing costs time: some atomics and barriers for each block. On the simulated device, which runs one block after\n"
       "another, grids that seem to run together take turns. Blocks that are traced take turns elsewhere: the first split is\n"
       "that of the sample recursion with the same options, and the tree below it is like that one's, not the same.\n"
       "\n"
       "Exit code: 0 sorted, and the check says so; 1 the result was wrong, memory is missing or a file cannot be written;\n"
       "2 the command line is at fault; 3 the device or the library failed.");
}

/* ---- The command line ------------------------------------------------------------------------------------------ */

static bool take_number(argument_list *list, const argument *option, uint64_t least, uint64_t most, uint64_t *number) {
  const char *word = argument_value(list, option);
  if (word == NULL)
    return false;
  if (parse_count(word, number) && *number >= least && *number <= most)
    return true;
  usage_error(list, "%s: '%s' is not a whole number from %" PRIu64 " to %" PRIu64, option->name, word, least, most);
  return false;
}

static bool take(void *into, argument_list *list, const argument *found) {
  command *wanted = into;
  if (strcmp(found->name, "--json") == 0)
    return take_path(list, found, &wanted->json);
  if (strcmp(found->name, "--csv") == 0)
    return take_path(list, found, &wanted->csv);
  if (strcmp(found->name, "--capacity") == 0)
    return take_number(list, found, 1, CDP_TRACE_CAPACITY_MAX, &wanted->capacity);
  if (strcmp(found->name, "--width") == 0)
    return take_number(list, found, PICTURE_COLUMNS_LEAST, PICTURE_COLUMNS_MOST, &wanted->columns);
  if (is_key_option(found))
    return key_settings_take(&wanted->keys, list, found);
  return settings_take(&wanted->settings, list, found);
}

/* ---- Telling --------------------------------------------------------------------------------------------------- */

static void report(const command *wanted, const cdp_study *study, const cdp_trace *trace) {
  trace_figures figures;
  printf("%" PRIu64 " %s keys, %s, sorted %s on %s\n", wanted->keys.count, type_name(wanted->settings.type),
         wanted->keys.distribution->name, order_name(wanted->settings.options.order), cdp_last_device());
  printf("Time: %.3f ms on the device, counted and traced, without copies\n\n", study->milliseconds);
  const bool complete = print_picture(trace, (size_t)wanted->columns);
  putchar('\n');
  if (!complete || !print_kinds(trace))
    puts("(not enough memory for the picture)");
  putchar('\n');
  if (!print_recursion(study))
    puts("(not enough memory for the table)");

  printf("\nTrace: %zu events", trace->count);
  if (trace->lost > 0)
    printf("; %zu more were lost, so that the picture ends too early (--capacity %zu has room)", trace->lost,
           trace->count + trace->lost);
  printf("\nLaunches pending at once: %" PRIu32 " at most\n", study->max_pending);
  if (read_trace(trace, &figures) && figures.latencies > 0)
    printf("Launch latency: median %.1f us, from %.1f to %.1f; no grid ran in %.1f %% of the time, at most %.1f us on end\n",
           figures.latency.median / 1e3, figures.latency.least / 1e3, figures.latency.most / 1e3, idle_percent(&figures),
           (double)figures.idle_longest / 1e3);
}

/* EXIT_SORTED, or a message and another exit code. */
static int judge(cdp_status status) {
  const int code = report_status(PROGRAM, status);
  return status == CDP_ERROR_FILE ? EXIT_DATA : code;
}

/* What is written of a trace, each where it is wanted. */
enum { FILE_JSON, FILE_CSV, FILES };
typedef struct trace_files {
  output_file out[FILES];
  bool is_wanted[FILES];
} trace_files;

/* Publishes what was written to the path of a file. An exit code. */
static int finish_file(trace_files *files, int which, cdp_status status) {
  const int code = judge(status);
  files->is_wanted[which] = false;
  if (!output_close(&files->out[which], code == EXIT_SORTED))
    return code != EXIT_SORTED ? code : EXIT_DATA;
  return EXIT_SORTED;
}

static int write_files(trace_files *files, const cdp_trace *trace) {
  int code = EXIT_SORTED;
  if (files->is_wanted[FILE_JSON]) {
    code = finish_file(files, FILE_JSON, cdp_trace_write_json(trace, output_path(&files->out[FILE_JSON])));
    if (code == EXIT_SORTED)
      printf("Written: %s, to be opened at https://ui.perfetto.dev (it stays on your machine) or chrome://tracing\n",
             files->out[FILE_JSON].name);
  }
  if (files->is_wanted[FILE_CSV] && code == EXIT_SORTED) {
    code = finish_file(files, FILE_CSV, cdp_trace_write_csv(trace, output_path(&files->out[FILE_CSV])));
    if (code == EXIT_SORTED)
      printf("Written: %s, a line for each event\n", files->out[FILE_CSV].name);
  }
  return code;
}

/* Before the sort, which may take long. */
static bool prepare_files(const command *wanted, trace_files *files) {
  const char *const paths[FILES] = {[FILE_JSON] = wanted->json, [FILE_CSV] = wanted->csv};
  for (int which = 0; which < FILES; which++) {
    if (paths[which] == NULL)
      continue;
    files->is_wanted[which] = output_prepare(&files->out[which], PROGRAM, paths[which]);
    if (!files->is_wanted[which])
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
  const char *fault;
  spread milliseconds;
  cdp_study study = {0};
  cdp_status status = time_runs(keys, &wanted->settings.options, 1, &milliseconds, &fault);
  if (status == CDP_OK && fault == NULL)
    status = trace_sort(keys, &wanted->settings.options, &study, trace, &fault);
  if (status != CDP_OK)
    return judge(status);
  if (fault != NULL) {
    fprintf(stderr, "%s: %s\n", PROGRAM, fault);
    return EXIT_DATA;
  }
  report(wanted, &study, trace);
  puts("Check: sorted, and a permutation of what was given (order, sum, exclusive-or)");
  return write_files(files, trace);
}

/* Makes keys and room for the trace. */
static int make_and_sort(const command *wanted, trace_files *files) {
  sample_keys keys;
  cdp_trace trace;
  int code = EXIT_DATA;
  if (!sample_keys_make(&keys, PROGRAM, &wanted->keys, &wanted->settings))
    return EXIT_DATA;
  if (trace_make(&trace, (size_t)wanted->capacity))
    code = sort_and_tell(wanted, &keys, files, &trace);
  else
    fprintf(stderr, "%s: not enough memory for %" PRIu64 " events\n", PROGRAM, wanted->capacity);
  free(trace.events);
  sample_keys_release(&keys);
  return code;
}

static int run(void *given) {
  command *wanted = given;
  trace_files files = {.is_wanted = {false}};
  int code = settle_sort(PROGRAM, wanted->settings.type, &wanted->settings.options);
  if (code != EXIT_SORTED)
    return code;
  if (wanted->keys.count == 0)
    wanted->keys.count = UINT64_C(1) << (was_simulated() ? COUNT_LOG2_SIMULATED : COUNT_LOG2_GPU);
  code = prepare_files(wanted, &files) ? make_and_sort(wanted, &files) : EXIT_DATA;
  drop_files(&files);
  return code;
}

int main(int argument_count, char **words) {
  command wanted = {.settings = {.type = CDP_U32, .options = CDP_OPTIONS_INIT},
                    .keys = {.distribution = &DISTRIBUTIONS[0], .least = KEYS_LEAST},
                    .capacity = TRACE_CAPACITY,
                    .columns = COLUMNS_DEFAULT};
  return run_program(&(sample_program){PROGRAM, take, help, run}, argument_count, words, &wanted);
}
