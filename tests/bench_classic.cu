/* SPDX-License-Identifier: MIT */
/*
 * The classic recursion (fan-out 2) against CUB's merge sort and radix sort, keys on the device, in one run.
 *
 * A JSON object a line. Times are between two events around the sort alone: the keys are copied back to their unsorted state
 * before the first one. The host loop, which has no asynchronous call, is timed by its study, between the same two points.
 * Every result is judged; a wrong one ends the run with exit code 1. So does a classic recursion slower than it must be.
 *
 * CDPSORT_TEST_QUICK=1: small sizes, and no word on speed. CDPSORT_TEST_SEED: seed of the keys (1).
 */
#include "device_data.cuh"

#include <cdpsort/study.h>

#include <cub/cub.cuh>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using device_data::Distribution;

constexpr int EXIT_SKIP = 77;
constexpr int WARM_UPS = 3;
constexpr int RUNS = 15;
constexpr double LEAST_SPEED = 0.6; /* of DeviceMergeSort, for the largest array of u32 */

bool is_set(const char *variable) {
  const char *value = getenv(variable);
  return value != nullptr && value[0] != '\0' && std::string(value) != "0";
}

uint64_t key_seed() {
  const char *value = getenv("CDPSORT_TEST_SEED");
  return value != nullptr && value[0] != '\0' ? strtoull(value, nullptr, 0) : 1;
}

void require(cudaError_t error, const char *call) {
  if (error == cudaSuccess)
    return;
  fprintf(stderr, "%s: CUDA error %d, %s\n", call, static_cast<int>(error), cudaGetErrorString(error));
  exit(EXIT_FAILURE);
}
#define CUDA(call) require((call), #call)

void require(cdp_status status, const char *call) {
  if (status == CDP_OK)
    return;
  fprintf(stderr, "%s: %s, \"%s\"\n", call, cdp_status_name(status), cdp_last_message());
  exit(EXIT_FAILURE);
}
#define SORT(call) require((call), #call)

struct Less {
  template <typename Key>
  __device__ bool operator()(const Key &left, const Key &right) const {
    return left < right;
  }
};

/* The keys, as they were made and as they are being sorted, and all that a sorter may need. */
template <typename Key>
struct Bench {
  uint64_t count;
  cdp_type type;
  Key *d_unsorted;
  Key *d_keys;
  void *d_workspace; /* of the library, or temporary storage of CUB and its second buffer */
  size_t workspace_bytes;
  cudaStream_t stream;
  cudaEvent_t begin;
  cudaEvent_t end;
  device_data::Oracle oracle;

  Bench(uint64_t keys_count, cdp_type key_type) : count(keys_count), type(key_type), workspace_bytes(0) {
    CUDA(cudaMalloc(&d_unsorted, count * sizeof(Key)));
    CUDA(cudaMalloc(&d_keys, count * sizeof(Key)));
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    CUDA(device_data::oracle_create(&oracle));
  }

  ~Bench() {
    CUDA(cudaFree(d_unsorted));
    CUDA(cudaFree(d_keys));
    CUDA(cudaFree(oracle.d_before));
    CUDA(cudaEventDestroy(begin));
    CUDA(cudaEventDestroy(end));
    CUDA(cudaStreamDestroy(stream));
  }

  Bench(const Bench &) = delete;
  Bench &operator=(const Bench &) = delete;

  void make_keys(Distribution distribution) {
    const device_data::KeySpan keys = {d_unsorted, count, type};
    CUDA(device_data::generate(keys, distribution, key_seed(), stream));
    CUDA(device_data::oracle_note(oracle, keys, stream));
  }

  /* Ends the program unless these are the keys, sorted. */
  void judge(Key *d_sorted, const char *sorter) {
    device_data::Findings findings;
    CUDA(device_data::oracle_judge(oracle, {d_sorted, count, type}, CDP_ASCENDING, stream));
    CUDA(device_data::oracle_read(oracle, &findings, stream));
    if (findings.judgements != 0 && findings.disorders == 0 && findings.wrong_digests == 0)
      return;
    fprintf(stderr, "%s, %" PRIu64 " %s: a wrong result: %llu neighbours out of order, %llu times other keys than before\n",
            sorter, count, device_data::type_name(type), findings.disorders, findings.wrong_digests);
    exit(EXIT_FAILURE);
  }

