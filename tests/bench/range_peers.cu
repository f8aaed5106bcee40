/* SPDX-License-Identifier: MIT */
/*
 * See range_peers.h.
 */
#include "range_peers.h"

#include <cub/device/device_select.cuh>
#if __has_include(<cub/device/device_merge.cuh>)
#include <cub/device/device_merge.cuh>
#define BENCH_HAS_CUB_MERGE 1
#else
#define BENCH_HAS_CUB_MERGE 0
#endif

namespace bench {

bool has_cub_merge() {
  return BENCH_HAS_CUB_MERGE != 0;
}

#if BENCH_HAS_CUB_MERGE

namespace {

struct LessKey {
  template <typename Key>
  __host__ __device__ bool operator()(const Key &left, const Key &right) const {
    return left < right;
  }
};

} // namespace

void cub_merge_halves(const KeySpan &keys, void *d_merged, void *d_temporary, size_t &temporary_bytes, cudaStream_t stream) {
  with_key_type(keys.type, [&](auto key) {
    using Key = decltype(key);
    const Key *first = static_cast<const Key *>(keys.d_keys);
    const int64_t middle = static_cast<int64_t>(keys.count / 2);
    const int64_t rest = static_cast<int64_t>(keys.count) - middle;
    REQUIRE(cub::DeviceMerge::MergeKeys(d_temporary, temporary_bytes, first, middle, first + middle, rest,
                                        static_cast<Key *>(d_merged), LessKey{}, stream));
  });
}

#else

void cub_merge_halves(const KeySpan &, void *, void *, size_t &, cudaStream_t) {
  throw Failure("CUB has no such call before CUDA 12.8");
}

#endif

template <typename Bits>
static void unique_bits(const KeySpan &keys, void *d_unique_keys, uint64_t *d_unique_count, void *d_temporary,
                        size_t &temporary_bytes, cudaStream_t stream) {
  REQUIRE(cub::DeviceSelect::Unique(d_temporary, temporary_bytes, static_cast<const Bits *>(keys.d_keys),
                                    static_cast<Bits *>(d_unique_keys), d_unique_count, static_cast<int64_t>(keys.count),
                                    stream));
}

void cub_unique(const KeySpan &keys, void *d_unique_keys, uint64_t *d_unique_count, void *d_temporary, size_t &temporary_bytes,
                cudaStream_t stream) {
  const size_t key_bytes = device_data::key_bytes(keys.type);
  const auto unique = key_bytes == 1   ? unique_bits<uint8_t>
                      : key_bytes == 2 ? unique_bits<uint16_t>
                      : key_bytes == 4 ? unique_bits<uint32_t>
                                       : unique_bits<uint64_t>;
  unique(keys, d_unique_keys, d_unique_count, d_temporary, temporary_bytes, stream);
}

} // namespace bench
