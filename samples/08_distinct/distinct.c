/* SPDX-License-Identifier: MIT */
/*
 * distinct: time by the number of keys and by the number of different values among them, beside what "Parallel Quick Sort in
 * OpenCL" published (distinct_report.c). Run it with --help.
 *
 * 1. generated_keys.c makes numbers of few values, sample_keys.c measures and checks.
 * 2. Table 1: 2^20 to 2^27 numbers of 2^14 values, with the default fan-out and with two children.
 * 3. Table 2: 2^20 numbers of 1 to 2^20 values, the same two ways and a third one, in which every range is partitioned by a
 *    grid of its own, as in the paper; each with the greatest leaves and with the least. The paper's last column, its recursion
 *    aborted at ranges of fewer than 1,024, has no counterpart, for this library sorts whatever it is told to: the difference
 *    between the leaf sizes comes nearest. distinct_report.c says beside the numbers what it is and what it is not.
 * 4. The counts of a study tell how many keys left the recursion at which depth, because they were equal to a pivot.
 */
#include "distinct_report.h"
#include "progress.h"

#include <stdio.h>
#include <string.h>

static const char PROGRAM[] = "distinct";

enum {
  LAST_LOG2 = 27,
  LOG2_MOST = 30,
  /* A grid for every range takes far longer than anything else here. */
  RUNS_GRIDS = 3,
  DISTINCT_ROWS = 9,
};

/* Table 2's rows, as logarithms. The paper has 14, 18 and 20. */
static const uint32_t LOG2_DISTINCT[DISTINCT_ROWS] = {0, 1, 4, 8, 12, 14, 16, 18, 20};

static const study_options HAS = {
    .type = "i32",
    .count = "keys of table 2, a power of two",
    .count_log2 = {OPENCL_LOG2_COUNT, 12},
    .first_log2 = {20, 12},
    .last_log2 = {LAST_LOG2, 14},
    .log2_least = 1,
    .log2_most = LOG2_MOST,
    .runs_text = "20 up to 2^22 keys, 5 up to 2^25, 3 beyond; where every range gets a grid, and simulated: 3",
    .csv = "what was measured",
    .refused = {" --leaf --block-items ", " is what this program varies itself"}};

/* The command line. */
typedef struct command {
  study_arguments study; /* count: table 2's keys, a power of two; 0: by the device */
  uint64_t baseline_max; /* std::sort is measured up to so many keys */
} command;

static void help(void) {
  puts("Usage: distinct [option...]\n"
       "Measures the time by the number of keys, and by the number of different values among them, beside what Bisenius\n"
       "and Lessmann published (Parallel Quick Sort in OpenCL).\n");
  baseline_help("2^27");
  study_help(&HAS);
  settings_help(HAS.type, &HAS.refused);
  puts("A --fan-out stands in for the default one.");
}

/* ---- The command line ------------------------------------------------------------------------------------------ */

static bool take_power(command *wanted, argument_list *list, const argument *found) {
  const char *word = argument_value(list, found);
  uint64_t *count = &wanted->study.count;
  if (word == NULL)
    return false;
  if (parse_count(word, count) && *count >= 2 && *count <= UINT64_C(1) << LOG2_MOST && (*count & (*count - 1)) == 0)
    return true;
  usage_error(list, "--count: '%s' is not a power of two from 2 to 2^%d, such as 2^20 or 1Mi", word, LOG2_MOST);
  return false;
}

static bool take(void *into, argument_list *list, const argument *found) {
  command *wanted = into;
  if (strcmp(found->name, "--count") == 0)
    return take_power(wanted, list, found);
  if (strcmp(found->name, "--baseline-max") == 0)
    return take_count(list, found, 0, UINT64_MAX, &wanted->baseline_max);
  return study_take(&wanted->study, &HAS, list, found);
}

/* ---- Ways to sort ---------------------------------------------------------------------------------------------- */

/* What the default fan-out is, with these options: a rule for one pivot leaves two children. */
static uint32_t many_fan_out(const cdp_options *options) {
  if (options->fan_out != 0)
    return options->fan_out;
  return options->pivot == CDP_PIVOT_DEFAULT || options->pivot == CDP_PIVOT_SAMPLED_MEDIAN ? CDP_FAN_OUT_MAX
                                                                                           : CDP_FAN_OUT_CLASSIC;
}

/* The settings of one way. */
static void settings_for(const distinct_facts *facts, way which, bool least_leaf, sort_settings *settings) {
  if (which != WAY_MANY)
    settings->options.fan_out = CDP_FAN_OUT_CLASSIC;
  settings->options.leaf_items = least_leaf ? CDP_LEAF_MIN : 0;
  if (which == WAY_GRIDS)
    settings_tuning(settings)->block_items = least_leaf ? CDP_LEAF_MIN : facts->greatest_leaf;
}

/* One way with one leaf size: the time, and what the recursion did. */
static int measure_leaf(sample_keys *keys, const cdp_options *options, uint32_t runs, timing *time, cdp_study *study) {
  int code = warm_up(keys, options);
  if (code == EXIT_SORTED)
    code = time_runs(keys, options, runs, time);
  return code == EXIT_SORTED ? study_sort(keys, options, study) : code;
}

static uint32_t runs_of(uint64_t count, const command *wanted, way which) {
  const uint32_t usual = usual_runs(count);
  if (wanted->study.runs != 0)
    return wanted->study.runs;
  return which == WAY_GRIDS && usual > RUNS_GRIDS ? RUNS_GRIDS : usual;
}

