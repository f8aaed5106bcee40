/* SPDX-License-Identifier: MIT */
/* What a sweep found: see depth_report.h. */
#include "depth_report.h"
#include "chosen_device.h"
#include "recursion_table.h"
#include "text_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A depth limit that costs no more than this is as good as none. */
#define NEARLY_AS_GOOD 1.05

const char DEPTH_CSV_COLUMNS[] = "type,log2_count,distribution,scheme,child_streams,fan_out,pivot,depth_limit,leaf_items,"
                                 "milliseconds,milliseconds_least,milliseconds_most,depth_count,tasks,children_launched,"
                                 "launches_refused,deferred,batches,leaves,fallback_depth,equal_items,bytes_moved,balance,runs";

/* ---- Table ----------------------------------------------------------------------------------------------------- */

/* What sorts are ranked by: milliseconds, or on the simulated device, whose times mean nothing, bytes of keys moved. */
static double cost_of(const swept_sort *sort) {
  return was_simulated() ? (double)sort->total.bytes_moved : sort->time.device.median;
}

static int compare_numbers(double left, double right) {
  return (left > right) - (left < right);
}

/* Measured ones first, by their cost; of equal ones those with fewer launches, and those with fewer tasks. */
static int compare_sorts(const void *left, const void *right) {
  const swept_sort *a = left;
  const swept_sort *b = right;
  const int by_state = (a->state != SORT_MEASURED) - (b->state != SORT_MEASURED);
  const int by_cost = compare_numbers(cost_of(a), cost_of(b));
  const int by_launches = compare_numbers((double)a->total.children_launched, (double)b->total.children_launched);
  if (by_state != 0 || by_cost != 0)
    return by_state != 0 ? by_state : by_cost;
  return by_launches != 0 ? by_launches : compare_numbers((double)a->total.tasks, (double)b->total.tasks);
}

/* Such as "1.06 ms", or "2.62M bytes". */
typedef struct cost_text {
  char text[32];
} cost_text;
static cost_text cost_words(const swept_sort *sort) {
  cost_text made;
  if (was_simulated())
    snprintf(made.text, sizeof made.text, "%s bytes", short_number(sort->total.bytes_moved).text);
  else
    snprintf(made.text, sizeof made.text, "%.3f ms", sort->time.device.median);
  return made;
}

static size_t count_state(const sweep *made, sort_state state) {
  size_t count = 0;
  for (size_t at = 0; at < made->count; at++)
    count += made->sorts[at].state == state ? 1 : 0;
  return count;
}

/* A knob that was not turned is named above the table. */
static bool was_turned(const sweep *made, enum knob knob) {
  return made->knobs[knob].count > 1;
}

/* Milliseconds, their spread, the knobs, the counts. */
enum { COUNTS = 6, COLUMNS_MOST = 2 + KNOBS + COUNTS };

static void add_head(text_table *table, const sweep *made, char columns[COLUMNS_MOST + 1]) {
  size_t used = was_simulated() ? 0 : 2;
  memset(columns, 'r', COLUMNS_MOST);
  for (enum knob knob = 0; knob < KNOBS; knob++)
    if (was_turned(made, knob))
      columns[used++] = knob == KNOB_PIVOT || knob == KNOB_SCHEME || knob == KNOB_STREAMS ? 'l' : 'r';
  columns[used + COUNTS] = '\0';
  text_table_begin(table, columns);
  if (!was_simulated())
    text_table_add(table, "ms\tspread");
  for (enum knob knob = 0; knob < KNOBS; knob++)
    if (was_turned(made, knob))
      text_table_add(table, "%s", knob == KNOB_DEPTH_LIMIT ? "limit" : knob_name(knob));
  text_table_add(table, "depth\ttasks\tlaunched\trefused\tmoved\tbalance");
}

static void add_sort(text_table *table, const sweep *made, const swept_sort *sort) {
  const spread *time = &sort->time.device;
  const cdp_study_depth *total = &sort->total;
  const double balance = split_balance(total);
  if (!was_simulated()) {
    text_table_add(table, "%.3f", time->median);
    text_table_add(table, sort->time.runs > 1 ? "%.0f %%" : "-", 100 * ratio_of(time->most - time->least, time->median));
  }
  for (enum knob knob = 0; knob < KNOBS; knob++)
    if (was_turned(made, knob))
      text_table_add(table, "%s", knob_word(knob, knob_value(&sort->options, knob)).text);
  text_table_add(table, "%" PRIu32 "\t%s\t%s\t%s\t%s", sort->depth_count > 0 ? sort->depth_count - 1 : 0,
                 short_number(total->tasks).text, short_number(total->children_launched).text,
                 short_number(total->launches_refused).text, short_number(total->bytes_moved).text);
  text_table_add(table, balance > 0 ? "%.2f" : "-", balance);
}

static void report_unturned(const sweep *made) {
  const char *before = "All with";
  for (enum knob knob = 0; knob < KNOBS; knob++)
    if (!was_turned(made, knob)) {
      printf("%s %s %s", before, knob_name(knob), knob_word(knob, made->knobs[knob].values[0]).text);
      before = ",";
    }
  puts(before[0] == ',' ? "\n" : "");
}

void report_table(sweep *made, size_t rows) {
  text_table table;
  char columns[COLUMNS_MOST + 1];
  const size_t measured = count_state(made, SORT_MEASURED);
  const size_t shown = rows == 0 || rows > measured ? measured : rows;
  qsort(made->sorts, made->count, sizeof *made->sorts, compare_sorts);
  report_unturned(made);
  add_head(&table, made, columns);
  for (size_t at = 0; at < shown; at++)
    add_sort(&table, made, &made->sorts[at]);
  text_table_print(&table);
  if (shown < measured)
    printf("... and %zu %s (--rows 0 prints all)\n", measured - shown, was_simulated() ? "more" : "slower ones");
}

