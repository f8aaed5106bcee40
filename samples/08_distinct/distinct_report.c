/* SPDX-License-Identifier: MIT */
/* Tables and CSV rows: see distinct_report.h. */
#include "distinct_report.h"
#include "chosen_device.h"
#include "text_table.h"

#include <inttypes.h>
#include <stdio.h>

const char *const DISTINCT_CSV_NAMES =
    "table,fan_out,log2_count,distinct,std_sort_ms,device_ms,device_ms_least,device_ms_most,leaf32_ms,equal_items,"
    "greatest_depth,runs";

/* ---- What was published ---------------------------------------------------------------------------------------- */

/* Patrick Bisenius and Manuel Lessmann, "Parallel Quick Sort in OpenCL" (Karlsruhe Institute of Technology, undated), exactly as
   printed there; on an i5-4670 and a Radeon R290. */

/* Milliseconds. */
typedef struct opencl_row {
  uint32_t log2; /* of the numbers, or of the different numbers among them */
  double cpu_ms;
  double gpu_ms;
  double aborted_ms; /* table 2 alone: the recursion aborted at blocks of fewer than 1,024 */
} opencl_row;

/* Table 1: "Runtime in milliseconds of the Quick Sort algorithm with 2^14 different numbers". */
static const opencl_row BY_COUNT[] = {{20, 73, 10151, 0},   {21, 140, 10183, 0},  {22, 284, 11050, 0},  {23, 548, 11134, 0},
                                      {24, 1091, 11093, 0}, {25, 2133, 11809, 0}, {26, 4263, 12909, 0}, {27, 8620, 13764, 0}};

/* Table 2: "for n = 2^20 and different amounts of unique numbers". */
static const opencl_row BY_DISTINCT[] = {{14, 74, 10934, 393}, {18, 82, 37087, 393}, {20, 84, 76149, 373}};

static const opencl_row *find_row(const opencl_row *rows, size_t count, uint32_t log2) {
  for (size_t r = 0; r < count; r++)
    if (rows[r].log2 == log2)
      return &rows[r];
  return NULL;
}

static const opencl_row *find_opencl_count(uint32_t log2_count) {
  return find_row(BY_COUNT, sizeof BY_COUNT / sizeof *BY_COUNT, log2_count);
}

static const opencl_row *find_opencl_distinct(uint32_t log2_distinct) {
  return find_row(BY_DISTINCT, sizeof BY_DISTINCT / sizeof *BY_DISTINCT, log2_distinct);
}

/* ---- Cells ----------------------------------------------------------------------------------------------------- */

static bool has_many(const distinct_facts *facts) {
  return facts->many_fan_out != CDP_FAN_OUT_CLASSIC;
}

static uint64_t count_equal_items(const cdp_study *study) {
  uint64_t items = 0;
  for (uint32_t d = 0; d < study->depth_count && d < CDP_STUDY_DEPTHS; d++)
    items += study->depths[d].equal_items;
  return items;
}

/* Ranges that a grid partitioned. */
static uint64_t count_tasks(const cdp_study *study) {
  uint64_t tasks = 0;
  for (uint32_t d = 0; d < study->depth_count && d < CDP_STUDY_DEPTHS; d++)
    tasks += study->depths[d].tasks;
  return tasks;
}

static uint32_t greatest_depth(const cdp_study *study) {
  return study->depth_count > 0 ? study->depth_count - 1 : 0;
}

/* ---- The head -------------------------------------------------------------------------------------------------- */

void print_distinct_head(const distinct_facts *facts) {
  printf(
      "cdpsort on %s, %s keys, beside std::sort on one processor of this host.\n"
      "Every result was compared with that of std::sort, or beyond --baseline-max checked for order and permutation.\n"
      "All times are in milliseconds. Ours are medians, on the device, without copies and allocations; S: std::sort / ours.\n",
      cdp_last_device(), type_name(facts->type));
  puts("The paper has an i5-4670 (CPU: std::sort) and a Radeon R290 (GPU), and does not say whether its times have "
       "copies.\n"
       "Its quicksort launches kernels from the host for every range, down to ranges of one number.");
  print_simulated_times_notice("Therefore the numbers of keys are small, unless others were asked for.");
}

/* ---- Table 1 --------------------------------------------------------------------------------------------------- */

void print_counts_head(const distinct_facts *facts) {
  printf("\nTable 1: numbers of 2^%d values at random\n", OPENCL_LOG2_DISTINCT);
  printf("%6s |%-18s |%-14s", "", " the paper", " here");
  if (has_many(facts))
    printf(" |%7" PRIu32 " children%12s", facts->many_fan_out, "");
  printf(" |%7d children%12s\n%6s |%9s%9s |%14s", 2, "", "log2 n", "CPU", "GPU", "std::sort");
  if (has_many(facts))
    printf(" |%10s%10s%8s", "device", "whole", "S");
  printf(" |%10s%10s%8s\n", "device", "whole", "S");
}

