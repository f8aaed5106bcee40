/* SPDX-License-Identifier: MIT */
/*
 * recursion: sorts generated keys and prints what the recursion did at each depth. Run it with --help.
 *
 * 1. generated_keys.c makes the keys.
 * 2. cdp_study_quicksort() sorts them and counts; sample_keys.c checks the result.
 * 3. recursion_table.c prints the counts.
 */
#include "chosen_device.h"
#include "progress.h"
#include "recursion_table.h"
#include "sample_keys.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char PROGRAM[] = "recursion";

static const study_options HAS = {.type = "u32", .count = "how many keys", .count_log2 = {20, 18}, .distribution = "random"};

static void help(void) {
  puts("Usage: recursion [option...]\n"
       "Sorts generated keys and prints what the recursion did at each depth.\n");
  study_help(&HAS);
  settings_help(HAS.type, &HAS.refused);
  putchar('\n');
  print_columns_help();
}

/* The command line. */
typedef struct command {
  study_arguments study;
  bool has_count; /* 0 keys may be asked for */
} command;

static bool take(void *into, argument_list *list, const argument *found) {
  command *wanted = into;
  wanted->has_count = wanted->has_count || strcmp(found->name, "--count") == 0;
  return study_take(&wanted->study, &HAS, list, found);
}

static void report(const study_arguments *wanted, const cdp_study *study) {
  printf("%" PRIu64 " %s keys, %s, sorted %s", wanted->count, type_name(wanted->settings.type), wanted->distribution->name,
         order_name(wanted->settings.options.order));
  if (wanted->count < 2)
    puts(", which needs no device");
  else
    printf(" on %s\n", cdp_last_device());
  printf("Time: %.3f ms on the device, without copies\n\n", study->milliseconds);
  print_recursion(study);
  printf("\nTasks: at most %" PRIu32 " started in one batch; %" PRIu32 " of the %" PRIu32
         " that the workspace has room for were used\n",
         study->tasks_in_batch, study->tasks_allocated, study->task_capacity);
  printf("Deferred ranges were taken up again %" PRIu32 " times\n", study->batches);
  if (study->first_fault != 0)
    printf("The first refused launch had the CUDA error %" PRId32 "\n", study->first_fault);
  puts("Check: sorted, and a permutation of what was given (order, sum, exclusive-or)");
}

static int run(void *given) {
  command *command_line = given;
  study_arguments *wanted = &command_line->study;
  sample_keys keys;
  cdp_study study;
  int code = settle_device(PROGRAM, wanted->settings.type, &wanted->settings.options);
  if (code != EXIT_SORTED)
    return code;
  if (!command_line->has_count)
    study_complete(wanted, &HAS, was_simulated());
  if (!sample_keys_make(&keys, PROGRAM, wanted->count, &wanted->settings))
    return EXIT_DATA;
  sample_keys_generate(&keys, wanted->count, wanted);
  const double seconds = announce_work(PROGRAM, wanted->settings.type, &wanted->settings.options, work_of(wanted->count));
  progress_begin(PROGRAM, 1, seconds);
  progress_at(0, "sorting");
  code = study_sort(&keys, &wanted->settings.options, &study);
  // CUDA loads kernels when they are first launched, and that would be most of the time.
  if (code == EXIT_SORTED && !was_simulated())
    code = study_sort(&keys, &wanted->settings.options, &study);
  progress_end();
  if (code == EXIT_SORTED)
    report(wanted, &study);
  sample_keys_release(&keys);
  return code;
}

int main(int argument_count, char **words) {
  command wanted = {.study = {.settings = {.type = CDP_U32, .options = CDP_OPTIONS_INIT}, .distribution = &DISTRIBUTIONS[0]}};
  return run_program(&(sample_program){PROGRAM, take, help, run}, argument_count, words, &wanted);
}
