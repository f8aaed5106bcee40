/* SPDX-License-Identifier: MIT */
/* The ways to sort keys of the host: see ways.h. */
#include "ways.h"

#include <cdpsort/study.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

extern "C" {
#include "chosen_device.h"
#include "host_work.h"
}

namespace transfer {

namespace {

/* Calls `work`, and returns the milliseconds that it took. */
template <typename Doing>
double time_of(Doing work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

void require(cdp_status status) {
  if (status != CDP_OK)
    throw Failure(exit_code(status), library_message());
}

/* Sorts both parts of keys that are partitioned, each on a thread of its own: then all are in order. */
void sort_parts(const MemoryPlace &place, const given_keys &given, const cdp_parts &parts) {
  const uint64_t greater = parts.less_items + parts.equal_items;
  char *const keys = static_cast<char *>(place.keys());
  std::thread other(
      [&] { sort_on_host(keys + greater * type_bytes(given.type), given.count - greater, given.type, given.order); });
  sort_on_host(keys, parts.less_items, given.type, given.order);
  other.join();
}

void sort_on_gpu(const MemoryPlace &place, const Work &work, Times *times) {
  times->to_device = time_of([&] { place.bring_to_device(); });
  require(
      cdp_time_quicksort(place.d_keys(), static_cast<size_t>(work.given.count), work.given.type, &work.options, &times->sort));
  times->to_host = time_of([&] { place.bring_to_host(); });
}

void partition_on_gpu(const MemoryPlace &place, const Work &work, cdp_partition_kind kind, cdp_parts *parts, Times *times) {
  times->to_device = time_of([&] { place.bring_to_device(); });
  require(cdp_partition(place.d_keys(), static_cast<size_t>(work.given.count), work.given.type, &work.options, work.pivot, kind,
                        parts));
  times->partition = parts->milliseconds;
  times->to_host = time_of([&] { place.bring_to_host(); });
  times->sort = times->partition + time_of([&] { sort_parts(place, work.given, *parts); });
}

void do_all_on_cpu(const MemoryPlace &place, const Work &work, cdp_parts *parts, Times *times) {
  const given_keys &given = work.given;
  times->partition =
      time_of([&] { *parts = partition_on_host(place.keys(), given.count, given.type, given.order, work.pivot); });
  times->sort = times->partition + time_of([&] { sort_parts(place, work.given, *parts); });
}

void check_sorted(const MemoryPlace &place, const Work &work) {
  const given_keys &given = work.given;
  if (!is_sorted_from(given.keys, place.keys(), given.count, given.type, given.order))
    throw Failure(EXIT_DATA,
                  "check FAILED: the keys are out of order, or not those that were given (order, sum, exclusive-or)");
}

} // namespace

const char *mode_name(Mode mode) {
  static const char *const names[] = {"gpu", "gpu-partition-cpu-sort", "cpu"};
  return names[static_cast<int>(mode)];
}

Times sort_one_way(const MemoryPlace &place, const Work &work, Mode mode, cdp_partition_kind kind, cdp_parts *parts) {
  Times times = {};
  cdp_parts found = {};
  std::memcpy(place.keys(), work.given.keys, bytes_of(work));
  times.total = time_of([&] {
    if (mode == Mode::gpu)
      sort_on_gpu(place, work, &times);
    else if (mode == Mode::gpu_partition_cpu_sort)
      partition_on_gpu(place, work, kind, &found, &times);
    else
      do_all_on_cpu(place, work, &found, &times);
  });
  check_sorted(place, work);
  if (parts != nullptr)
    *parts = found;
  return times;
}

Times median_of_runs(const MemoryPlace &place, const Work &work, Mode mode, uint32_t runs) {
  std::vector<Times> all;
  sort_one_way(place, work, mode);
  for (uint32_t run = 0; run < runs; run++)
    all.push_back(sort_one_way(place, work, mode));
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end(), [](const Times &a, const Times &b) { return a.total < b.total; });
  return *middle;
}

} // namespace transfer
