/* SPDX-License-Identifier: MIT */
/*
 * distributions: the speed-up over std::sort for the nine kinds of keys of Xuan Thang Nguyen's thesis, "Development of parallel
 * sorting algorithms for GPU" (2021), beside what the thesis published (distributions_report.c). Run it with --help.
 *
 * 1. generated_keys.c makes the keys, random ones first, for they are what the others are compared with.
 * 2. sample_keys.c measures the library several times and std::sort as often, but no longer than 50 ms, and checks every result.
 * 3. distributions_report.c prints each row as it is found, with the published one, and the ratios at the end.
 */
#include "distributions_report.h"
#include "progress.h"
#include "text_table.h"

#include <stdio.h>
#include <string.h>

static const char PROGRAM[] = "distributions";

enum { BASELINE_LOG2_MOST = 25 };

/* Up to so many keys what the host does to launch is a good part of the time, and a host has slow minutes: what others are
   compared with is measured again beside each of them. */
enum { HOST_MATTERS_LOG2 = 20 };

static const study_options HAS = {.type = "i32, as the thesis'",
                                  .first_log2 = {10, 10},
                                  .last_log2 = {28, 14},
                                  .log2_least = 1,
                                  .log2_most = SEQUENCE_LOG2_MOST,
                                  .runs_text = "20 up to 2^22 keys, 5 up to 2^25, 3 beyond; simulated: 3",
                                  .csv = "what was measured"};

/* The command line. */
typedef struct command {
  study_arguments study;
  uint64_t baseline_max; /* std::sort is measured up to so many keys */
  uint32_t sequences;    /* bit s: THESIS_DISTRIBUTIONS[s] */
} command;

static void help(void) {
  puts("Usage: distributions [option...]\n"
       "Measures the speed-up over std::sort for the nine kinds of keys of Xuan Thang Nguyen's thesis, \"Development of\n"
       "parallel sorting algorithms for GPU\" (2021), and prints its rows beside ours.\n"
       "\n"
       "  --distributions LIST  names with commas, or all (all):");
  for (const distribution *one = THESIS_DISTRIBUTIONS; one->name != NULL; one++)
    printf("                     %-13s %s\n", one->name, one->text);
  baseline_help("2^25");
  study_help(&HAS);
  settings_help(HAS.type, &HAS.refused);
}

/* ---- The command line ------------------------------------------------------------------------------------------ */

/* Adds the sequence of that name, or all. */
static bool add_sequences(const char *name, uint32_t *sequences) {
  bool known = false;
  for (uint32_t s = 0; s < SEQUENCES; s++)
    if (strcmp(name, "all") == 0 || strcmp(name, THESIS_DISTRIBUTIONS[s].name) == 0) {
      *sequences |= 1u << s;
      known = true;
    }
  return known;
}

static bool take_distributions(command *wanted, argument_list *list, const argument *found) {
  char word[VALUE_CHARACTERS];
  const char *rest = argument_value(list, found);
  wanted->sequences = 0;
  while (next_value(&rest, word))
    if (!add_sequences(word, &wanted->sequences)) {
      usage_error(list, "--distributions: there is none called '%s'", word);
      return false;
    }
  return wanted->sequences != 0;
}

static bool take(void *into, argument_list *list, const argument *found) {
  command *wanted = into;
  if (strcmp(found->name, "--distributions") == 0)
    return take_distributions(wanted, list, found);
  if (strcmp(found->name, "--baseline-max") == 0)
    return take_count(list, found, 0, UINT64_MAX, &wanted->baseline_max);
  return study_take(&wanted->study, &HAS, list, found);
}

/* ---- Measuring ------------------------------------------------------------------------------------------------- */

static void give_sequence(sample_keys *keys, const command *wanted, uint32_t which, uint64_t count) {
  generate_keys(keys->given, count, keys->type, &THESIS_DISTRIBUTIONS[which], wanted->study.settings.options.seed);
  sample_keys_given(keys, count);
}

static int time_sorts(sample_keys *keys, const command *wanted, timing *time) {
  const cdp_options *options = &wanted->study.settings.options;
  const uint32_t runs = wanted->study.runs != 0 ? wanted->study.runs : usual_runs(keys->count);
  const int code = warm_up(keys, options);
  return code == EXIT_SORTED ? time_runs(keys, options, runs, time) : code;
}

