/* SPDX-License-Identifier: MIT */
/*
 * The peers of the CUDA toolkit: CUB's radix sort, of pairs too, and merge sort, and Thrust's sort. One file for each key type,
 * generated from cuda_peers.in, instantiates them, so that they compile side by side.
 */
#ifndef CDPSORT_SAMPLES_BENCH_CUDA_PEERS_CUH
#define CDPSORT_SAMPLES_BENCH_CUDA_PEERS_CUH

#include "sorter.h"

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>

#include <new>
#include <type_traits>

namespace bench {

/* Not thrust::less: for that Thrust would take the radix sort. */
struct Less {
  template <typename Key>
  __host__ __device__ bool operator()(const Key &left, const Key &right) const {
    return left < right;
  }
};

/* Calls `function` with the number of keys in 32 bits where that is enough. */
template <typename Function>
void with_count(uint64_t count, Function function) {
  if (count <= UINT32_MAX)
    function(static_cast<uint32_t>(count));
  else
    function(count);
}

/* ---- Radix sort, DoubleBuffer: the workspace is the second buffer, and behind it what CUB wants ------------------------- */

template <typename Key>
void run_radix(void *d_temporary, size_t &temporary_bytes, cub::DoubleBuffer<Key> &buffers, uint64_t count,
               cudaStream_t stream) {
  constexpr int KEY_BITS = 8 * sizeof(Key);
  // A count of 64 bits makes CUB choose other tiles, which are faster: 2.74 ms for 3.18, with 2^27 keys of 32 bits on an H200.
  REQUIRE(cub::DeviceRadixSort::SortKeys(d_temporary, temporary_bytes, buffers, count, 0, KEY_BITS, stream));
}

template <typename Key>
size_t radix_workspace_bytes(const KeySpan &keys) {
  size_t temporary_bytes = 0;
  cub::DoubleBuffer<Key> buffers;
  run_radix(nullptr, temporary_bytes, buffers, keys.count, nullptr);
  return aligned(keys.count * sizeof(Key)) + temporary_bytes;
}

template <typename Key>
Sorted radix_sort(const Workplace &place) {
  const size_t second_bytes = aligned(place.keys.count * sizeof(Key));
  cub::DoubleBuffer<Key> buffers(static_cast<Key *>(place.keys.d_keys), static_cast<Key *>(place.d_workspace));
  size_t temporary_bytes = place.workspace_bytes - second_bytes;
  run_radix(static_cast<char *>(place.d_workspace) + second_bytes, temporary_bytes, buffers, place.keys.count, place.stream);
  return {buffers.Current(), BY_EVENTS};
}

/* ---- The same with values: a second buffer for the keys, one for the values, and what CUB wants -------------------------- */

template <typename Key, typename Value>
void run_pairs(void *d_temporary, size_t &temporary_bytes, cub::DoubleBuffer<Key> &keys, cub::DoubleBuffer<Value> &values,
               uint64_t count, cudaStream_t stream) {
  constexpr int KEY_BITS = 8 * sizeof(Key);
  REQUIRE(cub::DeviceRadixSort::SortPairs(d_temporary, temporary_bytes, keys, values, count, 0, KEY_BITS, stream));
}

template <typename Key, typename Value>
size_t pairs_workspace_bytes(const KeySpan &keys) {
  size_t temporary_bytes = 0;
  cub::DoubleBuffer<Key> key_buffers;
  cub::DoubleBuffer<Value> value_buffers;
  run_pairs(nullptr, temporary_bytes, key_buffers, value_buffers, keys.count, nullptr);
  return aligned(keys.count * sizeof(Key)) + aligned(keys.count * sizeof(Value)) + temporary_bytes;
}

template <typename Key, typename Value>
Sorted pairs_sort(const Workplace &place) {
  char *d_second_values = static_cast<char *>(place.d_workspace) + aligned(place.keys.count * sizeof(Key));
  char *d_temporary = d_second_values + aligned(place.keys.count * sizeof(Value));
  size_t temporary_bytes = place.workspace_bytes - static_cast<size_t>(d_temporary - static_cast<char *>(place.d_workspace));
  cub::DoubleBuffer<Key> keys(static_cast<Key *>(place.keys.d_keys), static_cast<Key *>(place.d_workspace));
  cub::DoubleBuffer<Value> values(static_cast<Value *>(place.d_values), reinterpret_cast<Value *>(d_second_values));
  run_pairs(d_temporary, temporary_bytes, keys, values, place.keys.count, place.stream);
  return {keys.Current(), BY_EVENTS, values.Current()};
}

/* ---- What PyTorch's sort() launches -------------------------------------------------------------------------------------- */

/* Writes 0, 1, 2, ... */
inline __global__ void number_kernel(uint64_t *indices, uint64_t count) {
  const uint64_t step = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t index = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; index < count; index += step)
    indices[index] = index;
}

