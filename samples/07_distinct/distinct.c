/* SPDX-License-Identifier: MIT */
/*
 * distinct: time by the number of keys and by the number of different values among them, beside what "Parallel Quick Sort in
 * OpenCL" published (published.c, tables 1 and 2). Run it with --help.
 *
 * 1. study_keys.c makes numbers of few values, workplace.c measures and checks.
 * 2. Table 1: 2^20 to 2^27 numbers of 2^14 values, with the default fan-out and with two children.
 * 3. Table 2: 2^20 numbers of 1 to 2^20 values, the same two ways and a third one, in which every range is partitioned by a
 *    grid of its own, as in the paper; each with the greatest leaves and with the least. The paper's last column, its recursion
 *    aborted at ranges of fewer than 1,024, has no counterpart, for this library sorts whatever it is told to: the difference
 *    between the leaf sizes comes nearest. distinct_report.c says beside the numbers what it is and what it is not.
 * 4. The counts of a study tell how many keys left the recursion at which depth, because they were equal to a pivot.
 */
#include "distinct_report.h"
#include "published.h"
#include "size_list.h"
#include "study_keys.h"
#include "table_arguments.h"
#include "table_output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char PROGRAM[] = "distinct";

enum {
  FIRST_LOG2 = 20,
  LAST_LOG2 = 27,
  FIRST_LOG2_SIMULATED = 12,
  LAST_LOG2_SIMULATED = 14,
  COUNT_LOG2_SIMULATED = 12,
  LOG2_MOST = 30,
  /* A grid for every range takes far longer than anything else here. */
  RUNS_GRIDS = 3,
  DISTINCT_ROWS = 9,
};

/* Table 2's rows, as logarithms. The paper has 14, 18 and 20. */
static const uint32_t LOG2_DISTINCT[DISTINCT_ROWS] = {0, 1, 4, 8, 12, 14, 16, 18, 20};

/* The command line. */
typedef struct command {
  table_arguments common;
  uint64_t count; /* table 2's keys, a power of two; 0: by the device */
} command;

static void help(void) {
  puts("Usage: distinct [option...]\n"
       "Measures the time by the number of keys, and by the number of different values among them, beside what Bisenius\n"
       "and Lessmann published (Parallel Quick Sort in OpenCL).\n"
       "\n"
       "  --count N        keys of table 2, a power of two such as 2^20 or 1Mi (2^20; on the simulated device 2^12)");
  table_arguments_help("of table 1: 20-27; on the simulated device 12-14",
                       "20 up to 2^22 keys, 5 up to 2^25, 3 beyond; where every range gets a grid, and simulated: 3", "2^27");
  settings_help("i32");
  puts(
      "\n"
      "--leaf and --block-items are what this program varies itself, and are refused. A --fan-out stands in for the default "
      "one.\n"
      "\n"
      "Exit code: 0 all results were right; 1 one was not, a file cannot be written, or memory for the keys is missing; 2 the\n"
      "command line is at fault; 3 the device or the library failed.");
}

/* ---- The command line ------------------------------------------------------------------------------------------ */

static bool take_count(command *wanted, argument_list *list, const argument *found) {
  const char *word = argument_value(list, found);
  if (word == NULL)
    return false;
  const uint64_t most = UINT64_C(1) << LOG2_MOST;
  if (parse_count(word, &wanted->count) && wanted->count >= 2 && wanted->count <= most &&
      (wanted->count & (wanted->count - 1)) == 0)
    return true;
  usage_error(list, "--count: '%s' is not a power of two from 2 to 2^%d, such as 2^20 or 1Mi", word, LOG2_MOST);
  return false;
}

