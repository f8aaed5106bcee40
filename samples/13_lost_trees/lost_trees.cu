/* SPDX-License-Identifier: MIT */
/*
 * Lost trees: how many different kernels a program may launch from the device before CUDA loses a grid, and a stream never
 * ends. No data, no tails, no refused launch: a root launches a tree of empty grids, all of one kernel; the next round takes
 * another kernel. docs/known-issues.md says what is known of it, and how cdpsort stays clear of it.
 *
 *   lost_trees                        a table of what survives and what does not; some minutes
 *   lost_trees [OPTION VALUE]...      one row
 *     --limit N      the pending-launch limit (0: CUDA's own, 2,048)
 *     --kernels N    different kernels, 1 to 64, taken at random (16)
 *     --grids N      grids of a tree (30)
 *     --from N       trees of N to --grids grids, drawn at random (as many as --grids)
 *     --streams N    trees at once, each on a stream of its own, 1 to 8 (1)
 *     --rounds N     (30000)
 *
 * A row ends with "lost" when a tree takes longer than two seconds; the rows of the table are processes of their own, since
 * nothing can be done in one that has lost a tree but to end it. Exit code: 0, or 3 if a row lost a tree that was not expected
 * to, or 1 if something failed.
 */
#include <cuda_runtime.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace {

constexpr int KERNELS_MOST = 64;
constexpr int STREAMS_MOST = 8;
constexpr unsigned GRIDS_MOST = 100000;
constexpr unsigned GRID_BLOCKS = 64;
constexpr unsigned BLOCK_THREADS = 512;
constexpr unsigned CHILDREN_MOST = 8; /* of a grid */
constexpr double LOST_SECONDS = 2;
constexpr int EXIT_LOST = 3;

struct Row {
  unsigned limit;
  unsigned kernels;
  unsigned from;
  unsigned grids;
  unsigned streams;
  unsigned rounds;
  bool is_expected_lost; /* so that the table shows both sides */
};

/* First what cdpsort's sorts may do: up to 16 kernels, and as many grids pending as all sorts together have, a quarter of the
   limit, and more. Then where it ends. In all rows that survive, the kernels with 128 slots each, or fewer where their trees are smaller,
   fit the limit; in those that do not, they do not. */
constexpr Row TABLE[] = {
    {0, 12, 512, 512, 1, 30000, false}, {0, 12, 1, 512, 1, 30000, false},  {0, 12, 1, 1536, 1, 30000, false},
    {0, 16, 512, 512, 1, 30000, false}, {0, 16, 1, 512, 1, 30000, false},  {0, 16, 1, 512, 4, 30000, false},
    {0, 16, 8, 8, 8, 30000, false},     {0, 32, 30, 30, 1, 30000, false},  {1536, 12, 1, 384, 1, 30000, false},
    {1024, 8, 1, 256, 1, 30000, false}, {512, 4, 1, 128, 1, 30000, false}, {256, 16, 16, 16, 1, 30000, false},
    {0, 24, 1, 512, 1, 30000, true},    {0, 32, 120, 120, 1, 30000, true}, {0, 64, 30, 30, 1, 30000, true},
    {1024, 16, 1, 256, 1, 30000, true}, {512, 16, 1, 128, 1, 30000, true}, {256, 16, 1, 64, 1, 30000, true},
    {256, 12, 30, 30, 1, 30000, true},
};

/* A tree under way. What is counted lies in device memory. */
struct Tree {
  unsigned *grids_begun;
  unsigned *launches_refused;
  unsigned *blocks_done; /* of each grid */
  unsigned grids;
};

void require(cudaError_t error, const char *doing) {
  if (error == cudaSuccess)
    return;
  fprintf(stderr, "lost_trees: %s failed: %s\n", doing, cudaGetErrorString(error));
  exit(EXIT_FAILURE);
}

/* A grid of the tree: its last block launches children until the tree has all its grids. */
template <int KERNEL>
__global__ void node_kernel(const __grid_constant__ Tree tree, unsigned number) {
  __shared__ bool is_last;
  __syncthreads();
  if (threadIdx.x == 0)
    is_last = atomicAdd(&tree.blocks_done[number], 1u) + 1 == gridDim.x;
  __syncthreads();
  if (!is_last || threadIdx.x % 32 != 0 || threadIdx.x / 32 >= CHILDREN_MOST)
    return;
  tree.blocks_done[number] = 0;
  const unsigned child = atomicAdd(tree.grids_begun, 1u);
  if (child >= tree.grids)
    return;
  node_kernel<KERNEL><<<GRID_BLOCKS, BLOCK_THREADS, 0, cudaStreamFireAndForget>>>(tree, child);
  if (cudaGetLastError() != cudaSuccess)
    atomicAdd(tree.launches_refused, 1u);
}

