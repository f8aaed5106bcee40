/* SPDX-License-Identifier: MIT */
/*
 * The peers on the host: std::sort, and the same on all processors. Keys come from the device and go back there outside the
 * clock, so that the times are those of sorting alone, as everybody else's are.
 */
#include "sorter.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <type_traits>

namespace bench {

namespace {

/* `<`, which older toolkits have for floating-point numbers of 16 bits on the device alone. */
struct LessOnHost {
  template <typename Key>
  bool operator()(const Key &left, const Key &right) const {
    if constexpr (std::is_class_v<Key>)
      return static_cast<float>(left) < static_cast<float>(right);
    else
      return left < right;
  }
};

/* Calls function(0) ... function(calls - 1), each on a thread of its own. */
template <typename Function>
void side_by_side(size_t calls, Function function) {
  std::vector<std::thread> threads;
  for (size_t call = 1; call < calls; call++)
    threads.emplace_back(function, call);
  function(size_t{0});
  for (std::thread &thread : threads)
    thread.join();
}

/*
 * As many chunks as there are processors are sorted side by side. Then neighbours are merged in rounds, from `keys` to `other`
 * and back; each round has half as many chunks, twice as long, and half as many threads at work.
 */
template <typename Key>
void sort_together(std::vector<Key> &keys, std::vector<Key> &other) {
  const size_t chunks = std::max(1u, std::thread::hardware_concurrency());
  const auto boundary = [&](size_t chunk) {
    return static_cast<std::ptrdiff_t>(keys.size() / chunks * std::min(chunk, chunks) +
                                       keys.size() % chunks * std::min(chunk, chunks) / chunks);
  };
  side_by_side(chunks, [&](size_t chunk) {
    std::sort(keys.begin() + boundary(chunk), keys.begin() + boundary(chunk + 1), LessOnHost{});
  });
  for (size_t width = 1; width < chunks; width *= 2) {
    const size_t pairs = (chunks + 2 * width - 1) / (2 * width);
    side_by_side(pairs, [&](size_t pair) {
      const std::ptrdiff_t begin = boundary(2 * pair * width);
      const std::ptrdiff_t middle = boundary((2 * pair + 1) * width);
      const std::ptrdiff_t end = boundary((2 * pair + 2) * width);
      std::merge(keys.begin() + begin, keys.begin() + middle, keys.begin() + middle, keys.begin() + end, other.begin() + begin,
                 LessOnHost{});
    });
    keys.swap(other);
  }
}

/* Brings the keys to the host, has them sorted there, and brings them back. */
template <typename Key>
Sorted sort_type(const Workplace &place, bool together) {
  const size_t bytes = place.keys.count * sizeof(Key);
  std::vector<Key> keys(place.keys.count);
  std::vector<Key> other(together ? place.keys.count : 0);
  REQUIRE(cudaMemcpyAsync(keys.data(), place.keys.d_keys, bytes, cudaMemcpyDeviceToHost, place.stream));
  REQUIRE(cudaStreamSynchronize(place.stream));
  const auto begin = std::chrono::steady_clock::now();
  if (together)
    sort_together(keys, other);
  else
    std::sort(keys.begin(), keys.end(), LessOnHost{});
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begin;
  REQUIRE(cudaMemcpyAsync(place.keys.d_keys, keys.data(), bytes, cudaMemcpyHostToDevice, place.stream));
  REQUIRE(cudaStreamSynchronize(place.stream));
  return {place.keys.d_keys, elapsed.count()};
}

Sorted sort_any(const Workplace &place, bool together) {
  return with_key_type(place.keys.type, [&](auto key) { return sort_type<decltype(key)>(place, together); });
}

} // namespace

Sorted standard_sort(const Workplace &place) {
  return sort_any(place, false);
}

Sorted parallel_sort(const Workplace &place) {
  return sort_any(place, true);
}

} // namespace bench
