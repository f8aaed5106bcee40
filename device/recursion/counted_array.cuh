/* SPDX-License-Identifier: MIT */
/*
 * Arrays of 8-bit and 16-bit keys: no recursion, but a count (block/value_counts.cuh). One read of all keys and one write, by grids
 * that the host launches, each behind the one before:
 *
 *     counts are zeroed ──▶ count: each block a share ──▶ place: where does each value begin? ──▶ write: each warp a share
 *
 * or, if the array is short, by one block, which does the same in its shared memory. Keys do not change before the last grid begins.
 *
 * 16-bit keys have more values than a small block has counters for. There each share is counted by several blocks, of which each
 * counts the values of one part, and reads from the L2 cache what the first has read.
 */
#ifndef CDPSORT_DEVICE_RECURSION_COUNTED_ARRAY_CUH
#define CDPSORT_DEVICE_RECURSION_COUNTED_ARRAY_CUH

#include "block/value_counts.cuh"
#include "recursion/counted_workspace.h"
#include "recursion/start.h"

#include <algorithm>
#include <type_traits>

namespace cdp::CDP_RUNTIME {

/* A sort, as its kernels are given it. */
template <typename Raw>
struct CountedSort {
  Raw *keys;
  uint64_t count;
  NarrowMap<Raw> map;
  unsigned long long *counts; /* of each entered value */
  unsigned long long *begins; /* of each, and behind them the count */
};

/* ---- Count ------------------------------------------------------------------------------------------------------------- */

/* Parts of the values, for blocks of a kind of device. */
constexpr uint32_t narrow_parts(DeviceKind kind, uint32_t key_bytes) {
  return key_bytes == 1 ? 1 : narrow_row(kind).parts;
}

template <typename Raw>
constexpr uint32_t NARROW_PARTS = narrow_parts(DEVICE_KIND, sizeof(Raw));

template <typename Raw, DeviceKind KIND>
using PartCountersOf =
    std::conditional_t<sizeof(Raw) == 1, ByteCounters, HalfCounters<VALUES<Raw> / narrow_parts(KIND, sizeof(Raw))>>;

__device__ __forceinline__ void count_share(const CountedSort<uint8_t> &sort) {
  auto &counters = block_shared<PartCountersOf<uint8_t, DEVICE_KIND>>();
  const NarrowArray<uint8_t> array(sort.keys, sort.count);
  counters.clear();
  __syncthreads();
  each_narrow_key(
      array, sort.map, blockIdx.x, gridDim.x, [&counters](uint32_t value, bool is_present) { counters.add(value, is_present); },
      [] {});
  __syncthreads();
  if (threadIdx.x >= VALUES<uint8_t>)
    return;
  const uint64_t keys = counters.sum(threadIdx.x);
  if (keys != 0)
    atomicAdd(&sort.counts[threadIdx.x], static_cast<unsigned long long>(keys));
}

__device__ __forceinline__ void count_share(const CountedSort<uint16_t> &sort) {
  constexpr uint32_t PARTS = NARROW_PARTS<uint16_t>;
  constexpr uint32_t PART_VALUES = VALUES<uint16_t> / PARTS;
  auto &counters = block_shared<PartCountersOf<uint16_t, DEVICE_KIND>>();
  const NarrowArray<uint16_t> array(sort.keys, sort.count);
  const uint32_t first_value = blockIdx.x % PARTS * PART_VALUES;
  unsigned long long *counts = sort.counts + first_value;
  counters.clear();
  __syncthreads();
  each_narrow_key(
      array, sort.map, blockIdx.x / PARTS, gridDim.x / PARTS,
      [&counters, first_value, counts](uint32_t value, bool is_present) {
        const uint32_t mine = value - first_value;
        counters.add_lanes(mine, is_present && mine < PART_VALUES, counts);
      },
      [] { __syncthreads(); });
  __syncthreads();
  for (uint32_t value = threadIdx.x; value < PART_VALUES; value += NARROW_THREADS) {
    const uint32_t keys = counters.counter(value);
    if (keys != 0)
      atomicAdd(&counts[value], static_cast<unsigned long long>(keys));
  }
}

template <typename Raw>
__global__ void __launch_bounds__(NARROW_THREADS, 1) count_values_kernel(const __grid_constant__ CountedSort<Raw> sort) {
  count_share(sort);
}

/* ---- Place ------------------------------------------------------------------------------------------------------------- */

struct PlaceStorage {
  unsigned long long warp_totals[WARP_LANES];
  unsigned long long lower_totals[WARP_LANES];
};

/* Values that a block places. */
template <typename Raw>
constexpr uint32_t PLACED_VALUES = std::min(VALUES<Raw>, NARROW_THREADS);

/* Each block sums up by itself how many keys the lower blocks' values have: to wait for those would take longer. */
template <typename Raw>
__global__ void __launch_bounds__(NARROW_THREADS, 1) place_values_kernel(const __grid_constant__ CountedSort<Raw> sort) {
  auto &storage = block_shared<PlaceStorage>();
  const uint32_t first = blockIdx.x * PLACED_VALUES<Raw>;
  const uint32_t value = first + threadIdx.x;
  const bool is_value = threadIdx.x < PLACED_VALUES<Raw>;
  unsigned long long lower = 0;
  for (uint32_t index = threadIdx.x; index < first; index += NARROW_THREADS)
    lower += sort.counts[index];
  const unsigned long long keys = is_value ? sort.counts[value] : 0;
  unsigned long long all_lower;
  unsigned long long all;
  lower_threads_sum<NARROW_WARPS>(lower, storage.lower_totals, all_lower);
  const unsigned long long begin = lower_threads_sum<NARROW_WARPS>(keys, storage.warp_totals, all);
  if (is_value)
    sort.begins[value] = all_lower + begin;
  if (value == VALUES<Raw> - 1)
    sort.begins[VALUES<Raw>] = all_lower + begin + keys;
  expect(value != VALUES<Raw> - 1 || all_lower + begin + keys == sort.count);
}

/* ---- Write ------------------------------------------------------------------------------------------------------------- */

template <typename Raw>
struct WriteStorage {
  NarrowVector<Raw> marks[NARROW_THREADS];
};

template <typename Raw>
__global__ void __launch_bounds__(NARROW_THREADS, RESIDENT_WRITERS)
    write_values_kernel(const __grid_constant__ CountedSort<Raw> sort) {
  auto &storage = block_shared<WriteStorage<Raw>>();
  const NarrowArray<Raw> array(sort.keys, sort.count);
  const uint32_t warp = threadIdx.x / WARP_LANES;
  write_values(
      array, sort.map, uint64_t{blockIdx.x} * NARROW_WARPS + warp, uint64_t{gridDim.x} * NARROW_WARPS,
      [&sort](uint32_t value) { return uint64_t{sort.begins[value]}; }, storage.marks + warp * WARP_LANES);
}

/* ---- One block --------------------------------------------------------------------------------------------------------- */

template <typename Raw>
struct NarrowBlock;

template <>
struct NarrowBlock<uint8_t> {
  uint32_t warp_totals[WARP_LANES];
  uint32_t begins[VALUES<uint8_t> + 1];
  ByteCounters counters;
  NarrowVector<uint8_t> marks[NARROW_THREADS];

