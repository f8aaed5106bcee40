/* SPDX-License-Identifier: MIT */
/*
 * hooks_cost: what the hooks of study.h cost a sort that does not use them. The same kernels, compiled with the hooks and
 * without, sort the same keys in turns; medians of RUNS runs of each, with the least and the greatest, and the ratio. Not a
 * test: it is made by `cmake --build build --target hooks_cost` and run by hand; docs/performance.md has the figures.
 *
 * CSV on stdout. Exit code 1 if a CUDA call fails or keys come out unsorted.
 */
#include "variants.h"

extern "C" {
#include "options.h"
#include "plan.h"
}
#include "tuning.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int RUNS = 15;
constexpr int WARM_UPS = 3;

void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  fprintf(stderr, "hooks_cost: %s: %s\n", what, cudaGetErrorString(error));
  exit(EXIT_FAILURE);
}
#define CHECK(call) check((call), #call)

uint64_t splitmix64(uint64_t value) {
  value += 0x9E3779B97F4A7C15u;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

/* Keys of a size on the device, and room to sort them in. */
template <typename Key>
struct Room {
  Key *d_given = nullptr;
  Key *d_keys = nullptr;
  void *d_workspace = nullptr;
  size_t count;

  explicit Room(size_t key_count, size_t workspace_bytes) : count(key_count) {
    std::vector<Key> given(count);
    for (size_t index = 0; index < count; index++)
      given[index] = static_cast<Key>(splitmix64(index));
    CHECK(cudaMalloc(&d_given, count * sizeof(Key)));
    CHECK(cudaMalloc(&d_keys, count * sizeof(Key)));
    CHECK(cudaMalloc(&d_workspace, workspace_bytes));
    CHECK(cudaMemcpy(d_given, given.data(), count * sizeof(Key), cudaMemcpyHostToDevice));
  }
  ~Room() {
    CHECK(cudaFree(d_given));
    CHECK(cudaFree(d_keys));
    CHECK(cudaFree(d_workspace));
  }
  Room(const Room &) = delete;
  Room &operator=(const Room &) = delete;

  void must_be_sorted() const {
    std::vector<Key> keys(count);
    CHECK(cudaMemcpy(keys.data(), d_keys, count * sizeof(Key), cudaMemcpyDeviceToHost));
    if (std::is_sorted(keys.begin(), keys.end()))
      return;
    fprintf(stderr, "hooks_cost: %zu keys are not sorted\n", count);
    exit(EXIT_FAILURE);
  }
};

using Launch = int(const cdp_request &request, void *stream);

struct Timer {
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;

  Timer() {
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
  }

  template <typename Key>
  float time(Launch *launch, const cdp_request &request, const Room<Key> &room) const {
    float milliseconds = 0;
    CHECK(cudaMemcpyAsync(room.d_keys, room.d_given, room.count * sizeof(Key), cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaEventRecord(begin, stream));
    CHECK(static_cast<cudaError_t>(launch(request, stream)));
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    return milliseconds;
  }
};

/* The plan of a sort as the library makes it. */
cdp_plan plan_of(cdp_type type, size_t count, uint32_t fan_out) {
  cdp_options options = CDP_OPTIONS_INIT;
  cdp_options resolved;
  cdp_plan plan;
  cudaDeviceProp properties;
  size_t pending_limit = 0;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  CHECK(cudaDeviceGetLimit(&pending_limit, cudaLimitDevRuntimePendingLaunchCount));
  cdp_device_facts facts = {};
  facts.fan_kind =
      static_cast<uint32_t>(cdp::fan_kind_of(static_cast<uint32_t>(properties.major * 100 + properties.minor * 10)));
  facts.multiprocessors = static_cast<uint32_t>(properties.multiProcessorCount);
  facts.pending_limit = static_cast<uint32_t>(pending_limit);
  options.fan_out = fan_out;
  if (cdp_options_resolve(&options, type, &resolved) != CDP_OK ||
      cdp_plan_make(&resolved, type, count, &facts, &plan) != CDP_OK) {
    fprintf(stderr, "hooks_cost: %s\n", cdp_last_message());
    exit(EXIT_FAILURE);
  }
  return plan;
}

template <typename Key>
void compare(const Timer &timer, cdp_type type, int log2_count, uint32_t fan_out) {
  const size_t count = size_t{1} << log2_count;
  cdp_plan plan = plan_of(type, count, fan_out);
  const Room<Key> room(count, plan.room.workspace_bytes);
  Launch *const launches[2] = {launch_with_hooks, launch_without_hooks};
  std::vector<float> times[2];
  plan.request.d_keys = room.d_keys;
  plan.request.d_workspace = room.d_workspace;
  for (int run = 0; run < WARM_UPS + RUNS; run++)
    for (int turn = 0; turn < 2; turn++) {
      const int variant = (run + turn) % 2; // neither is always the first
      const float milliseconds = timer.time(launches[variant], plan.request, room);
      if (run >= WARM_UPS)
        times[variant].push_back(milliseconds);
      if (run == 0)
        room.must_be_sorted();
    }
  for (std::vector<float> &each : times)
    std::sort(each.begin(), each.end());
  printf("%s,%d,%s,%d", type == CDP_U32 ? "u32" : "u64", log2_count, fan_out == CDP_FAN_OUT_CLASSIC ? "classic" : "default",
         RUNS);
  for (const std::vector<float> &each : times)
    printf(",%.5f,%.5f,%.5f", static_cast<double>(each[RUNS / 2]), static_cast<double>(each.front()),
           static_cast<double>(each.back()));
  printf(",%.4f\n", static_cast<double>(times[0][RUNS / 2] / times[1][RUNS / 2]));
}

} // namespace

int main() {
  constexpr int SIZES[] = {10, 14, 16, 18, 20, 22, 24, 27};
  const Timer timer;
  puts("type,log2_count,fan_out,runs,with_ms,with_ms_least,with_ms_most,without_ms,without_ms_least,without_ms_most,ratio");
  for (const uint32_t fan_out : {0u, CDP_FAN_OUT_CLASSIC})
    for (const int size : SIZES) {
      compare<uint32_t>(timer, CDP_U32, size, fan_out);
      compare<uint64_t>(timer, CDP_U64, size, fan_out);
    }
  return EXIT_SUCCESS;
}
