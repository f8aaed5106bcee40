/* SPDX-License-Identifier: MIT */
/*
 * See row_peers.h.
 */
#include "row_peers.h"

#include "cuda_peers.cuh"
#include "device_rank.cuh"

#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

namespace bench {

namespace {

using device_data::BLOCK_THREADS;
using device_data::blocks_for;
using device_data::mix;

/* ---- Rows of keys ------------------------------------------------------------------------------------------------------- */

constexpr uint32_t EXPONENT = 0x7F800000u;
constexpr uint32_t UPPER_EXPONENT = 0x40000000u;
constexpr uint32_t NEGATIVE_ZERO = 0x80000000u;

__device__ NumberRow row_of(uint64_t key) {
  uint32_t bits = static_cast<uint32_t>(key);
  if ((bits & EXPONENT) == EXPONENT)
    bits &= ~UPPER_EXPONENT;
  if (bits == NEGATIVE_ZERO)
    bits = 0;
  return {static_cast<int32_t>(static_cast<int64_t>(key) >> 48), __uint_as_float(bits)};
}

__global__ void make_rows_kernel(const uint64_t *keys, uint64_t count, NumberRow *rows) {
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t index = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; index < count; index += stride)
    rows[index] = row_of(keys[index]);
}

__global__ void make_columns_kernel(const uint64_t *keys, uint64_t count, RowColumns columns) {
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t index = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; index < count; index += stride) {
    const NumberRow row = row_of(keys[index]);
    columns.d_first[index] = row.first;
    columns.d_second[index] = row.second;
  }
}

/* ---- Their order -------------------------------------------------------------------------------------------------------- */

struct RowLess {
  __host__ __device__ bool operator()(const NumberRow &left, const NumberRow &right) const {
    return left.first != right.first ? left.first < right.first : left.second > right.second;
  }
};

struct TupleLess {
  using Tuple = thrust::tuple<int32_t, float>;

  __host__ __device__ bool operator()(const Tuple &left, const Tuple &right) const {
    return RowLess{}({thrust::get<0>(left), thrust::get<1>(left)}, {thrust::get<0>(right), thrust::get<1>(right)});
  }
};

__global__ void judge_rows_kernel(const NumberRow *rows, uint64_t count, RowVerdict *verdict) {
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
  RowVerdict own = {0, 0};
  for (uint64_t index = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; index < count; index += stride) {
    const NumberRow row = rows[index];
    own.sum += mix((uint64_t{static_cast<uint32_t>(row.first)} << 32 | __float_as_uint(row.second)) + 1);
    if (index != 0 && RowLess{}(row, rows[index - 1]))
      own.in_disorder++;
  }
  atomicAdd(&verdict->sum, own.sum);
  atomicAdd(&verdict->in_disorder, own.in_disorder);
}

/* Whether the rows at two indices are in a stable order. */
__device__ bool in_order(const uint64_t *keys, uint64_t count, uint32_t before, uint32_t behind) {
  if (before >= count || behind >= count)
    return false;
  const NumberRow first = row_of(keys[before]);
  const NumberRow second = row_of(keys[behind]);
  return RowLess{}(first, second) || (!RowLess{}(second, first) && before < behind);
}

__global__ void judge_order_kernel(const uint64_t *keys, uint64_t count, const uint32_t *order, RowVerdict *verdict) {
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
  RowVerdict own = {0, 0};
  for (uint64_t index = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; index < count; index += stride) {
    own.sum += mix(uint64_t{order[index]} + 1) - mix(index + 1);
    if (index != 0 && !in_order(keys, count, order[index - 1], order[index]))
      own.in_disorder++;
  }
  atomicAdd(&verdict->sum, own.sum);
  atomicAdd(&verdict->in_disorder, own.in_disorder);
}

template <typename Launch>
RowVerdict judge(RowVerdict *d_verdict, cudaStream_t stream, Launch launch) {
  RowVerdict verdict = {};
  REQUIRE(cudaMemsetAsync(d_verdict, 0, sizeof *d_verdict, stream));
  launch();
  REQUIRE(cudaGetLastError());
  REQUIRE(cudaMemcpyAsync(&verdict, d_verdict, sizeof verdict, cudaMemcpyDeviceToHost, stream));
  REQUIRE(cudaStreamSynchronize(stream));
  return verdict;
}

/* ---- Thrust ------------------------------------------------------------------------------------------------------------- */

auto zipped(const RowColumns &columns) {
  return thrust::make_zip_iterator(thrust::make_tuple(columns.d_first, columns.d_second));
}

} // namespace

void make_rows(const KeySpan &keys, NumberRow *d_rows, cudaStream_t stream) {
  make_rows_kernel<<<blocks_for(keys.count), BLOCK_THREADS, 0, stream>>>(static_cast<const uint64_t *>(keys.d_keys), keys.count,
                                                                         d_rows);
  REQUIRE(cudaGetLastError());
}

void make_columns(const KeySpan &keys, const RowColumns &columns, cudaStream_t stream) {
  make_columns_kernel<<<blocks_for(keys.count), BLOCK_THREADS, 0, stream>>>(static_cast<const uint64_t *>(keys.d_keys),
                                                                            keys.count, columns);
  REQUIRE(cudaGetLastError());
}

RowVerdict judge_rows(const NumberRow *d_rows, uint64_t count, RowVerdict *d_verdict, cudaStream_t stream) {
  return judge(d_verdict, stream,
               [&] { judge_rows_kernel<<<blocks_for(count), BLOCK_THREADS, 0, stream>>>(d_rows, count, d_verdict); });
}

RowVerdict judge_order(const KeySpan &keys, const uint32_t *d_order, RowVerdict *d_verdict, cudaStream_t stream) {
  const uint64_t *d_keys = static_cast<const uint64_t *>(keys.d_keys);
  return judge(d_verdict, stream, [&] {
    judge_order_kernel<<<blocks_for(keys.count), BLOCK_THREADS, 0, stream>>>(d_keys, keys.count, d_order, d_verdict);
  });
}

size_t thrust_rows_bytes(uint64_t count) {
  return merge_items_bytes<NumberRow, RowLess>(count);
}

void thrust_sort_rows(NumberRow *d_rows, uint64_t count, void *d_temporary, size_t temporary_bytes, cudaStream_t stream) {
  WorkspaceAllocator allocator(d_temporary, temporary_bytes);
  thrust::sort(thrust::cuda::par(allocator).on(stream), d_rows, d_rows + count, RowLess{});
}

size_t thrust_order_bytes(uint64_t count) {
  size_t bytes = 0;
  with_count(count, [&](auto items) {
    REQUIRE(cub::DeviceMergeSort::StableSortPairs(nullptr, bytes, zipped({nullptr, nullptr}), static_cast<uint32_t *>(nullptr),
                                                  items, TupleLess{}));
  });
  return bytes;
}

void thrust_sort_order(const RowColumns &columns, uint32_t *d_order, uint64_t count, void *d_temporary, size_t temporary_bytes,
                       cudaStream_t stream) {
  WorkspaceAllocator allocator(d_temporary, temporary_bytes);
  REQUIRE(device_data::number({d_order, sizeof *d_order, nullptr, false, true}, count, stream));
  thrust::stable_sort_by_key(thrust::cuda::par(allocator).on(stream), zipped(columns),
                             zipped(columns) + static_cast<int64_t>(count), d_order, TupleLess{});
}

} // namespace bench
