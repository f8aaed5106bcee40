/* SPDX-License-Identifier: MIT */
/*
 * partition_kinds: the two ways to partition an array around a pivot, compared. Run it with --help.
 *
 * 1. partition_keys.c chooses a pivot with about half of the keys on either side.
 * 2. cdp_partition() partitions the same keys some times by each kind, and tells how long it took on the device.
 * 3. Every result is checked; those of one kind are compared with each other, and with the order that the keys came in.
 */
#include "chosen_device.h"
#include "csv_file.h"
#include "host_work.h"
#include "partition_keys.h"
#include "progress.h"
#include "sample_keys.h"
#include "text_table.h"

#include <inttypes.h>
#include <stdio.h>

static const char PROGRAM[] = "partition_kinds";
static const char COLUMNS[] = "type,log2_count,kind,milliseconds,milliseconds_least,milliseconds_most,"
                              "gigabytes_per_second,identical,runs";

/* A partition knows nothing of recursion. */
static const study_options HAS = {.type = "u32",
                                  .distribution = "random",
                                  .first_log2 = {16, 8},
                                  .last_log2 = {26, 14},
                                  .log2_most = PARTITION_LOG2_MOST,
                                  .runs = {7, 7},
                                  .csv = "the figures",
                                  .refused = {WAYS_TO_SORT, NULL}};

static const struct {
  const char *name;
  cdp_partition_kind kind;
} KINDS[] = {{"reserve", CDP_PARTITION_RESERVE}, {"scan", CDP_PARTITION_SCAN}};

static bool take(void *wanted, argument_list *list, const argument *found) {
  return study_take(wanted, &HAS, list, found);
}

static void help(void) {
  puts("Usage: partition_kinds [option...]\n"
       "Partitions generated keys around a pivot by each kind of cdp_partition(), and prints how they compare:\n"
       "\n"
       "  reserve          blocks reserve room for their tiles by atomics: one pass, in an order as it happens\n"
       "  scan             counts are scanned, then keys are scattered: two passes, stable, the same every time\n"
       "\n"
       "Either way the parts are put together in a second array, and copied back, which is in the time.\n");
  study_help(&HAS);
  settings_help(HAS.type, &HAS.refused);
  puts(
      "\n"
      "The columns: the median of the times, in milliseconds, the least and the most; the bytes of the keys, read once and\n"
      "written once, in the median time; whether every run gave the same array; and whether the keys of each part were in the\n"
      "order that they came in, every time.");
}

/* ---- One kind, one size ---------------------------------------------------------------------------------------- */

/* What came of the runs. */
typedef struct measurement {
  spread milliseconds;
  bool is_identical;
  bool is_stable;
} measurement;

/* What is partitioned: the keys that were given, around a pivot. The first result is kept in `sorted`. */
typedef struct task {
  sample_keys *keys;
  given_keys given;
  unsigned char pivot[KEY_BYTES_MOST];
} task;

static task make_task(sample_keys *keys, const study_arguments *wanted, uint32_t exponent) {
  sample_keys_generate(keys, UINT64_C(1) << exponent, wanted);
  task made = {.keys = keys, .given = {keys->given, keys->count, keys->type, keys->order}};
  median_of_sample(&made.given, made.pivot);
  return made;
}

static uint64_t bytes_of(const task *made) {
  return made->given.count * type_bytes(made->given.type);
}

/* Partitions the keys as they were given. Each run has a seed of its own, so that the simulated device's blocks do not always
   run in the same order, as they would not on a GPU. An exit code. */
static int run_once(const task *made, const study_arguments *wanted, uint32_t number, cdp_partition_kind kind,
                    cdp_parts *parts) {
  cdp_options options = wanted->settings.options;
  options.seed += number;
  sample_keys_reset(made->keys);
  return report_status(PROGRAM, cdp_partition(made->keys->keys, (size_t)made->given.count, made->given.type, &options,
                                              made->pivot, kind, parts));
}

static int tell_fault(const char *fault) {
  printf("Check: FAILED, %s\n", fault);
  return EXIT_DATA;
}

/* Looks at a result that is not the first one's over again. An exit code. */
static int check_result(const task *made, const cdp_parts *parts, measurement *measured) {
  const char *fault = check_partition(&made->given, made->keys->keys, made->pivot, parts);
  if (fault != NULL)
    return tell_fault(fault);
  measured->is_stable = measured->is_stable && is_stable(&made->given, made->keys->keys, made->pivot, parts);
  return EXIT_SORTED;
}

/* Where a partition is divided does not depend on the order within its parts: an array that is right may still come with parts
   that are told wrong. */
static bool same_parts(const cdp_parts *one, const cdp_parts *other) {
  return one->less_items == other->less_items && one->equal_items == other->equal_items;
}

/* Compares a result with the first one, and looks at it where it is another. An exit code. */
static int compare_result(const task *made, const cdp_parts *first, const cdp_parts *parts, measurement *measured) {
  if (!same_parts(first, parts))
    return tell_fault("the parts are not those of the first run");
  if (same_keys(made->keys->keys, made->keys->sorted, bytes_of(made)))
    return EXIT_SORTED;
  measured->is_identical = false;
  return check_result(made, parts, measured);
}

