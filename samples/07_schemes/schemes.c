/* SPDX-License-Identifier: MIT */
/*
 * schemes: who launches? The last block of a grid, a controller, or the host: the same sort three ways. Run it with --help.
 *
 * 1. Each scheme sorts the same keys with each fan-out: timed often, then traced once, for tracing costs time.
 * 2. traced_sort.c reads from the trace how long a launch takes to begin, and how long the device waits between grids.
 * 3. A table, what it means, and a CSV.
 */
#include "chosen_device.h"
#include "csv_file.h"
#include "progress.h"
#include "text_table.h"
#include "traced_sort.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char PROGRAM[] = "schemes";

static const char CSV_COLUMNS[] = "type,log2_count,fan_out,scheme,milliseconds,grids,latency_median_ns,latency_least_ns,"
                                  "latency_most_ns,idle_ns,idle_longest_ns,pending_most,refused,runs";

enum { SCHEMES_COUNT = 3, FAN_OUTS = 2, RESULTS = SCHEMES_COUNT * FAN_OUTS };

static const cdp_scheme SCHEMES[SCHEMES_COUNT] = {CDP_SCHEME_LAST_BLOCK, CDP_SCHEME_CONTROLLER, CDP_SCHEME_HOST};
static const uint32_t DEFAULT_FAN_OUTS[FAN_OUTS] = {CDP_FAN_OUT_CLASSIC, CDP_FAN_OUT_MAX};

static const study_options HAS = {.type = "u32",
                                  .count = "how many keys",
                                  .count_log2 = {24, 15},
                                  .count_least = 2,
                                  .distribution = "random",
                                  .runs = {11, 1},
                                  .csv = "the table",
                                  .refused = {" --scheme ", ": all three are compared"}};

/* What one scheme did with one fan-out. */
typedef struct result {
  cdp_options options;
  timing time;
  trace_figures figures;
  uint32_t max_pending;
  uint64_t refused;
  size_t lost;
} result;

static void help(void) {
  puts("Usage: schemes [option...]\n"
       "Sorts the same keys with the three launch schemes: the last block of a grid launches the next ones, a controller\n"
       "launches workers and its continuation, or the host launches level by level. With two children (the classic\n"
       "recursion) and with many; --fan-out N: with N alone.\n");
  study_help(&HAS);
  settings_help(HAS.type, &HAS.refused);
  puts("\n"
       "The columns:\n"
       "  ms        median of the timed runs, without copies; the rest is from one traced run, which is slower\n"
       "  grids     kernels launched, by the device or the host\n"
       "  latency   from a launch to the begin of its grid: median, least, most. Tail launches are not in it: they wait for\n"
       "            all that their launcher has launched. Launched by the host: from a grid's end to the next one's begin\n"
       "  idle      time in which no grid ran, from the first begin to the last end; in percent of that; the longest\n"
       "  pending   the most launches pending at once, which CUDA limits\n"
       "  refused   launches that failed\n"
       "\n"
       "Arrays that are sorted in two launches without tasks (--short) have nothing to choose: the last block's scheme alone\n"
       "sorts like that, so that short arrays are compared fairly with --short none.");
}

/* ---- The command line ------------------------------------------------------------------------------------------ */

static bool take(void *wanted, argument_list *list, const argument *found) {
  return study_take(wanted, &HAS, list, found);
}

/* ---- Measuring ------------------------------------------------------------------------------------------------- */

/* Warms up, times, traces. */
static int measure(result *made, uint32_t runs, sample_keys *keys, cdp_trace *trace) {
  cdp_study study = {0};
  snprintf(keys->doing, sizeof keys->doing, "scheme %s, fan-out %" PRIu32 ": ", scheme_name(made->options.scheme),
           made->options.fan_out);
  int code = warm_up(keys, &made->options);
  if (code == EXIT_SORTED)
    code = time_runs(keys, &made->options, runs, &made->time);
  if (code == EXIT_SORTED)
    code = trace_sort(keys, &made->options, &study, trace);
  made->max_pending = study.max_pending;
  made->refused = study.total.launches_refused;
  made->lost = trace->lost;
  if (code != EXIT_SORTED || read_trace(trace, &made->figures))
    return code;
  fprintf(stderr, "%s: not enough memory for the trace\n", PROGRAM);
  return EXIT_DATA;
}

/* The options of every result. Returns how many there are. */
static size_t plan(const study_arguments *wanted, result *results) {
  const bool one = wanted->settings.options.fan_out != 0;
  size_t count = 0;
  for (size_t fan_out = 0; fan_out < (one ? 1 : FAN_OUTS); fan_out++)
    for (size_t scheme = 0; scheme < SCHEMES_COUNT; scheme++) {
      results[count] = (result){.options = wanted->settings.options};
      results[count].options.scheme = SCHEMES[scheme];
      results[count].options.fan_out = one ? wanted->settings.options.fan_out : DEFAULT_FAN_OUTS[fan_out];
      count++;
    }
  return count;
}

static int measure_all(const study_arguments *wanted, result *results, size_t count, sample_keys *keys) {
  enum { SORTS_UNTIMED = 2 };
  cdp_trace trace;
  int code = EXIT_SORTED;
  double work = 0;
  if (!trace_make(&trace, PROGRAM, TRACE_CAPACITY))
    return EXIT_DATA;
  work = (double)count * (wanted->runs + SORTS_UNTIMED) * work_of(keys->count);
  progress_begin(PROGRAM, count, announce_work(PROGRAM, keys->type, &results[0].options, work));
  for (size_t at = 0; at < count && code == EXIT_SORTED; at++) {
    progress_at(at, scheme_name(results[at].options.scheme));
    code = measure(&results[at], wanted->runs, keys, &trace);
  }
  progress_end();
  free(trace.events);
  return code;
}

