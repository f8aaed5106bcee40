/* SPDX-License-Identifier: MIT */
/* A quicksort that launches itself, without the library. docs/guide.md, sections 2 and 3, explains it line by line.
 *
 * 1. A range that gets a grid is a task. The host makes a task of the whole array, and launches its controller.
 * 2. A controller launches workers. They split the range into keys less than a pivot, equal to it, and greater.
 * 3. finish() runs when all workers are done. It makes tasks of the left and the right part, and launches them.
 *    Scheme 1: the last worker block runs finish(). Each part gets workers.
 *    Scheme 2: a tail launch runs finish(). Each part gets a controller.
 * 4. The block at hand sorts a range that gets no grid, by a bitonic network: a short range, one at the depth limit, one for which
 *    no task is left, and one whose launch CUDA refused. So no range stays unsorted.
 * The schemes are those of Xuan Thang Nguyen, "Development of parallel sorting algorithms for GPU" (2021).
 *     nvcc -O2 -arch=sm_90 -rdc=true quicksort.cu -o quicksort -lcudadevrt && ./quicksort --help
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

constexpr uint32_t BLOCK_THREADS = 512, KEYS_PER_THREAD = 8, TILE_KEYS = BLOCK_THREADS * KEYS_PER_THREAD;
constexpr uint32_t MAX_DEPTH = 64, MAX_TASKS = 1u << 16, MAX_KEYS = 1u << 30;

struct Task {
  uint32_t begin, end;          // its range: keys[begin] to keys[end - 1]
  uint32_t depth, pivot, tiles; // a tile is what a worker block splits
  uint32_t less, greater;       // keys that have a place so far
  uint32_t done_blocks;         // workers that are done
};

enum Counter { TASKS, KEYS, LAUNCHES, REFUSED, LEAVES, FALLBACKS, COUNTERS };

struct State { // that all grids of a sort share
  unsigned long long counters[MAX_DEPTH + 1][COUNTERS];
  uint32_t task_count, first_error; // first_error: of a call on the device, a cudaError_t
  Task tasks[MAX_TASKS];
};
__managed__ State state;

struct Sort {        // what each kernel is given
  uint32_t *keys[2]; // the array, and as much room: a task at depth d reads keys[d % 2] and writes the other one
  uint32_t depth_limit, leaf_keys, max_tasks; // 512 tasks: at most 1,536 launches, of the 2,048 that CUDA lets wait
  uint32_t scheme, streams;                   // streams 1: each launch has a stream of its own; 2: fire and forget
};

__device__ void count(uint32_t depth, Counter counter, unsigned long long number) {
  atomicAdd(&state.counters[depth][counter], number);
}

__global__ void controller_kernel(const __grid_constant__ Sort sort, uint32_t slot);
__global__ void worker_kernel(const __grid_constant__ Sort sort, uint32_t slot);

/* Launches a kernel of a task. False: CUDA refused, and nothing runs. One thread calls it; the child sees what that thread wrote. */
__device__ bool launch(const Sort &sort, uint32_t slot, void (*kernel)(Sort, uint32_t), uint32_t blocks, cudaStream_t stream) {
  const bool has_own = sort.streams == 1 && stream != cudaStreamTailLaunch;
  cudaError_t error = has_own ? cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) : cudaSuccess;
  if (error == cudaSuccess) {
    kernel<<<blocks, BLOCK_THREADS, 0, stream>>>(sort, slot);
    error = cudaGetLastError(); // CUDA reports a refused launch here and nowhere else
    if (has_own)                // what was launched in the stream still runs
      atomicCAS(&state.first_error, 0u, static_cast<uint32_t>(cudaStreamDestroy(stream)));
  }
  atomicCAS(&state.first_error, 0u, static_cast<uint32_t>(error));
  count(state.tasks[slot].depth, error == cudaSuccess ? LAUNCHES : REFUSED, 1);
  return error == cudaSuccess;
}

/* Makes a task of a range and launches it. False: the range is the caller's to sort. One thread calls it. */
__device__ bool start(const Sort &sort, uint32_t begin, uint32_t end, uint32_t depth) {
  if (end - begin <= sort.leaf_keys || depth == sort.depth_limit)
    return false;
  const uint32_t slot = atomicAdd(&state.task_count, 1u);
  if (slot >= sort.max_tasks)
    return false;
  const uint32_t pivot = sort.keys[depth % 2][begin + (end - begin) / 2];
  const Task task = {begin, end, depth, pivot, (end - begin + TILE_KEYS - 1) / TILE_KEYS, 0, 0, 0};
  state.tasks[slot] = task;
  return sort.scheme == 1 ? launch(sort, slot, worker_kernel, task.tiles, cudaStreamFireAndForget)
                          : launch(sort, slot, controller_kernel, 1, cudaStreamFireAndForget);
}

