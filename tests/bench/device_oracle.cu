/* SPDX-License-Identifier: MIT */
/*
 * Keys judged on the device: device_data.cuh says how. Digests, order, guards; and a stream kept busy.
 */
#include "device_rank.cuh"

#include <type_traits>

namespace device_data {

namespace {

constexpr unsigned long long HOLD_NS_MOST = 5'000'000'000ull;

/* The digest of a part of the keys, one a lane, becomes the warp's and is added to the whole. All lanes take part. */
__device__ void add_digest(Digest part, Digest *digest) {
  for (uint32_t distance = 16; distance != 0; distance /= 2) {
    part.sum += __shfl_xor_sync(~0u, part.sum, distance);
    part.exclusive_or ^= __shfl_xor_sync(~0u, part.exclusive_or, distance);
    part.hash_sum += __shfl_xor_sync(~0u, part.hash_sum, distance);
    part.hash_exclusive_or ^= __shfl_xor_sync(~0u, part.hash_exclusive_or, distance);
  }
  if (threadIdx.x % 32 != 0)
    return;
  atomicAdd(&digest->sum, part.sum);
  atomicXor(&digest->exclusive_or, part.exclusive_or);
  atomicAdd(&digest->hash_sum, part.hash_sum);
  atomicXor(&digest->hash_exclusive_or, part.hash_exclusive_or);
}

template <typename Bits>
__global__ void digest_kernel(const Bits *keys, uint64_t count, Digest *digest) {
  Digest part = {0, 0, 0, 0};
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t index = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; index < count; index += stride) {
    const uint64_t key = keys[index];
    part.sum += key;
    part.exclusive_or ^= key;
    part.hash_sum += mix(key + 0x9E3779B97F4A7C15u);
    part.hash_exclusive_or ^= mix(key ^ 0xA0761D6478BD642Fu);
  }
  add_digest(part, digest);
}

__device__ void add_disorder(uint64_t index, Findings *findings) {
  atomicAdd(&findings->disorders, 1ull);
  atomicMin(&findings->first_disorder, static_cast<unsigned long long>(index));
  atomicMin(&findings->first_disordered, findings->judgements);
}

/* What keys are ordered by: their places in the order, */
template <typename Bits>
struct KeyRank {
  Form form;

  __device__ Bits operator()(Bits key) const {
    return rank_of<Bits>(key, form);
  }
};

/* or the buckets that they belong in: how many splitters are not behind them. */
template <typename Bits>
struct BucketRank {
  const Bits *splitters;
  uint32_t splitter_count;
  Form form;
  bool descending;

  __device__ uint32_t operator()(Bits key) const {
    const Bits rank = rank_of<Bits>(key, form);
    uint32_t low = 0;
    uint32_t high = splitter_count;
    while (low < high) {
      const uint32_t middle = (low + high) / 2;
      const Bits splitter = rank_of<Bits>(splitters[middle], form);
      if (descending ? splitter < rank : splitter > rank)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }
};

template <typename Bits, typename Rank>
__global__ void order_kernel(const Bits *keys, uint64_t count, Rank rank, bool descending, Findings *findings) {
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t index = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; index + 1 < count; index += stride) {
    const auto here = rank(keys[index]);
    const auto next = rank(keys[index + 1]);
    if (descending ? here < next : here > next)
      add_disorder(index, findings);
  }
}

template <typename Index>
__global__ void number_kernel(Index *indices, uint64_t count) {
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t index = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; index < count; index += stride)
    indices[index] = static_cast<Index>(index);
}

/* What all indices are judged by. */
struct Expected {
  uint64_t count;
  bool descending;
  bool keys_stay;
  bool is_stable;
};

template <typename Bits, typename Index, typename Rank>
__global__ void indices_kernel(const Bits *keys, const Bits *before, const Index *indices, Expected expected, Rank rank_of_key,
                               Findings *findings) {
  unsigned long long hashes = 0;
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t index = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; index < expected.count; index += stride) {
    const uint64_t here = indices[index];
    const uint64_t next = index + 1 < expected.count ? uint64_t{indices[index + 1]} : expected.count;
    hashes += mix(here) - mix(index);
    if (here >= expected.count || keys[expected.keys_stay ? here : index] != before[here])
      atomicAdd(&findings->strays, 1ull);
    if (here >= expected.count || next >= expected.count)
      continue;
    const auto rank = rank_of_key(before[here]);
    const auto next_rank = rank_of_key(before[next]);
    if (expected.descending ? rank < next_rank : rank > next_rank)
      add_disorder(index, findings);
    if (expected.is_stable && rank == next_rank && here >= next)
      atomicAdd(&findings->overtakings, 1ull);
  }
  atomicAdd(&findings->index_hashes, hashes);
}