template <int KERNEL>
__global__ void root_kernel(const __grid_constant__ Tree tree) {
  *tree.grids_begun = 1;
  __threadfence();
  node_kernel<KERNEL><<<GRID_BLOCKS, BLOCK_THREADS, 0, cudaStreamFireAndForget>>>(tree, 0);
  if (cudaGetLastError() != cudaSuccess)
    atomicAdd(tree.launches_refused, 1u);
}

using Launch = void (*)(const Tree &tree, cudaStream_t stream);

template <int KERNEL>
void launch_tree(const Tree &tree, cudaStream_t stream) {
  root_kernel<KERNEL><<<1, 1, 0, stream>>>(tree);
}

template <int... KERNELS>
Launch launch_of(unsigned kernel, std::integer_sequence<int, KERNELS...>) {
  static constexpr Launch LAUNCHES[] = {launch_tree<KERNELS>...};
  return LAUNCHES[kernel];
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/* A number below `bound`, the same in every run. */
unsigned draw(unsigned bound) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<unsigned>((state >> 33) % bound);
}

Tree allocate_tree() {
  Tree tree = {};
  require(cudaMalloc(&tree.grids_begun, sizeof *tree.grids_begun), "allocating a counter");
  require(cudaMalloc(&tree.launches_refused, sizeof *tree.launches_refused), "allocating a counter");
  require(cudaMemset(tree.launches_refused, 0, sizeof *tree.launches_refused), "clearing a counter");
  // A grid's number is below the grids that a tree may have: the children that are one too many are never launched.
  require(cudaMalloc(&tree.blocks_done, GRIDS_MOST * sizeof *tree.blocks_done), "allocating the grids' counters");
  require(cudaMemset(tree.blocks_done, 0, GRIDS_MOST * sizeof *tree.blocks_done), "clearing the grids' counters");
  return tree;
}

void print_row(const Row &row) {
  char grids[32];
  if (row.from == row.grids)
    snprintf(grids, sizeof grids, "%u", row.grids);
  else
    snprintf(grids, sizeof grids, "%u to %u", row.from, row.grids);
  printf("%7u  %7u  %10s  %7u  ", row.limit == 0 ? 2048 : row.limit, row.kernels, grids, row.streams);
  fflush(stdout);
}

/* Whether the stream ends in time. */
bool ends(cudaStream_t stream) {
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    const cudaError_t state = cudaStreamQuery(stream);
    if (state == cudaSuccess)
      return true;
    if (state != cudaErrorNotReady)
      require(state, "waiting for a tree");
    if (seconds_since(begin) > LOST_SECONDS)
      return false;
  }
}

/* Plants the trees of a row. Does not return if one is lost: what CUDA does at a process' usual end would wait for it. */
int run_row(const Row &row) {
  print_row(row);
  if (row.limit != 0)
    require(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, row.limit), "setting the pending-launch limit");
  Tree trees[STREAMS_MOST];
  cudaStream_t streams[STREAMS_MOST];
  for (unsigned at = 0; at < row.streams; at++) {
    trees[at] = allocate_tree();
    require(cudaStreamCreateWithFlags(&streams[at], cudaStreamNonBlocking), "creating a stream");
  }
  const auto begin = std::chrono::steady_clock::now();
  for (unsigned round = 0; round < row.rounds; round++) {
    for (unsigned at = 0; at < row.streams; at++) {
      trees[at].grids = row.from + draw(row.grids - row.from + 1);
      launch_of(draw(row.kernels), std::make_integer_sequence<int, KERNELS_MOST>())(trees[at], streams[at]);
      require(cudaGetLastError(), "launching a tree");
    }
    for (unsigned at = 0; at < row.streams; at++)
      if (!ends(streams[at])) {
        printf("lost in round %u%s\n", round, row.is_expected_lost ? "" : " (not expected)");
        fflush(stdout);
        _exit(EXIT_LOST);
      }
  }
  unsigned refused = 0;
  for (unsigned at = 0; at < row.streams; at++) {
    unsigned own = 0;
    require(cudaMemcpy(&own, trees[at].launches_refused, sizeof own, cudaMemcpyDeviceToHost), "reading a counter");
    refused += own;
  }
  printf("none lost in %u rounds of %.0f us, %u launches refused\n", row.rounds, seconds_since(begin) / row.rounds * 1e6,
         refused);
  return EXIT_SUCCESS;
}

/* Runs something in a process of its own, whose exit code it returns. */
template <typename Work>
int run_apart(Work work) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0)
    _exit(work() == EXIT_SUCCESS && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
  int state = 0;
  if (child > 0 && waitpid(child, &state, 0) == child && WIFEXITED(state))
    return WEXITSTATUS(state);
  fprintf(stderr, "lost_trees: a row's process could not be run\n");
  return EXIT_FAILURE;
}