static void print_times(const keys_row *row, way which) {
  const timing *time = &row->ways[which].greatest_leaf;
  printf(" |");
  print_number(10, 4, time->device.median);
  print_number(10, 3, time->whole);
  print_number(8, 1, ratio_of(row->std_sort_ms, time->device.median));
}

void print_counts_row(const distinct_facts *facts, const keys_row *row) {
  const opencl_row *published = find_opencl_count(row->log2_count);
  printf("%6" PRIu32 " |", row->log2_count);
  print_number(9, 0, published != NULL ? published->cpu_ms : 0);
  print_number(9, 0, published != NULL ? published->gpu_ms : 0);
  printf(" |");
  print_number(14, 3, row->std_sort_ms);
  if (has_many(facts))
    print_times(row, WAY_MANY);
  print_times(row, WAY_CLASSIC);
  putchar('\n');
  fflush(stdout);
}

/* ---- Table 2 --------------------------------------------------------------------------------------------------- */

void print_distinct_table_head(const distinct_facts *facts, uint32_t log2_count) {
  const uint32_t leaf = facts->greatest_leaf;
  printf("\nTable 2: 2^%" PRIu32 " numbers of so many values at random; leaf: ranges up to so long are sorted bitonically\n",
         log2_count);
  printf("%9s |%-27s |%-11s", "", " the paper", " here");
  if (has_many(facts))
    printf(" | %" PRIu32 " children, leaf%*s", facts->many_fan_out, facts->many_fan_out < 1000 ? 3 : 2, "");
  printf(" | %-18s | %-20s\n", "2 children, leaf", "2, all grids, leaf");
  printf("%9s |%8s%8s%11s |%11s", "log2 val.", "CPU", "GPU", "aborted", "std::sort");
  if (has_many(facts))
    printf(" |%10" PRIu32 "%10u", leaf, CDP_LEAF_MIN);
  printf(" |%9" PRIu32 "%10u |%10" PRIu32 "%11u\n", leaf, CDP_LEAF_MIN, leaf, CDP_LEAF_MIN);
}

/* The paper's row, if it has one for these keys. */
static const opencl_row *find_published(const keys_row *row) {
  return row->log2_count == OPENCL_LOG2_COUNT ? find_opencl_distinct(row->log2_distinct) : NULL;
}

void print_distinct_row(const distinct_facts *facts, const keys_row *row) {
  const opencl_row *published = find_published(row);
  printf("%9" PRIu32 " |", row->log2_distinct);
  print_number(8, 0, published != NULL ? published->cpu_ms : 0);
  print_number(8, 0, published != NULL ? published->gpu_ms : 0);
  print_number(11, 0, published != NULL ? published->aborted_ms : 0);
  printf(" |");
  print_number(11, 3, row->std_sort_ms);
  for (int w = has_many(facts) ? WAY_MANY : WAY_CLASSIC; w < WAYS; w++) {
    static const int widths[WAYS] = {10, 9, 10};
    printf(" |");
    print_number(widths[w], 4, row->ways[w].greatest_leaf.device.median);
    print_number(w == WAY_GRIDS ? 11 : 10, 4, row->ways[w].least_leaf.device.median);
  }
  putchar('\n');
  fflush(stdout);
}

/* ---- Below the greatest leaf ----------------------------------------------------------------------------------- */

static void print_below_leaf_text(uint32_t leaf) {
  printf(
      "\nThe paper's last column is its recursion aborted at ranges of fewer than %d, which it leaves unsorted. Nothing here\n"
      "leaves anything unsorted. What comes nearest, with two children:\n"
      "  leaf %-4" PRIu32 "  ranges of up to %" PRIu32
      " keys are sorted bitonically, by a warp each: the recursion ends there\n"
      "  leaf %-4u  it goes on, down to %u\n"
      "  in blocks  one block finishes every range short enough for it, which gets no more grids: the default. Of far more "
      "keys\n"
      "             than 2^20 smaller leaves make those ranges shorter, so that there are more grids, too\n"
      "  all grids  a grid for every range that is partitioned (block_items as the leaf): the paper's recursion, launched by\n"
      "             the device\n",
      OPENCL_ABORTED_BELOW, leaf, leaf, CDP_LEAF_MIN, CDP_LEAF_MIN);
  printf("So `below` is what going on below %" PRIu32
         " costs more than bitonic sort does there. It is not all the time spent there,\n"
         "as the paper's is: the sorting of leaves is in both. With many children smaller leaves also rule out the way\n"
         "of short arrays and sorting in registers beyond a leaf, so that their difference in table 2 has other reasons, "
         "too.\n\n",
         leaf);
}

