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
  unsigned long long *counts; /* of each raw value */
  unsigned int *listed;       /* how many values have keys */
  unsigned long long *begins; /* of each of those, and behind them the count */
  uint16_t *values;           /* and those, entered */
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
  counters.clear();
  __syncthreads();
  count_narrow_keys(NarrowArray<uint8_t>(sort.keys, sort.count), blockIdx.x, gridDim.x, counters);
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
  HalfCounting<PART_VALUES> counting = {counters, blockIdx.x % PARTS * PART_VALUES, sort.counts};
  counters.clear();
  __syncthreads();
  count_narrow_keys(NarrowArray<uint16_t>(sort.keys, sort.count), blockIdx.x / PARTS, gridDim.x / PARTS, counting);
  for (uint32_t index = threadIdx.x; index < PART_VALUES; index += NARROW_THREADS) {
    const uint32_t keys = counters.counter(index);
    if (keys != 0)
      atomicAdd(&sort.counts[counting.first_value + index], static_cast<unsigned long long>(keys));
  }
}

template <typename Raw>
__global__ void __launch_bounds__(NARROW_THREADS, 1) count_values_kernel(const __grid_constant__ CountedSort<Raw> sort) {
  count_share(sort);
}

/* ---- Place ------------------------------------------------------------------------------------------------------------- */

struct PlaceStorage {
  unsigned long long keys_totals[2][WARP_LANES];
  uint32_t listed_totals[2][WARP_LANES];
};

/* Values that a block places. */
template <typename Raw>
constexpr uint32_t PLACED_VALUES = std::min(VALUES<Raw>, NARROW_THREADS);

/* Lists the values that have keys. Each block sums up by itself how many of the lower blocks' have any, and how many keys: to wait
   for those would take longer. */
template <typename Raw>
__global__ void __launch_bounds__(NARROW_THREADS, 1) place_values_kernel(const __grid_constant__ CountedSort<Raw> sort) {
  auto &storage = block_shared<PlaceStorage>();
  const uint32_t first = blockIdx.x * PLACED_VALUES<Raw>;
  const uint32_t value = first + threadIdx.x;
  const auto keys_of = [&sort](uint32_t entered) { return sort.counts[sort.map.leave(entered)]; };
  unsigned long long lower_keys = 0;
  uint32_t lower_listed = 0;
  for (uint32_t lower = threadIdx.x; lower < first; lower += NARROW_THREADS) {
    const unsigned long long keys = keys_of(lower);
    lower_keys += keys;
    lower_listed += keys != 0 ? 1 : 0;
  }
  const unsigned long long keys = threadIdx.x < PLACED_VALUES<Raw> ? keys_of(value) : 0;
  unsigned long long all_lower_keys;
  unsigned long long own_keys;
  uint32_t all_lower_listed;
  uint32_t own_listed;
  lower_threads_sum<NARROW_WARPS>(lower_keys, storage.keys_totals[0], all_lower_keys);
  lower_threads_sum<NARROW_WARPS>(lower_listed, storage.listed_totals[0], all_lower_listed);
  const unsigned long long begin = all_lower_keys + lower_threads_sum<NARROW_WARPS>(keys, storage.keys_totals[1], own_keys);
  const uint32_t index =
      all_lower_listed + lower_threads_sum<NARROW_WARPS>(keys != 0 ? 1u : 0u, storage.listed_totals[1], own_listed);
  if (keys != 0) {
    sort.begins[index] = begin;
    sort.values[index] = static_cast<uint16_t>(value);
  }
  if (threadIdx.x != 0 || first + PLACED_VALUES<Raw> != VALUES<Raw>)
    return;
  expect(all_lower_keys + own_keys == sort.count);
  sort.begins[all_lower_listed + own_listed] = sort.count;
  *sort.listed = all_lower_listed + own_listed;
}

/* ---- Write ------------------------------------------------------------------------------------------------------------- */

template <typename Raw>
struct WriteStorage {
  NarrowVector<Raw> marks[NARROW_THREADS];
};

/* The list that place_values_kernel() has made. */
template <typename Raw>
struct PlacedList {
  const CountedSort<Raw> &sort;
  uint32_t listed;

  __device__ __forceinline__ uint32_t count() const {
    return listed;
  }
  __device__ __forceinline__ uint32_t value(uint32_t index) const {
    return sort.values[index];
  }
  __device__ __forceinline__ uint64_t begin(uint32_t index) const {
    return sort.begins[index];
  }
};

