/* SPDX-License-Identifier: MIT */
/*
 * What the TNL thesis published, exactly as printed there: Xuan Thang Nguyen, "Development of parallel sorting algorithms for GPU"
 * (Czech Technical University in Prague, 2021), tables 5.2 and 5.3, "Speed-up of algorithms compared to std::sort for random
 * distribution", and "for staggered distribution". On a Xeon E5-2630 v3 and a Quadro P6000; averages of 20.
 */
#include "thesis_tables.h"

#include <stddef.h>
#include <string.h>

const thesis_sorter THESIS_SORTER[THESIS_SORTERS] = {
    {"NV Bt", "NVIDIA's bitonic sort"},
    {"Bit", "TNL's bitonic sort"},
    {"ced Qs", "Cederman's quicksort"},
    {"man Qs", "Manca's quicksort"},
    {"NV Qs", "NVIDIA's quicksort with dynamic parallelism, cdpAdvancedQuicksort"},
    {"Qs", "TNL's quicksort, the thesis' own"},
    {"thrust", "thrust::sort, a radix sort"},
};

const thesis_table THESIS[THESIS_TABLES] = {
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

const thesis_table *find_thesis_table(const char *sequence_name) {
  for (size_t t = 0; t < THESIS_TABLES; t++)
    if (strcmp(THESIS[t].sequence, sequence_name) == 0)
      return &THESIS[t];
  return NULL;
}

const thesis_row *find_thesis_row(const thesis_table *table, uint32_t log2_count) {
  for (size_t r = 0; r < THESIS_ROWS; r++)
    if (table->rows[r].log2_count == log2_count)
      return &table->rows[r];
  return NULL;
}