/* What is below, and its share of the whole. */
static void print_share(double whole, double above, int decimals) {
  printf("%11.*f%9.1f%% |", decimals, whole - above, 100 * ratio_of(whole - above, whole));
}

void print_below_leaf(const distinct_facts *facts, const keys_row *rows, size_t count) {
  print_below_leaf_text(facts->greatest_leaf);
  printf("%9s |%21s |%21s |%21s | %s\n", "", "the paper: below", "in blocks: below", "all grids: below",
         "tasks, all grids, leaf");
  printf("%9s |%11s%10s |%11s%10s |%11s%10s |%12" PRIu32 "%11u\n", "log2 val.", "ms", "of all", "ms", "of all", "ms", "of all",
         facts->greatest_leaf, CDP_LEAF_MIN);
  for (size_t r = 0; r < count; r++) {
    const keys_row *row = &rows[r];
    const opencl_row *published = find_published(row);
    const measurement *grids = &row->ways[WAY_GRIDS];
    printf("%9" PRIu32 " |", row->log2_distinct);
    if (published != NULL)
      print_share(published->gpu_ms, published->aborted_ms, 0);
    else
      printf("%21s |", "");
    for (int w = WAY_CLASSIC; w <= WAY_GRIDS; w++)
      print_share(row->ways[w].least_leaf.device.median, row->ways[w].greatest_leaf.device.median, 4);
    printf("%12" PRIu64 "%11" PRIu64 "\n", count_tasks(&grids->greatest_study), count_tasks(&grids->least_study));
  }
}

/* ---- Equal keys by depth --------------------------------------------------------------------------------------- */

static const cdp_study *study_of(const keys_row *row, way which, bool least_leaf) {
  return least_leaf ? &row->ways[which].least_study : &row->ways[which].greatest_study;
}

static void print_depths(const keys_row *rows, size_t count, way which, bool least_leaf) {
  uint32_t depths = 0;
  printf("%9s", "depth");
  for (size_t r = 0; r < count; r++) {
    const cdp_study *study = study_of(&rows[r], which, least_leaf);
    printf("%8s2^%-2" PRIu32, "", rows[r].log2_distinct);
    depths = study->depth_count > depths ? study->depth_count : depths;
  }
  putchar('\n');
  for (uint32_t d = 0; d < depths && d < CDP_STUDY_DEPTHS; d++) {
    printf("%9" PRIu32, d);
    for (size_t r = 0; r < count; r++)
      printf("%12" PRIu64, study_of(&rows[r], which, least_leaf)->depths[d].equal_items);
    putchar('\n');
  }
  printf("%9s", "all");
  for (size_t r = 0; r < count; r++)
    printf("%12" PRIu64, count_equal_items(study_of(&rows[r], which, least_leaf)));
  putchar('\n');
}

void print_equal_by_depth(const distinct_facts *facts, const keys_row *rows, size_t count) {
  printf("\nKeys that left the recursion as equal to a pivot, or in a bucket of equal keys, of the 2^%" PRIu32
         " of table 2, by the\n"
         "depth of the range and the number of values. All others were sorted in leaves; an array found in order has none.\n",
         rows[0].log2_count);
  if (has_many(facts)) {
    printf("\n%" PRIu32 " children, leaf %" PRIu32 "\n", facts->many_fan_out, facts->greatest_leaf);
    print_depths(rows, count, WAY_MANY, false);
  }
  printf("\n2 children, leaf %" PRIu32 "\n", facts->greatest_leaf);
  print_depths(rows, count, WAY_CLASSIC, false);
  printf("\n2 children, a grid for every range, leaf %u\n", CDP_LEAF_MIN);
  print_depths(rows, count, WAY_GRIDS, true);
}

/* ---- CSV ------------------------------------------------------------------------------------------------------- */

void write_distinct_csv_rows(csv_file *csv, const distinct_facts *facts, int table, const keys_row *row) {
  for (int w = 0; w < WAYS; w++) {
    const measurement *own = &row->ways[w];
    const spread *greatest = &own->greatest_leaf.device;
    if (!own->is_measured)
      continue;
    csv_row(csv, "%s,%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%s,%s,%s,%s,%s,%" PRIu64 ",%" PRIu32 ",%" PRIu32,
            w == WAY_GRIDS ? "2-grids"
            : table == 1   ? "1"
                           : "2",
            w == WAY_MANY ? facts->many_fan_out : CDP_FAN_OUT_CLASSIC, row->log2_count, UINT64_C(1) << row->log2_distinct,
            csv_number(row->std_sort_ms).text, csv_number(greatest->median).text, csv_number(greatest->least).text,
            csv_number(greatest->most).text, csv_number(own->least_leaf.device.median).text,
            count_equal_items(&own->greatest_study), greatest_depth(&own->greatest_study), own->greatest_leaf.runs);
  }
}
