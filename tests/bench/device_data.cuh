/* SPDX-License-Identifier: MIT */
/*
 * Keys made and judged on the device: what the benchmarks and the GPU tests share. Nothing here knows how the library sorts,
 * except for one distribution that is made against it.
 *
 * Making: keys of a distribution, from a seed. A distribution is one of ranks, that is of places in the type's order, so that
 * "sorted" is sorted for every type, and floating-point keys include NaNs, infinities, zeros and denormals.
 *
 * Judging: an oracle digests the keys before the sort, and afterwards looks at their order and compares the digests: sums, an
 * exclusive or, and the same of two hashes of each key. A key lost, doubled or changed changes a hash's sum. Order is reckoned
 * by counting which keys come before, on the words of cdpsort.h and not on the library's code. What went along with the keys is
 * judged where it is each key's index before the sort: by it the key is looked up among the keys as they were.
 *
 * Every function is asynchronous on its stream unless it says that it waits.
 */
#ifndef CDPSORT_SAMPLES_BENCH_DEVICE_DATA_CUH
#define CDPSORT_SAMPLES_BENCH_DEVICE_DATA_CUH

#include <cdpsort/cdpsort.h>

#include <cuda_runtime.h>

namespace device_data {

/* Those of Xuan Thang Nguyen's thesis, "Development of parallel sorting algorithms for GPU" (2021, section 5.3.1), some for
   three-way partition and floating point, and some that are like the keys of programs. arguments.cpp says what each is like, for bench --help. */
// clang-format off
enum class Distribution : uint32_t {
  random, sorted, reversed, all_equal, distinct_16384, distinct_256, distinct_2,
  staggered, bucket, gaussian, organ_pipe, almost_sorted, shuffle, extremes,
  zipf, killer, exponential, mixed, shared_upper, shared_lower, words,
  timestamps, k_mers, unit, clusters, wide_clusters, neighbours, sparse_bits,
  letters, digits, log_normal, normal_floats, outlier, runs, small_numbers
};
// clang-format on
constexpr uint32_t DISTRIBUTIONS = 35;

/* "all-equal", and so on. */
const char *distribution_name(Distribution distribution);
const char *type_name(cdp_type type);
uint32_t key_bytes(cdp_type type);

/* Keys in device memory. */
struct KeySpan {
  void *d_keys;
  uint64_t count;
  cdp_type type;
};

/* Which floating-point numbers a distribution's ranks are. */
enum class Values : uint32_t {
  all,     /* NaNs, infinities and both zeros among them: for the library, whose order is total */
  ordinary /* finite, and no -0: for sorters that compare by `<` as well */
};

/* Writes keys of a distribution. */
cudaError_t generate(const KeySpan &keys, Distribution distribution, uint64_t seed, cudaStream_t stream,
                     Values values = Values::all);

/* What keys amount to, whatever their order. */
struct Digest {
  unsigned long long sum;
  unsigned long long exclusive_or;
  unsigned long long hash_sum;
  unsigned long long hash_exclusive_or;
};

constexpr unsigned long long NONE = ~0ull;

/* What an oracle found in all its judgements so far. */
struct Findings {
  unsigned long long judgements;
  unsigned long long disorders;            /* neighbours in the wrong order */
  unsigned long long first_disorder;       /* least index of such a neighbour; NONE if there is none */
  unsigned long long first_disordered;     /* number of the first judgement that found some, from 0 */
  unsigned long long wrong_digests;        /* judgements that found other keys than before */
  unsigned long long first_wrong_digest;   /* number of the first one */
  unsigned long long damaged_guard_bytes;  /* guard_check() */
  unsigned long long first_damaged_guards; /* number of the judgement after which damage was found first */
  unsigned long long strays;               /* indices that are none, or at which another key was: oracle_judge_indices() */
  unsigned long long overtakings;          /* equal neighbours, the later one of which was before the other */
  unsigned long long index_hashes;         /* of the indices, less those of 0, 1, 2 ...: 0 unless one is lost or doubled */
};

/* In device memory. One stream at a time. */
struct Oracle {
  Digest *d_before;
  Digest *d_after;
  Findings *d_findings;
};

/* Waits. */
cudaError_t oracle_create(Oracle *oracle);

/* Remembers the keys as they are now. */
cudaError_t oracle_note(const Oracle &oracle, const KeySpan &keys, cudaStream_t stream);

/* Compares them with those that were remembered, and looks at their order. */
cudaError_t oracle_judge(const Oracle &oracle, const KeySpan &keys, cdp_order order, cudaStream_t stream);

/* What went with keys, or an argsort's result: the index that each key had before. */
struct Indexed {
  void *d_indices;
  uint32_t index_bytes; /* 4 or 8 */
  const void *d_before; /* the keys as they were */
  bool keys_stay;       /* the keys still are; the indices alone tell their order */
  bool is_stable;       /* the indices of equal keys rise */
};

/* Writes 0, 1, 2 ... */
cudaError_t number(const Indexed &indexed, uint64_t count, cudaStream_t stream);

/* Compares the keys with those that were remembered, and looks at the order that the indices tell. */
cudaError_t oracle_judge_indices(const Oracle &oracle, const KeySpan &keys, cdp_order order, const Indexed &indexed,
                                 cudaStream_t stream);

/* What keys were divided by, in their order, and where the buckets begin: one number more than there are buckets. */
struct Buckets {
  const void *d_splitters;
  uint32_t splitter_count;
  const uint64_t *d_begins;
};

/* The same of keys that were divided and not sorted: buckets are in order, begin where it is said, and hold what they must. Without
   indices (d_indices is NULL) the keys alone are judged. */
cudaError_t oracle_judge_buckets(const Oracle &oracle, const KeySpan &keys, cdp_order order, const Buckets &buckets,
                                 const Indexed &indexed, cudaStream_t stream);

/* Waits for the stream. */
cudaError_t oracle_read(const Oracle &oracle, Findings *findings, cudaStream_t stream);

/* Writes a pattern over memory that nobody may touch; adds the bytes that differ from it to the oracle's findings. */
constexpr size_t GUARD_BYTES = 4096;
cudaError_t guard_fill(void *d_guard, size_t bytes, cudaStream_t stream);
cudaError_t guard_check(const Oracle &oracle, const void *d_guard, size_t bytes, cudaStream_t stream);

/* Keeps a stream busy until *flag is not 0, or for some seconds: then flag[1] becomes 1. `flag` is pinned host memory. */
cudaError_t hold_stream(uint32_t *flag, cudaStream_t stream);

} // namespace device_data

#endif