  __device__ __forceinline__ uint64_t begin_of(uint32_t value) const {
    return begins[value];
  }
  __device__ __forceinline__ void add(uint32_t value, bool is_present) {
    counters.add(value, is_present);
  }
  /* All threads take part; begins and ends with a barrier. */
  __device__ __forceinline__ void place(uint32_t count) {
    __syncthreads();
    const bool is_value = threadIdx.x < VALUES<uint8_t>;
    uint32_t all;
    const uint32_t keys = is_value ? static_cast<uint32_t>(counters.sum(threadIdx.x)) : 0;
    const uint32_t begin = lower_threads_sum<NARROW_WARPS>(keys, warp_totals, all);
    if (is_value)
      begins[threadIdx.x] = begin;
    if (threadIdx.x == 0)
      begins[VALUES<uint8_t>] = count;
    expect(all == count);
    __syncthreads();
  }
};

/* Where each value begins is put in place of how many keys it has. */
template <>
struct NarrowBlock<uint16_t> {
  static constexpr uint32_t THREAD_WORDS = VALUES<uint16_t> / 2 / NARROW_THREADS;

  uint32_t warp_totals[WARP_LANES];
  uint32_t count;
  HalfCounters<VALUES<uint16_t>> counters;
  NarrowVector<uint16_t> marks[NARROW_THREADS];

