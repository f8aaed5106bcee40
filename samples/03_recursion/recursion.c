/* SPDX-License-Identifier: MIT */
/*
 * recursion: sorts generated keys and prints what the recursion did at each depth. Run it with --help.
 *
 * 1. recursion_keys.c generates keys and takes their fingerprint.
 * 2. cdp_study_quicksort() sorts them and counts.
 * 3. recursion_keys.c checks order and fingerprint; recursion_table.c prints the counts.
 */
#include "recursion_table.h"
#include "sample_keys.h"

#include <cdpsort/study.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char PROGRAM[] = "recursion";

/* The command line. */
typedef struct command {
  sort_settings settings;
  key_settings keys;
} command;

static void help(void) {
  puts("Usage: recursion [option...]\n"
       "Sorts generated keys and prints what the recursion did at each depth.\n");
  key_settings_help("2^20");
  puts("  --help           this text (-h)\n");
  settings_help("u32");
  putchar('\n');
  print_columns_help();
  puts("\n"
       "Exit code: 0 sorted, and the check says so; 1 the check found a fault, or the memory for the keys is missing;\n"
       "2 the command line is at fault; 3 the device or the library failed.");
}

/* ---- The command line ------------------------------------------------------------------------------------------ */

static bool take(void *into, argument_list *list, const argument *found) {
  command *wanted = into;
  if (is_key_option(found))
    return key_settings_take(&wanted->keys, list, found);
  return settings_take(&wanted->settings, list, found);
}

/* ---- Sorting --------------------------------------------------------------------------------------------------- */

/* Sorts and counts, on the simulated device where there is no GPU and nobody asked for one. */
static cdp_status study_sort(void *keys, const command *wanted, cdp_study *study) {
  cdp_options options = wanted->settings.options;
  const size_t count = (size_t)wanted->keys.count;
  cdp_status status = cdp_study_quicksort(keys, count, wanted->settings.type, &options, study);
  if (may_simulate(status, &options)) {
    print_simulated_notice(stdout, PROGRAM);
    options.device = CDP_DEVICE_SIMULATED;
    status = cdp_study_quicksort(keys, count, wanted->settings.type, &options, study);
  }
  return status;
}

/* Checks order and permutation, and says what it found. */
static bool check(const void *keys, const command *wanted, fingerprint before) {
  const cdp_type type = wanted->settings.type;
  const uint64_t disorder = find_disorder(keys, wanted->keys.count, type, wanted->settings.options.order);
  const bool kept = same_fingerprint(before, take_fingerprint(keys, wanted->keys.count, type));
  if (disorder < wanted->keys.count)
    printf("Check: FAILED, key %" PRIu64 " is out of order\n", disorder);
  if (!kept)
    puts("Check: FAILED, the keys are not those that were given (sum or exclusive-or differ)");
  if (disorder < wanted->keys.count || !kept)
    return false;
  puts("Check: sorted, and a permutation of what was given (order, sum, exclusive-or)");
  return true;
}

static void report(const command *wanted, const cdp_study *study) {
  printf("%" PRIu64 " %s keys, %s, sorted %s", wanted->keys.count, type_name(wanted->settings.type),
         wanted->keys.distribution->name, order_name(wanted->settings.options.order));
  if (wanted->keys.count < 2)
    puts(", which needs no device");
  else
    printf(" on %s\n", cdp_last_device());
  printf("Time: %.3f ms on the device, without copies\n\n", study->milliseconds);

  if (!print_recursion(study))
    puts("(not enough memory for the table)");

  printf("\nTasks: at most %" PRIu32 " started in one batch; %" PRIu32 " of the %" PRIu32
         " that the workspace has room for were used\n",
         study->tasks_in_batch, study->tasks_allocated, study->task_capacity);
  printf("Deferred ranges were taken up again %" PRIu32 " times\n", study->batches);
  if (study->first_fault != 0)
    printf("The first refused launch had the CUDA error %" PRId32 "\n", study->first_fault);
}

static int run(void *given) {
  const command *wanted = given;
  const size_t bytes = type_bytes(wanted->settings.type);
  void *keys = NULL;
  if (wanted->keys.count <= SIZE_MAX / bytes)
    keys = malloc(wanted->keys.count == 0 ? 1 : (size_t)wanted->keys.count * bytes);
  if (keys == NULL) {
    fprintf(stderr, "%s: not enough memory for %" PRIu64 " keys\n", PROGRAM, wanted->keys.count);
    return EXIT_DATA;
  }
  generate_keys(keys, wanted->keys.count, wanted->settings.type, wanted->keys.distribution, wanted->settings.options.seed);
  const fingerprint before = take_fingerprint(keys, wanted->keys.count, wanted->settings.type);

  cdp_study study;
  int code = report_status(PROGRAM, study_sort(keys, wanted, &study));
  if (code == EXIT_SORTED) {
    report(wanted, &study);
    if (!check(keys, wanted, before))
      code = EXIT_DATA;
  }
  free(keys);
  return code;
}

int main(int argument_count, char **words) {
  command wanted = {.settings = {.type = CDP_U32, .options = CDP_OPTIONS_INIT},
                    .keys = {.count = 1 << 20, .distribution = &DISTRIBUTIONS[0]}};
  return run_program(&(sample_program){PROGRAM, take, help, run}, argument_count, words, &wanted);
}
