/* SPDX-License-Identifier: MIT */
/*
 * What the shared memory that a block asks for costs the block itself, beyond what it uses: a scatter as a map's blocks do it, of
 * 2^27 keys of 4 bytes in tiles of 32,768, launched with more and more shared memory. What is left of the 256 KB is the cache:
 * 92 KB beside 163, 60 beside 195, 28 beside more. nvcc -O3 -std=c++17 -arch=sm_90
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr uint32_t COUNT = 1u << 27;
constexpr uint32_t THREADS = 1024;
constexpr uint32_t VECTORS = 8;
constexpr uint32_t TILE = THREADS * VECTORS * 4;
constexpr uint32_t RUN = 256; /* keys that are written together */

#define CHECK(call)                                                                                                            \
  do {                                                                                                                         \
    const cudaError_t error = call;                                                                                            \
    if (error != cudaSuccess) {                                                                                                \
      printf("%s: %s\n", #call, cudaGetErrorString(error));                                                                    \
      return 1;                                                                                                                \
    }                                                                                                                          \
  } while (0)

__global__ void __launch_bounds__(THREADS, 1) scatter_kernel(const uint4 *keys, uint32_t *out) {
  extern __shared__ uint32_t stage[];
  constexpr uint32_t TILES = COUNT / TILE;
  uint4 held[VECTORS];
  const auto load = [&](uint32_t tile) {
#pragma unroll
    for (uint32_t vector = 0; vector < VECTORS; vector++)
      held[vector] = keys[(tile * VECTORS + vector) * THREADS + threadIdx.x];
  };
  load(blockIdx.x);
  for (uint32_t tile = blockIdx.x; tile < TILES; tile += gridDim.x) {
    __syncthreads();
#pragma unroll
    for (uint32_t vector = 0; vector < VECTORS; vector++) {
      const uint32_t parts[4] = {held[vector].x, held[vector].y, held[vector].z, held[vector].w};
#pragma unroll
      for (uint32_t part = 0; part < 4; part++)
        stage[((vector * 4 + part) * THREADS + threadIdx.x) * 2654435761u >> 17] = parts[part];
    }
    if (tile + gridDim.x < TILES)
      load(tile + gridDim.x);
    __syncthreads();
#pragma unroll 8
    for (uint32_t item = threadIdx.x; item < TILE; item += THREADS)
      out[(item / RUN * TILES + tile) * RUN + item % RUN] = stage[item];
  }
}

int main() {
  uint32_t *keys;
  uint32_t *out;
  CHECK(cudaMalloc(&keys, size_t{COUNT} * 4));
  CHECK(cudaMalloc(&out, size_t{COUNT} * 4));
  CHECK(cudaMemset(keys, 1, size_t{COUNT} * 4));
  cudaEvent_t begin;
  cudaEvent_t end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  for (const int bytes : {131072, 166912, 166928, 199680, 199696, 215616, 232448}) {
    CHECK(cudaFuncSetAttribute(scatter_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    std::vector<float> times;
    for (int run = 0; run < 12; run++) {
      float milliseconds;
      CHECK(cudaEventRecord(begin));
      scatter_kernel<<<132, THREADS, bytes>>>(reinterpret_cast<uint4 *>(keys), out);
      CHECK(cudaGetLastError());
      CHECK(cudaEventRecord(end));
      CHECK(cudaEventSynchronize(end));
      CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
      times.push_back(milliseconds);
    }
    std::sort(times.begin(), times.end());
    printf("%6d bytes of shared memory: %.1f us (%.1f to %.1f)\n", bytes, times[6] * 1000, times.front() * 1000,
           times.back() * 1000);
  }
  return 0;
}