/* Where each bucket begins, the keys before are of lower buckets, and those from there on are not. */
template <typename Bits>
__global__ void begins_kernel(const Bits *keys, uint64_t count, BucketRank<Bits> rank, const uint64_t *begins,
                              Findings *findings) {
  const uint32_t bucket = blockIdx.x * blockDim.x + threadIdx.x;
  if (bucket > rank.splitter_count + 1)
    return;
  const uint64_t begin = begins[bucket];
  const bool is_end = bucket == rank.splitter_count + 1;
  if (begin > count || (is_end && begin != count) || (begin > 0 && rank(keys[begin - 1]) >= bucket) ||
      (begin < count && rank(keys[begin]) < bucket))
    add_disorder(begin, findings);
}

/* Compares both digests and ends a judgement. One thread. */
__global__ void compare_kernel(const Digest *before, const Digest *after, Findings *findings) {
  const bool same = before->sum == after->sum && before->exclusive_or == after->exclusive_or &&
                    before->hash_sum == after->hash_sum && before->hash_exclusive_or == after->hash_exclusive_or;
  if (!same && findings->wrong_digests++ == 0)
    findings->first_wrong_digest = findings->judgements;
  findings->judgements++;
}

__device__ unsigned char pattern_at(size_t index) {
  return static_cast<unsigned char>(0xA5u + 29u * static_cast<uint32_t>(index));
}

__global__ void guard_fill_kernel(unsigned char *guard, size_t bytes) {
  for (size_t index = threadIdx.x; index < bytes; index += blockDim.x)
    guard[index] = pattern_at(index);
}

__global__ void guard_check_kernel(const unsigned char *guard, size_t bytes, Findings *findings) {
  for (size_t index = threadIdx.x; index < bytes; index += blockDim.x)
    if (guard[index] != pattern_at(index)) {
      atomicAdd(&findings->damaged_guard_bytes, 1ull);
      atomicMin(&findings->first_damaged_guards, findings->judgements - 1);
    }
}

__global__ void hold_kernel(volatile uint32_t *flag) {
  unsigned long long begin;
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    __nanosleep(1000);
  } while (flag[0] == 0 && now - begin < HOLD_NS_MOST);
  if (flag[0] == 0)
    flag[1] = 1;
}

} // namespace

/* One allocation holds all three; its beginning is d_before. */
cudaError_t oracle_create(Oracle *oracle) {
  struct Records {
    Digest before;
    Digest after;
    Findings findings;
  };
  Records *d_records = nullptr;
  const cudaError_t error = cudaMalloc(reinterpret_cast<void **>(&d_records), sizeof(Records));
  if (error != cudaSuccess)
    return error;
  *oracle = {&d_records->before, &d_records->after, &d_records->findings};
  const Records records = {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, NONE, NONE, 0, NONE, 0, NONE, 0, 0, 0}};
  const cudaError_t copied = cudaMemcpy(d_records, &records, sizeof records, cudaMemcpyHostToDevice);
  return copied != cudaSuccess ? copied : cudaDeviceSynchronize(); // a copy may return before it arrives on the device
}

static cudaError_t take_digest(const KeySpan &keys, Digest *d_digest, cudaStream_t stream) {
  const cudaError_t error = cudaMemsetAsync(d_digest, 0, sizeof *d_digest, stream);
  if (error != cudaSuccess)
    return error;
  with_bits(keys, [&](const auto *d_keys) {
    digest_kernel<<<blocks_for(keys.count), BLOCK_THREADS, 0, stream>>>(d_keys, keys.count, d_digest);
  });
  return cudaGetLastError();
}

cudaError_t oracle_note(const Oracle &oracle, const KeySpan &keys, cudaStream_t stream) {
  return take_digest(keys, oracle.d_before, stream);
}

/* Digests the keys, has `launch` look at their order, and ends the judgement. */
template <typename Launch>
static cudaError_t judge(const Oracle &oracle, const KeySpan &keys, cudaStream_t stream, Launch launch) {
  cudaError_t error = take_digest(keys, oracle.d_after, stream);
  if (error != cudaSuccess)
    return error;
  with_bits(keys, launch);
  error = cudaGetLastError();
  if (error != cudaSuccess)
    return error;
  compare_kernel<<<1, 1, 0, stream>>>(oracle.d_before, oracle.d_after, oracle.d_findings);
  return cudaGetLastError();
}

/* A key, by a pointer to some. */
template <typename Pointer>
using Key = std::remove_cv_t<std::remove_pointer_t<Pointer>>;