  __device__ __forceinline__ uint64_t begin_of(uint32_t value) const {
    return value < VALUES<uint16_t> ? counters.counter(value) : count;
  }
  __device__ __forceinline__ void add(uint32_t value, bool is_present) {
    counters.add_lanes(value, is_present, nullptr);
  }
  __device__ __forceinline__ uint32_t &word(uint32_t index) {
    return counters.words[counters.place_of(threadIdx.x * THREAD_WORDS + index)];
  }
  /* All threads take part; begins and ends with a barrier. */
  __device__ __forceinline__ void place(uint32_t keys) {
    __syncthreads();
    uint32_t sum = 0;
    for (uint32_t index = 0; index < THREAD_WORDS; index++)
      sum += (word(index) & 0xFFFF) + (word(index) >> 16);
    uint32_t all;
    uint32_t begin = lower_threads_sum<NARROW_WARPS>(sum, warp_totals, all);
    expect(all == keys);
    for (uint32_t index = 0; index < THREAD_WORDS; index++) {
      const uint32_t two = word(index);
      const uint32_t second = begin + (two & 0xFFFF);
      word(index) = begin | second << 16;
      begin = second + (two >> 16);
    }
    if (threadIdx.x == 0)
      count = keys;
    __syncthreads();
  }
};

template <typename Raw>
__global__ void __launch_bounds__(NARROW_THREADS, 1) narrow_block_kernel(const __grid_constant__ CountedSort<Raw> sort) {
  auto &block = block_shared<NarrowBlock<Raw>>();
  const NarrowArray<Raw> array(sort.keys, sort.count);
  block.counters.clear();
  __syncthreads();
  each_narrow_key(
      array, sort.map, 0, 1, [&block](uint32_t value, bool is_present) { block.add(value, is_present); }, [] {});
  block.place(static_cast<uint32_t>(sort.count));
  const uint32_t warp = threadIdx.x / WARP_LANES;
  write_values(
      array, sort.map, warp, NARROW_WARPS, [&block](uint32_t value) { return block.begin_of(value); },
      block.marks + warp * WARP_LANES);
}

/* ---- Launches ---------------------------------------------------------------------------------------------------------- */

/* Grids of a kind of device: the host may be compiled for another. */
struct CountedGrids {
  GridShape count;
  GridShape place;
  GridShape write;
  GridShape one_block;
};

template <typename Raw, DeviceKind KIND>
CountedGrids counted_grids_of(const cdp_plan &plan) {
  constexpr NarrowRow ROW = narrow_row(KIND);
  constexpr uint32_t PARTS = narrow_parts(KIND, sizeof(Raw));
  constexpr uint32_t VECTOR_BYTES = 16;
  constexpr uint64_t BATCH = uint64_t{NARROW_BATCH_VECTORS} * ROW.threads * (VECTOR_BYTES / sizeof(Raw));
  constexpr uint64_t SHARE = sizeof(Raw) == 1 ? BATCH : std::max(BATCH, MIN_NARROW_SHARE);
  const uint64_t shares = std::min<uint64_t>(plan.count / SHARE + 1, std::max(plan.multiprocessors / PARTS, 1u));
  const uint64_t rows = plan.count * sizeof(Raw) / (ROW.threads * VECTOR_BYTES) + 1;
  const uint64_t writers = std::min<uint64_t>(rows, uint64_t{plan.multiprocessors} * RESIDENT_WRITERS);
  const uint32_t placed = std::min(VALUES<Raw>, ROW.threads);
  return {{static_cast<uint32_t>(shares) * PARTS, ROW.threads, static_cast<uint32_t>(sizeof(PartCountersOf<Raw, KIND>))},
          {VALUES<Raw> / placed, ROW.threads, static_cast<uint32_t>(sizeof(PlaceStorage))},
          {static_cast<uint32_t>(writers), ROW.threads, ROW.threads * VECTOR_BYTES},
          {1, ROW.threads, static_cast<uint32_t>(sizeof(NarrowBlock<Raw>))}};
}

/* Launches a sort of narrow keys as its plan says. Returns a cudaError_t. */
template <typename Raw>
int launch_counted(const cdp_plan &plan, void *stream) {
  const CountedParts parts = counted_parts(sizeof(Raw));
  unsigned char *workspace = static_cast<unsigned char *>(plan.d_workspace);
  const CountedSort<Raw> sort = {static_cast<Raw *>(plan.d_keys), plan.count, narrow_map<Raw>(plan.type, plan.order),
                                 reinterpret_cast<unsigned long long *>(workspace + parts.counts),
                                 reinterpret_cast<unsigned long long *>(workspace + parts.begins)};
  const CountedGrids grids = for_kind(static_cast<DeviceKind>(plan.device_kind),
                                      [&plan](auto kind) { return counted_grids_of<Raw, decltype(kind)::value>(plan); });
  if (plan.path == CDP_PATH_ONE_BLOCK) {
    static OncePerContext allowance;
    const int error =
        allowance.see_to([&] { return allow_shared_bytes(narrow_block_kernel<Raw>, grids.one_block.shared_bytes); });
    return error != LAUNCH_OK ? error : launch_from_host(grids.one_block, stream, narrow_block_kernel<Raw>, sort);
  }
  static OncePerContext allowance;
  int error = allowance.see_to([&] { return allow_shared_bytes(count_values_kernel<Raw>, grids.count.shared_bytes); });
  if (error == LAUNCH_OK)
    error = zero_memory(sort.counts, parts.begins - parts.counts, stream);
  if (error == LAUNCH_OK)
    error = launch_from_host(grids.count, stream, count_values_kernel<Raw>, sort);
  if (error == LAUNCH_OK)
    error = launch_from_host(grids.place, stream, place_values_kernel<Raw>, sort);
  if (error == LAUNCH_OK)
    error = launch_from_host(grids.write, stream, write_values_kernel<Raw>, sort);
  return error;
}

} // namespace cdp::CDP_RUNTIME

#endif