template <typename Raw>
__global__ void __launch_bounds__(NARROW_THREADS, resident_writers(DEVICE_KIND))
    write_values_kernel(const __grid_constant__ CountedSort<Raw> sort) {
  auto &storage = block_shared<WriteStorage<Raw>>();
  const uint32_t warp = threadIdx.x / WARP_LANES;
  write_values(NarrowArray<Raw>(sort.keys, sort.count), sort.map, uint64_t{blockIdx.x} * NARROW_WARPS + warp,
               uint64_t{gridDim.x} * NARROW_WARPS, PlacedList<Raw>{sort, *sort.listed}, storage.marks + warp * WARP_LANES);
}

/* ---- One block --------------------------------------------------------------------------------------------------------- */

/* A listed value: it, above where its keys begin. Arrays of one block have less than 2^16 keys. */
__device__ __forceinline__ uint32_t listed_word(uint32_t value, uint32_t begin) {
  return value << 16 | begin;
}

/* How many keys values have, above how many of them have any: summed up as one number. */
__device__ __forceinline__ uint32_t keys_and_listed(uint32_t keys) {
  return keys << 16 | (keys != 0 ? 1 : 0);
}

/* The list that a block has made in its shared memory. */
struct BlockList {
  const uint32_t *words;
  uint32_t listed;
  uint32_t keys;

  __device__ __forceinline__ uint32_t count() const {
    return listed;
  }
  __device__ __forceinline__ uint32_t value(uint32_t index) const {
    return words[index] >> 16;
  }
  __device__ __forceinline__ uint64_t begin(uint32_t index) const {
    return index < listed ? words[index] & 0xFFFF : keys;
  }
};

/* What a block needs that sorts an array by itself: counters, and the list, which takes their place or has its own. */
template <typename Raw, DeviceKind KIND>
struct NarrowBlockOf;
template <typename Raw>
using NarrowBlock = NarrowBlockOf<Raw, DEVICE_KIND>;

template <DeviceKind KIND>
struct NarrowBlockOf<uint8_t, KIND> {
  uint32_t warp_totals[WARP_LANES];
  uint32_t list[VALUES<uint8_t>];
  ByteCounters counters;
  NarrowVector<uint8_t> marks[narrow_row(KIND).threads];

  __device__ __forceinline__ void count(const NarrowArray<uint8_t> &array) {
    count_narrow_keys(array, 0, 1, counters);
  }
  /* Returns the sums of all. All threads take part; begins with a barrier. */
  __device__ __forceinline__ uint32_t make_list(const NarrowMap<uint8_t> &map) {
    const uint32_t keys = threadIdx.x < VALUES<uint8_t> ? static_cast<uint32_t>(counters.sum(map.leave(threadIdx.x))) : 0;
    uint32_t all;
    const uint32_t lower = lower_threads_sum<NARROW_WARPS>(keys_and_listed(keys), warp_totals, all);
    if (keys != 0)
      list[lower & 0xFFFF] = listed_word(threadIdx.x, lower >> 16);
    return all;
  }
  __device__ __forceinline__ const uint32_t *words() const {
    return list;
  }
};

template <DeviceKind KIND>
struct NarrowBlockOf<uint16_t, KIND> {
  static constexpr uint32_t EACH = VALUES<uint16_t> / NARROW_THREADS;

  uint32_t warp_totals[WARP_LANES];
  HalfCounters<VALUES<uint16_t>> counters;
  NarrowVector<uint16_t> marks[narrow_row(KIND).threads];

  __device__ __forceinline__ void count(const NarrowArray<uint16_t> &array) {
    HalfCounting<VALUES<uint16_t>> counting = {counters, 0, nullptr};
    count_narrow_keys(array, 0, 1, counting);
  }
  /* The same. A thread has the counters of its values in registers when the list is written over them. */
  __device__ __forceinline__ uint32_t make_list(const NarrowMap<uint16_t> &map) {
    const uint32_t first = threadIdx.x * EACH;
    uint32_t pairs[EACH / 2];
    uint32_t sum = 0;
#pragma unroll
    for (uint32_t index = 0; index < EACH; index += 2) {
      const uint32_t one = counters.counter(map.leave(first + index));
      const uint32_t other = counters.counter(map.leave(first + index + 1));
      pairs[index / 2] = one << 16 | other;
      sum += keys_and_listed(one) + keys_and_listed(other);
    }
    uint32_t all;
    uint32_t lower = lower_threads_sum<NARROW_WARPS>(sum, warp_totals, all); // behind its barrier all have read
#pragma unroll
    for (uint32_t index = 0; index < EACH; index++) {
      const uint32_t keys = index % 2 == 0 ? pairs[index / 2] >> 16 : pairs[index / 2] & 0xFFFF;
      if (keys != 0)
        counters.words[lower & 0xFFFF] = listed_word(first + index, lower >> 16);
      lower += keys_and_listed(keys);
    }
    return all;
  }
  __device__ __forceinline__ const uint32_t *words() const {
    return counters.words;
  }
};