cudaError_t oracle_judge(const Oracle &oracle, const KeySpan &keys, cdp_order order, cudaStream_t stream) {
  return judge(oracle, keys, stream, [&](const auto *d_keys) {
    const KeyRank<Key<decltype(d_keys)>> rank = {form_of(keys.type)};
    order_kernel<<<blocks_for(keys.count), BLOCK_THREADS, 0, stream>>>(d_keys, keys.count, rank, order == CDP_DESCENDING,
                                                                       oracle.d_findings);
  });
}

/* Calls `use` with the indices as unsigned numbers of their size. */
template <typename Use>
static void with_indices(const Indexed &indexed, Use use) {
  if (indexed.index_bytes == sizeof(uint32_t))
    use(static_cast<uint32_t *>(indexed.d_indices));
  else
    use(static_cast<uint64_t *>(indexed.d_indices));
}

cudaError_t number(const Indexed &indexed, uint64_t count, cudaStream_t stream) {
  with_indices(indexed,
               [&](auto *d_indices) { number_kernel<<<blocks_for(count), BLOCK_THREADS, 0, stream>>>(d_indices, count); });
  return cudaGetLastError();
}

cudaError_t oracle_judge_indices(const Oracle &oracle, const KeySpan &keys, cdp_order order, const Indexed &indexed,
                                 cudaStream_t stream) {
  const Expected expected = {keys.count, order == CDP_DESCENDING, indexed.keys_stay, indexed.is_stable};
  return judge(oracle, keys, stream, [&](const auto *d_keys) {
    const KeyRank<Key<decltype(d_keys)>> rank = {form_of(keys.type)};
    const auto *d_before = static_cast<decltype(d_keys)>(indexed.d_before);
    with_indices(indexed, [&](const auto *d_indices) {
      indices_kernel<<<blocks_for(keys.count), BLOCK_THREADS, 0, stream>>>(d_keys, d_before, d_indices, expected, rank,
                                                                           oracle.d_findings);
    });
  });
}

cudaError_t oracle_judge_buckets(const Oracle &oracle, const KeySpan &keys, cdp_order order, const Buckets &buckets,
                                 const Indexed &indexed, cudaStream_t stream) {
  const Expected expected = {keys.count, false, indexed.keys_stay, indexed.is_stable}; // buckets rise, whatever the order
  return judge(oracle, keys, stream, [&](const auto *d_keys) {
    const auto *d_splitters = static_cast<decltype(d_keys)>(buckets.d_splitters);
    const BucketRank<Key<decltype(d_keys)>> rank = {d_splitters, buckets.splitter_count, form_of(keys.type),
                                                    order == CDP_DESCENDING};
    begins_kernel<<<blocks_for(buckets.splitter_count + 2), BLOCK_THREADS, 0, stream>>>(d_keys, keys.count, rank,
                                                                                        buckets.d_begins, oracle.d_findings);
    if (indexed.d_indices == nullptr) {
      order_kernel<<<blocks_for(keys.count), BLOCK_THREADS, 0, stream>>>(d_keys, keys.count, rank, false, oracle.d_findings);
      return;
    }
    const auto *d_before = static_cast<decltype(d_keys)>(indexed.d_before);
    with_indices(indexed, [&](const auto *d_indices) {
      indices_kernel<<<blocks_for(keys.count), BLOCK_THREADS, 0, stream>>>(d_keys, d_before, d_indices, expected, rank,
                                                                           oracle.d_findings);
    });
  });
}

cudaError_t oracle_read(const Oracle &oracle, Findings *findings, cudaStream_t stream) {
  const cudaError_t error = cudaMemcpyAsync(findings, oracle.d_findings, sizeof *findings, cudaMemcpyDeviceToHost, stream);
  return error != cudaSuccess ? error : cudaStreamSynchronize(stream);
}

cudaError_t guard_fill(void *d_guard, size_t bytes, cudaStream_t stream) {
  guard_fill_kernel<<<1, BLOCK_THREADS, 0, stream>>>(static_cast<unsigned char *>(d_guard), bytes);
  return cudaGetLastError();
}

cudaError_t guard_check(const Oracle &oracle, const void *d_guard, size_t bytes, cudaStream_t stream) {
  guard_check_kernel<<<1, BLOCK_THREADS, 0, stream>>>(static_cast<const unsigned char *>(d_guard), bytes, oracle.d_findings);
  return cudaGetLastError();
}

cudaError_t hold_stream(uint32_t *flag, cudaStream_t stream) {
  hold_kernel<<<1, 1, 0, stream>>>(flag);
  return cudaGetLastError();
}

} // namespace device_data
