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
 * Every tenth row's median is compared with the host's. --help tells the exit codes.
 */
#include <cdpsort/cdpsort.h>
#include <cdpsort/device.cuh>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

constexpr int EXIT_USAGE = 2;
constexpr uint32_t ROWS_MOST = 1000000;
constexpr uint32_t COLUMNS_MOST = RowSort::TILE_ITEMS;

struct Size {
  uint32_t rows;
  uint32_t columns;
};

int help() {
  printf("Usage: row_medians [ROWS [COLUMNS]]\n\n"
         "Makes a matrix of random numbers and finds the median of each row, by one kernel. Needs a GPU.\n\n"
         "  ROWS             1 to %u (10000)\n"
         "  COLUMNS          1 to %u (2000)\n"
         "  --help           this text (-h)\n"
         "  --version        the version of the headers\n\n"
         "Exit code: 0 every tenth row's median is the host's, too; 1 one differs, or something failed; 2 the command line is\n"
         "at fault.\n",
         ROWS_MOST, COLUMNS_MOST);
  return EXIT_SUCCESS;
}

int print_version() {
  printf("row_medians (cdpsort) %d.%d.%d\n", CDP_VERSION_MAJOR, CDP_VERSION_MINOR, CDP_VERSION_PATCH);
  return EXIT_SUCCESS;
}

/* A number of the command line, from 1 to `most`. */
uint32_t read_number(const char *word, uint32_t most) {
  char *end = nullptr;
  const unsigned long number = strtoul(word, &end, 10);
  if (*end != '\0' || number < 1 || number > most) {
    fprintf(stderr, "row_medians: '%s' is not a number from 1 to %u\n", word, most);
    exit(EXIT_USAGE);
  }
  return static_cast<uint32_t>(number);
}

Size read_size(int count, char **words) {
  for (int word = 1; word < count; word++) {
    if (words[word][0] == '-') {
      fprintf(stderr, "row_medians: there is no option %s; try row_medians --help\n", words[word]);
      exit(EXIT_USAGE);
    }
  }
  if (count > 3) {
    fprintf(stderr, "row_medians: '%s' is one too many; try row_medians --help\n", words[3]);
    exit(EXIT_USAGE);
  }
  return {count > 1 ? read_number(words[1], ROWS_MOST) : 10000, count > 2 ? read_number(words[2], COLUMNS_MOST) : 2000};
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
  if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
    return help();
  if (argc == 2 && strcmp(argv[1], "--version") == 0)
    return print_version();
  const Size size = read_size(argc, argv);
  const uint32_t rows = size.rows;
  const uint32_t columns = size.columns;
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