/* ---- Telling --------------------------------------------------------------------------------------------------- */

static void print_table(const result *results, size_t count) {
  text_table table;
  text_table_begin(&table, "rlrrrrrrrrrr");
  text_table_add(&table, "\t\t\t\tlatency\tlatency\tlatency\tidle\tidle\tidle\t\t");
  text_table_add(&table, "fan-out\tscheme\tms\tgrids\tmedian ns\tleast\tmost\tns\t%%\tlongest\tpending\trefused");
  for (size_t at = 0; at < count; at++) {
    const result *one = &results[at];
    const trace_figures *figures = &one->figures;
    text_table_add(&table, "%" PRIu32 "\t%s\t%.3f\t%zu", one->options.fan_out, scheme_name(one->options.scheme),
                   one->time.device.median, figures->grids);
    text_table_add(&table, "%.0f\t%.0f\t%.0f", figures->latency.median, figures->latency.least, figures->latency.most);
    text_table_add(&table, "%" PRIu64 "\t%.1f\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu64, figures->idle, idle_percent(figures),
                   figures->idle_longest, one->max_pending, one->refused);
  }
  text_table_print(&table);
  for (size_t at = 0; at < count; at++)
    if (results[at].lost > 0)
      printf("%s, fan-out %" PRIu32 ": %zu events were lost, so that its figures are of a part of the sort\n",
             scheme_name(results[at].options.scheme), results[at].options.fan_out, results[at].lost);
}

/* Which scheme of three is fastest, and by how much. */
static void tell_fastest(const result *three) {
  const result *best = three;
  for (size_t at = 1; at < SCHEMES_COUNT; at++)
    if (three[at].time.device.median < best->time.device.median)
      best = &three[at];
  printf("with fan-out %" PRIu32 " %s", best->options.fan_out, scheme_name(best->options.scheme));
  const char *before = " (";
  for (size_t at = 0; at < SCHEMES_COUNT; at++)
    if (&three[at] != best) {
      printf("%s%s takes %.2f times as long", before, scheme_name(three[at].options.scheme),
             three[at].time.device.median / best->time.device.median);
      before = ", ";
    }
  putchar(')');
}

/* Three sentences. The results of a fan-out are side by side, in the order of SCHEMES. */
static void tell_meaning(const result *results, size_t count) {
  const trace_figures *last_block = &results[0].figures;
  const trace_figures *controller = &results[1].figures;
  const trace_figures *host = &results[2].figures;
  printf("\nFastest is ");
  for (size_t at = 0; at < count; at += SCHEMES_COUNT) {
    printf("%s", at > 0 ? ";\n" : "");
    tell_fastest(&results[at]);
  }
  printf(".\nWith fan-out %" PRIu32 " a grid begins %.0f ns (median) after a last block has launched it, %.0f ns after a\n"
         "controller has, and launched by the host %.0f ns after the grid before it has ended.\n",
         results->options.fan_out, last_block->latency.median, controller->latency.median, host->latency.median);
  printf("There no grid at all runs in %.1f %%, %.1f %% and %.1f %% of the time: the last block's children go on as soon as "
         "their\n"
         "range is split, a controller's only when a tail has begun, and the host's when a level's slowest part has ended\n"
         "and the host has launched the next one.\n",
         idle_percent(last_block), idle_percent(controller), idle_percent(host));
  print_simulated_times_notice();
}

/* A median of two may lie between them. */
static uint64_t whole_ns(double nanoseconds) {
  return (uint64_t)(nanoseconds + 0.5);
}

static void write_csv(csv_file *csv, const result *results, size_t count, const study_arguments *wanted) {
  for (size_t at = 0; at < count; at++) {
    const result *one = &results[at];
    const trace_figures *figures = &one->figures;
    csv_row(csv,
            "%s,%.6g,%" PRIu32 ",%s,%.6g,%zu,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu64
            ",%" PRIu32,
            type_name(wanted->settings.type), log2((double)wanted->count), one->options.fan_out,
            scheme_name(one->options.scheme), one->time.device.median, figures->grids, whole_ns(figures->latency.median),
            whole_ns(figures->latency.least), whole_ns(figures->latency.most), figures->idle, figures->idle_longest,
            one->max_pending, one->refused, wanted->runs);
  }
}

/* ---- The program ----------------------------------------------------------------------------------------------- */

static int measure_and_report(sample_keys *keys, const void *given, csv_file *csv) {
  const study_arguments *wanted = given;
  result results[RESULTS];
  sample_keys_generate(keys, wanted->count, wanted);
  const size_t count = plan(wanted, results);
  const int code = measure_all(wanted, results, count, keys);
  if (code == EXIT_SORTED) {
    printf("%" PRIu64 " %s keys, %s, on %s\n\n", keys->count, type_name(keys->type), wanted->distribution->name,
           cdp_last_device());
    print_table(results, count);
    tell_meaning(results, count);
    write_csv(csv, results, count, wanted);
    puts("Check: every result sorted, and a permutation of what was given");
  }
  return code;
}

static int run(void *wanted) {
  return run_study(PROGRAM, &HAS, CSV_COLUMNS, wanted, measure_and_report, wanted);
}

int main(int argument_count, char **words) {
  study_arguments wanted = {.settings = {.type = CDP_U32, .options = CDP_OPTIONS_INIT}, .distribution = &DISTRIBUTIONS[0]};
  return run_program(&(sample_program){PROGRAM, take, help, run}, argument_count, words, &wanted);
}