void report_coverage(const sweep *made) {
  const size_t unmeasured = count_state(made, SORT_PLANNED);
  printf("\nCombinations: %zu measured", count_state(made, SORT_MEASURED));
  printf("; skipped: %zu impossible, %zu the same sort as another, %zu depth limits that no range came to", made->impossible,
         made->alike, count_state(made, SORT_UNREACHED));
  if (made->not_crossed > 0)
    printf(", %zu pivot rules with other schemes or streams", made->not_crossed);
  if (unmeasured > 0)
    printf(", %zu for want of time", unmeasured);
  putchar('\n');
}

/* ---- Recommendation -------------------------------------------------------------------------------------------- */

/* The measured or unreached sort that is the fastest one but for one knob; NULL where there is none. */
static const swept_sort *with_one_changed(const sweep *made, const swept_sort *best, enum knob knob, uint32_t value) {
  cdp_options options = best->options;
  set_knob(&options, knob, value);
  const swept_sort *found = sweep_find(made, &options);
  return found != NULL && found->state != SORT_PLANNED ? found : NULL;
}

static void add_change(text_table *table, const sweep *made, const swept_sort *best, enum knob knob, uint32_t value) {
  const swept_sort *changed = with_one_changed(made, best, knob, value);
  cdp_options options = best->options;
  const char *note = "";
  char times[16] = "-";
  set_knob(&options, knob, value);
  if (changed != NULL)
    snprintf(times, sizeof times, "%.2f", ratio_of(cost_of(changed), cost_of(best)));
  if (changed == NULL)
    note = cdp_quicksort(NULL, 0, CDP_U32, &options) != CDP_OK ? "not with the rest of it" : "not measured";
  else if (knob_value(&best->options, knob) == value)
    note = was_simulated() ? "the best" : "the fastest";
  else if (changed == best)
    note = was_simulated() ? "the same sort as the best" : "the same sort as the fastest";
  else if (changed->state == SORT_UNREACHED && knob == KNOB_DEPTH_LIMIT)
    note = "no range came to it";
  text_table_add(table, "  %s\t%s\t%s\t%s", knob_name(knob), knob_word(knob, value).text, times, note);
}

static void report_changes(const sweep *made, const swept_sort *best) {
  text_table table;
  text_table_begin(&table, "llrl");
  for (enum knob knob = 0; knob < KNOBS; knob++)
    for (size_t at = 0; at < made->knobs[knob].count && made->knobs[knob].count > 1; at++)
      add_change(&table, made, best, knob, made->knobs[knob].values[at]);
  if (table.count > 0) {
    puts(was_simulated() ? "One knob changed from there, all others left, moves so many times as many bytes:"
                         : "One knob changed from there, all others left, takes so many times as long:");
    text_table_print(&table);
  }
}

/* Limits are in the sweep's order, the greatest first. */
static void report_depth_limit(const sweep *made, const swept_sort *best) {
  const knob_values *limits = &made->knobs[KNOB_DEPTH_LIMIT];
  for (size_t at = limits->count; at-- > 0;) {
    const swept_sort *changed = with_one_changed(made, best, KNOB_DEPTH_LIMIT, limits->values[at]);
    if (changed == NULL || cost_of(changed) > NEARLY_AS_GOOD * cost_of(best))
      continue;
    printf("The least depth limit within 5 %% of it: %s (%s)\n", knob_word(KNOB_DEPTH_LIMIT, limits->values[at]).text,
           cost_words(changed).text);
    return;
  }
}

void report_recommendation(const sweep *made) {
  const swept_sort *best = made->count > 0 && made->sorts[0].state == SORT_MEASURED ? &made->sorts[0] : NULL;
  if (best == NULL)
    return;
  if (was_simulated())
    printf("\nFewest bytes moved: %s with", short_number(best->total.bytes_moved).text);
  else
    printf("\nFastest: %s with", cost_words(best).text);
  for (enum knob knob = 0; knob < KNOBS; knob++)
    printf("%s %s %s", knob == 0 ? "" : ",", knob_name(knob), knob_word(knob, knob_value(&best->options, knob)).text);
  putchar('\n');
  report_changes(made, best);
  report_depth_limit(made, best);
}

/* ---- CSV ------------------------------------------------------------------------------------------------------- */

void write_depth_row(const swept_sort *sort, void *rows) {
  const depth_rows *to = rows;
  const cdp_study_depth *total = &sort->total;
  const cdp_options *options = &sort->options;
  const spread *time = &sort->time.device;
  csv_row(to->csv,
          "%s,%.6g,%s,%s,%s,%" PRIu32 ",%s,%s,%" PRIu32 ",%.6g,%.6g,%.6g,%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
          ",%" PRIu64 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6g,%" PRIu32,
          type_name(to->wanted->settings.type), log2((double)to->wanted->count), to->wanted->distribution->name,
          scheme_name(options->scheme), child_streams_name(options->child_streams), options->fan_out,
          pivot_name(options->pivot), knob_word(KNOB_DEPTH_LIMIT, options->depth_limit).text, options->leaf_items, time->median,
          time->least, time->most, sort->depth_count, total->tasks, total->children_launched, total->launches_refused,
          total->deferred, sort->batches, total->leaves, total->fallback_depth, total->equal_items, total->bytes_moved,
          split_balance(total), sort->time.runs);
}
