/* SPDX-License-Identifier: MIT */
/*
 * What a short sort takes where the host's caches hold nothing of it, from event to event, beside CUB's two sorts, which take
 * turns with it: as they come, behind a walk through 96 MB of the host's memory, and behind a pause. Medians.
 *
 *     nvcc -std=c++17 -O2 -arch=sm_90 -I include 2026-11-28-cold-host.cu -lcdpsort
 */
#include <cdpsort/cdpsort.h>

#include <cub/cub.cuh>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

#include <unistd.h>

#define CHECK(call)                                                                                                            \
  do {                                                                                                                         \
    const int error = static_cast<int>(call);                                                                                  \
    if (error != 0) {                                                                                                          \
      printf("%s: %d\n", #call, error);                                                                                        \
      exit(1);                                                                                                                 \
    }                                                                                                                          \
  } while (0)

using Clock = std::chrono::steady_clock;

std::vector<char> others(96 << 20);
volatile char sum;

void walk() {
  char all = 0;
  for (size_t byte = 0; byte < others.size(); byte += 64)
    all = static_cast<char>(all + others[byte]++);
  sum = all;
}

double median(std::vector<double> &times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

int main() {
  constexpr size_t ROOM = 1 << 20;
  cudaStream_t stream;
  cudaEvent_t begin, end;
  uint32_t *d_keys, *d_others, *d_unsorted;
  void *d_workspace;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  for (uint32_t **array : {&d_keys, &d_others, &d_unsorted})
    CHECK(cudaMalloc(array, ROOM));
  CHECK(cudaMalloc(&d_workspace, ROOM * 16));
  std::vector<uint32_t> keys(ROOM / sizeof(uint32_t));
  std::mt19937 random(1);
  for (uint32_t &key : keys)
    key = random();
  CHECK(cudaMemcpy(d_unsorted, keys.data(), ROOM, cudaMemcpyHostToDevice));
  const char *const names[] = {"in turns", "behind a walk", "behind 2 ms"};
  for (const size_t count : {1024, 4096})
    for (int how = 0; how < 3; how++) {
      size_t bytes = 0;
      CHECK(cdp_quicksort_workspace(count, CDP_U32, nullptr, &bytes));
      const std::function<void()> sorts[] = {
          [&] { CHECK(cdp_quicksort_async(d_keys, count, CDP_U32, nullptr, d_workspace, bytes, stream)); },
          [&] {
            cub::DoubleBuffer<uint32_t> buffers(d_keys, d_others);
            size_t room = ROOM * 16;
            CHECK(cub::DeviceRadixSort::SortKeys(d_workspace, room, buffers, static_cast<int>(count), 0, 32, stream));
          },
          [&] {
            size_t room = ROOM * 16;
            CHECK(cub::DeviceMergeSort::SortKeys(d_workspace, room, d_keys, static_cast<int>(count), cuda::std::less<>{},
                                                 stream));
          }};
      std::vector<double> host[3], device[3];
      for (int turn = 0; turn < 3 * 100; turn++) {
        if (how == 1)
          walk();
        if (how == 2)
          usleep(2000);
        CHECK(cudaMemcpyAsync(d_keys, d_unsorted, count * sizeof(uint32_t), cudaMemcpyDeviceToDevice, stream));
        CHECK(cudaEventRecord(begin, stream));
        const auto called = Clock::now();
        sorts[turn % 3]();
        const std::chrono::duration<double, std::micro> taken = Clock::now() - called;
        CHECK(cudaEventRecord(end, stream));
        CHECK(cudaEventSynchronize(end));
        float milliseconds = 0;
        CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
        host[turn % 3].push_back(taken.count());
        device[turn % 3].push_back(1000 * static_cast<double>(milliseconds));
      }
      printf("%5zu keys, %-14s", count, names[how]);
      for (int sort = 0; sort < 3; sort++)
        printf("  %s: call %4.1f us, sorted in %4.1f",
               sort == 0   ? "cdpsort"
               : sort == 1 ? "radix"
                           : "merge",
               median(host[sort]), median(device[sort]));
      printf("\n");
    }
  return 0;
}