/* Asked in a process of its own, too: one that has begun with CUDA cannot be forked. */
int print_device() {
  cudaDeviceProp device;
  int driver = 0;
  require(cudaGetDeviceProperties(&device, 0), "looking for a CUDA device");
  require(cudaDriverGetVersion(&driver), "asking for the driver's version");
  printf("%s, CUDA %d.%d (driver: up to %d.%d); trees of grids of %u blocks of %u threads, %u children to a grid\n",
         device.name, CUDART_VERSION / 1000, CUDART_VERSION / 10 % 100, driver / 1000, driver / 10 % 100, GRID_BLOCKS,
         BLOCK_THREADS, CHILDREN_MOST);
  return EXIT_SUCCESS;
}

int print_table() {
  if (run_apart(print_device) != EXIT_SUCCESS)
    return EXIT_FAILURE;
  printf("%7s  %7s  %10s  %7s\n", "limit", "kernels", "grids", "streams");
  int code = EXIT_SUCCESS;
  for (const Row &row : TABLE) {
    const int ended = run_apart([&row] { return run_row(row); });
    if (ended == EXIT_LOST && !row.is_expected_lost && code == EXIT_SUCCESS)
      code = EXIT_LOST;
    if (ended != EXIT_SUCCESS && ended != EXIT_LOST)
      code = EXIT_FAILURE;
  }
  return code;
}

/* An exit code, or another one, and a message, where standard output could not be written. */
int end_output(int code) {
  if (fflush(stdout) == 0 && ferror(stdout) == 0)
    return code;
  fprintf(stderr, "lost_trees: standard output cannot be written\n");
  return EXIT_FAILURE;
}

bool read_number(const char *text, unsigned least, unsigned most, unsigned *number) {
  char *rest = nullptr;
  const unsigned long value = strtoul(text, &rest, 10);
  if (text[0] < '0' || text[0] > '9' || *rest != '\0' || value < least || value > most)
    return false;
  *number = static_cast<unsigned>(value);
  return true;
}

bool read_option(const char *name, const char *value, Row *row) {
  if (strcmp(name, "--limit") == 0)
    return read_number(value, 0, 1u << 20, &row->limit);
  if (strcmp(name, "--kernels") == 0)
    return read_number(value, 1, KERNELS_MOST, &row->kernels);
  if (strcmp(name, "--grids") == 0)
    return read_number(value, 1, GRIDS_MOST, &row->grids);
  if (strcmp(name, "--from") == 0)
    return read_number(value, 1, GRIDS_MOST, &row->from);
  if (strcmp(name, "--streams") == 0)
    return read_number(value, 1, STREAMS_MOST, &row->streams);
  return strcmp(name, "--rounds") == 0 && read_number(value, 1, 1u << 30, &row->rounds);
}

/* The defaults are those of `row`. */
int help(const Row &row) {
  printf(
      "Usage: lost_trees [OPTION VALUE]...\n\n"
      "How many kernels may be launched from the device before CUDA loses a grid. Without options a table, which takes some\n"
      "minutes; with options one row. Needs a GPU.\n\n"
      "  --limit N        the pending-launch limit (0: CUDA's own, 2,048)\n"
      "  --kernels N      different kernels, 1 to %d, taken at random (%u)\n"
      "  --grids N        grids of a tree, 1 to %u (%u)\n"
      "  --from N         trees of N to --grids grids, drawn at random (as many as --grids)\n"
      "  --streams N      trees at once, each on a stream of its own, 1 to %d (%u)\n"
      "  --rounds N       how often, a tree on each stream (%u)\n"
      "  --help           this text (-h)\n\n"
      "Exit code: 0 all is well; 1 something failed; 2 the command line is at fault; 3 a tree was lost that was not expected\n"
      "to be.\n",
      KERNELS_MOST, row.kernels, GRIDS_MOST, row.grids, STREAMS_MOST, row.streams, row.rounds);
  return end_output(0);
}

} // namespace

int main(int count, char **words) {
  if (count == 1)
    return end_output(print_table());
  Row row = {0, 16, 0, 30, 1, 30000, false};
  if (count == 2 && (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0))
    return help(row);
  bool is_understood = count % 2 == 1;
  for (int word = 1; is_understood && word + 1 < count; word += 2)
    is_understood = read_option(words[word], words[word + 1], &row);
  if (row.from == 0)
    row.from = row.grids;
  if (!is_understood || row.from > row.grids) {
    fprintf(stderr,
            "usage: lost_trees [--limit N] [--kernels 1..%d] [--from N] [--grids 1..%u] [--streams 1..%d] [--rounds N]\n",
            KERNELS_MOST, GRIDS_MOST, STREAMS_MOST);
    return 2;
  }
  return end_output(run_row(row));
}
