/* SPDX-License-Identifier: MIT */
/*
 * schemes: who launches? The last block of a grid, a controller, or the host: the same sort three ways. Run it with --help.
 *
 * 1. Each scheme sorts the same keys with each fan-out: timed often, then traced a few times, for tracing costs time.
 * 2. traced_sort.c reads from each trace how long a launch takes to begin, and how long the device waits between grids. The medians
 *    of the traces count: in a single one a stall of the machine looks like a property of the scheme.
 * 3. A table, what it means, and a CSV.
 */
#include "chosen_device.h"
#include "csv_file.h"
#include "progress.h"
#include "recursion_table.h"
#include "text_table.h"
#include "traced_sort.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char PROGRAM[] = "schemes";

static const char CSV_COLUMNS[] = "type,log2_count,fan_out,scheme,milliseconds,grids,latency_median_ns,latency_least_ns,"
                                  "latency_most_ns,idle_ns,idle_longest_ns,pending_most,refused,runs,trace_ns,traces,"
                                  "launched,depth,bytes_moved,tasks";

enum { SCHEMES_COUNT = 3, FAN_OUTS = 2, RESULTS = SCHEMES_COUNT * FAN_OUTS, MAX_TRACES = 5 };

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
  trace_figures figures; /* each the median of the traces */
  cdp_study study;       /* of the last trace */
  uint32_t traces;
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
       "  ms        median of the timed runs, without copies; the rest is from traced runs, which are slower: medians of\n"
       "            five, or of as many as there are timed ones\n"
       "  grids     kernels launched, by the device or the host\n"
       "  latency   from a launch to the begin of its grid: median, least, most. Tail launches are not in it: they wait for\n"
       "            all that their launcher has launched. Launched by the host: from a grid's end to the next one's begin\n"
       "  idle      time in which no grid ran, from the first begin to the last end; in percent of that; the longest\n"
       "  pending   the most launches pending at once, which CUDA limits\n"
       "  refused   launches that failed\n"
       "The simulated device has exact counts, and times that mean nothing. Its table has counts alone: grids, those that the\n"
       "device launched, pending, refused, the greatest depth, bytes of keys moved, and tasks.\n"
       "\n"
       "Arrays that are sorted in two launches without tasks (--short) have nothing to choose: the last block's scheme alone\n"
       "sorts like that, so that short arrays are compared fairly with --short none.");
}

/* ---- The command line ------------------------------------------------------------------------------------------ */

static bool take(void *wanted, argument_list *list, const argument *found) {
  return study_take(wanted, &HAS, list, found);
}

/* ---- Measuring ------------------------------------------------------------------------------------------------- */

/* Each figure the median of those of the traces. */
static trace_figures median_figures(const trace_figures *all, size_t count) {
  enum { GRIDS, LATENCIES, MEDIAN, LEAST, MOST, IDLE, IDLE_LONGEST, TOTAL, FIGURES };
  double values[FIGURES][MAX_TRACES];
  double medians[FIGURES];
  for (size_t at = 0; at < count; at++) {
    values[GRIDS][at] = (double)all[at].grids;
    values[LATENCIES][at] = (double)all[at].latencies;
    values[MEDIAN][at] = all[at].latency.median;
    values[LEAST][at] = all[at].latency.least;
    values[MOST][at] = all[at].latency.most;
    values[IDLE][at] = (double)all[at].idle;
    values[IDLE_LONGEST][at] = (double)all[at].idle_longest;
    values[TOTAL][at] = (double)all[at].total;
  }
  for (size_t figure = 0; figure < FIGURES; figure++)
    medians[figure] = spread_of(values[figure], count).median;
  return (trace_figures){.grids = (size_t)medians[GRIDS],
                         .latencies = (size_t)medians[LATENCIES],
                         .latency = {.median = medians[MEDIAN], .least = medians[LEAST], .most = medians[MOST]},
                         .idle = (uint64_t)medians[IDLE],
                         .idle_longest = (uint64_t)medians[IDLE_LONGEST],
                         .total = (uint64_t)medians[TOTAL]};
}

