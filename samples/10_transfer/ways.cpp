/* SPDX-License-Identifier: MIT */
/* The ways to sort keys of the host: see ways.h. */
#include "ways.h"

#include <cdpsort/study.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>

extern "C" {
#include "library_message.h"
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
    throw LibraryFailure(status, library_message());
}

HostKeys host_keys(const MemoryPlace &place, const Work &work) {
  return {place.keys(), work.given.count, work.given.type, work.given.order};
}

void sort_on_gpu(const MemoryPlace &place, const Work &work, Times *times) {
  times->to_device = time_of([&] { place.copy_to_device(); });
  require(
      cdp_time_quicksort(place.d_keys(), static_cast<size_t>(work.given.count), work.given.type, &work.options, &times->sort));
  times->to_host = time_of([&] { place.bring_to_host(); });
}

void partition_on_gpu(const MemoryPlace &place, const Work &work, cdp_partition_kind kind, cdp_parts *parts, Times *times) {
  times->to_device = time_of([&] { place.copy_to_device(); });
  require(cdp_partition(place.d_keys(), static_cast<size_t>(work.given.count), work.given.type, &work.options, work.pivot, kind,
                        parts));
  times->partition = parts->milliseconds;
  times->to_host = time_of([&] { place.bring_to_host(); });
  times->sort = times->partition + time_of([&] { sort_pieces(host_keys(place, work), *parts); });
}

void do_all_on_cpu(const MemoryPlace &place, const Work &work, cdp_parts *parts, Times *times) {
  times->partition = time_of([&] { *parts = partition_on_cpu(host_keys(place, work), work.pivot); });
  times->sort = times->partition + time_of([&] { sort_pieces(host_keys(place, work), *parts); });
}

void check_sorted(const MemoryPlace &place, const Work &work) {
  const given_keys &given = work.given;
  const uint64_t disorder = find_disorder(place.keys(), given.count, given.type, given.order);
  if (disorder < given.count)
    throw WrongResult("key " + std::to_string(disorder) + " is out of order");
  if (!same_fingerprint(work.before, take_fingerprint(place.keys(), given.count, given.type)))
    throw WrongResult("the keys are not those that were given (sum or exclusive-or differ)");
}

} // namespace

const char *mode_name(Mode mode) {
  static const char *const names[] = {"gpu", "gpu-partition-cpu-sort", "cpu"};
  return names[static_cast<int>(mode)];
}

Times sort_one_way(const MemoryPlace &place, const Work &work, Mode mode, cdp_partition_kind kind, cdp_parts *parts) {
  Times times = {};
  cdp_parts found = {};
  std::memcpy(place.keys(), work.given.keys, static_cast<size_t>(work.given.count) * type_bytes(work.given.type));
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