/* Sorts a range by a bitonic network, into the array. All threads of a block call it. */
__device__ void sort_in_block(const Sort &sort, uint32_t begin, uint32_t end, uint32_t depth) {
  uint32_t *keys = sort.keys[0] + begin;
  const uint32_t length = end - begin;
  if (threadIdx.x == 0 && length > 0)
    count(depth, length <= sort.leaf_keys ? LEAVES : FALLBACKS, 1);
  for (uint32_t index = threadIdx.x; index < length && depth % 2 == 1; index += blockDim.x)
    keys[index] = sort.keys[1][begin + index];
  for (uint32_t size = 2; size / 2 < length; size *= 2) // merges sorted runs of size / 2 keys, two at a time
    for (uint32_t stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      for (uint32_t pair = threadIdx.x; 2 * pair - pair % stride < length; pair += blockDim.x) {
        const uint32_t low = 2 * pair - pair % stride;
        const uint32_t high = stride == size / 2 ? low ^ (size - 1) : low + stride; // at first the second run backwards
        if (high < length && keys[high] < keys[low]) {
          const uint32_t greater = keys[low];
          keys[low] = keys[high];
          keys[high] = greater;
        }
      }
    }
}

/* Goes on when the workers are done. All threads of a block call it. */
__device__ void finish(const Sort &sort, uint32_t slot) {
  __shared__ bool is_started[2];
  const Task task = state.tasks[slot];
  const uint32_t middle = task.begin + task.less, right = task.end - task.greater; // between them: keys equal to the pivot
  if (threadIdx.x == 0) {
    count(task.depth, TASKS, 1);
    count(task.depth, KEYS, task.end - task.begin);
    is_started[0] = start(sort, task.begin, middle, task.depth + 1);
    is_started[1] = start(sort, right, task.end, task.depth + 1);
  }
  __syncthreads();
  for (uint32_t index = middle + threadIdx.x; index < right; index += blockDim.x)
    sort.keys[0][index] = task.pivot;
  if (!is_started[0])
    sort_in_block(sort, task.begin, middle, task.depth + 1);
  if (!is_started[1])
    sort_in_block(sort, right, task.end, task.depth + 1);
}

/* The tail of a controller: CUDA runs it when the controller and its workers are complete. One block. */
__global__ void continuation_kernel(const __grid_constant__ Sort sort, uint32_t slot) {
  const Task &task = state.tasks[slot];
  if (task.done_blocks != 0)
    finish(sort, slot);
  else
    sort_in_block(sort, task.begin, task.end, task.depth);
}

/* The first kernel of the sort, and in scheme 2 of each task. One block. */
__global__ void controller_kernel(const __grid_constant__ Sort sort, uint32_t slot) {
  __shared__ bool is_mine;
  const Task &task = state.tasks[slot];
  if (threadIdx.x == 0) {
    is_mine = task.end - task.begin <= sort.leaf_keys;
    if (!is_mine && sort.scheme == 2) // the tail first: if it is refused, no worker has begun
      is_mine = !launch(sort, slot, continuation_kernel, 1, cudaStreamTailLaunch);
    if (!is_mine && !launch(sort, slot, worker_kernel, task.tiles, cudaStreamFireAndForget))
      is_mine = sort.scheme == 1; // in scheme 2 the continuation sees that there was no worker
  }
  __syncthreads();
  if (is_mine)
    sort_in_block(sort, task.begin, task.end, task.depth);
}

/* Each block splits a tile: keys less than the pivot go to the left end of the range, greater ones to the right end. */
__global__ void worker_kernel(const __grid_constant__ Sort sort, uint32_t slot) {
  __shared__ uint32_t less;
  __shared__ uint32_t greater;
  __shared__ bool is_last;
  Task &task = state.tasks[slot];
  const uint32_t begin = task.begin, end = task.end, pivot = task.pivot;
  uint32_t *to = sort.keys[(task.depth + 1) % 2];
  if (threadIdx.x == 0)
    less = greater = 0;
  __syncthreads();
  uint32_t keys[KEYS_PER_THREAD], places[KEYS_PER_THREAD];
  for (uint32_t item = 0; item < KEYS_PER_THREAD; item++) {
    const uint32_t index = begin + blockIdx.x * TILE_KEYS + item * BLOCK_THREADS + threadIdx.x;
    keys[item] = index < end ? sort.keys[task.depth % 2][index] : pivot; // finish() writes the keys equal to the pivot
    places[item] = keys[item] < pivot ? atomicAdd(&less, 1u) : keys[item] > pivot ? atomicAdd(&greater, 1u) : 0;
  }
  __syncthreads();
  if (threadIdx.x == 0) { // reserves room for the tile: from here on, less and greater say where it begins
    less = atomicAdd(&task.less, less);
    greater = atomicAdd(&task.greater, greater);
  }
  __syncthreads();
  for (uint32_t item = 0; item < KEYS_PER_THREAD; item++)
    if (keys[item] < pivot)
      to[begin + less + places[item]] = keys[item];
    else if (keys[item] > pivot)
      to[end - 1 - greater - places[item]] = keys[item];

  __syncthreads(); // all threads of the block have written
  if (threadIdx.x == 0) {
    __threadfence(); // the keys before the count: a block that sees the count sees the keys
    is_last = atomicAdd(&task.done_blocks, 1u) + 1 == gridDim.x;
    __threadfence(); // the count before what the other blocks wrote
  }
  __syncthreads();
  if (is_last && sort.scheme == 1)
    finish(sort, slot);
}

