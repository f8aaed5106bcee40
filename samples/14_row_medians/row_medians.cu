/* SPDX-License-Identifier: MIT */
/*
 * A sort inside a kernel of your own: the median of each row of a matrix, by one kernel. A block reads a row, sorts it in
 * registers by cdpsort::BlockSort, and the thread that has the middle writes it: no row is written back, and there is no array
 * of sorted keys. Rows may be of any length up to 2,048; what a row lacks is filled up with infinity, which comes last.
 *
 * Nothing is linked: cdpsort/device.cuh is a header. (Sorts of whole arrays, which the other samples are about, are called from
 * the host.)
 *
 *   row_medians [rows [columns]]     (10000 rows of 2000)
 *
 * Every tenth row's median is compared with the host's. Exit code: 0, or 1 if one differs or something failed.
 */
#include <cdpsort/device.cuh>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

constexpr uint32_t THREADS = 256;
constexpr uint32_t ITEMS = 8;
using RowSort = cdpsort::BlockSort<float, THREADS, ITEMS>;

void require(cudaError_t error, const char *doing) {
  if (error == cudaSuccess)
    return;
  fprintf(stderr, "row_medians: %s failed: %s\n", doing, cudaGetErrorString(error));
  exit(EXIT_FAILURE);
}

/* A block for each row. */
__global__ void __launch_bounds__(THREADS) row_medians_kernel(const float *matrix, uint32_t columns, float *medians) {
  __shared__ RowSort::Shared shared;
  const float *const row = matrix + uint64_t{blockIdx.x} * columns;
  const uint32_t middle = (columns - 1) / 2;
  float keys[ITEMS];
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++) {
    const uint32_t column = item * THREADS + threadIdx.x;
    keys[item] = column < columns ? row[column] : INFINITY;
  }
  RowSort(shared).sort(keys); // now the thread has those of rank ITEMS * threadIdx.x and behind
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    if (threadIdx.x * ITEMS + item == middle)
      medians[blockIdx.x] = keys[item];
}

/* An array on the device, for the life of the program. */
float *allocate(size_t count) {
  float *d_array = nullptr;
  require(cudaMalloc(&d_array, count * sizeof(float)), "allocating device memory");
  return d_array;
}

/* A number of the command line, from 1 to `most`. */
uint32_t read_number(const char *word, uint32_t most) {
  char *end = nullptr;
  const unsigned long number = strtoul(word, &end, 10);
  if (*end != '\0' || number < 1 || number > most) {
    fprintf(stderr, "row_medians: '%s' is not a number from 1 to %u\n", word, most);
    exit(EXIT_FAILURE);
  }
  return static_cast<uint32_t>(number);
}

/* How many of every tenth row's medians differ from the host's. */
uint32_t count_wrong(std::vector<float> matrix, uint32_t columns, const std::vector<float> &medians) {
  uint32_t wrong = 0;
  for (size_t row = 0; row < medians.size(); row += 10) {
    const auto begin = matrix.begin() + static_cast<ptrdiff_t>(row * columns);
    const auto middle = begin + (columns - 1) / 2;
    std::nth_element(begin, middle, begin + columns);
    wrong += *middle == medians[row] ? 0 : 1;
  }
  return wrong;
}

} // namespace

int main(int argc, char **argv) {
  const uint32_t rows = argc > 1 ? read_number(argv[1], 1000000) : 10000;
  const uint32_t columns = argc > 2 ? read_number(argv[2], RowSort::TILE_ITEMS) : 2000;
  std::vector<float> matrix(size_t{rows} * columns);
  std::vector<float> medians(rows);
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (float &number : matrix)
    number = normal(random);
  float *const d_matrix = allocate(matrix.size());
  float *const d_medians = allocate(rows);
  require(cudaMemcpy(d_matrix, matrix.data(), matrix.size() * sizeof(float), cudaMemcpyHostToDevice), "copying the matrix");
  row_medians_kernel<<<rows, THREADS>>>(d_matrix, columns, d_medians);
  require(cudaGetLastError(), "launching the kernel");
  require(cudaMemcpy(medians.data(), d_medians, rows * sizeof(float), cudaMemcpyDeviceToHost), "copying the medians");
  require(cudaFree(d_medians), "freeing the medians");
  require(cudaFree(d_matrix), "freeing the matrix");
  const uint32_t wrong = count_wrong(matrix, columns, medians);
  printf("%u rows of %u: the first one's median is %g; %u of every tenth differ from the host's\n", rows, columns,
         static_cast<double>(medians[0]), wrong);
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
