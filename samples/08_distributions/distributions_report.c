/* SPDX-License-Identifier: MIT */
/* Tables and CSV rows: see distributions_report.h. */
#include "distributions_report.h"
#include "chosen_device.h"
#include "text_table.h"
#include "thesis_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* No sequence should take longer than random keys of the same number by more than this. */
static const double RATIO_TARGET = 1.25;

const char *const DISTRIBUTIONS_CSV_NAMES =
    "type,distribution,log2_count,std_sort_ms,device_ms,device_ms_least,device_ms_most,whole_ms,speedup_device,"
    "speedup_whole,ratio_to_random,runs";

/* ---- The head -------------------------------------------------------------------------------------------------- */

void print_distributions_head(cdp_type type) {
  printf("cdpsort on %s, %s keys, beside std::sort on one processor of this host.\n"
         "Every result was compared with that of std::sort, or beyond --baseline-max checked for order and permutation.\n"
         "\n"
         "Columns of this host, medians:\n"
         "  std::sort  in host memory, once where it takes long\n"
         "  device     the sort on the device, without copies and without allocations\n"
         "  whole      the whole call for keys in host memory, by the clock: copies, allocations and all\n"
         "  S          speed-up: std::sort / device, and std::sort / whole\n"
         "  x random   device / device of random keys of the same number, up to 2^20 measured again beside each\n",
         cdp_last_device(), type_name(type));
  puts(
      "\n"
      "The thesis (Nguyen 2021, section 5.3) had its keys on the GPU and took the time of the call by the clock: without "
      "copies,\n"
      "but with all that its quicksort does on the host and with its allocations; averages of 20. What it measured so lies\n"
      "between our two times. The baselines differ, too: its std::sort ran on a Xeon E5-2630 v3, its sorts on a Quadro P6000;\n"
      "compare t[ms] with ours before the speed-ups. It does not name the type of its keys: std::rand() and ranges up to 2^31\n"
      "are those of int, hence i32 unless another was asked for. Its columns:");
  puts("  t[ms]      std::sort's time there");
  for (size_t s = 0; s < THESIS_SORTERS; s++)
    printf("  %-9s  speed-up of %s\n", THESIS_SORTER[s].head, THESIS_SORTER[s].text);
  if (was_simulated())
    puts("\nThis is the simulated device: results are exact, but its times are those of the simulation and say nothing about a "
         "GPU."
         "\nTherefore the sizes are small, unless others were asked for.");
}

/* ---- A sequence's table ---------------------------------------------------------------------------------------- */

void print_sequence_head(uint32_t which) {
  const thesis_table *published = find_thesis_table(THESIS_DISTRIBUTIONS[which].name);
  printf("\n%s: %s", THESIS_DISTRIBUTIONS[which].name, THESIS_DISTRIBUTIONS[which].text);
  if (published != NULL)
    printf("; with table %s of the thesis\n%6s |%-61s |%s\n", published->number, "", " the thesis", " here");
  else
    printf("\n");
  printf("%6s |", "log2 n");
  if (published != NULL) {
    printf(" %9s", "t[ms]");
    for (size_t s = 0; s < THESIS_SORTERS; s++)
      printf(" %*s", s + 1 == THESIS_SORTERS ? 8 : 6, THESIS_SORTER[s].head);
    printf(" |");
  }
  printf(" %12s %10s %10s %8s %8s %8s\n", "std::sort ms", "device ms", "whole ms", "S device", "S whole", "x random");
}

static void print_published(const thesis_row *row) {
  if (row == NULL) {
    printf("%61s |", "");
    return;
  }
  printf(" %9.3f", row->std_sort_ms);
  for (size_t s = 0; s < THESIS_SORTERS; s++)
    printf(" %*.2f", s + 1 == THESIS_SORTERS ? 8 : 6, row->speedups[s]);
  printf(" |");
}

