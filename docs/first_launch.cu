/* SPDX-License-Identifier: MIT */
#include <cstdio>

__global__ void child(int *sum) {
  atomicAdd(sum, static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x));
}

__global__ void tail(const int *sum) {
  printf("tail: the sum is %d\n", *sum);
}

__global__ void parent(int *sum) {
  *sum = 1000000; // this thread writes it before it launches: the child sees it
  child<<<4, 256, 0, cudaStreamFireAndForget>>>(sum);
  const cudaError_t child_launched = cudaGetLastError();
  tail<<<1, 1, 0, cudaStreamTailLaunch>>>(sum);
  const cudaError_t tail_launched = cudaGetLastError();
  printf("parent: child %s, tail %s\n", cudaGetErrorName(child_launched), cudaGetErrorName(tail_launched));
}

int main() {
  int *sum = nullptr;
  cudaMalloc(&sum, sizeof *sum);
  parent<<<1, 1>>>(sum);
  const cudaError_t error = cudaDeviceSynchronize(); // waits for the parent, and so for all that it launched
  printf("host: %s\n", cudaGetErrorName(error));
  return error == cudaSuccess ? 0 : 1;
}