static int measure(sample_keys *keys, const command *wanted, uint32_t which, uint32_t log2_count, cell *row) {
  give_sequence(keys, wanted, which, UINT64_C(1) << log2_count);
  if (keys->count <= wanted->baseline_max)
    row->std_sort_ms = time_standard_sort(keys, wanted->study.runs != 0 ? wanted->study.runs : usual_runs(keys->count));
  const int code = time_sorts(keys, wanted, &row->time);
  row->is_measured = code == EXIT_SORTED;
  return code;
}

/* Compares the sequence that was measured last with random keys. */
static int compare_with_random(sample_keys *keys, const command *wanted, uint32_t log2_count, const cell *random, cell *row) {
  timing again = random->time;
  int code = EXIT_SORTED;
  if (row == random) {
    row->ratio_to_random = 1;
    return code;
  }
  if (!random->is_measured)
    return code;
  if (log2_count <= HOST_MATTERS_LOG2) {
    give_sequence(keys, wanted, SEQUENCE_RANDOM, keys->count);
    code = time_sorts(keys, wanted, &again);
  }
  row->ratio_to_random = ratio_of(row->time.device.median, again.device.median);
  return code;
}

/* One sequence, all sizes. */
static int measure_sequence(sample_keys *keys, const command *wanted, uint32_t which, results *all, csv_file *csv) {
  print_sequence_head(which);
  for (uint32_t n = 0; n <= SEQUENCE_LOG2_MOST; n++) {
    cell *row = &all->cells[which][n];
    if ((wanted->study.sizes >> n & 1) == 0)
      continue;
    progress_at(which, THESIS_DISTRIBUTIONS[which].name);
    int code = measure(keys, wanted, which, n, row);
    if (code == EXIT_SORTED)
      code = compare_with_random(keys, wanted, n, &all->cells[SEQUENCE_RANDOM][n], row);
    if (code != EXIT_SORTED)
      return code;
    progress_hide();
    print_sequence_row(which, n, row);
    write_distributions_csv_row(csv, keys->type, which, n, row);
  }
  return EXIT_SORTED;
}

/* On the simulated device, in sorts of one key times its logarithm. */
static double work_of_all(const command *wanted) {
  double work = 0;
  for (uint32_t n = 0; n <= SEQUENCE_LOG2_MOST; n++)
    if ((wanted->study.sizes >> n & 1) != 0) {
      const uint32_t runs = wanted->study.runs != 0 ? wanted->study.runs : usual_runs(UINT64_C(1) << n);
      work += (runs + 1) * work_of(UINT64_C(1) << n) * (n <= HOST_MATTERS_LOG2 ? 2 : 1);
    }
  return work * __builtin_popcount(wanted->sequences);
}

static int measure_all(sample_keys *keys, const void *given, csv_file *csv) {
  const command *wanted = given;
  static results all; /* some 20 KiB, and filled once */
  const sort_settings *settings = &wanted->study.settings;
  int code = EXIT_SORTED;
  print_distributions_head(settings->type);
  progress_begin(PROGRAM, SEQUENCES, announce_work(PROGRAM, settings->type, &settings->options, work_of_all(wanted)));
  for (uint32_t s = 0; s < SEQUENCES && code == EXIT_SORTED; s++)
    if ((wanted->sequences >> s & 1) != 0)
      code = measure_sequence(keys, wanted, s, &all, csv);
  progress_end();
  if (code == EXIT_SORTED)
    print_ratios(&all);
  return code;
}

static int run(void *given) {
  command *wanted = given;
  return run_study(PROGRAM, &HAS, DISTRIBUTIONS_CSV_NAMES, &wanted->study, measure_all, wanted);
}

int main(int argument_count, char **words) {
  command wanted = {.study = {.settings = {.type = CDP_I32, .options = CDP_OPTIONS_INIT}},
                    .baseline_max = UINT64_C(1) << BASELINE_LOG2_MOST,
                    .sequences = (1u << SEQUENCES) - 1};
  return run_program(&(sample_program){PROGRAM, take, help, run}, argument_count, words, &wanted);
}