/* From input to output; the workspace has the sorted keys, the indices before, and what CUB wants. */
template <typename Key>
void run_numbered(void *d_temporary, size_t &temporary_bytes, const Workplace &place, Key *d_sorted,
                  const uint64_t *d_numbers) {
  constexpr int KEY_BITS = 8 * sizeof(Key);
  with_count(place.keys.count, [&](auto items) {
    REQUIRE(cub::DeviceRadixSort::SortPairs(d_temporary, temporary_bytes, static_cast<const Key *>(place.keys.d_keys), d_sorted,
                                            d_numbers, static_cast<uint64_t *>(place.d_values), items, 0, KEY_BITS,
                                            place.stream));
  });
}

template <typename Key>
size_t numbered_workspace_bytes(const KeySpan &keys) {
  size_t temporary_bytes = 0;
  run_numbered<Key>(nullptr, temporary_bytes, Workplace{keys, nullptr, nullptr, 0, nullptr}, nullptr, nullptr);
  return array_bytes(keys, sizeof(Key)) + array_bytes(keys, sizeof(uint64_t)) + temporary_bytes;
}

template <typename Key>
Sorted numbered_sort(const Workplace &place) {
  constexpr uint32_t THREADS = 512;
  Key *d_sorted = static_cast<Key *>(place.d_workspace);
  char *d_numbers = static_cast<char *>(place.d_workspace) + array_bytes(place.keys, sizeof(Key));
  char *d_temporary = d_numbers + array_bytes(place.keys, sizeof(uint64_t));
  size_t temporary_bytes = place.workspace_bytes - static_cast<size_t>(d_temporary - static_cast<char *>(place.d_workspace));
  uint64_t *numbers = reinterpret_cast<uint64_t *>(d_numbers);
  const uint64_t blocks = (place.keys.count + THREADS - 1) / THREADS;
  number_kernel<<<static_cast<uint32_t>(blocks < 65536 ? blocks : 65536), THREADS, 0, place.stream>>>(numbers,
                                                                                                      place.keys.count);
  REQUIRE(cudaGetLastError());
  run_numbered(d_temporary, temporary_bytes, place, d_sorted, numbers);
  return {d_sorted, BY_EVENTS};
}

/* ---- Merge sort --------------------------------------------------------------------------------------------------------- */

template <typename Key>
void run_merge(void *d_temporary, size_t &temporary_bytes, const KeySpan &keys, cudaStream_t stream) {
  with_count(keys.count, [&](auto items) {
    REQUIRE(
        cub::DeviceMergeSort::SortKeys(d_temporary, temporary_bytes, static_cast<Key *>(keys.d_keys), items, Less{}, stream));
  });
}

template <typename Key>
size_t merge_workspace_bytes(const KeySpan &keys) {
  size_t bytes = 0;
  run_merge<Key>(nullptr, bytes, keys, nullptr);
  return bytes;
}

