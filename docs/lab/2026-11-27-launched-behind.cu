/* SPDX-License-Identifier: MIT */
/*
 * What it costs that a kernel may launch others, whether it does or not, and what a second grid behind a first one costs, which
 * may, in the first one's place: from event to event, with the stream idle before. 128 blocks of 512 threads and 200 KB, that wait
 * for a while; the second grid is one block of 32 threads. Medians of 301.
 *
 *     nvcc -std=c++17 -O3 -rdc=true -arch=sm_90 2026-11-27-launched-behind.cu -lcudadevrt
 */
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                                                            \
  do {                                                                                                                         \
    const cudaError_t error = call;                                                                                            \
    if (error != cudaSuccess) {                                                                                                \
      printf("%s: %s\n", #call, cudaGetErrorString(error));                                                                    \
      exit(1);                                                                                                                 \
    }                                                                                                                          \
  } while (0)

constexpr int SHARED_BYTES = 200000;

/* As many bytes of parameters as a sort has. */
struct Parameters {
  int *word; /* is 0 */
  int cycles;
  char others[400];
};

__global__ void child_kernel(int *word) {
  *word = 1;
}

__device__ void wait(int cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles)
    ;
}

template <bool LAUNCHES, bool LETS_NEXT>
__global__ void first_kernel(const __grid_constant__ Parameters parameters) {
  if (LETS_NEXT)
    cudaTriggerProgrammaticLaunchCompletion();
  wait(parameters.cycles);
  if (LAUNCHES && *parameters.word != 0)
    child_kernel<<<1, 32, 0, cudaStreamFireAndForget>>>(parameters.word);
}

template <bool LAUNCHES, bool WAITS>
__global__ void second_kernel(const __grid_constant__ Parameters parameters) {
  if (WAITS)
    cudaGridDependencySynchronize();
  if (LAUNCHES && *parameters.word != 0)
    child_kernel<<<1, 32, 0, cudaStreamFireAndForget>>>(parameters.word);
}

using Kernel = void (*)(Parameters);

void launch(Kernel kernel, int blocks, int threads, int shared_bytes, bool early, const Parameters &parameters) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t launch = {};
  launch.gridDim = dim3(blocks);
  launch.blockDim = dim3(threads);
  launch.dynamicSmemBytes = shared_bytes;
  launch.attrs = &attribute;
  launch.numAttrs = early ? 1 : 0;
  CHECK(cudaLaunchKernelEx(&launch, kernel, parameters));
}

void measure(const char *name, Kernel first, Kernel second, bool early, const Parameters &parameters) {
  using Clock = std::chrono::steady_clock;
  constexpr int TIMES = 301;
  std::vector<double> host;
  std::vector<double> device;
  cudaEvent_t begin;
  cudaEvent_t end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaFuncSetAttribute(first, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES));
  for (int time = 0; time < TIMES; time++) {
    CHECK(cudaEventRecord(begin));
    const auto before = Clock::now();
    launch(first, 128, 512, SHARED_BYTES, false, parameters);
    if (second != nullptr)
      launch(second, 1, 32, 0, early, parameters);
    host.push_back(std::chrono::duration<double, std::micro>(Clock::now() - before).count());
    CHECK(cudaEventRecord(end));
    CHECK(cudaDeviceSynchronize());
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    device.push_back(milliseconds * 1e3);
  }
  std::sort(host.begin(), host.end());
  std::sort(device.begin(), device.end());
  printf("%-60s %6.1f us of the host's, %6.1f us (%.1f to %.1f)\n", name, host[TIMES / 2], device[TIMES / 2], device[TIMES / 4],
         device[TIMES * 3 / 4]);
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
}

int main() {
  Parameters parameters = {};
  CHECK(cudaMalloc(&parameters.word, sizeof(int)));
  CHECK(cudaMemset(parameters.word, 0, sizeof(int)));
  for (const int cycles : {0, 10000, 40000}) {
    parameters.cycles = cycles;
    printf("%d cycles\n", cycles);
    measure("one grid", first_kernel<false, false>, nullptr, false, parameters);
    measure("one grid that may launch", first_kernel<true, false>, nullptr, false, parameters);
    measure("and one behind it", first_kernel<false, false>, second_kernel<false, false>, false, parameters);
    measure("and one behind it that may launch", first_kernel<false, false>, second_kernel<true, false>, false, parameters);
    measure("and one that begins early and waits", first_kernel<false, true>, second_kernel<false, true>, true, parameters);
    measure("and one that begins early, waits, and may launch", first_kernel<false, true>, second_kernel<true, true>, true,
            parameters);
  }
  return 0;
}
