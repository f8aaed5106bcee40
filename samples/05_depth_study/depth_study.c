/* SPDX-License-Identifier: MIT */
/*
 * depth_study: how the time of a sort depends on the knobs of its recursion. Run it with --help.
 *
 * 1. depth_sweep.c crosses the values of the knobs, and sorts the same keys with each combination: counted once, timed often.
 * 2. sample_keys.c checks every result; depth_report.c writes it to the CSV file at once.
 * 3. In the end depth_report.c prints the table and what it recommends.
 */
#include "chosen_device.h"
#include "depth_report.h"
#include "depth_sweep.h"

#include <stdio.h>
#include <string.h>

static const char PROGRAM[] = "depth_study";

enum { RUNS_FULL = 3, ROWS_SHOWN = 30 };

static const study_options HAS = {.type = "u32",
                                  .count = "how many keys",
                                  .count_log2 = {24, 13},
                                  .count_least = 2,
                                  .distribution = "random",
                                  .runs = {5, 1},
                                  .csv = "each combination, as soon as it is measured,"};

typedef struct command {
  study_arguments study;
  sweep sweep;
  uint64_t rows; /* of the table; 0: all */
  bool short_given;
} command;

static void help(void) {
  puts("Usage: depth_study [option...]\n"
       "Sorts the same keys with many combinations of depth limit, leaf size, fan-out, launch scheme, child streams and pivot\n"
       "rule, and says what each is worth.\n");
  study_help(&HAS);
  printf("  --time-limit S   stop measuring after so many seconds\n"
         "  --rows N         how many rows the table has, 0: all (%d)\n\n",
         ROWS_SHOWN);
  sweep_help();
  settings_help(HAS.type, &HAS.refused);
  puts("Here --short is none where it is not given: the two launches are for the default scheme, child streams and leaf size\n"
       "alone, and beside them every other value of these knobs would be another algorithm.\n"
       "\n"
       "The simulated device has exact counts, and times that mean nothing. So it ranks by bytes moved, then by launches.\n"
       "\n"
       "The table: milliseconds on the device without copies (median, least, most), the knobs, the greatest depth, then counts "
       "of\n"
       "the one counted run: tasks, grids launched by the device, launches refused, bytes of keys moved, balance of the "
       "splits.\n"
       "\n"
       "Is the tree the same on every device? Its first level is: which positions pivots come from depends on range and seed\n"
       "alone. Below, a range holds the same keys in the order in which blocks happened to write them, which differs from run "
       "to\n"
       "run on a GPU, and with the schemes and the seed on the simulated device, where a run with the same options and seed "
       "repeats\n"
       "exactly. Then counts agree about, not exactly. Give --block-items, or ranges of another length get no grid: by default "
       "it\n"
       "depends on the device.");
}

/* ---- The command line ------------------------------------------------------------------------------------------ */

static bool take(void *into, argument_list *list, const argument *found) {
  command *wanted = into;
  uint64_t number = 0;
  if (strcmp(found->name, "--rows") == 0)
    return take_whole(list, found, 0, UINT32_MAX, &wanted->rows);
  if (strcmp(found->name, "--time-limit") == 0) {
    const bool taken = take_whole(list, found, 0, UINT32_MAX, &number);
    wanted->sweep.seconds_most = (double)number;
    return taken;
  }
  if (is_knob_option(found))
    return sweep_take(&wanted->sweep, list, found);
  wanted->short_given = wanted->short_given || strcmp(found->name, "--short") == 0;
  return study_take(&wanted->study, &HAS, list, found);
}

/* ---- The study ------------------------------------------------------------------------------------------------- */

static void report(command *wanted, const sample_keys *keys) {
  print_simulated_times_notice("So combinations are ranked by the bytes of keys that they move, then by their launches.");
  printf("%llu %s keys, %s, on %s\n", (unsigned long long)keys->count, type_name(keys->type), wanted->study.distribution->name,
         cdp_last_device());
  if ((wanted->study.settings.tuning.disable & CDP_DISABLE_SHORT) != 0)
    puts("Without the two launches for short arrays (--short none), which only some of these combinations could have");
  report_table(&wanted->sweep, (size_t)wanted->rows);
  report_coverage(&wanted->sweep);
  report_recommendation(&wanted->sweep);
  puts("Check: every result sorted, and a permutation of what was given");
}

static int measure_and_report(sample_keys *keys, const void *given, csv_file *csv) {
  command *wanted = *(command *const *)given;
  sweep_use_device(&wanted->sweep, wanted->study.settings.options.device);
  sample_keys_generate(keys, wanted->study.count, &wanted->study);
  depth_rows rows = {.csv = csv, .wanted = &wanted->study};
  const int code = sweep_measure(&wanted->sweep, keys, wanted->study.runs, write_depth_row, &rows);
  if (code == EXIT_SORTED)
    report(wanted, keys);
  return code;
}

static int run(void *given) {
  command *wanted = given;
  study_arguments *study = &wanted->study;
  if (!wanted->short_given)
    settings_tuning(&study->settings)->disable |= CDP_DISABLE_SHORT;
  const int code = sweep_plan(&wanted->sweep, PROGRAM, &study->settings);
  if (code != EXIT_SORTED)
    return code;
  study_options has = HAS;
  if (wanted->sweep.full)
    has.runs[0] = RUNS_FULL;
  return run_study(PROGRAM, &has, DEPTH_CSV_COLUMNS, study, measure_and_report, &wanted);
}

int main(int argument_count, char **words) {
  command wanted = {.study = {.settings = {.type = CDP_U32, .options = CDP_OPTIONS_INIT}, .distribution = &DISTRIBUTIONS[0]},
                    .rows = ROWS_SHOWN};
  const int code = run_program(&(sample_program){PROGRAM, take, help, run}, argument_count, words, &wanted);
  sweep_release(&wanted.sweep);
  return code;
}
