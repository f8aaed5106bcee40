/* SPDX-License-Identifier: MIT */
/*
 * See segment_peers.h.
 */
#include "segment_peers.h"

#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include <climits>

namespace bench {

namespace {

/* Where each segment ends; NULL where only sizes are asked for. */
const uint32_t *ends_of(const SegmentRows &rows) {
  return rows.d_offsets != nullptr ? rows.d_offsets + 1 : nullptr;
}

constexpr unsigned JUDGE_THREADS = 256;
constexpr unsigned JUDGE_BLOCKS = 1024;

__device__ uint64_t mixed(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

/* The segment that a key is in: the last one that begins there or before, of which all but the last are empty. */
__device__ uint32_t segment_of(uint64_t index, const SegmentRows &rows) {
  uint32_t low = 0;
  uint32_t high = rows.count;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (rows.d_offsets[middle] <= index)
      low = middle;
    else
      high = middle;
  }
  return low;
}

template <typename Key>
__global__ void judge_kernel(const Key *keys, uint64_t count, SegmentRows rows, SegmentVerdict *verdict) {
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
  SegmentVerdict own = {0, 0};
  for (uint64_t index = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; index < count; index += stride) {
    const uint32_t segment = segment_of(index, rows);
    uint64_t bits = 0;
    memcpy(&bits, &keys[index], sizeof(Key));
    own.sum += mixed(mixed(bits + 1) + segment);
    if (index > rows.d_offsets[segment] && keys[index] < keys[index - 1])
      own.in_disorder++;
  }
  atomicAdd(&verdict->sum, own.sum);
  atomicAdd(&verdict->in_disorder, own.in_disorder);
}

void require_int(const KeySpan &keys) {
  if (keys.count > INT_MAX)
    throw Failure("CUB takes no more than 2^31 - 1 keys");
}

template <typename Key>
cub::DoubleBuffer<Key> key_buffers(const SegmentBuffers &buffers) {
  return {static_cast<Key *>(buffers.d_keys), static_cast<Key *>(buffers.d_second_keys)};
}

} // namespace

void cub_sort_segments(const KeySpan &keys, SegmentBuffers *buffers, const SegmentRows &rows, void *d_temporary,
                       size_t &temporary_bytes, cudaStream_t stream) {
  require_int(keys);
  with_key_type(keys.type, [&](auto key) {
    auto both = key_buffers<decltype(key)>(*buffers);
    REQUIRE(cub::DeviceSegmentedSort::SortKeys(d_temporary, temporary_bytes, both, static_cast<int>(keys.count),
                                               static_cast<int>(rows.count), rows.d_offsets, ends_of(rows), stream));
    buffers->d_keys = both.Current();
  });
}

void cub_radix_sort_segments(const KeySpan &keys, SegmentBuffers *buffers, const SegmentRows &rows, void *d_temporary,
                             size_t &temporary_bytes, cudaStream_t stream) {
  require_int(keys);
  with_key_type(keys.type, [&](auto key) {
    constexpr int KEY_BITS = 8 * sizeof key;
    auto both = key_buffers<decltype(key)>(*buffers);
    REQUIRE(cub::DeviceSegmentedRadixSort::SortKeys(d_temporary, temporary_bytes, both, static_cast<int>(keys.count),
                                                    static_cast<int>(rows.count), rows.d_offsets, ends_of(rows), 0, KEY_BITS,
                                                    stream));
    buffers->d_keys = both.Current();
  });
}

void cub_sort_segment_pairs(const KeySpan &keys, SegmentBuffers *buffers, const SegmentRows &rows, void *d_temporary,
                            size_t &temporary_bytes, cudaStream_t stream) {
  require_int(keys);
  with_key_type(keys.type, [&](auto key) {
    auto both = key_buffers<decltype(key)>(*buffers);
    cub::DoubleBuffer<uint32_t> values(static_cast<uint32_t *>(buffers->d_values),
                                       static_cast<uint32_t *>(buffers->d_second_values));
    REQUIRE(cub::DeviceSegmentedSort::SortPairs(d_temporary, temporary_bytes, both, values, static_cast<int>(keys.count),
                                                static_cast<int>(rows.count), rows.d_offsets, ends_of(rows), stream));
    buffers->d_keys = both.Current();
    buffers->d_values = values.Current();
  });
}

SegmentVerdict judge_segments(const KeySpan &keys, const SegmentRows &rows, SegmentVerdict *d_verdict, cudaStream_t stream) {
  SegmentVerdict verdict = {};
  REQUIRE(cudaMemsetAsync(d_verdict, 0, sizeof *d_verdict, stream));
  with_key_type(keys.type, [&](auto key) {
    using Key = decltype(key);
    judge_kernel<<<JUDGE_BLOCKS, JUDGE_THREADS, 0, stream>>>(static_cast<const Key *>(keys.d_keys), keys.count, rows,
                                                             d_verdict);
  });
  REQUIRE(cudaGetLastError());
  REQUIRE(cudaMemcpyAsync(&verdict, d_verdict, sizeof verdict, cudaMemcpyDeviceToHost, stream));
  REQUIRE(cudaStreamSynchronize(stream));
  return verdict;
}

} // namespace bench