template <typename Raw>
__global__ void __launch_bounds__(NARROW_THREADS, 1) narrow_block_kernel(const __grid_constant__ CountedSort<Raw> sort) {
  auto &block = block_shared<NarrowBlock<Raw>>();
  const NarrowArray<Raw> array(sort.keys, sort.count);
  block.counters.clear();
  __syncthreads();
  block.count(array);
  const uint32_t all = block.make_list(sort.map);
  expect(all >> 16 == sort.count);
  __syncthreads();
  const uint32_t warp = threadIdx.x / WARP_LANES;
  write_values(array, sort.map, warp, NARROW_WARPS, BlockList{block.words(), all & 0xFFFF, all >> 16},
               block.marks + warp * WARP_LANES);
}

/* ---- Launches ---------------------------------------------------------------------------------------------------------- */

/* The most shared memory of a block that counts keys of a type on a kind of device: by itself, if it ever does, or with others. */
template <typename Raw, DeviceKind KIND>
constexpr uint32_t most_counting_bytes() {
  const size_t alone = narrow_one_block_items(KIND, sizeof(Raw)) != 0 ? sizeof(NarrowBlockOf<Raw, KIND>) : 0;
  return static_cast<uint32_t>(std::max(alone, sizeof(PartCountersOf<Raw, KIND>)));
}
/* Of either size of keys. */
constexpr uint32_t counting_shared_bytes(DeviceKind kind) {
  return for_kind(kind, [](auto constant) {
    constexpr DeviceKind KIND = decltype(constant)::value;
    return std::max(most_counting_bytes<uint8_t, KIND>(), most_counting_bytes<uint16_t, KIND>());
  });
}
static_assert(counting_shared_bytes(DeviceKind::small) <= 96 * 1024, "what 7.0 lets a block have, as in mapped_shape.cuh");
static_assert(counting_shared_bytes(DeviceKind::medium) <= 163 * 1024, "what 8.0 lets a block have");
static_assert(counting_shared_bytes(DeviceKind::large) <= 227 * 1024, "what 9.0 lets a block have");

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
  static_assert(sizeof(PlaceStorage) <= 48 * 1024 && ROW.threads * VECTOR_BYTES <= 48 * 1024,
                "what every block may have, so that launch_counted() does not ask for it");
  constexpr uint64_t BATCH = uint64_t{NARROW_BATCH_VECTORS} * ROW.threads * (VECTOR_BYTES / sizeof(Raw));
  constexpr uint64_t SHARE = sizeof(Raw) == 1 ? BATCH : std::max(BATCH, MIN_NARROW_SHARE);
  const uint64_t shares = std::min<uint64_t>(plan.count / SHARE + 1, std::max(plan.multiprocessors / PARTS, 1u));
  const uint64_t rows = plan.count * sizeof(Raw) / (ROW.threads * VECTOR_BYTES) + 1;
  const uint64_t writers = std::min<uint64_t>(rows, uint64_t{plan.multiprocessors} * resident_writers(KIND));
  const uint32_t placed = std::min(VALUES<Raw>, ROW.threads);
  return {{static_cast<uint32_t>(shares) * PARTS, ROW.threads, static_cast<uint32_t>(sizeof(PartCountersOf<Raw, KIND>))},
          {VALUES<Raw> / placed, ROW.threads, static_cast<uint32_t>(sizeof(PlaceStorage))},
          {static_cast<uint32_t>(writers), ROW.threads, ROW.threads * VECTOR_BYTES},
          {1, ROW.threads, static_cast<uint32_t>(sizeof(NarrowBlockOf<Raw, KIND>))}};
}

/* Launches a sort of narrow keys as its plan says. Returns a cudaError_t. */
template <typename Raw>
int launch_counted(const cdp_plan &plan, void *stream) {
  const CountedParts parts = counted_parts(sizeof(Raw));
  unsigned char *workspace = static_cast<unsigned char *>(plan.d_workspace);
  const CountedSort<Raw> sort = {static_cast<Raw *>(plan.d_keys),
                                 plan.count,
                                 narrow_map<Raw>(plan.type, plan.order),
                                 reinterpret_cast<unsigned long long *>(workspace + parts.counts),
                                 reinterpret_cast<unsigned int *>(workspace + parts.listed),
                                 reinterpret_cast<unsigned long long *>(workspace + parts.begins),
                                 reinterpret_cast<uint16_t *>(workspace + parts.values)};
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
    error = zero_memory(sort.counts, parts.listed - parts.counts, stream);
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