static void require(cudaError_t error, const char *step) {
  if (error == cudaSuccess)
    return;
  fprintf(stderr, "%s: %s\n", step, cudaGetErrorString(error));
  exit(1);
}

int main(int words, char **word) {
  uint32_t key_count = 1u << 20, times = 1;
  Sort sort = {{nullptr, nullptr}, 24, 0, 512, 1, 1};
  const char *names[] = {"--count", "--depth-limit", "--leaf", "--tasks", "--scheme", "--streams", "--times"};
  uint32_t *numbers[] = {&key_count, &sort.depth_limit, &sort.leaf_keys, &sort.max_tasks, &sort.scheme, &sort.streams, &times};
  const uint32_t most[] = {MAX_KEYS, MAX_DEPTH, MAX_KEYS, MAX_TASKS, 2, 2, MAX_KEYS};
  for (int at = 1; at < words; at += 2) {
    const auto option = std::find(names, names + 7, std::string(word[at])) - names;
    char *rest = word[at];
    unsigned long number = at + 1 < words ? strtoul(word[at + 1], &rest, 10) : 0;
    if (number == 2 && *rest == '^') // such as 2^20
      number = rest[1] == '\0' ? 0 : 1ul << std::min(strtoul(rest + 1, &rest, 10), 63ul);
    if (option == 7 || *rest != '\0' || number < 1 || number > most[option]) {
      const bool is_help = strcmp(word[at], "--help") == 0;
      fputs("options: --count 2^20 --depth-limit 24 --leaf N --tasks 512 --scheme 1|2 --streams 1|2 --times 1\n",
            is_help ? stdout : stderr);
      return is_help ? 0 : 2;
    }
    *numbers[option] = static_cast<uint32_t>(number);
  }
  if (sort.leaf_keys == 0)
    sort.leaf_keys = std::max(4096u, key_count / 128); // some 256 tasks
  std::vector<uint32_t> input(key_count);
  std::generate(input.begin(), input.end(), std::mt19937());
  std::vector<uint32_t> sorted = input;
  std::sort(sorted.begin(), sorted.end());
  require(cudaMallocManaged(&sort.keys[0], sizeof(uint32_t) * 2 * key_count), "allocating the keys");
  sort.keys[1] = sort.keys[0] + key_count;
  for (uint32_t time = 0; time < times; time++) {
    std::copy(input.begin(), input.end(), sort.keys[0]);
    memset(state.counters, 0, sizeof state.counters);
    state.task_count = 1;
    state.tasks[0] = {0, key_count, 0, input[key_count / 2], (key_count + TILE_KEYS - 1) / TILE_KEYS, 0, 0, 0};
    controller_kernel<<<1, BLOCK_THREADS>>>(sort, 0);
    require(cudaGetLastError(), "launching the controller");
    require(cudaDeviceSynchronize(), "sorting"); // a grid is complete when all grids that it launched are
    if (!std::equal(sorted.begin(), sorted.end(), sort.keys[0])) {
      fprintf(stderr, "sort %u: the result is not that of std::sort\n", time);
      return 1;
    }
  }
  puts("depth    tasks       keys   launches    refused     leaves  fallbacks");
  for (uint32_t depth = 0; depth <= MAX_DEPTH; depth++) {
    const unsigned long long *at = state.counters[depth];
    if (std::count(at, at + COUNTERS, 0) < COUNTERS)
      printf("%5u %8llu %10llu %10llu %10llu %10llu %10llu\n", depth, at[0], at[1], at[2], at[3], at[4], at[5]);
  }
  printf("First error on the device: %s\n", cudaGetErrorName(static_cast<cudaError_t>(state.first_error)));
  printf("%u keys, sorted %u times: each result is that of std::sort\n", key_count, times);
  require(cudaFree(sort.keys[0]), "freeing the keys");
  return 0;
}
