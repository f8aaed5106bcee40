/* SPDX-License-Identifier: MIT */
/*
 * What a stage costs: a grid behind a grid (a tail), a cooperative barrier, and one by an atomic and a loop. 2026-11-23, as it was
 * run; the last line, of a cooperative launch of a kernel that launches from the device, ends it with "operation not permitted".
 *
 *     nvcc -std=c++17 -O3 -rdc=true -arch=sm_90 2026-11-23-what-a-stage-costs.cu -lcudadevrt
 */
#include <algorithm>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x)                                                                                                               \
  do {                                                                                                                         \
    cudaError_t e_ = (x);                                                                                                      \
    if (e_ != cudaSuccess) {                                                                                                   \
      printf("%s: %s line %d\n", #x, cudaGetErrorString(e_), __LINE__);                                                        \
      exit(1);                                                                                                                 \
    }                                                                                                                          \
  } while (0)
struct P {
  unsigned *counter;
  unsigned *out;
  int n;
  char pad[500];
};
__global__ void __launch_bounds__(1024, 1) chain(const __grid_constant__ P p, int left) {
  if (blockIdx.x == 0 && threadIdx.x == 0 && left > 0)
    chain<<<gridDim.x, 1024, 190 * 1024, cudaStreamTailLaunch>>>(p, left - 1);
  if (threadIdx.x == 0)
    atomicAdd(p.out, 1);
}
__global__ void __launch_bounds__(1024, 1) cgsync(const __grid_constant__ P p, int left) {
  for (int i = 0; i < left; i++) {
    cooperative_groups::this_grid().sync();
  }
  if (threadIdx.x == 0)
    atomicAdd(p.out, 1);
}
__device__ __forceinline__ void barrier(unsigned *c, unsigned goal) {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned v;
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(c) : "memory");
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(c) : "memory");
    } while (v < goal);
  }
  __syncthreads();
}
__global__ void __launch_bounds__(1024, 1) own(const __grid_constant__ P p, int left) {
  for (int i = 0; i < left; i++)
    barrier(p.counter, (i + 1) * gridDim.x);
  if (threadIdx.x == 0)
    atomicAdd(p.out, 1);
}
__global__ void leaf(const __grid_constant__ P p) {
  if (threadIdx.x == 0)
    atomicAdd(p.out, 1);
}
__global__ void __launch_bounds__(1024, 1) own_child(const __grid_constant__ P p, int left) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    leaf<<<132, 256, 0, cudaStreamFireAndForget>>>(p);
  if (blockIdx.x == 0 && threadIdx.x == 0)
    leaf<<<132, 256, 0, cudaStreamTailLaunch>>>(p);
  for (int i = 0; i < left; i++)
    barrier(p.counter, (i + 1) * gridDim.x);
  if (threadIdx.x == 0)
    atomicAdd(p.out, 1);
}
template <class K>
void measure(const char *name, K kernel, int n, bool coop, int blocks) {
  P p{};
  CHECK(cudaMalloc(&p.counter, 8));
  p.out = p.counter + 1;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 190 * 1024));
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  cudaEvent_t a, b;
  CHECK(cudaEventCreate(&a));
  CHECK(cudaEventCreate(&b));
  std::vector<float> t;
  unsigned out = 0;
  for (int r = 0; r < 60; r++) {
    CHECK(cudaMemsetAsync(p.counter, 0, 8, s));
    CHECK(cudaEventRecord(a, s));
    cudaLaunchAttribute at = {};
    at.id = cudaLaunchAttributeCooperative;
    at.val.cooperative = 1;
    cudaLaunchConfig_t c = {};
    c.attrs = &at;
    c.numAttrs = coop;
    c.gridDim = blocks;
    c.blockDim = 1024;
    c.dynamicSmemBytes = 190 * 1024;
    c.stream = s;
    CHECK(cudaLaunchKernelEx(&c, kernel, p, n));
    CHECK(cudaEventRecord(b, s));
    CHECK(cudaStreamSynchronize(s));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, a, b));
    if (r >= 10)
      t.push_back(ms * 1000);
    CHECK(cudaMemcpy(&out, p.out, 4, cudaMemcpyDeviceToHost));
  }
  std::sort(t.begin(), t.end());
  printf("%-12s coop %d blocks %3d n %d: median %.2f us (min %.2f, q3 %.2f) out %u\n", name, coop, blocks, n, t[t.size() / 2],
         t[0], t[t.size() * 3 / 4], out);
  CHECK(cudaFree(p.counter));
}
int main() {
  for (int n : {0, 1, 2, 4})
    measure("tails", chain, n, false, 132);
  for (int coop : {0, 1})
    for (int blocks : {64, 132})
      for (int n : {0, 1, 2, 4})
        measure("cg sync", cgsync, n, coop || n, blocks);
  for (int blocks : {64, 132})
    for (int n : {0, 1, 2, 4, 8})
      measure("own barrier", own, n, true, blocks);
  measure("own barrier", own, 4, false, 132);
  for (int n : {0, 1, 4})
    measure("own+child", own_child, n, true, 132);
  // capture
  {
    P p{};
    CHECK(cudaMalloc(&p.counter, 8));
    p.out = p.counter + 1;
    CHECK(cudaMemset(p.counter, 0, 8));
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    cudaGraph_t g;
    cudaGraphExec_t e;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    CHECK(cudaMemsetAsync(p.counter, 0, 4, s));
    cudaLaunchAttribute at = {};
    at.id = cudaLaunchAttributeCooperative;
    at.val.cooperative = 1;
    cudaLaunchConfig_t c = {};
    c.attrs = &at;
    c.numAttrs = 1;
    c.gridDim = 132;
    c.blockDim = 1024;
    c.dynamicSmemBytes = 190 * 1024;
    c.stream = s;
    CHECK(cudaLaunchKernelEx(&c, own_child, p, 4));
    CHECK(cudaStreamEndCapture(s, &g));
    CHECK(cudaGraphInstantiate(&e, g, 0));
    for (int i = 0; i < 10; i++)
      CHECK(cudaGraphLaunch(e, s));
    CHECK(cudaStreamSynchronize(s));
    unsigned o;
    CHECK(cudaMemcpy(&o, p.out, 4, cudaMemcpyDeviceToHost));
    printf("captured: %u of %u\n", o, 10 * 3 * 132);
  }
}