/* Measures a kind. An exit code. */
static int measure(const task *made, const study_arguments *wanted, cdp_partition_kind kind, measurement *measured) {
  double milliseconds[RUNS_MOST];
  cdp_parts first;
  *measured = (measurement){.is_identical = true, .is_stable = true};
  /* What is done for the first time loads code, and does not count. */
  int code = run_once(made, wanted, 0, kind, &first);
  if (code == EXIT_SORTED)
    code = check_result(made, &first, measured);
  copy_keys(made->keys->sorted, made->keys->keys, bytes_of(made));
  for (uint32_t run = 0; run < wanted->runs && code == EXIT_SORTED; run++) {
    cdp_parts parts;
    code = run_once(made, wanted, run + 1, kind, &parts);
    milliseconds[run] = parts.milliseconds;
    if (code == EXIT_SORTED)
      code = compare_result(made, &first, &parts, measured);
  }
  if (code == EXIT_SORTED)
    measured->milliseconds = spread_of(milliseconds, wanted->runs);
  return code;
}

/* ---- All of them ----------------------------------------------------------------------------------------------- */

static const char *yes_or_no(bool which) {
  return which ? "yes" : "no";
}

static void put_measurement(text_table *table, csv_file *csv, const task *made, uint32_t exponent, const char *kind,
                            uint32_t runs, const measurement *measured) {
  const spread *times = &measured->milliseconds;
  const double rate = ratio_of(2.0 * (double)bytes_of(made) / 1e6, times->median);
  text_table_add(table, "2^%" PRIu32 "\t%s\t%.4f\t%.4f\t%.4f\t%.4g\t%s\t%s", exponent, kind, times->median, times->least,
                 times->most, rate, yes_or_no(measured->is_identical), yes_or_no(measured->is_stable));
  csv_row(csv, "%s,%" PRIu32 ",%s,%.6g,%.6g,%.6g,%.6g,%s,%" PRIu32, type_name(made->given.type), exponent, kind, times->median,
          times->least, times->most, rate, yes_or_no(measured->is_identical), runs);
}

/* About how long it will take on the simulated device: so long as a few keys took, and more as there are more. */
static double announce(sample_keys *keys, const study_arguments *wanted) {
  enum { PILOT_LOG2 = 14 };
  cdp_parts parts;
  if (!was_simulated() || greatest_log2(wanted->sizes) <= PILOT_LOG2)
    return 0;
  const task made = make_task(keys, wanted, PILOT_LOG2);
  const double begin = clock_milliseconds();
  const int code = run_once(&made, wanted, 0, KINDS[0].kind, &parts);
  const double seconds = (clock_milliseconds() - begin) / 1e3;
  const double runs = (double)(wanted->runs + 1) * sizeof KINDS / sizeof *KINDS;
  return code == EXIT_SORTED ? announce_seconds(PROGRAM, seconds * runs * (double)(wanted->sizes >> PILOT_LOG2)) : 0;
}

static int compare_sizes(sample_keys *keys, const void *given, csv_file *csv) {
  const study_arguments *wanted = given;
  text_table table;
  int code = EXIT_SORTED;
  const double seconds = announce(keys, wanted);
  printf("%s keys, %s, %s, around a pivot in the middle, on %s\n\n", type_name(wanted->settings.type),
         wanted->distribution->name, order_name(wanted->settings.options.order), cdp_last_device());
  text_table_begin(&table, "rlrrrrll");
  text_table_add(&table, "keys\tkind\tms\tleast\tmost\tGB/s\tidentical\tstable");
  progress_begin(PROGRAM, greatest_log2(wanted->sizes) + 1, seconds);
  for (uint32_t exponent = 0; exponent <= PARTITION_LOG2_MOST && code == EXIT_SORTED; exponent++) {
    if ((wanted->sizes >> exponent & 1) == 0)
      continue;
    const task made = make_task(keys, wanted, exponent);
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS && code == EXIT_SORTED; i++) {
      measurement measured;
      progress_at(exponent, KINDS[i].name);
      code = measure(&made, wanted, KINDS[i].kind, &measured);
      if (code == EXIT_SORTED)
        put_measurement(&table, csv, &made, exponent, KINDS[i].name, wanted->runs, &measured);
    }
  }
  progress_end();
  text_table_print(&table);
  if (code == EXIT_SORTED)
    puts("\nCheck: every result is partitioned, and a permutation of what was given");
  return code;
}

static int run(void *wanted) {
  return run_study(PROGRAM, &HAS, COLUMNS, wanted, compare_sizes, wanted);
}

int main(int argument_count, char **words) {
  study_arguments wanted = {.settings = {.type = CDP_U32, .options = CDP_OPTIONS_INIT}, .distribution = &DISTRIBUTIONS[0]};
  return run_program(&(sample_program){PROGRAM, take, help, run}, argument_count, words, &wanted);
}
