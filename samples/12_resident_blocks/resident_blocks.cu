/* SPDX-License-Identifier: MIT */
/*
 * The trap: how many blocks a multiprocessor runs at once, for a grid launched by the host and for the same grid launched by
 * another kernel, by the shared memory of a block.
 *
 * A multiprocessor splits its memory between L1 cache and shared memory. For a grid of the host the driver chooses the split. A
 * device-launched block that arrives at an idle multiprocessor seems to find it set to a small one, whatever the kernel's
 * attributes say: fewer blocks fit. These blocks do nothing but stay; on an H200 4 to 7 of 256 threads stay at once where the
 * host gets 8. A partition suffers more: docs/notes/shared-memory-split.md has its figures, and what cdpsort does about it.
 *
 *   resident_blocks [threads]     threads of a block: 32 to 1024 (256)
 */
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int MULTIPROCESSORS_MOST = 1024;
constexpr int BLOCKS_PER_MULTIPROCESSOR = 16;
constexpr long long SPIN_CLOCKS = 200000; /* long enough for a whole wave of blocks to arrive */

struct Residents {
  int now[MULTIPROCESSORS_MOST];
  int most[MULTIPROCESSORS_MOST];
  int launch_error;
};

void require(cudaError_t error, const char *doing) {
  if (error == cudaSuccess)
    return;
  fprintf(stderr, "resident_blocks: %s failed: %s\n", doing, cudaGetErrorString(error));
  exit(EXIT_FAILURE);
}

__device__ unsigned int this_multiprocessor() {
  unsigned int number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
}

/* Each block counts itself in at its multiprocessor, stays a while with all its threads, and counts itself out. */
__global__ void stay_kernel(Residents *residents) {
  const unsigned int here = this_multiprocessor() % MULTIPROCESSORS_MOST;
  if (threadIdx.x == 0)
    atomicMax(&residents->most[here], atomicAdd(&residents->now[here], 1) + 1);
  const long long begin = clock64();
  while (clock64() - begin < SPIN_CLOCKS) {
  }
  __syncthreads();
  if (threadIdx.x == 0)
    atomicSub(&residents->now[here], 1);
}

__global__ void parent_kernel(Residents *residents, int blocks, int threads, int shared_bytes) {
  stay_kernel<<<blocks, threads, shared_bytes, cudaStreamFireAndForget>>>(residents);
  residents->launch_error = static_cast<int>(cudaGetLastError());
}

struct Seen {
  int least;
  int most;
  float milliseconds;
};

/* Launches the grid once, and says between which numbers of blocks the multiprocessors had at once. */
Seen launch(Residents *d_residents, int multiprocessors, int threads, int shared_bytes, bool by_device) {
  static Residents residents;
  const int blocks = multiprocessors * BLOCKS_PER_MULTIPROCESSOR;
  cudaEvent_t begin;
  cudaEvent_t end;
  require(cudaEventCreate(&begin), "creating an event");
  require(cudaEventCreate(&end), "creating an event");
  require(cudaMemset(d_residents, 0, sizeof residents), "clearing the counters");
  require(cudaDeviceSynchronize(), "waiting for an idle device");
  require(cudaEventRecord(begin), "recording an event");
  if (by_device)
    parent_kernel<<<1, 1>>>(d_residents, blocks, threads, shared_bytes);
  else
    stay_kernel<<<blocks, threads, shared_bytes>>>(d_residents);
  require(cudaGetLastError(), "launching");
  require(cudaEventRecord(end), "recording an event");
  require(cudaDeviceSynchronize(), "running the grid");
  require(cudaMemcpy(&residents, d_residents, sizeof residents, cudaMemcpyDeviceToHost), "reading the counters");
  require(static_cast<cudaError_t>(residents.launch_error), "the launch by the device");
  Seen seen = {BLOCKS_PER_MULTIPROCESSOR + 1, 0, 0};
  for (int number = 0; number < multiprocessors && number < MULTIPROCESSORS_MOST; number++) {
    seen.least = residents.most[number] < seen.least ? residents.most[number] : seen.least;
    seen.most = residents.most[number] > seen.most ? residents.most[number] : seen.most;
  }
  require(cudaEventElapsedTime(&seen.milliseconds, begin, end), "taking the time");
  require(cudaEventDestroy(begin), "destroying an event");
  require(cudaEventDestroy(end), "destroying an event");
  return seen;
}

} // namespace

int main(int count, char **words) {
  if (count == 2 && (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0)) {
    puts(
        "Usage: resident_blocks [THREADS]\n\n"
        "How many blocks a multiprocessor runs at once, by the shared memory of a block, if the host launches them and if the\n"
        "device does. Needs a GPU.\n\n"
        "  THREADS          threads of a block: 32 to 1024 (256)\n"
        "  --help           this text (-h)\n\n"
        "Exit code: 0 all is well; 1 something failed; 2 the command line is at fault.");
    return 0;
  }
  char *rest = nullptr;
  const long wanted = count > 1 ? strtol(words[1], &rest, 10) : 256;
  const int threads = static_cast<int>(wanted);
  if (count > 2 || (rest != nullptr && (rest == words[1] || *rest != '\0')) || wanted < 32 || wanted > 1024) {
    fprintf(stderr, "usage: resident_blocks [threads of a block, 32 to 1024]\n");
    return 2;
  }
  cudaDeviceProp device;
  require(cudaGetDeviceProperties(&device, 0), "looking for a CUDA device");
  Residents *d_residents = nullptr;
  require(cudaMalloc(&d_residents, sizeof *d_residents), "allocating the counters");
  const int bytes_most = static_cast<int>(device.sharedMemPerBlockOptin);
  require(cudaFuncSetAttribute(stay_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes_most),
          "allowing the kernel its shared memory");

  printf("%s: blocks of %d threads on a multiprocessor at once (time of the grid)\n", device.name, threads);
  printf("%14s  %22s  %22s\n", "shared memory", "launched by the host", "launched by the device");
  static const double kilobytes[] = {0, 1, 2, 2.5, 3, 3.5, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 112};
  for (const double kilobyte : kilobytes) {
    const int bytes = static_cast<int>(kilobyte * 1024);
    if (bytes > bytes_most)
      continue;
    launch(d_residents, device.multiProcessorCount, threads, bytes, true); // the first launch pays for loading the kernels
    const Seen host = launch(d_residents, device.multiProcessorCount, threads, bytes, false);
    const Seen child = launch(d_residents, device.multiProcessorCount, threads, bytes, true);
    printf("%11.1f KB  %4d to %2d (%6.3f ms)  %4d to %2d (%6.3f ms)\n", kilobyte, host.least, host.most, host.milliseconds,
           child.least, child.most, child.milliseconds);
  }
  require(cudaFree(d_residents), "freeing the counters");
  if (fflush(stdout) == 0 && ferror(stdout) == 0)
    return 0;
  fprintf(stderr, "resident_blocks: standard output cannot be written\n");
  return 1;
}