/* Traces a few sorts, and takes the medians. */
static int trace_sorts(result *made, uint32_t traces, sample_keys *keys, cdp_trace *trace) {
  trace_figures figures[MAX_TRACES];
  for (uint32_t at = 0; at < traces; at++) {
    const int code = trace_sort(keys, &made->options, &made->study, trace);
    if (code != EXIT_SORTED)
      return code;
    if (!read_trace(trace, &figures[at])) {
      fprintf(stderr, "%s: not enough memory for the trace\n", PROGRAM);
      return EXIT_DATA;
    }
    made->max_pending = made->study.max_pending > made->max_pending ? made->study.max_pending : made->max_pending;
    made->refused += made->study.total.launches_refused;
    made->lost += trace->lost;
  }
  made->figures = median_figures(figures, traces);
  made->traces = traces;
  return EXIT_SORTED;
}

static uint32_t traces_for(uint32_t runs) {
  return runs < MAX_TRACES ? runs : MAX_TRACES;
}

/* Warms up, times, traces. */
static int measure(result *made, uint32_t runs, sample_keys *keys, cdp_trace *trace) {
  snprintf(keys->doing, sizeof keys->doing, "scheme %s, fan-out %" PRIu32 ": ", scheme_name(made->options.scheme),
           made->options.fan_out);
  int code = warm_up(keys, &made->options);
  if (code == EXIT_SORTED)
    code = time_runs(keys, &made->options, runs, &made->time);
  return code == EXIT_SORTED ? trace_sorts(made, traces_for(runs), keys, trace) : code;
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
  cdp_trace trace;
  int code = EXIT_SORTED;
  double work = 0;
  if (!trace_make(&trace, PROGRAM, TRACE_CAPACITY))
    return EXIT_DATA;
  work = (double)count * (1 + wanted->runs + traces_for(wanted->runs)) /* and one to warm up */ * work_of(keys->count);
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

static void print_lost(const result *results, size_t count) {
  for (size_t at = 0; at < count; at++)
    if (results[at].lost > 0)
      printf("%s, fan-out %" PRIu32 ": %zu events were lost, so that its figures are of a part of the sort\n",
             scheme_name(results[at].options.scheme), results[at].options.fan_out, results[at].lost);
}

static void print_times(const result *results, size_t count) {
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
}

/* What is exact on the simulated device. */
static void print_counts(const result *results, size_t count) {
  text_table table;
  text_table_begin(&table, "rlrrrrrrr");
  text_table_add(&table, "\t\t\tlaunched by\t\t\t\tbytes\t");
  text_table_add(&table, "fan-out\tscheme\tgrids\tthe device\tpending\trefused\tdepth\tmoved\ttasks");
  for (size_t at = 0; at < count; at++) {
    const result *one = &results[at];
    const cdp_study_depth *total = &one->study.total;
    text_table_add(&table, "%" PRIu32 "\t%s\t%zu", one->options.fan_out, scheme_name(one->options.scheme), one->figures.grids);
    text_table_add(&table, "%" PRIu64 "\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu32 "\t%s\t%" PRIu64, total->children_launched,
                   one->max_pending, one->refused, one->study.depth_count > 0 ? one->study.depth_count - 1 : 0,
                   short_number(total->bytes_moved).text, total->tasks);
  }
  text_table_print(&table);
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
}

/* The same keys go through the same grids, and differ by who launches these. */
static void tell_counts(const result *results, size_t count) {
  putchar('\n');
  for (size_t at = 0; at < count; at += SCHEMES_COUNT)
    printf("With fan-out %" PRIu32 " the device launches %" PRIu64 " grids by last blocks, and %" PRIu64
           " by controllers; the host launches %zu.\n",
           results[at].options.fan_out, results[at].study.total.children_launched,
           results[at + 1].study.total.children_launched, results[at + 2].figures.grids);
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
            ",%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64,
            type_name(wanted->settings.type), log2((double)wanted->count), one->options.fan_out,
            scheme_name(one->options.scheme), one->time.device.median, figures->grids, whole_ns(figures->latency.median),
            whole_ns(figures->latency.least), whole_ns(figures->latency.most), figures->idle, figures->idle_longest,
            one->max_pending, one->refused, wanted->runs, figures->total, one->traces, one->study.total.children_launched,
            one->study.depth_count > 0 ? one->study.depth_count - 1 : 0, one->study.total.bytes_moved, one->study.total.tasks);
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
    print_simulated_times_notice("So the table has counts alone: see who launches how many grids.");
    printf("%" PRIu64 " %s keys, %s, on %s\n\n", keys->count, type_name(keys->type), wanted->distribution->name,
           cdp_last_device());
    if (was_simulated())
      print_counts(results, count);
    else
      print_times(results, count);
    print_lost(results, count);
    if (was_simulated())
      tell_counts(results, count);
    else
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
