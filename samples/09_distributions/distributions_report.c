/* SPDX-License-Identifier: MIT */
/* Tables and CSV rows: see distributions_report.h. */
#include "distributions_report.h"
#include "chosen_device.h"
#include "text_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* No sequence should take longer than random keys of the same number by more than this. */
static const double RATIO_TARGET = 1.25;

const char *const DISTRIBUTIONS_CSV_NAMES =
    "type,distribution,log2_count,std_sort_ms,device_ms,device_ms_least,device_ms_most,whole_ms,speedup_device,"
    "speedup_whole,ratio_to_random,runs";

/* ---- What was published ---------------------------------------------------------------------------------------- */

/*
 * What the thesis published, exactly as printed there: Xuan Thang Nguyen, "Development of parallel sorting algorithms for GPU"
 * (Czech Technical University in Prague, 2021), tables 5.2 and 5.3, "Speed-up of algorithms compared to std::sort for random
 * distribution", and "for staggered distribution". On a Xeon E5-2630 v3 and a Quadro P6000; averages of 20.
 */
enum { THESIS_SORTERS = 7, THESIS_ROWS = 16, THESIS_TABLES = 2 };

typedef struct thesis_row {
  uint32_t log2_count;
  double std_sort_ms;              /* printed with three decimals */
  double speedups[THESIS_SORTERS]; /* over std::sort, printed with two decimals */
} thesis_row;

typedef struct thesis_table {
  const char *number;   /* "5.2" */
  const char *sequence; /* as THESIS_DISTRIBUTIONS has it */
  thesis_row rows[THESIS_ROWS];
} thesis_table;

/* Heads of the speed-ups, and what they are. */
typedef struct thesis_sorter {
  const char *head;
  const char *text;
} thesis_sorter;

static const thesis_sorter THESIS_SORTER[THESIS_SORTERS] = {
    {"NV Bt", "NVIDIA's bitonic sort"},
    {"Bit", "TNL's bitonic sort"},
    {"ced Qs", "Cederman's quicksort"},
    {"man Qs", "Manca's quicksort"},
    {"NV Qs", "NVIDIA's quicksort with dynamic parallelism, cdpAdvancedQuicksort"},
    {"Qs", "TNL's quicksort, the thesis' own"},
    {"thrust", "thrust::sort, a radix sort"},
};

static const thesis_table THESIS[THESIS_TABLES] = {
    {"5.2",
     "random",
     {{10, 0.033, {1.65, 0.22, 0.00, 0.03, 0.00, 0.07, 0.94}},
      {11, 0.074, {3.21, 0.48, 0.03, 0.08, 0.01, 0.15, 2.31}},
      {12, 0.172, {5.73, 1.06, 0.07, 0.18, 0.04, 0.31, 5.21}},
      {13, 0.377, {9.19, 2.17, 0.15, 0.38, 0.09, 0.46, 2.99}},
      {14, 0.780, {13.92, 4.17, 0.33, 0.77, 0.19, 0.84, 6.04}},
      {15, 1.685, {18.11, 7.23, 0.76, 1.59, 0.40, 1.56, 12.86}},
      {16, 3.540, {23.91, 11.91, 1.55, 3.16, 0.90, 2.37, 23.13}},
      {17, 7.612, {30.69, 17.82, 3.07, 6.47, 1.83, 4.59, 40.70}},
      {18, 15.924, {33.45, 24.84, 5.19, 11.28, 2.93, 8.43, 43.50}},
      {19, 33.741, {20.20, 28.86, 8.26, 19.13, 5.31, 14.12, 64.39}},
      {20, 71.678, {20.47, 27.93, 8.39, 31.77, 8.42, 22.64, 109.26}},
      {21, 146.668, {19.08, 27.10, 7.07, 47.25, 11.66, 31.38, 161.52}},
      {22, 306.145, {17.75, 26.45, 6.79, 57.69, 14.21, 40.86, 225.43}},
      {23, 647.072, {16.62, 25.79, 6.85, 68.52, 17.57, 47.28, 280.11}},
      {24, 1335.382, {15.18, 24.49, 6.80, 72.88, 18.94, 51.35, 310.19}},
      {25, 2789.663, {14.10, 23.50, 6.65, 80.00, 16.15, 54.35, 342.87}}}},
    {"5.3",
     "staggered",
     {{10, 0.033, {1.73, 0.23, 0.01, 0.03, 0.00, 0.07, 1.03}},
      {11, 0.075, {3.26, 0.49, 0.03, 0.08, 0.01, 0.15, 2.34}},
      {12, 0.167, {5.56, 1.03, 0.07, 0.17, 0.04, 0.30, 5.06}},
      {13, 0.363, {8.85, 2.09, 0.15, 0.36, 0.08, 0.49, 2.40}},
      {14, 0.750, {13.39, 4.01, 0.31, 0.71, 0.18, 0.80, 4.83}},
      {15, 1.544, {16.78, 6.74, 0.66, 1.19, 0.36, 1.35, 9.89}},
      {16, 3.137, {22.73, 10.49, 1.31, 2.35, 0.79, 2.05, 17.52}},
      {17, 6.441, {26.07, 16.06, 2.50, 4.80, 1.52, 3.68, 32.04}},
      {18, 13.834, {29.18, 21.61, 4.35, 9.23, 2.41, 6.94, 36.79}},
      {19, 29.384, {17.64, 25.15, 7.09, 15.12, 1.80, 11.75, 53.52}},
      {20, 60.164, {17.30, 23.46, 6.78, 23.86, 0.75, 18.09, 87.06}},
      {21, 121.900, {15.95, 22.54, 6.33, 32.95, 0.71, 23.70, 127.64}},
      {22, 250.738, {14.62, 21.68, 6.23, 40.84, 0.69, 26.91, 176.20}},
      {23, 582.956, {15.04, 23.23, 6.21, 51.44, 0.74, 28.14, 244.52}},
      {24, 1338.513, {15.29, 24.53, 6.92, 62.40, 0.80, 27.69, 314.42}},
      {25, 2943.701, {14.95, 24.77, 7.37, 70.05, 0.82, 22.96, 350.69}}}},
};

/* NULL where none was published. */
static const thesis_table *find_thesis_table(const char *sequence_name) {
  for (size_t t = 0; t < THESIS_TABLES; t++)
    if (strcmp(THESIS[t].sequence, sequence_name) == 0)
      return &THESIS[t];
  return NULL;
}

static const thesis_row *find_thesis_row(const thesis_table *table, uint32_t log2_count) {
  for (size_t r = 0; r < THESIS_ROWS; r++)
    if (table->rows[r].log2_count == log2_count)
      return &table->rows[r];
  return NULL;
}

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
      "The thesis (Xuan Thang Nguyen, \"Development of parallel sorting algorithms for GPU\", 2021, section 5.3) had its\n"
      "keys on the GPU and took the time of the call by the clock: without copies,\n"
      "but with all that its quicksort does on the host and with its allocations; averages of 20. What it measured so lies\n"
      "between our two times. The baselines differ, too: its std::sort ran on a Xeon E5-2630 v3, its sorts on a Quadro P6000;\n"
      "compare t[ms] with ours before the speed-ups. It does not name the type of its keys: std::rand() and ranges up to 2^31\n"
      "are those of int, hence i32 unless another was asked for. Its columns:");
  puts("  t[ms]      std::sort's time there");
  for (size_t s = 0; s < THESIS_SORTERS; s++)
    printf("  %-9s  speed-up of %s\n", THESIS_SORTER[s].head, THESIS_SORTER[s].text);
  print_simulated_times_notice("Therefore the sizes are small, unless others were asked for.");
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