/* One way with the keys that are given; table 2 wants both leaf sizes. */
static int measure_way(sample_keys *keys, const distinct_facts *facts, const command *wanted, way which, bool both_leaves,
                       measurement *own) {
  const uint32_t runs = runs_of(keys->count, wanted, which);
  sort_settings settings = wanted->study.settings;
  settings_for(facts, which, false, &settings);
  int code = measure_leaf(keys, &settings.options, runs, &own->greatest_leaf, &own->greatest_study);
  if (code == EXIT_SORTED && both_leaves) {
    settings_for(facts, which, true, &settings);
    code = measure_leaf(keys, &settings.options, runs, &own->least_leaf, &own->least_study);
  }
  own->is_measured = code == EXIT_SORTED;
  return code;
}

/* ---- Tables ---------------------------------------------------------------------------------------------------- */

/* Makes keys and measures std::sort, then every way up to and including `last`. */
static int measure_keys(sample_keys *keys, const distinct_facts *facts, const command *wanted, way last, keys_row *row) {
  static const char *const names[WAYS] = {"many children", "two children", "a grid for every range"};
  const uint64_t count = UINT64_C(1) << row->log2_count;
  int code = EXIT_SORTED;
  generate_few_values(keys->given, count, keys->type, UINT64_C(1) << row->log2_distinct, wanted->study.settings.options.seed);
  sample_keys_given(keys, count);
  if (count <= wanted->baseline_max)
    row->std_sort_ms = time_standard_sort(keys, usual_runs(count));
  for (int w = facts->many_fan_out != CDP_FAN_OUT_CLASSIC ? WAY_MANY : WAY_CLASSIC; code == EXIT_SORTED && w <= (int)last;
       w++) {
    progress_at(last == WAY_GRIDS ? 1 : 0, names[w]);
    code = measure_way(keys, facts, wanted, (way)w, last == WAY_GRIDS, &row->ways[w]);
  }
  progress_hide();
  return code;
}

static int measure_table_1(sample_keys *keys, const distinct_facts *facts, const command *wanted, csv_file *csv) {
  static keys_row row; /* static: a study is large */
  int code = EXIT_SORTED;
  print_counts_head(facts);
  for (uint32_t n = 0; n <= LOG2_MOST && code == EXIT_SORTED; n++) {
    if ((wanted->study.sizes >> n & 1) == 0)
      continue;
    row = (keys_row){.log2_count = n, .log2_distinct = OPENCL_LOG2_DISTINCT};
    code = measure_keys(keys, facts, wanted, WAY_CLASSIC, &row);
    if (code == EXIT_SORTED) {
      print_counts_row(facts, &row);
      write_distinct_csv_rows(csv, facts, 1, &row);
    }
  }
  return code;
}

static int measure_table_2(sample_keys *keys, const distinct_facts *facts, const command *wanted, csv_file *csv) {
  static keys_row rows[DISTINCT_ROWS];
  const uint32_t log2_count = greatest_log2(wanted->study.count);
  size_t done = 0;
  print_distinct_table_head(facts, log2_count);
  for (; done < DISTINCT_ROWS && LOG2_DISTINCT[done] <= log2_count; done++) {
    keys_row *row = &rows[done];
    *row = (keys_row){.log2_count = log2_count, .log2_distinct = LOG2_DISTINCT[done]};
    const int code = measure_keys(keys, facts, wanted, WAY_GRIDS, row);
    if (code != EXIT_SORTED)
      return code;
    print_distinct_row(facts, row);
    write_distinct_csv_rows(csv, facts, 2, row);
  }
  print_below_leaf(facts, rows, done);
  print_equal_by_depth(facts, rows, done);
  return EXIT_SORTED;
}

/* Of both tables, on the simulated device: sorts of either kind, where a grid for every range counts for many. */
static double work_of_all(const command *wanted) {
  enum { GRIDS_WORTH = 8, LEAVES = 2 };
  double work = 0;
  for (uint32_t n = 0; n <= LOG2_MOST; n++)
    if ((wanted->study.sizes >> n & 1) != 0)
      work += 2 * (runs_of(UINT64_C(1) << n, wanted, WAY_CLASSIC) + 2) * work_of(UINT64_C(1) << n);
  const double runs = runs_of(wanted->study.count, wanted, WAY_GRIDS) + 2;
  return work + DISTINCT_ROWS * LEAVES * runs * (2 + GRIDS_WORTH) * work_of(wanted->study.count);
}

static int measure_all(sample_keys *keys, const void *given, csv_file *csv) {
  const command *wanted = given;
  enum { TABLES = 2 };
  const sort_settings *settings = &wanted->study.settings;
  const distinct_facts facts = {
      .type = keys->type,
      .many_fan_out = many_fan_out(&settings->options),
      .greatest_leaf = type_bytes(keys->type) == 4 ? CDP_LEAF_MAX_4_BYTES : CDP_LEAF_MAX_8_BYTES,
  };
  print_distinct_head(&facts);
  progress_begin(PROGRAM, TABLES, announce_work(PROGRAM, keys->type, &settings->options, work_of_all(wanted)));
  int code = measure_table_1(keys, &facts, wanted, csv);
  if (code == EXIT_SORTED)
    code = measure_table_2(keys, &facts, wanted, csv);
  progress_end();
  return code;
}

static int run(void *given) {
  command *wanted = given;
  return run_study(PROGRAM, &HAS, DISTINCT_CSV_NAMES, &wanted->study, measure_all, wanted);
}

int main(int argument_count, char **words) {
  command wanted = {.study = {.settings = {.type = CDP_I32, .options = CDP_OPTIONS_INIT}},
                    .baseline_max = UINT64_C(1) << LAST_LOG2};
  return run_program(&(sample_program){PROGRAM, take, help, run}, argument_count, words, &wanted);
}
