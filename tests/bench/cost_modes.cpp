/* SPDX-License-Identifier: MIT */
/*
 * The cost of a call: what a program waits for, by the host's clock, from the call until the keys are sorted. For each form of the library's
 * call, and for CUB's with temporary memory that is there and with memory that is allocated.
 *
 * 1. The stream is waited for before the clock begins: nothing of the benchmark's own is in the time.
 * 2. "cold": the host has then walked through more memory than its caches hold, as a program does between two sorts.
 * 3. Keys in host memory are brought there, and back to where they are judged, outside the clock.
 */
#include "sorter.h"

#include <cdpsort/pairs.h>

#include <chrono>
#include <vector>

namespace bench {

namespace {

constexpr size_t WALK_BYTES = size_t{64} << 20;

/* Measured only if they are named. */
constexpr uint64_t NEVER_UNASKED = 1;

/* Changes a byte of each cache line. */
void walk_through_memory() {
  static std::vector<unsigned char> memory(WALK_BYTES);
  for (size_t byte = 0; byte < WALK_BYTES; byte += 64)
    memory[byte]++;
}

/* Milliseconds until the stream has done what `call` gives it. */
template <bool COLD, typename Call>
double time_call(cudaStream_t stream, Call call) {
  REQUIRE(cudaStreamSynchronize(stream));
  if constexpr (COLD)
    walk_through_memory();
  const auto begin = std::chrono::steady_clock::now();
  call();
  REQUIRE(cudaStreamSynchronize(stream));
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

size_t sort_bytes(const KeySpan &keys) {
  size_t bytes = 0;
  REQUIRE(cdp_quicksort_workspace(keys.count, keys.type, nullptr, &bytes));
  return bytes;
}

size_t argsort_bytes(const KeySpan &keys) {
  size_t bytes = 0;
  REQUIRE(cdp_argsort_workspace(keys.count, keys.type, nullptr, &bytes));
  return bytes;
}

size_t nothing(const KeySpan &) {
  return 0;
}

/* ---- The library's forms ------------------------------------------------------------------------------------------------ */

void call_async(const Workplace &place) {
  REQUIRE(cdp_quicksort_async(place.keys.d_keys, place.keys.count, place.keys.type, nullptr, place.d_workspace,
                              place.workspace_bytes, place.stream));
}

void call_on_stream(const Workplace &place) {
  REQUIRE(cdp_quicksort_on_stream(place.keys.d_keys, place.keys.count, place.keys.type, nullptr, place.stream));
}

void call_blocking(const Workplace &place) {
  REQUIRE(cdp_quicksort(place.keys.d_keys, place.keys.count, place.keys.type, nullptr));
}

void call_argsort_async(const Workplace &place) {
  REQUIRE(cdp_argsort_async(place.keys.d_keys, nullptr, place.d_values, sizeof(uint32_t), place.keys.count, place.keys.type,
                            nullptr, place.d_workspace, place.workspace_bytes, place.stream));
}

void call_argsort_on_stream(const Workplace &place) {
  REQUIRE(cdp_argsort_on_stream(place.keys.d_keys, nullptr, place.d_values, sizeof(uint32_t), place.keys.count, place.keys.type,
                                nullptr, place.stream));
}

template <void (*CALL)(const Workplace &), bool COLD>
Sorted whole_call(const Workplace &place) {
  return {place.keys.d_keys, time_call<COLD>(place.stream, [&place] { CALL(place); })};
}

/* Until the call returns, and not until it is done. */
template <void (*CALL)(const Workplace &)>
Sorted enqueue(const Workplace &place) {
  REQUIRE(cudaStreamSynchronize(place.stream));
  const auto begin = std::chrono::steady_clock::now();
  CALL(place);
  const auto end = std::chrono::steady_clock::now();
  return {place.keys.d_keys, std::chrono::duration<double, std::milli>(end - begin).count()};
}

/* ---- Host memory -------------------------------------------------------------------------------------------------------- */

/* Pinned or pageable, gone when it is out of sight. */
template <bool PINNED>
class HostKeys {
public:
  explicit HostKeys(size_t bytes) {
    if constexpr (PINNED)
      REQUIRE(cudaMallocHost(&pinned_, bytes));
    else
      pageable_.resize(bytes);
  }
  ~HostKeys() {
    if (pinned_ != nullptr)
      static_cast<void>(cudaFreeHost(pinned_));
  }
  HostKeys(const HostKeys &) = delete;
  HostKeys &operator=(const HostKeys &) = delete;

  void *get() {
    return PINNED ? pinned_ : pageable_.data();
  }

private:
  void *pinned_ = nullptr;
  std::vector<unsigned char> pageable_;
};

/* SORTS: by cdp_quicksort(); otherwise the two copies alone, and a sort outside the clock. */
template <bool PINNED, bool SORTS>
Sorted host_call(const Workplace &place) {
  const KeySpan &keys = place.keys;
  const size_t bytes = keys.count * device_data::key_bytes(keys.type);
  HostKeys<PINNED> host(bytes);
  REQUIRE(cudaStreamSynchronize(place.stream));
  REQUIRE(cudaMemcpy(host.get(), keys.d_keys, bytes, cudaMemcpyDeviceToHost));
  const double milliseconds = time_call<false>(place.stream, [&] {
    if constexpr (SORTS) {
      REQUIRE(cdp_quicksort(host.get(), keys.count, keys.type, nullptr));
    } else {
      REQUIRE(cudaMemcpy(keys.d_keys, host.get(), bytes, cudaMemcpyHostToDevice));
      REQUIRE(cudaMemcpy(host.get(), keys.d_keys, bytes, cudaMemcpyDeviceToHost));
    }
  });
  REQUIRE(cudaMemcpy(keys.d_keys, host.get(), bytes, cudaMemcpyHostToDevice));
  if constexpr (!SORTS)
    call_blocking(place);
  return {keys.d_keys, milliseconds};
}

/* ---- CUB's ------------------------------------------------------------------------------------------------------------- */

template <bool COLD>
Sorted cub_call(const Workplace &place) {
  Sorted sorted = {};
  sorted.milliseconds = time_call<COLD>(place.stream, [&] { sorted.d_keys = cub_radix_sort(place).d_keys; });
  return sorted;
}

/* The keys end where they were: an even number of passes for each type of 4 or 8 bytes, or else a copy in the time. */
template <bool COLD>
Sorted cub_call_allocating(const Workplace &place) {
  const double milliseconds = time_call<COLD>(place.stream, [&] {
    Workplace own = place;
    own.workspace_bytes = cub_radix_bytes(place.keys);
    REQUIRE(cudaMallocAsync(&own.d_workspace, own.workspace_bytes, place.stream));
    const Sorted sorted = cub_radix_sort(own);
    if (sorted.d_keys != place.keys.d_keys)
      REQUIRE(cudaMemcpyAsync(place.keys.d_keys, sorted.d_keys, place.keys.count * device_data::key_bytes(place.keys.type),
                              cudaMemcpyDeviceToDevice, place.stream));
    REQUIRE(cudaFreeAsync(own.d_workspace, place.stream));
  });
  return {place.keys.d_keys, milliseconds};
}

constexpr Moved ARGSORT = {4, true, true, true};

} // namespace

std::vector<Mode> cost_modes() {
  return {
      {"call-async", "cdp_quicksort_async() and the wait for it, in a workspace that is there", true, NEVER_UNASKED, sort_bytes,
       whole_call<call_async, false>},
      {"call-async-cold", "the same after a walk through 64 MB of host memory", true, NEVER_UNASKED, sort_bytes,
       whole_call<call_async, true>},
      {"call-on-stream", "cdp_quicksort_on_stream() and the wait for it", false, NEVER_UNASKED, nothing,
       whole_call<call_on_stream, false>},
      {"call-on-stream-cold", "the same, cold", false, NEVER_UNASKED, nothing, whole_call<call_on_stream, true>},
      {"call-blocking", "cdp_quicksort() of device memory", false, NEVER_UNASKED, nothing, whole_call<call_blocking, false>},
      {"call-blocking-cold", "the same, cold", false, NEVER_UNASKED, nothing, whole_call<call_blocking, true>},
      {"call-cub", "cub::DeviceRadixSort and the wait for it, its temporary memory there", true, NEVER_UNASKED, cub_radix_bytes,
       cub_call<false>},
      {"call-cub-cold", "the same, cold", true, NEVER_UNASKED, cub_radix_bytes, cub_call<true>},
      {"call-cub-malloc", "the same, its memory by cudaMallocAsync()", false, NEVER_UNASKED, nothing,
       cub_call_allocating<false>},
      {"call-cub-malloc-cold", "the same, cold", false, NEVER_UNASKED, nothing, cub_call_allocating<true>},
      {"call-argsort-async", "cdp_argsort_async() and the wait for it, in a workspace that is there", true, NEVER_UNASKED,
       argsort_bytes, whole_call<call_argsort_async, false>, ARGSORT},
      {"call-argsort-on-stream", "cdp_argsort_on_stream() and the wait for it", false, NEVER_UNASKED, nothing,
       whole_call<call_argsort_on_stream, false>, ARGSORT},
      {"call-argsort-enqueue", "cdp_argsort_async() until it returns", true, NEVER_UNASKED, argsort_bytes,
       enqueue<call_argsort_async>, ARGSORT},
      {"call-pageable", "cdp_quicksort() of pageable host memory", false, NEVER_UNASKED, nothing, host_call<false, true>},
      {"call-pageable-copies", "cudaMemcpy() of as much to the device and back", false, NEVER_UNASKED, nothing,
       host_call<false, false>},
      {"call-pinned", "cdp_quicksort() of pinned host memory", false, NEVER_UNASKED, nothing, host_call<true, true>},
      {"call-pinned-copies", "cudaMemcpy() of as much to the device and back", false, NEVER_UNASKED, nothing,
       host_call<true, false>},
  };
}

} // namespace bench