  /* Times in ms, sorted. `sort(d_sorted)` sorts d_keys, says where the result is, and returns a time of its own, or less than
     0: then the events' counts. */
  template <typename Sorter>
  std::vector<double> measure(const char *name, Sorter sort) {
    std::vector<double> times;
    for (int run = 0; run < WARM_UPS + RUNS; run++) {
      Key *d_sorted = d_keys;
      CUDA(cudaMemcpyAsync(d_keys, d_unsorted, count * sizeof(Key), cudaMemcpyDeviceToDevice, stream));
      CUDA(cudaEventRecord(begin, stream));
      double milliseconds = sort(&d_sorted);
      CUDA(cudaEventRecord(end, stream));
      CUDA(cudaEventSynchronize(end));
      float elapsed = 0;
      CUDA(cudaEventElapsedTime(&elapsed, begin, end));
      if (milliseconds < 0)
        milliseconds = static_cast<double>(elapsed);
      judge(d_sorted, name);
      if (run >= WARM_UPS)
        times.push_back(milliseconds);
    }
    std::sort(times.begin(), times.end());
    return times;
  }

  std::vector<double> measure_async(const char *name, cdp_scheme scheme) {
    cdp_options options = CDP_OPTIONS_INIT;
    options.scheme = scheme;
    options.fan_out = 2;
    SORT(cdp_quicksort_workspace(count, type, &options, &workspace_bytes));
    CUDA(cudaMalloc(&d_workspace, workspace_bytes));
    const std::vector<double> times = measure(name, [&](Key **) {
      SORT(cdp_quicksort_async(d_keys, count, type, &options, d_workspace, workspace_bytes, stream));
      return -1.0;
    });
    CUDA(cudaFree(d_workspace));
    return times;
  }

  std::vector<double> measure_host_loop(const char *name) {
    cdp_options options = CDP_OPTIONS_INIT;
    options.scheme = CDP_SCHEME_HOST_LOOP;
    options.fan_out = 2;
    return measure(name, [&](Key **) {
      cdp_study study;
      SORT(cdp_study_quicksort(d_keys, count, type, &options, &study));
      return study.milliseconds;
    });
  }

  std::vector<double> measure_merge(const char *name) {
    const int items = static_cast<int>(count); // 32 bits, which CUB is faster with
    CUDA(cub::DeviceMergeSort::SortKeys(nullptr, workspace_bytes, d_keys, items, Less{}, stream));
    CUDA(cudaMalloc(&d_workspace, workspace_bytes));
    const std::vector<double> times = measure(name, [&](Key **) {
      CUDA(cub::DeviceMergeSort::SortKeys(d_workspace, workspace_bytes, d_keys, items, Less{}, stream));
      return -1.0;
    });
    CUDA(cudaFree(d_workspace));
    return times;
  }

  std::vector<double> measure_radix(const char *name) {
    Key *d_other = nullptr;
    CUDA(cudaMalloc(&d_other, count * sizeof(Key)));
    cub::DoubleBuffer<Key> buffers(d_keys, d_other);
    constexpr int KEY_BITS = 8 * sizeof(Key);
    const int items = static_cast<int>(count);
    CUDA(cub::DeviceRadixSort::SortKeys(nullptr, workspace_bytes, buffers, items, 0, KEY_BITS, stream));
    CUDA(cudaMalloc(&d_workspace, workspace_bytes));
    const std::vector<double> times = measure(name, [&](Key **d_sorted) {
      cub::DoubleBuffer<Key> sorted(d_keys, d_other);
      CUDA(cub::DeviceRadixSort::SortKeys(d_workspace, workspace_bytes, sorted, items, 0, KEY_BITS, stream));
      *d_sorted = sorted.Current();
      return -1.0;
    });
    CUDA(cudaFree(d_workspace));
    CUDA(cudaFree(d_other));
    return times;
  }
};