static bool take(void *into, argument_list *list, const argument *found) {
  command *wanted = into;
  if (strcmp(found->name, "--leaf") == 0 || strcmp(found->name, "--block-items") == 0) {
    usage_error(list, "%s is what this program varies itself", found->name);
    return false;
  }
  if (strcmp(found->name, "--count") == 0)
    return take_count(wanted, list, found);
  return take_table_argument(&wanted->common, list, found, LOG2_MOST);
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
static int measure_leaf(workplace *place, const cdp_options *options, uint32_t runs, timing *time, cdp_study *study) {
  const int code = time_sorts(place, options, runs, time);
  return code == EXIT_SORTED ? study_sort(place, options, study) : code;
}

static uint32_t runs_of(const workplace *place, const command *wanted, way which) {
  const uint32_t usual = usual_runs(place, place->count);
  if (wanted->common.runs != 0)
    return wanted->common.runs;
  return which == WAY_GRIDS && usual > RUNS_GRIDS ? RUNS_GRIDS : usual;
}

/* One way with the keys that are given; table 2 wants both leaf sizes. */
static int measure_way(workplace *place, const distinct_facts *facts, const command *wanted, way which, bool both_leaves,
                       measurement *own) {
  const uint32_t runs = runs_of(place, wanted, which);
  sort_settings settings = wanted->common.settings;
  settings_for(facts, which, false, &settings);
  int code = measure_leaf(place, &settings.options, runs, &own->greatest_leaf, &own->greatest_study);
  if (code == EXIT_SORTED && both_leaves) {
    settings_for(facts, which, true, &settings);
    code = measure_leaf(place, &settings.options, runs, &own->least_leaf, &own->least_study);
  }
  own->is_measured = code == EXIT_SORTED;
  return code;
}

/* ---- Tables ---------------------------------------------------------------------------------------------------- */

/* Makes keys and measures std::sort, then every way up to and including `last`. */
static int measure_keys(workplace *place, const distinct_facts *facts, const command *wanted, way last, keys_row *row) {
  char label[32];
  const uint64_t count = UINT64_C(1) << row->log2_count;
  int code = EXIT_SORTED;
  snprintf(label, sizeof label, "2^%" PRIu32 " values", row->log2_distinct);
  show_progress(PROGRAM, label, row->log2_count);
  generate_few_values(place->given, count, place->type, UINT64_C(1) << row->log2_distinct,
                      wanted->common.settings.options.seed);
  workplace_given(place, count);
  if (count <= wanted->common.baseline_max)
    row->std_sort_ms = time_standard_sort(place, usual_runs(place, count));
  for (int w = facts->many_fan_out != CDP_FAN_OUT_CLASSIC ? WAY_MANY : WAY_CLASSIC; code == EXIT_SORTED && w <= (int)last; w++)
    code = measure_way(place, facts, wanted, (way)w, last == WAY_GRIDS, &row->ways[w]);
  show_progress(PROGRAM, NULL, 0);
  return code;
}

static int measure_table_1(workplace *place, const distinct_facts *facts, const command *wanted, uint64_t sizes,
                           csv_file *csv) {
  static keys_row row; /* static: a study is large */
  int code = EXIT_SORTED;
  print_counts_head(facts);
  for (uint32_t n = 0; n <= LOG2_MOST && code == EXIT_SORTED; n++) {
    if ((sizes >> n & 1) == 0)
      continue;
    row = (keys_row){.log2_count = n, .log2_distinct = OPENCL_LOG2_DISTINCT};
    code = measure_keys(place, facts, wanted, WAY_CLASSIC, &row);
    if (code == EXIT_SORTED) {
      print_counts_row(facts, &row);
      write_distinct_csv_rows(csv, facts, 1, &row);
    }
  }
  return code;
}

static int measure_table_2(workplace *place, const distinct_facts *facts, const command *wanted, uint32_t log2_count,
                           csv_file *csv) {
  static keys_row rows[DISTINCT_ROWS];
  size_t done = 0;
  print_distinct_table_head(facts, log2_count);
  for (; done < DISTINCT_ROWS && LOG2_DISTINCT[done] <= log2_count; done++) {
    keys_row *row = &rows[done];
    *row = (keys_row){.log2_count = log2_count, .log2_distinct = LOG2_DISTINCT[done]};
    const int code = measure_keys(place, facts, wanted, WAY_GRIDS, row);
    if (code != EXIT_SORTED)
      return code;
    print_distinct_row(facts, row);
    write_distinct_csv_rows(csv, facts, 2, row);
  }
  print_below_leaf(facts, rows, done);
  print_equal_by_depth(facts, rows, done);
  return EXIT_SORTED;
}

static int measure_all(workplace *place, const void *given, csv_file *csv) {
  const command *wanted = given;
  const distinct_facts facts = {
      .place = place,
      .many_fan_out = many_fan_out(&wanted->common.settings.options),
      .greatest_leaf = type_bytes(place->type) == 4 ? CDP_LEAF_MAX_4_BYTES : CDP_LEAF_MAX_8_BYTES,
  };
  const bool simulated = place->is_simulated;
  const uint64_t usual =
      simulated ? sizes_between(FIRST_LOG2_SIMULATED, LAST_LOG2_SIMULATED) : sizes_between(FIRST_LOG2, LAST_LOG2);
  const uint64_t sizes = wanted->common.sizes != 0 ? wanted->common.sizes : usual;
  const uint32_t usual_count = simulated ? COUNT_LOG2_SIMULATED : OPENCL_LOG2_COUNT;
  const uint32_t log2_count = wanted->count != 0 ? greatest_log2(wanted->count) : usual_count;
  const uint32_t greatest = greatest_log2(sizes) > log2_count ? greatest_log2(sizes) : log2_count;

  int code = workplace_reserve(place, UINT64_C(1) << greatest);
  if (code != EXIT_SORTED)
    return code;
  print_distinct_head(&facts);
  code = measure_table_1(place, &facts, wanted, sizes, csv);
  return code == EXIT_SORTED ? measure_table_2(place, &facts, wanted, log2_count, csv) : code;
}

static int run(void *given) {
  const command *wanted = given;
  return use_workplace(PROGRAM, &wanted->common, DISTINCT_CSV_NAMES, measure_all, wanted);
}

int main(int argument_count, char **words) {
  command wanted = {
      .common = {.settings = {.type = CDP_I32, .options = CDP_OPTIONS_INIT}, .baseline_max = UINT64_C(1) << LAST_LOG2}};
  return run_program(&(sample_program){PROGRAM, take, help, run}, argument_count, words, &wanted);
}