template <typename Key>
Sorted merge_sort(const Workplace &place) {
  size_t bytes = place.workspace_bytes;
  run_merge<Key>(place.d_workspace, bytes, place.keys, place.stream);
  return {place.keys.d_keys, BY_EVENTS};
}

/* ---- Thrust ------------------------------------------------------------------------------------------------------------- */

/* Thrust allocates while it sorts. Here it gets the workspace, so that no allocation is timed. */
class WorkspaceAllocator {
public:
  using value_type = char;

  WorkspaceAllocator(void *d_memory, size_t bytes) : next_(static_cast<char *>(d_memory)), free_bytes_(bytes) {}

  char *allocate(std::ptrdiff_t bytes) {
    const size_t wanted = static_cast<size_t>(bytes);
    if (wanted > free_bytes_)
      throw std::bad_alloc();
    char *d_memory = next_;
    const size_t taken = aligned(wanted) < free_bytes_ ? aligned(wanted) : free_bytes_;
    next_ += taken;
    free_bytes_ -= taken;
    return d_memory;
  }

  void deallocate(char *, size_t) {}

private:
  char *next_;
  size_t free_bytes_;
};

template <typename Key>
Sorted thrust_sort(const Workplace &place) {
  WorkspaceAllocator allocator(place.d_workspace, place.workspace_bytes);
  Key *d_keys = static_cast<Key *>(place.keys.d_keys);
  thrust::sort(thrust::cuda::par(allocator).on(place.stream), d_keys, d_keys + place.keys.count, Less{});
  return {d_keys, BY_EVENTS};
}

/* ---- Records, by Thrust ------------------------------------------------------------------------------------------------- */

struct Record {
  uint64_t key;
  uint64_t value;
  uint64_t others[2];
};
static_assert(sizeof(Record) == RECORD_BYTES, "as all sorts have them");

struct RecordLess {
  __host__ __device__ bool operator()(const Record &left, const Record &right) const {
    return left.key < right.key;
  }
};

/* What Thrust takes for it is what CUB's merge sort takes. */
template <typename Item, typename ItemLess>
size_t merge_items_bytes(uint64_t count) {
  size_t bytes = 0;
  with_count(count, [&](auto items) {
    REQUIRE(cub::DeviceMergeSort::SortKeys(nullptr, bytes, static_cast<Item *>(nullptr), items, ItemLess{}));
  });
  return bytes;
}

inline size_t thrust_records_bytes(const KeySpan &keys) {
  return records_bytes(keys.count) + merge_items_bytes<Record, RecordLess>(keys.count);
}

inline void *launch_thrust_records(const Workplace &place) {
  const size_t used = records_bytes(place.keys.count);
  WorkspaceAllocator allocator(static_cast<char *>(place.d_workspace) + used, place.workspace_bytes - used);
  Record *records = static_cast<Record *>(place.d_workspace);
  thrust::sort(thrust::cuda::par(allocator).on(place.stream), records, records + place.keys.count, RecordLess{});
  return records;
}

inline Sorted thrust_records(const Workplace &place) {
  return {place.keys.d_keys, sort_as_records(place, launch_thrust_records)};
}

template <typename Key>
CudaPeers cuda_peers() {
  CudaPeers peers = {radix_workspace_bytes<Key>,
                     radix_sort<Key>,
                     merge_workspace_bytes<Key>,
                     merge_sort<Key>,
                     thrust_sort<Key>,
                     pairs_workspace_bytes<Key, uint32_t>,
                     pairs_sort<Key, uint32_t>,
                     pairs_workspace_bytes<Key, uint64_t>,
                     pairs_sort<Key, uint64_t>,
                     numbered_workspace_bytes<Key>,
                     numbered_sort<Key>,
                     nullptr,
                     nullptr};
  if constexpr (std::is_same_v<Key, uint64_t>) {
    peers.records_workspace_bytes = thrust_records_bytes;
    peers.records_sort = thrust_records;
  }
  return peers;
}

} // namespace bench

#endif