double median(const std::vector<double> &times) {
  return times[times.size() / 2];
}

void print_line(const char *benchmark, const char *sorter, const char *distribution, cdp_type type, uint64_t count,
                const std::vector<double> &times, const char *ratio_name, double ratio) {
  const double middle = median(times);
  printf("{\"benchmark\": \"%s\", \"sorter\": \"%s\", \"distribution\": \"%s\", \"type\": \"%s\", \"count\": %" PRIu64
         ", \"runs\": %d, \"median_ms\": %.4f, \"min_ms\": %.4f, \"max_ms\": %.4f, \"spread_percent\": %.1f, "
         "\"gkeys_per_s\": %.3f, \"%s\": %.3f}\n",
         benchmark, sorter, distribution, device_data::type_name(type), count, RUNS, middle, times.front(), times.back(),
         100 * (times.back() - times.front()) / middle, static_cast<double>(count) / middle / 1e6, ratio_name, ratio);
  fflush(stdout);
}

/* All sorters with random keys. Returns how fast our default is, merge sort being 1. */
template <typename Key>
double compare(cdp_type type, uint64_t count) {
  Bench<Key> bench(count, type);
  bench.make_keys(Distribution::random);
  struct Line {
    const char *sorter;
    std::vector<double> times;
  };
  const char *merge_name = "cub::DeviceMergeSort";
  const char *radix_name = "cub::DeviceRadixSort DoubleBuffer";
  const std::vector<Line> lines = {
      {merge_name, bench.measure_merge(merge_name)},
      {radix_name, bench.measure_radix(radix_name)},
      {"cdpsort last block", bench.measure_async("cdpsort last block", CDP_SCHEME_LAST_BLOCK)},
      {"cdpsort controller", bench.measure_async("cdpsort controller", CDP_SCHEME_CONTROLLER)},
      {"cdpsort host loop", bench.measure_host_loop("cdpsort host loop")},
  };
  const double merge = median(lines[0].times);
  for (const Line &line : lines)
    print_line("classic", line.sorter, "random", type, count, line.times, "ratio_to_merge", merge / median(line.times));
  return merge / median(lines[2].times);
}

/* Our default with every distribution; the first of them is random. */
void compare_distributions(uint64_t count) {
  Bench<uint32_t> bench(count, CDP_U32);
  double random = 0;
  for (uint32_t index = 0; index < device_data::DISTRIBUTIONS; index++) {
    const Distribution distribution = static_cast<Distribution>(index);
    bench.make_keys(distribution);
    const std::vector<double> times = bench.measure_async("cdpsort last block", CDP_SCHEME_LAST_BLOCK);
    if (distribution == Distribution::random)
      random = median(times);
    print_line("distributions", "cdpsort last block", device_data::distribution_name(distribution), CDP_U32, count, times,
               "ratio_to_random", random / median(times));
  }
}

} // namespace

int main() {
  unsetenv("CDPSORT_DEVICE");
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess || devices == 0) {
    fprintf(stderr, "no GPU can be used: %s\n", error == cudaSuccess ? "there is none" : cudaGetErrorString(error));
    return is_set("CDPSORT_TEST_REQUIRE_GPU") ? EXIT_FAILURE : EXIT_SKIP;
  }
  if (is_set("CDPSORT_TEST_QUICK")) {
    compare<uint32_t>(CDP_U32, 1 << 16);
    compare<uint64_t>(CDP_U64, 1 << 16);
    compare_distributions(1 << 16);
    return EXIT_SUCCESS;
  }
  compare<uint32_t>(CDP_U32, 1 << 20);
  compare<uint32_t>(CDP_U32, 1 << 24);
  compare<uint64_t>(CDP_U64, 1 << 27);
  compare_distributions(1 << 24);
  const double speed = compare<uint32_t>(CDP_U32, 1 << 27);
  const bool passed = speed >= LEAST_SPEED;
  printf("{\"check\": \"classic at least %.1f of DeviceMergeSort\", \"speed\": %.3f, \"passed\": %s}\n", LEAST_SPEED, speed,
         passed ? "true" : "false");
  return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
