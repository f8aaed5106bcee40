/* SPDX-License-Identifier: MIT */
/*
 * hooks_cost: what the hooks of study.h cost a sort that does not use them. Three contenders sort the same keys in turns:
 *
 *     library   cdp_quicksort_async(), as the library is built, with study.h
 *     without   the same kernels, compiled into this program without the hooks
 *     with      the same with them: what an ordinary sort would cost if the kernels were compiled once
 *
 * Medians of RUNS runs of each, with the least and the greatest, and the ratios to `without`. Not a test: it is made by
 * `cmake --build build --target hooks_cost` and run by hand; docs/notes/hooks.md has the figures.
 *
 * CSV on stdout. Exit code 1 if a call fails or keys come out unsorted.
 */
#include "variants.h"

extern "C" {
#include "options.h"
}
#include "tuning.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
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

/* A sort as the library is asked for it, and as it plans it. */
struct Wanted {
  cdp_options options = CDP_OPTIONS_INIT;
  cdp_plan plan = {};
};

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

int launch_library(const Wanted &wanted, cudaStream_t stream) {
  const cdp_plan &plan = wanted.plan;
  const cdp_status status =
      cdp_quicksort_async(plan.d_keys, plan.count, plan.type, &wanted.options, plan.d_workspace, plan.workspace_bytes, stream);
  if (status != CDP_OK)
    fprintf(stderr, "hooks_cost: %s\n", cdp_last_message());
  return status == CDP_OK ? cudaSuccess : cudaErrorUnknown;
}

struct Contender {
  const char *name;
  int (*launch)(const Wanted &wanted, cudaStream_t stream);
};

constexpr Contender CONTENDERS[] = {
    {"library", launch_library},
    {"without", [](const Wanted &wanted, cudaStream_t stream) { return launch_without_hooks(wanted.plan, stream); }},
    {"with", [](const Wanted &wanted, cudaStream_t stream) { return launch_with_hooks(wanted.plan, stream); }},
};
constexpr int CONTENDERS_COUNT = sizeof CONTENDERS / sizeof *CONTENDERS;
constexpr int WITHOUT = 1;

/* Holds the stream up, so that what the host does to launch is over when the device begins. */
void CUDART_CB wait_for_host(void *) {
  std::this_thread::sleep_for(std::chrono::microseconds(200));
}

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
  float time(const Contender &contender, const Wanted &wanted, const Room<Key> &room) const {
    float milliseconds = 0;
    CHECK(cudaMemcpyAsync(room.d_keys, room.d_given, room.count * sizeof(Key), cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaLaunchHostFunc(stream, wait_for_host, nullptr));
    CHECK(cudaEventRecord(begin, stream));
    CHECK(static_cast<cudaError_t>(contender.launch(wanted, stream)));
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    return milliseconds;
  }
};

/* The plan of a sort as the library makes it. */
Wanted plan_of(cdp_type type, size_t count, uint32_t fan_out) {
  Wanted wanted;
  cdp_settings settings;
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  cdp_device_facts facts = {};
  facts.device_kind =
      static_cast<uint32_t>(cdp::device_kind_of(static_cast<uint32_t>(properties.major * 100 + properties.minor * 10)));
  facts.multiprocessors = static_cast<uint32_t>(properties.multiProcessorCount);
  facts.pending_limit = [](int) {
    size_t limit = 0;
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
    return static_cast<uint32_t>(limit);
  };
  facts.launches_from_device = true;
  wanted.options.fan_out = fan_out;
  if (cdp_options_resolve(&wanted.options, type, &settings) != CDP_OK ||
      cdp_engine_plan(&settings, type, count, &facts, false, &wanted.plan) != CDP_OK) {
    fprintf(stderr, "hooks_cost: %s\n", cdp_last_message());
    exit(EXIT_FAILURE);
  }
  return wanted;
}

/* A row: medians, spreads, ratios. */
void print_row(cdp_type type, int log2_count, uint32_t fan_out, std::vector<float> (&times)[CONTENDERS_COUNT]) {
  for (std::vector<float> &each : times)
    std::sort(each.begin(), each.end());
  printf("%s,%d,%s,%d", type == CDP_U32 ? "u32" : "u64", log2_count, fan_out == CDP_FAN_OUT_CLASSIC ? "classic" : "default",
         RUNS);
  for (const std::vector<float> &each : times)
    printf(",%.5f,%.5f,%.5f", static_cast<double>(each[RUNS / 2]), static_cast<double>(each.front()),
           static_cast<double>(each.back()));
  for (int contender = 0; contender < CONTENDERS_COUNT; contender++)
    if (contender != WITHOUT)
      printf(",%.4f", static_cast<double>(times[contender][RUNS / 2] / times[WITHOUT][RUNS / 2]));
  putchar('\n');
}

template <typename Key>
void compare(const Timer &timer, cdp_type type, int log2_count, uint32_t fan_out) {
  const size_t count = size_t{1} << log2_count;
  Wanted wanted = plan_of(type, count, fan_out);
  const Room<Key> room(count, wanted.plan.workspace_bytes);
  std::vector<float> times[CONTENDERS_COUNT];
  wanted.plan.d_keys = room.d_keys;
  wanted.plan.d_workspace = room.d_workspace;
  for (int run = 0; run < WARM_UPS + RUNS; run++)
    for (int turn = 0; turn < CONTENDERS_COUNT; turn++) {
      const int contender = (run + turn) % CONTENDERS_COUNT; // none is always the first
      const float milliseconds = timer.time(CONTENDERS[contender], wanted, room);
      if (run >= WARM_UPS)
        times[contender].push_back(milliseconds);
      if (run == 0)
        room.must_be_sorted();
    }
  print_row(type, log2_count, fan_out, times);
}

} // namespace

int main() {
  constexpr int SIZES[] = {10, 14, 16, 18, 20, 22, 24, 27};
  const Timer timer;
  printf("type,log2_count,fan_out,runs");
  for (const Contender &contender : CONTENDERS)
    printf(",%s_ms,%s_ms_least,%s_ms_most", contender.name, contender.name, contender.name);
  puts(",library_ratio,with_ratio");
  for (const uint32_t fan_out : {0u, CDP_FAN_OUT_CLASSIC})
    for (const int size : SIZES) {
      compare<uint32_t>(timer, CDP_U32, size, fan_out);
      compare<uint64_t>(timer, CDP_U64, size, fan_out);
    }
  return EXIT_SUCCESS;
}
