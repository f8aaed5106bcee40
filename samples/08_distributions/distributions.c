/* SPDX-License-Identifier: MIT */
/*
 * distributions: the speed-up over std::sort for the nine kinds of keys of the TNL thesis, beside what the thesis published
 * (published.c, tables 5.2 and 5.3). Run it with --help.
 *
 * 1. study_keys.c makes the keys, random ones first, for they are what the others are compared with.
 * 2. workplace.c measures the library several times and std::sort as often, but no longer than 50 ms, and checks every result.
 * 3. distributions_report.c prints each row as it is found, with the published one from published.c, and the ratios at the end.
 */
#include "distributions_report.h"
#include "size_list.h"
#include "table_arguments.h"
#include "table_output.h"

#include <stdio.h>
#include <string.h>

static const char PROGRAM[] = "distributions";

enum { FIRST_LOG2 = 10, LAST_LOG2 = 28, LAST_LOG2_SIMULATED = 14, BASELINE_LOG2_MOST = 25 };

/* Up to so many keys what the host does to launch is a good part of the time, and a host has slow minutes: what others are
   compared with is measured again beside each of them. */
enum { HOST_MATTERS_LOG2 = 20 };

/* The command line. */
typedef struct command {
  table_arguments common;
  uint32_t sequences; /* bit s: sequence s */
} command;

static void help(void) {
  puts("Usage: distributions [option...]\n"
       "Measures the speed-up over std::sort for the nine kinds of keys of the TNL thesis, and prints its rows beside ours.\n"
       "\n"
       "  --distributions LIST  names with commas, or all (all):");
  for (int s = 0; s < SEQUENCES; s++)
    printf("                     %-13s %s\n", sequence_name((sequence)s), sequence_text((sequence)s));
  table_arguments_help("10-28; on the simulated device 10-14", "20 up to 2^22 keys, 5 up to 2^25, 3 beyond; simulated: 3",
                       "2^25");
  settings_help("i32, as the thesis'");
  puts(
      "\n"
      "Exit code: 0 all results were right; 1 one was not, a file cannot be written, or memory for the keys is missing; 2 the\n"
      "command line is at fault; 3 the device or the library failed.");
}

/* ---- The command line ------------------------------------------------------------------------------------------ */

/* Adds the sequence of that name, or all. */
static bool add_sequences(const char *name, size_t length, uint32_t *sequences) {
  bool known = false;
  for (int s = 0; s < SEQUENCES; s++) {
    const char *own = sequence_name((sequence)s);
    const bool meant = strlen(own) == length && strncmp(own, name, length) == 0;
    if (meant || (length == 3 && strncmp(name, "all", length) == 0)) {
      *sequences |= 1u << s;
      known = true;
    }
  }
  return known;
}

static bool take_distributions(command *wanted, argument_list *list, const argument *found) {
  const char *rest = argument_value(list, found);
  if (rest == NULL)
    return false;
  wanted->sequences = 0;
  while (rest != NULL) {
    const size_t length = strcspn(rest, ",");
    if (!add_sequences(rest, length, &wanted->sequences)) {
      usage_error(list, "--distributions: there is none called '%.*s'", (int)length, rest);
      return false;
    }
    rest = rest[length] == ',' ? rest + length + 1 : NULL;
  }
  return true;
}

static bool take(void *into, argument_list *list, const argument *found) {
  command *wanted = into;
  if (strcmp(found->name, "--distributions") == 0)
    return take_distributions(wanted, list, found);
  return take_table_argument(&wanted->common, list, found, SEQUENCE_LOG2_MOST);
}

/* ---- Measuring ------------------------------------------------------------------------------------------------- */

static void give_sequence(workplace *place, const command *wanted, sequence which, uint64_t count) {
  generate_sequence(place->given, count, place->type, which, wanted->common.settings.options.seed);
  workplace_given(place, count);
}

static int measure(workplace *place, const command *wanted, sequence which, uint32_t log2_count, cell *row) {
  const cdp_options *options = &wanted->common.settings.options;
  const uint64_t count = UINT64_C(1) << log2_count;
  const uint32_t runs = wanted->common.runs != 0 ? wanted->common.runs : usual_runs(place, count);
  show_progress(PROGRAM, sequence_name(which), log2_count);
  give_sequence(place, wanted, which, count);
  if (count <= wanted->common.baseline_max)
    row->std_sort_ms = time_standard_sort(place, runs);
  const int code = time_sorts(place, options, runs, &row->time);
  row->is_measured = code == EXIT_SORTED;
  show_progress(PROGRAM, NULL, 0);
  return code;
}

/* Compares the sequence that was measured last with random keys. */
static int compare_with_random(workplace *place, const command *wanted, uint32_t log2_count, const cell *random, cell *row) {
  timing again = random->time;
  if (log2_count <= HOST_MATTERS_LOG2) {
    give_sequence(place, wanted, SEQUENCE_RANDOM, place->count);
    const int code = time_sorts(place, &wanted->common.settings.options, row->time.runs, &again);
    if (code != EXIT_SORTED)
      return code;
  }
  if (again.device_ms > 0)
    row->ratio_to_random = row->time.device_ms / again.device_ms;
  return EXIT_SORTED;
}

/* One sequence, all sizes. */
static int measure_sequence(workplace *place, const command *wanted, uint64_t sizes, sequence which, results *all,
                            csv_file *csv) {
  print_sequence_head(which);
  for (uint32_t n = 0; n <= SEQUENCE_LOG2_MOST; n++) {
    cell *row = &all->cells[which][n];
    const cell *random = &all->cells[SEQUENCE_RANDOM][n];
    if ((sizes >> n & 1) == 0)
      continue;
    int code = measure(place, wanted, which, n, row);
    if (code == EXIT_SORTED && which == SEQUENCE_RANDOM)
      row->ratio_to_random = 1;
    else if (code == EXIT_SORTED && random->is_measured)
      code = compare_with_random(place, wanted, n, random, row);
    if (code != EXIT_SORTED)
      return code;
    print_sequence_row(which, n, row);
    write_distributions_csv_row(csv, place, which, n, row);
  }
  return EXIT_SORTED;
}

static int measure_all(workplace *place, const void *given, csv_file *csv) {
  const command *wanted = given;
  static results all; /* some 20 KiB, and filled once */
  const uint32_t last = place->is_simulated ? LAST_LOG2_SIMULATED : LAST_LOG2;
  const uint64_t sizes = wanted->common.sizes != 0 ? wanted->common.sizes : sizes_between(FIRST_LOG2, last);
  int code = workplace_reserve(place, UINT64_C(1) << greatest_log2(sizes));
  if (code == EXIT_SORTED)
    print_distributions_head(place);
  for (int s = 0; s < SEQUENCES && code == EXIT_SORTED; s++)
    if ((wanted->sequences >> s & 1) != 0)
      code = measure_sequence(place, wanted, sizes, (sequence)s, &all, csv);
  if (code == EXIT_SORTED)
    print_ratios(&all, place);
  return code;
}

static int run(void *given) {
  const command *wanted = given;
  return use_workplace(PROGRAM, &wanted->common, DISTRIBUTIONS_CSV_NAMES, measure_all, wanted);
}

int main(int argument_count, char **words) {
  command wanted = {
      .common = {.settings = {.type = CDP_I32, .options = CDP_OPTIONS_INIT}, .baseline_max = UINT64_C(1) << BASELINE_LOG2_MOST},
      .sequences = (1u << SEQUENCES) - 1};
  return run_program(&(sample_program){PROGRAM, take, help, run}, argument_count, words, &wanted);
}