void print_sequence_row(uint32_t which, uint32_t log2_count, const cell *row) {
  const thesis_table *published = find_thesis_table(THESIS_DISTRIBUTIONS[which].name);
  printf("%6" PRIu32 " |", log2_count);
  if (published != NULL)
    print_published(find_thesis_row(published, log2_count));
  print_number(13, 3, row->std_sort_ms);
  print_number(11, 4, row->time.device.median);
  print_number(11, 4, row->time.whole);
  print_number(9, 2, ratio_of(row->std_sort_ms, row->time.device.median));
  print_number(9, 2, ratio_of(row->std_sort_ms, row->time.whole));
  print_number(9, 2, row->ratio_to_random);
  putchar('\n');
  fflush(stdout);
}

/* ---- CSV ------------------------------------------------------------------------------------------------------- */

void write_distributions_csv_row(csv_file *csv, cdp_type type, uint32_t which, uint32_t log2_count, const cell *row) {
  const spread *device = &row->time.device;
  csv_row(csv, "%s,%s,%" PRIu32 ",%s,%s,%s,%s,%s,%s,%s,%s,%" PRIu32, type_name(type), THESIS_DISTRIBUTIONS[which].name,
          log2_count, csv_number(row->std_sort_ms).text, csv_number(device->median).text, csv_number(device->least).text,
          csv_number(device->most).text, csv_number(row->time.whole).text,
          csv_number(ratio_of(row->std_sort_ms, device->median)).text,
          csv_number(ratio_of(row->std_sort_ms, row->time.whole)).text, csv_number(row->ratio_to_random).text, row->time.runs);
}

/* ---- Ratios ---------------------------------------------------------------------------------------------------- */

/* The greatest ratio of all, and how many are above the target. */
typedef struct worst {
  double ratio;
  uint32_t which;
  uint32_t log2_count;
  uint32_t above_target;
} worst;

static void look_for_worst(worst *found, uint32_t which, uint32_t log2_count, const cell *one) {
  if (which == SEQUENCE_RANDOM || !one->is_measured)
    return;
  if (one->ratio_to_random > found->ratio) {
    found->ratio = one->ratio_to_random;
    found->which = which;
    found->log2_count = log2_count;
  }
  if (one->ratio_to_random > RATIO_TARGET)
    found->above_target++;
}

static bool any_measured(const results *all, uint32_t which) {
  bool any = false;
  for (uint32_t n = 0; n <= SEQUENCE_LOG2_MOST; n++)
    any = any || all->cells[which][n].is_measured;
  return any;
}

static void print_ratio_row(const results *all, uint32_t log2_count, worst *found) {
  printf("%6" PRIu32, log2_count);
  for (uint32_t s = 0; s < SEQUENCES; s++) {
    const cell *one = &all->cells[s][log2_count];
    if (!any_measured(all, s))
      continue;
    print_number(14, 2, one->ratio_to_random);
    look_for_worst(found, s, log2_count, one);
  }
  putchar('\n');
}

void print_ratios(const results *all) {
  worst found = {0};
  if (!any_measured(all, SEQUENCE_RANDOM))
    return;
  printf("\nTime on the device as a ratio to random keys of the same number\n%6s", "log2 n");
  for (uint32_t s = 0; s < SEQUENCES; s++)
    if (any_measured(all, s))
      printf(" %13s", THESIS_DISTRIBUTIONS[s].name);
  putchar('\n');
  for (uint32_t n = 0; n <= SEQUENCE_LOG2_MOST; n++)
    if (all->cells[SEQUENCE_RANDOM][n].is_measured)
      print_ratio_row(all, n, &found);
  if (found.ratio <= 0)
    return;
  printf("The worst: %s, 2^%" PRIu32 " keys, %.2f x random. Target: at most %.2f; %" PRIu32 " above it%s\n",
         THESIS_DISTRIBUTIONS[found.which].name, found.log2_count, found.ratio, RATIO_TARGET, found.above_target,
         was_simulated() ? " (on the simulated device, so not to be judged by)" : "");
}
